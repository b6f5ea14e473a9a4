/* What `windows.h` declares, of floats and doubles, at each level. */

#include "window_calls.h"
#include "window_places.h"

/* With 512 bits a vector, pools and depthwise convolutions took 0.94 to 1.1 of the time they take with 256. */
#define KERNELS_WITHOUT_WIDE
#define KERNELS "window_reals.h"
#include "each_level.h"

tapegrad_window_body tapegrad_window_of_reals(int level, int type, int body)
{
    static const tapegrad_window_body (*const tables[])[TAPEGRAD_WINDOW_BODIES] =
        TAPEGRAD_AT_LEVELS_WITHOUT_WIDE(tapegrad_windows, reals);
    return tables[level][type][body];
}

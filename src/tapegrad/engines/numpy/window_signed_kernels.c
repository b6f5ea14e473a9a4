/* What `windows.h` declares, of signed integers, at each level. */

#include "window_calls.h"
#include "window_places.h"

#define INTEGER(bits) int##bits##_t
#define LEAST_INTEGER(bits) INT##bits##_MIN
#define KERNELS_WITHOUT_WIDE
#define KERNELS "window_integers.h"
#include "each_level.h"

tapegrad_window_body tapegrad_window_of_signed(int level, int type, int body)
{
    static const tapegrad_window_body (*const tables[])[TAPEGRAD_WINDOW_BODIES] =
        TAPEGRAD_AT_LEVELS_WITHOUT_WIDE(tapegrad_windows, integers);
    return tables[level][type][body];
}

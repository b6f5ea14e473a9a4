/* The loops of `window_loops.h` for integers, signed or unsigned: KERNELS of `each_level.h`; no guard. The file that
   includes this one defines INTEGER and LEAST_INTEGER, the type of so many bits and its least value. */

#define INTEGERS
#define LEAST LOWEST
#define T INTEGER(8)
#define LOWEST LEAST_INTEGER(8)
#include "window_loops.h"
#undef T
#undef LOWEST
#define T INTEGER(16)
#define LOWEST LEAST_INTEGER(16)
#include "window_loops.h"
#undef T
#undef LOWEST
#define T INTEGER(32)
#define LOWEST LEAST_INTEGER(32)
#include "window_loops.h"
#undef T
#undef LOWEST
#define T INTEGER(64)
#define LOWEST LEAST_INTEGER(64)
#include "window_loops.h"
#undef T
#undef LOWEST
#undef INTEGERS
#undef LEAST

#define BODIES(TYPE) {AT_LEVEL(maximum, TYPE), AT_LEVEL(maximum_gradient, TYPE), AT_LEVEL(maximum_gather, TYPE), \
                      AT_LEVEL(maximum_place, TYPE), AT_LEVEL(dilation, TYPE), AT_LEVEL(dilation_tap, TYPE),    \
                      AT_LEVEL(dilation_gradient, TYPE)}
static const tapegrad_window_body AT_LEVEL(tapegrad_windows, integers)[][TAPEGRAD_WINDOW_BODIES] = {
    BODIES(INTEGER(8)), BODIES(INTEGER(16)), BODIES(INTEGER(32)), BODIES(INTEGER(64))};
#undef BODIES

/* The loops of `window_loops.h` for floats and doubles: KERNELS of `each_level.h`; no guard. */

#define T float
#define LOWEST (-__builtin_inff())
#define LEAST (-__FLT_MAX__)
#include "window_loops.h"
#undef T
#undef LOWEST
#undef LEAST
#define T double
#define LOWEST (-__builtin_inf())
#define LEAST (-__DBL_MAX__)
#include "window_loops.h"
#undef T
#undef LOWEST
#undef LEAST
#define BODIES(TYPE) {AT_LEVEL(maximum, TYPE), AT_LEVEL(maximum_gradient, TYPE), AT_LEVEL(maximum_gather, TYPE), \
                      AT_LEVEL(maximum_place, TYPE), AT_LEVEL(dilation, TYPE), AT_LEVEL(dilation_tap, TYPE),    \
                      AT_LEVEL(dilation_gradient, TYPE), AT_LEVEL(mean, TYPE), AT_LEVEL(mean_gradient, TYPE),   \
                      AT_LEVEL(depthwise, TYPE), AT_LEVEL(depthwise_by_input, TYPE),                            \
                      AT_LEVEL(depthwise_by_filter, TYPE)}
static const tapegrad_window_body AT_LEVEL(tapegrad_windows, reals)[][TAPEGRAD_WINDOW_BODIES] = {
    BODIES(float), BODIES(double)};
#undef BODIES

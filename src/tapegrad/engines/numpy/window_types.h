/* The loops of `window_loops.h` for each element type: KERNELS of `each_level.h`; no guard. */

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
#define INTEGERS
#define LEAST LOWEST
#define T int8_t
#define LOWEST INT8_MIN
#include "window_loops.h"
#undef T
#undef LOWEST
#define T int16_t
#define LOWEST INT16_MIN
#include "window_loops.h"
#undef T
#undef LOWEST
#define T int32_t
#define LOWEST INT32_MIN
#include "window_loops.h"
#undef T
#undef LOWEST
#define T int64_t
#define LOWEST INT64_MIN
#include "window_loops.h"
#undef T
#undef LOWEST
#define LOWEST 0
#define T uint8_t
#include "window_loops.h"
#undef T
#define T uint16_t
#include "window_loops.h"
#undef T
#define T uint32_t
#include "window_loops.h"
#undef T
#define T uint64_t
#include "window_loops.h"
#undef T
#undef LOWEST
#undef INTEGERS
#undef LEAST

#define MAXIMA(TYPE) AT_LEVEL(maximum, TYPE), AT_LEVEL(maximum_gradient, TYPE),                             \
                     AT_LEVEL(maximum_gather, TYPE), AT_LEVEL(maximum_place, TYPE),                          \
                     AT_LEVEL(dilation, TYPE), AT_LEVEL(dilation_tap, TYPE), AT_LEVEL(dilation_gradient, TYPE)
#define FLOATING(TYPE) {MAXIMA(TYPE), AT_LEVEL(mean, TYPE), AT_LEVEL(mean_gradient, TYPE),                  \
                        AT_LEVEL(depthwise, TYPE), AT_LEVEL(depthwise_by_input, TYPE),                      \
                        AT_LEVEL(depthwise_by_filter, TYPE)}
#define INTEGRAL(TYPE) {MAXIMA(TYPE)}
/* By type: float, double, then signed and unsigned integers from the smallest on. */
static const tapegrad_window_body AT_LEVEL(tapegrad_windows, table)[][TAPEGRAD_WINDOW_BODIES] = {
    FLOATING(float), FLOATING(double),
    INTEGRAL(int8_t), INTEGRAL(int16_t), INTEGRAL(int32_t), INTEGRAL(int64_t),
    INTEGRAL(uint8_t), INTEGRAL(uint16_t), INTEGRAL(uint32_t), INTEGRAL(uint64_t)};
#undef MAXIMA
#undef FLOATING
#undef INTEGRAL

/* The loops of `window_loops.h` for integers: KERNELS of `each_level.h`; no guard. */

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

#define BODIES(TYPE) {AT_LEVEL(maximum, TYPE), AT_LEVEL(maximum_gradient, TYPE), AT_LEVEL(maximum_gather, TYPE), \
                      AT_LEVEL(maximum_place, TYPE), AT_LEVEL(dilation, TYPE), AT_LEVEL(dilation_tap, TYPE),    \
                      AT_LEVEL(dilation_gradient, TYPE)}
/* Signed and unsigned ones, from the smallest on. */
static const tapegrad_window_body AT_LEVEL(tapegrad_windows, integers)[][TAPEGRAD_WINDOW_BODIES] = {
    BODIES(int8_t), BODIES(int16_t), BODIES(int32_t), BODIES(int64_t),
    BODIES(uint8_t), BODIES(uint16_t), BODIES(uint32_t), BODIES(uint64_t)};
#undef BODIES

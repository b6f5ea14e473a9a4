/* The loops of `elementwise.h`: KERNELS of `each_level.h`; no guard. */

#include "elementwise_functions.h"

#define UNARY_LOOP(NAME, T, EXPRESSION)                                                                   \
    TARGET static void AT_LEVEL(NAME##_loop, T)(const void *from, void *to, npy_intp n)                   \
    {                                                                                                     \
        const T *in = from;                                                                               \
        T *out = to;                                                                                      \
        TAPEGRAD_INDEPENDENT                                                                              \
        for (npy_intp i = 0; i < n; i++) {                                                                \
            T x = in[i];                                                                                  \
            out[i] = (EXPRESSION);                                                                        \
        }                                                                                                 \
    }

#define BINARY_LOOP(NAME, T, X, Y, EXPRESSION)                                                            \
    TARGET static void AT_LEVEL(NAME, T)(const void *from, const void *other, void *to, npy_intp n)       \
    {                                                                                                     \
        const T *first = from, *second = other;                                                           \
        T *out = to;                                                                                      \
        T first_number = *first, second_number = *second;                                                 \
        (void)first_number, (void)second_number;                                                          \
        TAPEGRAD_INDEPENDENT                                                                              \
        for (npy_intp i = 0; i < n; i++) {                                                                \
            T x = X, y = Y;                                                                               \
            out[i] = (EXPRESSION);                                                                        \
        }                                                                                                 \
    }

#define BINARY_LOOPS(NAME, T, EXPRESSION)                                                                 \
    BINARY_LOOP(NAME##_each, T, first[i], second[i], EXPRESSION)                                          \
    BINARY_LOOP(NAME##_one_x, T, first_number, second[i], EXPRESSION)                                     \
    BINARY_LOOP(NAME##_one_y, T, first[i], second_number, EXPRESSION)

/* The powers here agree with `pow` everywhere, at infinities and zeros too. In single precision, powers that would be
   rounded twice are computed in double precision. */
#define LOOPS(T, SQRT)                                                                                    \
    UNARY_LOOP(sigmoid, T, AT_LEVEL(sigmoid, T)(x))                                                       \
    UNARY_LOOP(softplus, T, (x > 0 ? x : 0) + AT_LEVEL(log_of_one_and, T)(AT_LEVEL(falling, T)(x)))       \
    /* Written so that NaN passes through: the comparison is false for it. */                             \
    UNARY_LOOP(relu, T, x <= 0 ? 0 : x)                                                                   \
    UNARY_LOOP(relu6, T, x <= 0 ? 0 : x >= 6 ? 6 : x)                                                     \
    UNARY_LOOP(erf, T, AT_LEVEL(erf, T)(x))                                                               \
    UNARY_LOOP(erfc, T, AT_LEVEL(erfc, T)(x))                                                             \
    UNARY_LOOP(rsqrt, T, 1 / SQRT(x))                                                                     \
    UNARY_LOOP(one, T, ((void)x, (T)1))                                                                   \
    UNARY_LOOP(same, T, x)                                                                                \
    UNARY_LOOP(square, T, x * x)                                                                          \
    UNARY_LOOP(cube, T, AT_LEVEL(cube, T)(x))                                                             \
    UNARY_LOOP(reciprocal, T, 1 / x)                                                                      \
    UNARY_LOOP(root, T, x == -(T)INFINITY ? (T)INFINITY : SQRT(x + 0))                                    \
    UNARY_LOOP(reciprocal_root, T, x == -(T)INFINITY ? 0 : (T)(1 / sqrt((double)x + 0)))                  \
    UNARY_LOOP(silu, T, x * AT_LEVEL(sigmoid, T)(x))                                                      \
    UNARY_LOOP(gelu, T, AT_LEVEL(gelu, T)(x))                                                             \
    UNARY_LOOP(softsign, T, AT_LEVEL(softsign, T)(x))                                                     \
    UNARY_LOOP(sign, T, x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x)                                          \
    BINARY_LOOPS(silu_grad, T, y * AT_LEVEL(silu_slope, T)(x))                                            \
    BINARY_LOOPS(gelu_grad, T, y * AT_LEVEL(gelu_slope, T)(x))                                            \
    BINARY_LOOPS(leaky_relu, T, x > 0 ? x : x * y)                                                        \
    /* NaN wins from either side, as in NumPy. */                                                         \
    BINARY_LOOPS(maximum, T, AT_LEVEL(larger, T)(x, y))                                                   \
    BINARY_LOOPS(minimum, T, AT_LEVEL(smaller, T)(x, y))                                                  \
    BINARY_LOOPS(relu_grad, T, y > 0 ? x : 0)                                                             \
    BINARY_LOOPS(relu6_grad, T, ((y > 0) & (y < 6)) ? x : 0)                                              \
    BINARY_LOOPS(tanh_grad, T, y * (1 - x * x))                                                           \
    BINARY_LOOPS(sigmoid_grad, T, y * x * (1 - x))                                                        \
    BINARY_LOOPS(xdivy, T, x == 0 ? 0 : x / y)                                                            \
    BINARY_LOOPS(multiply_no_nan, T, y == 0 ? 0 : x * y)                                                  \
    BINARY_LOOPS(divide_no_nan, T, y == 0 ? 0 : x / y)

LOOPS(float, sqrtf)
LOOPS(double, sqrt)
BINARY_LOOPS(hypot, float, AT_LEVEL(hypot, float)(x, y))
UNARY_LOOP(fourth, float, (float)((double)x * x * x * x))
UNARY_LOOP(reciprocal_square, float, (float)(1 / ((double)x * x)))

#define REST_LOOP(NAME, MADE_OF, X, Y)                                                                    \
    TARGET static void AT_LEVEL(NAME, float)(const void *from, const void *other, void *to, npy_intp n)   \
    {                                                                                                     \
        const float *first = from, *second = other;                                                       \
        float *out = to, first_number = *first, second_number = *second;                                  \
        (void)first_number, (void)second_number;                                                          \
        for (npy_intp begin = 0; begin < n; begin += 64) {                                                \
            npy_intp end = begin + 64 < n ? begin + 64 : n;                                               \
            int far = 0;                                                                                  \
            for (npy_intp i = begin; i < end; i++) {                                                      \
                float x = X, y = Y;                                                                       \
                far |= __builtin_fabsf(x) >= 536870912.0f * __builtin_fabsf(y) && y != 0;                 \
            }                                                                                             \
            if (far) {                                                                                    \
                for (npy_intp i = begin; i < end; i++)                                                    \
                    out[i] = MADE_OF(fmodf(X, Y), Y);                                                     \
                continue;                                                                                 \
            }                                                                                             \
            TAPEGRAD_INDEPENDENT                                                                          \
            for (npy_intp i = begin; i < end; i++)                                                        \
                out[i] = MADE_OF(AT_LEVEL(rest, float)(X, Y), Y);                                         \
        }                                                                                                 \
    }
#define REST_LOOPS(NAME, MADE_OF)                                                                         \
    REST_LOOP(NAME##_each, MADE_OF, first[i], second[i])                                                  \
    REST_LOOP(NAME##_one_x, MADE_OF, first_number, second[i])                                             \
    REST_LOOP(NAME##_one_y, MADE_OF, first[i], second_number)
#define ITSELF(rest, y) (rest)
REST_LOOPS(rest, ITSELF)
REST_LOOPS(floored_rest, AT_LEVEL(floored_rest, float))

#define ENTRY(NAME, T) {AT_LEVEL(NAME##_loop, T)}
#define ENTRIES(NAME, T) {AT_LEVEL(NAME##_each, T), AT_LEVEL(NAME##_one_x, T), AT_LEVEL(NAME##_one_y, T)}
#define TABLE(T)                                                                                          \
    .sigmoid = ENTRY(sigmoid, T), .softplus = ENTRY(softplus, T), .relu = ENTRY(relu, T), .relu6 = ENTRY(relu6, T), \
    .erf = ENTRY(erf, T), .erfc = ENTRY(erfc, T), .rsqrt = ENTRY(rsqrt, T),                               \
    .silu = ENTRY(silu, T), .gelu = ENTRY(gelu, T), .softsign = ENTRY(softsign, T),                       \
    .sign = ENTRY(sign, T), .reciprocal = ENTRY(reciprocal, T),                                           \
    .silu_grad = ENTRIES(silu_grad, T), .gelu_grad = ENTRIES(gelu_grad, T),                               \
    .leaky_relu = ENTRIES(leaky_relu, T), .maximum = ENTRIES(maximum, T), .minimum = ENTRIES(minimum, T), \
    .relu_grad = ENTRIES(relu_grad, T), .relu6_grad = ENTRIES(relu6_grad, T), .tanh_grad = ENTRIES(tanh_grad, T),                               \
    .sigmoid_grad = ENTRIES(sigmoid_grad, T), .xdivy = ENTRIES(xdivy, T),                                 \
    .multiply_no_nan = ENTRIES(multiply_no_nan, T), .divide_no_nan = ENTRIES(divide_no_nan, T)
#define POWERS(T)                                                                                         \
    {0, ENTRY(one, T)}, {1, ENTRY(same, T)}, {2, ENTRY(square, T)}, {3, ENTRY(cube, T)},                  \
    {-1, ENTRY(reciprocal, T)}, {0.5, ENTRY(root, T)}, {-0.5, ENTRY(reciprocal_root, T)}

static const tapegrad_functions AT_LEVEL(tapegrad_functions, float) = {
    TABLE(float), .fmod = ENTRIES(rest, float), .floormod = ENTRIES(floored_rest, float), .hypot = ENTRIES(hypot, float),
    .powers = {POWERS(float), {4, ENTRY(fourth, float)}, {-2, ENTRY(reciprocal_square, float)}},
    .power_count = 9};
static const tapegrad_functions AT_LEVEL(tapegrad_functions, double) = {
    TABLE(double), .powers = {POWERS(double)}, .power_count = 7};

#undef UNARY_LOOP
#undef REST_LOOP
#undef REST_LOOPS
#undef ITSELF
#undef BINARY_LOOP
#undef BINARY_LOOPS
#undef LOOPS
#undef ENTRY
#undef ENTRIES
#undef TABLE
#undef POWERS

/* Inner loops, in NumPy's form, for elementwise functions that NumPy and SciPy lack or take several
 * passes for. `float` and `double` each; the engine computes half types in single precision. */

#include <complex.h>
#include <math.h>
#include <numpy/npy_common.h>

#include "exponentials.h"

#define UNARY(NAME, T, EXPRESSION)                                                                  \
    static void NAME(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)    \
    {                                                                                               \
        npy_intp n = dimensions[0];                                                                 \
        if (steps[0] == sizeof(T) && steps[1] == sizeof(T)) {                                       \
            const T *in = (const T *)args[0];                                                       \
            T *out = (T *)args[1];                                                                  \
            for (npy_intp i = 0; i < n; i++) { T x = in[i]; out[i] = (EXPRESSION); }                \
            return;                                                                                 \
        }                                                                                           \
        for (npy_intp i = 0; i < n; i++) {                                                          \
            T x = *(T *)(args[0] + i * steps[0]);                                                   \
            *(T *)(args[1] + i * steps[1]) = (EXPRESSION);                                          \
        }                                                                                           \
    }

#define BINARY(NAME, T, EXPRESSION)                                                                 \
    static void NAME(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)    \
    {                                                                                               \
        npy_intp n = dimensions[0];                                                                 \
        if (steps[0] == sizeof(T) && steps[1] == sizeof(T) && steps[2] == sizeof(T)) {              \
            const T *first = (const T *)args[0], *second = (const T *)args[1];                      \
            T *out = (T *)args[2];                                                                  \
            for (npy_intp i = 0; i < n; i++) {                                                      \
                T x = first[i], y = second[i];                                                      \
                out[i] = (EXPRESSION);                                                              \
            }                                                                                       \
            return;                                                                                 \
        }                                                                                           \
        for (npy_intp i = 0; i < n; i++) {                                                          \
            T x = *(T *)(args[0] + i * steps[0]), y = *(T *)(args[1] + i * steps[1]);               \
            *(T *)(args[2] + i * steps[2]) = (EXPRESSION);                                          \
        }                                                                                           \
    }

/* A loop in NumPy's form. Arguments are taken from a copy, so that results may go where they were. */
#define UNARY_IN_BLOCKS(NAME, FUNCTION)                                                                     \
    TAPEGRAD_WIDE static void NAME##_block(const float *in, float *out)                                     \
    {                                                                                                       \
        float x[64], y[64];                                                                                 \
        memcpy(x, in, sizeof x);                                                                            \
        for (int i = 0; i < 64; i++)                                                                        \
            y[i] = FUNCTION(x[i]);                                                                          \
        memcpy(out, y, sizeof y);                                                                           \
    }                                                                                                       \
    static void NAME(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)            \
    {                                                                                                       \
        npy_intp n = dimensions[0], i = 0, j, left;                                                         \
        float block[64] = {0};                                                                              \
        (void)data;                                                                                         \
        if (steps[0] == sizeof(float) && steps[1] == sizeof(float))                                         \
            for (; i + 64 <= n; i += 64)                                                                    \
                NAME##_block((const float *)args[0] + i, (float *)args[1] + i);                             \
        for (; i < n; i += 64) {                                                                            \
            left = n - i < 64 ? n - i : 64;                                                                 \
            for (j = 0; j < left; j++)                                                                      \
                block[j] = *(const float *)(args[0] + (i + j) * steps[0]);                                  \
            if (left < 8)                                                                                   \
                for (j = 0; j < left; j++)                                                                  \
                    block[j] = FUNCTION(block[j]);                                                          \
            else                                                                                            \
                NAME##_block(block, block);                                                                 \
            for (j = 0; j < left; j++)                                                                      \
                *(float *)(args[1] + (i + j) * steps[1]) = block[j];                                        \
        }                                                                                                   \
    }

UNARY_IN_BLOCKS(sigmoid_float, tapegrad_sigmoid_float)
UNARY_IN_BLOCKS(softplus_float, tapegrad_softplus_float)
UNARY_IN_BLOCKS(erf_float, tapegrad_erf_float)
UNARY_IN_BLOCKS(erfc_float, tapegrad_erfc_float)

/* The exponent is never positive, so neither branch overflows and both tails keep their precision. */
static inline double sigmoid_d(double x)
{
    double e = exp(-fabs(x));
    return (x >= 0 ? 1.0 : e) / (1.0 + e);
}

UNARY(sigmoid_double, double, sigmoid_d(x))
UNARY(sigmoid_complex_float, float complex, 1.0f / (1.0f + cexpf(-x)))
UNARY(sigmoid_complex_double, double complex, 1.0 / (1.0 + cexp(-x)))
UNARY(softplus_double, double, (x > 0 ? x : (x != x ? x : 0)) + log1p(exp(-fabs(x))))
/* Written so that NaN passes through: the comparison is false for it. */
UNARY(relu_float, float, x <= 0 ? 0 : x)
UNARY(relu_double, double, x <= 0 ? 0 : x)
UNARY(relu_int8, npy_int8, x < 0 ? 0 : x)
UNARY(relu_int16, npy_int16, x < 0 ? 0 : x)
UNARY(relu_int32, npy_int32, x < 0 ? 0 : x)
UNARY(relu_int64, npy_int64, x < 0 ? 0 : x)
UNARY(relu_uint8, npy_uint8, x)
UNARY(relu_uint16, npy_uint16, x)
UNARY(relu_uint32, npy_uint32, x)
UNARY(relu_uint64, npy_uint64, x)
/* SciPy has these too, but takes a third of a second to import. */
UNARY(erf_double, double, erf(x))
UNARY(erfc_double, double, erfc(x))
UNARY(rsqrt_float, float, 1.0f / sqrtf(x))
UNARY(rsqrt_double, double, 1.0 / sqrt(x))
UNARY(rsqrt_complex_float, float complex, 1.0f / csqrtf(x))
UNARY(rsqrt_complex_double, double complex, 1.0 / csqrt(x))

BINARY(relu_grad_float, float, y > 0 ? x : 0)
BINARY(relu_grad_double, double, y > 0 ? x : 0)
#define FOUR_TYPES(MACRO)                                                                           \
    MACRO(float, float)                                                                             \
    MACRO(double, double)                                                                           \
    MACRO(complex_float, float complex)                                                             \
    MACRO(complex_double, double complex)

#define FOUR_TYPE_FUNCTIONS(SUFFIX, T)                                                              \
    BINARY(tanh_grad_##SUFFIX, T, y * (1 - x * x))                                                  \
    BINARY(sigmoid_grad_##SUFFIX, T, y * x * (1 - x))                                               \
    BINARY(xdivy_##SUFFIX, T, x == 0 ? 0 : x / y)                                                   \
    BINARY(multiply_no_nan_##SUFFIX, T, y == 0 ? 0 : x * y)                                         \
    BINARY(divide_no_nan_##SUFFIX, T, y == 0 ? 0 : x / y)

FOUR_TYPES(FOUR_TYPE_FUNCTIONS)

/* What `elementwise.h` declares: loops that NumPy calls, and those of floats and doubles at each level. */

#include "elementwise.h"
#include "elementwise_polynomials.h"
#include "vectors.h"

#include <complex.h>
#include <math.h>

/* --- What NumPy calls ----------------------------------------------------------------------------------- */

enum { TAPEGRAD_ELEMENTS = 256 /* to a block: a few of them fit into the innermost cache */ };

/* Whether no result overwrites an argument of another element, so that elements may be computed in any order. */
static int tapegrad_apart(const char *in, npy_intp in_step, const char *out, npy_intp out_step, npy_intp n,
                          npy_intp size)
{
    npy_intp in_reach = in_step * (n - 1), out_reach = out_step * (n - 1);
    if (n == 1 || (in == out && in_step == out_step && (out_step >= size || -out_step >= size)))
        return 1;
    return (in_reach < 0 ? in : in + in_reach) + size <= (out_reach < 0 ? out + out_reach : out)
        || (out_reach < 0 ? out : out + out_reach) + size <= (in_reach < 0 ? in + in_reach : in);
}

#define BLOCKWISE(T)                                                                                        \
    static const void *tapegrad_gathered_##T(const char *from, npy_intp step, T *buffer, npy_intp n)        \
    {                                                                                                       \
        if (step == sizeof(T))                                                                              \
            return from;                                                                                    \
        for (npy_intp i = 0; i < n; i++)                                                                    \
            buffer[i] = *(const T *)(from + i * step);                                                      \
        return buffer;                                                                                      \
    }                                                                                                       \
    static void tapegrad_scatter_##T(const T *buffer, char *to, npy_intp step, npy_intp n)                  \
    {                                                                                                       \
        if ((const char *)buffer != to)                                                                     \
            for (npy_intp i = 0; i < n; i++)                                                                \
                *(T *)(to + i * step) = buffer[i];                                                          \
    }                                                                                                       \
    void tapegrad_unary_##T(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)        \
    {                                                                                                       \
        const tapegrad_unary *function = data;                                                              \
        const char *in = args[0];                                                                           \
        char *out = args[1];                                                                                \
        npy_intp n = dimensions[0], block = TAPEGRAD_ELEMENTS;                                              \
        T room[TAPEGRAD_ELEMENTS];                                                                          \
        if (n <= 0)                                                                                         \
            return;                                                                                         \
        if (!tapegrad_apart(in, steps[0], out, steps[1], n, sizeof(T)))                                     \
            block = 1;                                                                                      \
        else if (steps[0] == sizeof(T) && steps[1] == sizeof(T))                                            \
            block = n;                                                                                      \
        for (; n > 0; n -= block, in += block * steps[0], out += block * steps[1]) {                        \
            npy_intp count = n < block ? n : block;                                                         \
            T *result = steps[1] == sizeof(T) ? (T *)out : room;                                            \
            function->loop(tapegrad_gathered_##T(in, steps[0], room, count), result, count);                \
            tapegrad_scatter_##T(result, out, steps[1], count);                                             \
        }                                                                                                   \
    }                                                                                                       \
    void tapegrad_binary_##T(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)        \
    {                                                                                                       \
        const tapegrad_binary *function = data;                                                             \
        const char *x = args[0], *y = args[1];                                                              \
        char *out = args[2];                                                                                \
        npy_intp n = dimensions[0], block = TAPEGRAD_ELEMENTS;                                              \
        T room_x[TAPEGRAD_ELEMENTS], room_y[TAPEGRAD_ELEMENTS];                                             \
        if (n <= 0)                                                                                         \
            return;                                                                                         \
        if (!tapegrad_apart(x, steps[0], out, steps[2], n, sizeof(T))                                       \
                || !tapegrad_apart(y, steps[1], out, steps[2], n, sizeof(T)))                               \
            block = 1;                                                                                      \
        /* Two operands of one number each are copied, a block at a time. */                               \
        else if ((steps[0] == sizeof(T) || steps[0] == 0) && (steps[1] == sizeof(T) || steps[1] == 0)       \
                && (steps[0] || steps[1]) && steps[2] == sizeof(T))                                         \
            block = n;                                                                                      \
        for (; n > 0; n -= block, x += block * steps[0], y += block * steps[1], out += block * steps[2]) {  \
            npy_intp count = n < block ? n : block;                                                         \
            T *result = steps[2] == sizeof(T) ? (T *)out : room_x;                                          \
            if (steps[1] == 0 && (steps[0] != 0 || count == 1))                                             \
                function->one_y(tapegrad_gathered_##T(x, steps[0], room_x, count), y, result, count);       \
            else if (steps[0] == 0 && steps[1] != 0)                                                        \
                function->one_x(x, tapegrad_gathered_##T(y, steps[1], room_y, count), result, count);       \
            else                                                                                            \
                function->each(tapegrad_gathered_##T(x, steps[0], room_x, count),                           \
                               tapegrad_gathered_##T(y, steps[1], room_y, count), result, count);           \
            tapegrad_scatter_##T(result, out, steps[2], count);                                             \
        }                                                                                                   \
    }                                                                                                       \
    /* NumPy has no vectors for an array beside one number. */                                          \
    void tapegrad_choice_##T(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)        \
    {                                                                                                       \
        const tapegrad_choice *choice = data;                                                               \
        if ((steps[1] == 0) != (steps[0] == 0) && steps[2] != 0)                                            \
            tapegrad_binary_##T(args, dimensions, steps, (void *)choice->beside_number);                    \
        else                                                                                                \
            choice->loop(args, dimensions, steps, choice->data);                                            \
    }                                                                                                       \
    void tapegrad_power_##T(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)        \
    {                                                                                                       \
        const tapegrad_power *power = data;                                                                 \
        char *own[2] = {args[0], args[2]};                                                                  \
        npy_intp own_steps[2] = {steps[0], steps[2]};                                                       \
        if (dimensions[0] > 0 && steps[1] == 0)                                                             \
            for (int i = 0; i < power->functions->power_count; i++)                                         \
                if (power->functions->powers[i].exponent == *(const T *)args[1]) {                          \
                    tapegrad_unary_##T(own, dimensions, own_steps,                                          \
                                       (void *)&power->functions->powers[i].function);                      \
                    return;                                                                                 \
                }                                                                                           \
        tapegrad_binary_##T(args, dimensions, steps, (void *)power->all);                                   \
    }

BLOCKWISE(float)
BLOCKWISE(double)

#undef BLOCKWISE

/* --- The functions, for each width of vectors ----------------------------------------------------------- */

#define KERNELS "elementwise_loops.h"
#include "each_level.h"

TAPEGRAD_VERSIONS(tapegrad_functions)

#define KERNELS "gamma_functions.h"
#include "each_level.h"

const tapegrad_gammas *tapegrad_gammas_at(int level)
{
    static const tapegrad_gammas *const versions[] = TAPEGRAD_AT_LEVELS(&tapegrad_gammas, float);
    return versions[level];
}

/* --- Complex numbers and integers ------------------------------------------------------------------------ */

#define UNARY(NAME, T, EXPRESSION)                                                                  \
    void NAME(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)           \
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
    void NAME(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)           \
    {                                                                                               \
        npy_intp n = dimensions[0];                                                                 \
        for (npy_intp i = 0; i < n; i++) {                                                          \
            T x = *(T *)(args[0] + i * steps[0]), y = *(T *)(args[1] + i * steps[1]);               \
            *(T *)(args[2] + i * steps[2]) = (EXPRESSION);                                          \
        }                                                                                           \
    }

#define SIGNED(T)                                                                                   \
    UNARY(relu_##T, npy_##T, x < 0 ? 0 : x)                                                         \
    UNARY(relu6_##T, npy_##T, x < 0 ? 0 : x > 6 ? 6 : x)                                            \
    BINARY(relu6_grad_##T, npy_##T, ((y > 0) & (y < 6)) ? x : 0)
#define UNSIGNED(T)                                                                                 \
    UNARY(relu_##T, npy_##T, x)                                                                     \
    UNARY(relu6_##T, npy_##T, x > 6 ? 6 : x)                                                        \
    BINARY(relu6_grad_##T, npy_##T, ((y > 0) & (y < 6)) ? x : 0)
SIGNED(int8)
SIGNED(int16)
SIGNED(int32)
SIGNED(int64)
UNSIGNED(uint8)
UNSIGNED(uint16)
UNSIGNED(uint32)
UNSIGNED(uint64)
#undef SIGNED
#undef UNSIGNED
UNARY(sigmoid_complex_float, float complex, 1.0f / (1.0f + cexpf(-x)))
UNARY(sigmoid_complex_double, double complex, 1.0 / (1.0 + cexp(-x)))
UNARY(rsqrt_complex_float, float complex, 1.0f / csqrtf(x))
UNARY(rsqrt_complex_double, double complex, 1.0 / csqrt(x))

#define COMPLEX(SUFFIX, T)                                                                          \
    BINARY(tanh_grad_##SUFFIX, T, y * (1 - x * x))                                                  \
    BINARY(sigmoid_grad_##SUFFIX, T, y * x * (1 - x))                                               \
    BINARY(xdivy_##SUFFIX, T, x == 0 ? 0 : x / y)                                                   \
    BINARY(multiply_no_nan_##SUFFIX, T, y == 0 ? 0 : x * y)                                         \
    BINARY(divide_no_nan_##SUFFIX, T, y == 0 ? 0 : x / y)

COMPLEX(complex_float, float complex)
COMPLEX(complex_double, double complex)

#undef UNARY
#undef BINARY
#undef COMPLEX

/* The loops of `tapegrad_elementary` of `elementwise.h`: KERNELS of `each_level.h`; no guard. */

#include "elementary_functions.h"

#define BLOCK 256

/* Gives a block zeros behind its last numbers, and the count with them: a multiple of every vector's length, as compilers
   see in its last bits. So a loop over the block has nothing left over, which would be the same code once more. */
#define PADDED(block, count)                                                                              \
    (memset((block) + (count), 0, (-(size_t)(count) & 15) * sizeof *(block)), ((count) + 15) & ~(npy_intp)15)

/* Truths as wide as the numbers that they are about: compilers join those without narrowing them. */
#define INTEGER_float npy_int32
#define INTEGER_double npy_int64
#define ABSOLUTE_float __builtin_fabsf
#define ABSOLUTE_double __builtin_fabs

#define LOOP_OF(NAME, T)                                                                                  \
    TARGET static void AT_LEVEL(NAME##_loop, T)(const void *from, void *to, npy_intp n)                   \
    {                                                                                                     \
        const T *in = from;                                                                               \
        T *out = to;                                                                                      \
        TAPEGRAD_INDEPENDENT                                                                              \
        for (npy_intp i = 0; i < n; i++)                                                                  \
            out[i] = AT_LEVEL(NAME, T)(in[i]);                                                            \
    }

/* Floats are widened block by block, and not in the loop: there compilers compare floats and not the doubles made of them,
   and widening the truths takes longer than the function. */
#define LOOP_OF_FLOATS(NAME)                                                                              \
    TARGET static void AT_LEVEL(NAME##_loop, float)(const void *from, void *to, npy_intp n)               \
    {                                                                                                     \
        const float *in = from;                                                                           \
        float *out = to;                                                                                  \
        double room[BLOCK];                                                                               \
        for (npy_intp begin = 0; begin < n; begin += BLOCK) {                                             \
            npy_intp count = n - begin < BLOCK ? n - begin : BLOCK;                                       \
            for (npy_intp i = 0; i < count; i++)                                                          \
                room[i] = in[begin + i];                                                                  \
            npy_intp padded = PADDED(room, count);                                                        \
            for (npy_intp i = 0; i < padded; i++)                                                         \
                room[i] = AT_LEVEL(NAME##_of_float, double)(room[i]);                                     \
            for (npy_intp i = 0; i < count; i++)                                                          \
                out[begin + i] = (float)room[i];                                                          \
        }                                                                                                 \
    }

/* Blocks of ordinary numbers alone take a shorter way, to the same bits. */
#define LOOP_OF_ORDINARY(NAME, T)                                                                         \
    TARGET static void AT_LEVEL(NAME##_loop, T)(const void *from, void *to, npy_intp n)                   \
    {                                                                                                     \
        const T *in = from;                                                                               \
        T *out = to;                                                                                      \
        for (npy_intp begin = 0; begin < n; begin += BLOCK) {                                             \
            npy_intp end = begin + BLOCK < n ? begin + BLOCK : n;                                         \
            INTEGER_##T far = 0;                                                                          \
            for (npy_intp i = begin; i < end; i++)                                                        \
                far |= !AT_LEVEL(has_ordinary_##NAME, T)(in[i]);                                          \
            if (far) {                                                                                    \
                TAPEGRAD_INDEPENDENT                                                                      \
                for (npy_intp i = begin; i < end; i++)                                                    \
                    out[i] = AT_LEVEL(NAME, T)(in[i]);                                                    \
                continue;                                                                                 \
            }                                                                                             \
            TAPEGRAD_INDEPENDENT                                                                          \
            for (npy_intp i = begin; i < end; i++)                                                        \
                out[i] = AT_LEVEL(ordinary_##NAME, T)(in[i]);                                             \
        }                                                                                                 \
    }

/* Exponentials in two loops, and `tanh` of floats: one is a chain of operations so long that a processor has no room to
   begin enough of the next elements (decision 0576). */
#define LOOP_OF_EXP(T)                                                                                    \
    TARGET static void AT_LEVEL(exp_loop, T)(const void *from, void *to, npy_intp n)                      \
    {                                                                                                     \
        const T *in = from;                                                                               \
        T *out = to, rest[BLOCK] __attribute__((aligned(64))), raised[BLOCK] __attribute__((aligned(64)));\
        for (npy_intp begin = 0; begin < n; begin += BLOCK) {                                             \
            npy_intp count = n - begin < BLOCK ? n - begin : BLOCK;                                       \
            INTEGER_##T far = 0;                                                                          \
            for (npy_intp i = 0; i < count; i++) {                                                        \
                AT_LEVEL(reduced, T) reduced = AT_LEVEL(reduce, T)(in[begin + i], 0);                     \
                far |= !AT_LEVEL(has_ordinary_exp, T)(in[begin + i]);                                     \
                rest[i] = reduced.rest;                                                                   \
                raised[i] = reduced.raised;                                                               \
            }                                                                                             \
            if (far) {                                                                                    \
                TAPEGRAD_INDEPENDENT                                                                      \
                for (npy_intp i = begin; i < begin + count; i++)                                          \
                    out[i] = AT_LEVEL(exp, T)(in[i]);                                                     \
                continue;                                                                                 \
            }                                                                                             \
            TAPEGRAD_INDEPENDENT                                                                          \
            for (npy_intp i = 0; i < count; i++)                                                          \
                out[begin + i] = AT_LEVEL(ordinary_exp_of, T)(rest[i], raised[i]);                        \
        }                                                                                                 \
    }

/* Beyond FAR the C library computes. */
#define LOOP_OF_TURNS(NAME, T, SUFFIX)                                                                    \
    TARGET static void AT_LEVEL(NAME##_loop, T)(const void *from, void *to, npy_intp n)                   \
    {                                                                                                     \
        const T *in = from;                                                                               \
        T *out = to;                                                                                      \
        for (npy_intp begin = 0; begin < n; begin += BLOCK) {                                             \
            npy_intp end = begin + BLOCK < n ? begin + BLOCK : n;                                         \
            INTEGER_##T far = 0;                                                                          \
            for (npy_intp i = begin; i < end; i++)                                                        \
                far |= !(ABSOLUTE_##T(in[i]) < (T)FAR);                                                   \
            if (far) {                                                                                    \
                for (npy_intp i = begin; i < end; i++) {                                                  \
                    double x = in[i];                                                                     \
                    int near = __builtin_fabs(x) < FAR;                                                   \
                    out[i] = (T)(near ? AT_LEVEL(NAME##SUFFIX, double)(x) : NAME(x));                     \
                }                                                                                         \
                continue;                                                                                 \
            }                                                                                             \
            TAPEGRAD_INDEPENDENT                                                                          \
            for (npy_intp i = begin; i < end; i++)                                                        \
                out[i] = (T)AT_LEVEL(NAME##SUFFIX, double)(in[i]);                                        \
        }                                                                                                 \
    }

#define OPERANDS(T)                                                                                       \
    const T *first = from, *second = other, first_number = *first, second_number = *second;               \
    T *out = to;                                                                                          \
    (void)first_number, (void)second_number
#define LOOPS_OF_ATAN2(WAY, FIRST, SECOND)                                                                \
    TARGET static void AT_LEVEL(atan2_##WAY, double)(const void *from, const void *other, void *to, npy_intp n) \
    {                                                                                                     \
        OPERANDS(double);                                                                                 \
        npy_intp begin = 0;                                                                               \
        TAPEGRAD_INDEPENDENT                                                                              \
        for (npy_intp i = 0; i < n; i++)                                                                  \
            out[i] = AT_LEVEL(atan2, double)(FIRST, SECOND);                                              \
    }                                                                                                     \
    TARGET static void AT_LEVEL(atan2_##WAY, float)(const void *from, const void *other, void *to, npy_intp n) \
    {                                                                                                     \
        OPERANDS(float);                                                                                  \
        double room[BLOCK], more[BLOCK];                                                                  \
        for (npy_intp begin = 0; begin < n; begin += BLOCK) {                                             \
            npy_intp count = n - begin < BLOCK ? n - begin : BLOCK;                                       \
            for (npy_intp i = 0; i < count; i++) {                                                        \
                room[i] = FIRST;                                                                          \
                more[i] = SECOND;                                                                         \
            }                                                                                             \
            (void)PADDED(room, count);                                                                    \
            npy_intp padded = PADDED(more, count);                                                        \
            for (npy_intp i = 0; i < padded; i++)                                                         \
                room[i] = AT_LEVEL(atan2_of_floats, double)(room[i], more[i]);                            \
            for (npy_intp i = 0; i < count; i++)                                                          \
                out[begin + i] = (float)room[i];                                                          \
        }                                                                                                 \
    }

/* In more than one loop, for the reason of exponentials. */
#define LOOP_OF_ERFINV(T)                                                                                 \
    TARGET static void AT_LEVEL(erfinv_loop, T)(const void *from, void *to, npy_intp n)                   \
    {                                                                                                     \
        const T *in = from;                                                                               \
        T *out = to, root[BLOCK] __attribute__((aligned(64))), rest[BLOCK] __attribute__((aligned(64)));  \
        for (npy_intp begin = 0; begin < n; begin += BLOCK) {                                             \
            npy_intp count = n - begin < BLOCK ? n - begin : BLOCK;                                       \
            for (npy_intp i = 0; i < count; i++) {                                                        \
                AT_LEVEL(sum, T) sum = AT_LEVEL(root_of_log, T)(ABSOLUTE_##T(in[begin + i]));             \
                root[i] = sum.whole;                                                                      \
                rest[i] = sum.rest;                                                                       \
            }                                                                                             \
            TAPEGRAD_INDEPENDENT                                                                          \
            for (npy_intp i = 0; i < count; i++)                                                          \
                out[begin + i] = AT_LEVEL(erfinv, T)(in[begin + i], root[i], rest[i]);                    \
        }                                                                                                 \
    }

/* Powers of a padded count of numbers, at most a block. */
TARGET TAPEGRAD_APART static void AT_LEVEL(raise, double)(const double *x, const double *y, double *out, npy_intp padded)
{
    padded &= ~(npy_intp)15;
#if FUSED
    double whole[BLOCK] __attribute__((aligned(64))), rest[BLOCK] __attribute__((aligned(64)));
    for (npy_intp i = 0; i < padded; i++) {
        AT_LEVEL(sum, double) log = AT_LEVEL(long_log, double)(__builtin_fabs(x[i]));
        whole[i] = log.whole;
        rest[i] = log.rest;
    }
    for (npy_intp i = 0; i < padded; i++)
        whole[i] = AT_LEVEL(exp_of_product, double)(whole[i], rest[i], y[i]);
    TAPEGRAD_INDEPENDENT
    for (npy_intp i = 0; i < padded; i++)
        out[i] = AT_LEVEL(signed_power, double)(x[i], y[i], whole[i]);
#else
    for (npy_intp i = 0; i < padded; i++)
        out[i] = pow(x[i], y[i]);
#endif
}
TARGET TAPEGRAD_APART static void AT_LEVEL(raise, float)(const float *x, const float *y, float *out, npy_intp padded)
{
    double log[BLOCK] __attribute__((aligned(64)));
    float power[BLOCK] __attribute__((aligned(64)));
    padded &= ~(npy_intp)15;
    for (npy_intp i = 0; i < padded; i++)
        log[i] = AT_LEVEL(log_of_float, double)(__builtin_fabsf(x[i]));
    for (npy_intp i = 0; i < padded; i++)
        power[i] = AT_LEVEL(exp_of_product, float)(log[i], y[i]);
    TAPEGRAD_INDEPENDENT
    for (npy_intp i = 0; i < padded; i++)
        out[i] = AT_LEVEL(signed_power, float)(x[i], y[i], power[i]);
}
#define LOOPS_OF_POW(T)                                                                                   \
    TARGET TAPEGRAD_APART static void AT_LEVEL(powers, T)(const T *first, int one_x, const T *second, int one_y, T *out, \
                                                          npy_intp n)                                     \
    {                                                                                                     \
        T x[BLOCK] __attribute__((aligned(64))), y[BLOCK] __attribute__((aligned(64))), last[16];         \
        for (npy_intp i = 0; i < (one_x ? BLOCK : 16); i++)                                               \
            x[i] = *first;                                                                                \
        for (npy_intp i = 0; i < (one_y ? BLOCK : 16); i++)                                               \
            y[i] = *second;                                                                               \
        npy_intp whole = n & ~(npy_intp)15, rest = n - whole;                                             \
        for (npy_intp begin = 0; begin < whole; begin += BLOCK)                                           \
            AT_LEVEL(raise, T)(one_x ? x : first + begin, one_y ? y : second + begin, out + begin,        \
                               whole - begin < BLOCK ? whole - begin : BLOCK);                            \
        if (rest) {                                                                                       \
            if (!one_x)                                                                                   \
                memcpy(x, first + whole, rest * sizeof(T));                                               \
            if (!one_y)                                                                                   \
                memcpy(y, second + whole, rest * sizeof(T));                                              \
            AT_LEVEL(raise, T)(x, y, last, 16);                                                           \
            memcpy(out + whole, last, rest * sizeof(T));                                                  \
        }                                                                                                 \
    }                                                                                                     \
    TARGET static void AT_LEVEL(pow_each, T)(const void *from, const void *other, void *to, npy_intp n)   \
    {                                                                                                     \
        AT_LEVEL(powers, T)(from, 0, other, 0, to, n);                                                    \
    }                                                                                                     \
    TARGET static void AT_LEVEL(pow_one_x, T)(const void *from, const void *other, void *to, npy_intp n)  \
    {                                                                                                     \
        AT_LEVEL(powers, T)(from, 1, other, 0, to, n);                                                    \
    }                                                                                                     \
    TARGET static void AT_LEVEL(pow_one_y, T)(const void *from, const void *other, void *to, npy_intp n)  \
    {                                                                                                     \
        AT_LEVEL(powers, T)(from, 0, other, 1, to, n);                                                    \
    }

#define LOOPS(NAME) LOOP_OF(NAME, double) LOOP_OF_FLOATS(NAME)
#define LOOPS_OF_TURNS(NAME) LOOP_OF_TURNS(NAME, double, ) LOOP_OF_TURNS(NAME, float, _of_float)
LOOP_OF_EXP(float)
LOOP_OF_EXP(double)
LOOP_OF_ORDINARY(log, float)
LOOP_OF_ORDINARY(log, double)
LOOPS(expm1)
LOOP_OF(log1p, float)
LOOP_OF(log1p, double)
LOOPS(sinh)
LOOPS(cosh)
TARGET static void AT_LEVEL(tanh_loop, float)(const void *from, void *to, npy_intp n)
{
    const float *in = from;
    float *out = to, power[BLOCK] __attribute__((aligned(64)));
    for (npy_intp begin = 0; begin < n; begin += BLOCK) {
        npy_intp count = n - begin < BLOCK ? n - begin : BLOCK;
        for (npy_intp i = 0; i < count; i++)
            power[i] = AT_LEVEL(power_of_tanh, float)(in[begin + i]);
        TAPEGRAD_INDEPENDENT
        for (npy_intp i = 0; i < count; i++)
            out[begin + i] = AT_LEVEL(tanh_of, float)(in[begin + i], power[i]);
    }
}
LOOP_OF(tanh, double)
LOOP_OF_FLOATS(asinh)
LOOP_OF_FLOATS(acosh)
LOOPS(atanh)
LOOPS(asin)
LOOPS(acos)
LOOPS(atan)
LOOPS_OF_TURNS(sin)
LOOPS_OF_TURNS(cos)
LOOPS_OF_TURNS(tan)
LOOP_OF_ERFINV(float)
LOOP_OF_ERFINV(double)
LOOPS_OF_ATAN2(each, first[begin + i], second[begin + i])
LOOPS_OF_ATAN2(one_x, first_number, second[begin + i])
LOOPS_OF_ATAN2(one_y, first[begin + i], second_number)
LOOPS_OF_POW(float)
LOOPS_OF_POW(double)

#define ENTRY(NAME, T) .NAME = {AT_LEVEL(NAME##_loop, T)}
#define ENTRY_OF_TWO(NAME, T)                                                                             \
    .NAME = {AT_LEVEL(NAME##_each, T), AT_LEVEL(NAME##_one_x, T), AT_LEVEL(NAME##_one_y, T)}
#define TABLE(T)                                                                                          \
    ENTRY(exp, T), ENTRY(expm1, T), ENTRY(log, T), ENTRY(log1p, T), ENTRY(sin, T), ENTRY(cos, T),         \
    ENTRY(tan, T), ENTRY(asin, T), ENTRY(acos, T), ENTRY(atan, T), ENTRY(sinh, T), ENTRY(cosh, T),        \
    ENTRY(tanh, T), ENTRY(atanh, T), ENTRY(erfinv, T), ENTRY_OF_TWO(atan2, T), ENTRY_OF_TWO(pow, T)
static const tapegrad_elementary AT_LEVEL(tapegrad_elementary, float) = {
    TABLE(float), ENTRY(asinh, float), ENTRY(acosh, float)};
static const tapegrad_elementary AT_LEVEL(tapegrad_elementary, double) = {TABLE(double)};

#undef FAR
#undef INTEGER_float
#undef INTEGER_double
#undef ABSOLUTE_float
#undef ABSOLUTE_double
#undef BLOCK
#undef PADDED
#undef LOOP_OF
#undef LOOP_OF_FLOATS
#undef LOOP_OF_ORDINARY
#undef LOOP_OF_EXP
#undef LOOP_OF_TURNS
#undef OPERANDS
#undef LOOPS_OF_ATAN2
#undef LOOP_OF_ERFINV
#undef LOOPS_OF_POW
#undef LOOPS
#undef LOOPS_OF_TURNS
#undef ENTRY
#undef ENTRY_OF_TWO
#undef TABLE

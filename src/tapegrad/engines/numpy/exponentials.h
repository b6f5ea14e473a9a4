/* The exponentials of `float` and `double`, for every kernel that takes one: a straight line of arithmetic, which
   compilers turn into vectors. KERNELS of `each_level.h`; no guard. Include `elementwise_polynomials.h` before. */

/* exp(x) is (fraction + lacks) * raised / 2**64, in double / 2**512, where `lacks` is what the fraction is rounded by.
   The power of two is raised because it alone could be subnormal: the last product rounds once. */
typedef struct {
    float fraction, lacks, raised;
} AT_LEVEL(power, float);
typedef struct {
    double fraction, lacks, raised;
} AT_LEVEL(power, double);
/* What is left of x beside a multiple of log(2), and the power of two, raised. */
typedef struct {
    float rest, raised;
} AT_LEVEL(reduced, float);
typedef struct {
    double rest, raised;
} AT_LEVEL(reduced, double);
#define LOWER_float 0x1p-64f
#define LOWER_double 0x1p-512

/* exp(x + low) for x from -130 to 0 in float and from -1000 to 0 in double, and a `low` that is next to nothing. Up to
   130 in float, the bits of `raised` are the power of two as well, though `raised` may be no such number.
   Adding WHOLE, 1.5 * 2**WIDTH, leaves x / log(2), rounded to a whole number k, in the last bits of the sum. The
   first part of log(2) is short, so that k times it is exact. Where x is NaN the power of two is nonsense and the
   fraction is NaN. */
#define EXPONENTIAL(T, BITS, WHOLE, BITS_OF_WHOLE, PER_LOG, LOG_FIRST, LOG_REST, RAISED_BIAS, WIDTH)      \
    TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(reduced, T) AT_LEVEL(reduce, T)(T x, T low)                     \
    {                                                                                                     \
        T shifted = MULTIPLY_ADD_##T(x, PER_LOG, WHOLE), k = shifted - WHOLE;                             \
        union { T number; BITS bits; } from = {shifted}, raised;                                          \
        AT_LEVEL(reduced, T) out;                                                                         \
        raised.bits = (from.bits - (BITS_OF_WHOLE - RAISED_BIAS)) << WIDTH;                               \
        out.rest = MULTIPLY_ADD_##T(k, -LOG_FIRST, x) + MULTIPLY_ADD_##T(k, -LOG_REST, low);              \
        out.raised = raised.number;                                                                       \
        return out;                                                                                       \
    }                                                                                                     \
    TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(power, T) AT_LEVEL(exponential_of, T)(T rest, T raised)         \
    {                                                                                                     \
        AT_LEVEL(power, T) out;                                                                           \
        rest = MULTIPLY_ADD_##T(EXPONENTIAL_REST_##T(rest), rest * rest, rest);                           \
        out.fraction = 1 + rest;                                                                          \
        out.lacks = rest - (out.fraction - 1);                                                            \
        out.raised = raised;                                                                              \
        return out;                                                                                       \
    }                                                                                                     \
    TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(power, T) AT_LEVEL(exponential, T)(T x, T low)                  \
    {                                                                                                     \
        AT_LEVEL(reduced, T) reduced = AT_LEVEL(reduce, T)(x, low);                                       \
        return AT_LEVEL(exponential_of, T)(reduced.rest, reduced.raised);                                 \
    }
EXPONENTIAL(float, npy_uint32, 12582912.0f, 0x4B400000u, 1.44269504f, 0.693359375f, -2.12194440e-4f, (127u + 64u), 23)
EXPONENTIAL(double, npy_uint64, 6755399441055744.0, 0x4338000000000000u, 1.4426950408889634074,
            0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33, (1023u + 512u), 52)

/* exp(x) for x <= 0: it is exact in its subnormal numbers, 0 below LOWEST, and NaN for NaN. */
#define EXPONENTIAL_BELOW_ZERO(T, LOWEST)                                                                 \
    TARGET TAPEGRAD_PART_OF_LOOP T AT_LEVEL(exponential_below_zero, T)(T x)                               \
    {                                                                                                     \
        AT_LEVEL(power, T) power = AT_LEVEL(exponential, T)(x < LOWEST ? LOWEST : x, 0);                  \
        return power.fraction * power.raised * LOWER_##T;                                                 \
    }
EXPONENTIAL_BELOW_ZERO(float, -104)
EXPONENTIAL_BELOW_ZERO(double, -746)

/* exp(x). The power of two is multiplied with in two steps, the second of which alone may round or overflow.
   `ordinary_exp` is the same where neither the result nor the power of two is subnormal or infinite: the power is added
   to the exponent of the fraction. */
#define EXP(T, FABS, BITS, LOWEST, HIGHEST, ORDINARY, WIDTH, HALF_BIAS, RAISED_BIAS)                      \
    TARGET TAPEGRAD_PART_OF_LOOP T AT_LEVEL(exp, T)(T x)                                                  \
    {                                                                                                     \
        T within = x < LOWEST ? LOWEST : x > HIGHEST ? HIGHEST : x;                                       \
        AT_LEVEL(power, T) power = AT_LEVEL(exponential, T)(within, 0);                                   \
        union { T number; BITS bits; } raised = {power.raised}, half, other;                              \
        BITS whole = raised.bits >> WIDTH;                                                                \
        half.bits = ((whole >> 1) + HALF_BIAS) << WIDTH;                                                  \
        other.bits = (whole - (whole >> 1) + HALF_BIAS - 1u) << WIDTH;                                    \
        return power.fraction * half.number * other.number;                                               \
    }                                                                                                     \
    TARGET TAPEGRAD_PART_OF_LOOP int AT_LEVEL(has_ordinary_exp, T)(T x)                                   \
    {                                                                                                     \
        return FABS(x) < ORDINARY;                                                                        \
    }                                                                                                     \
    TARGET TAPEGRAD_PART_OF_LOOP T AT_LEVEL(ordinary_exp_of, T)(T rest, T raised)                         \
    {                                                                                                     \
        union { T number; BITS bits; } power = {raised}, out;                                             \
        out.number = AT_LEVEL(exponential_of, T)(rest, raised).fraction;                                  \
        out.bits += power.bits - ((BITS)RAISED_BIAS << WIDTH);                                            \
        return out.number;                                                                                \
    }                                                                                                     \
    TARGET TAPEGRAD_PART_OF_LOOP T AT_LEVEL(ordinary_exp, T)(T x)                                         \
    {                                                                                                     \
        AT_LEVEL(reduced, T) reduced = AT_LEVEL(reduce, T)(x, 0);                                         \
        return AT_LEVEL(ordinary_exp_of, T)(reduced.rest, reduced.raised);                                \
    }
EXP(float, __builtin_fabsf, npy_uint32, -104, 89, 87, 23, 32u, (127 + 64))
EXP(double, __builtin_fabs, npy_uint64, -746, 710, 708, 52, 256u, (1023 + 512))

#undef EXPONENTIAL
#undef EXPONENTIAL_BELOW_ZERO
#undef EXP

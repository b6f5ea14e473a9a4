/* The exponentials of `float` and `double`, for every kernel that takes one: a straight line of arithmetic, which
   compilers turn into vectors. KERNELS of `each_level.h`; no guard. Include `elementwise_polynomials.h` before. */

/* exp(x) is (fraction + lacks) * first * second, where `lacks` is what the fraction is rounded by. The powers of
   two are two because one of them alone could be subnormal. */
typedef struct {
    float fraction, lacks, first, second;
} AT_LEVEL(power, float);
typedef struct {
    double fraction, lacks, first, second;
} AT_LEVEL(power, double);

/* exp(x + low) for x from -160 to 0 in float and from -1400 to 0 in double, and a `low` that is next to nothing.
   Adding WHOLE, 1.5 * 2**WIDTH, leaves x / log(2), rounded to a whole number k, in the last bits of the sum. The
   first part of log(2) is short, so that k times it is exact. Where x is NaN the powers of two are nonsense and the
   fraction is NaN. */
#define EXPONENTIAL(T, BITS, WHOLE, BITS_OF_WHOLE, PER_LOG, LOG_FIRST, LOG_REST, BIAS, WIDTH)             \
    TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(power, T) AT_LEVEL(exponential, T)(T x, T low)                  \
    {                                                                                                     \
        T shifted = MULTIPLY_ADD_##T(x, PER_LOG, WHOLE), k = shifted - WHOLE;                             \
        T rest = MULTIPLY_ADD_##T(k, -LOG_FIRST, x) + MULTIPLY_ADD_##T(k, -LOG_REST, low);                \
        union { T number; BITS bits; } from = {shifted}, first, second;                                   \
        AT_LEVEL(power, T) out;                                                                           \
        BITS exponent = from.bits - (BITS_OF_WHOLE - 2 * BIAS), half = exponent >> 1;                     \
        first.bits = half << WIDTH;                                                                       \
        second.bits = (exponent - half) << WIDTH;                                                         \
        rest = MULTIPLY_ADD_##T(EXPONENTIAL_REST_##T(rest), rest * rest, rest);                           \
        out.fraction = 1 + rest;                                                                          \
        out.lacks = rest - (out.fraction - 1);                                                            \
        out.first = first.number;                                                                         \
        out.second = second.number;                                                                       \
        return out;                                                                                       \
    }
EXPONENTIAL(float, npy_uint32, 12582912.0f, 0x4B400000u, 1.44269504f, 0.693359375f, -2.12194440e-4f, 127u, 23)
EXPONENTIAL(double, npy_uint64, 6755399441055744.0, 0x4338000000000000u, 1.4426950408889634074,
            0x1.62e42fee00000p-1, 0x1.a39ef35793c76p-33, 1023u, 52)

/* exp(x) for x <= 0: it is exact in its subnormal numbers, 0 below LOWEST, and NaN for NaN. */
#define EXPONENTIAL_BELOW_ZERO(T, LOWEST)                                                                 \
    TARGET TAPEGRAD_PART_OF_LOOP T AT_LEVEL(exponential_below_zero, T)(T x)                               \
    {                                                                                                     \
        AT_LEVEL(power, T) power = AT_LEVEL(exponential, T)(x < LOWEST ? LOWEST : x, 0);                  \
        return power.fraction * power.first * power.second;                                               \
    }
EXPONENTIAL_BELOW_ZERO(float, -104)
EXPONENTIAL_BELOW_ZERO(double, -746)

#undef EXPONENTIAL
#undef EXPONENTIAL_BELOW_ZERO

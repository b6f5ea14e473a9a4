/* x to the power of y, for the loops of `elementary_loops.h`; no guard, and a part of `elementary_functions.h`.

   The logarithm of |x| is known to some 64 bits, as a number and a rest to add to it, so that its product with y, which
   may be in the hundreds, has the digits of a double. So powers that are doubles themselves, as 3**5, come out exact.
   Without a fused instruction the C library computes those of doubles. */

TARGET TAPEGRAD_PART_OF_LOOP double AT_LEVEL(log_of_float, double)(double size)
{
    AT_LEVEL(scaled, double) scaled = AT_LEVEL(scale, double)(size);
    double part = scaled.part, s = part / (2 + part), square = s * s;
    double log = part + s * MULTIPLY_ADD_double(square, SHORT_INVERSE_TANGENT_REST_double(square), -part);
    return MULTIPLY_ADD_double(scaled.power, 0.69314718055994530942, log);
}
SMALL(exp_of_product, float)(double log, double y)
{
    double z = log * y;
    AT_LEVEL(short_parts_of_exp, double) parts = AT_LEVEL(short_part_exp, double)(z < -150 ? -150 : z > 90 ? 90 : z);
    return (float)MULTIPLY_ADD_double(parts.power, parts.rest, parts.power);
}

#if FUSED
#define TWO_THIRDS 0x1.5555555555555p-1
#define TWO_THIRDS_LACKS 0x1.5555555555555p-55
TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(sum, double) AT_LEVEL(long_log, double)(double size)
{
    int small = size < 0x1p-1022;
    AT_LEVEL(scaled, double) scaled = AT_LEVEL(scale, double)(small ? size * 0x1p54 : size);
    double power = scaled.power - (small ? 54 : 0), part = scaled.part;
    /* s = part / (2 + part), and its square and cube. */
    double below = 2 + part, inverse = 1 / below, s = part * inverse;
    double s_lacks = MULTIPLY_ADD_double(-s, part - (below - 2), MULTIPLY_ADD_double(-s, below, part)) * inverse;
    double square = s * s, square_lacks = MULTIPLY_ADD_double(2 * s, s_lacks, MULTIPLY_ADD_double(s, s, -square));
    double cube = s * square, cube_lacks = MULTIPLY_ADD_double(s, square, -cube);
    /* 2 s, and the cube times 2/3 and a tail: the logarithm of 1 + part, to which that of the power of 2 is added. */
    double tail = square * INVERSE_TANGENT_TAIL_double(square), factor = TWO_THIRDS + tail;
    double factor_lacks = ((TWO_THIRDS - factor) + tail) + TWO_THIRDS_LACKS;
    double term = cube * factor, term_lacks = MULTIPLY_ADD_double(cube, factor, -term);
    double log = 2 * s + term, lacks = (2 * s - log) + term, first = power * LOG_2_FIRST;
    AT_LEVEL(sum, double) out;
    cube_lacks = MULTIPLY_ADD_double(s, square_lacks, MULTIPLY_ADD_double(s_lacks, square, cube_lacks));
    term_lacks = MULTIPLY_ADD_double(cube, factor_lacks, MULTIPLY_ADD_double(cube_lacks, factor, term_lacks));
    lacks += MULTIPLY_ADD_double(2, s_lacks, term_lacks);
    out.whole = first + log;
    out.rest = ((first - out.whole) + log) + MULTIPLY_ADD_double(power, LOG_2_REST, lacks);
    return out;
}
#undef TWO_THIRDS
#undef TWO_THIRDS_LACKS

/* exp((log + rest) y): the nearest power of 2, in two factors, of which the second alone may round or overflow, times the
   exponential of r + low. */
SMALL(exp_of_product, double)(double log, double rest, double y)
{
    double within = y > 0x1p70 ? 0x1p70 : y < -0x1p70 ? -0x1p70 : y, product = within * log;
    double lacks = MULTIPLY_ADD_double(within, rest, MULTIPLY_ADD_double(within, log, -product)), sum = product + lacks;
    double z = sum < -746 ? -746 : sum > 710 ? 710 : sum, low = z == sum ? (product - sum) + lacks : 0;
    double shifted = MULTIPLY_ADD_double(z, 1.4426950408889634074, 6755399441055744.0), k = shifted - 6755399441055744.0;
    double near = MULTIPLY_ADD_double(k, -LOG_2_FIRST, z), far = k * LOG_2_REST, first = near - far, r, fraction;
    union { double number; npy_uint64 bits; } from = {shifted}, half, other;
    npy_uint64 exponent = from.bits - (0x4338000000000000u - 2046);
    low += (near - first) - far;
    r = first + low;
    low = (first - r) + low;
    fraction = 1 + r;
    fraction += ((1 - fraction) + r) + MULTIPLY_ADD_double(r * r, EXPONENTIAL_REST_double(r), low);
    half.bits = (exponent >> 1) << 52;
    other.bits = (exponent - (exponent >> 1)) << 52;
    return fraction * half.number * other.number;
}
#endif

/* What the power of |x| is made to: 1 where x or y say so, 0 and infinities, NaN, and the sign of odd powers. */
#define SIGNED_POWER(T, FABS, COPYSIGN, TRUNC)                                                            \
    SMALL(signed_power, T)(T x, T y, T power)                                                             \
    {                                                                                                     \
        T size = FABS(x), half = y * (T)0.5;                                                              \
        int whole = TRUNC(y) == y, odd = whole & (TRUNC(half) != half);                                   \
        int zero = size == 0, infinite = size == (T)INFINITY;                                             \
        power = (zero | infinite) ? (zero == (y < 0) ? (T)INFINITY : 0) : size == 1 ? 1 : power;          \
        power = ((x < 0) & !infinite & !whole) ? (T)NAN : power;                                          \
        power = odd ? COPYSIGN(power, x) : power;                                                         \
        power = ((x != x) | (y != y)) ? (T)NAN : power;                                                   \
        return ((x == 1) | (y == 0)) ? 1 : power;                                                         \
    }
SIGNED_POWER(float, __builtin_fabsf, __builtin_copysignf, __builtin_truncf)
SIGNED_POWER(double, __builtin_fabs, __builtin_copysign, __builtin_trunc)
#undef SIGNED_POWER

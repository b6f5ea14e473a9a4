/* The functions of the loops of `elementwise.h` and `through_floats.h`; no guard. Include `elementwise_polynomials.h`
   before.

   Every function is a straight line of arithmetic and choices between two values, so that the compiler turns the
   loop around it into vectors. Sums of products are rounded once where MULTIPLY_ADD says so and nowhere else:
   an element's result then has the same bits whether it is computed in a vector or in what is left over. */

#define SMALL(name, T) TARGET TAPEGRAD_PART_OF_LOOP T AT_LEVEL(name, T)

#include "exponentials.h"

/* exp(-|x|), which never overflows. */
#define FALLING(T)                                                                                        \
    SMALL(falling, T)(T x)                                                                                \
    {                                                                                                     \
        return AT_LEVEL(exponential_below_zero, T)(x < 0 ? x : -x);                                       \
    }                                                                                                     \
    SMALL(sigmoid, T)(T x)                                                                                \
    {                                                                                                     \
        T power = AT_LEVEL(falling, T)(x);                                                                \
        return (x >= 0 ? 1 : power) / (1 + power);                                                        \
    }
FALLING(float)
FALLING(double)

SMALL(log_of_one_and, float)(float x)
{
    return MULTIPLY_ADD_float(x * x, LOGARITHM_REST_float(x), x);
}

SMALL(log_of_one_and, double)(double x)
{
    double half = x > 0.5 ? (x - 1) * 0.5 : x; /* 1 + x is 2 * (1 + half) or 1 + half */
    double s = half / (2 + half), square = s * s;
    double rest = half - s * (half - square * INVERSE_TANGENT_REST_double(square));
    return x > 0.5 ? 0.69314718055994530942 + rest : rest;
}

SMALL(erf, float)(float x)
{
    float size = __builtin_fabsf(x), far = size > 4 ? 4 : size;
    float near = MULTIPLY_ADD_float(ERF_REST_float(x * x), x, x);
    AT_LEVEL(power, float) power = AT_LEVEL(exponential, float)(-(ERFC_EXPONENT_float(far)), 0);
    float rest = 1 - power.fraction * (power.raised * LOWER_float);
    return size < 1 ? near : __builtin_copysignf(rest, x);
}

SMALL(erf, double)(double x)
{
    double size = __builtin_fabs(x), far = size > 6 ? 6 : size;
    double near = MULTIPLY_ADD_double(ERF_REST_double(x * x), x, x);
    double part = 1 / (far + 4);
    AT_LEVEL(power, double) power = AT_LEVEL(exponential, double)(-(far * far), 0);
    double rest = power.fraction * (NEAR_SCALED_ERFC_double((far - 4) * part) * part);
    rest = 1 - rest * (power.raised * LOWER_double);
    return size < 1 ? near : __builtin_copysign(rest, x);
}

/* What is lost when x * y is rounded. Without a fused instruction it is ignored for products, and computed for
   squares. */
#if FUSED
#define PRODUCT_REST(T, x, y, product) MULTIPLY_ADD_##T(x, y, -(product))
#define SQUARE_REST(T, x, square) PRODUCT_REST(T, x, x, square)
#else
#define PRODUCT_REST(T, x, y, product) 0
#define SQUARE_REST(T, x, square) AT_LEVEL(square_rest, T)(x, square)
SMALL(square_rest, float)(float x, float square)
{
    union { float number; npy_uint32 bits; } high = {x};
    float low;
    high.bits &= 0xFFFFF000u;
    low = x - high.number;
    return (high.number * high.number - square) + 2 * high.number * low + low * low;
}
SMALL(square_rest, double)(double x, double square)
{
    union { double number; npy_uint64 bits; } high = {x};
    double low;
    high.bits &= 0xFFFFFFFFF8000000u;
    low = x - high.number;
    return (high.number * high.number - square) + 2 * high.number * low + low * low;
}
#endif

/* exp(-x * x) times a polynomial of 1 - 8 * part times part, where part = 1 / (|x| + 4). Both factors come as a
   number and what it lacks. `part` is exact only for a point next to |x|; from there 1 + 56 * part**2 is near
   enough to the slope, in proportion. */
#define ERFC(T, FABS, LAST)                                                                               \
    SMALL(erfc, T)(T x)                                                                                   \
    {                                                                                                     \
        T size = FABS(x), far = size > (T)LAST ? (T)LAST : size, square = far * far;                      \
        T sum = far + 4, part = 1 / sum, lost = far - (sum - 4), place = 1 - 8 * part;                    \
        T beside = -PRODUCT_REST(T, part, sum, 1) - part * lost;                                          \
        T slope = MULTIPLY_ADD_##T(part * part, 56, 1), first = SCALED_ERFC_FIRST_##T;                    \
        T rest = SCALED_ERFC_REST_##T(place), whole = MULTIPLY_ADD_##T(rest, place, first);               \
        T whole_lacks = MULTIPLY_ADD_##T(rest, place, first - whole);                                     \
        T scaled = whole * part;                                                                          \
        T lacks = MULTIPLY_ADD_##T(whole_lacks, part, PRODUCT_REST(T, whole, part, scaled));              \
        AT_LEVEL(power, T) power = AT_LEVEL(exponential, T)(-square, -(SQUARE_REST(T, far, square)));     \
        T tail = scaled * power.fraction, tail_lacks;                                                     \
        lacks = MULTIPLY_ADD_##T(scaled * beside, slope, lacks);                                          \
        tail_lacks = MULTIPLY_ADD_##T(scaled, power.lacks, PRODUCT_REST(T, scaled, power.fraction, tail)); \
        tail = tail + MULTIPLY_ADD_##T(lacks, power.fraction, tail_lacks);                                \
        tail = tail * power.raised * LOWER_##T;                                                           \
        return x < 0 ? 2 - tail : tail;                                                                   \
    }
ERFC(float, __builtin_fabsf, 10.3)
ERFC(double, __builtin_fabs, 27.3)

/* The normal distribution below -|x|, exp(-x * x / 2), and |x| up to where both vanish. The exponent is taken
   from x and not from x / sqrt(2), whose rounding would count x * x times; the rest is less exact than in ERFC. */
typedef struct {
    float below, power;
} AT_LEVEL(normal, float);
typedef struct {
    double below, power;
} AT_LEVEL(normal, double);

/* The least of the bits is the least of the numbers; compilers make one instruction of it, where they make six of the
   choice between x and a constant. NaN becomes the last number: that x is NaN shows in what gelu adds. */
TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(normal, float) AT_LEVEL(normal_at, float)(float x, float *size)
{
    union { float number; npy_uint32 bits; } far = {x};
    AT_LEVEL(normal, float) out;
    far.bits &= 0x7FFFFFFFu;
    far.bits = far.bits < 0x41680000u ? far.bits : 0x41680000u; /* 14.5 */
    float half = far.number * -0.5f, exponent = half * far.number;
#if FUSED
    float lacks = PRODUCT_REST(float, half, far.number, exponent);
#else
    float lacks = SQUARE_REST(float, far.number, far.number * far.number) * -0.5f;
#endif
    AT_LEVEL(power, float) power = AT_LEVEL(exponential, float)(exponent, lacks);
    float share = NORMAL_ABOVE_float(far.number) / NORMAL_BELOW_float(far.number);
    out.power = power.fraction * power.raised * LOWER_float;
    out.below = share * power.fraction * power.raised; /* the share is lowered */
    *size = far.number;
    return out;
}

TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(normal, double) AT_LEVEL(normal_at, double)(double x, double *size)
{
    double far = __builtin_fabs(x) > 38.6 ? 38.6 : __builtin_fabs(x), square = far * far;
    double part = 1 / (far + 4), scaled = SCALED_NORMAL_double(1 - 8 * part);
    AT_LEVEL(power, double) power =
        AT_LEVEL(exponential, double)(square * -0.5, SQUARE_REST(double, far, square) * -0.5);
    AT_LEVEL(normal, double) out;
    out.power = power.fraction * power.raised * LOWER_double;
    out.below = scaled * part * power.fraction * power.raised * LOWER_double;
    *size = far;
    return out;
}

#undef PRODUCT_REST
#undef SQUARE_REST

/* x * y + z, rounded once at every level. Without an instruction for that, the sum in double precision is made odd where
   it was rounded, so that the second rounding goes where one alone would go. */
SMALL(fused, float)(float x, float y, float z)
{
#if FUSED
    return MULTIPLY_ADD_float(x, y, z);
#else
    union { double number; npy_int64 bits; } sum;
    double product = (double)x * y, part, lost;
    npy_int64 toward;
    sum.number = product + z;
    part = sum.number - product;
    lost = (product - (sum.number - part)) + (z - part);
    toward = (lost > 0) == (sum.number > 0) ? 1 : -1;
    sum.bits += ((lost > 0) | (lost < 0)) ? (~sum.bits & 1) * toward : 0;
    return (float)sum.number;
#endif
}

/* x cubed: in single precision the square and what it lacks are multiplied by x, and the sum is rounded once.
   Where the cube is subnormal, or almost, that second product is too, and misses some bits. From 2**43 on the cube
   overflows, and so might the second product, with the other sign. */
SMALL(cube, float)(float x)
{
    float square = x * x, lacks = AT_LEVEL(fused, float)(x, x, -square) * x;
    lacks = __builtin_fabsf(x) < 0x1p43f ? lacks : 0;
    return AT_LEVEL(fused, float)(square, x, lacks);
}
SMALL(cube, double)(double x)
{
    return x * x * x;
}

/* The square root of x * x + y * y. In double precision no square of floats overflows or vanishes. */
SMALL(hypot, float)(float x, float y)
{
    float root = (float)__builtin_sqrt((double)x * x + (double)y * y);
    int infinite = (__builtin_fabsf(x) == INFINITY) | (__builtin_fabsf(y) == INFINITY);
    return infinite ? INFINITY : root;
}

/* The slopes of x * sigmoid(x), and of x times the normal distribution at x. */
#define ACTIVATIONS(T, FABS, COPYSIGN)                                                                    \
    SMALL(silu_slope, T)(T x)                                                                             \
    {                                                                                                     \
        T share = AT_LEVEL(sigmoid, T)(x);                                                                \
        return share + x * (share * (1 - share));                                                         \
    }                                                                                                     \
    /* x * 0 is NaN for -inf, as the formula is. */                                                       \
    SMALL(gelu, T)(T x)                                                                                   \
    {                                                                                                     \
        T far, below = AT_LEVEL(normal_at, T)(x, &far).below;                                             \
        return MULTIPLY_ADD_##T(-far, below, x > 0 ? x : x * 0);                                          \
    }                                                                                                     \
    SMALL(gelu_slope, T)(T x)                                                                             \
    {                                                                                                     \
        T far;                                                                                            \
        AT_LEVEL(normal, T) normal = AT_LEVEL(normal_at, T)(x, &far);                                     \
        T above = 1 - normal.below, share = x < 0 ? normal.below : above;                                 \
        return share + x * (normal.power * (T)0.39894228040143267794);                                    \
    }                                                                                                     \
    SMALL(softsign, T)(T x)                                                                               \
    {                                                                                                     \
        T size = FABS(x), quotient = x / (1 + size);                                                      \
        return size == (T)INFINITY ? COPYSIGN((T)1, x) : quotient;                                        \
    }                                                                                                     \
    SMALL(larger, T)(T x, T y)                                                                            \
    {                                                                                                     \
        T larger = x >= y ? x : y;                                                                        \
        return x != x ? x : larger;                                                                       \
    }                                                                                                     \
    SMALL(smaller, T)(T x, T y)                                                                           \
    {                                                                                                     \
        T smaller = x <= y ? x : y;                                                                       \
        return x != x ? x : smaller;                                                                      \
    }
ACTIVATIONS(float, __builtin_fabsf, __builtin_copysignf)
ACTIVATIONS(double, __builtin_fabs, __builtin_copysign)

/* The rest of a division, with the sign of x. Where the quotient has at most 29 bits, its product with y is exact in
   double precision. A quotient that was rounded up to a whole number leaves a rest of the other sign. */
SMALL(rest, float)(float x, float y)
{
    double size = __builtin_fabs((double)x), by = __builtin_fabs((double)y);
    double rest = size - __builtin_trunc(size / by) * by;
    rest = rest < 0 ? rest + by : rest;
    rest = by == (double)INFINITY && size < (double)INFINITY ? size : rest;
    return __builtin_copysignf((float)rest, x);
}

/* That with the sign of y: `rest` is of a division by y. A rest of 0 keeps its sign. */
SMALL(floored_rest, float)(float rest, float y)
{
    return ((rest != 0) & ((rest < 0) != (y < 0))) ? rest + y : rest;
}

#undef SMALL
#undef FALLING
#undef ERFC
#undef ACTIVATIONS

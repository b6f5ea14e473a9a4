/* Exponentials, logarithms, powers, circular and hyperbolic functions and their inverses, for the loops of `elementary_loops.h`; no guard. Include
   `elementwise_polynomials.h` before.

   Every function is a straight line of arithmetic and choices between two values. Functions of floats, where that costs
   no more than PyTorch takes, are computed in double precision and rounded once.

   MULTIPLY_ADD stands wherever a product is added: with it PyTorch's time is reached, without it these functions take a
   third to a half longer. Levels that have the instruction give the same bits (decision 0330). */

#define SMALL(name, T) TARGET TAPEGRAD_PART_OF_LOOP T AT_LEVEL(name, T)
#define CHECK(name, T) TARGET TAPEGRAD_PART_OF_LOOP int AT_LEVEL(name, T)

#include "exponentials.h"

/* A number is (1 + part) * 2**power, with a part from -1/3 to 1/3. */
typedef struct {
    float part, power;
} AT_LEVEL(scaled, float);
typedef struct {
    double part, power;
    npy_uint64 exponent; /* the power and 1023, for a number from 2/3 on */
} AT_LEVEL(scaled, double);

TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(scaled, float) AT_LEVEL(scale, float)(float x)
{
    union { float number; npy_uint32 bits; } from = {x}, near;
    npy_uint32 above = from.bits - 0x3F2AAAABu; /* 2/3 */
    AT_LEVEL(scaled, float) out;
    near.bits = (above & 0x7FFFFFu) + 0x3F2AAAABu;
    out.part = near.number - 1;
    out.power = (float)((npy_int32)above >> 23);
    return out;
}
TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(scaled, double) AT_LEVEL(scale, double)(double x)
{
    union { double number; npy_uint64 bits; } from = {x}, near, power;
    npy_uint64 above = from.bits - 0x3FE5555555555555u + ((npy_uint64)1023 << 52);
    AT_LEVEL(scaled, double) out;
    near.bits = (above & 0xFFFFFFFFFFFFFu) + 0x3FE5555555555555u;
    out.exponent = above >> 52;
    power.bits = out.exponent | 0x4330000000000000u; /* 2**52 and the exponent */
    out.part = near.number - 1;
    out.power = power.number - (0x1p52 + 1023);
    return out;
}

/* The logarithm of a scaled number, as a number and a rest to add to it. The first part of log(2) is short, so that its
   product with the power is exact; what the sum with `part` loses is added with the rest, which is at most a sixth of
   `part`. `below` is what `part` lacks. */
typedef struct {
    float whole, rest;
} AT_LEVEL(sum, float);
typedef struct {
    double whole, rest;
} AT_LEVEL(sum, double);

TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(sum, float) AT_LEVEL(log_sum, float)(float part, float power, float below)
{
    float square = part * part, first = power * 0.693359375f, whole = first + part, lost = (first - whole) + part;
    float rest = MULTIPLY_ADD_float(square * part, LOGARITHM_TAIL_float(part), square * -0.5f);
    AT_LEVEL(sum, float) out = {whole, lost + MULTIPLY_ADD_float(power, -2.12194440e-4f, rest + below)};
    return out;
}

#define LOG_2_FIRST 0x1.62e42fee00000p-1
#define LOG_2_REST 0x1.a39ef35793c76p-33
TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(sum, double) AT_LEVEL(log_sum, double)(double part, double power, double below)
{
    double s = part / (2 + part), square = s * s;
    double first = power * LOG_2_FIRST, whole = first + part, lost = (first - whole) + part;
    double rest = MULTIPLY_ADD_double(square, INVERSE_TANGENT_REST_double(square), -part);
    AT_LEVEL(sum, double) out = {
        whole, lost + MULTIPLY_ADD_double(power, LOG_2_REST, MULTIPLY_ADD_double(s, rest, below))};
    return out;
}
#define SCALED_LOG(T)                                                                                     \
    SMALL(scaled_log, T)(T part, T power, T below)                                                        \
    {                                                                                                     \
        AT_LEVEL(sum, T) sum = AT_LEVEL(log_sum, T)(part, power, below);                                  \
        return sum.whole + sum.rest;                                                                      \
    }
SCALED_LOG(float)
SCALED_LOG(double)

/* log(x). `ordinary_log` is the same for normal numbers above 0. */
CHECK(has_ordinary_log, float)(float x)
{
    return (x >= 0x1p-126f) & (x < INFINITY);
}
CHECK(has_ordinary_log, double)(double x)
{
    return (x >= 0x1p-1022) & (x < (double)INFINITY);
}
SMALL(ordinary_log, float)(float x)
{
    AT_LEVEL(scaled, float) scaled = AT_LEVEL(scale, float)(x);
    return AT_LEVEL(scaled_log, float)(scaled.part, scaled.power, 0);
}
SMALL(ordinary_log, double)(double x)
{
    AT_LEVEL(scaled, double) scaled = AT_LEVEL(scale, double)(x);
    return AT_LEVEL(scaled_log, double)(scaled.part, scaled.power, 0);
}
#define LOG(T, LEAST, RAISED, STEPS)                                                                      \
    SMALL(log, T)(T x)                                                                                    \
    {                                                                                                     \
        int small = x < (T)LEAST;                                                                         \
        AT_LEVEL(scaled, T) scaled = AT_LEVEL(scale, T)(small ? x * (T)RAISED : x);                       \
        T out = AT_LEVEL(scaled_log, T)(scaled.part, scaled.power - (small ? STEPS : 0), 0);              \
        out = x > 0 ? out : x == 0 ? -(T)INFINITY : (T)NAN;                                               \
        return x < (T)INFINITY ? out : x; /* NaN is not below */                                          \
    }
LOG(float, 0x1p-126f, 0x1p25f, 25)
LOG(double, 0x1p-1022, 0x1p54, 54)

/* The logarithm of 1 + x. The sum is rounded, and what it lacks is taken as a part of itself: 1 - part, for floats with the
   square of `part`, is near enough to 1 / (1 + part), because what is lacking is next to nothing unless `part` is, too. */
SMALL(log1p, double)(double x)
{
    double sum = 1 + x, of_x = sum - 1, lacks = (1 - (sum - of_x)) + (x - of_x), out;
    AT_LEVEL(scaled, double) scaled = AT_LEVEL(scale, double)(sum);
    union { npy_uint64 bits; double number; } inverse = {(2046 - scaled.exponent) << 52};
    lacks = x < 0x1p60 ? lacks * inverse.number : 0;
    out = AT_LEVEL(scaled_log, double)(scaled.part, scaled.power, lacks * (1 - scaled.part));
    out = x > -1 ? out : x == -1 ? -(double)INFINITY : (double)NAN;
    out = x == 0 ? x : out; /* -0 stays */
    return x < (double)INFINITY ? out : x;
}
SMALL(log1p, float)(float x)
{
    union { float number; npy_uint32 bits; } sum = {1 + x}, inverse;
    float of_x = sum.number - 1, lacks = (1 - (sum.number - of_x)) + (x - of_x), out;
    AT_LEVEL(scaled, float) scaled = AT_LEVEL(scale, float)(sum.number);
    inverse.bits = 0x3F800000u - ((sum.bits - 0x3F2AAAABu) & 0xFF800000u); /* of the power of 2 */
    lacks = x < 0x1p60f ? lacks * inverse.number : 0;
    lacks *= MULTIPLY_ADD_float(scaled.part, scaled.part - 1, 1);
    out = AT_LEVEL(scaled_log, float)(scaled.part, scaled.power, lacks);
    out = x > -1 ? out : x == -1 ? -INFINITY : NAN;
    out = x == 0 ? x : out; /* -0 stays */
    return x < INFINITY ? out : x;
}
/* The logarithm of 1 + x, for x from 0 on, to as many digits as a float needs. */
SMALL(short_log1p, double)(double x)
{
    int small = x < 0.25;
    AT_LEVEL(scaled, double) scaled = AT_LEVEL(scale, double)(1 + x);
    double part = small ? x : scaled.part, power = small ? 0 : scaled.power, s = part / (2 + part), square = s * s;
    double rest = s * MULTIPLY_ADD_double(square, SHORT_INVERSE_TANGENT_REST_double(square), -part);
    return MULTIPLY_ADD_double(power, 0.69314718055994530942, part + rest);
}

/* Half the logarithm of (1 + x) / (1 - x); near zero the fit itself. */
SMALL(atanh, double)(double x)
{
    double size = __builtin_fabs(x), square = x * x;
    double near = MULTIPLY_ADD_double(size * square, INVERSE_TANGENT_REST_double(square) * 0.5, size);
    double far = 0.5 * AT_LEVEL(log1p, double)(2 * size / (1 - size));
    far = size < 1 ? far : size == 1 ? (double)INFINITY : (double)NAN;
    return __builtin_copysign(size < 0.2 ? near : far, x);
}
/* Of floats, with one quotient: the power of two that is next to (1 + x) / (1 - x) comes from the difference of their
   bits, which is their logarithm but for a twelfth of a power. What is left lies between 2/3 and 3/2. */
SMALL(atanh_of_float, double)(double x)
{
    double size = __builtin_fabs(x), below = 1 - size, s, square, out;
    union { double number; npy_uint64 bits; } above = {1 + size}, by = {below}, power;
    npy_uint64 exponent = (above.bits - by.bits + ((npy_uint64)1 << 51)) >> 52;
    power.bits = exponent | 0x4330000000000000u; /* 2**52 and the exponent */
    above.bits -= exponent << 52;
    s = (size < 0.125 ? 2 * size : above.number - below) / (above.number + below);
    square = s * s;
    out = MULTIPLY_ADD_double(s * square, SHORT_INVERSE_TANGENT_REST_double(square) * 0.5, s);
    out = MULTIPLY_ADD_double(power.number - 0x1p52, 0.34657359027997265471, out);
    out = size < 1 ? out : size == 1 ? (double)INFINITY : (double)NAN;
    return __builtin_copysign(out, x);
}

/* log(|x| + sqrt(x**2 + 1)) of floats, whose squares are numbers in double precision. */
SMALL(asinh_of_float, double)(double x)
{
    double size = __builtin_fabs(x), square = x * x;
    double out = AT_LEVEL(short_log1p, double)(size + square / (1 + sqrt(square + 1)));
    return __builtin_copysign(size < (double)INFINITY ? out : size, x);
}

/* log(x + sqrt(x**2 - 1)) of floats. */
SMALL(acosh_of_float, double)(double x)
{
    double more = x - 1, out = AT_LEVEL(short_log1p, double)(more + sqrt(more * (x + 1)));
    return x >= 1 ? x < (double)INFINITY ? out : x : (double)NAN;
}

/* number - root * root, for a root that is next to the number's. */
#define SQUARE_LACKS_double(root, number) MULTIPLY_ADD_double(-(root), root, number)
#if FUSED
#define SQUARE_LACKS_float(root, number) MULTIPLY_ADD_float(-(root), root, number)
#else
#define SQUARE_LACKS_float(root, number) ((float)((number) - (double)(root) * (root)))
#endif

/* The inverse of erf: x times sqrt(pi) / 2 and a rest; from 3/4 on, or 11/16, the root of -log(1 - |x|), which has a rest too, less
   about a third. */
#define ROOT_OF_LOG(T, SQRT)                                                                              \
    TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(sum, T) AT_LEVEL(root_of_log, T)(T size)                        \
    {                                                                                                     \
        AT_LEVEL(scaled, T) scaled = AT_LEVEL(scale, T)(1 - size);                                        \
        AT_LEVEL(sum, T) log = AT_LEVEL(log_sum, T)(scaled.part, scaled.power, 0), out;                   \
        T less = log.whole + log.rest;                                                                    \
        out.whole = SQRT(-less);                                                                          \
        out.rest = (SQUARE_LACKS_##T(out.whole, -less) - ((log.whole - less) + log.rest)) * ((T)0.5 / out.whole); \
        return out;                                                                                       \
    }
ROOT_OF_LOG(float, sqrtf)
ROOT_OF_LOG(double, sqrt)
SMALL(erfinv, float)(float x, float root, float lacks)
{
    float size = __builtin_fabsf(x), square = x * x, far = root - 0.34375f;
    float near = MULTIPLY_ADD_float(square, INVERSE_ERF_REST_float(square), -2.662320020e-08f);
    near = MULTIPLY_ADD_float(size, 0.88622692545f, size * near);
    far = far + (((root - far) - 0.34375f) + (INVERSE_ERF_BESIDE_float(root - 2.625f) + lacks));
    near = __builtin_copysignf(size < 0.6875f ? near : size < 1 ? far : INFINITY, x);
    return size <= 1 ? near : NAN;
}
SMALL(erfinv, double)(double x, double root, double lacks)
{
    double size = __builtin_fabs(x), square = x * x, far = root - 0.359375;
    double near = MULTIPLY_ADD_double(square, INVERSE_ERF_REST_double(square), -0x1.618f13eb7ca89p-55);
    near = MULTIPLY_ADD_double(size, 0.88622692545275801365, size * near);
    lacks -= INVERSE_ERF_ABOVE_double(root) / INVERSE_ERF_BELOW_double(root);
    far = far + (((root - far) - 0.359375) + lacks);
    near = __builtin_copysign(size < 0.75 ? near : size < 1 ? far : (double)INFINITY, x);
    return size <= 1 ? near : (double)NAN;
}

/* exp(x) is 4 * quarter * (1 + r + tail) for x from -745 to 710.5, and a tail of less than r * r. A quarter: else the
   power of two could overflow before the result does. */
typedef struct {
    double quarter, r, tail;
} AT_LEVEL(parts_of_exp, double);
TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(parts_of_exp, double) AT_LEVEL(part_exp, double)(double x)
{
    double shifted = MULTIPLY_ADD_double(x, 1.4426950408889634074, 6755399441055744.0), k = shifted - 6755399441055744.0;
    double near = MULTIPLY_ADD_double(k, -LOG_2_FIRST, x), far = k * LOG_2_REST, r = near - far, lost = (near - r) - far;
    union { double number; npy_uint64 bits; } from = {shifted}, power;
    AT_LEVEL(parts_of_exp, double) out;
    power.bits = (from.bits - (0x4338000000000000u - 1023 + 2)) << 52;
    out.quarter = power.number;
    out.r = r;
    out.tail = MULTIPLY_ADD_double(r * r, EXPONENTIAL_REST_double(r), lost);
    return out;
}

/* (exp(x) - 1) / 4. What the sum of the two largest parts loses is added with the tail. */
SMALL(quarter_of_expm1, double)(AT_LEVEL(parts_of_exp, double) parts)
{
    double scaled = parts.quarter * parts.r, less = parts.quarter - 0.25, whole = scaled + less;
    return whole + MULTIPLY_ADD_double(parts.quarter, parts.tail, scaled - (whole - less));
}
/* Those of floats, from -150 to 90: exp(x) is power * (1 + rest). */
typedef struct {
    double power, rest;
} AT_LEVEL(short_parts_of_exp, double);
TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(short_parts_of_exp, double) AT_LEVEL(short_part_exp, double)(double x)
{
    double shifted = MULTIPLY_ADD_double(x, 1.4426950408889634074, 6755399441055744.0);
    double k = shifted - 6755399441055744.0, r = MULTIPLY_ADD_double(k, -0.69314718055994530942, x);
    union { double number; npy_uint64 bits; } from = {shifted}, power;
    AT_LEVEL(short_parts_of_exp, double) out;
    power.bits = (from.bits - (0x4338000000000000u - 1023)) << 52;
    out.power = power.number;
    out.rest = MULTIPLY_ADD_double(r * r, SHORT_EXPONENTIAL_REST_double(r), r);
    return out;
}
SMALL(short_expm1, double)(double x)
{
    AT_LEVEL(short_parts_of_exp, double) parts = AT_LEVEL(short_part_exp, double)(x);
    return MULTIPLY_ADD_double(parts.power, parts.rest, parts.power - 1);
}

SMALL(expm1_of_float, double)(double x)
{
    double out = AT_LEVEL(short_expm1, double)(x < -104 ? -104 : x > 90 ? 90 : x);
    return x == 0 ? x : out; /* -0 stays */
}
SMALL(expm1, double)(double x)
{
    double within = x < -60 ? -60 : x > 710 ? 710 : x;
    double quarter = AT_LEVEL(quarter_of_expm1, double)(AT_LEVEL(part_exp, double)(within));
    return __builtin_fabs(x) < 0x1p-54 ? x : 4 * quarter;
}

/* With p = exp(-2 |x|), which never overflows, 1 less 2 p / (1 + p); near zero the fit itself. */
SMALL(tanh, double)(double x)
{
    double size = __builtin_fabs(x), square = x * x;
    double near = MULTIPLY_ADD_double(size * square, TANH_REST_double(square), size);
    AT_LEVEL(parts_of_exp, double) parts = AT_LEVEL(part_exp, double)(size > 30 ? -60 : -2 * size);
    double power = 4 * MULTIPLY_ADD_double(parts.quarter, parts.r + parts.tail, parts.quarter);
    return __builtin_copysign(size < 0.55 ? near : 1 - 2 * power / (1 + power), x);
}
/* In single precision, (1 - p) / (1 + p) with what the quotient lacks: of the remainder (1 - y - p) - y p all but the last
   product is exact, and 1 / (1 + p) is (1 + y) / 2. Where x is NaN so is `near`. */
SMALL(power_of_tanh, float)(float x)
{
    float size = __builtin_fabsf(x);
    return AT_LEVEL(ordinary_exp, float)(-2 * (size > 10 ? 10 : size));
}
SMALL(tanh_of, float)(float x, float p)
{
    float size = __builtin_fabsf(x), square = x * x, y = (1 - p) / (1 + p);
    float near = MULTIPLY_ADD_float(size * square, TANH_REST_float(square), size);
    float far = MULTIPLY_ADD_float(MULTIPLY_ADD_float(-y, p, (1 - y) - p), MULTIPLY_ADD_float(0.5f, y, 0.5f), y);
    return __builtin_copysignf(size >= 0.55f ? far : near, x);
}

/* With h = (exp(|x|) - 1) / 2, which overflows where the results do. */
SMALL(half_of_expm1, double)(double size)
{
    return 2 * AT_LEVEL(quarter_of_expm1, double)(AT_LEVEL(part_exp, double)(size > 710.5 ? 710.5 : size));
}
SMALL(sinh, double)(double x)
{
    double size = __builtin_fabs(x), square = x * x, h = AT_LEVEL(half_of_expm1, double)(size);
    double near = MULTIPLY_ADD_double(size * square, SINH_REST_double(square), size);
    return __builtin_copysign(size < 1 ? near : h + (0.5 - 0.5 / (2 * h + 1)), x);
}
SMALL(cosh, double)(double x)
{
    double power = AT_LEVEL(half_of_expm1, double)(__builtin_fabs(x)) + 0.5;
    return power + 0.25 / power;
}
SMALL(sinh_of_float, double)(double x)
{
    double size = __builtin_fabs(x), e = AT_LEVEL(short_expm1, double)(size > 90 ? 90 : size);
    return __builtin_copysign(0.5 * (e + e / (e + 1)), x);
}
SMALL(cosh_of_float, double)(double x)
{
    double size = __builtin_fabs(x), power = AT_LEVEL(short_expm1, double)(size > 90 ? 90 : size) + 1;
    return 0.5 * (power + 1 / power);
}

/* A number up to FAR is `quadrant` quarter turns, r and `low`, which is what r lacks. Adding 1.5 * 2**52 leaves
   x / (pi / 2), rounded to a whole number k, in the last bits of the sum. The first two parts of pi / 2 are short, so that
   k times them is exact: the rest and what it lacks are good to many more bits than a double has, however near x is to a
   multiple of pi / 2. */
#define FAR 0x1p20
typedef struct {
    double r, low;
    npy_uint64 quadrant; /* in the last bits */
} AT_LEVEL(turned, double);
TARGET TAPEGRAD_PART_OF_LOOP AT_LEVEL(turned, double) AT_LEVEL(turn, double)(double x)
{
    double shifted = MULTIPLY_ADD_double(x, 0.63661977236758134308, 6755399441055744.0);
    double k = shifted - 6755399441055744.0, first = MULTIPLY_ADD_double(k, -0x1.921fb54400000p+0, x), second = k * 0x1.0b4611a600000p-34;
    double near = first - second, rest = MULTIPLY_ADD_double(k, -0x1.3198a2e037073p-69, (first - near) - second);
    union { double number; npy_uint64 bits; } quarters = {shifted};
    AT_LEVEL(turned, double) out;
    out.r = near + rest;
    out.low = (near - out.r) + rest;
    out.quadrant = quarters.bits;
    return out;
}
SMALL(sine, double)(double x, npy_uint64 quarter)
{
    AT_LEVEL(turned, double) turned = AT_LEVEL(turn, double)(x);
    double r = turned.r, square = r * r, half = square * 0.5, whole = 1 - half, lost = (1 - whole) - half;
    double sine = r + MULTIPLY_ADD_double(r * square, SINE_REST_double(square), turned.low);
    double cosine = MULTIPLY_ADD_double(square * square, COSINE_REST_double(square), -(r * turned.low));
    cosine = whole + (lost + cosine);
    union { double number; npy_uint64 bits; } out;
    turned.quadrant += quarter;
    sine = x == 0 ? x : sine; /* -0 stays */
    out.number = turned.quadrant & 1 ? cosine : sine;
    out.bits ^= (turned.quadrant & 2) << 62;
    return out.number;
}

SMALL(sin, double)(double x)
{
    return AT_LEVEL(sine, double)(x, 0);
}
SMALL(cos, double)(double x)
{
    return AT_LEVEL(sine, double)(x, 1);
}

/* Those of floats: the sine of what half turns leave. For the cosine their number is k and a half. */
SMALL(sine_of_float, double)(double x, double half)
{
    double shifted = MULTIPLY_ADD_double(x, 0.31830988618379067154, -half) + 6755399441055744.0;
    double k = (shifted - 6755399441055744.0) + half;
    double r = MULTIPLY_ADD_double(k, -0x1.0b4611a626331p-33, MULTIPLY_ADD_double(k, -0x1.921fb54400000p+1, x));
    double square = r * r;
    union { double number; npy_uint64 bits; } half_turns = {shifted}, out;
    out.number = r * MULTIPLY_ADD_double(square, HALF_TURN_SINE_REST_double(square), 1);
    out.bits ^= (half_turns.bits + (half != 0)) << 63;
    return out.number;
}

SMALL(sin_of_float, double)(double x)
{
    return AT_LEVEL(sine_of_float, double)(x, 0);
}
SMALL(cos_of_float, double)(double x)
{
    return AT_LEVEL(sine_of_float, double)(x, 0.5);
}

/* The tangent has a period of half a turn, and is -1 over that of a quarter turn less. */
SMALL(tan, double)(double x)
{
    AT_LEVEL(turned, double) turned = AT_LEVEL(turn, double)(x);
    double r = turned.r, square = r * r;
    double low = MULTIPLY_ADD_double(turned.low, square, turned.low);
    double near = r + MULTIPLY_ADD_double(r * square, CIRCULAR_TANGENT_REST_double(square), low);
    near = x == 0 ? x : near; /* -0 stays */
    return turned.quadrant & 1 ? -1 / near : near;
}
SMALL(tan_of_float, double)(double x)
{
    double shifted = MULTIPLY_ADD_double(x, 0.63661977236758134308, 6755399441055744.0), k = shifted - 6755399441055744.0;
    double r = MULTIPLY_ADD_double(k, -0x1.0b4611a626331p-34, MULTIPLY_ADD_double(k, -0x1.921fb54400000p+0, x));
    double square = r * r;
    double near = r * MULTIPLY_ADD_double(square, SHORT_CIRCULAR_TANGENT_REST_double(square), 1);
    union { double number; npy_uint64 bits; } quarters = {shifted};
    return quarters.bits & 1 ? -1 / near : near;
}

/* The angle whose tangent is above / below, both of them positive: less a quarter of a half turn where that leaves a
   smaller tangent, so that the fit has to reach tan(pi / 8) only. */
#define EIGHTH 0.41421356237309504880
SMALL(angle, double)(double above, double below)
{
    int small = above <= EIGHTH * below, large = EIGHTH * above > below;
    double t = (small ? above : large ? -below : above - below) / (small ? below : large ? above : above + below);
    double square = t * t, angle = small ? 0 : large ? 0x1.921fb54442d18p+0 : 0x1.921fb54442d18p-1;
    double lacks = small ? 0 : large ? 0x1.1a62633145c07p-54 : 0x1.1a62633145c07p-55;
    return angle + (t + MULTIPLY_ADD_double(t * square, TANGENT_REST_double(square), lacks));
}
SMALL(angle_of_floats, double)(double above, double below)
{
    int small = above <= EIGHTH * below, large = EIGHTH * above > below;
    double t = (small ? above : large ? -below : above - below) / (small ? below : large ? above : above + below);
    double square = t * t, angle = small ? 0 : large ? 1.57079632679489661923 : 0.78539816339744830962;
    return angle + MULTIPLY_ADD_double(t * square, SHORT_TANGENT_REST_double(square), t);
}
SMALL(atan, double)(double x)
{
    return __builtin_copysign(AT_LEVEL(angle, double)(__builtin_fabs(x), 1), x);
}
SMALL(atan_of_float, double)(double x)
{
    return __builtin_copysign(AT_LEVEL(angle_of_floats, double)(__builtin_fabs(x), 1), x);
}

/* Both numbers are brought to where neither their sum overflows nor a product with EIGHTH is subnormal. */
SMALL(atan2, double)(double y, double x)
{
    double above = __builtin_fabs(y), below = __builtin_fabs(x), larger = above > below ? above : below, angle;
    double scale = larger > 0x1p900 ? 0x1p-100 : larger < 0x1p-900 ? 0x1p100 : 1;
    int equal = above == below; /* also where both are 0 or infinite */
    above = equal ? 1 : above * scale;
    below = equal ? 1 : below * scale;
    angle = AT_LEVEL(angle, double)(above, below);
    angle = ((y == 0) & (x == 0)) ? 0 : angle;
    angle = __builtin_copysign(1, x) < 0 ? 0x1.921fb54442d18p+1 - (angle - 0x1.1a62633145c07p-53) : angle;
    return __builtin_copysign(angle, y);
}

/* Of two floats. Infinities are 2**1000: a float beside one is nothing, and two make half a right angle. */
SMALL(atan2_of_floats, double)(double y, double x)
{
    double above = __builtin_fabs(y), below = __builtin_fabs(x), angle;
    above = above > 0x1p1000 ? 0x1p1000 : above;
    below = below > 0x1p1000 ? 0x1p1000 : below;
    below = ((above == 0) & (below == 0)) ? 1 : below;
    angle = AT_LEVEL(angle_of_floats, double)(above, below);
    angle = __builtin_copysign(1, x) < 0 ? 3.14159265358979323846 - angle : angle;
    return __builtin_copysign(angle, y);
}

/* asin(|x|) up to a half, and what it lacks of a quarter turn from there on: twice the arcsine of sqrt((1 - |x|) / 2). */
SMALL(asin, double)(double x)
{
    double size = __builtin_fabs(x), square = size > 0.5 ? (1 - size) * 0.5 : size * size;
    double root = size > 0.5 ? sqrt(square) : size, more = root * (square * ARCSINE_REST_double(square));
    double far = 0x1.921fb54442d18p+0 - (2 * root - (0x1.1a62633145c07p-54 - 2 * more));
    return __builtin_copysign(size > 0.5 ? far : root + more, x);
}
SMALL(acos, double)(double x)
{
    double size = __builtin_fabs(x), square = size > 0.5 ? (1 - size) * 0.5 : size * size;
    double root = size > 0.5 ? sqrt(square) : x, more = root * (square * ARCSINE_REST_double(square));
    double twice = 2 * (root + more), far = x > 0 ? twice : 0x1.921fb54442d18p+1 - (twice - 0x1.1a62633145c07p-53);
    double near = 0x1.921fb54442d18p+0 - (root - (0x1.1a62633145c07p-54 - more));
    return size > 0.5 ? far : near;
}
SMALL(asin_of_float, double)(double x)
{
    double size = __builtin_fabs(x), square = size > 0.5 ? (1 - size) * 0.5 : size * size;
    double root = size > 0.5 ? sqrt(square) : size;
    double near = MULTIPLY_ADD_double(root * square, SHORT_ARCSINE_REST_double(square), root);
    return __builtin_copysign(size > 0.5 ? 1.57079632679489661923 - 2 * near : near, x);
}
SMALL(acos_of_float, double)(double x)
{
    double size = __builtin_fabs(x), square = size > 0.5 ? (1 - size) * 0.5 : size * size;
    double root = size > 0.5 ? sqrt(square) : x;
    double near = MULTIPLY_ADD_double(root * square, SHORT_ARCSINE_REST_double(square), root);
    double far = x > 0 ? 2 * near : 3.14159265358979323846 - 2 * near;
    return size > 0.5 ? far : 1.57079632679489661923 - near;
}

#include "power_functions.h"

#undef SMALL
#undef CHECK
#undef SQUARE_LACKS_float
#undef SQUARE_LACKS_double
#undef ROOT_OF_LOG
#undef LOG_2_FIRST
#undef LOG_2_REST
#undef LOG
#undef SCALED_LOG
#undef EIGHTH

/* The logarithm of the gamma function and its first two derivatives, of floats, computed in double precision, and the
   second of doubles: KERNELS of `each_level.h`; no guard. Include after `elementwise_loops.h`.

   From 0.5 on, eight steps of the recurrence lead to z = x + 8 where x is below 8, and Stirling's series gives the rest:
   its error there is below 1e-15. Below 0.5 the reflection formulas lead back. Zeros of the functions are crossed with
   that absolute error, which is small beside the distance of floats. */

#define SMALL(name) TARGET TAPEGRAD_PART_OF_LOOP double TAPEGRAD_JOIN2(name, LEVEL)
#define AT(name) TAPEGRAD_JOIN2(name, LEVEL)
#define PI 3.14159265358979323846

/* The logarithm of a normal number above 0. */
SMALL(gamma_log)(double x)
{
    union { double number; npy_uint64 bits; } whole = {x}, part, exponent;
    double s, square, power;
    int large;
    part.bits = (whole.bits & 0xFFFFFFFFFFFFFu) | 0x3FF0000000000000u;
    exponent.bits = (whole.bits >> 52) | 0x4330000000000000u;
    large = part.number > 1.4142135623730951;
    power = exponent.number - (4503599627370496.0 + 1023) + (large ? 1 : 0);
    part.number = large ? part.number * 0.5 : part.number;
    s = (part.number - 1) / (part.number + 1);
    square = s * s;
    return power * 0.69314718055994530942 + s * (2 + square * INVERSE_TANGENT_REST_double(square));
}

/* sin(pi r) and cos(pi r) for r from -0.5 to 0.5. */
SMALL(gamma_sine)(double r)
{
    double y = PI * r, z = -y * y, out = 1.0 / 121645100408832000;
    out = out * z + 1.0 / 355687428096000;
    out = out * z + 1.0 / 1307674368000;
    out = out * z + 1.0 / 6227020800;
    out = out * z + 1.0 / 39916800;
    out = out * z + 1.0 / 362880;
    out = out * z + 1.0 / 5040;
    out = out * z + 1.0 / 120;
    out = out * z + 1.0 / 6;
    return y * (1 + out * z);
}
SMALL(gamma_cosine)(double r)
{
    double size = r < 0 ? -r : r;
    return AT(gamma_sine)(0.5 - size);
}

/* x to the nearest whole number, which it leaves out; x is not above 0.5 in size times 2**51. */
SMALL(gamma_fraction)(double x)
{
    double whole = (x + 6755399441055744.0) - 6755399441055744.0;
    return x - whole;
}

/* The numerator and the denominator of the sum of 1 / (x + k), k from 0 to 7; the latter is their product. */
#define EIGHT_STEPS(x, sum, product)                                                                      \
    double product = x, sum = 1;                                                                          \
    for (int k = 1; k < 8; k++) {                                                                         \
        sum = sum * (x + k) + product;                                                                    \
        product = product * (x + k);                                                                      \
    }

SMALL(gamma_log_above)(double x)
{
    double near = x < 8 ? x : 1, z = x < 8 ? x + 8 : x, inverse = 1 / z, square = inverse * inverse, series;
    EIGHT_STEPS(near, sum, product)
    (void)sum;
    series = 1.0 / 156;
    series = series * square - 691.0 / 360360;
    series = series * square + 1.0 / 1188;
    series = series * square - 1.0 / 1680;
    series = series * square + 1.0 / 1260;
    series = series * square - 1.0 / 360;
    series = series * square + 1.0 / 12;
    series = (z - 0.5) * AT(gamma_log)(z) - z + 0.91893853320467274178 + series * inverse;
    return series - (x < 8 ? AT(gamma_log)(product) : 0);
}

SMALL(digamma_above)(double x)
{
    double near = x < 8 ? x : 1, z = x < 8 ? x + 8 : x, inverse = 1 / z, square = inverse * inverse, series;
    EIGHT_STEPS(near, sum, product)
    series = 1.0 / 12;
    series = series * square - 691.0 / 32760;
    series = series * square + 1.0 / 132;
    series = series * square - 1.0 / 240;
    series = series * square + 1.0 / 252;
    series = series * square - 1.0 / 120;
    series = series * square + 1.0 / 12;
    return AT(gamma_log)(z) - 0.5 * inverse - series * square - (x < 8 ? sum / product : 0);
}

SMALL(trigamma_above)(double x)
{
    double z = x < 8 ? x + 8 : x, inverse = 1 / z, square = inverse * inverse, series, steps = 0;
    for (int k = 0; k < 8; k++)
        steps += 1 / ((x + k) * (x + k));
    series = 7.0 / 6;
    series = series * square - 691.0 / 2730;
    series = series * square + 5.0 / 66;
    series = series * square - 1.0 / 30;
    series = series * square + 1.0 / 42;
    series = series * square - 1.0 / 30;
    series = series * square + 1.0 / 6;
    return inverse + 0.5 * square + series * square * inverse + (x < 8 ? steps : 0);
}

/* Floats from 2**23 down are whole numbers, and stand for -2**23 below. */
#define LEFT(x) ((x) < -8388608 ? -8388608.0 : (x))

SMALL(lgamma_of_float)(float number)
{
    double x = number, left = LEFT(x), r = AT(gamma_fraction)(left < 0.5 ? left : 0.25);
    double sine = AT(gamma_sine)(r), size = sine < 0 ? -sine : sine;
    double above = AT(gamma_log_above)(x < 0.5 ? 1 - left : x);
    double out = x < 0.5 ? 1.1447298858494001741 - AT(gamma_log)(size > 0 ? size : 1) - above : above;
    out = x < 0.5 && size == 0 ? INFINITY : out;
    out = x == INFINITY ? INFINITY : out;
    out = x == 1 || x == 2 ? 0 : out;
    return x != x ? x : out;
}

SMALL(digamma_of_float)(float number)
{
    double x = number, left = LEFT(x), r = AT(gamma_fraction)(left < 0.5 ? left : 0.25);
    double sine = AT(gamma_sine)(r), above = AT(digamma_above)(x < 0.5 ? 1 - left : x);
    double out = x < 0.5 ? above - PI * AT(gamma_cosine)(r) / sine : above;
    out = r == 0 ? (x < 0 ? NAN : -1 / x) : out; /* no `&&`: gcc 12 would make no vectors of it */
    out = x == INFINITY ? INFINITY : out;
    return x != x ? x : out;
}

SMALL(trigamma_of_float)(float number)
{
    double x = number, left = LEFT(x), r = AT(gamma_fraction)(left < 0.5 ? left : 0.25);
    double sine = AT(gamma_sine)(r), above = AT(trigamma_above)(x < 0.5 ? 1 - left : x);
    double out = x < 0.5 ? PI * PI / (sine * sine) - above : above;
    out = r == 0 ? INFINITY : out;
    out = x == INFINITY ? 0 : out;
    return x != x ? x : out;
}

/* Of doubles, to some units in the last place. From -2**51 down all are taken for whole numbers. */
SMALL(trigamma)(double x)
{
    double left = x < -0x1p51 ? -0x1p51 : x > 0 ? 0.5 : x, r = AT(gamma_fraction)(left), sine = AT(gamma_sine)(r);
    double from = x < 0 ? 1 - left : x, z = from < 8 ? from + 8 : from, inverse = 1 / z, square = inverse * inverse;
    double series = -236364091.0 / 2730, out;
    series = series * square + 854513.0 / 138;
    series = series * square - 174611.0 / 330;
    series = series * square + 43867.0 / 798;
    series = series * square - 3617.0 / 510;
    series = series * square + 7.0 / 6;
    series = series * square - 691.0 / 2730;
    series = series * square + 5.0 / 66;
    series = series * square - 1.0 / 30;
    series = series * square + 1.0 / 42;
    series = series * square - 1.0 / 30;
    series = series * square + 1.0 / 6;
    out = inverse + square * (0.5 + series * inverse);
    for (int k = 7; k >= 0; k--)
        out += from < 8 ? 1 / ((from + k) * (from + k)) : 0;
    out = x < 0 ? PI * PI / (sine * sine) - out : out;
    out = r == 0 ? INFINITY : out;
    out = x == INFINITY ? 0 : out;
    return x != x ? x : out;
}

#define LOOP(name)                                                                                        \
    TARGET static void AT(name##_loop)(const void *from, void *to, npy_intp n)                            \
    {                                                                                                     \
        const float *in = from;                                                                           \
        float *out = to;                                                                                  \
        TAPEGRAD_INDEPENDENT                                                                              \
        for (npy_intp i = 0; i < n; i++)                                                                  \
            out[i] = (float)AT(name)(in[i]);                                                              \
    }
LOOP(lgamma_of_float)
LOOP(digamma_of_float)
LOOP(trigamma_of_float)
TARGET static void AT(trigamma_loop)(const void *from, void *to, npy_intp n)
{
    const double *in = from;
    double *out = to;
    TAPEGRAD_INDEPENDENT
    for (npy_intp i = 0; i < n; i++)
        out[i] = AT(trigamma)(in[i]);
}

static const tapegrad_gammas AT_LEVEL(tapegrad_gammas, float) = {
    {AT(lgamma_of_float_loop)}, {AT(digamma_of_float_loop)}, {AT(trigamma_of_float_loop)}, {AT(trigamma_loop)}};

#undef SMALL
#undef AT
#undef PI
#undef EIGHT_STEPS
#undef LEFT
#undef LOOP

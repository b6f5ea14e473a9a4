/* Numbers of about 106 bits: a double and the small rest that it lacks. For the few arguments where the value of a
   function is a small difference of large numbers. KERNELS of `each_level.h`; no guard. */

#define PAIR AT_LEVEL(pair, double)
#define AT(name) TAPEGRAD_JOIN2(name, LEVEL)
#define PAIR_FUNCTION(name) TARGET static PAIR AT(name)
#define PAIR_INLINE(name) TARGET TAPEGRAD_PART_OF_LOOP PAIR AT(name)

typedef struct {
    double high, low;
} PAIR;

/* a + b, where a is the larger in size, or 0. */
PAIR_INLINE(quick_sum)(double a, double b)
{
    PAIR out;
    out.high = a + b;
    out.low = b - (out.high - a);
    return out;
}

PAIR_INLINE(sum)(double a, double b)
{
    PAIR out;
    double b_part;
    out.high = a + b;
    b_part = out.high - a;
    out.low = (a - (out.high - b_part)) + (b - b_part);
    return out;
}

#if !FUSED
/* A number rounded to 26 of its 53 bits; what is left has no more. The way by arithmetic multiplies the number, which may
   overflow. The largest numbers would round to infinity, and are cut off. */
TARGET TAPEGRAD_PART_OF_LOOP double AT(upper_half)(double a)
{
    union { double number; npy_uint64 bits; } from = {a}, rounded;
    rounded.bits = from.bits + 0x4000000u;
    if ((rounded.bits >> 52 & 2047) == 2047)
        rounded = from;
    rounded.bits &= ~(npy_uint64)0x7FFFFFFu;
    return rounded.number;
}
#endif

PAIR_INLINE(product)(double a, double b)
{
    PAIR out;
    out.high = a * b;
#if FUSED
    out.low = MULTIPLY_ADD_double(a, b, -out.high);
#else
    {
        double a_high = AT(upper_half)(a), b_high = AT(upper_half)(b), a_low = a - a_high, b_low = b - b_high;
        out.low = ((a_high * b_high - out.high) + a_high * b_low + a_low * b_high) + a_low * b_low;
    }
#endif
    return out;
}

PAIR_INLINE(add)(PAIR a, PAIR b)
{
    PAIR high = AT(sum)(a.high, b.high), low = AT(sum)(a.low, b.low);
    high = AT(quick_sum)(high.high, high.low + low.high);
    return AT(quick_sum)(high.high, high.low + low.low);
}

PAIR_INLINE(add_number)(PAIR a, double b)
{
    PAIR out = AT(sum)(a.high, b);
    return AT(quick_sum)(out.high, out.low + a.low);
}

PAIR_INLINE(minus)(PAIR a)
{
    PAIR out = {-a.high, -a.low};
    return out;
}

PAIR_INLINE(times)(PAIR a, PAIR b)
{
    PAIR out = AT(product)(a.high, b.high);
    return AT(quick_sum)(out.high, out.low + (a.high * b.low + a.low * b.high));
}

PAIR_INLINE(times_number)(PAIR a, double b)
{
    PAIR out = AT(product)(a.high, b);
    return AT(quick_sum)(out.high, out.low + a.low * b);
}

PAIR_INLINE(over)(PAIR a, PAIR b)
{
    double first = a.high / b.high, second;
    PAIR rest = AT(add)(a, AT(minus)(AT(times_number)(b, first)));
    second = rest.high / b.high;
    rest = AT(add)(rest, AT(minus)(AT(times_number)(b, second)));
    return AT(add_number)(AT(quick_sum)(first, second), rest.high / b.high);
}

PAIR_INLINE(pair_of)(double high, double low)
{
    PAIR out = {high, low};
    return out;
}

/* Sums and quotients for chains of them: what the high parts lack gathers in the low one, so that no step waits for it. Where
   the high parts cancel the low one may become as large as what is left: `tidy` at the end. */
PAIR_INLINE(loose_sum)(PAIR a, PAIR b)
{
    PAIR out = AT(sum)(a.high, b.high);
    out.low += a.low + b.low;
    return out;
}

PAIR_INLINE(loose_quotient)(PAIR a, PAIR b)
{
    PAIR out, back;
    out.high = a.high / b.high;
    back = AT(product)(out.high, b.high);
    out.low = ((((a.high - back.high) - back.low) + a.low) - out.high * b.low) / b.high;
    return out;
}

PAIR_INLINE(tidy)(PAIR a)
{
    return AT(sum)(a.high, a.low);
}

/* x * (x + 1) * ... * (x + count - 1), the steps of the recurrence of gamma, of a positive number and up to a dozen factors.
   What the high parts lack is put in order once, at the end: each step would wait for that. */
PAIR_FUNCTION(rising_product)(PAIR x, int count)
{
    PAIR out = {1, 0};
    for (int k = 0; k < count; k++) {
        PAIR factor = AT(sum)(k, x.high), product = AT(product)(out.high, factor.high);
        out.low = MULTIPLY_ADD_double(out.low, factor.high, product.low + out.high * (factor.low + x.low));
        out.high = product.high;
    }
    return AT(quick_sum)(out.high, out.low);
}

/* A polynomial of these coefficients, constant first. */
PAIR_FUNCTION(pair_polynomial)(const double (*coefficients)[2], int count, PAIR x)
{
    PAIR out = AT(pair_of)(coefficients[count - 1][0], coefficients[count - 1][1]);
    for (int k = count - 2; k >= 0; k--)
        out = AT(add)(AT(times)(out, x), AT(pair_of)(coefficients[k][0], coefficients[k][1]));
    return out;
}

/* exp(x) for x from -700 to 700: the series of half of what a power of two leaves, squared. */
PAIR_FUNCTION(pair_exp)(PAIR x)
{
    double k = rint(x.high * 1.4426950408889634);
    PAIR log_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, one = {1, 0};
    PAIR rest = AT(add)(x, AT(minus)(AT(times_number)(log_2, k))), out = one;
    rest.high *= 0.5;
    rest.low *= 0.5;
    for (int n = 23; n > 0; n--)
        out = AT(add_number)(AT(over)(AT(times)(out, rest), AT(pair_of)(n, 0)), 1);
    out = AT(times)(out, out);
    out.high = ldexp(out.high, (int)k);
    out.low = ldexp(out.low, (int)k);
    return out;
}

/* log(x) of a positive number: one step of Newton's from the double, with the square of the correction. */
PAIR_FUNCTION(pair_log)(PAIR x)
{
    int power;
    double fraction = frexp(x.high, &power), first;
    PAIR log_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, rest, scaled;
    if (fraction < 0.70710678118654752)
        power--;
    scaled.high = ldexp(x.high, -power);
    scaled.low = ldexp(x.low, -power);
    first = log(scaled.high);
    rest = AT(add_number)(AT(times)(scaled, AT(pair_exp)(AT(pair_of)(-first, 0))), -1);
    rest = AT(add_number)(rest, -0.5 * rest.high * rest.high);
    return AT(add)(AT(times_number)(log_2, power), AT(add_number)(rest, first));
}

/* log(x) of a positive number to some 73 bits after the point, in a fraction of that time: a table has the logarithms of
   128 numbers, and what is left is next to 1. */
PAIR_INLINE(long_log)(double x)
{
    union { double number; npy_uint64 bits; } from = {x};
    const double *row;
    int power = 0;
    double rest, tail;
    PAIR log_2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56}, part, square, out;
    /* A subnormal number is its bits times 2**-1074. No product with a power of two: a compiler may take it before it
       compares, and the largest numbers would overflow. */
    if (x < 0x1p-1022) {
        from.number = (double)(npy_int64)from.bits;
        power = -1074;
    }
    power += (int)(from.bits >> 52) - 1023;
    row = LOGARITHMS[from.bits >> 45 & 127];
    from.bits = (from.bits & 0xFFFFFFFFFFFFFu) | 0x3FF0000000000000u;
    part = AT(product)(from.number, row[0]);
    part = AT(quick_sum)(part.high - 1, part.low);
    rest = part.high;
    square = AT(product)(rest, rest);
    tail = rest * square.high * (1.0 / 3 - rest * (0.25 - rest * (0.2 - rest * (1.0 / 6 - rest * (1.0 / 7 - rest * 0.125)))));
    out = AT(loose_sum)(AT(times_number)(log_2, power), AT(pair_of)(row[1], row[2]));
    out = AT(loose_sum)(out, part);
    return AT(tidy)(AT(loose_sum)(out, AT(pair_of)(-0.5 * square.high, tail - 0.5 * square.low - part.low * rest)));
}

/* sin(pi * u) and cos(pi * u) for u from -0.5 to 0.5, by their series up to pi / 4. */
TARGET static void AT(pair_sine_cosine)(double u, PAIR *sine, PAIR *cosine)
{
    double size = u < 0 ? -u : u, rest = size > 0.25 ? 0.5 - size : size;
    PAIR pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53}, y = AT(times_number)(pi, rest);
    PAIR square = AT(minus)(AT(times)(y, y)), s = {1, 0}, c = {1, 0};
    for (int n = 28; n > 0; n -= 2) {
        s = AT(add_number)(AT(over)(AT(times)(s, square), AT(pair_of)((double)n * (n + 1), 0)), 1);
        c = AT(add_number)(AT(over)(AT(times)(c, square), AT(pair_of)((double)n * (n - 1), 0)), 1);
    }
    s = AT(times)(s, y);
    *sine = size > 0.25 ? c : s;
    *cosine = size > 0.25 ? s : c;
    if (u < 0)
        *sine = AT(minus)(*sine);
}

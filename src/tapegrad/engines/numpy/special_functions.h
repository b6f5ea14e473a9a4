/* Bessel functions, integrals and inverses of the error function, of doubles: KERNELS of `each_level.h`; no guard. Include
   `special_tables.h` before.

   Near zero, and at infinity, a formula has the part of the function that no polynomial has: a logarithm, an
   exponential, a sine. Between, the axis is cut into cells with a polynomial each; zeros are the centres of theirs. */

#include "double_pairs.h"

#define SMALL(name) TARGET TAPEGRAD_PART_OF_LOOP double AT(name)
#define FUNCTION(name) TARGET static double AT(name)
#define PI 3.14159265358979323846

/* A table of cells at x. */
#define CELL(NAME, x) AT(row_value)(ROW(NAME, x), NAME##_DEGREE, x)
/* The same at a number with digits beyond a double, and with such digits, as far as the rest after the centre has them. */
#define CELL_OF_PAIR(NAME, x) AT(row_pair)(ROW(NAME, (x).high), NAME##_DEGREE, x)
#define ROW(NAME, x) AT(row_at)(NAME[0], NAME##_DEGREE, NAME##_CELLS, NAME##_LOW, NAME##_PER_CELL, x)
TARGET TAPEGRAD_PART_OF_LOOP const double *AT(row_at)(const double *table, int degree, int cells, double low, double per_cell, double x)
{
    int cell = (int)((x - low) * per_cell);
    return table + (degree + 4) * (cell < cells ? cell : cells - 1);
}
/* What lies between the value at the centre of the cell and that at a distance from it. */
SMALL(row_rest)(const double *row, int degree, double distance)
{
    double out = row[2];
    for (int k = 3; k < degree + 2; k++)
        out = MULTIPLY_ADD_double(out, distance, row[k]);
    return MULTIPLY_ADD_double(out, distance, row[degree + 2]);
}
SMALL(row_value)(const double *row, int degree, double x)
{
    return row[degree + 3] + AT(row_rest)(row, degree, (x - row[0]) - row[1]);
}
PAIR_INLINE(row_pair)(const double *row, int degree, PAIR x)
{
    return AT(sum)(row[degree + 3], AT(row_rest)(row, degree, ((x.high - row[0]) - row[1]) + x.low));
}

/* --- Bessel functions of the first and second kind ------------------------------------------------------------- */

/* A positive number, less `less` quarter turns and a half: to the nearest quarter turn, and the rest in quarter turns.
   Of the digits of 2 / pi, those are multiplied that give the last two bits of the whole quarters, and 137 bits below. */
TARGET static int AT(quarter_turns)(double x, int less, PAIR *rest)
{
    union { double number; npy_uint64 bits; } from = {x};
    npy_uint64 mantissa = (from.bits & 0xFFFFFFFFFFFFFu) | 0x10000000000000u;
    npy_uint64 halves[2] = {mantissa & 0xFFFFFFFFu, mantissa >> 32}, carry;
    int power = (int)(from.bits >> 52) - 1075, first = power < 2 ? 0 : (power - 2) / 32;
    int shift = 64 - (power - 32 * first), skipped = shift / 32, turns, negative;
    npy_uint32 digits[10] = {0}, fraction[6];
    for (int half = 0; half < 2; half++) {
        carry = 0;
        for (int k = 0; k < 7; k++) {
            npy_uint64 term = halves[half] * TWO_OVER_PI[first + 6 - k] + digits[half + k] + carry;
            digits[half + k] = (npy_uint32)term;
            carry = term >> 32;
        }
        digits[half + 7] = (npy_uint32)carry;
    }
    shift %= 32;
    for (int k = 0; k < 6; k++) {
        npy_uint64 both = digits[k + skipped];
        if (k + skipped + 1 < 10)
            both |= (npy_uint64)digits[k + skipped + 1] << 32;
        fraction[k] = (npy_uint32)(both >> shift);
    }
    /* Five words are the fraction now, and the sixth has the whole quarters. */
    turns = (int)(fraction[5] & 3) - less - (fraction[4] < 0x80000000u);
    fraction[4] -= 0x80000000u;
    negative = fraction[4] >> 31;
    turns += negative;
    if (negative) {
        carry = 1;
        for (int k = 0; k < 5; k++) {
            npy_uint64 term = (npy_uint64)(npy_uint32)~fraction[k] + carry;
            fraction[k] = (npy_uint32)term;
            carry = term >> 32;
        }
    }
    rest->high = fraction[4] * 0x1p-32;
    rest->low = 0;
    *rest = AT(add_number)(*rest, fraction[3] * 0x1p-64);
    *rest = AT(add_number)(*rest, fraction[2] * 0x1p-96);
    *rest = AT(add_number)(*rest, fraction[1] * 0x1p-128);
    *rest = AT(add_number)(*rest, fraction[0] * 0x1p-160);
    if (negative)
        *rest = AT(minus)(*rest);
    return turns;
}

/* J (kind 0) or Y (kind 1) far from 0: an amplitude times the cosine or sine of a phase. Close to a zero the phase is
   computed to twice the digits; from 2**27 on it is next to x. */
#define FAR_BESSEL 48
#define FAR_FUNCTION(ORDER)                                                                                            \
    FUNCTION(bessel_far_##ORDER)(double x, int kind)                                                                   \
    {                                                                                                                  \
        double v = 1 / x / x, size;                                                                                    \
        PAIR quarter = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54}, angle;                                           \
        int turns;                                                                                                     \
        if (x > 1.7976931348623157e308)                                                                                \
            return 0;                                                                                                  \
        turns = AT(quarter_turns)(x, ORDER, &angle) - kind;                                                            \
        angle = AT(times)(angle, quarter);                                                                             \
        size = angle.high + CELL(BESSEL_PHASE_##ORDER, v) / x;                                                         \
        if (size * x < 1 && size * x > -1 && x < 0x1p27) {                                                             \
            PAIR number = {x, 0}, one = {1, 0}, inverse = AT(over)(one, number);                                       \
            angle = AT(add)(angle, AT(times)(AT(pair_polynomial)(BESSEL_PHASE_##ORDER##_PAIRS, 14,                     \
                                                                 AT(times)(inverse, inverse)), inverse));              \
        } else {                                                                                                       \
            angle = AT(add_number)(angle, CELL(BESSEL_PHASE_##ORDER, v) / x);                                          \
        }                                                                                                              \
        size = turns & 1 ? -(sin(angle.high) + angle.low * cos(angle.high))                                            \
                         : cos(angle.high) - angle.low * sin(angle.high);                                              \
        return (turns & 2 ? -size : size) * CELL(BESSEL_AMPLITUDE_##ORDER, v) / sqrt(x);                               \
    }
FAR_FUNCTION(0)
FAR_FUNCTION(1)

FUNCTION(bessel_j0)(double x)
{
    double size = __builtin_fabs(x);
    return x != x ? x : size < FAR_BESSEL ? CELL(BESSEL_J0, size) : AT(bessel_far_0)(size, 0);
}

FUNCTION(bessel_j1)(double x)
{
    double size = __builtin_fabs(x), out;
    if (x != x)
        return x;
    out = size < FAR_BESSEL ? CELL(BESSEL_J1, size) : AT(bessel_far_1)(size, 0);
    return signbit(x) ? -out : out;
}

FUNCTION(bessel_y0)(double x)
{
    if (x != x)
        return x;
    if (x <= 0)
        return -INFINITY;
    if (x < 0.5)
        return log(x) * (2 / PI) * CELL(BESSEL_J0, x) + CELL(BESSEL_Y0_REST, x * x);
    return x < 2 ? CELL(BESSEL_Y0_NEAR, x) : x < FAR_BESSEL ? CELL(BESSEL_Y0, x) : AT(bessel_far_0)(x, 1);
}

FUNCTION(bessel_y1)(double x)
{
    if (x != x)
        return x;
    if (x <= 0)
        return -INFINITY;
    if (x < 0.5)
        return x * CELL(BESSEL_Y1_REST, x * x) + log(x) * (2 / PI) * CELL(BESSEL_J1, x) - 2 / PI / x;
    return x < 2 ? CELL(BESSEL_Y1_NEAR, x) : x < FAR_BESSEL ? CELL(BESSEL_Y1, x) : AT(bessel_far_1)(x, 1);
}

/* --- Modified Bessel functions --------------------------------------------------------------------------------- */

/* times * exp(x), where exp(x) alone may overflow. */
SMALL(times_exp)(double times, double x)
{
    double half;
    if (x < 700)
        return times * exp(x);
    half = exp(x * 0.5);
    return times * half * half;
}

#define MODIFIED(ORDER, SIGN)                                                                                          \
    FUNCTION(bessel_i##ORDER##e)(double x)                                                                             \
    {                                                                                                                  \
        double size = __builtin_fabs(x), out;                                                                             \
        if (x != x)                                                                                                    \
            return x;                                                                                                  \
        out = size < 8 ? CELL(BESSEL_I##ORDER##E, size) : CELL(BESSEL_I##ORDER##E_FAR, 1 / size) / sqrt(size);         \
        return signbit(x) ? SIGN out : out;                                                                              \
    }                                                                                                                  \
    FUNCTION(bessel_i##ORDER)(double x)                                                                                \
    {                                                                                                                  \
        double size = __builtin_fabs(x);                                                                                  \
        if (size > 720)                                                                                                \
            return x < 0 ? SIGN INFINITY : INFINITY;                                                                   \
        return x != x ? x : AT(times_exp)(AT(bessel_i##ORDER##e)(x), size);                                            \
    }                                                                                                                  \
    FUNCTION(bessel_k##ORDER##e)(double x)                                                                             \
    {                                                                                                                  \
        if (x != x)                                                                                                    \
            return x;                                                                                                  \
        if (x < 0.5)                                                                                                   \
            return AT(bessel_k##ORDER##_near)(x) * exp(x < 0 ? 0 : x);                                                 \
        return x < 2 ? CELL(BESSEL_K##ORDER##E_NEAR, x)                                                                \
            : x < 8 ? CELL(BESSEL_K##ORDER##E, x) : CELL(BESSEL_K##ORDER##E_FAR, 1 / x) / sqrt(x);                     \
    }                                                                                                                  \
    FUNCTION(bessel_k##ORDER)(double x)                                                                                \
    {                                                                                                                  \
        return x < 0.5 ? AT(bessel_k##ORDER##_near)(x) : AT(bessel_k##ORDER##e)(x) * exp(-x);                          \
    }

/* Both are infinite at 0, and stay so below. */
SMALL(bessel_k0_near)(double x)
{
    return x <= 0 ? INFINITY : CELL(BESSEL_K0_REST, x * x) - log(x) * CELL(BESSEL_I0_SMALL, x * x);
}
SMALL(bessel_k1_near)(double x)
{
    return x <= 0 ? INFINITY
        : x * (CELL(BESSEL_K1_REST, x * x) + log(x) * CELL(BESSEL_I1_SMALL, x * x)) + 1 / x;
}
MODIFIED(0, )
MODIFIED(1, -)

/* --- Integrals --------------------------------------------------------------------------------------------------- */

FUNCTION(dawsn)(double x)
{
    double size = __builtin_fabs(x), out;
    if (x != x)
        return x;
    out = size < 8 ? CELL(DAWSN, size) : CELL(DAWSN_FAR, 1 / size / size) * (0.5 / size);
    return signbit(x) ? -out : out;
}

FUNCTION(expint)(double x)
{
    double out;
    if (!(x >= 0))
        return NAN;
    if (x < 0.25)
        return log(x) + 0.57721566490153286061 + x * CELL(EXPINT_REST, x);
    if (x < 1)
        return CELL(EXPINT_NEAR, x);
    if (x > 720)
        return INFINITY;
    out = (x < 49 ? CELL(EXPINT_SCALED, x) : CELL(EXPINT_FAR, 1 / x)) / x;
    return AT(times_exp)(out, x);
}

FUNCTION(spence_below_2)(double x)
{
    if (x >= 0.25)
        return x < 0.5 ? CELL(SPENCE_NEAR, x) : CELL(SPENCE, x);
    if (x == 0)
        return PI * PI / 6;
    return (PI * PI / 6 - x * CELL(SPENCE_REST, x)) - log(x) * log1p(-x);
}

/* The dilogarithms of 1 - x and of 1 - 1 / x add up to -log(x)**2 / 2. */
FUNCTION(spence)(double x)
{
    double logarithm;
    if (!(x >= 0))
        return NAN;
    if (x < 2)
        return AT(spence_below_2)(x);
    logarithm = log(x);
    return -0.5 * logarithm * logarithm - AT(spence_below_2)(1 / x);
}

/* Both integrals are a half and a wave of pi / 2 * x * x, of which the whole turns go first. */
FUNCTION(fresnel)(double x, int cosine)
{
    double size = __builtin_fabs(x), v = size * size, out, turns, rest, s, c, f, g;
    if (x != x)
        return x;
    if (size < 1) {
        out = cosine ? size * CELL(FRESNEL_C_SMALL, v * v) : size * v * CELL(FRESNEL_S_SMALL, v * v);
    } else if (size < 6) {
        out = cosine ? CELL(FRESNEL_C, size) : CELL(FRESNEL_S, size);
    } else if (size > 1e16) {
        out = 0.5;
    } else {
        PAIR square = AT(product)(size, size);
        square = AT(sum)(fmod(square.high, 4), fmod(square.low, 4));
        turns = rint(square.high);
        rest = ((square.high - turns) + square.low) * (PI / 2);
        s = sin(rest), c = cos(rest);
        if ((int)turns & 1)
            rest = s, s = c, c = -rest;
        if ((int)turns & 2)
            s = -s, c = -c;
        v = 1 / size / size;
        f = CELL(FRESNEL_F, v * v) / (PI * size);
        g = CELL(FRESNEL_G, v * v) * v / (PI * PI * size);
        out = cosine ? 0.5 + (f * s - g * c) : 0.5 - (f * c + g * s);
    }
    return signbit(x) ? -out : out;
}
FUNCTION(fresnel_cos)(double x) { return AT(fresnel)(x, 1); }
FUNCTION(fresnel_sin)(double x) { return AT(fresnel)(x, 0); }

/* The inverse of erfc at y from 0 to 1 / 4. */
SMALL(inverse_of_small)(double y)
{
    double t = sqrt(-log(y));
    return y > 0 ? CELL(ERFINV_TAIL, t) : INFINITY;
}

FUNCTION(ndtri)(double x)
{
    double out;
    if (!(x >= 0 && x <= 1))
        return NAN;
    if (x >= 0.125 && x < 0.875)
        return CELL(NDTRI, x);
    out = 1.41421356237309504880 * AT(inverse_of_small)(2 * (x < 0.5 ? x : 1 - x));
    return x < 0.5 ? -out : out;
}

#include "special_gamma.h"
#include "special_shares.h"
#include "special_beta.h"

#define ENTRY(name) .name = AT(name)
static const tapegrad_special AT_LEVEL(tapegrad_special, double) = {
    ENTRY(lgamma), ENTRY(digamma), ENTRY(ndtri),
    ENTRY(dawsn), ENTRY(expint), ENTRY(spence), ENTRY(fresnel_cos), ENTRY(fresnel_sin),
    ENTRY(bessel_i0), ENTRY(bessel_i0e), ENTRY(bessel_i1), ENTRY(bessel_i1e), ENTRY(bessel_j0), ENTRY(bessel_j1),
    ENTRY(bessel_k0), ENTRY(bessel_k0e), ENTRY(bessel_k1), ENTRY(bessel_k1e), ENTRY(bessel_y0), ENTRY(bessel_y1),
    ENTRY(igamma), ENTRY(igammac), ENTRY(igamma_slope), ENTRY(gamma_sample_slope),
    ENTRY(zeta), ENTRY(polygamma), ENTRY(log_beta), ENTRY(log_beta_of_floats), ENTRY(digamma_rise), ENTRY(beta_share), ENTRY(beta_share_of_floats)};

#undef PAIR
#undef AT
#undef PAIR_FUNCTION
#undef PAIR_INLINE
#undef SMALL
#undef FUNCTION
#undef PI
#undef CELL
#undef FAR_BESSEL
#undef FAR_FUNCTION
#undef MODIFIED
#undef ENTRY

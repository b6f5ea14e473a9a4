/* The logarithm of the gamma function and its derivative, of doubles: a part of `special_functions.h`; no guard. */

/* x - round(x), for x from -2**51 to 0. */
SMALL(from_whole)(double x)
{
    double whole = (x - 6755399441055744.0) + 6755399441055744.0;
    return x - whole;
}

/* sin(pi * u) for u from -0.5 to 0.5; it loses no bits of a small u. */
SMALL(sine_of_half_turns)(double u)
{
    return sin(PI * u);
}

FUNCTION(lgamma_above)(double x) /* 0.5 */
{
    if (x < 2.5)
        return CELL(LGAMMA_NEAR, x);
    if (x < 34.5)
        return CELL(LGAMMA, x);
    return (x - 0.5) * (log(x) - 1) + (0.41893853320467274178 + CELL(LGAMMA_FAR, 1 / x / x) / x);
}

/* Between the poles -n the function falls from inf to a well and rises again. From -2 on down it has two zeros there.
   With u = x + n and the zero u0 on the same side of the pole it is the slope times u - u0, less log(u / u0). */
FUNCTION(lgamma)(double x)
{
    double u, zero, distance, part;
    int n, place, cell;
    if (x != x)
        return x;
    if (x >= 0.5)
        return x > 1.7976931348623157e308 ? x : AT(lgamma_above)(x);
    if (x < -0x1p51)
        return INFINITY;
    u = AT(from_whole)(x);
    if (u == 0)
        return INFINITY;
    if (x < -32.5)
        return 1.1447298858494001741 - log(__builtin_fabs(AT(sine_of_half_turns)(u))) - AT(lgamma_above)(1 - x);
    if (x >= -2)
        return CELL(LGAMMA_BELOW, x) - log(__builtin_fabs(u));
    if (x > -2.84375 && x < -2.34375)
        return CELL(LGAMMA_WELL, x);
    n = (int)(u - x + 0.5);
    place = 2 * n + (u > 0);
    zero = LGAMMA_ZEROS[place][0];
    distance = (u - zero) - LGAMMA_ZEROS[place][1];
    part = distance / zero;
    /* Four cells to a pole. They are told by u, because a sum that is rounded could lie in the next. */
    cell = 4 * (32 - n) + (u < 0 ? (u < -0.25 ? 0 : 1) : (u < 0.25 ? 2 : 3));
    return distance * AT(row_value)(LGAMMA_SLOPE[cell], LGAMMA_SLOPE_DEGREE, x) - (part > -0.5 && part < 1 ? log1p(part) : log(u / zero));
}

FUNCTION(digamma_above)(double x) /* 0.5 */
{
    double inverse, v;
    if (x < 2.5)
        return CELL(DIGAMMA_NEAR, x);
    if (x < 10.5)
        return CELL(DIGAMMA, x);
    inverse = 1 / x, v = inverse * inverse;
    return log(x) - (0.5 * inverse + CELL(DIGAMMA_FAR, v) * v);
}

/* The same to twice the digits: steps of the recurrence to 24 and more, and Stirling's series. */
PAIR_FUNCTION(pair_digamma)(PAIR x)
{
    PAIR one = {1, 0}, steps = {0, 0}, inverse, square;
    while (x.high < 24) {
        steps = AT(add)(steps, AT(over)(one, x));
        x = AT(add_number)(x, 1);
    }
    inverse = AT(over)(one, x);
    square = AT(times)(inverse, inverse);
    square = AT(times)(AT(pair_polynomial)(STIRLING_SLOPE, 15, square), square);
    square = AT(add)(AT(add)(AT(times_number)(inverse, 0.5), square), steps);
    return AT(add)(AT(pair_log)(x), AT(minus)(square));
}

/* Below 0 the function is digamma(1 - x) less a cotangent, and 0 where they are equal. */
FUNCTION(digamma)(double x)
{
    double u, above, cotangent, out, size;
    PAIR sine, cosine, pi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
    if (x != x)
        return x;
    if (x >= 0.5)
        return x > 1.7976931348623157e308 ? x : AT(digamma_above)(x);
    if (x > -0.125)
        return x == 0 ? -1 / x : AT(digamma_above)(1 + x) - 1 / x;
    if (x < -0x1p51)
        return NAN;
    u = AT(from_whole)(x);
    if (u == 0)
        return NAN;
    size = __builtin_fabs(u);
    above = AT(digamma_above)(1 - x);
    cotangent = size > 0.25 ? tan(PI * (0.5 - size)) : 1 / tan(PI * size);
    cotangent *= u < 0 ? -PI : PI;
    out = above - cotangent;
    size = __builtin_fabs(out);
    if (size > above && size > 0.75)
        return out;
    AT(pair_sine_cosine)(u, &sine, &cosine);
    cosine = AT(times)(AT(over)(cosine, sine), pi);
    return AT(add)(AT(pair_digamma)(AT(sum)(1, -x)), AT(minus)(cosine)).high;
}

/* --- The logarithm to more digits -------------------------------------------------------------------------------- */

#define HALF_LOG_OF_TURN 0x1.d67f1c864beb5p-1, -0x1.65b5a1b7ff5dfp-55 /* log(2 * pi) / 2 */

PAIR_INLINE(long_log_of_pair)(PAIR x)
{
    return AT(add_number)(AT(long_log)(x.high), x.low / x.high);
}

/* How many steps lead from a positive number to 10.5 or more, where Stirling's series are exact. */
TARGET TAPEGRAD_PART_OF_LOOP int AT(steps_to_far)(double x)
{
    return x < 10.5 ? (int)ceil(10.5 - x) : 0;
}

/* What Stirling's series of lgamma adds to (x - 0.5) * log(x) - x + log(2 * pi) / 2, from 10.5 on. */
SMALL(stirling_rest)(double x)
{
    double inverse = 1 / x;
    return CELL(LGAMMA_FAR, inverse * inverse) * inverse;
}

/* The same, the first terms of the series to twice the digits: with all 15 so is the value, from 24 on; with 4 it has some
   75 bits after the point, from 10.5 on. */
PAIR_FUNCTION(pair_stirling_rest)(PAIR x, int exact_terms)
{
    PAIR inverse = AT(loose_quotient)(AT(pair_of)(1, 0), x), square = AT(times)(inverse, inverse), out = {0, 0};
    for (int k = 14; k >= exact_terms; k--)
        out.high = MULTIPLY_ADD_double(out.high, square.high, STIRLING_SLOPE[k][0] / (2 * k + 1));
    for (int k = exact_terms - 1; k >= 0; k--) {
        PAIR coefficient = {STIRLING_SLOPE[k][0], STIRLING_SLOPE[k][1]};
        out = AT(add)(AT(times)(out, square), AT(loose_quotient)(coefficient, AT(pair_of)(2 * k + 1, 0)));
    }
    return AT(times)(out, inverse);
}

/* lgamma less log(2 * pi) / 2 by Stirling's series, from 10.5 on: to some 60 bits after the point, or to 70 if it is to be
   `fine`. */
PAIR_FUNCTION(long_stirling)(PAIR x, int fine)
{
    PAIR rest = fine ? AT(pair_stirling_rest)(x, 4) : AT(pair_of)(AT(stirling_rest)(x.high), 0);
    PAIR out = AT(times)(AT(add_number)(x, -0.5), AT(long_log_of_pair)(x));
    return AT(tidy)(AT(loose_sum)(AT(loose_sum)(out, AT(minus)(x)), rest));
}

/* lgamma of a positive number to some 60 bits after the point, by steps of the recurrence up to there. */
PAIR_FUNCTION(long_lgamma)(double x)
{
    int steps = AT(steps_to_far)(x);
    PAIR half_log_of_turn = {HALF_LOG_OF_TURN}, product = AT(rising_product)(AT(pair_of)(x, 0), steps);
    PAIR out = AT(add)(half_log_of_turn, AT(long_stirling)(AT(sum)(steps, x), 0));
    return AT(add)(out, AT(minus)(AT(long_log_of_pair)(product)));
}

/* --- Hurwitz's zeta function: the sum of 1 / (q + n)**s for all n from 0 on; and polygamma ------------------------ */

/* 1 / x**s to twice the digits, for a whole number s. */
PAIR_FUNCTION(pair_inverse_power)(PAIR x, double s)
{
    PAIR out = {1, 0}, factor = AT(over)(out, x);
    for (int power = (int)s; power; power >>= 1) {
        if (power & 1)
            out = AT(times)(out, factor);
        factor = AT(times)(factor, factor);
    }
    return out;
}

/* The sum from x on to twice the digits, by Euler's and Maclaurin's formula. For a whole number s, and x from 24 on. */
PAIR_FUNCTION(pair_zeta_far)(double s, PAIR x)
{
    PAIR inverse = AT(over)(AT(pair_of)(1, 0), x), square = AT(times)(inverse, inverse);
    PAIR part = AT(times_number)(inverse, s), out = AT(over)(x, AT(pair_of)(s - 1, 0));
    out = AT(add_number)(out, 0.5);
    for (int k = 0; k < 15; k++) {
        PAIR coefficient = {STIRLING_SLOPE[k][0], STIRLING_SLOPE[k][1]};
        out = AT(add)(out, AT(times)(coefficient, part));
        part = AT(times)(AT(times_number)(AT(times_number)(part, s + 2 * k + 1), s + 2 * k + 2), square);
        part = AT(over)(part, AT(pair_of)((2 * k + 2) * (2 * k + 3), 0));
    }
    return AT(times)(AT(pair_inverse_power)(x, s), out);
}

/* For q below 0, where terms of both signs may cancel, and a whole number s. With u the distance from a whole number, the
   terms next to u are added up one by one, and those to the right and to the left of them by the formula. */
FUNCTION(zeta_below_zero)(double s, double q)
{
    double u = AT(from_whole)(q), whole = u - q, nearest = pow(u, -s);
    PAIR total = {0, 0}, left;
    if (!(__builtin_fabs(nearest) < 1e290))
        return nearest;
    for (double n = whole < 23 ? -whole : -23; n < 24; n++)
        total = AT(add)(total, AT(pair_inverse_power)(AT(sum)(u, n), s));
    total = AT(add)(total, AT(pair_zeta_far)(s, AT(sum)(u, 24)));
    if (whole > 23) {
        left = AT(add)(AT(pair_zeta_far)(s, AT(sum)(24, -u)), AT(minus)(AT(pair_zeta_far)(s, AT(sum)(whole + 1, -u))));
        total = AT(add)(total, fmod(s, 2) == 0 ? left : AT(minus)(left));
    }
    return total.high;
}

/* order! / x**s. For orders above 0 the power alone may be too large or too small for a number. */
SMALL(term_of_zeta)(PAIR x, double s, double order, double factorial)
{
    double power = pow(x.high, -s) * (1 - s * x.low / x.high);
    PAIR exponent;
    if (order == 0 || (factorial < INFINITY && power > 1e-290 && power < 1e290))
        return factorial * power;
    exponent = AT(add)(AT(long_lgamma)(order + 1), AT(times_number)(AT(long_log_of_pair)(x), -s));
    return exp(exponent.high) * (1 + exponent.low);
}

/* zeta(s, q) times order!: terms one by one, until Euler's and Maclaurin's formula has the rest. */
FUNCTION(zeta_times)(double s, double q, double order)
{
    PAIR total = {0, 0}, factorial = {1, 0}, x;
    double term, inverse, part, rest = 0.5;
    for (double n = 2; n <= order && order <= 170; n++)
        factorial = AT(times_number)(factorial, n);
    if (order > 170)
        factorial.high = INFINITY;
    if (q <= 0 && (q == floor(q) || q < -0x1p51))
        return INFINITY;
    if (q < 0)
        return factorial.high * AT(zeta_below_zero)(s, q);
    for (double n = 0;; n++) {
        x = AT(sum)(q, n);
        if (x.high >= 10.5 + 0.5 * s)
            break;
        term = AT(term_of_zeta)(x, s, order, factorial.high);
        if (!(term > 1e-18 * total.high) || term == INFINITY)
            return total.high + term;
        total = AT(add_number)(total, term);
    }
    term = AT(term_of_zeta)(x, s - 1, order, factorial.high);
    if (term == 0)
        return total.high;
    inverse = 1 / x.high, part = s * inverse;
    for (int k = 0; k < 15; k++) {
        rest += STIRLING_SLOPE[k][0] * part;
        part *= (s + 2 * k + 1) * (s + 2 * k + 2) / ((2 * k + 2) * (2 * k + 3)) * (inverse * inverse);
    }
    return total.high + (total.low + term * (1 / (s - 1) + rest * inverse));
}

/* Whether zeta(s, .) tends to another infinity on the other side of q, or to none: a pole of no even order. */
static inline int AT(has_two_limits)(double s, double q)
{
    return q <= 0 && q == floor(q) && fmod(s, 2) != 0;
}

FUNCTION(zeta)(double s, double q)
{
    if (!(s >= 1) || q != q || (q < 0 && s != floor(s) && q != floor(q)))
        return NAN;
    if (s == INFINITY || q == INFINITY)
        return q > 1 ? 0 : q == 1 ? 1 : q > 0 || q == floor(q) ? INFINITY : NAN;
    if (s != 1 && AT(has_two_limits)(s, q))
        return NAN;
    return s == 1 ? INFINITY : AT(zeta_times)(s, q, 0);
}

FUNCTION(polygamma)(double order, double x)
{
    double size;
    if (order == 0)
        return AT(digamma)(x);
    if (!(order > 0 && order == floor(order) && order < INFINITY) || x != x || AT(has_two_limits)(order + 1, x))
        return NAN;
    if (x == INFINITY)
        return fmod(order, 2) == 0 ? -0.0 : 0;
    size = AT(zeta_times)(order + 1, x, order);
    return fmod(order, 2) == 0 ? -size : size;
}

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

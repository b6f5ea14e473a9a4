/* The beta function of doubles and its incomplete form, and the differences of digamma that are its slopes: a part of
   `special_functions.h`; no guard.

   log(beta) is lgamma(a) + lgamma(b) - lgamma(a + b), which cancel each other: where one of a and b is much larger than
   the other, and along a curve through (1, 1), where the function is 0. What cancels in Stirling's series is left out
   before it is computed. Where that is not enough, the three are taken to 60 bits after the point, and close to the curve
   to twice the digits of a double. */

#define FAR_PARAMETER 0x1p17

/* To 60 bits after the point, or to 70: steps of the recurrence, whose factors have one logarithm, and Stirling's series. */
PAIR_FUNCTION(long_log_beta)(double a, double b, int fine)
{
    PAIR half_log_of_turn = {HALF_LOG_OF_TURN}, sum = AT(sum)(a, b), factors, out;
    int steps_of_a = AT(steps_to_far)(a), steps_of_b = AT(steps_to_far)(b), steps = AT(steps_to_far)(sum.high);
    out = AT(long_stirling)(AT(sum)(steps_of_a, a), fine);
    out = AT(loose_sum)(out, AT(long_stirling)(AT(sum)(steps_of_b, b), fine));
    out = AT(loose_sum)(out, AT(minus)(AT(long_stirling)(AT(add_number)(sum, steps), fine)));
    out = AT(loose_sum)(out, half_log_of_turn);
    if (steps_of_a || steps_of_b) {
        /* In this order no product is too small for a number unless all are. */
        factors = AT(loose_quotient)(AT(rising_product)(AT(pair_of)(a, 0), steps_of_a), AT(rising_product)(sum, steps));
        factors = AT(times)(factors, AT(rising_product)(AT(pair_of)(b, 0), steps_of_b));
        out = AT(loose_sum)(out, AT(minus)(AT(long_log_of_pair)(factors)));
    }
    return AT(tidy)(out);
}

/* log(beta) to twice the digits, for a of a few units and any larger b. */
FUNCTION(log_beta_near_zero)(double a, double b)
{
    PAIR half_log_of_turn = {HALF_LOG_OF_TURN};
    PAIR x = {a, 0}, y = {b, 0}, sum = AT(sum)(a, b), steps = {1, 0}, ratio, out, part = {0, 0};
    double u = a - 1, v = b - 1;
    if (u > -0x1p-20 && v < 0x1p-20) /* the series there; further terms are of the fourth order */
        return -log1p(u + v) - u * v * (1.64493406684822644 - 1.20205690315959429 * (u + v));
    while (y.high < 24) {
        steps = AT(times)(steps, AT(over)(sum, y));
        y = AT(add_number)(y, 1);
        sum = AT(add_number)(sum, 1);
    }
    while (x.high < 24) {
        steps = AT(over)(steps, x);
        x = AT(add_number)(x, 1);
    }
    /* lgamma(a), with the logarithm of the steps that y has taken */
    out = AT(times)(AT(add_number)(x, -0.5), AT(pair_log)(x));
    out = AT(add)(out, AT(add)(half_log_of_turn, AT(minus)(x)));
    out = AT(add)(out, AT(add)(AT(pair_stirling_rest)(x, 15), AT(pair_log)(steps)));
    /* lgamma(y) - lgamma(a + y): with r = a / y, -a * log(y) - ((a + y - 0.5) * log(1 + r) - a) and the rests */
    out = AT(add)(out, AT(times_number)(AT(pair_log)(y), -a));
    out = AT(add)(out, AT(add)(AT(pair_stirling_rest)(y, 15), AT(minus)(AT(pair_stirling_rest)(sum, 15))));
    ratio = AT(over)(AT(pair_of)(a, 0), y);
    if (ratio.high > 0x1p-10) {
        part = AT(times)(AT(add_number)(sum, -0.5), AT(pair_log)(AT(add_number)(ratio, 1)));
        part = AT(add_number)(part, -a);
    } else {
        /* log(1 + r) is r * (1 + part) */
        for (int k = 12; k > 1; k--)
            part = AT(times)(ratio, AT(add)(part, AT(over)(AT(pair_of)(k & 1 ? 1 : -1, 0), AT(pair_of)(k, 0))));
        part = AT(add)(AT(times_number)(part, a),
                       AT(times)(AT(times)(AT(sum)(a, -0.5), ratio), AT(add_number)(part, 1)));
    }
    return AT(add)(out, AT(minus)(part)).high;
}

/* log(beta) for a below 10.5 and any larger b: steps of the recurrence to b of 10.5 and more, and Stirling's series without
   what cancels. `size` becomes the sum of the parts, of which the value may be the small rest. */
SMALL(log_beta_by_steps)(double a, double b, int exact, double *size)
{
    PAIR above = {1, 0}, below = {1, 0};
    double of_a = AT(lgamma)(a), of_steps, of_b, slope, rests;
    int steps = AT(steps_to_far)(b);
    if (exact) {
        above = AT(rising_product)(AT(sum)(a, b), steps);
        below = AT(rising_product)(AT(pair_of)(b, 0), steps);
    } else {
        for (int k = 0; k < steps; k++) {
            above.high *= a + (b + k);
            below.high *= b + k;
        }
    }
    b += steps;
    of_steps = log(above.high / below.high) + (above.low / above.high - below.low / below.high);
    of_b = a * log(b);
    slope = log1p(a / b);
    rests = AT(stirling_rest)(b) - AT(stirling_rest)(a + b);
    *size = __builtin_fabs(of_a) + of_steps + of_b;
    return ((of_a + of_steps) - of_b) - ((b * slope - a) + (a - 0.5) * slope) + rests;
}

SMALL(log_beta_as_exact)(double a, double b, int exact)
{
    double size, out, rests;
    if (!(a > 0 && b > 0 && a < INFINITY && b < INFINITY))
        return AT(lgamma)(a) + AT(lgamma)(b) - AT(lgamma)(a + b);
    if (a > b)
        out = a, a = b, b = out;
    if (a >= 10.5) {
        rests = AT(stirling_rest)(a) + AT(stirling_rest)(b) - AT(stirling_rest)(a + b);
        return ((0.91893853320467274178 + rests) - 0.5 * log(b)) - (a - 0.5) * log1p(b / a) - b * log1p(a / b);
    }
    /* Parts of two such parameters nearly always cancel. */
    if (!exact || a < 0.5 || b >= 10.5) {
        out = AT(log_beta_by_steps)(a, b, exact, &size);
        if (__builtin_fabs(out) > (exact ? 0.5 : 0x1p-20) * size)
            return out;
    }
    if (b < FAR_PARAMETER)
        out = AT(long_log_beta)(a, b, 0).high;
    return b < FAR_PARAMETER && __builtin_fabs(out) > 0x1p-6 ? out : AT(log_beta_near_zero)(a, b);
}

FUNCTION(log_beta)(double a, double b) { return AT(log_beta_as_exact)(a, b, 1); }
FUNCTION(log_beta_of_floats)(double a, double b) { return AT(log_beta_as_exact)(a, b, 0); }

/* digamma(x + more) - digamma(x). All that is added up is positive where x and more are. */
FUNCTION(digamma_rise)(double x, double more)
{
    double out, slope = 0, divided = 1, power = 1, steps = x < 10.5 ? ceil(10.5 - x) : 0, sum = x + more, inverse, inverse_of_sum;
    if (!(x > 0 && more >= 0 && x < INFINITY && more < INFINITY))
        return AT(digamma)(sum) - AT(digamma)(x);
    inverse = 1 / (x + steps), inverse_of_sum = 1 / (sum + steps);
    /* Of Stirling's series in v = 1 / x**2 the divided difference, whose terms are (v**k - w**k) / (v - w). */
    for (int k = 0; k < 9; k++) {
        slope += STIRLING_SLOPE[k][0] * divided;
        power *= inverse_of_sum * inverse_of_sum;
        divided = divided * (inverse * inverse) + power;
    }
    slope = slope * (inverse + inverse_of_sum) + 0.5;
    out = slope * (more * inverse) * inverse_of_sum + log1p(more * inverse);
    while (steps-- > 0)
        out += more / (sum + steps) / (x + steps);
    return out;
}

/* --- The incomplete beta function: to a few units of a double if it is to be exact, or else of a float -------------- */

/* x**a * (1 - x)**b / beta(a, b), where y is 1 - x and `less` is log(beta(a, b)). */
SMALL(beta_factor)(double a, double b, PAIR x, PAIR y, PAIR less, int exact)
{
    PAIR exponent;
    if (!exact)
        return exp(a * log(x.high) + b * log(y.high) - less.high);
    exponent = AT(loose_sum)(AT(times_number)(AT(long_log_of_pair)(x), a), AT(times_number)(AT(long_log_of_pair)(y), b));
    exponent = AT(tidy)(AT(loose_sum)(exponent, AT(minus)(less)));
    return exponent.high < -800 ? 0 : exp(exponent.high) * (1 + exponent.low);
}

/* The share below x as a part of `beta_factor`, for x up to the mean or small: `distance` is a * y - b * x. */
SMALL(beta_part)(double a, double b, double x, double y, double distance, int exact)
{
    double total = 0, term = 1, first = a / (a + 1) * (distance + 1), whole = first, upper = first, ratio = 0, before = 0;
    double enough = exact ? 2e-16 : 1e-10, part = x / (a + 1), next;
    double start = (distance + 1) / x, slope = (1 + y) / x;
    int length;
    if ((a + b) * x < 0.5 * (a + 1) && x < 0.5) {
        /* The series 1 / a * (1 + (a + b) / (a + 1) * x * (1 + (a + b + 1) / (a + 2) * x * (1 + ...))) */
        for (double n = 0; term > 0.01 * enough; n++) {
            term *= (a + b + n) / (a + 1 + n) * x;
            total += term;
        }
        return (1 + total) / a;
    }
    /* The continued fraction 1 / (b1 + a2 / (b2 + a3 / (b3 + ...))), of which these are a(n + 1) and b(n + 1): `here` is
       x / (a + 2 n - 1), and `there` is x / (a + 2 n + 1). */
#define ABOVE(n, here) ((a + (n - 1)) * (here) * ((a + b + (n - 1)) * (here)) * (n * (b - n)))
#define BELOW(n, here, there) (n + n * (b - n) * (here) + (a + n) * (there) * (start + n * slope))
    /* From the front it tells how long it has to be, from the back it gains no errors on the way. */
    for (length = 1; length < 100000; length++) {
        double n = length, factor, denominator, numerator = ABOVE(n, part);
        next = x / (a + (2 * n + 1));
        denominator = BELOW(n, part, next);
        ratio = 1 / (denominator + numerator * ratio);
        upper = denominator + numerator / upper;
        factor = upper * ratio;
        whole *= factor;
        if (__builtin_fabs(factor - 1) <= enough && __builtin_fabs(before - 1) <= enough)
            break;
        before = factor;
        part = next;
    }
    if (!exact)
        return 1 / whole;
    length += length / 4 + 4;
    part = x / (a + (2.0 * length - 1));
    next = x / (a + (2.0 * length + 1));
    upper = BELOW((double)length, part, next);
    for (double n = length; n > 1; n--) {
        double m = n - 1;
        next = part;
        part = x / (a + (2 * m - 1));
        upper = BELOW(m, part, next) + ABOVE(n, next) / upper;
    }
    part = x / (a + 1);
    return 1 / (first + ABOVE(1, part) / upper);
#undef ABOVE
#undef BELOW
}

/* log(y**b / (b * beta(a, b))), relatively exact for small b too. */
SMALL(beta_logarithm)(double a, double b, PAIR y)
{
    PAIR middle = AT(sum)(a, 0.5 * b), out = AT(long_log_of_pair)(y);
    if (b < 0x1p-12 * a && b < 0x1p-12) { /* lgamma(a + b) - lgamma(a) by two terms of its series in b */
        out = AT(add_number)(AT(add)(out, AT(pair_digamma)(middle)), -b * b / 24 * AT(zeta_times)(3, middle.high, 2));
        return b * out.high - AT(lgamma_of_one_and)(b);
    }
    out = AT(add)(AT(times_number)(out, b), AT(minus)(AT(add)(AT(long_log_beta)(a, b, 1), AT(long_log)(b))));
    return out.high;
}

/* The share below x, where b is small and little is above: 1 - y**b / (b * beta(a, b)), and the rest of that series. */
SMALL(beta_part_above)(double a, double b, PAIR y)
{
    double power = expm1(AT(beta_logarithm)(a, b, y)), total = 0, term = 1;
    for (double n = 1; term > 1e-18 || term < -1e-18; n++) {
        term *= (n - a) / n * y.high;
        total += term / (b + n);
    }
    return -(power + (1 + power) * b * total);
}

/* NAN at the edges, and of parameters beyond FAR_PARAMETER. */
SMALL(beta_share_as_exact)(double a, double b, double number, int exact)
{
    PAIR x = {number, 0}, y = AT(sum)(1, -number), less = {0, 0}, distance;
    if (!(a > 0 && b > 0 && a < FAR_PARAMETER && b < FAR_PARAMETER && number > 0 && number < 1))
        return NAN;
    if (b < 1 && y.high < 0.5 && a * y.high < 0.5)
        return AT(beta_part_above)(a, b, y);
    if (exact)
        less = AT(long_log_beta)(a, b, 0);
    else
        less.high = AT(log_beta_of_floats)(a, b);
    distance = AT(add)(AT(times_number)(y, a), AT(times_number)(x, -b));
    if (distance.high >= 0 || (a < 1 && number < 0.5 && b * number < 0.5))
        return AT(beta_factor)(a, b, x, y, less, exact) * AT(beta_part)(a, b, number, y.high, distance.high, exact);
    return 1 - AT(beta_factor)(b, a, y, x, less, exact) * AT(beta_part)(b, a, y.high, number, -distance.high, exact);
}

FUNCTION(beta_share)(double a, double b, double x) { return AT(beta_share_as_exact)(a, b, x, 1); }
FUNCTION(beta_share_of_floats)(double a, double b, double x) { return AT(beta_share_as_exact)(a, b, x, 0); }

#undef FAR_PARAMETER
#undef HALF_LOG_OF_TURN

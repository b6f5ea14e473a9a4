/* The incomplete gamma functions of doubles and the derivative by the order: a part of `special_functions.h`; no guard.

   Up to x = a it is the lower share, by its series; beyond, the upper one, by its continued fraction. Both begin with
   x**a * exp(-x) / gamma(a + 1), of which the exponent has more digits than a double: it may be large. The derivatives
   are carried along, and no terms of opposite signs meet. Both take some sqrt(a) steps near x = a, so that large orders,
   from FAR_ORDER on, are left to others: NAN. */

#define FAR_ORDER 1e5

typedef struct {
    double part, slope; /* a share, and its derivative by a, as parts of what `times_gamma_factor` multiplies by; */
    int upper;          /* whether it is the upper share */
} AT(share);

/* lgamma(1 + a) for a from 0 to 1; it loses no bits of a small a, because 1 is the centre of its cell. */
SMALL(lgamma_of_one_and)(double a)
{
    const double *row = LGAMMA_NEAR[4];
    double out = row[2];
    if (a >= 0.125)
        return AT(lgamma_above)(1 + a);
    for (int k = 3; k < LGAMMA_NEAR_DEGREE + 2; k++)
        out = MULTIPLY_ADD_double(out, a, row[k]);
    return out * a;
}

/* x**a * exp(-x) / gamma(a + 1), times `part`. */
SMALL(times_gamma_factor)(double part, double a, double x)
{
    PAIR logarithm = AT(long_log)(x), exponent, steps = {1, 0};
    double below, size, inverse = 1 / a;
    int count = (int)a, shifted;
    if (a >= 10.5) {
        logarithm = AT(tidy)(AT(loose_sum)(logarithm, AT(minus)(AT(long_log)(a))));
        exponent = AT(tidy)(AT(loose_sum)(AT(times_number)(logarithm, a), AT(sum)(a, -x)));
        PAIR square = AT(product)(2 * PI, a), back;
        below = sqrt(square.high);
        back = AT(product)(below, below);
        /* the logarithm of what the root lacks */
        square.low += 2.4492935982947064e-16 * a + ((square.high - back.high) - back.low);
        exponent = AT(add_number)(exponent, -(CELL(LGAMMA_FAR, inverse * inverse) * inverse + square.low / (2 * square.high)));
    } else {
        exponent = AT(add_number)(AT(times_number)(logarithm, a), -x);
        /* down to an order below 1, without a rounding */
        a -= count;
        steps = AT(rising_product)(AT(pair_of)(a + 1, 0), count);
        exponent = AT(add_number)(exponent, -AT(lgamma_of_one_and)(a) - steps.low / steps.high);
        below = steps.high;
    }
    if (exponent.high < -800)
        return 0;
    /* The factor may be subnormal, and then has few digits, where the result is not. */
    shifted = exponent.high < -600;
    if (shifted)
        exponent = AT(add_number)(exponent, 64);
    size = exp(exponent.high);
    return (size + size * exponent.low) / below * part * (shifted ? 1.603810890548638e-28 : 1);
}

/* log(x) - digamma(a + more), where `more` is 0 or 1; a is positive. */
PAIR_INLINE(log_less_digamma)(double x, double a, int more)
{
    double inverse = 1 / a, v = inverse * inverse, ratio = x * inverse;
    if (a >= 10.5) {
        int near = ratio > 0.5 && ratio < 2;
        PAIR above = AT(sum)(x, near ? -a : 0), back;
        ratio = above.high * inverse;
        back = AT(product)(ratio, a);
        /* what the ratio lacks, over what the logarithm is taken of */
        above.low = ((above.high - back.high) - back.low + above.low) / x;
        return AT(sum)(near ? log1p(ratio) : log(ratio), above.low + (0.5 - more) * inverse + CELL(DIGAMMA_FAR, v) * v);
    }
    /* Both may be next to each other: in pairs. */
    PAIR out = AT(long_log)(x), order = AT(sum)(more, a);
    if (order.high < 0.5 || order.high >= 10.5) {
        /* digamma(a + 1) - digamma(a) is 1 / a: one step leads to where the cells are */
        PAIR back = AT(product)(inverse, a), step = AT(pair_of)(inverse, ((1 - back.high) - back.low) * inverse);
        out = AT(loose_sum)(out, more ? AT(minus)(step) : step);
        order = more ? AT(pair_of)(a, 0) : AT(sum)(1, a);
    }
    order = order.high < 2.5 ? CELL_OF_PAIR(DIGAMMA_NEAR, order) : CELL_OF_PAIR(DIGAMMA, order);
    return AT(tidy)(AT(loose_sum)(out, AT(minus)(order)));
}

/* 1 + x / (a + 1) * (1 + x / (a + 2) * (1 + ...)). A term has the roundings of all before it, so that these are carried
   along; those of a tiny x count for nothing, and its inverse may be beyond the range of doubles. */
SMALL(gamma_series)(double a, double x)
{
    double total = 1, term = 1, rest = 0, lacking = 0, inverse_of_x = x < 1e-300 ? 0 : 1 / x;
    for (double n = 1; term > 1e-18 * total; n++) {
        PAIR below = AT(sum)(n, a), product;
        double factor = x / below.high, sum;
        PAIR back = AT(product)(factor, below.high);
        double lost = ((x - back.high) - back.low) - factor * below.low;
        product = AT(product)(term, factor);
        rest = rest * factor + product.low + product.high * lost * inverse_of_x;
        term = product.high;
        sum = total + term;
        lacking += (term - (sum - total)) + rest;
        total = sum;
    }
    return total + lacking;
}

/* How long the fraction below has to be, for its slope too, where the order is below 10.5 and x above it and 0.5, and where x
   is above 1e12: then a part of 1e-17 is left. */
#define LENGTH_OF_SMALL(x) ((int)(110 / (x)) + 8)

/* A step of the fraction is a product and a sum of two numbers whose quotient is meant: it does not wait for a division. They
   are made small again now and then, before they overflow. */
#define STEPS_AT_ONCE 16

/* How long it has to be, for its value, where the order is larger: this looks at it from the front. */
TARGET static int AT(fraction_length)(double a, double x)
{
    double b = x + 1 - a, step = 0, whole = b, before = 0, last = 1;
    int length;
    for (length = 1; length < 100000; length++) {
        double numerator = length * (a - length), next, ratio;
        b += 2;
        next = MULTIPLY_ADD_double(b, last, numerator * before);
        ratio = last / next;
        step = length == 1 ? numerator * ratio : step * (b * ratio - 1);
        whole += step;
        if (__builtin_fabs(step) <= 1e-16 * whole)
            break;
        before = length % STEPS_AT_ONCE ? last : ratio;
        last = length % STEPS_AT_ONCE ? next : 1;
    }
    return length + length / 4 + 4;
}

/* 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ...))), from the back: so it gains no errors on the way. */
SMALL(gamma_fraction)(double a, double x)
{
    double before = 1, last, next;
    int length;
    if (x > 1e12) /* what follows is too small to count, and steps would overflow */
        return 1 / (x + 1 - a);
    length = a < 10.5 ? LENGTH_OF_SMALL(x) : AT(fraction_length)(a, x);
    last = x + 1 - a + 2.0 * length;
    if (a >= 10.5) { /* near x = a the roundings of many steps add up, of which divisions make a few less */
        for (int n = length; n > 0; n--)
            last = (x - a) + (2 * n - 1) + n * (a - n) / last;
        return 1 / last;
    }
    for (int n = length; n > 0; n--) {
        next = MULTIPLY_ADD_double((x - a) + (2 * n - 1), last, n * (a - n) * before);
        before = last;
        last = next;
        if (n % STEPS_AT_ONCE == 0) {
            union { double number; npy_uint64 bits; } scale = {next};
            scale.bits = (2046 - (scale.bits >> 52)) << 52; /* a power of two, so that nothing is rounded */
            before *= scale.number;
            last *= scale.number;
        }
    }
    return before / last;
}

/* The smaller share, without its slope. */
TARGET TAPEGRAD_PART_OF_LOOP AT(share) AT(gamma_share)(double a, double x)
{
    AT(share) out = {0, 0, x > a && x > 0.5};
    out.part = out.upper ? a * AT(gamma_fraction)(a, x) : AT(gamma_series)(a, x);
    return out;
}

/* The derivative of x**a * gamma_series(a, x) / gamma(a + 1) by a, over the factors that do not belong to the series. As
   there, each sum and each term carries what its roundings lose. Both parts are below 0 for x up to a,
   and for x up to 0.5; at x = a + sqrt(a) / 2 the first is as large as their sum. */
SMALL(gamma_series_slope)(double a, double x)
{
    double total = 1, term = 1, rest = 0, lacking = 0, inverse_of_x = x < 1e-300 ? 0 : 1 / x;
    double fall = 0, fall_lacking = 0, total_slope = 0, slope_lacking = 0;
    for (double n = 1; term > 1e-18 * total; n++) {
        PAIR below = AT(sum)(n, a), product;
        double factor = x / below.high, inverse = 1 / below.high, sum;
        PAIR back = AT(product)(factor, below.high);
        double lost = ((x - back.high) - back.low) - factor * below.low;
        product = AT(product)(term, factor);
        rest = rest * factor + product.low + product.high * lost * inverse_of_x;
        term = product.high;
        sum = total + term;
        lacking += (term - (sum - total)) + rest;
        total = sum;
        /* by which part the term falls as a rises */
        inverse += fall_lacking;
        sum = fall + inverse;
        fall_lacking = inverse - (sum - fall);
        fall = sum;
        product = AT(product)(term, fall);
        sum = total_slope + product.high;
        slope_lacking += (product.high - (sum - total_slope)) + product.low + (rest * fall + term * fall_lacking);
        total_slope = sum;
    }
    PAIR rise = AT(log_less_digamma)(x, a, 1), product = AT(product)(total, rise.high);
    return product.high
           + (product.low + lacking * rise.high + total * rise.low - (total_slope + slope_lacking));
}

/* As `fraction_length`, for the slope: that says for itself whether the fraction is long enough. Where a is an integer, the
   fraction ends with its a-th numerator, 0, whose derivative is not 0. */
TARGET static int AT(fraction_slope_length)(double a, double x)
{
    double b = x + 1 - a, ratio = 1 / b, upper = 1e300, factor = 0;
    double ratio_slope = ratio * ratio, upper_slope = 0, logarithm_slope = ratio, step = 1;
    int length;
    for (length = 1; length < 100000 && (__builtin_fabs(factor - 1) > 1e-16
                                         || __builtin_fabs(step) > 1e-14 * logarithm_slope); length++) {
        double numerator = length * (a - length), ended = 1 / upper, before = ratio;
        b += 2;
        ratio = 1 / (b + numerator * before);
        upper = b + numerator * ended;
        factor = upper * ratio;
        ratio_slope = -ratio * ratio * (length * before + numerator * ratio_slope - 1);
        upper_slope = (length - numerator * upper_slope * ended) * ended - 1;
        step = upper_slope / upper + ratio_slope / ratio;
        logarithm_slope += step;
    }
    return length + length / 4 + 4;
}

/* The slope of one of the shares. */
TARGET TAPEGRAD_PART_OF_LOOP AT(share) AT(gamma_share_slope)(double a, double x)
{
    AT(share) out = {0, 0, x > a + 0.5 * sqrt(a) && x > 0.5};
    double fraction, fraction_slope = -1;
    PAIR rise, product;
    int length;
    if (!out.upper) {
        out.slope = AT(gamma_series_slope)(a, x);
        return out;
    }
    length = a < 10.5 || x > 1e12 ? LENGTH_OF_SMALL(x) : AT(fraction_slope_length)(a, x);
    fraction = x + 1 - a + 2.0 * length;
    for (int n = length; n > 0; n--) {
        double inverse = 1 / fraction, numerator = n * (a - n);
        fraction_slope = (n - numerator * fraction_slope * inverse) * inverse - 1;
        fraction = (x - a) + (2 * n - 1) + numerator * inverse;
    }
    fraction = 1 / fraction;
    fraction_slope *= -fraction * fraction;
    /* digamma(a) is close to -1 / a for a small order, and beyond the range of doubles for a subnormal one. */
    rise = AT(log_less_digamma)(x, a, 0);
    product = AT(product)(fraction, rise.high);
    out.slope = a < 1e-300 ? fraction : a * (product.high + (product.low + fraction * rise.low + fraction_slope));
    return out;
}

/* 1 - the lower share of a small order, where that is almost 1: 1 - x**a / gamma(a + 1), and the rest of the series. */
FUNCTION(upper_share_of_small)(double a, double x)
{
    double power = expm1(a * log(x) - AT(lgamma_of_one_and)(a)), total = 0, term = 1;
    for (double n = 1; term > 1e-18 || term < -1e-18; n++) {
        term *= -x / n;
        total -= term / (a + n);
    }
    return (1 + power) * a * total - power;
}

/* Arguments beyond which, and at the edges, all functions here are NAN. */
TARGET TAPEGRAD_PART_OF_LOOP int AT(has_shares)(double a, double x)
{
    return a > 0 && x > 0 && a < FAR_ORDER && x <= 1.7976931348623157e308;
}

/* Whether all but nothing is below x (1) or above it (-1): of a large order, where x is far from it. */
TARGET TAPEGRAD_PART_OF_LOOP int AT(far_side)(double a, double x)
{
    return !(a >= FAR_ORDER && x > 0) ? 0 : x < 0.5 * a ? -1 : 0.5 * x > a ? 1 : 0;
}

FUNCTION(igamma)(double a, double x)
{
    AT(share) share;
    double size;
    if (AT(far_side)(a, x))
        return AT(far_side)(a, x) > 0;
    if (!AT(has_shares)(a, x))
        return NAN;
    share = AT(gamma_share)(a, x);
    size = AT(times_gamma_factor)(share.part, a, x);
    return share.upper ? 1 - size : size;
}

FUNCTION(igammac)(double a, double x)
{
    AT(share) share;
    double size;
    if (AT(far_side)(a, x))
        return AT(far_side)(a, x) < 0;
    if (!AT(has_shares)(a, x))
        return NAN;
    if (a < 1 && x <= 0.5)
        return AT(upper_share_of_small)(a, x);
    share = AT(gamma_share)(a, x);
    size = AT(times_gamma_factor)(share.part, a, x);
    return share.upper ? size : 1 - size;
}

/* The derivative of the lower share by a. */
FUNCTION(igamma_slope)(double a, double x)
{
    AT(share) share;
    double size;
    if (AT(far_side)(a, x))
        return 0;
    if (!AT(has_shares)(a, x))
        return NAN;
    share = AT(gamma_share_slope)(a, x);
    size = AT(times_gamma_factor)(share.slope, a, x);
    return share.upper ? -size : size;
}

/* The same, over minus the density x**(a - 1) * exp(-x) / gamma(a): neither is taken by itself, as both may vanish. */
FUNCTION(gamma_sample_slope)(double a, double x)
{
    AT(share) share;
    if (!AT(has_shares)(a, x))
        return NAN;
    share = AT(gamma_share_slope)(a, x);
    share.slope = share.upper ? share.slope : -share.slope;
    /* Neither the product nor the quotient may leave the range of doubles before the other is taken. */
    return x > 1e-200 ? share.slope * x / a : share.slope * (x / a);
}

#undef FAR_ORDER
#undef LENGTH_OF_SMALL
#undef STEPS_AT_ONCE

/* Functions made of exponentials, for `float`, in a form that compilers turn into vectors: no calls, no branches.

   The polynomials were fitted for this file, to the least relative error over their intervals. What needs more
   digits than a float has is computed in double, so that erf and erfc are rounded once. */

#ifndef TAPEGRAD_EXPONENTIALS_H
#define TAPEGRAD_EXPONENTIALS_H

#include <stdint.h>
#include <string.h>

#include "vectors.h"

/* exp(x) for x from -104, where it is 0 in float, to 0. */
static inline float tapegrad_exp_float(float x)
{
    const float shift = 12582912.0f; /* 1.5 * 2^23: a number plus this is rounded to an integer, in its last bits */
    float clamped = x < -104.0f ? -104.0f : x;
    float shifted = clamped * 1.44269504f + shift, n = shifted - shift;
    /* log(2) in two parts, of which the first has few bits, so that its product with n is exact. */
    float r = (clamped - n * 0.693359375f) - n * -2.12194440e-4f;
    float p = 1.3950489e-3f;
    int32_t bits, half, rest;
    float first, second;
    p = p * r + 8.3688896e-3f;
    p = p * r + 4.1666206e-2f;
    p = p * r + 1.6666519e-1f;
    p = p * r + 5.0000001e-1f;
    p = (p * (r * r) + r) + 1.0f;
    memcpy(&bits, &shifted, sizeof bits);
    bits -= 0x4B400000; /* the bits of `shift`: what is left is n */
    /* Two factors, because the power may be too small for a normal number. */
    half = bits >> 1;
    rest = bits - half;
    half = (int32_t)((uint32_t)(half + 127) << 23);
    rest = (int32_t)((uint32_t)(rest + 127) << 23);
    memcpy(&first, &half, sizeof first);
    memcpy(&second, &rest, sizeof second);
    return p * first * second;
}

/* The same in double, to ten digits, for x from -700 to 0. */
static inline double tapegrad_exp_double(double x)
{
    const double shift = 6755399441055744.0; /* 1.5 * 2^52 */
    double shifted = x * 1.4426950408889634 + shift, n = shifted - shift;
    double r = x - n * 0.69314718055994531, factor;
    double p = 1.9917830153864773e-4;
    int64_t bits;
    p = p * r + 1.3946086761884341e-3;
    p = p * r + 8.3332654172564025e-3;
    p = p * r + 4.1666269692330629e-2;
    p = p * r + 1.6666666855818579e-1;
    p = p * r + 5.0000000780132747e-1;
    p = (p * (r * r) + r) + 1.0;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (int64_t)((uint64_t)(bits - 0x4338000000000000 + 1023) << 52);
    memcpy(&factor, &bits, sizeof factor);
    return p * factor;
}

static inline float tapegrad_abs_float(float x)
{
    return x < 0 ? -x : x;
}

/* The exponent is never positive, so nothing overflows and both tails keep their precision. */
static inline float tapegrad_sigmoid_float(float x)
{
    float e = tapegrad_exp_float(-tapegrad_abs_float(x));
    return (x >= 0 ? 1.0f : e) / (1.0f + e);
}

/* log(1 + exp(x)) = max(x, 0) + log(1 + e) with e = exp(-|x|); log(1 + e) = 2 atanh(e / (2 + e)). */
static inline float tapegrad_softplus_float(float x)
{
    float e = tapegrad_exp_float(-tapegrad_abs_float(x)), s = e / (2.0f + e), z = s * s;
    float p = 2.1427641e-1f + z * 2.4301005e-1f;
    p = p * z + 2.8616886e-1f;
    p = p * z + 3.9998878e-1f;
    p = p * z + 6.6666676e-1f;
    return (x > 0 ? x : (x != x ? x : 0)) + (s * 2.0f + s * (z * p));
}

/* erfc(x) for x from 0 to 10.6, where it is 0 in float: exp(-x^2) / (1 + 2 x), times what is nearly constant. */
static inline double tapegrad_tail_of_normal(double x)
{
    double t = (x - 2.0) / (x + 2.0);
    double p = 7.987531532584408e-5;
    p = p * t + 1.7048718107910639e-4;
    p = p * t + -4.0035118572053538e-4;
    p = p * t + -1.4216542896141795e-3;
    p = p * t + 1.2520762452132329e-3;
    p = p * t + 8.7092830889540923e-3;
    p = p * t + -8.0306508697473421e-3;
    p = p * t + -5.4217833300915716e-2;
    p = p * t + 1.6405101400334593e-1;
    p = p * t + -1.6603052268976462e-1;
    p = p * t + -9.2763819850191484e-2;
    p = p * t + 1.276978382699943;
    return tapegrad_exp_double(-x * x) * p / (1.0 + 2.0 * x);
}

static inline float tapegrad_erfc_float(float x)
{
    float size = tapegrad_abs_float(x);
    double tail = tapegrad_tail_of_normal(size > 10.6f ? 10.6f : size);
    return (float)(x < 0 ? 2.0 - tail : tail);
}

static inline float tapegrad_erf_float(float x)
{
    float size = tapegrad_abs_float(x);
    double far = 1.0 - tapegrad_tail_of_normal(size > 10.6f ? 10.6f : size);
    double z = size < 1.0f ? (double)x * x : 1.0;
    double p = 7.8538576384556781e-5;
    p = p * z + -8.0101925004097527e-4;
    p = p * z + 5.1883275577283509e-3;
    p = p * z + -2.6853811867936832e-2;
    p = p * z + 1.1283585147004023e-1;
    p = p * z + -3.761262582409115e-1;
    p = p * z + 1.1283791657266906;
    far = x < 0 ? -far : far;
    return (float)(size < 1.0f ? x * p : far);
}

#endif

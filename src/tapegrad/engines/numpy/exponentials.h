/* The exponential of a `float` in a form that compilers turn into vectors: no calls, no branches. */

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

#endif

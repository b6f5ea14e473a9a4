/* Special functions of doubles and their loops in NumPy's form. A float is computed in double precision and rounded
   once. Each element is computed by itself, so that any cut of an array gives the same bits. */

#ifndef TAPEGRAD_SPECIAL_H
#define TAPEGRAD_SPECIAL_H

#include <numpy/npy_common.h>

typedef double (*tapegrad_of_one)(double x);
typedef double (*tapegrad_of_two)(double x, double y);
typedef double (*tapegrad_of_three)(double x, double y, double z);

typedef struct {
    tapegrad_of_one lgamma, digamma, ndtri, dawsn, expint, spence, fresnel_cos, fresnel_sin, bessel_i0, bessel_i0e, bessel_i1, bessel_i1e,
        bessel_j0, bessel_j1, bessel_k0, bessel_k0e, bessel_k1, bessel_k1e, bessel_y0, bessel_y1;
    tapegrad_of_two igamma, igammac, igamma_slope, gamma_sample_slope, zeta, polygamma, log_beta,
        log_beta_of_floats, digamma_rise;
    tapegrad_of_three beta_share, beta_share_of_floats;
} tapegrad_special;

const tapegrad_special *tapegrad_special_at(int level);

/* The data of a loop is the place of the function's pointer. */
#define LOOPS(T)                                                                                               \
    void tapegrad_of_one_##T(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data);      \
    void tapegrad_of_two_##T(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data);      \
    void tapegrad_of_three_##T(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data);
LOOPS(float)
LOOPS(double)
#undef LOOPS

#endif

/* Sums, maxima and minima of long runs and of columns, for `float` and `double`.

   Each adds to accumulators in double precision, so partial results of both types combine in the same way. */

#ifndef TAPEGRAD_REDUCTIONS_H
#define TAPEGRAD_REDUCTIONS_H

#include <float.h>
#include <math.h>
#include <numpy/npy_common.h>

#include "vectors.h"

enum {
    TAPEGRAD_LANES = 32,    /* independent accumulators: enough to keep any processor's adders busy */
    TAPEGRAD_RUN = 1024,    /* elements that are added up in lanes; longer runs are halved, as in pairwise sums */
    TAPEGRAD_COLUMNS = 512  /* columns that are reduced together: their accumulators stay in the first cache */
};

/* NaN wins: no comparison with it is true, so it stays where it is the accumulator, and is taken where it is the
   new element. These are two plain selections, which gcc turns into vectors. */
#define COMBINATIONS(T)                                                                                      \
    static inline T tapegrad_add_##T(T a, T b) { return a + b; }                                             \
    static inline T tapegrad_multiply_##T(T a, T b) { return a * b; }                                        \
    static inline T tapegrad_larger_##T(T a, T b)                                                            \
    {                                                                                                        \
        T larger = b > a ? b : a;                                                                            \
        return b != b ? b : larger;                                                                          \
    }                                                                                                        \
    static inline T tapegrad_smaller_##T(T a, T b)                                                           \
    {                                                                                                        \
        T smaller = b < a ? b : a;                                                                           \
        return b != b ? b : smaller;                                                                         \
    }
COMBINATIONS(float)
COMBINATIONS(double)
#undef COMBINATIONS

/* The product, without the time that a processor takes to find that nothing is left of it. */
static inline double tapegrad_product(double x, double y)
{
    return fabs(x) < 1e-162 && fabs(y) < 1e-162 ? copysign(0.0, x) * copysign(1.0, y) : x * y;
}

/* How one operation reduces one type. */
typedef struct {
    double start;
    /* `n` elements, `stride` bytes apart, into one accumulator. */
    void (*run)(const char *x, npy_intp n, npy_intp stride, double *out);
    /* `rows` rows, `row_stride` bytes apart, of at most TAPEGRAD_COLUMNS elements, into as many accumulators. */
    void (*columns)(const char *x, npy_intp rows, npy_intp row_stride, npy_intp n, npy_intp stride, double *out);
} tapegrad_reduction;

typedef struct {
    tapegrad_reduction sum, maximum, minimum;
    tapegrad_reduction product; /* in double precision wherever that of the elements does not reach */
    tapegrad_reduction squares; /* in double precision throughout, where sums begin in that of the elements */
    tapegrad_reduction count;   /* of those that are not zero */
} tapegrad_reductions;

#define KERNELS_OF_TYPE "reduction_loops.h"
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE

TAPEGRAD_VERSIONS(tapegrad_reductions)

#endif

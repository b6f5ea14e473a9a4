/* Sums, maxima and minima of long runs and of columns, of `float`, `double` and bfloat16, called half.

   Each adds to accumulators in double precision, so partial results of all kinds combine in the same way. */

#ifndef TAPEGRAD_REDUCTIONS_H
#define TAPEGRAD_REDUCTIONS_H

#include <numpy/npy_common.h>
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "halves.h"
#include "vectors.h"

enum {
    TAPEGRAD_LANES = 32,    /* independent accumulators: as many as TAPEGRAD_FOLD combines */
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
    tapegrad_reduction squares; /* in double precision wherever that of floats does not reach */
    tapegrad_reduction count;   /* of those that are not zero */
    /* Accumulators as results, one after the other, divided by `divisor` unless that is 0. NULL for halves. */
    void (*store)(char *out, const double *values, npy_intp n, double divisor);
} tapegrad_reductions;

enum { TAPEGRAD_OF_FLOAT, TAPEGRAD_OF_DOUBLE, TAPEGRAD_OF_HALF, TAPEGRAD_OF_COUNT };

const tapegrad_reductions *tapegrad_reductions_at(int kind, int level);

/* The function NAME_OF: the sum of TERM(i) over `n` numbers i, few enough for single precision. */
#define TAPEGRAD_TERMS(NAME_OF, PARAMETERS, TERM)                                                            \
    TARGET TAPEGRAD_APART static double NAME_OF PARAMETERS                                                   \
    {                                                                                                        \
        T lane[TAPEGRAD_LANES] = {0}, rest[TAPEGRAD_LANES] = {0};                                            \
        npy_intp whole = n / TAPEGRAD_LANES * TAPEGRAD_LANES, i, j;                                          \
        double out = 0;                                                                                      \
        for (i = 0; i < whole; i += TAPEGRAD_LANES)                                                          \
            for (j = 0; j < TAPEGRAD_LANES; j++)                                                             \
                lane[j] += TERM(i + j);                                                                      \
        if (n - whole > TAPEGRAD_LANES / 4) {                                                                \
            for (j = 0; j < n - whole; j++)                                                                  \
                rest[j] = TERM(whole + j);                                                                   \
            TAPEGRAD_FOLD(rest, TAPEGRAD_PLUS);                                                              \
            out = rest[0];                                                                                   \
        } else {                                                                                             \
            for (i = whole; i < n; i++)                                                                      \
                out += (double)TERM(i);                                                                      \
        }                                                                                                    \
        TAPEGRAD_FOLD(lane, TAPEGRAD_PLUS);                                                                  \
        return whole > 0 ? out + lane[0] : out;                                                              \
    }

/* One number, as a result of this kind; a count is npy_int64. */
static inline void tapegrad_store(int kind, char *out, double value, double divisor)
{
    if (kind == TAPEGRAD_OF_DOUBLE) {
        *(double *)out = divisor != 0 ? value / divisor : value;
        return;
    }
    if (kind == TAPEGRAD_OF_COUNT) {
        *(npy_int64 *)out = (npy_int64)value;
        return;
    }
    float single = divisor != 0 ? (float)value / (float)divisor : (float)value;
    if (kind == TAPEGRAD_OF_FLOAT)
        *(float *)out = single;
    else
        *(npy_uint16 *)out = (npy_uint16)(tapegrad_rounded(single) >> 16);
}

#endif

/* Sums, maxima and minima of long runs and of columns, for `float` and `double`.

   Each adds to accumulators in double precision, so partial results of both types combine in the same way. */

#ifndef TAPEGRAD_REDUCTIONS_H
#define TAPEGRAD_REDUCTIONS_H

#include <numpy/npy_common.h>
#include <numpy/npy_math.h>

#include "vectors.h"

enum {
    TAPEGRAD_LANES = 32,    /* independent accumulators: enough to keep any processor's adders busy */
    TAPEGRAD_RUN = 1024,    /* elements that are added up in lanes; longer runs are halved, as in pairwise sums */
    TAPEGRAD_COLUMNS = 512  /* columns that are reduced together: their accumulators stay in the first cache */
};

/* NaN wins: no comparison with it is true, so as the accumulator it stays, and as the newcomer it is taken.
   Two plain selections, which gcc turns into vectors. */
#define COMBINATIONS(T)                                                                                      \
    static inline T add_##T(T a, T b) { return a + b; }                                                      \
    static inline T larger_##T(T a, T b)                                                                     \
    {                                                                                                        \
        T found = b > a ? b : a;                                                                             \
        return b != b ? b : found;                                                                           \
    }                                                                                                        \
    static inline T smaller_##T(T a, T b)                                                                    \
    {                                                                                                        \
        T found = b < a ? b : a;                                                                             \
        return b != b ? b : found;                                                                           \
    }

COMBINATIONS(float)
COMBINATIONS(double)

/* NAME_run: `n` elements, `stride` bytes apart, into one accumulator.
   NAME_columns: `rows` rows, `row_stride` bytes apart, of at most TAPEGRAD_COLUMNS elements, into as many
   accumulators. Eight rows are combined before the accumulators are touched. */
#define REDUCTION(NAME, T, START, OF)                                                                        \
    TAPEGRAD_WIDE static T NAME##_lanes(const T *x, npy_intp n)                                              \
    {                                                                                                        \
        T lane[TAPEGRAD_LANES];                                                                              \
        npy_intp i, j;                                                                                       \
        for (j = 0; j < TAPEGRAD_LANES; j++)                                                                 \
            lane[j] = x[j];                                                                                  \
        for (i = TAPEGRAD_LANES; i < n; i += TAPEGRAD_LANES)                                                 \
            for (j = 0; j < TAPEGRAD_LANES; j++)                                                             \
                lane[j] = OF##_##T(lane[j], x[i + j]);                                                       \
        for (i = TAPEGRAD_LANES / 2; i > 0; i /= 2)                                                          \
            for (j = 0; j < i; j++)                                                                          \
                lane[j] = OF##_##T(lane[j], lane[j + i]);                                                    \
        return lane[0];                                                                                      \
    }                                                                                                        \
    static double NAME##_contiguous(const T *x, npy_intp n)                                                  \
    {                                                                                                        \
        double out = START;                                                                                  \
        npy_intp whole = n / TAPEGRAD_LANES * TAPEGRAD_LANES;                                                \
        if (n > TAPEGRAD_RUN) {                                                                              \
            npy_intp half = (n / 2 + TAPEGRAD_RUN - 1) / TAPEGRAD_RUN * TAPEGRAD_RUN;                        \
            double first = NAME##_contiguous(x, half), second = NAME##_contiguous(x + half, n - half);       \
            return OF##_double(first, second);                                                               \
        }                                                                                                    \
        if (whole > 0)                                                                                       \
            out = NAME##_lanes(x, whole);                                                                    \
        for (; whole < n; whole++)                                                                           \
            out = OF##_double(out, (double)x[whole]);                                                        \
        return out;                                                                                          \
    }                                                                                                        \
    static void NAME##_run(const char *x, npy_intp n, npy_intp stride, double *out)                          \
    {                                                                                                        \
        double found[4] = {START, START, START, START};                                                      \
        npy_intp i;                                                                                          \
        if (stride == (npy_intp)sizeof(T)) {                                                                 \
            found[0] = NAME##_contiguous((const T *)x, n);                                                   \
            *out = OF##_double(*out, found[0]);                                                              \
            return;                                                                                          \
        }                                                                                                    \
        for (i = 0; i < n; i++)                                                                              \
            found[i % 4] = OF##_double(found[i % 4], (double)*(const T *)(x + i * stride));                  \
        found[0] = OF##_double(found[0], found[1]);                                                          \
        found[2] = OF##_double(found[2], found[3]);                                                          \
        found[0] = OF##_double(found[0], found[2]);                                                          \
        *out = OF##_double(*out, found[0]);                                                                  \
    }                                                                                                        \
    TAPEGRAD_WIDE static void NAME##_columns(const char *x, npy_intp rows, npy_intp row_stride, npy_intp n,  \
                                             npy_intp stride, double *restrict out)                          \
    {                                                                                                        \
        npy_intp i, j;                                                                                       \
        if (stride != (npy_intp)sizeof(T)) {                                                                 \
            for (i = 0; i < rows; i++)                                                                       \
                for (j = 0; j < n; j++)                                                                      \
                    out[j] = OF##_double(out[j], (double)*(const T *)(x + i * row_stride + j * stride));     \
            return;                                                                                          \
        }                                                                                                    \
        for (i = 0; i + 8 <= rows; i += 8) {                                                                 \
            const T *a = (const T *)(x + i * row_stride), *b = (const T *)(x + (i + 1) * row_stride);        \
            const T *c = (const T *)(x + (i + 2) * row_stride), *d = (const T *)(x + (i + 3) * row_stride);  \
            const T *e = (const T *)(x + (i + 4) * row_stride), *f = (const T *)(x + (i + 5) * row_stride);  \
            const T *g = (const T *)(x + (i + 6) * row_stride), *h = (const T *)(x + (i + 7) * row_stride);  \
            for (j = 0; j < n; j++) {                                                                        \
                T ab = OF##_##T(a[j], b[j]), cd = OF##_##T(c[j], d[j]);                                      \
                T ef = OF##_##T(e[j], f[j]), gh = OF##_##T(g[j], h[j]);                                      \
                T front = OF##_##T(ab, cd), back = OF##_##T(ef, gh), all = OF##_##T(front, back);            \
                double wide = all;                                                                           \
                out[j] = OF##_double(out[j], wide);                                                          \
            }                                                                                                \
        }                                                                                                    \
        for (; i < rows; i++) {                                                                              \
            const T *a = (const T *)(x + i * row_stride);                                                    \
            for (j = 0; j < n; j++) {                                                                        \
                double wide = a[j];                                                                          \
                out[j] = OF##_double(out[j], wide);                                                          \
            }                                                                                                \
        }                                                                                                    \
    }

REDUCTION(sum_float, float, 0.0, add)
REDUCTION(sum_double, double, 0.0, add)
REDUCTION(max_float, float, -NPY_INFINITY, larger)
REDUCTION(max_double, double, -NPY_INFINITY, larger)
REDUCTION(min_float, float, NPY_INFINITY, smaller)
REDUCTION(min_double, double, NPY_INFINITY, smaller)

#endif

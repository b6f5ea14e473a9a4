/* Moments, normalisation and its gradient, over runs and over columns, for `float` and `double`.

   The elements of a run share their moments; where columns are taken together, each column has moments of its own.
   Long sums are kept in double precision. */

#ifndef TAPEGRAD_NORMS_H
#define TAPEGRAD_NORMS_H

#include "reductions.h"

enum {
    TAPEGRAD_STRETCH = 1024,    /* terms of a run that are added up in single precision */
    TAPEGRAD_NEAR = 32          /* terms of a column that are */
};

/* x has the shape (kept, reduced, columns, run), and its moments have the shape (kept, columns). */
typedef struct {
    npy_intp kept, reduced, columns, run;
} tapegrad_layout;

/* Work that gives every element of `out` from those at its place and from what its run or column shares:
   TAPEGRAD_SHIFT: (x - mean) * factor + offset
   TAPEGRAD_ADD: the same, added to what is in `out`
   TAPEGRAD_SCALE: dy * factor
   TAPEGRAD_PROJECT: dy * factor + (x - mean) * slope + offset */
enum { TAPEGRAD_SHIFT, TAPEGRAD_ADD, TAPEGRAD_SCALE, TAPEGRAD_PROJECT };

typedef struct {
    tapegrad_layout layout;
    int kind;
    const void *dy, *x, *mean, *factor, *slope, *offset;
    void *out;
    npy_intp rows;
} tapegrad_spread;

/* Work on rows that have moments of their own, whose columns have a scale and an offset of their own. */
typedef struct {
    npy_intp rows, n, part;         /* `part` rows make a block */
    const void *dy, *x, *mean, *factor, *scale, *offset;
    void *out, *by_mean, *by_variance;
    double *by_offset, *by_scale;   /* a row for each block */
    void *spare;                    /* two rows for each block */
} tapegrad_both;

typedef struct {
    void (*run_moments)(const char *x, npy_intp n, double *mean, double *squares);
    void (*column_moments)(const char *x, npy_intp rows, npy_intp row_stride, npy_intp n, double *mean,
                           double *squares);
    void (*run_sums)(const char *dy, const char *x, npy_intp n, const char *mean, double *plain, double *weighted);
    void (*column_sums)(const char *dy, const char *x, npy_intp rows, npy_intp row_stride, npy_intp n,
                        const char *mean, double *plain, double *weighted);
    void (*join)(double count, double *mean, double *squares, double n, const double *more_mean,
                 const double *more_squares, npy_intp columns);
    void (*spread)(void *context, ptrdiff_t begin, ptrdiff_t end);
    void (*shift_rows)(void *context, ptrdiff_t begin, ptrdiff_t end);
    void (*differentiate_blocks)(void *context, ptrdiff_t begin, ptrdiff_t end);
} tapegrad_norms;

const tapegrad_norms *tapegrad_norms_at(int is_double, int level);

#endif

/* Weighted sums of a few rows each, and moments of short rows, of `float` and `double`. */

#ifndef TAPEGRAD_RESAMPLING_H
#define TAPEGRAD_RESAMPLING_H

#include <numpy/npy_common.h>
#include <stddef.h>

#include "vectors.h"

typedef struct {
    const void *x;
    void *out;
    const npy_int64 *indices;   /* `count` for each new row */
    const void *weights;
    npy_intp old, new_rows, inner, count;
} tapegrad_resampling;

typedef struct {
    const void *x;
    void *mean, *variance;
    npy_intp n;
} tapegrad_row_moments;

typedef struct {
    void (*resample)(void *context, ptrdiff_t begin, ptrdiff_t end);
    void (*moments)(void *context, ptrdiff_t begin, ptrdiff_t end);
} tapegrad_row_sums;

#define KERNELS_OF_TYPE "resampling_loops.h"
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE

TAPEGRAD_VERSIONS(tapegrad_row_sums)

#endif

/* Weighted sums of a few rows each, and responses of short rows, of `float` and `double`. */

#ifndef TAPEGRAD_RESAMPLING_H
#define TAPEGRAD_RESAMPLING_H

#include <numpy/npy_common.h>
#include <stddef.h>
#include <string.h>

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
    void *out;
    npy_intp n, radius;
    double bias, alpha;
    double power;               /* of the divisor: 0.5, 0.75 or 1 */
} tapegrad_response;

typedef struct {
    void (*resample)(void *context, ptrdiff_t begin, ptrdiff_t end);
    /* The sum of each element of a row and those up to `radius` away from it. */
    void (*neighbours)(void *context, ptrdiff_t begin, ptrdiff_t end);
    /* Each element divided by a power of `bias` + `alpha` times the sum of its neighbours' squares. */
    void (*respond)(void *context, ptrdiff_t begin, ptrdiff_t end);
} tapegrad_row_sums;

const tapegrad_row_sums *tapegrad_row_sums_at(int is_double, int level);

#endif

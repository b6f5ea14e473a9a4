/* Where the largest or smallest element stands, for `float` and `double`; and whether bytes are all, or any, true. */

#ifndef TAPEGRAD_SEARCHES_H
#define TAPEGRAD_SEARCHES_H

#include <math.h>
#include <numpy/npy_common.h>
#include <stddef.h>
#include <string.h>

#include "vectors.h"

enum { TAPEGRAD_SEARCH_COLUMNS = 256, TAPEGRAD_SEARCH_LANES = 32 };

typedef struct {
    const void *x;
    npy_int64 *out;
    npy_intp n, inner;
    npy_intp blocks;    /* of columns, for each of the outer indices */
    int by_columns;
} tapegrad_search;

typedef struct {
    void (*largest)(void *context, ptrdiff_t begin, ptrdiff_t end);
    void (*smallest)(void *context, ptrdiff_t begin, ptrdiff_t end);
} tapegrad_searches;

#define INDEX_float npy_int32
#define INDEX_double npy_int64
#define KERNELS_OF_TYPE "search_loops.h"
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE
#undef INDEX_float
#undef INDEX_double

TAPEGRAD_VERSIONS(tapegrad_searches)

/* Rows of bytes: whether one of them is `wanted`. */
typedef struct {
    const npy_uint8 *x;
    npy_uint8 *out;
    npy_intp n;
    int wanted;         /* any looks for 1, all for 0 */
} tapegrad_truths;

static void tapegrad_find_truths(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_truths *work = context;
    for (ptrdiff_t row = begin; row < end; row++) {
        int found = work->n > 0 && memchr(work->x + row * work->n, work->wanted, work->n) != NULL;
        work->out[row] = (npy_uint8)(found == work->wanted);
    }
}

#endif

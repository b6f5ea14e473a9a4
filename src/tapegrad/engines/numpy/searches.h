/* Where the largest or smallest element stands, for `float` and `double`; and whether bytes are all, or any, true. */

#ifndef TAPEGRAD_SEARCHES_H
#define TAPEGRAD_SEARCHES_H

#include <numpy/npy_common.h>
#include <math.h>
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

const tapegrad_searches *tapegrad_searches_at(int is_double, int level);

/* Rows of bytes: whether one of them is `wanted`. */
typedef struct {
    const npy_uint8 *x;
    npy_uint8 *out;
    npy_intp n;
    int wanted;         /* any looks for 1, all for 0 */
} tapegrad_truths;

void tapegrad_find_truths(void *context, ptrdiff_t begin, ptrdiff_t end);

#endif

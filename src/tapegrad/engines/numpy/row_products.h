/* A large matrix times a vector. Memory is what such a product waits for, and OpenBLAS reads one stream of it; here
   several rows are read side by side. */

#ifndef TAPEGRAD_ROW_PRODUCTS_H
#define TAPEGRAD_ROW_PRODUCTS_H

#include <numpy/npy_common.h>
#include <stddef.h>

#include "vectors.h"

enum { TAPEGRAD_DOT_LANES = 32 /* accumulators of a row */, TAPEGRAD_SUMMED = 512 /* columns whose sums stay in cache */ };

/* Rows are `step` elements apart. */
typedef struct {
    /* The products of `rows` rows of `length` elements with `x`. */
    void (*dots)(const void *matrix, npy_intp step, npy_intp rows, npy_intp length, const void *x, void *out);
    /* The sum of `rows` rows, each times its element of `x`, for `length` columns. */
    void (*sums)(const void *matrix, npy_intp step, npy_intp rows, npy_intp length, const void *x, void *out);
} tapegrad_row_products;

const tapegrad_row_products *tapegrad_row_products_at(int is_double, int level);

typedef struct {
    const tapegrad_row_products *kernels;
    const char *matrix, *x;
    char *out;
    npy_intp step, rows, length, item;
} tapegrad_row_product;

/* Rows `begin` to `end`. */
void tapegrad_run_dots(void *context, ptrdiff_t begin, ptrdiff_t end);
/* Blocks `begin` to `end` of TAPEGRAD_SUMMED columns. */
void tapegrad_run_sums(void *context, ptrdiff_t begin, ptrdiff_t end);

#endif

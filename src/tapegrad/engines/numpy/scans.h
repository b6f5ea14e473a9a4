/* Running sums and products, and recurrences, along the middle of three axes of contiguous arrays of `float` and
   `double`. Each run goes in its order, element after element, so results do not depend on threads or vectors. */

#ifndef TAPEGRAD_SCANS_H
#define TAPEGRAD_SCANS_H

#include <numpy/npy_common.h>
#include <stddef.h>

#include "vectors.h"

enum {
    TAPEGRAD_ABREAST = 8,        /* rows that are run together, because each waits for its own last sum */
    TAPEGRAD_SCAN_COLUMNS = 512  /* columns that are run together */
};

typedef struct {
    const void *x, *decay;
    void *out;
    npy_intp n, inner;
    npy_intp blocks;    /* of columns, for each of the outer indices; for rows of `inner` 1 there is one */
    npy_intp rows;      /* outer indices */
    int exclusive, reverse, lagged;
} tapegrad_scan;

typedef struct {
    void (*sum)(void *context, ptrdiff_t begin, ptrdiff_t end);
    void (*product)(void *context, ptrdiff_t begin, ptrdiff_t end);
    /* s_k = x_k + decay_k s_{k-1}, or with the decay of the element before if `lagged`. */
    void (*recurrence)(void *context, ptrdiff_t begin, ptrdiff_t end);
} tapegrad_scans;

const tapegrad_scans *tapegrad_scans_at(int is_double, int level);

#endif

/* The largest elements of each row of `float` or `double`, and their places. NaN counts as the largest number. */

#ifndef TAPEGRAD_RANKS_H
#define TAPEGRAD_RANKS_H

#include <numpy/npy_common.h>
#include <stddef.h>

#include "vectors.h"

enum { TAPEGRAD_MOST_RANKS = 32, TAPEGRAD_RANK_BLOCK = 32 };

typedef struct {
    const void *x;
    void *values;
    npy_int32 *places;
    npy_intp n;
    int k;
} tapegrad_ranking;

typedef struct {
    void (*largest)(void *context, ptrdiff_t begin, ptrdiff_t end);
} tapegrad_ranks;

const tapegrad_ranks *tapegrad_ranks_at(int is_double, int level);

#endif

/* The loops of `ranks.h` for elements of type T: KERNELS_OF_TYPE of `each_real.h`; no guard. */

/* Whether `x` comes before `y`, which stands earlier in the row and so wins a tie. */
#define BEFORE(x, y) ((x) > (y) || ((x) != (x) && (y) == (y)))

/* The element at `place` into the sorted list of the `count` largest so far; returns their new number. */
TARGET static inline int NAME(insert)(T x, npy_intp place, T *values, npy_int32 *places, int count, int k)
{
    int at = count < k ? count : k - 1;
    for (; at > 0 && BEFORE(x, values[at - 1]); at--) {
        values[at] = values[at - 1];
        places[at] = places[at - 1];
    }
    values[at] = x;
    places[at] = (npy_int32)place;
    return count < k ? count + 1 : k;
}

TARGET static void NAME(largest_of_row)(const T *x, npy_intp n, int k, T *values, npy_int32 *places)
{
    int count = 0;
    npy_intp i = 0;
    for (; i < n && count < k; i++)
        count = NAME(insert)(x[i], i, values, places, count, k);
    /* Most blocks of a long row have nothing above the least of the list: their elements are only compared. */
    while (i < n) {
        npy_intp end = i + TAPEGRAD_RANK_BLOCK;
        if (end <= n) {
            T least = values[k - 1];
            int found = 0;
            for (npy_intp j = i; j < i + TAPEGRAD_RANK_BLOCK; j++)
                found |= !(x[j] <= least);
            if (!found) {
                i = end;
                continue;
            }
        } else {
            end = n;
        }
        for (; i < end; i++)
            if (BEFORE(x[i], values[k - 1]))
                NAME(insert)(x[i], i, values, places, k, k);
    }
}

TARGET static void NAME(largest)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_ranking *work = context;
    for (ptrdiff_t row = begin; row < end; row++)
        NAME(largest_of_row)((const T *)work->x + row * work->n, work->n, work->k,
                             (T *)work->values + row * work->k, work->places + row * work->k);
}

static const tapegrad_ranks NAME(tapegrad_ranks) = {NAME(largest)};

#undef BEFORE

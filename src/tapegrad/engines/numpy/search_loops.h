/* The loops of `searches.h` for elements of type T: KERNELS_OF_TYPE of `each_real.h`; no guard.

   NaN is never the extreme. Where nothing is above (or below) the start, which is infinite, index 0 is the answer: all
   elements are that infinity or NaN. Of equal elements the first counts. */

#define INDEX TAPEGRAD_JOIN2(INDEX, T)

#define SEARCH(name, START, BEFORE)                                                                          \
    TARGET static T NAME(name##_of_row)(const T *x, npy_intp n)                                              \
    {                                                                                                        \
        T lane[TAPEGRAD_SEARCH_LANES], best = START;                                                         \
        npy_intp i = 0;                                                                                      \
        if (n >= TAPEGRAD_SEARCH_LANES) {                                                                    \
            for (npy_intp j = 0; j < TAPEGRAD_SEARCH_LANES; j++)                                             \
                lane[j] = START;                                                                             \
            for (; i + TAPEGRAD_SEARCH_LANES <= n; i += TAPEGRAD_SEARCH_LANES)                               \
                for (npy_intp j = 0; j < TAPEGRAD_SEARCH_LANES; j++)                                         \
                    lane[j] = x[i + j] BEFORE lane[j] ? x[i + j] : lane[j];                                  \
            for (npy_intp j = 0; j < TAPEGRAD_SEARCH_LANES; j++)                                             \
                best = lane[j] BEFORE best ? lane[j] : best;                                                 \
        }                                                                                                    \
        for (; i < n; i++)                                                                                   \
            best = x[i] BEFORE best ? x[i] : best;                                                           \
        return best;                                                                                         \
    }                                                                                                        \
    TARGET static npy_int64 NAME(name##_in_row)(const T *x, npy_intp n)                                      \
    {                                                                                                        \
        T best;                                                                                              \
        npy_intp i = 0;                                                                                      \
        if (n <= TAPEGRAD_SEARCH_LANES) {                                                                    \
            npy_intp place = 0;                                                                              \
            best = START;                                                                                    \
            for (; i < n; i++) {                                                                             \
                place = x[i] BEFORE best ? i : place;                                                        \
                best = x[i] BEFORE best ? x[i] : best;                                                       \
            }                                                                                                \
            return place;                                                                                    \
        }                                                                                                    \
        best = NAME(name##_of_row)(x, n);                                                                    \
        if (best == START)                                                                                   \
            return 0;                                                                                        \
        for (; i + TAPEGRAD_SEARCH_LANES <= n; i += TAPEGRAD_SEARCH_LANES) {                                 \
            int found = 0;                                                                                   \
            for (npy_intp j = 0; j < TAPEGRAD_SEARCH_LANES; j++)                                             \
                found |= x[i + j] == best;                                                                   \
            if (found)                                                                                       \
                break;                                                                                       \
        }                                                                                                    \
        while (x[i] != best)                                                                                 \
            i++;                                                                                             \
        return i;                                                                                            \
    }                                                                                                        \
    TARGET static void NAME(name##_in_columns)(const T *x, npy_intp n, npy_intp inner, npy_intp width,       \
                                               npy_int64 *out)                                               \
    {                                                                                                        \
        T best[TAPEGRAD_SEARCH_COLUMNS];                                                                     \
        INDEX place[TAPEGRAD_SEARCH_COLUMNS];                                                                \
        for (npy_intp j = 0; j < width; j++) {                                                               \
            best[j] = START;                                                                                 \
            place[j] = 0;                                                                                    \
        }                                                                                                    \
        for (npy_intp i = 0; i < n; i++, x += inner)                                                         \
            for (npy_intp j = 0; j < width; j++) {                                                           \
                place[j] = x[j] BEFORE best[j] ? (INDEX)i : place[j];                                        \
                best[j] = x[j] BEFORE best[j] ? x[j] : best[j];                                              \
            }                                                                                                \
        for (npy_intp j = 0; j < width; j++)                                                                 \
            out[j] = place[j];                                                                               \
    }                                                                                                        \
    TARGET static void NAME(name##_search)(void *context, ptrdiff_t begin, ptrdiff_t end)                    \
    {                                                                                                        \
        const tapegrad_search *work = context;                                                               \
        const T *x = work->x;                                                                                \
        for (ptrdiff_t unit = begin; unit < end; unit++) {                                                   \
            npy_intp outer, column, rest;                                                                    \
            if (!work->by_columns) {                                                                         \
                work->out[unit] = NAME(name##_in_row)(x + unit * work->n, work->n);                          \
                continue;                                                                                    \
            }                                                                                                \
            outer = unit / work->blocks;                                                                     \
            column = (unit - outer * work->blocks) * TAPEGRAD_SEARCH_COLUMNS;                                \
            rest = work->inner - column;                                                                     \
            NAME(name##_in_columns)(x + outer * work->n * work->inner + column, work->n, work->inner,        \
                                    rest < TAPEGRAD_SEARCH_COLUMNS ? rest : TAPEGRAD_SEARCH_COLUMNS,         \
                                    work->out + outer * work->inner + column);                               \
        }                                                                                                    \
    }
SEARCH(largest, -INFINITY, >)
SEARCH(smallest, INFINITY, <)

static const tapegrad_searches NAME(tapegrad_searches) = {NAME(largest_search), NAME(smallest_search)};

#undef INDEX
#undef SEARCH

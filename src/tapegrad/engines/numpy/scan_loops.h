/* The loops of `scans.h` for elements of type T: KERNELS_OF_TYPE of `each_real.h`; no guard.

   A step is an index into a run; `place` says which element that is. */

#define ADDED(old, x) ((old) + (x))
#define MULTIPLIED(old, x) ((old) * (x))

#define SCAN(name, START, OF)                                                                                \
    TARGET static void NAME(name##_rows)(const tapegrad_scan *work, npy_intp row, npy_intp count)            \
    {                                                                                                        \
        npy_intp n = work->n, step = work->reverse ? -1 : 1, place = work->reverse ? n - 1 : 0;              \
        const T *x = (const T *)work->x + row * n + place;                                                   \
        T *out = (T *)work->out + row * n + place;                                                           \
        T last[TAPEGRAD_ABREAST];                                                                            \
        for (npy_intp j = 0; j < count; j++) {                                                               \
            last[j] = x[j * n];                                                                              \
            out[j * n] = work->exclusive ? (T)START : last[j];                                               \
        }                                                                                                    \
        if (work->exclusive)                                                                                 \
            for (npy_intp j = 0; j < count; j++)                                                             \
                last[j] = OF((T)START, last[j]);                                                             \
        if (count == TAPEGRAD_ABREAST && work->exclusive) {                                                  \
            for (npy_intp k = 1; k < n; k++)                                                                 \
                for (npy_intp j = 0; j < TAPEGRAD_ABREAST; j++) {                                            \
                    out[j * n + k * step] = last[j];                                                         \
                    last[j] = OF(last[j], x[j * n + k * step]);                                              \
                }                                                                                            \
            return;                                                                                          \
        }                                                                                                    \
        if (count == TAPEGRAD_ABREAST) {                                                                     \
            for (npy_intp k = 1; k < n; k++)                                                                 \
                for (npy_intp j = 0; j < TAPEGRAD_ABREAST; j++) {                                            \
                    last[j] = OF(last[j], x[j * n + k * step]);                                              \
                    out[j * n + k * step] = last[j];                                                         \
                }                                                                                            \
            return;                                                                                          \
        }                                                                                                    \
        for (npy_intp j = 0; j < count; j++) {                                                               \
            T one = last[j];                                                                                 \
            for (npy_intp k = 1; k < n; k++) {                                                               \
                T next = OF(one, x[j * n + k * step]);                                                       \
                out[j * n + k * step] = work->exclusive ? one : next;                                        \
                one = next;                                                                                  \
            }                                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    TARGET static void NAME(name##_columns)(const tapegrad_scan *work, npy_intp offset, npy_intp width)      \
    {                                                                                                        \
        npy_intp inner = work->inner, n = work->n, step = work->reverse ? -inner : inner;                    \
        const T *restrict x = (const T *)work->x + offset + (work->reverse ? (n - 1) * inner : 0);           \
        T *restrict out = (T *)work->out + offset + (work->reverse ? (n - 1) * inner : 0);                   \
        T last[TAPEGRAD_SCAN_COLUMNS];                                                                       \
        for (npy_intp j = 0; j < width; j++) {                                                               \
            out[j] = work->exclusive ? (T)START : x[j];                                                      \
            last[j] = work->exclusive ? OF((T)START, x[j]) : x[j];                                           \
        }                                                                                                    \
        for (npy_intp k = 1; k < n; k++) {                                                                   \
            x += step;                                                                                       \
            out += step;                                                                                     \
            if (work->exclusive)                                                                             \
                for (npy_intp j = 0; j < width; j++) {                                                       \
                    out[j] = last[j];                                                                        \
                    last[j] = OF(last[j], x[j]);                                                             \
                }                                                                                            \
            else                                                                                             \
                for (npy_intp j = 0; j < width; j++)                                                         \
                    out[j] = last[j] = OF(last[j], x[j]);                                                    \
        }                                                                                                    \
    }
SCAN(sum, 0, ADDED)
SCAN(product, 1, MULTIPLIED)

TARGET static void NAME(recurrence_rows)(const tapegrad_scan *work, npy_intp row, npy_intp count)
{
    npy_intp n = work->n, step = work->reverse ? -1 : 1, place = work->reverse ? n - 1 : 0;
    const T *x = (const T *)work->x + row * n + place, *decay = (const T *)work->decay + row * n + place;
    T *out = (T *)work->out + row * n + place;
    T last[TAPEGRAD_ABREAST];
    decay += work->lagged ? 0 : step;
    for (npy_intp j = 0; j < count; j++)
        out[j * n] = last[j] = x[j * n];
    for (npy_intp k = 1; k < n; k++)
        for (npy_intp j = 0; j < count; j++) {
            T kept = decay[j * n + (k - 1) * step] * last[j];
            out[j * n + k * step] = last[j] = x[j * n + k * step] + kept;
        }
}

TARGET static void NAME(recurrence_columns)(const tapegrad_scan *work, npy_intp offset, npy_intp width)
{
    npy_intp inner = work->inner, n = work->n, step = work->reverse ? -inner : inner;
    npy_intp first = offset + (work->reverse ? (n - 1) * inner : 0);
    const T *restrict x = (const T *)work->x + first, *restrict decay = (const T *)work->decay + first;
    T *restrict out = (T *)work->out + first;
    T last[TAPEGRAD_SCAN_COLUMNS];
    decay += work->lagged ? 0 : step;
    for (npy_intp j = 0; j < width; j++)
        out[j] = last[j] = x[j];
    for (npy_intp k = 1; k < n; k++) {
        x += step;
        out += step;
        for (npy_intp j = 0; j < width; j++) {
            T kept = decay[j] * last[j];
            out[j] = last[j] = x[j] + kept;
        }
        decay += step;
    }
}

#define RUNS(name)                                                                                           \
    TARGET static void NAME(name##_runs)(void *context, ptrdiff_t begin, ptrdiff_t end)                      \
    {                                                                                                        \
        const tapegrad_scan *work = context;                                                                 \
        for (ptrdiff_t unit = begin; unit < end; unit++) {                                                   \
            if (work->inner == 1) {                                                                          \
                npy_intp row = unit * TAPEGRAD_ABREAST, rest = work->rows - row;                             \
                NAME(name##_rows)(work, row, rest < TAPEGRAD_ABREAST ? rest : TAPEGRAD_ABREAST);             \
            } else {                                                                                         \
                npy_intp outer = unit / work->blocks;                                                        \
                npy_intp column = (unit - outer * work->blocks) * TAPEGRAD_SCAN_COLUMNS;                     \
                npy_intp rest = work->inner - column;                                                        \
                NAME(name##_columns)(work, outer * work->n * work->inner + column,                           \
                                     rest < TAPEGRAD_SCAN_COLUMNS ? rest : TAPEGRAD_SCAN_COLUMNS);           \
            }                                                                                                \
        }                                                                                                    \
    }
RUNS(sum)
RUNS(product)
RUNS(recurrence)

static const tapegrad_scans NAME(tapegrad_scans) = {
    NAME(sum_runs), NAME(product_runs), NAME(recurrence_runs)};

#undef ADDED
#undef MULTIPLIED
#undef SCAN
#undef RUNS

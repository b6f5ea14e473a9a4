/* The loops of `resampling.h` for elements of type T: KERNELS_OF_TYPE of `each_real.h`; no guard. */

TARGET static void NAME(first_term)(const T *restrict x, T weight, T *restrict out, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++)
        out[i] = x[i] * weight;
}

TARGET static void NAME(next_term)(const T *restrict x, T weight, T *restrict out, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++) {
        T term = x[i] * weight;
        out[i] = out[i] + term;
    }
}

/* A weight of 0 leaves its row out, even where zero times infinity would be NaN. */
TARGET static void NAME(resample)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_resampling *work = context;
    npy_intp inner = work->inner, count = work->count;
    for (ptrdiff_t unit = begin; unit < end; unit++) {
        npy_intp outer = unit / work->new_rows, row = unit - outer * work->new_rows;
        const T *x = (const T *)work->x + outer * work->old * inner;
        const T *weights = (const T *)work->weights + row * count;
        const npy_int64 *indices = work->indices + row * count;
        T *out = (T *)work->out + unit * inner;
        int begun = 0;
        for (npy_intp k = 0; k < count; k++) {
            if (weights[k] == 0)
                continue;
            if (begun)
                NAME(next_term)(x + indices[k] * inner, weights[k], out, inner);
            else
                NAME(first_term)(x + indices[k] * inner, weights[k], out, inner);
            begun = 1;
        }
        for (npy_intp i = 0; !begun && i < inner; i++)
            out[i] = 0;
    }
}

/* The mean first, and then the deviations from it, while the row is in the first cache. */
TARGET static void NAME(moments)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_row_moments *work = context;
    for (ptrdiff_t row = begin; row < end; row++) {
        const T *x = (const T *)work->x + row * work->n;
        double lane[8] = {0}, mean, total;
        npy_intp i = 0, j, n = work->n;
        for (; i + 8 <= n; i += 8)
            for (j = 0; j < 8; j++)
                lane[j] += x[i + j];
        for (; i < n; i++)
            lane[0] += x[i];
        mean = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
        mean /= n;
        for (j = 0; j < 8; j++)
            lane[j] = 0;
        for (i = 0; i + 8 <= n; i += 8)
            for (j = 0; j < 8; j++) {
                double off = x[i + j] - mean;
                lane[j] += off * off;
            }
        for (; i < n; i++)
            lane[0] += (x[i] - mean) * (x[i] - mean);
        total = ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
        ((T *)work->mean)[row] = (T)mean;
        ((T *)work->variance)[row] = (T)(total / n);
    }
}

static const tapegrad_row_sums NAME(tapegrad_row_sums) = {NAME(resample), NAME(moments)};

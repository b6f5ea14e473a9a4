/* The loops of `norms.h` for elements of type T: KERNELS_OF_TYPE of `each_real.h`; no guard. */

/* Join the moments of `n` more elements to those of `count`, of each of so many columns: Chan's rule, in which
   nothing cancels. */
TARGET static void NAME(join)(double count, double *restrict mean, double *restrict squares, double n,
                              const double *restrict more_mean, const double *restrict more_squares,
                              npy_intp columns)
{
    double share = n / (count + n), weight = count * share;
    for (npy_intp i = 0; i < columns; i++) {
        double distance = more_mean[i] - mean[i];
        mean[i] += distance * share;
        squares[i] += more_squares[i] + distance * distance * weight;
    }
}

/* Sums of (x - mean)^2, and of dy * (x - mean), of at most TAPEGRAD_STRETCH elements. */
#define SQUARE(i) ((x[i] - mean) * (x[i] - mean))
#define PRODUCT(i) (dy[i] * (x[i] - mean))
TAPEGRAD_TERMS(NAME(squares), (const T *x, T mean, npy_intp n), SQUARE)
TAPEGRAD_TERMS(NAME(weighted), (const T *dy, const T *x, T mean, npy_intp n), PRODUCT)
#undef SQUARE
#undef PRODUCT

/* The mean of a run, and the sum of squares around it. */
TARGET static void NAME(run_moments)(const char *run, npy_intp n, double *mean, double *squares)
{
    const T *x = (const T *)run;
    double sum = 0;
    *mean = NAME(sum_contiguous)(x, n) / (double)n;
    for (npy_intp i = 0; i < n; i += TAPEGRAD_STRETCH)
        sum += NAME(squares)(x + i, (T)*mean, n - i < TAPEGRAD_STRETCH ? n - i : TAPEGRAD_STRETCH);
    *squares = tapegrad_centre(sum, (double)n, *mean - (double)(T)*mean);
}

/* Sums of x - shift and of its square, of at most TAPEGRAD_COLUMNS columns. */
TARGET static void NAME(column_shifted)(const char *x, npy_intp rows, npy_intp row_stride,
                                        npy_intp n, const T *restrict shift,
                                        double *restrict plain, double *restrict squares)
{
    T near[TAPEGRAD_COLUMNS], near_squares[TAPEGRAD_COLUMNS];
    npy_intp row = 0, end;
    while (row < rows) {
        end = rows - row < TAPEGRAD_NEAR ? rows : row + TAPEGRAD_NEAR;
        EACH(n) near[i] = near_squares[i] = 0;
        for (; row + 4 <= end; row += 4) {
            const T *a = (const T *)(x + row * row_stride);
            const T *b = (const T *)(x + (row + 1) * row_stride);
            const T *c = (const T *)(x + (row + 2) * row_stride);
            const T *d = (const T *)(x + (row + 3) * row_stride);
            EACH(n) {
                T p = a[i] - shift[i], q = b[i] - shift[i], r = c[i] - shift[i], s = d[i] - shift[i];
                near[i] += (p + q) + (r + s);
                near_squares[i] += (p * p + q * q) + (r * r + s * s);
            }
        }
        for (; row < end; row++) {
            const T *a = (const T *)(x + row * row_stride);
            EACH(n) {
                near[i] += a[i] - shift[i];
                near_squares[i] += (a[i] - shift[i]) * (a[i] - shift[i]);
            }
        }
        EACH(n) {
            plain[i] += (double)near[i];
            squares[i] += (double)near_squares[i];
        }
    }
}

/* The moments of as many columns, in one pass, around the mean of the first rows: the square of its
   distance from the mean of all, times their number, is at most 7 times the sum of squares where they
   are 8 times as many, so little cancels. */
TARGET static void NAME(column_moments)(const char *x, npy_intp rows, npy_intp row_stride, npy_intp n,
                                        double *mean, double *squares)
{
    T shift[TAPEGRAD_COLUMNS];
    npy_intp first = rows / 8 > 16 ? rows / 8 : rows < 16 ? rows : 16;
    EACH(n) mean[i] = squares[i] = 0;
    NAME(sum_columns)(x, first, row_stride, n, sizeof(T), mean);
    EACH(n) {
        shift[i] = (T)(mean[i] / (double)first);
        if (!isfinite(shift[i]))
            shift[i] = 0;
        mean[i] = 0;
    }
    NAME(column_shifted)(x, rows, row_stride, n, shift, mean, squares);
    EACH(n) {
        mean[i] /= (double)rows;
        squares[i] = tapegrad_centre(squares[i], (double)rows, mean[i]);
        mean[i] += (double)shift[i];
    }
}

/* Sums of dy, and of dy * (x - mean). */
TARGET static void NAME(run_sums)(const char *gradient, const char *run, npy_intp n, const char *mean,
                            double *plain, double *weighted)
{
    const T *dy = (const T *)gradient, *x = (const T *)run;
    *plain = NAME(sum_contiguous)(dy, n);
    *weighted = 0;
    for (npy_intp i = 0; i < n; i += TAPEGRAD_STRETCH)
        *weighted += NAME(weighted)(dy + i, x + i, *(const T *)mean,
                                     n - i < TAPEGRAD_STRETCH ? n - i : TAPEGRAD_STRETCH);
}

TARGET static void NAME(column_sums)(const char *dy, const char *x, npy_intp rows,
                                     npy_intp row_stride, npy_intp n, const char *means,
                                     double *restrict plain, double *restrict weighted)
{
    const T *mean = (const T *)means;
    T near[TAPEGRAD_COLUMNS], near_weighted[TAPEGRAD_COLUMNS];
    npy_intp row = 0, end;
    EACH(n) plain[i] = weighted[i] = 0;
    while (row < rows) {
        end = rows - row < TAPEGRAD_NEAR ? rows : row + TAPEGRAD_NEAR;
        EACH(n) near[i] = near_weighted[i] = 0;
        for (; row < end; row++) {
            const T *a = (const T *)(x + row * row_stride), *g = (const T *)(dy + row * row_stride);
            EACH(n) {
                near[i] += g[i];
                near_weighted[i] += g[i] * (a[i] - mean[i]);
            }
        }
        EACH(n) {
            plain[i] += (double)near[i];
            weighted[i] += (double)near_weighted[i];
        }
    }
}

/* (x - mean) * factor + offset */
TARGET static void NAME(shift_run)(const T *x, T mean, T factor, T offset, T *out, npy_intp n)
{
    EACH(n) out[i] = (x[i] - mean) * factor + offset;
}

TARGET static void NAME(shift_columns)(const T *x, const T *mean, const T *factor,
                                       const T *offset, T *restrict out, npy_intp n)
{
    EACH(n) out[i] = (x[i] - mean[i]) * factor[i] + offset[i];
}

TARGET static void NAME(add_run)(const T *x, T mean, T factor, T offset, T *restrict out, npy_intp n)
{
    EACH(n) out[i] += (x[i] - mean) * factor + offset;
}

TARGET static void NAME(add_columns)(const T *x, const T *mean, const T *factor, const T *offset,
                                     T *restrict out, npy_intp n)
{
    EACH(n) out[i] += (x[i] - mean[i]) * factor[i] + offset[i];
}

TARGET static void NAME(shift_both)(const T *x, T mean, T factor, const T *scale,
                                    const T *offset, T *restrict out, npy_intp n)
{
    EACH(n) out[i] = (x[i] - mean) * factor * scale[i] + offset[i];
}

/* dy * factor, and with more for what goes through the moments: + (x - mean) * slope + offset */
TARGET static void NAME(scale_run)(const T *dy, T factor, T *out, npy_intp n)
{
    EACH(n) out[i] = dy[i] * factor;
}

TARGET static void NAME(scale_columns)(const T *dy, const T *factor, T *restrict out,
                                       npy_intp n)
{
    EACH(n) out[i] = dy[i] * factor[i];
}

TARGET static void NAME(project_run)(const T *dy, const T *x, T factor, T mean, T slope,
                                     T offset, T *restrict out, npy_intp n)
{
    EACH(n) out[i] = dy[i] * factor + ((x[i] - mean) * slope + offset);
}

TARGET static void NAME(project_columns)(const T *dy, const T *x, const T *factor,
                                         const T *mean, const T *slope, const T *offset,
                                         T *restrict out, npy_intp n)
{
    EACH(n) out[i] = dy[i] * factor[i] + ((x[i] - mean[i]) * slope[i] + offset[i]);
}

/* At most TAPEGRAD_STRETCH elements of a row that has its own mean and factor, and columns that have
   their own scale: what goes to x besides its moments, and to the sums for all four. */
TARGET static void NAME(both_stretch)(const T *dy, const T *x, T mean, T factor, const T *scale,
                                      T *restrict dx, T *restrict by_offset,
                                      T *restrict by_scale, npy_intp n, double *sums)
{
    T plain[TAPEGRAD_LANES] = {0}, weighted[TAPEGRAD_LANES] = {0};
    npy_intp i = 0, j;
    for (; i + TAPEGRAD_LANES <= n; i += TAPEGRAD_LANES)
        for (j = 0; j < TAPEGRAD_LANES; j++) {
            T scaled = dy[i + j] * scale[i + j], normal = (x[i + j] - mean) * factor;
            dx[i + j] = scaled * factor;
            by_offset[i + j] += dy[i + j];
            by_scale[i + j] += dy[i + j] * normal;
            plain[j] += scaled;
            weighted[j] += scaled * normal;
        }
    for (; i < n; i++) {
        T scaled = dy[i] * scale[i], normal = (x[i] - mean) * factor;
        dx[i] = scaled * factor;
        by_offset[i] += dy[i];
        by_scale[i] += dy[i] * normal;
        sums[0] += (double)scaled;
        sums[1] += (double)(scaled * normal);
    }
    if (n < TAPEGRAD_LANES)
        return;
    sums[0] += (double)NAME(sum_of_lanes)(plain);
    sums[1] += (double)NAME(sum_of_lanes)(weighted);
}

/* The gradients of all rows of a block. `by_offset` and `by_scale` are sums over its rows, `spare` has room for two
   rows, and `by_mean` and `by_variance` have an element for each row. */
TARGET static void NAME(both_grad)(const T *dy, const T *x, const T *mean, const T *factor, const T *scale,
                             T *dx, T *by_mean, T *by_variance, double *by_offset, double *by_scale,
                             T *spare, npy_intp rows, npy_intp n)
{
    npy_intp row, i;
    for (i = 0; i < n; i++)
        by_offset[i] = by_scale[i] = spare[i] = spare[n + i] = 0;
    for (row = 0; row < rows; row++) {
        double sums[2] = {0, 0};
        T r = factor[row];
        for (i = 0; i < n; i += TAPEGRAD_STRETCH)
            NAME(both_stretch)(dy + row * n + i, x + row * n + i, mean[row], r, scale + i,
                                dx + row * n + i, spare + i, spare + n + i,
                                n - i < TAPEGRAD_STRETCH ? n - i : TAPEGRAD_STRETCH, sums);
        by_mean[row] = -(T)sums[0] * r;
        if (isinf(r)) {
            /* A constant row: the normal of x is 0 * inf. Without r the sum may be 0, and then the gradient is 0. */
            double weighted = 0;
            for (i = 0; i < n; i++)
                weighted += (double)(dy[row * n + i] * scale[i] * (x[row * n + i] - mean[row]));
            by_variance[row] = weighted == 0 ? 0 : (T)-0.5 * (T)weighted * r;
        } else
            by_variance[row] = (T)-0.5 * (T)sums[1] * r * r;
        if (row % 16 == 15 || row == rows - 1)
            for (i = 0; i < n; i++) {
                by_offset[i] += (double)spare[i];
                by_scale[i] += (double)spare[n + i];
                spare[i] = spare[n + i] = 0;
            }
    }
}

/* The runs `begin` to `end`, or the rows where there are no runs, counted from the last: the sums were taken from the
   first row on, so the last rows are still in cache. */
TARGET static void NAME(spread)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_spread *work = context;
    npy_intp columns = work->layout.columns, run = work->layout.run, n = run > 1 ? run : columns;
    const T *mean = work->mean, *factor = work->factor, *slope = work->slope, *offset = work->offset;
    for (npy_intp row = work->rows - end; row < work->rows - begin; row++) {
        const T *dy = work->dy ? (const T *)work->dy + row * n : NULL;
        const T *x = work->x ? (const T *)work->x + row * n : NULL;
        T *out = (T *)work->out + row * n;
        if (run > 1) {
            npy_intp i = row % columns + row / (columns * work->layout.reduced) * columns;
            if (work->kind == TAPEGRAD_SHIFT)
                NAME(shift_run)(x, mean[i], factor[i], offset[i], out, n);
            else if (work->kind == TAPEGRAD_ADD)
                NAME(add_run)(x, mean[i], factor[i], offset[i], out, n);
            else if (work->kind == TAPEGRAD_SCALE)
                NAME(scale_run)(dy, factor[i], out, n);
            else
                NAME(project_run)(dy, x, factor[i], mean[i], slope[i], offset[i], out, n);
        } else {
            npy_intp i = row / work->layout.reduced * columns;
            if (work->kind == TAPEGRAD_SHIFT)
                NAME(shift_columns)(x, mean + i, factor + i, offset + i, out, n);
            else if (work->kind == TAPEGRAD_ADD)
                NAME(add_columns)(x, mean + i, factor + i, offset + i, out, n);
            else if (work->kind == TAPEGRAD_SCALE)
                NAME(scale_columns)(dy, factor + i, out, n);
            else
                NAME(project_columns)(dy, x, factor + i, mean + i, slope + i, offset + i, out, n);
        }
    }
}

/* The rows `begin` to `end`. */
TARGET static void NAME(shift_rows)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_both *work = context;
    for (ptrdiff_t row = begin; row < end; row++)
        NAME(shift_both)((const T *)work->x + row * work->n, ((const T *)work->mean)[row],
                         ((const T *)work->factor)[row], work->scale, work->offset,
                         (T *)work->out + row * work->n, work->n);
}

/* The blocks of rows `begin` to `end`. */
TARGET static void NAME(differentiate_blocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_both *work = context;
    npy_intp n = work->n;
    for (ptrdiff_t block = begin; block < end; block++) {
        npy_intp row = block * work->part, rows = work->rows - row < work->part ? work->rows - row : work->part;
        NAME(both_grad)((const T *)work->dy + row * n, (const T *)work->x + row * n, (const T *)work->mean + row,
                        (const T *)work->factor + row, work->scale, (T *)work->out + row * n,
                        (T *)work->by_mean + row, (T *)work->by_variance + row, work->by_offset + block * n,
                        work->by_scale + block * n, (T *)work->spare + 2 * block * n, rows, n);
    }
}

static const tapegrad_norms NAME(tapegrad_norms) = {
    NAME(run_moments), NAME(column_moments), NAME(run_sums), NAME(column_sums), NAME(join), NAME(spread),
    NAME(shift_rows), NAME(differentiate_blocks)};

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

/* Two to four terms in one pass, added up in their order. */
TARGET TAPEGRAD_PART_OF_LOOP void NAME(few_terms)(const T *restrict x, const npy_int64 *indices, const T *weights,
                                                  int count, T *restrict out, npy_intp n)
{
    const T *a = x + indices[0] * n, *b = x + indices[1] * n;
    const T *c = x + indices[count > 2 ? 2 : 0] * n, *d = x + indices[count > 3 ? 3 : 0] * n;
    T of_a = weights[0], of_b = weights[1], of_c = weights[count > 2 ? 2 : 0], of_d = weights[count > 3 ? 3 : 0];
    for (npy_intp i = 0; i < n; i++) {
        T sum = a[i] * of_a, term = b[i] * of_b;
        sum = sum + term;
        if (count > 2) {
            term = c[i] * of_c;
            sum = sum + term;
        }
        if (count > 3) {
            term = d[i] * of_d;
            sum = sum + term;
        }
        out[i] = sum;
    }
}

/* The same for pixels of few channels, of which the compiler knows how many there are. */
#define FEW_TERMS(count)                                                                                     \
    if (inner == 1)                                                                                          \
        NAME(few_terms)(x, indices, weights, count, out, 1);                                                 \
    else if (inner == 3)                                                                                     \
        NAME(few_terms)(x, indices, weights, count, out, 3);                                                 \
    else if (inner == 4)                                                                                     \
        NAME(few_terms)(x, indices, weights, count, out, 4);                                                 \
    else                                                                                                     \
        NAME(few_terms)(x, indices, weights, count, out, inner);

/* A weight of 0 leaves its row out, even where zero times infinity would be NaN. */
TARGET static void NAME(resample)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_resampling *work = context;
    npy_intp inner = work->inner, count = work->count;
    ptrdiff_t outer = begin / work->new_rows;
    npy_intp row = begin - outer * work->new_rows;
    for (ptrdiff_t unit = begin; unit < end; unit++, row++) {
        if (row == work->new_rows) {
            row = 0;
            outer++;
        }
        const T *x = (const T *)work->x + outer * work->old * inner;
        const T *weights = (const T *)work->weights + row * count;
        const npy_int64 *indices = work->indices + row * count;
        T *out = (T *)work->out + unit * inner;
        int begun = 0;
        if (count == 4 && weights[0] != 0 && weights[1] != 0 && weights[2] != 0 && weights[3] != 0) {
            FEW_TERMS(4)
            continue;
        }
        if (count == 2 && weights[0] != 0 && weights[1] != 0) {
            FEW_TERMS(2)
            continue;
        }
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
#undef FEW_TERMS

#define ROOT(x) ((T)(sizeof(T) == sizeof(float) ? __builtin_sqrtf((float)(x)) : __builtin_sqrt(x)))

typedef T NAME(beside) __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));

/* The sum of each of `n` numbers and those up to `most` away from it. Before and after the numbers come so many zeros,
   and after these a vector of anything. */
TARGET static void NAME(sums_around)(const T *x, npy_intp n, npy_intp most, T *out)
{
    enum { LANES = VECTOR / sizeof(T) };
    NAME(beside) last;
    npy_intp i = 0;
    for (; i < n; i += LANES) {
        NAME(beside) sum = *(const NAME(beside) *)(x + i);
        for (npy_intp d = 1; d <= most; d++) {
            sum += *(const NAME(beside) *)(x + i - d);
            sum += *(const NAME(beside) *)(x + i + d);
        }
        if (i + LANES <= n)
            *(NAME(beside) *)(out + i) = sum;
        else {
            last = sum;
            memcpy(out + i, &last, (n - i) * sizeof(T));
        }
    }
}

enum { NAME(short_row) = 256, NAME(some_rows) = 1024 };

/* The sums of a few short rows, which wait side by side with zeros between them: vectors that were just written in other
   pieces than they are read in take long to read. `padded` holds zeros wherever no row is written. */
TARGET static void NAME(sum_short_rows)(const T *x, npy_intp rows, npy_intp n, npy_intp most, int squared, T *padded,
                                        T *out)
{
    T sums[NAME(some_rows)], *inside = padded + most;
    npy_intp step = n + most;
    for (npy_intp row = 0; row < rows; row++)
        for (npy_intp i = 0; i < n; i++)
            inside[row * step + i] = squared ? x[row * n + i] * x[row * n + i] : x[row * n + i];
    NAME(sums_around)(inside, rows * step - most, most, sums);
    for (npy_intp row = 0; row < rows; row++)
        memcpy(out + row * n, sums + row * step, n * sizeof(T));
}

TARGET static void NAME(sum_row)(const T *x, npy_intp n, npy_intp most, int squared, T *out)
{
    /* Each square is computed anew where it is added. */
    for (npy_intp i = 0; i < n; i++)
        out[i] = squared ? x[i] * x[i] : x[i];
    for (npy_intp d = 1; d <= most; d++) {
        for (npy_intp i = d; i < n; i++) {
            T term = squared ? x[i - d] * x[i - d] : x[i - d];
            out[i] = out[i] + term;
        }
        for (npy_intp i = 0; i < n - d; i++) {
            T term = squared ? x[i + d] * x[i + d] : x[i + d];
            out[i] = out[i] + term;
        }
    }
}

/* `n` numbers divided by powers, of what their sums are in `out`. */
TARGET static void NAME(divide)(const tapegrad_response *work, const T *restrict x, npy_intp n, T *restrict out)
{
    T bias = (T)work->bias, alpha = (T)work->alpha;
    for (npy_intp i = 0; i < n; i++) {
        T scaled = alpha * out[i];
        out[i] = bias + scaled;
    }
    if (work->power == 1)
        for (npy_intp i = 0; i < n; i++)
            out[i] = x[i] / out[i];
    else if (work->power == 0.5)
        for (npy_intp i = 0; i < n; i++)
            out[i] = x[i] / ROOT(out[i]);
    else
        for (npy_intp i = 0; i < n; i++) {
            T root = ROOT(out[i]);
            out[i] = x[i] / (root * ROOT(root));
        }
}

/* The sums of the rows `begin` to `end`; of squares, and what is divided by their powers, if `responds`. */
TARGET static void NAME(around)(const tapegrad_response *work, ptrdiff_t begin, ptrdiff_t end, int responds)
{
    npy_intp n = work->n, most = work->radius < n - 1 ? work->radius : n - 1, rows = 1;
    T padded[NAME(short_row) + NAME(some_rows) + VECTOR / sizeof(T)];
    if (n <= NAME(short_row)) {
        rows = NAME(some_rows) / (n + most);
        memset(padded, 0, sizeof padded);
    }
    for (ptrdiff_t row = begin; row < end; row += rows) {
        npy_intp count = end - row < rows ? end - row : rows;
        const T *x = (const T *)work->x + row * n;
        T *out = (T *)work->out + row * n;
        if (n <= NAME(short_row))
            NAME(sum_short_rows)(x, count, n, most, responds, padded, out);
        else
            NAME(sum_row)(x, n, most, responds, out);
        if (responds)
            NAME(divide)(work, x, count * n, out);
    }
}

TARGET static void NAME(neighbours)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    NAME(around)(context, begin, end, 0);
}

TARGET static void NAME(respond)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    NAME(around)(context, begin, end, 1);
}

#undef ROOT

static const tapegrad_row_sums NAME(tapegrad_row_sums) = {
    NAME(resample), NAME(neighbours), NAME(respond)};

/* The loops of `softmax.h` for elements of type T: KERNELS_OF_TYPE of `each_real.h`; no guard. */

/* exp(x - less), which is never above 1. */
TARGET static void NAME(exponentials)(const T *x, T less, T *out, npy_intp n)
{
    TAPEGRAD_INDEPENDENT
    for (npy_intp i = 0; i < n; i++)
        out[i] = NAME(exponential_below_zero)(x[i] - less);
}

TARGET static void NAME(over)(T *x, T divisor, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++)
        x[i] = x[i] / divisor;
}

TARGET static void NAME(shares)(T *x, T factor, T divisor, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++)
        x[i] = x[i] / divisor * factor;
}

/* The exponentials of `x` less its largest element, which is returned; their sum is `total`. */
TARGET static T NAME(powers)(const T *x, T *out, npy_intp n, double *total)
{
    T largest = (T)NAME(maximum_contiguous)(x, n);
    NAME(exponentials)(x, largest, out, n);
    *total = NAME(sum_contiguous)(out, n);
    return largest;
}

TARGET static void NAME(softmax)(const T *x, T *out, npy_intp n)
{
    double total;
    NAME(powers)(x, out, n, &total);
    NAME(over)(out, (T)total, n);
}

TARGET static void NAME(less_both)(const T *x, T first, T second, T *out, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++)
        out[i] = (x[i] - first) - second;
}

TARGET static void NAME(log_softmax)(const T *x, T *out, npy_intp n)
{
    double total;
    T largest = NAME(powers)(x, out, n, &total);
    NAME(less_both)(x, largest, (T)log(total), out, n);
}

/* The sum of x * y, of at most TAPEGRAD_BLOCK terms. */
TARGET static double NAME(product_block)(const T *x, const T *y, npy_intp n)
{
    T lane[TAPEGRAD_LANES] = {0};
    npy_intp i = 0, j;
    double out = 0;
    for (; i + TAPEGRAD_LANES <= n; i += TAPEGRAD_LANES)
        for (j = 0; j < TAPEGRAD_LANES; j++)
            lane[j] += x[i + j] * y[i + j];
    for (; i < n; i++)
        out += (double)(x[i] * y[i]);
    return n < TAPEGRAD_LANES ? out : out + NAME(sum_of_lanes)(lane);
}

TARGET static double NAME(product)(const T *x, const T *y, npy_intp n)
{
    double out = 0;
    for (npy_intp i = 0; i < n; i += TAPEGRAD_BLOCK)
        out += NAME(product_block)(x + i, y + i, n - i < TAPEGRAD_BLOCK ? n - i : TAPEGRAD_BLOCK);
    return out;
}

TARGET static void NAME(centred)(const T *dy, const T *y, T mean, T *out, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++)
        out[i] = (dy[i] - mean) * y[i];
}

TARGET static void NAME(softmax_grad)(const T *dy, const T *y, T *out, npy_intp n)
{
    T mean = (T)NAME(product)(dy, y, n);
    NAME(centred)(dy, y, mean, out, n);
}

TARGET static void NAME(less_share)(const T *dy, T total, T *out, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++)
        out[i] = dy[i] - total * out[i];
}

TARGET static void NAME(log_softmax_grad)(const T *dy, const T *y, T *out, npy_intp n)
{
    NAME(exponentials)(y, 0, out, n);
    NAME(less_share)(dy, (T)NAME(sum_contiguous)(dy, n), out, n);
}

/* The sum of label * log(probability), of at most TAPEGRAD_BLOCK terms. A label of 0 counts
   nothing, even where the logarithm is -inf. */
TARGET static double NAME(likelihood_block)(const T *x, const T *labels, T first, T second, npy_intp n)
{
    T lane[TAPEGRAD_LANES] = {0};
    npy_intp i = 0, j;
    double out = 0;
    for (; i + TAPEGRAD_LANES <= n; i += TAPEGRAD_LANES)
        for (j = 0; j < TAPEGRAD_LANES; j++) {
            T term = labels[i + j] * ((x[i + j] - first) - second);
            lane[j] += labels[i + j] == 0 ? 0 : term;
        }
    for (; i < n; i++)
        out += labels[i] == 0 ? 0 : (double)(labels[i] * ((x[i] - first) - second));
    return n < TAPEGRAD_LANES ? out : out + NAME(sum_of_lanes)(lane);
}

TARGET static void NAME(less_labels)(T *out, T divisor, T factor, const T *labels, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++)
        out[i] = out[i] / divisor * factor - labels[i];
}

/* The loss of a row; its gradient by the logits goes to `out`. */
TARGET static void NAME(cross_entropy)(const T *x, const T *labels, T *loss, T *out, npy_intp n)
{
    double total, likelihood = 0;
    T largest = NAME(powers)(x, out, n, &total), logarithm = (T)log(total);
    for (npy_intp i = 0; i < n; i += TAPEGRAD_BLOCK)
        likelihood += NAME(likelihood_block)(
            x + i, labels + i, largest, logarithm, n - i < TAPEGRAD_BLOCK ? n - i : TAPEGRAD_BLOCK);
    *loss = (T)(0 - likelihood);
    NAME(less_labels)(out, (T)total, (T)NAME(sum_contiguous)(labels, n), labels, n);
}

TARGET static void NAME(sparse_cross_entropy)(const T *x, npy_intp label, T *loss, T *out, npy_intp n)
{
    double total;
    T largest = NAME(powers)(x, out, n, &total);
    *loss = 0 - ((x[label] - largest) - (T)log(total));
    NAME(over)(out, (T)total, n);
    out[label] -= 1;
}

/* The logarithm of the sum of exp(x). An infinite largest element is the result. */
TARGET static T NAME(logsumexp)(const T *x, npy_intp n)
{
    T room[TAPEGRAD_BLOCK], largest = (T)NAME(maximum_contiguous)(x, n);
    double total = 0;
    if (largest - largest != 0)
        return largest;
    for (npy_intp i = 0; i < n; i += TAPEGRAD_BLOCK) {
        npy_intp count = n - i < TAPEGRAD_BLOCK ? n - i : TAPEGRAD_BLOCK;
        NAME(exponentials)(x + i, largest, room, count);
        total += NAME(sum_contiguous)(room, count);
    }
    return (T)(log(total) + (double)largest);
}

/* The gradient of logsumexp: `dy` times the share of each exponential in their sum. Where the largest element is inf,
   those that are share it; where it is -inf, all shares are 0. */
TARGET static void NAME(logsumexp_grad)(T dy, const T *x, T *out, npy_intp n)
{
    T largest = (T)NAME(maximum_contiguous)(x, n);
    double total;
    if (largest - largest == 0) {
        NAME(exponentials)(x, largest, out, n);
        total = NAME(sum_contiguous)(out, n);
    } else {
        for (npy_intp i = 0; i < n; i++)
            out[i] = largest != largest ? largest : largest > 0 && x[i] == largest;
        total = NAME(sum_contiguous)(out, n);
        total = total == 0 ? 1 : total;
    }
    NAME(shares)(out, dy, (T)total, n);
}

/* `call` for each of the rows `begin` to `end`. */
#define ROWS(name, call)                                                                                     \
    TARGET static void NAME(name)(void *context, ptrdiff_t begin, ptrdiff_t end)                             \
    {                                                                                                        \
        const tapegrad_rows *work = context;                                                                 \
        npy_intp n = work->n;                                                                                \
        for (ptrdiff_t row = begin; row < end; row++) {                                                      \
            const T *x = (const T *)work->x + row * n;                                                       \
            T *out = (T *)work->out + row * n;                                                               \
            call;                                                                                            \
        }                                                                                                    \
    }
#define SECOND ((const T *)work->y + row * n)
#define LOSS ((T *)work->loss + row)
ROWS(softmax_rows, NAME(softmax)(x, out, n))
ROWS(log_softmax_rows, NAME(log_softmax)(x, out, n))
ROWS(softmax_grad_rows, NAME(softmax_grad)(x, SECOND, out, n))
ROWS(log_softmax_grad_rows, NAME(log_softmax_grad)(x, SECOND, out, n))
ROWS(cross_entropy_rows, NAME(cross_entropy)(x, SECOND, LOSS, out, n))
ROWS(sparse_cross_entropy_rows, NAME(sparse_cross_entropy)(x, work->labels[row], LOSS, out, n))
ROWS(logsumexp_rows, ((void)out, *LOSS = NAME(logsumexp)(x, n)))
ROWS(logsumexp_grad_rows, NAME(logsumexp_grad)(((const T *)work->y)[row], x, out, n))
#undef ROWS
#undef SECOND
#undef LOSS

static const tapegrad_softmax NAME(tapegrad_softmax) = {
    NAME(softmax_rows), NAME(log_softmax_rows), NAME(softmax_grad_rows), NAME(log_softmax_grad_rows),
    NAME(cross_entropy_rows), NAME(sparse_cross_entropy_rows), NAME(logsumexp_rows), NAME(logsumexp_grad_rows)};

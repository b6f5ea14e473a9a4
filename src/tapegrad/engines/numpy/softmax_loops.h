/* The loops of `softmax.h` for one kind of numbers: KERNELS_OF_KIND of `each_kind.h`; no guard. */

/* A function of T, whatever the kind. */
#define OF_T(name) NAME(name)
/* Exponentials are taken where the results come later, or in `room`. */
#ifdef NARROW
#define PLACE(room, out) (room)
#else
#define PLACE(room, out) ((void)(room), (out))
#endif

/* exp(x - less), which is never above 1. */
TARGET static void OF_KIND(exponentials)(const E *x, T less, T *out, npy_intp n)
{
    TAPEGRAD_INDEPENDENT
    for (npy_intp i = 0; i < n; i++)
        out[i] = OF_T(exponential_below_zero)(LOAD(x[i]) - less);
}

TARGET static void OF_KIND(over)(const T *x, T divisor, E *out, npy_intp n)
{
    TAPEGRAD_INDEPENDENT
    for (npy_intp i = 0; i < n; i++)
        out[i] = STORE(x[i] / divisor);
}

TARGET static void OF_KIND(shares)(const T *x, T divisor, T factor, E *out, npy_intp n)
{
    TAPEGRAD_INDEPENDENT
    for (npy_intp i = 0; i < n; i++)
        out[i] = STORE(x[i] / divisor * factor);
}

/* The exponentials of `x` less its largest element, which is returned; their sum is `total`. */
TARGET static T OF_KIND(powers)(const E *x, T *out, npy_intp n, double *total)
{
    T largest = (T)OF_KIND(maximum_contiguous)(x, n);
    OF_KIND(exponentials)(x, largest, out, n);
    *total = OF_T(sum_contiguous)(out, n);
    return largest;
}

TARGET static void OF_KIND(softmax)(const E *x, T *room, E *out, npy_intp n)
{
    T *powers = PLACE(room, out);
    double total;
    OF_KIND(powers)(x, powers, n, &total);
    OF_KIND(over)(powers, (T)total, out, n);
}

TARGET static void OF_KIND(less_both)(const E *x, T first, T second, E *out, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++)
        out[i] = STORE((LOAD(x[i]) - first) - second);
}

TARGET static void OF_KIND(log_softmax)(const E *x, T *room, E *out, npy_intp n)
{
    double total;
    T largest = OF_KIND(powers)(x, PLACE(room, out), n, &total);
    OF_KIND(less_both)(x, largest, (T)log(total), out, n);
}

/* The sum of x * y, of at most TAPEGRAD_BLOCK terms. */
#define PRODUCT(i) (LOAD(x[i]) * LOAD(y[i]))
TAPEGRAD_TERMS(OF_KIND(product_block), (const E *x, const E *y, npy_intp n), PRODUCT)
#undef PRODUCT

TARGET static double OF_KIND(product)(const E *x, const E *y, npy_intp n)
{
    double out = 0;
    for (npy_intp i = 0; i < n; i += TAPEGRAD_BLOCK)
        out += OF_KIND(product_block)(x + i, y + i, n - i < TAPEGRAD_BLOCK ? n - i : TAPEGRAD_BLOCK);
    return out;
}

TARGET static void OF_KIND(centred)(const E *dy, const E *y, T mean, E *out, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++)
        out[i] = STORE((LOAD(dy[i]) - mean) * LOAD(y[i]));
}

TARGET static void OF_KIND(softmax_grad)(const E *dy, const E *y, T *room, E *out, npy_intp n)
{
    T mean = (T)OF_KIND(product)(dy, y, n);
    (void)room;
    OF_KIND(centred)(dy, y, mean, out, n);
}

TARGET static void OF_KIND(less_share)(const E *dy, T total, const T *powers, E *out, npy_intp n)
{
    TAPEGRAD_INDEPENDENT
    for (npy_intp i = 0; i < n; i++)
        out[i] = STORE(LOAD(dy[i]) - total * powers[i]);
}

TARGET static void OF_KIND(log_softmax_grad)(const E *dy, const E *y, T *room, E *out, npy_intp n)
{
    T *powers = PLACE(room, out);
    OF_KIND(exponentials)(y, 0, powers, n);
    OF_KIND(less_share)(dy, (T)OF_KIND(sum_contiguous)(dy, n), powers, out, n);
}

/* The sum of label * log(probability), of at most TAPEGRAD_BLOCK terms. A label of 0 counts
   nothing, even where the logarithm is -inf. */
#define LIKELIHOOD(i) (LOAD(labels[i]) == 0 ? 0 : LOAD(labels[i]) * ((LOAD(x[i]) - first) - second))
TAPEGRAD_TERMS(OF_KIND(likelihood_block), (const E *x, const E *labels, T first, T second, npy_intp n), LIKELIHOOD)
#undef LIKELIHOOD

TARGET static void OF_KIND(less_labels)(const T *powers, T divisor, T factor, const E *labels, E *out, npy_intp n)
{
    TAPEGRAD_INDEPENDENT
    for (npy_intp i = 0; i < n; i++)
        out[i] = STORE(powers[i] / divisor * factor - LOAD(labels[i]));
}

/* The loss of a row; its gradient by the logits goes to `out`. */
TARGET static void OF_KIND(cross_entropy)(const E *x, const E *labels, E *loss, T *room, E *out, npy_intp n)
{
    double total, likelihood = 0;
    T *powers = PLACE(room, out), largest = OF_KIND(powers)(x, powers, n, &total), logarithm = (T)log(total);
    for (npy_intp i = 0; i < n; i += TAPEGRAD_BLOCK)
        likelihood += OF_KIND(likelihood_block)(
            x + i, labels + i, largest, logarithm, n - i < TAPEGRAD_BLOCK ? n - i : TAPEGRAD_BLOCK);
    *loss = STORE((T)(0 - likelihood));
    OF_KIND(less_labels)(powers, (T)total, (T)OF_KIND(sum_contiguous)(labels, n), labels, out, n);
}

TARGET static void OF_KIND(sparse_cross_entropy)(const E *x, npy_intp label, E *loss, T *room, E *out, npy_intp n)
{
    double total;
    T *powers = PLACE(room, out), largest = OF_KIND(powers)(x, powers, n, &total), chance;
    *loss = STORE(0 - ((LOAD(x[label]) - largest) - (T)log(total)));
    chance = powers[label] / (T)total;
    OF_KIND(over)(powers, (T)total, out, n);
    out[label] = STORE(chance - 1);
}

/* The logarithm of the sum of exp(x). An infinite largest element is the result. */
TARGET static T OF_KIND(logsumexp)(const E *x, npy_intp n)
{
    T room[TAPEGRAD_BLOCK], largest = (T)OF_KIND(maximum_contiguous)(x, n);
    double total = 0;
    if (largest - largest != 0)
        return largest;
    for (npy_intp i = 0; i < n; i += TAPEGRAD_BLOCK) {
        npy_intp count = n - i < TAPEGRAD_BLOCK ? n - i : TAPEGRAD_BLOCK;
        OF_KIND(exponentials)(x + i, largest, room, count);
        total += OF_T(sum_contiguous)(room, count);
    }
    return (T)(log(total) + (double)largest);
}

/* The gradient of logsumexp: `dy` times the share of each exponential in their sum. Where the largest element is inf,
   those that are share it; where it is -inf, all shares are 0. */
TARGET static void OF_KIND(logsumexp_grad)(T dy, const E *x, T *room, E *out, npy_intp n)
{
    T *powers = PLACE(room, out), largest = (T)OF_KIND(maximum_contiguous)(x, n);
    double total;
    if (largest - largest == 0) {
        OF_KIND(exponentials)(x, largest, powers, n);
        total = OF_T(sum_contiguous)(powers, n);
    } else {
        for (npy_intp i = 0; i < n; i++)
            powers[i] = largest != largest ? largest : largest > 0 && LOAD(x[i]) == largest;
        total = OF_T(sum_contiguous)(powers, n);
        total = total == 0 ? 1 : total;
    }
    OF_KIND(shares)(powers, (T)total, dy, out, n);
}

/* `call` for each of the rows `begin` to `end`. */
#ifdef NARROW
#define MAKE_ROOM(n) malloc((n) * sizeof(T))
#else
#define MAKE_ROOM(n) NULL
#endif
#define ROWS(name, call)                                                                                     \
    TARGET static void OF_KIND(name)(void *context, ptrdiff_t begin, ptrdiff_t end)                          \
    {                                                                                                        \
        tapegrad_rows *work = context;                                                                       \
        npy_intp n = work->n;                                                                                \
        T *room = MAKE_ROOM(n);                                                                              \
        if (sizeof(E) < sizeof(T) && room == NULL) {                                                         \
            work->failed = 1;                                                                                \
            return;                                                                                          \
        }                                                                                                    \
        for (ptrdiff_t row = begin; row < end; row++) {                                                      \
            const E *x = (const E *)work->x + row * n;                                                       \
            E *out = (E *)work->out + row * n;                                                               \
            call;                                                                                            \
        }                                                                                                    \
        free(room);                                                                                          \
    }
#define SECOND ((const E *)work->y + row * n)
#define LOSS ((E *)work->loss + row)
ROWS(softmax_rows, OF_KIND(softmax)(x, room, out, n))
ROWS(log_softmax_rows, OF_KIND(log_softmax)(x, room, out, n))
ROWS(softmax_grad_rows, OF_KIND(softmax_grad)(x, SECOND, room, out, n))
ROWS(log_softmax_grad_rows, OF_KIND(log_softmax_grad)(x, SECOND, room, out, n))
ROWS(cross_entropy_rows, OF_KIND(cross_entropy)(x, SECOND, LOSS, room, out, n))
ROWS(sparse_cross_entropy_rows, OF_KIND(sparse_cross_entropy)(x, work->labels[row], LOSS, room, out, n))
ROWS(logsumexp_rows, ((void)out, *LOSS = STORE(OF_KIND(logsumexp)(x, n))))
ROWS(logsumexp_grad_rows, OF_KIND(logsumexp_grad)(LOAD(((const E *)work->y)[row]), x, room, out, n))
#undef MAKE_ROOM
#undef ROWS
#undef SECOND
#undef LOSS
#undef PLACE
#undef OF_T

static const tapegrad_softmax OF_KIND(tapegrad_softmax) = {
    OF_KIND(softmax_rows), OF_KIND(log_softmax_rows), OF_KIND(softmax_grad_rows), OF_KIND(log_softmax_grad_rows),
    OF_KIND(cross_entropy_rows), OF_KIND(sparse_cross_entropy_rows), OF_KIND(logsumexp_rows),
    OF_KIND(logsumexp_grad_rows)};

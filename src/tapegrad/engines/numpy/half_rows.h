/* The rows of `softmax.h` for bfloat16: KERNELS of `each_level.h`; no guard. A row is widened while it is read, computed as
   one of floats while it is in the first cache, and rounded once while it is written. */

TARGET static void AT_LEVEL(widen, half)(const npy_uint16 *restrict x, float *restrict out, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++)
        out[i] = tapegrad_widened(x[i]);
}

TARGET static void AT_LEVEL(round, half)(const float *restrict x, npy_uint16 *restrict out, npy_intp n)
{
    for (npy_intp i = 0; i < n; i++)
        out[i] = (npy_uint16)(tapegrad_rounded(x[i]) >> 16);
}

TARGET static float AT_LEVEL(logsumexp, half)(const npy_uint16 *x, npy_intp n)
{
    float room[TAPEGRAD_BLOCK], largest = (float)AT_LEVEL(maximum_contiguous, half)(x, n);
    double total = 0;
    if (largest - largest != 0)
        return largest;
    for (npy_intp i = 0; i < n; i += TAPEGRAD_BLOCK) {
        npy_intp count = n - i < TAPEGRAD_BLOCK ? n - i : TAPEGRAD_BLOCK;
        AT_LEVEL(widen, half)(x + i, room, count);
        AT_LEVEL(exponentials, float)(room, largest, room, count);
        total += AT_LEVEL(sum_contiguous, float)(room, count);
    }
    return (float)(log(total) + (double)largest);
}

/* `call` for each of the rows `begin` to `end`, with `x` widened, and `out` rounded where there is one. */
#define HALF_ROWS(name, call)                                                                                \
    TARGET static void AT_LEVEL(name, half)(void *context, ptrdiff_t begin, ptrdiff_t end)                   \
    {                                                                                                        \
        tapegrad_rows *work = context;                                                                       \
        npy_intp n = work->n;                                                                                \
        float *x = malloc(3 * n * sizeof(float)), *second = x + n, *out = x + 2 * n, loss = 0;               \
        if (x == NULL) {                                                                                     \
            work->failed = 1;                                                                                \
            return;                                                                                          \
        }                                                                                                    \
        for (ptrdiff_t row = begin; row < end; row++) {                                                      \
            AT_LEVEL(widen, half)((const npy_uint16 *)work->x + row * n, x, n);                              \
            call;                                                                                            \
            AT_LEVEL(round, half)(out, (npy_uint16 *)work->out + row * n, n);                                \
            if (work->loss != NULL)                                                                          \
                AT_LEVEL(round, half)(&loss, (npy_uint16 *)work->loss + row, 1);                             \
        }                                                                                                    \
        free(x);                                                                                             \
    }
#define SECOND (AT_LEVEL(widen, half)((const npy_uint16 *)work->y + row * n, second, n), second)
#define EACH_DY tapegrad_widened(((const npy_uint16 *)work->y)[row])
HALF_ROWS(softmax_rows, ((void)second, AT_LEVEL(softmax, float)(x, out, n)))
HALF_ROWS(log_softmax_rows, ((void)second, AT_LEVEL(log_softmax, float)(x, out, n)))
HALF_ROWS(softmax_grad_rows, AT_LEVEL(softmax_grad, float)(x, SECOND, out, n))
HALF_ROWS(log_softmax_grad_rows, AT_LEVEL(log_softmax_grad, float)(x, SECOND, out, n))
HALF_ROWS(cross_entropy_rows, AT_LEVEL(cross_entropy, float)(x, SECOND, &loss, out, n))
HALF_ROWS(sparse_cross_entropy_rows,
          ((void)second, AT_LEVEL(sparse_cross_entropy, float)(x, work->labels[row], &loss, out, n)))
HALF_ROWS(logsumexp_grad_rows, ((void)second, AT_LEVEL(logsumexp_grad, float)(EACH_DY, x, out, n)))
#undef HALF_ROWS
#undef SECOND
#undef EACH_DY

TARGET static void AT_LEVEL(logsumexp_rows, half)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_rows *work = context;
    for (ptrdiff_t row = begin; row < end; row++) {
        float found = AT_LEVEL(logsumexp, half)((const npy_uint16 *)work->x + row * work->n, work->n);
        AT_LEVEL(round, half)(&found, (npy_uint16 *)work->loss + row, 1);
    }
}

static const tapegrad_softmax AT_LEVEL(tapegrad_softmax, half) = {
    AT_LEVEL(softmax_rows, half), AT_LEVEL(log_softmax_rows, half), AT_LEVEL(softmax_grad_rows, half),
    AT_LEVEL(log_softmax_grad_rows, half), AT_LEVEL(cross_entropy_rows, half),
    AT_LEVEL(sparse_cross_entropy_rows, half), AT_LEVEL(logsumexp_rows, half), AT_LEVEL(logsumexp_grad_rows, half)};

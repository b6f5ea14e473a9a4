/* The loops of `slopes.h` for elements of type T: KERNELS_OF_TYPE of `each_real.h`; no guard. */

#define SLOPED(name, BESIDE)                                                                                 \
    TARGET static void NAME(name)(void *context, ptrdiff_t begin, ptrdiff_t end)                             \
    {                                                                                                        \
        const tapegrad_sloped *work = context;                                                               \
        const T *x = work->x, *y = work->BESIDE;                                                             \
        T *out = work->out, number = (T)work->number;                                                        \
        TAPEGRAD_INDEPENDENT                                                                                 \
        for (ptrdiff_t i = begin; i < end; i++) {                                                            \
            T sloped = x[i] * number;                                                                        \
            out[i] = y[i] > 0 ? x[i] : sloped;                                                               \
        }                                                                                                    \
    }
SLOPED(leaky_relu, x)
SLOPED(leaky_relu_grad, y)
#undef SLOPED

TARGET static void NAME(clip)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_sloped *work = context;
    const T *x = work->x;
    T *out = work->out, low = (T)work->number, high = (T)work->second;
    TAPEGRAD_INDEPENDENT
    for (ptrdiff_t i = begin; i < end; i++) {
        T below = x[i] > high ? high : x[i];
        out[i] = below < low ? low : below;
    }
}

TARGET static void NAME(clip_grad)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_sloped *work = context;
    const T *x = work->x, *y = work->y;
    T *out = work->out, low = (T)work->number, high = (T)work->second;
    TAPEGRAD_INDEPENDENT
    for (ptrdiff_t i = begin; i < end; i++) {
        int outside = (y[i] < low) | (y[i] > high);
        out[i] = outside ? 0 : x[i];
    }
}

TARGET static void NAME(quotient_slope)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_sloped *work = context;
    const T *x = work->x, *y = work->y, *z = work->z;
    T *out = work->out;
    int no_nan = work->number != 0;
    TAPEGRAD_INDEPENDENT
    for (ptrdiff_t i = begin; i < end; i++) {
        int first = (x[i] <= 1 && x[i] >= -1) | (y[i] >= 1 || y[i] <= -1);
        T slope = (first ? x[i] : z[i]) / y[i] * (first ? z[i] : x[i]);
        out[i] = (z[i] == 0) | (no_nan & (y[i] == 0)) ? 0 : -slope;
    }
}

static const tapegrad_slopes NAME(tapegrad_slopes) = {
    NAME(leaky_relu), NAME(leaky_relu_grad), NAME(clip), NAME(clip_grad), NAME(quotient_slope)};

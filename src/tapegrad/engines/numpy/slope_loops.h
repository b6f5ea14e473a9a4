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

/* Whether z / y, the share, lost no digits to the limits of its type, so that it may be multiplied by x. */
#define SIZE(x) (sizeof(T) == sizeof(float) ? (T)__builtin_fabsf((float)(x)) : (T)__builtin_fabs(x))
#define IS_WHOLE(share)                                                                                      \
    ((SIZE(share) >= (sizeof(T) == sizeof(float) ? (T)FLT_MIN : (T)DBL_MIN))                                 \
        & (SIZE(share) <= (sizeof(T) == sizeof(float) ? (T)FLT_MAX : (T)DBL_MAX)))

/* The quotient's slope where some shares are not whole: for these the factor is divided that ops/elementwise/math names.
*/
TARGET static void NAME(quotient_slope_with_care)(const tapegrad_sloped *work, ptrdiff_t begin, ptrdiff_t end)
{
    const T *x = work->x, *y = work->y, *z = work->z;
    T *out = work->out;
    int no_nan = work->number != 0;
    TAPEGRAD_INDEPENDENT
    for (ptrdiff_t i = begin; i < end; i++) {
        int first = (SIZE(x[i]) >= SIZE(z[i])) == (SIZE(y[i]) >= 1);
        T share = z[i] / y[i], slope = (first ? x[i] : z[i]) / y[i] * (first ? z[i] : x[i]);
        slope = IS_WHOLE(share) ? x[i] * share : slope;
        out[i] = (z[i] == 0) | (no_nan & (y[i] == 0)) ? 0 : -slope;
    }
}

/* Block by block, without care. A block in which that may be wrong is computed again. */
TARGET static void NAME(quotient_slope)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_sloped *work = context;
    const T *x = work->x, *y = work->y, *z = work->z;
    T *out = work->out;
    for (ptrdiff_t from = begin; from < end; from += TAPEGRAD_SLOPES_AT_ONCE) {
        ptrdiff_t to = end - from < TAPEGRAD_SLOPES_AT_ONCE ? end : from + TAPEGRAD_SLOPES_AT_ONCE;
        int needs_care = 0;
        TAPEGRAD_INDEPENDENT
        for (ptrdiff_t i = from; i < to; i++) {
            T share = z[i] / y[i];
            needs_care |= !IS_WHOLE(share) & (z[i] != 0);
            out[i] = z[i] == 0 ? 0 : -(x[i] * share);
        }
        if (needs_care)
            NAME(quotient_slope_with_care)(work, from, to);
    }
}
#undef SIZE
#undef IS_WHOLE

static const tapegrad_slopes NAME(tapegrad_slopes) = {
    NAME(leaky_relu), NAME(leaky_relu_grad), NAME(clip), NAME(clip_grad), NAME(quotient_slope)};

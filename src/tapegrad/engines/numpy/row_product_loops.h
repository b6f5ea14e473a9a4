/* The loops of `row_products.h` for elements of type T: KERNELS_OF_TYPE of `each_real.h`; no guard. */

/* The end of a row's product: its lanes, and the elements after them. It is the same for rows read alone. */
TARGET static inline T NAME(dot_end)(T *lane, const T *row, const T *x, npy_intp i, npy_intp length)
{
    T rest = 0;
    TAPEGRAD_FOLD(lane, TAPEGRAD_PLUS);
    for (; i < length; i++)
        rest += row[i] * x[i];
    return lane[0] + rest;
}

TARGET static void NAME(dots)(const void *matrix, npy_intp step, npy_intp rows, npy_intp length, const void *vector,
                              void *to)
{
    const T *row = matrix, *x = vector;
    T *out = to;
    npy_intp whole = length / TAPEGRAD_DOT_LANES * TAPEGRAD_DOT_LANES;
    for (; rows >= 4; rows -= 4, row += 4 * step, out += 4) {
        const T *second = row + step, *third = second + step, *fourth = third + step;
        T a[TAPEGRAD_DOT_LANES] = {0}, b[TAPEGRAD_DOT_LANES] = {0};
        T c[TAPEGRAD_DOT_LANES] = {0}, d[TAPEGRAD_DOT_LANES] = {0};
        for (npy_intp i = 0; i < whole; i += TAPEGRAD_DOT_LANES)
            for (npy_intp j = 0; j < TAPEGRAD_DOT_LANES; j++) {
                T factor = x[i + j];
                a[j] += row[i + j] * factor;
                b[j] += second[i + j] * factor;
                c[j] += third[i + j] * factor;
                d[j] += fourth[i + j] * factor;
            }
        out[0] = NAME(dot_end)(a, row, x, whole, length);
        out[1] = NAME(dot_end)(b, second, x, whole, length);
        out[2] = NAME(dot_end)(c, third, x, whole, length);
        out[3] = NAME(dot_end)(d, fourth, x, whole, length);
    }
    for (; rows > 0; rows--, row += step, out++) {
        T a[TAPEGRAD_DOT_LANES] = {0};
        for (npy_intp i = 0; i < whole; i += TAPEGRAD_DOT_LANES)
            for (npy_intp j = 0; j < TAPEGRAD_DOT_LANES; j++)
                a[j] += row[i + j] * x[i + j];
        *out = NAME(dot_end)(a, row, x, whole, length);
    }
}

TARGET static void NAME(sums)(const void *matrix, npy_intp step, npy_intp rows, npy_intp length, const void *vector,
                              void *to)
{
    const T *row = matrix, *x = vector;
    T *restrict out = to;
    for (npy_intp j = 0; j < length; j++)
        out[j] = 0;
    for (; rows >= 8; rows -= 8, row += 8 * step, x += 8) {
        const T *a = row, *b = a + step, *c = b + step, *d = c + step;
        const T *e = d + step, *f = e + step, *g = f + step, *h = g + step;
        for (npy_intp j = 0; j < length; j++) {
            T front = (a[j] * x[0] + b[j] * x[1]) + (c[j] * x[2] + d[j] * x[3]);
            T back = (e[j] * x[4] + f[j] * x[5]) + (g[j] * x[6] + h[j] * x[7]);
            out[j] += front + back;
        }
    }
    for (; rows > 0; rows--, row += step, x++)
        for (npy_intp j = 0; j < length; j++)
            out[j] += row[j] * *x;
}

static const tapegrad_row_products NAME(tapegrad_row_products) = {NAME(dots), NAME(sums)};

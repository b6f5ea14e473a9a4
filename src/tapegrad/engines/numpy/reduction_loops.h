/* The loops of `reductions.h` for elements of type T: KERNELS_OF_TYPE of `each_real.h`; no guard. */

#define COMBINE(name, T) TAPEGRAD_JOIN2(name, T)

/* The sum of all lanes, which it overwrites. */
TARGET static inline T NAME(sum_of_lanes)(T *lane)
{
    for (npy_intp i = TAPEGRAD_LANES / 2; i > 0; i /= 2)
        for (npy_intp j = 0; j < i; j++)
            lane[j] += lane[j + i];
    return lane[0];
}

/* Eight rows are combined before the accumulators are touched. */
#define REDUCTION(operation, START, OF)                                                                      \
    TARGET static T NAME(operation##_lanes)(const T *x, npy_intp n)                                          \
    {                                                                                                        \
        T lane[TAPEGRAD_LANES];                                                                              \
        npy_intp i, j;                                                                                       \
        for (j = 0; j < TAPEGRAD_LANES; j++)                                                                 \
            lane[j] = x[j];                                                                                  \
        for (i = TAPEGRAD_LANES; i < n; i += TAPEGRAD_LANES)                                                 \
            for (j = 0; j < TAPEGRAD_LANES; j++)                                                             \
                lane[j] = COMBINE(OF, T)(lane[j], x[i + j]);                                                 \
        for (i = TAPEGRAD_LANES / 2; i > 0; i /= 2)                                                          \
            for (j = 0; j < i; j++)                                                                          \
                lane[j] = COMBINE(OF, T)(lane[j], lane[j + i]);                                              \
        return lane[0];                                                                                      \
    }                                                                                                        \
    TARGET static double NAME(operation##_contiguous)(const T *x, npy_intp n)                                \
    {                                                                                                        \
        double out = START;                                                                                  \
        npy_intp whole = n / TAPEGRAD_LANES * TAPEGRAD_LANES;                                                \
        if (n > TAPEGRAD_RUN) {                                                                              \
            npy_intp half = (n / 2 + TAPEGRAD_RUN - 1) / TAPEGRAD_RUN * TAPEGRAD_RUN;                        \
            double first = NAME(operation##_contiguous)(x, half);                                            \
            double second = NAME(operation##_contiguous)(x + half, n - half);                                \
            return COMBINE(OF, double)(first, second);                                                       \
        }                                                                                                    \
        if (whole > 0)                                                                                       \
            out = NAME(operation##_lanes)(x, whole);                                                         \
        for (; whole < n; whole++)                                                                           \
            out = COMBINE(OF, double)(out, (double)x[whole]);                                                \
        return out;                                                                                          \
    }                                                                                                        \
    TARGET static void NAME(operation##_run)(const char *x, npy_intp n, npy_intp stride, double *out)        \
    {                                                                                                        \
        double found[4] = {START, START, START, START};                                                      \
        npy_intp i;                                                                                          \
        if (stride == (npy_intp)sizeof(T)) {                                                                 \
            found[0] = NAME(operation##_contiguous)((const T *)x, n);                                        \
            *out = COMBINE(OF, double)(*out, found[0]);                                                      \
            return;                                                                                          \
        }                                                                                                    \
        for (i = 0; i < n; i++)                                                                              \
            found[i % 4] = COMBINE(OF, double)(found[i % 4], (double)*(const T *)(x + i * stride));          \
        found[0] = COMBINE(OF, double)(found[0], found[1]);                                                  \
        found[2] = COMBINE(OF, double)(found[2], found[3]);                                                  \
        found[0] = COMBINE(OF, double)(found[0], found[2]);                                                  \
        *out = COMBINE(OF, double)(*out, found[0]);                                                          \
    }                                                                                                        \
    TARGET static void NAME(operation##_columns)(const char *x, npy_intp rows, npy_intp row_stride,          \
                                                 npy_intp n, npy_intp stride, double *restrict out)          \
    {                                                                                                        \
        npy_intp i, j;                                                                                       \
        if (stride != (npy_intp)sizeof(T)) {                                                                 \
            for (i = 0; i < rows; i++)                                                                       \
                for (j = 0; j < n; j++)                                                                      \
                    out[j] = COMBINE(OF, double)(                                                            \
                        out[j], (double)*(const T *)(x + i * row_stride + j * stride));                      \
            return;                                                                                          \
        }                                                                                                    \
        for (i = 0; i + 8 <= rows; i += 8) {                                                                 \
            const T *a = (const T *)(x + i * row_stride), *b = (const T *)(x + (i + 1) * row_stride);        \
            const T *c = (const T *)(x + (i + 2) * row_stride), *d = (const T *)(x + (i + 3) * row_stride);  \
            const T *e = (const T *)(x + (i + 4) * row_stride), *f = (const T *)(x + (i + 5) * row_stride);  \
            const T *g = (const T *)(x + (i + 6) * row_stride), *h = (const T *)(x + (i + 7) * row_stride);  \
            for (j = 0; j < n; j++) {                                                                        \
                T ab = COMBINE(OF, T)(a[j], b[j]), cd = COMBINE(OF, T)(c[j], d[j]);                          \
                T ef = COMBINE(OF, T)(e[j], f[j]), gh = COMBINE(OF, T)(g[j], h[j]);                          \
                T front = COMBINE(OF, T)(ab, cd), back = COMBINE(OF, T)(ef, gh);                             \
                double wide = COMBINE(OF, T)(front, back);                                                   \
                out[j] = COMBINE(OF, double)(out[j], wide);                                                  \
            }                                                                                                \
        }                                                                                                    \
        for (; i < rows; i++) {                                                                              \
            const T *a = (const T *)(x + i * row_stride);                                                    \
            for (j = 0; j < n; j++) {                                                                        \
                double wide = a[j];                                                                          \
                out[j] = COMBINE(OF, double)(out[j], wide);                                                  \
            }                                                                                                \
        }                                                                                                    \
    }

REDUCTION(sum, 0.0, tapegrad_add)
REDUCTION(maximum, -INFINITY, tapegrad_larger)
REDUCTION(minimum, INFINITY, tapegrad_smaller)

/* Try to multiply `n` elements, at least TAPEGRAD_LANES and at most TAPEGRAD_RUN, in the precision of floats. Says
   whether no product in between was zero, too small to have all its bits, or too large. */
TARGET static int NAME(product_of_lanes)(const T *x, npy_intp n, double *out)
{
    T lane[TAPEGRAD_LANES], least[TAPEGRAD_LANES];
    double wide[TAPEGRAD_LANES], rest = 1;
    npy_intp i, j;
    int fits = 1;
    for (j = 0; j < TAPEGRAD_LANES; j++) {
        lane[j] = x[j];
        least[j] = (T)fabs((double)x[j]);
    }
    for (i = TAPEGRAD_LANES; i + TAPEGRAD_LANES <= n; i += TAPEGRAD_LANES)
        for (j = 0; j < TAPEGRAD_LANES; j++) {
            T size;
            lane[j] *= x[i + j];
            size = (T)fabs((double)lane[j]);
            least[j] = size < least[j] ? size : least[j];
        }
    for (j = 0; j < TAPEGRAD_LANES; j++) {
        wide[j] = lane[j];
        fits &= (least[j] >= (T)FLT_MIN) & (fabs(wide[j]) <= FLT_MAX);
    }
    for (npy_intp width = TAPEGRAD_LANES / 2; width >= 4; width /= 2)
        for (j = 0; j < width; j++)
            wide[j] *= wide[j + width];
    for (; i < n; i++)
        rest *= x[i];
    wide[0] = tapegrad_product(wide[0], wide[2]);
    wide[1] = tapegrad_product(wide[1], wide[3]);
    *out = tapegrad_product(tapegrad_product(wide[0], wide[1]), rest);
    return fits;
}

/* `TERM` of each element, in double precision from the start: no product or square of floats overflows there. FAST is
   true where it has written the answer. */
#define WIDE_REDUCTION(operation, START, OF, TERM, FAST)                                                     \
    TARGET static double NAME(operation##_contiguous)(const T *x, npy_intp n)                                \
    {                                                                                                        \
        double lane[TAPEGRAD_LANES], out = START;                                                            \
        npy_intp i = 0, j;                                                                                   \
        if (n > TAPEGRAD_RUN) {                                                                              \
            npy_intp half = (n / 2 + TAPEGRAD_RUN - 1) / TAPEGRAD_RUN * TAPEGRAD_RUN;                        \
            double first = NAME(operation##_contiguous)(x, half);                                            \
            double second = NAME(operation##_contiguous)(x + half, n - half);                                \
            return COMBINE(OF, double)(first, second);                                                       \
        }                                                                                                    \
        if (n >= TAPEGRAD_LANES) {                                                                           \
            if (FAST)                                                                                        \
                return out;                                                                                  \
            for (j = 0; j < TAPEGRAD_LANES; j++)                                                             \
                lane[j] = START;                                                                             \
            for (; i + TAPEGRAD_LANES <= n; i += TAPEGRAD_LANES)                                             \
                for (j = 0; j < TAPEGRAD_LANES; j++) {                                                       \
                    double element = x[i + j];                                                               \
                    lane[j] = COMBINE(OF, double)(lane[j], TERM);                                            \
                }                                                                                            \
            for (npy_intp width = TAPEGRAD_LANES / 2; width > 0; width /= 2)                                 \
                for (j = 0; j < width; j++)                                                                  \
                    lane[j] = COMBINE(OF, double)(lane[j], lane[j + width]);                                 \
            out = lane[0];                                                                                   \
        }                                                                                                    \
        for (; i < n; i++) {                                                                                 \
            double element = x[i];                                                                           \
            out = COMBINE(OF, double)(out, TERM);                                                            \
        }                                                                                                    \
        return out;                                                                                          \
    }                                                                                                        \
    TARGET static void NAME(operation##_run)(const char *x, npy_intp n, npy_intp stride, double *out)        \
    {                                                                                                        \
        double found = START;                                                                                \
        if (stride == (npy_intp)sizeof(T))                                                                   \
            found = NAME(operation##_contiguous)((const T *)x, n);                                           \
        else                                                                                                 \
            for (npy_intp i = 0; i < n; i++) {                                                               \
                double element = *(const T *)(x + i * stride);                                               \
                found = COMBINE(OF, double)(found, TERM);                                                    \
            }                                                                                                \
        *out = COMBINE(OF, double)(*out, found);                                                             \
    }                                                                                                        \
    TARGET static void NAME(operation##_columns)(const char *x, npy_intp rows, npy_intp row_stride,          \
                                                 npy_intp n, npy_intp stride, double *restrict out)          \
    {                                                                                                        \
        for (npy_intp i = 0; i < rows; i++) {                                                                \
            const char *row = x + i * row_stride;                                                            \
            if (stride == (npy_intp)sizeof(T))                                                               \
                for (npy_intp j = 0; j < n; j++) {                                                           \
                    double element = ((const T *)row)[j];                                                    \
                    out[j] = COMBINE(OF, double)(out[j], TERM);                                              \
                }                                                                                            \
            else                                                                                             \
                for (npy_intp j = 0; j < n; j++) {                                                           \
                    double element = *(const T *)(row + j * stride);                                         \
                    out[j] = COMBINE(OF, double)(out[j], TERM);                                              \
                }                                                                                            \
        }                                                                                                    \
    }

WIDE_REDUCTION(product, 1.0, tapegrad_multiply, element,
               sizeof(T) == sizeof(float) && NAME(product_of_lanes)(x, n, &out))
WIDE_REDUCTION(squares, 0.0, tapegrad_add, element * element, 0)

/* How many elements are not zero. NaN is not. */
#define NOT_ZERO(T) TAPEGRAD_JOIN2(COUNT, T)
#define COUNT_float npy_int32
#define COUNT_double npy_int64
TARGET static void NAME(count_run)(const char *x, npy_intp n, npy_intp stride, double *out)
{
    while (n > 0) {
        npy_intp piece = n < TAPEGRAD_RUN ? n : TAPEGRAD_RUN;
        NOT_ZERO(T) found = 0;
        if (stride == (npy_intp)sizeof(T))
            for (npy_intp i = 0; i < piece; i++)
                found += ((const T *)x)[i] != 0;
        else
            for (npy_intp i = 0; i < piece; i++)
                found += *(const T *)(x + i * stride) != 0;
        *out += (double)found;
        n -= piece;
        x += piece * stride;
    }
}

TARGET static void NAME(count_columns)(const char *x, npy_intp rows, npy_intp row_stride, npy_intp n,
                                       npy_intp stride, double *restrict out)
{
    for (npy_intp i = 0; i < rows; i++, x += row_stride)
        if (stride == (npy_intp)sizeof(T))
            for (npy_intp j = 0; j < n; j++)
                out[j] += ((const T *)x)[j] != 0 ? 1.0 : 0.0;
        else
            for (npy_intp j = 0; j < n; j++)
                out[j] += *(const T *)(x + j * stride) != 0 ? 1.0 : 0.0;
}

#define ENTRY(operation, START) {START, NAME(operation##_run), NAME(operation##_columns)}
static const tapegrad_reductions NAME(tapegrad_reductions) = {
    ENTRY(sum, 0), ENTRY(maximum, -INFINITY), ENTRY(minimum, INFINITY), ENTRY(product, 1), ENTRY(squares, 0),
    ENTRY(count, 0)};

#undef COMBINE
#undef REDUCTION
#undef WIDE_REDUCTION
#undef NOT_ZERO
#undef COUNT_float
#undef COUNT_double
#undef ENTRY

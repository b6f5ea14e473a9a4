/* The loops of `reductions.h` at one level, for elements of type E, which LOAD makes numbers of type T; KIND names
   them. No guard. */

#define COMBINE(name, T) TAPEGRAD_JOIN2(name, T)

/* The sum of all lanes, which it overwrites. */
TARGET static inline T OF_KIND(sum_of_lanes)(T *lane)
{
    TAPEGRAD_FOLD(lane, TAPEGRAD_PLUS);
    return lane[0];
}

/* The sum of `n` elements: a multiple of TAPEGRAD_LANES, and not zero. */
TARGET static T OF_KIND(sum_in_lanes)(const E *x, npy_intp n)
{
    T lane[TAPEGRAD_LANES];
    npy_intp i, j;
    for (j = 0; j < TAPEGRAD_LANES; j++)
        lane[j] = LOAD(x[j]);
    for (i = TAPEGRAD_LANES; i < n; i += TAPEGRAD_LANES)
        for (j = 0; j < TAPEGRAD_LANES; j++)
            lane[j] += LOAD(x[i + j]);
    return OF_KIND(sum_of_lanes)(lane);
}

/* The sum of fewer than TAPEGRAD_LANES elements. */
TARGET static T OF_KIND(sum_of_rest)(const E *x, npy_intp n)
{
    T lane[TAPEGRAD_LANES] = {0};
    for (npy_intp j = 0; j < n; j++)
        lane[j] = LOAD(x[j]);
    return OF_KIND(sum_of_lanes)(lane);
}

TARGET static double OF_KIND(sum_contiguous)(const E *x, npy_intp n)
{
    double out = 0;
    npy_intp whole = n / TAPEGRAD_LANES * TAPEGRAD_LANES;
    if (n > TAPEGRAD_RUN) {
        npy_intp half = (n / 2 + TAPEGRAD_RUN - 1) / TAPEGRAD_RUN * TAPEGRAD_RUN;
        double first = OF_KIND(sum_contiguous)(x, half);
        double second = OF_KIND(sum_contiguous)(x + half, n - half);
        return first + second;
    }
    if (whole > 0)
        out = OF_KIND(sum_in_lanes)(x, whole);
    if (n - whole > TAPEGRAD_LANES / 4)
        return out + OF_KIND(sum_of_rest)(x + whole, n - whole);
    for (; whole < n; whole++)
        out += (double)LOAD(x[whole]);
    return out;
}

/* The largest or smallest of `n` elements, in twice as many lanes: a comparison that NaN passes takes longer than an
   addition. Elements may be looked at twice, so the last lanes are those that end with the last element. */
#define EXTREME(operation, START, OF)                                                                        \
    TARGET static double OF_KIND(operation##_contiguous)(const E *x, npy_intp n)                             \
    {                                                                                                        \
        T lane[2 * TAPEGRAD_LANES];                                                                          \
        npy_intp i, j;                                                                                       \
        if (n < TAPEGRAD_LANES) {                                                                            \
            double out = START;                                                                              \
            for (i = 0; i < n; i++)                                                                          \
                out = COMBINE(OF, double)(out, (double)LOAD(x[i]));                                          \
            return out;                                                                                      \
        }                                                                                                    \
        if (n < 2 * TAPEGRAD_LANES) {                                                                        \
            for (j = 0; j < TAPEGRAD_LANES; j++)                                                             \
                lane[j] = COMBINE(OF, T)(LOAD(x[j]), LOAD(x[n - TAPEGRAD_LANES + j]));                       \
        } else {                                                                                             \
            for (j = 0; j < 2 * TAPEGRAD_LANES; j++)                                                         \
                lane[j] = LOAD(x[j]);                                                                        \
            for (i = 2 * TAPEGRAD_LANES; i + 2 * TAPEGRAD_LANES < n; i += 2 * TAPEGRAD_LANES)                \
                for (j = 0; j < 2 * TAPEGRAD_LANES; j++)                                                     \
                    lane[j] = COMBINE(OF, T)(lane[j], LOAD(x[i + j]));                                       \
            for (j = 0; j < 2 * TAPEGRAD_LANES; j++)                                                         \
                lane[j] = COMBINE(OF, T)(lane[j], LOAD(x[n - 2 * TAPEGRAD_LANES + j]));                      \
            for (j = 0; j < TAPEGRAD_LANES; j++)                                                             \
                lane[j] = COMBINE(OF, T)(lane[j], lane[j + TAPEGRAD_LANES]);                                 \
        }                                                                                                    \
        TAPEGRAD_FOLD(lane, COMBINE(OF, T));                                                                 \
        return lane[0];                                                                                      \
    }
EXTREME(maximum, -INFINITY, tapegrad_larger)
EXTREME(minimum, INFINITY, tapegrad_smaller)

/* Eight rows from row `i` on, and what is left of their elements at `j`, which are combined two by two. */
#define EIGHT_ROWS                                                                                           \
    const E *a = (const E *)(x + i * row_stride), *b = (const E *)(x + (i + 1) * row_stride);                \
    const E *c = (const E *)(x + (i + 2) * row_stride), *d = (const E *)(x + (i + 3) * row_stride);          \
    const E *e = (const E *)(x + (i + 4) * row_stride), *f = (const E *)(x + (i + 5) * row_stride);          \
    const E *g = (const E *)(x + (i + 6) * row_stride), *h = (const E *)(x + (i + 7) * row_stride);
#define EIGHT_COMBINED(OF)                                                                                   \
    T ab = COMBINE(OF, T)(LOAD(a[j]), LOAD(b[j])), cd = COMBINE(OF, T)(LOAD(c[j]), LOAD(d[j]));              \
    T ef = COMBINE(OF, T)(LOAD(e[j]), LOAD(f[j])), gh = COMBINE(OF, T)(LOAD(g[j]), LOAD(h[j]));              \
    T front = COMBINE(OF, T)(ab, cd), back = COMBINE(OF, T)(ef, gh);

/* The largest or smallest of columns, in single precision: accumulators in double precision are touched once. Says
   whether there are so many rows that this is worth it. */
#define EXTREME_COLUMNS(operation, OF)                                                                       \
    TARGET static int OF_KIND(operation##_near)(const char *x, npy_intp rows, npy_intp row_stride, npy_intp n,\
                                                double *restrict out)                                        \
    {                                                                                                        \
        T near[TAPEGRAD_COLUMNS];                                                                            \
        npy_intp i, j;                                                                                       \
        if (rows < 16)                                                                                       \
            return 0;                                                                                        \
        for (j = 0; j < n; j++)                                                                              \
            near[j] = LOAD(((const E *)x)[j]);                                                               \
        for (i = 1; i + 8 <= rows; i += 8) {                                                                 \
            EIGHT_ROWS                                                                                       \
            for (j = 0; j < n; j++) {                                                                        \
                EIGHT_COMBINED(OF)                                                                           \
                near[j] = COMBINE(OF, T)(near[j], COMBINE(OF, T)(front, back));                              \
            }                                                                                                \
        }                                                                                                    \
        for (; i < rows; i++)                                                                                \
            for (j = 0; j < n; j++)                                                                          \
                near[j] = COMBINE(OF, T)(near[j], LOAD(((const E *)(x + i * row_stride))[j]));               \
        for (j = 0; j < n; j++)                                                                              \
            out[j] = COMBINE(OF, double)(out[j], (double)near[j]);                                           \
        return 1;                                                                                            \
    }
EXTREME_COLUMNS(maximum, tapegrad_larger)
EXTREME_COLUMNS(minimum, tapegrad_smaller)

/* FAST is true where it has done the work of columns. */
#define REDUCTION(operation, START, OF, FAST)                                                                \
    TARGET static void OF_KIND(operation##_run)(const char *x, npy_intp n, npy_intp stride, double *out)     \
    {                                                                                                        \
        double found[4] = {START, START, START, START};                                                      \
        npy_intp i;                                                                                          \
        if (stride == (npy_intp)sizeof(E)) {                                                                 \
            found[0] = OF_KIND(operation##_contiguous)((const E *)x, n);                                     \
            *out = COMBINE(OF, double)(*out, found[0]);                                                      \
            return;                                                                                          \
        }                                                                                                    \
        for (i = 0; i < n; i++)                                                                              \
            found[i % 4] = COMBINE(OF, double)(found[i % 4], (double)LOAD(*(const E *)(x + i * stride)));    \
        found[0] = COMBINE(OF, double)(found[0], found[1]);                                                  \
        found[2] = COMBINE(OF, double)(found[2], found[3]);                                                  \
        found[0] = COMBINE(OF, double)(found[0], found[2]);                                                  \
        *out = COMBINE(OF, double)(*out, found[0]);                                                          \
    }                                                                                                        \
    TARGET static void OF_KIND(operation##_columns)(const char *x, npy_intp rows, npy_intp row_stride,       \
                                                 npy_intp n, npy_intp stride, double *restrict out)          \
    {                                                                                                        \
        npy_intp i, j;                                                                                       \
        if (stride != (npy_intp)sizeof(E)) {                                                                 \
            for (i = 0; i + 2 <= rows; i += 2)                                                               \
                for (j = 0; j < n; j++) {                                                                    \
                    const char *here = x + i * row_stride + j * stride;                                      \
                    double first = LOAD(*(const E *)here), second = LOAD(*(const E *)(here + row_stride));   \
                    out[j] = COMBINE(OF, double)(COMBINE(OF, double)(out[j], first), second);                \
                }                                                                                            \
            for (; i < rows; i++)                                                                            \
                for (j = 0; j < n; j++)                                                                      \
                    out[j] = COMBINE(OF, double)(                                                            \
                        out[j], (double)LOAD(*(const E *)(x + i * row_stride + j * stride)));                \
            return;                                                                                          \
        }                                                                                                    \
        if (FAST)                                                                                            \
            return;                                                                                          \
        for (i = 0; i + 8 <= rows; i += 8) {                                                                 \
            EIGHT_ROWS                                                                                       \
            for (j = 0; j < n; j++) {                                                                        \
                EIGHT_COMBINED(OF)                                                                           \
                double wide = COMBINE(OF, T)(front, back);                                                   \
                out[j] = COMBINE(OF, double)(out[j], wide);                                                  \
            }                                                                                                \
        }                                                                                                    \
        for (; i + 2 <= rows; i += 2) {                                                                      \
            const E *a = (const E *)(x + i * row_stride), *b = (const E *)(x + (i + 1) * row_stride);        \
            for (j = 0; j < n; j++) {                                                                        \
                double wide = COMBINE(OF, double)((double)LOAD(a[j]), (double)LOAD(b[j]));                   \
                out[j] = COMBINE(OF, double)(out[j], wide);                                                  \
            }                                                                                                \
        }                                                                                                    \
        for (; i < rows; i++) {                                                                              \
            const E *a = (const E *)(x + i * row_stride);                                                    \
            for (j = 0; j < n; j++) {                                                                        \
                double wide = LOAD(a[j]);                                                                    \
                out[j] = COMBINE(OF, double)(out[j], wide);                                                  \
            }                                                                                                \
        }                                                                                                    \
    }

#define NEAR(operation)                                                                                      \
    sizeof(T) == sizeof(float) && OF_KIND(operation##_near)(x, rows, row_stride, n, out)
REDUCTION(sum, 0.0, tapegrad_add, 0)
REDUCTION(maximum, -INFINITY, tapegrad_larger, NEAR(maximum))
REDUCTION(minimum, INFINITY, tapegrad_smaller, NEAR(minimum))
#undef NEAR

/* Try to multiply `n` elements, at least TAPEGRAD_LANES and at most TAPEGRAD_RUN, in the precision of floats. Says
   whether no product in between was zero, too small to have all its bits, or too large. */
TARGET static int OF_KIND(product_of_lanes)(const E *x, npy_intp n, double *out)
{
    T lane[TAPEGRAD_LANES], least[TAPEGRAD_LANES];
    double wide[TAPEGRAD_LANES], rest = 1;
    npy_intp i, j;
    int fits = 1;
    for (j = 0; j < TAPEGRAD_LANES; j++) {
        lane[j] = LOAD(x[j]);
        least[j] = (T)fabs((double)lane[j]);
    }
    for (i = TAPEGRAD_LANES; i + TAPEGRAD_LANES <= n; i += TAPEGRAD_LANES)
        for (j = 0; j < TAPEGRAD_LANES; j++) {
            T size;
            lane[j] *= LOAD(x[i + j]);
            size = (T)fabs((double)lane[j]);
            least[j] = size < least[j] ? size : least[j];
        }
    for (j = 0; j < TAPEGRAD_LANES; j++) {
        wide[j] = lane[j];
        fits &= (least[j] >= (T)FLT_MIN) & (fabs(wide[j]) <= FLT_MAX);
    }
    TAPEGRAD_FOLD_TO_FOUR(wide, tapegrad_multiply_double);
    for (; i < n; i++)
        rest *= LOAD(x[i]);
    wide[0] = tapegrad_product(wide[0], wide[2]);
    wide[1] = tapegrad_product(wide[1], wide[3]);
    *out = tapegrad_product(tapegrad_product(wide[0], wide[1]), rest);
    return fits;
}

/* `TERM` of each element, in double precision from the start: no product or square of floats overflows there. FAST is
   true where it has written the answer. */
#define WIDE_REDUCTION(operation, START, OF, TERM, FAST)                                                     \
    TARGET static double OF_KIND(operation##_contiguous)(const E *x, npy_intp n)                             \
    {                                                                                                        \
        double lane[TAPEGRAD_LANES], out = START;                                                            \
        npy_intp i = 0, j;                                                                                   \
        if (n > TAPEGRAD_RUN) {                                                                              \
            npy_intp half = (n / 2 + TAPEGRAD_RUN - 1) / TAPEGRAD_RUN * TAPEGRAD_RUN;                        \
            double first = OF_KIND(operation##_contiguous)(x, half);                                         \
            double second = OF_KIND(operation##_contiguous)(x + half, n - half);                             \
            return COMBINE(OF, double)(first, second);                                                       \
        }                                                                                                    \
        if (n >= TAPEGRAD_LANES) {                                                                           \
            if (FAST)                                                                                        \
                return out;                                                                                  \
            for (j = 0; j < TAPEGRAD_LANES; j++)                                                             \
                lane[j] = START;                                                                             \
            for (; i + TAPEGRAD_LANES <= n; i += TAPEGRAD_LANES)                                             \
                for (j = 0; j < TAPEGRAD_LANES; j++) {                                                       \
                    double element = LOAD(x[i + j]);                                                         \
                    lane[j] = COMBINE(OF, double)(lane[j], TERM);                                            \
                }                                                                                            \
            TAPEGRAD_FOLD(lane, COMBINE(OF, double));                                                        \
            out = lane[0];                                                                                   \
        }                                                                                                    \
        for (; i < n; i++) {                                                                                 \
            double element = LOAD(x[i]);                                                                     \
            out = COMBINE(OF, double)(out, TERM);                                                            \
        }                                                                                                    \
        return out;                                                                                          \
    }                                                                                                        \
    TARGET static void OF_KIND(operation##_run)(const char *x, npy_intp n, npy_intp stride, double *out)     \
    {                                                                                                        \
        double found = START;                                                                                \
        if (stride == (npy_intp)sizeof(E))                                                                   \
            found = OF_KIND(operation##_contiguous)((const E *)x, n);                                        \
        else                                                                                                 \
            for (npy_intp i = 0; i < n; i++) {                                                               \
                double element = LOAD(*(const E *)(x + i * stride));                                         \
                found = COMBINE(OF, double)(found, TERM);                                                    \
            }                                                                                                \
        *out = COMBINE(OF, double)(*out, found);                                                             \
    }                                                                                                        \
    TARGET static void OF_KIND(operation##_columns)(const char *x, npy_intp rows, npy_intp row_stride,       \
                                                 npy_intp n, npy_intp stride, double *restrict out)          \
    {                                                                                                        \
        for (npy_intp i = 0; i < rows; i++) {                                                                \
            const char *row = x + i * row_stride;                                                            \
            if (stride == (npy_intp)sizeof(E))                                                               \
                for (npy_intp j = 0; j < n; j++) {                                                           \
                    double element = LOAD(((const E *)row)[j]);                                              \
                    out[j] = COMBINE(OF, double)(out[j], TERM);                                              \
                }                                                                                            \
            else                                                                                             \
                for (npy_intp j = 0; j < n; j++) {                                                           \
                    double element = LOAD(*(const E *)(row + j * stride));                                   \
                    out[j] = COMBINE(OF, double)(out[j], TERM);                                              \
                }                                                                                            \
        }                                                                                                    \
    }

WIDE_REDUCTION(product, 1.0, tapegrad_multiply, element,
               sizeof(T) == sizeof(float) && OF_KIND(product_of_lanes)(x, n, &out))
WIDE_REDUCTION(squares, 0.0, tapegrad_add, element * element, 0)

/* How many elements are not zero. NaN is not. */
#define NOT_ZERO(T) TAPEGRAD_JOIN2(COUNT, T)
#define COUNT_float npy_int32
#define COUNT_double npy_int64
TARGET static void OF_KIND(count_run)(const char *x, npy_intp n, npy_intp stride, double *out)
{
    while (n > 0) {
        npy_intp piece = n < TAPEGRAD_RUN ? n : TAPEGRAD_RUN;
        NOT_ZERO(T) found = 0;
        if (stride == (npy_intp)sizeof(E))
            for (npy_intp i = 0; i < piece; i++)
                found += LOAD(((const E *)x)[i]) != 0;
        else
            for (npy_intp i = 0; i < piece; i++)
                found += LOAD(*(const E *)(x + i * stride)) != 0;
        *out += (double)found;
        n -= piece;
        x += piece * stride;
    }
}

TARGET static void OF_KIND(count_columns)(const char *x, npy_intp rows, npy_intp row_stride, npy_intp n,
                                       npy_intp stride, double *restrict out)
{
    for (npy_intp i = 0; i < rows; i++, x += row_stride)
        if (stride == (npy_intp)sizeof(E))
            for (npy_intp j = 0; j < n; j++)
                out[j] += LOAD(((const E *)x)[j]) != 0 ? 1.0 : 0.0;
        else
            for (npy_intp j = 0; j < n; j++)
                out[j] += LOAD(*(const E *)(x + j * stride)) != 0 ? 1.0 : 0.0;
}

/* Squares of floats and halves are added up in single precision where their sum says that none overflowed, and that
   those which vanished do not matter. */
#ifdef SINGLE
TARGET static void OF_KIND(single_squares_run)(const char *x, npy_intp n, npy_intp stride, double *out)
{
    if (stride != (npy_intp)sizeof(E)) {
        OF_KIND(squares_run)(x, n, stride, out);
        return;
    }
    for (npy_intp begin = 0; begin < n; begin += TAPEGRAD_RUN) {
        const E *run = (const E *)x + begin;
        npy_intp rest = n - begin < TAPEGRAD_RUN ? n - begin : TAPEGRAD_RUN, i = 0;
        T lane[TAPEGRAD_LANES] = {0}, sum;
        for (; i + TAPEGRAD_LANES <= rest; i += TAPEGRAD_LANES)
            for (npy_intp j = 0; j < TAPEGRAD_LANES; j++)
                lane[j] += LOAD(run[i + j]) * LOAD(run[i + j]);
        sum = OF_KIND(sum_of_lanes)(lane);
        for (; i < rest; i++)
            sum += LOAD(run[i]) * LOAD(run[i]);
        if (sum > (T)1e-25 && sum < (T)1e37)
            *out += sum;
        else
            OF_KIND(squares_run)((const char *)run, rest, stride, out);
    }
}
#define SQUARES {0, OF_KIND(single_squares_run), OF_KIND(squares_columns)}
#else
#define SQUARES ENTRY(squares, 0)
#endif

#ifdef NARROW
#define STORED NULL
#else
TARGET static void OF_KIND(store)(char *out, const double *restrict values, npy_intp n, double divisor)
{
    E *restrict to = (E *)out;
    E by = (E)divisor;
    if (by != 0)
        for (npy_intp i = 0; i < n; i++)
            to[i] = (E)values[i] / by;
    else
        for (npy_intp i = 0; i < n; i++)
            to[i] = (E)values[i];
}
#define STORED OF_KIND(store)
#endif

#define ENTRY(operation, START) {START, OF_KIND(operation##_run), OF_KIND(operation##_columns)}
static const tapegrad_reductions OF_KIND(tapegrad_reductions) = {
    ENTRY(sum, 0), ENTRY(maximum, -INFINITY), ENTRY(minimum, INFINITY), ENTRY(product, 1), SQUARES, ENTRY(count, 0),
    STORED};

#undef COMBINE
#undef EXTREME
#undef EXTREME_COLUMNS
#undef EIGHT_ROWS
#undef EIGHT_COMBINED
#undef REDUCTION
#undef WIDE_REDUCTION
#undef NOT_ZERO
#undef STORED
#undef COUNT_float
#undef COUNT_double
#undef ENTRY
#undef SQUARES

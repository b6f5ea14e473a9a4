/* The loops of `triangles.h` for elements of type T: KERNELS_OF_TYPE of `each_real.h`; no guard. */

#define LANES_OF_VECTOR (VECTOR / (npy_intp)sizeof(T))
/* As many vectors as it takes for one to be added to while the others wait for their sums. */
#define LANES_OF_STRIP ((VECTOR == 64 ? 4 : 8) * LANES_OF_VECTOR)

/* `WIDTH` columns. `inverses` are those of the diagonal, or NULL where it is all ones or `divides`. */
#define TAPEGRAD_SUBSTITUTE(NAMED, WIDTH)                                                                    \
    TARGET static void NAMED(const T *l, npy_intp row, npy_intp column, npy_intp n, const T *inverses,       \
                             int divides, T *sides, npy_intp step)                                           \
    {                                                                                                        \
        for (npy_intp i = 0; i < n; i++) {                                                                   \
            T sums[WIDTH];                                                                                   \
            T *x = sides + i * step;                                                                         \
            for (npy_intp lane = 0; lane < WIDTH; lane++)                                                    \
                sums[lane] = x[lane];                                                                        \
            for (npy_intp j = 0; j < i; j++) {                                                               \
                const T *known = sides + j * step;                                                           \
                T factor = -l[i * row + j * column];                                                         \
                for (npy_intp lane = 0; lane < WIDTH; lane++)                                                \
                    sums[lane] = TAPEGRAD_JOIN2(MULTIPLY_ADD, T)(factor, known[lane], sums[lane]);           \
            }                                                                                                \
            if (divides)                                                                                     \
                for (npy_intp lane = 0; lane < WIDTH; lane++)                                                \
                    x[lane] = sums[lane] / l[i * (row + column)];                                            \
            else if (inverses)                                                                               \
                for (npy_intp lane = 0; lane < WIDTH; lane++)                                                \
                    x[lane] = sums[lane] * inverses[i];                                                      \
            else                                                                                             \
                for (npy_intp lane = 0; lane < WIDTH; lane++)                                                \
                    x[lane] = sums[lane];                                                                    \
        }                                                                                                    \
    }
TAPEGRAD_SUBSTITUTE(NAME(substitute_strip), LANES_OF_STRIP)
TAPEGRAD_SUBSTITUTE(NAME(substitute_vector), LANES_OF_VECTOR)

TARGET static void NAME(substitute)(const void *triangle, npy_intp row, npy_intp column, npy_intp n, int ones,
                                    void *sides, npy_intp step, npy_intp columns)
{
    const T *l = triangle, *known = NULL;
    T *x = sides;
    T inverses[TAPEGRAD_TRIANGLE], rest[TAPEGRAD_TRIANGLE * LANES_OF_VECTOR];
    int divides = 0;
    if (!ones) {
        known = inverses;
        for (npy_intp i = 0; i < n; i++) {
            inverses[i] = 1 / l[i * (row + column)];
            /* Of a tiny number the inverse overflows, of a huge one it has few digits. */
            divides |= !(inverses[i] * inverses[i] > 0 && inverses[i] - inverses[i] == 0);
        }
    }
    for (; columns >= LANES_OF_STRIP; columns -= LANES_OF_STRIP, x += LANES_OF_STRIP)
        NAME(substitute_strip)(l, row, column, n, known, divides, x, step);
    for (; columns >= LANES_OF_VECTOR; columns -= LANES_OF_VECTOR, x += LANES_OF_VECTOR)
        NAME(substitute_vector)(l, row, column, n, known, divides, x, step);
    if (columns == 0)
        return;
    for (npy_intp i = 0; i < n; i++)
        for (npy_intp lane = 0; lane < LANES_OF_VECTOR; lane++)
            rest[i * LANES_OF_VECTOR + lane] = lane < columns ? x[i * step + lane] : 0;
    NAME(substitute_vector)(l, row, column, n, known, divides, rest, LANES_OF_VECTOR);
    for (npy_intp i = 0; i < n; i++)
        for (npy_intp lane = 0; lane < columns; lane++)
            x[i * step + lane] = rest[i * LANES_OF_VECTOR + lane];
}

#undef TAPEGRAD_SUBSTITUTE
#undef LANES_OF_VECTOR
#undef LANES_OF_STRIP

static const tapegrad_triangles NAME(tapegrad_triangles) = {NAME(substitute)};

/* Transposed copies of matrices of floats and doubles, twice as fast as the strided copies of `copies.h`, and of the
   squares that they are made of. */

#ifndef TAPEGRAD_TRANSPOSED_H
#define TAPEGRAD_TRANSPOSED_H

#include <stddef.h>

#define TAPEGRAD_TRANSPOSE_PLAINLY(NAME, T)                                                                  \
    static inline void NAME(ptrdiff_t rows, ptrdiff_t columns, const T *in, ptrdiff_t step, T *out,          \
                            ptrdiff_t to)                                                                    \
    {                                                                                                        \
        for (ptrdiff_t i = 0; i < rows; i++)                                                                 \
            for (ptrdiff_t j = 0; j < columns; j++)                                                          \
                out[j * to + i] = in[i * step + j];                                                          \
    }
TAPEGRAD_TRANSPOSE_PLAINLY(tapegrad_floats_plainly, float)
TAPEGRAD_TRANSPOSE_PLAINLY(tapegrad_doubles_plainly, double)

/* Squares of four by four floats and of two by two doubles: as many registers as rows. out[j, i] = in[i, j]. */
#if defined(__clang__) || __GNUC__ >= 12
typedef float tapegrad_four_floats __attribute__((vector_size(16), aligned(4)));
typedef double tapegrad_two_doubles __attribute__((vector_size(16), aligned(8)));

static inline void tapegrad_square_of_floats(const float *in, ptrdiff_t step, float *out, ptrdiff_t to)
{
    typedef tapegrad_four_floats four;
    four a = *(const four *)in, b = *(const four *)(in + step);
    four c = *(const four *)(in + 2 * step), d = *(const four *)(in + 3 * step);
    four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    *(four *)out = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(four *)(out + to) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(four *)(out + 2 * to) = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(four *)(out + 3 * to) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

static inline void tapegrad_square_of_doubles(const double *in, ptrdiff_t step, double *out, ptrdiff_t to)
{
    typedef tapegrad_two_doubles two;
    two a = *(const two *)in, b = *(const two *)(in + step);
    *(two *)out = __builtin_shufflevector(a, b, 0, 2);
    *(two *)(out + to) = __builtin_shufflevector(a, b, 1, 3);
}
#else
#define tapegrad_square_of_floats(in, step, out, to) tapegrad_floats_plainly(4, 4, in, step, out, to)
#define tapegrad_square_of_doubles(in, step, out, to) tapegrad_doubles_plainly(2, 2, in, step, out, to)
#endif

/* out[j, i] = in[i, j] */
void tapegrad_transpose_floats(
    ptrdiff_t rows, ptrdiff_t columns, const float *in, ptrdiff_t step, float *out, ptrdiff_t to);
void tapegrad_transpose_doubles(
    ptrdiff_t rows, ptrdiff_t columns, const double *in, ptrdiff_t step, double *out, ptrdiff_t to);

#endif

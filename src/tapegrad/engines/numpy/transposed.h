/* Transposed copies of matrices of floats. */

#include <stddef.h>

static void tapegrad_transpose_plainly(ptrdiff_t rows, ptrdiff_t columns, const float *in, ptrdiff_t step,
                                       float *out, ptrdiff_t to)
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t j = 0; j < columns; j++)
            out[j * to + i] = in[i * step + j];
}

#if defined(__clang__) || __GNUC__ >= 12
typedef float tapegrad_four __attribute__((vector_size(16), aligned(4)));

/* Four by four elements in four registers. */
static inline void tapegrad_transpose_tile(const float *in, ptrdiff_t step, float *out, ptrdiff_t to)
{
    tapegrad_four a = *(const tapegrad_four *)in, b = *(const tapegrad_four *)(in + step);
    tapegrad_four c = *(const tapegrad_four *)(in + 2 * step), d = *(const tapegrad_four *)(in + 3 * step);
    tapegrad_four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    *(tapegrad_four *)out = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(tapegrad_four *)(out + to) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    ab = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    cd = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    *(tapegrad_four *)(out + 2 * to) = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    *(tapegrad_four *)(out + 3 * to) = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}
#else
static inline void tapegrad_transpose_tile(const float *in, ptrdiff_t step, float *out, ptrdiff_t to)
{
    tapegrad_transpose_plainly(4, 4, in, step, out, to);
}
#endif

/* out[j, i] = in[i, j], of floats. */
static void tapegrad_transpose_floats(ptrdiff_t rows, ptrdiff_t columns, const float *in, ptrdiff_t step,
                                      float *out, ptrdiff_t to)
{
    ptrdiff_t i, j, whole = columns / 4 * 4;
    for (i = 0; i + 16 <= rows; i += 16) {
        /* Sixteen results side by side fill a cache line. */
        for (j = 0; j < whole; j += 4)
            for (int part = 0; part < 16; part += 4)
                tapegrad_transpose_tile(in + (i + part) * step + j, step, out + j * to + i + part, to);
        tapegrad_transpose_plainly(16, columns - whole, in + i * step + whole, step, out + whole * to + i, to);
    }
    tapegrad_transpose_plainly(rows - i, columns, in + i * step, step, out + i, to);
}

/* Transposed copies of matrices of floats and doubles, twice as fast as the strided copies of `copies.h`. */

#ifndef TAPEGRAD_TRANSPOSED_H
#define TAPEGRAD_TRANSPOSED_H

#include <stddef.h>

/* out[j, i] = in[i, j] */
void tapegrad_transpose_floats(
    ptrdiff_t rows, ptrdiff_t columns, const float *in, ptrdiff_t step, float *out, ptrdiff_t to);
void tapegrad_transpose_doubles(
    ptrdiff_t rows, ptrdiff_t columns, const double *in, ptrdiff_t step, double *out, ptrdiff_t to);

#endif

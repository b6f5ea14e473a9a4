/* What `transposed.h` declares. */

#include "transposed.h"

/* out[j, i] = in[i, j]. Sixteen rows at a time, whose results side by side fill whole cache lines. */
#define TAPEGRAD_TRANSPOSE(NAME, T, WIDTH, SQUARE, PLAINLY)                                                  \
    void NAME(ptrdiff_t rows, ptrdiff_t columns, const T *in, ptrdiff_t step, T *out, ptrdiff_t to)          \
    {                                                                                                        \
        ptrdiff_t i, j, whole = columns / WIDTH * WIDTH;                                                     \
        for (i = 0; i + 16 <= rows; i += 16) {                                                               \
            for (j = 0; j < whole; j += WIDTH)                                                               \
                for (int part = 0; part < 16; part += WIDTH)                                                 \
                    SQUARE(in + (i + part) * step + j, step, out + j * to + i + part, to);                   \
            PLAINLY(16, columns - whole, in + i * step + whole, step, out + whole * to + i, to);             \
        }                                                                                                    \
        PLAINLY(rows - i, columns, in + i * step, step, out + i, to);                                        \
    }
TAPEGRAD_TRANSPOSE(tapegrad_transpose_floats, float, 4, tapegrad_square_of_floats, tapegrad_floats_plainly)
TAPEGRAD_TRANSPOSE(tapegrad_transpose_doubles, double, 2, tapegrad_square_of_doubles, tapegrad_doubles_plainly)

/* The loops of `convolution_tiles.h` for each element type: KERNELS of `each_level.h`; no guard. */

/* Tiles fill the registers: 2 * ROWS vectors of sums, besides two of columns and one of a row's number. */
#if VECTOR == 64
#define ROWS 12
#elif TAPEGRAD_LEVELS == 3
#define ROWS 6
#else
#define ROWS 8
#endif

#define T float
#include "convolution_tiles.h"
#undef T
#define T double
#include "convolution_tiles.h"
#undef T
/* Unsigned numbers stand for int32: C lets only unsigned ones wrap around. */
#define T uint32_t
#include "convolution_tiles.h"
#undef T

#define TABLE(TYPE) {                                                                                      \
        AT_LEVEL(pack, TYPE), AT_LEVEL(multiply, TYPE), AT_LEVEL(multiply_columns, TYPE),                  \
        AT_LEVEL(filter_gradient, TYPE), AT_LEVEL(sum, TYPE), 2 * VECTOR / (ptrdiff_t)sizeof(TYPE),        \
        TAPEGRAD_COLUMN_BYTES / (ptrdiff_t)sizeof(TYPE),                                                   \
        TAPEGRAD_GRADIENT_BYTES / (ptrdiff_t)sizeof(TYPE)}
static const tapegrad_convolution_kernels AT_LEVEL(tapegrad_convolution, kernels)[] = {
    TABLE(float), TABLE(double), TABLE(uint32_t)};
#undef TABLE
#undef ROWS

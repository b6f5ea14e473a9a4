/* The loops of `convolution_tiles.h` for each element type: KERNELS of `each_level.h`; no guard. */

/* Tiles fill the registers: 2 * ROWS vectors of sums, besides two of columns and one of a row's number. */
#if VECTOR == 64
#define ROWS 12
#elif TAPEGRAD_LEVELS == 3
#define ROWS 6
#else
#define ROWS 8
#endif

#define LANES (VECTOR / (ptrdiff_t)sizeof(T))
#define COLUMNS (2 * LANES)
#define INNER (TAPEGRAD_BLOCK_BYTES / (ptrdiff_t)sizeof(T))
#define GRADIENT_INNER (TAPEGRAD_GRADIENT_BYTES / (ptrdiff_t)sizeof(T))
#define PANELS_BESIDE (TAPEGRAD_COLUMN_BYTES / (COLUMNS * (ptrdiff_t)sizeof(T)))
#define PITCH (INNER + TAPEGRAD_BLOCK_SPARE / (ptrdiff_t)sizeof(T))

/* SQUARE transposes SQUARE_WIDTH times SQUARE_WIDTH elements. */
#define T float
#define SQUARE tapegrad_square_of_floats
#define SQUARE_WIDTH 4
#include "convolution_tiles.h"
#include "convolution_winograd.h"
#undef T
#undef SQUARE
#undef SQUARE_WIDTH
#define T double
#define SQUARE tapegrad_square_of_doubles
#define SQUARE_WIDTH 2
#include "convolution_tiles.h"
#undef T
#undef SQUARE
/* Unsigned numbers stand for int32: C lets only unsigned ones wrap around. */
#define T uint32_t
#define SQUARE(in, step, out, to)                                                                           \
    ((out)[0] = (in)[0], (out)[1] = (in)[step], (out)[to] = (in)[1], (out)[(to) + 1] = (in)[(step) + 1])
#include "convolution_tiles.h"
#undef T
#undef SQUARE
#undef SQUARE_WIDTH

#define TABLE(TYPE, ...) {                                                                                 \
        AT_LEVEL(pack, TYPE), AT_LEVEL(multiply, TYPE), AT_LEVEL(multiply_columns, TYPE),                  \
        AT_LEVEL(filter_gradient, TYPE), AT_LEVEL(sum, TYPE), __VA_ARGS__,                                 \
        2 * VECTOR / (ptrdiff_t)sizeof(TYPE), TAPEGRAD_COLUMN_BYTES / (ptrdiff_t)sizeof(TYPE),             \
        TAPEGRAD_GRADIENT_BYTES / (ptrdiff_t)sizeof(TYPE)}
static const tapegrad_convolution_kernels AT_LEVEL(tapegrad_convolution, kernels)[] = {
    TABLE(float, AT_LEVEL(find_largest, float), AT_LEVEL(transform_filters, float), AT_LEVEL(multiply_squares, float),
          AT_LEVEL(multiply_apart, float), AT_LEVEL(square_gradient, float), AT_LEVEL(transform_gradient, float)),
    TABLE(double, NULL, NULL, NULL, NULL, NULL, NULL), TABLE(uint32_t, NULL, NULL, NULL, NULL, NULL, NULL)};
#undef TABLE
#undef ROWS
#undef LANES
#undef COLUMNS
#undef INNER
#undef GRADIENT_INNER
#undef PANELS_BESIDE
#undef PITCH

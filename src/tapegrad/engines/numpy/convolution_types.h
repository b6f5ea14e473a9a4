/* The loops of `convolution_tiles.h` for each element type, at one width of vectors; included by `convolution.h`. */

#define T float
#include "convolution_tiles.h"
#undef T
#define T double
#include "convolution_tiles.h"
#undef T
/* Signed numbers of 32 bits wrap around as unsigned ones do, where C lets only these. */
#define T uint32_t
#include "convolution_tiles.h"
#undef T

#define KERNELS(TYPE) {                                                                                    \
        TAPEGRAD_JOIN(pack, TYPE, LEVEL), TAPEGRAD_JOIN(multiply, TYPE, LEVEL),                            \
        TAPEGRAD_JOIN(filter_gradient, TYPE, LEVEL), TAPEGRAD_JOIN(sum, TYPE, LEVEL),                      \
        2 * VECTOR / (ptrdiff_t)sizeof(TYPE), TAPEGRAD_GRADIENT_BYTES / (ptrdiff_t)sizeof(TYPE)}
#define TABLE_(LEVEL) tapegrad_convolution_##LEVEL
#define TABLE(LEVEL) TABLE_(LEVEL)
static const tapegrad_convolution_kernels TABLE(LEVEL)[] = {KERNELS(float), KERNELS(double), KERNELS(uint32_t)};
#undef KERNELS
#undef TABLE
#undef TABLE_
#undef LEVEL
#undef TARGET
#undef VECTOR
#undef ROWS

/* Elementwise kernels of `float` and `double` that take a plain number beside their arrays. */

#ifndef TAPEGRAD_SLOPES_H
#define TAPEGRAD_SLOPES_H

#include <numpy/npy_common.h>
#include <stddef.h>

#include "vectors.h"

typedef struct {
    const void *x, *y;
    void *out;
    double number;
} tapegrad_sloped;

typedef struct {
    /* x where it is above 0, else x times the number. */
    void (*leaky_relu)(void *context, ptrdiff_t begin, ptrdiff_t end);
    /* x where y is above 0, else x times the number. */
    void (*leaky_relu_grad)(void *context, ptrdiff_t begin, ptrdiff_t end);
} tapegrad_slopes;

#define KERNELS_OF_TYPE "slope_loops.h"
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE

TAPEGRAD_VERSIONS(tapegrad_slopes)

#endif

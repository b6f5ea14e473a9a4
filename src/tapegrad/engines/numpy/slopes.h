/* Elementwise kernels of `float` and `double` that take plain numbers beside their arrays. */

#ifndef TAPEGRAD_SLOPES_H
#define TAPEGRAD_SLOPES_H

#include <numpy/npy_common.h>
#include <float.h>
#include <stddef.h>

#include "vectors.h"

enum { TAPEGRAD_SLOPES_AT_ONCE = 256 }; /* elements of a block of quotient_slope */

typedef struct {
    const void *x, *y, *z;
    void *out;
    double number, second;
} tapegrad_sloped;

typedef struct {
    /* x where it is above 0, else x times the number. */
    void (*leaky_relu)(void *context, ptrdiff_t begin, ptrdiff_t end);
    /* x where y is above 0, else x times the number. */
    void (*leaky_relu_grad)(void *context, ptrdiff_t begin, ptrdiff_t end);
    /* x, or the number where x is below it, or the second one where x is above that. NaN stays. */
    void (*clip)(void *context, ptrdiff_t begin, ptrdiff_t end);
    /* x where y is not beyond one of the two numbers, else 0. */
    void (*clip_grad)(void *context, ptrdiff_t begin, ptrdiff_t end);
    /* -x * z / y in an order in which no part leaves the numbers unless all do (see ops/elementwise/math), and 0 where
       z is 0 or, if the number is 1, where y is 0. */
    void (*quotient_slope)(void *context, ptrdiff_t begin, ptrdiff_t end);
} tapegrad_slopes;

const tapegrad_slopes *tapegrad_slopes_at(int is_double, int level);

#endif

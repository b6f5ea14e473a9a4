/* Products of matrices of bfloat16 by the processor's instruction for them, which adds two products of halves to a
   float32. It takes numbers below the smallest normal one for zero, as TensorFlow does everywhere.

   The second operand is packed in panels of up to 64 columns, in which the halves of two rows lie beside each other.
   The first one is read where it lies, if its rows do. Each result is one sum from the first product to the last. */

#ifndef TAPEGRAD_HALF_PRODUCTS_H
#define TAPEGRAD_HALF_PRODUCTS_H

#include "blas.h"

int tapegrad_has_half_products(void);
/* C = A B for halves. */
void tapegrad_half_product(const tapegrad_matrices *x);

#endif

/* Loops in NumPy's form for bfloat16. Short ones of ours keep their numbers in registers; all others are loops of
   float32: a block is widened, computed and rounded while it is in the first cache. There are so few halves that the
   results of a function that takes long are written down once it has been asked for as many, and then looked up. */

#ifndef TAPEGRAD_THROUGH_FLOATS_H
#define TAPEGRAD_THROUGH_FLOATS_H

#include "conversions.h"

/* `n` results of halves that lie beside each other. */
typedef void (*tapegrad_half_loop)(const char *x, const char *y, char *out, npy_intp n);

/* The data of such a loop. */
typedef struct {
    void (*loop)(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data);
    void *data;
    int operands;
    int rounds; /* whether the results are float32, and become bfloat16 */
    tapegrad_conversion widen, round, spread, gather;
    const tapegrad_half_loop *own; /* or NULL */
    int takes_long; /* so that looking up results is quicker */
    npy_intp asked; /* elements so far */
    npy_uint16 *results; /* of all halves, or NULL */
} tapegrad_through;

/* What runs `loop` on bfloat16, `name` being its ufunc. */
tapegrad_through tapegrad_through_at(int level, const char *name);
void tapegrad_through_floats(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data);

#endif

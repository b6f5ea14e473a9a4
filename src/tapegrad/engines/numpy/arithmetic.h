/* Sums, differences, products and negatives of floats, alone or two in one loop: steps of blocks (`blocks.pyx`).

   A loop of NumPy's takes as long to begin as it computes where it is called for a part of an array that lies in the
   first cache, and of two steps the second reads what the first has just written. These loops round both results, so
   the bits are those of two ops. */

#ifndef TAPEGRAD_ARITHMETIC_H
#define TAPEGRAD_ARITHMETIC_H

#include <stddef.h>

enum {
    TAPEGRAD_ADD,
    TAPEGRAD_SUBTRACT,
    TAPEGRAD_MULTIPLY,
    TAPEGRAD_NEGATE,
    TAPEGRAD_MULTIPLY_NO_NAN,   /* 0 where the second factor is 0 */
    TAPEGRAD_FIRST_STEPS,       /* A first step is one of those above, of x and y or of x. */
    /* A second step is one of those too, of the first result and z; or nothing, or one of z and the first result. */
    TAPEGRAD_NOTHING = TAPEGRAD_FIRST_STEPS,
    TAPEGRAD_SUBTRACT_FROM,
    TAPEGRAD_MULTIPLY_NO_NAN_BY,
    TAPEGRAD_SECOND_STEPS
};

/* So many turns of a loop, of two vectors each. `moves` are the bytes between the operands' turns. */
typedef void (*tapegrad_turns)(
    const char *x, const char *y, const char *z, char *out, const ptrdiff_t *moves, ptrdiff_t turns);

typedef struct {
    tapegrad_turns loop;
    void (*repeat)(const char *number, char *room);     /* for a turn */
    ptrdiff_t bytes;            /* of a turn */
    ptrdiff_t item;             /* of an element */
} tapegrad_arithmetic;

tapegrad_arithmetic tapegrad_arithmetic_at(int is_double, int level, int first, int second);

/* The loop over `n` elements, which lie side by side. `operands` are x, y, z and the result, which may lie where one of
   the others does. An operand whose step is 0 is one number for all elements. */
void tapegrad_run_arithmetic(
    const tapegrad_arithmetic *arithmetic, char *const *operands, const ptrdiff_t *steps, ptrdiff_t n);

#endif

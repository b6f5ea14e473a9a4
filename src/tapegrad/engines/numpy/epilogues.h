/* What is done to the result of a convolution while a piece of it is in cache: stages, one after the other.

   A recording joins a convolution with the steps that follow it (`core.joining`). The convolution calls `run` for
   each piece that it has finished. A stage computes what the op that it stands for computes, in the same order, so
   the result has the same bits.

   A row is all channels at one position. `epilogue_loops.h` holds the loops, for one element type at one level of
   `vectors.h`. */

#ifndef TAPEGRAD_EPILOGUES_H
#define TAPEGRAD_EPILOGUES_H

#include <stddef.h>

enum {
    TAPEGRAD_MOST_STAGES = 8,
    TAPEGRAD_STAGE_BYTES = 16384    /* of rows that all stages go over before the next ones: half of the first cache */
};

enum {
    TAPEGRAD_ADD_CHANNELS,          /* row + first */
    TAPEGRAD_MULTIPLY_CHANNELS,     /* row * first */
    TAPEGRAD_NORMALIZE,             /* (row - first) * second + third */
    TAPEGRAD_ADD_ELEMENTS,          /* result + first, which has the shape of the result */
    TAPEGRAD_APPLY                  /* the inner loop `function` of one operand */
};

typedef void (*tapegrad_stage_function)(char **operands, const ptrdiff_t *sizes, const ptrdiff_t *steps, void *data);

typedef struct {
    int kind;
    const void *first, *second, *third;
    tapegrad_stage_function function;
    void *data;
} tapegrad_stage;

typedef struct tapegrad_epilogue {
    void (*run)(const struct tapegrad_epilogue *epilogue, ptrdiff_t first, ptrdiff_t rows);
    void *result;
    ptrdiff_t channels;
    int count;
    tapegrad_stage stages[TAPEGRAD_MOST_STAGES];
} tapegrad_epilogue;

typedef void (*tapegrad_run_epilogue)(const tapegrad_epilogue *epilogue, ptrdiff_t first, ptrdiff_t rows);

tapegrad_run_epilogue tapegrad_epilogue_at(int is_double, int level);

#endif

/* Conversions of numbers to another dtype, and choices between two arrays: plain loops over contiguous elements. */

#ifndef TAPEGRAD_CONVERSIONS_H
#define TAPEGRAD_CONVERSIONS_H

#include <numpy/npy_common.h>
#include <stddef.h>

#include "vectors.h"

typedef void (*tapegrad_conversion)(char *target, const char *source, npy_intp n);

enum {
    TAPEGRAD_FLOAT, TAPEGRAD_DOUBLE, TAPEGRAD_INT32, TAPEGRAD_INT64, TAPEGRAD_UINT8, TAPEGRAD_BOOL, TAPEGRAD_SOURCES,
    TAPEGRAD_INT8 = TAPEGRAD_SOURCES, TAPEGRAD_INT16, TAPEGRAD_UINT16, TAPEGRAD_UINT32, TAPEGRAD_UINT64, TAPEGRAD_TYPES
};

/* What converts one of the sources above to one of the types; NULL where nothing here does. */
tapegrad_conversion tapegrad_conversion_at(int level, int from, int to);

/* bfloat16 is the upper half of a float32. */
tapegrad_conversion tapegrad_widening_at(int level);
tapegrad_conversion tapegrad_rounding_at(int level);

typedef struct {
    char *target;
    const char *source;
    npy_intp target_item, source_item;
    tapegrad_conversion function;
} tapegrad_convert;

void tapegrad_run_convert(void *context, ptrdiff_t begin, ptrdiff_t end);

/* Each result is an element of `x` where the condition is true, else one of `y`: `n` results of `item` bytes, which are
   1, 2, 4, 8, or 16 for complex128. `one_x`, `one_y`: there is one number for all. */
void tapegrad_select(char *target, const char *condition, const char *x, int one_x, const char *y, int one_y,
                     npy_intp n, npy_intp item);

typedef struct {
    char *target;
    const char *condition, *x, *y;
    npy_intp item;
    int one_x, one_y;
} tapegrad_selection;

void tapegrad_run_select(void *context, ptrdiff_t begin, ptrdiff_t end);

#endif

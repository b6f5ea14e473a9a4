/* Loops over windows without products of matrices: pooling, and convolutions in which each channel has filters of
   its own. Channels are last, and the innermost loop is along them. `window_loops.h` holds the loops for one type at
   one level of `vectors.h`. */

#ifndef TAPEGRAD_WINDOW_CALLS_H
#define TAPEGRAD_WINDOW_CALLS_H

#include "epilogues.h"

#include <stddef.h>

enum { TAPEGRAD_WINDOW_AXES = 3, TAPEGRAD_WINDOW_CHANNELS = 256 };

typedef struct {
    ptrdiff_t size;             /* of the input */
    ptrdiff_t count;            /* of positions */
    ptrdiff_t step, rate, before, taps;
} tapegrad_window_axis;

/* What one call works on. A line is all positions that differ in the last axis alone. */
typedef struct {
    tapegrad_window_axis axes[TAPEGRAD_WINDOW_AXES];
    ptrdiff_t batch, channels;
    ptrdiff_t multiplier;       /* results for each channel; 1 in pooling */
    ptrdiff_t block;            /* channels to an item that has all lines of an image, or 0 where an item is a line */
    ptrdiff_t slice;            /* lines to a slice of a sum over all positions */
    const void *x;              /* of the input's shape */
    const void *out;            /* of the result's shape */
    const void *values;         /* likewise: a gradient; or, of the input's shape, what is gathered */
    const void *weights;        /* (taps, channels, multiplier) */
    void *result;
    int all;                    /* of several equal maxima, all count and not only the first */
    int store;                  /* no other window has a place in this one: the result can be written, not added to */
    const tapegrad_epilogue *epilogue; /* of a depthwise convolution; or NULL */
} tapegrad_windows;

typedef void (*tapegrad_window_body)(void *context, ptrdiff_t begin, ptrdiff_t end);

enum {
    TAPEGRAD_MAXIMUM, TAPEGRAD_MAXIMUM_GRADIENT, TAPEGRAD_MAXIMUM_GATHER, TAPEGRAD_MAXIMUM_PLACE,
    TAPEGRAD_DILATION, TAPEGRAD_DILATION_TAP, TAPEGRAD_DILATION_GRADIENT,
    TAPEGRAD_MEAN, TAPEGRAD_MEAN_GRADIENT,
    TAPEGRAD_DEPTHWISE, TAPEGRAD_DEPTHWISE_BY_INPUT, TAPEGRAD_DEPTHWISE_BY_FILTER,
    TAPEGRAD_WINDOW_BODIES
};

/* What does `body` for one type; NULL where nothing does. Types are float and double, or integers from the smallest on.
   Signed and unsigned ones are compiled apart, because each take several seconds. */
tapegrad_window_body tapegrad_window_of_reals(int level, int type, int body);
tapegrad_window_body tapegrad_window_of_signed(int level, int type, int body);
tapegrad_window_body tapegrad_window_of_unsigned(int level, int type, int body);

#endif

/* Loops over windows without products of matrices: pooling, and convolutions in which each channel has filters of
   its own. Channels are last, and the innermost loop is along them. `window_loops.h` holds the loops for each type. */

#ifndef TAPEGRAD_WINDOWS_H
#define TAPEGRAD_WINDOWS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
} tapegrad_windows;

/* One position's window: which taps lie inside the input. */
typedef struct {
    ptrdiff_t low[TAPEGRAD_WINDOW_AXES], high[TAPEGRAD_WINDOW_AXES];   /* taps */
    ptrdiff_t corner[TAPEGRAD_WINDOW_AXES];                            /* the place of tap 0, maybe outside */
    ptrdiff_t image;            /* index of the first place of its image */
    ptrdiff_t position;         /* index among all positions */
    ptrdiff_t first, last;      /* channels */
} tapegrad_window;

static inline void tapegrad_window_along(const tapegrad_windows *windows, tapegrad_window *window, int axis,
                                         ptrdiff_t position)
{
    const tapegrad_window_axis *along = &windows->axes[axis];
    ptrdiff_t corner = position * along->step - along->before, room = along->size - corner;
    ptrdiff_t low = corner < 0 ? (-corner + along->rate - 1) / along->rate : 0;
    ptrdiff_t high = room <= 0 ? 0 : (room + along->rate - 1) / along->rate;
    window->corner[axis] = corner;
    window->low[axis] = low;
    window->high[axis] = high < along->taps ? high : along->taps;
}

#define TAPEGRAD_WINDOW_JOIN_(a, b) a##_##b
#define TAPEGRAD_WINDOW_JOIN(a, b) TAPEGRAD_WINDOW_JOIN_(a, b)

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__)
#define TAPEGRAD_WINDOW_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define TAPEGRAD_WINDOW_CLONES
#endif

typedef void (*tapegrad_window_body)(void *context, ptrdiff_t begin, ptrdiff_t end);

enum {
    TAPEGRAD_MAXIMUM, TAPEGRAD_MAXIMUM_GRADIENT, TAPEGRAD_MAXIMUM_GATHER, TAPEGRAD_MAXIMUM_PLACE,
    TAPEGRAD_MEAN, TAPEGRAD_MEAN_GRADIENT,
    TAPEGRAD_DEPTHWISE, TAPEGRAD_DEPTHWISE_BY_INPUT, TAPEGRAD_DEPTHWISE_BY_FILTER,
    TAPEGRAD_WINDOW_BODIES
};

#define T float
#define LOWEST (-__builtin_inff())
#include "window_loops.h"
#undef T
#undef LOWEST
#define T double
#define LOWEST (-__builtin_inf())
#include "window_loops.h"
#undef T
#undef LOWEST
#define INTEGERS
#define T int8_t
#define LOWEST INT8_MIN
#include "window_loops.h"
#undef T
#undef LOWEST
#define T int16_t
#define LOWEST INT16_MIN
#include "window_loops.h"
#undef T
#undef LOWEST
#define T int32_t
#define LOWEST INT32_MIN
#include "window_loops.h"
#undef T
#undef LOWEST
#define T int64_t
#define LOWEST INT64_MIN
#include "window_loops.h"
#undef T
#undef LOWEST
#define LOWEST 0
#define T uint8_t
#include "window_loops.h"
#undef T
#define T uint16_t
#include "window_loops.h"
#undef T
#define T uint32_t
#include "window_loops.h"
#undef T
#define T uint64_t
#include "window_loops.h"
#undef T
#undef LOWEST
#undef INTEGERS

#define MAXIMA(TYPE) maximum_##TYPE, maximum_gradient_##TYPE, maximum_gather_##TYPE, maximum_place_##TYPE
#define FLOATING(TYPE) {MAXIMA(TYPE), mean_##TYPE, mean_gradient_##TYPE, depthwise_##TYPE,                   \
                        depthwise_by_input_##TYPE, depthwise_by_filter_##TYPE}
#define INTEGRAL(TYPE) {MAXIMA(TYPE)}
/* By type: float, double, then signed and unsigned integers from the smallest on. */
static const tapegrad_window_body tapegrad_window_table[10][TAPEGRAD_WINDOW_BODIES] = {
    FLOATING(float), FLOATING(double),
    INTEGRAL(int8_t), INTEGRAL(int16_t), INTEGRAL(int32_t), INTEGRAL(int64_t),
    INTEGRAL(uint8_t), INTEGRAL(uint16_t), INTEGRAL(uint32_t), INTEGRAL(uint64_t)};
#undef MAXIMA
#undef FLOATING
#undef INTEGRAL

#endif

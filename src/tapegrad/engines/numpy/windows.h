/* Loops over windows without products of matrices: pooling, and convolutions in which each channel has filters of
   its own. Channels are last, and the innermost loop is along them. `window_loops.h` holds the loops for one type at
   one level of `vectors.h`. */

#ifndef TAPEGRAD_WINDOWS_H
#define TAPEGRAD_WINDOWS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "vectors.h"

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

/* The window at one position: which of its taps lie inside the input. */
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

/* What all windows of a line share. */
static inline void tapegrad_window_line(const tapegrad_windows *windows, tapegrad_window *window, ptrdiff_t line)
{
    const tapegrad_window_axis *axes = windows->axes;
    ptrdiff_t lines = axes[0].count * axes[1].count;
    window->image = line / lines * axes[0].size * axes[1].size * axes[2].size;
    tapegrad_window_along(windows, window, 0, line % lines / axes[1].count);
    tapegrad_window_along(windows, window, 1, line % axes[1].count);
}

/* The positions `low` to `high` at which the taps `first` to `last` lie inside. */
static inline void tapegrad_window_inside(const tapegrad_window_axis *axis, ptrdiff_t first, ptrdiff_t last,
                                          ptrdiff_t *low, ptrdiff_t *high)
{
    ptrdiff_t before = axis->before - first * axis->rate, room = axis->size - 1 + axis->before - last * axis->rate;
    *low = before > 0 ? (before + axis->step - 1) / axis->step : 0;
    *high = room < 0 ? 0 : room / axis->step + 1;
    *high = *high < axis->count ? *high : axis->count;
}

typedef void (*tapegrad_window_body)(void *context, ptrdiff_t begin, ptrdiff_t end);

enum {
    TAPEGRAD_MAXIMUM, TAPEGRAD_MAXIMUM_GRADIENT, TAPEGRAD_MAXIMUM_GATHER, TAPEGRAD_MAXIMUM_PLACE,
    TAPEGRAD_DILATION, TAPEGRAD_DILATION_TAP, TAPEGRAD_DILATION_GRADIENT,
    TAPEGRAD_MEAN, TAPEGRAD_MEAN_GRADIENT,
    TAPEGRAD_DEPTHWISE, TAPEGRAD_DEPTHWISE_BY_INPUT, TAPEGRAD_DEPTHWISE_BY_FILTER,
    TAPEGRAD_WINDOW_BODIES
};

/* With 512 bits a vector, pools and depthwise convolutions took 0.94 to 1.1 of the time they take with 256. */
#define KERNELS_WITHOUT_WIDE
#define KERNELS "window_types.h"
#include "each_level.h"

/* What does `body` for one type, by its place in the table of `window_types.h`; NULL where nothing does. */
static inline tapegrad_window_body tapegrad_window_kernel(int level, int type, int body)
{
    static const tapegrad_window_body (*const tables[])[TAPEGRAD_WINDOW_BODIES] =
        TAPEGRAD_AT_LEVELS_WITHOUT_WIDE(tapegrad_windows, table);
    return tables[level][type][body];
}

#endif

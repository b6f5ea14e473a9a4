/* Where windows lie: what the loops of `window_loops.h` begin with. */

#ifndef TAPEGRAD_WINDOW_PLACES_H
#define TAPEGRAD_WINDOW_PLACES_H

#include <stdint.h>
#include <string.h>

#include "vectors.h"
#include "window_calls.h"

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

#endif

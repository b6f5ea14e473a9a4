/* Elements moved from one strided layout into another: rows where both lie side by side, blocks where axes
 * change places. Elements are bytes of some size here; nothing is computed with them. */

#ifndef TAPEGRAD_COPIES_H
#define TAPEGRAD_COPIES_H

#include <numpy/npy_common.h>
#include <stddef.h>

enum { TAPEGRAD_MOST_AXES = 64, TAPEGRAD_BLOCK = 16, TAPEGRAD_MOST_JOINED = 16 };

/* How to copy: an odometer over the outer axes, and at each of its places some rows of `length` elements. */
typedef struct {
    char *target;
    const char *source;
    npy_intp item;
    int outer;
    npy_intp dims[TAPEGRAD_MOST_AXES];
    npy_intp target_strides[TAPEGRAD_MOST_AXES], source_strides[TAPEGRAD_MOST_AXES];
    npy_intp length, target_step, source_step;
    /* Where the source's neighbours lie along another axis than the target's: that axis, in strips. */
    npy_intp across, strips, target_across;
    npy_intp units; /* rows or strips in all */
} tapegrad_copy;

/* Fill in `copy` for arrays with `ndim` axes; returns 0 if there is nothing to copy. */
int tapegrad_plan_copy(
    tapegrad_copy *copy, char *target, const char *source, npy_intp item, int ndim, const npy_intp *dims,
    const npy_intp *target_strides, const npy_intp *source_strides);
void tapegrad_run_copy(void *context, ptrdiff_t begin, ptrdiff_t end);
/* The elements `begin` to `end` of a copy that is one row. */
void tapegrad_run_row(void *context, ptrdiff_t begin, ptrdiff_t end);
void tapegrad_run_clear(void *context, ptrdiff_t begin, ptrdiff_t end);

/* Arrays side by side: each row of the target has a part of each of them. */
typedef struct {
    char *target;
    npy_intp row; /* bytes */
    int count;
    const char *sources[TAPEGRAD_MOST_JOINED];
    npy_intp parts[TAPEGRAD_MOST_JOINED]; /* bytes */
} tapegrad_joined;

/* The rows `begin` to `end`, written from front to back. */
void tapegrad_run_joined(void *context, ptrdiff_t begin, ptrdiff_t end);

#endif

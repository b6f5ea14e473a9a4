/* Convolutions as products of matrices that are laid out a small block at a time.

   Rows are positions of the window, the inner axis is what a window holds (its taps, times channels), columns are
   filters. A block of rows is copied out of the image into a buffer that stays in cache and is multiplied at
   once, by a tile of registers that is kept for the whole inner axis: the copy is the packing that a library's
   product would do on top of it. Where the columns are so few that one tile has them all, a window is read once
   only: then the tile reads the pieces of it where they are in the image. That is why this does not call BLAS, whose
   threads these blocks would also have to wait for. On one core it reaches 117 of 118 GFLOP/s where OpenBLAS's product
   reached 100.

   `convolution_tiles.h` holds the loops, for one element type at one level of `vectors.h`. */

#ifndef TAPEGRAD_CONVOLUTION_H
#define TAPEGRAD_CONVOLUTION_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TAPEGRAD_CONTRACTED /* a tile multiplies and adds with one instruction */
#include "vectors.h"

enum {
    TAPEGRAD_AXES = 3,
    TAPEGRAD_BLOCK_ROWS = 48,   /* positions to a block of a product: a multiple of any tile's rows */
    TAPEGRAD_BLOCK_BYTES = 1280, /* of the inner axis of such a block */
    TAPEGRAD_BLOCK_SPARE = 64,  /* bytes after them, so that rows do not all fall into the same lines of a cache */
    TAPEGRAD_MOST_RUNS = 16,    /* pieces of a window that are multiplied where they are */
    TAPEGRAD_GRADIENT_ROWS = 96, /* positions to a block of a filter's gradient */
    TAPEGRAD_GRADIENT_BYTES = 768 /* of its inner axis: a multiple of a tile's rows, now this way round */
};

/* One spatial axis: position i and tap t meet at the place `i * step + offsets[t]` of the source. */
typedef struct {
    ptrdiff_t size;             /* of the source */
    ptrdiff_t count;            /* of positions */
    ptrdiff_t step;
    ptrdiff_t taps;
    const ptrdiff_t *offsets;
} tapegrad_axis;

/* What windows see of a source, whose channels are last and which is C-contiguous. */
typedef struct {
    const void *source;
    ptrdiff_t batch;
    ptrdiff_t channels;
    tapegrad_axis axes[TAPEGRAD_AXES];
    ptrdiff_t groups;
    ptrdiff_t depth;            /* channels of one group */
    ptrdiff_t width;            /* filters of one group */
    ptrdiff_t inner;            /* taps of all axes times depth */
    ptrdiff_t positions;        /* of all axes times batch */
} tapegrad_patches;

/* Filters, laid out in panels as wide as a tile: (group, panel, inner, column), zeros beyond the last column. */
typedef struct {
    const void *filters;
    void *packed;
    ptrdiff_t groups, taps, depth, width;
    const ptrdiff_t *places;    /* which tap of `filters` each tap is */
    ptrdiff_t tap_step, depth_step, width_step, group_step;
} tapegrad_packing;

typedef struct {
    tapegrad_patches patches;
    const void *packed;
    void *result;
    ptrdiff_t steps[TAPEGRAD_AXES + 1]; /* of the result, along batch and positions, in elements */
    ptrdiff_t blocks;                   /* of rows; there are as many items as that times groups */
} tapegrad_product;

/* The product of all positions' windows with all positions' `dy`, in slices of positions that are added up. */
typedef struct {
    tapegrad_patches patches;
    const void *dy;
    void *result;               /* (slice, inner, groups * width) */
    ptrdiff_t slices, slice;    /* how many, of how many positions each */
    ptrdiff_t blocks;           /* of the inner axis; items: slices * groups * blocks */
} tapegrad_filter_gradient;

typedef struct {
    const void *values;         /* (slices, length) */
    void *result;
    ptrdiff_t slices, length;
} tapegrad_sum;

typedef void (*tapegrad_convolution_body)(void *context, ptrdiff_t begin, ptrdiff_t end);

/* What works on one element type at one level, and how many columns a tile then has. */
typedef struct {
    tapegrad_convolution_body pack, multiply, filter_gradient, sum;
    ptrdiff_t columns;
    ptrdiff_t gradient_inner;   /* the longest block of the inner axis in a filter's gradient */
} tapegrad_convolution_kernels;

/* The end of the block of the inner axis that starts at `start`. Blocks are of even size, at most `most`, and hold
   whole taps, or else lie within one. */
static ptrdiff_t tapegrad_block_end(const tapegrad_patches *patches, ptrdiff_t start, ptrdiff_t most)
{
    ptrdiff_t depth = patches->depth, inner = patches->inner, end, parts;
    if (inner == 0)
        return 0;
    if (depth <= most) {
        ptrdiff_t taps = inner / depth;
        parts = (taps + most / depth - 1) / (most / depth);
        end = start + (taps + parts - 1) / parts * depth;
        return end < inner ? end : inner;
    }
    parts = (depth + most - 1) / most;
    end = start + (depth + parts - 1) / parts;
    return end < (start / depth + 1) * depth ? end : (start / depth + 1) * depth;
}

static ptrdiff_t tapegrad_count_blocks(const tapegrad_patches *patches, ptrdiff_t most)
{
    ptrdiff_t start = 0, count = 0;
    do {
        start = tapegrad_block_end(patches, start, most);
        count++;
    } while (start < patches->inner);
    return count;
}

/* A run of the inner axis that lies in one piece in the source too: neighbouring taps with all their channels, or
   channels of one tap. */
typedef struct {
    ptrdiff_t offsets[TAPEGRAD_AXES]; /* of its first tap */
    ptrdiff_t taps;
    ptrdiff_t channel, length;        /* the first channel, and how many of each tap */
    size_t shift;                     /* elements of the source from the position to the run; it may wrap around */
} tapegrad_run;

/* The runs of the block `start` to `end` of the inner axis. */
static ptrdiff_t tapegrad_runs(const tapegrad_patches *patches, ptrdiff_t start, ptrdiff_t end, tapegrad_run *runs)
{
    const tapegrad_axis *axes = patches->axes;
    ptrdiff_t count = 0, depth = patches->depth;
    while (start < end) {
        tapegrad_run *run = &runs[count++];
        ptrdiff_t tap = start / depth, last = tap % axes[2].taps, rest = tap / axes[2].taps;
        run->channel = start % depth;
        run->length = depth - run->channel < end - start ? depth - run->channel : end - start;
        run->taps = 1;
        run->offsets[2] = axes[2].offsets[last];
        run->offsets[1] = axes[1].offsets[rest % axes[1].taps];
        run->offsets[0] = axes[0].offsets[rest / axes[1].taps];
        run->shift = (((size_t)run->offsets[0] * axes[1].size + run->offsets[1]) * axes[2].size + run->offsets[2])
                     * patches->channels + run->channel;
        start += run->length;
        if (run->length == patches->channels)
            while (start < end && last + run->taps < axes[2].taps
                    && axes[2].offsets[last + run->taps] == run->offsets[2] + run->taps) {
                run->taps++;
                start += run->length;
            }
    }
    return count;
}

/* The lowest and the highest offset of any tap of the runs. */
static void tapegrad_reach(const tapegrad_run *runs, ptrdiff_t count, ptrdiff_t *low, ptrdiff_t *high)
{
    for (int axis = 0; axis < TAPEGRAD_AXES; axis++) {
        low[axis] = PTRDIFF_MAX / 2;
        high[axis] = -PTRDIFF_MAX / 2;
        for (ptrdiff_t i = 0; i < count; i++) {
            ptrdiff_t first = runs[i].offsets[axis], last = first + (axis == 2 ? runs[i].taps - 1 : 0);
            low[axis] = first < low[axis] ? first : low[axis];
            high[axis] = last > high[axis] ? last : high[axis];
        }
    }
}

/* A position as numbers along (batch, axes), counted up from `index`. */
typedef struct {
    ptrdiff_t at[TAPEGRAD_AXES + 1];
} tapegrad_position;

static inline tapegrad_position tapegrad_locate(const tapegrad_patches *patches, ptrdiff_t index)
{
    tapegrad_position position;
    for (int i = TAPEGRAD_AXES; i > 0; i--) {
        position.at[i] = index % patches->axes[i - 1].count;
        index /= patches->axes[i - 1].count;
    }
    position.at[0] = index;
    return position;
}

/* Count on along the last axis to its end, or by `most`; tells by how many. */
static inline ptrdiff_t tapegrad_advance_line(const tapegrad_patches *patches, tapegrad_position *position,
                                              ptrdiff_t most)
{
    ptrdiff_t rest = patches->axes[TAPEGRAD_AXES - 1].count - position->at[TAPEGRAD_AXES];
    if (most < rest) {
        position->at[TAPEGRAD_AXES] += most;
        return most;
    }
    position->at[TAPEGRAD_AXES] = 0;
    for (int i = TAPEGRAD_AXES - 1; i > 0; i--) {
        if (++position->at[i] < patches->axes[i - 1].count)
            return rest;
        position->at[i] = 0;
    }
    position->at[0]++;
    return rest;
}

#define KERNELS "convolution_types.h"
#include "each_level.h"

enum { TAPEGRAD_FLOAT, TAPEGRAD_DOUBLE, TAPEGRAD_INT32 };

static inline const tapegrad_convolution_kernels *tapegrad_convolution_for(int level, int type)
{
    static const tapegrad_convolution_kernels *const tables[] = TAPEGRAD_AT_LEVELS(tapegrad_convolution, kernels);
    return &tables[level][type];
}

#endif

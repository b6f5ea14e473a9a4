/* Convolutions as products of matrices that are laid out a small block at a time.

   Rows are positions of the window, the inner axis is what a window holds (its taps, times channels), columns are
   filters. A block of rows is copied out of the image into a buffer that stays in cache and is multiplied at
   once, by a tile of registers that is kept for the whole inner axis: the copy is the packing that a library's
   product would do on top of it. Filters are packed before; where rows are few, threads share columns instead of
   rows, and each packs its filters a block at a time, in cache. Where the columns are so few that one tile has them
   all, a window is read once only: then the tile reads the pieces of it where they are in the image. That is why
   this does not call BLAS, whose threads these blocks would also have to wait for. On one core it reaches 117 of
   118 GFLOP/s where OpenBLAS's product reached 100.

   `convolution_tiles.h` holds the loops, for one element type at one level of `vectors.h`, and
   `convolution_winograd.h` those that compute windows of 3 x 3 with fewer multiplications. */

#ifndef TAPEGRAD_CONVOLUTION_H
#define TAPEGRAD_CONVOLUTION_H

#include "epilogues.h"

#include <stddef.h>
#include <stdint.h>

enum {
    TAPEGRAD_AXES = 3,
    TAPEGRAD_BLOCK_ROWS = 48,   /* positions to a block of a product: a multiple of any tile's rows */
    TAPEGRAD_BLOCK_BYTES = 1280, /* of the inner axis of such a block */
    TAPEGRAD_BLOCK_SPARE = 64,  /* bytes after them, so that rows do not all fall into the same lines of a cache */
    TAPEGRAD_COLUMN_BYTES = 512, /* of the columns packed together where rows are few: whole panels. Pieces so long
                                    are streamed from memory; with 256, the product of 72 rows took 1.2 times as long */
    TAPEGRAD_ROWS_AHEAD = 8,    /* of a filter, fetched before they are packed: they are too far apart for a processor to
                                   foresee, and without this packing waits for memory at each */
    TAPEGRAD_FEW_ROWS = 512,    /* up to so many, packing all filters before shows beside their product */
    TAPEGRAD_MOST_RUNS = 16,    /* pieces of a window that are multiplied where they are */
    TAPEGRAD_GRADIENT_ROWS = 96, /* positions to a block of a filter's gradient */
    TAPEGRAD_GRADIENT_BYTES = 768, /* of its inner axis: a multiple of a tile's rows, now this way round */
    TAPEGRAD_SQUARES = 24,      /* of 2 x 2 results to a block of Winograd's way: a multiple of any tile's rows */
    TAPEGRAD_MOST_SQUARES = 48, /* to a block where filters are large, which each block reads again */
    TAPEGRAD_SPREAD = 16,       /* how many times the largest number of its windows one of a square may be */
    TAPEGRAD_FILTER_DEPTH = 16, /* channels whose filters are transformed together */
    TAPEGRAD_GRADIENT_SQUARES = 48, /* to a block of a filter's gradient */
    TAPEGRAD_GRADIENT_CHANNELS = 128 /* of such a block: at most TAPEGRAD_GRADIENT_BYTES */
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
    const tapegrad_epilogue *epilogue;  /* for a result in one piece, of one group; else NULL */
    const tapegrad_packing *packing;    /* of `multiply_columns`, which packs for itself */
} tapegrad_product;

/* Neighbouring positions. */
typedef struct {
    ptrdiff_t first, count;
} tapegrad_piece;

/* Squares of 2 x 2 positions, with the 4 x 4 places that their windows see: what Winograd's way goes by. Where the
   numbers of a square are too different or too large, it is computed tap by tap. */
typedef struct {
    tapegrad_patches patches;
    ptrdiff_t down, across, count; /* of one image, and of all */
    int32_t *largest;           /* of each place of the source: the bits of the largest absolute value */
    int32_t *largest_dy;        /* likewise of each position, in a filter's gradient; else NULL */
    int32_t most;               /* such bits that are not too large: of a place, or the sum of both exponents */
    unsigned char *apart;       /* whether each square is computed tap by tap */
} tapegrad_squares;

/* A product by Winograd's way (`convolution_winograd.h`). */
typedef struct {
    tapegrad_product product;
    tapegrad_squares squares;
    void *filters;              /* transformed: (panel, 16, inner, column), with TAPEGRAD_BLOCK_SPARE after each 16th */
    int32_t largest_filter;     /* the bits of the largest absolute value */
    int out_of_memory;
    const ptrdiff_t *list;      /* the numbers of the squares that are computed tap by tap */
    ptrdiff_t apart_count;
    ptrdiff_t beside, shares;   /* squares to a block, and into how many shares of panels its work is cut */
} tapegrad_winograd;

/* A filter's gradient by Winograd's way: squares times squares of `dy`, in slices that are added up. */
typedef struct {
    tapegrad_squares squares;
    const void *dy;
    void *sums;                 /* (slice, 16, channels, width) */
    const void *others;         /* what the squares that are computed tap by tap add to the result, or NULL */
    void *result;               /* (9, channels, width) */
    int out_of_memory;
    ptrdiff_t slices, slice;    /* how many, of how many squares each */
    ptrdiff_t blocks;           /* of channels; items: slices * blocks */
} tapegrad_winograd_gradient;

typedef struct {
    const void *source;         /* (places, channels) */
    ptrdiff_t channels;
    int32_t *largest;           /* of each place: the bits of the largest absolute value */
} tapegrad_magnitudes;

/* The product of all positions' windows with all positions' `dy`, in slices of positions that are added up. */
typedef struct {
    tapegrad_patches patches;
    const void *dy;
    void *result;               /* (slice, inner, groups * width) */
    const ptrdiff_t *list;      /* which positions; NULL: all */
    ptrdiff_t positions;        /* how many these are */
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
    tapegrad_convolution_body pack, multiply, multiply_columns, filter_gradient, sum;
    /* Winograd's way: NULL but for float. */
    tapegrad_convolution_body find_largest, transform_filters, multiply_squares, multiply_apart, square_gradient,
        transform_gradient;
    ptrdiff_t columns;
    ptrdiff_t columns_beside;   /* to an item of `multiply_columns` */
    ptrdiff_t gradient_inner;   /* the longest block of the inner axis in a filter's gradient */
} tapegrad_convolution_kernels;

enum { TAPEGRAD_FLOAT, TAPEGRAD_DOUBLE, TAPEGRAD_INT32 };

/* Into how many blocks, of at most `most` elements, the inner axis is cut. */
ptrdiff_t tapegrad_count_blocks(const tapegrad_patches *patches, ptrdiff_t most);

const tapegrad_convolution_kernels *tapegrad_convolution_for(int level, int type);

/* Which sizes of numbers go Winograd's way: `most`, from the largest filter. -1: none. */
void tapegrad_set_most(tapegrad_squares *squares, int32_t largest_filter);

/* The epilogue of a product, a block of rows to an item: after `multiply_columns`, whose items have no whole rows. */
void tapegrad_finish_rows(void *product, ptrdiff_t begin, ptrdiff_t end);

/* Whether none of the `size` numbers has all bits of its exponent set. */
int tapegrad_all_finite_32(const void *bits, ptrdiff_t size);
int tapegrad_all_finite_64(const void *bits, ptrdiff_t size);

#endif

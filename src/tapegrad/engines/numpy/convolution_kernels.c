/* What `convolution.h` declares, at each level. */

#include "convolution.h"

#include <stdlib.h>
#include <string.h>

#define TAPEGRAD_CONTRACTED /* a tile multiplies and adds with one instruction */
#include "vectors.h"

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

ptrdiff_t tapegrad_count_blocks(const tapegrad_patches *patches, ptrdiff_t most)
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

/* Let `largest` be at least `value`. */
static inline void tapegrad_raise(int32_t *largest, int32_t value)
{
    int32_t known = __atomic_load_n(largest, __ATOMIC_RELAXED);
    while (known < value
           && !__atomic_compare_exchange_n(largest, &known, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static inline int32_t tapegrad_largest_of(int32_t x, int32_t y, int32_t z)
{
    int32_t larger = x > y ? x : y;
    return larger > z ? larger : z;
}

/* Whether the results of the square of 4 x 4 places at `top`, `left`, as many as there are, are computed tap by tap.
   Winograd's way mixes all that the square holds, and rounds to its largest number. So a window that has only much
   smaller numbers, or zeros, is not computed that way, nor are numbers that might overflow, infinities and NaN. */
static inline int tapegrad_is_apart(const tapegrad_winograd *work, ptrdiff_t batch, ptrdiff_t top, ptrdiff_t left,
                                    int height, int width)
{
    const tapegrad_axis *axes = work->product.patches.axes;
    const int32_t *largest = work->largest + batch * axes[1].size * axes[2].size;
    int32_t upper[4], lower[4], whole = 0, least = INT32_MAX;
    float whole_number, least_number;
    for (int j = 0; j < 4; j++) {
        int32_t column[4] = {0, 0, 0, 0};
        if (left + j >= 0 && left + j < axes[2].size)
            for (int i = 0; i < 4; i++)
                if (top + i >= 0 && top + i < axes[1].size)
                    column[i] = largest[(top + i) * axes[2].size + left + j];
        upper[j] = tapegrad_largest_of(column[0], column[1], column[2]);
        lower[j] = tapegrad_largest_of(column[1], column[2], column[3]);
        whole = tapegrad_largest_of(upper[j], lower[j], whole);
    }
    for (int x = 0; x < width; x++) {
        int32_t above = tapegrad_largest_of(upper[x], upper[x + 1], upper[x + 2]);
        int32_t below = tapegrad_largest_of(lower[x], lower[x + 1], lower[x + 2]);
        least = above < least ? above : least;
        least = height == 2 && below < least ? below : least;
    }
    memcpy(&whole_number, &whole, sizeof whole);
    memcpy(&least_number, &least, sizeof least);
    return whole > work->most || !(whole_number <= TAPEGRAD_SPREAD * least_number);
}

void tapegrad_set_most(tapegrad_winograd *work)
{
    /* A number is below 2 ** (exponent - 126). A transformed filter is at most 9 times the filter's, a square 4 times
       its own, and a result is the sum of 9 products for each channel: 324 times, below 2 ** 9. */
    int32_t exponent = work->largest_filter >> 23, channels = 0;
    while (channels < 62 && (INT64_C(1) << channels) < work->product.patches.channels)
        channels++;
    exponent = 127 + 2 * 126 - 9 - channels - exponent;
    work->most = ((exponent < 250 ? exponent : 250) << 23) - 1;
    if (work->largest_filter >> 23 > 248)
        work->most = -1;
}

#define KERNELS "convolution_types.h"
#include "each_level.h"

const tapegrad_convolution_kernels *tapegrad_convolution_for(int level, int type)
{
    static const tapegrad_convolution_kernels *const tables[] = TAPEGRAD_AT_LEVELS(tapegrad_convolution, kernels);
    return &tables[level][type];
}

void tapegrad_finish_rows(void *product, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_epilogue *epilogue = ((const tapegrad_product *)product)->epilogue;
    ptrdiff_t positions = ((const tapegrad_product *)product)->patches.positions;
    ptrdiff_t first = begin * TAPEGRAD_BLOCK_ROWS, last = end * TAPEGRAD_BLOCK_ROWS;
    epilogue->run(epilogue, first, (last < positions ? last : positions) - first);
}

#define ALL_FINITE(NAME, T, EXPONENT)                                                                       \
    int NAME(const void *bits, ptrdiff_t size)                                                              \
    {                                                                                                       \
        const T *numbers = bits;                                                                            \
        T found = 0;                                                                                        \
        for (ptrdiff_t i = 0; i < size; i++)                                                                \
            found |= (numbers[i] & (EXPONENT)) == (EXPONENT);                                               \
        return !found;                                                                                      \
    }
ALL_FINITE(tapegrad_all_finite_32, uint32_t, UINT32_C(0x7F800000))
ALL_FINITE(tapegrad_all_finite_64, uint64_t, UINT64_C(0x7FF0000000000000))
#undef ALL_FINITE

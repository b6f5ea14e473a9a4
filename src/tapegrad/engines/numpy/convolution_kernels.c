/* What `convolution.h` declares, at each level. */

#include "convolution.h"
#include "transposed.h"

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

static inline double tapegrad_number_of(int32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Whether the largest of a window's numbers is within TAPEGRAD_SPREAD of the largest of all. */
static inline int tapegrad_windows_are_alike(int32_t seen[4][4], int height, int width, int32_t whole)
{
    int32_t upper[4], lower[4], least = INT32_MAX;
    for (int j = 0; j < 4; j++) {
        upper[j] = tapegrad_largest_of(seen[0][j], seen[1][j], seen[2][j]);
        lower[j] = tapegrad_largest_of(seen[1][j], seen[2][j], seen[3][j]);
    }
    for (int x = 0; x < width; x++) {
        int32_t above = tapegrad_largest_of(upper[x], upper[x + 1], upper[x + 2]);
        int32_t below = tapegrad_largest_of(lower[x], lower[x + 1], lower[x + 2]);
        least = above < least ? above : least;
        least = height == 2 && below < least ? below : least;
    }
    return tapegrad_number_of(whole) <= TAPEGRAD_SPREAD * tapegrad_number_of(least);
}

/* Likewise of the products that each tap adds up: numbers that it sees times those of `dy`, of which there are four. */
static inline int tapegrad_taps_are_alike(int32_t seen[4][4], int32_t dy[2][2], int32_t whole,
                                          int32_t whole_dy)
{
    double enough = tapegrad_number_of(whole) * tapegrad_number_of(whole_dy) / TAPEGRAD_SPREAD;
    int32_t least = INT32_MAX, least_dy = INT32_MAX;
    for (int i = 0; i < 16; i++)
        least = seen[i / 4][i % 4] < least ? seen[i / 4][i % 4] : least;
    for (int i = 0; i < 4; i++)
        least_dy = dy[i / 2][i % 2] < least_dy ? dy[i / 2][i % 2] : least_dy;
    if (tapegrad_number_of(least) * tapegrad_number_of(least_dy) >= enough)
        return 1;
    for (int tap = 0; tap < 9; tap++) {
        double largest = 0;
        for (int i = 0; i < 4; i++) {
            double product = tapegrad_number_of(seen[tap / 3 + i / 2][tap % 3 + i % 2])
                             * tapegrad_number_of(dy[i / 2][i % 2]);
            largest = product > largest ? product : largest;
        }
        if (!(largest >= enough))
            return 0;
    }
    return 1;
}

/* Whether the source has all 4 x 4 places from `top`, `left` on. */
static inline int tapegrad_is_inside(const tapegrad_axis *axes, ptrdiff_t top, ptrdiff_t left)
{
    return top >= 0 && top + 4 <= axes[1].size && left >= 0 && left + 4 <= axes[2].size;
}

/* Whether the square whose first position is `y`, `x`, of `height` x `width`, is computed tap by tap. Winograd's way
   mixes all that a square holds, and rounds to its largest number. So a window that has only much smaller numbers, or
   zeros, is not computed that way, nor are numbers that might overflow, infinities and NaN. */
static inline int tapegrad_is_apart(const tapegrad_squares *squares, ptrdiff_t batch, ptrdiff_t y, ptrdiff_t x,
                                    int height, int width)
{
    const tapegrad_axis *axes = squares->patches.axes;
    const int32_t *largest = squares->largest + batch * axes[1].size * axes[2].size;
    ptrdiff_t top = y + axes[1].offsets[0], left = x + axes[2].offsets[0];
    int32_t seen[4][4] = {{0}}, dy[2][2] = {{0}}, whole = 0, whole_dy = 0;
    if (tapegrad_is_inside(axes, top, left))
        for (int i = 0; i < 4; i++)
            memcpy(seen[i], largest + (top + i) * axes[2].size + left, sizeof seen[i]);
    else
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                if (top + i >= 0 && top + i < axes[1].size && left + j >= 0 && left + j < axes[2].size)
                    seen[i][j] = largest[(top + i) * axes[2].size + left + j];
    for (int i = 0; i < 16; i++)
        whole = seen[i / 4][i % 4] > whole ? seen[i / 4][i % 4] : whole;
    if (squares->largest_dy == NULL)
        return whole > squares->most || !tapegrad_windows_are_alike(seen, height, width, whole);
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) {
            dy[i][j] = squares->largest_dy[(batch * axes[1].count + y + i) * axes[2].count + x + j];
            whole_dy = dy[i][j] > whole_dy ? dy[i][j] : whole_dy;
        }
    return (whole >> 23) + (whole_dy >> 23) > squares->most || whole >> 23 > 250 || whole_dy >> 23 > 250
        || !tapegrad_taps_are_alike(seen, dy, whole, whole_dy);
}

static int32_t tapegrad_log2_above(ptrdiff_t count)
{
    int32_t bits = 0;
    while (bits < 62 && (INT64_C(1) << bits) < count)
        bits++;
    return bits;
}

void tapegrad_set_most(tapegrad_squares *squares, int32_t largest_filter)
{
    /* A number is below 2 ** (exponent - 126). A transformed filter is at most 9 times the filter's, a square 4 times
       its own, and a result is the sum of 9 products for each channel: 324 times, below 2 ** 9. */
    int32_t exponent = 127 + 2 * 126 - 9 - tapegrad_log2_above(squares->patches.channels) - (largest_filter >> 23);
    squares->most = largest_filter >> 23 > 248 ? -1 : ((exponent < 250 ? exponent : 250) << 23) - 1;
    /* Both squares of a gradient are at most 4 times their own, and a result is the sum of 16 such sums. */
    if (squares->largest_dy != NULL)
        squares->most = 127 + 2 * 126 - 8 - tapegrad_log2_above(squares->count);
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

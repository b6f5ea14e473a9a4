/* What `copies.h` declares. */

#include "copies.h"

#include <stdlib.h>
#include <string.h>

enum { TAPEGRAD_PATTERN = 2048 /* bytes */, TAPEGRAD_SHORT_PATTERN = 512, TAPEGRAD_NEAR = 1 << 20,
       TAPEGRAD_LAST_CACHE = 1 << 25, TAPEGRAD_SHORT = 512 /* bytes */, TAPEGRAD_STREAMS = 32 };

typedef struct { npy_uint64 low, high; } tapegrad_sixteen;

/* What `memcpy` does. For a few bytes a call of it takes longer than they do. And it copies long rows by an instruction that
   takes ten times as long on some processors (AMD's Zen 4) where the target lies a few bytes behind the source within
   a page, as rows do that are rolled or padded. */
static inline void tapegrad_copy_bytes(char *restrict target, const char *restrict source, npy_intp bytes)
{
    npy_intp done = 0;
    int just_behind = (((size_t)target - (size_t)source) & 4095) - 1 < 63;
    if (bytes < 16 || (bytes > TAPEGRAD_SHORT && !just_behind)) {
        memcpy(target, source, bytes);
        return;
    }
    for (; done + 64 <= bytes; done += 64)
        memcpy(target + done, source + done, 64);
    for (; done + 16 <= bytes; done += 16)
        memcpy(target + done, source + done, 16);
    if (done < bytes)
        memcpy(target + bytes - 16, source + bytes - 16, 16);
}

#define COPY_ROW(T)                                                                                 \
    {                                                                                               \
        T value;                                                                                    \
        if (source_step == 0) {                                                                     \
            memcpy(&value, source, sizeof(T));                                                      \
            if (target_step == sizeof(T))                                                           \
                for (npy_intp i = 0; i < n; i++) memcpy(target + i * sizeof(T), &value, sizeof(T)); \
            else                                                                                    \
                for (npy_intp i = 0; i < n; i++) memcpy(target + i * target_step, &value, sizeof(T)); \
        } else if (target_step == sizeof(T)) {                                                      \
            _Pragma("GCC unroll 8") for (npy_intp i = 0; i < n; i++) /* takes half the time so */   \
                memcpy(target + i * sizeof(T), source + i * source_step, sizeof(T));                \
        } else {                                                                                    \
            for (npy_intp i = 0; i < n; i++) {                                                      \
                memcpy(&value, source + i * source_step, sizeof(T));                                \
                memcpy(target + i * target_step, &value, sizeof(T));                                \
            }                                                                                       \
        }                                                                                           \
        return;                                                                                     \
    }

static void tapegrad_copy_row(
    char *restrict target, const char *restrict source, npy_intp n, npy_intp target_step, npy_intp source_step,
    npy_intp item)
{
    if (target_step == item && source_step == item) {
        tapegrad_copy_bytes(target, source, n * item);
        return;
    }
    if (target_step == item && source_step == 0 && item <= 16 && n > 2 * TAPEGRAD_PATTERN / item
            && n * item <= TAPEGRAD_LAST_CACHE) {
        /* One number again and again: a pattern in the first cache is copied by the C library, with the widest vectors.
           Far away, patterns that it copies by an instruction of their own take longer than short ones, and beyond the
           caches all take longer than plain stores. */
        npy_intp end = n * item;
        npy_intp size = (end <= TAPEGRAD_NEAR ? TAPEGRAD_PATTERN : TAPEGRAD_SHORT_PATTERN) / item * item;
        tapegrad_copy_row(target, source, size / item, item, 0, item);
        for (npy_intp done = size; done < end; done += size)
            memcpy(target + done, target, end - done < size ? end - done : size);
        return;
    }
    switch (item) {
    case 1: COPY_ROW(npy_uint8)
    case 2: COPY_ROW(npy_uint16)
    case 4: COPY_ROW(npy_uint32)
    case 8: COPY_ROW(npy_uint64)
    case 16: COPY_ROW(tapegrad_sixteen)
    }
    for (npy_intp i = 0; i < n; i++)
        memcpy(target + i * target_step, source + i * source_step, item);
}

/* A square of elements turned about its diagonal: `lines` lie `step` bytes apart. Compilers with vectors of their
 * own get the exchange written with vectors; it takes a quarter of the time. */
#define TURN(NAME, T)                                                                               \
    static inline void NAME(T block[TAPEGRAD_BLOCK][TAPEGRAD_BLOCK], const char *lines, npy_intp step) \
    {                                                                                               \
        for (int j = 0; j < TAPEGRAD_BLOCK; j++) {                                                  \
            T line[TAPEGRAD_BLOCK];                                                                 \
            memcpy(line, lines + j * step, sizeof(line));                                           \
            for (int i = 0; i < TAPEGRAD_BLOCK; i++) block[i][j] = line[i];                         \
        }                                                                                           \
    }

TURN(tapegrad_turn_1, npy_uint8)
TURN(tapegrad_turn_2, npy_uint16)
TURN(tapegrad_turn_16, tapegrad_sixteen)

#if defined(__GNUC__) && !defined(__clang__)
typedef npy_uint32 tapegrad_four __attribute__((vector_size(16)));
typedef npy_uint64 tapegrad_two __attribute__((vector_size(16)));
#define FOUR(a, b, i, j, k, l) __builtin_shuffle(a, b, (tapegrad_four){i, j, k, l})
#define TWO(a, b, i, j) __builtin_shuffle(a, b, (tapegrad_two){i, j})
#elif defined(__clang__)
typedef npy_uint32 tapegrad_four __attribute__((vector_size(16)));
typedef npy_uint64 tapegrad_two __attribute__((vector_size(16)));
#define FOUR(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#define TWO(a, b, i, j) __builtin_shufflevector(a, b, i, j)
#endif

#ifdef FOUR
static inline void tapegrad_turn_4(
    npy_uint32 block[TAPEGRAD_BLOCK][TAPEGRAD_BLOCK], const char *lines, npy_intp step)
{
    for (int j = 0; j < TAPEGRAD_BLOCK; j += 4)
        for (int i = 0; i < TAPEGRAD_BLOCK; i += 4) {
            tapegrad_four a, b, c, d, low, high, even, odd;
            memcpy(&a, lines + (j + 0) * step + i * 4, 16);
            memcpy(&b, lines + (j + 1) * step + i * 4, 16);
            memcpy(&c, lines + (j + 2) * step + i * 4, 16);
            memcpy(&d, lines + (j + 3) * step + i * 4, 16);
            low = FOUR(a, b, 0, 4, 1, 5);
            high = FOUR(a, b, 2, 6, 3, 7);
            even = FOUR(c, d, 0, 4, 1, 5);
            odd = FOUR(c, d, 2, 6, 3, 7);
            a = FOUR(low, even, 0, 1, 4, 5);
            b = FOUR(low, even, 2, 3, 6, 7);
            c = FOUR(high, odd, 0, 1, 4, 5);
            d = FOUR(high, odd, 2, 3, 6, 7);
            memcpy(&block[i + 0][j], &a, 16);
            memcpy(&block[i + 1][j], &b, 16);
            memcpy(&block[i + 2][j], &c, 16);
            memcpy(&block[i + 3][j], &d, 16);
        }
}

static inline void tapegrad_turn_8(
    npy_uint64 block[TAPEGRAD_BLOCK][TAPEGRAD_BLOCK], const char *lines, npy_intp step)
{
    for (int j = 0; j < TAPEGRAD_BLOCK; j += 2)
        for (int i = 0; i < TAPEGRAD_BLOCK; i += 2) {
            tapegrad_two a, b, low, high;
            memcpy(&a, lines + (j + 0) * step + i * 8, 16);
            memcpy(&b, lines + (j + 1) * step + i * 8, 16);
            low = TWO(a, b, 0, 2);
            high = TWO(a, b, 1, 3);
            memcpy(&block[i + 0][j], &low, 16);
            memcpy(&block[i + 1][j], &high, 16);
        }
}
#define TAPEGRAD_AHEAD_OF(place) __builtin_prefetch(place)
#else
TURN(tapegrad_turn_4, npy_uint32)
TURN(tapegrad_turn_8, npy_uint64)
#define TAPEGRAD_AHEAD_OF(place) ((void)(place))
#endif

/* Copies `rows` rows (at most a block) of `n` elements. In the source, neighbours in a row lie `source_step` apart, and
 * neighbours across rows lie side by side. Whole lines of the cache are read and written at once, through a block on
 * the stack: with strides of a power of two, lines would otherwise push each other out of the cache. The next lines are
 * prefetched, since no processor foresees such strides across pages. */
#define COPY_STRIP(NAME, TURN_BLOCK, T)                                                             \
    static void NAME(char *target, const char *source, npy_intp rows, npy_intp n,                   \
                     npy_intp target_row, npy_intp source_step)                                     \
    {                                                                                               \
        T block[TAPEGRAD_BLOCK][TAPEGRAD_BLOCK];                                                    \
        for (npy_intp first = 0; first < n; first += TAPEGRAD_BLOCK) {                              \
            npy_intp columns = n - first < TAPEGRAD_BLOCK ? n - first : TAPEGRAD_BLOCK;             \
            const char *lines = source + first * source_step;                                       \
            if (rows == TAPEGRAD_BLOCK && columns == TAPEGRAD_BLOCK) {                              \
                npy_intp left = n - first - TAPEGRAD_BLOCK;                                         \
                for (npy_intp j = 0; j < left && j < TAPEGRAD_BLOCK; j++)                           \
                    for (size_t byte = 0; byte < sizeof(block[0]); byte += 64)                      \
                        TAPEGRAD_AHEAD_OF(lines + (TAPEGRAD_BLOCK + j) * source_step + byte);       \
                TURN_BLOCK(block, lines, source_step);                                              \
                for (int i = 0; i < TAPEGRAD_BLOCK; i++)                                            \
                    memcpy(target + i * target_row + first * sizeof(T), block[i], sizeof(block[i])); \
            } else {                                                                                \
                for (npy_intp j = 0; j < columns; j++)                                              \
                    for (npy_intp i = 0; i < rows; i++)                                             \
                        memcpy(target + i * target_row + (first + j) * sizeof(T),                   \
                               lines + j * source_step + i * sizeof(T), sizeof(T));                 \
            }                                                                                       \
        }                                                                                           \
    }

COPY_STRIP(tapegrad_copy_strip_1, tapegrad_turn_1, npy_uint8)
COPY_STRIP(tapegrad_copy_strip_2, tapegrad_turn_2, npy_uint16)
COPY_STRIP(tapegrad_copy_strip_4, tapegrad_turn_4, npy_uint32)
COPY_STRIP(tapegrad_copy_strip_8, tapegrad_turn_8, npy_uint64)
COPY_STRIP(tapegrad_copy_strip_16, tapegrad_turn_16, tapegrad_sixteen)

static void tapegrad_copy_strip(const tapegrad_copy *copy, char *target, const char *source, npy_intp strip)
{
    npy_intp first = strip * TAPEGRAD_BLOCK, rows = copy->across - first;
    if (rows > TAPEGRAD_BLOCK)
        rows = TAPEGRAD_BLOCK;
    target += first * copy->target_across;
    source += first * copy->item;
    switch (copy->item) {
    case 1: tapegrad_copy_strip_1(target, source, rows, copy->length, copy->target_across, copy->source_step); break;
    case 2: tapegrad_copy_strip_2(target, source, rows, copy->length, copy->target_across, copy->source_step); break;
    case 4: tapegrad_copy_strip_4(target, source, rows, copy->length, copy->target_across, copy->source_step); break;
    case 8: tapegrad_copy_strip_8(target, source, rows, copy->length, copy->target_across, copy->source_step); break;
    default: tapegrad_copy_strip_16(target, source, rows, copy->length, copy->target_across, copy->source_step);
    }
}

int tapegrad_plan_copy(
    tapegrad_copy *copy, char *target, const char *source, npy_intp item, int ndim, const npy_intp *dims,
    const npy_intp *target_strides, const npy_intp *source_strides)
{
    int n = 0, i;
    copy->target = target;
    copy->source = source;
    copy->item = item;
    copy->across = 0;
    copy->strips = 1;
    /* Merge each axis into the one before it where both arrays step through the two as through one. */
    for (i = 0; i < ndim; i++) {
        if (dims[i] == 0)
            return 0;
        if (dims[i] == 1)
            continue;
        if (n > 0 && copy->target_strides[n - 1] == target_strides[i] * dims[i]
                && copy->source_strides[n - 1] == source_strides[i] * dims[i]) {
            copy->dims[n - 1] *= dims[i];
        } else {
            n++;
            copy->dims[n - 1] = dims[i];
        }
        copy->target_strides[n - 1] = target_strides[i];
        copy->source_strides[n - 1] = source_strides[i];
    }
    if (n == 0) {
        copy->length = 1;
        copy->target_step = copy->source_step = item;
    } else {
        n--;
        copy->length = copy->dims[n];
        copy->target_step = copy->target_strides[n];
        copy->source_step = copy->source_strides[n];
    }
    if (copy->source_step != item && copy->source_step != 0 && copy->target_step == item
            && (item == 1 || item == 2 || item == 4 || item == 8 || item == 16)) {
        for (i = n - 1; i >= 0; i--) {
            if (copy->source_strides[i] != item)
                continue;
            copy->across = copy->dims[i];
            copy->target_across = copy->target_strides[i];
            copy->strips = (copy->across + TAPEGRAD_BLOCK - 1) / TAPEGRAD_BLOCK;
            n--;
            for (; i < n; i++) {
                copy->dims[i] = copy->dims[i + 1];
                copy->target_strides[i] = copy->target_strides[i + 1];
                copy->source_strides[i] = copy->source_strides[i + 1];
            }
            break;
        }
    }
    if (!copy->across && n >= 2 && copy->target_step == item && copy->source_step == item
            && copy->source_strides[n - 2] == copy->length * item && copy->dims[n - 2] < copy->dims[n - 1]
            && copy->dims[n - 2] <= TAPEGRAD_STREAMS) {
        /* Rows in the order of the source, which writes a few streams, in place of long jumps through the source. */
        npy_intp dim = copy->dims[n - 2], target_stride = copy->target_strides[n - 2];
        copy->dims[n - 2] = copy->dims[n - 1];
        copy->target_strides[n - 2] = copy->target_strides[n - 1];
        copy->source_strides[n - 2] = copy->source_strides[n - 1];
        copy->dims[n - 1] = dim;
        copy->target_strides[n - 1] = target_stride;
        copy->source_strides[n - 1] = copy->length * item;
    }
    copy->outer = n;
    copy->units = copy->strips;
    for (i = 0; i < n; i++)
        copy->units *= copy->dims[i];
    return 1;
}

/* The units `begin` to `end` of what `copy` describes. */
void tapegrad_run_copy(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_copy *copy = (const tapegrad_copy *)context;
    npy_intp position[TAPEGRAD_MOST_AXES];
    npy_intp strip = begin % copy->strips, rest = begin / copy->strips;
    char *target = copy->target;
    const char *source = copy->source;
    for (int i = copy->outer - 1; i >= 0; i--) {
        position[i] = rest % copy->dims[i];
        rest /= copy->dims[i];
        target += position[i] * copy->target_strides[i];
        source += position[i] * copy->source_strides[i];
    }
    npy_intp bytes = copy->length * copy->item;
    int last = copy->outer - 1;
    int of_short_rows = !copy->across && last >= 0 && bytes >= 16 && bytes <= TAPEGRAD_SHORT
        && copy->target_step == copy->item && copy->source_step == copy->item;
    for (ptrdiff_t unit = begin; unit < end; unit++) {
        if (of_short_rows) { /* all that the innermost of the axes has */
            npy_intp rows = copy->dims[last] - position[last], target_row = copy->target_strides[last];
            npy_intp source_row = copy->source_strides[last];
            if (rows > end - unit)
                rows = end - unit;
            for (npy_intp row = 0; row < rows; row++)
                tapegrad_copy_bytes(target + row * target_row, source + row * source_row, bytes);
            target += (rows - 1) * target_row;
            source += (rows - 1) * source_row;
            position[last] += rows - 1;
            unit += rows - 1;
        } else if (copy->across) {
            tapegrad_copy_strip(copy, target, source, strip);
            if (++strip < copy->strips)
                continue;
            strip = 0;
        } else {
            tapegrad_copy_row(target, source, copy->length, copy->target_step, copy->source_step, copy->item);
        }
        for (int i = copy->outer - 1; i >= 0; i--) {
            if (++position[i] < copy->dims[i]) {
                target += copy->target_strides[i];
                source += copy->source_strides[i];
                break;
            }
            target -= copy->target_strides[i] * (copy->dims[i] - 1);
            source -= copy->source_strides[i] * (copy->dims[i] - 1);
            position[i] = 0;
        }
    }
}

void tapegrad_run_joined(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_joined *joined = (const tapegrad_joined *)context;
    char *target = joined->target + begin * joined->row;
    for (ptrdiff_t row = begin; row < end; row++)
        for (int i = 0; i < joined->count; i++) {
            npy_intp bytes = joined->parts[i];
            tapegrad_copy_bytes(target, joined->sources[i] + row * bytes, bytes);
            target += bytes;
        }
}

void tapegrad_run_row(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_copy *copy = (const tapegrad_copy *)context;
    tapegrad_copy_row(copy->target + begin * copy->target_step, copy->source + begin * copy->source_step,
                      end - begin, copy->target_step, copy->source_step, copy->item);
}

void tapegrad_run_clear(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    memset((char *)context + begin, 0, end - begin);
}

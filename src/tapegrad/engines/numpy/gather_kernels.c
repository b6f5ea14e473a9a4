/* What `gathers.h` declares. */

#include "gathers.h"

#include <string.h>

/* Rows are prefetched this many indices ahead, because a large table is not in the cache. */
enum { TAPEGRAD_AHEAD = 8, TAPEGRAD_LINE = 64, TAPEGRAD_FETCHED = 4 };

#if defined(__GNUC__) || defined(__clang__)
#define TAPEGRAD_PREFETCH(place, write) __builtin_prefetch((place), (write))
#else
#define TAPEGRAD_PREFETCH(place, write) ((void)(place))
#endif

static inline npy_intp tapegrad_index(const char *indices, int size, npy_intp i)
{
    return size == 4 ? (npy_intp)((const npy_int32 *)indices)[i] : (npy_intp)((const npy_int64 *)indices)[i];
}

npy_intp tapegrad_first_outside(const char *indices, int size, npy_intp n, npy_intp limit)
{
    int wrong = 0;
    if (size == 4) {
        /* A negative index, or a negative distance from the index to the last row, has its sign bit set. */
        const npy_int32 *numbers = (const npy_int32 *)indices;
        npy_uint32 signs = 0, last = limit > NPY_MAX_INT32 ? NPY_MAX_INT32 : (npy_uint32)(limit - 1);
        for (npy_intp i = 0; i < n; i++)
            signs |= (npy_uint32)numbers[i] | (last - (npy_uint32)numbers[i]);
        wrong = limit == 0 || signs >> 31;
    } else {
        const npy_int64 *numbers = (const npy_int64 *)indices;
        npy_uint64 signs = 0, last = (npy_uint64)(limit - 1);
        for (npy_intp i = 0; i < n; i++)
            signs |= (npy_uint64)numbers[i] | (last - (npy_uint64)numbers[i]);
        wrong = limit == 0 || signs >> 63;
    }
    if (wrong)
        for (npy_intp i = 0; i < n; i++) {
            npy_intp number = tapegrad_index(indices, size, i);
            if (number < 0 || number >= limit)
                return i;
        }
    return -1;
}

static inline void tapegrad_fetch_row(const char *row, npy_intp size, int write)
{
    npy_intp lines = (size + TAPEGRAD_LINE - 1) / TAPEGRAD_LINE;
    if (lines > TAPEGRAD_FETCHED)
        lines = TAPEGRAD_FETCHED;
    for (npy_intp i = 0; i < lines; i++) {
        if (write)
            TAPEGRAD_PREFETCH(row + i * TAPEGRAD_LINE, 1);
        else
            TAPEGRAD_PREFETCH(row + i * TAPEGRAD_LINE, 0);
    }
}

/* Short rows, by numbers that the compiler keeps in registers: the targets could be any object, `g` too. */
#define GATHER(SIZE, INDEX)                                                                         \
    static void tapegrad_gather_##SIZE##_##INDEX(                                                   \
        char *target, const char *source, npy_intp step, const char *indices, npy_intp n)           \
    {                                                                                               \
        const INDEX *places = (const INDEX *)indices;                                               \
        npy_intp i = 0;                                                                             \
        if (step == SIZE) { /* an address takes no multiplication */                                \
            for (; i + 4 <= n; i += 4)                                                              \
                for (int k = 0; k < 4; k++)                                                         \
                    memcpy(target + (i + k) * SIZE, source + places[i + k] * SIZE, SIZE);           \
        }                                                                                           \
        for (; i < n; i++)                                                                          \
            memcpy(target + i * SIZE, source + places[i] * step, SIZE);                             \
    }
#define GATHERS(SIZE) GATHER(SIZE, npy_int32) GATHER(SIZE, npy_int64)
GATHERS(1)
GATHERS(2)
GATHERS(4)
GATHERS(8)
GATHERS(16)
#undef GATHER
#undef GATHERS
#define GATHER(SIZE)                                                                                \
    case SIZE:                                                                                      \
        (g->index_size == 4 ? tapegrad_gather_##SIZE##_npy_int32 : tapegrad_gather_##SIZE##_npy_int64)( \
            target, source, g->source_row, g->indices + first * g->index_size, last - first);       \
        break;

void tapegrad_run_gather(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_gather *g = (const tapegrad_gather *)context;
    const char *indices = g->indices;
    int size = g->index_size;
    while (begin < end) {
        npy_intp outer = begin / g->n, first = begin % g->n;
        npy_intp last = end - begin < g->n - first ? first + (end - begin) : g->n;
        const char *source = g->source + outer * g->source_outer;
        char *target = g->target + begin * g->row;
        begin += last - first;
        switch (g->row) {
        GATHER(1)
        GATHER(2)
        GATHER(4)
        GATHER(8)
        GATHER(16)
        default:
            for (npy_intp i = first; i < last; i++) {
                if (i + TAPEGRAD_AHEAD < last)
                    tapegrad_fetch_row(
                        source + tapegrad_index(indices, size, i + TAPEGRAD_AHEAD) * g->source_row, g->row, 0);
                memcpy(target, source + tapegrad_index(indices, size, i) * g->source_row, g->row);
                target += g->row;
            }
        }
    }
}
#undef GATHER

#define ROW(NAME, T, OF)                                                                            \
    static void NAME##_row(char *target, const char *update, npy_intp count)                        \
    {                                                                                               \
        T *out = (T *)target;                                                                       \
        const T *in = (const T *)update;                                                            \
        for (npy_intp i = 0; i < count; i++) out[i] = (T)OF(out[i], in[i]);                         \
    }                                                                                               \
    static void NAME##_numbers(char *target, const char *updates, npy_intp step,                    \
                               const char *indices, int size, npy_intp n)                           \
    {                                                                                               \
        T *out = (T *)target;                                                                       \
        const npy_int32 *short_ = (const npy_int32 *)indices;                                       \
        const npy_int64 *long_ = (const npy_int64 *)indices;                                        \
        if (size == 4)                                                                              \
            for (npy_intp i = 0; i < n; i++)                                                        \
                out[short_[i]] = (T)OF(out[short_[i]], *(const T *)(updates + i * step));           \
        else                                                                                        \
            for (npy_intp i = 0; i < n; i++)                                                        \
                out[long_[i]] = (T)OF(out[long_[i]], *(const T *)(updates + i * step));             \
    }                                                                                               \
    const tapegrad_row NAME = {NAME##_row, NAME##_numbers};

#define TAPEGRAD_SUM(x, y) ((x) + (y))
#define TAPEGRAD_DIFFERENCE(x, y) ((x) - (y))
#define TAPEGRAD_PRODUCT(x, y) ((x) * (y))
/* NaN wins, whichever of the two it is. */
#define TAPEGRAD_LARGER(x, y) ((y) > (x) || (y) != (y) ? (y) : (x))
#define TAPEGRAD_SMALLER(x, y) ((y) < (x) || (y) != (y) ? (y) : (x))

ROW(tapegrad_add_float, float, TAPEGRAD_SUM)
ROW(tapegrad_add_double, double, TAPEGRAD_SUM)
ROW(tapegrad_add_8, npy_uint8, TAPEGRAD_SUM)
ROW(tapegrad_add_16, npy_uint16, TAPEGRAD_SUM)
ROW(tapegrad_add_32, npy_uint32, TAPEGRAD_SUM)
ROW(tapegrad_add_64, npy_uint64, TAPEGRAD_SUM)
ROW(tapegrad_subtract_float, float, TAPEGRAD_DIFFERENCE)
ROW(tapegrad_subtract_double, double, TAPEGRAD_DIFFERENCE)
ROW(tapegrad_subtract_8, npy_uint8, TAPEGRAD_DIFFERENCE)
ROW(tapegrad_subtract_16, npy_uint16, TAPEGRAD_DIFFERENCE)
ROW(tapegrad_subtract_32, npy_uint32, TAPEGRAD_DIFFERENCE)
ROW(tapegrad_subtract_64, npy_uint64, TAPEGRAD_DIFFERENCE)
ROW(tapegrad_multiply_float, float, TAPEGRAD_PRODUCT)
ROW(tapegrad_multiply_double, double, TAPEGRAD_PRODUCT)
ROW(tapegrad_multiply_32, npy_uint32, TAPEGRAD_PRODUCT)
ROW(tapegrad_multiply_64, npy_uint64, TAPEGRAD_PRODUCT)
ROW(tapegrad_maximum_float, float, TAPEGRAD_LARGER)
ROW(tapegrad_maximum_double, double, TAPEGRAD_LARGER)
ROW(tapegrad_maximum_32, npy_int32, TAPEGRAD_LARGER)
ROW(tapegrad_maximum_64, npy_int64, TAPEGRAD_LARGER)
ROW(tapegrad_minimum_float, float, TAPEGRAD_SMALLER)
ROW(tapegrad_minimum_double, double, TAPEGRAD_SMALLER)
ROW(tapegrad_minimum_32, npy_int32, TAPEGRAD_SMALLER)
ROW(tapegrad_minimum_64, npy_int64, TAPEGRAD_SMALLER)

static void tapegrad_update_row(char *target, const char *update, npy_intp count)
{
    memcpy(target, update, count);
}
const tapegrad_row tapegrad_update_bytes = {tapegrad_update_row, NULL};

void tapegrad_run_scatter(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_scatter *s = (const tapegrad_scatter *)context;
    npy_intp mask = s->parts - 1, n = s->n;
    int size = s->index_size;
    for (ptrdiff_t unit = begin; unit < end; unit++) {
        npy_intp outer = unit / s->parts, part = unit & mask;
        char *target = s->target + outer * s->target_outer;
        const char *updates = s->updates + outer * s->update_outer;
        if (s->count == 1 && s->parts == 1 && s->kernel->numbers) {
            s->kernel->numbers(target, updates, s->update_row, s->indices, size, n);
            continue;
        }
        for (npy_intp i = 0; i < n; i++) {
            npy_intp index = tapegrad_index(s->indices, size, i);
            if (i + TAPEGRAD_AHEAD < n && s->row >= TAPEGRAD_LINE) {
                npy_intp later = tapegrad_index(s->indices, size, i + TAPEGRAD_AHEAD);
                if (((later >> s->shift) & mask) == part)
                    tapegrad_fetch_row(target + later * s->row, s->row, 1);
            }
            if (((index >> s->shift) & mask) == part)
                s->kernel->row(target + index * s->row, updates + i * s->update_row, s->count);
        }
    }
}

npy_intp tapegrad_flatten(
    const char *vectors, int size, npy_intp n, int depth, const npy_intp *sizes, npy_int64 *numbers)
{
    for (npy_intp i = 0; i < n; i++) {
        npy_int64 number = 0;
        for (int axis = 0; axis < depth; axis++) {
            npy_intp index = tapegrad_index(vectors, size, i * depth + axis);
            if (index < 0 || index >= sizes[axis])
                return i;
            number = number * sizes[axis] + index;
        }
        numbers[i] = number;
    }
    return -1;
}

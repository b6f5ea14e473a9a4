/* What `orders.h` declares. */

#include "orders.h"

#include <stdlib.h>
#include <string.h>

static inline npy_uint64 tapegrad_rank_of_float(float x)
{
    npy_uint32 bits;
    x += 0.0f; /* -0 becomes 0 */
    if (x != x)
        return NPY_MAX_UINT32;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (-(bits >> 31) | 0x80000000u);
}

static inline npy_uint64 tapegrad_rank_of_double(double x)
{
    npy_uint64 bits;
    x += 0.0;
    if (x != x)
        return NPY_MAX_UINT64;
    memcpy(&bits, &x, sizeof bits);
    return bits ^ (-(bits >> 63) | (npy_uint64)1 << 63);
}

static inline npy_uint64 tapegrad_rank_of_int(npy_int32 x) { return (npy_uint32)x ^ 0x80000000u; }
static inline npy_uint64 tapegrad_rank_of_long(npy_int64 x) { return (npy_uint64)x ^ (npy_uint64)1 << 63; }

/* How many bits `x` takes. */
static inline int tapegrad_bits(npy_uint64 x) { return x ? 64 - __builtin_clzll(x) : 0; }

/* The keys of a row, sorted. Their lowest `bits` bits are the places: as many as the last place takes, 32 at most.

   Where a rank and a place together do not fit, the ranks lose their lowest bits, no more than a place takes. Runs of
   elements that only those tell apart are sorted once more, by keys without the bits that the run has in common: of
   what is left, both parts fit. */
#define TAPEGRAD_ORDER(T, OF)                                                                                \
    static void tapegrad_sort_keys_##OF(const T *x, npy_intp n, int bits, npy_uint64 flip, npy_uint64 *keys, \
                                        int (*sort)(void *, npy_intp, void *))                               \
    {                                                                                                        \
        npy_uint64 least = NPY_MAX_UINT64, most = 0, mask = ((npy_uint64)1 << bits) - 1;                     \
        npy_intp begin, end, i;                                                                              \
        int lost;                                                                                            \
        for (i = 0; i < n; i++) {                                                                            \
            npy_uint64 rank = tapegrad_rank_of_##OF(x[i]) ^ flip;                                            \
            least = rank < least ? rank : least;                                                             \
            most = rank > most ? rank : most;                                                                \
        }                                                                                                    \
        lost = tapegrad_bits(most - least) + bits - 64;                                                      \
        lost = lost > 0 ? lost : 0;                                                                          \
        for (i = 0; i < n; i++)                                                                              \
            keys[i] = ((tapegrad_rank_of_##OF(x[i]) ^ flip) - least) >> lost << bits | (npy_uint64)i;        \
        sort(keys, n, NULL);                                                                                 \
        if (lost == 0)                                                                                       \
            return;                                                                                          \
        for (begin = 0; begin < n; begin = end) {                                                            \
            int ordered = 1;                                                                                 \
            npy_uint64 last = tapegrad_rank_of_##OF(x[keys[begin] & mask]) ^ flip;                           \
            least = last;                                                                                    \
            for (end = begin + 1; end < n && (keys[end] ^ keys[begin]) >> bits == 0; end++) {                \
                npy_uint64 rank = tapegrad_rank_of_##OF(x[keys[end] & mask]) ^ flip;                         \
                ordered &= rank >= last;                                                                     \
                least = rank < least ? rank : least;                                                         \
                last = rank;                                                                                 \
            }                                                                                                \
            if (ordered)                                                                                     \
                continue;                                                                                    \
            for (i = begin; i < end; i++) {                                                                  \
                npy_uint64 place = keys[i] & mask;                                                           \
                keys[i] = ((tapegrad_rank_of_##OF(x[place]) ^ flip) - least) << bits | place;                \
            }                                                                                                \
            sort(keys + begin, end - begin, NULL);                                                           \
        }                                                                                                    \
    }

TAPEGRAD_ORDER(float, float)
TAPEGRAD_ORDER(double, double)
TAPEGRAD_ORDER(npy_int32, int)
TAPEGRAD_ORDER(npy_int64, long)

void tapegrad_order_rows(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    tapegrad_order *work = context;
    npy_intp n = work->n, i;
    int single = work->kind == TAPEGRAD_OF_FLOATS || work->kind == TAPEGRAD_OF_INTS;
    int bits = tapegrad_bits((npy_uint64)(n - 1));
    npy_uint64 flip = !work->descending ? 0 : single ? NPY_MAX_UINT32 : NPY_MAX_UINT64;
    npy_uint64 mask = ((npy_uint64)1 << bits) - 1;
    npy_uint64 *keys = malloc(n * sizeof *keys);
    if (keys == NULL) {
        __atomic_store_n(&work->failed, 1, __ATOMIC_RELAXED);
        return;
    }
    for (ptrdiff_t row = begin; row < end; row++) {
        npy_intp first = row * n;
        switch (work->kind) {
        case TAPEGRAD_OF_FLOATS:
            tapegrad_sort_keys_float((const float *)work->x + first, n, bits, flip, keys, work->sort);
            break;
        case TAPEGRAD_OF_DOUBLES:
            tapegrad_sort_keys_double((const double *)work->x + first, n, bits, flip, keys, work->sort);
            break;
        case TAPEGRAD_OF_INTS:
            tapegrad_sort_keys_int((const npy_int32 *)work->x + first, n, bits, flip, keys, work->sort);
            break;
        default:
            tapegrad_sort_keys_long((const npy_int64 *)work->x + first, n, bits, flip, keys, work->sort);
        }
        if (work->dy != NULL && single) {
            const npy_uint32 *from = (const npy_uint32 *)work->dy + first;
            npy_uint32 *out = (npy_uint32 *)work->out + first;
            for (i = 0; i < n; i++)
                out[keys[i] & mask] = from[i];
        } else if (work->dy != NULL) {
            const npy_uint64 *from = (const npy_uint64 *)work->dy + first;
            npy_uint64 *out = (npy_uint64 *)work->out + first;
            for (i = 0; i < n; i++)
                out[keys[i] & mask] = from[i];
        } else if (work->wide) {
            npy_int64 *out = (npy_int64 *)work->out + first;
            for (i = 0; i < n; i++)
                out[i] = (npy_int64)(keys[i] & mask);
        } else {
            npy_int32 *out = (npy_int32 *)work->out + first;
            for (i = 0; i < n; i++)
                out[i] = (npy_int32)(keys[i] & mask);
        }
    }
    free(keys);
}

void tapegrad_sort_rows(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_sorting *work = context;
    npy_intp bytes = work->n * work->item;
    for (ptrdiff_t row = begin; row < end; row++) {
        memcpy(work->out + row * bytes, work->x + row * bytes, bytes);
        work->sort(work->out + row * bytes, work->n, work->array);
    }
}

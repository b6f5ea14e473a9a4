/* What `through_floats.h` declares, with the loops in registers at each level. */

#include "through_floats.h"
#include "elementwise_polynomials.h"
#include "halves.h"

#include <stdlib.h>
#include <string.h>

enum {
    TAPEGRAD_HALF_BLOCK = 512, /* elements */
    TAPEGRAD_GAP = 16,         /* NumPy takes arrays that touch for overlapping */
    TAPEGRAD_HALVES = 1 << 16  /* that there are */
};

/* Two halves, which may lie at any even address. */
#ifdef __GNUC__
typedef npy_uint32 tapegrad_pair __attribute__((aligned(2), may_alias));
#else
typedef npy_uint32 tapegrad_pair;
#endif

typedef struct {
    const char *name; /* of the ufunc */
    tapegrad_half_loop loops[3]; /* of arrays, of one number and an array, and of an array and one number */
} tapegrad_half_entry;

typedef struct {
    tapegrad_conversion spread, gather; /* widening and rounding, in an order of their own */
    tapegrad_half_entry entries[24];
} tapegrad_halves;

#define KERNELS "half_loops.h"
#include "each_level.h"

static const tapegrad_halves *tapegrad_halves_at(int level)
{
    static const tapegrad_halves *const tables[] = TAPEGRAD_AT_LEVELS(&tapegrad_halves, table);
    return tables[level];
}

tapegrad_through tapegrad_through_at(int level, const char *name)
{
    const tapegrad_halves *halves = tapegrad_halves_at(level);
    tapegrad_through through = {.widen = tapegrad_widening_at(level), .round = tapegrad_rounding_at(level),
                                .spread = halves->spread, .gather = halves->gather};
    for (const tapegrad_half_entry *entry = halves->entries; entry->name != NULL; entry++)
        if (strcmp(entry->name, name) == 0)
            through.own = entry->loops;
    return through;
}

/* `n` halves from `from` on, beside each other: those in `room` if they are not so yet. */
static const char *tapegrad_halves_beside(const char *from, npy_intp step, npy_intp n, npy_uint16 *room)
{
    if (step == 0 || step == sizeof(npy_uint16))
        return from;
    for (npy_intp i = 0; i < n; i++)
        room[i] = *(const npy_uint16 *)(from + i * step);
    return (const char *)room;
}

static void tapegrad_halves_apart(char *to, npy_intp step, npy_intp n, const npy_uint16 *room)
{
    for (npy_intp i = 0; i < n; i++)
        *(npy_uint16 *)(to + i * step) = room[i];
}

/* A loop in registers, over halves that lie anywhere. */
static void tapegrad_own_by_blocks(char **args, npy_intp count, npy_intp const *steps, int last, tapegrad_half_loop own)
{
    npy_uint16 room[3][TAPEGRAD_HALF_BLOCK];
    for (npy_intp begin = 0; begin < count; begin += TAPEGRAD_HALF_BLOCK) {
        npy_intp rest = count - begin, n = rest < TAPEGRAD_HALF_BLOCK ? rest : TAPEGRAD_HALF_BLOCK;
        char *out = args[last] + begin * steps[last];
        int beside = steps[last] == sizeof(npy_uint16);
        const char *in[2];
        for (int k = 0; k < last; k++)
            in[k] = tapegrad_halves_beside(args[k] + begin * steps[k], steps[k], n, room[k]);
        own(in[0], in[last - 1], beside ? out : (char *)room[2], n);
        if (!beside)
            tapegrad_halves_apart(out, steps[last], n, room[2]);
    }
}

/* `plain`: halves beside each other or single ones become halves beside each other. */
static void tapegrad_by_blocks(char **args, npy_intp count, npy_intp const *steps, const tapegrad_through *through,
                               int plain)
{
    float room[3][TAPEGRAD_HALF_BLOCK + TAPEGRAD_GAP];
    npy_uint16 halves[TAPEGRAD_HALF_BLOCK];
    const npy_intp size = sizeof(npy_uint16);
    int last = through->operands;
    for (npy_intp begin = 0; begin < count; begin += TAPEGRAD_HALF_BLOCK) {
        npy_intp rest = count - begin, n = rest < TAPEGRAD_HALF_BLOCK ? rest : TAPEGRAD_HALF_BLOCK;
        char *inner[3], *out = args[last] + begin * steps[last];
        npy_intp inner_steps[3];
        for (int k = 0; k < last; k++) {
            const char *from = tapegrad_halves_beside(args[k] + begin * steps[k], steps[k], n, halves);
            npy_intp present = steps[k] == 0 ? 1 : n;
            (plain ? through->spread : through->widen)((char *)room[k], from, present);
            inner[k] = (char *)room[k];
            inner_steps[k] = steps[k] == 0 ? 0 : sizeof(float);
        }
        inner[last] = through->rounds ? (char *)room[last] : out;
        inner_steps[last] = through->rounds ? (npy_intp)sizeof(float) : steps[last];
        through->loop(inner, &n, inner_steps, through->data);
        if (!through->rounds)
            continue;
        if (steps[last] == size) {
            (plain ? through->gather : through->round)(out, (const char *)room[last], n);
            continue;
        }
        through->round((char *)halves, (const char *)room[last], n);
        tapegrad_halves_apart(out, steps[last], n, halves);
    }
}

/* The results of all halves, if it was worth to write them down; `n` more are asked for. */
static const npy_uint16 *tapegrad_results_of(tapegrad_through *through, npy_intp n)
{
#ifdef __GNUC__
    npy_uint16 *results = __atomic_load_n(&through->results, __ATOMIC_ACQUIRE), *none = NULL;
    if (results != NULL || __atomic_add_fetch(&through->asked, n, __ATOMIC_RELAXED) < TAPEGRAD_HALVES)
        return results;
    results = malloc(TAPEGRAD_HALVES * sizeof(npy_uint16));
    if (results == NULL)
        return NULL;
    char *args[2] = {(char *)results, (char *)results};
    npy_intp steps[2] = {sizeof(npy_uint16), sizeof(npy_uint16)};
    for (npy_intp i = 0; i < TAPEGRAD_HALVES; i++)
        results[i] = (npy_uint16)i;
    tapegrad_by_blocks(args, TAPEGRAD_HALVES, steps, through, 1);
    if (!__atomic_compare_exchange_n(&through->results, &none, results, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
        free(results); /* another thread came first */
        results = none;
    }
    return results;
#else
    return NULL;
#endif
}

void tapegrad_through_floats(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)
{
    tapegrad_through *through = (tapegrad_through *)data;
    const npy_intp size = sizeof(npy_uint16);
    int last = through->operands, plain = through->rounds && steps[last] == size, ones = 0;
    for (int k = 0; k < last; k++) {
        plain &= steps[k] == size || steps[k] == 0;
        ones |= (steps[k] == 0) << k;
    }
    if (through->own != NULL && ones < 3 && through->own[ones] != NULL) {
        if (plain)
            through->own[ones](args[0], args[last - 1], args[last], dimensions[0]);
        else
            tapegrad_own_by_blocks(args, dimensions[0], steps, last, through->own[ones]);
        return;
    }
    if (plain && through->takes_long && last == 1 && ones == 0) {
        const npy_uint16 *results = tapegrad_results_of(through, dimensions[0]), *in = (const npy_uint16 *)args[0];
        npy_uint16 *out = (npy_uint16 *)args[1];
        if (results != NULL) {
            for (npy_intp i = 0; i < dimensions[0]; i++)
                out[i] = results[in[i]];
            return;
        }
    }
    tapegrad_by_blocks(args, dimensions[0], steps, through, plain);
}

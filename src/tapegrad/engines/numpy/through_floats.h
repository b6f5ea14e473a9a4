/* Loops of float32 in NumPy's form, run on bfloat16: a block is widened, computed and rounded while it is in the first
   cache. */

#ifndef TAPEGRAD_THROUGH_FLOATS_H
#define TAPEGRAD_THROUGH_FLOATS_H

#include "conversions.h"

enum { TAPEGRAD_HALF_BLOCK = 512 /* elements */, TAPEGRAD_GAP = 16 /* NumPy takes arrays that touch for overlapping */ };

/* The data of such a loop. */
typedef struct {
    void (*loop)(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data);
    void *data;
    int operands;
    int rounds; /* whether the results are float32, and become bfloat16 */
    tapegrad_conversion widen, round;
} tapegrad_through;

static void tapegrad_through_floats(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)
{
    const tapegrad_through *through = data;
    float room[3][TAPEGRAD_HALF_BLOCK + TAPEGRAD_GAP];
    npy_uint16 halves[TAPEGRAD_HALF_BLOCK];
    int last = through->operands;
    for (npy_intp begin = 0; begin < dimensions[0]; begin += TAPEGRAD_HALF_BLOCK) {
        npy_intp rest = dimensions[0] - begin, n = rest < TAPEGRAD_HALF_BLOCK ? rest : TAPEGRAD_HALF_BLOCK;
        char *inner[3], *out = args[last] + begin * steps[last];
        npy_intp inner_steps[3];
        for (int k = 0; k < last; k++) {
            const char *from = args[k] + begin * steps[k];
            npy_intp count = steps[k] == 0 ? 1 : n;
            if (steps[k] != 0 && steps[k] != sizeof(npy_uint16)) {
                for (npy_intp i = 0; i < n; i++)
                    halves[i] = *(const npy_uint16 *)(from + i * steps[k]);
                from = (const char *)halves;
            }
            through->widen((char *)room[k], from, count);
            inner[k] = (char *)room[k];
            inner_steps[k] = steps[k] == 0 ? 0 : sizeof(float);
        }
        inner[last] = through->rounds ? (char *)room[last] : out;
        inner_steps[last] = through->rounds ? (npy_intp)sizeof(float) : steps[last];
        through->loop(inner, &n, inner_steps, through->data);
        if (!through->rounds)
            continue;
        if (steps[last] == sizeof(npy_uint16)) {
            through->round(out, (const char *)room[last], n);
            continue;
        }
        through->round((char *)halves, (const char *)room[last], n);
        for (npy_intp i = 0; i < n; i++)
            *(npy_uint16 *)(out + i * steps[last]) = halves[i];
    }
}

#endif

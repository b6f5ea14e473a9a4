/* What `arithmetic.h` declares, at each level. */

#include "arithmetic.h"
#include "vectors.h"

#include <string.h>

#define KERNELS_OF_TYPE "arithmetic_loops.h"
#define KERNELS "each_real.h"
#define KERNELS_WITHOUT_WIDE
#include "each_level.h"
#undef KERNELS_OF_TYPE

enum { MOST_BYTES = 64 };       /* of a turn */

tapegrad_arithmetic tapegrad_arithmetic_at(int is_double, int level, int first, int second)
{
    static const tapegrad_turns (*const versions[2][TAPEGRAD_LEVELS])[TAPEGRAD_SECOND_STEPS] = {
        TAPEGRAD_AT_LEVELS_WITHOUT_WIDE(arithmetic, float), TAPEGRAD_AT_LEVELS_WITHOUT_WIDE(arithmetic, double)};
    static void (*const repeats[2][TAPEGRAD_LEVELS])(const char *, char *) = {
        TAPEGRAD_AT_LEVELS_WITHOUT_WIDE(repeat, float), TAPEGRAD_AT_LEVELS_WITHOUT_WIDE(repeat, double)};
    tapegrad_arithmetic arithmetic = {
        versions[is_double != 0][level][first][second], repeats[is_double != 0][level], level > 0 ? 64 : 32,
        is_double ? sizeof(double) : sizeof(float)};
    return arithmetic;
}

void tapegrad_run_arithmetic(
    const tapegrad_arithmetic *arithmetic, char *const *operands, const ptrdiff_t *steps, ptrdiff_t n)
{
    ptrdiff_t bytes = arithmetic->bytes, item = arithmetic->item, whole = n * item / bytes, rest = n * item % bytes;
    ptrdiff_t moves[3];
    char room[4][MOST_BYTES];
    const char *from[3];
    for (int i = 0; i < 3; i++) {
        moves[i] = steps[i] != 0 ? bytes : 0;
        from[i] = operands[i];
        if (steps[i] == 0) {
            arithmetic->repeat(operands[i], room[i]);
            from[i] = room[i];
        }
    }
    arithmetic->loop(from[0], from[1], from[2], operands[3], moves, whole);
    if (rest > 0) {
        for (int i = 0; i < 3; i++)
            if (steps[i] != 0)
                memcpy(room[i], from[i] + whole * bytes, rest);
        arithmetic->loop(room[0], room[1], room[2], room[3], moves, 1);
        memcpy(operands[3] + whole * bytes, room[3], rest);
    }
}

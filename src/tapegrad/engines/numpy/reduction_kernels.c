/* What `reductions.h` declares, at each level. */

#include "reductions.h"
#include "each_reduction.h"

const tapegrad_reductions *tapegrad_reductions_at(int kind, int level)
{
    static const tapegrad_reductions *const versions[][TAPEGRAD_LEVELS] = {
        TAPEGRAD_AT_LEVELS(&tapegrad_reductions, float), TAPEGRAD_AT_LEVELS(&tapegrad_reductions, double),
        TAPEGRAD_AT_LEVELS(&tapegrad_reductions, half)};
    return versions[kind][level];
}

/* What `softmax.h` declares, at each level. */

#include "softmax.h"
#include "each_reduction.h"
#include "elementwise_polynomials.h"

#include <math.h>
#include <stdlib.h>

#define KERNELS "exponentials.h"
#include "each_level.h"
#define KERNELS_OF_KIND "softmax_loops.h"
#define KERNELS "each_kind.h"
#include "each_level.h"
#undef KERNELS_OF_KIND

const tapegrad_softmax *tapegrad_softmax_at(int kind, int level)
{
    static const tapegrad_softmax *const versions[][TAPEGRAD_LEVELS] = {
        TAPEGRAD_AT_LEVELS(&tapegrad_softmax, float), TAPEGRAD_AT_LEVELS(&tapegrad_softmax, double),
        TAPEGRAD_AT_LEVELS(&tapegrad_softmax, half)};
    return versions[kind][level];
}

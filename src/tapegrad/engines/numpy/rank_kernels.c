/* What `ranks.h` declares, at each level. */

#include "ranks.h"

#define KERNELS_OF_TYPE "rank_loops.h"
#define KERNELS_WITHOUT_WIDE
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE

TAPEGRAD_VERSIONS_WITHOUT_WIDE(tapegrad_ranks)

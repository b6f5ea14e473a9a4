/* What `ranks.h` declares, at each level. */

#include "ranks.h"

#define KERNELS_OF_TYPE "rank_loops.h"
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE

TAPEGRAD_VERSIONS(tapegrad_ranks)

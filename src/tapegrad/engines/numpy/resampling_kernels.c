/* What `resampling.h` declares, at each level. */

#include "resampling.h"

#define KERNELS_OF_TYPE "resampling_loops.h"
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE

TAPEGRAD_VERSIONS(tapegrad_row_sums)

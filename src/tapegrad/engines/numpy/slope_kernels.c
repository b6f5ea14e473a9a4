/* What `slopes.h` declares, at each level. */

#include "slopes.h"

#define KERNELS_OF_TYPE "slope_loops.h"
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE

TAPEGRAD_VERSIONS(tapegrad_slopes)

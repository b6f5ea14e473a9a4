/* What `scans.h` declares, at each level. */

#include "scans.h"

#define KERNELS_OF_TYPE "scan_loops.h"
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE

TAPEGRAD_VERSIONS(tapegrad_scans)

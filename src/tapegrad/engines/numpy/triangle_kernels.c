/* What `triangles.h` declares, at each level. */

#include "triangles.h"

#define KERNELS_OF_TYPE "triangle_loops.h"
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE

TAPEGRAD_VERSIONS(tapegrad_triangles)

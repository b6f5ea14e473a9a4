/* The functions of `reduction_loops.h` for each kind and level, static: compilers leave out those that the file that
   includes this one does not call. */

#define KERNELS_OF_KIND "reduction_loops.h"
#define KERNELS "each_kind.h"
#include "each_level.h"
#undef KERNELS_OF_KIND

/* The functions of `elementwise.h` that NumPy has too, at each level. */

#include "elementwise.h"
#include "elementwise_polynomials.h"
#include "vectors.h"

#include <math.h>
#include <string.h>

#define KERNELS "elementary_loops.h"
#include "each_level.h"
TAPEGRAD_VERSIONS(tapegrad_elementary)

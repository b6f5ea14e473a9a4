/* What `norms.h` declares, at each level. */

#include "norms.h"
#include "each_reduction.h"

/* The sum of squares around a mean, from the sum around the same mean rounded, which lies `error` away. */
static inline double tapegrad_centre(double squares, double n, double error)
{
    double centred = squares - n * error * error;
    return centred < 0 ? 0 : centred;
}

#define EACH(N) for (npy_intp i = 0; i < (N); i++)
#define KERNELS_OF_TYPE "norm_loops.h"
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE
#undef EACH

TAPEGRAD_VERSIONS(tapegrad_norms)

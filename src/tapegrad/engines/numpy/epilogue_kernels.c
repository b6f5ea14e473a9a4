/* What `epilogues.h` declares, at each level. */

#include "epilogues.h"
#include "vectors.h"

#define KERNELS_OF_TYPE "epilogue_loops.h"
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE

tapegrad_run_epilogue tapegrad_epilogue_at(int is_double, int level)
{
    static const tapegrad_run_epilogue versions[2][TAPEGRAD_LEVELS] = {
        TAPEGRAD_AT_LEVELS(run_epilogue, float), TAPEGRAD_AT_LEVELS(run_epilogue, double)};
    return versions[is_double != 0][level];
}

/* What `searches.h` declares, at each level. */

#include "searches.h"

#define INDEX_float npy_int32
#define INDEX_double npy_int64
#define KERNELS_OF_TYPE "search_loops.h"
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE
#undef INDEX_float
#undef INDEX_double

TAPEGRAD_VERSIONS(tapegrad_searches)

void tapegrad_find_truths(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_truths *work = context;
    for (ptrdiff_t row = begin; row < end; row++) {
        int found = work->n > 0 && memchr(work->x + row * work->n, work->wanted, work->n) != NULL;
        work->out[row] = (npy_uint8)(found == work->wanted);
    }
}

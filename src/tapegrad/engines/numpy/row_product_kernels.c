/* What `row_products.h` declares, at each level. */

#include "row_products.h"

#define KERNELS_OF_TYPE "row_product_loops.h"
#define KERNELS_WITHOUT_WIDE
#define KERNELS "each_real.h"
#include "each_level.h"
#undef KERNELS_OF_TYPE

TAPEGRAD_VERSIONS_WITHOUT_WIDE(tapegrad_row_products)

/* Rows `begin` to `end`. */
void tapegrad_run_dots(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_row_product *p = context;
    p->kernels->dots(p->matrix + begin * p->step * p->item, p->step, end - begin, p->length, p->x,
                     p->out + begin * p->item);
}

/* Blocks `begin` to `end` of TAPEGRAD_SUMMED columns. */
void tapegrad_run_sums(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_row_product *p = context;
    for (; begin < end; begin++) {
        npy_intp first = begin * TAPEGRAD_SUMMED, rest = p->length - first;
        p->kernels->sums(p->matrix + first * p->item, p->step, p->rows, rest < TAPEGRAD_SUMMED ? rest : TAPEGRAD_SUMMED,
                         p->x, p->out + first * p->item);
    }
}

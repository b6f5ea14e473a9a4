/* How the general matrix product of a BLAS is called, and how OpenBLAS is kept to the calling thread.

   Nothing here is linked with a BLAS. `blas.pyx` finds the functions at run time in a library that is loaded. Where it
   finds none, the loops of `numpy.matmul` take their place. */

#include <numpy/npy_common.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "blas.h"
#include "system.h"

typedef void (*tapegrad_matmul_loop)(char **args, const npy_intp *dimensions, const npy_intp *steps, void *data);

static tapegrad_matmul_loop tapegrad_loops[4];
static void *tapegrad_loop_data[4];

/* --- Keeping OpenBLAS to one thread while ours are in it ---------------------------------------------- */

static tapegrad_lock tapegrad_door = TAPEGRAD_LOCK_READY;
/* NumPy's wheels and SciPy's each bring an OpenBLAS of their own. */
static tapegrad_library tapegrad_numpys, tapegrad_scipys;

static void tapegrad_enter(tapegrad_library *library)
{
    if (!library)
        return;
    tapegrad_take(&tapegrad_door);
    if (library->users++ == 0) {
        int threads = library->get();
        if (threads != 1) {
            library->owed = threads;
            library->set(1);
        }
    }
    tapegrad_give(&tapegrad_door);
}

static void tapegrad_leave(tapegrad_library *library)
{
    if (!library)
        return;
    tapegrad_take(&tapegrad_door);
    /* The child of a fork that happened inside has no users. */
    if (library->users > 0)
        library->users--;
    if (library->users == 0 && library->owed) {
        if (library->get() == 1) /* else somebody has set it meanwhile */
            library->set(library->owed);
        library->owed = 0;
    }
    tapegrad_give(&tapegrad_door);
}

static void tapegrad_blas_after_fork(void)
{
    /* Other threads that were inside do not exist here. The next call that leaves sets the number back. */
    tapegrad_lock fresh = TAPEGRAD_LOCK_READY;
    tapegrad_door = fresh;
    tapegrad_numpys.users = tapegrad_scipys.users = 0;
}

/* --- One product -------------------------------------------------------------------------------------- */

#define TAPEGRAD_GEMM_TYPE(NAME, INTEGER, SCALAR)                                                            \
    typedef void (*NAME)(int, int, int, INTEGER, INTEGER, INTEGER, SCALAR, const void *, INTEGER,            \
                         const void *, INTEGER, SCALAR, void *, INTEGER);
TAPEGRAD_GEMM_TYPE(tapegrad_sgemm_32, int, float)
TAPEGRAD_GEMM_TYPE(tapegrad_sgemm_64, int64_t, float)
TAPEGRAD_GEMM_TYPE(tapegrad_dgemm_32, int, double)
TAPEGRAD_GEMM_TYPE(tapegrad_dgemm_64, int64_t, double)
TAPEGRAD_GEMM_TYPE(tapegrad_cgemm_32, int, const void *)
TAPEGRAD_GEMM_TYPE(tapegrad_cgemm_64, int64_t, const void *)

#define TAPEGRAD_CALL(TYPE, SCALE, KEPT)                                                                     \
    ((TYPE)gemm)(order, transposes[x->a_layout], transposes[x->b_layout], x->m, x->n, x->k, SCALE, x->a,       \
                 x->lda, x->b, x->ldb, KEPT, x->c, x->ldc)

static void tapegrad_by_loop(const tapegrad_matrices *x)
{
    ptrdiff_t size = tapegrad_item_sizes[x->type];
    int a = x->a_layout & TAPEGRAD_TRANSPOSED, b = x->b_layout & TAPEGRAD_TRANSPOSED;
    char *args[3] = {(char *)x->a, (char *)x->b, x->c};
    npy_intp dimensions[4] = {1, x->m, x->k, x->n};
    npy_intp steps[9] = {0, 0, 0, (a ? 1 : x->lda) * size, (a ? x->lda : 1) * size,
                         (b ? 1 : x->ldb) * size, (b ? x->ldb : 1) * size, x->ldc * size, size};
    tapegrad_loops[x->type](args, dimensions, steps, tapegrad_loop_data[x->type]);
}

/* C = A B, on the calling thread if `shared` and the caller has entered. C may hold anything before, unless `adds`:
   then there must be a gemm for the type. */
static void tapegrad_gemm(const tapegrad_blas *blas, const tapegrad_matrices *x)
{
    static const int transposes[4] = {111, 112, 0, 113};
    static const float one[2] = {1, 0};
    static const double double_one[2] = {1, 0}, zero[2] = {0, 0};
    void *gemm = blas->gemm[x->type];
    double scale = x->adds ? x->scale : 1, kept = x->adds;
    int before = 0, order = 101; /* row by row */
    tapegrad_matrices turned;
    if (x->k == 0) {
        ptrdiff_t size = tapegrad_item_sizes[x->type], i;
        for (i = 0; i < x->m; i++)
            memset(x->c + i * x->ldc * size, 0, x->n * size);
        return;
    }
    if (!gemm || (!blas->wide && (x->m > INT_MAX || x->n > INT_MAX || x->k > INT_MAX || x->lda > INT_MAX
                                  || x->ldb > INT_MAX || x->ldc > INT_MAX))) {
        tapegrad_by_loop(x);
        return;
    }
    /* For these sizes OpenBLAS 0.3.31 takes rows that lie apart for rows side by side, on processors with ARM's SME: it
       compares each distance with a wrong size. It does so for products row by row alone, so this one is C' = B' A'. */
    if (x->type == 0 && x->m == x->lda && x->n == x->ldb && x->k == x->ldc && (x->k != x->lda || x->k != x->ldb)) {
        turned = *x;
        turned.m = x->n, turned.n = x->m;
        turned.a = x->b, turned.b = x->a;
        turned.lda = x->ldb, turned.ldb = x->lda;
        turned.a_layout = x->b_layout, turned.b_layout = x->a_layout;
        order = 102;
        x = &turned;
    }
    if (blas->set_own_threads)
        before = blas->set_own_threads(1);
    if (blas->wide)
        switch (x->type) {
        case 0: TAPEGRAD_CALL(tapegrad_sgemm_64, (float)scale, (float)kept); break;
        case 1: TAPEGRAD_CALL(tapegrad_dgemm_64, scale, kept); break;
        case 2: TAPEGRAD_CALL(tapegrad_cgemm_64, one, zero); break;
        default: TAPEGRAD_CALL(tapegrad_cgemm_64, double_one, zero);
        }
    else
        switch (x->type) {
        case 0: TAPEGRAD_CALL(tapegrad_sgemm_32, (float)scale, (float)kept); break;
        case 1: TAPEGRAD_CALL(tapegrad_dgemm_32, scale, kept); break;
        case 2: TAPEGRAD_CALL(tapegrad_cgemm_32, one, zero); break;
        default: TAPEGRAD_CALL(tapegrad_cgemm_32, double_one, zero);
        }
    if (blas->set_own_threads)
        blas->set_own_threads(before);
}

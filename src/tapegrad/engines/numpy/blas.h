/* What is known of a BLAS that was found at run time, and the operands of one product. */

#ifndef TAPEGRAD_BLAS_H
#define TAPEGRAD_BLAS_H

#include <stddef.h>

/* How an operand lies in memory, as bits. */
enum { TAPEGRAD_TRANSPOSED = 1, TAPEGRAD_CONJUGATED = 2 };

typedef struct {
    void *gemm[4];                  /* cblas_?gemm for s, d, c, z; NULL where only NumPy's loops are known */
    int wide;                       /* its integers have 64 bits */
    int (*get_threads)(void);       /* of an OpenBLAS with threads: how many a product may use, in all of the */
    void (*set_threads)(int);       /*     process */
    int (*set_own_threads)(int);    /* of an MKL that others use too: the same for the calling thread alone */
    int shared;                     /* several threads may be in it at once, each for itself */
    int slow_transposes;            /* takes much longer to read a second operand that lies transposed */
} tapegrad_blas;

typedef struct {
    int type;                       /* 0 to 3: float, double and their complex kinds */
    int a_layout, b_layout;
    ptrdiff_t m, n, k;              /* (m, k) times (k, n) */
    const char *a, *b;
    char *c;
    ptrdiff_t lda, ldb, ldc;        /* elements from one row (of what lies in memory) to the next */
} tapegrad_matrices;

static const ptrdiff_t tapegrad_item_sizes[4] = {4, 8, 8, 16};

#endif

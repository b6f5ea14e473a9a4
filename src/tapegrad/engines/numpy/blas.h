/* What is known of a BLAS that was found at run time, and the operands of one product. */

#ifndef TAPEGRAD_BLAS_H
#define TAPEGRAD_BLAS_H

#include <stddef.h>

/* How an operand lies in memory, as bits. */
enum { TAPEGRAD_TRANSPOSED = 1, TAPEGRAD_CONJUGATED = 2 };

/* The number of threads that a library uses has one setting for the whole process. */
typedef struct {
    int (*get)(void);
    void (*set)(int);
    int users; /* calls of ours that are in the library */
    int owed;  /* the number to set when the last of them leaves; 0 if it was not changed */
} tapegrad_library;

typedef struct {
    void *gemm[4];                  /* cblas_?gemm for s, d, c, z; NULL where only NumPy's loops are known */
    int wide;                       /* its integers have 64 bits */
    tapegrad_library *library;      /* of an OpenBLAS with threads; NULL for any other */
    int (*set_own_threads)(int);    /* of an MKL that others use too: sets the number for the calling thread alone */
    int shared;                     /* several threads may be in it at once, each for itself */
    int slow_transposes;            /* takes much longer to read a second operand that lies transposed */
    double unpacked;                /* multiplications up to which it packs no operand of real numbers; or 0 */
} tapegrad_blas;

typedef struct {
    int type;                       /* 0 to 3: float, double and their complex kinds; 4: bfloat16, not for a BLAS */
    int a_layout, b_layout;
    ptrdiff_t m, n, k;              /* (m, k) times (k, n) */
    const char *a, *b;
    char *c;
    ptrdiff_t lda, ldb, ldc;        /* elements from one row (of what lies in memory) to the next */
    int adds;                       /* `scale` times the product is added to C; real numbers only */
    double scale;
} tapegrad_matrices;

static const ptrdiff_t tapegrad_item_sizes[5] = {4, 8, 8, 16, 2};

#endif

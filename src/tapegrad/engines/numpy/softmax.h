/* Rows of softmax and of what is made of it, for `float`, `double` and bfloat16, called half.

   Exponentials are taken in the row's place, or those of halves beside it, while the row is in the first cache. Sums are
   kept in lanes and end in double precision. A result of halves is that of floats, rounded once. */

#ifndef TAPEGRAD_SOFTMAX_H
#define TAPEGRAD_SOFTMAX_H

#include "reductions.h"

enum { TAPEGRAD_BLOCK = 1024 /* terms that are added up in single precision */ };

typedef struct {
    npy_intp n;                 /* elements of a row */
    const void *x;              /* the first argument */
    const void *y;              /* the second, which cross entropy calls labels; of logsumexp's gradient a number for each row */
    const npy_intp *labels;     /* the second of sparse cross entropy: a column of each row */
    void *loss;                 /* an element for each row, or NULL */
    void *out;
    int failed;                 /* set where there was no memory, by any thread */
} tapegrad_rows;

typedef struct {
    void (*softmax)(void *context, ptrdiff_t begin, ptrdiff_t end);
    void (*log_softmax)(void *context, ptrdiff_t begin, ptrdiff_t end);
    void (*softmax_grad)(void *context, ptrdiff_t begin, ptrdiff_t end);
    void (*log_softmax_grad)(void *context, ptrdiff_t begin, ptrdiff_t end);
    void (*cross_entropy)(void *context, ptrdiff_t begin, ptrdiff_t end);
    void (*sparse_cross_entropy)(void *context, ptrdiff_t begin, ptrdiff_t end);
    void (*logsumexp)(void *context, ptrdiff_t begin, ptrdiff_t end);   /* into `loss` */
    void (*logsumexp_grad)(void *context, ptrdiff_t begin, ptrdiff_t end);
} tapegrad_softmax;

/* The tables of a kind of numbers: TAPEGRAD_OF_FLOAT, TAPEGRAD_OF_DOUBLE or TAPEGRAD_OF_HALF. */
const tapegrad_softmax *tapegrad_softmax_at(int kind, int level);

#endif

/* Which place each element of a row takes in the sorted row: equal elements keep their order, NaN is the largest.

   An element's rank is an unsigned integer, which is as large among others as the element is. A key has a rank above and
   a place below, so keys are distinct, and any sort of them is a stable one. */

#ifndef TAPEGRAD_ORDERS_H
#define TAPEGRAD_ORDERS_H

#include <numpy/arrayobject.h>
#include <stddef.h>

enum { TAPEGRAD_OF_FLOATS, TAPEGRAD_OF_DOUBLES, TAPEGRAD_OF_INTS, TAPEGRAD_OF_LONGS };

typedef struct {
    int kind;               /* of the elements, one of those above */
    int descending;
    int (*sort)(void *start, npy_intp n, void *array); /* NumPy's, of unsigned integers of 64 bits */
    const char *x, *dy;     /* contiguous rows; `dy` is NULL where places are wanted */
    char *out;              /* the elements of `dy`, moved back; else places, of 4 or 8 bytes */
    npy_intp n;
    int wide;               /* whether places have 8 bytes */
    int failed;             /* for want of memory */
} tapegrad_order;

/* Rows of elements, sorted by `sort`, which is NumPy's for their type. */
typedef struct {
    int (*sort)(void *start, npy_intp n, void *array);
    const char *x;
    char *out;
    npy_intp n, item;
    void *array;
} tapegrad_sorting;

/* NumPy's quick sort for elements of this kind, which uses the widest vectors of the processor. It needs no GIL for
   numbers. */
static inline int (*tapegrad_quick_sort(PyArray_Descr *descr))(void *, npy_intp, void *)
{
    return PyDataType_GetArrFuncs(descr)->sort[NPY_QUICKSORT];
}

void tapegrad_order_rows(void *context, ptrdiff_t begin, ptrdiff_t end);
void tapegrad_sort_rows(void *context, ptrdiff_t begin, ptrdiff_t end);

#endif

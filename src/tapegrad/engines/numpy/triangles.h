/* Small triangular systems, which solutions by larger triangles come down to: OpenBLAS solves by them one number at
   a time. */

#ifndef TAPEGRAD_TRIANGLES_H
#define TAPEGRAD_TRIANGLES_H

#include <numpy/npy_common.h>

#include "vectors.h"

enum { TAPEGRAD_TRIANGLE = 32 /* rows of the largest one */ };

typedef struct {
    /* The solution of L X = B in the place of B, a column in each lane. The rows of L lie `row` elements apart, its
       columns `column`, those of B `step`; steps are negative where an upper triangle is read from its last element.
       `ones`: L has ones on its diagonal, which are not read. */
    void (*substitute)(const void *triangle, npy_intp row, npy_intp column, npy_intp n, int ones, void *sides,
                       npy_intp step, npy_intp columns);
} tapegrad_triangles;

const tapegrad_triangles *tapegrad_triangles_at(int is_double, int level);

#endif

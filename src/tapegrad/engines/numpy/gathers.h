/* Rows taken out of an array by their indices, and rows added into an array.
 *
 * The callers check the indices. Rows for one target are added in the order of the indices, for any number of threads:
 * each thread has target rows of its own. */

#ifndef TAPEGRAD_GATHERS_H
#define TAPEGRAD_GATHERS_H

#include <numpy/npy_common.h>
#include <stddef.h>

typedef struct {
    char *target;
    const char *source, *indices;
    int index_size;
    npy_intp n;                        /* indices */
    npy_intp row;                      /* bytes */
    npy_intp source_row, source_outer; /* bytes from one row, and one item of the outer axes, to the next */
} tapegrad_gather;

/* The position of the first index that is not in [0, limit), or -1. */
npy_intp tapegrad_first_outside(const char *indices, int size, npy_intp n, npy_intp limit);
/* The rows `begin` to `end` of the result, the outer axes before the indices. */
void tapegrad_run_gather(void *context, ptrdiff_t begin, ptrdiff_t end);
/* Turn index vectors into indices of rows; returns the position of the first that is outside of `sizes`, or -1. */
npy_intp tapegrad_flatten(
    const char *vectors, int size, npy_intp n, int depth, const npy_intp *sizes, npy_int64 *numbers);

/* `row` is for a row of `count` numbers; `numbers` is for `n` rows of one number each, at their indices. */
typedef struct {
    void (*row)(char *target, const char *update, npy_intp count);
    void (*numbers)(char *target, const char *updates, npy_intp step, const char *indices, int size, npy_intp n);
} tapegrad_row;

/* Unsigned types serve all integers: their sums wrap around and have the same bits as sums of signed numbers. */
extern const tapegrad_row tapegrad_add_float, tapegrad_add_double, tapegrad_add_8, tapegrad_add_16,
    tapegrad_add_32, tapegrad_add_64, tapegrad_subtract_float, tapegrad_subtract_double, tapegrad_subtract_8,
    tapegrad_subtract_16, tapegrad_subtract_32, tapegrad_subtract_64, tapegrad_multiply_float,
    tapegrad_multiply_double, tapegrad_multiply_32, tapegrad_multiply_64, tapegrad_maximum_float,
    tapegrad_maximum_double, tapegrad_maximum_32, tapegrad_maximum_64, tapegrad_minimum_float,
    tapegrad_minimum_double, tapegrad_minimum_32, tapegrad_minimum_64, tapegrad_update_bytes;

typedef struct {
    char *target;
    const char *updates, *indices;
    int index_size;
    npy_intp n;                                       /* indices */
    npy_intp row, count;                              /* bytes of a row, and elements for `kernel` */
    npy_intp target_outer, update_row, update_outer;  /* bytes from one to the next */
    const tapegrad_row *kernel;
    npy_intp parts;                                   /* of the target's rows: a power of two */
    int shift;                                        /* rows that share a line of the cache share a part */
} tapegrad_scatter;

/* The parts `begin` to `end`, counted over all items of the outer axes. */
void tapegrad_run_scatter(void *context, ptrdiff_t begin, ptrdiff_t end);

#endif

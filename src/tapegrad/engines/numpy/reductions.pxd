cimport numpy as cnp
from libc.stdint cimport uint64_t

cdef enum:
    PART = 16_384               # elements, at least, of each part that a long reduction is cut into
    FEW = 64                    # results: where there are more, each is reduced in one part
    MOST_PARTS = 512            # of one result; of a row of results, an eighth of that
    SHORT = 16                  # elements of a run that is not worth a call of its own

cdef enum Operation:
    SUM, MEAN, MAX, MIN, PRODUCT, NORM, SQUARES, COUNT

# The operation over the axes in `mask`; reduced axes from `keep_from` on stay, with length 1. None where NumPy does it.
cdef object reduce(cnp.ndarray x, uint64_t mask, int keep_from, Operation operation)

# The same over ``axis``, as users give it. None for axes that are none, too.
cdef object along(object x, object axis, bint keepdims, Operation operation)

# `x` summed down to `shape`, which broadcasts to that of `x`: what undoes a broadcast. Gives `x` itself where there
# is nothing to sum, and None where the dtype is not float32 or float64.
cdef object reduce_sum_to(cnp.ndarray x, tuple shape)

# Which of the first four operations is the lane's, and over which axes; (-1, 0) for another lane, or other axes.
cdef (int, uint64_t) operation_of(object lane, tuple attributes, int ndim)

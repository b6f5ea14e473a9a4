cimport numpy as cnp

# The product of two arrays of one dtype over their last two axes, either of them transposed first; the axes
# before those broadcast. As `products.matmul`, for callers in compiled code. ValueError where shapes disagree.
cdef object matmul_arrays(cnp.ndarray a, cnp.ndarray b, bint transpose_a, bint transpose_b)

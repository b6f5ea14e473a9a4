cimport numpy as cnp

# Whether a lane is that of the product of two matrices, whose attributes say which of them is transposed first.
cdef bint is_matrix_lane(object lane) noexcept

# Products (m, k) times (k, n) that are added to a matrix in one go: whether that is done for this shape, and whether it gives
# the bits of the product and an addition after it.
cdef bint may_add(int type_num, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k) except -1
cdef bint adds_exactly(int type_num, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, bint transpose_a, bint transpose_b) except -1
cdef int add_product(
    cnp.ndarray a, cnp.ndarray b, bint transpose_a, bint transpose_b, double scale, cnp.ndarray out) except -1

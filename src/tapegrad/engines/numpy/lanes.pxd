cimport numpy as cnp
from cpython.ref cimport PyObject

# The result of an op for NumPy's arrays, its attributes in their order; None where the op's kernel has to do it.
ctypedef object (*LaneFunction)(PyObject** arrays, int count, tuple attributes)

cdef class Lane:
    """A compiled way through an op for the cases that are common, found before the op's kernel is tried."""

    cdef LaneFunction function

cdef Lane lane(LaneFunction function)

# Write the sizes of `shape` to `dims`, which has room for 32, and return how many; -1 unless it is a tuple of sizes.
cdef int read_shape(object shape, cnp.npy_intp* dims) except -2

# Whether what the lane gives is its first array as it is, where that has the shape of the result.
cdef bint keeps_array(Lane used) noexcept

# A view of `array` from `data` on; one may write to it where `writeable` says so and `array` allows it. C order where
# `strides` is NULL.
cdef object view(cnp.ndarray array, char* data, int ndim, cnp.npy_intp* dims, cnp.npy_intp* strides, bint writeable)

from cpython.ref cimport PyObject

# The result of an op for NumPy's arrays, its attributes in their order; None where the op's kernel has to do it.
ctypedef object (*LaneFunction)(PyObject** arrays, int count, tuple attributes)

cdef class Lane:
    """A compiled way through an op for the cases that are common, found before the op's kernel is tried."""

    cdef LaneFunction function

cdef Lane lane(LaneFunction function)

cimport numpy as cnp
from cpython.ref cimport PyObject

cdef class Buffer:
    """A block of memory on loan from the pool; arrays that use it hold it as their base."""

    cdef void* memory
    cdef int size_class

cdef enum:
    POOLED = 32768              # bytes; smaller arrays come from NumPy, whose own cache serves them

cdef object pooled_array(PyObject* descr, int ndim, cnp.npy_intp* dims, size_t size)
cdef bint solely_held(PyObject* array) noexcept

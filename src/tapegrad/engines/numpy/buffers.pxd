cimport numpy as cnp
from cpython.ref cimport PyObject

cdef class Buffer:
    """A block of memory on loan from the pool; arrays that use it hold it as their base."""

    cdef void* memory
    cdef int size_class

cdef enum:
    POOLED = 32768              # bytes; arrays of at least so many lie in blocks of the pool

cdef object new_array(PyObject* descr, int ndim, cnp.npy_intp* dims)
cdef cnp.ndarray empty_like(cnp.ndarray array)
cdef object pooled_array(PyObject* descr, int ndim, cnp.npy_intp* dims, size_t size)
cdef bint solely_held(PyObject* array) noexcept
cdef void recycle(PyObject* array) noexcept

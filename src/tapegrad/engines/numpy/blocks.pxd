cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.engines.numpy.loops cimport Loop
from tapegrad.engines.numpy.programs cimport Program, StepKind

cdef struct Micro:
    StepKind kind
    Loop* loop
    int count                   # of operands
    int operands[3]             # values
    int target                  # a value
    int size                    # bytes of an element of the result
    int step                    # bytes of an element of the operands, where all are arrays of one element; else 0

cdef class Block:
    """Elementwise steps on arrays of one shape, with several results, run block by block while they are in cache."""

    cdef readonly tuple shape
    cdef readonly int sources
    cdef readonly int outputs
    cdef readonly int registers
    cdef readonly int length
    cdef Micro* steps
    cdef list keep              # Programs, and Loops, that the steps point into
    cdef list descrs            # dtypes of the outputs
    cdef int ndim
    cdef cnp.npy_intp dims[64]
    cdef cnp.npy_intp size
    cdef Py_ssize_t grain

    cdef list run(self, PyObject** arrays)

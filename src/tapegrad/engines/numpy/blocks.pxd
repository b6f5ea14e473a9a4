cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.engines.numpy.passes cimport Fold, Micro
from tapegrad.engines.numpy.programs cimport Program

cdef class Block:
    """Elementwise steps on arrays of one shape, with several results, run block by block while they are in cache."""

    cdef readonly tuple shape
    cdef readonly int sources
    cdef readonly int outputs
    cdef readonly int registers
    cdef readonly int length
    cdef readonly int folds
    cdef Micro* steps
    cdef Fold* fold
    cdef list keep              # Programs, and Loops, that the steps point into
    cdef list origins           # (Program, number of its step), or (Loops, type number), of each step
    cdef list places            # of each step: its operands, first the sources, then the results of the steps
    cdef list results           # the steps whose results are outputs
    cdef list descrs            # dtypes of the outputs, and then of the folds
    cdef list fold_shapes
    cdef list fold_steps
    cdef bint* loose            # of each source: a loop reads it that computes the ends of rows otherwise
    cdef int ndim
    cdef cnp.npy_intp dims[64]
    cdef cnp.npy_intp size
    cdef cnp.npy_intp group     # elements that are run together: rows that are folded, or one part of a long fold
    cdef int widest             # bytes of an element of the widest register
    cdef Py_ssize_t grain

    cdef int set_fold(
        self, Fold* fold, int value, int operation, cnp.npy_intp length, object descr, bint even) except -1
    cdef list run(self, PyObject** arrays, PyObject** targets, int unseen)
    cdef list run_by_steps(self, PyObject** arrays, PyObject** targets)

# Whether each step of a program gives the same bits wherever an element lies in a row.
cdef bint all_even(Program program)

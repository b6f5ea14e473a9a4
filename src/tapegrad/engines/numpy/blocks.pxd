cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.engines.numpy.passes cimport Instruction, Pass, Reduction
from tapegrad.engines.numpy.programs cimport Program

cdef class Block:
    """Elementwise steps on arrays of one shape, with several results, run block by block while they are in cache."""

    cdef readonly tuple shape
    cdef readonly int sources
    cdef readonly int outputs
    cdef readonly int registers
    cdef readonly int length
    cdef readonly int reductions
    cdef readonly int joined    # steps that are parts of later ones
    cdef Instruction* steps
    cdef Reduction* reduction
    cdef list keep              # Programs, and Loops, that the steps point into
    cdef list origins           # (Program, number of its step), or (Loops, type number), of each step
    cdef list places            # of each step: its operands, first the sources, then the results of the steps
    cdef list results           # the steps whose results are outputs
    cdef list descrs            # dtypes of the outputs, and then of the reductions
    cdef list reduction_shapes
    cdef list reduction_steps
    cdef bint* loose            # of each source: a loop reads it that computes the ends of rows otherwise
    cdef int ndim
    cdef cnp.npy_intp dims[64]
    cdef cnp.npy_intp size
    cdef cnp.npy_intp group     # elements that are run together: rows that are reduced, or one part of a long reduction
    cdef int widest             # bytes of an element of the widest register
    cdef Py_ssize_t grain

    cdef list place_results(
        self, list all_operands, list results, list reductions, dict written, list last_use, list place)
    cdef list join_arithmetic(self, set needed)
    cdef int set_instruction(self, Instruction* instruction, object origin, object number, list operands) except -1
    cdef bint choose_length(self, Pass* work)
    cdef int set_reduction(
        self, Reduction* reduction, int value, int operation, cnp.npy_intp length, object descr, bint even) except -1
    cdef list run(self, PyObject** arrays, PyObject** targets, int unseen)
    cdef list run_by_steps(self, PyObject** arrays, PyObject** targets)

# Whether each step of a program gives the same bits wherever an element lies in a row.
cdef bint all_even(Program program)

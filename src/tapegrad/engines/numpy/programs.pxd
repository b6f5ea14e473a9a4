cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.engines.numpy.loops cimport Loop

cdef enum:
    MOST_STEPS = 24
    MOST_SOURCES = 24           # inputs and constants
    MOST_REGISTERS = 8          # of a block of intermediate results each

# What a step does: call a loop, or one of two things that are no loop of NumPy's.
cdef enum StepKind:
    CALL, SELECT, FROM_BOOL

cdef struct Step:
    StepKind kind
    Loop* loop
    int count                   # of operands
    int operands[3]             # below MOST_SOURCES a source, else a register
    int target                  # a register; -1 stands for the result
    int size                    # bytes of an element of its result

cdef class Program:
    """A composition of elementwise functions, run block by block while the blocks are in cache."""

    cdef readonly int inputs
    cdef readonly list constants        # arrays without axes
    cdef list keep                      # the Loops that the steps point into
    cdef readonly int length            # number of steps
    cdef Step steps[MOST_STEPS]
    cdef int types[MOST_SOURCES]        # NumPy's type number of each input
    cdef cnp.dtype out_dtype
    cdef int widest                     # bytes of the largest element of a register
    cdef Py_ssize_t grain
    cdef int passes                     # the input that is the result of a program without steps, else -1

    cdef object run(self, PyObject** arrays, int reusable)
    cdef object run_by_steps(self, PyObject** arrays)
    # The result for `arrays` of which some are bfloat16 where the program is for float32: they are widened, and the
    # result is rounded, block by block. None for other layouts than those of `run`.
    cdef object run_widened(self, PyObject** arrays)

cdef class Programs:
    """The programs of one function, for the types it has been called with."""

    cdef object trace           # (dtypes) -> Program, or None where there can be none
    cdef list programs          # Programs, or None where there can be none
    cdef list types             # for each of them the types it is for, as a tuple of type numbers
    cdef int last_types[MOST_SOURCES]
    cdef int last_count
    cdef Program last

    cdef dict of_halves         # (whether they are widened, types) -> the same for arguments with bfloat16 among them

    cdef Program find(self, PyObject** arrays, int count)
    # The program for arguments of which some are bfloat16: in which they count as float32 (see `Program.run_widened`),
    # or one that rounds the result of each step.
    cdef Program find_of_halves(self, PyObject** arrays, int count, bint widened)

cdef bint is_one_number(cnp.ndarray array) noexcept
cdef void run_select(char** args, cnp.npy_intp n, cnp.npy_intp* steps) noexcept nogil
cdef void run_from_bool(char** args, cnp.npy_intp n, cnp.npy_intp* steps) noexcept nogil

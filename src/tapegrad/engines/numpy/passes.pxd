cimport numpy as cnp

from tapegrad.engines.numpy.loops cimport Loop
from tapegrad.engines.numpy.reductions cimport Operation

cdef extern from "arithmetic.h" nogil:
    enum:
        ADD "TAPEGRAD_ADD"
        SUBTRACT "TAPEGRAD_SUBTRACT"
        MULTIPLY "TAPEGRAD_MULTIPLY"
        NEGATE "TAPEGRAD_NEGATE"
        MULTIPLY_NO_NAN "TAPEGRAD_MULTIPLY_NO_NAN"
        NOTHING "TAPEGRAD_NOTHING"
        SUBTRACT_FROM "TAPEGRAD_SUBTRACT_FROM"
        MULTIPLY_NO_NAN_BY "TAPEGRAD_MULTIPLY_NO_NAN_BY"
    ctypedef struct Arithmetic "tapegrad_arithmetic":
        pass
    Arithmetic arithmetic_at "tapegrad_arithmetic_at" (bint is_double, int level, int first, int second) noexcept
    void run_arithmetic "tapegrad_run_arithmetic" (
        const Arithmetic* arithmetic, char** operands, const cnp.npy_intp* steps, cnp.npy_intp n) noexcept

cdef enum:
    MOST_VALUES = 1200          # sources, outputs and registers together
    BUFFER = 8600               # doubles on the stack
    GAP = 64                    # bytes between registers, so that they do not lie a power of two apart
    LINE = 64                   # bytes of a line of the cache: registers of ALIGNED bytes begin with one
    ALIGNED = 1024
    MOST_SPREADS = 16           # operands that are copied into registers
    MOST_SPREAD_AXES = 6
    MOST_REDUCTIONS = 8
    MOST_STREAMS = 8            # arrays of which the next elements are asked for before they are needed
    EVEN = 64                   # loops treat what is left over beside whole vectors otherwise: blocks leave nothing over
    # Kinds of steps besides those of programs: one that moves a result to where it is written last; one that is part of a
    # later step; arithmetic, alone or of two steps; and arithmetic on single numbers, which takes less than a call.
    COPY = 3
    JOINED, ARITHMETIC
    ADD_FLOATS, SUBTRACT_FLOATS, MULTIPLY_FLOATS, ADD_DOUBLES, SUBTRACT_DOUBLES, MULTIPLY_DOUBLES

cdef struct Instruction:
    int kind                    # a StepKind of `programs`, or one of the above
    Loop* loop
    Arithmetic arithmetic       # and which two steps that is
    int first, second
    int count                   # of operands
    int operands[3]             # values
    int target                  # a value
    int size                    # bytes of an element of the result
    int step                    # bytes of an element of the first operand, where all are single numbers of ops; else 0
    bint even                   # gives the same bits wherever in a row an element lies
    bint whole                  # the result is written for every element, even if it is one number

cdef struct Reduction:
    int value                   # that is reduced
    Operation operation
    const void* kernel          # of `reductions.h`
    cnp.npy_intp length         # elements of each run
    cnp.npy_intp runs
    bint single                 # of float32, else of float64

cdef struct Spread:
    int value                   # the source
    char* data
    int item                    # bytes of an element
    int axes                    # at least one; the last has the elements that lie side by side, or are one number
    cnp.npy_intp dims[MOST_SPREAD_AXES]
    cnp.npy_intp strides[MOST_SPREAD_AXES]

cdef struct Pass:
    Instruction* steps
    int length
    int fixed                   # values that are arrays
    int registers
    int width                   # bytes of an element of a register
    int spreads
    int reductions
    int streams                 # values that are asked for ahead of time
    int stream[MOST_STREAMS]
    Py_ssize_t block            # elements at a time
    cnp.npy_intp size
    const Reduction* reduction
    cnp.npy_intp group, groups, run
    double* partial             # of each reduction, for each group of its one run; NULL where there are many runs
    char* reduction_out[MOST_REDUCTIONS]
    Spread spread[MOST_SPREADS]
    char* base[MOST_VALUES]
    cnp.npy_intp strides[MOST_VALUES]

cdef struct Registers:
    char* base[1216]            # MOST_VALUES + MOST_SPREADS
    cnp.npy_intp strides[MOST_VALUES]

cdef const void* kernel_for(Operation operation, bint is_double) noexcept nogil
cdef void find_streams(Pass* work) noexcept
cdef bint set_spread(Spread* spread, cnp.ndarray array, int ndim, cnp.npy_intp* dims, bint loose) noexcept

# The work on the elements, or on the groups, from ``begin`` to ``end``: ``context`` is a Pass.
cdef void run_instructions(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef void run_groups(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
cdef int finish_reductions(const Pass* work) except -1

cimport numpy as cnp
from libc.stddef cimport ptrdiff_t

from tapegrad.engines.numpy.loops cimport Loop

cdef extern from "epilogues.h" nogil:
    enum:
        MOST_STAGES "TAPEGRAD_MOST_STAGES"
        ADD_CHANNELS "TAPEGRAD_ADD_CHANNELS"
        MULTIPLY_CHANNELS "TAPEGRAD_MULTIPLY_CHANNELS"
        NORMALIZE "TAPEGRAD_NORMALIZE"
        ADD_ELEMENTS "TAPEGRAD_ADD_ELEMENTS"
        APPLY "TAPEGRAD_APPLY"

    ctypedef void (*StageFunction "tapegrad_stage_function")(
        char** operands, const ptrdiff_t* sizes, const ptrdiff_t* steps, void* data) noexcept nogil

    ctypedef struct Stage "tapegrad_stage":
        int kind
        const void* first
        const void* second
        const void* third
        StageFunction function
        void* data

    ctypedef struct Stages "tapegrad_epilogue":
        void (*run)(const Stages* epilogue, ptrdiff_t first, ptrdiff_t rows) noexcept nogil
        void* result
        ptrdiff_t channels
        int count
        Stage* stages

cdef class Epilogue:
    """Stages with their operands, for one call of a convolution."""

    cdef Stages stages
    cdef int type_num
    cdef list held              # arrays that the stages read
    cdef cnp.ndarray elements   # the operand that must have the shape of the result; None without one

    cdef Stage* next_stage(self, int kind) except NULL
    cdef bint is_plain(self, cnp.ndarray array) noexcept
    cdef bint is_vector(self, cnp.ndarray array) noexcept

    # These add a stage. They return False where an operand is not laid out as the loops need it.
    cdef bint add_channels(self, int kind, cnp.ndarray vector)
    cdef bint add_normalization(
        self, cnp.ndarray mean, cnp.ndarray variance, cnp.ndarray offset, cnp.ndarray scale, double epsilon)
    cdef bint add_elements(self, cnp.ndarray other)
    cdef bint add_loop(self, Loop* loop)

    # Whether the stages fit the result `out`, over which they will go.
    cdef bint fits(self, cnp.ndarray out)

cdef Epilogue new_epilogue(int type_num, ptrdiff_t channels)

"""What follows a convolution in a recording, done to each piece of its result while that is in cache.

See `epilogues.h`. `core.joining` says which stages there are; `convolution` and `windows` run them.
"""

cimport cython
cimport numpy as cnp
from libc.stddef cimport ptrdiff_t

from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.loops cimport Loop
from tapegrad.engines.numpy.norms cimport inverse_deviations

cnp.import_array()

cdef extern from "epilogues.h" nogil:
    ctypedef void (*RunStages "tapegrad_run_epilogue")(
        const Stages* epilogue, ptrdiff_t first, ptrdiff_t rows) noexcept nogil

    RunStages stages_at "tapegrad_epilogue_at" (bint is_double, int level) noexcept


cdef Epilogue new_epilogue(int type_num, ptrdiff_t channels):
    """No stages yet, for results of float32 or float64."""
    cdef Epilogue epilogue = Epilogue.__new__(Epilogue)
    epilogue.type_num = type_num
    epilogue.held = []
    epilogue.stages.run = stages_at(type_num == cnp.NPY_DOUBLE, level)
    epilogue.stages.channels = channels
    epilogue.stages.count = 0
    return epilogue


@cython.final
cdef class Epilogue:
    cdef Stage* next_stage(self, int kind) except NULL:
        cdef Stage* stage = &self.stages.stages[self.stages.count]
        if self.stages.count == MOST_STAGES:
            raise ValueError("an epilogue has no room for more stages")
        self.stages.count += 1
        stage.kind = kind
        return stage

    cdef bint is_plain(self, cnp.ndarray array) noexcept:
        return cnp.PyArray_TYPE(array) == self.type_num and cnp.PyArray_ISCARRAY_RO(array)

    cdef bint is_vector(self, cnp.ndarray array) noexcept:
        return self.is_plain(array) and cnp.PyArray_SIZE(array) == self.stages.channels

    cdef bint add_channels(self, int kind, cnp.ndarray vector):
        if not self.is_vector(vector):
            return False
        self.next_stage(kind).first = cnp.PyArray_DATA(vector)
        self.held.append(vector)
        return True

    cdef bint add_normalization(
            self, cnp.ndarray mean, cnp.ndarray variance, cnp.ndarray offset, cnp.ndarray scale, double epsilon):
        cdef cnp.ndarray factor
        cdef Stage* stage
        if not (self.is_vector(mean) and self.is_vector(variance) and self.is_vector(offset) and self.is_vector(scale)):
            return False
        factor = inverse_deviations(variance, scale, epsilon)
        stage = self.next_stage(NORMALIZE)
        stage.first = cnp.PyArray_DATA(mean)
        stage.second = cnp.PyArray_DATA(factor)
        stage.third = cnp.PyArray_DATA(offset)
        self.held += [mean, factor, offset]
        return True

    cdef bint add_elements(self, cnp.ndarray other):
        if self.elements is not None or not self.is_plain(other):
            return False
        self.elements = other
        self.next_stage(ADD_ELEMENTS).first = cnp.PyArray_DATA(other)
        return True

    cdef bint add_loop(self, Loop* loop):
        cdef Stage* stage
        if loop.out_type != self.type_num:
            return False
        stage = self.next_stage(APPLY)
        stage.function = <StageFunction>loop.function
        stage.data = loop.data
        return True

    cdef bint fits(self, cnp.ndarray out):
        cdef int ndim = cnp.PyArray_NDIM(out)
        if cnp.PyArray_TYPE(out) != self.type_num or cnp.PyArray_DIMS(out)[ndim - 1] != self.stages.channels:
            return False
        return self.elements is None or (<object>self.elements).shape == (<object>out).shape

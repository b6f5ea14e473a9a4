"""Lanes of the convolutions and of their gradients, with channels last, for shapes that the kernels have seen.

What a convolution needs besides its arrays depends on shapes and attributes alone. The kernels find it out, and
`remember` lets the lane take the next call with the same ones.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.engines.numpy.epilogues cimport Epilogue
from tapegrad.engines.numpy.finite cimport all_finite
from tapegrad.engines.numpy.lanes cimport Lane, lane

from tapegrad.engines.numpy.convolution import convolution, convolution_by_filter, convolution_by_input
from tapegrad.engines.numpy.quiet import ignored, variable as error_settings
from tapegrad.engines.numpy.windows import depthwise, depthwise_by_filter, depthwise_by_input

cnp.import_array()

cdef enum:
    MOST_KNOWN = 1024           # calls that each kind remembers
    NOWHERE = -1


cdef class Kind:
    """A kind of convolution or of gradient, and the calls of it that the kernels have seen."""

    cdef object function
    cdef int shape_at           # which argument is the shape of the input or filter whose gradient is asked for
    cdef dict known             # shapes and attributes -> (that shape, the steps that the function takes last)

    def __cinit__(self, function, int shape_at):
        self.function = function
        self.shape_at = shape_at
        self.known = {}

    cdef object run(self, PyObject** arrays, tuple attributes, Epilogue epilogue=None, tuple paddings=None):
        cdef cnp.ndarray first = <cnp.ndarray>arrays[0], second = <cnp.ndarray>arrays[1]
        cdef int type_num = cnp.PyArray_TYPE(first)
        cdef tuple known_call, shape = (<object>first).shape, steps
        if type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or cnp.PyArray_TYPE(second) != type_num:
            return None
        if paddings is not None:
            # Zeros of the convolution's own padding take no part, even times infinity. These would.
            if len(paddings) != len(shape) or not all_finite(second):
                return None
            shape = tuple([size + before + after for size, (before, after) in zip(shape, paddings, strict=True)])
        try:
            known_call = self.known.get((shape, (<object>second).shape, attributes))
        except TypeError:
            return None         # an attribute that has no hash: the kernel knows what to say
        if known_call is None:
            return None
        token = error_settings.set(ignored)
        try:
            if self.shape_at == 0:
                return self.function(known_call[0], first, second, known_call[1])
            if self.shape_at == 1:
                return self.function(first, known_call[0], second, known_call[1])
            steps = known_call[1]
            if paddings is not None:
                own = tuple([low + before for low, (before, _) in zip(steps[2], paddings[1:len(paddings) - 1], strict=True)])
                steps = (steps[0], steps[1], own, steps[3])
            return self.function(first, second, steps, epilogue)
        finally:
            error_settings.reset(token)



cdef Kind of_convolution = Kind(convolution, NOWHERE)
cdef Kind of_convolution_by_input = Kind(convolution_by_input, 0)
cdef Kind of_convolution_by_filter = Kind(convolution_by_filter, 1)
cdef Kind of_depthwise = Kind(depthwise, NOWHERE)
cdef Kind of_depthwise_by_input = Kind(depthwise_by_input, 0)
cdef Kind of_depthwise_by_filter = Kind(depthwise_by_filter, 1)


def remember(str kind not None, tuple first not None, tuple second not None, tuple attributes not None, shape, tuple steps not None):
    """Let the lane of ``kind`` take arrays of the shapes ``first`` and ``second`` where the op has these attributes.

    ``shape`` is that of the input or filter whose gradient is asked for, and None for a convolution; ``steps`` is what
    the function named ``kind`` takes last.
    """
    cdef dict known = (<Kind>KINDS[kind]).known
    if len(known) >= MOST_KNOWN:
        known.clear()
    known[(first, second, attributes)] = (shape, steps)


cdef object run_convolution(PyObject** arrays, int count, tuple attributes):
    return of_convolution.run(arrays, attributes)


cdef object run_convolution_by_input(PyObject** arrays, int count, tuple attributes):
    return of_convolution_by_input.run(arrays, attributes)


cdef object run_convolution_by_filter(PyObject** arrays, int count, tuple attributes):
    return of_convolution_by_filter.run(arrays, attributes)


cdef object run_depthwise(PyObject** arrays, int count, tuple attributes):
    return of_depthwise.run(arrays, attributes)


cdef object run_depthwise_by_input(PyObject** arrays, int count, tuple attributes):
    return of_depthwise_by_input.run(arrays, attributes)


cdef object run_depthwise_by_filter(PyObject** arrays, int count, tuple attributes):
    return of_depthwise_by_filter.run(arrays, attributes)


cdef bint takes_epilogue(Lane used) noexcept:
    return used is not None and (used.function == run_convolution or used.function == run_depthwise)


cdef object run_with_epilogue(Lane used, PyObject** arrays, tuple attributes, Epilogue epilogue, tuple paddings):
    cdef Kind kind = of_depthwise if used.function == run_depthwise else of_convolution
    return kind.run(arrays, attributes, epilogue, paddings)


cdef dict KINDS = {
    "convolution": of_convolution,
    "convolution_by_input": of_convolution_by_input,
    "convolution_by_filter": of_convolution_by_filter,
    "depthwise": of_depthwise,
    "depthwise_by_input": of_depthwise_by_input,
    "depthwise_by_filter": of_depthwise_by_filter,
}

LANES: dict[str, Lane] = {
    "convolution": lane(run_convolution),
    "convolution_by_input": lane(run_convolution_by_input),
    "convolution_by_filter": lane(run_convolution_by_filter),
    "depthwise": lane(run_depthwise),
    "depthwise_by_input": lane(run_depthwise_by_input),
    "depthwise_by_filter": lane(run_depthwise_by_filter),
}

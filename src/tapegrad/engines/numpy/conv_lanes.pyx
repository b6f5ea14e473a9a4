"""Lanes of the convolutions and of their gradients, with channels last, for shapes that the kernels have seen.

What a convolution needs besides its arrays depends on shapes and attributes alone. The kernels find it out, and
`remember` lets the lane take the next call with the same ones.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.engines.numpy.lanes cimport Lane, lane

from tapegrad.engines.numpy.convolution import convolution, convolution_by_filter, convolution_by_input
from tapegrad.engines.numpy.windows import depthwise, depthwise_by_filter, depthwise_by_input

cnp.import_array()

cdef enum:
    MOST_KNOWN = 1024           # calls that each kind remembers

cdef dict known_convolutions = {}
cdef dict known_by_input = {}
cdef dict known_by_filter = {}
cdef dict known_depthwise = {}
cdef dict known_depthwise_by_input = {}
cdef dict known_depthwise_by_filter = {}
cdef dict known_of = {
    "convolution": known_convolutions,
    "convolution_by_input": known_by_input,
    "convolution_by_filter": known_by_filter,
    "depthwise": known_depthwise,
    "depthwise_by_input": known_depthwise_by_input,
    "depthwise_by_filter": known_depthwise_by_filter,
}


def remember(str kind not None, tuple first not None, tuple second not None, tuple attributes not None, shape, tuple steps not None):
    """Let the lane of ``kind`` take arrays of the shapes ``first`` and ``second`` where the op has these attributes.

    ``shape`` is that of the input or filter whose gradient is asked for, and None for a convolution; ``steps`` is what
    the function named ``kind`` takes last.
    """
    cdef dict known = known_of[kind]
    if len(known) >= MOST_KNOWN:
        known.clear()
    known[(first, second, attributes)] = (shape, steps)


cdef tuple find(PyObject** arrays, tuple attributes, dict known):
    cdef cnp.ndarray first = <cnp.ndarray>arrays[0], second = <cnp.ndarray>arrays[1]
    cdef int type_num = cnp.PyArray_TYPE(first)
    if type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or cnp.PyArray_TYPE(second) != type_num:
        return None
    try:
        return known.get(((<object>first).shape, (<object>second).shape, attributes))
    except TypeError:
        return None             # an attribute that has no hash: the kernel knows what to say


cdef object run_convolution(PyObject** arrays, int count, tuple attributes):
    cdef tuple found = find(arrays, attributes, known_convolutions)
    return None if found is None else convolution(<object>arrays[0], <object>arrays[1], found[1])


cdef object run_by_input(PyObject** arrays, int count, tuple attributes):
    cdef tuple found = find(arrays, attributes, known_by_input)
    return None if found is None else convolution_by_input(found[0], <object>arrays[0], <object>arrays[1], found[1])


cdef object run_by_filter(PyObject** arrays, int count, tuple attributes):
    cdef tuple found = find(arrays, attributes, known_by_filter)
    return None if found is None else convolution_by_filter(<object>arrays[0], found[0], <object>arrays[1], found[1])


cdef object run_depthwise(PyObject** arrays, int count, tuple attributes):
    cdef tuple found = find(arrays, attributes, known_depthwise)
    return None if found is None else depthwise(<object>arrays[0], <object>arrays[1], found[1])


cdef object run_depthwise_by_input(PyObject** arrays, int count, tuple attributes):
    cdef tuple found = find(arrays, attributes, known_depthwise_by_input)
    return None if found is None else depthwise_by_input(found[0], <object>arrays[0], <object>arrays[1], found[1])


cdef object run_depthwise_by_filter(PyObject** arrays, int count, tuple attributes):
    cdef tuple found = find(arrays, attributes, known_depthwise_by_filter)
    return None if found is None else depthwise_by_filter(<object>arrays[0], found[0], <object>arrays[1], found[1])


LANES: dict[str, Lane] = {
    "convolution": lane(run_convolution),
    "convolution_by_input": lane(run_by_input),
    "convolution_by_filter": lane(run_by_filter),
    "depthwise": lane(run_depthwise),
    "depthwise_by_input": lane(run_depthwise_by_input),
    "depthwise_by_filter": lane(run_depthwise_by_filter),
}

"""Elementwise kernels that take plain numbers beside their arrays, or several steps, as lanes of their ops."""

cimport numpy as cnp
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.engines.numpy.buffers cimport empty_like
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.loops cimport Loop, Loops, run_binary, run_unary
from tapegrad.engines.numpy.threads cimport Body, run_units
from tapegrad.engines.numpy.types cimport BUILTIN_TYPES

cnp.import_array()

cdef extern from "slopes.h" nogil:
    ctypedef struct Sloped "tapegrad_sloped":
        const void* x
        const void* y
        const void* z
        void* out
        double number, second
    ctypedef struct Kernels "tapegrad_slopes":
        Body leaky_relu, leaky_relu_grad, clip, clip_grad, quotient_slope
    const Kernels* kernels_at "tapegrad_slopes_at" (bint is_double, int level) noexcept

cdef enum:
    GRAIN = 32_768              # elements for which a thread is worth it

cdef Loops differences = Loops(np.subtract), squares = Loops(np.square)
cdef Loops minima = Loops(np.minimum), maxima = Loops(np.maximum)


cdef enum Function:
    LEAKY_RELU, LEAKY_RELU_GRAD, CLIP, CLIP_GRAD, QUOTIENT_SLOPE


cdef bint have_same_layout(cnp.ndarray x, cnp.ndarray y) noexcept:
    """Whether both are C arrays of one type and one shape."""
    return (cnp.PyArray_TYPE(x) == cnp.PyArray_TYPE(y) and cnp.PyArray_ISCARRAY_RO(x) and cnp.PyArray_ISCARRAY_RO(y)
            and cnp.PyArray_SAMESHAPE(x, y))


cdef object run(Function function, cnp.ndarray x, cnp.ndarray y, cnp.ndarray z, double number, double second):
    """None for other dtypes and layouts than those of the kernels."""
    cdef cnp.ndarray out
    cdef const Kernels* kernels
    cdef int type_num = cnp.PyArray_TYPE(x)
    cdef Sloped work
    cdef Body body
    if not (type_num in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE) and have_same_layout(x, y) and have_same_layout(x, z)):
        return None
    out = empty_like(x)
    kernels = kernels_at(type_num == cnp.NPY_DOUBLE, level)
    if function == LEAKY_RELU:
        body = kernels.leaky_relu
    elif function == LEAKY_RELU_GRAD:
        body = kernels.leaky_relu_grad
    elif function == QUOTIENT_SLOPE:
        body = kernels.quotient_slope
    else:
        body = kernels.clip if function == CLIP else kernels.clip_grad
    work.x = cnp.PyArray_DATA(x)
    work.y = cnp.PyArray_DATA(y)
    work.z = cnp.PyArray_DATA(z)
    work.out = cnp.PyArray_DATA(out)
    work.number = number
    work.second = second
    run_units(body, &work, cnp.PyArray_SIZE(x), 1, GRAIN)
    return out


cdef object run_leaky_relu(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0]
    return run(LEAKY_RELU, x, x, x, attributes[0], 0)


cdef object run_leaky_relu_grad(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0]
    return run(LEAKY_RELU_GRAD, x, <cnp.ndarray>arrays[1], x, attributes[0], 0)


cdef bint read_bound(cnp.ndarray bound, int type_num, double* number) noexcept:
    """Whether the bound is a number of that type, and not NaN."""
    if (cnp.PyArray_NDIM(bound) != 0 or cnp.PyArray_TYPE(bound) != type_num or not cnp.PyArray_ISCARRAY_RO(bound)):
        return False
    if type_num == cnp.NPY_FLOAT:
        number[0] = (<float*>cnp.PyArray_DATA(bound))[0]
    elif type_num == cnp.NPY_DOUBLE:
        number[0] = (<double*>cnp.PyArray_DATA(bound))[0]
    else:
        return False
    return number[0] == number[0]


cdef object clipped(Function function, cnp.ndarray x, cnp.ndarray y, cnp.ndarray low, cnp.ndarray high):
    cdef double least, most
    cdef Loop* smaller
    cdef Loop* larger
    if (function == CLIP and cnp.PyArray_TYPE(x) >= BUILTIN_TYPES and cnp.PyArray_TYPE(x) == cnp.PyArray_TYPE(low)
            and cnp.PyArray_TYPE(x) == cnp.PyArray_TYPE(high) and cnp.PyArray_NDIM(low) == 0
            and cnp.PyArray_NDIM(high) == 0):
        smaller = minima.find_half(<cnp.dtype>cnp.PyArray_DESCR(x))
        larger = maxima.find_half(<cnp.dtype>cnp.PyArray_DESCR(x))
        return None if smaller == NULL or larger == NULL else run_binary(larger, run_binary(smaller, x, high), low)
    if (not read_bound(low, cnp.PyArray_TYPE(x), &least) or not read_bound(high, cnp.PyArray_TYPE(x), &most)):
        return None
    return run(function, x, y, x, least, most)


cdef object run_clip(PyObject** arrays, int count, tuple attributes):
    return clipped(CLIP, <cnp.ndarray>arrays[0], <cnp.ndarray>arrays[0], <cnp.ndarray>arrays[1], <cnp.ndarray>arrays[2])


def clip_gradient(cnp.ndarray dy not None, cnp.ndarray x not None, cnp.ndarray low not None, cnp.ndarray high not None):
    """``dy`` where ``x`` is not beyond one of the two bounds, which are scalars; else 0. None for other layouts."""
    return clipped(CLIP_GRAD, dy, x, low, high)


def quotient_slope(xp, cnp.ndarray dy not None, cnp.ndarray y not None, cnp.ndarray out not None):
    """-out * dy / y without overflow on the way, and 0 where dy is 0: a fast form. None for other layouts."""
    return run(QUOTIENT_SLOPE, out, y, dy, 0, 0)


def quotient_slope_no_nan(xp, cnp.ndarray dy not None, cnp.ndarray y not None, cnp.ndarray out not None):
    """The same, and 0 where y is 0."""
    return run(QUOTIENT_SLOPE, out, y, dy, 1, 0)


cdef object run_squared_difference(PyObject** arrays, int count, tuple attributes):
    """Of bfloat16, rounded after each of both steps; None for other dtypes, and for shapes that differ."""
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], y = <cnp.ndarray>arrays[1]
    cdef Loop* subtract
    cdef Loop* square
    if (cnp.PyArray_TYPE(x) < BUILTIN_TYPES or cnp.PyArray_TYPE(x) != cnp.PyArray_TYPE(y)
            or not cnp.PyArray_SAMESHAPE(x, y)):
        return None
    subtract = differences.find_half(<cnp.dtype>cnp.PyArray_DESCR(x))
    square = squares.find_half(<cnp.dtype>cnp.PyArray_DESCR(x))
    if subtract == NULL or square == NULL:
        return None
    return run_unary(square, run_binary(subtract, x, y))


leaky_relu: Lane = lane(run_leaky_relu)
squared_difference: Lane = lane(run_squared_difference)
leaky_relu_grad: Lane = lane(run_leaky_relu_grad)
clip: Lane = lane(run_clip)

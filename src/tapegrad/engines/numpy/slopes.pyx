"""Elementwise kernels that take a plain number beside their arrays, as lanes of their ops."""

cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.engines.numpy.buffers cimport empty_like
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.threads cimport Body, parallel

cnp.import_array()

cdef extern from "slopes.h" nogil:
    ctypedef struct Sloped "tapegrad_sloped":
        const void* x
        const void* y
        void* out
        double number
    ctypedef struct Kernels "tapegrad_slopes":
        Body leaky_relu, leaky_relu_grad
    const Kernels* kernels_at "tapegrad_slopes_at" (bint is_double, int level) noexcept

cdef enum:
    GRAIN = 32_768              # elements for which a thread is worth it


cdef object run(bint by_second, PyObject** arrays, object number):
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], out
    cdef cnp.ndarray y = <cnp.ndarray>arrays[1] if by_second else x
    cdef const Kernels* kernels
    cdef int type_num = cnp.PyArray_TYPE(x)
    cdef Sloped work
    cdef Body body
    if not (type_num in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE) and type_num == cnp.PyArray_TYPE(y)
            and cnp.PyArray_ISCARRAY_RO(x) and cnp.PyArray_ISCARRAY_RO(y) and cnp.PyArray_SAMESHAPE(x, y)):
        return None
    out = empty_like(x)
    kernels = kernels_at(type_num == cnp.NPY_DOUBLE, level)
    body = kernels.leaky_relu_grad if by_second else kernels.leaky_relu
    work.x = cnp.PyArray_DATA(x)
    work.y = cnp.PyArray_DATA(y)
    work.out = cnp.PyArray_DATA(out)
    work.number = number
    if cnp.PyArray_SIZE(x) < GRAIN:
        body(&work, 0, cnp.PyArray_SIZE(x))
    else:
        with nogil:
            parallel(body, &work, cnp.PyArray_SIZE(x), GRAIN)
    return out


cdef object run_leaky_relu(PyObject** arrays, int count, tuple attributes):
    return run(False, arrays, attributes[0])


cdef object run_leaky_relu_grad(PyObject** arrays, int count, tuple attributes):
    return run(True, arrays, attributes[0])


leaky_relu: Lane = lane(run_leaky_relu)
leaky_relu_grad: Lane = lane(run_leaky_relu_grad)

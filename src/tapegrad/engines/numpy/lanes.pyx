"""Compiled ways through ops that are not elementwise, for arrays and attributes of the common kind.

A lane gives what the op's kernel gives, or None. Then the kernel is called, which knows the other cases and raises
the errors.
"""

cimport numpy as cnp
from cpython.ref cimport Py_INCREF, PyObject
from libc.string cimport memset

from tapegrad.engines.numpy.arrays cimport array_with_base
from tapegrad.engines.numpy.buffers cimport empty_like

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    # These two steal a reference to the dtype.
    object PyArray_Empty(int nd, cnp.npy_intp* dims, cnp.dtype dtype, int fortran)
    object PyArray_Zeros(int nd, cnp.npy_intp* dims, cnp.dtype dtype, int fortran)
    int PyArray_FillWithScalar(cnp.ndarray array, object value) except -1

cdef enum:
    MOST_AXES = 32
    LARGE = 1 << 30             # elements
    SMALL = 1 << 16


cdef class Lane:
    pass


cdef Lane lane(LaneFunction function):
    cdef Lane new_lane = Lane.__new__(Lane)
    new_lane.function = function
    return new_lane


cdef int read_shape(object shape, cnp.npy_intp* dims) except -2:
    """Write the sizes of ``shape`` to ``dims`` and return how many there are; -1 unless it is a tuple of sizes."""
    cdef Py_ssize_t i
    if type(shape) is not tuple or len(<tuple>shape) > MOST_AXES:
        return -1
    for i in range(len(<tuple>shape)):
        if type((<tuple>shape)[i]) is not int:
            return -1
        dims[i] = (<tuple>shape)[i]
        if dims[i] < 0:
            return -1
    return <int>len(<tuple>shape)


cdef object view(cnp.ndarray array, char* data, int ndim, cnp.npy_intp* dims, cnp.npy_intp* strides, bint writeable):
    cdef cnp.ndarray result
    # The view holds what `array` holds, as a block of the pool, so that `array` itself can go: see `solely_held`.
    cdef object base = array if cnp.PyArray_BASE(array) == NULL else <object>cnp.PyArray_BASE(array)
    cdef int flags = cnp.PyArray_FLAGS(array) & (cnp.NPY_ARRAY_WRITEABLE if writeable else 0)
    result = array_with_base(<PyObject*>cnp.PyArray_DESCR(array), ndim, dims, strides, data, flags, base)
    if strides == NULL:
        # Else NumPy has just found out whether the array is contiguous and aligned.
        cnp.PyArray_UpdateFlags(
            result, cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_F_CONTIGUOUS | cnp.NPY_ARRAY_ALIGNED)
    return result


cdef object run_reshape(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp size = 1
    cdef int i, ndim, open_axis = -1
    shape = attributes[0]
    if type(shape) is tuple and -1 in <tuple>shape:
        if (<tuple>shape).count(-1) > 1:
            return None
        open_axis = <int>(<tuple>shape).index(-1)
        shape = (<tuple>shape)[:open_axis] + (1,) + (<tuple>shape)[open_axis + 1:]
    ndim = read_shape(shape, dims)
    if ndim < 0 or not cnp.PyArray_IS_C_CONTIGUOUS(array):
        return None
    for i in range(ndim):
        if dims[i] != 0 and size > cnp.PyArray_SIZE(array) // dims[i]:
            return None
        size *= dims[i]
    if open_axis >= 0 and size > 0:
        dims[open_axis] = cnp.PyArray_SIZE(array) // size
        size *= dims[open_axis]
    if size != cnp.PyArray_SIZE(array) or size == 0:
        return None
    return view(array, cnp.PyArray_BYTES(array), ndim, dims, NULL, False)


cdef object run_broadcast(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp strides[MOST_AXES]
    cdef cnp.npy_intp length, size = 1
    cdef int i, j, ndim = read_shape(attributes[0], dims)
    if ndim < cnp.PyArray_NDIM(array):
        return None
    for i in range(ndim):
        if dims[i] > LARGE // size:
            return None         # the kernel finds out whether there is memory for it
        size *= max(dims[i], 1)
        j = i - ndim + cnp.PyArray_NDIM(array)
        length = cnp.PyArray_DIMS(array)[j] if j >= 0 else 1
        if length == dims[i]:
            strides[i] = cnp.PyArray_STRIDES(array)[j] if j >= 0 else 0
        elif length == 1:
            strides[i] = 0
        else:
            return None
    return view(array, cnp.PyArray_BYTES(array), ndim, dims, strides, False)


cdef object run_filled(PyObject** arrays, int count, tuple attributes):
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp size = 1
    cdef int i, ndim = read_shape(attributes[0], dims)
    cdef object value = attributes[1]
    cdef cnp.dtype dtype
    cdef cnp.ndarray out
    if ndim < 0 or type(value) is not int:
        return None
    for i in range(ndim):
        if dims[i] > SMALL // size:
            return None         # the kernel finds out whether there is memory for it
        size *= max(dims[i], 1)
    dtype = attributes[2].numpy_dtype
    Py_INCREF(dtype)
    if value == 0:
        return PyArray_Zeros(ndim, dims, dtype, 0)
    out = PyArray_Empty(ndim, dims, dtype, 0)
    PyArray_FillWithScalar(out, value)
    return out


cdef object run_zeros_like(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0], out
    if not cnp.PyArray_ISNUMBER(array) or cnp.PyArray_SIZE(array) > SMALL or not cnp.PyArray_ISNOTSWAPPED(array):
        return None
    out = empty_like(array)
    memset(cnp.PyArray_DATA(out), 0, cnp.PyArray_NBYTES(out))
    return out


cdef object run_same(PyObject** arrays, int count, tuple attributes):
    return <object>arrays[0]


filled = lane(run_filled)
same = lane(run_same)
zeros_like = lane(run_zeros_like)
reshape = lane(run_reshape)
broadcast_to = lane(run_broadcast)


cdef bint keeps_array(Lane used) noexcept:
    return used is not None and (
        used.function == run_same or used.function == run_reshape or used.function == run_broadcast)

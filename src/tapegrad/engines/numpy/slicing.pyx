"""Parts of arrays by basic indices: views, and gradients put back into zeros.

The common indices (integers, slices of integers, the ellipsis, new axes) are read here once, straight into
offsets and strides. Everything else, and every error, is left to NumPy and to the callers.
"""

cimport numpy as cnp
from cpython.ref cimport Py_INCREF, PyObject

import numpy as np

from tapegrad.engines.numpy.copies cimport copied, copy_block, descr_of, is_plain, zeros_array
from tapegrad.engines.numpy.lanes cimport Lane, lane

cnp.import_array()

cdef extern from *:
    """
    #define tapegrad_new_view(array, ndim, dims, strides, data)                                         \\
        (Py_INCREF(PyArray_DESCR(array)),                                                               \\
         PyArray_NewFromDescr(&PyArray_Type, PyArray_DESCR(array), ndim, dims, strides, data,           \\
                              PyArray_FLAGS(array) & NPY_ARRAY_WRITEABLE, NULL))
    """
    object new_view "tapegrad_new_view" (
        cnp.ndarray array, int ndim, cnp.npy_intp* dims, cnp.npy_intp* strides, char* data)

cdef extern from "numpy/arrayobject.h":
    int PyArray_SetBaseObject(cnp.ndarray array, object base) except -1

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object number, int* overflow)
    int PySlice_Unpack(object slice, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t* step) except -1
    Py_ssize_t PySlice_AdjustIndices(Py_ssize_t length, Py_ssize_t* start, Py_ssize_t* stop, Py_ssize_t step)
    ctypedef struct PySliceObject:
        PyObject* start
        PyObject* stop
        PyObject* step

cdef enum:
    MAX_DIMENSIONS = 64
    # A view keeps all of its array alive, and a variable's from being written in place: of an array above this
    # many bytes, a part of less than an eighth is copied.
    LARGE = 65_536

# Numbers beyond this are left to NumPy: sums of them with sizes still fit.
cdef Py_ssize_t FAR = <Py_ssize_t>1 << 60

cdef struct Place:
    int ndim
    cnp.npy_intp dims[MAX_DIMENSIONS]
    cnp.npy_intp strides[MAX_DIMENSIONS]
    char* data


cdef bint is_plain_end(PyObject* end) noexcept:
    cdef int overflow = 0
    if <object>end is None:
        return True
    if type(<object>end) is not int:
        return False
    # NumPy cuts larger numbers down to the size of an axis; an index of a tensor has 64 bits.
    PyLong_AsLongLongAndOverflow(<object>end, &overflow)
    return overflow == 0


cdef bint is_plain_slice(object part) noexcept:
    cdef PySliceObject* ends = <PySliceObject*>part
    return is_plain_end(ends.start) and is_plain_end(ends.stop) and is_plain_end(ends.step)


def plain_index(slice_spec):
    """``slice_spec`` as a basic index that leaves an array an array; None where it has to be looked at closely."""
    cdef tuple parts
    cdef bint open_end = True
    if type(slice_spec) is slice:
        return slice_spec if is_plain_slice(slice_spec) else None
    if type(slice_spec) is int:
        return (slice_spec, Ellipsis)
    if type(slice_spec) is not tuple:
        return None
    parts = <tuple>slice_spec
    for part in parts:
        if type(part) is slice:
            if not is_plain_slice(part):
                return None
        elif part is Ellipsis:
            if not open_end:
                return None
            open_end = False
        elif type(part) is not int and part is not None:
            return None
    return parts + (Ellipsis,) if open_end else parts


cdef bint locate(Place* place, cnp.ndarray array, object index) except -1:
    """Where ``index`` points to in ``array``; False where NumPy has to say."""
    cdef cnp.npy_intp* dims = cnp.PyArray_DIMS(array)
    cdef cnp.npy_intp* strides = cnp.PyArray_STRIDES(array)
    cdef int ndim = cnp.PyArray_NDIM(array), used = 0, axis = 0, out = 0
    cdef Py_ssize_t start, stop, step, length
    cdef tuple parts
    cdef bint open_end = False
    parts = <tuple>index if type(index) is tuple else (index,)
    for part in parts:
        if part is Ellipsis:
            if open_end:
                return False
            open_end = True
        elif part is not None:
            used += 1
    if used > ndim or ndim - used + len(parts) > MAX_DIMENSIONS:
        return False
    place.data = cnp.PyArray_BYTES(array)
    for part in parts:
        if type(part) is slice:
            if not is_plain_slice(part):
                return False
            if <object>(<PySliceObject*>part).step == 0:
                return False
            PySlice_Unpack(part, &start, &stop, &step)
            if step < -FAR or step > FAR:
                return False
            length = PySlice_AdjustIndices(dims[axis], &start, &stop, step)
            # NumPy moves no pointer for an empty part.
            if length > 0:
                place.data += start * strides[axis]
            place.dims[out] = length
            place.strides[out] = strides[axis] * step if length > 1 else strides[axis]
            axis += 1
            out += 1
        elif type(part) is int:
            try:
                start = part
            except OverflowError:
                return False
            if start < -dims[axis] or start >= dims[axis]:
                return False
            place.data += (start + dims[axis] if start < 0 else start) * strides[axis]
            axis += 1
        elif part is None:
            place.dims[out] = 1
            place.strides[out] = 0
            out += 1
        elif part is Ellipsis:
            for _ in range(ndim - used):
                place.dims[out] = dims[axis]
                place.strides[out] = strides[axis]
                axis += 1
                out += 1
        else:
            return False
    while axis < ndim:
        place.dims[out] = dims[axis]
        place.strides[out] = strides[axis]
        axis += 1
        out += 1
    place.ndim = out
    return True


cdef object view_of(cnp.ndarray array, Place* place):
    cdef cnp.ndarray view = new_view(array, place.ndim, place.dims, place.strides, place.data)
    Py_INCREF(array)
    PyArray_SetBaseObject(view, array)
    return view


cdef object kept_part(cnp.ndarray array, cnp.ndarray part):
    """``part`` of ``array``, as a copy where that is small and a view would keep a large array."""
    if cnp.PyArray_NBYTES(array) > LARGE and 8 * cnp.PyArray_NBYTES(part) < cnp.PyArray_NBYTES(array):
        return copied(part)
    return part


def part_of(array, index):
    """``array[index]``: a view, or a copy where that is small and a view would keep a large array alive.

    A variable whose array somebody holds on to is copied whole at its next assignment.
    """
    cdef Place place
    if isinstance(array, cnp.ndarray) and locate(&place, <cnp.ndarray>array, index):
        return kept_part(<cnp.ndarray>array, view_of(<cnp.ndarray>array, &place))
    part = array[index]
    return kept_part(array, part) if isinstance(part, cnp.ndarray) else part


def put(tuple shape not None, cnp.ndarray part not None, index):
    """Zeros of ``shape`` with ``part`` at the basic index ``index``; None if that place has another shape."""
    cdef cnp.ndarray whole
    cdef cnp.npy_intp dims[MAX_DIMENSIONS]
    cdef Place place
    cdef int i, ndim = len(shape)
    if not is_plain(part) or ndim > MAX_DIMENSIONS:
        whole = np.full(shape, b"" if part.dtype.hasobject else 0, part.dtype)
    else:
        for i in range(ndim):
            dims[i] = shape[i]
        whole = zeros_array(descr_of(part), ndim, dims)
        if locate(&place, whole, index):
            if place.ndim != cnp.PyArray_NDIM(part):
                return None
            for i in range(place.ndim):
                if place.dims[i] != cnp.PyArray_DIMS(part)[i]:
                    return None
            if cnp.PyArray_NBYTES(part) < LARGE:
                copy_block(place.data, place.strides, cnp.PyArray_BYTES(part), cnp.PyArray_STRIDES(part),
                           place.ndim, place.dims, cnp.PyArray_ITEMSIZE(part))
            else:
                with nogil:
                    copy_block(place.data, place.strides, cnp.PyArray_BYTES(part), cnp.PyArray_STRIDES(part),
                               place.ndim, place.dims, cnp.PyArray_ITEMSIZE(part))
            return whole
    target = whole[index]
    if target.shape != (<object>part).shape:
        return None
    target[...] = part
    return whole


def add_part(cnp.ndarray whole not None, part, tuple shape not None, index):
    """``whole[index] += part``, in place; False where they do not fit: `put` says why."""
    cdef Place place
    if (not isinstance(part, cnp.ndarray) or (<object>whole).shape != shape
            or cnp.PyArray_TYPE(<cnp.ndarray>part) != cnp.PyArray_TYPE(whole) or not locate(&place, whole, index)):
        return False
    target = view_of(whole, &place)
    if target.shape != part.shape:
        return False
    with np.errstate(all="ignore"):
        np.add(target, part, out=target)
    return True


def cut(cnp.ndarray array not None, sizes, int axis):
    """Views of ``array``, one after the other along ``axis``, so many slices each as ``sizes`` says.

    Their sum must not exceed the length of the axis.
    """
    cdef Place place
    cdef list parts = []
    cdef int ndim = cnp.PyArray_NDIM(array), i
    cdef Py_ssize_t size, left
    if not 0 <= axis < ndim or ndim > MAX_DIMENSIONS:
        raise ValueError("no such axis")
    place.ndim = ndim
    place.data = cnp.PyArray_BYTES(array)
    for i in range(ndim):
        place.dims[i] = cnp.PyArray_DIMS(array)[i]
        place.strides[i] = cnp.PyArray_STRIDES(array)[i]
    left = place.dims[axis]
    for item in sizes:
        size = item
        left -= size
        if size < 0 or left < 0:
            raise ValueError("the sizes exceed the axis")
        place.dims[axis] = size
        parts.append(view_of(array, &place))
        place.data += size * place.strides[axis]
    return parts


def slices(cnp.ndarray array not None, int axis):
    """Each slice of ``array`` along ``axis`` as a view that lacks it."""
    cdef Place place
    cdef list parts = []
    cdef int ndim = cnp.PyArray_NDIM(array), i
    cdef cnp.npy_intp number
    if not 0 <= axis < ndim or ndim > MAX_DIMENSIONS:
        raise ValueError("no such axis")
    place.ndim = ndim - 1
    place.data = cnp.PyArray_BYTES(array)
    for i in range(ndim - 1):
        place.dims[i] = cnp.PyArray_DIMS(array)[i + (i >= axis)]
        place.strides[i] = cnp.PyArray_STRIDES(array)[i + (i >= axis)]
    for number in range(cnp.PyArray_DIMS(array)[axis]):
        parts.append(view_of(array, &place))
        place.data += cnp.PyArray_STRIDES(array)[axis]
    return parts


# Lanes

cdef object run_take(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef Place place
    if not locate(&place, array, attributes[0]):
        return None
    return kept_part(array, view_of(array, &place))


cdef object run_put(PyObject** arrays, int count, tuple attributes):
    shape = attributes[0]
    return put(shape, <cnp.ndarray>arrays[0], attributes[1]) if type(shape) is tuple else None


take: Lane = lane(run_take)
put_back: Lane = lane(run_put)

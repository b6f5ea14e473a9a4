"""Parts of arrays by basic indices: views, and gradients written into zeros.

The common indices (integers, slices of integers, the ellipsis, new axes) are turned into offsets and strides here.
NumPy and the callers take care of all others, and raise the errors.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.engines.numpy.copies cimport copied, copy_block, descr_of, is_plain, zeros_array
from tapegrad.engines.numpy.lanes cimport Lane, lane, view

cnp.import_array()

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
    # A view keeps the memory of the whole array alive, and keeps a variable from being updated in place. So where an
    # array has more bytes than this, a part of less than an eighth of it is copied.
    LARGE = 65_536
    MANY = 4096                 # parts, of which so many need no look at the memory that is left

# NumPy handles larger steps. Sums of smaller ones with sizes do not overflow.
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
    # NumPy clips larger numbers to the size of the axis, but the index of a tensor has 64 bits.
    PyLong_AsLongLongAndOverflow(<object>end, &overflow)
    return overflow == 0


cdef bint is_plain_slice(object part) noexcept:
    cdef PySliceObject* ends = <PySliceObject*>part
    return is_plain_end(ends.start) and is_plain_end(ends.stop) and is_plain_end(ends.step)


def plain_index(slice_spec):
    """``slice_spec`` as a basic index that gives an array and no scalar; None if it has anything uncommon in it."""
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
    """Write the place of ``array[index]`` to ``place``; False where NumPy has to find it."""
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
            # NumPy does not move the pointer for an empty part.
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
    return view(array, place.data, place.ndim, place.dims, place.strides, True)


cdef object kept_part(cnp.ndarray array, cnp.ndarray part):
    """``part`` of ``array``; a copy of it if it is small and a view would keep a large array alive."""
    if cnp.PyArray_NBYTES(array) > LARGE and 8 * cnp.PyArray_NBYTES(part) < cnp.PyArray_NBYTES(array):
        return copied(part)
    return part


def part_of(array, index):
    """``array[index]``: a view, or a copy where that is small and a view would keep a large array alive.

    A variable is copied whole at its next assignment while a view of its array exists.
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
    """``whole[index] += part``, in place; False where the two do not fit. Then `put` raises the error."""
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
    """Views of ``array``, one after the other along ``axis``, with lengths from ``sizes``.

    The sum of the sizes must not exceed the length of the axis.
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
    """Views of all slices of ``array`` along ``axis``, without that axis."""
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


cdef int axis_of(cnp.ndarray array, object axis) noexcept:
    """The number of an axis, from the front; -1 where the kernel has to look at it."""
    cdef int ndim = cnp.PyArray_NDIM(array)
    if type(axis) is not int or not -ndim <= axis < ndim:
        return -1
    return axis + ndim if axis < 0 else axis


cdef object run_unpack(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef int axis = axis_of(array, attributes[1])
    if axis < 0 or cnp.PyArray_DIMS(array)[axis] > MANY:
        return None
    if attributes[0] is not None and attributes[0] != cnp.PyArray_DIMS(array)[axis]:
        return None
    return slices(array, axis)


cdef object run_split(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef int axis = axis_of(array, attributes[0])
    cdef Py_ssize_t number, length
    if axis < 0 or type(attributes[1]) is not int or not 0 < attributes[1] <= MANY:
        return None
    number = attributes[1]
    length = cnp.PyArray_DIMS(array)[axis]
    return cut(array, (length // number,) * number, axis) if length % number == 0 else None


take: Lane = lane(run_take)
put_back: Lane = lane(run_put)
split: Lane = lane(run_split)
unpack: Lane = lane(run_unpack)

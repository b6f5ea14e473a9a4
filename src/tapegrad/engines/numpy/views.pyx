"""Views of whole axes, as lanes of their ops: transposed, with axes of length 1 more or less, sliced, diagonals."""

cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.engines.numpy.lanes cimport Lane, lane, view

cnp.import_array()

cdef enum:
    MOST_AXES = 64


cdef object run_transpose(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp strides[MOST_AXES]
    cdef int ndim = cnp.PyArray_NDIM(array), i
    cdef Py_ssize_t axis
    cdef unsigned long long seen = 0
    perm = attributes[0]
    if perm is not None and (type(perm) is not tuple or len(<tuple>perm) != ndim):
        return None
    for i in range(ndim):
        axis = ndim - 1 - i
        if perm is not None:
            if type((<tuple>perm)[i]) is not int:
                return None
            axis = (<tuple>perm)[i]
            if not 0 <= axis < ndim or seen >> axis & 1:
                return None
            seen |= <unsigned long long>1 << axis
        dims[i] = cnp.PyArray_DIMS(array)[axis]
        strides[i] = cnp.PyArray_STRIDES(array)[axis]
    return view(array, cnp.PyArray_BYTES(array), ndim, dims, strides, False)


cdef object run_expand_dims(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp strides[MOST_AXES]
    cdef int ndim = cnp.PyArray_NDIM(array), i, place
    axis = attributes[0]
    if type(axis) is not int or not -ndim - 1 <= axis <= ndim or ndim + 1 > MOST_AXES:
        return None
    place = axis
    if place < 0:
        place += ndim + 1
    for i in range(ndim):
        dims[i + (i >= place)] = cnp.PyArray_DIMS(array)[i]
        strides[i + (i >= place)] = cnp.PyArray_STRIDES(array)[i]
    dims[place] = 1
    strides[place] = 0
    return view(array, cnp.PyArray_BYTES(array), ndim + 1, dims, strides, False)


cdef object run_squeeze(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp strides[MOST_AXES]
    cdef int ndim = cnp.PyArray_NDIM(array), i, left = 0
    cdef Py_ssize_t axis
    cdef unsigned long long dropped = 0
    axes = attributes[0]
    if axes is None or axes == ():
        for i in range(ndim):
            if cnp.PyArray_DIMS(array)[i] == 1:
                dropped |= <unsigned long long>1 << i
    elif type(axes) is tuple:
        for item in <tuple>axes:
            if type(item) is not int or not -ndim <= item < ndim:
                return None
            axis = item
            if axis < 0:
                axis += ndim
            if cnp.PyArray_DIMS(array)[axis] != 1:
                return None
            dropped |= <unsigned long long>1 << axis
    else:
        return None
    for i in range(ndim):
        if dropped >> i & 1:
            continue
        dims[left] = cnp.PyArray_DIMS(array)[i]
        strides[left] = cnp.PyArray_STRIDES(array)[i]
        left += 1
    return view(array, cnp.PyArray_BYTES(array), left, dims, strides, False)


cdef object run_slice(PyObject** arrays, int count, tuple attributes):
    """The block that begins at the first attribute and has the size that the second says; -1 is all the rest."""
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef int ndim = cnp.PyArray_NDIM(array), i
    cdef Py_ssize_t start, length
    cdef char* data = cnp.PyArray_BYTES(array)
    begin, size = attributes
    if type(begin) is not tuple or type(size) is not tuple or len(<tuple>begin) != ndim or len(<tuple>size) != ndim:
        return None
    for i in range(ndim):
        if type((<tuple>begin)[i]) is not int or type((<tuple>size)[i]) is not int:
            return None
        if not 0 <= (<tuple>begin)[i] <= cnp.PyArray_DIMS(array)[i]:
            return None
        start = (<tuple>begin)[i]
        if not -1 <= (<tuple>size)[i] <= cnp.PyArray_DIMS(array)[i] - start:
            return None
        length = (<tuple>size)[i]
        dims[i] = cnp.PyArray_DIMS(array)[i] - start if length == -1 else length
        # NumPy does not move the pointer for an empty part.
        if dims[i] > 0:
            data += start * cnp.PyArray_STRIDES(array)[i]
    return view(array, data, ndim, dims, cnp.PyArray_STRIDES(array), False)


cdef object run_diagonal(PyObject** arrays, int count, tuple attributes):
    """One diagonal of each matrix of the first array."""
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp strides[MOST_AXES]
    cdef cnp.npy_intp rows, columns
    cdef Py_ssize_t diagonal
    cdef int ndim = cnp.PyArray_NDIM(array), i
    cdef char* data = cnp.PyArray_BYTES(array)
    band = attributes[0]
    if ndim < 2 or type(band) is not tuple or band[0] != band[1] or cnp.PyArray_SIZE(<cnp.ndarray>arrays[1]) != 1:
        return None
    rows = cnp.PyArray_DIMS(array)[ndim - 2]
    columns = cnp.PyArray_DIMS(array)[ndim - 1]
    if not -rows < band[0] < columns:
        return None
    diagonal = band[0]
    for i in range(ndim - 2):
        dims[i] = cnp.PyArray_DIMS(array)[i]
        strides[i] = cnp.PyArray_STRIDES(array)[i]
    if diagonal >= 0:
        data += diagonal * cnp.PyArray_STRIDES(array)[ndim - 1]
        columns -= diagonal
    else:
        data -= diagonal * cnp.PyArray_STRIDES(array)[ndim - 2]
        rows += diagonal
    dims[ndim - 2] = min(rows, columns)
    strides[ndim - 2] = cnp.PyArray_STRIDES(array)[ndim - 2] + cnp.PyArray_STRIDES(array)[ndim - 1]
    return view(array, data, ndim - 1, dims, strides, False)


cdef object run_frames(PyObject** arrays, int count, tuple attributes):
    """Frames along the last axis: of the length that the first attribute says, the second apart, and how many."""
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp strides[MOST_AXES]
    cdef cnp.npy_intp size, number, length, step
    cdef int ndim = cnp.PyArray_NDIM(array), i
    if not 1 <= ndim < MOST_AXES or cnp.PyArray_SIZE(array) == 0:
        return None
    size = cnp.PyArray_DIMS(array)[ndim - 1]
    for attribute in attributes[:2]:
        if type(attribute) is not int or not 0 < attribute <= size:
            return None
    length, step = attributes[0], attributes[1]
    number = 1 + (size - length) // step
    if attributes[2] is not None and attributes[2] != number:
        return None
    for i in range(ndim - 1):
        dims[i] = cnp.PyArray_DIMS(array)[i]
        strides[i] = cnp.PyArray_STRIDES(array)[i]
    dims[ndim - 1] = number
    strides[ndim - 1] = cnp.PyArray_STRIDES(array)[ndim - 1] * step
    dims[ndim] = length
    strides[ndim] = cnp.PyArray_STRIDES(array)[ndim - 1]
    return view(array, cnp.PyArray_BYTES(array), ndim + 1, dims, strides, False)


transpose: Lane = lane(run_transpose)
frames: Lane = lane(run_frames)
expand_dims: Lane = lane(run_expand_dims)
squeeze: Lane = lane(run_squeeze)
slice_block: Lane = lane(run_slice)
diagonal: Lane = lane(run_diagonal)

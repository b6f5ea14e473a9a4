"""Copies: any layout into a contiguous one, several arrays into one, zeros around a part.

Elements are moved as bytes of their size, so one kernel serves all dtypes but Python objects, which NumPy
copies. Large copies are shared among threads and lie in memory of the pool.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.engines.numpy.buffers cimport POOLED, new_array
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.threads cimport parallel, run_units

cnp.import_array()

cdef extern from *:
    """
    #define tapegrad_descr(array) ((PyObject *)PyArray_DESCR(array))
    #define tapegrad_has_object(array) PyDataType_REFCHK(PyArray_DESCR(array))
    """
    PyObject* descr_of_ "tapegrad_descr" (cnp.ndarray array) noexcept
    bint has_object "tapegrad_has_object" (cnp.ndarray array) noexcept

cdef extern from "Python.h":
    ctypedef struct PyListObject:
        PyObject** ob_item

cdef extern from "copies.h" nogil:
    ctypedef struct Copy "tapegrad_copy":
        cnp.npy_intp item, length, strips, across, units
        int outer
    int plan_copy "tapegrad_plan_copy" (
        Copy* copy, char* target, const char* source, cnp.npy_intp item, int ndim, const cnp.npy_intp* dims,
        const cnp.npy_intp* target_strides, const cnp.npy_intp* source_strides) noexcept
    void run_copy "tapegrad_run_copy" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept
    void run_row "tapegrad_run_row" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept
    void run_clear "tapegrad_run_clear" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept
    int BLOCK "TAPEGRAD_BLOCK"
    enum:
        MOST_JOINED "TAPEGRAD_MOST_JOINED"
    ctypedef struct Joined "tapegrad_joined":
        char* target
        cnp.npy_intp row
        int count
        const char* sources[16]
        cnp.npy_intp parts[16]
    void run_joined "tapegrad_run_joined" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept

cdef enum:
    MAX_DIMENSIONS = 64
    GRAIN = 65_536              # bytes for which a thread is worth it
    LARGE = 1 << 28             # elements: the kernels find out whether there is memory for more
    MOST_ROLLED = 4             # axes: each doubles the blocks


cdef PyObject* descr_of(cnp.ndarray array) noexcept:
    """The dtype of ``array``, borrowed."""
    return descr_of_(array)


cdef object zeros_array(PyObject* descr, int ndim, cnp.npy_intp* dims):
    """`new_array` with every byte 0."""
    cdef cnp.ndarray array = new_array(descr, ndim, dims)
    cdef Py_ssize_t size = cnp.PyArray_NBYTES(array)
    run_units(run_clear, cnp.PyArray_BYTES(array), size, 1, GRAIN)
    return array


cdef bint is_plain(cnp.ndarray array) noexcept:
    """Whether the elements are bytes and nothing else: no Python objects."""
    return not has_object(array)


cdef void copy_block(char* target, cnp.npy_intp* target_strides, char* source, cnp.npy_intp* source_strides,
                     int ndim, cnp.npy_intp* dims, cnp.npy_intp item) noexcept nogil:
    """Every element of ``source`` into its place in ``target``; the two do not overlap."""
    cdef Copy copy
    cdef Py_ssize_t size
    if not plan_copy(&copy, target, source, item, ndim, dims, target_strides, source_strides):
        return
    if copy.units == 1 and not copy.across:
        parallel(run_row, &copy, copy.length, GRAIN // item)
        return
    size = copy.length * item * (min(copy.across, BLOCK) if copy.across else 1)
    parallel(run_copy, &copy, copy.units, (GRAIN + size - 1) // size)


cpdef object copied(object array):
    """A C-contiguous copy of ``array``."""
    cdef cnp.ndarray source, result
    if not isinstance(array, cnp.ndarray) or has_object(<cnp.ndarray>array):
        return np.array(array, order="C")
    source = <cnp.ndarray>array
    result = new_array(descr_of(source), cnp.PyArray_NDIM(source), cnp.PyArray_DIMS(source))
    put_part(cnp.PyArray_BYTES(result), cnp.PyArray_STRIDES(result), source)
    return result


cdef cnp.ndarray plain(object array):
    return cnp.PyArray_FROM_OF(array, cnp.NPY_ARRAY_CARRAY_RO | cnp.NPY_ARRAY_NOTSWAPPED)


cdef cnp.ndarray contiguous_of_type(object array, int type_num):
    return cnp.PyArray_FROMANY(array, type_num, 0, 0, cnp.NPY_ARRAY_CARRAY_RO | cnp.NPY_ARRAY_FORCECAST)


cpdef object contiguous(object array):
    """``array`` itself if its elements lie in C order and aligned, else a copy that does."""
    if (isinstance(array, cnp.ndarray) and cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>array)
            and cnp.PyArray_ISALIGNED(<cnp.ndarray>array)):
        return array
    return copied(array)


def reshape(array, tuple shape not None):
    """``array.reshape(shape)``; where that takes a copy, `copied` makes it."""
    if (not isinstance(array, cnp.ndarray) or cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>array)
            or cnp.PyArray_NBYTES(<cnp.ndarray>array) < POOLED or splits_axes(<cnp.ndarray>array, shape)):
        return array.reshape(shape)
    return copied(array).reshape(shape)


cdef bint splits_axes(cnp.ndarray array, tuple shape) except -1:
    """Whether an array of ``shape`` can be a view of ``array``: its axes are pieces of those that merge."""
    cdef cnp.npy_intp dims[MAX_DIMENSIONS]
    cdef cnp.npy_intp step = 0, merged
    cdef int axis, count = 0, i
    cdef Py_ssize_t j = 0
    for axis in range(cnp.PyArray_NDIM(array)):
        if cnp.PyArray_DIMS(array)[axis] == 1:
            continue
        if count > 0 and step == cnp.PyArray_STRIDES(array)[axis] * cnp.PyArray_DIMS(array)[axis]:
            dims[count - 1] *= cnp.PyArray_DIMS(array)[axis]
        else:
            dims[count] = cnp.PyArray_DIMS(array)[axis]
            count += 1
        step = cnp.PyArray_STRIDES(array)[axis]
    for i in range(count):
        merged = 1
        while merged < dims[i] and j < len(shape):
            merged *= <cnp.npy_intp>shape[j]
            j += 1
        if merged != dims[i]:
            return False
    return True


def zeros(shape, dtype=float):
    """What `numpy.zeros` gives, in memory of the pool where the array is large."""
    cdef cnp.dtype descr = cnp.dtype(dtype)
    cdef cnp.npy_intp dims[MAX_DIMENSIONS]
    cdef int i = 0
    if not isinstance(shape, tuple):
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if descr.hasobject or len(shape) > MAX_DIMENSIONS:
        return np.zeros(shape, descr)
    for length in shape:
        if length < 0:
            return np.zeros(shape, descr)       # which refuses it
        dims[i] = length
        i += 1
    return zeros_array(<PyObject*>descr, i, dims)


def join(arrays, axis):
    """``numpy.concatenate(arrays, axis)``; None unless the dtypes and all sizes except along ``axis`` are the same."""
    cdef list items = list(arrays)
    if not items:
        raise ValueError("at least one array was expected")
    return join_arrays((<PyListObject*>items).ob_item, len(items), axis)


cdef object join_arrays(PyObject** arrays, Py_ssize_t count, int axis):
    cdef cnp.ndarray first = <cnp.ndarray>arrays[0], part, result
    cdef cnp.npy_intp dims[MAX_DIMENSIONS]
    cdef cnp.npy_intp length = 0
    cdef int ndim = cnp.PyArray_NDIM(first), i
    cdef Py_ssize_t n
    cdef char* target
    if axis < 0:
        axis += ndim
    if not 0 <= axis < ndim:
        return None
    for n in range(count):
        part = <cnp.ndarray>arrays[n]
        if cnp.PyArray_NDIM(part) != ndim or not same_kind(part, first):
            return None
        for i in range(ndim):
            if i != axis and cnp.PyArray_DIMS(part)[i] != cnp.PyArray_DIMS(first)[i]:
                return None
        length += cnp.PyArray_DIMS(part)[axis]
    if has_object(first):
        return np.concatenate([<object>arrays[n] for n in range(count)], axis)
    for i in range(ndim):
        dims[i] = cnp.PyArray_DIMS(first)[i]
    dims[axis] = length
    result = new_array(descr_of(first), ndim, dims)
    if join_rows(result, arrays, count, axis):
        return result
    target = cnp.PyArray_BYTES(result)
    for n in range(count):
        part = <cnp.ndarray>arrays[n]
        put_part(target, cnp.PyArray_STRIDES(result), part)
        target += cnp.PyArray_DIMS(part)[axis] * cnp.PyArray_STRIDES(result)[axis]
    return result


cdef bint join_rows(cnp.ndarray result, PyObject** arrays, Py_ssize_t count, int axis) except -1:
    """Join contiguous arrays along an axis that is not the first; False where they do not lie so, or are many."""
    cdef Joined joined
    cdef cnp.npy_intp rows = 1
    cdef int i
    for i in range(axis):
        rows *= cnp.PyArray_DIMS(result)[i]
    if rows <= 1 or count > MOST_JOINED or cnp.PyArray_SIZE(result) == 0:
        return False
    for i in range(<int>count):
        if not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray>arrays[i]):
            return False
        joined.sources[i] = cnp.PyArray_BYTES(<cnp.ndarray>arrays[i])
        joined.parts[i] = cnp.PyArray_NBYTES(<cnp.ndarray>arrays[i]) // rows
    joined.target = cnp.PyArray_BYTES(result)
    joined.row = cnp.PyArray_NBYTES(result) // rows
    joined.count = <int>count
    run_units(run_joined, &joined, rows, joined.row, GRAIN)
    return True


cdef object stack_arrays(PyObject** arrays, Py_ssize_t count, int axis):
    """``numpy.stack(arrays, axis)``; None unless the dtypes and the shapes are the same."""
    cdef cnp.ndarray first = <cnp.ndarray>arrays[0], part, result
    cdef cnp.npy_intp dims[MAX_DIMENSIONS + 1]
    cdef cnp.npy_intp strides[MAX_DIMENSIONS]
    cdef int ndim = cnp.PyArray_NDIM(first), i
    cdef Py_ssize_t n
    cdef char* target
    if axis < 0:
        axis += ndim + 1
    if not 0 <= axis <= ndim or ndim == MAX_DIMENSIONS or has_object(first):
        return None
    for n in range(1, count):
        part = <cnp.ndarray>arrays[n]
        if cnp.PyArray_NDIM(part) != ndim or not same_kind(part, first):
            return None
        for i in range(ndim):
            if cnp.PyArray_DIMS(part)[i] != cnp.PyArray_DIMS(first)[i]:
                return None
    for i in range(ndim):
        dims[i + (i >= axis)] = cnp.PyArray_DIMS(first)[i]
    dims[axis] = count
    result = new_array(descr_of(first), ndim + 1, dims)
    for i in range(ndim):
        strides[i] = cnp.PyArray_STRIDES(result)[i + (i >= axis)]
    target = cnp.PyArray_BYTES(result)
    for n in range(count):
        put_part(target, strides, <cnp.ndarray>arrays[n])
        target += cnp.PyArray_STRIDES(result)[axis]
    return result


cdef int put_part(char* target, cnp.npy_intp* strides, cnp.ndarray part) except -1:
    """Copy ``part`` so that its first element comes to ``target``."""
    return move_block(
        target, strides, cnp.PyArray_BYTES(part), cnp.PyArray_STRIDES(part),
        cnp.PyArray_NDIM(part), cnp.PyArray_DIMS(part), cnp.PyArray_ITEMSIZE(part))


cdef bint same_kind(cnp.ndarray x, cnp.ndarray y) noexcept:
    """Whether both have the same dtype. Most often it is the same object: NumPy's own dtypes exist once."""
    return descr_of(x) == descr_of(y) or cnp.PyArray_EquivArrTypes(x, y)


# Lanes

cdef object run_concat(PyObject** arrays, int count, tuple attributes):
    axis = attributes[0]
    if type(axis) is not int or not -MAX_DIMENSIONS <= axis < MAX_DIMENSIONS or count < 2:
        return None
    return join_arrays(arrays, count, axis)


cdef object run_pack(PyObject** arrays, int count, tuple attributes):
    axis = attributes[0]
    if type(axis) is not int or not -MAX_DIMENSIONS <= axis < MAX_DIMENSIONS or count == 0:
        return None
    return stack_arrays(arrays, count, axis)


cdef object run_roll(PyObject** arrays, int count, tuple attributes):
    """Moved by the shifts along the axes of the second attribute: each axis that moves cuts the array into two blocks."""
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0], result
    cdef cnp.npy_intp dims[MAX_DIMENSIONS]
    cdef cnp.npy_intp shifts[MAX_DIMENSIONS]
    cdef int rolled[MOST_ROLLED]
    cdef int ndim = cnp.PyArray_NDIM(array), moving = 0, axis, block, i
    cdef long long steps
    cdef char* source
    cdef char* target
    shift, axes = attributes
    if (type(shift) is not tuple or type(axes) is not tuple or len(<tuple>shift) != len(<tuple>axes) or has_object(array)
            or cnp.PyArray_SIZE(array) == 0 or ndim == 0):
        return None
    for i in range(ndim):
        dims[i] = cnp.PyArray_DIMS(array)[i]
        shifts[i] = 0
    for i in range(<int>len(<tuple>shift)):
        if type((<tuple>shift)[i]) is not int or not -ndim <= (<tuple>axes)[i] < ndim:
            return None
        axis = (<tuple>axes)[i]
        if axis < 0:
            axis += ndim
        steps = <long long>(<tuple>shift)[i] % dims[axis]
        shifts[axis] = (shifts[axis] + steps + dims[axis]) % dims[axis]
    for i in range(ndim):
        if shifts[i] != 0:
            if moving == MOST_ROLLED:
                return None
            rolled[moving] = i
            moving += 1
    result = new_array(descr_of(array), ndim, cnp.PyArray_DIMS(array))
    for block in range(1 << moving):
        source = cnp.PyArray_BYTES(array)
        target = cnp.PyArray_BYTES(result)
        for i in range(moving):
            axis = rolled[i]
            if block >> i & 1:
                dims[axis] = shifts[axis]
                source += (cnp.PyArray_DIMS(array)[axis] - shifts[axis]) * cnp.PyArray_STRIDES(array)[axis]
            else:
                dims[axis] = cnp.PyArray_DIMS(array)[axis] - shifts[axis]
                target += shifts[axis] * cnp.PyArray_STRIDES(result)[axis]
        move_block(target, cnp.PyArray_STRIDES(result), source, cnp.PyArray_STRIDES(array), ndim, dims,
                   cnp.PyArray_ITEMSIZE(array))
    return result


cdef bint read_paddings(cnp.ndarray array, object paddings, int edge, cnp.npy_intp* before, cnp.npy_intp* dims) except -1:
    """Write how many elements come first along each axis, and the sizes of the result.

    False for what is left to NumPy, or to raise the error: paddings that are not plain numbers, Python objects, results
    that are too large; and paddings that reach beyond what is mirrored, which is all of an axis but for its ``edge``. An
    edge below 0 stands for paddings that mirror nothing.
    """
    cdef cnp.npy_intp size = 1, most
    cdef int axis
    if type(paddings) is not tuple or len(<tuple>paddings) != cnp.PyArray_NDIM(array) or has_object(array):
        return False
    for axis in range(cnp.PyArray_NDIM(array)):
        first, last = (<tuple>paddings)[axis]
        most = LARGE if edge < 0 else cnp.PyArray_DIMS(array)[axis] - edge
        if first > most or last > most or cnp.PyArray_DIMS(array)[axis] > LARGE:
            return False
        before[axis] = first
        dims[axis] = cnp.PyArray_DIMS(array)[axis] + before[axis] + <cnp.npy_intp>last
        if dims[axis] > LARGE // max(size, <cnp.npy_intp>1):
            return False
        size *= dims[axis]
    return True


cdef object run_pad(PyObject** arrays, int count, tuple attributes):
    """The array with zeros around it, or with the second array, a scalar."""
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0], result
    cdef cnp.npy_intp still[MAX_DIMENSIONS]
    cdef cnp.npy_intp dims[MAX_DIMENSIONS]
    cdef cnp.npy_intp before[MAX_DIMENSIONS]
    cdef int ndim = cnp.PyArray_NDIM(array), axis
    cdef char* inner
    if not read_paddings(array, attributes[0], -1, before, dims):
        return None
    if count == 2 and (cnp.PyArray_NDIM(<cnp.ndarray>arrays[1]) != 0 or not same_kind(array, <cnp.ndarray>arrays[1])):
        return None
    if count == 2:
        for axis in range(ndim):
            still[axis] = 0
        result = new_array(descr_of(array), ndim, dims)
        move_block(cnp.PyArray_BYTES(result), cnp.PyArray_STRIDES(result), cnp.PyArray_BYTES(<cnp.ndarray>arrays[1]), still,
                   ndim, dims, cnp.PyArray_ITEMSIZE(array))
    else:
        result = zeros_array(descr_of(array), ndim, dims)
    inner = cnp.PyArray_BYTES(result)
    for axis in range(ndim):
        inner += before[axis] * cnp.PyArray_STRIDES(result)[axis]
    put_part(inner, cnp.PyArray_STRIDES(result), array)
    return result


cdef object run_tile(PyObject** arrays, int count, tuple attributes):
    """The array repeated along each axis: each becomes two, along the first of which nothing changes."""
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0], result
    cdef cnp.npy_intp dims[MAX_DIMENSIONS]
    cdef cnp.npy_intp wide[MAX_DIMENSIONS]
    cdef cnp.npy_intp source_strides[MAX_DIMENSIONS]
    cdef cnp.npy_intp target_strides[MAX_DIMENSIONS]
    cdef cnp.npy_intp size = 1
    cdef int ndim = cnp.PyArray_NDIM(array), axis
    multiples = attributes[0]
    if (type(multiples) is not tuple or len(<tuple>multiples) != ndim or 2 * ndim > MAX_DIMENSIONS or has_object(array)
            or cnp.PyArray_SIZE(array) == 0):
        return None
    for axis in range(ndim):
        if not 0 < (<tuple>multiples)[axis] <= LARGE or cnp.PyArray_DIMS(array)[axis] > LARGE:
            return None
        wide[2 * axis] = (<tuple>multiples)[axis]
        wide[2 * axis + 1] = cnp.PyArray_DIMS(array)[axis]
        dims[axis] = wide[2 * axis] * wide[2 * axis + 1]
        if dims[axis] > LARGE // size:
            return None
        size *= dims[axis]
    result = new_array(descr_of(array), ndim, dims)
    for axis in range(ndim):
        source_strides[2 * axis] = 0
        source_strides[2 * axis + 1] = cnp.PyArray_STRIDES(array)[axis]
        target_strides[2 * axis] = cnp.PyArray_STRIDES(result)[axis] * wide[2 * axis + 1]
        target_strides[2 * axis + 1] = cnp.PyArray_STRIDES(result)[axis]
    move_block(cnp.PyArray_BYTES(result), target_strides, cnp.PyArray_BYTES(array), source_strides, 2 * ndim, wide,
               cnp.PyArray_ITEMSIZE(array))
    return result


cdef object run_mirror(PyObject** arrays, int count, tuple attributes):
    """The array with its own elements mirrored at the edges, with or without the edge itself."""
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0], result
    cdef cnp.npy_intp dims[MAX_DIMENSIONS]
    cdef cnp.npy_intp before[MAX_DIMENSIONS]
    cdef cnp.npy_intp backwards[MAX_DIMENSIONS]
    cdef cnp.npy_intp size, after, item = cnp.PyArray_ITEMSIZE(array)
    cdef cnp.npy_intp* strides
    cdef int ndim = cnp.PyArray_NDIM(array), axis
    cdef int edge = 1 if attributes[1] == "REFLECT" else 0
    cdef char* inner
    if cnp.PyArray_SIZE(array) == 0 or not read_paddings(array, attributes[0], edge, before, dims):
        return None
    result = new_array(descr_of(array), ndim, dims)
    strides = cnp.PyArray_STRIDES(result)
    inner = cnp.PyArray_BYTES(result)
    for axis in range(ndim):
        dims[axis] = cnp.PyArray_DIMS(array)[axis]
        backwards[axis] = strides[axis]
        inner += before[axis] * strides[axis]
    move_block(inner, strides, cnp.PyArray_BYTES(array), cnp.PyArray_STRIDES(array), ndim, dims, item)
    for axis in reversed(range(ndim)):
        # Axes behind this one are whole by now.
        size = dims[axis]
        backwards[axis] = -strides[axis]
        dims[axis] = before[axis]
        if dims[axis] > 0:
            move_block(inner - before[axis] * strides[axis], strides,
                       inner + (before[axis] + edge - 1) * strides[axis], backwards, ndim, dims, item)
        after = cnp.PyArray_DIMS(result)[axis] - size - before[axis]
        dims[axis] = after
        if after > 0:
            move_block(inner + size * strides[axis], strides,
                       inner + (size - 1 - edge) * strides[axis], backwards, ndim, dims, item)
        backwards[axis] = strides[axis]
        dims[axis] = cnp.PyArray_DIMS(result)[axis]
        inner -= before[axis] * strides[axis]
    return result


cdef int move_block(char* target, cnp.npy_intp* target_strides, char* source, cnp.npy_intp* source_strides,
                    int ndim, cnp.npy_intp* dims, cnp.npy_intp item) except -1:
    """`copy_block`, with the interpreter's lock only where that takes no time."""
    cdef cnp.npy_intp size = item
    cdef int i
    for i in range(ndim):
        size *= dims[i]
    if size < GRAIN:
        copy_block(target, target_strides, source, source_strides, ndim, dims, item)
        return 0
    with nogil:
        copy_block(target, target_strides, source, source_strides, ndim, dims, item)
    return 0


concat: Lane = lane(run_concat)
pack: Lane = lane(run_pack)
roll: Lane = lane(run_roll)
pad: Lane = lane(run_pad)
tile: Lane = lane(run_tile)
mirror: Lane = lane(run_mirror)

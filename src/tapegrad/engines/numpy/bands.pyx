"""Bands of matrices, matrices with a diagonal, filled arrays and sequences, as lanes of their ops."""

import numpy as np

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.string cimport memcpy, memset

from tapegrad.engines.numpy.buffers cimport empty_like, new_array
from tapegrad.engines.numpy.copies cimport copied, copy_block, descr_of, is_plain, same_kind, zeros_array
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.threads cimport Body, run_units

cnp.import_array()

cdef enum:
    MOST_AXES = 32
    LARGE = 1 << 28             # elements; the kernels of larger arrays find out whether there is memory for them
    GRAIN = 65_536              # bytes for which a thread is worth it
    SHORT = 4_096               # elements that take less than a call of NumPy

cdef struct Band:
    char* target
    const char* source
    cnp.npy_intp rows, columns, item
    cnp.npy_intp lower, upper   # how many diagonals are kept on either side


cdef void run_rows(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Band* band = <Band*>context
    cdef cnp.npy_intp unit, row, first, last, offset
    for unit in range(begin, end):
        row = unit % band.rows
        first = min(max(row - band.lower, <cnp.npy_intp>0), band.columns) * band.item
        last = max(min(row + band.upper + 1, band.columns) * band.item, first)
        offset = unit * band.columns * band.item
        memset(band.target + offset, 0, first)
        memcpy(band.target + offset + first, band.source + offset + first, last - first)
        memset(band.target + offset + last, 0, band.columns * band.item - last)


cdef object run_band_part(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0], out
    cdef int ndim = cnp.PyArray_NDIM(array)
    cdef cnp.npy_intp units, lower, upper
    cdef Band band
    if ndim < 2 or not cnp.PyArray_IS_C_CONTIGUOUS(array) or not is_plain(array) or cnp.PyArray_SIZE(array) == 0:
        return None
    lower, upper = attributes
    band.rows = cnp.PyArray_DIMS(array)[ndim - 2]
    band.columns = cnp.PyArray_DIMS(array)[ndim - 1]
    if lower > band.rows or upper > band.columns:
        return None
    band.item = cnp.PyArray_ITEMSIZE(array)
    band.lower = lower if lower >= 0 else band.rows
    band.upper = upper if upper >= 0 else band.columns
    out = empty_like(array)
    band.source = cnp.PyArray_BYTES(array)
    band.target = cnp.PyArray_BYTES(out)
    units = cnp.PyArray_SIZE(array) // band.columns
    run_units(run_rows, &band, units, band.columns * band.item, GRAIN)
    return out


cdef object run_matrix_diagonal(PyObject** arrays, int count, tuple attributes):
    """Square matrices with the rows of the first array on their main diagonals, and zeros beside it."""
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0], padding = <cnp.ndarray>arrays[1], out
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp strides[MOST_AXES]
    cdef cnp.npy_intp n, item = cnp.PyArray_ITEMSIZE(array)
    cdef int ndim = cnp.PyArray_NDIM(array), i
    if not 1 <= ndim < MOST_AXES or attributes[0] != (0, 0) or not is_plain(array) or cnp.PyArray_SIZE(array) == 0:
        return None
    n = cnp.PyArray_DIMS(array)[ndim - 1]
    if (attributes[1] != -1 and attributes[1] != n) or (attributes[2] != -1 and attributes[2] != n):
        return None
    if cnp.PyArray_NDIM(padding) != 0 or not all_bytes_zero(cnp.PyArray_BYTES(padding), cnp.PyArray_ITEMSIZE(padding)):
        return None
    for i in range(ndim):
        dims[i] = cnp.PyArray_DIMS(array)[i]
    dims[ndim] = n
    if n > LARGE // cnp.PyArray_SIZE(array):
        return None
    out = zeros_array(descr_of(array), ndim + 1, dims)
    for i in range(ndim - 1):
        strides[i] = cnp.PyArray_STRIDES(out)[i]
    strides[ndim - 1] = (n + 1) * item
    copy_block(cnp.PyArray_BYTES(out), strides, cnp.PyArray_BYTES(array), cnp.PyArray_STRIDES(array),
               ndim, cnp.PyArray_DIMS(array), item)
    return out


cdef object run_set_diagonal(PyObject** arrays, int count, tuple attributes):
    """The first array, contiguous, with the second on the main diagonals of its matrices."""
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0], diagonal = <cnp.ndarray>arrays[1], out
    cdef cnp.npy_intp strides[MOST_AXES]
    cdef int ndim = cnp.PyArray_NDIM(array), i
    if (not 2 <= ndim < MOST_AXES or attributes[0] != (0, 0) or not is_plain(array) or cnp.PyArray_SIZE(array) == 0
            or not cnp.PyArray_IS_C_CONTIGUOUS(array) or cnp.PyArray_NDIM(diagonal) != ndim - 1):
        return None
    for i in range(ndim - 2):
        if cnp.PyArray_DIMS(diagonal)[i] != cnp.PyArray_DIMS(array)[i]:
            return None
    if cnp.PyArray_DIMS(diagonal)[ndim - 2] != min(cnp.PyArray_DIMS(array)[ndim - 2], cnp.PyArray_DIMS(array)[ndim - 1]):
        return None
    out = copied(array)
    for i in range(ndim - 2):
        strides[i] = cnp.PyArray_STRIDES(out)[i]
    strides[ndim - 2] = cnp.PyArray_STRIDES(out)[ndim - 2] + cnp.PyArray_STRIDES(out)[ndim - 1]
    copy_block(cnp.PyArray_BYTES(out), strides, cnp.PyArray_BYTES(diagonal), cnp.PyArray_STRIDES(diagonal),
               ndim - 1, cnp.PyArray_DIMS(diagonal), cnp.PyArray_ITEMSIZE(array))
    return out


cdef bint all_bytes_zero(const char* data, cnp.npy_intp size) noexcept:
    cdef cnp.npy_intp i
    for i in range(size):
        if data[i] != 0:
            return False
    return True


cdef cnp.npy_intp read_sizes(object shape, cnp.npy_intp* dims) except -2:
    """Write the sizes of ``shape`` to ``dims`` and return their product; -1 unless that is a moderate number."""
    cdef Py_ssize_t i
    cdef cnp.npy_intp size = 1
    if type(shape) is not tuple or len(<tuple>shape) > MOST_AXES:
        return -1
    for i in range(len(<tuple>shape)):
        if not 0 <= (<tuple>shape)[i] <= LARGE:
            return -1
        dims[i] = (<tuple>shape)[i]
        if dims[i] > LARGE // max(size, <cnp.npy_intp>1):
            return -1
        size *= dims[i]
    return size


cdef void fill_with(cnp.ndarray out, const char* value) noexcept:
    """Every element of a contiguous array becomes the one at ``value``."""
    cdef cnp.npy_intp item = cnp.PyArray_ITEMSIZE(out), size = cnp.PyArray_SIZE(out), still = 0
    if size * item < GRAIN:
        copy_block(cnp.PyArray_BYTES(out), &item, <char*>value, &still, 1, &size, item)
    else:
        with nogil:
            copy_block(cnp.PyArray_BYTES(out), &item, <char*>value, &still, 1, &size, item)


cdef object repeated(cnp.ndarray value, object shape):
    """An array of ``shape`` with one value; None if that is no plain number, or the shape no moderate one."""
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.ndarray out
    if (cnp.PyArray_NDIM(value) != 0 or not is_plain(value) or not cnp.PyArray_ISNOTSWAPPED(value)
            or read_sizes(shape, dims) < 0):
        return None
    out = new_array(descr_of(value), <int>len(<tuple>shape), dims)
    fill_with(out, cnp.PyArray_BYTES(value))
    return out


cdef object run_fill(PyObject** arrays, int count, tuple attributes):
    return repeated(<cnp.ndarray>arrays[0], attributes[0])


def full(tuple shape not None, value, dtype):
    """What `numpy.full` gives, by all threads, in memory of the pool where the array is large."""
    out = repeated(np.array(value, dtype), shape)
    return np.full(shape, value, dtype) if out is None else out


cdef struct Sequence:
    void* out
    cnp.npy_int64 start
    int type_num


cdef void run_sequence(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Sequence* work = <Sequence*>context
    cdef cnp.npy_int64 i
    cdef cnp.npy_int32* ints
    cdef cnp.npy_int64* longs
    cdef float* floats
    cdef double* doubles
    cdef cnp.npy_int32 from_ = <cnp.npy_int32>work.start
    if work.type_num == cnp.NPY_INT32:
        ints = <cnp.npy_int32*>work.out
        for i in range(begin, end):
            ints[i] = from_ + <cnp.npy_int32>i
    elif work.type_num == cnp.NPY_INT64:
        longs = <cnp.npy_int64*>work.out
        for i in range(begin, end):
            longs[i] = work.start + i
    elif work.type_num == cnp.NPY_FLOAT:
        floats = <float*>work.out
        for i in range(begin, end):
            floats[i] = <float>(work.start + i)
    else:
        doubles = <double*>work.out
        for i in range(begin, end):
            doubles[i] = <double>(work.start + i)


cdef object run_numbers(PyObject** arrays, int count, tuple attributes):
    """The integers from the first attribute up to the second, in the dtype that the third names."""
    cdef cnp.npy_intp size
    cdef Sequence work
    cdef cnp.ndarray out
    start, stop, dtype = attributes
    if type(start) is not int or type(stop) is not int or not -LARGE <= start <= stop <= LARGE:
        return None
    work.type_num = dtype.type_num
    if work.type_num not in (cnp.NPY_INT32, cnp.NPY_INT64, cnp.NPY_FLOAT, cnp.NPY_DOUBLE):
        return None
    work.start = start
    size = stop - start
    descr = dtype.numpy_dtype
    out = new_array(<PyObject*>descr, 1, &size)
    work.out = cnp.PyArray_DATA(out)
    run_units(run_sequence, &work, size, 4, GRAIN)
    return out


cdef struct Steps:
    void* out
    double first, delta


cdef void run_steps(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Steps* work = <Steps*>context
    cdef double* out = <double*>work.out
    cdef double step
    cdef Py_ssize_t i
    for i in range(begin, end):
        # A statement for each rounding, as NumPy's two loops round.
        step = <double>i * work.delta
        out[i] = step + work.first


cdef void run_float_steps(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Steps* work = <Steps*>context
    cdef float* out = <float*>work.out
    cdef float first = <float>work.first, delta = <float>work.delta, step
    cdef Py_ssize_t i
    for i in range(begin, end):
        step = <float>i * delta
        out[i] = step + first


cdef object run_even_numbers(PyObject** arrays, int count, tuple attributes):
    """So many numbers from one scalar to another, both as they are given."""
    cdef cnp.ndarray first = <cnp.ndarray>arrays[0], last = <cnp.ndarray>arrays[1], out
    cdef int type_num = cnp.PyArray_TYPE(first)
    cdef cnp.npy_intp size
    cdef float start, stop
    cdef Steps work
    cdef Body body
    if (type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or not same_kind(first, last)
            or not is_plain(first) or not is_plain(last)
            or cnp.PyArray_NDIM(first) != 0 or cnp.PyArray_NDIM(last) != 0 or not 3 <= attributes[0] <= LARGE):
        return None
    size = attributes[0]
    out = new_array(descr_of(first), 1, &size)
    work.out = cnp.PyArray_DATA(out)
    if type_num == cnp.NPY_FLOAT:
        start = (<float*>cnp.PyArray_DATA(first))[0]
        stop = (<float*>cnp.PyArray_DATA(last))[0]
        work.first = start
        stop -= start
        stop /= <float>(size - 1)
        work.delta = stop
    else:
        work.first = (<double*>cnp.PyArray_DATA(first))[0]
        work.delta = ((<double*>cnp.PyArray_DATA(last))[0] - work.first) / <double>(size - 1)
    body = run_float_steps if type_num == cnp.NPY_FLOAT else run_steps
    run_units(body, &work, size, 4, GRAIN)
    memcpy(cnp.PyArray_BYTES(out), cnp.PyArray_DATA(first), cnp.PyArray_ITEMSIZE(first))
    memcpy(cnp.PyArray_BYTES(out) + (size - 1) * cnp.PyArray_ITEMSIZE(out), cnp.PyArray_DATA(last),
           cnp.PyArray_ITEMSIZE(last))
    return out


cdef object run_eye(PyObject** arrays, int count, tuple attributes):
    """Matrices of zeros with ones on their diagonals."""
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp size, matrix, i, j
    cdef int ndim, type_num = attributes[1].type_num
    cdef cnp.ndarray out
    if type_num not in (cnp.NPY_INT32, cnp.NPY_INT64, cnp.NPY_FLOAT, cnp.NPY_DOUBLE):
        return None
    size = read_sizes(attributes[0], dims)
    if size < 0:
        return None
    ndim = <int>len(<tuple>attributes[0])
    if ndim < 2:
        return None
    descr = attributes[1].numpy_dtype
    out = zeros_array(<PyObject*>descr, ndim, dims)
    matrix = dims[ndim - 2] * dims[ndim - 1]
    if size == 0:
        return out
    for i in range(0, size, matrix):
        for j in range(min(dims[ndim - 2], dims[ndim - 1])):
            set_one(cnp.PyArray_DATA(out), i + j * (dims[ndim - 1] + 1), type_num)
    return out


cdef inline void set_one(void* data, cnp.npy_intp place, int type_num) noexcept:
    if type_num == cnp.NPY_INT32:
        (<cnp.npy_int32*>data)[place] = 1
    elif type_num == cnp.NPY_INT64:
        (<cnp.npy_int64*>data)[place] = 1
    elif type_num == cnp.NPY_FLOAT:
        (<float*>data)[place] = 1
    else:
        (<double*>data)[place] = 1


cdef object run_one_hot(PyObject** arrays, int count, tuple attributes):
    """Rows of the second value, with the first at each index; the new axis is the last."""
    cdef cnp.ndarray indices = <cnp.ndarray>arrays[0], on = <cnp.ndarray>arrays[1], off = <cnp.ndarray>arrays[2], out
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp item = cnp.PyArray_ITEMSIZE(on), n = cnp.PyArray_SIZE(indices), depth, i
    cdef cnp.npy_int64 index
    cdef int ndim = cnp.PyArray_NDIM(indices), type_num = cnp.PyArray_TYPE(indices)
    cdef char* data
    if (type_num != cnp.NPY_INT32 and type_num != cnp.NPY_INT64 or ndim + 1 > MOST_AXES
            or not cnp.PyArray_ISCARRAY_RO(indices) or cnp.PyArray_NDIM(on) != 0 or cnp.PyArray_NDIM(off) != 0
            or not is_plain(on) or not same_kind(on, off)):
        return None
    if not 0 <= attributes[0] <= LARGE or (attributes[1] != -1 and attributes[1] != ndim):
        return None
    depth = attributes[0]
    if n > 0 and depth > LARGE // n:
        return None
    for i in range(ndim):
        dims[i] = cnp.PyArray_DIMS(indices)[i]
    dims[ndim] = depth
    if all_bytes_zero(cnp.PyArray_BYTES(off), item):
        out = zeros_array(descr_of(off), ndim + 1, dims)
    else:
        out = new_array(descr_of(off), ndim + 1, dims)
        fill_with(out, cnp.PyArray_BYTES(off))
    data = cnp.PyArray_BYTES(out)
    for i in range(n):
        if type_num == cnp.NPY_INT32:
            index = (<cnp.npy_int32*>cnp.PyArray_DATA(indices))[i]
        else:
            index = (<cnp.npy_int64*>cnp.PyArray_DATA(indices))[i]
        if 0 <= index < depth:
            memcpy(data + (i * depth + index) * item, cnp.PyArray_BYTES(on), item)
    return out


def largest(cnp.ndarray numbers not None):
    """The largest element of an array of integers that is not empty."""
    cdef cnp.npy_intp n = cnp.PyArray_SIZE(numbers), i
    cdef cnp.npy_int32 most
    if cnp.PyArray_TYPE(numbers) != cnp.NPY_INT32 or not cnp.PyArray_ISCARRAY_RO(numbers) or not 0 < n <= SHORT:
        return int(numbers.max())
    most = (<cnp.npy_int32*>cnp.PyArray_DATA(numbers))[0]
    for i in range(1, n):
        most = max(most, (<cnp.npy_int32*>cnp.PyArray_DATA(numbers))[i])
    return most


cdef object run_count(PyObject** arrays, int count, tuple attributes):
    """How often each integer below the first attribute occurs in a vector, without weights."""
    cdef cnp.ndarray numbers = <cnp.ndarray>arrays[0], weights = <cnp.ndarray>arrays[1], out
    cdef cnp.npy_intp n = cnp.PyArray_SIZE(numbers), size, i
    cdef cnp.npy_int64 number
    cdef int type_num = cnp.PyArray_TYPE(numbers)
    cdef cnp.npy_int64* counts
    if (cnp.PyArray_NDIM(numbers) != 1 or type_num != cnp.NPY_INT32 and type_num != cnp.NPY_INT64
            or not cnp.PyArray_ISCARRAY_RO(numbers) or cnp.PyArray_SIZE(weights) != 0 or attributes[1]
            or not 0 <= attributes[0] <= LARGE):
        return None
    size = attributes[0]
    descr = <object>cnp.PyArray_DescrFromType(cnp.NPY_INT64)
    out = zeros_array(<PyObject*>descr, 1, &size)
    counts = <cnp.npy_int64*>cnp.PyArray_DATA(out)
    for i in range(n):
        if type_num == cnp.NPY_INT32:
            number = (<cnp.npy_int32*>cnp.PyArray_DATA(numbers))[i]
        else:
            number = (<cnp.npy_int64*>cnp.PyArray_DATA(numbers))[i]
        if number < 0:
            return None         # the kernel raises the error
        if number < size:
            counts[number] += 1
    if cnp.PyArray_TYPE(weights) == cnp.NPY_INT64:
        return out
    return (<object>out).astype((<object>weights).dtype)


band_part: Lane = lane(run_band_part)
set_diagonal: Lane = lane(run_set_diagonal)
matrix_diagonal: Lane = lane(run_matrix_diagonal)
fill: Lane = lane(run_fill)
numbers_between: Lane = lane(run_numbers)
even_numbers: Lane = lane(run_even_numbers)
eye: Lane = lane(run_eye)
one_hot: Lane = lane(run_one_hot)
count_integers: Lane = lane(run_count)

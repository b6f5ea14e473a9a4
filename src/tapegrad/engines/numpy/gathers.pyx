"""Rows gathered by their indices, added into an array, or written into one.

Each function checks its indices before it takes a pointer or writes anything. Additions to one row happen in
the order of the indices, for any number of threads.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.copies cimport contiguous, copied, descr_of, is_plain, zeros_array
from tapegrad.engines.numpy.lanes cimport Lane, lane, read_shape
from tapegrad.engines.numpy.threads cimport parallel
from tapegrad.engines.numpy.threads import thread_count

cnp.import_array()

cdef extern from "gathers.h" nogil:
    ctypedef struct Gather "tapegrad_gather":
        char* target
        char* source
        char* indices
        int index_size
        cnp.npy_intp n, row, source_row, source_outer
    ctypedef struct Row "tapegrad_row":
        pass
    ctypedef struct Scatter "tapegrad_scatter":
        char* target
        char* updates
        char* indices
        int index_size
        cnp.npy_intp n, row, count, target_outer, update_row, update_outer, parts
        const Row* kernel
        int shift
    cnp.npy_intp first_outside_ "tapegrad_first_outside" (
        const char* indices, int size, cnp.npy_intp n, cnp.npy_intp limit) noexcept
    cnp.npy_intp flatten_ "tapegrad_flatten" (
        const char* vectors, int size, cnp.npy_intp n, int depth, const cnp.npy_intp* sizes,
        cnp.npy_int64* numbers) noexcept
    void run_gather "tapegrad_run_gather" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept
    void run_scatter "tapegrad_run_scatter" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept
    const Row add_float "tapegrad_add_float", add_double "tapegrad_add_double"
    const Row add_8 "tapegrad_add_8", add_16 "tapegrad_add_16"
    const Row add_32 "tapegrad_add_32", add_64 "tapegrad_add_64"
    const Row subtract_float "tapegrad_subtract_float", subtract_double "tapegrad_subtract_double"
    const Row subtract_8 "tapegrad_subtract_8", subtract_16 "tapegrad_subtract_16"
    const Row subtract_32 "tapegrad_subtract_32", subtract_64 "tapegrad_subtract_64"
    const Row multiply_float "tapegrad_multiply_float", multiply_double "tapegrad_multiply_double"
    const Row multiply_32 "tapegrad_multiply_32", multiply_64 "tapegrad_multiply_64"
    const Row maximum_float "tapegrad_maximum_float", maximum_double "tapegrad_maximum_double"
    const Row maximum_32 "tapegrad_maximum_32", maximum_64 "tapegrad_maximum_64"
    const Row minimum_float "tapegrad_minimum_float", minimum_double "tapegrad_minimum_double"
    const Row minimum_32 "tapegrad_minimum_32", minimum_64 "tapegrad_minimum_64"
    const Row update_bytes "tapegrad_update_bytes"

cdef enum:
    MAX_DIMENSIONS = 64
    GRAIN = 32_768              # bytes of rows for which a thread is worth it
    ROW = 32                    # a shorter row counts as so many bytes: finding it takes as long as copying them
    LINE = 64                   # bytes of a line of the cache
    LARGE = 1 << 30             # elements

cdef object INT64 = np.dtype(np.int64)


cdef cnp.ndarray index_array(object indices):
    """``indices`` as a contiguous array of int32 or int64."""
    cdef cnp.ndarray array
    if not isinstance(indices, cnp.ndarray):
        indices = np.asarray(indices)
    array = <cnp.ndarray>indices
    if not (cnp.PyArray_ISINTEGER(array) and not cnp.PyArray_ISUNSIGNED(array)
            and cnp.PyArray_ITEMSIZE(array) in (4, 8) and cnp.PyArray_ISNOTSWAPPED(array)):
        array = array.astype(np.int64)
    return contiguous(array)


def first_outside(indices, Py_ssize_t limit):
    """The position, in C order, of the first of ``indices`` that is not in [0, limit); -1 if all of them are."""
    cdef cnp.ndarray numbers = index_array(indices)
    return first_outside_(
        cnp.PyArray_BYTES(numbers), cnp.PyArray_ITEMSIZE(numbers), cnp.PyArray_SIZE(numbers), limit)


def flatten(vectors, tuple sizes not None):
    """The rows of the matrix ``vectors``, which are indices into axes of these ``sizes``, as single indices in C order.

    Returns:
        The single indices, and the first row of ``vectors`` that is out of range, or -1.
    """
    cdef cnp.ndarray array = index_array(vectors), numbers
    cdef cnp.npy_intp limits[MAX_DIMENSIONS]
    cdef cnp.npy_intp n, wrong
    cdef int depth = len(sizes), axis
    if cnp.PyArray_NDIM(array) != 2 or cnp.PyArray_DIMS(array)[1] != depth or depth > MAX_DIMENSIONS:
        raise ValueError(f"a matrix with a column for each of {depth} axes was expected")
    n = cnp.PyArray_DIMS(array)[0]
    for axis in range(depth):
        limits[axis] = sizes[axis]
    if depth == 1:
        return array.reshape(-1), first_outside_(
            cnp.PyArray_BYTES(array), cnp.PyArray_ITEMSIZE(array), n, limits[0])
    numbers = new_array(<PyObject*>INT64, 1, &n)
    wrong = flatten_(
        cnp.PyArray_BYTES(array), cnp.PyArray_ITEMSIZE(array), n, depth, limits,
        <cnp.npy_int64*>cnp.PyArray_DATA(numbers))
    return numbers, wrong


def gather(params, indices, int axis):
    """The slices of ``params`` along ``axis`` at ``indices``. The axes of ``indices`` take the place of ``axis``.

    None if an index is out of range.
    """
    cdef cnp.ndarray source, numbers = index_array(indices), out
    cdef cnp.npy_intp dims[2 * MAX_DIMENSIONS]
    cdef cnp.npy_intp outer = 1, row, grain
    cdef Gather g
    cdef int ndim, i, count = 0, picks = cnp.PyArray_NDIM(numbers)
    if not isinstance(params, cnp.ndarray) or not is_plain(<cnp.ndarray>params):
        return None if first_outside(numbers, params.shape[axis]) >= 0 else params.take(indices, axis)
    source = <cnp.ndarray>params
    ndim = cnp.PyArray_NDIM(source)
    if not 0 <= axis < ndim or ndim - 1 + picks > MAX_DIMENSIONS:
        return params.take(indices, axis)
    if not (cnp.PyArray_IS_C_CONTIGUOUS(source) or (axis == 0 and lies_in_rows(source))):
        source = contiguous(source)
    g.indices = cnp.PyArray_BYTES(numbers)
    g.index_size = cnp.PyArray_ITEMSIZE(numbers)
    g.n = cnp.PyArray_SIZE(numbers)
    if first_outside_(g.indices, g.index_size, g.n, cnp.PyArray_DIMS(source)[axis]) >= 0:
        return None
    row = cnp.PyArray_ITEMSIZE(source)
    for i in range(axis):
        dims[count] = cnp.PyArray_DIMS(source)[i]
        outer *= dims[count]
        count += 1
    for i in range(picks):
        dims[count] = cnp.PyArray_DIMS(numbers)[i]
        count += 1
    for i in range(axis + 1, ndim):
        dims[count] = cnp.PyArray_DIMS(source)[i]
        row *= dims[count]
        count += 1
    out = new_array(descr_of(source), count, dims)
    if cnp.PyArray_SIZE(out) == 0:
        return out
    g.target = cnp.PyArray_BYTES(out)
    g.source = cnp.PyArray_BYTES(source)
    g.row = row
    g.source_row = cnp.PyArray_STRIDES(source)[axis] if axis == 0 else row
    g.source_outer = cnp.PyArray_DIMS(source)[axis] * row
    grain = GRAIN // max(row, <cnp.npy_intp>ROW) + 1
    if outer * g.n < 2 * grain:
        run_gather(&g, 0, outer * g.n)
    else:
        with nogil:
            parallel(run_gather, &g, outer * g.n, grain)
    return out


cdef bint lies_in_rows(cnp.ndarray array) noexcept:
    """Whether each slice along the first axis is contiguous in itself."""
    cdef cnp.npy_intp size = cnp.PyArray_ITEMSIZE(array)
    cdef int i
    for i in range(cnp.PyArray_NDIM(array) - 1, 0, -1):
        if cnp.PyArray_DIMS(array)[i] != 1 and cnp.PyArray_STRIDES(array)[i] != size:
            return False
        size *= cnp.PyArray_DIMS(array)[i]
    return True


cdef const Row* row_kernel(cnp.ndarray array, bint subtract, int* parts) noexcept:
    """What adds or subtracts rows of the array's dtype, or NULL; ``parts`` becomes the numbers in an element."""
    cdef int number = cnp.PyArray_TYPE(array)
    parts[0] = 1
    if number == cnp.NPY_FLOAT or number == cnp.NPY_CFLOAT:
        parts[0] = 1 + (number == cnp.NPY_CFLOAT)
        return &subtract_float if subtract else &add_float
    if number == cnp.NPY_DOUBLE or number == cnp.NPY_CDOUBLE:
        parts[0] = 1 + (number == cnp.NPY_CDOUBLE)
        return &subtract_double if subtract else &add_double
    if not cnp.PyArray_ISINTEGER(array):
        return NULL
    number = cnp.PyArray_ITEMSIZE(array)
    if number == 1:
        return &subtract_8 if subtract else &add_8
    if number == 2:
        return &subtract_16 if subtract else &add_16
    if number == 4:
        return &subtract_32 if subtract else &add_32
    return &subtract_64 if subtract else &add_64


cdef const Row* combining_kernel(cnp.ndarray array, object kind, int* parts) noexcept:
    """What combines rows of the array's dtype, or NULL; ``parts`` becomes the numbers in an element."""
    cdef int number = cnp.PyArray_TYPE(array)
    cdef bint is_product = kind == "multiply", is_maximum = kind == "maximum"
    parts[0] = 1
    if not is_product and not is_maximum and kind != "minimum":
        return row_kernel(array, kind == "subtract", parts)
    if number == cnp.NPY_FLOAT:
        return &multiply_float if is_product else &maximum_float if is_maximum else &minimum_float
    if number == cnp.NPY_DOUBLE:
        return &multiply_double if is_product else &maximum_double if is_maximum else &minimum_double
    if not cnp.PyArray_ISINTEGER(array) or cnp.PyArray_ISUNSIGNED(array):
        return NULL
    if cnp.PyArray_ITEMSIZE(array) == 4:
        return &multiply_32 if is_product else &maximum_32 if is_maximum else &minimum_32
    if cnp.PyArray_ITEMSIZE(array) == 8:
        return &multiply_64 if is_product else &maximum_64 if is_maximum else &minimum_64
    return NULL


def scatter(target, indices, cnp.ndarray updates not None, str kind="add", int axis=0):
    """Add (or "subtract", "multiply", "maximum", "minimum" or "update") each slice of ``updates`` into ``target``, at its
    index along ``axis``.

    ``updates`` has the shape of ``target``, except that ``axis`` is as long as the vector ``indices``. An index that
    comes twice is served twice, in order.

    Returns:
        Whether it was done: there is no kernel for some dtypes, nor for a target that is not C-contiguous.

    Raises:
        IndexError: if an index is out of range. Then nothing has been written.
    """
    cdef cnp.ndarray whole, rows, numbers
    cdef cnp.npy_intp outer = 1, grain
    cdef Scatter s
    cdef int ndim, i, parts_of_element = 1
    cdef bint update = kind == "update"
    if not isinstance(target, cnp.ndarray) or not is_plain(<cnp.ndarray>target):
        return False
    whole = <cnp.ndarray>target
    ndim = cnp.PyArray_NDIM(whole)
    s.kernel = &update_bytes if update else combining_kernel(whole, kind, &parts_of_element)
    if s.kernel == NULL or not cnp.PyArray_ISCARRAY(whole):
        return False
    numbers = index_array(indices)
    rows = updates if lies_in_rows(updates) and cnp.PyArray_ISALIGNED(updates) and axis == 0 else contiguous(updates)
    if (cnp.PyArray_NDIM(numbers) != 1 or not 0 <= axis < ndim or cnp.PyArray_NDIM(rows) != ndim
            or rows.dtype != whole.dtype):
        raise ValueError("a vector of indices, and updates of the target's rank and dtype, were expected")
    s.n = cnp.PyArray_SIZE(numbers)
    s.row = cnp.PyArray_ITEMSIZE(whole)
    for i in range(ndim):
        if cnp.PyArray_DIMS(rows)[i] != (s.n if i == axis else cnp.PyArray_DIMS(whole)[i]):
            raise ValueError("the updates do not have the shape of the target's slices")
        if i < axis:
            outer *= cnp.PyArray_DIMS(whole)[i]
        elif i > axis:
            s.row *= cnp.PyArray_DIMS(whole)[i]
    s.indices = cnp.PyArray_BYTES(numbers)
    s.index_size = cnp.PyArray_ITEMSIZE(numbers)
    if first_outside_(s.indices, s.index_size, s.n, cnp.PyArray_DIMS(whole)[axis]) >= 0:
        raise IndexError("an index is out of range")
    if cnp.PyArray_SIZE(rows) == 0:
        return True
    s.count = s.row if update else s.row // cnp.PyArray_ITEMSIZE(whole) * parts_of_element
    s.target = cnp.PyArray_BYTES(whole)
    s.updates = cnp.PyArray_BYTES(rows)
    s.target_outer = cnp.PyArray_DIMS(whole)[axis] * s.row
    s.update_outer = s.n * s.row
    s.update_row = cnp.PyArray_STRIDES(rows)[axis] if axis == 0 else s.row
    s.parts = 1
    s.shift = 0
    # Many outer items are shared among the threads. With few, the threads share the target's rows, and each thread
    # looks through all indices for its own rows.
    threads = thread_count()
    if outer < 2 * threads and s.n * max(s.row, <cnp.npy_intp>ROW) >= 2 * GRAIN:
        while s.parts < threads:
            s.parts *= 2
        while s.row << s.shift < LINE:
            s.shift += 1
    grain = GRAIN // (s.n * max(s.row, <cnp.npy_intp>ROW) // s.parts + 1) + 1
    if outer * s.parts == 1:
        run_scatter(&s, 0, 1)
    else:
        with nogil:
            parallel(run_scatter, &s, outer * s.parts, grain)
    return True


# --- Lanes --------------------------------------------------------------------------------------------

cdef object run_rows(PyObject** arrays, int count, tuple attributes):
    """The lane of GatherV2: its attributes are the axis and how many axes are batches."""
    cdef cnp.ndarray params = <cnp.ndarray>arrays[0], indices = <cnp.ndarray>arrays[1]
    cdef int ndim = cnp.PyArray_NDIM(params)
    axis = attributes[0]
    if type(axis) is not int or attributes[1] != 0 or not -ndim <= axis < ndim or cnp.PyArray_NDIM(indices) == 0:
        return None
    return gather(params, indices, axis + ndim if axis < 0 else axis)


cdef cnp.ndarray row_numbers(cnp.ndarray indices, int ndim, cnp.npy_intp* dims, int* depth, cnp.npy_intp* row):
    """The rows of ``indices``, each the place of a slice in an array of ``dims``, as single numbers of slices.

    None unless they are int32 or int64, contiguous, and all in range. ``depth`` becomes the number of axes that they
    go through, and ``row`` the number of elements in a slice.
    """
    cdef cnp.ndarray numbers
    cdef cnp.npy_intp n
    cdef int last = cnp.PyArray_NDIM(indices) - 1, i, type_num = cnp.PyArray_TYPE(indices)
    if (last < 0 or type_num != cnp.NPY_INT32 and type_num != cnp.NPY_INT64 or not cnp.PyArray_ISCARRAY_RO(indices)
            or not 1 <= cnp.PyArray_DIMS(indices)[last] <= ndim):
        return None
    depth[0] = <int>cnp.PyArray_DIMS(indices)[last]
    n = cnp.PyArray_SIZE(indices) // depth[0]
    row[0] = 1
    for i in range(depth[0], ndim):
        row[0] *= dims[i]
    if depth[0] == 1:
        if first_outside_(cnp.PyArray_BYTES(indices), cnp.PyArray_ITEMSIZE(indices), n, dims[0]) >= 0:
            return None
        return indices
    numbers = new_array(<PyObject*>INT64, 1, &n)
    if flatten_(cnp.PyArray_BYTES(indices), cnp.PyArray_ITEMSIZE(indices), n, depth[0], dims,
                <cnp.npy_int64*>cnp.PyArray_DATA(numbers)) >= 0:
        return None
    return numbers


cdef object run_gather_nd(PyObject** arrays, int count, tuple attributes):
    """The slices of the first array at the rows of the second."""
    cdef cnp.ndarray params = <cnp.ndarray>arrays[0], indices = <cnp.ndarray>arrays[1], numbers, out
    cdef cnp.npy_intp dims[2 * MAX_DIMENSIONS]
    cdef cnp.npy_intp row = 0, grain
    cdef int ndim = cnp.PyArray_NDIM(params), last = cnp.PyArray_NDIM(indices) - 1, depth = 0, i
    cdef Gather g
    if not is_plain(params) or last + ndim > MAX_DIMENSIONS:
        return None
    numbers = row_numbers(indices, ndim, cnp.PyArray_DIMS(params), &depth, &row)
    if numbers is None:
        return None
    if not cnp.PyArray_IS_C_CONTIGUOUS(params):
        params = contiguous(params)
    for i in range(last):
        dims[i] = cnp.PyArray_DIMS(indices)[i]
    for i in range(depth, ndim):
        dims[last + i - depth] = cnp.PyArray_DIMS(params)[i]
    out = new_array(descr_of(params), last + ndim - depth, dims)
    if cnp.PyArray_SIZE(out) == 0:
        return out
    g.target = cnp.PyArray_BYTES(out)
    g.source = cnp.PyArray_BYTES(params)
    g.indices = cnp.PyArray_BYTES(numbers)
    g.index_size = cnp.PyArray_ITEMSIZE(numbers)
    g.n = cnp.PyArray_SIZE(out) // row
    g.row = g.source_row = row * cnp.PyArray_ITEMSIZE(params)
    g.source_outer = 0
    grain = GRAIN // max(g.row, <cnp.npy_intp>ROW) + 1
    if g.n < 2 * grain:
        run_gather(&g, 0, g.n)
    else:
        with nogil:
            parallel(run_gather, &g, g.n, grain)
    return out


cdef cnp.ndarray plan_scatter(
        Scatter* s, cnp.ndarray indices, cnp.ndarray updates, int ndim, cnp.npy_intp* dims, object kind):
    """What `run_scatter` needs but the target, for slices of ``updates`` at the rows of ``indices``; the vector of
    their numbers, which must outlive it. None for dtypes, layouts and sizes that `scatter` is for, and for bad places.
    """
    cdef cnp.ndarray numbers
    cdef cnp.npy_intp row = 0
    cdef int last = cnp.PyArray_NDIM(indices) - 1, depth = 0, parts_of_element = 1, i
    s.kernel = &update_bytes if kind == "update" else row_kernel(updates, kind == "subtract", &parts_of_element)
    if s.kernel == NULL or not is_plain(updates) or not cnp.PyArray_ISCARRAY_RO(updates):
        return None
    if last < 0 or cnp.PyArray_NDIM(updates) == 0:
        return None
    numbers = row_numbers(indices, ndim, dims, &depth, &row)
    if numbers is None or cnp.PyArray_NDIM(updates) != last + ndim - depth:
        return None
    for i in range(cnp.PyArray_NDIM(updates)):
        if cnp.PyArray_DIMS(updates)[i] != (cnp.PyArray_DIMS(indices)[i] if i < last else dims[i - last + depth]):
            return None
    s.n = cnp.PyArray_SIZE(indices) // depth
    s.row = s.update_row = row * cnp.PyArray_ITEMSIZE(updates)
    if s.n * max(s.row, <cnp.npy_intp>ROW) >= 2 * GRAIN:
        return None             # threads share it
    s.count = s.row if kind == "update" else row * parts_of_element
    s.indices = cnp.PyArray_BYTES(numbers)
    s.index_size = cnp.PyArray_ITEMSIZE(numbers)
    s.updates = cnp.PyArray_BYTES(updates)
    s.target_outer = s.update_outer = 0
    s.parts = 1
    s.shift = 0
    return numbers


cdef object run_into(PyObject** arrays, tuple attributes, object kind):
    """A copy of the first array with the slices of the third added, or put, at the rows of the second."""
    cdef cnp.ndarray whole = <cnp.ndarray>arrays[0], updates = <cnp.ndarray>arrays[2], numbers, out
    cdef Scatter s
    if attributes[0] is not False or cnp.PyArray_TYPE(whole) != cnp.PyArray_TYPE(updates):
        return None
    numbers = plan_scatter(
        &s, <cnp.ndarray>arrays[1], updates, cnp.PyArray_NDIM(whole), cnp.PyArray_DIMS(whole), kind)
    if numbers is None:
        return None
    out = copied(whole)
    s.target = cnp.PyArray_BYTES(out)
    if cnp.PyArray_SIZE(updates) > 0:
        run_scatter(&s, 0, 1)
    return out


cdef object run_add(PyObject** arrays, int count, tuple attributes):
    return run_into(arrays, attributes, "add")


cdef object run_subtract(PyObject** arrays, int count, tuple attributes):
    return run_into(arrays, attributes, "subtract")


cdef object run_update(PyObject** arrays, int count, tuple attributes):
    return run_into(arrays, attributes, "update")


cdef object run_scatter_nd(PyObject** arrays, int count, tuple attributes):
    """Zeros of the shape that the first attribute names, with the slices of the second array added."""
    cdef cnp.ndarray updates = <cnp.ndarray>arrays[1], numbers, out
    cdef cnp.npy_intp dims[MAX_DIMENSIONS]
    cdef cnp.npy_intp size = 1
    cdef Scatter s
    cdef int ndim = read_shape(attributes[0], dims), i
    if ndim < 1 or attributes[1] is not False:
        return None
    for i in range(ndim):
        if dims[i] > LARGE // size:
            return None         # the kernel finds out whether there is memory for it
        size *= max(dims[i], 1)
    numbers = plan_scatter(&s, <cnp.ndarray>arrays[0], updates, ndim, dims, "add")
    if numbers is None:
        return None
    out = zeros_array(descr_of(updates), ndim, dims)
    s.target = cnp.PyArray_BYTES(out)
    if cnp.PyArray_SIZE(updates) > 0:
        run_scatter(&s, 0, 1)
    return out


rows: Lane = lane(run_rows)
gather_nd: Lane = lane(run_gather_nd)
scatter_nd: Lane = lane(run_scatter_nd)
scatter_add: Lane = lane(run_add)
scatter_subtract: Lane = lane(run_subtract)
scatter_update: Lane = lane(run_update)

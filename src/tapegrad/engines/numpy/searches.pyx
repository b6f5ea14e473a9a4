"""Searches as lanes of their ops: where the extremes stand, any and all of truth values, how many elements are not
zero, where numbers belong among sorted ones, and which elements of a vector are distinct.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.copies cimport descr_of, plain
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.reductions cimport COUNT, along
from tapegrad.engines.numpy.threads cimport Body, parallel, run_units

cnp.import_array()

cdef extern from "searches.h" nogil:
    enum:
        COLUMNS "TAPEGRAD_SEARCH_COLUMNS"
    ctypedef struct Search "tapegrad_search":
        const void* x
        cnp.npy_int64* out
        cnp.npy_intp n, inner, blocks
        bint by_columns
    ctypedef struct Kernels "tapegrad_searches":
        Body largest, smallest
    const Kernels* kernels_at "tapegrad_searches_at" (bint is_double, int level) noexcept
    ctypedef struct Truths "tapegrad_truths":
        const cnp.npy_uint8* x
        cnp.npy_uint8* out
        cnp.npy_intp n
        int wanted
    void find_truths "tapegrad_find_truths" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept

cdef enum:
    MOST_AXES = 64
    GRAIN = 16_384              # elements for which a thread is worth it
    LONGEST = 2_000_000_000     # a column whose indices no longer fit the kernel's integers


cdef object search(PyObject** arrays, tuple attributes, bint smallest):
    """The index of the extreme along an axis as int64; None for other dtypes, empty arrays and wrong axes."""
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], out
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp units
    cdef int type_num = cnp.PyArray_TYPE(x), ndim = cnp.PyArray_NDIM(x), axis, i
    cdef object wanted = attributes[0]
    cdef const Kernels* kernels
    cdef Search work
    cdef Body body
    if (type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or cnp.PyArray_SIZE(x) == 0
            or type(wanted) is not int or not -ndim <= wanted < ndim):
        return None
    axis = wanted
    if axis < 0:
        axis += ndim
    x = plain(x)
    units = work.inner = 1
    for i in range(ndim):
        if i == axis:
            continue
        dims[i - (i > axis)] = cnp.PyArray_DIMS(x)[i]
        if i < axis:
            units *= cnp.PyArray_DIMS(x)[i]
        else:
            work.inner *= cnp.PyArray_DIMS(x)[i]
    work.n = cnp.PyArray_DIMS(x)[axis]
    if work.n >= LONGEST:
        return None
    descr = <object>cnp.PyArray_DescrFromType(cnp.NPY_INT64)
    out = new_array(<PyObject*>descr, ndim - 1, dims)
    work.x = cnp.PyArray_DATA(x)
    work.out = <cnp.npy_int64*>cnp.PyArray_DATA(out)
    work.by_columns = work.inner > 1
    work.blocks = (work.inner + COLUMNS - 1) // COLUMNS
    units *= work.blocks
    kernels = kernels_at(type_num == cnp.NPY_DOUBLE, level)
    body = kernels.smallest if smallest else kernels.largest
    if cnp.PyArray_SIZE(x) < GRAIN:
        body(&work, 0, units)
    else:
        with nogil:
            parallel(body, &work, units, max(<cnp.npy_intp>1, GRAIN * units // cnp.PyArray_SIZE(x)))
    if attributes[1].type_num == cnp.NPY_INT64:
        return out
    return (<object>out).astype(attributes[1].numpy_dtype)


cdef object run_argmax(PyObject** arrays, int count, tuple attributes):
    return search(arrays, attributes, False)


cdef object run_argmin(PyObject** arrays, int count, tuple attributes):
    return search(arrays, attributes, True)


cdef object truths(PyObject** arrays, tuple attributes, int wanted):
    """Any or all over all axes, or along the last; None where NumPy does it."""
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], out
    cdef object axis = attributes[0]
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp rows = 1
    cdef int ndim = cnp.PyArray_NDIM(x), out_ndim, i
    cdef Truths work
    if cnp.PyArray_TYPE(x) != cnp.NPY_BOOL or not cnp.PyArray_IS_C_CONTIGUOUS(x):
        return None
    if axis is None:
        out_ndim = ndim if attributes[1] else 0
        for i in range(out_ndim):
            dims[i] = 1
        work.n = cnp.PyArray_SIZE(x)
    elif type(axis) is int and (axis == -1 or axis == ndim - 1) and ndim > 0:
        for i in range(ndim - 1):
            dims[i] = cnp.PyArray_DIMS(x)[i]
            rows *= dims[i]
        out_ndim = ndim - 1
        work.n = cnp.PyArray_DIMS(x)[ndim - 1]
        if attributes[1]:
            dims[ndim - 1] = 1
            out_ndim = ndim
    else:
        return None
    descr = <object>cnp.PyArray_DescrFromType(cnp.NPY_BOOL)
    out = new_array(<PyObject*>descr, out_ndim, dims)
    work.x = <const cnp.npy_uint8*>cnp.PyArray_DATA(x)
    work.out = <cnp.npy_uint8*>cnp.PyArray_DATA(out)
    work.wanted = wanted
    run_units(find_truths, &work, rows, work.n, GRAIN)
    return out


cdef object run_any(PyObject** arrays, int count, tuple attributes):
    return truths(arrays, attributes, 1)


cdef object run_all(PyObject** arrays, int count, tuple attributes):
    return truths(arrays, attributes, 0)


# --- How many are not zero ----------------------------------------------------------------------------------

ctypedef fused counted:
    cnp.npy_bool
    cnp.npy_int32
    cnp.npy_int64


cdef cnp.npy_int64 count_nonzero_elements(const counted* x, cnp.npy_intp n) noexcept nogil:
    cdef cnp.npy_int64 nonzero_count = 0
    cdef cnp.npy_intp i
    for i in range(n):
        nonzero_count += x[i] != 0
    return nonzero_count


cdef object run_count_nonzero(PyObject** arrays, int count, tuple attributes):
    """How many elements are not zero, as int64. None for other dtypes, and for integers and truth values along axes or
    where they are many: NumPy counts those."""
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], out
    cdef int type_num = cnp.PyArray_TYPE(x), i
    cdef cnp.npy_intp n = cnp.PyArray_SIZE(x)
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_int64 nonzero_count
    if type_num == cnp.NPY_FLOAT or type_num == cnp.NPY_DOUBLE:
        return along(x, attributes[0], attributes[1], COUNT)
    if attributes[0] is not None or not cnp.PyArray_ISCARRAY_RO(x) or n > GRAIN:
        return None
    if type_num == cnp.NPY_BOOL:
        nonzero_count = count_nonzero_elements(<const cnp.npy_bool*>cnp.PyArray_DATA(x), n)
    elif type_num == cnp.NPY_INT32:
        nonzero_count = count_nonzero_elements(<const cnp.npy_int32*>cnp.PyArray_DATA(x), n)
    elif type_num == cnp.NPY_INT64:
        nonzero_count = count_nonzero_elements(<const cnp.npy_int64*>cnp.PyArray_DATA(x), n)
    else:
        return None
    for i in range(cnp.PyArray_NDIM(x)):
        dims[i] = 1
    descr = <object>cnp.PyArray_DescrFromType(cnp.NPY_INT64)
    out = new_array(<PyObject*>descr, cnp.PyArray_NDIM(x) if attributes[1] else 0, dims)
    (<cnp.npy_int64*>cnp.PyArray_DATA(out))[0] = nonzero_count
    return out


# --- Places among sorted numbers ----------------------------------------------------------------------------

ctypedef fused number:
    float
    double
    cnp.npy_int32
    cnp.npy_int64

cdef struct Places:
    const void* ordered
    const void* values
    void* out
    cnp.npy_intp length, count  # of a sorted row, and of the values that are looked up in it
    bint right, wide            # whether equal numbers are passed, and the results are int64


cdef inline bint precedes(number x, number y) noexcept nogil:
    """Whether ``x`` comes before ``y``. NaN comes after all numbers."""
    if number is float or number is double:
        return x < y or (y != y and x == x)
    else:
        return x < y


cdef inline void find_places(Places* work, Py_ssize_t begin, Py_ssize_t end, number which) noexcept nogil:
    cdef const number* ordered
    cdef number value
    cdef cnp.npy_intp low, rest, half
    cdef Py_ssize_t i
    for i in range(begin, end):
        ordered = <const number*>work.ordered + i // work.count * work.length
        value = (<const number*>work.values)[i]
        low = 0
        rest = work.length
        while rest > 0:
            half = rest >> 1
            if not precedes(value, ordered[low + half]) if work.right else precedes(ordered[low + half], value):
                low += half + 1
                rest -= half + 1
            else:
                rest = half
        if work.wide:
            (<cnp.npy_int64*>work.out)[i] = low
        else:
            (<cnp.npy_int32*>work.out)[i] = <cnp.npy_int32>low


cdef void places_of_floats(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    find_places[float](<Places*>context, begin, end, 0)


cdef void places_of_doubles(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    find_places[double](<Places*>context, begin, end, 0)


cdef void places_of_ints(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    find_places[cnp.npy_int32](<Places*>context, begin, end, 0)


cdef void places_of_longs(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    find_places[cnp.npy_int64](<Places*>context, begin, end, 0)


cdef object sorted_places(PyObject** arrays, tuple attributes, bint right):
    """Row by row, where each value belongs in the sorted row; None for other dtypes and where the rows are not the same."""
    cdef cnp.ndarray ordered = <cnp.ndarray>arrays[0], values = <cnp.ndarray>arrays[1], out
    cdef int type_num = cnp.PyArray_TYPE(ordered), out_num = attributes[0].type_num, ndim = cnp.PyArray_NDIM(values), i
    cdef Places work
    cdef Body body
    if ndim == 0 or cnp.PyArray_NDIM(ordered) != ndim:
        return None
    for i in range(ndim - 1):
        if cnp.PyArray_DIMS(ordered)[i] != cnp.PyArray_DIMS(values)[i]:
            return None
    if (cnp.PyArray_TYPE(values) != type_num
            or not cnp.PyArray_ISCARRAY_RO(ordered) or not cnp.PyArray_ISCARRAY_RO(values)
            or out_num != cnp.NPY_INT32 and out_num != cnp.NPY_INT64):
        return None
    if type_num == cnp.NPY_FLOAT:
        body = places_of_floats
    elif type_num == cnp.NPY_DOUBLE:
        body = places_of_doubles
    elif type_num == cnp.NPY_INT32:
        body = places_of_ints
    elif type_num == cnp.NPY_INT64:
        body = places_of_longs
    else:
        return None
    descr = <object>cnp.PyArray_DescrFromType(out_num)
    out = new_array(<PyObject*>descr, ndim, cnp.PyArray_DIMS(values))
    work.ordered = cnp.PyArray_DATA(ordered)
    work.values = cnp.PyArray_DATA(values)
    work.out = cnp.PyArray_DATA(out)
    work.length = cnp.PyArray_DIMS(ordered)[ndim - 1]
    work.count = max(cnp.PyArray_DIMS(values)[ndim - 1], <cnp.npy_intp>1)
    work.right = right
    work.wide = out_num == cnp.NPY_INT64
    run_units(body, &work, cnp.PyArray_SIZE(values), 16, GRAIN)
    return out


cdef object run_lower_bound(PyObject** arrays, int count, tuple attributes):
    return sorted_places(arrays, attributes, False) if cnp.PyArray_NDIM(<cnp.ndarray>arrays[1]) == 2 else None


cdef object run_upper_bound(PyObject** arrays, int count, tuple attributes):
    return sorted_places(arrays, attributes, True) if cnp.PyArray_NDIM(<cnp.ndarray>arrays[1]) == 2 else None


cdef object run_places(PyObject** arrays, int count, tuple attributes):
    return sorted_places(arrays, attributes, attributes[1])


# --- Distinct elements --------------------------------------------------------------------------------------

ctypedef fused integer:
    cnp.npy_int32
    cnp.npy_int64


cdef inline cnp.npy_intp slot_of(cnp.npy_int64 key, int shift) noexcept nogil:
    # Fibonacci hashing: neighbours among the keys lie far apart in the table.
    return <cnp.npy_intp>(<uint64_t>key * 11400714819323198485ULL >> shift)


cdef cnp.npy_intp find_distinct(const integer* x, cnp.npy_intp n, integer* distinct, cnp.npy_int32* which) noexcept nogil:
    """Write the distinct elements to ``distinct`` as they appear, and the number of each element's to ``which``.

    Returns how many there are; -1 where there is no memory for the table, which grows with what it holds.
    """
    cdef int bits = 8
    cdef cnp.npy_intp distinct_count = 0, i, j, slot, mask = (1 << bits) - 1
    # Numbers of distinct elements, each plus 1; 0 in empty places.
    cdef cnp.npy_int32* table = <cnp.npy_int32*>calloc(mask + 1, sizeof(cnp.npy_int32))
    cdef integer key
    if table == NULL:
        return -1
    for i in range(n):
        key = x[i]
        slot = slot_of(key, 64 - bits)
        while table[slot] != 0 and distinct[table[slot] - 1] != key:
            slot = (slot + 1) & mask
        if table[slot] == 0:
            distinct[distinct_count] = key
            distinct_count += 1
            table[slot] = <cnp.npy_int32>distinct_count
            which[i] = <cnp.npy_int32>(distinct_count - 1)
            if 2 * distinct_count > mask:
                bits += 2
                mask = (<cnp.npy_intp>1 << bits) - 1
                free(table)
                table = <cnp.npy_int32*>calloc(mask + 1, sizeof(cnp.npy_int32))
                if table == NULL:
                    return -1
                for j in range(distinct_count):
                    slot = slot_of(distinct[j], 64 - bits)
                    while table[slot] != 0:
                        slot = (slot + 1) & mask
                    table[slot] = <cnp.npy_int32>(j + 1)
        else:
            which[i] = table[slot] - 1
    free(table)
    return distinct_count


cdef object run_unique(PyObject** arrays, int count, tuple attributes):
    """The distinct elements of a vector of int32 or int64 as they appear, and the number of each element's."""
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], distinct, which
    cdef int type_num = cnp.PyArray_TYPE(x)
    cdef cnp.npy_intp n = cnp.PyArray_SIZE(x), distinct_count
    if (cnp.PyArray_NDIM(x) != 1 or type_num != cnp.NPY_INT32 and type_num != cnp.NPY_INT64
            or not cnp.PyArray_ISCARRAY_RO(x) or n >= LONGEST):
        return None
    descr = <object>cnp.PyArray_DescrFromType(cnp.NPY_INT32)
    which = new_array(<PyObject*>descr, 1, &n)
    distinct = new_array(descr_of(x), 1, &n)
    with nogil:
        if type_num == cnp.NPY_INT32:
            distinct_count = find_distinct(<const cnp.npy_int32*>cnp.PyArray_DATA(x), n,
                                    <cnp.npy_int32*>cnp.PyArray_DATA(distinct), <cnp.npy_int32*>cnp.PyArray_DATA(which))
        else:
            distinct_count = find_distinct(<const cnp.npy_int64*>cnp.PyArray_DATA(x), n,
                                    <cnp.npy_int64*>cnp.PyArray_DATA(distinct), <cnp.npy_int32*>cnp.PyArray_DATA(which))
    if distinct_count < 0:
        return None
    # A copy, so that no more memory is kept than there are distinct elements.
    values = (<object>distinct)[:distinct_count].copy()
    if attributes[0].type_num == cnp.NPY_INT32:
        return values, which
    return values, (<object>which).astype(attributes[0].numpy_dtype)


# --- Indices within bounds ----------------------------------------------------------------------------------

cdef bint are_below(const integer* indices, cnp.npy_intp n, cnp.npy_int64 limit) noexcept nogil:
    cdef cnp.npy_intp i
    cdef bint outside = False
    for i in range(n):
        # Negative indices are large ones without a sign.
        outside |= <uint64_t><cnp.npy_int64>indices[i] >= <uint64_t>limit
    return not outside


def within(cnp.ndarray indices not None, cnp.npy_intp limit):
    """Whether all indices are from 0 up to below ``limit``, which is not negative; of int32 or int64, else None."""
    cdef int type_num = cnp.PyArray_TYPE(indices)
    if not cnp.PyArray_ISCARRAY_RO(indices) or type_num != cnp.NPY_INT32 and type_num != cnp.NPY_INT64:
        return None
    if type_num == cnp.NPY_INT32:
        return are_below(<const cnp.npy_int32*>cnp.PyArray_DATA(indices), cnp.PyArray_SIZE(indices), limit)
    return are_below(<const cnp.npy_int64*>cnp.PyArray_DATA(indices), cnp.PyArray_SIZE(indices), limit)


lower_bound: Lane = lane(run_lower_bound)
upper_bound: Lane = lane(run_upper_bound)
places: Lane = lane(run_places)
unique: Lane = lane(run_unique)
argmax: Lane = lane(run_argmax)
argmin: Lane = lane(run_argmin)
any_true: Lane = lane(run_any)
all_true: Lane = lane(run_all)
count_nonzero: Lane = lane(run_count_nonzero)

"""Where the largest and the smallest elements stand, and any and all of truth values, as lanes of their ops."""

cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.copies cimport plain
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.threads cimport Body, parallel

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
    if cnp.PyArray_SIZE(x) < GRAIN:
        find_truths(&work, 0, rows)
    else:
        with nogil:
            parallel(find_truths, &work, rows, max(<cnp.npy_intp>1, GRAIN // max(work.n, 1)))
    return out


cdef object run_any(PyObject** arrays, int count, tuple attributes):
    return truths(arrays, attributes, 1)


cdef object run_all(PyObject** arrays, int count, tuple attributes):
    return truths(arrays, attributes, 0)


argmax: Lane = lane(run_argmax)
argmin: Lane = lane(run_argmin)
any_true: Lane = lane(run_any)
all_true: Lane = lane(run_all)

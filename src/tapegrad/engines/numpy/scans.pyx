"""Running sums and products, and the recurrence of their gradients, along an axis, as lanes of their ops."""

cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.engines.numpy.buffers cimport empty_like
from tapegrad.engines.numpy.copies cimport plain
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.threads cimport Body, parallel

cnp.import_array()

cdef extern from "scans.h" nogil:
    enum:
        ABREAST "TAPEGRAD_ABREAST"
        COLUMNS "TAPEGRAD_SCAN_COLUMNS"
    ctypedef struct Scan "tapegrad_scan":
        const void* x
        const void* decay
        void* out
        cnp.npy_intp n, inner, blocks, rows
        bint exclusive, reverse, lagged
    ctypedef struct Kernels "tapegrad_scans":
        Body sum, product, recurrence
    const Kernels* kernels_at "tapegrad_scans_at" (bint is_double, int level) noexcept

cdef enum:
    GRAIN = 16_384              # elements for which a thread is worth it
    COLUMN_GRAIN = 131_072      # of columns, which take a tenth of a nanosecond for each: less than lines of the cache that
                                # go from one processor to another


cdef enum Operation:
    SUM, PRODUCT, RECURRENCE


cdef object scan(Operation operation, cnp.ndarray x, cnp.ndarray decay, object axis, Scan* work):
    """The scan of ``x`` along ``axis``; None for other dtypes than float32 and float64, and for axes that do not fit."""
    cdef cnp.ndarray source, out, decays = None
    cdef const Kernels* kernels
    cdef int type_num = cnp.PyArray_TYPE(x), ndim = cnp.PyArray_NDIM(x), i, place
    cdef cnp.npy_intp units, size, grain
    cdef Body body
    if type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or type(axis) is not int:
        return None
    if not -ndim <= axis < ndim:
        return None
    place = axis
    if place < 0:
        place += ndim
    if decay is not None:
        if cnp.PyArray_TYPE(decay) != type_num or not cnp.PyArray_SAMESHAPE(decay, x):
            return None
        decays = plain(decay)
        work.decay = cnp.PyArray_DATA(decays)
    source = plain(x)
    out = empty_like(source)
    size = cnp.PyArray_SIZE(source)
    if size == 0:
        return out
    work.x = cnp.PyArray_DATA(source)
    work.out = cnp.PyArray_DATA(out)
    work.n = cnp.PyArray_DIMS(source)[place]
    work.rows = work.inner = 1
    for i in range(place):
        work.rows *= cnp.PyArray_DIMS(source)[i]
    for i in range(place + 1, ndim):
        work.inner *= cnp.PyArray_DIMS(source)[i]
    work.blocks = (work.inner + COLUMNS - 1) // COLUMNS
    units = work.rows * work.blocks if work.inner > 1 else (work.rows + ABREAST - 1) // ABREAST
    kernels = kernels_at(type_num == cnp.NPY_DOUBLE, level)
    body = kernels.sum if operation == SUM else kernels.product if operation == PRODUCT else kernels.recurrence
    grain = COLUMN_GRAIN if work.inner > 1 else GRAIN
    if size < grain:
        body(work, 0, units)
    else:
        with nogil:
            parallel(body, work, units, max(<cnp.npy_intp>1, grain * units // size))
    return out


cdef object run_scan(Operation operation, PyObject** arrays, tuple attributes):
    cdef Scan work
    work.decay = NULL
    work.exclusive = attributes[1]
    work.reverse = attributes[2]
    work.lagged = False
    return scan(operation, <cnp.ndarray>arrays[0], None, attributes[0], &work)


cdef object run_cumsum(PyObject** arrays, int count, tuple attributes):
    return run_scan(SUM, arrays, attributes)


cdef object run_cumprod(PyObject** arrays, int count, tuple attributes):
    return run_scan(PRODUCT, arrays, attributes)


cdef object run_recurrence(PyObject** arrays, int count, tuple attributes):
    cdef Scan work
    work.exclusive = False
    work.reverse = attributes[1]
    work.lagged = attributes[2]
    return scan(RECURRENCE, <cnp.ndarray>arrays[1], <cnp.ndarray>arrays[0], attributes[0], &work)


cumsum: Lane = lane(run_cumsum)
cumprod: Lane = lane(run_cumprod)
recurrence: Lane = lane(run_recurrence)

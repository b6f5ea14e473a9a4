"""Rows of numbers in order, and where their elements came from: NumPy's sort, row by row, on our threads."""

cimport numpy as cnp
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.engines.numpy.buffers cimport empty_like, new_array
from tapegrad.engines.numpy.copies cimport plain
from tapegrad.engines.numpy.threads cimport parallel

cnp.import_array()

cdef extern from "orders.h" nogil:
    enum:
        OF_FLOATS "TAPEGRAD_OF_FLOATS"
        OF_DOUBLES "TAPEGRAD_OF_DOUBLES"
        OF_INTS "TAPEGRAD_OF_INTS"
        OF_LONGS "TAPEGRAD_OF_LONGS"
    ctypedef int (*Sort)(void* start, cnp.npy_intp n, void* array) noexcept
    Sort quick_sort "tapegrad_quick_sort" (cnp.PyArray_Descr* descr) noexcept
    ctypedef struct Order "tapegrad_order":
        int kind
        bint descending
        Sort sort
        const char* x
        const char* dy
        char* out
        cnp.npy_intp n
        bint wide
        bint failed
    ctypedef struct Sorting "tapegrad_sorting":
        Sort sort
        const char* x
        char* out
        cnp.npy_intp n, item
        void* array
    void order_rows "tapegrad_order_rows" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept
    void sort_rows "tapegrad_sort_rows" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept

cdef enum:
    GRAIN = 2_048               # elements for which a thread is worth it
    NARROW = 2_147_483_647      # a row whose places no longer fit int32
    LONGEST = 4_294_967_296     # and 32 bits, which is what keys have for them

cdef cnp.dtype KEYS = np.dtype(np.uint64)


def sort(object array):
    """A sorted copy of integers or floats, row by row: as `numpy.sort` makes it, with NaN as the largest number."""
    cdef cnp.ndarray x = plain(array), out
    cdef Sorting work
    cdef cnp.npy_intp rows
    if not (cnp.PyArray_ISINTEGER(x) or cnp.PyArray_ISFLOAT(x)):
        raise TypeError(f"integers or floats are expected, not {x.dtype}")
    if cnp.PyArray_NDIM(x) == 0 or cnp.PyArray_SIZE(x) == 0:
        return np.sort(x)
    out = empty_like(x)
    work.n = cnp.PyArray_DIMS(x)[cnp.PyArray_NDIM(x) - 1]
    work.item = cnp.PyArray_ITEMSIZE(x)
    work.sort = quick_sort(cnp.PyArray_DESCR(x))
    work.x = cnp.PyArray_BYTES(x)
    work.out = cnp.PyArray_BYTES(out)
    work.array = <void*>out
    rows = cnp.PyArray_SIZE(x) // work.n
    with nogil:
        parallel(sort_rows, &work, rows, max(<cnp.npy_intp>1, GRAIN // work.n))
    return out


cdef object ordered(object array, object dy, bint descending, bint wide):
    """Places, of 8 bytes if ``wide``; or the elements of ``dy`` moved back to the places they came from."""
    cdef cnp.ndarray x = plain(array), out
    cdef cnp.ndarray gradient = None if dy is None else plain(dy)
    cdef cnp.npy_intp rows
    cdef Order work
    cdef int item = cnp.PyArray_ITEMSIZE(x)
    cdef bint single = item == 4
    if (not (cnp.PyArray_ISFLOAT(x) or cnp.PyArray_ISSIGNED(x)) or not (single or item == 8)
            or cnp.PyArray_NDIM(x) == 0):
        raise TypeError(f"rows of float32, float64, int32 or int64 are expected, not an array of {x.dtype} with {x.ndim} axes")
    if gradient is not None and (gradient.dtype != x.dtype or not cnp.PyArray_SAMESHAPE(gradient, x)):
        raise ValueError("gradients have the dtype and the shape of what they are of")
    if cnp.PyArray_ISFLOAT(x):
        work.kind = OF_FLOATS if single else OF_DOUBLES
    else:
        work.kind = OF_INTS if single else OF_LONGS
    work.descending = descending
    work.sort = quick_sort(<cnp.PyArray_Descr*>KEYS)
    work.wide = wide
    work.failed = False
    work.x = cnp.PyArray_BYTES(x)
    if gradient is None:
        descr = <object>cnp.PyArray_DescrFromType(cnp.NPY_INT64 if wide else cnp.NPY_INT32)
        out = new_array(<PyObject*>descr, cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x))
        work.dy = NULL
    else:
        out = empty_like(gradient)
        work.dy = cnp.PyArray_BYTES(gradient)
    if cnp.PyArray_SIZE(x) == 0:
        return out
    work.out = cnp.PyArray_BYTES(out)
    work.n = cnp.PyArray_DIMS(x)[cnp.PyArray_NDIM(x) - 1]
    if work.n > LONGEST or (work.n > NARROW and not wide):
        raise MemoryError(f"a row of {work.n} elements is too long to be ordered")
    rows = cnp.PyArray_SIZE(x) // work.n
    with nogil:
        parallel(order_rows, &work, rows, max(<cnp.npy_intp>1, GRAIN // work.n))
    if work.failed:
        raise MemoryError(f"no memory for the keys of {work.n} elements")
    return out


def places(object array, bint descending, bint wide):
    """The indices that sort each row of float32, float64, int32 or int64. Equal elements keep their order.

    They are int64 if ``wide``, and otherwise int32.
    """
    return ordered(array, None, descending, wide)


def put_back(object array, object dy, bint descending):
    """``dy``, whose rows belong to the sorted rows of ``array``, in the order of ``array``; both have one dtype."""
    return ordered(array, dy, descending, True)

"""The few largest elements of each row and their places, as the lane of top_k."""

cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.copies cimport descr_of, plain
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.threads cimport run_units

cnp.import_array()

cdef extern from "ranks.h" nogil:
    enum:
        MOST "TAPEGRAD_MOST_RANKS"
    ctypedef struct Ranking "tapegrad_ranking":
        const void* x
        void* values
        cnp.npy_int32* places
        cnp.npy_intp n
        int k
    ctypedef struct Kernels "tapegrad_ranks":
        void (*largest)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
    const Kernels* kernels_at "tapegrad_ranks_at" (bint is_double, int level) noexcept

cdef enum:
    MOST_AXES = 64
    GRAIN = 16_384              # elements for which a thread is worth it
    LONGEST = 2_000_000_000     # a row whose places no longer fit int32


cdef object run_top_k(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], values, places
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp rows
    cdef int type_num = cnp.PyArray_TYPE(x), ndim = cnp.PyArray_NDIM(x), i
    cdef const Kernels* kernels
    cdef Ranking work
    if (type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or ndim == 0 or cnp.PyArray_SIZE(x) == 0
            or not 1 <= attributes[0] <= MOST):
        return None
    work.k = attributes[0]
    work.n = cnp.PyArray_DIMS(x)[ndim - 1]
    if work.k > work.n or work.n > LONGEST:
        return None
    x = plain(x)
    for i in range(ndim - 1):
        dims[i] = cnp.PyArray_DIMS(x)[i]
    dims[ndim - 1] = work.k
    rows = cnp.PyArray_SIZE(x) // work.n
    values = new_array(descr_of(x), ndim, dims)
    descr = <object>cnp.PyArray_DescrFromType(cnp.NPY_INT32)
    places = new_array(<PyObject*>descr, ndim, dims)
    work.x = cnp.PyArray_DATA(x)
    work.values = cnp.PyArray_DATA(values)
    work.places = <cnp.npy_int32*>cnp.PyArray_DATA(places)
    kernels = kernels_at(type_num == cnp.NPY_DOUBLE, level)
    run_units(kernels.largest, &work, rows, work.n, GRAIN)
    if attributes[2].type_num == cnp.NPY_INT32:
        return values, places
    return values, (<object>places).astype(attributes[2].numpy_dtype)


top_k: Lane = lane(run_top_k)

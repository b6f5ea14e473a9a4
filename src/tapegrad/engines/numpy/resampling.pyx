"""Pictures resampled along an axis, moments of short rows, and biases added to rows."""

cimport numpy as cnp
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.copies cimport descr_of, plain, plain_of_type
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.loops cimport Loop, Loops, run_binary
from tapegrad.engines.numpy.threads cimport parallel

cnp.import_array()

cdef extern from "resampling.h" nogil:
    ctypedef struct Resampling "tapegrad_resampling":
        const void* x
        void* out
        const cnp.npy_int64* indices
        const void* weights
        cnp.npy_intp old, new_rows, inner, count
    ctypedef struct RowMoments "tapegrad_row_moments":
        const void* x
        void* mean
        void* variance
        cnp.npy_intp n
    ctypedef struct Kernels "tapegrad_row_sums":
        void (*resample)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
        void (*moments)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
    const Kernels* kernels_at "tapegrad_row_sums_at" (bint is_double, int level) noexcept

cdef enum:
    MOST_AXES = 32
    GRAIN = 16_384              # elements for which a thread is worth it
    SHORT = 4_096               # elements of a row that is read twice from the first cache

cdef Loops additions = Loops(np.add)


def weighted_rows(cnp.ndarray x not None, int axis, indices, weights):
    """``x`` with sums of its slices along ``axis``: one for each row of ``indices``, weighted by ``weights``.

    None for other dtypes than float32 and float64. The indices lie within the axis, and a weight of 0 leaves out what
    it belongs to.
    """
    cdef int type_num = cnp.PyArray_TYPE(x), ndim = cnp.PyArray_NDIM(x), i
    cdef cnp.ndarray given, places, factors, out
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp outer = 1, size
    cdef const Kernels* kernels
    cdef Resampling work
    if (type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or ndim > MOST_AXES or not 0 <= axis < ndim
            or (<object>weights).shape != (<object>indices).shape or cnp.PyArray_SIZE(x) == 0):
        return None
    given = plain(x)
    places = plain_of_type(indices, cnp.NPY_INT64)
    for i in range(cnp.PyArray_SIZE(places)):
        if not 0 <= (<cnp.npy_int64*>cnp.PyArray_DATA(places))[i] < cnp.PyArray_DIMS(x)[axis]:
            raise ValueError("an index lies outside the axis")
    factors = plain_of_type(weights, type_num)
    work.inner = 1
    for i in range(ndim):
        dims[i] = cnp.PyArray_DIMS(given)[i]
        if i < axis:
            outer *= dims[i]
        elif i > axis:
            work.inner *= dims[i]
    work.old = dims[axis]
    work.new_rows = dims[axis] = cnp.PyArray_DIMS(places)[0]
    work.count = cnp.PyArray_DIMS(places)[1]
    out = new_array(descr_of(given), ndim, dims)
    work.x = cnp.PyArray_DATA(given)
    work.out = cnp.PyArray_DATA(out)
    work.indices = <const cnp.npy_int64*>cnp.PyArray_DATA(places)
    work.weights = cnp.PyArray_DATA(factors)
    kernels = kernels_at(type_num == cnp.NPY_DOUBLE, level)
    size = cnp.PyArray_SIZE(out) * max(work.count, <cnp.npy_intp>1)
    if size < GRAIN:
        kernels.resample(&work, 0, outer * work.new_rows)
    else:
        with nogil:
            parallel(kernels.resample, &work, outer * work.new_rows,
                     max(<cnp.npy_intp>1, GRAIN // max(work.inner * work.count, <cnp.npy_intp>1)))
    return out


cdef object run_moments(PyObject** arrays, int count, tuple attributes):
    """Mean and variance over the last axes, where they are short rows of a contiguous array; else None."""
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], mean, variance
    cdef int type_num = cnp.PyArray_TYPE(x), ndim = cnp.PyArray_NDIM(x), i, first
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp rows = 1
    cdef const Kernels* kernels
    cdef RowMoments work
    axes = attributes[0]
    if (type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or not cnp.PyArray_ISCARRAY_RO(x)
            or type(axes) is not tuple or len(<tuple>axes) == 0 or len(<tuple>axes) > ndim or ndim > MOST_AXES):
        return None
    first = ndim - <int>len(<tuple>axes)
    for i in range(first, ndim):
        if (<tuple>axes)[i - first] != i:
            return None
    work.n = 1
    for i in range(ndim):
        dims[i] = cnp.PyArray_DIMS(x)[i]
        if i < first:
            rows *= dims[i]
        else:
            work.n *= dims[i]
            dims[i] = 1
    if not 0 < work.n <= SHORT:
        return None
    mean = new_array(descr_of(x), ndim if attributes[1] else first, dims)
    variance = new_array(descr_of(x), ndim if attributes[1] else first, dims)
    work.x = cnp.PyArray_DATA(x)
    work.mean = cnp.PyArray_DATA(mean)
    work.variance = cnp.PyArray_DATA(variance)
    kernels = kernels_at(type_num == cnp.NPY_DOUBLE, level)
    if rows * work.n < GRAIN:
        kernels.moments(&work, 0, rows)
    else:
        with nogil:
            parallel(kernels.moments, &work, rows, max(<cnp.npy_intp>1, GRAIN // work.n))
    return mean, variance


cdef object run_bias_add(PyObject** arrays, int count, tuple attributes):
    """The sum with a bias along the last axis; None for other layouts and wrong shapes."""
    cdef cnp.ndarray value = <cnp.ndarray>arrays[0], bias = <cnp.ndarray>arrays[1]
    cdef int ndim = cnp.PyArray_NDIM(value), type_num = cnp.PyArray_TYPE(value)
    cdef Loop* loop
    if (ndim < 2 or cnp.PyArray_NDIM(bias) != 1 or attributes[0] != "NHWC" or cnp.PyArray_TYPE(bias) != type_num
            or cnp.PyArray_DIMS(bias)[0] != cnp.PyArray_DIMS(value)[ndim - 1]):
        return None
    loop = additions.find(type_num)
    return None if loop == NULL else run_binary(loop, value, bias)


moments: Lane = lane(run_moments)
bias_add: Lane = lane(run_bias_add)

"""Pictures resampled along an axis, responses of short rows, and biases added to rows."""

cimport numpy as cnp
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.copies cimport descr_of, plain, contiguous_of_type
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
    ctypedef struct Response "tapegrad_response":
        const void* x
        void* out
        cnp.npy_intp n, radius
        double bias, alpha, power
    ctypedef struct Kernels "tapegrad_row_sums":
        void (*resample)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
        void (*neighbours)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
        void (*respond)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
    const Kernels* kernels_at "tapegrad_row_sums_at" (bint is_double, int level) noexcept

cdef enum:
    MOST_AXES = 32
    GRAIN = 16_384              # elements for which a thread is worth it
    MOST_KNOWN = 64             # sizes of pictures that each method remembers

cdef Loops additions = Loops(np.add)


# --- Resampling ---------------------------------------------------------------------------------------

cdef int check_taps(cnp.ndarray places, cnp.ndarray factors, cnp.npy_intp old) except -1:
    """Raise unless every index lies in an axis of length ``old``, and has a weight."""
    cdef cnp.npy_intp i
    if (cnp.PyArray_NDIM(places) != 2 or cnp.PyArray_NDIM(factors) != 2
            or cnp.PyArray_DIMS(places)[0] != cnp.PyArray_DIMS(factors)[0]
            or cnp.PyArray_DIMS(places)[1] != cnp.PyArray_DIMS(factors)[1]):
        raise ValueError("a matrix of indices and one of as many weights were expected")
    for i in range(cnp.PyArray_SIZE(places)):
        if not 0 <= (<cnp.npy_int64*>cnp.PyArray_DATA(places))[i] < old:
            raise ValueError("an index lies outside the axis")
    return 0


cdef cnp.ndarray apply_weights(cnp.ndarray x, int axis, cnp.ndarray places, cnp.ndarray factors):
    """`weighted_rows` for plain arrays, and for taps that were checked."""
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp outer = 1, size
    cdef cnp.ndarray out
    cdef const Kernels* kernels = kernels_at(cnp.PyArray_TYPE(x) == cnp.NPY_DOUBLE, level)
    cdef Resampling work
    cdef int i
    work.inner = 1
    for i in range(cnp.PyArray_NDIM(x)):
        dims[i] = cnp.PyArray_DIMS(x)[i]
        if i < axis:
            outer *= dims[i]
        elif i > axis:
            work.inner *= dims[i]
    work.old = dims[axis]
    work.new_rows = dims[axis] = cnp.PyArray_DIMS(places)[0]
    work.count = cnp.PyArray_DIMS(places)[1]
    out = new_array(descr_of(x), cnp.PyArray_NDIM(x), dims)
    work.x = cnp.PyArray_DATA(x)
    work.out = cnp.PyArray_DATA(out)
    work.indices = <const cnp.npy_int64*>cnp.PyArray_DATA(places)
    work.weights = cnp.PyArray_DATA(factors)
    size = cnp.PyArray_SIZE(out) * max(work.count, <cnp.npy_intp>1)
    if size < GRAIN:
        kernels.resample(&work, 0, outer * work.new_rows)
    else:
        with nogil:
            parallel(kernels.resample, &work, outer * work.new_rows,
                     max(<cnp.npy_intp>1, GRAIN // max(work.inner * work.count, <cnp.npy_intp>1)))
    return out


def weighted_rows(cnp.ndarray x not None, int axis, indices, weights):
    """``x`` with sums of its slices along ``axis``: one for each row of ``indices``, weighted by ``weights``.

    None for other dtypes than float32 and float64. The indices lie within the axis, and a weight of 0 leaves out what
    it belongs to.
    """
    cdef int type_num = cnp.PyArray_TYPE(x), ndim = cnp.PyArray_NDIM(x)
    cdef cnp.ndarray places, factors
    if (type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or ndim > MOST_AXES or not 0 <= axis < ndim
            or cnp.PyArray_SIZE(x) == 0):
        return None
    places = contiguous_of_type(indices, cnp.NPY_INT64)
    factors = contiguous_of_type(weights, type_num)
    check_taps(places, factors, cnp.PyArray_DIMS(x)[axis])
    return apply_weights(plain(x), axis, places, factors)


cdef class Resizing:
    """The taps of the rows and of the columns of pictures of one size that are made pictures of another."""

    cdef cnp.ndarray row_places, row_factors, column_places, column_factors


cdef dict nearest_known = {}
cdef dict bilinear_known = {}
cdef dict bicubic_known = {}
cdef dict area_known = {}


cdef dict known_sizes(str method):
    if method == "nearest":
        return nearest_known
    if method == "bilinear":
        return bilinear_known
    return bicubic_known if method == "bicubic" else area_known


def remember_taps(str method not None, cnp.npy_intp height, cnp.npy_intp width, tuple attributes not None, rows, columns):
    """Let the lane of the method resize pictures of this height and width when it is called with these attributes.

    ``rows`` and ``columns`` are indices and weights, as `weighted_rows` takes them.
    """
    cdef Resizing resizing = Resizing.__new__(Resizing)
    cdef dict known = known_sizes(method)
    resizing.row_places, resizing.row_factors = contiguous_of_type(rows[0], cnp.NPY_INT64), contiguous_of_type(rows[1], cnp.NPY_FLOAT)
    resizing.column_places = contiguous_of_type(columns[0], cnp.NPY_INT64)
    resizing.column_factors = contiguous_of_type(columns[1], cnp.NPY_FLOAT)
    check_taps(resizing.row_places, resizing.row_factors, height)
    check_taps(resizing.column_places, resizing.column_factors, width)
    if len(known) >= MOST_KNOWN:
        known.clear()
    known[(height, width, attributes)] = resizing


cdef object resize(PyObject** arrays, tuple attributes, dict known):
    cdef cnp.ndarray images = <cnp.ndarray>arrays[0]
    cdef Resizing resizing
    if (cnp.PyArray_TYPE(images) != cnp.NPY_FLOAT or cnp.PyArray_NDIM(images) != 4
            or not cnp.PyArray_ISCARRAY_RO(images) or cnp.PyArray_SIZE(images) == 0):
        return None
    resizing = known.get((cnp.PyArray_DIMS(images)[1], cnp.PyArray_DIMS(images)[2], attributes))
    if resizing is None:
        return None
    # The axis that makes the smaller picture comes first.
    if (cnp.PyArray_DIMS(resizing.column_places)[0] * cnp.PyArray_DIMS(images)[1]
            < cnp.PyArray_DIMS(resizing.row_places)[0] * cnp.PyArray_DIMS(images)[2]):
        images = apply_weights(images, 2, resizing.column_places, resizing.column_factors)
        return apply_weights(images, 1, resizing.row_places, resizing.row_factors)
    images = apply_weights(images, 1, resizing.row_places, resizing.row_factors)
    return apply_weights(images, 2, resizing.column_places, resizing.column_factors)


cdef object run_nearest(PyObject** arrays, int count, tuple attributes):
    return resize(arrays, attributes, nearest_known)


cdef object run_bilinear(PyObject** arrays, int count, tuple attributes):
    return resize(arrays, attributes, bilinear_known)


cdef object run_bicubic(PyObject** arrays, int count, tuple attributes):
    return resize(arrays, attributes, bicubic_known)


cdef object run_area(PyObject** arrays, int count, tuple attributes):
    return resize(arrays, attributes, area_known)


# --- Rows ---------------------------------------------------------------------------------------------

cdef object along_rows(cnp.ndarray x, Response* work, bint respond):
    """What one of the kernels of `tapegrad_response` gives; None for other dtypes and layouts."""
    cdef int type_num = cnp.PyArray_TYPE(x), ndim = cnp.PyArray_NDIM(x)
    cdef const Kernels* kernels
    cdef cnp.ndarray out
    cdef cnp.npy_intp rows
    if (type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or ndim == 0 or not cnp.PyArray_ISCARRAY_RO(x)
            or cnp.PyArray_SIZE(x) == 0 or work.radius < 0):
        return None
    kernels = kernels_at(type_num == cnp.NPY_DOUBLE, level)
    out = new_array(descr_of(x), ndim, cnp.PyArray_DIMS(x))
    work.n = cnp.PyArray_DIMS(x)[ndim - 1]
    work.x = cnp.PyArray_DATA(x)
    work.out = cnp.PyArray_DATA(out)
    rows = cnp.PyArray_SIZE(x) // work.n
    with nogil:
        parallel(kernels.respond if respond else kernels.neighbours, work, rows,
                 max(<cnp.npy_intp>1, GRAIN // (work.n * (2 * min(work.radius, work.n) + 1))))
    return out


def sum_of_neighbours(cnp.ndarray x not None, cnp.npy_intp radius):
    """The sum of each element and those up to ``radius`` away along the last axis; None for other layouts than plain."""
    cdef Response work
    work.radius = radius
    return along_rows(x, &work, False)


cdef object run_response(PyObject** arrays, int count, tuple attributes):
    """Normalisation by neighbouring channels, for the powers that are roots."""
    cdef Response work
    work.power = attributes[3]
    if work.power != 0.5 and work.power != 0.75 and work.power != 1 or cnp.PyArray_NDIM(<cnp.ndarray>arrays[0]) != 4:
        return None
    work.radius = min(attributes[0], cnp.PyArray_DIMS(<cnp.ndarray>arrays[0])[3])
    work.bias = attributes[1]
    work.alpha = attributes[2]
    return along_rows(<cnp.ndarray>arrays[0], &work, True)


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


nearest: Lane = lane(run_nearest)
bilinear: Lane = lane(run_bilinear)
bicubic: Lane = lane(run_bicubic)
area: Lane = lane(run_area)
bias_add: Lane = lane(run_bias_add)
response: Lane = lane(run_response)

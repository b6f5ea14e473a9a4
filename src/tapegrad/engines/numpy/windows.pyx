"""Maxima, dilations and means over windows, and convolutions with filters for each channel, with channels last.

`steps` is always (strides, dilations, padding before, output sizes), each with a number for each of the one to three
spatial axes; `window` has the sizes of the window. Threads share lines of positions, or images and channels where
windows of different lines write to the same places. So no two threads add to one number, and the order of a sum does
not depend on the threads.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stddef cimport ptrdiff_t

from math import prod

import numpy as np

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.buffers import empty
from tapegrad.engines.numpy.copies cimport descr_of, plain
from tapegrad.engines.numpy.epilogues cimport Epilogue, Stages
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.threads cimport Body, parallel

cnp.import_array()

cdef extern from "window_calls.h" nogil:
    enum:
        AXES "TAPEGRAD_WINDOW_AXES"
        MAXIMUM "TAPEGRAD_MAXIMUM"
        MAXIMUM_GRADIENT "TAPEGRAD_MAXIMUM_GRADIENT"
        MAXIMUM_GATHER "TAPEGRAD_MAXIMUM_GATHER"
        MAXIMUM_PLACE "TAPEGRAD_MAXIMUM_PLACE"
        DILATION "TAPEGRAD_DILATION"
        DILATION_TAP "TAPEGRAD_DILATION_TAP"
        DILATION_GRADIENT "TAPEGRAD_DILATION_GRADIENT"
        MEAN "TAPEGRAD_MEAN"
        MEAN_GRADIENT "TAPEGRAD_MEAN_GRADIENT"
        DEPTHWISE "TAPEGRAD_DEPTHWISE"
        DEPTHWISE_BY_INPUT "TAPEGRAD_DEPTHWISE_BY_INPUT"
        DEPTHWISE_BY_FILTER "TAPEGRAD_DEPTHWISE_BY_FILTER"

    ctypedef struct Axis "tapegrad_window_axis":
        ptrdiff_t size, count, step, rate, before, taps

    ctypedef struct Windows "tapegrad_windows":
        Axis axes[3]
        ptrdiff_t batch, channels, multiplier, block, slice
        const void* x
        const void* out
        const void* values
        const void* weights
        void* result
        bint all, store
        const Stages* epilogue

    Body of_reals "tapegrad_window_of_reals" (int level, int type, int body) noexcept
    Body of_signed "tapegrad_window_of_signed" (int level, int type, int body) noexcept
    Body of_unsigned "tapegrad_window_of_unsigned" (int level, int type, int body) noexcept

cdef enum:
    GRAIN = 16_384              # elements for which a thread is worth it
    BLOCK = 32                  # channels to a piece of work that has all positions of an image
    SLICES = 32                 # of the sum over all positions that a depthwise filter's gradient is
    SLICED = 1 << 20            # numbers that all slices may have

# Sizes, strides and paddings are below this, so that their sums do not overflow.
cdef ptrdiff_t MOST = <ptrdiff_t>1 << 60


cdef Body body_for(cnp.ndarray array, int which) except *:
    cdef str kind = array.dtype.kind
    cdef int size = cnp.PyArray_ITEMSIZE(array)
    cdef Body body = NULL
    cdef int type
    if kind == "f" and 4 <= size <= 8:
        body = of_reals(level, size // 8, which)
    elif kind == "i" or kind == "u":
        type = (size > 1) + (size > 2) + (size > 4)
        body = of_signed(level, type, which) if kind == "i" else of_unsigned(level, type, which)
    if body == NULL:
        raise TypeError(f"windows of {array.dtype} are not supported")
    return body


cdef int read(Windows* windows, tuple shape, tuple window, tuple steps) except -1:
    cdef tuple strides, dilations, before, output
    cdef Py_ssize_t spatial = len(shape) - 2, i
    cdef Axis* along
    cdef int axis
    strides, dilations, before, output = steps
    if not 1 <= spatial <= AXES or not (
            len(window) == len(strides) == len(dilations) == len(before) == len(output) == spatial):
        raise ValueError("windows have one to three spatial axes, the same everywhere")
    for axis in range(AXES):
        i = axis - AXES + spatial
        along = &windows.axes[axis]
        if i < 0:
            along.size = along.count = along.step = along.rate = along.taps = 1
            along.before = 0
            continue
        along.size = shape[i + 1]
        along.count = output[i]
        along.step = strides[i]
        along.rate = dilations[i]
        along.before = before[i]
        along.taps = window[i]
        if not (0 < along.step < MOST and 0 < along.rate < MOST and 0 <= along.before < MOST and 0 < along.taps
                and along.taps * <object>along.rate < MOST and along.count * <object>along.step < 2 * <object>MOST):
            raise ValueError("windows, strides and paddings must be positive, and below 2**60")
    windows.batch = shape[0]
    windows.channels = shape[spatial + 1]
    windows.multiplier = 1
    windows.block = windows.slice = 0
    windows.all = windows.store = False
    return 0


cdef tuple result_shape(Windows* windows, tuple steps):
    return (windows.batch, *steps[3], windows.channels * windows.multiplier)


cdef ptrdiff_t grain_for(double elements) noexcept nogil:
    """For how many pieces of work, of so many elements each, a thread is worth it."""
    return <ptrdiff_t>(GRAIN / (elements + 1)) + 1


cdef double window_size(Windows* windows) noexcept nogil:
    # A pool's window may be larger than the input; only the elements inside are work.
    cdef double size = 1
    cdef int i
    for i in range(AXES):
        size *= min(windows.axes[i].taps, windows.axes[i].size)
    return size


cdef void by_lines(Body body, Windows* windows) noexcept nogil:
    """``body`` over all lines of positions."""
    cdef Axis* axes = windows.axes
    if axes[2].count == 0 or windows.channels == 0:
        return                  # there may be very many lines, all without elements
    parallel(body, windows, windows.batch * axes[0].count * axes[1].count,
             grain_for(window_size(windows) * axes[2].count * windows.channels * windows.multiplier))


cdef void clear(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef char* bytes = <char*>context
    cdef Py_ssize_t i
    for i in range(begin, end):
        bytes[i] = 0


cdef void scatter(Body body, Windows* windows, ptrdiff_t size, bint may_store) noexcept nogil:
    """``body`` over all windows, each of which writes to its places of a result of ``size`` bytes.

    ``may_store``: where windows are apart and cover the result, ``body`` need not add to what is there.
    """
    cdef Axis* axes = windows.axes
    cdef bint overlap = False, apart = True, covering = True
    cdef ptrdiff_t extent
    cdef int i
    for i in range(AXES):
        extent = (axes[i].taps - 1) * axes[i].rate + 1
        apart = apart and axes[i].step >= extent
        overlap = overlap or (i < AXES - 1 and axes[i].step < extent)
        covering = covering and (
            axes[i].rate == 1 and axes[i].step <= extent
            and axes[i].count * axes[i].step - axes[i].before >= axes[i].size)
    windows.store = may_store and apart and covering
    if not windows.store:
        parallel(clear, windows.result, size, 8 * GRAIN)
    if not overlap:
        by_lines(body, windows)
        return
    if axes[0].count == 0 or axes[1].count == 0 or axes[2].count == 0:
        return
    windows.block = BLOCK
    parallel(body, windows, windows.batch * ((windows.channels + BLOCK - 1) // BLOCK),
             grain_for(window_size(windows) * axes[0].count * axes[1].count * axes[2].count
                       * min(BLOCK, windows.channels) * windows.multiplier))


cdef cnp.ndarray expect(object array, tuple shape, str what, cnp.ndarray like):
    if (<object>array).shape != shape:
        raise ValueError(f"{what} must have shape {list(shape)}, not {list(array.shape)}")
    if (<object>array).dtype != like.dtype:
        raise TypeError(f"{what} must be of {like.dtype}, not of {array.dtype}")
    return plain(array)


cdef cnp.ndarray pooled(object x, tuple window, tuple steps, int kind):
    cdef cnp.ndarray source = plain(x), result
    cdef Body body = body_for(source, kind)
    cdef Windows windows
    read(&windows, (<object>source).shape, window, steps)
    result = empty(result_shape(&windows, steps), source.dtype)
    windows.x = cnp.PyArray_DATA(source)
    windows.result = cnp.PyArray_DATA(result)
    with nogil:
        by_lines(body, &windows)
    return result


def max_pool(x, tuple window not None, tuple steps not None):
    """The largest element of each window; NaN loses against any number."""
    return pooled(x, window, steps, MAXIMUM)


cdef bint read_pictures(Windows* windows, cnp.ndarray x, object window, object strides, object padding) except -1:
    """Describe windows over pictures, whose attributes are those of the ops. Returns False where the kernel has to."""
    cdef Axis* along
    cdef ptrdiff_t reach
    cdef int i
    if (cnp.PyArray_NDIM(x) != 4 or type(window) is not tuple or type(strides) is not tuple or type(padding) is not str
            or len(<tuple>window) != 4 or len(<tuple>strides) != 4 or padding != "VALID" and padding != "SAME"):
        return False
    if window[0] != 1 or window[3] != 1 or strides[0] != 1 or strides[3] != 1:
        return False
    for i in range(1, 3):
        along = &windows.axes[i]
        along.size = cnp.PyArray_DIMS(x)[i]
        along.taps = window[i]
        along.step = strides[i]
        along.rate = 1
        along.before = 0
        if not (0 < along.taps <= along.size and 0 < along.step < MOST):
            return False
        if padding == "VALID":
            along.count = (along.size - along.taps) // along.step + 1
        else:
            along.count = (along.size - 1) // along.step + 1
            reach = (along.count - 1) * along.step + along.taps - along.size
            along.before = reach // 2 if reach > 0 else 0
    along = &windows.axes[0]
    along.size = along.count = along.step = along.rate = along.taps = 1
    along.before = 0
    windows.batch = cnp.PyArray_DIMS(x)[0]
    windows.channels = cnp.PyArray_DIMS(x)[3]
    windows.multiplier = 1
    windows.block = windows.slice = 0
    windows.all = windows.store = False
    return True


cdef object pool_pictures(cnp.ndarray x, int which, tuple attributes, object layout):
    """Pictures of floats pooled, channels last; None for all else."""
    cdef Windows windows
    cdef cnp.npy_intp dims[4]
    cdef cnp.ndarray result
    cdef int type_num = cnp.PyArray_TYPE(x)
    cdef Body body
    if (type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or not cnp.PyArray_ISCARRAY_RO(x)
            or cnp.PyArray_SIZE(x) == 0 or layout != "NHWC"
            or not read_pictures(&windows, x, attributes[0], attributes[1], attributes[2])):
        return None
    dims[0] = windows.batch
    dims[1] = windows.axes[1].count
    dims[2] = windows.axes[2].count
    dims[3] = windows.channels
    result = new_array(descr_of(x), 4, dims)
    body = of_reals(level, type_num == cnp.NPY_DOUBLE, which)
    windows.x = cnp.PyArray_DATA(x)
    windows.result = cnp.PyArray_DATA(result)
    with nogil:
        by_lines(body, &windows)
    return result


cdef object run_average_pool(PyObject** arrays, int count, tuple attributes):
    return pool_pictures(<cnp.ndarray>arrays[0], MEAN, attributes, attributes[3])


cdef object run_max_pool(PyObject** arrays, int count, tuple attributes):
    return None if attributes[3] else pool_pictures(<cnp.ndarray>arrays[0], MAXIMUM, attributes, attributes[4])


average_pool_lane: Lane = lane(run_average_pool)
max_pool_lane: Lane = lane(run_max_pool)


def max_pool_gradient(x, out, dy, tuple window not None, tuple steps not None, bint all):
    """The gradient of `max_pool`, whose result was ``out``, by ``x``: to the first maximum of a window, or to all."""
    cdef cnp.ndarray source = plain(x), maxima, gradient, result
    cdef Body body = body_for(source, MAXIMUM_GRADIENT)
    cdef Windows windows
    cdef ptrdiff_t size
    read(&windows, (<object>source).shape, window, steps)
    maxima = expect(out, result_shape(&windows, steps), "the result of pooling", source)
    gradient = expect(dy, result_shape(&windows, steps), "the gradient", source)
    result = empty((<object>source).shape, source.dtype)
    windows.x = cnp.PyArray_DATA(source)
    windows.out = cnp.PyArray_DATA(maxima)
    windows.values = cnp.PyArray_DATA(gradient)
    windows.result = cnp.PyArray_DATA(result)
    windows.all = all
    size = cnp.PyArray_NBYTES(result)
    with nogil:
        scatter(body, &windows, size, not all)
    return result


def max_pool_gather(x, out, values, tuple window not None, tuple steps not None, bint all):
    """``values`` at the first maximum of each window, or their sum over all: the transpose of `max_pool_gradient`."""
    cdef cnp.ndarray source = plain(x), maxima, gradient, result
    cdef Body body = body_for(source, MAXIMUM_GATHER)
    cdef Windows windows
    read(&windows, (<object>source).shape, window, steps)
    maxima = expect(out, result_shape(&windows, steps), "the result of pooling", source)
    gradient = expect(values, (<object>source).shape, "the gradient", source)
    result = empty((<object>maxima).shape, source.dtype)
    windows.x = cnp.PyArray_DATA(source)
    windows.out = cnp.PyArray_DATA(maxima)
    windows.values = cnp.PyArray_DATA(gradient)
    windows.result = cnp.PyArray_DATA(result)
    windows.all = all
    with nogil:
        by_lines(body, &windows)
    return result


def max_pool_places(x, tuple window not None, tuple steps not None):
    """The index of each window's first maximum among all numbers of its image; of a NaN that comes first."""
    cdef cnp.ndarray source = plain(x), result
    cdef Body body = body_for(source, MAXIMUM_PLACE)
    cdef Windows windows
    read(&windows, (<object>source).shape, window, steps)
    result = empty(result_shape(&windows, steps), np.int64)
    windows.x = cnp.PyArray_DATA(source)
    windows.result = cnp.PyArray_DATA(result)
    with nogil:
        by_lines(body, &windows)
    return result


cdef cnp.ndarray read_dilation(Windows* windows, x, filters, tuple steps):
    """As `read`, for filters of (*window, channels). Returns these as they stay in memory while they are used."""
    cdef cnp.ndarray source = <cnp.ndarray?>x, weights
    cdef tuple window = filters.shape[:filters.ndim - 1]
    read(windows, (<object>source).shape, window, steps)
    weights = expect(filters, (*window, windows.channels), "the filters", source)
    windows.x = cnp.PyArray_DATA(source)
    windows.weights = cnp.PyArray_DATA(weights)
    return weights


cdef cnp.ndarray dilated(Body body, cnp.ndarray source, filters, tuple steps, dtype):
    cdef cnp.ndarray weights, result
    cdef Windows windows
    weights = read_dilation(&windows, source, filters, steps)
    result = empty(result_shape(&windows, steps), dtype)
    windows.result = cnp.PyArray_DATA(result)
    with nogil:
        by_lines(body, &windows)
    return result


def dilation(x, filters, tuple steps not None):
    """The largest sum of an element and its tap in ``filters`` in each window; NaN loses against any number."""
    cdef cnp.ndarray source = plain(x)
    return dilated(body_for(source, DILATION), source, filters, steps, source.dtype)


def dilation_taps(x, filters, tuple steps not None):
    """The number of the tap that has the largest sum in each window, the first of several; -1 where none is inside."""
    cdef cnp.ndarray source = plain(x)
    return dilated(body_for(source, DILATION_TAP), source, filters, steps, np.int64)


def dilation_gradient(x, filters, dy, tuple steps not None):
    """The gradient of `dilation` by ``x``: each window's goes to its largest sum."""
    cdef cnp.ndarray source = plain(x), weights, gradient, result
    cdef Body body = body_for(source, DILATION_GRADIENT)
    cdef Windows windows
    cdef ptrdiff_t size
    weights = read_dilation(&windows, source, filters, steps)
    gradient = expect(dy, result_shape(&windows, steps), "the gradient", source)
    result = empty((<object>source).shape, source.dtype)
    windows.values = cnp.PyArray_DATA(gradient)
    windows.result = cnp.PyArray_DATA(result)
    size = cnp.PyArray_NBYTES(result)
    with nogil:
        scatter(body, &windows, size, False)
    return result


def average_pool(x, tuple window not None, tuple steps not None):
    """The mean of each window's elements, padding not counted."""
    return pooled(x, window, steps, MEAN)


def average_pool_gradient(tuple shape not None, dy, tuple window not None, tuple steps not None):
    """The gradient of `average_pool` by its input, which has ``shape``."""
    cdef cnp.ndarray gradient = plain(dy), result
    cdef Body body = body_for(gradient, MEAN_GRADIENT)
    cdef Windows windows
    cdef ptrdiff_t size
    read(&windows, shape, window, steps)
    expect(gradient, result_shape(&windows, steps), "the gradient", gradient)
    result = empty(shape, gradient.dtype)
    windows.values = cnp.PyArray_DATA(gradient)
    windows.result = cnp.PyArray_DATA(result)
    size = cnp.PyArray_NBYTES(result)
    with nogil:
        scatter(body, &windows, size, True)
    return result


cdef int read_depthwise(Windows* windows, tuple shape, tuple filter_shape, tuple steps) except -1:
    """As `read`; filters are (*window, channels, results for each channel)."""
    cdef Py_ssize_t spatial = len(shape) - 2
    read(windows, shape, filter_shape[:spatial], steps)
    if len(filter_shape) != spatial + 2 or filter_shape[spatial] != windows.channels:
        raise ValueError("a depthwise filter must have as many channels as the input")
    windows.multiplier = filter_shape[spatial + 1]
    return 0


def depthwise(x, filters, tuple steps not None, Epilogue epilogue=None):
    """The convolution of each channel with filters of its own: results for one channel lie side by side.

    With an ``epilogue`` its stages follow; None where they do not fit.
    """
    cdef cnp.ndarray source = plain(x), weights, result
    cdef Body body = body_for(source, DEPTHWISE)
    cdef Windows windows
    read_depthwise(&windows, (<object>source).shape, filters.shape, steps)
    weights = expect(filters, filters.shape, "the filter", source)
    result = empty(result_shape(&windows, steps), source.dtype)
    windows.x = cnp.PyArray_DATA(source)
    windows.weights = cnp.PyArray_DATA(weights)
    windows.result = cnp.PyArray_DATA(result)
    windows.epilogue = NULL
    if epilogue is not None:
        if not epilogue.fits(result):
            return None
        epilogue.stages.result = windows.result
        windows.epilogue = &epilogue.stages
    with nogil:
        by_lines(body, &windows)
    return result


def depthwise_by_input(tuple shape not None, filters, dy, tuple steps not None):
    """The gradient of `depthwise` by its input, which has ``shape``."""
    cdef cnp.ndarray gradient = plain(dy), weights, result
    cdef Body body = body_for(gradient, DEPTHWISE_BY_INPUT)
    cdef Windows windows
    cdef ptrdiff_t size
    cdef tuple strides, dilations, before
    read_depthwise(&windows, shape, filters.shape, steps)
    weights = expect(filters, filters.shape, "the filter", gradient)
    expect(gradient, result_shape(&windows, steps), "the gradient", gradient)
    strides, dilations, before = steps[:3]
    after = tuple([(taps - 1) * rate - first
                   for taps, rate, first in zip(filters.shape[:len(strides)], dilations, before, strict=True)])
    if windows.multiplier == 1 and max(strides) == 1 and min(after) >= 0:
        # With steps of 1 it is a convolution too, by the filter turned around: the same sums in the same order.
        turned = filters[(slice(None, None, -1),) * len(strides)]
        return depthwise(gradient, turned, (strides, dilations, after, shape[1:len(shape) - 1]))
    result = empty(shape, gradient.dtype)
    windows.values = cnp.PyArray_DATA(gradient)
    windows.weights = cnp.PyArray_DATA(weights)
    windows.result = cnp.PyArray_DATA(result)
    size = cnp.PyArray_NBYTES(result)
    with nogil:
        scatter(body, &windows, size, False)
    return result


def depthwise_by_filter(x, tuple shape not None, dy, tuple steps not None):
    """The gradient of `depthwise` by its filter, which has ``shape``."""
    cdef cnp.ndarray source = plain(x), gradient, result
    cdef Body body = body_for(source, DEPTHWISE_BY_FILTER)
    cdef Windows windows
    cdef ptrdiff_t lines, slices, length
    read_depthwise(&windows, (<object>source).shape, shape, steps)
    gradient = expect(dy, result_shape(&windows, steps), "the gradient", source)
    if cnp.PyArray_SIZE(gradient) == 0 or cnp.PyArray_SIZE(source) == 0:
        return np.zeros(shape, source.dtype)
    lines = windows.batch * windows.axes[0].count * windows.axes[1].count
    length = prod(shape)
    windows.slice = max((lines + SLICES - 1) // SLICES, (lines * length + SLICED - 1) // SLICED, 1)
    slices = (lines + windows.slice - 1) // windows.slice
    result = empty((slices, *shape), source.dtype)
    result[...] = 0
    windows.x = cnp.PyArray_DATA(source)
    windows.values = cnp.PyArray_DATA(gradient)
    windows.result = cnp.PyArray_DATA(result)
    with nogil:
        parallel(body, &windows, slices, grain_for(<double>length * windows.slice * windows.axes[2].count))
    return np.add.reduce(result, axis=0)

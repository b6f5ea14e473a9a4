"""Softmax, its logarithm, its cross entropies and logsumexp, of float32, float64 and bfloat16: each row once, while it is in
the first cache.

Rows lie along the last axis, and threads share them.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.engines.numpy.buffers cimport empty_like, new_array
from tapegrad.engines.numpy.conversions cimport is_bfloat16
from tapegrad.engines.numpy.copies cimport contiguous, descr_of, contiguous_of_type
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.threads cimport Body, run_units

cnp.import_array()

cdef extern from "softmax.h" nogil:
    ctypedef struct Work "tapegrad_rows":
        cnp.npy_intp n
        const void* x
        const void* y
        const cnp.npy_intp* labels
        void* loss
        void* out
        bint failed
    ctypedef struct Kernels "tapegrad_softmax":
        Body softmax, log_softmax, softmax_grad, log_softmax_grad, cross_entropy, sparse_cross_entropy, logsumexp
        Body logsumexp_grad
    enum:
        OF_FLOAT "TAPEGRAD_OF_FLOAT"
        OF_DOUBLE "TAPEGRAD_OF_DOUBLE"
        OF_HALF "TAPEGRAD_OF_HALF"
    const Kernels* kernels_at "tapegrad_softmax_at" (int kind, int level) noexcept

cdef enum:
    GRAIN = 8_192               # elements for which a thread is worth it


cdef const Kernels* find_kernels(cnp.ndarray array) noexcept:
    """The kernels for the type of ``array``; NULL for types that have none."""
    cdef int number = cnp.PyArray_TYPE(array)
    if number == cnp.NPY_FLOAT:
        return kernels_at(OF_FLOAT, level)
    if number == cnp.NPY_DOUBLE:
        return kernels_at(OF_DOUBLE, level)
    return kernels_at(OF_HALF, level) if is_bfloat16(array) else NULL


cdef const Kernels* kernels_for(cnp.ndarray array) except NULL:
    cdef const Kernels* kernels = find_kernels(array)
    if kernels == NULL:
        raise TypeError(f"softmax takes float32, float64 and bfloat16, not {array.dtype}")
    return kernels


cdef int run_rows(Body body, Work* work, cnp.npy_intp rows) except -1:
    """Run ``body`` over so many rows."""
    work.failed = False
    run_units(body, work, rows, work.n, GRAIN)
    if work.failed:
        raise MemoryError(f"no memory for rows of {work.n} numbers")
    return 0


cdef object compute(Body body, Work* work, cnp.ndarray x, cnp.ndarray loss):
    """Run ``body`` over the rows of ``x``, into a new array of its shape."""
    cdef cnp.ndarray out = empty_like(x)
    if cnp.PyArray_SIZE(x) == 0:
        return out
    work.n = cnp.PyArray_DIMS(x)[cnp.PyArray_NDIM(x) - 1]
    work.x = cnp.PyArray_DATA(x)
    work.out = cnp.PyArray_DATA(out)
    work.loss = NULL if loss is None else cnp.PyArray_DATA(loss)
    run_rows(body, work, cnp.PyArray_SIZE(x) // work.n)
    return out


cdef int need_shape(cnp.ndarray array, cnp.ndarray like) except -1:
    if (<object>array).shape != (<object>like).shape:
        raise ValueError(f"the operands have the shapes {(<object>array).shape} and {(<object>like).shape}, "
                         f"which must be the same")
    return 0


cdef cnp.ndarray rows_of(object value, int type_num):
    """``given`` with its elements side by side, as numbers of this type."""
    cdef cnp.ndarray array = value
    if cnp.PyArray_TYPE(array) == type_num and cnp.PyArray_ISNOTSWAPPED(array):
        return contiguous(array)
    return contiguous_of_type(array, type_num)


cdef object over_axis(Body body, cnp.ndarray x, object second, int axis):
    cdef Work work
    cdef cnp.ndarray rows, others, out
    cdef bint last = axis == cnp.PyArray_NDIM(x) - 1
    cdef int type_num = cnp.PyArray_TYPE(x)
    if not 0 <= axis < cnp.PyArray_NDIM(x):
        raise ValueError(f"there is no axis {axis}")
    if second is not None:
        need_shape(second, x)
    work.y = NULL
    rows = rows_of(x if last else np.swapaxes(x, axis, -1), type_num)
    if second is not None:
        others = rows_of(second if last else np.swapaxes(second, axis, -1), type_num)
        work.y = cnp.PyArray_DATA(others)
    out = compute(body, &work, rows, None)
    return out if last else rows_of(np.swapaxes(out, axis, -1), type_num)


cdef object run_logsumexp(PyObject** arrays, int count, tuple attributes):
    """log(sum(exp(x))) over the last axis, or over all axes of a contiguous array; None where the kernel does it."""
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], out
    cdef cnp.npy_intp dims[64]
    cdef const Kernels* kernels = find_kernels(x)
    cdef int ndim = cnp.PyArray_NDIM(x), left, i
    cdef bint keep = attributes[1]
    cdef Work work
    if kernels == NULL or cnp.PyArray_SIZE(x) == 0 or ndim == 0 or not cnp.PyArray_ISCARRAY_RO(x):
        return None
    left = axes_left(attributes[0], ndim)
    if left < 0:
        return None
    work.n = row_length(x, left)
    for i in range(ndim):
        dims[i] = cnp.PyArray_DIMS(x)[i] if i < left else 1
    out = new_array(descr_of(x), ndim if keep else left, dims)
    work.x = cnp.PyArray_DATA(x)
    work.out = work.loss = cnp.PyArray_DATA(out)
    run_rows(kernels.logsumexp, &work, cnp.PyArray_SIZE(x) // work.n)
    return out


cdef int axes_left(object axis, int ndim) except -2:
    """How many axes are in front of the rows that are reduced: all but the last, or none. -1 for other axes."""
    if axis is None:
        return 0
    return ndim - 1 if type(axis) is int and (axis == -1 or axis == ndim - 1) else -1


cdef cnp.npy_intp row_length(cnp.ndarray x, int left) noexcept:
    return cnp.PyArray_DIMS(x)[left] if left == cnp.PyArray_NDIM(x) - 1 else cnp.PyArray_SIZE(x)


logsumexp_lane: Lane = lane(run_logsumexp)


cdef object run_last_axis(const Kernels* kernels, bint logarithm, cnp.ndarray x, tuple attributes):
    """Softmax or its logarithm over the last axis; None where the kernel does it."""
    cdef Work work
    cdef int ndim = cnp.PyArray_NDIM(x)
    axis = attributes[0]
    if (kernels == NULL or ndim == 0 or not cnp.PyArray_ISCARRAY_RO(x)
            or type(axis) is not int or axis != -1 and axis != ndim - 1):
        return None
    return compute(kernels.log_softmax if logarithm else kernels.softmax, &work, x, None)


cdef object run_softmax(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0]
    return run_last_axis(find_kernels(x), False, x, attributes)


cdef object run_log_softmax(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0]
    return run_last_axis(find_kernels(x), True, x, attributes)


softmax_lane: Lane = lane(run_softmax)
log_softmax_lane: Lane = lane(run_log_softmax)


def logsumexp_grad(cnp.ndarray dy not None, cnp.ndarray x not None, axis):
    """``dy`` times the share of each ``exp(x)`` in their sum over the last axis, or over all axes; None for other axes."""
    cdef Work work
    cdef const Kernels* kernels = find_kernels(x)
    cdef int left
    if kernels == NULL or cnp.PyArray_NDIM(x) == 0 or cnp.PyArray_TYPE(dy) != cnp.PyArray_TYPE(x):
        return None
    left = axes_left(axis, cnp.PyArray_NDIM(x))
    x = rows_of(x, cnp.PyArray_TYPE(x))
    if left < 0 or cnp.PyArray_SIZE(x) == 0 or cnp.PyArray_SIZE(dy) * row_length(x, left) != cnp.PyArray_SIZE(x):
        return None
    dy = rows_of(dy, cnp.PyArray_TYPE(x))
    out = empty_like(x)
    work.n = row_length(x, left)
    work.x = cnp.PyArray_DATA(x)
    work.y = cnp.PyArray_DATA(dy)
    work.out = cnp.PyArray_DATA(<cnp.ndarray>out)
    work.loss = NULL
    run_rows(kernels.logsumexp_grad, &work, cnp.PyArray_SIZE(dy))
    return out


def softmax(cnp.ndarray x not None, int axis):
    """``exp(x)`` over its sum along ``axis``, counted from the front."""
    return over_axis(kernels_for(x).softmax, x, None, axis)


def log_softmax(cnp.ndarray x not None, int axis):
    """The logarithm of softmax along ``axis``, counted from the front."""
    return over_axis(kernels_for(x).log_softmax, x, None, axis)


def softmax_grad(cnp.ndarray dy not None, cnp.ndarray y not None, int axis):
    """``(dy - sum(dy * y)) * y`` along ``axis``."""
    return over_axis(kernels_for(dy).softmax_grad, dy, y, axis)


def log_softmax_grad(cnp.ndarray dy not None, cnp.ndarray y not None, int axis):
    """``dy - sum(dy) * exp(y)`` along ``axis``."""
    return over_axis(kernels_for(dy).log_softmax_grad, dy, y, axis)


def softmax_cross_entropy(cnp.ndarray logits not None, cnp.ndarray labels not None):
    """``-sum(labels * log(softmax(logits)))`` of each row of two matrices, and its gradient by the logits."""
    cdef Work work
    cdef const Kernels* kernels = kernels_for(logits)
    cdef int type_num = cnp.PyArray_TYPE(logits)
    cdef cnp.ndarray x = contiguous_of_type(logits, type_num), z = contiguous_of_type(labels, type_num), loss
    need_shape(z, x)
    loss = np.zeros(len(x), x.dtype)
    work.y = cnp.PyArray_DATA(z)
    out = compute(kernels.cross_entropy, &work, x, loss)
    return loss, out


def sparse_softmax_cross_entropy(cnp.ndarray logits not None, cnp.ndarray labels not None):
    """The same, where the label of a row is one class. The caller has checked the classes."""
    cdef Work work
    cdef const Kernels* kernels = kernels_for(logits)
    cdef int type_num = cnp.PyArray_TYPE(logits)
    cdef cnp.ndarray x = contiguous_of_type(logits, type_num), z = contiguous_of_type(labels, cnp.NPY_INTP), loss
    if cnp.PyArray_NDIM(x) != 2 or cnp.PyArray_SIZE(z) != len(x):
        raise ValueError(f"{cnp.PyArray_SIZE(z)} labels for logits of shape {(<object>x).shape}")
    loss = np.zeros(len(x), x.dtype)
    work.labels = <cnp.npy_intp*>cnp.PyArray_DATA(z)
    work.y = NULL
    out = compute(kernels.sparse_cross_entropy, &work, x, loss)
    return loss, out


cdef object run_sparse_cross_entropy(PyObject** arrays, int count, tuple attributes):
    """The losses of the rows of a matrix with a class for each, and the gradient; None where the kernel does it."""
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], labels = <cnp.ndarray>arrays[1], classes, loss
    cdef const Kernels* kernels = find_kernels(x)
    cdef int label_num = cnp.PyArray_TYPE(labels)
    cdef cnp.npy_intp rows, i
    cdef cnp.npy_intp* places
    cdef Work work
    if (kernels == NULL or cnp.PyArray_NDIM(x) != 2 or cnp.PyArray_SIZE(x) == 0
            or cnp.PyArray_NDIM(labels) != 1 or label_num != cnp.NPY_INT32 and label_num != cnp.NPY_INT64
            or not cnp.PyArray_ISCARRAY_RO(x) or not cnp.PyArray_ISCARRAY_RO(labels)):
        return None
    rows = cnp.PyArray_DIMS(x)[0]
    if cnp.PyArray_DIMS(labels)[0] != rows:
        return None
    if label_num == cnp.NPY_INT64:
        classes = labels
        places = <cnp.npy_intp*>cnp.PyArray_DATA(labels)
    else:
        descr = <object>cnp.PyArray_DescrFromType(cnp.NPY_INTP)
        classes = new_array(<PyObject*>descr, 1, &rows)
        places = <cnp.npy_intp*>cnp.PyArray_DATA(classes)
        for i in range(rows):
            places[i] = (<cnp.npy_int32*>cnp.PyArray_DATA(labels))[i]
    for i in range(rows):
        if not 0 <= places[i] < cnp.PyArray_DIMS(x)[1]:
            return None         # the kernel raises the error
    loss = new_array(descr_of(x), 1, &rows)
    work.labels = places
    work.y = NULL
    out = compute(kernels.sparse_cross_entropy, &work, x, loss)
    return loss, out


cdef object run_cross_entropy(PyObject** arrays, int count, tuple attributes):
    """The losses of the rows of two matrices of one shape, and the gradient by the first; None where the kernel does it."""
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], labels = <cnp.ndarray>arrays[1], loss
    cdef const Kernels* kernels = find_kernels(x)
    cdef Work work
    if (kernels == NULL or cnp.PyArray_TYPE(labels) != cnp.PyArray_TYPE(x)
            or cnp.PyArray_NDIM(x) != 2 or cnp.PyArray_NDIM(labels) != 2 or cnp.PyArray_SIZE(x) == 0
            or cnp.PyArray_DIMS(x)[0] != cnp.PyArray_DIMS(labels)[0]
            or cnp.PyArray_DIMS(x)[1] != cnp.PyArray_DIMS(labels)[1]
            or not cnp.PyArray_ISCARRAY_RO(x) or not cnp.PyArray_ISCARRAY_RO(labels)):
        return None
    loss = new_array(descr_of(x), 1, cnp.PyArray_DIMS(x))
    work.y = cnp.PyArray_DATA(labels)
    out = compute(kernels.cross_entropy, &work, x, loss)
    return loss, out


sparse_cross_entropy_lane: Lane = lane(run_sparse_cross_entropy)
cross_entropy_lane: Lane = lane(run_cross_entropy)

"""Softmax, its logarithm and its cross entropies: each row once, while it is in the first cache.

Rows lie along the last axis and are shared among threads. Half types go through float32.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.engines.numpy.buffers cimport empty_like
from tapegrad.engines.numpy.loops cimport Loop, LoopFunction, Loops
from tapegrad.engines.numpy.threads cimport parallel

cnp.import_array()

cdef extern from "softmax.h" nogil:
    ctypedef struct Power "tapegrad_exp":
        LoopFunction function
        void* data
    void float_softmax(const char*, char*, cnp.npy_intp, const Power*) noexcept
    void double_softmax(const char*, char*, cnp.npy_intp, const Power*) noexcept
    void float_log_softmax(const char*, char*, cnp.npy_intp, const Power*) noexcept
    void double_log_softmax(const char*, char*, cnp.npy_intp, const Power*) noexcept
    void float_softmax_grad(const char*, const char*, char*, cnp.npy_intp) noexcept
    void double_softmax_grad(const char*, const char*, char*, cnp.npy_intp) noexcept
    void float_log_softmax_grad(const char*, const char*, char*, cnp.npy_intp, const Power*) noexcept
    void double_log_softmax_grad(const char*, const char*, char*, cnp.npy_intp, const Power*) noexcept
    void float_cross_entropy(const char*, const char*, char*, char*, cnp.npy_intp, const Power*) noexcept
    void double_cross_entropy(const char*, const char*, char*, char*, cnp.npy_intp, const Power*) noexcept
    void float_sparse_cross_entropy(const char*, cnp.npy_intp, char*, char*, cnp.npy_intp, const Power*) noexcept
    void double_sparse_cross_entropy(const char*, cnp.npy_intp, char*, char*, cnp.npy_intp, const Power*) noexcept

cdef enum:
    GRAIN = 8_192               # elements that are worth a thread's while

cdef enum Kind:
    SOFTMAX, LOG_SOFTMAX, SOFTMAX_GRAD, LOG_SOFTMAX_GRAD, CROSS_ENTROPY, SPARSE_CROSS_ENTROPY

cdef struct Work:
    Kind kind
    bint single                 # float, else double
    Power power
    cnp.npy_intp n              # elements of a row
    cnp.npy_intp size           # bytes of a row
    cnp.npy_intp item           # bytes of an element
    char* x                     # the first argument; labels, where there are any, are the second
    char* y
    cnp.npy_intp* labels        # of sparse cross entropy
    char* loss
    char* out

cdef Loops EXP = Loops(np.exp)


cdef void run(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Work* work = <Work*>context
    cdef Py_ssize_t row
    cdef const char* x
    cdef const char* y
    cdef char* out
    cdef char* loss
    for row in range(begin, end):
        x = work.x + row * work.size
        y = work.y + row * work.size
        out = work.out + row * work.size
        loss = work.loss + row * work.item
        if work.kind == SOFTMAX:
            (float_softmax if work.single else double_softmax)(x, out, work.n, &work.power)
        elif work.kind == LOG_SOFTMAX:
            (float_log_softmax if work.single else double_log_softmax)(x, out, work.n, &work.power)
        elif work.kind == SOFTMAX_GRAD:
            (float_softmax_grad if work.single else double_softmax_grad)(x, y, out, work.n)
        elif work.kind == LOG_SOFTMAX_GRAD:
            (float_log_softmax_grad if work.single else double_log_softmax_grad)(x, y, out, work.n, &work.power)
        elif work.kind == CROSS_ENTROPY:
            (float_cross_entropy if work.single else double_cross_entropy)(x, y, loss, out, work.n, &work.power)
        else:
            (float_sparse_cross_entropy if work.single else double_sparse_cross_entropy)(
                x, work.labels[row], loss, out, work.n, &work.power)


cdef cnp.ndarray contiguous(object array, int type_num):
    """``array`` in C order and of the type in which rows are computed."""
    return cnp.PyArray_FROMANY(array, type_num, 0, 0, cnp.NPY_ARRAY_CARRAY_RO | cnp.NPY_ARRAY_FORCECAST)


cdef object compute(Work* work, cnp.ndarray x, cnp.ndarray loss):
    """Run what ``work`` says over the rows of ``x``, in its shape."""
    cdef cnp.ndarray out = empty_like(x)
    cdef cnp.npy_intp rows
    cdef Loop* loop = EXP.find(cnp.PyArray_TYPE(x))
    if cnp.PyArray_SIZE(x) == 0:
        return out
    work.single = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT
    work.power.function = loop.function
    work.power.data = loop.data
    work.n = cnp.PyArray_DIMS(x)[cnp.PyArray_NDIM(x) - 1]
    work.item = cnp.PyArray_ITEMSIZE(x)
    work.size = work.n * work.item
    work.x = cnp.PyArray_BYTES(x)
    work.out = cnp.PyArray_BYTES(out)
    work.loss = NULL if loss is None else cnp.PyArray_BYTES(loss)
    rows = cnp.PyArray_SIZE(x) // work.n
    if rows * work.n < GRAIN:
        run(work, 0, rows)
    else:
        with nogil:
            parallel(run, work, rows, max(<cnp.npy_intp>1, GRAIN // work.n))
    return out


cdef inline int row_type(cnp.ndarray array) noexcept:
    """NumPy's number of the type in which ``array`` is computed."""
    return cnp.NPY_DOUBLE if cnp.PyArray_TYPE(array) == cnp.NPY_DOUBLE else cnp.NPY_FLOAT


cdef int need_shape(cnp.ndarray array, cnp.ndarray like) except -1:
    if (<object>array).shape != (<object>like).shape:
        raise ValueError(f"the operands have the shapes {(<object>array).shape} and {(<object>like).shape}, "
                         f"which must be the same")
    return 0


cdef object over_axis(Kind kind, cnp.ndarray x, object second, int axis):
    cdef Work work
    cdef cnp.ndarray rows, others, out
    cdef bint last = axis == cnp.PyArray_NDIM(x) - 1
    cdef int type_num = row_type(x)
    if not 0 <= axis < cnp.PyArray_NDIM(x):
        raise ValueError(f"there is no axis {axis}")
    if second is not None:
        need_shape(second, x)
    work.kind = kind
    work.y = NULL
    rows = contiguous(x if last else np.swapaxes(x, axis, -1), type_num)
    if second is not None:
        others = contiguous(second if last else np.swapaxes(second, axis, -1), type_num)
        work.y = cnp.PyArray_BYTES(others)
    out = compute(&work, rows, None)
    if not last:
        out = contiguous(np.swapaxes(out, axis, -1), type_num)
    return out if cnp.PyArray_TYPE(x) == type_num else out.astype(x.dtype)


def softmax(cnp.ndarray x not None, int axis):
    """``exp(x)`` over its sum along ``axis``, counted from the front."""
    return over_axis(SOFTMAX, x, None, axis)


def log_softmax(cnp.ndarray x not None, int axis):
    """The logarithm of softmax along ``axis``, counted from the front."""
    return over_axis(LOG_SOFTMAX, x, None, axis)


def softmax_grad(cnp.ndarray dy not None, cnp.ndarray y not None, int axis):
    """``(dy - sum(dy * y)) * y`` along ``axis``."""
    return over_axis(SOFTMAX_GRAD, dy, y, axis)


def log_softmax_grad(cnp.ndarray dy not None, cnp.ndarray y not None, int axis):
    """``dy - sum(dy) * exp(y)`` along ``axis``."""
    return over_axis(LOG_SOFTMAX_GRAD, dy, y, axis)


def softmax_cross_entropy(cnp.ndarray logits not None, cnp.ndarray labels not None):
    """``-sum(labels * log(softmax(logits)))`` of each row of two matrices, and its gradient by the logits."""
    cdef Work work
    cdef int type_num = row_type(logits)
    cdef cnp.ndarray x = contiguous(logits, type_num), z = contiguous(labels, type_num), loss
    need_shape(z, x)
    loss = np.zeros(len(x), x.dtype)
    work.kind = CROSS_ENTROPY
    work.y = cnp.PyArray_BYTES(z)
    out = compute(&work, x, loss)
    dtype = logits.dtype
    return loss.astype(dtype, copy=False), out.astype(dtype, copy=False)


def sparse_softmax_cross_entropy(cnp.ndarray logits not None, cnp.ndarray labels not None):
    """The same where all of a row's label is in one class; the classes have been checked."""
    cdef Work work
    cdef cnp.ndarray x = contiguous(logits, row_type(logits)), z = contiguous(labels, cnp.NPY_INTP), loss
    if cnp.PyArray_NDIM(x) != 2 or cnp.PyArray_SIZE(z) != len(x):
        raise ValueError(f"{cnp.PyArray_SIZE(z)} labels for logits of shape {(<object>x).shape}")
    loss = np.zeros(len(x), x.dtype)
    work.kind = SPARSE_CROSS_ENTROPY
    work.labels = <cnp.npy_intp*>cnp.PyArray_DATA(z)
    work.y = NULL
    out = compute(&work, x, loss)
    dtype = logits.dtype
    return loss.astype(dtype, copy=False), out.astype(dtype, copy=False)

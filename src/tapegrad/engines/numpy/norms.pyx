"""Moments over some axes, normalisation by them, and its gradient, in as few passes over each array as possible.

The axes are merged into four: kept, reduced, kept, reduced. Where the last one is longer than 1, each of its runs
shares moments; otherwise neighbouring columns are taken together. Sums over many rows are taken in blocks, whose sizes
depend on the shape alone, and joined in order, so that any number of threads gives the same bits.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.math cimport sqrt
from libc.string cimport memcpy

import numpy as np

from tapegrad.engines.numpy.buffers cimport empty_like, new_array
from tapegrad.engines.numpy.copies cimport descr_of, contiguous_of_type, zeros_array
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.threads cimport Body, parallel, run_units

from tapegrad.engines.numpy.buffers import empty

cnp.import_array()

cdef extern from "norms.h" nogil:
    enum:
        BLOCK "TAPEGRAD_COLUMNS"
        SHIFT "TAPEGRAD_SHIFT"
        ADD "TAPEGRAD_ADD"
        SCALE "TAPEGRAD_SCALE"
        PROJECT "TAPEGRAD_PROJECT"

    ctypedef struct Layout "tapegrad_layout":
        cnp.npy_intp kept, reduced, columns, run

    ctypedef struct Spread "tapegrad_spread":
        Layout layout
        int kind
        const void* dy
        const void* x
        const void* mean
        const void* factor
        const void* slope
        const void* offset
        void* out
        cnp.npy_intp rows

    ctypedef struct Both "tapegrad_both":
        cnp.npy_intp rows, n, part
        const void* dy
        const void* x
        const void* mean
        const void* factor
        const void* scale
        const void* offset
        void* out
        void* by_mean
        void* by_variance
        double* by_offset
        double* by_scale
        void* spare

    ctypedef struct Kernels "tapegrad_norms":
        void (*run_moments)(const char* x, cnp.npy_intp n, double* mean, double* squares) noexcept nogil
        void (*column_moments)(
            const char* x, cnp.npy_intp rows, cnp.npy_intp row_stride, cnp.npy_intp n, double* mean,
            double* squares) noexcept nogil
        void (*run_sums)(
            const char* dy, const char* x, cnp.npy_intp n, const char* mean, double* plain,
            double* weighted) noexcept nogil
        void (*column_sums)(
            const char* dy, const char* x, cnp.npy_intp rows, cnp.npy_intp row_stride, cnp.npy_intp n,
            const char* mean, double* plain, double* weighted) noexcept nogil
        void (*join)(
            double count, double* mean, double* squares, double n, const double* more_mean,
            const double* more_squares, cnp.npy_intp columns) noexcept nogil
        Body spread, shift_rows, differentiate_blocks

    const Kernels* kernels_at "tapegrad_norms_at" (bint is_double, int level) noexcept

cdef enum:
    GRAIN = 16_384              # elements for which a thread is worth it
    PIECE = 32_768              # elements of the pieces that runs are cut into
    PART = 65_536               # elements of a block of rows: it stays in the second cache
    MOST_PARTS = 64             # blocks of rows
    MOST_AXES = 32

cdef object DOUBLE = np.dtype(np.double)


cdef const Kernels* kernels_for(int type_num) noexcept:
    return kernels_at(type_num == cnp.NPY_DOUBLE, level)


cdef bint merge(int ndim, const cnp.npy_intp* dims, const bint* reduced, Layout* layout) noexcept:
    """Merge the axes of ``dims``, some of which are reduced, into four. False if that takes more axes, or if the array
    has no elements.
    """
    cdef cnp.npy_intp lengths[4]
    cdef int place = 3, i
    lengths[0] = lengths[1] = lengths[2] = lengths[3] = 1
    for i in range(ndim - 1, -1, -1):
        if dims[i] == 1:
            continue
        # Runs and reduced rows stand at the odd places.
        if (place % 2 == 1) != reduced[i]:
            place -= 1
        if place < 0:
            return False
        lengths[place] *= dims[i]
    layout.kept, layout.reduced, layout.columns, layout.run = lengths[0], lengths[1], lengths[2], lengths[3]
    return layout.kept * layout.reduced * layout.columns * layout.run > 0


cdef bint lay_out(tuple shape, tuple axes, Layout* layout) except -1:
    """`merge` for the ``axes`` of ``shape``."""
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef bint reduced[MOST_AXES]
    cdef int i
    if len(shape) > MOST_AXES:
        return False
    for i in range(len(shape)):
        dims[i] = shape[i]
        reduced[i] = i in axes
    return merge(<int>len(shape), dims, reduced, layout)


def has_layout(tuple shape not None, tuple axes not None):
    """Whether the functions below accept an array of this shape, with moments over ``axes``."""
    cdef Layout layout
    return lay_out(shape, axes, &layout)


cdef int need_layout(tuple shape, tuple axes, Layout* layout) except -1:
    if not lay_out(shape, axes, layout):
        raise ValueError(f"no moments over the axes {axes} of an array of shape {shape}")
    return 0


cdef int need_size(cnp.ndarray array, cnp.npy_intp size) except -1:
    if cnp.PyArray_SIZE(array) != size:
        raise ValueError(f"an operand has {cnp.PyArray_SIZE(array)} elements where {size} are needed")
    return 0


# --- Sums over what shares a mean ---------------------------------------------------------------------

cdef struct Sums:
    Layout layout
    const Kernels* kernels
    bint weighted               # sums of dy and of dy * (x - mean), else moments
    char* x
    char* dy
    char* mean
    cnp.npy_intp item           # bytes of an element
    cnp.npy_intp part           # elements of a piece of a run, or rows of a block
    cnp.npy_intp parts
    cnp.npy_intp blocks         # of columns
    double* first               # (kept, steps, columns): of each part of a column the mean, or the plain sum,
    double* second              # and the sum of squares, or the weighted sum


cdef void sum_runs(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Sums* work = <Sums*>context
    cdef Py_ssize_t item
    cdef cnp.npy_intp run, part, column, at, n, offset, place
    cdef char* x
    for item in range(begin, end):
        run = item // work.parts
        part = item - run * work.parts
        place = (run // work.layout.columns * work.parts + part) * work.layout.columns + run % work.layout.columns
        at = part * work.part
        n = min(work.part, work.layout.run - at)
        offset = (run * work.layout.run + at) * work.item
        x = work.x + offset
        if work.weighted:
            column = run % work.layout.columns + run // (
                work.layout.columns * work.layout.reduced) * work.layout.columns
            work.kernels.run_sums(
                work.dy + offset, x, n, work.mean + column * work.item, work.first + place, work.second + place)
        else:
            work.kernels.run_moments(x, n, work.first + place, work.second + place)


cdef void sum_columns(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Sums* work = <Sums*>context
    cdef Py_ssize_t item
    cdef cnp.npy_intp kept, part, block, rows, width, offset, place, stride = work.layout.columns * work.item
    for item in range(begin, end):
        block = item % work.blocks
        part = item // work.blocks
        kept = part // work.parts
        place = part * work.layout.columns + block * BLOCK
        part -= kept * work.parts
        rows = min(work.part, work.layout.reduced - part * work.part)
        width = min(<cnp.npy_intp>BLOCK, work.layout.columns - block * BLOCK)
        offset = (kept * work.layout.reduced + part * work.part) * stride + block * BLOCK * work.item
        if work.weighted:
            work.kernels.column_sums(
                work.dy + offset, work.x + offset, rows, stride, width,
                work.mean + (kept * work.layout.columns + block * BLOCK) * work.item,
                work.first + place, work.second + place)
        else:
            work.kernels.column_moments(
                work.x + offset, rows, stride, width, work.first + place, work.second + place)


cdef tuple sum_parts(cnp.ndarray x, cnp.ndarray dy, cnp.ndarray mean, Layout layout):
    """The mean and the sum of squares around it; with ``dy`` the two sums instead. Vectors in double precision."""
    cdef Sums work
    cdef cnp.npy_intp results = layout.kept * layout.columns, extent, steps, total, count, grain
    cdef double* first
    cdef double* second
    cdef double* joined
    cdef double* more
    work.layout = layout
    work.kernels = kernels_for(cnp.PyArray_TYPE(x))
    work.weighted = dy is not None
    work.x = cnp.PyArray_BYTES(x)
    work.item = cnp.PyArray_ITEMSIZE(x)
    if work.weighted:
        work.dy = cnp.PyArray_BYTES(dy)
        work.mean = cnp.PyArray_BYTES(mean)
    work.blocks = 1
    if layout.run > 1:
        extent = layout.run
        work.part = max(<cnp.npy_intp>PIECE, (extent + MOST_PARTS - 1) // MOST_PARTS)
        work.parts = (extent + work.part - 1) // work.part
        steps = layout.reduced * work.parts
        count = results * steps
    else:
        extent = layout.reduced
        work.part = max(<cnp.npy_intp>8, PART // min(layout.columns, <cnp.npy_intp>BLOCK),
                        (extent + MOST_PARTS - 1) // MOST_PARTS)
        work.parts = steps = (extent + work.part - 1) // work.part
        work.blocks = (layout.columns + BLOCK - 1) // BLOCK
        count = layout.kept * steps * work.blocks
    total = results * steps
    firsts, seconds = new_array(<PyObject*>DOUBLE, 1, &total), new_array(<PyObject*>DOUBLE, 1, &total)
    work.first = first = <double*>cnp.PyArray_DATA(firsts)
    work.second = second = <double*>cnp.PyArray_DATA(seconds)
    grain = max(<cnp.npy_intp>1, <cnp.npy_intp>(GRAIN * <double>count / cnp.PyArray_SIZE(x)))
    with nogil:
        parallel(sum_runs if layout.run > 1 else sum_columns, &work, count, grain)
    if steps == 1:
        return firsts, seconds

    joined_firsts, joined_seconds = empty(results), empty(results)
    joined = <double*>cnp.PyArray_DATA(joined_firsts)
    more = <double*>cnp.PyArray_DATA(joined_seconds)
    with nogil:
        for _ in range(layout.kept):
            join_steps(&work, steps, extent, first, second, joined, more)
            first += steps * layout.columns
            second += steps * layout.columns
            joined += layout.columns
            more += layout.columns
    return joined_firsts, joined_seconds


cdef void join_steps(Sums* work, cnp.npy_intp steps, cnp.npy_intp extent, const double* first, const double* second,
                     double* joined, double* more) noexcept nogil:
    """Join the parts of a row of columns, in order."""
    cdef cnp.npy_intp columns = work.layout.columns, step, n, i
    cdef double before = min(work.part, extent)
    memcpy(joined, first, columns * sizeof(double))
    memcpy(more, second, columns * sizeof(double))
    for step in range(1, steps):
        first += columns
        second += columns
        n = min(work.part, extent - step % work.parts * work.part)
        if work.weighted:
            for i in range(columns):
                joined[i] += first[i]
                more[i] += second[i]
        else:
            work.kernels.join(before, joined, more, n, first, second, columns)
        before += n


cdef void divide(const double* sums, cnp.npy_intp n, double count, cnp.ndarray out) noexcept:
    cdef cnp.npy_intp i
    if cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT:
        for i in range(n):
            (<float*>cnp.PyArray_DATA(out))[i] = <float>(sums[i] / count)
    else:
        for i in range(n):
            (<double*>cnp.PyArray_DATA(out))[i] = sums[i] / count


cdef struct Rows:
    const Kernels* kernels
    bint is_double
    const char* x
    char* mean
    char* variance
    cnp.npy_intp n


cdef void each_row(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """The moments of the rows ``begin`` to ``end``."""
    cdef const Rows* work = <const Rows*>context
    cdef double mean, squares
    cdef Py_ssize_t row
    for row in range(begin, end):
        work.kernels.run_moments(work.x + row * work.n * (8 if work.is_double else 4), work.n, &mean, &squares)
        if work.is_double:
            (<double*>work.mean)[row] = mean
            (<double*>work.variance)[row] = squares / work.n
        else:
            (<float*>work.mean)[row] = <float>mean
            (<float*>work.variance)[row] = <float>(squares / work.n)


cdef object moments_over(cnp.ndarray x, tuple axes, bint keepdims):
    """Mean and variance of a float32 or float64 array over ``axes``, counted from the front.

    None where the axes do not merge into four, or there are no elements.
    """
    cdef Layout layout
    cdef bint reduced[MOST_AXES]
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp count
    cdef int ndim = cnp.PyArray_NDIM(x), left = 0, i
    cdef cnp.ndarray firsts, squares, mean, variance
    cdef Rows rows
    if ndim > MOST_AXES:
        return None
    for i in range(ndim):
        reduced[i] = False
    for axis in axes:
        i = axis
        if not 0 <= i < ndim:
            return None
        reduced[i] = True
    for i in range(ndim):
        if keepdims or not reduced[i]:
            dims[left] = 1 if reduced[i] else cnp.PyArray_DIMS(x)[i]
            left += 1
    if not merge(ndim, cnp.PyArray_DIMS(x), reduced, &layout):
        return None
    if not cnp.PyArray_ISCARRAY_RO(x):
        x = contiguous_of_type(x, cnp.PyArray_TYPE(x))
    mean, variance = new_array(descr_of(x), left, dims), new_array(descr_of(x), left, dims)
    if layout.reduced == 1 and layout.run <= PIECE:
        count = layout.kept * layout.columns
        rows.kernels = kernels_for(cnp.PyArray_TYPE(x))
        rows.is_double = cnp.PyArray_TYPE(x) == cnp.NPY_DOUBLE
        rows.x = cnp.PyArray_BYTES(x)
        rows.mean = cnp.PyArray_BYTES(mean)
        rows.variance = cnp.PyArray_BYTES(variance)
        rows.n = layout.run
        run_units(each_row, &rows, count, layout.run, GRAIN)
        return mean, variance
    firsts, squares = sum_parts(x, None, None, layout)
    divide(<double*>cnp.PyArray_DATA(firsts), cnp.PyArray_SIZE(mean), 1, mean)
    divide(<double*>cnp.PyArray_DATA(squares), cnp.PyArray_SIZE(mean), layout.reduced * layout.run, variance)
    return mean, variance


def moments(x, tuple axes not None):
    """Mean and variance of a float32 or float64 array over ``axes``, counted from the front and kept with length 1."""
    result = moments_over(x, axes, True)
    if result is None:
        raise ValueError(f"no moments over the axes {axes} of an array of shape {x.shape}")
    return result


def weighted_sums(dy, cnp.ndarray x not None, mean, tuple axes not None):
    """The sums of ``dy`` and of ``dy * (x - mean)`` over ``axes``, in the shape of ``mean``."""
    cdef Layout layout
    cdef int type_num = cnp.PyArray_TYPE(x)
    need_layout((<object>x).shape, axes, &layout)
    need_size(dy, cnp.PyArray_SIZE(x))
    need_size(mean, layout.kept * layout.columns)
    plain, weighted = sum_parts(
        contiguous_of_type(x, type_num), contiguous_of_type(dy, type_num), contiguous_of_type(mean, type_num), layout)
    return plain.astype(x.dtype).reshape(mean.shape), weighted.astype(x.dtype).reshape(mean.shape)


# --- Elementwise, with what elements share ------------------------------------------------------------

cdef object spread(int kind, object dy, object x, list shared, tuple axes, cnp.ndarray out = None):
    """Run ``kind`` over an array of the shape of ``x`` or ``dy``; ``shared`` is [mean, factor, slope, offset]."""
    cdef Spread work
    cdef cnp.ndarray like = dy if x is None else x, xs, dys, shared_array
    cdef int type_num = cnp.PyArray_TYPE(like), i
    cdef const void* pointers[4]
    cdef list held = []
    cdef cnp.npy_intp rows, n
    cdef const Kernels* kernels = kernels_for(type_num)
    need_layout((<object>like).shape, axes, &work.layout)
    if x is not None and dy is not None:
        need_size(dy, cnp.PyArray_SIZE(x))
    work.kind = kind
    work.x = work.dy = NULL
    if x is not None:
        xs = like = contiguous_of_type(x, type_num)
        work.x = cnp.PyArray_DATA(xs)
    if dy is not None:
        dys = like = contiguous_of_type(dy, type_num)
        work.dy = cnp.PyArray_DATA(dys)
    for i in range(4):
        pointers[i] = NULL
        if shared[i] is not None:
            shared_array = contiguous_of_type(shared[i], type_num)
            need_size(shared_array, work.layout.kept * work.layout.columns)
            held.append(shared_array)
            pointers[i] = cnp.PyArray_DATA(shared_array)
    work.mean, work.factor, work.slope, work.offset = pointers[0], pointers[1], pointers[2], pointers[3]
    if out is None:
        out = empty_like(like)
    work.out = cnp.PyArray_DATA(out)
    n = work.layout.run if work.layout.run > 1 else work.layout.columns
    work.rows = rows = cnp.PyArray_SIZE(out) // n
    with nogil:
        parallel(kernels.spread, &work, rows, max(<cnp.npy_intp>1, GRAIN // n))
    return out


def normalize(x, mean, factor, offset, tuple axes not None):
    """``(x - mean) * factor + offset``; the last three have length 1 along ``axes``."""
    return spread(SHIFT, None, x, [mean, factor, None, offset], axes)


def add_normalized(cnp.ndarray whole not None, x, mean, factor, offset, tuple axes not None):
    """Add what `normalize` gives to ``whole``, in place; False, and nothing is done, where that is no array like ``x``."""
    if (not isinstance(x, cnp.ndarray) or cnp.PyArray_TYPE(whole) != cnp.PyArray_TYPE(<cnp.ndarray>x)
            or not cnp.PyArray_ISCARRAY(whole) or not same_shape(whole, <cnp.ndarray>x)):
        return False
    spread(ADD, None, x, [mean, factor, None, offset], axes, whole)
    return True


def scale_gradient(dy, factor, tuple axes not None):
    """``dy * factor``, as in `normalize`."""
    return spread(SCALE, dy, None, [None, factor, None, None], axes)


def project_gradient(dy, x, factor, mean, slope, offset, tuple axes not None):
    """``dy * factor + (x - mean) * slope + offset``, as in `normalize`."""
    return spread(PROJECT, dy, x, [mean, factor, slope, offset], axes)


# --- Rows with moments of their own, columns with a scale and an offset of their own -----------------

cdef int need_rows(cnp.ndarray x, cnp.ndarray mean, cnp.ndarray factor, cnp.ndarray scale) except -1:
    """Raise unless ``x`` has a row for each of the moments and a column for each of the scales, and has elements."""
    need_size(factor, cnp.PyArray_SIZE(mean))
    if cnp.PyArray_SIZE(scale) == 0 or cnp.PyArray_SIZE(mean) == 0:
        raise ValueError("no rows, or no columns, to normalise")
    if (cnp.PyArray_SIZE(x) % cnp.PyArray_SIZE(scale) != 0
            or cnp.PyArray_SIZE(x) // cnp.PyArray_SIZE(scale) != cnp.PyArray_SIZE(mean)):
        raise ValueError(f"{cnp.PyArray_SIZE(x)} elements are not {cnp.PyArray_SIZE(mean)} rows of "
                         f"{cnp.PyArray_SIZE(scale)}")
    return 0


def normalize_rows(cnp.ndarray x not None, mean, factor, scale, offset):
    """``(x - mean) * factor * scale + offset``: each row has a mean and a factor, each column a scale and an offset."""
    cdef int type_num = cnp.PyArray_TYPE(x)
    cdef cnp.ndarray rows = contiguous_of_type(x, type_num), means = contiguous_of_type(mean, type_num)
    cdef cnp.ndarray factors = contiguous_of_type(factor, type_num), scales = contiguous_of_type(scale, type_num)
    cdef cnp.ndarray offsets = contiguous_of_type(offset, type_num)
    need_rows(rows, means, factors, scales)
    need_size(offsets, cnp.PyArray_SIZE(scales))
    return shifted_rows(rows, means, factors, scales, offsets)


def normalize_rows_grad(dy, cnp.ndarray x not None, mean, factor, scale):
    """The gradients of `normalize_rows` by ``x``, by ``mean``, by the variance whose inverse root is ``factor``, by
    ``offset`` and by ``scale``.
    """
    cdef Both work
    cdef int type_num = cnp.PyArray_TYPE(x)
    cdef const Kernels* kernels = kernels_for(type_num)
    cdef cnp.ndarray dys = contiguous_of_type(dy, type_num), rows = contiguous_of_type(x, type_num)
    cdef cnp.ndarray means = contiguous_of_type(mean, type_num), factors = contiguous_of_type(factor, type_num)
    cdef cnp.ndarray scales = contiguous_of_type(scale, type_num), out = empty_like(rows)
    cdef cnp.ndarray by_mean = empty_like(means), by_variance = empty_like(means)
    cdef cnp.ndarray by_offset, by_scale, spare
    cdef cnp.npy_intp blocks
    need_rows(rows, means, factors, scales)
    need_size(dys, cnp.PyArray_SIZE(rows))
    work.rows = cnp.PyArray_SIZE(means)
    work.n = cnp.PyArray_SIZE(scales)
    work.part = max(<cnp.npy_intp>16, GRAIN // work.n, (work.rows + MOST_PARTS - 1) // MOST_PARTS)
    blocks = (work.rows + work.part - 1) // work.part
    by_offset, by_scale = empty((blocks, work.n)), empty((blocks, work.n))
    spare = empty((blocks, 2 * work.n), x.dtype)
    work.dy = cnp.PyArray_DATA(dys)
    work.x = cnp.PyArray_DATA(rows)
    work.mean = cnp.PyArray_DATA(means)
    work.factor = cnp.PyArray_DATA(factors)
    work.scale = cnp.PyArray_DATA(scales)
    work.out = cnp.PyArray_DATA(out)
    work.by_mean = cnp.PyArray_DATA(by_mean)
    work.by_variance = cnp.PyArray_DATA(by_variance)
    work.by_offset = <double*>cnp.PyArray_DATA(by_offset)
    work.by_scale = <double*>cnp.PyArray_DATA(by_scale)
    work.spare = cnp.PyArray_DATA(spare)
    with nogil:
        parallel(kernels.differentiate_blocks, &work, blocks, 1)
    totals = [np.add.reduce(parts, axis=0).astype(x.dtype).reshape(scale.shape) for parts in (by_offset, by_scale)]
    return out, by_mean, by_variance, totals[0], totals[1]


# --- Lanes --------------------------------------------------------------------------------------------

ctypedef fused real:
    float
    double


cdef object run_moments(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0]
    axes = attributes[0]
    if (cnp.PyArray_TYPE(x) != cnp.NPY_FLOAT and cnp.PyArray_TYPE(x) != cnp.NPY_DOUBLE
            or type(axes) is not tuple or len(<tuple>axes) == 0):
        return None
    return moments_over(x, axes, attributes[1])


cdef bint take_roots(const real* variance, real* out, cnp.npy_intp n, real least, real most) noexcept nogil:
    """Whether all variances are such that none of the squares in them overflowed, and none that matters vanished."""
    cdef cnp.npy_intp i
    for i in range(n):
        if not least < variance[i] < most:
            return False
        out[i] = <real>sqrt(variance[i])
    return True


cdef object run_deviation(PyObject** arrays, int count, tuple attributes):
    cdef object result = run_moments(arrays, count, attributes)
    cdef cnp.ndarray variance, out
    cdef bint taken
    if result is None:
        return None
    variance = (<tuple>result)[1]
    out = empty_like(variance)
    if cnp.PyArray_TYPE(variance) == cnp.NPY_DOUBLE:
        taken = take_roots(<const double*>cnp.PyArray_DATA(variance), <double*>cnp.PyArray_DATA(out),
                           cnp.PyArray_SIZE(variance), 1e-280, 1e300)
    else:
        taken = take_roots(<const float*>cnp.PyArray_DATA(variance), <float*>cnp.PyArray_DATA(out),
                           cnp.PyArray_SIZE(variance), <float>1e-25, <float>1e30)
    return (out, (<tuple>result)[0]) if taken else None


cdef enum:
    APART = 0                   # how the moments and the scale are spread over the elements: in no way that we know
    TOGETHER = 1                # the same parts have moments and a scale
    CROSSED = 2                 # rows have moments, columns a scale


cdef int arrangement(cnp.ndarray x, cnp.ndarray mean, cnp.ndarray scale, bint* reduced) noexcept:
    """How ``mean`` and ``scale`` are spread over ``x``; ``reduced`` says of each axis whether it shares moments."""
    cdef int ndim = cnp.PyArray_NDIM(x), i, j
    cdef cnp.npy_intp length, own, other
    cdef bint together = True, crossed = True, columns = False
    if cnp.PyArray_NDIM(mean) > ndim or cnp.PyArray_NDIM(scale) > ndim or ndim > MOST_AXES:
        return APART
    for i in range(ndim):
        length = cnp.PyArray_DIMS(x)[i]
        j = i - ndim + cnp.PyArray_NDIM(mean)
        own = cnp.PyArray_DIMS(mean)[j] if j >= 0 else 1
        j = i - ndim + cnp.PyArray_NDIM(scale)
        other = cnp.PyArray_DIMS(scale)[j] if j >= 0 else 1
        if own != 1 and own != length or other != 1 and other != length:
            return APART
        reduced[i] = own != length
        if length == 1:
            continue
        together = together and (own == length) == (other == length)
        columns = columns or other == length
        crossed = crossed and (other == length) == columns and (own == length) == (not columns)
    return TOGETHER if together else CROSSED if crossed else APART


cdef bint same_shape(cnp.ndarray x, cnp.ndarray y) noexcept:
    cdef int i
    if cnp.PyArray_NDIM(x) != cnp.PyArray_NDIM(y):
        return False
    for i in range(cnp.PyArray_NDIM(x)):
        if cnp.PyArray_DIMS(x)[i] != cnp.PyArray_DIMS(y)[i]:
            return False
    return True


cdef void invert_deviations(real* factor, const real* variance, const real* scale, cnp.npy_intp n, real epsilon) noexcept nogil:
    """``scale / sqrt(variance + epsilon)``, without the scale where it is NULL."""
    cdef cnp.npy_intp i
    for i in range(n):
        factor[i] = <real>1 / <real>sqrt(variance[i] + epsilon)
        if scale != NULL:
            factor[i] *= scale[i]


cdef cnp.ndarray inverse_deviations(cnp.ndarray variance, cnp.ndarray scale, double epsilon):
    cdef cnp.ndarray factor = empty_like(variance)
    cdef void* scales = NULL if scale is None else cnp.PyArray_DATA(scale)
    if cnp.PyArray_TYPE(variance) == cnp.NPY_FLOAT:
        invert_deviations(<float*>cnp.PyArray_DATA(factor), <float*>cnp.PyArray_DATA(variance), <float*>scales,
                          cnp.PyArray_SIZE(variance), <float>epsilon)
    else:
        invert_deviations(<double*>cnp.PyArray_DATA(factor), <double*>cnp.PyArray_DATA(variance), <double*>scales,
                          cnp.PyArray_SIZE(variance), epsilon)
    return factor


cdef cnp.ndarray shifted(cnp.ndarray x, cnp.ndarray mean, cnp.ndarray factor, cnp.ndarray offset, Layout layout):
    """``(x - mean) * factor + offset`` for plain arrays of one dtype."""
    cdef Spread work
    cdef cnp.ndarray out = empty_like(x)
    cdef const Kernels* kernels = kernels_for(cnp.PyArray_TYPE(x))
    cdef cnp.npy_intp n = layout.run if layout.run > 1 else layout.columns
    work.layout = layout
    work.kind = SHIFT
    work.x = cnp.PyArray_DATA(x)
    work.dy = work.slope = NULL
    work.mean = cnp.PyArray_DATA(mean)
    work.factor = cnp.PyArray_DATA(factor)
    work.offset = cnp.PyArray_DATA(offset)
    work.out = cnp.PyArray_DATA(out)
    work.rows = cnp.PyArray_SIZE(out) // n
    run_units(kernels.spread, &work, work.rows, n, GRAIN)
    return out


cdef cnp.ndarray shifted_rows(cnp.ndarray x, cnp.ndarray mean, cnp.ndarray factor, cnp.ndarray scale, cnp.ndarray offset):
    """``(x - mean) * factor * scale + offset`` for plain arrays of one dtype; rows have moments, columns a scale."""
    cdef Both work
    cdef cnp.ndarray out = empty_like(x)
    cdef const Kernels* kernels = kernels_for(cnp.PyArray_TYPE(x))
    work.n = cnp.PyArray_SIZE(scale)
    work.x = cnp.PyArray_DATA(x)
    work.mean = cnp.PyArray_DATA(mean)
    work.factor = cnp.PyArray_DATA(factor)
    work.scale = cnp.PyArray_DATA(scale)
    work.offset = cnp.PyArray_DATA(offset)
    work.out = cnp.PyArray_DATA(out)
    run_units(kernels.shift_rows, &work, cnp.PyArray_SIZE(mean), work.n, GRAIN)
    return out


cdef bint all_plain(PyObject** arrays, int count) noexcept:
    """Whether the arrays are contiguous and all float32, or all float64."""
    cdef int type_num = cnp.PyArray_TYPE(<cnp.ndarray>arrays[0]), i
    if type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE:
        return False
    for i in range(count):
        if cnp.PyArray_TYPE(<cnp.ndarray>arrays[i]) != type_num or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray>arrays[i]):
            return False
    return True


cdef object run_normalization(PyObject** arrays, int count, tuple attributes):
    """Normalisation of the first array by moments, with an offset and a scale; the attribute is the epsilon."""
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], mean = <cnp.ndarray>arrays[1], variance = <cnp.ndarray>arrays[2]
    cdef cnp.ndarray offset = <cnp.ndarray>arrays[3], scale = <cnp.ndarray>arrays[4], factor
    cdef bint reduced[MOST_AXES]
    cdef Layout layout
    cdef int how
    if not all_plain(arrays, 5) or not same_shape(mean, variance) or not same_shape(offset, scale):
        return None
    how = arrangement(x, mean, scale, reduced)
    if how == APART or not merge(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), reduced, &layout):
        return None
    factor = inverse_deviations(variance, scale if how == TOGETHER else None, attributes[0])
    if how == TOGETHER:
        return shifted(x, mean, factor, offset, layout)
    return shifted_rows(x, mean, factor, scale, offset)


cdef void read_moments(
        const double* firsts, const double* squares, double count, cnp.npy_intp channels, const real* scale,
        real epsilon, real* mean, real* variance, real* unbiased, real* factor) noexcept nogil:
    """What a batch normalisation makes of the means and the sums of squares of its channels."""
    cdef real share = <real>(count / max(count - 1, 1.0))
    cdef cnp.npy_intp i
    for i in range(channels):
        mean[i] = <real>firsts[i]
        variance[i] = <real>(squares[i] / count)
        unbiased[i] = variance[i] * share
        factor[i] = scale[i] / <real>sqrt(variance[i] + epsilon)


cdef object run_batch(PyObject** arrays, int count, tuple attributes):
    """The results of FusedBatchNormV3 in training, where the moments to keep are those of this batch."""
    cdef cnp.ndarray x = <cnp.ndarray>arrays[0], scale = <cnp.ndarray>arrays[1], offset = <cnp.ndarray>arrays[2]
    cdef cnp.ndarray firsts, squares, mean, variance, unbiased, factor, none
    cdef int ndim = cnp.PyArray_NDIM(x), channel, i
    cdef cnp.npy_intp channels
    cdef bint reduced[MOST_AXES]
    cdef Layout layout
    epsilon, average, data_format, training = attributes
    if (not training or average != 1 or not 4 <= ndim <= 5 or not all_plain(arrays, 3)
            or cnp.PyArray_NDIM(scale) != 1 or cnp.PyArray_NDIM(offset) != 1):
        return None
    channel = 1 if (<str>data_format).startswith("NC") else ndim - 1
    channels = cnp.PyArray_DIMS(x)[channel]
    for i in range(ndim):
        reduced[i] = i != channel
    if (cnp.PyArray_DIMS(scale)[0] != channels or cnp.PyArray_DIMS(offset)[0] != channels
            or not merge(ndim, cnp.PyArray_DIMS(x), reduced, &layout)):
        return None
    firsts, squares = sum_parts(x, None, None, layout)
    mean, variance, unbiased, factor = empty_like(scale), empty_like(scale), empty_like(scale), empty_like(scale)
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT:
        read_moments(
            <double*>cnp.PyArray_DATA(firsts), <double*>cnp.PyArray_DATA(squares), layout.reduced * layout.run,
            channels, <float*>cnp.PyArray_DATA(scale), <float>epsilon, <float*>cnp.PyArray_DATA(mean),
            <float*>cnp.PyArray_DATA(variance), <float*>cnp.PyArray_DATA(unbiased), <float*>cnp.PyArray_DATA(factor))
    else:
        read_moments(
            <double*>cnp.PyArray_DATA(firsts), <double*>cnp.PyArray_DATA(squares), layout.reduced * layout.run,
            channels, <double*>cnp.PyArray_DATA(scale), <double>epsilon, <double*>cnp.PyArray_DATA(mean),
            <double*>cnp.PyArray_DATA(variance), <double*>cnp.PyArray_DATA(unbiased), <double*>cnp.PyArray_DATA(factor))
    none = zeros_array(descr_of(x), 0, NULL)
    return shifted(x, mean, factor, offset, layout), mean, unbiased, mean, variance, none


mean_and_variance: Lane = lane(run_moments)
deviation: Lane = lane(run_deviation)
normalization: Lane = lane(run_normalization)
batch_normalization: Lane = lane(run_batch)

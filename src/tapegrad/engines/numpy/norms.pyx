"""Moments over some axes, and normalisation by them: forward and back, each array crossed as seldom as can be.

The axes are merged into four: kept, reduced, kept, reduced. Where the last has a length, each of its runs shares
its moments; else neighbouring columns are taken together. Sums over many rows are taken in blocks, cut where the
shape alone says, and joined in order, so that any number of threads gives the same bits.
"""

cimport numpy as cnp
from libc.string cimport memcpy

import numpy as np

from tapegrad.engines.numpy.buffers cimport empty_like
from tapegrad.engines.numpy.threads cimport parallel

from tapegrad.engines.numpy.buffers import empty

cnp.import_array()

ctypedef const char* Bytes

cdef extern from "norms.h" nogil:
    int BLOCK "TAPEGRAD_COLUMNS"
    void tapegrad_join(double, double*, double*, double, const double*, const double*, cnp.npy_intp) noexcept
    void float_run_moments(Bytes, cnp.npy_intp, double*, double*) noexcept
    void double_run_moments(Bytes, cnp.npy_intp, double*, double*) noexcept
    void float_column_moments(Bytes, cnp.npy_intp, cnp.npy_intp, cnp.npy_intp, double*, double*) noexcept
    void double_column_moments(Bytes, cnp.npy_intp, cnp.npy_intp, cnp.npy_intp, double*, double*) noexcept
    void float_run_sums(Bytes, Bytes, cnp.npy_intp, Bytes, double*, double*) noexcept
    void double_run_sums(Bytes, Bytes, cnp.npy_intp, Bytes, double*, double*) noexcept
    void float_column_sums(
        Bytes, Bytes, cnp.npy_intp, cnp.npy_intp, cnp.npy_intp, Bytes, double*, double*) noexcept
    void double_column_sums(
        Bytes, Bytes, cnp.npy_intp, cnp.npy_intp, cnp.npy_intp, Bytes, double*, double*) noexcept
    void float_shift_run(const float*, float, float, float, float*, cnp.npy_intp) noexcept
    void double_shift_run(const double*, double, double, double, double*, cnp.npy_intp) noexcept
    void float_shift_columns(
        const float*, const float*, const float*, const float*, float*, cnp.npy_intp) noexcept
    void double_shift_columns(
        const double*, const double*, const double*, const double*, double*, cnp.npy_intp) noexcept
    void float_shift_both(const float*, float, float, const float*, const float*, float*, cnp.npy_intp) noexcept
    void double_shift_both(
        const double*, double, double, const double*, const double*, double*, cnp.npy_intp) noexcept
    void float_scale_run(const float*, float, float*, cnp.npy_intp) noexcept
    void double_scale_run(const double*, double, double*, cnp.npy_intp) noexcept
    void float_scale_columns(const float*, const float*, float*, cnp.npy_intp) noexcept
    void double_scale_columns(const double*, const double*, double*, cnp.npy_intp) noexcept
    void float_project_run(
        const float*, const float*, float, float, float, float, float*, cnp.npy_intp) noexcept
    void double_project_run(
        const double*, const double*, double, double, double, double, double*, cnp.npy_intp) noexcept
    void float_project_columns(
        const float*, const float*, const float*, const float*, const float*, const float*, float*,
        cnp.npy_intp) noexcept
    void double_project_columns(
        const double*, const double*, const double*, const double*, const double*, const double*, double*,
        cnp.npy_intp) noexcept
    void float_both_grad(
        const float*, const float*, const float*, const float*, const float*, float*, float*, float*, double*,
        double*, float*, cnp.npy_intp, cnp.npy_intp) noexcept
    void double_both_grad(
        const double*, const double*, const double*, const double*, const double*, double*, double*, double*,
        double*, double*, double*, cnp.npy_intp, cnp.npy_intp) noexcept

cdef enum:
    GRAIN = 16_384              # elements that are worth a thread's while
    PIECE = 32_768              # elements of the pieces that runs are cut into
    PART = 65_536               # elements of a block of rows: it stays in the second cache
    MOST_PARTS = 64             # blocks of rows

cdef struct Layout:
    cnp.npy_intp kept           # x has the shape (kept, reduced, columns, run) and its moments (kept, columns)
    cnp.npy_intp reduced
    cnp.npy_intp columns
    cnp.npy_intp run


cdef bint lay_out(tuple shape, tuple axes, Layout* layout) except -1:
    """Merge the axes of ``shape``, of which ``axes`` are reduced, into four; False where that takes more.

    An array with no elements has no layout either.
    """
    cdef cnp.npy_intp lengths[4]
    cdef cnp.npy_intp length
    cdef int place = 3, i
    lengths[0] = lengths[1] = lengths[2] = lengths[3] = 1
    for i in range(len(shape) - 1, -1, -1):
        length = shape[i]
        if length == 1:
            continue
        # Runs and reduced rows stand at the odd places.
        if (place % 2 == 1) != (i in axes):
            place -= 1
        if place < 0:
            return False
        lengths[place] *= length
    layout.kept, layout.reduced, layout.columns, layout.run = lengths[0], lengths[1], lengths[2], lengths[3]
    return layout.kept * layout.reduced * layout.columns * layout.run > 0


def has_layout(tuple shape not None, tuple axes not None):
    """Whether the functions below take an array of this shape, with moments over ``axes``."""
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


cdef cnp.ndarray contiguous(object array, int type_num):
    return cnp.PyArray_FROMANY(array, type_num, 0, 0, cnp.NPY_ARRAY_CARRAY_RO)


# --- Sums over what shares a mean ---------------------------------------------------------------------

cdef struct Sums:
    Layout layout
    bint single
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
            (float_run_sums if work.single else double_run_sums)(
                work.dy + offset, x, n, work.mean + column * work.item, work.first + place, work.second + place)
        else:
            (float_run_moments if work.single else double_run_moments)(
                x, n, work.first + place, work.second + place)


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
            (float_column_sums if work.single else double_column_sums)(
                work.dy + offset, work.x + offset, rows, stride, width,
                work.mean + (kept * work.layout.columns + block * BLOCK) * work.item,
                work.first + place, work.second + place)
        else:
            (float_column_moments if work.single else double_column_moments)(
                work.x + offset, rows, stride, width, work.first + place, work.second + place)


cdef tuple sum_parts(cnp.ndarray x, cnp.ndarray dy, cnp.ndarray mean, Layout layout):
    """Mean and sum of squares around it, or with ``dy`` the two sums, in double precision, flat."""
    cdef Sums work
    cdef cnp.npy_intp results = layout.kept * layout.columns, extent, steps, total, count, grain
    cdef double* first
    cdef double* second
    cdef double* joined
    cdef double* more
    work.layout = layout
    work.single = cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT
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
    firsts, seconds = empty(total), empty(total)
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
            tapegrad_join(before, joined, more, n, first, second, columns)
        before += n


def moments(x, tuple axes not None):
    """Mean and variance of a float32 or float64 array over ``axes``, from the front, which stay with length 1."""
    cdef Layout layout
    cdef cnp.ndarray given = contiguous(x, cnp.PyArray_TYPE(x))
    need_layout(x.shape, axes, &layout)
    mean, squares = sum_parts(given, None, None, layout)
    shape = tuple([1 if i in axes else length for i, length in enumerate(x.shape)])
    variance = squares / <double>(layout.reduced * layout.run)
    return mean.astype(x.dtype).reshape(shape), variance.astype(x.dtype).reshape(shape)


def weighted_sums(dy, x, mean, tuple axes not None):
    """The sums of ``dy`` and of ``dy * (x - mean)`` over ``axes``, in the shape of ``mean``."""
    cdef Layout layout
    cdef int type_num = cnp.PyArray_TYPE(x)
    need_layout(x.shape, axes, &layout)
    need_size(dy, x.size)
    need_size(mean, layout.kept * layout.columns)
    plain, weighted = sum_parts(
        contiguous(x, type_num), contiguous(dy, type_num), contiguous(mean, type_num), layout)
    return plain.astype(x.dtype).reshape(mean.shape), weighted.astype(x.dtype).reshape(mean.shape)


# --- Elementwise, with what elements share ------------------------------------------------------------

cdef enum Kind:
    SHIFT, SCALE, PROJECT

cdef struct Spread:
    Layout layout
    Kind kind
    void* dy
    void* x
    void* mean
    void* factor
    void* slope
    void* offset
    void* out
    Py_ssize_t rows

ctypedef fused real:
    float
    double


cdef inline void spread_rows(Spread* work, Py_ssize_t begin, Py_ssize_t end, real* out) noexcept nogil:
    """The runs ``begin`` to ``end``, or the rows where there are no runs."""
    cdef Py_ssize_t row
    cdef cnp.npy_intp at, i
    cdef cnp.npy_intp columns = work.layout.columns, n = work.layout.run if work.layout.run > 1 else columns
    cdef real* dy = <real*>work.dy
    cdef real* x = <real*>work.x
    cdef real* mean = <real*>work.mean
    cdef real* factor = <real*>work.factor
    cdef real* slope = <real*>work.slope
    cdef real* offset = <real*>work.offset
    for row in range(begin, end):
        at = row * n
        if work.layout.run > 1:
            i = row % columns + row // (columns * work.layout.reduced) * columns
            if real is float:
                if work.kind == SHIFT:
                    float_shift_run(x + at, mean[i], factor[i], offset[i], out + at, n)
                elif work.kind == SCALE:
                    float_scale_run(dy + at, factor[i], out + at, n)
                else:
                    float_project_run(dy + at, x + at, factor[i], mean[i], slope[i], offset[i], out + at, n)
            elif work.kind == SHIFT:
                double_shift_run(x + at, mean[i], factor[i], offset[i], out + at, n)
            elif work.kind == SCALE:
                double_scale_run(dy + at, factor[i], out + at, n)
            else:
                double_project_run(dy + at, x + at, factor[i], mean[i], slope[i], offset[i], out + at, n)
        else:
            i = row // work.layout.reduced * columns
            if real is float:
                if work.kind == SHIFT:
                    float_shift_columns(x + at, mean + i, factor + i, offset + i, out + at, n)
                elif work.kind == SCALE:
                    float_scale_columns(dy + at, factor + i, out + at, n)
                else:
                    float_project_columns(
                        dy + at, x + at, factor + i, mean + i, slope + i, offset + i, out + at, n)
            elif work.kind == SHIFT:
                double_shift_columns(x + at, mean + i, factor + i, offset + i, out + at, n)
            elif work.kind == SCALE:
                double_scale_columns(dy + at, factor + i, out + at, n)
            else:
                double_project_columns(dy + at, x + at, factor + i, mean + i, slope + i, offset + i, out + at, n)


# From the last rows to the first: the sums were taken in the order of the rows, and the last are still in cache.

cdef void spread_float(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Spread* work = <Spread*>context
    spread_rows[float](work, work.rows - end, work.rows - begin, <float*>work.out)


cdef void spread_double(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Spread* work = <Spread*>context
    spread_rows[double](work, work.rows - end, work.rows - begin, <double*>work.out)


cdef object spread(Kind kind, object dy, object x, list shared, tuple axes):
    """``kind`` over an array of the shape of ``x``, or of ``dy``; ``shared`` are mean, factor, slope and offset."""
    cdef Spread work
    cdef cnp.ndarray like = dy if x is None else x, out, xs, dys, each
    cdef int type_num = cnp.PyArray_TYPE(like), i
    cdef void* pointers[4]
    cdef list held = []
    cdef cnp.npy_intp rows, n
    need_layout((<object>like).shape, axes, &work.layout)
    if x is not None and dy is not None:
        need_size(dy, x.size)
    work.kind = kind
    work.x = work.dy = NULL
    if x is not None:
        xs = like = contiguous(x, type_num)
        work.x = cnp.PyArray_DATA(xs)
    if dy is not None:
        dys = like = contiguous(dy, type_num)
        work.dy = cnp.PyArray_DATA(dys)
    for i in range(4):
        pointers[i] = NULL
        if shared[i] is not None:
            each = contiguous(shared[i], type_num)
            need_size(each, work.layout.kept * work.layout.columns)
            held.append(each)
            pointers[i] = cnp.PyArray_DATA(each)
    work.mean, work.factor, work.slope, work.offset = pointers[0], pointers[1], pointers[2], pointers[3]
    out = empty_like(like)
    work.out = cnp.PyArray_DATA(out)
    n = work.layout.run if work.layout.run > 1 else work.layout.columns
    work.rows = rows = cnp.PyArray_SIZE(out) // n
    with nogil:
        parallel(spread_float if type_num == cnp.NPY_FLOAT else spread_double, &work, rows,
                 max(<cnp.npy_intp>1, GRAIN // n))
    return out


def normalize(x, mean, factor, offset, tuple axes not None):
    """``(x - mean) * factor + offset``, these three with one element where ``axes`` are reduced."""
    return spread(SHIFT, None, x, [mean, factor, None, offset], axes)


def scale_gradient(dy, factor, tuple axes not None):
    """``dy * factor``, as in `normalize`."""
    return spread(SCALE, dy, None, [None, factor, None, None], axes)


def project_gradient(dy, x, factor, mean, slope, offset, tuple axes not None):
    """``dy * factor + (x - mean) * slope + offset``, as in `normalize`."""
    return spread(PROJECT, dy, x, [mean, factor, slope, offset], axes)


# --- Rows with moments of their own, columns with a scale and an offset of their own -----------------

cdef struct Both:
    bint single
    cnp.npy_intp rows
    cnp.npy_intp n
    cnp.npy_intp part           # rows of a block
    char* dy
    char* x
    char* mean
    char* factor
    char* scale
    char* offset
    char* out
    char* by_mean
    char* by_variance
    double* by_offset           # a row for each block
    double* by_scale
    char* spare                 # two rows for each block


cdef void run_rows(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Both* work = <Both*>context
    cdef Py_ssize_t row
    for row in range(begin, end):
        if work.single:
            float_shift_both(
                <float*>work.x + row * work.n, (<float*>work.mean)[row], (<float*>work.factor)[row],
                <float*>work.scale, <float*>work.offset, <float*>work.out + row * work.n, work.n)
        else:
            double_shift_both(
                <double*>work.x + row * work.n, (<double*>work.mean)[row], (<double*>work.factor)[row],
                <double*>work.scale, <double*>work.offset, <double*>work.out + row * work.n, work.n)


cdef int need_rows(cnp.ndarray x, cnp.ndarray mean, cnp.ndarray factor, cnp.ndarray scale) except -1:
    """Raise unless ``x`` has as many elements as there are moments times scales, and any."""
    need_size(factor, cnp.PyArray_SIZE(mean))
    if cnp.PyArray_SIZE(scale) == 0 or cnp.PyArray_SIZE(mean) == 0:
        raise ValueError("no rows, or no columns, to normalise")
    if (cnp.PyArray_SIZE(x) % cnp.PyArray_SIZE(scale) != 0
            or cnp.PyArray_SIZE(x) // cnp.PyArray_SIZE(scale) != cnp.PyArray_SIZE(mean)):
        raise ValueError(f"{cnp.PyArray_SIZE(x)} elements are not {cnp.PyArray_SIZE(mean)} rows of "
                         f"{cnp.PyArray_SIZE(scale)}")
    return 0


def normalize_rows(x, mean, factor, scale, offset):
    """``(x - mean) * factor * scale + offset``: ``mean`` and ``factor`` of each row, the others of each column."""
    cdef Both work
    cdef int type_num = cnp.PyArray_TYPE(x)
    cdef cnp.ndarray rows = contiguous(x, type_num), means = contiguous(mean, type_num)
    cdef cnp.ndarray factors = contiguous(factor, type_num), scales = contiguous(scale, type_num)
    cdef cnp.ndarray offsets = contiguous(offset, type_num), out = empty_like(rows)
    need_rows(rows, means, factors, scales)
    need_size(offsets, cnp.PyArray_SIZE(scales))
    work.single = type_num == cnp.NPY_FLOAT
    work.n = cnp.PyArray_SIZE(scales)
    work.x = cnp.PyArray_BYTES(rows)
    work.mean = cnp.PyArray_BYTES(means)
    work.factor = cnp.PyArray_BYTES(factors)
    work.scale = cnp.PyArray_BYTES(scales)
    work.offset = cnp.PyArray_BYTES(offsets)
    work.out = cnp.PyArray_BYTES(out)
    with nogil:
        parallel(run_rows, &work, cnp.PyArray_SIZE(means), max(<cnp.npy_intp>1, GRAIN // work.n))
    return out


cdef void differentiate_blocks(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Both* work = <Both*>context
    cdef Py_ssize_t block
    cdef cnp.npy_intp row, at, rows, n = work.n
    for block in range(begin, end):
        row = block * work.part
        rows = min(work.part, work.rows - row)
        at = row * n
        if work.single:
            float_both_grad(
                <float*>work.dy + at, <float*>work.x + at, <float*>work.mean + row, <float*>work.factor + row,
                <float*>work.scale, <float*>work.out + at, <float*>work.by_mean + row,
                <float*>work.by_variance + row, work.by_offset + block * n, work.by_scale + block * n,
                <float*>work.spare + 2 * block * n, rows, n)
        else:
            double_both_grad(
                <double*>work.dy + at, <double*>work.x + at, <double*>work.mean + row,
                <double*>work.factor + row, <double*>work.scale, <double*>work.out + at,
                <double*>work.by_mean + row, <double*>work.by_variance + row, work.by_offset + block * n,
                work.by_scale + block * n, <double*>work.spare + 2 * block * n, rows, n)


def normalize_rows_grad(dy, x, mean, factor, scale):
    """What `normalize_rows` sends back to ``x`` and ``mean``, to the variance of which ``factor`` is the inverse root,
    and to ``offset`` and ``scale``.
    """
    cdef Both work
    cdef int type_num = cnp.PyArray_TYPE(x)
    cdef cnp.ndarray dys = contiguous(dy, type_num), rows = contiguous(x, type_num)
    cdef cnp.ndarray means = contiguous(mean, type_num), factors = contiguous(factor, type_num)
    cdef cnp.ndarray scales = contiguous(scale, type_num), out = empty_like(rows)
    cdef cnp.ndarray by_mean = empty_like(means), by_variance = empty_like(means)
    cdef cnp.ndarray by_offset, by_scale, spare
    cdef cnp.npy_intp blocks
    need_rows(rows, means, factors, scales)
    need_size(dys, cnp.PyArray_SIZE(rows))
    work.single = type_num == cnp.NPY_FLOAT
    work.rows = cnp.PyArray_SIZE(means)
    work.n = cnp.PyArray_SIZE(scales)
    work.part = max(<cnp.npy_intp>16, GRAIN // work.n, (work.rows + MOST_PARTS - 1) // MOST_PARTS)
    blocks = (work.rows + work.part - 1) // work.part
    by_offset, by_scale = empty((blocks, work.n)), empty((blocks, work.n))
    spare = empty((blocks, 2 * work.n), x.dtype)
    work.dy = cnp.PyArray_BYTES(dys)
    work.x = cnp.PyArray_BYTES(rows)
    work.mean = cnp.PyArray_BYTES(means)
    work.factor = cnp.PyArray_BYTES(factors)
    work.scale = cnp.PyArray_BYTES(scales)
    work.out = cnp.PyArray_BYTES(out)
    work.by_mean = cnp.PyArray_BYTES(by_mean)
    work.by_variance = cnp.PyArray_BYTES(by_variance)
    work.by_offset = <double*>cnp.PyArray_DATA(by_offset)
    work.by_scale = <double*>cnp.PyArray_DATA(by_scale)
    work.spare = cnp.PyArray_BYTES(spare)
    with nogil:
        parallel(differentiate_blocks, &work, blocks, 1)
    totals = [np.add.reduce(each, axis=0).astype(x.dtype).reshape(scale.shape) for each in (by_offset, by_scale)]
    return out, by_mean, by_variance, totals[0], totals[1]

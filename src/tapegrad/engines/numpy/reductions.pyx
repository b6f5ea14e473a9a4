"""Sums, means, maxima and minima of float32, float64 and bfloat16 over any axes of any layout.

The axes are sorted by how far apart their elements lie, and merged as far as the strides allow. If the innermost axis
is reduced, its runs are added up in lanes; if it is kept, whole rows are added to each other. Long reductions are cut
into parts at places that depend on the shape alone, so that any number of threads gives the same bits.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t
from libc.math cimport sqrt
from libc.stdlib cimport free, malloc

import numpy as np

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.conversions cimport is_bfloat16
from tapegrad.engines.numpy.copies cimport descr_of
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.loops cimport Loop, Loops, run_binary, run_in_place
from tapegrad.engines.numpy.threads cimport parallel

cnp.import_array()

ctypedef void (*Store)(char* out, const double* values, cnp.npy_intp n, double divisor) noexcept nogil

cdef extern from "reductions.h" nogil:
    enum:
        BLOCK "TAPEGRAD_COLUMNS"

    ctypedef struct Reduction "tapegrad_reduction":
        double start
        void (*run)(const char* x, cnp.npy_intp n, cnp.npy_intp stride, double* out) noexcept nogil
        void (*columns)(const char* x, cnp.npy_intp rows, cnp.npy_intp row_stride, cnp.npy_intp n,
                        cnp.npy_intp stride, double* out) noexcept nogil

    ctypedef struct Kernels "tapegrad_reductions":
        Reduction sum, maximum, minimum, product, squares, count
        Store store

    enum:
        OF_FLOAT "TAPEGRAD_OF_FLOAT"
        OF_DOUBLE "TAPEGRAD_OF_DOUBLE"
        OF_HALF "TAPEGRAD_OF_HALF"
        OF_COUNT "TAPEGRAD_OF_COUNT"

    const Kernels* kernels_at "tapegrad_reductions_at" (int kind, int level) noexcept
    void c_store "tapegrad_store" (int kind, char* out, double value, double divisor) noexcept

cdef extern from "numpy/arrayobject.h":
    object PyArray_ZEROS(int nd, cnp.npy_intp* dims, int type_num, int fortran)
    object PyArray_NewCopy(cnp.ndarray array, int order)
    cnp.ndarray PyArray_Diagonal(cnp.ndarray array, int offset, int axis1, int axis2)

cdef enum:
    MAX_DIMENSIONS = 64
    GRAIN = 32_768              # elements for which a thread is worth it

cdef object OF_COUNTS = np.dtype(np.int64)

# Norms of float64 between these lost no squares that matter, and overflowed nowhere.
cdef double LEAST_NORM = 1e-130, MOST_NORM = 1e150

cdef struct Axes:
    int count
    cnp.npy_intp dims[MAX_DIMENSIONS]
    cnp.npy_intp strides[MAX_DIMENSIONS]
    cnp.npy_intp out_strides[MAX_DIMENSIONS]

cdef struct Plan:
    const Reduction* kernel     # of the type reduced
    const Reduction* combine    # of double, for partial results
    double divisor              # of a mean; 0 for none
    bint root                   # the results are square roots
    Store store                 # of a row of results; NULL where each is stored by itself
    cnp.npy_intp item           # bytes of a result
    int kind                    # of the results
    bint by_rows                # the innermost axis is kept
    char* x
    char* out
    double* partial             # a row of accumulators for each part of each result; NULL for one part
    cnp.npy_intp n              # of the innermost axis
    cnp.npy_intp stride
    cnp.npy_intp out_stride
    cnp.npy_intp length         # of the innermost axis that is reduced, which is cut into pieces
    cnp.npy_intp length_stride
    cnp.npy_intp piece
    cnp.npy_intp pieces
    cnp.npy_intp units          # pieces over all axes that are reduced
    cnp.npy_intp units_to_part
    cnp.npy_intp parts
    cnp.npy_intp blocks         # of columns
    Axes kept                   # besides the innermost, if that is kept
    Axes reduced                # besides the one of `length`

cdef struct Layout:             # of the array that is reduced, axis by axis
    int count                   # of the axes in `order`
    int order[MAX_DIMENSIONS]
    cnp.npy_intp dims[MAX_DIMENSIONS]
    cnp.npy_intp strides[MAX_DIMENSIONS]
    cnp.npy_intp out_strides[MAX_DIMENSIONS]
    bint is_reduced[MAX_DIMENSIONS]


cdef inline void locate(Axes* axes, cnp.npy_intp index, cnp.npy_intp* offset, cnp.npy_intp* out_offset) noexcept nogil:
    """Move the offsets to the element ``index`` in the order of ``axes``."""
    cdef int i
    cdef cnp.npy_intp rest
    for i in range(axes.count - 1, 0, -1):
        rest = index % axes.dims[i]
        index //= axes.dims[i]
        offset[0] += rest * axes.strides[i]
        out_offset[0] += rest * axes.out_strides[i]
    if axes.count > 0:
        offset[0] += index * axes.strides[0]
        out_offset[0] += index * axes.out_strides[0]


cdef inline void store(Plan* plan, char* out, double value) noexcept nogil:
    c_store(plan.kind, out, sqrt(value) if plan.root else value, plan.divisor)


cdef inline void store_row(Plan* plan, char* out, const double* values, cnp.npy_intp n) noexcept nogil:
    cdef cnp.npy_intp i
    if plan.store != NULL and n > 1 and plan.out_stride == plan.item:
        plan.store(out, values, n, plan.divisor)
        return
    for i in range(n):
        store(plan, out + i * plan.out_stride, values[i])


cdef void reduce_parts(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Compute the parts ``begin`` to ``end``, counted over all results."""
    cdef Plan* plan = <Plan*>context
    cdef double own[512]                # BLOCK
    cdef double* accumulators
    cdef double start = plan.kernel.start
    cdef cnp.npy_intp index, part, block, unit, last, width = 1, first, rows, offset, out_offset, here, unused, i
    cdef Py_ssize_t item
    for item in range(begin, end):
        index = item // plan.parts
        part = item - index * plan.parts
        block = 0
        if plan.blocks > 1:
            block = index % plan.blocks
            index //= plan.blocks
        offset = out_offset = 0
        locate(&plan.kept, index, &offset, &out_offset)
        if plan.by_rows:
            width = min(<cnp.npy_intp>BLOCK, plan.n - block * BLOCK)
            offset += block * BLOCK * plan.stride
            out_offset += block * BLOCK * plan.out_stride
        if plan.partial == NULL:
            accumulators = own
        elif plan.by_rows:
            accumulators = plan.partial + (index * plan.parts + part) * plan.n + block * BLOCK
        else:
            accumulators = plan.partial + item
        for i in range(width):
            accumulators[i] = start
        last = min(plan.units, (part + 1) * plan.units_to_part)
        for unit in range(part * plan.units_to_part, last):
            here = offset
            first = 0
            if plan.units > 1:
                first = unit % plan.pieces * plan.piece
                here += first * plan.length_stride
                unused = 0
                locate(&plan.reduced, unit // plan.pieces, &here, &unused)
            rows = min(plan.piece, plan.length - first)
            if plan.by_rows:
                plan.kernel.columns(plan.x + here, rows, plan.length_stride, width, plan.stride, accumulators)
            else:
                plan.kernel.run(plan.x + here, rows, plan.length_stride, accumulators)
        if plan.partial == NULL:
            store_row(plan, plan.out + out_offset, accumulators, width)


cdef void combine_parts(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Combine the parts of the results ``begin`` to ``end``, or of blocks of results."""
    cdef Plan* plan = <Plan*>context
    cdef double own[512]                # BLOCK
    cdef double start = plan.kernel.start
    cdef cnp.npy_intp index, block = 0, width = 1, offset, out_offset, i
    cdef Py_ssize_t item
    for item in range(begin, end):
        index = item // plan.blocks
        block = item - index * plan.blocks
        offset = 0
        out_offset = block * BLOCK * plan.out_stride
        locate(&plan.kept, index, &offset, &out_offset)
        if plan.by_rows:
            width = min(<cnp.npy_intp>BLOCK, plan.n - block * BLOCK)
        for i in range(width):
            own[i] = start
        if plan.by_rows:
            plan.combine.columns(
                <char*>(plan.partial + index * plan.parts * plan.n + block * BLOCK), plan.parts,
                plan.n * <cnp.npy_intp>sizeof(double), width, sizeof(double), own)
        else:
            plan.combine.run(<char*>(plan.partial + index * plan.parts), plan.parts, sizeof(double), own)
        store_row(plan, plan.out + out_offset, own, width)


cdef const Reduction* kernel_for(Operation operation, int kind) noexcept:
    cdef const Kernels* kernels = kernels_at(kind, level)
    if operation == MAX:
        return &kernels.maximum
    if operation == PRODUCT:
        return &kernels.product
    if operation == NORM or operation == SQUARES:
        return &kernels.squares
    if operation == COUNT:
        return &kernels.count
    return &kernels.minimum if operation == MIN else &kernels.sum


cdef inline cnp.npy_intp distance(cnp.npy_intp stride) noexcept:
    return -stride if stride < 0 else stride


cdef object reduce(cnp.ndarray x, uint64_t mask, int keep_from, Operation operation):
    """``operation`` over the axes in ``mask``; reduced axes from ``keep_from`` on stay, with length 1.

    None where NumPy does it: for other dtypes, and for extremes and means of no elements.
    """
    cdef Plan plan
    cdef Layout layout
    cdef cnp.npy_intp out_dims[MAX_DIMENSIONS]
    cdef cnp.npy_intp size = cnp.PyArray_SIZE(x), count = 1, results = 1, part
    cdef int type_num = cnp.PyArray_TYPE(x), kind, ndim = cnp.PyArray_NDIM(x), out_ndim = 0, i
    cdef cnp.ndarray out
    cdef double value
    if type_num == cnp.NPY_FLOAT:
        kind = OF_FLOAT
    elif type_num == cnp.NPY_DOUBLE:
        kind = OF_DOUBLE
    elif is_bfloat16(x) and cnp.PyArray_ISBEHAVED_RO(x):
        kind = OF_HALF
    else:
        return None
    if size == 0 and operation != SUM and operation != SQUARES and operation != COUNT:
        return None
    if not cnp.PyArray_ISBEHAVED_RO(x):
        x = PyArray_NewCopy(x, cnp.NPY_KEEPORDER).astype(x.dtype.newbyteorder("="), copy=False)
    for i in range(ndim):
        if mask >> i & 1:
            count *= cnp.PyArray_DIMS(x)[i]
            if i >= keep_from:
                out_dims[out_ndim] = 1
                out_ndim += 1
        else:
            out_dims[out_ndim] = cnp.PyArray_DIMS(x)[i]
            results *= out_dims[out_ndim]
            out_ndim += 1
    if size == 0:
        return PyArray_ZEROS(out_ndim, out_dims, cnp.NPY_INT64 if operation == COUNT else type_num, 0)
    out = new_array(<PyObject*>OF_COUNTS if operation == COUNT else descr_of(x), out_ndim, out_dims)
    plan.kernel = kernel_for(operation, kind)
    plan.combine = kernel_for(
        SUM if operation == NORM or operation == SQUARES or operation == COUNT else operation, OF_DOUBLE)
    plan.kind = OF_COUNT if operation == COUNT else kind
    plan.root = operation == NORM
    plan.store = NULL if plan.root or plan.kind != kind else kernels_at(kind, level).store
    plan.item = cnp.PyArray_ITEMSIZE(out)
    plan.divisor = <double>count if operation == MEAN else 0
    plan.x = cnp.PyArray_BYTES(x)
    plan.out = cnp.PyArray_BYTES(out)
    if results == 1 and size <= PART and cnp.PyArray_IS_C_CONTIGUOUS(x):
        value = plan.kernel.start
        plan.kernel.run(plan.x, size, cnp.PyArray_ITEMSIZE(x), &value)
        store(&plan, plan.out, value)
        return out

    sort_axes(&layout, x, mask, plan.item)
    merge_axes(&layout)
    choose_loops(&plan, &layout, cnp.PyArray_ITEMSIZE(x))
    results //= plan.n
    cut_into_parts(&plan, results, count)
    if plan.parts > 1:
        plan.partial = <double*>malloc(results * plan.parts * plan.n * sizeof(double))
        if plan.partial == NULL:
            raise MemoryError("cannot allocate the partial results of a reduction")
    part = max(<cnp.npy_intp>1, GRAIN * (results * plan.blocks * plan.parts) // size)
    if size < GRAIN:
        reduce_parts(&plan, 0, results * plan.blocks * plan.parts)
    else:
        with nogil:
            parallel(reduce_parts, &plan, results * plan.blocks * plan.parts, part)
    if plan.parts > 1:
        combine_parts(&plan, 0, results * plan.blocks)
        free(plan.partial)
    return out


cdef inline void sort_axes(Layout* layout, cnp.ndarray x, uint64_t mask, cnp.npy_intp out_item) noexcept:
    """Sort the axes by stride, the longest first; axes with stride 0 come before all others."""
    cdef cnp.npy_intp stride = out_item
    cdef int ndim = cnp.PyArray_NDIM(x), i, j
    layout.count = 0
    for i in range(ndim - 1, -1, -1):
        layout.is_reduced[i] = mask >> i & 1
        layout.out_strides[i] = 0 if layout.is_reduced[i] else stride
        layout.dims[i] = cnp.PyArray_DIMS(x)[i]
        layout.strides[i] = cnp.PyArray_STRIDES(x)[i]
        if not layout.is_reduced[i]:
            stride *= layout.dims[i]
    for i in range(ndim):
        if layout.dims[i] == 1:
            continue
        j = layout.count
        while j > 0 and layout.strides[i] != 0 and layout.strides[layout.order[j - 1]] != 0 and (
                distance(layout.strides[layout.order[j - 1]]) < distance(layout.strides[i])):
            layout.order[j] = layout.order[j - 1]
            j -= 1
        if layout.strides[i] == 0:
            while j > 0:
                layout.order[j] = layout.order[j - 1]
                j -= 1
        layout.order[j] = i
        layout.count += 1


cdef inline void merge_axes(Layout* layout) noexcept:
    """Merge each axis into the one before it where both are stepped through as one."""
    cdef int before = -1, merged = 0, i
    for i in range(layout.count):
        i = layout.order[i]
        if before >= 0 and layout.is_reduced[i] == layout.is_reduced[before] and (
                layout.strides[before] == layout.strides[i] * layout.dims[i]) and (
                layout.out_strides[before] == layout.out_strides[i] * layout.dims[i]):
            layout.dims[i] *= layout.dims[before]
            merged -= 1
        layout.order[merged] = i
        merged += 1
        before = i
    layout.count = merged


cdef inline void choose_loops(Plan* plan, Layout* layout, cnp.npy_intp item) noexcept:
    """Choose the axes that the loops themselves step through; the others go into ``plan.kept`` and ``plan.reduced``.

    These are the innermost reduced axis; and the innermost kept axis if it is the innermost of all axes, or if the runs
    to be reduced are short.
    """
    cdef int kept = -1, reduced = -1, i
    for i in range(layout.count):
        if layout.is_reduced[layout.order[i]]:
            reduced = layout.order[i]
        else:
            kept = layout.order[i]
    plan.by_rows = kept >= 0 and (layout.order[layout.count - 1] == kept or layout.dims[reduced] < SHORT)
    plan.n = 1
    plan.stride = plan.out_stride = 0
    plan.length = 1
    plan.length_stride = item
    if plan.by_rows:
        plan.n = layout.dims[kept]
        plan.stride = layout.strides[kept]
        plan.out_stride = layout.out_strides[kept]
    else:
        kept = -1
    if reduced >= 0:
        plan.length = layout.dims[reduced]
        plan.length_stride = layout.strides[reduced]
    plan.kept.count = plan.reduced.count = 0
    for i in range(layout.count):
        i = layout.order[i]
        if i == kept or i == reduced:
            continue
        add_axis(&plan.reduced if layout.is_reduced[i] else &plan.kept,
                 layout.dims[i], layout.strides[i], layout.out_strides[i])


cdef inline void cut_into_parts(Plan* plan, cnp.npy_intp results, cnp.npy_intp count) noexcept:
    """Cut long reductions, of ``count`` elements each, into parts for several threads, where there are few results."""
    cdef cnp.npy_intp part, most
    plan.blocks = (plan.n + BLOCK - 1) // BLOCK
    plan.piece = plan.length
    plan.pieces = plan.parts = 1
    plan.units = plan.units_to_part = count // plan.length
    plan.partial = NULL
    if results * plan.blocks >= FEW:
        return
    part = PART
    most = MOST_PARTS
    if plan.by_rows:
        part = max(<cnp.npy_intp>64, PART // min(plan.n, <cnp.npy_intp>BLOCK))
        most //= 8
    if count < 2 * part:
        return
    # A power of two of elements or rows, so that the pieces lie at like places.
    while count > part * most:
        part *= 2
    plan.piece = min(part, plan.length)
    plan.pieces = (plan.length + plan.piece - 1) // plan.piece
    plan.units *= plan.pieces
    plan.units_to_part = max(<cnp.npy_intp>1, part // plan.piece)
    plan.parts = (plan.units + plan.units_to_part - 1) // plan.units_to_part


cdef inline void add_axis(Axes* axes, cnp.npy_intp length, cnp.npy_intp stride, cnp.npy_intp out_stride) noexcept:
    axes.dims[axes.count] = length
    axes.strides[axes.count] = stride
    axes.out_strides[axes.count] = out_stride
    axes.count += 1


cdef object reduce_sum_to(cnp.ndarray x, tuple shape):
    cdef int ndim = cnp.PyArray_NDIM(x), extra = ndim - <int>len(shape), i
    cdef uint64_t mask = 0
    if extra < 0:
        return x
    for i in range(ndim):
        if i < extra or (cnp.PyArray_DIMS(x)[i] != 1 and <cnp.npy_intp>shape[i - extra] == 1):
            mask |= <uint64_t>1 << i
    return reduce(x, mask, extra, SUM) if mask else x


cdef bint mask_of(object axis, int ndim, uint64_t* mask) except -1:
    """Write the axes as bits: an int, a tuple or None for all. False where NumPy has to find out what is meant."""
    cdef int place
    mask[0] = 0
    if axis is None:
        mask[0] = ~<uint64_t>0 if ndim == MAX_DIMENSIONS else (<uint64_t>1 << ndim) - 1
        return True
    for item in axis if isinstance(axis, tuple) else (axis,):
        try:
            place = item
        except OverflowError:
            return False
        if place < 0:
            place += ndim
        if not 0 <= place < ndim or mask[0] >> place & 1:
            return False
        mask[0] |= <uint64_t>1 << place
    return True


cdef object along(object x, object axis, bint keepdims, Operation operation):
    cdef uint64_t mask
    if not isinstance(x, cnp.ndarray) or not mask_of(axis, cnp.PyArray_NDIM(<cnp.ndarray>x), &mask):
        return None
    return reduce(<cnp.ndarray>x, mask, 0 if keepdims else MAX_DIMENSIONS, operation)


def sum_axes(x, axis, bint keepdims):
    """The sum over ``axis``: an int, a tuple or None. Returns None where NumPy has to do it, or to raise the error."""
    return along(x, axis, keepdims, SUM)


def mean_axes(x, axis, bint keepdims):
    """The mean over ``axis``. Returns None as `sum_axes` does, and for the mean of no elements."""
    return along(x, axis, keepdims, MEAN)


def max_axes(x, axis, bint keepdims):
    """The largest element over ``axis``, NaN if there is one. Returns None as `mean_axes` does."""
    return along(x, axis, keepdims, MAX)


def min_axes(x, axis, bint keepdims):
    """The smallest element over ``axis``, NaN if there is one. Returns None as `mean_axes` does."""
    return along(x, axis, keepdims, MIN)


def sum_to_shape(x, tuple shape not None):
    """``x`` summed down to ``shape``, which broadcasts to that of ``x``."""
    return reduce_sum_to(x, shape)


# Lanes: None as from the functions above.

cdef object run_sum(PyObject** arrays, int count, tuple attributes):
    return along(<object>arrays[0], attributes[0], attributes[1], SUM)


cdef object run_mean(PyObject** arrays, int count, tuple attributes):
    return along(<object>arrays[0], attributes[0], attributes[1], MEAN)


cdef object run_max(PyObject** arrays, int count, tuple attributes):
    return along(<object>arrays[0], attributes[0], attributes[1], MAX)


cdef object run_min(PyObject** arrays, int count, tuple attributes):
    return along(<object>arrays[0], attributes[0], attributes[1], MIN)


cdef object run_product(PyObject** arrays, int count, tuple attributes):
    return along(<object>arrays[0], attributes[0], attributes[1], PRODUCT)


cdef object run_squares(PyObject** arrays, int count, tuple attributes):
    return along(<object>arrays[0], attributes[0], attributes[1], SQUARES)


cdef object run_norm(PyObject** arrays, int count, tuple attributes):
    """Euclidean norms of float32 and bfloat16, whose squares neither overflow nor vanish in double precision. And of float64 where
    none of the results says that squares did."""
    cdef int type_num = cnp.PyArray_TYPE(<cnp.ndarray>arrays[0])
    cdef cnp.ndarray norms
    cdef cnp.npy_intp i
    if type_num == cnp.NPY_FLOAT or is_bfloat16(<cnp.ndarray>arrays[0]):
        return along(<object>arrays[0], attributes[0], attributes[1], NORM)
    if type_num != cnp.NPY_DOUBLE:
        return None
    result = along(<object>arrays[0], attributes[0], attributes[1], NORM)
    if result is None:
        return None
    norms = result
    for i in range(cnp.PyArray_SIZE(norms)):
        if not LEAST_NORM < (<double*>cnp.PyArray_DATA(norms))[i] < MOST_NORM:
            return None         # the kernel scales, and knows what NaN and infinity mean
    return result


cdef object run_trace(PyObject** arrays, int count, tuple attributes):
    """The sums of the main diagonals of matrices."""
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef int ndim = cnp.PyArray_NDIM(array)
    if ndim < 2:
        return None
    return reduce(PyArray_Diagonal(array, 0, ndim - 2, ndim - 1), <uint64_t>1 << (ndim - 2), MAX_DIMENSIONS, SUM)


cdef Loops ADD_LOOPS = Loops(np.add)


cdef object run_total(PyObject** arrays, int count, tuple attributes):
    """The sum of arrays of one layout, from the first to the last; None for others."""
    cdef cnp.ndarray first, out
    cdef Loop* loop
    cdef int i
    if count < 2:
        return None
    first = <cnp.ndarray>arrays[0]
    loop = ADD_LOOPS.find(cnp.PyArray_TYPE(first))
    if loop == NULL or not cnp.PyArray_ISCARRAY_RO(first):
        return None
    for i in range(1, count):
        if (cnp.PyArray_TYPE(<cnp.ndarray>arrays[i]) != cnp.PyArray_TYPE(first)
                or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray>arrays[i])
                or not cnp.PyArray_SAMESHAPE(first, <cnp.ndarray>arrays[i])):
            return None
    out = run_binary(loop, first, <cnp.ndarray>arrays[1])
    for i in range(2, count):
        run_in_place(loop, out, <cnp.ndarray>arrays[i])
    return out


sum_lane: Lane = lane(run_sum)
product_lane: Lane = lane(run_product)
squares_lane: Lane = lane(run_squares)
norm_lane: Lane = lane(run_norm)
trace_lane: Lane = lane(run_trace)
total_lane: Lane = lane(run_total)
mean_lane: Lane = lane(run_mean)
max_lane: Lane = lane(run_max)
min_lane: Lane = lane(run_min)


cdef (int, uint64_t) operation_of(object lane, tuple attributes, int ndim):
    cdef uint64_t mask = 0
    if len(attributes) != 2 or not (attributes[0] is None or isinstance(attributes[0], (int, tuple))):
        return (-1, 0)
    for operation, own in ((SUM, sum_lane), (MEAN, mean_lane), (MAX, max_lane), (MIN, min_lane)):
        if lane is own:
            return (operation if mask_of(attributes[0], ndim, &mask) else -1, mask)
    return (-1, 0)

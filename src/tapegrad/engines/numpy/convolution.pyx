"""Convolutions and their gradients by input and by filter, with channels last and one to three spatial axes.

Each is a product of matrices whose rows are the windows, copied into cache a block at a time: see `convolution.h`.
The gradient by the input is a convolution of `dy`. With strides it is one convolution for each residue of the places
of the input modulo the strides, with the taps of the filter that reach such places. So one thread writes each result,
once. The gradient by the filter adds up slices whose sizes depend on the shapes alone. Therefore the bits are the same
for any number of threads.

Windows of 3 x 3 floats with many channels are computed four at a time, with fewer multiplications: see `in_squares`.

The zeros of the padding are multiplied too, and give NaN where the other factor is NaN or infinite. Then `taps`
computes the result again.
"""

cimport numpy as cnp
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stddef cimport ptrdiff_t
from libc.stdint cimport int32_t

from tapegrad.engines.numpy import taps as by_taps
from tapegrad.engines.numpy import windows
from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.buffers import empty
from tapegrad.engines.numpy.copies cimport descr_of, plain
from tapegrad.engines.numpy.epilogues cimport Epilogue, Stages
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.threads cimport Body, most_threads, parallel

cnp.import_array()

cdef extern from "convolution.h" nogil:
    bint all_finite_32 "tapegrad_all_finite_32" (const void* bits, ptrdiff_t size) noexcept
    bint all_finite_64 "tapegrad_all_finite_64" (const void* bits, ptrdiff_t size) noexcept

    enum:
        AXES "TAPEGRAD_AXES"
        BLOCK_ROWS "TAPEGRAD_BLOCK_ROWS"
        BLOCK_SPARE "TAPEGRAD_BLOCK_SPARE"
        FEW_ROWS "TAPEGRAD_FEW_ROWS"
        GRADIENT_ROWS "TAPEGRAD_GRADIENT_ROWS"
        SQUARES "TAPEGRAD_SQUARES"
        MOST_SQUARES "TAPEGRAD_MOST_SQUARES"
        GRADIENT_SQUARES "TAPEGRAD_GRADIENT_SQUARES"
        GRADIENT_CHANNELS "TAPEGRAD_GRADIENT_CHANNELS"
        FLOAT "TAPEGRAD_FLOAT"
        DOUBLE "TAPEGRAD_DOUBLE"
        INT32 "TAPEGRAD_INT32"

    ctypedef struct Axis "tapegrad_axis":
        ptrdiff_t size, count, step, taps
        const ptrdiff_t* offsets

    ctypedef struct Patches "tapegrad_patches":
        const void* source
        ptrdiff_t batch, channels
        Axis axes[3]
        ptrdiff_t groups, depth, width, inner, positions

    ctypedef struct Packing "tapegrad_packing":
        const void* filters
        void* packed
        ptrdiff_t groups, taps, depth, width
        const ptrdiff_t* places
        ptrdiff_t tap_step, depth_step, width_step, group_step

    ctypedef struct Product "tapegrad_product":
        Patches patches
        const void* packed
        void* result
        ptrdiff_t steps[4]
        ptrdiff_t blocks
        const Stages* epilogue
        const Packing* packing

    ctypedef struct Squares "tapegrad_squares":
        Patches patches
        ptrdiff_t down, across, count
        int32_t* largest
        int32_t* largest_dy
        int32_t most
        unsigned char* apart

    ctypedef struct Winograd "tapegrad_winograd":
        Product product
        Squares squares
        void* filters
        int32_t largest_filter
        int out_of_memory
        const ptrdiff_t* list
        ptrdiff_t apart_count, beside, shares

    ctypedef struct WinogradGradient "tapegrad_winograd_gradient":
        Squares squares
        const void* dy
        void* sums
        const void* others
        void* result
        int out_of_memory
        ptrdiff_t slices, slice, blocks

    ctypedef struct Magnitudes "tapegrad_magnitudes":
        const void* source
        ptrdiff_t channels
        int32_t* largest

    ctypedef struct FilterGradient "tapegrad_filter_gradient":
        Patches patches
        const void* dy
        void* result
        const ptrdiff_t* list
        ptrdiff_t positions, slices, slice, blocks

    ctypedef struct Sum "tapegrad_sum":
        const void* values
        void* result
        ptrdiff_t slices, length

    ctypedef struct Kernels "tapegrad_convolution_kernels":
        Body pack, multiply, multiply_columns, filter_gradient, sum
        Body find_largest, transform_filters, multiply_squares, multiply_apart, square_gradient, transform_gradient
        ptrdiff_t columns, columns_beside, gradient_inner

    ptrdiff_t count_blocks "tapegrad_count_blocks" (const Patches* patches, ptrdiff_t most)
    void set_most "tapegrad_set_most" (Squares* squares, int32_t largest_filter) noexcept
    void finish_rows "tapegrad_finish_rows" (void* product, Py_ssize_t begin, Py_ssize_t end) noexcept
    const Kernels* kernels_for "tapegrad_convolution_for" (int level, int type) noexcept

cdef enum:
    # The least work for a thread, some ten microseconds: multiplications, and elements that are copied or added.
    MULTIPLICATIONS = 400_000
    COPIES = 16_384
    # For the gradient by the filter: how many pieces of work to make, and the most numbers in all its slices.
    PIECES = 48
    SLICED = 1 << 21
    # For Winograd's way: the least channels on either side, in a filter's gradient their least product, the least squares
    # of an image, and the most filters for each of these. Otherwise transforming takes more than it saves.
    FEW_CHANNELS = 16
    FEW_FILTERS = 512
    FEW_SQUARES = 9
    FILTERS_TO_A_SQUARE = 8192
    LARGE_FILTERS = 65_536      # beyond so many, blocks have more squares

# Sizes, strides and offsets are below this, so that their sums do not overflow, nor do the products that are taken.
cdef ptrdiff_t MOST = <ptrdiff_t>1 << 60


cdef struct Geometry:
    # Of the convolution, its missing axes in front as axes of size 1.
    ptrdiff_t input[3]
    ptrdiff_t kernel[3]
    ptrdiff_t strides[3]
    ptrdiff_t dilations[3]
    ptrdiff_t before[3]
    ptrdiff_t output[3]
    ptrdiff_t batch, channels, depth, outputs, groups


cdef int read(Geometry* geometry, tuple shape, tuple filter_shape, tuple places) except -1:
    """The numbers of a convolution; ``places`` is (strides, dilations, padding before, output sizes)."""
    cdef tuple strides, dilations, before, output
    cdef Py_ssize_t spatial = len(shape) - 2, i
    cdef int axis
    strides, dilations, before, output = places
    if not 1 <= spatial <= AXES or len(filter_shape) != spatial + 2 or not (
            len(strides) == len(dilations) == len(before) == len(output) == spatial):
        raise ValueError("a convolution has one to three spatial axes, the same everywhere")
    for axis in range(AXES):
        i = axis - AXES + spatial
        if i < 0:
            geometry.input[axis] = geometry.kernel[axis] = geometry.output[axis] = 1
            geometry.strides[axis] = geometry.dilations[axis] = 1
            geometry.before[axis] = 0
            continue
        geometry.input[axis] = shape[i + 1]
        geometry.kernel[axis] = filter_shape[i]
        geometry.strides[axis] = strides[i]
        geometry.dilations[axis] = dilations[i]
        geometry.before[axis] = before[i]
        geometry.output[axis] = output[i]
        if not (0 < geometry.strides[axis] < MOST and 0 < geometry.dilations[axis] < MOST
                and 0 <= geometry.before[axis] < MOST and 0 < geometry.kernel[axis]
                and geometry.kernel[axis] * <object>geometry.dilations[axis] < MOST
                and geometry.output[axis] * <object>geometry.strides[axis] < 2 * <object>MOST):
            raise ValueError("strides, dilations and paddings must be positive, and below 2**60")
    geometry.batch = shape[0]
    geometry.channels = shape[spatial + 1]
    geometry.depth = filter_shape[spatial]
    geometry.outputs = filter_shape[spatial + 1]
    if geometry.depth < 1 or geometry.outputs < 1 or geometry.channels % geometry.depth != 0:
        raise ValueError("the channels must be a multiple of the filter's")
    geometry.groups = geometry.channels // geometry.depth
    if geometry.groups > 0 and geometry.outputs % geometry.groups != 0:
        raise ValueError("the results must be a multiple of the groups")
    return 0


cdef int type_of(cnp.ndarray array) except -1:
    cdef int number = cnp.PyArray_TYPE(array)
    if number == cnp.NPY_FLOAT:
        return FLOAT
    if number == cnp.NPY_DOUBLE:
        return DOUBLE
    if array.dtype == "int32":
        return INT32
    raise TypeError(f"convolutions are of float32, float64 and int32, not of {array.dtype}")


cdef const Kernels* kernels_of(int type, ptrdiff_t width) noexcept:
    """The kernels for ``width`` columns: of the level below where a tile with half as wide vectors holds them too."""
    cdef const Kernels* kernels = kernels_for(level, type)
    if level > 1 and 2 * width <= kernels.columns:
        return kernels_for(level - 1, type)
    return kernels


cdef bint all_finite(cnp.ndarray array) noexcept:
    """Whether ``array``, which is C-contiguous, has neither NaN nor infinity."""
    if cnp.PyArray_TYPE(array) == cnp.NPY_FLOAT:
        return all_finite_32(cnp.PyArray_DATA(array), cnp.PyArray_SIZE(array))
    if cnp.PyArray_TYPE(array) == cnp.NPY_DOUBLE:
        return all_finite_64(cnp.PyArray_DATA(array), cnp.PyArray_SIZE(array))
    return True


cdef bint padding_shows(cnp.ndarray factor, cnp.ndarray out) noexcept:
    """Whether padding times ``factor`` may have made NaN in ``out``; looks at the smaller array first."""
    if cnp.PyArray_SIZE(factor) < cnp.PyArray_SIZE(out):
        return not all_finite(factor)
    return not all_finite(out) and not all_finite(factor)


cdef tuple shape_of(cnp.ndarray array):
    return (<object>array).shape


cdef void finish(Patches* patches) noexcept:
    cdef int i
    patches.inner = patches.depth
    patches.positions = patches.batch
    for i in range(AXES):
        patches.inner *= patches.axes[i].taps
        patches.positions *= patches.axes[i].count


cdef class Taps:
    """Memory for the offsets of the taps along each axis and for the places of all taps in the filter."""

    cdef ptrdiff_t* memory
    cdef ptrdiff_t* offsets[3]
    cdef ptrdiff_t* places

    def __cinit__(self):
        self.memory = NULL

    def __dealloc__(self):
        PyMem_Free(self.memory)

    cdef int make(self, Geometry* geometry) except -1:
        cdef ptrdiff_t* kernel = geometry.kernel
        cdef size_t count = kernel[0] + kernel[1] + kernel[2] + kernel[0] * kernel[1] * kernel[2]
        self.memory = <ptrdiff_t*>PyMem_Malloc(count * sizeof(ptrdiff_t))
        if self.memory == NULL:
            raise MemoryError()
        self.offsets[0] = self.memory
        self.offsets[1] = self.offsets[0] + kernel[0]
        self.offsets[2] = self.offsets[1] + kernel[1]
        self.places = self.offsets[2] + kernel[2]
        return 0


cdef Taps window_taps(Geometry* geometry, Patches* patches, const void* source):
    """Patches of the input ``source``, a row for every position of the result."""
    cdef Taps taps = Taps.__new__(Taps)
    cdef ptrdiff_t t
    cdef int i
    taps.make(geometry)
    patches.source = source
    patches.batch = geometry.batch
    patches.channels = geometry.channels
    patches.groups = geometry.groups
    patches.depth = geometry.depth
    patches.width = geometry.outputs // geometry.groups
    for i in range(AXES):
        patches.axes[i].size = geometry.input[i]
        patches.axes[i].count = geometry.output[i]
        patches.axes[i].step = geometry.strides[i]
        patches.axes[i].taps = geometry.kernel[i]
        patches.axes[i].offsets = taps.offsets[i]
        for t in range(geometry.kernel[i]):
            taps.offsets[i][t] = t * geometry.dilations[i] - geometry.before[i]
    finish(patches)
    for t in range(geometry.kernel[0] * geometry.kernel[1] * geometry.kernel[2]):
        taps.places[t] = t
    return taps


cdef bint by_columns(const Kernels* kernels, const Patches* patches) noexcept nogil:
    """Whether threads share the columns of a product rather than its rows, of which there are few."""
    cdef ptrdiff_t items = patches.groups * ((patches.width + kernels.columns_beside - 1) // kernels.columns_beside)
    cdef ptrdiff_t blocks = patches.groups * ((patches.positions + BLOCK_ROWS - 1) // BLOCK_ROWS)
    return patches.positions <= FEW_ROWS and items >= min(blocks, most_threads())


cdef void run(const Kernels* kernels, Packing* packing, Product* product) noexcept nogil:
    cdef Patches* patches = &product.patches
    cdef ptrdiff_t panels = (patches.width + kernels.columns - 1) // kernels.columns
    cdef ptrdiff_t items
    product.blocks = (patches.positions + BLOCK_ROWS - 1) // BLOCK_ROWS
    if packing.packed == NULL:
        product.packing = packing
        items = (patches.width + kernels.columns_beside - 1) // kernels.columns_beside
        parallel(kernels.multiply_columns, product, patches.groups * items,
                 MULTIPLICATIONS // (patches.positions * kernels.columns_beside * (patches.inner + 1)) + 1)
        if product.epilogue != NULL:
            parallel(finish_rows, product, product.blocks, COPIES // (BLOCK_ROWS * patches.width) + 1)
        return
    product.packed = packing.packed
    parallel(kernels.pack, packing, patches.groups * panels, COPIES // (patches.inner * kernels.columns + 1) + 1)
    parallel(kernels.multiply, product, patches.groups * product.blocks,
             MULTIPLICATIONS // (BLOCK_ROWS * panels * kernels.columns * (patches.inner + 1)) + 1)


cdef bint has_three_neighbours(const Axis* axis) noexcept:
    """Whether windows are three places wide, each one place after the other."""
    return (axis.step == 1 and axis.taps == 3 and axis.offsets[1] == axis.offsets[0] + 1
            and axis.offsets[2] == axis.offsets[0] + 2)


cdef bint in_squares(int type, const Patches* patches) noexcept:
    """Whether a product goes Winograd's way: windows of 3 x 3 floats, where it takes less time.

    Neither the batch, nor the level, nor the number of threads may take part: the bits depend on this choice.
    """
    cdef Axis high = patches.axes[1], wide = patches.axes[2]
    cdef ptrdiff_t squares = ((high.count + 1) // 2) * ((wide.count + 1) // 2)
    if (type != FLOAT or patches.groups != 1 or patches.axes[0].size != 1 or patches.axes[0].count != 1
            or patches.axes[0].taps != 1 or patches.axes[0].offsets[0] != 0):
        return False
    if not (has_three_neighbours(&high) and has_three_neighbours(&wide)):
        return False
    # A square takes 16 multiplications even where only one of its four results is there. They have to be at most
    # three quarters of the nine that each result takes.
    return (min(patches.channels, patches.width) >= FEW_CHANNELS
            and patches.channels * patches.width <= FILTERS_TO_A_SQUARE * squares
            and squares >= FEW_SQUARES and 64 * squares <= 27 * high.count * wide.count)


cdef object room_for(const Kernels* kernels, const Packing* packing, cnp.ndarray like):
    """Memory for all taps of a filter in panels."""
    cdef ptrdiff_t panels = (packing.width + kernels.columns - 1) // kernels.columns
    cdef cnp.npy_intp size = packing.groups * panels * packing.taps * packing.depth * kernels.columns
    return new_array(descr_of(like), 1, &size)


cdef class SquareMemory:
    """What is known of the squares of a product while it is computed: see `tapegrad_squares`."""

    cdef cnp.ndarray largest, largest_dy, apart

    cdef int make(self, Squares* squares, const Patches* patches, bint with_dy) except -1:
        squares.patches = patches[0]
        squares.down = (patches.axes[1].count + 1) // 2
        squares.across = (patches.axes[2].count + 1) // 2
        squares.count = patches.batch * squares.down * squares.across
        self.largest = empty((patches.batch * patches.axes[1].size * patches.axes[2].size,), "int32")
        squares.largest = <int32_t*>cnp.PyArray_DATA(self.largest)
        squares.largest_dy = NULL
        if with_dy:
            self.largest_dy = empty((patches.positions,), "int32")
            squares.largest_dy = <int32_t*>cnp.PyArray_DATA(self.largest_dy)
        self.apart = empty((squares.count,), "uint8")
        squares.apart = <unsigned char*>cnp.PyArray_DATA(self.apart)
        return 0

    cdef object those_apart(self):
        """The numbers of the squares that are computed tap by tap."""
        return (<object>self.apart).nonzero()[0]


cdef void find_largest(
        const Kernels* kernels, const void* source, ptrdiff_t places, ptrdiff_t channels, int32_t* largest) noexcept nogil:
    cdef Magnitudes work
    work.source = source
    work.channels = channels
    work.largest = largest
    parallel(kernels.find_largest, &work, places, COPIES // channels + 1)


cdef bint run_in_squares(const Kernels* kernels, Packing* packing, Product* product, cnp.ndarray like) except -1:
    """Compute a product Winograd's way. False, and nothing done, where the filters are too large for it."""
    cdef Winograd work
    cdef Patches* patches = &work.product.patches
    cdef SquareMemory memory = SquareMemory.__new__(SquareMemory)
    cdef cnp.ndarray filters, apart, packed
    cdef ptrdiff_t panels = (product.patches.width + kernels.columns - 1) // kernels.columns
    cdef ptrdiff_t items
    cdef double effort
    cdef cnp.npy_intp size = panels * 16 * (
        product.patches.channels * kernels.columns + BLOCK_SPARE // cnp.PyArray_ITEMSIZE(like))
    work.product = product[0]
    work.product.packing = packing
    work.largest_filter = work.out_of_memory = 0
    filters = new_array(descr_of(like), 1, &size)
    work.filters = cnp.PyArray_DATA(filters)
    with nogil:
        parallel(kernels.transform_filters, &work, panels, COPIES // (16 * patches.channels * kernels.columns) + 1)
    memory.make(&work.squares, patches, False)
    set_most(&work.squares, work.largest_filter)
    if work.squares.most < 0:
        return False
    # Shares of the filters, and then small blocks, where there would be no work for many threads.
    work.beside = MOST_SQUARES if patches.channels * patches.width > LARGE_FILTERS else SQUARES
    items = (work.squares.count + work.beside - 1) // work.beside
    work.shares = max(min(4 * most_threads() // items, panels // 4), 1)
    if items * work.shares < 4 * most_threads() and most_threads() > 1:
        work.beside = SQUARES // 2
        items = (work.squares.count + work.beside - 1) // work.beside
    effort = <double>work.beside * 16 * patches.channels * kernels.columns * panels / work.shares
    product.blocks = work.product.blocks = (patches.positions + BLOCK_ROWS - 1) // BLOCK_ROWS
    with nogil:
        find_largest(kernels, patches.source, patches.batch * patches.axes[1].size * patches.axes[2].size,
                     patches.channels, work.squares.largest)
        parallel(kernels.multiply_squares, &work, items * work.shares, <ptrdiff_t>(MULTIPLICATIONS / effort) + 1)
    if work.out_of_memory:
        raise MemoryError()
    apart = memory.those_apart()
    work.apart_count = cnp.PyArray_SIZE(apart)
    if work.apart_count > 0:
        work.list = <const ptrdiff_t*>cnp.PyArray_DATA(apart)
        packed = room_for(kernels, packing, like)
        work.product.packed = packing.packed = cnp.PyArray_DATA(packed)
        with nogil:
            parallel(kernels.pack, packing, panels, COPIES // (patches.inner * kernels.columns) + 1)
            parallel(kernels.multiply_apart, &work, (work.apart_count + BLOCK_ROWS // 4 - 1) // (BLOCK_ROWS // 4),
                     MULTIPLICATIONS // (BLOCK_ROWS * panels * kernels.columns * patches.inner) + 1)
    if product.epilogue != NULL and work.shares > 1:
        with nogil:
            parallel(finish_rows, product, product.blocks, COPIES // (BLOCK_ROWS * patches.width) + 1)
    return True


cdef int compute(const Kernels* kernels, int type, Packing* packing, Product* product, cnp.ndarray like) except -1:
    """A product of arrays like ``like``, and its epilogue, whichever way its numbers go."""
    cdef cnp.ndarray packed
    packing.packed = NULL
    if in_squares(type, &product.patches) and run_in_squares(kernels, packing, product, like):
        return 0
    if not by_columns(kernels, &product.patches):
        packed = room_for(kernels, packing, like)
        packing.packed = cnp.PyArray_DATA(packed)
    with nogil:
        run(kernels, packing, product)
    return 0


cdef bint is_depthwise(Geometry* geometry, int type) noexcept:
    """Whether each channel has one filter of its own: `windows` goes through such channels side by side."""
    return (geometry.depth == 1 and geometry.groups > 1 and geometry.outputs == geometry.groups
            and type != INT32)


cdef tuple by_channels(tuple filter_shape):
    """The shape (*sizes, channels, 1) that `windows` wants, of filters of the shape (*sizes, 1, channels)."""
    cdef Py_ssize_t last = len(filter_shape) - 1
    return (*filter_shape[:last - 1], filter_shape[last], 1)


def convolution(x, filters, tuple places not None, Epilogue epilogue=None):
    """The convolution of ``x`` (batch, *sizes, channels) with ``filters`` (*sizes, depth, results).

    ``places`` is (strides, dilations, padding before, output sizes), each with a number for every spatial axis.
    With an ``epilogue`` its stages follow; None where they cannot.
    """
    cdef cnp.ndarray source = plain(x), weights = plain(filters), out
    cdef Geometry geometry
    cdef Product product
    cdef Packing packing
    cdef Taps taps
    cdef int number = type_of(source)
    cdef const Kernels* kernels
    if type_of(weights) != number:
        raise TypeError("the input and the filter of a convolution must have the same dtype")
    read(&geometry, shape_of(source), shape_of(weights), places)
    if is_depthwise(&geometry, number):
        return windows.depthwise(source, weights.reshape(by_channels(shape_of(weights))), places, epilogue)
    if epilogue is not None and geometry.groups != 1:
        return None
    kernels = kernels_of(number, geometry.outputs // max(geometry.groups, 1))
    out = empty((geometry.batch, *places[3], geometry.outputs), source.dtype)
    product.epilogue = NULL
    if epilogue is not None:
        if not epilogue.fits(out):
            return None
        epilogue.stages.result = cnp.PyArray_DATA(out)
        product.epilogue = &epilogue.stages
    if cnp.PyArray_SIZE(out) == 0:
        return out
    if geometry.groups == 0:
        out[...] = 0
        return out
    taps = window_taps(&geometry, &product.patches, cnp.PyArray_DATA(source))
    packing.filters = cnp.PyArray_DATA(weights)
    packing.groups = geometry.groups
    packing.taps = product.patches.inner // geometry.depth
    packing.depth = geometry.depth
    packing.width = product.patches.width
    packing.places = taps.places
    packing.tap_step = geometry.depth * geometry.outputs
    packing.depth_step = geometry.outputs
    packing.width_step = 1
    packing.group_step = product.patches.width
    product.result = cnp.PyArray_DATA(out)
    product.steps[3] = geometry.outputs
    product.steps[2] = product.steps[3] * geometry.output[2]
    product.steps[1] = product.steps[2] * geometry.output[1]
    product.steps[0] = product.steps[1] * geometry.output[0]
    compute(kernels, number, &packing, &product, source)
    if padding_shows(weights, out):
        # No stage makes a number of NaN, so what the padding has made shows after them too.
        return None if epilogue is not None else by_taps.convolution(source, weights, places)
    return out


cdef ptrdiff_t residue_taps(Geometry* geometry, int axis, ptrdiff_t residue, ptrdiff_t* offsets, ptrdiff_t* chosen):
    """Find the taps along an axis that reach places of the input with this ``residue``, and from where in dy they do.

    Position o and tap t meet at the place o * stride + t * dilation - before, so that a place residue + j * stride
    gets something from position j + (residue + before - t * dilation) / stride. In the order of rising offsets.
    """
    cdef ptrdiff_t count = 0, t, reach
    for t in range(geometry.kernel[axis] - 1, -1, -1):
        reach = residue + geometry.before[axis] - t * geometry.dilations[axis]
        if reach % geometry.strides[axis] == 0:
            offsets[count] = reach // geometry.strides[axis]
            chosen[count] = t
            count += 1
    return count


def convolution_by_input(tuple shape not None, filters, dy, tuple places not None):
    """The gradient of `convolution` by its input, which has ``shape``; ``dy`` arrives at its result."""
    cdef cnp.ndarray source = plain(dy), weights = plain(filters), out
    cdef Geometry geometry
    cdef Product product
    cdef Packing packing
    cdef Patches* patches = &product.patches
    cdef Taps taps, chosen
    cdef int number = type_of(source), i
    cdef const Kernels* kernels
    cdef ptrdiff_t z, y, x
    cdef ptrdiff_t steps[4]
    cdef ptrdiff_t at[3]
    if type_of(weights) != number:
        raise TypeError("the filter and the gradient of a convolution must have the same dtype")
    read(&geometry, shape, shape_of(weights), places)
    if is_depthwise(&geometry, number):
        return windows.depthwise_by_input(shape, weights.reshape(by_channels(shape_of(weights))), source, places)
    kernels = kernels_of(number, geometry.depth)
    if shape_of(source) != (geometry.batch, *places[3], geometry.outputs):
        raise ValueError("the gradient must have the shape of the convolution's result")
    out = empty(shape, source.dtype)
    if cnp.PyArray_SIZE(out) == 0:
        return out
    taps = Taps.__new__(Taps)
    taps.make(&geometry)
    chosen = Taps.__new__(Taps)
    chosen.make(&geometry)
    patches.source = cnp.PyArray_DATA(source)
    patches.batch = geometry.batch
    patches.channels = geometry.outputs
    patches.groups = geometry.groups
    patches.depth = geometry.outputs // geometry.groups
    patches.width = geometry.depth
    packing.filters = cnp.PyArray_DATA(weights)
    packing.groups = geometry.groups
    packing.depth = patches.depth
    packing.width = patches.width
    packing.places = taps.places
    packing.tap_step = geometry.depth * geometry.outputs
    packing.depth_step = 1
    packing.width_step = geometry.outputs
    packing.group_step = patches.depth
    product.epilogue = NULL
    steps[3] = geometry.channels
    steps[2] = steps[3] * geometry.input[2]
    steps[1] = steps[2] * geometry.input[1]
    steps[0] = steps[1] * geometry.input[0]
    product.steps[0] = steps[0]
    for i in range(AXES):
        patches.axes[i].size = geometry.output[i]
        patches.axes[i].step = 1
        patches.axes[i].offsets = taps.offsets[i]
        product.steps[i + 1] = steps[i + 1] * min(geometry.strides[i], geometry.input[i])
    for at[0] in range(min(geometry.strides[0], geometry.input[0])):
        for at[1] in range(min(geometry.strides[1], geometry.input[1])):
            for at[2] in range(min(geometry.strides[2], geometry.input[2])):
                for i in range(AXES):
                    patches.axes[i].count = (geometry.input[i] - at[i] - 1) // geometry.strides[i] + 1
                    patches.axes[i].taps = residue_taps(&geometry, i, at[i], taps.offsets[i], chosen.offsets[i])
                finish(patches)
                packing.taps = 0
                for z in range(patches.axes[0].taps):
                    for y in range(patches.axes[1].taps):
                        for x in range(patches.axes[2].taps):
                            taps.places[packing.taps] = (
                                (chosen.offsets[0][z] * geometry.kernel[1] + chosen.offsets[1][y])
                                * geometry.kernel[2] + chosen.offsets[2][x])
                            packing.taps += 1
                product.result = cnp.PyArray_BYTES(out) + cnp.PyArray_ITEMSIZE(out) * (
                    at[0] * steps[1] + at[1] * steps[2] + at[2] * steps[3])
                compute(kernels, number, &packing, &product, source)
    if padding_shows(weights, out):
        return by_taps.convolution_by_input(shape, weights, source, places)
    return out


cdef object filter_gradient(
        const Kernels* kernels, FilterGradient* work, tuple shape, cnp.ndarray like, cnp.ndarray positions):
    """A filter's gradient, tap by tap, over all positions or over those with the numbers ``positions``."""
    cdef cnp.ndarray out, slices
    cdef Sum sum
    cdef ptrdiff_t pieces
    cdef double effort
    work.list = NULL
    work.positions = work.patches.positions
    if positions is not None:
        work.list = <const ptrdiff_t*>cnp.PyArray_DATA(positions)
        work.positions = cnp.PyArray_SIZE(positions)
    work.blocks = count_blocks(&work.patches, kernels.gradient_inner)
    pieces = work.blocks * work.patches.groups
    sum.length = work.patches.inner * work.patches.groups * work.patches.width
    # As many slices of positions as make work for many threads, but none that is short beside the sum of them.
    work.slices = min((PIECES + pieces - 1) // pieces, max(SLICED // sum.length, 1),
                      (work.positions + 2 * GRADIENT_ROWS - 1) // (2 * GRADIENT_ROWS))
    work.slice = (work.positions + work.slices - 1) // work.slices
    work.slices = (work.positions + work.slice - 1) // work.slice
    out = slices = empty(shape, like.dtype)
    if work.slices > 1:
        slices = empty((work.slices, *shape), like.dtype)
    sum.slices = work.slices
    sum.result = cnp.PyArray_DATA(out)
    sum.values = work.result = cnp.PyArray_DATA(slices)
    effort = <double>work.slice * work.patches.width * work.patches.inner / work.blocks
    with nogil:
        parallel(kernels.filter_gradient, work, work.slices * pieces, <ptrdiff_t>(MULTIPLICATIONS / (effort + 1)) + 1)
        if sum.slices > 1:
            parallel(kernels.sum, &sum, sum.length, COPIES)
    return out


cdef object positions_of(cnp.ndarray numbers, const Squares* squares):
    """The numbers of all positions in the squares with these ``numbers``."""
    cdef ptrdiff_t high = squares.patches.axes[1].count, wide = squares.patches.axes[2].count
    cdef ptrdiff_t number, line, left, top, x, y, i, count = 0
    cdef const ptrdiff_t* all_numbers = <const ptrdiff_t*>cnp.PyArray_DATA(numbers)
    cdef cnp.ndarray positions = empty((4 * cnp.PyArray_SIZE(numbers),), "intp")
    cdef ptrdiff_t* places = <ptrdiff_t*>cnp.PyArray_DATA(positions)
    for i in range(cnp.PyArray_SIZE(numbers)):
        number = all_numbers[i]
        line = number // squares.across // squares.down * high
        left = 2 * (number % squares.across)
        top = 2 * (number // squares.across % squares.down)
        for y in range(top, min(top + 2, high)):
            for x in range(left, min(left + 2, wide)):
                places[count] = (line + y) * wide + x
                count += 1
    return positions[:count]


cdef object filter_gradient_in_squares(const Kernels* kernels, FilterGradient* direct, tuple shape, cnp.ndarray like):
    """A filter's gradient, Winograd's way."""
    cdef WinogradGradient work
    cdef Patches* patches = &direct.patches
    cdef SquareMemory memory = SquareMemory.__new__(SquareMemory)
    cdef cnp.ndarray out = empty(shape, like.dtype), slices, apart, others
    cdef Sum sum
    cdef double effort
    memory.make(&work.squares, patches, True)
    set_most(&work.squares, 0)
    work.dy = direct.dy
    work.out_of_memory = 0
    work.blocks = (patches.channels + GRADIENT_CHANNELS - 1) // GRADIENT_CHANNELS
    sum.length = 16 * patches.channels * patches.width
    work.slices = min((PIECES + work.blocks - 1) // work.blocks, max(SLICED // sum.length, 1),
                      (work.squares.count + 2 * GRADIENT_SQUARES - 1) // (2 * GRADIENT_SQUARES))
    work.slice = (work.squares.count + work.slices - 1) // work.slices
    work.slices = (work.squares.count + work.slice - 1) // work.slice
    slices = empty((work.slices, sum.length), like.dtype)
    sum.slices = work.slices
    sum.values = sum.result = work.sums = cnp.PyArray_DATA(slices)
    effort = <double>work.slice * sum.length / work.blocks
    with nogil:
        find_largest(kernels, patches.source, patches.batch * patches.axes[1].size * patches.axes[2].size,
                     patches.channels, work.squares.largest)
        find_largest(kernels, work.dy, patches.positions, patches.width, work.squares.largest_dy)
        parallel(kernels.square_gradient, &work, work.slices * work.blocks, <ptrdiff_t>(MULTIPLICATIONS / effort) + 1)
        if sum.slices > 1:
            parallel(kernels.sum, &sum, sum.length, COPIES)
    if work.out_of_memory:
        raise MemoryError()
    apart = memory.those_apart()
    work.others = NULL
    if cnp.PyArray_SIZE(apart) > 0:
        others = filter_gradient(kernels, direct, shape, like, positions_of(apart, &work.squares))
        work.others = cnp.PyArray_DATA(others)
    work.result = cnp.PyArray_DATA(out)
    with nogil:
        parallel(kernels.transform_gradient, &work, patches.channels, COPIES // (16 * patches.width) + 1)
    return out


def convolution_by_filter(x, tuple shape not None, dy, tuple places not None):
    """The gradient of `convolution` by its filter, which has ``shape``; ``dy`` arrives at its result."""
    cdef cnp.ndarray source = plain(x), gradient = plain(dy), out
    cdef Geometry geometry
    cdef FilterGradient work
    cdef Taps taps
    cdef int number = type_of(source)
    cdef const Kernels* kernels
    if type_of(gradient) != number:
        raise TypeError("the input and the gradient of a convolution must have the same dtype")
    read(&geometry, shape_of(source), shape, places)
    if is_depthwise(&geometry, number):
        return windows.depthwise_by_filter(source, by_channels(shape), gradient, places).reshape(shape)
    kernels = kernels_of(number, geometry.outputs // max(geometry.groups, 1))
    if shape_of(gradient) != (geometry.batch, *places[3], geometry.outputs):
        raise ValueError("the gradient must have the shape of the convolution's result")
    if cnp.PyArray_SIZE(gradient) == 0 or cnp.PyArray_SIZE(source) == 0:
        out = empty(shape, source.dtype)
        out[...] = 0
        return out
    taps = window_taps(&geometry, &work.patches, cnp.PyArray_DATA(source))
    work.dy = cnp.PyArray_DATA(gradient)
    if in_squares(number, &work.patches) and work.patches.channels * work.patches.width >= FEW_FILTERS:
        out = filter_gradient_in_squares(kernels, &work, shape, source)
    else:
        out = filter_gradient(kernels, &work, shape, source, None)
    if padding_shows(gradient, out):
        return by_taps.convolution_by_filter(source, shape, gradient, places)
    return out

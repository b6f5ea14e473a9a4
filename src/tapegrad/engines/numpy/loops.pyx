"""NumPy's own inner loops, called directly.

A call of a ufunc's loop costs some 20 ns, a call of the ufunc from Python ten times that. The loops are looked up once
for each ufunc, through NumPy's public C API. They run in two ways: over arrays with one layout, and over all arrays
that broadcast, whose axes are merged as far as the strides allow.
"""

cimport numpy as cnp
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport PyObject
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

import numpy as np

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.conversions cimport Conversion
from tapegrad.engines.numpy.copies cimport copied
from tapegrad.engines.numpy.kernels import known_of_loops, replacements
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.threads cimport parallel
from tapegrad.engines.numpy.transposed cimport transpose_doubles, transpose_floats

cnp.import_array()

cdef extern from "numpy/ufuncobject.h":
    ctypedef struct PyUFuncObject:
        int nin, nout, nargs, ntypes
        LoopFunction* functions
        void** data
        char* types

cdef extern from "numpy/arrayobject.h":
    bint PyArray_CompareLists(cnp.npy_intp* a, cnp.npy_intp* b, int n) noexcept nogil

cdef extern from "through_floats.h":
    ctypedef struct Through "tapegrad_through":
        LoopFunction loop
        void* data
        int operands
        int rounds
        int takes_long
        cnp.npy_uint16* results
        Conversion widen, round, spread, gather
    Through through_at "tapegrad_through_at" (int level, const char* name) noexcept
    void through_floats "tapegrad_through_floats" (
        char** args, const cnp.npy_intp* dimensions, const cnp.npy_intp* steps, void* data) noexcept nogil

cdef extern from "Python.h":
    PyObject* PyErr_Occurred() noexcept

cdef enum:
    MAX_DIMENSIONS = 64
    SHORT = 512                 # elements of a row for which a call takes long
    ROOM = 4_096                # bytes of short rows that are repeated: with rows of both other operands in the first cache
    ACROSS = 32                 # rows of a tile,
    ALONG = 128                 # and elements of each: 32 KB of doubles, which stay in a near cache

# What is known of NumPy's loops, in the words of `kernels.known_of_loops`, which knows ours. Those of NumPy's are even that
# round each element by itself, to the nearest number or exactly: others may compute the last elements of a row by other
# code than whole vectors.
for words, functions in (
        ("cheap sure even", (
            np.add, np.subtract, np.multiply, np.negative, np.absolute, np.square, np.sqrt, np.sign, np.equal,
            np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal, np.logical_and, np.logical_or,
            np.logical_not, np.isnan, np.isinf, np.isfinite)),
        ("cheap sure", (
            np.maximum, np.minimum, np.conjugate, np.rint, np.floor, np.ceil, np.trunc, np.logical_xor, np.signbit,
            np.copysign)),
        ("cheap even", (np.divide,)),
        ("cheap", (np.reciprocal,)),
        ("sure", (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert))):
    known_of_loops.update(dict.fromkeys(functions, frozenset(words.split())))


cdef class Loops:
    def __cinit__(self, ufunc):
        cdef PyUFuncObject* raw
        cdef int i, j, first
        cdef bint uniform
        self.ufunc = ufunc
        words = known_of_loops.get(ufunc, ())
        self.even = "even" in words
        own = replacements.get(ufunc, ufunc)    # `replacements` keeps ours alive
        raw = <PyUFuncObject*>own
        self.nin = raw.nin
        memset(self.table, 0, sizeof(self.table))
        if raw.nout != 1 or raw.nin > 2 or ufunc.signature is not None:
            return
        for i in range(raw.ntypes):
            first = raw.types[i * raw.nargs]
            uniform = 0 <= first < BUILTIN_TYPES and first != cnp.NPY_OBJECT
            for j in range(1, raw.nin):
                uniform = uniform and raw.types[i * raw.nargs + j] == first
            if uniform and self.table[first].function == NULL and raw.functions[i] != NULL:
                self.table[first].function = raw.functions[i]
                self.table[first].data = raw.data[i] if raw.data != NULL else NULL
                self.table[first].out_type = raw.types[i * raw.nargs + raw.nin]
                descr = np.dtype(cnp.PyArray_DescrFromType(self.table[first].out_type))
                self.table[first].out_descr = <PyObject*>descr
                # Integer loops that may fail run on the calling thread only: division by zero sets a Python error, and
                # one that is set on another thread would be lost.
                self.table[first].grain = 0
                dtype = np.dtype(cnp.PyArray_DescrFromType(first))
                if dtype.kind in "fc":
                    self.table[first].grain = CHEAP_GRAIN if "cheap" in words else DEAR_GRAIN
                elif dtype.kind in "biu" and "sure" in words:
                    self.table[first].grain = CHEAP_GRAIN * max(1, 4 // dtype.itemsize)

    def __dealloc__(self):
        if self.through != NULL:
            free((<Through*>self.through).results)
        PyMem_Free(self.through)

    cdef Loop* find(self, int type_num) noexcept:
        if 0 <= type_num < BUILTIN_TYPES and self.table[type_num].function != NULL:
            return &self.table[type_num]
        return NULL

    cdef Loop* find_type(self, cnp.dtype dtype) noexcept:
        if dtype.num < BUILTIN_TYPES:
            return self.find(dtype.num)
        return self.find_half(dtype)

    cdef Loop* find_half(self, cnp.dtype dtype) noexcept:
        cdef Loop* single = self.find(cnp.NPY_FLOAT)
        cdef Through* through
        # Of the types that are not NumPy's own, bfloat16 alone has two bytes.
        if dtype.itemsize != 2:
            return NULL
        if self.half.function != NULL:
            return &self.half
        if (single == NULL
                or single.out_type != cnp.NPY_FLOAT and single.out_type != cnp.NPY_BOOL):
            return NULL
        through = <Through*>PyMem_Malloc(sizeof(Through))
        if through == NULL:
            return NULL
        name = self.ufunc.__name__.encode()
        through[0] = through_at(level, name)
        through.loop = single.function
        through.data = single.data
        through.operands = self.nin
        through.rounds = single.out_type == cnp.NPY_FLOAT
        through.takes_long = single.grain == DEAR_GRAIN
        self.half = single[0]
        self.half.data = self.through = through
        if through.rounds:
            self.half_descr = dtype
            self.half.out_descr = <PyObject*>dtype
            self.half.out_type = dtype.num
        self.half.function = through_floats
        return &self.half


cdef HalfConversions half_conversions() noexcept:
    cdef Through through = through_at(level, b"")
    cdef HalfConversions conversions
    conversions.widen, conversions.round = through.widen, through.round
    conversions.spread, conversions.gather = through.spread, through.gather
    return conversions


cdef inline int check_loop() except -1:
    # Some loops set an error because of a value, such as a negative power of integers.
    return -1 if PyErr_Occurred() != NULL else 0


cdef struct Share:
    Loop* loop
    char* args[3]
    cnp.npy_intp steps[3]


cdef void run_share(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Share* share = <Share*>context
    cdef char* args[3]
    cdef cnp.npy_intp n = end - begin
    cdef int i
    for i in range(3):
        args[i] = share.args[i] + begin * share.steps[i]
    share.loop.function(args, &n, share.steps, share.loop.data)


cdef inline int call(Loop* loop, char** args, cnp.npy_intp n, cnp.npy_intp* steps) except -1:
    """``loop`` along one axis of ``n`` elements, on several threads where that pays."""
    # SciPy's loops change the pointers in ``args`` (NumPy's do not), so each call gets a copy.
    cdef Share share
    share.args[0] = args[0]
    share.args[1] = args[1]
    share.args[2] = args[2]
    if n < DEAR_GRAIN or loop.grain == 0:
        loop.function(share.args, &n, steps, loop.data)
        return check_loop()
    share.loop = loop
    share.steps[0] = steps[0]
    share.steps[1] = steps[1]
    share.steps[2] = steps[2]
    with nogil:
        parallel(run_share, &share, n, loop.grain)
    return 0


cdef object run_unary(Loop* loop, cnp.ndarray x):
    """``loop`` over every element of ``x``, in a new C-contiguous array."""
    cdef cnp.ndarray out
    cdef char* args[3]
    cdef cnp.npy_intp steps[3]
    if not (cnp.PyArray_IS_C_CONTIGUOUS(x) and cnp.PyArray_ISALIGNED(x)):
        return general(loop, x, None)
    out = new_array(loop.out_descr, cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x))
    args[0] = cnp.PyArray_BYTES(x)
    args[1] = args[2] = cnp.PyArray_BYTES(out)
    steps[0] = cnp.PyArray_ITEMSIZE(x)
    steps[1] = cnp.PyArray_ITEMSIZE(out)
    call(loop, args, cnp.PyArray_SIZE(x), steps)
    return out


cdef object run_binary(Loop* loop, cnp.ndarray x, cnp.ndarray y):
    """``loop`` over ``x`` and ``y``, broadcast against each other, in a new C-contiguous array."""
    cdef cnp.ndarray out, shaped
    cdef char* args[3]
    cdef cnp.npy_intp steps[3]
    cdef int x_ndim = cnp.PyArray_NDIM(x), y_ndim = cnp.PyArray_NDIM(y)
    if not (cnp.PyArray_IS_C_CONTIGUOUS(x) and cnp.PyArray_IS_C_CONTIGUOUS(y)
            and cnp.PyArray_ISALIGNED(x) and cnp.PyArray_ISALIGNED(y)):
        return general(loop, x, y)
    steps[0] = cnp.PyArray_ITEMSIZE(x)
    # A number has a step of 0 beside a number too: powers are the same to the bit for all shapes.
    steps[1] = cnp.PyArray_ITEMSIZE(y) if y_ndim > 0 else 0
    shaped = x
    if y_ndim > 0 and (
            x_ndim != y_ndim or not PyArray_CompareLists(cnp.PyArray_DIMS(x), cnp.PyArray_DIMS(y), x_ndim)):
        if x_ndim == 0:
            steps[0] = 0
            shaped = y
        else:
            return general(loop, x, y)
    out = new_array(loop.out_descr, cnp.PyArray_NDIM(shaped), cnp.PyArray_DIMS(shaped))
    args[0] = cnp.PyArray_BYTES(x)
    args[1] = cnp.PyArray_BYTES(y)
    args[2] = cnp.PyArray_BYTES(out)
    steps[2] = cnp.PyArray_ITEMSIZE(out)
    call(loop, args, cnp.PyArray_SIZE(shaped), steps)
    return out


cdef bint run_in_place(Loop* loop, cnp.ndarray target, cnp.ndarray value) except -1:
    """``target = loop(target, value)`` without a new array; False where the layouts need another way."""
    cdef Share share
    cdef int ndim = cnp.PyArray_NDIM(target)
    if not (cnp.PyArray_ISCARRAY(target) and cnp.PyArray_ISCARRAY_RO(value)
            and cnp.PyArray_NDIM(value) == ndim
            and PyArray_CompareLists(cnp.PyArray_DIMS(target), cnp.PyArray_DIMS(value), ndim)
            and loop.out_type == cnp.PyArray_TYPE(target) == cnp.PyArray_TYPE(value)):
        return False
    share.loop = loop
    share.args[0] = share.args[2] = cnp.PyArray_BYTES(target)
    share.args[1] = cnp.PyArray_BYTES(value)
    share.steps[0] = share.steps[1] = share.steps[2] = cnp.PyArray_ITEMSIZE(target)
    # The GIL is kept, so that no other thread reads a value that is half written.
    if loop.grain == 0:
        run_share(&share, 0, cnp.PyArray_SIZE(target))
    else:
        parallel(run_share, &share, cnp.PyArray_SIZE(target), loop.grain)
    return True


cdef struct Rows:
    Loop* loop
    char* args[3]
    cnp.npy_intp steps[3]                       # along the last axis
    cnp.npy_intp length                         # of the last axis
    int outer                                   # axes before it
    cnp.npy_intp dims[MAX_DIMENSIONS]
    cnp.npy_intp strides[3][MAX_DIMENSIONS]


cdef int run_repeated(Rows* rows, int short, cnp.npy_intp count) except -1:
    """Short rows that all meet the same short row, as a bias: that one is repeated, so that rows become long."""
    cdef char room[4096]        # ROOM
    cdef char* args[3]
    cdef Rows longer
    cdef cnp.npy_intp size = rows.length * rows.steps[short], copies = min(ROOM // size, count), i, rest
    cdef int k
    for i in range(copies):
        memcpy(room + i * size, rows.args[short], size)
    longer.loop = rows.loop
    longer.outer = 1
    longer.length = copies * rows.length
    longer.dims[0] = count // copies
    for k in range(3):
        longer.args[k] = rows.args[k]
        longer.steps[k] = rows.steps[k]
        longer.strides[k][0] = longer.length * rows.steps[k]
    longer.args[short] = room
    longer.strides[short][0] = 0
    if rows.loop.grain == 0 or count * rows.length < rows.loop.grain:
        run_rows(&longer, 0, longer.dims[0])
    else:
        with nogil:
            parallel(run_rows, &longer, longer.dims[0], (rows.loop.grain + longer.length - 1) // longer.length)
    rest = (count - longer.dims[0] * copies) * rows.length
    if rest > 0:
        for k in range(3):
            args[k] = rows.args[k] + longer.dims[0] * longer.length * rows.steps[k]
        args[short] = room
        rows.loop.function(args, &rest, rows.steps, rows.loop.data)
    return 0


cdef void run_rows(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """The rows ``begin`` to ``end``, in the order of an odometer over the outer axes."""
    cdef Rows* rows = <Rows*>context
    cdef cnp.npy_intp position[MAX_DIMENSIONS]
    cdef cnp.npy_intp n, rest = begin
    cdef char* args[3]
    cdef char* own[3]
    cdef Py_ssize_t row
    cdef int i, k
    for k in range(3):
        args[k] = rows.args[k]
    for i in range(rows.outer - 1, -1, -1):
        position[i] = rest % rows.dims[i]
        rest //= rows.dims[i]
        for k in range(3):
            args[k] += position[i] * rows.strides[k][i]
    for row in range(begin, end):
        n = rows.length
        for k in range(3):
            own[k] = args[k]
        rows.loop.function(own, &n, rows.steps, rows.loop.data)
        i = rows.outer - 1
        while i >= 0:
            position[i] += 1
            if position[i] < rows.dims[i]:
                for k in range(3):
                    args[k] += rows.strides[k][i]
                break
            for k in range(3):
                args[k] -= rows.strides[k][i] * (rows.dims[i] - 1)
            position[i] = 0
            i -= 1


cdef struct Tiles:
    Rows* rows                                  # whose outer axes are all but the last and the one across
    bint turned[2]
    cnp.npy_intp across                         # an axis along which turned operands are contiguous,
    cnp.npy_intp across_strides[3]
    cnp.npy_intp strips                         # of ACROSS rows, for each place of the outer axes
    cnp.npy_intp item                           # bytes of an element of the operands


cdef void run_tiles(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """The strips ``begin`` to ``end``: tile by tile, turned operands are copied row by row and the loop runs over them."""
    cdef Tiles* tiles = <Tiles*>context
    cdef Rows* rows = tiles.rows
    cdef double room[2][4096]                   # ACROSS * ALONG
    cdef char* base[3]
    cdef char* args[3]
    cdef cnp.npy_intp steps[3]
    cdef cnp.npy_intp first, n, row, count, place, item = tiles.item
    cdef Py_ssize_t unit, rest
    cdef int i, k
    for k in range(3):
        steps[k] = item if k < 2 and tiles.turned[k] else rows.steps[k]
    for unit in range(begin, end):
        row = unit % tiles.strips * ACROSS
        count = min(<cnp.npy_intp>ACROSS, tiles.across - row)
        for k in range(3):
            base[k] = rows.args[k] + row * tiles.across_strides[k]
        rest = unit // tiles.strips
        for i in range(rows.outer - 1, -1, -1):
            place = rest % rows.dims[i]
            rest //= rows.dims[i]
            for k in range(3):
                base[k] += place * rows.strides[k][i]
        first = 0
        while first < rows.length:
            n = min(<cnp.npy_intp>ALONG, rows.length - first)
            for k in range(2):
                if tiles.turned[k] and item == 4:
                    transpose_floats(n, count, <const float*>(base[k] + first * rows.steps[k]), rows.steps[k] // item,
                                     <float*>room[k], ALONG)
                elif tiles.turned[k]:
                    transpose_doubles(n, count, <const double*>(base[k] + first * rows.steps[k]), rows.steps[k] // item,
                                      room[k], ALONG)
            for row in range(count):
                for k in range(3):
                    if k < 2 and tiles.turned[k]:
                        args[k] = <char*>room[k] + row * ALONG * item
                    else:
                        args[k] = base[k] + row * tiles.across_strides[k] + first * rows.steps[k]
                rows.loop.function(args, &n, steps, rows.loop.data)
            first += ALONG


cdef bint plan_tiles(Tiles* tiles, Rows* rows, int axes, cnp.npy_intp* dims, cnp.npy_intp item) noexcept:
    """Whether tiles are a way, of ``axes`` merged axes with the strides of ``rows``; their outer axes are set then."""
    cdef int last = axes - 1, across = -1, i, k, n = 0
    if item != 4 and item != 8 or rows.loop.grain == 0:
        return False
    for k in range(2):
        tiles.turned[k] = False
        if rows.strides[k][last] == item or rows.strides[k][last] == 0:
            continue
        for i in range(last):
            if rows.strides[k][i] == item:
                tiles.turned[k] = across in (-1, i)
                across = i
                break
        if not tiles.turned[k] or rows.strides[k][last] % item != 0:
            return False
    if across < 0:
        return False
    tiles.rows = rows
    tiles.item = item
    tiles.across = dims[across]
    tiles.strips = (dims[across] + ACROSS - 1) // ACROSS
    rows.length = dims[last]
    for k in range(3):
        tiles.across_strides[k] = rows.strides[k][across]
        rows.steps[k] = rows.strides[k][last]
    for i in range(last):
        if i != across:
            rows.dims[n] = dims[i]
            for k in range(3):
                rows.strides[k][n] = rows.strides[k][i]
            n += 1
    rows.outer = n
    return True


cdef bint is_turned(cnp.ndarray array) noexcept:
    """Whether the neighbours of each element lie along another axis than the last, as after a transposition.

    To copy such an array in blocks and loop over the copy takes a fraction of the time of a loop over the array. Of two
    operands, the blocks are copied one by one: what all of a copy takes is its way to memory and back.
    """
    cdef cnp.npy_intp item = cnp.PyArray_ITEMSIZE(array), step
    cdef int last = cnp.PyArray_NDIM(array) - 1, i
    if cnp.PyArray_SIZE(array) < TURNED or last < 1 or cnp.PyArray_DIMS(array)[last] == 1:
        return False
    step = cnp.PyArray_STRIDES(array)[last]
    if step == item or step == 0:
        return False
    for i in range(last):
        if cnp.PyArray_STRIDES(array)[i] == item and cnp.PyArray_DIMS(array)[i] > 1:
            return True
    return False


cdef struct Broadcast:          # operands broadcast to the shape of the result, which is the last of them
    cnp.npy_intp dims[MAX_DIMENSIONS]
    cnp.npy_intp strides[3][MAX_DIMENSIONS]


cdef inline int broadcast(Broadcast* axes, int ndim, cnp.ndarray x, cnp.ndarray y) except -1:
    """Set the shape of the result, and the strides of ``x`` and ``y`` in it; ``y`` is None for one operand."""
    cdef cnp.npy_intp x_dim, y_dim
    cdef int i, j
    for i in range(ndim):
        j = i - ndim + cnp.PyArray_NDIM(x)
        x_dim = cnp.PyArray_DIMS(x)[j] if j >= 0 else 1
        axes.strides[0][i] = cnp.PyArray_STRIDES(x)[j] if j >= 0 and x_dim != 1 else 0
        axes.dims[i] = x_dim
        if y is not None:
            j = i - ndim + cnp.PyArray_NDIM(y)
            y_dim = cnp.PyArray_DIMS(y)[j] if j >= 0 else 1
            axes.strides[1][i] = cnp.PyArray_STRIDES(y)[j] if j >= 0 and y_dim != 1 else 0
            if x_dim == 1:
                axes.dims[i] = y_dim
            elif y_dim != 1 and y_dim != x_dim:
                raise ValueError("the shapes do not broadcast")
    return 0


cdef inline int merge_axes(Broadcast* axes, int ndim, int operands) noexcept:
    """Merge each axis into the one before it wherever every operand steps through both as one. How many are left."""
    cdef int merged = 0, i, k
    cdef bint mergeable
    for i in range(ndim):
        if axes.dims[i] == 1:
            continue
        mergeable = merged > 0
        for k in range(operands):
            mergeable = mergeable and axes.strides[k][merged - 1] == axes.strides[k][i] * axes.dims[i]
        if mergeable:
            merged -= 1
            axes.dims[merged] *= axes.dims[i]
        else:
            axes.dims[merged] = axes.dims[i]
        for k in range(operands):
            axes.strides[k][merged] = axes.strides[k][i]
        merged += 1
    return merged


cdef object general(Loop* loop, cnp.ndarray x, object second):
    """Any shapes that broadcast and any strides: ``loop`` along the last axis, an odometer over the others."""
    cdef cnp.ndarray out, y
    cdef Broadcast axes
    cdef Rows rows
    cdef Tiles tiles
    cdef cnp.npy_intp count = 1
    cdef int ndim, i, k, merged, operands
    cdef bint turned

    if not cnp.PyArray_ISALIGNED(x):
        x = copied(x)
    turned = is_turned(x)
    ndim = cnp.PyArray_NDIM(x)
    if second is None:
        if turned:
            x = copied(x)
            turned = False
        operands = 2
        y = x
    else:
        operands = 3
        y = second
        if not cnp.PyArray_ISALIGNED(y):
            y = copied(y)
        turned = turned or is_turned(y)
        ndim = max(ndim, cnp.PyArray_NDIM(y))

    broadcast(&axes, ndim, x, y if operands == 3 else None)
    out = new_array(loop.out_descr, ndim, axes.dims)
    if cnp.PyArray_SIZE(out) == 0:
        return out
    for i in range(ndim):
        axes.strides[operands - 1][i] = cnp.PyArray_STRIDES(out)[i]
    rows.loop = loop
    rows.args[0] = cnp.PyArray_BYTES(x)
    rows.args[1] = cnp.PyArray_BYTES(y)
    rows.args[2] = rows.args[operands - 1] = cnp.PyArray_BYTES(out)

    merged = merge_axes(&axes, ndim, operands)
    if turned:
        for k in range(3):
            for i in range(merged):
                rows.strides[k][i] = axes.strides[k][i]
        if not plan_tiles(&tiles, &rows, merged, axes.dims, cnp.PyArray_ITEMSIZE(x)):
            return general(loop, copied(x) if is_turned(x) else x, copied(y) if is_turned(y) else y)
        count = tiles.strips
        for i in range(rows.outer):
            count *= rows.dims[i]
        with nogil:
            parallel(run_tiles, &tiles, count, loop.grain // (ACROSS * rows.length))
        check_loop()
        return out
    if merged == 0:
        rows.steps[0] = rows.steps[1] = rows.steps[2] = 0
        call(loop, rows.args, 1, rows.steps)
        return out

    # ``loop`` runs along the last axis even where another axis is longer, because along it the results are contiguous.
    # NumPy 2.4's float32 `negative` is wrong for results that are not, where the stride of its operand is 4 elements.
    rows.outer = merged - 1
    rows.length = axes.dims[merged - 1]
    for k in range(operands):
        rows.steps[k] = axes.strides[k][merged - 1]
    if operands == 2:
        rows.steps[2] = rows.steps[1]
    if rows.outer == 0:
        call(loop, rows.args, rows.length, rows.steps)
        return out
    if operands == 3 and rows.outer == 1 and rows.length < SHORT:
        for k in range(2):
            if (axes.strides[k][0] == 0 and rows.steps[k] == cnp.PyArray_ITEMSIZE(x)
                    and axes.strides[1 - k][0] == rows.length * rows.steps[1 - k] and rows.steps[1 - k] != 0
                    and rows.steps[k] * rows.length <= ROOM // 2):
                run_repeated(&rows, k, axes.dims[0])
                check_loop()
                return out
    for i in range(rows.outer):
        count *= axes.dims[i]
        rows.dims[i] = axes.dims[i]
        for k in range(operands):
            rows.strides[k][i] = axes.strides[k][i]
        if operands == 2:
            rows.strides[2][i] = axes.strides[1][i]
    if loop.grain == 0 or count * rows.length < loop.grain:
        run_rows(&rows, 0, count)
    else:
        with nogil:
            parallel(run_rows, &rows, count, (loop.grain + rows.length - 1) // rows.length)
    check_loop()
    return out

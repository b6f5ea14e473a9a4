"""Elementwise steps on arrays of one shape as one pass over memory, with as many results as are needed.

A `Program` is one function with one result. A block is what a recording has between two steps that are not
elementwise: it may read many arrays and leave several, some of them in memory that is there already, and reduce some
of them at its end. What lies between stays in registers, which are parts of one buffer on the stack. The loops are
those that the ops run one by one, and reductions are cut where `reductions` cuts them, so the results are the same to
the bit.

An operand that is broadcast, or not contiguous, is copied into a register block by block.
"""

cimport cython
cimport numpy as cnp
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.ref cimport PyObject
from libc.string cimport memcpy

import numpy as np

from tapegrad.engines.numpy import kernels
from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.copies cimport copied
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.loops cimport DEAR_GRAIN, Loop, Loops, run_binary, run_unary
from tapegrad.engines.numpy.programs cimport (
    CALL, FROM_BOOL, MOST_SOURCES, SELECT, Program, Step, is_one_number, run_from_bool, run_select)
from tapegrad.engines.numpy.reductions cimport (
    FEW, MAX, MEAN, MIN, MOST_PARTS, PART, SHORT, SUM, Operation, reduce)
from tapegrad.engines.numpy.threads cimport parallel

cnp.import_array()

cdef extern from "reductions.h" nogil:
    enum:
        RUN "TAPEGRAD_RUN"      # elements that are reduced in lanes; longer runs are halved

    ctypedef struct Reduction "tapegrad_reduction":
        double start
        void (*run)(const char* x, cnp.npy_intp n, cnp.npy_intp stride, double* out) noexcept nogil

    ctypedef struct Kernels "tapegrad_reductions":
        Reduction sum, maximum, minimum

    const Kernels* kernels_at "tapegrad_reductions_at" (bint is_double, int level) noexcept

cdef extern from *:
    """
    /* Ask for the next bytes of an array, before a loop waits for them. */
    static inline void tapegrad_fetch(const char *from, ptrdiff_t bytes)
    {
        for (ptrdiff_t i = 0; i < bytes; i += 64)
            __builtin_prefetch(from + i, 0, 2);
    }
    """
    void fetch "tapegrad_fetch" (const char* source, Py_ssize_t count) noexcept nogil

cdef enum:
    MOST_AXES = 64
    MOST_VALUES = 1200          # sources, outputs and registers together
    LONGEST = 2048              # elements of a block
    BUFFER = 8600               # doubles on the stack
    GAP = 64                    # bytes between registers, so that they do not lie a power of two apart
    LINE = 64                   # bytes of a line of the cache: registers of ALIGNED bytes begin with one
    ALIGNED = 1024
    ROOMY = 1024                # elements from which registers are few, so that blocks are long
    FEW_REGISTERS = 10
    FEW_WITH_FOLDS = 7          # where a register holds a run of a reduction
    MOST_REGISTERS = 900
    MOST_SPREADS = 16           # operands that are copied into registers
    MOST_SPREAD_AXES = 6
    MOST_FOLDS = 8
    MOST_STREAMS = 8            # arrays of which the next elements are asked for before they are needed
    STREAMED = 65536            # elements of arrays for which that pays: with fewer, they are in a near cache
    STEPS_FOR_STREAM = 4
    EVEN = 64                   # loops treat what is left over beside whole vectors otherwise: blocks leave nothing over
    TURNED = 4096               # elements from which a transposed operand is copied as a whole
    # Kinds of steps besides those of programs: one that moves a result to where it is written last, and arithmetic on
    # single numbers, which takes less than a call of its loop.
    COPY = 3
    ADD_FLOATS, SUBTRACT_FLOATS, MULTIPLY_FLOATS, ADD_DOUBLES, SUBTRACT_DOUBLES, MULTIPLY_DOUBLES

# Loops that give the same bits for an element wherever in a row it lies. Of NumPy's these are the ones that round each
# element by itself, to the nearest number or exactly: others may compute the last elements of a row by other code than
# whole vectors. Of ours they are straight lines of arithmetic, see `elementwise_functions.h`.
EVEN_LOOPS = frozenset([getattr(np, name) for name in """add subtract multiply divide true_divide negative absolute square
    equal not_equal less less_equal greater greater_equal logical_and logical_or logical_not sqrt sign isnan isinf
    isfinite""".split()] + [getattr(kernels, name) for name in """sigmoid softplus relu rsqrt softsign silu gelu erf erfc
    relu_grad tanh_grad sigmoid_grad silu_grad gelu_grad leaky_relu xdivy multiply_no_nan divide_no_nan""".split()])


NUMBERS = {np.add: ADD_FLOATS, np.subtract: SUBTRACT_FLOATS, np.multiply: MULTIPLY_FLOATS}


cdef int kind_for_numbers(Loops loops, Loop* loop) except -1:
    """The kind of a step on single numbers."""
    if loops.ufunc not in NUMBERS or loop.out_type != cnp.NPY_FLOAT and loop.out_type != cnp.NPY_DOUBLE:
        return CALL
    return NUMBERS[loops.ufunc] + (3 if loop.out_type == cnp.NPY_DOUBLE else 0)


cdef bint is_even(object ufunc):
    return ufunc in EVEN_LOOPS


cdef bint all_even(Program program):
    for loops in program.keep:
        if not is_even((<Loops>loops).ufunc):
            return False
    return True


cdef const Reduction* kernel_for(Operation operation, bint is_double) noexcept nogil:
    cdef const Kernels* kernels = kernels_at(is_double, level)
    return &kernels.maximum if operation == MAX else &kernels.minimum if operation == MIN else &kernels.sum


cdef int check(bint fits) except -1:
    if not fits:
        raise ValueError("the steps of a block do not fit together")
    return 0


@cython.final
cdef class Block:
    def __init__(self, tuple shape not None, int sources, list steps not None, list results not None, list descrs not None,
                 list folds=[], dict written={}):
        """
        Args:
            shape: of all results; sources may be broadcast to it.
            sources: how many arrays are read.
            steps: (Program, number of its step, operands), or (pair of Loops and type number, None, operands). Operands
                are values: first the sources, then the results of the steps.
            results: the steps whose results are outputs.
            descrs: the dtypes of the outputs, and then of the folds.
            folds: (step, operation, elements of a run, shape of the result): reductions of runs of a step's result.
            written: output -> the sources that may lie in the same memory, for outputs that are written in place.

        Raises ValueError if there are too many values, or too many are needed at once, or if a reduction would not give
        the bits that `reductions` gives.
        """
        cdef Program program
        cdef Step* step
        cdef Micro* micro
        cdef Loop* loop
        cdef int i, j, value, cost = 0, most
        cdef bint even = True
        cdef list last = [-1] * len(steps), place = [-1] * len(steps), free = [], late = []
        check(len(shape) <= MOST_AXES and 0 <= sources <= MOST_VALUES and len(results) + len(folds) == len(descrs))
        for value in results:
            check(0 <= value < len(steps))
        check(all([isinstance(descr, np.dtype) for descr in descrs]) and len(folds) <= MOST_FOLDS)
        self.shape = shape
        self.ndim = len(shape)
        self.size = 1
        for i in range(self.ndim):
            self.dims[i] = shape[i]
            self.size *= shape[i]
        self.sources = sources
        self.outputs = len(results)
        self.descrs = descrs
        self.results = results
        self.folds = len(folds)
        self.keep = []
        self.origins = []
        self.places = []
        self.widest = 1
        self.steps = <Micro*>PyMem_Calloc(max(<int>(len(steps) + len(results)), 1), sizeof(Micro))
        self.fold = <Fold*>PyMem_Calloc(max(self.folds, 1), sizeof(Fold))
        self.loose = <bint*>PyMem_Calloc(max(sources, 1), sizeof(bint))
        if self.steps == NULL or self.fold == NULL or self.loose == NULL:
            raise MemoryError()
        for i, (_, _, operands) in enumerate(steps):
            check(0 < len(operands) <= 3)
            for value in operands:
                check(0 <= value < sources + i)
                if value >= sources:
                    last[value - sources] = i
        for i, value in enumerate(results):
            readers = written.get(i, ())
            if value not in results[:i] and not any([
                    any([operand in readers for operand in operands]) for _, _, operands in steps[value + 1:]]):
                place[value] = sources + i
            else:
                # What was there before is read later, or the value is an output already: it is copied at the end.
                late.append((value, i))
                last[value] = len(steps)
        for value, _, _, _ in folds:
            check(0 <= value < len(steps))
            last[value] = len(steps)
        most = FEW_WITH_FOLDS if folds else FEW_REGISTERS
        if self.size < ROOMY and not folds:
            most = max(most, min(
                <int>MOST_REGISTERS, <int>(BUFFER // (self.size + GAP // 8)), <int>(MOST_VALUES - sources - self.outputs)))
        for i, (origin, number, operands) in enumerate(steps):
            micro = &self.steps[i]
            self.keep.append(origin)
            self.origins.append((origin, number))
            self.places.append(operands)
            micro.count = len(operands)
            if number is None:
                loops, type_num = origin
                loop = (<Loops?>loops).find(type_num)
                if loop == NULL:
                    raise ValueError("no loop")
                micro.kind = kind_for_numbers(loops, loop) if self.size == 1 else CALL
                micro.loop = loop
                here = is_even(loops.ufunc)
                # Some loops compute otherwise where the step is 0, as it is for a number beside an array. An op on
                # numbers alone has steps, and a program has none.
                if not self.ndim:
                    micro.step = np.dtype(cnp.PyArray_DescrFromType(type_num)).itemsize
                micro.size = np.dtype(cnp.PyArray_DescrFromType(loop.out_type)).itemsize
            else:
                program = <Program?>origin
                check(0 <= number < program.length)
                step = &program.steps[<int>number]
                micro.kind = step.kind
                micro.loop = step.loop
                micro.size = step.size
                if self.size == 1 and step.kind == CALL:
                    for loops in program.keep:
                        if (<Loops>loops).find(step.loop.out_type) == step.loop:
                            micro.kind = kind_for_numbers(loops, step.loop)
                here = step.kind != CALL or all_even(program)
            even = even and here
            self.widest = max(self.widest, micro.size)
            cost += 4 if micro.loop != NULL and micro.loop.grain == DEAR_GRAIN else 1
            for j, value in enumerate(operands):
                micro.operands[j] = value if value < sources else place[value - sources]
                if value < sources and not here:
                    self.loose[value] = True
            if place[i] < 0:
                # A register is chosen before those of the operands are free: an operand may be a single number.
                if not free:
                    if self.registers >= most:
                        raise ValueError("too many results are needed at once")
                    free.append(sources + self.outputs + self.registers)
                    self.registers += 1
                place[i] = free.pop()
            micro.target = place[i]
            for value in set(operands):
                if value >= sources and last[value - sources] == i and place[value - sources] >= sources + self.outputs:
                    free.append(place[value - sources])
            if last[i] < 0 and place[i] >= sources + self.outputs:
                free.append(place[i])
        self.length = len(steps)
        for value, i in late:
            micro = &self.steps[self.length]
            micro.kind = COPY
            micro.count = 1
            micro.operands[0] = place[value]
            micro.target = sources + i
            micro.size = self.steps[<int>value].size
            self.length += 1
        self.group = 0
        self.fold_shapes = []
        self.fold_steps = []
        for i, (value, operation, length, own_shape) in enumerate(folds):
            self.steps[<int>value].whole = True
            self.set_fold(&self.fold[i], place[value], operation, length, descrs[self.outputs + i], even)
            self.fold_shapes.append(own_shape)
            self.fold_steps.append(value)
        if sources + self.outputs + self.registers > MOST_VALUES:
            raise ValueError("too many values")
        self.grain = max(1024, 4 * DEAR_GRAIN // max(cost, 1))

    cdef int set_fold(self, Fold* fold, int value, int operation, cnp.npy_intp length, object descr, bint even) except -1:
        """Prepare a reduction. Raises ValueError where this block would cut it otherwise than `reductions` does."""
        cdef cnp.npy_intp rows
        check(SUM <= operation <= MIN and descr.num in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE) and self.size > 0 and length > 0)
        check(self.size % length == 0)
        fold.value = value
        fold.operation = <Operation>operation
        fold.single = descr.num == cnp.NPY_FLOAT
        fold.kernel = kernel_for(fold.operation, not fold.single)
        fold.length = length
        fold.runs = self.size // length
        if self.folds > 1 and (&self.fold[0]).length != length:
            raise ValueError("reductions over other axes")
        if fold.runs == 1:
            self.group = self.size
            if self.size >= 2 * PART:
                self.group = PART
                while self.size > self.group * MOST_PARTS:
                    self.group *= 2
            return 0
        if length < SHORT or fold.runs < FEW and length >= 2 * PART:
            raise ValueError("another way to reduce")
        rows = 1                # so many are a multiple of EVEN elements
        while not even and rows * length % EVEN != 0:
            rows += 1
        if rows > 1 and rows * length > RUN:
            raise ValueError("rows end within a vector")
        self.group = rows * max(<cnp.npy_intp>1, RUN // (rows * length)) * length
        return 0

    def __dealloc__(self):
        PyMem_Free(self.steps)
        PyMem_Free(self.fold)
        PyMem_Free(self.loose)

    cdef list run(self, PyObject** arrays, PyObject** targets, int unseen):
        """The outputs for ``arrays``, of the dtypes that the steps are for, and then the reductions.

        ``targets`` has for each output an array to write to, C-contiguous and of its shape and dtype; NULL for a new one.
        No other thread can see the first ``unseen`` of them.
        """
        cdef Pass work
        cdef cnp.ndarray array, out, parts
        cdef list outputs = [], kept = None
        cdef double found[MOST_FOLDS]
        cdef double* partial = found
        cdef cnp.npy_intp groups
        cdef Py_ssize_t room
        cdef bint in_place = False
        cdef int i
        work.spreads = 0
        for i in range(self.sources):
            array = <cnp.ndarray>arrays[i]
            work.strides[i] = cnp.PyArray_ITEMSIZE(array)
            if not cnp.PyArray_ISALIGNED(array):
                return self.run_by_steps(arrays, targets)
            if self.size != 1 and cnp.PyArray_SIZE(array) == 1 or is_one_number(array):
                work.strides[i] = 0
            elif not (cnp.PyArray_IS_C_CONTIGUOUS(array) and cnp.PyArray_SIZE(array) == self.size):
                if is_turned(array):
                    array = copied(array)
                    if kept is None:
                        kept = []
                    kept.append(array)
                if not (cnp.PyArray_IS_C_CONTIGUOUS(array) and cnp.PyArray_SIZE(array) == self.size):
                    if (work.spreads == MOST_SPREADS
                            or not set_spread(&work.spread[work.spreads], array, self.ndim, self.dims, self.loose[i])):
                        return self.run_by_steps(arrays, targets)
                    work.spread[work.spreads].value = i
                    work.spreads += 1
            work.base[i] = cnp.PyArray_BYTES(array)
        for i in range(self.outputs):
            if targets[i] != NULL:
                out = <cnp.ndarray>targets[i]
                in_place = in_place or i >= unseen
            else:
                out = new_array(<PyObject*>self.descrs[i], self.ndim, self.dims)
            outputs.append(out)
            work.base[self.sources + i] = cnp.PyArray_BYTES(out)
            work.strides[self.sources + i] = cnp.PyArray_ITEMSIZE(out)
        work.steps = self.steps
        work.length = self.length
        work.fixed = self.sources + self.outputs
        work.registers = self.registers
        work.folds = self.folds
        work.size = self.size
        work.streams = 0
        if self.size >= STREAMED:
            find_streams(&work)
        # Registers are as wide as their widest element, or as that of an operand that is copied into one.
        work.width = self.widest
        for i in range(work.spreads):
            work.width = max(work.width, work.spread[i].item)
        room = 8 * BUFFER // max(self.registers + work.spreads, 1) - GAP
        if room >= ALIGNED:
            room = (8 * BUFFER - LINE) // max(self.registers + work.spreads, 1) - GAP - LINE
        if self.folds:
            if room < RUN * work.width:
                return self.run_by_steps(arrays, targets)
            work.block = RUN
        elif room // work.width >= self.size and self.size <= LONGEST:
            work.block = self.size
        else:
            work.block = min(<Py_ssize_t>LONGEST, room // work.width) // EVEN * EVEN
            if work.block <= 0:
                return self.run_by_steps(arrays, targets)
        if self.folds:
            for i in range(self.folds):
                out = empty_of(self.descrs[self.outputs + i], self.fold_shapes[i])
                outputs.append(out)
                work.fold_out[i] = cnp.PyArray_BYTES(out)
            work.fold = self.fold
            work.group = self.group
            work.run = self.fold.length
            work.partial = NULL
            groups = (self.size + self.group - 1) // self.group
            if self.fold.runs == 1:
                if groups > 1:
                    parts = np.empty((self.folds, groups))
                    partial = <double*>cnp.PyArray_DATA(parts)
                work.partial = partial
                work.groups = groups
            if self.size <= 2 * RUN:
                run_groups(&work, 0, groups)
            elif in_place:
                parallel(run_groups, &work, groups, (self.grain + self.group - 1) // self.group)
            else:
                with nogil:
                    parallel(run_groups, &work, groups, (self.grain + self.group - 1) // self.group)
            if self.fold.runs == 1:
                finish_folds(&work)
        elif self.size <= work.block:
            run_micros(&work, 0, self.size)
        elif in_place:
            # The GIL is kept, so that no other thread reads a value that is half written.
            parallel(run_micros, &work, self.size, self.grain)
        else:
            with nogil:
                parallel(run_micros, &work, self.size, self.grain)
        return outputs

    cdef list run_by_steps(self, PyObject** arrays, PyObject** targets):
        """The same with each step over whole arrays, for operands that lie in memory in another way than usual."""
        cdef list values = [<object>arrays[i] for i in range(self.sources)], outputs = []
        cdef list held = [<object>targets[i] for i in range(self.outputs) if targets[i] != NULL]
        cdef Program program
        cdef Step* step
        cdef Loop* loop
        cdef object value
        cdef int i, j
        for i, (origin, number) in enumerate(self.origins):
            operands = [values[place] for place in self.places[i]]
            if number is None:
                loop = (<Loops>origin[0]).find(origin[1])
                result = run_unary(loop, operands[0]) if len(operands) == 1 else run_binary(loop, operands[0], operands[1])
            else:
                program = <Program>origin
                step = &program.steps[<int>number]
                if step.kind == SELECT:
                    result = np.asarray(np.where(*operands))
                elif step.kind == FROM_BOOL:
                    result = np.asarray(operands[0].astype(np.float32 if step.size == 4 else np.float64))
                elif step.count == 1:
                    result = run_unary(step.loop, operands[0])
                else:
                    result = run_binary(step.loop, operands[0], operands[1])
            values.append(result)
        for i in range(self.outputs):
            value = values[self.sources + self.results[i]]
            if value.shape != self.shape:
                value = np.array(np.broadcast_to(value, self.shape))
            outputs.append(value)
        for i in range(self.outputs):
            if targets[i] != NULL:
                np.copyto(<object>targets[i], outputs[i])
                outputs[i] = <object>targets[i]
            elif any([outputs[i] is other for other in outputs[:i]]) or not outputs[i].flags.c_contiguous:
                outputs[i] = np.array(outputs[i], order="C")
        for i in range(self.folds):
            value = np.ascontiguousarray(np.broadcast_to(values[self.sources + self.fold_steps[i]], self.shape))
            value = value.reshape(self.fold[i].runs, self.fold[i].length)
            outputs.append(np.asarray(reduce(<cnp.ndarray>value, 2, MOST_AXES, self.fold[i].operation)).reshape(self.fold_shapes[i]))
        return outputs

    def __call__(self, *arrays, bint by_steps=False):
        """For tests: the outputs and reductions for ``arrays``, which have to be of the dtypes that the steps are for."""
        cdef PyObject* pointers[MOST_VALUES]
        cdef PyObject* targets[MOST_VALUES]
        cdef int i
        if len(arrays) != self.sources or not all([isinstance(array, cnp.ndarray) for array in arrays]):
            raise TypeError(f"the block takes {self.sources} arrays")
        for i in range(self.sources):
            np.broadcast_to(arrays[i], self.shape)
            pointers[i] = <PyObject*>arrays[i]
        for i in range(self.outputs):
            targets[i] = NULL
        return self.run_by_steps(pointers, targets) if by_steps else self.run(pointers, targets, 0)


cdef cnp.ndarray empty_of(object descr, tuple shape):
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef int i
    for i in range(len(shape)):
        dims[i] = shape[i]
    return new_array(<PyObject*>descr, <int>len(shape), dims)


cdef bint is_turned(cnp.ndarray array) noexcept:
    """Whether it is large, and the neighbours of each element lie along another axis than the last."""
    cdef int last = cnp.PyArray_NDIM(array) - 1
    cdef cnp.npy_intp step
    if cnp.PyArray_SIZE(array) < TURNED or last < 1 or cnp.PyArray_DIMS(array)[last] == 1:
        return False
    step = cnp.PyArray_STRIDES(array)[last]
    return step != 0 and step != cnp.PyArray_ITEMSIZE(array)


# --- The work, which needs no Python ------------------------------------------------------------------

cdef struct Spread:
    int value                   # the source
    char* data
    int item                    # bytes of an element
    int axes                    # at least one; the last has the elements that lie side by side, or are one number
    cnp.npy_intp dims[MOST_SPREAD_AXES]
    cnp.npy_intp strides[MOST_SPREAD_AXES]

cdef struct Pass:
    Micro* steps
    int length
    int fixed                   # values that are arrays
    int registers
    int width                   # bytes of an element of a register
    int spreads
    int folds
    int streams                 # values that are asked for ahead of time
    int stream[MOST_STREAMS]
    Py_ssize_t block            # elements at a time
    cnp.npy_intp size
    const Fold* fold
    cnp.npy_intp group, groups, run
    double* partial             # of each fold, for each group of its one run; NULL where there are many runs
    char* fold_out[MOST_FOLDS]
    Spread spread[MOST_SPREADS]
    char* base[MOST_VALUES]
    cnp.npy_intp strides[MOST_VALUES]

cdef struct Registers:
    char* base[1216]            # MOST_VALUES + MOST_SPREADS
    cnp.npy_intp strides[MOST_VALUES]


cdef void find_streams(Pass* work) noexcept:
    """Note the arrays to ask for ahead of time, where the steps take long enough that this costs little."""
    cdef int i, j
    cdef bint fits
    for i in range(work.fixed):
        fits = work.strides[i] != 0
        for j in range(work.spreads):
            fits = fits and work.spread[j].value != i
        for j in range(work.streams):
            fits = fits and work.base[work.stream[j]] != work.base[i]     # a variable that is read and written
        if fits and work.streams == MOST_STREAMS:
            work.streams = 0
            return
        if fits:
            work.stream[work.streams] = i
            work.streams += 1
    if work.length < STEPS_FOR_STREAM * work.streams:
        work.streams = 0


cdef bint set_spread(Spread* spread, cnp.ndarray array, int ndim, cnp.npy_intp* dims, bint loose) noexcept:
    """Describe how the array is broadcast. False if it has too many axes, or rows that a loop would end otherwise."""
    cdef cnp.npy_intp stride, length
    cdef int i, j, used = 0
    spread.data = cnp.PyArray_BYTES(array)
    spread.item = <int>cnp.PyArray_ITEMSIZE(array)
    for i in range(ndim):
        length = dims[i]
        if length == 1:
            continue
        j = i - ndim + cnp.PyArray_NDIM(array)
        stride = cnp.PyArray_STRIDES(array)[j] if j >= 0 and cnp.PyArray_DIMS(array)[j] != 1 else 0
        if used > 0 and spread.strides[used - 1] == stride * length:
            spread.dims[used - 1] *= length
            spread.strides[used - 1] = stride
            continue
        if used == MOST_SPREAD_AXES:
            return False
        spread.dims[used] = length
        spread.strides[used] = stride
        used += 1
    if used == 0:
        spread.dims[0] = 1
        spread.strides[0] = 0
        used = 1
    spread.axes = used
    return not loose or spread.dims[used - 1] % EVEN == 0


cdef void copy_run(char* out, const char* data, cnp.npy_intp stride, cnp.npy_intp n, int item) noexcept nogil:
    cdef cnp.npy_intp i
    cdef float single
    cdef double wide
    if stride == item:
        memcpy(out, data, n * item)
    elif item == 4:
        if stride == 0:
            single = (<const float*>data)[0]
            for i in range(n):
                (<float*>out)[i] = single
        else:
            for i in range(n):
                (<float*>out)[i] = (<const float*>(data + i * stride))[0]
    elif item == 8:
        if stride == 0:
            wide = (<const double*>data)[0]
            for i in range(n):
                (<double*>out)[i] = wide
        else:
            for i in range(n):
                (<double*>out)[i] = (<const double*>(data + i * stride))[0]
    else:
        for i in range(n):
            out[i] = data[i * stride]


cdef void copy_spread(const Spread* spread, char* out, cnp.npy_intp begin, cnp.npy_intp n) noexcept nogil:
    """The elements ``begin`` to ``begin + n`` of the array as it is broadcast."""
    cdef int last = spread.axes - 1, i
    cdef cnp.npy_intp position[MOST_SPREAD_AXES]
    cdef cnp.npy_intp inner = spread.dims[last], rest = begin // inner, here = begin % inner, count
    cdef const char* data = spread.data
    if last == 1 and spread.strides[0] == 0:
        # The same row again and again: what is there already is copied behind itself.
        rest = min(inner, n)
        count = min(inner - here, rest)
        copy_run(out, data + here * spread.strides[1], spread.strides[1], count, spread.item)
        copy_run(out + count * spread.item, data, spread.strides[1], rest - count, spread.item)
        while rest < n:
            count = min(rest, n - rest)
            memcpy(out + rest * spread.item, out, count * spread.item)
            rest += count
        return
    for i in range(last - 1, -1, -1):
        position[i] = rest % spread.dims[i]
        rest //= spread.dims[i]
        data += position[i] * spread.strides[i]
    while n > 0:
        count = min(inner - here, n)
        copy_run(out, data + here * spread.strides[last], spread.strides[last], count, spread.item)
        out += count * spread.item
        n -= count
        here = 0
        i = last - 1
        while i >= 0:
            position[i] += 1
            data += spread.strides[i]
            if position[i] < spread.dims[i]:
                break
            data -= spread.strides[i] * spread.dims[i]
            position[i] = 0
            i -= 1


cdef void prepare(const Pass* work, Registers* registers, double* buffer) noexcept nogil:
    cdef int i
    cdef Py_ssize_t distance = (work.block * work.width + GAP - 1) // 8 * 8
    cdef char* first = <char*>buffer
    if work.block * work.width >= ALIGNED:
        distance = (work.block * work.width + GAP + LINE - 1) // LINE * LINE
        first += -<Py_ssize_t>first & (LINE - 1)
    for i in range(work.fixed):
        registers.strides[i] = work.strides[i]
    for i in range(work.registers + work.spreads):
        registers.base[work.fixed + i] = first + i * distance


cdef inline void run_number(const Pass* work, Registers* registers, const Micro* step) noexcept nogil:
    cdef char* first = registers.base[step.operands[0]]
    cdef char* second = registers.base[step.operands[1]]
    cdef char* out = registers.base[step.target]
    if step.target >= work.fixed:
        registers.strides[step.target] = registers.strides[step.operands[0]] | registers.strides[step.operands[1]]
    if step.kind == MULTIPLY_FLOATS:
        (<float*>out)[0] = (<float*>first)[0] * (<float*>second)[0]
    elif step.kind == ADD_FLOATS:
        (<float*>out)[0] = (<float*>first)[0] + (<float*>second)[0]
    elif step.kind == SUBTRACT_FLOATS:
        (<float*>out)[0] = (<float*>first)[0] - (<float*>second)[0]
    elif step.kind == MULTIPLY_DOUBLES:
        (<double*>out)[0] = (<double*>first)[0] * (<double*>second)[0]
    elif step.kind == ADD_DOUBLES:
        (<double*>out)[0] = (<double*>first)[0] + (<double*>second)[0]
    else:
        (<double*>out)[0] = (<double*>first)[0] - (<double*>second)[0]


cdef void run_block(const Pass* work, Registers* registers, Py_ssize_t begin, Py_ssize_t count) noexcept nogil:
    """All steps for the elements ``begin`` to ``begin + count``."""
    cdef char* args[4]
    cdef cnp.npy_intp steps[4]
    cdef cnp.npy_intp n, moves
    cdef const Micro* step
    cdef int i, j, place, fixed = work.fixed, stream = 0
    cdef Py_ssize_t ahead = 0
    if work.streams > 0:
        # The next elements of all arrays, spread over the steps; at the end of an array there are none.
        ahead = min(count, <Py_ssize_t>work.size - begin - count)
    for i in range(fixed):
        registers.base[i] = work.base[i] + begin * work.strides[i]
    for i in range(work.spreads):
        registers.base[work.spread[i].value] = registers.base[fixed + work.registers + i]
        copy_spread(&work.spread[i], registers.base[work.spread[i].value], begin, count)
    for i in range(work.length):
        step = &work.steps[i]
        if ahead > 0:
            while stream < work.streams and stream * work.length <= i * work.streams:
                place = work.stream[stream]
                fetch(registers.base[place] + count * work.strides[place], ahead * work.strides[place])
                stream += 1
        if step.kind > COPY:
            run_number(work, registers, step)
            continue
        n = count
        moves = 0
        for j in range(step.count):
            place = step.operands[j]
            args[j] = registers.base[place]
            steps[j] = step.step or registers.strides[place]
            moves |= registers.strides[place]
        place = step.target
        args[step.count] = registers.base[place]
        steps[step.count] = step.size
        if place >= fixed:
            # Single numbers give a single number. Many loops are faster with a constant operand.
            if moves or step.whole:
                registers.strides[place] = step.size
            else:
                registers.strides[place] = 0
                n = 1
        if step.kind == CALL:
            step.loop.function(args, &n, steps, step.loop.data)
        elif step.kind == SELECT:
            run_select(args, n, steps)
        elif step.kind == FROM_BOOL:
            run_from_bool(args, n, steps)
        else:
            copy_run(args[1], args[0], steps[0], n, step.size)


cdef void run_micros(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef const Pass* work = <const Pass*>context
    cdef double buffer[BUFFER]
    cdef Registers registers
    cdef Py_ssize_t count
    prepare(work, &registers, buffer)
    while begin < end:
        count = min(work.block, end - begin)
        run_block(work, &registers, begin, count)
        begin += count


cdef inline double combined(Operation operation, double first, double second) noexcept nogil:
    if operation == MAX:
        return second if second > first or second != second else first
    if operation == MIN:
        return second if second < first or second != second else first
    return first + second


cdef inline void store(const Fold* fold, char* out, double value) noexcept nogil:
    cdef double divisor = <double>fold.length
    if fold.single:
        (<float*>out)[0] = <float>value / <float>divisor if fold.operation == MEAN else <float>value
    else:
        (<double*>out)[0] = value / divisor if fold.operation == MEAN else value


cdef inline char* element(const Registers* registers, const Fold* fold, Py_ssize_t number) noexcept nogil:
    return registers.base[fold.value] + number * (4 if fold.single else 8)


cdef void fold_run(const Pass* work, Registers* registers, Py_ssize_t begin, Py_ssize_t n, double* found) noexcept nogil:
    """All steps for a run, or a part of it, and its reductions: halved as in `reduction_loops.h`."""
    cdef double second[MOST_FOLDS]
    cdef const Fold* fold
    cdef Py_ssize_t half
    cdef int i
    if n > RUN:
        half = (n // 2 + RUN - 1) // RUN * RUN
        fold_run(work, registers, begin, half, found)
        fold_run(work, registers, begin + half, n - half, second)
        for i in range(work.folds):
            found[i] = combined(work.fold[i].operation, found[i], second[i])
        return
    run_block(work, registers, begin, n)
    for i in range(work.folds):
        fold = &work.fold[i]
        found[i] = (<const Reduction*>fold.kernel).start
        (<const Reduction*>fold.kernel).run(element(registers, fold, 0), n, 4 if fold.single else 8, &found[i])


cdef void run_groups(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Groups of runs, or of parts of the one run there is."""
    cdef const Pass* work = <const Pass*>context
    cdef double buffer[BUFFER]
    cdef Registers registers
    cdef double found[MOST_FOLDS]
    cdef const Fold* fold
    cdef Py_ssize_t group, first, count, row
    cdef int i
    prepare(work, &registers, buffer)
    for group in range(begin, end):
        first = group * work.group
        count = min(<Py_ssize_t>work.group, <Py_ssize_t>work.size - first)
        if work.partial != NULL or work.run > RUN:
            fold_run(work, &registers, first, count, found)
            for i in range(work.folds):
                if work.partial != NULL:
                    work.partial[i * work.groups + group] = found[i]
                else:
                    fold = &work.fold[i]
                    store(fold, work.fold_out[i] + group * (4 if fold.single else 8), found[i])
            continue
        run_block(work, &registers, first, count)
        for i in range(work.folds):
            fold = &work.fold[i]
            for row in range(count // work.run):
                found[i] = (<const Reduction*>fold.kernel).start
                (<const Reduction*>fold.kernel).run(
                    element(&registers, fold, row * work.run), work.run, 4 if fold.single else 8, &found[i])
                store(fold, work.fold_out[i] + (first // work.run + row) * (4 if fold.single else 8), found[i])


cdef int finish_folds(const Pass* work) except -1:
    """Combine the parts of the runs that were cut."""
    cdef const Fold* fold
    cdef double value
    cdef int i
    for i in range(work.folds):
        fold = &work.fold[i]
        value = work.partial[i * work.groups]
        if work.groups > 1:
            value = (<const Reduction*>fold.kernel).start
            kernel_for(fold.operation, True).run(
                <char*>(work.partial + i * work.groups), work.groups, sizeof(double), &value)
        store(fold, work.fold_out[i], value)
    return 0

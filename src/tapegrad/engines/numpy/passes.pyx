"""The passes over memory of `blocks`: all steps for a run of elements while it is in cache, and then for the next.

No Python is needed here, so that several threads share a pass. Operands that are broadcast, or not contiguous, are
copied into registers; reductions are halved as in `reduction_loops.h`.
"""

cimport numpy as cnp
from libc.string cimport memcpy

from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.programs cimport CALL, FROM_BOOL, SELECT, run_from_bool, run_select
from tapegrad.engines.numpy.reductions cimport MAX, MEAN, MIN, Operation

cnp.import_array()

cdef extern from "reductions.h" nogil:
    enum:
        RUN "TAPEGRAD_RUN"      # elements that are reduced in lanes; longer runs are halved

    ctypedef struct ReductionKernel "tapegrad_reduction":
        double start
        void (*run)(const char* x, cnp.npy_intp n, cnp.npy_intp stride, double* out) noexcept nogil

    ctypedef struct Kernels "tapegrad_reductions":
        ReductionKernel sum, maximum, minimum

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
    STEPS_FOR_STREAM = 4


cdef const void* kernel_for(Operation operation, bint is_double) noexcept nogil:
    cdef const Kernels* kernels = kernels_at(is_double, level)
    return &kernels.maximum if operation == MAX else &kernels.minimum if operation == MIN else &kernels.sum


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


cdef inline void run_number(const Pass* work, Registers* registers, const Instruction* step) noexcept nogil:
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
    cdef const Instruction* step
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
        if step.kind == JOINED:
            continue
        if step.kind > ARITHMETIC:
            run_number(work, registers, step)
            continue
        n = count
        moves = 0
        for j in range(step.count):
            place = step.operands[j]
            args[j] = registers.base[place]
            steps[j] = registers.strides[place] if not step.step else 0 if j > 0 else step.step
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
        elif step.kind == ARITHMETIC:
            run_arithmetic(&step.arithmetic, args, steps, n)
        elif step.kind == SELECT:
            run_select(args, n, steps)
        elif step.kind == FROM_BOOL:
            run_from_bool(args, n, steps)
        else:
            copy_run(args[1], args[0], steps[0], n, step.size)


cdef void run_instructions(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
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


cdef inline void store(const Reduction* reduction, char* out, double value) noexcept nogil:
    cdef double divisor = <double>reduction.length
    if reduction.single:
        (<float*>out)[0] = <float>value / <float>divisor if reduction.operation == MEAN else <float>value
    else:
        (<double*>out)[0] = value / divisor if reduction.operation == MEAN else value


cdef inline char* element(const Registers* registers, const Reduction* reduction, Py_ssize_t number) noexcept nogil:
    return registers.base[reduction.value] + number * (4 if reduction.single else 8)


cdef void reduce_run(
        const Pass* work, Registers* registers, Py_ssize_t begin, Py_ssize_t n, double* accumulators) noexcept nogil:
    """All steps for a run, or a part of it, and its reductions: halved as in `reduction_loops.h`."""
    cdef double second_half[MOST_REDUCTIONS]
    cdef const Reduction* reduction
    cdef Py_ssize_t half
    cdef int i
    if n > RUN:
        half = (n // 2 + RUN - 1) // RUN * RUN
        reduce_run(work, registers, begin, half, accumulators)
        reduce_run(work, registers, begin + half, n - half, second_half)
        for i in range(work.reductions):
            accumulators[i] = combined(work.reduction[i].operation, accumulators[i], second_half[i])
        return
    run_block(work, registers, begin, n)
    for i in range(work.reductions):
        reduction = &work.reduction[i]
        accumulators[i] = (<const ReductionKernel*>reduction.kernel).start
        (<const ReductionKernel*>reduction.kernel).run(
            element(registers, reduction, 0), n, 4 if reduction.single else 8, &accumulators[i])


cdef void run_groups(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Groups of runs, or of parts of the one run there is."""
    cdef const Pass* work = <const Pass*>context
    cdef double buffer[BUFFER]
    cdef Registers registers
    cdef double accumulators[MOST_REDUCTIONS]
    cdef const Reduction* reduction
    cdef Py_ssize_t group, first, count, row
    cdef int i
    prepare(work, &registers, buffer)
    for group in range(begin, end):
        first = group * work.group
        count = min(<Py_ssize_t>work.group, <Py_ssize_t>work.size - first)
        if work.partial != NULL or work.run > RUN:
            reduce_run(work, &registers, first, count, accumulators)
            for i in range(work.reductions):
                if work.partial != NULL:
                    work.partial[i * work.groups + group] = accumulators[i]
                else:
                    reduction = &work.reduction[i]
                    store(reduction, work.reduction_out[i] + group * (4 if reduction.single else 8), accumulators[i])
            continue
        run_block(work, &registers, first, count)
        for i in range(work.reductions):
            reduction = &work.reduction[i]
            for row in range(count // work.run):
                accumulators[i] = (<const ReductionKernel*>reduction.kernel).start
                (<const ReductionKernel*>reduction.kernel).run(
                    element(&registers, reduction, row * work.run), work.run, 4 if reduction.single else 8,
                    &accumulators[i])
                store(reduction, work.reduction_out[i] + (first // work.run + row) * (4 if reduction.single else 8),
                      accumulators[i])


cdef int finish_reductions(const Pass* work) except -1:
    """Combine the parts of the runs that were cut."""
    cdef const Reduction* reduction
    cdef double value
    cdef int i
    for i in range(work.reductions):
        reduction = &work.reduction[i]
        value = work.partial[i * work.groups]
        if work.groups > 1:
            value = (<const ReductionKernel*>reduction.kernel).start
            (<const ReductionKernel*>kernel_for(reduction.operation, True)).run(
                <char*>(work.partial + i * work.groups), work.groups, sizeof(double), &value)
        store(reduction, work.reduction_out[i], value)
    return 0

"""Elementwise steps on arrays of one shape as one pass over memory, with as many results as are needed.

A `Program` is one function with one result. A block is what a recording has between two steps that are not
elementwise: it may read many arrays and leave several, some of them in memory that is there already, and reduce some
of them at its end. What lies between stays in registers, which are parts of one buffer on the stack. The loops are
those that the ops run one by one, but for arithmetic, of which two steps may be one loop (`arithmetic.h`), and reductions
are cut where `reductions` cuts them, so the results are the same to the bit.

What a block prepares, `passes` runs.
"""

cimport cython
cimport numpy as cnp
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.copies cimport copied
from tapegrad.engines.numpy.kernels import multiply_no_nan
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.loops cimport DEAR_GRAIN, Loop, Loops, run_binary, run_unary
from tapegrad.engines.numpy.passes cimport (
    ADD, ADD_FLOATS, ALIGNED, ARITHMETIC, BUFFER, COPY, EVEN, GAP, JOINED, LINE, MOST_REDUCTIONS, MOST_SPREADS,
    MOST_VALUES, MULTIPLY, MULTIPLY_NO_NAN, MULTIPLY_NO_NAN_BY, NEGATE, NOTHING, SUBTRACT, SUBTRACT_FROM, Instruction,
    Pass, Reduction, arithmetic_at, find_streams, finish_reductions, kernel_for, run_groups, run_instructions, set_spread)
from tapegrad.engines.numpy.programs cimport CALL, FROM_BOOL, SELECT, Program, Step, is_one_number
from tapegrad.engines.numpy.reductions cimport FEW, MIN, MOST_PARTS, PART, SHORT, SUM, Operation, reduce
from tapegrad.engines.numpy.threads cimport parallel

cnp.import_array()

cdef extern from "reductions.h" nogil:
    enum:
        RUN "TAPEGRAD_RUN"      # elements that are reduced in lanes; longer runs are halved

cdef enum:
    MOST_AXES = 64
    LONGEST = 2048              # elements of a block
    ROOMY = 1024                # elements from which registers are few, so that blocks are long
    FEW_REGISTERS = 10
    FEW_WITH_REDUCTIONS = 7          # where a register holds a run of a reduction
    MOST_REGISTERS = 900
    STREAMED = 65536            # elements from which it pays to ask ahead of time: fewer are in a near cache
    TURNED = 4096               # elements from which a transposed operand is copied as a whole

OPERATIONS = {
    np.add: ADD, np.subtract: SUBTRACT, np.multiply: MULTIPLY, np.negative: NEGATE, multiply_no_nan: MULTIPLY_NO_NAN}
# What a second step computes of its operands in the other order.
TURNED_STEPS = {SUBTRACT: SUBTRACT_FROM, MULTIPLY_NO_NAN: MULTIPLY_NO_NAN_BY}


cdef int operation_of(Loops loops, Loop* loop) except -2:
    """Which arithmetic on floats a loop does; -1 for other loops."""
    return OPERATIONS.get(loops.ufunc, -1) if loop.out_type == cnp.NPY_FLOAT or loop.out_type == cnp.NPY_DOUBLE else -1


cdef bint all_even(Program program):
    for loops in program.keep:
        if not (<Loops>loops).even:
            return False
    return True


cdef int check(bint fits) except -1:
    if not fits:
        raise ValueError("the steps of a block do not fit together")
    return 0


@cython.final
cdef class Block:
    def __init__(self, tuple shape not None, int sources, list steps not None, list results not None, list descrs not None,
                 list reductions=[], dict written={}):
        """
        Args:
            shape: of all results; sources may be broadcast to it.
            sources: how many arrays are read.
            steps: (Program, number of its step, operands), or (pair of Loops and type number, None, operands). Operands
                are values: first the sources, then the results of the steps.
            results: the steps whose results are outputs.
            descrs: the dtypes of the outputs, and then of the reductions.
            reductions: (step, operation, elements of a run, shape of the result): reductions of runs of a step's result.
            written: output -> the sources that may lie in the same memory, for outputs that are written in place.

        Raises ValueError if there are too many values, or too many are needed at once, or if a reduction would not give
        the bits that `reductions` gives.
        """
        cdef Instruction* instruction
        cdef int i, j, value, cost = 0, most_registers
        cdef bint all_are_even = True
        cdef list last_use = [-1] * len(steps), place = [-1] * len(steps), free = [], copied_results, all_operands
        check(len(shape) <= MOST_AXES and 0 <= sources <= MOST_VALUES and len(results) + len(reductions) == len(descrs))
        for value in results:
            check(0 <= value < len(steps))
        check(all([isinstance(descr, np.dtype) for descr in descrs]) and len(reductions) <= MOST_REDUCTIONS)
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
        self.reductions = len(reductions)
        self.keep = []
        self.origins = []
        self.places = []
        self.widest = 1
        self.steps = <Instruction*>PyMem_Calloc(max(<int>(len(steps) + len(results)), 1), sizeof(Instruction))
        self.reduction = <Reduction*>PyMem_Calloc(max(self.reductions, 1), sizeof(Reduction))
        self.loose = <bint*>PyMem_Calloc(max(sources, 1), sizeof(bint))
        if self.steps == NULL or self.reduction == NULL or self.loose == NULL:
            raise MemoryError()
        for i, (origin, number, operands) in enumerate(steps):
            check(0 < len(operands) <= 3)
            for value in operands:
                check(0 <= value < sources + i)
            self.set_instruction(&self.steps[i], origin, number, operands)
        for value, _, _, _ in reductions:
            check(0 <= value < len(steps))
        all_operands = self.join_arithmetic({*results, *[value for value, _, _, _ in reductions]})
        copied_results = self.place_results(all_operands, results, reductions, written, last_use, place)
        most_registers = FEW_WITH_REDUCTIONS if reductions else FEW_REGISTERS
        if self.size < ROOMY and not reductions:
            most_registers = max(most_registers, min(
                <int>MOST_REGISTERS, <int>(BUFFER // (self.size + GAP // 8)), <int>(MOST_VALUES - sources - self.outputs)))
        for i, operands in enumerate(all_operands):
            instruction = &self.steps[i]
            if instruction.kind == JOINED:
                continue
            all_are_even = all_are_even and instruction.even
            self.widest = max(self.widest, instruction.size)
            if instruction.kind == ARITHMETIC:
                instruction.arithmetic = arithmetic_at(
                    instruction.size == sizeof(double), level, instruction.first, instruction.second)
            cost += 4 if instruction.loop != NULL and instruction.loop.grain == DEAR_GRAIN else 1
            for j, value in enumerate(operands):
                instruction.operands[j] = value if value < sources else place[value - sources]
                if value < sources and not instruction.even:
                    self.loose[value] = True
            if place[i] < 0:
                # A register is chosen before those of the operands are free: an operand may be a single number.
                if not free:
                    if self.registers >= most_registers:
                        raise ValueError("too many results are needed at once")
                    free.append(sources + self.outputs + self.registers)
                    self.registers += 1
                place[i] = free.pop()
            instruction.target = place[i]
            for value in set(operands):
                if value >= sources and last_use[value - sources] == i and place[value - sources] >= sources + self.outputs:
                    free.append(place[value - sources])
            if last_use[i] < 0 and place[i] >= sources + self.outputs:
                free.append(place[i])
        self.length = len(steps)
        for value, i in copied_results:
            instruction = &self.steps[self.length]
            instruction.kind = COPY
            instruction.count = 1
            instruction.operands[0] = place[value]
            instruction.target = sources + i
            instruction.size = self.steps[<int>value].size
            self.length += 1
        self.group = 0
        self.reduction_shapes = []
        self.reduction_steps = []
        for i, (value, operation, length, own_shape) in enumerate(reductions):
            self.steps[<int>value].whole = True
            self.set_reduction(&self.reduction[i], place[value], operation, length, descrs[self.outputs + i], all_are_even)
            self.reduction_shapes.append(own_shape)
            self.reduction_steps.append(value)
        if sources + self.outputs + self.registers > MOST_VALUES:
            raise ValueError("too many values")
        self.grain = max(1024, 4 * DEAR_GRAIN // max(cost, 1))

    cdef list place_results(
            self, list all_operands, list results, list reductions, dict written, list last_use, list place):
        """Find the last step that reads each value, and put results into their outputs.

        Returns (value, output) for results that are copied to an output at the end: because what the output held before
        is read after the value is computed, or because the value is an output already.
        """
        cdef list copied_results = []
        cdef int sources = self.sources, i, value
        for i, operands in enumerate(all_operands):
            for value in operands:
                if value >= sources:
                    last_use[value - sources] = i
        for i, value in enumerate(results):
            overwritten = written.get(i, ())
            if value not in results[:i] and not any([
                    any([operand in overwritten for operand in operands]) for operands in all_operands[value + 1:]]):
                place[value] = sources + i
            else:
                copied_results.append((value, i))
                last_use[value] = len(all_operands)
        for value, _, _, _ in reductions:
            last_use[value] = len(all_operands)
        return copied_results

    cdef int set_instruction(self, Instruction* instruction, object origin, object number, list operands) except -1:
        """Fill in what an instruction does."""
        cdef Program program
        cdef Step* step
        cdef Loop* loop
        cdef int operation = -1
        self.keep.append(origin)
        self.origins.append((origin, number))
        self.places.append(operands)
        instruction.count = len(operands)
        if number is None:
            loops, type_num = origin
            loop = (<Loops?>loops).find(type_num)
            if loop == NULL:
                raise ValueError("no loop")
            operation = operation_of(loops, loop)
            instruction.kind = CALL
            instruction.loop = loop
            instruction.even = (<Loops>loops).even
            # Some loops compute otherwise where the step is 0, as it is for a number beside an array. Of an op on
            # numbers alone the first operand has a step, and of a program none.
            if not self.ndim:
                instruction.step = np.dtype(cnp.PyArray_DescrFromType(type_num)).itemsize
            instruction.size = np.dtype(cnp.PyArray_DescrFromType(loop.out_type)).itemsize
        else:
            program = <Program?>origin
            check(0 <= number < program.length)
            step = &program.steps[<int>number]
            instruction.kind = step.kind
            instruction.loop = step.loop
            instruction.even = step.kind != CALL or all_even(program)
            instruction.size = step.size
            if step.kind == CALL:
                for loops in program.keep:
                    if (<Loops>loops).find(step.loop.out_type) == step.loop:
                        operation = operation_of(loops, step.loop)
        if self.size > 1 and operation >= 0:
            instruction.kind = ARITHMETIC
            instruction.even = True
            instruction.first = operation
            instruction.second = NOTHING
        elif self.size == 1 and 0 <= operation <= MULTIPLY:
            instruction.kind = ADD_FLOATS + operation + (3 if instruction.size == sizeof(double) else 0)
        return 0

    cdef list join_arithmetic(self, set needed):
        """The operands of each instruction. Arithmetic whose result nothing but a later step of arithmetic reads becomes a
        part of that one, and has no operands any more; but for ``needed`` steps."""
        cdef list all_operands = list(self.places), last_use = [-1] * len(all_operands), uses = [0] * len(all_operands)
        cdef list first, second
        cdef Instruction* instruction
        cdef Instruction* earlier
        cdef int i, j, place, value
        for i, operands in enumerate(self.places):
            for value in operands:
                if value >= self.sources:
                    last_use[value - self.sources] = i
                    uses[value - self.sources] += 1
        for i, operands in enumerate(self.places):
            instruction = &self.steps[i]
            if instruction.kind != ARITHMETIC:
                continue
            first, second = operands, []
            for place, value in enumerate(operands):
                j = value - self.sources
                earlier = &self.steps[max(j, 0)]
                if (j < 0 or uses[j] != 1 or j in needed or earlier.kind != ARITHMETIC or earlier.second != NOTHING
                        or earlier.size != instruction.size):
                    continue
                # Operands that nothing reads after the earlier step are kept until this one, in place of its result.
                kept = {operand for operand in self.places[j] if operand >= self.sources and last_use[operand - self.sources] == j}
                if j == i - 1 or len(kept) <= 1:
                    first, second = self.places[j], operands[:place] + operands[place + 1:]
                    instruction.second = TURNED_STEPS.get(instruction.first, instruction.first) if place else instruction.first
                    instruction.first = earlier.first
                    earlier.kind = JOINED
                    self.joined += 1
                    all_operands[j] = []
                    break
            instruction.count = 3
            all_operands[i] = (first + first)[:2] + (second or first[:1])
        return all_operands

    cdef int set_reduction(
            self, Reduction* reduction, int value, int operation, cnp.npy_intp length, object descr, bint even) except -1:
        """Prepare a reduction. Raises ValueError where this block would cut it otherwise than `reductions` does."""
        cdef cnp.npy_intp rows
        check(SUM <= operation <= MIN and descr.num in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE) and self.size > 0 and length > 0)
        check(self.size % length == 0)
        reduction.value = value
        reduction.operation = <Operation>operation
        reduction.single = descr.num == cnp.NPY_FLOAT
        reduction.kernel = kernel_for(reduction.operation, not reduction.single)
        reduction.length = length
        reduction.runs = self.size // length
        if self.reductions > 1 and (&self.reduction[0]).length != length:
            raise ValueError("reductions over other axes")
        if reduction.runs == 1:
            self.group = self.size
            if self.size >= 2 * PART:
                self.group = PART
                while self.size > self.group * MOST_PARTS:
                    self.group *= 2
            return 0
        if length < SHORT or reduction.runs < FEW and length >= 2 * PART:
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
        PyMem_Free(self.reduction)
        PyMem_Free(self.loose)

    cdef list run(self, PyObject** arrays, PyObject** targets, int unseen):
        """The outputs for ``arrays``, of the dtypes that the steps are for, and then the reductions.

        ``targets`` has for each output an array to write to, C-contiguous and of its shape and dtype; NULL for a new one.
        No other thread can see the first ``unseen`` of them.
        """
        cdef Pass work
        cdef cnp.ndarray array, out, parts
        cdef list outputs = [], kept = None
        cdef double one_group[MOST_REDUCTIONS]
        cdef double* partial = one_group
        cdef cnp.npy_intp groups
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
        work.reductions = self.reductions
        work.size = self.size
        work.streams = 0
        if self.size >= STREAMED:
            find_streams(&work)
        if not self.choose_length(&work):
            return self.run_by_steps(arrays, targets)
        if self.reductions:
            for i in range(self.reductions):
                out = empty_of(self.descrs[self.outputs + i], self.reduction_shapes[i])
                outputs.append(out)
                work.reduction_out[i] = cnp.PyArray_BYTES(out)
            work.reduction = self.reduction
            work.group = self.group
            work.run = self.reduction.length
            work.partial = NULL
            groups = (self.size + self.group - 1) // self.group
            if self.reduction.runs == 1:
                if groups > 1:
                    parts = np.empty((self.reductions, groups))
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
            if self.reduction.runs == 1:
                finish_reductions(&work)
        elif self.size <= work.block:
            run_instructions(&work, 0, self.size)
        elif in_place:
            # The GIL is kept, so that no other thread reads a value that is half written.
            parallel(run_instructions, &work, self.size, self.grain)
        else:
            with nogil:
                parallel(run_instructions, &work, self.size, self.grain)
        return outputs

    cdef bint choose_length(self, Pass* work):
        """Choose how many elements run at a time, so that registers fit into the buffer. False if none do."""
        cdef Py_ssize_t room
        cdef int i
        # Registers are as wide as their widest element, or as that of an operand that is copied into one.
        work.width = self.widest
        for i in range(work.spreads):
            work.width = max(work.width, work.spread[i].item)
        room = 8 * BUFFER // max(self.registers + work.spreads, 1) - GAP
        if room >= ALIGNED:
            room = (8 * BUFFER - LINE) // max(self.registers + work.spreads, 1) - GAP - LINE
        if self.reductions:
            if room < RUN * work.width:
                return False
            work.block = RUN
        elif room // work.width >= self.size and self.size <= LONGEST:
            work.block = self.size
        else:
            work.block = min(<Py_ssize_t>LONGEST, room // work.width) // EVEN * EVEN
            if work.block <= 0:
                return False
        return True

    cdef list run_by_steps(self, PyObject** arrays, PyObject** targets):
        """The same with each step over whole arrays, for operands that lie in memory in another way than usual."""
        cdef list values = [<object>arrays[i] for i in range(self.sources)], outputs = []
        cdef list held = [<object>targets[i] for i in range(self.outputs) if targets[i] != NULL]
        cdef Program program
        cdef Step* step
        cdef Loop* loop
        cdef object value
        cdef int i
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
        for i in range(self.reductions):
            value = np.ascontiguousarray(np.broadcast_to(values[self.sources + self.reduction_steps[i]], self.shape))
            value = value.reshape(self.reduction[i].runs, self.reduction[i].length)
            result = reduce(<cnp.ndarray>value, 2, MOST_AXES, self.reduction[i].operation)
            outputs.append(np.asarray(result).reshape(self.reduction_shapes[i]))
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

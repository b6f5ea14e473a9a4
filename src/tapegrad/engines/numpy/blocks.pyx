"""Elementwise steps on arrays of one shape as one pass over memory, with as many results as are needed.

A `Program` is one function with one result. A block is what a recording has between two steps that are not
elementwise: it may read many arrays and leave several. What lies between stays in registers, which are parts of one
buffer on the stack. The loops are those that the ops run one by one, so the results are the same to the bit.
"""

cimport cython
cimport numpy as cnp
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.copies cimport copied
from tapegrad.engines.numpy.loops cimport DEAR_GRAIN, Loop, Loops
from tapegrad.engines.numpy.programs cimport (
    CALL, FROM_BOOL, MOST_SOURCES, SELECT, Program, Step, is_one_number, run_from_bool, run_select)
from tapegrad.engines.numpy.threads cimport parallel

cnp.import_array()

cdef enum:
    MOST_AXES = 64
    MOST_VALUES = 256           # sources, outputs and registers together
    LONGEST = 2048              # elements of a block
    BUFFER = 8448               # doubles on the stack
    GAP = 8                     # doubles between registers, so that they do not lie a power of two apart
    ROOMY = 2048                # elements from which registers are few, so that blocks are long
    FEW_REGISTERS = 10
    MANY_REGISTERS = 112
    EVEN = 64                   # loops treat what is left over beside whole vectors otherwise: blocks leave nothing over


cdef int check(bint fits) except -1:
    if not fits:
        raise ValueError("the steps of a block do not fit together")
    return 0


@cython.final
cdef class Block:
    def __init__(self, tuple shape not None, int sources, list steps not None, list results not None, list descrs not None):
        """
        Args:
            shape: of all arrays; sources may also be single numbers.
            sources: how many arrays are read.
            steps: (Program, number of its step, operands), or (pair of Loops and type number, None, operands). Operands
                are values: first the sources, then the results of the steps.
            results: the steps whose results are outputs.
            descrs: the dtypes of the outputs.

        Raises ValueError if there are too many values, or too many are needed at once.
        """
        cdef Program program
        cdef Step* step
        cdef Loop* loop
        cdef int i, j, value, cost = 0, most
        cdef list last = [-1] * len(steps), place = [-1] * len(steps), free = []
        check(len(shape) <= MOST_AXES and 0 <= sources <= MOST_VALUES and len(results) == len(descrs))
        for value in results:
            check(0 <= value < len(steps))
        check(all([isinstance(descr, np.dtype) for descr in descrs]))
        self.shape = shape
        self.ndim = len(shape)
        self.size = 1
        for i in range(self.ndim):
            self.dims[i] = shape[i]
            self.size *= shape[i]
        self.sources = sources
        self.outputs = len(results)
        self.descrs = descrs
        self.length = len(steps)
        self.keep = []
        self.steps = <Micro*>PyMem_Malloc(max(self.length, 1) * sizeof(Micro))
        if self.steps == NULL:
            raise MemoryError()
        most = MANY_REGISTERS if self.size < ROOMY else FEW_REGISTERS
        for i, (_, _, operands) in enumerate(steps):
            check(0 < len(operands) <= 3)
            for value in operands:
                check(0 <= value < sources + i)
                if value >= sources:
                    last[value - sources] = i
        for i, value in enumerate(results):
            place[value] = sources + i
        for i, (origin, number, operands) in enumerate(steps):
            micro = &self.steps[i]
            micro.step = 0
            self.keep.append(origin)
            micro.count = len(operands)
            if number is None:
                loops, type_num = origin
                loop = (<Loops?>loops).find(type_num)
                if loop == NULL:
                    raise ValueError("no loop")
                micro.kind = CALL
                micro.loop = loop
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
            cost += 4 if micro.kind == CALL and micro.loop.grain == DEAR_GRAIN else 1
            for j, value in enumerate(operands):
                micro.operands[j] = value if value < sources else place[value - sources]
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
        if sources + self.outputs + self.registers > MOST_VALUES:
            raise ValueError("too many values")
        self.grain = max(1024, 4 * DEAR_GRAIN // max(cost, 1))

    def __dealloc__(self):
        PyMem_Free(self.steps)

    cdef list run(self, PyObject** arrays):
        """The outputs for ``arrays``, NumPy's arrays of the shape and the dtypes that the steps are for."""
        cdef Pass work
        cdef cnp.ndarray array, out
        cdef list outputs = [], kept = None
        cdef int i
        for i in range(self.sources):
            array = <cnp.ndarray>arrays[i]
            work.strides[i] = cnp.PyArray_ITEMSIZE(array)
            if cnp.PyArray_NDIM(array) == 0 and self.ndim or is_one_number(array):
                work.strides[i] = 0
            if not cnp.PyArray_ISALIGNED(array) or work.strides[i] != 0 and not cnp.PyArray_IS_C_CONTIGUOUS(array):
                array = np.array(array, order="C")
                if kept is None:
                    kept = []
                kept.append(array)
            work.base[i] = cnp.PyArray_BYTES(array)
        for i in range(self.outputs):
            out = new_array(<PyObject*>self.descrs[i], self.ndim, self.dims)
            outputs.append(out)
            work.base[self.sources + i] = cnp.PyArray_BYTES(out)
            work.strides[self.sources + i] = cnp.PyArray_ITEMSIZE(out)
        work.steps = self.steps
        work.length = self.length
        work.fixed = self.sources + self.outputs
        work.registers = self.registers
        work.block = min(<Py_ssize_t>LONGEST, <Py_ssize_t>(BUFFER // max(self.registers, 1) - GAP)) // EVEN * EVEN
        if self.size <= work.block:
            run_micros(&work, 0, self.size)
        else:
            with nogil:
                parallel(run_micros, &work, self.size, self.grain)
        return outputs


cdef struct Pass:
    Micro* steps
    int length
    int fixed                   # values that are arrays
    int registers
    char* base[MOST_VALUES]
    cnp.npy_intp strides[MOST_VALUES]
    Py_ssize_t block            # elements at a time


cdef void run_micros(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Pass* work = <Pass*>context
    cdef double buffer[BUFFER]
    cdef char* base[MOST_VALUES]
    cdef cnp.npy_intp strides[MOST_VALUES]
    cdef char* args[4]
    cdef cnp.npy_intp steps[4]
    cdef cnp.npy_intp n, moves
    cdef Micro* step
    cdef int i, j, place, fixed = work.fixed
    for i in range(fixed):
        base[i] = work.base[i] + begin * work.strides[i]
        strides[i] = work.strides[i]
    for i in range(work.registers):
        base[fixed + i] = <char*>&buffer[i * (work.block + GAP)]
    while begin < end:
        for i in range(work.length):
            step = &work.steps[i]
            n = min(work.block, end - begin)
            moves = 0
            for j in range(step.count):
                place = step.operands[j]
                args[j] = base[place]
                steps[j] = step.step or strides[place]
                moves |= strides[place]
            place = step.target
            args[step.count] = base[place]
            steps[step.count] = step.size
            if place >= fixed:
                # Single numbers give a single number. Many loops are faster with a constant operand.
                strides[place] = step.size if moves else 0
                if not moves:
                    n = 1
            if step.kind == CALL:
                step.loop.function(args, &n, steps, step.loop.data)
            elif step.kind == SELECT:
                run_select(args, n, steps)
            else:
                run_from_bool(args, n, steps)
        n = min(work.block, end - begin)
        for i in range(fixed):
            base[i] += n * strides[i]
        begin += n

"""Compositions of elementwise functions, run in one pass over memory.

A gradient rule such as ``dy * (1 - out * out)`` is traced once (see `tracing`) and becomes a `Program`: a list of inner
loops, and registers for the results between them. It runs over blocks that stay in the innermost cache. Threads share
the blocks where there are many. The result can take the memory of an input that nobody else will read.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.conversions cimport Conversion, from_bool, is_bfloat16, select
from tapegrad.engines.numpy.copies cimport descr_of
from tapegrad.engines.numpy.loops cimport (
    DEAR_GRAIN, HalfConversions, Loop, Loops, half_conversions, run_binary, run_unary)
from tapegrad.engines.numpy.threads cimport parallel
from tapegrad.engines.numpy.types cimport BUILTIN_TYPES

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    bint PyArray_CompareLists(cnp.npy_intp* a, cnp.npy_intp* b, int n) noexcept nogil

cdef enum:
    BLOCK = 8192                # bytes of a register: a few of them fit the innermost cache
    LONGEST = 2048              # elements of a block
    REGISTER = 1032             # doubles: a block and a cache line, so that registers do not lie 8 KB apart
    LINE = 64                   # bytes of a line of the cache, with which registers begin
    SPARE = 8                   # doubles: for that
    HALF_BLOCK = 512            # elements that are widened at a time
    HALF_ROOM = 528             # floats for them, so that neighbours do not touch
    MOST_HALVES = 4             # inputs of bfloat16

FIRST_STEP = MOST_SOURCES
"""An operand that is the result of step ``i`` is ``FIRST_STEP + i``; smaller numbers are sources."""

cdef dict loops_of = {}         # ufunc -> Loops


def loops_for(ufunc):
    """The inner loops of ``ufunc``, looked up once."""
    if ufunc not in loops_of:
        loops_of[ufunc] = Loops(ufunc)
    return loops_of[ufunc]


def result_type(Loops loops not None, cnp.dtype dtype not None):
    """The dtype that the loop for ``dtype`` gives; None where there is no such loop."""
    cdef Loop* loop = loops.find_type(dtype)
    return None if loop == NULL else np.dtype(<object>loop.out_descr)


cdef class Program:
    def __init__(self, list types, list constants, list steps, int result, out_dtype):
        """
        Args:
            types: the dtypes of the inputs.
            constants: arrays without axes, the sources after the inputs.
            steps: (Loops, "select" or "from bool", dtype of the operands, dtype of the result, operands); an operand is
                the number of a source, or of a step counted from FIRST_STEP.
            result: the operand that is the result.
            out_dtype: the dtype of the result.
        """
        cdef int i, j, place, cost = 0
        cdef list last_use = [-1] * len(steps), free = list(range(MOST_REGISTERS)), register = [-1] * len(steps)
        self.inputs = len(types)
        self.constants = constants
        self.keep = []
        self.length = len(steps)
        self.out_dtype = out_dtype
        self.widest = 1
        if len(types) + len(constants) > MOST_SOURCES or len(steps) > MOST_STEPS:
            raise ValueError("too long for a program")
        if steps and result != MOST_SOURCES + len(steps) - 1:
            raise ValueError("the last step is not the result")
        self.passes = result if not steps else -1
        for i in range(len(types)):
            self.types[i] = types[i].num
        for i, (_, _, _, operands) in enumerate(steps):
            for place in operands:
                if place >= MOST_SOURCES:
                    last_use[place - MOST_SOURCES] = i
        for i, (kind, type_, gives, operands) in enumerate(steps):
            step = &self.steps[i]
            if isinstance(kind, Loops):
                self.keep.append(kind)
                step.kind = CALL
                step.loop = (<Loops>kind).find_type(type_)
                cost += 1 if step.loop.grain != DEAR_GRAIN else 4
            else:
                step.kind = {"select": SELECT, "from bool": FROM_BOOL}[kind]
                cost += 1
            step.count = len(operands)
            step.size = gives.itemsize
            for j, place in enumerate(operands):
                step.operands[j] = place if place < MOST_SOURCES else MOST_SOURCES + <int>register[place - MOST_SOURCES]
            # A register is chosen before those of the operands are free: an operand may be one number for all elements.
            if i < len(steps) - 1:
                if not free:
                    raise ValueError("too many results are needed at once for a program")
                register[i] = step.target = free.pop()
                self.widest = max(self.widest, step.size)
            else:
                step.target = -1
            for place in set(operands):
                if place >= MOST_SOURCES and last_use[place - MOST_SOURCES] == i:
                    free.append(register[place - MOST_SOURCES])
        self.grain = max(1024, 4 * DEAR_GRAIN // max(cost, 1))

    cdef object run(self, PyObject** arrays, int reusable):
        """The result for ``arrays``, NumPy's arrays of the types the program is for; None where shapes do not fit.

        The result may take the memory of the input with index ``reusable``, unless that is negative.
        """
        cdef Pass work
        cdef cnp.ndarray array, shaped = None, out
        cdef int i
        if self.passes >= 0:
            return <object>arrays[self.passes]
        for i in range(self.inputs):
            array = <cnp.ndarray>arrays[i]
            if not cnp.PyArray_ISALIGNED(array):
                return self.run_by_steps(arrays)
            work.sources[i] = cnp.PyArray_BYTES(array)
            if cnp.PyArray_NDIM(array) == 0:
                work.strides[i] = 0
            else:
                if cnp.PyArray_IS_C_CONTIGUOUS(array):
                    work.strides[i] = cnp.PyArray_ITEMSIZE(array)
                elif is_one_number(array):
                    work.strides[i] = 0
                else:
                    return self.run_by_steps(arrays)
                if shaped is None:
                    shaped = array
                elif (cnp.PyArray_NDIM(shaped) != cnp.PyArray_NDIM(array)
                        or not PyArray_CompareLists(cnp.PyArray_DIMS(shaped), cnp.PyArray_DIMS(array),
                                                    cnp.PyArray_NDIM(array))):
                    return self.run_by_steps(arrays)
        for i in range(len(self.constants)):
            array = <cnp.ndarray>self.constants[i]
            work.sources[self.inputs + i] = cnp.PyArray_BYTES(array)
            work.strides[self.inputs + i] = 0
        if shaped is None:
            shaped = <cnp.ndarray>arrays[0]
        out = None
        if reusable >= 0:
            array = <cnp.ndarray>arrays[reusable]
            if (cnp.PyArray_TYPE(array) == self.out_dtype.num
                    and cnp.PyArray_NDIM(array) == cnp.PyArray_NDIM(shaped)):
                out = array
        if out is None:
            out = new_array(<PyObject*>self.out_dtype, cnp.PyArray_NDIM(shaped), cnp.PyArray_DIMS(shaped))
        work.steps = self.steps
        work.length = self.length
        work.out = cnp.PyArray_BYTES(out)
        work.out_size = self.out_dtype.itemsize
        work.block = min(<Py_ssize_t>LONGEST, <Py_ssize_t>(BLOCK // self.widest))
        if cnp.PyArray_SIZE(shaped) <= work.block:
            run_blocks(&work, 0, cnp.PyArray_SIZE(shaped))
        else:
            with nogil:
                parallel(run_blocks, &work, cnp.PyArray_SIZE(shaped), self.grain)
        return out

    cdef object run_widened(self, PyObject** arrays):
        cdef HalfPass work
        cdef cnp.ndarray array, shaped = None, out
        cdef PyObject* half = NULL
        cdef int i, count = 0
        if self.passes >= 0:
            return None
        work.plain = self.out_dtype.num == cnp.NPY_FLOAT
        work.rounds = work.plain
        for i in range(self.inputs):
            array = <cnp.ndarray>arrays[i]
            if not (cnp.PyArray_IS_C_CONTIGUOUS(array) and cnp.PyArray_ISALIGNED(array)):
                return None
            work.halves[i] = is_bfloat16(array)
            if work.halves[i]:
                half = descr_of(array)
                count += 1
            work.inner.sources[i] = cnp.PyArray_BYTES(array)
            work.inner.strides[i] = 0
            if cnp.PyArray_NDIM(array) != 0:
                work.inner.strides[i] = cnp.PyArray_ITEMSIZE(array)
                work.plain = work.plain and work.halves[i]
                if shaped is None:
                    shaped = array
                elif not cnp.PyArray_SAMESHAPE(shaped, array):
                    return None
        if count == 0 or count > MOST_HALVES:
            return None
        for i in range(len(self.constants)):
            array = <cnp.ndarray>self.constants[i]
            work.inner.sources[self.inputs + i] = cnp.PyArray_BYTES(array)
            work.inner.strides[self.inputs + i] = 0
        if shaped is None:
            shaped = <cnp.ndarray>arrays[0]
        out = new_array(half if work.rounds else <PyObject*>self.out_dtype, cnp.PyArray_NDIM(shaped),
                        cnp.PyArray_DIMS(shaped))
        work.inputs = self.inputs
        work.conversions = half_conversions()
        work.inner.steps = self.steps
        work.inner.length = self.length
        work.inner.out = cnp.PyArray_BYTES(out)
        work.inner.out_size = self.out_dtype.itemsize
        work.inner.block = HALF_BLOCK
        if cnp.PyArray_SIZE(shaped) <= HALF_BLOCK:
            run_half_blocks(&work, 0, cnp.PyArray_SIZE(shaped))
        else:
            with nogil:
                parallel(run_half_blocks, &work, cnp.PyArray_SIZE(shaped), self.grain)
        return out

    cdef object run_by_steps(self, PyObject** arrays):
        """The same for inputs that broadcast or are not contiguous: each step runs over whole arrays."""
        cdef list registers = [None] * MOST_REGISTERS, operands
        cdef Step* step
        cdef int i, j
        cdef object result = None
        for i in range(self.length):
            step = &self.steps[i]
            operands = []
            for j in range(step.count):
                if step.operands[j] >= MOST_SOURCES:
                    operands.append(registers[step.operands[j] - MOST_SOURCES])
                elif step.operands[j] >= self.inputs:
                    operands.append(self.constants[step.operands[j] - self.inputs])
                else:
                    operands.append(<object>arrays[step.operands[j]])
            try:
                result = run_step(step, operands)
            except ValueError:
                return None
            if step.target >= 0:
                registers[step.target] = result
        return result

    def __call__(self, *arrays):
        """For tests: the result for ``arrays``, all inputs left as they are."""
        cdef PyObject* pointers[MOST_SOURCES]
        cdef int i
        if len(arrays) != self.inputs:
            raise TypeError(f"the program takes {self.inputs} arrays, {len(arrays)} came")
        for i in range(self.inputs):
            if not isinstance(arrays[i], cnp.ndarray) or cnp.PyArray_TYPE(arrays[i]) != self.types[i]:
                raise TypeError(f"array {i} is not of the type that the program is for")
            pointers[i] = <PyObject*>arrays[i]
        return self.run(pointers, -1)


cdef object run_step(Step* step, list operands):
    """The step on whole arrays. A ValueError says that their shapes do not fit."""
    if step.kind == SELECT:
        return np.asarray(np.where(*operands))
    if step.kind == FROM_BOOL:
        return np.asarray(operands[0].astype(np.float32 if step.size == 4 else np.float64))
    if step.count == 1:
        return run_unary(step.loop, operands[0])
    return run_binary(step.loop, operands[0], operands[1])


cdef bint is_one_number(cnp.ndarray array) noexcept:
    """Whether all elements of the array are one number in memory, as in the gradient of a sum."""
    cdef int i
    for i in range(cnp.PyArray_NDIM(array)):
        if cnp.PyArray_STRIDES(array)[i] != 0:
            return False
    return True


cdef class Programs:
    def __cinit__(self, trace):
        self.trace = trace
        self.programs = []
        self.types = []
        self.last_count = -1
        self.of_halves = {}

    cdef Program find(self, PyObject** arrays, int count):
        """The program for arguments like ``arrays``, objects of any kind; None where there is none."""
        cdef int i
        cdef bint same = count == self.last_count
        if count == 0 or count > MOST_SOURCES:
            return None
        for i in range(count):
            if not isinstance(<object>arrays[i], cnp.ndarray):
                return None
            same = same and cnp.PyArray_TYPE(<cnp.ndarray>arrays[i]) == self.last_types[i]
        if same:
            return self.last
        key = tuple([cnp.PyArray_TYPE(<cnp.ndarray>arrays[i]) for i in range(count)])
        if key not in self.types:
            if max(key) >= BUILTIN_TYPES:
                self.programs.append(None)
            else:
                self.programs.append(self.trace([(<cnp.ndarray>arrays[i]).dtype for i in range(count)]))
            self.types.append(key)
        self.last = self.programs[self.types.index(key)]
        self.last_count = count
        for i in range(count):
            self.last_types[i] = key[i]
        return self.last


    cdef Program find_of_halves(self, PyObject** arrays, int count, bint widened):
        cdef bint has_halves = False
        cdef int i
        if count == 0 or count > MOST_SOURCES:
            return None
        for i in range(count):
            if not isinstance(<object>arrays[i], cnp.ndarray):
                return None
            has_halves = has_halves or is_bfloat16(<cnp.ndarray>arrays[i])
        if not has_halves:
            return None
        key = (widened, *[cnp.PyArray_TYPE(<cnp.ndarray>arrays[i]) for i in range(count)])
        if key not in self.of_halves:
            types = [(<cnp.ndarray>arrays[i]).dtype for i in range(count)]
            if widened:
                types = [np.dtype(np.float32) if is_bfloat16(<cnp.ndarray>arrays[i]) else types[i] for i in range(count)]
            # Other types that are not NumPy's own have no loops, so that tracing fails.
            self.of_halves[key] = self.trace(types)
        return self.of_halves[key]


cdef struct Pass:
    Step* steps
    int length
    char* sources[MOST_SOURCES]
    cnp.npy_intp strides[MOST_SOURCES]
    char* out
    Py_ssize_t out_size
    Py_ssize_t block            # elements at a time


cdef void run_blocks(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Pass* work = <Pass*>context
    cdef double buffer[MOST_REGISTERS * REGISTER + SPARE]
    cdef char* registers = <char*>buffer + (-<Py_ssize_t><char*>buffer & (LINE - 1))
    cdef char* args[4]
    cdef cnp.npy_intp steps[4]
    cdef cnp.npy_intp strides[MOST_REGISTERS]
    cdef cnp.npy_intp n, moves
    cdef Step* step
    cdef int i, j, place
    while begin < end:
        for i in range(work.length):
            step = &work.steps[i]
            n = min(work.block, end - begin)
            moves = 0
            for j in range(step.count):
                place = step.operands[j]
                if place >= MOST_SOURCES:
                    args[j] = registers + (place - MOST_SOURCES) * REGISTER * 8
                    steps[j] = strides[place - MOST_SOURCES]
                else:
                    args[j] = work.sources[place] + begin * work.strides[place]
                    steps[j] = work.strides[place]
                moves |= steps[j]
            if step.target >= 0:
                args[step.count] = registers + step.target * REGISTER * 8
                # Single numbers give a single number. Many loops are faster with a constant operand.
                strides[step.target] = step.size if moves else 0
                if not moves:
                    n = 1
            else:
                args[step.count] = work.out + begin * work.out_size
            steps[step.count] = step.size
            if step.kind == CALL:
                step.loop.function(args, &n, steps, step.loop.data)
            elif step.kind == SELECT:
                run_select(args, n, steps)
            else:
                run_from_bool(args, n, steps)
        begin += work.block


cdef struct HalfPass:
    Pass inner                  # its sources are those of the whole pass
    int inputs
    bint halves[MOST_SOURCES]   # which inputs are
    bint plain                  # nothing but halves and single numbers comes and goes: their order does not matter
    bint rounds                 # the results become halves
    HalfConversions conversions


cdef void run_half_blocks(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef HalfPass* work = <HalfPass*>context
    cdef Pass inner = work.inner
    cdef float room[(MOST_HALVES + 1) * HALF_ROOM]
    cdef float* free
    cdef Py_ssize_t n
    cdef int i
    while begin < end:
        n = min(<Py_ssize_t>HALF_BLOCK, end - begin)
        free = room + HALF_ROOM
        for i in range(work.inputs):
            inner.sources[i] = work.inner.sources[i] + begin * work.inner.strides[i]
            if work.halves[i]:
                (work.conversions.spread if work.plain else work.conversions.widen)(
                    <char*>free, inner.sources[i], n if work.inner.strides[i] != 0 else 1)
                inner.sources[i] = <char*>free
                inner.strides[i] = sizeof(float) if work.inner.strides[i] != 0 else 0
                free += HALF_ROOM
        inner.out = <char*>room if work.rounds else work.inner.out + begin * work.inner.out_size
        run_blocks(&inner, 0, n)
        if work.rounds:
            (work.conversions.gather if work.plain else work.conversions.round)(
                work.inner.out + 2 * begin, <char*>room, n)
        begin += n


cdef void run_select(char** args, cnp.npy_intp n, cnp.npy_intp* steps) noexcept nogil:
    """What `where` does: condition, x and y, and the result; ``steps`` of 0 are those of single numbers."""
    cdef cnp.npy_intp i
    if steps[0] != 0 or n == 1:
        select(args[3], args[0], args[1], steps[1] == 0, args[2], steps[2] == 0, n, steps[3])
        return
    for i in range(n):
        select(args[3] + i * steps[3], args[0], args[1] + i * steps[1], True, args[2] + i * steps[2], True, 1, steps[3])


cdef void run_from_bool(char** args, cnp.npy_intp n, cnp.npy_intp* steps) noexcept nogil:
    cdef Conversion convert = from_bool(<int>steps[1])
    cdef cnp.npy_intp i
    if steps[0] != 0 or n == 1:
        convert(args[1], args[0], n)
        return
    for i in range(n):
        convert(args[1] + i * steps[1], args[0], 1)

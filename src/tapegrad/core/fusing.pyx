"""Elementwise fusion: steps of one shape become blocks, each one pass over memory.

A compiler pass, run by `core.compiling`. `Fuser` goes through the steps once, in their order:

1. `fusion_role` says for each step how it may be part of a block: as a call of a loop, as a program of loops, as a
   reduction at the end, as a write of a variable, or not at all.
2. There is one open block for each shape. A step with a role joins the open block of its shape.
3. A step that reads what an open block computes, and cannot join it, closes that block: it comes into the result there.
4. A step with an effect, or with a guard, closes all blocks. Any other step without a role goes straight into the
   result, so it may run before steps of open blocks, of which it reads nothing.
5. A block is closed too when it is full, or when it would keep too many large arrays waiting.
6. `BlockBuilder` makes one step of a closed block: it numbers the instructions, leaves out those that compute a
   constant, an operand or what another one has computed, and finds results that may be written over an operand.
7. Where the engine refuses the block (too many values), its two halves are tried.

    steps                     open blocks                          result
    a = x * y      [100]      [100]: a
    p = u + v      [7]        [100]: a     [7]: p
    b = sin(a)     [100]      [100]: a b   [7]: p
    m = matmul(w, p)          [100]: a b                           p = u + v;  m = matmul(w, p)
    s = sum(b)     []         [100]: a b s                         the same
    (the end)                                                      the same;  s = block(x, y)
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

import numpy as np

from tapegrad.core.additions cimport update_of
from tapegrad.core.plans cimport MAX_ASKS, Call
from tapegrad.core.steps cimport (
    ADD, ASSIGN, BINARY, FUSED, NO_EFFECT, OP, PRODUCT, READ, READS, RULE, SUBTRACT, SUM, UNARY, WRITES, Path, Step,
    element_count, slots_read_by, type_and_shape)
from tapegrad.core.tensor cimport EagerTensor, wrap
from tapegrad.core.variable cimport VariableBase
from tapegrad.engines.numpy import kernels
from tapegrad.engines.numpy.blocks cimport Block, all_even
from tapegrad.engines.numpy.loops cimport Loop, Loops, run_binary, run_unary
from tapegrad.engines.numpy.programs import loops_for
from tapegrad.engines.numpy.programs cimport CALL, MOST_SOURCES, Program, Programs, is_one_number
from tapegrad.engines.numpy.reductions cimport FEW as MANY_RUNS, PART, SHORT, operation_of

cnp.import_array()

cdef enum:
    MOST_INSTRUCTIONS = 200     # of a block
    MOST_IF_SMALL = 800         # of a block of few elements
    SMALL = 8                   # elements
    LARGE = 8192                # elements of arrays of which a block reads few, as they are kept until it runs
    MOST_LARGE = 6
    LONGEST_GROUP = 1024        # elements that are reduced together
    MOST_REDUCTIONS = 8
    EVEN = 64
    LEAST_STEPS = 2             # of a block, but for one step that may write over an operand
    HEAVY = 65_536              # bytes of results for which a pass over fresh memory shows

# Types whose loops never fail and need no look at what they give.
cdef set TYPES = {cnp.NPY_BOOL, cnp.NPY_FLOAT, cnp.NPY_DOUBLE}

UPDATES = {ADD: loops_for(np.add), SUBTRACT: loops_for(np.subtract)}

cdef Loops MULTIPLY = loops_for(np.multiply), POWER = loops_for(kernels.power), SQUARE = loops_for(np.square)
cdef Loops MULTIPLY_NO_NAN = loops_for(kernels.multiply_no_nan)


cdef bint is_loop(Loop* loop, Loops loops, int type_num) noexcept:
    """Whether ``loop`` is the inner loop that ``loops`` has for the type. Another op may have it in its own table."""
    cdef Loop* other = loops.find(type_num)
    return other != NULL and loop.function == other.function and loop.data == other.data


cdef object scalar_of(object array):
    """The value of a floating-point array that repeats one scalar; None for another array."""
    if not isinstance(array, cnp.ndarray) or cnp.PyArray_TYPE(<cnp.ndarray>array) not in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE):
        return None
    if not is_one_number(<cnp.ndarray>array) or cnp.PyArray_SIZE(<cnp.ndarray>array) == 0:
        return None
    return float(array.flat[0])


cdef bint returns_operand(Loop* loop, int number, object other):
    """Whether a loop returns its operand with this number unchanged, because the other operand is 1."""
    cdef int type_num
    if scalar_of(other) != 1.0:
        return False
    type_num = cnp.PyArray_TYPE(<cnp.ndarray>other)
    return is_loop(loop, MULTIPLY, type_num) or number == 0 and (
        is_loop(loop, POWER, type_num) or is_loop(loop, MULTIPLY_NO_NAN, type_num))


cdef class FusedSteps:
    cdef int keep_dead_readings(self, list dead_slots) except -1:
        """Have variables written in place only where nothing reads their former values after this step."""
        self.readings = [[slot for slot in slots if slot in dead_slots] for slots in self.readings]
        return 0

    def describe(self):
        """For people: what is done at once."""
        functions = f"{self.step_count} elementwise functions" if self.step_count > 1 else "an elementwise function"
        parts = [f"{functions} of {list(self.block.shape)}"]
        if self.block.reductions:
            parts.append(f"{self.block.reductions} reductions" if self.block.reductions > 1 else "a reduction")
        count = len(self.written) + len(self.shared)
        if count:
            parts.append(f"{count} updates of variables" if count > 1 else "an update of a variable")
        return ", ".join(parts)


# --- How a step may be part of a block ----------------------------------------------------------------------

cdef class Reduction:
    """The role of a step that reduces runs of elements at the end of a block."""

    cdef int operation
    cdef Py_ssize_t length      # elements of each run
    cdef tuple shape            # of the result
    cdef tuple operand_shape


cdef object fusion_role(Path path, Step step):
    cdef Program program
    cdef int i
    cdef tuple shape, info
    cdef bint is_broadcast = False
    if not step.safe or step.paused or step.nested is not None or step.other_paths is not None:
        return None
    if step.kind == ASSIGN or step.kind == ADD or step.kind == SUBTRACT:
        return update_of(path, step)
    if step.kind not in (BINARY, UNARY, RULE, OP, SUM) or step.results != 1 or step.targets[0] < 0 or step.effect != 0:
        return None
    if step.kind == SUM or step.kind == OP and step.count == 1 and step.op.lane is not None:
        return reduction_of(path, step)
    info = type_and_shape(path, step.targets[0])
    shape = info[1]
    if info[0] not in TYPES or len(shape) > 32:
        return None
    for i in range(step.count):
        info = type_and_shape(path, step.places[i])
        if info is None or info[0] not in TYPES:
            return None
        if info[1] != shape and info[1] != ():
            if not broadcasts_to(info[1], shape):
                return None
            is_broadcast = True     # so the loops must be even: blind to where in a row an element lies
    if step.kind == BINARY or step.kind == UNARY:
        if step.op.loops is None or is_broadcast and not step.op.loops.even:
            return None
        return (step.op.loops, type_and_shape(path, step.places[0])[0])
    program = program_of(path, step)
    if (program is None or program.passes >= 0 or program.out_dtype.num != type_and_shape(path, step.targets[0])[0]
            or is_broadcast and not all_even(program)):
        return None
    return program


cdef Program program_of(Path path, Step step):
    """The elementwise program of a step; None if it has none."""
    cdef Programs programs
    cdef list arrays
    cdef PyObject* pointers[MAX_ASKS]
    cdef int i
    if step.nested is not None or step.count > MAX_ASKS or step.results != 1:
        return None
    if step.kind == RULE:
        if (<Call>step.detail).fast is not None:
            return None
        programs = (<Call>step.detail).programs
    elif step.op.pointwise and step.op.lane is None and not step.attributes and not step.op.list_output:
        programs = step.op.programs
    else:
        return None
    if programs is None:
        return None
    arrays = []
    for i in range(step.count):
        info = type_and_shape(path, step.places[i])
        if info is None or info[0] not in TYPES:
            return None
        arrays.append(np.empty(0, np.dtype(cnp.PyArray_DescrFromType(info[0]))))
        pointers[i] = <PyObject*>arrays[i]
    return programs.find(pointers, step.count)


cdef bint broadcasts_to(tuple shape, tuple result_shape):
    """Whether an operand of the shape is broadcast to the shape of the result."""
    cdef int extra = <int>len(result_shape) - <int>len(shape), i
    if extra < 0:
        return False
    for i in range(len(shape)):
        if shape[i] != result_shape[i + extra] and shape[i] != 1:
            return False
    return True


cdef Reduction reduction_of(Path path, Step step):
    """The step as a reduction of runs at the end of a block; None if it is none, or is done in another way."""
    cdef tuple info = type_and_shape(path, step.places[0]), result_info = type_and_shape(path, step.targets[0])
    cdef tuple shape
    cdef uint64_t mask = 0      # the axes that are reduced
    cdef int operation = 0, extra, i
    cdef Py_ssize_t length = 1, runs = 1, rows = 1
    cdef Reduction reduction
    if info is None or info[0] not in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE) or result_info[0] != info[0]:
        return None
    shape = info[1]
    if step.kind == SUM:
        extra = <int>len(shape) - <int>len(<tuple>step.detail)
        for i in range(len(shape)):
            if i < extra or shape[i] != 1 and (<tuple>step.detail)[i - extra] == 1:
                mask |= <uint64_t>1 << i
    else:
        operation, mask = operation_of(step.op.lane, step.attributes, <int>len(shape))
    if operation < 0 or mask == 0:
        return None
    for i in range(len(shape)):
        if mask >> i & 1:
            length *= shape[i]
        elif shape[i] != 1:
            if length != 1:
                return None
            runs *= shape[i]
    if length * runs == 0:
        return None
    if runs > 1:
        if length < SHORT or runs < MANY_RUNS and length >= 2 * PART:
            return None
        while rows * length % EVEN != 0:
            rows += 1
        if rows > 1 and rows * length > LONGEST_GROUP:
            return None
    reduction = Reduction.__new__(Reduction)
    reduction.operation = operation
    reduction.length = length
    reduction.shape = result_info[1]
    reduction.operand_shape = shape
    return reduction


# --- Which steps come together ------------------------------------------------------------------------------

cdef class OpenBlock:
    """A block to which steps may still be added."""

    cdef tuple shape
    cdef list numbers           # of the steps
    cdef set filled             # slots that they fill
    cdef set reduced            # those of them that are results of reductions, which no step of the block may read
    cdef dict new_values        # id of a variable -> the slot of the value that the block writes to it
    cdef set large_sources      # slots of the block's shape that it reads, if that is large
    cdef bint is_large
    cdef Py_ssize_t run_length  # of the runs that are reduced
    cdef int instructions, reductions, most_instructions

    def __init__(self, tuple shape):
        self.large_sources = set()
        self.is_large = element_count(shape) >= LARGE
        self.shape = shape
        self.numbers = []
        self.filled = set()
        self.reduced = set()
        self.new_values = {}
        self.most_instructions = MOST_IF_SMALL if element_count(shape) <= SMALL else MOST_INSTRUCTIONS


cdef list fuse(Path path, list steps, list roles, set escaping):
    cdef Fuser fuser = Fuser(path, steps, roles, escaping)
    cdef int i
    for i in range(len(steps)):
        fuser.add(i)
    fuser.close_all()
    return fuser.result


cdef class Fuser:
    """Goes through the steps in their order, with one open block for each shape."""

    cdef Path path
    cdef list steps, roles, result
    cdef set escaping           # slots that are read after the path, or on paths that leave it
    cdef dict open_blocks       # shape -> OpenBlock
    cdef dict producer          # slot -> the OpenBlock that fills it
    cdef dict consumers         # slot -> numbers of the steps that read it
    cdef dict readings          # slot -> the variable that was read into it
    cdef set filled             # slots that steps fill

    def __init__(self, Path path, list steps, list roles, set escaping):
        cdef Step step
        cdef int i, target
        self.path = path
        self.steps = steps
        self.roles = roles
        self.result = []
        self.escaping = escaping
        self.open_blocks = {}
        self.producer = {}
        self.consumers = {}
        self.readings = {}
        self.filled = set()
        for i in range(len(steps)):
            step = steps[i]
            for target in range(step.results):
                self.filled.add(step.targets[target])
            for slot in slots_read_by(step):
                self.consumers.setdefault(slot, set()).add(i)
            if step.kind == READ:
                self.readings[step.targets[0]] = step.detail

    cdef OpenBlock block_that_fills(self, int place):
        """The open block that fills the slot; None where there is none."""
        cdef OpenBlock block = self.producer.get(place)
        return block if block is not None and self.open_blocks.get(block.shape) is block else None

    cdef OpenBlock block_that_writes(self, object variable):
        """The open block that writes the variable; None where there is none."""
        cdef OpenBlock block
        for block in self.open_blocks.values():
            if id(variable) in block.new_values:
                return block
        return None

    cdef int add(self, int i) except -1:
        """Add a step to an open block, or to the result."""
        cdef Step step = self.steps[i]
        cdef tuple shape
        if step.kind == READ and self.add_reading(i, step):
            return 0
        shape = self.shape_of_block(i, step)
        self.close_blocks_before(step, shape)
        if shape is not None:
            return self.add_to_block(i, step, shape)
        if step.effect > READS or step.effect == READS and step.kind != READ or step.other_paths or step.pending:
            self.close_all()
        self.result.append(step)
        return 0

    cdef bint add_reading(self, int i, Step step) except -1:
        """Add the reading of a variable to the open block that writes it. False where there is none."""
        cdef OpenBlock block = self.block_that_writes(step.detail)
        if block is None:
            return False
        # Steps of the block read what it writes; others wait for the block.
        block.numbers.append(i)
        block.filled.add(step.targets[0])
        self.producer[step.targets[0]] = block
        return True

    cdef tuple shape_of_block(self, int i, Step step):
        """The shape of the block that the step joins. None where it joins none: then it has no role any more."""
        cdef object role = self.roles[i]
        cdef OpenBlock block, writer
        cdef tuple shape
        if type(role) is Reduction:
            block = self.block_that_fills(step.places[0]) if step.places[0] >= 0 else None
            if (block is None or step.places[0] in block.reduced or block.shape != (<Reduction>role).operand_shape
                    or block.reductions == MOST_REDUCTIONS
                    or block.reductions and block.run_length != (<Reduction>role).length):
                self.roles[i] = None
                return None
            return block.shape
        if type(role) is int:
            shape = type_and_shape(self.path, step.places[0])[1]
            writer = self.block_that_writes(step.detail)
            if writer is not None:
                self.close(writer)
            block = self.block_that_fills(step.places[0]) if step.places[0] >= 0 else None
            if block is not None and (block.shape != shape or step.places[0] in block.reduced):
                block = None
            if role == ASSIGN and block is None:
                self.roles[i] = None
                return None
            return shape
        return None if role is None else type_and_shape(self.path, step.targets[0])[1]

    cdef int close_blocks_before(self, Step step, tuple shape) except -1:
        """Close the blocks that have to run before the step, which joins the block of ``shape``, or none."""
        cdef OpenBlock block
        for slot in slots_read_by(step):
            block = self.block_that_fills(slot)
            if block is not None and (shape is None or block.shape != shape or slot in block.reduced):
                self.close(block)
        if step.kind == PRODUCT and step.effect == NO_EFFECT:
            # Blocks that read what the product is added to come before it.
            for block in list(self.open_blocks.values()):
                if any([step.places[step.count - 1] in slots_read_by(self.steps[number]) for number in block.numbers]):
                    self.close(block)
        return 0

    cdef int add_to_block(self, int i, Step step, tuple shape) except -1:
        """Add the step to the open block of the shape, or to a new one; close the block if it is full then."""
        cdef object role = self.roles[i]
        cdef OpenBlock block = self.open_blocks.get(shape)
        cdef set new_sources = set()
        if block is not None and block.is_large and type(role) is not Reduction:
            new_sources = self.new_large_sources(block, step)
            if new_sources and len(block.large_sources) + len(new_sources) > MOST_LARGE:
                self.close(block)
                block = None
        if block is None:
            block = self.open_blocks[shape] = OpenBlock(shape)
            new_sources = self.new_large_sources(block, step)
        if block.is_large:
            block.large_sources.update(new_sources)
        block.numbers.append(i)
        if type(role) is int:
            block.new_values[id(step.detail)] = step.places[0]
        else:
            block.filled.add(step.targets[0])
            self.producer[step.targets[0]] = block
        if type(role) is Reduction:
            block.reduced.add(step.targets[0])
            block.reductions += 1
            block.run_length = (<Reduction>role).length
        block.instructions += (<Program>role).length if type(role) is Program else 1
        if block.instructions >= block.most_instructions:
            self.close(block)
        return 0

    cdef set new_large_sources(self, OpenBlock block, Step step):
        """The slots of the block's shape that the step reads, and no step of the block so far."""
        cdef set slots = set()
        cdef int i
        for i in range(step.count):
            place = step.places[i]
            if place >= 0 and place not in block.filled and place not in block.large_sources and (
                    type_and_shape(self.path, place)[1] == block.shape):
                slots.add(place)
        return slots

    cdef int close_all(self) except -1:
        cdef OpenBlock block
        for block in list(self.open_blocks.values()):
            self.close(block)
        return 0

    cdef int close(self, OpenBlock block) except -1:
        """Add the block to the result: as one step, or as several where it is too long for one."""
        del self.open_blocks[block.shape]
        return self.append(block.numbers, block.shape)

    cdef int append(self, list numbers, tuple shape) except -1:
        cdef int half = <int>len(numbers) // 2
        cdef list fused
        if len(numbers) < LEAST_STEPS and not (numbers and self.may_overwrite(<int>numbers[0])):
            self.result.extend([self.steps[i] for i in numbers])
            return 0
        fused = BlockBuilder(self, numbers, shape).build()
        if fused is not None:
            self.result.extend(fused)
        elif len(numbers) < LEAST_STEPS:
            self.result.extend([self.steps[i] for i in numbers])
        else:
            self.append(numbers[:half], shape)
            self.append(numbers[half:], shape)
        return 0

    cdef bint leaves(self, int slot, set inside) except -1:
        """Whether anything but the steps with the numbers ``inside`` reads the slot."""
        return slot in self.escaping or not inside.issuperset(self.consumers.get(slot, ()))

    cdef bint is_spare(self, int place, tuple info, set inside) except -1:
        """Whether only the steps ``inside`` read the slot, which has a large array of the type and shape ``info``."""
        return (place >= 0 and place in self.filled and place not in self.escaping and place not in self.readings
                and self.path.info[place] == info
                and element_count(info[1]) * (4 if info[0] == cnp.NPY_FLOAT else 8) >= HEAVY
                and info[0] in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE) and inside.issuperset(self.consumers.get(place, ())))

    cdef bint may_overwrite(self, int i) except -1:
        """Whether a step that is elementwise may write its result over an operand."""
        cdef Step step = self.steps[i]
        cdef int j
        if type(self.roles[i]) is not Program and type(self.roles[i]) is not tuple:
            return False
        for j in range(step.count):
            if self.is_spare(step.places[j], type_and_shape(self.path, step.targets[0]), {i}):
                return True
        return False


# --- One step of a block ------------------------------------------------------------------------------------

cdef class BlockBuilder:
    """Makes one step of the steps of a block.

    Values are numbered when all sources are known. Until then an operand of an instruction is ("slot", place),
    ("constant", id of an array), ("variable", id of a variable), or ("result", index of an instruction).
    """

    cdef Fuser fuser
    cdef Path path
    cdef tuple shape
    cdef list numbers           # of the steps
    cdef set inside             # the same
    cdef dict value_of          # slot -> index of the instruction that computes it
    cdef dict sources           # place, ("constant", id) or ("variable", id) that is read -> number of the source
    cdef dict newest            # id of a variable -> index of the instruction that computes its new value
    cdef dict constants         # id -> array, which this keeps alive
    cdef dict available         # key of an instruction -> its index
    cdef list instructions      # (program or pair of loops and type, number of the program's step or None, operands)
    cdef list places, extra_constants, variables    # that are sources, in their order
    cdef list targets, results, descrs  # of what leaves the block: slots, indices of instructions, dtypes
    cdef list reductions, reduction_targets
    cdef list writes            # (variable, step)
    cdef list before, after     # steps that read variables, and run before or after the block
    cdef int step_count

    def __init__(self, Fuser fuser, list numbers, tuple shape):
        self.fuser = fuser
        self.path = fuser.path
        self.shape = shape
        self.numbers = numbers
        self.inside = set(numbers)
        self.value_of, self.sources, self.newest, self.constants, self.available = {}, {}, {}, {}, {}
        self.instructions = []
        self.places, self.extra_constants, self.variables = [], [], []
        self.targets, self.results, self.descrs = [], [], []
        self.reductions, self.reduction_targets = [], []
        self.writes, self.before, self.after = [], [], []

    cdef list build(self):
        """The steps that are run in place of those of the block; None where they do not fit into one block."""
        cdef FusedSteps fused = FusedSteps.__new__(FusedSteps)
        cdef Step step
        cdef list numbered
        cdef int i
        for i in self.numbers:
            if not self.add(self.fuser.steps[i], self.fuser.roles[i]):
                return None
        numbered = self.numbered_instructions()
        fused.step_count = self.step_count
        fused.constants = tuple([wrap(constant) for constant in self.extra_constants])
        fused.variables = self.variables
        reusable = self.place_outputs(fused, numbered)
        try:
            fused.block = Block(
                self.shape, len(self.sources), numbered, self.results, self.descrs, self.reductions, reusable)
        except ValueError:
            return None
        step = Step.__new__(Step)
        step.kind = FUSED
        step.safe = True
        step.effect = WRITES if self.writes else NO_EFFECT
        step.detail = fused
        step.where = (<Step>self.fuser.steps[<int>self.numbers[len(self.numbers) - 1]]).where
        step.reserve(len(self.places), len(self.targets) + len(self.reduction_targets))
        for i in range(len(self.places)):
            step.places[i] = self.places[i]
        for i, target in enumerate(self.targets + self.reduction_targets):
            step.targets[i] = target
        return [*self.before, step, *self.after]

    cdef bint add(self, Step step, object role) except -1:
        """Add the instructions of a step. False where the block cannot have it."""
        cdef list operands
        if role is None:
            self.add_reading(step)
            return True
        self.step_count += 1
        operands = self.operands_of(step)
        if type(role) is Reduction:
            return self.add_reduction(step, role, operands)
        if type(role) is int:
            return self.add_write(step, role, operands)
        if type(role) is tuple:
            self.keep_result(step, self.add_call(role, operands))
        else:
            self.keep_result(step, self.add_program(role, operands))
        return True

    cdef int add_reading(self, Step step) except -1:
        """A variable is read: before the block, or it is what the block writes to the variable."""
        if id(step.detail) not in self.newest:
            self.before.append(step)
            return 0
        self.value_of[step.targets[0]] = self.newest[id(step.detail)]
        if self.fuser.leaves(step.targets[0], self.inside):
            self.after.append(step)
        return 0

    cdef list operands_of(self, Step step):
        cdef list operands = []
        cdef int i
        for i in range(step.count):
            place = step.places[i]
            if place in self.value_of:
                operands.append(("result", self.value_of[place]))
                continue
            if place not in self.sources:
                self.sources[place] = len(self.sources)
                self.places.append(place)
            operands.append(("slot", place))
        return operands

    cdef bint add_reduction(self, Step step, Reduction reduction, list operands) except -1:
        if operands[0][0] != "result":
            return False
        self.reductions.append((operands[0][1], reduction.operation, reduction.length, reduction.shape))
        self.reduction_targets.append(step.targets[0])
        return True

    cdef bint add_write(self, Step step, int kind, list operands) except -1:
        """The new value of a variable: the operand, or what is there plus or minus the operand."""
        cdef object variable = ("variable", id(step.detail))
        if kind == ASSIGN:
            if operands[0][0] != "result":
                return False
            self.newest[id(step.detail)] = operands[0][1]
        else:
            if variable not in self.sources:
                self.sources[variable] = len(self.sources)
                self.variables.append(step.detail)
            self.instructions.append((
                (UPDATES[kind], type_and_shape(self.path, step.places[0])[0]), None, [variable, operands[0]]))
            self.newest[id(step.detail)] = len(self.instructions) - 1
        self.writes.append((step.detail, step))
        return True

    cdef tuple add_call(self, tuple role, list operands):
        """The result of a call of a loop."""
        cdef Loop* loop = (<Loops>role[0]).find(role[1])
        result = self.simplified(loop, operands)
        if result is None or result[0] != "result":
            result = self.add_instruction(role, None, loop, operands)
        return result

    cdef tuple add_program(self, Program program, list operands):
        """The result of a program of several loops."""
        cdef dict registers = {}    # of the program -> operands
        cdef list own
        cdef tuple result = None
        cdef bint is_call
        cdef int k, j, value
        for k in range(program.length):
            own = []
            for j in range(program.steps[k].count):
                value = program.steps[k].operands[j]
                if value >= MOST_SOURCES:
                    own.append(registers[value - MOST_SOURCES])
                elif value >= program.inputs:
                    constant = program.constants[value - program.inputs]
                    own.append(("constant", id(constant)))
                    self.constants[id(constant)] = constant
                else:
                    own.append(operands[value])
            result = None
            is_call = program.steps[k].kind == CALL
            if is_call:
                result = self.simplified(program.steps[k].loop, own)
                if result is None and k < program.length - 1:
                    result = self.folded(program.steps[k].loop, own)
            if result is None or result[0] != "result" and k == program.length - 1:
                result = self.add_instruction(program, k, program.steps[k].loop if is_call else NULL, own)
            if program.steps[k].target >= 0:
                registers[program.steps[k].target] = result
        return result

    cdef tuple add_instruction(self, object origin, object number, Loop* loop, list operands):
        """The result of an instruction: of an earlier one that computes the same, or of a new one.

        ``loop`` is NULL where it is no call.
        """
        if loop != NULL:
            if self.is_square(loop, operands):
                loop = MULTIPLY.find(loop.out_type)
                origin, number, operands = (MULTIPLY, loop.out_type), None, [operands[0], operands[0]]
            key = self.instruction_key(loop, operands)
            if key in self.available:
                return ("result", self.available[key])
            self.available[key] = len(self.instructions)
        for kind, constant in operands:
            if kind == "constant" and ("constant", constant) not in self.sources:
                self.sources["constant", constant] = len(self.sources)
                self.extra_constants.append(self.constants[constant])
        self.instructions.append((origin, number, operands))
        return ("result", len(self.instructions) - 1)

    cdef int keep_result(self, Step step, tuple result) except -1:
        """Note which instruction computes the result of the step, and whether it leaves the block."""
        self.value_of[step.targets[0]] = result[1]
        if self.fuser.leaves(step.targets[0], self.inside):
            self.targets.append(step.targets[0])
            self.results.append(result[1])
            self.descrs.append(self.descr(step.targets[0]))
        return 0

    cdef object constant_of(self, tuple operand):
        """The array of an operand that is a constant; else None."""
        if operand[0] == "constant":
            return self.constants[operand[1]]
        if operand[0] == "slot" and operand[1] < 0:
            value = self.path.constants[-1 - <int>operand[1]]
            return (<EagerTensor>value).array if type(value) is EagerTensor else None
        return None

    cdef tuple simplified(self, Loop* loop, list operands):
        """The operand that a call returns unchanged, as in x * 1 and x ** 1; None for other calls."""
        cdef int i
        if len(operands) == 2:
            for i in range(2):
                if returns_operand(loop, i, self.constant_of(operands[1 - i])):
                    return operands[i]
        return None

    cdef bint is_square(self, Loop* loop, list operands):
        """Whether a call multiplies its first operand, of floats, by itself."""
        if loop.out_type != cnp.NPY_FLOAT and loop.out_type != cnp.NPY_DOUBLE:
            return False
        return is_loop(loop, SQUARE, loop.out_type) or is_loop(loop, POWER, loop.out_type) and (
            scalar_of(self.constant_of(operands[1])) == 2.0)

    cdef tuple folded(self, Loop* loop, list operands):
        """Constant folding: the result of a call on constants that are numbers, as one more constant; else None."""
        cdef list arrays = [self.constant_of(operand) for operand in operands]
        if not all([isinstance(array, cnp.ndarray) and cnp.PyArray_NDIM(<cnp.ndarray>array) == 0 for array in arrays]):
            return None
        result = run_unary(loop, arrays[0]) if len(arrays) == 1 else run_binary(loop, arrays[0], arrays[1])
        self.constants[id(result)] = result
        return ("constant", id(result))

    cdef object instruction_key(self, Loop* loop, list operands):
        """Key of a call for common subexpressions within the block."""
        cdef list own = []
        cdef bint swapped = False
        cdef size_t function = <size_t>loop.function, data = <size_t>loop.data
        cdef int type_num = loop.out_type, i
        for i, operand in enumerate(operands):
            number = scalar_of(self.constant_of(operand))
            if number is None or number != number:
                own.append(operand)
                continue
            # A number that is not 0 needs no care about NaN; and its place does not matter.
            own.append(("number", number.hex()))
            if len(operands) == 2 and number != 0:
                if i == 1 and is_loop(loop, MULTIPLY_NO_NAN, type_num):
                    function = <size_t>MULTIPLY.find(type_num).function
                    data = <size_t>MULTIPLY.find(type_num).data
                    swapped = True
                elif is_loop(loop, MULTIPLY, type_num):
                    swapped = i == 1
        if swapped:
            own.reverse()
        return (function, data, type_num, tuple(own))

    cdef list numbered_instructions(self):
        """The instructions with numbers for operands: slots and constants of the path first, then constants of the
        programs, then variables, then the results of instructions."""
        cdef int first_constant = <int>len(self.places), first_variable = first_constant + <int>len(self.extra_constants)
        cdef int number
        for number, place in enumerate(self.places):
            self.sources[place] = number
        for number, constant in enumerate(self.extra_constants, first_constant):
            self.sources["constant", id(constant)] = number
        for number, variable in enumerate(self.variables, first_variable):
            self.sources["variable", id(variable)] = number
        return [
            (origin, step, [
                len(self.sources) + operand if kind == "result"
                else self.sources[operand] if kind == "slot" else self.sources[kind, operand]
                for kind, operand in operands])
            for origin, step, operands in self.instructions]

    cdef dict place_outputs(self, FusedSteps fused, list numbered):
        """Add the values of variables and the reductions to the outputs, and say in whose memory outputs may lie.

        Gives for outputs that may be written in place the numbers of the sources in the same memory.
        """
        cdef list written = [], readings = [], shared = []
        cdef dict reusable = {}
        cdef int k
        for variable, step in self.writes:
            value = self.newest[id(variable)]
            if value in self.results:
                # The result leaves the block, and the variable holds it too, as after `assign`.
                shared.append((variable, self.results.index(value)))
                continue
            written.append(variable)
            slots = [place for place in self.places if self.fuser.readings.get(place) is variable]
            readings.append(slots)
            reusable[len(self.results) + len(written) - 1] = {self.sources[place] for place in slots} | (
                {self.sources["variable", id(variable)]} if ("variable", id(variable)) in self.sources else set())
        fused.reused_operands = self.operands_to_reuse(numbered)
        for k, number in enumerate(fused.reused_operands):
            if number is not None:
                reusable[k] = {number}
        for variable in written:
            self.results.append(self.newest[id(variable)])
            self.descrs.append((<EagerTensor>(<VariableBase>variable).snapshot).array.dtype)
        for slot in self.reduction_targets:
            self.descrs.append(self.descr(slot))
        fused.written = written
        fused.shared = shared
        fused.readings = readings
        return reusable

    cdef list operands_to_reuse(self, list numbered):
        """For each result, the operand of the block whose memory it may take, because nothing reads it any more."""
        cdef list chosen_numbers = []
        cdef set taken = set()
        cdef int last_use, k
        for value, target in zip(self.results, self.targets):
            chosen = None
            for number, place in enumerate(self.places):
                if number in taken or not self.fuser.is_spare(place, self.path.info[target], self.inside):
                    continue
                last_use = -1
                for k, (_, _, operands) in enumerate(numbered):
                    if number in operands:
                        last_use = k
                origin, step, _ = numbered[value]
                loops = origin[0] if step is None else None
                if last_use < value or last_use == value and (
                        (<Loops>loops).even if loops is not None else all_even(origin)):
                    chosen = number
                    taken.add(number)
                    break
            chosen_numbers.append(chosen)
        return chosen_numbers

    cdef object descr(self, int slot):
        return np.dtype(cnp.PyArray_DescrFromType(self.path.info[slot][0]))

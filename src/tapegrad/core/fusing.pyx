"""From what was recorded to what is run: which steps, which of them at once, and when tensors are let go.

What was computed before is not computed again. Elementwise steps are joined into blocks, each one pass over memory, with
the reductions of what they give, and the updates of variables.

Steps keep their order, but for two things. A small elementwise step runs as soon as it can, so that those of one shape
come together. And a step that reads nothing of a block that is still open, and has no effect, may run before it.
"""

cimport numpy as cnp
from cpython.mem cimport PyMem_Malloc
from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

import numpy as np

from tapegrad.core.additions cimport Addition, add_products, update_of
from tapegrad.core.needed cimport check_filled, distinct, early, needed_steps, read_first, size_of
from tapegrad.core.plans cimport MAX_ASKS, Call
from tapegrad.core.recorder cimport (
    ADD, ASSIGN, BINARY, FUSED, NO_EFFECT, OP, PRODUCT, READ, READS, RULE, SUBTRACT, SUM, UNARY, WRITES, Code, Path,
    Step, info_of, read_by)
from tapegrad.core.tensor cimport EagerTensor, shape_tuple, wrap
from tapegrad.core.variable cimport VariableBase
from tapegrad.engines.numpy import kernels
from tapegrad.engines.numpy.blocks cimport Block, all_even
from tapegrad.engines.numpy.loops cimport Loop, Loops, run_binary, run_unary
from tapegrad.engines.numpy.programs import loops_for
from tapegrad.engines.numpy.programs cimport CALL, MOST_SOURCES, Program, Programs, is_one_number
from tapegrad.engines.numpy.reductions cimport FEW as MANY_RUNS, PART, SHORT, operation_of

cnp.import_array()

cdef enum:
    MOST_JOINED = 200           # steps of a block
    MOST_SMALL = 800            # of a block of few elements
    SMALL = 8                   # elements
    LARGE = 8192                # elements of arrays of which a block reads few, as they are kept until it runs
    MOST_LARGE = 6
    LONGEST_GROUP = 1024        # elements that are reduced together
    MOST_FOLDS = 8
    EVEN = 64
    FEW = 2
    HEAVY = 65_536              # bytes of results for which a pass over fresh memory shows

# Types whose loops never fail and need no look at what they give.
cdef set TYPES = {cnp.NPY_BOOL, cnp.NPY_FLOAT, cnp.NPY_DOUBLE}

UPDATES = {ADD: loops_for(np.add), SUBTRACT: loops_for(np.subtract)}

cdef Loops MULTIPLY = loops_for(np.multiply), POWER = loops_for(kernels.power)
cdef Loops MULTIPLY_NO_NAN = loops_for(kernels.multiply_no_nan)


cdef bint is_loop(Loop* loop, Loops loops, int type_num) noexcept:
    """Whether it is the one of ``loops`` for the type: of another op perhaps, which has a table of its own."""
    cdef Loop* known = loops.find(type_num)
    return known != NULL and loop.function == known.function and loop.data == known.data


cdef object number_of(object array):
    """The number that all elements of a floating-point array are in memory; None where there is no such number."""
    if not isinstance(array, cnp.ndarray) or cnp.PyArray_TYPE(<cnp.ndarray>array) not in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE):
        return None
    if not is_one_number(<cnp.ndarray>array) or cnp.PyArray_SIZE(<cnp.ndarray>array) == 0:
        return None
    return float(array.flat[0])


cdef bint gives_operand(Loop* loop, int number, object other):
    """Whether a loop gives its operand with this number as it is, because the other one is 1."""
    cdef int type_num
    if number_of(other) != 1.0:
        return False
    type_num = cnp.PyArray_TYPE(<cnp.ndarray>other)
    return is_loop(loop, MULTIPLY, type_num) or number == 0 and (
        is_loop(loop, POWER, type_num) or is_loop(loop, MULTIPLY_NO_NAN, type_num))


cdef class Joined:
    @property
    def length(self):
        return self.block.length

    @property
    def shape(self):
        return self.block.shape

    def describe(self):
        """For people: what is done at once."""
        functions = f"{self.steps} elementwise functions" if self.steps > 1 else "an elementwise function"
        parts = [f"{functions} of {list(self.block.shape)}"]
        if self.block.folds:
            parts.append(f"{self.block.folds} reductions" if self.block.folds > 1 else "a reduction")
        count = len(self.written) + len(self.shared)
        if count:
            parts.append(f"{count} updates of variables" if count > 1 else "an update of a variable")
        return ", ".join(parts)


cdef class Fold:
    """A reduction at the end of a block."""

    cdef int operation
    cdef Py_ssize_t length      # elements of each run
    cdef tuple shape            # of the result
    cdef tuple operand          # shape of what is reduced


cdef class Open:
    """A block to which steps may still be added."""

    cdef tuple shape
    cdef list numbers           # of the steps
    cdef set made               # slots that they fill
    cdef set folded             # those of them that are reductions, which no step of the block may read
    cdef dict written           # id of a variable -> the slot of its new value
    cdef set sources            # slots of the block's shape that it reads, if that is large
    cdef bint large
    cdef Py_ssize_t length      # of the runs that are reduced
    cdef int micros, folds, most

    def __init__(self, tuple shape):
        self.sources = set()
        self.large = size_of(shape) >= LARGE
        self.shape = shape
        self.numbers = []
        self.made = set()
        self.folded = set()
        self.written = {}
        self.most = MOST_SMALL if size_of(shape) <= SMALL else MOST_JOINED


cdef Program program_of(Path path, Step step):
    """The program of a step that has one."""
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
        info = info_of(path, step.places[i])
        if info is None or info[0] not in TYPES:
            return None
        arrays.append(np.empty(0, np.dtype(cnp.PyArray_DescrFromType(info[0]))))
        pointers[i] = <PyObject*>arrays[i]
    return programs.find(pointers, step.count)


cdef bint fits(tuple shape, tuple result):
    """Whether an operand of the shape is broadcast to the result."""
    cdef int extra = <int>len(result) - <int>len(shape), i
    if extra < 0:
        return False
    for i in range(len(shape)):
        if shape[i] != result[i + extra] and shape[i] != 1:
            return False
    return True


cdef Fold fold_of(Path path, Step step):
    """The step as a reduction of runs at the end of a block; None if it is none, or is done in another way."""
    cdef tuple info = info_of(path, step.places[0]), given = info_of(path, step.targets[0])
    cdef tuple shape
    cdef uint64_t mask = 0
    cdef int operation = 0, extra, i
    cdef Py_ssize_t length = 1, runs = 1, rows = 1
    cdef Fold fold
    if info is None or info[0] not in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE) or given[0] != info[0]:
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
    fold = Fold.__new__(Fold)
    fold.operation = operation
    fold.length = length
    fold.shape = given[1]
    fold.operand = shape
    return fold


cdef object joins(Path path, Step step):
    """How a step can be part of a block: a Program, a (Loops, type number), a Fold, or an int for a write of a variable.

    None if it cannot.
    """
    cdef Program program
    cdef int i
    cdef tuple shape, info
    cdef bint even = False
    if not step.safe or step.paused or step.nested is not None or step.others is not None:
        return None
    if step.kind == ASSIGN or step.kind == ADD or step.kind == SUBTRACT:
        return update_of(path, step)
    if step.kind not in (BINARY, UNARY, RULE, OP, SUM) or step.results != 1 or step.targets[0] < 0 or step.effect != 0:
        return None
    if step.kind == SUM or step.kind == OP and step.count == 1 and step.op.lane is not None:
        return fold_of(path, step)
    info = info_of(path, step.targets[0])
    shape = info[1]
    if info[0] not in TYPES or len(shape) > 32:
        return None
    for i in range(step.count):
        info = info_of(path, step.places[i])
        if info is None or info[0] not in TYPES:
            return None
        if info[1] != shape and info[1] != ():
            if not fits(info[1], shape):
                return None
            even = True         # its loops must not ask where in a row an element lies
    if step.kind == BINARY or step.kind == UNARY:
        if step.op.loops is None or even and not step.op.loops.even:
            return None
        return (step.op.loops, info_of(path, step.places[0])[0])
    program = program_of(path, step)
    if (program is None or program.passes >= 0 or program.out_dtype.num != info_of(path, step.targets[0])[0]
            or even and not all_even(program)):
        return None
    return program


cdef int keep_dropped(Joined joined, list drops) except -1:
    """A variable is written in place only if nobody reads its former value afterwards."""
    joined.readings = [[place for place in places if place in drops] for places in joined.readings]
    return 0


cdef int compile_path(Path path, bint taped, dict known) except -1:
    """Choose the steps that are run, join those that are elementwise, and find where slots become free.

    Under a tape from outside all ops stay, because the tape records them. The paths that leave this one have been
    compiled before.
    """
    cdef set escapes = set(), kept = {place for place in path.outputs if place >= 0}
    cdef list steps = needed_steps(path, escapes, known), dropped
    cdef dict last = {}         # slot -> the last step that reads it, or needs it for a branch; or else that fills it
    cdef Code code
    cdef Step step
    cdef int i, k
    if not taped:
        steps = fuse(path, add_products(path, distinct(path, steps, escapes), escapes), escapes)
    check_filled(path, steps, known)
    for k in range(len(steps)):
        step = steps[k]
        for i in range(step.results):
            if step.targets[i] >= 0:
                last[step.targets[i]] = k
        for place in read_by(step):
            last[place] = k
        if step.others is not None:
            for other in step.others.values():
                for place in read_first(other, known):
                    last[place] = k
    dropped = [[] for step in steps]
    for place, k in last.items():
        if place not in kept:
            (<list>dropped[k]).append(place)
    for k in range(len(steps)):
        step = steps[k]
        if step.kind == FUSED:
            keep_dropped(<Joined>step.detail, dropped[k])
        elif step.kind == PRODUCT:
            (<Addition>step.detail).dropped = dropped[k]
    code = Code.__new__(Code)
    code.path = path
    code.slots = len(path.info)
    code.steps = steps
    code.branches = []
    for step in steps:
        if step.others is None:
            code.branches.append(None)
            continue
        branches = {key: (<Path>other).code for key, other in step.others.items()}
        for after_guard in branches.values():
            code.slots = max(code.slots, (<Code>after_guard).slots)
        code.branches.append(branches)
    code.length = len(steps)
    code.array = <PyObject**>PyMem_Malloc((code.length + 1) * sizeof(PyObject*))
    code.begin = <int*>PyMem_Malloc((code.length + 1) * sizeof(int))
    code.drops = <int*>PyMem_Malloc((sum([len(drops) for drops in dropped]) + 1) * sizeof(int))
    if code.array == NULL or code.begin == NULL or code.drops == NULL:
        raise MemoryError()
    k = 0
    for i in range(code.length):
        code.array[i] = <PyObject*>steps[i]
        code.begin[i] = k
        for place in dropped[i]:
            code.drops[k] = place
            k += 1
    code.begin[code.length] = k
    path.code = code
    return 0


cdef list fuse(Path path, list steps, set escapes):
    """The steps with blocks among them. ``escapes`` are slots that are read after the path, or on other paths."""
    cdef Fuser fuser = Fuser(path, steps, escapes)
    cdef int i
    for i in range(len(steps)):
        fuser.add(i)
    fuser.close_all()
    return fuser.result


cdef class Fuser:
    """Goes through the steps in their order, with one open block for each shape."""

    cdef Path path
    cdef list steps, ways, result
    cdef set escapes
    cdef dict opened            # shape -> Open
    cdef dict producer          # slot -> the Open that fills it
    cdef dict consumers         # slot -> numbers of the steps that read it
    cdef dict readings          # slot -> the variable that was read into it
    cdef set filled             # slots that steps fill

    def __init__(self, Path path, list steps, set escapes):
        cdef Step step
        cdef int i, place
        self.path = path
        self.steps, self.ways = early(path, steps, [joins(path, step) for step in steps])
        steps = self.steps
        self.result = []
        self.escapes = escapes
        self.opened = {}
        self.producer = {}
        self.consumers = {}
        self.readings = {}
        self.filled = set()
        for i in range(len(steps)):
            step = steps[i]
            for place in range(step.results):
                self.filled.add(step.targets[place])
            for place in read_by(step):
                self.consumers.setdefault(place, set()).add(i)
            if step.kind == READ:
                self.readings[step.targets[0]] = step.detail

    cdef Open block_of(self, int place):
        """The open block that fills the slot."""
        cdef Open block = self.producer.get(place)
        return block if block is not None and self.opened.get(block.shape) is block else None

    cdef Open written_in(self, object variable):
        """The open block that writes the variable."""
        cdef Open block
        for block in self.opened.values():
            if id(variable) in block.written:
                return block
        return None

    cdef int add(self, int i) except -1:
        cdef Step step = self.steps[i]
        cdef object way = self.ways[i]
        cdef Open block, other
        cdef tuple shape = None
        cdef set fresh = set()
        if type(way) is Fold:
            block = self.block_of(step.places[0]) if step.places[0] >= 0 else None
            if (block is None or step.places[0] in block.folded or block.shape != (<Fold>way).operand
                    or block.folds == MOST_FOLDS or block.folds and block.length != (<Fold>way).length):
                way = self.ways[i] = None
            else:
                shape = block.shape
        elif type(way) is int:
            shape = info_of(self.path, step.places[0])[1]
            block = self.block_of(step.places[0]) if step.places[0] >= 0 else None
            other = self.written_in(step.detail)
            if other is not None:
                self.close(other)
                block = self.block_of(step.places[0]) if step.places[0] >= 0 else None
            if block is not None and (block.shape != shape or step.places[0] in block.folded):
                block = None
            if way == ASSIGN and block is None:
                way = self.ways[i] = shape = None
        elif way is not None:
            shape = info_of(self.path, step.targets[0])[1]
        elif step.kind == READ:
            block = self.written_in(step.detail)
            if block is not None:
                # Steps of the block read what it writes; others wait for the block.
                block.numbers.append(i)
                block.made.add(step.targets[0])
                self.producer[step.targets[0]] = block
                return 0
        for place in read_by(step):
            block = self.block_of(place)
            if block is not None and (shape is None or block.shape != shape or place in block.folded):
                self.close(block)
        if step.kind == PRODUCT and step.effect == NO_EFFECT:
            # Blocks that read what the sum is added to come before it.
            for block in list(self.opened.values()):
                if any([step.places[step.count - 1] in read_by(self.steps[number]) for number in block.numbers]):
                    self.close(block)
        if shape is None:
            if step.effect > READS or step.effect == READS and step.kind != READ or step.others:
                self.close_all()
            self.result.append(step)
            return 0
        block = self.opened.get(shape)
        if block is not None and block.large and type(way) is not Fold:
            fresh = self.large_sources(block, step)
            if fresh and len(block.sources) + len(fresh) > MOST_LARGE:
                self.close(block)
                block = None
        if block is None:
            block = self.opened[shape] = Open(shape)
            fresh = self.large_sources(block, step)
        if block.large:
            block.sources.update(fresh)
        block.numbers.append(i)
        if type(way) is int:
            block.written[id(step.detail)] = step.places[0]
        else:
            block.made.add(step.targets[0])
            self.producer[step.targets[0]] = block
        if type(way) is Fold:
            block.folded.add(step.targets[0])
            block.folds += 1
            block.length = (<Fold>way).length
        block.micros += (<Program>way).length if type(way) is Program else 1
        if block.micros >= block.most:
            self.close(block)
        return 0

    cdef set large_sources(self, Open block, Step step):
        """The slots of the block's shape that the step reads, and no step of the block so far."""
        cdef set found = set()
        cdef int i
        for i in range(step.count):
            place = step.places[i]
            if place >= 0 and place not in block.made and place not in block.sources and (
                    info_of(self.path, place)[1] == block.shape):
                found.add(place)
        return found

    cdef int close_all(self) except -1:
        cdef Open block
        for block in list(self.opened.values()):
            self.close(block)
        return 0

    cdef int close(self, Open block) except -1:
        """Add the block to the result: as one step, or as several where it is too long for one."""
        del self.opened[block.shape]
        return self.append(block.numbers, block.shape)

    cdef int append(self, list numbers, tuple shape) except -1:
        cdef int half = <int>len(numbers) // 2
        cdef Step step
        if len(numbers) < FEW and not (numbers and self.may_overwrite(<int>numbers[0])):
            self.result.extend([self.steps[i] for i in numbers])
        elif not self.join(numbers, shape):
            if len(numbers) < FEW:
                self.result.extend([self.steps[i] for i in numbers])
                return 0
            self.append(numbers[:half], shape)
            self.append(numbers[half:], shape)
        return 0

    cdef bint is_spare(self, int place, tuple info, set inside) except -1:
        """Whether nobody but the steps ``inside`` reads the slot, which has a large array like the one described."""
        return (place >= 0 and place in self.filled and place not in self.escapes and place not in self.readings
                and self.path.info[place] == info and size_of(info[1]) * (4 if info[0] == cnp.NPY_FLOAT else 8) >= HEAVY
                and info[0] in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE) and inside.issuperset(self.consumers.get(place, ())))

    cdef bint may_overwrite(self, int i) except -1:
        """Whether a step that is elementwise may write its result over an operand."""
        cdef Step step = self.steps[i]
        cdef int j
        if type(self.ways[i]) is not Program and type(self.ways[i]) is not tuple:
            return False
        for j in range(step.count):
            if self.is_spare(step.places[j], info_of(self.path, step.targets[0]), {i}):
                return True
        return False

    cdef object constant_of(self, tuple operand, dict constants):
        """The array of an operand of a block that is a constant; else None."""
        if operand[0] == "c":
            return constants[operand[1]]
        if operand[0] == "s" and operand[1] < 0:
            value = self.path.constants[-1 - <int>operand[1]]
            return (<EagerTensor>value).array if type(value) is EagerTensor else None
        return None

    cdef tuple passed_on(self, Loop* loop, list operands, dict constants):
        """The operand that a step of a block gives as it is, if it is such a step; else None."""
        cdef int i
        if len(operands) == 2:
            for i in range(2):
                if gives_operand(loop, i, self.constant_of(operands[1 - i], constants)):
                    return operands[i]
        return None

    cdef tuple computed(self, Loop* loop, list operands, dict constants):
        """The result of a step as one more constant, if its operands are constants that are numbers; else None."""
        cdef list arrays = [self.constant_of(operand, constants) for operand in operands]
        if not all([isinstance(array, cnp.ndarray) and cnp.PyArray_NDIM(<cnp.ndarray>array) == 0 for array in arrays]):
            return None
        result = run_unary(loop, arrays[0]) if len(arrays) == 1 else run_binary(loop, arrays[0], arrays[1])
        constants[id(result)] = result
        return ("c", id(result))

    cdef object key_of_micro(self, Loop* loop, list operands, dict constants):
        """What tells a step of a block from another one that gives the same."""
        cdef list own = []
        cdef bint turned = False
        cdef size_t function = <size_t>loop.function, data = <size_t>loop.data
        cdef int type_num = loop.out_type, i
        for i, operand in enumerate(operands):
            number = number_of(self.constant_of(operand, constants))
            if number is None or number != number:
                own.append(operand)
                continue
            # A number that is not 0 needs no care about NaN; and its place does not matter.
            own.append(("number", number.hex()))
            if len(operands) == 2 and number != 0:
                if i == 1 and is_loop(loop, MULTIPLY_NO_NAN, type_num):
                    function = <size_t>MULTIPLY.find(type_num).function
                    data = <size_t>MULTIPLY.find(type_num).data
                    turned = True
                elif is_loop(loop, MULTIPLY, type_num):
                    turned = i == 1
        if turned:
            own.reverse()
        return (function, data, type_num, tuple(own))

    cdef bint join(self, list numbers, tuple shape) except -1:
        """Add the steps with these numbers as one to the result; False where they are too many."""
        cdef Step step, fused
        cdef Program program
        cdef Fold fold
        cdef Joined joined
        cdef dict value_of = {}     # slot -> number of the step of the block that makes it
        cdef dict order = {}        # what is read: a place, ("c", id of a constant) or ("v", id of a variable) -> its number
        cdef dict newest = {}       # id of a variable -> the step of the block that makes its new value
        cdef list places = [], extra = [], variables = [], micros = [], targets = [], results = [], descrs = []
        cdef dict constants = {}    # id -> array, which this keeps alive
        cdef dict known = {}        # what a step of the block does -> its number
        cdef tuple found
        cdef list folds = [], written = [], shared = [], before = [], after = [], sources, numbered, fold_targets = []
        cdef set inside = set(numbers)
        cdef int i, j, k, value, joined_steps = 0
        # Values are numbered when all sources are known: until then, ("m", i) is the result of step i of the block.
        for i in numbers:
            step = self.steps[i]
            way = self.ways[i]
            if way is None:
                # A variable is read again.
                if id(step.detail) in newest:
                    value_of[step.targets[0]] = newest[id(step.detail)]
                    if step.targets[0] in self.escapes or not inside.issuperset(self.consumers.get(step.targets[0], ())):
                        after.append(step)
                else:
                    before.append(step)
                continue
            joined_steps += 1
            operands = []
            for j in range(step.count):
                place = step.places[j]
                if place in value_of:
                    operands.append(("m", value_of[place]))
                else:
                    if place not in order:
                        order[place] = len(order)
                        places.append(place)
                    operands.append(("s", place))
            if type(way) is Fold:
                if operands[0][0] != "m":
                    return False
                fold = way
                folds.append((operands[0][1], fold.operation, fold.length, fold.shape))
                fold_targets.append(step.targets[0])
                continue
            if type(way) is int:
                if way != ASSIGN:
                    if ("v", id(step.detail)) not in order:
                        order["v", id(step.detail)] = len(order)
                        variables.append(step.detail)
                    micros.append(((UPDATES[way], info_of(self.path, step.places[0])[0]), None,
                                   [("v", id(step.detail)), operands[0]]))
                    newest[id(step.detail)] = len(micros) - 1
                elif operands[0][0] != "m":
                    return False
                else:
                    newest[id(step.detail)] = operands[0][1]
                written.append((step.detail, step))
                continue
            if type(way) is tuple:
                found = self.passed_on((<Loops>way[0]).find(way[1]), operands, constants)
                if found is None or found[0] != "m":
                    key = self.key_of_micro((<Loops>way[0]).find(way[1]), operands, constants)
                    if key not in known:
                        micros.append((way, None, operands))
                        known[key] = len(micros) - 1
                    found = ("m", known[key])
            else:
                program = way
                registers = {}
                for k in range(program.length):
                    own = []
                    for j in range(program.steps[k].count):
                        value = program.steps[k].operands[j]
                        if value >= MOST_SOURCES:
                            own.append(registers[value - MOST_SOURCES])
                        elif value >= program.inputs:
                            own.append(("c", id(program.constants[value - program.inputs])))
                            constants[own[j][1]] = program.constants[value - program.inputs]
                        else:
                            own.append(operands[value])
                    found = None
                    if program.steps[k].kind == CALL:
                        found = self.passed_on(program.steps[k].loop, own, constants)
                        if found is None and k < program.length - 1:
                            found = self.computed(program.steps[k].loop, own, constants)
                    if found is None or found[0] != "m" and k == program.length - 1:
                        key = self.key_of_micro(program.steps[k].loop, own, constants) if program.steps[k].kind == CALL else None
                        if key is not None and key in known:
                            found = ("m", known[key])
                            if program.steps[k].target >= 0:
                                registers[program.steps[k].target] = found
                            continue
                        known[key] = len(micros)
                        for kind, constant in own:
                            if kind == "c" and ("c", constant) not in order:
                                order["c", constant] = len(order)
                                extra.append(constants[constant])
                        micros.append((program, k, own))
                        found = ("m", len(micros) - 1)
                    if program.steps[k].target >= 0:
                        registers[program.steps[k].target] = found
            value_of[step.targets[0]] = found[1]
            if step.targets[0] in self.escapes or not inside.issuperset(self.consumers.get(step.targets[0], ())):
                targets.append(step.targets[0])
                results.append(found[1])
                descrs.append(self.descr(step.targets[0]))
        # Slots and constants of the path come first, then those of the programs, then variables.
        for k, place in enumerate(places):
            order[place] = k
        for k, constant in enumerate(extra):
            order["c", id(constant)] = len(places) + k
        for k, variable in enumerate(variables):
            order["v", id(variable)] = len(places) + len(extra) + k
        numbered = []
        for origin, number, operands in micros:
            numbered.append((origin, number, [
                len(order) + what if kind == "m" else order[what] if kind == "s" else order[kind, what]
                for kind, what in operands]))
        own_written, readings, memory = [], [], {}
        for variable, step in written:
            value = newest[id(variable)]
            if value in results:
                # The result leaves the block, and the variable holds it too, as after `assign`.
                shared.append((variable, results.index(value)))
                continue
            own_written.append(variable)
            slots = [place for place in places if self.readings.get(place) is variable]
            readings.append(slots)
            memory[len(results) + len(own_written) - 1] = {order[place] for place in slots} | (
                {order["v", id(variable)]} if ("v", id(variable)) in order else set())
        spare = self.memory_for(results, targets, places, numbered, order, inside)
        for k, place in enumerate(spare):
            if place is not None:
                memory[k] = {place}
        for variable in own_written:
            results.append(newest[id(variable)])
            descrs.append((<EagerTensor>(<VariableBase>variable).snapshot).array.dtype)
        for place in fold_targets:
            descrs.append(self.descr(place))
        try:
            block = Block(shape, len(order), numbered, results, descrs, folds, memory)
        except ValueError:
            return False
        joined = Joined.__new__(Joined)
        joined.block = block
        joined.steps = joined_steps
        joined.constants = tuple([wrap(constant) for constant in extra])
        joined.variables = variables
        joined.written = own_written
        joined.shared = shared
        joined.memory = spare
        joined.readings = readings
        fused = Step.__new__(Step)
        fused.kind = FUSED
        fused.safe = True
        fused.effect = WRITES if written else NO_EFFECT
        fused.detail = joined
        fused.reserve(len(places), len(targets) + len(fold_targets))
        for i in range(len(places)):
            fused.places[i] = places[i]
        for i, place in enumerate(targets + fold_targets):
            fused.targets[i] = place
        self.result.extend(before)
        self.result.append(fused)
        self.result.extend(after)
        return True

    cdef list memory_for(self, list results, list targets, list places, list numbered, dict order, set inside):
        """For each result, the operand of the block whose memory it may take, because nobody reads it any more."""
        cdef list found = []
        cdef set taken = set()
        cdef int last, k
        for value, target in zip(results, targets):
            chosen = None
            for number, place in enumerate(places):
                if number in taken or not self.is_spare(place, self.path.info[target], inside):
                    continue
                last = -1
                for k, (_, _, operands) in enumerate(numbered):
                    if number in operands:
                        last = k
                origin, step, _ = numbered[value]
                loops = origin[0] if step is None else None
                if last < value or last == value and (
                        (<Loops>loops).even if loops is not None else all_even(origin)):
                    chosen = number
                    taken.add(number)
                    break
            found.append(chosen)
        return found

    cdef object descr(self, int place):
        return np.dtype(cnp.PyArray_DescrFromType(self.path.info[place][0]))

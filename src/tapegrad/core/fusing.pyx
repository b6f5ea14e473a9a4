"""From what was recorded to what is run: which steps, which of them at once, and when tensors are let go.

Elementwise steps are joined into blocks, each one pass over memory.

Steps keep their order, but for one thing: a step that reads nothing of a block that is still open, and writes no
variable, may run before it.
"""

cimport numpy as cnp
from cpython.mem cimport PyMem_Malloc
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.core.dispatch cimport MAX_ASKS, Call, Op
from tapegrad.core.recorder cimport BINARY, FUSED, GUARD, OP, READS, RULE, UNARY, WRITES, Code, Path, Step, read_by
from tapegrad.core.tensor cimport EagerTensor, shape_tuple, wrap
from tapegrad.engines.numpy.blocks cimport Block
from tapegrad.engines.numpy.programs cimport MOST_SOURCES, Program, Programs

cnp.import_array()

cdef enum:
    MOST_JOINED = 200           # steps of a block
    FEW = 2

# NumPy's numbers of the types whose loops never fail and need no look at what they give: bool, float32, float64.
cdef set TYPES = {0, 11, 12}


cdef class Open:
    """A block to which steps may still be added."""

    cdef tuple shape
    cdef list numbers           # of the steps
    cdef set made               # slots that they fill
    cdef int micros

    def __init__(self, tuple shape):
        self.shape = shape
        self.numbers = []
        self.made = set()


cdef tuple info_of(Path path, int place):
    """Type number and shape of what is in a place."""
    cdef object value
    if place >= 0:
        return path.info[place]
    value = path.constants[-1 - place]
    if type(value) is not EagerTensor:
        return None
    array = (<EagerTensor>value).array
    if not isinstance(array, cnp.ndarray):
        return None
    return (cnp.PyArray_TYPE(<cnp.ndarray>array), shape_tuple(array))


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


cdef object joins(Path path, Step step):
    """The Program, or the (Loops, type number), by which a step can be part of a block; None if it cannot."""
    cdef Program program
    cdef int i
    cdef tuple shape, info
    if step.kind not in (BINARY, UNARY, RULE, OP) or step.results != 1 or step.targets[0] < 0 or not step.safe or (
            step.effect != 0 or step.paused):
        return None
    info = info_of(path, step.targets[0])
    shape = info[1]
    if info[0] not in TYPES or len(shape) > 32:
        return None
    for i in range(step.count):
        info = info_of(path, step.places[i])
        if info is None or info[0] not in TYPES or info[1] != shape and info[1] != ():
            return None
    if step.kind == BINARY or step.kind == UNARY:
        if step.op.loops is None:
            return None
        return (step.op.loops, info_of(path, step.places[0])[0])
    program = program_of(path, step)
    if program is None or program.passes >= 0 or program.out_dtype.num != info_of(path, step.targets[0])[0]:
        return None
    return program


cdef set read_first(Path path, dict known):
    """The slots that a path, or one that leaves it, reads before it fills them."""
    cdef set live
    cdef Step step
    cdef int i
    if path in known:
        return known[path]
    live = {place for place in path.outputs if place >= 0}
    for step in reversed(path.steps):
        if step.others is not None:
            for other in step.others.values():
                live |= read_first(other, known)
        for i in range(step.results):
            live.discard(step.targets[i])
        live |= read_by(step)
    known[path] = live
    return live


cdef list needed_steps(Path path, set escapes, dict known):
    """The steps that are run: without those of which nobody needs the results. Adds the slots that leave the path."""
    cdef set live = {place for place in path.outputs if place >= 0}
    cdef list steps = []
    cdef Step step
    cdef bint needed
    cdef int i
    escapes |= live
    for step in reversed(path.steps):
        if step.others is not None:
            for other in step.others.values():
                first = read_first(other, known)
                live |= first
                escapes |= first
        needed = not step.safe or step.effect > READS or step.kind == GUARD
        for i in range(step.results):
            needed = needed or step.targets[i] in live
        if not needed:
            continue
        for i in range(step.results):
            live.discard(step.targets[i])
        live |= read_by(step)
        steps.append(step)
    steps.reverse()
    return steps


cdef int compile_path(Path path, bint taped, dict known) except -1:
    """Choose the steps that are run, join those that are elementwise, and find where slots become free.

    Under a tape from outside all ops stay, because the tape records them. The paths that leave this one have been
    compiled before.
    """
    cdef set live = {place for place in path.outputs if place >= 0}, escapes = set(), after
    cdef list steps = [], drops, dropped = [], needed = needed_steps(path, escapes, known)
    cdef Code code
    cdef Step step
    cdef int i, k
    for step in reversed(needed if taped else fuse(path, needed, escapes)):
        after = set(live)
        drops = []
        for i in range(step.results):
            if step.targets[i] >= 0 and step.targets[i] not in after:
                drops.append(step.targets[i])
        if step.others is not None:
            for other in step.others.values():
                live |= read_first(other, known)
        for i in range(step.results):
            live.discard(step.targets[i])
        live |= read_by(step)
        for place in live:
            if place not in after and place not in drops:
                drops.append(place)
        steps.append(step)
        dropped.append(drops)
    steps.reverse()
    dropped.reverse()
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
    cdef list result = [], ways = [joins(path, step) for step in steps]
    cdef dict opened = {}, producer = {}, consumers = {}
    cdef Step step
    cdef Open block
    cdef int i
    for i in range(len(steps)):
        for place in read_by(steps[i]):
            consumers.setdefault(place, set()).add(i)
    for i in range(len(steps)):
        step = steps[i]
        shape = None if ways[i] is None else info_of(path, step.targets[0])[1]
        for place in read_by(step):
            if place in producer and producer[place] in opened and producer[place] != shape:
                if place in (<Open>opened[producer[place]]).made:
                    close(path, steps, ways, opened.pop(producer[place]), consumers, escapes, result)
        if shape is None:
            if step.effect == WRITES or step.others:
                for block in list(opened.values()):
                    close(path, steps, ways, block, consumers, escapes, result)
                opened.clear()
            result.append(step)
            continue
        if shape not in opened:
            opened[shape] = Open(shape)
        block = opened[shape]
        block.numbers.append(i)
        block.made.add(step.targets[0])
        block.micros += 1 if type(ways[i]) is tuple else (<Program>ways[i]).length
        producer[step.targets[0]] = shape
        if block.micros >= MOST_JOINED:
            close(path, steps, ways, opened.pop(shape), consumers, escapes, result)
    for block in opened.values():
        close(path, steps, ways, block, consumers, escapes, result)
    return result


cdef int close(Path path, list steps, list ways, Open block, dict consumers, set escapes, list result) except -1:
    """Add the block to the result: as one step, or as several where it is too long for one."""
    append_block(path, steps, ways, block.numbers, block.shape, consumers, escapes, result)
    return 0


cdef int append_block(
        Path path, list steps, list ways, list numbers, tuple shape, dict consumers, set escapes, list result) except -1:
    cdef Step fused
    if len(numbers) < FEW:
        result.extend([steps[i] for i in numbers])
        return 0
    fused = joined(path, steps, ways, numbers, shape, consumers, escapes)
    if fused is not None:
        result.append(fused)
        return 0
    half = len(numbers) // 2
    append_block(path, steps, ways, numbers[:half], shape, consumers, escapes, result)
    append_block(path, steps, ways, numbers[half:], shape, consumers, escapes, result)
    return 0


cdef Step joined(Path path, list steps, list ways, list numbers, tuple shape, dict consumers, set escapes):
    """The steps with these numbers as one; None where they are too many."""
    cdef Step step, fused
    cdef Program program
    cdef dict value_of = {}     # slot -> (number of the step of the block that makes it)
    cdef dict sources = {}      # place, or ("constant", id) -> value
    cdef list places = [], extra = [], micros = [], targets = [], results = [], descrs = []
    cdef set inside = set(numbers)
    cdef int i, j, k, value
    # Values are numbered when all sources are known: until then, ("m", i) is the result of step i of the block.
    for i in numbers:
        step = steps[i]
        operands = []
        for j in range(step.count):
            place = step.places[j]
            if place in value_of:
                operands.append(("m", value_of[place]))
            else:
                if place not in sources:
                    sources[place] = len(sources)
                    places.append(place)
                operands.append(("s", place))
        if type(ways[i]) is tuple:
            micros.append((ways[i], None, operands))
        else:
            program = ways[i]
            registers = {}
            for k in range(program.length):
                own = []
                for j in range(program.steps[k].count):
                    value = program.steps[k].operands[j]
                    if value >= MOST_SOURCES:
                        own.append(("m", registers[value - MOST_SOURCES]))
                    elif value >= program.inputs:
                        constant = program.constants[value - program.inputs]
                        if ("c", id(constant)) not in sources:
                            sources["c", id(constant)] = len(sources)
                            extra.append(constant)
                        own.append(("c", id(constant)))
                    else:
                        own.append(operands[value])
                micros.append((program, k, own))
                if program.steps[k].target >= 0:
                    registers[program.steps[k].target] = len(micros) - 1
        value_of[step.targets[0]] = len(micros) - 1
        if step.targets[0] in escapes or not inside.issuperset(consumers.get(step.targets[0], ())):
            targets.append(step.targets[0])
            results.append(len(micros) - 1)
            descrs.append(np.dtype(cnp.PyArray_DescrFromType(path.info[step.targets[0]][0])))
    # Slots and constants of the path come first, then those of the programs.
    order = {place: k for k, place in enumerate(places)}
    for k, constant in enumerate(extra):
        order["c", id(constant)] = len(places) + k
    count = len(order)
    numbered = []
    for origin, number, operands in micros:
        numbered.append((origin, number, [
            count + what if kind == "m" else order[what] if kind == "s" else order["c", what]
            for kind, what in operands]))
    try:
        block = Block(shape, count, numbered, results, descrs)
    except ValueError:
        return None
    fused = Step.__new__(Step)
    fused.kind = FUSED
    fused.safe = True
    fused.detail = block
    fused.attributes = tuple([wrap(constant) for constant in extra])
    fused.reserve(len(places), len(targets))
    for i in range(len(places)):
        fused.places[i] = places[i]
    for i in range(len(targets)):
        fused.targets[i] = targets[i]
    return fused

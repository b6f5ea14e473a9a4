"""Compiles recordings: from the steps of a path, as they were recorded, to those that a replay runs.

`compile_path` runs the passes of an optimizing compiler, on straight-line code in which each slot is assigned once:

1. Dead code: steps without effects whose results are not live are dropped, from the last step to the first.
2. Common subexpressions: a step that computes what an earlier one has computed is dropped, and so are copies.
3. `core.additions` merges a product of matrices with the addition of its result.
4. `core.joining` joins convolutions with what goes over their results: biases, normalisations, activations.
5. Scheduling: small elementwise steps move up, right behind the steps whose results they read.
6. `core.fusing` joins elementwise steps into blocks, one pass over memory each.
7. Verification: every slot is defined before it is read.
8. Liveness: the slots that are dead after each step are listed, so that a replay releases their tensors.

    recorded          after 1       after 2       after 6              after 8
    a = x * y         a = x * y     a = x * y     c = block(x, y)      c = block(x, y), then y is dead
    b = x * y         b = x * y     c = a + a     d = matmul(c, x)     d = matmul(c, x), then c and x are dead
    e = sin(x)        c = a + b     d = ...
    c = a + b         d = ...
    d = matmul(c, x)

Under a tape from outside only 1, 7 and 8 are done, because the tape records all ops.
"""

from cpython.mem cimport PyMem_Malloc
from cpython.ref cimport PyObject

from tapegrad.core.additions cimport Addition, add_products
from tapegrad.core.fusing cimport FusedSteps, fuse, fusion_role
from tapegrad.core.joining cimport join_convolutions
from tapegrad.core.steps cimport (
    BINARY, FUSED, GUARD, NO_EFFECT, OP, PRODUCT, READS, RULE, SUM, UNARY, Code, Path, Step, element_count,
    slots_read_by, type_and_shape)
from tapegrad.engines.numpy.lanes cimport keeps_array
from tapegrad.engines.numpy.programs cimport Program

from tapegrad.dtypes import DType

cdef enum:
    LARGEST_MOVED = 1024        # elements of a result that may be computed earlier, and so kept longer, than in Python


cdef int compile_path(Path path, bint taped, dict live_ins) except -1:
    cdef set escaping = set()   # slots that are read after the path, or on paths that leave it
    cdef list steps = eliminate_dead_code(path, escaping, live_ins), dead_slots
    cdef Step step
    cdef int k
    if not taped:
        steps = eliminate_common_subexpressions(path, steps, escaping)
        steps = add_products(path, steps, escaping)
        steps = join_convolutions(path, steps, escaping)
        steps, roles = schedule(path, steps, [fusion_role(path, step) for step in steps])
        steps = fuse(path, steps, roles, escaping)
    verify(path, steps, live_ins)
    dead_slots = dead_slots_of(path, steps, live_ins)
    for k in range(len(steps)):
        step = steps[k]
        if step.kind == FUSED:
            (<FusedSteps>step.detail).keep_dead_readings(dead_slots[k])
        elif step.kind == PRODUCT:
            (<Addition>step.detail).dead_slots = dead_slots[k]
    path.code = new_code(path, steps, dead_slots)
    return 0


cdef Code new_code(Path path, list steps, list dead_slots):
    """The steps with the slots that are dead after each, as arrays."""
    cdef Code code = Code.__new__(Code)
    cdef Step step
    cdef int i, count = 0
    code.path = path
    code.slots = len(path.info)
    code.steps = steps
    code.branches = []
    for step in steps:
        if step.pending is not None:
            code.slots = max(code.slots, step.pending.slots)
        elif step.other_paths is None:
            code.branches.append(None)
            continue
        branches = {} if step.other_paths is None else {
            key: (<Path>other).code for key, other in step.other_paths.items() if (<Path>other).code is not None}
        for after_guard in branches.values():
            code.slots = max(code.slots, (<Code>after_guard).slots)
        code.branches.append(branches)
    code.length = len(steps)
    code.array = <PyObject**>PyMem_Malloc((code.length + 1) * sizeof(PyObject*))
    code.dead_begin = <int*>PyMem_Malloc((code.length + 1) * sizeof(int))
    code.dead_slots = <int*>PyMem_Malloc((sum([len(slots) for slots in dead_slots]) + 1) * sizeof(int))
    if code.array == NULL or code.dead_begin == NULL or code.dead_slots == NULL:
        raise MemoryError()
    for i in range(code.length):
        code.array[i] = <PyObject*>steps[i]
        code.dead_begin[i] = count
        for slot in dead_slots[i]:
            code.dead_slots[count] = slot
            count += 1
    code.dead_begin[code.length] = count
    return code


# --- Liveness and dead code --------------------------------------------------------------------------

cdef set live_in(Path path, dict live_ins, int start=0):
    """The slots that are live at the beginning of a path: it, or one that leaves it, reads them before it fills them.

    With a ``start``, those that are live before the step of that number.
    """
    cdef set live
    cdef Step step
    cdef int i
    if (path, start) in live_ins:
        return live_ins[path, start]
    live = {place for place in path.outputs if place >= 0}
    for step in reversed(path.steps[start:]):
        live |= live_behind(step, live_ins)
        for i in range(step.results):
            live.discard(step.targets[i])
        live |= slots_read_by(step)
    live_ins[path, start] = live
    return live


cdef set live_behind(Step step, dict live_ins):
    """The slots that are live on paths that begin behind a guard, or may do so for sizes that have not come yet."""
    cdef set live = set()
    if step.other_paths is not None:
        for other in step.other_paths.values():
            live |= live_in(other, live_ins)
    if step.pending is not None:
        for _, other, start in step.pending.cases:
            live |= live_in(other, live_ins, start)
    return live


cdef list eliminate_dead_code(Path path, set escaping, dict live_ins):
    """The steps with an effect, and those whose results are live. Adds the slots that leave the path to ``escaping``."""
    cdef set live = {place for place in path.outputs if place >= 0}
    cdef list steps = []
    cdef Step step
    cdef bint is_live
    cdef int i
    escaping |= live
    for step in reversed(path.steps):
        if step.other_paths is not None or step.pending is not None:
            other_live = live_behind(step, live_ins)
            live |= other_live
            escaping |= other_live
        is_live = not step.safe or step.effect > READS or step.kind == GUARD
        for i in range(step.results):
            is_live = is_live or step.targets[i] in live
        if not is_live:
            continue
        for i in range(step.results):
            live.discard(step.targets[i])
        live |= slots_read_by(step)
        steps.append(step)
    steps.reverse()
    return steps


cdef int verify(Path path, list steps, dict live_ins) except -1:
    """Raise unless ``steps``, which are run in place of those of the path, fill every slot before they read it."""
    cdef set filled = set(live_in(path, live_ins))
    cdef Step step
    cdef int i
    for step in steps:
        if not filled.issuperset(slots_read_by(step)):
            raise RuntimeError(f"a step of a program, {step.name}, reads a tensor that no step before it makes")
        filled.update([step.targets[i] for i in range(step.results)])
    if not filled.issuperset([place for place in path.outputs if place >= 0]):
        raise RuntimeError("a program gives a tensor that no step of it makes")
    return 0


cdef list dead_slots_of(Path path, list steps, dict live_ins):
    """For each step the slots that nothing reads after it."""
    cdef set outputs = {place for place in path.outputs if place >= 0}
    cdef dict last_use = {}     # slot -> the last step that reads it, or needs it for a branch; or else that fills it
    cdef list dead_slots = [[] for step in steps]
    cdef Step step
    cdef int i, k
    for k in range(len(steps)):
        step = steps[k]
        for i in range(step.results):
            if step.targets[i] >= 0:
                last_use[step.targets[i]] = k
        for slot in slots_read_by(step):
            last_use[slot] = k
        for slot in live_behind(step, live_ins):
            last_use[slot] = k
    for slot, k in last_use.items():
        if slot not in outputs:
            (<list>dead_slots[k]).append(slot)
    return dead_slots


# --- Common subexpressions ----------------------------------------------------------------------------

cdef object attribute_key(object value):
    """Key of an attribute. Raises TypeError for values that may change, or may be equal to others."""
    kind = type(value)
    if kind is tuple:
        return tuple([attribute_key(part) for part in <tuple>value])
    if value is None or kind is bool or kind is int or kind is str or kind is bytes or kind is DType or value is Ellipsis:
        return (kind, value)
    if kind is slice:
        return (kind, attribute_key((value.start, value.stop, value.step)))
    if kind is float:
        return (kind, repr(value))
    raise TypeError


cdef object operation_key(Step step):
    """What a step does to its operands, as a key for common subexpressions; None for a step that must not be merged."""
    if (not step.safe or step.effect != NO_EFFECT or step.paused or step.nested is not None or step.other_paths is not None
            or step.kind not in (UNARY, BINARY, OP, RULE, SUM)):
        return None
    try:
        return (<int>step.kind, id(step.op), attribute_key(step.attributes),
                attribute_key(step.detail) if step.kind == SUM else id(step.detail))
    except TypeError:
        return None


cdef object expression_key(Path path, Step step):
    """Key of a step for common subexpressions: its operation and its operands."""
    cdef int i
    operation = operation_key(step)
    if operation is None:
        return None
    # A constant stands for itself: the same number may be there twice, as two constants.
    return (operation, tuple([
        step.places[i] if step.places[i] >= 0 else ("constant", id(path.constants[-1 - step.places[i]]))
        for i in range(step.count)]))


cdef bint is_copy(Path path, Step step):
    """Whether the result is the operand, in another tensor."""
    return (step.kind == OP and step.safe and step.effect == NO_EFFECT and not step.paused and step.other_paths is None
            and step.shapes is None and step.nested is None and step.results == 1 and step.count > 0
            and keeps_array(step.op.lane) and step.places[0] >= 0 and step.targets[0] >= 0
            and path.info[step.places[0]] == path.info[step.targets[0]])


cdef list eliminate_common_subexpressions(Path path, list steps, set escaping):
    """The steps without copies, and without those that compute what an earlier step has computed.

    A slot that leaves the path stays a tensor of its own.
    """
    cdef dict available = {}        # key of an expression -> the step that computes it
    cdef dict replaced_by = {}      # slot -> the slot with the same value
    cdef dict producer = {}         # slot -> the step that fills it, if it may fill another slot instead
    cdef dict read_counts = {}      # slot -> how many steps read it
    cdef list result = []
    cdef Step step, earlier
    cdef int i, k
    for step in steps:
        for slot in slots_read_by(step):
            read_counts[slot] = read_counts.get(slot, 0) + 1
    for step in steps:
        if replaced_by:
            for slot in slots_read_by(step):
                if slot in replaced_by:
                    step = renamed_step(step, replaced_by)
                    break
        if is_copy(path, step):
            if step.targets[0] not in escaping:
                replaced_by[step.targets[0]] = step.places[0]
                # The steps that read the copy read the operand from now on.
                read_counts[step.places[0]] = (
                    read_counts.get(step.places[0], 0) - 1 + read_counts.get(step.targets[0], 0))
                continue
            earlier = producer.get(step.places[0])
            if earlier is not None and step.places[0] not in escaping and read_counts[step.places[0]] == 1:
                # The step that computes the operand fills the slot of the copy.
                producer[step.places[0]] = None
                replaced_by[step.places[0]] = step.targets[0]
                k = result.index(earlier)
                result[k] = renamed_step(earlier, {})
                (<Step>result[k]).targets[0] = step.targets[0]
                continue
        key = expression_key(path, step)
        if key is not None:
            earlier = available.get(key)
            if earlier is None:
                available[key] = step
                if step.kind != RULE and step.results == 1 and not (step.kind == OP and keeps_array(step.op.lane)):
                    producer[step.targets[0]] = step
            elif all([step.targets[i] < 0 or earlier.targets[i] >= 0 and step.targets[i] not in escaping
                      for i in range(step.results)]):
                for i in range(step.results):
                    if step.targets[i] >= 0:
                        replaced_by[step.targets[i]] = replaced_by.get(earlier.targets[i], earlier.targets[i])
                        producer[earlier.targets[i]] = None     # more steps than one read it
                continue
        result.append(step)
    return result


cdef Step renamed_step(Step step, dict replaced_by):
    """A copy of the step that reads, for each slot in ``replaced_by``, the slot that replaces it."""
    cdef Step renamed = Step.__new__(Step)
    cdef int i
    renamed.kind = step.kind
    renamed.effect = step.effect
    renamed.op = step.op
    renamed.loop = step.loop
    renamed.attributes = step.attributes
    renamed.detail = step.detail
    renamed.backward = step.backward
    renamed.shapes = step.shapes
    renamed.key = step.key
    renamed.other_paths = step.other_paths
    renamed.pending = step.pending
    renamed.safe = step.safe
    renamed.paused = step.paused
    renamed.speculative = step.speculative
    renamed.where = step.where
    renamed.scope = step.scope
    renamed.reserve(step.count, step.results)
    for i in range(step.count):
        renamed.places[i] = replaced_by.get(step.places[i], step.places[i])
    for i in range(step.results):
        renamed.targets[i] = step.targets[i]
    if step.nested is not None:
        renamed.nested = {
            number: (kind, [replaced_by.get(place, place) for place in places])
            for number, (kind, places) in step.nested.items()}
    return renamed


# --- Scheduling -----------------------------------------------------------------------------------------

cdef tuple schedule(Path path, list steps, list roles):
    """The steps and their roles in blocks, with small elementwise steps right behind the steps whose results they read.

    So steps of one shape come together. No step moves past an effect or a guard.
    """
    cdef list behind = [[] for _ in range(len(steps) + 1)]  # number of steps that come before -> steps that come then
    cdef dict filled_at = {}    # slot -> how many of `behind` come before it is filled
    cdef list order = []
    cdef Step step
    cdef int i, k, barrier = 0, target
    for i in range(len(steps)):
        step = steps[i]
        k = i + 1
        if ((type(roles[i]) is Program or type(roles[i]) is tuple)
                and element_count(type_and_shape(path, step.targets[0])[1]) <= LARGEST_MOVED):
            k = barrier
            for slot in slots_read_by(step):
                k = max(k, <int>filled_at.get(slot, 0))
        elif step.effect > READS or step.guard_key() is not None:
            barrier = k
        (<list>behind[k]).append(i)
        for target in range(step.results):
            filled_at[step.targets[target]] = k
    for numbers in behind:
        order.extend(grouped_by_shape(path, steps, numbers) if len(<list>numbers) > 2 else numbers)
    return [steps[i] for i in order], [roles[i] for i in order]


cdef list grouped_by_shape(Path path, list steps, list numbers):
    """The numbers of these steps, those of one shape together as far as none reads what a later one gives."""
    cdef list order = [], waiting = numbers[1:], later
    cdef set unfilled
    cdef Step step
    # The first one may be of any kind, and the others may read what it gives.
    order.append(numbers[0])
    while waiting:
        unfilled = set()        # slots that the steps in `later` fill
        later = []
        shape = type_and_shape(path, (<Step>steps[<int>waiting[0]]).targets[0])[1]
        for i in waiting:
            step = steps[<int>i]
            if type_and_shape(path, step.targets[0])[1] == shape and unfilled.isdisjoint(slots_read_by(step)):
                order.append(i)
            else:
                later.append(i)
                unfilled.add(step.targets[0])
        waiting = later
    return order

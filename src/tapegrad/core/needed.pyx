"""Which of the recorded steps are run, and in which order.

What was computed before is not computed again, and what nobody needs is not computed at all.
"""

from tapegrad.core.recorder cimport (
    BINARY, GUARD, NO_EFFECT, OP, READS, RULE, SUM, UNARY, Path, Step, info_of, read_by)
from tapegrad.engines.numpy.lanes cimport keeps_array
from tapegrad.engines.numpy.programs cimport Program

from tapegrad.dtypes import DType

cdef enum:
    EARLY = 1024                # elements of results that may be there earlier, and so longer, than in the Python code


cdef Py_ssize_t size_of(tuple shape):
    cdef Py_ssize_t size = 1
    for length in shape:
        size *= length
    return size


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


cdef int check_filled(Path path, list steps, dict known) except -1:
    """Raise unless ``steps``, which are run in place of those of the path, fill every slot before they read it."""
    cdef set filled = set(read_first(path, known))
    cdef Step step
    cdef int i
    for step in steps:
        if not filled.issuperset(read_by(step)):
            raise RuntimeError(f"a step of a program, {step.name}, reads a tensor that no step before it makes")
        filled.update([step.targets[i] for i in range(step.results)])
    if not filled.issuperset([place for place in path.outputs if place >= 0]):
        raise RuntimeError("a program gives a tensor that no step of it makes")
    return 0


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


cdef object attributes_key(object value):
    """What tells attributes apart; raises TypeError for values that could change, or may be equal to others."""
    kind = type(value)
    if kind is tuple:
        return tuple([attributes_key(part) for part in <tuple>value])
    if value is None or kind is bool or kind is int or kind is str or kind is bytes or kind is DType or value is Ellipsis:
        return (kind, value)
    if kind is slice:
        return (kind, attributes_key((value.start, value.stop, value.step)))
    if kind is float:
        return (kind, repr(value))
    raise TypeError


cdef object key_of_step(Step step):
    """What tells from another step one that gives the same for the same operands; None for one with an effect."""
    if (not step.safe or step.effect != NO_EFFECT or step.paused or step.nested is not None or step.others is not None
            or step.kind not in (UNARY, BINARY, OP, RULE, SUM)):
        return None
    try:
        return (<int>step.kind, id(step.op), attributes_key(step.attributes),
                attributes_key(step.detail) if step.kind == SUM else id(step.detail))
    except TypeError:
        return None


cdef bint passes_on(Path path, Step step):
    """Whether the result is the operand, in another tensor."""
    return (step.kind == OP and step.safe and step.effect == NO_EFFECT and not step.paused and step.others is None
            and step.shapes is None and step.nested is None and step.results == 1 and step.count > 0
            and keeps_array(step.op.lane) and step.places[0] >= 0 and step.targets[0] >= 0
            and path.info[step.places[0]] == path.info[step.targets[0]])


cdef list distinct(Path path, list steps, set escapes):
    """The steps without those that compute again what one before has computed, or compute nothing.

    A result that leaves the path stays a tensor of its own.
    """
    cdef dict seen = {}         # what a step does -> the step
    cdef dict same = {}         # slot -> the slot with the same value
    cdef dict maker = {}        # slot -> the step that fills it, if it may as well fill another slot
    cdef dict reads = {}        # slot -> how many steps read it
    cdef list result = []
    cdef Step step, before
    cdef int i, k
    for step in steps:
        for place in read_by(step):
            reads[place] = reads.get(place, 0) + 1
    for step in steps:
        if same:
            for place in read_by(step):
                if place in same:
                    step = renamed_step(step, same)
                    break
        if passes_on(path, step):
            if step.targets[0] not in escapes:
                same[step.targets[0]] = step.places[0]
                # Those that read the result read the operand from now on.
                reads[step.places[0]] = reads.get(step.places[0], 0) - 1 + reads.get(step.targets[0], 0)
                continue
            before = maker.get(step.places[0])
            if before is not None and step.places[0] not in escapes and reads[step.places[0]] == 1:
                # The step that computes it fills the other slot.
                maker[step.places[0]] = None
                same[step.places[0]] = step.targets[0]
                k = result.index(before)
                result[k] = renamed_step(before, {})
                (<Step>result[k]).targets[0] = step.targets[0]
                continue
        key = key_of_step(step)
        if key is not None:
            # A constant stands for itself: the same number may be there twice, as two constants.
            key = (key, tuple([step.places[i] if step.places[i] >= 0 else ("constant", id(path.constants[-1 - step.places[i]]))
                               for i in range(step.count)]))
            before = seen.get(key)
            if before is None:
                seen[key] = step
                if step.kind != RULE and step.results == 1 and not (step.kind == OP and keeps_array(step.op.lane)):
                    maker[step.targets[0]] = step
            elif all([step.targets[i] < 0 or before.targets[i] >= 0 and step.targets[i] not in escapes
                      for i in range(step.results)]):
                for i in range(step.results):
                    if step.targets[i] >= 0:
                        same[step.targets[i]] = same.get(before.targets[i], before.targets[i])
                        maker[before.targets[i]] = None     # it has more readers than one
                continue
        result.append(step)
    return result


cdef Step renamed_step(Step step, dict same):
    """A copy of the step that reads other slots: those that ``same`` names for its own."""
    cdef Step made = Step.__new__(Step)
    cdef int i
    made.kind = step.kind
    made.effect = step.effect
    made.op = step.op
    made.loop = step.loop
    made.attributes = step.attributes
    made.detail = step.detail
    made.backward = step.backward
    made.shapes = step.shapes
    made.key = step.key
    made.others = step.others
    made.safe = step.safe
    made.paused = step.paused
    made.held = step.held
    made.where = step.where
    made.reserve(step.count, step.results)
    for i in range(step.count):
        made.places[i] = same.get(step.places[i], step.places[i])
    for i in range(step.results):
        made.targets[i] = step.targets[i]
    if step.nested is not None:
        made.nested = {
            number: (kind, [same.get(place, place) for place in places]) for number, (kind, places) in step.nested.items()}
    return made


cdef tuple early(Path path, list steps, list ways):
    """The steps, and how each joins a block, with small elementwise steps right behind those whose results they read."""
    cdef list after = [[] for _ in range(len(steps) + 1)]   # the numbers of the steps that come behind the first few
    cdef dict made = {}         # slot -> how many of `after` come before it is read
    cdef list order = []
    cdef Step step
    cdef int i, k, first = 0, place
    for i in range(len(steps)):
        step = steps[i]
        k = i + 1
        if (type(ways[i]) is Program or type(ways[i]) is tuple) and size_of(info_of(path, step.targets[0])[1]) <= EARLY:
            k = first
            for place in read_by(step):
                k = max(k, <int>made.get(place, 0))
        elif step.effect > READS or step.seen() is not None:
            first = k
        (<list>after[k]).append(i)
        for place in range(step.results):
            made[step.targets[place]] = k
    for numbers in after:
        order.extend(by_shape(path, steps, numbers) if len(<list>numbers) > 2 else numbers)
    return [steps[i] for i in order], [ways[i] for i in order]


cdef list by_shape(Path path, list steps, list numbers):
    """The numbers of these steps with those of one shape one after the other, as far as they do not wait for others."""
    cdef list order = [], left = numbers[1:], later
    cdef set missing
    cdef Step step
    # The first one may be of any kind, and the others may read what it gives.
    order.append(numbers[0])
    while left:
        missing = set()         # slots that steps fill which wait
        later = []
        shape = info_of(path, (<Step>steps[<int>left[0]]).targets[0])[1]
        for i in left:
            step = steps[<int>i]
            if info_of(path, step.targets[0])[1] == shape and missing.isdisjoint(read_by(step)):
                order.append(i)
            else:
                later.append(i)
                missing.add(step.targets[0])
        left = later
    return order

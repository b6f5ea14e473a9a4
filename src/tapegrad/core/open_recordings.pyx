"""Recordings for open sizes, and the recordings for given sizes that are made of them.

An `OpenRecording` is what a `Recorder` has written down under an `tapegrad.core.opening.Opening`: paths whose shapes,
attributes and constants hold expressions of sizes, and guards that say for which sizes they are true. For the sizes of
a call, `path_for` copies the steps with ints in place of the expressions. What depends on sizes alone is computed then,
and is a constant. From there on such a path is as one that was recorded for these sizes: it has the same steps, and
is compiled and run as others are.

Sizes that values decide, as the length of a `tf.boolean_mask`, get names where they arise. There the copy ends: nobody
knows them before the step has run. Its guard meets a new size then, and `Continuations` copy what follows for that one.
Where Python has decided by such sizes there may be several paths, whose guards say for which of them each is true.
"""

cimport cython
cimport numpy as cnp
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.ref cimport Py_INCREF, PyObject

from tapegrad.core.compiling cimport renamed_step
from tapegrad.core.dispatch cimport NOTHING
from tapegrad.core.kinds cimport holds_size, with_ints
from tapegrad.core.observers cimport current_state
from tapegrad.core.observers import apart
from tapegrad.core.steps cimport BINARY, PendingPaths, LARGEST_CONSTANT, NO_EFFECT, OP, RULE, SUM, UNARY, Path, Step, clear, element_count
from tapegrad.core.replay cimport Program, cases_of, run_step
from tapegrad.core.tensor cimport EagerTensor, is_trainable, wrap

import numpy as np

cnp.import_array()

cdef enum:
    MOST_EXTENSIONS = 256       # calls of one program with new sizes that values decide: then it begins again with none
    WORTH = 3                   # replays for each of them, or Python takes less time
    UNSEEN = -1                 # no size of an array


cdef tuple form_of(tuple key, list shapes):
    """The key of a signature without the sizes of tensors. Their shapes go to ``shapes``."""
    if key and all([type(part) is int for part in key]):
        shapes.append(key[1:])
        return (key[0], len(key))
    return tuple([form_of(<tuple>part, shapes) if type(part) is tuple else part for part in key])


cdef dict changed_axes(list before, list after):
    """For the number of each argument the axes on which the shapes differ; None where nothing can be recorded for these."""
    cdef dict axes = {}
    for number, (one, other) in enumerate(zip(before, after)):
        changed = [axis for axis in range(len(one)) if one[axis] != other[axis]]
        if any([other[axis] < LEAST_OPEN for axis in changed]):
            return None
        if changed:
            axes[number] = changed
    return axes


cdef class OpenRecording:
    def __cinit__(self, Program tree not None, dict axes not None, list shapes not None):
        self.tree = tree
        self.axes = axes
        self.shapes = shapes
        self.guards = []

    cdef int add(self, Path path, object opening) except -1:
        from tapegrad.core.opening import OF_VALUES
        cdef dict sizes = {text: hint for text, hint in opening.hints.items() if not text.startswith(OF_VALUES)}
        path.guards = opening.guards
        if self.tree.root is None:
            self.guards = [guard for guard in path.guards if guard.names <= sizes.keys()]
        self.tree.add(path, Way(sizes))
        self.version += 1
        return 0

    cdef dict sizes_of(self, list shapes):
        """The open sizes in these shapes; None where this was not recorded for them."""
        from tapegrad.core.opening import name_of
        cdef dict sizes = {}
        for number, shape in enumerate(shapes):
            axes = self.axes.get(number, ())
            for axis in range(len(shape)):
                if axis in axes:
                    if shape[axis] < LEAST_OPEN:
                        return None
                    sizes[name_of(number, axis)] = shape[axis]
                elif shape[axis] != self.shapes[number][axis]:
                    return None
        return sizes if allow(self.guards, sizes) else None

    cdef Path path_for(self, dict sizes):
        """What was recorded, for these sizes."""
        cdef Evaluation evaluation = Evaluation.__new__(Evaluation)
        cdef list paths = self.tree.paths()
        evaluation.sizes, evaluation.values, evaluation.shapes, evaluation.taped = sizes, {}, {}, self.tree.taped
        evaluation.outputs = {place for path in paths for place in path.outputs if place >= 0}
        evaluation.slots = max([len(path.info) for path in paths])
        with apart():
            return path_with(self.tree.root, 0, evaluation, {}, [])


cdef class Way:
    """The way of a call through the paths that are there, by its sizes as they get known."""

    cdef dict sizes

    def __init__(self, dict sizes):
        self.sizes = sizes

    def __call__(self, key, Path path):
        from tapegrad.core.sizes import hint_of
        cdef dict sizes = dict(self.sizes)
        if not name(key, with_ints(key, hint_of), sizes) or not allow(path.guards, sizes):
            return False
        self.sizes = sizes
        return True


@cython.final
cdef class Continuations(PendingPaths):
    """The pending paths of a guard in a path for given sizes."""

    cdef Evaluation evaluation  # by the sizes that are known there
    cdef dict known             # the tensors of slots that they decide
    cdef list info              # of the slots that are filled there

    cdef Path path_for(self, object program, tuple numbers):
        cdef Program called = program
        cdef OpenRecording recording = called.origin
        for pattern, path, start in self.cases:
            sizes = dict(self.evaluation.sizes)
            if not name(pattern, numbers, sizes) or not allow((<Path>path).guards, sizes):
                continue
            if called.extensions >= MOST_EXTENSIONS:
                if called.replays - called.replays_before < WORTH * MOST_EXTENSIONS:
                    called.refuse((f"the sizes that values decide hardly come again: {MOST_EXTENSIONS} were met", None))
                    return None
                called.follow(recording.tree, recording.path_for(called.sizes))     # the next call begins with none
            if called.replays != called.extended_at:    # of one call all together
                called.extended_at = called.replays
                called.extensions += 1
            try:
                with apart():
                    return path_with(path, start, self.evaluation.by(sizes), self.known, self.info)
            except Exception:
                return None     # Python will say what is wrong with these sizes
        return None


cdef class Evaluation:
    """Puts ints in place of expressions, in the paths of one program."""

    cdef dict sizes
    cdef dict values            # formula of a size -> the int
    cdef dict shapes            # id of a shape in one of the paths -> the shape in ints
    cdef bint taped             # for calls under a tape from outside
    cdef set outputs            # slots of results of any path: a result is a new tensor in each replay
    cdef int slots              # that any path needs

    cdef Evaluation by(self, dict sizes):
        """The same where more sizes are known."""
        cdef Evaluation other = Evaluation.__new__(Evaluation)
        other.sizes, other.values, other.shapes = sizes, dict(self.values), {}
        other.taped, other.outputs, other.slots = self.taped, self.outputs, self.slots
        return other

    def int_of(self, size):
        value = self.values.get(size.terms)
        if value is None:
            value = self.values[size.terms] = size.evaluate(self.sizes)
        return value

    cdef object of(self, object value):
        return with_ints(value, self.int_of)

    cdef tuple info_of(self, tuple info):
        """Dtype and shape of a slot. The path keeps its shapes, and many slots have the same one."""
        cdef size_t key = <size_t><PyObject*>info[1]
        shape = self.shapes.get(key)
        if shape is None:
            shape = self.shapes[key] = self.of(info[1])
        return (info[0], shape)

    cdef bint lacks(self, object value) except -1:
        """Whether a size in it is not known yet."""
        try:
            self.of(value)
            return False
        except KeyError:
            return True

    cdef object constant(self, object value):
        if type(value) is not EagerTensor:
            return self.of(value)
        array = (<EagerTensor>value).array
        return value if isinstance(array, cnp.ndarray) else wrap(array.at(self.sizes))


cdef bint allow(guards, dict sizes) except -1:
    for guard in guards:
        if guard.names <= sizes.keys() and not guard.holds(sizes):
            return False
    return True


cdef bint name(object pattern, object numbers, dict sizes) except -1:
    """Whether ``numbers`` are those of the ``pattern``. Sizes that it names, and nobody knows yet, go to ``sizes``."""
    if type(pattern) is tuple:
        return len(pattern) == len(numbers) and all([
            name(part, number, sizes) for part, number in zip(pattern, numbers)])
    if not holds_size(pattern):
        return pattern == numbers
    text = pattern.formula()
    if type(text) is not str or text in sizes:
        return pattern.evaluate(sizes) == numbers
    sizes[text] = numbers
    return numbers >= LEAST_OPEN


cdef Path path_with(Path path, int start, Evaluation evaluation, dict known, list filled):
    """A copy of the path from a step on, for these sizes.

    ``known`` has the tensors of slots that are filled on the way to it, as far as sizes decide them, and ``filled`` the
    info of all such slots.
    """
    cdef list steps = [], info = filled + path.info[len(filled):], constants = list(path.constants)
    cdef list cases, pending, others, ready
    cdef bint is_last
    cdef Continuations continuations
    cdef dict folded = {}       # slot -> place among the constants
    cdef Step step, copy
    cdef Path copied
    cdef int i, number
    for slot, tensor in known.items():
        constants.append(tensor)
        folded[slot] = -len(constants)
    known = dict(known)
    copied = Path(steps, (), path.outputs, path.template, info)
    copied.count = path.count
    copied.inputs = path.inputs
    if start == 0 and not filled:
        for i in range(path.count):
            info[i] = evaluation.info_of(path.info[i])
    if start > 0:
        fill(info, path, path.steps[start - 1], evaluation)
    for number in range(start, len(path.steps)):
        step = path.steps[number]
        copy = renamed_step(step, folded)
        copy.attributes = evaluation.of(step.attributes)
        for place in constants_of(step):
            constants[-1 - place] = evaluation.constant(path.constants[-1 - place])
        cases = cases_of(path, number)
        pending, others = [], []
        for case in cases:
            (pending if evaluation.lacks(case[0]) else others).append(case)
        ready = [case for case in others if not is_met(case[0], step, path, pending, evaluation.sizes)]
        # Otherwise what follows in this path is known.
        is_last = bool(pending) and (not ready or ready[0] is not cases[0])
        if not is_last:
            copy.shapes = evaluation.of(step.shapes)
            fill(info, path, step, evaluation)
        if step.kind == SUM:
            copy.detail = evaluation.of(step.detail)
        if is_known(copy, evaluation.outputs) and not (evaluation.taped and may_be_watched(step, path)):
            results = results_of(copy, constants, info)
            if results is not None:
                for i in range(copy.results):
                    if copy.targets[i] >= 0:
                        constants.append(results[i])
                        folded[copy.targets[i]] = -len(constants)
                        known[copy.targets[i]] = results[i]
                continue
        steps.append(copy)
        if not cases:
            continue
        copy.other_paths = {}
        for key, other, _ in ready[0 if is_last else 1:]:
            key = evaluation.of(key)
            if key not in copy.other_paths and allow((<Path>other).guards, evaluation.sizes):
                copy.other_paths[key] = path_with(other, 0, evaluation, known, info)
        copy.other_paths = copy.other_paths or None
        if not pending:
            continue
        copy.pending = continuations = Continuations.__new__(Continuations)
        continuations.cases, continuations.slots = pending, evaluation.slots
        continuations.evaluation, continuations.known, continuations.info = evaluation, dict(known), list(info)
        if is_last:
            copy.key = b""
            if step.shapes is not None:
                copy.shapes = tuple([(UNSEEN,) * len(shape) for shape in step.shapes])
            copied.outputs = ()
            break
    for place in copied.outputs:
        if place < 0:
            constants[-1 - place] = evaluation.constant(path.constants[-1 - place])
    copied.constants = tuple(constants)
    return copied


cdef int fill(list info, Path path, Step step, Evaluation evaluation) except -1:
    """Note dtype and shape of what a step gives."""
    cdef int i
    for i in range(step.results):
        if step.targets[i] >= 0:
            info[step.targets[i]] = evaluation.info_of(path.info[step.targets[i]])
    return 0


cdef bint is_met(object key, Step step, Path path, list pending, dict sizes) except -1:
    """Whether what a guard has seen once, before its sizes had names, is a case of paths where they have."""
    if type(key) is bytes:
        key = tuple(np.frombuffer(key, dtype_of_number(path.info[step.places[0]][0])).tolist())
    return any([name(pattern, key, dict(sizes)) for pattern, _, _ in pending])


cdef list constants_of(Step step):
    """The places among the constants that a step reads."""
    cdef int i
    cdef list places = [step.places[i] for i in range(step.count) if step.nested is None or i not in step.nested]
    if step.nested is not None:
        for _, inside in step.nested.values():
            places += inside
    return [place for place in places if place < 0]


cdef bint is_known(Step step, set outputs):
    """Whether the sizes alone decide what the step gives, and it gives no result of the path."""
    cdef int i
    if (step.effect != NO_EFFECT or not step.safe or step.paused or step.nested is not None or step.other_paths is not None
            or step.kind not in (UNARY, BINARY, OP, RULE, SUM)):
        return False
    for i in range(step.count):
        if step.places[i] >= 0 and not (step.kind == OP and step.op.decided == NOTHING):
            return False
    for i in range(step.results):
        if step.targets[i] in outputs:
            return False
    return True


cdef bint may_be_watched(Step step, Path path) except -1:
    """Whether a step reads a tensor that sizes do not make: a tape may watch one from outside, and has to see the step."""
    for place in constants_of(step):
        value = path.constants[-1 - place]
        if (type(value) is EagerTensor and isinstance((<EagerTensor>value).array, cnp.ndarray)
                and is_trainable((<EagerTensor>value).array)):
            return True
    return False


cdef list results_of(Step step, list constants, list info):
    """What a step gives for constants, as tensors; None where that is large, and computed in each replay."""
    cdef PyObject** slots
    cdef Path path = Path([], tuple(constants), (), None, info)
    cdef list results = [], stand_ins = []
    cdef Py_ssize_t total = 0
    cdef int i
    for i in range(step.results):
        if step.targets[i] >= 0:
            number, shape = info[step.targets[i]]
            total += dtype_of_number(number).itemsize * element_count(shape)
    if total > LARGEST_CONSTANT:
        return None
    slots = <PyObject**>PyMem_Calloc(max(len(info), 1), sizeof(PyObject*))
    if slots == NULL:
        raise MemoryError()
    try:
        for i in range(step.count):
            if step.places[i] >= 0:
                # Of this operand only the shape is looked at.
                number, shape = info[step.places[i]]
                stand_ins.append(wrap(np.zeros(shape, dtype_of_number(number))))
                Py_INCREF(stand_ins[len(stand_ins) - 1])
                slots[step.places[i]] = <PyObject*>stand_ins[len(stand_ins) - 1]
        run_step(step, path, slots, current_state(), None, 0)
        for i in range(step.results):
            results.append(None if step.targets[i] < 0 else <object>slots[step.targets[i]])
    finally:
        for i in range(<int>len(info)):
            clear(slots[i])
        PyMem_Free(slots)
    return results


cdef object dtype_of_number(int number):
    return cnp.PyArray_DescrFromType(number)

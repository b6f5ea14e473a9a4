"""Recordings for open sizes, and the recordings for given sizes that are made of them.

An `OpenRecording` is what a `Recorder` has written down under an `tapegrad.core.opening.Opening`: paths whose shapes,
attributes and constants hold expressions of sizes, and guards that say for which sizes they are true. For the sizes of
a call, `path_for` copies the steps with ints in place of the expressions. What depends on sizes alone is computed then,
and is a constant. From there on such a path is as one that was recorded for these sizes: it has the same steps, and
is compiled and run as others are.
"""

cimport numpy as cnp
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.ref cimport Py_INCREF, PyObject

from tapegrad.core.compiling cimport renamed_step
from tapegrad.core.dispatch cimport NOTHING
from tapegrad.core.kinds cimport holds_size
from tapegrad.core.observers cimport current_state
from tapegrad.core.observers import apart
from tapegrad.core.steps cimport BINARY, LARGEST_CONSTANT, NO_EFFECT, OP, RULE, SUM, UNARY, Path, Step, clear, element_count
from tapegrad.core.replay cimport Program, run_step
from tapegrad.core.tensor cimport EagerTensor, wrap

import numpy as np

cnp.import_array()

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
        self.guards = {}

    cdef int add(self, Path path, list guards) except -1:
        self.tree.add(path)
        for guard in guards:
            self.guards[guard] = None
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
        for guard in self.guards:
            if not guard.holds(sizes):
                return None
        return sizes

    cdef Path path_for(self, dict sizes):
        """What was recorded, for these sizes."""
        with apart():
            return path_with(self.tree.root, Evaluation(sizes), {}, {
                place for path in self.tree.paths() for place in path.outputs if place >= 0})


cdef class Evaluation:
    """Puts ints in place of expressions."""

    cdef dict sizes
    cdef dict values            # formula of a size -> the int
    cdef object with_ints

    def __cinit__(self, dict sizes):
        from tapegrad.core.opening import with_ints     # whoever never meets a second size need not load it
        self.sizes = sizes
        self.values = {}
        self.with_ints = with_ints

    def int_of(self, size):
        value = self.values.get(size.terms)
        if value is None:
            value = self.values[size.terms] = size.evaluate(self.sizes)
        return value

    cdef object of(self, object value):
        return self.with_ints(value, self.int_of) if holds_size(value) else value

    cdef object constant(self, object value):
        if type(value) is not EagerTensor:
            return self.of(value)
        array = (<EagerTensor>value).array
        return value if isinstance(array, cnp.ndarray) else wrap(array.at(self.sizes))


cdef Path path_with(Path path, Evaluation evaluation, dict known, set outputs):
    """A copy of the path for these sizes. ``known`` has the tensors of slots that are filled on the way to it.

    The slots ``outputs`` are results of this path or of others: a result is a new tensor in each replay.
    """
    cdef list steps = [], info = [(number, evaluation.of(shape)) for number, shape in path.info]
    cdef list constants = [evaluation.constant(value) for value in path.constants]
    cdef dict folded = {}       # slot -> place among the constants
    cdef Step step, copy
    cdef Path copied
    cdef int i
    for slot, tensor in known.items():
        constants.append(tensor)
        folded[slot] = -len(constants)
    known = dict(known)
    copied = Path(steps, (), path.outputs, path.template, info)
    copied.count = path.count
    copied.inputs = path.inputs
    for step in path.steps:
        copy = renamed_step(step, folded)
        copy.attributes = evaluation.of(step.attributes)
        copy.shapes = evaluation.of(step.shapes)
        if step.kind == SUM:
            copy.detail = evaluation.of(step.detail)
        if is_known(copy, outputs):
            results = results_of(copy, constants, info)
            if results is not None:
                for i in range(copy.results):
                    if copy.targets[i] >= 0:
                        constants.append(results[i])
                        folded[copy.targets[i]] = -len(constants)
                        known[copy.targets[i]] = results[i]
                continue
        if step.other_paths is not None:
            copy.other_paths = {
                evaluation.of(key): path_with(other, evaluation, known, outputs) for key, other in step.other_paths.items()}
        steps.append(copy)
    copied.constants = tuple(constants)
    return copied


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

"""What a recording consists of: steps, and the paths that they form.

A `Step` calls an op, a rule of the walk back or a kernel, or is a guard. A `Path` is a list of them, from the beginning
or from a guard to a result. `tapegrad.core.recorder` writes them down, passes such as `compiling` and `fusing` make
others of them, and `replay` runs them.
"""

cimport cython
cimport numpy as cnp
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.ref cimport PyObject

from tapegrad.core.dispatch cimport Op
from tapegrad.core.observers cimport ThreadState
from tapegrad.core.plans cimport Call
from tapegrad.core.tensor cimport EagerTensor, shape_tuple
from tapegrad.core.variable cimport VariableBase

cnp.import_array()

EFFECTS = {None: NO_EFFECT, "reads": READS, "writes": WRITES, "draws": DRAWS, "prints": PRINTS, "calls": CALLS}


cdef bint lasts(int effect, object resource):
    """Whether nobody can undo what an op with this effect has done: it printed, called Python, or wrote no variable."""
    return effect == PRINTS or effect == CALLS or effect == WRITES and not isinstance(resource, VariableBase)


cdef int effect_of(Op op):
    return EFFECTS[None if op.effect is None else op.effect.partition(" ")[0]]


cdef object resource_of(Op op, tuple attributes):
    """The attribute that the op reads or writes."""
    return attributes[op.attributes.index(op.effect.partition(" ")[2])]


@cython.final
cdef class Step:
    def __dealloc__(self):
        PyMem_Free(self.places)
        PyMem_Free(self.targets)

    cdef int reserve(self, int count, int results) except -1:
        self.count = count
        self.results = results
        self.places = <int*>PyMem_Calloc(max(count, 1), sizeof(int))
        self.targets = <int*>PyMem_Calloc(max(results, 1), sizeof(int))
        if self.places == NULL or self.targets == NULL:
            raise MemoryError()
        return 0

    cdef object guard_key(self):
        """What a guard compares: the key of the value, or the shapes of the results. None for a step that is no guard."""
        return self.key if self.kind == GUARD else self.shapes

    @property
    def name(self):
        """For people: what the step does."""
        if self.kind == GUARD:
            return f"guard: {self.detail} is {'open' if self.has_no_case else show_key(self.key)}"
        if self.kind == RULE:
            return f"gradient by {getattr((<Call>self.detail).rule, '__qualname__', 'a rule')}"
        if self.kind == FUSED or self.kind == PRODUCT or self.kind == JOINED:
            return self.detail.describe()
        if self.kind == SUM:
            return f"sum to {self.detail}"
        return self.op.type

    @property
    def parts(self):
        """The recorded steps that this one does at once: products with an addition, and joined ones. Else itself."""
        return self.detail.parts() if self.kind == PRODUCT or self.kind == JOINED else [self]

    @property
    def is_guard(self):
        return self.guard_key() is not None

    @property
    def is_open(self):
        """Whether it is a guard of sizes that values decide: for all that come from 2 on there is a path."""
        return self.pending is not None

    @property
    def has_no_case(self):
        """Whether no size that the guard has seen is that of its own path."""
        return self.pending is not None and self.key == b""

    @property
    def line(self):
        return self.where

    @property
    def name_scope(self):
        """The name scope in which the program called the op."""
        return self.scope or ""

    @property
    def branches(self):
        return {} if self.other_paths is None else self.other_paths

    @property
    def operands(self):
        return [self.places[i] for i in range(self.count)]

    @property
    def outputs(self):
        """The slots of the results; -1 for one that is not kept."""
        return [self.targets[i] for i in range(self.results)]

    @property
    def cases(self):
        """What was seen so far by a guard: the values, or the shapes of the results."""
        return list(self.branches) if self.has_no_case else [self.guard_key(), *self.branches]

    @property
    def variable(self):
        return self.detail if isinstance(self.detail, VariableBase) else None


cdef class PendingPaths:
    cdef Path path_for(self, object program, tuple numbers):
        """The path of the ``program`` for what the guard has seen; None where nothing was recorded for it."""
        raise NotImplementedError(f"{type(self).__name__} does not say what follows")


cdef str show_key(object key):
    text = repr(key)
    return text if len(text) <= 40 else text[:37] + "..."


@cython.final
cdef class Code:
    def __dealloc__(self):
        PyMem_Free(self.array)
        PyMem_Free(self.dead_begin)
        PyMem_Free(self.dead_slots)


@cython.final
cdef class Path:
    def __init__(self, list steps not None, tuple constants not None, tuple outputs not None, template, list info not None):
        self.info = info
        self.steps = steps
        self.constants = constants
        self.outputs = outputs
        self.template = template

    def run_names(self):
        """For people and tests: what the steps do that are run, in their order."""
        return [] if self.code is None else [step.name for step in self.code.steps]


cdef object value_key(object array, str how):
    """Key of the value that a guard compares."""
    if how == "bool" and array.size == 1:
        return bool(array)
    if array.dtype.hasobject:
        return tuple(array.ravel().tolist())
    return array.tobytes()


cdef set slots_read_by(Step step):
    """The slots that a step reads."""
    cdef set slots = {step.places[i] for i in range(step.count) if step.places[i] >= 0}
    if step.nested is not None:
        for _, places in step.nested.values():
            slots.update([place for place in places if place >= 0])
    return slots


cdef Py_ssize_t element_count(tuple shape):
    """How many elements an array of the shape has."""
    cdef Py_ssize_t count = 1
    for length in shape:
        count *= length
    return count


cdef tuple type_and_shape(Path path, int place):
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


cdef class StepListener:
    cdef int on_step(self, Step step, ThreadState state, PyObject** outputs) except -1:
        """The op of ``step`` gave ``outputs``."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it does at a step")

    cdef int on_tape(self, object recorder) except -1:
        """A tape of the ``recorder``'s thread watches a tensor, or is about to walk back over its records."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it does at a tape")

    cdef int stop(self) except -1:
        """There will be no more calls of `on_step`."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it stops")

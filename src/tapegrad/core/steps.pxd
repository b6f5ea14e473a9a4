from cpython.ref cimport PyObject

cimport numpy as cnp

from tapegrad.core.dispatch cimport Op
from tapegrad.core.observers cimport ThreadState
from tapegrad.engines.numpy.loops cimport Loop

cdef enum:
    LARGEST_CONSTANT = 1 << 20  # bytes that a recording keeps of what an op gives; more is computed in each replay

# What a step does.
cdef enum StepKind:
    UNARY, BINARY       # an elementwise op by its inner loop
    OP                  # any other op
    READ, READ_ANEW     # of a variable: as its snapshot, or as a new tensor
    ASSIGN, ADD, SUBTRACT
    RULE                # a rule of the walk back, by its program or fast form
    SUM                 # of a gradient, to the shape of a broadcast input
    GUARD               # compares a value with the one that Python code saw
    FUSED               # several elementwise steps in one pass
    PRODUCT             # of matrices, added to another matrix or to a variable; or a rule, added to another gradient
    JOINED              # a convolution, and what follows it

cdef enum Effect:
    NO_EFFECT, READS, WRITES, DRAWS, PRINTS, CALLS

cdef class Step:
    """One instruction. A place is a slot, or, below zero, a constant of the path."""

    cdef StepKind kind
    cdef Effect effect
    cdef Op op
    cdef int count              # of operands
    cdef int results
    cdef int* places            # of the operands
    cdef int* targets           # slots of the results; -1 for one that is not kept
    cdef Loop* loop
    cdef tuple attributes
    cdef object detail          # the variable, the rule's Call, the shape, or what a value was read for
    cdef object backward        # READ_ANEW: the gradient function of the reading
    cdef dict nested            # RULE: number of an argument -> (its type, places of what it holds)
    cdef tuple shapes           # of the results, where these may be others next time; else None
    cdef object key             # GUARD: what was seen
    cdef dict other_paths          # what else has been seen -> the Path from there on
    cdef PendingPaths pending   # a guard of sizes that values decide: what follows for those that come; or None
    cdef bint safe              # it cannot fail
    cdef bint paused            # no tape recorded it
    cdef bint speculative       # a guard follows, so its effect must be undone if that fails
    cdef object where           # (file, line, function) of the user's code, or None
    cdef str scope              # the name scope; None where the function has entered none

    cdef int reserve(self, int count, int results) except -1
    cdef object guard_key(self)

cdef class Path

cdef class PendingPaths:
    """What was recorded from a guard on for all sizes that it may see: see `core.open_recordings`."""

    cdef list cases             # (the sizes that it sees, some of them named there; the path; where that goes on)
    cdef int slots              # that these paths need, and those that leave them

    cdef Path path_for(self, object program, tuple numbers)

cdef class Code:
    """The steps of a path that are run. It never changes, nor do those it leads to: threads may be running them."""

    cdef Path path
    cdef int slots              # that a run needs, on this path and those that leave it
    cdef list steps
    cdef list branches          # of each step: what else a guard has seen -> Code; None where it has seen nothing else
    cdef PyObject** array       # the same, borrowed
    cdef Py_ssize_t length
    cdef bint quick             # compiled for one run
    cdef int* dead_begin        # of each step: where its part of `dead_slots` begins
    cdef int* dead_slots        # slots that nothing reads after the step

cdef class Path:
    """Steps from the beginning, or from a guard, to a result."""

    cdef readonly list steps
    cdef Code code
    cdef readonly list info     # of each slot: NumPy's number of its type, and its shape
    cdef readonly tuple constants
    cdef readonly tuple outputs # places of the results
    cdef readonly object template
    cdef int count              # of the inputs of the recording
    cdef tuple inputs           # the slots that the inputs go to; None for the first ones
    cdef list guards            # what was decided on it by open sizes; None: nothing

cdef class StepListener:
    """Is told of each op that a recorder has recorded."""

    cdef int on_step(self, Step step, ThreadState state, PyObject** outputs) except -1
    cdef int on_tape(self, object recorder) except -1
    cdef int stop(self) except -1

cdef object value_key(object array, str how)
cdef int effect_of(Op op)
cdef object resource_of(Op op, tuple attributes)
cdef bint lasts(int effect, object resource)
cdef set slots_read_by(Step step)
cdef Py_ssize_t element_count(tuple shape)

cdef extern from *:
    """
    #define tapegrad_clear(slot) Py_CLEAR(slot)
    """
    void clear "tapegrad_clear"(PyObject* slot)     # lets go of what a slot holds, and leaves it empty

cdef extern from "Python.h":
    PyObject* PyTuple_GET_ITEM(object, Py_ssize_t)

cdef inline PyObject* value_at(Path path, PyObject** slots, int place) noexcept:
    """What is in a place in this run, borrowed."""
    return slots[place] if place >= 0 else PyTuple_GET_ITEM(path.constants, -1 - place)

# Type number and shape of what is in a place; None for what is no tensor of NumPy's.
cdef tuple type_and_shape(Path path, int place)

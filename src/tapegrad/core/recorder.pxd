from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

cimport numpy as cnp

from tapegrad.core.dispatch cimport Op
from tapegrad.core.ids cimport IdTable
from tapegrad.core.observers cimport Observer, ThreadState
from tapegrad.core.tensor cimport EagerTensor
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
    cdef bint safe              # it cannot fail
    cdef bint paused            # no tape recorded it
    cdef bint speculative       # a guard follows, so its effect must be undone if that fails
    cdef object where           # (file, line, function) of the user's code, or None

    cdef int reserve(self, int count, int results) except -1
    cdef object guard_key(self)

cdef class Path

cdef class Code:
    """The steps of a path that are run. It never changes, nor do those it leads to: threads may be running them."""

    cdef Path path
    cdef int slots              # that a run needs, on this path and those that leave it
    cdef list steps
    cdef list branches          # of each step: what else a guard has seen -> Code; None where it has seen nothing else
    cdef PyObject** array       # the same, borrowed
    cdef Py_ssize_t length
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

cdef class StepListener:
    """Is told of each op that a recorder has recorded."""

    cdef int on_step(self, Step step, ThreadState state, PyObject** outputs) except -1
    cdef int stop(self) except -1

cdef object value_key(object array, str how)
cdef bint lasts(int effect, object resource)
cdef set slots_read_by(Step step)
cdef Py_ssize_t element_count(tuple shape)

# Type number and shape of what is in a place; None for what is no tensor of NumPy's.
cdef tuple type_and_shape(Path path, int place)

cdef class Recorder(Observer):
    cdef readonly int64_t first_id      # tensors with higher ids were made in the recording
    cdef readonly bint taped
    cdef int outside            # how many blocks `with tf.init_scope():` are open
    cdef public object call     # the `framework.calls.Call` that is recorded
    cdef public object no_variables     # why no variable may be made: the message of a ValueError, or None
    cdef int batch_ops          # how many ops of batches run now, which are not reported to tapes
    cdef Op recorded_op         # the op of a batch that is reported next: its steps are recorded already
    cdef int hidden             # how many blocks `with one_op():` are open
    cdef readonly object reason # why there will be no recording: (text, where); None so far
    cdef readonly bint made_variables
    cdef readonly bint made_before      # variables, and begun anew since
    cdef list variables         # that were made
    cdef int failures
    cdef IdTable slot_of        # id of a tensor -> slot
    cdef int slots
    cdef list info
    cdef readonly list steps
    cdef list constants
    cdef dict constant_places   # id of a tensor -> its place among the constants
    cdef set guarded
    cdef set variable_slots     # slots that hold values of variables
    cdef object reading_gradient    # the gradient function of the reading that is reported next
    cdef list inputs
    cdef readonly object opening    # the `Opening` in which sizes of the arguments are open, or None
    cdef dict open_axes         # number of an argument -> its axes whose sizes are open
    cdef public object streams      # what its draws draw from where sizes are open; else None
    cdef public object opens    # what `core.signatures` knows of it
    cdef list opened            # weak references to the tensors with open sizes
    cdef StepListener listener  # or None
    cdef list step_results      # weak references to the tensors that steps have given

    cdef int stop_listener(self) except -1
    cdef int refuse_repeats(self) except -1
    cdef cnp.ndarray elements(self, EagerTensor tensor)
    cdef bint is_open(self, EagerTensor tensor) except -1
    cdef bint depends(self, EagerTensor tensor) except -1
    cdef bint are_sizes(self, PyObject** outputs, int results) except -1
    cdef int open_inputs(self) except -1
    cdef int close_sizes(self) except -1
    cdef int make_plain(self, EagerTensor tensor) except -1
    cdef int place_of(self, EagerTensor tensor) except? -2147483648
    cdef int constant(self, object value) except? -2147483648
    cdef int new_slot(self, EagerTensor tensor) except -1
    cdef bint is_traced(self, EagerTensor tensor) except -1
    cdef int append(self, Step step) except -1
    cdef bint add_effect(self, Step step, PyObject** outputs) except -1
    cdef int on_call_of_kind(self, Op op, PyObject** inputs, int count, PyObject** outputs, int results,
                        tuple attributes) except -1
    cdef int check(self, tuple outputs) except -1
    cdef bint loses_attributes(self, EagerTensor tensor) except -1
    cdef bint leaks_tensors(self, list results) except -1
    cdef bint has_leaks(self, list results) except -1
    cdef bint holds_tensor(self, object values) except -1

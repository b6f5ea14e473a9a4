from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from tapegrad.core.ids cimport IdTable
from tapegrad.core.notes cimport Notes
from tapegrad.core.observers cimport Observer, ThreadState
from tapegrad.core.tensor cimport EagerTensor

cdef class Record:
    """One call as the tape remembers it: what its rules will ask for, and no more."""

    cdef object op              # the Op; or, of a custom record, the type name
    cdef object plan            # how the rules are called, or the backward function of a custom record
    cdef tuple saved            # what the plan's rules name, in the plan's order
    cdef tuple shapes           # the shapes of all inputs if one of them was broadcast, else None
    cdef tuple adjustments      # `Kind.gradient_adjustments` of a call with arrays that are not NumPy's, else None
    cdef object kind            # whose adjustments these are
    cdef tuple out_info         # `zeros_info` of each of several outputs; None for one output
    cdef int inputs, outputs
    cdef int64_t* ids           # of the inputs, then of the outputs
    cdef int64_t inline_ids[4]

    cdef int reserve(self, int inputs, int outputs) except -1

cdef class Tape(Observer):
    """Records in execution order, and which record made which tensor."""

    cdef list records           # None where a record has been let go
    cdef IdTable producers      # tensor id -> index of its record; below zero for a watched tensor: see `watch_time`
    cdef readonly int64_t born  # no tensor that was there before has an id above this
    cdef readonly bint watches_variables
    cdef readonly bint watches_all  # also tensors that nobody has named, and variables that are not trained
    cdef dict variables         # creation order of a watched variable -> (variable, ids of its snapshots)
    cdef readonly bint spent    # a walk has begun to let go of the records
    # For `GradientTape.explain`:
    cdef bint explains          # a user holds the tape, and may ask
    cdef Notes notes            # None before the first
    cdef list lines             # of each record the place in the program; None unless the user wants lines
    cdef readonly int64_t ended # the newest id when the tape stopped; 0 while it records
    cdef readonly list gaps     # (newest id at the stop, newest id at the next start); None before the first
    cdef readonly list scopes   # (newest id, the name scope before, the one since then); None before the first
    cdef list owners            # of each record the objects whose methods ran; None unless the user wants lines
    cdef public list times      # (index of a record, seconds that its rules took); None unless a user wants a profile
    cdef list remains           # records without what they saved: of a walk with release that gave None to a source
    cdef readonly list answered # of each source the ids, if the one walk gave all of them gradients
    cdef readonly int64_t answered_targets  # the sum of the targets' ids in that walk
    cdef readonly list refusals # (name, id of the input, id of a result): a rule gave None there, in a walk

    cdef int append(self, Record record) except -1
    cdef int report_to_recorder(self) except -1
    cdef int watch_tensor(self, EagerTensor tensor) except -1
    cdef bint watches(self, int64_t tensor_id) noexcept
    cdef bint knows(self, int64_t tensor_id) noexcept
    cdef object line_of(self, int64_t index)
    cdef int add_note(self, object what, tuple inputs, tuple outputs) except -1
    cdef int note_call(self, object op, PyObject** inputs, int count, PyObject** outputs, int results,
                       tuple attributes) except -1
    cdef int keep_remains(self, list records) except -1

cdef class Recording:
    """The part of GradientTape that starts and stops its Tape. It is compiled, so that an interrupt
    never finds the tape half entered or half left.
    """

    cdef public Tape _tape
    cdef public Tape _spent                     # the Tape after its one walk, if this is not persistent
    cdef public bint _entered
    cdef public bint _persistent
    cdef public bint _watch_accessed_variables
    cdef public bint _walks_otherwise           # by a `_walk` or `_compute_gradient` of a subclass
    cdef public bint _lines                     # the Tape notes the line of every op
    cdef public object _profiler                # times ops while the Tape records; None unless a user wants that

    cdef int start(self) except -1
    cdef int stop(self) except -1
    cdef int end_walk(self, Tape tape) except -1


cdef int64_t SOURCE             # the index, in `Tape.producers`, of a tensor that is watched from the beginning

cdef Record custom_record(str type_name, list inputs, list outputs, backward)
cdef int keep_adjustments(Record record, object op, list inputs, list outputs) except -1
cdef int end_gradient(object op, bint constant, ThreadState state, PyObject** inputs, int count,
                      PyObject** outputs, int results, tuple attributes) except -1
cdef int let_go_of_values(Record record) except -1
cdef int check_tensors(list values) except -1

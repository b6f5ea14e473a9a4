from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from tapegrad.core.kinds cimport OpenScope
from tapegrad.core.tensor cimport EagerTensor

cdef class Observer:
    """Gets callbacks for what happens on one thread."""

    cdef ThreadState state      # of the thread it observes; None while it does not
    cdef bint observes_calls
    cdef bint observes_values
    cdef bint observes_variables
    cdef bint observes_departures   # is told where values go on without a gradient; true of tapes alone
    cdef bint pauses            # gets no callbacks inside `no_recording`; true of tapes and accumulators
    cdef bint follows           # computes tangents; true of accumulators alone
    cdef bint takes_more        # observes_variables alone: variables may be reported that are not used after all
    cdef bint records           # writes down what happens, to do it again: see `core.recorder`
    cdef bint busy              # one of its methods is running
    cdef bint wants_lines       # says where the program called an op: tapes that start meanwhile note lines

    cpdef start(self)
    cpdef stop(self)
    cdef int subscribe(self) except -1
    cdef int on_stop(self) except -1
    # Compiled observers override these. For observers in Python they call `observe` and its like, with lists.
    cdef int on_call(self, object op, PyObject** inputs, int count, PyObject** outputs, int results,
                       tuple attributes) except -1
    # Accumulators alone override this. ``backward`` is the rule of a custom record, and ``attributes`` its plain
    # outputs: see `tape.record`. Where ``op`` is an Op, it is None.
    cdef int follow(self, object op, object backward, PyObject** inputs, int count, PyObject** outputs, int results,
                    tuple attributes) except -1
    cdef int on_value(self, EagerTensor tensor, str how) except -1
    # What Python code gets that reads a tensor where a size may take the place of an int; None for its numbers.
    cdef object sizes_of(self, EagerTensor tensor, str how)
    cdef int on_variable(self, object variable, int64_t unique_id, EagerTensor snapshot, bint trainable) except -1
    # Tapes alone override this. ``result`` is the id of the tensor that has the value now; 0 where none has.
    cdef int on_departure(self, EagerTensor tensor, str how, int64_t result) except -1
    # Only observers that record get the following callbacks, for what happens beside ops.
    cdef int on_rule(self, object call, PyObject** arguments, int count, object result) except -1
    cdef int on_sum(self, EagerTensor tensor, tuple shape, EagerTensor result) except -1
    cdef bint keeps(self, EagerTensor tensor) except -1
    cdef int on_alias(self, EagerTensor tensor, EagerTensor alias) except -1
    cdef int on_tape(self, int64_t born, bint recorded) except -1
    cdef int on_new_variable(self, object variable, bint inner) except -1
    cdef int on_refusal(self, str text) except -1
    cdef int before_effect(self, object op, tuple attributes) except -1
    cdef int on_hiding(self, int change) except -1
    cdef int on_leaving_function(self, int change) except -1
    cdef int on_use_elsewhere(self, EagerTensor tensor) except -1
    cdef int on_reading(self, object variable, EagerTensor tensor, object backward) except -1
    # Tapes of users and observers that record get it: names of ops would begin with ``after`` now.
    cdef int on_scope(self, str before, str after) except -1

cdef class FiniteWatcher(Observer):
    """Is told only of calls that give NaN or infinity, and of rules that fail then."""

cdef class VariableWatcher(Observer):
    """Notes which trainable variables are read on its thread, whether or not tapes record."""

    cdef dict read_variables    # id -> variable

cdef class ThreadState:
    """Who observes what happens on one thread, in the order they were started: tapes, and others."""

    cdef list observers
    cdef int paused             # how many blocks `with no_recording():` are open
    cdef object batch           # the innermost batch whose items have effects of their own; None outside of all
    cdef bint held              # assignments to variables do nothing: shapes alone are asked for
    cdef bint active            # an observer observes calls of ops
    cdef bint checked           # an observer that is not a tape observes calls of ops
    cdef bint observed          # an observer observes variables that are read, or their ops
    cdef bint followed          # an accumulator observes calls of ops
    cdef bint values            # an observer observes values that Python code reads
    cdef bint departures        # a tape notes where values go on without a gradient
    cdef int by_ops             # how many walks are at a gradient that does not fit: rules then run as ops alone
    cdef bint fast_forms_run     # nothing observes the ops of rules, so their fast forms may run
    cdef Observer recorder      # the last one that records; None where none does
    cdef bint elsewhere         # another thread records: the tensors that are used here are reported to it
    cdef int failures           # how many ops have failed on this thread
    cdef OpenScope opening      # the innermost scope in which a function is recorded for open sizes

    cdef void refresh(self) noexcept
    cdef int report_call(self, object op, PyObject** inputs, int count, PyObject** outputs, int results,
                       tuple attributes) except -1
    cdef int report_elsewhere(self, PyObject** tensors, int count) except -1
    cdef int report_to_accumulators(self, object op, object backward, PyObject** inputs, int count, PyObject** outputs,
                            int results, tuple attributes) except -1
    # For an op that did not run through dispatch: the core itself reads and writes variables.
    cdef int report(self, object op, list inputs, list outputs, tuple attributes) except -1
    cdef int report_value(self, EagerTensor tensor, str how) except -1
    # For a walk over a tape, of which the rules of an op have raised.
    cdef int report_failed_rule(self, object name, object line) except -1
    cdef int report_departure(self, EagerTensor tensor, str how, int64_t result) except -1
    cdef int report_new_variable(self, object variable) except -1
    cdef int report_variable(self, object variable, int64_t unique_id, EagerTensor snapshot, bint trainable) except -1

cdef int recorders           # how many observers that record are at work, on all threads

cdef ThreadState current_state()

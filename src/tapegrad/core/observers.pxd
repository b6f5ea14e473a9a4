from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from tapegrad.core.tensor cimport EagerTensor

cdef class Observer:
    """Is told of what happens on one thread."""

    cdef ThreadState state      # of the thread it observes; None while it does not
    cdef bint hears_calls
    cdef bint hears_values
    cdef bint hears_variables
    cdef bint pauses            # hears nothing inside `no_recording`; true of tapes and accumulators
    cdef bint follows           # computes tangents; true of accumulators alone
    cdef bint takes_more        # hears_variables alone: it may be told of a variable that is not used after all
    cdef bint records           # writes down what happens, to do it again: see `core.recorder`
    cdef bint busy              # one of its methods is running

    cpdef start(self)
    cpdef stop(self)
    cdef int listen(self) except -1
    # Compiled observers override these. For observers in Python they call `observe` and its like, with lists.
    cdef int hear_call(self, object op, PyObject** inputs, int count, PyObject** outputs, int results,
                       tuple attributes) except -1
    # Accumulators alone override this. ``backward`` is the rule of a custom record, and ``attributes`` its plain
    # outputs: see `tape.record`. Where ``op`` is an Op, it is None.
    cdef int follow(self, object op, object backward, PyObject** inputs, int count, PyObject** outputs, int results,
                    tuple attributes) except -1
    cdef int hear_value(self, EagerTensor tensor, str how) except -1
    cdef int hear_variable(self, object variable, int64_t unique_id, EagerTensor snapshot, bint trainable) except -1
    # Only those that record are told of the following, by what happens beside ops.
    cdef int hear_rule(self, object call, PyObject** arguments, int count, object result) except -1
    cdef int hear_sum(self, EagerTensor tensor, tuple shape, EagerTensor result) except -1
    cdef int hear_alias(self, EagerTensor tensor, EagerTensor alias) except -1
    cdef int hear_tape(self, int64_t born, bint recorded) except -1
    cdef int hear_new_variable(self, object variable, bint inner) except -1
    cdef int hear_refusal(self, str text) except -1
    cdef int hear_hiding(self, int change) except -1
    cdef int hear_leaving(self, int change) except -1
    cdef int hear_elsewhere(self, EagerTensor tensor) except -1
    cdef int hear_reading(self, object variable, EagerTensor tensor, object backward) except -1

cdef class VariableWatcher(Observer):
    """Notes which trainable variables are read on its thread, whether or not tapes record."""

    cdef dict met

cdef class ThreadState:
    """Who observes what happens on one thread, in the order they were started: tapes, and others."""

    cdef list observers
    cdef int paused             # how many blocks `with no_recording():` are open
    cdef object batch           # the innermost batch whose items have effects of their own; None outside of all
    cdef bint held              # assignments to variables do nothing: shapes alone are asked for
    cdef bint active            # an observer hears of calls of ops
    cdef bint checked           # an observer that is not a tape hears of calls of ops
    cdef bint observed          # an observer hears of variables that are read, or of their ops
    cdef bint followed          # an accumulator hears of calls of ops
    cdef bint values            # an observer hears of values that Python code reads
    cdef int by_ops             # how many walks are at a gradient that does not fit: rules then run as ops alone
    cdef bint walks_plainly     # nobody looks on at the ops of rules, so their fast forms may run
    cdef Observer recorder      # the last one that records; None where none does
    cdef bint elsewhere         # another thread records: it is told which tensors are used here
    cdef int failures           # how many ops have failed on this thread

    cdef void refresh(self) noexcept
    cdef int tell_call(self, object op, PyObject** inputs, int count, PyObject** outputs, int results,
                       tuple attributes) except -1
    cdef int tell_elsewhere(self, PyObject** tensors, int count) except -1
    cdef int tell_followers(self, object op, object backward, PyObject** inputs, int count, PyObject** outputs,
                            int results, tuple attributes) except -1
    # For an op that did not run through dispatch: the core itself reads and writes variables.
    cdef int tell(self, object op, list inputs, list outputs, tuple attributes) except -1
    cdef int tell_value(self, EagerTensor tensor, str how) except -1
    cdef int tell_new_variable(self, object variable) except -1
    cdef int tell_variable(self, object variable, int64_t unique_id, EagerTensor snapshot, bint trainable) except -1

cdef int recorders           # how many observers that record are at work, on all threads

cdef ThreadState current_state()

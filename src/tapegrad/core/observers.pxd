from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from tapegrad.core.tensor cimport EagerTensor

cdef class Observer:
    """Is told of what happens on one thread."""

    cdef ThreadState state      # of the thread it observes; None while it does not
    cdef bint hears_calls
    cdef bint hears_values
    cdef bint hears_variables
    cdef bint pauses            # hears nothing inside `no_recording`; only tapes do so
    cdef bint busy              # is being told of something

    cpdef start(self)
    cpdef stop(self)
    cdef int listen(self) except -1
    # What compiled observers override. Those in Python get the same as lists, by the methods of other names.
    cdef int hear_call(self, object op, PyObject** inputs, int count, PyObject** outputs, int results,
                       tuple attributes) except -1
    cdef int hear_value(self, EagerTensor tensor, str how) except -1
    cdef int hear_variable(self, object variable, int64_t unique_id, EagerTensor snapshot, bint trainable) except -1

cdef class VariableWatcher(Observer):
    """Notes which trainable variables are read on its thread, whether or not tapes record."""

    cdef dict met

cdef class ThreadState:
    """Who observes what happens on one thread, in the order they were started: tapes, and others."""

    cdef list observers
    cdef int paused             # how many `no_recording` are entered
    cdef bint active            # somebody hears of calls of ops
    cdef bint checked           # and not tapes alone
    cdef bint observed          # somebody hears of variables that are read, or of their ops
    cdef bint values            # somebody hears of values that Python code gets

    cdef void refresh(self) noexcept
    cdef int tell_call(self, object op, PyObject** inputs, int count, PyObject** outputs, int results,
                       tuple attributes) except -1
    # For an op that ran without dispatch: the core reads and writes variables in place.
    cdef int tell(self, object op, list inputs, list outputs, tuple attributes) except -1
    cdef int tell_value(self, EagerTensor tensor, str how) except -1
    cdef int tell_variable(self, object variable, int64_t unique_id, EagerTensor snapshot, bint trainable) except -1

cdef ThreadState current_state()

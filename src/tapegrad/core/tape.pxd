from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from tapegrad.core.tensor cimport EagerTensor

cdef class IdTable:
    """A hash table from tensor ids to numbers."""

    cdef int64_t* keys          # 0 marks a free place: ids start at 1
    cdef int64_t* values
    cdef Py_ssize_t mask        # number of places, a power of two, less one
    cdef Py_ssize_t used

    cdef Py_ssize_t find(self, int64_t key) noexcept
    cdef bint has(self, int64_t key) noexcept
    cdef int64_t get(self, int64_t key, int64_t default) noexcept
    cdef int set(self, int64_t key, int64_t value) except -1
    cdef int grow(self) except -1

cdef class Record:
    """One call as the tape remembers it: what its rules will ask for, and no more."""

    cdef object op              # the Op; or, of a custom record, the type name
    cdef object plan            # how the rules are called, or the backward function of a custom record
    cdef tuple saved            # what the plan's rules name, in its order
    cdef tuple shapes           # shapes of broadcast inputs, None for the others; None where none was
    cdef tuple out_info         # (shape, dtype) of each of several outputs, for zeros where no gradient comes
    cdef int inputs, outputs
    cdef int64_t* ids           # of the inputs, then of the outputs
    cdef int64_t inline_ids[4]

    cdef int reserve(self, int inputs, int outputs) except -1

cdef class ThreadState:
    """The tapes that record on one thread, innermost last."""

    cdef list tapes
    cdef list watchers          # VariableWatchers, innermost last
    cdef int paused
    cdef object checker         # called as (op, inputs, outputs) after every op; None if nobody checks
    cdef bint active            # some tape records what happens now, or results are checked
    cdef bint observed          # or somebody wants to know which variables are read

    cdef void refresh(self) noexcept
    cdef int check(self, object op, PyObject** inputs, int count, PyObject** outputs, int results) except -1
    # For an op that ran without dispatch: variables are read and written in place by the core.
    cdef int tell(self, object op, list inputs, list outputs, tuple attributes) except -1
    # Watches the outputs of what has no gradient where a tape watches an input: they can be sources, the inputs not.
    cdef int watch_results(self, PyObject** inputs, int count, PyObject** outputs, int results) except -1

cdef class Tape:
    """Records in execution order, and which of them made which tensor."""

    cdef list records           # None where a record has been let go
    cdef IdTable producers      # tensor id -> index of its record; SOURCE for a watched tensor
    cdef readonly bint watches_variables
    cdef ThreadState state      # of the thread it records on; None while it does not
    cdef dict variables         # creation order of a watched variable -> (variable, ids of its snapshots)
    cdef readonly bint spent    # a walk has begun to let go of the records

    cpdef start(self)
    cpdef stop(self)
    cdef int append(self, Record record) except -1
    cdef int meet(self, object variable, int64_t unique_id, int64_t snapshot, bint trainable) except -1

cdef class VariableWatcher:
    """Notes which trainable variables are read on its thread, whether or not tapes record."""

    cdef dict met

cdef ThreadState current_state()
cdef int check_tensors(list values) except -1

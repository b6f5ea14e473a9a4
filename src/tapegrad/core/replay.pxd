from cpython.ref cimport PyObject

from tapegrad.core.observers cimport ThreadState
from tapegrad.core.steps cimport Code, Path, Step

cdef class Program:
    """All that was recorded of a function for one signature."""

    cdef readonly Path root
    cdef readonly object reason     # why nothing is recorded (any more): (text, where)
    cdef readonly int branches
    cdef readonly int futile
    cdef bint failed                # an op failed in the last replay
    cdef public long replays
    cdef public list times          # (step, its path, seconds) of the steps that run; None unless a user wants a profile
    cdef readonly object missed     # the guard at which the last replay ended that could not go on; or None
    cdef Code code                  # what is run; None until the first replay after a change
    cdef readonly bint taped
    cdef readonly bint draws        # it has draws
    cdef readonly object streams    # what they draw from
    cdef readonly str name          # of the function
    cdef readonly object watched    # weak references to objects among the arguments
    cdef readonly object label      # for people: the arguments
    cdef object origin              # the `OpenRecording` that this is made of, or None
    cdef int version                # how many paths that had then
    cdef int extensions             # how many calls have met new sizes that values decide
    cdef long extended_at           # how many replays there were before the last of these
    cdef long replays_before        # and before the first
    cdef dict sizes                 # the open sizes for which it was made
    cdef long last_used             # the number of the last call
    cdef bint quickly_compiled      # its code is for one run
    cdef object lock                # of the cache: while the paths change
    cdef readonly object forward_backward   # for calls under one tape: see `core.forward_backward`; False where it cannot be

    cdef int compile_quickly(self) except -1
    cdef int follow(self, Program tree, Path root) except -1
    cdef bint report_variables(self, ThreadState state) except -1
    cdef object run(self, list inputs, ThreadState state)
    cdef object run_taped(self, list inputs, ThreadState state)
    cdef object run_code(self, Code code, list inputs, ThreadState state)
    cdef int check_effects(self, Path path) except -1
    cdef Code branch(self, Step step, Path path, PyObject** slots, dict branches)

# The cases of a guard, the first one first: (what it has seen, the path that follows, where that goes on).
cdef list cases_of(Path path, int number)
cdef int run_step(
    Step step, Path path, PyObject** slots, ThreadState state, Code code, Py_ssize_t number) except -1

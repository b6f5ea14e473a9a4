from tapegrad.core.recorder cimport Recorder
from tapegrad.core.steps cimport Step, StepListener
from tapegrad.core.observers cimport ThreadState
from tapegrad.core.tape cimport Record
from tapegrad.core.tensor cimport EagerTensor

cimport numpy as cnp

cdef class Intermediates(StepListener):
    cdef bint stopped
    cdef dict sources           # slot -> its array: inputs, values of variables, small results of ops with effects
    cdef dict producers         # slot -> (the step that fills it, its constant operands by number), if it may run again
    cdef dict tensors           # slot -> weak reference to its tensor
    cdef dict held              # slot -> bytes of its array, the least recently used first; some may be gone by now
    cdef dict passed            # slots of `held` that the next stage has read, and nothing after it: they go first
    cdef bint by_stages         # no such slot was needed again
    cdef Py_ssize_t result_bytes    # bytes of all results so far: while they are few, the rest is None
    cdef Py_ssize_t computed_again  # bytes of all results that were computed once more
    cdef Py_ssize_t bytes       # of those in `held`
    cdef Py_ssize_t largest     # the most bytes that an op has read, or given
    cdef Py_ssize_t limit       # of `bytes`
    cdef double factor          # of LEAST_HELD in the limit: it grows with each tensor that is needed after it was let go of
    cdef list absent            # weak references to the `LetGo`s
    cdef dict tapes             # a tape that records -> how many of its records were looked at

    cdef int leave_to_tapes(self, ThreadState state, Recorder recorder) except -1
    cdef int keep(self, Record record, int first, int after, Recorder recorder) except -1
    cdef int catch_up(self, Recorder recorder) except -1
    cdef int note(self, Step step, Recorder recorder) except -1
    cdef int pass_over(self, Step step) except -1
    cdef bint is_next_stage(self, Step step) except -1
    cdef int follow(self, int slot, EagerTensor tensor) except -1
    cdef bint is_alone(self, ThreadState state) except -1
    cdef void raise_limit(self, double growth) noexcept
    cdef void set_limit(self) noexcept
    cdef int hold(self, int slot, cnp.ndarray array) except -1
    cdef int forget_gone(self) except -1
    cdef int let_go_of_oldest(self, Step step) except -1
    cdef EagerTensor tensor_of(self, int slot)
    cdef cnp.ndarray array_of(self, int slot)
    cdef object compute(self, int slot)
    cdef int give_back(self, int slot, cnp.ndarray array, bint beyond_limit) except -1
    cdef list steps_to(self, int slot, dict arrays)

from libc.stdint cimport int64_t

from tapegrad.core.tape cimport ThreadState
from tapegrad.core.tensor cimport EagerTensor, Operand

cdef class VariableBase(Operand):
    """A value that changes: a snapshot tensor, replaced or rewritten by assignments."""

    cdef EagerTensor snapshot       # the current value; never handed to users under this identity
    cdef readonly int64_t unique_id # creation order
    cdef public bint trainable
    cdef VariableBase owner         # the variable that this one stands for: for what assignments return

    cdef unsigned long writer       # the thread that is writing into the array; 0 if none is

    cdef int wait(self) except -1
    cdef unsigned long begin_writing(self) except? 0
    cdef int end_writing(self, unsigned long before) except -1
    cdef int check_array(self) except -1
    cdef bint is_shared(self) except -1
    cdef bint keeps_value(self) except -1
    cdef int hold(self, object array) except -1
    cdef object chosen(self)
    cdef VariableBase holder(self)
    cdef EagerTensor read(self)
    cdef EagerTensor read_chosen(self)
    cdef int note_reading(self, ThreadState state) except -1
    cdef int report(self, ThreadState state, str name, list inputs, list outputs) except -1

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from tapegrad.core.ids cimport IdTable
from tapegrad.core.kinds cimport Kind
from tapegrad.core.plans cimport Call
from tapegrad.core.tensor cimport EagerTensor

cdef class Misfit:
    cdef readonly object value  # a tensor, or IndexedSlices
    cdef readonly str origin    # sentences: whose gradient it is, and what shapes and dtypes there are

    cdef object pass_on(self, object gradient)
    cdef object refusal(self, str consequence)

cdef class Gradients:
    """The gradients that have arrived so far, by the id of the tensor they belong to."""

    cdef IdTable places         # id of a tensor -> index into `values`
    cdef list values
    cdef list refusals          # (name, id of the input, id of a result) where a rule gave None; None before the first
    cdef IdTable parted         # ids of the tensors to whose gradients parts were added; None before the first

    cdef object take(self, int64_t tensor, bint keep)
    cdef int refuse(self, object name, int64_t tensor, int64_t result) except -1
    cdef int add(self, int64_t tensor, object gradient) except -1
    cdef cnp.ndarray own_array(self, int64_t tensor)
    cdef bint add_by_form(self, int64_t tensor, Call call, PyObject** arguments) except -1
    cdef bint add_part(self, int64_t tensor, object add, Call call, PyObject** arguments) except -1

cdef object total_of(list ids, Gradients gradients)
cdef EagerTensor ones_like(EagerTensor tensor)
cdef EagerTensor full(Kind kind, tuple shape, object dtype, object value)

# Whether no observer wants the values of a tensor that only the walk holds, once the walk has used it.
cdef bint may_be_overwritten(EagerTensor tensor) except -1

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from tapegrad.core.dispatch cimport Op
from tapegrad.core.ids cimport IdTable
from tapegrad.core.observers cimport Observer
from tapegrad.core.tape cimport Record
from tapegrad.core.tensor cimport EagerTensor

cdef class Tangents:
    """Tangents by the ids of the tensors they belong to."""

    cdef IdTable table          # an EagerTensor's address for each id, with a reference of its own

    cdef PyObject* get(self, int64_t key) noexcept
    cdef int set(self, int64_t key, EagerTensor tangent) except -1
    cdef int drop(self, int64_t key) except -1

cdef class Accumulator(Observer):
    """Computes the tangent of every result that depends on a watched tensor, when the result is computed."""

    cdef Tangents tangents      # of living tensors
    cdef dict variables         # creation order of a watched variable -> its tangent
    cdef PyObject* following    # the next accumulator that is alive, in any thread
    cdef PyObject* preceding

    cdef int keep(self, EagerTensor tensor, EagerTensor tangent) except -1
    cdef object kept(self, EagerTensor tensor)
    cdef bint unchanged(self, list before, list outside)
    cdef list tangents_of_results(
        self, object op, object backward, PyObject** inputs, int count, PyObject** outputs, int results,
        tuple attributes, list tangents)

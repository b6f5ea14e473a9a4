from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from tapegrad.core.dispatch cimport Op
from tapegrad.core.observers cimport Observer
from tapegrad.core.tape cimport Record
from tapegrad.core.tensor cimport EagerTensor

cdef class Tangents:
    """A hash table from tensor ids to tangents, from which entries can be taken out again."""

    cdef int64_t* keys          # 0 marks a free slot: ids start at 1
    cdef PyObject** values      # an EagerTensor for each key, with a reference of the table's own
    cdef Py_ssize_t mask        # number of slots, a power of two, less one
    cdef Py_ssize_t used

    cdef Py_ssize_t find(self, int64_t key) noexcept
    cdef PyObject* get(self, int64_t key) noexcept
    cdef int set(self, int64_t key, EagerTensor tangent) except -1
    cdef int drop(self, int64_t key) except -1
    cdef int grow(self) except -1

cdef class Accumulator(Observer):
    """Computes the tangent of every result that depends on a watched tensor, when the result is computed."""

    cdef Tangents tangents      # of living tensors
    cdef dict variables         # creation order of a watched variable -> its tangent
    cdef PyObject* following    # the next accumulator that is alive, in any thread
    cdef PyObject* preceding

    cdef int keep(self, EagerTensor tensor, EagerTensor tangent) except -1
    cdef bint unchanged(self, list before, list outside)
    cdef list results_tangents(
        self, object op, object backward, PyObject** inputs, int count, PyObject** outputs, int results,
        tuple attributes, list tangents)

from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

from tapegrad.core.ids cimport IdTable

cdef class Notes:
    """Where values that a tape watches went on without a gradient: ids, names and lines, and no tensor."""

    cdef list entries           # (what, ids of the inputs, ids of the results, line of the program, newest id then)
    cdef IdTable descendants    # ids of results that no record leads to, and that were computed from watched tensors
    cdef readonly int64_t dropped   # how many entries are gone

    cdef int add(self, object what, tuple inputs, tuple outputs, object line) except -1
    cdef int drop_older_half(self) except -1
    cdef int pass_on(self, object op, PyObject** inputs, int count, PyObject** outputs, int results) except -1

cdef tuple ids_among(PyObject** tensors, int count)

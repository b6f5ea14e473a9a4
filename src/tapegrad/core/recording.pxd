from cpython.ref cimport PyObject

from tapegrad.core.dispatch cimport Op
from tapegrad.core.observers cimport ThreadState

cdef int record_call(Op op, ThreadState state, PyObject** inputs, int count, PyObject** outputs, int results,
                     tuple attributes) except -1

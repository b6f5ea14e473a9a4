from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t

from tapegrad.core.dispatch cimport Op, Plan
from tapegrad.core.observers cimport ThreadState
from tapegrad.core.tape cimport Record

cdef int record_call(Op op, ThreadState state, PyObject** inputs, int count, PyObject** outputs, int results,
                     tuple attributes) except -1
cdef Record make_record(Op op, uint64_t watched, PyObject** inputs, int count, PyObject** outputs, int results,
                        tuple attributes)
cdef tuple save(Op op, Plan plan, PyObject** inputs, int count, PyObject** outputs, int results, tuple attributes)

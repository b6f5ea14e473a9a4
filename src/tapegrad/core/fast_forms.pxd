from cpython.ref cimport PyObject

from tapegrad.core.plans cimport Call

cdef object run_program(Call call, PyObject** arguments, PyObject* dy)
cdef object run_fast_form(Call call, PyObject** arguments)
cdef int tell_rule(Call call, PyObject** arguments, object result) except -1

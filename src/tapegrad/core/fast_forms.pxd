cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.core.plans cimport Call

cdef object run_program(Call call, PyObject** arguments, PyObject* dy)
cdef object run_fast_form(Call call, PyObject** arguments)
cdef object run_open(Call call, PyObject** arguments, tuple shapes, object dy=*)

# Adds the result of a rule's fast form to `whole`, in place. False where nothing was done: the form has to be called.
cdef bint run_adding_form(Call call, cnp.ndarray whole, PyObject** arguments) except -1
cdef int report_rule(Call call, PyObject** arguments, object result) except -1

cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.core.plans cimport Call

cdef object run_program(Call call, PyObject** arguments, PyObject* dy)
cdef object run_fast_form(Call call, PyObject** arguments)

# Adds what a rule's fast form gives to `whole`, in place; False where nothing is done, and the form has to be called.
cdef bint run_adding_form(Call call, cnp.ndarray whole, PyObject** arguments) except -1
cdef int tell_rule(Call call, PyObject** arguments, object result) except -1

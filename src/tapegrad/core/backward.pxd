from cpython.ref cimport PyObject

from tapegrad.core.dispatch cimport Call
from tapegrad.core.tape cimport Tape
from tapegrad.core.tensor cimport EagerTensor

cdef bint add_in_place(PyObject* present, EagerTensor gradient) except -1
cdef EagerTensor ones_like(EagerTensor tensor)
cdef object run_program(Call call, PyObject** arguments, PyObject* dy)
cdef object run_fast_form(Call call, PyObject** arguments)
cdef EagerTensor sum_to_shape(EagerTensor gradient, tuple shape)
cdef list walk(Tape tape, list targets, list sources, list seeds, bint release)

from cpython.ref cimport PyObject

from tapegrad.core.dispatch cimport Op

cdef Py_ssize_t find_parameter(tuple parameters, object name)
cdef tuple bind_attributes(Op op, PyObject** given)
cdef list plain_tensors(Op op, PyObject** bound)
cdef list collect_tensors(Op op, PyObject** bound)
cdef int check_types(Op op, list tensors) except -1
cdef object override_of_inputs(Op op, list inputs)

cimport numpy as cnp

from tapegrad.core.tensor cimport EagerTensor
from tapegrad.core.variable cimport VariableBase

cdef inline EagerTensor as_tensor(object value):
    """A tensor or variable as a tensor; None for anything else."""
    if type(value) is EagerTensor:
        return <EagerTensor>value
    if type(value) is float or type(value) is int:
        return None             # before `isinstance`, which goes through the bases of a type
    if isinstance(value, VariableBase):
        return (<VariableBase>value).read()
    return None

# Caches the last Python number converted: a literal in a loop is the same object every time.
cdef object last_value
cdef int last_type
cdef EagerTensor last_scalar

cdef inline EagerTensor known_scalar(object value, EagerTensor other):
    """``value`` as a tensor of the dtype of ``other``, if that is the tensor made last; else None."""
    if (value is last_value and isinstance(other.array, cnp.ndarray)
            and cnp.PyArray_TYPE(<cnp.ndarray>other.array) == last_type):
        return last_scalar
    return None

cdef EagerTensor own_scalar(object value)
cdef EagerTensor operand_like(object op, object value, EagerTensor other)
cdef EagerTensor left_operand(object value, EagerTensor other)

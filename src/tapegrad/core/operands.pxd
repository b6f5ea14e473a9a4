from tapegrad.core.tensor cimport EagerTensor
from tapegrad.core.variable cimport VariableBase

cdef inline EagerTensor as_tensor(object value):
    """A tensor or variable as a tensor; None for anything else."""
    if type(value) is EagerTensor:
        return <EagerTensor>value
    if type(value) is float or type(value) is int:
        return None             # at once: whether they are variables takes a walk over their bases
    if isinstance(value, VariableBase):
        return (<VariableBase>value).read()
    return None

cdef EagerTensor operand_like(object op, object value, EagerTensor other)
cdef EagerTensor left_operand(object value, EagerTensor other)

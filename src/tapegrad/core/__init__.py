"""The machinery, compiled: tensors, dispatch, tapes and the walk back. It knows no op by name."""

from tapegrad.core.backward import compute_gradient
from tapegrad.core.dispatch import (
    ASKS,
    REQUIRED,
    Op,
    load_ops,
    register_gradient,
    registry,
    set_numpy_namespace,
    set_operator,
)
from tapegrad.core.operands import convert
from tapegrad.core.tape import (
    Tape,
    VariableWatcher,
    alias,
    is_checking,
    is_recording,
    no_recording,
    record,
    set_checker,
)
from tapegrad.core.tensor import EagerTensor, Operand, Tensor, set_hooks, set_loader
from tapegrad.core.tracebacks import hide, hiding
from tapegrad.core.variable import VariableBase

__all__ = [
    "ASKS",
    "REQUIRED",
    "EagerTensor",
    "Op",
    "Operand",
    "Tape",
    "Tensor",
    "VariableBase",
    "VariableWatcher",
    "alias",
    "compute_gradient",
    "convert",
    "hide",
    "hiding",
    "is_checking",
    "is_recording",
    "load_ops",
    "no_recording",
    "record",
    "register_gradient",
    "registry",
    "set_checker",
    "set_hooks",
    "set_loader",
    "set_numpy_namespace",
    "set_operator",
]

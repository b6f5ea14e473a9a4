"""The machinery, compiled: tensors, dispatch, tapes and the walk back. It knows no op by name."""

import os

from tapegrad.core.backward import compute_gradient
from tapegrad.core.dispatch import (
    ASKS,
    REQUIRED,
    Op,
    forget_unloaded,
    load_ops,
    register_gradient,
    registry,
    set_numpy_namespace,
    set_operator,
)
from tapegrad.core.operands import cached_numbers, convert
from tapegrad.core.tape import (
    Recording,
    Tape,
    VariableWatcher,
    alias,
    forget_other_threads,
    is_checking,
    is_recording,
    no_recording,
    record,
    set_checker,
    static_value,
    tell,
)
from tapegrad.core.tensor import (
    EagerTensor,
    Operand,
    Tensor,
    read_only_view,
    set_home,
    set_hooks,
    set_loader,
)
from tapegrad.core.tracebacks import hide
from tapegrad.core.variable import (
    VariableBase,
    forget_other_writers,
    let_writers_go_on,
    wait_for_writers,
)

os.register_at_fork(
    before=wait_for_writers,
    after_in_parent=let_writers_go_on,
    after_in_child=forget_other_writers,
)
os.register_at_fork(after_in_child=forget_other_threads)

__all__ = [
    "ASKS",
    "REQUIRED",
    "EagerTensor",
    "Op",
    "Operand",
    "Recording",
    "Tape",
    "Tensor",
    "VariableBase",
    "VariableWatcher",
    "alias",
    "cached_numbers",
    "compute_gradient",
    "convert",
    "forget_unloaded",
    "hide",
    "is_checking",
    "is_recording",
    "load_ops",
    "no_recording",
    "read_only_view",
    "record",
    "register_gradient",
    "registry",
    "set_checker",
    "set_home",
    "set_hooks",
    "set_loader",
    "set_numpy_namespace",
    "set_operator",
    "static_value",
    "tell",
]

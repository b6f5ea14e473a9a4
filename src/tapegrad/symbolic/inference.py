"""What an op gives for tensors without values, by its shape rule: nothing is computed.

The op is called on abstract arrays. The runs on dummies (`tracing.Trace.call`) remain for all that this
module leaves to them: functions that are no ops, ops without a rule, unknown ranks, and decisions by unknown
sizes.
"""

from __future__ import annotations

from typing import Any

from tapegrad.core import EagerTensor, Op
from tapegrad.core.abstract import Abstract
from tapegrad.core.sizes import unknown_size
from tapegrad.symbolic.tensors import SymbolicTensor


def abstract_of(tensor: SymbolicTensor) -> Abstract | None:
    """The abstract array of a tensor, which keeps its unknown sizes; None if its rank is unknown."""
    known = tensor._known
    if known.rank is None:
        return None
    before = tensor._abstract
    sizes = (
        before.shape if before is not None and before.ndim == known.rank else [None] * known.rank
    )
    array = Abstract(
        [
            (unknown_size() if size is None else size) if length is None else length
            for length, size in zip(known.as_list(), sizes, strict=True)
        ],
        tensor.dtype,
    )
    tensor._abstract = array
    return array


def has_rule(op: Any) -> bool:
    """Whether a call of the op is nothing but its results, and a rule says what these are like.

    The results of an op that looks at shapes alone are constants where all sizes are known: its kernel says
    which.
    """
    return (
        type(op) is Op
        and op.effect is None
        and op.values != "nothing"
        and (op.shape_rule is not None or op.elementwise)
    )


def results_of(leaves: list[Any]) -> list[Abstract] | None:
    """The abstract arrays of what an op gave; None where something else is among it."""
    arrays: list[Any] = [leaf._array if type(leaf) is EagerTensor else None for leaf in leaves]
    return arrays if all(type(array) is Abstract for array in arrays) else None

"""`tf.__operators__`: the functions behind operators of tensors."""

from __future__ import annotations

from typing import Any

from tapegrad import core
from tapegrad.ops.shape.creation import convert_to_tensor

PUBLIC = {"__operators__": "add eq getitem ne ragged_getitem"}


@core.public
def add(x: Any, y: Any, name: str | None = None) -> Any:
    """``x + y``: strings are joined.

    Args:
        x, y: tensors, or values that become tensors.
    """
    return convert_to_tensor(x) + y


@core.public
def eq(self: Any, other: Any) -> Any:
    """``self == other``.

    Args:
        self: a tensor, or a value that becomes one.
        other: a tensor, or a value that becomes one.
    """
    return convert_to_tensor(self) == other


@core.public
def ne(self: Any, other: Any) -> Any:
    """``self != other``.

    Args:
        self: a tensor, or a value that becomes one.
        other: a tensor, or a value that becomes one.
    """
    return convert_to_tensor(self) != other


@core.public
def getitem(tensor: Any, slice_spec: Any, var: Any = None) -> Any:
    """``tensor[slice_spec]``.

    >>> tf.__operators__.getitem(tf.constant([1, 2, 3]), 1).numpy().tolist()
    2

    Args:
        tensor: a tensor, or a value that becomes one.
        slice_spec: what stands in the brackets: an integer, a slice, ``...``, a mask, or a tuple of these.
        var: of no effect.
    """
    return convert_to_tensor(tensor)[slice_spec]


@core.public
def ragged_getitem(rt_input: Any, key: Any) -> Any:
    """``rt_input[key]`` of a ragged tensor.

    Args:
        rt_input: a ragged tensor.
        key: what stands in the brackets: an integer, a slice, ``...``, or a tuple of these.
    """
    return rt_input[key]

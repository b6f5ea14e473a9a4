"""The variables of a `tf.while_loop` that becomes one step of a saved function, as a list of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapegrad.core import EagerTensor, Tensor, convert
from tapegrad.framework import nest
from tapegrad.ops.program.tensor_array import RowsArray, TensorArray

NUMBERS = (bool, int, float, complex, np.ndarray, np.generic)


def tensors_of(variables: Any) -> list[EagerTensor] | None:
    """The tensors that a nest of variables consists of; None if a part of it is something else.

    That of a `tf.TensorArray` has all of its elements.
    """
    tensors: list[Any] = []
    for leaf in nest.flatten(variables):
        if isinstance(leaf, TensorArray):
            tensors.append(leaf.rows())
        elif isinstance(leaf, (Tensor, *NUMBERS)):
            tensors.append(convert(leaf))
        else:
            return None
    return tensors if all(type(tensor) is EagerTensor for tensor in tensors) else None


def packed(variables: Any, tensors: Sequence[Any]) -> Any:
    """A nest like ``variables`` of other tensors."""
    leaves = [
        RowsArray.like(leaf, tensor) if isinstance(leaf, TensorArray) else tensor
        for leaf, tensor in zip(nest.flatten(variables), tensors, strict=True)
    ]
    return nest.pack_sequence_as(variables, leaves)

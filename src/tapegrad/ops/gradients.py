"""For the walk back: zeros, ones, and calls of ops as registered gradient functions see them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad.core import EagerTensor, Op, registry
from tapegrad.core.kinds import holds_size
from tapegrad.dtypes import DType


def zeros(shape: tuple[int, ...], dtype: DType) -> EagerTensor:
    if holds_size(shape):
        return _filled(shape, 0, dtype)
    if math.prod(shape) <= 1024:
        return EagerTensor(np.zeros(shape, dtype.numpy_dtype))
    # A view of one zero takes no memory: zeros for a gradient that did not arrive are seldom read.
    return EagerTensor(np.broadcast_to(np.zeros((), dtype.numpy_dtype), shape))


def ones(shape: tuple[int, ...], dtype: DType) -> EagerTensor:
    if holds_size(shape):
        return _filled(shape, 1, dtype)
    return EagerTensor(np.ones(shape, dtype.numpy_dtype))


def _filled(shape: tuple[Any, ...], value: int, dtype: DType) -> EagerTensor:
    """The same of an open size: by an op, which keeps it."""
    tensor: EagerTensor = registry["_Filled"].apply([], (shape, value, dtype))
    return tensor


class OpView:
    """A call as gradient functions registered in TensorFlow's form see it: ``op.inputs``,
    ``op.get_attr(...)``.
    """

    def __init__(
        self, op: Op, inputs: tuple[Any, ...], outputs: tuple[Any, ...], attributes: tuple[Any, ...]
    ) -> None:
        self.type = self.name = op.type
        self.inputs = inputs
        self.outputs = outputs
        public = op.inputs + op.attributes
        self._attributes = dict(zip(op.attributes, attributes, strict=False))
        for name, raw in zip(public, op.raw, strict=False):
            if name in self._attributes:
                self._attributes[raw] = self._attributes[name]
        self._attributes.setdefault("T", inputs[0].dtype if inputs else None)

    def get_attr(self, name: str) -> Any:
        """The attribute ``name``, by its public name or by that of `tf.raw_ops`."""
        if name not in self._attributes:
            raise ValueError(f"Operation {self.type!r} has no attr named {name!r}.")
        return self._attributes[name]

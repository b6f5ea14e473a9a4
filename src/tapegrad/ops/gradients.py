"""What the walk back over a tape asks of the ops: adding up, zeros, undoing a broadcast, conjugating."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad.core import EagerTensor, Op
from tapegrad.dtypes import DType
from tapegrad.ops import complex
from tapegrad.ops.array import reshape
from tapegrad.ops.reduce import reduce_sum


def sum_to_shape(gradient: EagerTensor, shape: tuple[int, ...]) -> EagerTensor:
    """``gradient`` summed over the axes along which an input of ``shape`` was broadcast.

    A gradient that is itself smaller than the input (it came from outside, as a scalar for a vector) is
    left as it is: where it meets the input's values it is broadcast like them.
    """
    given = gradient._shape_tuple()
    extra = len(given) - len(shape)
    if extra < 0:
        return gradient
    axes = [*range(extra)]
    axes += [i + extra for i, length in enumerate(shape) if length == 1 and given[i + extra] != 1]
    if not axes:
        return gradient
    summed: EagerTensor = reduce_sum.apply([gradient], (tuple(axes), False))
    return summed if len(axes) == extra else reshape.apply([summed], (shape,))


def zeros(shape: tuple[int, ...], dtype: DType) -> EagerTensor:
    if math.prod(shape) <= 1024:
        return EagerTensor(np.zeros(shape, dtype.numpy_dtype))
    # One zero seen everywhere: what stands for a gradient that did not arrive is seldom looked at.
    return EagerTensor(np.broadcast_to(np.zeros((), dtype.numpy_dtype), shape))


def ones(shape: tuple[int, ...], dtype: DType) -> EagerTensor:
    return EagerTensor(np.ones(shape, dtype.numpy_dtype))


def conj(x: EagerTensor) -> EagerTensor:
    return complex.conj_op(x) if x.dtype.is_complex else x


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

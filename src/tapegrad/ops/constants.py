"""Small constants for rules and compositions: a Python value as a tensor, without the ways of `tf.constant`.

Zeros and ones of a shape are in ``ops/gradients.py``; what users call is in ``ops/shape/creation.py``.
"""

from __future__ import annotations

from typing import Any

from tapegrad.core import EagerTensor
from tapegrad.dtypes import DType
from tapegrad.ops.op import op


@op("_Constant")
def constant_op(xp, *, value, dtype):
    return xp.array(value, dtype.numpy_dtype)


constant_op.no_gradient()


def constant(value: Any, dtype: DType) -> EagerTensor:
    """A number, a tuple or a list of numbers as a tensor: some times faster than `tf.constant`."""
    tensor: EagerTensor = constant_op.apply([], (value, dtype))
    return tensor

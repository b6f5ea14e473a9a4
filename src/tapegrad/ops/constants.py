"""Small constants for rules and for functions of ops, made faster than by `tf.constant`.

``ops/gradients.py`` has zeros and ones of a shape, and ``ops/shape/creation.py`` what users call.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad.core import EagerTensor
from tapegrad.dtypes import DType
from tapegrad.ops.op import op
from tapegrad.ops.shape_rules import Abstract


@op("_Constant")
def constant_op(xp, *, value, dtype):
    return xp.array(value, dtype.numpy_dtype)


constant_op.shape(lambda value, dtype: Abstract(np.shape(value), dtype))
constant_op.no_gradient()


def constant(value: Any, dtype: DType) -> EagerTensor:
    """A number, a tuple or a list of numbers as a tensor, several times faster than by `tf.constant`."""
    tensor: EagerTensor = constant_op.apply([], (value, dtype))
    return tensor

"""Ops that TensorFlow keeps for old programs: they are in ``tf.raw_ops`` and ``tf.compat.v1`` alone."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, convert
from tapegrad.ops.complex import conj
from tapegrad.ops.math import (
    floordiv,
    is_integral,
    multiply_no_nan,
    real_divide,
    reciprocal_grad,
    reciprocal_slope,
    truncated_remainder,
    whole_quotient,
    zero_safe_divide,
)
from tapegrad.ops.op import FLOATING, INDEX, NUMERIC, REAL_FLOATING, STRING, elementwise

PUBLIC = {
    "compat.v1": "div",
}


add_v1 = elementwise(
    "Add",
    "add",
    dtypes=NUMERIC - {dtypes.uint16, dtypes.uint32, dtypes.uint64} | STRING,
    name="add",
)
add_v1.gradient(x=lambda dy: dy, y=lambda dy: dy)

divide_v1 = elementwise(
    "Div",
    lambda xp, x, y: whole_quotient(xp, x, y) if is_integral(x) else xp.divide(x, y),
    dtypes=NUMERIC,
    name="divide",
)
divide_v1.gradient(
    x=lambda dy, y: zero_safe_divide(dy, y),
    y=lambda dy, y, out: -multiply_no_nan(out, zero_safe_divide(dy, y)),
)

mod_v1 = elementwise(
    "Mod",
    truncated_remainder,
    dtypes=REAL_FLOATING | INDEX,
    name="mod",
)

inverse_v1 = elementwise(
    "Inv",
    "reciprocal",
    dtypes=FLOATING,
    holomorphic=False,
    name="inverse",
)
inverse_v1.gradient(x=lambda dy, out: reciprocal_grad(out, dy))

inverse_grad_v1 = elementwise(
    "InvGrad",
    reciprocal_slope,
    inputs=("y", "grad"),
    holomorphic=False,
    dtypes=FLOATING,
    raw=("y", "dy"),
    name="inverse_grad",
)
inverse_grad_v1.gradient(
    y=lambda dy, y, grad: multiply_no_nan(multiply_no_nan(conj(y), grad) * -2.0, conj(dy)),
    grad=lambda dy, y: reciprocal_grad(conj(y), dy),
)


def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x / y`` as Python 2 divided: of integers the whole part below. It is in ``tf.compat.v1``.

    >>> tf.compat.v1.div(7, 2).numpy(), tf.compat.v1.div(7.0, 2.0).numpy()
    (np.int32(3), np.float32(3.5))
    """
    x = convert(x)
    return floordiv(x, y) if x.dtype.is_integer else real_divide(x, y)

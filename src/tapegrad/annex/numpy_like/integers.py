"""Functions of integers, by NumPy's names."""

from __future__ import annotations

from typing import Any

from tapegrad.annex.numpy_like import ops
from tapegrad.annex.numpy_like.math import binary, unary
from tapegrad.annex.numpy_like.promotion import asarray, promoted
from tapegrad.core import Tensor
from tapegrad.framework.docstrings import describes

PUBLIC = {"experimental.numpy": "bitwise_and bitwise_not bitwise_or bitwise_xor gcd lcm"}

INTEGERS = (
    "a tensor of integers, or a value that becomes one. Both arguments are broadcast to one shape and cast "
    "to one dtype."
)
OF_INTEGERS = describes(x1=INTEGERS, x2=INTEGERS)

bitwise_and = binary("bitwise_and", ops.bitwise_and, ops.logical_and)
bitwise_or = binary("bitwise_or", ops.bitwise_or, ops.logical_or)
bitwise_xor = binary("bitwise_xor", ops.bitwise_xor, ops.logical_xor)
bitwise_not = unary(
    "bitwise_not", lambda x: ops.logical_not(x) if x.dtype.is_bool else ops.invert(x)
)


def integers(name: str, x1: Any, x2: Any) -> tuple[Tensor, Tensor]:
    """Two tensors of integers of one dtype and shape."""
    x1, x2 = promoted(x1, x2)
    if not x1.dtype.is_integer:
        raise ValueError(f"Arguments to {name} must be integers; {x1.dtype.name} came.")
    shape = ops.broadcast_static_shape(asarray(x1).shape, asarray(x2).shape)
    return ops.broadcast_to(x1, shape), ops.broadcast_to(x2, shape)


@OF_INTEGERS
def gcd(x1: Any, x2: Any) -> Tensor:
    """The greatest common divisor; of 0 and a number that number.

    >>> tf.experimental.numpy.gcd([12, 0], 18).numpy()
    array([ 6, 18])
    """

    def step(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        ends = ops.equal(y, 0)
        rest = ops.floormod(x, ops.where(ends, ops.ones_like(y), y))
        return ops.where(ends, x, y), ops.where(ends, y, rest)

    divisor: Tensor
    divisor, _ = ops.while_loop(
        lambda x, y: ops.reduce_any(ops.not_equal(y, 0)), step, integers("gcd", x1, x2)
    )
    return divisor if divisor.dtype.is_unsigned else ops.abs(divisor)


@OF_INTEGERS
def lcm(x1: Any, x2: Any) -> Tensor:
    """The least common multiple; 0 if one of the numbers is 0."""
    x, y = integers("lcm", x1, x2)
    divisor = gcd(x, y)
    product = ops.floordiv(x, ops.where(ops.equal(divisor, 0), ops.ones_like(x), divisor)) * y
    return product if product.dtype.is_unsigned else ops.abs(product)

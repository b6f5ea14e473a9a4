# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Composite as Composite
from tapegrad.framework.types import TensorLike as TensorLike
from typing import overload as overload

@overload
def abs(x: Composite, name: str | None = None) -> Composite:
    """The absolute value. For a complex number it is the modulus, in the matching real dtype.

    >>> tf.abs([-1.5, 2.0]).numpy(), tf.abs(tf.constant(3 + 4j)).numpy()
    (array([1.5, 2. ], dtype=float32), np.float64(5.0))
    """

@overload
def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """The absolute value. For a complex number it is the modulus, in the matching real dtype.

    >>> tf.abs([-1.5, 2.0]).numpy(), tf.abs(tf.constant(3 + 4j)).numpy()
    (array([1.5, 2. ], dtype=float32), np.float64(5.0))
    """

def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The angle of complex numbers in radians. For real numbers it is pi below zero, else 0.

    >>> tf.math.angle(tf.constant([1j, -1.0 + 0j])).numpy()
    array([1.57079633, 3.14159265])
    """

def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """-1, 0 or 1. For a complex number it is the number of modulus 1 in the same direction.

    >>> tf.sign([-3.0, 0.0, 2.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)

    Args:
        x: a tensor of float32 or float64 or int32 or int16 or int8 or complex64 or int64 or bfloat16 or complex128 or float16.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

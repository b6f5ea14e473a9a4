# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from typing import Any as Any

def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """A sum of products of tensors, written with a letter for each axis.

    A letter that the result (after ``->``) lacks is summed over; without ``->`` the result has every letter
    that appears once, in alphabetical order. ``...`` stands for any axes left over, and they broadcast.

    >>> x, y = tf.ones([2, 3]), tf.ones([3, 4])
    >>> tf.einsum("ij,jk->ik", x, y).shape                 # the product of matrices
    TensorShape([2, 4])
    >>> tf.einsum("ii->i", tf.ones([3, 3])).numpy()        # the diagonal
    array([1., 1., 1.], dtype=float32)
    >>> tf.einsum("...ij->...ji", tf.ones([5, 2, 3])).shape
    TensorShape([5, 3, 2])

    Args:
        optimize: accepted; with three operands and more, the order of products is always chosen by size.

    Raises:
        ValueError: for an equation that makes no sense, or a number of operands that is not the equation's.
        InvalidArgumentError: for shapes that do not suit the equation.
    """

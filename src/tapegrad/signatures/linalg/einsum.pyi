# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from typing import Any as Any

def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """A sum of products of tensors, written with a letter for each axis.

    A letter that does not appear after ``->`` is summed over. Without ``->`` the result has every letter that
    appears once, in alphabetical order. ``...`` stands for the remaining axes, which are broadcast.

    >>> x, y = tf.ones([2, 3]), tf.ones([3, 4])
    >>> tf.einsum("ij,jk->ik", x, y).shape                 # the product of matrices
    TensorShape([2, 4])
    >>> tf.einsum("ii->i", tf.ones([3, 3])).numpy()        # the diagonal
    array([1., 1., 1.], dtype=float32)
    >>> tf.einsum("...ij->...ji", tf.ones([5, 2, 3])).shape
    TensorShape([5, 3, 2])

    Args:
        optimize: accepted and ignored. With three or more operands, sizes decide the order of products.

    Raises:
        ValueError: for an equation that makes no sense, or a number of operands that differs from it.
        InvalidArgumentError: for shapes that do not fit the equation.
    """

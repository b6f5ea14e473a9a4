# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any

def as_string(
    input: TensorLike,
    precision: TensorLike = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: TensorLike = -1,
    fill: str = '',
    name: str | None = None,
) -> Tensor:
    """Each element as text.

    >>> tf.strings.as_string([1.5, 2.0]).numpy().tolist()
    [b'1.500000', b'2.000000']
    >>> tf.strings.as_string(3.14159, precision=2).numpy(), tf.strings.as_string(7, width=3, fill="0").numpy()
    (b'3.14', b'007')

    Args:
        input: numbers, truth values (``true`` and ``false``) or text, which stays as it is.
        precision: the digits after the point of floating-point numbers; six if negative.
        scientific: whether to write them with an exponent.
        shortest: whether to write them in the shorter of the two ways.
        width: the least length. Longer text is not cut, and truth values are not padded.
        fill: how to pad: spaces on the left by default, ``"0"`` for zeros, ``"-"`` for spaces on the right.
            ``"+"`` or ``" "`` is written before numbers that are not negative.

    Returns:
        A tensor.
    """

def format(
    template: str,
    inputs: Any,
    placeholder: str = '{}',
    summarize: TensorLike = 3,
    name: str | None = None,
) -> Tensor:
    """``template`` with the elements of tensors in place of its placeholders, as `tf.print` shows them.

    >>> tf.strings.format("x = {}, y = {}", (tf.constant(1), tf.constant([1.5, 2.0]))).numpy()
    b'x = 1, y = [1.5 2]'

    Args:
        template: the text around the tensors.
        inputs: a tensor, or a list of them.
        placeholder: what stands for a tensor in the template.
        summarize: how many elements to show at each end of an axis; -1 for all.
    """

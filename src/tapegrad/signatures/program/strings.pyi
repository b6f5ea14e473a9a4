# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

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

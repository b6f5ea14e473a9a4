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
        precision: digits after the point of floating-point numbers; six if negative.
        scientific: write them with an exponent.
        shortest: write them in whichever way is shorter.
        width: the least length; text is not cut, and truth values are not made longer.
        fill: spaces on the left fill up to ``width``; ``"0"`` zeros, ``"-"`` spaces on the right. ``"+"`` and
            ``" "`` stand before numbers that are not negative.

    Returns:
        A tensor.
    """

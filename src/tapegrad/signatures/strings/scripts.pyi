# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def unicode_script(input: TensorLike, name: str | None = None) -> Tensor:
    """The number of the script of each code point; 0 for what all scripts share, -1 for no code point.

    >>> tf.strings.unicode_script([ord("a"), 0x65E5, 0x3042]).numpy()
    array([25, 17, 20], dtype=int32)

    Args:
        input: a tensor of int32.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def slice_(
    input_: TensorLike,
    begin: TensorLike,
    size: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The block of ``input_`` that begins at ``begin`` and has the shape ``size`` (-1 means all the rest).

    >>> tf.slice([[1, 2, 3], [4, 5, 6]], [0, 1], [-1, 2]).numpy().tolist()
    [[2, 3], [5, 6]]
    """

# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = 'CONSTANT',
    constant_values: TensorLike = 0,
    name: str | None = None,
) -> Tensor:
    """``tensor`` with ``paddings[i]`` = [before, after] more elements along each axis ``i``.

    With mode CONSTANT the new elements are ``constant_values``. With REFLECT or SYMMETRIC they are what a
    mirror at the edge shows: REFLECT leaves out the edge element itself, SYMMETRIC includes it.

    >>> tf.pad([1, 2, 3], [[1, 2]]).numpy().tolist()
    [0, 1, 2, 3, 0, 0]
    >>> tf.pad([1, 2, 3], [[1, 2]], mode="REFLECT").numpy().tolist()
    [2, 1, 2, 3, 2, 1]
    """

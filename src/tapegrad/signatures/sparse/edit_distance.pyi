# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def edit_distance(
    hypothesis: TensorLike,
    truth: TensorLike,
    normalize: bool = True,
    name: str | None = 'edit_distance',
) -> Tensor:
    """The number of edits that turn each row of ``hypothesis`` into that of ``truth``.

    >>> said = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    >>> meant = tf.SparseTensor([[0, 0], [0, 1], [0, 2]], ["a", "c", "d"], [1, 3])
    >>> tf.edit_distance(said, meant, normalize=False).numpy().tolist()
    [2.0]

    An edit inserts an element, deletes one or replaces one.

    Args:
        hypothesis, truth: sparse tensors of one dtype and rank, in order. Rows lie along the last axis.
        normalize: whether to divide by the length of the true row. If that row is empty, the result is
            infinite, or 0 if the other row is empty too.
    """

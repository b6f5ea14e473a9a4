# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def where(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``x`` where the condition holds, else ``y``. Given the condition alone: the indices where it holds.

    >>> tf.where([True, False, True], [1, 2, 3], 0).numpy().tolist()
    [1, 0, 3]
    >>> tf.where([[True, False], [True, True]]).numpy().tolist()
    [[0, 0], [1, 0], [1, 1]]

    The gradient of the branch that was not taken is zero, even where its value is infinite:

    >>> v = tf.constant(0.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(v)
    ...     y = tf.where(v > 0, tf.math.log(v), 0.0)
    >>> tape.gradient(y, v).numpy()
    np.float32(0.0)
    """

def where_v1(
    condition: TensorLike,
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`where` as in TensorFlow 1: a condition that is a vector chooses among the rows of x and y.

    >>> where_v1([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy().tolist()
    [[1, 2], [7, 8]]
    """

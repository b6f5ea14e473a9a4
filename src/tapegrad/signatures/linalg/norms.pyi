# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import TensorLike as TensorLike

def norm(
    tensor: TensorLike,
    ord: str | float = 'euclidean',
    axis: Axis | None = None,
    keepdims: bool | None = None,
    name: str | None = None,
) -> Tensor:
    """A norm of vectors or matrices: of everything, along an axis, or over a pair of axes.

    >>> tf.norm([3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=5.0>
    >>> tf.norm([[1.0, -2.0], [3.0, 4.0]], ord=1, axis=0).numpy()
    array([4., 6.], dtype=float32)
    >>> tf.norm([[3.0, 0.0], [0.0, 4.0]], ord=2, axis=[0, 1]).numpy().round(4)
    np.float32(4.0)

    Differs from TensorFlow: the gradient at zero is 0, and no square overflows or underflows.

    Args:
        ord: for vectors "euclidean", 1, 2, inf, or any positive number p; for matrices "euclidean", "fro",
            1 (the largest column sum), 2 (the largest singular value), inf (the largest row sum).
        axis: None for one vector of all elements, a number for vectors, a pair for matrices.
    """

def normalize(
    tensor: TensorLike,
    ord: str | float = 'euclidean',
    axis: Axis | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """``tensor`` divided by its norm, and the norm. See ``tf.norm``.

    >>> unit, length = tf.linalg.normalize([3.0, 4.0])
    >>> print(unit.numpy(), length.numpy())
    [0.6 0.8] [5.]
    """

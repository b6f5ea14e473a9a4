# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def band_part(
    input: TensorLike,
    num_lower: TensorLike,
    num_upper: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The matrices in the last two axes, with zeros outside a band around the main diagonal.

    >>> tf.linalg.band_part(tf.ones([3, 3]), -1, 0).numpy()        # the lower triangle
    array([[1., 0., 0.],
           [1., 1., 0.],
           [1., 1., 1.]], dtype=float32)

    Args:
        num_lower: the number of diagonals to keep below the main one. A negative number keeps all.
        num_upper: the number of diagonals to keep above the main one, likewise.

    Returns:
        A tensor.
    """

def diag(
    diagonal: TensorLike,
    name: str = 'diag',
    k: TensorLike = 0,
    num_rows: TensorLike = -1,
    num_cols: TensorLike = -1,
    padding_value: TensorLike = 0,
    align: str = 'RIGHT_LEFT',
) -> Tensor:
    """Matrices with the given diagonal, or with the band of diagonals ``k[0]`` to ``k[1]``.

    >>> tf.linalg.diag([1, 2])
    <tf.Tensor: shape=(2, 2), dtype=int32, numpy=
    array([[1, 0],
           [0, 2]], dtype=int32)>
    >>> tf.linalg.diag([7, 8], k=1, padding_value=-1).numpy()
    array([[-1,  7, -1],
           [-1, -1,  8],
           [-1, -1, -1]], dtype=int32)

    Args:
        k: the number of the diagonal: 0 is the main one, and those above it are positive. Or a pair, the
            lowest and the highest number; the second last axis of ``diagonal`` then counts diagonals, the
            highest first.
        num_rows, num_cols: the size of the matrices. -1 means the smallest size that fits.
        padding_value: the value of all other elements.
        align: the side of its row on which a shorter diagonal of a band lies: first for the diagonals above
            the main one, then for those below.
    """

def diag_part(
    input: TensorLike,
    name: str = 'diag_part',
    k: TensorLike = 0,
    padding_value: TensorLike = 0,
    align: str = 'RIGHT_LEFT',
) -> Tensor:
    """The diagonal of the matrices in the last two axes, or the band of diagonals ``k[0]`` to ``k[1]``.

    >>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy()
    array([1, 4], dtype=int32)
    >>> tf.linalg.diag_part([[1, 2], [3, 4]], k=(-1, 1)).numpy()
    array([[0, 2],
           [1, 4],
           [3, 0]], dtype=int32)
    """

def set_diag(
    input: TensorLike,
    diagonal: TensorLike,
    name: str = 'set_diag',
    k: TensorLike = 0,
    align: str = 'RIGHT_LEFT',
) -> Tensor:
    """``input`` with its diagonal, or its band of diagonals ``k[0]`` to ``k[1]``, replaced.

    >>> tf.linalg.set_diag([[0, 1], [2, 3]], [8, 9]).numpy()
    array([[8, 1],
           [2, 9]], dtype=int32)
    """

def tensor_diag(diagonal: TensorLike, name: str | None = None) -> Tensor:
    """A tensor of twice the rank that holds ``diagonal`` where both halves of the index are the same.

    >>> tf.linalg.tensor_diag([1.0, 2.0]).numpy()
    array([[1., 0.],
           [0., 2.]], dtype=float32)

    Args:
        diagonal: a tensor of float32 or float64 or int32 or complex64 or int64 or bfloat16 or complex128 or float16.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def tensor_diag_part(input: TensorLike, name: str | None = None) -> Tensor:
    """The elements of ``input`` for which both halves of the index are the same.

    >>> tf.linalg.tensor_diag_part([[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([1., 4.], dtype=float32)

    Args:
        input: a tensor of float32 or float64 or int32 or complex64 or int64 or bfloat16 or complex128 or float16.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def trace(x: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the main diagonal of the matrices in the last two axes.

    >>> tf.linalg.trace([[1.0, 2.0], [3.0, 4.0]])
    <tf.Tensor: shape=(), dtype=float32, numpy=5.0>

    Args:
        x: a tensor of numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import TensorLike as TensorLike

def dct(
    input: TensorLike,
    type: int = 2,
    n: TensorLike | None = None,
    axis: Axis = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The cosine transform of the last axis. Type II is ``out[k] = 2 sum(x[n] cos(pi (2n + 1) k / 2N))``.

    >>> tf.signal.dct([1.0, 1.0, 1.0]).numpy() + 0.0
    array([6., 0., 0.], dtype=float32)

    Args:
        type: 1, 2, 3 or 4.
        n: the length to which the input is first cropped or padded.
        norm: "ortho" for an orthonormal transform.
    """

def idct(
    input: TensorLike,
    type: int = 2,
    n: TensorLike | None = None,
    axis: Axis = -1,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of ``tf.signal.dct``, without the factor 1 / 2N (1 / 2(N - 1) for type 1) if not "ortho".

    >>> x = tf.constant([1.0, 2.0, 3.0])
    >>> tf.signal.idct(tf.signal.dct(x, norm="ortho"), norm="ortho").numpy().round(4)
    array([1., 2., 3.], dtype=float32)
    """

# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Callable as Callable
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def inverse_mdct(
    mdcts: TensorLike,
    window_fn: Callable[..., Tensor] | None = ...,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The signal whose modified cosine transform is ``mdcts``, except for its first and last half frames.

    >>> x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> tf.signal.inverse_mdct(tf.signal.mdct(x, 4)).numpy()[2:4].round(4)
    array([3., 4.], dtype=float32)

    Args:
        window_fn, norm: the same as for the mdct.
    """

def mdct(
    signals: TensorLike,
    frame_length: TensorLike,
    window_fn: Callable[..., Tensor] | None = ...,
    pad_end: bool = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified cosine transform: half overlapping frames, with half as many coefficients as samples.

    >>> tf.signal.mdct(tf.ones([12]), frame_length=4).shape
    TensorShape([5, 2])

    Args:
        frame_length: a multiple of 4.
        window_fn: called as ``window_fn(frame_length, dtype=...)``; None for no window.
        pad_end: whether to fill up the last frames with zeros. Otherwise they are left out.
        norm: "ortho" for an orthonormal cosine transform.
    """

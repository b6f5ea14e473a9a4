"""The modified cosine transform, which audio codecs apply to frames, and its inverse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, convert
from tapegrad.core.compositions import composition
from tapegrad.ops.shape import joining, rearrange
from tapegrad.ops.signal.dct import check_dct, dct, idct
from tapegrad.ops.signal.fading import scalar_int, vorbis_window
from tapegrad.ops.signal.frames import frame, of_rank, overlap_and_add

PUBLIC = {
    "signal compat.v1.signal": "inverse_mdct mdct",
}


@composition
def mdct(
    signals: Any,
    frame_length: Any,
    window_fn: Callable[..., Tensor] | None = vorbis_window,
    pad_end: Any = False,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The modified cosine transform: half overlapping frames, with half as many coefficients as samples.

    >>> tf.signal.mdct(tf.ones([12]), frame_length=4).shape
    TensorShape([5, 2])

    Args:
        signals: float32 or float64; the last axis is time.
        frame_length: a multiple of 4.
        window_fn: called as ``window_fn(frame_length, dtype=...)``; None for no window.
        pad_end: whether to fill up the last frames with zeros. Otherwise they are left out.
        norm: "ortho" for an orthonormal cosine transform.
    """
    signals = of_rank(convert(signals), 1, "signals")
    length = scalar_int(frame_length, "frame_length", ValueError)
    if length < 1 or length % 4:
        raise ValueError(f"The frame length must be a multiple of 4, not {length}.")
    check_dct(4, -1, None, norm)
    frames = frame(signals, length, length // 2, pad_end)
    frames = frames * half_window(window_fn, length, frames.dtype)
    first, second, third, fourth = joining.split(frames, 4, axis=-1)
    folded = joining.concat([-flipped(third) - fourth, first - flipped(second)], -1)
    return dct(folded, type=4, norm=norm)


@composition
def inverse_mdct(
    mdcts: Any,
    window_fn: Callable[..., Tensor] | None = vorbis_window,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The signal whose modified cosine transform is ``mdcts``, except for its first and last half frames.

    >>> x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> tf.signal.inverse_mdct(tf.signal.mdct(x, 4)).numpy()[2:4].round(4)
    array([3., 4.], dtype=float32)

    Args:
        mdcts: float32 or float64, of shape [..., frames, coefficients].
        window_fn, norm: the same as for the mdct.
    """
    mdcts = of_rank(convert(mdcts), 2, "mdcts")
    half = mdcts._shape_tuple()[-1]
    unfolded = idct(mdcts, type=4, norm=norm)
    if norm is None and half:
        unfolded = unfolded * (0.5 / half)
    first, second = joining.split(unfolded, 2, axis=-1)
    frames = joining.concat([second, -flipped(second), -flipped(first), -first], -1)
    frames = frames * half_window(window_fn, 2 * half, frames.dtype)
    return overlap_and_add(frames, half)


def half_window(window_fn: Callable[..., Tensor] | None, length: int, dtype: dtypes.DType) -> Any:
    """A window that, applied twice, gives each sample a total weight of 1: each sample is in two frames."""
    return 0.5**0.5 if window_fn is None else window_fn(length, dtype=dtype)


def flipped(tensor: Tensor) -> Tensor:
    return rearrange.reverse(tensor, axis=[tensor.ndim - 1])

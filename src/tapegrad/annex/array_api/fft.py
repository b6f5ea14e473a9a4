"""The standard's extension ``fft``: Fourier transforms along any axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.array_api.data_types import default_dtype
from tapegrad.annex.array_api.manipulation import axes_of, moveaxis, roll
from tapegrad.annex.numpy_like import ops
from tapegrad.annex.numpy_like.arguments import DEVICE
from tapegrad.annex.numpy_like.promotion import floating
from tapegrad.core import Tensor
from tapegrad.framework.docstrings import describes
from tapegrad.ops.linalg.attributes import check_device

PUBLIC = {
    "array_api.fft": (
        "fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft rfftfreq rfftn"
    ),
}

NORM = (
    '"backward" divides inverse transforms by the number of elements, "forward" the others, and "ortho" '
    "divides both by its root."
)
ALONG = describes(
    x="a tensor of numbers. Integers become float64.",
    n=(
        "how many elements are transformed: those behind are left out, and missing ones are 0. None takes "
        "those that there are."
    ),
    axis="the axis of the transform.",
    norm=NORM,
)
ALONG_ALL = describes(
    x="a tensor of numbers. Integers become float64.",
    s=(
        "how many elements are transformed along these axes: those behind are left out, and missing ones "
        "are 0. None takes those that there are."
    ),
    axes="the axes of the transform; None for all, or for the last ones if ``s`` has fewer sizes.",
    norm=NORM,
)
FREQUENCIES = describes(
    n="how many elements are transformed.",
    d="the distance from an element to the next.",
    dtype="the dtype of the result; None for the default one of floats.",
    device=DEVICE,
)
SHIFTED = describes(x="a tensor.", axes="an axis, or a tuple of axes; None for all of them.")


# By which power of the length a transform divides; its inverse divides by the rest.
DIVIDES = {"backward": 0.0, "ortho": 0.5, "forward": 1.0}


def scaled(x: Tensor, n: int, norm: str, inverse: bool) -> Tensor:
    """A transform of length ``n`` by the norm; TensorFlow's inverse ones have divided by the length."""
    if norm not in DIVIDES:
        raise ValueError(f"norm={norm!r} came; it is {', '.join(map(repr, DIVIDES))}")
    power = DIVIDES[norm] if inverse else -DIVIDES[norm]
    return x * ops.constant(float(n) ** power, x.dtype) if power else x


def sized(x: Tensor, n: int) -> Tensor:
    """The first ``n`` elements along the last axis, with zeros behind them if there are fewer."""
    size = x._shape_tuple()[-1]
    if size >= n:
        return x[..., :n]
    return ops.pad(x, [[0, 0]] * (x.ndim - 1) + [[0, n - size]])


def as_complex(x: Tensor) -> Tensor:
    x = floating(x)
    if x.dtype.is_complex:
        return x
    return ops.cast(x, dtypes.complex128 if x.dtype is dtypes.float64 else dtypes.complex64)


def along(axis: int, function: Callable[[Tensor, int], Tensor], x: Tensor, n: int | None) -> Tensor:
    """A transform of ``n`` elements along ``axis``."""
    place = axes_of(x, axis)[0]
    length = x._shape_tuple()[place] if n is None else n
    if length < 1:
        raise ValueError(f"a transform has one element at least; n={length} came")
    if place == x.ndim - 1:
        return function(x, length)
    return moveaxis(function(moveaxis(x, place, -1), length), -1, place)


@ALONG
def fft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The Fourier transform along ``axis``."""

    def transform(x: Tensor, n: int) -> Tensor:
        return scaled(ops.fft(sized(as_complex(x), n)), n, norm, False)

    return along(axis, transform, x, n)


@ALONG
def ifft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The inverse of ``fft``."""

    def transform(x: Tensor, n: int) -> Tensor:
        return scaled(ops.ifft(sized(as_complex(x), n)), n, norm, True)

    return along(axis, transform, x, n)


@ALONG
def rfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The first half of the transform of real numbers; the second one mirrors it.

    Args:
        x: a tensor of real numbers.
    """

    def transform(x: Tensor, n: int) -> Tensor:
        return scaled(ops.rfft(sized(floating(x), n)), n, norm, False)

    return along(axis, transform, x, n)


@ALONG
def irfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The inverse of ``rfft``, with ``n`` elements; an even number if that is None.

    Args:
        n: the number of elements of the result along ``axis``; None for twice as many as ``x`` has, less two.
    """

    def transform(x: Tensor, n: int) -> Tensor:
        half = sized(as_complex(x), n // 2 + 1)
        return scaled(ops.irfft(half, [n]), n, norm, True)

    return along(axis, transform, x, even(x, axis) if n is None else n)


def even(x: Tensor, axis: int) -> int:
    """How many real numbers a half transform has."""
    return 2 * (x._shape_tuple()[axes_of(x, axis)[0]] - 1)


@ALONG
def hfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The transform, of real numbers, whose first half ``x`` is the inverse one's.

    Args:
        n: the number of elements of the result along ``axis``; None for twice as many as ``x`` has, less two.
    """
    length = even(x, axis) if n is None else n
    return irfft(ops.conj(as_complex(x)), n=length, axis=axis, norm=OTHER[norm])


@ALONG
def ihfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
    """The inverse of ``hfft``.

    Args:
        x: a tensor of real numbers.
    """
    return ops.conj(rfft(x, n=n, axis=axis, norm=OTHER[norm]))


OTHER = {"backward": "forward", "ortho": "ortho", "forward": "backward"}


def places(x: Tensor, s: Any, axes: Any) -> list[tuple[int, int | None]]:
    """The axes of a transform of several, each with its length or None."""
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    axes = axes_of(x, tuple(axes))
    return list(zip(axes, [None] * len(axes) if s is None else s, strict=True))


@ALONG_ALL
def fftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Tensor:
    """The Fourier transform along several axes."""
    result = as_complex(x)
    for axis, n in places(x, s, axes):
        result = fft(result, n=n, axis=axis, norm=norm)
    return result


@ALONG_ALL
def ifftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Tensor:
    """The inverse of ``fftn``."""
    result = as_complex(x)
    for axis, n in places(x, s, axes):
        result = ifft(result, n=n, axis=axis, norm=norm)
    return result


@ALONG_ALL
def rfftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Tensor:
    """The transform of real numbers along several axes: of the last one, half of it.

    Args:
        x: a tensor of real numbers.
    """
    *first, (axis, n) = places(x, s, axes)
    result = rfft(x, n=n, axis=axis, norm=norm)
    for axis, n in first:
        result = fft(result, n=n, axis=axis, norm=norm)
    return result


@ALONG_ALL
def irfftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Tensor:
    """The inverse of ``rfftn``.

    Args:
        s: the numbers of elements of the result along ``axes``; None for those of ``x``, and along the last
            axis for twice as many, less two.
    """
    *first, (axis, n) = places(x, s, axes)
    for other, length in first:
        x = ifft(x, n=length, axis=other, norm=norm)
    return irfft(x, n=n, axis=axis, norm=norm)


@FREQUENCIES
def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies of a transform of ``n`` elements at the distance ``d``."""
    check_device(device)
    wanted = default_dtype(float) if dtype is None else dtypes.as_dtype(dtype)
    return ops.constant(np.fft.fftfreq(n, d), wanted)


@FREQUENCIES
def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Tensor:
    """The frequencies of ``rfft`` of ``n`` elements at the distance ``d``."""
    check_device(device)
    wanted = default_dtype(float) if dtype is None else dtypes.as_dtype(dtype)
    return ops.constant(np.fft.rfftfreq(n, d), wanted)


@SHIFTED
def fftshift(x: Any, /, *, axes: Any = None) -> Tensor:
    """The frequency 0 moved to the middle."""
    moved = axes_of(x, axes)
    return roll(x, tuple(x._shape_tuple()[axis] // 2 for axis in moved), axis=tuple(moved))


@SHIFTED
def ifftshift(x: Any, /, *, axes: Any = None) -> Tensor:
    """The inverse of ``fftshift``."""
    moved = axes_of(x, axes)
    return roll(x, tuple(-(x._shape_tuple()[axis] // 2) for axis in moved), axis=tuple(moved))

"""Windows: weights that fade a signal's frames in and out, and those that undo them in an inverse stft."""

from __future__ import annotations

import math as scalar_math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Tensor, convert, public
from tapegrad.core.compositions import composition
from tapegrad.dtypes import DType
from tapegrad.errors import refuse
from tapegrad.ops.args import check_memory, static_array, static_int
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise import exponential, math, special
from tapegrad.ops.op import op
from tapegrad.ops.reduce import reduce, scan
from tapegrad.ops.shape import array, casts, joining, rearrange
from tapegrad.ops.shape.padding import pad_op
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    "signal compat.v1.signal": (
        "hamming_window hann_window inverse_stft_window_fn kaiser_bessel_derived_window "
        "kaiser_window vorbis_window"
    ),
}


def scalar_int(
    value: Any, name: str, refuse_float: type[Exception] = errors.InvalidArgumentError
) -> int:
    """One integer, not in a list. ``refuse_float`` is the error that TensorFlow raises for floats there."""
    floats = isinstance(value, float) or (
        isinstance(value, (Tensor, np.ndarray, np.generic)) and not is_integral(value)
    )
    if floats:
        words = f"{name} must be an integer; {value} came."
        if refuse_float is errors.InvalidArgumentError:
            refuse(words)
        raise refuse_float(words)
    shape = static_array(value).shape
    if shape:
        raise ValueError(f"{name} must be a scalar, not of shape {shape}.")
    return static_int(value)


def is_integral(value: Any) -> bool:
    dtype = dtypes.as_dtype(value.dtype)
    return bool(dtype.is_integer)


def window_arguments(window_length: Any, dtype: Any, name: str) -> tuple[int, DType]:
    """The length and the dtype of a window, checked."""
    wanted = dtypes.as_dtype(dtype)
    if not wanted.is_floating:
        raise ValueError(f"{name}() expects a floating point dtype, not {wanted.name}.")
    length = scalar_int(window_length, "window_length", TypeError)
    if length < 0:
        refuse(f"{name}() expects a window_length of at least 0, not {length}.")
    check_memory((length,), np.dtype(np.float64))
    return length, wanted


@op("_CosineWindow")
def cosine_window_op(xp, *, length, period, dtype, middle):
    angles = 2 * np.pi * xp.arange(length) / (period or 1)
    return (middle - (1 - middle) * xp.cos(angles)).astype(dtype.numpy_dtype)


cosine_window_op.shape(lambda length, dtype: Abstract([length], dtype))


@op("_HalfCircle")
def half_circle(xp, *, length, dtype):
    half = (length - 1) / 2
    heights = xp.sqrt(xp.maximum(1 - ((xp.arange(length) - half) / half) ** 2, 0))
    return heights.astype(dtype.numpy_dtype)


half_circle.shape(lambda length, dtype: Abstract([length], dtype))


@op("_VorbisWindow")
def vorbis_window_op(xp, *, length, dtype):
    sines = xp.sin(np.pi * (xp.arange(length) + 0.5) / (length or 1))
    return xp.sin(np.pi / 2 * sines**2).astype(dtype.numpy_dtype)


vorbis_window_op.shape(lambda length, dtype: Abstract([length], dtype))


for operation in (cosine_window_op, half_circle, vorbis_window_op):
    operation.no_gradient()


def cosine_window(length: int, periodic: bool, dtype: DType, middle: float) -> Tensor:
    """``middle - (1 - middle) * cos`` over one period."""
    if length == 1:
        return constant([1.0], dtype)
    # A periodic window of even length leaves out the last element, with which the next period begins. As in
    # TensorFlow, one of odd length does not.
    period = length if periodic and length % 2 == 0 else length - 1
    return cosine_window_op(length=length, period=period, dtype=dtype, middle=middle)


@composition
def hann_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A raised cosine from 0 to 1 and back.

    >>> tf.signal.hann_window(4).numpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)

    Args:
        window_length: the number of elements.
        periodic: whether a window of even length is one period, for spectra. Else it is symmetric.
        dtype: a floating point dtype.
    """
    length, wanted = window_arguments(window_length, dtype, "hann_window")
    return cosine_window(length, bool(periodic), wanted, 0.5)


@composition
def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A raised cosine from 0.08 to 1 and back.

    >>> tf.signal.hamming_window(4).numpy()
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)

    Args:
        window_length: the number of elements.
        periodic: whether a window of even length is one period, for spectra. Else it is symmetric.
        dtype: a floating point dtype.
    """
    length, wanted = window_arguments(window_length, dtype, "hamming_window")
    return cosine_window(length, bool(periodic), wanted, 0.54)


@composition
def kaiser_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A window whose form depends on ``beta``, from a rectangle (0) to ever narrower bells.

    >>> tf.signal.kaiser_window(3, beta=2.0).numpy().round(4)
    array([0.4387, 1.    , 0.4387], dtype=float32)

    Args:
        window_length: the number of elements.
        beta: the form.
        dtype: a floating point dtype.
    """
    length, wanted = window_arguments(window_length, dtype, "kaiser_window")
    if not length:
        refuse("kaiser_window() expects a window_length of at least 1.")
    if length == 1:
        return constant([1.0], wanted)
    beta = casts.cast(beta, wanted)
    inner = beta * half_circle(length=length, dtype=wanted)
    # This is I0(inner) / I0(beta). For a large beta neither of the two is finite.
    ratio = special.bessel_i0e(inner) / special.bessel_i0e(beta)
    return ratio * exponential.exp(inner - beta)


@composition
def kaiser_bessel_derived_window(
    window_length: Any, beta: Any = 12.0, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A window made of the running sums of a Kaiser window, with which ``mdct`` can be undone.

    >>> tf.signal.kaiser_bessel_derived_window(4, beta=4.0).numpy().round(4)
    array([0.2742, 0.9617, 0.9617, 0.2742], dtype=float32)

    Args:
        window_length: the number of elements. An odd number gives one less.
        beta: the form of the Kaiser window.
        dtype: a floating point dtype.
    """
    length, wanted = window_arguments(window_length, dtype, "kaiser_bessel_derived_window")
    sums = scan.cumsum(kaiser_window(length // 2 + 1, beta, wanted))
    rising = math.sqrt(sums[:-1] / sums[-1])
    return joining.concat([rising, rearrange.reverse(rising, axis=[0])], 0)


@composition
def vorbis_window(
    window_length: Any, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """The window of the Vorbis codec, with which ``mdct`` can be undone.

    >>> tf.signal.vorbis_window(3).numpy().round(4)
    array([0.3827, 1.    , 0.3827], dtype=float32)

    Args:
        window_length: the number of elements.
        dtype: a floating point dtype.
    """
    length, wanted = window_arguments(window_length, dtype, "vorbis_window")
    return vorbis_window_op(length=length, dtype=wanted)


@public
def inverse_stft_window_fn(
    frame_step: Any,
    forward_window_fn: Callable[..., Tensor] = hann_window,
    name: str | None = None,
) -> Callable[..., Tensor]:
    """The ``window_fn`` for an ``inverse_stft`` that undoes an ``stft`` with ``forward_window_fn``.

    >>> window_fn = tf.signal.inverse_stft_window_fn(2)
    >>> window_fn(4, dtype=tf.float32).numpy()
    array([0., 1., 1., 1.], dtype=float32)

    Args:
        frame_step: the step of the stft.
        forward_window_fn: the ``window_fn`` of the stft.
    """

    def inverse_stft_window(frame_length: Any, dtype: Any) -> Tensor:
        step = scalar_int(frame_step, "frame_step")
        length = scalar_int(frame_length, "frame_length")
        if step < 1:
            refuse(f"frame_step must be at least 1, not {step}.")
        window = convert(forward_window_fn(frame_length, dtype=dtype))
        # A sample is in every frame that overlaps it, each time with another weight. The window is divided by
        # the sum of the squares of these weights, one sum for each of the first `step` samples.
        overlaps = scalar_math.ceil(length / step)
        squares = array_padded(window * window, overlaps * step)
        sums = reduce.reduce_sum(array.reshape(squares, [overlaps, step]), axis=0)
        whole = array.tile(sums, [overlaps])[:length]
        return math.divide_no_nan(window, whole)

    return inverse_stft_window


def array_padded(vector: Tensor, length: int) -> Tensor:
    return pad_op(vector, paddings=[[0, length - vector._shape_tuple()[0]]])

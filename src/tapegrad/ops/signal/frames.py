"""Signals cut into overlapping frames and added up again, spectra of the frames, and the mel scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, VariableBase, convert, static_value
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import maximum
from tapegrad.engines.numpy import views
from tapegrad.errors import refuse
from tapegrad.ops.args import check_memory, check_size, static_int
from tapegrad.ops.batching import leading
from tapegrad.ops.op import NUMERIC, op
from tapegrad.ops.shape import array, creation, padding
from tapegrad.ops.shape_rules import Abstract
from tapegrad.ops.signal import dct, fft
from tapegrad.ops.signal.fading import hann_window, scalar_int

PUBLIC = {
    "signal compat.v1.signal": (
        "frame inverse_stft linear_to_mel_weight_matrix mfccs_from_log_mel_spectrograms "
        "overlap_and_add stft"
    ),
}


# Frames and back: each is the other's gradient.


@op("_Frame", linear="signal", lane=views.frames, moves="signal")
def frame_op(xp, signal, *, frame_length, frame_step, count=None):
    """``count`` frames along the last axis, as a view; None means as many as there are."""
    if count is None:
        count = max(0, 1 + (signal.shape[-1] - frame_length) // frame_step)
    if not count or not frame_length or not signal.size:
        return xp.zeros(check_size((*signal.shape[:-1], count, frame_length)), signal.dtype)
    windows = xp.lib.stride_tricks.sliding_window_view(signal, frame_length, axis=-1)
    return windows[..., : (count - 1) * frame_step + 1 : frame_step, :]


@frame_op.shape
def frame_shape(signal, frame_length, frame_step, count):
    if count is None:
        count = maximum(1 + (signal.shape[-1] - frame_length) // frame_step, 0)
    return (*signal.shape[:-1], count, frame_length)


@op("_OverlapAndAdd", dtypes=NUMERIC, linear="signal")
def overlap_and_add_op(xp, signal, *, frame_step):
    *outer, count, length = signal.shape
    size = max(0, (count - 1) * frame_step + length)
    shape = check_size((*outer, size))
    if not signal.size:
        return xp.zeros(shape, signal.dtype)
    pieces = -(-length // frame_step)
    if count < pieces or frame_step > length:
        out = xp.zeros(shape, signal.dtype)
        for place in range(count):
            out[..., place * frame_step : place * frame_step + length] += signal[..., place, :]
        return out
    # Every frame is cut into pieces as long as the step. Piece i of a frame lies i steps after its start.
    steps = xp.zeros((*outer, count + pieces - 1, frame_step), signal.dtype)
    for piece in range(pieces):
        part = signal[..., piece * frame_step : (piece + 1) * frame_step]
        steps[..., piece : piece + count, : part.shape[-1]] += part
    return steps.reshape(*outer, -1)[..., :size]


@overlap_and_add_op.shape
def overlap_and_add_shape(signal, frame_step):
    *outer, count, length = signal.shape
    return (*outer, maximum((count - 1) * frame_step + length, 0))


def frame_gradient(dy, signal_shape, frame_step):
    if not dy._shape_tuple()[-2]:
        return creation.zeros(signal_shape, dy.dtype)
    return fft.fitted(overlap_and_add_op(dy, frame_step=frame_step), signal_shape)


def overlap_and_add_gradient(dy, signal_shape, frame_step):
    count, length = signal_shape[-2:]
    return frame_op(dy, frame_length=length, frame_step=frame_step, count=count)


frame_op.gradient(signal=frame_gradient)
frame_op.batching(leading)
overlap_and_add_op.gradient(signal=overlap_and_add_gradient)
overlap_and_add_op.batching(leading)


def of_rank(tensor: Tensor, rank: int, what: str) -> Tensor:
    if tensor.ndim < rank:
        raise ValueError(f"{what} must have rank at least {rank}; its shape is {tensor.shape}.")
    return tensor


@composition
def frame(
    signal: Any,
    frame_length: Any,
    frame_step: Any,
    pad_end: Any = False,
    pad_value: Any = 0,
    axis: Any = -1,
    name: str | None = None,
) -> Tensor:
    """``signal`` cut along ``axis`` into frames of ``frame_length``, which start ``frame_step`` apart.

    >>> tf.signal.frame([1, 2, 3, 4, 5], frame_length=3, frame_step=2).numpy().tolist()
    [[1, 2, 3], [3, 4, 5]]
    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 3, pad_end=True, pad_value=-1).numpy().tolist()
    [[1, 2, 3], [4, 5, -1]]

    Args:
        signal: a tensor with one axis at least.
        frame_length: the number of samples of a frame.
        frame_step: the number of samples from the start of a frame to that of the next.
        pad_end: whether to fill up the last frames with ``pad_value``. Otherwise they are left out.
        pad_value: the sample behind the end, a number.
        axis: the axis of time. The result has frames and samples in its place.
    """
    signal = of_rank(convert(signal), 1, "signal")
    length = scalar_int(frame_length, "frame_length")
    step = scalar_int(frame_step, "frame_step")
    if length < 0 or step == 0:
        refuse(
            "frame() expects a frame_length of at least 0 and a frame_step that is not 0; "
            f"{length} and {step} came."
        )
    position = static_int(axis)
    rank = signal.ndim
    if not -rank <= position < rank:
        raise IndexError(f"axis = {position} is none of a signal of rank {rank}.")
    position %= rank
    # The last axis is cut. Then the two resulting axes move to where the given axis was.
    if position != rank - 1:
        order = [*range(position), *range(position + 1, rank), position]
        signal = array.transpose(signal, order)
    # How many frames there are is for the op to say: a saved function may get signals of any size.
    count = None
    if step < 0:
        count = 0
    elif pad_end and not length:
        count = -(-signal._shape_tuple()[-1] // step)
    elif pad_end:
        # With so much behind it, a frame begins at each step within the signal, and none after it.
        around = [[0, 0]] * (rank - 1) + [[0, length - 1]]
        signal = padding.pad_with_value(signal, convert(pad_value, signal.dtype), paddings=around)
    frames = frame_op(signal, frame_length=length, frame_step=step, count=count)
    if position == rank - 1:
        return frames
    return array.transpose(frames, [*range(position), rank - 1, rank, *range(position, rank - 1)])


@composition
def overlap_and_add(signal: Any, frame_step: Any, name: str | None = None) -> Tensor:
    """The signal whose frames are the rows of ``signal``, ``frame_step`` apart and added where they overlap.

    >>> tf.signal.overlap_and_add([[1, 2, 3], [4, 5, 6]], frame_step=2).numpy().tolist()
    [1, 2, 7, 5, 6]

    Args:
        signal: a tensor of shape [..., frames, samples of a frame].
        frame_step: the number of samples from the start of a frame to that of the next.
    """
    signal = of_rank(convert(signal), 2, "signal")
    step = scalar_int(frame_step, "frame_step", ValueError)
    if step < 1:
        refuse(f"frame_step must be at least 1, not {step}.")
    return overlap_and_add_op(signal, frame_step=step)


# Spectra over time


def enclosing_power_of_two(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()


@composition
def stft(
    signals: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Tensor] | None = hann_window,
    pad_end: Any = False,
    name: str | None = None,
) -> Tensor:
    """The short-time Fourier transform: the spectrum of each frame of ``signals``.

    >>> tf.signal.stft(tf.ones([10]), frame_length=4, frame_step=2).shape
    TensorShape([4, 3])

    Args:
        signals: real numbers; the last axis is time.
        frame_length: the number of samples of a frame.
        frame_step: the number of samples from the start of a frame to that of the next.
        fft_length: the length of the transform. The default is the least power of 2 that holds a frame.
        window_fn: called as ``window_fn(frame_length, dtype=...)``; None for no window.
        pad_end: whether to fill up the last frames with zeros. Otherwise they are left out.
    """
    signals = of_rank(convert(signals), 1, "signals")
    length = scalar_int(frame_length, "frame_length")
    frames = frame(signals, length, frame_step, pad_end)
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return fft.rfft(frames, [transform_length(fft_length, length)])


def transform_length(fft_length: Any, frame_length: int) -> int:
    if fft_length is None:
        return enclosing_power_of_two(frame_length)
    return scalar_int(fft_length, "fft_length")


@composition
def inverse_stft(
    stfts: Any,
    frame_length: Any,
    frame_step: Any,
    fft_length: Any = None,
    window_fn: Callable[..., Tensor] | None = hann_window,
    name: str | None = None,
) -> Tensor:
    """The signals whose short-time Fourier transform is ``stfts``.

    >>> x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> spectra = tf.signal.stft(x, frame_length=4, frame_step=2)
    >>> undo = tf.signal.inverse_stft_window_fn(frame_step=2)
    >>> tf.signal.inverse_stft(spectra, 4, 2, window_fn=undo).numpy().round(4)
    array([0., 1., 3., 4., 5., 3.], dtype=float32)

    The first sample is lost, as the window is 0 there. Without ``undo`` the other samples are weighted.

    Args:
        stfts: complex numbers of shape [..., frames, frequencies].
        frame_length, frame_step, fft_length: the same as for the stft.
        window_fn: see ``tf.signal.inverse_stft_window_fn``.
    """
    stfts = of_rank(convert(stfts), 2, "stfts")
    length = scalar_int(frame_length, "frame_length")
    frames = fft.irfft(stfts, [transform_length(fft_length, length)])
    frames = fft.fitted(frames, (*frames._shape_tuple()[:-1], length))
    if window_fn is not None:
        frames = frames * window_fn(length, dtype=frames.dtype)
    return overlap_and_add(frames, frame_step)


# The mel scale. Tones that sound equally far apart are equally far apart on it.


def mel_of(hertz: Any) -> Any:
    return 1127.0 * np.log1p(np.asarray(hertz) / 700.0)


@composition
def linear_to_mel_weight_matrix(
    num_mel_bins: Any = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: Any = 125.0,
    upper_edge_hertz: Any = 3800.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The matrix M for which ``spectrograms @ M`` has bins evenly spaced on the mel scale.

    >>> tf.signal.linear_to_mel_weight_matrix(3, 5, 8000, 100.0, 3000.0).numpy().round(2)
    array([[0.  , 0.  , 0.  ],
           [0.03, 0.97, 0.  ],
           [0.  , 0.  , 0.82],
           [0.  , 0.  , 0.  ],
           [0.  , 0.  , 0.  ]], dtype=float32)

    Args:
        num_mel_bins: the number of columns of the matrix.
        num_spectrogram_bins: the number of bins of the spectrograms, from 0 to half the sample rate.
        sample_rate: the samples of the signal per second.
        lower_edge_hertz, upper_edge_hertz: the range of the mel bins, which are half overlapping triangles.
        dtype: a floating point dtype.
    """
    wanted = dtypes.as_dtype(dtype)
    mel_bins = scalar_int(num_mel_bins, "num_mel_bins", TypeError)
    bins = scalar_int(num_spectrogram_bins, "num_spectrogram_bins", TypeError)
    rate, lower, upper = map(plain_number, (sample_rate, lower_edge_hertz, upper_edge_hertz))
    check_mel_arguments(mel_bins, bins, rate, lower, upper, wanted)
    check_memory(check_size((bins, mel_bins + 2)), np.dtype(np.float64))
    return mel_weights(
        mel_bins=mel_bins, bins=bins, rate=rate, lower=lower, upper=upper, dtype=wanted
    )


@op("_MelWeights")
def mel_weights(xp, *, mel_bins, bins, rate, lower, upper, dtype):
    # Frequency 0 is in no bin.
    hertz = xp.linspace(0.0, rate / 2, max(bins, 1))[1:, None]
    edges = xp.linspace(mel_of(lower), mel_of(upper), mel_bins + 2)
    left, middle, right = edges[:-2], edges[1:-1], edges[2:]
    rising = (mel_of(hertz) - left) / (middle - left)
    falling = (right - mel_of(hertz)) / (right - middle)
    weights = xp.maximum(xp.minimum(rising, falling), 0.0)
    return xp.pad(weights, [(1, 0), (0, 0)]).astype(dtype.numpy_dtype)


mel_weights.shape(lambda mel_bins, bins, dtype: Abstract([maximum(bins, 1), mel_bins], dtype))
mel_weights.no_gradient()


def plain_number(value: Any) -> float:
    if isinstance(value, (Tensor, VariableBase)):
        value = static_value(convert(value), "number")
    return float(value)


def check_mel_arguments(
    mel_bins: int, bins: int, rate: float, lower: float, upper: float, dtype: dtypes.DType
) -> None:
    if mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive; {mel_bins} came.")
    if bins < 0:
        raise ValueError(f"num_spectrogram_bins must be at least 0; {bins} came.")
    check_size((bins, mel_bins))
    if not lower >= 0.0:
        raise ValueError(f"lower_edge_hertz must be at least 0; {lower} came.")
    if not lower < upper:
        raise ValueError(f"lower_edge_hertz {lower} must be below upper_edge_hertz {upper}.")
    if not 0.0 < rate < np.inf:
        raise ValueError(f"sample_rate must be positive; {rate} came.")
    if upper > rate / 2:
        raise ValueError(
            f"upper_edge_hertz must be at most sample_rate / 2; {upper} came for a rate of {rate}."
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type, not {dtype.name}.")


@composition
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """The mel-frequency cepstral coefficients: the cosine transform of each logarithmic mel spectrum.

    >>> tf.signal.mfccs_from_log_mel_spectrograms([[1.0, 2.0, 3.0]]).numpy().round(4) + 0.0
    array([[ 4.899 , -1.4142,  0.    ]], dtype=float32)

    Args:
        log_mel_spectrograms: float32 or float64; the last axis has the bins.
    """
    spectrograms = convert(log_mel_spectrograms)
    if not spectrograms.ndim:
        refuse("log_mel_spectrograms must have rank at least 1; a scalar came.")
    bins = spectrograms._shape_tuple()[-1]
    if not bins:
        raise ValueError("log_mel_spectrograms must have at least one mel bin; it has none.")
    return dct.dct(spectrograms, type=2) * (2.0 * bins) ** -0.5

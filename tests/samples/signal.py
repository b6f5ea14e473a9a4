"""Fourier and cosine transforms, frames, windows and spectra."""

from __future__ import annotations

from typing import Any

from . import Sample, call
from .draws import COMPLEX, REAL_FLOATS, between, given, reals

SINGLE_DOUBLE = ("float32", "float64")
# Sums of some dozen products round a few times more than one operation does.
SINGLE_INSIDE = "it computes in float32"


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    return [*_transforms(tf), *_cosines(tf), *_frames(tf), *_windows(tf)]


def _transforms(tf: Any) -> list[Sample]:
    signal = tf.signal
    return [
        Sample(signal.fft, [reals(2, 5), reals(4), reals(1), reals(0), reals(0, 3)], dtypes=COMPLEX),
        Sample(signal.ifft, [reals(2, 5), reals(4), reals(1), reals(0, 3)], dtypes=COMPLEX),
        Sample(signal.fft2d, [reals(3, 4), reals(2, 2, 5), reals(2, 0)], dtypes=COMPLEX),
        Sample(signal.ifft2d, [reals(3, 4), reals(2, 2, 5)], dtypes=COMPLEX),
        Sample(signal.fft3d, [reals(2, 3, 4), reals(2, 2, 1, 3)], dtypes=COMPLEX),
        Sample(signal.ifft3d, [reals(2, 3, 4)], dtypes=COMPLEX),
        Sample(signal.rfft, [reals(2, 6), reals(5), reals(1), call(reals(6), [4]), call(reals(3), [8]),
               call(reals(5), [3]), call(reals(2, 3), given([5], "int32")), reals(0, 4)],
               dtypes=(*SINGLE_DOUBLE, "float16", "int32")),
        Sample(signal.irfft, [reals(2, 4), reals(3), call(reals(4), [5]), call(reals(3), [9]),
               call(reals(4), [2]), reals(0, 3)], dtypes=COMPLEX),
        Sample(signal.rfft2d, [reals(3, 4), reals(2, 2, 5), call(reals(3, 4), [2, 5]),
               call(reals(2, 3), [4, 2])], dtypes=SINGLE_DOUBLE),
        Sample(signal.irfft2d, [reals(3, 3), call(reals(2, 2, 3), [2, 5]), call(reals(3, 2), [2, 4])],
               dtypes=COMPLEX),
        # TensorFlow has no gradient for the transforms over three axes, and no kernel for those over any.
        Sample(signal.rfft3d, [reals(2, 3, 4), call(reals(2, 2, 3), [3, 2, 4])], dtypes=SINGLE_DOUBLE),
        Sample(signal.irfft3d, [reals(2, 3, 3), call(reals(2, 2, 3), [1, 2, 5])], dtypes=COMPLEX),
        Sample(signal.fftnd, [reals(2, 3), call(reals(2, 3, 2), [3, 2], axes=[0, 1], norm="ortho")],
               dtypes=COMPLEX),
        Sample(signal.ifftnd, [reals(2, 3), call(reals(2, 3), axes=[0], norm="forward")], dtypes=COMPLEX),
        Sample(signal.rfftnd, [reals(2, 3), call(reals(2, 3), [3, 3], axes=[1, 0], norm="ortho")],
               dtypes=SINGLE_DOUBLE),
        Sample(signal.irfftnd, [reals(2, 3), call(reals(2, 3), [2, 5], norm="forward")], dtypes=COMPLEX),
        Sample(signal.fftshift, [reals(5), reals(2, 3), call(reals(2, 4), axes=1),
               call(reals(2, 3), axes=[0, -1])]),
        Sample(signal.ifftshift, [reals(5), reals(2, 3), call(reals(2, 4), axes=1)]),
    ]  # fmt: skip


def _cosines(tf: Any) -> list[Sample]:
    signal = tf.signal
    kinds = [call(reals(6), type=kind) for kind in (1, 2, 3, 4)]
    kinds += [call(reals(2, 3), type=kind, norm="ortho") for kind in (2, 3, 4)]
    more = [
        call(reals(1)),
        call(reals(4), n=6),
        call(reals(4), type=3, n=2),
        call(reals(2), type=1),
    ]
    return [
        Sample(signal.dct, [reals(2, 5), *kinds, *more], dtypes=SINGLE_DOUBLE),
        Sample(signal.idct, [reals(2, 5), *kinds], dtypes=SINGLE_DOUBLE),
        Sample(signal.mdct, [call(reals(2, 10), 4), call(reals(9), 4, pad_end=True, norm="ortho"),
               call(reals(16), 8, window_fn=None),
               call(reals(16), 8, window_fn=signal.kaiser_bessel_derived_window)],
               dtypes=SINGLE_DOUBLE),
        Sample(signal.inverse_mdct, [reals(3, 4), call(reals(2, 3, 2), norm="ortho"),
               call(reals(3, 4), window_fn=None)], dtypes=SINGLE_DOUBLE),
        Sample(signal.mfccs_from_log_mel_spectrograms, [reals(2, 6)], dtypes=SINGLE_DOUBLE),
    ]  # fmt: skip


def _frames(tf: Any) -> list[Sample]:
    signal = tf.signal
    return [
        Sample(signal.frame, [call(reals(9), 4, 3), call(reals(2, 9), 4, 3, pad_end=True),
               call(reals(9), 2, 3), call(reals(9), 4, 2, pad_end=True, pad_value=1),
               call(reals(5, 2), 2, 1, axis=0), call(reals(2, 5, 2), 3, 2, pad_end=True, axis=-2),
               call(reals(3), 4, 1), call(reals(0), 2, 1, pad_end=True), call(reals(4), 0, 1)]),
        Sample(signal.overlap_and_add, [call(reals(3, 4), 2), call(reals(3, 4), 3),
               call(reals(2, 2, 3), 5), call(reals(1, 3), 1), call(reals(3, 0), 2)],
               dtypes=(*REAL_FLOATS, *COMPLEX, "int32", "uint8")),
        Sample(signal.stft, [call(reals(12), 4, 2), call(reals(2, 9), 5, 3, pad_end=True),
               call(reals(9), 3, 2, fft_length=6), call(reals(9), 4, 2, window_fn=None),
               call(reals(9), 4, 2, fft_length=2), call(reals(9), 5, 2, window_fn=signal.hamming_window)],
               dtypes=SINGLE_DOUBLE),
        Sample(signal.inverse_stft, [call(reals(4, 3), 4, 2), call(reals(2, 3, 3), 3, 2),
               call(reals(3, 3), 6, 2), call(reals(3, 5), 4, 2, fft_length=7),
               call(reals(3, 3), 4, 2, window_fn=signal.inverse_stft_window_fn(2)),
               call(reals(3, 3), 4, 3, window_fn=None)], dtypes=COMPLEX),
    ]  # fmt: skip


def _windows(tf: Any) -> list[Sample]:
    signal = tf.signal
    lengths = [call(length) for length in (0, 1, 2, 5, 8)]
    symmetric = [call(length, periodic=False) for length in (1, 4, 5)]
    double = [call(6, dtype=tf.float64)]
    return [
        Sample(signal.hann_window, [*lengths, *symmetric, *double], differentiable=False),
        Sample(signal.hamming_window, [*lengths, *symmetric, *double], differentiable=False),
        Sample(signal.vorbis_window, [*lengths, *double], differentiable=False),
        Sample(signal.kaiser_window, [call(5, between(1.0, 9.0)), call(4), call(1), call(6, 2.5)],
               dtypes=("float32",), single=SINGLE_INSIDE),
        Sample(signal.kaiser_bessel_derived_window, [call(6, between(1.0, 9.0)), call(4), call(7, 2.5)],
               dtypes=("float32",), single=SINGLE_INSIDE),
        Sample(signal.linear_to_mel_weight_matrix, [call(), call(3, 9, 8000, 100.0, 3000.0),
               call(3, 9, 16000, 0.0, 8000.0, tf.float64)], differentiable=False),
    ]  # fmt: skip

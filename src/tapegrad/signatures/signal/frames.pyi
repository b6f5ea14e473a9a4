# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Callable as Callable
from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike

def frame(
    signal: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    pad_end: bool = False,
    pad_value: TensorLike = 0,
    axis: Axis = -1,
    name: str | None = None,
) -> Tensor:
    """``signal`` cut along ``axis`` into frames of ``frame_length``, which start ``frame_step`` apart.

    >>> tf.signal.frame([1, 2, 3, 4, 5], frame_length=3, frame_step=2).numpy().tolist()
    [[1, 2, 3], [3, 4, 5]]
    >>> tf.signal.frame([1, 2, 3, 4, 5], 3, 3, pad_end=True, pad_value=-1).numpy().tolist()
    [[1, 2, 3], [4, 5, -1]]

    Args:
        pad_end: whether to fill up the last frames with ``pad_value``. Otherwise they are left out.
    """

def inverse_stft(
    stfts: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Callable[..., Tensor] | None = ...,
    name: str | None = None,
) -> Tensor:
    """The signals whose short-time Fourier transform is ``stfts``.

    >>> x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    >>> spectra = tf.signal.stft(x, frame_length=4, frame_step=2)
    >>> undo = tf.signal.inverse_stft_window_fn(frame_step=2)
    >>> tf.signal.inverse_stft(spectra, 4, 2, window_fn=undo).numpy().round(4)
    array([0., 1., 3., 4., 5., 3.], dtype=float32)

    The first sample is lost, as the window is 0 there. Without ``undo`` the other samples stay weighted.

    Args:
        frame_length, frame_step, fft_length: the same as for the stft.
        window_fn: see ``tf.signal.inverse_stft_window_fn``.
    """

def linear_to_mel_weight_matrix(
    num_mel_bins: TensorLike = 20,
    num_spectrogram_bins: TensorLike = 129,
    sample_rate: TensorLike = 8000,
    lower_edge_hertz: TensorLike = 125.0,
    upper_edge_hertz: TensorLike = 3800.0,
    dtype: DTypeLike = dtypes.float32,
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
        num_spectrogram_bins: the number of bins of the spectrograms, from 0 to half the sample rate.
        lower_edge_hertz, upper_edge_hertz: the range of the mel bins, which are half overlapping triangles.
    """

def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: TensorLike,
    name: str | None = None,
) -> Tensor:
    """The mel-frequency cepstral coefficients: the cosine transform of each logarithmic mel spectrum.

    >>> tf.signal.mfccs_from_log_mel_spectrograms([[1.0, 2.0, 3.0]]).numpy().round(4) + 0.0
    array([[ 4.899 , -1.4142,  0.    ]], dtype=float32)
    """

def overlap_and_add(signal: TensorLike, frame_step: TensorLike, name: str | None = None) -> Tensor:
    """The signal whose frames are the rows of ``signal``, ``frame_step`` apart and added where they overlap.

    >>> tf.signal.overlap_and_add([[1, 2, 3], [4, 5, 6]], frame_step=2).numpy().tolist()
    [1, 2, 7, 5, 6]
    """

def stft(
    signals: TensorLike,
    frame_length: TensorLike,
    frame_step: TensorLike,
    fft_length: TensorLike | None = None,
    window_fn: Callable[..., Tensor] | None = ...,
    pad_end: bool = False,
    name: str | None = None,
) -> Tensor:
    """The short-time Fourier transform: the spectrum of each frame of ``signals``.

    >>> tf.signal.stft(tf.ones([10]), frame_length=4, frame_step=2).shape
    TensorShape([4, 3])

    Args:
        fft_length: the length of the transform. The default is the least power of 2 that holds a frame.
        window_fn: called as ``window_fn(frame_length, dtype=...)``; None for no window.
        pad_end: whether to fill up the last frames with zeros. Otherwise they are left out.
    """

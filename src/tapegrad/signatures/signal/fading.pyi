# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Callable as Callable
from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike

def hamming_window(
    window_length: TensorLike,
    periodic: bool = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """A raised cosine from 0.08 to 1 and back.

    >>> tf.signal.hamming_window(4).numpy()
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)

    Args:
        periodic: whether a window of even length is one period, for spectra. Else it is symmetric.
    """

def hann_window(
    window_length: TensorLike,
    periodic: bool = True,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """A raised cosine from 0 to 1 and back.

    >>> tf.signal.hann_window(4).numpy()
    array([0. , 0.5, 1. , 0.5], dtype=float32)

    Args:
        periodic: whether a window of even length is one period, for spectra. Else it is symmetric.
    """

def inverse_stft_window_fn(
    frame_step: TensorLike,
    forward_window_fn: Callable[..., Tensor] = ...,
    name: str | None = None,
) -> Callable[..., Tensor]:
    """The ``window_fn`` for an ``inverse_stft`` that undoes an ``stft`` with ``forward_window_fn``.

    >>> window_fn = tf.signal.inverse_stft_window_fn(2)
    >>> window_fn(4, dtype=tf.float32).numpy()
    array([0., 1., 1., 1.], dtype=float32)

    Args:
        frame_step: the step of the stft.
    """

def kaiser_bessel_derived_window(
    window_length: TensorLike,
    beta: TensorLike = 12.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """A window made of the running sums of a Kaiser window, with which ``mdct`` can be undone.

    >>> tf.signal.kaiser_bessel_derived_window(4, beta=4.0).numpy().round(4)
    array([0.2742, 0.9617, 0.9617, 0.2742], dtype=float32)
    """

def kaiser_window(
    window_length: TensorLike,
    beta: TensorLike = 12.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """A window whose form depends on ``beta``, from a rectangle (0) to ever narrower bells.

    >>> tf.signal.kaiser_window(3, beta=2.0).numpy().round(4)
    array([0.4387, 1.    , 0.4387], dtype=float32)
    """

def vorbis_window(
    window_length: TensorLike,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """The window of the Vorbis codec, with which ``mdct`` can be undone.

    >>> tf.signal.vorbis_window(3).numpy().round(4)
    array([0.3827, 1.    , 0.3827], dtype=float32)
    """

# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import TensorLike as TensorLike

def fft(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform over the last axis: ``out[k] = sum(x[n] * exp(-2j * pi * n * k / N))``.

    >>> tf.signal.fft([1.0, 0.0, 0.0, 0.0]).numpy()
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
    """

def fft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The Fourier transform over the last two axes.

    >>> tf.signal.fft2d([[1.0, 1.0], [1.0, 1.0]]).numpy().real
    array([[4., 0.],
           [0., 0.]], dtype=float32)
    """

def fft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The Fourier transform over the last three axes.

    >>> tf.signal.fft3d(tf.ones([2, 2, 2], tf.complex64)).numpy()[0, 0, 0]
    np.complex64(8+0j)
    """

def fftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Axis | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform over ``axes``; by default over the last ``len(fft_length)`` axes, or over all.

    >>> tf.signal.fftnd([[1.0, 1.0], [0.0, 2.0]], axes=[0]).numpy().real
    array([[ 1.,  3.],
           [ 1., -1.]], dtype=float32)

    Args:
        fft_length: the length for each axis, to which the input is cropped or padded with zeros.
        norm: what is divided by the number of elements: "backward" (or None) the inverse, "forward" the
            transform; with "ortho" both are divided by its square root.
    """

def fftshift(x: TensorLike, axes: Axis | None = None, name: str | None = None) -> Tensor:
    """``x`` with frequency 0 moved from the start of ``axes`` (by default all) to their middle.

    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy().tolist()
    [-2, -1, 0, 1, 2]
    """

def ifft(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of ``tf.signal.fft``: ``out[n] = sum(x[k] * exp(2j * pi * n * k / N)) / N``.

    >>> tf.signal.ifft([1.0, 1.0]).numpy()
    array([1.+0.j, 0.+0.j], dtype=complex64)
    """

def ifft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of ``tf.signal.fft2d``.

    >>> tf.signal.ifft2d([[4.0, 0.0], [0.0, 0.0]]).numpy().real
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """

def ifft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of ``tf.signal.fft3d``.

    >>> tf.signal.ifft3d(tf.ones([2, 2, 2], tf.complex64)).numpy()[0, 0, 0]
    np.complex64(1+0j)
    """

def ifftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Axis | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of ``tf.signal.fftnd``.

    >>> tf.signal.ifftnd([[4.0, 0.0], [0.0, 0.0]]).numpy().real
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """

def ifftshift(x: TensorLike, axes: Axis | None = None, name: str | None = None) -> Tensor:
    """The inverse of ``tf.signal.fftshift``.

    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy().tolist()
    [0, 1, 2, -2, -1]
    """

def irfft(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of ``tf.signal.rfft``: real numbers from their frequencies 0 to N / 2.

    >>> tf.signal.irfft([8.0, -2.0, 0.0]).numpy()
    array([1., 2., 3., 2.], dtype=float32)

    Args:
        fft_length: [N], the length of the result. The default is 2 * (number of frequencies - 1), so an odd
            length must be given.
    """

def irfft2d(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of ``tf.signal.rfft2d``.

    >>> tf.signal.irfft2d([[4.0, 0.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """

def irfft3d(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of ``tf.signal.rfft3d``.

    >>> tf.signal.irfft3d(tf.ones([2, 2, 3], tf.complex64)).shape
    TensorShape([2, 2, 4])

    Differs from TensorFlow: it has a gradient.
    """

def irfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Axis | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of ``tf.signal.rfftnd``.

    >>> tf.signal.irfftnd([[4.0, 0.0], [0.0, 0.0]]).numpy()
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """

def rfft(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform of real numbers over the last axis: its frequencies 0 to N / 2.

    The other frequencies are the complex conjugates of these.

    >>> tf.signal.rfft([1.0, 2.0, 3.0, 2.0]).numpy()
    array([ 8.+0.j, -2.+0.j,  0.+0.j], dtype=complex64)

    Args:
        fft_length: [N], the length to which the signal is first cropped or padded with zeros.
    """

def rfft2d(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform of real numbers over the last two axes, with half of the last one's frequencies.

    >>> tf.signal.rfft2d(tf.ones([2, 2])).numpy().real
    array([[4., 0.],
           [0., 0.]], dtype=float32)
    """

def rfft3d(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform of real numbers over the last three axes: half of the last one's frequencies.

    >>> tf.signal.rfft3d(tf.ones([2, 2, 4])).shape
    TensorShape([2, 2, 3])

    Differs from TensorFlow: it has a gradient.
    """

def rfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike | None = None,
    axes: Axis | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform of real numbers over ``axes``, with half of the last one's frequencies.

    >>> tf.signal.rfftnd(tf.ones([4, 4]), axes=[1, 0]).shape
    TensorShape([3, 4])
    """

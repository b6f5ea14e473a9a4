# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Sequence as Sequence
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def image_gradients(image: TensorLike) -> tuple[Tensor, Tensor]:
    """The change from each pixel to the one below, and to the one on its right. At the end it is 0.

    >>> dy, dx = tf.image.image_gradients(tf.constant([[[[1.0], [3.0]], [[2.0], [7.0]]]]))
    >>> dy.numpy()[0, :, :, 0], dx.numpy()[0, :, :, 0]
    (array([[1., 4.],
           [0., 0.]], dtype=float32), array([[2., 0.],
           [5., 0.]], dtype=float32))
    """

def psnr(a: TensorLike, b: TensorLike, max_val: TensorLike, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio, in decibels: ``20 log10(max_val) - 10 log10(mean((a - b)**2))``.

    >>> tf.image.psnr(tf.zeros([4, 4, 1]), tf.fill([4, 4, 1], 0.1), max_val=1.0).numpy().round(4)
    np.float32(20.0)

    Args:
        max_val: the greatest value that pixels can have.
    """

def sobel_edges(image: TensorLike) -> Tensor:
    """Sobel's two filters on each channel: how the channel changes downwards, and to the right.

    >>> x = tf.constant([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
    >>> tf.image.sobel_edges(x[None, :, :, None]).numpy()[0, 1, 1, 0]
    array([4., 0.], dtype=float32)
    """

def ssim(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    filter_size: TensorLike = 11,
    filter_sigma: TensorLike = 1.5,
    k1: TensorLike = 0.01,
    k2: TensorLike = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of pictures, which is 1 if they are the same.

    >>> x = tf.reshape(tf.range(256.0) / 255, [16, 16, 1])
    >>> tf.image.ssim(x, x, max_val=1.0).numpy()
    np.float32(1.0)

    Args:
        max_val: the greatest value that pixels can have.
        filter_size, filter_sigma: the size and deviation of the Gaussian within which pixels are compared.
        k1, k2: the larger these are, the less dark and flat parts count.
        return_index_map: whether to return the similarity at each pixel, rather than the mean.
    """

def ssim_multiscale(
    img1: TensorLike,
    img2: TensorLike,
    max_val: TensorLike,
    power_factors: Sequence[float] = ...,
    filter_size: TensorLike = 11,
    filter_sigma: TensorLike = 1.5,
    k1: TensorLike = 0.01,
    k2: TensorLike = 0.03,
) -> Tensor:
    """The structural similarity at several scales, each half the size of the one before, multiplied.

    >>> x = tf.reshape(tf.range(1024.0) / 1023, [32, 32, 1])
    >>> tf.image.ssim_multiscale(x, x, max_val=1.0, power_factors=(0.5, 0.5)).numpy()
    np.float32(1.0)

    Args:
        power_factors: an exponent for each scale.
        max_val, filter_size, filter_sigma, k1, k2: as for ``tf.image.ssim``.
    """

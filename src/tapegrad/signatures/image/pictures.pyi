# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike

def adjust_brightness(image: TensorLike, delta: TensorLike) -> Tensor:
    """``image`` with ``delta`` added, where 1 stands for the dtype's whole range.

    >>> tf.image.adjust_brightness(tf.constant([[[0.25, 0.5]]]), 0.25).numpy()
    array([[[0.5 , 0.75]]], dtype=float32)
    """

def adjust_contrast(images: TensorLike, contrast_factor: TensorLike) -> Tensor:
    """``images`` with each channel stretched around its mean: ``(x - mean) * contrast_factor + mean``.

    >>> x = tf.reshape(tf.range(4.0), [2, 2, 1])
    >>> tf.image.adjust_contrast(x, 2.0).numpy()[:, :, 0]
    array([[-1.5,  0.5],
           [ 2.5,  4.5]], dtype=float32)

    As in TensorFlow, it has no gradient.
    """

def adjust_gamma(image: TensorLike, gamma: TensorLike = 1, gain: TensorLike = 1) -> Tensor:
    """``gain * image ** gamma``, computed on values from 0 to 1.

    >>> tf.image.adjust_gamma(tf.constant([[[0.5]]]), gamma=2.0).numpy()
    array([[[0.25]]], dtype=float32)
    """

def central_crop(image: TensorLike, central_fraction: TensorLike) -> Tensor:
    """The middle of ``image``, with ``central_fraction`` of its height and of its width.

    >>> tf.image.central_crop(tf.ones([4, 4, 1]), 0.5).shape
    TensorShape([2, 2, 1])
    """

def convert_image_dtype(
    image: TensorLike,
    dtype: DTypeLike,
    saturate: bool = False,
    name: str | None = None,
) -> Tensor:
    """``image`` in another dtype, with its values scaled to that dtype's range.

    >>> tf.image.convert_image_dtype(tf.constant([0, 255], tf.uint8), tf.float32).numpy()
    array([0., 1.], dtype=float32)

    Args:
        saturate: whether to limit values to the range of ``dtype``. They would otherwise wrap around.
    """

def crop_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """The box of ``image`` that begins at the offsets and has the target sizes.

    >>> tf.image.crop_to_bounding_box(tf.ones([4, 4, 1]), 1, 1, 2, 3).shape
    TensorShape([2, 3, 1])
    """

def flip_left_right(image: TensorLike) -> Tensor:
    """``image`` mirrored from left to right.

    >>> tf.image.flip_left_right(tf.constant([[[1.0], [2.0]]])).numpy().ravel()
    array([2., 1.], dtype=float32)
    """

def flip_up_down(image: TensorLike) -> Tensor:
    """``image`` mirrored from top to bottom.

    >>> tf.image.flip_up_down(tf.constant([[[1.0]], [[2.0]]])).numpy().ravel()
    array([2., 1.], dtype=float32)
    """

def grayscale_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """``images`` of one channel, with that channel repeated three times.

    >>> tf.image.grayscale_to_rgb(tf.constant([[[0.5]]])).numpy()
    array([[[0.5, 0.5, 0.5]]], dtype=float32)
    """

def pad_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """``image`` placed at the offsets into an image of zeros that has the target sizes.

    >>> tf.image.pad_to_bounding_box(tf.ones([1, 1, 1]), 0, 1, 2, 2).numpy()[:, :, 0]
    array([[0., 1.],
           [0., 0.]], dtype=float32)
    """

def per_image_standardization(image: TensorLike) -> Tensor:
    """Each image scaled to mean 0 and variance 1. A constant image becomes zeros.

    >>> tf.image.per_image_standardization(tf.constant([[[1.0], [3.0]]])).numpy().round(4).ravel()
    array([-1.,  1.], dtype=float32)
    """

def rgb_to_grayscale(images: TensorLike, name: str | None = None) -> Tensor:
    """The brightness of each pixel, in one channel.

    >>> tf.image.rgb_to_grayscale(tf.constant([[[1.0, 1.0, 1.0]]])).numpy().round(4)
    array([[[0.9999]]], dtype=float32)
    """

def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> Tensor:
    """``image`` turned anticlockwise by ``k`` right angles.

    >>> tf.image.rot90(tf.constant([[[1], [2]]])).numpy()[:, :, 0]
    array([[2],
           [1]], dtype=int32)
    """

def total_variation(images: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the absolute differences between neighbouring pixels of each image.

    >>> tf.image.total_variation(tf.constant([[[1.0], [3.0]], [[1.0], [1.0]]])).numpy()
    np.float32(4.0)
    """

def transpose(image: TensorLike, name: str | None = None) -> Tensor:
    """``image`` with height and width exchanged.

    >>> tf.image.transpose(tf.ones([2, 3, 1])).shape
    TensorShape([3, 2, 1])
    """

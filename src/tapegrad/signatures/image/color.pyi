# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def adjust_hue(image: TensorLike, delta: TensorLike, name: str | None = None) -> Tensor:
    """``image`` with its hues rotated by ``delta``, from -1 to 1 turns. As in TensorFlow, it has no gradient.

    >>> tf.image.adjust_hue(tf.constant([[[1.0, 0.0, 0.0]]]), 1 / 3).numpy().round(4)
    array([[[0., 1., 0.]]], dtype=float32)
    """

def adjust_saturation(
    image: TensorLike,
    saturation_factor: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``image`` with its saturation multiplied and limited to 1. As in TensorFlow, it has no gradient.

    >>> tf.image.adjust_saturation(tf.constant([[[0.5, 0.25, 0.25]]]), 2.0).numpy()
    array([[[0.5, 0. , 0. ]]], dtype=float32)
    """

def hsv_to_rgb(images: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of ``tf.image.rgb_to_hsv``. As in TensorFlow, it has no gradient.

    >>> tf.image.hsv_to_rgb([1 / 3, 1.0, 0.5]).numpy().round(4)
    array([0. , 0.5, 0. ], dtype=float32)
    """

def rgb_to_hsv(images: TensorLike, name: str | None = None) -> Tensor:
    """Hue, saturation and value, each from 0 to 1, of pixels whose last axis is red, green and blue.

    >>> tf.image.rgb_to_hsv([[0.0, 0.5, 0.0], [0.5, 0.5, 0.5]]).numpy().round(4)
    array([[0.3333, 1.    , 0.5   ],
           [0.    , 0.    , 0.5   ]], dtype=float32)
    """

def rgb_to_yiq(images: TensorLike) -> Tensor:
    """Brightness and NTSC's two colour differences, for pixels whose last axis is red, green and blue.

    >>> tf.image.rgb_to_yiq([1.0, 1.0, 1.0]).numpy().round(4) + 0.0
    array([1., 0., 0.], dtype=float32)
    """

def rgb_to_yuv(images: TensorLike) -> Tensor:
    """Brightness and PAL's two colour differences, for pixels whose last axis is red, green and blue.

    >>> tf.image.rgb_to_yuv([1.0, 1.0, 1.0]).numpy().round(4) + 0.0
    array([1., 0., 0.], dtype=float32)
    """

def yiq_to_rgb(images: TensorLike) -> Tensor:
    """The inverse of ``tf.image.rgb_to_yiq``.

    >>> tf.image.yiq_to_rgb([1.0, 0.0, 0.0]).numpy()
    array([1., 1., 1.], dtype=float32)
    """

def yuv_to_rgb(images: TensorLike) -> Tensor:
    """The inverse of ``tf.image.rgb_to_yuv``.

    >>> tf.image.yuv_to_rgb([1.0, 0.0, 0.0]).numpy()
    array([1., 1., 1.], dtype=float32)
    """

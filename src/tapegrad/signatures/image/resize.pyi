# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.image.resize import ResizeMethod as ResizeMethod

def resize(
    images: TensorLike,
    size: TensorLike,
    method: str = 'bilinear',
    preserve_aspect_ratio: bool = False,
    antialias: bool = False,
    name: str | None = None,
) -> Tensor:
    """``images`` with the height and width in ``size``. They are float32, unless the method is "nearest".

    >>> x = tf.constant([[[0.0], [1.0]], [[2.0], [3.0]]])
    >>> tf.image.resize(x, [3, 2]).numpy()[:, :, 0]
    array([[0., 1.],
           [1., 2.],
           [2., 3.]], dtype=float32)

    Args:
        method: one of ``tf.image.ResizeMethod``.
        preserve_aspect_ratio: whether to keep the ratio of the sides, and use ``size`` as an upper limit.
        antialias: whether to smooth a picture that gets smaller, so that fine detail makes no false patterns.
    """

def resize_with_crop_or_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> Tensor:
    """The middle of ``image`` in the target size, with zeros around it where it is smaller.

    >>> tf.image.resize_with_crop_or_pad(tf.ones([3, 1, 1]), 1, 3).numpy()[:, :, 0]
    array([[0., 1., 0.]], dtype=float32)
    """

def resize_with_pad(
    image: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
    method: str = 'bilinear',
    antialias: bool = False,
) -> Tensor:
    """``image`` as large as fits into the target size without distortion, in the middle of zeros.

    >>> tf.image.resize_with_pad(tf.ones([2, 4, 1]), 4, 4).numpy()[:, :, 0]
    array([[0., 0., 0., 0.],
           [1., 1., 1., 1.],
           [1., 1., 1., 1.],
           [0., 0., 0., 0.]], dtype=float32)
    """

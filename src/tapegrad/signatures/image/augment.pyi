# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def random_brightness(
    image: TensorLike,
    max_delta: TensorLike,
    seed: TensorLike | None = None,
) -> Tensor:
    """``image`` with a number from -``max_delta`` to ``max_delta`` added.

    >>> tf.image.random_brightness(tf.ones([2, 3, 1]), 0.2).shape
    TensorShape([2, 3, 1])
    """

def random_contrast(
    image: TensorLike,
    lower: TensorLike,
    upper: TensorLike,
    seed: TensorLike | None = None,
) -> Tensor:
    """``image`` with its contrast multiplied by a number from ``lower`` to ``upper``.

    >>> tf.image.random_contrast(tf.ones([2, 3, 1]), 0.5, 2.0).shape
    TensorShape([2, 3, 1])
    """

def random_crop(
    value: TensorLike,
    size: TensorLike,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """A part of ``value`` of the given size, from a random position.

    >>> tf.image.random_crop(tf.ones([4, 5, 3]), size=[2, 2, 3]).shape
    TensorShape([2, 2, 3])
    """

def random_flip_left_right(image: TensorLike, seed: TensorLike | None = None) -> Tensor:
    """``image`` mirrored from left to right with probability 1/2. In a batch each image has its own draw.

    >>> tf.image.random_flip_left_right(tf.ones([2, 3, 1])).shape
    TensorShape([2, 3, 1])
    """

def random_flip_up_down(image: TensorLike, seed: TensorLike | None = None) -> Tensor:
    """``image`` mirrored from top to bottom with probability 1/2. In a batch each image has its own draw.

    >>> tf.image.random_flip_up_down(tf.ones([2, 3, 1])).shape
    TensorShape([2, 3, 1])
    """

def random_hue(image: TensorLike, max_delta: TensorLike, seed: TensorLike | None = None) -> Tensor:
    """``image`` with its hues turned by a number from -``max_delta`` to ``max_delta``.

    >>> tf.image.random_hue(tf.ones([2, 3, 3]), 0.2).shape
    TensorShape([2, 3, 3])
    """

def random_saturation(
    image: TensorLike,
    lower: TensorLike,
    upper: TensorLike,
    seed: TensorLike | None = None,
) -> Tensor:
    """``image`` with its saturation multiplied by a number from ``lower`` to ``upper``.

    >>> tf.image.random_saturation(tf.ones([2, 3, 3]), 0.5, 2.0).shape
    TensorShape([2, 3, 3])
    """

def stateless_random_brightness(
    image: TensorLike,
    max_delta: TensorLike,
    seed: TensorLike,
) -> Tensor:
    """Like ``tf.image.random_brightness``, with the same result for the same ``seed``.

    >>> tf.image.stateless_random_brightness([[[0.0]]], 0.2, seed=(1, 2)).numpy().round(4)
    array([[[0.1376]]], dtype=float32)
    """

def stateless_random_contrast(
    image: TensorLike,
    lower: TensorLike,
    upper: TensorLike,
    seed: TensorLike,
) -> Tensor:
    """Like ``tf.image.random_contrast``, with the same result for the same ``seed``.

    >>> x = tf.image.stateless_random_contrast([[[0.0], [1.0]]], 0.2, 0.5, seed=(1, 2))
    >>> x.numpy().round(4).ravel()
    array([0.2734, 0.7266], dtype=float32)
    """

def stateless_random_crop(
    value: TensorLike,
    size: TensorLike,
    seed: TensorLike,
    name: str | None = None,
) -> Tensor:
    """Like ``tf.image.random_crop``, with the same result for the same ``seed``.

    >>> x = tf.reshape(tf.range(12), [3, 4, 1])
    >>> tf.image.stateless_random_crop(x, [2, 2, 1], seed=(1, 2)).numpy()[:, :, 0]
    array([[2, 3],
           [6, 7]], dtype=int32)
    """

def stateless_random_flip_left_right(image: TensorLike, seed: TensorLike) -> Tensor:
    """Like ``tf.image.random_flip_left_right``, with the same result for the same ``seed``.

    >>> tf.image.stateless_random_flip_left_right([[[1.0], [2.0]]], seed=(5, 2)).numpy().ravel()
    array([2., 1.], dtype=float32)
    """

def stateless_random_flip_up_down(image: TensorLike, seed: TensorLike) -> Tensor:
    """Like ``tf.image.random_flip_up_down``, with the same result for the same ``seed``.

    >>> tf.image.stateless_random_flip_up_down([[[1.0]], [[2.0]]], seed=(5, 2)).numpy().ravel()
    array([2., 1.], dtype=float32)
    """

def stateless_random_hue(image: TensorLike, max_delta: TensorLike, seed: TensorLike) -> Tensor:
    """Like ``tf.image.random_hue``, with the same result for the same ``seed``.

    >>> x = tf.image.stateless_random_hue([[[1.0, 0.0, 0.0]]], 0.2, seed=(1, 2))
    >>> x.numpy().round(4)
    array([[[1.    , 0.8257, 0.    ]]], dtype=float32)
    """

def stateless_random_saturation(
    image: TensorLike,
    lower: TensorLike,
    upper: TensorLike,
    seed: TensorLike | None = None,
) -> Tensor:
    """Like ``tf.image.random_saturation``, with the same result for the same ``seed``.

    >>> x = tf.image.stateless_random_saturation([[[1.0, 0.0, 0.0]]], 0.2, 0.5, seed=(1, 2))
    >>> x.numpy().round(4)
    array([[[1.    , 0.5468, 0.5468]]], dtype=float32)
    """

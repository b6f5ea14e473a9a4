"""Random changes of pictures for training: flips, crops, brightness, contrast, hue and saturation.

Each function has two forms. The draws of the stateful one follow ``tf.random.set_seed``. The ``stateless_``
one gives the same result for the same seed.
"""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public, static_value
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import static_ints
from tapegrad.ops.elementwise import conditions, logic, rounding
from tapegrad.ops.image.color import adjust_hue, adjust_saturation
from tapegrad.ops.image.pictures import adjust_brightness, adjust_contrast
from tapegrad.ops.op import says
from tapegrad.ops.random import draws
from tapegrad.ops.shape import array, rearrange, strided_slices

PUBLIC = {
    "image": (
        "stateless_random_brightness stateless_random_contrast stateless_random_crop "
        "stateless_random_flip_left_right stateless_random_flip_up_down stateless_random_hue "
        "stateless_random_saturation"
    ),
    "image compat.v1.image": (
        "random_brightness random_contrast random_crop random_flip_left_right "
        "random_flip_up_down random_hue random_saturation"
    ),
}


def draw(shape: Any, minval: Any, maxval: Any, seed: Any, stateless: bool, dtype: Any) -> Tensor:
    if stateless:
        return draws.stateless_uniform(shape, seed, minval, maxval, dtype)
    return draws.uniform(shape, minval, maxval, dtype, seed)


def one_number(minval: Any, maxval: Any, seed: Any, stateless: bool) -> Tensor:
    return draw([], minval, maxval, seed, stateless, dtypes.float32)


# Flips


def flip_some(image: Any, axis: int, seed: Any, stateless: bool) -> Tensor:
    """``image`` mirrored or not along ``axis``, counted from the end; a batch has a draw for each image."""
    tensor = convert(image)
    if tensor.ndim not in (3, 4):
        raise ValueError(f"'image' (shape {tensor.shape}) must have either 3 or 4 dimensions.")
    mirrored = rearrange.reverse(tensor, axis=[tensor.ndim + axis])
    if tensor.ndim == 3:
        chance = draw([], 0, 1, seed, stateless, dtypes.float32)
        flip = bool(static_value(chance < 0.5, "whether to flip"))
        return array.identity(mirrored if flip else tensor)
    chance = draw([tensor._shape_tuple()[0]], 0, 1, seed, stateless, dtypes.float32)
    flips = array.reshape(logic.equal(rounding.rint(chance), 1.0), [-1, 1, 1, 1])
    return conditions.where(flips, mirrored, tensor)


@public
def random_flip_left_right(image: Any, seed: Any = None) -> Tensor:
    """``image`` mirrored from left to right with probability 1/2. In a batch each image has its own draw.

    >>> tf.image.random_flip_left_right(tf.ones([2, 3, 1])).shape
    TensorShape([2, 3, 1])

    Args:
        image: a picture of (height, width, channels), or a batch of them.
        seed: decides the draws, together with ``tf.random.set_seed``'s. Each further call draws others.
    """
    return flip_some(image, -2, seed, stateless=False)


@public
def random_flip_up_down(image: Any, seed: Any = None) -> Tensor:
    """``image`` mirrored from top to bottom with probability 1/2. In a batch each image has its own draw.

    >>> tf.image.random_flip_up_down(tf.ones([2, 3, 1])).shape
    TensorShape([2, 3, 1])

    Args:
        image: a picture of (height, width, channels), or a batch of them.
        seed: decides the draws, together with ``tf.random.set_seed``'s. Each further call draws others.
    """
    return flip_some(image, -3, seed, stateless=False)


@composition
def stateless_random_flip_left_right(image: Any, seed: Any) -> Tensor:
    """Like ``tf.image.random_flip_left_right``, with the same result for the same ``seed``.

    >>> tf.image.stateless_random_flip_left_right([[[1.0], [2.0]]], seed=(5, 2)).numpy().ravel()
    array([2., 1.], dtype=float32)

    Args:
        image: a picture of (height, width, channels), or a batch of them.
        seed: two integers.
    """
    return flip_some(image, -2, seed, stateless=True)


@composition
def stateless_random_flip_up_down(image: Any, seed: Any) -> Tensor:
    """Like ``tf.image.random_flip_up_down``, with the same result for the same ``seed``.

    >>> tf.image.stateless_random_flip_up_down([[[1.0]], [[2.0]]], seed=(5, 2)).numpy().ravel()
    array([2., 1.], dtype=float32)

    Args:
        image: a picture of (height, width, channels), or a batch of them.
        seed: two integers.
    """
    return flip_some(image, -3, seed, stateless=True)


# Crops


def crop_some(value: Any, size: Any, seed: Any, stateless: bool) -> Tensor:
    tensor = convert(value)
    sizes = static_ints(size)
    shape = tensor._shape_tuple()
    if len(sizes) != len(shape) or any(
        have < wanted or wanted < 0 for have, wanted in zip(shape, sizes, strict=False)
    ):
        refuse(f"A crop of size {list(sizes)} does not fit into the shape {list(shape)}.")
    places = draw([len(shape)], 0, dtypes.int32.max, seed, stateless, dtypes.int32)
    rooms = [have - wanted + 1 for have, wanted in zip(shape, sizes, strict=True)]
    return strided_slices.slice_at(tensor, places % rooms, sizes)


@public
def random_crop(value: Any, size: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """A part of ``value`` of the given size, from a random position.

    >>> tf.image.random_crop(tf.ones([4, 5, 3]), size=[2, 2, 3]).shape
    TensorShape([2, 2, 3])

    Args:
        value: a tensor.
        size: the shape of the part, with a number for each axis; none is larger than the size of ``value``.
        seed: decides the position, together with ``tf.random.set_seed``'s. Each further call draws another.
    """
    return crop_some(value, size, seed, stateless=False)


@composition
def stateless_random_crop(value: Any, size: Any, seed: Any, name: str | None = None) -> Tensor:
    """Like ``tf.image.random_crop``, with the same result for the same ``seed``.

    >>> x = tf.reshape(tf.range(12), [3, 4, 1])
    >>> tf.image.stateless_random_crop(x, [2, 2, 1], seed=(1, 2)).numpy()[:, :, 0]
    array([[2, 3],
           [6, 7]], dtype=int32)

    Args:
        value: a tensor.
        size: the shape of the part, with a number for each axis; none is larger than the size of ``value``.
        seed: two integers.
    """
    return crop_some(value, size, seed, stateless=True)


# Brightness, contrast, hue and saturation


def check_spread(max_delta: Any) -> None:
    if max_delta < 0:
        raise ValueError(f"max_delta must be non-negative, not {max_delta}.")


def check_turn(max_delta: Any) -> None:
    if max_delta > 0.5:
        raise ValueError(f"max_delta must be <= 0.5, not {max_delta}.")
    if max_delta < 0:
        raise ValueError(f"max_delta must be non-negative, not {max_delta}.")


def check_range(lower: Any, upper: Any) -> None:
    if upper <= lower:
        raise ValueError(f"upper must be > lower; {upper} and {lower} came.")
    if lower < 0:
        raise ValueError(f"lower must be non-negative, not {lower}.")


@public
@says(dispatched="unary")
def random_brightness(image: Any, max_delta: Any, seed: Any = None) -> Tensor:
    """``image`` with a number from -``max_delta`` to ``max_delta`` added.

    >>> tf.image.random_brightness(tf.ones([2, 3, 1]), 0.2).shape
    TensorShape([2, 3, 1])

    Args:
        image: pictures of any shape, as for `tf.image.adjust_brightness`.
        max_delta: a number that is not negative.
        seed: decides the number, together with ``tf.random.set_seed``'s. Each further call draws another.
    """
    check_spread(max_delta)
    return adjust_brightness(image, one_number(-max_delta, max_delta, seed, stateless=False))


@says(dispatched="unary")
@composition
def stateless_random_brightness(image: Any, max_delta: Any, seed: Any) -> Tensor:
    """Like ``tf.image.random_brightness``, with the same result for the same ``seed``.

    >>> tf.image.stateless_random_brightness([[[0.0]]], 0.2, seed=(1, 2)).numpy().round(4)
    array([[[0.1376]]], dtype=float32)

    Args:
        image: pictures of any shape, as for `tf.image.adjust_brightness`.
        max_delta: a number that is not negative.
        seed: two integers.
    """
    check_spread(max_delta)
    return adjust_brightness(image, one_number(-max_delta, max_delta, seed, stateless=True))


@public
def random_contrast(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """``image`` with its contrast multiplied by a number from ``lower`` to ``upper``.

    >>> tf.image.random_contrast(tf.ones([2, 3, 1]), 0.5, 2.0).shape
    TensorShape([2, 3, 1])

    Args:
        image: a picture of (height, width, channels), or a batch of them.
        lower, upper: the range of the factor: 0 or more, and more than ``lower``.
        seed: decides the number, together with ``tf.random.set_seed``'s. Each further call draws another.
    """
    check_range(lower, upper)
    return adjust_contrast(image, one_number(lower, upper, seed, stateless=False))


@composition
def stateless_random_contrast(image: Any, lower: Any, upper: Any, seed: Any) -> Tensor:
    """Like ``tf.image.random_contrast``, with the same result for the same ``seed``.

    >>> x = tf.image.stateless_random_contrast([[[0.0], [1.0]]], 0.2, 0.5, seed=(1, 2))
    >>> x.numpy().round(4).ravel()
    array([0.2734, 0.7266], dtype=float32)

    Args:
        image: a picture of (height, width, channels), or a batch of them.
        lower, upper: the range of the factor: 0 or more, and more than ``lower``.
        seed: two integers.
    """
    check_range(lower, upper)
    return adjust_contrast(image, one_number(lower, upper, seed, stateless=True))


@public
def random_hue(image: Any, max_delta: Any, seed: Any = None) -> Tensor:
    """``image`` with its hues turned by a number from -``max_delta`` to ``max_delta``.

    >>> tf.image.random_hue(tf.ones([2, 3, 3]), 0.2).shape
    TensorShape([2, 3, 3])

    Args:
        image: pictures whose last axis is red, green and blue.
        max_delta: a number from 0 to 0.5, in turns.
        seed: decides the number, together with ``tf.random.set_seed``'s. Each further call draws another.
    """
    check_turn(max_delta)
    return adjust_hue(image, one_number(-max_delta, max_delta, seed, stateless=False))


@composition
def stateless_random_hue(image: Any, max_delta: Any, seed: Any) -> Tensor:
    """Like ``tf.image.random_hue``, with the same result for the same ``seed``.

    >>> x = tf.image.stateless_random_hue([[[1.0, 0.0, 0.0]]], 0.2, seed=(1, 2))
    >>> x.numpy().round(4)
    array([[[1.    , 0.8257, 0.    ]]], dtype=float32)

    Args:
        image: pictures whose last axis is red, green and blue.
        max_delta: a number from 0 to 0.5, in turns.
        seed: two integers.
    """
    check_turn(max_delta)
    return adjust_hue(image, one_number(-max_delta, max_delta, seed, stateless=True))


@public
def random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """``image`` with its saturation multiplied by a number from ``lower`` to ``upper``.

    >>> tf.image.random_saturation(tf.ones([2, 3, 3]), 0.5, 2.0).shape
    TensorShape([2, 3, 3])

    Args:
        image: pictures whose last axis is red, green and blue.
        lower, upper: the range of the factor: 0 or more, and more than ``lower``.
        seed: decides the number, together with ``tf.random.set_seed``'s. Each further call draws another.
    """
    check_range(lower, upper)
    return adjust_saturation(image, one_number(lower, upper, seed, stateless=False))


@composition
def stateless_random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """Like ``tf.image.random_saturation``, with the same result for the same ``seed``.

    >>> x = tf.image.stateless_random_saturation([[[1.0, 0.0, 0.0]]], 0.2, 0.5, seed=(1, 2))
    >>> x.numpy().round(4)
    array([[[1.    , 0.5468, 0.5468]]], dtype=float32)

    Args:
        image: pictures whose last axis is red, green and blue.
        lower, upper: the range of the factor: 0 or more, and more than ``lower``.
        seed: two integers.
    """
    check_range(lower, upper)
    return adjust_saturation(image, one_number(lower, upper, seed, stateless=True))

"""Pictures: conversions between dtypes, brightness and contrast, flips, crops and grey levels.

Images are (..., height, width, channels). Floating-point images hold values from 0 to 1. Integer images hold
values from 0 to the largest number of their dtype.
"""

from __future__ import annotations

import functools
from math import prod
from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, VariableBase, convert, public
from tapegrad.core.abstract import value_to_check
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import static_int
from tapegrad.ops.constants import number
from tapegrad.ops.elementwise import math, signs
from tapegrad.ops.linalg import products
from tapegrad.ops.op import op, says
from tapegrad.ops.reduce import moments, reduce
from tapegrad.ops.shape import array, casts, padding, rearrange

PUBLIC = {
    "image compat.v1.image": (
        "adjust_brightness adjust_contrast adjust_gamma central_crop convert_image_dtype "
        "crop_to_bounding_box flip_left_right flip_up_down grayscale_to_rgb pad_to_bounding_box "
        "per_image_standardization rgb_to_grayscale rot90 total_variation transpose"
    ),
}


def _check_image(image: Tensor, what: str = "image") -> Tensor:
    if image.ndim < 3:
        raise ValueError(
            f"'{what}' (shape {image.shape}) must be at least three-dimensional: "
            "height, width, channels."
        )
    return image


# Conversions


@says(dispatched="unary")
@composition
def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """``image`` in another dtype, with its values scaled to that dtype's range.

    >>> tf.image.convert_image_dtype(tf.constant([0, 255], tf.uint8), tf.float32).numpy()
    array([0., 1.], dtype=float32)

    Args:
        image: a picture, or several.
        dtype: the dtype to convert to.
        saturate: whether to limit values to the range of ``dtype``. They would otherwise wrap around.
    """
    image = convert(image)
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError("dtype must be either floating point or integer")
    if not image.dtype.is_floating and not image.dtype.is_integer:
        raise AttributeError("image dtype must be either floating point or integer")
    if dtype is image.dtype:
        return array.identity(image)
    cast = casts.saturate_cast if saturate else casts.cast
    if image.dtype.is_integer and dtype.is_integer:
        return _rescale_integers(image, dtype, saturate)
    if image.dtype.is_floating and dtype.is_floating:
        return casts.cast(image, dtype)
    if image.dtype.is_integer:
        return casts.cast(image, dtype) * (1.0 / image.dtype.max)
    # The factor is a little more than the largest number, so that only larger values are cut to it.
    return cast(image * (dtype.max + 0.5), dtype)


def _rescale_integers(image: Tensor, dtype: dtypes.DType, saturate: bool) -> Tensor:
    largest, wanted = int(image.dtype.max), int(dtype.max)
    if largest > wanted:
        scaled = image // ((largest + 1) // (wanted + 1))
        return casts.saturate_cast(scaled, dtype) if saturate else casts.cast(scaled, dtype)
    widened = casts.saturate_cast(image, dtype) if saturate else casts.cast(image, dtype)
    return widened * ((wanted + 1) // (largest + 1))


def in_floats(images: Tensor) -> Tensor:
    """``images`` themselves in float16 and float32, else in float32."""
    dtype = images.dtype
    if dtype is dtypes.float32 or dtype is dtypes.float16:
        return images
    return convert_image_dtype(images, dtypes.float32)


# Brightness and contrast


@op(
    "AdjustContrastv2",
    dtypes={"images": {dtypes.float32, dtypes.float16}, "contrast_factor": {dtypes.float32}},
    values="elements",
)
def adjust_contrast_op(xp, images, contrast_factor):
    """Each channel of each image stretched around its mean. See ``tf.image.adjust_contrast``."""
    if images.ndim < 3:
        refuse(f"input must be at least 3-D, got shape {list(images.shape)}")
    if contrast_factor.ndim:
        refuse(f"contrast_factor must be scalar: {list(contrast_factor.shape)}")
    if not images.size:
        return images
    mean = xp.mean(images, axis=(-3, -2), keepdims=True, dtype=xp.float32)
    return ((images - mean) * contrast_factor + mean).astype(images.dtype, copy=False)


@adjust_contrast_op.shape
def contrast_shape(images, contrast_factor):
    if images.ndim < 3:
        refuse(f"input must be at least 3-D, got shape {list(images.shape)}")
    if contrast_factor.ndim:
        refuse(f"contrast_factor must be scalar: {list(contrast_factor.shape)}")
    return images.shape


# AdjustContrastv2 has no rule, as in TensorFlow: a gradient through it is a LookupError. The documents show
# how to register a rule for it.


@composition
def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """``images`` with each channel stretched around its mean: ``(x - mean) * contrast_factor + mean``.

    >>> x = tf.reshape(tf.range(4.0), [2, 2, 1])
    >>> tf.image.adjust_contrast(x, 2.0).numpy()[:, :, 0]
    array([[-1.5,  0.5],
           [ 2.5,  4.5]], dtype=float32)

    As in TensorFlow, it has no gradient.

    Args:
        images: pictures of (..., height, width, channels).
        contrast_factor: 1 changes nothing, 0 leaves the mean alone.
    """
    images = convert(images)
    original = images.dtype
    flat = in_floats(images)
    adjusted = adjust_contrast_op(flat, casts.cast(contrast_factor, dtypes.float32))
    return convert_image_dtype(adjusted, original, saturate=True)


@says(dispatched="unary")
@composition
def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """``image`` with ``delta`` added, where 1 means the dtype's whole range.

    >>> tf.image.adjust_brightness(tf.constant([[[0.25, 0.5]]]), 0.25).numpy()
    array([[[0.5 , 0.75]]], dtype=float32)

    Args:
        image: pictures of any shape. Integers are taken as parts of their dtype's range.
        delta: a number. Integers are limited to their dtype's range.
    """
    image = convert(image)
    original = image.dtype
    flat = in_floats(image)
    adjusted = flat + casts.cast(delta, flat.dtype)
    return convert_image_dtype(adjusted, original, saturate=True)


@says(dispatched="unary")
@composition
def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """``gain * image ** gamma``, computed on values from 0 to 1.

    >>> tf.image.adjust_gamma(tf.constant([[[0.5]]]), gamma=2.0).numpy()
    array([[[0.25]]], dtype=float32)

    Args:
        image: pictures of any shape. Integers are taken as parts of their dtype's range.
        gamma: the exponent, which is not negative.
        gain: the factor.
    """
    image = convert(image)
    original = image.dtype
    flat = in_floats(image)
    if isinstance(gamma, (Tensor, VariableBase)):
        negative = value_to_check(convert(gamma) < 0, "the range")
        if negative is not None and negative.any():
            refuse("Gamma should be a non-negative real number.")
    elif gamma < 0:
        raise ValueError("Gamma should be a non-negative real number.")
    adjusted = gain * flat ** casts.cast(gamma, flat.dtype)
    return convert_image_dtype(adjusted, original, saturate=True)


@composition
def per_image_standardization(image: Any) -> Tensor:
    """Each image scaled to mean 0 and variance 1. A constant image becomes zeros.

    >>> tf.image.per_image_standardization(tf.constant([[[1.0], [3.0]]])).numpy().round(4).ravel()
    array([-1.,  1.], dtype=float32)

    Args:
        image: a picture of (height, width, channels), or a batch of them. Any dtype becomes float32.
    """
    image = casts.cast(_check_image(convert(image)), dtypes.float32)
    axes = [-1, -2, -3]
    mean = reduce.reduce_mean(image, axes, keepdims=True)
    deviation = moments.reduce_std(image, axes, keepdims=True)
    count = number(prod(image._shape_tuple()[-3:]), image.dtype)
    # A single pixel would cause a deviation of this size.
    least = math.rsqrt(casts.cast(count, image.dtype))
    return (image - mean) / math.maximum(deviation, least)


# Colours

# How bright red, green and blue look: ITU-R BT.601, as rounded by TensorFlow.
LUMINANCE = ((0.2989,), (0.5870,), (0.1140,))


@functools.cache
def matrix_of(weights: tuple[tuple[float, ...], ...], dtype: str) -> Tensor:
    """The weights as a tensor, made once. It is shared: it goes to ops only."""
    return convert(weights, dtypes.as_dtype(dtype))


@composition
def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """The brightness of each pixel, in one channel.

    >>> tf.image.rgb_to_grayscale(tf.constant([[[1.0, 1.0, 1.0]]])).numpy().round(4)
    array([[[0.9999]]], dtype=float32)

    Args:
        images: pictures whose last axis is red, green and blue.
    """
    images = convert(images)
    original = images.dtype
    flat = in_floats(images)
    grey = products.tensordot(flat, matrix_of(LUMINANCE, flat.dtype.name), [[flat.ndim - 1], [0]])
    return convert_image_dtype(grey, original)


@composition
def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """``images`` of one channel, with that channel repeated three times.

    >>> tf.image.grayscale_to_rgb(tf.constant([[[0.5]]])).numpy()
    array([[[0.5, 0.5, 0.5]]], dtype=float32)

    Args:
        images: pictures whose last axis is the channel, of size 1.
    """
    images = convert(images)
    if images.ndim < 2 or images._shape_tuple()[-1] != 1:
        raise ValueError(
            "A grayscale image has at least two axes, the last of them of size 1; "
            f"this one has the shape {images.shape}."
        )
    return array.tile(images, [1] * (images.ndim - 1) + [3])


# Flips, turns and crops


@public
def flip_left_right(image: Any) -> Tensor:
    """``image`` mirrored from left to right.

    >>> tf.image.flip_left_right(tf.constant([[[1.0], [2.0]]])).numpy().ravel()
    array([2., 1.], dtype=float32)

    Args:
        image: a picture of (height, width, channels), or a batch of them.
    """
    image = _check_image(convert(image))
    return rearrange.reverse(image, [image.ndim - 2])


@public
def flip_up_down(image: Any) -> Tensor:
    """``image`` mirrored from top to bottom.

    >>> tf.image.flip_up_down(tf.constant([[[1.0]], [[2.0]]])).numpy().ravel()
    array([2., 1.], dtype=float32)

    Args:
        image: a picture of (height, width, channels), or a batch of them.
    """
    image = _check_image(convert(image))
    return rearrange.reverse(image, [image.ndim - 3])


@public
def transpose(image: Any, name: str | None = None) -> Tensor:
    """``image`` with height and width exchanged.

    >>> tf.image.transpose(tf.ones([2, 3, 1])).shape
    TensorShape([3, 2, 1])

    Args:
        image: a picture of (height, width, channels), or a batch of them.
    """
    image = _check_image(convert(image))
    rank = image.ndim
    return array.transpose(image, [*range(rank - 3), rank - 2, rank - 3, rank - 1])


@public
def rot90(image: Any, k: Any = 1, name: str | None = None) -> Tensor:
    """``image`` turned anticlockwise by ``k`` right angles.

    >>> tf.image.rot90(tf.constant([[[1], [2]]])).numpy()[:, :, 0]
    array([[2],
           [1]], dtype=int32)

    Args:
        image: a picture of (height, width, channels), or a batch of them.
        k: an integer; a negative one turns clockwise.
    """
    image = _check_image(convert(image))
    turns = static_int(k) % 4
    if turns == 1:
        return transpose(flip_left_right(image))
    if turns == 2:
        return flip_up_down(flip_left_right(image))
    if turns == 3:
        return flip_left_right(transpose(image))
    return array.identity(image)


@public
def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The box of ``image`` that begins at the offsets and has the target sizes.

    >>> tf.image.crop_to_bounding_box(tf.ones([4, 4, 1]), 1, 1, 2, 3).shape
    TensorShape([2, 3, 1])

    Args:
        image: a picture of (height, width, channels), or a batch of them.
        offset_height, offset_width: the row and the column of the picture where the box begins.
        target_height, target_width: the size of the box, which lies within the picture.
    """
    image = _check_image(convert(image))
    top, left = static_int(offset_height), static_int(offset_width)
    height, width = static_int(target_height), static_int(target_width)
    rows, columns = image._shape_tuple()[-3:-1]
    if top < 0 or left < 0 or height <= 0 or width <= 0:
        raise ValueError(
            f"Offsets must be >= 0 and sizes > 0; got offsets {top}, {left} and sizes {height}, "
            f"{width}."
        )
    if top + height > rows or left + width > columns:
        raise ValueError(
            f"The box of {height} by {width} at ({top}, "
            f"{left}) reaches beyond an image of {rows} by {columns}."
        )
    return image[..., top : top + height, left : left + width, :]


@public
def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """``image`` placed at the offsets into an image of zeros that has the target sizes.

    >>> tf.image.pad_to_bounding_box(tf.ones([1, 1, 1]), 0, 1, 2, 2).numpy()[:, :, 0]
    array([[0., 1.],
           [0., 0.]], dtype=float32)

    Args:
        image: a picture of (height, width, channels), or a batch of them.
        offset_height, offset_width: how many rows and columns of zeros there are before the picture.
        target_height, target_width: the size of the result, in which the picture has room.
    """
    image = _check_image(convert(image))
    top, left = static_int(offset_height), static_int(offset_width)
    height, width = static_int(target_height), static_int(target_width)
    rows, columns = image._shape_tuple()[-3:-1]
    below, right = height - top - rows, width - left - columns
    if min(top, left, below, right) < 0:
        raise ValueError(
            f"An image of {rows} by {columns} at ({top}, "
            f"{left}) does not fit into {height} by {width}."
        )
    around = [[0, 0]] * (image.ndim - 3) + [[top, below], [left, right], [0, 0]]
    return padding.pad(image, around)


@composition
def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """The middle of ``image``, with ``central_fraction`` of its height and of its width.

    >>> tf.image.central_crop(tf.ones([4, 4, 1]), 0.5).shape
    TensorShape([2, 2, 1])

    Args:
        image: a picture of (height, width, channels), or a batch of them.
        central_fraction: a number above 0 and up to 1.
    """
    image = _check_image(convert(image))
    fraction = float(central_fraction)
    if not 0.0 < fraction <= 1.0:
        raise ValueError(f"central_fraction must be in (0, 1], not {central_fraction}.")
    rows, columns = image._shape_tuple()[-3:-1]
    top, left = int((rows - rows * fraction) / 2), int((columns - columns * fraction) / 2)
    return crop_to_bounding_box(image, top, left, rows - 2 * top, columns - 2 * left)


@composition
def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of the absolute differences between neighbouring pixels of each image.

    >>> tf.image.total_variation(tf.constant([[[1.0], [3.0]], [[1.0], [1.0]]])).numpy()
    np.float32(4.0)

    Args:
        images: a picture of (height, width, channels), or a batch of them.
    """
    images = convert(images)
    if images.ndim not in (3, 4):
        raise ValueError("'images' must be either 3 or 4-dimensional.")
    below = images[..., 1:, :, :] - images[..., :-1, :, :]
    right = images[..., :, 1:, :] - images[..., :, :-1, :]
    axes = [-3, -2, -1]
    return reduce.reduce_sum(signs.abs(below), axes) + reduce.reduce_sum(signs.abs(right), axes)

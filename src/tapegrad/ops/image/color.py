"""Colours: hue, saturation and value, YIQ and YUV, and pictures with their hue or saturation changed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Tensor, convert, public
from tapegrad.core.abstract import value_to_check
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.ops.batching import leading
from tapegrad.ops.elementwise import logic, math
from tapegrad.ops.image.pictures import convert_image_dtype, matrix_of
from tapegrad.ops.linalg import products
from tapegrad.ops.op import REAL_FLOATING, op
from tapegrad.ops.shape import casts, joining

PUBLIC = {
    "image compat.v1.image": (
        "adjust_hue adjust_saturation hsv_to_rgb rgb_to_hsv rgb_to_yiq rgb_to_yuv yiq_to_rgb "
        "yuv_to_rgb"
    ),
}


# Hue, saturation and value


def check_channels(shape: tuple[int, ...]) -> None:
    if not shape:
        refuse("images must have a last axis of three channels; a scalar came.")
    if shape[-1] != 3:
        refuse(
            f"images must have 3 channels; their shape is {list(shape)}.",
            error=errors.FailedPreconditionError,
        )


def hexagon(xp: Any, rgb: Any) -> tuple[Any, Any, Any]:
    """The angles of colours in the hexagon of hues, from 0 to 6, and their greatest and least channels."""
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    greatest, least = rgb.max(-1), rgb.min(-1)
    spread = greatest - least
    steps = xp.where(spread > 0, spread, 1)
    angle = xp.where(
        greatest == red,
        (green - blue) / steps,
        xp.where(greatest == green, (blue - red) / steps + 2, (red - green) / steps + 4),
    )
    angle = xp.where(spread > 0, xp.where(angle < 0, angle + 6, angle), 0)
    return angle, greatest, least


def around_hexagon(xp: Any, angle: Any) -> Any:
    """The red, green and blue, each from 0 to 1, of the pure colour at ``angle``."""
    red = xp.abs(angle - 3) - 1
    green = 2 - xp.abs(angle - 2)
    blue = 2 - xp.abs(angle - 4)
    return xp.clip(xp.stack([red, green, blue], -1), 0, 1)


def full_precision(xp: Any, images: Any) -> Any:
    return images.astype(xp.promote_types(images.dtype, xp.float32), copy=False)


def hsv_of(xp: Any, rgb: Any) -> tuple[Any, Any, Any]:
    angle, greatest, least = hexagon(xp, rgb)
    positive = greatest > 0
    saturation = xp.where(positive, (greatest - least) / xp.where(positive, greatest, 1), 0)
    return angle, saturation, greatest


@op("RGBToHSV", dtypes=REAL_FLOATING, values="elements")
def rgb_to_hsv_op(xp, images):
    check_channels(images.shape)
    if not images.size:
        return images
    angle, saturation, value = hsv_of(xp, full_precision(xp, images))
    out = xp.stack([angle / 6, saturation, value], -1)
    return out.astype(images.dtype, copy=False)


@rgb_to_hsv_op.shape
def hsv_shape(images):
    check_channels(images.shape)
    return images.shape


def rgb_to_hsv_gradient(dy, images):
    red, green, blue = (images[..., i] for i in range(3))
    by_hue, by_saturation, by_value = (dy[..., i] for i in range(3))
    # As in TensorFlow, at ties the greatest channel is the first one, and the least is the last one.
    greatest = math.maximum(math.maximum(red, green), blue)
    least = math.minimum(math.minimum(red, green), blue)
    is_red, is_green, is_blue = first_of(red, green, blue, greatest)
    low_blue, low_green, low_red = first_of(blue, green, red, least)
    # hue = difference / (6 * spread) + a constant, where difference is that of the other two channels.
    spread = greatest - least
    difference = is_red * (green - blue) + is_green * (blue - red) + is_blue * (red - green)
    by_difference = math.divide_no_nan(by_hue, 6 * spread)
    by_spread = -math.divide_no_nan(by_difference * difference, spread)
    # saturation = 1 - least / greatest, or 0 if the greatest is not above 0.
    positive = math.maximum(greatest, 0.0)
    by_least = -math.divide_no_nan(by_saturation, positive)
    by_greatest = by_value + by_spread - math.divide_no_nan(by_least * least, positive)
    by_least = by_least - by_spread
    return joining.stack(
        [
            is_red * by_greatest + low_red * by_least + (is_blue - is_green) * by_difference,
            is_green * by_greatest + low_green * by_least + (is_red - is_blue) * by_difference,
            is_blue * by_greatest + low_blue * by_least + (is_green - is_red) * by_difference,
        ],
        -1,
    )


def first_of(first: Tensor, second: Tensor, third: Tensor, chosen: Tensor) -> tuple[Tensor, ...]:
    """1 for the first of the three that equals ``chosen``, and 0 for the others."""
    dtype = chosen.dtype
    one = casts.cast(logic.equal(first, chosen), dtype)
    two = casts.cast(logic.equal(second, chosen), dtype) * (1.0 - one)
    return one, two, 1.0 - one - two


rgb_to_hsv_op.gradient(images=rgb_to_hsv_gradient)
rgb_to_hsv_op.batching(leading)


@op("HSVToRGB", dtypes=REAL_FLOATING, values="elements")
def hsv_to_rgb_op(xp, images):
    check_channels(images.shape)
    if not images.size:
        return images
    wide = full_precision(xp, images)
    pure = around_hexagon(xp, wide[..., 0] * 6)
    saturation, value = wide[..., 1:2], wide[..., 2:3]
    return ((1 - saturation + saturation * pure) * value).astype(images.dtype, copy=False)


@hsv_to_rgb_op.shape
def rgb_shape(images):
    check_channels(images.shape)
    return images.shape


hsv_to_rgb_op.no_gradient()
hsv_to_rgb_op.batching(leading)


def floating_images(images: Any) -> Tensor:
    tensor = convert(images)
    if isinstance(images, (Tensor, np.ndarray)) or tensor.dtype.is_floating:
        return tensor
    return convert_to_tensor(images, dtypes.float32)


@public
def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Hue, saturation and value, each from 0 to 1, of pixels whose last axis is red, green and blue.

    >>> tf.image.rgb_to_hsv([[0.0, 0.5, 0.0], [0.5, 0.5, 0.5]]).numpy().round(4)
    array([[0.3333, 1.    , 0.5   ],
           [0.    , 0.    , 0.5   ]], dtype=float32)

    Args:
        images: floating point numbers from 0 to 1, whose last axis has size 3.
    """
    return rgb_to_hsv_op(floating_images(images))


@public
def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """The inverse of ``tf.image.rgb_to_hsv``. As in TensorFlow, it has no gradient.

    >>> tf.image.hsv_to_rgb([1 / 3, 1.0, 0.5]).numpy().round(4)
    array([0. , 0.5, 0. ], dtype=float32)

    Args:
        images: floating point numbers from 0 to 1, whose last axis is hue, saturation and value.
    """
    return hsv_to_rgb_op(floating_images(images))


# The television standards: linear maps of the three channels

RGB_TO_YIQ = (
    (0.299, 0.59590059, 0.2115),
    (0.587, -0.27455667, -0.52273617),
    (0.114, -0.32134392, 0.31119955),
)
YIQ_TO_RGB = (
    (1.0, 1.0, 1.0),
    (0.95598634, -0.27201283, -1.10674021),
    (0.6208248, -0.64720424, 1.70423049),
)
RGB_TO_YUV = (
    (0.299, -0.14714119, 0.61497538),
    (0.587, -0.28886916, -0.51496512),
    (0.114, 0.43601035, -0.10001026),
)
YUV_TO_RGB = (
    (1.0, 1.0, 1.0),
    (0.0, -0.394642334, 2.03206185),
    (1.13988303, -0.58062185, 0.0),
)


def mixed(images: Any, weights: tuple[tuple[float, ...], ...]) -> Tensor:
    tensor = convert(images)
    matrix = matrix_of(weights, tensor.dtype.name)
    return products.tensordot(tensor, matrix, axes=[[tensor.ndim - 1], [0]])


@composition
def rgb_to_yiq(images: Any) -> Tensor:
    """Brightness and NTSC's two colour differences, for pixels whose last axis is red, green and blue.

    >>> tf.image.rgb_to_yiq([1.0, 1.0, 1.0]).numpy().round(4) + 0.0
    array([1., 0., 0.], dtype=float32)

    Args:
        images: floating point numbers, whose last axis has size 3.
    """
    return mixed(images, RGB_TO_YIQ)


@composition
def yiq_to_rgb(images: Any) -> Tensor:
    """The inverse of ``tf.image.rgb_to_yiq``.

    >>> tf.image.yiq_to_rgb([1.0, 0.0, 0.0]).numpy()
    array([1., 1., 1.], dtype=float32)

    Args:
        images: floating point numbers, whose last axis has size 3.
    """
    return mixed(images, YIQ_TO_RGB)


@composition
def rgb_to_yuv(images: Any) -> Tensor:
    """Brightness and PAL's two colour differences, for pixels whose last axis is red, green and blue.

    >>> tf.image.rgb_to_yuv([1.0, 1.0, 1.0]).numpy().round(4) + 0.0
    array([1., 0., 0.], dtype=float32)

    Args:
        images: floating point numbers, whose last axis has size 3.
    """
    return mixed(images, RGB_TO_YUV)


@composition
def yuv_to_rgb(images: Any) -> Tensor:
    """The inverse of ``tf.image.rgb_to_yuv``.

    >>> tf.image.yuv_to_rgb([1.0, 0.0, 0.0]).numpy()
    array([1., 1., 1.], dtype=float32)

    Args:
        images: floating point numbers, whose last axis has size 3.
    """
    return mixed(images, YUV_TO_RGB)


# Changing the hue and the saturation

ADJUSTED = frozenset({dtypes.float16, dtypes.float32})
SINGLE = frozenset({dtypes.float32})


def check_adjusted(shape: tuple[int, ...], amount: Any, what: str) -> None:
    problem = ""
    if len(shape) < 3:
        problem = f"images must be at least 3-D; their shape is {list(shape)}"
    elif shape[-1] != 3:
        problem = f"images must have 3 channels; their shape is {list(shape)}"
    elif amount.ndim:
        problem = f"{what} must be a scalar, not of shape {list(amount.shape)}"
    if problem:
        refuse(f"{problem}.")


@op("AdjustHue", dtypes={"images": ADJUSTED, "delta": SINGLE}, values="elements")
def adjust_hue_op(xp, images, delta):
    check_adjusted(images.shape, delta, "delta")
    if not images.size:
        return images
    angle, greatest, least = hexagon(xp, full_precision(xp, images))
    pure = around_hexagon(xp, (angle + 6 * delta) % 6)
    out = least[..., None] + (greatest - least)[..., None] * pure
    return out.astype(images.dtype, copy=False)


@adjust_hue_op.shape
def hue_shape(images, delta):
    check_adjusted(images.shape, delta, "delta")
    return images.shape


@op("AdjustSaturation", dtypes={"images": ADJUSTED, "scale": SINGLE}, values="elements")
def adjust_saturation_op(xp, images, scale):
    check_adjusted(images.shape, scale, "scale")
    if not images.size:
        return images
    angle, saturation, value = hsv_of(xp, full_precision(xp, images))
    saturation = xp.clip(saturation * scale, 0, 1)[..., None]
    out = (1 - saturation + saturation * around_hexagon(xp, angle)) * value[..., None]
    return out.astype(images.dtype, copy=False)


@adjust_saturation_op.shape
def saturation_shape(images, scale):
    check_adjusted(images.shape, scale, "scale")
    return images.shape


# As in TensorFlow, AdjustHue and AdjustSaturation have no rule, like AdjustContrastv2: a gradient through
# them is a LookupError.


def in_floats(images: Any) -> tuple[Tensor, dtypes.DType]:
    """``images`` in the form that the adjusting ops take, and their original dtype."""
    tensor = convert(images)
    if tensor.dtype in ADJUSTED:
        return tensor, tensor.dtype
    return convert_image_dtype(tensor, dtypes.float32), tensor.dtype


def single(number: Any) -> Tensor:
    return casts.cast(number, dtypes.float32)


@composition
def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """``image`` with its hues rotated by ``delta``, from -1 to 1 turns. As in TensorFlow, it has no gradient.

    >>> tf.image.adjust_hue(tf.constant([[[1.0, 0.0, 0.0]]]), 1 / 3).numpy().round(4)
    array([[[0., 1., 0.]]], dtype=float32)

    Args:
        image: pictures whose last axis is red, green and blue.
        delta: a number from -1 to 1.
    """
    flat, original = in_floats(image)
    delta = single(delta)
    too_far = value_to_check(abs(delta) > 1, "the range")
    if too_far is not None and too_far.any():
        raise ValueError(f"delta must be in the interval [-1, 1], not {delta.numpy()}.")
    return convert_image_dtype(adjust_hue_op(flat, delta), original)


@composition
def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """``image`` with its saturation multiplied and limited to 1. As in TensorFlow, it has no gradient.

    >>> tf.image.adjust_saturation(tf.constant([[[0.5, 0.25, 0.25]]]), 2.0).numpy()
    array([[[0.5, 0. , 0. ]]], dtype=float32)

    Args:
        image: pictures whose last axis is red, green and blue.
        saturation_factor: a number; 0 makes the pictures grey, 1 leaves them as they are.
    """
    flat, original = in_floats(image)
    return convert_image_dtype(adjust_saturation_op(flat, single(saturation_factor)), original)

"""Pictures in other sizes: ops that resample, their gradients, and ``tf.image.resize``, which uses them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Op, Tensor, are_ints, convert, static_value
from tapegrad.core.compositions import composition
from tapegrad.engines.numpy import resampling
from tapegrad.errors import refuse
from tapegrad.ops.args import check_size, static_bool, static_int, static_ints
from tapegrad.ops.batching import rows
from tapegrad.ops.constants import number
from tapegrad.ops.gradients import zeros
from tapegrad.ops.image.pictures import crop_to_bounding_box, pad_to_bounding_box
from tapegrad.ops.image.resample import (
    FEW_TAPS,
    KERNELS,
    Taps,
    area_taps,
    bicubic_taps,
    bilinear_taps,
    check_image,
    kernel_taps,
    nearest_taps,
    resample,
    transposed,
)
from tapegrad.ops.op import REAL, REAL_FLOATING, op
from tapegrad.ops.shape import array
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    "image": "resize resize_with_pad ResizeMethod",
    "image compat.v1.image": "resize_with_crop_or_pad",
}


IMAGES = REAL - {dtypes.uint32, dtypes.uint64}
SINGLE = frozenset({dtypes.float32})


FEW = 1 << 20  # numbers of a result for which there is memory


def wide(xp: Any, images: Any) -> Any:
    """``images`` in the precision in which TensorFlow resamples."""
    return images.astype(xp.float32, copy=False)


def check_memory(xp: Any, shape: tuple[int, ...]) -> None:
    """Fail early if there is no memory for a result of ``shape``, before much memory goes into taps."""
    if prod(check_size(shape)) > FEW:
        xp.empty(shape, xp.float32)


# The taps of the last sizes: a program resizes to the same ones again and again.


@functools.lru_cache(maxsize=64)
def known_taps(taps: Callable[..., Taps], new: int, old: int, how: tuple[Any, ...]) -> Taps:
    return taps(new, old, *how)


@functools.lru_cache(maxsize=64)
def known_taps_back(taps: Callable[..., Taps], new: int, old: int, how: tuple[Any, ...]) -> Taps:
    return transposed(taps(new, old, *how), old)


def checked_taps(
    xp: Any, shape: tuple[int, ...], size: Any, taps: Callable[..., Taps], how: tuple[Any, ...]
) -> tuple[Taps, Taps]:
    """The taps of the rows and of the columns, for images of ``shape``."""
    check_image(shape, size)
    check_memory(xp, (shape[0], *size, shape[3]))
    rows, columns = (
        known_taps(taps, new, old, how) if how else taps(new, old)
        for new, old in zip(size, shape[1:3], strict=True)
    )
    return rows, columns


def resized(xp: Any, images: Any, size: Any, taps: Callable[..., Taps], *how: Any) -> Any:
    rows, columns = checked_taps(xp, images.shape, size, taps, how)
    if how and max(rows[0].shape[1], columns[0].shape[1]) <= FEW_TAPS:
        # From now on, the lane of the op does it.
        _, height, width, _ = images.shape
        resampling.remember_taps(METHODS[taps], height, width, (size, *how), rows, columns)
    return resample(xp, images, rows, columns)


def resized_back(xp: Any, grads: Any, size: Any, taps: Callable[..., Taps], *how: Any) -> Any:
    """The gradient of images of height and width ``size``, which `resized` turned into ``grads.shape``."""
    check_image(grads.shape, size)
    check_memory(xp, (grads.shape[0], *size, grads.shape[3]))
    rows, columns = (
        known_taps_back(taps, new, old, how) if how else transposed(taps(new, old), old)
        for new, old in zip(grads.shape[1:3], size, strict=True)
    )
    return resample(xp, grads, rows, columns)


def check_centers(align_corners: bool, half_pixel_centers: bool) -> None:
    if align_corners and half_pixel_centers:
        refuse("If half_pixel_centers is True, align_corners must be False.")


ATTRIBUTES = {"size": static_ints, "align_corners": static_bool, "half_pixel_centers": static_bool}


TAPS = {"bilinear": bilinear_taps, "bicubic": bicubic_taps}
METHODS: dict[Callable[..., Taps], str] = {
    nearest_taps: "nearest",
    bilinear_taps: "bilinear",
    bicubic_taps: "bicubic",
    area_taps: "area",
}
LANES = {"bilinear": resampling.bilinear, "bicubic": resampling.bicubic}


def resized_shape(images, size):
    check_image(images.shape, size)
    return Abstract((images.shape[0], *size, images.shape[3]), dtypes.float32)


def gradient_shape(grads, original_image):
    """The shape rule of gradients by the pictures that were resized."""
    check_image(original_image.shape, (1, 1))
    shape = (grads.shape[0], *original_image.shape[1:3], grads.shape[3])
    return Abstract(shape, original_image.dtype)


def resize_ops(types: tuple[str, str], name: str) -> tuple[Op, Op]:
    """The op of a method whose result is float32, and the op of its gradient, of these ``types``."""

    def resize(xp, images, *, size, align_corners=False, half_pixel_centers=False):
        """Images in another size, each pixel a weighted sum of those around its place.

        Args:
            images: of shape [batch, height, width, channels].
            size: height and width of the results.
            align_corners: whether the middles of the pixels in the corners keep their places.
            half_pixel_centers: whether the middles of the pixels are mapped to each other; otherwise their
                upper left corners are. It excludes ``align_corners``.
        """
        check_centers(align_corners, half_pixel_centers)
        return resized(xp, wide(xp, images), size, TAPS[name], align_corners, half_pixel_centers)

    def back(xp, grads, original_image, *, align_corners=False, half_pixel_centers=False):
        check_centers(align_corners, half_pixel_centers)
        check_image(original_image.shape, (1, 1))
        grads = grads.astype(xp.promote_types(original_image.dtype, grads.dtype), copy=False)
        size = original_image.shape[1:3]
        out = resized_back(xp, grads, size, TAPS[name], align_corners, half_pixel_centers)
        return out.astype(original_image.dtype, copy=False)

    resize.__name__, back.__name__ = f"resize_{name}", f"resize_{name}_gradient"
    forward: Op = op(
        types[0], dtypes=IMAGES, convert=ATTRIBUTES, linear="images", lane=LANES[name]
    )(resize)
    backward: Op = op(
        types[1],
        dtypes={"grads": SINGLE, "original_image": REAL_FLOATING},
        convert={"align_corners": static_bool, "half_pixel_centers": static_bool},
        linear="grads",
        values="elements",
    )(back)

    def by_images(dy, images_shape, images_dtype, align_corners, half_pixel_centers):
        if not images_dtype.is_floating:
            return None
        return backward(dy, zeros(images_shape, images_dtype), align_corners, half_pixel_centers)

    def by_grads(dy, grads_shape, align_corners, half_pixel_centers):
        return forward(dy, grads_shape[1:3], align_corners, half_pixel_centers)

    forward.shape(resized_shape)
    backward.shape(gradient_shape)
    forward.gradient(images=by_images)
    backward.gradient(grads=by_grads, original_image=lambda dy: None)
    forward.batching(rows())
    backward.batching(rows())
    return forward, backward


resize_bilinear_op, resize_bilinear_gradient = resize_ops(
    ("ResizeBilinear", "ResizeBilinearGrad"), "bilinear"
)
resize_bicubic_op, resize_bicubic_gradient = resize_ops(
    ("ResizeBicubic", "ResizeBicubicGrad"), "bicubic"
)


@op(
    "ResizeNearestNeighbor",
    dtypes=IMAGES,
    convert=ATTRIBUTES,
    linear="images",
    lane=resampling.nearest,
)
def resize_nearest_op(xp, images, *, size, align_corners=False, half_pixel_centers=False):
    """Images in another size, each pixel the one nearest to its place.

    Args:
        images: of shape [batch, height, width, channels].
        size: height and width of the results.
        align_corners: whether the middles of the pixels in the corners keep their places.
        half_pixel_centers: whether the middles of the pixels are mapped to each other; otherwise their upper
            left corners are. It excludes ``align_corners``.
    """
    check_centers(align_corners, half_pixel_centers)
    return resized(xp, images, size, nearest_taps, align_corners, half_pixel_centers)


@resize_nearest_op.shape
def nearest_shape(images, size):
    check_image(images.shape, size)
    return (images.shape[0], *size, images.shape[3])


@op(
    "ResizeNearestNeighborGrad",
    dtypes=IMAGES,
    convert=ATTRIBUTES,
    accumulate="float32",
    linear="grads",
)
def resize_nearest_gradient(xp, grads, *, size, align_corners=False, half_pixel_centers=False):
    check_centers(align_corners, half_pixel_centers)
    return resized_back(xp, grads, size, nearest_taps, align_corners, half_pixel_centers)


resize_nearest_gradient.shape(lambda grads, size: (grads.shape[0], *size, grads.shape[3]))


def nearest_by_images(dy, images_shape, align_corners, half_pixel_centers):
    return resize_nearest_gradient(dy, images_shape[1:3], align_corners, half_pixel_centers)


def nearest_by_grads(dy, grads_shape, align_corners, half_pixel_centers):
    return resize_nearest_op(dy, grads_shape[1:3], align_corners, half_pixel_centers)


resize_nearest_op.gradient(images=nearest_by_images)
resize_nearest_op.batching(rows())
resize_nearest_gradient.gradient(grads=nearest_by_grads)
resize_nearest_gradient.batching(rows())


@op(
    "ResizeArea",
    dtypes=IMAGES,
    convert={"size": static_ints, "align_corners": static_bool},
    linear="images",
    lane=resampling.area,
)
def resize_area_op(xp, images, *, size, align_corners=False):
    """Images in another size, each pixel the mean of the area that it covers.

    Args:
        images: of shape [batch, height, width, channels].
        size: height and width of the results.
        align_corners: whether the middles of the pixels in the corners keep their places.
    """
    return resized(xp, wide(xp, images), size, area_taps, align_corners)


resize_area_op.shape(resized_shape)


@op("_ResizeAreaTransposed", dtypes={"resized_images": SINGLE}, linear="resized_images")
def resize_area_transposed(xp, resized_images, *, size, dtype, align_corners):
    """Images of ``size``, in which each pixel is the weighted sum of the pixels that it went into."""
    out = resized_back(xp, resized_images, size, area_taps, align_corners)
    return out.astype(dtype.numpy_dtype, copy=False)


@resize_area_transposed.shape
def area_transposed_shape(resized_images, size, dtype):
    return Abstract((resized_images.shape[0], *size, resized_images.shape[3]), dtype)


# Both are linear, and each is the other's gradient. TensorFlow has no gradient here: it raises LookupError.


def area_by_images(dy, images_shape, images_dtype, align_corners):
    return resize_area_transposed(dy, images_shape[1:3], images_dtype, align_corners)


def area_by_resized(dy, resized_images_shape, align_corners):
    return resize_area_op(dy, resized_images_shape[1:3], align_corners)


resize_area_op.gradient(images=area_by_images)
resize_area_op.batching(rows())
resize_area_transposed.gradient(resized_images=area_by_resized)
resize_area_transposed.batching(rows())


# Scaling and translating with a kernel

PLACEMENT = {"images": IMAGES, "scale": SINGLE, "translation": SINGLE}


def kernel_name(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else value


def check_placement(scale: Any, translation: Any) -> None:
    if scale.shape != (2,) or translation.shape != (2,):
        refuse(
            "scale and translation must have two elements, for rows and for columns; "
            f"their shapes are {list(scale.shape)} and {list(translation.shape)}."
        )


def placed_taps(scale: Any, translation: Any, kernel_type: str, antialias: bool) -> Any:
    """`kernel_taps` for the rows and the columns of a picture that is scaled and moved."""
    if kernel_type not in KERNELS:
        refuse(f"Unrecognized kernel type {kernel_type!r}; there are {', '.join(KERNELS)}.")
    check_placement(scale, translation)
    if not (scale > 0).all() or not np.isfinite(scale).all() or not np.isfinite(translation).all():
        refuse(f"Scale must be greater than zero, and all finite: {scale}, {translation}.")
    pairs = iter(zip(scale.tolist(), translation.tolist(), strict=True))

    def taps(new: int, old: int) -> Taps:
        return known_taps(kernel_taps, new, old, (*next(pairs), kernel_type, antialias))

    return taps


@op(
    "ScaleAndTranslate",
    dtypes=PLACEMENT,
    convert={"size": static_ints, "kernel_type": kernel_name, "antialias": static_bool},
    raw=("images", "scale", "translation", "size", "kernel_type", "antialias"),
    linear="images",
    values="errors",
)
def scale_and_translate_op(
    xp, images, scale, translation, *, size, kernel_type="lanczos3", antialias=True
):
    """Pictures scaled around their corner, then moved, and seen through a window of ``size``."""
    return resized(
        xp, wide(xp, images), size, placed_taps(scale, translation, kernel_type, antialias)
    )


@scale_and_translate_op.shape
def placed_shape(images, scale, translation, size):
    check_placement(scale, translation)
    return resized_shape(images, size)


@op(
    "ScaleAndTranslateGrad",
    dtypes={
        "grads": SINGLE,
        "original_image": REAL_FLOATING,
        "scale": SINGLE,
        "translation": SINGLE,
    },
    convert={"kernel_type": kernel_name, "antialias": static_bool},
    linear="grads",
    values="errors",
)
def scale_and_translate_gradient(
    xp, grads, original_image, scale, translation, *, kernel_type="lanczos3", antialias=True
):
    check_image(original_image.shape, (1, 1))
    taps = placed_taps(scale, translation, kernel_type, antialias)
    out = resized_back(xp, grads, original_image.shape[1:3], taps)
    return out.astype(original_image.dtype, copy=False)


scale_and_translate_gradient.shape(gradient_shape)


def placed_by_images(dy, images_shape, images_dtype, scale, translation, kernel_type, antialias):
    if not images_dtype.is_floating:
        return None
    original = zeros(images_shape, images_dtype)
    return scale_and_translate_gradient(dy, original, scale, translation, kernel_type, antialias)


def placed_by_grads(dy, grads_shape, scale, translation, kernel_type, antialias):
    return scale_and_translate_op(
        dy, scale, translation, grads_shape[1:3], kernel_type=kernel_type, antialias=antialias
    )


# As in TensorFlow, no gradient flows to the scale and the translation.
scale_and_translate_op.gradient(
    images=placed_by_images, scale=lambda dy: None, translation=lambda dy: None
)
scale_and_translate_op.batching(rows(1, 2))
scale_and_translate_gradient.gradient(
    grads=placed_by_grads,
    original_image=lambda dy: None,
    scale=lambda dy: None,
    translation=lambda dy: None,
)
scale_and_translate_gradient.batching(rows(2, 3))


# Public functions


class ResizeMethod:
    """The methods of ``tf.image.resize``, under TensorFlow's names."""

    BILINEAR = "bilinear"
    NEAREST_NEIGHBOR = "nearest"
    BICUBIC = "bicubic"
    AREA = "area"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    GAUSSIAN = "gaussian"
    MITCHELLCUBIC = "mitchellcubic"


# The kernels with which TensorFlow smooths, for methods that otherwise have an op of their own.
ANTIALIASED = {"bilinear": "triangle", "bicubic": "keyscubic"}


# Methods whose pixels are squares with a point in their middle.
HALF_PIXEL = {
    ResizeMethod.BILINEAR: resize_bilinear_op,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_op,
    ResizeMethod.BICUBIC: resize_bicubic_op,
}


def new_size(size: Any) -> tuple[int, int]:
    if are_ints(size) and len(size) == 2:
        height, width = size
        if -(2**31) < height < 2**31 and -(2**31) < width < 2**31:
            return height, width
    try:
        tensor = convert(size, dtypes.int32)
    except (TypeError, ValueError, errors.InvalidArgumentError):
        raise ValueError(f"'size' must be a 1-D int32 Tensor, not {size!r}.") from None
    if tensor._shape_tuple() != (2,):
        raise ValueError(
            f"'size' must be a 1-D Tensor of 2 elements: new_height, new_width; not {size!r}."
        )
    height, width = static_value(tensor, "sizes").tolist()
    return height, width


def batched(images: Any, what: str) -> tuple[Tensor, bool]:
    """``images`` as a batch, and whether they already were a batch."""
    tensor = convert(images)
    if tensor.ndim not in (3, 4):
        raise ValueError(
            f"'{what}' (shape {tensor.shape}) must have either 3 or 4 dimensions: "
            "(batch,) height, width, channels."
        )
    return (tensor, True) if tensor.ndim == 4 else (array.expand_dims(tensor, 0), False)


@composition
def resize(
    images: Any,
    size: Any,
    method: str = ResizeMethod.BILINEAR,
    preserve_aspect_ratio: Any = False,
    antialias: Any = False,
    name: str | None = None,
) -> Tensor:
    """``images`` with the height and width in ``size``. They are float32, unless the method is "nearest".

    >>> x = tf.constant([[[0.0], [1.0]], [[2.0], [3.0]]])
    >>> tf.image.resize(x, [3, 2]).numpy()[:, :, 0]
    array([[0., 1.],
           [1., 2.],
           [2., 3.]], dtype=float32)

    Args:
        images: a picture of (height, width, channels), or a batch of them.
        size: the new height and width.
        method: one of ``tf.image.ResizeMethod``.
        preserve_aspect_ratio: whether to keep the ratio of the sides, and use ``size`` as an upper limit.
        antialias: whether to smooth a picture that gets smaller, so that fine detail makes no false patterns.
    """
    tensor, was_batch = batched(images, "images")
    height, width = new_size(size)
    if preserve_aspect_ratio:
        old_height, old_width = tensor._shape_tuple()[1:3]
        scale = min(
            np.float32(height) / np.float32(max(old_height, 1)),
            np.float32(width) / np.float32(max(old_width, 1)),
        )
        height, width = round(scale * np.float32(old_height)), round(scale * np.float32(old_width))
    out = resize_batch(tensor, (height, width), method, bool(antialias))
    return out if was_batch else array.squeeze(out, axis=[0])


def resize_batch(images: Tensor, size: tuple[int, int], method: str, antialias: bool) -> Tensor:
    if method in ANTIALIASED and antialias:
        return resize_by_kernel(images, size, ANTIALIASED[method], True)
    if method in HALF_PIXEL:
        return HALF_PIXEL[method](images, size, False, True)
    if method == ResizeMethod.AREA:
        return resize_area_op(images, size)
    if method in ("lanczos3", "lanczos5", "gaussian", "mitchellcubic"):
        return resize_by_kernel(images, size, method, antialias)
    raise ValueError(f"Resize method is not implemented: {method}. See tf.image.ResizeMethod.")


def resize_by_kernel(
    images: Tensor, size: tuple[int, int], kernel_type: str, antialias: bool
) -> Tensor:
    check_image(images._shape_tuple(), size)
    sizes = zip(size, images._shape_tuple()[1:3], strict=True)
    scale = [number(new, dtypes.float32) / number(old, dtypes.float32) for new, old in sizes]
    return scale_and_translate_op(
        images,
        convert(scale, dtypes.float32),
        zeros((2,), dtypes.float32),
        size,
        kernel_type=kernel_type,
        antialias=antialias,
    )


def target_size(target_height: Any, target_width: Any) -> tuple[int, int]:
    height, width = static_int(target_height), static_int(target_width)
    if height <= 0:
        raise ValueError(f"target_height must be > 0, not {height}.")
    if width <= 0:
        raise ValueError(f"target_width must be > 0, not {width}.")
    return height, width


@composition
def resize_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: str = ResizeMethod.BILINEAR,
    antialias: Any = False,
) -> Tensor:
    """``image`` as large as fits into the target size without distortion, in the middle of zeros.

    >>> tf.image.resize_with_pad(tf.ones([2, 4, 1]), 4, 4).numpy()[:, :, 0]
    array([[0., 0., 0., 0.],
           [1., 1., 1., 1.],
           [1., 1., 1., 1.],
           [0., 0., 0., 0.]], dtype=float32)

    Args:
        image: a picture of (height, width, channels), or a batch of them.
        target_height, target_width: the size of the result.
        method: the method, as for `tf.image.resize`.
        antialias: whether to smooth the picture before it is made smaller, as in `tf.image.resize`.
    """
    tensor, was_batch = batched(image, "image")
    height, width = target_size(target_height, target_width)
    old_height, old_width = tensor._shape_tuple()[1:3]
    # TensorFlow divides in single precision: what is whole in exact numbers may lose a row to it.
    across, down = np.float32(old_width), np.float32(old_height)
    ratio = max(across / np.float32(width), down / np.float32(height))
    new_height, new_width = (down / ratio, across / ratio) if ratio else (0, 0)
    out = resize(tensor, [int(new_height), int(new_width)], method, antialias=antialias)
    top, left = int(max(0, (height - new_height) / 2)), int(max(0, (width - new_width) / 2))
    out = pad_to_bounding_box(out, top, left, height, width)
    return out if was_batch else array.squeeze(out, axis=[0])


@composition
def resize_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """The middle of ``image`` in the target size, with zeros around it where it is smaller.

    >>> tf.image.resize_with_crop_or_pad(tf.ones([3, 1, 1]), 1, 3).numpy()[:, :, 0]
    array([[0., 1., 0.]], dtype=float32)

    Args:
        image: a picture of (height, width, channels), or a batch of them.
        target_height, target_width: the size of the result.
    """
    tensor, was_batch = batched(image, "image")
    height, width = target_size(target_height, target_width)
    old_height, old_width = tensor._shape_tuple()[1:3]
    out = crop_to_bounding_box(
        tensor,
        max((old_height - height) // 2, 0),
        max((old_width - width) // 2, 0),
        min(height, old_height),
        min(width, old_width),
    )
    out = pad_to_bounding_box(
        out, max((height - old_height) // 2, 0), max((width - old_width) // 2, 0), height, width
    )
    return out if was_batch else array.squeeze(out, axis=[0])

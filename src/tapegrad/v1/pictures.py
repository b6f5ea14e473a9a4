"""``tf.compat.v1.image``: pictures in other sizes, by the first conventions for where pixels lie."""

from __future__ import annotations

from typing import Any

import tapegrad as tf

PUBLIC = {
    "compat.v1.image": (
        "ResizeMethod=ResizeMethodV1 resize resize_area resize_bicubic resize_bilinear "
        "resize_images=resize resize_nearest_neighbor"
    )
}


class ResizeMethodV1:
    """How pixels between those of a picture are computed."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def resize_bilinear(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> tf.Tensor:
    """Pictures in another size: each pixel is computed of the four around its place."""
    return tf.raw_ops.ResizeBilinear(
        images=images,
        size=size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
    )


def resize_nearest_neighbor(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> tf.Tensor:
    """Pictures in another size: each pixel is one of those that were there."""
    return tf.raw_ops.ResizeNearestNeighbor(
        images=images,
        size=size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
    )


def resize_bicubic(
    images: Any,
    size: Any,
    align_corners: bool = False,
    name: str | None = None,
    half_pixel_centers: bool = False,
) -> tf.Tensor:
    """Pictures in another size: each pixel is computed of the sixteen around its place."""
    return tf.raw_ops.ResizeBicubic(
        images=images,
        size=size,
        align_corners=align_corners,
        half_pixel_centers=half_pixel_centers,
    )


def resize_area(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None
) -> tf.Tensor:
    """Pictures in another size: each pixel is the mean of those that it covers."""
    return tf.raw_ops.ResizeArea(images=images, size=size, align_corners=align_corners)


_METHODS = {
    ResizeMethodV1.BILINEAR: resize_bilinear,
    ResizeMethodV1.NEAREST_NEIGHBOR: resize_nearest_neighbor,
    ResizeMethodV1.BICUBIC: resize_bicubic,
    ResizeMethodV1.AREA: resize_area,
    "bilinear": resize_bilinear,
    "nearest": resize_nearest_neighbor,
    "bicubic": resize_bicubic,
    "area": resize_area,
}


def resize(
    images: Any,
    size: Any,
    method: Any = ResizeMethodV1.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> tf.Tensor:
    """A picture, or a batch of them, in another size. One that has it already is left as it is.

    >>> tf.compat.v1.image.resize(tf.ones([1, 2, 2, 3]), [4, 6]).shape
    TensorShape([1, 4, 6, 3])

    Raises:
        ValueError: ``images`` has no 3 or 4 axes, ``size`` is no pair of int32, or ``method`` is no method.
    """
    images = tf.convert_to_tensor(images)
    if images.shape.rank not in (3, 4):
        raise ValueError("'images' must have either 3 or 4 dimensions.")
    batch = images if images.shape.rank == 4 else images[None]
    size = tf.convert_to_tensor(size)
    if size.shape != [2]:
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if size.dtype != tf.int32:
        raise ValueError("'size' must be a 1-D int32 Tensor")
    if method not in _METHODS:
        raise ValueError(f"Resize method is not implemented: {method}")
    before = tf.shape(batch)[1:3]
    if preserve_aspect_ratio:
        scale = tf.reduce_min(tf.cast(size, tf.float32) / tf.cast(before, tf.float32))
        size = tf.cast(tf.round(scale * tf.cast(before, tf.float32)), tf.int32)
    wanted = tf.get_static_value(size)
    if wanted is not None and batch.shape[1:3] == [*wanted]:
        return images  # type: ignore[no-any-return]
    resized = _METHODS[method](batch, size, align_corners)
    return resized if images.shape.rank == 4 else resized[0]

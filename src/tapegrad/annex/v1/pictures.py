"""``tf.compat.v1.image``: pictures in other sizes, by the first conventions for where pixels lie."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.annex.v1 import functions
from tapegrad.core import Tensor, public
from tapegrad.ops.elementwise.rounding import round as tf_round
from tapegrad.ops.image.resize import batched
from tapegrad.ops.reduce.reduce import reduce_min
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import convert_to_tensor
from tapegrad.ops.shape.shapes import get_static_value, shape

PUBLIC = {"compat.v1.image": "ResizeMethod=ResizeMethodV1 resize resize_images=resize"}


class ResizeMethodV1:
    """How pixels between those of a picture are computed."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


METHODS = {
    ResizeMethodV1.BILINEAR: "resize_bilinear",
    ResizeMethodV1.NEAREST_NEIGHBOR: "resize_nearest_neighbor",
    ResizeMethodV1.BICUBIC: "resize_bicubic",
    ResizeMethodV1.AREA: "resize_area",
    "bilinear": "resize_bilinear",
    "nearest": "resize_nearest_neighbor",
    "bicubic": "resize_bicubic",
    "area": "resize_area",
}
"""The functions of the methods, which are rows of `functions`."""


@public
def resize(
    images: Any,
    size: Any,
    method: Any = ResizeMethodV1.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """A picture, or a batch of them, in another size. One that has it already is left as it is.

    >>> tf.compat.v1.image.resize(tf.ones([1, 2, 2, 3]), [4, 6]).shape
    TensorShape([1, 4, 6, 3])

    Args:
        images: [height, width, channels], or [batch, height, width, channels].
        size: height and width of the result, two int32.
        method: a constant of `tf.compat.v1.image.ResizeMethod`, or its name in lower letters: ``"bilinear"``,
            ``"nearest"``, ``"bicubic"`` or ``"area"``.
        align_corners: whether the middles of the pixels in the corners keep their places; otherwise the upper
            left corner of the picture does.
        preserve_aspect_ratio: whether the result is the largest within ``size`` that has the proportions of
            ``images``.

    Raises:
        ValueError: ``images`` has no 3 or 4 axes, ``size`` is no pair of int32, or ``method`` is no method.
    """
    batch, was_batch = batched(images, "images")
    size = convert_to_tensor(size)
    if size.shape != [2]:
        raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
    if size.dtype != dtypes.int32:
        raise ValueError("'size' must be a 1-D int32 Tensor")
    if method not in METHODS:
        raise ValueError(f"Resize method is not implemented: {method}")
    before = shape(batch)[1:3]
    if preserve_aspect_ratio:
        scale = reduce_min(cast(size, dtypes.float32) / cast(before, dtypes.float32))
        size = cast(tf_round(scale * cast(before, dtypes.float32)), dtypes.int32)
    wanted = get_static_value(size)
    if wanted is not None and batch.shape[1:3] == [*wanted]:
        resized = batch
    else:
        resized = getattr(functions, METHODS[method])(batch, size, align_corners)
    return resized if was_batch else resized[0]

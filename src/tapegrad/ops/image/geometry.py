"""Pieces of pictures: boxes cropped and resampled, all patches of a given size, and glimpses."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, Tensor, convert, no_recording
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import is_unknown
from tapegrad.errors import refuse
from tapegrad.ops.args import check_size, static_bool, static_ints
from tapegrad.ops.batching import all_spread, apart, end_to_end, rows
from tapegrad.ops.elementwise import math
from tapegrad.ops.indexing import gather
from tapegrad.ops.indexing.numbered import numbered
from tapegrad.ops.op import BOOL, NUMERIC, REAL, op
from tapegrad.ops.reduce import reduce
from tapegrad.ops.shape import casts, joining
from tapegrad.ops.shape_rules import Abstract, like, shaped

PUBLIC = {
    ". compat.v1": "extract_volume_patches",
    "image": "crop_and_resize extract_glimpse extract_patches",
}


SINGLE = frozenset({dtypes.float32})
INT32 = frozenset({dtypes.int32})

Shape = tuple[int, ...]


# Boxes cropped and resampled


class Grid(NamedTuple):
    """The positions of each crop's pixels in the picture, along one axis."""

    below: Any
    upper: Any
    beyond: Any
    """How far from ``below`` to ``upper``."""
    inside: Any


def unit_steps(count: int) -> Any:
    """``count`` even steps from 0 to 1. A single step is in the middle."""
    return np.linspace(0, 1, count, dtype=np.float32) if count > 1 else np.full(1, 0.5, np.float32)


@op("_BoxSteps", outputs=("back", "forth"))
def box_steps(xp, *, size, count):
    """For ``count`` pixels along a box, the weights of the box's begin and end in each pixel's position."""
    steps = unit_steps(count)
    return (size - 1) * (1 - steps), (size - 1) * steps


box_steps.shape(lambda count: [Abstract([count], dtypes.float32)] * 2)
box_steps.no_gradient()


def box_positions(begin: Tensor, end: Tensor, size: int, count: int) -> Tensor:
    """`box_places` computed with ops, so that gradients flow through it."""
    back, forth = box_steps.apply([], (2, count))
    # Times the size last: the mean of two large coordinates is often finite where the positions are not.
    return (begin * back + end * forth) * float(size - 1)


def box_places(begin: Any, end: Any, size: int, count: int) -> Any:
    """The positions of ``count`` pixels from ``begin`` to ``end``, both columns of fractions of ``size``."""
    # This is TensorFlow's order of operations. It decides whether the last pixel is still inside.
    if count > 1:
        step = (end - begin) * np.float32(size - 1) / np.float32(count - 1)
        return begin * np.float32(size - 1) + np.arange(count, dtype=np.float32) * step
    return np.float32(0.5) * (begin + end) * np.float32(size - 1)


def box_grid(boxes: Any, axis: int, size: int, count: int) -> Grid:
    places = box_places(boxes[:, axis, None], boxes[:, axis + 2, None], size, count)
    inside = (places >= 0) & (places <= size - 1)
    places = np.where(inside, places, 0)
    below = np.floor(places).astype(np.int64)
    upper = np.ceil(places).astype(np.int64)
    return Grid(below, upper, (places - below).astype(np.float32), inside)


def rounded(grid: Grid) -> Any:
    return np.where(grid.beyond < 0.5, grid.below, grid.upper)


def crop_method(value: Any) -> str:
    method = value.decode() if isinstance(value, bytes) else value
    if method not in ("bilinear", "nearest"):
        refuse(f"method must be 'bilinear' or 'nearest', not {value!r}.")
    return method


def check_boxes(image_shape: Shape, boxes: Any, box_indices: Any) -> None:
    if len(image_shape) != 4:
        refuse(f"image must be 4-D; its shape is {list(image_shape)}.")
    if min(image_shape[1:3]) < 1:
        refuse(f"image dimensions must be positive; its shape is {list(image_shape)}.")
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        refuse(f"boxes must be a matrix with 4 columns; their shape is {list(boxes.shape)}.")
    if box_indices.shape != boxes.shape[:1]:
        refuse(
            "box_indices must have one element for each box: "
            f"shapes {list(box_indices.shape)} and {list(boxes.shape)} came."
        )
    if not np.isfinite(boxes).all():
        refuse("Boxes contains at least one element that is not finite.")
    if ((box_indices < 0) | (box_indices >= image_shape[0])).any():
        refuse(
            f"box_indices has values outside [0, {image_shape[0]}).", error=errors.OutOfRangeError
        )


def crop_shape(boxes: Any, crop_size: Shape, depth: int) -> Shape:
    if len(crop_size) != 2:
        refuse(f"crop_size must have two elements, not {len(crop_size)}.")
    if min(crop_size) < 1:
        refuse(f"crop dimensions must be positive; {list(crop_size)} came.")
    return check_size((len(boxes), *crop_size, depth))


def corners(rows: Grid, columns: Grid) -> list[tuple[Any, Any, Any]]:
    """The row, column and weight of each of the four pixels around each pixel of the crops."""
    y, x = rows.beyond[:, :, None], columns.beyond[:, None, :]
    return [
        (rows.below, columns.below, (1 - y) * (1 - x)),
        (rows.below, columns.upper, (1 - y) * x),
        (rows.upper, columns.below, y * (1 - x)),
        (rows.upper, columns.upper, y * x),
    ]


def weighted_pixels(rows: Grid, columns: Grid, method: str) -> list[tuple[Any, Any, Any]]:
    if method == "nearest":
        return [(rounded(rows), rounded(columns), np.ones((), np.float32))]
    return corners(rows, columns)


@op(
    "CropAndResize",
    dtypes={
        "image": REAL - {dtypes.bfloat16, dtypes.uint32, dtypes.uint64},
        "boxes": SINGLE,
        "box_indices": INT32,
    },
    convert={"crop_size": static_ints, "method": crop_method, "extrapolation_value": float},
    raw=("image", "boxes", "box_ind", "crop_size", "method", "extrapolation_value"),
    values="errors",
)
def crop_and_resize_op(
    xp, image, boxes, box_indices, *, crop_size, method="bilinear", extrapolation_value=0.0
):
    check_boxes(image.shape, boxes, box_indices)
    shape = crop_shape(boxes, crop_size, image.shape[3])
    if 0 in shape:
        return xp.zeros(shape, xp.float32)
    rows = box_grid(boxes, 0, image.shape[1], crop_size[0])
    columns = box_grid(boxes, 1, image.shape[2], crop_size[1])
    places = box_indices[:, None, None]
    out = xp.zeros(shape, xp.float32)
    for y, x, weight in weighted_pixels(rows, columns, method):
        pixels = image[places, y[:, :, None], x[:, None, :]].astype(xp.float32, copy=False)
        out += pixels * weight[..., None]
    inside = rows.inside[:, :, None] & columns.inside[:, None, :]
    return xp.where(inside[..., None], out, xp.float32(extrapolation_value))


@crop_and_resize_op.shape
def crop_and_resize_shape(image, boxes, crop_size):
    return Abstract((boxes.shape[0], *crop_size, image.shape[3]), dtypes.float32)


@op(
    "CropAndResizeGradImage",
    dtypes={"grads": SINGLE, "boxes": SINGLE, "box_indices": INT32},
    convert={"image_size": static_ints, "T": dtypes.as_dtype, "method": crop_method},
    raw=("grads", "boxes", "box_ind", "image_size", "T", "method"),
    linear="grads",
    values="errors",
)
def crop_and_resize_by_image(xp, grads, boxes, box_indices, *, image_size, T, method="bilinear"):
    check_boxes(image_size, boxes, box_indices)
    if grads.ndim != 4 or grads.shape[0] != len(boxes) or grads.shape[3] != image_size[3]:
        refuse(
            f"grads of shape {list(grads.shape)} do not suit {len(boxes)} boxes of an image "
            f"of shape {list(image_size)}."
        )
    batch, height, width, depth = check_size(image_size)
    flat = xp.zeros((batch * height * width, depth))
    if grads.size:
        rows = box_grid(boxes, 0, height, grads.shape[1])
        columns = box_grid(boxes, 1, width, grads.shape[2])
        inside = rows.inside[:, :, None] & columns.inside[:, None, :]
        first = box_indices[:, None, None].astype(xp.int64) * height
        for y, x, weight in weighted_pixels(rows, columns, method):
            places = ((first + y[:, :, None]) * width + x[:, None, :]).reshape(-1)
            parts = (grads * (weight * inside)[..., None]).reshape(-1, depth)
            for channel in range(depth):
                flat[:, channel] += xp.bincount(places, parts[:, channel], len(flat))
    return flat.reshape(image_size).astype(T.numpy_dtype)


crop_and_resize_by_image.shape(shaped("image_size", "T"))


def crops_by_image(dy, image_shape, image_dtype, boxes, box_indices, method):
    if not image_dtype.is_floating:
        return None
    return crop_and_resize_by_image(
        dy, boxes, box_indices, image_size=image_shape, T=image_dtype, method=method
    )


def crops_by_boxes(dy, image, boxes, box_indices):
    """The gradient of the boxes: by the slopes between the pixels around each pixel of a crop.

    As in TensorFlow, these are the slopes of bilinear crops, whatever the method.
    """
    _, count_y, count_x, _ = dy._shape_tuple()
    _, height, width, _ = image._shape_tuple()
    image = casts.cast(image, dtypes.float32)
    # The four pixels are tensors, so that gradients of this gradient reach the image and the boxes.
    *around, first_row, first_column, inside = pixels_around(
        boxes, box_indices, (height, width), (count_y, count_x)
    )
    near, right, below, across = (gather.gather_nd(image, places) for places in around)
    beyond_y = box_positions(boxes[:, 0:1], boxes[:, 2:3], height, count_y) - first_row
    beyond_x = box_positions(boxes[:, 1:2], boxes[:, 3:4], width, count_x) - first_column
    dy = dy * inside
    down = (below - near) + ((across - right) - (below - near)) * beyond_x[:, None, :, None]
    over = (right - near) + ((across - below) - (right - near)) * beyond_y[:, :, None, None]
    # Pixels outside count nothing, not even where their positions are infinite.
    by_y = reduce.reduce_sum(math.multiply_no_nan(down, dy), axis=(2, 3))
    by_x = reduce.reduce_sum(math.multiply_no_nan(over, dy), axis=(1, 3))
    first_y, last_y = ends(by_y, height, count_y)
    first_x, last_x = ends(by_x, width, count_x)
    return joining.stack([first_y, first_x, last_y, last_x], 1)


@op(
    "_PixelsAround",
    dtypes={"boxes": SINGLE, "box_indices": INT32},
    outputs=("near", "right", "below", "across", "first_row", "first_column", "inside"),
    values="elements",
)
def pixels_around(xp, boxes, box_indices, *, size, counts):
    """The indices of the four pixels around each pixel of the crops, their first row and column as numbers,
    and 1 for pixels of the crops that lie inside the picture, 0 for others."""
    rows = box_grid(boxes, 0, size[0], counts[0])
    columns = box_grid(boxes, 1, size[1], counts[1])
    places = box_indices[:, None, None].astype(np.int64)
    around = [
        xp.stack(xp.broadcast_arrays(places, y[:, :, None], x[:, None, :]), -1)
        for y, x, _ in corners(rows, columns)
    ]
    inside = (rows.inside[:, :, None] & columns.inside[:, None, :])[..., None]
    return *around, *(part.astype(np.float32) for part in (rows.below, columns.below, inside))


pixels_around.no_gradient(constant=True)


def ends(by_places: Tensor, size: int, count: int) -> tuple[Tensor, Tensor]:
    """The gradients of a box's begin and end, given those of the positions in between."""
    back, forth = box_steps.apply([], (size, count))
    return reduce.reduce_sum(by_places * back, axis=1), reduce.reduce_sum(by_places * forth, axis=1)


def image_by_grads(dy, boxes, box_indices, grads_shape, method):
    return crop_and_resize_op(
        casts.cast(dy, dtypes.float32),
        boxes,
        box_indices,
        crop_size=grads_shape[1:3],
        method=method,
    )


def image_by_boxes(dy, grads, boxes, box_indices):
    # dy . back(grads) = crops(dy) . grads, so this is the rule of the crops with dy and grads exchanged.
    return crops_by_boxes(grads, casts.cast(dy, dtypes.float32), boxes, box_indices)


crop_and_resize_op.gradient(image=crops_by_image, boxes=crops_by_boxes, box_indices=lambda dy: None)


@crop_and_resize_op.batching
def crops_rule(items, image, boxes, box_indices, *attributes):
    image, boxes, places = all_spread(items, [image, boxes, box_indices])
    return apart(
        items,
        items.run(
            end_to_end(image),
            end_to_end(boxes),
            end_to_end(numbered(items, places, image.shape[1])),
        ),
    )


crop_and_resize_by_image.gradient(
    grads=image_by_grads, boxes=image_by_boxes, box_indices=lambda dy: None
)


@crop_and_resize_by_image.batching
def image_by_crops_rule(items, grads, boxes, box_indices, image_size, T, method):
    grads, boxes, places = all_spread(items, [grads, boxes, box_indices])
    places = end_to_end(numbered(items, places, image_size[0]))
    size = (items.size * image_size[0], *image_size[1:])
    return apart(items, items.run(end_to_end(grads), end_to_end(boxes), places, image_size=size))


@op(
    "CropAndResizeGradBoxes",
    dtypes={
        "grads": SINGLE,
        "image": REAL - {dtypes.bfloat16, dtypes.uint32, dtypes.uint64},
        "boxes": SINGLE,
        "box_indices": INT32,
    },
    convert={"method": crop_method},
    raw=("grads", "image", "boxes", "box_ind", "method"),
    values="errors",
)
def crop_and_resize_by_boxes(xp, grads, image, boxes, box_indices, *, method="bilinear"):
    check_boxes(image.shape, boxes, box_indices)
    if grads.ndim != 4 or (grads.shape[0], grads.shape[3]) != (len(boxes), image.shape[3]):
        refuse(f"grads of shape {list(grads.shape)} do not suit the boxes and the image.")
    with no_recording():
        tensors = [EagerTensor(array) for array in (grads, image, boxes, box_indices)]
        return crops_by_boxes(*tensors)._array


crop_and_resize_by_boxes.shape(like("boxes"))


@composition
def crop_and_resize(
    image: Any,
    boxes: Any,
    box_indices: Any,
    crop_size: Any,
    method: str = "bilinear",
    extrapolation_value: Any = 0.0,
    name: str | None = None,
) -> Tensor:
    """Boxes of pictures, each resampled to ``crop_size``, in float32.

    >>> x = tf.constant([[[[0.0], [1.0]], [[2.0], [3.0]]]])
    >>> tf.image.crop_and_resize(x, [[0.0, 0.0, 0.5, 1.0]], [0], [2, 2]).numpy()[0, :, :, 0]
    array([[0., 1.],
           [1., 2.]], dtype=float32)

    Args:
        image: pictures of (batch, height, width, channels).
        boxes: rows of [y1, x1, y2, x2], from 0 at the center of the first pixel to 1 at that of the last. If
            y1 > y2, the crop is upside down.
        box_indices: the picture of the batch to which each box belongs.
        crop_size: [height, width] of the results.
        method: "bilinear" or "nearest".
        extrapolation_value: the value of pixels outside the picture.
    """
    return crop_and_resize_op(
        image,
        convert(boxes, dtypes.float32),
        convert(box_indices, dtypes.int32),
        crop_size,
        method=method,
        extrapolation_value=extrapolation_value,
    )


# Patches


class Patches(NamedTuple):
    """The patches of an input, with one entry for each of its spatial axes."""

    sizes: Shape
    strides: Shape
    rates: Shape
    before: Shape
    after: Shape
    counts: Shape

    def slices(self, offset: Shape) -> tuple[Any, ...]:
        """The slices of the padded input that hold the pixels at ``offset`` in their patches."""
        return (
            slice(None),
            *(
                slice(o * rate, o * rate + (count - 1) * stride + 1, stride)
                for o, rate, count, stride in zip(
                    offset, self.rates, self.counts, self.strides, strict=True
                )
            ),
        )


def patches_of(shape: Shape, ksizes: Shape, strides: Shape, rates: Shape, padding: str) -> Patches:
    counts = counts_of(shape, ksizes, strides, rates, padding)
    before, after = [], []
    for size, patch, stride, rate, count in zip(
        shape[1:-1], ksizes[1:-1], strides[1:-1], rates[1:-1], counts, strict=True
    ):
        reach = patch + (patch - 1) * (rate - 1)
        missing = max((count - 1) * stride + reach - size, 0) if padding == "SAME" else 0
        before.append(missing // 2)
        after.append(missing - missing // 2)
    return Patches(
        ksizes[1:-1], strides[1:-1], rates[1:-1], tuple(before), tuple(after), tuple(counts)
    )


def counts_of(shape: Shape, ksizes: Shape, strides: Shape, rates: Shape, padding: str) -> Shape:
    """How many patches there are along each axis but the first and the last. The sizes may be open."""
    rank = len(ksizes)
    if len(shape) != rank:
        refuse(f"input must be {rank}-dimensional; its shape is {list(shape)}.")
    counts = []
    for size, patch, stride, rate in zip(
        shape[1:-1], ksizes[1:-1], strides[1:-1], rates[1:-1], strict=True
    ):
        reach = patch + (patch - 1) * (rate - 1)
        count = -(-size // stride) if padding == "SAME" else (size - reach + stride) // stride
        if not is_unknown(count) and count < 0:
            refuse(f"Patches that reach over {reach} do not fit into {size}.")
        counts.append(count)
    return tuple(counts)


def shape_of_patches(
    shape: Shape, ksizes: Shape, strides: Shape, rates: Shape, padding: str
) -> Shape:
    counts = counts_of(shape, ksizes, strides, rates, padding)
    return (shape[0], *counts, prod(ksizes[1:-1]) * shape[-1])


def patch_numbers(rank: int, name: str) -> Any:
    """A converter for an attribute with a number for each axis, which is 1 for the batch and the depth."""

    def read(value: Any) -> Shape:
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"{name} must be a list of {rank} integers, not {value!r}.")
        numbers = static_ints(value)
        if len(numbers) != rank:
            refuse(f"{name} must have {rank} elements; {list(numbers)} came.")
        if min(numbers) < 1 or max(numbers) >= 2**31:
            refuse(f"{name} is out of range: {list(numbers)}.", error=errors.OutOfRangeError)
        if numbers[0] != 1 or numbers[-1] != 1:
            refuse(
                f"{name} must be 1 for batch and depth; {list(numbers)} came.",
                error=errors.UnimplementedError,
            )
        return numbers

    return read


def patch_padding(value: Any) -> str:
    padding = value.decode() if isinstance(value, bytes) else value
    if padding not in ("SAME", "VALID"):
        refuse(f"padding must be 'SAME' or 'VALID', not {value!r}.")
    return padding


def cut_patches(xp: Any, values: Any, how: Patches) -> Any:
    depth = values.shape[-1]
    shape = check_size(
        (values.shape[0], *how.counts, int(np.prod(how.sizes, dtype=object)) * depth)
    )
    if 0 in shape:
        return xp.zeros(shape, values.dtype)
    around = [(0, 0), *zip(how.before, how.after, strict=True), (0, 0)]
    check_size(tuple([size + sum(pair) for size, pair in zip(values.shape, around, strict=True)]))
    out = xp.empty(shape, values.dtype)
    padded = xp.pad(values, around)
    for place, offset in enumerate(itertools.product(*map(range, how.sizes))):
        out[..., place * depth : (place + 1) * depth] = padded[how.slices(offset)]
    return out


def sum_patches(xp: Any, patches: Any, shape: Shape, how: Patches) -> Any:
    """The transpose of `cut_patches`: each pixel is the sum of its copies in the patches."""
    depth = shape[-1]
    inner = [size + b + a for size, b, a in zip(shape[1:-1], how.before, how.after, strict=True)]
    padded = xp.zeros(check_size((shape[0], *inner, depth)), patches.dtype)
    if patches.size:
        for place, offset in enumerate(itertools.product(*map(range, how.sizes))):
            padded[how.slices(offset)] += patches[..., place * depth : (place + 1) * depth]
    middle = [slice(b, b + size) for size, b in zip(shape[1:-1], how.before, strict=True)]
    return padded[(slice(None), *middle)]


@op(
    "ExtractImagePatches",
    dtypes=NUMERIC | BOOL,
    convert={
        "sizes": patch_numbers(4, "sizes"),
        "strides": patch_numbers(4, "strides"),
        "rates": patch_numbers(4, "rates"),
        "padding": patch_padding,
    },
    raw=("images", "ksizes", "strides", "rates", "padding"),
    linear="images",
)
def extract_patches(xp, images, *, sizes, strides, rates, padding):
    """Patches of pictures, each as one long depth: (batch, rows, columns, height * width * depth).

    >>> x = tf.reshape(tf.range(9), [1, 3, 3, 1])
    >>> tf.image.extract_patches(x, sizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1],
    ...                          padding="VALID").numpy()[0, 0]
    array([[0, 1, 3, 4],
           [1, 2, 4, 5]], dtype=int32)

    Args:
        images: pictures of (batch, rows, columns, depth).
        sizes: [1, height, width, 1] of the patches.
        strides: [1, rows, columns, 1] from each patch to the next.
        rates: [1, rows, columns, 1] from each pixel of a patch to the next.
        padding: "VALID" for patches inside the picture only, "SAME" for zeros around the picture.
    """
    return cut_patches(xp, images, patches_of(images.shape, sizes, strides, rates, padding))


@extract_patches.shape
def patches_shape(images, sizes, strides, rates, padding):
    return shape_of_patches(images.shape, sizes, strides, rates, padding)


@op("_SumPatches", dtypes=NUMERIC, linear="patches")
def sum_patches_op(xp, patches, *, shape, sizes, strides, rates, padding):
    return sum_patches(xp, patches, shape, patches_of(shape, sizes, strides, rates, padding))


sum_patches_op.shape(shaped())


def sum_patches_gradient(dy, sizes, strides, rates, padding):
    if len(sizes) == 4:
        return extract_patches(dy, list(sizes), list(strides), list(rates), padding)
    return extract_volume_patches(dy, list(sizes), list(strides), padding)


def extract_patches_gradient(dy, images_shape, sizes, strides, rates, padding):
    return sum_patches_op(dy, images_shape, sizes, strides, rates, padding)


extract_patches.gradient(images=extract_patches_gradient)
extract_patches.batching(rows())
sum_patches_op.gradient(patches=sum_patches_gradient)
sum_patches_op.batching(rows(sizes=("shape",)))


@op(
    "ExtractVolumePatches",
    dtypes=REAL,
    convert={
        "ksizes": patch_numbers(5, "ksizes"),
        "strides": patch_numbers(5, "strides"),
        "padding": patch_padding,
    },
    linear="input",
)
def extract_volume_patches(xp, input, *, ksizes, strides, padding):
    """Patches of volumes, each as one long depth."""
    return cut_patches(xp, input, patches_of(input.shape, ksizes, strides, (1,) * 5, padding))


@extract_volume_patches.shape
def volume_patches_shape(input, ksizes, strides, padding):
    return shape_of_patches(input.shape, ksizes, strides, (1,) * 5, padding)


def extract_volume_patches_gradient(dy, input_shape, ksizes, strides, padding):
    return sum_patches_op(dy, input_shape, ksizes, strides, (1,) * 5, padding)


extract_volume_patches.gradient(input=extract_volume_patches_gradient)
extract_volume_patches.batching(rows())


# Glimpses


def glimpse_noise(value: Any) -> str:
    noise = value.decode() if isinstance(value, bytes) else value
    if noise not in ("uniform", "gaussian", "zero"):
        refuse(f"noise must be 'uniform', 'gaussian' or 'zero', not {value!r}.")
    return noise


def glimpse_corners(
    shape: Shape, size: Shape, offsets: Any, centered: bool, normalized: bool
) -> list[tuple[int, int]]:
    """The positions at which the glimpses begin."""
    if len(shape) != 4:
        refuse(f"input must be 4-dimensional; its shape is {list(shape)}.")
    if len(size) != 2 or min(size) < 0:
        refuse(f"size must be a height and a width; {list(size)} came.")
    if offsets.shape != (shape[0], 2):
        refuse(
            f"offsets must have a row of two for each of the {shape[0]} pictures; "
            f"their shape is {list(offsets.shape)}."
        )
    if not np.isfinite(offsets).all():
        refuse("offsets must be finite.")
    whole, part = np.array(shape[1:3], np.float64), np.array(size, np.float64)
    places = offsets.astype(np.float64)
    if normalized:
        places = places * whole
        if centered:
            # Normalized offsets go from -1 to 1 around the middle, and point to the middle of the glimpse.
            places = (places + whole - part) / 2
    elif centered:
        places = places + whole / 2
    largest = 2.0**40
    return [tuple(row) for row in np.trunc(np.clip(places, -largest, largest)).astype(int).tolist()]


def overlap(shape: Shape, size: Shape, corner: Sequence[int]) -> tuple[Any, Any]:
    """The part of a picture inside a glimpse: its slices in the picture, and in the glimpse."""
    inner, outer = [], []
    for length, part, begin in zip(shape[1:3], size, corner, strict=True):
        first, last = min(max(begin, 0), length), min(max(begin + part, 0), length)
        inner.append(slice(first, last))
        outer.append(slice(first - begin, last - begin) if last > first else slice(0, 0))
    return tuple(inner), tuple(outer)


@op(
    "ExtractGlimpseV2",
    dtypes={"input": SINGLE, "offsets": SINGLE},
    convert={
        "size": static_ints,
        "centered": static_bool,
        "normalized": static_bool,
        "noise": glimpse_noise,
    },
    raw=("input", "offsets", "size", "centered", "normalized", "uniform_noise", "noise"),
    effect="draws",  # of no stream: the noise has no seed, as in TensorFlow
    values="errors",
)
def extract_glimpse_op(
    xp, input, offsets, *, size, centered=True, normalized=True, uniform_noise=True, noise="uniform"
):
    corners = glimpse_corners(input.shape, size, offsets, centered, normalized)
    out = xp.zeros(check_size((input.shape[0], *size, input.shape[3])), xp.float32)
    generator = np.random.default_rng()
    for picture, glimpse, corner in zip(input, out, corners, strict=True):
        inner, outer = overlap(input.shape, size, corner)
        if noise != "zero" and picture.size and picture[inner].size < glimpse.size:
            if noise == "uniform":
                glimpse[...] = generator.uniform(picture.min(), picture.max(), glimpse.shape)
            else:
                glimpse[...] = generator.normal(picture.mean(), picture.std(), glimpse.shape)
        if picture[inner].size:
            glimpse[outer] = picture[inner]
    return out


extract_glimpse_op.shape(
    lambda input, size: Abstract((input.shape[0], *size, input.shape[3]), dtypes.float32)
)


@op("_PlaceGlimpse", dtypes=SINGLE, linear="glimpses", values="errors")
def place_glimpse(xp, glimpses, offsets, *, shape, size, centered, normalized):
    """Pictures of ``shape``, black except for the glimpses, each at the position it would be taken from."""
    corners = glimpse_corners(shape, size, offsets, centered, normalized)
    out = xp.zeros(shape, xp.float32)
    for picture, glimpse, corner in zip(out, glimpses, corners, strict=True):
        inner, outer = overlap(shape, size, corner)
        if picture[inner].size:
            picture[inner] = glimpse[outer]
    return out


place_glimpse.shape(shaped(dtype=dtypes.float32))


# Both are linear, and each is the other's gradient. TensorFlow has no gradient here: it raises LookupError.


def glimpse_by_input(dy, input_shape, offsets, size, centered, normalized):
    return place_glimpse(dy, offsets, input_shape, size, centered, normalized)


def place_by_glimpses(dy, offsets, size, centered, normalized):
    return extract_glimpse_op(
        dy, offsets, size, centered=centered, normalized=normalized, noise="zero"
    )


extract_glimpse_op.gradient(input=glimpse_by_input, offsets=lambda dy: None)
extract_glimpse_op.batching(rows())
place_glimpse.gradient(glimpses=place_by_glimpses, offsets=lambda dy: None)
place_glimpse.batching(rows(sizes=("shape",)))


@composition
def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: Any = True,
    normalized: Any = True,
    noise: str = "uniform",
    name: str | None = None,
) -> Tensor:
    """A window of ``size`` from each picture, centered at ``offsets`` or beginning there.

    >>> x = tf.reshape(tf.range(9.0), [1, 3, 3, 1])
    >>> tf.image.extract_glimpse(x, [1, 2], [[0.0, 0.0]], centered=False).numpy()[0, :, :, 0]
    array([[0., 1.]], dtype=float32)

    Args:
        input: float32 pictures of (batch, height, width, channels).
        size: [height, width] of the window.
        offsets: (y, x) for each picture. Normalized offsets go from -1 to 1 if centered, where 0 puts the
            middle of the window in the middle of the picture, and otherwise from 0 to 1. Others count pixels.
        centered: whether offsets are those of the middle of the window, counted from the middle of the
            picture; else those of its upper left corner.
        normalized: whether offsets are parts of the picture's size; else they count pixels.
        noise: what the window shows outside the picture: "uniform" or "gaussian" noise like the picture's
            values, or "zero".

    Differs from TensorFlow: it has a gradient.
    """
    tensor: Tensor = convert(input)
    if tensor.dtype is not dtypes.float32 and not isinstance(input, Tensor):
        tensor = casts.cast(tensor, dtypes.float32)
    return extract_glimpse_op(
        tensor, offsets, size, centered=centered, normalized=normalized, noise=noise
    )

"""Pictures under a projective transform: turned, sheared, moved, in perspective."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.errors import refuse
from tapegrad.ops.args import check_size, static_ints
from tapegrad.ops.batching import apart, broadcast_to, end_to_end
from tapegrad.ops.op import REAL_FLOATING, op
from tapegrad.ops.shape_rules import shaped

PICTURES = REAL_FLOATING | {dtypes.uint8, dtypes.int32, dtypes.int64}
SINGLE = frozenset({dtypes.float32})

Shape = tuple[int, ...]


def one_of(*names: str) -> Any:
    """A converter for an attribute that is one of ``names``."""

    def read(value: Any) -> str:
        name = value.decode() if isinstance(value, bytes) else value
        if not isinstance(name, str) or name.upper() not in names:
            refuse(f"one of {', '.join(names)} was expected, not {value!r}.")
        return name.upper()

    return read


ATTRIBUTES = {
    "output_shape": static_ints,
    "interpolation": one_of("NEAREST", "BILINEAR"),
    "fill_mode": one_of("CONSTANT", "REFLECT", "WRAP", "NEAREST"),
}


def check_projection(images: Shape, transforms: Any, output_shape: Shape) -> None:
    problem = ""
    if len(images) != 4:
        problem = f"images must have rank 4, not the shape {list(images)}"
    elif transforms.ndim != 2 or transforms.shape[1] != 8:
        problem = f"transforms must be rows of 8 numbers, not of shape {list(transforms.shape)}"
    elif len(transforms) not in (1, images[0]):
        problem = f"transforms must be one, or one for each of the {images[0]} images; {len(transforms)} came"
    elif len(output_shape) != 2 or min(output_shape) <= 0:
        problem = f"output_shape must be two sizes above zero; {list(output_shape)} came"
    if problem:
        refuse(f"{problem}.")


class Source(NamedTuple):
    """A pixel that pixels of the result are made of: row, column, weight, and whether it exists."""

    rows: Any
    columns: Any
    weights: Any
    inside: Any


def sources(
    shape: Shape, transforms: Any, output_shape: Shape, interpolation: str, fill_mode: str
) -> list[Source]:
    """The sources of the result's pixels, each array of shape (transforms, height, width)."""
    height, width = shape[1:3]
    y, x = (np.arange(size, dtype=np.float32) for size in output_shape)
    y, x = y[:, None], x[None, :]
    a0, a1, a2, b0, b1, b2, c0, c1 = (column[:, None, None] for column in transforms.T)
    with np.errstate(all="ignore"):
        scale = c0 * x + c1 * y + np.float32(1)
        column = (a0 * x + a1 * y + a2) / scale
        row = (b0 * x + b1 * y + b2) / scale
    seen = (scale != 0) & np.isfinite(row) & np.isfinite(column)
    row = folded(np.where(seen, row, 0), height, fill_mode)
    column = folded(np.where(seen, column, 0), width, fill_mode)
    if interpolation == "NEAREST":
        return [source(half_up(row), half_up(column), 1.0, seen, shape)]
    top, left = np.floor(row), np.floor(column)
    down, right = row - top, column - left
    return [
        source(top, left, (1 - down) * (1 - right), seen, shape),
        source(top, left + 1, (1 - down) * right, seen, shape),
        source(top + 1, left, down * (1 - right), seen, shape),
        source(top + 1, left + 1, down * right, seen, shape),
    ]


def half_up(places: Any) -> Any:
    """The nearest whole numbers, with halves rounded away from zero."""
    return np.trunc(places + np.copysign(np.float32(0.5), places))


def source(rows: Any, columns: Any, weights: Any, seen: Any, shape: Shape) -> Source:
    height, width = shape[1:3]
    inside = seen & (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    return Source(
        np.where(inside, rows, 0).astype(np.int64),
        np.where(inside, columns, 0).astype(np.int64),
        np.broadcast_to(np.float32(weights), inside.shape),
        inside,
    )


def folded(places: Any, size: int, fill_mode: str) -> Any:
    """For positions outside the picture, those inside that show there: SciPy's modes, by their names."""
    if fill_mode == "CONSTANT":
        return places
    if size <= 1:
        return np.zeros_like(places)
    if fill_mode == "REFLECT":
        period = np.float32(2 * size)
        low = places + period * np.trunc(-places / period)
        low = np.where(low < -size, low + period, -low - 1)
        high = places - period * np.trunc(places / period)
        high = np.where(high >= size, period - high - 1, high)
        places = np.where(places < 0, low, np.where(places > size - 1, high, places))
    elif fill_mode == "WRAP":
        period = np.float32(size - 1)
        low = places + size * (np.trunc(-places / period) + 1)
        high = places - size * np.trunc(places / period)
        places = np.where(places < 0, low, np.where(places > size - 1, high, places))
    return np.clip(places, 0, size - 1).astype(np.float32)


def project(
    xp: Any, images: Any, transforms: Any, fill: Any, output_shape: Shape, how: tuple[str, str]
) -> Any:
    check_projection(images.shape, transforms, output_shape)
    shape = check_size((images.shape[0], *output_shape, images.shape[3]))
    if 0 in shape:
        return xp.zeros(shape, images.dtype)
    inner = xp.promote_types(images.dtype, xp.float32)
    out = xp.zeros(shape, inner)
    batch = xp.arange(shape[0])[:, None, None]
    for rows, columns, weights, inside in sources(images.shape, transforms, output_shape, *how):
        if images.size:
            pixels = images[batch, rows, columns].astype(inner, copy=False)
            out += xp.where(inside[..., None], pixels, fill) * weights[..., None]
        else:
            out += fill * weights[..., None]
    return cast_like(xp, out, images.dtype)


def cast_like(xp: Any, values: Any, dtype: Any) -> Any:
    if dtype.kind in "iu":
        limits = xp.iinfo(dtype)
        with np.errstate(invalid="ignore"):
            return xp.clip(values, limits.min, limits.max).astype(dtype)
    return values.astype(dtype, copy=False)


@op(
    "ImageProjectiveTransformV3",
    dtypes={"images": PICTURES, "transforms": SINGLE, "fill_value": SINGLE},
    convert=ATTRIBUTES,
    raw=("images", "transforms", "fill_value", "output_shape", "interpolation", "fill_mode"),
    linear="images fill_value",
    values="elements",
)
def project_op(
    xp, images, transforms, fill_value, *, output_shape, interpolation, fill_mode="CONSTANT"
):
    """Pictures whose pixel (x, y) is the input's at ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k).

    Here k = c0 x + c1 y + 1, and ``transforms`` are rows of a0, a1, a2, b0, b1, b2, c0, c1.
    """
    if fill_value.ndim:
        refuse("fill_value must be a scalar.")
    how = interpolation, fill_mode
    return project(xp, images, transforms, fill_value, output_shape, how)


project_op.shape(lambda images, output_shape: (images.shape[0], *output_shape, images.shape[3]))


@op(
    "ImageProjectiveTransformV2",
    dtypes={"images": PICTURES, "transforms": SINGLE},
    convert=ATTRIBUTES,
    linear="images",
    values="elements",
)
def project_on_black_op(
    xp, images, transforms, *, output_shape, interpolation, fill_mode="CONSTANT"
):
    how = interpolation, fill_mode
    return project(xp, images, transforms, xp.float32(0), output_shape, how)


project_on_black_op.shape(
    lambda images, output_shape: (images.shape[0], *output_shape, images.shape[3])
)


@op(
    "_ImageProjectiveTransformTransposed",
    dtypes={"images": REAL_FLOATING, "transforms": SINGLE},
    linear="images",
    values="elements",
)
def project_transposed_op(xp, images, transforms, *, shape, interpolation, fill_mode):
    """Pictures of ``shape``, in which each pixel is the weighted sum of the pixels that it went into."""
    batch, height, width, depth = shape
    flat = xp.zeros((check_size(shape[:3])[0] * height * width, depth))
    if images.size and flat.size:
        first = xp.arange(batch)[:, None, None] * height
        output_shape = images.shape[1:3]
        for rows, columns, weights, inside in sources(
            shape, transforms, output_shape, interpolation, fill_mode
        ):
            places = xp.broadcast_to((first + rows) * width + columns, images.shape[:3]).reshape(-1)
            parts = (images * (weights * inside)[..., None]).reshape(-1, depth)
            for channel in range(depth):
                flat[:, channel] += xp.bincount(places, parts[:, channel], len(flat))
    return flat.reshape(shape).astype(images.dtype)


project_transposed_op.shape(shaped())


# Both are linear, and each is the other's gradient. TensorFlow instead sends the gradient through the inverse
# transform, which is right only where that transform takes every pixel back to a single pixel.


def project_by_images(dy, images_shape, transforms, interpolation, fill_mode):
    return project_transposed_op(dy, transforms, images_shape, interpolation, fill_mode)


def transposed_by_images(dy, images_shape, transforms, interpolation, fill_mode):
    how = interpolation, fill_mode
    return project_on_black_op(dy, transforms, images_shape[1:3], *how)


project_op.gradient(
    images=project_by_images, transforms=lambda dy: None, fill_value=lambda dy: None
)
project_on_black_op.gradient(images=project_by_images, transforms=lambda dy: None)
project_transposed_op.gradient(images=transposed_by_images, transforms=lambda dy: None)


def pictures_rule(items, images, transforms, *others):
    """More pictures. One transform for all the pictures of an item is repeated for each of them."""
    images, transforms = items.spread(images, 0), items.spread(transforms, 1)
    sizes = (*images.shape[:2], transforms.shape[-1])
    if any(items.batched[2:]) or transforms.ndim != 3:
        return None
    arrays = [end_to_end(images), end_to_end(broadcast_to(transforms, sizes))]
    if items.op is project_op:
        arrays.append(others[0])
    changed = {}
    if items.op is project_transposed_op:
        changed["shape"] = (items.size * others[0][0], *others[0][1:])
    return apart(items, items.run(*arrays, **changed))


for operation in (project_op, project_on_black_op, project_transposed_op):
    operation.batching(pictures_rule)

"""How pictures are resampled: for every new row or column, the old ones that it mixes, and their weights.

These *taps* are a pair of arrays, indices and weights, with a row for each new row or column. All methods are
linear and treat rows and columns alike. So a method is fully given by its taps, and its gradient by the
transposed taps. As in TensorFlow, positions are computed in single precision: they decide between neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad.engines.numpy import resampling
from tapegrad.errors import refuse

Taps = tuple[np.ndarray, np.ndarray]

# Up to this many taps are added up one by one. For more, a matrix product is faster.
FEW_TAPS = 8


def step_between(new: int, old: int, align_corners: bool) -> np.float32:
    """The distance between new rows (or columns), measured in old ones."""
    if align_corners and new > 1:
        return np.float32(old - 1) / np.float32(new - 1)
    return np.float32(old) / np.float32(new)


def positions(new: int, old: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """The positions of the new rows (or columns) among the old ones."""
    step = step_between(new, old, align_corners)
    places = np.arange(new, dtype=np.float32)
    if half_pixel_centers:
        return (places + np.float32(0.5)) * step - np.float32(0.5)
    return places * step


def bilinear_taps(new: int, old: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    """The neighbours on both sides. The nearer one has more weight."""
    places = positions(new, old, align_corners, half_pixel_centers)
    below = np.floor(places)
    beyond = places - below
    indices = np.stack([below, np.ceil(places)], -1).astype(np.int64)
    return np.clip(indices, 0, old - 1), np.stack([1 - beyond, beyond], -1)


def nearest_taps(new: int, old: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    """The nearest one, or without half pixel centers the one below."""
    step = step_between(new, old, align_corners)
    places = np.arange(new, dtype=np.float32)
    if half_pixel_centers:
        chosen = np.floor((places + np.float32(0.5)) * step)
    elif align_corners:
        chosen = np.floor(places * step + np.float32(0.5))
    else:
        chosen = np.floor(places * step)
    indices = np.clip(chosen.astype(np.int64), 0, old - 1)
    return indices[:, None], np.ones((new, 1), np.float32)


def cubic_weights(distance: Any, sharpness: float) -> Any:
    """Keys' cubic function, for distances up to 2."""
    x, a = distance, sharpness
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, far)


def bicubic_taps(new: int, old: int, align_corners: bool, half_pixel_centers: bool) -> Taps:
    """The two neighbours on each side."""
    places = positions(new, old, align_corners, half_pixel_centers)
    below = np.floor(places)
    # TensorFlow looks the weights up in a table of 1024 steps, so distances are rounded to these steps.
    beyond = np.rint((places - below) * 1024)[:, None] / 1024
    offsets = np.array([-1, 0, 1, 2])
    wanted = below.astype(np.int64)[:, None] + offsets
    weights = cubic_weights(np.abs(beyond - offsets), -0.5 if half_pixel_centers else -0.75)
    indices = np.clip(wanted, 0, old - 1)
    if half_pixel_centers:
        # Taps outside the picture get weight 0 here. Otherwise they repeat the edge.
        weights = normalized(np.where(indices == wanted, weights, 0.0))
    return indices, weights.astype(np.float32)


def normalized(weights: Any) -> Any:
    """Rows divided by their sums. Rows of zeros are left unchanged."""
    total = weights.sum(-1, keepdims=True)
    small = np.abs(total) < 1000 * np.finfo(np.float32).tiny
    return np.where(small, 0.0, weights / np.where(small, 1.0, total))


def area_taps(new: int, old: int, align_corners: bool) -> Taps:
    """All old ones that the new one's area covers, weighted by how much of each it covers."""
    step = step_between(new, old, align_corners)
    if not step:
        return np.zeros((new, 1), np.int64), np.ones((new, 1), np.float32)
    starts = np.arange(new, dtype=np.float32) * step
    ends = np.arange(1, new + 1, dtype=np.float32) * step
    first = np.floor(starts).astype(np.int64)
    count = max(1, int((np.ceil(ends).astype(np.int64) - first).max()))
    indices = first[:, None] + np.arange(count)
    covered = np.minimum(indices + 1, ends[:, None]) - np.maximum(indices, starts[:, None])
    weights = np.maximum(covered, 0) / step
    return np.clip(indices, 0, old - 1), weights.astype(np.float32)


# Kernels of any width


def lanczos(radius: float) -> tuple[float, Callable[[Any], Any]]:
    def weights(x: Any) -> Any:
        x = np.abs(x)
        safe = np.where(x <= 1e-3, 1.0, x) * np.pi
        inside = radius * np.sin(safe) * np.sin(safe / radius) / (safe * safe)
        return np.where(x <= 1e-3, 1.0, np.where(x > radius, 0.0, inside))

    return radius, weights


def gaussian(x: Any) -> Any:
    return np.where(np.abs(x) >= 1.5, 0.0, np.exp(-2.0 * x * x))


def box(x: Any) -> Any:
    x = np.abs(x)
    return np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0.0))


def triangle(x: Any) -> Any:
    return np.maximum(1 - np.abs(x), 0.0)


def keys_cubic(x: Any) -> Any:
    x = np.abs(x)
    return np.where(x < 2, cubic_weights(x, -0.5), 0.0)


def mitchell_cubic(x: Any) -> Any:
    x = np.abs(x)
    near = (7 / 6 * x - 2) * x * x + 8 / 9
    far = ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x < 1, near, np.where(x < 2, far, 0.0))


KERNELS: dict[str, tuple[float, Callable[[Any], Any]]] = {
    "lanczos1": lanczos(1.0),
    "lanczos3": lanczos(3.0),
    "lanczos5": lanczos(5.0),
    "gaussian": (1.5, gaussian),
    "box": (1.0, box),
    "triangle": (1.0, triangle),
    "keyscubic": (2.0, keys_cubic),
    "mitchellcubic": (2.0, mitchell_cubic),
}


def kernel_taps(
    new: int, old: int, scale: float, translation: float, kernel_type: str, antialias: bool
) -> Taps:
    """All taps within reach of the kernel. With ``antialias`` its width is at least that of a new pixel."""
    radius, kernel = KERNELS[kernel_type]
    inverse = np.float32(1) / np.float32(scale)
    width = max(inverse, np.float32(1)) if antialias else np.float32(1)
    places = (np.arange(new, dtype=np.float32) + np.float32(0.5)) * inverse
    places = places - inverse * np.float32(translation)
    reach = np.float32(radius) * width
    with np.errstate(over="ignore"):
        outside = (places < 0) | (places > old)
    places = np.where(outside, np.float32(0), places)
    first = np.clip(np.ceil(places - reach - np.float32(0.5)), 0, old - 1).astype(np.int64)
    last = np.clip(np.floor(places + reach - np.float32(0.5)), 0, old - 1).astype(np.int64)
    count = int((last - first).max(initial=0)) + 1
    indices = first[:, None] + np.arange(count)
    weights = kernel((indices + np.float32(0.5) - places[:, None]) / width)
    weights = normalized(np.where((indices <= last[:, None]) & ~outside[:, None], weights, 0.0))
    return np.minimum(indices, old - 1), weights.astype(np.float32)


# Resampling with taps


def transposed(taps: Taps, old: int) -> Taps:
    """For each of the ``old`` rows or columns, the new ones that it goes into."""
    indices, weights = taps
    new = np.repeat(np.arange(len(indices)), indices.shape[1])
    used = weights.reshape(-1) != 0
    sources, targets, factors = indices.reshape(-1)[used], new[used], weights.reshape(-1)[used]
    order = np.argsort(sources, kind="stable")
    sources, targets, factors = sources[order], targets[order], factors[order]
    counts = np.bincount(sources, minlength=old)
    place = np.arange(len(sources)) - np.repeat(np.cumsum(counts) - counts, counts)
    width = max(1, int(counts.max(initial=0)))
    back = np.zeros((old, width), np.int64), np.zeros((old, width), np.float32)
    back[0][sources, place] = targets
    back[1][sources, place] = factors
    return back


def resample(xp: Any, images: Any, rows: Taps, columns: Taps) -> Any:
    """Pictures (batch, height, width, channels) with rows and columns combined as the taps say."""
    smaller_first = (1, rows), (2, columns)
    if len(columns[0]) * images.shape[1] < len(rows[0]) * images.shape[2]:
        smaller_first = (2, columns), (1, rows)
    for axis, taps in smaller_first:
        images = resample_axis(xp, images, axis, *taps)
    return images


def resample_axis(xp: Any, images: Any, axis: int, indices: Any, weights: Any) -> Any:
    new, count = indices.shape
    old = images.shape[axis]
    if count > FEW_TAPS:
        matrix = np.zeros((new, old), images.dtype)
        np.add.at(matrix, (np.arange(new)[:, None], indices), weights)
        if axis == 2:
            out = xp.matmul(matrix, images)
        else:
            rows = images.reshape(images.shape[0], old, images.shape[2] * images.shape[3])
            out = xp.matmul(matrix, rows).reshape(images.shape[0], new, *images.shape[2:])
        # The product multiplies NaN and infinity with zeros, which spoils results that they do not reach.
        if out.dtype.kind != "f" or xp.isfinite(out).all():
            return out
    weights = weights.astype(images.dtype, copy=False)
    out = resampling.weighted_rows(images, axis, indices, weights)
    if out is not None:
        return out
    if axis == 2:
        # The rows are made as long as possible: NumPy is several times slower on rows of three channels.
        depth = images.shape[3]
        indices = (indices[:, None] * depth + np.arange(depth)[:, None]).reshape(-1, count)
        flat = images.reshape(*images.shape[:2], old * depth)
        out = added_up(xp, flat, 2, indices, np.repeat(weights, depth, axis=0))
        return out.reshape(*images.shape[:2], new, depth)
    return added_up(xp, images, 1, indices, weights.reshape(new, count, 1, 1))


def added_up(xp: Any, values: Any, axis: int, indices: Any, weights: Any) -> Any:
    """The sum of a few slices along ``axis`` for each row of ``indices``; see `resample_axis`."""
    if weights.shape[1] == 1 and (weights == 1).all():
        return xp.take(values, indices[:, 0], axis)
    result = None
    for place in range(weights.shape[1]):
        term = xp.take(values, indices[:, place], axis)
        term *= weights[:, place]
        # A tap of weight 0 must add 0, even where zero times infinity would be NaN.
        unused = np.flatnonzero(weights[:, place] == 0)
        if len(unused):
            term[(slice(None),) * axis + (unused,)] = 0
        result = term if result is None else xp.add(result, term, out=result)
    return result


def check_image(shape: tuple[int, ...], size: tuple[int, ...]) -> None:
    """Raise unless a batch of pictures of ``shape`` can be resampled to ``size``."""
    problem = ""
    if len(shape) != 4:
        problem = f"images must be 4-D (batch, height, width, channels), not of shape {list(shape)}"
    elif len(size) != 2:
        problem = f"size must have two elements, height and width, not {len(size)}"
    elif min(size) < 1:
        problem = f"output dimensions must be positive; the size {list(size)} came"
    elif 0 in shape[1:3]:
        problem = f"images must be of non-zero size; their shape is {list(shape)}"
    elif not shape[3]:
        problem = "images must have at least one channel"
    if problem:
        refuse(f"{problem}.")

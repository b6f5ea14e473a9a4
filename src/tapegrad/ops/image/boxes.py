"""Boxes in pictures: keeping only the best of those that overlap, and drawing boxes.

Boxes are [y1, x1, y2, x2]. As in TensorFlow, nothing here has a gradient.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, public
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import minimum
from tapegrad.errors import refuse
from tapegrad.ops.args import check_size, static_bool, static_float, static_int
from tapegrad.ops.elementwise import conditions, logic, math
from tapegrad.ops.op import op
from tapegrad.ops.reduce.reduce import reduce_any
from tapegrad.ops.shape import array, casts, joining
from tapegrad.ops.shape_rules import Abstract

if TYPE_CHECKING:
    from tapegrad.framework.types import TensorLike

PUBLIC = {
    "image": "draw_bounding_boxes",
    "image compat.v1.image": (
        "combined_non_max_suppression non_max_suppression non_max_suppression_overlaps "
        "non_max_suppression_padded non_max_suppression_with_scores"
    ),
}


LOWEST = float("-inf")
HALF_OR_SINGLE = frozenset({dtypes.float16, dtypes.float32})
SINGLE = frozenset({dtypes.float32})


# Keeping the best boxes


def overlaps_with(box: Any, boxes: Any) -> Any:
    """The area that ``box`` shares with each of ``boxes``, divided by the area that both cover."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    least, most = np.minimum(box[:2], box[2:]), np.maximum(box[:2], box[2:])
    areas, area = (high - low).prod(-1), (most - least).prod()
    shared = np.maximum(np.minimum(high, most) - np.maximum(low, least), 0).prod(-1)
    covered = areas + area - shared
    flat = (areas <= 0) | (area <= 0)
    return np.where(flat, 0, shared / np.where(flat, 1, covered))


def best_boxes(
    scores: Any, count: int, limit: float, least: float, sigma: float, overlaps: Any
) -> tuple[Any, Any]:
    """Indices and scores of at most ``count`` boxes, the best first. Of equal ones the first comes first.

    A box that overlaps a better one by more than ``limit`` is dropped. If ``sigma`` is above 0, an overlap
    also lowers the score of the box: the larger the overlap, the lower the score.
    """
    left = np.array(scores, np.float32)
    alive = left > least
    chosen: list[int] = []
    kept: list[Any] = []
    while alive.any() and len(chosen) < count:
        best = int(np.argmax(np.where(alive, left, -np.inf)))
        chosen.append(best)
        kept.append(left[best])
        alive[best] = False
        shared = overlaps(best)
        if sigma > 0:
            left = left * np.exp(-0.5 / sigma * shared * shared)
            alive &= left > least
        else:
            alive &= ~(shared > limit)
    return np.array(chosen, np.int32), np.array(kept, np.float32)


def check_candidates(boxes: Any, scores: Any, count: Any, limit: Any) -> None:
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        refuse(f"boxes must be a matrix with 4 columns; their shape is {list(boxes.shape)}.")
    check_selection(scores, len(boxes), count, limit)


def check_selection(scores: Any, boxes: int, count: int, limit: float) -> None:
    if scores.shape != (boxes,):
        refuse(
            f"scores must have one element for each of the {boxes} boxes; "
            f"their shape is {list(scores.shape)}."
        )
    if count < 0:
        refuse(f"max_output_size must be at least 0, not {count}.")
    if not 0 <= limit <= 1:
        refuse(f"iou_threshold must be in [0, 1], not {limit}.")


NUMBERS = {
    "max_output_size": static_int,
    "iou_threshold": static_float,
    "score_threshold": static_float,
    "soft_nms_sigma": static_float,
    "pad_to_max_output_size": static_bool,
}


def some(*names: str) -> dict[str, Any]:
    return {name: NUMBERS[name] for name in names}


@op(
    "NonMaxSuppressionV3",
    dtypes=HALF_OR_SINGLE,
    convert=some("max_output_size", "iou_threshold", "score_threshold"),
)
def non_max_suppression_op(xp, boxes, scores, *, max_output_size, iou_threshold, score_threshold):
    check_candidates(boxes, scores, max_output_size, iou_threshold)
    boxes = boxes.astype(xp.float32)
    return best_boxes(
        scores,
        max_output_size,
        iou_threshold,
        score_threshold,
        0.0,
        lambda i: overlaps_with(boxes[i], boxes),
    )[0]


non_max_suppression_op.shape(lambda: Abstract([None], dtypes.int32))


@op(
    "NonMaxSuppressionV4",
    dtypes=HALF_OR_SINGLE,
    convert=some("max_output_size", "iou_threshold", "score_threshold", "pad_to_max_output_size"),
    outputs=("selected_indices", "valid_outputs"),
)
def non_max_suppression_padded_op(
    xp,
    boxes,
    scores,
    *,
    max_output_size,
    iou_threshold,
    score_threshold,
    pad_to_max_output_size=False,
):
    check_candidates(boxes, scores, max_output_size, iou_threshold)
    boxes = boxes.astype(xp.float32)
    chosen, _ = best_boxes(
        scores,
        max_output_size,
        iou_threshold,
        score_threshold,
        0.0,
        lambda i: overlaps_with(boxes[i], boxes),
    )
    missing = max_output_size - len(chosen) if pad_to_max_output_size else 0
    return xp.pad(chosen, (0, missing)), xp.array(len(chosen), xp.int32)


non_max_suppression_padded_op.shape(
    lambda max_output_size, pad_to_max_output_size: [
        Abstract([max_output_size if pad_to_max_output_size else None], dtypes.int32),
        Abstract((), dtypes.int32),
    ]
)


@op(
    "NonMaxSuppressionV5",
    dtypes=HALF_OR_SINGLE,
    convert=some(*NUMBERS),
    outputs=("selected_indices", "selected_scores", "valid_outputs"),
)
def non_max_suppression_soft_op(
    xp,
    boxes,
    scores,
    *,
    max_output_size,
    iou_threshold,
    score_threshold,
    soft_nms_sigma,
    pad_to_max_output_size=False,
):
    check_candidates(boxes, scores, max_output_size, iou_threshold)
    if soft_nms_sigma < 0:
        refuse(f"soft_nms_sigma must be at least 0, not {soft_nms_sigma}.")
    wide = boxes.astype(xp.float32)
    chosen, kept = best_boxes(
        scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma,
        lambda i: overlaps_with(wide[i], wide),
    )  # fmt: skip
    missing = max_output_size - len(chosen) if pad_to_max_output_size else 0
    around = (0, missing)
    return (
        xp.pad(chosen, around),
        xp.pad(kept, around).astype(scores.dtype),
        xp.array(len(chosen), xp.int32),
    )


@non_max_suppression_soft_op.shape
def soft_suppression_shapes(scores, max_output_size, pad_to_max_output_size):
    size = [max_output_size if pad_to_max_output_size else None]
    return [Abstract(size, dtypes.int32), Abstract(size, scores.dtype), Abstract((), dtypes.int32)]


@op(
    "NonMaxSuppressionWithOverlaps",
    dtypes=SINGLE,
    convert={
        "max_output_size": static_int,
        "overlap_threshold": float,
        "score_threshold": float,
    },
)
def non_max_suppression_overlaps_op(
    xp, overlaps, scores, *, max_output_size, overlap_threshold, score_threshold
):
    if overlaps.ndim != 2 or overlaps.shape[0] != overlaps.shape[1]:
        refuse(f"overlaps must be a square matrix; their shape is {list(overlaps.shape)}.")
    check_selection(scores, len(overlaps), max_output_size, 0.0)
    return best_boxes(
        scores, max_output_size, overlap_threshold, score_threshold, 0.0, lambda i: overlaps[:, i]
    )[0]


non_max_suppression_overlaps_op.shape(lambda: Abstract([None], dtypes.int32))


class CombinedNonMaxSuppression(NamedTuple):
    """The result of ``tf.image.combined_non_max_suppression``."""

    nmsed_boxes: Tensor
    nmsed_scores: Tensor
    nmsed_classes: Tensor
    valid_detections: Tensor


@op(
    "CombinedNonMaxSuppression",
    dtypes=SINGLE,
    convert={
        **some("iou_threshold", "score_threshold"),
        "max_output_size_per_class": static_int,
        "max_total_size": static_int,
        "pad_per_class": static_bool,
        "clip_boxes": static_bool,
    },
    outputs=("nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"),
    result=CombinedNonMaxSuppression,
    values="elements",
)
def combined_non_max_suppression(
    xp,
    boxes,
    scores,
    *,
    max_output_size_per_class,
    max_total_size,
    iou_threshold=0.5,
    score_threshold=LOWEST,
    pad_per_class=False,
    clip_boxes=True,
):
    """The best boxes of each class, of all classes together, the best first.

    >>> boxes = tf.constant([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, 0.9]]]])
    >>> best = tf.image.combined_non_max_suppression(boxes, [[[0.5], [0.9]]], 2, 2)
    >>> best.nmsed_scores.numpy(), best.valid_detections.numpy()
    (array([[0.9, 0. ]], dtype=float32), array([1], dtype=int32))

    Args:
        boxes: of shape (batch, boxes, classes or 1, 4).
        scores: of shape (batch, boxes, classes).
        max_output_size_per_class: how many boxes of a class there may be at most.
        max_total_size: the number of boxes in the result. Zeros fill it up.
        iou_threshold: the largest overlap allowed: the shared area, divided by the area that both cover.
        score_threshold: boxes whose score is not above it are left out.
        pad_per_class: whether to fill up to ``max_output_size_per_class`` times the classes at most.
        clip_boxes: whether to cut the resulting boxes to [0, 1].
    """
    check_classes(boxes.shape, scores.shape)
    count, classes = max_output_size_per_class, scores.shape[2]
    if count <= 0 or max_total_size <= 0:
        refuse(f"sizes must be above 0; {count} and {max_total_size} came.")
    if not 0 <= iou_threshold <= 1:
        refuse(f"iou_threshold must be in [0, 1], not {iou_threshold}.")
    size = min(max_total_size, count * classes) if pad_per_class else max_total_size
    batch = check_size((len(boxes), size, 4))[0]
    out_boxes = xp.zeros((batch, size, 4), xp.float32)
    out_scores, out_classes = xp.zeros((2, batch, size), xp.float32)
    valid = xp.zeros(batch, xp.int32)
    for place in range(batch if scores.size else 0):
        detections = []
        for class_number in range(classes):
            its = boxes[place, :, min(class_number, boxes.shape[2] - 1)]
            chosen, kept = best_boxes(
                scores[place, :, class_number], count, iou_threshold, score_threshold, 0.0,
                lambda i, its=its: overlaps_with(its[i], its),
            )  # fmt: skip
            detections += [
                (score, class_number, its[i]) for i, score in zip(chosen, kept, strict=True)
            ]
        detections = sorted(detections, key=lambda detection: -detection[0])[:size]
        valid[place] = len(detections)
        for rank, (score, class_number, box) in enumerate(detections):
            out_boxes[place, rank] = xp.clip(box, 0, 1) if clip_boxes else box
            out_scores[place, rank], out_classes[place, rank] = score, class_number
    return out_boxes, out_scores, out_classes, valid


@combined_non_max_suppression.shape
def combined_suppression_shapes(
    boxes, scores, max_output_size_per_class, max_total_size, pad_per_class
):
    check_classes(boxes.shape, scores.shape)
    size = max_total_size
    if pad_per_class:
        size = minimum(max_total_size, max_output_size_per_class * scores.shape[2])
    batch = boxes.shape[0]
    return [
        Abstract((batch, size, 4), dtypes.float32),
        Abstract((batch, size), dtypes.float32),
        Abstract((batch, size), dtypes.float32),
        Abstract((batch,), dtypes.int32),
    ]


def check_classes(boxes: tuple[int, ...], scores: tuple[int, ...]) -> None:
    if len(boxes) != 4 or boxes[3] != 4:
        refuse(f"boxes must be of shape (batch, boxes, classes or 1, 4), not {list(boxes)}.")
    if len(scores) != 3 or scores[:2] != boxes[:2] or boxes[2] not in (1, scores[2]):
        refuse(
            "scores must be of shape (batch, boxes, classes); "
            f"{list(scores)} does not suit boxes of shape {list(boxes)}."
        )


# Ops that return scores have no rule, as in TensorFlow: a gradient through them is a LookupError.
for selection in (
    non_max_suppression_op,
    non_max_suppression_padded_op,
    non_max_suppression_overlaps_op,
):
    selection.no_gradient()


@public
def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = LOWEST,
    name: str | None = None,
) -> Tensor:
    """Indices of the best boxes, the best first, without boxes that overlap a better one too much.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> tf.image.non_max_suppression(boxes, scores=[0.5, 0.9, 0.3], max_output_size=3).numpy()
    array([1, 2], dtype=int32)

    Args:
        boxes: rows of [y1, x1, y2, x2], two opposite corners.
        scores: a vector with a number for each box.
        max_output_size: how many boxes there may be at most.
        iou_threshold: the largest overlap allowed: the shared area, divided by the area that both cover.
        score_threshold: boxes whose score is not above it are left out.
    """
    return non_max_suppression_op(boxes, scores, max_output_size, iou_threshold, score_threshold)


@composition
def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = LOWEST,
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Like ``tf.image.non_max_suppression``, with the scores. Overlaps may lower the scores.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9]]
    >>> indices, scores = tf.image.non_max_suppression_with_scores(
    ...     boxes, [0.5, 0.9], 2, soft_nms_sigma=0.5)
    >>> indices.numpy(), scores.numpy().round(4)
    (array([1, 0], dtype=int32), array([0.9   , 0.2224], dtype=float32))

    Args:
        boxes: rows of [y1, x1, y2, x2], two opposite corners.
        scores: a vector with a number for each box.
        max_output_size: how many boxes there may be at most.
        iou_threshold: the largest overlap allowed: the shared area, divided by the area that both cover.
        score_threshold: boxes whose score is not above it, or falls below it, are left out.
        soft_nms_sigma: above 0, a box that overlaps a better one is not left out, but its score is multiplied
            by ``exp(-0.5 * overlap**2 / soft_nms_sigma)``.
    """
    indices, kept, _ = non_max_suppression_soft_op(
        boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma
    )
    return indices, kept


@public
def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = LOWEST,
    name: str | None = None,
) -> Tensor:
    """Like ``tf.image.non_max_suppression``, for anything whose overlaps are in the matrix ``overlaps``.

    >>> tf.image.non_max_suppression_overlaps([[1.0, 0.9], [0.9, 1.0]], [0.5, 0.9], 2).numpy()
    array([1], dtype=int32)

    Args:
        overlaps: a square matrix: how much each two of them overlap.
        scores: a vector with a number for each row of the matrix.
        max_output_size: how many of them there may be at most.
        overlap_threshold: the largest overlap allowed.
        score_threshold: those whose score is not above it are left out.
    """
    return non_max_suppression_overlaps_op(
        overlaps, scores, max_output_size, overlap_threshold, score_threshold
    )


@composition
def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = LOWEST,
    pad_to_max_output_size: Any = False,
    name: str | None = None,
    sorted_input: Any = False,
    canonicalized_coordinates: Any = False,
    tile_size: Any = 512,
) -> tuple[Tensor, Tensor]:
    """Like ``tf.image.non_max_suppression``, filled up with zeros; and the number of indices that count.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9]]
    >>> indices, valid = tf.image.non_max_suppression_padded(
    ...     boxes, [0.5, 0.9], 3, pad_to_max_output_size=True)
    >>> indices.numpy(), valid.numpy()
    (array([1, 0, 0], dtype=int32), np.int32(1))

    Args:
        boxes: rows of [y1, x1, y2, x2], two opposite corners, or batches of such rows. A box without a
            coordinate above 0 is left out.
        scores: a number for each box.
        max_output_size: how many boxes there may be at most.
        iou_threshold: the overlap from which on a box is left out: the shared area, divided by the area that
            both cover. ``tf.image.non_max_suppression`` keeps a box with just this overlap.
        score_threshold: boxes whose score is not above it are left out.
        pad_to_max_output_size: whether there are always ``max_output_size`` indices. Batches need that.
        sorted_input, canonicalized_coordinates, tile_size: promises and hints. They are ignored.
    """
    boxes = casts.cast(boxes, dtypes.float32)
    shape, padded = boxes._shape_tuple(), static_bool(pad_to_max_output_size)
    if len(shape) > 2 and not padded:
        raise ValueError("Batches of boxes need pad_to_max_output_size=True.")
    scores = casts.cast(scores, dtypes.float32)
    if shape[-1:] == (4,):
        scores = conditions.where(reduce_any(logic.greater(boxes, 0.0), axis=-1), scores, LOWEST)
    # Overlaps of just the threshold are dropped: those above the number below it.
    limit = math.nextafter(casts.cast(iou_threshold, dtypes.float32), 0.0)
    how = (max_output_size, limit, score_threshold, padded)
    if len(shape) < 3:
        return non_max_suppression_padded_op(boxes, scores, *how)
    items = zip(
        joining.unstack(array.reshape(boxes, (-1, *shape[-2:]))),
        joining.unstack(array.reshape(scores, (-1, shape[-2]))),
        strict=True,
    )
    results = [non_max_suppression_padded_op(*item, *how) for item in items]
    indices, counts = (joining.stack(list(parts)) for parts in zip(*results, strict=True))
    return array.reshape(indices, (*shape[:-2], -1)), array.reshape(counts, shape[:-2])


# Drawing

COLORS = (
    (1, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (0.5, 0, 0.5, 1),
    (0.5, 0.5, 0, 1), (0.5, 0, 0, 1), (0, 0, 0.5, 1), (0, 1, 1, 1), (1, 0, 1, 1),
)  # fmt: skip


@op("DrawBoundingBoxes", dtypes={"images": HALF_OR_SINGLE, "boxes": SINGLE}, values="elements")
def draw_bounding_boxes_in_our_colors(xp, images, boxes):
    check_drawing(images.shape, boxes.shape)
    table = np.array(COLORS, np.float32)
    if images.shape[3] == 1:
        table[:, 0] = 1
    return draw_all(images, boxes, table)


@draw_bounding_boxes_in_our_colors.shape
def drawn_shape(images, boxes):
    check_drawing(images.shape, boxes.shape)
    return images.shape


@op(
    "DrawBoundingBoxesV2",
    dtypes={"images": HALF_OR_SINGLE, "boxes": SINGLE, "colors": SINGLE},
    values="elements",
)
def draw_bounding_boxes_op(xp, images, boxes, colors):
    check_drawing(images.shape, boxes.shape)
    if colors.ndim != 2 or not len(colors) or colors.shape[1] < images.shape[3]:
        refuse(
            f"colors must be a matrix with a column for each of the {images.shape[3]} channels; "
            f"their shape is {list(colors.shape)}."
        )
    return draw_all(images, boxes, colors)


@draw_bounding_boxes_op.shape
def drawn_in_colors_shape(images, boxes):
    check_drawing(images.shape, boxes.shape)
    return images.shape


# As in TensorFlow, the gradient of the first is None. The other has no rule: its gradient is a LookupError.
draw_bounding_boxes_in_our_colors.no_gradient()


def draw_all(images: Any, boxes: Any, colors: Any) -> Any:
    out = images.copy()
    colors = colors[:, : images.shape[3]].astype(images.dtype)
    for picture, its_boxes in zip(out, boxes, strict=True):
        for place, box in enumerate(its_boxes):
            draw_box(picture, box, colors[place % len(colors)])
    return out


def check_drawing(images: tuple[int, ...], boxes: tuple[int, ...]) -> None:
    problem = ""
    if len(images) != 4:
        problem = f"The rank of the images should be 4; their shape is {list(images)}"
    elif len(boxes) != 3:
        problem = f"The rank of the boxes tensor should be 3; its shape is {list(boxes)}"
    elif images[0] != boxes[0]:
        problem = f"The batch sizes should be the same; {images[0]} and {boxes[0]} came"
    elif boxes[2] != 4:
        problem = f"Boxes have four numbers; their shape is {list(boxes)}"
    elif images[3] not in (1, 3, 4):
        problem = f"There should be 1 channel (gray), 3 (RGB) or 4 (RGBA), not {images[3]}"
    if problem:
        refuse(f"{problem}.")


def draw_box(picture: Any, box: Any, color: Any) -> None:
    """Draw the part of the box's outline that is inside the picture."""
    height, width = picture.shape[:2]
    with np.errstate(all="ignore"):
        places = box * np.array([height - 1, width - 1] * 2, np.float32)
    if not np.isfinite(places).all():
        return
    top, left, bottom, right = (int(place) for place in places)
    if top > bottom or left > right:
        return
    if top >= height or bottom < 0 or left >= width or right < 0:
        return
    rows = slice(max(top, 0), min(bottom, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    if top >= 0:
        picture[top, columns] = color
    if bottom < height:
        picture[bottom, columns] = color
    if left >= 0:
        picture[rows, left] = color
    if right < width:
        picture[rows, right] = color


@composition
def draw_bounding_boxes(
    images: Any, boxes: Any, colors: TensorLike | None, name: str | None = None
) -> Tensor:
    """``images`` with outlines of ``boxes``, whose coordinates go from 0 to 1.

    >>> x = tf.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), [[[0.0, 0.0, 1.0, 1.0]]], [[1.0]])
    >>> x.numpy()[0, :, :, 0]
    array([[1., 1., 1.],
           [1., 0., 1.],
           [1., 1., 1.]], dtype=float32)

    Args:
        images: float32 or float16 pictures of (batch, height, width, channels).
        boxes: rows of [y1, x1, y2, x2], in the shape [batch, boxes, 4].
        colors: a row for each color, used in turn. None means ten built-in colors.
    """
    if colors is None:
        return draw_bounding_boxes_in_our_colors(images, boxes)
    return draw_bounding_boxes_op(images, boxes, colors)

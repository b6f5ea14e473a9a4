# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.image.boxes import CombinedNonMaxSuppression as CombinedNonMaxSuppression

def combined_non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size_per_class: TensorLike,
    max_total_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = ...,
    pad_per_class: bool = False,
    clip_boxes: bool = True,
    name: str | None = None,
) -> CombinedNonMaxSuppression:
    """The best boxes of each class, of all classes together, the best first.

    >>> boxes = tf.constant([[[[0.0, 0.0, 1.0, 1.0]], [[0.0, 0.0, 1.0, 0.9]]]])
    >>> best = tf.image.combined_non_max_suppression(boxes, [[[0.5], [0.9]]], 2, 2)
    >>> best.nmsed_scores.numpy(), best.valid_detections.numpy()
    (array([[0.9, 0. ]], dtype=float32), array([1], dtype=int32))

    Args:
        boxes: of shape (batch, boxes, classes or 1, 4).
        scores: of shape (batch, boxes, classes).
        max_total_size: the number of boxes in the result. Zeros fill it up.
        pad_per_class: whether to fill up to ``max_output_size_per_class`` times the classes at most.
        clip_boxes: whether to cut the resulting boxes to [0, 1].

    Returns:
        A named tuple of tensors: nmsed_boxes, nmsed_scores, nmsed_classes, valid_detections.
    """

def draw_bounding_boxes(
    images: TensorLike,
    boxes: TensorLike,
    colors: TensorLike | None,
    name: str | None = None,
) -> Tensor:
    """``images`` with outlines of ``boxes``, whose coordinates go from 0 to 1.

    >>> x = tf.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), [[[0.0, 0.0, 1.0, 1.0]]], [[1.0]])
    >>> x.numpy()[0, :, :, 0]
    array([[1., 1., 1.],
           [1., 0., 1.],
           [1., 1., 1.]], dtype=float32)

    Args:
        boxes: a matrix of boxes for each image.
        colors: a row for each color, used in turn. None means ten built-in colors.
    """

def non_max_suppression(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """Indices of the best boxes, the best first, without boxes that overlap a better one too much.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]
    >>> tf.image.non_max_suppression(boxes, scores=[0.5, 0.9, 0.3], max_output_size=3).numpy()
    array([1, 2], dtype=int32)

    Args:
        iou_threshold: the largest overlap allowed: the shared area, divided by the area that both cover.
        score_threshold: boxes whose score is not above it are left out.
    """

def non_max_suppression_overlaps(
    overlaps: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    overlap_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = ...,
    name: str | None = None,
) -> Tensor:
    """Like ``tf.image.non_max_suppression``, for anything whose overlaps are in the matrix ``overlaps``.

    >>> tf.image.non_max_suppression_overlaps([[1.0, 0.9], [0.9, 1.0]], [0.5, 0.9], 2).numpy()
    array([1], dtype=int32)
    """

def non_max_suppression_padded(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = ...,
    pad_to_max_output_size: bool = False,
    name: str | None = None,
    sorted_input: bool = False,
    canonicalized_coordinates: bool = False,
    tile_size: TensorLike = 512,
) -> tuple[Tensor, Tensor]:
    """Like ``tf.image.non_max_suppression``, filled up with zeros; and the number of indices that count.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9]]
    >>> indices, valid = tf.image.non_max_suppression_padded(
    ...     boxes, [0.5, 0.9], 3, pad_to_max_output_size=True)
    >>> indices.numpy(), valid.numpy()
    (array([1, 0, 0], dtype=int32), np.int32(1))

    Args:
        sorted_input, canonicalized_coordinates, tile_size: promises and hints. They are ignored.

    Differs from TensorFlow: ``boxes`` is one matrix, and not a batch.
    """

def non_max_suppression_with_scores(
    boxes: TensorLike,
    scores: TensorLike,
    max_output_size: TensorLike,
    iou_threshold: TensorLike = 0.5,
    score_threshold: TensorLike = ...,
    soft_nms_sigma: TensorLike = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Like ``tf.image.non_max_suppression``, with the scores. Overlaps may lower the scores.

    >>> boxes = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9]]
    >>> indices, scores = tf.image.non_max_suppression_with_scores(
    ...     boxes, [0.5, 0.9], 2, soft_nms_sigma=0.5)
    >>> indices.numpy(), scores.numpy().round(4)
    (array([1, 0], dtype=int32), array([0.9   , 0.2224], dtype=float32))
    """

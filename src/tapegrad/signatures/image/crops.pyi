# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: TensorLike = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: TensorLike | None = None,
    area_range: TensorLike | None = None,
    max_attempts: TensorLike | None = None,
    use_image_if_no_bounding_boxes: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """A random crop that keeps a part of at least one box: where it begins, its size, and its box.

    >>> boxes = [[[0.1, 0.2, 0.7, 0.8]]]
    >>> begin, size, box = tf.image.sample_distorted_bounding_box([120, 90, 3], boxes, seed=3)
    >>> tf.slice(tf.zeros([120, 90, 3]), begin, size).shape[2]
    3

    Args:
        image_size: the height, the width and the number of channels.
        bounding_boxes: boxes ``[y1, x1, y2, x2]`` in parts of the picture, of shape ``[batch, count, 4]``.
        seed: the crops of two programs with the same seed, other than 0, are the same.
        min_object_covered: how much of a box the crop must keep.
        aspect_ratio_range: the least and the largest width, divided by the height; 0.75 and 1.33 if left out.
        area_range: the least and the largest part of the picture; 0.05 and 1 if left out.
        max_attempts: how many crops to try before the result is the whole picture; 100 if left out.
        use_image_if_no_bounding_boxes: whether no boxes mean the whole picture.
    """

def stateless_sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: TensorLike,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: TensorLike | None = None,
    area_range: TensorLike | None = None,
    max_attempts: TensorLike | None = None,
    use_image_if_no_bounding_boxes: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """`sample_distorted_bounding_box` with a ``seed`` of two integers: the same crop each time.

    >>> boxes = [[[0.1, 0.2, 0.7, 0.8], [0.0, 0.0, 0.3, 0.3]]]
    >>> begin, size, box = tf.image.stateless_sample_distorted_bounding_box(
    ...     [120, 90, 3], boxes, seed=[1, 8], min_object_covered=0.3)
    >>> begin.numpy().tolist(), size.numpy().tolist()
    ([1, 3, 0], [104, 81, -1])
    """

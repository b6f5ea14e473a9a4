"""Random crops of pictures that keep a part of some box in view: `tf.image.sample_distorted_bounding_box`.

The crops are TensorFlow's for the same seeds. A draw takes its words from Philox's stream one by one: one for
the shape of a crop, one for its height if that is free, and one for each coordinate of its corner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public
from tapegrad.core.compositions import composition
from tapegrad.engines.numpy import random as engine
from tapegrad.errors import refuse
from tapegrad.framework import random_state
from tapegrad.ops.args import static_bool, static_int
from tapegrad.ops.op import op
from tapegrad.ops.random.draws import seed_tensor, start_of
from tapegrad.ops.shape_rules import Abstract

if TYPE_CHECKING:
    from tapegrad.framework.types import TensorLike

PUBLIC = {
    "image": "sample_distorted_bounding_box stateless_sample_distorted_bounding_box",
    "compat.v1.image": "stateless_sample_distorted_bounding_box",
}

SIZES = frozenset({dtypes.uint8, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64})
SINGLE = frozenset({dtypes.float32})
SEEDS = frozenset({dtypes.int32, dtypes.int64})

ASPECTS = (0.75, 1.33)
AREAS = (0.05, 1.0)
ATTEMPTS = 100
_WORDS_AT_ONCE = 64


class Rectangle(NamedTuple):
    """A part of a picture, in pixels."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def area(self) -> int:
        """The number of pixels; 0 where an edge lies beyond the other one."""
        return max(self.bottom - self.top, 0) * max(self.right - self.left, 0)

    def shared(self, other: Rectangle) -> Rectangle:
        """The part that both have."""
        return Rectangle(
            max(self.top, other.top),
            max(self.left, other.left),
            min(self.bottom, other.bottom),
            min(self.right, other.right),
        )


class Words:
    """The words of the stream under ``key`` from ``counter`` on, one by one."""

    def __init__(self, key: int, counter: int) -> None:
        self._words = self._stream(key, counter)

    @staticmethod
    def _stream(key: int, counter: int) -> Iterator[int]:
        while True:
            yield from engine.bits32(key, counter, _WORDS_AT_ONCE).tolist()
            counter += _WORDS_AT_ONCE // 4  # a counter gives four words

    def fraction(self) -> np.float32:
        """A number in [0, 1): the upper bits of a word would do, and TensorFlow takes the lower 23."""
        word = next(self._words) & 0x7FFFFF
        return np.float32(word) * np.float32(2.0**-23)

    def below(self, limit: int) -> int:
        """An integer in [0, limit), each as likely as the others."""
        if limit & (limit - 1) == 0:
            return next(self._words) & (limit - 1)
        rest = (0xFFFFFFFF % limit) + 1
        word = next(self._words)
        while word < rest:
            word = next(self._words)
        return word % limit


def _rounded(number: np.float32) -> int:
    return int(np.rint(number))


def _random_crop(
    height: int, width: int, aspect: np.float32, areas: tuple[Any, Any], words: Words
) -> Rectangle | None:
    """A crop of the given shape whose area, as a part of the picture's, lies within ``areas``; or None."""
    if not (areas[1] > 0 and aspect > 0 and height > 0 and width > 0 and areas[0] <= areas[1]):
        return None
    least, most = (np.float32(area) * np.float32(width) * np.float32(height) for area in areas)
    tall, tallest = (_rounded(np.sqrt(area / aspect)) for area in (least, most))
    if _rounded(np.float32(tallest) * aspect) > width:
        # The largest height whose width still rounds to the picture's.
        tallest = int(np.float32(width + 0.5 - 1e-7) / aspect)
    tallest = min(tallest, height)
    tall = min(tall, tallest)
    if tall < tallest:
        tall += words.below(tallest - tall + 1)
    wide = _rounded(np.float32(tall) * aspect)
    # Rounding may have taken the area a row past either bound.
    if np.float32(tall * wide) < least:
        tall += 1
        wide = _rounded(np.float32(tall) * aspect)
    if np.float32(tall * wide) > most:
        tall -= 1
        wide = _rounded(np.float32(tall) * aspect)
    area = np.float32(tall * wide)
    if not (least <= area <= most and 0 < wide <= width and 0 < tall <= height):
        return None
    top = words.below(height - tall) if tall < height else 0
    left = words.below(width - wide) if wide < width else 0
    return Rectangle(top, left, top + tall, left + wide)


def _keeps_a_box(crop: Rectangle, boxes: list[Rectangle], least: np.float32) -> bool:
    """Whether at least the part ``least`` of some box lies within the crop."""
    return crop.area >= 1 and any(
        np.float32(box.shared(crop).area) / np.float32(box.area) >= least
        for box in boxes
        if box.area >= 1
    )


def _boxes_in_pixels(boxes: Any, height: int, width: int) -> list[Rectangle]:
    if boxes.ndim != 3:
        refuse(
            "bounding_boxes must have the shape [batch, number of boxes, 4]; "
            f"their shape is {list(boxes.shape)}."
        )
    if boxes.shape[2] != 4:
        refuse(f"A bounding box has 4 coordinates; the shape of all is {list(boxes.shape)}.")
    outside = ~((boxes >= 0) & (boxes <= 1))
    if outside.any():
        refuse(f"Coordinates of bounding boxes lie in [0, 1]; {boxes[outside][0]} is among them.")
    scale = np.array([height, width, height, width], np.float32)
    return [
        Rectangle(*corners) for corners in (boxes * scale).astype(np.int64).reshape(-1, 4).tolist()
    ]


def _sampled(
    image_size: Any,
    boxes: Any,
    least: Any,
    start: Callable[[], tuple[int, int]],
    aspects: tuple[float, float],
    areas: tuple[float, float],
    attempts: int,
    whole_without_boxes: bool,
) -> tuple[Any, Any, Any]:
    """The corner, the size and the box of a crop; ``start`` gives the key and counter of the words."""
    if image_size.shape != (3,):
        refuse(
            f"image_size must be [height, width, channels]; its shape is {list(image_size.shape)}."
        )
    height, width = int(image_size[0]), int(image_size[1])
    if height <= 0 or width <= 0:
        refuse(f"A picture has at least one pixel; image_size is {image_size.tolist()}.")
    if np.shape(least) != ():
        refuse(f"min_object_covered must be one number; its shape is {list(np.shape(least))}.")
    rectangles = _boxes_in_pixels(boxes, height, width)
    whole = Rectangle(0, 0, height, width)
    if not rectangles:
        if not whole_without_boxes:
            refuse(
                "No bounding boxes came. With use_image_if_no_bounding_boxes=True the whole picture is one."
            )
        rectangles = [whole]
    words = Words(*start())
    low, high = np.float32(aspects[0]), np.float32(aspects[1])
    crop: Rectangle | None = None
    for _ in range(attempts):
        aspect = words.fraction() * (high - low) + low
        crop = _random_crop(height, width, aspect, areas, words)
        if crop is not None and _keeps_a_box(crop, rectangles, np.float32(least)):
            break
    else:
        crop = whole
    corner = np.array([crop.top, crop.left, 0], image_size.dtype)
    # -1 is for all channels, and becomes the largest number in a dtype without a sign, as in TensorFlow.
    size = np.array([crop.bottom - crop.top, crop.right - crop.left, -1]).astype(image_size.dtype)
    scale = np.array([height, width, height, width], np.float32)
    return corner, size, (np.array(crop, np.float32) / scale).reshape(1, 1, 4)


def _range(what: str, default: tuple[float, float]) -> Callable[[Any], tuple[float, float]]:
    def converted(value: Any) -> tuple[float, float]:
        if value is None:
            return default
        numbers = [float(number) for number in value]
        if len(numbers) != 2:
            refuse(f"{what} holds the least and the largest number; got {list(value)}.")
        if min(numbers) < 0:
            refuse(f"{what} must not be negative: {numbers}.")
        if what == "area_range" and max(numbers) > 1:
            refuse(f"{what} holds parts of the picture, at most 1: {numbers}.")
        return numbers[0], numbers[1]

    return converted


def _attempts(value: Any) -> int:
    number = ATTEMPTS if value is None else static_int(value)
    if number <= 0:
        refuse(f"max_attempts must be positive; got {number}.")
    return number


_ATTRIBUTES: dict[str, Callable[[Any], Any]] = {
    "aspect_ratio_range": _range("aspect_ratio_range", ASPECTS),
    "area_range": _range("area_range", AREAS),
    "max_attempts": _attempts,
    "use_image_if_no_bounding_boxes": lambda value: value is not None and static_bool(value),
}
_OUTPUTS = ("begin", "size", "bboxes")


@op(
    "StatelessSampleDistortedBoundingBox",
    dtypes={
        "image_size": SIZES,
        "bounding_boxes": SINGLE,
        "min_object_covered": SINGLE,
        "seed": SEEDS,
    },
    convert=_ATTRIBUTES,
    outputs=_OUTPUTS,
    values="errors",
)
def stateless_sample_op(
    xp,
    image_size,
    bounding_boxes,
    min_object_covered,
    seed,
    *,
    aspect_ratio_range=ASPECTS,
    area_range=AREAS,
    max_attempts=ATTEMPTS,
    use_image_if_no_bounding_boxes=False,
):
    return _sampled(
        image_size,
        bounding_boxes,
        min_object_covered,
        lambda: start_of(seed),
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )


@stateless_sample_op.shape
def sample_shapes(image_size):
    return [
        Abstract([3], image_size.dtype),
        Abstract([3], image_size.dtype),
        Abstract([1, 1, 4], dtypes.float32),
    ]


stateless_sample_op.no_gradient()


def _stream(type_name: str, dtype: Any, seed: Any, seed2: Any, attempts: int) -> tuple[int, int]:
    name = dtypes.from_numpy(dtype).name
    return random_state.reserve(type_name, name, seed, seed2, attempts)


@op(
    "SampleDistortedBoundingBoxV2",
    dtypes={"image_size": SIZES, "bounding_boxes": SINGLE, "min_object_covered": SINGLE},
    convert=_ATTRIBUTES,
    outputs=_OUTPUTS,
    effect="draws",
)
def sample_op(
    xp,
    image_size,
    bounding_boxes,
    min_object_covered,
    *,
    seed=0,
    seed2=0,
    aspect_ratio_range=ASPECTS,
    area_range=AREAS,
    max_attempts=ATTEMPTS,
    use_image_if_no_bounding_boxes=False,
):
    return _sampled(
        image_size,
        bounding_boxes,
        min_object_covered,
        lambda: _stream(
            "SampleDistortedBoundingBoxV2", image_size.dtype, seed, seed2, max_attempts
        ),
        aspect_ratio_range,
        area_range,
        max_attempts,
        use_image_if_no_bounding_boxes,
    )


sample_op.shape(sample_shapes)
sample_op.no_gradient()


class DistortedBox(NamedTuple):
    """Where a crop begins, how large it is, and the crop as a box for `tf.image.draw_bounding_boxes`."""

    begin: Any
    size: Any
    bboxes: Any


@public
def sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: Any = 0,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
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
    if not isinstance(seed, (int, type(None))):
        raise TypeError(f"seed must be an integer; got a {type(seed).__name__}.")
    seeds = random_state.get_seed(seed) if seed else (0, 0)
    result = sample_op(
        image_size,
        bounding_boxes,
        min_object_covered,
        seed=seeds[0],
        seed2=seeds[1],
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
        name=name,
    )
    return DistortedBox(*result)


@composition
def stateless_sample_distorted_bounding_box(
    image_size: TensorLike,
    bounding_boxes: TensorLike,
    seed: Any,
    min_object_covered: TensorLike = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: Any = None,
    use_image_if_no_bounding_boxes: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """`sample_distorted_bounding_box` with a ``seed`` of two integers: the same crop each time.

    >>> boxes = [[[0.1, 0.2, 0.7, 0.8], [0.0, 0.0, 0.3, 0.3]]]
    >>> begin, size, box = tf.image.stateless_sample_distorted_bounding_box(
    ...     [120, 90, 3], boxes, seed=[1, 8], min_object_covered=0.3)
    >>> begin.numpy().tolist(), size.numpy().tolist()
    ([1, 3, 0], [104, 81, -1])

    Args:
        image_size: [height, width, channels] of the picture.
        bounding_boxes: rows of [y1, x1, y2, x2] from 0 to 1, in the shape [batch, boxes, 4].
        seed: two integers.
        min_object_covered: how much of a box the crop must keep.
        aspect_ratio_range: the least and the largest width, divided by the height; None for 0.75 and 1.33.
        area_range: the least and the largest area, as parts of the picture's; None for 0.05 and 1.
        max_attempts: after so many attempts the crop is the whole picture; None for 100.
        use_image_if_no_bounding_boxes: whether the whole picture counts as a box if there is none; else that
            raises an error. None is False.
    """
    result = stateless_sample_op(
        convert(image_size),
        bounding_boxes,
        min_object_covered,
        seed_tensor(seed),
        aspect_ratio_range=aspect_ratio_range,
        area_range=area_range,
        max_attempts=max_attempts,
        use_image_if_no_bounding_boxes=use_image_if_no_bounding_boxes,
        name=name,
    )
    return DistortedBox(*result)

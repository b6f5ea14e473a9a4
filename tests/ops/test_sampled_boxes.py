"""Random crops that keep a part of a box: TensorFlow's crops, for the same seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf

BOXES = [[[0.1, 0.2, 0.7, 0.8], [0.0, 0.0, 0.3, 0.3]]]
SIZE = [120, 90, 3]
sample = tf.image.sample_distorted_bounding_box
stateless = tf.image.stateless_sample_distorted_bounding_box


def test_seeded_crops_are_tensorflows() -> None:
    tf.random.set_seed(5)
    crops = [sample(SIZE, BOXES, seed=3) for _ in range(3)]
    assert [crop[0].numpy().tolist() for crop in crops] == [[48, 8, 0], [63, 53, 0], [51, 1, 0]]
    assert [crop[1].numpy().tolist() for crop in crops] == [
        [35, 32, -1],
        [27, 25, -1],
        [56, 74, -1],
    ]
    tf.random.set_seed(5)
    size = tf.constant(SIZE, tf.int64)
    crops = [sample(size, BOXES, 3, tf.constant(0.5)) for _ in range(2)]
    assert [crop[0].numpy().tolist() for crop in crops] == [[16, 7, 0], [23, 3, 0]]
    assert crops[0][0].dtype == tf.int64


def test_stateless_crops_are_tensorflows() -> None:
    begins = [stateless(SIZE, BOXES, [s, 7 * s + 1], 0.3)[0].numpy().tolist() for s in range(4)]
    assert begins == [[28, 17, 0], [1, 3, 0], [13, 8, 0], [20, 4, 0]]
    none = np.zeros((1, 0, 4), np.float32)
    crop = stateless([57, 211, 3], none, [3, 4], use_image_if_no_bounding_boxes=True)
    assert crop[0].numpy().tolist() == [2, 124, 0]
    assert crop[1].numpy().tolist() == [49, 59, -1]


def test_a_crop_without_a_seed_lies_in_the_picture() -> None:
    for _ in range(20):
        begin, size, box = sample(SIZE, BOXES)
        assert (begin.numpy()[:2] + size.numpy()[:2] <= SIZE[:2]).all()
        assert tf.slice(tf.zeros(SIZE), begin, size).shape == [*size.numpy()[:2], 3]
        np.testing.assert_allclose(box.numpy()[0, 0, :2] * SIZE[:2], begin.numpy()[:2], rtol=1e-6)


def test_sizes_without_a_sign() -> None:
    begin, size, _ = stateless(np.array(SIZE, np.uint8), BOXES, [1, 8], 0.3)
    assert begin.numpy().tolist() == [1, 3, 0]
    assert size.numpy().tolist() == [104, 81, 255]


def test_nothing_that_fits_is_the_whole_picture() -> None:
    _, size, box = stateless(SIZE, BOXES, [3, 4], min_object_covered=2.0)
    assert size.numpy().tolist() == [120, 90, -1]
    assert box.numpy().tolist() == [[[0, 0, 1, 1]]]


Invalid = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    ("args", "more", "error"),
    [
        (([57, 211], BOXES), {}, Invalid),
        (([[57, 211, 3]], BOXES), {}, Invalid),
        (([0, 211, 3], BOXES), {}, Invalid),
        ((SIZE, BOXES[0]), {}, Invalid),
        ((SIZE, [[[0.1, 0.2, 0.3]]]), {}, Invalid),
        ((SIZE, [[[0.1, 0.2, 0.3, 1.3]]]), {}, Invalid),
        ((SIZE, [[[float("nan"), 0.2, 0.3, 0.3]]]), {}, Invalid),
        ((SIZE, np.zeros((1, 0, 4), np.float32)), {}, Invalid),
        ((SIZE, BOXES), {"max_attempts": 0}, Invalid),
        ((SIZE, BOXES), {"aspect_ratio_range": (0.9,)}, Invalid),
        ((SIZE, BOXES), {"aspect_ratio_range": (-1, 0.9)}, Invalid),
        ((SIZE, BOXES), {"area_range": (0.9, 1.1)}, Invalid),
        ((SIZE, BOXES), {"min_object_covered": [0.1, 0.2]}, Invalid),
        (([57.0, 211, 3], BOXES), {}, Invalid),
    ],
)
def test_what_is_refused(args: Any, more: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        sample(*args, **more)
    with pytest.raises(error):
        stateless(*args, seed=[1, 2], **more)


def test_seeds_that_are_refused() -> None:
    with pytest.raises(TypeError):
        sample(SIZE, BOXES, seed=(1, 2))
    with pytest.raises(Invalid):
        stateless(SIZE, BOXES, [1])
    with pytest.raises(Invalid):
        stateless(SIZE, BOXES, [1.0, 2.0])


def test_boxes_of_a_batch_are_suppressed_picture_by_picture():
    corners = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [0.5, 0.5, 0.9, 0.9]]
    boxes = tf.constant([[corners, corners[::-1]], [corners[::-1], corners]])
    scores = tf.constant([[[0.5, 0.9, 0.3], [0.7, 0.2, 0.1]], [[0.1, 0.2, 0.9], [0.9, 0.8, 0.3]]])
    indices, valid = tf.image.non_max_suppression_padded(
        boxes, scores, 3, score_threshold=0.2, pad_to_max_output_size=True
    )
    assert indices.numpy().tolist() == [[[1, 2, 0], [0, 0, 0]], [[2, 0, 0], [0, 2, 0]]]
    assert valid.numpy().tolist() == [[2, 1], [1, 2]]
    traced = tf.function(
        lambda boxes, scores: tf.image.non_max_suppression_padded(
            boxes, scores, 3, score_threshold=0.2, pad_to_max_output_size=True
        ),
        input_signature=[tf.TensorSpec([None, 3, 4]), tf.TensorSpec([None, 3])],
    )
    assert traced(boxes[0], scores[0])[0].numpy().tolist() == indices[0].numpy().tolist()
    with pytest.raises(ValueError, match="pad_to_max_output_size"):
        tf.image.non_max_suppression_padded(boxes, scores, 3)

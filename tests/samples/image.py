"""Pictures."""

from __future__ import annotations

from typing import Any

from . import Sample, call
from .draws import between, given, reals


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    return [
        # No gradient on purpose: TensorFlow has none, and the guides show the error.
        Sample(
            tf.image.adjust_contrast,
            [call(between(0.0, 1.0, 2, 2, 3), 0.5), call(between(0.0, 1.0, 1, 2, 2, 1), given(2.0)),
             call(given([[[0.5, 0.0, 0.0]]], "float32"), given(0.1, "float32"))],
            dtypes=("float32", "float64", "float16"),
            differentiable=False,
        ),
        Sample(tf.image.adjust_brightness, [call(between(0.0, 1.0, 2, 2, 3), 0.25)],
               dtypes=("float32", "float64")),
        Sample(tf.image.adjust_gamma, [call(between(0.1, 1.0, 2, 2, 3), 2.0, 0.5)],
               dtypes=("float32",)),
        Sample(tf.image.central_crop, [call(reals(4, 4, 1), 0.5)], dtypes=("float32", "uint8")),
        Sample(tf.image.convert_image_dtype, [call(between(0.0, 1.0, 2, 2, 1), tf.uint8),
               call(given([0, 128, 255], "uint8"), tf.float32)], dtypes=("float32",)),
        Sample(tf.image.crop_to_bounding_box, [call(reals(4, 4, 1), 1, 0, 2, 3)]),
        Sample(tf.image.pad_to_bounding_box, [call(reals(2, 2, 1), 1, 0, 4, 3)]),
        Sample(tf.image.flip_left_right, [call(reals(2, 3, 1))]),
        Sample(tf.image.flip_up_down, [call(reals(2, 3, 1))]),
        Sample(tf.image.rot90, [call(reals(2, 3, 1)), call(reals(2, 3, 1), k=3)]),
        Sample(tf.image.grayscale_to_rgb, [call(reals(2, 2, 1))], dtypes=("float32", "uint8")),
        Sample(tf.image.rgb_to_grayscale, [call(between(0.0, 1.0, 2, 2, 3))], dtypes=("float32",),
               differences="it computes in float32"),
        Sample(tf.image.per_image_standardization, [call(reals(3, 3, 1))], dtypes=("float32",)),
        Sample(tf.image.total_variation, [call(reals(3, 3, 1)), call(reals(2, 2, 2, 1))],
               dtypes=("float32", "float64")),
    ]  # fmt: skip

"""Pictures."""

from __future__ import annotations

from typing import Any

from . import Sample, call
from .draws import Draw, between, distinct, given, reals

_DTYPES = ("float32", "float64")


def _picture() -> Draw:
    return between(0.05, 0.95, 2, 2, 3)


def _fractional(pool: Any, x: Any) -> Any:
    return pool(x, [1.0, 2.0, 2.0, 1.0], seed=1)[0]


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
        Sample(tf.image.rgb_to_grayscale, [call(between(0.0, 1.0, 2, 2, 3))], dtypes=("float32",)),
        Sample(
            tf.image.per_image_standardization,
            [call(reals(3, 3, 1))],
            dtypes=("float32",),
            single="it computes in float32",
        ),
        Sample(tf.image.total_variation, [call(reals(3, 3, 1)), call(reals(2, 2, 2, 1))],
               dtypes=("float32", "float64")),
        Sample(tf.image.adjust_hue, [call(_picture(), 0.2)], dtypes=_DTYPES,
               differentiable=False),
        Sample(tf.image.adjust_saturation, [call(_picture(), 0.5)], dtypes=_DTYPES,
               differentiable=False, rounds="it computes in float32"),
        Sample(tf.image.rgb_to_hsv, [_picture()], dtypes=_DTYPES),
        Sample(tf.image.hsv_to_rgb, [_picture()], dtypes=_DTYPES),
        Sample(tf.image.rgb_to_yuv, [_picture()], dtypes=_DTYPES),
        Sample(tf.image.yuv_to_rgb, [_picture()], dtypes=_DTYPES),
        Sample(tf.image.rgb_to_yiq, [_picture()], dtypes=_DTYPES),
        Sample(tf.image.yiq_to_rgb, [_picture()], dtypes=_DTYPES),
        *[
            Sample(
                tf.image.resize,
                [call(reals(1, 3, 4, 2), [5, 3], method=method),
                 call(reals(2, 2, 1), [4, 4], method=method, antialias=True),
                 call(reals(1, 4, 4, 1), [2, 2], method=method, antialias=True)],
                name=f"resize({method})", dtypes=("float32", "uint8"),
                single="" if method == "nearest" else "it computes in float32",
            )
            for method in ("bilinear", "nearest", "bicubic", "area", "lanczos3", "lanczos5",
                           "gaussian", "mitchellcubic")
        ],
        Sample(tf.image.resize_with_crop_or_pad, [call(reals(4, 3, 1), 2, 5)]),
        Sample(tf.image.resize_with_pad, [call(reals(1, 4, 2, 1), 3, 3)], dtypes=("float32",),
               single="it computes in float32"),
        # The borders are drawn at random; a whole ratio leaves nothing to draw.
        Sample(lambda tf, x: tf.square(_fractional(tf.nn.fractional_max_pool, x)),
               [distinct(1, 4, 4, 1)], name="square(fractional_max_pool)", dtypes=("float32", "float64")),
        Sample(lambda tf, x: tf.square(_fractional(tf.nn.fractional_avg_pool, x)),
               [reals(1, 4, 4, 1)], name="square(fractional_avg_pool)", dtypes=("float32", "float64")),
        Sample(
            tf.image.crop_and_resize,
            [call(reals(2, 4, 4, 1), given([[0.1, 0.2, 0.8, 0.9], [0.0, 0.0, 1.0, 0.5]], "float32"),
                  given([0, 1], "int32"), [2, 3])],
            dtypes=("float32",), single="it computes in float32",
            fixed={1: "a box that ends at the border has a kink there"},
        ),
        Sample(lambda tf, x, b: tf.square(tf.image.crop_and_resize(x, b, [0], [2, 2])),
               [(reals(1, 4, 4, 1), given([[0.1, 0.2, 0.8, 0.9]], "float32"))],
               name="square(crop_and_resize)", dtypes=("float32",),
               single="it computes in float32"),
        Sample(tf.image.extract_patches, [call(reals(1, 4, 4, 2), [1, 2, 2, 1], [1, 1, 2, 1],
               [1, 1, 1, 1], "VALID"), call(reals(1, 3, 3, 1), [1, 2, 2, 1], [1, 1, 1, 1],
               [1, 2, 1, 1], "SAME")]),
        Sample(tf.extract_volume_patches, [call(reals(1, 3, 3, 2, 1), [1, 2, 2, 1, 1],
               [1, 1, 1, 1, 1], "VALID")], dtypes=_DTYPES),
        Sample(tf.image.extract_glimpse, [call(reals(1, 4, 4, 1), [2, 2],
               given([[0.5, -0.25]], "float32"))], dtypes=("float32",),
               single="it computes in float32",
               fixed={1: "the offsets count as constants, as in TensorFlow"}),
    ]  # fmt: skip

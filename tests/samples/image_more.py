"""Pictures resampled, cut into pieces, compared, and in other colours."""

from __future__ import annotations

from typing import Any

from . import Sample, at, call
from .draws import REAL_FLOATS, between, distinct, given, integers, reals

SINGLE_DOUBLE = ("float32", "float64")
SINGLE_INSIDE = "it computes in float32"
_PLACED = "scale and translation count as constants, as in TensorFlow"
SINGLE: dict[str, Any] = {"single": SINGLE_INSIDE, "rounds": SINGLE_INSIDE}
PICTURES = (*REAL_FLOATS, "uint8", "int32")
COLORS = [
    [0.125, 0.5, 0.75],
    [0.75, 0.5, 0.125],
    [0.25, 0.875, 0.5],
    [0.875, 0.25, 0.5],
    [0.5, 0.25, 0.75],
]
BOXES = [[0.1, 0.2, 0.8, 0.9], [0.9, 0.7, 0.2, 0.1]]


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    return [
        *_resizing(tf), *_raw_resizing(tf), *_colors(tf), *_pieces(tf), *_quality(tf), *_boxes(tf),
        *_random(tf), *_projections(tf),
    ]  # fmt: skip


def _resizing(tf: Any) -> list[Sample]:
    image = tf.image
    methods = [
        "bilinear",
        "bicubic",
        "area",
        "nearest",
        "lanczos3",
        "lanczos5",
        "gaussian",
        "mitchellcubic",
    ]
    larger = [call(reals(1, 3, 4, 2), [5, 6], method=method) for method in methods]
    smaller = [
        call(reals(5, 7, 1), [2, 3], method=method, antialias=antialias)
        for method in methods for antialias in (False, True)
    ]  # fmt: skip
    return [
        Sample(image.resize, [call(reals(1, 3, 4, 2), [5, 3]), *larger, *smaller,
               call(reals(1, 1, 1, 1), [2, 3]), call(reals(0, 3, 3, 1), [2, 2]),
               call(reals(2, 3, 1), [3, 7], preserve_aspect_ratio=True),
               call(reals(1, 40, 3, 1), [3, 3], method="lanczos5", antialias=True)],
               dtypes=PICTURES, **SINGLE),
        Sample(image.resize_with_pad, [call(reals(1, 3, 4, 1), 5, 5), call(reals(3, 4, 1), 2, 7),
               call(reals(3, 4, 1), 2, 2, method="bicubic", antialias=True)],
               dtypes=SINGLE_DOUBLE, **SINGLE),
        Sample(image.resize_with_crop_or_pad, [call(reals(1, 3, 4, 1), 2, 7), call(reals(4, 5, 1), 7, 2),
               call(reals(3, 4, 1), 3, 4)], dtypes=("float32", "float64", "uint8")),
    ]  # fmt: skip


def _raw_resizing(tf: Any) -> list[Sample]:
    raw = tf.raw_ops
    large, small = reals(1, 5, 4, 1), reals(1, 3, 2, 1)
    centers = [{}, {"align_corners": True}, {"half_pixel_centers": True}]
    dtypes: dict[str, Any] = {"dtypes": ("float32",), "single": SINGLE_INSIDE}
    rows = [
        Sample(op, [call(images=large, size=size, **how) for how in centers for size in ([3, 2], [7, 7])],
               dtypes=("float32",), single=single)
        for op, single in ((raw.ResizeBilinear, SINGLE_INSIDE), (raw.ResizeBicubic, SINGLE_INSIDE),
                           (raw.ResizeNearestNeighbor, ""))
    ]  # fmt: skip
    rows.append(Sample(raw.ResizeBicubicGrad, [
        call(grads=large, original_image=small, **how) for how in centers
    ], **dtypes))  # fmt: skip
    kernels = ["lanczos1", "lanczos3", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"]
    placed = {"scale": given([1.5, 0.7], "float32"), "translation": given([0.3, -0.4], "float32")}
    return rows + [
        Sample(raw.ResizeNearestNeighborGrad, [call(grads=large, size=[3, 2], **how) for how in centers],
               dtypes=("float32",)),
        Sample(raw.ResizeArea, [call(images=large, size=[3, 2], align_corners=True),
               call(images=small, size=[5, 1])], **dtypes),
        Sample(raw.ScaleAndTranslate, [call(images=large, size=[4, 3], kernel_type=kernel, **placed)
               for kernel in kernels], **dtypes, fixed=dict.fromkeys((1, 2), _PLACED)),
        Sample(raw.ScaleAndTranslateGrad, [
               call(grads=large, original_image=small, kernel_type=kernel, **placed)
               for kernel in kernels], **dtypes, fixed=dict.fromkeys((2, 3), _PLACED)),
    ]  # fmt: skip


def _colors(tf: Any) -> list[Sample]:
    image = tf.image
    return [
        Sample(image.rgb_to_hsv, [given(COLORS), reals(0, 3)],
               at=[at(([[0.5, 0.5, 0.5], [0.7, 0.5, 0.5], [0.5, 0.7, 0.7], [0.0, 0.0, 0.0]],)),
                   at(([0.5, 0.25, 0.0],), ([1.0 - 1 / 6, 1 / 3, -2.0 - 1 / 6],),
                      differs="the saturation does change with a channel that is 0")],
               dtypes=("float32", "float64", "float16")),
        Sample(image.hsv_to_rgb, [between(0.0, 1.0, 3, 3), between(-2.0, 2.0, 4, 3)],
               dtypes=REAL_FLOATS, differentiable=False),
        Sample(image.rgb_to_yiq, [reals(2, 3), reals(3)], dtypes=SINGLE_DOUBLE),
        Sample(image.yiq_to_rgb, [reals(2, 3)], dtypes=SINGLE_DOUBLE),
        Sample(image.rgb_to_yuv, [reals(2, 3)], dtypes=SINGLE_DOUBLE),
        Sample(image.yuv_to_rgb, [reals(2, 3)], dtypes=SINGLE_DOUBLE),
        # No gradients on purpose: TensorFlow has none.
        Sample(image.adjust_hue, [call(between(0.0, 1.0, 2, 2, 3), 0.1),
               call(between(-1.0, 2.0, 2, 2, 3), -0.7)],
               dtypes=SINGLE_DOUBLE, differentiable=False),
        Sample(image.adjust_saturation, [call(between(0.0, 1.0, 2, 2, 3), 0.5),
               call(between(-1.0, 2.0, 2, 2, 3), 3.0)], dtypes=SINGLE_DOUBLE, differentiable=False,
               rounds=SINGLE_INSIDE),
    ]  # fmt: skip


def _pieces(tf: Any) -> list[Sample]:
    image, raw = tf.image, tf.raw_ops
    boxes, first = given(BOXES, "float32"), given([0, 1], "int32")
    patches = {"sizes": [1, 2, 3, 1], "strides": [1, 1, 2, 1], "rates": [1, 1, 1, 1]}
    glimpse = {"offsets": given([[0.5, -0.25], [-1.0, 1.0]], "float32"), "noise": "zero"}
    return [
        Sample(image.crop_and_resize, [call(reals(2, 4, 5, 2), boxes, first, [3, 2]),
               call(reals(2, 4, 5, 1), boxes, first, [3, 4], method="nearest"),
               call(reals(2, 4, 5, 1), boxes, first, [1, 1]),
               call(reals(1, 4, 5, 1), given([[-0.3, 0.2, 0.6, 1.3]], "float32"), given([0], "int32"), [3, 3],
                    extrapolation_value=0.5)],
               dtypes=("float32", "float64", "float16", "uint8"), **SINGLE,
               fixed={1: "the nearest pixel, and the border, do not change smoothly with a box"}),
        Sample(raw.CropAndResizeGradImage, [call(grads=reals(2, 3, 2, 1), boxes=boxes, box_ind=first,
               image_size=[2, 4, 5, 1], T=tf.float32)], dtypes=("float32",), single=SINGLE_INSIDE),
        Sample(raw.CropAndResizeGradBoxes, [call(grads=reals(2, 3, 2, 1), image=reals(2, 4, 5, 1),
               boxes=boxes, box_ind=first)], dtypes=("float32",), differentiable=False),
        Sample(image.extract_patches, [call(reals(1, 4, 5, 2), padding="VALID", **patches),
               call(reals(2, 4, 5, 1), padding="SAME", **patches),
               call(reals(1, 4, 5, 1), [1, 2, 2, 1], [1, 1, 1, 1], [1, 2, 2, 1], "SAME"),
               call(reals(1, 4, 5, 1), [1, 2, 2, 1], [1, 3, 3, 1], [1, 2, 1, 1], "VALID"),
               call(reals(0, 4, 5, 1), padding="VALID", **patches)]),
        Sample(raw.ExtractVolumePatches, [
               call(input=reals(1, 2, 3, 3, 2), ksizes=[1, 1, 2, 2, 1], strides=[1, 1, 1, 2, 1],
                    padding="SAME"),
               call(input=reals(1, 2, 3, 3, 1), ksizes=[1, 2, 2, 2, 1], strides=[1, 1, 1, 1, 1],
                    padding="VALID")], dtypes=("float32", "float64", "int32")),
        Sample(image.extract_glimpse, [call(reals(2, 4, 5, 2), [2, 3], **glimpse),
               call(reals(2, 4, 5, 1), [3, 3], centered=False, **glimpse),
               call(reals(2, 4, 5, 1), [3, 2], normalized=False, **glimpse),
               call(reals(2, 4, 5, 1), [2, 2], centered=False, normalized=False, **glimpse)],
               dtypes=("float32",), single=SINGLE_INSIDE,
               fixed={1: "the offsets count as constants, as in TensorFlow"}),
    ]  # fmt: skip


def _quality(tf: Any) -> list[Sample]:
    image = tf.image
    pair = (between(0.0, 1.0, 2, 6, 7, 2), between(0.0, 1.0, 2, 6, 7, 2))
    large = (between(0.0, 1.0, 1, 9, 10, 1), between(0.0, 1.0, 1, 9, 10, 1))
    small = {"filter_size": 3, "filter_sigma": 0.8}
    dtypes: dict[str, Any] = {"dtypes": ("float32", "float64", "uint8"), **SINGLE}

    def alike(tf: Any, picture: Any, change: Any, **attributes: Any) -> Any:
        return tf.image.ssim_multiscale(picture, picture + change * 0.0625, 1.0, **attributes)

    return [
        Sample(image.psnr, [call(*pair, 1.0), call(reals(3, 3, 1), reals(3, 3, 1), 255.0)], **dtypes),
        Sample(image.ssim, [call(*pair, 1.0, **small), call(*pair, 1.0, return_index_map=True, **small),
               call(*pair, 2.0, filter_size=5, k1=0.02, k2=0.1)], **dtypes),
        Sample(alike, [call(*large, power_factors=(0.3, 0.7), **small)], name="image.ssim_multiscale",
               dtypes=("float32",), single=SINGLE_INSIDE),
        Sample(image.sobel_edges, [reals(2, 3, 4, 2), reals(1, 2, 2, 1)], dtypes=SINGLE_DOUBLE),
        Sample(image.image_gradients, [reals(2, 3, 4, 2), reals(1, 1, 1, 1)]),
    ]  # fmt: skip


def _boxes(tf: Any) -> list[Sample]:
    image = tf.image
    boxes = given(
        [[0.0, 0.0, 1.0, 1.0], [1.0, 0.75, 0.0, 0.0], [2.0, 2.0, 3.0, 3.0], [0.0, 0.0, 0.5, 1.0]]
    )
    upright = given(
        [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.75], [2.0, 2.0, 3.0, 3.0], [0.0, 0.0, 0.5, 1.0]]
    )
    scores = given([0.5, 0.875, 0.25, 0.5])
    return [
        Sample(image.draw_bounding_boxes, [
               call(reals(1, 6, 7, 3), given([[[0.2, 0.1, 0.8, 0.7], [-0.2, 0.5, 0.5, 1.3]]], "float32"),
                    given([[0.5, 0.25, 1.0]], "float32")),
               call(reals(1, 5, 5, 4), given([[[0.0, 0.0, 1.0, 1.0]]], "float32"), None),
               call(reals(1, 5, 5, 1), given([[[0.0, 0.0, 0.6, 0.6]]], "float32"), None)],
               dtypes=("float32", "float16"), differentiable=False),
        Sample(image.non_max_suppression, [call(boxes, scores, 4), call(boxes, scores, 2, 0.9),
               call(boxes, scores, 4, 0.4, 0.3), call(boxes, scores, 0)], dtypes=("float32",),
               differentiable=False),
        Sample(image.non_max_suppression_with_scores, [call(boxes, scores, 4),
               call(boxes, scores, 4, soft_nms_sigma=0.5)], dtypes=("float32",), differentiable=False),
        Sample(image.non_max_suppression_padded, [call(upright, scores, 4, pad_to_max_output_size=True),
               call(upright, scores, 4)], dtypes=("float32",), differentiable=False),
        Sample(image.combined_non_max_suppression, [
               call(between(-0.25, 1.25, 2, 5, 1, 4), distinct(2, 5, 3), 2, 7),
               call(between(0.0, 1.0, 1, 5, 2, 4), distinct(1, 5, 2), 3, 4, 0.25, -0.5),
               call(between(-0.25, 1.25, 1, 5, 1, 4), distinct(1, 5, 2), 2, 9, pad_per_class=True,
                    clip_boxes=False)], dtypes=("float32",), differentiable=False),
        Sample(image.stateless_sample_distorted_bounding_box, [
               call([120, 90, 3], given([[[0.1, 0.2, 0.7, 0.8], [0.0, 0.0, 0.3, 0.3]]]), (1, 8), 0.3),
               call([57, 211, 3], given([[[0.1, 0.2, 0.7, 0.8]]]), (2, 3), 0.5, (0.5, 2.0), (0.1, 0.9), 9),
               call([9, 9, 1], given([[[0.0, 0.0, 1.0, 1.0]]]), (2, 3), 1.0, max_attempts=2)],
               dtypes=("float32",), differentiable=False),
        Sample(image.non_max_suppression_overlaps, [
               call(given([[1.0, 0.75, 0.0], [0.75, 1.0, 0.0], [0.0, 0.0, 1.0]]),
               given([0.5, 0.875, 0.25]), 3)], dtypes=("float32",), differentiable=False),
    ]  # fmt: skip


def _random(tf: Any) -> list[Sample]:
    image = tf.image
    seed = given([3, 7], "int32")
    return [
        Sample(image.stateless_random_flip_left_right, [call(reals(8, 2, 3, 1), seed),
               call(reals(2, 3, 1), (1, 2))],
               dtypes=("float32", "uint8")),
        Sample(image.stateless_random_flip_up_down, [call(reals(8, 2, 3, 1), seed),
               call(reals(2, 3, 1), (1, 3))],
               dtypes=("float32", "uint8")),
        Sample(image.stateless_random_crop, [call(reals(5, 6, 2), [2, 3, 2], seed)]),
        Sample(image.stateless_random_brightness, [call(between(0.0, 1.0, 2, 2, 3), 0.25, seed)],
               dtypes=("float32", "uint8")),
        Sample(image.stateless_random_contrast, [call(between(0.0, 1.0, 2, 2, 3), 0.5, 2.0, seed)],
               dtypes=("float32",), differentiable=False),
        Sample(image.stateless_random_hue, [call(between(0.0, 1.0, 2, 2, 3), 0.25, seed)],
               dtypes=("float32",), differentiable=False),
        Sample(image.stateless_random_saturation, [call(between(0.0, 1.0, 2, 2, 3), 0.5, 2.0, seed)],
               dtypes=("float32",), differentiable=False),
    ]  # fmt: skip


def _projections(tf: Any) -> list[Sample]:
    raw = tf.raw_ops
    # In eighths, so that numbers next to whole ones are not cut to the one or the other.
    turned, sheared = (
        [0.75, -0.5, 1.25, 0.5, 0.75, -1.25, 0.0, 0.0],
        [2.5, 0.125, -7.5, 0.0, -1.5, 0.25, 0.0, 0.0],
    )
    tilted = given([[1.1, 0.1, -0.7, -0.2, 0.9, 0.3, 0.03, -0.02]], "float32")
    moved = given([[1.0, 0.0, 1.0, 0.0, 1.0, -1.0, 0.0, 0.0]], "float32")
    both = given([turned, sheared], "float32")
    fill = given(-5.0, "float32")
    modes = ("CONSTANT", "REFLECT", "WRAP", "NEAREST")
    ways = [
        {"fill_mode": mode, "interpolation": way}
        for mode in modes
        for way in ("NEAREST", "BILINEAR")
    ]
    return [
        # Where pixels are mixed TensorFlow's gradient is not the transpose: test_ops_signal.py.
        Sample(raw.ImageProjectiveTransformV3, [call(images=integers(0, 99, 2, 4, 6, 2), transforms=both,
               fill_value=fill, output_shape=[5, 4], **way) for way in ways] + [
               call(images=integers(0, 99, 2, 4, 6, 2), transforms=tilted, fill_value=fill,
                    output_shape=[5, 4], **way) for way in ways[::2]], dtypes=("float32",),
               differentiable=False),
        Sample(raw.ImageProjectiveTransformV2, [call(images=reals(2, 4, 6, 2), transforms=moved,
               output_shape=[4, 6], **ways[0]), call(images=reals(1, 4, 6, 1), transforms=moved,
               output_shape=[4, 6], **ways[1])], dtypes=(*REAL_FLOATS, "uint8", "int32"),
               single="its transforms are float32",
               fixed={1: "the transforms count as constants, as in TensorFlow"}),
    ]  # fmt: skip

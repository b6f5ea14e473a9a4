"""Activations, pooling, normalisation and resizing of quantised tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Op
from tapegrad.core.abstract import infer
from tapegrad.ops.args import static_bool, static_ints
from tapegrad.ops.image.resample import bilinear_taps
from tapegrad.ops.image.resize import ATTRIBUTES as SIZES
from tapegrad.ops.image.resize import checked_taps, resize_bilinear_op
from tapegrad.ops.nn.pool import average_pool2d_op, max_pool2d_op
from tapegrad.ops.op import op
from tapegrad.ops.quantize.quantized import SINGLE, first_floats, first_steps, quantized_dtype
from tapegrad.ops.quantize.ranges import (
    BYTES,
    QINT32,
    QUINT8,
    ascending,
    check_pictures,
    computed,
    of_dtype,
    one_for_each_channel,
    one_number,
    packed,
    with_range,
    within,
)
from tapegrad.ops.shape_rules import Abstract

SIGNLESS = frozenset({dtypes.quint8, dtypes.qint32})


# Activations


def _rectified(type: str, most: float | None) -> Op:
    """The op for 0 where the input is negative, and for ``most`` where it is larger than that."""

    @op(
        type,
        dtypes={"features": SIGNLESS, "min_features": SINGLE, "max_features": SINGLE},
        convert={"out_type": quantized_dtype},
        outputs=("activations", "min_activations", "max_activations"),
        values="errors",
    )
    def rectify(xp, features, min_features, max_features, *, out_type=dtypes.quint8):
        """The numbers in the range from 0 on, as they are, and its ends elsewhere."""
        of_dtype(out_type, frozenset({dtypes.from_numpy(features.dtype)}), "out_type")
        low, high = one_number(min_features=min_features, max_features=max_features)

        def step(number: float) -> Any:
            return dtypes.stored(
                within(first_steps(np.float64(number), low, high, out_type), out_type)
            )

        integers = np.maximum(dtypes.stored(features), step(0.0))
        if most is not None:
            integers = np.minimum(integers, step(most))
        return packed(integers, out_type), low, high

    rectify.shape(lambda features, out_type: with_range(features.shape, out_type))
    return rectify


quantized_relu = _rectified("QuantizedRelu", None)
quantized_relu6 = _rectified("QuantizedRelu6", 6.0)


# Pooling


def _pooling(type: str, pool: Op) -> Op:
    """The op that pools as ``pool`` does, in floats, and rounds; halves to the even integer."""

    def settings(ksize: Any, strides: Any, padding: Any) -> tuple[Any, ...]:
        values = {"ksize": ksize, "strides": strides, "padding": padding}
        return tuple(
            values.get(name, default)
            for name, default in zip(pool.attributes, pool.parameter_defaults, strict=True)
        )

    @op(
        type,
        dtypes={"input": BYTES, "min_input": SINGLE, "max_input": SINGLE},
        convert={"ksize": static_ints, "strides": static_ints},
        outputs=("output", "min_output", "max_output"),
        values="errors",
    )
    def pooled(xp, input, min_input, max_input, *, ksize, strides, padding):
        """Pools the integers, whose range stays the same."""
        bounds = one_number(min_input=min_input, max_input=max_input)
        floats = dtypes.stored(input).astype(np.float32)
        attributes = dict(zip(pool.attributes, settings(ksize, strides, padding), strict=True))
        output = np.rint(computed(pool, xp, floats, **attributes))
        return packed(output, dtypes.from_numpy(input.dtype)), *bounds

    @pooled.shape
    def pooled_shape(input, ksize, strides, padding):
        array = Abstract(input.shape, dtypes.float32)
        shape = infer(pool, [array], settings(ksize, strides, padding))[0].shape
        return with_range(shape, input.dtype)

    return pooled


quantized_max_pool = _pooling("QuantizedMaxPool", max_pool2d_op)
quantized_average_pool = _pooling("QuantizedAvgPool", average_pool2d_op)


# Normalisation


@op(
    "QuantizedInstanceNorm",
    dtypes={"x": QUINT8, "x_min": SINGLE, "x_max": SINGLE},
    convert={
        "output_range_given": static_bool,
        "given_y_min": float,
        "given_y_max": float,
        "variance_epsilon": float,
        "min_separation": float,
    },
    outputs=("y", "y_min", "y_max"),
    values="errors",
)
def quantized_instance_norm(
    xp,
    x,
    x_min,
    x_max,
    *,
    output_range_given=False,
    given_y_min=0,
    given_y_max=0,
    variance_epsilon=1e-5,
    min_separation=1e-3,
):
    """Pictures each of whose channels has the mean 0 and the variance 1."""
    low, high = one_number(x_min=x_min, x_max=x_max)
    ascending("x", low, high)
    check_pictures(x, "x")
    floats = first_floats(dtypes.stored(x), low, high, dtypes.quint8)
    places = (1, 2)
    deviations = floats - floats.mean(places, keepdims=True, dtype=np.float32)
    variance = np.square(deviations).mean(places, keepdims=True, dtype=np.float32)
    normal = deviations / np.sqrt(variance + np.float32(variance_epsilon))
    if output_range_given:
        least, most = np.float32(given_y_min), np.float32(given_y_max)
        ascending("the result", least, most)
    elif not normal.size:
        least = most = np.float32(0)
    else:
        least = normal.min()
        most = np.maximum(normal.max(), least + np.float32(min_separation))
    steps = first_steps(normal, least, most, dtypes.quint8)
    return within(steps, dtypes.quint8), least, most


@quantized_instance_norm.shape
def instance_norm_shape(x):
    check_pictures(x, "x")
    return with_range(x.shape, x.dtype)


_PARTS = ("m", "v", "beta", "gamma")


@op(
    "QuantizedBatchNormWithGlobalNormalization",
    dtypes={
        name: QUINT8 if "_" not in name else SINGLE
        for part in ("t", *_PARTS)
        for name in (part, f"{part}_min", f"{part}_max")
    },
    convert={
        "out_type": quantized_dtype,
        "variance_epsilon": float,
        "scale_after_normalization": static_bool,
    },
    outputs=("result", "result_min", "result_max"),
    values="errors",
)
def quantized_batch_norm(
    xp,
    t,
    t_min,
    t_max,
    m,
    m_min,
    m_max,
    v,
    v_min,
    v_max,
    beta,
    beta_min,
    beta_max,
    gamma,
    gamma_min,
    gamma_max,
    *,
    out_type,
    variance_epsilon,
    scale_after_normalization,
):
    """Pictures with the mean ``m`` and the variance ``v`` normalised: scaled by ``gamma``, moved by ``beta``.

    The integers of the result count 2048ths.
    """
    of_dtype(out_type, QINT32, "out_type")
    check_channels(t, m, v, beta, gamma)
    bounds = one_number(
        t_min=t_min,
        t_max=t_max,
        m_min=m_min,
        m_max=m_max,
        v_min=v_min,
        v_max=v_max,
        beta_min=beta_min,
        beta_max=beta_max,
        gamma_min=gamma_min,
        gamma_max=gamma_max,
    )
    pictures, mean, variance, shift, factor = [
        first_floats(dtypes.stored(array), low, high, dtypes.quint8)
        for array, low, high in zip((t, m, v, beta, gamma), bounds[::2], bounds[1::2], strict=True)
    ]
    scale = np.float32(1) / np.sqrt(variance + np.float32(variance_epsilon))
    if scale_after_normalization:
        scale = scale * factor
    ends = np.float32(-(2.0**20)), np.float32(2.0**20)

    def counted(floats: Any) -> Any:
        return dtypes.stored(within(first_steps(floats, *ends, out_type), out_type)).astype(
            np.float64
        )

    # As TensorFlow, in integers: scale and offset are rounded before they are used, and the product after.
    product = np.trunc(counted(pictures) * counted(scale) / counted(np.float32(1)))
    return packed(product + counted(shift - mean * scale), out_type), *ends


def check_channels(t: Any, *parts: Any) -> None:
    """Raise unless ``parts`` are vectors with a number for each channel of the pictures ``t``."""
    check_pictures(t, "t")
    one_for_each_channel(t.shape, **dict(zip(_PARTS, parts, strict=True)))


@quantized_batch_norm.shape
def batch_norm_shape(t, m, v, beta, gamma, out_type):
    check_channels(t, m, v, beta, gamma)
    return with_range(t.shape, out_type)


# Resizing


@op(
    "QuantizedResizeBilinear",
    dtypes={"images": SIGNLESS | SINGLE, "min": SINGLE, "max": SINGLE},
    convert=SIZES,
    outputs=("resized_images", "out_min", "out_max"),
    values="errors",
)
def quantized_resize_bilinear(
    xp, images, min, max, *, size, align_corners=False, half_pixel_centers=False
):
    """Pictures in another size, as `resize_bilinear_op` makes them, whose range stays the same."""
    bounds = one_number(min=min, max=max)
    how = (size, align_corners, half_pixel_centers)
    if images.dtype == np.float32:
        return computed(
            resize_bilinear_op,
            xp,
            images,
            size=size,
            align_corners=align_corners,
            half_pixel_centers=half_pixel_centers,
        ), *bounds
    rows, columns = checked_taps(xp, images.shape, size, bilinear_taps, how[1:])
    dtype = dtypes.from_numpy(images.dtype)
    mix = mixed_bytes if dtype is dtypes.quint8 else mixed_integers
    return packed(mix(dtypes.stored(images).astype(np.int64), rows, columns), dtype), *bounds


def neighbours(images: Any, rows: Any, columns: Any) -> tuple[list[Any], Any, Any]:
    """For each new pixel the four old ones around it, and how far it is from the first down and right."""
    (upper, lower), (left, right) = rows[0].T, columns[0].T
    corners = [
        images[:, down][:, :, across]
        for down, across in ((upper, left), (upper, right), (lower, left), (lower, right))
    ]
    return corners, rows[1][:, 1][:, None, None], columns[1][:, 1][:, None]


def mixed_bytes(images: Any, rows: Any, columns: Any) -> Any:
    """As TensorFlow mixes bytes: in 128ths, and the difference of the rows is cut to whole numbers."""
    (first, second, third, fourth), down, across = neighbours(images, rows, columns)
    down, across = (np.trunc(part * np.float32(128)).astype(np.int64) for part in (down, across))
    upper, lower = first * 128 + (second - first) * across, third * 128 + (fourth - third) * across
    difference = np.trunc((lower - upper) / 128).astype(np.int64)
    return (upper + difference * down + 64) >> 7


def mixed_integers(images: Any, rows: Any, columns: Any) -> Any:
    (first, second, third, fourth), down, across = neighbours(
        images.astype(np.float64), rows, columns
    )
    upper, lower = first + (second - first) * across, third + (fourth - third) * across
    return np.rint(upper + (lower - upper) * down)


@quantized_resize_bilinear.shape
def resized_shape(images, size, align_corners, half_pixel_centers):
    array = Abstract(images.shape, dtypes.float32)
    settings = (size, align_corners, half_pixel_centers)
    return with_range(infer(resize_bilinear_op, [array], settings)[0].shape, images.dtype)

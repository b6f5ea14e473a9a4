"""Ops on quantised tensors, beyond the rows of the table: rounding, wrong ranks, recordings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf


def in_bytes(numbers: Any) -> Any:
    return tf.bitcast(tf.constant(np.array(numbers, np.uint8)), tf.quint8)


def plain(tensor: Any) -> Any:
    return tf.bitcast(tensor, tensor.dtype.name[1:]).numpy().tolist()


def test_means_of_pooling_are_rounded_and_halves_go_to_the_even_integer() -> None:
    pictures = in_bytes([[[[1], [2], [2], [3], [7], [7]]]])
    pooled = tf.raw_ops.QuantizedAvgPool(
        input=pictures,
        min_input=0.0,
        max_input=1.0,
        ksize=[1, 1, 2, 1],
        strides=[1, 1, 2, 1],
        padding="VALID",
    )
    assert plain(pooled.output) == [[[[2], [2], [7]]]]


@pytest.mark.parametrize("name", ["QuantizedAdd", "QuantizedMul"])
def test_operands_broadcast_as_anywhere(name: str) -> None:
    rows, columns = in_bytes([[10], [200]]), in_bytes([[3, 90]])
    bounds = {"min_x": -1.0, "max_x": 2.0, "min_y": 0.0, "max_y": 1.0}
    result, low, high = getattr(tf.raw_ops, name)(x=rows, y=columns, **bounds)
    x, y = [
        tf.quantization.dequantize(part, *ends, mode="MIN_FIRST").numpy()
        for part, *ends in ((rows, -1.0, 2.0), (columns, 0.0, 1.0))
    ]
    found = tf.quantization.dequantize(result, low, high, mode="MIN_FIRST").numpy()
    np.testing.assert_allclose(found, x + y if name == "QuantizedAdd" else x * y, atol=1e-3)


def test_integers_of_32_bits_are_resized_as_pictures_of_floats() -> None:
    numbers = np.arange(-6, 6, dtype=np.int32).reshape(1, 3, 4, 1) * 100_000_000
    images = tf.bitcast(tf.constant(numbers), tf.qint32)
    resized = tf.raw_ops.QuantizedResizeBilinear(images=images, size=[5, 6], min=-1.0, max=1.0)
    floats = tf.raw_ops.ResizeBilinear(images=numbers.astype(np.float32), size=[5, 6]).numpy()
    np.testing.assert_allclose(plain(resized.resized_images), floats, atol=128)


def test_pictures_that_are_normalised_have_four_axes() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="x must have rank 4"):
        tf.raw_ops.QuantizedInstanceNorm(x=in_bytes([[1, 2]]), x_min=0.0, x_max=1.0)


def test_a_network_in_bytes_is_recorded_for_any_size_of_the_batch() -> None:
    weights = in_bytes(np.arange(6).reshape(3, 2))

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def network(x: Any) -> Any:
        part, *ends = tf.quantization.quantize(x, -1.0, 1.0, tf.quint8, mode="MIN_FIRST")
        product = tf.raw_ops.QuantizedMatMul(
            a=part, b=weights, min_a=ends[0], max_a=ends[1], min_b=0.0, max_b=2.0
        )
        low, high = tf.raw_ops.RequantizationRange(
            input=product.out, input_min=product.min_out, input_max=product.max_out
        )
        narrow = tf.raw_ops.Requantize(
            input=product.out,
            input_min=product.min_out,
            input_max=product.max_out,
            requested_output_min=low,
            requested_output_max=high,
            out_type=tf.quint8,
        )
        active = tf.raw_ops.QuantizedRelu(
            features=narrow.output, min_features=low, max_features=high
        )
        return tf.quantization.dequantize(*active, mode="MIN_FIRST")

    kernel = np.arange(6).reshape(3, 2) * 2.0 / 255
    for rows in (2, 2, 5, 1):
        x = np.linspace(-1.0, 1.0, 3 * rows, dtype=np.float32).reshape(rows, 3)
        np.testing.assert_allclose(network(x), np.maximum(x @ kernel, 0.0), atol=0.01)


def test_what_fits_no_channel_says_so_and_not_that_the_dtype_is_wrong() -> None:
    bounds = {"min_input": 0.0, "max_input": 1.0, "min_bias": 0.0, "max_bias": 1.0}
    with pytest.raises(tf.errors.InvalidArgumentError, match="for each of the 2 channels"):
        tf.raw_ops.QuantizedBiasAdd(
            input=in_bytes([[1, 2]]), bias=in_bytes([1, 2, 3]), out_type=tf.qint32, **bounds
        )
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"quantized_add of \[3\] quint8, \[2\]"
    ):
        tf.raw_ops.QuantizedAdd(
            x=in_bytes([1, 2, 3]), y=in_bytes([1, 2]), min_x=0.0, max_x=1.0, min_y=0.0, max_y=1.0
        )


@pytest.mark.parametrize(("values", "ranges"), [(0, (0, 0)), (1, (1, 1)), (2, (1, 2)), (2, (2, 1))])
def test_values_that_are_joined_have_a_range_each(values: int, ranges: tuple[int, int]) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"there are {values} values"):
        tf.raw_ops.QuantizedConcat(
            concat_dim=0,
            values=[in_bytes([1])] * values,
            input_mins=[0.0] * ranges[0],
            input_maxes=[1.0] * ranges[1],
        )

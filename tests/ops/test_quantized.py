"""Tensors of the quantised types: what can be done with them, and what cannot."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

TYPES = {
    "qint8": "int8",
    "quint8": "uint8",
    "qint16": "int16",
    "quint16": "uint16",
    "qint32": "int32",
}


def made(name: str) -> Any:
    return tf.constant([[1, 2], [3, 4]], getattr(tf, name))


MOVED = {
    "index": lambda x: x[1],
    "reshape": lambda x: tf.reshape(x, [4]),
    "transpose": tf.transpose,
    "stack": lambda x: tf.stack([x, x]),
    "concat": lambda x: tf.concat([x, x], 0),
    "gather": lambda x: tf.gather(x, [1, 0]),
    "tile": lambda x: tf.tile(x, [2, 1]),
    "pad": lambda x: tf.pad(x, [[1, 0], [0, 1]]),
    "where": lambda x: tf.where([True, False], x, x),
    "identity": tf.identity,
    "zeros_like": tf.zeros_like,
    "variable": lambda x: tf.Variable(x).assign(x).value(),
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "deepcopy": copy.deepcopy,
    "bitcast": lambda x: (
        tf.bitcast(tf.bitcast(x, TYPES[x.dtype.name]), x.dtype) if x.dtype.is_quantized else x
    ),
    "scatter_nd": lambda x: tf.scatter_nd([[0]], x[:1], [2, 2]),
}


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("how", MOVED)
def test_values_move_as_the_integers_do(name: str, how: str) -> None:
    plain = tf.constant([[1, 2], [3, 4]], TYPES[name])
    moved = MOVED[how](made(name))
    assert moved.dtype is getattr(tf, name)
    expected = MOVED[how](plain).numpy()
    assert moved.numpy().dtype == expected.dtype
    np.testing.assert_array_equal(moved.numpy(), expected)


@pytest.mark.parametrize("name", TYPES)
def test_making_and_casting(name: str) -> None:
    dtype, plain = getattr(tf, name), TYPES[name]
    x = made(name)
    assert repr(x) == repr(tf.cast(x, plain)).replace(
        f"dtype={plain}, numpy", f"dtype={name}, numpy"
    )
    assert str(x) == str(tf.cast(x, plain)).replace(plain, name)
    assert f"{x[0, 1]}" == "2"
    assert int(x[0, 1]) == 2
    assert x[0, 1].numpy() == np.dtype(plain).type(2)
    assert tf.cast(tf.cast([1.7, -2.2], dtype), tf.int64)[0] == 1
    assert tf.cast(x, tf.complex64).numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.zeros([2], dtype).numpy().tolist() == [0, 0]
    assert tf.ones([2], dtype).dtype is dtype
    assert tf.convert_to_tensor(np.array([5], plain), dtype).numpy().tolist() == [5]
    assert tf.convert_to_tensor(np.array([5], plain).view(dtype.as_numpy_dtype)).dtype is dtype
    assert tf.as_dtype(dtype.as_numpy_dtype) is dtype
    with pytest.raises(TypeError):
        tf.constant([1.5], dtype)
    with pytest.raises(TypeError, match="minimum"):
        dtype.min  # noqa: B018


REFUSED = {
    "add": lambda x: x + x,
    "negative": lambda x: -x,
    "matmul": lambda x: x @ x,
    "relu": tf.nn.relu,
    "reduce_max": tf.reduce_max,
    "equal": lambda x: tf.equal(x, x),
}


@pytest.mark.parametrize("how", REFUSED)
def test_arithmetic_is_refused(how: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not take qint8"):
        REFUSED[how](made("qint8"))


def test_no_gradient_flows() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.cast(x, tf.qint8), tf.float32)
    assert tape.gradient(y, x) is None
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.quantization.quantize(x, 0.0, 3.0, tf.qint8).output_max
    with pytest.raises(LookupError, match="QuantizeV2"):
        tape.gradient(y, x)


def test_what_does_not_fit_32_bits_is_the_nearest_that_does() -> None:
    output = tf.quantization.quantize([9.0, -9.0], -1.0, 2.0, tf.qint32).output
    assert output.numpy().tolist() == [2**31 - 1, -(2**31)]


@pytest.mark.parametrize("dtype", TYPES)
def test_there_and_back(dtype: str) -> None:
    values = np.linspace(-1.5, 2.5, 41, dtype=np.float32)
    steps = 2 ** (8 * getattr(tf, dtype).size) - 1
    for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
        if mode == "SCALED" and dtype.startswith("qu"):
            continue  # nothing is left below zero
        quantized = tf.quantization.quantize(values, -1.5, 2.5, getattr(tf, dtype), mode=mode)
        back = tf.quantization.dequantize(*quantized, mode=mode)
        np.testing.assert_allclose(back, values, atol=5.0 / steps + 1e-6)

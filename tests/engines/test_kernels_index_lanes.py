"""Lanes beside the kernels they stand in for: scatters, gathers, norms, resized pictures, convolutions.

On every layout and alignment, and at every level of vectors. Where a lane leaves a call to the kernel, both
are the same.
"""

import itertools

import numpy as np
import pytest
from test_kernels_lanes import DTYPES, layouts, level, numbers

import tapegrad as tf
from tapegrad import core
from tapegrad.engines.numpy import xp

assert level  # a fixture: every test runs at every level


def kernel_of(type, *arrays, **attributes):
    """What the op's kernel gives, and not its lane."""
    return core.registry[type].kernel(xp, *arrays, **attributes)


PLACES = [
    ((5,), [[0], [4], [0]]),
    ((5,), [[3]]),
    ((4, 3), [[1], [1], [3]]),
    ((4, 3), [[1, 2], [0, 0], [1, 2]]),
    ((2, 3, 4), [[[1, 2], [0, 0]], [[1, 1], [0, 2]]]),
    ((2, 3, 4), [[1, 2, 3]]),
    ((3, 2), np.zeros((0, 1), np.int32)),
    ((300, 40), np.arange(300)[::-1, None] % 7),
]


@pytest.mark.parametrize("index_type", [np.int16, np.int32, np.int64])
@pytest.mark.parametrize(
    "dtype", [*DTYPES, "int8", "uint16", "int32", "int64", "complex64", "bool"]
)
@pytest.mark.parametrize("case", PLACES, ids=lambda case: f"{case[0]}-{np.shape(case[1])}")
def test_gathers_and_scatters(case, dtype, index_type):
    shape, places = case
    x, places = numbers(shape, "float32").astype(dtype), np.asarray(places, index_type)
    depth = places.shape[-1]
    updates = numbers((*places.shape[:-1], *shape[depth:]), "float32").astype(dtype)
    for given in layouts(x):
        found = tf.gather_nd(tf.constant(given), tf.constant(places)).numpy()
        expected = given[tuple(np.moveaxis(places, -1, 0))]
        np.testing.assert_array_equal(found, expected, strict=True)
        for name, type in (
            ("tensor_scatter_nd_add", "TensorScatterAdd"),
            ("tensor_scatter_nd_sub", "TensorScatterSub"),
            ("tensor_scatter_nd_update", "TensorScatterUpdate"),
        ):
            if index_type is np.int16 or (dtype == "bool" and "update" not in name):
                continue
            for more in layouts(updates):
                arguments = (tf.constant(given), tf.constant(places), tf.constant(more))
                found = getattr(tf, name)(*arguments).numpy()
                expected = kernel_of(type, given, places, more, bad_indices_policy=False)
                np.testing.assert_array_equal(found, expected, strict=True)
    for more in layouts(updates):
        found = tf.scatter_nd(tf.constant(places), tf.constant(more), shape).numpy()
        expected = kernel_of("ScatterNd", places, more, shape=shape, bad_indices_policy=False)
        np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("places", [[[3]], [[-1]], [[0, 1, 2]]])
def test_places_outside(places):
    x, updates = tf.zeros([3, 2]), tf.ones([1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gather_nd(x, places)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.tensor_scatter_nd_update(x, places, updates)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.scatter_nd(places, updates, [3, 2])
    np.testing.assert_array_equal(x, np.zeros([3, 2]))


def close(found, expected, dtype):
    limit = 1e-5 if dtype == "float32" else 1e-13
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=limit, atol=limit)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shapes",
    [
        ((3, 5), (3, 1), (5,)),
        ((2, 3, 4), (2, 3, 1), (4,)),
        ((2, 3, 4), (2, 1, 1), (3, 4)),
        ((2, 3, 4), (4,), (4,)),
        ((2, 3, 4), (1, 3, 1), (1, 3, 1)),
        ((2, 3, 1, 4), (1, 1, 1, 4), (4,)),
        ((300, 200), (300, 1), (200,)),
        ((300, 200), (200,), (200,)),
        ((1, 1), (1, 1), (1,)),
    ],
    ids=str,
)
def test_normalisation(shapes, dtype):
    shape, own, other = shapes
    x, mean, variance = numbers(shape, dtype), numbers(own, dtype), numbers(own, dtype) ** 2
    offset, scale = numbers(other, dtype), numbers(other, dtype)
    expected = (x - mean) / np.sqrt(variance + np.asarray(0.01, dtype)) * scale + offset
    for given in layouts(x):
        arguments = [tf.constant(part) for part in (given, mean, variance, offset, scale)]
        close(tf.nn.batch_normalization(*arguments, 0.01).numpy(), expected, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("shape", [(1, 2, 2, 1), (2, 3, 4, 5), (4, 30, 30, 7), (1, 1, 1, 3)])
def test_batch_normalisation(shape, layout, dtype):
    x = numbers(shape, dtype)
    channels = shape["NHWC".index("C") if layout == "NHWC" else 1]
    scale, offset, none = (numbers((n,), dtype) for n in (channels, channels, 0))
    how = {"epsilon": 0.01, "exponential_avg_factor": 1.0, "data_format": layout}
    expected = kernel_of("FusedBatchNormV3", x, scale, offset, none, none, is_training=True, **how)
    for given in layouts(x):
        found = tf.raw_ops.FusedBatchNormV3(
            **dict(
                zip(
                    ("x", "scale", "offset", "mean", "variance"),
                    map(tf.constant, (given, scale, offset, none, none)),
                    strict=True,
                )
            ),
            **how,
        )
        for part, other in zip(found, expected, strict=True):
            close(part.numpy(), other, dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (0, 2), (0, 1), (1, 2), (0, 1, 2)])
@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 5, 1), (40, 3, 70)])
def test_moments(shape, axes, dtype):
    x = numbers(shape, dtype)
    for given, keepdims in itertools.product(layouts(x), (False, True)):
        found = tf.nn.moments(tf.constant(given), axes, keepdims=keepdims)
        wide = x.astype(np.float64)
        for part, function in zip(found, (np.mean, np.var), strict=True):
            expected = function(wide, axes, keepdims=keepdims).astype(dtype)
            close(part.numpy(), np.asarray(expected), dtype)


@pytest.mark.parametrize("method", ["nearest", "bilinear", "bicubic", "area"])
@pytest.mark.parametrize("size", [(4, 4), (3, 7), (1, 1), (5, 2)])
def test_resized_pictures(size, method):
    """The first call with a size is the kernel's, the others the lane's."""
    for depth in (1, 3):
        x = numbers((2, 4, 5, depth), "float32")
        first, *others = (
            tf.image.resize(tf.constant(given), size, method).numpy() for given in layouts(x)
        )
        for other in others:
            np.testing.assert_array_equal(other, first, strict=True)
        doubled = tf.image.resize(tf.constant(np.concatenate([x, x])), size, method).numpy()
        np.testing.assert_array_equal(doubled, np.concatenate([first, first]), strict=True)


@pytest.mark.parametrize("dtype", [*DTYPES, "float16"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_convolutions_again(padding, dtype):
    """A call with shapes that were seen gives what the first one gave, and so do its gradients."""
    x, filters = numbers((2, 6, 5, 4), dtype), numbers((3, 2, 4, 4), dtype)
    for function in (tf.nn.conv2d, tf.nn.depthwise_conv2d):
        results = []
        for _ in range(3):
            a, b = tf.constant(x), tf.constant(filters)
            with tf.GradientTape() as tape:
                tape.watch([a, b])
                y = function(a, b, [1, 1, 1, 1], padding)
            results.append([part.numpy() for part in (y, *tape.gradient(y, [a, b]))])
        for other in results[1:]:
            for part, first in zip(other, results[0], strict=True):
                np.testing.assert_array_equal(part, first, strict=True)


@pytest.mark.parametrize("value", [[1.0, 2.5], (1, 2, -3), [0], [float("nan"), float("inf"), -0.0]])
@pytest.mark.parametrize("dtype", [None, "float32", "float64", "int32", "int64", "float16"])
def test_lists_of_numbers(value, dtype):
    floats = isinstance(value[0], float)
    if floats and dtype in ("int32", "int64"):
        with pytest.raises(TypeError):
            tf.constant(value, dtype)
        return
    expected = np.array(value, dtype or ("float32" if floats else "int32"))
    np.testing.assert_array_equal(tf.constant(value, dtype).numpy(), expected, strict=True)


def test_lists_that_need_the_long_way():
    assert tf.constant([1, 2**40]).dtype is tf.int64
    assert tf.constant([1, 2.5]).dtype is tf.float32
    assert tf.constant([True, False]).dtype is tf.bool
    with pytest.raises(ValueError, match="out of the range of float32"):
        tf.constant([1e300])
    np.testing.assert_array_equal(tf.constant([1e300], tf.float32), [np.inf])

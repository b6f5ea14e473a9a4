"""Activations, losses, convolutions, pooling and images beyond the table of samples."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.testing import assert_close, check_gradient

inf, nan = float("inf"), float("nan")


def normal(*shape: int, seed: int = 0) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).normal(size=shape)


def gradient(function: Any, *values: Any) -> list[Any]:
    tensors = [tf.constant(x) for x in values]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(*tensors)
    return [g if g is None else g.numpy().tolist() for g in tape.gradient(y, tensors)]


def second(function: Any, *values: Any) -> list[Any]:
    return gradient(lambda *xs: gradient_tensor(function, *xs), *values)


def gradient_tensor(function: Any, *tensors: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(*tensors)
    return tape.gradient(y, tensors[0])


# Activations


def test_kinks_of_activations() -> None:
    assert gradient(tf.nn.relu, [nan, -1.0, 0.0, 2.0]) == [[0.0, 0.0, 0.0, 1.0]]
    assert gradient(tf.nn.relu6, [nan, -1.0, 0.0, 2.0, 6.0, 7.0]) == [[0, 0, 0, 1, 0, 0]]
    assert gradient(tf.nn.elu, [0.0, 2.0, -1000.0]) == [[1.0, 1.0, 0.0]]
    assert gradient(tf.nn.leaky_relu, [0.0, 2.0]) == [pytest.approx([0.2, 1.0])]
    assert gradient(tf.nn.selu, [0.0]) == [pytest.approx([1.0507010])]
    assert gradient(tf.nn.softplus, [-1000.0, 0.0, 1000.0]) == [[0.0, 0.5, 1.0]]
    assert gradient(tf.nn.silu, [-1000.0, 0.0, 1000.0]) == [[0.0, 0.5, 1.0]]
    assert gradient(tf.nn.softsign, [inf, 0.0]) == [[0.0, 1.0]]


def test_tails_of_activations() -> None:
    assert tf.nn.softplus([-1000.0, 1000.0]).numpy().tolist() == [0.0, 1000.0]
    assert tf.nn.softplus([-20.0]).numpy().tolist() == pytest.approx([2.0611537e-9])
    assert tf.nn.elu([-1e-10]).numpy().tolist() == pytest.approx([-1e-10])
    assert tf.nn.gelu([-1000.0, 1000.0]).numpy().tolist() == [0.0, 1000.0]


@pytest.mark.parametrize(
    "function",
    [tf.nn.elu, tf.nn.selu, tf.nn.gelu, tf.nn.silu, tf.nn.softplus, tf.nn.softsign, tf.nn.crelu,
     tf.nn.leaky_relu, tf.nn.relu6, lambda x: tf.nn.gelu(x, approximate=True),
     lambda x: tf.nn.silu(x, beta=1.5), tf.nn.softmax, lambda x: tf.nn.softmax(x, axis=0),
     lambda x: tf.nn.log_softmax(x, axis=1), tf.nn.l2_loss, lambda x: tf.nn.l2_normalize(x, axis=1),
     lambda x: tf.nn.moments(x, [0, 2]), lambda x: tf.nn.moments(x, [1], keepdims=True)],
)  # fmt: skip
def test_activations_twice(function: Any) -> None:
    check_gradient(function, normal(2, 3, 2), order=2)


@pytest.mark.parametrize(
    "name", ["Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign", "LeakyRelu"]
)
def test_gradient_ops_are_public(name: str) -> None:
    x = tf.constant([-1.5, 0.5, 2.0, 8.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(tf.raw_ops, name)(features=x)
    dy = tf.constant([1.0, 2.0, 3.0, 4.0])
    second = "outputs" if name in ("Elu", "Selu") else "features"
    given = {"gradients": dy, second: y if second == "outputs" else x}
    found = getattr(tf.raw_ops, f"{name}Grad")(**given)
    assert_close(found, tape.gradient(y, x, output_gradients=dy))


def test_softmax_at_the_extremes() -> None:
    assert tf.nn.softmax([1000.0, -1000.0, 0.0]).numpy().tolist() == [1.0, 0.0, 0.0]
    assert gradient(tf.nn.softmax, [1000.0, -1000.0, 0.0]) == [[0.0, 0.0, 0.0]]
    assert tf.nn.log_softmax([1000.0, -1000.0]).numpy().tolist() == [0.0, -2000.0]
    assert gradient(tf.nn.log_softmax, [-inf, 0.0]) == [[1.0, -1.0]]
    assert tf.nn.softmax(tf.zeros([2, 0])).shape == [2, 0]
    assert tf.nn.softmax(tf.zeros([0, 2])).shape == [0, 2]


@pytest.mark.parametrize("function", [tf.nn.softmax, tf.nn.log_softmax])
def test_softmax_refuses(function: Any) -> None:
    for logits, axis in ((1.0, -1), ([1.0], 1), ([1.0], -2), ([1, 2], -1)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            function(logits, axis=axis)


def test_leaky_relu_takes_integers_and_refuses_a_tensor_for_its_slope() -> None:
    assert tf.nn.leaky_relu(tf.constant([-5, 2])).numpy().tolist() == [-1.0, 2.0]
    with pytest.raises(TypeError, match="alpha"):
        tf.nn.leaky_relu([1.0], alpha=tf.constant(0.5))


# Losses


def test_sigmoid_cross_entropy_is_exact_in_both_tails() -> None:
    labels, logits = [1.0, 0.0, 1.0, 0.0, 0.5], [1000.0, -1000.0, -1000.0, 1000.0, 0.0]
    loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    assert loss.numpy().tolist() == pytest.approx([0.0, 0.0, 1000.0, 1000.0, np.log(2)])

    def by_logits(x: Any) -> Any:
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x)

    assert gradient(by_logits, logits) == [[0.0, 0.0, -1.0, 1.0, 0.0]]
    small = tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[20.0])
    assert float(small[0]) == pytest.approx(2.0611537e-9)


@pytest.mark.parametrize(
    "function",
    [
        lambda z, x: tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x),
        lambda z, x: tf.nn.weighted_cross_entropy_with_logits(z, x, 2.5),
        lambda z, x: tf.nn.softmax_cross_entropy_with_logits(labels=z, logits=x),
        lambda z, x: tf.nn.softmax_cross_entropy_with_logits(labels=z, logits=x, axis=0),
        lambda z, x: tf.nn.log_poisson_loss(z, x),
        lambda z, x: tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=z),
        lambda z, x: tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=z[:1]),
        lambda z, x: tf.nn.sparse_softmax_cross_entropy_with_logits([2, 0], x),
        lambda z, x: tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=[2, 0]),
    ],
)
def test_losses_twice(function: Any) -> None:
    # The labels need not sum to one.
    check_gradient(function, np.abs(normal(2, 3)) + 0.1, normal(2, 3, seed=1), order=2)


def test_log_poisson_loss_in_full() -> None:
    targets = [0.0, 0.5, 1.0, 2.0, 7.0]
    check_gradient(lambda x: tf.nn.log_poisson_loss(targets, x, compute_full_loss=True), normal(5))
    full = tf.nn.log_poisson_loss(targets, [0.0] * 5, compute_full_loss=True)
    stirling = [0, 0, 0] + [t * np.log(t) - t + 0.5 * np.log(2 * np.pi * t) for t in (2, 7)]
    assert_close(full, np.float32(np.ones(5) + stirling))


def test_a_label_of_zero_counts_nothing_at_an_infinite_logit() -> None:
    def loss(x: Any) -> Any:
        return tf.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0]], logits=x)

    assert loss([[-inf, 1.0]]).numpy().tolist() == [0.0]
    assert gradient(loss, [[-inf, 1.0]]) == [[[0.0, 0.0]]]
    assert loss([[1000.0, -1000.0]]).numpy().tolist() == [2000.0]
    assert gradient(loss, [[1000.0, -1000.0]]) == [[[1.0, -1.0]]]


@pytest.mark.parametrize("label", [2, -1, 2**31 - 1])
def test_a_sparse_label_that_is_no_class_is_refused(label: int) -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=f"label value of {label} .*\\[0, 2\\)"
    ):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[label], logits=[[1.0, 2.0]])


def test_losses_refuse_shapes() -> None:
    sparse = tf.nn.sparse_softmax_cross_entropy_with_logits
    for labels, logits in (([0, 1], [[1.0, 2.0]]), ([[0]], [[1.0, 2.0]]), (0, 1.0)):
        with pytest.raises(ValueError, match=r"labels|logits"):
            sparse(labels=labels, logits=logits)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least one class"):
        sparse(labels=[0], logits=tf.zeros([1, 0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="SparseSoftmaxCrossEntropyWithLogi"):
        sparse(labels=[0.0], logits=[[1.0, 2.0]])
    with pytest.raises(ValueError, match="same shape"):
        tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[1.0, 2.0])
    with pytest.raises(ValueError, match="must be provided"):
        tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="broadcastable"):
        tf.nn.softmax_cross_entropy_with_logits(labels=[[1.0, 0.0, 0.0]], logits=[[1.0, 2.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="softmax_cross_entropy_with_logits"):
        tf.nn.softmax_cross_entropy_with_logits(labels=1.0, logits=1.0)


def test_losses_of_halves_are_computed_in_single_precision() -> None:
    for dtype in (tf.float16, tf.bfloat16):
        loss = tf.nn.softmax_cross_entropy_with_logits(
            labels=tf.ones([2, 3, 4], dtype) / 4, logits=tf.zeros([2, 3, 4], dtype)
        )
        assert loss.dtype == dtype
        assert loss.shape == [2, 3]


# Biases, normalisation, dropout


@pytest.mark.parametrize(
    ("layout", "shape"), [("NHWC", (2, 4, 3)), ("NCHW", (2, 3, 4)), (None, (2, 3))]
)
def test_bias_add(layout: Any, shape: Any) -> None:
    value, bias = normal(*shape), normal(3, seed=1)
    check_gradient(lambda v, b: tf.nn.bias_add(v, b, layout), value, bias, order=2)


def test_bias_add_refuses() -> None:
    for value, bias in (
        (tf.ones([2, 3]), [1.0, 2.0]),
        (tf.ones([3]), [1.0] * 3),
        (tf.ones([2, 3]), [[1.0] * 3]),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.nn.bias_add(value, bias)
    with pytest.raises(ValueError, match="data_format"):
        tf.nn.bias_add(tf.ones([2, 3]), [1.0] * 3, data_format="X")


def test_batch_normalization() -> None:
    arguments = normal(5, 3), normal(3), normal(3) ** 2 + 1, normal(3), normal(3, seed=2)
    check_gradient(lambda *xs: tf.nn.batch_normalization(*xs, 1e-3), *arguments, order=2)


def gradient_under_a_tape(function: Any, *values: Any) -> list[Any]:
    """As `gradient`, but a second tape records the rules: they run as written, not in their fast forms."""
    tensors = [tf.constant(x) for x in values]
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(tensors)
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            y = function(*tensors)
        gradients = tape.gradient(y, tensors)
    return [g.numpy().tolist() for g in gradients]


def gradient_of_a_replay(function: Any, *values: Any) -> list[Any]:
    recorded = tf.function(function)
    gradient(recorded, *[np.ones_like(x) for x in values])
    gradient(recorded, *values)
    return gradient(recorded, *values)


@pytest.mark.parametrize("derive", [gradient, gradient_under_a_tape, gradient_of_a_replay])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_normalization_of_constants_without_epsilon(derive: Any, dtype: str) -> None:
    """The gradient by a variance of 0 is 0 where the gradient by its inverse root is 0, as in TensorFlow."""
    columns = np.array([[1, 2], [1, 3], [1, 4]], dtype), np.array([1, 3], dtype)
    rows = np.array([[1, 1], [2, 4]], dtype), np.array([[1], [3]], dtype)
    per_column = np.array([0.5, 1], dtype), np.array([2, 3], dtype)
    for x, mean, variance, expected in (
        (*columns, np.array([0, 0.25], dtype), [0.0, 0.0]),
        (columns[0], columns[1] - 1, np.array([0, 0.25], dtype), [-inf, -36.0]),
        (*rows, np.array([[0], [1]], dtype), [[0.0], [-0.5]]),
        (rows[0], rows[1] - 1, np.array([[0], [1]], dtype), [[-inf], [-3.0]]),
    ):
        gradients = derive(
            lambda *xs: tf.nn.batch_normalization(*xs, 0.0), x, mean, variance, *per_column
        )
        assert gradients[2] == expected


@pytest.mark.parametrize("training", [True, False])
def test_the_fused_normalization_takes_a_small_epsilon_as_it_is(training: bool) -> None:
    x = np.array([0, 2e-3, 4e-3], np.float64).reshape(3, 1, 1, 1)
    moments = ([x.mean()], [x.var()])
    for epsilon in (1e-3, 1e-6, 1e-9, 0.0):
        y, *_ = tf.compat.v1.nn.fused_batch_norm(
            x, [1.0], [0.0], *moments, epsilon=epsilon, is_training=training
        )
        np.testing.assert_allclose(y, (x - x.mean()) / np.sqrt(x.var() + epsilon), rtol=1e-12)


def test_moments_from_parts_and_with_weights() -> None:
    x = normal(4, 3)
    parts = tf.nn.sufficient_statistics(tf.constant(x), [0], shift=0.5)
    mean, variance = tf.nn.normalize_moments(*parts)
    assert_close(mean, x.mean(0))
    assert_close(variance, x.var(0))
    weights = np.array([[1.0], [2.0], [0.0], [3.0]])
    repeated = np.repeat(x, [1, 2, 0, 3], axis=0)
    mean, variance = tf.nn.weighted_moments(tf.constant(x), [0], weights)
    assert_close(mean, repeated.mean(0))
    assert_close(variance, repeated.var(0))
    check_gradient(lambda x, w: tf.nn.weighted_moments(x, [0], w), x, weights + 1, order=2)
    nothing = tf.nn.weighted_moments(tf.constant(x), [0], np.zeros([4, 1]))
    assert not np.any(nothing)


def test_local_response_normalization() -> None:
    x = np.arange(6, dtype=np.float32).reshape(1, 1, 2, 3)
    (found,) = gradient(lambda x: tf.nn.local_response_normalization(x, depth_radius=1) ** 2, x)
    expected = [0.0, 0.055556, 0.111111, 0.113979, -0.112237, 0.034857]
    np.testing.assert_allclose(np.ravel(found), expected, atol=1e-6)
    with pytest.raises(tf.errors.InvalidArgumentError, match="4-dimensional"):
        tf.nn.local_response_normalization(tf.ones([2, 3]))


def test_average_losses() -> None:
    average = tf.nn.compute_average_loss
    assert float(average([1.0, 2.0, 3.0])) == 2.0
    assert float(average(tf.ones([2, 2]), sample_weight=[1.0, 0.0])) == 1.0
    assert float(average([1.0, 2.0], sample_weight=[[1.0], [0.0]], global_batch_size=4)) == 0.25
    assert float(average(tf.zeros([0]))) == 0.0
    for arguments, error in (
        ({"per_example_loss": 1.0}, ValueError),
        ({"per_example_loss": [1.0], "global_batch_size": -1}, tf.errors.InvalidArgumentError),
        ({"per_example_loss": [1.0], "global_batch_size": 2.5}, TypeError),
    ):
        with pytest.raises(error):
            average(**arguments)


def test_dropout() -> None:
    x = tf.ones([1000])
    dropped = tf.nn.dropout(x, rate=0.25)
    np.testing.assert_allclose(np.unique(dropped), [0.0, 4 / 3], rtol=1e-6)
    assert 650 < np.count_nonzero(dropped) < 850
    rows = tf.nn.dropout(tf.ones([50, 4]), 0.5, noise_shape=[50, 1]).numpy()
    assert (rows == rows[:, :1]).all()
    assert tf.nn.dropout(x, 0.0) is x
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.dropout(x, tf.constant(0.5))
    np.testing.assert_array_equal(tape.gradient(y, x), y)
    tf.random.set_seed(3)
    first = tf.nn.dropout(x, 0.5)
    tf.random.set_seed(3)
    np.testing.assert_array_equal(first, tf.nn.dropout(x, 0.5))


def test_dropout_forgets_what_it_drops() -> None:
    x = tf.constant([nan, inf] * 20)
    dropped = tf.nn.dropout(x, 0.999999)
    assert not dropped.numpy().any()


@pytest.mark.parametrize("rate", [1.0, -0.5, 1, "a", [0.5]])
def test_dropout_refuses_rates(rate: Any) -> None:
    with pytest.raises(ValueError, match="rate"):
        tf.nn.dropout([1.0], rate)


def test_dropout_refuses_integers_and_shapes() -> None:
    with pytest.raises(ValueError, match="floating"):
        tf.nn.dropout([1], 0.5)
    for shape in ([3, 2], [3], [2, 3, 4]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="broadcast"):
            tf.nn.dropout(tf.ones([3, 4]), 0.5, noise_shape=shape)


# Convolutions


def slow_convolution(
    x: Any, filters: Any, strides: Any, before: Any, after: Any, dilations: Any
) -> np.ndarray[Any, Any]:
    """The definition, one output at a time; channels last, any number of spatial axes and groups."""
    x = np.pad(x, [(0, 0), *zip(before, after, strict=True), (0, 0)])
    kernel, depth, outputs = filters.shape[:-2], filters.shape[-2], filters.shape[-1]
    groups = x.shape[-1] // depth
    sizes = [
        (size - (k - 1) * d - 1) // s + 1
        for size, k, d, s in zip(x.shape[1:-1], kernel, dilations, strides, strict=True)
    ]
    out = np.zeros((x.shape[0], *sizes, outputs))
    for place in np.ndindex(*sizes):
        for offset in np.ndindex(*kernel):
            at = tuple(
                p * s + o * d for p, s, o, d in zip(place, strides, offset, dilations, strict=True)
            )
            for channel in range(outputs):
                group = channel // (outputs // groups)
                pixels = x[(slice(None), *at, slice(group * depth, (group + 1) * depth))]
                out[(slice(None), *place, channel)] += pixels @ filters[offset][:, channel]
    return out


def spaced(*shape: int) -> np.ndarray[Any, Any]:
    """Numbers in random order, far enough from each other for which is largest not to change."""
    numbers = np.random.default_rng(0).permutation(int(np.prod(shape)))
    return (numbers / 4 - numbers.size / 8).reshape(shape)


def same_padding(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    total = max((-(-size // stride) - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


CONFIGURATIONS = [
    ((2, 2), (1, 1), (1, 1), 1),
    ((3, 3), (2, 2), (1, 1), 1),
    ((3, 2), (1, 2), (1, 1), 1),
    ((2, 3), (2, 1), (1, 1), 2),
    ((2, 2), (1, 1), (2, 1), 1),
    ((3, 3), (1, 1), (2, 2), 1),
    ((2, 2), (2, 2), (2, 2), 1),
    ((1, 1), (1, 1), (1, 1), 1),
    ((1, 1), (2, 3), (1, 1), 4),
    ((5, 4), (1, 1), (1, 1), 1),
]


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("padding", ["SAME", "VALID", "EXPLICIT"])
@pytest.mark.parametrize(("kernel", "strides", "dilations", "groups"), CONFIGURATIONS)
def test_conv2d(
    layout: str, padding: str, kernel: Any, strides: Any, dilations: Any, groups: int
) -> None:
    x = normal(2, 6, 5, 4)
    filters = normal(*kernel, 4 // groups, 4, seed=1)
    if padding == "SAME":
        pairs = [same_padding(*z) for z in zip((6, 5), kernel, strides, dilations, strict=True)]
    else:
        pairs = [(1, 2), (0, 1)] if padding == "EXPLICIT" else [(0, 0), (0, 0)]
    expected = slow_convolution(x, filters, strides, *zip(*pairs, strict=True), dilations)
    given: Any = padding
    if padding == "EXPLICIT":
        given = [[0, 0], *pairs, [0, 0]] if layout == "NHWC" else [[0, 0], [0, 0], *pairs]

    def convolve(x: Any, filters: Any) -> Any:
        return tf.nn.conv2d(x, filters, strides, given, data_format=layout, dilations=dilations)

    if layout == "NCHW":
        x, expected = np.moveaxis(x, -1, 1), np.moveaxis(expected, -1, 1)
    assert_close(convolve(x, filters), expected)
    check_gradient(convolve, x, filters, order=2, directions=1)


def test_convolutions_of_one_and_three_dimensions() -> None:
    x, filters = normal(2, 7, 3), normal(3, 3, 4, seed=1)
    assert_close(
        tf.nn.conv1d(x, filters, 2, "VALID"), slow_convolution(x, filters, (2,), (0,), (0,), (1,))
    )
    check_gradient(lambda x, f: tf.nn.conv1d(x, f, 2, "SAME"), x, filters)
    first = np.moveaxis(x, -1, 1)
    found = tf.nn.conv1d(first, filters, 2, "SAME", data_format="NCW")
    assert_close(found, np.moveaxis(tf.nn.conv1d(x, filters, 2, "SAME").numpy(), -1, 1))
    x, filters = normal(2, 4, 3, 5, 2), normal(2, 2, 3, 2, 3, seed=1)
    assert_close(
        tf.nn.conv3d(x, filters, [1, 2, 1, 1, 1], "VALID"),
        slow_convolution(x, filters, (2, 1, 1), (0,) * 3, (0,) * 3, (1,) * 3),
    )
    check_gradient(
        lambda x, f: tf.nn.conv3d(x, f, [1, 1, 1, 2, 1], "SAME"), x, filters, order=2, directions=1
    )


@pytest.mark.parametrize(
    ("padding", "size"), [("SAME", (6, 8)), ("VALID", (7, 9)), ("SAME", (5, 7))]
)
def test_transposed_convolution_is_the_adjoint(padding: str, size: Any) -> None:
    x, filters = normal(2, 3, 4, 3), normal(3, 3, 5, 3, seed=1)

    def transposed(x: Any, filters: Any) -> Any:
        return tf.nn.conv2d_transpose(x, filters, [2, *size, 5], 2, padding)

    y = normal(2, *size, 5, seed=2)
    there = np.vdot(transposed(x, filters), y)
    back = np.vdot(x, tf.nn.conv2d(y, filters, 2, padding))
    assert there == pytest.approx(back)
    check_gradient(transposed, x, filters, order=2)


def test_transposed_convolutions_of_other_ranks() -> None:
    x, filters = normal(2, 3, 3), normal(2, 5, 3, seed=1)
    check_gradient(lambda x, f: tf.nn.conv1d_transpose(x, f, [2, 6, 5], 2), x, filters)
    x, filters = normal(1, 2, 2, 2, 3), normal(2, 2, 2, 2, 3, seed=1)
    check_gradient(lambda x, f: tf.nn.conv3d_transpose(x, f, [1, 4, 4, 4, 2], 2), x, filters)
    assert tf.nn.conv_transpose(x, filters, [1, 4, 4, 4, 2], 2).shape == [1, 4, 4, 4, 2]


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("strides", [(1, 1), (2, 2), (1, 2)])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_depthwise_convolution(layout: str, strides: Any, padding: str) -> None:
    x, filters = normal(2, 5, 6, 3), normal(2, 3, 3, 2, seed=1)
    # The same as a convolution in as many groups as there are channels.
    grouped = tf.nn.conv2d(x, filters.reshape(2, 3, 1, 6), strides, padding).numpy()
    steps = [1, *strides, 1]
    if layout == "NCHW":
        x, grouped, steps = np.moveaxis(x, -1, 1), np.moveaxis(grouped, -1, 1), [1, 1, *strides]

    def convolve(x: Any, filters: Any) -> Any:
        return tf.nn.depthwise_conv2d(x, filters, steps, padding, data_format=layout)

    assert_close(convolve(x, filters), grouped)
    check_gradient(convolve, x, filters, order=2)


def test_separable_convolution() -> None:
    arguments = normal(2, 4, 5, 2), normal(2, 2, 2, 3), normal(1, 1, 6, 4)
    check_gradient(lambda *xs: tf.nn.separable_conv2d(*xs, [1, 1, 1, 1], "SAME"), *arguments)


def test_convolutions_of_nothing_and_of_halves() -> None:
    filters = tf.ones([2, 2, 2, 3])
    assert tf.nn.conv2d(tf.ones([0, 4, 4, 2]), filters, 1, "SAME").shape == [0, 4, 4, 3]
    assert tf.nn.conv2d(tf.ones([1, 0, 4, 2]), filters, 1, "SAME").shape == [1, 0, 4, 3]
    for dtype in (tf.float16, tf.bfloat16):
        out = tf.nn.conv2d(tf.ones([1, 4, 4, 2], dtype), tf.cast(filters, dtype), 1, "VALID")
        assert out.dtype == dtype
        assert float(out[0, 0, 0, 0]) == 8.0
    batches = tf.nn.conv2d(tf.ones([3, 2, 4, 4, 2]), filters, 1, "SAME")
    assert batches.shape == [3, 2, 4, 4, 3]


X, FILTERS = np.ones([1, 4, 4, 2], np.float32), np.ones([2, 2, 2, 3], np.float32)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((X, np.ones([2, 2, 3, 3], np.float32), 1, "SAME"), tf.errors.InvalidArgumentError),
        ((X, np.ones([2, 2, 1, 3], np.float32), 1, "SAME"), tf.errors.InvalidArgumentError),
        ((X, np.ones([6, 6, 2, 3], np.float32), 1, "VALID"), tf.errors.InvalidArgumentError),
        ((X, np.ones([2, 2, 2, 0], np.float32), 1, "SAME"), tf.errors.InvalidArgumentError),
        ((X, np.ones([2, 2, 2], np.float32), 1, "SAME"), tf.errors.InvalidArgumentError),
        ((X[0], FILTERS, 1, "SAME"), tf.errors.InvalidArgumentError),
        ((X, FILTERS, 0, "SAME"), tf.errors.InvalidArgumentError),
        ((X, FILTERS, -1, "SAME"), tf.errors.InvalidArgumentError),
        ((X, FILTERS, 1, "valid"), tf.errors.InvalidArgumentError),
        ((X, FILTERS, 1, [[0, 0], [-1, 1], [2, 2], [0, 0]]), tf.errors.InvalidArgumentError),
        ((X, FILTERS, 1, [[1, 0], [1, 1], [2, 2], [0, 0]]), tf.errors.InvalidArgumentError),
        ((X, FILTERS, [1, 1, 1], "SAME"), ValueError),
        ((X, FILTERS, [2, 1, 1, 1], "SAME"), tf.errors.UnimplementedError),
        ((X, FILTERS, 1, "SAME", "X"), tf.errors.InvalidArgumentError),
        ((X, FILTERS, 1, "SAME", "NHWC", 0), tf.errors.InvalidArgumentError),
        ((X, FILTERS.astype(np.float64), 1, "SAME"), tf.errors.InvalidArgumentError),
        ((X, FILTERS, 2**40, "SAME"), None),
    ],
)
def test_conv2d_refuses(arguments: Any, error: Any) -> None:
    tensors = [tf.constant(x) if isinstance(x, np.ndarray) else x for x in arguments]
    if error is None:
        assert tf.nn.conv2d(*tensors).shape == [1, 1, 1, 3]
        return
    with pytest.raises(error):
        tf.nn.conv2d(*tensors)


def test_gradient_kernels_check_what_they_are_given() -> None:
    how: Any = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    with pytest.raises(tf.errors.InvalidArgumentError, match="out_backprop has shape"):
        tf.raw_ops.Conv2DBackpropInput(
            input_sizes=[1, 4, 4, 2], filter=FILTERS, out_backprop=tf.ones([1, 5, 4, 3]), **how
        )
    with pytest.raises(tf.errors.InvalidArgumentError, match="out_backprop has shape"):
        tf.raw_ops.Conv2DBackpropFilter(
            input=X, filter_sizes=[2, 2, 2, 3], out_backprop=tf.ones([1, 4, 4, 4]), **how
        )
    how["ksize"] = [1, 2, 2, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="grad has shape"):
        tf.raw_ops.MaxPoolGrad(orig_input=X, orig_output=X, grad=tf.ones([1, 3, 4, 2]), **how)
    with pytest.raises(tf.errors.InvalidArgumentError, match="grad has shape"):
        tf.raw_ops.AvgPoolGrad(orig_input_shape=[1, 4, 4, 2], grad=tf.ones([1, 3, 4, 2]), **how)


# Pooling


def slow_pool(x: Any, kernel: Any, strides: Any, pairs: Any, reduce: Any) -> np.ndarray[Any, Any]:
    padded = np.pad(x, [(0, 0), *pairs, (0, 0)], constant_values=nan)
    sizes = [
        (size - k) // s + 1 for size, k, s in zip(padded.shape[1:-1], kernel, strides, strict=True)
    ]
    out = np.zeros((x.shape[0], *sizes, x.shape[-1]))
    for place in np.ndindex(*sizes):
        window = tuple(
            slice(p * s, p * s + k) for p, s, k in zip(place, strides, kernel, strict=True)
        )
        axes = tuple(range(1, x.ndim - 1))
        out[(slice(None), *place)] = reduce(padded[(slice(None), *window)], axis=axes)
    return out


POOLS = [((2, 2), (2, 2)), ((3, 3), (1, 1)), ((3, 2), (2, 1)), ((1, 2), (1, 2)), ((2, 2), (3, 3))]


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(("kernel", "strides"), POOLS)
def test_pooling_of_images(layout: str, padding: str, kernel: Any, strides: Any) -> None:
    x = spaced(2, 7, 6, 2)
    pairs = [(0, 0), (0, 0)]
    if padding == "SAME":
        pairs = [same_padding(n, k, s, 1) for n, k, s in zip((7, 6), kernel, strides, strict=True)]
    for function, reduce in ((tf.nn.max_pool2d, np.nanmax), (tf.nn.avg_pool2d, np.nanmean)):
        expected = slow_pool(x, kernel, strides, pairs, reduce)

        def pool(x: Any, function: Any = function) -> Any:
            return function(x, kernel, strides, padding, data_format=layout)

        given = x
        if layout == "NCHW":
            given, expected = np.moveaxis(x, -1, 1), np.moveaxis(expected, -1, 1)
        assert_close(pool(given), expected)
        check_gradient(lambda x, pool=pool: tf.sin(pool(x)), given, order=2)


def test_pooling_of_other_ranks() -> None:
    for function in (tf.nn.max_pool, tf.nn.avg_pool):
        for shape in ((2, 7, 2), (2, 4, 5, 2), (1, 4, 3, 5, 2)):
            check_gradient(lambda x, f=function: f(x, 2, 2, "SAME") ** 2, spaced(*shape), order=2)
    x = tf.constant([[[1.0, 5.0, 2.0, 3.0]]])[..., None]
    assert tf.nn.max_pool2d(x, [1, 1, 2, 1], [1, 1, 2, 1], "VALID").numpy().ravel().tolist() == [
        5,
        3,
    ]
    channels = tf.nn.max_pool2d(
        tf.reshape(tf.range(8.0), [1, 1, 2, 4]), [1, 1, 1, 2], [1, 1, 1, 2], "SAME"
    )
    assert channels.numpy().ravel().tolist() == [1.0, 3.0, 5.0, 7.0]


def test_explicit_padding_of_max_pool() -> None:
    x = -tf.reshape(tf.range(25.0), [1, 5, 5, 1])
    out = tf.nn.max_pool2d(x, 3, 2, [[0, 0], [1, 1], [1, 1], [0, 0]])
    expected = [[0.0, -1.0, -3.0], [-5.0, -6.0, -8.0], [-15.0, -16.0, -18.0]]
    assert out.numpy()[0, :, :, 0].tolist() == expected


def test_ties_and_nan_in_pooling() -> None:
    ones = np.ones([1, 2, 2, 1])
    assert np.ravel(gradient(lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME"), ones)).tolist() == [
        1,
        0,
        0,
        0,
    ]
    cube = np.ones([1, 2, 2, 2, 1])
    assert (
        np.ravel(gradient(lambda x: tf.nn.max_pool3d(x, 2, 2, "SAME"), cube)).tolist() == [1.0] * 8
    )
    assert (
        float(tf.nn.max_pool2d([[[[nan], [1.0]], [[0.0], [2.0]]]], 2, 2, "VALID")[0, 0, 0, 0])
        == 2.0
    )


def test_max_pool_with_argmax() -> None:
    x = tf.reshape(tf.range(64.0), [2, 4, 4, 2])
    out, index = tf.nn.max_pool_with_argmax(x, 2, 2, "SAME", include_batch_in_index=True)
    np.testing.assert_array_equal(tf.gather(tf.reshape(x, [-1]), index), out)
    _, index = tf.nn.max_pool_with_argmax(tf.ones([2, 2, 2, 2]), 2, 1, "SAME")
    assert index.numpy().tolist() == [[[[0, 1], [2, 3]], [[4, 5], [6, 7]]]] * 2
    for whole in (False, True):
        check_gradient(
            lambda x: (
                tf.nn.max_pool_with_argmax(
                    x,
                    2,
                    1,
                    "SAME",
                    include_batch_in_index=whole,  # noqa: B023
                ).output
            ),
            spaced(2, 4, 4, 2),
        )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_max_pool_with_argmax_of_nan(dtype: str) -> None:
    """NaN that comes first stays, and what comes later is skipped, as in TensorFlow."""
    nan, low = float("nan"), float("-inf")
    x = [[nan, 1.0, 2.0], [1.0, nan, 2.0], [1.0, 2.0, nan], [low, nan, low], [low, low, nan]]
    images = tf.reshape(tf.constant(x, dtype), [5, 1, 3, 1])
    with tf.GradientTape() as tape:
        tape.watch(images)
        out, index = tf.nn.max_pool_with_argmax(images, [1, 3], 1, "VALID")
    np.testing.assert_array_equal(out.numpy().ravel(), [nan, 2.0, 2.0, low, low])
    assert index.numpy().ravel().tolist() == [0, 2, 1, 0, 0]
    gradient = tape.gradient(out, images).numpy().reshape(5, 3)
    np.testing.assert_array_equal(gradient, np.eye(3)[[0, 2, 1, 0, 0]])


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((X, 0, 1, "VALID"), tf.errors.InvalidArgumentError),
        ((X, -1, 1, "VALID"), tf.errors.InvalidArgumentError),
        ((X, 2, 0, "VALID"), tf.errors.InvalidArgumentError),
        ((X, 6, 1, "VALID"), tf.errors.InvalidArgumentError),
        ((X, 2, 2, "FOO"), tf.errors.InvalidArgumentError),
        ((X[0], 2, 2, "VALID"), tf.errors.InvalidArgumentError),
        ((X, [1, 1, 2, 2], [1, 1, 1, 2], "SAME"), tf.errors.UnimplementedError),
        ((X, [2, 1, 1, 1], 1, "SAME"), tf.errors.UnimplementedError),
        ((X, [1, 2, 3], 1, "SAME"), ValueError),
    ],
)
def test_pooling_refuses(arguments: Any, error: Any) -> None:
    with pytest.raises(error):
        tf.nn.max_pool2d(*arguments)


# Images


def test_adjust_contrast_has_no_rule_until_one_is_registered() -> None:
    with pytest.raises(LookupError, match="gradient registry has no entry for: AdjustContrastv2"):
        gradient(lambda x: tf.image.adjust_contrast(x, 2.0), np.ones([2, 2, 3], np.float32))


def test_conversions_of_images() -> None:
    convert = tf.image.convert_image_dtype
    floats = tf.constant([0.0, 0.5, 1.0, 1.5, -1.0])
    assert convert(floats, tf.uint8, saturate=True).numpy().tolist() == [0, 127, 255, 255, 0]
    bytes_ = tf.constant([0, 128, 255], tf.uint8)
    assert convert(bytes_, tf.int16).numpy().tolist() == [0, 16384, 32640]
    assert convert(bytes_, tf.uint16).numpy().tolist() == [0, 32768, 65280]
    with pytest.raises(AttributeError, match="floating point or integer"):
        convert(bytes_, tf.bool)


@pytest.mark.parametrize("turns", range(-1, 5))
def test_turns_and_flips(turns: int) -> None:
    x = normal(2, 3, 4, 2)
    assert_close(tf.image.rot90(x, turns), np.rot90(x, turns, axes=(1, 2)))
    assert_close(tf.image.flip_left_right(x), x[:, :, ::-1])
    assert_close(tf.image.flip_up_down(x), x[:, ::-1])
    assert_close(tf.image.transpose(x), x.swapaxes(1, 2))
    with pytest.raises(ValueError, match="three-dimensional"):
        tf.image.rot90([1.0])


def test_every_padding_and_stride_agrees_with_the_definition_at_random() -> None:
    generator = np.random.default_rng(0)
    for _ in range(20):
        size, kernel = generator.integers(3, 9, 2), generator.integers(1, 4, 2)
        strides, rates = generator.integers(1, 4, 2), generator.integers(1, 3, 2)
        x, filters = normal(1, *size, 2), normal(*kernel, 2, 2)
        pairs = [same_padding(*map(int, z)) for z in zip(size, kernel, strides, rates, strict=True)]
        expected = slow_convolution(x, filters, strides, *zip(*pairs, strict=True), rates)
        found = tf.nn.conv2d(x, filters, strides.tolist(), "SAME", dilations=rates.tolist())
        assert_close(found, expected)
    assert list(itertools.chain(expected.shape)) == list(found.shape)


@pytest.mark.parametrize("kind", ["conv2d", "conv2d_transpose", "depthwise_conv2d"])
def test_infinite_sums_of_known_calls_warn_nobody(kind: str) -> None:
    """From the second call on, lanes take what kernels have seen."""
    x, filters = tf.zeros([1, 2, 2, 2]), tf.fill([2, 2, 2, 2], np.float32(np.inf))
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch([x, filters])
            if kind == "conv2d_transpose":
                y = tf.nn.conv2d_transpose(x, filters, [1, 4, 4, 2], 2)
            else:
                y = getattr(tf.nn, kind)(x, filters, [1, 1, 1, 1], "SAME")
        _, by_filters = tape.gradient(y, [x, filters], tf.fill(y.shape, np.float32(np.inf)))
        assert np.isnan(y.numpy()).any()
        assert np.isnan(by_filters.numpy()).any()

"""Arithmetic, reductions, scans and clipping: what the sample table cannot ask.

Operators with their Python semantics, errors by name, IndexedSlices, and numbers that only a longer
computation shows to be right.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import errors
from tapegrad.ops.elementwise import special
from tapegrad.ops.reduce import scan
from tapegrad.testing import check_gradient

RNG = np.random.default_rng(3)


def slices(values: list[float]) -> tf.IndexedSlices:
    """Rows 0 and 2 of a vector of three."""
    return tf.IndexedSlices(tf.constant(values), tf.constant([0, 2]), tf.constant([3]))


# Operators


def test_and_or_xor_invert_are_logical_on_truth_values() -> None:
    x, y = tf.constant([True, True, False]), tf.constant([True, False, False])
    assert (x & y).numpy().tolist() == [True, False, False]
    assert (x | y).numpy().tolist() == [True, True, False]
    assert (x ^ y).numpy().tolist() == [False, True, False]
    assert (~x).numpy().tolist() == [False, False, True]
    assert (True & y).numpy().tolist() == [True, False, False]


def test_and_or_xor_invert_are_bitwise_on_integers() -> None:
    x, y = tf.constant([6, 5]), tf.constant([3, 3])
    assert (x & y).numpy().tolist() == [2, 1]
    assert (x | 3).numpy().tolist() == [7, 7]
    assert (3 ^ x).numpy().tolist() == [5, 6]
    assert (~x).numpy().tolist() == [-7, -6]
    assert (~tf.Variable(5)).numpy() == -6


def test_bitwise_operators_refuse_floats_and_mixtures() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="BitwiseAnd"):
        tf.constant([6.0]) & tf.constant([1.0])
    with pytest.raises(errors.InvalidArgumentError, match="BitwiseXor"):
        tf.constant([1]) ^ tf.constant([True])


def test_equality_with_what_cannot_be_compared() -> None:
    x = tf.constant([1, 2])
    assert (x == None) is False  # noqa: E711
    assert (x != None) is True  # noqa: E711
    assert (x == tf.constant([1, 2, 3])).numpy() == np.False_
    assert (x != [1, 2, 3]).numpy() == np.True_
    assert (x == [1, 5]).numpy().tolist() == [True, False]
    assert (x == [[1, 2], [2, 3]]).numpy().tolist() == [[True, True], [False, False]]
    with pytest.raises(errors.InvalidArgumentError, match="Incompatible shapes"):
        tf.equal(x, [1, 2, 3])
    with pytest.raises(errors.InvalidArgumentError, match="Equal"):
        x == tf.constant([1.0, 2.0])  # noqa: B015
    with pytest.raises(ValueError, match="object"):
        x == object()  # noqa: B015


@pytest.mark.parametrize(
    ("dtype", "quotient"),
    [
        ("int8", "float32"),
        ("int16", "float32"),
        ("uint8", "float32"),
        ("uint16", "float32"),
        ("int32", "float64"),
        ("int64", "float64"),
        ("uint32", "float64"),
        ("uint64", "float64"),
        ("float16", "float16"),
        ("bfloat16", "bfloat16"),
        ("complex64", "complex64"),
    ],
)
def test_dtype_of_quotients(dtype: str, quotient: str) -> None:
    x = tf.cast(tf.constant([3, 1]), dtype)
    for result in (x / x, tf.divide(x, 2), tf.truediv(x, x), 2 / x):
        assert result.dtype == quotient
    assert (x / x).numpy().tolist() == [1, 1]


def test_division_refuses_mixtures_and_truth_values() -> None:
    with pytest.raises(TypeError, match="same dtype"):
        tf.constant(1) / tf.constant(2.0)
    with pytest.raises(TypeError, match="same dtype"):
        tf.truediv(tf.constant(1), tf.constant(2, tf.int64))
    with pytest.raises(TypeError, match="bool"):
        tf.divide(tf.constant(True), tf.constant(True))


def test_quotient_of_integers_cuts_the_tape() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x / 2.0 + tf.cast(tf.constant(3) / tf.constant(2), tf.float32)
    assert tape.gradient(y, x).numpy() == 0.5


@pytest.mark.parametrize(
    "function", [tf.math.floordiv, tf.math.floormod, tf.truncatediv, tf.truncatemod]
)
def test_integer_division_by_zero(function) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="Integer division by zero"):
        function(tf.constant([1, 2]), tf.constant([1, 0]))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_a_remainder_of_zero_has_the_sign_of_what_is_divided(dtype: str) -> None:
    x = tf.cast([-0.0, 0.0, 4.0, -4.0, 3.0, -3.0], dtype)
    for divisor, third in ((2.0, [1.0, 1.0]), (-2.0, [-1.0, -1.0])):
        found = tf.cast(x % tf.cast(divisor, dtype), tf.float32).numpy()
        expected = np.array([-0.0, 0.0, 0.0, -0.0, *third], np.float32)
        assert found.tobytes() == expected.tobytes()


def test_integer_to_a_negative_power() -> None:
    for base, exponent in ((2, -1), ([2, 3], [-1, 2]), ([1, -1], [-1, -2])):
        with pytest.raises(errors.InvalidArgumentError, match="negative integer powers"):
            tf.pow(base, exponent)
    with pytest.raises(errors.InvalidArgumentError, match="negative integer powers"):
        tf.constant(2) ** -1


def test_division_of_integers_is_exact_at_any_sign() -> None:
    numbers = [*range(-9, 10), 2**40, -(2**40) - 1]
    pairs = [(a, b) for a, b in itertools.product(numbers, numbers) if b]
    x, y = (tf.constant(side, tf.int64) for side in zip(*pairs, strict=True))
    assert tf.math.floordiv(x, y).numpy().tolist() == [a // b for a, b in pairs]
    assert tf.math.floormod(x, y).numpy().tolist() == [a % b for a, b in pairs]
    truncated = [abs(a) // abs(b) * (1 if a * b > 0 else -1) for a, b in pairs]
    assert tf.truncatediv(x, y).numpy().tolist() == truncated
    remainders = [a - b * q for (a, b), q in zip(pairs, truncated, strict=True)]
    assert tf.truncatemod(x, y).numpy().tolist() == remainders


def test_shifts_stop_at_the_width() -> None:
    x = tf.constant([1, 1, -8, 8])
    assert tf.bitwise.left_shift(x, [31, 99, 1, -1]).numpy().tolist() == [
        -(2**31),
        -(2**31),
        -16,
        8,
    ]
    assert tf.bitwise.right_shift(x, [0, 99, 99, -1]).numpy().tolist() == [1, 0, -1, 8]


def test_strings_are_joined() -> None:
    assert tf.add(["a", "b"], "c").numpy().tolist() == [b"ac", b"bc"]


# Zeros that arrive stay zeros, and where the function is smooth nothing is lost by it


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.math.log(x) ** 2,  # zero gradients arrive at x = 1
        lambda x: (x / (x + 1.0) - 0.5) ** 2,
        lambda x: (tf.sqrt(x) - 1.0) ** 2,
        lambda x: (tf.math.rsqrt(x) - 1.0) ** 2,
        lambda x: (tf.math.reciprocal(x) - 1.0) ** 2,
        lambda x: (tf.pow(x, 3.0) - 1.0) ** 2,
        lambda x: tf.math.divide_no_nan(x - 1.0, x) ** 2,
        lambda x: tf.asin(x - 1.0) ** 2,
        lambda x: tf.math.lgamma(x) ** 2,
    ],
)
def test_second_order_where_a_zero_arrives(function) -> None:
    check_gradient(function, [1.0], order=2)


def test_special_functions_to_second_order_at_removable_singularities() -> None:
    for function in (special.bessel_i1, special.bessel_j1):
        check_gradient(lambda x, function=function: function(x * x), [0.3, 1.0], order=2)
        assert gradient_of(function, 0.0) == 0.5
    check_gradient(special.spence, [1.0], order=2, rtol=1e-4)


def gradient_of(function, x: float) -> float:
    tensor = tf.constant(x, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(tensor)
        y = function(tensor)
    return float(tape.gradient(y, tensor).numpy())


def test_gamma_function_by_its_order() -> None:
    orders = [0.3, 0.5, 2.0, 5.0, 20.0, 100.0]
    places = [1.5, 0.1, 2.0, 1.0, 25.0, 95.0]
    check_gradient(tf.math.igamma, orders, places, order=2)
    check_gradient(tf.math.igammac, orders, places, order=2)


def test_gamma_function_by_its_order_far_out() -> None:
    # TensorFlow's answers: both tails down to nothing.
    order = tf.constant([2.0, 0.5, 100.0, 1e-3, 1000.0, 5.0, 0.1, 3.0], tf.float64)
    place = tf.constant([2.0, 0.1, 120.0, 0.5, 900.0, 1e-5, 30.0, 50.0], tf.float64)
    expected = [
        *(-2.94004691e-01, -8.22936097e-01, -6.21318593e-03, -5.60359400e-01),
        *(-6.24570904e-05, -1.10157777e-26, -6.20317850e-15, -7.55205692e-19),
    ]
    np.testing.assert_allclose(special.igamma_grad_a(order, place).numpy(), expected, rtol=1e-8)
    moves = [1.08620858e00, 5.09765567e-01, 1.09575251e00, 4.61992167e02]
    moves += [9.48402638e-01, 2.64381309e-05, 1.34647576e01, 3.13241530e00]
    np.testing.assert_allclose(special.random_gamma_grad(order, place).numpy(), moves, rtol=1e-8)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_gamma_samples_of_zero_do_not_move(dtype: str) -> None:
    alpha = tf.constant([0.0, 0.01, 0.5, 1.0, 2.5, np.nan], dtype)
    slopes = tf.raw_ops.RandomGammaGrad(alpha=alpha, sample=tf.zeros_like(alpha))
    np.testing.assert_array_equal(slopes, np.array([0, 0, 0, 0, 0, np.nan], dtype))


# Reductions


@pytest.mark.parametrize(
    "function",
    [
        tf.reduce_sum,
        tf.reduce_mean,
        tf.reduce_prod,
        tf.reduce_max,
        tf.reduce_min,
        tf.reduce_logsumexp,
        tf.math.reduce_euclidean_norm,
        tf.math.reduce_variance,
        tf.math.reduce_std,
        tf.math.count_nonzero,
    ],
)
def test_axis_that_does_not_suit(function) -> None:
    with pytest.raises(errors.InvalidArgumentError, match="rank 2"):
        function(tf.ones([2, 3]), axis=2)
    with pytest.raises(errors.InvalidArgumentError, match="rank 2"):
        function(tf.ones([2, 3]), axis=[0, -3])
    with pytest.raises(errors.InvalidArgumentError, match="more than once"):
        function(tf.ones([2, 3]), axis=[0, -2])
    with pytest.raises(errors.InvalidArgumentError, match="rank 0"):
        function(tf.constant(1.0), axis=0)
    assert function(tf.constant(1.0), axis=[]).shape == []


def test_axis_may_be_a_tensor() -> None:
    x = tf.ones([2, 3])
    for axis in (tf.constant(1), tf.constant([1], tf.int64), np.array([1]), tf.Variable(1), [-1]):
        assert tf.reduce_sum(x, axis).shape == [2]
    assert tf.reduce_sum(x, tf.constant([[0, 1]])).shape == []
    with pytest.raises(TypeError):
        tf.reduce_sum(x, 1.0)


def test_half_precision_is_summed_in_single() -> None:
    x = tf.cast(tf.fill([5000], 1.0), tf.bfloat16)
    assert float(tf.reduce_sum(x)) == 4992  # 5000, rounded once
    assert float(tf.reduce_mean(tf.cast(tf.fill([70000], 2.0), tf.float16))) == 2
    assert float(tf.cumsum(tf.cast(tf.fill([3000], 1.0), tf.float16))[-1]) == 3000


def test_integers_wrap_and_keep_their_dtype() -> None:
    x = tf.constant([100, 100], tf.int8)
    assert tf.reduce_sum(x).numpy() == np.int8(-56)
    assert tf.reduce_prod(x).numpy() == np.int8(16)
    assert tf.reduce_mean(x).numpy() == np.int8(100)
    assert tf.cumsum(x).numpy().tolist() == [100, -56]
    assert tf.reduce_mean(tf.constant([-1, -2, -4])).numpy() == -2


def test_variance_and_deviation_refuse_integers() -> None:
    for function in (tf.math.reduce_variance, tf.math.reduce_std):
        with pytest.raises(TypeError, match="real or complex"):
            function([1, 2])


def test_deviation_of_close_numbers() -> None:
    assert tf.math.reduce_std([1e-30, 3e-30]).numpy() == np.float32(1e-30)


def test_argmax_passes_over_nan() -> None:
    nan = math.nan
    x = tf.constant([[nan, 1.0, 3.0], [nan, nan, nan], [2.0, nan, 2.0]])
    assert tf.argmax(x, 1).numpy().tolist() == [2, 0, 0]
    assert tf.argmin(x, 1).numpy().tolist() == [1, 0, 0]


def test_argmax_refusals() -> None:
    with pytest.raises(TypeError, match="axis must be"):
        tf.argmax(tf.ones([2, 3]), [0])
    with pytest.raises(errors.InvalidArgumentError, match="dimension"):
        tf.argmax(tf.constant(1.0))
    with pytest.raises(errors.InvalidArgumentError, match="empty"):
        tf.argmax(tf.zeros([0, 3]))
    with pytest.raises(errors.InvalidArgumentError, match="output_type"):
        tf.argmin(tf.ones([2]), output_type=tf.int16)
    assert tf.argmax(tf.zeros([0, 3]), 1).shape == [0]


def test_logsumexp_gradient_is_exact_at_any_height() -> None:
    for shift in (0.0, 1000.0, -1000.0, 1e30):
        x = tf.constant([shift, shift])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_logsumexp(x)
        assert tape.gradient(y, x).numpy().tolist() == [0.5, 0.5]


# Scans


def by_definition(function, x: np.ndarray, exclusive: bool, reverse: bool) -> np.ndarray:
    """A scan along the first axis, each result on its own."""
    results = []
    for k in range(len(x)):
        upto = k if exclusive else k + 1
        part = x[len(x) - upto :] if reverse else x[:upto]
        results.append(function(part))
        if reverse:
            results[-1] = function(x[k + 1 :] if exclusive else x[k:])
    return np.array(results)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("lanes", [1, 3, 40])
def test_scans_by_definition(lanes: int, exclusive: bool, reverse: bool) -> None:
    x = RNG.normal(size=(6, lanes))
    x[2] = 0
    for function, expected in (
        (tf.cumsum, lambda part: part.sum(axis=0)),
        (tf.math.cumprod, lambda part: part.prod(axis=0)),
    ):
        result = function(tf.constant(x), 0, exclusive, reverse).numpy()
        np.testing.assert_allclose(
            result, by_definition(expected, x, exclusive, reverse), atol=1e-14
        )
        check_gradient(lambda x, f=function: f(x, 0, exclusive, reverse), x, order=2, directions=1)


@pytest.mark.parametrize("lagged", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("lanes", [2, 40])
def test_recurrence_to_third_order(lanes: int, reverse: bool, lagged: bool) -> None:
    decay, drive = RNG.normal(size=(2, 5, lanes))

    def run(decay, drive):
        return scan.recurrence(decay, drive, 0, reverse, lagged)

    def slope(decay, drive):
        with tf.GradientTape() as tape:
            tape.watch([decay, drive])
            y = tf.reduce_sum(run(decay, drive) ** 2)
        return tape.gradient(y, [decay, drive])

    check_gradient(run, decay, drive, order=2)
    check_gradient(slope, decay, drive, order=2, directions=1)


def test_scan_refusals() -> None:
    for function in (tf.cumsum, tf.math.cumprod, tf.math.cumulative_logsumexp):
        with pytest.raises(errors.InvalidArgumentError, match="rank 1"):
            function(tf.ones([3]), axis=1)
        with pytest.raises(errors.InvalidArgumentError, match="rank 0"):
            function(tf.constant(1.0))
        with pytest.raises(errors.InvalidArgumentError, match="scalar"):
            function(tf.ones([3]), axis=[0])


# Sums of many tensors, and clipping


def test_add_n() -> None:
    parts = [tf.constant([1.0, 2.0]), tf.Variable([3.0, 4.0]), [5.0, 6.0]]
    assert tf.add_n(parts).numpy().tolist() == [9, 12]
    assert tf.add_n([slices([1.0, 2.0]), slices([1.0, 1.0]), tf.ones([3])]).numpy().tolist() == [
        3,
        1,
        4,
    ]
    with pytest.raises(ValueError, match="at least one"):
        tf.add_n([])
    with pytest.raises(errors.InvalidArgumentError, match="same size and shape"):
        tf.add_n([tf.ones([2]), tf.ones([1])])
    with pytest.raises(errors.InvalidArgumentError, match="AddN"):
        tf.add_n([tf.constant(1.0), tf.constant(1)])


def test_accumulate_n() -> None:
    ones = tf.ones([2])
    assert tf.math.accumulate_n(
        [ones, ones], shape=[2], tensor_dtype=tf.float32
    ).numpy().tolist() == [2, 2]
    for wrong in ([], 5, [ones, tf.ones([2], tf.int32)], [ones, tf.ones([1])]):
        with pytest.raises(ValueError, match=r"list of at least one|not compatible"):
            tf.math.accumulate_n(wrong)
    with pytest.raises(TypeError, match="tensor_dtype"):
        tf.math.accumulate_n([ones], tensor_dtype=tf.int32)


def test_scalar_mul() -> None:
    assert tf.scalar_mul(2.0, slices([1.0, 3.0])).values.numpy().tolist() == [2, 6]
    assert tf.scalar_mul(2, tf.constant([1.5])).numpy().tolist() == [3]
    with pytest.raises(ValueError, match="one number"):
        tf.scalar_mul(tf.ones([1]), tf.ones([2]))
    with pytest.raises(TypeError, match=r"Cannot convert 2\.5 to a tensor of dtype int32: the"):
        tf.scalar_mul(2.5, tf.constant([1]))


def test_clipping_keeps_slices() -> None:
    clipped = tf.clip_by_value(slices([-1.0, 5.0]), 0.0, 2.0)
    assert isinstance(clipped, tf.IndexedSlices)
    assert clipped.values.numpy().tolist() == [0, 2]
    clipped = tf.clip_by_norm(slices([3.0, 4.0]), 2.5)
    assert isinstance(clipped, tf.IndexedSlices)
    assert clipped.values.numpy().tolist() == [1.5, 2]
    (clipped, nothing), norm = tf.clip_by_global_norm([slices([3.0, 4.0]), None], 2.5)
    assert isinstance(clipped, tf.IndexedSlices)
    assert (clipped.values.numpy().tolist(), nothing, norm.numpy()) == ([1.5, 2], None, 5)


def test_bounds_do_not_enlarge_what_is_clipped() -> None:
    with pytest.raises(ValueError, match="incompatible"):
        tf.clip_by_value(tf.ones([2, 3]), tf.zeros([2, 2, 3]), 5.0)
    with pytest.raises(ValueError, match="incompatible"):
        tf.clip_by_value(tf.ones([2]), 0.0, tf.ones([2, 2]))
    with pytest.raises(ValueError, match="incompatible"):
        tf.clip_by_norm(tf.ones([2]), tf.ones([2, 2]))


def test_clip_by_norm_along_axes() -> None:
    x = RNG.normal(size=(3, 4)) * 2
    for axes in (None, 0, [1], [0, 1]):
        check_gradient(lambda x, c, axes=axes: tf.clip_by_norm(x, c, axes), x, 2.0)
    assert tf.clip_by_norm([3.0, 4.0], -1.0).numpy().tolist() == [0, 0]


def test_clip_by_global_norm_keeps_dtypes() -> None:
    parts = [tf.constant([3.0, 4.0]), tf.constant([1.0], tf.float16)]
    clipped, norm = tf.clip_by_global_norm(parts, 2.0, use_norm=tf.constant(10.0))
    assert [each.dtype.name for each in clipped] == ["float32", "float16"]
    assert norm.numpy() == 10
    with pytest.raises(errors.InvalidArgumentError, match="cannot compute Pack as input"):
        tf.clip_by_global_norm(parts, 2.0)
    for wrong in (tf.ones([2]), 5, {"a": tf.ones([1])}):
        with pytest.raises(TypeError, match="sequence"):
            tf.clip_by_global_norm(wrong, 2.0)
    with pytest.raises(errors.InvalidArgumentError, match="int32"):
        tf.linalg.global_norm([tf.constant([3, 4])])


# Complex numbers


def test_parts_of_complex_numbers_refuse_what_is_none() -> None:
    with pytest.raises(TypeError, match="incorrect types"):
        tf.complex(tf.constant(1.0), tf.constant(1.0, tf.float64))
    with pytest.raises(TypeError, match="incorrect types"):
        tf.complex(1, 2)
    for function in (tf.math.real, tf.math.imag, tf.math.conj):
        with pytest.raises(TypeError, match="numeric"):
            function(tf.constant(True))


def test_complex_keeps_infinite_parts_apart() -> None:
    z = tf.complex([math.inf, 1.0], [0.0, math.inf])
    assert tf.math.real(z).numpy().tolist() == [math.inf, 1]
    assert tf.math.imag(z).numpy().tolist() == [0, math.inf]


def test_real_functions_of_complex_numbers() -> None:
    z = np.array([1 + 2j, -0.5 + 0.3j, 2 - 1j])
    w = np.array([0.5 - 1j, 2 + 1j, -1 - 0.25j])
    for function in (tf.abs, tf.sign, tf.math.angle, tf.math.real, tf.math.imag, tf.math.conj):
        check_gradient(function, z, order=2)
    for function in (tf.math.reduce_variance, tf.math.reduce_std, tf.math.reduce_euclidean_norm):
        check_gradient(function, z, order=2)
    check_gradient(tf.math.squared_difference, z, w, order=2)
    check_gradient(tf.reduce_prod, z, order=2)


@pytest.mark.parametrize(
    "name", ["sqrt", "rsqrt", "reciprocal", "tanh", "sigmoid", "exp", "log", "asin", "acosh"]
)
def test_holomorphic_functions_to_second_order(name: str) -> None:
    check_gradient(getattr(tf.math, name), np.array([1 + 2j, -0.5 + 0.3j]), order=2)


@pytest.mark.parametrize(
    "name", ["SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "TanhGrad", "SigmoidGrad"]
)
def test_gradient_ops_are_differentiable(name: str) -> None:
    op = getattr(tf.raw_ops, name)
    y, dy = np.array([0.5, 1.5, 0.8]), np.array([1.0, -2.0, 0.3])
    check_gradient(lambda y, dy: op(y=y, dy=dy), y, dy, order=2)
    check_gradient(lambda y, dy: op(y=y, dy=dy), y + 0.5j, dy - 1j, order=2)


def test_times_beside_booleans_is_and() -> None:
    """A number then counts as true unless its whole part is 0: TensorFlow's answer."""
    flags = tf.constant([True, True])
    for other, expected in [
        (2, [True, True]), (0, [False, False]), (0.5, [False, False]), ([0, 2], [False, True]),
        (tf.constant([1, 0]), [True, False]), (np.array([True, False]), [True, False]),
    ]:  # fmt: skip
        assert (flags * other).numpy().tolist() == expected
        if not isinstance(other, (int, float, list)):
            assert (other * flags).numpy().tolist() == expected
    assert (tf.constant([0.5, -3.0]) * flags).numpy().tolist() == [False, True]
    assert (tf.constant([1j, 1.0]) * flags).numpy().tolist() == [False, True]
    for refused in (lambda: 2 * flags, lambda: tf.multiply(flags, 2), lambda: flags - 1):
        with pytest.raises(TypeError):
            refused()


# Each function with the numbers for which it is defined: there the result is not NaN, however small or large.
_DEFINED = {
    "bessel_i0": "all", "bessel_i0e": "all", "bessel_i1": "finite", "bessel_i1e": "all",
    "special.bessel_j0": "finite", "special.bessel_j1": "finite",
    "special.bessel_k0": "all", "special.bessel_k0e": "all", "special.bessel_k1": "all",
    "special.bessel_k1e": "all", "special.bessel_y0": "finite", "special.bessel_y1": "finite",
    "special.dawsn": "all", "special.expint": "positive", "special.fresnel_cos": "all",
    "special.fresnel_sin": "all", "special.spence": "positive", "lgamma": "all",
    "digamma": "positive", "erf": "all", "erfc": "all", "expm1": "all", "log1p": "positive",
}  # fmt: skip
_SIZES = [
    0.0, 5e-324, 1e-309, 2.3e-308, 1e-200, 1e-45, 1e-38, 1e-30, 1e-10, 0.5, 1.0, 2.0, 10.0, 88.0, 104.0,
    700.0, 745.0, 1e3, 1e5, 1e10, 1e20, 1e38, 1e154, 1e200, 1e300, 1.79e308,
]  # fmt: skip


@pytest.mark.parametrize("dtype", [tf.float64, tf.float32, tf.bfloat16, tf.float16])
@pytest.mark.parametrize("name", _DEFINED)
def test_special_functions_of_any_size(name: str, dtype: tf.DType) -> None:
    function = tf.math
    for part in name.split("."):
        function = getattr(function, part)
    numbers = np.array([*_SIZES, math.inf])
    if _DEFINED[name] != "positive":
        numbers = np.concatenate([numbers, -numbers])
    with np.errstate(over="ignore"):
        numbers = numbers.astype(dtype.as_numpy_dtype)
    if _DEFINED[name] == "finite" or name == "special.spence":
        numbers = numbers[np.isfinite(numbers)]
    results = function(tf.constant(numbers)).numpy()
    assert numbers[np.isnan(results)].tolist() == []


def test_limits_of_special_functions() -> None:
    """Just above zero, and where squares overflow."""
    tiny, huge = (
        tf.constant([5e-324, 1e-309], tf.float64),
        tf.constant([1e200, -1.79e308], tf.float64),
    )
    assert tf.math.bessel_i0(tiny).numpy().tolist() == [1.0, 1.0]
    assert tf.math.bessel_i0(huge).numpy().tolist() == [math.inf, math.inf]
    assert tf.math.special.bessel_k1(tiny).numpy().tolist() == [math.inf, math.inf]
    assert tf.math.special.bessel_k1e(tiny).numpy().tolist() == [math.inf, math.inf]
    assert tf.math.special.fresnel_sin(huge).numpy().tolist() == [0.5, -0.5]
    assert tf.math.special.fresnel_cos(huge).numpy().tolist() == [0.5, -0.5]
    for function, slope in ((tf.math.bessel_i1, 0.5), (tf.math.special.bessel_j1, 0.5),
                            (tf.math.special.bessel_k0, -math.inf)):  # fmt: skip
        with tf.GradientTape() as tape:
            tape.watch(tiny)
            y = function(tiny)
        assert tape.gradient(y, tiny).numpy().tolist() == [slope, slope]

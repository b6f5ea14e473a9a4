"""The numerics contract, row by row: what values and gradients are where mathematics leaves a choice.

A row is one line of the contract, under its words; all of its cases stand with it. Where TensorFlow's answer
is another, docs/differences.md says so; that it is another is asked of recorded answers in test_kinks.py.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples.ask import dense
from tapegrad import testing

inf, nan = float("inf"), float("nan")


class Case:
    """A function at a point: gradients promised for each input, and the value where that is the question."""

    def __init__(
        self,
        function: Callable[..., Any],
        inputs: Sequence[Any],
        gradients: Sequence[Any] | None,
        *,
        value: Any = None,
        dtypes: tuple[str, ...] = ("float32", "float64"),
    ) -> None:
        self.function, self.inputs = function, inputs
        self.gradients, self.value, self.dtypes = gradients, value, dtypes


def gradients(function: Callable[..., Any], *inputs: Any) -> list[Any]:
    """Gradients of the sum of the results, as arrays, by each of the inputs."""
    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        result = function(*tensors)
    return [dense(gradient) for gradient in tape.gradient(result, tensors)]


def where_positive(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: tf.where(x > 0, function(x), 0.0)


def where_nonzero(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: tf.where(x != 0, function(x), 0.0)


def clipped(x: Any) -> Any:
    return tf.clip_by_value(x, 0.0, 1.0)


def softmax_loss(labels: Any) -> Callable[[Any], Any]:
    return lambda logits: tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def sigmoid_loss(label: float) -> Callable[[Any], Any]:
    def loss(logits: Any) -> Any:
        labels = tf.fill(tf.shape(logits), tf.cast(label, logits.dtype))
        return tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    return loss


FAR = [-1000.0, 1000.0]
SINGLE = ("float32",)
DOUBLE = ("float64",)

ROWS: dict[str, list[Case]] = {
    "sqrt at 0": [Case(tf.sqrt, [0.0], [inf])],
    "(sqrt x)² at 0; where(x > 0, sqrt x, 0) at 0": [
        Case(lambda x: tf.sqrt(x) ** 2, [0.0], [0.0]),
        Case(lambda x: tf.square(tf.sqrt(x)), [0.0], [0.0]),
        Case(where_positive(tf.sqrt), [0.0], [0.0]),
    ],
    "where(x > 0, log x, 0) at 0; where(x ≠ 0, 1 / x, 0) at 0": [
        Case(where_positive(tf.math.log), [[0.0, 2.0]], [[0.0, 0.5]]),
        Case(where_nonzero(lambda x: 1.0 / x), [[0.0, 2.0]], [[0.0, -0.25]]),
        Case(where_nonzero(tf.math.reciprocal), [0.0], [0.0]),
        Case(where_positive(tf.math.log1p), [-1.0], [0.0]),
        Case(where_positive(tf.math.rsqrt), [0.0], [0.0]),
        Case(where_positive(lambda x: x**-2.0), [0.0], [0.0]),
        Case(where_positive(lambda x: x**0.5), [0.0], [0.0]),
        Case(lambda x, y: tf.where(y > 0, x / y, 0.0), [1.0, 0.0], [0.0, 0.0]),
        Case(lambda x, y: tf.where(x > 0, x**y, 0.0), [0.0, -1.0], [0.0, 0.0]),
    ],
    "norm at [0, 0]; at 1e-30 and 1e30": [
        Case(tf.norm, [[0.0, 0.0]], [[0.0, 0.0]], value=0.0),
        Case(tf.norm, [[3e-30, 4e-30]], [[0.6, 0.8]], value=5e-30),
        Case(tf.norm, [[3e30, 4e30]], [[0.6, 0.8]], value=5e30),
        Case(tf.norm, [[3e-38, 4e-38]], [[0.6, 0.8]], value=5e-38),
        Case(tf.norm, [[3e-300, 4e300]], [[0.0, 1.0]], value=4e300, dtypes=DOUBLE),
        Case(tf.norm, [[[0.0, 0.0], [0.0, 0.0]]], [[[0.0, 0.0], [0.0, 0.0]]]),
        Case(lambda x: tf.norm(x, axis=1), [[[0.0, 0.0], [3.0, 4.0]]], [[[0.0, 0.0], [0.6, 0.8]]]),
    ],
    "reduce_std of [1, 1, 1]": [
        Case(tf.math.reduce_std, [[1.0, 1.0, 1.0]], [[0.0, 0.0, 0.0]], value=0.0)
    ],
    "clip_by_norm of zeros": [
        Case(lambda x: tf.clip_by_norm(x, 1.0), [[0.0, 0.0]], [[1.0, 1.0]], value=[0.0, 0.0])
    ],
    "pow(0, 0)": [Case(tf.pow, [0.0, 0.0], [0.0, 0.0], value=1.0)],
    "pow(-2, 2) by y": [Case(tf.pow, [-2.0, 2.0], [-4.0, 0.0], value=4.0)],
    "pow(0, 0.5) by x; pow(0, -1)": [
        Case(tf.pow, [0.0, 0.5], [inf, 0.0]),
        Case(tf.pow, [0.0, -1.0], [-inf, -inf]),
    ],
    "abs, relu, relu6, elu, leaky_relu at 0; clip at its bounds": [
        Case(tf.abs, [0.0], [0.0]),
        Case(tf.nn.relu, [0.0], [0.0]),
        Case(tf.nn.relu6, [[0.0, 6.0]], [[0.0, 0.0]]),
        Case(tf.nn.elu, [0.0], [1.0]),
        Case(lambda x: tf.nn.leaky_relu(x, 0.25), [0.0], [0.25]),
        Case(clipped, [[0.0, 1.0]], [[1.0, 1.0]]),
    ],
    "relu at NaN": [Case(tf.nn.relu, [nan], [0.0], value=nan)],
    "maximum(1, 1); maximum(1, NaN)": [
        Case(tf.maximum, [1.0, 1.0], [1.0, 0.0], value=1.0),
        Case(tf.maximum, [1.0, nan], [0.0, 1.0], value=nan),
        Case(tf.maximum, [nan, 1.0], [0.0, 1.0], value=nan),
    ],
    "reduce_max at ties; with NaN": [
        Case(tf.reduce_max, [[2.0, 1.0, 2.0]], [[0.5, 0.0, 0.5]], value=2.0),
        Case(tf.reduce_max, [[1.0, nan]], [[nan, nan]], value=nan),
    ],
    "sum(cumprod([2, 0, 3]))": [
        Case(tf.math.cumprod, [[2.0, 0.0, 3.0]], [[1.0, 8.0, 0.0]], value=[2.0, 0.0, 0.0])
    ],
    "reduce_prod with zeros, order 1": [
        Case(tf.reduce_prod, [[0.0, 2.0, 3.0]], [[6.0, 0.0, 0.0]], value=0.0),
        Case(tf.reduce_prod, [[0.0, 0.0, 3.0]], [[0.0, 0.0, 0.0]], value=0.0),
    ],
    "atan2(0, 0)": [Case(tf.atan2, [0.0, 0.0], [0.0, 0.0], value=0.0)],
    "logsumexp of all -inf": [
        Case(tf.reduce_logsumexp, [[-inf, -inf]], [[0.0, 0.0]], value=-inf)
    ],
    "logsumexp([inf, 0])": [Case(tf.reduce_logsumexp, [[inf, 0.0]], [[1.0, 0.0]], value=inf)],
    "softplus, log_sigmoid, sigmoid cross entropy at ±1000": [
        Case(tf.nn.softplus, [FAR], [[0.0, 1.0]], value=[0.0, 1000.0]),
        Case(tf.math.log_sigmoid, [FAR], [[1.0, 0.0]], value=[-1000.0, 0.0]),
        Case(sigmoid_loss(0.0), [FAR], [[0.0, 1.0]], value=[0.0, 1000.0]),
        Case(sigmoid_loss(1.0), [FAR], [[-1.0, 0.0]], value=[1000.0, 0.0]),
    ],
    "softmax cross entropy, label 0 at a -inf logit": [
        Case(softmax_loss([[0.0, 1.0]]), [[[-inf, 0.0]]], [[[0.0, 0.0]]], value=[0.0]),
        Case(softmax_loss([[0.0, 1.0, 0.0]]), [[[-inf, 0.0, 0.0]]], [[[0.0, -0.5, 0.5]]],
             value=[np.log(2.0)]),
    ],
    "xlogy(0, 0), xdivy(0, 0), xlog1py": [
        Case(tf.math.xlogy, [0.0, 0.0], [0.0, 0.0], value=0.0),
        Case(tf.math.xdivy, [0.0, 0.0], [0.0, 0.0], value=0.0),
        Case(tf.math.xlog1py, [0.0, -1.0], [0.0, 0.0], value=0.0),
        Case(tf.math.xlogy, [0.0, inf], [0.0, 0.0], value=0.0),
    ],
    "lgamma at 0; digamma(0)": [
        Case(tf.math.lgamma, [0.0], [-inf], value=inf),
        Case(tf.math.digamma, [0.0], None, value=-inf),
    ],
    "svd or eigh at equal values: the values": [
        Case(lambda m: tf.linalg.svd(m, compute_uv=False), [np.eye(2)], [np.eye(2)], value=[1.0, 1.0]),
        Case(lambda m: tf.linalg.eigh(m)[0], [np.eye(2)], [np.eye(2)], value=[1.0, 1.0]),
        Case(tf.linalg.eigvalsh, [np.eye(2)], [np.eye(2)], value=[1.0, 1.0]),
    ],
    "det of a singular matrix": [
        Case(tf.linalg.det, [[[1.0, 1.0], [1.0, 1.0]]], [[[1.0, -1.0], [-1.0, 1.0]]], value=0.0),
        Case(tf.linalg.det, [[[0.0, 0.0], [0.0, 0.0]]], [[[0.0, 0.0], [0.0, 0.0]]], value=0.0),
    ],
    "complex: z² at 1 + 2j": [
        Case(lambda z: z * z, [1 + 2j], [2 - 4j], dtypes=("complex64", "complex128")),
        Case(tf.square, [1 + 2j], [2 - 4j], dtypes=("complex64", "complex128")),
        Case(lambda z: z**2, [1 + 2j], [2 - 4j], dtypes=("complex64", "complex128")),
    ],
}  # fmt: skip

_CASES = [
    pytest.param(case, dtype, id=f"{row}, case {number}, {dtype}")
    for row, cases in ROWS.items()
    for number, case in enumerate(cases)
    for dtype in case.dtypes
]


@pytest.mark.parametrize(("case", "dtype"), _CASES)
def test_row(case: Case, dtype: str) -> None:
    inputs = [np.asarray(x, dtype) for x in case.inputs]
    if case.value is not None:
        testing.assert_close(
            case.function(*map(tf.constant, inputs)), np.asarray(case.value, dtype)
        )
    if case.gradients is not None:
        for found, promised in zip(gradients(case.function, *inputs), case.gradients, strict=True):
            testing.assert_close(found, np.asarray(promised, dtype))


# --- Rows that take more than one call to say --------------------------------------------------------


def test_clip_by_global_norm_with_an_infinite_norm() -> None:
    """NaN by design: a step that went wrong must not look right."""
    for gone in (inf, -inf, nan):
        parts, norm = tf.clip_by_global_norm([tf.constant([1.0, gone]), tf.constant([2.0])], 1.0)
        assert not np.isfinite(norm.numpy())
        assert all(np.isnan(part.numpy()).all() for part in parts)


def test_clip_by_global_norm_of_zeros_passes_through() -> None:
    (part,), norm = tf.clip_by_global_norm([tf.constant([0.0, 0.0])], 1.0)
    assert norm.numpy() == 0.0
    testing.assert_close(part, np.zeros(2, np.float32))


def test_clip_by_global_norm_passes_over_none() -> None:
    parts, norm = tf.clip_by_global_norm([tf.constant([3.0]), None, tf.constant([4.0])], 1.0)
    assert parts[1] is None
    testing.assert_close(norm, np.float32(5.0))
    testing.assert_close(parts[0], np.float32([0.6]))


def test_sort_and_top_k_at_ties_and_nan() -> None:
    """Stable, lowest index first; NaN is the largest."""
    assert tf.argsort([2.0, 1.0, 2.0, 1.0], stable=True).numpy().tolist() == [1, 3, 0, 2]
    assert tf.math.top_k([1.0, 3.0, 3.0], k=2).indices.numpy().tolist() == [1, 2]
    assert tf.argmax([1.0, 3.0, 3.0]).numpy() == 1
    for size in (3, 40):
        x = np.arange(size, dtype=np.float32)[::-1].copy()
        x[1] = nan
        assert np.isnan(tf.sort(x).numpy()[-1])
        assert np.isnan(tf.sort(x, direction="DESCENDING").numpy()[0])
        assert tf.math.top_k(x, k=1).indices.numpy().tolist() == [1]


ZEROS = [[0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [2.0, 0.0, 3.0, 4.0], [0.0, 0.0, 0.0], [2.0, 3.0, 4.0]]


@pytest.mark.parametrize("x", ZEROS)
def test_reduce_prod_with_zeros_to_second_order(x: list[float]) -> None:
    testing.check_gradient(tf.reduce_prod, x, order=2)
    testing.check_gradient(lambda m: tf.reduce_prod(m, axis=0), [x, x[::-1]], order=2)
    testing.check_gradient(tf.reduce_prod, [value * (1 + 0.5j) for value in x], order=2)


@pytest.mark.parametrize("x", ZEROS)
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumprod_with_zeros_to_second_order(x: list[float], exclusive: bool, reverse: bool) -> None:
    testing.check_gradient(
        lambda v: tf.math.cumprod(v, exclusive=exclusive, reverse=reverse), x, order=2
    )


def test_cumprod_takes_linear_time() -> None:
    x = np.ones(20_000)
    x[5_000] = 0.0
    (found,) = gradients(tf.math.cumprod, x)
    assert found.shape == (20_000,)
    assert found[5_000] == 15_000


@pytest.mark.parametrize("label", [3, -1])
def test_sparse_cross_entropy_with_a_label_out_of_range(label: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[label], logits=[[1.0, 2.0, 3.0]])


@pytest.mark.parametrize(
    "vectors",
    [
        lambda m: tf.reduce_sum(tf.linalg.svd(m)[1]) + tf.reduce_sum(tf.linalg.svd(m)[2]),
        lambda m: tf.reduce_sum(tf.linalg.eigh(m)[1]),
    ],
    ids=["svd", "eigh"],
)
def test_vectors_at_equal_values_have_finite_gradients(vectors: Callable[[Any], Any]) -> None:
    """Part of them is lost, of which test_check_numerics.py asks for a warning."""
    assert np.isfinite(gradients(vectors, np.eye(3))).all()


def test_cholesky_of_what_is_not_positive_definite() -> None:
    """NaN; test_check_numerics.py asks for the named error."""
    assert np.isnan(tf.linalg.cholesky([[1.0, 2.0], [2.0, 1.0]]).numpy()).any()


def test_cholesky_has_a_symmetric_gradient() -> None:
    (found,) = gradients(tf.linalg.cholesky, [[4.0, 1.0], [1.0, 3.0]])
    testing.assert_close(found, found.T)


def test_inverse_and_solve_refuse_singular_matrices() -> None:
    singular = tf.constant([[1.0, 1.0], [1.0, 1.0]])
    for refused in (
        lambda: tf.linalg.inv(singular),
        lambda: tf.linalg.solve(singular, tf.ones((2, 1))),
        lambda: tf.linalg.inv(tf.zeros([2, 2])),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            refused()


@pytest.mark.parametrize(
    "matrix",
    [
        [[1.0, 1.0], [1.0, 1.0]],
        [[0.0, 0.0], [0.0, 0.0]],
        [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]],
        [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]],
        [[2.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 3.0]],
    ],
)
def test_det_of_singular_matrices(matrix: Any) -> None:
    """Its gradient is the adjugate, which every matrix has."""
    testing.check_gradient(tf.linalg.det, matrix)


def test_reductions_of_nothing() -> None:
    empty = tf.zeros([0])
    assert tf.reduce_max(empty).numpy() == -inf
    assert tf.reduce_min(empty).numpy() == inf
    assert tf.reduce_sum(empty).numpy() == 0.0
    assert tf.reduce_prod(empty).numpy() == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.argmax(empty)


@pytest.mark.parametrize("index", [-1, 3, 2**31 - 1])
def test_gather_refuses_indices_out_of_range(index: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gather(tf.ones([3]), index)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gather_nd(tf.ones([3]), [[index]])


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8"])
def test_integer_division_by_zero(dtype: str) -> None:
    one, zero = tf.constant([1, 2], dtype), tf.constant([0, 1], dtype)
    for function in (tf.math.floordiv, tf.math.floormod, tf.truncatediv, tf.truncatemod):
        with pytest.raises(tf.errors.InvalidArgumentError):
            function(one, zero)
    with pytest.raises(tf.errors.InvalidArgumentError):
        one // zero
    with pytest.raises(tf.errors.InvalidArgumentError):
        one % 0


def test_infinite_matrices_come_to_an_end() -> None:
    """LAPACK's divide and conquer would look for their singular values forever."""
    x = tf.constant([[2.5, 0.03, 0.8], [-0.8, -2.1, -0.6], [-inf, 1.0, 0.0]])
    for function in (tf.linalg.svd, tf.linalg.pinv, tf.linalg.det):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        assert tape.gradient(y, x).shape == x.shape


# --- Promises beyond the table -----------------------------------------------------------------------

_PROGRAM = """
import numpy as np, tapegrad as tf, zlib
x = tf.constant(np.random.default_rng(0).standard_normal((300, 200)).astype("f"))
filters = tf.constant(np.random.default_rng(1).standard_normal((3, 3, 2, 4)).astype("f"))
with tf.GradientTape() as tape:
    tape.watch([x, filters])
    y = tf.reduce_sum(tf.exp(-x * x), axis=0) + tf.math.cumsum(tf.tanh(x))
    y += tf.reduce_mean(tf.nn.softmax(x), axis=1, keepdims=True)
    z = tf.nn.conv2d(tf.reshape(x, [2, 150, 100, 2]), filters, 1, "SAME")
    w = tf.math.unsorted_segment_sum(x, tf.range(300) % 7, 7)
    loss = tf.reduce_sum(y) + tf.reduce_sum(z * z) + tf.norm(w) + tf.math.reduce_std(x)
found = [y, z, w, loss, *tape.gradient(loss, [x, filters]), tf.random.stateless_normal([9], [1, 2])]
print([zlib.crc32(part.numpy().tobytes()) for part in found])
"""


def test_same_bits_at_any_number_of_threads() -> None:
    found = {
        subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            env={**os.environ, "OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count},
            capture_output=True,
            check=True,
        ).stdout
        for count in ("1", "2", "4")
    }
    assert len(found) == 1


def test_same_inputs_give_the_same_bits() -> None:
    x = np.random.default_rng(0).standard_normal((301, 203)).astype(np.float32)

    def bits() -> list[bytes]:
        with tf.GradientTape() as tape:
            tape.watch(t := tf.constant(x))
            y = tf.reduce_sum(tf.tanh(tf.matmul(t, t, transpose_b=True)))
        return [y.numpy().tobytes(), tape.gradient(y, t).numpy().tobytes()]

    assert bits() == bits()


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (tf.norm, [3.0, 4.0]),
        (tf.math.reduce_std, [1.0, 2.0, 4.0]),
        (lambda x: x**2.0, [0.0, -1.0]),
        (lambda x: x**3, [0.0, -2.0]),
        (tf.reduce_logsumexp, [30.0, 31.0]),
        (tf.linalg.det, np.eye(2)),
        (tf.nn.softplus, [0.0, 20.0]),
        (tf.nn.elu, [-0.5, 0.5]),
        (lambda x: tf.clip_by_norm(x, 1.0), [0.25, 0.5]),
        (lambda x: tf.atan2(x[0], x[1]), [1.0, -2.0]),
        (lambda x: tf.math.xlogy(x, x), [0.5, 2.0]),
        (lambda x: tf.linalg.cholesky(x + tf.transpose(x)), [[2.0, 0.5], [0.5, 1.5]]),
    ],
)
def test_second_order_is_right_where_the_function_is_smooth(function: Any, x: Any) -> None:
    testing.check_gradient(function, np.asarray(x, np.float64), order=2)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("shape", [(), (1, 3), (2, 1), (0, 3)])
def test_a_gradients_dtype_and_shape_are_the_sources(dtype: str, shape: tuple[int, ...]) -> None:
    x, other = tf.cast(tf.ones(shape), dtype), tf.cast(tf.ones([2, 3]), dtype)
    if shape == (0, 3):
        other = other[:1]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.abs(tf.cast(tf.exp(x * other), "complex64")) * 2.0
    found = tape.gradient(y, x)
    assert (found.dtype, found.shape) == (x.dtype, x.shape)


@pytest.mark.parametrize(
    ("dtype", "large"), [("float16", 65504.0), ("bfloat16", 3e38), ("float32", 3e38)]
)
def test_gradient_of_squared_difference_is_no_infinity_too_early(dtype: str, large: float) -> None:
    x, y = tf.constant([-large, large], dtype), tf.constant([0.0, 0.5], dtype)
    dy = tf.constant([0.467, 0.001], dtype)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        out = tf.math.squared_difference(x, y)
    by_x, by_y = tape.gradient(out, [x, y], output_gradients=dy)
    exact = 2 * tf.cast(dy, tf.float64) * (tf.cast(x, tf.float64) - tf.cast(y, tf.float64))
    np.testing.assert_allclose(tf.cast(by_x, tf.float64), exact, rtol=0.01)
    np.testing.assert_array_equal(tf.cast(by_y, tf.float64), -tf.cast(by_x, tf.float64))


@pytest.mark.parametrize("method", ["nearest", "bilinear"])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_crops_of_boxes_beyond_all_pictures_have_gradients_of_0(method: str, size: int) -> None:
    image = tf.reshape(tf.range(48.0), [1, 4, 4, 3])
    for place in range(4):
        for far in (-3.4e38, 3.4e38):
            corners = [0.0, 0.0, 1.0, 1.0]
            corners[place] = far
            box = tf.constant([corners])
            with tf.GradientTape() as tape:
                tape.watch([image, box])
                crops = tf.image.crop_and_resize(image, box, [0], [size, size], method)
            by_image, by_box = tape.gradient(crops, [image, box])
            assert np.isfinite(by_image).all()
            assert by_box[0, place] == by_box[0, (place + 2) % 4] == 0
            assert np.isfinite(by_box).all()
    # TensorFlow's answer: the mean of the coordinates is inside.
    box = tf.constant([[-3e38, 0.0, 3e38, 1.0]])
    with tf.GradientTape() as tape:
        tape.watch(box)
        crop = tf.image.crop_and_resize(image, box, [0], [1, 1], method)
    assert tape.gradient(crop, box).numpy().tolist() == [[0.0, 13.5, 0.0, 13.5]]

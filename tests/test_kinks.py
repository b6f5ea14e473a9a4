"""The numerics contract: values and gradients at kinks, infinities, ties and zeros.

Most rows of that page are rows of the sample table (their ``at``); here these are asked, and what
takes more than one op to say stands below.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import golden
import tapegrad as tf
from samples import Run
from samples.ask import check_recorded, dense, floats, is_kink, recorded_runs
from tapegrad import testing

inf, nan = float("inf"), float("nan")

_KINKS = [(run, answer) for run, answer in recorded_runs() if is_kink(run)]
_PROMISED = [
    (run, answer)
    for run, answer in _KINKS
    if run.case.answer is not None or run.case.value is not None
]
_IDS = [repr(run) for run, _ in _PROMISED]


def _promise_kept(actual: Any, promised: Any, run: Run) -> bool:
    try:
        # Constants such as 0.6931472 are written to seven digits.
        testing.assert_close(np.asarray(actual), np.asarray(promised), rtol=1e-5, what=repr(run))
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize(("run", "answer"), _PROMISED, ids=_IDS)
def test_promise(run: Run, answer: dict[str, Any]) -> None:
    tensors = run.tensors(tf)
    sources = [tensor for tensor in tensors if floats(tensor)]
    with tf.GradientTape() as tape:
        for source in sources:
            tape.watch(source)
        result = run(tf, tensors)
    if run.case.value is not None:
        testing.assert_close(result, np.asarray(run.case.value), rtol=1e-5, what=repr(run))
    if run.case.answer is not None:
        found = tape.gradient(result, sources)
        for place, (gradient, promised) in enumerate(zip(found, run.case.answer, strict=True)):
            what = f"gradient {place} of {run!r}"
            testing.assert_close(dense(gradient), np.asarray(promised), rtol=1e-5, what=what)


@pytest.mark.parametrize(("run", "answer"), _PROMISED, ids=_IDS)
def test_promise_says_whether_it_is_tensorflows(run: Run, answer: dict[str, Any]) -> None:
    """What is marked as differing does differ, and nothing else: no stale excuses."""
    check_recorded(run, answer)
    same = "error" not in answer
    if same and run.case.value is not None:
        same = _promise_kept(golden.decode(answer["outputs"][0]), run.case.value, run)
    if same and run.case.answer is not None:
        same = "gradients" in answer and all(
            coded is not None and _promise_kept(golden.decode(coded), promised, run)
            for coded, promised in zip(answer["gradients"], run.case.answer, strict=True)
        )
    assert same == (not run.case.differs), answer


def gradient(function: Callable[..., Any], *inputs: Any) -> Any:
    """Gradients of the sum of the results, as arrays: one, or a list if there are several inputs."""
    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        result = function(*tensors)
    found = [dense(g) for g in tape.gradient(result, tensors)]
    return found[0] if len(found) == 1 else found


@pytest.mark.parametrize(
    ("function", "x", "promised"),
    [
        (lambda x: tf.sqrt(x) ** 2, 0.0, 0.0),
        (lambda x: tf.square(tf.sqrt(x)), 0.0, 0.0),
        (lambda x: tf.where(x > 0, tf.sqrt(x), 0.0), 0.0, 0.0),
        (lambda x: tf.where(x > 0, tf.math.log(x), 0.0), 0.0, 0.0),
        (lambda x: tf.where(x != 0, 1.0 / x, 0.0), 0.0, 0.0),
        (lambda x: tf.where(x != 0, tf.math.reciprocal(x), 0.0), 0.0, 0.0),
        (lambda x: tf.where(x > 0, tf.math.rsqrt(x), 0.0), 0.0, 0.0),
        (lambda x: tf.where(x > 0, x**-2.0, 0.0), 0.0, 0.0),
        (lambda x: tf.where(x > 0, x**0.5, 0.0), 0.0, 0.0),
        (lambda x: tf.where(x > 0, 2.0 / x, x), [0.0, 2.0], [1.0, -0.5]),
        (lambda x: tf.where(x > 0, tf.math.log(x), 0.0), [0.0, 2.0], [0.0, 0.5]),
    ],
)  # fmt: skip
def test_zero_gradient_stays_zero(function: Any, x: Any, promised: Any) -> None:
    testing.assert_close(gradient(function, x), np.float32(promised))


def test_norm_is_exact_where_squares_are_not() -> None:
    for scale in (1e-30, 1e30, 1e-38):
        x = np.array([3, 4], np.float32) * np.float32(scale)
        testing.assert_close(tf.norm(tf.constant(x)), np.float32(5) * np.float32(scale))
        testing.assert_close(gradient(tf.norm, x), np.array([0.6, 0.8], np.float32))
    testing.assert_close(gradient(tf.norm, [[0.0, 0.0], [0.0, 0.0]]), np.zeros((2, 2), np.float32))


def test_norm_at_zero_keeps_other_rows() -> None:
    found = gradient(lambda x: tf.norm(x, axis=1), [[0.0, 0.0], [3.0, 4.0]])
    testing.assert_close(found, np.array([[0, 0], [0.6, 0.8]], np.float32))


def test_clip_by_norm_of_zeros() -> None:
    testing.assert_close(
        gradient(lambda x: tf.clip_by_norm(x, 1.0), [0.0, 0.0]), np.ones(2, np.float32)
    )


def test_clip_by_global_norm_is_nan_for_what_is_not_finite() -> None:
    clipped, norm = tf.clip_by_global_norm([tf.constant([1.0, inf]), tf.constant([2.0])], 1.0)
    assert np.isinf(norm.numpy())
    assert all(np.isnan(part.numpy()).all() for part in clipped)


def test_clip_by_global_norm_passes_over_none() -> None:
    clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), None, tf.constant([4.0])], 1.0)
    assert clipped[1] is None
    testing.assert_close(norm, np.float32(5.0))
    testing.assert_close(clipped[0], np.float32([0.6]))


def test_clip_by_global_norm_of_zeros_passes_through() -> None:
    (clipped,), norm = tf.clip_by_global_norm([tf.constant([0.0, 0.0])], 1.0)
    assert norm.numpy() == 0.0
    testing.assert_close(clipped, np.zeros(2, np.float32))


def test_relu_family_at_kinks() -> None:
    for function, x, promised in [
        (tf.abs, 0.0, 0.0), (tf.nn.relu, 0.0, 0.0), (tf.nn.relu6, 0.0, 0.0),
        (tf.nn.relu6, 6.0, 0.0), (tf.nn.elu, 0.0, 1.0), (tf.nn.leaky_relu, 0.0, 0.2),
        (lambda x: tf.clip_by_value(x, 0.0, 1.0), 0.0, 1.0),
        (lambda x: tf.clip_by_value(x, 0.0, 1.0), 1.0, 1.0), (tf.nn.relu, nan, 0.0),
    ]:  # fmt: skip
        testing.assert_close(gradient(function, x), np.float32(promised))


def test_prod_with_zeros_to_second_order() -> None:
    for x in ([0.0, 2.0, 3.0], [0.0, 0.0, 3.0], [2.0, 0.0, 3.0, 4.0], [0.0, 0.0, 0.0]):
        testing.check_gradient(tf.reduce_prod, x, order=2)
    testing.check_gradient(lambda x: tf.reduce_prod(x, axis=0), [[0.0, 1.0], [2.0, 0.0]], order=2)


def test_prod_of_complex_numbers_with_zeros() -> None:
    testing.check_gradient(tf.reduce_prod, [0j, 2 + 1j, 3 - 1j], order=2)


def test_cumprod_with_zeros_to_second_order() -> None:
    for x in ([2.0, 0.0, 3.0], [0.0, 0.0, 3.0], [0.0, 2.0, 3.0], [1.0, 0.0, 2.0, 0.0, 5.0]):
        for exclusive in (False, True):
            for reverse in (False, True):
                testing.check_gradient(
                    lambda v, e=exclusive, r=reverse: tf.math.cumprod(v, exclusive=e, reverse=r),
                    x,
                    order=2,
                )


def test_cumprod_takes_linear_time() -> None:
    x = np.ones(20_000)
    x[5_000] = 0.0
    found = gradient(tf.math.cumprod, x)
    assert found.shape == (20_000,)
    assert found[5_000] == 15_000


def test_sigmoid_cross_entropy_is_exact_far_out() -> None:
    loss = tf.nn.sigmoid_cross_entropy_with_logits(
        labels=tf.constant([0.0, 1.0, 0.0, 1.0]),
        logits=tf.constant([1000.0, 1000.0, -1000.0, -1000.0]),
    )
    testing.assert_close(loss, np.float32([1000, 0, 0, 1000]), rtol=0.0, atol=0.0)


def test_softmax_cross_entropy_ignores_what_has_no_label() -> None:
    def loss(logits: Any) -> Any:
        labels = tf.constant([[0.0, 1.0]])
        return tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)

    testing.assert_close(loss(tf.constant([[-inf, 0.0]])), np.float32([0.0]))
    assert np.isfinite(gradient(loss, [[-inf, 0.0]])).all()


def test_label_out_of_range() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[3], logits=[[1.0, 2.0, 3.0]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[-1], logits=[[1.0, 2.0, 3.0]])


def test_svd_of_equal_values() -> None:
    x = np.eye(3)
    testing.assert_close(tf.linalg.svd(x, compute_uv=False), np.ones(3))
    values = gradient(lambda m: tf.linalg.svd(m, compute_uv=False), x)
    testing.assert_close(values, np.eye(3))

    def vectors(m: Any) -> Any:
        _, u, v = tf.linalg.svd(m)
        return tf.reduce_sum(u) + tf.reduce_sum(v)

    assert np.isfinite(gradient(vectors, x)).all()


def test_eigh_of_equal_values() -> None:
    x = np.eye(3)
    testing.assert_close(gradient(lambda m: tf.linalg.eigh(m)[0], x), np.eye(3))
    assert np.isfinite(gradient(lambda m: tf.reduce_sum(tf.linalg.eigh(m)[1]), x)).all()


@pytest.mark.parametrize("function", [tf.linalg.svd, tf.linalg.pinv, tf.linalg.det])
def test_infinite_matrices_come_to_an_end(function: Any) -> None:
    """LAPACK's divide and conquer would look for their singular values forever."""
    x = tf.constant([[2.5, 0.03, 0.8], [-0.8, -2.1, -0.6], [-inf, 1.0, 0.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert tape.gradient(y, x).shape == x.shape


def test_cholesky_of_what_is_not_positive_definite() -> None:
    assert np.isnan(tf.linalg.cholesky([[1.0, 2.0], [2.0, 1.0]]).numpy()).any()


def test_cholesky_gradient_is_symmetric() -> None:
    found = gradient(tf.linalg.cholesky, [[4.0, 1.0], [1.0, 3.0]])
    testing.assert_close(found, found.T)


def test_singular_matrices() -> None:
    singular = tf.constant([[1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.inv(singular)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.solve(singular, tf.ones((2, 1)))


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
def test_determinant_of_singular_matrices(matrix: Any) -> None:
    """Its gradient is the adjugate, which every matrix has."""
    testing.check_gradient(tf.linalg.det, matrix)


def test_extremes_of_nothing() -> None:
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
def test_integer_division_by_zero_is_an_error(dtype: str) -> None:
    one, zero = tf.constant([1, 2], dtype), tf.constant([0, 1], dtype)
    for function in (tf.math.floordiv, tf.math.floormod):
        with pytest.raises(tf.errors.InvalidArgumentError):
            function(one, zero)
    with pytest.raises(tf.errors.InvalidArgumentError):
        one // zero
    with pytest.raises(tf.errors.InvalidArgumentError):
        one % 0


def test_complex_square() -> None:
    found = gradient(lambda z: z * z, np.complex64(1 + 2j))
    testing.assert_close(found, np.complex64(2 - 4j))


def test_xlogy_at_zero_beside_infinity() -> None:
    for function in (tf.math.xlogy, tf.math.xdivy, tf.math.xlog1py):
        found = gradient(function, [0.0, 0.0], [0.0, inf])
        testing.assert_close(function([0.0, 0.0], [0.0, inf]), np.zeros(2, np.float32))
        for part in found:
            testing.assert_close(part, np.zeros(2, np.float32))


def test_maximum_of_nan() -> None:
    found = gradient(tf.maximum, [1.0, nan], [nan, 1.0])
    testing.assert_close(found[0], np.float32([0.0, 0.0]))
    testing.assert_close(found[1], np.float32([1.0, 1.0]))


def test_order_of_equal_values() -> None:
    order = tf.argsort([2.0, 1.0, 2.0, 1.0], stable=True)
    assert order.numpy().tolist() == [1, 3, 0, 2]
    assert tf.math.top_k([1.0, 3.0, 3.0], k=2).indices.numpy().tolist() == [1, 2]
    assert np.isnan(tf.sort([nan, 1.0, 3.0]).numpy()[-1])
    assert tf.argmax([1.0, 3.0, 3.0]).numpy() == 1


def test_same_inputs_give_the_same_bits() -> None:
    x = np.random.default_rng(0).standard_normal((301, 203)).astype(np.float32)

    def bits() -> list[bytes]:
        with tf.GradientTape() as tape:
            tape.watch(t := tf.constant(x))
            y = tf.reduce_sum(tf.tanh(tf.matmul(t, t, transpose_b=True)))
        return [y.numpy().tobytes(), tape.gradient(y, t).numpy().tobytes()]

    assert bits() == bits()


def test_second_order_is_right_at_smooth_points_beside_kinks() -> None:
    for function, x in [
        (tf.norm, [3.0, 4.0]), (tf.math.reduce_std, [1.0, 2.0, 4.0]), (lambda x: x**2.0, [0.0, -1.0]),
        (lambda x: x**3, [0.0, -2.0]), (tf.reduce_logsumexp, [30.0, 31.0]), (tf.linalg.det, np.eye(2)),
        (tf.nn.softplus, [0.0, 20.0]), (tf.nn.elu, [-0.5, 0.5]),
    ]:  # fmt: skip
        testing.check_gradient(function, np.asarray(x, np.float64), order=2)


def test_same_bits_at_any_number_of_threads() -> None:
    program = (
        "import numpy as np, tapegrad as tf, zlib\n"
        "x = tf.constant(np.random.default_rng(0).standard_normal((300, 200)).astype('f'))\n"
        "y = tf.reduce_sum(tf.exp(-x * x)) + tf.math.cumsum(tf.tanh(x))\n"
        "print(zlib.crc32(y.numpy().tobytes()))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count},
            capture_output=True,
            check=True,
        ).stdout
        for count in ("1", "2", "4")
    }
    assert len(found) == 1

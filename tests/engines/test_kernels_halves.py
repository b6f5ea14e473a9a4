"""Kernels of bfloat16: loops in registers, reductions, programs and products, beside float32 rounded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy import kernels, levels, softmax
from tapegrad.engines.numpy.loops import Loops
from tapegrad.engines.numpy.programs import FIRST_STEP, Program

HALF = tf.bfloat16.as_numpy_dtype
Array = Any

SPECIAL = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40, -1e-40, 3e38, -3e38]
SIZES = (1, 2, 3, 17, 511, 512, 513, 5001)


@pytest.fixture(params=range(levels.levels()[1] + 1), autouse=True)
def level(request: pytest.FixtureRequest) -> Iterator[int]:
    levels.set_level(request.param)
    yield request.param
    levels.set_level(levels.levels()[1])


def halves(*shape: int, seed: int = 0, special: bool = False) -> Array:
    random = np.random.default_rng(seed)
    x = (random.normal(size=shape) * np.exp(3 * random.normal(size=shape))).astype(HALF)
    if special and x.size > len(SPECIAL):
        x.ravel()[: len(SPECIAL)] = SPECIAL
        random.shuffle(x)
    return x


def assert_same(found: Array, expected: Array) -> None:
    """The same bits, but for what is in a NaN."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    same = found.view(np.uint16) == expected.view(np.uint16)
    same |= np.isnan(found.astype(np.float32)) & np.isnan(expected.astype(np.float32))
    assert same.all(), (found[~same][:5], expected[~same][:5])


def loop(ufunc: Any) -> Callable[..., Array]:
    """The loop of ``ufunc`` for bfloat16 at the level of the test; others keep the one they found first."""
    dtype = np.dtype(HALF)
    operands = tuple(range(ufunc.nin))
    step = (Loops(ufunc), dtype, dtype, operands)
    return Program([dtype] * ufunc.nin, [], [step], FIRST_STEP, dtype)


BINARY = [np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum, np.arctan2]
UNARY = [np.negative, np.absolute, np.square, np.sqrt, np.reciprocal, np.exp, np.tanh]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ufunc", BINARY, ids=lambda ufunc: ufunc.__name__)
def test_binary_loops(ufunc: np.ufunc, size: int) -> None:
    x, y = halves(size, special=True), halves(size, seed=1, special=True)
    for a, b in ((x, y), (x[0], y), (x, y[0])):
        expected = ufunc(np.asarray(a, np.float32), np.asarray(b, np.float32)).astype(HALF)
        assert_same(loop(ufunc)(np.asarray(a), np.asarray(b)), np.asarray(expected))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("ufunc", UNARY, ids=lambda ufunc: ufunc.__name__)
def test_unary_loops(ufunc: np.ufunc, size: int) -> None:
    x = halves(size, special=True)
    assert_same(loop(ufunc)(x), ufunc(x.astype(np.float32)).astype(HALF))


EVERY = np.arange(65536, dtype=np.uint16).view(HALF)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["exp", "sigmoid", "silu", "gelu"])
def test_activations_of_every_half(name: str) -> None:
    """Those of float32, rounded once, in blocks with numbers for which exp is far and in blocks without."""
    ufunc = np.exp if name == "exp" else getattr(kernels, name)
    near = EVERY[np.abs(EVERY.astype(np.float32)) < 87]
    for x in (EVERY, near):
        wide = x.astype(np.float32)
        expected = tf.exp(wide).numpy() if name == "exp" else ufunc(wide)
        assert_same(loop(ufunc)(x), expected.astype(HALF))


@pytest.mark.parametrize("op", [tf.exp, tf.nn.gelu, tf.abs, lambda x: x + x])
def test_a_half_has_one_result_wherever_it_lies(op: Callable[[Any], Any]) -> None:
    x = EVERY[np.isfinite(EVERY.astype(np.float32))]
    beside, apart = tf.constant(x), tf.constant(np.stack([x, x], 1))[:, 0]
    assert_same(op(apart).numpy(), op(beside).numpy())


def test_every_number_is_rounded_as_by_a_cast() -> None:
    """All halves times some numbers: carries into the exponent, ties, results too small to be normal."""
    for factor in (1.0, 1.0078125, 0.3333, 3.0, 1e-38, 1e38):
        y = np.asarray(factor, HALF)
        with np.errstate(all="ignore"):
            expected = (EVERY.astype(np.float32) * y.astype(np.float32)).astype(HALF)
        assert_same(loop(np.multiply)(EVERY, y), expected)


REDUCTIONS = {
    "reduce_sum": tf.reduce_sum,
    "reduce_mean": tf.reduce_mean,
    "reduce_max": tf.reduce_max,
    "reduce_min": tf.reduce_min,
    "reduce_prod": tf.reduce_prod,
    "norm": tf.norm,
}


@pytest.mark.parametrize("shape", [(1, 1), (5,), (1000, 10), (30, 1100), (3, 4, 5, 6), (7, 0)])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name: str, shape: tuple[int, ...]) -> None:
    """One rounding of what float32 gives."""
    x = halves(*shape, special=False)
    if x.size == 0 and name != "reduce_sum":
        return
    every = [*combinations(range(len(shape)), 1), tuple(range(len(shape)))]
    for axis, turned in product(every, (False, True)):
        narrow, wide = tf.constant(x), tf.constant(x.astype(np.float32))
        if turned:
            narrow, wide = tf.transpose(narrow), tf.transpose(wide)
        axes = axis if name != "norm" else (axis[0] if len(axis) == 1 else None)
        expected = REDUCTIONS[name](wide, axis=axes).numpy()
        if name == "norm":
            # Other sums of squares than those of float32, in the last of its places.
            found = REDUCTIONS[name](narrow, axis=axes).numpy().astype(np.float32)
            np.testing.assert_allclose(found, expected, rtol=2**-8)
        else:
            assert_same(
                REDUCTIONS[name](narrow, axis=axes).numpy(), np.asarray(expected.astype(HALF))
            )


def test_nan_wins_and_infinities_stay() -> None:
    x = np.array([[1, np.nan, 3], [np.inf, 2, 1], [-np.inf, np.inf, 0]], HALF)
    found = [
        f(tf.constant(x), axis=1).numpy().astype(float).tolist()
        for f in (tf.reduce_max, tf.reduce_sum)
    ]
    np.testing.assert_equal(found, [[np.nan, np.inf, np.inf], [np.nan, np.inf, np.nan]])


def test_norms_neither_overflow_nor_vanish() -> None:
    for size in (1e-30, 1e-20, 1.0, 1e20, 1e30):
        x = tf.constant(np.full(2000, size), tf.bfloat16)
        expected = np.sqrt(np.sum(np.square(x.numpy().astype(np.float64))))
        np.testing.assert_allclose(float(tf.norm(x)), expected, rtol=2**-7)


@pytest.mark.parametrize("k", [0, 1, 2, 31, 64, 129, 3000])
@pytest.mark.parametrize(("m", "n"), [(1, 1), (2, 3), (6, 64), (7, 65), (50, 17), (97, 130)])
def test_products(m: int, n: int, k: int) -> None:
    random = np.random.default_rng(0)
    for turned_a, turned_b in product((False, True), repeat=2):
        a = random.normal(size=(k, m) if turned_a else (m, k)).astype(HALF)
        b = random.normal(size=(n, k) if turned_b else (k, n)).astype(HALF)
        found = tf.matmul(a, b, transpose_a=turned_a, transpose_b=turned_b).numpy()
        wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
        expected = (wide_a.T if turned_a else wide_a) @ (wide_b.T if turned_b else wide_b)
        assert found.dtype == HALF
        error = np.abs(found.astype(np.float64) - expected)
        assert (error <= 2**-8 * np.abs(expected) + 1e-5 * np.sqrt(k + 1)).all()


def test_products_of_batches_and_slices() -> None:
    random = np.random.default_rng(0)
    a, b = (
        random.normal(size=(3, 1, 40, 31)).astype(HALF),
        random.normal(size=(4, 31, 33)).astype(HALF),
    )
    pairs = [(a, b), (a[..., ::2, 1:], b[:, 1:, ::2]), (a[..., :-1], b[:, 1:]), (a[0, 0], b)]
    for x, y in pairs:
        expected = x.astype(np.float64) @ y.astype(np.float64)
        found = tf.matmul(x, y).numpy().astype(np.float64)
        np.testing.assert_allclose(found, expected, rtol=2**-7, atol=1e-3)


def test_products_keep_infinities_and_nan() -> None:
    a = tf.constant([[np.inf, 1.0], [1.0, np.nan], [0.0, 2.0]], tf.bfloat16)
    found = tf.matmul(a, tf.constant([[1.0], [2.0]], tf.bfloat16)).numpy().astype(float)
    np.testing.assert_equal(found, [[np.inf], [np.nan], [4.0]])


POINTWISE = {
    "erf": tf.math.erf,
    "silu": tf.nn.silu,
    "sigmoid_cross_entropy": lambda x: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=x * 0.5, logits=x
    ),
    "clip": lambda x: tf.clip_by_value(x, -0.5, 0.5),
    "sqrt": lambda x: tf.sqrt(tf.abs(x)),
}


@pytest.mark.parametrize("shape", [(3,), (1025,), (40, 1000)])
@pytest.mark.parametrize("name", POINTWISE)
def test_programs_beside_whole_arrays(name: str, shape: tuple[int, ...]) -> None:
    """Blocks give what strided operands give, whose layout no program takes."""
    x = halves(*shape)
    spaced = np.repeat(x, 2, axis=-1)[..., ::2]
    assert not spaced.flags.c_contiguous
    found = []
    for array in (x, spaced):
        tensor = (
            tf.constant(array) if array is x else tf.constant(np.repeat(x, 2, axis=-1))[..., ::2]
        )
        with tf.GradientTape() as tape:
            tape.watch(tensor)
            y = POINTWISE[name](tensor)
        found.append(
            (y.numpy(), tape.gradient(y, tensor, output_gradients=tf.cast(y, y.dtype)).numpy())
        )
    for block, whole in zip(*found, strict=True):
        assert_same(block, whole)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (5, 1000), (2, 3000), (4, 5, 33), (1, 50_000)])
def test_rows_of_softmax(shape: tuple[int, ...], axis: int) -> None:
    """Widened, computed and rounded row by row: the bits of float32 rounded once."""
    axis %= len(shape)
    x = np.clip(halves(*shape, special=True).astype(np.float32), -50, 50).astype(HALF)
    if x.size > 100:
        x.ravel()[::31] = -np.inf
    y, rows = halves(*shape, seed=1), x.reshape(-1, shape[-1])
    functions: dict[str, tuple[Array, ...]] = {
        "softmax": (x, axis),
        "log_softmax": (x, axis),
        "softmax_grad": (x, y, axis),
        "log_softmax_grad": (x, y, axis),
        "logsumexp_grad": (np.ascontiguousarray(y[..., 0]), x, -1),
        "softmax_cross_entropy": (rows, y.reshape(rows.shape)),
        "sparse_softmax_cross_entropy": (rows, np.arange(len(rows)) % rows.shape[1]),
    }
    for name, arguments in functions.items():
        wide = [
            each.astype(np.float32) if getattr(each, "dtype", None) == HALF else each
            for each in arguments
        ]
        found = getattr(softmax, name)(*arguments)
        expected = getattr(softmax, name)(*wide)
        for narrow, each in zip(*map(parts_of, (found, expected)), strict=True):
            assert_same(narrow, each.astype(HALF))
    found = tf.reduce_logsumexp(tf.constant(x), axis=-1).numpy()
    expected = tf.reduce_logsumexp(tf.constant(x.astype(np.float32)), axis=-1).numpy()
    assert_same(np.asarray(found), np.asarray(expected.astype(HALF)))


def parts_of(result: Any) -> tuple[Array, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("axis", [-1, None])
@pytest.mark.parametrize("keepdims", [False, True])
def test_gradient_of_logsumexp_beside_its_rule(dtype: str, axis: Any, keepdims: bool) -> None:
    rows = [[1, 2, 3], [np.inf, 1, np.inf], [-np.inf] * 3, [np.nan, 1, 2], [-np.inf, 1, 2]]
    for part in (rows, [rows[0], rows[4]], [rows[1], rows[0]], [rows[2]]):
        x = tf.constant(part, dtype)
        with tf.GradientTape() as outer:  # a walk that is recorded runs the rule
            outer.watch(x)
            expected = gradient_of_logsumexp(x, axis, keepdims)
        found = gradient_of_logsumexp(x, axis, keepdims)
        assert found.dtype == dtype
        np.testing.assert_allclose(
            found.numpy().astype(float),
            expected.numpy().astype(float),
            rtol=1e-6 if dtype.startswith("float") and dtype != "float16" else 2e-2,
        )


def gradient_of_logsumexp(x: Any, axis: Any, keepdims: bool) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_logsumexp(x, axis, keepdims)
    return tape.gradient(y, x, output_gradients=tf.fill(y.shape, tf.cast(2.5, x.dtype)))

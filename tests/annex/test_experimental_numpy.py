"""``tf.experimental.numpy``: what NumPy gives, and the dtypes that TensorFlow gives."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import golden
import tapegrad as tf
from golden.numpy_calls import answer, names
from tapegrad.framework.docstrings import describes

tnp: Any = tf.experimental.numpy
F32, I32 = tf.constant([1.0, 2.0]), tf.constant([1, 2])
NAN = float("nan")
MATRIX = np.array([[3, 1, 2], [0, 5, 4]])


def same(ours: Any, theirs: Any) -> None:
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda np: np.ones([2]),
        lambda np: np.ones([2], dtype=int),
        lambda np: np.zeros_like(MATRIX),
        lambda np: np.full([2], 7),
        lambda np: np.full_like([1.0, 2.0], 3),
        lambda np: np.broadcast_to(7, 3),
        lambda np: np.eye(2, 3, 1),
        lambda np: np.identity(2),
        lambda np: np.arange(3),
        lambda np: np.arange(1.0, 2.0, 0.25),
        lambda np: np.linspace(0, 1, 5),
        lambda np: np.linspace(0, 1, 5, endpoint=False),
        lambda np: np.asarray([1.0, 2]),
        lambda np: np.array(3, ndmin=2),
        lambda np: np.add(1, 2.5),
        lambda np: np.add([True], [True]),
        lambda np: np.multiply([1, 2], 1j),
        lambda np: np.true_divide(MATRIX, 2),
        lambda np: np.floor_divide([7, -7], 2),
        lambda np: np.power([1.0, 2.0], 3),
        lambda np: np.mod(-7, 3),
        lambda np: np.exp([1, 2]),
        lambda np: np.log10([1.0, 100.0]),
        lambda np: np.sqrt(4),
        lambda np: np.square(MATRIX),
        lambda np: np.hypot(3, 4),
        lambda np: np.logaddexp(1.0, 2.0),
        lambda np: np.round(1.2345, 2),
        lambda np: np.round([15, 25, -15, -26, 11, 4], -1),
        lambda np: np.round(np.array([127, -128, 45], dtype=np.int8), -1),
        lambda np: np.round([5, 500, -700, 1500], -3),
        lambda np: np.round([1, -1], -30),
        lambda np: np.round([14.6, 25.2, -35.0], -1),
        lambda np: np.round([15, 25, 35, -15, 14], -1),
        lambda np: np.round([14, 25], 2),
        lambda np: np.clip(MATRIX, 1, 3),
        lambda np: np.isclose([1.0, NAN, 2.0], [1.0, NAN, 3.0], equal_nan=True),
        lambda np: np.logical_and([1, 0], [2, 3]),
        lambda np: np.sum(np.array([[1, 2]], dtype=np.int32)),
        lambda np: np.sum([True, True]),
        lambda np: np.prod(MATRIX, axis=1, keepdims=True),
        lambda np: np.mean(MATRIX, axis=0),
        lambda np: np.average(MATRIX, axis=1, weights=[1.0, 2.0, 3.0]),
        lambda np: np.var(MATRIX, ddof=1),
        lambda np: np.std(MATRIX, axis=1),
        lambda np: np.max(MATRIX, axis=1),
        lambda np: np.amin(MATRIX),
        lambda np: np.any(MATRIX, axis=0),
        lambda np: np.cumsum(MATRIX),
        lambda np: np.argmax(MATRIX),
        lambda np: np.argsort(MATRIX, axis=0),
        lambda np: np.sort(MATRIX),
        lambda np: np.matmul(MATRIX, [1.0, 2.0, 3.0]),
        lambda np: np.matmul([1, 2], MATRIX),
        lambda np: np.dot(MATRIX, MATRIX.T),
        lambda np: np.outer([1, 2], [3, 4.0]),
        lambda np: np.kron([[1, 2]], MATRIX),
        lambda np: np.einsum("ij,j->i", MATRIX, [1.0, 0.0, 0.0]),
        lambda np: np.reshape(MATRIX, (3, 2), order="F"),
        lambda np: np.moveaxis(np.ones([2, 3, 4]), 0, -1),
        lambda np: np.swapaxes(MATRIX, 0, 1),
        lambda np: np.concatenate([MATRIX, [[1.0, 2.0, 3.0]]]),
        lambda np: np.vstack([[1, 2], [3, 4]]),
        lambda np: np.hstack([[1, 2], [3]]),
        lambda np: np.split(MATRIX, [1, 2], axis=1)[1],
        lambda np: np.tile([1, 2], (2, 2)),
        lambda np: np.roll(MATRIX, 1),
        lambda np: np.flip(MATRIX),
        lambda np: np.where(MATRIX > 2, MATRIX, 0.5),
        lambda np: np.nonzero(MATRIX),
        lambda np: np.select([[True, False], [False, True]], [[1, 2], [3.0, 4.0]], 9),
        lambda np: np.take(MATRIX, [0, 9], mode="wrap"),
        lambda np: np.diag([1, 2], 1),
        lambda np: np.diag(MATRIX, -1),
        lambda np: np.trace(MATRIX),
        lambda np: np.tril(MATRIX),
        lambda np: np.triu(MATRIX, 1),
        lambda np: np.meshgrid([1, 2], [3, 4, 5])[1],
        lambda np: np.finfo(np.float32).max,
        lambda np: np.size(MATRIX),
    ],
)  # fmt: skip
def test_as_numpy(call: Any) -> None:
    same(call(tnp), call(np))


@pytest.mark.parametrize(
    ("x", "y", "dtype"),
    [
        (F32, I32, "float64"),
        (F32, 1, "float32"),
        (F32, 1j, "complex64"),
        (I32, 1.5, "float64"),
        (I32, tf.constant([1, 2], tf.int64), "int64"),
        (F32, np.float64(2.0), "float64"),
        (tf.cast(F32, tf.bfloat16), F32, "float32"),
        (tf.constant(1, tf.int8), 100, "int8"),
    ],
)
def test_promotion(x: Any, y: Any, dtype: str) -> None:
    assert tnp.add(x, y).dtype == tnp.multiply(x, y).dtype == dtype
    assert tnp.result_type(x, y) == np.dtype(tf.as_dtype(dtype).as_numpy_dtype)


# Where the answer is another than TensorFlow's, and why.
BY_NAME = "TensorFlow looks for a method that its tensors have in NumPy's behavior alone"
AS_NUMPY = "as NumPy"
DIFFERS = {
    "array([C, H])": "TensorFlow: an error of tf.stack, where the first is the wider one",
    "array([D, H, [1, 2]])": "TensorFlow: an error of tf.stack, where the first is the wider one",
    "array([V[0], D[0]], dtype=np.float32)": "TensorFlow: an error of tf.stack",
    "zeros_like([I[0, 0], 1.5])": "TensorFlow: an error of tf.stack",
    "angle(-1.0, deg=True)": "TensorFlow: float32 for all real numbers",
    "angle(H)": "TensorFlow: float32 for all real numbers",
    "cbrt(-8)": BY_NAME,
    "deg2rad([180, 90])": BY_NAME,
    "diff(3.0)": "TensorFlow: IndexError, of a list of its own",
    "dsplit(F, 1)": "TensorFlow: IndexError, of a tuple of its own",
    "hsplit(3., 1)": BY_NAME,
    "exp2([1, 2])": BY_NAME,
    "fix(3)": BY_NAME,
    "gcd(tf.constant(12, tf.uint8), tf.constant(8, tf.uint8))": "TensorFlow: no abs of uint8",
    "geomspace(1, 8, 4, dtype=np.int32)": "TensorFlow: 7 for 8, and 1 for 2, which rounding errors cut",
    "geomspace(0, 8, 3)": "TensorFlow: nan, where NumPy raises",
    "geomspace(-1, 8, 3)": "TensorFlow: nan for the first number too",
    "geomspace(1j, 8, 3)": AS_NUMPY,
    "geomspace(V, 8., 3)": "TensorFlow: nan for the first number too",
    "linspace(V[0], V[1], 3, dtype=np.float64)": AS_NUMPY,
    "linspace(-2, 0, 4, dtype=np.int32)": AS_NUMPY,
    "logspace(0, 2, 3, dtype=np.int64)": "TensorFlow: float64, whatever dtype was asked for",
    "logspace([0., 1.], 2., 3, axis=1)": AS_NUMPY,
    "heaviside([0, -1, 1], 2)": BY_NAME,
    "heaviside([nan, 0.0], 3.0)": "TensorFlow: 3 for nan",
    "isneginf([inf, -inf, nan, 1])": BY_NAME,
    "isposinf([inf, -inf, nan, 1])": BY_NAME,
    "isposinf(3)": BY_NAME,
    "isneginf(C)": "TensorFlow: one False for two numbers",
    "logaddexp2(1, 2)": BY_NAME,
    "nanprod(I)": BY_NAME,
    "nansum(I)": BY_NAME,
    "nansum(B)": BY_NAME,
    "nansum(C)": AS_NUMPY,
    "nextafter(1, 2)": AS_NUMPY,
    "pad(V, 2, 'constant')": AS_NUMPY,
    "pad(V, (1, 2), 'constant')": AS_NUMPY,
    "pad(V, [[1, 1]], 'constant', x=1)": "TensorFlow: arguments that it does not know are ignored",
    "rot90(F, 1, (0, 0))": "TensorFlow: a flip, where NumPy raises",
    "signbit([1., -1., 0., -0.0])": "TensorFlow: False for -0.0",
    "sinc(0)": BY_NAME,
    "take_along_axis(F, [0, 5], None)": BY_NAME,
    "split(F, [-1], 1)": AS_NUMPY,
    "split(F, [2, 1], 1)": AS_NUMPY,
}
RECORDED = json.loads((golden.FOLDER / "numpy_calls.json").read_text())


def alike(ours: Any, theirs: Any) -> bool:
    """Whether two answers of `numpy_calls` are the same, but for rounding."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return bool(ours == theirs)
    if not (ours and theirs and isinstance(ours[0], str) and isinstance(theirs[0], str)):
        return len(ours) == len(theirs) and all(map(alike, ours, theirs))
    numbers = [np.array(eval(part[2], {"nan": np.nan, "inf": np.inf})) for part in (ours, theirs)]
    tolerance = 2e-3 if ours[0] == "float16" else 1e-6
    first, second = numbers
    return ours[:2] == theirs[:2] and np.allclose(first, second, tolerance, 1e-6, equal_nan=True)


@pytest.mark.parametrize("call", RECORDED)
def test_as_tensorflow(call: str) -> None:
    ours = answer(tf, call)
    assert alike(ours, RECORDED[call]) == (call not in DIFFERS), (ours, RECORDED[call])


@pytest.mark.parametrize("call", [call for call, why in DIFFERS.items() if why == AS_NUMPY])
def test_where_tensorflow_is_not_numpy(call: str) -> None:
    ours = answer(tf, call)
    inputs = {name: names(tf)[name].numpy() for name in "FVCD"}
    result = eval(f"np.{call}", {**inputs, "np": np})
    parts = result if isinstance(result, list) else [result]
    values = [np.asarray(part).ravel() for part in parts]
    found = [np.array(eval(part[2])) for part in (ours if isinstance(result, list) else [ours])]
    for value, each in zip(values, found, strict=True):
        np.testing.assert_allclose(each, value, rtol=1e-7)


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (tnp.cbrt, [8.0, -1.0]),
        (tnp.exp2, [0.5, -1.0]),
        (tnp.sinc, [0.0, 0.3, -1.0]),
        (tnp.deg2rad, [30.0]),
        (tnp.nansum, [1.0, 2.0]),
        (lambda x: tnp.nanmean(tnp.append(x, np.nan)), [1.0, 2.0]),
        (tnp.nanprod, [2.0, 0.0, 3.0]),
        (lambda x: tnp.logaddexp(x, 1.0), [1.0, 0.0, 40.0]),
        (lambda x: tnp.logaddexp2(x, 1.0), [1.0, 0.0]),
        (lambda x: tnp.polyval([1.0, -2.0, 3.0], x), [0.0, 2.0]),
        (lambda x: tnp.polyval(x, 1.5), [1.0, 0.0, 2.0]),
        (lambda x: tnp.vander(x), [0.0, 2.0, -1.0]),
        (lambda x: tnp.cross(x, [1.0, 2.0, -1.0]) ** 2, [1.0, 0.5, 2.0]),
        (lambda x: tnp.vdot(x, x), [1.0, 2.0]),
        (lambda x: tnp.diff(x, 2) ** 2, [1.0, 5.0, 2.0, 3.0]),
        (lambda x: tnp.take_along_axis(x, [2, 0, 0], 0) ** 2, [1.0, 2.0, 3.0]),
        (lambda x: tnp.compress([True, False, True], x) ** 2, [1.0, 2.0, 3.0]),
        (lambda x: tnp.rot90(tnp.diagflat(x)) ** 2, [1.0, 2.0]),
        (lambda x: tnp.pad(x, 1, "reflect") ** 2, [1.0, 2.0, 3.0]),
        (lambda x: tnp.geomspace(x, 8.0, 4), [2.0, 3.0]),
        (lambda x: tnp.ptp(x) ** 2, [1.0, 5.0, 2.0]),
        (lambda x: tnp.angle(tf.complex(x, 2.0 * x + 1.0)), [1.0, 0.5]),
    ],
)  # fmt: skip
def test_first_and_second_derivatives(function: Any, x: Any) -> None:
    x = tf.constant(x, tf.float64)
    step = tf.constant(np.linspace(0.3, 1.0, x.shape[0]))

    def value(x: Any) -> Any:
        return tf.reduce_sum(tf.cast(function(x), tf.float64))

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = value(x)
        return tf.tensordot(tape.gradient(y, x, unconnected_gradients="zero"), step, 1)

    for inner, outer in ((value, slope), (slope, curvature(slope, step))):
        differences = (inner(x + 1e-5 * step) - inner(x - 1e-5 * step)) / 2e-5
        np.testing.assert_allclose(outer(x), differences, rtol=1e-6, atol=1e-6)


def curvature(slope: Any, step: Any) -> Any:
    def second(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = slope(x)
        return tf.tensordot(tape.gradient(y, x, unconnected_gradients="zero"), step, 1)

    return second


def test_a_tie_is_shared_by_logaddexp() -> None:
    x, y = tf.constant(1.0), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tnp.logaddexp(x, y)
    assert [float(part) for part in tape.gradient(z, [x, y])] == [0.5, 0.5]


@pytest.mark.parametrize("function", [tnp.gcd, tnp.cross, tnp.take_along_axis, tnp.sinc])
def test_in_recorded_functions(function: Any) -> None:
    inputs = {
        tnp.gcd: (tf.constant([12, 7]), tf.constant([18, 21])),
        tnp.cross: (tf.constant([1.0, 2.0, 3.0]), tf.constant([3.0, 0.0, 1.0])),
        tnp.take_along_axis: (tf.constant([[1.0, 2.0]]), tf.constant([[1, 1]]), 1),
        tnp.sinc: (tf.constant([0.0, 0.5]),),
    }[function]
    recorded = tf.function(function)
    recorded(*[x * 2 if isinstance(x, tf.Tensor) and x.dtype.is_floating else x for x in inputs])
    np.testing.assert_array_equal(recorded(*inputs), function(*inputs))


def test_gradients_flow() -> None:
    x = tf.constant([1.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tnp.sum(tnp.sqrt(x) * 3.0)
    assert tape.gradient(y, x).numpy().tolist() == [1.5, 0.75]


def test_random_numbers() -> None:
    tnp.random.seed(3)
    first = tnp.random.randn(2, 3)
    assert (first.dtype, first.shape) == (tf.float64, [2, 3])
    tnp.random.seed(3)
    same(tnp.random.randn(2, 3), first)
    drawn = tnp.random.uniform(2.0, 3.0, size=[100]).numpy()
    assert (drawn >= 2).all()
    assert (drawn < 3).all()
    whole = tnp.random.randint(3, size=50)
    assert whole.dtype == tf.int64
    assert set(whole.numpy().tolist()) == {0, 1, 2}


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="non-zero"):
        tnp.arange(1, 2, 0)
    with pytest.raises(ValueError, match="same length"):
        tnp.select([[True]], [], 0)
    with pytest.raises(ValueError, match="dtype_conversion_mode='x'"):
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="x")
    with pytest.raises(tf.errors.InvalidArgumentError, match="float tensor but is a int32"):
        F32 + I32


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tnp.sort([3, 1], kind="heap"), "kind='heap'. It is 'quicksort' or 'stable'"),
        (lambda: tnp.argsort([3, 1], order="x"), "no fields to put in order: order='x' came"),
        (lambda: tnp.take([1, 2], [0], out=[0]), "out is not supported"),
        (lambda: tnp.take([1, 2], [5], mode="raise"), "'raise'. It is 'clip' or 'wrap'"),
        (lambda: tnp.full_like([1], 2, shape=[3]), r"shape=\[3\] came. For another shape use full"),
        (lambda: tnp.full_like([1], 2, order="F"), "order='F'"),
        (lambda: tnp.einsum("i->", [1], casting="unsafe"), "'safe' or 'no'; 'unsafe' came"),
    ],
)
def test_arguments_that_would_be_of_no_effect_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_logical_functions_have_the_names_of_their_arguments() -> None:
    assert tnp.logical_xor(x1=[1, 0], x2=True).numpy().tolist() == [False, True]
    assert not tnp.logical_not(x=2.0)
    with pytest.raises(TypeError):
        tnp.logical_and([True], [True], [True])


def test_what_describes_tensors_has_tensorflows_classes() -> None:
    assert tnp.result_type(3.0, -2) is tf.float64
    assert tnp.result_type("i4", "c8") is tf.complex128
    assert tnp.result_type(tf.constant(1), 5) is tf.int32
    assert tnp.promote_types("i4", "f4") is np.dtype(np.float64)
    assert repr(tnp.shape(tf.ones([2, 3]))) == "TensorShape([2, 3])"
    assert tnp.shape(3) == ()


def test_dtypes_of_tensorflow_are_below_numpys_types() -> None:
    assert tnp.issubdtype(tf.float32, np.floating)
    assert tnp.issubdtype(np.int8, tf.int8)
    assert not tnp.issubdtype(tf.int32, tnp.inexact)


def test_a_description_of_an_argument_goes_before_a_shared_one() -> None:
    @describes(a="a tensor.", axis="an axis.", out="None.")
    def function(a: Any, axis: Any, k: int) -> None:
        """What comes back.

        Args:
            axis: an axis of its own.
            k: a number.
        """

    assert function.__doc__ == (
        "What comes back.\n\nArgs:\n    a: a tensor.\n    axis: an axis of its own.\n    k: a number."
    )


BEHAVIOR = """
import numpy as np, tapegrad as tf
tf.experimental.numpy.experimental_enable_numpy_behavior()
f, i, a = tf.constant([1.0, 2.0]), tf.constant([1, 2]), tf.constant([[1, 2], [3, 4]])
def check(tensor, dtype, value):
    assert (tensor.dtype, tensor.numpy().tolist()) == (tf.as_dtype(dtype), value), tensor
check(f + i, "float64", [2.0, 4.0])
check(i * 1.5, "float64", [1.5, 3.0])
check(f * 1j, "complex64", [1j, 2j])
check(tf.constant(2.0, tf.float64) * 1j, "complex128", 2j)
check(i / 2, "float64", [0.5, 1.0])
check(i // tf.constant(2, tf.int64), "int64", [0, 1])
check(f == i, "bool", [True, True])
check(f < tf.constant(1.5, tf.float64), "bool", [True, False])
check(2 * f, "float32", [2.0, 4.0])
check(tf.constant(1, tf.int8) + 1000, "int8", -23)
check(tf.constant([True]) + tf.constant([1]), "int32", [2])
check(a @ tf.experimental.numpy.ones([2, 2]), "float64", [[3.0, 3.0], [7.0, 7.0]])
check(f @ f, "float32", 5.0)
check(i @ f, "float64", 5.0)
check(f @ a, "float64", [7.0, 10.0])
check(a @ [1, 2], "int32", [5, 11])
check(np.ones(2) @ f, "float64", 3.0)
check([1, 2] @ a, "int32", [7, 10])
check(tf.ones([3, 2, 2]) @ tf.Variable(f), "float32", [[3.0, 3.0]] * 3)
check(tf.function(lambda x: x @ x)(f), "float32", 5.0)
check(round(tf.constant([2.6, 3.5])), "float32", [3.0, 4.0])
check(round(tf.constant(2.345), 2), "float32", tf.constant(2.34).numpy())
check(round(tf.constant([35, 14]), -1), "int32", [40, 10])
check(round(tf.constant([True])), "bool", [True])
check(a[[0, 1], [1, 0]], "int32", [2, 3])
check(a[a > 2], "int32", [3, 4])
check(a[:, [1]], "int32", [[2], [4]])
check(a[np.array([1, 0])], "int32", [[3, 4], [1, 2]])
check(a[..., None, [0]], "int32", [[[1]], [[3]]])
# A list of indices for axes is a tuple of them, as TensorFlow has it, and NumPy once had.
nonzero, ix_ = tf.experimental.numpy.nonzero, tf.experimental.numpy.ix_
check(a[nonzero(a > 1)], "int32", [2, 3, 4])
check(a[ix_([1, 0], [1])], "int32", [[4], [2]])
check(a[[[0, 1], [1, 0]]], "int32", [2, 3])
check(a[[np.array([0, 1]), 0]], "int32", [1, 3])
check(a[[slice(0, 2), 1]], "int32", [2, 4])
check(a[[None, 0]], "int32", [[1, 2]])
check(a[[..., 0]], "int32", [1, 3])
check(a[[[1, 0]]], "int32", [[3, 4], [1, 2]])
check(a[[tf.constant(1), tf.constant(0)]], "int32", [[3, 4], [1, 2]])
check(a[[True, False]], "int32", [[1, 2]])
check(a[1], "int32", [3, 4])
check(a.T, "int32", [[1, 3], [2, 4]])
check(a.astype(np.float32), "float32", [[1.0, 2.0], [3.0, 4.0]])
check(a.reshape(4), "int32", [1, 2, 3, 4])
check(a.reshape(2, -1, order="F"), "int32", [[1, 2], [3, 4]])
check(a.max(axis=0), "int32", [3, 4])
check(a.mean(), "float64", 2.5)
check(a.clip(2, 3), "int32", [[2, 2], [3, 3]])
assert (a.size, a.tolist(), a.ravel().shape) == (4, [[1, 2], [3, 4]], [4])
x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = (x[[0, 0], [1, 1]] * i).T.reshape(2)
check(tape.gradient(y, x), "float32", [[0.0, 3.0], [0.0, 0.0]])
with tf.GradientTape() as tape:
    tape.watch(f)
    y = tf.math.real(tf.experimental.numpy.array([[f[0], 1j], [f @ f, i[1]]]))
check(tape.gradient(y, f), "float32", [3.0, 4.0])
for wrong in (lambda: tf.add(f, i), lambda: f.nothing, lambda: i + "a"):
    try:
        wrong()
    except (tf.errors.InvalidArgumentError, AttributeError, TypeError, ValueError):
        continue
    raise SystemExit("taken")
"""


def test_the_behavior_of_numpy() -> None:
    """In a process of its own: it cannot be switched off."""
    finished = subprocess.run(
        [sys.executable, "-c", BEHAVIOR], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr

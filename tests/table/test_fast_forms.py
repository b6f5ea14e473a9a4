"""A fast form gives what its rule gives, wherever the table of samples leads to it.

While a row is differentiated, each fast form hands what it was given to its rule as well, and the two answers
are compared there: whole, of strided copies, and for each set of inputs that may be wanted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run, Sample, all_samples
from samples.ask import fast_forms, gradients
from tapegrad import testing
from tapegrad.core import (
    ASKS,
    EagerTensor,
    Op,
    adding,
    is_recording,
    load_ops,
    no_recording,
    registry,
)
from tapegrad.ops.op import REAL_FLOATING, op
from tapegrad.ops.reduce.reduce import sum_to_shape
from tapegrad.ops.shape.pull_back import pull_back

Array = np.ndarray[Any, Any]

# The second derivative of determinants is computed from singular values, and by the rule from minors.
LOOSE = {"_MatrixCofactors": 8.0}


def to_tensors(arguments: tuple[Any, ...]) -> list[Any]:
    def convert(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return EagerTensor(value)
        if isinstance(value, tuple) and any(isinstance(each, np.ndarray) for each in value):
            return tuple(map(convert, value))
        return value

    return [convert(value) for value in arguments]


def strided(value: Any) -> Any:
    """The same numbers at every other place of a larger array, the last axis stored first."""
    if isinstance(value, tuple) and any(isinstance(each, np.ndarray) for each in value):
        return tuple(map(strided, value))
    if not isinstance(value, np.ndarray) or not value.ndim:
        return value
    spread = np.zeros((2 * value.shape[-1], *value.shape[:-1]), value.dtype)
    view = np.moveaxis(spread, 0, -1)[..., ::2]
    view[...] = value
    return view


def check(made: Op, index: int, form: Any, arguments: tuple[Any, ...]) -> bool:
    """Fail unless the form gives what the rule gives; False where it leaves the call to the rule."""
    rule = made.rules[index][0]
    answer = form(*arguments)
    if isinstance(answer, np.generic):
        answer = np.asarray(answer)  # of arrays without axes; as a program it would be an array
    if answer is None:
        return False
    pairs = zip(
        answer if isinstance(answer, tuple) else [answer],
        answer_of(rule, arguments, isinstance(answer, tuple)),
        strict=True,
    )
    for place, (found, expected) in enumerate(pairs):
        assert (found is None) == (expected is None), f"{made.type}, result {place}"
        if found is None:
            continue
        assert isinstance(found, np.ndarray)
        if made.broadcasts:
            expected = sum_to_shape(expected, found.shape)
        wanted = expected.numpy()
        assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape), f"{made.type}, {place}"
        rtol = testing.tolerance(wanted.dtype) * LOOSE.get(made.type, 4.0)
        sizes = np.abs(wanted[np.isfinite(wanted)])
        testing.assert_close(
            found,
            wanted,
            rtol=rtol,
            atol=rtol * float(np.max(sizes, initial=1.0)),
            what=f"result {place} of the fast form of {made.type}",
        )
    return True


def answer_of(rule: Any, arguments: tuple[Any, ...], several: bool) -> list[Any]:
    answer = rule(*to_tensors(arguments))
    return list(answer) if several else [answer]


def variants(made: Op, index: int, arguments: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    yield arguments
    yield tuple(map(strided, arguments))
    for place, (kind, _) in enumerate(made.rules[index][1]):
        if kind == ASKS["needs"]:
            for needs in itertools.product((False, True), repeat=len(made.inputs)):
                yield (*arguments[:place], needs, *arguments[place + 1 :])


def checking(made: Op, index: int, form: Any) -> Any:
    """A fast form that compares itself with its rule."""

    def run(*arguments: Any) -> Any:
        for each in variants(made, index, arguments):
            check(made, index, form, each)
        return form(*arguments)

    return run


def refused(run: Run) -> bool:
    """The gradient is refused."""
    try:
        gradients(run)
    except (tf.errors.OpError, LookupError, ValueError, TypeError):
        return True
    return False


DTYPES = ("float32", "float64", "float16", "bfloat16", "complex64", "complex128")


@pytest.mark.parametrize("sample", all_samples(), ids=lambda sample: sample.name)
def test_same_as_the_rule(sample: Sample) -> None:
    for case in [*sample.cases, *sample.kinks]:
        for dtype in DTYPES:
            if dtype not in sample.dtypes:
                continue
            run = Run(sample, case, dtype)
            with np.errstate(all="ignore"):
                assert run.arrays is not None  # drawn now: some are too large for half precision
                with fast_forms(checking):
                    found = refused(run)
                with fast_forms(None):
                    assert refused(run) == found


# For each op with fast forms a function that leads to them, and the inputs that it is differentiated by.
PICTURES, MATRIX, VECTOR = (2, 1, 3, 4), (3, 3), (4,)
CALLS: dict[str, tuple[Callable[..., Any], list[tuple[int, ...]], tuple[str, ...]]] = {
    "ClipByValue": (lambda x: tf.clip_by_value(x, -0.5, 0.5), [MATRIX], ("float32", "float64")),
    "Softmax": (lambda x: tf.nn.softmax(x, axis=1), [MATRIX], ("float32", "float64", "float16")),
    "LogSoftmax": (tf.nn.log_softmax, [MATRIX], ("float32", "float64", "bfloat16")),
    "LRN": (lambda x: tf.nn.lrn(x, 1), [PICTURES], ("float32", "float64", "float16")),
    "_Moments": (lambda x: tf.nn.moments(x, [0, 2]), [PICTURES], ("float32", "float64")),
    "_Deviation": (lambda x: tf.math.reduce_std(x, [0, 2]), [PICTURES], ("float32", "float64")),
    "_BatchNormalization": (
        lambda x, mean, variance, offset, scale: tf.nn.batch_normalization(
            x, mean, tf.square(variance), offset, scale, 0.1
        ),
        [PICTURES, VECTOR, VECTOR, VECTOR, VECTOR],
        ("float32", "float64"),
    ),
    "FusedBatchNormV3": (
        lambda x, scale, offset: tf.compat.v1.nn.fused_batch_norm(x, scale, offset)[0],
        [PICTURES, VECTOR, VECTOR],
        ("float32", "float64"),
    ),
    "_LogSumExp": (
        lambda x: tf.reduce_logsumexp(x, axis=-1),
        [MATRIX],
        ("float32", "float64", "float16", "bfloat16"),
    ),
    "_Sort": (tf.sort, [MATRIX], ("float32", "float64")),
    "_Gelu": (tf.nn.gelu, [MATRIX], ("float32", "float64")),
    "_Silu": (tf.nn.silu, [MATRIX], ("float32", "float64")),
    "Digamma": (tf.math.digamma, [VECTOR], ("float32",)),
    "RealDiv": (tf.truediv, [VECTOR, VECTOR], ("float32", "float64")),
    "DivNoNan": (tf.math.divide_no_nan, [VECTOR, VECTOR], ("float32", "float64")),
    "MatrixDeterminant": (tf.linalg.det, [MATRIX], ("float32", "float64", "complex128")),
    "_MatrixCofactors": (tf.linalg.det, [MATRIX], ("float32", "float64", "complex128")),
}


def drawn(name: str, dtype: str) -> list[Any]:
    generator = np.random.default_rng(7)
    arrays = [generator.normal(size=shape) for shape in CALLS[name][1]]
    return [tf.cast(tf.constant(array), dtype) for array in arrays]


def differentiate(name: str, inputs: list[Any], sources: Any) -> Any:
    """The gradient of the function named; of the determinant the second, which is where its form is."""
    with tf.GradientTape() as outer, tf.GradientTape(persistent=True) as tape:
        tape.watch(inputs)
        outer.watch(inputs)
        result = CALLS[name][0](*inputs)
        if name == "_MatrixCofactors":
            result = tape.gradient(result, inputs[0])
    return (outer if name == "_MatrixCofactors" else tape).gradient(result, sources)


def test_every_form_has_a_call() -> None:
    load_ops()
    assert {name for name, made in registry.items() if made.fast_forms} == set(CALLS)


@pytest.mark.parametrize(
    ("name", "dtype"), [(name, dtype) for name, (*_, dtypes) in CALLS.items() for dtype in dtypes]
)
def test_answers_where_nobody_records(name: str, dtype: str) -> None:
    calls = 0

    def counting(made: Op, index: int, form: Any) -> Any:
        def run(*arguments: Any) -> Any:
            nonlocal calls
            assert check(made, index, form, arguments)
            calls += made.type == name
            return form(*arguments)

        return run

    inputs = drawn(name, dtype)
    with fast_forms(counting):
        found = differentiate(name, inputs, inputs)
        assert calls == 1
        # Inputs that are not asked for change nothing of the others' gradients.
        for count in range(1, len(inputs)):
            for places in itertools.combinations(range(len(inputs)), count):
                some = differentiate(name, inputs, [inputs[place] for place in places])
                for place, gradient in zip(places, some, strict=True):
                    np.testing.assert_array_equal(gradient.numpy(), found[place].numpy())
        calls = 0
        with tf.GradientTape():
            recorded = differentiate(name, inputs, inputs)
        assert calls == 0
    rtol = LOOSE.get(name, 4.0) * testing.tolerance(found[0].dtype)
    for fast, by_rule in zip(found, recorded, strict=True):
        testing.assert_close(fast.numpy(), by_rule.numpy(), rtol=rtol, atol=4 * rtol)


EMPTY: list[Callable[[Any], Any]] = [
    lambda x: tf.nn.softmax(x),
    lambda x: tf.nn.softmax(x, axis=0),
    lambda x: tf.nn.log_softmax(x),
    lambda x: tf.nn.log_softmax(x, axis=0),
    lambda x: tf.nn.local_response_normalization(x[None, None]),
    lambda x: tf.compat.v1.nn.fused_batch_norm(x[None, None], x[0] + 1.0, x[0])[0],
    lambda x: tf.linalg.det(tf.reshape(x, [2, 0, 0])),
]


@pytest.mark.parametrize("function", EMPTY)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_of_nothing(function: Callable[[Any], Any], dtype: str) -> None:
    x = tf.zeros([2, 0], dtype)

    def gradient() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    with fast_forms(checking):
        assert gradient().shape == [2, 0]
    with fast_forms(None):
        assert gradient().shape == [2, 0]


# --- How a form is given ---------------------------------------------------------------------------------


def doubling() -> Op:
    """An op of its own, which no registry keeps."""

    @op("FastFormTest>Double", dtypes=REAL_FLOATING)
    def double(xp: Any, x: Any, *, times: int = 2) -> Any:
        return x * times

    del registry["FastFormTest>Double"]
    return double


def gradient_of(made: Op) -> Any:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = made(x)
    return tape.gradient(y, x)


def test_a_form_that_answers_none_leaves_the_call_to_the_rule() -> None:
    made = doubling()
    made.gradient(x=lambda dy, times: dy * float(times), fast={"x": lambda xp, dy, times: None})
    assert gradient_of(made).numpy().tolist() == [2.0, 2.0]


def test_a_form_that_meets_shapes_that_do_not_fit_leaves_the_words_to_the_rule() -> None:
    made = doubling()
    made.gradient(
        x=lambda dy, times: dy * float(times), fast={"x": lambda xp, dy, times: dy + xp.ones(3)}
    )
    assert gradient_of(made).numpy().tolist() == [2.0, 2.0]


def test_a_rule_that_is_replaced_takes_its_form_along() -> None:
    made = doubling()
    made.gradient(x=lambda dy: dy, fast={"x": lambda xp, dy: dy * 7})
    assert gradient_of(made).numpy().tolist() == [7.0, 7.0]
    made.gradient(x=lambda dy: dy * 3.0)
    assert gradient_of(made).numpy().tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("give", "said"),
    [
        (lambda made: made.gradient(x=lambda dy: dy, fast={"x": lambda xp, x: x}), "its rule takes"),
        (lambda made: made.gradient(x=lambda dy: dy, fast={"y": lambda xp, dy: dy}), "beside its rule"),
        (lambda made: made.gradient(x=lambda dy: dy, fast=lambda xp, dy: dy), "beside its rule"),
        (lambda made: made.gradient(lambda dy: (dy,), fast={"x": lambda xp, dy: dy}), "its rule takes"),
        (lambda made: made.set_rules({}, {0: lambda dy: dy}), "without its rule"),
    ],
)  # fmt: skip
def test_a_form_that_does_not_suit_its_rule_is_refused(give: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        give(doubling())


def test_lists_of_tensors_have_no_fast_form() -> None:
    @op("FastFormTest>Sum", dtypes=REAL_FLOATING)
    def total(xp: Any, *values: Any) -> Any:
        return sum(values)

    del registry["FastFormTest>Sum"]
    with pytest.raises(ValueError, match="list of tensors"):
        total.gradient(
            values=lambda dy, values: [dy] * len(values),
            fast={"values": lambda xp, dy, values: None},
        )


# --- Forms that add ----------------------------------------------------------------------------------------


def layer_norm_gradients(x: Any, scale: Any, dy: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([x, scale])
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
        y = tf.nn.batch_normalization(x, mean, variance, None, scale, 1e-3)
    return tape.gradient(y, [x, scale], output_gradients=dy)


def batch_norm_gradients(x: Any, scale: Any, dy: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([x, scale])
        mean, variance = tf.nn.moments(x, [0])
        y = tf.square(x) + tf.nn.batch_normalization(x, mean, variance, None, scale, 1e-3)
    return tape.gradient(y, [x, scale], output_gradients=dy)


def without_adding(made: Op, index: int, form: Any) -> Any:
    return lambda *arguments: form(*arguments)


def norm_inputs(dtype: str) -> list[Any]:
    generator = np.random.default_rng(3)
    return [
        tf.constant(generator.normal(size=shape), dtype) for shape in ((70, 90), (90,), (70, 90))
    ]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", [layer_norm_gradients, batch_norm_gradients])
def test_added_to_a_gradient_with_the_same_bits(function: Callable[..., Any], dtype: str) -> None:
    inputs = norm_inputs(dtype)
    with fast_forms(without_adding):
        expected = function(*inputs)
    recorded = tf.function(function)
    recorded(*inputs)
    for found in (function(*inputs), recorded(*inputs), recorded(*inputs)):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one.numpy(), other.numpy())
    if (
        function is layer_norm_gradients
    ):  # the other adds in a block, with what comes from the square
        assert "gradient by moments_gradient, added to another" in str(recorded.explain())


def test_a_gradient_that_somebody_holds_is_not_added_to() -> None:
    x, scale, dy = norm_inputs("float32")
    seed = tf.ones_like(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    by_mean = tape.gradient(
        [x, mean, variance], x, output_gradients=[seed, tf.ones_like(mean), tf.zeros_like(mean)]
    )
    np.testing.assert_array_equal(seed.numpy(), np.ones(x.shape, np.float32))
    testing.assert_close(by_mean.numpy(), np.full(x.shape, 1 + 1 / 90, np.float32))

    @tf.function
    def both(x: Any, scale: Any, dy: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            mean, variance = tf.nn.moments(x, [-1], keepdims=True)
            tape.watch([mean, variance])
            y = tf.nn.batch_normalization(x, mean, variance, None, scale, 1e-3)
        straight = tape.gradient(y, [x, mean], output_gradients=dy)
        return straight, layer_norm_gradients(x, scale, dy)

    expected = both(x, scale, dy)
    for one, other in zip(
        tf.nest.flatten(both(x, scale, dy)), tf.nest.flatten(expected), strict=True
    ):
        np.testing.assert_array_equal(one.numpy(), other.numpy())


def test_what_adds_takes_what_the_rule_takes() -> None:
    made = doubling()
    with pytest.raises(TypeError, match="what adds to a gradient takes that and then"):
        made.gradient(x=lambda dy: dy, fast={"x": adding(lambda xp, dy: dy, lambda whole, x: True)})


# --- Rules that are what a function sends back -------------------------------------------------------------


def test_pulled_back_also_where_nothing_is_recorded() -> None:
    """The rule of `LRNGrad` differentiates another on a tape of its own, which the pause does not stop."""
    x = tf.constant(np.random.default_rng(3).normal(size=(1, 1, 2, 3)))
    with tf.GradientTape() as outer, tf.GradientTape(persistent=True) as tape:
        outer.watch(x)
        tape.watch(x)
        y = tf.raw_ops.LRNGrad(input_grads=x, input_image=x, output_image=x * 2.0)
        expected = tape.gradient(y, x)
        with no_recording():
            found = tape.gradient(y, x)
            assert not is_recording()
        assert is_recording()
    np.testing.assert_array_equal(found.numpy(), expected.numpy())
    assert outer.gradient(found, x) is None


def test_one_tensor_for_two_inputs_has_two_gradients() -> None:
    x, y = (tf.constant([2.0, 3.0]) for _ in range(2))
    by_x, by_y = pull_back(lambda x, y: x * x * y, [x, x], y)
    np.testing.assert_array_equal(by_x.numpy(), (2 * x * x * y).numpy())
    np.testing.assert_array_equal(by_y.numpy(), (x * x * y).numpy())

"""``tf.debugging.enable_check_numerics``: results of ops are looked at, on this thread, until it is ended."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

inf, nan = float("inf"), float("nan")


@pytest.fixture(autouse=True)
def checked() -> Iterator[None]:
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


def gradient(function: Callable[[Any], Any], x: Any) -> Any:
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def test_the_error_says_what_was_found() -> None:
    x = tf.constant([[0.0, -1.0, 1.0]])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Infinity or NaN in output 0"
    ) as caught:
        tf.math.log(x)
    for word in ('"Log"', "output 0", "(1, 3)", "float32", "1 -Inf", "1 NaN", "of 3", str(x)):
        assert word in str(caught.value)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"1 -Inf, 1 \+Inf of 2"):
        tf.constant([1.0, -1.0], tf.float64) / tf.constant([0.0, 0.0], tf.float64)


def line_with(text: str) -> int:
    """The number of the line of this file with the text."""
    lines = Path(__file__).read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if text in line and "line_with" not in line]
    return number


def message_of(call: Callable[[], Any]) -> str:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Infinity or NaN") as caught:
        call()
    return str(caught.value)


def test_the_error_names_the_line_and_the_place() -> None:
    def loss(x: Any) -> Any:
        return x / tf.constant([2.0, 0.0])  # the division

    message = message_of(lambda: loss(tf.constant([[1.0, 2.0], [3.0, -4.0]])))
    assert "at [0, 1]: inf, where x = 2.0, y = 0.0" in message
    line = line_with("# the division")
    assert f"called in loss (test_check_numerics.py:{line}): return x / tf.constant" in message
    assert "tf.math.divide_no_nan" in message


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize("recorded", [False, True])
def test_a_gradient_is_that_of_a_line(persistent: bool, recorded: bool) -> None:
    def step(x: Any) -> Any:
        with tf.GradientTape(persistent=persistent) as tape:
            tape.watch(x)
            length = tf.sqrt(tf.reduce_sum(x * x))  # the length
            loss = length * 2.0
        return tape.gradient(loss, x)

    function = tf.function(step) if recorded else step
    for _ in range(3):
        assert np.isfinite(function(tf.constant([3.0, 4.0])).numpy()).all()
    message = message_of(lambda: function(tf.zeros([2])))
    line = line_with("# the length")
    assert (
        f'the gradient of the op "Sqrt", called in step (test_check_numerics.py:{line})' in message
    )
    assert "tf.norm(v)" in message
    assert message.endswith("[Op:SqrtGrad]")


def test_a_gradient_without_lines_has_its_op() -> None:
    tf.debugging.disable_check_numerics()
    x = tf.constant(0.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sqrt(x)
    tf.debugging.enable_check_numerics()
    assert 'the gradient of the op "Sqrt"\n' in message_of(lambda: tape.gradient(y, x))


def test_an_error_of_ones_own_is_not_said_to_be_a_gradient() -> None:
    """Where a gradient function catches the error of the check, and raises another."""

    @tf.custom_gradient
    def function(x: Any) -> Any:
        def slope(dy: Any) -> Any:
            try:
                return tf.math.log(dy - dy)
            except tf.errors.InvalidArgumentError:
                raise KeyError("mine") from None

        return x * 1.0, slope

    with pytest.raises(KeyError, match="mine"):
        gradient(function, 1.0)
    assert "called in" in message_of(lambda: tf.math.log(0.0))


# What goes wrong -> a call of the remedy, which is finite.
REMEDIES: dict[str, tuple[Callable[[], Any], str, Callable[[], Any]]] = {
    "log of 0": (
        lambda: tf.math.log(0.0),
        "tf.math.log(tf.maximum(x, 1e-7))",
        lambda: tf.math.log(tf.maximum(0.0, 1e-7)),
    ),
    "log of a negative number": (
        lambda: tf.math.log(-1.0),
        "tf.math.log(tf.maximum(x, 1e-7))",
        lambda: tf.math.log(tf.maximum(-1.0, 1e-7)),
    ),
    "0 / 0": (
        lambda: tf.constant(0.0) / 0.0,
        "tf.math.divide_no_nan(x, y)",
        lambda: tf.math.divide_no_nan(0.0, 0.0),
    ),
    "exp": (
        lambda: tf.exp(100.0),
        "tf.exp(tf.minimum(x, 80.0))",
        lambda: tf.exp(tf.minimum(100.0, 80.0)),
    ),
    "a fractional power": (
        lambda: tf.pow(-2.0, 0.5),
        "tf.pow(tf.abs(x), y)",
        lambda: tf.pow(tf.abs(-2.0), 0.5),
    ),
    "the slope of a power": (
        lambda: gradient(lambda x: x**0.5, 0.0),
        "(x + 1e-7) ** y",
        lambda: gradient(lambda x: (x + 1e-7) ** 0.5, 0.0),
    ),
    "the slope of a root": (
        lambda: gradient(tf.sqrt, 0.0),
        "tf.sqrt(x + 1e-12)",
        lambda: gradient(lambda x: tf.sqrt(x + 1e-12), 0.0),
    ),
    "the slope of acos": (
        lambda: gradient(tf.acos, 1.0),
        "tf.acos(tf.clip_by_value(x, -1.0 + 1e-6, 1.0 - 1e-6))",
        lambda: gradient(lambda x: tf.acos(tf.clip_by_value(x, -1.0 + 1e-6, 1.0 - 1e-6)), 0.9999),
    ),
    "an indefinite matrix": (
        lambda: tf.linalg.cholesky([[1.0, 1.0], [1.0, 1.0 - 1e-7]]),
        "tf.linalg.cholesky(a + 1e-6 * tf.eye(n))",
        lambda: tf.linalg.cholesky(tf.constant([[1.0, 1.0], [1.0, 1.0 - 1e-7]]) + 1e-6 * tf.eye(2)),
    ),
    "too large": (
        lambda: tf.constant(60000.0, tf.float16) * 2.0,
        "compute in float32",
        lambda: tf.constant(60000.0) * 2.0,
    ),
}


@pytest.mark.parametrize("name", REMEDIES)
def test_the_remedy_helps(name: str) -> None:
    wrong, remedy, right = REMEDIES[name]
    assert remedy in message_of(wrong)
    right()


def test_what_came_in_is_said_to_have_come_in() -> None:
    assert "It came in: y was not finite" in message_of(
        lambda: tf.constant([1.0, 2.0]) * [1.0, nan]
    )
    assert "It came in: inputs[1]" in message_of(lambda: tf.add_n([tf.ones(1), tf.constant([nan])]))


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
@pytest.mark.parametrize("where", [0, 9_000, 19_999])
@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_every_element_is_looked_at(dtype: Any, where: int, value: float) -> None:
    numbers = np.ones(20_000, np.float32)
    plain = tf.cast(numbers, dtype)
    assert (plain + 0.0).shape == (20_000,)
    numbers[where] = value
    wrong = tf.cast(tf.constant(numbers).numpy(), tf.float32)
    message = message_of(lambda: tf.cast(wrong, dtype) + tf.cast(0, dtype))
    assert f"at [{where}]: {value}" in message


FOUND: dict[str, Callable[[], Any]] = {
    "a loop of one operand": lambda: tf.sqrt(-1.0),
    "a loop of two": lambda: tf.constant(3e38) * 10.0,
    "NaN that came in": lambda: tf.constant(nan) + 1.0,
    "a kernel": lambda: tf.reduce_sum([3e38, 3e38]),
    "one of several outputs": lambda: tf.unique_with_counts([nan]),
    "a list of outputs": lambda: tf.split([nan, 1.0], 2),
    "float16": lambda: tf.constant(60000.0, tf.float16) * 2.0,
    "bfloat16": lambda: tf.math.log(tf.constant(0.0, tf.bfloat16)),
    "a cast": lambda: tf.cast(tf.constant(1e300, tf.float64), tf.float32),
    "an empty maximum": lambda: tf.reduce_max(tf.zeros([0])),
    "a variable's value": lambda: tf.Variable([nan]) * 1.0,
    "a rule": lambda: gradient(tf.sqrt, 0.0),
    "a rule run as one pass": lambda: gradient(lambda x: tf.square(x) * 1e38 * 10.0, 3e-20 * 1e20),
    "a sum of gradients": lambda: gradient(lambda x: x * 3e38 + x * 3e38, 1e-5),
    "a custom gradient": lambda: gradient(
        tf.custom_gradient(lambda x: (x * 1.0, lambda dy: dy * inf)), 1.0
    ),
    "a function": lambda: tf.function(tf.math.log)(tf.constant(0.0)),
}


@pytest.mark.parametrize("name", FOUND)
def test_found(name: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Infinity or NaN"):
        FOUND[name]()
    tf.debugging.disable_check_numerics()
    FOUND[name]()


n = tf.constant([[nan, 1.0]])
PASSED: dict[str, Callable[[], Any]] = {
    "constant": lambda: tf.constant([nan, inf]),
    "identity": lambda: tf.identity(n),
    "reshape": lambda: tf.reshape(n, [2]),
    "transpose": lambda: tf.transpose(n),
    "expand_dims": lambda: tf.expand_dims(n, 0),
    "squeeze": lambda: tf.squeeze(n),
    "slice": lambda: tf.slice(n, [0, 0], [1, 1]),
    "strided slice": lambda: n[0],
    "unstack": lambda: tf.unstack(n),
    "concat": lambda: tf.concat([n, n], 0),
    "fill": lambda: tf.fill([2], nan),
    "maximum": lambda: tf.maximum(n, 0.0),
    "minimum": lambda: tf.minimum(inf, 1.0),
    "assign": lambda: tf.Variable([1.0]).assign([nan]),
    "is_nan": lambda: tf.math.is_nan(n),
    "integers": lambda: tf.constant(1) + 2,
    "complex numbers": lambda: tf.math.log(tf.constant(0j)),
    "nothing": lambda: tf.math.log(tf.zeros([0])),
    "finite numbers": lambda: gradient(tf.square, 3.0),
}


@pytest.mark.parametrize("name", PASSED)
def test_passed(name: str) -> None:
    PASSED[name]()


def test_twice_is_once() -> None:
    tf.debugging.enable_check_numerics(stack_height_limit=5, path_length_limit=10)
    tf.debugging.disable_check_numerics()
    assert tf.math.log(0.0).numpy() == -inf
    tf.debugging.disable_check_numerics()


def test_of_this_thread_alone() -> None:
    found = []

    def elsewhere() -> None:
        found.append(tf.math.log(0.0).numpy())
        tf.debugging.enable_check_numerics()
        try:
            tf.math.log(0.0)
        except tf.errors.InvalidArgumentError:
            found.append("an error")
        tf.debugging.disable_check_numerics()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert found == [-inf, "an error"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Infinity or NaN in output 0 of"):
        tf.math.log(0.0)


def test_gradients_are_those_without_checks() -> None:
    """Rules run op by op then, not as programs: to the same bits."""
    x = np.random.default_rng(0).standard_normal((7, 5)).astype(np.float32)

    def f(t: Any) -> Any:
        return tf.reduce_sum(tf.tanh(t) * tf.nn.softplus(t) + tf.norm(t, axis=1, keepdims=True))

    checked = gradient(f, x).numpy()
    tf.debugging.disable_check_numerics()
    assert (checked == gradient(f, x).numpy()).all()


def test_pauses_still_pause() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        with tape.stop_recording():
            dropped = v * v
        kept = v + 1.0
    assert tape.gradient(dropped, v) is None
    assert tape.gradient(kept, v).numpy() == 1.0


def test_nothing_is_watched_while_a_tape_pauses() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape, tape.stop_recording():
        v * v
    assert tape.watched_variables() == ()


def test_cholesky_of_what_is_not_positive_definite() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="positive definite"):
        tf.linalg.cholesky([[1.0, 2.0], [2.0, 1.0]])


@pytest.mark.parametrize(
    "vectors",
    [
        lambda m: tf.linalg.svd(m)[1],
        lambda m: tf.linalg.eigh(m)[1],
        lambda m: tf.math.real(tf.linalg.eig(m)[1]),
    ],
    ids=["svd", "eigh", "eig"],
)
def test_vectors_at_equal_values_warn(
    vectors: Callable[[Any], Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "tensorflow"):
        gradient(vectors, np.diag([1.0, 2.0, 3.0]))
        assert not caplog.records
        tf.debugging.disable_check_numerics()
        gradient(vectors, np.eye(3))
        assert not caplog.records
        tf.debugging.enable_check_numerics()
        assert np.isfinite(gradient(vectors, np.eye(3)).numpy()).all()
    assert "values are equal" in caplog.text

"""`tape.first_nan`: the op where NaN or infinity began, from what a tape keeps and from the walk back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

inf, nan = float("inf"), float("nan")


def ask(function: Callable[..., Any], *values: Any, lines: bool = True) -> Any:
    variables = [tf.Variable(value) for value in values]
    with tf.GradientTape(lines=lines) as tape:
        target = function(*variables)
    return tape.first_nan(target, variables)


# In the program: what is computed -> the op, the place, and the inputs there.
IN_THE_PROGRAM: dict[
    str, tuple[Callable[..., Any], Any, str, tuple[int, ...], dict[str, float]]
] = {
    "a kept input": (lambda x: tf.reduce_sum(tf.math.log(x)), [1.0, 0.0], "Log", (1,), {"x": 0.0}),
    "results that are not kept": (
        lambda x: tf.reduce_mean(tf.math.log(tf.nn.relu(tf.matmul(x, x)) + 0.0) * 2.0),
        [[1.0, 0.0], [0.0, 1.0]],
        "Log",
        (0, 1),
        {"x": 0.0},
    ),
    "the first of several": (
        lambda x: tf.math.log(tf.exp(x) / (1.0 / tf.exp(x) - 1.0)),
        [0.0, 100.0],
        "Exp",
        (1,),
        {"x": 100.0},
    ),
    "a constant": (
        lambda x: x * tf.constant([1.0, inf]),
        [1.0, 2.0],
        "Mul",
        (1,),
        {"x": 2.0, "y": inf},
    ),
    "a number too large": (lambda x: tf.square(x) + 1.0, [1.0, 1e20], "Square", (1,), {"x": 1e20}),
    "a matrix": (tf.linalg.logdet, [[1.0, 2.0], [2.0, 1.0]], "Cholesky", (0, 0), {}),
}


@pytest.mark.parametrize("name", IN_THE_PROGRAM)
def test_in_the_program(name: str) -> None:
    function, value, op, index, values = IN_THE_PROGRAM[name]
    result = ask(function, value)
    assert result.finite is False
    assert (result.op, result.index, result.gradient_of) == (op, index, None)
    assert {key: np.float32(number) for key, number in values.items()} == result.values
    assert not np.isfinite(result.value)
    assert result.where is not None


# In the gradient: what is computed -> the op of the program.
IN_THE_GRADIENT: dict[str, tuple[Callable[..., Any], Any, str]] = {
    "a root": (lambda x: tf.reduce_sum(tf.sqrt(x)), [1.0, 0.0], "Sqrt"),
    "a power": (lambda x: tf.reduce_sum(x**0.5), [1.0, 0.0], "Pow"),
    "an angle": (lambda x: tf.reduce_sum(tf.acos(x)), [0.5, 1.0], "Acos"),
    "a gradient of ones own": (
        tf.custom_gradient(lambda x: (x * 1.0, lambda dy: dy * inf)),
        [1.0],
        "<lambda>",
    ),
}


@pytest.mark.parametrize("name", IN_THE_GRADIENT)
def test_in_the_gradient(name: str) -> None:
    function, value, op = IN_THE_GRADIENT[name]
    result = ask(function, value)
    assert result.finite is False
    assert result.gradient_of == op
    assert f'This is the gradient of the op "{op}", called in' in str(result)


def test_it_names_the_line() -> None:
    x = tf.Variable([4.0, 0.0])
    with tf.GradientTape(lines=True) as tape:
        y = tf.sqrt(x)  # the root
        z = tf.reduce_sum(y)
    result = tape.first_nan(z, x)
    lines = Path(__file__).read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if line.endswith("# the root")]
    assert result.where == (__file__, number, "test_it_names_the_line")
    assert f"test_first_nan.py:{number}): y = tf.sqrt(x)" in str(result)
    assert result.remedy is not None
    assert "tf.norm(v)" in result.remedy
    assert "GradientTape(lines=True)" not in str(result)


def test_without_lines_it_says_how_to_see_them() -> None:
    result = ask(lambda x: tf.reduce_sum(tf.sqrt(x)), [0.0], lines=False)
    assert result.where is None
    assert "GradientTape(lines=True)" in str(result)


def test_finite_numbers() -> None:
    result = ask(lambda x: tf.reduce_sum(tf.sqrt(x)), [1.0, 4.0])
    assert result.finite
    assert result.op is None
    assert str(result) == "The target and its gradients are finite."


def test_infinity_that_reaches_neither_the_target_nor_a_gradient() -> None:
    assert ask(lambda x: tf.where(x > 0.0, tf.math.log(x), 0.0), [1.0, 0.0]).finite


def test_after_gradient_it_says_that_the_records_are_gone() -> None:
    x = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        y = tf.sqrt(x)
    tape.gradient(y, x)
    result = tape.first_nan(y, x)
    assert result.finite is None
    assert "persistent=True" in str(result)


def test_it_changes_nothing() -> None:
    x = tf.Variable([1.0, 0.0])
    with tf.GradientTape() as outer, tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.sqrt(x))
        inside = tape.first_nan(y, x)
    assert inside.gradient_of == "Sqrt"
    assert tape.first_nan(y, x).gradient_of == "Sqrt"
    assert tape.gradient(y, x).numpy().tolist() == [0.5, inf]
    assert outer.gradient(y, x).numpy().tolist() == [0.5, inf]


def test_a_variable_that_was_assigned_since() -> None:
    x = tf.Variable([1.0, 0.0])
    with tf.GradientTape() as tape:
        y = tf.math.log(x * 1.0)
    x.assign([1.0, 1.0])
    result = tape.first_nan(y, x)
    assert (result.op, result.index) == ("Log", (1,))


def test_a_persistent_tape_may_be_asked_after_gradient() -> None:
    x = tf.Variable([0.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.sqrt(x)
    tape.gradient(y, x)
    assert tape.first_nan(y, x).gradient_of == "Sqrt"


@pytest.mark.parametrize(
    ("function", "name"),
    [(lambda x: x + tf.constant([nan]), "AddV2"), (lambda x: tf.concat([x, [nan]], 0), "ConcatV2")],
)
def test_where_the_tape_keeps_too_little(function: Callable[..., Any], name: str) -> None:
    result = ask(function, [1.0])
    assert result.finite is False
    assert result.op is None
    assert f"The result of {name} is the first known one" in str(result)
    assert "enable_check_numerics" in str(result)


def test_a_recorded_function() -> None:
    function = tf.function(lambda x: tf.reduce_sum(tf.math.log(x) * 2.0))
    for _ in range(3):
        ask(function, [1.0, 2.0])
    result = ask(function, [1.0, 0.0])
    assert result.finite is False
    assert result.op == "Log" or "run_functions_eagerly" in str(result)


def test_checks_that_are_on_do_not_disturb_it() -> None:
    x = tf.Variable([1.0, 0.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.sqrt(x))
    tf.debugging.enable_check_numerics()
    try:
        assert tape.first_nan(y, x).gradient_of == "Sqrt"
    finally:
        tf.debugging.disable_check_numerics()


def test_items_of_a_batch_have_no_value_to_look_at() -> None:
    x = tf.Variable([1.0, 0.0])
    with tf.GradientTape(persistent=True) as tape:
        y = tf.vectorized_map(lambda item: tf.math.log(item) * 2.0, x)
    result = tape.first_nan(y, x)
    assert result.finite is False
    assert "The result of a function over a batch is the first known one" in str(result)
    assert tape.memory().records == len(tape.summary()) > 0


def test_an_empty_tape() -> None:
    with tf.GradientTape() as tape:
        pass
    assert tape.first_nan(tf.constant(1.0), []).finite is not False


def test_it_shows_as_text_in_notebooks() -> None:
    result = ask(lambda x: tf.math.log(x), 0.0)
    assert (
        result._repr_html_()
        == f"<pre>{str(result).replace('<', '&lt;').replace('>', '&gt;').replace(chr(34), '&quot;')}</pre>"
    )

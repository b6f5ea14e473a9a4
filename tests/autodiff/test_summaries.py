"""`tape.summary` and `tape.memory`: what was recorded, and the memory that the records keep."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf


def recorded(function: Any, *values: Any, **options: Any) -> tuple[Any, Any]:
    """A tape over the function of variables with these values, and what the function gives."""
    variables = [tf.Variable(value) for value in values]
    with tf.GradientTape(**options) as tape:
        result = function(*variables)
    return tape, result


def test_the_table() -> None:
    x = np.ones([64, 8], np.float32)
    tape, _ = recorded(
        lambda w: tf.reduce_mean(tf.nn.relu(x @ w + 1.0)), np.ones([8, 4], np.float32)
    )
    summary = tape.summary()
    assert [row.op for row in summary] == ["MatMul", "AddV2", "Relu", "Mean"]
    assert [row.results for row in summary] == [
        (("float32", (64, 4)),),
        (("float32", (64, 4)),),
        (("float32", (64, 4)),),
        (("float32", ()),),
    ]
    assert [row.keeps for row in summary] == [("a",), (), ("result",), ()]
    assert [row.bytes for row in summary] == [64 * 8 * 4, 0, 64 * 4 * 4, 0]
    lines = str(summary).splitlines()
    assert lines[0].split() == ["op", "result", "keeps"]
    assert lines[3].split(maxsplit=2) == ["2", "Relu", "float32 (64, 4)  1.0 KiB (result)"]
    assert lines[-1].startswith(
        "4 records, 1 variable watched. The tape keeps 3.0 KiB in 2 tensors;"
    )


def test_lines_are_shown_if_the_tape_has_them() -> None:
    x = tf.Variable(1.0)
    with tf.GradientTape(lines=True) as tape:
        tf.exp(x)  # the line
    lines = Path(__file__).read_text().splitlines()
    (number,) = [i for i, line in enumerate(lines, 1) if line.endswith("# the line")]
    assert tape.summary()[0].where == (
        __file__,
        number,
        "test_lines_are_shown_if_the_tape_has_them",
    )
    assert f"test_summaries.py:{number}): tf.exp(x)" in str(tape.summary())


def test_no_tensor_counts_twice() -> None:
    tape, _ = recorded(lambda x: tf.square(x * 1.0) * tf.exp(x) * x, np.ones(1000, np.float32))
    summary = tape.summary()
    # x, x * 1 and exp(x); square(x), and the product of two.
    assert tape.memory().bytes == sum([row.bytes for row in summary])
    assert tape.memory().bytes - 4 == 5 * 4000


def test_a_view_counts_with_its_base() -> None:
    whole = tf.ones([1000, 10])
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        first, second = whole[:1], whole[1:2]
        [first * x, second * x]
    assert tape.memory().bytes == 1000 * 10 * 4
    assert tape.memory().tensors == 2


def test_what_is_free_once_the_tape_lets_go() -> None:
    x = tf.Variable(tf.ones([100]))
    with tf.GradientTape() as tape:
        kept = tf.exp(x)
        tf.square(kept)  # keeps `kept`
        tf.exp(x * 1.0)
    memory = tape.memory()
    # The result of the second exp; not `kept`, not the variable's value, nor the cached number.
    assert memory.freed == 400
    del kept
    assert tape.memory().freed == 800
    assert tape.memory().bytes == memory.bytes


def test_bytes_by_op() -> None:
    tape, _ = recorded(lambda x: tf.square(tf.exp(tf.exp(x) * 2.0)), np.ones(10, np.float32))
    by_op = tape.memory().by_op
    assert next(iter(by_op)) == "Exp"
    assert by_op["Exp"] == 80


def test_asking_changes_nothing() -> None:
    tape, y = recorded(lambda x: tf.reduce_sum(tf.exp(x)), [1.0, 2.0])
    before = len(tape.summary())
    str(tape.summary())
    assert len(tape.summary()) == before == 2
    (x,) = tape.watched_variables()
    assert tape.explain(y, x).connected
    assert tape.gradient(y, x).shape == (2,)


def test_a_tape_that_is_used_up() -> None:
    tape, y = recorded(lambda x: x * x, 2.0)
    tape.gradient(y, tape.watched_variables())
    assert len(tape.summary()) == 0
    assert "let go of its records" in str(tape.summary())
    assert tape.memory().bytes == 0


def test_a_tape_that_recorded_nothing() -> None:
    assert str(tf.GradientTape().summary()).startswith("0 records, 0 variables watched.")


def test_a_gradient_function_of_ones_own() -> None:
    tape, _ = recorded(tf.custom_gradient(lambda x: (x * 2.0, lambda dy: dy)), 1.0)
    assert tape.summary()[-1].keeps == ("a gradient function",)


def test_a_long_tape_leaves_out_the_middle() -> None:
    def long(x: Any) -> Any:
        for _ in range(500):
            x = x * 2.0
        return x

    tape, _ = recorded(long, 1.0)
    lines = str(tape.summary()).splitlines()
    assert len(lines) == 203
    assert lines[101] == "..."
    assert lines[-2].split()[0] == "499"


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.split(x, 2),
        lambda x: tf.linalg.svd(tf.reshape(x, [2, 2])),
        lambda x: tf.gather(x, [0]),
        lambda x: tf.boolean_mask(x, [True, False, True, True]),
        lambda x: tf.concat([x, x], 0),
        lambda x: tf.cast(x, tf.float64) + 1.0,
        lambda x: tf.complex(x, x),
        lambda x: tf.nn.moments(x, 0),
        lambda x: tf.vectorized_map(lambda one: one * 2.0, x),
        lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x)),
    ],
)
def test_shapes_that_are_said_are_right(function: Any) -> None:
    x = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape(persistent=True) as tape:
        results = function(x)
    kinds = [kind for row in tape.summary() for kind in row.results]
    for result in tf.nest.flatten(results):
        if result.dtype.is_floating or result.dtype.is_complex:
            last = (result.dtype.name, tuple(result.shape))
            assert any(kind[0] in ("", last[0]) and kind[1] in (None, last[1]) for kind in kinds)


def test_a_notebook_gets_a_table() -> None:
    tape, _ = recorded(tf.exp, 1.0)
    text = tape.summary()._repr_html_()
    assert "<td>Exp</td>" in text
    assert "<th>op</th>" in text

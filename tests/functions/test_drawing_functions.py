"""Random ops in functions draw what they draw in TensorFlow's functions, for the same seeds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from golden.drawing_functions import PROGRAMS, answers

ANSWERS = json.loads((Path(__file__).parents[1] / "golden" / "drawing_functions.json").read_text())


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_are_those_of_tensorflow(name: str) -> None:
    found = answers(tf, PROGRAMS[name])
    flat, wanted = tf.nest.flatten(found), tf.nest.flatten(ANSWERS[name])
    np.testing.assert_allclose(flat, wanted, rtol=1e-6, atol=1e-6)


def test_streams_go_with_their_functions() -> None:
    tf.random.set_seed(1)
    drawn = [float(tf.function(lambda: tf.random.uniform([], seed=3))()) for _ in range(3)]
    assert drawn[0] == drawn[1] == drawn[2]


def test_eager_numbers_do_not_change_by_functions() -> None:
    def run(function: Any) -> list[float]:
        tf.random.set_seed(1)
        drawn = []
        for _ in range(3):
            drawn.append(float(tf.random.uniform([])))
            function()
        return drawn

    f = tf.function(lambda: tf.random.normal([4]))
    assert run(f) == run(lambda: None)


def test_draws_that_a_guard_takes_back_come_again() -> None:
    def f(x: Any) -> Any:
        a = tf.random.uniform([], seed=3)
        b = tf.random.normal([])
        if x + a > 0.5:
            return a + tf.random.uniform([], seed=3), b
        return a, b

    recorded, python = tf.function(f), tf.function(f)
    found = []
    for run in (recorded, lambda x: python._run((x,), {})):
        tf.random.set_seed(5)
        found.append([[part.numpy() for part in run(tf.constant(x))] for x in (0.0, 0.3, -1.0) * 9])
    assert found[0] == found[1]
    assert sum(program.replays for program in recorded._recordings.values()) > 20


def test_a_recomputed_block_in_a_function_draws_again_what_it_drew() -> None:
    block = tf.recompute_grad(lambda x: x * tf.random.normal([3]))

    @tf.function
    def f(x: Any) -> Any:
        first = tf.random.normal([3])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = block(x)
        return y, tape.gradient(y, x), first, tf.random.normal([3])

    tf.random.set_seed(2)
    seen = set()
    for _ in range(4):
        y, gradient, first, last = f(tf.ones([3]))
        np.testing.assert_array_equal(y, gradient)
        seen.update([float(part[0]) for part in (y, first, last)])
    assert len(seen) == 12


def test_no_loop_repeats_its_numbers() -> None:
    tf.random.set_seed(1)
    noise = tf.function(lambda: tf.random.uniform([], dtype=tf.float64))

    @tf.function
    def by_while(n: Any) -> Any:
        found, i = [], tf.constant(0)
        while i < n:
            found.append(noise())
            i += 1
        return tf.stack(found)

    @tf.function
    def by_data(n: Any) -> Any:
        return tf.stack([noise(), *draws(tf.data.Dataset.range(4))])

    def draws(data: Any) -> list[Any]:
        found = []
        for _ in data:
            found.append(noise() + 0.0)
        return found

    for function in (by_while, by_data):
        drawn = [x for _ in range(3) for x in function(tf.constant(4)).numpy().tolist()]
        if function is by_while:
            assert len(set(drawn)) == len(drawn)
        else:
            assert len({*drawn[1:5], *drawn[6:10], *drawn[11:]}) == 12

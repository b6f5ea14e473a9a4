"""What objects print: what they are, and no address."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf


class Dense(tf.Module):
    def __init__(self, inputs: int, outputs: int, parent: Any = None) -> None:
        super().__init__()
        self.weight = tf.Variable(tf.zeros([inputs, outputs]))
        self.steps = tf.Variable(0, trainable=False)
        self.parent = parent


class Network(tf.Module):
    def __init__(self) -> None:
        super().__init__(name="net")
        self.layers = {"first": Dense(2, 3, self), "second": [Dense(3, 1)]}
        self.shared = self.layers["first"]


TREE = """\
Network 'net': 4 variables, 11 parameters (2 not trainable), 44 B
├─ layers['first']: Dense 'dense': 2 variables, 7 parameters (1 not trainable), 28 B
│  ├─ parent: Network 'net', shown above
│  ├─ steps: int32 (), not trainable
│  └─ weight: float32 (2, 3)
└─ layers['second'][0]: Dense 'dense': 2 variables, 4 parameters (1 not trainable), 16 B
   ├─ steps: int32 (), not trainable
   └─ weight: float32 (3, 1)"""


def test_a_module_prints_as_a_tree() -> None:
    assert str(Network()) == TREE


def test_the_repr_of_a_module_is_one_line() -> None:
    assert repr(Network()) == f"<{__name__}.Network 'net'>"


def test_a_module_that_is_not_initialized_prints_too() -> None:
    class Unfinished(tf.Module):
        def __init__(self) -> None:
            assert "Unfinished" in str(self)
            super().__init__()

    assert str(Unfinished()) == "Unfinished 'unfinished': 0 variables, 0 parameters, 0 B"


def test_a_notebook_gets_a_tree_that_folds() -> None:
    class Named(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.parts = {"<b>": Dense(1, 1)}

    text = Named()._repr_html_()
    assert text is not None
    assert "<b>" not in text
    assert text.count("<details") == text.count("</details>") == 2
    assert "weight</code>: float32 (1, 1)" in text
    assert [line.partition(":")[0] for line in searched(text)] == [
        "Named 'named'", "parts['<b>']", "steps", "weight"
    ]  # fmt: skip


def searched(text: str) -> list[str]:
    """What the box of a notebook's HTML looks through."""
    assert text.count('<input type="search"') == text.count("<output>") == 1
    return [
        html.unescape("".join(pair))
        for pair in re.findall('data-text="([^"]*)">(?:<title>([^<]*))?', text)
    ]


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ([1.5, float("nan")], ["[0]: 1.5", "[1]: nan"]),
        ([[["<a b>", 'c"']]], ["[0, 0, 0]: b'<a b>'", "[0, 0, 1]: b'c\"'"]),
        ([[3, 4]], ["[0, 0]: 3", "[0, 1]: 4"]),
    ],
)
def test_a_notebook_searches_elements_with_their_indices(value: Any, lines: list[str]) -> None:
    assert searched(tf.constant(value)._repr_html_()) == lines


def test_what_is_searched_of_a_large_tensor_has_its_own_indices() -> None:
    values = np.arange(2 * 100 * 30).reshape(2, 100, 30)
    text = tf.constant(values)._repr_html_()
    lines = searched(text)
    assert f"{len(lines)} values shown, of 6,000" in text
    for line in lines:
        index, value = line.split(": ")
        assert values[tuple(json.loads(index))] == int(value)


def test_a_scalar_and_a_module_without_parts_have_nothing_to_search() -> None:
    assert "<input" not in tf.constant(1.0)._repr_html_()
    assert "<input" not in str(tf.Module()._repr_html_())


def persistent() -> Any:
    x = tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tf.exp(x * 2.0)
    return tape


def spent() -> Any:
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.exp(x)
    tape.gradient(y, x)
    return tape


@tf.function
def step(x: Any, rate: float = 0.1) -> Any:
    return x * rate


REPRESENTATIONS: dict[str, tuple[Callable[[], Any], str]] = {
    "tape": (persistent, "<tf.GradientTape: 2 records, 1 variable watched, persistent>"),
    "spent tape": (spent, "<tf.GradientTape: used up>"),
    "new tape": (tf.GradientTape, "<tf.GradientTape: nothing recorded>"),
    "function": (lambda: step, "<tf.function step(x: 'Any', rate: 'float' = 0.1) -> 'Any'>"),
    "generator": (
        lambda: tf.random.Generator.from_seed(3),
        "<tf.random.Generator philox, state [3, 0, 0]>",
    ),
    "optimizer": (
        lambda: tf.compat.v1.train.GradientDescentOptimizer(0.1),
        "<tf.compat.v1.train.GradientDescentOptimizer 'GradientDescent'>",
    ),
}


@pytest.mark.parametrize("name", REPRESENTATIONS)
def test_it_says_what_it_is(name: str) -> None:
    make, text = REPRESENTATIONS[name]
    assert repr(make()) == text
    assert not re.search("0x[0-9a-f]{4}", text)


def test_printing_a_generator_draws_nothing() -> None:
    generator, other = tf.random.Generator.from_seed(3), tf.random.Generator.from_seed(3)
    repr(generator)
    assert generator.normal([]).numpy() == other.normal([]).numpy()


def test_a_tape_shows_its_summary_in_notebooks() -> None:
    tape = persistent()
    assert tape._repr_html_() == tape.summary()._repr_html_()
    assert "<td>Exp</td>" in tape._repr_html_()
    assert [line.split()[1] for line in searched(tape._repr_html_())] == ["Mul", "Exp"]


IN_NOTEBOOKS: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "matrix": (
        lambda: tf.constant([[1.0, 2.0], [3.0, float("nan")]]),
        ["float32 (2, 2), 4 elements, 16 B", "1 to 3, mean 2", "1 not finite", 'fill="#d33"'],
    ),
    "scalar": (lambda: tf.constant(3), ["int32 (), 1 element", "<pre>3</pre>"]),
    "text": (lambda: tf.constant(["<script>"]), ["string (1,)", "&lt;script&gt;"]),
    "empty": (lambda: tf.zeros([0, 3]), ["float32 (0, 3), 0 elements, 0 B"]),
    "bool": (lambda: tf.constant([True, False]), ["bool (2,)", "mean 0.5"]),
    "complex": (lambda: tf.constant([3 + 4j, 0j]), ["absolute values: 0 to 5"]),
    "bfloat16": (lambda: tf.ones([2, 3, 4], tf.bfloat16), ["bfloat16 (2, 3, 4)"]),
    "int4": (lambda: tf.cast([1, 2], tf.experimental.int4), ["int4 (2,)"]),
    "extremes": (lambda: tf.constant([-1.7e308, 1.7e308], tf.float64), ["-1.7e+308 to 1.7e+308"]),
    "only NaN": (lambda: tf.constant([float("nan")] * 2), ["no finite number", "2 not finite"]),
    "variable": (
        lambda: tf.Variable([1.0, 2.0], name="<w>", trainable=False),
        ["tf.Variable &#x27;&lt;w&gt;:0&#x27;, not trainable</code> float32 (2,)"],
    ),
}


@pytest.mark.parametrize("name", IN_NOTEBOOKS)
def test_a_notebook_gets_statistics_and_a_picture(name: str) -> None:
    make, parts = IN_NOTEBOOKS[name]
    text = make()._repr_html_()
    for part in parts:
        assert part in text
    for tag in ("div", "svg", "pre", "details", "code"):
        assert text.count(f"<{tag}") == text.count(f"</{tag}>")
    assert "http" not in text
    assert "<script" not in text


def test_the_picture_of_a_large_tensor_is_small() -> None:
    assert len(tf.random.normal([1000, 1000])._repr_html_()) < 200_000


def test_a_notebook_that_shows_a_tensor_does_not_take_it_off_the_tape() -> None:
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.exp(x)
        y._repr_html_()
    other = tf.Variable(1.0)
    assert tape.explain(y, other).reason == "not used"
    assert tape.gradient(y, x) is not None

"""Derivatives, maps, loops and functions in each other: 500 drawn programs, recorded and eager.

`nested_programs.py` has the grammar, and draws more where it is run by itself.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import pytest

import tapegrad as tf
from nested_programs import CALLS, FORMS, FUNCTIONS, OURS, Node, answers, difference, drawn, way_of

PROGRAMS, AT_ONCE = 500, 20
# Programs of four levels take three quarters of the time: one call is recorded, and two are replayed.
CALLS_OF_DEEP = 3


@pytest.fixture(autouse=True)
def no_word_of_slow_jacobians() -> Iterator[None]:
    logger = tf.get_logger()
    before = logger.level
    logger.setLevel(logging.ERROR)
    yield
    logger.setLevel(before)


@pytest.mark.parametrize("first", range(0, PROGRAMS, AT_ONCE))
def test_recorded_equals_eager(first: int) -> None:
    numbers = range(first, first + AT_ONCE)
    programs = {n: drawn(n) for n in numbers}
    found = {n: difference(programs[n], *way_of(n), calls_of(programs[n])) for n in numbers}
    assert not {n: text for n, text in found.items() if text is not None}, (
        "python tests/nested_programs.py --only NUMBER finds the smallest such program"
    )


def calls_of(program: list[Node]) -> int:
    deepest = max(depth for _, depth in forms(program, 0))
    return CALLS_OF_DEEP if deepest == 3 else CALLS


def test_every_form_is_drawn_at_every_depth() -> None:
    met = {(form, depth) for n in range(PROGRAMS) for form, depth in forms(drawn(n), 0)}
    assert met == {(form, depth) for form in (*FORMS, *OURS, *FUNCTIONS) for depth in range(4)}


def forms(nodes: list[Node], depth: int) -> Iterator[tuple[str, int]]:
    for node in nodes:
        if node[0] != "step":
            yield node[0], depth
            yield from forms(node[2], depth + 1)


@pytest.mark.long
def test_most_programs_are_replayed() -> None:
    """Otherwise the comparison would be one of eager code with itself."""
    count, replayed = 60, 0
    for number in range(count):
        made: list[Any] = []

        def make(function: Any, made: list[Any] = made) -> Any:
            made.append(tf.function(function))
            return made[-1]

        answers(drawn(number), make, *way_of(number))
        replayed += "stays Python" not in str(made[0].explain())
    assert replayed > count / 2

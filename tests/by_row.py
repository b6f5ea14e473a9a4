"""One test for a row of the table, which asks all its questions. pytest takes milliseconds for each test."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run, Sample
from tapegrad.symbolic.graphs import reset_default_graph


def begin_anew() -> None:
    """Fixed seeds, and a new default graph: one keeps collections, and with them a counter of steps."""
    np.random.seed(0)
    tf.random.set_seed(0)
    reset_default_graph()


def by_row(questions: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Parametrizes a test by row. A question is a run, or a tuple that begins with a run or with a row.

    The test is called for each question, as if each were a test of its own, and goes on after one that fails.
    What it takes beyond a question are fixtures.
    """
    asked = [question if isinstance(question, tuple) else (question,) for question in questions]
    rows = [
        (sample, list(group))
        for sample, group in itertools.groupby(asked, key=lambda q: _row(q[0]))
    ]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        def ask(row: list[tuple[Any, ...]], **fixtures: Any) -> None:
            failures: list[Exception] = []
            for number, question in enumerate(row):
                if number:
                    begin_anew()
                try:
                    test(*question, **fixtures)
                except Exception as error:
                    error.add_note(f"asked of {_name(question)}")
                    failures.append(error)
            if failures:
                raise failures[0] if len(failures) == 1 else ExceptionGroup("several", failures)

        signature = inspect.signature(test)
        fixtures = list(signature.parameters.values())[len(asked[0]) :]
        row = inspect.Parameter("row", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        ask.__signature__ = signature.replace(parameters=[row, *fixtures])  # type: ignore[attr-defined]
        ask.__name__, ask.__qualname__, ask.__doc__ = test.__name__, test.__qualname__, test.__doc__
        ask.__module__ = test.__module__
        parametrized: Callable[..., None] = pytest.mark.parametrize(
            "row", [group for _, group in rows], ids=[repr(sample) for sample, _ in rows]
        )(ask)
        return parametrized

    return decorate


def _row(asked: Run | Sample) -> Sample:
    return asked.sample if isinstance(asked, Run) else asked


def _name(question: tuple[Any, ...]) -> str:
    """The run of a question, as one types it: a row comes with its case and dtype."""
    run = question[0] if isinstance(question[0], Run) else Run(*question[:3])
    return repr(run)

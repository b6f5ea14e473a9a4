"""`make test` takes a part of long tables, and the makefile says how to run all."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def chosen(pytestconfig: pytest.Config) -> Callable[..., Any]:
    """What a quick run hands on to pytest of a list of rows and their names, for a test of some name."""
    conftest: Any = pytestconfig.pluginmanager.get_plugin(str(ROOT / "conftest.py"))

    def chosen(name: str, rows: Any, ids: Any = None) -> Any:
        calls: list[Any] = []
        metafunc = SimpleNamespace(
            function=SimpleNamespace(__name__=name),
            parametrize=lambda _, values, ids=None: calls.append((values, ids)),
        )
        conftest.take_some_rows(metafunc)
        metafunc.parametrize("row", rows, ids=ids)
        return calls[0]

    return chosen


def test_short_tables_are_whole(chosen: Callable[..., Any]) -> None:
    assert chosen("test_a", range(19)) == ([*range(19)], None)
    assert chosen("test_a", iter("ab"), "xy") == (["a", "b"], "xy")


def test_of_long_tables_every_tenth_row_is_taken_with_its_name(chosen: Callable[..., Any]) -> None:
    first = {}
    for name in ("test_a", "test_b", "test_c", "test_d"):
        rows, ids = chosen(name, range(95), map(str, range(95)))
        assert ids == [str(row) for row in rows]
        assert rows == [*range(rows[0], 95, 10)]
        first[name] = rows[0]
    assert len(set(first.values())) > 1, "each test should take other rows"
    assert chosen("test_a", range(95), repr)[1] is repr


def test_continuous_integration_runs_all() -> None:
    run, makefile = ((ROOT / name).read_text() for name in (".ci/run", "Makefile"))
    assert "test WHOLE=1" in run
    assert re.search(r"^make .* types cross-check$", run, re.MULTILINE)
    checked = re.search(r"^CHECKED := (.+)$", makefile, re.MULTILINE)
    assert checked is not None
    assert {target.split("-")[1] for target in checked[1].split()} == {"macos", "windows"}
    quick = re.search(r"^QUICK := (.+)$", makefile, re.MULTILINE)
    assert quick is not None
    assert quick[1] == "$(if $(WHOLE)$(PYTEST),,--quick)"

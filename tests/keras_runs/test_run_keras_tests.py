"""What tools/run_keras_tests.py makes of what Keras's tests do."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "run_keras_tests.py"

FIRST, SECOND = "keras/src/layers/first_test.py::A::", "keras/src/ops/second_test.py::B::"


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("run_keras_tests", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name in ("HERE", "THERE", "REASONS", "PAGE"):
        monkeypatch.setattr(module, name, tmp_path / name)
    (tmp_path / "REASONS").write_text(
        "[[failure]]\nwhy = 'No graphs.'\ntests = ['layers/*::A::graph*']\n"
    )
    return module


def test_missed_is_what_passes_there_alone(tool: ModuleType) -> None:
    here = {
        f"{FIRST}both": "passed",
        f"{FIRST}graph": "failed",
        f"{FIRST}neither": "failed",
        f"{FIRST}skipped": "skipped",
        f"{FIRST}new": "failed",
    }
    there = {
        f"{FIRST}both": "passed",
        f"{FIRST}graph": "passed",
        f"{FIRST}neither": "failed",
        f"{FIRST}skipped": "passed",
        f"{FIRST}lost": "passed",
        f"{SECOND}not_run_here": "passed",
    }
    assert tool.missed(here, there) == [
        f"{FIRST}{name}" for name in ("graph", "lost", "new", "skipped")
    ]
    assert tool.reason(f"{FIRST}graph") == "No graphs."
    assert tool.reason(f"{FIRST}lost") is None


def test_a_run_of_some_files_replaces_what_is_known_of_them(tool: ModuleType) -> None:
    for path in (tool.HERE, tool.THERE):
        tool.record(path, {f"{FIRST}a": "failed", f"{FIRST}b": "passed", f"{SECOND}c": "passed"})
        tool.record(path, {f"{FIRST}a": "passed"})
        assert tool.recorded(path) == {f"{FIRST}a": "passed", f"{SECOND}c": "passed"}


def test_tables_go_between_their_marks(tool: ModuleType) -> None:
    here = {f"{FIRST}a": "passed", f"{FIRST}graph": "failed", f"{SECOND}c": "skipped"}
    there = {f"{FIRST}a": "passed", f"{FIRST}graph": "passed"}
    tool.PAGE.write_text("Before.\n\n<!-- tables -->\nstale\n<!-- end of tables -->\n\nAfter.\n")
    tool.write_tables(tool.tables(here, there))
    page = tool.PAGE.read_text()
    assert page.startswith("Before.\n\n<!-- tables -->\n")
    assert page.endswith("-->\n\nAfter.\n")
    assert "| `layers` | 1 | 1 | 0 | 2 | 0 | 0 |" in page
    assert "| `ops` | 0 | 0 | 1 |  |  |  |" in page
    assert "1 of 2 pass here, 50.00%." in page
    assert "- 1: No graphs.\n    - `layers/first_test.py::A::graph`" in page
    assert "stale" not in page


def test_tensorflow_needs_an_environment(
    tool: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["run_keras_tests.py", "--tensorflow"])
    monkeypatch.setattr(tool, "KEPT", tool.HERE.parent / "kept")
    with pytest.raises(SystemExit):
        tool.main()
    assert "--python" in capsys.readouterr().err

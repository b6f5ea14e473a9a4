"""The programs of the documents this project began from run as they stand, and print what those show.

``seeds/*.py`` hold them word for word (indentation restored where a text had lost it) as data: cells
begin at ``# %%``, and below a cell stands what it prints: after ``#>`` exactly (a document's own line
breaks were not kept, so white space counts only as white space), after ``#~`` up to the numbers, where
they came from random ones. A value on a cell's last line is displayed as a notebook does.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import io
import re
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

_FOLDER = Path(__file__).parents[1] / "seeds"
_PROGRAMS = sorted(_FOLDER.glob("*.py"))
_NUMBER = re.compile(r"-?\d+\.\d*(?:e[+-]?\d+)?")


def _for_tapegrad(text: str) -> str:
    """The program with this package in TensorFlow's place, and nothing else changed."""
    text = text.replace(
        "import tensorflow.contrib.eager as tfe", "import tapegrad.contrib.eager as tfe"
    )
    return text.replace("import tensorflow as tf", "import tapegrad as tf")


def _cells(text: str) -> list[tuple[str, list[str], list[str]]]:
    """Each cell's code, the lines it prints, and those it prints but for the numbers."""
    cells = []
    for part in re.split(r"^# %%.*$", text, flags=re.MULTILINE):
        lines = part.splitlines()
        exact = [line[2:].strip() for line in lines if line.startswith("#>")]
        alike = [line[2:].strip() for line in lines if line.startswith("#~")]
        code = [line for line in lines if not line.startswith(("#>", "#~"))]
        cells.append(("\n".join(code), exact, alike))
    return cells


def _run_cell(code: str, names: dict[str, Any], where: str) -> str:
    """What a notebook shows below a cell: output, warnings, and the value of its last line."""
    tree = ast.parse(code, where)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        exec(compile(tree, where, "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), where, "eval"), names)
            is_print = isinstance(last.value, ast.Call) and value is None
            if not is_print and value is not None:
                # A notebook's display of a NumPy scalar was its bare number when these were written.
                print(value.item() if isinstance(value, np.generic) else repr(value))
    return shown.getvalue()


def _form(words: list[str]) -> str:
    """What is left when numbers are all alike, and padded by no white space."""
    return _NUMBER.sub("1.0", "".join(words))


@pytest.fixture
def pyplot(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A matplotlib that draws nothing, and remembers the curves it was given as arrays."""
    curves: list[Any] = []
    module = types.ModuleType("matplotlib.pyplot")
    module.plot = lambda x, y, label: curves.append((np.asarray(x), np.asarray(y)))  # type: ignore[attr-defined]
    module.legend = lambda: None  # type: ignore[attr-defined]
    module.xlabel = lambda text: text  # type: ignore[attr-defined]
    package = types.ModuleType("matplotlib")
    package.pyplot = module  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "matplotlib", package)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", module)
    return curves


@pytest.mark.parametrize("path", _PROGRAMS, ids=lambda path: path.stem)
def test_program_prints_what_its_document_shows(path: Path, pyplot: list[Any]) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, (code, exact, alike) in enumerate(_cells(_for_tapegrad(path.read_text()))):
        shown = _run_cell(code, names, f"{path.name}, cell {number}")
        expected = " ".join(exact or alike).split()
        actual = shown.split()
        if alike:
            expected, actual = _form(expected), _form(actual)
        assert actual == expected, f"cell {number} of {path.name}:\n{code}\nshowed:\n{shown}"
    for x, y in pyplot:
        assert x.shape == y.shape == (201,)


def test_every_document_is_there() -> None:
    assert len(_PROGRAMS) == 7
    assert all("tensorflow" in path.read_text() for path in _PROGRAMS)


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="needs matplotlib")
def test_tensors_are_plotted() -> None:
    """The guide's picture, with the real library."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    import tapegrad as tf

    x = tf.linspace(-1.0, 1.0, 5)
    (line,) = plt.plot(x, tf.nn.sigmoid(x))
    assert len(line.get_xdata()) == 5
    plt.close("all")

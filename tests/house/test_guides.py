"""Every example of the guides runs when it is pasted alone into a new program, and prints what it says."""

from __future__ import annotations

import contextlib
import doctest
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import tapegrad as tf

ROOT = Path(__file__).resolve().parents[2]
# Where tools/install_keras.py puts Keras.
KERAS = Path(sys.prefix) / "keras"

# Pages for people who change tapegrad: their examples are parts of its modules.
ABOUT_THE_CODE = {"adding-an-op.md", "style.md"}
# What an example imports that is no part of a test environment.
ELSEWHERE = {"keras": KERAS.is_dir(), "sklearn": find_spec("sklearn") is not None}

# As in pyproject.toml.
FLAGS = doctest.NORMALIZE_WHITESPACE

BLOCK = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples(*, sessions: bool) -> list[object]:
    """The blocks of all guides, each with a name: sessions, which begin with >>>, or programs."""
    blocks = []
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = page.read_text()
        for match in BLOCK.finditer(text):
            line = text.count("\n", 0, match.start()) + 2
            if (">>>" in match[1]) == sessions and page.name not in ABOUT_THE_CODE:
                blocks.append(pytest.param(match[1], id=f"{page.name}:{line}"))
    return blocks


@pytest.mark.parametrize("text", examples(sessions=True))
def test_sessions_run_alone(text: str, tmp_path: Path) -> None:
    np.random.seed(None)
    tf.random.set_seed(None)
    session = doctest.DocTestParser().get_doctest(
        text, {"__name__": "__main__"}, "session", None, 0
    )
    printed: list[str] = []
    with contextlib.chdir(tmp_path):
        failed = (
            doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
            .run(session, out=printed.append)
            .failed
        )
    assert not failed, "".join(printed)


@pytest.mark.long
@pytest.mark.parametrize("text", examples(sessions=False))
def test_programs_run_alone(text: str, tmp_path: Path) -> None:
    for package, present in ELSEWHERE.items():
        if re.search(rf"\b{package}\b", text) and not present:
            pytest.skip(f"{package} is not installed")
    (tmp_path / "program.py").write_text(text)
    finished = subprocess.run(
        [sys.executable, "program.py"],
        cwd=tmp_path,
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join([str(Path(tf.__file__).resolve().parents[1]), str(KERAS)])
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert finished.returncode == 0, finished.stderr


def test_no_example_is_indented() -> None:
    """One inside of a list would be asked by no test here, and be shown as text by the site."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    assert not [page.name for page in pages if re.search(r"^ +```", page.read_text(), re.MULTILINE)]

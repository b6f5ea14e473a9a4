"""The programs of docs/distributed.md run as they are printed, with several ranks and with one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_ranks import needs_mpi, run
from tests.keras_runs.test_keras import KERAS, needs_keras

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "distributed.md"
PROGRAMS = re.findall(
    r"^```python\n(.*?)^```", DOCUMENT.read_text(), flags=re.MULTILINE | re.DOTALL
)


def program(*parts: str) -> str:
    """The one program that holds all these."""
    (found,) = [each for each in PROGRAMS if all(part in each for part in parts)]
    return found


def test_every_program_of_the_document_is_run_here() -> None:
    assert len(PROGRAMS) == 5
    assert all(each.startswith("import tapegrad as tf\n") for each in PROGRAMS)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs run in a folder of their own, wherever the package is."""
    paths = map(os.path.abspath, filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    monkeypatch.chdir(tmp_path)


def alone(text: str, folder: Path) -> str:
    (folder / "program.py").write_text(text)
    found = subprocess.run(
        [sys.executable, "program.py"], capture_output=True, text=True, check=True
    )
    return found.stdout


def test_training_in_one_process(tmp_path: Path) -> None:
    both = [each for each in PROGRAMS if "weights" in each]
    assert len(both) == 2
    for text in both:
        assert alone(text, tmp_path) == "trained\n"
    assert (tmp_path / "weights.index").exists()


def test_ranks_that_are_threads(tmp_path: Path) -> None:
    assert alone(program("run_in_threads"), tmp_path) == "[6.0, 6.0, 6.0]\n"


@needs_mpi
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("DistributedGradientTape", "weights"), "trained\n"),
        (("all_reduce", "x = tf.fill"), "[1.5, 1.5]\n" * 2),
    ],
)
def test_programs_of_several_ranks(parts: tuple[str, ...], expected: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(program(*parts))
    status, out, err = run(2, str(tmp_path / "program.py"))
    # Two ranks print at once: the launcher may pass on both texts before their line ends.
    assert (status, out.replace("\n", "")) == (0, expected.replace("\n", "")), err


@needs_mpi
@needs_keras
def test_keras_on_several_ranks(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(program("model.fit"))
    status, out, err = run(
        2, str(tmp_path / "program.py"), PYTHONPATH=str(KERAS), KERAS_BACKEND="tensorflow"
    )
    assert status == 0, err
    assert out.count("Epoch 2/2") == 2

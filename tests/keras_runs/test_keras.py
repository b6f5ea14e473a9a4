"""Unmodified Keras on tapegrad prints what it prints on TensorFlow, for each program of keras_programs.

tools/install_keras.py, which `make test` runs, installs Keras into a folder that only these programs see.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.house.test_user_programs import differences, tolerance

FOLDER = Path(__file__).parents[1]
PROGRAMS = sorted((FOLDER / "keras_programs").glob("*.py"))
PRINTED = json.loads((FOLDER / "golden" / "keras.json").read_text())
EXCHANGE = FOLDER / "golden" / "exchange_keras.py"
MODELS = sorted((FOLDER / "golden" / "keras_models").glob("*.zip"))
KERAS = Path(sys.prefix) / "keras"


needs_keras = pytest.mark.skipif(
    find_spec("keras") is None and not (KERAS / "keras").exists(), reason="Keras is not installed"
)


def run(path: Path, *arguments: str) -> str:
    """What the program prints on tapegrad."""
    paths = [os.environ.get("PYTHONPATH", ""), str(KERAS)]
    finished = subprocess.run(
        [sys.executable, "-m", "tapegrad", str(path), *arguments],
        env={
            **os.environ,
            "KERAS_BACKEND": "tensorflow",
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        },
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.rstrip("\n")


@pytest.mark.long
@needs_keras
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program_prints_what_it_prints_on_tensorflow(path: Path) -> None:
    expected = "\n".join(PRINTED[path.stem])
    found = differences(run(path), expected, *tolerance(path))
    assert not found, "\n".join(found)


@pytest.mark.long
@needs_keras
@pytest.mark.parametrize(
    "path", sorted((FOLDER / "keras_checks").glob("*.py")), ids=lambda path: path.stem
)
def test_check_of_what_no_print_shows(path: Path) -> None:
    assert run(path) == "right"


@pytest.mark.long
@needs_keras
def test_models_that_tensorflow_saved_are_loaded_and_so_are_ours(tmp_path: Path) -> None:
    # That TensorFlow loads ours, golden/exchange_keras.py shows where TensorFlow is installed.
    theirs = str(FOLDER / "golden" / "keras_models")
    loaded = run(
        EXCHANGE, "load", theirs, "save", str(tmp_path), "load", str(tmp_path)
    ).splitlines()
    assert loaded[: len(loaded) // 2] == loaded[len(loaded) // 2 :]
    assert {line.split()[0] for line in loaded} == {path.stem for path in MODELS}
    assert [line.split(" ", 1)[1] for line in loaded if line.startswith("mlp")][:5] == [
        ".keras loaded",
        ".keras after a step",
        ".weights.h5 loaded",
        ".h5 loaded",
        ".json and .weights.h5 loaded",
    ]

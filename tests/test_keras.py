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

from test_user_programs import differences, tolerance

FOLDER = Path(__file__).parent
PROGRAMS = sorted((FOLDER / "keras_programs").glob("*.py"))
PRINTED = json.loads((FOLDER / "golden" / "keras.json").read_text())
KERAS = Path(sys.prefix) / "keras"


@pytest.mark.skipif(
    find_spec("keras") is None and not (KERAS / "keras").exists(), reason="Keras is not installed"
)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_program_prints_what_it_prints_on_tensorflow(path: Path) -> None:
    paths = [os.environ.get("PYTHONPATH", ""), str(KERAS)]
    finished = subprocess.run(
        [sys.executable, "-m", "tapegrad", str(path)],
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
    expected = "\n".join(PRINTED[path.stem])
    found = differences(finished.stdout.rstrip("\n"), expected, *tolerance(path))
    assert not found, "\n".join(found)

"""The programs of the gallery run, reach what they are for, and draw the pictures that the page shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tapegrad as tf

ROOT = Path(__file__).resolve().parents[2]
GALLERY = ROOT / "examples" / "gallery"
# Where tools/install_keras.py puts Keras.
KERAS = Path(sys.prefix) / "keras"

# The first numbers that a program prints, and the range of each.
RANGES = {
    "actor_critic": [(10, 60), (150, 500)],
    "autoencoder": [(150, 400), (20, 50)],
    "gaussian_process": [(-60, -45), (0.1, 0.2)],
    "integrated_gradients": [(0.95, 1.0), (0.0, 0.05)],
    "keras_model": [(0.95, 1.0), (0.0, 1e-6)],
    "neural_ode": [(0.5, 1.5), (0.0, 0.06)],
    "optimizers": [(1.0, 2.0), (0.0, 0.6), (0.0, 0.6), (0.0, 0.01)],
    "privacy": [(0.9, 1.0), (0.9, 1.0), (0.85, 1.0), (0.5, 0.95)],
    "regression": [(1.4, 1.6), (-0.6, -0.4), (0.9, 1.0)],
    "texture": [(0.0, 0.01), (0.0, 0.01), (0.0, 0.01)],
}
# Those that take more than ten seconds.
LONG = {"actor_critic", "autoencoder", "integrated_gradients", "optimizers", "texture"}


def test_every_program_is_tested_and_shown() -> None:
    programs = {path.stem for path in GALLERY.glob("*.py")}
    assert programs == RANGES.keys()
    page = (ROOT / "docs" / "gallery.md").read_text()
    assert set(re.findall(r"`examples/gallery/(\w+)\.py`", page)) == programs
    shown = set(re.findall(r"\(gallery/(\w+)\.(?:png|gif)\)", page))
    assert shown == programs == {path.stem for path in (ROOT / "docs" / "gallery").iterdir()}


@pytest.mark.long
@pytest.mark.parametrize(
    "program",
    [
        pytest.param(program, marks=[pytest.mark.slow] if program in LONG else [])
        for program in sorted(RANGES)
    ],
)
def test_a_program_reaches_its_end(program: str, tmp_path: Path) -> None:
    if program == "keras_model" and not KERAS.is_dir():
        pytest.skip("Keras is not installed")
    picture = tmp_path / ("picture.gif" if program == "optimizers" else "picture.png")
    paths = [
        str(Path(tf.__file__).resolve().parents[1]),
        *([str(KERAS)] if program == "keras_model" else []),
    ]
    finished = subprocess.run(
        [sys.executable, GALLERY / f"{program}.py", picture],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "MPLCONFIGDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert finished.returncode == 0, finished.stderr
    numbers = re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", finished.stdout)
    assert len(numbers) >= len(RANGES[program]), finished.stdout
    for number, (low, high) in zip(numbers, RANGES[program], strict=False):
        assert low <= float(number) <= high, finished.stdout
    assert picture.stat().st_size > 3000


@pytest.mark.long
def test_the_demo_tells_the_spirals_apart(tmp_path: Path) -> None:
    finished = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"],
        cwd=tmp_path,
        env=os.environ
        | {
            "PYTHONPATH": str(Path(tf.__file__).resolve().parents[1]),
            "MPLCONFIGDIR": str(tmp_path),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert finished.returncode == 0, finished.stderr
    assert (tmp_path / "demo.png").exists()
    right = re.search(r"([\d.]+) % of the points right", finished.stdout)
    assert right is not None
    assert float(right[1]) > 99.0

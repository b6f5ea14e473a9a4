"""What programs can do where an optional package is missing, and what is said where they cannot."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tapegrad import extras

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = ("tests/house/test_seeds.py", "tests/keras_runs/test_keras.py", "-k", "seeds or fit")

# Without SciPy: what a program begins with.
WITHOUT = "import sys; sys.modules['scipy'] = None\nimport tapegrad as tf\n"

# Calls that need SciPy -> who says so.
NEED_SCIPY = {
    "tf.autodiff.minimize(lambda x: x * x, [1.0])": "tf.autodiff.minimize()",
    "tf.linalg.logm(tf.constant([[2j, 1], [1, 2j]]))": "tf.linalg.logm()",
    "tf.linalg.lu(tf.eye(2))": "tf.linalg.lu()",
    "tf.linalg.sqrtm(tf.eye(2))": "tf.linalg.sqrtm()",
    "tf.linalg.tridiagonal_solve(tf.ones([3, 4]), tf.ones([4]))": "tf.linalg.tridiagonal_solve()",
    "tf.math.betainc(1.0, 0.0, 0.5)": "tf.math.betainc()",
    "tf.math.igamma(1.0, 2.0)": "tf.math.igamma()",
    "tf.math.igammac(1.0, 2.0)": "tf.math.igammac()",
    "tf.math.sobol_sample(2, 3)": "tf.math.sobol_sample()",
    "tf.signal.dct([1.0, 2.0])": "tf.signal.dct()",
    "tf.sparse.sparse_dense_matmul(tf.sparse.eye(2), tf.eye(2))": "tf.sparse.sparse_dense_matmul()",
}

# The results of NumPy's libraries, beside equations that they solve.
DO_NOT_NEED_SCIPY = """
import numpy as np

numbers = np.random.default_rng(4)
for dtype in ("float32", "float64", "complex64", "complex128"):
    near = 1e-3 if dtype in ("float32", "complex64") else 1e-9
    matrix = tf.constant(numbers.normal(size=(2, 150, 150)), dtype)
    positive = matrix @ tf.linalg.adjoint(matrix) + 150 * tf.eye(150, dtype=dtype)
    columns = matrix[..., :3]

    def close(x, y):
        assert np.abs((x - y).numpy()).max() < near * 300, dtype

    factor = tf.linalg.cholesky(positive)
    close(factor @ tf.linalg.adjoint(factor), positive)
    close(factor @ tf.linalg.triangular_solve(factor, columns), columns)
    solution = tf.linalg.triangular_solve(factor, columns, adjoint=True)
    close(tf.linalg.adjoint(factor) @ solution, columns)
    upper = tf.linalg.band_part(positive, 0, -1)
    close(upper @ tf.linalg.triangular_solve(upper, columns, lower=False), columns)
    q, r = tf.linalg.qr(matrix)
    close(q @ r, matrix)
    s, u, v = tf.linalg.svd(matrix)
    close(u * tf.cast(s, dtype)[:, None, :] @ tf.linalg.adjoint(v), matrix)
    e, v = tf.linalg.eigh(positive)
    close(positive @ v, v * tf.cast(e, dtype)[:, None, :])
    close(positive @ tf.linalg.solve(positive, columns), columns)
    small = matrix / 100
    close(tf.linalg.expm(small) @ tf.linalg.expm(-small), tf.eye(150, dtype=dtype))

x = tf.constant(numbers.normal(size=(5, 30)), tf.float32)
frequencies = tf.signal.rfft(x)
assert frequencies.dtype == tf.complex64
assert np.abs(frequencies.numpy() - np.fft.rfft(x.numpy())).max() < 1e-4
assert np.abs((tf.signal.irfft(frequencies) - x).numpy()).max() < 1e-5
assert tf.signal.stft(x, 16, 8).shape == (5, 2, 9)
assert tf.math.xlog1py([0.0, 0.0, 1.0], [-1.0, float("nan"), 0.0]).numpy().tolist() == [0, 0, 0]
tf.load()
assert "tapegrad.ops.linalg.decompositions" in sys.modules
"""


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", program, *map(str, arguments)],
        capture_output=True,
        text=True,
    )


def test_functions_that_need_scipy_name_the_extra() -> None:
    program = (
        f"{WITHOUT}for call in sys.argv[1:]:\n    try:\n        eval(call)\n        print('ran')\n"
    )
    finished = run(f"{program}    except ImportError as error:\n        print(error)", *NEED_SCIPY)
    assert finished.stdout.splitlines() == [
        f'{user} needs the package SciPy, which is not installed: pip install "tapegrad[scipy]".'
        for user in NEED_SCIPY.values()
    ], finished.stderr


def test_the_page_on_platforms_names_them() -> None:
    page = (ROOT / "docs" / "platforms.md").read_text()
    assert [user for user in NEED_SCIPY.values() if f"`{user}`" not in page] == []


def test_linear_algebra_and_transforms_do_not_need_scipy() -> None:
    finished = run(WITHOUT + DO_NOT_NEED_SCIPY)
    assert finished.returncode == 0, finished.stderr


@pytest.mark.long
def test_programs_and_training_by_keras_do_not_need_scipy(tmp_path: Path) -> None:
    # Python runs a module of this name when it starts, also in the processes that the tests start.
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['scipy'] = None\n")
    paths = [str(tmp_path), os.environ.get("PYTHONPATH", "")]
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *PROGRAMS],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stdout


def test_an_installed_package_that_fails_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "safetensors_of_a_test.py").write_text("import a_module_that_is_nowhere")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(extras.PACKAGES, "broken", ("Broken", "safetensors_of_a_test"))
    with pytest.raises(ModuleNotFoundError, match="a_module_that_is_nowhere"):
        extras.imported("broken", "safetensors_of_a_test", "This test")
    monkeypatch.setitem(extras.PACKAGES, "absent", ("Absent", "nothing_of_this_name"))
    message = (
        'This test needs the package Absent, which is not installed: pip install "tapegrad.absent."'
    )
    with pytest.raises(ImportError, match=message):
        extras.imported("absent", "nothing_of_this_name", "This test")

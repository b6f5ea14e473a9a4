"""NumPy's and SciPy's linear algebra runs on the calling thread, and leaves their libraries as they were."""

from __future__ import annotations

import ast
import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
import scipy.linalg
from scipy.linalg import _fblas

import tapegrad as tf
from samples import Run, family
from tapegrad.engines.numpy import blas, lapack

NAMES = [("scipy_", "64_"), ("scipy_", ""), ("", "64_"), ("", "")]
BEFORE = 3


class Setting:
    """The number of threads of the OpenBLAS that an extension was linked with."""

    def __init__(self, extension: Any) -> None:
        library = ctypes.CDLL(extension.__file__)
        for before, after in NAMES:
            try:
                self.get: Callable[[], int] = library[f"{before}openblas_get_num_threads{after}"]
                self.set: Callable[[int], Any] = library[f"{before}openblas_set_num_threads{after}"]
            except AttributeError:
                continue
            return
        pytest.skip("this BLAS is no OpenBLAS: it is left alone")


class Both:
    def __init__(self) -> None:
        numpys = sys.modules["numpy._core._multiarray_umath"]
        self.settings = [Setting(numpys), Setting(_fblas)]

    def get(self) -> list[int]:
        return [setting.get() for setting in self.settings]

    def set(self, count: int) -> None:
        for setting in self.settings:
            setting.set(count)


@pytest.fixture
def threads() -> Iterator[Both]:
    both = Both()
    start = both.get()
    blas.use("openblas")
    both.set(BEFORE)
    yield both
    for setting, count in zip(both.settings, start, strict=True):
        setting.set(count)
    blas.use(None)


def test_one_inside_and_as_before_after(threads: Both) -> None:
    assert lapack.OnOneThread(threads.get)() == [1, 1]
    assert threads.get() == [BEFORE] * 2


def test_an_exception_leaves_no_trace(threads: Both) -> None:
    def fail() -> None:
        assert threads.get() == [1, 1]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lapack.OnOneThread(fail)()
    assert threads.get() == [BEFORE] * 2
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linalg.inv(tf.zeros([3, 3]))
    assert threads.get() == [BEFORE] * 2


def test_calls_inside_calls(threads: Both) -> None:
    inner = lapack.OnOneThread(threads.get)

    def outer() -> list[list[int]]:
        tf.matmul(tf.ones([9, 9]), tf.ones([9, 9]))
        return [inner(), threads.get()]

    assert lapack.OnOneThread(outer)() == [[1, 1], [1, 1]]
    assert threads.get() == [BEFORE] * 2


def test_whoever_leaves_last_puts_it_back(threads: Both) -> None:
    inside, leave = threading.Event(), threading.Event()

    def wait() -> None:
        inside.set()
        leave.wait()

    other = threading.Thread(target=lapack.OnOneThread(wait))
    other.start()
    inside.wait()
    assert lapack.OnOneThread(threads.get)() == [1, 1]
    assert threads.get() == [1, 1]
    leave.set()
    other.join()
    assert threads.get() == [BEFORE] * 2


def test_many_threads_at_once(threads: Both) -> None:
    matrix = np.random.default_rng(0).standard_normal((30, 30))
    definite = tf.constant(matrix @ matrix.T + np.eye(30))
    expected = tf.linalg.cholesky(definite).numpy()
    wrong = []

    def work() -> None:
        for _ in range(50):
            factor = tf.linalg.cholesky(definite)
            wrong.extend([1] * (not np.array_equal(factor, expected)))
            tf.linalg.sqrtm(definite)
            tf.matmul(factor, factor)

    callers = [threading.Thread(target=work) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong
    assert threads.get() == [BEFORE] * 2


def test_a_number_that_somebody_sets_meanwhile_stays(threads: Both) -> None:
    lapack.OnOneThread(threads.set)(2)
    assert threads.get() == [2, 2]


def test_whoever_leaves_products_to_numpy_keeps_its_threads(threads: Both) -> None:
    blas.use("numpy")
    assert lapack.OnOneThread(threads.get)() == [BEFORE] * 2


def test_the_bits_do_not_depend_on_the_number(threads: Both) -> None:
    matrix = np.random.default_rng(1).standard_normal((400, 400))
    square = tf.constant(matrix)
    definite = tf.constant(matrix @ matrix.T + np.eye(400))

    def results(count: int) -> list[bytes]:
        threads.set(count)
        found = [
            tf.linalg.cholesky(definite),
            tf.linalg.triangular_solve(definite, square),
            tf.linalg.solve(square, definite),
            tf.linalg.lu(square).lu,
            tf.linalg.eigvalsh(definite),
            tf.nn.l2_loss(square),
        ]
        return [tensor.numpy().tobytes() for tensor in found]

    assert results(1) == results(2) == results(4)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_the_child_of_a_fork_puts_back_what_a_thread_of_its_parent_owed(threads: Both) -> None:
    inside, leave = threading.Event(), threading.Event()

    def wait() -> None:
        inside.set()
        leave.wait()

    other = threading.Thread(target=lapack.OnOneThread(wait))
    other.start()
    inside.wait()
    child = os.fork()
    if child == 0:
        during = lapack.OnOneThread(threads.get)()
        os._exit(0 if (during, threads.get()) == ([1, 1], [BEFORE] * 2) else 1)
    leave.set()
    other.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert threads.get() == [BEFORE] * 2


def test_a_fork_from_inside(threads: Both) -> None:
    def fork() -> bool:
        child = os.fork()
        if child == 0:
            return True
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        return False

    if lapack.OnOneThread(fork)():
        os._exit(0 if threads.get() == [BEFORE] * 2 else 1)
    assert threads.get() == [BEFORE] * 2


# Every op of the table that reaches LAPACK does so through `lapack`.
OF_NUMPY, OF_SCIPY = [
    str(Path(str(module.__file__)).parent) + os.sep for module in (np.linalg, scipy.linalg)
]


@pytest.mark.parametrize("sample", family("linalg"), ids=repr)
def test_every_op_enters(threads: Both, sample: Any) -> None:
    found = set()

    def look(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(OF_NUMPY):
            found.add(threads.get()[0])
        elif event == "call" and frame.f_code.co_filename.startswith(OF_SCIPY):
            found.update(threads.get())

    dtype = "float64" if "float64" in sample.dtypes else sample.dtypes[0]
    for case in sample.cases:
        run = Run(sample, case, dtype)
        tensors = run.tensors(tf)
        run(tf, tensors)  # imports what it needs, which reads many files of SciPy's
        sys.setprofile(look)
        try:
            run(tf, tensors)
        finally:
            sys.setprofile(None)
    assert found <= {1}
    assert threads.get() == [BEFORE] * 2


SOURCES = Path(tf.__file__).parent
# NumPy's functions that call BLAS, beside `matmul` (of which `xp.matmul` is ours).
CALL_BLAS = {"dot", "vdot", "inner", "tensordot", "vecdot", "matvec", "vecmat", "einsum", "convolve",
             "correlate", "matmul", "polyfit", "cov", "corrcoef"}  # fmt: skip


def ways_past_the_door(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            name = ast.unparse(node)
            owner = ast.unparse(node.value)
            if owner in ("np", "numpy") and node.attr in CALL_BLAS:
                yield name
            if owner == "np.linalg" and node.attr != "LinAlgError":
                yield name
            if owner == "xp" and node.attr in CALL_BLAS - {"matmul", "dot"}:
                yield name  # these two are ours
            if name == "scipy.linalg":
                yield name
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.endswith(".linalg"))
        elif isinstance(node, ast.ImportFrom):
            module = str(node.module)
            if module.startswith(("numpy.linalg", "scipy.linalg")):
                yield module


@pytest.mark.long
def test_there_is_no_other_way() -> None:
    allowed = {SOURCES / "engines" / "numpy" / "lapack.py", SOURCES / "testing.py"}
    found = [
        f"{path.relative_to(SOURCES)}: {way}"
        for path in sorted(SOURCES.rglob("*.py"))
        if path not in allowed
        for way in ways_past_the_door(ast.parse(path.read_text()))
    ]
    assert not found

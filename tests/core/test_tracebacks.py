"""The traceback of a failure shows the user's lines and none of ours, and one error where one says it all."""

from __future__ import annotations

import logging
import subprocess
import sys
import textwrap
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.core import tracebacks

HERE = __file__


@pytest.fixture(autouse=True)
def filtering() -> Iterator[None]:
    """The tests of this package are run with filtering off: see conftest.py."""
    tf.debugging.enable_traceback_filtering()
    yield
    tf.debugging.disable_traceback_filtering()


x = tf.ones([2, 3])
v = tf.Variable([1.0, 2.0])
# From the first ragged tensor on, public functions look for forms of it.
tf.ragged.constant([[1.0]])


def gradient_twice() -> None:
    with tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    tape.gradient(y, v)


def gradient_of(function: Callable[[Any], Any]) -> None:
    with tf.GradientTape() as tape:
        y = function(v)
    tape.gradient(y, v)


@tf.custom_gradient
def raises_in_its_gradient(value: Any) -> Any:
    def gradient(dy: Any) -> Any:
        raise KeyError("mine")

    return value * 2.0, gradient


@tf.custom_gradient
def too_many_gradients(value: Any) -> Any:
    return value * 2.0, lambda dy: (dy, dy)


@tf.custom_gradient
def raises(value: Any) -> Any:
    raise KeyError("mine")


@tf.function
def adds(value: Any) -> Any:
    return value + tf.ones([7])


def fails(*values: Any) -> Any:
    raise ValueError("mine")


def in_a_tape() -> None:
    with tf.GradientTape():
        tf.concat([x, tf.ones([3, 3, 3])], 0)


def in_a_thread() -> None:
    caught: list[BaseException] = []

    def work() -> None:
        try:
            tf.matmul(x, x)
        except tf.errors.InvalidArgumentError as error:
            caught.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    raise caught[0]


# A failure, and how many lines of the user's there are below the test's own.
FAILURES: dict[str, tuple[Callable[[], Any], int]] = {
    "matmul": (lambda: tf.matmul(x, x), 1),
    "matmul of lists": (lambda: tf.linalg.matmul([[1.0, 2.0]], [[1.0, 2.0]]), 1),
    "operator @": (lambda: x @ x, 1),
    "add": (lambda: tf.add(x, tf.ones([2, 2])), 1),
    "operator +": (lambda: x + tf.ones([2, 2]), 1),
    "operator of a list": (lambda: [1.0, 2.0] + x, 1),
    "reshape": (lambda: tf.reshape(x, [5]), 1),
    "wrong dtype": (lambda: x + tf.ones([2, 3], tf.int32), 1),
    "no such argument": (lambda: tf.tanh(x, axis=0), 1),
    "an item": (lambda: x[5], 1),
    "truth": (lambda: bool(x), 1),
    "constant": (lambda: tf.constant([1, 2, "a"]), 1),
    "convert": (lambda: tf.convert_to_tensor(x, tf.int32), 1),
    "a variable": (lambda: tf.Variable(None), 1),
    "assign": (lambda: v.assign([1.0, 2.0, 3.0]), 1),
    "assign_add": (lambda: v.assign_add([1.0, 2.0, 3.0]), 1),
    "gradient twice": (gradient_twice, 1),
    "gradient of nothing": (lambda: gradient_of(lambda value: "text"), 2),
    "a gradient that raises": (lambda: gradient_of(raises_in_its_gradient), 3),
    "too many gradients": (lambda: gradient_of(too_many_gradients), 2),
    "a function that raises": (lambda: raises(v), 2),
    "tf.function": (lambda: adds(v), 2),
    "py_function": (lambda: tf.py_function(fails, [v], tf.float32), 2),
    "numpy_function": (lambda: tf.numpy_function(fails, [v], tf.float32), 2),
    "while_loop": (lambda: tf.while_loop(lambda i: i < 3, fails, [tf.constant(0)]), 2),
    "map_fn": (lambda: tf.map_fn(fails, v), 2),
    "scan": (lambda: tf.scan(fails, v), 2),
    "cond": (lambda: tf.cond(tf.constant(True), fails, fails), 2),
    "jacobian": (lambda: tf.GradientTape().jacobian("text", v), 1),
    "inside a tape": (in_a_tape, 1),
    "in a thread": (in_a_thread, 2),
    "a missing name": (lambda: tf.mlir, 1),
    "a missing attribute": (lambda: x.reshape, 1),
    "a missing op": (lambda: tf.raw_ops.NoOpOfTheName, 1),
    "float": (lambda: float(x), 1),
}


def failure(call: Callable[[], Any]) -> Exception:
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing failed")


def lines_below(error: BaseException) -> list[str]:
    """The files of the lines below `failure`'s own."""
    return [line.filename for line in traceback.extract_tb(error.__traceback__)][1:]


@pytest.mark.parametrize("name", FAILURES)
def test_the_users_lines_are_shown_and_no_others(name: str) -> None:
    call, users = FAILURES[name]
    error = failure(call)
    assert lines_below(error) == [HERE] * users


@pytest.mark.parametrize("name", FAILURES)
def test_one_error_is_shown(name: str) -> None:
    printed = "".join(traceback.format_exception(failure(FAILURES[name][0])))
    assert printed.count("Traceback (most recent call last)") == 1


@pytest.mark.parametrize("name", ["matmul", "operator +", "assign", "map_fn"])
def test_all_lines_are_shown_with_filtering_off(name: str) -> None:
    tf.debugging.disable_traceback_filtering()
    files = lines_below(failure(FAILURES[name][0]))
    assert any("tapegrad" in file and file != HERE for file in files)


def test_every_thread_begins_with_filtering_on() -> None:
    tf.debugging.disable_traceback_filtering()
    seen: list[bool] = []
    thread = threading.Thread(
        target=lambda: seen.append(tf.debugging.is_traceback_filtering_enabled())
    )
    thread.start()
    thread.join()
    assert seen == [True]
    assert not tf.debugging.is_traceback_filtering_enabled()


@pytest.mark.parametrize("function", [lambda: tf.matmul(x, x), lambda: x + tf.ones([2, 2])])
def test_an_error_of_the_user_is_shown_with_what_came_of_it(function: Callable[[], Any]) -> None:
    try:
        try:
            raise KeyError("the user's")
        except KeyError:
            function()
    except tf.errors.InvalidArgumentError as error:
        printed = "".join(traceback.format_exception(error))
    assert "KeyError" in printed
    assert "During handling" in printed


def test_what_the_user_chains_stays_chained() -> None:
    try:
        try:
            tf.matmul(x, x)
        except tf.errors.InvalidArgumentError as error:
            raise RuntimeError("no product") from error
    except RuntimeError as error:
        printed = "".join(traceback.format_exception(error))
    assert "direct cause" in printed
    assert "tapegrad/" not in printed.replace("tests", "")


def test_lines_between_two_of_ours_are_the_users() -> None:
    def inner(value: Any) -> Any:
        return tf.map_fn(lambda row: np.vectorize(lambda number: fails())(row), value)

    error = failure(lambda: tf.py_function(inner, [x], tf.float32))
    functions = [line.name for line in traceback.extract_tb(error.__traceback__)][1:]
    assert functions[:2] == ["<lambda>", "inner"]
    assert functions[-1] == "fails"
    assert not [line for line in lines_below(error) if line.startswith(tracebacks.OURS)]


def test_interrupts_keep_their_lines() -> None:
    def interrupted(*values: Any) -> Any:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        tf.map_fn(interrupted, v)
    assert any(file.startswith(tracebacks.OURS) for file in lines_below(caught.value))


def test_what_python_prints() -> None:
    """Not the traceback module's words but the interpreter's, for an error that nobody catches."""
    program = textwrap.dedent(
        """
        import tapegrad as tf
        def product(x):
            return tf.matmul(x, x)
        product(tf.ones([2, 3]))
        """
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert finished.stderr.count("File ") == 2, finished.stderr
    assert finished.stderr.count("Traceback") == 1
    assert "Matrix size-incompatible" in finished.stderr


def test_logging_prints_the_same(caplog: pytest.LogCaptureFixture) -> None:
    try:
        tf.matmul(x, x)
    except tf.errors.InvalidArgumentError:
        logging.getLogger("test").exception("failed")
    assert caplog.text.count("File ") == 1


def test_hiding_needs_no_memory_that_grows() -> None:
    """The traceback must not keep what the hidden lines held."""
    import gc
    import weakref

    class Held:
        pass

    references = []

    def row(value: Any) -> Any:
        held = Held()
        references.append(weakref.ref(held))
        return tf.matmul(value, value)

    error = failure(lambda: tf.map_fn(row, v))
    assert references[0]() is not None  # the user's lines are there, with what they hold
    error.__traceback__ = None
    gc.collect()
    assert references[0]() is None


def test_the_place_of_the_package_is_what_is_compared() -> None:
    assert Path(tracebacks.OURS) == Path(tf.__file__).parent

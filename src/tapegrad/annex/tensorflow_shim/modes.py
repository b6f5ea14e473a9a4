"""``tensorflow.python.framework.test_util``: decorators that say where a test of a library runs.

A test for graphs runs in one. A test for graphs and eager code runs once, eagerly. A test for GPUs, or for
TensorFlow 1 alone, is skipped.
"""

from __future__ import annotations

import contextlib
import functools
import unittest
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from tapegrad.annex.tensorflow_shim.tools import unchanged
from tapegrad.functions.function import function
from tapegrad.symbolic.graphs import Graph

T = TypeVar("T")


def for_all_test_methods(
    decorator: Callable[..., Any], *args: Any, **kwargs: Any
) -> Callable[[T], T]:
    """A decorator of classes of test cases: a test becomes ``decorator(test, *args, **kwargs)``."""

    def decorated(cls: Any) -> Any:
        for name in unittest.defaultTestLoader.getTestCaseNames(cls):
            if name != "test_session":  # of tf.test.TestCase, and no test
                setattr(cls, name, decorator(getattr(cls, name), *args, **kwargs))
        return cls

    return decorated


def in_graph(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method of a test case in the block of a new `tf.Graph`."""

    @functools.wraps(method)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with Graph().as_default():
            return method(*args, **kwargs)

    return decorated


def deprecated_graph_mode_only(func: Any) -> Any:
    """``func`` in the block of a new `tf.Graph`.

    Args:
        func: a test, or a class of test cases, whose `setUp` and `tearDown` run in the graph too.
    """
    if isinstance(func, type):
        func.run = in_graph(func.run)  # type: ignore[attr-defined]
        return func
    return in_graph(func)


def run_all_in_deprecated_graph_mode_only(cls: T) -> T:
    """The class of test cases with each test in the block of a new `tf.Graph`."""
    return for_all_test_methods(in_graph)(cls)


def run_in_graph_and_eager_modes(func: Any = None, **settings: Any) -> Any:
    """A decorator of tests: they run once, as everything runs when it is called."""
    return unchanged if func is None else func


def run_v2_only(func: Any = None, reason: str | None = None) -> Any:
    """A decorator of tests for TensorFlow 2: they run."""
    return unchanged if func is None else func


def run_v1_only(reason: Any = None, func: Any = None) -> Any:
    """A decorator of tests for TensorFlow 1, and of classes of them: they are skipped."""
    if callable(reason):
        reason, func = None, reason
    skip = unittest.skip(reason or "Test is only compatible with v1")
    return skip if func is None else skip(func)


def run_gpu_only(func: T) -> T:
    """The test for GPUs, which is skipped."""
    return unittest.skip("Test requires GPU")(func)  # type: ignore[type-var]


def skip_if(condition: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of tests that do nothing if ``condition`` is true, or is true when they call it."""

    def decorator(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def asking(*args: Any, **kwargs: Any) -> Any:
            if condition() if callable(condition) else condition:
                return None
            return test(*args, **kwargs)

        return asking

    return decorator


def also_run_as_tf_function(f: Callable[..., Any]) -> Callable[..., None]:
    """The test, which is run eagerly and then in a `tf.function`."""

    @functools.wraps(f)
    def twice(*args: Any, **kwargs: Any) -> None:
        f(*args, **kwargs)

        def call() -> None:
            f(*args, **kwargs)

        function(call, autograph=False)()

    return twice


def run_in_v1_v2(device_to_use: str | None = None, **settings: Any) -> Callable[[T], T]:
    """A decorator of tests: they run once, as in TensorFlow 2."""
    return unchanged


@contextlib.contextmanager
def on_one_device(use_gpu: bool = False) -> Iterator[None]:
    """A block that chooses a device: there is one."""
    yield

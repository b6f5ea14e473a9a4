"""What lets TensorFlow run ops later, or by another executor. Here an op has run when its call returns."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from tapegrad import errors
from tapegrad.errors import refuse

PUBLIC = {"experimental": "async_clear_error async_scope function_executor_type"}

EXECUTORS = ("", "DEFAULT", "SINGLE_THREADED_EXECUTOR")


@contextlib.contextmanager
def async_scope() -> Iterator[None]:
    """A block whose ops have all run when it ends: each has run, or raised its error, when it was called.

    >>> with tf.experimental.async_scope():
    ...     y = tf.constant(1.0) + 1.0
    >>> float(y)
    2.0
    """
    yield


def async_clear_error() -> None:
    """Forget the error of an op that ran later. There is none: an op raises its error when it is called."""


@contextlib.contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """A block whose functions TensorFlow runs by the executor of this name. Here all functions run alike.

    Args:
        executor_type: the name of the executor; None or "" for the usual one.

    Raises:
        NotFoundError: TensorFlow has no such executor.
        InvalidArgumentError: the name is no string.
    """
    if executor_type is not None and not isinstance(executor_type, str):
        refuse(f"executor_type must be a string or None; {type(executor_type).__name__} came.")
    if executor_type is not None and executor_type not in EXECUTORS:
        refuse(
            f"There is no executor {executor_type!r}: executor_type is one of {EXECUTORS}, or None.",
            error=errors.NotFoundError,
        )
    yield

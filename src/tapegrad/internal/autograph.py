"""`tf.autograph`: Python runs functions as they stand, so there is nothing to convert and little to set."""

from __future__ import annotations

import enum
import inspect
import textwrap
from collections.abc import Callable
from typing import Any, overload

from tapegrad.framework.types import Parameters, Result

PUBLIC = {
    "autograph": "set_verbosity to_code to_graph trace",
    "autograph.experimental": "do_not_convert Feature set_loop_options",
    "__internal__.autograph": "control_status_ctx tf_convert",
}


class Feature(enum.Enum):
    """Parts of TensorFlow's conversion of functions, for programs that name them. They have no effect."""

    ALL = "ALL"
    AUTO_CONTROL_DEPS = "AUTO_CONTROL_DEPS"
    ASSERT_STATEMENTS = "ASSERT_STATEMENTS"
    BUILTIN_FUNCTIONS = "BUILTIN_FUNCTIONS"
    EQUALITY_OPERATORS = "EQUALITY_OPERATORS"
    LISTS = "LISTS"
    NAME_SCOPES = "NAME_SCOPES"


@overload
def do_not_convert(func: Callable[Parameters, Result]) -> Callable[Parameters, Result]: ...
@overload
def do_not_convert(func: None = None) -> Callable[[Result], Result]: ...
def do_not_convert(func: Any = None) -> Any:
    """``func`` itself: no function is converted.

    >>> @tf.autograph.experimental.do_not_convert
    ... def double(x):
    ...     return 2 * x
    >>> double(3)
    6
    """
    return do_not_convert if func is None else func


_UNSET: Any = object()


def set_loop_options(
    parallel_iterations: Any = _UNSET,
    swap_memory: Any = _UNSET,
    maximum_iterations: Any = _UNSET,
    shape_invariants: Any = _UNSET,
) -> None:
    """No effect: a loop is Python's own, which ends where its condition says."""


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """No effect: nothing is converted, so there is nothing to tell."""


def trace(*args: Any) -> None:
    """Print the values, as `print` does. In TensorFlow it runs while a function is traced."""
    print(*args)


def to_graph(
    entity: Callable[Parameters, Result],
    recursive: bool = True,
    experimental_optional_features: Any = None,
) -> Callable[Parameters, Result]:
    """``entity`` itself: it runs in graphs as it stands."""
    return entity


def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The source code that runs when ``entity`` is recorded: its own, as no function is converted.

    Raises:
        OSError: Python cannot find the source.
    """
    return textwrap.dedent(inspect.getsource(inspect.unwrap(entity)))


class Status(enum.Enum):
    """Whether functions are converted."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


class ControlStatusCtx:
    """Says whether functions are converted: nobody has specified it, because none is."""

    status = Status.UNSPECIFIED
    options = None

    def __enter__(self) -> ControlStatusCtx:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing was changed."""

    def __repr__(self) -> str:
        return f"ControlStatusCtx[status={self.status}, options={self.options}]"


def control_status_ctx() -> ControlStatusCtx:
    """Whether functions are converted.

    >>> tf.__internal__.autograph.control_status_ctx().status.name
    'UNSPECIFIED'
    """
    return ControlStatusCtx()


def tf_convert(
    f: Callable[Parameters, Result],
    ctx: Any,
    convert_by_default: bool = True,
    user_requested: bool = False,
) -> Callable[Parameters, Result]:
    """``f`` itself: no function is converted."""
    return f

"""`tf.autograph`: Python runs functions as they stand, so there is nothing to convert and little to set."""

from __future__ import annotations

import enum
import inspect
import textwrap
from collections.abc import Callable
from types import FunctionType
from typing import Any, overload

from tapegrad.core import Op
from tapegrad.framework.types import Parameters, Result
from tapegrad.ops.program import scopes

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

    Args:
        func: a function; None gives a decorator.
    """
    return do_not_convert if func is None else func


_UNSET: Any = object()


def set_loop_options(
    parallel_iterations: Any = _UNSET,
    swap_memory: Any = _UNSET,
    maximum_iterations: Any = _UNSET,
    shape_invariants: Any = _UNSET,
) -> None:
    """No effect: a loop is Python's own, which ends where its condition says.

    Args:
        parallel_iterations, swap_memory, maximum_iterations, shape_invariants: accepted, and of no effect.
            TensorFlow takes them for the `tf.while_loop` that it makes of the Python loop.
    """


def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """No effect: nothing is converted, so there is nothing to report.

    Args:
        level: how much TensorFlow reports. It is not looked at.
        alsologtostdout: accepted, and of no effect.
    """


def trace(*args: Any) -> None:
    """Print the values, as `print` does. In TensorFlow it runs while a function is traced.

    Args:
        *args: any objects.
    """
    print(*args)


def to_graph(
    entity: Any, recursive: bool = True, experimental_optional_features: Any = None
) -> Callable[..., Any]:
    """A function with the code of ``entity``, which runs as it stands.

    >>> def clipped(x):
    ...     return x if x > 0 else 0.0 * x
    >>> tf.autograph.to_graph(clipped)(tf.constant(-1.0)).numpy()
    np.float32(-0.0)

    Differs from TensorFlow: an op of tf is given back itself.

    Args:
        entity: A function, or a method, which loses its instance.
        recursive: Accepted.
        experimental_optional_features: Accepted.

    Raises:
        ValueError: ``entity`` is no function that is written in Python.
    """
    if isinstance(entity, Op):
        return entity
    function = getattr(entity, "__func__", entity)
    if not isinstance(function, FunctionType):
        raise ValueError(
            f"tf.autograph.to_graph() takes a function that is written in Python; {entity!r} came. "
            "Of a tf.function, pass its python_function; of a class, one of its methods."
        )
    name = f"tf__{function.__name__}"
    converted = FunctionType(
        function.__code__, function.__globals__, name, function.__defaults__, function.__closure__
    )
    converted.__kwdefaults__ = function.__kwdefaults__
    converted.__doc__, converted.__module__ = function.__doc__, function.__module__
    converted.__dict__.update(function.__dict__)
    return converted


def to_code(entity: Any, recursive: bool = True, experimental_optional_features: Any = None) -> str:
    """The source code that runs when ``entity`` is recorded: its own, as no function is converted.

    Args:
        entity: a function, a method or a class; decorators that have ``__wrapped__`` are left out.
        recursive, experimental_optional_features: accepted, and of no effect.

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
    """The conversion status: unspecified, because no function is converted."""

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
    """What is called in place of ``f``: itself, but while a function is saved, whose loops may be steps.

    Args:
        f: a function.
        ctx, convert_by_default, user_requested: accepted, and of no effect.
    """
    loops = scopes.current.loops
    return f if loops is None else loops.called(f)

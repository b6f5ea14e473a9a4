"""Name scopes, which prefix the names of variables, and the scopes of graphs that eager code enters."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from types import TracebackType
from typing import Any

from tapegrad import core
from tapegrad.framework import calls
from tapegrad.framework.inherited import inherited
from tapegrad.framework.missing_gradients import add_explanation
from tapegrad.framework.printed import Printed

PUBLIC = {
    ".": "executing_eagerly get_current_name_scope inside_function name_scope",
    ". compat.v1": "control_dependencies enable_eager_execution init_scope",
    "__internal__": "get_name_scope=get_current_name_scope",
}


class _Scope(threading.local):
    prefix = ""
    graph: Any = None  # where only shapes are computed
    tape: Any = None  # of the `tf.function` that runs, for `tf.gradients`
    sessions: tuple[
        Any, ...
    ] = ()  # the `tf.compat.v1.Session` blocks that are open, the innermost last
    finds_out = False  # whether a `tf.function` that runs is watched for a call of `tf.gradients`


_scope = inherited(_Scope())


def default_sessions() -> tuple[Any, ...]:
    """The sessions that are the default one in this thread, the innermost last."""
    return _scope.sessions


def set_default_sessions(sessions: tuple[Any, ...]) -> None:
    """Let these sessions be the default ones."""
    _scope.sessions = sessions


def current_scope() -> str:
    """The prefix of the name of a variable made now, such as ``"outer/inner/"`` or ``""``."""
    return _scope.prefix


def current_graph() -> Any:
    """The graph whose block this thread is in, or None: see `tapegrad.symbolic`."""
    return _scope.graph


def enter_graph(graph: Any) -> Any:
    """Make ``graph`` the one that this thread is in, None for none. Returns the one before."""
    before, _scope.graph = _scope.graph, graph
    return before


class NeedsTape(RuntimeError):
    """`tf.gradients` was called where no tape records. `tf.function` then repeats the call with a tape."""


def finds_out() -> bool:
    """Whether this thread is in such a block."""
    return _scope.finds_out


@contextmanager
def finding_out() -> Iterator[None]:
    """A block in which `tf.gradients` says by `NeedsTape` that it needs a tape."""
    before, _scope.finds_out = _scope.finds_out, True
    try:
        yield
    finally:
        _scope.finds_out = before


def lack_of_tape(message: str) -> RuntimeError:
    """What `tf.gradients` raises where no tape records."""
    return NeedsTape(message) if _scope.finds_out else RuntimeError(message)


def tape_of_function() -> Any:
    """The tape of the `tf.function` that runs, or None."""
    return _scope.tape


@contextmanager
def function_with_tape(tape: Any) -> Iterator[None]:
    """A block in which `tf.gradients` reads ``tape``."""
    before, _scope.tape = _scope.tape, tape
    try:
        yield
    finally:
        _scope.tape = before


def get_current_name_scope() -> str:
    """The name scopes that are open, outermost first: ``""`` if there are none.

    >>> with tf.name_scope("outer"), tf.name_scope("inner"):
    ...     print(tf.get_current_name_scope())
    outer/inner
    """
    return _scope.prefix.rstrip("/")


class name_scope(Printed):
    """A context in which the names of new variables begin with ``name/``. Scopes nest.

    >>> with tf.name_scope("layer") as scope:
    ...     weight = tf.Variable(1.0, name="weight")
    >>> scope, weight.name
    ('layer/', 'layer/weight:0')

    A name that ends in a slash, such as ``scope`` above, is taken as the whole prefix. So a scope can be
    entered again from anywhere. With the empty name there is no prefix at all. In the block of a graph, a
    name that was used there before gets a number: ``layer_1/``.

    Raises:
      ValueError: ``name`` is not a string.
    """

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise ValueError(
                "The name of a name_scope must be a string; "
                f"{name!r} came, a {type(name).__name__}."
            )
        self._name = name
        self._outer: list[
            str
        ] = []  # the prefixes to go back to; several, if the scope is entered again

    def _printed_state(self) -> str:
        return repr(self._name)

    @property
    def name(self) -> str:
        """The name as it was given."""
        return self._name

    def __enter__(self) -> str:
        outer = _scope.prefix
        self._outer.append(outer)
        if not self._name or self._name.endswith("/"):
            _scope.prefix = self._name
        else:
            path = _scope.prefix + self._name
            if _scope.graph is not None:
                path = _scope.graph.unique_scope(path)
            _scope.prefix = f"{path}/"
        core.enter_scope(outer, _scope.prefix)
        return _scope.prefix

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        inner, _scope.prefix = _scope.prefix, self._outer.pop()
        core.enter_scope(inner, _scope.prefix)
        if isinstance(error, ValueError):
            # Keras's optimizers work in a scope of this kind.
            add_explanation(error)


@contextmanager
def init_scope() -> Iterator[None]:
    """A context in which no tape of this thread records, and which is in no graph.

    What happens in it belongs to no `tf.function`: it happens once for each recording.

    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     with tf.init_scope():
    ...         y = x * x
    >>> print(tape.gradient(y, x))
    None
    """
    graph, held = enter_graph(None), core.hold_effects(False)
    try:
        with calls.outside(), core.no_recording(), core.left_function():
            yield
    finally:
        enter_graph(graph)
        core.hold_effects(held)


def control_dependencies(control_inputs: Any) -> AbstractContextManager[None]:
    """A context that changes nothing: ops run in the order in which they are called.

    In the block of a graph, what comes after an assignment is refused by a run, as the assignment is.

    >>> counter = tf.Variable(0)
    >>> with tf.control_dependencies([counter.assign_add(1)]):
    ...     print(counter.numpy())
    1

    Args:
      control_inputs: Values, which have been computed already, or None. Functions among them are called.

    Raises:
      TypeError: ``control_inputs`` is neither None nor something to iterate over.
    """
    if control_inputs is not None:
        for control in control_inputs:
            if callable(control):
                control()
        if _scope.graph is not None:
            return _scope.graph.after(control_inputs)  # type: ignore[no-any-return]
    return nullcontext()


def executing_eagerly() -> bool:
    """Whether this is outside of functions and graphs.

    Under `tf.function` it is False, as in TensorFlow, although ops give values there too.

    >>> tf.executing_eagerly()
    True
    """
    return _scope.graph is None and calls.current() is None


def inside_function() -> bool:
    """Whether this is in a `tf.function`, in the function of a data set, or in the block of a graph.

    >>> tf.inside_function(), bool(tf.function(tf.inside_function)())
    (False, True)
    """
    return _scope.graph is not None or calls.current() is not None


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Does nothing: eager execution is always on. Programs for TensorFlow 1.x call this.

    >>> tf.enable_eager_execution()

    Args:
        config, device_policy, execution_mode: accepted, and of no effect.
    """

"""`tf.__internal__.dispatch`: how functions of tf and of other libraries take classes of other libraries.

A function of another library under `add_dispatch_support` that raises a TypeError or a ValueError calls its
dispatchers, and then those for all functions. For a function of tf they are asked before it runs, where the
class of an argument is neither of Python, NumPy nor ours: so Keras 2 makes layers of functions that get its
symbolic tensors.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tapegrad import core
from tapegrad.framework.printed import Printed
from tapegrad.lazy import find

PUBLIC = {"__internal__.dispatch": "GlobalOpDispatcher OpDispatcher add_dispatch_support"}

_DISPATCHERS = "_tf_fallback_dispatchers"
_everywhere: list[Any] = []
_of_ours: dict[core.Function, list[Any]] = {}  # the dispatchers of functions of tf

# Classes for which nobody is asked: subclasses of these, and those that these packages define.
_PLAIN = (
    *(bool, int, float, complex, str, bytes, np.ndarray, np.generic),
    *(core.Tensor, core.VariableBase),
)
_PACKAGES = frozenset({"builtins", "ml_dtypes", "numpy", "tapegrad", "tensorflow"})


def _is_foreign(kind: type) -> bool:
    return kind.__module__.partition(".")[0] not in _PACKAGES and not issubclass(kind, _PLAIN)


def _ask(function: Any, own: Iterable[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What one of its ``own`` dispatchers, or those for all, give for ``function``; or NOT_SUPPORTED."""
    for dispatcher in own:
        result = dispatcher.handle(args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    for dispatcher in _everywhere:
        result = dispatcher.handle(function, args, kwargs)
        if result is not OpDispatcher.NOT_SUPPORTED:
            return result
    return OpDispatcher.NOT_SUPPORTED


def _answer(function: core.Function, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a dispatcher gives in place of a function of tf; NotImplemented if none does."""
    if function.__name__ == "get_static_value":
        # TensorFlow asks nobody: a tensor of another library has no value that is known.
        return None if find("is_tensor")(args[0] if args else kwargs["tensor"]) else NotImplemented
    result = _ask(function, _of_ours.get(function, ()), args, kwargs)
    return NotImplemented if result is OpDispatcher.NOT_SUPPORTED else result


class OpDispatcher(Printed):
    """Answers calls of one function. A subclass defines `handle`."""

    NOT_SUPPORTED = object()

    def handle(self, args: Any, kwargs: Any) -> Any:
        """The result of the call, or `NOT_SUPPORTED`."""
        return self.NOT_SUPPORTED

    def register(self, op: Any) -> None:
        """Let this dispatcher answer calls of ``op``, a function of tf or under `add_dispatch_support`.

        Differs from TensorFlow: a function of tf asks it before it runs, and not after it has failed.
        """
        if isinstance(op, core.Function):
            core.dispatch_by(_answer, _is_foreign)
            _of_ours.setdefault(op, []).append(self)
        else:
            getattr(op, _DISPATCHERS, []).append(self)


class GlobalOpDispatcher(Printed):
    """Answers calls of functions of tf, and of all under `add_dispatch_support`. A subclass has `handle`."""

    NOT_SUPPORTED = OpDispatcher.NOT_SUPPORTED

    def handle(self, op: Any, args: Any, kwargs: Any) -> Any:
        """The result of the call of ``op``, or `NOT_SUPPORTED`."""
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Let this dispatcher answer calls. Functions of tf ask it before they run."""
        core.dispatch_by(_answer, _is_foreign)
        _everywhere.append(self)


class _ForTypes(OpDispatcher):
    """Calls ``target`` where an argument is of one of ``types``."""

    def __init__(self, target: Callable[..., Any], types: tuple[type, ...]) -> None:
        self._target = target
        self._types = types

    def handle(self, args: Any, kwargs: Any) -> Any:
        if self._is_among((*args, *kwargs.values())):
            return self._target(*args, **kwargs)
        return self.NOT_SUPPORTED

    def _is_among(self, values: Any) -> bool:
        return any(
            isinstance(value, self._types)
            or (isinstance(value, (list, tuple)) and self._is_among(value))
            for value in values
        )


def dispatch_for_types(op: Any, *types: type) -> Callable[[Any], Any]:
    """A decorator: the function runs where ``op`` fails and an argument is of one of ``types``."""

    def decorator(target: Any) -> Any:
        if list(inspect.signature(op).parameters) != list(inspect.signature(target).parameters):
            raise AssertionError(
                f"The decorated function's signature must match that of {op.__name__}."
            )
        _ForTypes(target, types).register(op)
        return target

    return decorator


def add_dispatch_support(target: Any = None, iterable_parameters: Any = None) -> Any:
    """A decorator: what ``target`` refuses goes to dispatchers.

    >>> class Celsius:
    ...     degrees = 20.0
    >>> @tf.__internal__.dispatch.add_dispatch_support
    ... def doubled(x):
    ...     return tf.convert_to_tensor(x) * 2
    >>> class OfCelsius(tf.__internal__.dispatch.OpDispatcher):
    ...     def handle(self, args, kwargs):
    ...         return 2 * args[0].degrees
    >>> OfCelsius().register(doubled)
    >>> doubled(Celsius())
    40.0

    Args:
        target: the function that is decorated. Without it, the result is the decorator.
        iterable_parameters: accepted, and of no effect.
    """
    if target is None:
        return functools.partial(add_dispatch_support, iterable_parameters=iterable_parameters)

    @functools.wraps(target)
    def dispatching(*args: Any, **kwargs: Any) -> Any:
        try:
            return target(*args, **kwargs)
        except (TypeError, ValueError):
            result = _ask(dispatching, getattr(dispatching, _DISPATCHERS), args, kwargs)
            if result is OpDispatcher.NOT_SUPPORTED:
                raise
            return result

    setattr(dispatching, _DISPATCHERS, [])
    return dispatching

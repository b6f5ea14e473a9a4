"""`tf.__internal__.dispatch`: how functions of other libraries take composites, or types of their own.

A function under `add_dispatch_support` that raises a TypeError or a ValueError calls its dispatchers, and
then those for all functions. The functions of tf itself have overrides instead (`core.Function`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tapegrad.framework.printed import Printed

PUBLIC = {"__internal__.dispatch": "GlobalOpDispatcher OpDispatcher add_dispatch_support"}

_DISPATCHERS = "_tf_fallback_dispatchers"
_everywhere: list[Any] = []


class OpDispatcher(Printed):
    """Answers calls of one function. A subclass defines `handle`."""

    NOT_SUPPORTED = object()

    def handle(self, args: Any, kwargs: Any) -> Any:
        """The result of the call, or `NOT_SUPPORTED`."""
        return self.NOT_SUPPORTED

    def register(self, op: Any) -> None:
        """Let this dispatcher answer calls of ``op``, a function under `add_dispatch_support`.

        Differs from TensorFlow: the functions of tf, which are not, never call it.
        """
        getattr(op, _DISPATCHERS, []).append(self)


class GlobalOpDispatcher(Printed):
    """Answers calls of every function under `add_dispatch_support`. A subclass defines `handle`."""

    NOT_SUPPORTED = OpDispatcher.NOT_SUPPORTED

    def handle(self, op: Any, args: Any, kwargs: Any) -> Any:
        """The result of the call of ``op``, or `NOT_SUPPORTED`."""
        return self.NOT_SUPPORTED

    def register(self) -> None:
        """Let this dispatcher answer calls."""
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
            for dispatcher in getattr(dispatching, _DISPATCHERS):
                result = dispatcher.handle(args, kwargs)
                if result is not OpDispatcher.NOT_SUPPORTED:
                    return result
            for dispatcher in _everywhere:
                result = dispatcher.handle(dispatching, args, kwargs)
                if result is not OpDispatcher.NOT_SUPPORTED:
                    return result
            raise

    setattr(dispatching, _DISPATCHERS, [])
    return dispatching

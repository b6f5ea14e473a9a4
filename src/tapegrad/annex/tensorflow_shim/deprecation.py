"""Decorators for deprecated functions: ``tensorflow.python.util.deprecation``.

A library that uses them warns its users. The warnings go to TensorFlow's logger, once for each function.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from tapegrad.framework.logging import get_logger

F = TypeVar("F", bound=Callable[..., Any])


class Speaking(threading.local):
    """Whether this thread warns."""

    on = True


_SPEAKING = Speaking()
_WARNED: set[tuple[str, ...]] = set()


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """A block in which this thread does not warn of deprecated things."""
    before, _SPEAKING.on = _SPEAKING.on, False
    try:
        yield
    finally:
        _SPEAKING.on = before


def warn(message: str, *key: str, once: bool) -> None:
    if not _SPEAKING.on or (once and key in _WARNED):
        return
    _WARNED.add(key)
    get_logger().warning("%s", message)


def when(date: str | None) -> str:
    if date is not None and not re.fullmatch(r"20\d\d-[01]\d-[0123]\d", date):
        raise ValueError(f"deprecated: a date has the form YYYY-MM-DD; {date!r} came")
    return "in a future version" if date is None else f"after {date}"


def deprecated(date: str | None, instructions: str, warn_once: bool = True) -> Callable[[F], F]:
    """A decorator for a function or class that will go. ``instructions`` say what to use."""

    def decorate(target: F) -> F:
        name = target.__qualname__
        message = f"{name} is deprecated and will be removed {when(date)}.\n{instructions}"
        if isinstance(target, type):
            decorated: Any = target
            decorated.__init__ = wrapped(
                decorated.__init__, lambda *_: warn(message, name, once=warn_once)
            )
            return target
        return wrapped(target, lambda *_: warn(message, name, once=warn_once))

    return decorate


def wrapped(function: F, first: Callable[..., None]) -> F:
    """``function`` that calls ``first`` with its arguments before it runs."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        first(args, kwargs)
        return function(*args, **kwargs)

    return wrapper  # type: ignore[return-value]


def deprecated_args(
    date: str | None, instructions: str, *deprecated_arg_names_or_tuples: Any, **kwargs: Any
) -> Callable[[F], F]:
    """A decorator for a function with these deprecated arguments.

    A tuple holds a name and a value, with which the argument may be given.
    """
    once = kwargs.pop("warn_once", True)
    fine: dict[str, Any] = dict(
        entry if isinstance(entry, tuple) else (entry, None)
        for entry in deprecated_arg_names_or_tuples
    )
    unconditional = {
        entry for entry in deprecated_arg_names_or_tuples if not isinstance(entry, tuple)
    }

    def decorate(function: F) -> F:
        signature = inspect.signature(function)

        def look(args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
            arguments = signature.bind_partial(*args, **keywords).arguments
            arguments |= arguments.get("kwargs", {})
            for name in fine:
                if name in arguments and (name in unconditional or arguments[name] != fine[name]):
                    warn(
                        f"calling {function.__qualname__} with {name} is deprecated and will be "
                        f"removed {when(date)}.\n{instructions}",
                        function.__qualname__,
                        name,
                        once=once,
                    )

        return wrapped(function, look)

    return decorate


def deprecated_arg_values(
    date: str | None, instructions: str, warn_once: bool = True, **deprecated_kwargs: Any
) -> Callable[[F], F]:
    """A decorator for a function with these deprecated values of arguments."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)

        def look(args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
            arguments = signature.bind_partial(*args, **keywords).arguments
            for name, value in deprecated_kwargs.items():
                if name in arguments and arguments[name] == value:
                    warn(
                        f"calling {function.__qualname__} with {name}={value} is deprecated and "
                        f"will be removed {when(date)}.\n{instructions}",
                        function.__qualname__,
                        name,
                        once=warn_once,
                    )

        return wrapped(function, look)

    return decorate


def deprecated_alias(
    deprecated_name: str, name: str, func_or_class: F, warn_once: bool = True
) -> F:
    """``func_or_class`` under its old name, which warns."""
    message = f"{deprecated_name} is deprecated. Use {name} instead."
    if not isinstance(func_or_class, type):
        return wrapped(func_or_class, lambda *_: warn(message, deprecated_name, once=warn_once))
    base: Any = func_or_class
    set_up = wrapped(base.__init__, lambda *_: warn(message, deprecated_name, once=warn_once))
    names = {
        "__init__": set_up,
        "__module__": func_or_class.__module__,
        "__doc__": func_or_class.__doc__,
    }
    alias: Any = type(func_or_class)(func_or_class.__name__, (func_or_class,), names)
    return alias  # type: ignore[no-any-return]


def deprecated_argument_lookup(new_name: str, new_value: Any, old_name: str, old_value: Any) -> Any:
    """The value that was given under the new name or under the old one."""
    if old_value is not None:
        if new_value is not None:
            raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
        return old_value
    return new_value


def deprecated_endpoints(*args: str) -> Callable[[F], F]:
    """A decorator that returns the function itself: old names are not registered here."""
    return lambda function: function

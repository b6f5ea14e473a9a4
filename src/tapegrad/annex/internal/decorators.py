"""Decorators that say what they decorate, for functions of libraries: `tf.__internal__.decorator`."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

PUBLIC = {"__internal__.decorator": "make_decorator unwrap"}


class TFDecorator:
    """What a decorated function remembers: the function it was made of."""

    def __init__(
        self,
        decorator_name: str,
        target: Callable[..., Any],
        decorator_doc: str = "",
        decorator_argspec: Any = None,
    ) -> None:
        self.decorator_name = decorator_name
        self.decorated_target = target
        self.decorator_doc = decorator_doc
        self.decorator_argspec = decorator_argspec

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.decorated_target(*args, **kwargs)


def make_decorator(
    target: Callable[..., Any],
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: Any = None,
) -> Callable[..., Any]:
    """``decorator_func``, with the name and documentation of ``target``, for which it stands.

    >>> def double(x):
    ...     return 2 * x
    >>> decorated = tf.__internal__.decorator.make_decorator(double, lambda x: double(x) + 1)
    >>> decorated.__name__, decorated(3), tf.__internal__.decorator.unwrap(decorated)[1] is double
    ('double', 7, True)

    Args:
        target: the function that is decorated.
        decorator_func: what is called in its place. It is changed, and returned.
        decorator_name: the name of the decorator; that of the function that calls this one if None.
        decorator_doc: a text about the decorator, which the `TFDecorator` keeps.
        decorator_argspec: the arguments of ``decorator_func``, which the `TFDecorator` keeps.
    """
    if decorator_name is None:
        decorator_name = sys._getframe(1).f_code.co_name
    decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    decorated: Any = decorator_func
    decorated._tf_decorator = decorator
    try:
        functools.update_wrapper(decorated, target, updated=("__dict__",))
    except AttributeError:
        decorated.__wrapped__ = target
    decorated._tf_decorator = decorator
    if hasattr(target, "__signature__") or callable(target):
        # Python does not know the signature of some functions in C.
        with contextlib.suppress(TypeError, ValueError):
            decorated.__signature__ = inspect.signature(target)
    return decorator_func


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """The decorators around a function, from the outermost, and the function inside them.

    Args:
        maybe_tf_decorator: any object, mostly a function.
    """
    decorators: list[TFDecorator] = []
    current = maybe_tf_decorator
    while True:
        decorator: Any = current
        if not isinstance(current, TFDecorator):
            decorator = getattr(current, "_tf_decorator", None)
            if not isinstance(decorator, TFDecorator):
                return decorators, current
        decorators.append(decorator)
        current = decorator.decorated_target

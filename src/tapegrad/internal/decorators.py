"""Decorators that say what they decorate: `tf.__internal__.decorator`, which libraries use on their functions."""

from __future__ import annotations

import functools
import inspect
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
    """
    if decorator_name is None:
        decorator_name = inspect.stack()[1].function
    decorator = TFDecorator(decorator_name, target, decorator_doc, decorator_argspec)
    made: Any = decorator_func
    made._tf_decorator = decorator
    try:
        functools.update_wrapper(made, target, updated=("__dict__",))
    except AttributeError:
        made.__wrapped__ = target
    made._tf_decorator = decorator
    if hasattr(target, "__signature__") or callable(target):
        try:
            made.__signature__ = inspect.signature(target)
        except (TypeError, ValueError):
            pass  # Python cannot tell the signature of some functions in C
    return made


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """The decorators around a function, from the outermost, and the function inside them."""
    decorators: list[TFDecorator] = []
    current = maybe_tf_decorator
    while True:
        if isinstance(current, TFDecorator):
            decorator = current
        else:
            decorator = getattr(current, "_tf_decorator", None)
            if not isinstance(decorator, TFDecorator):
                return decorators, current
        decorators.append(decorator)
        current = decorator.decorated_target

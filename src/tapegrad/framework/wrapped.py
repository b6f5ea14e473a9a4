"""The signature of an object that wraps a function, for `inspect`."""

from __future__ import annotations

from typing import Any


class SignatureOfWrapped:
    """A ``__signature__`` for a class: of each instance, the signature of its ``__wrapped__``.

    `inspect.signature` looks at ``__wrapped__`` by itself; `inspect.getfullargspec` does not, and takes an
    object with ``__get__`` for a builtin method.
    """

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return None
        import inspect

        try:
            return inspect.signature(instance.__wrapped__)
        except (TypeError, ValueError) as error:  # some callables written in C have none
            raise AttributeError("the wrapped function has no signature") from error

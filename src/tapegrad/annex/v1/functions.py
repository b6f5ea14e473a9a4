"""Functions of TensorFlow 1.x whose arguments have other names, or another order, today: one row for each.

The rows are in ``annex/spellings.txt``. What is None is left out of the call, so that today's default holds.
The functions are made when they are first asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.annex.spellings import read, section, signature
from tapegrad.core import public
from tapegrad.lazy import find

# The name; then the path of today's function, and what the older function takes.
ROWS: dict[str, tuple[str, str]] = {}
for paths, row in section("functions"):
    path, _, takes = row.partition(" ")
    ROWS[paths.partition(",")[0].rpartition(".")[2]] = (path, takes)


def __getattr__(name: str) -> Any:
    """The function that the row ``name`` describes."""
    if name not in ROWS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return function(name, *ROWS[name])


def function(name: str, path: str, takes: str) -> Callable[..., Any]:
    """The function ``name`` of TensorFlow 1.x, which calls ``tf.path`` with its arguments."""
    defaults, targets = read(takes)
    shown = signature(defaults)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = shown.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        bound.apply_defaults()
        arguments: dict[str, Any] = {}
        words: dict[str, str] = {}
        for word, value in bound.arguments.items():
            if value is None or word not in targets:
                continue
            target = targets[word]
            if target in arguments:
                raise ValueError(f"Cannot specify both '{word}' and '{words[target]}'.")
            arguments[target], words[target] = value, word
        today: Callable[..., Any] = find(path)
        return today(**arguments)

    call.__name__ = call.__qualname__ = name
    vars(call)["__signature__"] = shown
    call.__doc__ = f"``tf.{path}``, by the arguments of TensorFlow 1.x."
    return public(call)

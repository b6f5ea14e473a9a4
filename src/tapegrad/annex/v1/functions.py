"""Functions of TensorFlow 1.x whose arguments have other names, or another order, today: one row for each.

The rows are in ``annex/spellings.txt``. What is None is left out of the call, so that today's default holds.
The functions are made when they are first asked for; what their docstrings say of arguments is what today's
functions say.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from tapegrad.annex.spellings import Arguments, read, section, signature
from tapegrad.core import REQUIRED, public, registry
from tapegrad.framework.docstrings import documented_arguments, with_arguments
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
    arguments = read(takes)
    defaults, targets = arguments
    shown = signature(defaults)

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            bound = shown.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        bound.apply_defaults()
        passed: dict[str, Any] = {}
        words: dict[str, str] = {}
        for word, value in bound.arguments.items():
            if value is None or word not in targets:
                continue
            target = targets[word]
            if target in passed:
                raise ValueError(f"Cannot specify both '{word}' and '{words[target]}'.")
            passed[target], words[target] = value, word
        today: Callable[..., Any] = find(path)
        return today(**passed)

    call.__name__ = call.__qualname__ = name
    vars(call)["__signature__"] = shown
    call.__doc__ = with_arguments(
        f"``tf.{path}``, by the arguments of TensorFlow 1.x.", descriptions(path, arguments)
    )
    return public(call)


def descriptions(path: str, arguments: Arguments) -> dict[str, str]:
    """What ``tf.path`` says of the arguments that the older function takes, in their words.

    An argument that today's function does not describe has no description here either.
    """
    defaults, targets = arguments
    # Under its raw name an op does not describe its arguments.
    today = registry[path.removeprefix("raw_ops.")] if path.startswith("raw_ops.") else find(path)
    described = documented_arguments(today.__doc__ or "")
    older = {target: word for word, target in targets.items() if target not in defaults}

    def in_older_words(text: str) -> str:
        return re.sub("``(\\w+)``", lambda name: f"``{older.get(name[1], name[1])}``", text)

    texts: dict[str, str] = {}
    for word, default in defaults.items():
        target = targets.get(word)
        if target is None:
            texts[word] = "accepted, and of no effect."
        elif target != word and target in defaults:
            texts[word] = f"the older name of ``{target}``: pass only one of the two."
            if default not in (None, REQUIRED):
                texts[word] = (
                    f"the older name of ``{target}``, {default!r} if left out. Whoever passes "
                    f"``{target}`` passes None here."
                )
        elif target in described:
            texts[word] = in_older_words(described[target])
    return texts

"""Ops by their types, as functions of arguments in order: ``tensorflow.python.ops.gen_math_ops.mat_mul``.

``internals.txt`` lists the types of a module, with ``function=type`` where the name of the function is not
the type in lower case. Behind every function is the op in `tf.raw_ops`, which takes keywords.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from inspect import signature
from typing import Any

from tapegrad.annex.raw import raw_ops

# Where a word of a type begins.
WORDS = re.compile(
    "(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[0-9]D)(?=[A-Z])"
)


def names_in(types: str) -> dict[str, str]:
    """What a module with these ``types`` holds: name -> type. Each op has two names."""
    names = {}
    for entry in types.split():
        function, _, type = entry.rpartition("=")
        names[type] = type
        names[function or WORDS.sub("_", type).lower()] = type
    return names


def all_names_in(types: str) -> dict[str, str]:
    """`names_in`, with the third name that each op has in TensorFlow: that of its function for tensors."""
    names = names_in(types)
    functions = [function for function, type in names.items() if function != type]
    return names | {f"{function}_eager_fallback": names[function] for function in functions}


def in_order(type: str) -> Callable[..., Any]:
    """The op ``type`` as a function that takes its arguments in order, or by name."""
    raw = getattr(raw_ops, type)
    parameters = tuple(signature(raw).parameters)

    @functools.wraps(raw)
    def call(*args: Any, **kwargs: Any) -> Any:
        if len(args) > len(parameters):
            raise TypeError(
                f"{type} takes {len(parameters)} arguments ({', '.join(parameters)}); {len(args)} came."
            )
        for name, value in zip(parameters, args, strict=False):
            if name in kwargs:
                raise TypeError(f"{type} got two values for its argument {name!r}.")
            kwargs[name] = value
        return raw(**kwargs)

    return call

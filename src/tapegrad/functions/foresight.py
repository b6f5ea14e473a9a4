"""Whether a function will call `tf.gradients`, as its code says: it then has a tape from the beginning."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from tapegrad.autodiff.graphs import gradients, hessians
from tapegrad.core.tracebacks import OURS
from tapegrad.functions.kinds import GenericFunction

__all__ = ["foresees_gradients"]

_MOST = 64  # functions that are looked at
_SOUGHT = {"gradients", "hessians"}


def foresees_gradients(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether `tf.gradients` or `tf.hessians` is named in the code of ``function``, or of what that names.

    That is looked up in its module, in modules that it names, in its closure, and in the class of its first
    argument. An answer may be wrong: code can call what it does not name, and name what it does not call.
    """
    bases = type(args[0]).__mro__ if args else ()
    methods = {name: value for base in reversed(bases) for name, value in vars(base).items()}
    waiting, known = [function], set[CodeType]()
    while waiting and len(known) < _MOST:
        current = _plain(waiting.pop())
        if current is None or current.__code__ in known:
            continue
        known.add(current.__code__)
        if current.__code__.co_filename.startswith(OURS):
            continue
        named = set(_names_in(current.__code__))
        found = _named_values(named, current.__globals__)
        if any(value is gradients or value is hessians for value in found):
            return True
        waiting.extend(found)
        waiting.extend([methods[name] for name in named if name in methods])
        for cell in current.__closure__ or ():
            try:
                waiting.append(cell.cell_contents)
            except ValueError:  # it is filled later
                continue
    return False


def _named_values(named: set[str], scope: dict[str, Any]) -> list[Any]:
    """What the names stand for in a module with these globals, and in the modules that they lead to."""
    found: list[Any] = []
    scopes, known = [scope], {id(scope)}
    while scopes:
        scope = scopes.pop()
        for name in named:
            value = scope.get(name)
            if issubclass(type(value), ModuleType):
                if id(vars(value)) not in known:
                    known.add(id(vars(value)))
                    scopes.append(vars(value))
                    # Our modules fill themselves when they are asked.
                    sought = named & _SOUGHT
                    found.extend([getattr(value, each, None) for each in sought])
            elif value is not None:
                found.append(value)
    return found


def _plain(value: Any) -> FunctionType | None:
    """The Python function behind ``value``, or None. Users' objects are never asked: they may raise."""
    type_ = type(value)
    if type_ is functools.partial:
        value = value.func
    elif issubclass(type_, GenericFunction):
        value = getattr(value, "_python_function", None)
    if type(value) is MethodType:
        value = value.__func__
    return value if type(value) is FunctionType else None


def _names_in(code: CodeType) -> Iterator[str]:
    """The names of globals and attributes that the code uses, and the functions that are defined in it."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)

"""Guesses from a function's code whether it calls `tf.gradients`: if so, it has a tape from the beginning."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from tapegrad.autodiff.graphs import gradients, hessians
from tapegrad.core.tracebacks import OURS
from tapegrad.functions.kinds import GenericFunction
from tapegrad.lazy import loaded_names

_MOST = 64  # functions that are looked at
_SOUGHT = {"gradients", "hessians"}


def foresees_gradients(function: Any, args: tuple[Any, ...]) -> bool:
    """Whether the code of ``function``, or of functions that it names, reads `tf.gradients` or `tf.hessians`.

    These are looked up in its module, in modules that it names, in its closure, and in the class of its first
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
        parts = list(_parts(current.__code__))
        if any(_reads_gradients(part, current.__globals__) for part in parts):
            return True
        named = {name for part in parts for name in part.co_names}
        waiting.extend(_named_values(named, current.__globals__))
        waiting.extend([methods[name] for name in named if name in methods])
        for cell in current.__closure__ or ():
            try:
                waiting.append(cell.cell_contents)
            except ValueError:  # it is filled later
                continue
    return False


def _parts(code: CodeType) -> Iterator[CodeType]:
    """The code, and the code of the functions defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _parts(constant)


def _reads_gradients(code: CodeType, scope: dict[str, Any]) -> bool:
    """Whether the code reads one of the two: a global of this ``scope``, or an attribute of a module."""
    if not _SOUGHT.intersection(code.co_names):
        return False
    import dis

    value: Any = None
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            value = scope.get(instruction.argval)
        elif instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and issubclass(
            type(value), ModuleType
        ):
            value = _attribute(value, instruction.argval)
        else:
            value = None
        if value is gradients or value is hessians:
            return True
    return False


def _attribute(module: ModuleType, name: str) -> Any:
    """The attribute of a module, or None. Only our modules may load names on access: others may raise."""
    names = loaded_names(module)
    ours = str(names.get("__file__")).startswith(OURS)
    return getattr(module, name, None) if ours else names.get(name)


def _named_values(named: set[str], scope: dict[str, Any]) -> list[Any]:
    """The values of the names in a module with these globals, and in the modules among these values."""
    values: list[Any] = []
    scopes, known = [scope], {id(scope)}
    while scopes:
        scope = scopes.pop()
        for name in named:
            value: Any = scope.get(name)
            if not issubclass(type(value), ModuleType):
                values.append(value)
            elif id(names := loaded_names(value)) not in known:
                known.add(id(names))
                scopes.append(names)
    return values


def _plain(value: Any) -> FunctionType | None:
    """The Python function behind ``value``, or None. Reads no other attributes: they may raise."""
    type_ = type(value)
    if type_ is functools.partial:
        value = value.func
    elif issubclass(type_, GenericFunction):
        value = getattr(value, "_python_function", None)
    if type(value) is MethodType:
        value = value.__func__
    return value if type(value) is FunctionType else None

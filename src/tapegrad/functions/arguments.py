"""Arguments of calls: arrays become tensors, specs describe them, and a function remembers those it met."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad.core import EagerTensor, Tensor, VariableBase, convert
from tapegrad.dtypes import DType
from tapegrad.framework import nest
from tapegrad.framework.spec import TensorSpec, TypeSpec

# What arguments and results may hold that stays as it is: no array is to be looked for in it.
AS_THEY_ARE = (EagerTensor, type(None))

# What arguments may be that a function remembers: no object, which it would keep alive.
_REMEMBERED = (TypeSpec, DType, bool, int, float, complex, str, bytes, type(None))


def has_tensors_alone(value: Any) -> bool:
    """Whether a value is made of tensors and None alone, in lists, tuples and dicts."""
    kind = type(value)
    if kind in AS_THEY_ARE:
        return True
    if kind is dict:
        sorted(value)  # as TensorFlow does: keys that cannot be sorted are a TypeError
        return all(has_tensors_alone(part) for part in value.values())
    return (kind is tuple or kind is list) and all(has_tensors_alone(part) for part in value)


def with_tensors(value: Any) -> Any:
    """An argument as the function gets it: arrays, alone or in nests, become tensors."""
    if has_tensors_alone(value):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        return convert(value)
    if type(value) in (list, tuple, dict):
        return nest.map_structure(
            lambda leaf: convert(leaf) if isinstance(leaf, (np.ndarray, np.generic)) else leaf,
            value,
        )
    return value


def canonical(value: Any, name: str) -> Any:
    """An argument with a spec for each tensor or array in it. Specs are named after the argument."""
    if type(value) in (list, tuple):
        parts = [canonical(part, f"{name}_{i}") for i, part in enumerate(value)]
        return parts if type(value) is list else tuple(parts)
    if isinstance(value, tuple):
        kind: Any = type(value)
        return kind(
            *[
                canonical(part, f"{name}_{field}")
                for field, part in zip(kind._fields, value, strict=True)
            ]
        )
    if isinstance(value, dict):
        return {key: canonical(part, f"{name}_{key}") for key, part in value.items()}
    if isinstance(value, TensorSpec):
        return TensorSpec(value.shape, value.dtype, value.name or name)
    if isinstance(value, VariableBase):
        return value
    if isinstance(value, (np.ndarray, np.generic)):
        value = convert(value)
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype, name)
    return getattr(value, "_type_spec", value)


def key_of(value: Any) -> Any:
    """A hashable key that is equal for equal canonical arguments."""
    if isinstance(value, TensorSpec):
        return (value.dtype.name, value.shape.rank, tuple(value.shape) if value.shape.rank else ())
    if isinstance(value, dict):
        return tuple([(key, key_of(part)) for key, part in value.items()])
    if isinstance(value, (list, tuple)):
        return (type(value), tuple([key_of(part) for part in value]))
    if isinstance(value, (int, float, str, bytes, type(None), TypeSpec)):
        return (type(value), repr(value))
    return id(value)


class SignaturesMet:
    """For which arguments a function was called and recorded: it is saved for these."""

    def __init__(self) -> None:
        # id of the instance whose method it is, or 0 -> (a reference to the instance, arguments by key)
        self._of_instance: dict[int, tuple[Any, dict[Any, Any]]] = {}

    def note(self, function: Callable[..., Any], args: Any, kwargs: Any) -> None:
        """Remember these arguments, unless an object is among them that would be kept alive."""
        import inspect
        import weakref

        try:
            signature = inspect.signature(function)
            bound = signature.bind(*args, **kwargs)
        except (TypeError, ValueError):
            return
        bound.apply_defaults()
        arguments, instance, reference = dict(bound.arguments), 0, None
        first = next(iter(arguments), None)
        if first in ("self", "cls") and args:
            of_instance, instance = self._of_instance, id(arguments[first])
            try:
                reference = weakref.ref(
                    arguments.pop(first), lambda _: of_instance.pop(instance, None)
                )
            except TypeError:
                return
        for name, parameter in signature.parameters.items():
            rest = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
            if rest and not arguments.get(name):
                arguments.pop(name, None)
        specs = {name: canonical(value, name) for name, value in arguments.items()}
        if all(isinstance(leaf, _REMEMBERED) for leaf in nest.flatten(specs)):
            _, known = self._of_instance.setdefault(instance, (reference, {}))
            known.setdefault(key_of(specs), specs)

    def of(self, instance: Any) -> list[dict[str, Any]]:
        """The arguments, by parameter, of calls as a method of ``instance``, if that is not None."""
        _, known = self._of_instance.get(0 if instance is None else id(instance), (None, {}))
        return list(known.values())

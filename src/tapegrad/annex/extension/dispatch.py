"""Lets functions of tf take the types of programs: `tf.experimental.dispatch_for_api` and its family.

A function that is given for a type becomes an override of the function of tf (`core.Function`): it answers
calls in which an argument has that type.
"""

from __future__ import annotations

import collections.abc
import functools
import sys
import typing
from collections.abc import Callable, Iterable
from inspect import BoundArguments, Signature, signature
from typing import Any, TypeVar

from tapegrad.core import Function, Tensor, load_ops
from tapegrad.framework import nest
from tapegrad.ops.program.maps import map_fn
from tapegrad.ops.shape.array import identity as tf_identity
from tapegrad.ops.shape.creation import is_tensor

PUBLIC = {
    "experimental": (
        "dispatch_for_api dispatch_for_binary_elementwise_apis "
        "dispatch_for_binary_elementwise_assert_apis dispatch_for_unary_elementwise_apis "
        "unregister_dispatch_for"
    ),
}

F = TypeVar("F", bound=Callable[..., Any])

Check = Callable[[BoundArguments], bool]


class Entry(typing.NamedTuple):
    """One function given for calls of a function of tf, and which calls it is for."""

    target: Callable[..., Any]
    fits: Callable[[BoundArguments], bool]
    call: Callable[[BoundArguments], Any]
    kinds: tuple[type, ...]


# Rooms that hold ops and the public functions made of them.
ROOMS = ("tapegrad.ops.", "tapegrad.io.")

# For each function of tf, what was given for it, the newest last.
_entries: dict[Any, list[Entry]] = {}


def types_in(annotation: Any) -> list[type]:
    """The classes that an annotation names, without tensors and Python's own types."""
    if isinstance(annotation, type) and typing.get_origin(annotation) is None:
        return [] if annotation is Tensor or annotation.__module__ == "builtins" else [annotation]
    return [kind for part in typing.get_args(annotation) for kind in types_in(part)]


def fits(value: Any, annotation: Any) -> bool:
    """Whether ``value`` is what ``annotation`` says."""
    if annotation is None:
        return value is None
    if annotation is Any:
        return True
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is None:
        if annotation is Tensor:
            return is_tensor(value) and not hasattr(type(value), "_nest_components")
        return isinstance(value, annotation)
    if origin is typing.Union or str(origin) == "<class 'types.UnionType'>":
        return any(fits(value, part) for part in parts)
    if origin in (list, collections.abc.Sequence, tuple):
        return isinstance(value, (list, tuple)) and all(fits(item, parts[0]) for item in value)
    if origin is collections.abc.Mapping or origin is dict:
        return isinstance(value, collections.abc.Mapping) and all(
            fits(item, parts[1]) for item in value.values()
        )
    return isinstance(value, origin)


def _names_a_tensor(annotation: Any) -> bool:
    return annotation is Tensor or bool(types_in(annotation))


@functools.cache
def _signature_of(api: Any) -> Signature:
    return signature(api)


@functools.cache
def functions_of(family: str) -> list[Any]:
    """The public functions that say ``dispatched=family``: ops, and functions made of ops."""
    load_ops()
    functions = {}
    for module in [sys.modules[name] for name in sorted(sys.modules) if name.startswith(ROOMS)]:
        for names in vars(module).get("PUBLIC", {}).values():
            for name in names.split():
                function = vars(module).get(name.rpartition("=")[2])
                if getattr(function, "dispatched", "no") == family:
                    functions[id(function)] = function
    return list(functions.values())


def register(api: Any, entry: Entry) -> None:
    """Let ``entry`` answer calls of ``api`` that fail otherwise."""
    _entries.setdefault(api, []).append(entry)
    for kind in entry.kinds:
        for type_ in (kind, *_below(kind)):
            api.override(type_, functools.partial(_answer, api))


def _below(kind: type) -> Iterable[type]:
    subclass: type
    for subclass in type.__subclasses__(kind):
        yield subclass
        yield from _below(subclass)


def inherit(cls: type) -> None:
    """Give a new class what was given for its base classes."""
    for api, entries in _entries.items():
        if any(issubclass(cls, entry.kinds) for entry in entries):
            api.override(cls, functools.partial(_answer, api))
    identity: Any = tf_identity
    identity.override(cls, _identity)
    if hasattr(cls, "__batch_encoder__"):
        from tapegrad.annex.extension.batching import map_rows

        function: Any = map_fn
        for kind in (cls, cls.Spec):  # type: ignore[attr-defined]
            function.override(kind, map_rows)


def _identity(_: Any, input: Any, name: str | None = None) -> Any:
    """`tf.identity` of a composite: of each tensor in it."""
    return nest.map_structure(tf_identity, input, expand_composites=True)


def _answer(api: Any, plain: Any, *args: Any, **kwargs: Any) -> Any:
    """The override of ``api``: the newest function given for such a call."""
    try:
        bound = _signature_of(api).bind(*args, **kwargs)
    except TypeError:
        return plain(*args, **kwargs)
    for entry in reversed(_entries.get(api, ())):
        if entry.fits(bound):
            return entry.call(bound)
    return plain(*args, **kwargs)


def _checked_api(api: Any) -> Any:
    if not isinstance(api, Function):
        raise ValueError(f"{api} does not support dispatch.")
    return api


def dispatch_for_api(api: Any, *signatures: dict[Any, Any]) -> Callable[[F], F]:
    """A decorator: the function runs in place of ``api`` where an argument has the type that it names.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.math.add, {"x": Masked, "y": Masked})
    ... def add_masked(x, y, name=None):
    ...     return Masked(x.values + y.values, x.mask & y.mask)
    >>> tf.add(Masked([1, 2], [True, True]), Masked([3, 4], [True, False])).mask.numpy().tolist()
    [True, False]

    Args:
      api: A function of tf.
      *signatures: For the names, or positions, of arguments, the types they must have. Without them, the
        annotations of the decorated function say so.

    Raises:
      ValueError: A signature names no argument of ``api``, or the function has other parameters than ``api``.
    """
    _checked_api(api)
    parameters = list(_signature_of(api).parameters)

    def named(annotations_by_parameter: dict[Any, Any]) -> dict[str, Any]:
        types = {}
        for key, annotation in annotations_by_parameter.items():
            if isinstance(key, int):
                if not 0 <= key < len(parameters):
                    raise ValueError(
                        f"signature dict contains an unexpected parameter position {key}; "
                        f"{_name(api)} has the parameters {parameters}"
                    )
                key = parameters[key]
            if key not in parameters:
                raise ValueError(
                    f"signature dict contains a parameter {key!r} that {_name(api)} has not: "
                    f"it has {parameters}"
                )
            types[key] = annotation
        return types

    def decorator(target: F) -> F:
        theirs = list(signature(target).parameters)
        if [name for name in theirs if name != "name"] != [
            name for name in parameters if name != "name"
        ][: len([name for name in theirs if name != "name"])]:
            raise ValueError(
                f"Dispatch function's signature {signature(target)} does not match API's "
                f"signature {_signature_of(api)}."
            )
        signature_list = list(signatures)
        if not signature_list:
            annotations = typing.get_type_hints(target)
            annotations.pop("return", None)
            annotations = {
                name: annotation
                for name, annotation in annotations.items()
                if name in parameters and _names_a_tensor(annotation)
            }
            signature_list = [annotations]
        if not any(
            types_in(annotation)
            for signature in signature_list
            for annotation in signature.values()
        ):
            raise ValueError(
                "must annotate at least one argument with a type that is no tensor: "
                f"signatures is {signature_list}"
            )
        for annotations_of_call in signature_list:
            types = named(annotations_of_call)
            kinds = tuple(
                dict.fromkeys(
                    kind for annotation in types.values() for kind in types_in(annotation)
                )
            )

            def matches(bound: BoundArguments, types: Any = types, kinds: Any = kinds) -> bool:
                values = bound.arguments
                return all(
                    name in values and fits(values[name], annotation)
                    for name, annotation in types.items()
                ) and any(_holds(values.get(name), kinds) for name in types)

            def call(bound: BoundArguments) -> Any:
                arguments = {
                    name: value for name, value in bound.arguments.items() if name in theirs
                }
                return target(**arguments)

            register(api, Entry(target, matches, call, kinds))
        return target

    return decorator


def _holds(value: Any, kinds: tuple[type, ...]) -> bool:
    if isinstance(value, kinds):
        return True
    if isinstance(value, (list, tuple)):
        return any(_holds(item, kinds) for item in value)
    if isinstance(value, collections.abc.Mapping):
        return any(_holds(item, kinds) for item in value.values())
    return False


def _name(api: Any) -> str:
    return str(getattr(api, "__name__", api))


def _for_family(family: str, annotations: tuple[Any, ...], handler: Callable[..., Any]) -> None:
    """Let ``handler(function, *first arguments)`` answer calls of every function of the family."""
    kinds = tuple(
        dict.fromkeys(kind for annotation in annotations for kind in types_in(annotation))
    )
    if not kinds:
        raise ValueError(f"a type that is no tensor is expected among {annotations}")
    for api in functions_of(family):
        parameters = list(_signature_of(api).parameters)
        first = parameters[: len(annotations)]
        if _name(api) == "sigmoid_cross_entropy_with_logits":
            first = ["labels", "logits"]
        elif _name(api) == "scalar_mul":
            first = ["scalar", "x"]

        def matches(bound: BoundArguments, first: Any = tuple(first)) -> bool:
            values = bound.arguments
            return all(
                name in values and fits(values[name], annotation)
                for name, annotation in zip(first, annotations, strict=True)
            )

        def call(bound: BoundArguments, api: Any = api, first: Any = tuple(first)) -> Any:
            values = dict(bound.arguments)
            operands = [values.pop(name) for name in first]

            def function(*replaced: Any) -> Any:
                return api(**dict(zip(first, replaced, strict=True)), **values)

            return handler(function if values else api, *operands)

        register(api, Entry(handler, matches, call, kinds))


def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[F], F]:
    """A decorator: the function runs in place of every elementwise function of one tensor, for ``x_type``.

    It gets the function of tf, to call on tensors, and the value.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    ... def elementwise(function, x):
    ...     return Masked(function(x.values), x.mask)
    >>> tf.abs(Masked([-1, 2], [True, False])).values.numpy().tolist()
    [1, 2]

    Args:
        x_type: a class that is no tensor, or an annotation such as ``typing.Union[A, B]`` that has one. It
            decides by the first argument of the elementwise function.
    """
    return _handles_family("unary", x=x_type)


def dispatch_for_binary_elementwise_apis(x_type: Any, y_type: Any) -> Callable[[F], F]:
    """A decorator: the function runs in place of every elementwise function of two tensors.

    It gets the function of tf, to call on tensors, and the two values, of these types.

    Args:
        x_type, y_type: classes, or annotations of them, of the first and the second argument. At least one
            has a class that is no tensor.
    """
    return _handles_family("binary", x=x_type, y=y_type)


def dispatch_for_binary_elementwise_assert_apis(x_type: Any, y_type: Any) -> Callable[[F], F]:
    """A decorator: the function runs in place of the assertions on two tensors.

    It gets the assertion, to call on tensors, and the two values, of these types.

    Args:
        x_type, y_type: classes, or annotations of them, of the first and the second argument. At least one
            has a class that is no tensor.
    """
    return _handles_family("assertion", x=x_type, y=y_type)


def _handles_family(family: str, **types: Any) -> Callable[[F], F]:
    """A decorator of a handler for functions of the family, whose first arguments are of these types."""

    def decorator(handler: F) -> F:
        _check_handler(handler, ("api_func", *types))
        _for_family(family, tuple(types.values()), handler)
        return handler

    return decorator


def _check_handler(handler: Callable[..., Any], expected: tuple[str, ...]) -> None:
    parameters = list(signature(handler).parameters)
    if len(parameters) != len(expected):
        raise ValueError(
            f"The decorated function's signature must have {len(expected)} parameters, as in "
            f"{expected}; it has {parameters}"
        )


def unregister_dispatch_for(dispatch_target: Callable[..., Any]) -> None:
    """Undo what a decorator of this family did with ``dispatch_target``.

    Args:
        dispatch_target: the function below the decorator.

    Raises:
        ValueError: It was given for no function.
    """
    removed = False
    for entries in _entries.values():
        kept = [entry for entry in entries if entry.target is not dispatch_target]
        removed = removed or len(kept) < len(entries)
        entries[:] = kept
    if not removed:
        raise ValueError(
            f"Function {dispatch_target} was not registered with a dispatch decorator."
        )

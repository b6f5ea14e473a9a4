"""Flattens the arguments and results of users' functions for recordings.

The core records, replays and looks up (`tapegrad.core.recorder`, `replay`, `signatures`). This module turns
arguments and results, which may be any nests, into lists for the core.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

import numpy as np

from tapegrad import core
from tapegrad.core import EagerTensor, Tensor, VariableBase, convert
from tapegrad.core.recorder import Recorder
from tapegrad.core.replay import MISS
from tapegrad.core.signatures import MADE_ONCE, Cache
from tapegrad.core.steps import Path
from tapegrad.framework import nest
from tapegrad.ops.shape.array import identity

__all__ = [
    "MADE_ONCE",
    "MISS",
    "Cache",
    "Recorder",
    "given_back",
    "label",
    "path_of",
    "rename",
    "results_of",
    "template_of",
]


_ARGUMENTS = nest.Walker(
    lambda type_: (
        nest.COMPOSITE if hasattr(type_, "_nest_components") else nest.container_kind(type_)
    )
)


def rename(args: Any, kwargs: Any, taped: bool) -> Any:
    """The arguments with a new identity for each tensor, in the order in which the core finds them.

    To tapes in the function, an argument is another tensor than the same one captured: as in TensorFlow.
    """

    def renamed(leaf: Any) -> Any:
        if type(leaf) is EagerTensor:
            return identity(leaf) if taped else core.alias(leaf)
        return convert(leaf) if isinstance(leaf, (np.ndarray, np.generic)) else leaf

    return _ARGUMENTS.map(renamed, args), _ARGUMENTS.map(renamed, kwargs)


def tensors_in(args: Any, kwargs: Any) -> list[EagerTensor]:
    """The tensors among arguments, in the order in which the core finds them."""
    return [leaf for leaf in _ARGUMENTS.flatten((args, kwargs)) if type(leaf) is EagerTensor]


_SIMPLE = (type(None), bool, int, float, str, bytes)


def canonical(function: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments with as many as possible by position, defaults too. Those by keyword are sorted.

    So equal calls have equal signatures. If a call is wrong, or a default may change, the arguments are
    returned unchanged.
    """
    if len(kwargs) > 1:
        kwargs = {name: kwargs[name] for name in sorted(kwargs)}
    code = getattr(function, "__code__", None)
    if code is None or not hasattr(function, "__kwdefaults__"):
        return args, kwargs
    bound = int(isinstance(function, MethodType))  # its first argument is not among these
    names, defaults = code.co_varnames[bound : code.co_argcount], function.__defaults__ or ()
    left = dict(kwargs)
    more = []
    for place in range(len(args), len(names)):
        if names[place] in left and place + bound >= code.co_posonlyargcount:
            more.append(left.pop(names[place]))
            continue
        number = place - len(names) + len(defaults)
        if number < 0 or type(defaults[number]) not in _SIMPLE:
            return args, kwargs
        more.append(defaults[number])
    for name, default in (function.__kwdefaults__ or {}).items():
        if name not in left:
            if type(default) not in _SIMPLE:
                return args, kwargs
            left[name] = default
    if len(left) > 1:
        left = {name: left[name] for name in sorted(left)}
    return (*args, *more), left


def traces_of(traced: dict[Any, bool], one_graph: bool, relaxed: bool) -> int:
    """How often TensorFlow would have traced a function for the signatures of its calls."""
    again = int(any(traced.values()))
    if one_graph:
        return min(len(traced), 1) + again
    if not relaxed:
        return len(traced) + again
    count = 0
    general: dict[
        Any, list[Any]
    ] = {}  # signature without shapes -> its shapes so far, made more general
    for key in traced:
        shapes: list[Any] = []
        form = _without_shapes(key, shapes)
        known = general.get(form)
        if known is None:
            general[form] = shapes
            count += 1
        elif (wider := [_common(*pair) for pair in zip(known, shapes, strict=True)]) != known:
            general[form] = wider
            count += 1
    return count + again


def _without_shapes(key: Any, shapes: list[Any]) -> Any:
    if type(key) is not tuple:
        return key
    if key and type(key[0]) is int and all(type(part) is int for part in key):  # a tensor
        shapes.append(key[1:])
        return key[0]
    return tuple([_without_shapes(part, shapes) for part in key])


def _common(first: Any, second: Any) -> Any:
    """The shape that covers both; None of unknown rank."""
    if first is None or len(first) != len(second):
        return None
    return tuple([one if one == other else None for one, other in zip(first, second, strict=True)])


def results_of(result: Any) -> tuple[list[EagerTensor] | None, Any]:
    """The tensors of a result, and a function that builds such a result; None for a single tensor.

    Returns None and the reason for a result that cannot be rebuilt.
    """
    tensors: list[EagerTensor] = []
    if type(result) is EagerTensor:
        return [result], None
    try:
        build = _builder(result, tensors)
    except TypeError as error:
        return None, str(error)
    return tensors, build


def template_of(tensors: list[EagerTensor], build: Any, recorder: Recorder) -> Any:
    """What makes the result of a replay. For constants it makes new tensors, which users may watch."""
    constant = [place for place, tensor in enumerate(tensors) if recorder.is_constant(tensor)]
    if not constant:
        return build

    def build_with_constants(values: list[EagerTensor]) -> Any:
        for place in constant:
            values[place] = core.alias(values[place])
        return values[0] if build is None else build(values)

    return build_with_constants


def path_of(
    function: Callable[..., Any],
    args: list[Any],
    kwargs: dict[str, Any],
) -> Path | None:
    """A recording of one call, whose inputs are the tensors in its arguments. None if it is refused."""
    args, kwargs = rename(args, kwargs, False)
    leaves = _ARGUMENTS.flatten([*args, *kwargs.values()])
    recorder = Recorder([leaf for leaf in leaves if type(leaf) is EagerTensor], False)
    with recorder:
        result = function(*args, **kwargs)
    results, build = results_of(result)
    if results is None or recorder.reason is not None:
        return None
    return recorder.finish(results, template_of(results, build, recorder))


def given_back(
    result: Any, tensors: list[EagerTensor], build: Any, recorder: Recorder, token: Any
) -> Any:
    """The result of a recorded call. An argument among the tensors is returned as the same object."""
    inputs = [recorder.input_of(tensor) for tensor in tensors]
    if all(place < 0 for place in inputs):
        return result
    values = [
        tensor if place < 0 else token[2][place]
        for place, tensor in zip(inputs, tensors, strict=True)
    ]
    return values[0] if build is None else build(values)


def _builder(result: Any, tensors: list[EagerTensor]) -> Callable[[list[Any]], Any]:
    """A function that builds such a result from its tensors. Those of ``result`` are added to ``tensors``.

    Every replay calls it. A dict of two tensors takes 0.3 µs so, and 3 µs with a `nest.Walker`, which looks
    at the result again.
    """
    kind = type(result)
    if kind is EagerTensor:
        place = len(tensors)
        tensors.append(result)
        return lambda values: values[place]
    if result is None:
        return lambda values: None
    if kind is tuple or kind is list:
        first = len(tensors)
        if all(type(part) is EagerTensor for part in result):
            tensors.extend(result)
            last = len(tensors)
            return lambda values: kind(values[first:last])
        parts = [_builder(part, tensors) for part in result]
        return lambda values: kind([part(values) for part in parts])
    if kind is dict:
        items = [(key, _builder(part, tensors)) for key, part in result.items()]
        return lambda values: {key: part(values) for key, part in items}
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        parts = [_builder(part, tensors) for part in result]
        return lambda values: kind(*[part(values) for part in parts])
    if hasattr(result, "_nest_components"):
        leaves = nest.flatten(result, expand_composites=True)
        if all(type(leaf) is EagerTensor for leaf in leaves):
            anew = nest.pack_sequence_as(
                result, [core.alias(leaf) for leaf in leaves], expand_composites=True
            )
            if anew._type_spec != result._type_spec:
                raise TypeError(f"it returns a {kind.__name__} that knows more than its tensors")
            first = len(tensors)
            tensors.extend(leaves)
            last = len(tensors)
            if all(type(part) is EagerTensor for part in result._nest_components()):
                return lambda values: result._nest_rebuild(values[first:last])
            return lambda values: nest.pack_sequence_as(
                result, values[first:last], expand_composites=True
            )
    raise TypeError(f"it returns a {kind.__name__}")


def label(args: Any, kwargs: Any) -> str:
    """The arguments of a call, for people."""
    parts = [_shown(value) for value in args]
    parts.extend([f"{name}={_shown(value)}" for name, value in kwargs.items()])
    return ", ".join(parts)


def _shown(value: Any) -> str:
    if type(value) is EagerTensor:
        return f"{value.dtype.name}{list(value._shape_tuple())}"
    if type(value) is tuple or type(value) is list:
        inside = ", ".join([_shown(part) for part in value])
        return f"({inside})" if type(value) is tuple else f"[{inside}]"
    if type(value) is dict:
        return "{" + ", ".join([f"{key!r}: {_shown(part)}" for key, part in value.items()]) + "}"
    if isinstance(value, (int, float, str, bytes, type(None))):
        text = repr(value)
        return text if len(text) <= 40 else f"{text[:37]}..."
    if isinstance(value, Tensor):
        return f"{value.dtype.name}{value.shape}"
    if hasattr(value, "element_spec"):
        return f"a {type(value).__name__} of {value.element_spec}"
    if isinstance(value, VariableBase):
        return f"the variable {value.name}"  # type: ignore[attr-defined]
    return f"a {type(value).__name__}"

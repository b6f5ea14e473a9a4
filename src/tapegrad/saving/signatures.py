"""The signatures of a saved model: functions that take tensors by keyword, and give dicts of tensors."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple

from tapegrad.core import Tensor
from tapegrad.framework import nest
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.functions.components import components
from tapegrad.functions.concrete import ConcreteFunction
from tapegrad.functions.kinds import GenericFunction
from tapegrad.saving.objects import Graph, free_name
from tapegrad.symbolic.tensors import NeedsValues

DEFAULT = "serving_default"
# The attribute in which Keras's models have the function that is the default one.
DEFAULT_OF_KERAS = "_default_save_signature"


class Signature(NamedTuple):
    """A concrete function, and the names of its inputs and outputs, in order."""

    function: Any
    inputs: list[str]
    outputs: list[str]


def collect_signatures(graph: Graph, signatures: Any) -> dict[str, Signature]:
    """The signatures of the user, or those of the root object."""
    if signatures is None:
        functions = _of_root(graph)
        if functions is None:
            return {}
        signatures = functions
    if not isinstance(signatures, Mapping):
        signatures = {DEFAULT: signatures}
    return {name: _signature(name, function) for name, function in signatures.items()}


def _of_root(graph: Graph) -> Any:
    possible = []
    for name, number in graph.children[0].items():
        child = graph.objects[number]
        if isinstance(child, (GenericFunction, ConcreteFunction)):
            if name == DEFAULT_OF_KERAS:
                return child
            possible.append(child)
    if len(possible) == 1:
        concrete = _concrete(possible[0])
        if concrete is not None and _is_valid(concrete):
            return concrete
    return None


def _concrete(function: Any) -> Any:
    """The one concrete function of a function with an ``input_signature``."""
    if isinstance(function, ConcreteFunction):
        return function
    if (
        isinstance(function, GenericFunction)
        and getattr(function, "input_signature", None) is not None
    ):
        return function.get_concrete_function()  # type: ignore[attr-defined]
    return None


def _is_valid(concrete: Any) -> bool:
    try:
        _outputs("", concrete)
    except (ValueError, NeedsValues):
        return False
    return True


def _signature(name: Any, function: Any) -> Signature:
    concrete = _concrete(function)
    if concrete is None:
        raise ValueError(
            f"Expected a TensorFlow function for which to generate a signature, but got {function}. Only "
            "`tf.functions` with an input signature or concrete functions can be used as a signature."
        )
    return Signature(concrete, input_names(concrete), _outputs(name, concrete))


def input_names(concrete: Any) -> list[str]:
    """The names of the tensors that a function takes; parts of a composite are `x`, `x_1` and so on."""
    arguments = {name: nest.flatten(value) for name, value in concrete._arguments.items()}
    specs = [leaf for leaves in arguments.values() for leaf in leaves if isinstance(leaf, TypeSpec)]
    if all(isinstance(spec, TensorSpec) for spec in specs):
        return [tensor.op.name for tensor in concrete.inputs]
    names: list[str] = []
    for argument, leaves in arguments.items():
        several = concrete._signature.parameters[argument].kind is inspect.Parameter.VAR_POSITIONAL
        for place, leaf in enumerate(leaves):
            if isinstance(leaf, TypeSpec):
                own = f"{argument}_{place}" if several else argument
                stem = getattr(leaf, "name", None) or own
                for _ in components(leaf):
                    names.append(free_name(stem, names))
    return names


def _outputs(name: Any, concrete: Any) -> list[str]:
    """The names of the results, in the order of the flat list of them."""
    outputs = concrete.structured_outputs
    used = f"in the output of the function {concrete.name.decode()} used to generate the SavedModel signature"
    if isinstance(outputs, Mapping):
        items: list[tuple[Any, Any]] = [(key, outputs[key]) for key in sorted(outputs)]
        for key, _ in items:
            if not isinstance(key, str):
                raise ValueError(f"Got a dictionary with a non-string key {key!r} {used} {name!r}.")
    else:
        values = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        items = [(f"output_{number}", value) for number, value in enumerate(values)]
    for key, value in items:
        if not isinstance(value, Tensor) and type(value).__name__ != "TensorSpec":
            raise ValueError(
                f"Got a non-Tensor value {value!r} for key {key!r} {used} {name!r}. Outputs for functions "
                "used as signatures must be a single Tensor, a sequence of Tensors, or a dictionary from "
                "string to Tensor."
            )
    return [key for key, _ in items]

"""Nodes that call functions of the model: calls, branches, loops, gradients of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from tapegrad import dtypes
from tapegrad.autodiff.custom import custom_gradient
from tapegrad.core import Tensor, convert, static_value
from tapegrad.errors import refuse
from tapegrad.framework import calls
from tapegrad.ops.shape.array import identity
from tapegrad.saving.files import Damaged
from tapegrad.saving.graphs.plans import FunctionName, damage_of

UNSAVED = "tapegrad: "
"""Begins what stands in place of the name of a gradient that this library has not saved: the reason."""


class Dead:
    """The value of the side of a `Switch` that is not taken, and of all that is computed from it."""

    def __repr__(self) -> str:
        return "<not computed>"


DEAD = Dead()


def named(node: Any, attribute: str) -> FunctionName:
    """The function that an attribute names."""
    value = node.attributes.get(attribute)
    if not isinstance(value, FunctionName):
        raise Damaged(f"the attribute {attribute} of {node.where} names no function")
    return value


def truth(value: Any) -> bool:
    """The truth of a condition: whether a scalar is neither zero nor empty; else whether it has elements."""
    array = static_value(value, "condition")
    if array.shape:
        return bool(array.size)
    return bool(array.item())


def call(frame: Any, node: Any, inputs: list[Any]) -> list[Any]:
    """Run a function."""
    results: list[Any] = frame.call(named(node, "f"), inputs)
    return results


def call_batch(frame: Any, node: Any, inputs: list[Any], captured: list[Any]) -> list[Any]:
    """Run a function that would wait for other calls, to take all of them together: it takes this one."""
    results: list[Any] = frame.call(named(node, "f"), [*inputs, *captured])
    return results


def branch(frame: Any, node: Any, condition: Any, inputs: list[Any]) -> list[Any]:
    """Run one of two functions."""
    chosen = named(node, "then_branch" if truth(condition) else "else_branch")
    results: list[Any] = calls.part((node.name, chosen), frame.call)(chosen, inputs)
    return results


def case(frame: Any, node: Any, index: Any, inputs: list[Any]) -> list[Any]:
    """Run the function at an index; the last one, if there is none."""
    branches = node.attributes.get("branches")
    if not isinstance(branches, list) or not branches:
        raise Damaged(f"{node.where} has no branches")
    place = int(static_value(index, "branch_index"))
    chosen = branches[place if 0 <= place < len(branches) else -1]
    results: list[Any] = calls.part((node.name, chosen), frame.call)(chosen, inputs)
    return results


def loop(frame: Any, node: Any, values: list[Any]) -> list[Any]:
    """Run a function for as long as another one says so."""
    condition, body = named(node, "cond"), named(node, "body")
    asks = calls.part((node.name, condition), frame.call)
    runs = calls.part((node.name, body), frame.call)
    while truth(asks(condition, values)[0]):
        values = runs(body, values)
    return values


def identities(frame: Any, node: Any, inputs: list[Any]) -> list[Any]:
    """The inputs. An attribute may say that they have a gradient of their own."""
    kind = node.attributes.get("_gradient_op_type")
    if kind is None:
        return inputs
    library = frame.function.library
    name = library.gradients.get(kind)
    places = [place for place, value in enumerate(inputs) if isinstance(value, Tensor)]

    def gradient(*dys: Any) -> Any:
        if kind.startswith(UNSAVED):
            raise LookupError(f"{kind.removeprefix(UNSAVED)}. It is that of {node.where}.")
        if name is None:
            raise LookupError(
                f"gradient registry has no entry for: {kind}. The model was saved without the gradient of "
                f"{node.where}: save it with experimental_custom_gradients=True."
            )
        with damage_of(name):
            results = library.gradients_of(name, list(dys), frame)
        return [results[place] if place < len(results) else None for place in places]

    @custom_gradient
    def same(*tensors: Any) -> Any:
        return [identity(tensor) for tensor in tensors], gradient

    results = [*inputs]
    for place, result in zip(places, same(*[inputs[place] for place in places]), strict=True):
        results[place] = result
    return results


def nothing(frame: Any, node: Any, *inputs: Any) -> tuple[()]:
    """Do nothing: such a node is there for the order of others."""
    return ()


def first(frame: Any, node: Any, value: Any) -> Any:
    """The input. It is no tensor, but a list of tensors, a variable or a table."""
    return value


def placeholder(frame: Any, node: Any) -> NoReturn:
    """Refuse: the value of a placeholder comes from the caller."""
    refuse(f"The placeholder {node.where} has no value: no argument of the function is one for it.")


def switch(frame: Any, node: Any, data: Any, predicate: Any) -> tuple[Any, Any]:
    """The value on the side that is taken: the first for false, the second for true."""
    return (DEAD, data) if truth(predicate) else (data, DEAD)


def merge(frame: Any, node: Any, inputs: list[Any]) -> tuple[Any, Any]:
    """The input that was computed, and its place."""
    for place, value in enumerate(inputs):
        if value is not DEAD:
            return value, convert(place, dtypes.int32)
    return DEAD, DEAD


OPS: dict[str, Callable[..., Any]] = {
    "BatchFunction": call_batch,
    "Case": case,
    "Const": nothing,
    "ControlTrigger": nothing,
    "DisableCopyOnRead": nothing,
    "Identity": first,
    "IdentityN": identities,
    "If": branch,
    "Merge": merge,
    "NoOp": nothing,
    "PartitionedCall": call,
    "Placeholder": placeholder,
    "PlaceholderV2": placeholder,
    "StatefulPartitionedCall": call,
    "StatelessCase": case,
    "StatelessIf": branch,
    "StatelessWhile": loop,
    "Switch": switch,
    "While": loop,
}

"""The order in which the nodes of a function run, and the slots of their results: `Plan`.

A node names its inputs: ``x`` is an argument of the function, ``node:output:1`` the second tensor of the
output that the definition of the op calls ``output``; in a graph it is ``node:1``, the second of all.
``^node`` only has to run before. Each tensor gets a slot, and a slot is emptied after its last reader.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tapegrad.errors import DataLossError
from tapegrad.io.graph_messages import AttrValue
from tapegrad.io.wire import DecodeError
from tapegrad.saving.files import Damaged
from tapegrad.saving.graphs.messages import Attribute, Node
from tapegrad.saving.graphs.op_arguments import Argument
from tapegrad.saving.graphs.structures import dtype_of, shape_of, tensor_of

ALIASES = frozenset(["Identity", "DisableCopyOnRead"])
"""Ops that give their input as it is, for which nothing runs."""


@contextmanager
def damage_of(function: str) -> Iterator[None]:
    """Turns what is found out about a damaged function of a model into DataLossError."""
    try:
        yield
    except (Damaged, DecodeError) as error:
        raise DataLossError(
            None, None, f"The saved function {function} is damaged: {error}."
        ) from None


class FunctionName(str):
    """The name of a function in the library, as the value of an attribute."""

    __slots__ = ()


def value_of_attribute(value: AttrValue) -> Any:
    """The value of an attribute: a number, text, dtype, shape, tensor, name of a function, or a list."""
    kind = value.WhichOneof("value")
    if kind is None or kind == "placeholder":
        raise Damaged("an attribute has no value")
    inside = getattr(value, kind)
    if kind != "list":
        return _plain(kind, inside)
    fields = [(field.name, items) for field, items in inside.ListFields()]
    if len(fields) > 1:
        raise Damaged("a list among the attributes has values of several kinds")
    return [_plain(name, item) for name, items in fields for item in items]


def _plain(kind: str, value: Any) -> Any:
    match kind:
        case "s":
            try:
                return value.decode()
            except UnicodeDecodeError:
                return value
        case "type":
            return dtype_of(value)
        case "shape":
            return shape_of(value)
        case "tensor":
            return tensor_of(value)
        case "func":
            return FunctionName(value.name)
        case _:
            return value


def _attribute(data: bytes) -> tuple[str, Any]:
    """The name and the value of an attribute."""
    entry = Attribute.FromString(data)
    return entry.key, value_of_attribute(entry.value)


# Nodes share most attributes, such as a dtype: MobileNetV2 has 1,740, and 80 different ones.
_common_attribute = functools.lru_cache(1024)(_attribute)
MOST_COMMON = 64
"""The length up to which an attribute is looked for among those that were decoded before."""


class Bound:
    """A node with its attributes, and how many tensors its op takes and gives."""

    def __init__(self, node: Node, inside: str) -> None:
        self.name = node.name
        self.op = node.op
        self.where = f"{node.name} in {inside}"
        self.data = [name for name in node.input if not name.startswith("^")]
        self.controls = [name[1:] for name in node.input if name.startswith("^")]
        try:
            self.attributes = dict([
                _common_attribute(data) if len(data) <= MOST_COMMON else _attribute(data)
                for data in node.attr
            ])  # fmt: skip
        except (Damaged, DecodeError) as error:
            raise Damaged(f"the attributes of {self.where} cannot be read ({error})") from None

    def counted(self, arguments: Iterable[Argument]) -> list[int | None]:
        """How many tensors there are of each argument; None for a single one that is no list."""
        counts: list[int | None] = []
        for _, attribute, _ in arguments:
            if attribute is None:
                counts.append(None)
                continue
            value = self.attributes.get(attribute)
            if isinstance(value, list):
                counts.append(len(value))
            elif type(value) is int and value >= 0:
                counts.append(value)
            else:
                raise Damaged(f"the attribute {attribute} of {self.where} is {value!r}")
        return counts

    def split(self, slots: list[int], arguments: tuple[Argument, ...]) -> list[Any]:
        """The slots of the inputs: one, or a list of them, for each argument."""
        parts: list[Any] = []
        at = 0
        for count in self.counted(arguments):
            parts.append(slots[at : at + count] if count is not None else slots[at : at + 1])
            at += 1 if count is None else count
            if count is None:
                parts[-1] = parts[-1][0] if parts[-1] else None
        if at != len(slots):
            raise Damaged(
                f"{self.where}, of type {self.op}, has {len(slots)} inputs where {at} are expected"
            )
        return parts


class Step(NamedTuple):
    """A node that runs: its call, the slots of its inputs, the first slot of its results and their number.

    ``controls`` are slots of the nodes that run before, if some of these may not be computed. No later step
    reads the slots in ``released``.
    """

    node: Bound
    call: Callable[[Any, list[Any]], tuple[Any, ...]]
    inputs: list[Any]
    first: int
    results: int
    controls: list[int]
    released: list[int]


class Plan:
    """The nodes of a function that its results and effects need, in an order in which they can run.

    Args:
        name: the name of the function.
        nodes: all of its nodes.
        arguments: the names of its arguments, whose slots come first.
        results: the tensors that it gives.
        effects: the nodes that run whether a result needs them or not.
        bind: for a node what runs it and the arguments of its op: a call, inputs and outputs.
        kept: tensors that are read after the function has run, as the gradients of its parts do.
    """

    def __init__(
        self,
        name: str,
        nodes: dict[str, Node],
        arguments: list[str],
        results: list[str],
        effects: list[str],
        bind: Callable[[Bound], tuple[Any, tuple[Argument, ...], tuple[Argument, ...]]],
        kept: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.slots = {argument: slot for slot, argument in enumerate(arguments)}
        self.count = len(arguments)
        self.steps: list[Step] = []
        self.constants: list[tuple[int, Any]] = []
        self._outputs: dict[str, dict[str, int]] = {}
        self.missing: dict[str, Bound] = {}
        """The nodes whose ops are not here."""
        self.has_sides = any(node.op == "Switch" for node in nodes.values())
        """Whether there are nodes that are computed only if a condition is true, as TensorFlow 1 has them."""
        kept = [tensor for tensor in kept if tensor.split(":")[0] in {*nodes, *arguments}]
        wanted = [_owner(tensor) for tensor in [*results, *kept] if tensor not in self.slots]
        for node in self._ordered(nodes, wanted + effects):
            self._add(Bound(node, name), bind)
        self.results = [self.slot(result) for result in results]
        self.kept = {tensor: self.slot(tensor) for tensor in kept}
        self._release()

    def _ordered(self, nodes: dict[str, Node], wanted: list[str]) -> list[Node]:
        """The nodes that ``wanted`` ones need, these among them, each after those that it reads."""
        order: list[Node] = []
        state: dict[str, bool] = {}  # False while the nodes that it needs are visited
        for first in wanted:
            stack = [(first, False)]
            while stack:
                name, finished = stack.pop()
                if finished:
                    state[name] = True
                    order.append(nodes[name])
                elif name in self.slots or state.get(name):
                    continue
                elif name in state:
                    raise Damaged(f"in {self.name} the node {name} needs its own result")
                elif name not in nodes:
                    raise Damaged(f"in {self.name} there is no node {name}")
                else:
                    state[name] = False
                    stack.append((name, True))
                    needed = [
                        _owner(text.removeprefix("^"))
                        for text in nodes[name].input
                        if text not in self.slots
                    ]
                    for other in reversed(needed):
                        if state.get(other) is False:
                            raise Damaged(f"in {self.name} the node {other} needs its own result")
                        stack.append((other, False))
        return order

    def slot(self, tensor: str) -> int:
        """The slot of a tensor, by its name."""
        if tensor in self.slots:
            return self.slots[tensor]
        node, _, place = tensor.partition(":")
        outputs = self._outputs.get(node, {})
        known = outputs.get(place or "0")
        if known is None and node in self.missing:  # nobody knows its outputs
            known = outputs[place or "0"] = self.count
            self.count += 1
        if known is None and node in self.slots and place in ("", "0"):
            known = self.slots[node]
        if known is None:
            raise Damaged(f"in {self.name} there is no tensor {tensor}")
        return known

    def _add(self, node: Bound, bind: Callable[[Bound], Any]) -> None:
        slots = [self.slot(name) for name in node.data]
        call, inputs, outputs = bind(node)
        named = self._outputs[node.name] = {}
        if call is None:
            self.missing[node.name] = node
            return
        if node.op in ALIASES:
            if len(slots) != 1:
                raise Damaged(f"{node.where} has {len(slots)} inputs")
            named.update(
                dict.fromkeys(["0", *[f"{output.name}:0" for output in outputs]], slots[0])
            )
            return
        first = self.count
        for output, count in zip(outputs, node.counted(outputs), strict=True):
            for place in range(1 if count is None else count):
                named[f"{output.name}:{place}"] = self.count
                named[str(self.count - first)] = self.count
                self.count += 1
        if node.op == "Const":
            value = node.attributes.get("value")
            if value is None or self.count != first + 1:
                raise Damaged(f"{node.where} has no value")
            self.constants.append((first, value))
            return
        split = node.split(slots, inputs)
        controls = [self._outputs[name].get("0") for name in node.controls if name in self._outputs]
        used = [slot for slot in controls if slot is not None] if self.has_sides else []
        self.steps.append(Step(node, call, split, first, self.count - first, used, []))

    def _release(self) -> None:
        """Note for each step which slots no later one reads."""
        alive = {*self.results, *self.kept.values(), *[slot for slot, _ in self.constants]}
        for step in reversed(self.steps):
            parts = [part if isinstance(part, list) else [part] for part in step.inputs]
            reads = {slot for part in [*parts, step.controls] for slot in part}
            filled = range(step.first, step.first + step.results)
            step.released.extend(sorted((reads | {*filled}) - alive))
            alive |= reads


def _owner(tensor: str) -> str:
    return tensor.partition(":")[0]

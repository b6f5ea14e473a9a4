"""What a graph does outside its model: it reads files that it is given by name, and writes none.

The rule is that of `tapegrad.saving.reach`, where ops say which of their parameters name files: a name is an
argument of the function that the user calls, or an asset. What is known here is slots of tensors, followed
through the functions of the model.
"""

from __future__ import annotations

from typing import Any, NoReturn

from tapegrad.core import REQUIRED, registry
from tapegrad.errors import refuse
from tapegrad.saving.graphs.op_arguments import arguments_of

READERS = {"InitializeTableFromTextFile": 1, "InitializeTableFromTextFileV2": 1}
"""Ops of ours here that read a file -> the place of the input that names it."""
CALLS = {
    "PartitionedCall": 0, "StatefulPartitionedCall": 0, "If": 1, "StatelessIf": 1, "Case": 1,
    "StatelessCase": 1,
}  # fmt: skip
"""Ops that call functions with their inputs from a place on, and give what these give."""

Known = dict[tuple[str, frozenset[int]], frozenset[int]]


def check_files(function: Any, names: set[int], known: Known | None = None) -> frozenset[int]:
    """Which results of a function are names of files, where these arguments are.

    Args:
        function: a `functions.GraphFunction`.
        names: places of arguments.
        known: what was found out before, of this and of other functions.

    Raises:
        InvalidArgumentError: it reads a file of another name, or writes one.
    """
    known = {} if known is None else known
    key = (function.name, frozenset(names))
    if key in known:
        return known[key]
    plan = function.plan
    trusted = {slot for slot in names if slot < len(function.arguments)}
    for step in plan.steps:
        node = step.node
        if node.op in READERS and step.inputs[READERS[node.op]] not in trusted:
            _refuse(node, "reads a file whose name is neither an argument nor an asset")
        op = registry.get(node.op)
        if op is not None:
            for name, use in op.files.items():
                if use is not None:
                    _check(op, name, use.split(), step, trusted)
            moved = [slot for name in op.moves for slot in _slots(op, name, step)]
            if moved and trusted.issuperset(moved):
                trusted.update(range(step.first, step.first + step.results))
        first = CALLS.get(node.op)
        parts = [] if first is None else _flat(step.inputs[first:])
        named = {place for place, slot in enumerate(parts) if slot in trusted}
        results = [
            check_files(function.library.function(name), named, known)
            for name in function.callees(node)
        ]
        if first is not None and results:
            trusted.update([step.first + place for place in frozenset.intersection(*results)])
    known[key] = frozenset([place for place, slot in enumerate(plan.results) if slot in trusted])
    return known[key]


def reads_files(function: Any) -> bool:
    """Whether a function, or one that it calls, reads a file that an input names."""
    todo, done = [function], set()
    while todo:
        own = todo.pop()
        if own.name in done:
            continue
        done.add(own.name)
        for step in own.plan.steps:
            op = registry.get(step.node.op)
            names = [] if op is None else [name for name in op.inputs if op.files.get(name)]
            if names or step.node.op in READERS:
                return True
            todo += [function.library.function(name) for name in own.callees(step.node)]
    return False


def _flat(parts: list[Any]) -> list[int]:
    return [slot for part in parts for slot in (part if isinstance(part, list) else [part])]


def _slots(op: Any, name: str, step: Any) -> list[int]:
    """The slots of an input of an op, by our name for it."""
    raw_name = op.raw[(op.inputs + op.attributes).index(name)]
    named = arguments_of(step.node.op)
    names = [] if named is None else [argument.name for argument in named.inputs]
    return _flat([step.inputs[names.index(raw_name)]]) if raw_name in names else [-1]


def _check(op: Any, name: str, use: list[str], step: Any, trusted: set[int]) -> None:
    does, *no_files = use
    raw_name = op.raw[(op.inputs + op.attributes).index(name)]
    if name in op.attributes:
        default = op.parameter_defaults[op.attributes.index(name)]
        value = step.node.attributes.get(raw_name, None if default is REQUIRED else default)
        if value not in (no_files or [""]):
            _refuse(step.node, f"{does} a file that its attribute {raw_name} names")
    elif does == "writes":
        _refuse(step.node, "writes a file")
    elif not trusted.issuperset(_slots(op, name, step)):
        _refuse(step.node, "reads a file whose name is neither an argument nor an asset")


def _refuse(node: Any, does: str) -> NoReturn:
    refuse(
        f"The node {node.where}, of type {node.op}, {does}: no function of a saved model does that here."
    )

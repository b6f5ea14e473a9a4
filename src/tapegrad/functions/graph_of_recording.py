"""`Function.graph`: the steps of a recording as a `DataflowGraph`.

Reads of a variable are edges from the variable, or from the step that assigned it last. Where a guard has
seen several cases, the steps of each further case are a group.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.core import EagerTensor
from tapegrad.core.replay import Program
from tapegrad.core.steps import Path, Step
from tapegrad.drawing.dataflow import DataflowGraph, DataflowNode
from tapegrad.dtypes import BY_NUMPY_NUM

VERBS = {"AssignAdd": "add to", "AssignSub": "subtract from", "Assign": "assign"}
MOST_LETTERS = 40  # of a case
ALL_SIZES = "all sizes from 2 on"  # a case of guards of sizes that values decide


def graph_of(program: Program, title: str) -> DataflowGraph:
    """The graph of all paths of a program."""
    builder = _Builder()
    if program.root is not None:
        builder.add(program.root, {}, {}, ())
    nodes, edges = builder.graph()
    return DataflowGraph(title, nodes, edges)


class _Builder:
    """Collects steps, and what they read that no step gives. A source has a number below zero at first."""

    def __init__(self) -> None:
        self._ops: list[DataflowNode] = []
        self._sources: list[DataflowNode] = []
        self._edges: list[tuple[int, int]] = []
        self._arguments: dict[int, int] = {}
        self._variables: dict[int, int] = {}
        self._constants: dict[int, int] = {}

    def graph(self) -> tuple[list[DataflowNode], list[tuple[int, int]]]:
        """Nodes, steps first, and edges."""

        def number(node: int) -> int:
            return node if node >= 0 else len(self._ops) - 1 - node

        return [*self._ops, *self._sources], [
            (number(source), target) for source, target in self._edges
        ]

    def add(
        self, path: Path, slots: dict[int, int], written: dict[int, int], case: tuple[str, ...]
    ) -> None:
        """Add the steps of a path.

        Args:
            slots: the node that gives the value in each slot; below zero a source.
            written: id of a variable -> the node of the step that wrote it last.
            case: the cases of guards that led here.
        """
        results = {place for place in path.outputs if place >= 0}
        for step in path.steps:
            if step.variable is not None and "Read" in step.name and step.outputs:
                node = written.get(id(step.variable))
                slots[step.outputs[0]] = self._variable(step.variable) if node is None else node
                continue
            number = len(self._ops)
            self._ops.append(_node(path, step, case, not results.isdisjoint(step.outputs)))
            for place in step.operands:
                self._edges.append((self._source(path, slots, place), number))
            if step.variable is not None:
                self._edges.append(
                    (written.get(id(step.variable), self._variable(step.variable)), number)
                )
                written[id(step.variable)] = number
            slots.update({slot: number for slot in step.outputs if slot >= 0})
            for key, other in step.branches.items():
                text = _case_text(key)
                self.add(other, dict(slots), dict(written), (*case, f"where it is {text}"))

    def _new(self, known: dict[int, int], key: int, make: Callable[[], DataflowNode]) -> int:
        if key not in known:
            self._sources.append(make())
            known[key] = -len(self._sources)
        return known[key]

    def _source(self, path: Path, slots: dict[int, int], place: int) -> int:
        """The node that gives what is in a place."""
        if place >= 0:
            if place in slots:
                return slots[place]
            return self._new(
                self._arguments,
                place,
                lambda: DataflowNode(f"argument {place}", "input", _kind(path, place)),
            )
        value = path.constants[-1 - place]
        return self._new(self._constants, id(value), lambda: _constant(value))

    def _variable(self, variable: Any) -> int:
        return self._new(
            self._variables,
            id(variable),
            lambda: DataflowNode(
                str(variable.name).removesuffix(":0"),
                "variable",
                f"{variable.dtype.name} {tuple(variable.shape)}",
            ),
        )


def _node(path: Path, step: Step, case: tuple[str, ...], is_result: bool) -> DataflowNode:
    label = step.name.removeprefix("gradient by ")
    if step.variable is not None:
        verb = next((verb for word, verb in VERBS.items() if word in step.name), label)
        label = f"{verb} {str(step.variable.name).removesuffix(':0')}"
    details = {"step": step.name}
    if is_result:
        details["returned"] = "by the function"
    if step.is_guard:
        open_sizes = [ALL_SIZES] if step.is_open else []
        details["cases"] = ", ".join(open_sizes + [_case_text(key) for key in step.cases])
    scope = tuple([part for part in step.name_scope.split("/") if part])
    return DataflowNode(
        label,
        "guard" if step.is_guard and not step.outputs else "op",
        ", ".join([_kind(path, slot) for slot in step.outputs if slot >= 0]),
        step.line,
        case,
        (*case, *scope),
        details,
    )


def _case_text(key: Any) -> str:
    return _shortened(repr(key))


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else f"{text[: MOST_LETTERS - 3]}..."


def _kind(path: Path, slot: int) -> str:
    """The dtype and shape of what is in a slot."""
    number, sizes = path.info[slot]
    shape = tuple([size if type(size) is int else None for size in sizes])  # None: it is open
    dtype = BY_NUMPY_NUM.get(number)
    return f"{dtype.name if dtype else ''} {shape}".strip()


def _constant(value: Any) -> DataflowNode:
    if not isinstance(value, EagerTensor):
        return DataflowNode(type(value).__name__, "constant")
    shape = value._shape_tuple()
    label = _shortened(str(value.numpy())) if not shape else "constant"
    return DataflowNode(label, "constant", f"{value.dtype.name} {shape}")

"""`GradientTape.graph`: the records and notes of a tape as a `DataflowGraph`.

Records are in the order of the program. Notes, of what passes no gradient on, stand between them by the
numbers of tensors, which are made in that order. What no record gives is a variable, a watched tensor or a
constant.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tapegrad import core
from tapegrad.autodiff.leaves import array_of, tensors_in
from tapegrad.autodiff.summaries import Kinds, kind_text
from tapegrad.autodiff.unconnected import WAYS, History
from tapegrad.core import EagerTensor
from tapegrad.core.backward import ids_of
from tapegrad.core.tracebacks import Line, place_of
from tapegrad.drawing.dataflow import DataflowGraph, DataflowNode
from tapegrad.framework.tensor_html import value_statistics

if TYPE_CHECKING:
    from tapegrad.autodiff.explanations import SourceExplanation, TapeExplanation

GONE = "The tape has let go of its records: gradient() was called, and it is not persistent."

# What notes say -> how the node is called, where that is no name of an op.
LABELS = {
    "array": "NumPy",
    "assign": "assign",
    "bool": "bool()",
    "buffer": "NumPy",
    "complex": "complex()",
    "dlpack": "dlpack",
    "float": "float()",
    "index": "index",
    "int": "int()",
    "numpy": ".numpy()",
}


class _Op(NamedTuple):
    """A record or a note."""

    name: str
    inputs: tuple[int, ...]
    results: tuple[int, ...]
    line: Line | None
    owners: tuple[object, ...] | None
    is_note: bool


def graph_of(
    tape: core.Tape | None,
    targets: list[EagerTensor],
    sources: Sequence[Any],
    explanation: TapeExplanation | None,
) -> DataflowGraph:
    """The graph of a tape, with the ways from ``targets`` to ``sources``.

    Args:
        sources: tensors, variables, and None for what is neither.
        explanation: of the gradients by these sources.
    """
    if tape is None:
        return DataflowGraph("A tape that recorded nothing", [], [])
    history = History(tape)
    builder = _Builder(history, tape)
    if explanation is not None:
        builder.mark(targets, sources, explanation)
    return DataflowGraph(
        "A tape",
        builder.nodes(),
        builder.edges,
        frozenset(builder.lit - builder.ends),
        frozenset(builder.ends),
        str(explanation) if explanation is not None else GONE if tape.spent else "",
    )


class _Builder:
    """Nodes and edges of a graph. Ops have the first numbers, what is no result of an op the next."""

    def __init__(self, history: History, tape: core.Tape) -> None:
        self.history = history
        self.tape = tape
        self.ops = _in_order(history, tape)
        self.scopes = _NameScopes(tape)
        self.kinds = Kinds(tape, history.calls, tape.contents())
        self.lit: set[tuple[int, int]] = set()
        self.ends: set[tuple[int, int]] = set()
        self._reasons: dict[int, str] = {}
        self._kept = {
            tensor._id: tensor
            for saved, *_ in tape.contents()
            for _, _, value in saved
            for tensor in tensors_in(value)
        }
        self._sources: list[DataflowNode] = []
        self._node_of: dict[int, int] = {}  # id of a tensor -> the number of its node
        for number, op in enumerate(self.ops):
            for result in op.results:
                self._node_of.setdefault(result, number)
        self._add_variables()
        self.edges = [
            (self._source_node(tensor), number)
            for number, op in enumerate(self.ops)
            for tensor in op.inputs
            if self._node_of.get(tensor, -1) not in range(number, len(self.ops))
        ]

    # --- What is no result of an op -----------------------------------------------------------------

    def _add_variables(self) -> None:
        used = {tensor for op in self.ops for tensor in op.inputs}
        for variable in self.tape.watched_variables():
            snapshots = [
                tensor
                for tensor in ids_of(self.tape, variable)
                if tensor in used and tensor not in self._node_of
            ]
            if not snapshots:
                continue
            shape = tuple(variable.shape)
            number = self._add(
                DataflowNode(
                    str(variable.name).removesuffix(":0"),
                    "variable",
                    f"{variable.dtype.name} {shape}",
                    details=self._values(variable._snapshot),
                )
            )
            self._node_of.update(dict.fromkeys(snapshots, number))

    def _add(self, node: DataflowNode) -> int:
        self._sources.append(node)
        return len(self.ops) + len(self._sources) - 1

    def _source_node(self, tensor: int) -> int:
        """The number of the node that gives a tensor, which is added if there is none."""
        if tensor not in self._node_of:
            kept = self._kept.get(tensor)
            kind = "input" if self.tape.watches_tensor(tensor) else "constant"
            label = "watched tensor" if kind == "input" else "constant"
            if kept is not None and not kept._shape_tuple() and kind == "constant":
                array = array_of(kept)
                label = label if array is None else str(array)
            self._node_of[tensor] = self._add(
                DataflowNode(
                    label, kind, kind_text(self.kinds.kind(tensor)), details=self._values(kept)
                )
            )
        return self._node_of[tensor]

    def _values(self, tensor: EagerTensor | None) -> dict[str, str]:
        """Statistics of the values, if the tape has them."""
        array = None if tensor is None else array_of(tensor)
        if tensor is None or array is None:
            return {}
        statistics = value_statistics(array, tensor.dtype)
        return {} if statistics is None else {"values": ", ".join(filter(None, statistics))}

    # --- Ways between target and sources ------------------------------------------------------------

    def mark(
        self, targets: list[EagerTensor], sources: Sequence[Any], explanation: TapeExplanation
    ) -> None:
        """Light the ways from the targets to the sources, and mark what ends a gradient."""
        goals = [target._id for target in targets]
        for source, answer in zip(sources, explanation.sources, strict=True):
            ids = set() if source is None else set(ids_of(self.tape, source))
            own = [self._node_of[tensor] for tensor in sorted(ids) if tensor in self._node_of]
            for number in own:
                if number >= len(self.ops):
                    self._rename(number, answer.label)
            followed = {tensor for tensor in ids if self.history.knows(tensor)}
            for pair in self.history.flowing(goals, followed):
                self._light(*pair, self.lit)
            if answer.connected:
                continue
            way = self.history.way(goals, followed) or []
            for tensor, edge, result in way:
                self._light(tensor, result, self.lit if edge.flows else self.ends)
                if not edge.flows and result in self._node_of:
                    self._reasons[self._node_of[result]] = _reason(answer)
            if not way:
                if not own:
                    own = [self._add(DataflowNode(answer.label, "input"))]
                self._reasons.update(dict.fromkeys(own, _reason(answer)))
                self._mark_departures(ids, _reason(answer))

    def _rename(self, number: int, label: str) -> None:
        node = self._sources[number - len(self.ops)]
        if node.kind != "variable":
            self._sources[number - len(self.ops)] = DataflowNode(
                label, "input", node.result, details=node.details
            )

    def _light(self, tensor: int, result: int, edges: set[tuple[int, int]]) -> None:
        if tensor in self._node_of and result in self._node_of:
            edges.add((self._node_of[tensor], self._node_of[result]))

    def _mark_departures(self, ids: set[int], reason: str) -> None:
        """Mark where values that were computed from the source went on without a result on the tape."""
        later = self.history.descendants(ids)
        for number, op in enumerate(self.ops):
            if op.is_note and not op.results and later.intersection(op.inputs):
                self._reasons[number] = reason
                self.ends.update([edge for edge in self.edges if edge[1] == number])

    # --- The nodes ----------------------------------------------------------------------------------

    def nodes(self) -> list[DataflowNode]:
        """All nodes, in the order of their numbers."""
        nodes, paths = [], self._module_paths()
        for number, op in enumerate(self.ops):
            kept = [self._kept[result] for result in op.results if result in self._kept]
            nodes.append(
                DataflowNode(
                    LABELS.get(op.name, op.name),
                    "end" if op.is_note else "op",
                    ", ".join([kind_text(self.kinds.kind(result)) for result in op.results]),
                    op.line,
                    paths[number],
                    self.scopes.at(max(op.results, default=0)),
                    self._values(kept[0] if kept else None),
                    self._reasons.get(number, ""),
                )
            )
        for number, node in enumerate(self._sources, start=len(self.ops)):
            reason = self._reasons.get(number, "")
            nodes.append(
                DataflowNode(
                    node.label, node.kind, node.result, details=node.details, reason=reason
                )
            )
        return nodes

    def _module_paths(self) -> list[tuple[str, ...]]:
        """Of each op the names of the modules that called it. A note has those of an op of its function."""
        names = _ModuleNames()
        paths = [names.path(op.owners or ()) for op in self.ops]
        for number, op in enumerate(self.ops):
            if op.is_note:
                near = [place for place in (number - 1, number + 1) if 0 <= place < len(self.ops)]
                own = _function_of(op.line)
                paths[number] = next(
                    (paths[place] for place in near if _function_of(self.ops[place].line) == own),
                    (),
                )
        return paths


def _reason(answer: SourceExplanation) -> str:
    """Why there is no gradient, and what to write."""
    remedy = "" if answer.remedy is None else f"\nwrite: {answer.remedy}"
    return f"{answer.text}{place_of(answer.where)}{remedy}"


def _function_of(line: Line | None) -> tuple[str, str] | None:
    return None if line is None else (line[0], line[2])


def _in_order(history: History, tape: core.Tape) -> list[_Op]:
    """The records and the notes of a tape."""
    owners: list[Any] = [*(tape.running_objects() or []), *[None] * len(history.calls)]
    notes = sorted(
        [
            (max(results, default=time + 0.5), _Op(name, inputs, results, line, None, True))
            for name, inputs, results, line, time in history.notes
            if inputs or name not in WAYS
        ],
        key=lambda part: part[0],
    )
    ops: list[_Op] = []
    place = 0
    for (name, inputs, results, line, _), running in zip(history.calls, owners, strict=False):
        while place < len(notes) and notes[place][0] < min(results):
            ops.append(notes[place][1])
            place += 1
        ops.append(_Op(name, inputs, results, line, running, False))
    return [*ops, *[op for _, op in notes[place:]]]


class _NameScopes:
    """Which name scopes were open when a tensor was made."""

    def __init__(self, tape: core.Tape) -> None:
        self._events = tape.scopes or []
        self._times = [time for time, _, _ in self._events]

    def at(self, tensor: int) -> tuple[str, ...]:
        """The scopes when the tensor with this id was made."""
        if not self._events:
            return ()
        place = bisect_left(self._times, tensor)
        path = self._events[place - 1][2] if place else self._events[0][1]
        return tuple([part for part in path.split("/") if part])


class _ModuleNames:
    """Names of modules by the attributes of those that own them."""

    def __init__(self) -> None:
        self._attributes: dict[int, dict[int, str]] = {}
        self._paths: dict[tuple[int, ...], tuple[str, ...]] = {}

    def path(self, owners: tuple[object, ...]) -> tuple[str, ...]:
        """A name for each of these objects, of which each calls the next."""
        key = tuple([id(owner) for owner in owners])
        if key not in self._paths:
            self._paths[key] = tuple([
                self._name(owner, owners[i - 1] if i else None) for i, owner in enumerate(owners)
            ])  # fmt: skip
        return self._paths[key]

    def _name(self, owner: Any, caller: Any) -> str:
        if hasattr(type(caller), "_flatten"):
            if id(caller) not in self._attributes:
                self._attributes[id(caller)] = {
                    id(value): str(path[0]) + "".join([f"[{step!r}]" for step in path[1:]])
                    for path, value in caller._flatten(recursive=False, with_path=True)
                }
            if id(owner) in self._attributes[id(caller)]:
                return self._attributes[id(caller)][id(owner)]
        return str(getattr(owner, "name", "") or type(owner).__name__)

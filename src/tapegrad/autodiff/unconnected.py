"""Why nothing connects a source to a target: the search through what a tape recorded and noted.

A `History` is what one tape knows, as numbers: which tensors were computed from which, with a gradient
(records) or without one (notes), and when. Tensors have ids in the order in which they were made, so ids are
times too. `why` answers for one source with a `Finding`. The words for it are in
`tapegrad.autodiff.explanations`.
"""

from __future__ import annotations

import enum
import gc
from collections import deque
from collections.abc import Iterable
from typing import Any, NamedTuple

from tapegrad import core
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.core.backward import ids_of
from tapegrad.core.tracebacks import Line

PUBLIC = {"autodiff": "UnconnectedReason"}


class UnconnectedReason(enum.StrEnum):
    """Why a gradient is None: the values of `reason` in what `GradientTape.explain` returns."""

    CONNECTED = "connected"
    NOT_WATCHED = "not watched"
    NOT_TRAINABLE = "not trainable"
    VARIABLES_NOT_WATCHED = "variables not watched"
    WATCHED_TOO_LATE = "watched too late"
    NAME_REBOUND = "name rebound"
    LEFT_THROUGH_NUMPY = "left through NumPy"
    NOT_FLOATING = "not floating"
    OP_WITHOUT_GRADIENT = "op without gradient"
    STOP_GRADIENT = "stop_gradient"
    STOP_RECORDING = "stop_recording"
    ASSIGNED = "assigned"
    DATA_SET = "data set"
    NUMPY_FUNCTION = "numpy_function"
    GRADIENT_FUNCTION = "gradient function"
    RECORDED_FUNCTION = "recorded function"
    OTHER_VIEW = "another view"
    OTHER_TAPE = "another tape"
    OTHER_THREAD = "another thread"
    BEFORE_TAPE = "before the tape"
    AFTER_TAPE = "after the tape"
    NO_TENSOR_AS_TARGET = "target is no tensor"
    NO_TENSOR_AS_SOURCE = "source is no tensor"
    SWAPPED = "swapped"
    NOT_USED = "not used"
    RECORDS_GONE = "records gone"


# What notes say -> the reason. All but one are words for what is done by no op.
WAYS = {
    "assign": UnconnectedReason.ASSIGNED,
    "data set": UnconnectedReason.DATA_SET,
    "numpy_function": UnconnectedReason.NUMPY_FUNCTION,
    "queue": UnconnectedReason.DATA_SET,
    "StopGradient": UnconnectedReason.STOP_GRADIENT,
}

CAST = "Cast"


def function_name(op: str) -> str:
    """The name of the function behind an op, such as ``round`` of Round; nothing for what is no op."""
    known = core.registry.get(op)
    return "" if known is None else str(known.__name__)


def _is_view(op: str) -> bool:
    """Whether the op gives a tensor's own values, as they are."""
    known = core.registry.get(op)
    return known is not None and bool(known.moves or (known.effect or "").startswith("reads"))


def _writes(op: str) -> bool:
    known = core.registry.get(op)
    return known is not None and (known.effect or "").startswith("writes")


class Edge(NamedTuple):
    """One op, or one way to go on without an op, that leads from a tensor to another."""

    name: str
    line: Line | None
    flows: bool  # whether a gradient flows through
    is_op: bool
    refused: bool = False  # the op's rule gave None in a walk
    sure: bool = True  # no gradient function, of a user or of a recorded function, decides


class Finding(NamedTuple):
    """Why one source is not connected, or how it is."""

    reason: UnconnectedReason
    name: str = ""  # of the op or way that ends the gradient
    line: Line | None = None
    sure: bool = True
    ops: list[str] | None = None  # along the shortest path, from the source
    paths: int = 0
    others: tuple[str, ...] = ()  # what else ends the gradient, further on
    tape: Any = None  # the other tape that connects them
    subject: str = ""  # what kind of thing the reason is about


class History:
    """What one tape knows, as numbers."""

    def __init__(self, tape: core.Tape | None) -> None:
        self.tape = tape
        self.edges: dict[int, list[tuple[int, Edge]]] = {}  # id of a result -> ids of inputs
        self.calls = [] if tape is None else tape.calls()
        self.notes, self.dropped = ([], 0) if tape is None else tape.entries()
        refused = set() if tape is None else {tuple(entry) for entry in tape.refusals or ()}
        for name, inputs, results, line, flowing in self.calls:
            for tensor, flows in zip(inputs, flowing, strict=True):
                is_refused = (name, tensor, results[0]) in refused
                edge = Edge(
                    name, line, bool(flows) and not is_refused, True, is_refused, flows != 2
                )
                self._add(tensor, results, edge)
        for what, inputs, results, line, _ in self.notes:
            for tensor in inputs:
                self._add(tensor, results, Edge(what, line, False, what not in WAYS))

    def _add(self, tensor: int, results: Iterable[int], edge: Edge) -> None:
        for result in results:
            self.edges.setdefault(result, []).append((tensor, edge))

    def ancestors(self, tensors: Iterable[int], flowing: bool = False) -> set[int]:
        """The tensors that these were computed from, these too."""
        reached = set(tensors)
        waiting = list(reached)
        while waiting:
            for tensor, edge in self.edges.get(waiting.pop(), ()):
                if tensor not in reached and (edge.flows or not flowing):
                    reached.add(tensor)
                    waiting.append(tensor)
        return reached

    def descendants(self, tensors: Iterable[int]) -> set[int]:
        """The tensors that were computed from these, these too."""
        uses: dict[int, list[int]] = {}
        for result, edges in self.edges.items():
            for tensor, _ in edges:
                uses.setdefault(tensor, []).append(result)
        reached = set(tensors)
        waiting = list(reached)
        while waiting:
            for result in uses.get(waiting.pop(), ()):
                if result not in reached:
                    reached.add(result)
                    waiting.append(result)
        return reached

    def path(self, targets: Iterable[int], sources: set[int]) -> list[Edge] | None:
        """The edges from a source to a target: the fewest that end the gradient, and then the shortest."""
        way = self.way(targets, sources)
        return None if way is None else [edge for _, edge, _ in way]

    def way(self, targets: Iterable[int], sources: set[int]) -> list[tuple[int, Edge, int]] | None:
        """`path`, with the tensors before and after each edge."""
        cost = dict.fromkeys(targets, (0, 0))
        towards: dict[int, tuple[int, Edge]] = {}
        waiting = deque(sorted(cost))
        while waiting:
            result = waiting.popleft()
            broken, length = cost[result]
            for tensor, edge in self.edges.get(result, ()):
                own = (broken + (not edge.flows), length + 1)
                if tensor not in cost or own < cost[tensor]:
                    cost[tensor] = own
                    towards[tensor] = (result, edge)
                    waiting.append(tensor)
        ends = sources & cost.keys()
        if not ends:
            return None
        tensor = min(ends, key=lambda end: cost[end])
        way = []
        while tensor in towards:
            result, edge = towards[tensor]
            way.append((tensor, edge, result))
            tensor = result
        return way

    def flowing(self, targets: Iterable[int], sources: set[int]) -> set[tuple[int, int]]:
        """The pairs of an input and a result on all ways that a gradient takes from a target to a source."""
        reached = self.ancestors(targets, flowing=True)
        leads = sources & reached
        uses: dict[int, list[int]] = {}
        for result in reached:
            for tensor, edge in self.edges.get(result, ()):
                if edge.flows:
                    uses.setdefault(tensor, []).append(result)
        pairs, waiting = set(), list(leads)
        while waiting:
            tensor = waiting.pop()
            for result in uses.get(tensor, ()):
                pairs.add((tensor, result))
                if result not in leads:
                    leads.add(result)
                    waiting.append(result)
        return pairs

    def count_paths(self, targets: Iterable[int], sources: set[int]) -> int:
        """How many paths a gradient takes from the targets to the sources."""
        ways = dict.fromkeys(targets, 1)
        for name, inputs, results, _, _ in reversed(self.calls):
            arriving = sum([ways.get(result, 0) for result in results])
            for tensor in inputs if arriving else ():
                if any(
                    edge.flows and edge.name == name and origin == tensor
                    for origin, edge in self.edges[results[0]]
                ):
                    ways[tensor] = ways.get(tensor, 0) + arriving
        return sum([ways.get(source, 0) for source in sources])

    def knows(self, tensor: int) -> bool:
        """Whether the tape watches the tensor, or has seen how it was computed from what it watches."""
        if self.tape is None:
            return False
        return tensor in self.edges or self.tape.watches_tensor(tensor)

    def inputs_from_elsewhere(self, targets: Iterable[int]) -> set[int]:
        """The tensors that the targets were computed from, and that the tape has not seen being made."""
        return {tensor for tensor in self.ancestors(targets) if not self.knows(tensor)}

    def gap_of(self, tensor: int) -> bool:
        """Whether the tensor was made while the tape had stopped for a while."""
        gaps = () if self.tape is None else self.tape.gaps or ()
        return any(begin < tensor <= end for begin, end in gaps)

    def last_stop(self) -> Line | None:
        """The line of the last `stop_recording`."""
        lines: list[Line | None] = [note[3] for note in self.notes if note[0] == "stop_recording"]
        return lines[-1] if lines else None


def why(history: History, targets: list[EagerTensor], source: Any) -> Finding:
    """Why the sum of ``targets`` has no gradient by ``source``, a tensor or variable; or how it has one."""
    tape = history.tape
    goals = [target._id for target in targets]
    if tape is None:
        own = [source._id] if isinstance(source, EagerTensor) else []
        if own and own[0] in goals:
            return Finding(UnconnectedReason.CONNECTED, ops=[], paths=1)
        return Finding(UnconnectedReason.NOT_USED, subject="empty tape")
    ids = set(ids_of(tape, source))
    if not _flows(source.dtype):
        return Finding(UnconnectedReason.NOT_FLOATING, subject="source")
    # What the tape does not watch may be an input of records all the same, beside what it watches.
    followed = {tensor for tensor in ids if history.knows(tensor) or tensor in goals}
    path = history.path(goals, followed)
    if path is not None and all(edge.flows for edge in path):
        return Finding(
            UnconnectedReason.CONNECTED,
            ops=[edge.name for edge in path],
            paths=history.count_paths(goals, followed),
            others=tuple([edge.name for edge in path if not edge.sure]),
        )
    if tape.spent and not path and tape.answered is not None:
        if sum(goals) == tape.answered_targets and any(ids & set(own) for own in tape.answered):
            return Finding(UnconnectedReason.CONNECTED)
        if any(history.knows(goal) for goal in goals):
            return Finding(UnconnectedReason.RECORDS_GONE)
    if path is not None:
        return _broken(path)
    if not any(_flows(target.dtype) for target in targets):
        return Finding(UnconnectedReason.NOT_FLOATING, subject="target")
    return _apart(history, targets, source, ids) if followed else _unknown(history, targets, source)


def _flows(dtype: Any) -> bool:
    return bool(dtype.is_floating or dtype.is_complex)


def _broken(path: list[Edge]) -> Finding:
    """What a path with edges that end the gradient means: the first of them counts."""
    first, *others = [edge for edge in path if not edge.flows]
    reason = WAYS.get(first.name, UnconnectedReason.OP_WITHOUT_GRADIENT)
    subject = ""
    if first.refused:
        reason = UnconnectedReason.GRADIENT_FUNCTION
        if first.name == "PartitionedCall":
            reason = UnconnectedReason.RECORDED_FUNCTION
    elif first.name == CAST:
        reason, subject = UnconnectedReason.NOT_FLOATING, "cast"
    elif _writes(first.name):
        reason = UnconnectedReason.ASSIGNED
    return Finding(
        reason,
        first.name,
        first.line,
        others=tuple([edge.name for edge in others if edge.line is not None]),
        subject=subject,
    )


def _when(history: History, targets: list[EagerTensor]) -> Finding | None:
    """A finding if the tape did not record when the targets were computed."""
    tape = history.tape
    assert tape is not None
    goals = [target._id for target in targets]
    if any(history.knows(goal) for goal in goals):
        return None
    if all(goal < tape.born for goal in goals):
        return Finding(UnconnectedReason.BEFORE_TAPE)
    if all(history.gap_of(goal) for goal in goals):
        return Finding(UnconnectedReason.STOP_RECORDING, line=history.last_stop())
    if tape.ended and all(goal > tape.ended for goal in goals):
        return Finding(UnconnectedReason.AFTER_TAPE)
    return None


def _unknown(history: History, targets: list[EagerTensor], source: Any) -> Finding:
    """The reason where the tape does not know the source."""
    tape = history.tape
    assert tape is not None
    timing = _when(history, targets)
    other = other_tape(tape, targets, source)
    if other is not None:
        return Finding(UnconnectedReason.OTHER_TAPE, tape=other)
    if isinstance(source, VariableBase):
        variable = source._holder
        if not tape.watches_variables:
            return Finding(UnconnectedReason.VARIABLES_NOT_WATCHED)
        if not variable.trainable:
            return Finding(UnconnectedReason.NOT_TRAINABLE)
        if timing is not None:
            return timing
        return _by_others_or_unused(history, targets)
    after = source._id > max(target._id for target in targets)
    if after:
        return Finding(UnconnectedReason.OTHER_VIEW, subject="made later", sure=timing is None)
    return Finding(
        UnconnectedReason.NOT_WATCHED,
        subject="" if timing is None else timing.reason.value,
        sure=source._id in history.inputs_from_elsewhere([target._id for target in targets]),
    )


def _apart(history: History, targets: list[EagerTensor], source: Any, ids: set[int]) -> Finding:
    """The reason where the tape knows the source, and nothing leads from there to the targets."""
    tape = history.tape
    assert tape is not None
    goals = [target._id for target in targets]
    later = history.descendants(ids)
    if ids & history.descendants(goals):
        return Finding(UnconnectedReason.SWAPPED)
    if isinstance(source, EagerTensor) or not (tape.watches_variables and source.trainable):
        watched = tape.watch_time(min(ids))
        if watched is not None:
            missed = [
                tensor
                for tensor in history.inputs_from_elsewhere(goals) | set(goals)
                if tape.born < tensor <= watched and tensor not in ids and tensor > min(ids)
            ]
            if missed and not later & set(goals):
                return Finding(UnconnectedReason.WATCHED_TOO_LATE)
    timing = _when(history, targets)
    if timing is not None:
        return timing
    departures = [
        note
        for note in history.notes
        if set(note[1]) & later and not note[2] and note[4] <= max(goals)
    ]
    if departures:
        what, _, _, line, _ = departures[-1]
        reason = WAYS.get(what, UnconnectedReason.LEFT_THROUGH_NUMPY)
        return Finding(reason, what, line, sure=False)
    relatives = history.ancestors(goals) & history.ancestors(ids)
    if relatives and isinstance(source, EagerTensor):
        between = history.path(ids, relatives) or []
        if all(_is_view(edge.name) or edge.name == CAST for edge in between):
            return Finding(UnconnectedReason.OTHER_VIEW, between[0].name if between else "")
    other = other_tape(tape, targets, source)
    if other is not None:
        return Finding(UnconnectedReason.OTHER_TAPE, tape=other)
    return _by_others_or_unused(history, targets)


def _by_others_or_unused(history: History, targets: list[EagerTensor]) -> Finding:
    """The reason that remains: the tape had a gap, another thread computed the targets, or no use."""
    assert history.tape is not None
    inputs = history.inputs_from_elsewhere([target._id for target in targets])
    if any(history.gap_of(tensor) for tensor in inputs):
        return Finding(UnconnectedReason.STOP_RECORDING, line=history.last_stop())
    seen = any(history.knows(target._id) for target in targets)
    gap = history.last_stop()
    if not seen and gap is not None:
        return Finding(UnconnectedReason.STOP_RECORDING, line=gap, sure=False)
    if not seen and core.other_threads(history.tape.born):
        return Finding(UnconnectedReason.OTHER_THREAD, sure=False)
    return Finding(UnconnectedReason.NOT_USED)


def other_tape(tape: core.Tape, targets: list[EagerTensor], source: Any) -> Any:
    """A living GradientTape, beside the one of ``tape``, that connects the source; None if there is none."""
    goals = [target._id for target in targets]
    for candidate in gc.get_objects():
        # Not `isinstance`, which asks objects for their class by code of anybody.
        if core.Recording not in type(candidate).__mro__:
            continue
        other = candidate._tape or candidate._spent
        if other is None or other is tape:
            continue
        path = History(other).path(goals, set(ids_of(other, source)))
        if path and all(edge.flows for edge in path):
            return candidate
    return None

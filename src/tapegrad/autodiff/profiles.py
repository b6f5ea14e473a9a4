"""`GradientTape.profile`: the time and the memory traffic of each op, forward and backward.

A tape that is opened with ``profile=True`` times the calls of ops while it records (`tapegrad.profiling`).
Its walks time the rules of each record (`tapegrad.core.backward`). The bound of an op is the time that the
machine needs for its bytes or for its arithmetic, whichever is more. Bytes count as coming from memory; what
is in a cache of the processor comes faster.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from threading import get_ident
from time import perf_counter
from typing import Any, NamedTuple

from tapegrad import core, profiling
from tapegrad.autodiff.leaves import tensors_in
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.core.tracebacks import Line, Place, line_at, place_of, place_of_program
from tapegrad.framework.counts import columns, counted, number_text, size_text, time_text
from tapegrad.framework.work import flops

PUBLIC = {"autodiff": "Profile ProfileRow"}

_SHOWN = 20  # rows of a printed table


@dataclass(frozen=True)
class ProfileRow:
    """The cost of one call of an op, or of several calls together.

    Attributes:
        op: its name; of several calls that have different ones the empty text.
        where: file, line and function of the program; None if that is not known.
        calls: how many there were.
        forward: seconds of the calls.
        backward: seconds of their gradient rules.
        bytes: what the calls read and wrote: the sizes of their inputs and results.
        flops: the operations that they did.
        backward_bytes: the same of the rules: what arrives, the inputs, and the gradients that they give.
        backward_flops: of a product twice that of the call, one for each input.
    """

    op: str
    where: Line | None
    calls: int = 1
    forward: float = 0.0
    backward: float = 0.0
    bytes: float = 0
    flops: float = 0
    backward_bytes: float = 0
    backward_flops: float = 0

    @property
    def forward_bound(self) -> float:
        """The seconds that this machine needs for the calls, if the bytes come from memory."""
        return _bound(self.bytes, self.flops)

    @property
    def backward_bound(self) -> float:
        """The seconds that this machine needs for their rules, likewise."""
        return _bound(self.backward_bytes, self.backward_flops)

    def plus(self, other: ProfileRow) -> ProfileRow:
        """Both together."""
        return ProfileRow(
            self.op if self.op == other.op else "",
            self.where if self.where == other.where else None,
            self.calls + other.calls,
            self.forward + other.forward,
            self.backward + other.backward,
            self.bytes + other.bytes,
            self.flops + other.flops,
            self.backward_bytes + other.backward_bytes,
            self.backward_flops + other.backward_flops,
        )


def _bound(count: float, operations: float) -> float:
    bytes_a_second, flops_a_second = profiling.machine_rates()
    return max(count / bytes_a_second, operations / flops_a_second)


class Profile:
    """What `GradientTape.profile` and `tf.function`'s ``profile`` return. It prints as two tables.

    It is a sequence of `ProfileRow`, one for each call.
    """

    def __init__(self, title: str, rows: Iterable[ProfileRow], text: str = "") -> None:
        self.title = title
        self.rows = tuple(rows)
        self._text = text

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ProfileRow]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> ProfileRow:
        return self.rows[index]

    @property
    def forward(self) -> float:
        """Seconds of all ops."""
        return sum([row.forward for row in self.rows])

    @property
    def backward(self) -> float:
        """Seconds of all gradient rules."""
        return sum([row.backward for row in self.rows])

    def by_op(self) -> dict[str, ProfileRow]:
        """A row for each op, the slowest first."""
        return self._together(lambda row: row.op)

    def by_line(self) -> dict[Line | None, ProfileRow]:
        """A row for each line of the program, the slowest first. None stands for what has no line."""
        return self._together(lambda row: row.where)

    def _together(self, key_of: Callable[[ProfileRow], Any]) -> dict[Any, ProfileRow]:
        rows: dict[Any, ProfileRow] = {}
        for row in self.rows:
            key = key_of(row)
            rows[key] = rows[key].plus(row) if key in rows else row
        return dict(
            sorted(rows.items(), key=lambda item: item[1].forward + item[1].backward, reverse=True)
        )

    def __str__(self) -> str:
        lines = [
            f"{self.title}: {counted(len(self.rows), 'call')}, forward {time_text(self.forward)}, "
            f"backward {time_text(self.backward)}"
        ]
        if self.rows:
            lines += ["", *_table("op", self.by_op())]
            by_line = {
                place_of(where).removeprefix(", ") or "no line is known": row
                for where, row in self.by_line().items()
            }
            lines += ["", *_table("line", by_line)]
        return "\n".join([*lines, *([self._text] if self._text else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _table(what: str, rows: dict[str, ProfileRow]) -> list[str]:
    cells = [[what, "calls", "forward", "bound", "backward", "bound", "bytes", "flops"]]
    for name, row in list(rows.items())[:_SHOWN]:
        backward = (
            [time_text(row.backward), time_text(row.backward_bound)] if row.backward else ["", ""]
        )
        cells.append([
            name,
            f"{row.calls:,}",
            time_text(row.forward) if row.forward else "",
            time_text(row.forward_bound) if row.forward else "",
            *backward,
            size_text(round(row.bytes + row.backward_bytes)),
            number_text(row.flops + row.backward_flops),
        ])  # fmt: skip
    left_out = len(rows) - _SHOWN
    return [*columns(cells), *([f"... and {left_out:,} more"] if left_out > 0 else [])]


class _Kind(NamedTuple):
    """What is known of an input or a result once the tensor is gone."""

    shape: tuple[int, ...]
    item_size: int
    is_float: bool


@dataclass
class _Call:
    """A call of an op while a tape recorded. ``record`` is the index of its record; -1 if it has none."""

    op: str
    seconds: float
    inputs: list[_Kind]
    results: list[_Kind]
    place: Place | None
    record: int

    def row(self, backward: float) -> ProfileRow:
        """What the call cost, with the seconds of its rules."""
        size = _size([*self.inputs, *self.results])
        floats = [kind for kind in self.inputs if kind.is_float]
        count = flops(
            self.op, [kind.shape for kind in self.inputs], [kind.shape for kind in self.results]
        )
        return ProfileRow(
            self.op,
            None if self.place is None else line_at(self.place),
            1,
            self.seconds,
            backward,
            size,
            count,
            # What arrives has the size of the results, and what a rule gives that of the inputs.
            size + _size(floats) if backward else 0,
            count * max(len(floats), 1) if backward else 0,
        )


def _size(kinds: list[_Kind]) -> int:
    return sum([math.prod(kind.shape) * kind.item_size for kind in kinds])


class TapeProfiler:
    """Times the calls of ops on the thread of a tape, while it records."""

    def __init__(self) -> None:
        self._tape: core.Tape | None = None
        self._calls: list[_Call] = []
        self._thread = 0
        self._inside = 0.0  # seconds of the calls inside of the one that runs

    def begin(self, tape: core.Tape) -> None:
        """Time what this thread calls from now on."""
        profiling.begin(self._timed)
        if tape is not self._tape:
            self._tape, self._calls = tape, []
            tape.times = []
        self._thread = get_ident()

    def end(self, tape: core.Tape) -> None:
        """Time no more calls."""
        profiling.end()
        names = [name for name, *_ in tape.calls()]
        for call in self._calls:
            if 0 <= call.record < len(names):
                call.op = names[call.record]  # of an operator only its own name was known

    def _timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any) -> Any:
            tape = self._tape
            if tape is None or get_ident() != self._thread:
                return function(*args)
            place, records, count = place_of_program(), len(tape), len(self._calls)
            outer, self._inside = self._inside, 0.0
            begun = perf_counter()
            try:
                result = function(*args)
            finally:
                duration = perf_counter() - begun
                own, self._inside = duration - self._inside, outer + duration
            if len(self._calls) == count + 1:
                # An operator that has called an op: one call, of the op.
                self._calls[-1].seconds += own
                return result
            record = records if len(tape) == records + 1 else -1
            self._calls.append(
                _Call(name, own, _kinds(_arrays(args)), _kinds(_arrays([result])), place, record)
            )
            return result

        return timed

    def profile(self) -> Profile:
        """The profile of the calls and of the walks since then."""
        backward: dict[int, float] = {}
        for record, seconds in (self._tape.times or []) if self._tape is not None else []:
            backward[record] = backward.get(record, 0.0) + seconds
        rows = [call.row(backward.pop(call.record, 0.0)) for call in self._calls]
        return Profile("A tape", rows)


def _arrays(values: Iterable[Any]) -> list[EagerTensor]:
    """The tensors among arguments or results, those of variables too."""
    tensors = []
    for value in values:
        if isinstance(value, VariableBase):
            tensors.extend(tensors_in(value._snapshot))
        elif isinstance(value, dict):
            tensors.extend(_arrays(value.values()))
        elif isinstance(value, (list, tuple)):
            tensors.extend(_arrays(value))
        else:
            tensors.extend(tensors_in(value))
    return tensors


def _kinds(tensors: list[EagerTensor]) -> list[_Kind]:
    kinds = []
    for tensor in tensors:
        shape, dtype = tensor._shape_tuple(), tensor.dtype
        is_known = all(type(size) is int for size in shape)
        kinds.append(
            _Kind(shape if is_known else (0,), dtype.size, dtype.is_floating or dtype.is_complex)
        )
    return kinds

"""`GradientTape.summary` and `GradientTape.memory`: what a tape recorded, and the memory that it keeps.

A record keeps what the rules of its op ask for. Memory is counted by blocks: arrays that share a block, such
as a tensor and its slices, count as the whole block, once. A block counts for the first record that keeps it.
"""

from __future__ import annotations

import html
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tapegrad import core
from tapegrad.autodiff.leaves import array_of, tensors_in
from tapegrad.core import EagerTensor, NeedsValues
from tapegrad.core.abstract import Abstract, NoShapeRule, infer
from tapegrad.core.backward import ids_of
from tapegrad.core.tracebacks import Line, place_of
from tapegrad.dtypes import as_dtype
from tapegrad.errors import OpError
from tapegrad.framework.counts import columns, counted, size_text
from tapegrad.framework.search_box import searchable

PUBLIC = {"autodiff": "TapeMemory TapeRow TapeSummary"}

GRADIENT_FUNCTION = "a gradient function"
_SHOWN = 200  # as many records of a longer tape are printed: the first half, and the last

Kind = tuple[
    str, tuple[int, ...] | None
]  # dtype and shape of a tensor; "" and None where they are not known


@dataclass(frozen=True)
class TapeRow:
    """One op that a tape recorded.

    Attributes:
        op: its name.
        results: of each result the dtype ("" if not known) and the shape (None if not known).
        keeps: the names of the inputs and results that the record keeps for the gradient. Of a
            `tf.custom_gradient` and its like it is "a gradient function", whose memory is not counted.
        bytes: the memory of these, without what an earlier record keeps.
        where: file, line and function of the program; None if the tape notes no lines.
    """

    op: str
    results: tuple[Kind, ...]
    keeps: tuple[str, ...]
    bytes: int
    where: Line | None


@dataclass(frozen=True)
class TapeMemory:
    """What `GradientTape.memory` returns, in bytes.

    Attributes:
        bytes: the memory that the tape keeps.
        freed: the part of it that nobody else holds: it is free once the tape lets go.
        records: the number of records.
        tensors: the number of tensors kept.
        by_op: the bytes for each op, the largest first.
    """

    bytes: int
    freed: int
    records: int
    tensors: int
    by_op: dict[str, int] = field(default_factory=dict)


class TapeSummary:
    """What `GradientTape.summary` returns: a `TapeRow` for each op. It prints as a table."""

    def __init__(
        self, rows: list[TapeRow], memory: TapeMemory, variables: int, spent: bool
    ) -> None:
        self.rows = tuple(rows)
        self.memory = memory
        self._variables = variables
        self._spent = spent

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[TapeRow]:
        return iter(self.rows)

    def __getitem__(self, index: int) -> TapeRow:
        return self.rows[index]

    @property
    def title(self) -> str:
        """The totals in a sentence."""
        if self._spent:
            return "The tape has let go of its records: gradient() was called, and it is not persistent."
        memory = self.memory
        return (
            f"{counted(memory.records, 'record')}, {counted(self._variables, 'variable')} watched. "
            f"The tape keeps {size_text(memory.bytes)} in {counted(memory.tensors, 'tensor')}; "
            f"{size_text(memory.freed)} of it are free once it lets go."
        )

    def _cells(self) -> list[list[str]]:
        """The table as text, with its head. Of a long tape the middle is left out."""
        rows = [
            [
                str(number),
                row.op,
                ", ".join([kind_text(kind) for kind in row.results]),
                _kept_text(row),
                place_of(row.where).removeprefix(", "),
            ]
            for number, row in enumerate(self.rows)
        ]
        if len(rows) > _SHOWN:
            rows[_SHOWN // 2 : -_SHOWN // 2] = [["...", "", "", "", ""]]
        rows.insert(0, ["", "op", "result", "keeps", "line"])
        if all(row.where is None for row in self.rows):
            rows = [row[:-1] for row in rows]
        return rows

    def __str__(self) -> str:
        if not self.rows:
            return self.title
        return "\n".join([*columns(self._cells()), self.title])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        if not self.rows:
            return f"<p>{html.escape(self.title)}</p>"
        head, *rows = self._cells()
        heads = "".join([f"<th>{html.escape(cell)}</th>" for cell in head])
        body = "".join(
            [
                f'<tr data-text="{html.escape(" ".join(row))}">'
                + "".join([f"<td>{html.escape(cell)}</td>" for cell in row])
                + "</tr>"
                for row in rows
            ]
        )
        table = searchable(f"<table><tr>{heads}</tr>{body}</table>", "the records")
        return f"<p>{html.escape(self.title)}</p>{table}"


def _kept_text(row: TapeRow) -> str:
    parts = [size_text(row.bytes)] if row.bytes else []
    if row.keeps:
        parts.append(f"({', '.join(row.keeps)})")
    return " ".join(parts)


def kind_text(kind: Kind) -> str:
    dtype, shape = kind
    return f"{dtype} {'?' if shape is None else shape}".strip()


def summarize(tape: core.Tape | None) -> TapeSummary:
    """The summary of a tape. None stands for one that recorded nothing."""
    if tape is None or tape.spent:
        return TapeSummary([], TapeMemory(0, 0, 0, 0), 0, tape is not None)
    calls, contents = tape.calls(), tape.contents()
    blocks = _Blocks()
    sizes = [sum([blocks.add(value) for _, _, value in saved]) for saved, *_ in contents]
    freed = blocks.freed(contents)
    kinds = Kinds(tape, calls, contents)
    by_op: Counter[str] = Counter()
    rows = []
    for (name, _, results, line, _), (saved, *_, backward), size in zip(
        calls, contents, sizes, strict=True
    ):
        by_op[name] += size
        shown = tuple([kinds.kind(tensor) for tensor in results])
        rows.append(TapeRow(name, shown, _names_kept(name, saved, backward), size, line))
    memory = TapeMemory(
        blocks.bytes,
        freed,
        len(rows),
        blocks.tensors,
        {name: size for name, size in by_op.most_common() if size},
    )
    return TapeSummary(rows, memory, len(tape.watched_variables()), False)


def _names_kept(
    op: str, saved: list[tuple[str, int, Any]], backward: Callable[..., Any] | None
) -> tuple[str, ...]:
    """The names of the inputs and results that a record keeps, in this order."""
    if backward is not None:
        return (GRADIENT_FUNCTION,)
    known = core.registry[op]
    names = []
    for what, number, value in sorted(saved, key=lambda part: (part[0], part[1])):
        if not tensors_in(value):
            continue
        if what == "input":
            names.append(known.inputs[number])
        elif what == "output" and known.outputs:
            names.append(known.outputs[number])
        else:
            names.append("everything" if what == "everything" else "result")
    return tuple(names)


def _block_of(tensor: EagerTensor) -> tuple[int, int]:
    """Which block of memory a tensor's array lies in, as a number, and its bytes."""
    array = array_of(tensor)
    if array is None:
        return tensor._id, math.prod(
            tensor._shape_tuple()
        ) * tensor.dtype.size  # an item of a batch
    while isinstance(array.base, np.ndarray):
        array = array.base
    return id(array if array.base is None else array.base), array.nbytes


class _Blocks:
    """The blocks of memory that records keep."""

    def __init__(self) -> None:
        self._sizes: dict[int, int] = {}
        self._blocks: dict[int, int] = {}  # id of a tensor -> its block

    @property
    def bytes(self) -> int:
        """The size of all blocks."""
        return sum(self._sizes.values())

    @property
    def tensors(self) -> int:
        """How many tensors are kept."""
        return len(self._blocks)

    def add(self, value: Any) -> int:
        """Count what a record saved. Returns the bytes of the blocks that are new."""
        added = 0
        for tensor in tensors_in(value):
            if tensor._id not in self._blocks:
                block, size = _block_of(tensor)
                self._blocks[tensor._id] = block
                if block not in self._sizes:
                    self._sizes[block] = size
                    added += size
        return added

    def freed(self, contents: list[Any]) -> int:
        """The bytes of the blocks of which no tensor is held outside of the records.

        ``contents`` is what `Tape.contents` gives, which nobody else may hold: references are counted.
        """
        inside: Counter[int] = Counter()
        tensors: dict[int, EagerTensor] = {}

        def count(value: Any) -> None:
            for tensor in tensors_in(value):
                # The record and `contents` refer to a tensor each, or to one list of tensors.
                inside[tensor._id] += 2 if tensor is value else 1
                tensors[tensor._id] = tensor

        for saved, *_ in contents:
            for part in saved:
                count(part[2])
        held = {
            self._blocks[number]
            for number in inside
            # Two references more: the one in `tensors`, and the argument of the call.
            if sys.getrefcount(tensors[number]) - 2 > inside[number]
        }
        return sum([size for block, size in self._sizes.items() if block not in held])


class Kinds:
    """The dtypes and shapes of the tensors of a tape, as far as they follow from what its records keep."""

    def __init__(self, tape: core.Tape, calls: list[Any], contents: list[Any]) -> None:
        self._kinds: dict[int, Kind] = {}
        self._calls = list(zip(calls, contents, strict=True))
        for variable in tape.watched_variables():
            for snapshot in ids_of(tape, variable):
                self._kinds[snapshot] = (variable.dtype.name, tuple(variable.shape))
        for (_, inputs, results, _, _), (saved, shapes, infos, _) in self._calls:
            for what, number, value in saved:
                for tensor in tensors_in(value):
                    self._kinds[tensor._id] = (tensor.dtype.name, tensor._shape_tuple())
                if what == "input shape" and isinstance(value, tuple):
                    self._note(inputs[number], "", value)
                elif what == "output shape":
                    self._note(results[number], "", value)
            for tensor_id, shape in zip(inputs, shapes or (), strict=False):
                self._note(tensor_id, "", shape)
            for tensor_id, info in zip(results, infos or (), strict=False):
                if info is not None:
                    self._note(tensor_id, info[1].name, tuple(info[0]))
        for call in self._calls:
            self._through(*call)
        for call in reversed(self._calls):
            self._through(*call)

    def kind(self, tensor: int) -> Kind:
        """Dtype and shape of the tensor with this id."""
        return self._kinds.get(tensor, ("", None))

    def _note(self, tensor: int, dtype: str, shape: tuple[int, ...] | None) -> None:
        known = self.kind(tensor)
        self._kinds[tensor] = (known[0] or dtype, shape if known[1] is None else known[1])

    def _through(self, call: tuple[Any, ...], contents: tuple[Any, ...]) -> None:
        """What an op says of its results by its inputs; an elementwise one the other way round, too."""
        name, inputs, results, _, _ = call
        op = core.registry.get(name)
        known = [self.kind(tensor) for tensor in (*inputs, *results)]
        if op is None or all(dtype and shape is not None for dtype, shape in known):
            return
        inferred = _results_of(op, [self.kind(tensor) for tensor in inputs], contents[0])
        for tensor, kind in zip(results, inferred, strict=False):
            self._note(tensor, *kind)
        if len(results) != 1 or not op.elementwise:
            return
        together = [*inputs, *results]
        dtype = max([self.kind(tensor)[0] for tensor in together])
        if _results_of(op, [(dtype, ())] * len(inputs), contents[0]) != [(dtype, ())]:
            dtype = ""  # a cast, or an op that gives complex numbers of real ones
        shapes = contents[1]
        if shapes is not None:
            shape: tuple[int, ...] | None = np.broadcast_shapes(*shapes)
        else:
            shapes_known = [self.kind(tensor)[1] for tensor in together]
            shape = next((one for one in shapes_known if one is not None), None)
        for tensor in inputs if shapes is None else ():
            self._note(tensor, dtype, shape)
        self._note(results[0], dtype, shape)


def _results_of(op: core.Op, inputs: list[Kind], saved: list[tuple[str, int, Any]]) -> list[Kind]:
    """The results by the op's shape rule, if inputs and attributes are known; else an empty list."""
    attributes = {number: value for what, number, value in saved if what == "attribute"}
    if len(attributes) < len(op.attributes):
        return []
    if not all(dtype and shape is not None for dtype, shape in inputs):
        return []
    arrays = [Abstract(shape or (), as_dtype(dtype)) for dtype, shape in inputs]
    try:
        results = infer(op, arrays, tuple([attributes[i] for i in range(len(op.attributes))]))
    except (NoShapeRule, NeedsValues, TypeError, ValueError, OpError):
        return []  # the shape depends on values that are gone
    return [(array.dtype.name, _whole(array.shape)) for array in results]


def _whole(shape: tuple[Any, ...]) -> tuple[int, ...] | None:
    """The shape, if all sizes are numbers."""
    return shape if all(type(size) is int for size in shape) else None

"""Jacobians: one walk over a tape with a batch of seeds, one seed for each row or each column.

The walk back gives rows: its seeds are the elements of the target. Where the target has many more elements
than the sources, columns are cheaper. A tape cannot call the function that it recorded, so the walk back
itself is recorded, from a dummy seed. It is linear in that seed, so its gradient by the seed takes tangents
of the sources to the target.

Where the whole batch would take much memory, it is walked in chunks. A gradient function of the user's that
reads values of ``dy`` cannot take a batch; then each seed gets a walk of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from tapegrad import core
from tapegrad.core import Batch, EagerTensor, NeedsItems, Tensor, VariableBase
from tapegrad.core.kinds import holds_size
from tapegrad.core.sizes import chosen_less, hint_of
from tapegrad.framework import logging
from tapegrad.ops.elementwise.logic import is_finite
from tapegrad.ops.gradients import zeros
from tapegrad.ops.op import op
from tapegrad.ops.reduce.batches import enter_batch, leave_batch
from tapegrad.ops.reduce.reduce import reduce_sum
from tapegrad.ops.shape import array, joining
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import ones_like
from tapegrad.ops.shape_rules import Abstract

CHUNK_BYTES = 4 * 2**20
"""Chunks are as large as keeps the largest array of a walk to about so many bytes."""

TALL = 2
"""Columns are computed if there are so many times more rows than columns."""

WORTH = 2**15
"""Columns are computed if that saves seeds of so many elements: they need two walks."""

Walk = Callable[[Tensor], list[Any]]
"""From a seed to gradients, which may be None: one walk."""


class Chunks(NamedTuple):
    """How many elements of a target one walk takes, where the user says."""

    at_once: int | None
    loops: bool
    """Whether gradient functions of users are to be called for one element after the other."""


def jacobian(
    tape: core.Tape, target: EagerTensor, sources: list[Any], chunks: Chunks, release: bool
) -> list[Tensor | None]:
    """For each source the derivatives of every element of ``target``; None where nothing connects them.

    ``chunks`` says how many elements one walk takes.
    """
    shape = target._shape_tuple()
    try:
        columns = columns_of(tape, target, shape, sources, [shape_of(x) for x in sources], chunks)
        if columns is not None:
            return columns
        return rows_of(tape, target, shape, sources, chunks)
    finally:
        if release:
            tape.forget_records()


def batch_jacobian(
    tape: core.Tape, target: EagerTensor, source: Any, chunks: Chunks, release: bool
) -> Tensor | None:
    """The Jacobian of each item of ``target`` by the same item of ``source``, stacked along the first axis.

    Items do not depend on each other, so one seed selects the same element of all items.
    """
    item = target._shape_tuple()[1:]
    try:
        columns = columns_of(tape, target, item, [source], [shape_of(source)[1:]], chunks)
        if columns is not None:
            return columns[0]
        (rows,) = rows_of(tape, target, item, [source], chunks)
    finally:
        if release:
            tape.forget_records()
    if rows is None:
        return None
    axes = list(range(rows.ndim))
    axes.insert(0, axes.pop(len(item)))
    batch_first: Tensor = array.transpose_op(rows, axes)
    return batch_first


def rows_of(
    tape: core.Tape,
    target: EagerTensor,
    item: tuple[int, ...],
    sources: list[Any],
    chunks: Chunks,
) -> list[Tensor | None]:
    """For each source the gradients of the elements of ``item``: the shape of the target, or of one item."""

    def walk(seed: Tensor) -> list[Any]:
        return core.compute_gradient(tape, [target], sources, [seed], False)

    known = [target._shape_tuple(), *map(shape_of, sources)]
    largest = max(tape.largest(elements_now), *map(elements_now, known))
    one_by_one = chunks.loops and not core.has_transpose(tape, target, sources)
    rows = in_chunks(walk, target, item, chunks, largest, len(sources), one_by_one)
    return [
        zeros((*item, *shape_of(source)), source.dtype)
        if not math.prod(item)
        else None
        if whole is None
        else array.reshape(whole, (*item, *shape_of(source)))
        for whole, source in zip(rows, sources, strict=True)
    ]


def columns_of(
    tape: core.Tape,
    target: EagerTensor,
    item: tuple[int, ...],
    sources: list[Any],
    items: list[tuple[int, ...]],
    chunks: Chunks,
) -> list[Tensor | None] | None:
    """The result of `rows_of`, computed by columns; None if rows are cheaper, or columns would be wrong.

    ``items``: for each source its shape, or the shape of one item of it.
    """
    rows, columns = math.prod(item), sum(map(math.prod, items))
    saved = (rows - columns) * math.prod(target._shape_tuple())
    worth = saved >= WORTH and 0 < TALL * columns <= rows
    if not worth or not core.has_transpose(tape, target, sources):
        return None
    seed: Any = ones_like(target)
    back = core.Tape(False)
    back.watch(seed)
    with core.recording(back):
        gradients = [
            None if gradient is None else core.convert(gradient)
            for gradient in core.compute_gradient(tape, [target], sources, [seed], False)
        ]
    matrices: list[Tensor | None] = []
    for gradient, source, shape in zip(gradients, sources, items, strict=True):
        if gradient is None:
            matrices.append(None)
            continue

        def walk(tangent: Tensor, gradient: Any = gradient) -> list[Any]:
            return core.compute_gradient(back, [gradient], [seed], [tangent], False)

        largest = max(back.largest(elements_now), elements_now(target._shape_tuple()))
        (whole,) = in_chunks(walk, gradient, shape, chunks, largest, 1)
        if whole is None:
            return None
        # A factor that is infinite makes NaN of zeros, and not the same zeros in both directions.
        if not core.static_value(is_finite(reduce_sum(whole)), "whether a Jacobian is finite"):
            return None
        columns_last = array.transpose_op(whole, [*range(1, whole.ndim), 0])
        shape = (*target._shape_tuple(), *shape)
        matrices.append(array.reshape(cast(columns_last, source.dtype), shape))
    return matrices


def in_chunks(
    walk: Walk,
    seeded: EagerTensor,
    item: tuple[int, ...],
    chunks: Chunks,
    largest: int,
    results: int,
    one_by_one: bool = False,
) -> list[Tensor | None]:
    """What ``walk`` gives for each element of ``item``, stacked along the first axis.

    ``seeded`` is the tensor whose gradients the seeds are, and ``item`` its shape or the shape of one item.
    ``largest`` is an upper bound for the elements of one seed's largest tensor.
    """
    count, shape = math.prod(item), seeded._shape_tuple()
    size = size_of_chunk(count, chunks, largest, seeded)
    pieces: Any
    seeds: Any
    piece: Any
    stacks: list[core.Pieces | None] = [core.Pieces(count) for _ in range(results)]
    begin, batched, sure = 0, not one_by_one, size is count
    while begin < count:
        # As even as possible: the pool then has blocks of the size that the next walk needs.
        some = count - begin
        if some > size:
            some = math.ceil(some / math.ceil(some / size))
        seeds = seeds_op.apply([], (shape, item, begin, some, seeded.dtype))
        begin += some
        if batched:
            try:
                with Batch(some) as batch, Largest(batch, not sure) as measured:
                    pieces = walk_at_once(walk, seeds, batch)
                if not sure:
                    size, sure = size_of_chunk(count, chunks, measured.size, seeded), True
            except NeedsItems as error:
                logging.warn("A Jacobian is computed row by row: %s", error)
                batched = False
        if not batched:
            pieces = walk_each(walk, seeds)
        for i, piece in enumerate(pieces):
            stack = stacks[i]
            if piece is None or stack is None:
                stacks[i] = None
            else:
                stack.add(piece)
        # Nothing of this walk is kept while the next one runs.
        pieces = piece = seeds = None
    return [None if stack is None or not count else stacked(stack) for stack in stacks]


def stacked(pieces: core.Pieces) -> Tensor:
    together: Tensor | None = pieces.stacked()
    if together is not None:
        return together
    rows = pieces.pieces
    return rows[0] if len(rows) == 1 else joining.concat_op(rows, 0)


def size_of_chunk(count: int, chunks: Chunks, largest: int, seeded: EagerTensor) -> int:
    """How many seeds one walk takes, if the largest tensor of each has ``largest`` elements."""
    affordable = max(CHUNK_BYTES // (max(largest, 1) * seeded.dtype.size), 1)
    most = min(chunks.at_once or affordable, affordable)
    return most if chosen_less(most, count) else count


class Largest(core.Observer):
    """Notes how many elements the largest tensor of a walk has for each seed.

    Before a walk only an upper bound is known: a tape may keep tensors that are larger than all gradients.
    """

    def __init__(self, batch: Batch, wanted: bool) -> None:
        self.batch, self.wanted = batch, wanted
        self.size = 1

    def __enter__(self) -> Largest:
        if self.wanted:
            self.start()
        return self

    def observe(
        self,
        op: core.Op,
        inputs: list[EagerTensor],
        outputs: list[EagerTensor],
        attributes: tuple[Any, ...],
    ) -> None:
        for output in outputs:
            if core.in_batch(output, self.batch):
                self.size = max(self.size, elements_now(output._shape_tuple()))


def walk_at_once(walk: Walk, seeds: Tensor, batch: Batch) -> list[Any]:
    """The gradients for all ``seeds``, from one walk."""
    return [
        None if gradient is None else leave_batch(core.convert(gradient), batch)
        for gradient in walk(enter_batch(seeds, batch))
    ]


def walk_each(walk: Walk, seeds: Tensor) -> list[Any]:
    """`walk_at_once` by one walk for each seed."""
    walks = [walk(seed) for seed in joining.unstack_op(seeds)]
    return [
        None if parts[0] is None else joining.stack_op([core.convert(part) for part in parts])
        for parts in zip(*walks, strict=True)
    ]


@op("_UnitSeeds")
def seeds_op(
    xp: Any, *, shape: tuple[int, ...], item: tuple[int, ...], begin: int, size: int, dtype: Any
) -> Any:
    """For elements ``begin`` and so on arrays of ``shape``: ones at that element of each item."""
    count = math.prod(item)
    seeds = xp.zeros((size, 1, count), dtype.numpy_dtype)
    numbers = xp.arange(size)
    seeds[numbers, 0, begin + numbers] = 1
    # The same for all items of a batch Jacobian: rules see that by the stride of their axis.
    seeds = xp.broadcast_to(seeds, (size, math.prod(shape) // max(count, 1), count))
    return seeds.reshape((size, *shape))


seeds_op.shape(lambda shape, size, dtype: Abstract((size, *shape), dtype))
seeds_op.no_gradient(constant=True)


def elements_now(shape: tuple[Any, ...]) -> int:
    """How many elements the shape has in this call. Decisions by that are right for all open sizes."""
    return math.prod([hint_of(size) or 0 for size in shape] if holds_size(shape) else shape)


def shape_of(source: Any) -> tuple[int, ...]:
    """The shape of a tensor, or of a variable's value. This does not count as a reading of the variable."""
    shape: tuple[int, ...] = (
        source._snapshot if isinstance(source, VariableBase) else source
    )._shape_tuple()
    return shape

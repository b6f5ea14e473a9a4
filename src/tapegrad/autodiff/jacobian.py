"""Jacobians: one walk back over a tape with a batch of seeds, one seed for each element of the target.

Where the whole batch would take much memory, it is walked in chunks. A gradient function of the user's that
asks for values of what arrives cannot take a batch; then each seed gets a walk of its own.
"""

from __future__ import annotations

import math
from typing import Any

from tapegrad import core
from tapegrad.core import Batch, EagerTensor, NeedsItems, Tensor, VariableBase
from tapegrad.framework import logging
from tapegrad.ops.gradients import zeros
from tapegrad.ops.op import op
from tapegrad.ops.reduce.batches import enter_batch, leave_batch
from tapegrad.ops.shape import array

CHUNK_BYTES = 32 * 2**20
"""Chunks are as large as keeps the largest array of a walk to about so many bytes."""

Rows = list[Tensor | None]


def jacobian(
    tape: core.Tape, target: EagerTensor, sources: list[Any], at_once: int | None, release: bool
) -> list[Tensor | None]:
    """For each source the derivatives of every element of ``target``; None where nothing connects them.

    ``at_once`` is how many elements one walk takes, if it is given.
    """
    shape = target._shape_tuple()
    columns = gradients_of_elements(tape, target, shape, sources, at_once, release)
    return [
        whole(rows, (*shape, *shape_of(source)), source)
        for rows, source in zip(columns, sources, strict=True)
    ]


def batch_jacobian(
    tape: core.Tape, target: EagerTensor, source: Any, at_once: int | None, release: bool
) -> Tensor | None:
    """The Jacobian of each item of ``target`` by the same item of ``source``, stacked along the first axis.

    Items do not depend on each other, so one seed selects the same element of all items.
    """
    _, *item = target._shape_tuple()
    (rows,) = gradients_of_elements(tape, target, tuple(item), [source], at_once, release)
    stacked = whole(rows, (*item, *shape_of(source)), source)
    if stacked is None:
        return None
    axes = list(range(stacked.ndim))
    axes.insert(0, axes.pop(len(item)))
    batch_first: Tensor = array.transpose_op(stacked, axes)
    return batch_first


def gradients_of_elements(
    tape: core.Tape,
    target: EagerTensor,
    shape: tuple[int, ...],
    sources: list[Any],
    at_once: int | None,
    release: bool,
) -> list[Rows]:
    """For each source the gradients of the elements of ``shape``, which is that of the target or of one item.

    The gradients are stacked along the first axis, in as many tensors as there were walks.
    """
    count = math.prod(shape)
    known = max(target._shape_tuple(), *map(shape_of, sources), key=math.prod)
    size = size_of_chunk(count, at_once, max(tape.largest(), math.prod(known)), target)
    walks = []
    begin, batched, sure = 0, True, size == count
    try:
        while begin < count:
            some = min(size, count - begin)
            seeds = seeds_op.apply([], (target._shape_tuple(), shape, begin, some, target.dtype))
            begin += some
            if batched:
                try:
                    with Batch(some) as batch, Largest(batch, not sure) as largest:
                        walks.append(walk_at_once(tape, target, sources, seeds, batch))
                    if not sure:
                        size, sure = size_of_chunk(count, at_once, largest.size, target), True
                    continue
                except NeedsItems as error:
                    logging.warn("A Jacobian is computed row by row: %s", error)
                    batched = False
            walks.append(walk_each(tape, target, sources, seeds))
    finally:
        if release:
            tape.forget_records()
    return [[walk[i] for walk in walks] for i in range(len(sources))]


def size_of_chunk(count: int, at_once: int | None, largest: int, target: EagerTensor) -> int:
    """How many seeds one walk takes, if for each of them its largest tensor has ``largest`` elements."""
    affordable = max(CHUNK_BYTES // (max(largest, 1) * target.dtype.size), 1)
    return min(at_once or count, count, affordable)


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
                self.size = max(self.size, math.prod(output._shape_tuple()))


def walk_at_once(
    tape: core.Tape, target: EagerTensor, sources: list[Any], seeds: Tensor, batch: Batch
) -> Rows:
    """The gradients for all ``seeds`` by each source, from one walk."""
    seed = enter_batch(seeds, batch)
    gradients = core.compute_gradient(tape, [target], sources, [seed], False)
    return [
        None if gradient is None else leave_batch(core.convert(gradient), batch)
        for gradient in gradients
    ]


def walk_each(tape: core.Tape, target: EagerTensor, sources: list[Any], seeds: Tensor) -> Rows:
    """`walk_at_once` by one walk for each seed."""
    walks = [
        core.compute_gradient(tape, [target], sources, [seed], False)
        for seed in array.unstack_op(seeds)
    ]
    return [
        None if walks[0][i] is None else array.stack_op([core.convert(walk[i]) for walk in walks])
        for i in range(len(sources))
    ]


@op("_UnitSeeds")
def seeds_op(
    xp: Any, *, shape: tuple[int, ...], item: tuple[int, ...], begin: int, size: int, dtype: Any
) -> Any:
    """For elements ``begin`` and so on arrays of ``shape``: ones at that element of each item."""
    count = math.prod(item)
    seeds = xp.zeros((size, math.prod(shape) // max(count, 1), count), dtype.numpy_dtype)
    numbers = xp.arange(size)
    seeds[numbers, :, begin + numbers] = 1
    return seeds.reshape((size, *shape))


seeds_op.no_gradient(constant=True)


def whole(rows: Rows, shape: tuple[int, ...], source: Any) -> Tensor | None:
    """The gradients of all elements as one tensor."""
    if not rows:
        return zeros(shape, source.dtype)
    if rows[0] is None:
        return None
    together: Tensor = rows[0] if len(rows) == 1 else array.concat_op(rows, 0)
    reshaped: Tensor = array.reshape(together, shape)
    return reshaped


def shape_of(source: Any) -> tuple[int, ...]:
    """The shape of a tensor, or of a variable's value. This does not count as a reading of the variable."""
    shape: tuple[int, ...] = (
        source._value if isinstance(source, VariableBase) else source
    )._shape_tuple()
    return shape

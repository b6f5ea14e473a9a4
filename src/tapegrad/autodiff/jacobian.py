"""Jacobians: the walk back over a tape, once for each element of the target."""

from __future__ import annotations

import math
from typing import Any

from tapegrad import core
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.ops.gradients import zeros
from tapegrad.ops.op import op
from tapegrad.ops.shape import array


def jacobian(
    tape: core.Tape, target: EagerTensor, sources: list[Any], release: bool
) -> list[EagerTensor | None]:
    """For each source the derivatives of every element of ``target``; None where nothing connects them."""
    shape = target._shape_tuple()
    rows = [
        core.compute_gradient(tape, [target], sources, [seed], release and last)
        for seed, last in unit_seeds(target, shape)
    ]
    return [stack([row[i] for row in rows], shape, source) for i, source in enumerate(sources)]


def batch_jacobian(
    tape: core.Tape, target: EagerTensor, source: Any, release: bool
) -> EagerTensor | None:
    """The Jacobian of each item of ``target`` by the same item of ``source``, stacked along the first axis.

    Items do not depend on each other, so one walk takes the gradients of the same element of all items.
    """
    _, *item = target._shape_tuple()
    columns = [
        core.compute_gradient(tape, [target], [source], [seed], release and last)[0]
        for seed, last in unit_seeds(target, tuple(item))
    ]
    stacked = stack(columns, tuple(item), source)
    if stacked is None:
        return None
    axes = list(range(stacked.ndim))
    axes.insert(0, axes.pop(len(item)))
    batch_first: EagerTensor = array.transpose_op(stacked, axes)
    return batch_first


def unit_seeds(target: EagerTensor, shape: tuple[int, ...]) -> Any:
    """For each element of ``shape``, the seed that selects it, and whether it is the last.

    ``shape`` is that of the target or of one item of it.
    """
    whole, count = target._shape_tuple(), math.prod(shape)
    for begin in range(0, count, AT_ONCE):
        numbers = range(begin, min(begin + AT_ONCE, count))
        seeds = unit_seeds_op.apply([], (whole, count, numbers, target.dtype))
        for i, seed in zip(numbers, seeds, strict=True):
            yield seed, i == count - 1


AT_ONCE = 16
"""How many seeds one op makes. One at a time takes longer than a small walk; all at once take much memory."""


@op("_UnitSeeds", outputs=...)
def unit_seeds_op(
    xp: Any, *, shape: tuple[int, ...], count: int, numbers: range, dtype: Any
) -> list[Any]:
    """For each of ``numbers``, ones at that element of each run of ``count`` elements, zeros elsewhere."""
    seeds = xp.zeros((len(numbers), math.prod(shape) // count, count), dtype.numpy_dtype)
    for seed, number in zip(seeds, numbers, strict=True):
        seed[:, number] = 1
    return [seed.reshape(shape) for seed in seeds]


unit_seeds_op.no_gradient(constant=True)


def stack(rows: list[Any], shape: tuple[int, ...], source: Any) -> EagerTensor | None:
    """The gradients of single elements as one tensor, whose shape is ``shape`` and then the source's."""
    source_shape = shape_of(source)
    if not rows:
        return zeros(shape + source_shape, source.dtype)
    if all(row is None for row in rows):
        return None
    dense = [
        zeros(source_shape, source.dtype) if row is None else core.convert(row) for row in rows
    ]
    stacked: EagerTensor = array.reshape(array.stack_op(dense), shape + source_shape)
    return stacked


def shape_of(source: Any) -> tuple[int, ...]:
    """The shape of a tensor, or of a variable's value. This does not count as a reading of the variable."""
    shape: tuple[int, ...] = (
        source._value if isinstance(source, VariableBase) else source
    )._shape_tuple()
    return shape

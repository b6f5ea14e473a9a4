"""Maps functions that branch on values, as `tf.cond` does: items with equal values run as one group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad.batching.writes import undo
from tapegrad.core import Batch, NeedsItems, NotVectorized, Splits, Tensor
from tapegrad.errors import OpError
from tapegrad.framework import calls, nest
from tapegrad.ops.reduce.batches import take_items
from tapegrad.ops.shape import joining

Run = Callable[[Batch, list[Tensor]], Any]
"""A function of a batch, whose result is a nest of tensors with a first axis for the items."""


def in_groups(
    run: Run,
    make: Callable[[int], Batch],
    tensors: list[Tensor],
    size: int,
    shared: set[int],
    alone: bool = False,
) -> Any:
    """What ``run`` gives for ``size`` items, the slices of ``tensors`` along the first axis.

    ``run`` is called for all items. If it reads a value in which they differ, it runs again for each
    group of items with equal values: a function runs once for each path through it. Every run is
    one of whole functions, so gradients need no thought. ``shared`` has the places of tensors that all items
    share. With ``alone`` each item is a group from the start.

    What a group writes into variables is undone before the next one runs, so that all begin with the same
    values. Those of the group with the first item stay, as in TensorFlow.
    """
    batch = make(size)
    if alone:
        groups = [[i] for i in range(size)]
    else:
        try:
            return _run(run, batch, tensors)
        except Splits as split:
            if split.batch is not batch:
                raise
            groups = _groups_of(split, batch, size)
    with calls.as_one():
        return _parted(run, make, tensors, size, shared, groups)


def _parted(
    run: Run,
    make: Callable[[int], Batch],
    tensors: list[Tensor],
    size: int,
    shared: set[int],
    groups: list[list[int]],
) -> Any:
    """What ``run`` gives for one group after the other. Their draws go on in the same streams."""
    written: list[Callable[[], None]] = []
    pending = [
        np.array(group) for group in reversed(groups)
    ]  # the places of the items of each group
    done: list[tuple[Any, Any]] = []
    runs = 1
    while pending:
        places = pending.pop()
        batch = make(len(places))
        runs += 1
        here = [
            tensor if i in shared else take_items(tensor, places)
            for i, tensor in enumerate(tensors)
        ]
        try:
            done.append((places, _run(run, batch, here)))
        except Splits as split:
            if split.batch is not batch:
                raise
            groups = _groups_of(split, batch, size)
            if runs + len(pending) + len(groups) > size:
                # At most twice as many runs as a loop, however late the groups separate.
                groups = [[i] for i in range(len(places))]
            pending.extend(places[group] for group in reversed(groups))
        else:
            again = undo(batch)
            if 0 in places:
                written = again
    for write in written:
        write()
    if len(done) == 1:
        return done[0][1]
    return in_order([part for _, part in done], np.concatenate([places for places, _ in done]))


def _run(run: Run, batch: Batch, tensors: list[Tensor]) -> Any:
    """What ``run`` gives. Where the items cannot run at once, nothing stays written."""
    try:
        return run(batch, tensors)
    except NeedsItems:
        undo(batch)
        raise


def _groups_of(split: Splits, batch: Batch, size: int) -> list[list[int]]:
    """The items of each group. Raises ``split`` where a loop over the items costs less."""
    groups: list[list[int]] = split.groups()
    if 2 * len(groups) > size and batch.may_loop:
        raise split
    return groups


def in_order(parts: list[Any], places: Any) -> Any:
    """The results of groups as those of all items; ``places`` says where the items of the groups belong."""
    try:
        for part in parts[1:]:
            nest.assert_same_structure(parts[0], part)
        order = np.argsort(places)
        columns = zip(*map(nest.flatten, parts), strict=True)
        return nest.pack_sequence_as(parts[0], [_in_order(column, order) for column in columns])
    except (TypeError, ValueError, OpError) as error:
        raise NotVectorized(
            f"The items of a batch have results of different kinds: {error}"
        ) from None


def _in_order(column: tuple[Any, ...], order: Any) -> Any:
    if all(part is None for part in column):
        return None
    if len({(part.dtype, part.shape[1:].as_list().__repr__()) for part in column}) > 1:
        raise ValueError("they differ in shape or dtype")
    return take_items(joining.concat(list(column), 0), order)

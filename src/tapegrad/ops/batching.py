"""Batching rules: how an op runs over all items of a batch at once.

A batching rule gets a call on arrays with one axis more than the op expects, and makes one call of it:

    reshape.batching(lambda items, tensor, shape: items.run(tensor, shape=(items.size, *shape)))

``items`` is a `core.batching.Items`; after it come the inputs and the attributes of the op, in their order. A
batched input has the items along its first axis. An input that is the same for all items has no such axis:
``items.batched`` says which inputs are batched, and ``items.spread(x, 0)`` repeats input 0 for all items.
``items.run`` runs the op itself, with other attributes where they are named; ``items.call`` runs another op.
The result, or each of several, has the items along its first axis. `Same` marks results that have none. A
rule that gives None leaves the call to the loop over the items, which every op without a rule gets.

A rule works on arrays, not on tensors, and no observer sees its calls. They may be batched themselves, in
an outer batch. So a rule changes shapes by the methods ``reshape``, ``transpose`` and ``[...]`` and by the
functions below, and computes by ops.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad.core.batching import BROADCASTS, Items, Same, broadcast_to, moved_axis
from tapegrad.framework import logging

__all__ = ["BROADCASTS", "Items", "Same", "broadcast_to", "moved_axis"]

Rule = Callable[..., Any]


def note_loop(op_type: str) -> None:
    """Say, once for each op, that it runs item by item."""
    logging.warn_first_n(
        f"Using a loop over the items of the batch for {op_type}, which has no batching rule for these "
        "inputs: this is right, and slow.",
        1,
    )


# Rules for classes of ops


def with_axes(*names: str, new: int = 0) -> Rule:
    """For ops with attributes that name axes: the batch axis moves each axis of an item by one.

    An attribute is an axis, or several, or None for all. ``new`` is 1 if they are axes of a result with
    one axis more than the inputs have.
    """

    @functools.lru_cache(256)
    def moved(attributes: tuple[Any, ...], labels: tuple[str, ...], rank: int) -> Any:
        """The attributes that name axes, for all items; None if an item has no such axes."""
        axes_of_inputs = {
            label: moved_axes(value, rank + new)
            for label, value in zip(labels, attributes, strict=True)
            if label in names
        }
        return None if any(value is None for value in axes_of_inputs.values()) else axes_of_inputs

    def rule(items: Items, *values: Any) -> Any:
        op = items.op
        if len(items.batched) == 1 and not op.list_input:
            arrays = [values[0]]
        else:
            arrays = all_spread(items, arrays_of(items, values))
        arguments = items.attributes, op.attributes, arrays[0].ndim - 1
        try:
            changed = moved(*arguments)
        except TypeError:  # an axis that is a tensor
            changed = moved.__wrapped__(*arguments)
        return None if changed is None else items.run(*arrays, **changed)

    return rule


def moved_axes(axes: Any, rank: int) -> Any:
    """Axes of an item as axes of all items; None if an item of ``rank`` axes has no such axes."""
    if axes is None:
        return tuple(range(1, rank + 1))
    several = axes if isinstance(axes, (tuple, list)) else (axes,)
    if not all(-rank <= axis < rank for axis in several):
        return None
    moved = tuple([axis + 1 if axis >= 0 else axis for axis in several])
    return moved if isinstance(axes, (tuple, list)) else moved[0]


def arrays_of(items: Items, values: tuple[Any, ...]) -> list[Any]:
    """The arrays among the arguments of a rule, with lists flattened."""
    op = items.op
    arrays = list(values[: len(op.inputs)])
    return [*arrays[:-1], *arrays[-1]] if op.list_input else arrays


def all_spread(items: Items, arrays: list[Any]) -> list[Any]:
    return [items.spread(array, place) for place, array in enumerate(arrays)]


def leading(items: Items, *values: Any) -> Any:
    """For ops that work on the last axes, whatever is in front: the items are one axis more."""
    return items.run(*all_spread(items, arrays_of(items, values)))


def leading_but(*alone: int) -> Rule:
    """`leading` for ops that take one value for all leading axes as the inputs ``alone``."""

    def rule(items: Items, *values: Any) -> Any:
        if any(items.batched[place] for place in alone):
            return None
        arrays = arrays_of(items, values)
        return items.run(
            *[
                array if place in alone else items.spread(array, place)
                for place, array in enumerate(arrays)
            ]
        )

    return rule


def rows(*alone: int, sizes: tuple[str, ...] = ()) -> Rule:
    """For ops whose inputs have examples along the first axis: the items are more examples.

    The inputs ``alone`` are the same for all examples. The attributes ``sizes`` are shapes of examples.
    """

    def rule(items: Items, *values: Any) -> Any:
        if any(items.batched[place] for place in alone):
            return None
        arrays = [
            array if place in alone else items.spread(array, place)
            for place, array in enumerate(arrays_of(items, values))
        ]
        if any(place not in alone and array.ndim < 2 for place, array in enumerate(arrays)):
            return None
        arrays = [
            array if place in alone else end_to_end(array) for place, array in enumerate(arrays)
        ]
        changed = {
            name: (items.size * value[0], *value[1:])
            for name, value in zip(items.op.attributes, items.attributes, strict=True)
            if name in sizes
        }
        results = items.run(*arrays, **changed)
        if isinstance(results, (list, tuple)):
            return [apart(items, result) for result in results]
        return apart(items, results)

    return rule


def end_to_end(array: Any) -> Any:
    """The first axes of the items as one axis, item after item."""
    shape = array.shape
    return array.reshape((shape[0] * shape[1], *shape[2:]))


def apart(items: Items, array: Any) -> Any:
    shape = array.shape
    if not items.size:
        return array.reshape((0, *shape))
    return array.reshape((items.size, shape[0] // items.size, *shape[1:]))


def into_axis(array: Any, axis: int) -> Any:
    """The items in ``axis`` of each: what was there of the first item, then of the second."""
    moved = moved_axis(array, 0, axis)
    shape = moved.shape
    return moved.reshape((*shape[:axis], shape[axis] * shape[axis + 1], *shape[axis + 2 :]))


def out_of_axis(items: Items, array: Any, axis: int) -> Any:
    """The items taken out of ``axis``, where `into_axis` put them."""
    shape = array.shape
    length = shape[axis] // max(items.size, 1)
    apart = array.reshape((*shape[:axis], items.size, length, *shape[axis + 1 :]))
    return moved_axis(apart, axis, 0)


def channelwise(items: Items, *values: Any) -> Any:
    """For ops that handle each channel, along the last axis, separately: the items are more channels."""
    arrays = all_spread(items, arrays_of(items, values))
    results = items.run(*[into_axis(array, array.ndim - 2) for array in arrays])
    if isinstance(results, list):
        return [out_of_axis(items, result, result.ndim - 1) for result in results]
    return out_of_axis(items, results, results.ndim - 1)


def by_shape(items: Items, x: Any, *attributes: Any) -> Any:
    """For ops that look at the shape and dtype of their input alone: the result is the same for all items."""
    return Same(items.run(np.broadcast_to(np.zeros((), x.dtype), x.shape[1:])))

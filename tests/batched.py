"""Running rows of the sample table over a batch: what `test_batching` and its list of loops share."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

import tapegrad as tf
from samples import Run, _leaves, flatten
from samples.ask import dense, floats
from tapegrad import core
from tapegrad.ops.reduce.batches import enter_batch, leave_batch

SIZE = 2

Tensors = list[Any]


class Effects(core.Observer):
    """Which effects the ops had that ran meanwhile."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def observe(self, op: Any, inputs: Any, outputs: Any, attributes: Any) -> None:
        if op.effect is not None:
            self.found.add(op.effect.split()[0])


@contextlib.contextmanager
def noted_loops() -> Iterator[set[str]]:
    """The types of the ops that ran item by item meanwhile; the log is silent."""
    seen: set[str] = set()
    callbacks = core.callbacks()
    kept, callbacks.note_loop = callbacks.note_loop, seen.add
    try:
        yield seen
    finally:
        callbacks.note_loop = kept


def items_of(run: Run) -> list[list[np.ndarray[Any, Any]]]:
    """The inputs of the run, drawn once for each item of a batch."""
    draws = list(_leaves((run.case.args, run.case.kwargs)))
    other = [draw.array(run.generator(f"item {i}"), run.dtype) for i, draw in enumerate(draws)]
    if [array.shape for array in other] != [array.shape for array in run.arrays]:
        other = run.arrays
    return [run.arrays, other]


def choices(count: int) -> Iterator[tuple[bool, ...]]:
    """Every choice of which of so many inputs are batched; of many inputs each by itself, and all."""
    if count <= 3:
        yield from (
            choice for choice in itertools.product((True, False), repeat=count) if any(choice)
        )
    else:
        yield from (tuple(i == one for i in range(count)) for one in range(count))
        yield (True,) * count


def mixed(items: Any, choice: tuple[bool, ...], item: int) -> Tensors:
    """The tensors of one item."""
    return [tf.constant(items[item if own else 0][i]) for i, own in enumerate(choice)]


def stacked(items: Any, choice: tuple[bool, ...]) -> Tensors:
    """The tensors of all items, stacked where the choice says so."""
    return [
        tf.constant(np.stack([item[i] for item in items]) if own else items[0][i])
        for i, own in enumerate(choice)
    ]


def entered(tensors: Tensors, choice: tuple[bool, ...], batch: Any) -> Tensors:
    return [
        enter_batch(tensor, batch) if own else tensor
        for tensor, own in zip(tensors, choice, strict=True)
    ]


def outputs_of(run: Run, tensors: Tensors) -> Tensors:
    return [core.convert(output) for output in flatten(run(tf, tensors))]


def gradients_of(run: Run, tensors: Tensors, tape: Any = None) -> tuple[Tensors, Tensors]:
    """The results, and the gradients of the floating ones, weighted by the run's seeds, by the inputs."""
    sources = [tensor for tensor in tensors if floats(tensor)]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        outputs = [core.convert(output) for output in flatten(run(tf, tensors))]
        targets = [output for output in outputs if floats(output)]
        weights = seeds(run, targets)
    return outputs, tape.gradient(targets, sources, output_gradients=weights)


def seeds(run: Run, targets: Tensors) -> Tensors:
    return [
        tf.constant(run.seed(place, target.shape, np.dtype(target.dtype.as_numpy_dtype)))
        for place, target in enumerate(targets)
    ]


def left(value: Any, batch: Any) -> Any:
    return None if value is None else leave_batch(core.convert(value), batch)


def as_array(value: Any) -> Any:
    return None if value is None else dense(value)

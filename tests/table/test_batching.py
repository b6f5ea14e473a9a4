"""Ops over a batch: every row of the sample table equals the stack of what it gives for each item.

Asked for every choice of which inputs are batched: of the results, of the gradients that a tape within the
batch takes, and of those that a tape around it takes. Which ops run item by item is held in a list, which
only shrinks.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import batched
import tapegrad as tf
from batched import SIZE, Effects, entered, gradients_of, items_of, left, mixed, outputs_of, stacked
from samples import Run, Sample, all_samples, runs
from samples.ask import compare, dense, floats
from tapegrad import core
from tapegrad.core import Batch, NeedsItems
from tapegrad.ops.reduce.batches import enter_batch, leave_batch

DOCUMENT = (Path(__file__).parents[2] / "docs" / "batching.md").read_text()
LOOPS = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", DOCUMENT, flags=re.MULTILINE))
"""The differentiable ops that run item by item for some choice of batched inputs, and when."""

seen_loops: set[str] = set()


def cases(sample: Sample) -> Iterator[Run]:
    """Every case of the row once, in float32 if it is tried in that, without the kinks."""
    found: dict[str, Run] = {}
    for run in runs([sample]):
        if run.case not in sample.kinks and (run.dtype == "float32" or run.key not in found):
            found[run.key] = run
    yield from found.values()


class Question:
    """One case and one choice of batched inputs: what each item gives, and the inputs of all."""

    def __init__(self, run: Run, choice: tuple[bool, ...]) -> None:
        self.run, self.choice = run, choice
        self.items = items_of(run)

    def __repr__(self) -> str:
        return f"{self.run!r} with {self.choice} batched"

    @functools.cached_property
    def expected(self) -> list[Any] | None:
        """Results and gradients for each item; None where the op refuses one, or has effects."""
        effects = Effects()
        try:
            with effects:
                found = [self.ask(mixed(self.items, self.choice, i)) for i in range(SIZE)]
        except Exception:
            return None
        return None if effects.found & {"draws", "writes", "prints"} else found

    def ask(self, tensors: list[Any]) -> tuple[list[Any], list[Any]]:
        tf.random.set_seed(1)
        if self.run.sample.differentiable:
            return gradients_of(self.run, tensors)
        return outputs_of(self.run, tensors), []

    def stacked(self) -> list[Any]:
        return stacked(self.items, self.choice)

    def compare(self, what: str, actual: Any, expected: list[Any]) -> None:
        assert (actual is None) == (expected[0] is None), f"{what} of {self!r}"
        if actual is not None:
            wanted = np.stack([np.asarray(dense(each)) for each in expected])
            compare(np.asarray(dense(actual)), wanted, self.run, f"{what} of {self!r}", scale=1.0)

    def check_within(self) -> None:
        """A tape within the batch."""
        assert self.expected is not None
        with Batch(SIZE, effects=True) as batch:
            outputs, gradients = self.ask(entered(self.stacked(), self.choice, batch))
            outputs, gradients = ([left(x, batch) for x in xs] for xs in (outputs, gradients))
        for place, output in enumerate(outputs):
            self.compare(f"result {place}", output, [each[0][place] for each in self.expected])
        for place, gradient in enumerate(gradients):
            self.compare(f"gradient {place}", gradient, [each[1][place] for each in self.expected])

    def check_around(self) -> None:
        """A tape around the batch: what all items share gets the sum of their gradients."""
        assert self.expected is not None
        tensors = self.stacked()
        sources = [tensor for tensor in tensors if floats(tensor)]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            with Batch(SIZE, effects=True) as batch:
                tf.random.set_seed(1)
                outputs = outputs_of(self.run, entered(tensors, self.choice, batch))
                outputs = [left(output, batch) for output in outputs if floats(output)]
        weights = batched.seeds(self.run, [x for x in self.expected[0][0] if floats(x)])
        found = tape.gradient(outputs, sources, [tf.stack([w] * SIZE) for w in weights])
        own = [own for own, x in zip(self.choice, tensors, strict=True) if floats(x)]
        for place, (gradient, stacks) in enumerate(zip(found, own, strict=True)):
            expected = [each[1][place] for each in self.expected]
            if not stacks and gradient is not None and expected[0] is not None:
                total = np.sum([np.asarray(dense(each)) for each in expected], axis=0)
                expected, gradient = [total], np.asarray(dense(gradient))[None]
            self.compare(f"outer gradient {place}", gradient, expected)


def questions(sample: Sample) -> Iterator[Question]:
    for run in cases(sample):
        for choice in batched.choices(len(run.arrays)):
            question = Question(run, choice)
            if question.expected is not None:
                yield question


@pytest.mark.parametrize("sample", all_samples(), ids=lambda row: row.name)
def test_row_over_a_batch(sample: Sample) -> None:
    with np.errstate(all="ignore"), batched.noted_loops() as loops:
        for question in questions(sample):
            try:
                question.check_within()
                if sample.differentiable:
                    question.check_around()
            except NeedsItems:
                continue
    seen_loops.update(loops)
    unexpected = {op for op in loops if core.registry[op].differentiable == "yes"} - LOOPS.keys()
    assert not unexpected, f"{sorted(unexpected)} had batching rules and run item by item now"


def test_list_of_loops_only_shrinks(request: pytest.FixtureRequest) -> None:
    differentiable = {op.type for op in core.registry.values() if op.differentiable == "yes"}
    assert LOOPS.keys() <= differentiable
    assert len(LOOPS) <= len(differentiable) / 10
    rows = {item.name for item in request.session.items if "test_row_over_a_batch" in item.name}
    if len(rows) == len(all_samples()):
        assert LOOPS.keys() - seen_loops == set(), "these run all items at once now: take them out"


NESTED = [
    sample
    for sample in all_samples()
    if sample.elementwise or sample.name in {
        "matmul", "reduce_sum", "reduce_max", "reshape", "transpose", "concat", "stack", "gather", "pad",
        "nn.softmax", "nn.conv2d", "nn.max_pool", "einsum", "slice", "cumsum", "linalg.inv", "tile", "cast",
        "scatter_nd", "gather_nd", "math.unsorted_segment_sum", "expand_dims", "squeeze", "split", "where",
        "linalg.matmul", "linalg.cholesky", "linalg.det", "signal.fft", "sort", "nn.bias_add",
    }
]  # fmt: skip


@pytest.mark.parametrize("sample", NESTED, ids=lambda row: row.name)
def test_row_over_a_batch_of_batches(sample: Sample) -> None:
    """Half of the inputs are batched within, all in a batch around."""
    with np.errstate(all="ignore"), batched.noted_loops():
        for run in cases(sample):
            count = len(run.arrays)
            inner = tuple(place % 2 == 0 for place in range(count))
            question = Question(run, (True,) * count)
            if question.expected is None:
                continue
            items = question.items
            expected = []
            for i in range(SIZE):
                for j in range(SIZE):
                    rows = [items[(i + j if own else i) % SIZE][k] for k, own in enumerate(inner)]
                    expected.append(question.ask([tf.constant(row) for row in rows]))
            whole = [
                tf.constant(
                    np.stack(
                        [
                            np.stack([items[(i + j) % SIZE][k] for j in range(SIZE)])
                            if own
                            else items[i][k]
                            for i in range(SIZE)
                        ]
                    )
                )
                for k, own in enumerate(inner)
            ]
            try:
                with Batch(SIZE) as outer, Batch(SIZE) as within:
                    tensors = [enter_batch(tensor, outer) for tensor in whole]
                    outputs, gradients = question.ask(entered(tensors, inner, within))
                    found = [
                        None if x is None else leave_batch(left(x, within), outer)
                        for x in (*outputs, *gradients)
                    ]
            except NeedsItems:
                continue
            for place, value in enumerate(found):
                wanted = [(*out, *grads)[place] for out, grads in expected]
                assert (value is None) == (wanted[0] is None)
                if value is not None:
                    stack = np.stack([np.asarray(dense(each)) for each in wanted])
                    stack = stack.reshape((SIZE, SIZE, *stack.shape[1:]))
                    compare(np.asarray(dense(value)), stack, run, f"part {place}", scale=1.0)

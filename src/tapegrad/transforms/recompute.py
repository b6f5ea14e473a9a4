"""Which layers of a sequence to compute again for the gradient, so that it fits into a limit of memory.

``measure`` runs each layer alone and notes what it keeps. ``plan`` chooses with these numbers, by dynamic
programming. `RecomputeSequence` runs the layers as the plan says, with `tf.recompute_grad`.
"""

from __future__ import annotations

import functools
import itertools
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from tapegrad import core
from tapegrad.autodiff.custom import recompute_grad
from tapegrad.autodiff.tape import GradientTape
from tapegrad.engines.numpy import buffers
from tapegrad.errors import ResourceExhaustedError, refuse
from tapegrad.framework import nest, random_state
from tapegrad.transforms.wrt import check_callable, floats

PUBLIC = {"autodiff": "recompute_sequence"}

Array = np.ndarray[Any, Any]

# In how many parts the limit is divided: sizes are rounded up to such a part.
PARTS = 256
# Longer sequences are cut into so many groups: the choice costs the third power of their number.
GROUPS = 40

# A number is a layer that keeps what its gradient needs. A tuple is a segment that is computed again.
Segments = tuple[Any, ...]


class Measured(NamedTuple):
    """What a layer needs, in bytes and seconds.

    ``kept`` is what its records keep, the output included; ``peak`` the most that it and its gradient hold
    at once, and ``forward_peak`` the most that it holds if nothing is recorded.
    """

    kept: int
    output: int
    peak: int
    forward_peak: int
    seconds: float


class Plan(NamedTuple):
    """How a sequence is run for one shape of inputs.

    ``segments`` lists the layers by number, with a tuple around those that are computed again. ``memory``
    is what this needs by the measurements, and ``memory_without`` what it would need without
    recomputation, in bytes. ``again`` is how many forward runs are added, 1.0 being one of the whole
    sequence.
    """

    segments: Segments
    memory: int
    memory_without: int
    again: float


def recompute_sequence(
    layers: Sequence[Callable[[Any], Any]], memory_limit: int
) -> RecomputeSequence:
    """A function that runs ``layers`` one after the other, and whose gradient fits into ``memory_limit``
    bytes.

    >>> w = tf.Variable(tf.random.normal([64, 64], stddev=0.1))
    >>> layer = lambda x: tf.tanh(x @ w)
    >>> model = tf.autodiff.recompute_sequence([layer] * 8, memory_limit=2_000_000)
    >>> x = tf.random.normal([1000, 64])
    >>> model.plan(x).memory <= 2_000_000 < model.plan(x).memory_without
    True
    >>> with tf.GradientTape() as tape:
    ...     loss = tf.reduce_sum(model(x))
    >>> tape.gradient(loss, w).shape
    TensorShape([64, 64])

    When it is first called with inputs of some shape while something records, each layer and its gradient
    are run once alone, to measure what they keep and how long they take. Then the cheapest choice is made
    of what to keep and what to compute again with `tf.recompute_grad`, segments inside of segments
    included. Random ops draw the same numbers again.

    The limit is for tensors kept between the layers and inside of them, and for what the gradient needs
    besides. The weights, their gradients and the input come on top. Arrays of other libraries'
    allocators are not seen. Layers must not change variables: that would happen again with each run. Not
    in TensorFlow.

    Args:
        layers: functions, Keras layers or modules. Each takes what the one before returns: a tensor or a
            nest.
        memory_limit: in bytes.

    Raises:
        TypeError: a layer cannot be called, or the limit is no whole number.
        ValueError: there is no layer, or the limit is not positive.
        ResourceExhaustedError: when called: no choice fits. The message says how much would.
    """
    return RecomputeSequence(layers, memory_limit)


class RecomputeSequence:
    """What `recompute_sequence` returns."""

    def __init__(self, layers: Sequence[Callable[[Any], Any]], memory_limit: int) -> None:
        self.layers = tuple(layers)
        for layer in self.layers:
            check_callable("recompute_sequence", layer)
        if not self.layers:
            raise ValueError(
                "tf.autodiff.recompute_sequence() takes at least one layer; none came."
            )
        if isinstance(memory_limit, bool) or not isinstance(memory_limit, (int, np.integer)):
            raise TypeError(
                "tf.autodiff.recompute_sequence(): `memory_limit` is a whole number of bytes; "
                f"{memory_limit!r} came."
            )
        if memory_limit <= 0:
            raise ValueError(
                f"tf.autodiff.recompute_sequence(): `memory_limit` is positive; {memory_limit} came."
            )
        self.memory_limit = int(memory_limit)
        self._plans: dict[Any, Plan] = {}

    @core.public(computes=False)
    def __call__(self, inputs: Any) -> Any:
        """The result of the last layer."""
        if not core.is_recording():
            return self._run(tuple(range(len(self.layers))), inputs)
        return self._run(self.plan(inputs).segments, inputs)

    def plan(self, inputs: Any) -> Plan:
        """How inputs of this shape are run. Measures the layers, unless this shape has been here before."""
        tensors = [core.convert(leaf) for leaf in nest.flatten(inputs)]
        key = tuple((tensor._shape_tuple(), tensor.dtype.name) for tensor in tensors)
        known_plan = self._plans.get(key)
        if known_plan is None:
            measured = measure(self.layers, inputs)
            known_plan = self._plans[key] = plan(measured, self.memory_limit)
        return known_plan

    def _run(self, segments: Segments, inputs: Any) -> Any:
        for segment in segments:
            if isinstance(segment, tuple):
                inputs = recompute_grad(functools.partial(self._run, segment))(inputs)
            else:
                inputs = self.layers[segment](inputs)
        return inputs


def measure(layers: Sequence[Callable[[Any], Any]], inputs: Any) -> list[Measured]:
    """The memory and time of each layer, measured with the gradient by its input, not by its variables."""
    measured = []
    # The pool may lend an array a block that is larger than it needs, and idle: none is idle now.
    buffers.release_idle()
    # Random ops draw for the measurement what they draw afterwards.
    with core.apart(), random_state.replaying(random_state.snapshot()):
        for layer in layers:
            randomness = random_state.snapshot()
            with _allocations() as forward:
                outputs = layer(inputs)
            with random_state.replaying(randomness), _allocations() as both:
                seconds, kept = _run_with_gradient(layer, inputs, both)
            output = sum(_bytes(leaf) for leaf in nest.flatten(outputs))
            measured.append(Measured(max(kept, output), output, both.most, forward.most, seconds))
            inputs = outputs
    return measured


def _run_with_gradient(
    layer: Callable[[Any], Any], inputs: Any, allocations: _Allocations
) -> tuple[float, int]:
    """Run a layer and its gradient; return the layer's seconds, and the bytes kept between the two."""
    tensors = [core.alias(core.convert(leaf)) for leaf in nest.flatten(inputs)]
    sources: list[Any] = [tensor for tensor in tensors if floats(tensor)]
    with GradientTape() as tape:
        tape.watch(sources)
        began = time.perf_counter()
        returned = layer(nest.pack_sequence_as(inputs, tensors))
        seconds = time.perf_counter() - began
    targets = [tensor for tensor in map(core.convert, nest.flatten(returned)) if floats(tensor)]
    kept = allocations.now()
    # An integer input has no gradient: there the variables have to do, of an embedding for example.
    tape.gradient(targets, sources or list(tape.watched_variables()))
    return seconds, kept


class _Allocations:
    """What was allocated since this was made: in blocks of the pool, and in arrays that NumPy allocates."""

    def __init__(self) -> None:
        self.pool = buffers.statistics()["in_use"]
        self.traced = tracemalloc.get_traced_memory()[0]
        self.most = 0
        tracemalloc.reset_peak()

    def now(self) -> int:
        """The bytes that are in use."""
        pool = buffers.statistics()["in_use"] - self.pool
        return max(0, pool + tracemalloc.get_traced_memory()[0] - self.traced)


@contextmanager
def _allocations() -> Iterator[_Allocations]:
    """A context in which allocations are counted; ``most`` is right after it.

    ``most`` is an upper bound of the memory in use at once: the two peaks may be at different times. The
    pool's own peak is afterwards what it would have been.
    """
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    before = buffers.statistics()["most"]
    buffers.reset_peak()
    allocations = _Allocations()
    try:
        yield allocations
    finally:
        pool = buffers.statistics()["most"] - allocations.pool
        allocations.most = pool + tracemalloc.get_traced_memory()[1] - allocations.traced
        buffers.reset_peak(before)
        if not was_tracing:
            tracemalloc.stop()


def _bytes(leaf: Any) -> int:
    tensor = core.convert(leaf)
    return int(np.prod(tensor._shape_tuple(), dtype=np.int64)) * int(tensor.dtype.size)


def plan(measured: list[Measured], limit: int) -> Plan:
    """The fastest way to run layers within ``limit`` bytes."""
    groups = _groups(measured)
    everything = _memory_of_all(groups)
    if everything <= limit:
        return Plan(tuple(range(len(measured))), everything, everything, 0.0)
    choice = Choice([group for group, _ in groups], limit)
    if not np.isfinite(choice.seconds[0][-1][PARTS]):
        needed = Choice([group for group, _ in groups], everything)
        enough = int(np.argmax(np.isfinite(needed.seconds[0][-1]))) * needed.part
        refuse(
            f"tf.autodiff.recompute_sequence(): no choice of layers to recompute fits into {limit:,} bytes. "
            f"About {int(enough):,} bytes would do; without recomputation it takes {everything:,}.",
            error=ResourceExhaustedError,
        )
    numbers = [members for _, members in groups]
    segments = choice.segments(0, len(groups) - 1, PARTS, numbers)
    forward = sum(group.seconds for group, _ in groups)
    again = choice.seconds[0][-1][PARTS] / forward - 1.0 if forward else 0.0
    used = int(np.argmax(choice.seconds[0][-1] <= choice.seconds[0][-1][PARTS])) * choice.part
    return Plan(segments, min(limit, int(np.ceil(used))), everything, float(again))


def _groups(measured: list[Measured]) -> list[tuple[Measured, tuple[int, ...]]]:
    """The layers with their numbers; neighbours may be merged into one."""
    edges = np.linspace(0, len(measured), min(GROUPS, len(measured)) + 1).round().astype(int)
    groups = []
    for begin, end in itertools.pairwise(edges.tolist()):
        members = measured[begin:end]
        before = np.cumsum([0, *(member.kept for member in members)])
        group = Measured(
            kept=int(before[-1]),
            output=members[-1].output,
            peak=max(int(b) + m.peak for b, m in zip(before, members, strict=False)),
            forward_peak=max(m.forward_peak + m.output for m in members),
            seconds=sum(m.seconds for m in members),
        )
        groups.append((group, tuple(range(begin, end))))
    return groups


def _memory_of_all(groups: list[tuple[Measured, tuple[int, ...]]]) -> int:
    """What is needed if every layer keeps what its gradient needs."""
    kept, most = 0, 0
    for group, _ in groups:
        most = max(most, kept + group.peak)
        kept += group.kept
    return most


class Choice:
    """The cheapest ways to run every part of a sequence within every part of a limit.

    ``seconds[i][j][m]`` is how long layers i to j take, with what is computed again for their gradient, in m
    parts of the limit beside their input. Either layer i keeps its intermediate results, and the others have
    what is left; or layers i to k - 1 keep nothing: the others have all but the input of layer k, and then i
    to k - 1 run again, in all of m. The least of these is the best that can be done if a result, once kept,
    is kept until it is used.
    """

    def __init__(self, layers: list[Measured], limit: int) -> None:
        self.part = limit / PARTS
        self.layers = layers
        count = len(layers)
        kept, output, peak, forward_peak = (
            np.ceil(np.array(sizes) / self.part).astype(int)
            for sizes in zip(*(layer[:4] for layer in layers), strict=True)
        )
        time_of = np.cumsum([0.0, *(layer.seconds for layer in layers)])
        room = np.arange(PARTS + 1)
        self.seconds = [[np.full(PARTS + 1, np.inf)] * count for _ in range(count)]
        # For each: 0 if layer i keeps its intermediate results, else how many layers are computed again.
        self.again = [[np.zeros(PARTS + 1, int)] * count for _ in range(count)]
        self.kept, self.output = kept, output
        for i in reversed(range(count)):
            alone = np.where(room >= peak[i], layers[i].seconds, np.inf)
            self.seconds[i][i] = alone
            most = 0
            for j in range(i + 1, count):
                best = alone + _with_less(self.seconds[i + 1][j], kept[i])
                choice = np.zeros(PARTS + 1, int)
                most = 0
                for k in range(i + 1, j + 1):
                    # While layers i to k - 1 run again, what arrives at them and their result are there too.
                    # The peak of a single layer counts that.
                    held = 2 if k - 1 > i else 0
                    # While layer k - 1 runs, its input is there as well.
                    most = max(most, forward_peak[k - 1] + (output[k - 2] if k - 1 > i else 0))
                    other = (
                        (time_of[k] - time_of[i])
                        + _with_less(self.seconds[k][j], output[k - 1])
                        + _with_less(self.seconds[i][k - 1], held * output[k - 1])
                    )
                    other = np.where(room >= most, other, np.inf)
                    choice = np.where(other < best, k - i, choice)
                    best = np.minimum(best, other)
                self.seconds[i][j] = best
                self.again[i][j] = choice

    def segments(self, i: int, j: int, room: int, numbers: list[tuple[int, ...]]) -> Segments:
        """The choice for layers i to j, with the numbers that they have outside."""
        if i > j:
            return ()
        again = int(self.again[i][j][room])
        if again == 0:
            rest = self.segments(i + 1, j, room - int(self.kept[i]), numbers)
            return (*numbers[i], *rest)
        k = i + again
        less = 2 * int(self.output[k - 1]) if k - 1 > i else 0
        inner = self.segments(i, k - 1, room - less, numbers)
        return (inner, *self.segments(k, j, room - int(self.output[k - 1]), numbers))


def _with_less(seconds: Array, parts: int) -> Array:
    """The seconds for each size of the memory, of which ``parts`` are in use."""
    if parts == 0:
        return seconds
    shifted = np.full_like(seconds, np.inf)
    shifted[parts:] = seconds[: max(0, len(seconds) - parts)]
    return shifted

"""The random state: the global seed, and how far each stream has been drawn.

A stateful op gets a key and a counter from ``reserve``, and draws there. The streams are TensorFlow's, so a
seeded program draws TensorFlow's numbers. The global seed is the key, and the op seed is the upper half of
the counter. An op without a seed of its own gets one from a generator that the global seed started.
``engines.numpy.random`` makes the numbers themselves.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from tapegrad.core import refuse_recording
from tapegrad.framework import calls

PUBLIC = {
    "random": "set_seed",
}


if TYPE_CHECKING:
    from random import Random

# TensorFlow keeps seeds below this. Two zeros mean "no seed" to it, so it takes this as the op seed then.
_LARGEST = 2**31 - 1
_WORD, _COUNTER = (1 << 64) - 1, (1 << 128) - 1
# The global seed if the program has set none and the op has a seed.
_DEFAULT_GLOBAL_SEED = 87654321


class _OpSeeds:
    """The generator that a global seed starts. Made on first use: it takes microseconds."""

    def __init__(self, seed: Any) -> None:
        self.seed = seed
        self.by_name: dict[str, Random] = {}

    @property
    def generator(self) -> Random:
        generator = self.by_name.get("generator")
        if generator is None:
            from random import Random

            # Two threads that arrive here at the same time both get the generator of one of them.
            generator = self.by_name.setdefault("generator", Random(self.seed))
        return generator


class Saved(NamedTuple):
    """What ``snapshot`` remembers; hand it to ``restore`` or ``replaying``."""

    seed: Any
    op_seeds: Any
    drawn: dict[tuple[Any, ...], int]
    unseeded: tuple[int, int]
    generators: list[tuple[Any, Any]]
    call: Any


class _State:
    """The random state, one for the process."""

    def __init__(self) -> None:
        self.seed: Any = None  # the global seed, as the user gave it
        # Ops without a seed get one here, if there is a global seed.
        self.op_seeds: _OpSeeds | None = None
        # (op type, dtypes, seeds) -> how many counters of that stream are used up.
        self.drawn: dict[tuple[Any, ...], int] = {}
        # Draws without a seed: one stream, whose key is drawn from the system's entropy at the first draw.
        self.unseeded_key = 0
        self.unseeded_counter = 0


_state = _State()
# The generators that are alive, because a replay has to reset them too.
_generators: weakref.WeakSet[Any] = weakref.WeakSet()


_number_of_replica: Callable[[Any], int | None] | None = None


def say_replica(function: Callable[[Any], int | None]) -> None:
    """Let ``function`` say which replica of the strategy that it is given runs: `tf.distribute`."""
    global _number_of_replica
    _number_of_replica = function


def replica_of(variable: Any) -> int | None:
    """The number of the replica that runs, if ``variable`` was made in the scope of its strategy."""
    strategy = variable._distribute_strategy
    if strategy is None or _number_of_replica is None:
        return None
    return _number_of_replica(strategy)


def set_seed(seed: Any) -> None:
    """Set the global random seed, and start all streams of stateful random ops again.

    The same seed and the same calls give the same numbers, and these are TensorFlow's.
    In a `tf.function` this sets the seed of that function alone, from there on, as in TensorFlow.
    ``None`` takes the seed away: draws are then different each time. ``tf.random.Generator`` objects have
    states of their own, which do not change.

    >>> import tapegrad as tf
    >>> tf.random.set_seed(1)
    >>> first = tf.random.uniform([3])
    >>> second = tf.random.uniform([3])          # goes on: other numbers
    >>> tf.random.set_seed(1)
    >>> bool(tf.reduce_all(tf.random.uniform([3]) == first))
    True

    Args:
        seed: an integer, or None.
    """
    if seed is not None and not isinstance(seed, (int, float, str, bytes)):
        seed = int(seed)
    call = calls.current()
    if call is not None:
        call.seed = seed
        return
    calls.restart()
    _state.drawn.clear()
    if seed is None:
        _state.seed = _state.op_seeds = None
        return
    _state.seed = seed
    _state.op_seeds = _OpSeeds(seed)


def global_seed() -> Any:
    """The global seed as the user gave it, or None."""
    call = calls.current()
    return _state.seed if call is None else call.seed


def new_streams() -> calls.Streams:
    """The streams of a function that is called now for the first time."""
    return calls.Streams(_state.seed)


def op_seed_of(seed: Any) -> int | None:
    """The seed of an op for the ``seed`` argument of a public function; None for None."""
    return None if seed is None else whole_seed(seed)


def get_seed(op_seed: Any) -> tuple[int | None, int | None]:
    """The pair of seeds of an op with this ``seed`` argument; two Nones if no seed is set."""
    call = calls.current()
    global_seed = _state.seed
    if call is not None:
        global_seed, op_seed = call.get_seed(op_seed)
        if op_seed is None:
            return None, None
        if global_seed is None:
            global_seed = _DEFAULT_GLOBAL_SEED
    elif global_seed is None:
        if op_seed is None:
            return None, None
        global_seed = _DEFAULT_GLOBAL_SEED
    elif op_seed is None:
        op_seeds = _state.op_seeds
        if op_seeds is None:  # another thread has removed the seed since the line above
            return None, None
        op_seed = op_seeds.generator.randint(0, _LARGEST)
    first, second = whole_seed(global_seed), whole_seed(op_seed)
    return (0, _LARGEST) if first == second == 0 else (first, second)


def whole_seed(seed: Any) -> int:
    """A seed that a user gave, as TensorFlow's ops keep it.

    Raises:
        TypeError: for a string, a list and their like.
    """
    if type(seed) is int and 0 <= seed < _LARGEST:
        return seed
    if isinstance(seed, (str, bytes, list, tuple, dict)):
        raise TypeError(f"A random seed must be an integer, but {seed!r} came.")
    if getattr(seed, "shape", ()) != ():
        # TensorFlow Probability gives a seed of two integers first, and looks for TensorFlow's words.
        raise TypeError(f"Expected int for argument 'seed2' not {seed!r}.")
    return int(seed) % _LARGEST


def reserve(
    op_type: str, stream: str, seed: int | None, seed2: int | None, counters: int
) -> tuple[int, int]:
    """A key and a counter for an op that draws. No other draw uses these counters.

    Args:
        op_type: TensorFlow's name of the op.
        stream: the op's dtypes, which distinguish its streams.
        seed: the global seed of the op, or None for the one that `set_seed` has set.
        seed2: the op's own seed, or None if it has none. Two zeros mean that there is no seed at all.
        counters: how far the stream moves on.
    """
    call = calls.current()
    if seed is None:
        if seed2 is None and call is None and _state.seed is None:
            return _reserve_unseeded(counters)
        first, second = get_seed(seed2)
        if first is None or second is None:
            return _reserve_unseeded(counters, call)
        if seed2 is None and call is None:
            # The op seed is a new draw of the generator: this stream is used once and need not be kept.
            return first, second << 64
    else:
        first, second = seed, seed2 or 0
        if first == second == 0:
            return _reserve_unseeded(counters, call)
    name = (op_type, stream, first, second)
    if call is not None:
        return first & _WORD, (second << 64) + call.take(name, counters) & _COUNTER
    start = _state.drawn.get(name, 0)
    _state.drawn[name] = start + counters
    return first & _WORD, (second << 64) + start & _COUNTER


def _reserve_unseeded(counters: int, call: Any = None) -> tuple[int, int]:
    if call is not None:
        call.take(None, counters)
    if not _state.unseeded_key:
        _state.unseeded_key = int.from_bytes(os.urandom(8), "little") | 1
        _state.unseeded_counter = int.from_bytes(os.urandom(8), "little") << 64
    start = _state.unseeded_counter
    _state.unseeded_counter = start + counters
    return _state.unseeded_key, start


def _forget_unseeded() -> None:
    _state.unseeded_key = 0


# A child process must not draw its parent's numbers.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_unseeded)


def non_deterministic_integers(count: int) -> list[int]:
    """``count`` signed 64-bit integers from the system's entropy."""
    return [int.from_bytes(os.urandom(8), "little", signed=True) for _ in range(count)]


def register_generator(generator: Any) -> None:
    """Let replays reset ``generator``, by its methods ``_get_state`` and ``_set_state``."""
    _generators.add(generator)


def snapshot() -> Saved:
    """The random state now. With `replaying`, the next draws can be repeated."""
    if not _state.unseeded_key:
        _reserve_unseeded(0)
    call = calls.current()
    return Saved(
        _state.seed,
        None if _state.op_seeds is None else _state.op_seeds.generator.getstate(),
        dict(_state.drawn),
        (_state.unseeded_key, _state.unseeded_counter),
        [(weakref.ref(generator), generator._get_state()) for generator in list(_generators)],
        call.state() if type(call) is calls.Call else None,
    )


def restore(saved: Saved) -> None:
    """Go back to a ``snapshot``: the same draws give the same numbers again."""
    _state.seed = saved.seed
    if saved.op_seeds is None:
        _state.op_seeds = None
    else:
        if _state.op_seeds is None:
            _state.op_seeds = _OpSeeds(saved.seed)
        _state.op_seeds.generator.setstate(saved.op_seeds)
    _state.drawn = dict(saved.drawn)
    _state.unseeded_key, _state.unseeded_counter = saved.unseeded
    for reference, state in saved.generators:
        generator = reference()
        if generator is not None:
            generator._set_state(state)
    if saved.call is not None:
        saved.call[0].reset(saved.call)


@contextmanager
def replaying(saved: Saved) -> Iterator[None]:
    """Within the block, repeat the draws that followed ``saved``. Afterwards the state is as before."""
    refuse_recording("random numbers that are drawn a second time")
    now = snapshot()
    restore(saved)
    try:
        yield
    finally:
        restore(now)

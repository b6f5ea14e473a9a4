"""Where the next random numbers come from: the global seed, and how far each stream has been drawn.

A stateful op asks ``reserve`` for a key and a counter and draws there. Streams are those TensorFlow uses,
so a seeded program draws TensorFlow's numbers: the pair (global seed, op seed) is the key and the upper half
of the counter; an op without a seed of its own takes its op seed from a generator that the global seed
started. The numbers themselves are made in ``engines.numpy.random``.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

PUBLIC = {
    "random": "set_seed",
}


if TYPE_CHECKING:
    from random import Random

# TensorFlow keeps seeds below this, and takes this one where both would be zero, which means "no seed" to it.
_LARGEST = 2**31 - 1
_WORD, _COUNTER = (1 << 64) - 1, (1 << 128) - 1
# The global seed where only an op has one.
_DEFAULT_GLOBAL_SEED = 87654321


class Saved(NamedTuple):
    """What ``snapshot`` remembers; hand it to ``restore`` or ``replaying``."""

    seed: Any
    op_seeds: Any
    drawn: dict[tuple[Any, ...], int]
    unseeded: tuple[int, int]
    generators: list[tuple[Any, Any]]


class _State:
    """The process's one random state."""

    def __init__(self) -> None:
        self.seed: Any = None  # the global seed, as the user gave it
        self.op_seeds: Random | None = (
            None  # where ops without a seed get one, if there is a global seed
        )
        self.drawn: dict[
            tuple[Any, ...], int
        ] = {}  # by (op type, dtype, seeds): counters used up so far
        # Draws without any seed: a stream under a key from the system's entropy, made when first needed.
        self.unseeded_key = 0
        self.unseeded_counter = 0


_state = _State()
# Generators alive: a replay has to take their states back too.
_generators: weakref.WeakSet[Any] = weakref.WeakSet()


def set_seed(seed: Any) -> None:
    """Set the global random seed, and start all streams of stateful random ops anew.

    The same seed gives the same numbers in the same order of calls, and those that TensorFlow gives.
    ``None`` takes the seed away: draws are then different each time. ``tf.random.Generator`` objects have
    states of their own and are not touched.

    >>> import tapegrad as tf
    >>> tf.random.set_seed(1)
    >>> first = tf.random.uniform([3])
    >>> second = tf.random.uniform([3])          # goes on: other numbers
    >>> tf.random.set_seed(1)
    >>> bool(tf.reduce_all(tf.random.uniform([3]) == first))
    True
    """
    if seed is not None and not isinstance(seed, (int, float, str, bytes)):
        seed = int(seed)
    _state.drawn.clear()
    if seed is None:
        _state.seed = _state.op_seeds = None
        return
    from random import Random

    _state.op_seeds = Random(seed)
    _state.seed = seed


def op_seed_of(seed: Any) -> int | None:
    """What the ``seed`` argument of a public function means to the op behind it: None stays None."""
    return None if seed is None else whole_seed(seed)


def get_seed(op_seed: Any) -> tuple[int | None, int | None]:
    """The pair of seeds an op draws with, from its own ``seed`` argument; two Nones where nobody set one."""
    global_seed = _state.seed
    if global_seed is None:
        if op_seed is None:
            return None, None
        global_seed = _DEFAULT_GLOBAL_SEED
    elif op_seed is None:
        op_seeds = _state.op_seeds
        if op_seeds is None:  # another thread has taken the seed away since the line above
            return None, None
        op_seed = op_seeds.randint(0, _LARGEST)
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
    return int(seed) % _LARGEST


def reserve(
    op_type: str, stream: str, seed: int | None, seed2: int | None, counters: int
) -> tuple[int, int]:
    """A key and a counter for an op that draws: nobody else draws there, and the next draw begins behind it.

    Args:
        op_type: TensorFlow's name of the op.
        stream: what else tells the op's streams apart, which is its dtypes.
        seed: the global seed of the op, or None for the one that `set_seed` has set.
        seed2: the op's own seed, or None if it has none. Two zeros mean that there is no seed at all.
        counters: how far the stream moves on.
    """
    if seed is None:
        first, second = get_seed(seed2)
        if first is None or second is None:
            return _reserve_unseeded(counters)
        if seed2 is None:
            # The op seed is fresh from the global generator: a stream of one draw is not worth remembering.
            return first, second << 64
    else:
        first, second = seed, seed2 or 0
        if first == second == 0:
            return _reserve_unseeded(counters)
    place = (op_type, stream, first, second)
    start = _state.drawn.get(place, 0)
    _state.drawn[place] = start + counters
    return first & _WORD, (second << 64) + start & _COUNTER


def _reserve_unseeded(counters: int) -> tuple[int, int]:
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
    """Let replays take ``generator`` back to its earlier state: it has ``_get_state`` and ``_set_state``."""
    _generators.add(generator)


def snapshot() -> Saved:
    """The random state now, so that what is drawn next can be drawn again."""
    if not _state.unseeded_key:
        _reserve_unseeded(0)
    return Saved(
        _state.seed,
        None if _state.op_seeds is None else _state.op_seeds.getstate(),
        dict(_state.drawn),
        (_state.unseeded_key, _state.unseeded_counter),
        [(weakref.ref(generator), generator._get_state()) for generator in list(_generators)],
    )


def restore(saved: Saved) -> None:
    """Go back to a ``snapshot``: the same draws give the same numbers again."""
    _state.seed = saved.seed
    if saved.op_seeds is None:
        _state.op_seeds = None
    else:
        if _state.op_seeds is None:
            from random import Random

            _state.op_seeds = Random()
        _state.op_seeds.setstate(saved.op_seeds)
    _state.drawn = dict(saved.drawn)
    _state.unseeded_key, _state.unseeded_counter = saved.unseeded
    for reference, state in saved.generators:
        generator = reference()
        if generator is not None:
            generator._set_state(state)


@contextmanager
def replaying(saved: Saved) -> Iterator[None]:
    """Within the block, draw what was drawn after ``saved``; afterwards go on as if nothing were."""
    now = snapshot()
    restore(saved)
    try:
        yield
    finally:
        restore(now)

"""What compares a recorded function with the undecorated one, for programs that try to tell them apart."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapegrad as tf


def replays(function: Any) -> int:
    """How many calls were replayed so far."""
    return sum(program.replays for program in function._recordings.values())


def same(one: Any, other: Any) -> None:
    """The same structure, dtypes, shapes and bits."""
    tf.nest.assert_same_structure(one, other, expand_composites=True)
    for x, y in zip(
        tf.nest.flatten(one, expand_composites=True),
        tf.nest.flatten(other, expand_composites=True),
        strict=True,
    ):
        if x is None or y is None:
            assert x is y
            continue
        a, b = np.asarray(tf.convert_to_tensor(x)), np.asarray(tf.convert_to_tensor(y))
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if a.dtype.hasobject:
            assert a.tolist() == b.tolist()
        else:
            assert a.tobytes() == b.tobytes(), (a, b)


def compare(make: Any, calls: list[Any], least: int | None = None) -> Any:
    """``make()`` gives a function with state of its own, once for Python and once recorded.

    A call is a tuple of arguments, or a function that changes something, which gets what ``make`` gave.
    """
    python, target = make(), make()
    plain = python[0] if isinstance(python, tuple) else python
    recorded = tf.function(target[0] if isinstance(target, tuple) else target)
    for call in calls:
        if callable(call):
            call(python)
            call(target)
        else:
            same(recorded(*call), plain(*call))
    if least is not None:
        assert replays(recorded) >= least, str(recorded.explain())
    return recorded


X = [tf.constant(value) for value in (1.0, -2.0, 3.0, 0.5, -2.0, 1.0)]
ONE = [(x,) for x in X]

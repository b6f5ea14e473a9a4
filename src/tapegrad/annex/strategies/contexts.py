"""Which strategy, and which replica of it, the code that runs belongs to: a stack in every thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tapegrad.core.signatures import stand_at
from tapegrad.framework import random_state, variable

if TYPE_CHECKING:
    from tapegrad.annex.strategies.strategy import ReplicaContext, Strategy

PUBLIC = {
    "distribute": (
        "experimental_set_strategy get_replica_context get_strategy has_strategy "
        "in_cross_replica_context"
    ),
    "__internal__.distribute": "strategy_supports_no_merge_call variable_sync_on_read_context",
    "__internal__.distribute.interim": "maybe_merge_call",
}


class Frame:
    """A strategy, and one of its replicas, or None for code that belongs to all replicas at once.

    ``copy`` is the number of the copy of its variables that such code reads and writes; None for all copies.
    """

    __slots__ = ("copy", "replica", "strategy")

    def __init__(
        self, strategy: Strategy, replica: ReplicaContext | None, copy: int | None = None
    ) -> None:
        self.strategy = strategy
        self.replica = replica
        self.copy = copy

    def __enter__(self) -> Strategy:
        frames().append(self)
        stand_at(_place_of(self))
        return self.strategy

    def __exit__(self, *error: object) -> None:
        stack = frames()
        if not stack or stack[-1] is not self:
            raise RuntimeError(
                "The scopes of tf.distribute strategies must be left in the opposite order to that "
                f"in which they were entered: the scope of {self.strategy} is not the innermost one."
            )
        stack.pop()
        stand_at(_place_of(stack[-1]) if stack else None)


def _place_of(frame: Frame) -> tuple[int, int] | None:
    """Which copies of variables are read here. What `tf.function` has recorded holds for no others."""
    if frame.strategy.num_replicas_in_sync == 1:
        return None
    number = frame.copy if frame.replica is None else frame.replica._replica_id_in_sync_group
    return None if number is None else (frame.strategy._serial, number)


class _Frames(threading.local):
    def __init__(self) -> None:
        self.stack: list[Frame] = []


_frames = _Frames()
_lowest: list[
    Frame
] = []  # what holds outside all scopes: the default strategy, or the one that was set
_default: list[Frame] = []  # the context of the default strategy, which `strategy` sets


def frames() -> list[Frame]:
    """The scopes that this thread is in, the innermost last."""
    return _frames.stack


def set_default_frame(frame: Frame) -> None:
    """Make ``frame`` the one that holds where no scope was entered and no strategy was set."""
    _default.append(frame)


def default_frame() -> Frame:
    """The default strategy and its replica."""
    return _default[0]


def current() -> Frame:
    """The innermost scope."""
    stack = _frames.stack
    if stack:
        return stack[-1]
    return _lowest[-1] if _lowest else default_frame()


def get_strategy() -> Strategy:
    """The strategy whose scope this is; outside all scopes, the default strategy of one replica.

    >>> tf.distribute.get_strategy().num_replicas_in_sync
    1
    """
    return current().strategy


def has_strategy() -> bool:
    """Whether there is a strategy other than the default one.

    >>> with tf.distribute.OneDeviceStrategy("/cpu:0").scope():
    ...     print(tf.distribute.has_strategy())
    True
    """
    return current().strategy is not default_frame().strategy


def get_replica_context() -> ReplicaContext | None:
    """The replica that this code computes, or None in a scope outside `Strategy.run`."""
    return current().replica


def in_cross_replica_context() -> bool:
    """Whether this code belongs to all replicas at once: in a scope, and outside `Strategy.run`."""
    return current().replica is None


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Make ``strategy`` hold outside all scopes, in every thread; with None, the default one again.

    Args:
        strategy: a `tf.distribute.Strategy`, or None.

    Raises:
        RuntimeError: in a scope.
    """
    if frames():
        raise RuntimeError(
            "tf.distribute.experimental_set_strategy() must be called outside all scopes; "
            f"this is the scope of {frames()[-1].strategy}."
        )
    if strategy is not None and not hasattr(strategy, "extended"):
        raise AttributeError(
            "tf.distribute.experimental_set_strategy() takes a strategy or None; "
            f"{strategy!r} came, a {type(strategy).__name__}."
        )
    _lowest.clear()
    if strategy is not None:
        _lowest.append(Frame(strategy, None))


def strategy_supports_no_merge_call() -> bool:
    """Whether a replica updates its variables itself, and need not wait for the others.

    It need not where there is one replica.
    """
    return not current().strategy.extended._use_merge_call()


def maybe_merge_call(fn: Any, strategy: Strategy, *args: Any, **kwargs: Any) -> Any:
    """``fn(strategy, *args, **kwargs)``, called by each replica if that will do, else by `merge_call`.

    Args:
        fn: a function of the strategy and of the other arguments.
        strategy: the strategy of the replica that calls.
        *args: the other arguments, which may also be passed by name.
    """
    replica = current().replica
    if replica is None or strategy_supports_no_merge_call():
        return fn(strategy, *args, **kwargs)
    return replica.merge_call(fn, args=args, kwargs=kwargs)


def _strategy_of_variables() -> Strategy | None:
    """What a new variable says of the strategy in whose scope it was made."""
    strategy = current().strategy
    return None if strategy is default_frame().strategy else strategy


def _number_of_replica(strategy: Strategy) -> int | None:
    """Which replica of the strategy this code computes; None where it belongs to all, or to another one."""
    frame = current()
    if frame.strategy is not strategy or frame.replica is None:
        return None
    return frame.replica._replica_id_in_sync_group


variable.say_strategy(_strategy_of_variables)
random_state.say_replica(_number_of_replica)


@contextmanager
def variable_sync_on_read_context() -> Iterator[None]:
    """A context in which variables of several replicas are read as their sum or mean, as they always are."""
    yield

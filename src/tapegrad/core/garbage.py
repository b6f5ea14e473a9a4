"""Python's garbage collector while functions are recorded and compiled.

A recording makes thousands of objects that stay. Python takes that for a reason to look at every object of
the program, again and again: where Keras is imported, each time takes as long as an eager step of a small
network (decision 0580). So it looks at new objects alone meanwhile.
"""

import gc
import os
import threading

HELD = 2**30 + 1  # as the thresholds of older objects: no program sets this number

# Finalizers release too, at any moment, also while this thread has the lock.
_lock = threading.RLock()
_holders = 0
_thresholds = gc.get_threshold()


def hold() -> None:
    """Let only new objects be looked at, until `release` has been called as often as this."""
    global _holders, _thresholds
    with _lock:
        _holders += 1
        now = gc.get_threshold()
        if now[1] != HELD:
            _thresholds = now
            gc.set_threshold(now[0], HELD, HELD)


def release() -> None:
    """The opposite of `hold`. Thresholds that the program has set meanwhile stay."""
    global _holders
    with _lock:
        _holders = max(_holders - 1, 0)  # after a fork some are not counted
        if _holders == 0 and gc.get_threshold()[1] == HELD:
            gc.set_threshold(*_thresholds)


def _begin_child() -> None:
    """In the child of a fork other threads, which may have the lock or hold, are gone."""
    global _lock, _holders
    _lock, _holders = threading.RLock(), 0
    release()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_begin_child)

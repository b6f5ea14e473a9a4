"""``tf.compat.v1.logging``: messages through ``tf.get_logger()``, which is one of Python's logging."""

from __future__ import annotations

import logging
import sys
from typing import Any

from tapegrad.core import public
from tapegrad.framework.logging import get_logger

PUBLIC = {
    "compat.v1.logging": (
        "DEBUG ERROR FATAL INFO TaskLevelStatusMessage WARN debug error fatal flush get_verbosity "
        "info log log_every_n log_first_n log_if set_verbosity vlog warn warning"
    ),
}

DEBUG, INFO, WARN = logging.DEBUG, logging.INFO, logging.WARNING
ERROR, FATAL = logging.ERROR, logging.CRITICAL

_calls: dict[tuple[str, int], int] = {}
"""How often each line of a program has called `log_every_n` or `log_first_n`."""


@public
def log(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Log ``msg % args`` at ``level``.

    Args:
        level: ``DEBUG``, ``INFO``, ``WARN``, ``ERROR`` or ``FATAL`` of `tf.compat.v1.logging`, or another
            int.
        msg: a text, with places for ``args`` as the operator % has them.
        *args: the values for these places.
    """
    get_logger().log(level, msg, *args, **kwargs)


vlog = log


@public
def debug(msg: str, *args: Any, **kwargs: Any) -> None:
    """Log ``msg % args`` at the level DEBUG.

    Args:
        msg: a text, with places for ``args`` as the operator % has them.
        *args: the values for these places.
    """
    get_logger().debug(msg, *args, **kwargs)


@public
def info(msg: str, *args: Any, **kwargs: Any) -> None:
    """Log ``msg % args`` at the level INFO.

    >>> tf.compat.v1.logging.info("step %d", 3)      # not shown at the usual level, WARN

    Args:
        msg: a text, with places for ``args`` as the operator % has them.
        *args: the values for these places.
    """
    get_logger().info(msg, *args, **kwargs)


@public
def warning(msg: str, *args: Any, **kwargs: Any) -> None:
    """Log ``msg % args`` at the level WARN.

    Args:
        msg: a text, with places for ``args`` as the operator % has them.
        *args: the values for these places.
    """
    get_logger().warning(msg, *args, **kwargs)


warn = warning


@public
def error(msg: str, *args: Any, **kwargs: Any) -> None:
    """Log ``msg % args`` at the level ERROR.

    Args:
        msg: a text, with places for ``args`` as the operator % has them.
        *args: the values for these places.
    """
    get_logger().error(msg, *args, **kwargs)


@public
def fatal(msg: str, *args: Any, **kwargs: Any) -> None:
    """Log ``msg % args`` at the level FATAL.

    Args:
        msg: a text, with places for ``args`` as the operator % has them.
        *args: the values for these places.
    """
    get_logger().fatal(msg, *args, **kwargs)


@public
def log_if(level: int, msg: str, condition: Any, *args: Any) -> None:
    """Log ``msg % args`` at ``level`` if ``condition`` is true.

    Args:
        level: as in `log`.
        msg: a text, with places for ``args`` as the operator % has them.
        condition: whether to log at all.
        *args: the values for these places.
    """
    if condition:
        log(level, msg, *args)


@public
def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log at the first of every ``n`` calls from the same line.

    Args:
        level: as in `log`.
        msg: a text, with places for ``args`` as the operator % has them.
        n: a positive int.
        *args: the values for these places.
    """
    log_if(level, msg, not calls_before() % n, *args)


@public
def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Log at the first ``n`` calls from the same line.

    Args:
        level: as in `log`.
        msg: a text, with places for ``args`` as the operator % has them.
        n: the number of calls that log.
        *args: the values for these places.
    """
    log_if(level, msg, calls_before() < n, *args)


def calls_before() -> int:
    """How often the line that called the caller has called it before."""
    frame = sys._getframe(2)
    line = (frame.f_code.co_filename, frame.f_lineno)
    count = _calls.get(line, 0)
    _calls[line] = count + 1
    return count


@public
def get_verbosity() -> int:
    """The lowest level that is shown."""
    return get_logger().getEffectiveLevel()


@public
def set_verbosity(v: int | str) -> None:
    """Show messages of level ``v`` and above.

    Args:
        v: a level, as in `log`, or its name: ``"INFO"``.
    """
    get_logger().setLevel(v)


@public
def TaskLevelStatusMessage(msg: str) -> None:
    """Log ``msg`` at the level ERROR, as the status of the whole task.

    Args:
        msg: the text.
    """
    error(msg)


@public
def flush() -> None:
    """Write what has been logged and is waiting."""
    for handler in get_logger().handlers:
        handler.flush()

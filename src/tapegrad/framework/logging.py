"""Warnings, through the logger named "tensorflow" and in TensorFlow's format.

Programs written for TensorFlow silence it with ``logging.getLogger("tensorflow").setLevel("ERROR")``.
Python's logging is imported with the first warning.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

PUBLIC = {
    ". compat.v1": "get_logger",
}


if TYPE_CHECKING:
    from logging import Logger

_logger: Logger | None = None
_times_said: dict[str, int] = {}


def get_logger() -> Logger:
    """The logger that warnings go through. It is ``logging.getLogger("tensorflow")``.

    >>> tf.get_logger().setLevel("ERROR")          # no more warnings
    >>> tf.get_logger().setLevel("NOTSET")
    """
    global _logger
    if _logger is None:
        _logger = _make_logger()
    return _logger


def _make_logger() -> Logger:
    import logging

    class Handler(logging.StreamHandler):  # type: ignore[type-arg]
        """Writes to whatever sys.stderr is at the moment, unless the root logger prints anyway."""

        def __init__(self) -> None:
            logging.Handler.__init__(self)

        @property
        def stream(self) -> Any:
            return sys.stderr

        def filter(self, record: logging.LogRecord) -> Any:
            consoles = (sys.stderr, sys.stdout, sys.__stderr__, sys.__stdout__)
            for handler in logging.getLogger().handlers:
                if getattr(handler, "stream", None) in consoles:
                    return False
            return super().filter(record)

    logger = logging.getLogger("tensorflow")
    handler = Handler()
    handler.setFormatter(logging.Formatter("%(levelname)s:%(name)s:%(message)s"))
    logger.addHandler(handler)
    return logger


def warn(message: str, *arguments: Any) -> None:
    """Print ``WARNING:tensorflow:`` and the message, with ``%s`` replaced by an argument."""
    get_logger().warning(message, *arguments)


def warn_first_n(message: str, times: int, *arguments: Any) -> None:
    """`warn` for the first ``times`` of this message, and stay silent after that."""
    already = _times_said.get(message, 0)
    if already < times:
        _times_said[message] = already + 1
        warn(message, *arguments)

"""Says of each op on which device it runs, on request: ``tf.debugging.set_log_device_placement``."""

from __future__ import annotations

import sys

from tapegrad import core
from tapegrad.core import EagerTensor, Observer, Op
from tapegrad.framework.config import CPU_NAME

PUBLIC = {
    "debugging": "get_log_device_placement set_log_device_placement",
}


def get_log_device_placement() -> bool:
    """Whether the ops of this thread are listed.

    >>> tf.debugging.get_log_device_placement()
    False
    """
    return any(isinstance(observer, Placements) for observer in core.observers())


def set_log_device_placement(enabled: bool) -> None:
    """Say whether each op of this thread writes a line to ``sys.stderr``, with the device that runs it.

    Functions then run as Python at each call, so that their ops are listed too.

    >>> import contextlib, sys
    >>> tf.debugging.set_log_device_placement(True)
    >>> with contextlib.redirect_stderr(sys.stdout):
    ...     y = tf.abs([-1.0])
    Executing op Abs in device /job:localhost/replica:0/task:0/device:CPU:0
    >>> tf.debugging.set_log_device_placement(False)

    Args:
        enabled: a bool. False stops the lines.
    """
    if not enabled:
        for observer in core.observers():
            if isinstance(observer, Placements):
                observer.stop()
    elif not get_log_device_placement():
        Placements().start()


class Placements(Observer):
    """Writes the lines."""

    def observe(
        self,
        op: Op,
        inputs: list[EagerTensor],
        outputs: list[EagerTensor],
        attributes: tuple[object, ...],
    ) -> None:
        print(f"Executing op {op.type} in device {CPU_NAME}", file=sys.stderr)

"""`tf.CriticalSection`: functions that no two threads run at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tapegrad.core import refuse_recording
from tapegrad.framework import nest
from tapegrad.framework.printed import Printed
from tapegrad.ops.shape.array import identity

PUBLIC = {". compat.v1": "CriticalSection"}

_lock = threading.Lock()
_shared: dict[str, Any] = {}


class CriticalSection(Printed):
    """Runs functions one after the other, whatever threads they are called in.

    >>> counter = tf.Variable(0)
    >>> section = tf.CriticalSection()
    >>> section.execute(lambda: counter.assign_add(1)).numpy()
    np.int32(1)

    Args:
        name: the name of the section.
        shared_name: sections with the same one exclude each other.
    """

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: Any = None,
    ) -> None:
        if critical_section_def is not None:
            raise ValueError("Argument `critical_section_def` is not supported.")
        self._name = name or "critical_section"
        if shared_name is None:
            self._section = threading.RLock()
        else:
            with _lock:
                self._section = _shared.setdefault(shared_name, threading.RLock())

    def _printed_state(self) -> str:
        return repr(self._name)

    @property
    def name(self) -> str:
        """The name of the section."""
        return self._name

    def execute(
        self, fn: Callable[[], Any], exclusive_resource_access: bool = True, name: str | None = None
    ) -> Any:
        """What ``fn()`` returns, with tensors for its numbers. No other call in the section runs meanwhile.

        Args:
            fn: a function without arguments.
        """
        if not callable(fn):
            raise TypeError(
                f"CriticalSection.execute takes a function without arguments, not {fn!r}."
            )
        refuse_recording("a critical section, which no op locks")
        with self._section:
            result = fn()
            return nest.map_structure(lambda item: item if item is None else identity(item), result)

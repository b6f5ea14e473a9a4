"""`tf.train.experimental.PythonState`: values in a checkpoint that are no tensors."""

from __future__ import annotations

import abc
from typing import Any

from tapegrad.core import convert, static_value
from tapegrad.framework.bases import Trackable

PUBLIC = {"train.experimental": "PythonState"}

_KEY = "py_state"


class PythonState(Trackable, metaclass=abc.ABCMeta):
    """The base of objects whose state a checkpoint keeps as a text.

    >>> import os, tempfile
    >>> class Counter(tf.train.experimental.PythonState):
    ...     count = 0
    ...     def serialize(self):
    ...         return str(self.count)
    ...     def deserialize(self, string_value):
    ...         self.count = int(string_value)
    >>> counter = Counter()
    >>> counter.count = 7
    >>> checkpoint = tf.train.Checkpoint(counter=counter)
    >>> path = checkpoint.save(os.path.join(tempfile.mkdtemp(), "checkpoint"))
    >>> counter.count = 0
    >>> _ = checkpoint.restore(path)
    >>> counter.count
    7
    """

    @abc.abstractmethod
    def serialize(self) -> str | bytes:
        """The state as a text, which `deserialize` understands."""

    @abc.abstractmethod
    def deserialize(self, string_value: bytes) -> None:
        """Take the state that `serialize` gave, as bytes."""

    def _serialize_to_tensors(self) -> dict[str, Any]:
        return {_KEY: convert(self.serialize())}

    def _restore_from_tensors(self, restored_tensors: dict[str, Any]) -> None:
        self.deserialize(static_value(restored_tensors[_KEY], "a state").item())

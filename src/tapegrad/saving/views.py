"""`tf.train.TrackableView`: the objects below an object."""

from __future__ import annotations

import weakref
from typing import Any

from tapegrad.framework.bases import Trackable
from tapegrad.saving.objects import children_of

__all__ = ["TrackableView"]

PUBLIC = {"train": "TrackableView"}


class TrackableView:
    """What a trackable object has below it.

    >>> root = tf.Module()
    >>> root.weight = tf.Variable(1.0)
    >>> [type(part).__name__ for part in tf.train.TrackableView(root).descendants()]
    ['Module', 'ResourceVariable']
    """

    def __init__(self, root: Any) -> None:
        self._root_ref = root if isinstance(root, weakref.ref) else weakref.ref(root)

    @property
    def root(self) -> Any:
        """The object."""
        return self._root_ref()

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The parts of an object by name. Lists and dicts are parts, and have parts."""
        found = children_of(obj, save_type, kwargs.get("cache"))
        return {
            str(name): part
            for name, part in found.items()
            if isinstance(part, (Trackable, list, tuple, dict))
            or hasattr(part, "_trackable_children")
        }

    def descendants(self) -> list[Any]:
        """The object and all below it, each once."""
        found, seen = [self.root], {id(self.root)}
        for value in found:
            for part in self.children(value).values():
                if id(part) not in seen:
                    seen.add(id(part))
                    found.append(part)
        return found

"""The objects of a loaded model that stand for objects of classes that are not there."""

from __future__ import annotations

from typing import Any

from tapegrad.framework.bases import AutoTrackable


class UserObject(AutoTrackable):
    """A saved object: it has the parts that the object had, and its functions."""


UserObject.__name__ = UserObject.__qualname__ = "_UserObject"  # as errors call it in TensorFlow


class CallableObject(UserObject):
    """A saved object with a method ``__call__``."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return vars(self)["__call__"](*args, **kwargs)


# Attributes that objects have for themselves.
OWN = frozenset(dir(AutoTrackable)) - {"__call__"} | {
    "_self_unconditional_dependency_names", "_self_setattr_tracking",
}  # fmt: skip

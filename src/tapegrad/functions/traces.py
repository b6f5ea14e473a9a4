"""What a `tf.function` keeps for the objects whose method it is, and how a program makes it forget all."""

from __future__ import annotations

from typing import Any

from tapegrad import core
from tapegrad.functions.arguments import SignaturesMet

_caches: Any = None


def cache_of(function: Any, instance: Any) -> dict[Any, Any]:
    """The concrete functions of ``function`` bound to ``instance``."""
    global _caches
    if _caches is None:
        import weakref

        _caches = weakref.WeakKeyDictionary()
    holder = core.Operand if isinstance(instance, core.Operand) else instance
    return _caches.setdefault(holder, {}).setdefault(id(function), {})  # type: ignore[no-any-return]


class DescriptorCache:
    """The `_descriptor_cache` of a function.

    TensorFlow keeps a function's clones there, one for each object whose method it is. Libraries clear it
    so that the function is traced anew, because something has changed that a trace does not look at.
    """

    def __init__(self, function: Any) -> None:
        self._function = function

    def clear(self) -> None:
        """Let the function forget what was recorded, and its concrete functions."""
        function = self._function
        function._recordings.forget()
        function._concrete.clear()
        function._met = SignaturesMet()
        for caches in () if _caches is None else list(_caches.values()):
            caches.pop(id(function), None)

"""What an engine is: the owner of one kind of array, and the namespace of functions that kernels use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

Array = Any


class Engine(Protocol):
    """An array namespace and the few things a namespace does not say."""

    name: str
    xp: Any
    """Functions of arrays, by NumPy's names; kernels are written against it."""

    def owns(self, array: Array) -> bool:
        """Whether ``array`` is of the kind this engine works on."""
        ...

    def elementwise(self, function: str, arrays: Sequence[Array]) -> Array:
        """The elementwise ``function`` of the namespace on ``arrays``, in their own dtype."""
        ...

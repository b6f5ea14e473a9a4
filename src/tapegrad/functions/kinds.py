"""Base classes of functions, for `isinstance`."""

from __future__ import annotations

from tapegrad.framework.bases import SavedWithFunctions

PUBLIC = {
    "types.experimental": "Callable GenericFunction PolymorphicFunction=GenericFunction",
}


class Callable(SavedWithFunctions):
    """A function that takes and gives tensors."""


class GenericFunction(Callable):
    """What `tf.function` returns, for any arguments.

    >>> isinstance(tf.function(lambda x: x), tf.types.experimental.GenericFunction)
    True
    """

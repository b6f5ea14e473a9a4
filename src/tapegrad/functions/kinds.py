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

    def _get_tracing_count(self) -> int:
        # TensorFlow has both names, of which trieste calls this one.
        count: int = self.experimental_get_tracing_count()  # type: ignore[attr-defined]
        return count

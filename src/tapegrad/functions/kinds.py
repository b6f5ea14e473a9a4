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

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of the concrete functions; those of several lines have an empty line between them.

        These are the requested concrete functions, and those of the calls so far. A loaded function has the
        saved ones.
        """
        concretes = self._list_all_concrete_functions()  # type: ignore[attr-defined]
        texts = [concrete.pretty_printed_signature(verbose) for concrete in concretes]
        return ("\n\n" if verbose else "\n").join(texts)

    def _get_tracing_count(self) -> int:
        # TensorFlow has both names, of which trieste calls this one.
        count: int = self.experimental_get_tracing_count()  # type: ignore[attr-defined]
        return count

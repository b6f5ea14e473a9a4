"""What a `ConcreteFunction` says of itself: its `FunctionType`, and the function of tensors inside it."""

from __future__ import annotations

import inspect
from typing import Any

from tapegrad.framework import nest

PUBLIC = {"types.experimental": "AtomicFunction FunctionType"}


class FunctionType(inspect.Signature):
    """The parameters of a concrete function, annotated with their specs, and the specs of its results.

    >>> @tf.function
    ... def double(x):
    ...     return 2.0 * x
    >>> str(double.get_concrete_function(tf.TensorSpec([])).function_type).partition(" -> ")[0]
    '(x: TensorSpec(shape=(), dtype=tf.float32, name=None))'
    """

    __slots__ = ("_long", "_short")

    _long: str
    _short: str

    @classmethod
    def of(cls, concrete: Any) -> FunctionType:
        """The type of a concrete function."""
        arguments = concrete._arguments
        function_type = cls(
            [
                parameter.replace(annotation=arguments[name])
                for name, parameter in concrete._signature.parameters.items()
                if name in arguments
            ]
        )
        function_type._short = concrete.pretty_printed_signature(verbose=False)
        function_type._long = concrete.pretty_printed_signature()
        return function_type

    @classmethod
    def from_callable(cls, obj: Any, *, follow_wrapped: bool = True) -> FunctionType:  # type: ignore[override]
        """The parameters of a Python function."""
        return super().from_callable(obj, follow_wrapped=follow_wrapped)

    def __str__(self) -> str:
        return self._short if hasattr(self, "_short") else super().__str__()

    def __repr__(self) -> str:
        return self._long if hasattr(self, "_long") else super().__repr__()


class AtomicFunction:
    """A concrete function as a function of its tensors alone."""

    def __init__(self, concrete: Any) -> None:
        self._concrete = concrete

    @property
    def name(self) -> bytes:
        """The name of the function in graphs."""
        return self._concrete.name  # type: ignore[no-any-return]

    @property
    def graph(self) -> Any:
        """The graph with its inputs and outputs."""
        return self._concrete.graph

    @property
    def function_type(self) -> FunctionType:
        """The parameters and results."""
        return self._concrete.function_type  # type: ignore[no-any-return]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The specs of the results."""
        return self._concrete(*args, **kwargs)

    def call_flat(self, *tensors: Any) -> list[Any]:
        """The tensors that the function gives for the tensors of its arguments."""
        return nest.flatten(self._concrete.call_flat(list(tensors)), expand_composites=True)

    def __str__(self) -> str:
        return f"<AtomicFunction> {self.name.decode()}{self.function_type}"

    def __repr__(self) -> str:
        return f"AtomicFunction(name={self.name!r},\nfunction_type={self.function_type!r})"

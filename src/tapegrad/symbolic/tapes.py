"""The `GradientTape` of a graph: it records what runs in each world, and gives gradients without values."""

from __future__ import annotations

from typing import Any

from tapegrad.autodiff.tape import GradientTape
from tapegrad.framework import nest
from tapegrad.symbolic.tensors import SymbolicTensor
from tapegrad.symbolic.tracing import current, holds_symbolic, substitute


class SymbolicTape(GradientTape):
    """A tape that takes tensors without values. It is persistent, as gradients are taken in each world."""

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        super().__init__(True, watch_accessed_variables)
        trace = current()
        if trace is not None:
            trace.has_tape = True

    def watch(self, tensor: Any) -> None:
        """Watch ``tensor`` from now on, in every world."""
        trace = current()
        for leaf in nest.flatten(tensor, expand_composites=True):
            if not isinstance(leaf, SymbolicTensor):
                super().watch(leaf)
            elif trace is not None and trace.world is not None:
                super().watch(leaf.in_world(trace.world))
            else:
                leaf.watched_by(self)

    def watch_in_world(self, tensor: Any) -> None:
        """Watch what a watched tensor is in one world, if the tape still records."""
        if self._tape is not None and self._tape.is_recording:
            super().watch(tensor)

    def _lift(self, method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        trace = current()
        if trace is None or not holds_symbolic((args, kwargs)):
            return method(self, *args, **kwargs)
        if trace.world is not None:
            args, kwargs = substitute((args, kwargs), trace.world)
            return method(self, *args, **kwargs)
        return trace.call(lambda *args, **kwargs: method(self, *args, **kwargs), args, kwargs)

    def gradient(self, *args: Any, **kwargs: Any) -> Any:
        """The gradients, of which dtypes and shapes are known."""
        return self._lift(GradientTape.gradient, args, kwargs)

    def jacobian(self, *args: Any, **kwargs: Any) -> Any:
        """The Jacobians, of which dtypes and shapes are known."""
        return self._lift(GradientTape.jacobian, args, kwargs)

    def batch_jacobian(self, *args: Any, **kwargs: Any) -> Any:
        """The Jacobians of rows, of which dtypes and shapes are known."""
        return self._lift(GradientTape.batch_jacobian, args, kwargs)

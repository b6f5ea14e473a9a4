"""The functions that users give to data sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.data import structure
from tapegrad.data.iterators import Run
from tapegrad.framework import random_state


class DataFunction:
    """A function that a data set calls with elements.

    Its random ops draw what TensorFlow's do: without seeds of their own they are numbered in the order of
    their calls, each is a stream, and the streams begin anew with each pass.

    Args:
        function: takes an element; a tuple comes as several arguments.
        spec: the nest of specs of the elements, or a function that returns it.
        what: the name of the transformation, for messages.
    """

    def __init__(self, function: Callable[..., Any], spec: Callable[[], Any], what: str) -> None:
        if not callable(function):
            raise TypeError(f"{what} takes a function, but got {function!r}.")
        self.function = function
        self.spec = spec
        self.what = what
        self._output_spec: Any = None
        self.seed = random_state.global_seed()

    def caller(self, run: Run) -> Callable[[Any], Any]:
        """The function of an element, for one pass."""
        function, to_element = self.function, structure.to_element
        streams = run.streams_of(self)
        drawing = random_state.drawing_from

        def call(element: Any) -> Any:
            with drawing(streams):
                if type(element) is tuple:
                    result = function(*element)
                else:
                    result = function(element)
            return to_element(result)

        return call

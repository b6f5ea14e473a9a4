"""The functions that users give to data sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.core import no_recording
from tapegrad.data import structure
from tapegrad.data.dataset import DatasetV2
from tapegrad.data.iterators import Run, close
from tapegrad.errors import InvalidArgumentError, OutOfRangeError
from tapegrad.framework import random_state


class DataFunction:
    """A function that a data set calls with elements.

    Its random ops draw what TensorFlow's do: without seeds of their own they are numbered in the order of
    their calls, each is a stream, and the streams begin anew with each pass.

    Args:
        function: takes an element; a tuple comes as several arguments.
        dataset: the data set whose elements it takes.
        what: the method of data sets that it was given to, for messages.
        before: the specs of arguments that come before the element.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        dataset: DatasetV2,
        what: str,
        before: tuple[Any, ...] = (),
    ) -> None:
        if not callable(function):
            raise ValueError(
                f"Argument `func` must be a callable. Received func={function!r} "
                f"(of type {type(function)}): Dataset.{what}() takes a function."
            )
        self.function = function
        self.dataset = dataset
        self.what = what
        self.before = before
        self.seed = random_state.global_seed()
        self._output_spec: Any = None

    def __call__(self, streams: random_state.Streams, *arguments: Any) -> Any:
        """The result, with its leaves converted."""
        try:
            with random_state.drawing_from(streams):
                result = self.function(*arguments)
        except (StopIteration, OutOfRangeError) as error:
            # Unchanged, these would look like the end of the data set.
            raise InvalidArgumentError(
                None, None, f"Function invocation produced OutOfRangeError: {error}"
            ) from error
        # A list that comes from a function holds results, and is not one tensor.
        if type(result) is list:
            result = tuple(result)
        try:
            return structure.to_element(result)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Unsupported return value from function passed to Dataset.{self.what}(): "
                f"{result!r}. {error}"
            ) from error

    def caller(self, run: Run) -> Callable[[Any], Any]:
        """The function of an element, for one pass."""
        streams = run.streams_of(self)

        def call(element: Any) -> Any:
            return self(streams, *element) if type(element) is tuple else self(streams, element)

        return call

    @property
    def output_spec(self) -> Any:
        """The nest of specs of the results."""
        if self._output_spec is None:
            self._output_spec = self._find_spec()
        return self._output_spec

    def _find_spec(self) -> Any:
        try:
            from tapegrad.symbolic import NeedsValues, outputs_of
        except ImportError:
            return self._spec_of_first()

        element = self.dataset.element_spec
        specs = self.before + (element if type(element) is tuple else (element,))
        try:
            return outputs_of(lambda *arguments: self._trial(*arguments), specs)
        except NeedsValues:
            return self._spec_of_first()

    def _trial(self, *arguments: Any) -> Any:
        return self(random_state.Streams(self.seed), *arguments)

    def _spec_of_first(self) -> Any:
        """The spec of the result for the first element."""
        run = Run(self.dataset.options(), is_trial=True)
        elements = self.dataset._elements(run)
        try:
            with no_recording():
                for element in elements:
                    return structure.spec_of(self.caller(run)(element))
        finally:
            close(elements)
        raise ValueError(
            f"The results of the function given to Dataset.{self.what}() are not known: it asks for "
            "values, and there is no element to try it with."
        )

"""The functions that users give to data sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.core import no_recording
from tapegrad.data import structure
from tapegrad.data.dataset import DatasetSource, DatasetV2
from tapegrad.data.iterators import Run, close
from tapegrad.data.specs import DatasetSpec
from tapegrad.errors import InvalidArgumentError, OutOfRangeError
from tapegrad.framework import calls, random_state
from tapegrad.framework.names import current_graph
from tapegrad.framework.spec import TensorSpec


class SpecDataset(DatasetSource):
    """A data set of which no more is known than the spec of its elements."""

    def __init__(self, element_spec: Any) -> None:
        super().__init__()
        self._spec = element_spec

    @property
    def element_spec(self) -> Any:
        return self._spec


def without_values(spec: Any) -> Any:
    """What stands for a leaf of this spec where a function is called without values."""
    return SpecDataset(spec.element_spec) if isinstance(spec, DatasetSpec) else spec


def unknown_sizes(spec: Any, element: Any) -> set[int]:
    """The sizes in ``element`` that its spec leaves open."""
    sizes = set()
    for leaf_spec, leaf in zip(structure.flatten(spec), structure.flatten(element), strict=True):
        if isinstance(leaf_spec, TensorSpec) and leaf_spec.shape.rank is not None:
            pairs = zip(leaf_spec.shape, leaf.shape, strict=True)
            sizes |= {actual for wanted, actual in pairs if wanted is None}
    return sizes


def loosened(spec: Any, unknown: set[int]) -> Any:
    """The spec of a result for one element, without the sizes that may come from those of the element."""
    if not (unknown and isinstance(spec, TensorSpec)):
        return spec
    return TensorSpec([None if size in unknown else size for size in spec.shape], spec.dtype)


class DataFunction:
    """A function that a data set calls with elements.

    Its random ops draw what TensorFlow's do: without seeds of their own they are numbered in the order of
    their calls, each is a stream, and the streams begin anew with each pass.

    Args:
        function: takes an element; a tuple comes as several arguments.
        dataset: the data set whose elements it takes.
        what: the method of data sets that it was given to, for messages.
        before: the first arguments of the first call, which come before the element.
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

    def __call__(self, streams: calls.Streams, *arguments: Any) -> Any:
        """The result, with its leaves converted."""
        try:
            result = calls.Call(streams).run(self.function, arguments, {})
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
            # Without values, this may say only that they are missing.
            if current_graph() is not None:
                raise
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
        from tapegrad.symbolic import outputs_of

        element = structure.map_leaves(without_values, self.dataset.element_spec)
        arguments: Any = element if type(element) is tuple else (element,)
        if self.before:
            arguments = (*map(structure.spec_of, self.before), element)
        found: list[Any] = []

        def call(*arguments: Any) -> tuple[()]:
            result = self(calls.Streams(self.seed, lasting=True), *arguments)
            found.append(structure.spec_of(result))
            return ()

        try:
            outputs_of(call, arguments)
        except Exception as error:
            # It asks for values, as a function may that runs for each element, or it is wrong. The first
            # element shows which, and raises the error that users know.
            return self._spec_of_first(error)
        return found[-1]

    def _spec_of_first(self, without: Exception) -> Any:
        """The spec of the result for the first element.

        Args:
            without: the error that the function raised without values.
        """
        run = Run(self.dataset.options(), is_trial=True)
        elements = self.dataset._elements(run)
        streams = run.streams_of(self)
        try:
            with no_recording():
                element = next(elements, elements)
                if element is not elements:
                    whole = self.before or type(element) is not tuple
                    arguments = (*self.before, element) if whole else element
                    result = self(streams, *arguments)
                    unknown = unknown_sizes(self.dataset.element_spec, element)
                    return structure.map_leaves(
                        lambda leaf: loosened(structure.spec_of_leaf(leaf), unknown), result
                    )
        finally:
            close(elements)
        raise ValueError(
            f"The spec of what the function of Dataset.{self.what}() returns is not known: without values "
            f"it raised {type(without).__name__}: {without}; and there is no element to try it with."
        ) from without

"""The functions that users give to data sets."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tapegrad.core import EagerTensor, apart, no_recording
from tapegrad.data import structure
from tapegrad.data.dataset import DatasetV2, SpecDataset, without_values
from tapegrad.data.iterators import IterationContext, close
from tapegrad.data.specs import DatasetSpec
from tapegrad.errors import InvalidArgumentError, OutOfRangeError
from tapegrad.framework import calls, random_state
from tapegrad.framework.names import current_graph
from tapegrad.framework.spec import TensorSpec

if TYPE_CHECKING:
    from tapegrad.symbolic.programs import Program

# An element with more elements than this is too dear for a trial without values.
LARGEST_TRIAL = 8_000_000
# So often a program runs step by step before it is recorded: recording takes the time of some dozens of runs.
RUNS_BEFORE_RECORDING = 32
# So often it is recorded, for other sizes say. After that it runs step by step for good.
MOST_RECORDINGS = 8


class _Looking(threading.local):
    """Whether this thread makes a data set, and so must read no elements."""

    makes = False


_looking = _Looking()


class NeedsElement(Exception):
    """The spec of a data set takes an element, and this is not the time to read one."""


def made_without_values(spec: Any) -> Any:
    """A symbolic stand-in for a leaf of this spec."""
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
    if unknown and isinstance(spec, DatasetSpec):
        inner = structure.map_leaves(lambda leaf: loosened(leaf, unknown), spec.element_spec)
        return DatasetSpec(inner, spec._dataset_shape)
    if not (unknown and isinstance(spec, TensorSpec)):
        return spec
    return TensorSpec([None if size in unknown else size for size in spec.shape], spec.dtype)


def _leaves_of(element: Any) -> list[Any]:
    """The leaves of an element, which often is one tensor."""
    return [element] if type(element) is EagerTensor else structure.flatten(element)


class Replayed:
    """Runs a program that has no effects: step by step at first, and from a recording once it has run often.

    Args:
        program: what a function does.
        pack: makes the function's result of its leaves; None where it is one tensor.
    """

    def __init__(self, program: Program, pack: Callable[[list[Any]], Any] | None) -> None:
        self._program = program
        self._pack = pack
        self._runs = 0
        self._function: Callable[[Any], Any] | None = None

    def __call__(self, element: Any) -> Any:
        function = self._function
        try:
            if function is None:
                self._runs += 1
                if self._runs == RUNS_BEFORE_RECORDING:
                    self._function = self._recorded()
                result = self._run(element)
            else:
                result = function(element)
        except (StopIteration, OutOfRangeError) as error:
            raise _not_the_end(error) from error
        return result if self._pack is None else self._pack(result)

    def _run(self, element: Any) -> Any:
        """The result for an element, or the list of its leaves."""
        results = self._program.run(_leaves_of(element))
        return results[0] if self._pack is None else results

    def _recorded(self) -> Callable[[Any], Any]:
        from tapegrad.functions.function import Function

        recordings = 0

        def run(element: Any) -> Any:
            nonlocal recordings
            recordings += 1
            if recordings > MOST_RECORDINGS:
                self._function = None
            return self._run(element)

        return Function(run)


class DataFunction:
    """A function that a data set calls with elements.

    The function is called once when the data set is made, on tensors without values. If that shows what it
    does (see `tapegrad.symbolic.programs`), its steps run for each element without the function, and are
    recorded as a `tf.function` is once they have run often. Else the function runs for each element.

    Its random ops draw what TensorFlow's do: without seeds of their own they are numbered in the order of
    their calls, each is a stream, and the streams start again with each pass.

    Args:
        function: takes an element; a tuple is passed as several arguments.
        dataset: the data set whose elements it takes.
        what: the method of data sets that it was given to, for messages.
        before: arguments of the first call that precede the element.
        is_own: whether it is a function of this library, or gets other arguments, and must not be tried.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        dataset: DatasetV2,
        what: str,
        before: tuple[Any, ...] = (),
        is_own: bool = False,
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
        # Made by a function of another data set, it is made anew for each element: its streams go on.
        call = calls.current()
        name = call.name_of("data set") if type(call) is calls.Call else None
        self.place: Any = self if name is None else name
        self.reason: str | None = None  # why the function runs for each element
        self._output_spec: Any = None
        self._program: Program | None = None
        self._replayed: Replayed | None = None  # runs the program, if it has no effects
        self._pack: Callable[[list[Any]], Any] | None = None
        # Inside other functions a data set is made for each element: try it only when its spec is needed.
        if not is_own and current_graph() is None and calls.current() is None:
            self._try()

    def __getstate__(self) -> Any:
        # What was found out on tensors without values is not copied: a copy runs for each element.
        traced = dict.fromkeys(("_output_spec", "_program", "_replayed", "_pack"))
        return {**self.__dict__, **traced, "_specs": [], "reason": "it is a copy"}

    def __call__(self, streams: calls.Streams, *arguments: Any) -> Any:
        """The result, with its leaves converted."""
        program = self._program
        if program is not None and (not self.before or self._fits(structure.flatten(arguments))):
            if self._replayed is not None:
                return self._replayed(arguments)
            return self._run_with_effects(program, streams, arguments)
        try:
            call = calls.Call(streams)
            if current_graph() is None:
                # Tapes are paused while an element is made; tapes that the function itself opens do record.
                with apart():
                    result = call.run(self.function, arguments, {})
            else:
                result = call.run(self.function, arguments, {})
        except (StopIteration, OutOfRangeError) as error:
            raise _not_the_end(error) from error
        # A list that a function returns holds results; it is not one tensor.
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

    def caller(self, context: IterationContext) -> Callable[[Any], Any]:
        """The function of an element, for one pass."""
        streams, program = context.streams_of(self), self._program

        def call(element: Any) -> Any:
            return self(streams, *element) if type(element) is tuple else self(streams, element)

        def call_program(element: Any) -> Any:
            return self._run_with_effects(program, streams, element)

        return self._replayed or (call if program is None else call_program)

    def _run_with_effects(self, program: Any, streams: calls.Streams, element: Any) -> Any:
        """The result of a program with effects for an element, or for several arguments."""
        try:
            results = calls.Call(streams).run(program.run, (_leaves_of(element),), {})
        except (StopIteration, OutOfRangeError) as error:
            raise _not_the_end(error) from error
        return results[0] if self._pack is None else self._pack(results)

    def _fits(self, leaves: list[Any]) -> bool:
        """Whether arguments are such as the program was made for. States may change their shapes."""
        return all(
            not isinstance(spec, TensorSpec)
            or (
                type(leaf) is EagerTensor
                and leaf.dtype is spec.dtype
                and spec.shape.is_compatible_with(leaf.shape)
            )
            for spec, leaf in zip(self._specs, leaves, strict=True)
        )

    @property
    def output_spec(self) -> Any:
        """The nest of specs of the results."""
        if self._output_spec is None:
            self._output_spec = self._find_spec()
        return self._output_spec

    def without_values(self) -> Any:
        """The result of a call without values, in the function that is called so now."""
        return self(calls.Streams(self.seed, lasting=True), *without_values(self._arguments()))

    @property
    def known_spec(self) -> Any:
        """`output_spec`, if it is known without an element, else None."""
        return self._output_spec

    def _arguments(self) -> tuple[Any, ...]:
        """The specs of the arguments."""
        element = structure.map_leaves(made_without_values, self.dataset.element_spec)
        if self.before:
            return (
                *[structure.map_leaves(structure.spec_of_leaf, v) for v in self.before],
                element,
            )
        return element if type(element) is tuple else (element,)

    def _try(self) -> None:
        """Call the function without values, and raise what is wrong with it."""
        from tapegrad.symbolic.programs import Traced, is_own_error

        before, _looking.makes = _looking.makes, True
        try:
            arguments = self._arguments()
        except NeedsElement as error:
            self.reason = str(error)
            return
        finally:
            _looking.makes = before
        self._specs = structure.flatten(arguments)
        if any(_size_of(spec) > LARGEST_TRIAL for spec in self._specs):
            self.reason = "an element is too large to call the function on one of the same size"
            return
        streams = calls.Streams(self.seed, lasting=True)
        try:
            with apart():
                traced = Traced(
                    lambda *values: self._call_python(streams, values),
                    self._specs,
                    lambda leaves: structure.pack(arguments, leaves),
                )
        except Exception as error:
            if is_own_error(error, calls.Call.run.__code__):
                raise
            self.reason = f"without values it raised {type(error).__name__}: {error}"
            return
        result = traced.result
        self._output_spec = structure.spec_of(result)
        results = structure.flatten(result)
        traced.make_program(results)
        self._program, self.reason = traced.program, traced.reason
        if structure.is_nested(result):
            flat = type(result) is tuple and not any(map(structure.is_nested, result))
            self._pack = tuple if flat else lambda leaves: structure.pack(result, leaves)
        if self._program is not None and not self._program.acts:
            self._replayed = Replayed(self._program, self._pack)

    def _call_python(self, streams: calls.Streams, arguments: Any) -> Any:
        return self(streams, *arguments)

    def _find_spec(self) -> Any:
        arguments = self._arguments()
        try:
            return self._traced_spec(arguments)
        except Exception as error:
            # It reads values, which a function that runs for each element may do, or it is wrong. The first
            # element shows which, and raises the usual error.
            return self._spec_of_first(error)

    def spec_with(self, before: Any) -> Any:
        """`output_spec` where the first argument has the spec ``before``; None if that takes values."""
        element = structure.map_leaves(made_without_values, self.dataset.element_spec)
        try:
            return self._traced_spec((before, element))
        except Exception:
            return None  # a wrong state raises where it is used

    def _traced_spec(self, arguments: Any) -> Any:
        """The spec of the result for symbolic ``arguments``."""
        from tapegrad.symbolic import outputs_of

        specs: list[Any] = []

        def call(*arguments: Any) -> tuple[()]:
            result = self(calls.Streams(self.seed, lasting=True), *arguments)
            specs.append(structure.spec_of(result))
            return ()

        outputs_of(call, arguments)
        return specs[-1]

    def _spec_of_first(self, without: Exception) -> Any:
        """The spec of the result for the first element.

        Args:
            without: the error that the function raised without values.
        """
        if _looking.makes:
            raise NeedsElement(f"the spec of what Dataset.{self.what}() gives takes an element")
        context = IterationContext(self.dataset.options(), is_trial=True)
        elements = self.dataset._elements(context)
        streams = context.streams_of(self)
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


def _not_the_end(error: Exception) -> InvalidArgumentError:
    """The error for one that would look like the end of the data set."""
    return InvalidArgumentError(
        None, None, f"Function invocation produced OutOfRangeError: {error}"
    )


def _size_of(spec: Any) -> int:
    """How many elements a leaf has at least."""
    if not isinstance(spec, TensorSpec) or spec.shape.rank is None:
        return 0
    return math.prod([1 if size is None else size for size in spec.shape])

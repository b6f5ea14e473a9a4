"""Data sets made of one other, element by element."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tapegrad import dtypes
from tapegrad.core import EagerTensor, static_value
from tapegrad.data import leaves, structure
from tapegrad.data.arguments import truth, whole_number
from tapegrad.data.dataset import (
    INFINITE,
    UNKNOWN,
    DatasetV2,
    UnaryDataset,
    UnaryUnchangedStructureDataset,
    without_values,
)
from tapegrad.data.functions import DataFunction
from tapegrad.data.indexed import Indexed, part_of
from tapegrad.data.iterators import Elements, IterationContext, close
from tapegrad.data.options import Options, frozen, merged
from tapegrad.errors import FailedPreconditionError, refuse
from tapegrad.framework.spec import NoneTensorSpec, TensorSpec


class MapDataset(UnaryDataset):
    """The results of a function."""

    def __init__(
        self, input_dataset: DatasetV2, map_func: Callable[..., Any], name: str | None = None
    ) -> None:
        super().__init__(input_dataset, name)
        self._function = DataFunction(map_func, input_dataset, "map")
        spec = self._function.known_spec
        if spec is not None and all(
            isinstance(leaf, NoneTensorSpec) for leaf in structure.flatten(spec)
        ):
            refuse(
                f"`map_func` must return at least one tensor, but it returns elements of {spec!r}.",
                op="MapDataset",
            )

    @property
    def element_spec(self) -> Any:
        return self._function.output_spec

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return Mapped(self._function.caller(context), self._input._elements(context))

    def _cardinality(self) -> int:
        return self._input._cardinality()


class Mapped(Elements):
    """A function of each element of a pass."""

    __slots__ = ("_call", "_input")

    def __init__(self, call: Callable[[Any], Any], elements: Iterator[Any]) -> None:
        super().__init__(elements)
        self._call = call
        self._input = elements

    def __next__(self) -> Any:
        return self._call(next(self._input))


class FilterDataset(UnaryUnchangedStructureDataset):
    """The elements for which a function returns True."""

    what = "filter"

    def __init__(
        self, input_dataset: DatasetV2, predicate: Callable[..., Any], name: str | None = None
    ) -> None:
        super().__init__(input_dataset, name)
        self._function = DataFunction(predicate, input_dataset, self.what)
        spec = self._function.known_spec
        if spec is not None and not is_truth(spec):
            raise not_a_truth(spec)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return Filtered(self._function.caller(context), self._input._elements(context))


class Filtered(Mapped):
    """The elements of a pass that a predicate lets through."""

    __slots__ = ()

    def __next__(self) -> Any:
        while True:
            element = next(self._input)
            if truth_of(self._call(element)):
                return element


def truth_of(value: Any) -> bool:
    """What a predicate returned, which must be a scalar of bool."""
    if not (isinstance(value, EagerTensor) and value.dtype is dtypes.bool and not value.ndim):
        raise not_a_truth(structure.spec_of(value))
    return bool(static_value(value, "truth"))


def is_truth(spec: Any) -> bool:
    """Whether this may be the spec of what a predicate returned."""
    return (
        isinstance(spec, TensorSpec)
        and spec.dtype is dtypes.bool
        and spec.shape.is_compatible_with([])
    )


def not_a_truth(spec: Any) -> ValueError:
    """The error for a predicate that returns what has this spec."""
    return ValueError(
        "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, "
        f"but its return type is {spec}."
    )


class TakeWhileDataset(FilterDataset):
    """The elements up to the first that a function does not let through."""

    what = "take_while"

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return TakenWhile(self._function.caller(context), self._input._elements(context))


class TakenWhile(Mapped):
    """A pass up to the first element that a predicate does not let through."""

    __slots__ = ("_ended",)

    def __init__(self, call: Callable[[Any], Any], elements: Iterator[Any]) -> None:
        super().__init__(call, elements)
        self._ended = False

    def __next__(self) -> Any:
        if not self._ended:
            element = next(self._input)
            if truth_of(self._call(element)):
                return element
            self._ended = True
            self.close()
        raise StopIteration


class ScanDataset(UnaryDataset):
    """A function of a state and each element."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        initial_state: Any,
        scan_func: Callable[..., Any],
        name: str | None = None,
        what: str = "scan",
    ) -> None:
        super().__init__(input_dataset, name)
        self._initial = structure.to_element(initial_state)
        self._function = DataFunction(scan_func, input_dataset, what, (self._initial,))
        self._spec: Any = None
        if self._function.known_spec is not None:
            pair_of(self._function.known_spec)

    @property
    def element_spec(self) -> Any:
        if self._spec is None:
            self._spec = self._output_spec()
        return self._spec

    def _output_spec(self) -> Any:
        """The spec of the outputs for all states, whose shapes may change from one to the next."""
        before = structure.spec_of(self._initial)
        after, output = pair_of(self._function.output_spec)
        while True:
            try:
                wider = leaves.covering(before, after)
            except (TypeError, ValueError):
                return output  # the first element says what is wrong with the state
            if wider == before:
                return output
            before = wider
            both = self._function.spec_with(before)
            if both is None:
                return output
            after, output = pair_of(both)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return Scanned(
            self._function,
            context.streams_of(self._function),
            self._initial,
            self._input._elements(context),
        )

    def _cardinality(self) -> int:
        return self._input._cardinality()


def pair_of(result: Any) -> tuple[Any, Any]:
    """The new state and the output that a function of `scan` returned."""
    if not (isinstance(result, tuple) and len(result) == 2):
        raise TypeError(
            "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the "
            f"output value but its return type is {result!r}."
        )
    return result


class Scanned(Elements):
    """The outputs of a function that carries a state through a pass."""

    __slots__ = ("_function", "_input", "_state", "_streams")

    def __init__(
        self, function: DataFunction, streams: Any, state: Any, elements: Iterator[Any]
    ) -> None:
        super().__init__(elements)
        self._function = function
        self._streams = streams
        self._state = state
        self._input = elements

    def __next__(self) -> Any:
        # One argument for the element: unlike `map`, `scan` hands over a tuple as it is.
        result = self._function(self._streams, self._state, next(self._input))
        state, output = pair_of(result)
        check_state(self._state, state, "scan_func")
        self._state = state
        return output


def check_state(before: Any, after: Any, what: str) -> None:
    """Raise unless a new state has the nest and the dtypes of the state before."""
    structure.assert_same_structure(before, after, f"The states that `{what}` takes and returns")
    for old, new in zip(structure.flatten(before), structure.flatten(after), strict=True):
        if isinstance(old, EagerTensor) and (
            not isinstance(new, EagerTensor) or new.dtype is not old.dtype
        ):
            raise TypeError(
                f"The element types for the new state must match the initial state of `{what}`. "
                f"Expected {structure.spec_of(old)}; got {structure.spec_of(new)}."
            )


def reduced(dataset: DatasetV2, initial_state: Any, reduce_func: Callable[..., Any]) -> Any:
    """``dataset.reduce``."""
    state = structure.to_element(initial_state)
    function = DataFunction(reduce_func, dataset, "reduce", (state,))
    if dataset._is_unknown():
        before, after = structure.spec_of(state), structure.spec_of(function.without_values())
        return without_values(leaves.covering(before, after))
    context = IterationContext(dataset.options())
    streams = context.streams_of(function)
    elements = dataset._elements(context)
    try:
        for element in elements:
            after = function(streams, state, element)
            check_state(state, after, "reduce_func")
            state = after
    finally:
        close(elements)
    return state


class TakeDataset(UnaryUnchangedStructureDataset):
    """The first elements."""

    def __init__(self, input_dataset: DatasetV2, count: Any, name: str | None = None) -> None:
        super().__init__(input_dataset, name)
        self._count = whole_number(count, "count")

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        elements = self._input._elements(context)
        return elements if self._count < 0 else Part(elements, 0, self._count)

    def _joins_repeat(self) -> bool:
        return self._count < 0 and self._input._joins_repeat()

    def _cardinality(self) -> int:
        number = self._input._cardinality()
        if self._count < 0 or number == UNKNOWN:
            return number
        return self._count if number == INFINITE else min(number, self._count)

    def _indexed(self, context: IterationContext) -> Indexed | None:
        indexed = self._input._indexed(context)
        if indexed is None or self._count < 0:
            return indexed
        return Indexed(indexed.source, part_of(indexed.chunks, 0, self._count))


class SkipDataset(UnaryUnchangedStructureDataset):
    """All but the first elements."""

    def __init__(self, input_dataset: DatasetV2, count: Any, name: str | None = None) -> None:
        super().__init__(input_dataset, name)
        self._count = whole_number(count, "count")

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        if self._count < 0:
            return iter(())
        return Part(self._input._elements(context), self._count, None)

    def _joins_repeat(self) -> bool:
        return self._count == 0 and self._input._joins_repeat()

    def _cardinality(self) -> int:
        number = self._input._cardinality()
        if number in (INFINITE, UNKNOWN):
            return number
        return 0 if self._count < 0 else max(number - self._count, 0)

    def _indexed(self, context: IterationContext) -> Indexed | None:
        indexed = self._input._indexed(context)
        if indexed is None or self._count < 0:
            return None
        return Indexed(indexed.source, part_of(indexed.chunks, self._count, None))


# Stands for the number of shards and the shard, where a distribution strategy is to fill them in.
SHARD_HINT = -1


class ShardDataset(UnaryUnchangedStructureDataset):
    """Every so many-th element."""

    def __init__(
        self, input_dataset: DatasetV2, num_shards: Any, index: Any, name: str | None = None
    ) -> None:
        super().__init__(input_dataset, name)
        self._shards = whole_number(num_shards, "num_shards")
        self._index = whole_number(index, "index")
        if self._shards < 1 and self._shards != SHARD_HINT:
            refuse(
                "Number of shards must be greater than zero "
                f"(currently num_shards = {self._shards}).",
                op="ShardDataset",
            )
        if self._shards > 0 and not 0 <= self._index < self._shards:
            refuse(
                f"Index must be between 0 and {self._shards - 1} (currently index = {self._index}).",
                op="ShardDataset",
            )

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        if self._shards == SHARD_HINT:
            refuse(
                "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
                "`tf.distribute.Strategy.experimental_distribute_dataset()` with "
                "`auto_shard_policy = tf.data.experimental.AutoShardPolicy.HINT`.",
                op="ShardDataset",
                error=FailedPreconditionError,
            )
        return Part(self._input._elements(context), self._index, None, self._shards)

    def _joins_repeat(self) -> bool:
        return self._shards == 1 and self._input._joins_repeat()

    def _cardinality(self) -> int:
        number = self._input._cardinality()
        if number in (INFINITE, UNKNOWN):
            return number
        return len(range(self._index, number, self._shards))

    def _indexed(self, context: IterationContext) -> Indexed | None:
        indexed = self._input._indexed(context)
        if indexed is None:
            return None
        return Indexed(indexed.source, part_of(indexed.chunks, self._index, None, self._shards))


class Part(Elements):
    """The elements ``start:stop:step`` of a pass."""

    __slots__ = ("_input", "_left", "_skip", "_step")

    def __init__(
        self, elements: Iterator[Any], start: int, stop: int | None, step: int = 1
    ) -> None:
        super().__init__(elements)
        self._input = elements
        self._skip = start
        self._left = stop
        self._step = step

    def __next__(self) -> Any:
        if self._left == 0:
            self.close()
            raise StopIteration
        while self._skip:
            next(self._input)
            self._skip -= 1
        element = next(self._input)
        # What raised an error does not count.
        if self._left is not None:
            self._left -= 1
        self._skip = self._step - 1
        return element


class RepeatDataset(UnaryUnchangedStructureDataset):
    """All elements several times."""

    def __init__(
        self, input_dataset: DatasetV2, count: Any = None, name: str | None = None
    ) -> None:
        super().__init__(input_dataset, name)
        number = -1 if count is None else whole_number(count, "count")
        # None: without an end.
        self._count = None if number < 0 else number

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return Repeated(self._input, context, self._count, self._pass_after_all)

    def _joins_repeat(self) -> bool:
        return self._count == 1 and self._input._joins_repeat()

    def _pass_after_all(self, context: IterationContext) -> None:
        """TensorFlow's `repeat` begins one pass more than it reads, which draws seeds, if not joined."""
        if self._count is not None and self._count > 1 and not self._input._joins_repeat():
            self._input._pass_by(context)

    def _cardinality(self) -> int:
        number = self._input._cardinality()
        if self._count is None:
            return INFINITE if number != 0 else 0
        return number if number in (INFINITE, UNKNOWN) and self._count else number * self._count

    def _indexed(self, context: IterationContext) -> Indexed | None:
        first = self._input._indexed(context)
        if first is None:
            return None

        def chunks() -> Iterator[Any]:
            passes = self._count
            passing: Indexed | None = first
            while passes is None or passes > 0:
                assert passing is not None
                empty = True
                for chunk in passing.chunks:
                    empty = False
                    yield chunk
                if empty:
                    return
                if passes is not None:
                    passes -= 1
                passing = self._input._indexed(context) if passes != 0 else None
            self._pass_after_all(context)

        return Indexed(first.source, chunks())


class Repeated(Elements):
    """Passes over a data set, one after the other."""

    __slots__ = ("_after_all", "_context", "_dataset", "_left", "_pass", "_read")

    def __init__(
        self,
        dataset: DatasetV2,
        context: IterationContext,
        count: int | None,
        after_all: Callable[[IterationContext], None],
    ) -> None:
        super().__init__()
        self._after_all = after_all
        self._dataset = dataset
        self._context = context
        self._left = count
        self._pass: Iterator[Any] | None = None if count == 0 else dataset._elements(context)
        self._read = False

    def __next__(self) -> Any:
        while self._pass is not None:
            try:
                element = next(self._pass)
            except StopIteration:
                if self._left is not None:
                    self._left -= 1
                # Repeating nothing for ever would never end.
                again = self._left != 0 and (self._read or self._left is not None)
                self._pass = self._dataset._elements(self._context) if again else None
                if not again:
                    self._after_all(self._context)
                self._read = False
            else:
                self._read = True
                return element
        raise StopIteration

    def close(self) -> None:
        close(self._pass)
        self._pass = None


class UniqueDataset(UnaryUnchangedStructureDataset):
    """Each element once."""

    def __init__(self, input_dataset: DatasetV2, name: str | None = None) -> None:
        super().__init__(input_dataset, name)
        specs = structure.flatten(input_dataset.element_spec)
        for spec in specs:
            if not isinstance(spec, TensorSpec):
                refuse(
                    "UniqueDataset only supports inputs with a single `tf.int32`, `tf.int64`, or "
                    f"`tf.string` component, but the elements have {spec!r}.",
                    op="UniqueDataset",
                )
            if spec.dtype not in (dtypes.int32, dtypes.int64, dtypes.string):
                raise TypeError(
                    f"`tf.data.Dataset.unique` does not support type {spec.dtype!r} -- only "
                    "`tf.int32`, `tf.int64`, and `tf.string` are supported."
                )
        if len(specs) != 1:
            refuse(
                "UniqueDataset only supports inputs with a single component.", op="UniqueDataset"
            )

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return Unseen(self._input._elements(context))


class Unseen(Elements):
    """The elements of a pass without repetitions."""

    __slots__ = ("_input", "_seen")

    def __init__(self, elements: Iterator[Any]) -> None:
        super().__init__(elements)
        self._input = elements
        self._seen: set[Any] = set()

    def __next__(self) -> Any:
        while True:
            element = next(self._input)
            (leaf,) = structure.flatten(element)
            array = static_value(leaf, "array")
            key = (array.shape, array.tobytes() if array.dtype != object else tuple(array.flat))
            if key not in self._seen:
                self._seen.add(key)
                return element


class IgnoreErrorsDataset(UnaryUnchangedStructureDataset):
    """The elements that could be made."""

    def __init__(
        self, input_dataset: DatasetV2, log_warning: bool = False, name: str | None = None
    ) -> None:
        super().__init__(input_dataset, name)
        self._log_warning = log_warning is not None and truth(
            log_warning, "log_warning", "IgnoreErrorsDataset"
        )

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return WithoutErrors(self._input._elements(context), self._log_warning)


class WithoutErrors(Elements):
    """A pass without its errors."""

    __slots__ = ("_input", "_log_warning")

    def __init__(self, elements: Iterator[Any], log_warning: bool) -> None:
        super().__init__(elements)
        self._input = elements
        self._log_warning = log_warning

    def __next__(self) -> Any:
        while True:
            try:
                return next(self._input)
            except StopIteration:
                raise
            except Exception as error:
                # Python's errors of functions count too: TensorFlow's functions of Python raise OpErrors.
                if self._log_warning:
                    import logging

                    logging.getLogger("tapegrad").warning(
                        "Error raised with error message %s", error
                    )


class OptionsDataset(UnaryUnchangedStructureDataset):
    """The same elements with options."""

    def __init__(self, input_dataset: DatasetV2, options: Options, name: str | None = None) -> None:
        super().__init__(input_dataset, name)
        if not isinstance(options, Options):
            raise TypeError(f"with_options() takes a tf.data.Options, but got {options!r}.")
        self._set = merged(input_dataset.options(), options)

    def options(self) -> Options:
        """The options of the input, and those set here."""
        return frozen(merged(self._set))

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return self._input._elements(context)

    def _cardinality(self) -> int:
        return self._input._cardinality()

    def _indexed(self, context: IterationContext) -> Indexed | None:
        return self._input._indexed(context)


class AssertCardinalityDataset(UnaryUnchangedStructureDataset):
    """The same elements, of which there must be so many."""

    def __init__(
        self, input_dataset: DatasetV2, expected_cardinality: Any, name: str | None = None
    ) -> None:
        super().__init__(input_dataset, name)
        self._expected = whole_number(expected_cardinality, "expected_cardinality")

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return Counted(self._input._elements(context), self._expected)

    def _cardinality(self) -> int:
        return self._expected


class Counted(Elements):
    """A pass that must have so many elements. It ends where it has failed: `ignore_errors` may read on."""

    __slots__ = ("_expected", "_failed", "_input", "_read")

    def __init__(self, elements: Iterator[Any], expected: int) -> None:
        super().__init__(elements)
        self._input = elements
        self._expected = expected
        self._read = 0
        self._failed = False

    def __next__(self) -> Any:
        if self._failed:
            raise StopIteration
        expected = self._expected
        try:
            element = next(self._input)
        except StopIteration:
            if self._read == expected:
                raise
            self._fail(f"contained only {self._read}")
        self._read += 1
        if expected != INFINITE and self._read > expected:
            self._fail(f"contained at least {self._read}")
        return element

    def _fail(self, count: str) -> None:
        self._failed = True
        wanted = "infinite" if self._expected == INFINITE else str(self._expected)
        refuse(
            f"Input dataset was expected to contain {wanted} elements but {count} elements.",
            op="AssertCardinalityDataset",
            error=FailedPreconditionError,
        )

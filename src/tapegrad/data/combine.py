"""Data sets made of several others, or of data sets that a function makes of elements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tapegrad import dtypes
from tapegrad.data import leaves, structure
from tapegrad.data.arguments import (
    listed,
    truth,
    whole_number,
)
from tapegrad.data.dataset import (
    INFINITE,
    UNKNOWN,
    DatasetSource,
    DatasetV2,
    UnaryDataset,
    check_dataset,
)
from tapegrad.data.functions import DataFunction
from tapegrad.data.indexed import Indexed, ZippedAccess
from tapegrad.data.iterators import Elements, IterationContext, close
from tapegrad.data.sources import RangeDataset
from tapegrad.data.specs import DatasetSpec
from tapegrad.errors import refuse


def passes_of(datasets: Sequence[DatasetV2], context: IterationContext) -> list[Iterator[Any]]:
    """Passes over the inputs of a data set."""
    return [dataset._elements(context.part(place)) for place, dataset in enumerate(datasets)]


def zipped(args: tuple[Any, ...], datasets: Any, name: str | None) -> DatasetV2:
    """``Dataset.zip``."""
    if not args and datasets is None:
        raise TypeError("Must pass at least one dataset to `zip`.")
    if args and datasets is not None:
        raise TypeError("Both `*args` and `datasets` cannot be set.")
    nest = datasets if not args else args[0] if len(args) == 1 else args
    return ZipDataset(nest, name)


class ZipDataset(DatasetV2):
    """Nests with an element of each data set."""

    def __init__(self, datasets: Any, name: str | None = None) -> None:
        flat = structure.flatten(datasets)
        for input_dataset in flat:
            if isinstance(input_dataset, list):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    "`tf.data.Dataset` objects. Python `list` is not supported and you should use "
                    "`tuple` instead."
                )
            if not isinstance(input_dataset, DatasetV2):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of "
                    f"`tf.data.Dataset` objects but encountered object of type {type(input_dataset)}."
                )
        super().__init__(*flat, name=name)
        self._nest = datasets

    @property
    def element_spec(self) -> Any:
        return structure.map_leaves(lambda dataset: dataset.element_spec, self._nest)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return Zipped(self._nest, passes_of(self._inputs(), context))

    def _cardinality(self) -> int:
        numbers = [dataset._cardinality() for dataset in self._inputs()]
        if UNKNOWN in numbers:
            return UNKNOWN
        finite = [number for number in numbers if number != INFINITE]
        return min(finite) if finite else INFINITE

    def _indexed(self, context: IterationContext) -> Indexed | None:
        parts: list[Any] = []
        for dataset in self._inputs():
            indexed = (
                dataset._indexed(context)
                if isinstance(dataset, (ZipDataset, DatasetSource))
                else None
            )
            if indexed is None or not indexed.in_order:
                return None
            parts.append(indexed.source)
        return Indexed.whole(ZippedAccess(self._nest, parts))


class Zipped(Elements):
    """Passes side by side. The pass ends with the first that ends."""

    __slots__ = ("_ended", "_nest")

    def __init__(self, nest: Any, passes: list[Iterator[Any]]) -> None:
        super().__init__(*passes)
        self._nest = nest
        self._ended = False

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        # After an error the inputs stay in step: each of them has been read once.
        row, failed = [], None
        for iterator in self.inputs:
            try:
                row.append(next(iterator))
            except StopIteration:
                self._ended = True
                self.close()
                break
            except Exception as error:
                failed = failed or error
        if failed is not None:
            try:
                raise failed
            finally:
                del failed  # else the error would hold this frame and the frame the error
        if self._ended:
            raise StopIteration
        return tuple(row) if type(self._nest) is tuple else structure.pack(self._nest, row)


def enumerated(dataset: DatasetV2, start: Any, name: str | None) -> DatasetV2:
    """``dataset.enumerate``."""
    numbers = RangeDataset(whole_number(start, "start"), dtypes.int64.max)
    return ZipDataset((numbers, dataset), name)


class ConcatenateDataset(DatasetV2):
    """The elements of one data set, and then those of another."""

    def __init__(
        self, input_dataset: DatasetV2, dataset: DatasetV2, name: str | None = None
    ) -> None:
        if not isinstance(dataset, DatasetV2):
            raise TypeError(f"concatenate() takes a data set, but got {dataset!r}.")
        super().__init__(input_dataset, dataset, name=name)
        first, second = input_dataset.element_spec, dataset.element_spec
        try:
            self._spec = leaves.covering(first, second)
        except (TypeError, ValueError) as error:
            raise TypeError(f"Incompatible dataset elements:\n  {first} vs.   {second}") from error

    @property
    def element_spec(self) -> Any:
        return self._spec

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return Chained(self._inputs(), context)

    def _pass_by(self, context: IterationContext) -> None:
        self._inputs()[0]._pass_by(context)

    def _cardinality(self) -> int:
        numbers = [dataset._cardinality() for dataset in self._inputs()]
        for special in (INFINITE, UNKNOWN):
            if special in numbers:
                return special
        return sum(numbers)


class Chained(Elements):
    """Passes over data sets one after the other. Each begins when the one before it has ended."""

    __slots__ = ("_context", "_left", "_pass")

    def __init__(self, datasets: Sequence[DatasetV2], context: IterationContext) -> None:
        super().__init__()
        self._context = context
        self._left = list(enumerate(datasets))
        self._pass: Iterator[Any] | None = self._begin()

    def _begin(self) -> Iterator[Any] | None:
        """The next pass, if there is one."""
        if not self._left:
            return None
        place, dataset = self._left.pop(0)
        return dataset._elements(self._context.part(place))

    def __next__(self) -> Any:
        while self._pass is not None:
            try:
                return next(self._pass)
            except StopIteration:
                self._pass = self._begin()
        raise StopIteration

    def close(self) -> None:
        self._left = []
        close(self._pass)


class InnerDatasets(UnaryDataset):
    """The base of those whose function makes a data set of each element."""

    def __init__(
        self, input_dataset: DatasetV2, map_func: Callable[..., Any], what: str, name: str | None
    ) -> None:
        super().__init__(input_dataset, name)
        self._function = DataFunction(map_func, input_dataset, what)
        if self._function.known_spec is not None:
            self._inner_spec(self._function.known_spec)

    @staticmethod
    def _inner_spec(spec: Any) -> Any:
        if not isinstance(spec, DatasetSpec):
            raise TypeError(
                f"The `map_func` argument must return a `Dataset` object. Got {spec!r}."
            )
        return spec.element_spec

    @property
    def element_spec(self) -> Any:
        return self._inner_spec(self._function.output_spec)

    def _opener(self, context: IterationContext) -> Callable[[Any], Iterator[Any]]:
        """The function that begins a pass over the data set of an element."""
        call = self._function.caller(context)
        inside = context.inside(self._function)

        def opened(element: Any) -> Iterator[Any]:
            dataset = call(element)
            if not isinstance(dataset, DatasetV2):
                raise TypeError(
                    "The `map_func` argument must return a `Dataset` object. "
                    f"Got {type(dataset)!r}."
                )
            return dataset._elements(inside)

        return opened


class FlatMapDataset(InnerDatasets):
    """The elements of the data sets that a function makes, one data set after the other."""

    def __init__(
        self, input_dataset: DatasetV2, map_func: Callable[..., Any], name: str | None = None
    ) -> None:
        super().__init__(input_dataset, map_func, "flat_map", name)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return Flattened(self._opener(context), self._input._elements(context))


class Flattened(Elements):
    """The elements of passes that a function begins."""

    __slots__ = ("_inner", "_input", "_open")

    def __init__(self, opener: Callable[[Any], Iterator[Any]], elements: Iterator[Any]) -> None:
        super().__init__(elements)
        self._open = opener
        self._input = elements
        self._inner: Iterator[Any] = iter(())

    def __next__(self) -> Any:
        while True:
            try:
                return next(self._inner)
            except StopIteration:
                self._inner = iter(())
            self._inner = self._open(next(self._input))

    def close(self) -> None:
        close(self._inner)
        super().close()


class InterleaveDataset(InnerDatasets):
    """The elements of the data sets that a function makes, in turns."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        map_func: Callable[..., Any],
        cycle_length: int,
        block_length: int,
        name: str | None = None,
    ) -> None:
        super().__init__(input_dataset, map_func, "interleave", name)
        self._cycle_length = cycle_length
        self._block_length = block_length

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return TakingTurns(
            self._opener(context),
            self._input._elements(context),
            self._cycle_length,
            self._block_length,
        )


class TakingTurns(Elements):
    """Passes that a function begins, a block of elements from each in turn.

    A place whose pass has ended is filled with the next one at its turn.
    """

    __slots__ = ("_at", "_block", "_cycle", "_in_block", "_input", "_more", "_open", "_places")

    def __init__(
        self,
        opener: Callable[[Any], Iterator[Any]],
        elements: Iterator[Any],
        cycle: int,
        block: int,
    ) -> None:
        super().__init__(elements)
        self._open = opener
        self._input = elements
        # Places are added on demand: there may be fewer passes than the length of the cycle.
        self._places: list[Iterator[Any] | None] = []
        self._cycle = cycle
        self._block = block
        self._at = self._in_block = 0
        self._more = True

    def _next_place(self) -> None:
        self._at += 1
        self._in_block = 0
        if self._at >= (self._cycle if self._more else len(self._places)):
            self._at = 0

    def __next__(self) -> Any:
        while self._more or any(self._places):
            place = self._places[self._at] if self._at < len(self._places) else None
            if place is None:
                if not self._more:
                    self._next_place()
                    continue
                try:
                    element = next(self._input)
                except StopIteration:
                    self._more = False
                    continue
                place = self._open(element)
                self._places[self._at : self._at + 1] = [place]
            try:
                inner = next(place)
            except StopIteration:
                self._places[self._at] = None
                self._next_place()
                continue
            self._in_block += 1
            if self._in_block == self._block:
                self._next_place()
            return inner
        raise StopIteration

    def close(self) -> None:
        for place in self._places:
            close(place)
        super().close()


def choose_from_datasets(
    datasets: Any, choice_dataset: DatasetV2, stop_on_empty_dataset: bool
) -> DatasetV2:
    """``Dataset.choose_from_datasets``."""
    datasets = listed(datasets or [], "datasets", "choose_from_datasets()")
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    check_dataset(choice_dataset, "choice_dataset", "choose_from_datasets()")
    spec = choice_dataset.element_spec
    scalar = getattr(spec, "dtype", None) is dtypes.int64 and spec.shape.is_compatible_with([])
    if not scalar:
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors "
            f"but are {spec}."
        )
    return DirectedInterleaveDataset(choice_dataset, datasets, stop_on_empty_dataset)


class DirectedInterleaveDataset(DatasetV2):
    """Elements of several data sets: a data set of numbers says which is next."""

    def __init__(
        self, selector: DatasetV2, datasets: list[DatasetV2], stop_on_empty_dataset: bool
    ) -> None:
        for dataset in datasets:
            check_dataset(dataset, "datasets", "DirectedInterleaveDataset")
        super().__init__(selector, *datasets)
        self._stops = stop_on_empty_dataset is not None and truth(
            stop_on_empty_dataset, "stop_on_empty_dataset", "DirectedInterleaveDataset"
        )
        spec = datasets[0].element_spec
        for index, dataset in enumerate(datasets[1:], 1):
            try:
                spec = leaves.covering(spec, dataset.element_spec)
            except (TypeError, ValueError) as error:
                raise TypeError(
                    f"Incompatible input datasets: data set {index} has elements of "
                    f"{dataset.element_spec}, those before have {spec}."
                ) from error
        self._spec = spec

    @property
    def element_spec(self) -> Any:
        return self._spec

    def _cardinality(self) -> int:
        return (
            INFINITE
            if INFINITE in [dataset._cardinality() for dataset in self._inputs()[1:]]
            else UNKNOWN
        )

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        passes = passes_of(self._inputs(), context)
        return Directed(passes[0], passes[1:], self._stops)


class Directed(Elements):
    """Several passes; another pass gives the number of the one to read next."""

    __slots__ = ("_left", "_passes", "_selector", "_stops")

    def __init__(self, selector: Iterator[Any], passes: list[Iterator[Any]], stops: bool) -> None:
        super().__init__(selector, *passes)
        self._selector = selector
        self._passes: list[Iterator[Any] | None] = list(passes)
        self._left = len(passes)
        self._stops = stops

    def __next__(self) -> Any:
        while self._left:
            number = int(next(self._selector))
            if not 0 <= number < len(self._passes):
                refuse(
                    f"Selector index out of range: {number} >= {len(self._passes)}",
                    op="DirectedInterleaveDataset",
                )
            chosen = self._passes[number]
            if chosen is None:
                continue
            try:
                return next(chosen)
            except StopIteration:
                self._passes[number] = None
                self._left = 0 if self._stops else self._left - 1
        raise StopIteration

"""``DatasetV2``: the class of all data sets, with a method for each source and transformation.

A method imports the module of what it makes when it is called, so that a program loads what it uses.
"""

from __future__ import annotations

import collections.abc
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tapegrad import dtypes
from tapegrad.core import EagerTensor, NeedsValues, Tensor
from tapegrad.data.arguments import check_callable, check_name, truth
from tapegrad.data.iterators import IterationContext, NumpyIterator, OwnedIterator
from tapegrad.data.makers import Makers
from tapegrad.data.options import Options, frozen, merged
from tapegrad.data.specs import DatasetSpec as DatasetSpec
from tapegrad.data.specs import IteratorSpec as IteratorSpec
from tapegrad.errors import refuse
from tapegrad.framework import calls
from tapegrad.framework.names import current_graph
from tapegrad.ops.constants import constant

PUBLIC = {
    "data": (
        "AUTOTUNE Dataset=DatasetV2 DatasetSpec INFINITE_CARDINALITY=INFINITE IteratorSpec "
        "UNKNOWN_CARDINALITY=UNKNOWN"
    ),
    "data.experimental": "AUTOTUNE INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN",
    "compat.v1.data.experimental": (
        "AUTOTUNE DatasetStructure=DatasetSpec INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN"
    ),
    "compat.v1.data": (
        "AUTOTUNE DatasetSpec INFINITE_CARDINALITY=INFINITE UNKNOWN_CARDINALITY=UNKNOWN"
    ),
}

if TYPE_CHECKING:
    from tapegrad.data.indexed import Indexed

Function = Callable[..., Any]

AUTOTUNE = -1
INFINITE = -1
UNKNOWN = -2


class DatasetV2(Makers, collections.abc.Iterable[Any]):
    """A stream of elements: ``tf.data.Dataset``.

    Methods make data sets of it, and nothing is computed until one is iterated over:

    >>> dataset = tf.data.Dataset.from_tensor_slices([8, 3, 0, 8, 2, 1])
    >>> dataset = dataset.filter(lambda x: x < 3).map(lambda x: x * 2)
    >>> [int(x) for x in dataset]
    [0, 4, 2]

    How a kind of data set is written is in the docstring of `tapegrad.data`.

    Args:
        *inputs: the data sets that this one reads.
    """

    # Whether TensorFlow's name for the class has no underscore in front, and what it is if it is not that of
    # the class. Data sets print it.
    _is_public = False
    _printed: str | None = None

    # No recording reads a data set. So none is begun, and functions that this one calls replay theirs.
    _changes = True

    def __init__(self, *inputs: DatasetV2, name: str | None = None) -> None:
        self._input_datasets = inputs
        if name:
            check_name(name)
        self._name = name

    # What a kind of data set says of itself.

    @property
    @abstractmethod
    def element_spec(self) -> Any:
        """The nest of specs of the elements.

        >>> tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"])).element_spec
        (TensorSpec(shape=(), dtype=tf.int32, name=None), TensorSpec(shape=(), dtype=tf.string, name=None))
        """

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        """One pass over the elements."""
        raise NotImplementedError(f"{type(self).__name__}._elements()")

    def _cardinality(self) -> int:
        """The number of elements, `INFINITE` or `UNKNOWN`."""
        return UNKNOWN

    def _indexed(self, context: IterationContext) -> Indexed | None:
        """One pass as numbers of elements (`indexed.Indexed`), or None without random access."""
        return None

    def _pass_by(self, context: IterationContext) -> None:
        """Draw the seeds with which a pass would begin, of which nothing is read."""
        for dataset in self._inputs():
            dataset._pass_by(context)

    def _joins_repeat(self) -> bool:
        """Whether TensorFlow makes one data set of this one and a `repeat` after it."""
        return False

    def _inputs(self) -> list[DatasetV2]:
        return list(self._input_datasets)

    def _is_unknown(self) -> bool:
        """Whether it reads a `SpecDataset`, and so has no elements."""
        return any(dataset._is_unknown() for dataset in self._inputs())

    # What all have in common.

    def __iter__(self) -> OwnedIterator:
        calls.mark()
        return OwnedIterator(self)

    def __bool__(self) -> bool:
        return True

    def __len__(self) -> int:
        """The number of elements.

        Raises:
            TypeError: it is infinite or unknown.
        """
        number = self._cardinality()
        if number == INFINITE:
            raise TypeError("The dataset is infinite.")
        if number == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return number

    def __repr__(self) -> str:
        kind = type(self)
        private = kind.__module__.startswith("tapegrad.data.") and not self._is_public
        return (
            f"<{'_' * private}{self._printed or kind.__name__} element_spec={self.element_spec!r}>"
        )

    def __str__(self) -> str:
        return repr(self)

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    def cardinality(self) -> Tensor:
        """The number of elements as an int64 scalar.

        It may be `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY`.
        """
        return _int64(self._cardinality())

    def options(self) -> Options:
        """The options of this data set and of those that it is made of."""
        return frozen(merged(*(dataset.options() for dataset in self._inputs())))

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over the elements with NumPy arrays and numbers for tensors.

        >>> list(tf.data.Dataset.range(3).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        return NumpyIterator(self)

    def apply(self, transformation_func: Callable[[DatasetV2], Any]) -> Any:
        """``transformation_func(self)``, which must be a data set."""
        check_callable(transformation_func, "transformation_func", "Dataset.apply()")
        dataset = transformation_func(self)
        if not isinstance(dataset, DatasetV2):
            raise TypeError(
                f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(dataset)}."
            )
        return dataset

    def reduce(
        self, initial_state: Any, reduce_func: Callable[..., Any], name: str | None = None
    ) -> Any:
        """The last state of ``state = reduce_func(state, element)`` over all elements.

        >>> int(tf.data.Dataset.range(5).reduce(np.int64(0), lambda total, x: total + x))
        10
        """
        from tapegrad.data.transforms import reduced

        if name:
            check_name(name)
        return reduced(self, initial_state, reduce_func)

    def get_single_element(self, name: str | None = None) -> Any:
        """The one element; `InvalidArgumentError` if there is none or more than one."""
        if name:
            check_name(name)
        if self._is_unknown():
            return without_values(self.element_spec)
        iterator = iter(self)
        try:
            element = next(iterator, iterator)
            if element is iterator:
                refuse("Dataset was empty.", op="DatasetToSingleElement")
            for _ in iterator:
                refuse("Dataset had more than one element.", op="DatasetToSingleElement")
        finally:
            iterator._close()
        return element

    # What makes a data set of this one.

    def map(
        self,
        map_func: Function,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> DatasetV2:
        """The results of ``map_func`` for each element.

        An element that is a tuple comes as several arguments.

        >>> [int(x) for x in tf.data.Dataset.range(3).map(lambda x: x * x)]
        [0, 1, 4]

        Args:
            map_func: takes an element, and returns a nest of what converts to tensors.
            num_parallel_calls: how many elements to work on at once, in threads; `tf.data.AUTOTUNE` lets
                the time that they take decide.
            deterministic: whether the elements keep their order. None asks the options, which say yes.

        Differs from TensorFlow: ``map_func`` runs for each element. TensorFlow runs its Python once.
        """
        if synchronous is not None:
            truth(synchronous, "synchronous", "Dataset.map()")
        if num_parallel_calls is None or synchronous:
            from tapegrad.data.transforms import MapDataset

            return MapDataset(self, map_func, name)
        from tapegrad.data.parallel import ParallelMapDataset

        return ParallelMapDataset(self, map_func, num_parallel_calls, deterministic, name)

    def filter(self, predicate: Function, name: str | None = None) -> DatasetV2:
        """The elements for which ``predicate`` returns True."""
        from tapegrad.data.transforms import FilterDataset

        return FilterDataset(self, predicate, name)

    def flat_map(self, map_func: Function, name: str | None = None) -> DatasetV2:
        """The elements of the data sets that ``map_func`` returns, one data set after the other."""
        from tapegrad.data.combine import FlatMapDataset

        return FlatMapDataset(self, map_func, name)

    def interleave(
        self,
        map_func: Function,
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> DatasetV2:
        """The elements of the data sets that ``map_func`` returns, in turns.

        Args:
            map_func: takes an element and returns a data set.
            cycle_length: how many data sets take turns.
            block_length: how many elements each gives in its turn.
            num_parallel_calls: how many of them are read at once, in threads.
            deterministic: whether the order is always the same.
        """
        from tapegrad.data.parallel import interleaved

        return interleaved(
            self, map_func, cycle_length, block_length, num_parallel_calls, deterministic, name
        )

    def scan(self, initial_state: Any, scan_func: Function, name: str | None = None) -> DatasetV2:
        """``outputs`` of ``state, outputs = scan_func(state, element)`` for each element."""
        from tapegrad.data.transforms import ScanDataset

        return ScanDataset(self, initial_state, scan_func, name)

    def take_while(self, predicate: Function, name: str | None = None) -> DatasetV2:
        """The elements up to the first for which ``predicate`` returns False."""
        from tapegrad.data.transforms import TakeWhileDataset

        return TakeWhileDataset(self, predicate, name)

    def take(self, count: Any, name: str | None = None) -> DatasetV2:
        """The first ``count`` elements, or all if ``count`` is -1."""
        from tapegrad.data.transforms import TakeDataset

        if has_no_value(count):
            return SpecDataset(self.element_spec)
        return TakeDataset(self, count, name)

    def skip(self, count: Any, name: str | None = None) -> DatasetV2:
        """All but the first ``count`` elements; none if ``count`` is -1."""
        from tapegrad.data.transforms import SkipDataset

        if has_no_value(count):
            return SpecDataset(self.element_spec)
        return SkipDataset(self, count, name)

    def repeat(self, count: Any = None, name: str | None = None) -> DatasetV2:
        """All elements ``count`` times; without end if it is None or -1."""
        from tapegrad.data.transforms import RepeatDataset

        if has_no_value(count):
            return SpecDataset(self.element_spec)
        return RepeatDataset(self, count, name)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> DatasetV2:
        """Each element whose number leaves the remainder ``index`` when divided by ``num_shards``."""
        from tapegrad.data.transforms import ShardDataset

        return ShardDataset(self, num_shards, index, name)

    def enumerate(self, start: Any = 0, name: str | None = None) -> DatasetV2:
        """Pairs of a number and an element, counted from ``start``."""
        from tapegrad.data.combine import enumerated

        return enumerated(self, start, name)

    def concatenate(self, dataset: DatasetV2, name: str | None = None) -> DatasetV2:
        """These elements and then those of ``dataset``."""
        from tapegrad.data.combine import ConcatenateDataset

        return ConcatenateDataset(self, dataset, name)

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> DatasetV2:
        """The elements in random order: each is drawn from a buffer of the next ``buffer_size`` elements.

        The same seeds give TensorFlow's order.

        >>> tf.random.set_seed(1)
        >>> dataset = tf.data.Dataset.range(10).shuffle(4)
        >>> [int(x) for x in dataset], [int(x) for x in dataset]
        ([2, 0, 1, 6, 3, 5, 9, 8, 7, 4], [0, 4, 3, 5, 1, 7, 9, 8, 2, 6])

        Args:
            buffer_size: at least the number of elements, for an even shuffle.
            seed: with `tf.random.set_seed`, decides the order.
            reshuffle_each_iteration: whether each pass has another order.
        """
        from tapegrad.data.shuffle import ShuffleDataset

        return ShuffleDataset(self, buffer_size, seed, reshuffle_each_iteration, name)

    def rejection_resample(
        self,
        class_func: Function,
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> DatasetV2:
        """Pairs of a class and an element, drawn so that the classes have the shares ``target_dist``."""
        from tapegrad.data.sampling import rejection_resampled

        if name:
            check_name(name)
        return rejection_resampled(self, class_func, target_dist, initial_dist, seed)

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> DatasetV2:
        """Batches of ``batch_size`` elements, with an axis in front. The last may be smaller.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(5).batch(2)]
        [[0, 1], [2, 3], [4]]
        """
        from tapegrad.data.batching import batched

        return batched(self, batch_size, drop_remainder, num_parallel_calls, deterministic, name)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> DatasetV2:
        """Batches of elements that are padded to one shape.

        >>> dataset = tf.data.Dataset.range(1, 3).map(lambda x: tf.fill([x], x))
        >>> [x.numpy().tolist() for x in dataset.padded_batch(2)]
        [[[1, 0], [2, 2]]]

        Args:
            padded_shapes: a nest of shapes. Where a size is None or -1, the largest in the batch is taken.
            padding_values: a nest of scalars, or one for all. Zeros and empty strings if left out.
        """
        from tapegrad.data.batching import PaddedBatchDataset

        return PaddedBatchDataset(
            self, batch_size, padded_shapes, padding_values, drop_remainder, name
        )

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        row_splits_dtype: Any = dtypes.int64,
        name: str | None = None,
    ) -> DatasetV2:
        """Batches as ragged tensors, of elements whose shapes differ."""
        from tapegrad.data.batching import ragged_batched

        return ragged_batched(self, batch_size, drop_remainder, row_splits_dtype, name)

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> DatasetV2:
        """Batches as sparse tensors of rows of ``row_shape``, of elements that are at most so large."""
        from tapegrad.data.batching import DenseToSparseBatchDataset

        return DenseToSparseBatchDataset(self, batch_size, row_shape, name)

    def bucket_by_sequence_length(
        self,
        element_length_func: Function,
        bucket_boundaries: Any,
        bucket_batch_sizes: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> DatasetV2:
        """Padded batches of elements of similar length."""
        from tapegrad.data.windows import bucketed

        if name:
            check_name(name)
        return bucketed(
            self,
            element_length_func,
            bucket_boundaries,
            bucket_batch_sizes,
            padded_shapes,
            padding_values,
            pad_to_bucket_boundary,
            no_padding,
            drop_remainder,
        )

    def unbatch(self, name: str | None = None) -> DatasetV2:
        """The rows of batches, one by one."""
        from tapegrad.data.batching import UnbatchDataset

        return UnbatchDataset(self, name)

    def rebatch(
        self, batch_size: Any, drop_remainder: Any = False, name: str | None = None
    ) -> DatasetV2:
        """The rows of batches in batches of ``batch_size``, or of the sizes in a vector, in turn."""
        from tapegrad.data.batching import RebatchDataset

        return RebatchDataset(self, batch_size, drop_remainder, name)

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> DatasetV2:
        """Data sets of ``size`` elements each; the next begins ``shift`` elements later.

        >>> [[int(x) for x in window] for window in tf.data.Dataset.range(5).window(2)]
        [[0, 1], [2, 3], [4]]
        """
        from tapegrad.data.windows import WindowDataset

        return WindowDataset(self, size, shift, stride, drop_remainder, name)

    def group_by_window(
        self,
        key_func: Function,
        reduce_func: Function,
        window_size: Any = None,
        window_size_func: Function | None = None,
        name: str | None = None,
    ) -> DatasetV2:
        """The elements of ``reduce_func(key, window)``, for windows of elements with the same key."""
        from tapegrad.data.windows import GroupByWindowDataset

        return GroupByWindowDataset(
            self, key_func, reduce_func, window_size, window_size_func, name
        )

    def unique(self, name: str | None = None) -> DatasetV2:
        """Each element once."""
        from tapegrad.data.transforms import UniqueDataset

        return UniqueDataset(self, name)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> DatasetV2:
        """The elements that could be made. Those that raised an error are left out."""
        from tapegrad.data.transforms import IgnoreErrorsDataset

        return IgnoreErrorsDataset(self, log_warning, name)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> DatasetV2:
        """The same elements, computed by a thread ahead of time.

        Args:
            buffer_size: how many to make ahead; `tf.data.AUTOTUNE` leaves it to us.
        """
        from tapegrad.data.parallel import PrefetchDataset

        return PrefetchDataset(self, buffer_size, name)

    def with_options(self, options: Options, name: str | None = None) -> DatasetV2:
        """The same elements, with these options set."""
        from tapegrad.data.transforms import OptionsDataset

        return OptionsDataset(self, options, name)

    def cache(self, filename: Any = "", name: str | None = None) -> DatasetV2:
        """The same elements, kept after the first pass: in memory, or in a file."""
        from tapegrad.data.cache import cached

        return cached(self, filename, name)

    def snapshot(
        self,
        path: str,
        compression: str | None = "AUTO",
        reader_func: Function | None = None,
        shard_func: Function | None = None,
        name: str | None = None,
    ) -> DatasetV2:
        """The same elements, read from the directory ``path`` if an earlier pass has written them there."""
        from tapegrad.data.stored import snapshot

        return snapshot(self, path, compression, reader_func, shard_func, name)

    def save(
        self,
        path: str,
        compression: str | None = None,
        shard_func: Function | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Write all elements to the directory ``path``, for `load`."""
        from tapegrad.data.stored import save

        save(self, path, compression, shard_func, checkpoint_args)

    def fingerprint(self) -> Tensor:
        """A number that is the same for data sets that are made in the same way."""
        from tapegrad.data.fingerprints import fingerprint

        return fingerprint(self)


class UnaryDataset(DatasetV2):
    """A data set made of one other."""

    def __init__(self, input_dataset: DatasetV2, name: str | None = None) -> None:
        super().__init__(input_dataset, name=name)
        self._input = input_dataset


class UnaryUnchangedStructureDataset(UnaryDataset):
    """A data set made of one other, with elements of the same spec."""

    @property
    def element_spec(self) -> Any:
        """The nest of specs of the elements: that of the input."""
        return self._input.element_spec


class DatasetSource(DatasetV2):
    """A data set that reads no other."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)


class SpecDataset(DatasetSource):
    """A data set of which no more is known than the spec of its elements.

    It represents a data set where a function is called without values.
    """

    def __init__(self, element_spec: Any) -> None:
        super().__init__()
        self._spec = element_spec

    @property
    def element_spec(self) -> Any:
        return self._spec

    def _is_unknown(self) -> bool:
        return True

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        raise NeedsValues("The elements of a data set are asked for, which is not there yet.")


def check_dataset(dataset: Any, name: str, op: str) -> None:
    """Raise unless ``dataset`` is a data set."""
    if not isinstance(dataset, DatasetV2):
        raise TypeError(f"{op}: `{name}` must be a `tf.data.Dataset`, but got {dataset!r}.")


def has_no_value(*numbers: Any) -> bool:
    """Whether a function is called without values, and one of the numbers is a tensor that lacks its own."""
    graph = current_graph()
    if graph is None or all(type(number) in (int, EagerTensor, type(None)) for number in numbers):
        return False
    if not any(
        isinstance(number, Tensor) and not isinstance(number, EagerTensor) for number in numbers
    ):
        return False
    graph.refuse("it makes a data set of a tensor")
    return True


def without_values(spec: Any) -> Any:
    """A symbolic stand-in for an element of this spec."""
    from tapegrad.symbolic.specs import arguments

    return arguments(current_graph(), spec)


def _int64(value: int) -> Tensor:
    tensor: Tensor = constant(value, dtypes.int64)
    return tensor


DatasetSpec._values = DatasetV2

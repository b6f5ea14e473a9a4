"""``tf.data.experimental``: most of it is older names of what data sets have as methods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor
from tapegrad.data import parallel, structure
from tapegrad.data.arguments import positive, whole_number
from tapegrad.data.dataset import INFINITE, UNKNOWN, DatasetV2, UnaryDataset, check_dataset
from tapegrad.data.functions import DataFunction
from tapegrad.data.iterators import IterationContext, close
from tapegrad.data.parallel import PrefetchDataset
from tapegrad.data.shuffle import RandomDataset as Random
from tapegrad.data.shuffle import ShuffleDataset
from tapegrad.data.sources import ListDataset
from tapegrad.data.transforms import SHARD_HINT as SHARD_HINT
from tapegrad.data.transforms import (
    AssertCardinalityDataset,
    MapDataset,
    RepeatDataset,
    check_state,
)
from tapegrad.data.windows import check_key_spec, int64_scalar
from tapegrad.errors import OutOfRangeError, refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.device_spec import DeviceSpec
from tapegrad.framework.printed import Printed
from tapegrad.ops.shape.creation import zeros

PUBLIC = {
    "data.experimental compat.v1.data.experimental": (
        "Counter RandomDataset=RandomDatasetV2 Reducer SHARD_HINT assert_cardinality "
        "bucket_by_sequence_length cardinality choose_from_datasets copy_to_device "
        "dense_to_ragged_batch dense_to_sparse_batch enable_debug_mode enumerate_dataset from_list "
        "get_single_element get_structure group_by_reducer group_by_window ignore_errors map_and_batch "
        "pad_to_cardinality parallel_interleave prefetch_to_device rejection_resample "
        "sample_from_datasets scan shuffle_and_repeat take_while unbatch unique"
    ),
    "data.experimental": "at",
}

Transformation = Callable[[DatasetV2], DatasetV2]


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """For `apply`: the same elements, of which there must be ``expected_cardinality``.

    >>> dataset = tf.data.Dataset.range(5).filter(lambda x: x < 3)
    >>> int(dataset.apply(tf.data.experimental.assert_cardinality(3)).cardinality())
    3

    Args:
        expected_cardinality: an integer, or `tf.data.INFINITE_CARDINALITY`.
    """

    def asserted(dataset: DatasetV2) -> DatasetV2:
        check_dataset(dataset, "dataset", "assert_cardinality()")
        return AssertCardinalityDataset(dataset, expected_cardinality)

    return asserted


def at(dataset: DatasetV2, index: Any) -> Any:
    """The element number ``index`` of a data set.

    Differs from TensorFlow: any data set will do, and those without numbers are read up to the element.

    >>> int(tf.data.experimental.at(tf.data.Dataset.range(5), 3))
    3

    Args:
        dataset: a data set.
        index: an integer that is not negative.
    """
    check_dataset(dataset, "dataset", "at()")
    number = whole_number(index, "index")
    context = IterationContext(dataset.options())
    indexed = dataset._indexed(context)
    if indexed is not None and indexed.in_order and 0 <= number < indexed.source.size:
        return indexed.source.element(number)
    elements = dataset._elements(context)
    try:
        for count, element in enumerate(elements):
            if count == number:
                return element
    finally:
        close(elements)
    refuse(
        f"Index out of range [0, {dataset._cardinality()}):{number}",
        op="GetElementAtIndex",
        error=OutOfRangeError,
    )


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """For `apply`: padded batches of elements of similar length, as the method of that name.

    Args:
        element_length_func: takes an element and returns its length, an integer.
        bucket_boundaries: a rising list of lengths: a bucket begins at each of them, and one more is below
            the first.
        bucket_batch_sizes: the size of the batches of each bucket, one more than the boundaries.
        padded_shapes: the nest of shapes to which elements are padded; None pads to the longest of the batch.
        padding_values: the nest of values to pad with; None for zeros and empty strings.
        pad_to_bucket_boundary: whether unknown sizes are padded to the boundary of the bucket less one. Then
            no element is as long as the last boundary.
        no_padding: whether elements are put together as they are, and have one shape.
        drop_remainder: whether batches that are not full are left out at the end.
    """
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


def cardinality(dataset: DatasetV2) -> Tensor:
    """The number of elements, as ``dataset.cardinality()``.

    Args:
        dataset: a data set.
    """
    check_dataset(dataset, "dataset", "cardinality()")
    return dataset.cardinality()


def choose_from_datasets(
    datasets: Any, choice_dataset: DatasetV2, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """A data set whose next element comes from the data set with the number in ``choice_dataset``.

    >>> parts = [tf.data.Dataset.from_tensors(x).repeat() for x in ("a", "b")]
    >>> numbers = tf.data.Dataset.from_tensor_slices(tf.constant([1, 0, 1], tf.int64))
    >>> [x.numpy() for x in tf.data.experimental.choose_from_datasets(parts, numbers)]
    [b'b', b'a', b'b']

    Args:
        datasets: a list of data sets with elements of one structure.
        choice_dataset: a data set of int64 scalars, the numbers of data sets.
        stop_on_empty_dataset: whether to stop at the first choice of a data set that has ended; else the
            choice is passed over.
    """
    return DatasetV2.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """For `apply`: the same elements. There is one device here.

    Args:
        target_device, source_device: names of the one device.
    """
    if source_device is None:
        raise ValueError(
            "copy_to_device(): `source_device` must be the name of a device, but is None."
        )
    check_device(target_device)
    check_device(source_device)
    return lambda dataset: CopyToDeviceDataset(dataset)


def check_device(device: Any) -> None:
    """Raise unless ``device`` is the name of a device."""
    if device is not None and not isinstance(device, str):
        raise TypeError(f"A device is named by a string such as '/cpu:0', but got {device!r}.")
    DeviceSpec.from_string(device or "")


class CopyToDeviceDataset(UnaryDataset):
    """The same elements, whose number TensorFlow does not know."""

    @property
    def element_spec(self) -> Any:
        return self._input.element_spec

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return self._input._elements(context)


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> DatasetV2:
    """Numbers without end: ``start``, ``start + step`` and so on, as ``Dataset.counter``.

    >>> [int(x) for x in tf.data.experimental.Counter(start=2, step=3).take(3)]
    [2, 5, 8]

    Args:
        start: the first number.
        step: the distance from a number to the next.
        dtype: the dtype of the numbers.
    """
    return DatasetV2.counter(start, step, dtype)


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = dtypes.int64
) -> Transformation:
    """For `apply`: elements whose shapes differ, in ragged batches, as the method ``ragged_batch``.

    Args:
        batch_size: how many elements make a batch.
        drop_remainder: whether a last batch that is not full is left out.
        row_splits_dtype: int32 or int64.
    """
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Transformation:
    """For `apply`: batches as sparse tensors, of elements whose sizes differ, as the method ``sparse_batch``.

    Args:
        batch_size: how many elements make a batch.
        row_shape: the shape of the dense form of an element, which is at most so large.
    """
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def enable_debug_mode() -> None:
    """From now on, functions are called one at a time, in the order of the elements.

    They always run as Python, so that a debugger can step through them.
    """
    parallel.debugging = True


def enumerate_dataset(start: Any = 0) -> Transformation:
    """For `apply`: pairs of a number and an element, as the method ``enumerate``.

    Args:
        start: the first number.
    """
    return lambda dataset: dataset.enumerate(start)


def from_list(elements: Any, name: str | None = None) -> DatasetV2:
    """A data set of the elements of a list.

    >>> [int(x) for x in tf.data.experimental.from_list([1, 2])]
    [1, 2]

    Args:
        elements: a list of nests of tensors of one structure; one at least.
    """
    return ListDataset(elements, name)


def get_single_element(dataset: DatasetV2) -> Any:
    """The one element, as ``dataset.get_single_element()``.

    Args:
        dataset: a data set with one element.
    """
    check_dataset(dataset, "dataset", "get_single_element()")
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The nest of specs of the elements of a data set or an iterator.

    >>> tf.data.experimental.get_structure(tf.data.Dataset.range(3))
    TensorSpec(shape=(), dtype=tf.int64, name=None)

    Args:
        dataset_or_iterator: a data set, or an iterator of one.
    """
    try:
        return dataset_or_iterator.element_spec
    except AttributeError as error:
        raise TypeError(
            "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a `tf.data.Dataset` or "
            f"`tf.data.Iterator` object, but got {type(dataset_or_iterator)}."
        ) from error


class Reducer(Printed):
    """Three functions for `group_by_reducer`: the first state of a key, the next state, the result."""

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self._init_func = init_func
        self._reduce_func = reduce_func
        self._finalize_func = finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """The function of a key that gives the first state."""
        return self._init_func

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """The function of a state and an element that gives the next state."""
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """The function of the last state that gives the result."""
        return self._finalize_func


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """For `apply`: for each key, in order, what ``reducer`` makes of the elements with it.

    Args:
        key_func: takes an element and returns an int64 scalar, its key.
        reducer: a `tf.data.experimental.Reducer`.
    """
    return lambda dataset: GroupByReducerDataset(dataset, key_func, reducer)


class GroupByReducerDataset(UnaryDataset):
    """A result for each key."""

    def __init__(
        self, input_dataset: DatasetV2, key_func: Callable[..., Any], reducer: Reducer
    ) -> None:
        super().__init__(input_dataset)
        self._key_function = DataFunction(key_func, input_dataset, "group_by_reducer")
        check_key_spec(self._key_function, "key_func")
        if not isinstance(reducer, Reducer):
            raise TypeError(
                "group_by_reducer(): `reducer` must be a `tf.data.experimental.Reducer`, but got "
                f"{reducer!r}."
            )
        self._reducer = reducer
        states = States(input_dataset, reducer)
        self._function = DataFunction(reducer.finalize_func, states, "group_by_reducer")

    @property
    def element_spec(self) -> Any:
        return self._function.output_spec

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        key_of = self._key_function.caller(context)
        finish = self._function.caller(context)
        states = States(self._input, self._reducer)
        streams = context.streams_of(states.step)
        start = states.start.caller(context)
        kept: dict[int, Any] = {}
        elements = self._input._elements(context)
        try:
            for element in elements:
                key_tensor = key_of(element)
                key = int64_scalar(key_tensor, "key_func")
                if key not in kept:
                    kept[key] = start(key_tensor)
                kept[key] = states.next(streams, kept[key], element)
        finally:
            close(elements)
        for key in sorted(kept):
            yield finish(kept[key])


class States(UnaryDataset):
    """The states of a `Reducer`, for finding out their spec."""

    def __init__(self, input_dataset: DatasetV2, reducer: Reducer) -> None:
        super().__init__(input_dataset)
        keys = DatasetV2.range(1)
        self.start = DataFunction(reducer.init_func, keys, "group_by_reducer")
        self.step = DataFunction(
            reducer.reduce_func, input_dataset, "group_by_reducer", is_own=True
        )

    def next(self, streams: Any, state: Any, element: Any) -> Any:
        """The state after one more element."""
        arguments = element if type(element) is tuple else (element,)
        after = self.step(streams, state, *arguments)
        check_state(state, after, "reduce_func")
        return after

    @property
    def element_spec(self) -> Any:
        return self.start.output_spec

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        start = self.start.caller(context)
        return iter([start(convert_to_tensor(0, dtypes.int64))])


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """For `apply`: the elements of ``reduce_func(key, window)``, for windows of elements with the same key.

    >>> dataset = tf.data.Dataset.range(6)
    >>> windows = tf.data.experimental.group_by_window(lambda x: x % 2, lambda key, d: d.batch(3), 3)
    >>> [x.numpy().tolist() for x in dataset.apply(windows)]
    [[0, 2, 4], [1, 3, 5]]

    Args:
        key_func: takes an element and returns an int64 scalar, its key.
        reduce_func: takes a key and a data set of elements with that key, and returns a data set.
        window_size: how many elements are put together at most.
        window_size_func: takes a key and returns its window size. One of the two is given.
    """
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


def ignore_errors(log_warning: bool = False) -> Transformation:
    """For `apply`: the elements that could be made. Those that raised an error are left out.

    >>> dataset = tf.data.Dataset.from_tensor_slices([1.0, 0.0, 4.0])
    >>> dataset = dataset.map(lambda x: tf.debugging.check_numerics(1.0 / x, "quotient"))
    >>> [float(x) for x in dataset.apply(tf.data.experimental.ignore_errors())]
    [1.0, 0.25]

    Args:
        log_warning: whether to write a line for each element that is left out.
    """
    return lambda dataset: dataset.ignore_errors(log_warning)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """For `apply`: ``map`` and then ``batch``.

    Args:
        map_func: takes an element and returns another.
        batch_size: how many elements make a batch.
        num_parallel_batches: how many batches are made at once, in threads; or None.
        drop_remainder: whether a last batch that is not full is left out.
        num_parallel_calls: how many elements are made at once, in threads; or None. At most one of the two is
            given.
    """
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be "
            "set, but both were set."
        )
    if num_parallel_batches is not None:
        num_parallel_calls = whole_number(
            num_parallel_batches, "num_parallel_batches"
        ) * whole_number(batch_size, "batch_size")
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(
        batch_size, drop_remainder
    )


def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Transformation:
    """For `apply`: the elements, which are dicts, and then zeros, so that there are ``cardinality``.

    Under ``mask_key`` each element says whether it is one of the first.

    Args:
        cardinality: an integer, not below the number of elements.
        mask_key: a key that elements do not have.
    """

    cardinality = whole_number(cardinality, "cardinality")
    if not isinstance(mask_key, str):
        raise TypeError(f"pad_to_cardinality(): `mask_key` must be a string, but got {mask_key!r}.")

    def padded(dataset: DatasetV2) -> DatasetV2:
        spec = dataset.element_spec
        if not isinstance(spec, dict):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        if dataset._cardinality() in (UNKNOWN, INFINITE):
            raise ValueError(
                "The dataset passed into `pad_to_cardinality` must have a known cardinality, but has "
                f"cardinality {dataset._cardinality()}"
            )
        if dataset._cardinality() > cardinality:
            raise ValueError(
                "The dataset passed into `pad_to_cardinality` must have a cardinality less than the "
                f"target cardinality ({cardinality}), but has cardinality {dataset._cardinality()}"
            )
        if mask_key in spec:
            raise ValueError(f"Mask key '{mask_key}' already exists in the dataset.")

        def nothing(_: Any) -> Any:
            padding = structure.map_leaves(
                lambda leaf: zeros([size or 0 for size in leaf.shape], leaf.dtype), spec
            )
            return {**padding, mask_key: False}

        real = MapDataset(dataset, lambda element: {**element, mask_key: True})
        missing = DatasetV2.range(cardinality - dataset._cardinality())
        return real.concatenate(MapDataset(missing, nothing))

    return padded


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """For `apply`: the elements of the data sets that ``map_func`` returns, in turns, read in threads.

    Args:
        map_func: takes an element and returns a data set.
        cycle_length: how many data sets take turns, which are read at once, in threads.
        block_length: how many elements each gives in its turn.
        sloppy: whether the order may differ from one pass to the next.
        buffer_output_elements, prefetch_input_elements: whole numbers or None, of no effect.
    """
    for name, value, least in (
        ("buffer_output_elements", buffer_output_elements, 1),
        ("prefetch_input_elements", prefetch_input_elements, 0),
    ):
        if value is not None and whole_number(value, name) < least:
            refuse(
                f"`{name}` must be at least {least}, but it is {value}.",
                op="LegacyParallelInterleaveDatasetV2",
            )
    cycle = positive(cycle_length, "`cycle_length`", "LegacyParallelInterleaveDatasetV2")
    block = positive(block_length, "`block_length`", "LegacyParallelInterleaveDatasetV2")
    return lambda dataset: dataset.interleave(map_func, cycle, block, cycle, not sloppy)


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """For `apply`: the same elements, made ahead. There is one device here.

    Args:
        device: a name of the one device.
        buffer_size: how many elements are prepared; None chooses.
    """
    check_device(device)
    return lambda dataset: PrefetchDataset(CopyToDeviceDataset(dataset), buffer_size)


class RandomDatasetV2(Random):
    """Random whole numbers, as ``Dataset.random``."""

    _is_public = True


def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """For `apply`: pairs of a class and an element, drawn so that classes have the shares ``target_dist``.

    Args:
        class_func: takes an element and returns its class, an integer scalar.
        target_dist: a vector of floats, the share that each class shall have.
        initial_dist: a vector with the share that each class has; None counts them while elements are read.
        seed: decides the draws, together with ``tf.random.set_seed``'s.
    """
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> DatasetV2:
    """A data set whose next element comes from a data set drawn at random, with these weights.

    >>> ones, twos = tf.data.Dataset.from_tensors(1).repeat(), tf.data.Dataset.from_tensors(2).repeat()
    >>> mixed = tf.data.experimental.sample_from_datasets([ones, twos], weights=[1.0, 0.0])
    >>> [int(x) for x in mixed.take(3)]
    [1, 1, 1]

    Args:
        datasets: a list of data sets with elements of one structure.
        weights: the probability of each data set, a vector, or a data set of vectors; None for equal ones.
        seed: decides the draws, together with ``tf.random.set_seed``'s.
        stop_on_empty_dataset: whether to stop at the first draw of a data set that has ended; else others are
            drawn.
    """
    return DatasetV2.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """For `apply`: the results of ``scan_func``, which hands a state on from element to element.

    >>> dataset = tf.data.Dataset.range(4)
    >>> sums = tf.data.experimental.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
    >>> [int(x) for x in dataset.apply(sums)]
    [0, 1, 3, 6]

    Args:
        initial_state: a nest of tensors.
        scan_func: takes a state and an element, and returns the next state and a result.
    """
    return lambda dataset: dataset.scan(initial_state, scan_func)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """For `apply`: ``shuffle`` and then ``repeat``.

    Args:
        buffer_size: how many elements wait to be drawn.
        count: how often the elements come; None or -1 for ever.
        seed: decides the order, together with ``tf.random.set_seed``'s.
    """
    return lambda dataset: ShuffleAndRepeatDataset(dataset, buffer_size, count, seed)


class ShuffleAndRepeatDataset(RepeatDataset):
    """Shuffled again for each repetition."""

    def __init__(self, input_dataset: DatasetV2, buffer_size: Any, count: Any, seed: Any) -> None:
        super().__init__(ShuffleDataset(input_dataset, buffer_size, seed), count)
        number = -1 if count is None else whole_number(count, "count")
        if number < 1 and number != -1:
            refuse(
                f"count must be greater than zero or equal to -1, but it is {number}.",
                op="ShuffleAndRepeatDataset",
            )


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """For `apply`: the elements up to the first for which ``predicate`` returns False.

    >>> dataset = tf.data.Dataset.range(9).apply(tf.data.experimental.take_while(lambda x: x < 3))
    >>> [int(x) for x in dataset]
    [0, 1, 2]

    Args:
        predicate: takes an element and returns a bool scalar.
    """
    return lambda dataset: dataset.take_while(predicate)


def unbatch() -> Transformation:
    """For `apply`: as the method ``unbatch``."""
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """For `apply`: as the method ``unique``."""
    return lambda dataset: dataset.unique()

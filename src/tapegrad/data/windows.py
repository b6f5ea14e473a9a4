"""Windows: data sets inside elements, of elements that follow each other or have the same key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tapegrad import dtypes
from tapegrad.core import EagerTensor, static_value
from tapegrad.data import structure
from tapegrad.data.arguments import (
    check_callable,
    listed,
    positive,
    truth,
    truth_tensor,
    whole_number,
)
from tapegrad.data.batching import PaddedBatchDataset, leaves_like, shape_from
from tapegrad.data.dataset import INFINITE, UNKNOWN, DatasetSource, DatasetV2, UnaryDataset
from tapegrad.data.functions import DataFunction
from tapegrad.data.iterators import Elements, Failure, IterationContext, close
from tapegrad.data.specs import DatasetSpec
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec


class VariantDataset(DatasetSource):
    """Elements that another data set has made, or one component of them.

    Args:
        elements: the elements.
        maker: the data set that made them.
        component: the number of the leaf of its elements; None for whole elements.
    """

    def __init__(self, elements: list[Any], maker: DatasetV2, component: int | None = None) -> None:
        super().__init__()
        self._list = elements
        self._maker = maker
        self._component = component

    @property
    def element_spec(self) -> Any:
        spec = self._maker.element_spec
        return spec if self._component is None else structure.flatten(spec)[self._component]

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return iter(self._list)

    def _cardinality(self) -> int:
        return len(self._list)


class WindowDataset(UnaryDataset):
    """Data sets of elements that follow each other: one for each leaf, in the nest of the elements."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> None:
        super().__init__(input_dataset, name)
        self._size = positive(size, "Window size", "WindowDataset")
        self._shift = (
            self._size if shift is None else positive(shift, "Window shift", "WindowDataset")
        )
        self._stride = positive(stride, "Window stride", "WindowDataset")
        self._drops = truth_tensor(drop_remainder, "drop_remainder", "WindowDataset")

    @property
    def element_spec(self) -> Any:
        return structure.map_leaves(DatasetSpec, self._input.element_spec)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return Windows(self._input, context, self._size, self._shift, self._stride, self._drops)

    def _cardinality(self) -> int:
        number = self._input._cardinality()
        if number in (INFINITE, UNKNOWN):
            return number
        if self._drops:
            last = number - ((self._size - 1) * self._stride + 1)
            return 0 if last < 0 else last // self._shift + 1
        return -(-number // self._shift)


class Windows(Elements):
    """Windows of the elements of a pass.

    An element that fails keeps its place: all windows that it is in fail.
    """

    __slots__ = ("_buffer", "_dataset", "_drops", "_input", "_shift", "_skip", "_span", "_stride")

    def __init__(
        self,
        dataset: DatasetV2,
        context: IterationContext,
        size: int,
        shift: int,
        stride: int,
        drops: bool,
    ) -> None:
        elements = dataset._elements(context)
        super().__init__(elements)
        self._dataset = dataset
        self._input = elements
        self._span = (size - 1) * stride + 1
        self._shift = shift
        self._stride = stride
        self._drops = drops
        self._buffer: list[Any] = []
        self._skip = 0

    def __next__(self) -> Any:
        buffer = self._buffer
        while self._skip or len(buffer) < self._span:
            try:
                element = next(self._input)
            except StopIteration:
                if not buffer or self._drops:
                    raise
                break
            except Exception as error:
                element = Failure(error)
            if self._skip:
                self._skip -= 1
            else:
                buffer.append(element)
        window = buffer[: self._span : self._stride]
        self._skip = max(self._shift - len(buffer), 0)
        del buffer[: self._shift]
        for element in window:
            if type(element) is Failure:
                try:
                    raise element.error
                finally:
                    del (
                        element,
                        window,
                    )  # else the error would hold this frame and the frame the error
        columns = zip(*map(structure.flatten, window), strict=True)
        parts = [
            VariantDataset(list(column), self._dataset, number)
            for number, column in enumerate(columns)
        ]
        return structure.pack(window[0], parts)


class GroupByWindowDataset(UnaryDataset):
    """The elements of data sets that a function makes of windows of elements with the same key."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        key_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        window_size: Any = None,
        window_size_func: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(input_dataset, name)
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "Either the `window_size` argument or the `window_size_func` argument must be specified."
            )
        check_callable(key_func, "key_func", "Dataset.group_by_window()")
        self._key_function = DataFunction(key_func, input_dataset, "group_by_window")
        size_of = window_size_func
        if size_of is None:
            constant_size = window_size_of(window_size)

            def size_of(key: Any) -> Any:
                return constant_size

        check_callable(size_of, "window_size_func", "Dataset.group_by_window()")
        check_key_spec(self._key_function, "key_func")
        self._size_function = DataFunction(
            size_of, DatasetV2.range(1), "group_by_window", is_own=window_size_func is None
        )
        check_key_spec(self._size_function, "window_size_func")
        self._function = DataFunction(reduce_func, KeyAndWindow(input_dataset), "group_by_window")

    @property
    def element_spec(self) -> Any:
        spec = self._function.output_spec
        if not isinstance(spec, DatasetSpec):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object "
                f"but its return type is {spec}."
            )
        return spec.element_spec

    def _cardinality(self) -> int:
        return INFINITE if self._input._cardinality() == INFINITE else UNKNOWN

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return GroupedByWindow(self, context)


def window_size_of(value: Any) -> EagerTensor:
    """A window size that was given as a number, as an int64 scalar."""
    size = convert_to_tensor(value, dtypes.int64)
    if size.ndim:
        raise ValueError(
            "Invalid `window_size_func`. `window_size_func` must return a single `tf.int64` scalar "
            f"tensor, but `window_size` has the shape {size.shape}."
        )
    return size


class KeyAndWindow(DatasetSource):
    """The arguments of the function of `group_by_window`: a key and a data set. It has the elements' spec."""

    def __init__(self, dataset: DatasetV2) -> None:
        super().__init__()
        self._dataset = dataset

    @property
    def element_spec(self) -> Any:
        return TensorSpec([], dtypes.int64), DatasetSpec(self._dataset.element_spec)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        # For finding out what the function returns: a window of the first element.
        for element in self._dataset._elements(context):
            key = convert_to_tensor(0, dtypes.int64)
            yield key, VariantDataset([element], self._dataset)
            return


def check_key_spec(function: DataFunction, name: str) -> None:
    """Raise unless the function ``name`` may return a scalar of int64, as far as that is known."""
    spec = function.known_spec
    if spec is not None and not (
        isinstance(spec, TensorSpec)
        and spec.dtype is dtypes.int64
        and spec.shape.is_compatible_with([])
    ):
        raise ValueError(
            f"Invalid `{name}`. `{name}` must return a single `tf.int64` tensor but its return "
            f"type is {spec}."
        )


def int64_scalar(value: Any, function: str) -> int:
    """What ``function`` returned, which must be a scalar of int64."""
    if not (isinstance(value, EagerTensor) and value.dtype is dtypes.int64 and not value.ndim):
        raise ValueError(
            f"Invalid `{function}`. `{function}` must return a single `tf.int64` tensor but its return "
            f"type is {structure.spec_of(value)}."
        )
    return int(static_value(value, "key"))


class GroupedByWindow(Elements):
    """The elements of the data sets of windows: a window when it is full, the others at the end."""

    __slots__ = ("_calls", "_dataset", "_groups", "_inner", "_input", "_inside", "_more", "_sizes")

    def __init__(self, dataset: GroupByWindowDataset, context: IterationContext) -> None:
        elements = dataset._input._elements(context)
        super().__init__(elements)
        self._input = elements
        self._inside = context.inside(dataset._function)
        self._calls = [
            (function, context.streams_of(function))
            for function in (dataset._key_function, dataset._size_function, dataset._function)
        ]
        self._dataset = dataset._input
        self._groups: dict[int, list[Any]] = {}
        self._sizes: dict[int, int] = {}
        self._inner: Iterator[Any] = iter(())
        self._more = True

    def _call(self, number: int, *arguments: Any) -> Any:
        function, streams = self._calls[number]
        return function(streams, *arguments)

    def __next__(self) -> Any:
        while True:
            try:
                return next(self._inner)
            except StopIteration:
                self._inner = iter(())
            self._inner = self._next_window()

    def _next_window(self) -> Iterator[Any]:
        while self._more:
            try:
                element = next(self._input)
            except StopIteration:
                self._more = False
                break
            arguments = element if type(element) is tuple else (element,)
            key_tensor = self._call(0, *arguments)
            key = int64_scalar(key_tensor, "key_func")
            group = self._groups.get(key)
            if group is None:
                size = int64_scalar(self._call(1, key_tensor), "window_size_func")
                if size <= 0:
                    refuse(f"Window size must be greater than zero, but got {size}.")
                group = self._groups[key] = []
                self._sizes[key] = size
            group.append(element)
            if len(group) == self._sizes[key]:
                return self._window(key)
        if not self._groups:
            raise StopIteration
        return self._window(min(self._groups))

    def _window(self, key: int) -> Iterator[Any]:
        """A pass over what the function makes of the elements with this key."""
        elements = self._groups.pop(key)
        del self._sizes[key]
        window = VariantDataset(elements, self._dataset)
        dataset = self._call(2, convert_to_tensor(key, dtypes.int64), window)
        if not isinstance(dataset, DatasetV2):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object "
                f"but its return type is {structure.spec_of(dataset)}."
            )
        return dataset._elements(self._inside)

    def close(self) -> None:
        close(self._inner)
        self._groups.clear()
        super().close()


def bucketed(
    dataset: DatasetV2,
    element_length_func: Callable[..., Any],
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any,
    padding_values: Any,
    pad_to_bucket_boundary: bool,
    no_padding: bool,
    drop_remainder: bool,
) -> DatasetV2:
    """``dataset.bucket_by_sequence_length``."""
    check_callable(element_length_func, "element_length_func", "bucket_by_sequence_length()")
    if isinstance(bucket_boundaries, Iterator) or isinstance(bucket_batch_sizes, Iterator):
        raise TypeError(
            "bucket_by_sequence_length(): `bucket_boundaries` and `bucket_batch_sizes` must be lists, "
            f"but got {bucket_boundaries!r} and {bucket_batch_sizes!r}."
        )
    if isinstance(bucket_batch_sizes, DatasetV2):
        raise ValueError(
            "bucket_by_sequence_length(): `bucket_batch_sizes` must be a list of numbers, but got "
            f"{bucket_batch_sizes!r}."
        )
    drop_remainder = truth(drop_remainder, "drop_remainder", "bucket_by_sequence_length()")
    op = "bucket_by_sequence_length()"
    sizes = listed(bucket_batch_sizes, "bucket_batch_sizes", op)
    limits_given = listed(bucket_boundaries, "bucket_boundaries", op)
    boundaries = [
        whole_number(boundary, "bucket_boundaries", dtypes.int32) for boundary in limits_given
    ]
    if len(sizes) != len(boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
            f"`len(bucket_batch_sizes)={len(sizes)}` and `len(bucket_boundaries)={len(boundaries)}`."
        )

    # If the boundaries are not in order, several buckets may fit: the first one is used.
    limits = list(
        zip([dtypes.int32.min, *boundaries], [*boundaries, dtypes.int32.max], strict=True)
    )

    def bucket_of(*element: Any) -> EagerTensor:
        """The number of the bucket of an element."""
        length = whole_number(
            element_length_func(*element), "the length of an element", dtypes.int32
        )
        for number, (least, most) in enumerate(limits):
            if least <= length < most:
                return convert_to_tensor(number, dtypes.int64)
        refuse(f"A length must be less than {dtypes.int32.max}, but it is {length}.")

    def size_of(bucket: Any) -> EagerTensor:
        return convert_to_tensor(sizes[int(bucket)], dtypes.int64)

    not_given = isinstance(padded_shapes, (str, int, list)) and not padded_shapes

    def padded_shapes_of(bucket: int | None) -> Any:
        """The padded shapes for a bucket; for None, those of all of them."""
        spec = dataset.element_spec
        shapes = (
            [leaf.shape for leaf in structure.flatten(spec)]
            if padded_shapes is None or not_given
            else [shape_from(shape) for shape in leaves_like(spec, padded_shapes)]
        )
        if pad_to_bucket_boundary and bucket is not None:
            limit = boundaries[bucket] - 1
            shapes = [
                TensorShape([limit if size is None else size for size in shape]) for shape in shapes
            ]
        return structure.pack(spec, shapes)

    def batch(bucket: Any, window: DatasetV2) -> DatasetV2:
        number = int(bucket)
        if no_padding:
            return window.batch(sizes[number], drop_remainder=drop_remainder)
        if pad_to_bucket_boundary and number == len(boundaries):
            refuse(
                "When pad_to_bucket_boundary=True, elements must have length < "
                f"max(bucket_boundaries), which is {boundaries[-1] if boundaries else None}."
            )
        return PaddedBatchDataset(
            window, sizes[number], padded_shapes_of(number), padding_values, drop_remainder
        )

    grouped = GroupByWindowDataset(dataset, bucket_of, batch, window_size_func=size_of)
    # The functions read values, but the specs of their results are known.
    example = (
        dataset.batch(1)
        if no_padding
        else PaddedBatchDataset(dataset, 1, padded_shapes_of(None), padding_values)
    )
    grouped._function._output_spec = DatasetSpec(example.element_spec)
    return grouped

"""Batches, and batches split into their rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice, repeat
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, static_value
from tapegrad.data import leaves, structure
from tapegrad.data.arguments import parallel_calls, positive, truth_tensor
from tapegrad.data.dataset import INFINITE, UNKNOWN, DatasetV2, UnaryDataset
from tapegrad.data.indexed import Indexed
from tapegrad.data.iterators import Elements, IterationContext
from tapegrad.data.transforms import MapDataset, Mapped
from tapegrad.errors import DataLossError, refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape.joining import concat
from tapegrad.ops.shape.padding import pad
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, SparseTensorSpec


def batched(
    dataset: DatasetV2,
    batch_size: Any,
    drop_remainder: Any,
    num_parallel_calls: Any,
    deterministic: bool | None,
    name: str | None,
) -> DatasetV2:
    """``dataset.batch``."""
    if num_parallel_calls is None:
        return BatchDataset(dataset, batch_size, drop_remainder, name)
    parallel_calls(num_parallel_calls, "num_parallel_calls", "ParallelBatchDataset")
    return ParallelBatchDataset(dataset, batch_size, drop_remainder, name)


class BatchDataset(UnaryDataset):
    """Batches of so many elements."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        batch_size: Any,
        drop_remainder: Any = False,
        name: str | None = None,
        rows: Any = None,
    ) -> None:
        super().__init__(input_dataset, name)
        self._batch_size = positive(batch_size, "Batch size", "BatchDatasetV2")
        self._drops = truth_tensor(drop_remainder, "drop_remainder", "BatchDatasetV2")
        # The specs of rows, if they differ from those of the elements.
        self._rows = rows

    @property
    def element_spec(self) -> Any:
        size = self._batch_size if self._drops else None
        rows = self._input.element_spec if self._rows is None else self._rows
        return structure.map_leaves(lambda spec: leaves.batched_spec(spec, size), rows)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        if self._rows is not None:
            specs: list[Any] | None = structure.flatten(self._rows)
        else:
            indexed = self._input._indexed(context) if context.by_index else None
            if indexed is not None:
                return GatheredBatches(indexed, self._batch_size, self._drops)
            specs = row_specs(self._input)
        return Batches(
            self._input._elements(context),
            self._batch_size,
            self._drops,
            # TensorFlow makes one step of a map and a batch, so that an error spoils the whole batch.
            isinstance(self._input, MapDataset),
            lambda elements: stack_elements(elements, specs),
        )

    def _cardinality(self) -> int:
        return number_of_batches(self._input._cardinality(), self._batch_size, self._drops)


class ParallelBatchDataset(BatchDataset):
    """What ``batch`` with ``num_parallel_calls`` returns. One thread makes the batches."""


def known_specs(dataset: DatasetV2) -> list[Any] | None:
    """The specs of the leaves of elements; None if that needs a call of a user's function."""
    upstream, seen = [dataset], {id(dataset)}
    for node in upstream:
        function = getattr(node, "_function", None)
        if function is not None and getattr(function, "known_spec", None) is None:
            return None
        for read in node._inputs():
            if id(read) not in seen:
                seen.add(id(read))
                upstream.append(read)
    return structure.flatten(dataset.element_spec)


def row_specs(dataset: DatasetV2) -> list[Any] | None:
    """`known_specs` if batches depend on them: if a tensor is, or may be, a row of a ragged tensor."""
    specs = known_specs(dataset)
    return specs if specs is not None and any(map(leaves.may_hold_rows, specs)) else None


def stack_elements(elements: list[Any], specs: list[Any] | None) -> Any:
    """Elements as one batch."""
    first = elements[0]
    if type(first) is EagerTensor and specs is None:
        return leaves.stack_tensors(elements, 0)
    columns = zip(*map(structure.flatten, elements), strict=True)
    stacked = [
        leaves.stacked(column, component, None if specs is None else specs[component])
        for component, column in enumerate(columns)
    ]
    return structure.pack(first, stacked)


class GatheredBatches(Elements):
    """Batches made by gathers."""

    __slots__ = ("_blocks", "_smallest", "_source")

    def __init__(self, indexed: Indexed, size: int, drops: bool) -> None:
        super().__init__()
        self._source = indexed.source
        self._blocks = indexed.blocks(size)
        self._smallest = size if drops else 1

    def __next__(self) -> Any:
        numbers = next(self._blocks)
        if len(numbers) < self._smallest:
            raise StopIteration
        return self._source.gather(numbers)


class Batches(Elements):
    """Batches of the elements of a pass.

    Args:
        elements: the pass.
        size: the number of elements in a batch.
        drops: whether a smaller last batch is left out.
        spoils: whether an error takes the other elements of its batch along.
        stack: makes a batch of a list of elements.
    """

    __slots__ = ("_drops", "_input", "_size", "_spoils", "_stack")

    def __init__(
        self,
        elements: Iterator[Any],
        size: int,
        drops: bool,
        spoils: bool,
        stack: Callable[[list[Any]], Any],
    ) -> None:
        super().__init__(elements)
        self._input = elements
        self._size = size
        self._drops = drops
        self._spoils = spoils
        self._stack = stack

    def __next__(self) -> Any:
        elements: list[Any] = []
        following, size = self._input, self._size
        try:
            while len(elements) < size:
                elements.append(next(following))
        except StopIteration:
            if not elements or self._drops:
                raise StopIteration from None
        except Exception:
            if self._spoils:
                self._skip(size - len(elements) - 1)
            raise
        return self._stack(elements)

    def _skip(self, count: int) -> None:
        """Read and drop the next elements and errors."""
        while count > 0:
            try:
                next(self._input)
            except StopIteration:
                return
            except Exception:  # the batch has failed already, with its first error
                pass
            count -= 1


class PaddedBatchDataset(UnaryDataset):
    """Batches of elements that are padded to one shape."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> None:
        super().__init__(input_dataset, name)
        self._batch_size = positive(batch_size, "Batch size", "PaddedBatchDatasetV2")
        self._drops = truth_tensor(drop_remainder, "drop_remainder", "PaddedBatchDatasetV2")
        self._specs = structure.flatten(input_dataset.element_spec)
        for spec in self._specs:
            if not isinstance(spec, TensorSpec):
                raise TypeError(
                    "`padded_batch` is only supported for datasets that produce tensor elements but "
                    "type spec of elements in the input dataset is not a subclass of TensorSpec: "
                    f"`{spec}`."
                )
        nest = input_dataset.element_spec
        self._shapes = self._shapes_from(nest, padded_shapes)
        self._values = self._values_from(nest, padding_values)

    def _shapes_from(self, nest: Any, requested: Any) -> list[TensorShape]:
        """The padded shape of each leaf, with None for what the largest element decides."""
        if requested is None:
            for index, spec in enumerate(self._specs):
                if spec.shape.rank is None:
                    raise ValueError(
                        f"You must provide `padded_shapes` argument because component {index} has "
                        "unknown rank."
                    )
            return [spec.shape for spec in self._specs]
        try:
            shapes = [shape_from(shape) for shape in leaves_like(nest, requested)]
        except TypeError as error:
            raise ValueError(f"Invalid `padded_shapes`: {requested!r}. {error}") from error
        for spec, shape in zip(self._specs, shapes, strict=True):
            if spec.shape.rank is not None and spec.shape.rank != shape.rank:
                raise ValueError(
                    f"The padded shape {shape} is not compatible with the shape {spec.shape} of the "
                    "corresponding input component."
                )
            for wanted, size in zip(shape, spec.shape, strict=True) if spec.shape.rank else ():
                if wanted is not None and size is not None and wanted < size:
                    raise ValueError(
                        f"The padded shape {shape} is not compatible with the shape {spec.shape} of "
                        "the corresponding input component."
                    )
        return shapes

    def _values_from(self, nest: Any, values_nest: Any) -> list[Any]:
        """The padding value of each leaf, or None for zeros."""
        if values_nest is None:
            return [None] * len(self._specs)
        values = (
            leaves_like(nest, values_nest) if structure.is_nested(values_nest) else [values_nest]
        )
        if len(values) == 1 and structure.is_nested(nest):
            # One value serves all leaves.
            values *= len(self._specs)
        converted = []
        for spec, value in zip(self._specs, values, strict=True):
            tensor = None if value is None else convert_to_tensor(value)
            if tensor is not None and tensor.ndim:
                raise ValueError(
                    "Invalid `padding_values`. `padding_values` values should be scalars, but got "
                    f"{tensor.shape}."
                )
            if tensor is not None and tensor.dtype is not spec.dtype:
                raise TypeError(
                    f"Invalid `padding_values`. `padding_values` values type {tensor.dtype!r} does not "
                    f"match type {spec.dtype!r} of the corresponding input component."
                )
            converted.append(tensor)
        return converted

    @property
    def element_spec(self) -> Any:
        size = self._batch_size if self._drops else None
        specs = [
            TensorSpec(TensorShape([size]).concatenate(shape), spec.dtype)
            for shape, spec in zip(self._shapes, self._specs, strict=True)
        ]
        return structure.pack(self._input.element_spec, specs)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return Batches(
            self._input._elements(context), self._batch_size, self._drops, False, self._stack_padded
        )

    def _stack_padded(self, elements: list[Any]) -> Any:
        columns = zip(*map(structure.flatten, elements), strict=True)
        stacked = [
            padded(column, shape, value)
            for column, shape, value in zip(columns, self._shapes, self._values, strict=True)
        ]
        return structure.pack(elements[0], stacked)

    def _cardinality(self) -> int:
        return number_of_batches(self._input._cardinality(), self._batch_size, self._drops)


def number_of_batches(elements: int, size: int, drops: bool) -> int:
    """The number of batches of ``elements`` elements."""
    if elements in (INFINITE, UNKNOWN):
        return elements
    return elements // size if drops else -(-elements // size)


def shape_from(value: Any) -> TensorShape:
    """A user's padded shape: sizes, where None and -1 are unknown, or a vector of sizes."""
    if isinstance(value, TensorShape):
        return value
    value = int(value) if isinstance(value, bool) else value
    if isinstance(value, (EagerTensor, np.ndarray, np.generic, int)):
        tensor = convert_to_tensor(value)
        if not tensor.dtype.is_integer or tensor.ndim > 1:
            raise (ValueError if tensor.ndim > 1 else TypeError)(
                f"A padded shape is a vector of whole numbers, but got {value!r}."
            )
        sizes = static_value(tensor, "shape")
        if not tensor.ndim and sizes < 0:
            raise ValueError(f"A padded shape is a list of sizes, but got {value!r}.")
        value = sizes.reshape(-1).tolist()
    if isinstance(value, (list, tuple)) and not all(
        size is None or hasattr(size, "__index__") for size in value
    ):
        raise TypeError(f"A padded shape is a list of sizes, but got {value!r}.")
    try:
        return TensorShape([None if size is None or int(size) < 0 else int(size) for size in value])
    except (TypeError, ValueError) as error:
        raise TypeError(f"A padded shape is a list of sizes, but got {value!r}.") from error


def leaves_like(nest: Any, values: Any) -> list[Any]:
    """What a user gave for each leaf of ``nest``. Shapes are leaves, though they may be tuples."""
    if not structure.is_nested(nest):
        return [values]
    if isinstance(values, list):
        values = tuple(values)
    if values is None:
        return [None] * len(structure.flatten(nest))
    count = len(list(structure.children(nest)))
    if not structure.is_nested(values) or isinstance(values, dict) != isinstance(nest, dict):
        raise TypeError(
            f"The elements have {count} components in a {type(nest).__name__}, but {values!r} was given "
            "for them."
        )
    if len(list(structure.children(values))) != count:
        raise ValueError(
            f"The elements have {count} components, but {values!r} was given for them."
        )
    return [
        leaf
        for part, part_given in zip(
            structure.children(nest), structure.children(values), strict=True
        )
        for leaf in leaves_like(part, part_given)
    ]


def padded(values: Sequence[EagerTensor], shape: TensorShape, value: EagerTensor | None) -> Tensor:
    """Tensors as rows of one tensor, each filled up with ``value`` at its ends.

    Raises:
        DataLossError: one is larger than ``shape`` allows.
    """
    sizes = [tensor._shape_tuple() for tensor in values]
    if any(len(size) != shape.rank for size in sizes):
        refuse(
            "All elements in a batch must have the same rank as the padded shape for component0: "
            f"expected rank {shape.rank} but got element with rank {len(sizes[0])}.",
        )
    wanted = tuple(
        max(column) if size is None else size
        for size, column in zip(shape.as_list(), zip(*sizes, strict=True), strict=True)
    )
    rows: list[Tensor] = []
    for tensor, size in zip(values, sizes, strict=True):
        if size == wanted:
            rows.append(tensor)
            continue
        missing = [most - own for most, own in zip(wanted, size, strict=True)]
        if min(missing) < 0:
            refuse(
                "Attempted to pad to a smaller size than the input element.", error=DataLossError
            )
        filling = _EMPTY[tensor.dtype is dtypes.string] if value is None else value
        rows.append(pad(tensor, [[0, after] for after in missing], constant_values=filling))
    return leaves.stack_tensors(rows, 0)


# What fills up: zeros, or empty strings.
_EMPTY = {False: 0, True: ""}


def ragged_batched(
    dataset: DatasetV2,
    batch_size: Any,
    drop_remainder: Any,
    row_splits_dtype: Any,
    name: str | None,
) -> DatasetV2:
    """``dataset.ragged_batch``."""
    splits = dtypes.as_dtype(row_splits_dtype)
    rows = structure.map_leaves(lambda spec: leaves.ragged_spec(spec, splits), dataset.element_spec)
    return BatchDataset(dataset, batch_size, drop_remainder, name, rows)


class DenseToSparseBatchDataset(UnaryDataset):
    """Batches as sparse tensors."""

    def __init__(
        self, input_dataset: DatasetV2, batch_size: Any, row_shape: Any, name: str | None = None
    ) -> None:
        super().__init__(input_dataset, name)
        spec = input_dataset.element_spec
        is_row = leaves.is_ragged(spec) and not spec.ragged_rank
        if not (isinstance(spec, TensorSpec) or is_row):
            raise TypeError(
                "`dense_to_sparse_batch` requires an input dataset whose elements have a single "
                f"component, but the given dataset has the following component types: {spec}."
            )
        self._dtype = spec.dtype
        self._batch_size = positive(batch_size, "Batch size", "DenseToSparseBatchDataset")
        self._row_shape = shape_from(row_shape)

    @property
    def element_spec(self) -> Any:
        return SparseTensorSpec(TensorShape([None]).concatenate(self._row_shape), self._dtype)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        elements = Mapped(self._checked, self._input._elements(context))
        return Batches(elements, self._batch_size, False, False, self._stack_sparse)

    def _checked(self, element: EagerTensor) -> EagerTensor:
        """``element``, if it has the rank of the rows."""
        if element.ndim != self._row_shape.rank:
            refuse(
                f"Input element had shape ({list(element._shape_tuple())}) that is incompatible with the "
                f"row shape ({self._row_shape.as_list()}).",
                op="DenseToSparseBatchDataset",
            )
        return element

    def _stack_sparse(self, elements: list[Any]) -> Any:
        sizes = [element._shape_tuple() for element in elements]
        row_shape = self._row_shape.as_list()
        for size in sizes:
            if any(
                most is not None and own > most for own, most in zip(size, row_shape, strict=True)
            ):
                refuse(
                    f"Input element had shape ({list(size)}) that is larger than the row shape "
                    f"({row_shape}).",
                    op="DenseToSparseBatchDataset",
                    error=DataLossError,
                )
        shape = [
            max(column) if most is None else most
            for most, column in zip(row_shape, zip(*sizes, strict=True), strict=True)
        ]
        places = [(row, *place) for row, size in enumerate(sizes) for place in np.ndindex(*size)]
        indices = np.array(places, np.int64).reshape(-1, 1 + len(shape))
        values = concat([reshape(element, [-1]) for element in elements], 0)
        return SparseTensor(indices, values, np.array([len(elements), *shape], np.int64))

    def _cardinality(self) -> int:
        return number_of_batches(self._input._cardinality(), self._batch_size, False)


class UnbatchDataset(UnaryDataset):
    """The rows of batches, one by one."""

    def __init__(self, input_dataset: DatasetV2, name: str | None = None) -> None:
        super().__init__(input_dataset, name)
        sizes = set()
        for spec in structure.flatten(input_dataset.element_spec):
            shape = getattr(spec, "shape", None)
            if shape is None or shape.rank is None:
                continue
            if shape.rank == 0:
                raise ValueError("Cannot unbatch an input with scalar components.")
            if shape[0] is not None:
                sizes.add(shape[0])
        if len(sizes) > 1:
            first, second = sorted(sizes)[:2]
            raise ValueError(
                "`unbatch()` is only supported for datasets of elements whose components have a "
                f"matching leading dimension. Encountered both {first} and {second}."
            )
        self._rows = sizes.pop() if sizes else None

    @property
    def element_spec(self) -> Any:
        return structure.map_leaves(leaves.unbatched_spec, self._input.element_spec)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return SingleRows(self._input._elements(context))

    def _cardinality(self) -> int:
        number = self._input._cardinality()
        if number in (INFINITE, UNKNOWN):
            return number
        return UNKNOWN if self._rows is None else number * self._rows


def rows_of_batch(element: Any) -> Iterator[Any]:
    """The rows of a batch, as elements."""
    if type(element) is EagerTensor and element.ndim:
        return iter(leaves.rows_of(element))
    flat = structure.flatten(element)
    sizes = []
    for shape in [shape for leaf in flat for shape in leaves.shapes_in(leaf)]:
        if shape.rank == 0:
            refuse("Input element must have a non-scalar value in each component.")
        sizes.append(shape[0])
    for index, size in enumerate(sizes[1:], 1):
        if size != sizes[0]:
            refuse(
                "Input element must have the same batch size in each component. Component 0 had size "
                f"{sizes[0]} but component {index} had size, {size}."
            )
    columns = [repeat(None) if leaf is None else leaves.rows_of(leaf) for leaf in flat]
    return (structure.pack(element, row) for row in zip(*columns, strict=False))


class SingleRows(Elements):
    """The rows of the batches of a pass."""

    __slots__ = ("_input", "_rows")

    def __init__(self, elements: Iterator[Any]) -> None:
        super().__init__(elements)
        self._input = elements
        self._rows: Iterator[Any] = iter(())

    def __next__(self) -> Any:
        while True:
            for row in self._rows:
                return row
            self._rows = rows_of_batch(next(self._input))


class RebatchDataset(UnaryDataset):
    """The rows of batches in batches of other sizes."""

    def __init__(
        self,
        input_dataset: DatasetV2,
        batch_sizes: Any,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> None:
        super().__init__(input_dataset, name)
        sizes = static_value(convert_to_tensor(batch_sizes, dtypes.int64), "sizes")
        if sizes.ndim > 1:
            refuse(
                f"batch_sizes must be a scalar or a vector, but it has the shape {list(sizes.shape)}.",
                op="RebatchDatasetV2",
            )
        self._sizes: list[int] = sizes.reshape(-1).tolist()
        if not self._sizes or min(self._sizes) <= 0:
            refuse(
                f"batch_sizes must be greater than zero, but they are {self._sizes}.",
                op="RebatchDatasetV2",
            )
        self._drops = truth_tensor(drop_remainder, "drop_remainder", "RebatchDatasetV2")
        specs = known_specs(input_dataset)
        if specs is not None:
            self._size_of_all(specs)

    def _size_of_all(self, specs: list[Any]) -> int | None:
        """The size of all batches of rows of batches with these specs; None if sizes may differ.

        Raises:
            ValueError: there are no such batches.
        """
        shapes = [getattr(spec, "shape", None) for spec in specs]
        known = [shape for shape in shapes if shape is not None and shape.rank is not None]
        if any(shape.rank == 0 for shape in known):
            raise ValueError(
                "rebatch() takes a dataset of batches, but found a dataset with scalar elements, "
                "which have no rows: batch() makes batches of them."
            )
        if len(set(self._sizes)) > 1:
            return None
        if self._drops:
            return self._sizes[0]
        counts = [shape[0] for shape in known if shape[0] is not None]
        if len(set(counts)) > 1:
            raise ValueError(
                "rebatch() takes a dataset of batches whose components have as many rows each, but the "
                f"batch dimensions of its components are {counts}."
            )
        return self._sizes[0] if counts and counts[0] % self._sizes[0] == 0 else None

    @property
    def element_spec(self) -> Any:
        nest = self._input.element_spec
        size = self._size_of_all(structure.flatten(nest))
        return structure.map_leaves(
            lambda spec: leaves.batched_spec(leaves.unbatched_spec(spec), size), nest
        )

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        specs = row_specs(self._input)
        rows = None if specs is None else [leaves.unbatched_spec(spec) for spec in specs]
        return Rebatched(self._input._elements(context), self._sizes, self._drops, rows)


class Rebatched(Elements):
    """The rows of the batches of a pass, in batches of these sizes in turn."""

    __slots__ = ("_drops", "_rows", "_sizes", "_specs")

    def __init__(
        self, elements: Iterator[Any], sizes: list[int], drops: bool, specs: list[Any] | None
    ) -> None:
        super().__init__(elements)
        self._specs = specs
        self._rows = SingleRows(elements)
        self._sizes = cycle(sizes)
        self._drops = drops

    def __next__(self) -> Any:
        size = next(self._sizes)
        rows = list(islice(self._rows, size))
        if not rows or (self._drops and len(rows) < size):
            raise StopIteration
        return stack_elements(rows, self._specs)

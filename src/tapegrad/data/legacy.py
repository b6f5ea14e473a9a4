"""``tf.compat.v1.data``: data sets under their old class, and iterators that are made by functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from inspect import signature
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from tapegrad import dtypes
from tapegrad.data import structure
from tapegrad.data.dataset import DatasetSource, DatasetV2
from tapegrad.data.indexed import Indexed
from tapegrad.data.iterators import IterationContext, IteratorBase, OwnedIterator
from tapegrad.data.leaves import sparse_rows
from tapegrad.data.makers import Makers
from tapegrad.framework.spec import TensorSpec
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, SparseTensorSpec

if TYPE_CHECKING:
    from tapegrad.ragged.spec import RaggedTensorSpec

PUBLIC = {
    "compat.v1.data": (
        "Dataset=DatasetV1 Iterator=IteratorV1 get_output_classes get_output_shapes get_output_types "
        "make_initializable_iterator make_one_shot_iterator"
    ),
    "compat.v1.data.experimental": "RaggedTensorStructure SparseTensorStructure TensorStructure",
}


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The nest of dtypes of the elements.

    Args:
        dataset_or_iterator: a `tf.data.Dataset`, or an iterator over one.
    """
    return structure.map_leaves(_dtype_of, dataset_or_iterator.element_spec)


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The nest of shapes of the elements.

    Args:
        dataset_or_iterator: a `tf.data.Dataset`, or an iterator over one.
    """
    return structure.map_leaves(_shape_of, dataset_or_iterator.element_spec)


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The nest of classes of the elements.

    Args:
        dataset_or_iterator: a `tf.data.Dataset`, or an iterator over one.
    """
    return structure.map_leaves(lambda spec: spec.value_type, dataset_or_iterator.element_spec)


def _dtype_of(spec: Any) -> Any:
    return getattr(spec, "dtype", spec)


def _shape_of(spec: Any) -> Any:
    return getattr(spec, "shape", spec)


def TensorStructure(dtype: Any, shape: Any) -> TensorSpec:
    """The spec of tensors, with its arguments in another order.

    Args:
        dtype: the dtype of the tensors.
        shape: their shape, None where a size is not known.
    """
    return TensorSpec(shape, dtype)


def SparseTensorStructure(dtype: Any, shape: Any) -> SparseTensorSpec:
    """The spec of sparse tensors, with its arguments in another order.

    Args:
        dtype: the dtype of the values.
        shape: the dense shape, None where a size is not known.
    """
    return SparseTensorSpec(shape, dtype)


def RaggedTensorStructure(dtype: Any, shape: Any, ragged_rank: int) -> RaggedTensorSpec:
    """The spec of ragged tensors, with its arguments in another order.

    Args:
        dtype: the dtype of the values.
        shape: the shape, None for ragged dimensions and sizes that are not known.
        ragged_rank: how many dimensions are ragged.
    """
    from tapegrad.ragged import spec

    return spec.RaggedTensorSpec(shape, dtype, ragged_rank)


def make_one_shot_iterator(dataset: DatasetV2) -> OwnedIterator:
    """An iterator over ``dataset``.

    >>> int(tf.compat.v1.data.make_one_shot_iterator(tf.data.Dataset.range(3)).get_next())
    0

    Args:
        dataset: a `tf.data.Dataset`.
    """
    return iter(dataset)


def make_initializable_iterator(dataset: DatasetV2, shared_name: str | None = None) -> NoReturn:
    """Not there in eager execution.

    Args:
        dataset: a `tf.data.Dataset`.
        shared_name: a name for an iterator that several sessions share. It is not looked at.

    Raises:
        RuntimeError: always. Iterate over the data set.
    """
    raise RuntimeError(
        "`make_initializable_iterator()` is not supported in eager mode. Use Python-style iteration instead."
    )


class IteratorV1(IteratorBase):
    """The class of iterators of graphs. Eager execution has none; iterators of data sets are subclasses."""


class DatasetV1(DatasetV2):
    """Data sets with the methods that they had in TensorFlow 1.

    >>> dataset = tf.compat.v1.data.Dataset.range(2)
    >>> [int(x) for x in dataset.make_one_shot_iterator()]
    [0, 1]
    """

    def make_one_shot_iterator(self) -> OwnedIterator:
        """An iterator over the data set."""
        return iter(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> NoReturn:
        """Not there in eager execution: RuntimeError."""
        make_initializable_iterator(self)

    @property
    def output_types(self) -> Any:
        """The nest of dtypes of the elements."""
        return get_output_types(self)

    @property
    def output_shapes(self) -> Any:
        """The nest of shapes of the elements."""
        return get_output_shapes(self)

    @property
    def output_classes(self) -> Any:
        """The nest of classes of the elements."""
        return get_output_classes(self)

    def map_with_legacy_function(
        self, map_func: Any, num_parallel_calls: Any = None, deterministic: bool | None = None
    ) -> DatasetV2:
        """As ``map``."""
        return self.map(map_func, num_parallel_calls, deterministic)

    def filter_with_legacy_function(self, predicate: Any) -> DatasetV2:
        """As ``filter``."""
        return self.filter(predicate)

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: SparseTensor) -> DatasetV1:
        """The rows of a sparse tensor, as tuples of indices, values and shape."""
        return DatasetV1Adapter(SparseTensorSliceDataset(sparse_tensor))


class DatasetV1Adapter(DatasetV1):
    """A data set with the old methods too."""

    def __init__(self, dataset: DatasetV2) -> None:
        super().__init__(dataset)
        self._dataset = dataset

    @property
    def element_spec(self) -> Any:
        return self._dataset.element_spec

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return self._dataset._elements(context)

    def _cardinality(self) -> int:
        return self._dataset._cardinality()

    def _indexed(self, context: IterationContext) -> Indexed | None:
        return self._dataset._indexed(context)

    def options(self) -> Any:
        """The options of the data set."""
        return self._dataset.options()

    def __repr__(self) -> str:
        return repr(self._dataset)


class SparseTensorSliceDataset(DatasetSource):
    """The rows of a sparse tensor."""

    def __init__(self, sparse_tensor: SparseTensor) -> None:
        super().__init__()
        if not isinstance(sparse_tensor, SparseTensor):
            raise TypeError(
                "Invalid `sparse_tensor`. `sparse_tensor` must be a `tf.sparse.SparseTensor`. "
                f"Got {type(sparse_tensor)}."
            )
        self._sparse = sparse_tensor

    @property
    def element_spec(self) -> Any:
        rank = (self._sparse.shape.rank or 1) - 1
        return (
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._sparse.dtype),
            TensorSpec([rank], dtypes.int64),
        )

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        for row in sparse_rows(self._sparse):
            yield row.indices, row.values, row.dense_shape

    def _cardinality(self) -> int:
        return int(self._sparse.shape[0] or 0)


def _with_old_methods(method: Callable[..., Any]) -> Callable[..., Any]:
    """``method``, with an adapter around the data set that it returns."""

    @wraps(method)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        result = method(*args, **kwargs)
        return DatasetV1Adapter(result) if isinstance(result, DatasetV2) else result

    # `inspect.getfullargspec` looks at this, and not at what a function wraps.
    wrapped.__signature__ = signature(method)  # type: ignore[attr-defined]
    return wrapped


for _class in (Makers, DatasetV2):
    for _name, _method in vars(_class).items():
        if _name.startswith("_") or _name in ("options", "reduce", "get_single_element", "save"):
            continue
        if isinstance(_method, staticmethod):
            setattr(DatasetV1, _name, staticmethod(_with_old_methods(_method.__func__)))
        elif isinstance(_method, FunctionType):
            setattr(DatasetV1, _name, _with_old_methods(_method))

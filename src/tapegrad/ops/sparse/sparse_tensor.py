"""``SparseTensor``, a tensor given by its elements that are not zero, and ``SparseTensorSpec``.

The end of this module registers overrides for the ops that take a sparse tensor as their first argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Op, Operand, Tensor, convert, static_value
from tapegrad.core.abstract import is_true
from tapegrad.core.compositions import replay_composite
from tapegrad.core.sizes import differ
from tapegrad.errors import refuse
from tapegrad.framework.absent import lacks
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise import math, signs, special, trigonometry
from tapegrad.ops.elementwise.logic import not_equal
from tapegrad.ops.elementwise.math import multiply, truediv
from tapegrad.ops.indexing.gather import gather_nd_op
from tapegrad.ops.reduce.reduce import reduce_any, reduce_prod
from tapegrad.ops.shape import shapes
from tapegrad.ops.shape.array import reshape
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.joining import concat

PUBLIC = {
    ". compat.v1": "SparseTensorSpec",
    ". sparse compat.v1 compat.v1.sparse": "SparseTensor",
    "compat.v1": "SparseTensorValue",
}


class SparseTensorValue(NamedTuple):
    """The parts of a sparse tensor as arrays or lists: what a session gives for one."""

    indices: Any
    values: Any
    dense_shape: Any


@replay_composite
@lacks("SparseTensor", "eval")
class SparseTensor:
    """A tensor of shape ``dense_shape`` with ``values[i]`` at ``indices[i]``, and zeros elsewhere.

    >>> st = tf.SparseTensor(indices=[[0, 1], [1, 2]], values=[1.0, 2.0], dense_shape=[2, 3])
    >>> tf.sparse.to_dense(st).numpy().tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]

    Args:
        indices: a matrix of int64 with a row for each element.
        values: a vector of the elements.
        dense_shape: a vector of int64.
    """

    __slots__ = ("__dict__", "__weakref__", "_dense_shape", "_indices", "_values")
    _said_shape: TensorShape | None = None  # what `set_shape` was told

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices = int64_tensor(indices, "indices")
        self._values = convert(values)
        self._dense_shape = int64_tensor(dense_shape, "dense_shape")
        places, sizes = self._indices._shape_tuple(), self._dense_shape._shape_tuple()
        count = self._values._shape_tuple()
        lengths = len(places), len(count), len(sizes)
        if lengths != (2, 1, 1) or any(map(differ, places, (*count, *sizes))):
            check_parts(places, count, sizes)
        if type(self._dense_shape) is EagerTensor and is_true(
            reduce_any(self._dense_shape < 0), "dense_shape"
        ):
            whole = static_value(self._dense_shape, "message").tolist()
            raise ValueError(f"SparseTensor: sizes must be >= 0; dense_shape = {whole}.")

    @property
    def indices(self) -> EagerTensor:
        """A matrix of int64 with the index of each element in a row."""
        return self._indices

    @property
    def values(self) -> EagerTensor:
        """A vector of the elements."""
        return self._values

    @property
    def dense_shape(self) -> EagerTensor:
        """The shape of the dense tensor, as a vector of int64."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the dense tensor."""
        if type(self._dense_shape) is not EagerTensor:
            sizes: Any = self._dense_shape
            shape = sizes._as_shape()  # of a tensor without values
            return shape.merge_with(self._said_shape) if self._said_shape is not None else shape
        return TensorShape(shape_of(self))

    def get_shape(self) -> TensorShape:
        """The shape of the dense tensor, like `shape`."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Take the shape of the dense tensor to be ``shape`` as well, where None means any size.

        Raises a ValueError where the two do not fit.
        """
        self._said_shape = self.shape.merge_with(shape)

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def op(self) -> NoReturn:
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    def consumers(self) -> list[Any]:
        """An empty list: without a graph, nothing is known to use the tensor."""
        return []

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """A sparse tensor from another object that has the three parts."""
        return cls(
            sparse_tensor_value.indices, sparse_tensor_value.values, sparse_tensor_value.dense_shape
        )

    def with_values(self, new_values: Any) -> SparseTensor:
        """Other elements at the same indices."""
        if (
            type(new_values) is EagerTensor
            and new_values._shape_tuple() == self._values._shape_tuple()
        ):
            other = SparseTensor.__new__(SparseTensor)
            other._indices, other._values, other._dense_shape = (
                self._indices,
                new_values,
                self._dense_shape,
            )
            return other
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def map_values(self, function: Callable[[Any], Any]) -> SparseTensor:
        """``function`` of the elements, at the same indices. ``function`` must leave zeros zero."""
        return self.with_values(function(self._values))

    def __mul__(self, other: Any) -> SparseTensor:
        return self.with_values(multiply(self._values, at_places(self, other)))

    def __rmul__(self, other: Any) -> SparseTensor:
        # TensorFlow does not multiply a sparse tensor by a number on its left.
        return self * other if isinstance(other, Operand) else NotImplemented

    def __truediv__(self, other: Any) -> SparseTensor:
        return self.with_values(truediv(self._values, at_places(self, other)))

    def __repr__(self) -> str:
        parts = f"indices={self._indices!s}, values={self._values!s}"
        return f"SparseTensor({parts}, dense_shape={self._dense_shape!s})"

    def __reduce__(self) -> tuple[Any, ...]:
        return (SparseTensor, (self._indices, self._values, self._dense_shape))

    # How `nest` takes a sparse tensor apart and puts it together again.

    def _nest_components(self) -> list[Any]:
        return [self._indices, self._values, self._dense_shape]

    def _printed_parts(self) -> dict[str, Any]:
        """What `tf.print` shows."""
        return {"indices": self._indices, "values": self._values, "shape": self._dense_shape}

    def _nest_rebuild(self, components: list[Any]) -> SparseTensor:
        return SparseTensor(*components)

    @property
    def _type_spec(self) -> SparseTensorSpec:
        return SparseTensorSpec(self.shape, self.dtype)


class SparseTensorSpec(TypeSpec):
    """The shape and dtype that are known of a sparse tensor.

    >>> tf.SparseTensorSpec([2, None], tf.int32)
    SparseTensorSpec(TensorShape([2, None]), tf.int32)
    """

    __slots__ = ("_dtype", "_shape")

    def __init__(self, shape: Any = None, dtype: Any = dtypes.float32) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)

    @property
    def shape(self) -> TensorShape:
        """The shape, possibly incomplete."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        return self._dtype

    def _batch(self, batch_size: Any) -> SparseTensorSpec:
        return SparseTensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> SparseTensorSpec:
        if self._shape.rank == 0:
            raise ValueError(f"Unbatching a tensor is only supported for rank >= 1: {self}.")
        return SparseTensorSpec(self._shape[1:], self._dtype)

    @property
    def value_type(self) -> type:
        """The class of the values described."""
        return SparseTensor

    @classmethod
    def from_value(cls, value: Any) -> SparseTensorSpec:
        """The spec that describes exactly this sparse tensor."""
        if not isinstance(value, SparseTensor):
            raise TypeError(f"A SparseTensor was expected, not {value!r}.")
        return value._type_spec

    @property
    def _component_specs(self) -> list[TensorSpec]:
        """The specs of the indices, of the values and of the shape."""
        rank = self._shape.rank
        return [
            TensorSpec([None, rank], dtypes.int64),
            TensorSpec([None], self._dtype),
            TensorSpec([rank], dtypes.int64),
        ]

    def _to_components(self, value: Any) -> Any:
        return value._nest_components()

    def _from_components(self, components: Any) -> Any:
        return SparseTensor(*components)

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype)


def int64_tensor(value: Any, name: str) -> EagerTensor:
    tensor = convert(value) if isinstance(value, Tensor) else convert(value, dtypes.int64)
    if tensor.dtype is not dtypes.int64:
        raise ValueError(
            f"SparseTensor: {name} must be int64; a tensor of {tensor.dtype.name} came. "
            "Use tf.cast on it."
        )
    return tensor


Sizes = tuple[int | None, ...]


def check_parts(places: Sizes, count: Sizes, sizes: Sizes) -> None:
    """Raise unless parts of these shapes make a sparse tensor."""
    for name, shape, rank in (
        ("indices", places, 2),
        ("values", count, 1),
        ("dense_shape", sizes, 1),
    ):
        if len(shape) != rank:
            raise ValueError(
                f"SparseTensor: {name} has the shape {shape}, but it must have rank {rank}."
            )
    if differ(places[0], count[0]):
        raise ValueError(
            f"SparseTensor: dimensions {places[0]} and {count[0]} are not compatible: "
            "a row of indices is needed for each value."
        )
    if differ(places[1], sizes[0]):
        raise ValueError(
            f"SparseTensor: dimensions {places[1]} and {sizes[0]} are not compatible: "
            "indices need a column for each axis of dense_shape."
        )


def as_sparse(value: Any) -> Any:
    """What a session gave for a sparse tensor as one; anything else as it is."""
    return SparseTensor.from_value(value) if isinstance(value, SparseTensorValue) else value


def shape_of(sparse: SparseTensor) -> tuple[int, ...]:
    return tuple(static_value(sparse.dense_shape, "sizes").tolist())


def at_places(sparse: SparseTensor, dense: Any) -> EagerTensor:
    """The elements of ``dense``, broadcast to the shape of ``sparse``, at the indices of ``sparse``."""
    dense = convert(dense, sparse.dtype) if not isinstance(dense, Tensor) else dense
    rank = dense.ndim
    if not rank:
        return dense
    # Not the elements of the broadcast tensor: that may be too large for memory, as no sparse tensor is.
    sizes = shapes.shape_op(dense, dtypes.int64)
    if type(sparse.dense_shape) is EagerTensor and type(dense) is EagerTensor:
        check_broadcast(dense._shape_tuple(), shape_of(sparse))
    first = sparse.dense_shape.shape[0] - rank
    places = sparse.indices[:, first:] * cast(not_equal(sizes, 1), dtypes.int64)
    if rank == 1:  # as a row of a matrix: the gradient of elements of a vector would be sparse
        dense, places = reshape(dense, (1, -1)), concat([0 * places, places], 1)
    return gather_nd_op(dense, places)


def check_broadcast(shape: tuple[int, ...], sparse_shape: tuple[int, ...]) -> None:
    """Raise unless a dense tensor of this shape broadcasts to the shape of a sparse one."""
    ends = sparse_shape[max(len(sparse_shape) - len(shape), 0) :]
    if len(shape) > len(sparse_shape) or any(
        size not in (1, whole) for size, whole in zip(shape, ends, strict=True)
    ):
        refuse(
            f"The dense side of shape {list(shape)} does not broadcast to the shape {list(sparse_shape)} "
            "of the sparse side."
        )


# Ops on sparse tensors


def apply_to_values(operation: Op, sparse: SparseTensor) -> SparseTensor:
    """The elementwise op on the elements present. The others are left zero, whatever its value at zero."""
    return sparse.map_values(operation)


def size_of_whole(operation: Op, sparse: SparseTensor, out_type: dtypes.DType) -> EagerTensor:
    """The number of elements in the dense tensor."""
    return cast(reduce_prod(sparse.dense_shape), out_type)


def rank_of_whole(operation: Op, sparse: SparseTensor) -> EagerTensor:
    """The number of axes of the dense tensor."""
    return constant(sparse.dense_shape.shape[0], dtypes.int32)


# TensorFlow's choice. It leaves out others that keep zeros zero, such as expm1 and floor, but includes
# bessel_i0e, which is 1 at 0. `tf.cast`, `tf.identity` and `tf.stop_gradient` take any object that has
# `map_values`.
ELEMENTWISE = (
    signs.abs_op,
    signs.complex_abs,
    math.negative,
    signs.sign,
    math.sqrt,
    math.square,
    special.bessel_i0e,
    special.bessel_i1e,
    special.erf,
    trigonometry.asin,
    trigonometry.asinh,
    trigonometry.atan,
    trigonometry.atanh,
    trigonometry.sin,
    trigonometry.tan,
    trigonometry.tanh,
)
for operation in ELEMENTWISE:
    operation.overrides[SparseTensor] = apply_to_values
math.DIVIDE_THEMSELVES.add(SparseTensor)
shapes.size.overrides[SparseTensor] = size_of_whole
shapes.rank.overrides[SparseTensor] = rank_of_whole

"""``IndexedSlices``: some slices of a tensor along its first axis. All other slices are zero.

The gradient of a gather is one, so a training step on a large table touches only the rows that were used.
An op that needs the whole tensor gets it from `core.callbacks().slices_to_tensor`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from tapegrad import core, dtypes
from tapegrad.core import EagerTensor, Operand, Tensor, convert, static_value
from tapegrad.core.compositions import replay_composite
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec, TypeSpec

PUBLIC = {
    ". compat.v1": "IndexedSlices IndexedSlicesSpec",
}


@replay_composite
class IndexedSlices:
    """The tensor whose slices at ``indices`` are ``values``. Slices with the same index add up.

    >>> table = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> with tf.GradientTape() as tape:
    ...     y = tf.gather(table, [2, 0])
    >>> slices = tape.gradient(y, table)
    >>> slices.indices.numpy().tolist(), slices.shape
    ([2, 0], TensorShape([3, 2]))
    >>> tf.convert_to_tensor(slices).numpy().tolist()
    [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]

    Args:
        values: a tensor of slices.
        indices: a vector of integers: where each slice belongs.
        dense_shape: the shape of the whole tensor, as a vector. Without it, slices cannot become a tensor.

    Differs from TensorFlow: lists and arrays become tensors. TensorFlow keeps lists and arrays, which fail
    where they are used.
    """

    __slots__ = ("__dict__", "__weakref__", "_dense_shape", "_indices", "_values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        if not isinstance(values, Operand):
            values = convert_to_tensor(values)
        if not isinstance(indices, Operand):
            indices = convert_to_tensor(indices)
        if dense_shape is not None and not isinstance(dense_shape, Operand):
            dense_shape = convert_to_tensor(dense_shape)
        self._values: Tensor = values
        self._indices: Tensor = indices
        self._dense_shape: Tensor | None = dense_shape

    @property
    def values(self) -> Tensor:
        """The slices."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """Where each slice belongs along the first axis."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the whole as a vector, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole; unknown without a ``dense_shape``."""
        if self._dense_shape is None:
            return TensorShape(None)
        sizes: Any = convert(self._dense_shape)
        if type(sizes) is not EagerTensor:
            shape: TensorShape = sizes._as_shape()  # of a tensor without values
            return shape
        return TensorShape(static_value(sizes, "sizes").tolist())

    def get_shape(self) -> TensorShape:
        """The shape of the whole, as `shape`."""
        return self.shape

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements."""
        dtype: dtypes.DType = self._values.dtype
        return dtype

    @property
    def device(self) -> str:
        """The device that holds the slices."""
        device: str = self._values.device
        return device

    @property
    def name(self) -> NoReturn:
        raise AttributeError("Tensor.name is undefined when eager execution is enabled.")

    @property
    def op(self) -> NoReturn:
        raise AttributeError("Tensor.op is undefined when eager execution is enabled.")

    @property
    def graph(self) -> NoReturn:
        raise AttributeError("Tensor.graph is undefined when eager execution is enabled.")

    def consumers(self) -> list[Any]:
        """An empty list: only a graph has a list of consumers."""
        return []

    def map_values(self, function: Callable[[Any], Any]) -> IndexedSlices:
        """The same indices with ``function(values)``: right for a function that leaves zeros zero."""
        return IndexedSlices(function(self._values), self._indices, self._dense_shape)

    def __neg__(self) -> IndexedSlices:
        return self.map_values(lambda values: -values)

    def __str__(self) -> str:
        whole = "" if self._dense_shape is None else f", dense_shape={self._dense_shape!s}"
        return f"IndexedSlices(indices={self._indices!s}, values={self._values!s}{whole})"

    __repr__ = __str__

    def __reduce__(self) -> tuple[Any, ...]:
        return (IndexedSlices, (self._values, self._indices, self._dense_shape))

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        """The whole tensor.

        Raises:
            ValueError: without a ``dense_shape``, or for another ``dtype`` than the slices have.
        """
        if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(self.dtype):
            raise ValueError(
                f"IndexedSlices of {self.dtype.name} cannot be converted to a tensor "
                f"of {dtypes.as_dtype(dtype).name}: use tf.cast() on the result."
            )
        if self._dense_shape is None:
            raise ValueError(
                "IndexedSlices without dense_shape cannot be converted to a tensor: "
                f"nothing says how large it would be. {self}"
            )
        return core.callbacks().slices_to_tensor(self)

    # `nest` takes slices apart and puts them together again with these two methods.

    def _nest_components(self) -> list[Any]:
        parts = [self._values, self._indices]
        return parts if self._dense_shape is None else [*parts, self._dense_shape]

    @staticmethod
    def _nest_rebuild(components: list[Any]) -> IndexedSlices:
        # Not by __init__, which makes tensors: a function mapped over the components may return anything.
        values, indices, dense_shape = (*components, None)[:3]
        slices = IndexedSlices.__new__(IndexedSlices)
        slices._values, slices._indices, slices._dense_shape = values, indices, dense_shape
        return slices

    @property
    def _type_spec(self) -> IndexedSlicesSpec:
        shape = self.shape
        if shape.rank is None:  # the number of rows is unknown, the shape of a row is known
            shape = TensorShape([None]).concatenate(self._values.shape[1:])
        return IndexedSlicesSpec(
            shape,
            self.dtype,
            self._indices.dtype,
            None if self._dense_shape is None else self._dense_shape.dtype,
            self._indices.shape,
        )


class IndexedSlicesValue(NamedTuple):
    """Slices as NumPy's arrays: what a `tf.compat.v1.Session` gives."""

    values: Any
    indices: Any
    dense_shape: Any


class IndexedSlicesSpec(TypeSpec):
    """The spec of ``IndexedSlices``: shape and dtype of the dense tensor, dtypes of the parts.

    >>> tf.IndexedSlicesSpec([3, 2])
    IndexedSlicesSpec(TensorShape([3, 2]), tf.float32, tf.int64, None, TensorShape([None]))
    """

    __slots__ = ("_dense_shape_dtype", "_dtype", "_indices_dtype", "_indices_shape", "_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        indices_dtype: Any = dtypes.int64,
        dense_shape_dtype: Any = None,
        indices_shape: Any = None,
    ) -> None:
        self._shape = TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._indices_dtype = dtypes.as_dtype(indices_dtype)
        self._dense_shape_dtype = (
            None if dense_shape_dtype is None else dtypes.as_dtype(dense_shape_dtype)
        )
        self._indices_shape = TensorShape([None] if indices_shape is None else indices_shape)

    @property
    def value_type(self) -> type:
        """The class of the values described."""
        return IndexedSlices

    @property
    def _component_specs(self) -> list[TensorSpec]:
        """The specs of the values, of the indices and, where it is known, of the shape."""
        shape = self._indices_shape.concatenate(self._shape[1:])
        specs = [
            TensorSpec(None if self._shape.rank is None else shape, self._dtype),
            TensorSpec(self._indices_shape, self._indices_dtype),
        ]
        if self._dense_shape_dtype is not None:
            specs.append(TensorSpec([self._shape.rank], self._dense_shape_dtype))
        return specs

    def _to_components(self, value: Any) -> Any:
        return value._nest_components()

    def _from_components(self, components: Any) -> Any:
        return IndexedSlices._nest_rebuild(components)

    def _serialize(self) -> tuple[Any, ...]:
        return (
            self._shape,
            self._dtype,
            self._indices_dtype,
            self._dense_shape_dtype,
            self._indices_shape,
        )

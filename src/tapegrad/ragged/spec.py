"""``RaggedTensorSpec``: dtype, shape and partitions of a ragged tensor, without its values."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor
from tapegrad.framework.overrides import load_overrides
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.ragged.ragged_tensor import RaggedTensor

PUBLIC = {". compat.v1": "RaggedTensorSpec"}


class RaggedTensorSpec(TypeSpec):
    """The known shape, the dtype and the number of ragged axes of a ragged tensor.

    >>> tf.RaggedTensorSpec([2, None], tf.int32)
    RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)

    Args:
        shape: the shape, with None for unknown sizes and ragged axes.
        dtype: the dtype of the values.
        ragged_rank: how many axes after the first are partitioned; all of them by default.
        row_splits_dtype: int32 or int64.
        flat_values_spec: the spec of the innermost values, in place of a dtype.
    """

    __slots__ = ("_dtype", "_flat_values_spec", "_ragged_rank", "_row_splits_dtype", "_shape")

    def __init__(
        self,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        ragged_rank: int | None = None,
        row_splits_dtype: Any = dtypes.int64,
        flat_values_spec: Any = None,
    ) -> None:
        load_overrides("tapegrad.ragged.overrides")  # `tf.map_fn` takes specs
        self._shape = TensorShape(shape)
        self._row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
        if flat_values_spec is not None:
            if dtype is None:
                dtype = flat_values_spec.dtype
            elif dtype != flat_values_spec.dtype:
                raise ValueError("dtype must be the same as flat_values_spec.dtype")
        elif dtype is None:
            raise ValueError("At least one of dtype or flat_values_spec must be provided")
        self._dtype = dtypes.as_dtype(dtype)
        self._flat_values_spec = flat_values_spec
        rank = self._shape.rank
        if ragged_rank is None:
            if rank is None:
                raise ValueError("Must specify ragged_rank or a shape with a known rank.")
            ragged_rank = rank - 1
        if not isinstance(ragged_rank, int):
            raise TypeError(
                f"Argument `ragged_rank` must be an int. Received type: {type(ragged_rank).__name__}."
            )
        if rank is not None and ragged_rank >= rank:
            raise ValueError(
                f"Argument `ragged_rank` ({ragged_rank}) must be less than rank ({rank})."
            )
        self._ragged_rank = ragged_rank

    @property
    def shape(self) -> TensorShape:
        """The shape, with None for unknown sizes and ragged axes."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the values."""
        return self._dtype

    @property
    def ragged_rank(self) -> int:
        """The number of levels of rows."""
        return self._ragged_rank

    @property
    def row_splits_dtype(self) -> dtypes.DType:
        """The dtype in which the rows are given."""
        return self._row_splits_dtype

    @property
    def flat_values_spec(self) -> Any:
        """The spec of the innermost values, if it was given."""
        return self._flat_values_spec

    @property
    def value_type(self) -> type:
        """The class of the values described: `RaggedTensor`, or `Tensor` without ragged axes."""
        return RaggedTensor if self._ragged_rank > 0 else Tensor

    @classmethod
    def from_value(cls, value: Any) -> RaggedTensorSpec:
        """The spec that describes exactly this ragged tensor.

        >>> tf.RaggedTensorSpec.from_value(tf.ragged.constant([[3, 1], [4]]))
        RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)
        """
        if not isinstance(value, RaggedTensor):
            raise TypeError(f"Expected a RaggedTensor, not {type(value).__name__}.")
        return cls(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the ragged tensor, or what the spec describes, could be what this spec describes."""
        other = getattr(spec_or_value, "_type_spec", spec_or_value)
        if not isinstance(other, RaggedTensorSpec):
            if self._ragged_rank or not isinstance(spec_or_value, (Tensor, TensorSpec)):
                return False
            return TensorSpec(self._shape, self._dtype).is_compatible_with(spec_or_value)
        return self._shape.is_compatible_with(other._shape) and (
            self._dtype,
            self._ragged_rank,
            self._row_splits_dtype,
        ) == (other._dtype, other._ragged_rank, other._row_splits_dtype)

    def _batch(self, batch_size: Any) -> RaggedTensorSpec:
        """The spec of a batch of what this spec describes."""
        return RaggedTensorSpec(
            TensorShape([batch_size]).concatenate(self._shape),
            self._dtype,
            self._ragged_rank + 1,
            self._row_splits_dtype,
        )

    def _unbatch(self) -> Any:
        """The spec of the elements of a batch that this spec describes."""
        if self._ragged_rank == 0:
            return TensorSpec(self._shape[1:], self._dtype)
        return RaggedTensorSpec(
            self._shape[1:], self._dtype, self._ragged_rank - 1, self._row_splits_dtype
        )

    @property
    def _component_specs(self) -> list[TensorSpec]:
        """The specs of the flat values and of the row splits, from the outermost."""
        values = self._flat_values_spec
        if self._ragged_rank == 0:
            return [TensorSpec(self._shape, self._dtype) if values is None else values]
        rows = self._shape[0] if self._shape.rank else None
        if values is None:
            sizes = TensorShape([None]).concatenate(self._shape[self._ragged_rank + 1 :])
            values = TensorSpec(None if self._shape.rank is None else sizes, self._dtype)
        counts = [None if rows is None else rows + 1, *[None] * (self._ragged_rank - 1)]
        return [values, *[TensorSpec([count], self._row_splits_dtype) for count in counts]]

    def _to_components(self, value: Any) -> Any:
        return value._nest_components() if isinstance(value, RaggedTensor) else [value]

    def _from_components(self, components: Any) -> Any:
        values, *splits = components
        return RaggedTensor.from_nested_row_splits(values, splits, validate=False)

    def _serialize(self) -> tuple[Any, ...]:
        parts = (self._shape, self._dtype, self._ragged_rank, self._row_splits_dtype)
        return parts if self._flat_values_spec is None else (*parts, self._flat_values_spec)

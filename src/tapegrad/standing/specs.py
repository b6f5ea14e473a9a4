"""The registry of type specs by name: ``tensorflow.python.framework.type_spec_registry``."""

from __future__ import annotations

from typing import Any

from tapegrad.dtypes import float32
from tapegrad.framework.indexed_slices import IndexedSlicesSpec
from tapegrad.framework.spec import TensorSpec
from tapegrad.framework.spec_names import (
    _NAME_TO_TYPE_SPEC,
    _TYPE_SPEC_TO_NAME,
    get_name,
    lookup,
    register,
)
from tapegrad.framework.variable import Variable
from tapegrad.ops.sparse.sparse_tensor import SparseTensorSpec
from tapegrad.ragged.spec import RaggedTensorSpec

__all__ = [
    "_NAME_TO_TYPE_SPEC",
    "_TYPE_SPEC_TO_NAME",
    "VariableSpec",
    "get_name",
    "lookup",
    "register",
]

register("tf.TensorSpec")(TensorSpec)
register("tf.RaggedTensorSpec")(RaggedTensorSpec)
register("tf.SparseTensorSpec")(SparseTensorSpec)
register("tf.IndexedSlicesSpec")(IndexedSlicesSpec)


class VariableSpec(TensorSpec):
    """The spec of a variable, for libraries that ask for one: ``python.ops.resource_variable_ops``."""

    __slots__ = ("alias_id", "trainable")

    def __init__(
        self, shape: Any, dtype: Any = float32, trainable: bool = True, alias_id: int | None = None
    ) -> None:
        super().__init__(shape, dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    @property
    def value_type(self) -> type:
        """The class of the values described."""
        return Variable

    @classmethod
    def from_value(cls, value: Any) -> VariableSpec:
        """The spec of this variable."""
        return cls(value.shape, value.dtype, value.trainable)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Whether a variable, or what another spec describes, could be what this spec describes."""
        return (
            isinstance(spec_or_tensor, (VariableSpec, Variable))
            and self.dtype == spec_or_tensor.dtype
            and self.shape.is_compatible_with(spec_or_tensor.shape)
            and self.trainable == spec_or_tensor.trainable
        )

    def _to_components(self, value: Any) -> Any:
        return [value]

    def _from_components(self, components: Any) -> Any:
        return components[0]

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, "
            f"trainable={self.trainable!r}, alias_id={self.alias_id!r})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return VariableSpec, (self.shape, self.dtype, self.trainable, self.alias_id)

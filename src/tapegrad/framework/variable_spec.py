"""`VariableSpec`: shape and dtype of a variable. ``tf.type_spec_from_value`` gives it."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TypeSpec


class VariableSpec(TypeSpec):
    """The shape and dtype of a variable, and whether it is trained.

    >>> tf.type_spec_from_value(tf.Variable([1.0, 2.0]))
    VariableSpec(shape=(2,), dtype=tf.float32, trainable=True, alias_id=None)

    A variable is one component, itself: it is a leaf of every nest.

    Args:
        shape: anything that `tf.TensorShape` takes.
        dtype: anything that `tf.as_dtype` takes.
        trainable: whether tapes watch the variable when it is read.
        alias_id: a number that is the same for specs of one variable, among several.
    """

    __slots__ = ("alias_id", "dtype", "shape", "trainable")

    _nest_is_spec = False  # of no composite
    _variables: Any = None  # the class of variables, which `framework.variable` sets

    # Specs of tensors have a name, which libraries read from every spec.
    name = None

    def __init__(
        self,
        shape: Any,
        dtype: Any = dtypes.float32,
        trainable: bool = True,
        alias_id: int | None = None,
    ) -> None:
        self.shape = TensorShape(shape)
        self.dtype = dtypes.as_dtype(dtype)
        self.trainable = trainable
        self.alias_id = alias_id

    @classmethod
    def from_value(cls, value: Any) -> VariableSpec:
        """The spec of this variable."""
        return cls(value.shape, value.dtype, value.trainable)

    @property
    def value_type(self) -> Any:
        """The class of the values described."""
        return self._variables

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every variable this spec describes is also described by ``other``."""
        self._want_comparable([other], "is_subtype_of")
        return super().is_subtype_of(other)

    def most_specific_common_supertype(self, others: Any) -> Any:
        """The narrowest spec covering this one and the others; None if more than shapes differs."""
        self._want_comparable(others, "most_specific_common_supertype")
        return super().most_specific_common_supertype(others)

    def _want_comparable(self, others: Any, question: str) -> None:
        """Refuse to compare a spec that says which variable it means with one that does not."""
        for other in others:
            if type(other) is VariableSpec and (self.alias_id is None) != (other.alias_id is None):
                raise NotImplementedError(
                    f"VariableSpec.{question}() compares specs that all have an alias_id, or none: "
                    f"{self!r} and {other!r} came."
                )

    def _serialize(self) -> tuple[Any, ...]:
        return (self.shape, self.dtype, self.trainable, self.alias_id)

    def _to_components(self, value: Any) -> list[Any]:
        return [value]

    def _from_components(self, components: Any) -> Any:
        return components[0]

    def __repr__(self) -> str:
        return (
            f"VariableSpec(shape={self.shape}, dtype={self.dtype!r}, "
            f"trainable={self.trainable!r}, alias_id={self.alias_id!r})"
        )

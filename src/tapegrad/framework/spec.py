"""``TensorSpec``: the shape and dtype of tensors that may come, without any values.

``TypeSpec`` is its base, and that of the specs of composites.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tapegrad import dtypes
from tapegrad.framework.absent import lacks
from tapegrad.framework.shape import TensorShape

PUBLIC = {
    ". compat.v1": "TensorSpec type_spec_from_value TypeSpec",
}


@lacks(
    "TypeSpec",
    "cast experimental_as_proto experimental_from_proto experimental_type_proto flatten from_tensors "
    "placeholder_value to_tensors",
)
class TypeSpec:
    """The base of all descriptions of values that may come, `TensorSpec` first among them."""

    __slots__ = ()

    def _parts(self) -> tuple[Any, ...]:
        """The arguments that make this spec again: shapes, which may be partly unknown, and others."""
        raise NotImplementedError

    def is_subtype_of(self, other: Any) -> bool:
        """Whether everything this spec describes is also described by ``other``."""
        return type(other) is type(self) and all(
            mine.is_subtype_of(theirs) if isinstance(mine, TensorShape) else mine == theirs
            for mine, theirs in zip(self._parts(), other._parts(), strict=True)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The narrowest spec covering this one and the others; None if more than shapes differs."""
        parts = self._parts()
        for other in others:
            if type(other) is not type(self):
                return None
            both = list(zip(parts, other._parts(), strict=True))
            if any(not isinstance(mine, TensorShape) and mine != theirs for mine, theirs in both):
                return None
            parts = tuple(
                mine.most_specific_compatible_shape(theirs)
                if isinstance(mine, TensorShape)
                else mine
                for mine, theirs in both
            )
        return type(self)(*parts)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """The narrowest spec covering this one and ``other``; ValueError if there is none."""
        covering = self.most_specific_common_supertype([other])
        if covering is None:
            raise ValueError(
                f"No spec covers both {self} and {other}: their kinds, dtypes and names must agree"
            )
        return covering


class TensorSpec(TypeSpec):
    """What is known of a tensor before it exists: its shape and its dtype.

    >>> import tapegrad as tf
    >>> spec = tf.TensorSpec([None, 2], tf.float32)
    >>> spec
    TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)
    >>> spec.is_compatible_with(tf.ones([5, 2])), spec.is_compatible_with(tf.ones([5, 3]))
    (True, False)

    Args:
      shape: Anything that `TensorShape` takes.
      dtype: Anything that `as_dtype` takes.
      name: A name for the argument that it describes.
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape = shape if isinstance(shape, TensorShape) else TensorShape(shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """The shape, possibly incomplete."""
        return self._shape

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name given, or None."""
        return self._name

    @property
    def value_type(self) -> type:
        """The class of the values described: ``tf.Tensor``."""
        from tapegrad.core import Tensor

        tensor_type: type = Tensor
        return tensor_type

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec that describes this tensor exactly.

        >>> import tapegrad as tf
        >>> tf.TensorSpec.from_tensor(tf.constant([1, 2]))
        TensorSpec(shape=(2,), dtype=tf.int32, name=None)

        Raises:
          ValueError: ``tensor`` is something else, for instance an array or a variable.
        """
        from tapegrad.core import Tensor

        if not isinstance(tensor, Tensor):
            raise ValueError(
                f"TensorSpec.from_tensor() takes a tf.Tensor, but got {type(tensor).__name__}. "
                "tf.convert_to_tensor() makes one of arrays, variables and lists."
            )
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """A TensorSpec with the shape and dtype of another spec, and ``name`` or else its name."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        """Whether a tensor, or what another spec describes, could be what this spec describes."""
        from tapegrad.core import Tensor

        if not isinstance(spec_or_tensor, (TensorSpec, Tensor)):
            return False
        return self._dtype is spec_or_tensor.dtype and self._shape.is_compatible_with(
            spec_or_tensor.shape
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether everything this spec describes is also described by ``other``."""
        return (
            isinstance(other, TensorSpec)
            and (self._name is None or self._name == other._name)
            and self._dtype is other._dtype
            and self._shape.is_subtype_of(other._shape)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorSpec | None:
        """The narrowest spec covering this one and the others; None if dtypes or names differ.

        >>> import tapegrad as tf
        >>> tf.TensorSpec([3, 2]).most_specific_common_supertype([tf.TensorSpec([4, 2])])
        TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)
        """
        shape: TensorShape = self._shape
        for other in others:
            if not isinstance(other, TensorSpec) or (other._dtype, other._name) != (
                self._dtype,
                self._name,
            ):
                return None
            shape = shape.most_specific_compatible_shape(other._shape)
        return TensorSpec(shape, self._dtype, self._name)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return NotImplemented
        return (
            self._shape == other._shape
            and self._dtype is other._dtype
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((self._shape, self._dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorSpec, (self._shape, self._dtype, self._name)


def type_spec_from_value(value: Any) -> TypeSpec:
    """The spec of ``value``: of a tensor, a composite, or anything that converts to a tensor.

    >>> tf.type_spec_from_value([1.0, 2.0])
    TensorSpec(shape=(2,), dtype=tf.float32, name=None)

    Differs from TensorFlow: a variable's spec is that of its tensor.

    Raises:
      TypeError: ``value`` cannot become a tensor.
    """
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, TypeSpec):
        return spec
    from tapegrad.framework.convert import convert_to_tensor

    try:
        tensor = convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"There is no spec for a {type(value).__name__}: "
            "it is not a tensor and does not convert to one."
        ) from error
    return TensorSpec(tensor.shape, tensor.dtype)

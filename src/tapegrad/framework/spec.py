"""``TensorSpec``: the shape and dtype of tensors, without values.

``TypeSpec`` is its base class, and the base class of the specs of composites.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from tapegrad import dtypes
from tapegrad.framework.absent import lacks
from tapegrad.framework.shape import TensorShape

PUBLIC = {
    ". compat.v1": "NoneTensorSpec TensorSpec type_spec_from_value TypeSpec",
}


@lacks(
    "TypeSpec",
    "cast experimental_as_proto experimental_from_proto experimental_type_proto flatten from_tensors "
    "placeholder_value to_tensors",
)
class TypeSpec:
    """The base class of all specs, such as `TensorSpec`.

    A library describes its own composites by a subclass. The subclass says what makes it again
    (`_serialize`) and what its values consist of (`_component_specs`, `_to_components`,
    `_from_components`). `tf.nest` takes the values apart by that, and comparisons of specs follow.
    """

    __slots__ = ()

    # Whether `tf.nest` expands the spec, like composites, to the specs of its components.
    _nest_is_spec = True

    @property
    def value_type(self) -> Any:
        """The class of the values described."""
        raise NotImplementedError(f"{type(self).__name__} does not say its value_type")

    def _serialize(self) -> tuple[Any, ...]:
        """The arguments that make this spec again: shapes, which may be partly unknown, and others."""
        raise NotImplementedError(f"{type(self).__name__} does not define _serialize()")

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        """The spec that `_serialize` gave the arguments of."""
        return cls(*serialization)

    @property
    def _component_specs(self) -> Any:
        """The nest of specs of what `_to_components` gives."""
        raise NotImplementedError(f"{type(self).__name__} does not define _component_specs")

    def _without_values(self, trace: Any) -> Any:
        """A value that has only this spec in ``trace``; None if it is built from symbolic components."""
        return None

    def _to_components(self, value: Any) -> Any:
        """The nest of tensors and composites that ``value`` consists of."""
        raise NotImplementedError(f"{type(self).__name__} does not define _to_components()")

    def _from_components(self, components: Any) -> Any:
        """The value that consists of ``components``."""
        raise NotImplementedError(f"{type(self).__name__} does not define _from_components()")

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether the value, or some value of the given spec, could be what this spec describes."""
        spec = spec_or_value
        if not isinstance(spec, TypeSpec):
            try:
                spec = type_spec_from_value(spec_or_value)
            except TypeError:
                return False
        return type(spec) is type(self) and _agree(
            self._serialize(), spec._serialize(), "is_compatible_with"
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether everything this spec describes is also described by ``other``."""
        return type(other) is type(self) and _agree(
            self._serialize(), other._serialize(), "is_subtype_of"
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Any:
        """The narrowest spec covering this one and the others; None if more than shapes differs."""
        parts = self._serialize()
        for other in others:
            if type(other) is not type(self):
                return None
            parts = _covering(parts, other._serialize())
            if parts is None:
                return None
        return self._deserialize(parts)

    def most_specific_compatible_type(self, other: Any) -> Any:
        """The narrowest spec covering this one and ``other``; ValueError if there is none."""
        covering = self.most_specific_common_supertype([other])
        if covering is None:
            raise ValueError(
                f"No spec covers both {self} and {other}: their kinds, dtypes and names must agree"
            )
        return covering

    def _with_tensor_ranks_only(self) -> Any:
        """This spec with nothing but the number of axes of each shape in it."""
        return self._deserialize(_ranks_only(self._serialize()))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _agree(self._serialize(), other._serialize(), "__eq__")

    def __hash__(self) -> int:
        return hash((type(self), _hashable(self._serialize())))

    def __make_cmp_key(self, value: Any) -> Any:
        """What tells ``value`` from others, for specs of TensorFlow Probability to compare and to hash."""
        if isinstance(value, dict):
            return tuple([(key, self.__make_cmp_key(value[key])) for key in sorted(value)])
        if isinstance(value, (list, tuple)):
            parts = tuple(map(self.__make_cmp_key, value))
            return (list, parts) if isinstance(value, list) else parts
        if isinstance(value, np.ndarray):
            return np.ndarray, value.shape, value.dtype.str, value.tobytes()
        return value

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._serialize()!r}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._deserialize, (self._serialize(),)


def _agree(first: Any, second: Any, question: str) -> bool:
    """Whether shapes and specs in two serializations answer ``question`` with yes; the rest is equal."""
    if isinstance(first, (TensorShape, TypeSpec)):
        return bool(getattr(first, question)(second)) if type(first) is type(second) else False
    if type(first) is not type(second):
        return bool(first == second)
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(
            _agree(*pair, question) for pair in zip(first, second, strict=True)
        )
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(
            _agree(value, second[key], question) for key, value in first.items()
        )
    if isinstance(first, np.ndarray):
        return (first.shape, first.tobytes()) == (second.shape, second.tobytes())
    return bool(first == second)


def _ranks_only(part: Any) -> Any:
    """A serialization in which shapes have their ranks alone."""
    if isinstance(part, TensorShape):
        return TensorShape(None if part.rank is None else [None] * part.rank)
    if isinstance(part, TypeSpec):
        return part._with_tensor_ranks_only()
    if isinstance(part, (list, tuple)):
        parts = [_ranks_only(item) for item in part]
        return type(part)(*parts) if hasattr(part, "_fields") else type(part)(parts)
    if isinstance(part, dict):
        return {key: _ranks_only(value) for key, value in part.items()}
    return part


def _covering(first: Any, second: Any) -> Any:
    """The serialization that covers both, or None if more than shapes differs."""
    if type(first) is type(second):
        if isinstance(first, TensorShape):
            return first.most_specific_compatible_shape(second)
        if isinstance(first, TypeSpec):
            return first.most_specific_common_supertype([second])
        if isinstance(first, (list, tuple)) and len(first) == len(second):
            parts = [_cover_part(*pair) for pair in zip(first, second, strict=True)]
            if any(part is _DIFFERENT for part in parts):
                return None
            return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
        if isinstance(first, dict) and first.keys() == second.keys():
            values = {key: _cover_part(value, second[key]) for key, value in first.items()}
            return None if any(part is _DIFFERENT for part in values.values()) else values
    return None


# Says that two parts differ. None may be a part itself.
_DIFFERENT = object()


def _cover_part(first: Any, second: Any) -> Any:
    if _agree(first, second, "__eq__"):
        return first
    covering = _covering(first, second)
    return _DIFFERENT if covering is None else covering


def _hashable(part: Any) -> Any:
    """``part`` with tuples in place of lists, dicts and arrays."""
    if isinstance(part, dict):
        return tuple(sorted((str(key), _hashable(value)) for key, value in part.items()))
    if isinstance(part, (list, tuple)):
        return tuple(_hashable(item) for item in part)
    if isinstance(part, np.ndarray):
        return part.tobytes()
    if isinstance(part, TensorShape):
        return part.rank
    return part


class BatchableTypeSpec(TypeSpec):
    """A spec of values that can be batched: a base class for specs of other libraries."""

    __slots__ = ()

    def _batch(self, batch_size: Any) -> Any:
        """The spec of a batch of ``batch_size`` values of this spec."""
        raise NotImplementedError(f"{type(self).__name__} does not define _batch()")

    def _unbatch(self) -> Any:
        """The spec of the values in a batch that this spec describes."""
        raise NotImplementedError(f"{type(self).__name__} does not define _unbatch()")


class TensorSpec(TypeSpec):
    """The shape and the dtype of a tensor, without its values.

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

    _nest_is_spec = False  # of no composite

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

    def _batch(self, batch_size: Any) -> TensorSpec:
        return TensorSpec(TensorShape([batch_size]).concatenate(self._shape), self._dtype)

    def _unbatch(self) -> TensorSpec:
        if self._shape.rank == 0:
            raise ValueError(f"Unbatching a tensor is only supported for rank >= 1: {self}.")
        return TensorSpec(self._shape[1:], self._dtype)

    @property
    def value_type(self) -> type:
        """The class of the values described: ``tf.Tensor``."""
        from tapegrad.core import Tensor

        tensor_type: type = Tensor
        return tensor_type

    def _serialize(self) -> tuple[Any, ...]:
        return (self._shape, self._dtype, self._name)

    @property
    def _component_specs(self) -> TensorSpec:
        return self

    def _to_components(self, value: Any) -> Any:
        return value

    def _from_components(self, components: Any) -> Any:
        return components

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


class NoneTensorSpec(TypeSpec):
    """The spec of None, a missing input.

    >>> tf.data.Dataset.from_tensors((1, None)).element_spec[1]
    NoneTensorSpec()
    """

    __slots__ = ()

    _nest_is_spec = False  # its values have no components

    @property
    def value_type(self) -> type:
        """The class of None."""
        return type(None)

    def _serialize(self) -> tuple[Any, ...]:
        return ()

    @property
    def _component_specs(self) -> tuple[()]:
        return ()

    def _to_components(self, value: None) -> tuple[()]:
        return ()

    def _from_components(self, components: Any) -> None:
        return None

    @staticmethod
    def from_value(value: None) -> NoneTensorSpec:
        """The spec of None."""
        return NoneTensorSpec()

    def most_specific_compatible_shape(self, other: Any) -> NoneTensorSpec:
        """The spec that covers this one and ``other``, a spec of None too; ValueError for another."""
        if type(self) is not type(other):
            raise ValueError(f"No spec covers both {self} and {other}: they are of two kinds.")
        return self

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether this is None or a spec of it."""
        return spec_or_value is None or isinstance(spec_or_value, NoneTensorSpec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NoneTensorSpec)

    def __hash__(self) -> int:
        return hash(NoneTensorSpec)

    def __repr__(self) -> str:
        return "NoneTensorSpec()"


def type_spec_from_value(value: Any) -> TypeSpec:
    """The spec of ``value``: of a tensor, a composite, or anything that converts to a tensor.

    >>> tf.type_spec_from_value([1.0, 2.0])
    TensorSpec(shape=(2,), dtype=tf.float32, name=None)

    Args:
        value: a tensor, a composite, or what converts to a tensor.

    Raises:
      TypeError: ``value`` cannot become a tensor.
    """
    spec = getattr(value, "_type_spec", None)
    if isinstance(spec, TypeSpec):
        return spec
    if value is None:  # what a layer of Keras 2 may give
        return NoneTensorSpec()
    describe = getattr(type(value), "_describe", None)
    if describe is not None:
        return cast("TypeSpec", describe(value))
    from tapegrad.framework.convert import convert_to_tensor

    try:
        tensor = convert_to_tensor(value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"There is no spec for a {type(value).__name__}: "
            "it is not a tensor and does not convert to one."
        ) from error
    return TensorSpec(tensor.shape, tensor.dtype)

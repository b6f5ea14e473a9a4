"""`ExtensionType`: composites that programs define by naming their fields."""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Mapping
from inspect import Parameter, Signature
from typing import Any

from tapegrad.annex.extension import fields
from tapegrad.annex.extension.batching import (
    ExtensionTypeBatchEncoder,
    stack_values,
    unstack_value,
)
from tapegrad.annex.extension.fields import FIELDS, NO_DEFAULT, Field, ImmutableDict
from tapegrad.annex.internal.composite import CompositeTensor
from tapegrad.core import Tensor, VariableBase, hide
from tapegrad.framework import nest
from tapegrad.framework.spec import BatchableTypeSpec, TypeSpec, type_spec_from_value
from tapegrad.framework.spec_names import register
from tapegrad.ops.elementwise.logic import equal as tf_equal
from tapegrad.ops.elementwise.logic import logical_not
from tapegrad.ops.program.control import cond
from tapegrad.ops.reduce.reduce import reduce_all
from tapegrad.ops.shape.creation import constant
from tapegrad.ops.shape.shapes import shape

PUBLIC = {
    "experimental": "BatchableExtensionType ExtensionType ExtensionTypeSpec",
    "experimental.extension_type": "as_dict",
}

# While its constructor runs, an instance is in here, and its attributes may be set.
_OPEN = f"{fields.PREFIX}_open"


class Meta(ABCMeta):
    """Makes a class with annotations an extension type: its fields, constructor and spec."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        if namespace.get("_is_base"):
            return
        try:
            cls._tf_extension_type_fields = _fields_of(cls, namespace)
            _add_constructor(cls, namespace)
            _add_spec(cls, namespace)
        except (TypeError, ValueError) as error:
            hide(error)
            raise
        from tapegrad.annex.extension.dispatch import inherit

        inherit(cls)

    _tf_extension_type_fields: tuple[Field, ...]
    Spec: Any


def _fields_of(cls: Any, namespace: dict[str, Any]) -> tuple[Field, ...]:
    """The fields of the base classes, then those that the class itself annotates."""
    fields_by_name: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:]):
        for field in getattr(base, "_tf_extension_type_fields", ()):
            fields_by_name[field.name] = field
    for name, annotation in namespace.get("__annotations__", {}).items():
        if name in fields.RESERVED or name.startswith(fields.PREFIX):
            raise ValueError(
                f"The field annotations for {cls.__name__} are invalid. Field {name!r} is reserved."
            )
        value_type = fields.resolved(annotation, cls)
        fields.check_annotation(value_type, name)
        default = namespace.get(name, NO_DEFAULT)
        if default is not NO_DEFAULT:
            default = fields.converted(default, value_type, f"default value for {name}", cls, False)
            if name in vars(cls):
                delattr(cls, name)
        fields_by_name[name] = Field(name, value_type, default)
    return tuple(fields_by_name.values())


def _signature(cls: Any, result: Any, specs: bool) -> Signature:
    parameters = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    with_default = False
    for field in cls._tf_extension_type_fields:
        if specs:
            parameters.append(Parameter(field.name, Parameter.POSITIONAL_OR_KEYWORD))
            continue
        kind: Any = Parameter.POSITIONAL_OR_KEYWORD
        if field.default is NO_DEFAULT and with_default:
            kind = Parameter.KEYWORD_ONLY
        with_default = with_default or field.default is not NO_DEFAULT
        default = Parameter.empty if field.default is NO_DEFAULT else field.default
        parameters.append(Parameter(field.name, kind, annotation=field.value_type, default=default))
    parameters.sort(key=lambda parameter: parameter.kind)
    return Signature(parameters, return_annotation=result)


def _add_constructor(cls: Any, namespace: dict[str, Any]) -> None:
    """A constructor that takes the fields; or checks made after the constructor that the class has."""
    own = namespace.get("__init__")
    if own is None:
        for base in cls.__mro__[1:-1]:
            candidate = vars(base).get("__init__")
            if candidate is not None and not getattr(candidate, "_by_fields", False):
                return  # the value of a base class, which is checked already
            if candidate is not None:
                break
        signature = _signature(cls, cls, specs=False)

        def by_fields(self: Any, *args: Any, **kwargs: Any) -> None:
            try:
                bound = signature.bind(self, *args, **kwargs)
                bound.apply_defaults()
                del bound.arguments["self"]
                for name, value in bound.arguments.items():
                    self.__dict__[name] = value
                _check_fields(self)
            except TypeError as error:
                hide(error)
                raise
            self.__validate__()

        by_fields._by_fields = True  # type: ignore[attr-defined]
        by_fields.__signature__ = signature  # type: ignore[attr-defined]
        by_fields.__name__ = "__init__"
        cls.__init__ = by_fields
        return

    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        outermost = _OPEN not in self.__dict__
        self.__dict__[_OPEN] = True
        try:
            own(self, *args, **kwargs)
        finally:
            if outermost:
                self.__dict__.pop(_OPEN, None)
        if outermost:
            _check_fields(self)
            self.__validate__()

    checked.__signature__ = Signature.from_callable(own)  # type: ignore[attr-defined]
    checked.__doc__ = own.__doc__
    checked.__name__ = "__init__"
    cls.__init__ = checked


def _check_fields(value: Any) -> None:
    """Make the fields of a value what their annotations say."""
    known = type(value)._tf_extension_type_fields
    for field in known:
        if field.name not in value.__dict__ and field.default is not NO_DEFAULT:
            value.__dict__[field.name] = field.default
    missing = {field.name for field in known} - value.__dict__.keys()
    if missing:
        raise ValueError(f"Missing required fields: {missing}")
    extra = value.__dict__.keys() - {field.name for field in known}
    if extra:
        raise ValueError(f"Got unexpected fields: {extra}")
    for field in known:
        value.__dict__[field.name] = fields.converted(
            value.__dict__[field.name], field.value_type, field.name, type(value), False
        )


class Fixed:
    """What values and specs of extension types share: attributes that do not change, and how they print."""

    # Attributes that may change all the same.
    _changeable: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        if _OPEN not in self.__dict__ and name not in self._changeable:
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
            )
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        if _OPEN not in self.__dict__ and name not in self._changeable:
            raise AttributeError(
                f"Cannot mutate attribute `{name}` outside the custom constructor of ExtensionType."
            )
        del self.__dict__[name]

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={value!r}" for name, value in _own_fields(self))
        return f"{type(self).__qualname__}({parts})"


def _own_fields(value: Any) -> list[tuple[str, Any]]:
    kind = value.value_type if isinstance(value, ExtensionTypeSpec) else type(value)
    return [
        (field.name, value.__dict__[field.name])
        for field in kind._tf_extension_type_fields
        if field.name in value.__dict__
    ]


class ExtensionType(Fixed, CompositeTensor, metaclass=Meta):
    """A base for types of one's own, whose fields are tensors, composites and Python values.

    Annotations name the fields. From them come a constructor, which converts and checks the values; ``==``
    and `repr`; the class ``Spec``; and that `tf.nest`, `tf.function`, loops and data sets take the values.

    >>> class Masked(tf.experimental.ExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    ...     def total(self):
    ...         return tf.reduce_sum(tf.where(self.mask, self.values, 0))
    >>> masked = Masked([1, 2, 3], [True, False, True])
    >>> masked.total().numpy().tolist()
    4
    >>> tf.type_spec_from_value(masked).mask
    TensorSpec(shape=(3,), dtype=tf.bool, name=None)

    A class may have a constructor of its own, which sets the fields, and a method ``__validate__``.
    """

    _is_base = True

    # Keras puts the mask of a layer's result there.
    _changeable = ("_keras_mask",)

    _tf_extension_type_fields: tuple[Field, ...] = ()
    Spec: Any

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls in (ExtensionType, BatchableExtensionType):
            raise AssertionError(
                f"Cannot create an instance of {cls.__name__} because {cls.__name__} "
                "is an abstract base class."
            )
        return super().__new__(cls)

    def __validate__(self) -> None:
        """Raise if the fields do not go together. Subclasses may define it."""

    @property
    def _type_spec(self) -> Any:
        return self.Spec.from_value(self)

    __hash__ = None  # type: ignore[assignment]  # == may give a tensor

    def __eq__(self, other: object) -> Any:
        if type(self) is not type(other):
            return False
        conditions: list[Any] = []
        if not _compare(_own_fields(self), _own_fields(other), conditions):
            return False
        return reduce_all(conditions) if conditions else True

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return not equal if isinstance(equal, bool) else logical_not(equal)


def _compare(first: Any, second: Any, conditions: list[Any]) -> bool:
    """Whether two values agree in all but tensors; whether tensors do, goes to ``conditions``."""
    if _is_tensor(first) and _is_tensor(second):
        if first.dtype != second.dtype:
            return False
        if first.shape.is_fully_defined() and second.shape.is_fully_defined():
            if first.shape != second.shape:
                return False
            conditions.append(reduce_all(tf_equal(first, second)))
            return True
        conditions.append(
            cond(
                reduce_all(tf_equal(shape(first), shape(second))),
                lambda: reduce_all(tf_equal(first, second)),
                lambda: constant(False),
            )
        )
        return True
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(
            _compare(first[key], second[key], conditions) for key in first
        )
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(
            _compare(*pair, conditions) for pair in zip(first, second, strict=True)
        )
    if isinstance(first, ExtensionType):
        if type(first) is not type(second):
            return False
        return _compare(_own_fields(first), _own_fields(second), conditions)
    if isinstance(first, CompositeTensor) and isinstance(second, CompositeTensor):
        if type(first) is not type(second):
            return False
        return _compare(
            nest.flatten(first, expand_composites=True),
            nest.flatten(second, expand_composites=True),
            conditions,
        )
    return bool(first == second)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, (Tensor, VariableBase))


def as_dict(value: Any) -> dict[str, Any]:
    """The fields of an extension type, or of the spec of one, by name.

    >>> class Point(tf.experimental.ExtensionType):
    ...     x: int
    ...     y: int
    >>> tf.experimental.extension_type.as_dict(Point(1, 2))
    {'x': 1, 'y': 2}

    Args:
        value: an object of a `tf.experimental.ExtensionType`, or its spec.
    """
    return dict(_own_fields(value))


class ExtensionTypeSpec(Fixed, TypeSpec):
    """The spec of an `ExtensionType`: for each tensor its spec, for each Python value the value itself."""

    _value_type: Any = None

    @property
    def value_type(self) -> Any:
        """The class of the values described."""
        return self._value_type

    def __validate__(self) -> None:
        """Raise if the fields do not go together. The ``Spec`` of a class may define it."""

    @classmethod
    def from_value(cls, value: Any) -> Any:
        """The spec that describes exactly this value."""

        def spec_of(part: Any) -> Any:
            return type_spec_from_value(part) if _is_component(part) else part

        return cls._of({name: FIELDS.map(spec_of, part) for name, part in _own_fields(value)})

    @classmethod
    def _of(cls, parts: Mapping[str, Any]) -> Any:
        spec = cls.__new__(cls)
        spec.__dict__.update(parts)
        return spec

    def _serialize(self) -> tuple[Any, ...]:
        return tuple(_with_mappings(part, dict) for _, part in _own_fields(self))

    @classmethod
    def _deserialize(cls, serialization: Any) -> Any:
        names = [field.name for field in cls._value_type._tf_extension_type_fields]
        parts = _with_mappings(serialization, ImmutableDict)
        return cls._of(dict(zip(names, parts, strict=True)))

    def __repr__(self) -> str:
        names = [name for name, _ in _own_fields(self)]
        pairs = zip(names, self._serialize(), strict=True)
        parts = ", ".join([f"{name}={value!r}" for name, value in pairs])
        return f"{type(self).__qualname__}({parts})"

    @property
    def _component_specs(self) -> Any:
        parts = FIELDS.flatten(self._serialize())
        return tuple([part for part in parts if isinstance(part, TypeSpec)])

    def _to_components(self, value: Any) -> Any:
        parts = FIELDS.flatten(tuple([part for _, part in _own_fields(value)]))
        return tuple(filter(_is_component, parts))

    def _from_components(self, components: Any) -> Any:
        remaining = iter(components)
        value = self.value_type.__new__(self.value_type)
        for name, part in _own_fields(self):
            value.__dict__[name] = FIELDS.map(
                lambda leaf: next(remaining) if isinstance(leaf, TypeSpec) else leaf, part
            )
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return _spec_again, (self.value_type, self._serialize())

    __hash__ = TypeSpec.__hash__
    __eq__ = TypeSpec.__eq__


class BatchableExtensionTypeSpec(ExtensionTypeSpec, BatchableTypeSpec):
    """The spec of a `BatchableExtensionType`."""

    @property
    def _encoder(self) -> Any:
        return self.value_type.__batch_encoder__

    def _batch(self, batch_size: Any) -> Any:
        return self._encoder.batch(self, batch_size)

    def _unbatch(self) -> Any:
        return self._encoder.unbatch(self)

    def _stack_values(self, values: Any) -> Any:
        """One value that is a batch of these."""
        return stack_values(values, self)

    def _unstack_value(self, batch: Any) -> list[Any]:
        """The values in a batch."""
        return unstack_value(batch)


class BatchableExtensionType(ExtensionType):
    """A base for extension types that data sets and `tf.map_fn` can batch: field by field.

    >>> class Masked(tf.experimental.BatchableExtensionType):
    ...     values: tf.Tensor
    ...     mask: tf.Tensor
    >>> masked = Masked([[1, 2], [3, 4]], [[True, False], [True, True]])
    >>> [row.values.numpy().tolist() for row in tf.data.Dataset.from_tensor_slices(masked)]
    [[1, 2], [3, 4]]

    A subclass may set ``__batch_encoder__`` to an `ExtensionTypeBatchEncoder` of its own.
    """

    _is_base = True

    __batch_encoder__ = ExtensionTypeBatchEncoder()


def _is_component(part: Any) -> bool:
    return isinstance(part, (Tensor, VariableBase, CompositeTensor))


def _with_mappings(part: Any, kind: type) -> Any:
    """``part`` with mappings of that class."""
    if isinstance(part, tuple):
        return tuple(_with_mappings(item, kind) for item in part)
    if isinstance(part, Mapping):
        return kind({key: _with_mappings(value, kind) for key, value in part.items()})
    return part


def _add_spec(cls: Any, namespace: dict[str, Any]) -> None:
    """The class ``cls.Spec``, with the members of a class ``Spec`` inside of ``cls``."""
    spec_class = namespace.get("Spec")
    base = BatchableExtensionTypeSpec if issubclass(cls, _batchable_bases()) else ExtensionTypeSpec
    members = (
        {}
        if spec_class is None
        else {
            name: member
            for name, member in vars(spec_class).items()
            if name not in ("__dict__", "__weakref__", "__module__", "__qualname__")
        }
    )
    if spec_class is None:
        for parent in cls.__mro__[1:]:
            inherited = vars(parent).get("Spec")
            if inherited is not None and parent is not ExtensionType:
                base = inherited
                break
    own = members.get("__init__")
    signature = _signature(cls, Signature.empty, specs=True)

    def by_specs(self: Any, *args: Any, **kwargs: Any) -> None:
        bound = signature.bind(self, *args, **kwargs)
        del bound.arguments["self"]
        self.__dict__.update(bound.arguments)
        _check_specs(self)
        self.__validate__()

    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        self.__dict__[_OPEN] = True
        try:
            own(self, *args, **kwargs)  # type: ignore[misc]
        finally:
            del self.__dict__[_OPEN]
        _check_specs(self)
        self.__validate__()

    constructor = by_specs if own is None else checked
    constructor.__signature__ = (  # type: ignore[attr-defined]
        signature if own is None else Signature.from_callable(own)
    )
    if own is not None or not _has_own_constructor(base):
        members["__init__"] = constructor
    members["_value_type"] = cls
    members["__module__"] = cls.__module__
    members["__qualname__"] = f"{cls.__qualname__}.Spec"
    cls.Spec = type(f"{cls.__name__}.Spec", (base,), members)
    registered = vars(cls).get("__name__")
    if registered is not None:
        register(f"{registered}.Spec")(cls.Spec)
    signature = signature.replace(return_annotation=cls.Spec)
    if own is None:
        constructor.__signature__ = signature  # type: ignore[attr-defined]


def _has_own_constructor(spec_class: type) -> bool:
    """Whether a base class wrote the constructor of its ``Spec`` itself."""
    constructor = vars(spec_class).get("__init__")
    return constructor is not None and constructor.__name__ == "checked"


def _batchable_bases() -> tuple[type, ...]:
    batchable = globals().get("BatchableExtensionType")
    return (batchable,) if batchable is not None else ()


def _check_specs(spec: Any) -> None:
    known = spec.value_type._tf_extension_type_fields
    missing = {field.name for field in known} - spec.__dict__.keys()
    if missing:
        raise ValueError(f"Missing required fields: {missing}")
    for field in known:
        spec.__dict__[field.name] = fields.converted(
            spec.__dict__[field.name], field.value_type, field.name, spec.value_type, True
        )


def _spec_again(value_type: Any, serialization: Any) -> Any:
    return value_type.Spec._deserialize(serialization)

"""What messages say of their fields, in the words of Google's package `protobuf`.

`google.protobuf.text_format` and `json_format` read and write any message by its descriptors alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, ClassVar

# The numbers of `FieldDescriptor.type` and `FieldDescriptor.cpp_type`, by what a field holds.
TYPES = {
    "double": (1, 5),
    "float": (2, 6),
    "int64": (3, 2),
    "uint64": (4, 4),
    "int32": (5, 1),
    "bool": (8, 7),
    "string": (9, 9),
    "bytes": (12, 9),
    "uint32": (13, 3),
    "sint64": (18, 2),
}
MESSAGE = (11, 10)
ENUM = (14, 8)


class Descriptor:
    """The names of a class of messages, and its fields."""

    is_extendable = False
    containing_type: Descriptor | None = None
    extensions: ClassVar[Sequence[Any]] = ()
    enum_types: ClassVar[Sequence[Any]] = ()

    def __init__(self, kind: Any) -> None:
        self._concrete_class = kind
        self.full_name: str = kind.FULL_NAME
        self.name: str = self.full_name.rpartition(".")[2]
        package, _, _ = self.full_name.partition(".")
        self.file = SimpleNamespace(name=f"{package}/{self.name}.proto", package=package)
        self.has_options: bool = kind.MAP_ENTRY
        self.oneofs: list[OneofDescriptor] = []
        self.fields = [
            FieldDescriptor(self, index, name, field)
            for index, (name, field) in enumerate(kind.FIELDS.items())
        ]

    @property
    def fields_by_name(self) -> dict[str, FieldDescriptor]:
        """The fields by their names."""
        return {field.name: field for field in self.fields}

    @property
    def fields_by_number(self) -> dict[int, FieldDescriptor]:
        """The fields by their numbers."""
        return {field.number: field for field in self.fields}

    @property
    def fields_by_camelcase_name(self) -> dict[str, FieldDescriptor]:
        """The fields by their names in JSON."""
        return {field.camelcase_name: field for field in self.fields}

    @property
    def oneofs_by_name(self) -> dict[str, OneofDescriptor]:
        """The groups of fields of which at most one is set, by their names."""
        return {oneof.name: oneof for oneof in self.oneofs}

    def GetOptions(self) -> Any:
        """Whether messages of this class are the entries of a map."""
        return SimpleNamespace(map_entry=self.has_options)

    def oneof(self, name: str | None, field: FieldDescriptor) -> OneofDescriptor | None:
        """The group of that name, with one more field."""
        if name is None:
            return None
        oneof = self.oneofs_by_name.get(name)
        if oneof is None:
            oneof = OneofDescriptor(self, name, len(self.oneofs))
            self.oneofs.append(oneof)
        oneof.fields.append(field)
        return oneof


class OneofDescriptor:
    """Fields of which at most one is set."""

    has_options = False

    def __init__(self, containing_type: Descriptor, name: str, index: int) -> None:
        self.name = name
        self.full_name = f"{containing_type.full_name}.{name}"
        self.index = index
        self.containing_type = containing_type
        self.fields: list[FieldDescriptor] = []


class EnumDescriptor:
    """The names of the numbers that a field may hold."""

    is_closed = False

    def __init__(self, full_name: str, names: dict[int, str]) -> None:
        self.name = full_name.rpartition(".")[2]
        self.full_name = full_name
        self.values = [
            SimpleNamespace(name=name, number=number, index=index, has_options=False)
            for index, (number, name) in enumerate(names.items())
        ]
        self.values_by_number = {value.number: value for value in self.values}
        self.values_by_name = {value.name: value for value in self.values}


class FieldDescriptor:
    """The name and number of a field, and what it holds."""

    is_extension = False
    is_required = False
    has_default_value = False
    has_options = False
    extension_scope = None

    def __init__(self, containing_type: Descriptor, index: int, name: str, field: Any) -> None:
        self._field = field
        self.index = index
        self.name = name
        self.full_name = f"{containing_type.full_name}.{name}"
        self.number: int = field.number
        self.containing_type = containing_type
        self.containing_oneof = containing_type.oneof(field.oneof, self)
        head, *rest = name.split("_")
        self.json_name = self.camelcase_name = head + "".join([word.capitalize() for word in rest])
        self.enum_type = (
            None if field.names is None else EnumDescriptor(self.full_name, field.names)
        )
        scalar = isinstance(field.kind, str)
        self.type, self.cpp_type = (
            MESSAGE if not scalar else TYPES[field.kind] if self.enum_type is None else ENUM
        )
        self.is_repeated = field.holds != "one"
        self.is_packed = self.is_repeated and scalar and field.kind not in ("string", "bytes")
        self.has_presence = not self.is_repeated and (not scalar or field.oneof is not None)
        self.default_value: Any = [] if self.is_repeated else field.default()

    @property
    def file(self) -> Any:
        """The file of the message."""
        return self.containing_type.file

    @property
    def message_type(self) -> Descriptor | None:
        """The class of messages in the field; for a map, the class of its entries."""
        kind = self._field.message_class(self.containing_type.full_name, self.name)
        return None if kind is None else kind.DESCRIPTOR

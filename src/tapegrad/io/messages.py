"""Protocol buffers as Python objects: `Message`, and the lists and maps in its fields.

They have the attributes and methods that programs use of Google's package `protobuf`: fields are read by
name, lists and maps in them are changed in place, a message in a message is there once it is changed.
"""

from __future__ import annotations

import functools
import operator
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, MutableMapping, MutableSequence
from typing import Any, ClassVar, NamedTuple, NoReturn, Self

import numpy as np

from tapegrad.io import wire
from tapegrad.io.descriptors import Descriptor
from tapegrad.io.wire import DecodeError


class Kind(NamedTuple):
    """How values of one type are checked, written and read. ``wire`` is the kind of their fields."""

    wire: int
    check: Callable[[Any, str], Any]
    encode: Callable[[Any], bytes]
    decode: Callable[[Any], Any]
    default: Any
    show: Callable[[Any], str]


def whole(least: int, most: int) -> Callable[[Any, str], int]:
    """A check of integers between two limits."""

    def check(value: Any, name: str) -> int:
        if isinstance(value, bool):
            raise TypeError(f"Field {name}: Expected an int, got a boolean.")
        number = operator.index(value)
        if not least <= number <= most:
            raise ValueError(f"Value out of range: {number}")
        return number

    return check


def real(value: Any, name: str) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"must be real number, not {type(value).__name__}")
    return float(value)


def single(value: Any, name: str) -> float:
    """A number as float32 holds it; too large ones become infinite."""
    with np.errstate(over="ignore"):
        return float(np.float32(real(value, name)))


def octets(value: Any, name: str) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError(f"expected bytes, {type(value).__name__} found")
    return bytes(value)


def text(value: Any, name: str) -> str:
    if not isinstance(value, (str, bytes)):
        raise TypeError("bad argument type for built-in operation")
    return value.decode() if isinstance(value, bytes) else value


def truth(value: Any, name: str) -> bool:
    return bool(operator.index(value))


def decode_text(data: Any) -> str:
    try:
        return bytes(data).decode()
    except UnicodeDecodeError:
        wire.refuse_bytes("a string is not UTF-8")


ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}


def quoted(data: bytes | str) -> str:
    """A string as messages are printed: in ASCII, other bytes by their octal numbers."""
    data = data.encode() if isinstance(data, str) else data
    inside = "".join(
        ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in data
    )
    return f'"{inside}"'


def shortest(digits: int, more: int, back: Callable[[float], float]) -> Callable[[float], str]:
    """Floating-point numbers as text: with ``digits``, or with ``more`` if those are needed to be exact."""

    def show(value: float) -> str:
        few = f"{value:.{digits}g}"
        return few if value != value or back(float(few)) == value else f"{value:.{more}g}"

    return show


def as_single(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def of_struct(form: str) -> tuple[Callable[[Any], bytes], Callable[[Any], Any]]:
    return struct.Struct(form).pack, lambda data: wire.fixed(form, data)


def zigzag(value: int) -> bytes:
    """A signed integer, where numbers near zero are short whatever their sign."""
    return wire.varint(value << 1 ^ value >> 63)


def from_zigzag(value: int) -> int:
    return value >> 1 ^ -(value & 1)


KINDS = {
    "int32": Kind(wire.VARINT, whole(-(2**31), 2**31 - 1), wire.varint, wire.signed, 0, str),
    "int64": Kind(wire.VARINT, whole(-(2**63), 2**63 - 1), wire.varint, wire.signed, 0, str),
    "sint64": Kind(wire.VARINT, whole(-(2**63), 2**63 - 1), zigzag, from_zigzag, 0, str),
    "uint32": Kind(wire.VARINT, whole(0, 2**32 - 1), wire.varint, int, 0, str),
    "uint64": Kind(wire.VARINT, whole(0, 2**64 - 1), wire.varint, int, 0, str),
    "bool": Kind(wire.VARINT, truth, wire.varint, bool, False, lambda value: str(value).lower()),
    "float": Kind(wire.FIXED32, single, *of_struct("<f"), 0.0, shortest(6, 9, as_single)),
    "double": Kind(wire.FIXED64, real, *of_struct("<d"), 0.0, shortest(15, 17, float)),
    "bytes": Kind(wire.BYTES, octets, bytes, bytes, b"", quoted),
    "string": Kind(wire.BYTES, text, str.encode, decode_text, "", quoted),
}
NUMPY = {"float": "<f4", "double": "<f8"}


class Field(NamedTuple):
    """One field of a message: its number, and what it holds.

    ``kind`` is a name in KINDS, or the class of a message. ``holds`` is "one", "list", or "map" (from strings
    to messages). Of the fields with the same ``oneof`` at most one is set. ``names`` are those of the
    numbers of an enumeration.
    """

    number: int
    kind: Any
    holds: str = "one"
    oneof: str | None = None
    names: dict[int, str] | None = None

    def default(self) -> Any:
        """The value of a field that is not there; None if it holds messages."""
        return KINDS[self.kind].default if isinstance(self.kind, str) else None

    def message_class(self, full_name: str, name: str) -> type[Message] | None:
        """The class of messages in a field of that message; for a map, the class of its entries."""
        if isinstance(self.kind, str):
            return None
        return entry_class(self.kind, full_name, name) if self.holds == "map" else self.kind


_descriptor = functools.cache(Descriptor)


@functools.cache
def _by_number(cls: Any) -> dict[int, tuple[str, Field]]:
    """The fields of a class of messages, with their names, by number."""
    return {field.number: (name, field) for name, field in cls.FIELDS.items()}


def add_fields(cls: type[Message], schema: str) -> None:
    """Add fields to the schema of a class whose messages hold messages of classes that come after it."""
    more = fields_of(schema, vars(sys.modules[cls.__module__]))
    fields = sorted({**cls.FIELDS, **more}.items(), key=lambda item: item[1].number)
    cls.FIELDS = dict(fields)


def fields_of(schema: str, words: dict[str, Any]) -> dict[str, Field]:
    """The fields that ``schema`` lists in the language of protocol buffers.

    Args:
        schema: such as ``"string name = 1; repeated Node node = 2; oneof kind { bool b = 3; }"``.
        words: What stands for a type, beside KINDS: classes of messages, also those that begin with "_", and
            the names of the numbers of an enumeration.
    """
    fields: dict[str, Field] = {}
    oneof: Any = None
    for statement in schema.replace("{", ";").replace("}", "; end;").split(";"):
        holds = "one"
        match statement.split():
            case []:
                continue
            case ["oneof", oneof]:
                continue
            case ["end"]:
                oneof = None
                continue
            case ["repeated", type_, name, "=", number]:
                holds = "list"
            case ["map<string,", type_, name, "=", number]:
                holds, type_ = "map", type_.rstrip(">")
            case [type_, name, "=", number]:
                pass
            case _:
                raise ValueError(f"this is no field of a message: {statement}")
        kind: Any = type_ if type_ in KINDS else words.get(type_) or words[f"_{type_}"]
        names = kind if isinstance(kind, dict) else None
        fields[name] = Field(int(number), kind if names is None else "int32", holds, oneof, names)
    return fields


class MessageType(type):
    """Makes classes of messages, whose text SCHEMA lists their fields."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> MessageType:
        namespace.setdefault("__slots__", ())
        if "SCHEMA" in namespace:
            namespace.setdefault("FULL_NAME", f"tensorflow.{name.lstrip('_')}")
            words = {**vars(sys.modules[namespace["__module__"]]), **namespace}
            namespace["FIELDS"] = fields_of(namespace["SCHEMA"], words)
        return super().__new__(cls, name, bases, namespace)


class OfClass:
    """The descriptor of a class, for the class and for its messages."""

    def __get__(self, message: Message | None, kind: type[Message]) -> Descriptor:
        named: Any = kind  # messages have no hash, and classes have one
        return _descriptor(named)


class Message(metaclass=MessageType):
    """The base class of messages. A class lists its fields in SCHEMA, see `fields_of`."""

    SCHEMA: ClassVar[str]
    FIELDS: ClassVar[dict[str, Field]] = {}
    FULL_NAME: ClassVar[str] = ""
    MAP_ENTRY: ClassVar[bool] = False
    DESCRIPTOR = OfClass()
    __slots__ = ("_name", "_parent", "_unknown", "_values")
    __hash__ = None  # type: ignore[assignment]

    _values: dict[str, Any]
    _parent: Message | None
    _name: str
    _unknown: bytes

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args:
            raise TypeError("No positional arguments allowed")
        self._clear()
        object.__setattr__(self, "_parent", None)
        object.__setattr__(self, "_name", "")
        for name, value in kwargs.items():
            field = self._field(name)
            if value is None:
                continue
            if field.holds == "list":
                getattr(self, name).extend(value)
            elif field.holds == "map":
                for key, message in dict(value).items():
                    getattr(self, name)[key].CopyFrom(message)
            elif isinstance(field.kind, str):
                setattr(self, name, value)
            else:
                self._place(name, field.kind._made(value))

    def _clear(self) -> None:
        object.__setattr__(self, "_values", {})
        object.__setattr__(self, "_unknown", b"")

    def _place(self, name: str, value: Message) -> None:
        """Put a message that no other object holds into the field ``name``."""
        object.__setattr__(value, "_parent", self)
        object.__setattr__(value, "_name", name)
        self._values[name] = value
        self._changed(name)

    @classmethod
    def _made(cls, value: Any) -> Message:
        """A message of this class with the contents of ``value``, a message or a dict of fields."""
        if isinstance(value, dict):
            return cls(**value)
        if not cls._is_like(value):
            raise TypeError(
                "Parameter to initialize message field must be dict or instance of same class: "
                f"expected {cls} got {type(value)}."
            )
        return cls.FromString(value.SerializeToString())

    @classmethod
    def _is_like(cls, value: Any) -> bool:
        """Whether ``value`` is a message of this class, or of another class of its name with the same fields.

        Other packages have their own classes for the same messages, made by Google's compiler.
        """
        if type(value) is cls:
            return True
        theirs: Any = getattr(value, "DESCRIPTOR", None)
        if (
            not hasattr(value, "SerializeToString")
            or getattr(theirs, "name", "") != cls.DESCRIPTOR.name
        ):
            return False
        return all(
            name not in theirs.fields_by_name or theirs.fields_by_name[name].number == field.number
            for name, field in cls.FIELDS.items()
        )

    def _field(self, name: str) -> Field:
        field = self.FIELDS.get(name)
        if field is None:
            raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        return field

    def _changed(self, name: str) -> None:
        """The field ``name`` is there now: others of its oneof are not, and this message is in its parent."""
        oneof = self.FIELDS[name].oneof
        if oneof is not None:
            for other, field in self.FIELDS.items():
                if field.oneof == oneof and other != name:
                    self._values.pop(other, None)
        self.SetInParent()

    def SetInParent(self) -> None:
        """Make this message, which may be empty, a part of the one that it was read from."""
        parent = self._parent
        if parent is not None and parent._values.get(self._name) is not self:
            parent._values[self._name] = self
            parent._changed(self._name)

    def __getattr__(self, name: str) -> Any:
        field = self.FIELDS.get(name)
        if field is None:
            raise AttributeError(name)
        value = self._values.get(name)
        if value is not None:
            return value
        if field.holds == "list":
            value = self._values[name] = Repeated(self, name, field)
        elif field.holds == "map":
            value = self._values[name] = MessageMap(self, name, field.kind)
        elif isinstance(field.kind, str):
            return KINDS[field.kind].default
        else:
            value = field.kind()
            object.__setattr__(value, "_parent", self)
            object.__setattr__(value, "_name", name)
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        field = self.FIELDS.get(name)
        what = type(self).__name__
        if field is None:
            raise AttributeError(f'Protocol message {what} has no "{name}" field.')
        if field.holds != "one":
            raise AttributeError(
                f'Assignment not allowed to map, or repeated field "{name}" in protocol message object.'
            )
        if not isinstance(field.kind, str):
            raise AttributeError(
                f'Assignment not allowed to message field "{name}" in protocol message object.'
            )
        checked = KINDS[field.kind].check(value, f"{self.FULL_NAME}.{name}")
        if field.oneof is None and checked == KINDS[field.kind].default:
            self._values.pop(name, None)
        else:
            self._values[name] = checked
        self._changed(name)

    def _present(self) -> Iterator[tuple[str, Field, Any]]:
        """Name, definition and value of the fields that are there, in the order of their numbers."""
        for name, field in self.FIELDS.items():
            value = self._values.get(name)
            if value is not None and (field.holds == "one" or len(value)):
                yield name, field, value

    def ListFields(self) -> list[tuple[Any, Any]]:
        """The fields that are there, each with its value. A field is a `descriptors.FieldDescriptor`."""
        described = self.DESCRIPTOR.fields_by_name
        return [(described[name], value) for name, _, value in self._present()]

    def HasField(self, field_name: str) -> bool:
        """Whether a field that holds one value is there."""
        field = self._field(field_name)
        if field.holds != "one" or (isinstance(field.kind, str) and field.oneof is None):
            raise ValueError(f"Field {self.FULL_NAME}.{field_name} does not have presence.")
        return field_name in self._values

    def WhichOneof(self, oneof_group: str) -> str | None:
        """The name of the field of the group that is there."""
        names = [name for name, field in self.FIELDS.items() if field.oneof == oneof_group]
        if not names:
            self._field(oneof_group)
        return next((name for name in names if name in self._values), None)

    def ClearField(self, field_name: str) -> None:
        """Remove a field."""
        self._field(field_name)
        self._values.pop(field_name, None)
        self.SetInParent()

    def Clear(self) -> None:
        """Remove all fields."""
        self._clear()
        self.SetInParent()

    def IsInitialized(self) -> bool:
        """True: no field is required."""
        return True

    def CopyFrom(self, other: Any) -> None:
        """Become like ``other``, a message of the same class or the same fields."""
        if other is self:
            return
        self._check_class(other, "CopyFrom")
        self._clear()
        self.MergeFrom(other)

    def _check_class(self, other: Any, method: str) -> None:
        if not self._is_like(other):
            raise TypeError(
                f"Parameter to {method}() must be instance of same class: expected {type(self)} "
                f"got {type(other)}."
            )

    def MergeFrom(self, other: Any) -> None:
        """Take over the fields of ``other``: lists grow, maps get its keys, messages merge."""
        self._check_class(other, "MergeFrom")
        self.MergeFromString(other.SerializeToString())
        self.SetInParent()

    def ByteSize(self) -> int:
        """The length of what `SerializeToString` returns."""
        return len(self.SerializeToString())

    def SerializeToString(self, **kwargs: Any) -> bytes:
        """The message in the encoding of protocol buffers; the keys of maps are sorted."""
        unexpected = set(kwargs) - {"deterministic"}
        if unexpected:
            raise TypeError(f"SerializeToString() got unexpected arguments: {sorted(unexpected)}")
        parts = [encode_field(field, value) for _, field, value in self._present()]
        return b"".join([*parts, self._unknown])

    SerializePartialToString = SerializeToString

    def ParseFromString(self, serialized: Any) -> int:
        """Become the message that the bytes encode; returns their number.

        Raises:
            DecodeError: they encode no such message.
        """
        self._clear()
        return self.MergeFromString(serialized)

    def MergeFromString(self, serialized: Any) -> int:
        """Take over the fields that the bytes encode; returns their number."""
        if not isinstance(serialized, (bytes, bytearray, memoryview)):
            raise TypeError(f"expected bytes, {type(serialized).__name__} found")
        try:
            self._merge(memoryview(serialized))
        except DecodeError as error:
            raise DecodeError(
                f"Error parsing message with type '{self.FULL_NAME}': {error}"
            ) from None
        self.SetInParent()
        return len(serialized)

    def _merge(self, data: memoryview) -> None:
        by_number = _by_number(type(self))
        for number, kind, value in wire.fields(data):
            if number in by_number:
                name, field = by_number[number]
                if self._merge_field(name, field, kind, value):
                    continue
            key = wire.varint(number << 3 | kind)
            content = (
                wire.varint(value)
                if kind == wire.VARINT
                else (wire.varint(len(value)) if kind == wire.BYTES else b"") + bytes(value)
            )
            object.__setattr__(self, "_unknown", self._unknown + key + content)

    def _merge_field(self, name: str, field: Field, kind: int, value: Any) -> bool:
        """Take over one field; False if its content is not of the kind that the field has."""
        if not isinstance(field.kind, str):
            if kind != wire.BYTES:
                return False
            if field.holds == "map":
                getattr(self, name)._merge(value)
            elif field.holds == "list":
                getattr(self, name).add()._merge(value)
            else:
                inside = getattr(self, name)
                inside._merge(value)
                inside.SetInParent()
            return True
        codec = KINDS[field.kind]
        if field.holds == "list" and kind == wire.BYTES != codec.wire:
            values = getattr(self, name)._items
            if codec.wire == wire.VARINT:
                numbers = wire.unpacked_varints(value).tolist() if len(value) else []
                values.extend(
                    numbers
                    if codec.decode is wire.signed
                    else [codec.decode(number & wire.MASK) for number in numbers]
                )
            else:
                if len(value) % (8 if codec.wire == wire.FIXED64 else 4):
                    wire.refuse_bytes("a list of numbers is cut short")
                values.extend(np.frombuffer(value, NUMPY[field.kind]).tolist())
        elif kind != codec.wire:
            return False
        elif field.holds == "list":
            getattr(self, name)._items.append(codec.decode(value))
        else:
            self._values[name] = codec.decode(value)
        self._changed(name)
        return True

    @classmethod
    def FromString(cls, s: Any) -> Self:
        """The message that the bytes encode."""
        message = cls()
        message.ParseFromString(s)
        return message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).FromString, (self.SerializeToString(),)

    def __deepcopy__(self, memo: Any) -> Message:
        return self.FromString(self.SerializeToString())

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self.SerializeToString() == other.SerializeToString()

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.FIELDS})

    def __str__(self) -> str:
        return "".join([f"{line}\n" for line in self._lines()])

    __repr__ = __str__

    def _lines(self) -> Iterator[str]:
        for name, field, value in self._present():
            if field.holds == "map":
                for key in sorted(value):
                    yield f"{name} {{"
                    yield f"  key: {quoted(key)}"
                    yield "  value {"
                    yield from [f"    {line}" for line in value[key]._lines()]
                    yield "  }"
                    yield "}"
                continue
            for item in value if field.holds == "list" else [value]:
                if isinstance(field.kind, str):
                    names = field.names or {}
                    yield f"{name}: {names.get(item) or KINDS[field.kind].show(item)}"
                else:
                    yield f"{name} {{"
                    yield from [f"  {line}" for line in item._lines()]
                    yield "}"


@functools.cache
def entry_class(kind: Any, full_name: str, name: str) -> type[Message]:
    """The class of the entries of a map, each of which is a message with a key and a value."""
    called = "".join([word.capitalize() for word in name.split("_")]) + "Entry"
    fields = {"key": Field(1, "string"), "value": Field(2, kind)}
    inside = {"FIELDS": fields, "FULL_NAME": f"{full_name}.{called}", "MAP_ENTRY": True}
    return MessageType(called, (Message,), inside)  # type: ignore[return-value]


def encode_field(field: Field, value: Any) -> bytes:
    """A field with all its values."""
    number = field.number
    if field.holds == "map":
        return b"".join(
            [
                wire.tagged(
                    number,
                    wire.tagged(1, key.encode()) + wire.tagged(2, value[key].SerializeToString()),
                )
                for key in sorted(value)
            ]
        )
    if not isinstance(field.kind, str):
        messages = value if field.holds == "list" else [value]
        return b"".join([wire.tagged(number, message.SerializeToString()) for message in messages])
    codec = KINDS[field.kind]
    if codec.wire == wire.BYTES:
        values = value if field.holds == "list" else [value]
        return b"".join([wire.tagged(number, codec.encode(item)) for item in values])
    if field.holds == "one":
        return wire.varint(number << 3 | codec.wire) + codec.encode(value)
    if field.kind in NUMPY:
        with np.errstate(over="ignore"):
            return wire.tagged(number, np.array(value._items, NUMPY[field.kind]).tobytes())
    return wire.tagged(number, wire.packed_varints(value))


class _OfField:
    """Values of a field, which belong to a message and tell it when they change."""

    __slots__ = ()
    _owner: Message
    _name: str

    def _changed(self) -> None:
        self._owner._values[self._name] = self
        self._owner._changed(self._name)


class Repeated(_OfField, MutableSequence[Any]):
    """The values of a field that holds a list."""

    __slots__ = ("_field", "_items", "_name", "_owner")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, owner: Message, name: str, field: Field) -> None:
        self._owner = owner
        self._name = name
        self._field = field
        self._items: list[Any] = []

    def _checked(self, value: Any) -> Any:
        kind = self._field.kind
        if isinstance(kind, str):
            return KINDS[kind].check(value, f"{self._owner.FULL_NAME}.{self._name}")
        return kind._made(value)

    def __getitem__(self, index: Any) -> Any:
        return self._items[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        if not isinstance(self._field.kind, str):
            raise TypeError("The messages of a list are changed in place, not assigned.")
        many = isinstance(index, slice)
        self._items[index] = (
            [self._checked(item) for item in value] if many else self._checked(value)
        )
        self._changed()

    def __delitem__(self, index: Any) -> None:
        del self._items[index]
        self._changed()

    def __len__(self) -> int:
        return len(self._items)

    def insert(self, index: int, value: Any) -> None:
        """Put a value before the one at ``index``."""
        self._items.insert(index, self._checked(value))
        self._changed()

    def extend(self, values: Iterable[Any] | None) -> None:
        """Add values to the end: all of them, or none if one is refused."""
        if values is None:
            return
        try:
            items = iter(values)
        except TypeError:
            raise TypeError("must assign iterable") from None
        self._items.extend([self._checked(value) for value in items])
        self._changed()

    def MergeFrom(self, other: Iterable[Any]) -> None:
        """Add the values of another list to the end."""
        self.extend(other)

    def add(self, **kwargs: Any) -> Message:
        """A new message at the end of the list."""
        message: Message = self._field.kind(**kwargs)
        self._items.append(message)
        self._changed()
        return message

    def sort(self, **kwargs: Any) -> None:
        """Put the values in order."""
        self._items.sort(**kwargs)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Repeated):
            return self._items == other._items
        return self._items == other if isinstance(other, list) else NotImplemented

    def __deepcopy__(self, memo: Any) -> list[Any]:
        return [*self._items]

    def __repr__(self) -> str:
        return repr(self._items)


class MessageMap(_OfField, MutableMapping[str, Any]):
    """The values of a field that holds a map from strings to messages. Reading a key makes its message."""

    __slots__ = ("_items", "_kind", "_name", "_owner")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, owner: Message, name: str, kind: type[Message]) -> None:
        self._owner = owner
        self._name = name
        self._kind = kind
        self._items: dict[str, Message] = {}

    def _merge(self, data: memoryview) -> None:
        """Take over one entry of the encoded map."""
        key, message = "", self._kind()
        for number, kind, value in wire.fields(data):
            if kind != wire.BYTES:
                wire.refuse_bytes("an entry of a map is no pair")
            if number == 1:
                key = decode_text(value)
            elif number == 2:
                message._merge(value)
        self._items[key] = message
        self._changed()

    def __getitem__(self, key: Any) -> Any:
        key = text(key, self._name)
        if key not in self._items:
            self._items[key] = self._kind()
            self._changed()
        return self._items[key]

    get_or_create = __getitem__

    def get(self, key: Any, default: Any = None) -> Any:
        """The message of a key, or ``default``."""
        return self._items.get(text(key, self._name), default)

    def __setitem__(self, key: Any, value: Any) -> NoReturn:
        raise ValueError(
            "Message objects may not be assigned: use CopyFrom of the one that is there."
        )

    def __delitem__(self, key: Any) -> None:
        if key not in self._items:
            raise KeyError("Key not present in map")
        del self._items[key]

    def pop(self, key: Any, *default: Any) -> Any:
        """Remove a key, and return its message."""
        return self._items.pop(key, *default)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def GetEntryClass(self) -> type[Message]:
        """The class of messages with a key and a value, as which entries are written."""
        kind: Any = self._kind
        return entry_class(kind, self._owner.FULL_NAME, self._name)

    def MergeFrom(self, other: MessageMap) -> None:
        """Take over the entries of another map."""
        for key, value in other.items():
            self[key].CopyFrom(value)

    def __repr__(self) -> str:
        return repr(self._items)

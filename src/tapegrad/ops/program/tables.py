"""The ops of look-up tables, and `Entries`, what a table holds. `tapegrad.tables` has the tables themselves.

Each op has its table as the attribute ``table``, and its effect says whether it reads or writes it.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.dtypes import DType
from tapegrad.errors import refuse
from tapegrad.framework.handle import Handle
from tapegrad.ops.args import static_dtype
from tapegrad.ops.op import ANY, INDEX, STRING, op
from tapegrad.ops.shape_rules import Abstract

KEYS = INDEX | STRING


class Entries:
    """Keys and their values, all keys of one shape and dtype, and all values too."""

    def __init__(
        self,
        key_dtype: DType,
        value_dtype: DType,
        key_shape: tuple[int, ...] = (),
        value_shape: tuple[int, ...] = (),
    ) -> None:
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype
        self.key_shape = key_shape
        self.value_shape = value_shape
        self.values: dict[Any, Any] = {}
        """Key -> value, as Python's numbers, bytes, or tuples and lists of them."""
        self.ready = True
        self.reserved: dict[Any, str] = {}
        """Reserved keys, which no entry may have, and their meanings."""
        _living.add(self)


_living: weakref.WeakSet[Entries] = weakref.WeakSet()


@contextmanager
def keeping_tables() -> Iterator[None]:
    """All tables have afterwards the entries that they had before: a function runs on stand-ins."""
    before = [(entries, dict(entries.values), entries.ready) for entries in list(_living)]
    try:
        yield
    finally:
        for entries, values, ready in before:
            entries.values, entries.ready = values, ready


def entries_of(table: Any) -> Entries:
    """The entries of a table, or of the table of a handle. A recorded call has them already."""
    if isinstance(table, Entries):
        return table
    entries = getattr(table.variable if isinstance(table, Handle) else table, "_entries", None)
    if not isinstance(entries, Entries):
        refuse(f"A look-up table was expected, or its resource_handle; {table!r} came.")
    return entries


TABLE = {"table": entries_of}


@op(
    "LookupTableFindV2",
    dtypes={"keys": KEYS, "default_value": ANY},
    convert=TABLE,
    raw=("keys", "default_value", "table_handle"),
    effect="reads table",
)
def find(xp, keys, default_value, *, table):
    """The value of each key, or the default. There is one default for all keys, or one for each."""
    if not table.ready:
        refuse("Table not initialized.", error=errors.FailedPreconditionError)
    shape = shape_of_keys(table, keys.shape)
    wanted = keys_in(table, keys)
    defaults = np.broadcast_to(
        default_of_each(table, default_value, shape), shape + table.value_shape
    )
    values = [
        table.values.get(key, default)
        for key, default in zip(wanted, flat(defaults, table.value_shape), strict=True)
    ]
    return array_of(values, table.value_dtype, shape + table.value_shape)


find.shape(
    lambda keys, table: Abstract(
        (*shape_of_keys(table, keys.shape), *table.value_shape), table.value_dtype
    )
)
find.no_gradient()


@op(
    "LookupTableInsertV2",
    dtypes={"keys": KEYS, "values": ANY},
    outputs=(),
    convert=TABLE,
    raw=("keys", "values", "table_handle"),
    effect="writes table",
)
def insert(xp, keys, values, *, table):
    """Give each key its value. The last value counts if a key comes twice."""
    table.values.update(pairs(table, keys, values))
    return ()


insert.no_gradient()


@op(
    "LookupTableImportV2",
    dtypes={"keys": KEYS, "values": ANY},
    outputs=(),
    convert=TABLE,
    raw=("keys", "values", "table_handle"),
    effect="writes table",
)
def fill(xp, keys, values, *, table):
    """Make these the entries of a table that has none yet. A key may come twice only with the same value."""
    if table.ready:
        return ()
    if not keys.size:
        refuse("keys and values cannot be empty tensors.")
    new: dict[Any, Any] = {}
    for key, value in pairs(table, keys, values):
        if key in new and new[key] != value:
            refuse(
                f"HashTable has different value for same key. Key {shown(key)} has "
                f"{shown(new[key])} and trying to add value {shown(value)}",
                error=errors.FailedPreconditionError,
            )
        new[key] = value
    table.values = new
    table.ready = True
    return ()


fill.no_gradient()


@op(
    "LookupTableRemoveV2",
    dtypes={"keys": KEYS},
    outputs=(),
    convert=TABLE,
    raw=("keys", "table_handle"),
    effect="writes table",
)
def remove(xp, keys, *, table):
    """Take the keys out of the table. Keys that it lacks are ignored."""
    shape_of_keys(table, keys.shape)
    for key in keys_in(table, keys):
        table.values.pop(key, None)
    return ()


remove.no_gradient()


@op("LookupTableSizeV2", convert=TABLE, raw=("table_handle",), effect="reads table")
def size(xp, *, table):
    """The number of entries, as int64."""
    return np.array(len(table.values), np.int64)


size.shape(lambda: Abstract((), dtypes.int64))
size.no_gradient()


@op(
    "LookupTableExportV2",
    convert={**TABLE, "key_dtype": static_dtype, "value_dtype": static_dtype},
    outputs=("keys", "values"),
    raw=("table_handle", "Tkeys", "Tvalues"),
    effect="reads table",
)
def export(xp, *, table, key_dtype, value_dtype):
    """All keys, and all values, in the order in which the keys came. The dtypes must be the table's."""
    if not table.ready:
        refuse("HashTable is not initialized.", error=errors.AbortedError)
    if (key_dtype, value_dtype) != (table.key_dtype, table.value_dtype):
        refuse(
            f"Conflicting key/value dtypes {key_dtype.name}->{value_dtype.name} with "
            f"{table.key_dtype.name}-{table.value_dtype.name}"
        )
    count = len(table.values)
    return (
        array_of([*table.values], key_dtype, (count, *table.key_shape)),
        array_of([*table.values.values()], value_dtype, (count, *table.value_shape)),
    )


export.shape(
    lambda table, key_dtype, value_dtype: [
        Abstract((None, *table.key_shape), key_dtype),
        Abstract((None, *table.value_shape), value_dtype),
    ]
)
export.no_gradient()


def shape_of_keys(table: Entries, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape in which the keys come, without the axes of a single key."""
    rank = len(table.key_shape)
    outer, inner = shape[: len(shape) - rank], shape[len(shape) - rank :]
    if len(shape) < rank or inner != table.key_shape:
        refuse(f"Expected key shape {list(table.key_shape)} got {list(shape)}")
    return outer


def keys_in(table: Entries, keys: Any) -> list[Any]:
    """The keys in an array, as they stand in a table; those that are reserved are refused."""
    key_list = flat(keys, table.key_shape)
    for key, what in table.reserved.items():
        if key in key_list:
            refuse(f"Using the {what} as a table key is not allowed")
    return key_list


def pairs(table: Entries, keys: Any, values: Any) -> list[tuple[Any, Any]]:
    """Keys and values, as they stand in a table."""
    expected = shape_of_keys(table, keys.shape) + table.value_shape
    if values.shape != expected:
        refuse(f"Expected shape {list(expected)} for value, got {list(values.shape)}")
    value_list = flat(values, table.value_shape)
    return list(zip(keys_in(table, keys), value_list, strict=True))


def default_of_each(table: Entries, default: Any, shape: tuple[int, ...]) -> Any:
    """The default, which has the shape of one value, or of the values of all keys."""
    allowed = (table.value_shape, shape + table.value_shape)
    if default.shape not in allowed:
        refuse(
            f"Expected shape {list(allowed[0])} or {list(allowed[1])} for default value, "
            f"got {list(default.shape)}"
        )
    return default


def flat(array: Any, item: tuple[int, ...]) -> list[Any]:
    """The items of shape ``item`` in an array, as Python's numbers, bytes or tuples."""
    if not item:
        elements: list[Any] = array.reshape(-1).tolist()
        return elements
    return [tuple(row) for row in array.reshape(-1, *item).tolist()]


def array_of(items: list[Any], dtype: DType, shape: tuple[int, ...]) -> Any:
    """The array of ``shape`` with these items."""
    result = np.empty(shape, dtype.numpy_dtype)
    if items:
        result.reshape(len(items), -1)[...] = np.array(items, dtype.numpy_dtype).reshape(
            len(items), -1
        )
    return result


def shown(value: Any) -> str:
    """A key or a value in a message."""
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)

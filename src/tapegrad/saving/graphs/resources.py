"""Nodes that make variables and tables, and fill tables. All other ops on them are raw ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad import dtypes
from tapegrad.core import convert
from tapegrad.errors import FailedPreconditionError, refuse
from tapegrad.framework.handle import Handle
from tapegrad.ops.program import tables as table_ops
from tapegrad.ops.shape.creation import zeros
from tapegrad.saving.files import Damaged
from tapegrad.tables import (
    DenseHashTable,
    KeyValueTensorInitializer,
    MutableHashTable,
    StaticHashTable,
    TextFileInitializer,
)


class Unfilled:
    """The initializer of a table that another node of the model fills."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self.key_dtype = key_dtype
        self.value_dtype = value_dtype

    def initialize(self, table: Any) -> None:
        """Leave the table as it is."""


def _dtypes(node: Any) -> tuple[Any, Any]:
    pair = node.attributes.get("key_dtype"), node.attributes.get("value_dtype")
    if not all(isinstance(dtype, dtypes.DType) for dtype in pair):
        raise Damaged(f"{node.where} has no dtypes of keys and values")
    return pair


def _default(dtype: Any, shape: Any = None) -> Any:
    """The default of a table. Each look-up in a model brings its own, so it is never used."""
    sizes = [] if shape is None else shape.as_list()
    if dtype is dtypes.string:
        return convert("")
    return zeros(sizes, dtype)


def _keep(frame: Any, node: Any, make: Any) -> Any:
    """The handle of the table that ``make`` gives. In a graph of TensorFlow 1, a node has one table."""
    shared = frame.function.library.shared
    if node.name in shared:
        return shared[node.name]
    handle = make().resource_handle
    if frame.function.lasts:
        shared[node.name] = handle
    return handle


def static_table(frame: Any, node: Any) -> Any:
    """A table that is filled once."""
    keys, values = _dtypes(node)
    return _keep(frame, node, lambda: StaticHashTable(Unfilled(keys, values), _default(values)))


def mutable_table(frame: Any, node: Any) -> Any:
    """A table that changes."""
    keys, values = _dtypes(node)
    shape = node.attributes.get("value_shape")
    return _keep(frame, node, lambda: MutableHashTable(keys, values, _default(values, shape)))


def dense_table(frame: Any, node: Any, empty_key: Any, deleted_key: Any) -> Any:
    """A table that changes, with two reserved keys."""
    keys, values = _dtypes(node)
    shape = node.attributes.get("value_shape")
    return _keep(
        frame,
        node,
        lambda: DenseHashTable(
            keys, values, _default(values, shape), empty_key, deleted_key,
            node.attributes.get("initial_num_buckets"),
        ),
    )  # fmt: skip


def _table(node: Any, handle: Any) -> Any:
    table = table_of(handle)
    if table is None:
        refuse(f"{node.where} takes a look-up table; {handle!r} came.")
    return table


def initialize(frame: Any, node: Any, handle: Any, keys: Any, values: Any) -> tuple[()]:
    """Fill a table with keys and values."""
    table = _table(node, handle)
    KeyValueTensorInitializer(keys, values).initialize(table)
    return ()


def initialize_from_file(frame: Any, node: Any, handle: Any, filename: Any) -> tuple[()]:
    """Fill a table with the lines of a file."""
    table = _table(node, handle)
    attributes = node.attributes
    if not table._entries.ready:
        size = attributes.get("vocab_size", -1)
        initializer = TextFileInitializer(
            filename, table.key_dtype, attributes.get("key_index"), table.value_dtype,
            attributes.get("value_index"), None if size == -1 else size,
            attributes.get("delimiter", "\t"), value_index_offset=attributes.get("offset", 0),
        )  # fmt: skip
        initializer.initialize(table)
    return ()


def variable(frame: Any, node: Any) -> Any:
    """The variable of a graph of TensorFlow 1. Those of objects are captured."""
    handle = frame.function.library.shared.get(node.name)
    if handle is None:
        refuse(
            f"The model has no value for the variable {node.where}.", error=FailedPreconditionError
        )
    return handle


def read_if_old(frame: Any, node: Any) -> Any:
    """The value of a variable of TensorFlow 1, which is a tensor by itself."""
    return variable(frame, node).variable.value()


def table_of(value: Any) -> Any:
    """The table of a handle; None if it is another resource."""
    table = value.variable if isinstance(value, Handle) else None
    return table if isinstance(getattr(table, "_entries", None), table_ops.Entries) else None


def fill_mutable(table: Any, keys: Any, values: Any) -> None:
    """Give a table the entries of a checkpoint, where the empty buckets of a dense one have reserved keys."""
    entries = table._entries
    entries.values = {}
    for key, value in zip(
        table_ops.flat(keys, entries.key_shape),
        table_ops.flat(values, entries.value_shape),
        strict=True,
    ):
        if key not in entries.reserved:
            entries.values[key] = value


OPS: dict[str, Callable[..., Any]] = {
    "AnonymousHashTable": static_table,
    "AnonymousMutableDenseHashTable": dense_table,
    "AnonymousMutableHashTable": mutable_table,
    "AnonymousMutableHashTableOfTensors": mutable_table,
    "HashTable": static_table,
    "HashTableV2": static_table,
    "InitializeTable": initialize,
    "InitializeTableFromTextFile": initialize_from_file,
    "InitializeTableFromTextFileV2": initialize_from_file,
    "InitializeTableV2": initialize,
    "MutableDenseHashTable": dense_table,
    "MutableDenseHashTableV2": dense_table,
    "MutableHashTable": mutable_table,
    "MutableHashTableOfTensors": mutable_table,
    "MutableHashTableOfTensorsV2": mutable_table,
    "MutableHashTableV2": mutable_table,
    "VarHandleOp": variable,
    "Variable": read_if_old,
    "VariableV2": read_if_old,
}

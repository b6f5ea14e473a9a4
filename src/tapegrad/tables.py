"""``tf.lookup``: tables from keys to values. `ops.program.tables` has the ops that they are made of."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

from tapegrad import dtypes, errors
from tapegrad.core import Tensor, convert, static_value
from tapegrad.dtypes import DType
from tapegrad.errors import refuse
from tapegrad.framework.bases import TrackableResource
from tapegrad.framework.handle import Handle
from tapegrad.framework.printed import Printed
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.elementwise.logic import not_equal
from tapegrad.ops.elementwise.math import add
from tapegrad.ops.op import type_name
from tapegrad.ops.program import tables
from tapegrad.ops.program.strings import as_string
from tapegrad.ops.program.tables import Entries
from tapegrad.ops.shape.array import broadcast_to, reshape
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import zeros
from tapegrad.ops.shape.joining import concat
from tapegrad.ops.strings.hashes import to_hash_bucket_fast

PUBLIC = {
    "lookup compat.v1.lookup": (
        "KeyValueTensorInitializer StaticHashTable StaticVocabularyTable TextFileIndex "
        "TextFileInitializer"
    ),
    "lookup.experimental compat.v1.lookup.experimental": "DenseHashTable MutableHashTable",
}

# The dtypes of keys and values for which TensorFlow has tables.
_NUMBERS = (dtypes.float32, dtypes.float64, dtypes.int32)
MUTABLE = {
    *((dtypes.int32, value) for value in _NUMBERS),
    *((dtypes.int64, value) for value in (*_NUMBERS, dtypes.int64, dtypes.string)),
    *((dtypes.string, value) for value in (*_NUMBERS, dtypes.int64, dtypes.bool)),
}
STATIC = MUTABLE | {(dtypes.int32, dtypes.string), (dtypes.string, dtypes.string)}
DENSE = (MUTABLE | {(dtypes.int64, dtypes.bool)}) - {(dtypes.int64, dtypes.string)}


MOST_FILLED = 0.8
"""Which part of its buckets a `DenseHashTable` fills before it doubles them."""


class Initializer(Protocol):
    """What fills a table: `KeyValueTensorInitializer` and `TextFileInitializer`."""

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""

    def initialize(self, table: Any) -> None:
        """Fill the table."""


class LookupInterface(TrackableResource):
    """What all tables can do."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    def _printed_state(self) -> str:
        return f"{self._key_dtype.name} to {self._value_dtype.name}"

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    @property
    def name(self) -> None:
        """None: names belong to graphs."""
        return None

    @property
    def resource_handle(self) -> Any:
        """A scalar of dtype ``tf.resource`` that stands for the table."""
        return Handle(self)  # type: ignore[arg-type]  # it asks for a name alone

    lookup: Callable[..., Any]

    def __getitem__(self, keys: Any) -> Any:
        """``table[keys]`` is ``table.lookup(keys)``."""
        return self.lookup(keys)


class _Table(LookupInterface):
    """A table with entries of its own."""

    _entries: Entries
    _default_value: Tensor

    def _hold(self, pairs: set[tuple[DType, DType]], default: Any, *key_shape: int) -> None:
        """Begin without entries. ``pairs`` are the dtypes that such tables may have."""
        if (self._key_dtype, self._value_dtype) not in pairs:
            kinds = sorted(f"{key.name} -> {value.name}" for key, value in pairs)
            refuse(
                f"{type(self).__name__} has no tables {self._key_dtype.name} -> "
                f"{self._value_dtype.name}; it has {', '.join(kinds)}.",
                error=errors.NotFoundError,
            )
        self._default_value = convert(default, self._value_dtype)
        shape = self._default_value._shape_tuple()
        self._entries = Entries(self._key_dtype, self._value_dtype, key_shape, shape)

    def _keys(self, keys: Any) -> Tensor:
        """``keys`` as a tensor. A tensor must have the dtype of the keys already."""
        if not isinstance(keys, Tensor):
            return convert(keys, self._key_dtype)
        self._check_keys(keys)
        return keys

    def _check_keys(self, keys: Any) -> None:
        if keys.dtype != self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}. "
                "Use tf.cast on it."
            )

    def size(self, name: str | None = None) -> Tensor:
        """The number of entries, as int64."""
        count: Tensor = tables.size(table=self)
        return count

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys and all values.

        Differs from TensorFlow: they come in the order in which the keys were inserted.
        """
        keys, values = tables.export(
            table=self, key_dtype=self._key_dtype, value_dtype=self._value_dtype
        )
        return keys, values


def map_composite(function: Callable[[Any], Any], keys: Any) -> Any:
    """``function`` of a tensor, or of the values of a sparse or ragged one, which keeps its places."""
    if hasattr(keys, "with_flat_values"):
        return keys.with_flat_values(function(keys.flat_values))
    if hasattr(keys, "map_values"):
        return keys.map_values(function)
    return function(keys)


# --- Tables that stay as they are -------------------------------------------------------------------------


class KeyValueTensorInitializer(Printed):
    """Fills a table with the given keys and values.

    >>> initializer = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    >>> table = tf.lookup.StaticHashTable(initializer, default_value=-1)
    >>> table.lookup(tf.constant(["b", "z"])).numpy()
    array([ 2, -1], dtype=int32)

    Args:
        keys, values: tensors of one shape, or what becomes a tensor.
        key_dtype, value_dtype: what they are converted to.
    """

    def __init__(
        self,
        keys: Any,
        values: Any,
        key_dtype: Any = None,
        value_dtype: Any = None,
        name: str | None = None,
    ) -> None:
        self._keys = convert(keys, None if key_dtype is None else dtypes.as_dtype(key_dtype))
        self._values = convert(
            values, None if value_dtype is None else dtypes.as_dtype(value_dtype)
        )

    def _printed_state(self) -> str:
        return f"{len(self._keys)} keys"

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._keys.dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._values.dtype

    def initialize(self, table: Any) -> None:
        """Fill ``table``, which a table does that is made with this initializer."""
        check_dtypes(self, table)
        tables.fill(self._keys, self._values, table=table)


class TextFileIndex(Printed):
    """What of a line is a key or a value: the whole line, or its number, which counts from 0."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TextFileInitializer(Printed):
    """Fills a table with a line of a text file for each entry.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "words.txt"
    >>> _ = path.write_text("emerson\\nlake\\npalmer\\n")
    >>> line, number = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
    >>> initializer = tf.lookup.TextFileInitializer(str(path), tf.string, line, tf.int64, number)
    >>> tf.lookup.StaticHashTable(initializer, -1).lookup(tf.constant(["lake", "yes"])).numpy()
    array([ 1, -1])

    Args:
        filename: a path, or a tensor with one.
        key_dtype, value_dtype: the dtypes of keys and values.
        key_index, value_index: the number of the column that has the key or value, or one of
            `tf.lookup.TextFileIndex`.
        vocab_size: the number of lines to read; all if None.
        delimiter: the character between columns.
        value_index_offset: added to the numbers of lines that are values.

    Raises:
        NotFoundError: when the table is made, if there is no such file.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        if not isinstance(filename, Tensor) and not filename:
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        self._filename = getattr(filename, "asset_path", filename)  # of `tf.saved_model.Asset`
        self._key_dtype, self._value_dtype = (
            dtypes.as_dtype(key_dtype),
            dtypes.as_dtype(value_dtype),
        )
        self._columns = (key_index, value_index)
        for what, index, dtype in (
            ("key", key_index, self._key_dtype),
            ("value", value_index, self._value_dtype),
        ):
            check_column(what, index, dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._vocab_size = vocab_size
        self._delimiter = delimiter
        self._offset = value_index_offset

    def _printed_state(self) -> str:
        return repr(self._filename)

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        return self._value_dtype

    def initialize(self, table: Any) -> None:
        """Fill ``table``, which a table does that is made with this initializer."""
        check_dtypes(self, table)
        path, delimiter = path_of(self._filename), self._delimiter.encode()
        if len(delimiter) != 1:
            refuse(f"delimiter should be only 1 char, not {self._delimiter!r}.")
        keys: list[Any] = []
        values: list[Any] = []
        key_index, value_index = self._columns
        needed = max(key_index, value_index) + 1
        for number, line in enumerate(lines_of(path, self._vocab_size)):
            columns = line.split(delimiter) if needed else []
            if len(columns) < needed:
                refuse(
                    f"Invalid number of columns in {path} line {number} ({tables.shown(line)}) : "
                    f"expected at least {needed} got {len(columns)}"
                )
            for index, dtype, offset, column in (
                (key_index, self._key_dtype, 0, keys),
                (value_index, self._value_dtype, self._offset, values),
            ):
                if index == TextFileIndex.LINE_NUMBER:
                    column.append(number + offset)
                else:
                    field = line if index == TextFileIndex.WHOLE_LINE else columns[index]
                    column.append(field_value(field, dtype, number))
        tables.fill(convert(keys, self._key_dtype), convert(values, self._value_dtype), table=table)


def check_dtypes(initializer: Initializer, table: Any) -> None:
    for what in ("key", "value"):
        wanted, came = (getattr(owner, f"{what}_dtype") for owner in (table, initializer))
        if wanted != came:
            raise TypeError(f"Invalid {what} dtype for table, expected {wanted} but got {came}.")


def check_column(what: str, index: int, dtype: DType) -> None:
    """Refuse an index of a column that does not exist, or that does not suit the dtype."""
    if index < TextFileIndex.WHOLE_LINE:
        raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
    if index == TextFileIndex.LINE_NUMBER and dtype is not dtypes.int64:
        raise ValueError(f"`{what}_dtype` must be int64 for `{what}_index` -1, received: {dtype}")
    if index == TextFileIndex.WHOLE_LINE and not (dtype.is_integer or dtype is dtypes.string):
        raise ValueError(
            f"`{what}_dtype` should be either integer or string for `{what}_index` -2, "
            f"received: {dtype}"
        )


def path_of(filename: Any) -> str:
    """The path that ``filename`` is: text, bytes, an object of Python's pathlib, or a tensor of text."""
    if isinstance(filename, Tensor):
        filename = static_value(filename, "array").item()
    return os.fsdecode(filename)


def lines_of(path: str, limit: int | None) -> Iterator[bytes]:
    """The lines of a file without their ends, ``limit`` at most. An empty line or file is refused."""
    position = count = 0
    try:
        with Path(path).open("rb") as file:
            for line in file:
                if count == limit:
                    return
                position += len(line)
                count += 1
                text = line.removesuffix(b"\n").removesuffix(b"\r")
                if not text:
                    refuse(f"Invalid content in {path}: empty line found at position {position}.")
                yield text
    except FileNotFoundError:
        refuse(f"{path}; No such file or directory", error=errors.NotFoundError)
    except IsADirectoryError:
        refuse(f"{path}; Is a directory", error=errors.FailedPreconditionError)
    except PermissionError:
        refuse(f"{path}; Permission denied", error=errors.PermissionDeniedError)
    if not count:
        refuse(f"{path} is empty: a table needs a line at least.", error=errors.OutOfRangeError)
    if limit is not None and count < limit:
        refuse(f"Invalid vocab_size in {path}: expected {limit} but got {count}")


def field_value(field: bytes, dtype: DType, number: int) -> Any:
    """What a field of line ``number`` says, as text or as a number."""
    if dtype is dtypes.string:
        return field
    try:
        value = int(field) if dtype.is_integer else float(field)
        if dtype.is_integer and not dtype.min <= value <= dtype.max:
            raise ValueError
    except ValueError:
        refuse(f"Field {tables.shown(field)} in line {number} is not a valid {type_name(dtype)}.")
    return value


class StaticHashTable(_Table):
    """A table that stays as its initializer makes it.

    >>> table = tf.lookup.StaticHashTable(
    ...     tf.lookup.KeyValueTensorInitializer([10, 20], ["ten", "twenty"]), default_value="?")
    >>> table[tf.constant([20, 30])].numpy().tolist()
    [b'twenty', b'?']

    Args:
        initializer: what fills the table.
        default_value: the value of keys that are not in the table.
    """

    def __init__(
        self,
        initializer: Initializer,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._hold(STATIC, default_value)
        if self._entries.value_shape:
            raise ValueError(
                f"Shapes {self._entries.value_shape} and () are not compatible: "
                "default_value must be a scalar."
            )
        self._entries.ready = False
        self._initializer = initializer
        initializer.initialize(self)

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not in the table."""
        return self._default_value

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of ``keys``, a tensor, or a sparse or ragged one.

        Raises:
            TypeError: the keys have another dtype than those of the table.
        """

        def find(tensor: Any) -> Any:
            return tables.find(self._keys(tensor), self._default_value, table=self)

        return map_composite(find, keys)


class StaticVocabularyTable(LookupInterface):
    """A table from words to ids, which gives words that it lacks one of ``num_oov_buckets`` more ids.

    >>> words = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.range(2, dtype=tf.int64))
    >>> table = tf.lookup.StaticVocabularyTable(words, num_oov_buckets=3)
    >>> table.lookup(tf.constant(["b", "a", "some other word"])).numpy() < [2, 2, 5]
    array([ True,  True,  True])

    Which of them a word gets is a hash of its text, as in TensorFlow.

    Args:
        initializer: what fills the table with ids from 0 on, of int64; None for no words at all.
        num_oov_buckets: how many ids there are for other words.
        lookup_key_dtype: the dtype of keys that `lookup` takes, where it is not that of the initializer.
    """

    def __init__(
        self,
        initializer: Initializer | None,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        key_dtype: Any = dtypes.string
        self._words: StaticHashTable | None = None
        if initializer is not None:
            key_dtype = initializer.key_dtype
            if initializer.value_dtype != dtypes.int64:
                raise TypeError(
                    f"Invalid `value_dtype`, expected {dtypes.int64} but got "
                    f"{initializer.value_dtype}."
                )
        if lookup_key_dtype is not None:
            wanted = dtypes.as_dtype(lookup_key_dtype)
            if wanted.is_integer != key_dtype.is_integer:
                expected = "integer" if wanted.is_integer else str(wanted)
                raise TypeError(f"Invalid `key_dtype`, expected {expected} but got {key_dtype}.")
        else:
            wanted = key_dtype
        if initializer is not None:
            self._words = StaticHashTable(initializer, -1)
        self._num_oov_buckets = num_oov_buckets
        super().__init__(wanted, dtypes.int64)

    @property
    def resource_handle(self) -> Any:
        """What stands for the table of words, or None if it has no words."""
        return None if self._words is None else self._words.resource_handle

    def size(self, name: str | None = None) -> Tensor:
        """The number of ids, those for other words included, as int64."""
        buckets = convert(self._num_oov_buckets, dtypes.int64)
        return buckets if self._words is None else self._words.size() + buckets

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The ids of ``keys``, a tensor, or a sparse or ragged one.

        Raises:
            TypeError: the keys have another dtype than those of the table.
        """
        return map_composite(self._ids, keys)

    def _ids(self, keys: Any) -> Any:
        tensor = convert(keys, None if isinstance(keys, Tensor) else self._key_dtype)
        if tensor.dtype != self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {tensor.dtype}"
            )
        text = as_string(tensor) if tensor.dtype.is_integer else tensor
        others = to_hash_bucket_fast(text, self._num_oov_buckets)
        if self._words is None:
            return others
        ids = self._words.lookup(cast(tensor, self._words.key_dtype))
        others = add(others, self._words.size())
        return where(not_equal(ids, self._words.default_value), ids, others)


# --- Tables that change ---------------------------------------------------------------------------------


class MutableHashTable(_Table):
    """A table that entries can be inserted into and removed from.

    >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
    >>> table.insert(["a", "b"], [1, 2])
    >>> table.remove(tf.constant(["a"]))
    >>> table.lookup(["a", "b"]).numpy(), table.size().numpy()
    (array([-1,  2]), np.int64(1))

    Args:
        key_dtype, value_dtype: the dtypes of keys and values.
        default_value: the value of keys that are not in the table, a scalar or a vector. The values have
            its shape.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._hold(MUTABLE, default_value)
        if len(self._entries.value_shape) > 1:
            refuse(
                f"Default value must be a vector, got shape {list(self._entries.value_shape)}",
                op="MutableHashTableOfTensorsV2",
            )

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Give each key its value, a new one if it has one already.

        Raises:
            InvalidArgumentError: there is not one value for each key.
        """
        tables.insert(
            convert(keys, self._key_dtype), convert(values, self._value_dtype), table=self
        )

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Any:
        """The values of ``keys``, a tensor.

        Args:
            dynamic_default_values: defaults to use in place of the table's: one, or one for each key.
        """
        default = self._default_value
        if dynamic_default_values is not None:
            default = convert(dynamic_default_values, self._value_dtype)
        return tables.find(convert(keys, self._key_dtype), default, table=self)

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Take the keys out of the table. Keys that it lacks are ignored."""
        tables.remove(self._keys(keys), table=self)


class DenseHashTable(_Table):
    """A table like `MutableHashTable`, whose keys may be vectors. Two keys are reserved: no entry has them.

    >>> table = tf.lookup.experimental.DenseHashTable(
    ...     tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=-1)
    >>> table.insert([5, 6], [1, 2])
    >>> table.erase([5])
    >>> table.lookup([5, 6]).numpy()
    array([-1,  2])

    Args:
        key_dtype, value_dtype: the dtypes of keys and values.
        default_value: the value of keys that are not in the table. The values have its shape.
        empty_key, deleted_key: the reserved keys. The keys have their shape.
        initial_num_buckets: a power of two of at least 4. `export` gives so many keys, or a power of two
            of them that is large enough; most are the empty key.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        empty = convert(empty_key, self._key_dtype)
        deleted = convert(deleted_key, self._key_dtype)
        shape = empty._shape_tuple()
        self._hold(DENSE, default_value, *shape)
        problem = None
        buckets = 2**17 if initial_num_buckets is None else initial_num_buckets
        reserved = [
            tables.flat(static_value(key, "array"), shape)[0]
            for key in (empty, deleted)
            if key._shape_tuple() == shape
        ]
        if len(reserved) == 1:
            problem = (
                "Empty and deleted keys must have same shape, "
                f"got shapes: {list(shape)} and {list(deleted._shape_tuple())}"
            )
        elif reserved[0] == reserved[1]:
            problem = "Empty and deleted keys cannot be equal"
        elif buckets < 4 or buckets & (buckets - 1):
            problem = f"Number of buckets must be at least 4 and a power of 2, got: {buckets}"
        if problem is not None:
            refuse(problem, op="MutableDenseHashTableV2")
        self._empty_key = empty
        self._buckets = buckets
        self._entries.reserved = {reserved[0]: "empty_key", reserved[1]: "deleted_key"}

    def insert(self, keys: Any, values: Any, name: str | None = None) -> None:
        """Give each key its value, a new one if it has one already.

        Raises:
            InvalidArgumentError: there is not one value for each key, or a key is reserved.
        """
        tables.insert(
            convert(keys, self._key_dtype), convert(values, self._value_dtype), table=self
        )

    insert_or_assign = insert

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of ``keys``, a tensor."""
        return tables.find(convert(keys, self._key_dtype), self._default_value, table=self)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All buckets: a matrix of their keys, and one of their values.

        Buckets without an entry have the empty key.

        Differs from TensorFlow: the buckets with an entry come first.
        """
        keys, values = super().export()
        count = len(self._entries.values)
        while count > MOST_FILLED * self._buckets:
            self._buckets *= 2
        free = self._buckets - count
        shape = (self._buckets, -1)
        no_keys = broadcast_to(self._empty_key, (free, *self._entries.key_shape))
        no_values = zeros((free, *self._entries.value_shape), self._value_dtype)
        return (
            reshape(concat([keys, no_keys], 0), shape),
            reshape(concat([values, no_values], 0), shape),
        )

    def remove(self, keys: Any, name: str | None = None) -> None:
        """Take the keys out of the table. Keys that it lacks are ignored."""
        tables.remove(self._keys(keys), table=self)

    erase = remove

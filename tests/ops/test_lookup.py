"""``tf.lookup``: static tables, tables of words, tables that change. What they answer is TensorFlow's."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

WHOLE, NUMBER = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
Write = Callable[[bytes], str]


def static(keys: Any, values: Any, default: Any = -1, **kinds: Any) -> tf.lookup.StaticHashTable:
    return tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(keys, values, **kinds), default
    )


def listed(*tensors: Any) -> list[Any]:
    return [tensor.numpy().tolist() for tensor in tensors]


@pytest.fixture
def write(tmp_path: pathlib.Path) -> Write:
    """Writes a text file, and gives its path."""

    def write(text: bytes) -> str:
        path = tmp_path / "words.txt"
        path.write_bytes(text)
        return str(path)

    return write


# --- Static tables ----------------------------------------------------------------------------------------


def test_static_table() -> None:
    table = static(["a", "b"], [1, 2])
    found = table.lookup(tf.constant([["a", "z"], ["", "b"]]))
    assert found.dtype == tf.int32
    assert listed(found) == [[[1, -1], [-1, 2]]]
    assert table[tf.constant("a")].numpy() == 1
    assert table.lookup(tf.constant([], tf.string)).shape == [0]
    assert (table.size().dtype, table.size().numpy()) == (tf.int64, 2)
    assert listed(*table.export()) == [[b"a", b"b"], [1, 2]]
    assert (table.key_dtype, table.value_dtype, table.name) == (tf.string, tf.int32, None)
    assert table.default_value.numpy() == -1
    assert table.resource_handle.dtype == tf.resource


def test_keys_and_values_of_a_matrix() -> None:
    assert static([["a", "b"]], [[1, 2]]).size().numpy() == 2


def test_dtypes_of_an_initializer() -> None:
    kinds = {"key_dtype": "int64", "value_dtype": tf.float32}
    table = static([2**40, 1], [1, 2], **kinds)
    assert (table.key_dtype, table.value_dtype) == (tf.int64, tf.float32)
    with pytest.raises(TypeError):
        static([1], ["a"], key_dtype=tf.string)
    with pytest.raises(ValueError, match="int64"):
        static(tf.constant([1]), [1], key_dtype=tf.int64)


def test_a_sparse_tensor_keeps_its_places() -> None:
    keys = tf.SparseTensor([[0, 1], [1, 0]], ["b", "q"], [2, 3])
    found = static(["a", "b"], [1, 2]).lookup(keys)
    assert listed(found.indices, found.values) == [[[0, 1], [1, 0]], [2, -1]]


def test_a_key_that_comes_twice() -> None:
    assert static(["a", "a"], [1, 1]).size().numpy() == 1
    with pytest.raises(
        tf.errors.FailedPreconditionError, match="Key a has 1 and trying to add value 2"
    ):
        static(["a", "a"], [1, 2])


@pytest.mark.parametrize(
    ("keys", "values", "default", "error", "says"),
    [
        (["a", "b"], [1], -1, tf.errors.InvalidArgumentError, r"Expected shape \[2\] for value"),
        (tf.constant([], tf.string), tf.constant([], tf.int32), -1, tf.errors.OpError, "empty"),
        (["a"], [1], "x", TypeError, "int32"),
        (["a"], [1], 1.5, TypeError, "int32"),
        (["a"], [1], tf.constant(1.5), ValueError, "int32"),
        (["a"], [1], [1, 2], ValueError, "not compatible"),
        ([1.0], [1.0], 0.0, tf.errors.NotFoundError, "no tables float32 -> float32"),
        (["a"], tf.constant([1], tf.uint8), 0, tf.errors.NotFoundError, "string -> uint8"),
        (["a"], None, 0, ValueError, "None"),
    ],
)
def test_tables_that_cannot_be(
    keys: Any, values: Any, default: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        static(keys, values, default)


def test_keys_of_another_dtype() -> None:
    with pytest.raises(TypeError, match="must be <dtype: 'string'>, received: <dtype: 'int32'>"):
        static(["a"], [1]).lookup(tf.constant([1]))


def test_an_initializer_that_fills_nothing() -> None:
    class Nothing(tf.lookup.KeyValueTensorInitializer):
        def __init__(self) -> None:
            pass

        key_dtype = property(lambda self: tf.string)
        value_dtype = property(lambda self: tf.int64)

        def initialize(self, table: Any) -> None:
            pass

    table = tf.lookup.StaticHashTable(Nothing(), -1)
    assert table.size().numpy() == 0
    with pytest.raises(tf.errors.FailedPreconditionError, match="Table not initialized"):
        table.lookup(tf.constant(["a"]))
    with pytest.raises(tf.errors.AbortedError, match="not initialized"):
        table.export()
    with pytest.raises(TypeError, match="Invalid value dtype for table, expected"):
        tf.lookup.KeyValueTensorInitializer(["a"], [1]).initialize(table)


def test_a_table_is_filled_once() -> None:
    table = static(["b"], [1])
    tf.lookup.KeyValueTensorInitializer(["a", "c"], [1, 2]).initialize(table)
    assert listed(*table.export()) == [[b"b"], [1]]


def test_in_a_function() -> None:
    table = static(["a", "b"], [1, 2])
    assert listed(tf.function(table.lookup)(tf.constant(["b"]))) == [[2]]


# --- Text files -----------------------------------------------------------------------------------------


def from_file(*arguments: Any, default: Any = -1, **options: Any) -> tf.lookup.StaticHashTable:
    return tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(*arguments, **options), default)


def test_lines_and_their_numbers(write: Write) -> None:
    path = write(b"emerson 10\r\nlake 20\npalmer 30")
    lines = [b"emerson 10", b"lake 20", b"palmer 30"]
    ids = (tf.string, WHOLE, tf.int64, NUMBER)
    assert listed(*from_file(path, *ids).export()) == [lines, [0, 1, 2]]
    assert listed(*from_file(pathlib.Path(path), *ids).export()) == [lines, [0, 1, 2]]
    shifted = from_file(tf.constant(path), *ids, value_index_offset=5)
    assert listed(*shifted.export()) == [lines, [5, 6, 7]]
    assert listed(*from_file(path, *ids, vocab_size=2).export()) == [lines[:2], [0, 1]]
    words = from_file(path, tf.int64, NUMBER, tf.string, WHOLE, default="?")
    assert listed(words[tf.constant([1, 9], tf.int64)]) == [[b"lake 20", b"?"]]


def test_columns(write: Write) -> None:
    path = write(b"emerson 10\nlake 20\n")
    for dtype in ("int64", "int32", "float32"):
        table = from_file(path, "string", 0, dtype, 1, delimiter=" ")
        assert listed(*table.export()) == [[b"emerson", b"lake"], [10, 20]]
        assert table.value_dtype == dtype
    numbers = from_file(write(b"a\t 1.5e1\nb\tnan\n"), tf.string, 0, tf.float64, 1)
    np.testing.assert_array_equal(numbers.export()[1], [15.0, np.nan])


@pytest.mark.parametrize(
    ("text", "columns", "options", "error", "says"),
    [
        (
            b"a\n\nb\n",
            (WHOLE, NUMBER),
            {},
            tf.errors.InvalidArgumentError,
            "line found at position 3",
        ),
        (b"a\r\n\r\n", (WHOLE, NUMBER), {}, tf.errors.InvalidArgumentError, "at position 5"),
        (b"", (WHOLE, NUMBER), {}, tf.errors.OutOfRangeError, "empty"),
        (b"a\na\n", (WHOLE, NUMBER), {}, tf.errors.FailedPreconditionError, "Key a has 0"),
        (b"a\n", (WHOLE, NUMBER), {"vocab_size": 3}, tf.errors.InvalidArgumentError, "3 but got 1"),
        (b"a\n", (WHOLE, NUMBER), {"vocab_size": 0}, ValueError, "`vocab_size` should be > 0"),
        (
            b"a\t1\nb\n",
            (0, 1),
            {},
            tf.errors.InvalidArgumentError,
            r"line 1 \(b\) : expected at le",
        ),
        (
            b"a\tx\n",
            (0, 1),
            {},
            tf.errors.InvalidArgumentError,
            "Field x in line 0 is not a valid int6",
        ),
        (b"a\t1\n", (0, 1), {"delimiter": "ab"}, tf.errors.InvalidArgumentError, "only 1 char"),
        (b"a\n", (-3, 1), {}, ValueError, "`key_index` should be >= -2, received: -3"),
        (b"a\n", (NUMBER, 1), {}, ValueError, "`key_dtype` must be int64 "),
    ],
)
def test_files_that_make_no_table(
    write: Write,
    text: bytes,
    columns: tuple[int, int],
    options: dict[str, Any],
    error: type[Exception],
    says: str,
) -> None:
    with pytest.raises(error, match=says):
        from_file(write(text), tf.string, columns[0], tf.int64, columns[1], **options)


def test_files_that_are_not_there(tmp_path: pathlib.Path) -> None:
    ids = (tf.string, WHOLE, tf.int64, NUMBER)
    with pytest.raises(tf.errors.NotFoundError, match="No such file"):
        from_file(str(tmp_path / "none"), *ids)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        from_file(str(tmp_path), *ids)
    with pytest.raises(ValueError, match="`filename` argument required"):
        from_file("", *ids)
    with pytest.raises(ValueError, match="should be either integer or string"):
        from_file("a", tf.float32, WHOLE, tf.int64, NUMBER)


# --- Tables of words --------------------------------------------------------------------------------------


def vocabulary(keys: Any, *arguments: Any) -> tf.lookup.StaticVocabularyTable:
    ids = tf.range(len(keys), dtype=tf.int64)
    return tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(keys, ids), *arguments
    )


def test_words_that_a_table_lacks_get_hashes() -> None:
    table = vocabulary(["a", "b"], 5)
    words = tf.constant(["a", "b", "c", "d", "", "hello world"])
    assert listed(table.lookup(words), table.size()) == [[0, 1, 4, 2, 5, 3], 7]
    assert listed(tf.lookup.StaticVocabularyTable(None, 5)[words[:2]]) == [[4, 2]]
    assert (table.key_dtype, table.value_dtype) == (tf.string, tf.int64)
    sparse = table.lookup(tf.SparseTensor([[0, 1]], ["a"], [2, 3]))
    assert listed(sparse.indices, sparse.values) == [[[0, 1]], [0]]
    assert table.lookup(tf.ragged.constant([["a"], ["q"]])).to_list() == [[0], [5]]


def test_numbers_as_words() -> None:
    keys = tf.constant([10, 20], tf.int64)
    numbers = tf.constant([10, 20, 30, -1, 12345678901], tf.int64)
    assert listed(vocabulary(keys, 7)[numbers]) == [[0, 1, 2, 6, 5]]
    narrow = vocabulary(keys, 7, tf.int32)
    assert narrow.key_dtype == tf.int32
    assert listed(narrow[tf.constant([10, 20, 30])]) == [[0, 1, 2]]


def test_tables_of_words_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="`num_oov_buckets` must be > 0"):
        vocabulary(["a"], 0)
    initializer = tf.lookup.KeyValueTensorInitializer(["a"], [0])
    with pytest.raises(TypeError, match="Invalid `value_dtype`, expected"):
        tf.lookup.StaticVocabularyTable(initializer, 1)
    with pytest.raises(TypeError, match="Invalid `key_dtype`, expected integer"):
        vocabulary(["a"], 1, tf.int64)
    with pytest.raises(TypeError, match="must be <dtype: 'string'>"):
        vocabulary(["a"], 1)[tf.constant([1])]


def test_a_ragged_tensor_keeps_its_rows() -> None:
    found = static(["a", "b"], [1, 2]).lookup(tf.ragged.constant([["a"], [], ["q", "b"]]))
    assert found.to_list() == [[1], [], [-1, 2]]


# --- Tables that change ---------------------------------------------------------------------------------


def test_mutable_table() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    assert listed(*table.export()) == [[], []]
    assert table.insert(["a", "b", "a"], [1, 2, 3]) is None
    assert listed(table.lookup(["a", "zz"]), table[tf.constant([["b"]])]) == [[3, -1], [[2]]]
    table.insert([["c", "d"]], [[4, 5]])
    table.remove(tf.constant(["a", "nope"]))
    assert table.size().numpy() == 3
    assert listed(*table.export()) == [[b"b", b"c", b"d"], [2, 4, 5]]


def test_defaults_for_one_lookup() -> None:
    table = tf.lookup.experimental.MutableHashTable("string", "int64", -1)
    table.insert(["a"], [1])
    keys = tf.constant(["a", "q", "r"])
    assert listed(table.lookup(keys, [7, 8, 9]), table.lookup(keys, 7)) == [[1, 8, 9], [1, 7, 7]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[\] or \[3\] for default value"):
        table.lookup(keys, [7, 8])


def test_values_that_are_vectors() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, [0.0, 0.0])
    table.insert(["a"], [[1.0, 2.0]])
    assert listed(table.lookup(tf.constant(["a", "b"]))) == [[[1.0, 2.0], [0.0, 0.0]]]
    assert listed(*table.export()) == [[b"a"], [[1.0, 2.0]]]
    keys = tf.constant(["x", "y"])
    assert listed(table.lookup(keys, [[1.0, 1.0], [2.0, 2.0]])) == [[[1.0, 1.0], [2.0, 2.0]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected shape \[1, 2\] for value"):
        table.insert(["a"], [1.0])


def test_nothing_is_inserted_if_something_is_wrong() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape"):
        table.insert(["a", "b"], [1])
    with pytest.raises(ValueError, match="int64"):
        table.insert(["a"], tf.constant([1], tf.int32))
    with pytest.raises(ValueError, match="string"):
        table.insert(tf.constant([1]), [1])
    with pytest.raises(ValueError, match="string"):
        table.lookup(tf.constant([1]))
    with pytest.raises(TypeError, match="must be <dtype: 'string'>"):
        table.remove(tf.constant([1]))
    assert table.size().numpy() == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a vector"):
        tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, [[1]])


def test_dense_table() -> None:
    table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, 0, -2, 4)
    table.insert([5, 6, 7], [1, 2, 3])
    table.insert_or_assign([6, 8], [4, 5])
    table.erase(tf.constant([5], tf.int64))
    assert listed(table.lookup([5, 6])) == [[-1, 4]]
    keys, values = table.export()
    assert listed(keys, values) == [[[6], [7], [8], [0]], [[4], [3], [5], [0]]]
    for key in (0, -2):
        for use in (lambda keys: table.insert(keys, [1]), table.lookup, table.remove):
            with pytest.raises(tf.errors.InvalidArgumentError, match="as a table key is not allow"):
                use(tf.constant([key], tf.int64))
    table.insert([9], [9])
    assert table.export()[0].shape == [8, 1]


def test_keys_that_are_vectors() -> None:
    table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, 0.0, [0, 0], [-2, -2])
    table.insert([[1, 2]], [3.0])
    assert listed(table.lookup([[1, 2], [3, 4]]), table.size()) == [[3.0, 0.0], 1]
    assert [part.shape.as_list() for part in table.export()] == [[131072, 2], [131072, 1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Expected key shape \[2\] got \[3\]"):
        table.lookup([1, 2, 3])


@pytest.mark.parametrize(
    ("empty", "deleted", "buckets", "says"),
    [
        (1, 1, None, "cannot be equal"),
        (1, 2, 3, "Number of buckets must be at least 4 and a power of 2, got: 3"),
        ([0, 0], [1], None, "must have same shape"),
    ],
)
def test_dense_tables_that_cannot_be(
    empty: Any, deleted: Any, buckets: int | None, says: str
) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=says):
        tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty, deleted, buckets)


def test_raw_ops_take_handles() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    handle = table.resource_handle
    tf.raw_ops.LookupTableInsertV2(
        table_handle=handle, keys=["a"], values=tf.constant([1], tf.int64)
    )
    found = tf.raw_ops.LookupTableFindV2(
        table_handle=handle, keys=["a"], default_value=tf.constant(0, tf.int64)
    )
    assert listed(found, tf.raw_ops.LookupTableSizeV2(table_handle=handle)) == [[1], 1]
    kinds = {"table_handle": handle, "Tkeys": tf.string}
    exported = tf.raw_ops.LookupTableExportV2(**kinds, Tvalues=tf.int64)
    assert listed(*exported) == [[b"a"], [1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Conflicting key/value dtypes"):
        tf.raw_ops.LookupTableExportV2(**kinds, Tvalues=tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="A look-up table was expected"):
        tf.raw_ops.LookupTableSizeV2(table_handle=3)

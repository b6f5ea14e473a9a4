"""Data sets of files, and data sets kept in files. The answers are TensorFlow's."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tapegrad as tf
from tapegrad.data.encoding import decoded, encoded

data = tf.data
experimental = tf.data.experimental
Dataset = tf.data.Dataset


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # What TensorFlow takes where a program sets no global seed.
    tf.random.set_seed(87654321)
    Path("a.txt").write_bytes(b"one\ntwo\r\nthree")
    Path("b.txt").write_bytes(b"four\n\nsix\n")
    Path("e.txt").touch()


def plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return tuple(plain(each) for each in value)
    found = value.numpy()
    return found.tolist() if hasattr(found, "tolist") else found


def values(dataset: Any, count: int = -1) -> list[Any]:
    return [plain(each) for each in dataset.take(count)]


# --- Lines and records ----------------------------------------------------------------------------------

LINES_A, LINES_B = [b"one", b"two", b"three"], [b"four", b"", b"six"]


def test_lines() -> None:
    text = data.TextLineDataset
    assert values(text("a.txt")) == LINES_A
    assert values(text(["a.txt", "e.txt", "b.txt"])) == LINES_A + LINES_B
    assert values(text(Dataset.from_tensor_slices(["a.txt", "b.txt"]))) == LINES_A + LINES_B
    in_turns = [b"one", b"four", b"two", b"", b"three", b"six"]
    assert values(text(["a.txt", "b.txt"], num_parallel_reads=2)) == in_turns
    assert values(text("a.txt", buffer_size=2)) == LINES_A
    assert values(text([])) == []
    assert text("a.txt").element_spec == tf.TensorSpec([], tf.string)
    assert text("a.txt").cardinality().numpy() == data.UNKNOWN_CARDINALITY
    assert repr(text("a.txt")).startswith("<TextLineDatasetV2 element_spec=TensorSpec(")
    Path("g").write_bytes(gzip.compress(b"x\ny\n"))
    Path("z").write_bytes(zlib.compress(b"x\ny\n"))
    assert values(text("g", "GZIP")) == values(text("z", "ZLIB")) == [b"x", b"y"]
    with pytest.raises(TypeError, match="filenames"):
        text(3)
    with pytest.raises(tf.errors.InvalidArgumentError, match="compression"):
        values(text("a.txt", "FOO"))


def test_files_that_are_not_there_fail_when_they_are_read() -> None:
    for make in (
        data.TextLineDataset,
        data.TFRecordDataset,
        lambda name: data.FixedLengthRecordDataset(name, 2),
    ):
        dataset = make(["zz"])
        with pytest.raises(tf.errors.NotFoundError, match="zz"):
            next(iter(dataset))
    iterator = iter(data.TextLineDataset(["zz", "b.txt"]))
    with pytest.raises(tf.errors.NotFoundError):
        next(iterator)
    assert [each.numpy() for each in iterator] == LINES_B
    with pytest.raises(tf.errors.FailedPreconditionError):
        next(iter(data.TextLineDataset(".")))


def test_records() -> None:
    for name, count in (("r1", 3), ("r2", 2)):
        writer = experimental.TFRecordWriter(name)
        writer.write(Dataset.range(count).map(lambda x, name=name: tf.strings.as_string(x)))
    records = data.TFRecordDataset
    assert values(records(["r1", "r2"])) == [b"0", b"1", b"2", b"0", b"1"]
    assert values(records(["r1", "r2"], num_parallel_reads=2)) == [b"0", b"0", b"1", b"1", b"2"]
    with pytest.raises(tf.errors.DataLossError):
        values(records("r1", "GZIP"))
    Path("r1").write_bytes(Path("r1").read_bytes()[:-3])
    iterator = iter(records("r1"))
    assert [next(iterator).numpy(), next(iterator).numpy()] == [b"0", b"1"]
    with pytest.raises(tf.errors.DataLossError, match="truncated"):
        next(iterator)
    with pytest.raises(TypeError, match="Invalid `dataset`"):
        experimental.TFRecordWriter("w").write(Dataset.range(3))


def test_records_of_one_length() -> None:
    Path("f").write_bytes(b"HHaabbccF")
    Path("g").write_bytes(gzip.compress(b"HHaabbccF"))
    fixed = data.FixedLengthRecordDataset
    assert values(fixed("f", 2, 2, 1)) == [b"aa", b"bb", b"cc"]
    assert values(fixed("g", 2, 2, 1, compression_type="GZIP")) == [b"aa", b"bb", b"cc"]
    assert values(fixed(["f", "f"], 2, 2, 1, num_parallel_reads=2))[:3] == [b"aa", b"aa", b"bb"]
    for args in ((2,), (2, 20)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Excluding the header"):
            values(fixed("f", *args))
    with pytest.raises(tf.errors.InvalidArgumentError, match="record_bytes"):
        fixed("f", 0)


def test_list_files() -> None:
    for name in ("f.bin", "f2.bin", "g.gz", "z.z"):
        Path(name).touch()
    assert values(Dataset.list_files("*.txt", shuffle=False)) == [
        b"./a.txt",
        b"./b.txt",
        b"./e.txt",
    ]
    assert values(Dataset.list_files(["b.txt", "a.txt"], shuffle=False)) == [b"a.txt", b"b.txt"]
    # TensorFlow's order.
    assert values(Dataset.list_files("*.*", seed=1)) == [
        *(b"./f2.bin", b"./z.z", b"./f.bin", b"./a.txt", b"./g.gz", b"./e.txt", b"./b.txt")
    ]
    assert values(Dataset.list_files(["*.txt", "*.bin"], shuffle=True, seed=42)) == [
        *(b"./a.txt", b"./f2.bin", b"./b.txt", b"./f.bin", b"./e.txt")
    ]
    assert Dataset.list_files("*.txt").cardinality().numpy() == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"No files matched pattern: qq\*"):
        Dataset.list_files("qq*")


# --- CSV ------------------------------------------------------------------------------------------------


@pytest.fixture
def table() -> str:
    Path("c.csv").write_text('x,y,s\n1,2.5,"a,b"\n3,,c\n,4.5,d\n')
    return "c.csv"


def test_csv_rows(table: str) -> None:
    csv = experimental.CsvDataset
    rows = [(1, 2.5, b"a,b"), (3, 0.0, b"c"), (0, 4.5, b"d")]
    assert values(csv(table, [0, [0.0], ""], header=True)) == rows
    assert values(csv(table, [0.0, ""], header=True, select_cols=[1, 2])) == [
        row[1:] for row in rows
    ]
    assert values(csv(table, [0], header=True, exclude_cols=[1, 2])) == [(1,), (3,), (0,)]
    specs = csv(table, [0, [0.0], ""]).element_spec
    assert [spec.dtype for spec in specs] == [tf.int32, tf.float32, tf.string]
    # After a row that is refused the next one comes.
    iterator = iter(csv(table, [tf.int32, tf.float32, tf.string], header=True))
    assert plain(next(iterator)) == rows[0]
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="required but missing"):
            next(iterator)
    with pytest.raises(StopIteration):
        next(iterator)
    Path("n.csv").write_text('1;NA\n"2\n3";x\r\n4;"q""r"\n')
    named = csv("n.csv", ["", "m"], field_delim=";", na_value="NA")
    assert values(named) == [(b"1", b"m"), (b"2\n3", b"x"), (b"4", b'q"r')]
    Path("q.csv").write_text('"ab')
    with pytest.raises(tf.errors.InvalidArgumentError, match="without closing"):
        values(csv("q.csv", [""]))
    Path("q.csv").write_text("\n\n1\n")
    assert values(csv("q.csv", [5])) == [(5,), (5,), (1,)]


@pytest.fixture
def tables() -> str:
    for name, numbers in (("m1.csv", range(10)), ("m2.csv", range(10, 14))):
        rows = [f"{i},{i / 2},s{i % 3},{i % 2}\n" for i in numbers]
        Path(name).write_text("x,y,s,l\n" + "".join(rows))
    return "m*.csv"


def test_csv_batches(tables: str) -> None:
    make = experimental.make_csv_dataset
    first = values(make("m1.csv", 4, label_name="l", num_epochs=1, shuffle=False))
    assert first[0] == (
        {"x": [0, 1, 2, 3], "y": [0.0, 0.5, 1.0, 1.5], "s": [b"s0", b"s1", b"s2", b"s0"]},
        [0, 1, 0, 1],
    )
    assert first[-1][1] == [0, 1]
    only_x = {"num_epochs": 1, "select_columns": ["x"]}
    found = values(make(tables, 5, shuffle=False, **only_x))
    assert found == [{"x": [0, 1, 2, 3, 4]}, {"x": [5, 6, 7, 8, 9]}, {"x": [10, 11, 12, 13]}]
    turns = values(make(tables, 5, shuffle=False, num_parallel_reads=2, **only_x))
    assert turns == [{"x": [0, 10, 1, 11, 2]}, {"x": [12, 3, 13, 4, 5]}, {"x": [6, 7, 8, 9]}]
    # TensorFlow's order.
    tf.random.set_seed(5)
    mixed = values(make("m1.csv", 4, shuffle_seed=1, **only_x))
    assert mixed == [{"x": [8, 2, 3, 1]}, {"x": [0, 4, 6, 7]}, {"x": [9, 5]}]
    endless = make("m2.csv", 3, shuffle=False, select_columns=["x"])
    assert values(endless, 3) == [{"x": [10, 11, 12]}, {"x": [13, 10, 11]}, {"x": [12, 13, 10]}]
    assert endless.element_spec["x"] == tf.TensorSpec([3], tf.int32)
    Path("i.csv").write_text("a,b,c,d\n1,3000000000,1.5,1e300\n")
    spec = make("i.csv", 1, num_epochs=1).element_spec
    kinds = [each.dtype for each in spec.values()]
    assert kinds == [tf.int32, tf.int64, tf.float32, tf.float64]


def test_what_make_csv_dataset_refuses(tables: str, table: str) -> None:
    make = experimental.make_csv_dataset
    for wrong, match in (
        ({"label_name": "zz"}, "label_name"),
        ({"select_columns": ["zz"]}, "zz"),
        ({"column_names": ["a", "a", "b", "c"]}, "duplicate"),
        ({"column_defaults": [0]}, "same length"),
    ):
        with pytest.raises(ValueError, match=match):
            make("m1.csv", 4, **wrong)
    with pytest.raises(ValueError, match="No files match"):
        make("qq*", 4)
    with pytest.raises(ValueError, match="header line"):
        make(".", 4)
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        make(".", 4, column_names=["a", "b", "c"])
    with pytest.raises(ValueError, match="same column names"):
        make(["m1.csv", table], 4)
    ignoring = make(
        table,
        1,
        column_defaults=[tf.int32, tf.float32, tf.string],
        num_epochs=1,
        shuffle=False,
        ignore_errors=True,
    )
    assert values(ignoring) == [{"x": [1], "y": [2.5], "s": [b"a,b"]}]


# --- Features and data bases ----------------------------------------------------------------------------


def test_batches_of_features() -> None:
    with tf.io.TFRecordWriter("ex") as writer:
        for number in range(7):
            example = tf.train.Example()
            for key, value in (("x", number), ("l", number % 2)):
                example.features.feature[key].int64_list.value.append(value)
            writer.write(example.SerializeToString())
    feature = tf.io.FixedLenFeature([], tf.int64)
    make = experimental.make_batched_features_dataset
    both = {"x": feature, "l": feature}
    found = values(make("ex", 3, both, label_key="l", num_epochs=1, shuffle=False))
    assert found == [
        ({"x": [0, 1, 2]}, [0, 1, 0]),
        ({"x": [3, 4, 5]}, [1, 0, 1]),
        ({"x": [6]}, [0]),
    ]
    tf.random.set_seed(5)
    mixed = values(make("ex", 3, {"x": feature}, num_epochs=1, shuffle_seed=1))
    assert mixed == [{"x": [4, 2, 1]}, {"x": [6, 5, 3]}, {"x": [0]}]  # TensorFlow's order
    assert make("ex", 3, both, label_key="l").element_spec[1] == tf.TensorSpec([3], tf.int64)
    with pytest.raises(ValueError, match="label_key"):
        make("ex", 3, {"x": feature}, label_key="zz")


def test_data_bases() -> None:
    connection = sqlite3.connect("s.db")
    connection.execute("create table t (a integer, b text, c real)")
    rows = [(1, "x", 1.5), (2, "y", 2.5), (None, None, None)]
    connection.executemany("insert into t values (?, ?, ?)", rows)
    connection.commit()
    connection.close()
    sql = experimental.SqlDataset
    kinds = (tf.int32, tf.string, tf.float64)
    expected = [(2, b"y", 2.5), (1, b"x", 1.5), (0, b"", 0.0)]
    assert values(sql("sqlite", "s.db", "select a, b, c from t order by a desc", kinds)) == expected
    assert values(sql("sqlite", "s.db", "select a * 1000 from t", (tf.int8,))) == [
        (-24,),
        (-48,),
        (0,),
    ]
    with pytest.raises(tf.errors.UnknownError, match="no such column"):
        values(sql("sqlite", "s.db", "select zz from t", (tf.int32,)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="number of columns"):
        values(sql("sqlite", "s.db", "select a from t", (tf.int32, tf.int32)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="failed"):
        values(sql("sqlite", "no.db", "select a from t", (tf.int32,)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="output_types"):
        sql("sqlite", "s.db", "select c from t", (tf.float32,))


def test_specs_of_what_functions_read_from_files() -> None:
    names = Dataset.from_tensor_slices(["no such file"])
    spec = tf.TensorSpec
    image = names.map(lambda name: tf.io.decode_png(tf.io.read_file(name), channels=3))
    assert image.element_spec == spec([None, None, 3], tf.uint8)
    any_image = names.map(lambda name: tf.io.decode_image(tf.io.read_file(name)))
    assert any_image.element_spec == spec(None, tf.uint8)
    still = names.map(
        lambda name: tf.io.decode_image(tf.io.read_file(name), 1, expand_animations=False)
    )
    assert still.element_spec == spec([None, None, 1], tf.uint8)
    features = {"x": tf.io.FixedLenFeature([2], tf.int64), "v": tf.io.VarLenFeature(tf.float32)}
    one = names.map(lambda record: tf.io.parse_single_example(record, features)).element_spec
    assert one["x"] == spec([2], tf.int64)
    assert one["v"] == tf.SparseTensorSpec([None], tf.float32)
    several = names.batch(4).map(lambda record: tf.io.parse_example(record, features)).element_spec
    assert several["x"] == spec([None, 2], tf.int64)
    columns = names.map(lambda line: tf.io.decode_csv(line, [0, ""])).element_spec
    assert columns == (spec([], tf.int32), spec([], tf.string))
    raw = names.map(lambda text: tf.io.decode_raw(text, tf.float32)).element_spec
    assert raw == spec([None], tf.float32)
    sound = names.map(lambda name: tf.audio.decode_wav(tf.io.read_file(name), 1).audio).element_spec
    assert sound == spec([None, 1], tf.float32)
    written = names.map(lambda name: tf.io.write_file(name, "x") or name)
    assert written.element_spec == spec([], tf.string)
    assert sorted(os.listdir(".")) == ["a.txt", "b.txt", "e.txt"]


# --- Kept in files --------------------------------------------------------------------------------------


class Counted:
    """A generator of four numbers that counts what it makes."""

    def __init__(self) -> None:
        self.made = 0

    def __call__(self) -> Iterator[int]:
        for number in range(4):
            self.made += 1
            yield number

    def dataset(self) -> Any:
        return Dataset.from_generator(self, output_signature=tf.TensorSpec([], tf.int32))


def test_caches() -> None:
    numbers = Counted()
    cached = numbers.dataset().cache("kept")
    assert values(cached) == values(cached) == [0, 1, 2, 3]
    assert numbers.made == 4
    assert values(numbers.dataset().cache("kept").repeat(2)) == [0, 1, 2, 3] * 2
    assert numbers.made == 4
    assert sorted(os.listdir("."))[3:] == ["kept.data-00000-of-00001", "kept.index"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="holds elements of"):
        values(Dataset.from_tensor_slices(["a"]).cache("kept"))
    nested = Dataset.from_tensor_slices({"a": [1, 2], "b": (["x", "y"], [1.0, 2.0])})
    for _ in range(2):
        found = values(nested.cache("nested"))
        assert found == [{"a": 1, "b": (b"x", 1.0)}, {"a": 2, "b": (b"y", 2.0)}]


def test_a_cache_that_is_not_complete_is_not_kept() -> None:
    cached = Dataset.range(4).cache("kept")
    iterator = iter(cached)
    next(iterator)
    with pytest.raises(tf.errors.AlreadyExistsError, match="concurrent"):
        next(iter(cached))
    del iterator
    assert sorted(os.listdir(".")) == ["a.txt", "b.txt", "e.txt"]
    assert values(cached, 2) == [0, 1]
    assert values(cached) == [0, 1, 2, 3]
    Path("old_0.lockfile").write_text(f"{os.uname().nodename} 999999999")
    assert values(Dataset.range(2).cache("old")) == [0, 1]
    with pytest.raises(tf.errors.NotFoundError):
        values(Dataset.range(2).cache("no/dir/kept"))


def test_save_and_load() -> None:
    Dataset.range(5).save("s")
    assert values(Dataset.load("s")) == [0, 1, 2, 3, 4]
    assert Dataset.load("s").cardinality().numpy() == 5
    Dataset.range(2).save("s", compression="GZIP")
    assert values(experimental.load("s")) == [0, 1]
    Dataset.range(6).save("t", shard_func=lambda x: x % 3)
    by_turns = Dataset.load(
        "t", reader_func=lambda shards: shards.interleave(lambda x: x, cycle_length=3)
    )
    assert values(by_turns) == [0, 1, 2, 3, 4, 5]
    flat = Dataset.load("t", reader_func=lambda shards: shards.flat_map(lambda x: x))
    assert values(flat) == [0, 3, 1, 4, 2, 5]
    sparse = tf.sparse.from_dense([[1, 0], [0, 2]])
    ragged = tf.ragged.constant([[1, 2], [3]])
    elements = Dataset.from_tensors({"s": sparse, "r": ragged, "t": ("text", [1.5])})
    experimental.save(elements, "u")
    (found,) = Dataset.load("u")
    assert found["r"].to_list() == [[1, 2], [3]]
    assert tf.sparse.to_dense(found["s"]).numpy().tolist() == [[1, 0], [0, 2]]
    assert plain(found["t"]) == (b"text", [1.5])
    Dataset.range(0).save("empty")
    assert values(Dataset.load("empty")) == []
    with pytest.raises(tf.errors.NotFoundError):
        Dataset.load("zz")
    with pytest.raises(tf.errors.InvalidArgumentError, match="scalar int64"):
        Dataset.range(3).save("v", shard_func=lambda x: "a")
    assert not os.path.exists("v/dataset_spec.json")
    with pytest.raises(ValueError, match="compression"):
        Dataset.range(3).save("v", compression="FOO")


DOCTORED: list[dict[str, Any]] = [
    {"folder": "/etc"},
    {"folder": ".."},
    {"folder": None},
    {"shards": ["../../elsewhere"]},
    {"shards": ["/etc/passwd"]},
    {"shards": [7]},
    {"shards": []},
    {"counts": "three"},
    {"counts": [-1]},
    {"compression": "LZ"},
    {"spec": 1},
    {"spec": {"kind": "tuple"}},
    {"spec": {"kind": "tensor", "shape": [None], "dtype": "no dtype"}},
    {"spec": {"kind": "tensor", "shape": [], "dtype": "float32"}},  # of other elements
    {"spec": {"kind": "tensor", "shape": [3], "dtype": "int64"}},
]


@pytest.mark.parametrize("change", DOCTORED, ids=str)
def test_a_saved_data_set_that_is_doctored(tmp_path: Path, change: dict[str, Any]) -> None:
    """What the file says is checked, and it leads to nothing outside of the folder."""
    tf.data.Dataset.range(3).save(str(tmp_path))
    spec = tmp_path / "dataset_spec.json"
    written = json.loads(spec.read_text())
    del written["crc32c"]  # who changes the file on purpose can also make its checksum fit
    spec.write_text(json.dumps(written | change))
    with pytest.raises(tf.errors.DataLossError):
        list(tf.data.Dataset.load(str(tmp_path)))


def test_rows_of_a_saved_ragged_tensor_are_checked() -> None:
    spec = tf.RaggedTensorSpec([None, None], tf.int32)
    good = tf.ragged.constant([[1, 2], [3]])
    bad = tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 3_000_000], validate=False)
    assert decoded(encoded(good, spec), spec).to_list() == [[1, 2], [3]]
    with pytest.raises(tf.errors.DataLossError):
        decoded(encoded(bad, spec), spec)


def test_a_saved_data_set_that_is_damaged() -> None:
    Dataset.range(3).save("s")
    (shard,) = Path("s").glob("run-*/*")
    whole = shard.read_bytes()
    shard.write_bytes(whole[:-2])
    with pytest.raises(tf.errors.DataLossError):
        values(Dataset.load("s"))
    Path("s/dataset_spec.json").write_text("{")
    with pytest.raises(tf.errors.DataLossError):
        Dataset.load("s")


_made: list[int] = []


def _numbers() -> Iterator[int]:
    for number in range(4):
        _made.append(number)
        yield number


def test_snapshots() -> None:
    numbers = Dataset.from_generator(_numbers, output_signature=tf.TensorSpec([], tf.int32))
    dataset = numbers.snapshot("kept")
    assert values(dataset, 2) == [0, 1]
    _made.clear()
    assert values(dataset) == values(dataset) == [0, 1, 2, 3]
    assert len(_made) == 4
    assert values(Dataset.range(3).apply(experimental.snapshot("kept"))) == [0, 1, 2]
    sharded = Dataset.range(4).snapshot(
        "other", shard_func=lambda x: x % 2, reader_func=lambda shards: shards.flat_map(lambda x: x)
    )
    assert values(sharded) == [0, 1, 2, 3]
    assert values(sharded) == [0, 2, 1, 3]


def test_compressed_csv_files_say_what_their_columns_are(tmp_path):
    path = tmp_path / "rows.csv.gz"
    with gzip.open(path, "wt") as file:
        file.write("a,b,c\n1,2.5,x\n3,4.5,y\n")
    batches = tf.data.experimental.make_csv_dataset(
        str(path), 2, compression_type="GZIP", num_epochs=1, shuffle=False
    )
    (batch,) = batches.as_numpy_iterator()
    assert {name: column.tolist() for name, column in batch.items()} == {
        "a": [1, 3],
        "b": [2.5, 4.5],
        "c": [b"x", b"y"],
    }
    with pytest.raises(ValueError, match="ZLIB"):
        tf.data.experimental.make_csv_dataset(str(path), 2, compression_type="ZLIB")

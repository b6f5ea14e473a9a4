"""`tf.train.Checkpoint`, its manager, and what reads checkpoints."""

from __future__ import annotations

import copy
import gc
import os
import random
import struct
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import tapegrad as tf
from golden import record_checkpoint
from tapegrad.engines.numpy.checksums import masked_crc32c
from tapegrad.io.snappy import decompress
from tapegrad.io.wire import DecodeError, varint
from tapegrad.saving import bundles
from tapegrad.saving.bundles import data_path, index_of, write_data

KEY = ".ATTRIBUTES/VARIABLE_VALUE"


def write_files(prefix: str, objects: list[Any], arrays: dict[str, Any]) -> None:
    """Write the two files of a checkpoint."""
    with data_path(prefix, 0, 1).open("wb") as data:
        entries = write_data(data, objects, arrays)
    Path(f"{prefix}.index").write_bytes(index_of(entries, 1))


def objects() -> dict[str, Any]:
    model = tf.Module()
    model.weight = tf.Variable([1.0, 2.0])
    model.parts = [tf.Variable(3), {"k": tf.Variable("text")}]
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    table.insert(["a"], [1])
    return {
        "model": model,
        "same": model.weight,
        "table": table,
        "generator": tf.random.Generator.from_seed(1),
        "iterator": iter(tf.data.Dataset.range(10)),
    }


def test_values_come_back(tmp_path: Path) -> None:
    given = objects()
    checkpoint = tf.train.Checkpoint(**given)
    next(given["iterator"])
    path = checkpoint.save(tmp_path / "c")
    assert path == str(tmp_path / "c-1") == tf.train.latest_checkpoint(tmp_path)
    drawn = given["generator"].normal([2])
    given["model"].weight.assign([0.0, 0.0])
    given["model"].parts[1]["k"].assign("other")
    given["table"].insert(["b"], [2])
    next(given["iterator"])
    checkpoint.restore(path).assert_consumed()
    assert given["model"].weight.numpy().tolist() == [1.0, 2.0]
    assert given["model"].parts[1]["k"].numpy() == b"text"
    assert given["table"].lookup(tf.constant(["a", "b"])).numpy().tolist() == [1, 0]
    np.testing.assert_array_equal(given["generator"].normal([2]), drawn)
    assert int(next(given["iterator"])) == 1
    names = [name for name, _ in tf.train.list_variables(tmp_path)]
    assert f"model/parts/1/k/{KEY}" in names
    assert f"save_counter/{KEY}" in names
    assert tf.train.load_variable(path, f"same/{KEY}").tolist() == [1.0, 2.0]


def test_parts_that_come_later(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable(2.0)).write(tmp_path / "c")
    later = tf.train.Checkpoint()
    status = later.read(path)
    later.a = tf.Variable(0.0)
    assert float(later.a) == 1.0
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).b"):
        status.assert_consumed()
    later.c = tf.Variable(0.0)
    with pytest.raises(AssertionError, match="Found 1 Python objects that were not bound"):
        status.assert_existing_objects_matched()


def filled(model: Any, values: list[float]) -> list[Any]:
    """The variables that a model has got, in lists and dicts that it had before."""
    one, two, three, four, five, six, seven = made = [tf.Variable(value) for value in values]
    model.rows.append(one)
    model.rows += [two]
    model.named["a"] = three
    model.named.update(b=four)
    model.named.setdefault("c", []).append(five)
    model.inner[0].extend([six])
    model.inner.append({"d": seven})
    return made


@pytest.mark.parametrize("is_held", [False, True])
def test_lists_and_dicts_that_grow_later(tmp_path: Path, is_held: bool) -> None:
    def empty() -> Any:
        model: Any = tf.Module()
        model.rows, model.named, model.inner = [], {}, [[]]
        return model

    model = empty()
    filled(model, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    path = tf.train.Checkpoint(model=model).write(tmp_path / "c")
    later = empty()
    held = [later.rows, later.named, later.inner] if is_held else []
    status = tf.train.Checkpoint(model=later).read(path)
    variables = filled(later, [0.0] * 7)
    if is_held:  # they stay as they are: the next attribute tells of what they got
        later.last = True
        assert [type(part) for part in held] == [list, dict, list]
        assert held[0] is later.rows
    assert [variable.numpy() for variable in variables] == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    status.assert_consumed()
    assert list(copy.deepcopy(later.named)) == ["a", "b", "c"]
    assert later.named["a"] is variables[2]


@pytest.mark.parametrize("is_restored_first", [False, True])
def test_places_of_a_list_that_are_filled_later(tmp_path: Path, is_restored_first: bool) -> None:
    """None holds a place, and is no part that gets a value."""
    model: Any = tf.Module()
    model.slots = [tf.Variable(1.0), None, tf.Variable(3.0)]
    path = tf.train.Checkpoint(model=model).write(tmp_path / "c")
    later: Any = tf.Module()
    if not is_restored_first:
        later.slots = [None] * 3
    status = tf.train.Checkpoint(model=later).read(path)
    if is_restored_first:
        later.slots = [None] * 3
    later.slots[0] = first = tf.Variable(0.0)
    later.slots[2] = last = tf.Variable(0.0)
    assert (first.numpy(), last.numpy()) == (1.0, 3.0)
    status.assert_consumed()


def test_a_list_that_was_a_dict(tmp_path: Path) -> None:
    model, later = tf.Module(), tf.Module()
    model.parts = {"a": {"b": tf.Variable(1.0)}}  # type: ignore[attr-defined]
    path = tf.train.Checkpoint(model=model).write(tmp_path / "c")
    later.parts = []  # type: ignore[attr-defined]
    status = tf.train.Checkpoint(model=later).read(path)
    later.parts.append([tf.Variable(0.0)])  # type: ignore[attr-defined]
    with pytest.raises(AssertionError):
        status.assert_consumed()


def test_what_does_not_fit_is_an_error(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(tmp_path / "c")
    with pytest.raises(ValueError, match="incompatible tensor with shape"):
        tf.train.Checkpoint(v=tf.Variable([0.0])).read(path)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected dtype int32"):
        tf.train.Checkpoint(v=tf.Variable([0, 0])).read(path)
    with pytest.raises(tf.errors.NotFoundError, match="double-check that the path"):
        tf.train.Checkpoint(v=tf.Variable([0, 0])).restore(tmp_path / "nothing")
    with pytest.raises(ValueError, match="expecting a to be a trackable object"):
        tf.train.Checkpoint(a=3)
    with pytest.raises(AssertionError, match="No checkpoint specified"):
        tf.train.Checkpoint().restore(None).assert_consumed()


@pytest.mark.parametrize("change", ["cut index", "cut data", "no data", "graph", "older"])
def test_damaged_checkpoints(tmp_path: Path, change: str) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))
    path = checkpoint.write(tmp_path / "c")
    index, data = Path(f"{path}.index"), Path(f"{path}.data-00000-of-00001")
    if change == "cut index":
        index.write_bytes(index.read_bytes()[:-9])
    elif change == "cut data":
        data.write_bytes(data.read_bytes()[:-1])
    elif change == "no data":
        data.unlink()
    elif change == "older":
        index.write_text('{"format": "tapegrad checkpoint", "version": 1}')
    else:
        write_files(path, [{"children": {"v": 99}, "tensors": {}}], {})
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        checkpoint.read(path)
    assert checkpoint.v.numpy().tolist() == [1.0, 2.0]


SHAPES = [
    [0, 2**62, 2**62],
    [2**62, 0],
    [2**63 - 1] * 3,
    [-1, 0],
    [0] * 70,
    [0, 2**63 - 1],
    [2**32] * 2,
]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("value", [np.zeros(0), np.array([], object), np.ones(2, bool)])
def test_shapes_that_no_array_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shape: list[int], value: Any
) -> None:
    """The checksums of such a file fit: somebody has made it."""
    read = bundles._shape_of
    monkeypatch.setattr(bundles, "_shape_of", lambda entry: tuple(shape) if read(entry) else ())
    write_files(str(tmp_path / "c"), [], {"v": value})
    with pytest.raises(tf.errors.DataLossError, match=r"\bv (are|has)\b"):
        tf.train.load_checkpoint(str(tmp_path / "c"))


def test_booleans_that_are_neither(tmp_path: Path) -> None:
    write_files(str(tmp_path / "c"), [], {"v": np.array([0, 1, 2], np.uint8).view(bool)})
    with pytest.raises(tf.errors.DataLossError, match="neither true nor false"):
        tf.train.load_checkpoint(str(tmp_path / "c"))


def compressed(data: bytes, length: int) -> bytes:
    """``data`` as Snappy may write it: each ``length`` bytes are copied if they came before."""
    found = varint(len(data))
    for start in range(0, len(data), length):
        piece = data[start : start + length]
        before = data.rfind(piece, 0, start + len(piece) - 1)
        if before < 0:
            long = len(piece) > 60
            first = bytes([60 << 2, len(piece) - 1]) if long else bytes([len(piece) - 1 << 2])
            found += first + piece
        elif 4 <= len(piece) <= 11 and start - before < 1 << 11:
            upper = start - before >> 8 << 5 | len(piece) - 4 << 2
            found += bytes([upper | 1, start - before & 0xFF])
        else:
            wide = start - before >= 1 << 16
            found += bytes([len(piece) - 1 << 2 | (3 if wide else 2)])
            found += (start - before).to_bytes(4 if wide else 2, "little")
    return found


@pytest.mark.parametrize("length", [1, 3, 8, 11, 12, 60, 64])
def test_compressed_bytes(length: int) -> None:
    drawn = random.Random(length)
    for size in (0, 1, 7, 300, 70_000 if length == 64 else 1000):
        data = b"a" * size + drawn.randbytes(size) + b"abc" * (size // 2)
        for text in (data, data + data[size : 2 * size]):
            written = compressed(text, length)
            assert decompress(written) == text
            for cut in {*range(min(len(written), 40)), len(written) - 1}:
                with pytest.raises(DecodeError):
                    decompress(written[:cut])


@pytest.mark.parametrize(
    "data",
    [b"\x04\x00a\x05\x02", b"\x04\x01\x01", b"\xff\xff\xff\x7f\x00a", b"\x01\x04ab", b"\x02\x00a"],
)
def test_bytes_that_are_not_compressed(data: bytes) -> None:
    """A copy from before the beginning, no bytes to copy, and sizes that are not those of the content."""
    with pytest.raises(DecodeError, match="compressed data"):
        decompress(data)


def test_checkpoints_with_compressed_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Google's own TensorFlow writes such ones: Sonnet's tests have them."""
    plain = bundles._add_block

    def packed(table: bytearray, pairs: list[tuple[bytes, bytes]]) -> bytes:
        block = bytearray()
        plain(block, pairs)
        data = compressed(bytes(block[:-5]), 8)
        handle = varint(len(table)) + varint(len(data))
        data += bytes([bundles.SNAPPY])
        table += data + struct.pack("<I", masked_crc32c(data))
        return handle

    checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), text=tf.Variable(["a", "bc"]))
    before = checkpoint.write(tmp_path / "plain")
    monkeypatch.setattr(bundles, "_add_block", packed)
    path = checkpoint.write(tmp_path / "packed")
    assert Path(f"{path}.index").read_bytes() != Path(f"{before}.index").read_bytes()
    checkpoint.v.assign([0.0, 0.0])
    checkpoint.read(path).assert_consumed()
    assert checkpoint.v.numpy().tolist() == [1.0, 2.0]


@pytest.mark.parametrize("file", ["index", "data-00000-of-00001"])
def test_no_changed_byte_of_a_checkpoint_is_taken(tmp_path: Path, file: str) -> None:
    """Every byte has a checksum, but for some of the footer of the index."""
    checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), text=tf.Variable(["a", "bc"]))
    before = [checkpoint.v.numpy().tolist(), checkpoint.text.numpy().tolist()]
    changed = Path(f"{checkpoint.write(tmp_path / 'c')}.{file}")
    whole = changed.read_bytes()
    for place in range(len(whole)):
        changed.write_bytes(whole[:place] + bytes([whole[place] ^ 0x15]) + whole[place + 1 :])
        try:
            checkpoint.read(tmp_path / "c")
        except tf.errors.DataLossError:
            pass
        else:
            assert file == "index"
            assert place >= len(whole) - 48
        assert [checkpoint.v.numpy().tolist(), checkpoint.text.numpy().tolist()] == before


@pytest.mark.parametrize("seed", range(4))
def test_doctored_messages_with_right_checksums(tmp_path: Path, seed: int) -> None:
    """Whatever the messages of an index say, the checkpoint is read, or it is a DataLossError."""
    drawn = random.Random(seed)
    checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), text=tf.Variable(["a", "bc"]))
    index = Path(f"{checkpoint.write(tmp_path / 'c')}.index")
    table = dict(bundles._read_table(index.read_bytes()))
    refused = 0
    for _ in range(200):
        name = drawn.choice(list(table))
        message = bytearray(table[name])
        place = drawn.randrange(len(message))
        message[place : place + drawn.choice([0, 1])] = drawn.randbytes(drawn.choice([0, 1, 2]))
        index.write_bytes(bundles._table(table | {name: bytes(message)}))
        try:
            checkpoint.read(tmp_path / "c")
        except tf.errors.DataLossError:
            refused += 1
    assert refused > 100


def test_a_checkpoint_of_tensorflows_is_restored() -> None:
    objects, given = record_checkpoint.made(tf, 0)
    tf.train.Checkpoint(**given).restore(record_checkpoint.FOLDER / "ck-1").assert_consumed()
    assert record_checkpoint.told(objects, given) == record_checkpoint.told(
        *record_checkpoint.made(tf, 1)
    )
    assert tf.train.load_variable(record_checkpoint.FOLDER, f"step/{KEY}") == 7


def test_a_checkpoint_has_the_names_and_bytes_of_tensorflows(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(**record_checkpoint.made(tf, 1)[1]).save(tmp_path / "ck")
    theirs = tf.train.load_checkpoint(record_checkpoint.FOLDER)
    ours = tf.train.load_checkpoint(path)
    assert ours.get_variable_to_shape_map() == theirs.get_variable_to_shape_map()
    assert ours.get_variable_to_dtype_map() == theirs.get_variable_to_dtype_map()
    assert ours.get_variable_to_dtype_map()["_CHECKPOINTABLE_OBJECT_GRAPH"] == tf.string
    for name in ours.get_variable_to_shape_map():
        # The keys of a table have no order, and the graph has names for TensorFlow 1 there.
        if "table" not in name and "GRAPH" not in name:
            np.testing.assert_array_equal(ours.get_tensor(name), theirs.get_tensor(name))


def test_the_variables_of_a_saved_model_of_tensorflows_are_restored(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    (folder / "variables").mkdir(parents=True)
    (folder / "saved_model.pb").write_bytes(b"a graph")
    weight = tf.Variable([1.0, 2.0])
    tf.train.Checkpoint(w=weight).write(folder / "variables" / "variables")
    weight.assign([0.0, 0.0])
    tf.train.Checkpoint(w=weight).read(folder).assert_consumed()
    assert weight.numpy().tolist() == [1.0, 2.0]
    with pytest.raises(OSError, match="Cannot parse file"):
        tf.saved_model.load(folder)  # which reads the graph too


def test_a_checkpoint_without_objects_has_names(tmp_path: Path) -> None:
    prefix = tmp_path / "named"
    write_files(str(prefix), [], {"w": np.ones(2, np.float32)})
    assert tf.train.list_variables(str(prefix)) == [("w", [2])]
    assert tf.train.load_variable(str(prefix), "w").tolist() == [1.0, 1.0]
    weight = tf.Variable([0.0, 0.0], name="w")
    tf.train.Checkpoint(other=weight).read(prefix).assert_consumed()
    assert weight.numpy().tolist() == [1.0, 1.0]


def test_manager(tmp_path: Path) -> None:
    step = tf.Variable(0)
    checkpoint = tf.train.Checkpoint(step=step)
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    assert manager.restore_or_initialize() is None
    for number in range(4):
        step.assign(number)
        manager.save()
    assert [os.path.basename(path) for path in manager.checkpoints] == ["ckpt-3", "ckpt-4"]
    assert not (tmp_path / "ckpt-2.index").exists()
    step.assign(10)
    again = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    assert again.checkpoints == manager.checkpoints
    assert again.restore_or_initialize() == str(tmp_path / "ckpt-4")
    assert int(step) == 3
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == str(tmp_path / "ckpt-4")
    with pytest.raises(ValueError, match="positive integer or `None`"):
        tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=0)


def test_a_saved_model_is_restored(tmp_path: Path) -> None:
    model = tf.Module()
    model.weight = tf.Variable([1.0, 2.0])
    tf.saved_model.save(model, tmp_path / "m")
    other = tf.Module()
    other.weight = tf.Variable([0.0, 0.0])
    tf.train.Checkpoint(other).restore(tmp_path / "m")
    assert other.weight.numpy().tolist() == [1.0, 2.0]


def test_what_a_reader_knows_of_each_tensor(tmp_path: Path) -> None:
    path = tf.train.Checkpoint(v=tf.Variable([1, 2])).write(tmp_path / "checkpoint")
    reader = tf.train.load_checkpoint(path)
    name = "v/.ATTRIBUTES/VARIABLE_VALUE"
    assert reader.get_variable_to_dtype_map()[name] is tf.int32
    assert reader.get_variable_to_shape_map()[name] == [2]
    assert reader.has_tensor(name)
    assert not reader.has_tensor("v")
    assert reader.get_tensor(name).tolist() == [1, 2]


def test_a_named_tuple_is_saved_by_its_fields(tmp_path: Path) -> None:
    class Pair(NamedTuple):
        left: Any
        right: Any

    model = tf.Module()
    model.pair = Pair(tf.Variable(1.0), tf.Variable(2.0))
    path = tf.train.Checkpoint(model=model).save(str(tmp_path / "c"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert names[:2] == [
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "model/pair/left/.ATTRIBUTES/VARIABLE_VALUE",
    ]
    model.pair.right.assign(5.0)
    tf.train.Checkpoint(model=model).restore(path)
    assert float(model.pair.right) == 2.0


def test_a_view_compares_a_checkpoint_with_objects(tmp_path: Path) -> None:
    """The numbers and classes are TensorFlow 2.21's."""

    def net(more: bool = False, other: bool = True) -> tf.Module:
        model: Any = tf.Module()
        model.w = tf.Variable([1.0, 2.0])
        model.parts = [tf.Variable(3.0), {"a": tf.Variable(4.0)}]
        if other:
            model.other = tf.Module()
            model.other.v = model.w
        if more:
            model.more = tf.Module()
            model.more.q = tf.Variable(1.0)
        return model

    path = tf.train.Checkpoint(net=net(), step=tf.Variable(1)).save(str(tmp_path / "c"))
    view = tf.train.CheckpointView(path)
    assert view.descendants() == list(range(10))
    assert [view.children(number) for number in (0, 1, 5, 6, 8)] == [
        {"net": 1, "step": 2, "save_counter": 3},
        {"w": 4, "parts": 5, "other": 6},
        {"0": 7, "1": 8},
        {"v": 4},
        {"a": 9},
    ]
    for root, matched, lacking, others in (
        (tf.train.Checkpoint(net=net(), step=tf.Variable(1)), [0, 1, 2, 4, 5, 6, 7, 8, 9], [3], 0),
        (tf.train.Checkpoint(net=net(True, False)), [0, 1, 4, 5, 7, 8, 9], [2, 3, 6], 2),
        (tf.train.Checkpoint(other=tf.Module()), [0], [1, 2, 3, 4, 5, 6, 7, 8, 9], 1),
        (tf.train.Checkpoint(net=tf.Variable(1.0)), [0, 1], [2, 3, 4, 5, 6, 7, 8, 9], 0),
    ):
        found, numbers, parts = view.diff(root)
        assert (sorted(found), numbers, len(parts)) == (matched, lacking, others)
        assert found.keys() == view.match(root).keys()
        assert found[0] is root
    # A root has the parts of the checkpoint, and is one.
    rooted = tf.train.Checkpoint(net(), step=tf.Variable(1))
    path = rooted.save(str(tmp_path / "rooted"))
    parts = {"w": 1, "parts": 2, "other": 3, "root": 0, "step": 4, "save_counter": 5}
    assert list(tf.train.CheckpointView(path).children(0).items()) == list(parts.items())
    rooted.restore(path).assert_consumed()
    tf.train.Checkpoint(net()).restore(path).assert_existing_objects_matched()
    with pytest.raises(ValueError, match="Expected a Trackable, got 3"):
        view.match(3)
    with pytest.raises(tf.errors.NotFoundError, match="Failed to find any matching files"):
        tf.train.CheckpointView(str(tmp_path / "nothing"))


def test_a_file_of_another_format_is_no_checkpoint(tmp_path: Path) -> None:
    """Keras 2 tells files of HDF5 from checkpoints by the class of the error."""
    file = tmp_path / "weights"
    file.write_bytes(b"\x89HDF\r\n\x1a\n")
    for read in (tf.train.load_checkpoint, tf.compat.v1.train.NewCheckpointReader):
        with pytest.raises(tf.errors.DataLossError, match="another format"):
            read(str(file))
        with pytest.raises(tf.errors.NotFoundError):
            read(str(tmp_path / "other"))


def test_weak_references(tmp_path: Path) -> None:
    """The checkpoint does not keep the object alive. The files are those of the object itself."""
    model, extra = tf.Module(), tf.Module()
    model.w, extra.v = tf.Variable(1.0), tf.Variable(2.0)
    checkpoint = tf.train.Checkpoint(root=weakref.ref(model), extra=weakref.ref(extra))
    assert checkpoint.root() is model
    path = checkpoint.save(str(tmp_path / "weak"))
    names = {name for name, _ in tf.train.list_variables(path)}
    assert names == {
        "_CHECKPOINTABLE_OBJECT_GRAPH",
        "w/.ATTRIBUTES/VARIABLE_VALUE",
        "extra/v/.ATTRIBUTES/VARIABLE_VALUE",
        "save_counter/.ATTRIBUTES/VARIABLE_VALUE",
    }
    model.w.assign(5.0)
    extra.v.assign(6.0)
    checkpoint.restore(path).assert_consumed()
    assert (model.w.numpy(), extra.v.numpy()) == (1.0, 2.0)
    other = tf.Module()
    tf.train.Checkpoint(root=weakref.ref(other), extra=extra).restore(path)
    other.w = tf.Variable(0.0)
    assert other.w.numpy() == 1.0
    del model
    gc.collect()
    with pytest.raises(AssertionError, match="knows as root is gone"):
        checkpoint.save(str(tmp_path / "weak"))


def test_weak_references_to_what_cannot_be_saved() -> None:
    class Plain:
        pass

    plain = Plain()
    with pytest.raises(ValueError, match="expecting root to be a trackable object"):
        tf.train.Checkpoint(root=weakref.ref(plain))
    with pytest.raises(ValueError, match="got None"):
        tf.train.Checkpoint(root=weakref.ref(tf.Module()))


def trained(steps: int) -> tuple[Any, Any]:
    """A variable and its optimizer, which has slots and other variables, after so many steps."""
    weight, optimizer = tf.Variable([1.0, 2.0]), tf.compat.v1.train.AdamOptimizer(0.1)
    for _ in range(steps):
        optimizer.minimize(lambda: tf.reduce_sum(weight * weight), var_list=[weight])
    return weight, optimizer


def test_slots_of_optimizers(tmp_path: Path) -> None:
    weight, optimizer = trained(2)
    path = tf.train.Checkpoint(weight=weight, optimizer=optimizer).write(str(tmp_path / "slots"))
    names = [name for name, _ in tf.train.list_variables(path)]
    assert [name.removesuffix("/.ATTRIBUTES/VARIABLE_VALUE") for name in names[1:]] == [
        "optimizer/beta1_power",
        "optimizer/beta2_power",
        "weight",
        "weight/.OPTIMIZER_SLOT/optimizer/m",
        "weight/.OPTIMIZER_SLOT/optimizer/v",
    ]
    one_more = trained(3)[0].numpy().tolist()
    for done in (0, 1):  # without slots, and with slots that have other values
        again, other = trained(done)
        status = tf.train.Checkpoint(weight=again, optimizer=other).read(path)
        for name in ("m", "v"):
            slots = [
                kept.get_slot(of, name).numpy()
                for kept, of in ((optimizer, weight), (other, again))
            ]
            assert slots[0].tolist() == slots[1].tolist()
        other.minimize(lambda again=again: tf.reduce_sum(again * again), var_list=[again])
        status.assert_consumed()
        assert again.numpy().tolist() == one_more


def test_slots_whose_objects_appear_later(tmp_path: Path) -> None:
    weight, optimizer = trained(2)
    path = tf.train.Checkpoint(weight=weight, optimizer=optimizer).write(str(tmp_path / "slots"))
    for first, second in (("weight", "optimizer"), ("optimizer", "weight")):
        parts = dict(zip(("weight", "optimizer"), trained(0), strict=True))
        checkpoint = tf.train.Checkpoint(**{first: parts[first]})
        status = checkpoint.read(path)
        with pytest.raises(AssertionError, match="Unresolved object"):
            status.assert_consumed()
        setattr(checkpoint, second, parts[second])
        slot = parts["optimizer"].get_slot(parts["weight"], "m")
        assert slot.numpy().tolist() == optimizer.get_slot(weight, "m").numpy().tolist()


class Slow(tf.Module):
    """An optimizer that makes its slots at a time of its own, as Keras 2's may."""

    def __init__(self) -> None:
        super().__init__()
        self.__dict__["slots"], self.__dict__["positions"] = {}, []

    def get_slot_names(self) -> list[str]:
        return ["mean", "none"]

    def get_slot(self, variable: Any, name: str) -> Any:
        return self.slots[name, variable.ref()]

    def make(self, variable: Any, value: list[float]) -> None:
        self.slots["mean", variable.ref()] = tf.Variable(value)

    def _create_or_restore_slot_variable(
        self, slot_variable_position: Any, slot_name: str, variable: Any
    ) -> None:
        self.positions.append((slot_name, variable, slot_variable_position))


def test_slots_that_an_optimizer_makes_later(tmp_path: Path) -> None:
    weight, optimizer = tf.Variable([1.0]), Slow()
    optimizer.make(weight, [5.0])
    path = tf.train.Checkpoint(weight=weight, optimizer=optimizer).write(str(tmp_path / "slots"))
    again, other = tf.Variable([0.0]), Slow()
    status = tf.train.Checkpoint(weight=again, optimizer=other).read(path)
    [(name, variable, position)] = other.positions
    assert (name, variable is again, position.is_simple_variable()) == ("mean", True, True)
    initial = tf.__internal__.tracking.CheckpointInitialValueCallable(position)
    assert initial(shape=[1], dtype=tf.float32).numpy().tolist() == [5.0]
    assert position.value_shape() == [1]
    other.make(again, [0.0])
    with pytest.raises(AssertionError, match="not bound to checkpointed values"):
        status.assert_consumed()
    position.restore(other.get_slot(again, "mean"))
    status.assert_consumed()
    assert other.get_slot(again, "mean").numpy().tolist() == [5.0]


def test_a_slot_that_is_a_part_as_well_is_refused(tmp_path: Path) -> None:
    weight, optimizer = trained(1)
    checkpoint = tf.train.Checkpoint(
        weight=weight, optimizer=optimizer, slot=optimizer.get_slot(weight, "m")
    )
    with pytest.raises(NotImplementedError, match="a part of an object besides"):
        checkpoint.write(str(tmp_path / "slots"))

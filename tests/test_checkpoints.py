"""`tf.train.Checkpoint`, its manager, and what reads checkpoints."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import tapegrad as tf

pytest.importorskip("safetensors", reason="the extra tapegrad[saving] is not installed")

KEY = ".ATTRIBUTES/VARIABLE_VALUE"


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


@pytest.mark.parametrize("change", ["cut index", "cut data", "object", "tensor", "version", "data"])
def test_damaged_checkpoints(tmp_path: Path, change: str) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))
    path = checkpoint.write(tmp_path / "c")
    index, data = Path(f"{path}.index"), Path(f"{path}.data-00000-of-00001")
    form = json.loads(index.read_text())
    if change == "cut index":
        index.write_bytes(index.read_bytes()[:-9])
    elif change == "cut data":
        data.write_bytes(data.read_bytes()[:-1])
    elif change == "data":
        data.unlink()
    else:
        if change == "object":
            form["objects"][0]["children"]["v"] = 99
        elif change == "tensor":
            form["tensors"][f"v/{KEY}"] = ["float64", [2]]
        else:
            form["version"] = 1000
        index.write_text(json.dumps(form))
    with pytest.raises(tf.errors.DataLossError, match="damaged"):
        checkpoint.read(path)
    assert checkpoint.v.numpy().tolist() == [1.0, 2.0]


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
    assert names[0] == "model/pair/left/.ATTRIBUTES/VARIABLE_VALUE"
    model.pair.right.assign(5.0)
    tf.train.Checkpoint(model=model).restore(path)
    assert float(model.pair.right) == 2.0

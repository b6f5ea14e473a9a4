"""`tf.compat.v1.train.Saver`, beside what `test_v1_stories.py` compares with TensorFlow's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from golden.v1_stories import SAVED, restored

Saver: Any = tf.compat.v1.train.Saver


def test_checkpoints_of_tensorflows_savers_are_read() -> None:
    assert restored(tf, str(SAVED / "m-3")) == [[1.0, 2.0], "é"] * 2


def test_checkpoints_by_name_restore_objects_where_the_names_are_there(tmp_path: Path) -> None:
    path = Saver([tf.Variable(1.0, name="a")]).save(None, str(tmp_path / "m"))
    a, b = tf.Variable(0.0, name="a"), tf.Variable(2.0, name="b")
    status = tf.train.Checkpoint(x=a, y=b).restore(path)
    assert (float(a), float(b)) == (1.0, 2.0)
    assert status.expect_partial() is status
    assert status.initialize_or_restore() is None
    for check in (status.assert_consumed, status.assert_existing_objects_matched):
        with pytest.raises(AssertionError, match=r"not restored: \n.*'b:0'.*\['b'\]"):
            check()


def test_nothing_is_restored_where_one_value_does_not_fit(tmp_path: Path) -> None:
    path = Saver({"a": tf.Variable(1.0), "b": tf.Variable([1.0])}).save(None, str(tmp_path / "m"))
    a = tf.Variable(0.0, name="a")
    for other in (tf.Variable([0.0, 0.0], name="b"), tf.Variable([0], name="b")):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            Saver([a, other]).restore(None, path)
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
            tf.train.Checkpoint(a=a, b=other).restore(path)
    with pytest.raises(tf.errors.NotFoundError, match="Key c not found"):
        Saver([a, tf.Variable(1.0, name="c")]).restore(None, path)
    assert float(a) == 0.0


def test_only_checkpoints_of_the_saver_are_removed(tmp_path: Path) -> None:
    variable = tf.Variable(1.0, name="a")
    other = tf.train.Checkpoint(a=variable).save(tmp_path / "other")
    (tmp_path / "m-0.txt").write_text("notes")
    saver = Saver([variable], max_to_keep=1)
    for step in range(3):
        saver.save(None, str(tmp_path / "m"), step)
    assert {path.name for path in tmp_path.iterdir()} == {
        *("checkpoint", "m-0.txt", "m-2.index", "m-2.data-00000-of-00001"),
        *(f"{os.path.basename(other)}.{end}" for end in ("index", "data-00000-of-00001")),
    }


def test_savers_in_graphs(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="No variables to save"):
            Saver()
        weight = tf.compat.v1.get_variable("w", initializer=[1.0, 2.0])
        saver = Saver()
        scale = tf.compat.v1.placeholder(tf.float32, [])
        scaled = weight * scale
        with tf.compat.v1.Session() as session:
            path = saver.save(session, str(tmp_path / "g"), global_step=1)
            with tf.init_scope():
                weight.assign([0.0, 0.0])
            assert session.run(scaled, {scale: 2.0}).tolist() == [0.0, 0.0]
            saver.restore(session, path)
            assert session.run(scaled, {scale: 2.0}).tolist() == [2.0, 4.0]
        with pytest.raises(TypeError, match="'sess' must be a Session"):
            saver.save(None, path)
        with pytest.raises(NotImplementedError, match="graphs are not written"):
            saver.export_meta_graph()
        later = Saver(defer_build=True)
        tf.compat.v1.get_default_graph().clear_collection("variables")
        with pytest.raises(ValueError, match="No variables to save"):
            later.build()
        assert Saver([], allow_empty=True).save(session, str(tmp_path / "none")) is None


def test_a_saver_may_be_described(tmp_path: Path) -> None:
    variable = tf.Variable(np.arange(3.0), name="a")
    proto = Saver([variable], max_to_keep=7).to_proto()
    assert Saver([variable], saver_def=proto).as_saver_def() == proto
    assert type(proto).FromString(proto.SerializeToString()) == proto
    with pytest.raises(NotImplementedError, match="version 2 alone"):
        Saver([variable], write_version=tf.compat.v1.train.SaverDef.V1)
    with pytest.raises(RuntimeError, match="`var_list` must specify"):
        Saver.from_proto(proto)

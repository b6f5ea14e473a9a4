"""Public names that few programs use: resolvers, states of Python in checkpoints, examples in JSON, hints."""

from __future__ import annotations

import unittest
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

resolvers = tf.distribute.cluster_resolver
Invalid = tf.errors.InvalidArgumentError


def spec(**jobs: Any) -> Any:
    return tf.train.ClusterSpec(jobs)


# Resolvers


def test_a_union_says_what_tensorflows_says() -> None:
    first = resolvers.SimpleClusterResolver(
        spec(worker=["a:1", "b:1"]), "m", "worker", 1, "e", rpc_layer="grpc"
    )
    second = resolvers.SimpleClusterResolver(spec(worker=["c:1"], ps=["p:1"]))
    union = resolvers.UnionResolver(first, second)
    assert union.cluster_spec().as_dict() == {"worker": ["a:1", "b:1", "c:1"], "ps": ["p:1"]}
    assert (union.task_type, union.task_id) == ("worker", 1)
    assert (union.environment, union.rpc_layer) == ("e", "grpc")
    assert union.master("worker", 2) == "c:1"
    assert union.num_accelerators() == {}
    assert resolvers.UnionResolver(first, rpc_layer="q").rpc_layer == "q"
    third = resolvers.SimpleClusterResolver(spec(worker={4: "z:1"}))
    assert resolvers.UnionResolver(first, third).cluster_spec().task_address("worker", 4) == "z:1"


def test_unions_that_cannot_be() -> None:
    first = resolvers.SimpleClusterResolver(spec(worker=["a:1", "b:1"]))
    second = resolvers.SimpleClusterResolver(spec(worker={1: "c:1"}))
    with pytest.raises(KeyError, match="Duplicate"):
        resolvers.UnionResolver(first, second).cluster_spec()
    with pytest.raises(ValueError, match="At least one"):
        resolvers.UnionResolver()
    with pytest.raises(TypeError, match="sub-class"):
        resolvers.UnionResolver(3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="kwargs"):
        resolvers.UnionResolver(first, x=3)


def slurm(monkeypatch: pytest.MonkeyPatch, **said: str) -> None:
    for name, value in said.items():
        monkeypatch.setenv(f"SLURM_{name}", value)


def test_what_slurm_says(monkeypatch: pytest.MonkeyPatch) -> None:
    slurm(
        monkeypatch,
        PROCID="0",
        STEP_NUM_TASKS="3",
        STEP_TASKS_PER_NODE="1(x3)",
        STEP_NODELIST="t02n13,t02n41,t02n43",
    )
    resolver = resolvers.SlurmClusterResolver({"ps": 1, "worker": 2}, tasks_per_node=1)
    assert resolver.cluster_spec().as_dict() == {
        "ps": ["t02n13:8888"],
        "worker": ["t02n41:8888", "t02n43:8888"],
    }
    assert resolver.get_task_info() == ("ps", 0) == (resolver.task_type, resolver.task_id)
    assert resolver.master() == "grpc://t02n13:8888"
    assert resolver.master("worker", 0) == "grpc://t02n41:8888"


def test_lists_of_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    slurm(
        monkeypatch,
        PROCID="3",
        STEP_NUM_TASKS="5",
        STEP_TASKS_PER_NODE="2,1(x3)",
        STEP_NODELIST="n[01-03,7]",
    )
    resolver = resolvers.SlurmClusterResolver()
    addresses = ["n01:8888", "n01:8889", "n02:8888", "n03:8888", "n7:8888"]
    assert resolver.cluster_spec().as_dict() == {"worker": addresses}
    assert resolver.get_task_info() == ("worker", 3)
    with pytest.raises(RuntimeError, match="Requested 3 tasks but only 5"):
        resolvers.SlurmClusterResolver({"worker": 3})
    with pytest.raises(RuntimeError, match="places"):
        resolvers.SlurmClusterResolver(tasks_per_node=1)
    monkeypatch.delenv("SLURM_PROCID")
    with pytest.raises(RuntimeError, match="SLURM_PROCID"):
        resolvers.SlurmClusterResolver()


def test_hints() -> None:
    hints = tf.distribute.experimental.CollectiveHints(3, 2.5)
    assert (hints.bytes_per_pack, hints.timeout_seconds) == (3, 2.5)
    with pytest.raises(ValueError, match="bytes_per_pack"):
        tf.distribute.experimental.CollectiveHints(-1)


# States of Python


class Number(tf.train.experimental.PythonState):  # type: ignore[misc]
    def __init__(self, value: int = 0) -> None:
        self.value = value

    def serialize(self) -> str:
        return str(self.value)

    def deserialize(self, string_value: bytes) -> None:
        assert isinstance(string_value, bytes)
        self.value = int(string_value)


def test_states_of_python_come_back(tmp_path: Path) -> None:
    number = Number(7)
    checkpoint = tf.train.Checkpoint(n=number, x=tf.Variable(1.0))
    path = checkpoint.save(str(tmp_path / "c"))
    number.value = 8
    checkpoint.restore(path).assert_consumed()
    assert number.value == 7
    assert ("n/.ATTRIBUTES/py_state", []) in tf.train.list_variables(path)
    later = tf.train.Checkpoint(x=tf.Variable(0.0))
    status = later.restore(path)
    later.n = Number()
    assert later.n.value == 7
    status.assert_consumed()


def test_a_state_needs_both_methods() -> None:
    class Half(tf.train.experimental.PythonState):  # type: ignore[misc]
        def serialize(self) -> str:
            return ""

    with pytest.raises(TypeError, match="deserialize"):
        Half()


# Examples in JSON

FEATURES = (
    '{"features":{"feature":{"a":{"floatList":{"value":[1,2]}},"b":{"bytesList":{"value":["aGk="]}},'
    '"c":{"int64List":{"value":["5"]}}}}}'
)


def test_examples_in_json() -> None:
    # What TensorFlow writes; it does not pack the integers.
    expected = tf.train.Example.FromString(
        b"\n+\n\x11\n\x01a\x12\x0c\x12\n\r\x00\x00\x80?\r\x00\x00\x00@\n\x0b\n\x01b\x12\x06\n\x04\n"
        b"\x02hi\n\t\n\x01c\x12\x04\x1a\x02\x08\x05"
    )
    serialized = tf.io.decode_json_example([FEATURES]).numpy()[0]
    assert tf.train.Example.FromString(serialized) == expected
    assert tf.io.decode_json_example(['{"features":{}}', "{}"]).numpy().tolist() == [b"\n\x00", b""]
    assert tf.io.decode_json_example([["{}"]]).shape == (1, 1)
    snake = '{"features":{"feature":{"a":{"float_list":{"value":["NaN", 1.5]}}}}}'
    parsed = tf.io.parse_example(
        tf.io.decode_json_example([snake]), {"a": tf.io.FixedLenFeature([2], tf.float32)}
    )
    np.testing.assert_array_equal(parsed["a"].numpy(), [[np.nan, 1.5]])


@pytest.mark.parametrize(
    "text",
    [
        "nope",
        '{"x":1}',
        "[]",
        '{"features":[]}',
        '{"features":{"feature":[1]}}',
        '{"features":{"feature":{"a":{"doubleList":{"value":[1]}}}}}',
        '{"features":{"feature":{"a":{"int64List":{"value":[1.5]}}}}}',
        '{"features":{"feature":{"a":{"int64List":{"value":["1e40"]}}}}}',
        '{"features":{"feature":{"a":{"floatList":{"value":[true]}}}}}',
        '{"features":{"feature":{"a":{"bytesList":{"value":["*"]}}}}}',
        '{"features":{"feature":{"a":{"bytesList":{"value":3}}}}}',
    ],
)
def test_what_is_no_example(text: str) -> None:
    with pytest.raises(Invalid, match="JSON"):
        tf.io.decode_json_example(text)


def test_json_is_text() -> None:
    with pytest.raises(TypeError):
        tf.io.decode_json_example(3)


# Others


def test_files_are_matched_once(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    names = tf.io.match_filenames_once(str(tmp_path / "*.txt"))
    (tmp_path / "b.txt").write_text("")
    assert isinstance(names, tf.Variable)
    assert not names.trainable
    assert names.numpy().tolist() == [str(tmp_path / "a.txt").encode()]


def test_versions_of_graphs() -> None:
    assert tf.version.GRAPH_DEF_VERSION == 2474
    assert tf.version.GRAPH_DEF_VERSION_MIN_CONSUMER == 0
    assert tf.version.GRAPH_DEF_VERSION_MIN_PRODUCER == 0


def test_other_names_of_what_is_there() -> None:
    assert tf.guarantee_const([1, 2]).numpy().tolist() == [1, 2]
    assert tf.dtypes.experimental.int4 is tf.experimental.int4
    places = tf.random_index_shuffle(tf.range(4), [1, 2, 3], 3)
    assert sorted(places.numpy().tolist()) == [0, 1, 2, 3]
    concrete = tf.function(lambda x: x).get_concrete_function(tf.TensorSpec([]))
    assert isinstance(concrete.function_type, tf.types.experimental.FunctionType)
    assert isinstance(concrete.inference_fn, tf.types.experimental.AtomicFunction)


# Specs of arrays of tensors, and of None


def test_specs_of_arrays() -> None:
    kind = tf.TensorArraySpec
    array = tf.TensorArray(tf.int32, 3, element_shape=[2], dynamic_size=True)
    assert repr(tf.type_spec_from_value(array)) == (
        "TensorArraySpec(TensorShape([2]), tf.int32, True, True)"
    )
    assert kind.from_value(array) == kind([2], tf.int32, True)
    assert hash(kind([2])) == hash(kind([2]))
    assert kind([2]).is_compatible_with(kind([None]))
    assert not kind([2]).is_compatible_with(array)
    assert kind([2]).is_subtype_of(kind([None]))
    assert kind().value_type is tf.TensorArray
    with pytest.raises(TypeError, match="TensorArray"):
        kind.from_value(3)  # type: ignore[arg-type]


def test_the_spec_of_none() -> None:
    spec_of_none = tf.NoneTensorSpec()
    assert spec_of_none == tf.NoneTensorSpec.from_value(None)
    assert spec_of_none.is_compatible_with(None)
    assert not spec_of_none.is_compatible_with(3)
    assert spec_of_none.most_specific_compatible_shape(spec_of_none) == spec_of_none
    with pytest.raises(ValueError, match="two kinds"):
        spec_of_none.most_specific_compatible_shape(tf.TensorSpec([]))


def test_ragged_fill_empty_rows() -> None:
    """The numbers are TensorFlow 2.21's."""
    values, default = tf.constant([5.0, 3.0, 4.0]), tf.constant(-1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([values, default])
        filled = tf.ragged_fill_empty_rows([3, 0, 2], values, 5, default)
        y = filled.output_values * [1.0, 2.0, 3.0, 4.0, 5.0]
    assert [part.numpy().tolist() for part in filled] == [
        [0, 1, 2, 3, 4],
        [3.0, -1.0, 4.0, 5.0, -1.0],
        [False, True, False, False, True],
        [3, 0, 2],
    ]
    assert [part.numpy().tolist() for part in tape.gradient(y, [values, default])] == [
        [4.0, 1.0, 3.0],
        7.0,
    ]
    of_values, of_default = tf.ragged_fill_empty_rows_grad([0, 1, 3], [5.0, 3.0, 4.0, 7.0, 1.0])
    assert (of_values.numpy().tolist(), float(of_default)) == ([5.0, 3.0, 7.0], 5.0)
    empty = tf.ragged_fill_empty_rows(tf.zeros([0], tf.int64), tf.zeros([0]), 2, 9.0)
    assert empty.output_values.numpy().tolist() == [9.0, 9.0]
    for rowids, given, nrows, instead in (
        ([9], [1.0], 2, 0.0),
        ([-1], [1.0], 2, 0.0),
        ([0, 1], [1.0], 2, 0.0),
        ([[0]], [1.0], 2, 0.0),
        ([0], [[1.0]], 2, 0.0),
        ([0], [1.0], [2], 0.0),
        ([0], [1.0], 2, [0.0]),
        ([0], [1.0], -2, 0.0),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.ragged_fill_empty_rows(rowids, given, nrows, instead)


def test_parallel_stack_is_for_functions() -> None:
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    with pytest.raises(RuntimeError, match=r"not compatible with eager execution: use tf\.stack"):
        tf.parallel_stack([x, y])
    stacked = tf.function(lambda x: tf.parallel_stack([x, y]))(x)
    assert stacked.numpy().tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_blocks_for_other_executors() -> None:
    with tf.experimental.async_scope():
        y = tf.constant(1.0) + 1.0
    tf.experimental.async_clear_error()
    assert float(y) == 2.0
    for name in (None, "", "SINGLE_THREADED_EXECUTOR"):
        with tf.experimental.function_executor_type(name):
            assert float(tf.function(lambda: y)()) == 2.0
    with (
        pytest.raises(tf.errors.NotFoundError, match="no executor 'x'"),
        tf.experimental.function_executor_type("x"),
    ):
        pass
    with (
        pytest.raises(tf.errors.InvalidArgumentError, match="string or None; int came"),
        tf.experimental.function_executor_type(3),
    ):
        pass


def test_decorators_of_test_cases() -> None:
    @tf.test.with_eager_op_as_function
    class Cases(tf.test.TestCase):
        @tf.test.disable_with_predicate(lambda: True, "not here")
        def test_skipped(self) -> None:
            raise AssertionError("it ran")

        @tf.test.disable_with_predicate(lambda: False, "not here")
        def test_run(self) -> None:
            pass

    result = unittest.TestResult()
    Cases("test_skipped").run(result)
    Cases("test_run").run(result)
    assert [reason for _, reason in result.skipped] == ["not here"]
    assert result.wasSuccessful()


def test_what_is_like_a_tensor() -> None:
    kind = tf.types.experimental.TensorLike
    for value in (tf.constant(1.0), tf.Variable(1.0), 3, "x", [1.0], np.zeros(2)):
        assert isinstance(value, kind)
    for value in (None, {}):
        assert not isinstance(value, kind)


def test_fingerprints(tmp_path: Path) -> None:
    """The file is TensorFlow 2.21's, and so are the words."""
    file = tmp_path / "fingerprint.pb"
    file.write_bytes(bytes.fromhex(
        "08b696b8b7e393cbf70110e998fcefbba4d29a7518d3ebd3efa1be81bdae0120d0e5fdb1bfcfafc0ba0128befaf1adab"
        "d195c00d320208043a273132323433373832323434333933363637363134393337373238363335353532313536353839"
        "37"
    ))  # fmt: skip
    found = tf.saved_model.experimental.read_fingerprint(tmp_path)
    hashes = (
        139379171509799734,
        8445737094063524969,
        12572367847200978387,
        13438950727695168208,
        972872673266531646,
    )
    assert repr(found) == f"Fingerprint{hashes}"
    assert str(found).splitlines()[:2] == [
        "SavedModel Fingerprint",
        "  saved_model_checksum: 139379171509799734",
    ]
    assert found.singleprint() == "/".join(map(str, hashes[1:]))
    assert found.version.producer == 4
    kind = tf.saved_model.experimental.Fingerprint
    assert found == kind(*hashes) == kind.from_proto(found) != kind(*hashes[:4], 5)
    assert found != "x"
    with pytest.raises(ValueError, match="checkpoint_hash is None"):
        kind(1, 2, 3, 4).singleprint()
    for damaged in (b"\xff\xff\xff", b"\x0a\x03123", b"\x08", b"\x30\x04"):
        file.write_bytes(damaged)
        with pytest.raises(RuntimeError, match="Could not read fingerprint"):
            tf.saved_model.experimental.read_fingerprint(str(tmp_path))
    with pytest.raises(FileNotFoundError, match="Could not find fingerprint in directory"):
        tf.saved_model.experimental.read_fingerprint(str(tmp_path / "nothing"))


def test_ragged_constants_of_version_1_have_numpys_dtypes() -> None:
    value_of = tf.compat.v1.ragged.constant_value
    narrow = [np.array([1, 2], np.int16), np.array([3], np.int16)]
    for rows, dtype in (([[1, 2], [3]], "int64"), ([[1.5], []], "float64"), (narrow, "int16")):
        value = value_of(rows)
        assert value.values.dtype == dtype
        assert value.to_list() == [list(row) for row in rows]
    assert value_of([["a"], []]).values.tolist() == ["a"]
    assert value_of([[1, 2], [3]], dtype=np.float32).values.dtype == np.float32

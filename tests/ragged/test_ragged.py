"""Ragged tensors: how they are made, taken apart and shown. golden/ragged.json.gz has TensorFlow's values."""

import copy
import gzip
import inspect
import itertools
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from expressions import answer, names

GOLDEN = json.loads(
    gzip.decompress((Path(__file__).parents[1] / "golden" / "ragged.json.gz").read_bytes())
)


def same(ours: Any, theirs: Any) -> bool:
    """Whether two answers agree; numbers to the last few bits of float32."""
    if isinstance(ours, float) and isinstance(theirs, (int, float)):
        return bool(np.isclose(ours, theirs, rtol=2e-6, atol=1e-7, equal_nan=True))
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return bool(ours == theirs)


def complaints(group: str) -> list[str]:
    known = names(tf)
    return [
        f"{line}: {ours}, and in TensorFlow {theirs}"
        for line, theirs in GOLDEN[group].items()
        if not same(ours := answer(line, known), theirs)
    ]


def test_tensors_are_tensorflows() -> None:
    assert not complaints("TENSORS")


# --- What no expression asks


def test_the_class_makes_no_function_slower() -> None:
    program = (
        "import tapegrad as tf; isinstance(1, tf.RaggedTensor); assert not tf.gather.overrides; "
        "tf.ragged.constant([[1]]); assert tf.RaggedTensor in tf.gather.overrides"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_functions_with_overrides_keep_their_signatures_and_errors() -> None:
    tf.ragged.constant([[1]])
    assert list(inspect.signature(tf.gather).parameters)[:2] == ["params", "indices"]
    assert inspect.getfullargspec(tf.gather).args[:3] == ["params", "indices", "validate_indices"]
    with pytest.raises(TypeError, match="missing"):
        tf.gather()
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.gather(tf.constant([1, 2]), 7)
    assert tf.gather(params=tf.constant([1, 2]), indices=1).numpy() == 2


def test_a_form_is_for_its_class_alone() -> None:
    class Other(tf.Module):
        pass

    with pytest.raises((TypeError, ValueError)):
        tf.cast(Other(), tf.float32)


def test_threads_make_the_first_ragged_tensor_together() -> None:
    program = (
        "import threading, tapegrad as tf\n"
        "found = []\n"
        "def run():\n"
        "    for _ in range(20):\n"
        "        ragged = tf.ragged.constant([[1], [2, 3]])\n"
        "        found.append(tf.reduce_sum(tf.cast(ragged, tf.float32)).numpy())\n"
        "threads = [threading.Thread(target=run) for _ in range(8)]\n"
        "[each.start() for each in threads]; [each.join() for each in threads]\n"
        "assert found == [6.0] * 160, found"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_copies_and_pickles() -> None:
    ragged = tf.ragged.constant([[[1, 2], [3]], [], [[4]]], dtype=tf.float64)
    for other in (
        copy.copy(ragged),
        copy.deepcopy(ragged),
        pickle.loads(pickle.dumps(ragged)),
        tf.nest.map_structure(tf.identity, ragged, expand_composites=True),
        tf.nest.map_structure(tf.identity, ragged),
    ):
        assert other.to_list() == ragged.to_list()
        assert other.dtype is tf.float64
    spec = tf.type_spec_from_value(ragged)
    assert pickle.loads(pickle.dumps(spec)) == spec
    assert spec.is_compatible_with(ragged)


def test_gradients_have_the_rows_of_their_source() -> None:
    x = tf.ragged.constant([[3.0, 1.0], [], [2.0]])
    table = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x])
        y = tf.concat([x * x, x], axis=1)
        mean = tf.reduce_mean(y[:, :1])
        found = tf.nn.embedding_lookup(table, tf.ragged.constant([[0, 1], [1]]))
        total = tf.reduce_sum(found, axis=1)
    assert tape.gradient(y, x).to_list() == [[7.0, 3.0], [], [5.0]]
    assert tape.gradient(mean, {"x": x})["x"].to_list() == [[3.0, 0.0], [], [2.0]]
    assert tape.gradient(y, [x], output_gradients=2.0 * tf.ones_like(y))[0].to_list() == [
        [14.0, 6.0],
        [],
        [10.0],
    ]
    assert tf.convert_to_tensor(tape.gradient(total, table)).numpy().tolist() == [[1, 1], [2, 2]]
    assert tape.gradient(total, x) is None


@pytest.mark.parametrize("seed", range(20))
def test_random_rows_go_there_and_back(seed: int) -> None:
    draws = np.random.default_rng(seed)
    rows = [
        draws.integers(0, 9, draws.integers(0, 5)).tolist() for _ in range(draws.integers(1, 6))
    ]
    ragged = tf.ragged.constant(rows, dtype=tf.int32)
    assert ragged.to_list() == rows
    lengths = ragged.row_lengths()
    dense = ragged.to_tensor(-1)
    assert tf.RaggedTensor.from_tensor(dense, lengths=lengths).to_list() == rows
    assert tf.RaggedTensor.from_tensor(dense, padding=-1).to_list() == rows
    assert tf.RaggedTensor.from_sparse(ragged.to_sparse()).to_list() == rows
    same = tf.RaggedTensor.from_value_rowids(ragged.values, ragged.value_rowids(), ragged.nrows())
    assert same.to_list() == rows
    assert tf.reduce_sum(ragged, 1).numpy().tolist() == [sum(row) for row in rows]
    key = slice(*draws.choice([None, -3, -1, 1, 2, 3], 3).tolist())
    assert ragged[key].to_list() == rows[key]
    assert ragged[:, key].to_list() == [row[key] for row in rows]
    assert tf.concat([ragged, ragged], 1).to_list() == [row + row for row in rows]
    assert tf.reverse(ragged, [1]).to_list() == [row[::-1] for row in rows]


def test_ragged_tensors_of_floats_are_no_tensors() -> None:
    ragged = tf.ragged.constant([[1.0], [2.0]])
    for refused in (tf.convert_to_tensor, tf.constant, tf.transpose, tf.sort, tf.Variable):
        with pytest.raises(ValueError, match="to_tensor"):
            refused(ragged)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ([None, 2], [[3, 1], [9, 9], [4, 9], [5, 6]]),
        ([None, 4], [[3, 1, 9, 9], [9, 9, 9, 9], [4, 9, 9, 9], [5, 6, 7, 9]]),
        ([2, 1], [[3], [9]]),
        ([5, None], [[3, 1, 9], [9, 9, 9], [4, 9, 9], [5, 6, 7], [9, 9, 9]]),
        ([0, 2], np.zeros([0, 2])),
        ([None, 0], np.zeros([4, 0])),
    ],
)
def test_rows_are_cut_and_filled_to_a_shape(shape: Any, expected: Any) -> None:
    rows = tf.RaggedTensor.from_row_lengths([3, 1, 4, 5, 6, 7], [2, 0, 1, 3])
    dense = rows.to_tensor(9, shape=shape)
    np.testing.assert_array_equal(dense.numpy(), expected)
    assert dense.dtype == tf.int32
    with pytest.raises(tf.errors.InvalidArgumentError):
        rows.to_tensor(shape=[None, 2, 2])


def test_a_saved_function_cuts_rows_of_any_length(tmp_path: Path) -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def pieces(texts: Any) -> Any:
        return tf.strings.split(texts).to_tensor("", shape=[None, 3])

    model = tf.Module()
    model.pieces = pieces
    tf.saved_model.save(model, str(tmp_path / "m"))
    loaded = tf.saved_model.load(str(tmp_path / "m"))
    for texts in (["a b c d e", "f"], ["a"], ["a b", "", "c d e f"]):
        expected = [(text.split() + [""] * 3)[:3] for text in texts]
        np.testing.assert_array_equal(loaded.pieces(texts).numpy().astype(str), expected)


@pytest.mark.parametrize(
    "other",
    [None, "x", [[1, 2], [3]], 1.5, tf.ragged.constant([[1.0], [2.0]]), tf.ones([2, 3], tf.int32)],
)
def test_what_cannot_be_compared_with_a_ragged_tensor_is_unequal(other: Any) -> None:
    ragged = tf.ragged.constant([[1, 2], [3]])
    assert (ragged == other) is False
    assert (ragged != other) is True
    if isinstance(other, tf.Tensor):
        assert (other == ragged) is False
        assert (other != ragged) is True


def test_every_slice_of_the_columns_of_a_ragged_tensor() -> None:
    rows = [[1, 2, 3, 4], [], [5], [6, 7, 8, 9, 10, 11]]
    ends = [None, 0, 1, 3, 9, -1, -2, -9]
    for splits in (tf.int32, tf.int64):
        ragged = tf.ragged.constant(rows, row_splits_dtype=splits)
        for start, stop, step in itertools.product(ends, ends, [None, 1, 2, -1, -2]):
            key = slice(start, stop, step)
            assert ragged[:, key].to_list() == [row[key] for row in rows], key
            assert ragged[:, key].row_splits.dtype is splits

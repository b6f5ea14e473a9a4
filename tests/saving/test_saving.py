"""`tf.saved_model`: objects, functions and signatures saved and loaded, and files that are damaged."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.saving.graphs.messages import SavedModel


class Model(tf.Module):
    """A model with everything that is saved."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="weight")
        self.again = self.weight
        self.parts = [tf.Variable(1), {"a": tf.Variable(3.0, trainable=False)}]
        self.pair = (tf.Variable(True), 2)
        self.inner = tf.Module()
        self.inner.half = tf.Variable(tf.constant([1.5, -2.0], tf.bfloat16))
        self.inner.words = tf.Variable(["a", "", "ä"])
        self.inner.up = self
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(["x", "y"], [1, 2]), default_value=-1
        )
        self.count = tf.Variable(0)
        self.text = "not saved"

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def __call__(self, x: Any) -> Any:
        return tf.nn.relu(x @ self.weight)

    @tf.function
    def scale(self, x: Any, by: int = 2) -> Any:
        return {"scaled": x * by, "both": (x, None)}

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def steps(self, x: Any) -> Any:
        while x > 1:
            x = x / 2
        return -x if x < 0 else x

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def until(self, x: Any) -> Any:
        while x > 1:
            x = x / 2
            if x == 3.0:
                return -x
        return x

    @tf.function(input_signature=[])
    def increment(self) -> Any:
        self.count.assign_add(1)
        return self.count + 0

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def find(self, words: Any) -> Any:
        return self.table.lookup(words)

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32, "rows")])
    def means(self, x: Any) -> Any:
        shape = tf.shape(x)
        flat = tf.reshape(x, [x.shape[0] * x.shape[1] if x.shape[0] else shape[0] * shape[1]])
        return tf.reduce_mean(x, axis=0), flat, tf.zeros([shape[0], 2]), tf.range(shape[1])

    @tf.function
    def never_called(self, x: Any) -> Any:
        return x


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Any, Any]:
    model = Model()
    model.scale(tf.constant([1.0, 2.0]))
    model.scale(tf.constant(3), by=4)
    tf.saved_model.save(model, tmp_path / "model")
    return model, tf.saved_model.load(tmp_path / "model")


def test_objects_come_back(pair: Any) -> None:
    model, loaded = pair
    np.testing.assert_array_equal(loaded.weight, model.weight)
    assert loaded.again is loaded.weight
    assert loaded.weight.name == "weight:0"
    assert loaded.parts[0].numpy() == 1
    assert not loaded.parts[1]["a"].trainable
    assert loaded.pair[0].dtype is tf.bool
    assert loaded.inner.half.dtype is tf.bfloat16
    assert loaded.inner.words.numpy().tolist() == [b"a", b"", "ä".encode()]
    assert loaded.inner.up is loaded
    assert not hasattr(loaded, "text")
    assert not loaded.signatures


@pytest.mark.parametrize("rows", [1, 2, 7])
def test_functions_take_other_sizes(pair: Any, rows: int) -> None:
    model, loaded = pair
    x = tf.reshape(tf.range(3.0 * rows), [rows, 3]) - 4.0
    np.testing.assert_array_equal(loaded(x), model(x))
    for found, wanted in zip(loaded.means(x), model.means(x), strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("number", [-3.0, 0.5, 1.5, 9.0])
def test_branches_and_loops(pair: Any, number: float) -> None:
    model, loaded = pair
    assert float(loaded.steps(number)) == float(model.steps(number))


def test_a_way_that_was_not_saved_says_so(pair: Any) -> None:
    model, loaded = pair
    assert float(loaded.until(12.0)) == -3.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="a way that was not saved"):
        loaded.until(1e9)  # a loop that returns is saved turn by turn
    assert float(loaded.steps(1e9)) == float(model.steps(1e9))


def test_effects_and_tables(pair: Any) -> None:
    model, loaded = pair
    assert [int(loaded.increment()) for _ in range(3)] == [1, 2, 3]
    assert int(loaded.count) == 3
    assert int(model.count) == 0  # saving has left no trace
    assert loaded.find(tf.constant(["y", "?", "x"])).numpy().tolist() == [2, -1, 1]


def test_python_values_choose(pair: Any) -> None:
    loaded = pair[1]
    assert loaded.scale(tf.constant([1.0, 2.0]))["scaled"].numpy().tolist() == [2.0, 4.0]
    assert loaded.scale(5, 4)["scaled"].numpy() == 20
    assert loaded.scale(tf.constant(5), by=4)["both"][1] is None
    with pytest.raises(ValueError, match="Could not find matching concrete function") as raised:
        loaded.scale(tf.constant([1.0, 2.0, 3.0]))
    assert "Option 2:\n  Positional arguments (2 total):\n    * TensorSpec(shape=(), " in str(
        raised.value
    )
    with pytest.raises(ValueError, match="zero restored functions"):
        loaded.never_called(1.0)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        loaded.scale()
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        loaded(tf.ones([2, 4]))


def test_gradients_flow(pair: Any) -> None:
    model, loaded = pair
    x = tf.ones([2, 3])
    found = []
    for each in (model, loaded):
        for _ in range(3):  # recorded on the first call, replayed later
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(each(x) ** 2)
            found.append(tape.gradient(y, [x, each.weight]))
    for gradients in found:
        for one, other in zip(gradients, found[0], strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_loaded_model_is_saved_again(pair: Any, tmp_path: Path) -> None:
    model, loaded = pair
    tf.saved_model.save(loaded, tmp_path / "again")
    again = tf.saved_model.load(tmp_path / "again")
    x = tf.ones([4, 3])
    np.testing.assert_array_equal(again(x), model(x))
    assert float(again.steps(9.0)) == float(model.steps(9.0))
    assert again.scale(tf.constant(5), by=4)["scaled"].numpy() == 20


def test_signatures(tmp_path: Path) -> None:
    model = Model()
    both = tf.function(
        lambda p, q: {"b": p + q, "a": p - q},
        input_signature=[tf.TensorSpec([None], name="first"), tf.TensorSpec([None])],
    )
    concrete = model.scale.get_concrete_function(tf.TensorSpec([None]), 3)
    with pytest.raises(ValueError, match="non-Tensor value"):
        tf.saved_model.save(model, tmp_path / "m", signatures=concrete)
    tf.saved_model.save(model, tmp_path / "m", signatures={"both": both, "call": model.__call__})
    loaded = tf.saved_model.load(tmp_path / "m", tags="serve")
    assert list(loaded.signatures) == ["both", "call"]
    found = loaded.signatures["both"](first=tf.constant([3.0]), q=tf.constant([1.0]))
    assert {name: tensor.numpy().tolist() for name, tensor in found.items()} == {
        "a": [2.0],
        "b": [4.0],
    }
    assert loaded.signatures["call"](tf.ones([1, 3]))["output_0"].shape == (1, 2)
    assert loaded.signatures["call"].structured_input_signature == (
        (),
        {"x": tf.TensorSpec([None, 3], name="x")},
    )
    with pytest.raises(TypeError, match="missing required arguments: first, q"):
        loaded.signatures["both"]()
    with pytest.raises(ValueError, match="incompatible argument to `tags`"):
        tf.saved_model.load(tmp_path / "m", tags=["other"])
    with pytest.raises(ValueError, match="Expected a TensorFlow function"):
        tf.saved_model.save(model, tmp_path / "m", signatures=model.never_called)


def test_inputs_of_a_signature_keep_their_names_in_any_order(tmp_path: Path) -> None:
    module = tf.Module()
    module.call = tf.function(lambda y, x: y - x, input_signature=[tf.TensorSpec([])] * 2)
    concrete = module.call.get_concrete_function()
    assert [tensor.name for tensor in concrete.inputs] == ["y:0", "x:0"]
    tf.saved_model.save(module, tmp_path / "m")
    serve = tf.saved_model.load(tmp_path / "m").signatures["serving_default"]
    assert serve(x=tf.constant(3.0), y=tf.constant(5.0))["output_0"].numpy() == 2.0


@pytest.mark.parametrize("for_signature", [False, True])
def test_variables_must_be_parts(tmp_path: Path, for_signature: bool) -> None:
    outside = tf.Variable(1.0)
    model = tf.Module()
    function = tf.function(lambda x: x * outside, input_signature=[tf.TensorSpec([])])
    if for_signature:
        with pytest.raises(AssertionError, match="untracked"):
            tf.saved_model.save(model, tmp_path / "m", signatures=function)
    else:
        model.function = function
        model.second = tf.function(lambda x: x, input_signature=[tf.TensorSpec([])])
        with pytest.raises(KeyError, match="not reachable from root"):
            tf.saved_model.save(model, tmp_path / "m")
    assert not os.listdir(tmp_path)  # nothing is left of what failed


def test_python_is_refused(tmp_path: Path) -> None:
    model = tf.Module()
    model.function = tf.function(
        lambda x: tf.py_function(lambda y: y + 1, [x], tf.float32),
        input_signature=[tf.TensorSpec([])],
    )
    with pytest.raises(tf.errors.UnimplementedError, match="cannot be saved"):
        tf.saved_model.save(model, tmp_path / "m")


def test_sizes_that_decide_are_saved_as_recorded(tmp_path: Path) -> None:
    model = tf.Module()

    def unrolled(x: Any) -> Any:
        total = tf.zeros([])
        for _, row in enumerate(x):
            total = total * 2 + tf.reduce_sum(row)
        return total

    model.function = tf.function(unrolled, input_signature=[tf.TensorSpec([None, 2])])
    wanted = model.function(tf.ones([3, 2]))
    tf.saved_model.save(model, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert float(loaded.function(tf.ones([3, 2]))) == float(wanted)
    with pytest.raises(TypeError, match=r"Can not cast TensorSpec\(shape=\(4, 2\)"):
        loaded.function(tf.ones([4, 2]))


def test_ragged_and_sparse_arguments(tmp_path: Path) -> None:
    model = tf.Module()
    model.ragged = tf.function(
        lambda x: (x.to_tensor(), x * 2.0),
        input_signature=[tf.RaggedTensorSpec([None, None], tf.float32)],
    )
    model.sparse = tf.function(
        lambda x: tf.sparse.to_dense(x) + 1.0, input_signature=[tf.SparseTensorSpec([None, 4])]
    )
    ragged = tf.ragged.constant([[1.0, 2.0, 3.0], [], [4.0]])
    sparse = tf.sparse.from_dense([[0.0, 1.0, 0.0, 2.0]])
    tf.saved_model.save(model, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    found, wanted = loaded.ragged(ragged), model.ragged(ragged)
    np.testing.assert_array_equal(found[0], wanted[0])
    assert found[1].to_list() == wanted[1].to_list()
    np.testing.assert_array_equal(loaded.sparse(sparse), model.sparse(sparse))


def test_assets(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("one\ntwo\n")
    model = tf.Module()
    model.asset = tf.saved_model.Asset(str(words))
    tf.saved_model.save(model, tmp_path / "m")
    words.unlink()
    path = tf.saved_model.load(tmp_path / "m").asset.asset_path.numpy().decode()
    assert path == str(tmp_path / "m" / "assets" / "words.txt")
    assert Path(path).read_text() == "one\ntwo\n"


def test_a_table_of_the_lines_of_an_asset(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("one\ntwo\n")
    model: Any = tf.Module()
    model.asset = tf.saved_model.Asset(str(words))
    index = tf.lookup.TextFileIndex
    columns = tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
    lines = tf.lookup.TextFileInitializer(model.asset, *columns)
    model.table = table = tf.lookup.StaticHashTable(lines, -1)
    model.f = tf.function(table.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    tf.saved_model.save(model, tmp_path / "m")
    words.unlink()
    assert tf.saved_model.load(tmp_path / "m").f(["two", "three"]).numpy().tolist() == [1, -1]


def test_a_save_that_fails_leaves_the_old_model(tmp_path: Path) -> None:
    model = Model()
    tf.saved_model.save(model, tmp_path / "m")
    model.bad = tf.function(lambda x: 1 // 0, input_signature=[tf.TensorSpec([])])
    with pytest.raises(ZeroDivisionError):
        tf.saved_model.save(model, tmp_path / "m")
    assert sorted(os.listdir(tmp_path)) == ["m"]
    assert tf.saved_model.load(tmp_path / "m")(tf.ones([1, 3])).shape == (1, 2)


def test_models_of_tensorflow_are_told_apart(tmp_path: Path) -> None:
    assert not tf.saved_model.contains_saved_model(tmp_path)
    (tmp_path / "saved_model.pb").write_bytes(b"")
    with pytest.raises(OSError, match="without a graph"):
        tf.saved_model.load(tmp_path)
    with pytest.raises(OSError, match="does not exist"):
        tf.saved_model.load(tmp_path / "nowhere")
    assert tf.saved_model.contains_saved_model(tmp_path)


def test_what_is_read_from_text_and_records(tmp_path: Path) -> None:
    """Ops with attributes that are objects and arrays, for any number of rows."""
    rows = tf.TensorSpec([None], tf.string)
    features = {
        "a": tf.io.FixedLenFeature([2], tf.float32, [0.5, 1.5]),
        "b": tf.io.VarLenFeature(tf.int64),
    }
    model = tf.Module()
    model.columns = tf.function(
        lambda text: tf.io.decode_csv(text, [[1.0], tf.constant([], tf.int64), [""]], ";"),
        input_signature=[rows],
    )
    model.numbers = tf.function(
        lambda text: tf.strings.to_number(text, tf.int64), input_signature=[rows]
    )
    model.record = tf.function(
        lambda text: tf.io.parse_single_example(text, features),
        input_signature=[tf.TensorSpec([], tf.string)],
    )
    tf.saved_model.save(model, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    for text in (["1.5;2;a"], ["1;2;a", ";-7;b", "3;4;"]):
        for found, wanted in zip(loaded.columns(text), model.columns(text), strict=True):
            np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(loaded.numbers(["1", "-2", "3"]), [1, -2, 3])
    with pytest.raises(tf.errors.InvalidArgumentError):
        loaded.columns(["1;;a"])
    record = tf.train.Example()
    record.features.feature["b"].int64_list.value.extend([1, 2])
    for text in (b"", record.SerializeToString()):
        found, wanted = loaded.record(text), model.record(text)
        np.testing.assert_array_equal(found["a"], wanted["a"])
        np.testing.assert_array_equal(found["b"].values, wanted["b"].values)


def test_inputs_of_a_signature_need_no_names_of_python(tmp_path: Path) -> None:
    """As TF-Agents' `PolicySaver` names them. The parameters have TensorFlow's names for these."""
    specs = [tf.TensorSpec([None], name="0/reward"), tf.TensorSpec([None], name="_step")]
    module = tf.Module()
    module.call = tf.function(lambda *parts: {"a/b": parts[0] - parts[1]}, input_signature=specs)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    signature = loaded.signatures["serving_default"]
    assert signature.structured_input_signature == (
        (),
        {"arg_0_reward": specs[0], "arg__step": specs[1]},
    )
    for keys in (("0/reward", "_step"), ("arg_0_reward", "arg__step")):
        for n in (1, 4):
            tensors = dict(zip(keys, (tf.fill([n], 3.0), tf.ones([n])), strict=True))
            assert signature(**tensors)["a/b"].numpy().tolist() == [2.0] * n
    graph = SavedModel.FromString((tmp_path / "saved_model.pb").read_bytes()).meta_graphs[0]
    node = graph.object_graph_def.nodes[-1].bare_concrete_function
    assert list(node.argument_keywords) == ["0/reward", "_step"]


SIZES = """
def sizes(x):
    if x.shape.is_fully_defined():
        return np.array(x.shape.as_list()).astype(np.int32)
    assert None in x.shape.as_list()
    return tf.shape(x)
"""


def test_what_is_known_of_a_size_is_as_in_tensorflow(tmp_path: Path) -> None:
    """TensorFlow Probability makes ints of what is known, and has another way for what is not."""
    library: dict[str, Any] = {"__name__": "tensorflow_probability.shapes", "tf": tf, "np": np}
    exec(SIZES, library)
    known = []

    def flat(x: Any, n: Any) -> Any:
        sizes = library["sizes"](tf.reshape(x, [-1, 2]))
        values = [tf.get_static_value(part) for part in (sizes, n, tf.shape(x)[1], tf.range(2))]
        known.append([value is not None for value in values])
        return tf.fill(tf.concat([sizes, [n]], 0), tf.reduce_sum(x))

    module = tf.Module()
    specs = [tf.TensorSpec([None, 3]), tf.TensorSpec([], tf.int32)]
    module.call = tf.function(flat, input_signature=specs)
    tf.saved_model.save(module, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    assert known[1:] == [[False, False, True, True]] * 2
    for rows in (2, 6):
        assert loaded.call(tf.ones([rows, 3]), 4).shape == [rows * 3 // 2, 2, 4]

"""SavedModels as TensorFlow has them, written by this library and read back by it.

That TensorFlow loads such models, with equal values, is what golden/record_written_models.py finds out.
"""

from __future__ import annotations

import collections
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.saving.graphs.messages import SavedModel, attributes_of
from tapegrad.saving.graphs.op_arguments import arguments_of


class Model(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weights = tf.Variable(np.arange(6.0, dtype=np.float32).reshape(3, 2) / 5, name="w")
        self.parts = [tf.Variable(1.5)]
        self.by_name = {"offset": tf.Variable(2.0, trainable=False)}
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1
        )

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="rows")])
    def __call__(self, x: Any) -> Any:
        if tf.reduce_sum(x) > 0:
            y = x @ self.weights
        else:
            y = tf.zeros([tf.shape(x)[0], 2]) - self.by_name["offset"]
        return tf.nn.softmax(y * self.parts[0])

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def pairs(self, x: Any) -> Any:
        rows, columns = tf.shape(x)[0], tf.shape(x)[1]
        return {
            "pairs": tf.reshape(x, [rows * columns // 2, 2]),
            "share": tf.reduce_sum(x) / tf.cast(rows, tf.float32),
        }

    @tf.function(input_signature=[tf.TensorSpec([])])
    def add(self, amount: Any) -> Any:
        self.parts[0].assign_add(amount)
        return self.parts[0] * 2.0

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def find(self, words: Any) -> Any:
        return self.table.lookup(words)


@pytest.fixture
def saved(tmp_path: Path) -> tuple[Model, Path]:
    model = Model()
    signatures = {"serving_default": model.__call__, "pairs": model.pairs}
    tf.saved_model.save(model, tmp_path / "model", signatures)
    return model, tmp_path / "model"


def message(folder: Path) -> SavedModel:
    return SavedModel.FromString((folder / "saved_model.pb").read_bytes())


def written(function: Any, specs: list[Any], folder: Path, **parts: Any) -> Any:
    """A function that was written for TensorFlow, with its parts, and read."""
    module = tf.Module()
    for name, part in parts.items():
        setattr(module, name, part)
    module.call = tf.function(function, input_signature=specs)
    tf.saved_model.save(module, folder)
    return tf.saved_model.load(folder)


def test_functions_give_the_same_for_all_sizes_and_branches(saved: tuple[Model, Path]) -> None:
    model, folder = saved
    loaded = tf.saved_model.load(folder)
    for rows in (0, 1, 4):
        for sign in (1.0, -1.0):
            x = tf.fill([rows, 3], sign)
            np.testing.assert_allclose(loaded(x), model(x), rtol=1e-6)
    for shape in ([2, 3], [4, 5]):
        x = tf.random.stateless_normal(shape, [1, 2])
        for key, value in model.pairs(x).items():
            np.testing.assert_allclose(loaded.pairs(x)[key], value, rtol=1e-6)
    assert loaded.find(tf.constant(["b", "c"])).numpy().tolist() == [2, -1]


def test_loaded_variables_are_changed_and_trained(saved: tuple[Model, Path]) -> None:
    model, folder = saved
    loaded = tf.saved_model.load(folder)
    assert loaded.add(tf.constant(1.0)).numpy() == 5.0
    assert loaded.parts[0].numpy() == 2.5
    assert loaded.weights.trainable
    assert not loaded.by_name["offset"].trainable
    model.parts[0].assign(2.5)
    gradients = []
    for own in (model, loaded):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(own(tf.ones([2, 3]))[:, 0])
        gradients.append(tape.gradient(loss, own.weights))
    np.testing.assert_allclose(*gradients, rtol=1e-5)


def test_signatures_have_tensorflows_names(saved: tuple[Model, Path]) -> None:
    _, folder = saved
    graph = message(folder).meta_graphs[0]
    own = graph.signature_def["serving_default"]
    assert own.method_name == "tensorflow/serving/predict"
    assert {key: info.name for key, info in own.inputs.items()} == {
        "rows": "serving_default_rows:0"
    }
    assert [*own.outputs] == ["output_0"]
    assert [dim.size for dim in own.outputs["output_0"].tensor_shape.dim] == [-1, 2]
    assert sorted(graph.signature_def["pairs"].outputs) == ["pairs", "share"]
    nodes = {node.name: node.op for node in graph.graph_def.node}
    assert nodes["serving_default_rows"] == "Placeholder"
    assert nodes[graph.saver_def.restore_op_name] == "NoOp"
    loaded = tf.saved_model.load(folder)
    assert loaded.signatures["serving_default"](rows=tf.ones([4, 3]))["output_0"].shape == [4, 2]


def test_only_ops_of_tensorflow_are_written(saved: tuple[Model, Path]) -> None:
    graph = message(saved[1]).meta_graphs[0].graph_def
    nodes = [*graph.node, *[node for own in graph.library.function for node in own.node_def]]
    assert {"If", "MatMul", "Softmax", "VarHandleOp"} <= {node.op for node in nodes}
    for node in nodes:
        assert not node.op.startswith("_")
        arguments = arguments_of(node.op)
        assert arguments is not None, node.op


def test_files_are_those_of_tensorflow(saved: tuple[Model, Path]) -> None:
    _, folder = saved
    assert sorted(str(path.relative_to(folder)) for path in folder.rglob("*.*")) == [
        "fingerprint.pb",
        "saved_model.pb",
        "variables/variables.data-00000-of-00001",
        "variables/variables.index",
    ]
    assert tf.saved_model.contains_saved_model(folder)
    print_of = tf.saved_model.experimental.read_fingerprint(folder)
    assert print_of.singleprint().count("/") == 3
    names = dict(tf.train.list_variables(str(folder / "variables" / "variables")))
    assert names["weights/.ATTRIBUTES/VARIABLE_VALUE"] == [3, 2]
    assert names["by_name/offset/.ATTRIBUTES/VARIABLE_VALUE"] == []


def test_sizes_are_computed_from_shapes(tmp_path: Path) -> None:
    def call(x: Any, y: Any) -> Any:
        n, m = tf.shape(x)[0], tf.shape(y)[0]
        return [
            tf.zeros([tf.maximum(n, m), n * m + 1]),
            tf.range(n) + m,
            tf.eye(n),
            x[: m // 2],
            tf.tile(y[None], [n, 1]),
            tf.linspace(0.0, 1.0, n + 2),
        ]

    loaded = written(call, [tf.TensorSpec([None])] * 2, tmp_path / "m")
    for n, m in ((2, 5), (4, 3), (1, 1)):
        arguments = tf.random.uniform([n]), tf.random.uniform([m])
        for result, wanted in zip(loaded.call(*arguments), call(*arguments), strict=True):
            assert result.dtype == wanted.dtype
            np.testing.assert_allclose(result, wanted, rtol=1e-6)


def test_tables_of_all_kinds_are_filled(tmp_path: Path) -> None:
    words = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, -1.0)
    counts.insert(tf.constant(["a"]), tf.constant([2.0]))
    vectors = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    vectors.insert(tf.constant([1], tf.int64), tf.constant([[2.0, 3.0]]))
    parts = {
        "vocabulary": tf.lookup.StaticVocabularyTable(words, 3),
        "counts": counts,
        "vectors": vectors,
    }

    def call(text: Any) -> Any:
        places = parts["vocabulary"].lookup(text)
        counts.insert(text, counts.lookup(text) + 1.0)
        return [places, counts.lookup(text), vectors.lookup(places)]

    loaded = written(call, [tf.TensorSpec([None], tf.string)], tmp_path / "m", **parts)
    text = tf.constant(["a", "b", "other"])
    for _ in range(2):
        for result, wanted in zip(loaded.call(text), call(text), strict=True):
            assert result.numpy().tolist() == wanted.numpy().tolist()


def test_a_dense_table_keeps_its_entries_and_a_vocabulary_needs_no_words(tmp_path: Path) -> None:
    dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, -1.0, -1, -2)
    dense.insert(tf.constant([3, 5], tf.int64), tf.constant([0.5, 1.5]))
    dense.erase(tf.constant([5], tf.int64))
    buckets = tf.lookup.StaticVocabularyTable(None, 3, tf.string)

    def call(keys: Any, words: Any) -> Any:
        return [dense.lookup(keys), dense.size(), buckets.lookup(words)]

    specs = [tf.TensorSpec([None], tf.int64), tf.TensorSpec([None], tf.string)]
    loaded = written(call, specs, tmp_path / "m", dense=dense, buckets=buckets)
    arguments = tf.constant([3, 5, 9], tf.int64), tf.constant(["a", "b"])
    for result, wanted in zip(loaded.call(*arguments), call(*arguments), strict=True):
        assert result.numpy().tolist() == wanted.numpy().tolist()


TEXTS: list[Any] = [
    lambda x: tf.strings.split(x),
    lambda x: tf.strings.split(x, ",", maxsplit=1),
    lambda x: tf.strings.bytes_split(x),
    lambda x: tf.compat.v1.string_split(x, ",;", skip_empty=False),
    lambda x: tf.strings.ngrams(tf.strings.split(x), (1, 2), pad_values=("<", ">")),
    lambda x: tf.strings.unicode_decode_with_offsets(x, "UTF-8"),
    lambda x: tf.strings.unicode_encode(tf.strings.unicode_decode(x, "UTF-8"), "UTF-16-BE"),
    lambda x: tf.strings.unicode_split(x, "UTF-8"),
    lambda x: tf.strings.to_hash_bucket_fast(x, 10),
    lambda x: tf.io.is_jpeg(x[0]),
]


@pytest.mark.parametrize("place", range(len(TEXTS)))
def test_ops_of_texts_are_written(place: int, tmp_path: Path) -> None:
    call = TEXTS[place]
    loaded = written(call, [tf.TensorSpec([None], tf.string)], tmp_path / "m")
    for words in (["a b,c;d", "", "ä,c"], ["x"]):
        found, wanted = (
            tf.nest.flatten(own(tf.constant(words)), expand_composites=True)
            for own in (loaded.call, call)
        )
        for result, expected in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(result, expected)


def test_columns_of_text_and_numbers_are_written(tmp_path: Path) -> None:
    def call(x: Any) -> Any:
        return tf.io.decode_csv(
            x, [1.0, tf.constant([], tf.int32), "z"], ";", select_cols=[0, 1, 3]
        )

    loaded = written(call, [tf.TensorSpec([None], tf.string)], tmp_path / "m")
    columns = loaded.call(tf.constant(["1.5;2;-;a", ";3;-;"]))
    assert [column.numpy().tolist() for column in columns] == [[1.5, 1.0], [2, 3], [b"a", b"z"]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        loaded.call(tf.constant(["1;;-;a"]))


def test_combinations_of_columns_and_counts_are_written(tmp_path: Path) -> None:
    def call(words: Any, numbers: Any) -> Any:
        columns = [tf.reshape(words, [-1, 1]), tf.reshape(words, [-1, 1])]
        return [
            tf.sparse.cross(columns),
            tf.sparse.cross_hashed(columns, 100),
            tf.sparse.cross_hashed(columns),
            tf.sparse.bincount(numbers, axis=-1),
            tf.sparse.bincount(numbers, minlength=2, maxlength=3),
        ]

    specs = [tf.TensorSpec([3], tf.string), tf.TensorSpec([None, 3], tf.int64)]
    loaded = written(call, specs, tmp_path / "m")
    arguments = tf.constant(["a", "b", "a"]), tf.constant([[1, 1, 3], [0, 2, 2]], tf.int64)
    found, wanted = (
        tf.nest.flatten(own(*arguments), expand_composites=True) for own in (loaded.call, call)
    )
    for result, expected in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(result, expected)


def test_arguments_and_results_keep_their_structure(tmp_path: Path) -> None:
    specs = [{"p": tf.TensorSpec([])}, (tf.TensorSpec([]), tf.TensorSpec([None], tf.int32))]

    def call(a: Any, b: Any) -> Any:
        return {"x": (a["p"] - b[0], [b[1]]), "none": None}

    loaded = written(call, specs, tmp_path / "m")
    one, two = tf.constant(1.0), tf.constant(2.0)
    result = loaded.call({"p": one}, (two, tf.constant([3])))
    assert result["none"] is None
    assert result["x"][0].numpy() == -1.0
    assert result["x"][1][0].numpy().tolist() == [3]


def test_keywords_are_passed_by_name(tmp_path: Path) -> None:
    module = tf.Module()
    module.call = tf.function(lambda x, *, b, a: x + 2.0 * a - b)
    three, two, one = tf.constant(3.0), tf.constant(2.0), tf.constant(1.0)
    assert module.call(one, b=two, a=three).numpy() == 5.0
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert loaded.call(one, b=two, a=three).numpy() == 5.0


def test_ragged_and_sparse_tensors_are_arguments(tmp_path: Path) -> None:
    spec: Any = tf.RaggedTensorSpec([None, None], tf.float32)
    loaded = written(lambda x: (x * 2.0, tf.reduce_sum(x, 1)), [spec], tmp_path / "a")
    doubled, sums = loaded.call(tf.ragged.constant([[1.0, 2.0], [3.0]]))
    assert doubled.to_list() == [[2.0, 4.0], [6.0]]
    assert sums.numpy().tolist() == [3.0, 3.0]
    spec = tf.SparseTensorSpec([None, 2], tf.float32)
    matrix = tf.constant([[1.0], [2.0]])
    loaded = written(lambda x: tf.sparse.sparse_dense_matmul(x, matrix), [spec], tmp_path / "b")
    sparse = tf.sparse.SparseTensor([[0, 1]], [2.0], [3, 2])
    assert loaded.call(sparse).numpy().tolist() == [[4.0], [0.0], [0.0]]


def test_a_function_of_some_sizes_has_a_signature_for_each(tmp_path: Path) -> None:
    @tf.function
    def rows(x: Any) -> Any:
        total = tf.constant(0.0)
        for i in range(len(x)):
            total = total + tf.reduce_sum(x[i]) * float(i + 1)
        return total

    module = tf.Module()
    module.rows = rows
    for size in (2, 4):
        rows(tf.ones([size, 3]))
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    assert [loaded.rows(tf.ones([size, 3])).numpy() for size in (2, 4)] == [9.0, 30.0]
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        loaded.rows(tf.ones([3, 3]))


def test_an_asset_is_a_file_of_the_model(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("one\ntwo\n")
    asset = tf.saved_model.Asset(str(tmp_path / "words.txt"))
    module = tf.Module()
    module.asset = asset
    module.read = tf.function(lambda: tf.io.read_file(asset.asset_path), input_signature=[])
    tf.saved_model.save(module, tmp_path / "m")
    (tmp_path / "words.txt").unlink()
    assert (tmp_path / "m" / "assets" / "words.txt").read_text() == "one\ntwo\n"
    assert tf.saved_model.load(tmp_path / "m").read().numpy() == b"one\ntwo\n"


def test_an_assertion_and_an_error_of_a_branch_are_raised(tmp_path: Path) -> None:
    def call(x: Any) -> Any:
        tf.debugging.assert_positive(x)
        return tf.sqrt(x)

    loaded = written(call, [tf.TensorSpec([None])], tmp_path / "m")
    assert loaded.call(tf.constant([4.0])).numpy().tolist() == [2.0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        loaded.call(tf.constant([-1.0]))


def test_writes_and_reads_of_a_variable_keep_their_order(tmp_path: Path) -> None:
    variable = tf.Variable(1.0)

    def call(x: Any) -> Any:
        before = variable + 0.0
        variable.assign(x)
        middle = variable * 10.0
        if x > 2.0:
            variable.assign_add(1.0)
        return [before, middle, variable.read_value()]

    loaded = written(call, [tf.TensorSpec([])], tmp_path / "m", variable=variable)
    results = [loaded.call(tf.constant(x)) for x in (3.0, 2.0)]
    assert [[part.numpy() for part in result] for result in results] == [[1, 30, 4], [4, 20, 2]]


def test_custom_gradients_are_functions_of_the_model(tmp_path: Path) -> None:
    weight = tf.Variable(3.0)

    @tf.custom_gradient
    def doubled(x: Any) -> Any:
        power = tf.exp(x)
        return x * 2.0, lambda dy: dy * 100.0 * power * weight.read_value()

    def call(x: Any) -> Any:
        return tf.square(doubled(x)) + 1.0

    loaded = written(call, [tf.TensorSpec([])], tmp_path / "m", weight=weight)
    x = tf.constant(0.5)
    gradients = []
    for function in (call, loaded.call):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        gradients.append(tape.gradient(y, x).numpy())
    np.testing.assert_allclose(*gradients, rtol=1e-6)
    graph = message(tmp_path / "m").meta_graphs[0].graph_def
    assert [own.registered_op_type for own in graph.library.registered_gradients] == [
        "CustomGradient-__inference_gradient_of___inference_call_0_0"
    ]


def test_without_custom_gradients_a_gradient_is_an_error(tmp_path: Path) -> None:
    module = tf.Module()
    turned = tf.custom_gradient(lambda x: (x * 2.0, lambda dy: dy * 3.0))
    module.call = tf.function(lambda x: turned(x) + 1.0, input_signature=[tf.TensorSpec([])])
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(module, tmp_path / "m", options=options)
    loaded = tf.saved_model.load(tmp_path / "m")
    x = tf.constant(1.0)
    assert loaded.call(x).numpy() == 3.0
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.call(x)
    with pytest.raises(LookupError):
        tape.gradient(y, x)


def test_random_ops_keep_their_seeds(tmp_path: Path) -> None:
    def call(x: Any) -> Any:
        return tf.random.stateless_normal(tf.shape(x), [1, 2]), tf.random.normal([2], seed=5)

    loaded = written(call, [tf.TensorSpec([None])], tmp_path / "m")
    x = tf.ones([3])
    np.testing.assert_allclose(loaded.call(x)[0], call(x)[0])
    [node] = [
        node
        for function in message(tmp_path / "m").meta_graphs[0].graph_def.library.function
        for node in function.node_def
        if node.op == "RandomStandardNormal"
    ]
    assert attributes_of(node)["seed2"].i == 5


def test_what_tensorflow_has_no_op_for_is_refused(tmp_path: Path) -> None:
    module = tf.Module()
    module.call = tf.function(tf.linalg.expm, input_signature=[tf.TensorSpec([None, None])])
    with pytest.raises(tf.errors.UnimplementedError, match="MatrixExponential"):
        tf.saved_model.save(module, tmp_path / "m")
    assert not (tmp_path / "m").exists()
    assert os.listdir(tmp_path) == []


def test_a_file_that_cannot_be_copied_leaves_the_old_model(
    saved: tuple[Model, Path], tmp_path: Path
) -> None:
    _, folder = saved
    before = (folder / "saved_model.pb").read_bytes()
    module = tf.Module()
    module.asset = tf.saved_model.Asset(str(tmp_path / "missing.txt"))
    with pytest.raises(tf.errors.NotFoundError, match=r"missing\.txt"):
        tf.saved_model.save(module, folder)
    assert (folder / "saved_model.pb").read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


def grown(x: Any) -> Any:
    return tf.linalg.expm(x)


def pinned(x: Any) -> Any:
    return tf.zeros([int(tf.shape(x)[0])])


def in_python(x: Any) -> Any:
    return tf.py_function(lambda y: y + 1.0, [x], tf.float32)


@pytest.mark.parametrize("called", [grown, pinned, in_python])
def test_a_refusal_names_the_line(called: Any, tmp_path: Path) -> None:
    module = tf.Module()
    rank = 2 if called is grown else 1
    module.call = tf.function(
        lambda x: called(x) + 1.0, input_signature=[tf.TensorSpec([None] * rank)]
    )
    line = called.__code__.co_firstlineno + 1
    place = rf"in {called.__name__} \(test_written_models\.py:{line}\): return tf\."
    with pytest.raises(tf.errors.UnimplementedError, match=place):
        tf.saved_model.save(module, tmp_path / "m")


def test_a_loaded_normalisation_is_joined_to_the_convolution_before_it(tmp_path: Path) -> None:
    """As in TensorFlow's own models: a product and a sum for each channel."""
    model = tf.Module()
    model.filters = tf.Variable(tf.random.normal([3, 3, 2, 4]))
    mean, variance, offset, scale = [tf.random.uniform([4], 0.5, 1.5) for _ in range(4)]
    moments = [tf.Variable(mean), tf.Variable(variance), tf.Variable(offset), tf.Variable(scale)]
    model.moments = moments

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 2])])
    def network(x: Any) -> Any:
        convolved = tf.nn.conv2d(x, model.filters, 1, "SAME")
        return tf.nn.relu6(tf.nn.batch_normalization(convolved, *moments, 1e-3))

    model.network = network
    tf.saved_model.save(model, tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    recorded = tf.function(lambda x: loaded.network(x))
    x = tf.random.normal([2, 8, 8, 2])
    for _ in range(3):
        np.testing.assert_allclose(recorded(x), network(x), rtol=1e-5, atol=1e-6)
    assert "Conv2D, Mul, AddV2 and Relu6" in str(recorded.explain())


def test_loops_that_values_end_have_as_many_turns_as_the_values_say(tmp_path: Path) -> None:
    factor, count = tf.Variable(2.0), tf.Variable(0)

    def call(x: Any, n: Any) -> Any:
        def turn(i: Any, total: Any) -> Any:
            count.assign_add(1)
            return i + 1, tf.concat([total, x * factor * tf.cast(i, tf.float32)], 0)

        return tf.while_loop(lambda i, total: i < n, turn, (tf.constant(0), x))

    specs = [tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)]
    loaded = written(call, specs, tmp_path / "m", factor=factor, count=count)
    library = message(tmp_path / "m").meta_graphs[0].graph_def.library.function
    assert [node.op for own in library for node in own.node_def].count("While") == 1
    x = tf.constant([1.0, 3.0])
    for turns in (0, 1, 30):
        count.assign(0)
        loaded.count.assign(0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            found, wanted = loaded.call(x, turns)[1], call(x, turns)[1]
        np.testing.assert_array_equal(found, wanted)
        assert int(loaded.count) == int(count) == turns
        np.testing.assert_array_equal(tape.gradient(found, x), tape.gradient(wanted, x))
        own = tape.gradient(found, loaded.factor), tape.gradient(wanted, factor)
        assert (own[0] is None and own[1] is None) or float(own[0]) == float(own[1])


def nested(x: Any, n: Any) -> Any:
    def turn(i: Any, total: Any) -> Any:
        within = tf.while_loop(lambda j, y: j < i, lambda j, y: (j + 1, y * 1.5), (0, total))
        return i + 1, within[1] + x

    return tf.while_loop(lambda i, total: i < n, turn, (tf.constant(0), x))[1]


def limited(x: Any, n: Any) -> Any:
    far = tf.cast(n, tf.float32) * 1e6
    halve = tf.while_loop(
        lambda y: tf.reduce_sum(y) < far, lambda y: (y * 2.0,), (x,), maximum_iterations=11
    )
    return halve[0]


def over_rows(x: Any, n: Any) -> Any:
    def turn(i: Any, total: Any) -> Any:
        return i + 1, total + x[i] * tf.cast(i + n, tf.float32)

    return tf.while_loop(lambda i, total: i < tf.shape(x)[0], turn, (tf.constant(0), 0.0))[1]


def before_it_is_open(x: Any, n: Any) -> Any:
    """The first turn is taken for all arguments, as its condition is a constant."""

    def turn(error: Any, y: Any) -> Any:
        return tf.reduce_sum(tf.abs(y)), y / 2.0

    return tf.while_loop(lambda error, y: error > 1.0, turn, (tf.constant(9.0), x))[1]


def branching(x: Any, n: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=n + 1, element_shape=x.shape)

    def turn(i: Any, y: Any, array: Any) -> Any:
        y = tf.cond(tf.reduce_sum(y) > 10.0, lambda: y / 3.0, lambda: y + x)
        y = tf.case([(i < 1, lambda: y + 1.0), (i < 2, lambda: y * 2.0)], default=lambda: y)
        y = tf.switch_case(i % 3, [lambda: y, lambda: -y], default=lambda: tf.abs(y))
        return i + 1, y, tf.cond(i % 2 == 0, lambda: array.write(i, y), lambda: array)

    _, y, array = tf.while_loop(lambda i, *_: i < n, turn, (tf.constant(0), x, array))
    return tf.concat([array.stack(), y[None]], 0)


@pytest.mark.parametrize("called", [nested, limited, over_rows, before_it_is_open, branching])
def test_loops_are_saved_for_all_sizes(called: Any, tmp_path: Path) -> None:
    specs = [tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)]
    loaded = written(called, specs, tmp_path / "m")
    functions = message(tmp_path / "m").meta_graphs[0].graph_def.library.function
    ops = [node.op for own in functions for node in own.node_def]
    assert ops.count("While") == 1 + (called is nested)
    assert ops.count("If") == 6 * (called is branching)
    for size, turns in ((1, 0), (4, 3), (13, 12)):
        x = tf.range(1.0, 1.0 + size) * 5.0
        np.testing.assert_array_equal(loaded.call(x, turns), called(x, turns))


def under_a_tape(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.while_loop(lambda y: tf.reduce_sum(y) < 40.0, lambda y: (y + x * x + 1.0,), (x,))[0]
    return tape.gradient(y, x)


def test_a_loop_under_a_tape_of_the_function_keeps_its_turns(tmp_path: Path) -> None:
    loaded = written(under_a_tape, [tf.TensorSpec([2])], tmp_path / "m")
    for numbers in ([3.0, 2.0], [1.0, 3.0], [50.0, 0.0]):
        x = tf.constant(numbers)
        np.testing.assert_array_equal(loaded.call(x), under_a_tape(x))


def test_ways_through_a_function_may_have_other_dtypes_on_the_way(tmp_path: Path) -> None:
    def call(x: Any) -> Any:
        if tf.reduce_sum(x) > 0.0:
            rounded = tf.cast(x, tf.int32)
            return x * 2.0, rounded
        shifted = x + 1.0
        return tf.exp(shifted), tf.argsort(shifted)

    loaded = written(call, [tf.TensorSpec([None])], tmp_path / "m")
    for numbers in ([1.0, 2.5], [-1.0, -2.0, -3.0]):
        for result, wanted in zip(loaded.call(numbers), call(tf.constant(numbers)), strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-6)


@pytest.mark.parametrize("count", [3, 20])
def test_every_branch_of_a_switch_is_saved(tmp_path: Path, count: int) -> None:
    def call(index: Any, x: Any) -> Any:
        return tf.switch_case(index, [lambda n=n: x * float(n) + 1.0 for n in range(count)])

    specs = [tf.TensorSpec([], tf.int32), tf.TensorSpec([None])]
    loaded = written(call, specs, tmp_path / "m")
    x = tf.constant([1.0, 2.0])
    for index in (*range(count), count + 1, -1):
        place = tf.constant(index)
        np.testing.assert_allclose(loaded.call(place, x), call(place, x), rtol=1e-6)


def test_an_asset_is_its_path_where_a_tensor_is_expected(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("one\n")
    asset = tf.saved_model.Asset(str(tmp_path / "words.txt"))
    loaded = written(lambda: tf.io.read_file(asset), [], tmp_path / "m", asset=asset)
    assert loaded.call().numpy() == b"one\n"


def test_a_dict_with_parts_whose_keys_are_no_names_is_refused(tmp_path: Path) -> None:
    module = tf.Module()
    module.numbered = {1: tf.Variable(1.0)}
    with pytest.raises(ValueError, match="its key 1 is no text"):
        tf.saved_model.save(module, tmp_path / "m")
    with pytest.raises(ValueError, match="its key 1 is no text"):
        tf.train.Checkpoint(module=module).save(tmp_path / "c")
    module.numbered = collections.defaultdict(int, {1: tf.Variable(1.0), "a": tf.Variable(2.0)})
    tf.saved_model.save(module, tmp_path / "m")
    assert [*tf.saved_model.load(tmp_path / "m").numbered] == ["a"]


def test_words_of_texts_are_looked_up_for_any_number_of_texts(tmp_path: Path) -> None:
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), 0)

    def call(texts: Any) -> Any:
        places = tf.ragged.map_flat_values(table.lookup, tf.strings.split(texts))
        return places.to_tensor(shape=[None, 4]), tf.shape(places)[0]

    loaded = written(call, [tf.TensorSpec([None], tf.string)], tmp_path / "m", table=table)
    for texts in (["a b a", "", "c b"], ["b"]):
        for result, wanted in zip(
            loaded.call(tf.constant(texts)), call(tf.constant(texts)), strict=True
        ):
            np.testing.assert_array_equal(result, wanted)


def test_a_signature_names_the_parts_of_a_ragged_tensor(tmp_path: Path) -> None:
    specs = [tf.RaggedTensorSpec([None, None], tf.float32), tf.TensorSpec([], name="scale")]
    module = tf.Module()
    module.sums = tf.function(lambda x, y: tf.reduce_sum(x, 1) * y, input_signature=specs)
    tf.saved_model.save(module, tmp_path / "m")
    signature = tf.saved_model.load(tmp_path / "m").signatures["serving_default"]
    splits = tf.constant([0, 2, 3], tf.int64)
    result = signature(x=tf.constant([1.0, 2.0, 3.0]), x_1=splits, scale=tf.constant(2.0))
    assert result["output_0"].numpy().tolist() == [6.0, 6.0]


def test_entries_of_tables_that_change_are_in_the_checkpoint(tmp_path: Path) -> None:
    words = tf.lookup.experimental.MutableHashTable(tf.string, tf.float32, [0.0, 0.0])
    words.insert(tf.constant(["a"]), tf.constant([[2.0, 3.0]]))
    dense = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -1, -2)
    dense.insert(tf.constant([3], tf.int64), tf.constant([5], tf.int64))

    def call(keys: Any, numbers: Any) -> Any:
        dense.insert(numbers, numbers)
        return [words.lookup(keys), dense.lookup(numbers), dense.size()]

    specs = [tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.int64)]
    loaded = written(call, specs, tmp_path / "m", words=words, dense=dense)
    names = dict(tf.train.list_variables(str(tmp_path / "m" / "variables" / "variables")))
    assert names["words/.ATTRIBUTES/table-keys"] == [1]
    assert names["words/.ATTRIBUTES/table-values"] == [1, 2]
    assert names["dense/.ATTRIBUTES/table-keys"] == [1, 1]
    graph = message(tmp_path / "m").meta_graphs[0]
    nodes = graph.object_graph_def.nodes
    [saveable, _] = [
        node.saveable_objects["table"] for node in nodes if "table" in node.saveable_objects
    ]
    functions = [nodes[n] for n in (saveable.save_function, saveable.restore_function)]
    assert [part.bare_concrete_function.argument_keywords[0] for part in functions] == [
        "checkpoint_key",
        "restored_tensors_0",
    ]
    arguments = tf.constant(["a", "b"]), tf.constant([7], tf.int64)
    results = [loaded.call(*arguments), call(*arguments)]
    for result, wanted in zip(*results, strict=True):
        np.testing.assert_array_equal(result, wanted)
    tf.saved_model.save(loaded, tmp_path / "again")
    again = tf.saved_model.load(tmp_path / "again")
    assert again.call(*arguments)[2].numpy() == 2


def test_folds_and_scans_are_saved_for_any_number_of_elements(tmp_path: Path) -> None:
    def call(x: Any) -> Any:
        pair = (0.0, tf.ones([2]))
        return [
            tf.scan(lambda total, row: total * 0.5 + row, x),
            tf.scan(lambda total, row: total * 0.5 + row, x, reverse=True),
            tf.scan(lambda a, row: (a[0] + tf.reduce_sum(row), a[1] * row), x, pair),
            tf.foldl(lambda total, row: total * 0.5 + row, x),
            tf.foldr(lambda total, row: total * 0.5 + tf.reduce_sum(row), x, 2.0),
        ]

    loaded = written(call, [tf.TensorSpec([None, 2])], tmp_path / "m")
    functions = message(tmp_path / "m").meta_graphs[0].graph_def.library.function
    assert sum(node.op == "While" for own in functions for node in own.node_def) == 5
    for rows in (1, 3, 12):
        x = tf.reshape(tf.range(2.0 * rows) / 5.0, [rows, 2])
        results, gradients = [], []
        for function in (loaded.call, call):
            with tf.GradientTape() as tape:
                tape.watch(x)
                results.append(tf.nest.flatten(function(x)))
                total = tf.add_n([tf.reduce_sum(tf.sin(part)) for part in results[-1]])
            gradients.append(tf.convert_to_tensor(tape.gradient(total, x)))
        for result, wanted in zip(*results, strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-5)
        np.testing.assert_allclose(*gradients, rtol=1e-4)


def recurrent(x: Any, mask: Any) -> Any:
    """A recurrent layer over any number of steps, as Keras has it."""
    steps, first = tf.shape(x)[1], tf.zeros_like(x[:, 0])
    rows = tf.TensorArray(tf.float32, size=steps).unstack(tf.transpose(x, [1, 0, 2]))
    flags = tf.TensorArray(tf.bool, size=steps).unstack(tf.transpose(mask))
    out = tf.TensorArray(tf.float32, size=steps, element_shape=first.shape)
    last = tf.TensorArray(tf.float32, size=1, element_shape=first.shape)

    def turn(time: Any, arrays: Any, state: Any) -> Any:
        after = tf.tanh(rows.read(time) + state * 0.5)
        after = tf.where(flags.read(time)[:, None], after, state)
        arrays = arrays["out"].write(time, after), arrays["last"].write(0, after)
        return time + 1, {"out": arrays[0], "last": arrays[1]}, after

    _, arrays, state = tf.while_loop(
        lambda time, arrays, state: time < steps,
        turn,
        (tf.constant(0), {"out": out, "last": last}, first),
        maximum_iterations=tf.reduce_max(steps),
    )
    whole = arrays["out"].stack()
    return [whole, arrays["last"].stack(), arrays["out"].gather([0]), arrays["out"].size(), state]


def collected(x: Any, mask: Any) -> Any:
    """An array that grows, in a loop that values end, and one that is written at places of a tensor."""
    grown = tf.TensorArray(tf.float32, size=1, dynamic_size=True, element_shape=[])
    _, grown, total = tf.while_loop(
        lambda i, grown, total: total < tf.reduce_sum(tf.abs(x)),
        lambda i, grown, total: (i + 1, grown.write(i, total), total * 2.0),
        (0, grown, 1.0),
    )
    flat = tf.reshape(x, [-1])
    places = tf.argsort(flat)
    sorted_places = tf.TensorArray(tf.int32, size=tf.size(flat)).scatter(
        places, tf.range(tf.size(flat))
    )
    pieces = tf.TensorArray(tf.float32, size=tf.shape(x)[0]).unstack(x)
    return [grown.stack(), total, sorted_places.stack(), pieces.concat()]


@pytest.mark.parametrize("called", [recurrent, collected])
def test_arrays_of_any_length_are_saved(called: Any, tmp_path: Path) -> None:
    specs = [tf.TensorSpec([None, None, 2]), tf.TensorSpec([None, None], tf.bool)]
    loaded = written(called, specs, tmp_path / "m")
    functions = message(tmp_path / "m").meta_graphs[0].graph_def.library.function
    assert sum(node.op == "While" for own in functions for node in own.node_def) == 1
    for rows, steps in ((2, 1), (1, 3), (3, 20)):
        x = tf.sin(tf.reshape(tf.range(2.0 * rows * steps), [rows, steps, 2]) * 3.0)
        mask = tf.reshape(tf.range(rows * steps) % 3 > 0, [rows, steps])
        results, gradients = [], []
        for function in (loaded.call, called):
            with tf.GradientTape() as tape:
                tape.watch(x)
                results.append(function(x, mask))
                total = tf.reduce_sum(tf.sin(results[-1][0]))
            gradients.append(tape.gradient(total, x))
        for result, wanted in zip(*results, strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-6)
        if called is recurrent:
            np.testing.assert_allclose(*gradients, rtol=1e-5)
        else:
            assert gradients == [None, None]

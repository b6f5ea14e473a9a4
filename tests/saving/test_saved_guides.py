"""What TensorFlow's guides do besides calling ops: graphs, checkpoints of lists, models of open shapes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import tapegrad as tf


class Pair(NamedTuple):
    first: Any
    rest: list[Any]


def nodes(graph: Any) -> list[tuple[str, str, list[str]]]:
    return [(node.name, node.op, list(node.input)) for node in graph.as_graph_def().node]


def test_graphs_are_written_down() -> None:
    @tf.function
    def double(a: Any) -> Any:
        return a + a

    concrete = double.get_concrete_function(tf.constant("a"))
    assert nodes(concrete.graph) == [
        ("a", "Placeholder", []),
        ("add", "AddV2", ["a", "a"]),
        ("Identity", "Identity", ["add"]),
    ]
    definition = concrete.graph.as_graph_def()
    assert 'name: "add"\n  op: "AddV2"\n  input: "a"\n  input: "a"' in str(definition)
    assert definition.node[1].attr["T"].type == int(tf.string.as_datatype_enum)
    again = tf.compat.v1.GraphDef.FromString(definition.SerializeToString())
    assert again == definition
    assert len(definition.library.function) == 0


def test_constants_and_names_are_nodes() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3], name="x")
        y = tf.reduce_sum(2.0 * x, axis=1, name="total")
    assert nodes(graph) == [
        ("x", "Placeholder", []),
        ("mul/x", "Const", []),
        ("mul", "Mul", ["mul/x", "x"]),
        ("total", "Sum", ["mul"]),
    ]
    sizes = [dim.size for dim in graph.as_graph_def().node[0].attr["shape"].shape.dim]
    assert sizes == [-1, 3]
    constant = graph.as_graph_def().node[1].attr["value"].tensor
    assert tf.make_ndarray(constant) == 2.0
    assert y.op.node_def.op == "Sum"
    assert [tensor.name for tensor in y.op.inputs] == ["mul:0"]


def test_types_of_functions_are_printed() -> None:
    @tf.function
    def scaled(x: Any, y: int = 3, *, k: Any = (1, 2)) -> Any:
        return {"a": x * 2.0, "b": [x]}

    concrete = scaled.get_concrete_function(tf.TensorSpec([2, None]))
    spec = "TensorSpec(shape=(2, None), dtype=tf.float32, name=None)"
    text = (
        f"(x: {spec}, y: Literal[3], *, k: Tuple[Literal[1], Literal[2]]) -> "
        f"Dict[['a', {spec}], ['b', List[{spec}]]]"
    )
    assert str(concrete.function_type) == text
    assert repr(concrete.function_type) == concrete.pretty_printed_signature()
    assert list(concrete.function_type.parameters) == ["x", "y", "k"]
    inner = concrete.inference_fn
    assert str(inner) == f"<AtomicFunction> {concrete.name.decode()}{text}"
    assert [t.shape for t in inner.call_flat(tf.ones([2, 4]))] == [(2, 4), (2, 4)]
    assert inner(tf.ones([2, 1]))["a"].shape == (2, 1)


def test_signatures_of_calls_are_printed() -> None:
    @tf.function
    def double(a: Any) -> Any:
        return a + a

    assert double.pretty_printed_concrete_signatures() == ""
    double(tf.constant(1)), double(tf.constant([1.0]))
    first, second = double.pretty_printed_concrete_signatures().split("\n\n")
    assert "shape=(), dtype=tf.int32" in first
    assert "shape=(1,), dtype=tf.float32" in second


def test_printed_signatures_are_those_of_tensorflow(tmp_path: Path) -> None:
    """Names are those that the program gave, and each of *args and **kwargs is an argument of its own."""

    @tf.function
    def function(a: Any, *args: Any, b: Any = 1, **kw: Any) -> Any:
        return a

    function(1)
    function(1, 2, tf.constant(3), z=5)
    result = "TensorSpec(shape=(), dtype=tf.int32, name=None)"
    assert function.pretty_printed_concrete_signatures(verbose=False).split("\n") == [
        f"(a: Literal[1], /, *, b: Literal[1]) -> {result}",
        f"(a: Literal[1], args_0: Literal[2], args_1: {result}, /, "
        f"*, b: Literal[1], z: Literal[5]) -> {result}",
    ]

    class Model(tf.Module):
        @tf.function(
            input_signature=[{"u": tf.TensorSpec([None]), "w": tf.TensorSpec([], name="q")}]
        )
        def scale(self, d: Any) -> Any:
            return d["u"] * d["w"]

    model = Model()
    spec = "TensorSpec(shape=(None,), dtype=tf.float32, name={})"
    scalar = "['w', TensorSpec(shape=(), dtype=tf.float32, name='q')]"
    text = f"(d: Dict[['u', {spec}], {scalar}]) -> {spec.format(None)}"
    concrete = model.scale.get_concrete_function()
    assert concrete.pretty_printed_signature(False) == text.format(None)
    tf.saved_model.save(model, str(tmp_path / "model"))
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    assert loaded.scale.pretty_printed_concrete_signatures(False) == text.format("'d_u'")
    assert "  d (KEYWORD_ONLY): " + spec.format("'d'") in str(loaded.signatures["serving_default"])


def test_a_graph_may_depend_on_a_data_set() -> None:
    @tf.function
    def total(dataset: Any) -> Any:
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += x
        return found

    dataset = tf.data.Dataset.range(4)
    concrete = total.get_concrete_function(dataset)
    assert concrete.structured_outputs.dtype == tf.int64
    assert concrete(dataset).numpy() == 6


def relu(x: Any) -> Any:
    return x if x > 0 else 0


def test_code_is_the_functions_own() -> None:
    assert tf.autograph.to_code(relu).startswith("def relu(")
    with pytest.raises(TypeError, match="got builtin_function_or_method"):
        tf.autograph.to_code(print)


@pytest.mark.parametrize("way", ["append", "extend", "insert", "+="])
def test_elements_of_a_list_are_restored_when_they_come(way: str, tmp_path: Path) -> None:
    save = tf.train.Checkpoint()
    save.listed = [tf.Variable(1.0), tf.Variable(2.0)]
    path = save.save(str(tmp_path / "list"))
    restored = tf.train.Checkpoint()
    restored.restore(path)
    restored.listed = []
    first, second = tf.Variable(0.0), tf.Variable(0.0)
    if way == "append":
        restored.listed.append(first)
        assert (first.numpy(), second.numpy()) == (1.0, 0.0)
        restored.listed.append(second)
    elif way == "extend":
        restored.listed.extend([first, second])
    elif way == "insert":
        restored.listed.insert(0, first)
        restored.listed.insert(1, second)
    else:
        restored.listed += [first, second]
    assert (first.numpy(), second.numpy()) == (1.0, 2.0)


def test_arguments_keep_their_order(tmp_path: Path) -> None:
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool)])
        def masked(self, values: Any, mask: Any) -> Any:
            return tf.where(mask, values, 0.0)

        @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
        def minus(self, y: Any, x: Any) -> Any:
            return y - 2.0 * x

    module, ten, one = Module(), tf.fill([2], 10.0), tf.ones([2])
    assert module.minus.get_concrete_function().call_flat([ten, one]).numpy().tolist() == [8.0, 8.0]
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert loaded.minus(ten, one).numpy().tolist() == [8.0, 8.0]
    assert loaded.minus(x=one, y=ten).numpy().tolist() == [8.0, 8.0]
    assert loaded.masked(ten, tf.constant([True, False])).numpy().tolist() == [10.0, 0.0]


class Masked(tf.experimental.ExtensionType):
    """Numbers, some of which count."""

    __name__ = "tests.books.Masked"
    values: tf.Tensor
    mask: tf.Tensor


class Wrapper(tf.Module):
    """A function of an extension type, and one of tensors of unknown rank that must fit a weight."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable([3.0, 2.0, 8.0, 5.0])

    @tf.function
    def scaled(self, x: Masked) -> Masked:
        return Masked(x.values * 2.0, x.mask)

    @tf.function
    def total(self, values: Any, mask: Any) -> Any:
        return tf.reduce_sum(tf.where(mask, values * self.weight, 0.0))


def test_extension_types_and_unknown_ranks_are_saved(tmp_path: Path) -> None:
    module, x = Wrapper(), Masked([1.0, 2.0], [True, False])
    module.scaled(x)
    module.total.get_concrete_function(tf.TensorSpec(None), tf.TensorSpec(None, tf.bool))
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert isinstance(loaded.scaled(x), Masked)
    assert loaded.scaled(x).values.numpy().tolist() == [2.0, 4.0]
    mask = tf.constant([True, False, True, True])
    assert loaded.total(tf.ones([4]), mask).numpy() == 16.0


class Flat(tf.Module):
    """Takes pictures of any size, but of 12 numbers together."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = tf.Variable(tf.ones([12, 3]))
        self.mean = tf.ones([3])

    @tf.function(input_signature=[tf.TensorSpec([None, None, None, None], tf.uint8)])
    def pictures(self, x: Any) -> Any:
        return tf.matmul(tf.reshape(tf.cast(x, tf.float32), [-1, 12]), self.weight) - self.mean

    @tf.function(input_signature=[tf.TensorSpec([None, None])])
    def rows(self, x: Any) -> Any:
        return (x - self.mean) / 2.0


def test_models_whose_sizes_must_fit_are_saved(tmp_path: Path) -> None:
    model = Flat()
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for shape in ([5, 2, 2, 3], [1, 4, 3, 2]):
        x = tf.constant(np.arange(np.prod(shape)).reshape(shape), tf.uint8)
        np.testing.assert_array_equal(loaded.pictures(x), model.pictures(x))
    rows = tf.reshape(tf.range(12.0), [4, 3])
    np.testing.assert_array_equal(loaded.rows(rows), model.rows(rows))


def test_what_does_not_fit_an_input_signature_is_a_type_error(tmp_path: Path) -> None:
    """In nests, and for ragged tensors, too: before the model is saved, and after it is loaded."""

    class Model(tf.Module):
        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
        def rows(self, x: Any) -> Any:
            return tf.reduce_sum(x, 1)

        @tf.function(input_signature=[(tf.TensorSpec([]), {"a": tf.TensorSpec([None])})])
        def nest(self, x: Any) -> Any:
            return x[0] * x[1]["a"]

    model = Model()
    tf.saved_model.save(model, str(tmp_path / "model"))
    one = tf.constant(1.0)
    for each in (model, tf.saved_model.load(str(tmp_path / "model"))):
        for wrong in (3, (one, one), (one, {"b": one}), [one, {"a": one}]):
            with pytest.raises(TypeError):
                each.nest(wrong)
        for wrong in (tf.constant([[1]]), tf.ragged.constant([[1.0]])):
            with pytest.raises(TypeError):
                each.rows(wrong)

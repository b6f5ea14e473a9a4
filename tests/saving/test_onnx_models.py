"""What `tf.experimental.to_onnx` writes: names, sizes, constants, ops, branches, and what it refuses.

That ONNX Runtime gives the same values is what golden/record_onnx_models.py finds out.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.io.graph_messages import AttrValue, NameAttrList
from tapegrad.saving.graphs.functions import Library
from tapegrad.saving.graphs.messages import ArgDef, Attribute, Entry, Function, Node
from tapegrad.saving.graphs.messages import Library as Definitions
from tapegrad.saving.onnx.functions import Translation
from tapegrad.saving.onnx.graph import Graph
from tapegrad.saving.onnx.messages import DTYPES, Model


def exported(function: Any, *specs: Any, **options: Any) -> Any:
    """The graph of a function."""
    signature = list(specs) or None
    model = Model.FromString(tf.experimental.to_onnx(function, None, signature, **options))
    check_names(model.graph, set())
    return model.graph


def check_names(graph: Any, outer: set[str]) -> None:
    """Every tensor is there before it is read, and no name is taken twice."""
    names = [own.name for own in (*graph.input, *graph.initializer)]
    known = {*outer, *names}
    assert len(names) == len(set(names))
    for node in graph.node:
        assert known >= {name for name in node.input if name}, node
        for attribute in node.attribute:
            if attribute.type == 5:
                check_names(attribute.g, known)
        assert not known.intersection(node.output)
        known.update(node.output)
    assert known >= {own.name for own in graph.output}


def ops(graph: Any) -> list[str]:
    return [node.op_type for node in graph.node]


def shape(own: Any) -> list[Any]:
    return [dim.dim_param or dim.dim_value for dim in own.type.tensor_type.shape.dim]


def array(graph: Any, name: str) -> Any:
    [tensor] = [tensor for tensor in graph.initializer if tensor.name == name]
    kinds = {number: kind for kind, number in DTYPES.items()}
    return np.frombuffer(tensor.raw_data, kinds[tensor.data_type]).reshape([*tensor.dims])


# Names, sizes, constants


def test_inputs_and_outputs_have_the_names_of_the_signature() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([], tf.int32, "n")])
    def call(rows: Any, count: Any) -> Any:
        return {"sums": tf.reduce_sum(rows, 1), "all": rows * tf.cast(count, tf.float32)}

    graph = exported(call)
    assert [(own.name, shape(own)) for own in graph.input] == [("rows", ["rows_0", 3]), ("n", [])]
    outputs = [(own.name, shape(own)) for own in graph.output]
    assert outputs == [("all", ["rows_0", 3]), ("sums", ["rows_0"])]
    assert [own.type.tensor_type.elem_type for own in graph.input] == [1, 6]
    assert sorted(ops(graph)) == ["Cast", "Mul", "ReduceSum"]


def test_a_function_of_python_takes_a_signature_of_specs_or_tensors() -> None:
    for spec in (tf.TensorSpec([2, 2]), tf.ones([2, 2])):
        graph = exported(lambda matrix: (matrix @ matrix, matrix), spec)
        assert [own.name for own in graph.output] == ["output_0", "output_1"]
        assert ops(graph) == ["MatMul", "Identity"]  # an input that is a result too


def test_variables_are_constants_with_their_names() -> None:
    class Scale(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.factor = tf.Variable([2.0, 3.0], name="factor")

        @tf.function(input_signature=[tf.TensorSpec([None, 2])])
        def __call__(self, x: Any) -> Any:
            return x * self.factor

    model = Scale()
    model.factor.assign([4.0, 5.0])
    graph = exported(model)
    assert array(graph, "factor").tolist() == [4.0, 5.0]
    assert ops(graph) == ["Mul"]


def test_what_follows_from_constants_is_computed_once() -> None:
    mean, variance = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 8.0])

    def call(x: Any) -> Any:
        return tf.nn.batch_normalization(x, mean, variance, mean, None, 1.0)

    graph = exported(call, tf.TensorSpec([3, 2]))
    assert ops(graph) == ["Mul", "Add"]
    values = sorted([array(graph, tensor.name).tolist() for tensor in graph.initializer])
    np.testing.assert_allclose(values, [[0.5, 1 / 3], [0.5, 4 / 3]], rtol=1e-6)


def test_sizes_are_computed_from_shapes_and_known_where_they_can_be() -> None:
    def call(x: Any) -> Any:
        rows = tf.shape(x)[0]
        return tf.reshape(x, [rows, 6]), tf.zeros([rows, 2]), tf.reshape(x, [rows * 2, 3])

    graph = exported(call, tf.TensorSpec([None, 2, 3], name="x"))
    assert [shape(own) for own in graph.output] == [["x_0", 6], ["x_0", 2], [0, 3]]
    first = next(node for node in graph.node if node.output[0] == "output_0")
    assert array(graph, first.input[1]).tolist() == [-1, 6]
    assert "Shape" in ops(graph)


def test_no_two_tensors_have_one_name() -> None:
    first, second = tf.Variable(tf.ones([2]), name="x"), tf.Variable(tf.zeros([2]), name="x")
    graph = exported(lambda x: {"x": x * first + second}, tf.TensorSpec([2]))
    assert [own.name for own in (*graph.input, *graph.output)] == ["x", "x_1"]
    assert ops(graph) == ["Mul", "Add"]


def test_an_unused_argument_stays_an_input() -> None:
    graph = exported(lambda x, y: x + 1.0, tf.TensorSpec([2]), tf.TensorSpec([3]))
    assert [own.name for own in graph.input] == ["x", "y"]


# Layouts


def test_transposes_between_images_meet_and_go() -> None:
    first, second = tf.Variable(tf.ones([3, 3, 2, 4])), tf.Variable(tf.ones([3, 3, 4, 2]))
    bias = tf.Variable([1.0, 2.0, 3.0, 4.0])

    def call(x: Any) -> Any:
        y = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, first, 1, "SAME"), bias))
        y = tf.nn.max_pool2d(y, 2, 2, "VALID")
        y = tf.pad(y, [[0, 0], [1, 2], [0, 0], [0, 0]])
        return tf.nn.depthwise_conv2d(
            tf.nn.conv2d(y, second, 2, "SAME") * 0.5, first, [1] * 4, "SAME"
        )

    graph = exported(call, tf.TensorSpec([None, 8, 8, 2]))
    assert ops(graph) == [
        "Transpose", "Conv", "Add", "Relu", "MaxPool", "Pad", "Conv", "Mul", "Conv", "Transpose"
    ]  # fmt: skip
    assert shape(graph.output[0])[1:] == [4, 2, 8]
    weights = graph.node[1].input[1]
    assert array(graph, weights).shape == (4, 2, 3, 3)


def test_a_mean_over_the_places_of_images_needs_no_transpose() -> None:
    weights = tf.Variable(tf.ones([1, 1, 3, 5]))

    def call(x: Any) -> Any:
        return tf.reduce_mean(tf.nn.conv2d(x, weights, 1, "SAME"), [1, 2])

    graph = exported(call, tf.TensorSpec([None, None, None, 3]))
    assert ops(graph) == ["Transpose", "Conv", "ReduceMean"]
    assert array(graph, graph.node[2].input[1]).tolist() == [2, 3]


# Branches and loops


def test_a_branch_by_a_value_is_an_if_that_reads_outer_tensors() -> None:
    def call(x: Any) -> Any:
        y = x * 2.0
        return y + 1.0 if tf.reduce_sum(x) > 0 else tf.exp(y)

    graph = exported(call, tf.TensorSpec([None]))
    node = next(node for node in graph.node if node.op_type == "If")
    branches = {own.name: own.g for own in node.attribute}
    assert ops(branches["then_branch"]) == ["Add"]
    assert ops(branches["else_branch"]) == ["Exp"]
    assert ops(graph).count("Mul") == 1


def test_assertions_of_the_program_are_left_out() -> None:
    def call(x: Any) -> Any:
        tf.debugging.assert_positive(x)
        return tf.sqrt(x)

    assert ops(exported(call, tf.TensorSpec([None]))) == ["Sqrt"]


def test_what_a_recording_expects_of_sizes_is_said(caplog: pytest.LogCaptureFixture) -> None:
    def call(x: Any) -> Any:
        return x + 1.0 if x.shape[0] is not None and x.shape[0] > 3 else x

    with caplog.at_level("WARNING"):
        content = tf.experimental.to_onnx(call, None, [tf.TensorSpec([None])])
    assert [own.value for own in Model.FromString(content).metadata_props] == ["x_0 > 3"]
    assert "is right where these hold, which ONNX cannot check: x_0 > 3." in caplog.text


def loop() -> Library:
    """A model with a `While`: as long as n > 0, x becomes x * f, and n one less."""

    def function(name: str, nodes: list[Any], results: list[str]) -> Function:
        message = Function(node_def=nodes)
        message.signature.name = name
        for argument, kind in (("n", 3), ("x", 1), ("f", 1)):
            message.signature.input_arg.append(ArgDef(name=argument, type=kind))
        for place, result in enumerate(results):
            message.signature.output_arg.append(ArgDef(name=f"r{place}", type=1))
            message.ret.append(Entry(key=f"r{place}", value=result))
        return message

    def node(name: str, op: str, inputs: list[str], **attributes: Any) -> Node:
        message = Node(name=name, op=op, input=inputs)
        for key, value in attributes.items():
            message.attr.append(Attribute(key=key, value=value).SerializeToString())
        return message

    def number(name: str, value: int) -> Node:
        tensor = AttrValue(tensor=tf.make_tensor_proto(value))
        return node(name, "Const", [], value=tensor, dtype=AttrValue(type=3))

    kinds = AttrValue()
    kinds.list.type.extend([3, 1, 1])
    whole, real = {"T": AttrValue(type=3)}, {"T": AttrValue(type=1)}
    names = {key: AttrValue(func=NameAttrList(name=key)) for key in ("cond", "body")}
    condition = [number("zero", 0), node("more", "Greater", ["n", "zero:output:0"], **whole)]
    body = [
        number("one", 1),
        node("less", "Sub", ["n", "one:output:0"], **whole),
        node("times", "Mul", ["x", "f"], **real),
    ]
    whilst = node("loop", "StatelessWhile", ["n", "x", "f"], T=kinds, **names)
    return Library(
        Definitions(
            function=[
                function("cond", condition, ["more:z:0"]),
                function("body", body, ["less:z:0", "times:z:0", "f"]),
                function("main", [whilst], ["loop:output:1"]),
            ]
        )
    )


def test_a_loop_keeps_what_no_round_changes_outside() -> None:
    library, graph = loop(), Graph()
    arguments = [
        graph.input("n", tf.int32, ()), graph.input("x", tf.float32, (2,)),
        graph.input("f", tf.float32, ()),
    ]  # fmt: skip
    [result] = Translation(library).run(graph, library.function("main"), arguments)
    message = graph.message("main", [("y", result, (2,))])
    check_names(message, set())
    assert ops(message) == ["Greater", "Loop"]
    body = message.node[1].attribute[0].g
    assert sorted(ops(body)) == ["Greater", "Mul", "Sub"]
    assert len(body.input) == 4  # the round, the condition, n and x
    model = Model(ir_version=8, graph=message)
    model.opset_import.add(domain="", version=20)
    runtime = pytest.importorskip("onnxruntime", reason="the extra tapegrad[onnx] is not installed")
    session = runtime.InferenceSession(model.SerializeToString())
    feed = {"n": np.int32(3), "x": np.float32([1.0, 2.0]), "f": np.float32(2.0)}
    feed = {key: np.asarray(value) for key, value in feed.items()}
    assert session.run(None, feed)[0].tolist() == [8.0, 16.0]


# Files


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"old")
    with pytest.raises(tf.errors.UnimplementedError):
        tf.experimental.to_onnx(tf.linalg.inv, path, [tf.TensorSpec([2, 2])])
    assert path.read_bytes() == b"old"
    assert tf.experimental.to_onnx(tf.exp, path, [tf.TensorSpec([2, 2])]) is None
    model = Model.FromString(path.read_bytes())
    assert model.producer_name == "tapegrad"
    assert [opset.version for opset in model.opset_import] == [20]
    assert os.listdir(tmp_path) == ["model.onnx"]
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        tf.experimental.to_onnx(tf.exp, tmp_path, [tf.TensorSpec([2, 2])])


def test_a_loaded_model_is_exported_by_its_signature(tmp_path: Path) -> None:
    module = tf.Module()
    module.call = tf.function(lambda x: {"y": x * 2.0}, input_signature=[tf.TensorSpec([None])])
    tf.saved_model.save(module, tmp_path / "m", module.call)
    graph = exported(tf.saved_model.load(tmp_path / "m"))
    assert ([own.name for own in graph.input], [own.name for own in graph.output]) == (["x"], ["y"])
    assert ops(graph) == ["Mul"]


# What is refused

VECTOR = tf.TensorSpec([None])


def refusal(function: Any, *specs: Any) -> str:
    with pytest.raises(tf.errors.UnimplementedError) as caught:
        tf.experimental.to_onnx(function, None, specs)
    assert caught.value.message.startswith("tf.experimental.to_onnx: the function ")
    return str(caught.value.message)


def test_all_missing_ops_are_listed_with_their_places() -> None:
    def call(x: Any) -> Any:
        y = tf.math.lgamma(x) + tf.math.digamma(x)
        return tf.math.lgamma(y) if tf.reduce_sum(x) > 0 else tf.math.igamma(y, x)

    first = call.__code__.co_firstlineno

    def place(line: int, text: str) -> str:
        return f"    in call (test_onnx_models.py:{first + line}): {text}\n"

    one = "y = tf.math.lgamma(x) + tf.math.digamma(x)"
    other = "return tf.math.lgamma(y) if tf.reduce_sum(x) > 0 else tf.math.igamma(y, x)"
    assert refusal(call, VECTOR) + "\n" == (
        "tf.experimental.to_onnx: the function call needs ops that have no counterpart in ONNX:\n"
        f"  Digamma\n{place(1, one)}  Igamma\n{place(2, other)}"
        f"  Lgamma\n{place(1, one)}{place(2, other)}"
    )


@pytest.mark.parametrize(
    ("function", "spec", "words"),
    [
        (tf.strings.length, tf.TensorSpec([None], tf.string), "it takes strings: look them up"),
        (tf.strings.as_string, VECTOR, "it gives strings|AsString"),
        (tf.math.conj, tf.TensorSpec([2], tf.complex64), "it takes tensors of complex64"),
        (tf.signal.rfft, tf.TensorSpec([4]), "RFFT"),
        (lambda x: tf.cast(x, tf.quint8), tf.TensorSpec([4]), "quint8"),
        (lambda x: x + tf.random.normal([2], seed=1), tf.TensorSpec([2]), "draw them outside"),
        (lambda x: x * 2.0, tf.RaggedTensorSpec([None, None]), "it takes a RaggedTensor"),
        (lambda x: tf.sparse.from_dense(x), VECTOR, "SparseTensor"),
        (lambda x: tf.py_function(lambda y: y, [x], tf.float32), VECTOR, "cannot be saved"),
        (
            lambda x: tf.transpose(x, tf.argsort(tf.shape(x))),
            tf.TensorSpec([None] * 2),
            "order of axes",
        ),
    ],
)
def test_what_onnx_cannot_do_is_refused(function: Any, spec: Any, words: str) -> None:
    text = refusal(function, spec)
    assert any(word in text for word in words.split("|")), text


def test_a_function_that_changes_a_variable_is_refused() -> None:
    total = tf.Variable(0.0)
    assert "a variable that changes" in refusal(lambda x: total.assign_add(x), tf.TensorSpec([]))


def test_a_signature_is_asked_for_where_none_is_clear() -> None:
    with pytest.raises(ValueError, match="pass input_signature"):
        tf.experimental.to_onnx(lambda x: x)
    with pytest.raises(ValueError, match="has no signature yet: pass input_signature"):
        tf.experimental.to_onnx(tf.function(lambda x: x))
    function = tf.function(lambda x: x)
    function(tf.ones([2]))
    exported(function)
    function(tf.ones([2, 2]))
    with pytest.raises(ValueError, match="has several signatures"):
        tf.experimental.to_onnx(function)
    module = tf.Module()
    module.one, module.other = function, tf.function(lambda x: x)
    with pytest.raises(ValueError, match="has the functions one, other: pass one of them"):
        tf.experimental.to_onnx(module)
    concrete = function.get_concrete_function(VECTOR)
    with pytest.raises(ValueError, match="takes no other one"):
        tf.experimental.to_onnx(concrete, None, [VECTOR])


def test_other_objects_and_opsets_are_refused() -> None:
    with pytest.raises(TypeError, match=r"takes a tf\.function.*; 3 came"):
        tf.experimental.to_onnx(3)
    for opset in (17, 24, "20", True):
        with pytest.raises(ValueError, match="opset must be a number from 18 to 23"):
            tf.experimental.to_onnx(tf.exp, None, [VECTOR], opset)  # type: ignore[arg-type]


def test_a_loop_of_a_program_is_a_loop() -> None:
    def call(x: Any, n: Any) -> Any:
        def turn(i: Any, y: Any) -> Any:
            return i + 1, y * 2.0 + x

        return tf.while_loop(lambda i, y: i < n, turn, (tf.constant(0), x))[1]

    graph = exported(call, tf.TensorSpec([None]), tf.TensorSpec([], tf.int32))
    check_names(graph, set())
    assert ops(graph)[-1] == "Loop"
    body = graph.node[-1].attribute[0].g
    assert {"Less", "Mul", "Add"} <= set(ops(body))

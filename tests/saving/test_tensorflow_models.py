"""SavedModels that TensorFlow and Keras wrote. golden/record_saved_models.py recorded their answers."""

from __future__ import annotations

import itertools
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from golden.saved_model_answers import Answers
from tapegrad.io.graph_messages import AttrValue, NameAttrList
from tapegrad.io.wire import tagged
from tapegrad.saving.bundles import _joined
from tapegrad.saving.files import Damaged
from tapegrad.saving.graphs.messages import Attribute, Entry, Function, Node, SavedModel

ARCHIVE = Path(__file__).parents[1] / "golden" / "saved_models.tar.xz"
with tarfile.open(ARCHIVE) as archive:
    NAMES = sorted({member.name.split("/")[0] for member in archive.getmembers()})
ANSWERS = Answers(tf)
# What a damaged model may raise. Each of these is what TensorFlow raises for some file.
DAMAGED = (OSError, ValueError, TypeError, AttributeError, NotImplementedError, tf.errors.OpError)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    with tarfile.open(ARCHIVE) as archive:
        if hasattr(tarfile, "data_filter"):  # not before Python 3.11.4
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(folder)
    return folder


@pytest.fixture
def copied(models: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Copies a model, whose files a test may change."""

    def copy(name: str) -> Path:
        for path in (models / name / "model").rglob("*"):
            if path.is_file():
                target = tmp_path / path.relative_to(models / name / "model")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
        return tmp_path

    return copy


def check(folder: Path, loaded: Any, calls: int = 3) -> None:
    """Compare results, gradients, and variables after training, of the first call and of replays."""
    ANSWERS.check(folder, loaded, calls)


@pytest.mark.parametrize("name", NAMES)
def test_values_and_gradients_are_tensorflows(models: Path, name: str) -> None:
    check(models / name, tf.saved_model.load(str(models / name / "model")))


@pytest.mark.parametrize(
    "name", ["dense", "lstm", "string_lookup", "table_from_file", "asset", "module_tree", "custom_gradient"]
)  # fmt: skip
def test_loaded_models_are_saved_again(models: Path, tmp_path: Path, name: str) -> None:
    tf.saved_model.save(tf.saved_model.load(models / name / "model"), tmp_path / "again")
    check(models / name, tf.saved_model.load(tmp_path / "again"), calls=1)


def test_a_loaded_function_is_replayed(models: Path) -> None:
    loaded = tf.saved_model.load(models / "lstm" / "model")
    x = tf.ones([2, 4, 3])
    for _ in range(3):
        loaded.serve(x)
    (concrete,) = loaded.serve.concrete_functions
    recordings = concrete._runner._recordings.values()
    assert sum(program.replays for program in recordings) == 2


def test_a_loaded_model_is_trained_further(models: Path) -> None:
    loaded = tf.saved_model.load(models / "dense" / "model")
    x, wanted = tf.ones([4, 5]), tf.constant([[1.0, -2.0, 3.0]] * 4)
    losses = []
    for _ in range(30):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((loaded.serve(x) - wanted) ** 2)
        losses.append(float(loss))
        for variable, gradient in zip(
            loaded.trainable_variables,
            tape.gradient(loss, list(loaded.trainable_variables)),
            strict=True,
        ):
            variable.assign_sub(0.2 * gradient)
    assert losses[-1] < 1e-3 * losses[0]


@pytest.mark.parametrize("name", ["lstm", "while_loop", "multi_head_attention"])
def test_gradients_twice_are_those_of_the_gradient(models: Path, name: str) -> None:
    """Against differences of the first gradients."""
    expected = ANSWERS.read(models / name)
    loaded = tf.saved_model.load(models / name / "model")
    function = ANSWERS.function_at(loaded, expected["call"])
    x, *others = expected["arguments"]

    def slope(point: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(point)
            total = tf.reduce_sum(function(point, *others) ** 2)
        return tape.gradient(total, point)

    direction = tf.constant(np.random.default_rng(0).normal(size=x.shape), x.dtype)
    with tf.GradientTape() as outer:
        outer.watch(x)
        first = tf.reduce_sum(slope(x) * direction)
    step = 1e-2
    difference = (slope(x + step * direction) - slope(x - step * direction)) / (2 * step)
    second = outer.gradient(first, x)
    size = float(tf.reduce_max(tf.abs(difference))) + 1e-3
    np.testing.assert_allclose(second / size, difference / size, atol=2e-2)


def test_a_custom_gradient_is_differentiated(models: Path) -> None:
    """Of 9 x⁴, where x² has the gradient 7x: the first gradient is 126 x³, and the second one 1008 x²."""
    loaded = tf.saved_model.load(models / "custom_gradient" / "model")
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            total = tf.reduce_sum(loaded.run(x) ** 2)
        first = inner.gradient(total, x)
    assert first.numpy().tolist() == [126.0, 126.0 * 8]
    assert outer.gradient(first, x).numpy().tolist() == [1008.0, 1008.0 * 4]


def test_what_a_loaded_model_has(models: Path) -> None:
    loaded = tf.saved_model.load(models / "module_tree" / "model")
    assert [variable.name for variable in loaded.pair] == ["Variable:0", "Variable:0"]
    assert [variable.trainable for variable in loaded.pair] == [True, False]
    assert loaded.names["last"] is loaded.parts[1]
    assert len(loaded.parts[0].__call__.concrete_functions) == 3
    assert loaded.tensorflow_version.startswith("2.")
    several = tf.saved_model.load(models / "several_signatures" / "model", tags=["serve"])
    assert sorted(several.signatures) == ["serving_default", "total"]
    total = several.signatures["total"]
    specs = {name: tf.TensorSpec([None], tf.float32, name) for name in ("left", "right")}
    assert total.structured_input_signature == ((), specs)
    assert sorted(total.structured_outputs) == ["product", "sum"]
    old = tf.saved_model.load(models / "v1_graph" / "model")
    assert [variable.name for variable in old.variables] == ["w:0"]


def test_options_and_tags(models: Path) -> None:
    folder = models / "dense" / "model"
    assert tf.saved_model.contains_saved_model(folder)
    empty = tf.saved_model.load(
        folder, options=tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
    )
    assert not any(np.any(variable) for variable in empty.variables)
    with pytest.raises(ValueError, match=r"incompatible argument to `tags`: \['train'\]"):
        tf.saved_model.load(folder, tags="train")


def test_models_with_several_graphs(copied: Callable[[str], Path]) -> None:
    changed = Changed(copied("cond"))
    other = changed.model.meta_graphs.add()
    other.CopyFrom(changed.graph)
    other.meta_info_def.ClearField("tags")
    other.meta_info_def.tags.append("train")
    with pytest.raises(ValueError, match="say by `tags` which"):
        changed.load()
    folder = changed.path.parent
    assert tf.saved_model.load(folder, tags=["train"]).run(tf.constant([-1.0])).numpy() == -2.0
    with pytest.raises(RuntimeError, match=r"no graph with the tags \['gpu'\]"):
        tf.saved_model.load(folder, tags="gpu")


def test_arguments_that_fit_no_function(models: Path) -> None:
    run = tf.saved_model.load(models / "structured_arguments" / "model").run
    with pytest.raises(ValueError, match="Could not find matching concrete function") as caught:
        run({"a": tf.constant(1.0)})
    assert "Expected these arguments to match one of the following 3 option(s)" in str(caught.value)
    serve = tf.saved_model.load(models / "dense" / "model").serve
    with pytest.raises(TypeError, match="Can not cast TensorSpec"):
        serve(tf.ones([2, 4]))


def test_missing_ops_are_said_together_when_they_are_needed(models: Path) -> None:
    loaded = tf.saved_model.load(models / "data_set" / "model")
    assert loaded.double(tf.constant([3.0])).numpy().tolist() == [6.0]
    with pytest.raises(tf.errors.UnimplementedError) as caught:
        loaded.run(tf.constant([1.0]))
    message = str(caught.value)
    assert "ReduceDataset: ReduceDataset in __inference_run_" in message
    assert "TensorSliceDataset: TensorSliceDataset in __inference_run_" in message


# Models from elsewhere


@pytest.mark.long
@pytest.mark.parametrize("name", ["static_table", "while_loop", "structured_arguments", "v1_cond"])
def test_damaged_files_are_errors(models: Path, copied: Callable[[str], Path], name: str) -> None:
    folder = copied(name)
    path = folder / "saved_model.pb"
    whole = path.read_bytes()
    expected = ANSWERS.read(models / name)
    others = {
        file: file.read_bytes() for file in folder.rglob("*") if file.is_file() and file != path
    }
    raised = 0
    for place, change in itertools.product(range(0, len(whole), 101), ("cut", 0x01, 0x80, 0xFF)):
        data = bytearray(whole)
        if change == "cut":
            del data[place:]
        else:
            data[place] ^= int(change)
        path.write_bytes(data)
        try:
            function = ANSWERS.function_at(tf.saved_model.load(folder), expected["call"])
            function(*expected["arguments"], **expected["keywords"])
        except DAMAGED:
            raised += 1
    assert raised > len(whole) // 101
    path.write_bytes(whole)
    files = {file for file in folder.rglob("*") if file.is_file()}
    assert {file: file.read_bytes() for file in files - {path}} == others  # nothing is written


def test_a_damaged_checkpoint_is_an_error(copied: Callable[[str], Path]) -> None:
    folder = copied("dense")
    (data,) = folder.glob("variables/variables.data*")
    data.write_bytes(data.read_bytes()[:-5])
    with pytest.raises(tf.errors.DataLossError, match="is damaged"):
        tf.saved_model.load(folder)
    for path in folder.glob("variables/*"):
        path.unlink()
    with pytest.raises(tf.errors.DataLossError, match="has no value in its checkpoint"):
        tf.saved_model.load(folder)


class Changed:
    """A model whose function ``run`` a test changes."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "saved_model.pb"
        self.model = SavedModel.FromString(self.path.read_bytes())
        graph = self.model.meta_graphs[0]
        self.library = graph.graph_def.library
        self.graph = graph
        [node] = [
            node for node in graph.object_graph_def.nodes if node.WhichOneof("kind") == "function"
        ]
        name = node.function.concrete_functions[0]
        self.function: Function
        [self.function] = [f for f in self.library.function if f.signature.name == name]

    def replace(self, *nodes: Node, result: str) -> None:
        """Make these the nodes of the function."""
        for field in ("node_def", "ret", "control_ret"):
            self.function.ClearField(field)
        self.function.node_def.extend(nodes)
        output = self.function.signature.output_arg[0].name
        self.function.ret.extend([Entry(key=output, value=result)])

    def load(self) -> Any:
        self.path.write_bytes(self.model.SerializeToString())
        return tf.saved_model.load(self.path.parent)


def node(name: str, op: str, *inputs: str, **attributes: AttrValue) -> Node:
    encoded = [
        Attribute(key=key, value=value).SerializeToString() for key, value in attributes.items()
    ]
    return Node(name=name, op=op, input=list(inputs), attr=encoded)


TEXT = AttrValue(tensor=tf.make_tensor_proto("/etc/passwd"))


@pytest.fixture
def changed(copied: Callable[[str], Path]) -> Changed:
    return Changed(copied("strings"))  # a function of texts


STRINGS = tf.constant(["a"])


def test_python_in_a_model_does_not_run(changed: Changed) -> None:
    changed.replace(
        node("p", "PyFunc", "args_0", token=AttrValue(s=b"pyfunc_0")), result="p:output:0"
    )
    with pytest.raises(tf.errors.UnimplementedError, match="Python code, which no model runs"):
        changed.load().run(STRINGS)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (
            [node("n", "Const", value=TEXT), node("r", "ReadFile", "n:output:0")],
            "reads a file whose name",
        ),
        ([node("r", "WriteFile", "args_0", "args_0")], "writes a file"),
        (
            [
                node("n", "Const", value=TEXT),
                node("j", "StringJoin", "args_0", "n:output:0", N=AttrValue(i=2)),
                node("r", "MatchingFiles", "j:output:0"),
            ],
            "reads a file whose name",
        ),
        (
            [node("r", "PrintV2", "args_0", output_stream=AttrValue(s=b"file:///tmp/written"))],
            "writes a file that its attribute output_stream names",
        ),
    ],
)
def test_a_model_names_no_files(changed: Changed, nodes: list[Node], message: str) -> None:
    changed.replace(*nodes, result="args_0")
    changed.function.control_ret.extend([Entry(key="r", value="r")])
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        changed.load().run(STRINGS)


def test_a_file_that_the_caller_names_is_read(changed: Changed, tmp_path: Path) -> None:
    (tmp_path / "text").write_text("words")
    changed.replace(
        node("u", "Reshape", "args_0", "s:output:0"),
        node("s", "Const", value=AttrValue(tensor=tf.make_tensor_proto(np.zeros(0, np.int32)))),
        node("r", "ReadFile", "u:output:0"),
        result="r:contents:0",
    )
    assert changed.load().run(tf.constant([str(tmp_path / "text")])) == b"words"


def test_a_default_names_no_file(copied: Callable[[str], Path]) -> None:
    """The text of a default comes with the model, and would be an argument."""
    changed = Changed(copied("strings"))
    changed.replace(
        node("s", "Const", value=AttrValue(tensor=tf.make_tensor_proto(np.zeros(0, np.int32)))),
        node("u", "Reshape", "args_0", "s:output:0"),
        node("r", "ReadFile", "u:output:0"),
        result="r:contents:0",
    )
    [saved] = [
        part.function
        for part in changed.graph.object_graph_def.nodes
        if part.WhichOneof("kind") == "function"
    ]
    for pair in saved.function_spec.fullargspec.named_tuple_value.values:
        if pair.key in ("args", "defaults"):
            pair.value.Clear()
        if pair.key == "args":
            pair.value.list_value.values.add(string_value="args_0")
        if pair.key == "defaults":
            text = tf.make_tensor_proto(["/etc/passwd"])
            pair.value.list_value.values.add(tensor_value=text)
    with pytest.raises(TypeError, match="missing a required argument"):
        changed.load().run()


DAMAGES = {
    "a node that needs its own result": ([node("a", "Neg", "b:y:0"), node("b", "Neg", "a:y:0")], "a:y:0"),
    "an input that is not there": ([node("a", "Neg", "nothing:y:0")], "a:y:0"),
    "an output that is not there": ([node("a", "Neg", "args_0")], "a:z:0"),
    "too many inputs": ([node("a", "Neg", "args_0", "args_0")], "a:y:0"),
    "too few inputs": ([node("a", "AddV2", "args_0")], "a:z:0"),
    "a constant without a value": ([node("a", "Const")], "a:output:0"),
    "a list that is as long as text": ([node("a", "Pack", "args_0", N=AttrValue(s=b"1"))], "a:output:0"),
    "two nodes of one name": ([node("a", "Neg", "args_0"), node("a", "Neg", "args_0")], "a:y:0"),
    "a function that is not there": (
        [node("a", "PartitionedCall", "args_0", f=AttrValue(func=NameAttrList(name="nothing")),
              Tin=AttrValue(list={"type": [7]}), Tout=AttrValue(list={"type": [7]}))],
        "a:output:0",
    ),
    "a call of no function": (
        [node("a", "PartitionedCall", "args_0", f=AttrValue(s=b"nothing"),
              Tin=AttrValue(list={"type": [7]}), Tout=AttrValue(list={"type": [7]}))],
        "a:output:0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGES)
def test_functions_that_are_none(changed: Changed, what: str) -> None:
    nodes, result = DAMAGES[what]
    changed.replace(*nodes, result=result)
    with pytest.raises(tf.errors.DataLossError, match="is damaged"):
        changed.load().run(STRINGS)


@pytest.mark.parametrize(
    ("name", "error"), [("nothing", tf.errors.DataLossError), (None, LookupError)]
)
def test_gradients_that_are_not_there(
    copied: Callable[[str], Path], name: str | None, error: type[Exception]
) -> None:
    """The function of a gradient is damaged, or was not saved: results are there."""
    changed = Changed(copied("custom_gradient"))
    if name is None:
        changed.library.ClearField("registered_gradients")
    else:
        changed.library.registered_gradients[0].gradient_func = name
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = changed.load().run(x)
    assert y.numpy().tolist() == [3.0, 12.0]
    with pytest.raises(error):
        tape.gradient(y, x)


def test_attributes_of_another_type(changed: Changed) -> None:
    changed.replace(
        node("a", "StringJoin", "args_0", N=AttrValue(i=1), separator=AttrValue(i=3)),
        result="a:output:0",
    )
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError)):
        changed.load().run(STRINGS)


@pytest.mark.parametrize("way", ["call", "call of another", "name as a type", "body of a loop"])
def test_functions_that_call_themselves(changed: Changed, way: str) -> None:
    types = AttrValue(list={"type": [7]})

    def named(name: str) -> AttrValue:
        return AttrValue(func=NameAttrList(name=name))

    def call(name: str) -> Node:
        return node("a", "PartitionedCall", "args_0", f=named(name), Tin=types, Tout=types)

    own = changed.function.signature.name
    match way:
        case "call":
            inside = call(own)
        case "call of another":
            inside = call("other")
            changed.replace(call(own), result="a:output:0")
            other = Function.FromString(changed.function.SerializeToString())
            other.signature.name = "other"
            changed.library.function.extend([other])
        case "name as a type":
            inside = node("a", own, "args_0")
        case _:
            inside = node("a", "While", "args_0", cond=named(own), body=named(own), T=types)
    output = changed.function.signature.output_arg[0].name if way == "name as a type" else "output"
    changed.replace(inside, result=f"a:{output}:0")
    with pytest.raises(tf.errors.DataLossError, match="calls itself"):
        changed.load().run(STRINGS)


def test_constants_beyond_the_memory(changed: Changed) -> None:
    proto = tf.make_tensor_proto("a")
    proto.tensor_shape.dim.add(size=1 << 50)
    changed.replace(node("a", "Const", value=AttrValue(tensor=proto)), result="a:output:0")
    with pytest.raises((tf.errors.ResourceExhaustedError, tf.errors.DataLossError)):
        changed.load().run(STRINGS)


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "..", "", "a/b", "a\\b"])
def test_assets_stay_in_their_folder(copied: Callable[[str], Path], name: str) -> None:
    changed = Changed(copied("asset"))
    changed.graph.asset_file_def[0].filename = name
    with pytest.raises(tf.errors.DataLossError, match="an asset has no such name"):
        changed.load()


def test_assets_that_are_links_are_not_followed(copied: Callable[[str], Path]) -> None:
    folder = copied("asset")
    (asset,) = (folder / "assets").iterdir()
    asset.unlink()
    asset.symlink_to("/etc/passwd")
    with pytest.raises(tf.errors.DataLossError, match="is a link"):
        tf.saved_model.load(folder)


def test_a_nest_that_is_too_deep(changed: Changed) -> None:
    """Thousands of lists in a list: neither a crash nor a long wait."""
    data = b""
    for _ in range(5000):
        data = tagged(51, tagged(1, data))
    name = next(iter(changed.graph.object_graph_def.concrete_functions))
    message = changed.model.SerializeToString()
    object_graph = tagged(2, tagged(1, name.encode()) + tagged(2, tagged(4, data)))
    changed.path.write_bytes(message + tagged(2, tagged(7, object_graph)))
    with pytest.raises(OSError, match="Cannot parse file"):
        tf.saved_model.load(changed.path.parent)


def test_a_variable_in_slices_is_one_tensor_of_the_checkpoint(
    copied: Callable[[str], Path],
) -> None:
    prefix = copied("v1_parts") / "variables" / "variables"
    reader = tf.train.load_checkpoint(str(prefix))
    assert reader.get_variable_to_shape_map() == {"c": [1, 70], "w": [20000, 1]}
    np.testing.assert_array_equal(reader.get_tensor("w")[:, 0], np.arange(20000) % 7)
    index = prefix.with_suffix(".index")
    whole, raised = index.read_bytes(), 0
    for place in range(0, len(whole), 7):
        data = bytearray(whole)
        data[place] ^= 0x41
        index.write_bytes(data)
        try:
            values = tf.train.load_checkpoint(str(prefix)).get_tensor("w")
        except DAMAGED:
            raised += 1
        else:  # a byte that says nothing
            np.testing.assert_array_equal(values[:, 0], np.arange(20000) % 7)
    assert raised > len(whole) // 14


def test_slices_that_overlap_are_damage() -> None:
    half = np.ones(2, np.float32)
    with pytest.raises(Damaged, match="slices of v overlap"):
        _joined("v", (4,), [([(0, 2)], half), ([(0, 2)], half)])


def test_a_model_as_text_says_how_its_file_is_made(tmp_path: Path) -> None:
    (tmp_path / "saved_model.pbtxt").write_text("saved_model_schema_version: 1\n")
    with pytest.raises(
        tf.errors.UnimplementedError, match=r"saved_model\.pbtxt .* make a saved_model\.pb"
    ):
        tf.saved_model.load(tmp_path)

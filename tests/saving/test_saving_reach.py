"""What saved functions do with files: they read those that they are given, and write none."""

from __future__ import annotations

import json
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import core

STRING = [tf.TensorSpec([], tf.string)]
STRINGS = [tf.TensorSpec([None], tf.string)]


def saved(function: Callable[..., Any], folder: Path, signature: Any = STRING) -> Path:
    model: Any = tf.Module()
    model.function = tf.function(function, input_signature=signature)
    tf.saved_model.save(model, folder)
    return folder


def doctored(folder: Path, change: Callable[[list[Any]], None]) -> Path:
    """The model after ``change`` of the steps of its first function."""
    path = folder / "saved_model.json"
    model = json.loads(path.read_text())
    del model["crc32c"]  # who changes a model on purpose can also make its checksum fit
    change(model["functions"][0]["recordings"][0]["blocks"][0]["steps"])
    path.write_text(json.dumps(model))
    return folder


def test_files_that_a_function_is_given(tmp_path: Path) -> None:
    loaded = tf.saved_model.load(saved(tf.io.read_file, tmp_path / "model"))
    (tmp_path / "given").write_bytes(b"text")
    assert loaded.function(tf.constant(str(tmp_path / "given"))).numpy() == b"text"
    with pytest.raises(tf.errors.NotFoundError):
        loaded.function(tf.constant(str(tmp_path / "nothing")))


@pytest.mark.parametrize(
    "moved",
    [
        lambda name: tf.fill([2], name)[0],
        lambda name: tf.reverse_sequence([[name, name]], [2], 1)[0, 1],
        lambda name: tf.pad([name], [[0, 0]], "REFLECT")[0],
        lambda name: tf.dynamic_partition([name, name], [0, 1], 2)[1][0],
    ],
)
def test_a_name_that_ops_move_is_still_given(moved: Any, tmp_path: Path) -> None:
    folder = saved(lambda name: tf.io.read_file(moved(name)), tmp_path / "model")
    (tmp_path / "given").write_bytes(b"text")
    assert tf.saved_model.load(folder).function(str(tmp_path / "given")).numpy() == b"text"


def test_pictures_of_any_size(tmp_path: Path) -> None:
    def small(name: Any) -> Any:
        return tf.image.resize(tf.io.decode_png(tf.io.read_file(name), channels=3), [2, 2])

    loaded = tf.saved_model.load(saved(small, tmp_path / "model"))
    for shape in ([3, 4, 3], [7, 5, 3], [2, 2, 3]):
        picture = np.arange(np.prod(shape), dtype=np.uint8).reshape(shape)
        tf.io.write_file(str(tmp_path / "p.png"), tf.io.encode_png(picture))
        name = tf.constant(str(tmp_path / "p.png"))
        np.testing.assert_array_equal(loaded.function(name), small(name))


@pytest.mark.parametrize("parse", [tf.io.parse_example, tf.io.parse_single_example])
def test_records(tmp_path: Path, parse: Any) -> None:
    features = {"x": tf.io.FixedLenFeature([2], tf.float32), "y": tf.io.VarLenFeature(tf.int64)}

    def read(records: Any) -> Any:
        found = parse(records, features)
        return found["x"] * 2, tf.sparse.to_dense(found["y"])

    one = parse is tf.io.parse_single_example
    loaded = tf.saved_model.load(saved(read, tmp_path, STRING if one else STRINGS))
    for count in (0, 3):
        record = tf.train.Example(
            features=tf.train.Features(
                feature={
                    "x": tf.train.Feature(float_list=tf.train.FloatList(value=[1.5, 2.0])),
                    "y": tf.train.Feature(int64_list=tf.train.Int64List(value=range(count))),
                }
            )
        ).SerializeToString()
        given = tf.constant(record if one else [record, record])
        for own, wanted in zip(loaded.function(given), read(given), strict=True):
            np.testing.assert_array_equal(own, wanted)


def test_assets_are_the_copies(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("before")
    model: Any = tf.Module()
    model.asset = tf.saved_model.Asset(str(words))
    model.read = tf.function(lambda: tf.io.read_file(model.asset.asset_path), input_signature=[])
    tf.saved_model.save(model, tmp_path / "model")
    words.unlink()
    (tmp_path / "model").rename(tmp_path / "elsewhere")
    assert tf.saved_model.load(tmp_path / "elsewhere").read().numpy() == b"before"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_what_is_printed(tmp_path: Path, stream: str, capfd: pytest.CaptureFixture[str]) -> None:
    def show(x: Any) -> Any:
        tf.print("text", x, output_stream=getattr(sys, stream))
        return x

    loaded = tf.saved_model.load(saved(show, tmp_path))
    assert capfd.readouterr() == ("", "")
    loaded.function("a")
    assert getattr(capfd.readouterr(), "out" if stream == "stdout" else "err") == "text a\n"


def write_given(x: Any) -> Any:
    tf.io.write_file(x, "text")
    return x


def write_fixed(x: Any) -> Any:
    tf.io.write_file("fixed", x)
    return x


def print_into_a_file(x: Any) -> Any:
    tf.print(x, output_stream="file://printed")
    return x


def read_fixed(x: Any) -> Any:
    return tf.strings.join([x, tf.io.read_file(str(Path(__file__)))])


@pytest.mark.parametrize("function", [write_given, write_fixed, print_into_a_file, read_fixed])
def test_what_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(tf.errors.UnimplementedError, match="file"):
        saved(function, tmp_path / "model")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("where", ["secret", "file://secret", {"tuple": []}, None])
def test_a_doctored_model_prints_into_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: Any
) -> None:
    def show(x: Any) -> Any:
        tf.print(x)
        return x

    def change(steps: list[Any]) -> None:
        [step] = [step for step in steps if step["op"] == "PrintV2"]
        step["attributes"]["output_stream"] = where

    monkeypatch.chdir(tmp_path)
    with pytest.raises(tf.errors.DataLossError, match="PrintV2 writes a file that its attribute"):
        tf.saved_model.load(doctored(saved(show, tmp_path / "model"), change)).function("a")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def text(slot: int) -> dict[str, Any]:
    """A step that makes the name of this file, which is no asset."""
    made = ["numbers", [str(Path(__file__))], [1], "string"]
    return {"constant": {"made": made}, "slot": slot}


JOINED = {"in": [0], "out": [7], "dtypes": ["string"]}
CONTENTS = {"in": [0], "out": [7], "dtypes": ["string"], "op": "ReadFile", "attributes": {}}
WAYS: list[list[Any]] = [
    [CONTENTS],  # what a file that is given says
    [{"in": [0], "out": [6], "dtypes": ["string"], "op": "StringLower", "attributes": {"encoding": ""}},
     {**JOINED, "in": [6, 0], "op": "AddV2", "attributes": {}}],
    [text(7)],
    [text(0)],  # in the place of the argument
    [{**text(7), "constant": {"made": text(0)["constant"]["made"], "asset": 1}}],
    [{**JOINED, "op": "StringFormat", "attributes": {
        "template": __file__, "placeholder": "{}", "summarize": 3}}],
    [text(7), {**JOINED, "op": "Identity", "attributes": {}, "shape": [], "slot": 0}],
    [text(6), {**JOINED, "in": [0, 6], "op": "StringJoin", "attributes": {"separator": ""}}],
]  # fmt: skip


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_a_doctored_model_reads_no_file_that_it_names(tmp_path: Path, way: int) -> None:
    def change(steps: list[Any]) -> None:
        [step] = steps
        step["in"] = [WAYS[way][-1].get("slot", 7) if "constant" in WAYS[way][-1] else 7]
        steps[:] = [*WAYS[way], step]

    folder = doctored(saved(tf.io.read_file, tmp_path / "model"), change)
    with pytest.raises(tf.errors.DataLossError, match="neither an argument nor an asset"):
        tf.saved_model.load(folder)


def test_an_asset_names_no_other_file(tmp_path: Path) -> None:
    """A model brings its assets along, and thus what is written in them."""
    (tmp_path / "list.txt").write_text(__file__)
    model: Any = tf.Module()
    model.asset = tf.saved_model.Asset(str(tmp_path / "list.txt"))
    model.read = tf.function(
        lambda: tf.io.read_file(tf.io.read_file(model.asset.asset_path)), input_signature=[]
    )
    assert model.read().numpy() == Path(__file__).read_bytes()
    with pytest.raises(tf.errors.UnimplementedError, match="neither an argument nor an asset"):
        tf.saved_model.save(model, tmp_path / "model")


def test_names_that_are_elements_of_arguments(tmp_path: Path) -> None:
    def read(names: Any) -> Any:
        first, rest = names[0], tf.reshape(names[1:], [-1, 1])
        return tf.stack([tf.io.read_file(first), tf.io.read_file(tf.gather(rest, 1)[0])])

    loaded = tf.saved_model.load(saved(read, tmp_path / "model", STRINGS))
    names = []
    for text in "abc":
        (tmp_path / text).write_text(text)
        names.append(str(tmp_path / text))
    assert loaded.function(names).numpy().tolist() == [b"a", b"c"]


@pytest.mark.parametrize("read", [tf.io.read_file, tf.io.matching_files])
def test_a_default_names_no_file(tmp_path: Path, read: Any) -> None:
    def function(name: Any) -> Any:
        return read(name)

    folder = saved(function, tmp_path / "model")
    path = folder / "saved_model.json"
    model = json.loads(path.read_text())
    del model["crc32c"]
    [form] = [form for form in model["objects"] if form["kind"] == "function"]
    form["parameters"][0].append(__file__)
    path.write_text(json.dumps(model))
    loaded = tf.saved_model.load(folder)
    with pytest.raises(TypeError, match="missing a required argument"):
        loaded.function()
    assert tf.size(loaded.function(tf.constant(__file__))) == 1


def test_an_attribute_names_no_file(tmp_path: Path) -> None:
    def sample(classes: Any) -> Any:
        return tf.random.fixed_unigram_candidate_sampler(
            classes, 1, 2, True, 3, unigrams=[1.0, 2.0, 3.0]
        )

    def change(steps: list[Any]) -> None:
        [step] = [step for step in steps if step.get("op") == "FixedUnigramCandidateSampler"]
        step["attributes"]["vocab_file"] = __file__

    folder = saved(sample, tmp_path / "model", [tf.TensorSpec([1, 1], tf.int64)])
    assert tf.saved_model.load(folder).function([[1]])[0].shape == [2]
    with pytest.raises(tf.errors.DataLossError, match="reads a file that its attribute vocab_file"):
        tf.saved_model.load(doctored(folder, change))


def test_ops_say_which_of_their_parameters_name_files() -> None:
    """Whoever adds an op with such a parameter decides whether saved functions may use it."""
    core.load_ops()
    sounds = re.compile(
        r"address|asset|container|dir|file|folder|host|path|pattern|prefix|reader|shared_name|stream|uri|url|"
        r"vocab|writer"
    )
    silent = [
        f"{op.type}.{name}"
        for op in core.registry.values()
        for name in (*op.inputs, *op.attributes)
        if sounds.search(name) and name not in op.files
    ]
    assert silent == []
    used = {
        (op.type, name, use.split()[0])
        for op in core.registry.values()
        for name, use in op.files.items()
        if use is not None
    }
    assert used == {
        ("FixedUnigramCandidateSampler", "vocab_file", "reads"),
        ("MatchingFiles", "pattern", "reads"),
        ("PrintV2", "output_stream", "writes"),
        ("ReadFile", "filename", "reads"),
        ("WriteFile", "filename", "writes"),
    }


def names_in(code: types.CodeType) -> set[str]:
    """The names that code uses, with those of functions inside it."""
    inner = [names_in(part) for part in code.co_consts if isinstance(part, types.CodeType)]
    return set(code.co_names).union(*inner)


def test_what_opens_files_among_the_kernels_says_so() -> None:
    """A kernel that opens files, or calls a function that does, belongs to an op with ``files=``."""
    core.load_ops()
    opens = {
        "open",
        "Path",
        "listdir",
        "scandir",
        "makedirs",
        "matching",
        "urlopen",
        "loadtxt",
        "fromfile",
    }
    found = set()
    for op in core.registry.values():
        names = names_in(op.kernel.__code__) if hasattr(op.kernel, "__code__") else set()
        called = [op.namespace.get(name) for name in names]
        inner = [names_in(each.__code__) for each in called if isinstance(each, types.FunctionType)]
        if opens & names.union(*inner):
            found.add(op.type)
    assert found == {op.type for op in core.registry.values() if any(op.files.values())}

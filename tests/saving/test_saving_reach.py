"""What saved functions do with files: they read those that they are given, and write none."""

from __future__ import annotations

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
    assert getattr(capfd.readouterr(), "out" if stream == "stdout" else "err") == 'text "a"\n'


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
def test_what_a_loaded_function_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: Callable[..., Any]
) -> None:
    """Such a function is written, as TensorFlow may run it."""
    monkeypatch.chdir(tmp_path)
    loaded = tf.saved_model.load(saved(function, tmp_path / "model"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="file"):
        loaded.function("written")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_an_asset_names_no_other_file(tmp_path: Path) -> None:
    """A model brings its assets along, and thus what is written in them."""
    (tmp_path / "list.txt").write_text(__file__)
    model: Any = tf.Module()
    model.asset = tf.saved_model.Asset(str(tmp_path / "list.txt"))
    model.read = tf.function(
        lambda: tf.io.read_file(tf.io.read_file(model.asset.asset_path)), input_signature=[]
    )
    assert model.read().numpy() == Path(__file__).read_bytes()
    tf.saved_model.save(model, tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    with pytest.raises(tf.errors.InvalidArgumentError, match="neither an argument nor an asset"):
        loaded.read()


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

"""What saved functions do with files: they read those that they are given, and write none."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

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
    with pytest.raises(tf.errors.DataLossError, match=r"tf\.print writes into a file"):
        tf.saved_model.load(doctored(saved(show, tmp_path / "model"), change)).function("a")
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def text(slot: int) -> dict[str, Any]:
    """A step that makes the name of this file, which is no asset."""
    made = ["numbers", [str(Path(__file__))], [1], "string"]
    return {"constant": {"made": made}, "slot": slot}


JOINED = {"in": [0], "out": [7], "dtypes": ["string"]}
WAYS: list[list[Any]] = [
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

"""Models of the format that `tf.saved_model.save` wrote before it wrote TensorFlow's: they are still read.

golden/earlier_format.tar.xz has models that the last release with the writer of that format has written.
"""

from __future__ import annotations

import contextlib
import copy
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tapegrad as tf
from tapegrad.io.atomic import json_with_checksum
from writers import OLD, earlier_models, found_in

pytest.importorskip("safetensors", reason="the extra tapegrad[saving] is not installed")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return earlier_models(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def whole(models: Path) -> Path:
    return models / "whole"


def test_objects_and_functions_come_back(whole: Path) -> None:
    loaded = tf.saved_model.load(whole)
    assert loaded.again is loaded.weight
    assert loaded.weight.name == "weight:0"
    assert not loaded.parts[1]["a"].trainable
    assert loaded.inner.half.dtype is tf.bfloat16
    assert loaded.inner.words.numpy().tolist() == [b"a", b"", "ä".encode()]
    assert loaded.inner.up is loaded
    x = tf.reshape(tf.range(6.0), [2, 3]) - 4.0
    np.testing.assert_array_equal(loaded(x), tf.nn.relu(x @ loaded.weight))
    assert [float(loaded.steps(number)) for number in (-3.0, 0.5, 9.0)] == [3.0, 0.5, 0.5625]
    with pytest.raises(tf.errors.FailedPreconditionError, match="a way that was not saved"):
        loaded.steps(1e9)
    assert [int(loaded.increment()) for _ in range(3)] == [1, 2, 3]
    assert loaded.find(tf.constant(["y", "?", "x"])).numpy().tolist() == [2, -1, 1]
    assert loaded.scale(tf.constant(5), by=4)["both"][1] is None
    assert loaded.signatures["serving_default"](x)["output_0"].shape == [2, 2]
    assert Path(loaded.asset.asset_path.numpy().decode()).read_text() == "one\n"


def test_a_model_is_saved_again_in_the_other_format(whole: Path, tmp_path: Path) -> None:
    loaded = tf.saved_model.load(whole)
    tf.saved_model.save(loaded, tmp_path / "again")
    again = tf.saved_model.load(tmp_path / "again")
    assert (tmp_path / "again" / "saved_model.pb").is_file()
    x = tf.ones([4, 3])
    np.testing.assert_array_equal(again(x), loaded(x))
    assert float(again.steps(9.0)) == 0.5625


def test_tables_of_all_kinds_are_filled(models: Path) -> None:
    loaded = tf.saved_model.load(models / "tables")
    dense, places, counts = loaded.f(tf.constant([3, 4], tf.int64), tf.constant(["b", "z"]))
    assert dense.numpy().tolist() == [5.0, -1.0]
    assert places[0] == 1
    assert counts.numpy().tolist() == [-1, 9]


def test_sizes_are_open_and_ragged_tensors_are_arguments(models: Path) -> None:
    loaded = tf.saved_model.load(models / "shapes")
    for rows in (1, 4):
        zeros, doubled, ragged, _ = loaded.f(tf.ones([rows]), tf.ragged.constant([[1.0], []]))
        assert zeros.shape == [rows, 2]
        assert doubled.shape == [rows]
        assert ragged.to_list() == [[2.0], []]


def test_a_function_of_some_sizes_refuses_others(models: Path) -> None:
    loaded = tf.saved_model.load(models / "unrolled")
    assert loaded.f(tf.ones([3, 2])).numpy() == 14.0
    with pytest.raises(tf.errors.FailedPreconditionError, match="saved for inputs of the shapes"):
        loaded.f(tf.ones([4, 2]))


@pytest.mark.parametrize("name", ["doubled", "outer", "branches"])
def test_custom_gradients_are_those_that_were_saved(models: Path, name: str) -> None:
    loaded = tf.saved_model.load(models / name)
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.f(x)
    wanted = {"doubled": [2.0, 2.0], "outer": [1.0, 4.0], "branches": [2.0, 2.0]}[name]
    np.testing.assert_array_equal(tape.gradient(y, x), wanted)


def test_a_gradient_that_was_not_saved_is_an_error(models: Path) -> None:
    loaded = tf.saved_model.load(models / "decided")
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded.f(x)
    with pytest.raises(LookupError, match=r"was not saved: .*asks for a value"):
        tape.gradient(y, x)


def test_a_model_of_version_1_is_read(models: Path, tmp_path: Path) -> None:
    """It has no checksums, and names that do not change."""
    shutil.copytree(models / "old", tmp_path / "model")
    path = tmp_path / "model" / "saved_model.json"
    model = json.loads(path.read_text())
    for name in ("crc32c", "files", "folders", "variables"):
        del model[name]
    model["version"] = 1
    for form in model["objects"]:
        if form["kind"] == "asset":
            form["file"] = form["file"].removeprefix("assets/")
    path.write_text(json.dumps(model))
    loaded = tf.saved_model.load(tmp_path / "model")
    assert found_in([loaded.v.numpy()]) == {OLD}


@pytest.mark.parametrize("name", ["assets", "variables.safetensors"])
def test_a_model_follows_no_link_to_its_files(models: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(models / "old", folder)
    (folder / name).rename(tmp_path / name)
    (folder / name).symlink_to(tmp_path / name)
    with pytest.raises(tf.errors.DataLossError, match="is a link"):
        tf.saved_model.load(folder)


# Damaged files


def use(path: Path) -> None:
    """Load a model, and call everything that it has."""
    loaded = tf.saved_model.load(path)
    for call in (
        lambda: loaded(tf.ones([2, 3])),
        lambda: loaded.steps(3.0),
        lambda: loaded.increment(),
        lambda: loaded.find(tf.constant(["x"])),
        lambda: loaded.means(tf.ones([2, 5])),
        lambda: loaded.scale(tf.constant(1.0)),
        lambda: loaded.signatures["serving_default"](tf.ones([1, 3])),
    ):
        call()


# What a damaged model may raise: where it is read, and where a function of it runs.
ALLOWED = (tf.errors.OpError, ValueError, TypeError, AttributeError, KeyError, OSError, MemoryError)
VALUES = st.sampled_from(
    [None, True, -1, 0, 1, 3, 10**6, 2**62, 1.5, "", "x", "../../etc/passwd", "PyFunc", "MatMul", "Fill",
     "float64", "string", [], [0], [[]], {}, {"tuple": [1]}, {"object": 0}, {"array": "variable/1"},
     {"size": ["size", 0, 0]}, {"size": ["*", 2**62, 2**62]}, {"dtype": "int8"}, {"tensor": "no"}]
)  # fmt: skip


def places_of(value: Any, found: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Every place in a JSON: what holds it, and its key there."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in list(items):
        found.append((value, key))
        if isinstance(part, (dict, list)):
            places_of(part, found)
    return found


@pytest.mark.long
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_doctored_models_are_errors(whole: Path, tmp_path: Path, data: Any) -> None:
    model = json.loads((whole / "saved_model.json").read_text())
    del model["crc32c"]  # who changes a model on purpose can also make its checksum fit
    doctored = copy.deepcopy(model)
    for _ in range(data.draw(st.integers(1, 2))):
        places = places_of(doctored, [])
        holder, key = places[data.draw(st.integers(0, len(places) - 1))]
        way = data.draw(st.sampled_from(["other", "drop", "swap"]))
        if way == "drop":
            del holder[key]
        elif way == "other":
            holder[key] = data.draw(VALUES)
        else:
            other, place = places[data.draw(st.integers(0, len(places) - 1))]
            try:
                holder[key] = copy.deepcopy(other[place])
            except (KeyError, IndexError):
                continue
    path = tmp_path / "doctored"
    (path / "assets").mkdir(parents=True, exist_ok=True)
    (path / "assets" / "words.txt").write_text("one\n")
    (path / "variables.safetensors").write_bytes((whole / "variables.safetensors").read_bytes())
    (path / "saved_model.json").write_text(json.dumps(doctored))
    with np.errstate(all="ignore"), contextlib.suppress(*ALLOWED):  # a change may also do no harm
        use(path)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
@pytest.mark.parametrize("name", ["saved_model.json", "variables.safetensors"])
def test_broken_files_are_data_loss(whole: Path, tmp_path: Path, name: str, data: Any) -> None:
    content = (whole / name).read_bytes()
    path = tmp_path / "broken"
    path.mkdir(exist_ok=True)
    for each in ("saved_model.json", "variables.safetensors"):
        (path / each).write_bytes((whole / each).read_bytes())
    (path / name).write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(tf.errors.DataLossError):
        tf.saved_model.load(path)


# What functions do with files


def doctored(folder: Path, target: Path, change: Callable[[list[Any]], None]) -> Path:
    """A copy of a model, after ``change`` of the steps of its first function."""
    shutil.copytree(folder, target)
    path = target / "saved_model.json"
    model = json.loads(path.read_text())
    del model["crc32c"]  # who changes a model on purpose can also make its checksum fit
    change(model["functions"][0]["recordings"][0]["blocks"][0]["steps"])
    path.write_text(json.dumps(model))
    return target


@pytest.mark.parametrize("where", ["secret", "file://secret", {"tuple": []}, None])
def test_a_doctored_model_prints_into_no_file(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: Any
) -> None:
    def change(steps: list[Any]) -> None:
        [step] = [step for step in steps if step["op"] == "PrintV2"]
        step["attributes"]["output_stream"] = where

    monkeypatch.chdir(tmp_path)
    with pytest.raises(tf.errors.DataLossError, match="PrintV2 writes a file that its attribute"):
        tf.saved_model.load(doctored(models / "show", tmp_path / "model", change)).f("a")
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
def test_a_doctored_model_reads_no_file_that_it_names(
    models: Path, tmp_path: Path, way: int
) -> None:
    def change(steps: list[Any]) -> None:
        [step] = steps
        step["in"] = [WAYS[way][-1].get("slot", 7) if "constant" in WAYS[way][-1] else 7]
        steps[:] = [*WAYS[way], step]

    folder = doctored(models / "read", tmp_path / "model", change)
    with pytest.raises(tf.errors.DataLossError, match="neither an argument nor an asset"):
        tf.saved_model.load(folder)


@pytest.mark.parametrize("name", ["read", "match"])
def test_a_default_names_no_file(models: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "model"
    shutil.copytree(models / name, folder)
    path = folder / "saved_model.json"
    model = json.loads(path.read_text())
    del model["crc32c"]
    [form] = [form for form in model["objects"] if form["kind"] == "function"]
    form["parameters"][0].append(__file__)
    path.write_text(json.dumps(model))
    loaded = tf.saved_model.load(folder)
    with pytest.raises(TypeError, match="missing a required argument"):
        loaded.f()
    assert tf.size(loaded.f(tf.constant(__file__))) == 1


def test_an_attribute_names_no_file(models: Path, tmp_path: Path) -> None:
    def change(steps: list[Any]) -> None:
        [step] = [step for step in steps if step.get("op") == "FixedUnigramCandidateSampler"]
        step["attributes"]["vocab_file"] = __file__

    assert tf.saved_model.load(models / "sample").f([[1]])[0].shape == [2]
    folder = doctored(models / "sample", tmp_path / "model", change)
    with pytest.raises(tf.errors.DataLossError, match="reads a file that its attribute vocab_file"):
        tf.saved_model.load(folder)


def test_a_doctored_gradient_is_refused(models: Path, tmp_path: Path) -> None:
    shutil.copytree(models / "doubled", tmp_path, dirs_exist_ok=True)
    path = tmp_path / "saved_model.json"
    model = json.loads(path.read_text())
    [block] = model["functions"][0]["recordings"][0]["blocks"]
    [rule] = [step for step in block["steps"] if "rule" in step]

    def refuses(change: Callable[[dict[str, Any]], Any], message: str) -> None:
        doctored = json.loads(json.dumps(model))
        [block] = doctored["functions"][0]["recordings"][0]["blocks"]
        change(next(step for step in block["steps"] if "rule" in step))
        doctored.pop("crc32c", None)
        path.write_bytes(json_with_checksum(doctored))
        with pytest.raises(tf.errors.DataLossError, match=message):
            tf.saved_model.load(str(tmp_path))

    def reads_a_file(step: dict[str, Any]) -> None:
        given = step["gradient"]["given"]
        read = {"op": "ReadFile", "in": given, "attributes": {}, "out": [999], "dtypes": ["string"]}
        step["gradient"]["steps"].append(read)

    refuses(reads_a_file, "reads a file whose name")
    refuses(lambda step: step["gradient"].update(results=[999]), "before it is filled")
    refuses(lambda step: step["gradient"].update(asks=0), "is none")
    refuses(lambda step: step.update(gradient=None), "is none")
    refuses(lambda step: step.update(out=[]), "belongs to nothing")
    refuses(lambda step: step.update(plain=[777]), "before it is filled")
    assert rule["rule"] == "doubled"

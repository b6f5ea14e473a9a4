"""``python -m tapegrad.saved_model``: SavedModels shown, run, and stripped."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.releases import VERSION
from tapegrad.saving.commands import main
from tapegrad.saving.graphs.messages import Node, SavedModel
from writers import earlier_models


class Words(tf.Module):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        (folder / "words.txt").write_text("a\nb\n")
        self.weight = tf.Variable([[1.0], [2.0], [3.0]], name="weight")
        self.slots = [tf.Variable(tf.zeros([40, 50]))]
        self.asset = tf.saved_model.Asset(str(folder / "words.txt"))
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1
        )

    @tf.function(input_signature=[tf.TensorSpec([None, 3], name="rows")])
    def __call__(self, rows: Any) -> Any:
        return {"sums": rows @ self.weight}

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string, name="words")])
    def find(self, words: Any) -> Any:
        return self.table.lookup(words), words

    @tf.function(input_signature=[tf.TensorSpec([])])
    def train(self, by: Any) -> Any:
        return self.slots[0].assign_add(tf.fill([40, 50], by))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("words")
    model = Words(place)
    signatures = {"serving_default": model.__call__, "find": model.find}
    tf.saved_model.save(model, place / "model", signatures)
    return str(place / "model")


def test_a_model_is_shown(folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", folder]) == 0
    assert (
        capsys.readouterr().out
        == f"""\
{folder}: of TensorFlow {VERSION}, tags: serve

signature find (tensorflow/serving/predict)
  takes  words     string  [?]
  gives  output_0  int32   [?]
  gives  output_1  string  [?]

signature serving_default (tensorflow/serving/predict)
  takes  rows  float32  [?, 3]
  gives  sums  float32  [?, 1]

variables: 2, 8,012 bytes
  slots/0  float32  [40, 50]  8,000 bytes
  weight   float32  [3, 1]    12 bytes

ops that tapegrad does not have: none
"""
    )


def test_missing_ops_are_shown_with_their_places(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = SavedModel.FromString((Path(folder) / "saved_model.pb").read_bytes())
    functions = content.meta_graphs[0].graph_def.library.function
    [function] = [own for own in functions if "call" in own.signature.name]
    function.node_def.append(Node(name="new", op="NobodyHasThis"))
    function.control_ret.add(key="new", value="new")
    function.signature.control_output.append("new")
    (tmp_path / "saved_model.pb").write_bytes(content.SerializeToString())
    assert main(["show", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "variables: 0, 0 bytes" in out
    name = function.signature.name
    assert f"does not have: 1\n  NobodyHasThis: new in {name}\n" in out


def test_a_signature_is_run_on_arrays(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "rows.npz", rows=np.eye(3))  # float64
    assert main(["run", folder, "--inputs", str(tmp_path / "rows.npz")]) == 0
    assert capsys.readouterr().out == "sums: float32 [3, 1]\n[[1.]\n [2.]\n [3.]]\n"
    np.savez(tmp_path / "words.npz", words=np.array(["b", "other"]))
    inputs, outputs = str(tmp_path / "words.npz"), str(tmp_path / "out.npz")
    command = ["run", folder, "--signature", "find", "--inputs", inputs, "--outputs", outputs]
    assert main(command) == 0
    with np.load(outputs) as results:
        assert results["output_0"].tolist() == [2, -1]
        assert results["output_1"].tolist() == [b"b", b"other"]


ROWS = np.ones([2, 3], np.float32)
WRONG: list[tuple[list[str], dict[str, Any], str]] = [
    (["run", "MODEL"], {}, "takes the arrays rows; none came"),
    (["run", "MODEL"], {"lines": ROWS}, "takes the arrays rows; lines came"),
    (["run", "MODEL"], {"rows": ROWS[:, 1:]}, r"has the shape (None, 3); [2, 2] came"),
    (["run", "MODEL"], {"rows": np.array(["a"])}, "is of float32; <U1 came"),
    (["run", "MODEL"], {"rows": ROWS * 1j}, "is of float32; complex"),
    (["run", "MODEL", "--signature", "other"], {}, "no signature other; it has: find, serving_default"),
    (["run", "MODEL", "--tags", "gpu"], {}, "incompatible argument to `tags`: ['gpu']"),
    (["run", "MODEL", "--inputs", "missing.npz"], {}, "missing.npz"),
    (["show", "nowhere"], {}, "There is no folder nowhere"),
    (["show", "."], {}, "saved_model.pb"),
    (["strip", "MODEL", "in.npz"], {"rows": ROWS}, "something else than a folder"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "arrays", "words"), WRONG)
def test_what_is_wrong_is_said_in_one_line(
    command: list[str],
    arrays: dict[str, Any],
    words: str,
    folder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    command = [folder if part == "MODEL" else part for part in command]
    if arrays:
        np.savez("in.npz", **arrays)
        command += ["--inputs", "in.npz"] if command[0] == "run" else []
    assert main(command) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("python -m tapegrad.saved_model: ")
    assert words in err
    assert err.count("\n") == 1


def test_objects_of_python_are_no_arrays(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(tmp_path / "in.npz", rows=np.array([print], object))
    assert main(["run", folder, "--inputs", str(tmp_path / "in.npz")]) == 1
    assert "allow_pickle" in capsys.readouterr().err


def test_models_of_the_earlier_format_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", str(earlier_models(tmp_path) / "whole")]) == 1
    assert "earlier format: load it and save it again" in capsys.readouterr().err


def test_a_stripped_model_has_what_its_signatures_need(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = str(tmp_path / "small")
    assert main(["strip", folder, target]) == 0
    assert capsys.readouterr().out.startswith(f"{target}: ")
    loaded = tf.saved_model.load(target)
    assert sorted(loaded.signatures) == ["find", "serving_default"]
    assert [variable.name for variable in loaded.variables] == ["weight:0"]
    assert not hasattr(loaded, "train")
    sums = loaded.signatures["serving_default"](rows=tf.eye(3))["sums"]
    assert sums.numpy().tolist() == [[1.0], [2.0], [3.0]]
    found = loaded.signatures["find"](words=tf.constant(["b"]))["output_0"]
    assert found.numpy().tolist() == [2]
    sizes = [
        sum(path.stat().st_size for path in Path(place).rglob("*") if path.is_file())
        for place in (folder, target)
    ]
    assert sizes[1] < sizes[0] - 8_000


def test_a_signature_with_a_loop_is_not_stripped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with tarfile.open(Path(__file__).parents[1] / "golden" / "saved_models.tar.xz") as archive:
        if hasattr(tarfile, "data_filter"):  # not before Python 3.11.4
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(tmp_path)
    assert main(["strip", str(tmp_path / "while_on_value" / "model"), str(tmp_path / "small")]) == 1
    assert "has a loop that values end" in capsys.readouterr().err
    assert not (tmp_path / "small").exists()


def test_a_ragged_result_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with tarfile.open(Path(__file__).parents[1] / "golden" / "saved_models.tar.xz") as archive:
        if hasattr(tarfile, "data_filter"):
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(tmp_path)
    assert main(["show", str(tmp_path / "ragged_result" / "model")]) == 0
    out = capsys.readouterr().out
    assert "composite" in out
    assert "ops that tapegrad does not have: none" in out


def test_python_runs_the_program(folder: str) -> None:
    command = [sys.executable, "-m", "tapegrad.saved_model", "show", folder]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.startswith(f"{folder}: of TensorFlow")
    command[-2:] = ["--help"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "show|run|strip" in result.stdout

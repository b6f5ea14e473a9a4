"""SavedModels in TensorFlow's format: old or new whole at any interrupt, and nothing of others touched."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import tapegrad as tf
from tapegrad.io import exchange
from writers import (
    NEW,
    OLD,
    Steps,
    described,
    earlier_models,
    fill_disk,
    found_in,
    numbers,
    press_ctrl_c,
    started,
)


def save(folder: Path, value: int) -> None:
    model: Any = tf.Module()
    model.v = tf.Variable(numbers(value))
    model.asset = tf.saved_model.Asset(str(folder.parent / f"words-{value}.txt"))
    tf.saved_model.save(model, folder)


def load(folder: Path) -> set[int]:
    model = tf.saved_model.load(folder)
    text = Path(model.asset.asset_path.numpy().decode()).read_text()
    return found_in([model.v.numpy()]) | {int(line) for line in text.split()}


@pytest.fixture(params=["tensorflow", "earlier"])
def template(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder with an old model of this format, and files of others beside it."""
    place = tmp_path / "template"
    place.mkdir()
    for value in (OLD, NEW):
        (place / f"words-{value}.txt").write_text(f"{value}\n" * 100)
    if request.param == "tensorflow":
        save(place / "model", OLD)
    else:
        shutil.copytree(earlier_models(tmp_path / "earlier") / "old", place / "model")
    (place / "variables").mkdir()
    (place / "variables" / "thesis.txt").write_text("mine")
    (place / ".tapegrad-1-0123456789abcdef.tmp").write_text("mine")
    (place / "link").symlink_to("variables")
    return place


@contextmanager
def fresh(template: Path) -> Iterator[Path]:
    """A copy of it; afterwards what lies beside the model is as it was."""
    copy = template.parent / "copy"
    shutil.copytree(template, copy, symlinks=True)
    beside = {name: what for name, what in described(copy).items() if not in_model(name)}
    yield copy / "model"
    after = described(copy)
    assert {name: after.get(name) for name in beside} == beside
    shutil.rmtree(copy)


def in_model(name: str) -> bool:
    return name.split("/")[0] == "model"


def count_steps(template: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    steps = Steps(0, press_ctrl_c, False, False)
    with fresh(template) as folder, steps.watching(monkeypatch):
        save(folder, NEW)
    assert steps.count > 10
    return steps.count


@pytest.fixture(params=[True, False], ids=["exchanged", "renamed"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether the file system can exchange two names."""
    if not request.param:
        monkeypatch.setattr(exchange, "_exchange", lambda first, second: False)
    return bool(request.param)


def test_a_new_model_takes_the_place_of_the_old(template: Path, way: bool) -> None:
    with fresh(template) as folder:
        folder.chmod(0o750)
        for value in (NEW, OLD, NEW):
            save(folder, value)
            assert load(folder) == {value}
            assert sorted(os.listdir(folder)) == [
                "assets",
                "fingerprint.pb",
                "saved_model.pb",
                "variables",
            ]
        assert folder.stat().st_mode & 0o777 == 0o750
        assert sorted(os.listdir(folder.parent)) == sorted(os.listdir(template))


@pytest.mark.long
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_ctrl_c(template: Path, monkeypatch: pytest.MonkeyPatch, after: bool) -> None:
    for at in range(1, count_steps(template, monkeypatch) + 1):
        with fresh(template) as folder:
            steps = Steps(at, press_ctrl_c, after, False)
            with pytest.raises(KeyboardInterrupt), steps.watching(monkeypatch):
                save(folder, NEW)
            assert load(folder) in ({OLD}, {NEW})
            save(folder, NEW)
            assert load(folder) == {NEW}


def test_a_disk_that_is_full_from_some_step_on(
    template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(1, count_steps(template, monkeypatch) + 1):
        with fresh(template) as folder:
            with Steps(at, fill_disk, False, True).watching(monkeypatch):
                try:
                    save(folder, NEW)
                except tf.errors.ResourceExhaustedError:
                    assert load(folder) in ({OLD}, {NEW})
            save(folder, NEW)
            assert load(folder) == {NEW}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_kills(template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for at in range(1, count_steps(template, monkeypatch) + 1):
        with fresh(template) as folder:
            steps = Steps(at, lambda: os.kill(os.getpid(), signal.SIGKILL), False, False)
            with steps.watching(monkeypatch):
                child = started(lambda folder=folder: save(folder, NEW))  # type: ignore[misc]
            assert os.waitpid(child, 0)[1] == signal.SIGKILL
            assert load(folder) in ({OLD}, {NEW})
            save(folder, NEW)
            assert load(folder) == {NEW}


@pytest.mark.parametrize(
    "place",
    [
        "notes.txt",
        "variables/notes.txt",
        "assets/logo.png",
        "assets.extra/x",
        "empty/",
        "link",
        "variables/link",
    ],
)
def test_a_folder_with_something_else_is_left_alone(template: Path, place: str) -> None:
    with fresh(template) as folder:
        thing = folder / place
        thing.parent.mkdir(exist_ok=True)
        if place.endswith("/"):
            thing.mkdir()
        elif place.endswith("link"):
            thing.symlink_to("../words-1.txt")
        else:
            thing.write_text("mine")
        before = described(folder.parent)
        with pytest.raises(tf.errors.AlreadyExistsError, match=place.rstrip("/")):
            save(folder, NEW)
        assert described(folder.parent) == before


@pytest.mark.parametrize("name", ["saved_model.pb", "fingerprint.pb", "variables/variables.index"])
def test_names_of_a_model_that_is_none(tmp_path: Path, name: str) -> None:
    """Of a folder without a model that can be read nobody knows what belongs to it."""
    (tmp_path / "words-2.txt").write_text("2\n")
    folder = tmp_path / "model"
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text("mine")
    before = described(tmp_path)
    with pytest.raises(tf.errors.AlreadyExistsError, match="holds nothing else"):
        save(folder, NEW)
    assert described(tmp_path) == before


def test_an_asset_of_the_old_model_that_leads_elsewhere_is_kept(template: Path) -> None:
    """A model that somebody has written may name files that are not its own."""
    from tapegrad.saving.graphs.messages import SavedModel

    with fresh(template) as folder:
        save(folder, OLD)
        model = SavedModel.FromString((folder / "saved_model.pb").read_bytes())
        for asset in model.meta_graphs[0].asset_file_def:
            asset.filename = "../../variables/thesis.txt"
        (folder / "saved_model.pb").write_bytes(model.SerializeToString())
        (folder / "assets" / "words-1.txt").unlink()
        save(folder, NEW)
        assert load(folder) == {NEW}


def test_what_comes_between_stays(
    template: Path, monkeypatch: pytest.MonkeyPatch, way: bool
) -> None:
    """A file that somebody writes after the last look lies in the new folder afterwards."""
    put_in_place = exchange._put_in_place

    def late(new: str, path: str) -> str | None:
        (Path(path) / "notes.txt").write_text("mine")
        return put_in_place(new, path)

    monkeypatch.setattr(exchange, "_put_in_place", late)
    with fresh(template) as folder:
        save(folder, NEW)
        assert load(folder) == {NEW}
        assert (folder / "notes.txt").read_text() == "mine"


def test_a_link_to_the_folder_stays(template: Path) -> None:
    with fresh(template) as folder:
        link = folder.parent / "other"
        link.symlink_to("model")
        save(link, NEW)
        assert link.is_symlink()
        assert load(folder) == {NEW}


def test_what_cannot_be_written_leaves_the_old_model(template: Path) -> None:
    module: Any = tf.Module()
    module.call = tf.function(tf.linalg.expm, input_signature=[tf.TensorSpec([None, None])])
    with fresh(template) as folder:
        before = described(folder.parent)
        with pytest.raises(tf.errors.UnimplementedError):
            tf.saved_model.save(module, folder)
        assert described(folder.parent) == before

"""SavedModels in TensorFlow's format: old or new whole at any interrupt, and nothing of others touched."""

from __future__ import annotations

import errno
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


def put_others_into(folder: Path) -> None:
    """What somebody has put into the folder of a model."""
    for name in ("notes.txt", "variables/notes.txt", "assets/logo.png", "assets.extra/a/x"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine")
    (folder / "empty").mkdir()
    for name in ("link", "variables/link", "to-variables"):
        (folder / name).symlink_to("variables" if name.startswith("to") else "../words-1.txt")


@pytest.fixture(params=["tensorflow", "earlier", "with others"])
def template(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder with an old model of this format, and files of others beside it, or in it too."""
    place = tmp_path / "template"
    place.mkdir()
    for value in (OLD, NEW):
        (place / f"words-{value}.txt").write_text(f"{value}\n" * 100)
    if request.param == "earlier":
        shutil.copytree(earlier_models(tmp_path / "earlier") / "old", place / "model")
    else:
        save(place / "model", OLD)
    if request.param == "with others":
        put_others_into(place / "model")
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
    others = {name: what for name, what in described(copy).items() if not of_model(name)}
    yield copy / "model"
    after = described(copy)
    assert {name: after.get(name) for name in others} == others
    shutil.rmtree(copy)


def of_model(name: str) -> bool:
    """Whether it may be a file or a folder of a model, where others have put none with such names."""
    return name.split("/")[0] == "model" and Path(name).name not in (
        *("notes.txt", "logo.png", "assets.extra", "a", "x", "empty", "link", "to-variables"),
    )


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
            assert {name for name in os.listdir(folder) if of_model(f"model/{name}")} == {
                "assets",
                "fingerprint.pb",
                "saved_model.pb",
                "variables",
            }
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


@pytest.mark.parametrize("inside", [False, True], ids=["empty", "with others"])
def test_a_folder_without_a_model_stays_the_same_folder(tmp_path: Path, inside: bool) -> None:
    """It may be where a program works, or where a disk is mounted."""
    (tmp_path / "words-2.txt").write_text("2\n")
    folder = tmp_path / "model"
    folder.mkdir()
    if inside:
        put_others_into(folder)
    before, number = described(tmp_path), folder.stat().st_ino
    save(folder, NEW)
    assert load(folder) == {NEW}
    assert folder.stat().st_ino == number
    after = described(tmp_path)
    assert {name: after.get(name) for name in before} == before
    assert not [name for name in after if name.endswith(".tmp")]
    save(folder, NEW)


def test_ctrl_c_and_full_disks_leave_a_folder_without_a_model_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "words-2.txt").write_text("2\n")
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "notes.txt").write_text("mine")
    for interrupt, error in (
        (press_ctrl_c, KeyboardInterrupt),
        (fill_disk, tf.errors.ResourceExhaustedError),
    ):
        for at in range(1, 100):
            folder = tmp_path / f"{interrupt.__name__}-{at}" / "model"
            shutil.copytree(tmp_path / "model", folder)
            (folder.parent / "words-2.txt").write_text("2\n")
            before = files_in(folder)
            steps = Steps(at, interrupt, False, False)
            try:
                with steps.watching(monkeypatch):
                    save(folder, NEW)
            except error:
                assert files_in(folder) == before or load(folder) == {NEW}
                if files_in(folder) == before:
                    save(folder, NEW)
            assert load(folder) == {NEW}
            if steps.count < at:
                break
        assert at > 10


def files_in(folder: Path) -> dict[str, Any]:
    return {name: what for name, what in described(folder).items() if what[1] is not None}


@pytest.mark.parametrize("place", ["assets/words-2.txt", "assets", "variables"])
@pytest.mark.parametrize("template", ["tensorflow", "earlier"], indirect=True)
def test_what_has_the_name_of_a_new_file_is_left_alone(template: Path, place: str) -> None:
    with fresh(template) as folder:
        if place == "assets/words-2.txt":
            (folder / "assets").mkdir(exist_ok=True)
        elif (folder / place).is_dir():
            shutil.move(folder / place, folder.parent / "away")
        (folder / place).write_text("mine")
        before = described(folder.parent)
        with pytest.raises(tf.errors.AlreadyExistsError, match=place):
            save(folder, NEW)
        assert described(folder.parent) == before


def test_a_file_system_without_second_names(
    template: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*args: Any, **options: Any) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refused)
    with fresh(template) as folder:
        (folder / "notes.txt").write_text("mine")
        before = described(folder.parent)
        with pytest.raises(tf.errors.AlreadyExistsError, match=r"notes|assets\.extra"):
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
    with pytest.raises(tf.errors.AlreadyExistsError, match=name):
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
        (Path(path) / "late.txt").write_text("mine")
        (Path(path) / "notes.new").write_text("mine, again")
        (Path(path) / "notes.new").replace(Path(path) / "notes.txt")
        return put_in_place(new, path)

    monkeypatch.setattr(exchange, "_put_in_place", late)
    (template / "model" / "notes.txt").unlink(missing_ok=True)
    with fresh(template) as folder:
        (folder / "notes.txt").write_text("mine")
        save(folder, NEW)
        assert load(folder) == {NEW}
        assert (folder / "late.txt").read_text() == "mine"
        assert (folder / "notes.txt").read_text() == "mine, again"


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

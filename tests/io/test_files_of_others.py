"""Every writer, interrupted at every step: files of others stay, and the old or the new is there, whole."""

from __future__ import annotations

import errno
import fcntl
import functools
import os
import signal
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import tapegrad as tf
from writers import (
    ATOMIC,
    FILES,
    NEW,
    OLD,
    WRITERS,
    Place,
    Steps,
    Writer,
    described,
    each,
    fill_disk,
    furnish,
    furnish_assets,
    load_dataset,
    mounted,
    press_ctrl_c,
    read_checkpoint,
    read_latest,
    read_state,
    started,
    steps_of,
)

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


@pytest.mark.long
@each(WRITERS)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: Writer, after: bool
) -> None:
    place = Place(tmp_path, writer)
    for at in range(1, steps_of(place, monkeypatch) + 1):
        steps = Steps(at, press_ctrl_c, after, False)
        with place.fresh() as folder:
            with pytest.raises(KeyboardInterrupt), steps.watching(monkeypatch):
                writer.write(folder, NEW)
            if not after and steps.last not in ("unlink", "rmdir"):
                left = {path.name for path in folder.glob(".tapegrad-*")}
                assert left == {name for name in FILES if name.startswith(".tapegrad-")}
            place.check(folder)


@pytest.mark.long
@each(WRITERS)
def test_a_disk_that_is_full_from_some_step_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: Writer
) -> None:
    place = Place(tmp_path, writer)
    met = 0
    for at in range(1, steps_of(place, monkeypatch) + 1):
        steps = Steps(at, fill_disk, False, True)
        with place.fresh() as folder:
            with steps.watching(monkeypatch):
                try:
                    writer.write(folder, NEW)
                except tf.errors.ResourceExhaustedError:
                    met += 1
            place.check(folder)
    assert met >= 1


@pytest.mark.long
@each(WRITERS)
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_kills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: Writer) -> None:
    place = Place(tmp_path, writer)
    for at in range(1, steps_of(place, monkeypatch) + 1):
        steps = Steps(at, lambda: os.kill(os.getpid(), signal.SIGKILL), False, False)
        with place.fresh() as folder:
            with steps.watching(monkeypatch):
                child = started(lambda: writer.write(folder, NEW))
            assert os.waitpid(child, 0)[1] == signal.SIGKILL
            place.check(folder)


def fill(path: Path) -> None:
    """Write into a file until no more can be written."""
    with open(path, "wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))


@each(WRITERS)
def test_a_disk_that_is_full(tmp_path: Path, writer: Writer) -> None:
    """The same with a real disk, where one may be mounted."""
    with mounted(tmp_path / "disk") as is_mounted:
        folder = tmp_path / "disk" / "folder"
        folder.mkdir()
        furnish(folder)
        others = described(folder)
        writer.write(folder, OLD)
        if is_mounted:
            fill(tmp_path / "disk" / "filling")
            with pytest.raises(tf.errors.ResourceExhaustedError):
                writer.write(folder, NEW)
            if writer.read in (read_checkpoint, read_latest, load_dataset, read_state):
                assert writer.read(folder) == {OLD}
            (tmp_path / "disk" / "filling").unlink()
        writer.write(folder, NEW)
        after = described(folder)
        assert {name: after.get(name) for name in others} == others


# --- Several at once ------------------------------------------------------------------------------------

REPLACING = [writer for writer in ATOMIC if writer.name not in ("cache", "snapshot")]


def write_often(writer: Writer, folder: Path, value: int, times: int) -> None:
    for _ in range(times):
        writer.write(folder, value)


@each(REPLACING)
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_two_writers_and_a_reader(tmp_path: Path, writer: Writer) -> None:
    """Two processes and a thread write the same, and what is read meanwhile is one of theirs."""
    assert writer.read is not None
    place = Place(tmp_path, writer)
    with place.fresh() as folder:
        children = []
        # Managers of one folder remove what is not theirs to keep: ranks of a job all write the same number.
        for value in (NEW if writer.name == "CheckpointManager" else OLD, NEW):
            children.append(started(functools.partial(write_often, writer, folder, value, 12)))
        thread = threading.Thread(target=write_often, args=(writer, folder, NEW, 12))
        thread.start()
        while children or thread.is_alive():
            # A file that was listed may have gone: then nothing wrong was read.
            with suppress(tf.errors.NotFoundError, FileNotFoundError):
                assert writer.read(folder) in ({OLD}, {NEW})
            for child in children[:]:
                ended, status = os.waitpid(child, os.WNOHANG)
                if ended:
                    children.remove(child)
                    assert status == 0
        thread.join()
        assert writer.read(folder) in ({OLD}, {NEW})
        writer.write(folder, NEW)
        left = {path.name for path in folder.iterdir()}
    with place.fresh() as folder:
        writer.write(folder, NEW)
        alone = {path.name for path in folder.iterdir()}
    if writer.name in ("Checkpoint.write", "state"):
        assert len(left) == len(alone), "each writer removes what it replaces"


@pytest.mark.long
@each(ATOMIC)
def test_a_writer_in_a_handler_of_a_signal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: Writer
) -> None:
    """A program that saves when it is told to end may be saving just then."""
    assert writer.read is not None
    place = Place(tmp_path, writer)
    for at in range(1, steps_of(place, monkeypatch) + 1):
        with place.fresh() as folder:
            done: list[int] = []

            def save(folder: Path = folder, done: list[int] = done) -> None:
                if not done:
                    done.append(1)
                    with suppress(
                        tf.errors.AlreadyExistsError
                    ):  # of a cache, which one writes at a time
                        writer.write(folder, NEW)

            with Steps(at, save, False, False).watching(monkeypatch):
                writer.write(folder, NEW)
            assert done
            place.check(folder)


def test_what_is_renamed_was_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First the file, then the name, then the folder."""
    for writer in ATOMIC:
        synced: list[tuple[int, int]] = []
        renamed: list[Path] = []

        def fsync(handle: int, synced: list[Any] = synced) -> None:
            found = os.fstat(handle)
            synced.append((found.st_dev, found.st_ino))

        def replace(
            old: Any, new: Any, synced: list[Any] = synced, renamed: list[Path] = renamed,
            replace: Any = os.replace,
        ) -> None:  # fmt: skip
            found = os.stat(old)
            assert (found.st_dev, found.st_ino) in synced
            replace(old, new)
            renamed.append(Path(new))

        folder = tmp_path / writer.name
        folder.mkdir()
        furnish_assets(tmp_path)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fsync)
            patch.setattr(os, "replace", replace)
            writer.write(folder, NEW)
        assert renamed
        parent = renamed[-1].parent.stat()
        assert synced[-1] == (parent.st_dev, parent.st_ino)


@each(ATOMIC)
@pytest.mark.parametrize("lacking", ["link", "flock"])
def test_file_systems_without_links_or_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writer: Writer, lacking: str
) -> None:
    def lack(*args: Any) -> None:
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))

    assert writer.read is not None
    monkeypatch.setattr(fcntl if lacking == "flock" else os, lacking, lack)
    furnish_assets(tmp_path)
    folder = tmp_path / "folder"
    folder.mkdir()
    for value in (OLD, NEW):
        writer.write(folder, value)
    assert writer.read(folder) == {NEW}
    assert not [*folder.glob(".tapegrad-*"), *folder.glob("*.lockfile")]

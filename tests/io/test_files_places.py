"""Where writers write, what they remove, and how damage is found: links, mounts, older files, checksums."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.saving import bundles
from writers import (
    ATOMIC,
    NEW,
    OLD,
    WRITERS,
    Writer,
    described,
    each,
    furnish,
    furnish_assets,
    mounted,
    numbers,
    profile,
    read_checkpoint,
    started,
    write_checkpoint,
)

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


# --- Places ---------------------------------------------------------------------------------------------


@each(ATOMIC)
def test_a_link_to_a_folder_stays_a_link(tmp_path: Path, writer: Writer) -> None:
    assert writer.read is not None
    (tmp_path / "v1").mkdir()
    furnish(tmp_path / "v1")
    others = described(tmp_path)
    (tmp_path / "latest").symlink_to("v1")
    for value in (OLD, NEW):
        writer.write(tmp_path / "latest", value)
    assert writer.read(tmp_path / "latest") == {NEW}
    assert os.readlink(tmp_path / "latest") == "v1"
    after = described(tmp_path)
    assert {name: after.get(name) for name in others} == others


@each(ATOMIC)
def test_a_folder_that_is_mounted(tmp_path: Path, writer: Writer) -> None:
    assert writer.read is not None
    with mounted(tmp_path / "volume"):
        furnish_assets(tmp_path)
        for value in (OLD, NEW):
            writer.write(tmp_path / "volume", value)
        assert writer.read(tmp_path / "volume") == {NEW}


@each(ATOMIC)
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_folder_in_one_that_cannot_be_written(tmp_path: Path, writer: Writer) -> None:
    assert writer.read is not None
    folder = tmp_path / "closed" / "own"
    folder.mkdir(parents=True)
    furnish_assets(folder.parent)
    folder.chmod(0o777)
    folder.parent.chmod(0o555)
    top = Path(tempfile.gettempdir())
    for outer in (tmp_path, *tmp_path.parents):
        if outer.is_relative_to(top) and outer != top:
            outer.chmod(outer.stat().st_mode | 0o055)
    # Another user may not read this package: what is imported late is imported now.
    furnish_assets(tmp_path)
    (tmp_path / "first").mkdir()

    def write_twice(folder: Path) -> None:
        assert writer.read is not None
        for value in (OLD, NEW):
            writer.write(folder, value)
        assert writer.read(folder) == {NEW}

    def write() -> None:
        if os.geteuid() == 0:
            os.setuid(65534)
        write_twice(folder)

    write_twice(tmp_path / "first")
    assert os.waitpid(started(write), 0)[1] == 0


def test_a_manager_removes_its_own_alone(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(numbers(OLD)))
    elsewhere = checkpoint.write(tmp_path / "elsewhere" / "ckpt-1")
    other = checkpoint.write(tmp_path / "own" / "best-1")
    tf.compat.v1.train.update_checkpoint_state(str(tmp_path / "own"), other, [elsewhere, other])
    manager = tf.train.CheckpointManager(checkpoint, tmp_path / "own", max_to_keep=1)
    for _ in range(3):
        manager.save()
    assert [os.path.basename(path) for path in manager.checkpoints] == ["ckpt-3"]
    for path in (elsewhere, other):
        assert read_checkpoint(tmp_path, path) == {OLD}
    assert not (tmp_path / "own" / "ckpt-1.index").exists()


def test_data_that_is_in_several_files_stays(tmp_path: Path) -> None:
    """TensorFlow writes such checkpoints, and this library never does."""
    write_checkpoint(tmp_path, OLD)
    index, data = tmp_path / "c.index", tmp_path / "c.data-00000-of-00001"
    table = dict(bundles._read_table(index.read_bytes()))
    key = b"v/.ATTRIBUTES/VARIABLE_VALUE"
    table[key] += bundles._number(3, 1)  # the second file has this tensor
    del table[b""]
    index.write_bytes(bundles.index_of(table, 2))
    for shard in (0, 1):
        (tmp_path / f"c.data-{shard:05d}-of-00002").write_bytes(data.read_bytes())
    data.unlink()
    assert read_checkpoint(tmp_path) == {OLD}
    write_checkpoint(tmp_path, NEW)
    assert read_checkpoint(tmp_path) == {NEW}
    assert len(own_files(tmp_path)) == 4
    tf.compat.v1.train.remove_checkpoint(str(tmp_path / "c"))
    assert len(own_files(tmp_path)) == 2


def test_profiles_of_one_second_are_all_kept(tmp_path: Path) -> None:
    for _ in range(3):
        profile(tmp_path, NEW)
    assert len([*tmp_path.glob("plugins/profile/*/*.xplane.pb")]) == 3


# --- Checksums ------------------------------------------------------------------------------------------


def own_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def loss_of(read: Callable[[], bool]) -> Any:
    """The DataLossError that is raised; None where what is read is right."""
    try:
        assert read()
    except tf.errors.DataLossError as error:
        return error
    return None


@each([writer for writer in ATOMIC if writer.name != "state"])
def test_a_bit_that_is_flipped_is_data_loss(tmp_path: Path, writer: Writer) -> None:
    """In every file, at many places: the error names what is damaged, or the same is read."""
    assert writer.read is not None
    folder = tmp_path / "folder"
    folder.mkdir()
    furnish_assets(tmp_path)
    writer.write(folder, NEW)
    for path in own_files(folder):
        if path.name == "checkpoint":
            continue  # text that people may write
        whole = path.read_bytes()
        lost = 0
        for at in np.linspace(0, len(whole) - 1, 40).astype(int):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
            error = loss_of(lambda: writer.read(folder) == {NEW})
            if error is not None:
                lost += 1
                assert str(folder) in error.message
        path.write_bytes(whole)
        assert lost >= 30, path.name
    assert writer.read(folder) == {NEW}


@each([writer for writer in WRITERS if writer.name in ("cache", "snapshot", "Dataset.save")])
def test_elements_that_are_missing_are_data_loss(tmp_path: Path, writer: Writer) -> None:
    """A file that ends between two records has checksums that fit."""
    assert writer.read is not None
    writer.write(tmp_path, NEW)
    [shard] = [
        path
        for path in own_files(tmp_path)
        if (path.stat().st_size and "data-" in path.name) or ".snapshot" in path.name
    ]
    shard.write_bytes(b"")
    with pytest.raises(tf.errors.DataLossError, match="0 elements, and 10 were written"):
        writer.read(tmp_path)

"""The ways in which the library writes files, what others have beside them, and what interrupts a writer."""

from __future__ import annotations

import builtins
import ctypes
import errno
import os
import shutil
import stat
import tarfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import tapegrad as tf

SIZE = 500  # numbers in each thing that is written: all are the same, so that a mixture is seen
OLD, NEW = 1, 2

# --- The writers ----------------------------------------------------------------------------------------


class Writer(NamedTuple):
    """A way of writing into a folder."""

    name: str
    write: Callable[[Path, int], Any]
    """Writes things of this number into the folder."""
    read: Callable[[Path], set[int]] | None = None
    """The numbers that are found there. None for a file that the user names, and that is written in place."""


def earlier_models(folder: Path) -> Path:
    """The folder, with models of the earlier format of `tf.saved_model.save`, which is no longer written."""
    with tarfile.open(Path(__file__).with_name("golden") / "earlier_format.tar.xz") as archive:
        if hasattr(tarfile, "data_filter"):  # not before Python 3.11.4
            archive.extraction_filter = tarfile.data_filter
        archive.extractall(folder)
    return folder


def numbers(value: int) -> np.ndarray[Any, Any]:
    return np.full(SIZE, value)


def found_in(elements: Any) -> set[int]:
    return {int(number) for element in elements for number in np.ravel(element)}


def write_checkpoint(folder: Path, value: int) -> None:
    tf.train.Checkpoint(v=tf.Variable(numbers(value))).write(folder / "c")


def read_checkpoint(folder: Path, path: str = "") -> set[int]:
    v = tf.Variable(numbers(0))
    tf.train.Checkpoint(v=v).read(path or folder / "c").assert_consumed()
    return found_in([v.numpy()])


def save_checkpoint(folder: Path, value: int) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(numbers(value)))
    checkpoint.save_counter.assign(value - 1)
    checkpoint.save(folder / "c")


def manage(folder: Path, value: int) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(numbers(value)))
    checkpoint.save_counter.assign(value - 1)
    tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1).save()


def read_latest(folder: Path) -> set[int]:
    latest = tf.train.latest_checkpoint(folder)
    if latest is None:
        raise tf.errors.NotFoundError(None, None, "there is no checkpoint")
    v = tf.Variable(numbers(0))
    tf.train.Checkpoint(v=v).read(latest).expect_partial()
    return found_in([v.numpy()])


def dataset(value: int) -> Any:
    return tf.data.Dataset.from_tensor_slices(numbers(value)).batch(50)


def save_dataset(folder: Path, value: int) -> None:
    dataset(value).save(str(folder), compression="GZIP", shard_func=lambda x: tf.reduce_sum(x) % 2)


def load_dataset(folder: Path) -> set[int]:
    elements = list(tf.data.Dataset.load(str(folder)).as_numpy_iterator())
    assert sum(map(len, elements)) == SIZE
    return found_in(elements)


def cache(folder: Path, value: int) -> None:
    if value == NEW:
        assert found_in(dataset(NEW).cache(str(folder / "c")).as_numpy_iterator()) == {NEW}


def snapshot(folder: Path, value: int) -> None:
    elements = dataset(value).snapshot(str(folder), shard_func=lambda x: tf.reduce_sum(x) % 2)
    assert found_in(elements.as_numpy_iterator()) == {value}


def written_again(write: Callable[[Path, int], Any]) -> Callable[[Path], set[int]]:
    def read(folder: Path) -> set[int]:
        write(folder, NEW)
        return {NEW}

    return read


def summarize(folder: Path, value: int) -> None:
    writer = tf.summary.create_file_writer(str(folder))
    try:
        with writer.as_default():
            tf.summary.scalar("x", value, step=0)
    finally:
        try:
            assert not tf.summary.should_record_summaries()
        finally:
            writer.close()


def profile(folder: Path, value: int) -> None:
    tf.profiler.experimental.start(str(folder))
    try:
        tf.ones([2]) + 1.0
    finally:
        tf.profiler.experimental.stop()


def write_state(folder: Path, value: int) -> None:
    tf.compat.v1.train.update_checkpoint_state(str(folder), str(folder / f"c-{value}"))


def read_state(folder: Path) -> set[int]:
    state = tf.train.get_checkpoint_state(str(folder))
    assert state is not None
    return {int(state.model_checkpoint_path.rpartition("-")[2])}


def grown(value: int) -> bytes:
    """Bytes that are more for the new than for the old."""
    return bytes(SIZE * 20 * value)


def write_records(folder: Path, value: int) -> None:
    with tf.io.TFRecordWriter(str(folder / "own")) as writer:
        writer.write(grown(value))


def write_gfile(folder: Path, value: int) -> None:
    with tf.io.gfile.GFile(str(folder / "own"), "w") as file:
        file.write(grown(value).decode())


def print_text(folder: Path, value: int) -> None:
    tf.print(grown(value).decode(), output_stream=f"file://{folder / 'own'}")


def copy_file(folder: Path, value: int) -> None:
    given = folder.parent / f"given-{value}" / "words.txt"
    tf.io.gfile.copy(str(given), str(folder / "own"), overwrite=True)


WRITERS = [
    Writer("Checkpoint.write", write_checkpoint, read_checkpoint),
    Writer("Checkpoint.save", save_checkpoint, read_latest),
    Writer("CheckpointManager", manage, read_latest),
    Writer("state", write_state, read_state),
    Writer("Dataset.save", save_dataset, load_dataset),
    Writer("cache", cache, written_again(cache)),
    Writer("snapshot", snapshot, written_again(snapshot)),
    Writer("summary", summarize),
    Writer("profile", profile),
    Writer("write_file", lambda folder, value: tf.io.write_file(str(folder / "own"), grown(value))),
    Writer("TFRecordWriter", write_records),
    Writer("GFile", write_gfile),
    Writer("gfile.copy", copy_file),
    Writer("tf.print", print_text),
]  # fmt: skip
ATOMIC = [writer for writer in WRITERS if writer.read is not None]


def each(writers: list[Writer]) -> Any:
    return pytest.mark.parametrize("writer", writers, ids=lambda writer: writer.name)


# --- What belongs to others -----------------------------------------------------------------------------

FILES = [
    "thesis.txt",
    "run-1/thesis.txt",
    "run-17-0123456789abcdef/00000000.snapshot",
    "assets/words.txt",
    "assets/logo.png",
    "assets-0123456789abcdef/words.txt",
    "variables.safetensors",
    "variables-0123456789abcdef.safetensors",
    "variables/variables.index",
    "c.data-00000-of-00001",
    "c.data-00000-of-00003",
    "c-1.data-00000-of-00002",
    "c-1.data-00000-of-00001.old",
    "ckpt-1.data-00000-of-00002",
    "ckpt-1.index.old",
    "c.index.old/thesis.txt",
    ".tapegrad-1-0123456789abcdef.tmp",
    "events.out.tfevents.1.v2",
]
LINKS = [
    ".c.index.part",
    ".c.data-00000-of-00001.part",
    ".c-2.index.part",
    ".checkpoint.part",
    "dataset_spec.json.part",
    "c.data.part",
    "c.index.part",
    "assets/link",
    "link",
]


def furnish_assets(folder: Path) -> None:
    """Make the files that models have as assets, and that are copied."""
    for value in (OLD, NEW):
        (folder / f"given-{value}").mkdir(exist_ok=True)
        (folder / f"given-{value}" / "words.txt").write_text(f"{value}\n" * (SIZE * 4 * value))


def furnish(folder: Path) -> None:
    """Put files, folders and links of others into a folder."""
    (folder.parent / "outside").mkdir()
    (folder.parent / "outside" / "target").write_text("outside")
    for value in (OLD, NEW):
        (folder.parent / f"given-{value}").mkdir()
        (folder.parent / f"given-{value}" / "words.txt").write_text(
            f"{value}\n" * (SIZE * 4 * value)
        )
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"this is {name}")
    for name in LINKS:
        (folder / name).symlink_to(
            "../outside/target" if "/" not in name else "../../outside/target"
        )
    (folder / "folder").symlink_to("../outside")
    (folder / "empty").mkdir()


def described(folder: Path) -> dict[str, Any]:
    """What is in a folder, and below it: kind, and contents or target."""
    found: dict[str, Any] = {}
    for outer, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(outer, name)
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                what: Any = os.readlink(path)
            else:
                what = path.read_bytes() if stat.S_ISREG(mode) else None
            found[str(path.relative_to(folder))] = (stat.S_IFMT(mode), what)
    return found


@contextmanager
def mounted(place: Path) -> Iterator[bool]:
    """A file system mounted at ``place``, with a file of others; False where mounting is not permitted."""
    library = ctypes.CDLL(None, use_errno=True)
    place.mkdir(parents=True, exist_ok=True)
    done = library.mount(b"tapegrad", bytes(place), b"tmpfs", 0, b"size=256k") == 0
    if done:
        (place / "thesis.txt").write_text("mounted")
    try:
        yield done
    finally:
        if done:
            library.umount2(bytes(place), 2)


class Place:
    """A folder with things of others and, from a writer, the old."""

    def __init__(self, path: Path, writer: Writer) -> None:
        self.root, self.writer = path, writer
        (path / "template").mkdir(parents=True)
        folder = path / "template" / "folder"
        folder.mkdir()
        furnish(folder)
        self.others = described(path / "template")
        writer.write(folder, OLD)
        self.runs = 0

    @contextmanager
    def fresh(self) -> Iterator[Path]:
        """A copy of the folder; afterwards it is checked that nothing of others has changed."""
        self.runs += 1
        copy = self.root / f"run-{self.runs}"
        shutil.copytree(self.root / "template", copy, symlinks=True)
        with mounted(copy / "folder" / "mounted"):
            before = described(copy / "folder" / "mounted")
            yield copy / "folder"
            assert described(copy / "folder" / "mounted") == before
        after = described(copy)
        assert {name: after.get(name) for name in self.others} == self.others
        shutil.rmtree(copy)

    def check(self, folder: Path) -> None:
        """What is read is old or new, and after it things can be written again: at every third step."""
        if self.writer.read is not None:
            assert self.writer.read(folder) in ({OLD}, {NEW})
        if self.runs % 3:
            return
        self.writer.write(folder, NEW)
        if self.writer.read is not None:
            assert self.writer.read(folder) == {NEW}


# --- What interrupts ------------------------------------------------------------------------------------


class Steps:
    """Counts what a writer asks the system for, and interrupts it at one of these steps."""

    NAMES = (
        "open",
        "write",
        "fsync",
        "replace",
        "rename",
        "link",
        "unlink",
        "remove",
        "rmdir",
        "mkdir",
    )
    GROWING = frozenset({"open", "write", "fsync", "link", "mkdir", "file"})

    def __init__(self, at: int, interrupt: Callable[[], None], after: bool, lasting: bool) -> None:
        self.count, self.at, self.after, self.lasting = 0, at, after, lasting
        self.interrupt = interrupt
        self.last = ""

    def step(self, name: str, call: Callable[[], Any]) -> Any:
        self.count += 1
        now = self.count == self.at or (self.lasting and 0 < self.at < self.count)
        if self.lasting:
            now = now and name in self.GROWING
        if now:
            self.last = name
            try:
                if self.after:
                    opened = call()
                    if name in ("open", "file"):  # as the interpreter does with what nobody gets
                        os.close(opened) if name == "open" else opened.close()
            finally:
                self.interrupt()
        return call()

    @contextmanager
    def watching(self, patch: pytest.MonkeyPatch) -> Iterator[None]:
        with patch.context() as inner:
            for name in self.NAMES:
                inner.setattr(os, name, self._wrapped(name, getattr(os, name)))
            inner.setattr(builtins, "open", self._wrapped("file", builtins.open))
            yield

    def _wrapped(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*args: Any, **options: Any) -> Any:
            if name == "open" and not args[1] & os.O_CREAT:
                return call(*args, **options)
            if name == "file" and "r" in (args[1:2] or (options.get("mode", "r"),))[0]:
                return call(*args, **options)
            return self.step(name, lambda: call(*args, **options))

        return wrapper


def started(function: Callable[[], Any]) -> int:
    """The number of a child of this process, which calls ``function``: its status is 0 if that returns."""
    child = os.fork()
    if child:
        return child
    try:
        function()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def press_ctrl_c() -> None:
    raise KeyboardInterrupt


def fill_disk() -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def steps_of(place: Place, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many steps the writer takes."""
    steps = Steps(0, press_ctrl_c, False, False)
    with place.fresh() as folder, steps.watching(monkeypatch):
        place.writer.write(folder, NEW)
    assert steps.count >= 1, "the writer is not seen"
    return steps.count

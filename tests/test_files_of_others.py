"""Every writer, interrupted at every step: files of others stay, and the old or the new is there, whole."""

from __future__ import annotations

import builtins
import ctypes
import errno
import fcntl
import functools
import json
import os
import re
import shutil
import signal
import stat
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
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


def numbers(value: int) -> np.ndarray[Any, Any]:
    return np.full(SIZE, value)


def found_in(elements: Any) -> set[int]:
    return {int(number) for element in elements for number in np.ravel(element)}


def save_model(folder: Path, value: int) -> None:
    model: Any = tf.Module()
    model.v = tf.Variable(numbers(value))
    model.asset = tf.saved_model.Asset(str(folder.parent / f"given-{value}" / "words.txt"))
    tf.saved_model.save(model, folder)


def load_model(folder: Path) -> set[int]:
    model = tf.saved_model.load(folder)
    text = Path(model.asset.asset_path.numpy().decode()).read_text()
    assert Path(model.asset.asset_path.numpy().decode()).name == "words.txt"
    return found_in([model.v.numpy()]) | {int(line) for line in text.split()}


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
    Writer("saved model", save_model, load_model),
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


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test can see what `os.fsync` is for, and it takes time. That it is called is a test of its own."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


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
            inner.setattr(
                os, "fsync", lambda handle: None
            )  # what it is for, no test can see; it takes time
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
            if writer.read in (load_model, read_checkpoint, read_latest, load_dataset, read_state):
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
    for outer in (tmp_path, *tmp_path.parents[:2]):
        outer.chmod(outer.stat().st_mode | 0o055)

    def write() -> None:
        if os.geteuid() == 0:
            os.setuid(65534)
        for value in (OLD, NEW):
            writer.write(folder, value)
        assert writer.read(folder) == {NEW}

    assert os.waitpid(started(write), 0)[1] == 0


def test_a_model_follows_no_link_to_its_files(tmp_path: Path) -> None:
    furnish_assets(tmp_path)
    for name in ("assets", "variables.safetensors"):
        folder = tmp_path / f"model-{name}"
        folder.mkdir()
        save_model(folder, NEW)
        (folder / name).rename(tmp_path / name)
        (folder / name).symlink_to(tmp_path / name)
        with pytest.raises(tf.errors.DataLossError, match="is a link"):
            tf.saved_model.load(folder)


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


def test_profiles_of_one_second_are_all_kept(tmp_path: Path) -> None:
    for _ in range(3):
        profile(tmp_path, NEW)
    assert len([*tmp_path.glob("plugins/profile/*/*.xplane.pb")]) == 3


def test_a_model_of_version_1_is_read_and_replaced(tmp_path: Path) -> None:
    """It has no checksums, and names that do not change."""
    furnish_assets(tmp_path)
    save_model(tmp_path / "model", OLD)
    path = tmp_path / "model" / "saved_model.json"
    model = json.loads(path.read_text())
    for name in ("crc32c", "files", "folders", "variables"):
        del model[name]
    model["version"] = 1
    for form in model["objects"]:
        if form["kind"] == "asset":
            form["file"] = form["file"].removeprefix("assets/")
    path.write_text(json.dumps(model))
    (tmp_path / "model" / "thesis.txt").write_text("mine")
    assert load_model(tmp_path / "model") == {OLD}
    save_model(tmp_path / "model", NEW)
    assert load_model(tmp_path / "model") == {NEW}
    kinds = sorted(
        re.sub("-[0-9a-f]{16}", "-", path.name) for path in own_files(tmp_path / "model")
    )
    assert kinds == ["saved_model.json", "thesis.txt", "variables-.safetensors", "words.txt"]


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

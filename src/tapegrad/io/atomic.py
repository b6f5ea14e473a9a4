"""Atomic writes: a reader, at any moment and after any kill, sees the old file or the new one, complete.

How `Transaction` writes:

1. New bytes go into a file of a name of its own: the number of the process and 64 random bits, made with
   O_EXCL and O_NOFOLLOW. No link is followed, and two writers never share a file.
2. Files that another file lists are synced and get a name that was free.
3. The file that lists them is synced and renamed over the old one. At this moment the new begins to count.
4. Only then are the files removed that the old one listed.

    c.index ---> c.data-00000-of-00001          1., 2.  new: c.data-00000-of-00002, listed by nothing
    c.index ---> c.data-00000-of-00002          3.      the index has changed
    c.data-00000-of-00001                       4.      is removed

Nothing else is ever moved or removed: no file of others, no link, no folder that is not empty. A process
that is killed leaves a file named ``.tapegrad-<process>-<random>.tmp``, or one that nothing lists. They are
never read, and are not deleted here: they may belong to a running process of another machine.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, NoReturn, Self, TypeVar, cast

from tapegrad.engines.numpy.checksums import crc32c
from tapegrad.errors import OpError

HEAD = b'{"crc32c": "%08x", '  # of JSON with a checksum
BUFFER = 256 * 1024
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC

T = TypeVar("T")


class _Synced(io.RawIOBase):
    """A new file, which is on the disk when it is closed."""

    def __init__(self, path: str, with_checksum: bool) -> None:
        self._handle = -1
        self._handle = os.open(path, NEW, 0o666)
        self._process = os.getpid()
        self._with_checksum = with_checksum
        self.checksum = 0
        self.size = 0
        self.wanted = True

    def writable(self) -> bool:
        """True."""
        return True

    def fileno(self) -> int:
        """The number that the system has for the file."""
        return self._handle

    def write(self, data: Any) -> int:
        """Write some of ``data``; how much."""
        count = os.write(self._handle, data)
        if self._with_checksum:
            self.checksum = crc32c(memoryview(data).cast("B")[:count], self.checksum)
        self.size += count
        return count

    def close(self) -> None:
        """Sync and close."""
        handle, self._handle = self._handle, -1
        super().close()
        if handle >= 0:
            try:
                # A fork's child leaves the file to its parent.
                if self.wanted and self._process == os.getpid():
                    os.fsync(handle)
            finally:
                os.close(handle)


class NewFile:
    """A new file, which is removed again unless its transaction is committed."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.raw: _Synced | None = None
        self.stream: BinaryIO

    def open(self, with_checksum: bool) -> None:
        """Make the file; it is written through ``stream``."""
        self.raw = _Synced(self.path, with_checksum)
        self.stream = cast(BinaryIO, io.BufferedWriter(self.raw, BUFFER))

    def close(self) -> None:
        """Flush, sync and close."""
        self.stream.close()

    def digest(self) -> dict[str, Any]:
        """Size and checksum, in JSON: they show later whether the file is still the one that was written."""
        assert self.raw is not None
        return {"size": self.raw.size, "crc32c": f"{self.raw.checksum:08x}"}

    def discard(self) -> None:
        """Close the file and remove it."""
        if self.raw is not None:
            self.raw.wanted = False
            with suppress(OSError, OpError):  # a full disk: what was to be written goes
                self.stream.close()
        with suppress(OSError):  # it was not made, or has gone with its folder
            os.unlink(self.path)


class Transaction:
    """Files that a folder gets together: a `with` block that ends without `commit` leaves none of them.

    Args:
        folder: where they go. It is made if it is missing.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder or "."
        self._process = os.getpid()
        self._files: list[NewFile] = []
        self._made: list[str] = []
        self._listing: NewFile | None = None

    def __enter__(self) -> Self:
        try:
            self.make_folder()
        except BaseException:
            self.roll_back()
            raise
        return self

    def __exit__(self, *_: Any) -> None:
        self.roll_back()

    def make_folder(self) -> None:
        """Make the folder, and those around it, where they are missing."""
        missing = []
        outer = self.folder
        while outer and not os.path.isdir(outer):
            missing.append(outer)
            outer = os.path.dirname(outer)
        for path in reversed(missing):
            # Another writer may have made it since: then it is that one's to remove.
            with suppress(FileExistsError):
                os.mkdir(path)
                self._made.append(path)
        if not os.path.isdir(self.folder):
            raise FileExistsError(17, "there is something else than a folder", self.folder)

    def new_folder(self, names: Iterable[str]) -> str:
        """Make a folder in the folder, of the first name that is free, and return the name."""
        for name in names:
            path = os.path.join(self.folder, name)
            with suppress(FileExistsError):
                os.mkdir(path)
                self._made.append(path)
                return name
        raise AssertionError("there are as many names as are asked for")

    def new_file(self, inner: str = "", with_checksum: bool = False) -> NewFile:
        """A new file with a new name or, with ``inner``, with that name in the folder.

        Args:
            inner: a path below a folder that this transaction has made.
            with_checksum: whether `NewFile.digest` will be called.
        """
        name = inner or f".tapegrad-{os.getpid()}-{os.urandom(8).hex()}.tmp"
        new_file = NewFile(os.path.join(self.folder, name))
        assert not inner or os.path.dirname(new_file.path) in self._made
        self._files.append(new_file)
        new_file.open(with_checksum)
        return new_file

    def place(self, new_file: NewFile, names: Iterable[str]) -> str:
        """Give a file the first name that is free, and return the name."""
        new_file.close()
        for name in names:
            path = os.path.join(self.folder, name)
            if os.path.lexists(path):
                continue
            try:
                # Takes the name: a rename alone would replace what has got it meanwhile.
                os.close(os.open(path, NEW, 0o666))
            except FileExistsError:
                continue
            before, new_file.path = new_file.path, path
            self._files.append(NewFile(before))
            os.replace(before, path)
            return name
        raise AssertionError("there are as many names as are asked for")

    def commit_alone(self, new_file: NewFile, names: Iterable[str]) -> str:
        """`place` a file that no list names: it is valid alone."""
        name = self.place(new_file, names)
        self._files.remove(new_file)
        self._made.clear()
        sync_folder(self.folder)
        return name

    def commit(self, name: str, content: bytes) -> None:
        """Let the file that lists the others take its place: from here on the new counts."""
        listing = self.new_file()
        listing.stream.write(content)
        listing.close()
        changed = {os.path.dirname(new_file.path) for new_file in self._files}
        for folder in changed | {os.path.dirname(path) for path in self._made}:
            sync_folder(folder)
        self._listing = listing
        os.replace(listing.path, os.path.join(self.folder, name))
        sync_folder(self.folder)

    @property
    def is_committed(self) -> bool:
        """Whether the new file is valid. A Ctrl-C may follow the rename at once: look at the files."""
        return self._listing is not None and not os.path.lexists(self._listing.path)

    def remove_earlier(self, names: Iterable[str], folders: Iterable[str] = ()) -> None:
        """Remove files that the old list named, and folders that were made for them if they are empty."""
        kept = {os.path.normpath(new_file.path) for new_file in self._files}
        for name in names:
            if os.path.normpath(os.path.join(self.folder, name)) not in kept:
                remove_plain(self.folder, name)
        for name in folders:
            if not leads_elsewhere(self.folder, name):
                with suppress(OSError):  # something of others is in it, or it has gone
                    os.rmdir(os.path.join(self.folder, name))

    def roll_back(self) -> None:
        """Remove what was written, unless it is committed."""
        if self._process != os.getpid() or self.is_committed:
            return
        self._listing = None
        # One by one: a Ctrl-C may interrupt this too, and then it is called again.
        while self._files:
            self._files[-1].discard()
            self._files.pop()
        while self._made:
            with suppress(OSError):  # others may have put something into it
                os.rmdir(self._made[-1])
            self._made.pop()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While one writer of the folder, of any process or thread, replaces files, others wait.

        The order of the steps keeps files complete without the lock too. With it no writer misses files that
        it has to remove. File systems without locks have none, and so has a signal handler that runs
        meanwhile.
        """
        try:
            handle = os.open(self.folder, FOLDER)
        except PermissionError:  # a folder that may be written and not read
            yield
            return
        try:
            status = os.fstat(handle)
            key = (status.st_dev, status.st_ino)
            held: set[tuple[int, int]] = _own.__dict__.setdefault("held", set())
            if key in held:
                yield
                return
            with suppress(OSError):  # a file system without locks
                fcntl.flock(handle, fcntl.LOCK_EX)
            held.add(key)
            try:
                yield
            finally:
                held.discard(key)
                with suppress(OSError):
                    # Not left to `close`: a child of a fork may have the folder open as well.
                    fcntl.flock(handle, fcntl.LOCK_UN)
        finally:
            os.close(handle)


_own = threading.local()


def sync_folder(folder: str) -> None:
    """Bring the names in a folder to the disk, where the file system can do that."""
    try:
        handle = os.open(folder or ".", FOLDER)
    except PermissionError:  # a folder that may be written and not read
        return
    try:
        with suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


def leads_elsewhere(folder: str, name: str) -> bool:
    """Whether a part of the path ``name``, below ``folder``, is a link."""
    path = folder
    for part in name.split("/"):
        path = os.path.join(path, part)
        if os.path.islink(path):
            return True
    return False


def remove_plain(folder: str, name: str) -> None:
    """Remove a file that this library has written below ``folder``.

    Links and special files are kept, as this library writes none, and so are files that cannot be removed.
    """
    path = os.path.join(folder, name)
    with suppress(OSError):
        if not leads_elsewhere(folder, name) and stat.S_ISREG(os.lstat(path).st_mode):
            os.unlink(path)


def new_log(folder: str, names: Iterable[str]) -> BinaryIO:
    """A file to write a log into, of the first name that is free. It may be read while it grows."""
    for name in names:
        with suppress(FileExistsError):
            return open(os.open(os.path.join(folder, name), NEW, 0o666), "wb")
    raise AssertionError("there are as many names as are asked for")


def replace_file(path: str, content: bytes) -> None:
    """Write a file with this content, in place of an old one."""
    with Transaction(os.path.dirname(path)) as transaction:
        transaction.commit(os.path.basename(path), content)


def create_file(path: str, content: bytes) -> tuple[int, int]:
    """Make a file that has this content from its first moment on.

    Returns:
        Its identity for `remove_same`, which differs for a later file of that name.

    Raises:
        FileExistsError: there is one of that name already.
    """
    transaction = Transaction(os.path.dirname(path))
    own = None
    try:
        new_file = transaction.new_file()
        new_file.stream.write(content)
        new_file.close()
        own = identity = os.lstat(new_file.path)
        try:
            os.link(new_file.path, path)
        except FileExistsError:
            own = None
            raise
        except OSError:  # a file system without links
            with open(os.open(path, NEW, 0o666), "wb") as file:
                file.write(content)
            own = identity = os.lstat(path)
        transaction.roll_back()
        return identity.st_dev, identity.st_ino
    except BaseException:
        transaction.roll_back()
        if own is not None:
            remove_same(path, (own.st_dev, own.st_ino))
        raise


def remove_same(path: str, own: tuple[int, int]) -> None:
    """Remove a file that `create_file` has made, unless the name is another one's by now."""
    with suppress(OSError):
        status = os.lstat(path)
        if (status.st_dev, status.st_ino) == own:
            os.unlink(path)


def free_names(stem: str, suffix: str) -> Iterator[str]:
    """A name of two parts, and then new names with a random number between the parts."""
    yield f"{stem}{suffix}"
    while True:
        yield f"{stem}-{os.urandom(8).hex()}{suffix}"


def retry_if_replaced(listing: str, read: Callable[[], T], *failures: type[Exception]) -> T:
    """What ``read`` gives: it reads files that ``listing`` lists.

    It is called again if it fails while the list is replaced: its files may have gone in between.
    """
    while True:
        before = _stamp(listing)
        try:
            return read()
        except failures:
            if _stamp(listing) == before:
                raise


def _stamp(path: str) -> tuple[int, int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


# Checksums


def digest_of(file: BinaryIO) -> dict[str, Any]:
    """Size and checksum of a file, as from `NewFile.digest`."""
    size = checksum = 0
    while data := file.read(BUFFER):
        size += len(data)
        checksum = crc32c(data, checksum)
    return {"size": size, "crc32c": f"{checksum:08x}"}


def json_with_checksum(value: dict[str, Any]) -> bytes:
    """JSON that begins with the checksum of the rest."""
    text = json.dumps(value, allow_nan=False).encode()
    return HEAD % crc32c(text) + text[1:]


def checked_json(data: bytes) -> Any:
    """What `json_with_checksum` was given. JSON without a checksum is read too.

    Raises:
        ValueError: the checksum is another one, or it is no JSON.
    """
    length = len(HEAD % 0)
    text = b"{" + data[length:]
    mark = re.fullmatch(rb'\{"crc32c": "([0-9a-f]{8})", ', data[:length])
    if mark is not None and crc32c(text) != int(mark[1], 16):
        raise ValueError("its checksum is not the one of what it holds")
    try:
        return json.loads(data.decode(), parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("lists are in lists too often") from None


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")

"""`tf.io.gfile`: folders and files, under TensorFlow's names and with its errors.

Files are on this machine; a name may begin with ``file://``.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any, AnyStr, BinaryIO, NamedTuple

from tapegrad import errors
from tapegrad.errors import refuse
from tapegrad.framework.file_errors import as_tf_errors, text_of
from tapegrad.framework.printed import Printed
from tapegrad.io.paths import SCHEMES, local, matching

PUBLIC = {
    "io.gfile": (
        "copy exists get_registered_schemes GFile glob isdir join listdir makedirs mkdir remove "
        "rename rmtree stat walk"
    ),
    "compat.v1.gfile": "FastGFile GFile Open=GFile",
}

MODES = ("r", "w", "a", "r+", "w+", "a+")


class FileStatistics(NamedTuple):
    """The result of `stat` for a file."""

    length: int
    mtime_nsec: int
    is_directory: bool


def exists(path: Any) -> bool:
    """Whether there is a file or folder of this name.

    >>> tf.io.gfile.exists("no such file")
    False

    Args:
        path: a str, bytes or path object; ``file://`` may come first.
    """
    return os.path.exists(local(path))


def isdir(path: Any) -> bool:
    """Whether there is a folder of this name.

    Args:
        path: a str, bytes or path object; ``file://`` may come first.
    """
    return os.path.isdir(local(path))


def listdir(path: Any) -> list[str]:
    """The names in a folder, without ``.`` and ``..``, in no particular order.

    Args:
        path: the folder: a str, bytes or path object; ``file://`` may come first.

    Raises:
        NotFoundError: there is no such folder.
    """
    if not isdir(path):
        refuse(f"Could not find directory {text_of(path)}", error=errors.NotFoundError)
    with as_tf_errors(path):
        return os.listdir(local(path))


def walk(
    top: Any, topdown: bool = True, onerror: Callable[[Exception], Any] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Every folder below ``top`` and itself, each with the names of its folders and of its files.

    Args:
        top: where to begin.
        topdown: whether a folder comes before those in it.
        onerror: called with the error of a folder that cannot be listed; such a folder is left out.
    """
    top = text_of(top)
    try:
        names = listdir(top)
    except errors.NotFoundError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [name for name in names if isdir(os.path.join(top, name))]
    others = [name for name in names if name not in folders]
    here = (top, folders, others)
    if topdown:
        yield here
    for folder in folders:
        yield from walk(os.path.join(top, folder), topdown, onerror)
    if not topdown:
        yield here


def glob(pattern: Any) -> list[str]:
    """The names of the files and folders that a pattern, or one of a list of patterns, matches.

    >>> tf.io.write_file("texts/a.txt", "hello")
    >>> tf.io.gfile.glob("texts/*.txt")
    ['texts/a.txt']

    ``*`` and ``?`` match no slash; ``[a-c]`` is one of some characters, ``[!a-c]`` one of all others.

    Args:
        pattern: a str, bytes or path object, or a list of them. The names keep a ``file://`` at its
            beginning.
    """
    patterns = [pattern] if isinstance(pattern, (str, os.PathLike)) else pattern
    return [name for one_pattern in patterns for name in matching(one_pattern)]


def mkdir(path: Any) -> None:
    """Make a folder, unless it is there.

    Args:
        path: a str, bytes or path object; ``file://`` may come first. The empty one is no error.

    Raises:
        NotFoundError: the folder that it is to be in does not exist; use `makedirs`.
    """
    place = local(path)
    if place and not os.path.isdir(place):
        with as_tf_errors(path):
            os.mkdir(place)


def makedirs(path: Any) -> None:
    """Make a folder, and those around it, unless they are there.

    >>> tf.io.gfile.makedirs("runs/first")
    >>> tf.io.gfile.isdir("runs/first"), tf.io.gfile.listdir("runs")
    (True, ['first'])

    Args:
        path: a str, bytes or path object; ``file://`` may come first. The empty one is no error.

    Raises:
        FailedPreconditionError: a file has the name of one of these folders.
    """
    place = local(path)
    part = place
    while part and not os.path.lexists(part):
        part = os.path.dirname(part)
    if part and not os.path.isdir(part):
        refuse(f"{part} is not a directory", error=errors.FailedPreconditionError)
    if place:
        with as_tf_errors(path):
            os.makedirs(place, exist_ok=True)


def refuse_existing(name: Any, overwrite: bool) -> None:
    if not overwrite and os.path.lexists(local(name)):
        refuse(
            f"{text_of(name)}: file already exists; pass overwrite=True to replace it.",
            error=errors.AlreadyExistsError,
        )


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy the contents of a file.

    >>> tf.io.write_file("a.txt", "hello")
    >>> tf.io.gfile.copy("a.txt", "b.txt")
    >>> tf.io.read_file("b.txt").numpy()
    b'hello'

    Args:
        src: the file that is copied: a str, bytes or path object; ``file://`` may come first.
        dst: the file that is written.
        overwrite: whether ``dst`` may exist, and loses its contents then.

    Raises:
        AlreadyExistsError: ``dst`` exists, and ``overwrite`` is False.
    """
    source, target = local(src), local(dst)
    refuse_existing(dst, overwrite)
    if os.path.isdir(source):
        refuse(f"{text_of(src)}; Invalid argument: it is a folder, and only files are copied.")
    with as_tf_errors(src):
        reader = open(source, "rb")  # noqa: SIM115
    with reader, as_tf_errors(dst):
        if os.path.exists(target) and os.path.samefile(source, target):
            return
        with open(target, "wb") as writer:
            shutil.copyfileobj(reader, writer)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Give a file or folder another name.

    Args:
        src: the old name: a str, bytes or path object; ``file://`` may come first.
        dst: the new name.
        overwrite: whether a file ``dst`` may exist, which is then deleted.

    Raises:
        AlreadyExistsError: ``dst`` exists, and ``overwrite`` is False.
    """
    source, target = local(src), local(dst)
    refuse_existing(dst, overwrite)
    with as_tf_errors(src):
        os.replace(source, target)


def remove(path: Any) -> None:
    """Delete a file.

    Args:
        path: a str, bytes or path object; ``file://`` may come first.

    Raises:
        NotFoundError: there is none of this name.
        FailedPreconditionError: it is a folder; use `rmtree`.
    """
    with as_tf_errors(path):
        os.remove(local(path))


def rmtree(path: Any) -> None:
    """Delete a folder and all in it.

    Args:
        path: a str, bytes or path object; ``file://`` may come first. A file is deleted too.
    """
    place = local(path)
    if not os.path.lexists(place):
        refuse(f"{text_of(path)} not found", error=errors.NotFoundError)
    with as_tf_errors(path):
        if os.path.isdir(place) and not os.path.islink(place):
            shutil.rmtree(place)
        else:
            os.remove(place)


def stat(path: Any) -> FileStatistics:
    """The length of a file in bytes, when it was last changed, and whether it is a folder.

    Args:
        path: a str, bytes or path object; ``file://`` may come first.
    """
    with as_tf_errors(path):
        status = os.stat(local(path))
    # TensorFlow takes whole seconds.
    return FileStatistics(status.st_size, int(status.st_mtime) * 10**9, isdir(path))


def join(path: AnyStr, *paths: AnyStr) -> AnyStr:
    """The parts of a path with slashes between them.

    >>> tf.io.gfile.join("folder", "file.txt")
    'folder/file.txt'

    Args:
        path, paths: the parts. What stands before a part that begins with a slash is dropped.
    """
    return os.path.join(path, *paths)


def get_registered_schemes() -> list[str]:
    """What may stand before ``://`` in the name of a file."""
    return [*SCHEMES]


class GFile(Printed):
    """A file of text, or of bytes if ``mode`` has a ``b``. It is opened when it is first read or written.

    >>> with tf.io.gfile.GFile("/tmp/lines.txt", "w") as file:
    ...     file.write("one\\ntwo\\n")
    >>> tf.io.gfile.GFile("/tmp/lines.txt").readlines()
    ['one\\n', 'two\\n']

    Args:
        name: the file's name.
        mode: ``r``, ``w`` (replace) or ``a`` (append), with ``+`` for reading and writing, and
            with ``b`` for bytes. As in TensorFlow, the first write under ``r+`` replaces the file.
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        plain = mode.replace("b", "", 1)
        if plain not in MODES:
            refuse(f"mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+': {mode!r}")
        self.__name = name
        self.__mode = mode
        self._binary = plain != mode
        self._readable = plain == "r" or "+" in plain
        self._writable = plain != "r"
        self._appends = plain[0] == "a"
        self._reader: BinaryIO | None = None
        self._writer: BinaryIO | None = None

    def _printed_state(self) -> str:
        return f"{self.__name!r}, mode {self.__mode!r}"

    @property
    def name(self) -> Any:
        """The file's name, as it was given."""
        return self.__name

    @property
    def mode(self) -> str:
        """How the file was opened."""
        return self.__mode

    def _reading(self) -> BinaryIO:
        if not self._readable:
            refuse("File isn't open for reading", error=errors.PermissionDeniedError)
        self.flush()
        if self._reader is None:
            with as_tf_errors(self.__name):
                self._reader = open(local(self.__name), "rb")  # noqa: SIM115
        return self._reader

    def _writing(self) -> BinaryIO:
        if not self._writable:
            refuse("File isn't open for writing", error=errors.PermissionDeniedError)
        if self._writer is None:
            with as_tf_errors(self.__name):
                self._writer = open(  # noqa: SIM115
                    local(self.__name), "ab" if self._appends else "wb"
                )
        return self._writer

    def _text(self, data: bytes) -> Any:
        return data if self._binary else data.decode("utf-8")

    def size(self) -> int:
        """The length of the file in bytes."""
        return stat(self.__name).length

    def write(self, file_content: Any) -> None:
        """Write text or bytes."""
        writer = self._writing()
        if isinstance(file_content, str):
            file_content = file_content.encode("utf-8")
        if not isinstance(file_content, bytes):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        with as_tf_errors(self.__name):
            writer.write(file_content)

    def read(self, n: int = -1) -> Any:
        """The next ``n`` bytes, as text unless the file is of bytes; all that is left if ``n`` is -1."""
        reader = self._reading()
        with as_tf_errors(self.__name):
            return self._text(reader.read(n))

    def readline(self) -> Any:
        """The next line with its ``\\n``; empty at the end. As in TensorFlow, no ``\\r`` is kept."""
        reader = self._reading()
        with as_tf_errors(self.__name):
            return self._text(reader.readline().replace(b"\r", b""))

    def readlines(self) -> list[Any]:
        """All lines that are left."""
        return [*self]

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Go to a place in the file: from its beginning, from here (1) or from its end (2).

        Raises:
            OutOfRangeError: the place is beyond the end, to which this goes.
        """
        reader = self._reading()
        if offset is None and position is None:
            raise TypeError("seek(): offset argument required")
        place = int(position if offset is None else offset)  # type: ignore[arg-type]
        size = self.size()
        if whence not in (0, 1, 2):
            refuse(f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        place += (0, reader.tell(), size)[whence]
        if place < 0:
            refuse(f"Seeking to a negative position: {place}")
        reader.seek(min(place, size))
        if place > size:
            refuse("reached end of file", error=errors.OutOfRangeError)

    def seekable(self) -> bool:
        """True: one can `seek` in every file."""
        return True

    def tell(self) -> int:
        """Where the file is read next, or written if it is open for writing alone."""
        return (self._reading() if self._readable else self._writing()).tell()

    def flush(self) -> None:
        """Give the system what has been written."""
        if self._writer is not None:
            with as_tf_errors(self.__name):
                self._writer.flush()

    def close(self) -> None:
        """Close the file. Reading or writing opens it again."""
        reader, writer = self._reader, self._writer
        self._reader = self._writer = None
        if reader is not None:
            reader.close()
        if writer is not None:
            with as_tf_errors(self.__name):
                writer.close()

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __iter__(self) -> GFile:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def __del__(self) -> None:
        if hasattr(self, "_writer"):  # not where the constructor refused its arguments
            self.close()


class FastGFile(GFile):
    """`GFile` under a name of TensorFlow 1."""

"""`new_folder_for`: a folder that is written beside an old one, and then takes its place at once.

For formats whose files have fixed names, of which `atomic.Transaction` cannot write new ones beside the old.
Such a folder belongs to the model alone: where something else lies in it, nothing is written.

1. All files go into a new folder beside the old one, of a name with a random number.
2. They are synced, and the two folders change names, which the kernel does in one step.
3. The files of the old model are removed one by one. What somebody has put beside them meanwhile moves back.

A kill before 2. leaves the old folder as it was; after 2. the new one counts. Where the file system cannot
exchange names (NFS), the old folder is renamed first: a kill between the two leaves it under the other name.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tapegrad.io.atomic import sync_folder

AT_FDCWD = -100
RENAME_EXCHANGE = 2
CANNOT = frozenset([errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP])


@contextmanager
def new_folder_for(target: str, parts_of_old: Callable[[Path], set[str]]) -> Iterator[str]:
    """A new folder, which takes the place of ``target`` when the `with` block ends without an error.

    Args:
        target: the folder; links to it stay. Folders around it are made.
        parts_of_old: the files and folders of the old model, by their paths below the folder.

    Raises:
        FileExistsError: something else lies in the old folder, or there is no folder of that name.
    """
    path = os.path.realpath(target)
    parent = os.path.dirname(path)
    os.makedirs(parent, exist_ok=True)
    _check(path, parts_of_old)
    new = os.path.join(parent, f".tapegrad-{os.getpid()}-{os.urandom(8).hex()}.tmp")
    os.mkdir(new)
    number = os.stat(new).st_ino
    parts: set[str] = set()
    try:
        yield new
        _sync(new)
        parts = _check(path, parts_of_old)  # once more: that was a while ago
        if os.path.isdir(path):
            os.chmod(new, stat.S_IMODE(os.stat(path).st_mode))
        old = _put_in_place(new, path)
    except BaseException:
        if os.path.isdir(new):
            if os.stat(new).st_ino == number:
                shutil.rmtree(new, ignore_errors=True)
            else:  # interrupted just after the exchange
                _remove(new, parts, path)
        raise
    sync_folder(parent)
    if old is not None:
        _remove(old, parts, path)


def _check(path: str, parts_of_old: Callable[[Path], set[str]]) -> set[str]:
    """The parts of the model in a folder.

    Raises:
        FileExistsError: there is something else.
    """
    if not os.path.lexists(path):
        return set()
    if not os.path.isdir(path):
        raise FileExistsError(errno.EEXIST, "there is something else than a folder", path)
    inside = set(_inside(path))
    parts = parts_of_old(Path(path)) & inside
    others = sorted(inside - parts)
    if others:
        listed = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if others[5:] else "")
        raise FileExistsError(
            errno.EEXIST,
            f"the folder of a model holds nothing else, and here lies {listed}: write into a new folder",
            path,
        )
    return parts


def _inside(folder: str) -> Iterator[str]:
    """The paths of all that lies in a folder, and below it. A link has a mark that no part has."""
    for outer, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(outer, name)
            mark = "" if os.path.isdir(path) or os.path.isfile(path) else " (special)"
            mark = " (a link)" if os.path.islink(path) else mark
            yield os.path.relpath(path, folder) + mark


def _remove(old: str, parts: set[str], path: str) -> None:
    """Remove the parts of the old model. What others have put there since goes into the new folder."""
    for name in sorted(parts, reverse=True):  # what lies in a folder before the folder
        place = os.path.join(old, name)
        with suppress(OSError):
            if os.path.isdir(place):
                os.rmdir(place)
            else:
                os.unlink(place)
    for name in os.listdir(old):
        with suppress(OSError):
            if not os.path.lexists(os.path.join(path, name)):
                os.rename(os.path.join(old, name), os.path.join(path, name))
    with suppress(OSError):
        os.rmdir(old)


def _sync(folder: str) -> None:
    """Bring all files of a folder to the disk."""
    for inside, _, names in os.walk(folder):
        for name in names:
            handle = os.open(os.path.join(inside, name), os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
        sync_folder(inside)


def _put_in_place(new: str, path: str) -> str | None:
    """Give ``new`` the name ``path``. Returns the name that the old folder has now, if there was one."""
    try:
        os.rename(new, path)  # there is none, or an empty one
        return None
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
    if _exchange(new, path):
        return new
    old = f"{new[: -len('.tmp')]}.old"
    os.rename(path, old)
    os.rename(new, path)
    return old


def _exchange(first: str, second: str) -> bool:
    """Exchange two names. False if this file system cannot."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if call is None:
        return False
    ends = [AT_FDCWD, os.fsencode(first), AT_FDCWD, os.fsencode(second)]
    if call(*ends, RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in CANNOT:
        return False
    raise OSError(code, os.strerror(code), second)

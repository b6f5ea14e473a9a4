"""`new_folder_for`: a folder that is written beside an old one, and then takes its place at once.

For formats whose files have fixed names, of which `atomic.Transaction` cannot write new ones beside the old.

1. All files go into a new folder beside the old one, of a name with a random number.
2. They are synced. What else lies in the old folder gets a second name in the new one, a hard link.
3. The two folders change names, which the kernel does in one step.
4. The files of the old model are removed one by one, and the first names of what else lay there. What
   somebody has put there meanwhile moves over.

A kill before 3. leaves the old folder as it was; after 3. the new one counts. Where the file system cannot
exchange names (NFS), the old folder is renamed first: a kill between the two leaves it under the other name.

A folder without a model stays the folder that it is, be it empty, a program's working directory or the place
of a mounted disk. The new folder is made in it, and the files move out of it, those at the top last.
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
NO_LINK = CANNOT | {errno.EPERM, errno.EXDEV, errno.EMLINK}


@contextmanager
def new_folder_for(target: str, parts_of_old: Callable[[Path], set[str]]) -> Iterator[str]:
    """A new folder, which takes the place of ``target`` when the `with` block ends without an error.

    Args:
        target: the folder; links to it stay. Folders around it are made.
        parts_of_old: the files and folders of the old model, by their paths below the folder.

    Raises:
        FileExistsError: a file of somebody else has the name of a new one, or cannot have a second name.
    """
    path = os.path.realpath(target)
    if os.path.lexists(path) and not os.path.isdir(path):
        raise FileExistsError(errno.EEXIST, "there is something else than a folder", path)
    parent = os.path.dirname(path)
    os.makedirs(parent, exist_ok=True)
    stays = os.path.isdir(path) and not _parts(path, parts_of_old)
    new = os.path.join(
        path if stays else parent, f".tapegrad-{os.getpid()}-{os.urandom(8).hex()}.tmp"
    )
    os.mkdir(new)
    number = os.stat(new).st_ino
    parts: set[str] = set()
    others: set[str] = set()
    try:
        yield new
        _sync(new)
        parts = set() if stays else _parts(path, parts_of_old)  # once more: that was a while ago
        _refuse_clashes(new, path, parts)
        if stays:
            _move_into(new, path)
            return
        if os.path.isdir(path):
            os.chmod(new, stat.S_IMODE(os.stat(path).st_mode))
        others = set(_inside(path)) - parts
        _name_twice(path, new, sorted(others))
        old = _put_in_place(new, path)
    except BaseException:
        if os.path.isdir(new):
            if os.stat(new).st_ino == number:
                shutil.rmtree(new, ignore_errors=True)
            else:  # interrupted just after the exchange
                _remove(new, path, parts, others)
        raise
    sync_folder(parent)
    if old is not None:
        _remove(old, path, parts, others)


def _parts(path: str, parts_of_old: Callable[[Path], set[str]]) -> set[str]:
    """The parts of the model in a folder that lie there as files and folders."""
    named = parts_of_old(Path(path)) if os.path.isdir(path) else set()
    if not named:
        return named
    return {
        name
        for name in _inside(path)
        if name in named and not _is_special(os.path.join(path, name))
    }


def _refuse_clashes(new: str, path: str, parts: set[str]) -> None:
    """Raise FileExistsError where something has the name of a new file, and is no part of the old model."""
    clashes = [
        name
        for name in sorted(_inside(new))
        if name not in parts
        and os.path.lexists(os.path.join(path, name))
        and not (_is_folder(os.path.join(new, name)) and _is_folder(os.path.join(path, name)))
    ]
    if clashes:
        raise FileExistsError(
            errno.EEXIST,
            f"what is not known to be part of a model has the name of a new file: {', '.join(clashes)}. "
            "Write into a new folder",
            path,
        )


def _name_twice(path: str, new: str, others: list[str]) -> None:
    """Give what else lies in the old folder a name in the new one, too."""
    for name in others:
        place, second = os.path.join(path, name), os.path.join(new, name)
        if _is_folder(place):
            os.makedirs(second, exist_ok=True)
            os.chmod(second, stat.S_IMODE(os.stat(place).st_mode))
            continue
        os.makedirs(os.path.dirname(second), exist_ok=True)
        try:
            os.link(place, second, follow_symlinks=False)
        except OSError as error:
            if error.errno not in NO_LINK:
                raise
            raise FileExistsError(
                errno.EEXIST,
                f"beside the old model lies {name}, and the file system does not let it have a name in "
                f"the new folder too ({error.strerror}): write into a new folder",
                path,
            ) from error


def _move_into(new: str, path: str) -> None:
    """Move all that lies in ``new`` into the folder around it, what lies at the top last."""
    names = sorted(_inside(new), key=lambda name: (os.sep not in name, name))
    files = [name for name in names if not _is_folder(os.path.join(new, name))]
    folders = {os.path.dirname(os.path.join(path, name)) for name in names}
    try:
        for name in names:
            if name not in files:
                os.makedirs(os.path.join(path, name), exist_ok=True)
        for name in files:
            os.rename(os.path.join(new, name), os.path.join(path, name))
    except BaseException:
        for name in files:
            if not os.path.lexists(os.path.join(new, name)):
                os.unlink(os.path.join(path, name))
        raise
    shutil.rmtree(new)
    for folder in folders:
        sync_folder(folder)


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _is_special(path: str) -> bool:
    """Whether it is neither a file nor a folder: a link, a socket."""
    return os.path.islink(path) or not (os.path.isdir(path) or os.path.isfile(path))


def _inside(folder: str) -> Iterator[str]:
    """The paths of all that lies in a folder, and below it."""
    for outer, folders, files in os.walk(folder):
        for name in (*folders, *files):
            yield os.path.relpath(os.path.join(outer, name), folder)


def _remove(old: str, path: str, parts: set[str], others: set[str]) -> None:
    """Remove the parts of the old model, and the first names of what else lay there.

    What somebody has put there since, or in the place of something else, goes into the new folder.
    """
    for name in sorted(_inside(old), reverse=True):  # what lies in a folder before the folder
        place, kept = os.path.join(old, name), os.path.join(path, name)
        with suppress(OSError):
            if _is_folder(place):
                if name not in parts:
                    os.makedirs(kept, exist_ok=True)
                os.rmdir(place)
            elif name in parts or (
                os.path.lexists(kept) and os.path.samestat(os.lstat(place), os.lstat(kept))
            ):
                os.unlink(place)
            elif name in others or not os.path.lexists(kept):
                os.makedirs(os.path.dirname(kept), exist_ok=True)
                os.replace(place, kept)
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
        os.rename(new, path)  # there is none, or one that somebody has emptied meanwhile
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

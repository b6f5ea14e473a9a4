"""`new_folder_for`: a folder that is written beside an old one, and then takes its place at once.

For formats whose files have fixed names, of which `atomic.Transaction` cannot write new ones beside the old:

1. All files go into a new folder beside the old one, of a name with a random number.
2. They are synced, and the two folders change names, which the kernel does in one step.
3. What is not part of the old model moves from the old folder to the new one; the rest is removed.

A kill before 2. leaves the old folder as it was; after 2. the new one counts. Where the file system cannot
exchange names (NFS), the old folder is renamed first: a kill between the two leaves it under the other name.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
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
        parts_of_old: the names in the old folder that go with it; all others are kept.
    """
    path = os.path.realpath(target)
    parent = os.path.dirname(path)
    os.makedirs(parent, exist_ok=True)
    if os.path.lexists(path) and not os.path.isdir(path):
        raise FileExistsError(errno.EEXIST, "there is something else than a folder", path)
    new = os.path.join(parent, f".tapegrad-{os.getpid()}-{os.urandom(8).hex()}.tmp")
    os.mkdir(new)
    try:
        yield new
        _sync(new)
        old = _put_in_place(new, path)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    sync_folder(parent)
    if old is not None:
        own = parts_of_old(Path(old))
        for name in sorted(os.listdir(old)):
            if name not in own:
                with suppress(
                    OSError
                ):  # the new folder has something of that name, or it cannot move
                    if not os.path.lexists(os.path.join(path, name)):
                        os.rename(os.path.join(old, name), os.path.join(path, name))
        shutil.rmtree(old, ignore_errors=True)


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

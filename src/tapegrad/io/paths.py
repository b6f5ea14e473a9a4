"""The names of files as users give them, the patterns that match them, and errors in TensorFlow's classes."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapegrad import errors
from tapegrad.errors import OpError, refuse

SCHEMES = ("file", "")

BY_NUMBER: dict[int, type[OpError]] = {
    errno.EINVAL: errors.InvalidArgumentError,
    errno.ENAMETOOLONG: errors.InvalidArgumentError,
    errno.ELOOP: errors.InvalidArgumentError,
    errno.ENOENT: errors.NotFoundError,
    errno.ENXIO: errors.NotFoundError,
    errno.EEXIST: errors.AlreadyExistsError,
    errno.EPERM: errors.PermissionDeniedError,
    errno.EACCES: errors.PermissionDeniedError,
    errno.EROFS: errors.PermissionDeniedError,
    errno.ENOTEMPTY: errors.FailedPreconditionError,
    errno.EISDIR: errors.FailedPreconditionError,
    errno.ENOTDIR: errors.FailedPreconditionError,
    errno.EBUSY: errors.FailedPreconditionError,
    errno.ENOSPC: errors.ResourceExhaustedError,
    errno.EDQUOT: errors.ResourceExhaustedError,
    errno.EMFILE: errors.ResourceExhaustedError,
    errno.ENFILE: errors.ResourceExhaustedError,
    errno.EFBIG: errors.OutOfRangeError,
    errno.ENOSYS: errors.UnimplementedError,
    errno.EXDEV: errors.UnimplementedError,
    errno.EAGAIN: errors.UnavailableError,
}


def refuse_os_error(error: OSError, name: str) -> None:
    """Raise what TensorFlow raises where the system reports ``error`` for the file ``name``."""
    kind = BY_NUMBER.get(error.errno or 0, errors.UnknownError)
    raise kind(None, None, f"{name}; {error.strerror or error}") from None


@contextmanager
def told_of(name: Any) -> Iterator[None]:
    """Turn an OSError of the block into the error of `tf.errors` that fits it. ``name`` is the file's."""
    try:
        yield
    except OSError as error:
        refuse_os_error(error, text_of(name))


def text_of(name: Any) -> str:
    """A file's name as str: users give str, bytes or an `os.PathLike`."""
    if not isinstance(name, (str, bytes, os.PathLike)):
        raise TypeError(f"Expected binary or unicode string, got {name!r}")
    return os.fsdecode(name)


def local(name: Any) -> str:
    """The path of a file of this machine.

    Raises:
        UnimplementedError: the name begins with a scheme other than ``file://``.
    """
    text = text_of(name)
    scheme, mark, path = text.partition("://")
    if not mark or not re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*", scheme):
        return text
    if scheme != "file":
        refuse(
            f"File system scheme '{scheme}' not implemented (file: '{text}'): only files of this machine can "
            "be reached.",
            error=errors.UnimplementedError,
        )
    return path


def is_pattern(name: str) -> bool:
    return any(mark in name for mark in "*?[\\")


def matching(pattern: Any) -> list[str]:
    """The names of the files that a pattern matches, in the order in which the system lists them.

    ``*`` and ``?`` match no slash, and files that begin with a dot as well; ``[a-c]`` is one of some
    characters, ``[!a-c]`` one of all others.
    """
    text = text_of(pattern)
    path = local(text)
    before = text[: len(text) - len(path)]  # file://, which the names that are found keep
    if not path:
        return []
    root = "/" if path.startswith("/") else ""
    parts = [part for part in path.split("/") if part]
    if "/" not in path and is_pattern(path):
        parts.insert(0, ".")
    found = [root]
    for part in parts:
        found = [
            os.path.join(folder, name) for folder in found for name in names_like(folder, part)
        ]
    return [before + name for name in found]


def names_like(folder: str, part: str) -> list[str]:
    """The names in a folder that one part of a pattern, without a slash, matches."""
    if not is_pattern(part):
        return [part] if os.path.lexists(os.path.join(folder, part)) else []
    try:
        names = os.listdir(folder or ".")
    except OSError:  # a file, or a folder that nobody may read: nothing in it matches
        return []
    matches = regular_expression(part).fullmatch
    return [name for name in names if matches(name)]


def regular_expression(part: str) -> re.Pattern[str]:
    """What matches the names that one part of a pattern stands for."""
    pieces: list[str] = []
    at = 0
    while at < len(part):
        mark = part[at]
        end = part.find("]", at + 2 + (part[at + 1 : at + 2] in "!^")) if mark == "[" else -1
        if mark == "*":
            pieces.append("[^/]*")
        elif mark == "?":
            pieces.append("[^/]")
        elif mark == "\\" and at + 1 < len(part):
            at += 1
            pieces.append(re.escape(part[at]))
        elif end > 0:
            inside = part[at + 1 : end]
            negated = inside[:1] in ("!", "^")
            inside = inside[negated:].replace("\\", "\\\\").replace("[", "\\[")
            pieces.append(f"[{'^' if negated else ''}{inside}]")
            at = end
        else:
            pieces.append(re.escape(mark))
        at += 1
    return re.compile("".join(pieces), re.DOTALL)

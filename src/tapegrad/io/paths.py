"""The names of files as users give them, and the patterns that match them."""

from __future__ import annotations

import os
import re
from typing import Any

from tapegrad import errors
from tapegrad.errors import refuse
from tapegrad.framework.file_errors import text_of

SCHEMES = ("file", "")


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
    paths = [root]
    for part in parts:
        paths = [
            os.path.join(folder, name) for folder in paths for name in names_like(folder, part)
        ]
    return [before + name for name in paths]


def names_like(folder: str, part: str) -> list[str]:
    """The names in a folder that one part of a pattern, without a slash, matches."""
    if not is_pattern(part):
        return [part] if os.path.lexists(os.path.join(folder, part)) else []
    try:
        names = os.listdir(folder or ".")
    except OSError:  # a file, or a folder that cannot be read: nothing in it matches
        return []
    matches = regular_expression(part).fullmatch
    return [name for name in names if matches(name)]


def regular_expression(part: str) -> re.Pattern[str]:
    """A regular expression for one part of a pattern."""
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

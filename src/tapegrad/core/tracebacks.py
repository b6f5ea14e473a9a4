"""Tracebacks show users their own lines, and none of this package.

A compiled function that fails calls `hide` (tracebacks.h), so the public functions that are a `core.Function`
need nothing of their own. A method that users call, or that calls users' functions, does so where an error
passes: ``except Exception as error: hide(error); raise``. The bare ``raise`` adds no line, and such a ``try``
costs nothing while nothing fails.
"""

from __future__ import annotations

import contextlib
import functools
import linecache
import os
import sys
from _thread import _local  # `threading.local`, without the rest of `threading`
from types import CodeType, FrameType, TracebackType
from typing import TypeAlias

PUBLIC = {
    "debugging compat.v1.debugging": (
        "disable_traceback_filtering enable_traceback_filtering is_traceback_filtering_enabled"
    ),
}

OURS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
# Where a user's program never is: our files, code without a file, and Python's own that calls back.
BETWEEN = (OURS, "<tapegrad ", "<frozen ", str(contextlib.__file__), str(functools.__file__))
# Lines of these libraries count as ours where we called the library: our message says what it refused.
LIBRARIES = frozenset({"ml_dtypes", "numpy", "scipy"})

# Parts of the paths of libraries. Keras may be in a folder of its own.
INSTALLED = tuple(
    os.path.join("", *folders, "")
    for folders in ((os.sep, "site-packages"), (os.sep, "dist-packages"), (os.sep, "keras", "src"))
)

Line: TypeAlias = tuple[str, int, str]  # file, number, and name of the function
# A function's code, and how far it has run: `line_at` looks the line up.
Place: TypeAlias = tuple[CodeType, int]

# File -> whether its code is the program of the user: True; None in a library that it calls, such as Keras;
# False for what lies between the program and an op.
_owners: dict[str, bool | None] = {}


class _Setting(_local):
    enabled = True


setting = _Setting()
# Whether any thread has ever turned filtering off: one byte, which compiled code reads faster than `setting`.
ever_disabled = bytearray(1)


def user_frame() -> FrameType | None:
    """Where in the user's code this thread is."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if (_owners[file] if file in _owners else _owner_of(file)) is not False:
            return frame
        frame = frame.f_back
    return None


def user_line() -> Line | None:
    """Where in the user's code this thread is."""
    frame = user_frame()
    return None if frame is None else _line(frame)


def line_of_program() -> Line | None:
    """Where in the user's program this thread is: not in a library that the program calls, such as Keras."""
    place = place_of_program()
    return None if place is None else line_at(place)


def place_of_program() -> Place | None:
    """What `line_at` makes the line of the program of. It takes a fifth of the time."""
    frame: FrameType | None = sys._getframe(1)
    library = None
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        owner = _owners[file] if file in _owners else _owner_of(file)
        if owner:
            return code, frame.f_lasti
        if owner is None and library is None:
            library = code, frame.f_lasti
        frame = frame.f_back
    return library


def owners_of_frames() -> tuple[object, ...]:
    """The modules and layers whose methods this thread is in, the outermost first."""
    frame: FrameType | None = sys._getframe(1)
    owners: list[object] = []
    while frame is not None:
        code = frame.f_code
        if code.co_argcount and code.co_varnames[0] == "self":
            owner = frame.f_locals.get("self")
            holds_variables = hasattr(type(owner), "trainable_variables")
            if holds_variables and not (owners and owners[-1] is owner):
                owners.append(owner)
        frame = frame.f_back
    return tuple(reversed(owners))


def _owner_of(file: str) -> bool | None:
    owner: bool | None = not file.startswith(BETWEEN)
    if owner and any(part in file for part in INSTALLED):
        owner = None
    _owners[file] = owner
    return owner


def line_at(place: Place) -> Line:
    """The line of a place in the program."""
    code, position = place
    for first, end, number in code.co_lines():
        if first <= position < end and number is not None:
            return code.co_filename, number, code.co_name
    return code.co_filename, code.co_firstlineno, code.co_name


def _line(frame: FrameType) -> Line:
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name


def place_of(where: Line | None) -> str:
    """A line of the user's program, as a part of a sentence."""
    if where is None:
        return ""
    file, number, function = where
    source = linecache.getline(file, number).strip()
    return f", in {function} ({os.path.basename(file)}:{number})" + (
        f": {source}" if source else ""
    )


def lines_of_users(traceback: TracebackType | None) -> list[TracebackType]:
    """The lines that are neither ours nor those of a library that we called."""
    kept = []
    within = True
    while traceback is not None:
        frame = traceback.tb_frame
        if frame.f_code.co_filename.startswith((OURS, "<tapegrad ")):
            within = True
        elif not (within and str(frame.f_globals.get("__name__")).partition(".")[0] in LIBRARIES):
            within = False
            kept.append(traceback)
        traceback = traceback.tb_next
    return kept


def hide(error: BaseException) -> bool:
    """Take our lines out of the traceback of ``error``, which is on its way to the user.

    If ``error`` was raised while this package handled an earlier error of its own, the earlier error is
    dropped: the message of ``error`` says all that matters. Returns False if filtering is off.
    """
    if not setting.enabled or not isinstance(error, Exception):
        return False
    kept = lines_of_users(error.__traceback__)
    for line, following in zip(kept, [*kept[1:], None]):
        line.tb_next = following
    error.__traceback__ = kept[0] if kept else None
    context = error.__context__
    while context is not None and not lines_of_users(context.__traceback__):
        context = error.__context__ = context.__context__
    return True


def disable_traceback_filtering() -> None:
    """Let tracebacks of this thread show the lines of this package too: for work on the package itself.

    >>> tf.debugging.disable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    False
    """
    setting.enabled = False
    ever_disabled[0] = 1


def enable_traceback_filtering() -> None:
    """Let tracebacks of this thread show the user's lines alone. That is how every thread starts.

    >>> tf.debugging.enable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    setting.enabled = True


def is_traceback_filtering_enabled() -> bool:
    """Whether tracebacks of this thread show the user's lines alone.

    >>> tf.debugging.enable_traceback_filtering()
    >>> tf.debugging.is_traceback_filtering_enabled()
    True
    """
    return setting.enabled

"""Dummy strings for trial runs of functions that find out the shapes of results.

`tapegrad.symbolic` and `tf.saved_model.save` call functions with such strings, another in each try. No file
has these names and no record these bytes, so what reads files answers with blanks, of a size that depends on
the string.
"""

from __future__ import annotations

import sys

from tapegrad.ops.program.host import prints_nothing


def is_dummy(value: bytes) -> bool:
    """Whether this is a trial run, and ``value`` is a dummy string."""
    tracing = sys.modules.get("tapegrad.symbolic.tracing")
    traced = tracing is not None and tracing.current() is not None
    if not traced and not prints_nothing():
        return False
    from tapegrad.symbolic.worlds import NAMES, STRINGS

    return value in (STRINGS if traced else NAMES)


def length_of(dummy: bytes) -> int:
    """The size of what a dummy would give: from 1 on, another for each."""
    from tapegrad.symbolic.worlds import STRINGS

    return STRINGS.index(dummy) + 1

"""Dummy strings for trial runs of functions that find out the shapes of results.

`tapegrad.symbolic` and `tf.saved_model.save` call functions with such strings, another in each try. No file
has these names and no record these bytes, so what reads files answers with blanks, of a size that depends on
the string.
"""

from __future__ import annotations

from tapegrad.framework.names import current_graph
from tapegrad.ops.program.host import prints_nothing

# What strings are instead of 0, 1, 2, ...: of different lengths, and of different numbers of parts, whatever
# parts them. Only the first is a number.
_PARTS = " /,;:|.-_"
STRINGS = (
    b"0",
    *[
        "".join([f"{n}{between}" * (n - 1) for between in _PARTS] + [str(n)]).encode()
        for n in (2, 4, 3, 2, 5)
    ],
)
# Those of them that are no numbers either.
NAMES = STRINGS[1:]


def is_dummy(value: bytes) -> bool:
    """Whether this is a trial run, and ``value`` is a dummy string."""
    if current_graph() is not None:
        return value in STRINGS
    return prints_nothing() and value in NAMES


def length_of(dummy: bytes) -> int:
    """The size of what a dummy would give: from 1 on, another for each."""
    return STRINGS.index(dummy) + 1

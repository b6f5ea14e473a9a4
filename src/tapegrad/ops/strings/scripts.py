"""``tf.strings.unicode_script``: the script that a code point belongs to, numbered as in ICU."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.ops.op import op
from tapegrad.ops.shape_rules import same_shape

PUBLIC = {"strings compat.v1.strings": "unicode_script"}

# Unicode's property Script of all code points: how many in a row have a script, and its number.
RUNS = Path(__file__).with_suffix(".txt")


@functools.cache
def table() -> tuple[Any, Any]:
    """The first code point behind each run, and the script of the run."""
    pairs = np.array([run.split(":") for run in RUNS.read_text().split()], np.int64)
    return np.cumsum(pairs[:, 0]), pairs[:, 1].astype(np.int32)


@op("UnicodeScript", dtypes={dtypes.int32}, dispatched="unary")
def unicode_script(xp, input):
    """The number of the script of each code point; 0 for what all scripts share, -1 for no code point.

    >>> tf.strings.unicode_script([ord("a"), 0x65E5, 0x3042]).numpy()
    array([25, 17, 20], dtype=int32)
    """
    ends, scripts = table()
    known = (input >= 0) & (input < ends[-1])
    places = np.searchsorted(ends, np.where(known, input, 0), side="right")
    return np.where(known, scripts[places], np.int32(-1))


unicode_script.shape(same_shape)
unicode_script.no_gradient()

"""Names of TensorFlow 1.x for functions and classes that have another name or place today.

``annex/spellings.txt`` lists them, with the paths of what they stand for.
"""

from __future__ import annotations

import functools
from typing import Any

import tapegrad


def __getattr__(path: str) -> Any:
    """What is at ``tf.path`` today."""
    if path.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {path!r}")
    return functools.reduce(getattr, path.split("."), tapegrad)

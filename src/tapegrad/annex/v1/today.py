"""Names of TensorFlow 1.x for functions and classes that have another name or place today.

``annex/spellings.txt`` lists them, with the paths of what they stand for. ``v2`` is `tf.compat.v2`, which is
`tf` itself.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from tapegrad.lazy import find

if TYPE_CHECKING:
    import tapegrad as v2
else:
    v2 = sys.modules["tapegrad"]

__all__ = ["v2"]

PUBLIC = {"compat compat.v1.compat": "v2"}


def __getattr__(path: str) -> Any:
    """What is at ``tf.path`` today."""
    if path.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {path!r}")
    return find(path)

"""What libraries derive from when they convert Python functions: ``tensorflow.python.autograph.pyct``.

TensorFlow Probability imports these modules whole, for a part of it that hardly any program uses. Nothing is
converted here.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple


class EntityInfo(NamedTuple):
    """Information about a function that is to be converted."""

    name: str
    source_code: str
    source_file: str
    future_features: tuple[str, ...]
    namespace: dict[str, Any]


class Context:
    """What a `Base` knows of the function that it changes."""

    def __init__(self, info: EntityInfo, namer: Any, user_context: Any) -> None:
        self.info = info
        self.namer = namer
        self.current_origin = None
        self.user = user_context


class Base(ast.NodeTransformer):
    """A transformer of syntax trees, with information about their function."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx

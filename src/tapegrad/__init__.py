"""TensorFlow's eager automatic differentiation, without TensorFlow.

    import tapegrad as tf

The namespace is TensorFlow's; `tapegrad.names` lists it, and every name is loaded when it is first used.
"""

from tapegrad import core as _core
from tapegrad.lazy import import_whole as _import_whole
from tapegrad.lazy import install as _install
from tapegrad.names import NAMES as _NAMES

__version__ = "0.1.0"
newaxis = None


def _load_hooks() -> None:
    """Load what the core asks for by name: conversion, printing, indexing, and the ops behind operators."""
    for module in (
        "framework.tensor",
        "framework.convert",
        "framework.indexed_slices",
        "ops.gradients",
    ):
        _import_whole(f"tapegrad.{module}")
    for module in ("math", "logic", "linalg", "indexing", "slices", "variables"):
        _import_whole(f"tapegrad.ops.{module}")


def _load_ops() -> None:
    """Load every module that defines ops."""
    for entries in _NAMES.values():
        for module, _ in entries:
            if module.startswith("ops."):
                _import_whole(f"tapegrad.{module}")


_core.set_loader(_load_hooks)
_core.set_hooks(load_ops=_load_ops)
_install(_NAMES)

"""The modules below ``tensorflow.python`` and ``tensorflow.compiler``, as one table and a class of modules.

These modules are no part of TensorFlow's public API, but libraries import them: Keras, TensorFlow Probability,
Sonnet, GPflow, and programs. Here each is a view: most names are public ones, which the tables of `internal_ops`
and `internal_rest` map; the rest is in modules of this package.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from tapegrad.core import hide
from tapegrad.lazy import TABLES, describe, listing_of, read_table
from tapegrad.standing.internal_ops import OPS
from tapegrad.standing.internal_rest import REST

# Names that are public nowhere: module -> where they come from -> names. A source that begins with
# "standing." is a module of this package, and "=." stands for the module itself; others are namespaces of tf.
OURS: Mapping[str, Mapping[str, str]] = {
    "compiler.tf2xla.python.xla": {"standing.slices": "dynamic_slice dynamic_update_slice"},
    "python.eager.context": {"standing.context": "async_wait context eager_mode"},
    "python.framework.config": {"standing.context": "is_op_determinism_enabled"},
    "python.framework.ops": {
        ".": "convert_to_tensor device name_scope",
        "standing.tools": "EagerTensor",
    },
    "python.framework.tensor_spec": {".": "TensorSpec"},
    "python.framework.type_spec_registry": {"standing.specs": "get_name lookup register"},
    "python.ops.linalg.sparse.sparse_csr_matrix_ops": {
        "standing.sparse_csr": (
            "csr_sparse_matrix_to_sparse_tensor sparse_matrix_sparse_mat_mul "
            "sparse_tensor_to_csr_sparse_matrix"
        )
    },
    "python.ops.resource_variable_ops": {"standing.tools": "ResourceVariable"},
    "python.trackable.data_structures": {
        "standing.data_structures": "ListWrapper NoDependency _DictWrapper wrap_or_unwrap"
    },
}

# Modules that give what several others hold.
UNIONS = {
    "python.eager.def_function": "eager.polymorphic_function.polymorphic_function",
    "python.framework.errors": "framework.errors_impl",
    "python.ops.gradients": "ops.gradients_impl ops.custom_gradient",
    "python.ops.image_ops": "ops.image_ops_impl",
    "python.ops.linalg.linalg": "ops.linalg.linalg_impl ops.linalg_ops ops.special_math_ops",
    "python.ops.nn": (
        "ops.nn_impl ops.nn_ops ops.ctc_ops ops.embedding_ops ops.candidate_sampling_ops"
    ),
    "python.ops.standard_ops": (
        "ops.array_ops ops.math_ops ops.control_flow_ops ops.gradients_impl ops.random_ops "
        "ops.check_ops ops.clip_ops ops.sort_ops ops.while_loop ops.cond"
    ),
}

MODULES = {*OPS, *REST, *OURS, *UNIONS}
PACKAGES = MODULES | {
    ".".join(parts[:length])
    for parts in (path.split(".") for path in MODULES)
    for length in range(1, len(parts))
}


@functools.cache
def names_of(path: str) -> dict[str, tuple[str, str]]:
    """What the module ``tensorflow.path`` holds: name -> source and the name there."""
    names: dict[str, tuple[str, str]] = {}
    for part in UNIONS.get(path, "").split():
        names |= names_of(f"python.{part}")
    for table in (OPS, REST, OURS):
        names |= read_table(table.get(path, {}).items())
    return names


class Internals(ModuleType):
    """A module below ``tensorflow.python``, whose names are loaded when they are asked for."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "A view of tapegrad, under the name of a module inside TensorFlow.")

    def __getattr__(self, name: str) -> Any:
        path = self.__name__.removeprefix("tensorflow.")
        try:
            found = names_of(path).get(name)
            if found is None:
                raise AttributeError(self.lacking(name, path))
            value = load(*found)
            setattr(self, name, value)
            return value
        except AttributeError as error:
            hide(error)
            raise

    def __dir__(self) -> list[str]:
        return listing_of(self, names_of(self.__name__.removeprefix("tensorflow.")))()

    def lacking(self, name: str, path: str) -> str:
        said = f"module {self.__name__!r} has no attribute {name!r}"
        if name.startswith("__") or f"{path}.{name}" in PACKAGES:
            return said
        where = [f"tf.{each}.{name}".replace("..", ".") for each in TABLES if name in TABLES[each]]
        public = min(where, key=len, default=None)
        use = f"use {public}" if public else "use public names of tf"
        return f"{said}: tapegrad has few of the names inside TensorFlow; {use}. docs/moving.md says more."


def load(source: str, name: str) -> Any:
    """The public name ``name`` of the namespace ``source``, or that of our module."""
    if source.startswith("standing."):
        module = import_module(f"tapegrad.{source}")
        return module if name == "." else getattr(module, name)
    path = "" if source == "." else source
    module = sys.modules.get(f"tapegrad.{path}".rstrip(".")) or missing(path, name)
    return getattr(module, name)


def missing(path: str, name: str) -> ModuleType:
    raise AttributeError(f"tf.{path}.{name} is not here{describe(f'{path}.{name}')}")

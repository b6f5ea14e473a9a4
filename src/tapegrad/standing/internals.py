"""The modules below ``tensorflow.python``, ``.compiler`` and ``.core``, as one table and a class of modules.

These modules are no part of TensorFlow's public API, but libraries import them: Keras, Sonnet, GPflow,
TensorFlow Probability. Here each is a view: most names are public ones, which the tables of
`internal_ops` and `internal_rest` map; the rest is in modules of ours.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from tapegrad.core import hide
from tapegrad.framework.missing import said_by_us
from tapegrad.lazy import TABLES, describe, listing_of, read_table
from tapegrad.standing.internal_ops import OPS
from tapegrad.standing.internal_rest import REST

# Names that are public nowhere: module -> where they come from -> names. A source that begins with
# "tapegrad." is a module of ours, and "=." stands for the module itself; others are namespaces of tf.
OURS: Mapping[str, Mapping[str, str]] = {
    "compiler.tf2xla.python.xla": {
        "tapegrad.standing.slices": "dynamic_slice dynamic_update_slice"
    },
    "python.data.ops.iterator_ops": {"tapegrad.data.iterators": "OwnedIterator"},
    "python.eager.context": {"tapegrad.standing.context": "async_wait context eager_mode"},
    "python.framework.config": {"tapegrad.standing.context": "is_op_determinism_enabled"},
    "core.example.example_pb2": {"train": "Example SequenceExample"},
    "core.example.feature_pb2": {
        "train": "BytesList Feature FeatureList FeatureLists Features FloatList Int64List"
    },
    "core.framework.summary_pb2": {"compat.v1": "HistogramProto Summary SummaryMetadata"},
    "core.framework.tensor_pb2": {"compat.v1": "TensorProto"},
    "core.util.event_pb2": {"compat.v1": "Event"},
    "python.framework.ops": {
        ".": "convert_to_tensor device name_scope",
        "tapegrad.core": "EagerTensor",
    },
    "python.framework.tensor_spec": {".": "TensorSpec"},
    "python.framework.type_spec_registry": {"tapegrad.standing.specs": "get_name lookup register"},
    "python.lib.io.file_io": {"io.gfile": "FileIO=GFile"},
    "python.lib.io.tf_record": {
        "compat.v1.io": "tf_record_iterator TFRecordCompressionType",
        "io": "TFRecordOptions TFRecordWriter",
    },
    "python.ops.linalg.sparse.sparse_csr_matrix_ops": {
        "tapegrad.standing.sparse_csr": (
            "csr_sparse_matrix_to_sparse_tensor sparse_matrix_sparse_mat_mul "
            "sparse_tensor_to_csr_sparse_matrix"
        )
    },
    "python.ops.resource_variable_ops": {"tapegrad.framework.variable": "ResourceVariable"},
    "python.trackable.data_structures": {
        "tapegrad.standing.data_structures": "ListWrapper NoDependency _DictWrapper wrap_or_unwrap"
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
            if (said := absence(path, name)) is not None:
                message = f"module {self.__name__!r} has no attribute {name!r}"
                raise said_by_us(f"{message}{said}", name)
            value = load(*names_of(path)[name])
            setattr(self, name, value)
            return value
        except AttributeError as error:
            hide(error)
            raise

    def __dir__(self) -> list[str]:
        return listing_of(self, names_of(self.__name__.removeprefix("tensorflow.")))()


def load(source: str, name: str) -> Any:
    """The name ``name`` of our module ``source``, or of the public namespace ``source``."""
    if not source.startswith("tapegrad."):
        return getattr(namespace_of(source.strip(".")), name)
    module = import_module(source)
    return module if name == "." else getattr(module, name)


def absence(path: str, name: str) -> str | None:
    """Why the module ``tensorflow.path`` has no ``name`` here: the end of a message. None if it has."""
    found = names_of(path).get(name)
    if found is None:
        if name.startswith("__") or f"{path}.{name}" in PACKAGES:
            return "."
        where = [
            f"tf.{space}.{name}".replace("..", ".") for space in TABLES if name in TABLES[space]
        ]
        public = min(where, key=len, default="the public names of tf")
        return f": tapegrad has few of the names inside TensorFlow. Use {public}; docs/moving.md says more."
    source, inner = found
    if source.startswith("tapegrad."):
        return None
    space = source.strip(".")
    if space in TABLES and hasattr(namespace_of(space), inner):
        return None
    public = f"{space}.{inner}".lstrip(".")
    return f": it is tf.{public}{describe(public)}"


def namespace_of(space: str) -> ModuleType:
    """The public namespace ``tf.space``."""
    return sys.modules[f"tapegrad.{space}".rstrip(".")]

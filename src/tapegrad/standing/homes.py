"""Classes that say, while tapegrad stands in, that they live in the module of TensorFlow that has them.

Some libraries do not import TensorFlow to ask what an object is: they look at the name of its class and of
the class's module. Keras takes for a data set what has a base named ``DatasetV2`` in a module of
``tensorflow.python``. A class is settled when its module is loaded, so that no module is loaded for this.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# Our module -> class there -> module of TensorFlow. `internals` must give the same class there, for pickles.
HOMES = {
    "data.dataset": {"DatasetV2": "data.ops.dataset_ops"},
    "data.iterators": {
        "IteratorBase": "data.ops.iterator_ops",
        "OwnedIterator": "data.ops.iterator_ops",
    },
    "framework.indexed_slices": {"IndexedSlices": "framework.indexed_slices"},
    "framework.module": {"Module": "module.module"},
    "framework.shape": {"TensorShape": "framework.tensor_shape"},
    "framework.variable": {
        "ResourceVariable": "ops.resource_variable_ops",
        "Variable": "ops.variables",
    },
    "ops.sparse.sparse_tensor": {"SparseTensor": "framework.sparse_tensor"},
    "strategies.datasets": {"DistributedDataset": "distribute.input_lib"},
    "ragged.ragged_tensor": {"RaggedTensor": "ops.ragged.ragged_tensor"},
}


class Settling(Loader):
    """A loader that loads a module as ``loader`` does, and then settles its classes."""

    def __init__(self, loader: Any, module: str) -> None:
        self.loader = loader
        self.module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self.loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.loader
        self.loader.exec_module(module)
        settle_module(self.module, module)


def find_spec(
    name: str, rest: str, path: Sequence[str] | None, asking: MetaPathFinder | Any
) -> ModuleSpec | None:
    """The spec of our module ``name`` from the other finders, if it has classes to settle."""
    if rest not in HOMES:
        return None
    for finder in sys.meta_path:
        spec = None if finder is asking else finder.find_spec(name, path)
        if spec is not None:
            spec.loader = Settling(spec.loader, rest)
            return spec
    return None


def settle_module(rest: str, module: ModuleType) -> None:
    for name, home in HOMES[rest].items():
        getattr(module, name).__module__ = f"tensorflow.python.{home}"


def settle() -> None:
    """Settle the classes of the modules that are loaded already."""
    for rest in HOMES:
        module = sys.modules.get(f"tapegrad.{rest}")
        if module is not None:
            settle_module(rest, module)

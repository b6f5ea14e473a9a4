"""Names inside TensorFlow that are not here: they can be imported, and say so when they are called.

Libraries import more of TensorFlow's modules than they use. So every module that TensorFlow has below
``tensorflow.python`` and its like can be imported. A function or class of it that has no counterpart here
is a stand-in: it can be imported, named as a base class or in a check of types, and raises an error when it
is called.
"""

from __future__ import annotations

import functools
import gzip
from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, NoReturn

from tapegrad.annex.tensorflow_shim.generated import all_names_in
from tapegrad.framework.missing import DEVICES, FILES, GRAPHS

# Written by tests/golden/record_inventory.py, which reads TensorFlow.
INVENTORY = Path(__file__).with_name("inventory.gz")

INSIDE_GRAPHS = (
    "tf.Graph and tf.compat.v1.Session are here, but not what TensorFlow's own consist of"
)

# Patterns of paths below tensorflow, and why what matches is not here. The first that matches is used.
REASONS = [
    ("python.keras.*", "TensorFlow's old copy of Keras is not here. Use tf.keras"),
    ("*[!u]tpu*", "there are no TPUs here"),  # not "output"
    ("*tensorrt* compiler.* *xla*", "programs are not compiled here"),
    ("dtensor.* *dtensor*", "tensors are not divided over devices here"),
    ("python.feature_column.*", "use Keras's preprocessing layers, or tf.one_hot and tf.gather"),
    ("python.saved_model.* python.tools.* *graph_def* *graph_util*", GRAPHS),
    (
        "python.client.* *session* *Session* python.training.* python.summary.* *graph* *Graph* "
        "*monitored* python.framework.function.* python.framework.importer.*",
        INSIDE_GRAPHS,
    ),
    ("python.distribute.*", DEVICES),
    ("python.lib.io.* python.platform.*", FILES),
    ("core.*", "this message of TensorFlow is not here"),
    ("*", "tapegrad has few of the names inside TensorFlow. Use the public names of tf"),
]


@functools.cache
def inventory() -> dict[str, dict[str, bool]]:
    """TensorFlow's modules that are not public: path -> the functions and classes that each defines.

    The value of a name is whether it is a class. In the file, the types of a module of ops stand behind "+".
    """
    modules: dict[str, dict[str, bool]] = {}
    for line in gzip.decompress(INVENTORY.read_bytes()).decode().splitlines():
        listed, _, types = line.partition(" +")
        path, *names = listed.split(" ")
        modules[path] = {name.lstrip("*"): name.startswith("*") for name in names}
        modules[path].update(dict.fromkeys(all_names_in(types), False))
    return modules


def reason(path: str) -> str:
    """Why ``tensorflow.path`` is not here."""
    for patterns, said in REASONS:
        if any(fnmatchcase(path, pattern) for pattern in patterns.split()):
            return said
    raise AssertionError("the last pattern matches every path")


@functools.cache
def stand_in_for(path: str, name: str) -> Any:
    """A function or class that says, when it is called, that ``tensorflow.path.name`` is not here.

    None if TensorFlow's module defines no such function or class.
    """
    is_class = inventory().get(path, {}).get(name)
    if is_class is None:
        return None
    whole = f"{path}.{name}"
    return absent_class(whole) if is_class else absent_function(whole)


def refuse(path: str) -> NoReturn:
    raise NotImplementedError(f"tensorflow.{path} is not here: {reason(path)}.")


def absent_function(path: str) -> Callable[..., NoReturn]:
    """A function that raises."""

    def absent(*args: Any, **kwargs: Any) -> NoReturn:
        refuse(path)

    module, _, absent.__name__ = path.rpartition(".")
    absent.__qualname__ = absent.__name__
    absent.__module__ = f"tensorflow.{module}"
    absent.__doc__ = f"Not here: {reason(path)}."
    return absent


class AbsentClass(type):
    """The class of classes that are not here. They can be subclassed, and have no instances."""

    _path: str

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        refuse(cls._path)


def absent_class(path: str) -> AbsentClass:
    """A class that raises when an instance is made, of itself or of a subclass."""
    module, _, name = path.rpartition(".")
    members = {
        "_path": path,
        "__module__": f"tensorflow.{module}",
        "__doc__": f"Not here: {reason(path)}.",
    }
    return AbsentClass(name, (), members)

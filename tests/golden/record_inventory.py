"""Writes down what the modules inside TensorFlow are, and which functions and classes each defines.

    PYTHONPATH=src python tests/golden/record_inventory.py        where TensorFlow and zopfli are installed

It writes ``src/tapegrad/annex/tensorflow_shim/inventory.gz``: a line for each module below
``tensorflow.python``, ``core``, ``compiler``, ``tools`` and ``dtensor``, with its functions and, behind a
star, its classes. Of a module of ops, where each has three names, the types stand behind a plus.
`tapegrad.annex.tensorflow_shim.absent` reads it.
"""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from zopfli.gzip import compress

from tapegrad.annex.tensorflow_shim.generated import names_in

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

# What TensorFlow calls the function of an op for tensors, behind the name of the op.
FALLBACK = "_eager_fallback"
PACKAGES = ("python", "core", "compiler", "tools", "dtensor")
FILE = Path(__file__).parents[2] / "src" / "tapegrad" / "annex" / "tensorflow_shim" / "inventory.gz"

# Parts of the paths of modules that are listed without names: they are tests, compiled, or end the process
# when they are imported.
WITHOUT_NAMES = (
    "_test", ".testing", ".test_data", "benchmark", "pywrap_", ".examples", "._", ".mlir", ".jit",
    ".tf2xla.ops", ".tf2tensorrt", "pip_package", "saved_model_cli", "lib_native_proto_caster",
)  # fmt: skip


def modules() -> Iterator[str]:
    """The paths below tensorflow of all modules, also of packages without ``__init__.py``."""
    folder = Path(inspect.getfile(importlib.import_module("tensorflow"))).parent
    for package in PACKAGES:
        for path in (folder / package).rglob("*"):
            if path.suffix in (".py", ".so") and "__pycache__" not in path.parts:
                parts = path.relative_to(folder).parent.parts
                stem = path.name.partition(".")[0]
                yield ".".join(parts if stem == "__init__" else (*parts, stem))
                yield ".".join(parts)


def names(module: ModuleType) -> Iterator[str]:
    for name, value in sorted(vars(module).items()):
        if name.startswith("__") or getattr(value, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(value):
            yield f"*{name}"
        elif callable(value):
            yield name


def shortened(names: list[str]) -> list[str]:
    """The names, where the types of ops, behind "+", say three of them each."""
    rest, types = set(names), []
    functions = {name.replace("_", "").lower(): name for name in names if name + FALLBACK in rest}
    for type in names:
        function = functions.get(type.lower())
        if function is not None and type != function:
            types.append(type if function in names_in(type) else f"{function}={type}")
            rest -= {type, function, function + FALLBACK}
    return [*sorted(rest), *[f"+{types[0]}", *types[1:]]] if types else names


def main() -> None:
    import tensorflow as tf

    if not tf.__version__.startswith("2.21."):
        raise SystemExit(f"The list is TensorFlow 2.21's; this is {tf.__version__}.")
    lines = [
        path
        if any(part in path for part in WITHOUT_NAMES)
        else " ".join([path, *shortened([*names(importlib.import_module(f"tensorflow.{path}"))])])
        for path in {*modules()}
    ]
    text = "\n".join(sorted(lines))
    FILE.write_bytes(compress(text.encode()))
    print(f"{len(lines)} modules, {FILE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

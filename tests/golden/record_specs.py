"""Write down what `inspect.getfullargspec` says of TensorFlow's public functions, classes and their methods.

Run it where tensorflow-cpu 2.21 is installed:

    python tests/golden/record_specs.py

It writes ``specs.json.gz`` in this folder: a line each, sorted by the path below ``tf``.
"""

from __future__ import annotations

import gzip
import inspect
import json
import os
from pathlib import Path
from types import ModuleType
from typing import Any

from specs import spec_of

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import tensorflow as tf

# The same names once more, and ops that take keywords alone.
LEFT_OUT = {"compat.v2", "compat.v1.compat", "raw_ops", "compat.v1.raw_ops"}


def walk(module: ModuleType, path: str) -> dict[str, Any]:
    """The specs of everything public in a namespace and those below it."""
    found: dict[str, Any] = {}
    for name in dir(module):
        if name.startswith("_"):
            continue
        full = f"{path}.{name}" if path else name
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError):  # Keras, where it is not installed
            continue
        if isinstance(value, ModuleType):
            public = vars(value).get("__name__", "").startswith("tensorflow._api")
            if public and full not in LEFT_OUT:
                found.update(walk(value, full))
        elif inspect.isclass(value):
            found[full] = spec_of(value)
            for method in dir(value):
                if not method.startswith("_") and callable(getattr(value, method, None)):
                    found[f"{full}.{method}"] = spec_of(getattr(value, method))
        elif callable(value):
            found[full] = spec_of(value)
    return {path: spec for path, spec in found.items() if spec is not None}


def main() -> None:
    """Write the list."""
    if not tf.__version__.startswith("2.21."):
        raise SystemExit(f"The specs are TensorFlow 2.21's; this is {tf.__version__}.")
    specs = walk(tf, "")
    text = "".join(json.dumps({"path": path, **specs[path]}) + "\n" for path in sorted(specs))
    file = Path(__file__).parent / "specs.json.gz"
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(specs)} specs, {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

"""Write down what the functions of `tf.compat.v1` take.

Run it where tensorflow-cpu 2.21 is installed:

    python tests/golden/record_v1.py

It writes ``v1.json.gz`` in this folder: for each function of a namespace its arguments in order, with what
Python shows of their defaults (null where there is none).
"""

from __future__ import annotations

import gzip
import inspect
import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import tensorflow as tf

# Other versions of the whole namespace, and Keras.
LEFT_OUT = {"compat", "keras", "layers", "raw_ops"}


def functions(module: ModuleType, path: str) -> Iterator[tuple[str, dict[str, str | None]]]:
    for name in sorted(vars(module)):
        if name.startswith("_") or name in LEFT_OUT:
            continue
        value = getattr(module, name)
        if isinstance(value, ModuleType):
            if getattr(value, "__name__", "").startswith("tensorflow._api"):  # Keras's have none
                yield from functions(value, f"{path}.{name}")
        elif inspect.isfunction(value):
            yield (
                f"{path}.{name}",
                {
                    each.name: None if each.default is each.empty else repr(each.default)
                    for each in inspect.signature(value).parameters.values()
                },
            )


def main() -> None:
    """Write the list."""
    if not tf.__version__.startswith("2.21."):
        raise SystemExit(f"The list is TensorFlow 2.21's; this is {tf.__version__}.")
    found = dict(functions(tf.compat.v1, "compat.v1"))
    path = Path(__file__).parent / "v1.json.gz"
    path.write_bytes(gzip.compress(json.dumps(found, indent=0).encode(), 9, mtime=0))
    print(f"{len(found)} functions, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

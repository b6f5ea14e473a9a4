"""Write down TensorFlow's ops: what `tf.raw_ops` takes for each, and what its registry of gradients says.

Run it where tensorflow-cpu 2.21 is installed:

    python tests/golden/record_raw_ops.py

It writes ``raw_ops.json.gz`` in this folder: for each op its arguments in order, with what Python shows of
their defaults (null where there is none), or null where ``tf.raw_ops`` has no such op; and whether it is
differentiable (null where the registry has no entry); and the names of its outputs.
"""

from __future__ import annotations

import gzip
import inspect
import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import tensorflow as tf
from tensorflow.python.framework import op_def_registry, ops


def entry(name: str) -> dict[str, Any]:
    """What is to be known of one op."""
    function = getattr(tf.raw_ops, name, None)
    parameters = inspect.signature(function).parameters if function else {}
    arguments = {
        each.name: None if each.default is each.empty else repr(each.default)
        for each in parameters.values()
        if each.name != "name"
    }
    entries = ops.gradient_registry
    known = name in entries.list()
    definition = op_def_registry.get(name)
    return {
        "arguments": arguments if function else None,
        "gradient": entries.lookup(name) is not None if known else None,
        "outputs": [each.name for each in definition.output_arg] if definition else [],
    }


def main() -> None:
    """Write the list."""
    if not tf.__version__.startswith("2.21."):
        raise SystemExit(f"The list is TensorFlow 2.21's; this is {tf.__version__}.")
    names = {name for name in dir(tf.raw_ops) if not name.startswith("_")}
    names |= set(ops.gradient_registry.list())
    lines = [json.dumps({"op": name, **entry(name)}) for name in sorted(names)]
    text = "\n".join(lines) + "\n"
    path = Path(__file__).parent / "raw_ops.json.gz"
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{len(lines)} ops, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

"""Writes src/tapegrad/saving/graphs/op_arguments.txt: `python record_op_arguments.py NAMES`.

It runs where TensorFlow is. NAMES is a file with the names of the ops that are wanted, one a line: what
`dir(tf.raw_ops)` lists here, and the keys of `tapegrad.saving.graphs.functions.OPS`. For each the names of
its inputs and of its outputs are written, in TensorFlow's order: inputs as `tf.raw_ops` calls them, outputs
as nodes do. A star stands between the name of a list and the attribute that says how many tensors are in it.
After | stand attributes that Python calls otherwise.
"""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session

TARGET = Path(__file__).parents[2] / "src/tapegrad/saving/graphs/op_arguments.txt"
HEAD = """\
# How TensorFlow calls the inputs and outputs of its ops. `name*attribute` is a list of as many tensors as the
# attribute says, a number or a list of types. After | comes an attribute, and its name in tf.raw_ops.
# tests/golden/record_op_arguments.py writes this file.
"""


def argument(arg, name=None):
    counted = arg.number_attr or arg.type_list_attr
    return f"{name or arg.name}*{counted}" if counted else name or arg.name


def inputs(op):
    """The inputs of an op by the names they have in Python, which in some ops are others than in graphs."""
    raw = getattr(tf.raw_ops, op.name, None)
    if raw is None:
        return [argument(arg) for arg in op.input_arg]
    attributes = {attr.name for attr in op.attr}
    public = [name for name in inspect.signature(raw).parameters if name != "name"]
    others = [name for name in public if name not in attributes]
    own = [arg.name for arg in op.input_arg]
    spare = [name for name in others if name not in own]
    names = [name if name in others else spare.pop(0) for name in own]
    return [argument(arg, name) for arg, name in zip(op.input_arg, names, strict=True)]


def renamed(op):
    """The attributes that have other names in Python."""
    raw = getattr(tf.raw_ops, op.name, None)
    public = (
        []
        if raw is None
        else [name for name in inspect.signature(raw).parameters if name != "name"]
    )
    spare = public[len(op.input_arg) :]
    spare = [name for name in spare if name not in {attr.name for attr in op.attr}]
    hidden = [attr.name for attr in op.attr if attr.name not in public and attr.type != "type"]
    return [f"| {own}={name}" for own, name in zip(hidden, spare, strict=False)]


def main():
    wanted = set(Path(sys.argv[1]).read_text().split())
    ops = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    lines = [
        " ".join([op.name, *inputs(op), "->", *map(argument, op.output_arg), *renamed(op)])
        for op in sorted(ops.op, key=lambda op: op.name)
        if op.name in wanted
    ]
    TARGET.write_text(HEAD + "\n".join(lines) + "\n")
    print(f"{len(lines)} ops")


if __name__ == "__main__":
    main()

"""Writes src/tapegrad/saving/graphs/op_arguments.txt: `python record_op_arguments.py NAMES`.

It runs where TensorFlow is. NAMES is a file with the names of the ops that are wanted, one a line: what
`dir(tf.raw_ops)` lists here, the keys of `tapegrad.saving.graphs.functions.OPS`, and the ops that
`tapegrad.saving.writing` writes. For each its inputs and outputs are written in TensorFlow's order, inputs
by the names that they have in `tf.raw_ops`, outputs by those that they have in nodes, and its attributes.
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
# How TensorFlow calls the inputs, outputs and attributes of its ops. `name*attribute:type` is an argument: a
# list has as many tensors as the attribute says, a number or a list of types; the type is a dtype or an
# attribute. After | come the attributes, `name>name:kind=default`: the second name is that in tf.raw_ops, if
# it is another, and defaults are written of types alone.
# tests/golden/record_op_arguments.py writes this file.
"""


def argument(arg, name=None):
    counted = arg.number_attr or arg.type_list_attr
    of_type = arg.type_attr or (tf.as_dtype(arg.type).name if arg.type else "")
    return (
        (name or arg.name) + (f"*{counted}" if counted else "") + (f":{of_type}" if of_type else "")
    )


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
    """The attributes that have other names in Python, and these."""
    raw = getattr(tf.raw_ops, op.name, None)
    public = (
        []
        if raw is None
        else [name for name in inspect.signature(raw).parameters if name != "name"]
    )
    spare = public[len(op.input_arg) :]
    spare = [name for name in spare if name not in {attr.name for attr in op.attr}]
    hidden = [attr.name for attr in op.attr if attr.name not in public and attr.type != "type"]
    return dict(zip(hidden, spare, strict=False))


def attributes(op):
    """The attributes of an op, with their kinds."""
    others = renamed(op)
    for attr in op.attr:
        other = f">{others[attr.name]}" if attr.name in others else ""
        default = ""
        if attr.HasField("default_value"):
            is_type = attr.type == "type"
            default = f"={tf.as_dtype(attr.default_value.type).name if is_type else ''}"
        yield f"{attr.name}{other}:{attr.type}{default}"


def main():
    wanted = set(Path(sys.argv[1]).read_text().split())
    ops = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    lines = [
        " ".join([op.name, *inputs(op), "->", *map(argument, op.output_arg), "|", *attributes(op)])
        for op in sorted(ops.op, key=lambda op: op.name)
        if op.name in wanted
    ]
    TARGET.write_text(HEAD + "\n".join(lines) + "\n")
    print(f"{len(lines)} ops")


if __name__ == "__main__":
    main()

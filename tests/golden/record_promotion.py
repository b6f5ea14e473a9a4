"""What TensorFlow promotes dtypes to in the modes "all" and "safe", and which functions keep tensors weak.

Run where TensorFlow 2.21 is installed, from the root of the repository:

    python tests/golden/record_promotion.py

`test_promotion.py` reads the file that this writes: tests/golden/promotion.json.
"""

from __future__ import annotations

import json
from operator import attrgetter
from pathlib import Path

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import flexible_dtypes

tnp = tf.experimental.numpy

DTYPES = (
    "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 "
    "complex128"
).split()
PYTHON = {"int": 1, "float": 1.0, "complex": 1j}
FUNCTIONS = """
bitwise.invert clip_by_value debugging.check_numerics expand_dims identity linalg.diag linalg.diag_part
linalg.matrix_transpose linalg.tensor_diag_part linalg.trace math.abs math.acos math.angle math.ceil
math.conj math.cos math.digamma math.erf math.exp math.floor math.imag math.lgamma math.log math.log_sigmoid
math.negative math.real math.reciprocal math.reciprocal_no_nan math.reduce_euclidean_norm
math.reduce_logsumexp math.reduce_max math.reduce_mean math.reduce_min math.reduce_prod math.reduce_std
math.reduce_sum math.reduce_variance math.rint math.round math.rsqrt math.sigmoid math.sign math.softplus
math.special.bessel_i0 math.special.expint math.sqrt math.square math.tanh nn.gelu nn.leaky_relu
nn.log_softmax nn.relu nn.relu6 nn.selu nn.swish ones_like reshape squeeze stop_gradient transpose
zeros_like reduce_any sort experimental.numpy.abs experimental.numpy.amax experimental.numpy.asarray
experimental.numpy.array experimental.numpy.ceil experimental.numpy.copy experimental.numpy.cos
experimental.numpy.cumprod experimental.numpy.cumsum experimental.numpy.diag experimental.numpy.exp
experimental.numpy.flip experimental.numpy.floor experimental.numpy.max experimental.numpy.mean
experimental.numpy.negative experimental.numpy.ones_like experimental.numpy.prod experimental.numpy.ravel
experimental.numpy.sqrt experimental.numpy.square experimental.numpy.squeeze experimental.numpy.std
experimental.numpy.sum experimental.numpy.repeat experimental.numpy.sort experimental.numpy.trace
experimental.numpy.triu experimental.numpy.transpose experimental.numpy.var experimental.numpy.zeros_like
""".split()
BINARY = (
    "math.add math.divide math.floordiv math.floormod math.maximum math.minimum math.multiply "
    "math.multiply_no_nan math.pow "
    "math.subtract truncatediv linalg.matmul"
).split()
EXTRA = {
    "experimental.numpy.repeat": (2,),
    "clip_by_value": (0, 1),
    "expand_dims": (0,),
    "reshape": ([4],),
    "debugging.check_numerics": ("m",),
}
VALUES = ([[1, 2], [3, 4]], [[0.25, 0.5], [0.5, 0.75]])


def kind(result) -> str:
    return result.dtype.name + ("*" if "weak=True" in repr(result) else "")


def strong(value):
    return tf.constant(value, tf.as_dtype(kind(tf.constant(value))[:-1]))


def answer(function, *args) -> str | None:
    try:
        return kind(function(*args))
    except Exception:  # whatever it raises, there is no result
        return None


def main() -> None:
    tables = {}
    for mode in ("all", "safe"):
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode=mode)
        operands = {name: tf.zeros([], name) for name in DTYPES} | PYTHON
        tables[mode] = {}
        for left, x in operands.items():
            row = []
            for y in operands.values():
                try:
                    dtype, weak = flexible_dtypes.result_type(x, y)
                    row.append(dtype.name + "*" * weak)
                except TypeError:
                    row.append(None)
            tables[mode][left] = row
    tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
    functions = {}
    for name in FUNCTIONS:
        function, more = attrgetter(name)(tf), EXTRA.get(name, ())
        functions[name] = [
            answer(function, make(value), *more)
            for value in VALUES
            for make in (lambda v: v, tf.constant, np.array, strong)
        ]
    binary = {}
    for name in BINARY:
        function = attrgetter(name)(tf)
        tensors = [2, 2.5, tf.constant(2), tf.constant(2, tf.int32), np.float16(2), np.int64(2)]
        if name == "linalg.matmul":
            tensors = [
                [[2]],
                [[2.5]],
                tf.constant([[2]]),
                tf.constant([[2]], tf.int32),
                np.float16([[2]]),
            ]
        binary[name] = [answer(function, x, y) for x in tensors for y in tensors]
    golden = {"dtypes": DTYPES, "tables": tables, "functions": functions, "binary": binary}
    path = Path(__file__).with_name("promotion.json")
    lines = json.dumps(golden).replace('], "', '],\n"').replace("]}, ", "]},\n")
    path.write_text(lines + "\n")


main()

"""Records how TensorFlow prints tensors and variables: golden/printing.json.

Run it where TensorFlow is installed: ``python tests/golden/record_printing.py``. A case is an
expression in ``np`` for the values and a dtype; its record holds ``repr``, ``str``, ``format`` with
several specifications (or the class of the error), and the ``repr`` of a variable.
"""

import json
import pathlib

import numpy as np

CASES = [
    *[
        ("np.array(1.5)", name)
        for name in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
    ],
    *[
        ("np.array(1/3)", name)
        for name in ("float16", "bfloat16", "float32", "float64", "complex64", "complex128")
    ],
    *[
        ("np.array(3)", name)
        for name in "int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
    ],
    *[("np.array([-7, 100])", name) for name in "int8 int16 int32 int64".split()],
    *[("np.array([7, 100])", name) for name in "uint8 uint16 uint32 uint64".split()],
    *[("np.array([1.5, 2])", name) for name in ("float16", "bfloat16", "float32", "float64")],
    *[("np.array([[1/3, 1e-20], [1e20, 7]])", name) for name in ("bfloat16", "float32", "float64")],
    *[
        ("np.zeros((0,))", name)
        for name in ("float16", "bfloat16", "float32", "int32", "bool", "complex64")
    ],
    *[("np.zeros((2, 0))", name) for name in ("float32", "int64")],
    ("np.array(1e20)", "float32"),
    ("np.array(-0.0)", "float32"),
    ("np.array(np.nan)", "float32"),
    ("np.array(-np.inf)", "bfloat16"),
    ("np.array(1 + 2j)", "complex64"),
    ("np.array([1 + 2j, 3])", "complex128"),
    ("np.array([[1 + 2j]])", "complex64"),
    ("np.array(2**63)", "uint64"),
    ("np.array(True)", "bool"),
    ("np.array([True, False])", "bool"),
    ("np.array([[True]])", "bool"),
    ("np.array([np.nan, np.inf, -0.0, 1e-30])", "float32"),
    ("np.array([[1.0, 2], [3, 4]])", "float32"),
    ("np.ones((2, 2, 2))", "float32"),
    ("np.zeros((1, 1, 1, 1))", "float32"),
    ("np.zeros((0, 3))", "int32"),
    ("np.arange(40)", "int32"),
    ("np.arange(30) / 7", "float32"),
    ("np.arange(2000)", "int32"),
    ("np.arange(2000).reshape(40, 50)", "int32"),
    ("np.ones((50, 50))", "float32"),
    ("np.ones(1001)", "bfloat16"),
    ("np.array(b'abc', object)", "string"),
    ("np.array(b'h\\xc3\\xa9llo', object)", "string"),
    ('np.array(b"it\'s", object)', "string"),
    ("np.array(b'', object)", "string"),
    ("np.array(b'a\\nb', object)", "string"),
    ("np.array(b'a' * 200, object)", "string"),
    ("np.array([b'a', b'\\xff', b\"it's\"], object)", "string"),
    ("np.array([[b'a', b'b'], [b'c', b'dd']], object)", "string"),
    ("np.array([b'a' * 60] * 4, object)", "string"),
    ("np.array([b'a'] * 1200, object)", "string"),
    ("np.zeros((0,), object)", "string"),
]
SPECIFICATIONS = ["", ".2f", ">10", "d", "s", "e", "%", "x"]


def attempt(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return {"error": type(error).__name__}


def main():
    import os

    os.environ.update(CUDA_VISIBLE_DEVICES="-1", TF_CPP_MIN_LOG_LEVEL="3")
    import tensorflow as tf

    records = []
    for expression, name in CASES:
        values = eval(expression, {"np": np})
        dtype = tf.as_dtype(name)
        tensor = tf.constant(
            values if name == "string" else values.astype(dtype.as_numpy_dtype), dtype
        )
        record = {
            "values": expression,
            "dtype": name,
            "repr": repr(tensor),
            "str": str(tensor),
            "format": {given: attempt(format, tensor, given) for given in SPECIFICATIONS},
            "variable": repr(tf.Variable(tensor, name="v")),
        }
        records.append(record)
    path = pathlib.Path(__file__).with_name("printing.json")
    path.write_text(json.dumps(records, indent=1) + "\n")
    print(f"{len(records)} cases recorded with TensorFlow {tf.__version__}, NumPy {np.__version__}")


if __name__ == "__main__":
    main()

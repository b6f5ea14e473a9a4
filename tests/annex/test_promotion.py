"""Promotion by TensorFlow's lattice: the modes "all" and "safe" of `experimental_enable_numpy_behavior`.

A mode holds for the whole process, so whatever needs one runs in a process of its own.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tapegrad.annex.numpy_like.lattice import NEXT, is_safe, join

PATH = Path(__file__).parents[1] / "golden" / "promotion.json"
GOLDEN: dict[str, Any] = json.loads(PATH.read_text())
KINDS = [*GOLDEN["dtypes"], "int32*", "float32*", "complex128*"]
NAMES = [*GOLDEN["dtypes"], "int", "float", "complex"]


def run(program: str, *arguments: str) -> str:
    finished = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr[-3000:]
    return finished.stdout


@pytest.mark.parametrize("left", range(len(KINDS)))
def test_the_lattice_is_tensorflows(left: int) -> None:
    for right, kind in enumerate(KINDS):
        assert join(KINDS[left], kind) == GOLDEN["tables"]["all"][NAMES[left]][right], kind
        allowed = GOLDEN["tables"]["safe"][NAMES[left]][right] is not None
        assert is_safe(KINDS[left], kind) == allowed, kind


def test_the_lattice_is_one() -> None:
    for x, y, z in itertools.product(NEXT, repeat=3):
        assert join(x, y) == join(y, x)
        assert join(join(x, y), z) == join(x, join(y, z))


CALLS = """
import json, sys
from operator import attrgetter
import numpy as np
import tapegrad as tf

golden = json.load(open(sys.argv[1]))
tf.experimental.numpy.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
EXTRA = {"clip_by_value": (0, 1), "expand_dims": (0,), "reshape": ([4],), "debugging.check_numerics": ("m",),
         "experimental.numpy.repeat": (2,)}
VALUES = ([[1, 2], [3, 4]], [[0.25, 0.5], [0.5, 0.75]])

def kind(result):
    return result.dtype.name + ("*" if "weak=True" in repr(result) else "")

def strong(value):
    return tf.constant(value, tf.as_dtype(kind(tf.constant(value))[:-1]))

def answer(call):
    try:
        return kind(call())
    except Exception:
        return None

found = {"functions": {}, "binary": {}}
for name in golden["functions"]:
    function, more = attrgetter(name)(tf), EXTRA.get(name, ())
    found["functions"][name] = [
        answer(lambda: function(make(value), *more))
        for value in VALUES for make in (lambda v: v, tf.constant, np.array, strong)
    ]
for name in golden["binary"]:
    function = attrgetter(name)(tf)
    tensors = [2, 2.5, tf.constant(2), tf.constant(2, tf.int32), np.float16(2), np.int64(2)]
    if name == "linalg.matmul":
        tensors = [[[2]], [[2.5]], tf.constant([[2]]), tf.constant([[2]], tf.int32), np.float16([[2]])]
    found["binary"][name] = [answer(lambda: function(x, y)) for x in tensors for y in tensors]
print(json.dumps(found))
"""


def test_dtypes_of_results_are_tensorflows() -> None:
    found = json.loads(run(CALLS, str(PATH)))
    for family, functions in found.items():
        for name, dtypes in functions.items():
            assert dtypes == GOLDEN[family][name], name


PROGRAM = """
import numpy as np, pytest
import tapegrad as tf

tnp = tf.experimental.numpy
enable = tnp.experimental_enable_numpy_behavior
FIVE = "<tf.Tensor: shape=(), dtype=int32, numpy=5, weak=True>"

enable(dtype_conversion_mode="all")
weak = tf.constant(5)
assert repr(weak) == FIVE and str(weak) == "tf.Tensor(5, shape=(), dtype=int32, weak=True)"
assert f"{weak}" == "5 weakly typed"
assert repr(tf.constant(5, tf.int32)) == "<tf.Tensor: shape=(), dtype=int32, numpy=5>"
assert repr(tf.identity(x := tf.constant(5, tf.int32))) == repr(x)

# Operators, from both sides; what gives way; and Python's operators of one operand.
half = tf.constant(3.5, tf.float16)
for result, dtype in (
    (weak + half, "float16"), (half - weak, "float16"), (np.int8(2) * weak, "int8"), (2.5 * weak, "float32*"),
    (weak / 2, "float64*"), (weak // 2, "int32*"), (2 ** weak, "int32*"), (weak % 3, "int32*"),
    (-weak, "int32*"), (abs(weak), "int32*"), (tf.Variable(1) + 2.5, "float64*"),
    (tf.constant(1, tf.uint64) + tf.constant(1, tf.int8), "float64*"),
    (weak == tf.constant(5, tf.int64), "bool"),
    (tf.constant([True]) * 2.0, "float32*"), (np.array(3.2, np.float16) + tf.constant(1, tf.int8), "float16"),
):
    assert result.dtype.name + ("*" if "weak=True" in repr(result) else "") == dtype, (result, dtype)

# By name, with a name; what is no number is left alone.
assert tf.add(x=1, y=2.0).numpy() == 3.0 and tf.add(1, 2.0, name="sum").numpy() == 3.0
assert tf.reduce_sum(input_tensor=[1, 2]).numpy() == 3
assert tf.add("a", "b").numpy() == b"ab"
with pytest.raises(tf.errors.InvalidArgumentError):
    tf.add(1, "b")

# Gradients flow through promotions.
x = tf.constant(2.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = x * x * tf.constant(1.5, tf.float64)
assert y.dtype == tf.float64 and tape.gradient(y, x).numpy() == 6.0

# Functions are recorded, and replayed.
@tf.function
def scaled(x, y):
    return 2 * x + y
for _ in range(3):
    assert scaled(tf.constant(3, tf.int8), half).dtype == tf.float16

# Assignments keep the variable's dtype.
v = tf.Variable(10)
assert v.assign_add(tf.constant(5, tf.int16)).numpy() == 15
assert tf.Variable(1.0, dtype=tf.float16).assign(3).numpy() == 3
for value in (2.5, tf.constant(5, tf.int64)):
    with pytest.raises(TypeError, match="keeps its dtype"):
        v.assign_add(value)
assert v.numpy() == 15
assert tf.constant(tf.constant(10, tf.int16), tf.float32).dtype == tf.float32

assert tnp.result_type(1, 2.0) == tf.float32 and tnp.promote_types(np.int8, np.uint32) == np.int64
assert repr(tnp.array(1)) == repr(tf.constant(1))

# tapegrad's own code computes as ever.
assert tf.ones([2]).dtype == tf.float32 and "weak" not in repr(tf.range(3)) + repr(tf.random.normal([1]))

enable(dtype_conversion_mode="safe")
assert (tf.constant(1, tf.int8) + tf.constant(2, tf.int16)).dtype == tf.int16
with pytest.raises(TypeError, match="dtype_conversion_mode='safe'"):
    tf.constant(1) + 1.5 + tf.constant(1, tf.int32)
with pytest.raises(TypeError, match="int8 and uint32 are not promoted to int64"):
    tf.constant(1, tf.int8) + tf.constant(5, tf.uint32)
with pytest.raises(TypeError, match="safe"):
    tf.Variable(1.0).assign(tf.constant(5, tf.int32))

# A later mode takes the place of an earlier one.
enable(dtype_conversion_mode="legacy")
assert (tf.constant(1) + 2.5).dtype == tf.float64 and "weak" not in repr(tf.constant(5))
left = np.array(3.2, np.float16) + tf.constant(1, tf.int8) + tf.constant(50)
assert left.dtype == tf.float64 and abs(left.numpy() - 54.2) < 0.01
assert (np.float16(1) + tf.constant(1)).dtype == (tf.constant(1) + np.float16(1)).dtype == tf.float64
assert tf.add(tf.constant(1), np.array(1, np.float16)).dtype == tf.int32
enable(dtype_conversion_mode="off")
with pytest.raises(tf.errors.InvalidArgumentError):
    tf.constant(1) + tf.constant(2.0)
assert "weak" not in repr(tf.constant(5) + 1) and tf.constant([1, 2]).T.shape == [2]
with pytest.raises(ValueError, match="'off', 'legacy', 'safe' or 'all'"):
    enable(dtype_conversion_mode="x")
"""


def test_the_modes() -> None:
    run(PROGRAM)

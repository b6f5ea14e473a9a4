"""Calls of ``raw_ops.ResourceApply...``, one step of an optimizer each. TensorFlow's results are recorded.

`results` makes the calls, with TensorFlow or with tapegrad. `record_training_ops.py` writes what they give.
"""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

RECORDED = Path(__file__).with_name("training_ops.npz")

DTYPES = "float16 bfloat16 float32 float64 complex64 complex128 int32".split()

HANDLES = (
    "var accum accum_update m v vhat mg ms mom linear gradient_accumulator "
    "gradient_squared_accumulator"
).split()
"""The arguments that are variables."""

POSITIVE = "v vhat accum accum_update ms gradient_squared_accumulator".split()
"""Those of them that are sums or averages of squares."""


def names(tf: Any) -> list[str]:
    """The ops."""
    return [
        name
        for name in dir(tf.raw_ops)
        if name.startswith(("ResourceApply", "ResourceSparseApply"))
    ]


def results(tf: Any, name: str, dtype: str) -> np.ndarray | None:
    """The variables after each of several calls, one after the other; None if the op refuses the dtype."""
    parts = [np.zeros(0)]
    try:
        for call in calls(tf, name, dtype):
            parts += [np.asarray(variable.numpy()).ravel() for variable in call]
    except tf.errors.InvalidArgumentError:
        return None
    wide = {"float16": "float32", "bfloat16": "float32"}.get(dtype, dtype)
    return np.concatenate([part.astype(wide) for part in parts])


def calls(tf: Any, name: str, dtype: str) -> Iterator[list[Any]]:
    """Call the op with several arguments, and give the variables that it has changed."""
    parameters = inspect.signature(getattr(tf.raw_ops, name)).parameters.values()
    needed = [each.name for each in parameters if each.default is each.empty]
    flags = {each.name: each.default for each in parameters if isinstance(each.default, bool)}
    for seed in range(4):
        for flag in [None, *flags]:
            arguments, variables = drawn(tf, needed, dtype, seed)
            if flag is not None:
                arguments[flag] = not flags[flag]
            getattr(tf.raw_ops, name)(**arguments)
            yield variables


def drawn(tf: Any, needed: list[str], dtype: str, seed: int) -> tuple[dict[str, Any], list[Any]]:
    """Arguments of these names for an op, and those of them that are variables."""
    draws = np.random.RandomState(seed)
    shape = (11,) if seed % 2 else (5, 3)
    arguments: dict[str, Any] = {}
    variables = []

    def tensor(shape: tuple[int, ...], name: str = "") -> Any:
        values = draws.normal(size=shape)
        if name in POSITIVE:
            values = np.abs(values) + 0.5
        elif name == "mg":  # the average of the squares, ms, is larger than its square
            values *= 0.25
        return tf.cast(
            values + 1j * draws.normal(size=shape) if "complex" in dtype else values, dtype
        )

    for name in needed:
        if name in HANDLES:
            variables.append(tf.Variable(tensor(shape, name)))
            arguments[name] = variables[-1].handle
        elif name in ("grad", "delta"):
            arguments[name] = tensor((4, *shape[1:]) if "indices" in needed else shape)
        elif name == "indices":
            rows = [0, 3, 1, 4] if seed < 2 else [2, 0, 2, 2]
            arguments[name] = tf.constant(rows, tf.int64 if seed else tf.int32)
        elif name == "global_step":
            arguments[name] = tf.constant(seed + 1, tf.int64)
        else:
            arguments[name] = tf.cast(scalar(name, seed, draws.uniform(0.05, 0.95)), dtype)
    return arguments, variables


def scalar(name: str, seed: int, value: float) -> float:
    """``value``, or one in its place that decides what the op does."""
    if name == "lr_power":
        return -0.5 if seed < 2 else -value
    if name in ("l1", "l2") and seed == 3:
        return 0.0
    return 1e-3 if name == "epsilon" else value

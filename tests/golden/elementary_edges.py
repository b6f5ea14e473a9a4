"""Elementary functions at zeros, infinities, NaN, the ends of their ranges and far from zero."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_suffix(".json")
UNARY = "exp expm1 log log1p sin cos tan asin acos atan sinh cosh tanh atanh".split()
DTYPES = ("float32", "float64")


def arguments(dtype: str) -> np.ndarray:
    """No subnormal numbers: TensorFlow takes those for zeros."""
    info = np.finfo(dtype)
    both = [0.0, np.inf, info.tiny, info.max, 0.5, 1.0, 2.0, 88.8, 100.0, 104.0, 710.0, 746.0]
    both += [2.0**20, 1e22, 1e30]
    return np.array([sign * x for x in both for sign in (1, -1)] + [np.nan], dtype)


def results(tf: Any) -> dict[str, list[float]]:
    """What ``tf`` gives, by function and dtype."""
    values = {}
    for dtype in DTYPES:
        x = arguments(dtype)
        for name in UNARY:
            values[f"{name} {dtype}"] = getattr(tf.math, name)(tf.constant(x)).numpy().tolist()
        pairs = [part.ravel() for part in np.meshgrid(x, x)]
        angles = tf.math.atan2(tf.constant(pairs[0]), tf.constant(pairs[1]))
        values[f"atan2 {dtype}"] = angles.numpy().tolist()
    return values


def recorded() -> dict[str, list[float]]:
    return json.loads(FILE.read_text())

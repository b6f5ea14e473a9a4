"""The arrays that the ops of `op_data` get."""

import math
from typing import Any

import numpy as np
import op_data


def arrays(name: str, size: int) -> list[Any]:
    """The inputs of the op, in float32 where they are floats."""
    place = op_data.SIZES.index(size)
    return [
        array(kind.strip(), place, np.random.RandomState(seed))
        for seed, kind in enumerate(op_data.OPS[name].inputs.split(","))
    ]


def array(kind: str, place: int, random: Any) -> Any:
    """An array of one of `op_data.SHAPES`, holding normal numbers if ``kind`` says no more."""
    *adjectives, name = kind.split()
    shape = op_data.SHAPES[name][place]
    normal = random.randn(*shape)
    for adjective in adjectives:
        normal = ADJECTIVES[adjective](normal, random)
    return normal.astype(np.float32) if normal.dtype == np.float64 else normal


def indices(below: int) -> Any:
    return lambda x, random: random.randint(0, below(x), x.shape[0])


def definite(x: Any, random: Any) -> Any:
    n = x.shape[-1]
    return x @ np.swapaxes(x, -1, -2) / n + np.eye(n)


def filters(*window: int) -> Any:
    def make(x: Any, random: Any) -> Any:
        depth = x.shape[-1]
        return random.randn(*window, depth, depth) / math.sqrt(math.prod(window) * depth)

    return make


ADJECTIVES: dict[str, Any] = {
    "positive": lambda x, random: np.abs(x) + 0.1,
    "inner": lambda x, random: np.tanh(x) * 0.9,
    "beyond_one": lambda x, random: np.abs(x) + 1.1,
    "near_one": lambda x, random: 1 + 0.01 * x,
    "chance": lambda x, random: np.exp(x) / np.exp(x).sum(-1, keepdims=True),
    "truth": lambda x, random: x > 0,
    "integer": lambda x, random: random.randint(0, 100, x.shape, np.int32),
    "byte": lambda x, random: random.randint(0, 256, x.shape, np.uint8),
    "sorted": lambda x, random: np.sort(x),
    "last": lambda x, random: random.randn(x.shape[-1]),
    "first": lambda x, random: random.randn(x.shape[0]),
    "single": lambda x, random: x[: (len(x) + 1) // 2],
    "label": indices(lambda x: x.shape[-1]),
    "index": lambda x, random: random.permutation(x.shape[0]),
    "column": lambda x, random: random.permutation(x.shape[1]),
    "ascending": lambda x, random: np.arange(x.shape[0]) // 2,
    "definite": definite,
    "near_identity": lambda x, random: np.eye(x.shape[-1]) + 0.3 * x / x.shape[-1],
    "triangular": lambda x, random: np.tril(x) / x.shape[-1] + 2 * np.eye(x.shape[-1]),
    "filter1": filters(3),
    "filter2": filters(3, 3),
    "depthwise": lambda x, random: random.randn(3, 3, x.shape[-1], 1) / 3,
}


def direction(shape: tuple[int, ...]) -> Any:
    """The gradient that arrives at a result of that shape."""
    return np.asarray(np.random.RandomState(7).randn(*shape), np.float32)

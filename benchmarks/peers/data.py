"""The numbers all peers start from, as NumPy arrays: the same weights and data for everyone."""

from itertools import pairwise
from typing import Any

import numpy as np

SCALAR = np.float32(1.001)
LEARNING_RATE = 0.01
# So many operations are recorded to see what one of them keeps alive.
KEPT_OPS = 50_000

Arrays = list[tuple[Any, Any]]


def layers(*widths: int, seed: int = 0) -> Arrays:
    """A weight matrix and a bias for each pair of neighbouring widths."""
    random = np.random.RandomState(seed)
    return [
        (
            (random.randn(inputs, outputs) * np.sqrt(2.0 / inputs)).astype(np.float32),
            (random.randn(outputs) * 0.1).astype(np.float32),
        )
        for inputs, outputs in pairwise(widths)
    ]


def small_mlp() -> tuple[Arrays, Any, Any]:
    """Weights, one example, its target."""
    random = np.random.RandomState(1)
    x = random.randn(1, 4).astype(np.float32)
    y = random.randn(1, 2).astype(np.float32)
    return layers(4, 32, 32, 2), x, y


def wide_mlp() -> tuple[Arrays, Any, Any]:
    """Weights, a batch of pictures, their labels (int64)."""
    random = np.random.RandomState(2)
    x = random.rand(128, 784).astype(np.float32)
    labels = random.randint(0, 10, 128)
    return layers(784, 512, 512, 10), x, labels


def deep_mlp() -> tuple[Arrays, Any]:
    """Weights of twenty square layers, and a batch."""
    x = np.random.RandomState(3).randn(4096, 1024).astype(np.float32)
    return layers(*[1024] * 21), x

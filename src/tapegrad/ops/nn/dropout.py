"""Dropout whose random numbers come from the user's function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.core import Tensor
from tapegrad.ops.nn.activations import dropped

PUBLIC = {
    "nn.experimental": "general_dropout",
}


def general_dropout(
    x: Any,
    rate: Any,
    uniform_sampler: Callable[..., Any],
    noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """``tf.nn.dropout`` with numbers between 0 and 1 that ``uniform_sampler(shape, dtype)`` returns.

    >>> half = lambda shape, dtype: tf.reshape(tf.constant([0.1, 0.9], dtype), shape)
    >>> tf.nn.experimental.general_dropout(tf.ones([2]), 0.5, half).numpy()
    array([0., 2.], dtype=float32)
    """

    def draw(shape: tuple[int, ...], dtype: Any) -> Tensor:
        return uniform_sampler(shape=shape, dtype=dtype)

    return dropped(x, rate, noise_shape, draw)

"""Dropout whose random numbers come from a seed or from a function, as ``tf.nn.experimental`` has it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.core import Tensor
from tapegrad.ops import random
from tapegrad.ops.nn import dropped


def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = None,
    noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """``tf.nn.dropout`` that drops the same elements each time for the same ``seed``, two integers.

    >>> tf.nn.experimental.stateless_dropout(tf.ones([2, 3]), 0.5, seed=[1, 2]).numpy()
    array([[2., 0., 2.],
           [0., 0., 2.]], dtype=float32)
    """
    alg = "auto_select" if rng_alg is None else rng_alg

    def draw(shape: tuple[int, ...], dtype: Any) -> Tensor:
        return random.stateless_uniform(shape, seed=seed, dtype=dtype, alg=alg)

    return dropped(x, rate, noise_shape, draw)


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

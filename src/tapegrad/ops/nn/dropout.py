"""Dropout, with random numbers of the program, of a seed, or of a user's function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad.core import Tensor, VariableBase, convert, public
from tapegrad.core.sizes import broadcast_shape
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.ops.args import static_shape
from tapegrad.ops.elementwise import math
from tapegrad.ops.random.draws import stateless_uniform, uniform

PUBLIC = {
    "nn": "dropout",
    "nn.experimental": "general_dropout stateless_dropout",
}


@public
def dropout(
    x: Any, rate: Any, noise_shape: Any = None, seed: Any = None, name: str | None = None
) -> Tensor:
    """``x`` with each element set to 0 with probability ``rate``, and the rest scaled by ``1 / (1 - rate)``.

    >>> tf.random.set_seed(1)
    >>> y = tf.nn.dropout(tf.ones([1000]), rate=0.5)
    >>> sorted(set(y.numpy().tolist()))
    [0.0, 2.0]

    Args:
        x: floating point numbers.
        rate: a number from 0 to below 1.
        noise_shape: the shape in which to draw. Along an axis of length 1 all elements are kept or dropped
            together.
        seed: decides which elements are dropped, together with ``tf.random.set_seed``'s. Each further call
            drops others.
    """

    def draw(shape: tuple[int, ...], dtype: Any) -> Tensor:
        return uniform(shape, seed=seed, dtype=dtype)

    return dropped(x, rate, noise_shape, draw)


@public
def stateless_dropout(
    x: Any,
    rate: Any,
    seed: Any,
    rng_alg: Any = None,
    noise_shape: Any = None,
    name: str | None = None,
) -> Tensor:
    """``dropout`` in which ``seed``, two integers, alone decides which elements are dropped.

    >>> x = tf.ones([3, 4])
    >>> first, second = [tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2]) for _ in range(2)]
    >>> bool(tf.reduce_all(first == second))
    True

    Args:
        x: floating point numbers.
        rate: a number from 0 to below 1.
        seed: two integers.
        rng_alg: "auto_select" or "philox", which is what is taken; None for it too.
        noise_shape: the shape in which to draw. Along an axis of length 1 all elements are kept or dropped
            together. None for the shape of ``x``.
    """

    def draw(shape: tuple[int, ...], dtype: Any) -> Tensor:
        return stateless_uniform(shape, seed=seed, dtype=dtype, alg=rng_alg or "auto_select")

    return dropped(x, rate, noise_shape, draw)


def dropped(x: Any, rate: Any, noise_shape: Any, draw: Any) -> Tensor:
    """Dropout with random numbers between 0 and 1, which ``draw(shape, dtype)`` makes."""
    x = convert_to_tensor(x) if isinstance(x, VariableBase) else convert(x)
    if not x.dtype.is_floating:
        raise ValueError(
            "`x.dtype` must be a floating point tensor as `x` will be scaled. Received: "
            f"x_dtype={x.dtype}"
        )
    if isinstance(rate, (Tensor, VariableBase)):
        rate = convert(rate)
        if rate.ndim:
            raise ValueError(f"`rate` must be a scalar tensor. Received one of shape {rate.shape}")
        if rate.dtype != x.dtype:
            raise ValueError(
                f"`rate` must be of dtype {x.dtype.name}, as x is. Received: {rate.dtype}"
            )
        scaled = x / (1.0 - rate)
    elif isinstance(rate, (int, float, np.integer, np.floating)):
        if not 0 <= rate < 1:
            raise ValueError(
                "`rate` must be a scalar tensor or a float in the range [0, 1). Received: "
                f"rate={rate}"
            )
        if rate == 0:
            return x
        scaled = x * convert(1.0 / (1.0 - float(rate)), x.dtype)
    else:
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    own = x._shape_tuple()
    shape = own if noise_shape is None else _noise_shape(noise_shape, own)
    keep = draw(shape, x.dtype) >= rate
    if shape != own and not _broadcasts(shape, own):
        refuse(f"noise_shape {list(shape)} does not broadcast to x's shape {list(x.shape)}.")
    return math.keep_where(scaled, keep)


def _broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    try:
        return broadcast_shape(shape, to) == to
    except ValueError:
        return False


def _noise_shape(noise_shape: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    if isinstance(noise_shape, (list, tuple)) and len(noise_shape) == len(shape):
        # None means the size of x along that axis.
        noise_shape = [shape[i] if size is None else size for i, size in enumerate(noise_shape)]
    return static_shape(noise_shape)


@public
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

    Args:
        x: floating point numbers.
        rate: a number from 0 to below 1.
        uniform_sampler: a function with the arguments ``shape`` and ``dtype``. Where its numbers are below
            ``rate``, elements are dropped.
        noise_shape: the shape in which to draw. Along an axis of length 1 all elements are kept or dropped
            together. None for the shape of ``x``.
    """

    def draw(shape: tuple[int, ...], dtype: Any) -> Tensor:
        return uniform_sampler(shape=shape, dtype=dtype)

    return dropped(x, rate, noise_shape, draw)

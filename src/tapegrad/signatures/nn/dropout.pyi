# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Callable as Callable
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any

def dropout(
    x: TensorLike,
    rate: TensorLike,
    noise_shape: ShapeLike | None = None,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``x`` with each element set to 0 with probability ``rate``, and the rest scaled by ``1 / (1 - rate)``.

    >>> tf.random.set_seed(1)
    >>> y = tf.nn.dropout(tf.ones([1000]), rate=0.5)
    >>> sorted(set(y.numpy().tolist()))
    [0.0, 2.0]

    Args:
        noise_shape: the shape in which to draw. Along an axis of length 1 all elements are kept or dropped
            together.
    """

def general_dropout(
    x: TensorLike,
    rate: TensorLike,
    uniform_sampler: Callable[..., Any],
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``tf.nn.dropout`` with numbers between 0 and 1 that ``uniform_sampler(shape, dtype)`` returns.

    >>> half = lambda shape, dtype: tf.reshape(tf.constant([0.1, 0.9], dtype), shape)
    >>> tf.nn.experimental.general_dropout(tf.ones([2]), 0.5, half).numpy()
    array([0., 2.], dtype=float32)
    """

def stateless_dropout(
    x: TensorLike,
    rate: TensorLike,
    seed: TensorLike,
    rng_alg: str | None = None,
    noise_shape: ShapeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``dropout`` in which ``seed``, two integers, alone decides which elements are dropped.

    >>> x = tf.ones([3, 4])
    >>> first, second = [tf.nn.experimental.stateless_dropout(x, 0.5, seed=[1, 2]) for _ in range(2)]
    >>> bool(tf.reduce_all(first == second))
    True
    """

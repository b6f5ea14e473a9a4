# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Callable as Callable
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any

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

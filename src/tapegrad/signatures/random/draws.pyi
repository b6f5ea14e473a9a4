# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.random.draws import Algorithm as Algorithm
from typing import Any as Any
from typing import SupportsIndex as SupportsIndex

def fold_in(seed: TensorLike, data: Any, alg: str | SupportsIndex = 'auto_select') -> Tensor:
    """A new seed made from ``seed`` and an integer, such as a step number.

    >>> import tapegrad as tf
    >>> tf.random.fold_in([1, 2], 3)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1105988140,          3], dtype=int32)>
    """

def normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from a normal distribution, differentiable in ``mean`` and ``stddev``.

    >>> import tapegrad as tf
    >>> tf.random.set_seed(5)
    >>> tf.random.normal([4], 3.0, 2.0, seed=1).shape
    TensorShape([4])

    Args:
        shape: the shape of the result, before ``mean`` and ``stddev`` are broadcast against it.
        mean, stddev: numbers or tensors of ``dtype``.
        dtype: a floating point dtype.
        seed: decides the numbers, together with ``tf.random.set_seed``'s. Each further draw differs.
        name: accepted and ignored.
    """

def shuffle(value: TensorLike, seed: TensorLike | None = None, name: str | None = None) -> Tensor:
    """``value`` with its rows, the slices along the first axis, in a random order.

    The op has no gradient, as in TensorFlow. ``stateless_shuffle`` and ``tf.gather`` have one.

    >>> import tapegrad as tf
    >>> tf.sort(tf.random.shuffle(tf.range(4)))
    <tf.Tensor: shape=(4,), dtype=int32, numpy=array([0, 1, 2, 3], dtype=int32)>
    """

def split(
    seed: TensorLike,
    num: TensorLike = 2,
    alg: str | SupportsIndex = 'auto_select',
) -> Tensor:
    """``num`` new seeds made from one, as the rows of a matrix.

    >>> import tapegrad as tf
    >>> a, b = tf.random.split([1, 2])
    >>> a
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1105988140, 1738052849], dtype=int32)>
    """

def stateless_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: str | SupportsIndex = 'auto_select',
) -> Tensor:
    """Numbers from a normal distribution, the same each time for the same ``seed`` of two integers.

    >>> import tapegrad as tf
    >>> tf.random.stateless_normal([2], seed=[1, 2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5441101 , 0.20738031], dtype=float32)>
    """

def stateless_shuffle(
    value: TensorLike,
    seed: TensorLike,
    alg: str | SupportsIndex = 'auto_select',
    name: str | None = None,
) -> Tensor:
    """``value`` with its rows in an order that depends on ``seed``, two integers, alone.

    Differs from TensorFlow: there is a gradient. TensorFlow's op has none and raises LookupError.

    >>> import tapegrad as tf
    >>> tf.random.experimental.stateless_shuffle([10, 20, 30], seed=[3, 4])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([20, 30, 10], dtype=int32)>
    """

def stateless_truncated_normal(
    shape: ShapeLike,
    seed: TensorLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: str | SupportsIndex = 'auto_select',
) -> Tensor:
    """``truncated_normal``, the same each time for the same ``seed`` of two integers."""

def stateless_uniform(
    shape: ShapeLike,
    seed: TensorLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
    alg: str | SupportsIndex = 'auto_select',
) -> Tensor:
    """Numbers from [minval, maxval), the same each time for the same ``seed`` of two integers.

    For integer dtypes both bounds may be None. The numbers then have the dtype's whole range.

    >>> import tapegrad as tf
    >>> tf.random.stateless_uniform([3], seed=[1, 2], maxval=5, dtype=tf.int32)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 4, 4], dtype=int32)>
    """

def truncated_normal(
    shape: ShapeLike,
    mean: TensorLike = 0.0,
    stddev: TensorLike = 1.0,
    dtype: DTypeLike = dtypes.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from a normal distribution, none further than two ``stddev`` from ``mean``.

    >>> import tapegrad as tf
    >>> x = tf.random.truncated_normal([1000], stddev=0.5)
    >>> bool(tf.reduce_max(tf.abs(x)) < 1.0)
    True
    """

def uniform(
    shape: ShapeLike,
    minval: TensorLike = 0,
    maxval: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    seed: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Numbers evenly spread over [minval, maxval). For floating point dtypes it is differentiable in both.

    >>> import tapegrad as tf
    >>> x = tf.random.uniform([1000], 10, 13, dtype=tf.int32)      # 10, 11 and 12
    >>> int(tf.reduce_min(x)), int(tf.reduce_max(x))
    (10, 12)

    Args:
        shape: the shape of the result.
        minval: the lower bound, which is included.
        maxval: the upper bound, which is not included. It is 1 for floats, and must be given for integers.
        dtype: float16, bfloat16, float32, float64, int32 or int64.
        seed: decides the numbers, together with ``tf.random.set_seed``'s. Each further draw differs.
        name: accepted and ignored.
    """

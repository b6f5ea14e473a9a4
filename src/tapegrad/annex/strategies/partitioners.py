"""`tf.distribute.experimental.partitioners`: into how many parts a variable is divided.

A partitioner is a function of a shape and a dtype. It gives a number of parts for each axis: 1 for all but
one.
"""

from __future__ import annotations

import math
from typing import Any

from tapegrad import dtypes
from tapegrad.framework.printed import Printed
from tapegrad.framework.shape import TensorShape

PUBLIC = {
    "distribute.experimental.partitioners": (
        "FixedShardsPartitioner MaxSizePartitioner MinSizePartitioner Partitioner"
    ),
}


class Partitioner(Printed):
    """The base of all partitioners."""

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """The number of parts along each axis, for a variable that may be divided along ``axis``."""
        raise NotImplementedError(f"{type(self).__name__} does not define __call__")


class FixedShardsPartitioner(Partitioner):
    """Divides into ``num_shards`` parts, or into single rows where there are fewer.

    >>> partitioner = tf.distribute.experimental.partitioners.FixedShardsPartitioner(2)
    >>> partitioner(tf.TensorShape([10, 3]), tf.float32)
    [2, 1]
    """

    def __init__(self, num_shards: int) -> None:
        self._num_shards = num_shards

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """The number of parts along each axis."""
        sizes = _sizes(shape, axis)
        return _along(axis, min(self._num_shards, sizes[axis]), sizes)


class MinSizePartitioner(Partitioner):
    """Divides into as many parts as there can be with at least ``min_shard_bytes`` each.

    >>> partitioner = tf.distribute.experimental.partitioners.MinSizePartitioner(4, max_shards=5)
    >>> partitioner(tf.TensorShape([6, 1]), tf.float32)
    [5, 1]

    Args:
        min_shard_bytes: the least size of a part.
        max_shards: the largest number of parts.
        bytes_per_string: what an element counts for, where elements are texts.
    """

    def __init__(
        self, min_shard_bytes: int = 256 << 10, max_shards: int = 1, bytes_per_string: int = 16
    ) -> None:
        _check_positive(
            min_shard_bytes=min_shard_bytes,
            max_shards=max_shards,
            bytes_per_string=bytes_per_string,
        )
        self._min_shard_bytes = min_shard_bytes
        self._max_shards = max_shards
        self._bytes_per_string = bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """The number of parts along each axis."""
        sizes = _sizes(shape, axis)
        total = _element_bytes(dtype, self._bytes_per_string) * math.prod(sizes)
        parts = max(1, math.ceil(total / self._min_shard_bytes))
        return _along(axis, min(sizes[axis], self._max_shards, parts), sizes)


class MaxSizePartitioner(Partitioner):
    """Divides into as few parts as there can be with at most ``max_shard_bytes`` each.

    >>> partitioner = tf.distribute.experimental.partitioners.MaxSizePartitioner(4)
    >>> partitioner(tf.TensorShape([6, 1]), tf.float32)
    [6, 1]

    Args:
        max_shard_bytes: the largest size of a part.
        max_shards: the largest number of parts; any if left out.
        bytes_per_string: what an element counts for, where elements are texts.
    """

    def __init__(
        self, max_shard_bytes: int, max_shards: int | None = None, bytes_per_string: int = 16
    ) -> None:
        _check_positive(max_shard_bytes=max_shard_bytes, bytes_per_string=bytes_per_string)
        if max_shards:
            _check_positive(max_shards=max_shards)
        self._max_shard_bytes = max_shard_bytes
        self._max_shards = max_shards
        self._bytes_per_string = bytes_per_string

    def __call__(self, shape: Any, dtype: Any, axis: int = 0) -> list[int]:
        """The number of parts along each axis."""
        sizes = _sizes(shape, axis)
        others = math.prod(size for k, size in enumerate(sizes) if k != axis)
        slice_bytes = _element_bytes(dtype, self._bytes_per_string) * others
        slices_per_part = max(1, self._max_shard_bytes // max(1, slice_bytes))
        parts = math.ceil(sizes[axis] / slices_per_part)
        if self._max_shards:
            parts = min(parts, self._max_shards)
        return _along(axis, parts, sizes)


def _check_positive(**numbers: int) -> None:
    for name, number in numbers.items():
        if number < 1:
            raise ValueError(f"Argument `{name}` must be positive. Received: {number}")


def _sizes(shape: Any, axis: int) -> list[int]:
    sizes: list[Any] = TensorShape(shape).as_list()
    if not 0 <= axis < len(sizes):
        raise ValueError(
            f"Cannot partition variable along axis {axis} when shape is only {tuple(sizes)}"
        )
    if None in sizes:
        raise TypeError(f"A partitioner needs a shape that is known; got {TensorShape(shape)}.")
    return sizes


def _element_bytes(dtype: Any, bytes_per_string: int) -> int:
    dtype = dtypes.as_dtype(dtype)
    return bytes_per_string if dtype == dtypes.string else dtype.size


def _along(axis: int, parts: int, sizes: list[int]) -> list[int]:
    return [parts if k == axis else 1 for k in range(len(sizes))]

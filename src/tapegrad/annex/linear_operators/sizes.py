"""The shape of an operator, said once: as far as it is known, and as a tensor.

An operator's ``_sizes(of)`` gives the shape of its batch, its rows and its columns. ``of`` is `Known` or
`Computed`, and says what shapes and sizes are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any

from tapegrad import dtypes
from tapegrad.annex.linear_operators import ops
from tapegrad.framework.shape import TensorShape


class Known:
    """Shapes are `TensorShape`s, and sizes ints, or None where they are unknown."""

    asked = "_shape"

    @staticmethod
    def shape(value: Any) -> Any:
        """The shape of a tensor or an operator."""
        return TensorShape(value.shape)

    @staticmethod
    def either(known: Any, size: Any) -> Any:
        """What is known of a size, or of a batch, that the constructor was given."""
        return known

    @staticmethod
    def broadcast(batches: Sequence[Any]) -> Any:
        """The shape that all these broadcast to."""
        return reduce(ops.broadcast_static_shape, map(TensorShape, batches))

    @staticmethod
    def product(sizes: Any) -> Any:
        """The product of sizes."""
        sizes = TensorShape(sizes)
        return math.prod(sizes) if sizes.is_fully_defined() else None

    @staticmethod
    def total(sizes: Sequence[Any]) -> Any:
        """The sum of sizes."""
        return None if None in sizes else sum(sizes)

    @staticmethod
    def joined(batch: Any, rows: Any, columns: Any) -> Any:
        """The whole shape."""
        return TensorShape(batch).concatenate([rows, columns])


class Computed:
    """Shapes and sizes are tensors."""

    asked = "_shape_tensor"

    @staticmethod
    def shape(value: Any) -> Any:
        """The shape of a tensor or an operator."""
        return value.shape_tensor() if hasattr(value, "shape_tensor") else ops.shape(value)

    @staticmethod
    def either(known: Any, size: Any) -> Any:
        """A size, or a batch, that the constructor was given; None for no batch."""
        return ops.cast([] if size is None else size, dtypes.int32)

    @staticmethod
    def broadcast(batches: Sequence[Any]) -> Any:
        """The shape that all these broadcast to."""
        return reduce(ops.broadcast_dynamic_shape, batches)

    @staticmethod
    def product(sizes: Any) -> Any:
        """The product of sizes."""
        return ops.reduce_prod(sizes)

    @staticmethod
    def total(sizes: Sequence[Any]) -> Any:
        """The sum of sizes."""
        return ops.add_n(sizes)

    @staticmethod
    def joined(batch: Any, rows: Any, columns: Any) -> Any:
        """The whole shape."""
        return ops.concat([batch, [rows, columns]], 0)


def square(shape: Any) -> tuple[Any, Any, Any]:
    """The sizes of square matrices that have as many rows as vectors of this shape have elements."""
    return shape[:-1], shape[-1], shape[-1]

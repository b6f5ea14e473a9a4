"""A kind of arrays for the tests: NumPy's, wrapped, so that nothing but the kind gets at the values."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from tapegrad import core, dtypes
from tapegrad.core import EagerTensor, Kind, Op


class Counted:
    """A wrapped array. It has no shape and no dtype, and NumPy can do nothing with it."""

    __slots__ = ("inside",)
    __array_ufunc__ = None

    def __init__(self, inside: np.ndarray[Any, Any]) -> None:
        self.inside = inside

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("somebody takes a wrapped array for one of NumPy's")


class CountedKind(Kind):
    """Runs each op on the arrays inside and wraps what it gives; counts what it is asked."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.types: Counter[str] = Counter()  # of the ops that were applied

    def apply(self, op: Op, arrays: list[Any], attributes: tuple[Any, ...]) -> Any:
        self.asked["apply"] += 1
        self.types[op.type] += 1
        plain = [array.inside if isinstance(array, Counted) else array for array in arrays]
        results = op.run(plain, attributes)
        if isinstance(results, list):
            return [Counted(result) for result in results]
        return Counted(results)

    def shape(self, array: Counted) -> tuple[int, ...]:
        self.asked["shape"] += 1
        return array.inside.shape

    def dtype(self, array: Counted) -> dtypes.DType:
        self.asked["dtype"] += 1
        return dtypes.from_numpy(array.inside.dtype)

    def full(self, shape: tuple[int, ...], dtype: dtypes.DType, value: Any) -> Counted:
        self.asked["full"] += 1
        return Counted(np.full(shape, value, dtype.numpy_dtype))

    def numpy(self, array: Counted) -> np.ndarray[Any, Any]:
        self.asked["numpy"] += 1
        return array.inside


KIND = CountedKind()
core.register_kind(Counted, KIND)


def counted(value: Any) -> EagerTensor:
    """A tensor that holds a wrapped array."""
    return EagerTensor(Counted(np.array(value)))

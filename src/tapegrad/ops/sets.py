"""``tf.sets``: the last axis of a tensor as sets, combined row by row. Nothing here is differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, Tensor, convert
from tapegrad.ops.gather import flat_places
from tapegrad.ops.sparse import check_order, made
from tapegrad.ops.sparse_tensor import SparseTensor, shape_of

PUBLIC = {
    "sets compat.v1.sets": "difference intersection size=set_size union",
}


TYPES = (
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.string,
)
Rows = dict[int, set[Any]]


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What is in the row of both ``a`` and ``b``, for each row, in order.

    >>> both = tf.sets.intersection(tf.constant([[1, 2, 2]]), tf.constant([[2, 3, 1]]))
    >>> both.values.numpy().tolist()
    [1, 2]

    Args:
        a, b: tensors or sparse tensors of integers or text, with the same shape but for the last axis.
        validate_indices: whether to check that those of sparse tensors are in order.
    """
    return combined(set.__and__, a, b, validate_indices)


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What is in the row of ``a`` or ``b``, for each row, in order.

    >>> tf.sets.union(tf.constant([[1, 2, 2]]), tf.constant([[2, 3, 1]])).values.numpy().tolist()
    [1, 2, 3]

    Args:
        a, b: tensors or sparse tensors of integers or text, with the same shape but for the last axis.
        validate_indices: whether to check that those of sparse tensors are in order.
    """
    return combined(set.__or__, a, b, validate_indices)


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """What is in the row of ``a`` and not of ``b``, for each row, in order.

    >>> tf.sets.difference(tf.constant([[1, 2, 4]]), tf.constant([[2, 3, 1]])).values.numpy().tolist()
    [4]

    Args:
        a, b: tensors or sparse tensors of integers or text, with the same shape but for the last axis.
        aminusb: False for what is in ``b`` and not in ``a``.
        validate_indices: whether to check that those of sparse tensors are in order.
    """
    first, second = (a, b) if aminusb else (b, a)
    return combined(set.__sub__, first, second, validate_indices)


def set_size(a: Any, validate_indices: bool = True) -> Tensor:
    """How many different elements each row of a sparse tensor has.

    >>> tf.sets.size(tf.SparseTensor([[0, 0], [0, 1]], [7, 7], [2, 2])).numpy().tolist()
    [1, 0]
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"sets.size() takes a SparseTensor, not {type(a).__name__}.")
    check_type(a)
    leading, rows = rows_of(a, validate_indices)
    counts = np.zeros(leading, np.int32)
    for row, elements in rows.items():
        counts.reshape(-1)[row] = len(elements)
    return EagerTensor(counts)


def combined(
    choose: Callable[[set[Any], set[Any]], set[Any]], a: Any, b: Any, validate_indices: bool
) -> SparseTensor:
    a, b = (value if isinstance(value, SparseTensor) else convert(value) for value in (a, b))
    check_type(a)
    if a.dtype is not b.dtype:
        raise TypeError(f"Sets of one type are combined, not of {a.dtype.name} and {b.dtype.name}.")
    leading, first = rows_of(a, validate_indices)
    other, second = rows_of(b, validate_indices)
    if leading != other:
        raise errors.InvalidArgumentError(
            None,
            None,
            "Sets are combined row by row, so all sizes but the last must agree; they are "
            f"{list(leading)} and {list(other)}.",
        )
    nothing: set[Any] = set()
    found = [
        (row, sorted(choose(first.get(row, nothing), second.get(row, nothing))))
        for row in sorted(first.keys() | second.keys())
    ]
    counts = [len(elements) for _, elements in found]
    values = np.empty(sum(counts), a.dtype.numpy_dtype)
    values[:] = [element for _, elements in found for element in elements]
    rows = np.repeat(np.array([row for row, _ in found], np.int64), counts)
    columns = [column for count in counts for column in range(count)]
    places = np.stack([*np.unravel_index(rows, leading), np.array(columns, np.int64)], axis=1)
    return made(places, EagerTensor(values), (*leading, max(counts, default=0)))


def check_type(a: Any) -> None:
    if a.dtype not in TYPES:
        raise TypeError(
            f"Sets are of {', '.join(each.name for each in TYPES)}, not of {a.dtype.name}."
        )


def rows_of(value: Any, validate_indices: bool) -> tuple[tuple[int, ...], Rows]:
    """The shape without the last axis, and the set of each row that has elements, by the row's number."""
    shape = shape_of(value) if isinstance(value, SparseTensor) else value._shape_tuple()
    if len(shape) < 2:
        raise errors.InvalidArgumentError(
            None, None, f"Sets stand in the rows of a matrix at least; the shape is {list(shape)}."
        )
    leading = shape[:-1]
    rows: Rows = {}
    if not isinstance(value, SparseTensor):
        if value._array.size:
            table = value._array.reshape((-1, shape[-1]))
            rows = {row: set(elements) for row, elements in enumerate(table.tolist())}
        return leading, rows
    places = flat_places(value.indices._array, shape, False)[0]
    if validate_indices:
        check_order(value.indices._array, places)
    for row, element in zip(
        (places // max(shape[-1], 1)).tolist(), value.values._array.tolist(), strict=True
    ):
        rows.setdefault(row, set()).add(element)
    return leading, rows

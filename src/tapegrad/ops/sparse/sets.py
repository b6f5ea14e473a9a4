"""``tf.sets``: the last axis of a tensor as sets, combined row by row. Nothing here is differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public
from tapegrad.errors import refuse
from tapegrad.ops.args import static_bool
from tapegrad.ops.indexing.gather import flat_places
from tapegrad.ops.op import op
from tapegrad.ops.shape_rules import Abstract
from tapegrad.ops.sparse.functions import check_order, parts_of
from tapegrad.ops.sparse.sparse_tensor import SparseTensor

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


@public
def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """For each row, the elements that are in both ``a`` and ``b``, in order.

    >>> both = tf.sets.intersection(tf.constant([[1, 2, 2]]), tf.constant([[2, 3, 1]]))
    >>> both.values.numpy().tolist()
    [1, 2]

    Args:
        a, b: tensors or sparse tensors of integers or text, with the same shape but for the last axis.
        validate_indices: whether to check that the indices of sparse tensors are in order.
    """
    return combined("intersection", a, b, validate_indices)


@public
def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """For each row, the elements that are in ``a`` or ``b``, in order.

    >>> tf.sets.union(tf.constant([[1, 2, 2]]), tf.constant([[2, 3, 1]])).values.numpy().tolist()
    [1, 2, 3]

    Args:
        a, b: tensors or sparse tensors of integers or text, with the same shape but for the last axis.
        validate_indices: whether to check that the indices of sparse tensors are in order.
    """
    return combined("union", a, b, validate_indices)


@public
def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """For each row, the elements that are in ``a`` and not in ``b``, in order.

    >>> tf.sets.difference(tf.constant([[1, 2, 4]]), tf.constant([[2, 3, 1]])).values.numpy().tolist()
    [4]

    Args:
        a, b: tensors or sparse tensors of integers or text, with the same shape but for the last axis.
        aminusb: False for the elements that are in ``b`` and not in ``a``.
        validate_indices: whether to check that the indices of sparse tensors are in order.
    """
    return combined("a-b" if aminusb else "b-a", a, b, validate_indices)


@public
def set_size(a: Any, validate_indices: bool = True) -> Tensor:
    """The number of different elements in each row of a sparse tensor.

    >>> tf.sets.size(tf.SparseTensor([[0, 0], [0, 1]], [7, 7], [2, 2])).numpy().tolist()
    [1, 0]

    Args:
        a: a sparse tensor, whose last axis has the sets.
        validate_indices: whether to check that indices are in order and within the shape.
    """
    if not isinstance(a, SparseTensor):
        raise TypeError(f"sets.size() takes a SparseTensor, not {type(a).__name__}.")
    check_type(a)
    return sizes_of_sets(*parts_of(a), validate_indices)


def combined(operation: str, a: Any, b: Any, validate_indices: bool) -> SparseTensor:
    a, b = (value if isinstance(value, SparseTensor) else convert(value) for value in (a, b))
    check_type(a)
    if a.dtype is not b.dtype:
        raise TypeError(f"Sets of one type are combined, not of {a.dtype.name} and {b.dtype.name}.")
    if isinstance(a, SparseTensor) and isinstance(b, SparseTensor):
        parts = sparse_with_sparse(*parts_of(a), *parts_of(b), operation, validate_indices)
    elif isinstance(b, SparseTensor):
        parts = dense_with_sparse(a, *parts_of(b), operation, validate_indices)
    elif isinstance(a, SparseTensor):
        swapped = SWAPPED.get(operation, operation)
        parts = dense_with_sparse(b, *parts_of(a), swapped, validate_indices)
    else:
        parts = dense_with_dense(a, b, operation, validate_indices)
    return SparseTensor(*parts)


def check_type(a: Any) -> None:
    if a.dtype not in TYPES:
        raise TypeError(
            f"Sets are of {', '.join(dtype.name for dtype in TYPES)}, not of {a.dtype.name}."
        )


# On arrays

Leading = tuple[int, ...]

CHOICES: dict[str, Callable[[set[Any], set[Any]], set[Any]]] = {
    "a-b": set.__sub__,
    "b-a": lambda a, b: b - a,
    "intersection": set.__and__,
    "union": set.__or__,
}
SWAPPED = {"a-b": "b-a", "b-a": "a-b"}


def set_operation_of(value: Any) -> str:
    name = value.decode() if isinstance(value, bytes) else value
    if name not in CHOICES:
        refuse(f"set_operation must be one of {', '.join(CHOICES)}, not {name!r}.")
    return str(name)


def leading_sizes(shape: tuple[int, ...]) -> Leading:
    """The shape of the axes that count the sets: all but the last one."""
    if len(shape) < 2:
        refuse(f"Sets stand in the rows of a matrix at least; the shape is {list(shape)}.")
    return shape[:-1]


def dense_rows(array: Any) -> tuple[Leading, Rows]:
    """The shape without the last axis, and the set of each row that has elements, by the row's number."""
    leading = leading_sizes(array.shape)
    if not array.size:
        return leading, {}
    table = array.reshape((-1, array.shape[-1]))
    return leading, {row: set(elements) for row, elements in enumerate(table.tolist())}


def sparse_rows(indices: Any, values: Any, shape: Any, validate: bool) -> tuple[Leading, Rows]:
    """`dense_rows` of a sparse tensor."""
    sizes = tuple(shape.tolist())
    if indices.shape != (len(values), len(sizes)):
        refuse(
            f"{len(values)} elements of a set of shape {list(sizes)} have indices of shape "
            f"{[len(values), len(sizes)]}, not {list(indices.shape)}."
        )
    leading = leading_sizes(sizes)
    places = flat_places(indices, sizes, False)[0]
    if validate:
        check_order(indices, places)
    rows: Rows = {}
    for row, element in zip((places // max(sizes[-1], 1)).tolist(), values.tolist(), strict=True):
        rows.setdefault(row, set()).add(element)
    return leading, rows


def combine_rows(
    operation: str, dtype: Any, a: tuple[Leading, Rows], b: tuple[Leading, Rows]
) -> tuple[Any, Any, Any]:
    """The result of ``operation`` on each pair of sets, as the three parts of a sparse tensor."""
    (leading, first), (other, second) = a, b
    if leading != other:
        refuse(
            "Sets are combined row by row, so all sizes but the last must agree; "
            f"they are {list(leading)} and {list(other)}."
        )
    choose, nothing = CHOICES[operation], set[Any]()
    results = [
        (row, sorted(choose(first.get(row, nothing), second.get(row, nothing))))
        for row in sorted(first.keys() | second.keys())
    ]
    counts = [len(elements) for _, elements in results]
    values = np.empty(sum(counts), dtype)
    values[:] = [element for _, elements in results for element in elements]
    rows = np.repeat(np.array([row for row, _ in results], np.int64), counts)
    columns = [column for count in counts for column in range(count)]
    places = np.stack([*np.unravel_index(rows, leading), np.array(columns, np.int64)], axis=1)
    shape = (*leading, max(counts, default=0))
    return places, values, np.array(shape, np.int64)


# The ops

INT64 = frozenset({dtypes.int64})
SETS = frozenset(TYPES)
RESULTS = ("result_indices", "result_values", "result_shape")
CONVERSIONS = {"set_operation": set_operation_of, "validate_indices": static_bool}


def set_shapes(set1):
    """The shape rule of operations on the sets in the rows of a dense tensor."""
    return [
        Abstract([None, set1.ndim], dtypes.int64),
        Abstract([None], set1.dtype),
        Abstract([set1.ndim], dtypes.int64),
    ]


@op("DenseToDenseSetOperation", dtypes=SETS, convert=CONVERSIONS, outputs=RESULTS)
def dense_with_dense(xp, set1, set2, *, set_operation, validate_indices=True):
    return combine_rows(set_operation, set1.dtype, dense_rows(set1), dense_rows(set2))


dense_with_dense.shape(set_shapes)


@op(
    "DenseToSparseSetOperation",
    dtypes={"T": SETS, "set2_indices": INT64, "set2_shape": INT64},
    convert=CONVERSIONS,
    outputs=RESULTS,
)
def dense_with_sparse(
    xp, set1, set2_indices, set2_values, set2_shape, *, set_operation, validate_indices=True
):
    second = sparse_rows(set2_indices, set2_values, set2_shape, validate_indices)
    return combine_rows(set_operation, set1.dtype, dense_rows(set1), second)


dense_with_sparse.shape(set_shapes)


@op(
    "SparseToSparseSetOperation",
    dtypes={
        "T": SETS,
        "set1_indices": INT64,
        "set1_shape": INT64,
        "set2_indices": INT64,
        "set2_shape": INT64,
    },
    convert=CONVERSIONS,
    outputs=RESULTS,
)
def sparse_with_sparse(
    xp,
    set1_indices,
    set1_values,
    set1_shape,
    set2_indices,
    set2_values,
    set2_shape,
    *,
    set_operation,
    validate_indices=True,
):
    first = sparse_rows(set1_indices, set1_values, set1_shape, validate_indices)
    second = sparse_rows(set2_indices, set2_values, set2_shape, validate_indices)
    return combine_rows(set_operation, set1_values.dtype, first, second)


@sparse_with_sparse.shape
def sparse_set_shapes(set1_values, set1_shape):
    rank = int(set1_shape.size)
    return [
        Abstract([None, rank], dtypes.int64),
        Abstract([None], set1_values.dtype),
        Abstract([rank], dtypes.int64),
    ]


@op(
    "SetSize",
    dtypes={"set_indices": INT64, "set_values": SETS, "set_shape": INT64},
    convert={"validate_indices": static_bool},
)
def sizes_of_sets(xp, set_indices, set_values, set_shape, *, validate_indices=True):
    leading, rows = sparse_rows(set_indices, set_values, set_shape, validate_indices)
    counts = xp.zeros(leading, np.int32)
    for row, elements in rows.items():
        counts.reshape(-1)[row] = len(elements)
    return counts


sizes_of_sets.shape(lambda set_shape: Abstract([None] * (int(set_shape.size) - 1), dtypes.int32))


for operation in (dense_with_dense, dense_with_sparse, sparse_with_sparse, sizes_of_sets):
    operation.no_gradient()

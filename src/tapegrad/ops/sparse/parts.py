"""Ops on sparse tensors in three parts (indices, values and shape), in the form of TensorFlow's ops.

The functions of ``tf.sparse`` call these ops. Indices and shapes are integers, so only values are
differentiated. *Places* are indices into the flattened dense tensor.
"""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

import numpy as np

from tapegrad import dtypes, extras
from tapegrad.core import convert, static_value
from tapegrad.core.sizes import is_whole
from tapegrad.errors import refuse
from tapegrad.ops.args import (
    check_size,
    normalize_axes,
    static_array,
    static_axis,
    static_bool,
)
from tapegrad.ops.elementwise.complex import conj
from tapegrad.ops.elementwise.math import multiply, subtract
from tapegrad.ops.indexing.gather import flat_places, gather_nd_op
from tapegrad.ops.indexing.segment import sum_by_segment, take_segments, unsorted_segment_sum
from tapegrad.ops.op import ANY, INDEX, NUMERIC, REAL_FLOATING, op
from tapegrad.ops.reduce.reduce import reduce_sum
from tapegrad.ops.shape.array import cannot_reshape, conjugate_transpose_op, fill_in_size, reshape
from tapegrad.ops.shape.joining import concat_op
from tapegrad.ops.shape_rules import Abstract, each_like, like, reduced_shape

INT64 = frozenset({dtypes.int64})

SparseReorder = namedtuple("SparseReorder", ["output_indices", "output_values"])
SparseReshape = namedtuple("SparseReshape", ["output_indices", "output_shape"])
SparseSlice = namedtuple("SparseSlice", ["output_indices", "output_values", "output_shape"])
SparseAdd = namedtuple("SparseAdd", ["sum_indices", "sum_values", "sum_shape"])
SparseAddGrad = namedtuple("SparseAddGrad", ["a_val_grad", "b_val_grad"])
SparseFillEmptyRows = namedtuple(
    "SparseFillEmptyRows",
    ["output_indices", "output_values", "empty_row_indicator", "reverse_index_map"],
)
SparseFillEmptyRowsGrad = namedtuple("SparseFillEmptyRowsGrad", ["d_values", "d_default_value"])


def sizes_of(shape: Any) -> tuple[int, ...]:
    """The shape of the dense tensor, or an error if there can be no such shape."""
    sizes = tuple(shape.tolist()) if shape.ndim == 1 else (-1,)
    if any(size < 0 for size in sizes) or math.prod(sizes) >= 2**63:
        refuse(f"A sparse tensor cannot have the shape {shape.tolist()}.")
    return sizes


def places_in(indices: Any, count: int, shape: Any) -> tuple[Any, tuple[int, ...]]:
    """The places of the ``count`` elements, and the dense shape; or an error if these do not fit."""
    sizes = sizes_of(shape)
    if indices.shape != (count, len(sizes)):
        refuse(
            f"A sparse tensor of {count} values and shape {list(sizes)} needs indices of shape "
            f"{[count, len(sizes)]}, not {list(indices.shape)}."
        )
    return flat_places(indices, sizes, False)[0], sizes


def count_of(values: Any) -> int:
    if values.ndim != 1:
        refuse(f"The values of a sparse tensor are a vector, not of shape {list(values.shape)}.")
    return int(values.shape[0])


def coordinates(places: Any, sizes: tuple[int, ...]) -> Any:
    """A row of indices for each place."""
    if not sizes or not len(places):  # a dense tensor without elements has no places at all
        return np.zeros((len(places), len(sizes)), np.int64)
    return np.stack(np.unravel_index(places, sizes), axis=1)


def vector(value: Any) -> Any:
    """A vector of integers, for a start, a size or a shape."""
    array = static_array(value)
    holds_sizes = array.dtype.kind == "O" and all(map(is_whole, array.flat))
    if array.ndim != 1 or not (array.dtype.kind in "iu" or holds_sizes):
        refuse(
            f"A vector of integers was expected, not {array.dtype} of shape {list(array.shape)}."
        )
    return array.astype(np.int64)


def numbers_at(places: Any, count: int) -> Any:
    """For each of ``count`` elements, its index in ``places``, or -1. No place occurs twice."""
    numbers = np.full(count, -1, np.int64)
    numbers[places] = np.arange(len(places))
    return numbers


# Order and blocks


def sorted_order(indices: Any, shape: Any) -> Any:
    return np.argsort(places_in(indices, len(indices), shape)[0], kind="stable")


@op(
    "SparseReorder",
    dtypes={"input_indices": INT64, "input_values": ANY, "input_shape": INT64},
    outputs=SparseReorder._fields,
    result=SparseReorder,
    linear="input_values",
    values="errors",
)
def reorder_parts(xp, input_indices, input_values, input_shape):
    places_in(input_indices, count_of(input_values), input_shape)
    order = sorted_order(input_indices, input_shape)
    return input_indices[order], input_values[order]


reorder_parts.shape(each_like("input_indices", "input_values"))


@op("_PlacesAfterSorting", dtypes=INT64, values="errors")
def places_after_sorting(xp, indices, shape):
    return numbers_at(sorted_order(indices, shape), len(indices))


places_after_sorting.shape(lambda indices: Abstract(indices.shape[:1], dtypes.int64))
places_after_sorting.no_gradient()
reorder_parts.gradient(
    input_values=lambda dy, input_indices, input_shape: take_segments(
        dy[1], places_after_sorting(input_indices, input_shape)
    )
)


@op(
    "SparseReshape",
    dtypes=INT64,
    convert={"new_shape": vector},
    outputs=SparseReshape._fields,
    result=SparseReshape,
    values="errors",
)
def reshape_places(xp, input_indices, input_shape, *, new_shape):
    places, sizes = places_in(input_indices, len(input_indices), input_shape)
    new = tuple(new_shape.tolist())
    if any(size < 0 for size in new):
        new = fill_in_size(sizes, new)
    if math.prod(sizes) != math.prod(new):
        raise cannot_reshape(sizes, new)
    return coordinates(places, new), xp.array(new, xp.int64)


reshape_places.shape(
    lambda input_indices, new_shape: [
        Abstract((input_indices.shape[0], new_shape.size), dtypes.int64),
        Abstract([new_shape.size], dtypes.int64),
    ]
)
reshape_places.no_gradient()


def block(indices: Any, shape: Any, start: Any, size: Any) -> tuple[Any, Any]:
    """Which elements of a sparse tensor are in a block, and the lengths of the block."""
    if start.shape != shape.shape or size.shape != shape.shape or min(*start, *size, 0) < 0:
        refuse(
            f"slice() of a sparse tensor of shape {shape.tolist()} needs a start and a size of at least 0 "
            f"for each axis, not {start.tolist()} and {size.tolist()}."
        )
    lengths = np.clip(shape - start, 0, size)
    inside = (indices >= start) & (indices - start < lengths)
    return np.flatnonzero(inside.all(axis=1)), lengths


@op(
    "SparseSlice",
    dtypes={"indices": INT64, "values": ANY, "shape": INT64},
    convert={"start": vector, "size": vector},
    outputs=SparseSlice._fields,
    result=SparseSlice,
    linear="values",
)
def slice_parts(xp, indices, values, shape, *, start, size):
    places_in(indices, count_of(values), shape)
    chosen, lengths = block(indices, shape, start, size)
    return indices[chosen] - start, values[chosen], lengths


slice_parts.shape(
    lambda indices, values, shape: [
        (None, indices.shape[1]),
        Abstract((None, *values.shape[1:]), values.dtype),
        shape.shape,
    ]
)


@op("_PlacesInBlock", dtypes=INT64, values="elements")
def places_in_block(xp, indices, shape, *, start, size):
    """For each element its number in the block, or -1 if it lies outside."""
    return numbers_at(block(indices, shape, start, size)[0], len(indices))


places_in_block.shape(lambda indices: Abstract(indices.shape[:1], dtypes.int64))
places_in_block.no_gradient()
slice_parts.gradient(
    values=lambda dy, indices, shape, start, size: take_segments(
        dy[1], places_in_block(indices, shape, start, size)
    )
)


# Sums


def row_numbers(rows: Any, among: Any) -> Any:
    """The number in ``among`` of each row of indices, or -1 if it is not there."""
    if rows.ndim != 2 or among.ndim != 2 or rows.shape[1] != among.shape[1]:
        refuse(
            f"Indices are matrices with a column for each axis; their shapes are {list(rows.shape)} and "
            f"{list(among.shape)}."
        )
    if not rows.shape[1]:
        return np.full(len(rows), 0 if len(among) else -1)
    distinct, labels = np.unique(np.concatenate([among, rows]), axis=0, return_inverse=True)
    labels = labels.reshape(-1)
    numbers = np.full(len(distinct), -1)
    numbers[labels[: len(among)]] = np.arange(len(among))
    return numbers[labels[len(among) :]]


@op("_NumbersOfRows", dtypes=INT64)
def numbers_of_rows(xp, rows, among):
    return row_numbers(rows, among)


numbers_of_rows.no_gradient()


@op(
    "SparseAddGrad",
    dtypes={
        "backprop_val_grad": NUMERIC,
        "a_indices": INT64,
        "b_indices": INT64,
        "sum_indices": INT64,
    },
    outputs=SparseAddGrad._fields,
    result=SparseAddGrad,
    linear="backprop_val_grad",
    values="elements",
)
def add_parts_gradient(xp, backprop_val_grad, a_indices, b_indices, sum_indices):
    if backprop_val_grad.shape != sum_indices.shape[:1]:
        refuse(
            f"A gradient for each of the {len(sum_indices)} sums was expected, not of shape "
            f"{list(backprop_val_grad.shape)}."
        )
    gradients = []
    for indices in (a_indices, b_indices):
        numbers = row_numbers(indices, sum_indices)
        values = xp.zeros(len(numbers), backprop_val_grad.dtype)
        values[numbers >= 0] = backprop_val_grad[numbers[numbers >= 0]]
        gradients.append(values)
    return tuple(gradients)


add_parts_gradient.shape(
    lambda backprop_val_grad, a_indices, b_indices: [a_indices.shape[:1], b_indices.shape[:1]]
)


def gradient_of_sums(dy, a_indices, b_indices, sum_indices):
    # A negative number means that the sum left out the element.
    numbers = [numbers_of_rows(indices, sum_indices) for indices in (a_indices, b_indices)]
    return unsorted_segment_sum(
        concat_op(list(dy), 0), concat_op(numbers, 0), sum_indices._shape_tuple()[0]
    )


add_parts_gradient.gradient(backprop_val_grad=gradient_of_sums)


def threshold(value: Any) -> Any:
    """The size below which a sum is left out."""
    least = static_value(convert(value), "threshold")
    if least.ndim or least.dtype.kind in "cbO":
        refuse(f"thresh must be a real scalar, not {least.dtype} of shape {list(least.shape)}.")
    return least


@op(
    "SparseAdd",
    dtypes={
        "T": NUMERIC,
        "a_indices": INT64,
        "a_shape": INT64,
        "b_indices": INT64,
        "b_shape": INT64,
    },
    convert={"thresh": threshold},
    outputs=SparseAdd._fields,
    result=SparseAdd,
)
def add_parts(xp, a_indices, a_values, a_shape, b_indices, b_values, b_shape, *, thresh):
    first, sizes = places_in(a_indices, count_of(a_values), a_shape)
    second, other = places_in(b_indices, count_of(b_values), b_shape)
    if sizes != other:
        refuse(f"sparse.add() needs one shape; {list(sizes)} and {list(other)} came.")
    places, numbers = np.unique(np.concatenate([first, second]), return_inverse=True)
    total = sum_by_segment(
        xp, np.concatenate([a_values, b_values]), numbers.reshape(-1), len(places)
    )
    # As in TensorFlow, a sum is left out only where both tensors have an element.
    both = np.isin(places, first) & np.isin(places, second)
    kept = ~(both & (np.abs(total) < thresh))
    return coordinates(places[kept], sizes), total[kept], a_shape


add_parts.shape(
    lambda a_indices, a_values, a_shape: [
        (None, a_indices.shape[1]),
        Abstract([None], a_values.dtype),
        a_shape,
    ]
)


def each_by_sum(dy, a_indices, b_indices, out):
    a, b = add_parts_gradient(dy[1], a_indices, b_indices, out[0])
    return None, a, None, None, b, None


add_parts.gradient(each_by_sum)


@op(
    "SparseTensorDenseAdd",
    dtypes={"T": NUMERIC, "a_indices": INDEX, "a_shape": INDEX},
    linear="a_values b",
    values="errors",
)
def add_dense(xp, a_indices, a_values, a_shape, b):
    places, sizes = places_in(a_indices, count_of(a_values), a_shape)
    if b.shape != sizes:
        refuse(f"sparse.add() needs one shape; {list(sizes)} and {list(b.shape)} came.")
    result = b.copy(order="C")
    np.add.at(result.reshape(-1), places, a_values)
    return result


add_dense.shape(like("b"))
add_dense.gradient(
    a_values=lambda dy, a_indices: gather_nd_op(dy, a_indices),
    b=lambda dy: dy,
)


# Products


def adjoint_of(matrix: Any) -> Any:
    return conjugate_transpose_op(matrix, (1, 0))


@op(
    "SparseTensorDenseMatMul",
    dtypes={"T": NUMERIC, "a_indices": INDEX, "a_shape": INT64},
    convert={"adjoint_a": static_bool, "adjoint_b": static_bool},
    holomorphic=False,
    accumulate="float32",
    linear=("a_values", "b"),
    values="shapes",
)
def multiply_dense(xp, a_indices, a_values, a_shape, b, *, adjoint_a=False, adjoint_b=False):
    csr_array = extras.imported(
        "scipy", "scipy.sparse", "tf.sparse.sparse_dense_matmul()"
    ).csr_array
    _, sizes = places_in(a_indices, count_of(a_values), a_shape)
    if len(sizes) != 2 or b.ndim != 2:
        refuse(
            f"sparse_dense_matmul() multiplies matrices, not shapes {list(sizes)} and {list(b.shape)}."
        )
    rows, columns = a_indices.T
    values, dense = a_values, b
    if adjoint_a:
        rows, columns, sizes, values = columns, rows, sizes[::-1], values.conj()
    if adjoint_b:
        dense = dense.T.conj()
    if sizes[1] != dense.shape[0]:
        refuse(
            f"Cannot multiply a sparse matrix of shape {list(sizes)} by one of {list(dense.shape)}: the "
            "inner sizes differ. Is an adjoint missing?"
        )
    check_size((sizes[0], dense.shape[1]))
    # Only rows with elements are computed. They may be few among very many.
    kept, numbers = np.unique(rows, return_inverse=True)
    result = xp.zeros((sizes[0], dense.shape[1]), b.dtype)
    if len(kept):
        matrix = csr_array((values, (numbers.reshape(-1), columns)), (len(kept), sizes[1]))
        result[kept] = matrix @ dense
    return result


multiply_dense.shape(lambda b, adjoint_b: Abstract([None, b.shape[0 if adjoint_b else 1]], b.dtype))


def multiplied(dy, a_indices, a_values, a_shape, b, needs, adjoint_a, adjoint_b):
    # For C = A B: dA = dC B' at the indices of A, and dB = A' dC.
    by_values = by_dense = None
    if needs[1]:
        rows, columns = a_indices[:, 0], a_indices[:, 1]
        whole = adjoint_of(b) if adjoint_b else b
        left, right = (whole, dy) if adjoint_a else (dy, whole)
        terms = multiply(take_segments(left, rows), conj(take_segments(right, columns)))
        by_values = reduce_sum(terms, 1)
    if needs[3]:
        by_dense = multiply_dense(a_indices, a_values, a_shape, dy, not adjoint_a)
        by_dense = adjoint_of(by_dense) if adjoint_b else by_dense
    return None, by_values, None, by_dense


multiply_dense.gradient(multiplied)


# Along axes


def axes_left(rank: int, axis: Any) -> list[int]:
    """The axes that remain when those in ``axis`` are reduced. None reduces all of them."""
    if axis is None:
        return []
    gone = normalize_axes((axis,) if isinstance(axis, int) else axis, rank)
    return [place for place in range(rank) if place not in gone]


def shapes_left(
    sizes: tuple[int, ...], axis: Any, keepdims: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape that remains when the axes are reduced: first without those axes, then as users get it."""
    kept = axes_left(len(sizes), axis)
    inner = tuple([sizes[place] for place in kept])
    whole = tuple([size if place in kept else 1 for place, size in enumerate(sizes)])
    return inner, whole if keepdims else inner


def segments_along(indices: Any, shape: Any, axis: Any) -> Any:
    """The segment of each element, if elements are summed along the axes."""
    _, sizes = places_in(indices, len(indices), shape)
    kept = axes_left(len(sizes), axis)
    return flat_places(indices[:, kept], tuple([sizes[place] for place in kept]), False)[0]


@op("_SegmentsAlong", dtypes=INT64, values="errors")
def element_segments(xp, indices, shape, *, axis):
    return segments_along(indices, shape, axis)


element_segments.shape(lambda indices: Abstract(indices.shape[:1], dtypes.int64))
element_segments.no_gradient()


@op(
    "SparseReduceSum",
    dtypes={"input_indices": INT64, "input_values": NUMERIC, "input_shape": INT64},
    convert={"axis": static_axis, "keepdims": static_bool},
    raw=("input_indices", "input_values", "input_shape", "reduction_axes", "keep_dims"),
    linear="input_values",
)
def sum_parts(xp, input_indices, input_values, input_shape, *, axis=None, keepdims=False):
    places_in(input_indices, count_of(input_values), input_shape)
    segments = segments_along(input_indices, input_shape, axis)
    inner, whole = shapes_left(sizes_of(input_shape), axis, keepdims)
    total = sum_by_segment(xp, input_values, segments, math.prod(check_size(inner)))
    return total.reshape(whole)


@sum_parts.shape
def sum_of_parts_shape(input_values, input_shape, axis, keepdims):
    sizes = [None] * int(input_shape.size)
    return Abstract(reduced_shape(tuple(sizes), axis, keepdims), input_values.dtype)


sum_parts.gradient(
    input_values=lambda dy, input_indices, input_shape, axis: take_segments(
        reshape(dy, (-1,)), element_segments(input_indices, input_shape, axis)
    )
)


@op(
    "SparseSoftmax",
    dtypes={"sp_indices": INT64, "sp_values": REAL_FLOATING, "sp_shape": INT64},
    accumulate="float32",
    values="errors",
)
def softmax_values(xp, sp_indices, sp_values, sp_shape):
    rows, row_places = rows_of(sp_indices, count_of(sp_values), sp_shape)
    count = len(row_places)
    largest = xp.full(count, -xp.inf, sp_values.dtype)
    xp.maximum.at(largest, rows, sp_values)
    powers = xp.exp(sp_values - largest[rows])
    total = sum_by_segment(xp, powers, rows, count)
    return powers / total[rows]


softmax_values.shape(like("sp_values"))


def rows_of(indices: Any, values: int, shape: Any) -> tuple[Any, Any]:
    """The row of each element, among the rows that have elements; and the places of those rows."""
    places, sizes = places_in(indices, values, shape)
    if len(sizes) < 2:
        refuse(f"sparse.softmax() needs a rank of at least 2; the shape is {list(sizes)}.")
    numbers, rows = np.unique(places // max(sizes[-1], 1), return_inverse=True)
    return rows.reshape(-1), numbers


@op("_RowsOfElements", dtypes=INT64, outputs=("rows", "found"))
def rows_of_elements(xp, indices, shape):
    return rows_of(indices, len(indices), shape)


rows_of_elements.shape(
    lambda indices: [
        Abstract(indices.shape[:1], dtypes.int64),
        Abstract([None], dtypes.int64),
    ]
)
rows_of_elements.no_gradient()


def by_logits(dy, sp_indices, sp_shape, out):
    rows, row_places = rows_of_elements(sp_indices, sp_shape)
    product = multiply(dy, out)
    total = take_segments(unsorted_segment_sum(product, rows, row_places._shape_tuple()[0]), rows)
    return subtract(product, multiply(total, out))


softmax_values.gradient(sp_values=by_logits)


# Empty rows


@op(
    "SparseFillEmptyRows",
    dtypes={"T": ANY, "indices": INT64, "dense_shape": INT64},
    outputs=SparseFillEmptyRows._fields,
    result=SparseFillEmptyRows,
    linear="values default_value",
)
def fill_empty_parts(xp, indices, values, dense_shape, default_value):
    _, sizes = places_in(indices, count_of(values), dense_shape)
    if default_value.ndim:
        refuse(f"default_value must be a scalar, not of shape {list(default_value.shape)}.")
    if not sizes:
        refuse("A sparse scalar has no rows to fill.")
    (length,) = check_size(sizes[:1])
    empty = xp.ones(length, bool)
    empty[indices[:, 0]] = False
    new = xp.zeros((int(empty.sum()), len(sizes)), xp.int64)
    new[:, 0] = xp.flatnonzero(empty)
    places = xp.concatenate([indices, new])
    # The rows of the result are in order. Within a row the elements keep their order.
    order = xp.argsort(places[:, 0], kind="stable")
    filled = xp.concatenate([values, xp.full(len(new), default_value[()], values.dtype)])
    back = xp.empty_like(order)
    back[order] = xp.arange(len(order))
    return places[order], filled[order], empty, back[: len(values)]


fill_empty_parts.shape(
    lambda indices, values: [
        (None, indices.shape[1]),
        Abstract([None], values.dtype),
        Abstract([None], dtypes.bool),
        Abstract(values.shape, dtypes.int64),
    ]
)


def given_by_filled(dy, out, needs):
    values, default = fill_empty_gradient(out[3], dy[1])
    return None, values, None, default


fill_empty_parts.gradient(given_by_filled)


@op(
    "SparseFillEmptyRowsGrad",
    dtypes={"reverse_index_map": INT64, "grad_values": NUMERIC},
    outputs=SparseFillEmptyRowsGrad._fields,
    result=SparseFillEmptyRowsGrad,
    linear="grad_values",
    values="errors",
)
def fill_empty_gradient(xp, reverse_index_map, grad_values):
    back, count = reverse_index_map, count_of(grad_values)
    if back.ndim != 1 or (len(back) and not 0 <= back.min() <= back.max() < count):
        refuse(f"reverse_index_map must be a vector of numbers from 0 to {count - 1}.")
    default = xp.ones(count, bool)
    default[back] = False
    return grad_values[back], xp.add.reduce(grad_values[default], dtype=grad_values.dtype)


fill_empty_gradient.shape(
    lambda reverse_index_map, grad_values: [
        Abstract(reverse_index_map.shape, grad_values.dtype),
        Abstract((), grad_values.dtype),
    ]
)


def filled_by_gradient(dy, reverse_index_map, grad_values_shape):
    count = grad_values_shape[0]
    return unsorted_segment_sum(dy[0], reverse_index_map, count) + take_segments(
        reshape(dy[1], (1,)), zero_where_absent(reverse_index_map, count)
    )


@op("_ZeroWhereAbsent", dtypes=INT64, values="elements")
def zero_where_absent(xp, numbers, *, count):
    """For each number below ``count``, -1 if it is among ``numbers``, and 0 otherwise."""
    return xp.where(xp.isin(xp.arange(count), numbers), -1, 0)


zero_where_absent.shape(lambda count: Abstract([count], dtypes.int64))
zero_where_absent.no_gradient()


fill_empty_gradient.gradient(grad_values=filled_by_gradient)

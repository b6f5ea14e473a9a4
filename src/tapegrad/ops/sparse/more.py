"""More of ``tf.sparse``: the larger and the smaller of two, softmax over rows, and counting into bins."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Op, Tensor, convert, static_value
from tapegrad.errors import refuse
from tapegrad.ops.args import check_size, static_bool, static_int
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.math import add, floordiv, maximum, minimum, multiply
from tapegrad.ops.indexing.gather import flat_places, gather_nd
from tapegrad.ops.indexing.segment import take_segments, unsorted_segment_sum
from tapegrad.ops.linalg.products import matrix_transpose
from tapegrad.ops.op import ANY, INDEX, REAL, op
from tapegrad.ops.reduce.reduce import reduce_sum
from tapegrad.ops.shape.array import broadcast_to, reshape
from tapegrad.ops.shape.creation import range as number_range
from tapegrad.ops.sparse.functions import check_order, check_sparse, parts_of, same_places
from tapegrad.ops.sparse.parts import coordinates, softmax_values
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, shape_of

PUBLIC = {
    ". compat.v1": "edit_distance",
    "sparse compat.v1.sparse": (
        "bincount maximum=sparse_maximum minimum=sparse_minimum softmax=sparse_softmax"
    ),
    "sparse": "sampled_addmm",
}


COUNTED = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


def sparse_maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger of two sparse tensors at each index. If only one has an element, the other counts as 0.

    >>> a, b = tf.SparseTensor([[0]], [7.0], [3]), tf.SparseTensor([[1]], [-5.0], [3])
    >>> tf.sparse.maximum(a, b).values.numpy().tolist()
    [7.0, 0.0]

    Differs from TensorFlow: gradients flow to the values (TensorFlow's raise TypeError), and the result is
    sorted even if the inputs are not.
    """
    return larger_or_smaller("sparse.maximum", maximum, sp_a, sp_b)


def sparse_minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors at each index. If only one has an element, the other counts as 0.

    >>> a, b = tf.SparseTensor([[0]], [7.0], [3]), tf.SparseTensor([[1]], [-5.0], [3])
    >>> tf.sparse.minimum(a, b).values.numpy().tolist()
    [0.0, -5.0]

    Differs from TensorFlow: gradients flow to the values (TensorFlow's raise TypeError), and the result is
    sorted even if the inputs are not.
    """
    return larger_or_smaller("sparse.minimum", minimum, sp_a, sp_b)


def larger_or_smaller(what: str, choice: Op, sp_a: Any, sp_b: Any) -> SparseTensor:
    a, b = check_sparse(sp_a, "sp_a"), check_sparse(sp_b, "sp_b")
    if a.dtype is not b.dtype or a.dtype not in REAL:
        refuse(
            f"{what}() takes two sparse tensors of one real type, "
            f"not {a.dtype.name} and {b.dtype.name}."
        )
    shape = shape_of(a)
    if shape != shape_of(b):
        refuse(f"{what}() needs one shape; {list(shape)} and {list(shape_of(b))} came.")
    indices, first, second = common_places(a.indices, b.indices, shape)
    count = indices._shape_tuple()[0]
    values = [
        unsorted_segment_sum(sparse.values, numbers, count)
        for sparse, numbers in ((a, first), (b, second))
    ]
    return SparseTensor(indices, choice(*values), a.dense_shape)


@op("_CommonPlaces", dtypes={dtypes.int64}, outputs=("indices", "first", "second"))
def common_places(xp, a_indices, b_indices, *, shape):
    """The indices of two sparse tensors together, in order; and the number there of each element of both."""
    first, second = (flat_places(each, shape, False)[0] for each in (a_indices, b_indices))
    distinct = xp.union1d(first, second)
    numbers = [xp.searchsorted(distinct, places) for places in (first, second)]
    return coordinates(distinct, shape), *numbers


common_places.no_gradient()


def sparse_softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The softmax over each row of the last axis, among the elements that are present.

    >>> st = tf.SparseTensor([[0, 1], [0, 5], [2, 0]], [1.0, 1.0, 3.0], [3, 9])
    >>> tf.sparse.softmax(st).values.numpy().tolist()
    [0.5, 0.5, 1.0]

    Differs from TensorFlow: it takes bfloat16 too, the elements may come in any order, and its gradient can
    be differentiated.
    """
    sparse = check_sparse(sp_input)
    return sparse.with_values(softmax_values(*parts_of(sparse)))


def bincount(
    values: Any,
    weights: Any = None,
    axis: Any = 0,
    minlength: Any = None,
    maxlength: Any = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each integer occurs in ``values``, as a sparse tensor of the integers that do.

    >>> counts = tf.sparse.bincount([[7, 7], [2, 0]], axis=-1)
    >>> counts.indices.numpy().tolist(), counts.values.numpy().tolist()
    ([[0, 7], [1, 0], [1, 2]], [2, 1, 1])

    Args:
        values: a vector or matrix of int32 or int64, or a sparse tensor of them.
        weights: the weight of each element, in place of 1. It decides the dtype of the result.
        axis: 0 or None to count all elements, -1 to count in each row.
        minlength, maxlength: bounds for the last size of the result. Larger integers are not counted.
        binary_output: whether to return only if an integer occurs.

    Differs from TensorFlow: gradients flow to ``weights``.
    """
    if axis not in (None, 0, -1):
        raise ValueError(
            f"Unsupported value for argument axis={axis}. Only 0 and -1 are supported."
        )
    if binary_output and weights is not None:
        raise ValueError("Give either binary_output=True or weights: they exclude each other.")
    if isinstance(values, SparseTensor):
        numbers, rows, leading = values.values, values.indices[:, 0], shape_of(values)[:1]
        by_row = len(shape_of(values)) > 1
        weights = None if weights is None else matching_values(values, weights)
    else:
        numbers = convert(values)
        leading, by_row = numbers._shape_tuple()[:1], numbers.ndim == 2
        if axis == -1 and numbers.ndim not in (1, 2):
            refuse(
                f"values must be a vector or a matrix, not of shape {list(numbers._shape_tuple())}."
            )
        if weights is not None:
            weights = convert(weights)
            if weights._shape_tuple() != numbers._shape_tuple():
                refuse(
                    f"weights must be of the shape of values, {list(numbers._shape_tuple())}, "
                    f"not {list(weights._shape_tuple())}."
                )
            weights = reshape(weights, (-1,))
        size, width = math.prod(numbers._shape_tuple()), math.prod(numbers._shape_tuple()[1:])
        rows = floordiv(number_range(size, dtype=dtypes.int64), max(width, 1))
    for what, tensor, allowed in (("values", numbers, INDEX), ("weights", weights, COUNTED)):
        if tensor is not None and tensor.dtype not in allowed:
            refuse(
                f"{what} must be {', '.join(sorted(each.name for each in allowed))}, "
                f"not {tensor.dtype.name}."
            )
    bounds = [None if bound is None else static_int(bound) for bound in (minlength, maxlength)]
    indices, bins, kept, shape = count_places(
        numbers, rows, *bounds, leading if axis == -1 and by_row else None
    )
    count = indices._shape_tuple()[0]
    if weights is not None:
        counts = unsorted_segment_sum(take_segments(weights, kept), bins, count)
    else:
        one = constant(1, numbers.dtype)
        counts = unsorted_segment_sum(broadcast_to(one, bins._shape_tuple()), bins, count)
        counts = minimum(counts, one) if binary_output else counts
    return SparseTensor(indices, counts, shape)


@op(
    "_CountPlaces",
    dtypes={"numbers": INDEX, "rows": {dtypes.int64}},
    outputs=("indices", "bins", "kept", "shape"),
)
def count_places(xp, numbers, rows, *, minlength, maxlength, leading):
    """The indices of the counts of ``numbers``, the count to which each number belongs, which numbers are
    counted, and the shape of the result: a row of bins for each of ``leading``, or a single row for None."""
    flat = numbers.reshape(-1)
    size = bin_count(flat, minlength, maxlength)
    kept = xp.flatnonzero(flat < size)
    keys = flat[kept].astype(np.int64)
    shape: tuple[int, ...] = (size,)
    if leading is not None:
        shape = check_size((*leading, size))
        keys = keys + rows[kept] * size
    distinct, bins = xp.unique(keys, return_inverse=True)
    return coordinates(distinct, shape), bins.reshape(-1), kept, xp.array(shape, np.int64)


count_places.no_gradient()


def sampled_addmm(
    indices: Any,
    values: Any,
    dense_shape: Any,
    mat1: Any,
    mat2: Any,
    beta: Any = 1.0,
    alpha: Any = 1.0,
    output_type: Any = dtypes.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """Indices, values and shape of ``beta * sparse + alpha * mat1 @ mat2``, where ``sparse`` has elements.

    >>> _, values, _ = tf.sparse.sampled_addmm(
    ...     [[0, 1]], [5.0], [2, 2], [[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> values.numpy().tolist()
    [7.0]

    Only those elements of the product are computed. The axes before the last two of the matrices, and as many
    first axes of ``indices`` and ``values``, are a batch.

    Args:
        indices: a row and a column for each element.
        values: the elements.
        dense_shape: the number of rows and of columns, as int32.
        mat1, mat2: the matrices to multiply.
        beta, alpha: the factors of the two terms.
        output_type: the dtype of all tensors.
    """
    dtype = dtypes.as_dtype(output_type)
    places, shape = convert(indices), convert(dense_shape, dtypes.int32)
    elements, left, right = (convert(value, dtype) for value in (values, mat1, mat2))
    rank = left.ndim
    if rank < 2 or right.ndim != rank:
        refuse(
            "sampled_addmm() multiplies matrices of one rank, "
            f"not of shapes {left.shape} and {right.shape}."
        )
    sizes = (left._shape_tuple()[-2], right._shape_tuple()[-1])
    whole = static_value(shape, "shape").tolist()
    if tuple(whole[-2:]) != sizes:
        raise ValueError(f"The dense_shape {whole} does not match the product's, {list(sizes)}.")
    rows = gather_nd(left, places[..., :1], rank - 2)
    columns = gather_nd(matrix_transpose(right), places[..., 1:], rank - 2)
    products = reduce_sum(multiply(rows, columns), -1)
    factor, scale = convert(beta, dtype), convert(alpha, dtype)
    return places, add(multiply(factor, elements), multiply(scale, products)), shape


def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str | None = "edit_distance"
) -> Tensor:
    """The number of edits that turn each row of ``hypothesis`` into that of ``truth``.

    >>> said = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    >>> meant = tf.SparseTensor([[0, 0], [0, 1], [0, 2]], ["a", "c", "d"], [1, 3])
    >>> tf.edit_distance(said, meant, normalize=False).numpy().tolist()
    [2.0]

    An edit inserts an element, deletes one or replaces one.

    Args:
        hypothesis, truth: sparse tensors of one dtype and rank, in order. Rows lie along the last axis.
        normalize: whether to divide by the length of the true row. If that row is empty, the result is
            infinite, or 0 if the other row is empty too.
    """
    a, b = check_sparse(hypothesis, "hypothesis"), check_sparse(truth, "truth")
    if a.dtype is not b.dtype:
        raise TypeError(
            "edit_distance() compares elements of one dtype, "
            f"not of {a.dtype.name} and {b.dtype.name}."
        )
    if len(shape_of(a)) != len(shape_of(b)) or len(shape_of(a)) < 2:
        refuse(
            "edit_distance() takes two sparse tensors of one rank, at least 2; "
            f"their shapes are {list(shape_of(a))} and {list(shape_of(b))}."
        )
    return edit_distance_op(*parts_of(a), *parts_of(b), normalize)


@op(
    "EditDistance",
    dtypes={
        "T": ANY,
        "hypothesis_indices": {dtypes.int64},
        "hypothesis_shape": {dtypes.int64},
        "truth_indices": {dtypes.int64},
        "truth_shape": {dtypes.int64},
    },
    convert={"normalize": static_bool},
)
def edit_distance_op(
    xp,
    hypothesis_indices,
    hypothesis_values,
    hypothesis_shape,
    truth_indices,
    truth_values,
    truth_shape,
    *,
    normalize=True,
):
    leading = tuple(xp.maximum(hypothesis_shape, truth_shape)[:-1].tolist())
    distances = xp.zeros(check_size(leading), np.float32)
    first = rows_by_place(hypothesis_indices, hypothesis_values, hypothesis_shape)
    second = rows_by_place(truth_indices, truth_values, truth_shape)
    for place in first.keys() | second.keys():
        found, wanted = first.get(place, []), second.get(place, [])
        distance = float(levenshtein(found, wanted))
        if normalize:
            distance = distance / len(wanted) if wanted else np.inf
        distances[place] = distance
    return distances


edit_distance_op.no_gradient()


def rows_by_place(indices: Any, values: Any, shape: Any) -> dict[tuple[int, ...], list[Any]]:
    """The elements of each row that has any."""
    check_order(indices, flat_places(indices, tuple(shape.tolist()), False)[0])
    rows: dict[tuple[int, ...], list[Any]] = {}
    for place, element in zip(indices[:, :-1].tolist(), values.tolist(), strict=True):
        rows.setdefault(tuple(place), []).append(element)
    return rows


def levenshtein(found: list[Any], wanted: list[Any]) -> int:
    """The fewest insertions, deletions and replacements that turn one list into the other."""
    before = list(range(len(wanted) + 1))
    for row, mine in enumerate(found, 1):
        after = [row]
        for column, other in enumerate(wanted):
            replaced = before[column] + (mine != other)
            after.append(min(replaced, before[column + 1] + 1, after[column] + 1))
        before = after
    return before[-1]


def invalid(message: str) -> errors.InvalidArgumentError:
    return errors.InvalidArgumentError(None, None, f"sparse.bincount(): {message}")


def matching_values(values: SparseTensor, weights: Any) -> Tensor:
    """The values of sparse weights, whose indices must be those of the values that are counted."""
    if not isinstance(weights, SparseTensor):
        raise ValueError(
            "sparse.bincount(): weights must be a SparseTensor if values is one, "
            f"not {type(weights).__name__}."
        )
    if not same_places(values, weights):
        refuse("weights and values must have the same indices.")
    return weights.values


def bin_count(numbers: Any, minlength: int | None, maxlength: int | None) -> int:
    """The number of bins: enough for the numbers, within the bounds."""
    if numbers.size and int(numbers.min()) < 0:
        refuse("the integers to count must not be negative.")
    size = int(numbers.max()) + 1 if numbers.size else 1
    for length, what, nearer in ((minlength, "minlength", max), (maxlength, "maxlength", min)):
        if length is not None:
            if length < 0:
                refuse(f"{what} = {length} must not be negative.")
            size = nearer(size, length)
    return size

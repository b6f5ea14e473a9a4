"""Arithmetic on sparse tensors: sums, products, extremes and softmax.

Like those in `functions`, each is a few gathers and sums over ``values``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

from tapegrad import dtypes
from tapegrad.core import Op, Tensor, convert, public, static_value
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import (
    check_size,
    static_axis,
)
from tapegrad.ops.elementwise.logic import greater_equal
from tapegrad.ops.elementwise.math import add, maximum, minimum, multiply
from tapegrad.ops.indexing.gather import flat_places, gather_nd, tensor_scatter_nd_max
from tapegrad.ops.indexing.segment import neutral, take_segments, unsorted_segment_sum
from tapegrad.ops.linalg.products import matrix_transpose
from tapegrad.ops.op import REAL, op
from tapegrad.ops.reduce.reduce import reduce_sum
from tapegrad.ops.shape.array import expand_dims, reshape
from tapegrad.ops.shape.creation import fill
from tapegrad.ops.shape_rules import Abstract
from tapegrad.ops.sparse.functions import check_sparse, elements_where, parts_of, same_places
from tapegrad.ops.sparse.parts import (
    add_dense,
    add_parts,
    adjoint_of,
    coordinates,
    element_segments,
    multiply_dense,
    shapes_left,
    softmax_values,
    sum_parts,
)
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, as_sparse, shape_of

if TYPE_CHECKING:
    from tapegrad.framework.types import Axis, TensorLike

PUBLIC = {
    "sparse": (
        "add=sparse_add map_values reduce_max=sparse_reduce_max reduce_sum=sparse_reduce_sum "
        "sampled_addmm"
    ),
    "sparse compat.v1.sparse": (
        "maximum=sparse_maximum minimum=sparse_minimum softmax=sparse_softmax sparse_dense_matmul"
    ),
}


@public
def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """``op`` of the values of the sparse tensors among the arguments, which must have the same indices.

    >>> tf.sparse.map_values(tf.square, tf.SparseTensor([[1]], [5], [3])).values.numpy().tolist()
    [25]

    Args:
        op: a function of tensors.
        args, kwargs: its arguments. It gets the values of those that are sparse.
    """
    sparse_tensors: list[SparseTensor] = []

    def value_of(argument: Any) -> Any:
        if isinstance(argument, SparseTensor):
            sparse_tensors.append(argument)
            return argument.values
        return argument

    result = op(
        *[value_of(argument) for argument in args],
        **{key: value_of(value) for key, value in kwargs.items()},
    )
    if not sparse_tensors:
        raise ValueError("map_values() needs at least one SparseTensor among its arguments.")
    for other in sparse_tensors[1:]:
        if not same_places(sparse_tensors[0], other):
            refuse("map_values() needs sparse tensors with the same indices.")
    return sparse_tensors[0].with_values(result)


@overload
def sparse_add(a: SparseTensor, b: SparseTensor, threshold: TensorLike = 0) -> SparseTensor: ...
@overload
def sparse_add(a: SparseTensor, b: TensorLike, threshold: TensorLike = 0) -> Tensor: ...
@overload
def sparse_add(a: TensorLike, b: SparseTensor, threshold: TensorLike = 0) -> Tensor: ...
@composition
def sparse_add(a: Any, b: Any, threshold: Any = 0) -> Any:
    """``a + b``: sparse if both are (and without sums smaller than ``threshold``), else dense.

    >>> st = tf.SparseTensor([[1]], [5], [3])
    >>> tf.sparse.add(st, st).values.numpy().tolist(), tf.sparse.add(st, [1, 1, 1]).numpy().tolist()
    ([10], [1, 6, 1])

    Args:
        a, b: tensors of one shape and dtype, at least one of which is sparse.
        threshold: sums of two sparse tensors that are smaller are left out.
    """
    a, b = as_sparse(a), as_sparse(b)
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("sparse.add() needs at least one SparseTensor.")
    if not isinstance(a, SparseTensor) or not isinstance(b, SparseTensor):
        sparse, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
        dense = dense if isinstance(dense, Tensor) else convert(dense, sparse.dtype)
        return add_dense(*parts_of(sparse), dense)
    return SparseTensor(*add_parts(*parts_of(a), *parts_of(b), threshold))


@composition
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The matrix product of a sparse and a dense matrix, in either order.

    >>> st = tf.SparseTensor([[0, 1]], [2.0], [2, 2])
    >>> tf.sparse.sparse_dense_matmul(st, [[1.0], [3.0]]).numpy().tolist()
    [[6.0], [0.0]]

    Args:
        sp_a, b: matrices of one dtype, one of them sparse.
        adjoint_a, adjoint_b: whether to multiply by the conjugate transpose.
    """
    b = as_sparse(b)
    if isinstance(b, SparseTensor):
        # a b = (b' a')'
        product = sparse_dense_matmul(b, sp_a, adjoint_a=not adjoint_b, adjoint_b=not adjoint_a)
        return adjoint_of(product)
    sparse = check_sparse(sp_a, "sp_a")
    dense = b if isinstance(b, Tensor) else convert(b, sparse.dtype)
    return multiply_dense(*parts_of(sparse), dense, adjoint_a, adjoint_b)


@overload
def sparse_reduce_sum(
    sp_input: SparseTensor,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    output_is_sparse: Literal[False] = False,
    name: str | None = None,
) -> Tensor: ...
@overload
def sparse_reduce_sum(
    sp_input: SparseTensor,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    *,
    output_is_sparse: Literal[True],
    name: str | None = None,
) -> SparseTensor: ...
@composition
def sparse_reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Sums over the axes in ``axis``, or over all, dense unless ``output_is_sparse``.

    >>> tf.sparse.reduce_sum(tf.SparseTensor([[0, 1], [1, 1]], [5, 6], [2, 2]), axis=0).numpy().tolist()
    [0, 11]

    Args:
        sp_input: a sparse tensor.
        axis: an axis or several; None for all.
        keepdims: whether to keep these axes, with size 1.
        output_is_sparse: whether the result is a sparse tensor.
    """
    sparse = check_sparse(sp_input)
    result = sum_parts(*parts_of(sparse), axis, bool(keepdims))
    if not output_is_sparse:
        return result
    _, present, whole = groups_of(sparse, axis, keepdims)
    return elements_where(reshape(greater_equal(present, 0), whole), result)


@overload
def sparse_reduce_max(
    sp_input: SparseTensor,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    output_is_sparse: Literal[False] = False,
    name: str | None = None,
) -> Tensor: ...
@overload
def sparse_reduce_max(
    sp_input: SparseTensor,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    *,
    output_is_sparse: Literal[True],
    name: str | None = None,
) -> SparseTensor: ...
@composition
def sparse_reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: Any = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """The largest of the elements present over the axes in ``axis``, or over all; 0 where there are none.

    >>> tf.sparse.reduce_max(tf.SparseTensor([[0, 1], [1, 1]], [5, 6], [2, 2]), axis=0).numpy().tolist()
    [0, 6]

    Args:
        sp_input: a sparse tensor.
        axis: an axis or several; None for all.
        keepdims: whether to keep these axes, with size 1.
        output_is_sparse: whether the result is a sparse tensor.
    """
    sparse = check_sparse(sp_input)
    segments, present, whole = groups_of(sparse, axis, keepdims)
    # From the least value, and not as unsorted_segment_max() from the least finite one: -inf stays.
    least = convert(neutral("maximum", sparse.dtype.numpy_dtype), sparse.dtype)
    base = fill([math.prod(whole)], least)
    largest = tensor_scatter_nd_max(base, expand_dims(segments, 1), sparse.values)
    # Where there is no element, the result is zero.
    result = reshape(take_segments(largest, present), whole)
    if not output_is_sparse:
        return result
    return elements_where(reshape(greater_equal(present, 0), whole), result)


def groups_of(sparse: SparseTensor, axis: Any, keepdims: Any) -> tuple[Any, Any, tuple[int, ...]]:
    """What a reduction over the axes needs: the number of each element's group, the numbers of all groups,
    with -1 for those without elements, and the shape of the result."""
    axes = static_axis(axis)
    inner, whole = shapes_left(shape_of(sparse), axes, bool(keepdims))
    segments = element_segments(sparse.indices, sparse.dense_shape, axes)
    return segments, own_number_if_present(segments, math.prod(check_size(inner))), whole


@op("_OwnNumberIfPresent", dtypes={dtypes.int64}, values="elements")
def own_number_if_present(xp, numbers, *, count):
    """Each number below ``count`` if it is among ``numbers``, and -1 in place of the others."""
    return xp.where(xp.isin(xp.arange(count), numbers), xp.arange(count), -1)


own_number_if_present.shape(lambda count: Abstract([count], dtypes.int64))
own_number_if_present.no_gradient()


# Two sparse tensors, softmax, and products where a sparse tensor has elements


@composition
def sparse_maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The larger of two sparse tensors at each index. If only one has an element, the other counts as 0.

    >>> a, b = tf.SparseTensor([[0]], [7.0], [3]), tf.SparseTensor([[1]], [-5.0], [3])
    >>> tf.sparse.maximum(a, b).values.numpy().tolist()
    [7.0, 0.0]

    Differs from TensorFlow: gradients flow to the values (TensorFlow's raise TypeError), and the result is
    sorted even if the inputs are not.

    Args:
        sp_a, sp_b: sparse tensors of one shape and dtype.
    """
    return larger_or_smaller("sparse.maximum", maximum, sp_a, sp_b)


@composition
def sparse_minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors at each index. If only one has an element, the other counts as 0.

    >>> a, b = tf.SparseTensor([[0]], [7.0], [3]), tf.SparseTensor([[1]], [-5.0], [3])
    >>> tf.sparse.minimum(a, b).values.numpy().tolist()
    [0.0, -5.0]

    Differs from TensorFlow: gradients flow to the values (TensorFlow's raise TypeError), and the result is
    sorted even if the inputs are not.

    Args:
        sp_a, sp_b: sparse tensors of one shape and dtype.
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
    first, second = (flat_places(indices, shape, False)[0] for indices in (a_indices, b_indices))
    distinct = xp.union1d(first, second)
    numbers = [xp.searchsorted(distinct, places) for places in (first, second)]
    return coordinates(distinct, shape), *numbers


common_places.shape(
    lambda a_indices, b_indices, shape: [
        Abstract([None, len(shape)], dtypes.int64),
        Abstract(a_indices.shape[:1], dtypes.int64),
        Abstract(b_indices.shape[:1], dtypes.int64),
    ]
)
common_places.no_gradient()


@composition
def sparse_softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The softmax over each row of the last axis, among the elements that are present.

    >>> st = tf.SparseTensor([[0, 1], [0, 5], [2, 0]], [1.0, 1.0, 3.0], [3, 9])
    >>> tf.sparse.softmax(st).values.numpy().tolist()
    [0.5, 0.5, 1.0]

    Differs from TensorFlow: it takes bfloat16 too, the elements may come in any order, and its gradient can
    be differentiated.

    Args:
        sp_input: a sparse tensor of floating point numbers, with two axes at least.
    """
    sparse = check_sparse(sp_input)
    return sparse.with_values(softmax_values(*parts_of(sparse)))


@composition
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
    whole = static_value(shape, "sizes").tolist()
    if tuple(whole[-2:]) != sizes:
        raise ValueError(f"The dense_shape {whole} does not match the product's, {list(sizes)}.")
    rows = gather_nd(left, places[..., :1], rank - 2)
    columns = gather_nd(matrix_transpose(right), places[..., 1:], rank - 2)
    products = reduce_sum(multiply(rows, columns), -1)
    factor, scale = convert(beta, dtype), convert(alpha, dtype)
    return places, add(multiply(factor, elements), multiply(scale, products)), shape

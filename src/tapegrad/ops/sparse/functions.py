"""Functions of ``tf.sparse`` on `SparseTensor`s. `bincount` is in `counts`, arithmetic in `arithmetic`.

The indices of elements are plain integers, so only the values are differentiated. Each function here is a few
gathers and sums over ``values``, and uses the rules of those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, convert, static_value
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.ops.args import (
    check_size,
    normalize_axis,
    static_array,
    static_bool,
    static_int,
)
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.elementwise.logic import not_equal
from tapegrad.ops.elementwise.math import add
from tapegrad.ops.gradients import ones, zeros
from tapegrad.ops.indexing.gather import flat_places, gather_nd_op, gather_op
from tapegrad.ops.indexing.masks import numbers_of_true
from tapegrad.ops.op import ANY, INDEX, op
from tapegrad.ops.reduce.reduce import reduce_max, reduce_sum
from tapegrad.ops.shape.array import broadcast_to, reshape
from tapegrad.ops.shape.joining import concat_op
from tapegrad.ops.shape.sequences import range as number_range
from tapegrad.ops.shape_rules import Abstract, shaped
from tapegrad.ops.sparse.parts import (
    fill_empty_parts,
    reorder_parts,
    reshape_places,
    slice_parts,
)
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, as_sparse, shape_of

if TYPE_CHECKING:
    pass

PUBLIC = {
    "sparse": "concat=sparse_concat split=sparse_split",
    "sparse compat.v1.sparse": (
        "expand_dims=sparse_expand_dims eye fill_empty_rows from_dense mask reorder "
        "reset_shape reshape=sparse_reshape retain slice=sparse_slice to_dense to_indicator "
        "transpose=sparse_transpose"
    ),
}


def same_places(first: SparseTensor, second: SparseTensor) -> bool:
    """Whether two sparse tensors have the same indices, in the same order."""
    if first.indices is second.indices:
        return True
    a, b = (static_value(sparse.indices, "same places") for sparse in (first, second))
    return a.shape == b.shape and bool((a == b).all())


def check_sparse(value: Any, what: str = "sp_input") -> SparseTensor:
    """``value``, which may be what a session gave, as a sparse tensor."""
    value = as_sparse(value)
    if not isinstance(value, SparseTensor):
        raise TypeError(f"{what} must be a SparseTensor, not {type(value).__name__}.")
    return value


def parts_of(sparse: SparseTensor) -> tuple[EagerTensor, EagerTensor, EagerTensor]:
    """The three parts in which ops take a sparse tensor."""
    return sparse.indices, sparse.values, sparse.dense_shape


def new_sparse(places: Tensor, values: Any, shape: tuple[int, ...]) -> SparseTensor:
    return SparseTensor(places, values, constant(shape, dtypes.int64))


# Dense and back


def check_order(indices: Any, places: Any) -> None:
    """Raise unless the indices are sorted, and each occurs once."""
    steps = np.diff(places)
    if (steps <= 0).any():
        row = int(np.argmax(steps <= 0)) + 1
        fault = (
            "repeated" if steps[row - 1] == 0 else "out of order: tf.sparse.reorder() sorts them"
        )
        refuse(f"indices[{row}] = {indices[row].tolist()} is {fault}.")


@op(
    "SparseToDense",
    dtypes={"T": ANY, "indices": INDEX, "shape": INDEX},
    convert={"validate_indices": static_bool},
    raw=("sparse_indices", "output_shape", "sparse_values", "default_value", "validate_indices"),
    linear="values default_value",
)
def fill_in_values(xp, indices, shape, values, default_value, *, validate_indices=True):
    if default_value.ndim:
        refuse(f"default_value must be a scalar, not of shape {list(default_value.shape)}.")
    sizes = tuple(shape.reshape(-1).tolist())
    result = xp.full(check_size(sizes), default_value[()], dtype=values.dtype)
    rows = indices.reshape((-1, 1)) if indices.ndim < 2 else indices
    if rows.ndim != 2 or rows.shape[1] != len(sizes):
        refuse(
            f"sparse_indices of shape {list(indices.shape)} do not point into a result of shape "
            f"{list(sizes)}: they need a column for each of its axes."
        )
    if values.shape not in ((), (len(rows),)):
        refuse(
            "sparse_values must be a scalar or have a number for each index; "
            f"their shape is {list(values.shape)}, and there are {len(rows)} indices."
        )
    places = flat_places(rows, sizes, False)[0]
    if validate_indices:
        check_order(rows, places)
    result.reshape(-1)[places] = values
    return result


@fill_in_values.shape
def filled_shape(shape, values):
    if shape.value is None:
        return Abstract([None] * int(shape.size), values.dtype)
    return Abstract(shape.value.reshape(-1).tolist(), values.dtype)


def value_gradient(dy, indices, values_shape):
    gathered = gather_nd_op(dy, index_rows(indices))
    return gathered if values_shape else reduce_sum(gathered)


def default_gradient(dy, indices):
    """The gradient that arrived anywhere but at the elements of the sparse tensor."""
    return reduce_sum(dy) - reduce_sum(gather_nd_op(dy, index_rows(indices)))


def index_rows(indices):
    """Indices as a matrix. Indices into a vector may come without their second axis."""
    return indices if indices.ndim >= 2 else reshape(indices, (-1, 1))


fill_in_values.gradient(values=value_gradient, default_value=default_gradient)


@composition
def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """The dense tensor, with ``default_value`` (0, or an empty string) where the sparse one has no element.

    >>> st = tf.SparseTensor([[1]], [5], [3])
    >>> tf.sparse.to_dense(st, default_value=-1).numpy().tolist()
    [-1, 5, -1]

    Args:
        sp_input: a sparse tensor.
        default_value: the value of all other elements; None is 0, False or an empty string.
        validate_indices: whether indices out of order, twice or out of range are an error.
    """
    sparse = check_sparse(sp_input)
    default: Tensor
    if default_value is None:
        default = constant(b"" if sparse.dtype is dtypes.string else 0, sparse.dtype)
    elif isinstance(default_value, Tensor):
        default = default_value
    else:
        default = convert(default_value, sparse.dtype)
    return fill_in_values(
        sparse.indices, sparse.dense_shape, sparse.values, default, validate_indices
    )


@composition
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements of ``tensor`` that are not zero (or not empty strings).

    >>> tf.sparse.from_dense([[0, 7], [8, 0]]).indices.numpy().tolist()
    [[0, 1], [1, 0]]

    Args:
        tensor: a tensor.
    """
    dense = convert(tensor)
    return elements_where(not_equal(dense, b"") if dense.dtype is dtypes.string else dense, dense)


def elements_where(chosen: Tensor, dense: Tensor) -> SparseTensor:
    """The elements of ``dense`` where ``chosen``, of the same shape, is not zero."""
    elements = dense if dense.ndim else reshape(dense, (1,))
    places = where(chosen if dense.ndim else reshape(chosen, (1,)))
    return new_sparse(places[:, : dense.ndim], gather_nd_op(elements, places), dense._shape_tuple())


# The same values at other indices


@composition
def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same sparse tensor with its elements in the order of their indices.

    >>> tf.sparse.reorder(tf.SparseTensor([[1], [0]], [5, 6], [2])).values.numpy().tolist()
    [6, 5]

    Args:
        sp_input: a sparse tensor.
    """
    sparse = check_sparse(sp_input)
    indices, values = reorder_parts(sparse.indices, sparse.values, sparse.dense_shape)
    return SparseTensor(indices, values, sparse.dense_shape)


@composition
def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The elements for which ``to_retain`` is true.

    >>> tf.sparse.retain(tf.SparseTensor([[0], [1]], [5, 6], [2]), [False, True]).values.numpy().tolist()
    [6]

    Args:
        sp_input: a sparse tensor.
        to_retain: a boolean for each of its elements.
    """
    sparse, kept = check_sparse(sp_input), convert(to_retain)
    expected, actual = sparse.values._shape_tuple(), kept._shape_tuple()
    if actual != expected:
        raise ValueError(
            f"Dimensions {expected} and {actual} are not compatible: "
            "to_retain needs one element a value."
        )
    order = numbers_of_true(kept)
    return SparseTensor(
        gather_op(sparse.indices, order, 0), gather_op(sparse.values, order, 0), sparse.dense_shape
    )


@composition
def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The sparse tensor in the shape ``shape``. One size may be -1.

    >>> tf.sparse.reshape(tf.SparseTensor([[0, 1]], [5], [2, 3]), [3, -1]).shape
    TensorShape([3, 2])

    Args:
        sp_input: a sparse tensor.
        shape: the sizes of the result.
    """
    sparse = check_sparse(sp_input)
    indices, new = reshape_places(sparse.indices, sparse.dense_shape, shape)
    return SparseTensor(indices, sparse.values, new)


@composition
def sparse_transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """The sparse tensor with its axes in the order ``perm``, or reversed without it.

    >>> tf.sparse.transpose(tf.SparseTensor([[0, 1]], [5], [2, 3])).indices.numpy().tolist()
    [[1, 0]]

    Args:
        sp_input: a sparse tensor.
        perm: the axes in their new order; None reverses them.
    """
    sparse = check_sparse(sp_input)
    shape = shape_of(sparse)
    order = [*range(len(shape))][::-1] if perm is None else static_array(perm).tolist()
    if sorted(order) != [*range(len(shape))]:
        refuse(f"perm = {order} is not a permutation of the {len(shape)} axes.")
    columns = gather_op(sparse.indices, constant(order, dtypes.int64), 1)
    return reorder(new_sparse(columns, sparse.values, tuple([shape[axis] for axis in order])))


@composition
def sparse_expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """The sparse tensor with a new axis of size 1 at position ``axis``, by default at the end.

    >>> tf.sparse.expand_dims(tf.SparseTensor([[1]], [5], [3]), 0).shape
    TensorShape([1, 3])

    Args:
        sp_input: a sparse tensor.
        axis: the position of the new axis; None is the end.
    """
    sparse = check_sparse(sp_input)
    shape = shape_of(sparse)
    place = normalize_axis(-1 if axis is None else static_int(axis), len(shape) + 1)
    zero = zeros((sparse.indices._shape_tuple()[0], 1), dtypes.int64)
    columns = [sparse.indices[:, :place], zero, sparse.indices[:, place:]]
    return new_sparse(concat_op(columns, 1), sparse.values, (*shape[:place], 1, *shape[place:]))


@composition
def sparse_slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The block that begins at ``start`` and has the shape ``size``, as far as the tensor reaches.

    >>> tf.sparse.slice(tf.SparseTensor([[0], [2]], [5, 6], [3]), [1], [2]).indices.numpy().tolist()
    [[1]]

    Args:
        sp_input: a sparse tensor.
        start: the first index along each axis.
        size: the number of places along each axis.
    """
    sparse = check_sparse(sp_input)
    return SparseTensor(*slice_parts(*parts_of(sparse), start, size))


@composition
def sparse_split(
    sp_input: Any = None, num_split: Any = None, axis: Any = None, name: str | None = None
) -> list[SparseTensor]:
    """``sp_input`` cut along ``axis`` into ``num_split`` parts. The first parts may be larger by one.

    >>> [st.shape.as_list() for st in tf.sparse.split(tf.SparseTensor([[0]], [5], [3]), 2, axis=0)]
    [[2], [1]]

    Args:
        sp_input: a sparse tensor.
        num_split: how many parts, at most as many as the axis is long.
        axis: the axis.
    """
    if sp_input is None or num_split is None or axis is None:
        raise ValueError("sparse.split() needs sp_input, num_split and axis.")
    sparse, count = check_sparse(sp_input), static_int(num_split)
    shape = shape_of(sparse)
    place = normalize_axis(static_int(axis), len(shape))
    if not 1 <= count <= max(shape[place], 1):
        refuse(f"sparse.split() cannot cut an axis of size {shape[place]} into {count} parts.")
    size, larger = divmod(shape[place], count)
    parts, begin = [], 0
    for part in range(count):
        first, length = [0] * len(shape), list(shape)
        first[place], length[place] = begin, size + (part < larger)
        parts.append(sparse_slice(sparse, first, length))
        begin += length[place]
    return parts


@composition
def sparse_concat(
    axis: Any, sp_inputs: Any, expand_nonconcat_dims: bool = False, name: str | None = None
) -> SparseTensor:
    """The sparse tensors in the list ``sp_inputs`` one after the other along ``axis``.

    >>> st = tf.SparseTensor([[1]], [5], [2])
    >>> tf.sparse.concat(0, [st, st]).indices.numpy().tolist()
    [[1], [3]]

    Differs from TensorFlow: gradients flow to the values.

    Args:
        axis: the axis along which they follow each other.
        sp_inputs: sparse tensors of one dtype.
        expand_nonconcat_dims: whether sizes along the other axes may differ; the result has the largest.
    """
    inputs = [
        check_sparse(value, "sp_inputs")
        for value in ([sp_inputs] if isinstance(sp_inputs, SparseTensor) else sp_inputs)
    ]
    if len({len(shape_of(sparse)) for sparse in inputs}) != 1:
        refuse(
            "sparse.concat() takes at least one sparse tensor, all of one rank; "
            f"shapes {[list(shape_of(sparse)) for sparse in inputs]} came."
        )
    if len(inputs) == 1:
        return inputs[0]
    shapes = [shape_of(sparse) for sparse in inputs]
    place = normalize_axis(static_int(axis), len(shapes[0]))
    other_sizes = {shape[:place] + shape[place + 1 :] for shape in shapes}
    if not expand_nonconcat_dims and len(other_sizes) > 1:
        refuse(
            f"sparse.concat() along axis {place} of shapes {[list(shape) for shape in shapes]}: "
            "all other sizes must agree."
        )
    whole = [max(sizes) for sizes in zip(*shapes, strict=True)]
    start, moved = 0, []
    for sparse, shape in zip(inputs, shapes, strict=True):
        step = [0] * len(shape)
        step[place] = start
        moved.append(add(sparse.indices, constant(step, dtypes.int64)) if start else sparse.indices)
        start += shape[place]
    whole[place] = start
    values = concat_op([sparse.values for sparse in inputs], 0)
    return reorder(new_sparse(concat_op(moved, 0), values, tuple(whole)))


@composition
def reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The same elements in a tensor of another shape: ``new_shape``, or the smallest that holds them.

    >>> tf.sparse.reset_shape(tf.SparseTensor([[1]], [5], [9])).shape
    TensorShape([2])

    Args:
        sp_input: a sparse tensor.
        new_shape: a vector of sizes, none of which is smaller than before; or None.
    """
    sparse = check_sparse(sp_input)
    shape = shape_of(sparse)
    if new_shape is None:
        if not sparse.indices._shape_tuple()[0]:
            return new_sparse(sparse.indices, sparse.values, (0,) * len(shape))
        least = add(reduce_max(sparse.indices, 0), 1)
        return SparseTensor(sparse.indices, sparse.values, least)
    sizes = static_array(new_shape).tolist()
    if not isinstance(sizes, list) or len(sizes) != len(shape):
        raise ValueError(f"reset_shape() cannot change the rank: {list(shape)} to {sizes}.")
    if any(new < old for new, old in zip(sizes, shape, strict=True)):
        refuse(f"reset_shape() cannot make a size smaller: {list(shape)} to {sizes}.")
    return new_sparse(sparse.indices, sparse.values, tuple(sizes))


@composition
def mask(a: Any, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """``IndexedSlices`` without the slices at ``mask_indices``.

    >>> slices = tf.IndexedSlices(tf.constant([5.0, 6.0]), tf.constant([1, 2]))
    >>> tf.sparse.mask(slices, [2]).values.numpy().tolist()
    [5.0]

    Args:
        a: `tf.IndexedSlices`.
        mask_indices: a vector of the indices to leave out.
    """
    left_out = convert(
        mask_indices if isinstance(mask_indices, Tensor) else static_array(mask_indices)
    )
    order = places_of_others(a.indices, left_out)
    return IndexedSlices(
        gather_op(a.values, order, 0), gather_op(a.indices, order, 0), a.dense_shape
    )


@op("_PlacesOfOthers", dtypes={"numbers": INDEX, "left_out": INDEX})
def places_of_others(xp, numbers, left_out):
    """The positions of the ``numbers`` that are not in ``left_out``."""
    return xp.flatnonzero(~xp.isin(numbers, left_out)).astype(xp.int32)


places_of_others.shape(lambda: Abstract([None], dtypes.int32))
places_of_others.no_gradient()


@composition
def eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> SparseTensor:
    """Ones along the diagonal.

    >>> tf.sparse.to_dense(tf.sparse.eye(2, 3)).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]

    Args:
        num_rows: the number of rows.
        num_columns: the number of columns; None for as many as rows.
        dtype: the dtype of the ones.
    """
    rows = static_int(num_rows)
    columns = rows if num_columns is None else static_int(num_columns)
    check_size((rows, columns))
    count = min(rows, columns)
    places = broadcast_to(reshape(number_range(count, dtype=dtypes.int64), (count, 1)), (count, 2))
    return new_sparse(places, ones((count,), dtypes.as_dtype(dtype)), (rows, columns))


@composition
def fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """``sp_input`` with ``default_value`` at the start of each row without elements, and which these are.

    >>> filled, empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 0]], [5], [2, 2]), 9)
    >>> filled.values.numpy().tolist(), empty.numpy().tolist()
    ([9, 5], [True, False])

    Args:
        sp_input: a sparse tensor.
        default_value: a scalar.
    """
    sparse = check_sparse(sp_input)
    default = convert(default_value, sparse.dtype)
    indices, values, empty, _ = fill_empty_parts(*parts_of(sparse), default)
    return SparseTensor(indices, values, sparse.dense_shape), empty


@composition
def to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """A dense mask. Its last axis says which numbers are among the values of each row of ``sp_input``.

    >>> tf.sparse.to_indicator(tf.SparseTensor([[0, 0]], [2], [1, 1]), 3).numpy().tolist()
    [[False, False, True]]

    Args:
        sp_input: a sparse tensor of int32 or int64. Values outside of 0 to ``vocab_size - 1`` are not
            allowed.
        vocab_size: the size of the last axis of the result.
    """
    sparse = check_sparse(sp_input)
    size, shape = static_int(vocab_size), shape_of(sparse)
    if sparse.dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(
            f"to_indicator() expects values of int32 or int64, not {sparse.dtype.name}."
        )
    return indicator(sparse.indices, sparse.values, (*shape[:-1], size))


@op("_Indicator", dtypes={"indices": {dtypes.int64}, "values": INDEX}, values="errors")
def indicator(xp, indices, values, *, shape):
    """True at each index, with its last entry replaced by the value there."""
    if values.size and (values.min() < 0 or values.max() >= shape[-1]):
        refuse(f"The values must be in [0, {shape[-1]}).")
    result = xp.zeros(check_size(shape), dtype=bool)
    result[(*indices[:, :-1].T, values)] = True
    return result


indicator.shape(shaped(dtype=dtypes.bool))
indicator.no_gradient()

"""Products of matrices and vectors, and transposed matrices.

Factorisations are in `decompositions`, solvers in `solvers`, Einstein sums in `einsum`.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, Tensor, VariableBase, are_ints, convert, public
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import broadcast_shape, cached_for_ints, is_unknown
from tapegrad.engines.numpy import products
from tapegrad.errors import refuse
from tapegrad.framework.work import flops_of
from tapegrad.ops.args import (
    static_array,
    static_ints,
)
from tapegrad.ops.batching import (
    BROADCASTS,
    apart,
    broadcast_to,
    end_to_end,
    leading,
    moved_axis,
)
from tapegrad.ops.elementwise import complex
from tapegrad.ops.op import FLOATING, HALVES, INDEX, REAL, op
from tapegrad.ops.shape import array, casts
from tapegrad.ops.shape_rules import Abstract

if TYPE_CHECKING:
    from tapegrad.framework.types import TensorLike

PUBLIC = {
    ". linalg compat.v1": "matmul",
    ". linalg compat.v1 compat.v1.linalg": "tensordot",
    "linalg": "matrix_transpose",
    "linalg compat.v1.linalg": "adjoint cross matvec",
}


MATMUL_TYPES = FLOATING | INDEX | {dtypes.int16}


# Products


def _check_matrices(a: Any, b: Any) -> None:
    for position, operand in enumerate((a, b)):
        if operand.ndim < 2:
            refuse(
                f"In[{position}] ndims must be >= 2: matmul multiplies matrices, "
                f"and argument {position} has shape {list(operand.shape)}. "
                "For a vector use tf.linalg.matvec or tf.tensordot."
            )


def _multiply(xp: Any, a: Any, b: Any, *flags: bool) -> Any:
    """``xp.matmul`` with its flags, and words for shapes that do not fit."""
    try:
        return xp.matmul(a, b, *flags)
    except ValueError:
        _check_products(a, b, *flags)
        raise


def _refuse_batches(a: Any, b: Any) -> None:
    if a.ndim > 2 or b.ndim > 2:
        refuse(
            f"MatMul multiplies two matrices, not batches of shapes {list(a.shape)} "
            f"and {list(b.shape)}: BatchMatMulV2 does, and tf.matmul."
        )


def _check_products(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> None:
    """Raise if the shapes of ``a`` and ``b`` do not allow a product."""
    _check_matrices(a, b)
    shape_a, shape_b = list(a.shape), list(b.shape)
    if transpose_a or adjoint_a:
        shape_a[-2:] = shape_a[:-3:-1]
    if transpose_b or adjoint_b:
        shape_b[-2:] = shape_b[:-3:-1]
    if not is_unknown(shape_a[-1]) and not is_unknown(shape_b[-2]) and shape_a[-1] != shape_b[-2]:
        refuse(
            f"Matrix size-incompatible: In[0]: {shape_a}, In[1]: {shape_b}: "
            f"the inner sizes {shape_a[-1]} and {shape_b[-2]} (after any transposing) "
            "must be equal."
        )
    try:
        broadcast_shape(a.shape[:-2], b.shape[:-2])
    except ValueError:
        refuse(f"In[0] and In[1] must have compatible batch dimensions: {shape_a} vs. {shape_b}.")


def product_shape(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> tuple[int, ...]:
    """The shape of the product of matrices, either of which may be transposed first."""
    _check_products(a, b, transpose_a, transpose_b)
    rows, columns = a.shape[-1 if transpose_a else -2], b.shape[-2 if transpose_b else -1]
    return (*broadcast_shape(a.shape[:-2], b.shape[:-2]), rows, columns)


@op(
    "MatMul",
    dtypes=FLOATING | INDEX,
    lane=products.matrix_lane,
    accumulate="float32",
    linear=("a", "b"),
)
def multiply_matrices(xp, a, b, *, transpose_a=False, transpose_b=False):
    """The product of two matrices, either of which may be transposed first. See ``tf.matmul``."""
    _refuse_batches(a, b)
    return _multiply(xp, a, b, transpose_a, transpose_b)


@multiply_matrices.shape
def matrix_product_shape(a, b, transpose_a, transpose_b):
    _refuse_batches(a, b)
    return product_shape(a, b, transpose_a, transpose_b)


def _left_gradient(dy, b, transpose_a, transpose_b):
    if transpose_a:
        return multiply_matrices(b, dy, transpose_b, True)
    return multiply_matrices(dy, b, False, not transpose_b)


def _right_gradient(dy, a, transpose_a, transpose_b):
    if transpose_b:
        return multiply_matrices(dy, a, True, transpose_a)
    return multiply_matrices(a, dy, not transpose_a, False)


multiply_matrices.gradient(a=_left_gradient, b=_right_gradient)


def product_rule(items, a, b, transpose_a, transpose_b):
    """One product of matrices if one operand is the same for all items: the other has the rows of all."""
    if all(items.batched):
        a = moved_axis(a, 1, 2) if transpose_a else a
        b = moved_axis(b, 1, 2) if transpose_b else b
        return items.call(multiply_batches, a, b)
    if items.batched[0]:
        a = moved_axis(a, 1, 2) if transpose_a else a
        if a.strides[1] == 0 and a.size:
            # All rows are one row, as in the first step of a batch Jacobian.
            product = items.run(a[:, 0], b, transpose_a=False)
            return broadcast_to(product[:, None], (*a.shape[:2], product.shape[1]))
        return apart(items, items.run(end_to_end(a), b, transpose_a=False))
    # (a b)^T = b^T a^T, whose rows are the columns of b.
    b = b if transpose_b else moved_axis(b, 1, 2)
    product = items.run(end_to_end(b), a, transpose_a=False, transpose_b=not transpose_a)
    return moved_axis(apart(items, product), 1, 2)


multiply_matrices.batching(product_rule)


@op(
    "BatchMatMulV2",
    dtypes=MATMUL_TYPES,
    broadcasts=True,
    holomorphic=False,
    raw=("x", "y", "adj_x", "adj_y", "grad_x", "grad_y"),
    lane=products.batch_lane,
    accumulate="float32",
    linear=("x", "y"),
)
def multiply_batches(xp, x, y, *, adj_x=False, adj_y=False, grad_x=False, grad_y=False):
    """Products of the matrices in the last two axes. The axes before them are broadcast."""
    return _multiply(xp, x, y, False, False, adj_x, adj_y)


multiply_batches.shape(lambda x, y, adj_x, adj_y: product_shape(x, y, adj_x, adj_y))


def _left_batch_gradient(dy, y, adj_x, adj_y):
    if adj_x:
        return multiply_batches(y, dy, adj_y, True)
    return multiply_batches(dy, y, False, not adj_y)


def _right_batch_gradient(dy, x, y_shape, adj_x, adj_y):
    if len(y_shape) == 2 and not adj_x and not dy.dtype.is_complex:
        # The weights of a layer: the sum over the batch is itself a product of two tall matrices.
        rows = array.reshape(x, (-1, x.shape[-1]))
        dy_rows = array.reshape(dy, (-1, dy.shape[-1]))
        if adj_y:
            return multiply_matrices(dy_rows, rows, True, False)
        return multiply_matrices(rows, dy_rows, True, False)
    if adj_y:
        return multiply_batches(dy, x, True, adj_x)
    return multiply_batches(x, dy, not adj_x, False)


multiply_batches.gradient(x=_left_batch_gradient, y=_right_batch_gradient)
multiply_batches.batching(BROADCASTS)


@op(
    "BatchMatMulV3",
    dtypes={
        "x": MATMUL_TYPES | {dtypes.int8, dtypes.uint8},
        "y": MATMUL_TYPES | {dtypes.int8, dtypes.uint8},
    },
    broadcasts=True,
    holomorphic=False,
    raw=("x", "y", "Tout", "adj_x", "adj_y", "grad_x", "grad_y"),
    linear=("x", "y"),
)
def multiply_batches_as(
    xp, x, y, *, output_type, adj_x=False, adj_y=False, grad_x=False, grad_y=False
):
    """Like BatchMatMulV2, but computed and returned in ``output_type``."""
    output = dtypes.as_dtype(output_type)
    # Not `accumulate`, which would look at the inputs: halves may come out where none goes in.
    dtype = np.float32 if output in HALVES else output.as_numpy_dtype
    product = _multiply(xp, x.astype(dtype), y.astype(dtype), False, False, adj_x, adj_y)
    return product.astype(output.as_numpy_dtype, copy=False)


multiply_batches_as.shape(
    lambda x, y, output_type, adj_x, adj_y: Abstract(
        product_shape(x, y, adj_x, adj_y), dtypes.as_dtype(output_type)
    )
)


def _left_typed_gradient(dy, y, x_dtype, adj_x, adj_y):
    return casts.cast(_left_batch_gradient(dy, casts.cast(y, dy.dtype), adj_x, adj_y), x_dtype)


def _right_typed_gradient(dy, x, y_dtype, y_shape, adj_x, adj_y):
    x = casts.cast(x, dy.dtype)
    return casts.cast(_right_batch_gradient(dy, x, y_shape, adj_x, adj_y), y_dtype)


multiply_batches_as.gradient(x=_left_typed_gradient, y=_right_typed_gradient)
multiply_batches_as.batching(BROADCASTS)


@flops_of(multiply_matrices, multiply_batches, multiply_batches_as)
def _product_flops(inputs, result):
    """A multiplication and an addition for each term of each element."""
    first = inputs[0]
    return 2.0 * prod(result) * (first[-2] * first[-1] / max(result[-2], 1))


@public
def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrix product ``a @ b`` over the last two axes. The axes before them are broadcast.

    >>> a = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.matmul(a, [[1.0], [1.0]])
    <tf.Tensor: shape=(2, 1), dtype=float32, numpy=
    array([[3.],
           [7.]], dtype=float32)>
    >>> tf.matmul(tf.ones([5, 2, 3]), tf.ones([3, 4])).shape
    TensorShape([5, 2, 4])

    Args:
        a, b: tensors of one dtype, with two axes or more.
        transpose_a, transpose_b: whether to multiply by the transpose.
        adjoint_a, adjoint_b: whether to multiply by the conjugate transpose.
        a_is_sparse, b_is_sparse: hints that TensorFlow takes. They change nothing here.
        output_type: the dtype to compute in, which is useful for small integers.
        grad_a, grad_b: accepted, and of no effect.

    Raises:
        InvalidArgumentError: for vectors and scalars, inner sizes that differ, batches that do not
            broadcast, and operands of different dtypes.
    """
    if type(a) is not EagerTensor:
        a = convert(a)
    if type(b) is not EagerTensor:
        b = convert(b) if isinstance(b, VariableBase) else operand_like(b, a.dtype)
    if a.ndim <= 2 and b.ndim <= 2 and not (adjoint_a or adjoint_b or output_type):
        return multiply_matrices(a, b, transpose_a, transpose_b)
    if output_type is not None and not a.dtype == b.dtype == output_type:
        _refuse_both(transpose_a, adjoint_a, "a")
        _refuse_both(transpose_b, adjoint_b, "b")
        a = _conjugated(a, transpose_a)
        b = _conjugated(b, transpose_b)
        return multiply_batches_as(
            a, b, output_type, transpose_a or adjoint_a, transpose_b or adjoint_b
        )
    if adjoint_a:
        _refuse_both(transpose_a, adjoint_a, "a")
    if adjoint_b:
        _refuse_both(transpose_b, adjoint_b, "b")
    if a.ndim <= 2 and b.ndim <= 2:
        # MatMul has no flags that conjugate.
        if adjoint_a:
            a, transpose_a = _conjugated(a, True), True
        if adjoint_b:
            b, transpose_b = _conjugated(b, True), True
        return multiply_matrices(a, b, transpose_a, transpose_b)
    if transpose_a:
        a, adjoint_a = _conjugated(a, True), True
    if transpose_b:
        b, adjoint_b = _conjugated(b, True), True
    return multiply_batches(a, b, adjoint_a, adjoint_b)


def operand_like(value: Any, dtype: Any) -> Tensor:
    """``value`` as a tensor of ``dtype`` if it can become one, else of its own dtype."""
    try:
        return convert(value, dtype)
    except (TypeError, ValueError):
        return convert(value)


def _refuse_both(transpose: bool, adjoint: bool, name: str) -> None:
    if transpose and adjoint:
        raise ValueError(
            f"Only one of transpose_{name} and adjoint_{name} can be True: "
            "the adjoint is the transpose, conjugated."
        )


def _conjugated(tensor: Tensor, wanted: bool) -> Tensor:
    return complex.conj(tensor) if wanted and tensor.dtype.is_complex else tensor


@public
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of the matrices in ``a`` with the vectors in ``b``.

    >>> tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([3., 7.], dtype=float32)>

    Args:
        a: matrices in the last two axes.
        b: vectors in the last axis. The other axes broadcast.
        transpose_a: whether the matrices are first turned over.
        adjoint_a: whether they are first turned over and conjugated.
        a_is_sparse, b_is_sparse: of no effect.
    """
    a = convert(a)
    if type(b) is not EagerTensor:
        b = operand_like(b, a.dtype)
    rank = b.ndim
    if rank < 1:
        refuse(f"matvec multiplies vectors: its second argument has shape {list(b.shape)}.")
    column = array.expand_dims.apply([b], (-1,))
    if rank == 1 and not adjoint_a and a.ndim == 2:
        column = multiply_matrices(a, column, transpose_a)
    else:
        column = matmul(a, column, transpose_a, False, adjoint_a)
    return array.squeeze.apply([column], ((-1,),))


@composition
def tensordot(a: Any, b: Any, axes: TensorLike, name: str | None = None) -> Tensor:
    """The sum of the products of ``a`` and ``b`` over the given axes.

    >>> a, b = tf.ones([2, 3, 4]), tf.ones([4, 3, 5])
    >>> tf.tensordot(a, b, [[1, 2], [1, 0]]).shape        # axis 1 of a with 1 of b, 2 of a with 0 of b
    TensorShape([2, 5])
    >>> tf.tensordot([1.0, 2.0], [3.0, 4.0], 1)           # the last axis of a with the first of b
    <tf.Tensor: shape=(), dtype=float32, numpy=11.0>

    Args:
        a, b: tensors of one dtype.
        axes: the number of last axes of ``a`` to sum with the same number of first axes of ``b``; or a pair
            of lists of axes.
    """
    a = convert(a)
    b = operand_like(b, a.dtype)
    sizes_a, sizes_b = a._shape_tuple(), b._shape_tuple()
    count = axes if type(axes) is int and 0 <= axes <= len(sizes_a) else -1
    first = len(sizes_a) - count
    if count >= 0 and sizes_a[first:] == sizes_b[:count]:
        axes_a, axes_b = tuple(range(first, len(sizes_a))), tuple(range(count))
    else:
        plain_axes = None
        if type(axes) is list and len(axes) == 2 and are_ints(axes[0]) and are_ints(axes[1]):
            plain_axes = _plain_axes(sizes_a, sizes_b, tuple(axes[0]), tuple(axes[1]))
        # Where the sizes differ, or anything else is wrong, this says so.
        axes_a, axes_b = plain_axes or map(tuple, _contracted_axes(a, b, axes))
    left, right, shape = _as_products(sizes_a, sizes_b, axes_a, axes_b)
    rows, columns = _as_matrix(a, left), _as_matrix(b, right)
    result = multiply_matrices(rows, columns, left.transposed, right.transposed)
    sizes = result._shape_tuple()
    is_whole = len(sizes) == len(shape) and sizes == shape
    return result if is_whole else array.reshape(result, shape)


@cached_for_ints(maxsize=256)
def _plain_axes(
    sizes_a: tuple[int, ...],
    sizes_b: tuple[int, ...],
    axes_a: tuple[int, ...],
    axes_b: tuple[int, ...],
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The axes counted from the front; None if anything is wrong with them."""
    if len(axes_a) != len(axes_b):
        return None
    for sizes, axes in ((sizes_a, axes_a), (sizes_b, axes_b)):
        if any(not -len(sizes) <= axis < len(sizes) for axis in axes):
            return None
    axes_a = tuple([axis % len(sizes_a) for axis in axes_a])
    axes_b = tuple([axis % len(sizes_b) for axis in axes_b])
    if len(set(axes_a)) != len(axes_a) or len(set(axes_b)) != len(axes_b):
        return None
    if [sizes_a[axis] for axis in axes_a] != [sizes_b[axis] for axis in axes_b]:
        return None
    return axes_a, axes_b


class _Matrix(NamedTuple):
    """How a tensor becomes a matrix."""

    order: tuple[int, ...] | None  # None where the axes stay where they are
    shape: tuple[int, int] | None  # None where it is a matrix of that shape already
    transposed: bool  # the product transposes it


@cached_for_ints(maxsize=256)
def _as_products(
    sizes_a: tuple[int, ...],
    sizes_b: tuple[int, ...],
    axes_a: tuple[int, ...],
    axes_b: tuple[int, ...],
) -> tuple[_Matrix, _Matrix, tuple[int, ...]]:
    """How two tensors become matrices, and the shape of the sum of their products over these axes."""
    free_a = tuple([axis for axis in range(len(sizes_a)) if axis not in axes_a])
    free_b = tuple([axis for axis in range(len(sizes_b)) if axis not in axes_b])
    # Where the axes are already in the opposite order, the product transposes, which costs nothing.
    left = _matrix_of(sizes_a, free_a, axes_a, _in_order(axes_a, free_a))
    right = _matrix_of(sizes_b, axes_b, free_b, _in_order(free_b, axes_b))
    shape = [sizes_a[axis] for axis in free_a] + [sizes_b[axis] for axis in free_b]
    return left, right, tuple(shape)


def _in_order(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Whether ``first`` and ``second`` are both non-empty and together are all axes in order."""
    axes = [*first, *second]
    return bool(first) and bool(second) and axes == list(range(len(axes)))


def _matrix_of(
    sizes: tuple[int, ...], rows: tuple[int, ...], columns: tuple[int, ...], transposed: bool
) -> _Matrix:
    if transposed:
        rows, columns = columns, rows
    order = (*rows, *columns)
    shape = prod([sizes[axis] for axis in rows]), prod([sizes[axis] for axis in columns])
    moved = tuple([sizes[axis] for axis in order])
    return _Matrix(
        None if order == tuple(range(len(order))) else order,
        None if len(moved) == len(shape) and moved == shape else shape,
        transposed,
    )


def _as_matrix(tensor: Tensor, how: _Matrix) -> Tensor:
    if how.order is not None:
        tensor = array.transpose(tensor, how.order)
    return tensor if how.shape is None else array.reshape(tensor, how.shape)


def _contracted_axes(a: Tensor, b: Tensor, axes: Any) -> tuple[list[int], list[int]]:
    """The axes of each operand that are summed over, counted from zero, in matching order."""
    axes = static_array(axes) if not isinstance(axes, (list, tuple)) else axes
    if isinstance(axes, np.ndarray) and axes.ndim == 0:
        count = int(axes)
        if count < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {count}.")
        if count > min(a.ndim, b.ndim):
            raise ValueError(
                "`axes` must not be larger than the number of dimensions: "
                f"{count} axes cannot be summed between tensors of shapes {a.shape} and {b.shape}."
            )
        axes_a, axes_b = list(range(a.ndim - count, a.ndim)), list(range(count))
    else:
        if len(axes) != 2:
            raise ValueError(
                "`axes` must be an integer or have length 2, one entry for each tensor. Received: "
                f"{axes}."
            )
        axes_a = [_contracted_axis(axis, a.ndim) for axis in static_ints(axes[0])]
        axes_b = [_contracted_axis(axis, b.ndim) for axis in static_ints(axes[1])]
        if len(axes_a) != len(axes_b):
            raise ValueError(
                f"Different number of contraction axes `a` and `b`, {len(axes_a)} != {len(axes_b)}."
            )
        if len(set(axes_a)) != len(axes_a) or len(set(axes_b)) != len(axes_b):
            raise ValueError(f"`axes` names a dimension twice: {axes}.")
    for axis_a, axis_b in zip(axes_a, axes_b, strict=True):
        if a.shape[axis_a] != b.shape[axis_b]:
            refuse(
                f"Matrix size-incompatible: axis {axis_a} of {list(a.shape)} cannot be summed "
                f"with axis {axis_b} of {list(b.shape)}."
            )
    return axes_a, axes_b


def _contracted_axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise IndexError(f"axis {axis} does not suit a tensor of rank {rank} in tensordot.")
    return axis + rank if axis < 0 else axis


def _check_vectors(a: Any, b: Any) -> None:
    if a.shape != b.shape:
        refuse(f"Both inputs must be of same shape: {list(a.shape)} vs. {list(b.shape)}.")
    if a.ndim < 1:
        refuse("Cross-products are of vectors; scalars came.")
    if a.shape[-1] != 3:
        refuse(
            "Cross-products are only defined for 3-element vectors; "
            f"the last axis of {list(a.shape)} is {a.shape[-1]}.",
            error=errors.FailedPreconditionError,
        )


@op("Cross", dtypes=REAL, linear=("a", "b"))
def cross(xp, a, b):
    """The cross product of the 3-vectors in the last axis.

    >>> tf.linalg.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    <tf.Tensor: shape=(3,), dtype=float32, numpy=array([0., 0., 1.], dtype=float32)>
    """
    _check_vectors(a, b)
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    return xp.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=-1).astype(a.dtype)


@cross.shape
def cross_shape(a, b):
    _check_vectors(a, b)
    return a.shape


cross.gradient(a=lambda dy, b: cross(b, dy), b=lambda dy, a: cross(dy, a))
cross.batching(leading)


# Transposes


@public
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """``a`` with its last two axes exchanged.

    >>> tf.linalg.matrix_transpose(tf.ones([5, 2, 3])).shape
    TensorShape([5, 3, 2])

    Args:
        a: matrices in the last two axes.
        conjugate: whether elements are also conjugated.
    """
    a = convert(a)
    if a.ndim < 2:
        raise ValueError(
            "Argument `a` should be a (batch) matrix with rank >= 2. Received `a` with shape: "
            f"{a.shape}"
        )
    order = [*range(a.ndim - 2), a.ndim - 1, a.ndim - 2]
    return array.transpose(a, order, conjugate=conjugate)


@public
def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The conjugate transpose of the matrices in the last two axes.

    >>> tf.linalg.adjoint([[1 + 2j, 3.0 - 1j]])
    <tf.Tensor: shape=(2, 1), dtype=complex128, numpy=
    array([[1.-2.j],
           [3.+1.j]])>

    Args:
        matrix: matrices in the last two axes.
    """
    return matrix_transpose(matrix, conjugate=True)

# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from collections.abc import Callable as Callable
from collections.abc import Sequence as Sequence
from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.indexed_slices import IndexedSlices as IndexedSlices
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import ShapeLike as ShapeLike
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.sparse.sparse_tensor import SparseTensor as SparseTensor
from typing import Any as Any
from typing import Literal as Literal
from typing import overload as overload

def eye(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> SparseTensor:
    """Ones along the diagonal.

    >>> tf.sparse.to_dense(tf.sparse.eye(2, 3)).numpy().tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """

def fill_empty_rows(
    sp_input: SparseTensor,
    default_value: TensorLike,
    name: str | None = None,
) -> tuple[SparseTensor, Tensor]:
    """``sp_input`` with ``default_value`` at the start of each row without elements, and which these are.

    >>> filled, empty = tf.sparse.fill_empty_rows(tf.SparseTensor([[1, 0]], [5], [2, 2]), 9)
    >>> filled.values.numpy().tolist(), empty.numpy().tolist()
    ([9, 5], [True, False])
    """

def from_dense(tensor: TensorLike, name: str | None = None) -> SparseTensor:
    """The elements of ``tensor`` that are not zero (or not empty strings).

    >>> tf.sparse.from_dense([[0, 7], [8, 0]]).indices.numpy().tolist()
    [[0, 1], [1, 0]]
    """

def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """``op`` of the values of the sparse tensors among the arguments, which must have the same indices.

    >>> tf.sparse.map_values(tf.square, tf.SparseTensor([[1]], [5], [3])).values.numpy().tolist()
    [25]
    """

def mask(a: TensorLike, mask_indices: TensorLike, name: str | None = None) -> IndexedSlices:
    """``IndexedSlices`` without the slices at ``mask_indices``.

    >>> slices = tf.IndexedSlices(tf.constant([5.0, 6.0]), tf.constant([1, 2]))
    >>> tf.sparse.mask(slices, [2]).values.numpy().tolist()
    [5.0]
    """

def reorder(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The same sparse tensor with its elements in the order of their indices.

    >>> tf.sparse.reorder(tf.SparseTensor([[1], [0]], [5, 6], [2])).values.numpy().tolist()
    [6, 5]
    """

def reset_shape(sp_input: SparseTensor, new_shape: ShapeLike | None = None) -> SparseTensor:
    """The same elements in a tensor of another shape: ``new_shape``, or the smallest that holds them.

    >>> tf.sparse.reset_shape(tf.SparseTensor([[1]], [5], [9])).shape
    TensorShape([2])
    """

def retain(sp_input: SparseTensor, to_retain: TensorLike) -> SparseTensor:
    """The elements for which ``to_retain`` is true.

    >>> tf.sparse.retain(tf.SparseTensor([[0], [1]], [5, 6], [2]), [False, True]).values.numpy().tolist()
    [6]
    """

def sampled_addmm(
    indices: TensorLike,
    values: TensorLike,
    dense_shape: TensorLike,
    mat1: TensorLike,
    mat2: TensorLike,
    beta: TensorLike = 1.0,
    alpha: TensorLike = 1.0,
    output_type: DTypeLike = dtypes.float32,
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

@overload
def sparse_add(a: SparseTensor, b: SparseTensor, threshold: TensorLike = 0) -> SparseTensor:
    """``a + b``: sparse if both are (and without sums smaller than ``threshold``), else dense.

    >>> st = tf.SparseTensor([[1]], [5], [3])
    >>> tf.sparse.add(st, st).values.numpy().tolist(), tf.sparse.add(st, [1, 1, 1]).numpy().tolist()
    ([10], [1, 6, 1])
    """

@overload
def sparse_add(a: SparseTensor, b: TensorLike, threshold: TensorLike = 0) -> Tensor:
    """``a + b``: sparse if both are (and without sums smaller than ``threshold``), else dense.

    >>> st = tf.SparseTensor([[1]], [5], [3])
    >>> tf.sparse.add(st, st).values.numpy().tolist(), tf.sparse.add(st, [1, 1, 1]).numpy().tolist()
    ([10], [1, 6, 1])
    """

@overload
def sparse_add(a: TensorLike, b: SparseTensor, threshold: TensorLike = 0) -> Tensor:
    """``a + b``: sparse if both are (and without sums smaller than ``threshold``), else dense.

    >>> st = tf.SparseTensor([[1]], [5], [3])
    >>> tf.sparse.add(st, st).values.numpy().tolist(), tf.sparse.add(st, [1, 1, 1]).numpy().tolist()
    ([10], [1, 6, 1])
    """

def sparse_concat(
    axis: Axis,
    sp_inputs: Sequence[SparseTensor],
    expand_nonconcat_dims: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """The sparse tensors in the list ``sp_inputs`` one after the other along ``axis``.

    >>> st = tf.SparseTensor([[1]], [5], [2])
    >>> tf.sparse.concat(0, [st, st]).indices.numpy().tolist()
    [[1], [3]]

    Differs from TensorFlow: gradients flow to the values.
    """

def sparse_dense_matmul(
    sp_a: SparseTensor,
    b: TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The matrix product of a sparse and a dense matrix, in either order.

    >>> st = tf.SparseTensor([[0, 1]], [2.0], [2, 2])
    >>> tf.sparse.sparse_dense_matmul(st, [[1.0], [3.0]]).numpy().tolist()
    [[6.0], [0.0]]
    """

def sparse_expand_dims(
    sp_input: SparseTensor,
    axis: Axis | None = None,
    name: str | None = None,
) -> SparseTensor:
    """The sparse tensor with a new axis of size 1 at position ``axis``, by default at the end.

    >>> tf.sparse.expand_dims(tf.SparseTensor([[1]], [5], [3]), 0).shape
    TensorShape([1, 3])
    """

def sparse_maximum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The larger of two sparse tensors at each index. If only one has an element, the other counts as 0.

    >>> a, b = tf.SparseTensor([[0]], [7.0], [3]), tf.SparseTensor([[1]], [-5.0], [3])
    >>> tf.sparse.maximum(a, b).values.numpy().tolist()
    [7.0, 0.0]

    Differs from TensorFlow: gradients flow to the values (TensorFlow's raise TypeError), and the result is
    sorted even if the inputs are not.
    """

def sparse_minimum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors at each index. If only one has an element, the other counts as 0.

    >>> a, b = tf.SparseTensor([[0]], [7.0], [3]), tf.SparseTensor([[1]], [-5.0], [3])
    >>> tf.sparse.minimum(a, b).values.numpy().tolist()
    [0.0, -5.0]

    Differs from TensorFlow: gradients flow to the values (TensorFlow's raise TypeError), and the result is
    sorted even if the inputs are not.
    """

@overload
def sparse_reduce_max(
    sp_input: SparseTensor,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    output_is_sparse: Literal[False] = False,
    name: str | None = None,
) -> Tensor:
    """The largest of the elements present over the axes in ``axis``, or over all; 0 where there are none.

    >>> tf.sparse.reduce_max(tf.SparseTensor([[0, 1], [1, 1]], [5, 6], [2, 2]), axis=0).numpy().tolist()
    [0, 6]
    """

@overload
def sparse_reduce_max(
    sp_input: SparseTensor,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    *,
    output_is_sparse: Literal[True],
    name: str | None = None,
) -> SparseTensor:
    """The largest of the elements present over the axes in ``axis``, or over all; 0 where there are none.

    >>> tf.sparse.reduce_max(tf.SparseTensor([[0, 1], [1, 1]], [5, 6], [2, 2]), axis=0).numpy().tolist()
    [0, 6]
    """

@overload
def sparse_reduce_sum(
    sp_input: SparseTensor,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    output_is_sparse: Literal[False] = False,
    name: str | None = None,
) -> Tensor:
    """Sums over the axes in ``axis``, or over all, dense unless ``output_is_sparse``.

    >>> tf.sparse.reduce_sum(tf.SparseTensor([[0, 1], [1, 1]], [5, 6], [2, 2]), axis=0).numpy().tolist()
    [0, 11]
    """

@overload
def sparse_reduce_sum(
    sp_input: SparseTensor,
    axis: Axis | None = None,
    keepdims: bool | None = None,
    *,
    output_is_sparse: Literal[True],
    name: str | None = None,
) -> SparseTensor:
    """Sums over the axes in ``axis``, or over all, dense unless ``output_is_sparse``.

    >>> tf.sparse.reduce_sum(tf.SparseTensor([[0, 1], [1, 1]], [5, 6], [2, 2]), axis=0).numpy().tolist()
    [0, 11]
    """

def sparse_reshape(
    sp_input: SparseTensor,
    shape: ShapeLike,
    name: str | None = None,
) -> SparseTensor:
    """The sparse tensor in the shape ``shape``. One size may be -1.

    >>> tf.sparse.reshape(tf.SparseTensor([[0, 1]], [5], [2, 3]), [3, -1]).shape
    TensorShape([3, 2])
    """

def sparse_slice(
    sp_input: SparseTensor,
    start: TensorLike,
    size: TensorLike,
    name: str | None = None,
) -> SparseTensor:
    """The block that begins at ``start`` and has the shape ``size``, as far as the tensor reaches.

    >>> tf.sparse.slice(tf.SparseTensor([[0], [2]], [5, 6], [3]), [1], [2]).indices.numpy().tolist()
    [[1]]
    """

def sparse_softmax(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The softmax over each row of the last axis, among the elements that are present.

    >>> st = tf.SparseTensor([[0, 1], [0, 5], [2, 0]], [1.0, 1.0, 3.0], [3, 9])
    >>> tf.sparse.softmax(st).values.numpy().tolist()
    [0.5, 0.5, 1.0]

    Differs from TensorFlow: it takes bfloat16 too, the elements may come in any order, and its gradient can
    be differentiated.
    """

def sparse_split(
    sp_input: SparseTensor | None = None,
    num_split: TensorLike | None = None,
    axis: Axis | None = None,
    name: str | None = None,
) -> list[SparseTensor]:
    """``sp_input`` cut along ``axis`` into ``num_split`` parts. The first parts may be larger by one.

    >>> [st.shape.as_list() for st in tf.sparse.split(tf.SparseTensor([[0]], [5], [3]), 2, axis=0)]
    [[2], [1]]
    """

def sparse_transpose(
    sp_input: SparseTensor,
    perm: TensorLike | None = None,
    name: str | None = None,
) -> SparseTensor:
    """The sparse tensor with its axes in the order ``perm``, or reversed without it.

    >>> tf.sparse.transpose(tf.SparseTensor([[0, 1]], [5], [2, 3])).indices.numpy().tolist()
    [[1, 0]]
    """

def to_dense(
    sp_input: SparseTensor,
    default_value: TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """The dense tensor, with ``default_value`` (0, or an empty string) where the sparse one has no element.

    >>> st = tf.SparseTensor([[1]], [5], [3])
    >>> tf.sparse.to_dense(st, default_value=-1).numpy().tolist()
    [-1, 5, -1]
    """

def to_indicator(sp_input: SparseTensor, vocab_size: TensorLike, name: str | None = None) -> Tensor:
    """A dense mask. Its last axis says which numbers are among the values of each row of ``sp_input``.

    >>> tf.sparse.to_indicator(tf.SparseTensor([[0, 0]], [2], [1, 1]), 3).numpy().tolist()
    [[False, False, True]]
    """

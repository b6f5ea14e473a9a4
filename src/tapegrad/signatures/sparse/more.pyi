# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.sparse.sparse_tensor import SparseTensor as SparseTensor

def bincount(
    values: TensorLike,
    weights: TensorLike | None = None,
    axis: Axis = 0,
    minlength: TensorLike | None = None,
    maxlength: TensorLike | None = None,
    binary_output: bool = False,
    name: str | None = None,
) -> SparseTensor:
    """How often each integer occurs in ``values``, as a sparse tensor of those that do.

    >>> counts = tf.sparse.bincount([[7, 7], [2, 0]], axis=-1)
    >>> counts.indices.numpy().tolist(), counts.values.numpy().tolist()
    ([[0, 7], [1, 0], [1, 2]], [2, 1, 1])

    Args:
        values: a vector or matrix of int32 or int64, or a sparse tensor of them.
        weights: what each element counts for, in place of 1; decides the result's dtype.
        axis: 0 or None to count everything, -1 to count in each row.
        minlength, maxlength: bounds for the result's last size; larger integers are not counted.
        binary_output: tell only whether an integer occurs.

    Differs from TensorFlow: gradients flow to ``weights``.
    """

def edit_distance(
    hypothesis: TensorLike,
    truth: TensorLike,
    normalize: bool = True,
    name: str | None = 'edit_distance',
) -> Tensor:
    """How many changes of an element make each row of ``truth`` of that of ``hypothesis``.

    >>> said = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    >>> meant = tf.SparseTensor([[0, 0], [0, 1], [0, 2]], ["a", "c", "d"], [1, 3])
    >>> tf.edit_distance(said, meant, normalize=False).numpy().tolist()
    [2.0]

    A change puts an element in, takes one out or replaces one.

    Args:
        hypothesis, truth: sparse tensors of one dtype and rank, in order; rows lie along the last axis.
        normalize: divide by the length of the true row. It is infinite for one of no elements, or 0 if the
            other has none either.
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
    """Indices, values and shape of ``beta * sparse + alpha * mat1 @ mat2`` at the places of ``sparse`` alone.

    >>> _, values, _ = tf.sparse.sampled_addmm(
    ...     [[0, 1]], [5.0], [2, 2], [[1.0, 2.0], [3.0, 4.0]], [[1.0, 0.0], [0.0, 1.0]])
    >>> values.numpy().tolist()
    [7.0]

    Only those elements of the product are computed. Axes before the last two of the matrices, and as many
    first ones of ``indices`` and ``values``, are a batch.

    Args:
        indices: where the elements are: for each a row and a column.
        values: the elements.
        dense_shape: how many rows and columns the whole has, as int32.
        mat1, mat2: the matrices to multiply.
        beta, alpha: a factor for each of the terms.
        output_type: the dtype of everything.
    """

def sparse_maximum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The larger of two sparse tensors, place by place; where only one has an element, the other is 0.

    >>> a, b = tf.SparseTensor([[0]], [7.0], [3]), tf.SparseTensor([[1]], [-5.0], [3])
    >>> tf.sparse.maximum(a, b).values.numpy().tolist()
    [7.0, 0.0]

    Differs from TensorFlow: gradients flow to the values (there they raise TypeError), and the result is in
    order where the inputs are not.
    """

def sparse_minimum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors, place by place; where only one has an element, the other is 0.

    >>> a, b = tf.SparseTensor([[0]], [7.0], [3]), tf.SparseTensor([[1]], [-5.0], [3])
    >>> tf.sparse.minimum(a, b).values.numpy().tolist()
    [0.0, -5.0]

    Differs from TensorFlow: gradients flow to the values (there they raise TypeError), and the result is in
    order where the inputs are not.
    """

def sparse_softmax(sp_input: SparseTensor, name: str | None = None) -> SparseTensor:
    """The softmax over each row of the last axis, among the elements that are given.

    >>> st = tf.SparseTensor([[0, 1], [0, 5], [2, 0]], [1.0, 1.0, 3.0], [3, 9])
    >>> tf.sparse.softmax(st).values.numpy().tolist()
    [0.5, 0.5, 1.0]

    Differs from TensorFlow: bfloat16 is taken too, the elements may come in any order, and the gradient has a
    gradient.
    """

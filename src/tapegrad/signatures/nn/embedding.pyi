# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.sparse.sparse_tensor import SparseTensor as SparseTensor

def embedding_lookup(
    params: TensorLike,
    ids: TensorLike,
    max_norm: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """The rows of ``params`` with the numbers ``ids``. Rows longer than ``max_norm`` are scaled down to it.

    >>> tf.nn.embedding_lookup(tf.constant([[1.0, 2.0], [3.0, 4.0]]), [1]).numpy().tolist()
    [[3.0, 4.0]]

    Args:
        params: a table, or a list of tables that make one table when put one below the other. All have the
            same number of rows, except that the first few may have one more.
    """

def embedding_lookup_sparse(
    params: TensorLike,
    sp_ids: SparseTensor,
    sp_weights: SparseTensor | TensorLike,
    combiner: str | None = None,
    max_norm: TensorLike | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """For each row of ``sp_ids``, the mean (or sum) of the rows of ``params`` that the row names.

    >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 2, 1], tf.int64), [2, 2])
    >>> tf.nn.embedding_lookup_sparse(table, ids, None).numpy()
    array([[3., 4.],
           [3., 4.]], dtype=float32)

    Args:
        params: a table, or a list of tables that make one table, as for ``embedding_lookup``.
        sp_weights: a sparse tensor with the weight of each id, and the indices of ``sp_ids``; None for 1.
        combiner: "mean" (the default) divides the weighted sum by the sum of the weights, "sqrtn" by the
            root of the sum of their squares, and "sum" does not divide. A quotient by 0 counts as 0.
        max_norm: rows that are longer are first scaled down to this norm.
    """

def embedding_lookup_sparse_v1(
    params: TensorLike,
    sp_ids: SparseTensor,
    sp_weights: SparseTensor | TensorLike,
    partition_strategy: str = 'mod',
    name: str | None = None,
    combiner: str | None = None,
    max_norm: TensorLike | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """``tf.nn.embedding_lookup_sparse`` with a choice of how ids are spread over a list of tables.

    >>> tables = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
    >>> ids = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([2, 1], tf.int64), [1, 2])
    >>> tf.compat.v1.nn.embedding_lookup_sparse(tables, ids, None, combiner="sum").numpy()
    array([[3.]], dtype=float32)
    """

def embedding_lookup_v1(
    params: TensorLike,
    ids: TensorLike,
    partition_strategy: str = 'mod',
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: TensorLike | None = None,
) -> Tensor:
    """``tf.nn.embedding_lookup`` with a choice of how ids are spread over a list of tables.

    >>> tables = [tf.constant([[0], [2]]), tf.constant([[1], [3]])]
    >>> tf.compat.v1.nn.embedding_lookup(tables, [0, 1, 2, 3]).numpy().ravel()
    array([0, 1, 2, 3], dtype=int32)

    Args:
        partition_strategy: "mod" deals the ids out in turn, and "div" gives each table a run of them.
        validate_indices: accepted and ignored: ids are always checked.
    """

def safe_embedding_lookup_sparse(
    embedding_weights: TensorLike,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | TensorLike | None = None,
    combiner: str | None = 'mean',
    default_id: TensorLike | None = None,
    max_norm: TensorLike | None = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """``embedding_lookup_sparse`` that accepts empty rows and invalid ids.

    Negative ids are left out, and so are (except for ``combiner="sum"``) ids whose weight is not positive. A
    row without any id gives zeros, or the table's row ``default_id``.

    >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> ids = tf.SparseTensor([[0, 0], [2, 0]], tf.constant([1, -1], tf.int64), [3, 1])
    >>> tf.nn.safe_embedding_lookup_sparse(table, ids).numpy()
    array([[3., 4.],
           [0., 0.],
           [0., 0.]], dtype=float32)

    If the ids have rank 3 or more, all axes but the last count as rows.
    """

def safe_embedding_lookup_sparse_v1(
    embedding_weights: TensorLike,
    sparse_ids: SparseTensor,
    sparse_weights: SparseTensor | TensorLike | None = None,
    combiner: str | None = 'mean',
    default_id: TensorLike | None = None,
    name: str | None = None,
    partition_strategy: str = 'div',
    max_norm: TensorLike | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """``tf.nn.safe_embedding_lookup_sparse`` with a choice of how ids are spread over a list of tables.

    >>> tables = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
    >>> ids = tf.SparseTensor([[1, 0]], tf.constant([1], tf.int64), [2, 1])
    >>> look_up = tf.compat.v1.nn.safe_embedding_lookup_sparse
    >>> look_up(tables, ids, partition_strategy="mod").numpy().ravel()
    array([0., 1.], dtype=float32)
    """

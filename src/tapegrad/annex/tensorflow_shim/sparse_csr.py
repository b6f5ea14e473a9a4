"""Products of sparse matrices: ``tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops``.

TensorFlow has a second format for sparse matrices, by rows. Here such a matrix is a sorted sparse tensor.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tapegrad import dtypes
from tapegrad.core import Tensor, public
from tapegrad.errors import refuse
from tapegrad.ops.elementwise.complex import conj
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.indexing.masks import unique
from tapegrad.ops.indexing.repeats import repeat
from tapegrad.ops.indexing.segment import unsorted_segment_sum
from tapegrad.ops.indexing.sort import argsort, searchsorted
from tapegrad.ops.reduce.scan import cumsum
from tapegrad.ops.shape.creation import constant
from tapegrad.ops.shape.joining import stack
from tapegrad.ops.shape.sequences import range
from tapegrad.ops.sparse.functions import reorder, sparse_transpose
from tapegrad.ops.sparse.sparse_tensor import SparseTensor

NUMBERS = (dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128)


class CSRSparseMatrixToSparseTensor(NamedTuple):
    """The parts of a sparse tensor."""

    indices: Tensor
    values: Tensor
    dense_shape: Tensor


class CSRSparseMatrix:
    """A sparse matrix, or a batch of them."""

    def __init__(self, sparse: SparseTensor) -> None:
        self.sparse = sparse

    def __repr__(self) -> str:
        return f"<CSRSparseMatrix: shape={self.sparse.shape}, dtype={self.sparse.dtype.name}>"


@public
def sparse_tensor_to_csr_sparse_matrix(
    indices: Any, values: Any, dense_shape: Any, name: str | None = None
) -> CSRSparseMatrix:
    """The sparse matrix, or batch of matrices, with these parts of a sparse tensor."""
    sparse = SparseTensor(indices, values, dense_shape)
    if sparse.shape.rank not in (2, 3):
        refuse(
            "sparse_tensor_to_csr_sparse_matrix: expected a matrix or a batch of matrices, "
            f"of rank 2 or 3; the shape is {sparse.shape}"
        )
    if sparse.dtype not in NUMBERS:
        refuse(
            "sparse_tensor_to_csr_sparse_matrix: values must be float32, float64, complex64 or "
            f"complex128; they are {sparse.dtype.name}"
        )
    return CSRSparseMatrix(reorder(sparse))


@public
def csr_sparse_matrix_to_sparse_tensor(
    sparse_matrix: CSRSparseMatrix, type: Any, name: str | None = None
) -> CSRSparseMatrixToSparseTensor:
    """The parts of a sparse tensor: indices, values and dense shape."""
    check("csr_sparse_matrix_to_sparse_tensor", "sparse_matrix", sparse_matrix, type)
    sparse = sparse_matrix.sparse
    return CSRSparseMatrixToSparseTensor(sparse.indices, sparse.values, sparse.dense_shape)


@public
def sparse_matrix_sparse_mat_mul(
    a: CSRSparseMatrix,
    b: CSRSparseMatrix,
    type: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> CSRSparseMatrix:
    """The product of two sparse matrices. It has an entry wherever a term was added, be the sum 0 or not."""
    for argument, matrix in (("a", a), ("b", b)):
        check("sparse_matrix_sparse_mat_mul", argument, matrix, type)
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        refuse("sparse_matrix_sparse_mat_mul: only one of transpose and adjoint can be true")
    left = turned(a.sparse, transpose_a, adjoint_a)
    right = turned(b.sparse, transpose_b, adjoint_b)
    if left.shape[:-2] != right.shape[:-2] or left.shape[-1] != right.shape[-2]:
        refuse(
            "sparse_matrix_sparse_mat_mul: the shapes of a and b do not fit a product: "
            f"{left.shape} and {right.shape}"
        )
    return CSRSparseMatrix(product(left, right))


def check(function: str, argument: str, matrix: Any, type: Any) -> None:
    if not isinstance(matrix, CSRSparseMatrix):
        refuse(
            f"{function}: {argument} must be a matrix that sparse_tensor_to_csr_sparse_matrix made; "
            f"{matrix!r} came"
        )
    if matrix.sparse.dtype != dtypes.as_dtype(type):
        refuse(
            f"{function}: {argument} is {matrix.sparse.dtype.name}, and type is "
            f"{dtypes.as_dtype(type).name}"
        )


def turned(sparse: SparseTensor, transpose: bool, adjoint: bool) -> SparseTensor:
    """``sparse``, or the transpose of its matrices, with the values of the adjoint if requested."""
    if not (transpose or adjoint):
        return sparse
    axes = [0, 2, 1] if sparse.shape.rank == 3 else [1, 0]
    result = sparse_transpose(sparse, axes)
    if not adjoint:
        return result
    return SparseTensor(result.indices, conj(result.values), result.dense_shape)


def product(left: SparseTensor, right: SparseTensor) -> SparseTensor:
    """The product of sorted sparse matrices. Every entry of ``left`` meets one row of ``right``."""
    *batches, rows, inner = left.dense_shape.numpy().tolist()
    columns = right.dense_shape.numpy().tolist()[-1]
    batch_a, row, k = places(left)
    batch_b, row_b, column = places(right)
    row_of_right = batch_b * inner + row_b
    wanted = batch_a * inner + k
    begin = searchsorted(row_of_right, wanted, side="left", out_type=dtypes.int64)
    count = searchsorted(row_of_right, wanted, side="right", out_type=dtypes.int64) - begin
    # Term t is entry entry[t] of left times entry other[t] of right.
    entry = repeat(range(wanted.shape[0], dtype=dtypes.int64), count)
    first = cumsum(count, exclusive=True)
    other = range(entry.shape[0], dtype=dtypes.int64) - gather(first - begin, entry)
    terms = gather(left.values, entry) * gather(right.values, other)
    target = (gather(batch_a * rows + row, entry)) * columns + gather(column, other)
    order = argsort(target, stable=True)
    numbers, position = unique(gather(target, order), out_idx=dtypes.int64)
    sums = unsorted_segment_sum(gather(terms, order), position, numbers.shape[0])
    parts = [numbers // columns % rows, numbers % columns]
    if left.shape.rank == 3:
        parts.insert(0, numbers // (columns * rows))
    shape = [*batches, rows, columns]
    return SparseTensor(stack(parts, axis=1), sums, constant(shape, dtypes.int64))


def places(sparse: SparseTensor) -> tuple[Any, Any, Any]:
    """Batch, row and column of every entry; the batch of a matrix is 0."""
    rank = sparse.shape.rank
    batch = sparse.indices[:, 0] if rank == 3 else sparse.indices[:, 0] * 0
    return batch, sparse.indices[:, -2], sparse.indices[:, -1]

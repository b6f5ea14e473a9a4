"""Sparse matrices as objects, and their products: ``tensorflow.python.ops.linalg.sparse.sparse``.

Spektral multiplies by them. `sparse_csr` has the ops.
"""

from __future__ import annotations

from typing import Any

from tapegrad.annex.tensorflow_shim import sparse_csr
from tapegrad.annex.tensorflow_shim.sparse_csr import sparse_tensor_to_csr_sparse_matrix, turned
from tapegrad.dtypes import DType, int64
from tapegrad.errors import refuse
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.elementwise.complex import conj
from tapegrad.ops.indexing.gather import gather_nd
from tapegrad.ops.linalg.products import matmul as dense_matmul
from tapegrad.ops.linalg.products import matrix_transpose
from tapegrad.ops.shape.creation import convert_to_tensor
from tapegrad.ops.shape.shapes import shape
from tapegrad.ops.sparse.arithmetic import sparse_dense_matmul
from tapegrad.ops.sparse.functions import from_dense, to_dense
from tapegrad.ops.sparse.sparse_tensor import SparseTensor


class CSRSparseMatrix(sparse_csr.CSRSparseMatrix):
    """A sparse matrix, or a batch of them, made of a sparse tensor or of a dense one.

    Args:
        value: a `tf.SparseTensor` of rank 2 or 3, or a dense tensor.
        indices: which entries of a dense ``value`` are kept; those that are not 0 if None.
    """

    def __init__(self, value: Any, indices: Any = None, name: str | None = None) -> None:
        if isinstance(value, sparse_csr.CSRSparseMatrix):
            value = value.sparse
        if not isinstance(value, SparseTensor):
            dense = convert_to_tensor(value)
            if indices is None:
                value = from_dense(dense)
            else:
                indices = convert_to_tensor(indices, int64)
                sizes = shape(dense, out_type=int64)
                value = SparseTensor(indices, gather_nd(dense, indices), sizes)
        super().__init__(
            sparse_tensor_to_csr_sparse_matrix(
                value.indices, value.values, value.dense_shape
            ).sparse
        )

    @property
    def dtype(self) -> DType:
        """The dtype of the entries."""
        return self.sparse.dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the matrix, or of the batch."""
        return self.sparse.shape

    def to_dense(self) -> Any:
        """The matrix as a tensor."""
        return to_dense(self.sparse)

    def to_sparse_tensor(self) -> SparseTensor:
        """The matrix as a sparse tensor in row order."""
        return self.sparse

    def conj(self) -> CSRSparseMatrix:
        """The matrix of the conjugate entries."""
        entries = self.sparse
        return CSRSparseMatrix(
            SparseTensor(entries.indices, conj(entries.values), entries.dense_shape)
        )

    def transpose(self) -> CSRSparseMatrix:
        """The transposed matrix."""
        return CSRSparseMatrix(turned(self.sparse, True, False))

    def hermitian_transpose(self) -> CSRSparseMatrix:
        """The adjoint matrix."""
        return CSRSparseMatrix(turned(self.sparse, False, True))


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> Any:
    """The product of two matrices, sparse or dense. It is sparse if both are."""
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        refuse("matmul: only one of transpose and adjoint can be true")
    left = _turned(a, transpose_a, adjoint_a)
    right = _turned(b, transpose_b, adjoint_b)
    sparse_ones = [matrix for matrix in (left, right) if isinstance(matrix, SparseTensor)]
    if len(sparse_ones) == 2:
        first, second = (sparse_csr.CSRSparseMatrix(matrix) for matrix in sparse_ones)
        product = sparse_csr.sparse_matrix_sparse_mat_mul(first, second, left.dtype)
        return CSRSparseMatrix(product)
    if len(sparse_ones) == 1 and sparse_ones[0].shape.rank == 2:
        return sparse_dense_matmul(left, right)
    dense = [
        to_dense(matrix) if isinstance(matrix, SparseTensor) else matrix for matrix in (left, right)
    ]
    return dense_matmul(dense[0], dense[1])


def _turned(matrix: Any, transpose: bool, adjoint: bool) -> Any:
    """``matrix`` as a tensor, sparse or dense, transposed if requested."""
    if isinstance(matrix, sparse_csr.CSRSparseMatrix):
        return turned(matrix.sparse, transpose, adjoint)
    dense = convert_to_tensor(matrix)
    return matrix_transpose(dense, conjugate=adjoint) if transpose or adjoint else dense

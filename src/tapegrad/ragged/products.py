"""`tf.matmul` of batches of matrices whose sizes differ."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.core import convert, static_value
from tapegrad.errors import refuse
from tapegrad.ops.elementwise.math import maximum
from tapegrad.ops.indexing.masks import boolean_mask, sequence_mask
from tapegrad.ops.indexing.repeats import repeat
from tapegrad.ops.reduce.reduce import reduce_max, reduce_sum
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import constant
from tapegrad.ops.shape.creation import ones as tf_ones
from tapegrad.ops.shape.joining import unstack
from tapegrad.ops.shape.shapes import shape
from tapegrad.ragged.ragged_tensor import RaggedTensor, rebuilt


def matmul(
    function: Any,
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    **kwargs: Any,
) -> Any:
    """The ragged override of `tf.matmul`: products of the matrices in two batches, of any sizes."""
    first = a if isinstance(a, RaggedTensor) else convert(a)
    second = b if isinstance(b, RaggedTensor) else convert(b)
    rank: Any = first.shape.rank
    if rank != second.shape.rank:
        raise ValueError("`a` and `b` must have the same rank.")
    options = {
        "transpose_a": transpose_a,
        "transpose_b": transpose_b,
        "adjoint_a": adjoint_a,
        "adjoint_b": adjoint_b,
        **kwargs,
    }
    if rank < 3:
        refuse("The matrices in `a` and `b` may not be ragged in their innermost dimension.")
    if rank > 3:
        return _of_batches(function, first, second, options)
    if not (isinstance(first, RaggedTensor) or isinstance(second, RaggedTensor)):
        return function(first, second, **options)
    return _of_matrices(function, first, second, options)


def _of_batches(function: Any, a: Any, b: Any, options: dict[str, Any]) -> Any:
    """The products of batches with several axes: the products of the inner batches, with the same rows."""
    a, b = (
        operand
        if isinstance(operand, RaggedTensor)
        else RaggedTensor.from_tensor(operand, ragged_rank=1)
        for operand in (a, b)
    )
    rows = [
        static_value(cast(operand.row_splits, dtypes.int64), "rows").tolist() for operand in (a, b)
    ]
    if rows[0] != rows[1]:
        refuse("Batch dimensions of `a` and `b` do not have the same size.")
    return rebuilt(matmul(function, a.values, b.values, **options), a._nested_row_partitions[:1])


def _sizes(x: Any) -> tuple[Any, Any]:
    """The numbers of rows and of columns of each matrix in a batch, as arrays."""
    if not isinstance(x, RaggedTensor):
        sizes: list[Any] = unstack(shape(x, dtypes.int64))
        ones = tf_ones([sizes[0]], dtypes.int64)
        return static_value(sizes[1] * ones, "sizes"), static_value(sizes[2] * ones, "sizes")
    rows: Any = static_value(cast(x.row_lengths(), dtypes.int64), "sizes")
    if x.ragged_rank == 1:
        width = shape(x.flat_values, dtypes.int64)[1]
        return rows, static_value(width * tf_ones([len(rows)], dtypes.int64), "sizes")
    lengths = cast(x.values.row_lengths(), dtypes.int64)
    of_matrix = RaggedTensor.from_row_lengths(lengths, constant(rows))
    columns: Any = static_value(maximum(reduce_max(of_matrix, 1), 0), "sizes")
    total = static_value(reduce_sum(of_matrix, 1), "sizes")
    if (total != rows * columns).any():
        refuse("The matrices in `a` and `b` may not be ragged in their innermost dimension.")
    return rows, columns


def _of_matrices(function: Any, a: Any, b: Any, options: dict[str, Any]) -> Any:
    """The products of two batches of matrices, padded with zeros, and cut to their sizes."""
    a_turned = options["transpose_a"] or options["adjoint_a"]
    b_turned = options["transpose_b"] or options["adjoint_b"]
    rows, inner = _sizes(a)[::-1] if a_turned else _sizes(a)
    other, columns = _sizes(b)[::-1] if b_turned else _sizes(b)
    if len(rows) != len(columns):
        refuse("Batch dimensions of `a` and `b` do not have the same size.")
    if (inner != other).any():
        refuse(
            f"Matrix size-incompatible: the matrices have the inner sizes {inner.tolist()} "
            f"and {other.tolist()}, which must be equal (after any transposing)."
        )
    dense = [
        operand.to_tensor() if isinstance(operand, RaggedTensor) else operand for operand in (a, b)
    ]
    product = function(*dense, **options)
    kept: Any = boolean_mask(product, sequence_mask(rows, product.shape[1]))
    if (b.shape[-2] if b_turned else b.shape[-1]) is None:
        kept = RaggedTensor.from_tensor(kept, lengths=repeat(columns, rows))
    static_rows = a.shape[-1] if a_turned else a.shape[-2]
    if static_rows is not None:
        return RaggedTensor.from_uniform_row_length(kept, static_rows, nrows=len(rows))
    return RaggedTensor.from_row_lengths(kept, constant(rows))

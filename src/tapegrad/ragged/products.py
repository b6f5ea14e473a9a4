"""`tf.matmul` of batches of matrices whose sizes differ."""

from __future__ import annotations

from typing import Any

import tapegrad as tf
from tapegrad.core import convert, static_value
from tapegrad.errors import refuse
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
    """A form of `tf.matmul`: the products of the matrices in two batches, each with sizes of its own."""
    first = a if isinstance(a, RaggedTensor) else convert(a)
    second = b if isinstance(b, RaggedTensor) else convert(b)
    rank = first.shape.rank
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
    """The products where the batch has several axes: those of the inner batches, along the same rows."""
    a, b = (
        each if isinstance(each, RaggedTensor) else RaggedTensor.from_tensor(each, ragged_rank=1)
        for each in (a, b)
    )
    rows = [static_value(tf.cast(each.row_splits, tf.int64), "rows").tolist() for each in (a, b)]
    if rows[0] != rows[1]:
        refuse("Batch dimensions of `a` and `b` do not have the same size.")
    return rebuilt(matmul(function, a.values, b.values, **options), a._nested_row_partitions[:1])


def _sizes(x: Any) -> tuple[Any, Any]:
    """The numbers of rows and of columns of each matrix in a batch, as arrays."""
    if not isinstance(x, RaggedTensor):
        batch, rows, columns = x.shape
        ones = tf.ones([batch], tf.int64)
        return static_value(rows * ones, "sizes"), static_value(columns * ones, "sizes")
    rows = static_value(tf.cast(x.row_lengths(), tf.int64), "sizes")
    if x.ragged_rank == 1:
        columns = x.flat_values.shape[1] * tf.ones([len(rows)], tf.int64)
        return rows, static_value(columns, "sizes")
    lengths = tf.cast(x.values.row_lengths(), tf.int64)
    of_matrix = RaggedTensor.from_row_lengths(lengths, tf.constant(rows))
    columns = static_value(tf.maximum(tf.reduce_max(of_matrix, 1), 0), "sizes")
    total = static_value(tf.reduce_sum(of_matrix, 1), "sizes")
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
    dense = [each.to_tensor() if isinstance(each, RaggedTensor) else each for each in (a, b)]
    product = function(*dense, **options)
    kept = tf.boolean_mask(product, tf.sequence_mask(rows, product.shape[1]))
    if (b.shape[-2] if b_turned else b.shape[-1]) is None:
        kept = RaggedTensor.from_tensor(kept, lengths=tf.repeat(columns, rows))
    static_rows = a.shape[-1] if a_turned else a.shape[-2]
    if static_rows is not None:
        return RaggedTensor.from_uniform_row_length(kept, static_rows, nrows=len(rows))
    return RaggedTensor.from_row_lengths(kept, tf.constant(rows))

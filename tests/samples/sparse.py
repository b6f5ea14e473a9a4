"""Sparse tensors, by their values."""

from __future__ import annotations

from typing import Any

from . import Sample, call
from .draws import reals

_INDICES = [[0, 1], [2, 0]]


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""

    def row(function: Any, cases: list[Any], name: str, **more: Any) -> Sample:
        return Sample(
            function, cases, name=name, dtypes=("float32", "float64", "complex64"), **more
        )

    def sparse(tf: Any, values: Any) -> Any:
        return tf.SparseTensor(_INDICES, values, [3, 2])

    return [
        row(lambda tf, v: tf.sparse.to_dense(sparse(tf, v)), [reals(2)], "tf.sparse.to_dense"),
        row(lambda tf, v, y: tf.sparse.sparse_dense_matmul(sparse(tf, v), y),
            [call(reals(2), reals(2, 2))], "tf.sparse.sparse_dense_matmul"),
        row(lambda tf, x: tf.sparse.from_dense(x).values, [reals(2, 3)], "tf.sparse.from_dense"),
    ]  # fmt: skip

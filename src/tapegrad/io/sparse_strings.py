"""Sparse tensors as strings: `tf.io.serialize_sparse`, `serialize_many_sparse`, `deserialize_many_sparse`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, static_value
from tapegrad.dtypes import as_dtype
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.io.tensors import parse_tensor, serialize_tensor
from tapegrad.ops.constants import constant
from tapegrad.ops.shape.joining import concat, stack
from tapegrad.ops.sparse.functions import check_sparse, sparse_slice
from tapegrad.ops.sparse.sparse_tensor import SparseTensor

PUBLIC = {
    "io": "serialize_many_sparse serialize_sparse",
    "io compat.v1 compat.v1.io": "deserialize_many_sparse",
}


def check_type(out_type: Any) -> None:
    if as_dtype(out_type) is not dtypes.string:
        refuse(
            f"Sparse tensors are serialized as tf.string; out_type={as_dtype(out_type).name}.",
            op="SerializeSparse",
        )


def serialize_sparse(
    sp_input: Any, out_type: Any = dtypes.string, name: str | None = None
) -> Tensor:
    """A sparse tensor as three strings: its indices, its values and its shape.

    Args:
        sp_input: a sparse tensor.
        out_type: tf.string; tf.variant is refused.
    """
    check_type(out_type)
    sparse = check_sparse(sp_input)
    parts = (sparse.indices, sparse.values, sparse.dense_shape)
    return stack([serialize_tensor(part) for part in parts])


def serialize_many_sparse(
    sp_input: Any, out_type: Any = dtypes.string, name: str | None = None
) -> Tensor:
    """The rows of a sparse tensor along its first axis, each as three strings, as ``[rows, 3]``.

    Args:
        sp_input: a sparse tensor of rank 2 or more.
        out_type: tf.string; tf.variant is refused.
    """
    check_type(out_type)
    sparse = check_sparse(sp_input)
    shape = static_value(sparse.dense_shape, "shape").tolist()
    if len(shape) < 2:
        refuse(
            f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}",
            op="SerializeManySparse",
        )
    if not shape[0]:
        return constant(np.empty((0, 3), object), dtypes.string)
    rows = []
    for number in range(shape[0]):
        row = sparse_slice(sparse, [number, *[0] * (len(shape) - 1)], [1, *shape[1:]])
        rows.append(serialize_sparse(SparseTensor(row.indices[:, 1:], row.values, shape[1:])))
    return stack(rows)


def check_parts(indices: Any, values: Any, shape: Any) -> None:
    """Raise unless the shapes of indices, values and shape suit one sparse tensor."""
    if (
        (indices.rank, values.rank, len(shape)) != (2, 1, 1)
        or indices[0] != values[0]
        or indices[1] != shape[0]
    ):
        refuse(
            f"A serialized sparse tensor has indices of the shape {indices}, values of {values} and a shape "
            f"of {list(shape)}, which do not belong together.",
            op="DeserializeManySparse",
        )


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """What `serialize_many_sparse` wrote, or several strings of `serialize_sparse`, as one sparse tensor.

    Args:
        serialized_sparse: strings, as ``[rows, 3]``.
        dtype: the dtype of the values.
        rank: the rank of a row, to be checked.
        name: accepted and ignored.
    """
    strings = convert_to_tensor(serialized_sparse, dtypes.string)
    if strings.shape.rank != 2 or strings.shape[1] != 3:
        refuse(
            f"Serialized sparse tensors have the shape [rows, 3], not {strings.shape}.",
            op="DeserializeManySparse",
        )
    count = strings.shape[0]
    if not count:
        refuse("There is no row to deserialize.", op="DeserializeManySparse")
    indices, values, shapes = [], [], []
    for number in range(count):
        places = parse_tensor(strings[number, 0], dtypes.int64)
        values.append(parse_tensor(strings[number, 1], dtype))
        shapes.append(static_value(parse_tensor(strings[number, 2], dtypes.int64), "shape"))
        check_parts(places.shape, values[-1].shape, shapes[-1].shape)
        front = constant(np.full((places.shape[0], 1), number), dtypes.int64)
        indices.append(concat([front, places], 1))
    ranks = {len(shape) for shape in shapes}
    if len(ranks) > 1 or (rank is not None and ranks != {rank}):
        wanted = "one rank" if rank is None else f"the rank {rank}"
        refuse(f"Rows must have {wanted}; theirs are {sorted(ranks)}.", op="DeserializeManySparse")
    largest = np.max(shapes, 0).tolist()
    return SparseTensor(concat(indices, 0), concat(values, 0), [count, *largest])

"""Rows of a table looked up by ids: single rows, or sums and means of the rows that sparse ids name.

A table may be given as a list of tables, its partitions. A strategy spreads the ids over them: "div" gives
each table a run of ids, and "mod" deals the ids out in turn. ``tf.nn`` uses "div". ``tf.compat.v1.nn`` lets
the user choose.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Operand, Tensor, convert
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import check_size, static_int
from tapegrad.ops.elementwise import logic, math
from tapegrad.ops.indexing import gather, masks, segment
from tapegrad.ops.op import BOOL, HALVES, op
from tapegrad.ops.reduce.clip import clip_by_norm
from tapegrad.ops.shape import array, casts, creation, joining, sequences
from tapegrad.ops.shape_rules import Abstract
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, shape_of

PUBLIC = {
    "nn": "embedding_lookup embedding_lookup_sparse safe_embedding_lookup_sparse",
    "compat.v1.nn": (
        "embedding_lookup=embedding_lookup_v1 embedding_lookup_sparse=embedding_lookup_sparse_v1 "
        "safe_embedding_lookup_sparse=safe_embedding_lookup_sparse_v1"
    ),
}


@composition
def embedding_lookup(
    params: Any, ids: Any, max_norm: Any = None, name: str | None = None
) -> Tensor:
    """The rows of ``params`` with the numbers ``ids``. Rows longer than ``max_norm`` are scaled down to it.

    >>> tf.nn.embedding_lookup(tf.constant([[1.0, 2.0], [3.0, 4.0]]), [1]).numpy().tolist()
    [[3.0, 4.0]]

    Args:
        params: a table, or a list of tables that make one table when put one below the other. All have the
            same number of rows, except that the first few may have one more.
        ids: integers of any shape.
        max_norm: the largest length of a row; None for any.
    """
    return _lookup(params, ids, "div", max_norm)


@composition
def embedding_lookup_v1(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Tensor:
    """``tf.nn.embedding_lookup`` with a choice of how ids are spread over a list of tables.

    >>> tables = [tf.constant([[0], [2]]), tf.constant([[1], [3]])]
    >>> tf.compat.v1.nn.embedding_lookup(tables, [0, 1, 2, 3]).numpy().ravel()
    array([0, 1, 2, 3], dtype=int32)

    Args:
        params: a table, or a list of tables over which the ids are spread.
        ids: integers of any shape.
        partition_strategy: "mod" deals the ids out in turn, and "div" gives each table a run of them.
        validate_indices: accepted and ignored: ids are always checked.
        max_norm: the largest length of a row, to which longer ones are scaled down; None for any.
    """
    return _lookup(params, ids, partition_strategy, max_norm)


def _lookup(params: Any, ids: Any, strategy: str, max_norm: Any) -> Tensor:
    if params is None or (isinstance(params, list) and not params):
        raise ValueError(f"An embedding needs at least one table; params are {params}.")
    if not isinstance(params, list):
        return _rows(params, convert(ids), max_norm)
    tables = [table if isinstance(table, Operand) else convert(table) for table in params]
    if len(tables) == 1:
        return _rows(tables[0], convert(ids), max_norm)
    ids = convert(ids)
    if strategy not in ("mod", "div"):
        raise ValueError(f"partition_strategy must be 'mod' or 'div', not {strategy!r}.")
    count, total = len(tables), sum(table._shape_tuple()[0] for table in tables)
    owners, rows = _spread(array.reshape(ids, (-1,)), strategy, count, total)
    numbers = sequences.range(owners._shape_tuple()[0])
    places = masks.dynamic_partition(numbers, owners, count)
    own_rows = masks.dynamic_partition(rows, owners, count)
    parts = [_rows(table, own, max_norm) for table, own in zip(tables, own_rows, strict=True)]
    whole = masks.dynamic_stitch(places, parts)
    return array.reshape(whole, ids._shape_tuple() + whole._shape_tuple()[1:])


def _rows(table: Any, ids: Tensor, max_norm: Any) -> Tensor:
    rows = gather.gather(table, ids)
    if max_norm is None:
        return rows
    return clip_by_norm(rows, max_norm, axes=tuple(range(ids.ndim, rows.ndim)))


@op("_SpreadIds", outputs=("owners", "rows"), values="errors")
def _spread(xp, ids, *, strategy, count, total):
    """The table of each id, and its row in that table: ``count`` tables have ``total`` rows in all."""
    if strategy == "mod":
        owners, rows = ids % count, ids // count
    else:
        # The first `longer` tables have `size` + 1 rows, the others `size`.
        size, longer = divmod(total, count)
        size = max(size, 1)
        owners = xp.maximum(ids // (size + 1), (ids - longer) // size)
        rows = xp.where(owners < longer, ids % (size + 1), (ids - longer) % size)
    wrong = (ids < 0) | (owners >= count)
    if wrong.any():
        refuse(f"The id {ids[wrong][0]} is in none of the {count} tables.")
    return owners.astype(np.int32), rows.astype(ids.dtype)


_spread.shape(lambda ids: [Abstract(ids.shape, dtypes.int32), ids])
_spread.no_gradient()


@composition
def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
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
        sp_ids: a sparse tensor of integers, the numbers of rows of ``params``.
        sp_weights: a sparse tensor with the weight of each id, and the indices of ``sp_ids``; None for 1.
        combiner: "mean" (the default) divides the weighted sum by the sum of the weights, "sqrtn" by the
            root of the sum of their squares, and "sum" does not divide. A quotient by 0 counts as 0.
        max_norm: rows that are longer are first scaled down to this norm.
        allow_fast_lookup: of no effect.
    """
    return _combined(params, sp_ids, sp_weights, "div", combiner, max_norm)


@composition
def embedding_lookup_sparse_v1(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """``tf.nn.embedding_lookup_sparse`` with a choice of how ids are spread over a list of tables.

    >>> tables = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
    >>> ids = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([2, 1], tf.int64), [1, 2])
    >>> tf.compat.v1.nn.embedding_lookup_sparse(tables, ids, None, combiner="sum").numpy()
    array([[3.]], dtype=float32)

    Args:
        params: a table, or a list of tables over which the ids are spread.
        sp_ids: a sparse matrix of ids, a row for each result.
        sp_weights: a sparse tensor with the weight of each id, and the indices of ``sp_ids``; None for 1.
        partition_strategy: "mod" deals the ids out in turn, and "div" gives each table a run of them.
        combiner: "mean" (the default) divides the weighted sum by the sum of the weights, "sqrtn" by the root
            of the sum of their squares, and "sum" does not divide.
        max_norm: rows that are longer are first scaled down to this norm; None for any.
        allow_fast_lookup: accepted, and of no effect.
    """
    return _combined(params, sp_ids, sp_weights, partition_strategy, combiner, max_norm)


def _combined(
    params: Any, sp_ids: Any, sp_weights: Any, strategy: str, combiner: str | None, max_norm: Any
) -> Tensor:
    combiner = _checked_combiner(combiner)
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    if sp_weights is not None:
        if not isinstance(sp_weights, SparseTensor):
            raise TypeError(
                f"sp_weights must be either None or SparseTensor, got {type(sp_weights)}"
            )
        if sp_weights.values._shape_tuple() != sp_ids.values._shape_tuple():
            raise ValueError(
                f"sp_ids and sp_weights hold {sp_ids.values._shape_tuple()} "
                f"and {sp_weights.values._shape_tuple()} values; they need the same indices."
            )
    rows, ids, places = _rows_and_ids(sp_ids.indices, sp_ids.values)
    picked = gather.gather(_lookup(params, ids, strategy, max_norm), places)
    dtype = picked.dtype
    if dtype in HALVES:
        picked = casts.cast(picked, dtypes.float32)
    sums = segment.segment_sum
    if sp_weights is None:
        total = sums(picked, rows)
        if combiner != "sum":
            divisor = segment.segment_sizes(rows, total._shape_tuple()[0], total)
            divisor = divisor if combiner == "mean" else math.sqrt(divisor)
    else:
        weights = casts.cast(sp_weights.values, picked.dtype)
        column = array.reshape(weights, [-1] + [1] * (picked.ndim - 1))
        total = sums(picked * column, rows)
        if combiner == "mean":
            divisor = sums(weights, rows)
        elif combiner == "sqrtn":
            divisor = math.sqrt(sums(math.square(weights), rows))
    if combiner != "sum":
        divisor = array.reshape(divisor, [-1] + [1] * (picked.ndim - 1))
        total = math.divide_no_nan(total, divisor)
    return total if total.dtype == dtype else casts.cast(total, dtype)


@op(
    "_RowsAndIds",
    dtypes={"indices": {dtypes.int64}, "ids": None},
    outputs=("rows", "distinct", "places"),
)
def _rows_and_ids(xp, indices, ids):
    """The row of each id, the distinct ids, and the number of each id among these. Each distinct id is
    looked up and scaled to max_norm once."""
    rows = indices[:, 0]
    if (rows[1:] < rows[:-1]).any():
        refuse("The rows of sp_ids must not decrease: use tf.sparse.reorder first.")
    distinct, places = xp.unique(ids, return_inverse=True)
    return rows, distinct, places.reshape(-1)


_rows_and_ids.shape(
    lambda indices, ids: [
        Abstract(indices.shape[:1], indices.dtype),
        Abstract([None], ids.dtype),
        Abstract([ids.size], dtypes.int64),
    ]
)
_rows_and_ids.no_gradient()


def _checked_combiner(combiner: str | None) -> str:
    combiner = "mean" if combiner is None else combiner
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    return combiner


@composition
def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str | None = "mean",
    default_id: Any = None,
    max_norm: Any = None,
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

    Args:
        embedding_weights: a table, or a list of tables that make one table, as for `tf.nn.embedding_lookup`.
        sparse_ids: a sparse tensor of integers.
        sparse_weights: a sparse tensor with the weight of each id; None for 1.
        combiner: "mean", "sqrtn" or "sum", as for `tf.nn.embedding_lookup_sparse`.
        default_id: the row of the table for rows without ids; None for zeros.
        max_norm: rows of the table that are longer are first scaled down to this norm; None for any length.
        allow_fast_lookup: of no effect.
    """
    return _combined_safely(
        embedding_weights, sparse_ids, sparse_weights, "div", combiner, default_id, max_norm
    )


@composition
def safe_embedding_lookup_sparse_v1(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str | None = "mean",
    default_id: Any = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """``tf.nn.safe_embedding_lookup_sparse`` with a choice of how ids are spread over a list of tables.

    >>> tables = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
    >>> ids = tf.SparseTensor([[1, 0]], tf.constant([1], tf.int64), [2, 1])
    >>> look_up = tf.compat.v1.nn.safe_embedding_lookup_sparse
    >>> look_up(tables, ids, partition_strategy="mod").numpy().ravel()
    array([0., 1.], dtype=float32)

    Args:
        embedding_weights: a table, or a list of tables over which the ids are spread.
        sparse_ids: a sparse tensor of ids, whose last axis has those of one result.
        sparse_weights: a sparse tensor with the weight of each id, and the indices of ``sparse_ids``; None
            for 1.
        combiner: "mean" divides the weighted sum by the sum of the weights, "sqrtn" by the root of the sum of
            their squares, and "sum" does not divide; None is "mean".
        default_id: the id for rows without any; None gives zeros.
        partition_strategy: "mod" deals the ids out in turn, and "div" gives each table a run of them.
        max_norm: rows of the table that are longer are first scaled down to this norm; None for any.
        allow_fast_lookup: accepted, and of no effect.
    """
    return _combined_safely(
        embedding_weights,
        sparse_ids,
        sparse_weights,
        partition_strategy,
        combiner,
        default_id,
        max_norm,
    )


def _combined_safely(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any,
    strategy: str,
    combiner: str | None,
    default_id: Any,
    max_norm: Any,
) -> Tensor:
    _checked_combiner(combiner)
    if embedding_weights is None or (
        isinstance(embedding_weights, (list, tuple)) and not embedding_weights
    ):
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    if not isinstance(sparse_ids, SparseTensor):
        raise TypeError(f"sparse_ids must be SparseTensor, got {type(sparse_ids)}")
    *lead, width = shape_of(sparse_ids)
    keep = logic.greater_equal(sparse_ids.values, 0)
    if sparse_weights is not None and combiner != "sum":
        keep = logic.logical_and(keep, logic.greater(sparse_weights.values, 0))
    filled_ids = _fill_rows(
        sparse_ids.indices,
        sparse_ids.values,
        keep,
        tuple(lead),
        0 if default_id is None else static_int(default_id),
    )
    places, ids, kept, order, full = filled_ids
    count = full._shape_tuple()[0]
    filled = SparseTensor(places, ids, [count, width])
    filled_weights = None
    if sparse_weights is not None:
        weights = gather.gather(sparse_weights.values, kept)
        added = order._shape_tuple()[0] - kept._shape_tuple()[0]
        weights = joining.concat([weights, creation.ones([added], weights.dtype)], 0)
        filled_weights = SparseTensor(places, gather.gather(weights, order), [count, width])
    result = _combined(embedding_weights, filled, filled_weights, strategy, combiner, max_norm)
    if default_id is None:
        full = array.reshape(full, [count] + [1] * (result.ndim - 1))
        result = math.keep_where(result, full)
    return array.reshape(result, [*lead, *result._shape_tuple()[1:]])


@op(
    "_FillRows",
    dtypes={"indices": {dtypes.int64}, "ids": None, "keep": BOOL},
    outputs=("places", "filled", "kept", "order", "full"),
)
def _fill_rows(xp, indices, ids, keep, *, lead, filler):
    """The ids to keep, and one id for each row that has none: their indices in a matrix, and the ids.

    Also which ids were kept, in what order the kept and the added ones stand, and which rows had any.
    """
    (kept,) = xp.nonzero(keep)
    rows = xp.zeros(len(indices), np.int64)
    for axis, size in enumerate(lead):
        rows = rows * size + indices[:, axis]
    rows, columns = rows[kept], indices[kept, -1]
    full = xp.zeros(check_size((prod(lead),)), dtype=bool)
    full[rows] = True
    (empty,) = xp.nonzero(~full)
    order = xp.argsort(xp.concatenate([rows, empty]), kind="stable")
    places = xp.stack(
        [xp.concatenate([rows, empty]), xp.concatenate([columns, xp.zeros_like(empty)])], axis=1
    )
    filled = xp.concatenate([ids[kept], xp.full(len(empty), filler, ids.dtype)])
    return places[order].astype(np.int64, copy=False), filled[order], kept, order, full


_fill_rows.shape(
    lambda ids, lead: [
        Abstract([None, 2], dtypes.int64),
        Abstract([None], ids.dtype),
        Abstract([None], dtypes.int64),
        Abstract([None], dtypes.int64),
        Abstract([prod(lead)], dtypes.bool),
    ]
)
_fill_rows.no_gradient()

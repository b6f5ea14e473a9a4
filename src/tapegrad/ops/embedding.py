"""Rows of a table that are picked by ids: one by one, or sums and means of them by sparse tensors of ids.

A table may come as a list of tables, its partitions, over which the ids are spread by a strategy: "div" gives
each table a run of ids, "mod" deals them out in turn. ``tf.nn`` divides; ``tf.compat.v1.nn`` lets one choose.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, Operand, Tensor, convert
from tapegrad.ops import array, creation, gather, math, segment, select
from tapegrad.ops.args import static_int
from tapegrad.ops.clip import clip_by_norm
from tapegrad.ops.op import HALVES
from tapegrad.ops.sparse_tensor import SparseTensor, shape_of

PUBLIC = {
    "nn": "embedding_lookup embedding_lookup_sparse safe_embedding_lookup_sparse",
    "compat.v1.nn": (
        "embedding_lookup=embedding_lookup_v1 embedding_lookup_sparse=embedding_lookup_sparse_v1 "
        "safe_embedding_lookup_sparse=safe_embedding_lookup_sparse_v1"
    ),
}


def embedding_lookup(
    params: Any, ids: Any, max_norm: Any = None, name: str | None = None
) -> Tensor:
    """The rows of the table ``params`` with the numbers ``ids``, scaled down to ``max_norm`` if longer.

    >>> tf.nn.embedding_lookup(tf.constant([[1.0, 2.0], [3.0, 4.0]]), [1]).numpy().tolist()
    [[3.0, 4.0]]

    Args:
        params: a table, or a list of tables that make one table, one below the other. All are then of one
            size, but for the first few, which may have one row more.
    """
    return _lookup(params, ids, "div", max_norm)


def embedding_lookup_v1(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: Any = None,
) -> Tensor:
    """``tf.nn.embedding_lookup``, with a choice of how ids are spread over a list of tables.

    >>> tables = [tf.constant([[0], [2]]), tf.constant([[1], [3]])]
    >>> tf.compat.v1.nn.embedding_lookup(tables, [0, 1, 2, 3]).numpy().ravel()
    array([0, 1, 2, 3], dtype=int32)

    Args:
        partition_strategy: "mod" deals them out in turn, "div" gives each table a run of them.
        validate_indices: accepted; ids are always checked.
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
    owners, rows = _spread(ids._array.reshape(-1), tables, strategy)
    places, parts = [], []
    for number, table in enumerate(tables):
        places.append(np.flatnonzero(owners == number))
        parts.append(_rows(table, EagerTensor(rows[places[-1]]), max_norm))
    whole = select.dynamic_stitch(places, parts)
    return array.reshape(whole, ids._shape_tuple() + whole._shape_tuple()[1:])


def _rows(table: Any, ids: Tensor, max_norm: Any) -> Tensor:
    rows = gather.gather(table, ids)
    if max_norm is None:
        return rows
    return clip_by_norm(rows, max_norm, axes=tuple(range(ids.ndim, rows.ndim)))


def _spread(ids: Any, tables: list[Any], strategy: str) -> tuple[Any, Any]:
    """For each id the number of its table, and its row in there."""
    count = len(tables)
    if strategy == "mod":
        owners, rows = ids % count, ids // count
    elif strategy == "div":
        # The first `longer` tables have `size` + 1 rows, the others `size`.
        size, longer = divmod(sum(table._shape_tuple()[0] for table in tables), count)
        size = max(size, 1)
        owners = np.maximum(ids // (size + 1), (ids - longer) // size)
        rows = np.where(owners < longer, ids % (size + 1), (ids - longer) % size)
    else:
        raise ValueError(f"partition_strategy must be 'mod' or 'div', not {strategy!r}.")
    wrong = (ids < 0) | (owners >= count)
    if wrong.any():
        raise errors.InvalidArgumentError(
            None, None, f"The id {ids[wrong][0]} is in none of the {count} tables."
        )
    return owners, rows.astype(ids.dtype)


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    combiner: str | None = None,
    max_norm: Any = None,
    name: str | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """For each row of ``sp_ids``, the mean (or sum) of the rows of ``params`` that it names.

    >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], tf.constant([0, 2, 1], tf.int64), [2, 2])
    >>> tf.nn.embedding_lookup_sparse(table, ids, None).numpy()
    array([[3., 4.],
           [3., 4.]], dtype=float32)

    Args:
        params: a table, or a list of tables that make one table, as for ``embedding_lookup``.
        sp_weights: a sparse tensor of what each id counts for, with the indices of ``sp_ids``; None for 1.
        combiner: "mean" (the default; of weighted rows: divided by the sum of the weights), "sum", or
            "sqrtn": divided by the root of the sum of the squared weights. A quotient by 0 counts as 0.
        max_norm: scale rows down to this norm first, if they are longer.
    """
    return _combined(params, sp_ids, sp_weights, "div", combiner, max_norm)


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
    """``tf.nn.embedding_lookup_sparse``, with a choice of how ids are spread over a list of tables.

    >>> tables = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
    >>> ids = tf.SparseTensor([[0, 0], [0, 1]], tf.constant([2, 1], tf.int64), [1, 2])
    >>> tf.compat.v1.nn.embedding_lookup_sparse(tables, ids, None, combiner="sum").numpy()
    array([[3.]], dtype=float32)
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
                f"sp_ids and sp_weights hold {sp_ids.values._shape_tuple()} and "
                f"{sp_weights.values._shape_tuple()} values; they need the same indices."
            )
    rows = sp_ids.indices._array[:, 0].astype(np.int64)
    if rows.size and bool((np.diff(rows) < 0).any()):
        raise errors.InvalidArgumentError(
            None, None, "The rows of sp_ids must not decrease: use tf.sparse.reorder first."
        )
    count = int(rows[-1]) + 1 if rows.size else 0
    # Each id once, so that its row is scaled to max_norm once.
    ids, places = np.unique(sp_ids.values._array, return_inverse=True)
    picked = _lookup(params, EagerTensor(ids), strategy, max_norm)
    picked = gather.gather(picked, EagerTensor(places.reshape(-1).astype(np.int64)))
    given = picked.dtype
    if given in HALVES:
        picked = creation.cast(picked, dtypes.float32)
    sums = segment.unsorted_segment_sum
    row_ids = EagerTensor(rows)
    if sp_weights is None:
        total = sums(picked, row_ids, count)
        sizes = np.bincount(rows, minlength=count).astype(picked.dtype.as_numpy_dtype)
        divisor = EagerTensor(sizes if combiner == "mean" else np.sqrt(sizes))
    else:
        weights = creation.cast(sp_weights.values, picked.dtype)
        column = array.reshape(weights, [-1] + [1] * (picked.ndim - 1))
        total = sums(picked * column, row_ids, count)
        if combiner == "mean":
            divisor = sums(weights, row_ids, count)
        elif combiner == "sqrtn":
            divisor = math.sqrt(sums(math.square(weights), row_ids, count))
    if combiner != "sum":
        divisor = array.reshape(divisor, [-1] + [1] * (picked.ndim - 1))
        total = math.divide_no_nan(total, divisor)
    return total if total.dtype == given else creation.cast(total, given)


def _checked_combiner(combiner: str | None) -> str:
    combiner = "mean" if combiner is None else combiner
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    return combiner


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
    """``embedding_lookup_sparse`` that takes empty rows, and ids that are none.

    Negative ids, and (but for ``combiner="sum"``) those whose weight is not positive, are left out; a row
    without any id gets zeros, or the table's row ``default_id``.

    >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> ids = tf.SparseTensor([[0, 0], [2, 0]], tf.constant([1, -1], tf.int64), [3, 1])
    >>> tf.nn.safe_embedding_lookup_sparse(table, ids).numpy()
    array([[3., 4.],
           [0., 0.],
           [0., 0.]], dtype=float32)

    Of ids of rank 3 and more, all axes but the last are rows.
    """
    return _combined_safely(
        embedding_weights, sparse_ids, sparse_weights, "div", combiner, default_id, max_norm
    )


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
    """``tf.nn.safe_embedding_lookup_sparse``, with a choice of how ids are spread over a list of tables.

    >>> tables = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
    >>> ids = tf.SparseTensor([[1, 0]], tf.constant([1], tf.int64), [2, 1])
    >>> look_up = tf.compat.v1.nn.safe_embedding_lookup_sparse
    >>> look_up(tables, ids, partition_strategy="mod").numpy().ravel()
    array([0., 1.], dtype=float32)
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
    shape = shape_of(sparse_ids)
    lead = shape[:-1]
    count = 1
    for size in lead:
        count *= size
    indices, ids = sparse_ids.indices._array, sparse_ids.values._array
    rows = np.zeros(len(indices), np.int64)
    for axis, size in enumerate(lead):
        rows = rows * size + indices[:, axis]
    keep = ids >= 0
    if sparse_weights is not None and combiner != "sum":
        keep &= sparse_weights.values._array > 0
    kept = np.flatnonzero(keep)
    ids, rows, columns = ids[kept], rows[kept], indices[kept, -1]
    weights = None
    if sparse_weights is not None:
        weights = gather.gather(sparse_weights.values, EagerTensor(kept))
    empty = np.setdiff1d(np.arange(count), rows)
    # Rows without an id get one, for the lookup to make a row of.
    order = np.argsort(np.concatenate([rows, empty]), kind="stable")
    filler = 0 if default_id is None else static_int(default_id)
    all_rows = np.concatenate([rows, empty])[order]
    all_columns = np.concatenate([columns, np.zeros_like(empty)])[order]
    all_ids = np.concatenate([ids, np.full(len(empty), filler, ids.dtype)])[order]
    places = EagerTensor(np.stack([all_rows, all_columns], axis=1).astype(np.int64))
    filled_shape = [count, shape[-1]]
    filled = SparseTensor(places, EagerTensor(all_ids), filled_shape)
    filled_weights = None
    if weights is not None:
        ones = creation.ones([len(empty)], weights.dtype)
        values = gather.gather(array.concat([weights, ones], 0), EagerTensor(order))
        filled_weights = SparseTensor(places, values, filled_shape)
    result = _combined(embedding_weights, filled, filled_weights, strategy, combiner, max_norm)
    if default_id is None and len(empty):
        full = np.ones([count] + [1] * (result.ndim - 1), bool)
        full[empty] = False
        result = math.keep_where(result, EagerTensor(full))
    return array.reshape(result, [*lead, *result._shape_tuple()[1:]])

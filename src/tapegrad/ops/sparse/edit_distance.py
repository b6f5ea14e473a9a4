"""``tf.edit_distance``: how many edits turn the rows of one sparse tensor into those of another."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, public
from tapegrad.errors import refuse
from tapegrad.ops.args import check_size, static_bool
from tapegrad.ops.indexing.gather import flat_places
from tapegrad.ops.op import ANY, op
from tapegrad.ops.shape_rules import Abstract
from tapegrad.ops.sparse.functions import check_order, check_sparse, parts_of
from tapegrad.ops.sparse.sparse_tensor import shape_of

PUBLIC = {". compat.v1": "edit_distance"}


@public
def edit_distance(
    hypothesis: Any, truth: Any, normalize: bool = True, name: str | None = "edit_distance"
) -> Tensor:
    """The number of edits that turn each row of ``hypothesis`` into that of ``truth``.

    >>> said = tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2])
    >>> meant = tf.SparseTensor([[0, 0], [0, 1], [0, 2]], ["a", "c", "d"], [1, 3])
    >>> tf.edit_distance(said, meant, normalize=False).numpy().tolist()
    [2.0]

    An edit inserts an element, deletes one or replaces one.

    Args:
        hypothesis, truth: sparse tensors of one dtype and rank, in order. Rows lie along the last axis.
        normalize: whether to divide by the length of the true row. If that row is empty, the result is
            infinite, or 0 if the other row is empty too.
    """
    a, b = check_sparse(hypothesis, "hypothesis"), check_sparse(truth, "truth")
    if a.dtype is not b.dtype:
        raise TypeError(
            "edit_distance() compares elements of one dtype, "
            f"not of {a.dtype.name} and {b.dtype.name}."
        )
    if len(shape_of(a)) != len(shape_of(b)) or len(shape_of(a)) < 2:
        refuse(
            "edit_distance() takes two sparse tensors of one rank, at least 2; "
            f"their shapes are {list(shape_of(a))} and {list(shape_of(b))}."
        )
    return edit_distance_op(*parts_of(a), *parts_of(b), normalize)


@op(
    "EditDistance",
    dtypes={
        "T": ANY,
        "hypothesis_indices": {dtypes.int64},
        "hypothesis_shape": {dtypes.int64},
        "truth_indices": {dtypes.int64},
        "truth_shape": {dtypes.int64},
    },
    convert={"normalize": static_bool},
)
def edit_distance_op(
    xp,
    hypothesis_indices,
    hypothesis_values,
    hypothesis_shape,
    truth_indices,
    truth_values,
    truth_shape,
    *,
    normalize=True,
):
    leading = tuple(xp.maximum(hypothesis_shape, truth_shape)[:-1].tolist())
    distances = xp.zeros(check_size(leading), np.float32)
    first = rows_by_place(hypothesis_indices, hypothesis_values, hypothesis_shape)
    second = rows_by_place(truth_indices, truth_values, truth_shape)
    for place in first.keys() | second.keys():
        hypothesis_items, wanted = first.get(place, []), second.get(place, [])
        distance = float(levenshtein(hypothesis_items, wanted))
        if normalize:
            distance = distance / len(wanted) if wanted else np.inf
        distances[place] = distance
    return distances


edit_distance_op.shape(
    lambda hypothesis_shape: Abstract([None] * (int(hypothesis_shape.size) - 1), dtypes.float32)
)
edit_distance_op.no_gradient()


def rows_by_place(indices: Any, values: Any, shape: Any) -> dict[tuple[int, ...], list[Any]]:
    """The elements of each row that has any."""
    check_order(indices, flat_places(indices, tuple(shape.tolist()), False)[0])
    rows: dict[tuple[int, ...], list[Any]] = {}
    for place, element in zip(indices[:, :-1].tolist(), values.tolist(), strict=True):
        rows.setdefault(tuple(place), []).append(element)
    return rows


def levenshtein(hypothesis: list[Any], wanted: list[Any]) -> int:
    """The fewest insertions, deletions and replacements that turn one list into the other."""
    before = list(range(len(wanted) + 1))
    for row, mine in enumerate(hypothesis, 1):
        after = [row]
        for column, other in enumerate(wanted):
            replaced = before[column] + (mine != other)
            after.append(min(replaced, before[column + 1] + 1, after[column] + 1))
        before = after
    return before[-1]

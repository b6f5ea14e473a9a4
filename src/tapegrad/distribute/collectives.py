"""The collectives as ops, with their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad import core, dtypes
from tapegrad.core import EagerTensor
from tapegrad.distribute.groups import Group, shares
from tapegrad.distribute.ranks import ProcessSet, group_of
from tapegrad.framework import nest
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.elementwise.logic import equal
from tapegrad.ops.elementwise.math import truediv
from tapegrad.ops.op import NUMERIC, REAL, op
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import zeros_like
from tapegrad.ops.shape_rules import Abstract, same_shape

PUBLIC = {"distribute": "all_gather all_reduce broadcast reduce_scatter"}


# Values of the inputs decide only the elements of the results: if a collective fails, the job ends.
@op(
    "_AllReduceSum",
    dtypes=NUMERIC,
    linear="x",
    holomorphic=False,
    effect="calls",
)
def all_reduce_sum(xp: Any, x: Any, *, group: Group, tree: bool = False) -> Any:
    """The sum over all ranks."""
    return group.all_reduce(x, "sum", tree)


all_reduce_sum.shape(same_shape)


# What a rank computes from the sum depends on its own x and on those of the others; and so their sums of dy.
all_reduce_sum.gradient(x=lambda dy, group, tree: all_reduce_sum(dy, group=group, tree=tree))


@op(
    "_AllReduceSumMany",
    dtypes=NUMERIC,
    outputs=...,
    linear="xs",
    holomorphic=False,
    effect="calls",
)
def all_reduce_sum_many(xp: Any, *xs: Any, group: Group, tree: bool = False) -> Any:
    """The sum over all ranks of each of several tensors of one dtype, in one message."""
    flat = xp.concatenate([x.reshape(-1) for x in xs])
    total = group.all_reduce(flat, "sum", tree)
    results, begin = [], 0
    for x in xs:
        results.append(total[begin : begin + x.size].reshape(x.shape))
        begin += x.size
    return results


all_reduce_sum_many.shape(lambda xs: xs)
all_reduce_sum_many.gradient(
    xs=lambda dy, group, tree: all_reduce_sum_many(list(dy), group=group, tree=tree)
)


@op("_AllReduceExtreme", dtypes=REAL, effect="calls", values="elements")
def all_reduce_extreme(xp: Any, x: Any, *, group: Group, reduction: str) -> Any:
    """The maximum or minimum over all ranks, for each element."""
    return group.all_reduce(x, reduction)


all_reduce_extreme.shape(same_shape)


def extreme_gradient(dy: Any, x: Any, out: Any, group: Group) -> Any:
    """``dy`` of all ranks, divided equally among the ranks whose element is the extreme one."""
    reached = cast(equal(x, out), dy.dtype)
    count = all_reduce_sum(reached, group=group)
    total = all_reduce_sum(dy, group=group)
    return where(equal(x, out), truediv(total, count), zeros_like(total))


all_reduce_extreme.gradient(x=extreme_gradient)


@op(
    "_AllGather",
    outputs=("y", "counts"),
    dtypes=NUMERIC,
    holomorphic=False,
    effect="calls",
)
def all_gather_rows(xp: Any, x: Any, *, group: Group) -> Any:
    """The rows of all ranks, and how many each rank has."""
    rows, counts = group.all_gather(x)
    return rows, xp.asarray(counts, xp.int64)


all_gather_rows.shape(lambda x, group: [(None, *x.shape[1:]), Abstract([group.size], dtypes.int64)])


def all_gather_gradient(dy: Any, counts: Any, group: Group) -> Any:
    """The sum over all ranks of the gradients of this rank's rows."""
    parts = tuple(core.static_value(counts, "rows").tolist())
    return reduce_scatter_rows(dy[0], group=group, counts=parts)


all_gather_rows.gradient(x=all_gather_gradient)


@op("_ReduceScatter", dtypes=NUMERIC, linear="x", holomorphic=False, effect="calls")
def reduce_scatter_rows(xp: Any, x: Any, *, group: Group, counts: tuple[int, ...]) -> Any:
    """This rank's part of the rows of the sum over all ranks."""
    return group.reduce_scatter(x, counts)


reduce_scatter_rows.shape(lambda x, group, counts: (counts[group.rank], *x.shape[1:]))
reduce_scatter_rows.gradient(x=lambda dy, group: all_gather_rows(dy, group=group)[0])


@op("_Broadcast", linear="x", holomorphic=False, effect="calls")
def broadcast_from(xp: Any, x: Any, *, group: Group, root: int) -> Any:
    """The tensor of the rank ``root``."""
    return group.broadcast(x, root)


broadcast_from.shape(same_shape)


def broadcast_gradient(dy: Any, group: Group, root: int) -> Any:
    """The sum of ``dy`` over all ranks, on the root; zeros on the others."""
    total = all_reduce_sum(dy, group=group)
    return total if group.rank == root else zeros_like(total)


broadcast_from.gradient(x=broadcast_gradient)


@core.public(computes=False)
def all_reduce(
    value: Any,
    op: str = "sum",
    process_set: ProcessSet | None = None,
    tree: bool = False,
    name: str | None = None,
) -> Any:
    """The tensors in the nest ``value``, each reduced over all ranks. Gradients flow through, of any order.

    >>> tf.distribute.all_reduce(tf.constant([1.0, 2.0]), "mean").numpy()
    array([1., 2.], dtype=float32)

    `tf.IndexedSlices` stay sparse: the rows of all ranks stand one after the other.

    Args:
        value: a tensor or a nest of them. All ranks give tensors of the same dtypes and shapes.
        op: "sum", "mean", "max" or "min".
        process_set: the ranks that take part; all if left out.
        tree: whether sums are made of neighbours first, then of pairs of neighbours, and so on, so that the
            bits are the same for 1, 2, 4 ... ranks that share the same parts.
        name: accepted and ignored.

    Raises:
        InvalidArgumentError: the ranks do not call for the same: see the guide.
    """
    group = group_of(process_set)
    if type(value) is EagerTensor and op == "sum":
        return all_reduce_sum(value, group=group, tree=tree)
    return _each(_reducer(op, group, tree), value)


def _each(function: Callable[[Any], Any], value: Any) -> Any:
    """The nest of the results of the function, which is called with each tensor."""
    return function(value) if type(value) is EagerTensor else nest.map_structure(function, value)


def _reducer(reduction: str, group: Group, tree: bool) -> Callable[[Any], Any]:
    if reduction not in ("sum", "mean", "max", "min"):
        raise ValueError(f"all_reduce() takes 'sum', 'mean', 'max' or 'min'; {reduction!r} came.")

    def reduce(part: Any) -> Any:
        if isinstance(part, IndexedSlices):
            return reduced_slices(part, reduction, group)
        part = convert_to_tensor(part)
        if reduction in ("max", "min"):
            return all_reduce_extreme(part, group=group, reduction=reduction)
        total = all_reduce_sum(part, group=group, tree=tree)
        return total if reduction == "sum" else divided(total, group.size)

    return reduce


def divided(total: Any, count: int) -> Any:
    """``total / count`` in the dtype of ``total``."""
    if count == 1:
        return total
    if total.dtype.is_integer:
        return total // cast(count, total.dtype)
    return truediv(total, cast(count, total.dtype))


def reduced_slices(slices: IndexedSlices, reduction: str, group: Group) -> IndexedSlices:
    """The rows of all ranks, one after the other: their sum, or mean, where rows repeat."""
    if reduction not in ("sum", "mean"):
        raise ValueError(f"IndexedSlices are reduced to their sum or mean; {reduction!r} came.")
    values, _ = all_gather_rows(convert_to_tensor(slices.values), group=group)
    indices, _ = all_gather_rows(convert_to_tensor(slices.indices), group=group)
    if reduction == "mean":
        values = divided(values, group.size)
    return IndexedSlices(values, indices, slices.dense_shape)


@core.public(computes=False)
def all_gather(value: Any, process_set: ProcessSet | None = None, name: str | None = None) -> Any:
    """The tensors in the nest ``value``, each joined along its first axis with those of the other ranks.

    >>> tf.distribute.all_gather(tf.constant([1, 2])).numpy()
    array([1, 2], dtype=int32)

    The ranks may give different numbers of rows.

    Args:
        value: a tensor of one axis or more, or a nest of such tensors. All ranks pass the same structure; the
            sizes of the axes after the first are the same too.
        process_set: the ranks that take part; None for all.
    """
    group = group_of(process_set)

    def gather(part: Any) -> EagerTensor:
        rows: EagerTensor = all_gather_rows(convert_to_tensor(part), group=group)[0]
        return rows

    return _each(gather, value)


@core.public(computes=False)
def reduce_scatter(
    value: Any, op: str = "sum", process_set: ProcessSet | None = None, name: str | None = None
) -> Any:
    """The sum or mean over all ranks of the tensors in the nest ``value``; each rank gets some of the rows.

    >>> tf.distribute.reduce_scatter(tf.constant([1.0, 2.0])).numpy()
    array([1., 2.], dtype=float32)

    If the rows cannot be divided equally, the first ranks get one more.

    Args:
        value: a tensor of one axis or more, or a nest of such tensors, of the same structure and shapes in
            all ranks.
        op: "sum" or "mean".
        process_set: the ranks that take part; None for all.
    """
    if op not in ("sum", "mean"):
        raise ValueError(f"reduce_scatter() takes 'sum' or 'mean'; {op!r} came.")
    group = group_of(process_set)

    def scatter(part: Any) -> Any:
        part = convert_to_tensor(part)
        rows = part.shape[0] if part.shape.rank else 0
        total = reduce_scatter_rows(part, group=group, counts=shares(rows, group.size))
        return total if op == "sum" else divided(total, group.size)

    return _each(scatter, value)


@core.public(computes=False)
def broadcast(
    value: Any,
    root_rank: int = 0,
    process_set: ProcessSet | None = None,
    name: str | None = None,
) -> Any:
    """The tensors in the nest ``value`` as the rank ``root_rank`` has them.

    >>> tf.distribute.broadcast(tf.constant(3.0)).numpy()
    np.float32(3.0)

    Args:
        value: a tensor, or a nest of tensors, of the same structure, shapes and dtypes in all ranks.
        root_rank: the number of the rank whose tensors all get: that in ``process_set``, if there is one.
        process_set: the ranks that take part; None for all.
    """
    group = group_of(process_set)
    return _each(
        lambda part: broadcast_from(convert_to_tensor(part), group=group, root=root_rank), value
    )

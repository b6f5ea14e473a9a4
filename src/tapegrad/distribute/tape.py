"""`DistributedGradientTape`, whose gradients are those of all ranks together."""

from __future__ import annotations

import typing
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tapegrad import core, dtypes
from tapegrad.autodiff.tape import GradientTape
from tapegrad.core import VariableBase
from tapegrad.distribute import buckets
from tapegrad.distribute.collectives import (
    all_reduce_sum_many,
    broadcast_from,
    divided,
    reduced_slices,
)
from tapegrad.distribute.groups import Group, LocalGroup
from tapegrad.distribute.ranks import ProcessSet, group_of
from tapegrad.framework import nest
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.framework.printed import Printed
from tapegrad.ops.indexing.indexed_slices import aggregate
from tapegrad.ops.shape.casts import cast

if TYPE_CHECKING:
    from tapegrad.distribute.mpi import MPIGroup

PUBLIC = {"distribute": "broadcast_variables Compression DistributedGradientTape"}

BUCKET_BYTES = 1 << 20
# How many bytes of gradients the walk may keep for sources that it defers.
DEFERRED_BYTES = 64 << 20


class Compression(Printed):
    """The dtype in which gradients of float32 and float64 are sent. They are added in float32, and rounded.

    >>> tf.distribute.Compression.fp16.name
    'float16'
    """

    none: Any = None
    fp16 = dtypes.float16
    bf16 = dtypes.bfloat16


class DistributedGradientTape(GradientTape):
    """A `GradientTape` whose `gradient` and `jacobian` are the mean, or the sum, over all ranks.

    >>> w = tf.Variable(2.0)
    >>> with tf.GradientTape() as tape:
    ...     loss = w * w
    >>> tape = tf.distribute.DistributedGradientTape(tape)
    >>> tape.gradient(loss, [w])
    [<tf.Tensor: shape=(), dtype=float32, numpy=4.0>]

    Gradients are sent in buckets during the walk over the records. Under an observer (an outer
    tape, a `tf.function` that is recorded) they are reduced by ops after the walk, so that they can be
    differentiated and recorded. `tf.IndexedSlices` stay sparse. `batch_jacobian` is that of this rank's own
    examples.

    All ranks ask for gradients by the same sources. If a gradient is None on some of them, it counts as
    zeros there.

    Args:
        gradtape: the tape that has recorded; without it this is a tape itself, to be entered.
        persistent, watch_accessed_variables: as in `tf.GradientTape`, without ``gradtape``.
        op: "mean" or "sum".
        compression: a member of `Compression`.
        sparse_as_dense: whether `tf.IndexedSlices` are made dense before they are reduced.
        backward_passes_per_step: over how many calls of `gradient` the gradients by the same sources are
            added up on each rank, before they are reduced. The calls before the last one give None for each
            source.
        average_aggregated_gradients: whether the sum over these calls is divided by their number.
        process_set: the ranks that take part; all if left out.
        tree: whether the gradients are added in a tree of neighbours, over the calls and over the ranks: with
            "mean" and ``average_aggregated_gradients`` the bits then do not depend on whether 1, 2 or 4 ranks
            share the same batches.
        bucket_bytes: about how much goes out in one message.
    """

    def __init__(
        self,
        gradtape: GradientTape | None = None,
        persistent: bool = False,
        watch_accessed_variables: bool = True,
        *,
        op: str = "mean",
        compression: Any = Compression.none,
        sparse_as_dense: bool = False,
        backward_passes_per_step: int = 1,
        average_aggregated_gradients: bool = False,
        process_set: ProcessSet | None = None,
        tree: bool = False,
        bucket_bytes: int = BUCKET_BYTES,
    ) -> None:
        if op not in ("mean", "sum"):
            raise ValueError(f"DistributedGradientTape takes op='mean' or 'sum'; {op!r} came.")
        if backward_passes_per_step < 1 or bucket_bytes < 1:
            raise ValueError("backward_passes_per_step and bucket_bytes are numbers from 1.")
        if gradtape is None:
            super().__init__(persistent, watch_accessed_variables)
        else:
            super().__init__(gradtape._persistent, gradtape._watch_accessed_variables)
            self._tape = gradtape._tape
            self._spent = gradtape._spent
            self._entered = gradtape._entered
        self._wrapped = gradtape
        self._walks_otherwise = True
        self._mean = op == "mean"
        self._half = compression
        self._dense = sparse_as_dense
        self._passes = backward_passes_per_step
        self._mean_of_passes = average_aggregated_gradients
        self._tree = tree
        self._bucket_bytes = bucket_bytes
        self._group: Group = group_of(process_set)

    def _walk(self, tape: core.Tape, function: Any, *arguments: Any) -> Any:
        try:
            return super()._walk(tape, function, *arguments)
        finally:
            if self._wrapped is not None and self._tape is None:
                self._wrapped._tape, self._wrapped._spent = None, self._spent

    def _compute_gradient(
        self, tape: core.Tape, targets: Any, sources: list[Any], seeds: list[Any], release: bool
    ) -> list[Any]:
        count = self._group.size if self._mean else 1
        if self._mean_of_passes:
            count *= self._passes
        plain = self._passes == 1 and not self._dense and bool(sources)
        # Processes send gradients during the walk, unless an observer has to see how they are computed.
        if plain and self._group.overlaps and not core.observers():
            plan = buckets.Plan(
                typing.cast("MPIGroup", self._group),
                count,
                None if self._half is None else np.dtype(self._half.numpy_dtype),
                self._tree,
                self._bucket_bytes,
            )
            reduction = buckets.Buckets(plan, sources)
            with buckets.frequent_thread_switches(reduction.has_thread):
                try:
                    gradients = core.compute_gradient(
                        tape,
                        targets,
                        sources,
                        seeds,
                        release,
                        reduction.gradient_ready,
                        reduction.deferred,
                        DEFERRED_BYTES,
                    )
                except Exception as error:
                    reduction.fail(error)
                    raise
                return reduction.finish(gradients)
        gradients = core.compute_gradient(tape, targets, sources, seeds, release)
        if self._dense:
            gradients = [
                convert_to_tensor(dx) if isinstance(dx, IndexedSlices) else dx for dx in gradients
            ]
        if self._passes > 1:
            total = _Passes.of(sources, self._passes, self._tree).add(gradients)
            if total is None:
                return [None] * len(sources)
            gradients = total
        return self._reduced(gradients, count)

    def _reduced(self, gradients: list[Any], count: int) -> list[Any]:
        """The gradients over all ranks, by ops, in buckets of one dtype."""
        if isinstance(self._group, LocalGroup) and count == 1 and self._half is None:
            return gradients
        results: list[Any] = [None] * len(gradients)
        waiting: list[int] = []
        held = 0
        for k in range(len(gradients) - 1, -1, -1):
            gradient = gradients[k]
            if isinstance(gradient, IndexedSlices):
                slices = reduced_slices(gradient, "sum", self._group)
                results[k] = IndexedSlices(
                    divided(slices.values, count), slices.indices, slices.dense_shape
                )
            elif gradient is not None:
                size = gradient.shape.num_elements() * gradient.dtype.size
                other = waiting and gradients[waiting[0]].dtype is not gradient.dtype
                if waiting and (other or held + size > self._bucket_bytes):
                    self._reduce(waiting, gradients, results, count)
                    waiting, held = [], 0
                waiting.append(k)
                held += size
        if waiting:
            self._reduce(waiting, gradients, results, count)
        return results

    def _reduce(
        self, numbers: Sequence[int], gradients: list[Any], results: list[Any], count: int
    ) -> None:
        dtype = gradients[numbers[0]].dtype
        sent = [gradients[k] for k in numbers]
        narrow = self._half is not None and dtype in (dtypes.float32, dtypes.float64)
        if narrow:
            sent = [cast(dx, self._half) for dx in sent]
        totals = all_reduce_sum_many(sent, group=self._group, tree=self._tree)
        for k, total in zip(numbers, totals, strict=True):
            results[k] = divided(cast(total, dtype) if narrow else total, count)

    def jacobian(self, target: Any, sources: Any, *args: Any, **kwargs: Any) -> Any:
        """The Jacobian of the mean or sum over all ranks: see `GradientTape.jacobian`."""
        own = super().jacobian(target, sources, *args, **kwargs)
        flat = self._reduced(nest.flatten(own), self._group.size if self._mean else 1)
        return nest.pack_sequence_as(own, flat)


class _Passes:
    """The gradients of several calls by the same sources, added up on this rank."""

    _all: ClassVar[dict[Any, _Passes]] = {}

    @classmethod
    def of(cls, sources: Sequence[Any], count: int, tree: bool) -> _Passes:
        """The unfinished sum for these sources."""
        if not all(isinstance(source, VariableBase) for source in sources):
            raise ValueError(
                "backward_passes_per_step adds up gradients by variables; a tensor is among the sources, "
                "which is another one at each call."
            )
        key = (tuple([id(source) for source in sources]), count, tree)
        if key not in cls._all:
            cls._all[key] = cls(count, tree)
            for source in sources:  # Python may give the id of any of them to a new object
                weakref.finalize(source, cls._all.pop, key, None)
        return cls._all[key]

    def __init__(self, count: int, tree: bool) -> None:
        self._count = count
        self._tree = tree
        self._added = 0
        self._sums: list[tuple[int, list[Any]]] = []  # (how many calls, their sum)

    def add(self, gradients: list[Any]) -> list[Any] | None:
        """The sum, if these are the last gradients of a step."""
        self._sums.append((1, gradients))
        self._added += 1
        last = self._added == self._count
        while len(self._sums) > 1 and (
            not self._tree or last or self._sums[-1][0] == self._sums[-2][0]
        ):
            calls, right = self._sums.pop()
            others, left = self._sums.pop()
            added = [_sum(a, b) for a, b in zip(left, right, strict=True)]
            self._sums.append((others + calls, added))
        if not last:
            return None
        self._added = 0
        return self._sums.pop()[1]


def _sum(left: Any, right: Any) -> Any:
    if left is None or right is None:
        return right if left is None else left
    return aggregate([left, right])


@core.public(computes=False)
def broadcast_variables(
    variables: Any, root_rank: int = 0, process_set: ProcessSet | None = None
) -> None:
    """Give the variables of all ranks the values that they have on the rank ``root_rank``.

    >>> v = tf.Variable([1.0, 2.0])
    >>> tf.distribute.broadcast_variables([v])

    Args:
        variables: a `tf.Variable`, or a nest of them, of the same structure and shapes in all ranks.
        root_rank: the number of the rank whose values all get: that in ``process_set``, if there is one.
        process_set: the ranks that take part; None for all.
    """
    group = group_of(process_set)
    for variable in nest.flatten(variables):
        value = broadcast_from(convert_to_tensor(variable), group=group, root=root_rank)
        variable.assign(value)

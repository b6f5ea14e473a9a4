"""The ops that enter a batch, leave it, sum over its items, and part these.

`tapegrad.batching` has what users call.
"""

from __future__ import annotations

from typing import Any

from tapegrad.core import Batch, EagerTensor, Tensor, in_batch
from tapegrad.core.batching import check_batchable, enter, enter_rule, leave_rule
from tapegrad.ops.batching import Items, Same
from tapegrad.ops.elementwise.math import multiply
from tapegrad.ops.op import op
from tapegrad.ops.reduce.reduce import reduce_sum
from tapegrad.ops.shape.array import broadcast_to, expand_dims


@op("_EnterBatch", linear="x")
def enter_op(xp: Any, x: Any, *, batch: Batch, axis: int) -> Any:
    return enter(x, batch, axis)


@op("_LeaveBatch", linear="x")
def leave_op(xp: Any, x: Any, *, batch: Batch, axis: int) -> Any:
    raise ValueError(f"the tensor is the same for all items of {batch}")


@op("_SumItems", linear="x")
def sum_op(xp: Any, x: Any, *, batch: Batch) -> Any:
    raise ValueError(f"the tensor is the same for all items of {batch}")


enter_op.gradient(x=lambda dy, batch, axis: leave_batch(dy, batch, axis))
enter_op.batching(enter_rule)
leave_op.gradient(x=lambda dy, batch, axis: enter_op.apply([dy], (batch, axis)))
leave_op.batching(leave_rule)
# Each item is one summand: its gradient is the gradient of the sum.
sum_op.gradient(x=lambda dy: dy)


@sum_op.batching
def sum_rule(items: Items, x: Any, batch: Batch) -> Any:
    return Same(items.call(reduce_sum, x, axis=0)) if items.batch is batch else items.run(x)


@op("_TakeItems", linear="x")
def take_op(xp: Any, x: Any, *, places: Any, axis: int) -> Any:
    return xp.take(x, places, axis)


@op("_PutItems", linear="x")
def put_op(xp: Any, x: Any, *, places: Any, size: int, axis: int) -> Any:
    """``size`` items: those of ``x`` at the distinct ``places``, and zeros elsewhere."""
    whole = xp.zeros((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype)
    whole[(*(slice(None),) * axis, places)] = x
    return whole


take_op.gradient(
    x=lambda dy, x_shape, places, axis: put_op.apply([dy], (places, x_shape[axis], axis))
)
take_op.batching(lambda items, x, places, axis: items.run(x, axis=axis + 1))
put_op.gradient(x=lambda dy, places, axis: take_op.apply([dy], (places, axis)))
put_op.batching(lambda items, x, places, size, axis: items.run(x, axis=axis + 1))


def enter_batch(tensor: Tensor, batch: Batch, axis: int = 0) -> Tensor:
    """The slices of ``tensor`` along ``axis`` as the items of ``batch``. The result has the shape of one."""
    check_batchable(tensor)
    entered: Tensor = enter_op.apply([tensor], (batch, axis))
    return entered


def spread_over(tensor: EagerTensor, batches: list[Batch]) -> EagerTensor:
    """``tensor`` with a value of its own for each item of every one of ``batches``, the outermost first."""
    for batch in batches:
        if not in_batch(tensor, batch):
            shape = (batch.size, *tensor._shape_tuple())
            tensor = enter_batch(broadcast_to(expand_dims(tensor, 0), shape), batch)  # type: ignore[assignment]
    return tensor


def leave_batch(tensor: Tensor, batch: Batch, axis: int = 0) -> Tensor:
    """The items of ``batch`` concatenated along ``axis``. Operands that all items share are repeated."""
    if in_batch(tensor, batch):
        left: Tensor = leave_op.apply([tensor], (batch, axis))
        return left
    shape = list(tensor._shape_tuple())
    shape.insert(axis, batch.size)
    repeated: Tensor = broadcast_to.apply([expand_dims(tensor, axis)], (tuple(shape),))
    return repeated


def take_items(tensor: Tensor, places: Any) -> Tensor:
    """The slices along the first axis with the numbers ``places``, an array in which none comes twice."""
    taken: Tensor = take_op.apply([tensor], (places, 0))
    return taken


def sum_items(tensor: Tensor, batch: Batch) -> Tensor:
    """The sum of the items of ``batch``. Operands that all items share count once for each item."""
    if in_batch(tensor, batch):
        summed: Tensor = sum_op.apply([tensor], (batch,))
        return summed
    product: Tensor = multiply(tensor, batch.size)
    return product

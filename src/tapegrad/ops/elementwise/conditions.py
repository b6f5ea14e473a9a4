"""Choosing between two values by a condition: ``tf.where``, and the places where a condition holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, public
from tapegrad.engines.numpy import conversions
from tapegrad.errors import refuse
from tapegrad.ops.args import matching_tensors
from tapegrad.ops.batching import BROADCASTS
from tapegrad.ops.gradients import zeros
from tapegrad.ops.op import BOOL, NUMERIC, op
from tapegrad.ops.shape_rules import Abstract, like

PUBLIC = {
    ".": "where",
    "compat.v1": "where=where_v1",
}


@op("Where", dtypes=NUMERIC | BOOL, raw=("condition",))
def true_places(xp, input):
    if not input.ndim:
        refuse("where() with one argument expects a tensor of rank 1 or more.")
    return xp.argwhere(input).astype(np.int64, copy=False)


@true_places.shape
def true_places_shape(input):
    if not input.ndim:
        refuse("where() with one argument expects a tensor of rank 1 or more.")
    return Abstract([None, input.ndim], dtypes.int64)


true_places.no_gradient()


@op(
    "SelectV2",
    moves="x y",
    dtypes={"condition": BOOL},
    raw=("condition", "t", "e"),
    broadcasts=True,
    holomorphic=False,
    lane=conversions.choice,
    linear="x y",
    elementwise=True,
)
def select(xp, condition, x, y):
    return xp.where(condition, x, y)


@op(
    "Select",
    moves="x y",
    dtypes={"condition": BOOL},
    raw=("condition", "x", "y"),
    holomorphic=False,
    linear="x y",
    values="elements",
)
def select_rows(xp, condition, x, y):
    if x.shape != y.shape or (
        condition.shape != x.shape and condition.shape not in ((), x.shape[:1])
    ):
        refuse(
            "Select expects x and y of one shape, and a condition of that shape, "
            "a vector with an element for each of their slices, or a scalar; "
            f"the shapes are {list(condition.shape)}, {list(x.shape)} and {list(y.shape)}."
        )
    if condition.shape != x.shape:
        condition = condition.reshape(condition.shape + (1,) * (x.ndim - condition.ndim))
    return xp.where(condition, x, y)


select_rows.shape(like("x"))


def zero_like(dy):
    return zeros((), dy.dtype)


# Zero where the branch was not taken, whatever dy is there: 0 * inf would be NaN.
select.gradient(
    x=lambda dy, condition: select(condition, dy, zero_like(dy)),
    y=lambda dy, condition: select(condition, zero_like(dy), dy),
)
select.batching(BROADCASTS)
select_rows.gradient(
    x=lambda dy, condition: select_rows(condition, dy, zeros(dy._shape_tuple(), dy.dtype)),
    y=lambda dy, condition: select_rows(condition, zeros(dy._shape_tuple(), dy.dtype), dy),
)


def select_rows_rule(items, condition, x, y):
    arrays = [items.spread(array, place) for place, array in enumerate((condition, x, y))]
    condition, x, y = arrays
    if x.ndim != y.ndim:
        return None
    behind = (1,) * (x.ndim - condition.ndim)
    return items.call(select, condition.reshape((*condition.shape, *behind)), x, y)


select_rows.batching(select_rows_rule)


@public
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """``x`` where the condition holds, else ``y``. Given the condition alone: the indices where it holds.

    >>> tf.where([True, False, True], [1, 2, 3], 0).numpy().tolist()
    [1, 0, 3]
    >>> tf.where([[True, False], [True, True]]).numpy().tolist()
    [[0, 0], [1, 0], [1, 1]]

    The gradient of the branch that was not taken is zero, even where its value is infinite:

    >>> v = tf.constant(0.0)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(v)
    ...     y = tf.where(v > 0, tf.math.log(v), 0.0)
    >>> tape.gradient(y, v).numpy()
    np.float32(0.0)

    Args:
        condition: a tensor of booleans.
        x, y: the two choices. All three are broadcast. Give both or neither.
    """
    if x is None and y is None:
        return true_places(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return select(condition, *matching_tensors([x, y]))


@public
def where_v1(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """`where` as in TensorFlow 1: a condition that is a vector chooses among the rows of x and y.

    >>> tf.compat.v1.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]]).numpy().tolist()
    [[1, 2], [7, 8]]

    Args:
        condition: booleans: a tensor of the shape of ``x``, a vector with an element for each row of ``x``,
            or a scalar.
        x, y: the two choices, of one shape. Without both, the result has the indices at which the condition
            holds.
    """
    if x is None and y is None:
        return true_places(condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return select_rows(condition, *matching_tensors([x, y]))

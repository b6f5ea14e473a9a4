"""Running sums, products and log-sum-exps along an axis, and the recurrence their gradients are made of."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from tapegrad.errors import refuse
from tapegrad.ops.args import normalize_axis, static_array, static_bool
from tapegrad.ops.elementwise.exponential import exp_difference
from tapegrad.ops.elementwise.math import multiply_no_nan
from tapegrad.ops.op import FLOATING, NUMERIC, REAL_FLOATING, op

PUBLIC = {
    ". math compat.v1 compat.v1.math": "cumsum",
    "math compat.v1.math": "cumprod cumulative_logsumexp",
}


def one_axis(value: Any) -> int:
    """The axis as an int; a list of axes is refused, even of one."""
    if type(value) is int:
        return value
    axis = static_array(value)
    if axis.ndim:
        refuse(f"axis must be a scalar: a scan runs along one axis. {value!r} came.")
    return int(axis)


ATTRIBUTES = {"axis": one_axis, "exclusive": static_bool, "reverse": static_bool}


def running(xp, function, x, axis, exclusive, reverse, start):
    """``function``, which accumulates along an axis, run either way; ``start`` comes first if exclusive."""
    axis = normalize_axis(axis, x.ndim)
    if reverse:
        x = xp.flip(x, axis)
    if exclusive:
        first = xp.full(x.shape[:axis] + (1,) + x.shape[axis + 1 :], start, x.dtype)
        before = (slice(None),) * axis + (slice(0, max(x.shape[axis] - 1, 0)),)
        x = xp.concatenate([first, x[before]], axis) if x.shape[axis] else x
    out = function(x, axis)
    return xp.flip(out, axis) if reverse else out


@op("Cumsum", dtypes=NUMERIC, convert=ATTRIBUTES, accumulate="float32")
def cumsum(xp, x, *, axis=0, exclusive=False, reverse=False):
    """The running sum along ``axis``: each element plus all before it.

    >>> tf.cumsum([1, 2, 3]).numpy(), tf.cumsum([1, 2, 3], exclusive=True).numpy()
    (array([1, 3, 6], dtype=int32), array([0, 1, 3], dtype=int32))

    Args:
        x: a tensor of numbers.
        axis: which axis to run along.
        exclusive: whether an element's own value is left out of its sum.
        reverse: whether to run from the end.
    """

    def add_up(x, axis):
        return xp.cumsum(x, axis=axis, dtype=x.dtype)

    return running(xp, add_up, x, axis, exclusive, reverse, 0)


cumsum.gradient(
    x=lambda dy, axis, exclusive, reverse: cumsum(dy, axis, exclusive, not reverse),
)


@op("Cumprod", dtypes=NUMERIC, convert=ATTRIBUTES, accumulate="float32")
def cumprod(xp, x, *, axis=0, exclusive=False, reverse=False):
    """The running product along ``axis``: each element times all before it.

    >>> tf.math.cumprod([1, 2, 3]).numpy(), tf.math.cumprod([1, 2, 3], exclusive=True).numpy()
    (array([1, 2, 6], dtype=int32), array([1, 1, 2], dtype=int32))

    Differs from TensorFlow: the gradient is right where elements are zero.

    Args:
        x: a tensor of numbers.
        axis: which axis to run along.
        exclusive: whether an element's own value is left out of its product.
        reverse: whether to run from the end.
    """

    def multiply_up(x, axis):
        return xp.cumprod(x, axis=axis, dtype=x.dtype)

    return running(xp, multiply_up, x, axis, exclusive, reverse, 1)


def cumprod_gradient(dy, x, axis, exclusive, reverse):
    # Element k is a factor of every product from its own on. What those are without it is the product of
    # all before k, times s_k = dy_k + x_{k+1} dy_{k+1} + x_{k+1} x_{k+2} dy_{k+2} + ...
    #                         = dy_k + x_{k+1} s_{k+1}: no division, and one pass.
    if exclusive:
        dy = shift(dy, axis, 1 if reverse else -1)
    after = recurrence(x, dy, axis, not reverse, True)
    return cumprod(x, axis, True, reverse) * after


cumprod.gradient(x=cumprod_gradient)


@op("CumulativeLogsumexp", dtypes=REAL_FLOATING, convert=ATTRIBUTES, accumulate="float32")
def cumulative_logsumexp(xp, x, *, axis=0, exclusive=False, reverse=False):
    """The logarithm of the running sum of ``exp(x)`` along ``axis``, without overflow.

    >>> tf.math.cumulative_logsumexp([0.0, 1000.0, 1000.0]).numpy()
    array([   0.    , 1000.    , 1000.6932], dtype=float32)

    Args:
        x: a tensor of real floating point numbers.
        axis: which axis to run along.
        exclusive: whether an element's own value is left out of its sum.
        reverse: whether to run from the end.
    """

    def add_up(x, axis):
        return xp.logaddexp.accumulate(x, axis=axis)

    return running(xp, add_up, x, axis, exclusive, reverse, -xp.inf)


def cumulative_logsumexp_gradient(dy, x, out, axis, exclusive, reverse):
    # Element k has the share exp(x_k - out_i) in each result i from its own on: together
    # exp(x_k - out_k) * s_k, where s_k = dy_k + exp(out_k - out_{k+1}) * s_{k+1}. No exponent is above 0.
    behind = 1 if reverse else -1
    decay = exp_difference(out, shift(out, axis, behind))
    share = recurrence(decay, dy, axis, not reverse, False)
    if exclusive:
        # Its first result is the next one. For the last element that leaves nothing, and the factor there
        # is of no meaning: it may be infinite.
        out = shift(out, axis, behind)
        share = shift(share, axis, behind)
    return multiply_no_nan(exp_difference(x, out), share)


cumulative_logsumexp.gradient(x=cumulative_logsumexp_gradient)


# What the gradients are made of


@op("_Shift", dtypes=FLOATING)
def shift(xp, x, *, axis, by):
    """The elements moved by one place along ``axis``, up if ``by`` is 1 and down if it is -1; 0 moves in."""
    axis = normalize_axis(axis, x.ndim)
    length = x.shape[axis]
    if length == 0:
        return x
    zero = xp.zeros(x.shape[:axis] + (1,) + x.shape[axis + 1 :], x.dtype)
    kept = (slice(None),) * axis + (slice(0, length - 1) if by == 1 else slice(1, None),)
    return xp.concatenate([zero, x[kept]] if by == 1 else [x[kept], zero], axis)


shift.gradient(x=lambda dy, axis, by: shift(dy, axis, -by))

# Up to this many recurrences side by side, Python's numbers are faster than NumPy's rows.
FEW_LANES = 16


@op("_Recurrence", dtypes=FLOATING, accumulate="float32")
def recurrence(xp, decay, drive, *, axis, reverse, lagged):
    """s_k = drive_k + decay_k * s_{k-1} along ``axis``, beginning with s_0 = drive_0.

    ``reverse`` runs from the end, so that s_{k+1} is the one before s_k; ``lagged`` takes the decay at the
    place of the element before.
    """
    axis = normalize_axis(axis, drive.ndim)
    if drive.size == 0:
        return drive
    rows = [xp.moveaxis(array, axis, 0) for array in (decay, drive)]
    decays, drives = [row[::-1] for row in rows] if reverse else rows
    decays = decays[:-1] if lagged else decays[1:]
    out = xp.empty(drives.shape, drives.dtype)
    if drives[0].size <= FEW_LANES:
        run_lanes(decays, drives, out)
    else:
        out[0] = drives[0]
        for k in range(1, len(drives)):
            out[k] = drives[k] + decays[k - 1] * out[k - 1]
    return xp.moveaxis(out[::-1] if reverse else out, 0, axis)


def run_lanes(decays: Any, drives: Any, out: Any) -> None:
    """Fill ``out`` one recurrence after the other, in Python's numbers."""
    count = drives[0].size  # of a single step there are no decays to tell it from
    decays, drives, lanes = (array.reshape(len(array), count) for array in (decays, drives, out))
    for lane in range(lanes.shape[1]):
        first, *rest = drives[:, lane].tolist()
        pairs = zip(decays[:, lane].tolist(), rest, strict=True)
        lanes[:, lane] = list(accumulate(pairs, follow, initial=first))


def follow(value: Any, decay_and_drive: tuple[Any, Any]) -> Any:
    decay, drive = decay_and_drive
    return drive + decay * value


def recurrence_gradient(dy, needs, decay, out, axis, reverse, lagged):
    # What reaches s_k from outside and by way of the s after it obeys a recurrence too, the other way round.
    total = recurrence(decay, dy, axis, not reverse, not lagged)
    if not needs[0]:
        return None, total
    step = -1 if reverse else 1
    if lagged:
        return shift(total, axis, -step) * out, total
    return total * shift(out, axis, step), total


recurrence.gradient(recurrence_gradient)

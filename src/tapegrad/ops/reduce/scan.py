"""Running sums, products and log-sum-exps along an axis, and the recurrence that their gradients use."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from tapegrad.engines.numpy import scans
from tapegrad.errors import refuse
from tapegrad.ops.args import normalize_axis, static_array, static_bool
from tapegrad.ops.batching import with_axes
from tapegrad.ops.elementwise.exponential import exp_difference
from tapegrad.ops.elementwise.math import multiply_no_nan
from tapegrad.ops.op import FLOATING, NUMERIC, REAL_FLOATING, op
from tapegrad.ops.shape_rules import along_axis, like

PUBLIC = {
    ". math compat.v1 compat.v1.math": "cumsum",
    "math compat.v1.math": "cumprod cumulative_logsumexp",
}


def one_axis(value: Any) -> int:
    """The axis as an int. A list of axes is refused, even a list of one."""
    if type(value) is int:
        return value
    axis = static_array(value)
    if axis.ndim:
        refuse(f"axis must be a scalar: a scan runs along one axis. {value!r} came.")
    return int(axis)


ATTRIBUTES = {"axis": one_axis, "exclusive": static_bool, "reverse": static_bool}


def running(xp, function, x, axis, exclusive, reverse, start):
    """The results of ``function``, which accumulates along an axis, from either end; if exclusive,
    ``start`` comes first.
    """
    axis = normalize_axis(axis, x.ndim)
    if reverse:
        x = xp.flip(x, axis)
    if exclusive and x.size:
        first = xp.full(x.shape[:axis] + (1,) + x.shape[axis + 1 :], start, x.dtype)
        before = (slice(None),) * axis + (slice(0, max(x.shape[axis] - 1, 0)),)
        x = xp.concatenate([first, x[before]], axis)
    out = function(x, axis)
    return xp.flip(out, axis) if reverse else out


@op(
    "Cumsum",
    dtypes=NUMERIC,
    convert=ATTRIBUTES,
    accumulate="float32",
    linear="x",
    lane=scans.cumsum,
)
def cumsum(xp, x, *, axis=0, exclusive=False, reverse=False):
    """The running sum along ``axis``: each element plus all before it.

    >>> tf.cumsum([1, 2, 3]).numpy(), tf.cumsum([1, 2, 3], exclusive=True).numpy()
    (array([1, 3, 6], dtype=int32), array([0, 1, 3], dtype=int32))

    Args:
        x: a tensor of numbers.
        axis: which axis to run along.
        exclusive: whether each sum leaves out the element's own value.
        reverse: whether to run from the end.
    """

    def add_up(x, axis):
        return xp.cumsum(x, axis=axis, dtype=x.dtype)

    return running(xp, add_up, x, axis, exclusive, reverse, 0)


cumsum.shape(along_axis)
cumsum.gradient(
    x=lambda dy, axis, exclusive, reverse: cumsum(dy, axis, exclusive, not reverse),
)
cumsum.batching(with_axes("axis"))


@op(
    "Cumprod",
    dtypes=NUMERIC,
    convert=ATTRIBUTES,
    lane=scans.cumprod,
    accumulate="float32",
    values="elements",
)
def cumprod(xp, x, *, axis=0, exclusive=False, reverse=False):
    """The running product along ``axis``: each element times all before it.

    >>> tf.math.cumprod([1, 2, 3]).numpy(), tf.math.cumprod([1, 2, 3], exclusive=True).numpy()
    (array([1, 2, 6], dtype=int32), array([1, 1, 2], dtype=int32))

    Differs from TensorFlow: the gradient is right where elements are zero.

    Args:
        x: a tensor of numbers.
        axis: which axis to run along.
        exclusive: whether each product leaves out the element's own value.
        reverse: whether to run from the end.
    """

    def multiply_up(x, axis):
        return xp.cumprod(x, axis=axis, dtype=x.dtype)

    return running(xp, multiply_up, x, axis, exclusive, reverse, 1)


cumprod.shape(along_axis)


def cumprod_gradient(dy, x, axis, exclusive, reverse):
    # Element k is a factor of every product from the k-th on. Those products without the factor x_k are the
    # product of all elements before k, times s_k = dy_k + x_{k+1} dy_{k+1} + x_{k+1} x_{k+2} dy_{k+2} + ...
    #                         = dy_k + x_{k+1} s_{k+1}. This takes no division, and one pass.
    if exclusive:
        dy = shift(dy, axis, 1 if reverse else -1)
    after = recurrence(x, dy, axis, not reverse, True)
    return cumprod(x, axis, True, reverse) * after


cumprod.gradient(x=cumprod_gradient)
cumprod.batching(with_axes("axis"))


@op(
    "CumulativeLogsumexp",
    dtypes=REAL_FLOATING,
    convert=ATTRIBUTES,
    accumulate="float32",
    values="elements",
)
def cumulative_logsumexp(xp, x, *, axis=0, exclusive=False, reverse=False):
    """The logarithm of the running sum of ``exp(x)`` along ``axis``, without overflow.

    >>> tf.math.cumulative_logsumexp([0.0, 1000.0, 1000.0]).numpy()
    array([   0.    , 1000.    , 1000.6932], dtype=float32)

    Args:
        x: a tensor of real floating point numbers.
        axis: which axis to run along.
        exclusive: whether each sum leaves out the element's own value.
        reverse: whether to run from the end.
    """

    def add_up(x, axis):
        return xp.logaddexp.accumulate(x, axis=axis)

    return running(xp, add_up, x, axis, exclusive, reverse, -xp.inf)


cumulative_logsumexp.shape(along_axis)


def cumulative_logsumexp_gradient(dy, x, out, axis, exclusive, reverse):
    # Element k has the share exp(x_k - out_i) in each result i from the k-th on. Together the shares give
    # exp(x_k - out_k) * s_k, where s_k = dy_k + exp(out_k - out_{k+1}) * s_{k+1}. No exponent is above 0.
    behind = 1 if reverse else -1
    decay = exp_difference(out, shift(out, axis, behind))
    share = recurrence(decay, dy, axis, not reverse, False)
    if exclusive:
        # The first result that element k takes part in is the next one. The last element takes part in none:
        # its share is 0, and the other factor, which may be infinite, does not matter.
        out = shift(out, axis, behind)
        share = shift(share, axis, behind)
    return multiply_no_nan(exp_difference(x, out), share)


cumulative_logsumexp.gradient(x=cumulative_logsumexp_gradient)
cumulative_logsumexp.batching(with_axes("axis"))


# What the gradients are made of


@op("_Shift", dtypes=FLOATING, linear="x")
def shift(xp, x, *, axis, by):
    """The elements moved by one index along ``axis``: up if ``by`` is 1, down if it is -1. A 0 moves in."""
    axis = normalize_axis(axis, x.ndim)
    length = x.shape[axis]
    if length == 0:
        return x
    zero = xp.zeros(x.shape[:axis] + (1,) + x.shape[axis + 1 :], x.dtype)
    kept = (slice(None),) * axis + (slice(0, length - 1) if by == 1 else slice(1, None),)
    return xp.concatenate([zero, x[kept]] if by == 1 else [x[kept], zero], axis)


shift.shape(along_axis)
shift.gradient(x=lambda dy, axis, by: shift(dy, axis, -by))
shift.batching(with_axes("axis"))

# For up to this many recurrences side by side, Python's numbers are faster than NumPy's rows.
FEW_LANES = 16


@op(
    "_Recurrence",
    dtypes=FLOATING,
    accumulate="float32",
    linear="drive",
    lane=scans.recurrence,
    values="elements",
)
def recurrence(xp, decay, drive, *, axis, reverse, lagged):
    """s_k = drive_k + decay_k * s_{k-1} along ``axis``, beginning with s_0 = drive_0.

    With ``reverse`` it runs from the end, so s_{k+1} takes the place of s_{k-1}. With ``lagged`` it takes
    the decay of the element before instead of decay_k.
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


recurrence.shape(like("drive"))


def run_lanes(decays: Any, drives: Any, out: Any) -> None:
    """Fill ``out`` by running one recurrence after the other with Python's numbers."""
    count = drives[0].size  # not from decays: with a single step there are none
    decays, drives, lanes = (array.reshape(len(array), count) for array in (decays, drives, out))
    for lane in range(lanes.shape[1]):
        first, *rest = drives[:, lane].tolist()
        pairs = zip(decays[:, lane].tolist(), rest, strict=True)
        lanes[:, lane] = list(accumulate(pairs, follow, initial=first))


def follow(value: Any, decay_and_drive: tuple[Any, Any]) -> Any:
    decay, drive = decay_and_drive
    return drive + decay * value


def recurrence_gradient(dy, needs, decay, out, axis, reverse, lagged):
    # The total gradient of s_k, from outside and through the later s, follows a recurrence in the other
    # direction.
    total = recurrence(decay, dy, axis, not reverse, not lagged)
    if not needs[0]:
        return None, total
    step = -1 if reverse else 1
    if lagged:
        return shift(total, axis, -step) * out, total
    return total * shift(out, axis, step), total


recurrence.gradient(recurrence_gradient)
recurrence.batching(with_axes("axis"))

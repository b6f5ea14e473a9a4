"""Softmax and its logarithm."""

from __future__ import annotations

from typing import Any

from tapegrad.core import Tensor, public, takes_halves
from tapegrad.engines.numpy import softmax as rows_of_softmax
from tapegrad.errors import refuse
from tapegrad.ops.args import normalize_axis, static_int
from tapegrad.ops.batching import with_axes
from tapegrad.ops.elementwise import exponential
from tapegrad.ops.op import REAL_FLOATING, op, says
from tapegrad.ops.reduce import reduce

PUBLIC = {
    "math nn": "log_softmax softmax",
}


def _softmax_axis(axis: int, rank: int) -> int:
    if rank < 1:
        refuse("logits must have >= 1 dimension, got []: softmax is over an axis.")
    return normalize_axis(axis, rank)


def softmax_shape(logits, axis):
    _softmax_axis(axis, logits.ndim)
    return logits.shape


@op(
    "Softmax",
    dtypes=REAL_FLOATING,
    convert={"axis": static_int},
    accumulate="float32",
    lane=rows_of_softmax.softmax_lane,
    values="elements",
)
def softmax_op(xp, logits, *, axis=-1):
    """``exp(logits)`` scaled to sum to one along ``axis``. See ``tf.nn.softmax``."""
    return xp.softmax(logits, _softmax_axis(axis, logits.ndim))


softmax_op.shape(softmax_shape)


def _softmax_gradient(dy, out, axis):
    return (dy - reduce.reduce_sum(dy * out, axis=axis, keepdims=True)) * out


@takes_halves
def _softmax_fast(xp, dy, out, axis):
    if dy.dtype != out.dtype:
        return None
    return xp.softmax_grad(dy, out, _softmax_axis(axis, out.ndim))


softmax_op.gradient(logits=_softmax_gradient, fast={"logits": _softmax_fast})
softmax_op.batching(with_axes("axis"))


@op(
    "LogSoftmax",
    dtypes=REAL_FLOATING,
    convert={"axis": static_int},
    accumulate="float32",
    lane=rows_of_softmax.log_softmax_lane,
    values="elements",
)
def log_softmax_op(xp, logits, *, axis=-1):
    """The logarithm of softmax. See ``tf.nn.log_softmax``."""
    return xp.log_softmax(logits, _softmax_axis(axis, logits.ndim))


log_softmax_op.shape(softmax_shape)


def _log_softmax_gradient(dy, out, axis):
    return dy - reduce.reduce_sum(dy, axis=axis, keepdims=True) * exponential.exp(out)


@takes_halves
def _log_softmax_fast(xp, dy, out, axis):
    if dy.dtype != out.dtype:
        return None
    return xp.log_softmax_grad(dy, out, _softmax_axis(axis, out.ndim))


log_softmax_op.gradient(logits=_log_softmax_gradient, fast={"logits": _log_softmax_fast})
log_softmax_op.batching(with_axes("axis"))


@public
def softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """``exp(logits)`` scaled to sum to one along ``axis``, the last by default.

    >>> tf.nn.softmax([1000.0, 1000.0, -1000.0]).numpy()
    array([0.5, 0.5, 0. ], dtype=float32)

    Args:
        logits: floating point numbers.
        axis: the axis along which the results sum to one; None is the last.
    """
    return softmax_op(logits, -1 if axis is None else axis)


@public
@says(dispatched="unary")
def log_softmax(logits: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """The logarithm of ``softmax(logits)``, exact where softmax itself would round to 0.

    >>> tf.nn.log_softmax([1000.0, 0.0]).numpy()
    array([    0., -1000.], dtype=float32)

    Args:
        logits: floating point numbers.
        axis: the axis of the softmax; None is the last.
    """
    return log_softmax_op(logits, -1 if axis is None else axis)

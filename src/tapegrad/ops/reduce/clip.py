"""Sums and norms of many tensors, and clipping: by value, by norm, or by the norm of all tensors together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public
from tapegrad.core.compositions import composition
from tapegrad.engines.numpy import reductions, slopes
from tapegrad.errors import refuse
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.args import static_axis
from tapegrad.ops.batching import all_spread, broadcast_to, leading, with_axes
from tapegrad.ops.elementwise import logic
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.elementwise.math import (
    divide_no_nan_op,
    keep_where,
    maximum,
    minimum,
    multiply,
    real_divide,
)
from tapegrad.ops.op import NUMERIC, REAL_FLOATING, elementwise, op, says
from tapegrad.ops.reduce.reduce import euclidean_norm, reduce_euclidean_norm
from tapegrad.ops.shape import array, joining
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import ones_like
from tapegrad.ops.shape_rules import reduced

if TYPE_CHECKING:
    from tapegrad.framework.types import Axis, Composite, Gradient, TensorLike

PUBLIC = {
    ". compat.v1": "clip_by_global_norm clip_by_norm clip_by_value",
    ". math compat.v1 compat.v1.math": "add_n",
    "linalg compat.v1.linalg": "global_norm",
    "math compat.v1.math": "accumulate_n",
}


# Sums of many tensors


def check_summands(inputs):
    first = inputs[0]
    for i, tensor in enumerate(inputs):
        if tensor.shape != first.shape:
            refuse(
                "Inputs to operation AddN must have the same size and shape. Input 0: "
                f"{list(first.shape)} != input {i}: {list(tensor.shape)}."
            )


def total(xp, inputs):
    check_summands(inputs)
    out = inputs[0]
    for tensor in inputs[1:]:
        out = xp.add(out, tensor)
    return out


@op("AddN", dtypes=NUMERIC, linear="inputs", lane=reductions.total_lane)
def add_n_op(xp, *inputs):
    return total(xp, inputs)


@add_n_op.shape
def sum_shape(inputs):
    check_summands(inputs)
    return inputs[0]


add_n_op.gradient(inputs=lambda dy, inputs_shape: [dy] * len(inputs_shape))
add_n_op.batching(leading)
add_n_op.keeps_slices = 1


@public
def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of a list of tensors of one shape and dtype. ``tf.IndexedSlices`` are made dense.

    >>> tf.add_n([tf.constant([1, 2]), tf.constant([3, 4])]).numpy()
    array([4, 6], dtype=int32)

    Args:
        inputs: a list of tensors.

    Raises:
        ValueError: for an empty list.
        InvalidArgumentError: if shapes or dtypes differ; nothing is broadcast.
    """
    tensors = [convert(value) if isinstance(value, IndexedSlices) else value for value in inputs]
    if not tensors:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor or IndexedSlices "
            "with the same dtype and shape; none came."
        )
    return add_n_op(tensors)


@op("AccumulateNV2", dtypes=NUMERIC, raw=("inputs", "shape"), linear="inputs")
def accumulate_n_op(xp, *inputs, shape=None):
    return total(xp, inputs)


accumulate_n_op.shape(lambda inputs: inputs[0])
accumulate_n_op.gradient(inputs=lambda dy, inputs_shape: [dy] * len(inputs_shape))
accumulate_n_op.batching(
    lambda items, inputs, shape: items.run(*all_spread(items, inputs), shape=None)
)


@public
def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """The sum of a list of tensors of one shape and dtype, like `tf.add_n`.

    >>> tf.math.accumulate_n([tf.constant([1, 2]), tf.constant([3, 4])]).numpy()
    array([4, 6], dtype=int32)

    Args:
        inputs: a list or tuple of tensors.
        shape: the shape that the tensors must have.
        tensor_dtype: the dtype that the tensors must have.

    Raises:
        ValueError: for an empty list, and if shapes or dtypes differ.
        TypeError: if ``tensor_dtype`` is not that of the inputs.
    """
    expected = "inputs must be a list of at least one Tensor with the same dtype and shape"
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(f"{expected}; {inputs!r} came.")
    tensors = [convert(value) for value in inputs]
    if any(tensor.dtype is not tensors[0].dtype for tensor in tensors):
        raise ValueError(
            f"{expected}; of {', '.join(tensor.dtype.name for tensor in tensors)} came."
        )
    wanted = TensorShape(shape)
    sizes = tensors[0]._shape_tuple()
    alike = shape is None and all(tensor._shape_tuple() == sizes for tensor in tensors)
    for tensor in () if alike else tensors:
        if not wanted.is_compatible_with(tensor.shape):
            raise ValueError(f"Shapes {wanted} and {tensor.shape} are not compatible")
        wanted = wanted.merge_with(tensor.shape)
    if tensor_dtype is not None and dtypes.as_dtype(tensor_dtype) is not tensors[0].dtype:
        raise TypeError(
            f"tensor_dtype is {dtypes.as_dtype(tensor_dtype)}, "
            f"but the inputs are of type {tensors[0].dtype}. Cast them first, or leave it out."
        )
    return add_n_op(tensors)


# Clipping by value

NUMBERS = (int, float)


def between(xp, t, clip_value_min, clip_value_max):
    for bound in (clip_value_min, clip_value_max):
        if bound.ndim and bound.shape != t.shape:
            refuse(
                "clip_value_min and clip_value_max must be scalars or have the shape "
                f"of the input, {list(t.shape)}; one of shape {list(bound.shape)} came."
            )
    return xp.maximum(xp.minimum(t, clip_value_max), clip_value_min)


clip_op = elementwise(
    "ClipByValue",
    between,
    name="clip_by_value",
    dtypes=NUMERIC - {dtypes.complex64, dtypes.complex128},
    lane=slopes.clip,
    accumulate="float32",
)
# A value at a bound passes, and so does its gradient: TensorFlow's convention.
clip_op.gradient(
    t=lambda dy, t, clip_value_min, clip_value_max: keep_where(
        dy, logic.logical_not((t < clip_value_min) | (t > clip_value_max))
    ),
    clip_value_min=lambda dy, t, clip_value_min: keep_where(dy, t < clip_value_min),
    clip_value_max=lambda dy, t, clip_value_max: keep_where(dy, t > clip_value_max),
    fast={
        "t": lambda xp, dy, t, clip_value_min, clip_value_max: slopes.clip_gradient(
            dy, t, clip_value_min, clip_value_max
        )
    },
)


@clip_op.batching
def clip_rule(items, t, *bounds):
    t = items.spread(t, 0)
    whole = []
    for place, bound in enumerate(bounds, 1):
        bound = items.spread(bound, place)
        if bound.ndim == 1:
            bound = broadcast_to(bound.reshape((items.size, *[1] * (t.ndim - 1))), t.shape)
        whole.append(bound)
    return items.run(t, *whole)


def refuse_broadcast(t: Tensor, result: Tensor) -> None:
    """Raise if a bound has made the result larger than what was clipped."""
    if t._shape_tuple() != result._shape_tuple():
        raise ValueError(
            f"Shapes {t.shape} and {result.shape} are incompatible: "
            "a bound may be broadcast to the shape of the tensor that is clipped, "
            "not the other way round."
        )


@overload
def clip_by_value(
    t: Composite, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Composite: ...
@overload
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor: ...
@public
@says(dispatched="unary")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """``t``, with elements below ``clip_value_min`` or above ``clip_value_max`` set to that bound.

    >>> tf.clip_by_value([-1.0, 0.5, 2.0], 0.0, 1.0).numpy()
    array([0. , 0.5, 1. ], dtype=float32)

    The gradient of an element within the bounds, or at one, goes to ``t``; otherwise it goes to the bound.

    Args:
        t: a tensor of real numbers, or ``tf.IndexedSlices``, whose values are clipped.
        clip_value_min: the lower bound: a number, or a tensor that broadcasts to the shape of ``t``.
        clip_value_max: the upper bound, likewise.

    Raises:
        ValueError: if a bound has a larger shape than ``t``.
    """
    if isinstance(t, IndexedSlices):
        return t.map_values(lambda values: clip_by_value(values, clip_value_min, clip_value_max))
    t = convert(t)
    if type(clip_value_min) in NUMBERS and type(clip_value_max) in NUMBERS:
        return clip_op(t, clip_value_min, clip_value_max)
    clipped = minimum(t, clip_value_max)
    refuse_broadcast(t, clipped)
    clipped = maximum(clipped, clip_value_min)
    refuse_broadcast(t, clipped)
    return clipped


# Clipping by norms


def refuse_others(tensor: Tensor, function: str) -> None:
    """Raise unless the tensor holds real floating point numbers."""
    if tensor.dtype not in REAL_FLOATING:
        refuse(
            f"{function}() takes float16, bfloat16, float32 and float64; "
            f"a tensor of {tensor.dtype.name} came. Use tf.cast to convert it."
        )


@overload
def clip_by_norm(
    t: Composite, clip_norm: TensorLike, axes: Axis | None = None, name: str | None = None
) -> Composite: ...
@overload
def clip_by_norm(
    t: TensorLike, clip_norm: TensorLike, axes: Axis | None = None, name: str | None = None
) -> Tensor: ...
@public
def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """``t``, scaled down to a Euclidean norm of ``clip_norm`` if its norm is larger.

    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    >>> tf.clip_by_norm([0.3, 0.4], 1.0).numpy()
    array([0.3, 0.4], dtype=float32)

    Args:
        t: a floating point tensor, or ``tf.IndexedSlices``, whose values are clipped.
        clip_norm: the largest norm that the result may have. A negative one counts as 0.
        axes: the axes over which the norm is taken; None for all.

    Raises:
        ValueError: if ``clip_norm`` has a larger shape than ``t``.
    """
    if isinstance(t, IndexedSlices):
        return t.map_values(lambda values: clip_by_norm(values, clip_norm, axes))
    t = convert(t)
    refuse_others(t, "clip_by_norm")
    norm = reduce_euclidean_norm(t, static_axis(axes), True)
    limit = maximum(convert(clip_norm, t.dtype), 0.0)
    clipped = multiply(t, limit)
    refuse_broadcast(t, clipped)
    return real_divide(clipped, maximum(norm, limit))


def as_values(t_list: Any) -> list[Any]:
    """The entries of a list, each of which is a tensor, IndexedSlices or None, as values."""
    if not isinstance(t_list, Sequence) or isinstance(t_list, (str, bytes)):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return [t if t is None or isinstance(t, IndexedSlices) else convert(t) for t in t_list]


@op(
    "_NormOfNorms",
    dtypes=REAL_FLOATING,
    lane=reductions.norm_lane,
    accumulate="float32",
    values="elements",
)
def norm_of_norms(xp, norms, *, axis=-1, keepdims=False):
    return euclidean_norm(xp, norms, axis, keepdims)


norm_of_norms.shape(reduced())


def norm_of_norms_gradient(dy, norms, out):
    # Not infinity / infinity: the rule of an infinite norm treats infinite elements differently.
    share = divide_no_nan_op(norms, array.expand_dims(out, -1))
    share = where(logic.equal(norms, np.inf), ones_like(norms), share)
    return array.expand_dims(dy, -1) * share


norm_of_norms.gradient(norms=norm_of_norms_gradient)
norm_of_norms.batching(with_axes("axis"))


@public
def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The Euclidean norm of all the elements of several tensors together. None entries are left out.

    >>> tf.linalg.global_norm([tf.constant([3.0]), None, tf.constant([[4.0]])]).numpy()
    np.float32(5.0)

    Differs from TensorFlow: no square overflows or underflows, and the gradient at 0 is 0.

    Args:
        t_list: a list of tensors of one floating point dtype, of `tf.IndexedSlices`, and of None.

    Raises:
        TypeError: if ``t_list`` is not a sequence.
        InvalidArgumentError: if the tensors have different dtypes, or are not of floating point.
    """
    norms = []
    for value in as_values(t_list):
        if value is not None:
            tensor = value.values if isinstance(value, IndexedSlices) else value
            refuse_others(tensor, "global_norm")
            norms.append(reduce_euclidean_norm(tensor))
    if not norms:
        return convert(0.0)
    return norms[0] if len(norms) == 1 else norm_of_norms(joining.stack(norms))


@composition
def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Gradient], Tensor]:
    """Several tensors, scaled down together if their common norm is above ``clip_norm``; and that norm.

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> [t.numpy() for t in clipped], norm.numpy()
    ([array([0.6], dtype=float32), array([0.8], dtype=float32)], np.float32(5.0))

    If the norm is infinite or NaN, all the results are NaN, because something has gone wrong already.

    Args:
        t_list: a sequence of tensors, ``tf.IndexedSlices`` and None. None for None.
        clip_norm: the largest common norm that the results may have.
        use_norm: the common norm, if it is known. By default `tf.linalg.global_norm` computes it.

    Raises:
        TypeError: if ``t_list`` is not a sequence.
    """
    values = as_values(t_list)
    norm = global_norm(values) if use_norm is None else convert(use_norm)
    limit = convert(clip_norm, norm.dtype)
    one = convert(1.0, norm.dtype)
    scale = multiply(limit, minimum(real_divide(one, norm), real_divide(one, limit)))
    # An infinite norm would scale by 0 and hide the fault. norm - norm is NaN for it, and otherwise 0.
    scale = scale + array.stop_gradient(norm - norm)

    def scaled(tensor: Tensor) -> Tensor:
        return multiply(tensor, cast(scale, tensor.dtype))

    clipped = [
        value.map_values(scaled)
        if isinstance(value, IndexedSlices)
        else value
        if value is None
        else scaled(value)
        for value in values
    ]
    return clipped, norm

"""Conversions from one dtype to another: ``cast``, ``saturate_cast`` and ``bitcast``.

``framework/casting.py`` decides what a number becomes in another dtype.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from tapegrad import core, dtypes, errors
from tapegrad.core import Tensor, VariableBase, public
from tapegrad.dtypes import DType
from tapegrad.engines.numpy import conversions
from tapegrad.errors import refuse
from tapegrad.framework import convert
from tapegrad.framework.casting import cast_array
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.ops.args import static_dtype
from tapegrad.ops.batching import BROADCASTS, leading
from tapegrad.ops.constants import constant
from tapegrad.ops.op import NUMERIC, QUANTIZED, op, says
from tapegrad.ops.shape_rules import Abstract, elementwise_result

if TYPE_CHECKING:
    from tapegrad.framework.types import Composite, DTypeLike, TensorLike

PUBLIC = {
    ". compat.v1": "bitcast",
    ". dtypes compat.v1 compat.v1.dtypes": "cast saturate_cast",
}


@op(
    "Cast",
    convert={"dtype": static_dtype},
    raw=("x", "DstT"),
    holomorphic=False,
    lane=conversions.cast,
    linear="x",
    elementwise=True,
)
def cast_op(xp, x, *, dtype):
    source = dtypes.from_numpy(x.dtype)
    if dtype is dtypes.string or source is dtypes.string or not dtype.is_numpy_compatible:
        if source is dtype:
            return x
        refuse(
            f"Cast from {source.name} to {dtype.name} is not supported: "
            "float(x.numpy()) reads a number from text, and tf.strings.as_string writes one.",
            error=errors.UnimplementedError,
        )
    if x.dtype.kind == "c" and not dtype.is_complex:
        x = x.real  # even for bool: TensorFlow casts 2j to False
    return cast_array(x, dtype, halves_by_float32=True)


# Floats of 16 bits round sizes, and small integers do not hold them.
KEEPING_SIZES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


@cast_op.shape
def cast_shape(x, dtype):
    result = elementwise_result(cast_op, [x], (dtype,))
    if x.dtype.is_integer and dtype in KEEPING_SIZES:
        result.value = x.sizes
    return result


# Types of 8 bits and fewer carry no gradients.
cast_op.gradient(x=lambda dy, x_dtype: cast_op(dy, x_dtype) if x_dtype.is_numeric else None)
cast_op.batching(BROADCASTS)
cast_op.keeps_slices = 1
cast_op.overrides[IndexedSlices] = lambda op, slices, dtype: slices.map_values(
    lambda values: op(values, dtype)
)


@overload
def cast(x: Composite, dtype: DTypeLike, name: str | None = None) -> Composite: ...
@overload
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor: ...
@public
@says(dispatched="unary")
def cast(x: Any, dtype: Any, name: str | None = None) -> Any:
    """``x`` with its values converted to ``dtype``. If ``x`` has that dtype already, ``x`` itself.

    >>> tf.cast([1.8, -2.2], tf.int32)                      # towards zero
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -2], dtype=int32)>
    >>> tf.cast([0, 1], tf.bool)
    <tf.Tensor: shape=(2,), dtype=bool, numpy=array([False,  True])>

    >>> tf.cast([300.0, -3.0], tf.uint8)                    # the nearest number
    <tf.Tensor: shape=(2,), dtype=uint8, numpy=array([255,   0], dtype=uint8)>

    Gradients flow between floating dtypes. None flows through an integer or bool dtype. A float that int8,
    uint8, int16 or uint16 cannot hold becomes the nearest number that the dtype holds. NaN, and a float that
    int32 (for 64 bits, int64) cannot hold either, become the lowest number of a signed dtype, and the same
    bits or 0 in an unsigned one: `saturate_cast` gives the nearest number there too. Integers keep the
    bits that fit. A cast from a complex to a real dtype drops the imaginary part and logs a warning.

    Args:
      x: A tensor or variable, or a value that can become one. Of `IndexedSlices` and of a `SparseTensor`
        the values are cast.
      dtype: The dtype of the result.
      name: Accepted and ignored.

    Raises:
      TypeError: ``dtype`` names no dtype.
      UnimplementedError: From or to strings.
    """
    wanted = dtypes.as_dtype(dtype)
    if not isinstance(x, (Tensor, VariableBase)):
        if hasattr(type(x), "map_values"):
            return x.map_values(lambda values: cast(values, wanted))
        x = convert.convert_to_tensor(x)
    source = x.dtype
    if source is wanted:
        return x
    if source.is_complex and not wanted.is_complex:
        _warn_of_imaginary_part(source, wanted)
    return cast_op(x, wanted)


def _warn_of_imaginary_part(source: DType, wanted: DType) -> None:
    from tapegrad.framework import logging

    logging.warn(
        f"You are casting an input of type {source.name} to an incompatible dtype {wanted.name}. "
        f"The imaginary part is lost, which may not be what you intended."
    )


@public
@says(dispatched="unary")
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`cast`, but a value outside the range of ``dtype`` becomes the nearest value in the range.

    >>> tf.saturate_cast([-20.0, 2.5, 300.0], tf.uint8)
    <tf.Tensor: shape=(3,), dtype=uint8, numpy=array([  0,   2, 255], dtype=uint8)>

    Differs from TensorFlow: a float outside the range of int64 or uint64 becomes the nearest float within
    the range. In TensorFlow it changes its sign.

    Args:
        value: a tensor of numbers, or a value that becomes one.
        dtype: the dtype of the result, of numbers, or its name.

    Raises:
      TypeError: From or to a dtype without a range, such as bool.
    """
    wanted = dtypes.as_dtype(dtype)
    tensor = convert.convert_to_tensor(value)
    source = tensor.dtype
    if source is wanted and not source.is_floating:
        return tensor
    if source.is_complex:
        real = core.registry["Real"](tensor)
        if not wanted.is_complex:
            _warn_of_imaginary_part(source, wanted)
            return saturate_cast(real, wanted)
        if wanted.size >= source.size:
            return cast_op(tensor, wanted)
        part = wanted.real_dtype
        imaginary = saturate_cast(core.registry["Imag"](tensor), part)
        real = saturate_cast(real, part)
        return core.registry["Complex"](real, imaginary)
    lowest, highest = _limits(source.name, wanted.real_dtype.name)
    if source.is_floating:
        return cast_op(core.registry["ClipByValue"](tensor, lowest, highest), wanted)
    if lowest is not None:
        tensor = core.registry["Maximum"](tensor, lowest)
    if highest is not None:
        tensor = core.registry["Minimum"](tensor, highest)
    return cast_op(tensor, wanted)


@functools.cache
def _limits(source_name: str, wanted_name: str) -> tuple[Tensor | None, Tensor | None]:
    """The lowest and the highest value that both dtypes hold; None where an integer cannot be beyond it.

    Floats can, where the limit is their own too: infinities become the nearest finite number.
    """
    source, wanted = dtypes.as_dtype(source_name), dtypes.as_dtype(wanted_name)
    lowest = _nearest_within(source, source.min, wanted.min)
    highest = _nearest_within(source, source.max, wanted.max)
    return (
        constant(lowest, source) if source.is_floating or lowest > source.min else None,
        constant(highest, source) if source.is_floating or highest < source.max else None,
    )


def _nearest_within(source: DType, own: Any, limit: Any) -> Any:
    """The limit nearer to zero, of two on one side of it, as a value of ``source``."""
    number = source.numpy_dtype.type
    # The limits of floats are whole numbers too, so Python's integers compare all limits exactly.
    exact = int(float(limit)) if isinstance(limit, np.generic) else limit
    if source.is_integer:
        return number(min(own, exact) if exact > 0 else max(own, exact))
    if abs(int(float(own))) <= abs(exact):
        return number(own)
    with np.errstate(all="ignore"):
        rounded = number(float(exact))
        # With fewer digits the limit may have been rounded away from zero, beyond its exact value.
        if not np.isfinite(rounded) or abs(int(float(rounded))) > abs(exact):
            rounded = np.nextafter(rounded, number(0))
    return rounded


@op(
    "Bitcast",
    dtypes=NUMERIC | QUANTIZED,
    convert={"type": dtypes.as_dtype},
    raw=("input", "type"),
    values="elements",
)
def bitcast(xp, input, *, type):
    """The bits of ``input``, read as values of another dtype.

    >>> tf.bitcast(tf.constant([1.0]), tf.int32)
    <tf.Tensor: shape=(1,), dtype=int32, numpy=array([1065353216], dtype=int32)>
    >>> tf.bitcast(tf.constant([1, 2]), tf.int64).shape     # two values make one of twice the size
    TensorShape([])

    A narrower type adds a last axis, along which the parts of each value lie, lowest bits first. A wider
    type removes the last axis, whose length must be the number of values that make one wider value.
    The op has no gradient.
    """
    if type not in NUMERIC | QUANTIZED:
        refuse(f"Bitcast makes numbers, and {type.name} is no numeric type")
    narrow, wide = input.dtype.itemsize, type.size
    if narrow == wide:
        return input.view(type.numpy_dtype)
    if narrow > wide:
        parts = np.ascontiguousarray(input).reshape((*input.shape, 1)) if input.size else None
        if parts is None:
            return np.empty((*input.shape, narrow // wide), type.numpy_dtype)
        return parts.view(type.numpy_dtype)
    check_joined_values(input.shape, narrow, type)
    if not input.size:
        return np.empty(input.shape[:-1], type.numpy_dtype)
    return np.ascontiguousarray(input).view(type.numpy_dtype).reshape(input.shape[:-1])


@bitcast.shape
def bitcast_shape(input, type):
    narrow, wide = input.dtype.size, type.size
    if narrow == wide:
        return Abstract(input.shape, type)
    if narrow > wide:
        return Abstract((*input.shape, narrow // wide), type)
    check_joined_values(input.shape, narrow, type)
    return Abstract(input.shape[:-1], type)


def check_joined_values(shape: tuple[int, ...], size: int, type: DType) -> None:
    """Values of ``size`` bytes along the last axis have to make one value of ``type``."""
    count = type.size // size
    if not shape or shape[-1] * size != type.size:
        refuse(
            f"{count} values of {size} bytes make one {type.name}, "
            f"so the last axis must have the length {count}; the input has the shape {list(shape)}"
        )


bitcast.batching(leading)

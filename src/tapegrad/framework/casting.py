"""Arrays from one dtype to another, with a defined answer for every number.

C does not define what becomes of a float that an integer type cannot hold, and processors disagree. Here the
answer is TensorFlow's for a single value on x86, on every machine and for every length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.dtypes import DType
from tapegrad.engines.numpy.buffers import empty
from tapegrad.engines.numpy.copies import copied

Array = np.ndarray[Any, Any]


def cast_array(array: Array, dtype: DType, halves_by_float32: bool = False) -> Array:
    """A copy of an array of numbers as ``dtype``, in C order and native byte order.

    Floats lose their fraction on the way to integers. A float out of range, or NaN, becomes the lowest int32
    (for int32 and integers below 32 bits) or the lowest int64 (for uint32 and wider), and then keeps the bits
    that fit into ``dtype``. Integers keep the bits that fit. Complex numbers lose their imaginary part on the
    way to real ones.

    Args:
      array: Numbers or bools in any byte order, with any strides.
      dtype: A numeric dtype, or bool.
      halves_by_float32: Whether to round to float32 before a half type, as TensorFlow's kernels do, or
        directly, as its conversion of arrays does.
    """
    array = dtypes.stored(array)
    if dtype.is_quantized:
        plain = dtypes.from_numpy(dtype.numpy_dtype[0])
        return cast_array(array, plain).view(dtype.numpy_dtype)
    target = dtype.numpy_dtype
    # bfloat16 counts as a float here, though NumPy files it under "other".
    is_float = array.dtype.kind == "f" or (
        array.dtype.num >= 24 and dtypes.from_numpy(array.dtype).is_floating
    )
    with np.errstate(all="ignore"):
        if is_float and dtype.is_integer:
            return _floats_to_integers(array, dtype)
        if array.dtype.kind == "c" and dtype.is_integer:
            return _floats_to_integers(array.real, dtype)
        if halves_by_float32 and dtype.is_floating and dtype.size <= 2 and array.dtype.itemsize > 4:
            array = array.astype(np.float32)
        # In memory of the pool, which vectors find aligned and a training loop gets back for its next batch.
        if array.dtype is target:
            return copied(array)
        result = empty(array.shape, target)
        np.copyto(result, array, casting="unsafe")
        return result


def _floats_to_integers(array: Array, dtype: DType) -> Array:
    if array.dtype.itemsize < 4:
        array = array.astype(np.float32)
    if dtype is dtypes.uint64:
        # Numbers that uint64 holds and int64 does not: lower them by 2**63, convert, set the top bit again.
        upper = (array >= 2.0**63) & (array < 2.0**64)
        if upper.any():
            lowered = _as_signed(np.where(upper, array - 2.0**63, array), np.int64)
            return lowered.astype(np.uint64) ^ (upper.astype(np.uint64) << np.uint64(63))
    wide = np.int32 if dtype.size < 4 or dtype is dtypes.int32 else np.int64
    signed = _as_signed(array, wide)
    return np.array(signed, dtype=dtype.numpy_dtype, order="C", copy=None)


def _as_signed(array: Array, wide: type[np.int32] | type[np.int64]) -> Array:
    """Floats as int32 or int64. Those out of range become the lowest integer."""
    lowest = int(np.iinfo(wide).min)
    # Large floats cannot tell the lowest integer from the one below it. The comparison then calls the lowest
    # integer out of range too, which gives the lowest integer all the same. NaN compares false, and makes
    # min and max NaN.
    above, below = float(lowest) - 1, -float(lowest)
    if not array.size or (array.min() > above and array.max() < below):
        return array.astype(wide)
    return np.where((array > above) & (array < below), array, lowest).astype(wide)

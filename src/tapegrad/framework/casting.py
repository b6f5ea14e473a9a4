"""Arrays from one dtype to another, with a defined answer for every number.

C leaves open what becomes of a float that an integer type cannot hold, and processors disagree; the
rule here is the one TensorFlow shows for single values on x86, whatever the machine and the length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.dtypes import DType

Array = np.ndarray[Any, Any]


def cast_array(array: Array, dtype: DType, halves_by_float32: bool = False) -> Array:
    """A copy of an array of numbers, in another dtype or the same; C order, native byte order.

    Floats lose their fraction on the way to integers. Those out of range, NaN among them, become the
    lowest int32 (for integers of up to 32 bits) or the lowest int64 (for uint32 and wider), and of
    that the bits which fit. Integers keep the bits that fit. Complex numbers lose their imaginary
    part on the way to real ones, of which NumPy warns.

    Args:
      array: Numbers or bools in any byte order, with any strides.
      dtype: A numeric dtype, or bool.
      halves_by_float32: Round to a half by way of float32, as TensorFlow's kernels do, rather than
        at once, as its conversion of arrays does.
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
        return np.array(array, dtype=target, order="C", copy=True, subok=False)


def _floats_to_integers(array: Array, dtype: DType) -> Array:
    if array.dtype.itemsize < 4:
        array = array.astype(np.float32)
    if dtype is dtypes.uint64:
        # What int64 cannot hold and uint64 can: taken 2**63 lower, and the top bit put back after.
        upper = (array >= 2.0**63) & (array < 2.0**64)
        if upper.any():
            lowered = _as_signed(np.where(upper, array - 2.0**63, array), np.int64)
            return lowered.astype(np.uint64) ^ (upper.astype(np.uint64) << np.uint64(63))
    wide = np.int32 if dtype.size < 4 or dtype is dtypes.int32 else np.int64
    signed = _as_signed(array, wide)
    return np.array(signed, dtype=dtype.numpy_dtype, order="C", copy=None)


def _as_signed(array: Array, wide: type[np.int32] | type[np.int64]) -> Array:
    """Floats as int32 or int64; the lowest one stands for all that are out of range."""
    lowest = int(np.iinfo(wide).min)
    # Where floats cannot tell the lowest integer from the one below, the comparison refuses the
    # lowest too, and then puts it in its own place. NaN compares false, and makes min and max NaN.
    above, below = float(lowest) - 1, -float(lowest)
    if not array.size or (array.min() > above and array.max() < below):
        return array.astype(wide)
    return np.where((array > above) & (array < below), array, lowest).astype(wide)

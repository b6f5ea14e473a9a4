"""Arrays from one dtype to another, with a defined answer for every number.

C does not define what becomes of a float that an integer type cannot hold, and processors disagree. Here
there is one rule, that of `engines/numpy/conversions.h`, on every machine and for every length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.dtypes import DType
from tapegrad.engines.numpy.buffers import empty
from tapegrad.engines.numpy.conversions import to_integers
from tapegrad.engines.numpy.copies import copied

Array = np.ndarray[Any, Any]


def cast_array(array: Array, dtype: DType, halves_by_float32: bool = False) -> Array:
    """A copy of an array of numbers as ``dtype``, in C order and native byte order.

    Floats lose their fraction when they become integers; values outside of the integer type follow the rule
    of `conversions.h`. Integers keep the bits that fit. Complex numbers lose their imaginary part when they
    become to real ones.

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
        if array.dtype.kind == "c" and dtype.is_integer:
            array, is_float = array.real, True
        if is_float and dtype.is_integer:
            wide = np.float32 if array.dtype.itemsize <= 4 else np.float64
            return floats_to_integers(array.astype(wide, copy=False), dtype)
        if halves_by_float32 and dtype.is_floating and dtype.size <= 2 and array.dtype.itemsize > 4:
            array = array.astype(np.float32)
        if not is_float and array.dtype.num >= 24 and target.isbuiltin != 1:
            # ml_dtypes 0.5.0 has no cast from its integers to its floats.
            array = array.astype(np.float32)
        # In memory of the pool, which vectors find aligned and a training loop gets back for its next batch.
        if array.dtype is target:
            return copied(array)
        result = empty(array.shape, target)
        np.copyto(result, array, casting="unsafe")
        return result


def floats_to_integers(array: Array, dtype: DType) -> Array:
    """float32 or float64 as integers of any size, by the rule of `conversions.h`."""
    if dtype.numpy_dtype.isbuiltin == 1:
        return to_integers(array, dtype.numpy_dtype)
    # Types of two and four bits. A byte holds their limits, and values beyond a byte's limits are beyond
    # theirs.
    whole = to_integers(array, np.dtype(np.int8 if dtype.min else np.uint8))
    return whole.clip(dtype.min, dtype.max).astype(dtype.numpy_dtype)

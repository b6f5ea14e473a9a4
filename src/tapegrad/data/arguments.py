"""Arguments of data sets: whole numbers, truths, texts, data sets and functions that users gave."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, static_value
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor


def check_name(name: Any) -> None:
    """Raise unless ``name`` is an identifier. Nothing else is done with names of data sets."""
    if not isinstance(name, str):
        raise TypeError(f"The `name` of a data set must be a string, but got {name!r}.")
    if not name.isidentifier():
        raise ValueError(
            f"Invalid `name`. The `name` of a data set must be a valid identifier, but got {name!r}."
        )


def whole_number(value: Any, name: str, dtype: dtypes.DType = dtypes.int64) -> int:
    """``value``, a whole number or a scalar of ``dtype``, as an int.

    Raises:
        TypeError: it is no whole number.
        ValueError: it is a tensor of another dtype, or has more bits.
        InvalidArgumentError: it is no scalar.
    """
    if type(value) is int and dtype.min <= value <= dtype.max:
        return value
    tensor = convert_to_tensor(value, dtype)
    if tensor.ndim:
        refuse(f"{name} must be a scalar, but it has the shape {tensor.shape}.")
    return int(static_value(tensor, "size"))


def positive(value: Any, message: str, op: str) -> int:
    """``value`` as an int; `InvalidArgumentError` with ``message`` unless it is greater than zero."""
    number = whole_number(value, message.partition(" must")[0])
    if number < 1:
        refuse(f"{message} must be greater than zero, but it is {number}.", op=op)
    return number


def parallel_calls(value: Any, name: str, op: str) -> int:
    """How many calls to make at once: `tf.data.AUTOTUNE`, which is -1, or a number greater than zero."""
    number = whole_number(value, name)
    if number < 1 and number != -1:
        refuse(f"{name} must be greater than zero, but it is {number}.", op=op)
    return number


def optional_number(value: Any, name: str) -> int:
    """``value`` as `whole_number` gives it, or 0 for None.

    Raises:
        TypeError: it is no number, or a tensor of another dtype than int64.
        ValueError: it is no scalar, or has more than 64 bits.
    """
    if value is None:
        return 0
    if isinstance(value, int) or getattr(value, "ndim", None) == 0:
        try:
            return whole_number(value, name)
        except ValueError as error:
            if isinstance(value, int):
                raise
            raise TypeError(f"{name} must be a whole number, but got {value!r}.") from error
    try:
        shape = convert_to_tensor(value).shape
    except (TypeError, ValueError):
        shape = None
    if shape is not None and shape.rank and not isinstance(value, (str, bytes)):
        raise ValueError(f"{name} must be a scalar, but it has the shape {shape}.")
    raise TypeError(f"{name} must be a whole number, but got {value!r}.")


def truth(value: Any, name: str, op: str) -> bool:
    """``value``, which must be True or False itself."""
    if not isinstance(value, bool):
        raise TypeError(f"{op}: `{name}` must be True or False, but got {value!r}.")
    return value


def truth_tensor(value: Any, name: str, op: str) -> bool:
    """``value``, True or False or a scalar tensor of bool, as a bool.

    Raises:
        TypeError: it is something else that becomes a tensor.
        ValueError: it is a tensor of another dtype, or becomes none.
        InvalidArgumentError: it is no scalar.
    """
    if isinstance(value, bool):
        return value
    try:
        tensor = convert_to_tensor(value, dtypes.bool)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{op}: `{name}` must be True or False, but got {value!r}.") from error
    if tensor.ndim:
        refuse(f"`{name}` must be a scalar, but it has the shape {tensor.shape}.", op=op)
    return bool(static_value(tensor, name))


def check_seed(seed: Any, op: str) -> None:
    """Raise unless ``seed`` may be a seed: None or a number."""
    if seed is None or isinstance(seed, int):
        return
    is_number = isinstance(seed, float) and math.isfinite(seed)
    if isinstance(seed, (Tensor, np.ndarray, np.generic)):
        dtype = dtypes.as_dtype(seed.dtype)
        if dtype.is_complex:
            refuse(f"A seed is a whole number, but got {seed!r}.", op=op)
        is_number = dtype.is_integer or dtype.is_floating
    if not is_number:
        raise TypeError(f"{op}: a seed is a whole number or None, but got {seed!r}.")


def listed(value: Any, name: str, op: str) -> list[Any]:
    """``value``, something to iterate over, as a list."""
    try:
        return list(value)
    except TypeError as error:
        raise TypeError(f"{op}: `{name}` must be a list, but got {value!r}.") from error


def check_callable(function: Any, name: str, op: str, error: type[Exception] = TypeError) -> None:
    """Raise ``error`` unless ``function`` can be called."""
    if not callable(function):
        raise error(
            f"{op}: `{name}` must be a function, but got {function!r} (of type {type(function)})."
        )

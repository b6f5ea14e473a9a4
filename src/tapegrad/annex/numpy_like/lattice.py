"""The lattice by which `experimental_enable_numpy_behavior` promotes dtypes in its modes "all" and "safe".

A *kind* is a dtype, or a dtype that gives way to others (a weak one, with a ``*``): that of Python's numbers,
and of tensors made of them alone.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, VariableBase

# What each kind may become next. The result of two kinds is the first that both may become.
NEXT = {
    "bool": "int32*",
    "int32*": "uint8 int8 float32*",
    "uint8": "uint16 int16",
    "uint16": "uint32 int32",
    "uint32": "uint64 int64",
    "uint64": "float64*",
    "int8": "int16",
    "int16": "int32",
    "int32": "int64",
    "int64": "float64*",
    "float32*": "float64*",
    "float64*": "float16 bfloat16 complex128*",
    "float16": "float32",
    "bfloat16": "float32",
    "float32": "float64 complex64",
    "float64": "complex128",
    "complex128*": "complex64",
    "complex64": "complex128",
    "complex128": "",
}
OF_PYTHON = {int: "int32*", float: "float32*", complex: "complex128*"}

# How many bits the values of an integer need, and how many the dtypes of real and complex numbers keep.
BITS = {"uint8": 8, "int8": 7, "uint16": 16, "int16": 15, "uint32": 32, "int32": 31, "uint64": 64,
        "int64": 63}  # fmt: skip
DIGITS = {
    "float16": 11,
    "bfloat16": 8,
    "float32": 24,
    "complex64": 24,
    "float64": 53,
    "complex128": 53,
}


def _above(kind: str) -> frozenset[str]:
    """The kind, and all that it may become."""
    return frozenset([kind]).union(*[_above(wider) for wider in NEXT[kind].split()])


@functools.cache
def join(first: str, second: str) -> str:
    """The kind of a result of two kinds.

    >>> join("int8", "uint32"), join("int64", "float16"), join("int32", "float32*")
    ('int64', 'float16', 'float64*')
    """
    common = _above(first) & _above(second)
    return next(kind for kind in common if common <= _above(kind))


def is_safe(first: str, second: str) -> bool:
    """Whether the result has no more bits than either, and keeps all digits of integers.

    >>> is_safe("int32", "float32"), is_safe("int32", "float64"), is_safe("int8", "uint32")
    (False, True, False)
    """
    result = dtype_of(join(first, second))
    kept = DIGITS.get(result.name)
    return result in (dtype_of(first), dtype_of(second)) and (
        kept is None or all(BITS.get(kind, 0) <= kept for kind in (first, second))
    )


def dtype_of(kind: str) -> dtypes.DType:
    """The dtype of a kind."""
    return dtypes.as_dtype(kind.removesuffix("*"))


def is_weak(value: Any) -> bool:
    """Whether a tensor gives way to other dtypes."""
    return isinstance(value, Tensor) and getattr(value, "_weak", False)


def mark(tensor: Tensor) -> Tensor:
    """``tensor``, which is new, and gives way to other dtypes from now on."""
    if f"{tensor.dtype.name}*" in NEXT:
        tensor._weak = True  # type: ignore[attr-defined]
    return tensor


def mark_like(result: Tensor, value: Any) -> Tensor:
    """``result``, which is new, and gives way to other dtypes if ``value`` does."""
    return mark(result) if is_weak(value) else result


def kind_of(value: Any) -> str | None:
    """The kind of a value; None if it is not of numbers.

    >>> kind_of(1), kind_of(np.float32(1)), kind_of([1, 2.5]), kind_of(tf.constant([1])), kind_of("text")
    ('int32*', 'float32', 'float32*', 'int32', None)
    """
    if type(value) in OF_PYTHON:
        return OF_PYTHON[type(value)]
    if isinstance(value, (Tensor, VariableBase, np.ndarray, np.generic)):
        try:
            name = dtypes.as_dtype(value.dtype).name  # type: ignore[union-attr]
        except TypeError:
            return None
        return f"{name}*" if is_weak(value) else name if name in NEXT else None
    if isinstance(value, bool):
        return "bool"
    if not isinstance(value, (list, tuple)):
        return None
    kinds = [kind_of(part) for part in value]
    if not kinds:
        return "float32*"
    known = [kind for kind in kinds if kind is not None]
    return functools.reduce(join, known) if len(known) == len(kinds) else None

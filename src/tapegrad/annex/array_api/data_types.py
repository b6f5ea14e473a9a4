"""Dtypes by the standard: promotion, defaults, limits, and what the namespace says of itself."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.numpy_like import ops, promotion
from tapegrad.annex.numpy_like.promotion import asarray, numpy_dtype
from tapegrad.core import Tensor
from tapegrad.dtypes import DType
from tapegrad.framework.config import CPU_NAME
from tapegrad.framework.variable import Variable
from tapegrad.ops.linalg.attributes import check_device

PUBLIC = {
    "array_api": (
        "__array_api_version__ __array_namespace_info__ astype can_cast finfo iinfo isdtype nan "
        "result_type"
    ),
}

__array_api_version__ = "2025.12"
nan = float("nan")

FLOATING = "float32 float64".split()
COMPLEX = "complex64 complex128".split()
SIGNED = "int8 int16 int32 int64".split()
UNSIGNED = "uint8 uint16 uint32 uint64".split()
KINDS = {
    "bool": ["bool"],
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": SIGNED + UNSIGNED,
    "real floating": FLOATING,
    "complex floating": COMPLEX,
    "numeric": SIGNED + UNSIGNED + FLOATING + COMPLEX,
}


class FloatInfo(NamedTuple):
    """Limits of a floating dtype, as Python's numbers."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class IntegerInfo(NamedTuple):
    """Limits of a dtype of integers."""

    bits: int
    max: int
    min: int
    dtype: DType


def default_dtype(kind: type) -> DType:
    """The dtype of Python's numbers: that of `tf.experimental.numpy`."""
    return dtypes.as_dtype(numpy_dtype(kind))


def dtype_of(value: Any) -> DType:
    """The dtype that an argument is or has."""
    return dtypes.as_dtype(value.dtype if isinstance(value, (Tensor, Variable)) else value)


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype to which the standard promotes these.

    Args:
        arrays_and_dtypes: tensors, dtypes and Python's numbers; one at least. A number of Python counts less
            than a tensor.
    """
    if not arrays_and_dtypes:
        raise ValueError("result_type() takes at least one tensor, dtype or number")
    return dtypes.as_dtype(promotion.result_type(*arrays_and_dtypes))


def astype(x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """``x`` as another dtype.

    Args:
        x: a tensor.
        dtype: the dtype of the result. Complex numbers become complex numbers or bools alone.
        copy: whether the result is a new tensor where ``x`` is of this dtype already.
        device: None, or a name of the one device, such as "cpu".
    """
    check_device(device)
    wanted = dtypes.as_dtype(dtype)
    if x.dtype.is_complex and not (wanted.is_complex or wanted.is_bool):
        raise TypeError(f"astype() makes no {wanted.name} of {x.dtype.name}: take real() or imag()")
    tensor = asarray(x)
    if wanted.is_bool and tensor.dtype.is_complex:
        return ops.not_equal(tensor, 0)
    if tensor.dtype is not wanted:
        return ops.cast(tensor, wanted)
    return ops.identity(tensor) if copy else tensor


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether promotion can make ``to`` of ``from_``.

    Args:
        from_: a dtype, or a tensor, whose dtype counts.
        to: a dtype.
    """
    return bool(np.can_cast(dtype_of(from_).numpy_dtype, dtypes.as_dtype(to).numpy_dtype))


def finfo(type: Any, /) -> FloatInfo:
    """The limits of a floating dtype; of a complex one, those of its parts.

    Args:
        type: a dtype of floating point or complex numbers, or a tensor, whose dtype counts.
    """
    dtype = dtype_of(type).real_dtype
    limits: Any = dtype._floating_limits("limits")
    return FloatInfo(
        int(limits.bits),
        float(limits.eps),
        float(limits.max),
        float(limits.min),
        float(limits.smallest_normal),
        dtype,
    )


def iinfo(type: Any, /) -> IntegerInfo:
    """The limits of a dtype of integers.

    Args:
        type: a dtype of integers, or a tensor, whose dtype counts.
    """
    dtype = dtype_of(type)
    if not dtype.is_integer:
        raise TypeError(f"iinfo() takes a dtype of integers; {dtype.name} came")
    return IntegerInfo(8 * dtype.size, dtype.max, dtype.min, dtype)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a dtype is of a kind, such as "real floating", or of one of several.

    Args:
        dtype: a dtype.
        kind: another dtype, a kind ("bool", "signed integer", "unsigned integer", "integral", "real
            floating", "complex floating" or "numeric"), or a tuple of these.
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one_kind) for one_kind in kind)
    checked = dtypes.as_dtype(dtype)
    if not isinstance(kind, str):
        return checked is dtypes.as_dtype(kind)
    if kind not in KINDS:
        raise ValueError(
            f"{kind!r} is no kind of dtypes: the kinds are {', '.join(map(repr, KINDS))}"
        )
    if kind in ("real floating", "numeric") and checked.is_floating:
        return True  # the half types too
    return checked.name in KINDS[kind]


class Info:
    """What the namespace has: ``__array_namespace_info__()``."""

    def capabilities(self) -> dict[str, Any]:
        """What depends on values works, and the most axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """The name of the one device."""
        return CPU_NAME

    def devices(self) -> tuple[str, ...]:
        """The names of all devices: one."""
        return (CPU_NAME,)

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """The default dtypes of new tensors."""
        check_device(device)
        return {
            "real floating": default_dtype(float),
            "complex floating": default_dtype(complex),
            "integral": default_dtype(int),
            "indexing": dtypes.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        """The dtypes of the standard by name: all, or those of a kind."""
        check_device(device)
        names = ["bool", *KINDS["numeric"]]
        return {
            name: dtypes.as_dtype(name) for name in names if kind is None or isdtype(name, kind)
        }


def __array_namespace_info__() -> Info:  # the standard's name
    """What the namespace says of itself."""
    return Info()

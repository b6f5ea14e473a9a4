"""Converters of attributes: what users write for an axis, a shape or a size, as plain Python values.

Ops name these functions in ``@op(..., convert={"axis": static_axis})``. Each takes Python and NumPy numbers,
nested lists, tensors, variables and ``TensorShape``. It returns ints, tuples of ints, bools or dtypes, or
raises what TensorFlow raises. The op itself checks whether a number suits its operand. While a function is
recorded for open sizes, an int may be a `Size`: the converters keep it, for `int` would decide it.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import (
    EagerTensor,
    Operand,
    Tensor,
    VariableBase,
    are_ints,
    convert,
    quick_ints,
    quick_sizes,
    static_value,
)
from tapegrad.core.sizes import Size, chosen_less
from tapegrad.errors import refuse
from tapegrad.framework.casting import cast_array
from tapegrad.framework.nested import MAX_RANK
from tapegrad.framework.shape import TensorShape

Result = TypeVar("Result")

LARGEST = 2**63 - 1
# The types TensorFlow takes for sizes and axes; a tensor of another type is refused, not cast.
INDEX_NAMES = ("int32", "int64")


def optional(convert: Callable[[Any], Result]) -> Callable[[Any], Result | None]:
    """``convert``, which then returns None for None: for attributes whose default is None."""

    def convert_or_none(value: Any) -> Result | None:
        return None if value is None else convert(value)

    return convert_or_none


def untyped(convert: Callable[[Any], Result]) -> Callable[[Any], Result]:
    """``convert``, which then refuses a Python float with InvalidArgumentError.

    For arguments whose dtype TensorFlow infers: a float is not one of the dtypes it takes.
    """

    def convert_integers(value: Any) -> Result:
        if isinstance(value, float):
            refuse(f"int32 or int64 values were expected here; the float {value} came.")
        return convert(value)

    return convert_integers


def matching_tensors(values: Any) -> list[Any]:
    """``values`` as tensors of one dtype: that of the first tensor among them, or of the first value.

    Raises:
        TypeError: for a Python value that does not convert to that dtype. Tensors are left to the op.
    """
    for value in values:
        if type(value) is not EagerTensor:
            break
    else:
        return list(values)
    first = next((value for value in values if isinstance(value, (Tensor, VariableBase))), None)
    dtype = convert(values[0] if first is None else first).dtype
    # Plain numbers that fit are left to the op, which converts them faster.
    plain = (int, float) if dtype.is_floating else (int,) if dtype.is_integer else ()
    return [
        value
        if isinstance(value, (Tensor, VariableBase)) or type(value) in plain
        else convert(value, dtype)
        for value in values
    ]


def operand_of_dtype(value: Any, dtype: dtypes.DType) -> Tensor:
    """``value`` as a tensor for an op whose other operand has ``dtype``.

    A tensor of another dtype is not converted: the op refuses it with InvalidArgumentError.
    """
    tensor: Tensor = (
        convert(value) if isinstance(value, (Tensor, VariableBase)) else convert(value, dtype)
    )
    return tensor


def refuse_mixed_integers(*values: Any) -> None:
    """Refuse positions and sizes of one op that are tensors of both int32 and int64.

    Raises:
        InvalidArgumentError: if both dtypes occur.
    """
    types_of_values = [
        convert(value).dtype for value in values if isinstance(value, (Tensor, VariableBase))
    ]
    if len(types_of_values) > 1 and any(
        dtype is not types_of_values[0] for dtype in types_of_values
    ):
        types = set(types_of_values)
        refuse(
            "Positions and sizes given as tensors must have one dtype, "
            "as dtypes are never mixed silently; "
            f"{' and '.join(sorted(dtype.name for dtype in types))} came. "
            "Use tf.cast on one of them."
        )


def static_array(value: Any, how: str = "integers") -> np.ndarray:
    """``value`` as an int64 NumPy array of any rank; an empty list counts as integers.

    Where a number is a `Size`, the array is one of objects: ints and sizes.

    ``how`` says to observers why the values of a tensor are read.

    Raises:
        InvalidArgumentError: for strings, for floats in a list, and for tensors that are not integers. But a
            scalar tensor in a list may hold any number, and counts with its whole part.
        TypeError: for a single Python float.
        ValueError: for None, for what is no number at all, and for integers beyond 64 bits.
    """
    if type(value) is list or type(value) is tuple:
        return _sequence(value, how)
    if isinstance(value, (Tensor, VariableBase)):
        value = convert(value)
        dtype = value.dtype
        if dtype is dtypes.int64:
            return static_value(value, how)
        if dtype.name not in INDEX_NAMES:
            refuse(f"int32 or int64 values were expected here; a tensor of {dtype.name} came.")
        return as_int64(static_value(value, how))
    if isinstance(value, TensorShape):
        return _array_of_sizes(_known_sizes(value))
    if type(value) is Size:
        return _array_of_sizes([value]).reshape(())
    if isinstance(value, (np.ndarray, np.generic)):
        return _whole_numbers(np.asarray(value))
    if isinstance(value, (bool, int)):
        return _int64(value)
    if isinstance(value, float):
        raise TypeError(f"Cannot convert {value!r} to an int32 tensor: an integer was expected.")
    if isinstance(value, (str, bytes)):
        refuse(f"int32 or int64 values were expected here; the string {value!r} came.")
    if isinstance(value, complex):
        refuse(f"int32 or int64 values were expected here; the complex number {value} came.")
    if isinstance(value, (list, tuple, range)):
        return _sequence(value, how)
    if hasattr(value, "__array__"):
        return _whole_numbers(np.asarray(value))
    if hasattr(value, "__tf_tensor__"):
        return static_array(value.__tf_tensor__(), how)
    if hasattr(value, "__index__"):
        return _int64(value.__index__())
    raise ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to "
        "a tensor of integers."
    )


def as_int64(array: np.ndarray) -> np.ndarray:
    """An array of int32 or int64 as one of int64. One of objects, among which are sizes, stays as it is."""
    return array if array.dtype.kind == "O" else array.astype(np.int64)


def _array_of_sizes(sizes: Sequence[Any]) -> np.ndarray:
    """A vector of int64; one of objects if a `Size` is among them."""
    if not any(type(size) is Size for size in sizes):
        return np.array(sizes, np.int64)
    return np.fromiter(sizes, object)  # np.array would ask each size for its number


class BeyondInt64(ValueError):
    """An integer that cannot be a size, axis or index because it has more than 64 bits.

    It has a class of its own because `explain` turns every other ValueError of a kernel into another error.
    TensorFlow raises ValueError here, before its kernels run.
    """


def _int64(value: int) -> np.ndarray:
    if not -LARGEST - 1 <= value <= LARGEST:
        raise BeyondInt64(f"{value} is out of the range of int64.")
    return np.array(value, np.int64)


def _whole_numbers(array: np.ndarray) -> np.ndarray:
    """A NumPy array as int64. As in TensorFlow, floats convert too if they are whole numbers."""
    kind = array.dtype.kind
    if kind in "iub":
        if kind == "u" and array.size and int(array.max()) > LARGEST:
            raise BeyondInt64(f"{array.max()} is out of the range of int64.")
        return array.astype(np.int64, copy=False)
    if kind == "f":
        array = array.astype(np.float64, copy=False)  # 2**63 does not fit a half
    if kind == "f" and np.all(np.abs(array) < 2.0**63) and np.all(array == np.trunc(array)):
        return array.astype(np.int64)
    refuse(
        "int32 or int64 values were expected here; "
        f"a NumPy array of {array.dtype} came that does not hold whole numbers."
    )


def _sequence(values: Any, how: str) -> np.ndarray:
    if are_ints(values) or _is_matrix_of_ints(values):
        return np.array(values, np.int64)
    texts = [isinstance(value, (str, bytes)) for value in values]
    if any(texts) and not all(texts):
        raise ValueError(
            f"Can't convert a sequence of strings and numbers to a tensor: {list(values)!r}."
        )
    for value in values:
        if isinstance(value, (float, np.floating)):
            refuse(f"int32 or int64 values were expected here; the float {value} came in a list.")
    # As in TensorFlow, the first value decides: booleans after an integer are 0 and 1.
    are_bools = [isinstance(value, bool) for value in values]
    if any(are_bools[:1]) and not all(are_bools):
        raise ValueError(
            f"Can't convert a sequence of booleans and numbers to a tensor: {list(values)!r}."
        )
    items = [
        _scalar_tensor(value, how)
        if isinstance(value, (Tensor, VariableBase))
        else static_array(value, how)
        for value in values
    ]
    if any(item.shape != items[0].shape for item in items):
        raise ValueError(
            "Can't convert a non-rectangular Python sequence to a tensor: "
            f"{list(values)!r} has parts of shapes {', '.join(str(item.shape) for item in items)}."
        )
    if any(item.dtype.kind == "O" for item in items):
        return np.stack(items)
    return np.array(items, np.int64) if items else np.zeros(0, np.int64)


def _scalar_tensor(value: Any, how: str) -> np.ndarray:
    """A tensor in a list. A scalar may hold any number: TensorFlow casts it when it packs the list."""
    tensor = convert(value)
    dtype = tensor.dtype
    if tensor.ndim or dtype.name in INDEX_NAMES:
        return static_array(tensor, how)
    if dtype.is_bool or not dtype.is_numeric:
        raise TypeError(f"An integer was expected; a tensor of {dtype.name} came in a list.")
    return cast_array(static_value(tensor, how), dtypes.int32).astype(np.int64)


def _is_matrix_of_ints(values: Any) -> bool:
    """Whether ``values`` is a list of equally long lists of ints, as most paddings and indices are."""
    if not values or type(values[0]) not in (list, tuple):
        return False
    width = len(values[0])
    return all(
        type(row) in (list, tuple)
        and len(row) == width
        and all(type(item) is int and -LARGEST - 1 <= item <= LARGEST for item in row)
        for row in values
    )


def _known_sizes(shape: TensorShape) -> tuple[int, ...]:
    sizes = shape._dims
    if sizes is None or None in sizes:
        raise ValueError(f"Cannot convert a partially known TensorShape {shape} to a tensor.")
    return sizes


def static_int(value: Any) -> int:
    """One integer: from a number, or from anything that holds exactly one.

    >>> static_int(np.int32(3)), static_int([7])
    (3, 7)
    """
    if type(value) is int and -LARGEST - 1 <= value <= LARGEST:
        return value
    if type(value) is Size:
        return value  # type: ignore[return-value]  # it behaves as an int
    array = static_array(value, "integer")
    if array.size != 1:
        refuse(f"A single integer was expected; {array.size} came, in shape {array.shape}.")
    return array.item()


@quick_ints
def static_ints(value: Any) -> tuple[int, ...]:
    """A tuple of integers: from a vector, or from one number, which makes a tuple of one.

    >>> static_ints([2, np.int64(3)]), static_ints(4)
    ((2, 3), (4,))
    """
    if type(value) is int and -LARGEST - 1 <= value <= LARGEST:
        return (value,)
    if type(value) is TensorShape:
        return _known_sizes(value)
    array = static_array(value, "sizes")
    if array.ndim > 1:
        refuse(f"A vector of integers was expected; one of shape {array.shape} came.")
    return tuple(array.reshape(-1).tolist())


@quick_ints
def static_vector(value: Any) -> tuple[int, ...]:
    """A tuple of integers from a vector; one number alone is refused, as several ops do.

    >>> static_vector([1, 0])
    (1, 0)
    """
    if type(value) not in (tuple, list, TensorShape) and static_array(value).ndim == 0:
        refuse(f"A vector of integers was expected; the scalar {value} came. Write [{value}].")
    return static_ints(value)


@quick_ints
def static_axis(value: Any) -> int | tuple[int, ...] | None:
    """An axis or axes: None (all) as it is, a number as an int, a list or tensor of any rank as a tuple.

    >>> static_axis(-1), static_axis([0, 1]), static_axis(None)
    (-1, (0, 1), None)
    """
    if value is None or type(value) is int:
        return value
    array = static_array(value, "axis")
    return array.item() if array.ndim == 0 else tuple(array.reshape(-1).tolist())


@quick_sizes
def static_shape(value: Any) -> tuple[int, ...]:
    """A shape: sizes of at least zero, whose product fits into 64 bits. A number is a shape of one size.

    >>> static_shape([2, 3]), static_shape(5), static_shape(TensorShape([4]))
    ((2, 3), (5,), (4,))
    """
    return check_size(static_ints(value))


def check_size(shape: tuple[int, ...]) -> tuple[int, ...]:
    """``shape`` itself, if a tensor can have it.

    Raises:
        InvalidArgumentError: for a negative size, more than 2**63 - 1 elements, or more axes than NumPy has.
    """
    if len(shape) > MAX_RANK:
        refuse(
            f"Too many dimensions: a tensor has at most {MAX_RANK}, "
            f"and the shape asked for has {len(shape)}."
        )
    size = 1
    for length in shape:
        if length < 0:
            refuse(f"Dimension {length} of the shape {list(shape)} must be at least 0.")
        size *= length
    if type(size) is int and size > LARGEST:
        refuse(f"The shape {list(shape)} would have more than 2**63 - 1 elements.")
    return shape


def check_memory(shape: tuple[int, ...], numpy_dtype: Any) -> None:
    """Refuse a shape that does not fit into memory, before an array is filled or repeated in a view.

    Raises:
        ResourceExhaustedError: if it does not fit. An op that gets such a view would run out of memory, or
            never end.
    """
    size = math.prod(shape)
    if size < 1 << 30 if type(size) is int else chosen_less(size, 1 << 30):
        return
    fits = size * numpy_dtype.itemsize <= memory_size()
    try:
        if fits:
            np.empty(shape, numpy_dtype)  # memory that is never written costs next to nothing
    except (MemoryError, ValueError):
        fits = False
    if not fits:
        refuse(
            f"No memory for a tensor of shape {list(shape)} and type {numpy_dtype}.",
            error=errors.ResourceExhaustedError,
        )


@functools.cache
def memory_size() -> int:
    """The most bytes of memory that this process can have: those of the machine, or of its control group.

    The system promises more than there is, and ends a process that writes to it.
    """
    sizes = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError), open(path) as limit:
            sizes.append(int(limit.read()))  # or there is no such group, or its limit is "max"
    return min(sizes)


def static_float(value: Any) -> float:
    """One float: from a number, or from an array or a tensor without axes.

    >>> static_float(np.float32(0.5)), static_float(2)
    (0.5, 2.0)
    """
    if isinstance(value, (int, float)):
        return float(value)
    array = static_value(convert(value), "number")
    # Not left to float(), which takes arrays with axes and one element in some versions of NumPy.
    if array.ndim or array.dtype.kind in "OcSU":
        refuse(f"A single number was expected; {value!r} came, in shape {list(array.shape)}.")
    return float(array)


def static_bool(value: Any) -> bool:
    """The truth of ``value``, for flags such as ``keepdims``. As in TensorFlow, None is False.

    >>> static_bool(np.bool_(True)), static_bool(None)
    (True, False)
    """
    return bool(value)


def static_true(value: Any) -> bool:
    """`static_bool` for flags that are True by default: None stands for the default, as in TensorFlow."""
    return value is None or bool(value)


def convert_beside(value: Any, other: Any) -> Tensor:
    """``value`` as a tensor. Where ``other`` alone is one, its dtype decides, as among an op's inputs."""
    if isinstance(other, Operand) and not isinstance(value, Operand):
        return convert(value, convert(other).dtype)
    return convert(value)


def static_dtype(value: Any) -> Any:
    """The ``DType`` that ``value`` names. None for None, which ops take as the dtype of the input."""
    return None if value is None else dtypes.as_dtype(value)


def normalize_axis(axis: int, rank: int, what: str = "axis") -> int:
    """``axis`` counted from the front, for an operand of ``rank`` dimensions.

    >>> normalize_axis(-1, 3)
    2
    """
    if not -rank <= axis < rank:
        _int64(axis)
        allowed = f"[{-rank}, {rank})" if rank else "none: it is a scalar"
        refuse(f"{what} = {axis} does not suit an input of rank {rank} (allowed: {allowed}).")
    return axis + rank if axis < 0 else axis


def normalize_axes(axes: tuple[int, ...], rank: int) -> tuple[int, ...]:
    """Each of ``axes`` counted from the front. An axis that comes twice is refused.

    >>> normalize_axes((0, -1), 3)
    (0, 2)
    """
    result = tuple([normalize_axis(axis, rank) for axis in axes])
    if len(set(result)) != len(result):
        twice = next(axis for axis in result if result.count(axis) > 1)
        refuse(f"axis = {list(axes)} names axis {twice} of an input of rank {rank} more than once.")
    return result

"""What users see of a tensor besides its ops: conversion to Python and NumPy, pickling, missing names.

`tapegrad.core.tensor` calls these functions through `core.callbacks()`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from tapegrad import core, dtypes
from tapegrad.core import EagerTensor
from tapegrad.framework import calls, config
from tapegrad.framework.habits import attribute_answer
from tapegrad.framework.nested import MAX_RANK, encoded, short
from tapegrad.framework.shape import TensorShape

Array = np.ndarray[Any, Any]

# Names that TensorFlow's tensors have. `tapegrad.framework.missing` says why they are missing here.
OTHER_NAMES = frozenset({"graph", "is_packed", "name", "op", "value_index"})


class Reference:
    """A hashable reference to a tensor or a variable, which compare by value and so have no hash.

    >>> x = tf.constant([1.0, 2.0])
    >>> {x.ref(): "x"}[x.ref()]
    'x'
    """

    __slots__ = ("_wrapped",)

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        """The tensor or variable."""
        return self._wrapped

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._wrapped is other._wrapped

    def __lt__(self, other: Any) -> bool:
        return id(self._wrapped) < id(other._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


def to_numpy(array: Array) -> Any:
    """A copy of ``array`` in C order; a scalar as NumPy's scalar, a string as bytes."""
    if array.dtype.names is not None:
        array = dtypes.stored(array)
    return np.array(array, order="C") if array.ndim else array[()]


def as_argument(value: Any) -> Array:
    """What a function of NumPy gets for ``value``, a tensor or any object: an array of its own."""
    return np.array(value)


def read_only(array: Array, dtype: Any = None, copy: bool | None = None) -> Array:
    """``array`` for NumPy's conversion protocol: a read-only view, or a copy."""
    if array.dtype.names is not None:
        array = dtypes.stored(array)
    if copy or (dtype is not None and np.dtype(dtype) != array.dtype):
        if copy is False:
            raise ValueError(
                f"a tensor of {array.dtype} becomes an array of {np.dtype(dtype)} only by a copy"
            )
        return np.array(array, dtype=dtype, order="C")
    return core.read_only_view(array)


def truth(array: Array) -> bool:
    """The truth of one element. A string is true unless it is empty."""
    calls.mark()
    if array.size != 1 and array.size:
        raise ValueError(
            f"The truth value of a tensor of shape {array.shape} is ambiguous: "
            "reduce it with tf.reduce_any or tf.reduce_all first."
        )
    return bool(array.reshape(-1)[0]) if array.size else False


def scalar(array: Array, wanted: str) -> Any:
    """The one element of a tensor of rank 0, for `int`, `float` and `complex`."""
    if array.ndim:
        raise TypeError(
            f"only a tensor of rank 0 can become {wanted}; this one has the shape {array.shape}."
        )
    return array[()] if array.dtype.names is None else dtypes.stored(array)[()]


def index(array: Array) -> int:
    """The integer that Python takes as an index."""
    if array.ndim or array.dtype.kind not in "iu":
        raise TypeError(
            "only integer scalar tensors can be an index; "
            f"this one is of {array.dtype} and shape {array.shape}."
        )
    return operator.index(array[()])


def iterate(tensor: Any) -> Iterator[EagerTensor]:
    """The slices along the first axis. Tapes record them as they do any other slice."""
    is_variable = isinstance(tensor, core.VariableBase)
    if is_variable and not tensor.shape.is_fully_defined():
        tensor = tensor.value()
    if not tensor.shape.ndims:
        raise TypeError("Cannot iterate over a scalar tensor.")
    calls.mark()
    return (tensor[i] for i in range(tensor.shape[0]))


def check_shape(shape: TensorShape, other: Any) -> None:
    """Raise unless a tensor of ``shape`` may be said to have the shape ``other``."""
    if not shape.is_compatible_with(other):
        raise ValueError(
            f"The tensor's shape {shape} is not compatible "
            f"with the supplied shape {TensorShape(other)}."
        )


def missing_attribute(tensor: Any, name: str) -> Any:
    """Raise AttributeError, and say what to write instead if there is something."""
    if name == "__round__":
        raise AttributeError(
            "round() does not take tensors: use tf.round(x), which stays on the tape."
        )
    if name == "__setitem__":
        raise TypeError(
            f"{type(tensor).__name__!r} object does not support item assignment: "
            + (
                "write x[0].assign(1), which changes the variable."
                if isinstance(tensor, core.VariableBase)
                else "a tensor does not change. Write x = tf.tensor_scatter_nd_update(x, [[0]], [1]), or "
                "make x a tf.Variable and write x[0].assign(1)."
            )
        )
    if name == "__delitem__":
        raise TypeError(
            f"{type(tensor).__name__!r} object does not support item deletion: write "
            "tf.gather(x, indices) with those that stay."
        )
    if name not in OTHER_NAMES and (name.startswith("_") or attribute_answer(name) is None):
        # A frequent case: programs read attributes to find out what an object is.
        raise AttributeError(f"{type(tensor).__name__!r} object has no attribute {name!r}")
    from tapegrad.framework import missing

    return missing.missing_attribute(tensor, "Tensor", name)


def pickled(array: Array) -> tuple[Any]:
    """The arguments of `unpack` that pickle keeps for an array."""
    return (pack(array),)


def pack(array: Array) -> tuple[str, tuple[int, ...], Any]:
    """An array as plain parts: dtype, shape, and bytes, or a list for an array of strings."""
    content: Any = (
        array.reshape(-1).tolist()
        if array.dtype == object
        else np.ascontiguousarray(array).tobytes()
    )
    return core.EagerTensor(array).dtype.name, array.shape, content


def unpack(parts: Any) -> EagerTensor:
    """The tensor that `pack` took apart.

    Raises:
        ValueError: the parts do not fit each other. They are not to be trusted: an array over too few bytes
            would show other memory of the process, and an array of strings could hold any object.
    """
    if not isinstance(parts, tuple) or len(parts) != 3:
        raise _damaged(f"its parts are dtype, shape and content, but {short(parts)} came")
    name, shape, content = parts
    if not isinstance(name, str):
        raise _damaged(f"the name of a dtype was expected, but {short(name)} came")
    try:
        dtype = dtypes.as_dtype(name)
        numpy_dtype = dtype.numpy_dtype
    except (TypeError, KeyError):
        raise _damaged(f"{short(name)} is not the name of a dtype that tensors have") from None
    if not isinstance(shape, tuple) or not all(type(size) is int and size >= 0 for size in shape):
        raise _damaged(f"its shape must be a tuple of sizes, but {short(shape)} came")
    if len(shape) > MAX_RANK:
        raise _damaged(f"a tensor has at most {MAX_RANK} axes, but its shape has {len(shape)}")
    count = math.prod(shape)
    if dtype is dtypes.string:
        if not isinstance(content, list) or len(content) != count:
            raise _damaged(
                f"{count} strings in a list were expected for the shape {shape}, "
                f"but {short(content)} came"
            )
        for string in content:
            if not isinstance(string, (bytes, str)):
                raise _damaged(f"a string was expected in its list, but {short(string)} came")
        array = encoded(content)
    else:
        size = count * numpy_dtype.itemsize
        if not isinstance(content, bytes) or len(content) != size:
            raise _damaged(
                f"{size} bytes were expected for the shape {shape} of {dtype.name}, "
                f"but {short(content)} came"
            )
        array = np.frombuffer(bytearray(content), dtype=numpy_dtype)
        if dtype is dtypes.bool and (array.view(np.uint8) > 1).any():
            raise _damaged("a byte of a truth value must be 0 or 1")
    try:
        return core.EagerTensor(array.reshape(shape))
    except (ValueError, OverflowError):
        raise _damaged(f"no tensor can have the shape {short(shape)}") from None


def _damaged(reason: str) -> ValueError:
    return ValueError(f"A pickled tensor is damaged: {reason}.")


def device() -> str:
    """The name of the one device."""
    return config.CPU_NAME

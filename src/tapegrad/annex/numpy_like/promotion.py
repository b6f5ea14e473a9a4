"""The dtype of a result, which NumPy decides, and values as tensors of that dtype."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.numpy_like import ops
from tapegrad.annex.numpy_like.lattice import dtype_of, kind_of, mark, mark_like
from tapegrad.annex.numpy_like.weak import Mode, as_kind, promote
from tapegrad.core import Tensor, VariableBase, convert
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.nested import holds_tensor

PUBLIC = {
    "experimental.numpy": (
        "asanyarray=asarray asarray ascontiguousarray=asarray "
        "bool_ complex128 complex64 complex_ finfo float16 float32 float64 float_ iinfo inexact "
        "int16 int32 int64 int8 int_ isscalar issubdtype ndarray object_ promote_types "
        "result_type string_ uint16 uint32 uint64 uint8 unicode_"
    ),
    "experimental.numpy array_api": "e inf newaxis pi",
}

ndarray = Tensor
newaxis = None
e, inf, pi = np.e, np.inf, np.pi
bool_, inexact, object_, string_, unicode_ = np.bool_, np.inexact, np.object_, np.bytes_, np.str_
complex64, complex128, complex_ = np.complex64, np.complex128, np.complex128
float16, float32, float64, float_ = np.float16, np.float32, np.float64, np.float64
int8, int16, int32, int64, int_ = np.int8, np.int16, np.int32, np.int64, np.int64
uint8, uint16, uint32, uint64 = np.uint8, np.uint16, np.uint32, np.uint64
iinfo = np.iinfo

SCALARS = (bool, int, float, complex)
ARRAYS = (np.ndarray, np.generic)
NARROW: dict[Any, np.dtype[Any]] = {np.dtype(wide): np.dtype(narrow) for wide, narrow in (
    ("float64", "float32"), ("int64", "int32"), ("complex128", "complex64"),
)}  # fmt: skip


class Preference:
    """What `experimental_enable_numpy_behavior` has set."""

    narrow = False
    """Whether Python's numbers become float32, int32 and complex64."""


def narrowed(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of Python's numbers, for which NumPy has arrays of ``dtype``."""
    if Preference.narrow or (Mode.by_lattice() and dtype.kind != "c"):
        return NARROW.get(dtype, dtype)
    return dtype


def finfo(dtype: Any) -> Any:
    """``numpy.finfo``, which takes TensorFlow's dtypes as well.

    Args:
        dtype: a dtype of floating point or complex numbers: TensorFlow's, NumPy's, or its name.
    """
    return np.finfo(numpy_dtype(dtype))


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """``numpy.issubdtype``, which takes TensorFlow's dtypes as well: whether ``arg1`` is below ``arg2``.

    >>> tf.experimental.numpy.issubdtype(tf.int32, tf.experimental.numpy.inexact)
    False

    Args:
        arg1: a dtype, TensorFlow's or NumPy's, its name, or one of NumPy's abstract types.
        arg2: the same, or an abstract type such as `tf.experimental.numpy.inexact`.
    """
    lower, upper = (
        numpy_dtype(dtype) if isinstance(dtype, dtypes.DType) else dtype for dtype in (arg1, arg2)
    )
    return bool(np.issubdtype(lower, upper))


def isscalar(num: Any) -> bool:
    """Whether ``num`` is a number, or a tensor without axes.

    Args:
        num: any object.
    """
    if isinstance(num, (Tensor, VariableBase)):
        return not convert(num).ndim
    return bool(np.isscalar(num))


def numpy_dtype(dtype: Any) -> np.dtype[Any]:
    """NumPy's dtype for TensorFlow's, for a name or for one of Python's types."""
    if isinstance(dtype, dtypes.DType):
        return dtype.numpy_dtype
    numpy_type: np.dtype[Any] = np.dtype(dtype)
    # np.dtype("float64") == float, and is no word for Python's numbers.
    return narrowed(numpy_type) if isinstance(dtype, type) and dtype in SCALARS else numpy_type


def asarray(a: Any, dtype: Any = None) -> Tensor:
    """``a`` as a tensor. Python's numbers become int64, float64 and complex128, as in NumPy.

    >>> tf.experimental.numpy.asarray([1, 2]).dtype
    tf.int64

    Args:
        a: a tensor or variable, which stays as it is; or numbers, lists of them or arrays that become one.
        dtype: the dtype of the result; None for that of ``a``.
    """
    if isinstance(a, (Tensor, VariableBase)):
        tensor: Tensor = convert_to_tensor(a)
    elif isinstance(a, (list, tuple)) and holds_tensor(a):
        tensor = from_nest(a)
    else:
        array = np.asarray(a)
        if isinstance(a, (list, tuple)) and holds_numbers_with_dtypes(a):
            array = array.astype(nest_type(a), copy=False)
        elif not isinstance(a, ARRAYS):
            array = array.astype(narrowed(array.dtype), copy=False)
        tensor = convert(array)
        if Mode.by_lattice() and (kind_of(a) or "").endswith("*"):
            mark(tensor)
    if dtype is None:
        return tensor
    return ops.cast(tensor, numpy_dtype(dtype))


def from_nest(nest: Any) -> Tensor:
    """Lists that hold tensors as one tensor, of the dtype that all their elements promote to."""
    typed = {getattr(element, "dtype", None) for element in elements_of(nest)}
    if len(typed) == 1 or any(isinstance(part, (str, bytes)) for part in elements_of(nest)):
        return convert_to_tensor(nest)
    return stacked(nest, nest_type(nest))


def nest_type(nest: Any) -> Any:
    """The dtype that all elements of lists promote to. Python's numbers count less than what has a dtype."""
    one_of_each: dict[Any, Any] = {}
    for element in elements_of(nest):
        one_of_each.setdefault(getattr(element, "dtype", type(element)), element)
    return result_dtype(*one_of_each.values())


def holds_numbers_with_dtypes(nest: Any) -> bool:
    """Whether NumPy's numbers are among the elements of lists, or its arrays of numbers."""
    return any(
        isinstance(part, ARRAYS) and part.dtype.kind not in "OSU" for part in elements_of(nest)
    )


def elements_of(nest: Any) -> Iterator[Any]:
    """What lists and tuples hold that is neither, from first to last."""
    for part in nest:
        if isinstance(part, (list, tuple)):
            yield from elements_of(part)
        else:
            yield part


def stacked(value: Any, dtype: Any) -> Tensor:
    """A value as a tensor of ``dtype``, where lists may hold tensors of other dtypes."""
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        return ops.stack([stacked(part, dtype) for part in value])
    return as_dtype(value, dtype)


def python_kind(value: Any) -> Any:
    """The widest of Python's types in ``value``, one number or a list of them; None for other values."""
    if isinstance(value, (list, tuple)):
        kinds = [python_kind(part) for part in value]
        return None if None in kinds else max(kinds, key=SCALARS.index, default=float)
    if isinstance(value, np.generic):
        return None
    return next((kind for kind in SCALARS if isinstance(value, kind)), None)


def is_dtype(value: Any) -> bool:
    """Whether ``value`` says a dtype, and is no value that has one."""
    return isinstance(value, (dtypes.DType, type, str, np.dtype))


def result_type(*arrays_and_dtypes: Any) -> dtypes.DType:
    """The dtype that a function of these values gives.

    >>> x = tf.constant([1.0])
    >>> tf.experimental.numpy.result_type(x, tf.constant([1])), tf.experimental.numpy.result_type(x, 1)
    (tf.float64, tf.float32)

    Args:
        arrays_and_dtypes: tensors, arrays, Python's numbers and dtypes. A number of Python counts less than
            an array.
    """
    return dtypes.as_dtype(result_dtype(*arrays_and_dtypes))


def result_dtype(*arrays_and_dtypes: Any) -> Any:
    """What `result_type` gives: a dtype of NumPy's, or TensorFlow's where the lattice decides."""
    if Mode.by_lattice():
        kind = promote(
            *(
                ops.zeros([], numpy_dtype(value)) if is_dtype(value) else value
                for value in arrays_and_dtypes
            )
        )
        if kind is not None:
            return dtype_of(kind)
    types: list[Any] = []
    for value in arrays_and_dtypes:
        if is_dtype(value):
            types.append(numpy_dtype(value))
        elif (kind := python_kind(value)) is not None:
            types.append(kind())  # a number of Python's counts less than an array
        else:
            types.append(numpy_dtype(asarray(value).dtype))
    result = np.result_type(*types) if types else np.dtype(np.float64)
    wide = Preference.narrow and all(part != result for part in types if isinstance(part, np.dtype))
    return NARROW.get(result, result) if wide else result


def promote_types(type1: Any, type2: Any) -> np.dtype[Any]:
    """The smallest dtype that holds the values of both.

    Args:
        type1, type2: dtypes, TensorFlow's or NumPy's, or names of dtypes.
    """
    return numpy_dtype(result_dtype(numpy_dtype(type1), numpy_dtype(type2)))


def promoted(*values: Any) -> list[Tensor]:
    """The values as tensors of the dtype of their result."""
    kind = promote(*values) if Mode.by_lattice() else None
    if kind is not None:
        return [as_kind(value, kind) for value in values]
    dtype = result_dtype(*values)
    return [as_dtype(value, dtype) for value in values]


def as_dtype(value: Any, dtype: Any) -> Tensor:
    """A value as a tensor of ``dtype``, which it may have to be cast to."""
    return ops.cast(asarray(value), numpy_dtype(dtype))


def floating(value: Any) -> Tensor:
    """A value as a tensor of floating point or complex numbers: integers become float64.

    They become float32 if Python's numbers do.
    """
    tensor = asarray(value)
    if tensor.dtype.is_floating or tensor.dtype.is_complex:
        return tensor
    cast = as_dtype(tensor, numpy_dtype(float))
    return mark_like(cast, tensor)

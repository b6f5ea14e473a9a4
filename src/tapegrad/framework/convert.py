"""Conversion to tensors: of numbers, strings, lists, arrays, shapes, and tensors inside lists.

``array_from`` converts values only, to a new NumPy array that no other object can write to.
``convert_to_tensor`` also takes tensors, variables, and lists that hold some; gradients flow through these.
Both choose the dtype as TensorFlow does: Python's numbers become float32, int32 (int64 if they need it) and
complex128; arrays keep their dtype. ``framework/nested.py`` converts lists, and ``framework/casting.py``
says what becomes of numbers out of the range of a dtype.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import core, dtypes
from tapegrad.core import EagerTensor, Tensor, VariableBase
from tapegrad.core.abstract import array_of_size
from tapegrad.core.sizes import Size
from tapegrad.dtypes import DType
from tapegrad.framework.casting import cast_array
from tapegrad.framework.dlpack import imported
from tapegrad.framework.nested import (
    FLOAT32_MAX,
    MAX_RANK,
    Conversion,
    add_conversion,
    array_of_leaves,
    array_of_nest,
    check_claim,
    conversions_of,
    defines,
    encoded,
    holds_tensor,
    kind_of,
    numpy_dtype_or_refuse,
    short,
    unsupported,
)
from tapegrad.framework.shape import TensorShape

PUBLIC = {
    ". compat.v1": "register_tensor_conversion_function",
}


Array = np.ndarray[Any, Any]
SHORT_RANGE = 256  # whose numbers are converted in the core


def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None) -> EagerTensor:
    """``value`` as a tensor. A tensor is returned itself; of a variable, the value is returned.

    Args:
      value: A number, a string, a nested list or tuple of these, an array, a tensor, a variable, or
        an object that offers ``__tf_tensor__``, ``__array__`` or ``__dlpack__``.
      dtype: The dtype of the result. Tensors and variables are never cast: they must have this dtype.
      dtype_hint: The dtype of the result if ``value`` suits it; otherwise ignored.

    Raises:
      TypeError: ``value`` does not suit ``dtype``.
      ValueError: ``value`` cannot become a tensor, or is a tensor of another dtype.
      InvalidArgumentError: A list holds tensors of different shapes or dtypes.
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    tensor: EagerTensor
    hint = None if dtype_hint is None else dtypes.as_dtype(dtype_hint)
    if isinstance(value, Tensor):
        tensor = _of_dtype(core.convert(value), wanted, value)
        return tensor
    if isinstance(value, VariableBase):
        # A new tensor for each reading. Some libraries remember, by the tensor, what they computed from it: a
        # tensor of an earlier reading would give them results that no tape and no recording of now knows.
        variable: Any = _of_dtype(value, wanted, value)
        tensor = variable.value()
        return tensor
    if wanted is None and hint is not None:
        try:
            tensor = _convert(value, hint)
            return tensor
        except (TypeError, ValueError):
            pass
    tensor = _convert(value, wanted)
    return tensor


def _convert(value: Any, dtype: DType | None) -> Any:
    number = core.number_tensor(value, dtype)
    if number is not None:
        return number
    if type(value) is Size:
        return EagerTensor(array_of_size(value, dtype or dtypes.int32))
    if isinstance(value, TensorShape) and value._has_sizes():
        return _convert(value.as_list(), dtype)
    kind = kind_of(type(value))
    if kind == "tensor":
        if not defines(type(value), "__tf_tensor__"):
            return _convert_as_registered(value, dtype)
        tensor = value.__tf_tensor__(dtype, None)
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"{type(value).__name__}.__tf_tensor__() must return a tensor, "
                f"but returned {short(tensor)}"
            )
        return _of_dtype(core.convert(tensor), dtype, value)
    if type(value) is range and 0 < len(value) <= SHORT_RANGE:
        value = tuple(value)
    if isinstance(value, (list, tuple)) and (dtype is None or not dtype.is_quantized):
        array = array_of_nest(value, dtype)
        return _pack(value, dtype, None) if array is None else EagerTensor(array)
    return EagerTensor(array_from(value, dtype))


def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: Conversion, priority: int = 100
) -> None:
    """Register a function that makes tensors of the instances of a class, wherever a tensor is expected.

    >>> class Metres:
    ...     def __init__(self, length):
    ...         self.length = length
    >>> tf.register_tensor_conversion_function(
    ...     Metres, lambda value, dtype=None, name=None, as_ref=False: tf.constant(value.length, dtype)
    ... )
    >>> (tf.constant(1.0) + Metres(2.0)).numpy()
    np.float32(3.0)

    A class of your own can have a method ``__tf_tensor__(self, dtype, name)`` instead, which goes first.

    Args:
      base_type: The class, or a tuple of classes. The conversion of numbers, strings, lists and arrays cannot
        be replaced.
      conversion_func: Called as ``conversion_func(value, dtype, name, as_ref)``. It returns a tensor, of
        ``dtype`` unless that is None, or ``NotImplemented`` to let the next function try.
      priority: Functions with lower numbers are tried first.

    Raises:
      TypeError: ``base_type`` is no class, or a class of numbers or arrays; or ``conversion_func`` is no
        function.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(type_, type) for type_ in types):
        raise TypeError(f"base_type must be a type or a tuple of types, not {short(base_type)}.")
    if any(issubclass(type_, (int, float, np.generic, np.ndarray)) for type_ in types):
        raise TypeError("Python's numbers and NumPy's scalars and arrays convert as they do.")
    if not callable(conversion_func):
        raise TypeError(f"conversion_func must be callable; {short(conversion_func)} is not.")
    add_conversion(priority, types, conversion_func)


def _convert_as_registered(value: Any, dtype: DType | None) -> Any:
    for conversion in conversions_of(type(value)):
        tensor = conversion(value, dtype, None, False)
        if tensor is NotImplemented:
            continue
        if not isinstance(tensor, Tensor):
            raise RuntimeError(
                f"The conversion function registered for {type(value).__name__} must return "
                f"a tensor, but returned {short(tensor)}"
            )
        if dtype is not None and tensor.dtype is not dtype:
            raise RuntimeError(
                f"The conversion function registered for {type(value).__name__} was asked "
                f"for {dtype.name}, but returned {tensor.dtype.name}"
            )
        return core.convert(tensor)
    raise unsupported(value)


def _of_dtype(tensor: Any, dtype: DType | None, value: Any) -> Any:
    if dtype is not None and tensor.dtype is not dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for a {type(value).__name__} "
            f"with dtype {tensor.dtype.name} and shape {tensor.shape}. "
            f"Conversion never changes a tensor's dtype: use tf.cast(value, tf.{dtype.name})."
        )
    return tensor


def _pack(values: Any, dtype: DType | None, others_dtype: DType | None, depth: int = 0) -> Any:
    """The tensor of a list that holds tensors. The op Pack makes it, so that gradients reach these tensors.

    Args:
      values: The list, which may hold lists in turn.
      dtype: The dtype to cast everything to, or None.
      others_dtype: The dtype of numbers among the tensors; that of the first tensor if None.
      depth: How many lists contain this one.
    """
    if depth > MAX_RANK:
        raise ValueError(f"The list is nested deeper than the {MAX_RANK} axes a tensor can have")
    check_claim(values)
    if dtype is None and others_dtype is None:
        others_dtype = _first_tensor(values, 0).dtype
    parts = []
    for value in values:
        if kind_of(type(value)) == "tensor":
            part = convert_to_tensor(value)
            if dtype is not None and part.dtype is not dtype:
                part = core.callbacks().cast(part, dtype)
        elif isinstance(value, (list, tuple)) and holds_tensor(value):
            part = _pack(value, dtype, others_dtype, depth + 1)
        else:
            part = EagerTensor(array_from(value, dtype or others_dtype))
        parts.append(part)
    return core.callbacks().pack(parts)


def _first_tensor(values: Any, depth: int) -> Any:
    for value in values:
        if kind_of(type(value)) == "tensor":
            return convert_to_tensor(value)
        if isinstance(value, (list, tuple)) and depth <= MAX_RANK and holds_tensor(value):
            return _first_tensor(value, depth + 1)
    raise ValueError(f"The list is nested deeper than the {MAX_RANK} axes a tensor can have")


def array_from(value: Any, dtype: DType | None = None) -> Array:
    """``value`` as a new array: aligned, in C order and native byte order.

    Args:
      value: Whatever `convert_to_tensor` takes. No gradient flows to the tensors in it.
      dtype: The dtype of the result, or None for TensorFlow's choice.

    Raises:
      TypeError: The elements do not suit ``dtype``.
      ValueError: ``value`` cannot become a tensor, a list is ragged, or a number is out of range.
    """
    type_ = type(value)
    if dtype is not None and dtype.is_quantized:
        return cast_array(array_from(value, dtypes.from_numpy(dtype.numpy_dtype[0])), dtype)
    if dtype is None and (
        (type_ is float and abs(value) <= FLOAT32_MAX)
        or (type_ is int and -(2**31) <= value < 2**31)
    ):
        # By far the most frequent conversions. The general code takes several times as long.
        return np.array(value, np.float32 if type_ is float else np.int32)
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(np.asarray(value), dtype)
    if isinstance(value, TensorShape):
        return _from_shape(value, dtype)
    kind = kind_of(type_)
    if kind in ("foreign", "sequence", "tensor") and type_ is not list and type_ is not tuple:
        array = _offered_array(value)
        if array is not None:
            return _from_numpy(array, dtype)
    if kind == "foreign":
        raise unsupported(value)
    if kind == "tensor":
        return np.array(core.static_value(convert_to_tensor(value, dtype), "array"))
    if kind != "sequence":
        return array_of_leaves([value], {kind}, (), dtype, value)
    if type_ is range and not value:
        dtype = dtype or dtypes.int32
    array = array_of_nest(value, dtype)
    return (
        np.array(core.static_value(convert_to_tensor(value, dtype), "array"))
        if array is None
        else array
    )


def _offered_array(value: Any) -> Array | None:
    """The array that an object of another library offers, or None."""
    if defines(type(value), "__array__"):
        try:
            array = value.__array__()
        except TypeError:  # PyTorch's tensors of bfloat16, which NumPy cannot convert
            if not defines(type(value), "__dlpack__"):
                raise
            return _lent_array(value)
        if not isinstance(array, np.ndarray):
            raise ValueError(
                f"{type(value).__name__}.__array__() must return a NumPy array, "
                f"but returned {short(array)}"
            )
        return array
    if hasattr(value, "__array_interface__") and not isinstance(value, type):
        return np.asarray(value)
    if defines(type(value), "__dlpack__"):
        return _lent_array(value)
    return None


def _lent_array(value: Any) -> Array:
    """The array that an object offers by its method ``__dlpack__``."""
    try:
        return imported(value)
    except (BufferError, RuntimeError, TypeError) as error:
        raise ValueError(
            f"{type(value).__name__} offers __dlpack__, but no array came of it: {error}"
        ) from error


def _from_shape(shape: TensorShape, dtype: DType | None) -> Array:
    if not shape.is_fully_defined():
        raise ValueError(f"A shape that is not fully known cannot be a tensor: {shape}")
    if dtype is not None and dtype is not dtypes.int32 and dtype is not dtypes.int64:
        raise TypeError(f"A TensorShape becomes int32 or int64, not {dtype.name}: {shape}")
    sizes = shape.as_list()
    if dtype is dtypes.int32 and any(size >= 2**31 for size in sizes if size is not None):
        raise ValueError(f"The shape {shape} has a dimension too large for int32: use tf.int64")
    return array_of_leaves(sizes, {"int"}, (len(sizes),), dtype or _default_int(sizes), shape)


def _default_int(sizes: list[Any]) -> DType:
    return dtypes.int64 if any(size >= 2**31 for size in sizes) else dtypes.int32


def _from_numpy(array: Array, dtype: DType | None) -> Array:
    kind = array.dtype.kind
    if kind in "OSUT":
        if dtype is None or dtype is dtypes.string:
            return encoded(array.ravel().tolist()).reshape(array.shape)
        if kind != "O":
            raise ValueError(
                f"An array of strings does not convert to {dtype.name}: "
                "array.astype(float) reads numbers from text"
            )
        leaves = array.ravel().tolist()
        kinds = {kind_of(type(leaf)) for leaf in leaves}
        if "foreign" in kinds or "string" in kinds:
            raise ValueError(
                f"An array of objects converts to {dtype.name} only if they all are numbers; found "
                f"{short(next(x for x in leaves if kind_of(type(x)) in ('foreign', 'string')))}"
            )
        numbers = array_of_leaves(leaves, kinds, array.shape, None, array)
        return cast_array(numbers, dtype)
    if kind in "mM" and dtype is not None and dtype is not dtypes.string:
        # Dates and times are numbers of days, seconds, ... where a dtype of numbers is asked for.
        return array.astype(dtype.numpy_dtype)
    source = numpy_dtype_or_refuse(array)
    if dtype is dtypes.string:
        if not array.size:
            return np.empty(array.shape, object)
        raise ValueError(
            f"An array of {source.name} does not convert to strings: "
            "tf.strings.as_string writes numbers as text"
        )
    return cast_array(array, dtype or source)

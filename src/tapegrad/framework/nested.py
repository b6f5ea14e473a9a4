"""Converts nested lists of numbers and strings to arrays, with TensorFlow's choice of dtype.

Lists are taken apart one level at a time, so that no depth can overflow a stack. What a list holds is
decided by the set of its elements' types, which C code collects, and not element by element.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, VariableBase, plain_numbers
from tapegrad.core.sizes import Size
from tapegrad.dtypes import DType
from tapegrad.framework.casting import cast_array
from tapegrad.framework.missing_gradients import hint
from tapegrad.framework.shape import Dimension

Array = np.ndarray[Any, Any]

MAX_RANK = 64  # as deep as NumPy's arrays go
# More elements than any list holds in practice, and few enough that the memory suffices. A list that contains
# itself, or another list many times, can claim 2**64 elements.
MAX_LIST_ELEMENTS = 2**28
FLOAT32_MAX = float.fromhex("0x1.fffffep+127")

# First element of a list -> the kinds that the other elements may have. TensorFlow lets the first element
# decide, and takes bool for an int beside ints, but not numpy.bool_.
_MAY_FOLLOW = {
    "bool": {"bool", "numpy bool"},
    "numpy bool": {"bool", "numpy bool"},
    "int": {"bool", "int", "float"},
    "float": {"bool", "int", "float"},
    "complex": {"bool", "int", "float", "complex"},
    "string": {"string"},
}
# TensorFlow refuses these, by accident as it seems: True becomes 1 in int32, and is an error in int8.
_REFUSE_BOOLS = frozenset(
    (dtypes.bfloat16, dtypes.int8, dtypes.int16, dtypes.uint8, dtypes.uint16, dtypes.uint32)
    + (dtypes.complex64,)
)


_KINDS: dict[type, str] = {}
Conversion = Callable[..., Any]
# What tf.register_tensor_conversion_function was given, by priority, and in order for equal priorities.
_conversions: list[tuple[int, tuple[type, ...], Conversion]] = []


def add_conversion(priority: int, types: tuple[type, ...], conversion: Conversion) -> None:
    """Use ``conversion`` for the instances of these types from now on."""
    _conversions.append((priority, types, conversion))
    _conversions.sort(key=operator.itemgetter(0))
    _KINDS.clear()


def conversions_of(type_: type) -> list[Conversion]:
    """The functions registered for a type or a base of it, in the order in which to try them."""
    return [conversion for _, types, conversion in _conversions if issubclass(type_, types)]


def kind_of(type_: type) -> str:
    """How a conversion treats the instances of a type.

    One of "tensor", "sequence", "array", "bool", "numpy bool", "int", "float", "complex", "string", or
    "foreign" for what no list may hold.
    """
    kind = _KINDS.get(type_)
    if kind is None:
        if len(_KINDS) > 1000:  # for programs that make classes all the time
            _KINDS.clear()
        kind = _KINDS[type_] = _find_kind(type_)
    return kind


def _find_kind(type_: type) -> str:
    if issubclass(type_, (Tensor, VariableBase, Size)) or defines(type_, "__tf_tensor__"):
        return "tensor"
    if issubclass(type_, np.ndarray):
        return "array"
    if issubclass(type_, np.generic):
        return _kind_of_numpy_scalar(type_)
    for kind, types in (
        ("bool", bool),
        ("int", (int, Dimension)),
        ("float", float),
        ("complex", complex),
        ("string", (str, bytes)),
        ("sequence", (list, tuple, range)),
    ):
        if issubclass(type_, types):
            return kind
    if conversions_of(type_):
        return "tensor"
    if issubclass(type_, (dict, np.dtype)):
        return "foreign"
    mapping = defines(type_, "keys") and defines(type_, "values")
    if defines(type_, "__getitem__") and defines(type_, "__len__") and not mapping:
        return "sequence"
    return "foreign"


def _kind_of_numpy_scalar(type_: type) -> str:
    try:
        dtype = dtypes.as_dtype(type_)
    except TypeError:
        return "foreign"
    if dtype.is_bool:
        return "numpy bool"
    if dtype.is_integer:
        return "int"
    if dtype.is_floating:
        return "float"
    if dtype.is_complex:
        return "complex"
    return "string" if issubclass(type_, (str, bytes)) else "foreign"


def defines(type_: type, name: str) -> bool:
    """Whether instances have the method. Plain hasattr would also find methods of a metaclass."""
    return any(name in vars(base) for base in type_.__mro__)


def array_of_nest(value: Any, dtype: DType | None) -> Array | None:
    """The array of nested sequences, or None if they hold a tensor.

    Raises:
      TypeError: The elements do not suit ``dtype``.
      ValueError: The lists are ragged, their elements mixed, foreign or out of range.
    """
    if isinstance(value, (list, tuple)):
        array = plain_numbers(value, dtype)
        if array is not None:
            return array
        types = set(map(type, value))
        if len(types) == 1 and kind_of(types.pop()) in _MAY_FOLLOW:
            # A flat list of one type, as most lists are. This is twice as fast.
            return array_of_leaves(value, {kind_of(type(value[0]))}, (len(value),), dtype, value)
    check_claim(value)
    shape: tuple[int, ...] = ()
    level: list[Any] = [value]
    while True:
        kinds = set(map(kind_of, set(map(type, level))))
        if "tensor" in kinds:
            return None
        if "array" in kinds:
            if kinds == {"array"} and level[0].ndim > 0:
                stacked = _array_of_arrays(level, shape, dtype, value)
                if stacked is not None:
                    return stacked
            level = [_scalar_of(item) for item in level]
            kinds = set(map(kind_of, set(map(type, level))))
        if not kinds & {"sequence", "array"}:
            if "foreign" in kinds:
                raise unsupported(next(item for item in level if kind_of(type(item)) == "foreign"))
            return array_of_leaves(level, kinds, shape, dtype, value)
        if not kinds <= {"sequence", "array"}:
            if holds_tensor(level):
                return None
            raise _mixed_depth(level, shape)
        level = [_items(item) for item in level]
        lengths = set(map(len, level))
        if len(lengths) > 1:
            if holds_tensor(level):
                return None
            raise ValueError(
                "Tensors are rectangular, and these lists are not: "
                f"at depth {len(shape)} of the nest there "
                f"are lengths {', '.join(map(str, sorted(lengths)[:5]))}. "
                "Pad the shorter rows to the length of the longest."
            )
        shape += (lengths.pop(),)
        level = list(chain.from_iterable(level))


def holds_tensor(level: Sequence[Any]) -> bool:
    """Whether these nested lists hold a tensor anywhere."""
    for _ in range(MAX_RANK + 1):
        kinds = set(map(kind_of, set(map(type, level))))
        if "tensor" in kinds:
            return True
        # Each list counts once, however often it occurs, so lists that contain themselves take no longer.
        lists = {id(item): item for item in level if isinstance(item, (list, tuple))}
        if not lists:
            return False
        level = list(chain.from_iterable(lists.values()))
    return False


def check_claim(value: Any) -> None:
    """Refuse nests that are too deep or too large, by their first elements: the others must be alike."""
    elements = 1
    for _ in range(MAX_RANK + 1):
        kind = kind_of(type(value))
        if kind != "sequence" and kind != "array":
            return
        length = value.size if kind == "array" else len(value)
        elements *= length
        if elements > MAX_LIST_ELEMENTS:
            raise ValueError(
                f"The nested lists amount to at least {elements} elements, "
                f"more than lists are converted with ({MAX_LIST_ELEMENTS}): use a NumPy array"
            )
        if length == 0 or kind == "array":
            return
        value = value[0]
    raise ValueError(f"The list is nested deeper than the {MAX_RANK} axes a tensor can have")


def _mixed_depth(level: list[Any], shape: tuple[int, ...]) -> ValueError:
    loose = next(item for item in level if kind_of(type(item)) not in ("sequence", "array"))
    if kind_of(type(loose)) == "foreign":
        return unsupported(loose)
    return ValueError(
        f"Tensors are rectangular, and this list is not: at depth {len(shape)} of the nest, the "
        f"single value {short(loose)} stands beside a list"
    )


def _items(sequence: Any) -> Any:
    """The items of a sequence, in an object that has a length and can be iterated over."""
    if isinstance(sequence, (list, tuple, range, np.ndarray)):
        return sequence
    return [sequence[index] for index in range(len(sequence))]


def _scalar_of(item: Any) -> Any:
    return item[()] if isinstance(item, np.ndarray) and item.ndim == 0 else item


def _array_of_arrays(
    arrays: list[Array], outer: tuple[int, ...], dtype: DType | None, value: Any
) -> Array | None:
    """The array of a list of arrays of numbers; None if each number has to be examined."""
    first = arrays[0]
    kind = first.dtype.kind
    if kind not in "biufc" or any(array.dtype.kind != kind for array in arrays):
        return None
    if any(array.shape != first.shape for array in arrays):
        raise ValueError(
            "Tensors are rectangular, and this list is not: "
            f"it holds arrays of shapes {first.shape} "
            f"and {next(array.shape for array in arrays if array.shape != first.shape)}"
        )
    stacked = np.stack(arrays).reshape(outer + first.shape)
    if kind in "iu":
        if dtype is None:
            # As for a list of numbers: the width of the arrays' own dtype does not count.
            dtype = _int_dtype(int(stacked.min()), int(stacked.max())) if stacked.size else None
            dtype = dtype or dtypes.int32
        elif not (dtype.is_integer or dtype.is_floating or dtype.is_complex):
            raise does_not_suit(value, dtype)
    elif kind == "b":
        dtype = _suitable(dtype or dtypes.bool, "is_bool", value)
    elif kind == "c":
        dtype = _suitable(dtype or dtypes.complex128, "is_complex", value)
    elif dtype is None:
        dtype = numpy_dtype_or_refuse(first)
    elif not (dtype.is_floating or dtype.is_complex):
        raise does_not_suit(value, dtype)
    return cast_array(stacked, dtype)


def _suitable(dtype: DType, attribute: str, value: Any) -> DType:
    if not getattr(dtype, attribute):
        raise does_not_suit(value, dtype)
    return dtype


def _int_dtype(lowest: int, highest: int) -> DType:
    """int32 if the numbers fit into it, else int64."""
    if lowest >= -(2**31) and highest < 2**31:
        return dtypes.int32
    if highest >= 2**63:
        raise _int_out_of_range(highest, dtypes.int64)
    return dtypes.int64


def array_of_leaves(
    leaves: Sequence[Any], kinds: set[Any], shape: tuple[int, ...], dtype: DType | None, value: Any
) -> Array:
    """Numbers or strings, given one after the other, as an array of ``shape``.

    Args:
      leaves: The elements in C order, each of one of these kinds.
      kinds: Which kinds occur.
      shape: The shape to give them.
      dtype: The dtype to make, or None to let the first element decide.
      value: What the user passed, for messages.
    """
    if not leaves:
        return _empty(shape, dtype or dtypes.float32)
    first = kind_of(type(leaves[0]))
    mixed = not kinds <= _MAY_FOLLOW[first]
    if mixed and (
        dtype is None or "string" in kinds or ("complex" in kinds and not dtype.is_complex)
    ):
        raise ValueError(
            "A list of mixed types cannot be a tensor: "
            f"the first element is {short(leaves[0])}, of kind {first}, and there is also "
            f"{short(next(x for x in leaves if kind_of(type(x)) not in _MAY_FOLLOW[first]))}"
        )
    if dtype is None:
        inferred = True
        dtype = _first_decides(leaves, kinds, first)
    else:
        inferred = False
        if not kinds <= _taken_by(dtype) or (first == "bool" and dtype in _REFUSE_BOOLS):
            raise does_not_suit(value, dtype)
    if dtype is dtypes.string:
        array = encoded(leaves)
    elif dtype.is_bool:
        array = np.array(leaves, np.bool_)
    elif dtype.is_integer:
        array = _integers(leaves, dtype, inferred)
    else:
        array = _floats(leaves, dtype, inferred)
    return array.reshape(shape)


def _taken_by(dtype: DType) -> set[str]:
    """Which kinds of list elements a dtype takes."""
    if dtype.is_integer:
        return {"bool", "int"}
    if dtype.is_floating:
        return {"bool", "int", "float"}
    if dtype.is_complex:
        return {"bool", "int", "float", "complex"}
    if dtype.is_bool:
        return {"bool", "numpy bool"}
    return {"string"} if dtype is dtypes.string else set()


def _first_decides(leaves: Sequence[Any], kinds: set[str], first: str) -> DType:
    if first == "string":
        return dtypes.string
    if first in ("bool", "numpy bool"):
        return dtypes.bool
    if first == "complex":
        return dtypes.complex128
    if first == "int" and "float" not in kinds:
        # `_integers` turns this into int64 where the numbers need it.
        return dtypes.int32
    if isinstance(leaves[0], np.generic) and first == "float":
        return dtypes.as_dtype(type(leaves[0]))
    return dtypes.float32


def _integers(leaves: Sequence[Any], dtype: DType, inferred: bool) -> Array:
    """Whole numbers as an array of ``dtype``. Those that do not fit keep their lowest bits, as in TensorFlow.

    If the dtype is only ``inferred``, int64 takes the place of int32 where the numbers need it.
    """
    try:
        if not set(map(type, leaves)) <= {int, bool}:
            leaves = list(map(operator.index, leaves))
        wide = np.array(leaves, np.uint64 if dtype is dtypes.uint64 else np.int64)
    except OverflowError:
        worst = max(leaves, key=abs)
        raise _int_out_of_range(worst, dtypes.int64 if inferred else dtype) from None
    except TypeError:
        raise ValueError("A Dimension of unknown size cannot be a tensor") from None
    if inferred:
        dtype = _int_dtype(int(wide.min()), int(wide.max()))
    return wide.astype(dtype.numpy_dtype, copy=False)


def _int_out_of_range(number: int, dtype: DType) -> ValueError:
    return ValueError(
        f"The integer {number} is out of the range of {dtype.name}"
        + ("" if dtype is dtypes.uint64 else ", and of the 64 bits that integers may have")
    )


def _floats(leaves: Sequence[Any], dtype: DType, inferred: bool) -> Array:
    """Real or complex numbers as an array of ``dtype``. Halves are rounded from float32, as in TensorFlow."""
    # Python's floats are doubles, so rounding them directly to float32 rounds once.
    first = np.float32 if dtype.size == 2 or dtype is dtypes.float32 else dtype.numpy_dtype
    try:
        with np.errstate(all="ignore"):
            array = np.array(leaves, first).astype(dtype.numpy_dtype, copy=False)
    except OverflowError:
        raise ValueError(
            f"The integer {max((x for x in leaves if isinstance(x, int)), key=abs)} is out "
            "of the range of double-precision floats"
        ) from None
    if inferred and dtype is dtypes.float32 and not np.isfinite(array).all():
        for index in np.flatnonzero(np.isinf(array)).tolist():
            if not np.isinf(float(leaves[index])):
                raise ValueError(
                    f"{leaves[index]!r} is out of the range of float32, "
                    f"which ends at {FLOAT32_MAX!r}: ask for dtype=tf.float64"
                )
    return array


def _empty(shape: tuple[int, ...], dtype: DType) -> Array:
    return np.empty(shape, dtype.numpy_dtype)


def encoded(strings: Iterable[Any]) -> Array:
    """The strings as a flat object array of bytes. Text is encoded in UTF-8."""
    encoded = []
    for string in strings:
        if isinstance(string, str):
            try:
                string = string.encode("utf-8")
            except UnicodeEncodeError as error:
                raise ValueError(
                    f"The string {short(string)} cannot be written in UTF-8: {error.reason}"
                ) from None
        elif not isinstance(string, bytes):
            raise ValueError(
                f"A string was expected, but got {short(string)} of type {type(string).__name__}"
            )
        encoded.append(bytes(string))
    array = np.empty(len(encoded), object)
    array[:] = encoded
    return array


def numpy_dtype_or_refuse(array: Array) -> DType:
    try:
        return dtypes.from_numpy(array.dtype)
    except TypeError:
        raise ValueError(
            f"No tensor can hold the elements of an array of dtype {array.dtype}: "
            "convert it with array.astype() to a number type that tensors have"
        ) from None


def short(value: Any) -> str:
    """A repr of at most 120 characters."""
    try:
        text = repr(value)
    except RecursionError:
        text = f"a nested {type(value).__name__}"
    return text if len(text) <= 120 else text[:100] + "..." + text[-17:]


def does_not_suit(value: Any, dtype: DType) -> TypeError:
    return TypeError(
        f"Cannot convert {short(value)} to a tensor of dtype {dtype.name}: the values are of "
        f"another kind. tf.cast converts a tensor of one kind to another."
    )


def unsupported(value: Any) -> ValueError:
    if isinstance(value, dict):
        mend = "tf.nest.map_structure(tf.convert_to_tensor, value) converts its values one by one."
    elif isinstance(value, (set, frozenset)):
        mend = "A set has no order: make it a sorted list first."
    elif value is None:
        mend = f"None stands for no value at all.{hint()}"
    else:
        mend = (
            "Expected a number, a string, a nested list of these, an array, a tensor, or an object "
            "with __array__, __dlpack__ or __tf_tensor__."
        )
    return ValueError(
        f"Attempt to convert a value ({short(value)}) of the unsupported type "
        f"{type(value).__name__} to a tensor. {mend}"
    )

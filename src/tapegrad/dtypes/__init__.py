"""The element types of tensors: ``DType`` objects under TensorFlow's names, and ``as_dtype``.

A ``DType`` is a singleton that knows its name, its number in TensorFlow's enumeration and its counterpart in
NumPy. ``framework.casting`` converts values between dtypes.
This module imports nothing of ours, so that the compiled core may import it.
"""

from __future__ import annotations

import builtins
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

if TYPE_CHECKING:  # the namespace's names from elsewhere, which are loaded when they are asked for
    from tapegrad.dtypes import experimental as experimental
    from tapegrad.signatures.elementwise.complex import complex as complex
    from tapegrad.signatures.shape.casts import cast as cast
    from tapegrad.signatures.shape.casts import saturate_cast as saturate_cast

PUBLIC = {
    ". dtypes compat.v1 compat.v1.dtypes": (
        "as_dtype double DType half qint16 qint32 qint8 quint16 quint8 resource string variant"
    ),
    ". dtypes compat.v1 compat.v1.dtypes array_api": (
        "bfloat16 bool complex128 complex64 float16 float32 float64 int16 int32 int64 int8 uint16 "
        "uint32 uint64 uint8"
    ),
    "experimental dtypes.experimental": (
        "float4_e2m1fn float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz float8_e5m2 "
        "float8_e5m2fnuz int2 int4 uint2 uint4"
    ),
}


# NumPy's type number, as C code sees it in an array's descriptor -> our type. bfloat16 and the other types of
# ml_dtypes are added when that package has registered them with NumPy, because their numbers are unknown
# before. NumPy's fixed-width strings and bytes are ``string`` here, as object arrays are, though a tensor of
# strings always holds an object array of bytes.
BY_NUMPY_NUM: dict[int, DType] = {}

_BY_NUMBER: dict[int, DType] = {}  # TensorFlow's enumeration
_BY_NAME: dict[str, DType] = {}
_BY_TYPE: dict[type, DType] = {}  # scalar types, NumPy's and Python's
_BORROWED: dict[str, DType] = {}  # by name: the types that ml_dtypes defines for NumPy


class DType:
    """The type of a tensor's elements.

    >>> import tapegrad as tf
    >>> tf.float32
    tf.float32
    >>> print(tf.as_dtype("int32"), tf.float32.is_floating, tf.int64.max)
    <dtype: 'int32'> True 9223372036854775807
    >>> tf.float32 == "float32", tf.float32 == np.float32
    (True, True)

    There is one object per type, so ``is`` works as well as ``==``. ``DType(number)`` gives the type with
    this number in TensorFlow's enumeration.
    """

    # Slots, not properties: the core and the ops read them on every call, and a property costs several times
    # as much. On bfloat16 and its like, the slots that need ml_dtypes are empty until __getattr__ fills them.
    __slots__ = (
        "__weakref__",
        "as_datatype_enum",
        "as_numpy_dtype",
        "is_bool",
        "is_complex",
        "is_floating",
        "is_integer",
        "is_numeric",
        "is_numpy_compatible",
        "is_quantized",
        "is_unsigned",
        "name",
        "numpy_dtype",
        "size",
        "type_num",
    )

    as_datatype_enum: int  # number in TensorFlow's enumeration
    as_numpy_dtype: Any  # scalar type: np.float32; object for strings
    numpy_dtype: np.dtype[Any]
    name: str
    size: int  # bytes per element, 0 where it varies
    type_num: int  # NumPy's number for it, -1 while NumPy does not know it
    is_bool: builtins.bool
    is_complex: builtins.bool
    is_floating: builtins.bool
    is_integer: builtins.bool
    is_numeric: builtins.bool
    is_numpy_compatible: builtins.bool
    is_quantized: builtins.bool
    is_unsigned: builtins.bool

    def __new__(cls, type_enum: Any, handle_data: Any = None) -> DType:
        number = int(type_enum)
        try:
            return _BY_NUMBER[number]
        except KeyError:
            raise TypeError(
                f"{number} is not the number of a dtype: TensorFlow's enumeration gives "
                f"{', '.join(f'{n} to {known.name}' for n, known in _BY_NUMBER.items())}"
            ) from None

    def __setattr__(self, attribute: str, value: Any) -> NoReturn:
        raise AttributeError(f"{attribute!r} of {self!r} cannot be set: dtypes do not change")

    def __getattr__(self, attribute: str) -> Any:
        # Python calls this only for a missing attribute: an empty slot, or a name that no dtype has.
        if attribute in ("as_numpy_dtype", "numpy_dtype") and self.name in _BORROWED:
            _load_borrowed(self)
            return getattr(self, attribute)
        if attribute in ("as_numpy_dtype", "numpy_dtype"):
            raise KeyError(f"{self!r} has no counterpart in NumPy")  # TensorFlow's class
        raise AttributeError(f"'DType' object has no attribute {attribute!r}")

    @property
    def base_dtype(self) -> DType:
        """This dtype itself: the reference types of TensorFlow 1 do not exist here."""
        return self

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real and imaginary part, or this dtype if it is not complex.

        >>> import tapegrad as tf
        >>> tf.complex128.real_dtype
        tf.float64
        """
        if self is complex64:
            return float32
        return float64 if self is complex128 else self

    @property
    def min(self) -> Any:
        """The lowest finite value; TypeError for a dtype that is not ordered or not a number."""
        if self.is_integer:
            return int(self._integer_limits().min)
        return self._floating_limits("minimum").min

    @property
    def max(self) -> Any:
        """The highest finite value; TypeError for a dtype that is not ordered or not a number."""
        if self.is_integer:
            return int(self._integer_limits().max)
        return self._floating_limits("maximum").max

    def _integer_limits(self) -> Any:
        if self.name in _BORROWED:
            import ml_dtypes

            return ml_dtypes.iinfo(self.numpy_dtype)  # type: ignore[no-untyped-call]
        return np.iinfo(self.numpy_dtype)

    def _floating_limits(self, wanted: str) -> Any:
        if not self.is_floating:
            raise TypeError(
                f"{self} has no {wanted} value: only real floating and integer dtypes have one"
            )
        if self.name in _BORROWED:
            import ml_dtypes

            return ml_dtypes.finfo(self.numpy_dtype)  # type: ignore[no-untyped-call]
        return np.finfo(self.numpy_dtype)

    @property
    def limits(self) -> tuple[Any, Any]:
        """Lowest and highest value of an image of this dtype: ``(0, 1)`` for float32.

        >>> import tapegrad as tf
        >>> tf.uint8.limits, tf.float32.limits
        ((0, 255), (0, 1))
        """
        if self.is_integer:
            return 0, self.max
        if self is bool:
            return 0, True
        if self is float32 or self is float64:
            return 0, 1
        raise ValueError(
            f"{self} has no limits: they are defined for bool, float32, float64 and the integers"
        )

    def is_compatible_with(self, other: Any) -> builtins.bool:
        """Whether values of ``other``, anything that `as_dtype` takes, may stand for this dtype."""
        return self is as_dtype(other)

    def is_subtype_of(self, other: Any) -> builtins.bool:
        """Whether ``other`` is this very dtype: dtypes form no hierarchy."""
        return self is other

    def most_specific_common_supertype(self, types: Any) -> DType | None:
        """This dtype if all the others are it too, else None."""
        return self if all(other is self for other in types) else None

    def __eq__(self, other: Any) -> builtins.bool:
        if self is other:
            return True
        kind = type(other)
        if kind is DType or other is None:
            return False
        # Programs often compare dtypes with names. A look-up in a dictionary is the fastest way.
        if kind is str:
            return self is _BY_NAME.get(other)
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __hash__(self) -> int:
        return self.as_datatype_enum

    def __int__(self) -> int:
        return self.as_datatype_enum

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)


def _define(
    number: int, name: str, numpy_type: Any = None, quantized: str = "", borrowed: str = ""
) -> DType:
    """Make the singleton of a dtype and enter it in the tables.

    ``quantized`` is NumPy's code for the integers in which TensorFlow's quantised integers are stored. A
    tensor of them holds records with one field of that type, so that they differ from plain integers.
    ``borrowed`` is the kind, in NumPy's letters, of a type that the package ml_dtypes defines.
    """
    dtype = object.__new__(DType)
    numpy_dtype = None if numpy_type is None else np.dtype(numpy_type)
    kind = borrowed if numpy_dtype is None else numpy_dtype.kind
    floating = kind == "f"
    values: dict[str, Any] = {
        "as_datatype_enum": number,
        "name": name,
        "size": 0,
        "type_num": -1,
        "is_bool": kind == "b",
        "is_complex": kind == "c",
        "is_floating": floating,
        "is_integer": kind in ("i", "u"),
        # Types below 16 bits only store values: to TensorFlow they are not numeric.
        "is_numeric": (kind in ("f", "i", "u", "c") and (not borrowed or name == "bfloat16"))
        or quantized != "",
        "is_numpy_compatible": numpy_dtype is not None or borrowed != "" or quantized != "",
        "is_quantized": quantized != "",
        "is_unsigned": kind == "u",
    }
    if numpy_dtype is not None:
        values["as_numpy_dtype"] = numpy_type
        values["numpy_dtype"] = numpy_dtype
        values["type_num"] = numpy_dtype.num
        values["size"] = 0 if kind == "O" else numpy_dtype.itemsize
    elif quantized:
        values["as_numpy_dtype"] = values["numpy_dtype"] = np.dtype([(name, quantized)])
        values["size"] = values["numpy_dtype"].itemsize
    elif borrowed:
        values["size"] = 2 if name == "bfloat16" else 1
        _BORROWED[name] = dtype
    for attribute, value in values.items():
        object.__setattr__(dtype, attribute, value)
    _BY_NUMBER[number] = _BY_NAME[name] = dtype
    if numpy_type is not None:
        _BY_TYPE[numpy_type] = dtype
    return dtype


# The names below hide Python's bool from here on, so annotations above say ``builtins.bool``.
float32 = _define(1, "float32", np.float32)
float64 = _define(2, "float64", np.float64)
int32 = _define(3, "int32", np.int32)
uint8 = _define(4, "uint8", np.uint8)
int16 = _define(5, "int16", np.int16)
int8 = _define(6, "int8", np.int8)
string = _define(7, "string", object)
complex64 = _define(8, "complex64", np.complex64)
int64 = _define(9, "int64", np.int64)
bool = _define(10, "bool", np.bool_)
qint8 = _define(11, "qint8", quantized="i1")
quint8 = _define(12, "quint8", quantized="u1")
qint32 = _define(13, "qint32", quantized="i4")
bfloat16 = _define(14, "bfloat16", borrowed="f")
qint16 = _define(15, "qint16", quantized="i2")
quint16 = _define(16, "quint16", quantized="u2")
uint16 = _define(17, "uint16", np.uint16)
complex128 = _define(18, "complex128", np.complex128)
float16 = _define(19, "float16", np.float16)
resource = _define(20, "resource")
variant = _define(21, "variant")
uint32 = _define(22, "uint32", np.uint32)
uint64 = _define(23, "uint64", np.uint64)
float8_e5m2 = _define(24, "float8_e5m2", borrowed="f")
float8_e4m3fn = _define(25, "float8_e4m3fn", borrowed="f")
float8_e4m3fnuz = _define(26, "float8_e4m3fnuz", borrowed="f")
float8_e4m3b11fnuz = _define(27, "float8_e4m3b11fnuz", borrowed="f")
float8_e5m2fnuz = _define(28, "float8_e5m2fnuz", borrowed="f")
int4 = _define(29, "int4", borrowed="i")
uint4 = _define(30, "uint4", borrowed="u")
int2 = _define(31, "int2", borrowed="i")
uint2 = _define(32, "uint2", borrowed="u")
float4_e2m1fn = _define(33, "float4_e2m1fn", borrowed="f")

half = float16
double = float64

QUANTIZED_DTYPES = frozenset((qint8, quint8, qint16, quint16, qint32))

_BY_NAME.update(half=float16, float=float32, double=float64)
# TensorFlow's choice of Python types: float and bool name a dtype, int and complex do not.
_BY_TYPE.update({float: float32, builtins.bool: bool})
_BY_TYPE.update({np.object_: string, np.str_: string, np.bytes_: string})


def _fill_numpy_numbers() -> None:
    """Enter every built-in type of NumPy that has a counterpart here.

    NumPy has several integer types of one size (long and long long are both int64 on Linux). Each has its own
    number and its own scalar type.
    """
    by_kind_and_size = {
        (dtype.numpy_dtype.kind, dtype.size): dtype
        for dtype in _BY_NUMBER.values()
        if dtype.type_num >= 0 and dtype is not string
    }
    for code in "?bBhHiIlLqQefdFD":
        numpy_dtype = np.dtype(code)
        dtype = by_kind_and_size[numpy_dtype.kind, numpy_dtype.itemsize]
        BY_NUMPY_NUM[numpy_dtype.num] = dtype
        _BY_TYPE[numpy_dtype.type] = dtype
    for code in "OSU":
        BY_NUMPY_NUM[np.dtype(code).num] = string


_fill_numpy_numbers()


def _load_borrowed(dtype: DType) -> None:
    """Give ``dtype`` its NumPy type, which the package ml_dtypes defines when it is imported."""
    try:
        import ml_dtypes
    except ImportError as error:
        raise ImportError(
            f"tf.{dtype.name} needs the package ml_dtypes, which teaches NumPy this type: "
            "pip install ml_dtypes"
        ) from error
    scalar_type = getattr(ml_dtypes, dtype.name)
    numpy_dtype = np.dtype(scalar_type)
    object.__setattr__(dtype, "as_numpy_dtype", scalar_type)
    object.__setattr__(dtype, "numpy_dtype", numpy_dtype)
    object.__setattr__(dtype, "type_num", numpy_dtype.num)
    BY_NUMPY_NUM[numpy_dtype.num] = dtype
    _BY_TYPE[scalar_type] = dtype


def from_numpy(numpy_dtype: np.dtype[Any]) -> DType:
    """The DType of arrays of this NumPy dtype, in whichever byte order.

    Raises:
      TypeError: No tensor holds such elements (dates, records, long doubles).
    """
    dtype = BY_NUMPY_NUM.get(numpy_dtype.num)
    if dtype is not None:
        return dtype
    # NumPy knows bfloat16 and its like as soon as any package has imported ml_dtypes.
    borrowed = _BORROWED.get(numpy_dtype.name)
    if borrowed is not None:
        _load_borrowed(borrowed)
        return borrowed
    if numpy_dtype.names is not None and len(numpy_dtype.names) == 1:
        quantized = _BY_NAME.get(numpy_dtype.names[0])
        if quantized in QUANTIZED_DTYPES and quantized.numpy_dtype == numpy_dtype:
            return quantized
    if numpy_dtype.kind == "T":  # NumPy 2's strings of varying length
        return string
    raise _not_a_dtype(numpy_dtype)


def stored(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The plain integers of an array of quantised integers; any other array as it is."""
    names = array.dtype.names
    return array if names is None else array.view(array.dtype[names[0]])


def _not_a_dtype(value: Any) -> TypeError:
    return TypeError(
        f"{value!r} does not name a dtype. Expected a tf.DType, a name such as 'float32' or "
        f"'int64', a NumPy dtype or scalar type, or one of the Python types float and bool."
    )


def as_dtype(type_value: Any) -> DType:
    """The DType that ``type_value`` stands for.

    >>> import tapegrad as tf
    >>> tf.as_dtype("half"), tf.as_dtype(np.int64), tf.as_dtype(np.dtype(">f4")), tf.as_dtype(bool)
    (tf.float16, tf.int64, tf.float32, tf.bool)

    Args:
      type_value: A DType, its name, its number in TensorFlow's enumeration, a NumPy dtype or
        scalar type, ``float``, ``bool`` or ``object`` (which NumPy uses for strings), or anything
        with such a thing as its ``dtype``, a NumPy array for instance.

    Raises:
      TypeError: It stands for no dtype. Python's ``int``, ``complex`` and ``str`` do not, as in TensorFlow:
        each could mean several dtypes.
    """
    if type(type_value) is DType:
        return type_value
    if type(type_value) is str and type_value in _BY_NAME:
        return _BY_NAME[type_value]
    if isinstance(type_value, np.dtype):
        return from_numpy(type_value)
    try:
        dtype = _BY_TYPE.get(type_value) or _BY_NUMBER.get(type_value) or _BY_NAME.get(type_value)
    except TypeError:  # not hashable: an array or a list
        dtype = None
    if dtype is not None:
        return dtype
    if isinstance(type_value, type):
        ml_dtypes = sys.modules.get("ml_dtypes")
        borrowed = _BORROWED.get(type_value.__name__)
        if borrowed is not None and type_value is getattr(ml_dtypes, borrowed.name, None):
            return borrowed
        raise _not_a_dtype(type_value)
    numpy_dtype = getattr(type_value, "dtype", None)
    if isinstance(numpy_dtype, (np.dtype, str)):
        try:
            return from_numpy(np.dtype(numpy_dtype))
        except TypeError:
            pass
    raise _not_a_dtype(type_value)

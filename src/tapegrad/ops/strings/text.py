"""Lengths, parts and case of strings, strings joined, and numbers read from text."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public
from tapegrad.core.sizes import broadcast_shape
from tapegrad.errors import OutOfRangeError, refuse
from tapegrad.ops.args import normalize_axis, static_axis, static_bool, static_dtype, static_int
from tapegrad.ops.op import INDEX, STRING, op
from tapegrad.ops.shape_rules import Abstract, like, same_shape

PUBLIC = {
    "strings compat.v1.strings": "join lower strip unsorted_segment_join upper",
    "strings": "length reduce_join substr to_number",
    "compat.v1": "string_join=join string_strip=strip",
}

UNITS = ("BYTE", "UTF8_CHAR")


def each_text(texts: Any, function: Any) -> Any:
    """``function`` of each string, in an array of strings."""
    result = np.empty(texts.size, object)
    result[:] = [function(text) for text in texts.ravel().tolist()]
    return result.reshape(texts.shape)


def check_unit(unit: Any) -> str:
    if unit not in UNITS:
        refuse(
            f"Value for attr 'unit' of {unit!r} is not in the list of allowed values: BYTE, UTF8_CHAR."
        )
    return str(unit)


def utf8(encoding: Any) -> str:
    """The encoding for changes of case: UTF-8, or "" for bytes."""
    if encoding not in ("", "utf-8"):
        refuse(f"only utf-8 or '' (no encoding) is supported, received {encoding}.")
    return str(encoding)


def begins(text: bytes) -> list[int]:
    """Where the characters of a text in UTF-8 begin: at all bytes that do not continue a character."""
    return [place for place, byte in enumerate(text) if byte & 0xC0 != 0x80]


@op("StringLength", dtypes=STRING, convert={"unit": check_unit}, dispatched="unary")
def length(xp, input, *, unit="BYTE"):
    """The length of each string in bytes, or with ``unit="UTF8_CHAR"`` in characters.

    >>> tf.strings.length("é").numpy(), tf.strings.length("é", unit="UTF8_CHAR").numpy()
    (np.int32(2), np.int32(1))

    Args:
        input: strings, of any shape.
        unit: what is counted: ``"BYTE"`` or ``"UTF8_CHAR"``.
    """
    count = len if unit == "BYTE" else lambda text: len(begins(text))
    numbers = [count(text) for text in input.ravel().tolist()]
    return np.array(numbers, np.int32).reshape(input.shape)


length.shape(like("input", dtypes.int32))
length.no_gradient()


@op("StringLower", dtypes=STRING, convert={"encoding": utf8}, dispatched="unary")
def lower(xp, input, *, encoding=""):
    """Each string in small letters: those of ASCII, or with ``encoding="utf-8"`` all.

    >>> tf.strings.lower("CamelCase").numpy()
    b'camelcase'
    """
    return each_text(input, lambda text: text.lower() if not encoding else changed(text, str.lower))


lower.shape(same_shape)
lower.no_gradient()


@op("StringUpper", dtypes=STRING, convert={"encoding": utf8}, dispatched="unary")
def upper(xp, input, *, encoding=""):
    """Each string in capital letters: those of ASCII, or with ``encoding="utf-8"`` all.

    >>> tf.strings.upper("CamelCase").numpy()
    b'CAMELCASE'
    """
    return each_text(input, lambda text: text.upper() if not encoding else changed(text, str.upper))


upper.shape(same_shape)
upper.no_gradient()


def changed(text: bytes, function: Any) -> bytes:
    encoded: bytes = function(text.decode("utf-8", "replace")).encode()
    return encoded


@op("StringStrip", dtypes=STRING, dispatched="unary")
def strip(xp, input):
    """Each string without the white space at its ends.

    >>> tf.strings.strip(["  word ", "line"]).numpy().tolist()
    [b'word', b'line']
    """
    return each_text(input, bytes.strip)


strip.shape(same_shape)
strip.no_gradient()


@op(
    "Substr", dtypes={"input": STRING, "T": INDEX}, convert={"unit": check_unit}, dispatched="unary"
)
def substr(xp, input, pos, len, *, unit="BYTE"):
    """The part of each string that begins at ``pos`` and has the length ``len``, if the string is that long.

    >>> tf.strings.substr(["hello", "world"], 1, 3).numpy().tolist()
    [b'ell', b'orl']

    Args:
        input: strings.
        pos: where the part begins; negative numbers count from the end.
        len: the length of the part. Below 0 it is all bytes that are left, but no characters.
        unit: what is counted: ``"BYTE"`` or ``"UTF8_CHAR"``.
    """
    if pos.shape != len.shape:
        refuse(f"pos and len must have the same shape, got: {pos.shape} vs. {len.shape}.")
    try:
        texts, starts, sizes = np.broadcast_arrays(input, pos, len)
    except ValueError:
        refuse(f"Incompatible shapes: {list(input.shape)} vs. {list(pos.shape)}.")
    result = np.empty(texts.size, object)
    rows = zip(texts.ravel().tolist(), starts.ravel().tolist(), sizes.ravel().tolist(), strict=True)
    for place, (text, start, size) in enumerate(rows):
        ends = [*begins(text), length_of(text)] if unit == "UTF8_CHAR" else None
        count = length_of(text) if ends is None else length_of(ends) - 1
        if not -count <= start <= count or (start < 0 and size < 0 and ends is not None):
            refuse(f"pos {start} out of range for string {text!r} at index {place}.")
        first = start % count if start < 0 else start
        if size < 0:  # of bytes all that is left; of characters none
            size = 0 if ends is not None else count
        last = min(first + size, count)
        result[place] = text[first:last] if ends is None else text[ends[first] : ends[last]]
    return result.reshape(texts.shape)


@substr.shape
def substr_shape(input, pos, len):
    return broadcast_shape(input.shape, pos.shape, len.shape)


substr.no_gradient()
length_of = len


def static_text(value: Any) -> bytes:
    """A string that is no tensor, or a scalar tensor, as bytes."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    tensor = convert(value, dtypes.string)
    if tensor.ndim:
        raise TypeError(
            f"A string was expected, or a scalar tensor; the shape {tensor.shape} came."
        )
    text: bytes = tensor.numpy()
    return text


def shape_of_joined(inputs: Any) -> tuple[int, ...]:
    shapes = [tensor.shape for tensor in inputs if tensor.ndim]
    for shape in shapes:
        if shape != shapes[0]:
            refuse(
                f"Input shapes do not match: {list(shapes[0])} vs. {list(shape)}. "
                "All inputs of join() need one shape, except scalars."
            )
    return shapes[0] if shapes else ()


@op("StringJoin", dtypes=STRING, convert={"separator": static_text})
def join_op(xp, *inputs, separator=b""):
    shape_of_joined(inputs)
    arrays = np.broadcast_arrays(*inputs)
    result = np.empty(arrays[0].size, object)
    rows = zip(*(tensor.ravel().tolist() for tensor in arrays), strict=True)
    result[:] = [separator.join(row) for row in rows]
    return result.reshape(arrays[0].shape)


join_op.shape(lambda inputs: Abstract(shape_of_joined(inputs), dtypes.string))
join_op.no_gradient()


@public
def join(inputs: Any, separator: Any = "", name: str | None = None) -> Tensor:
    """The strings at the same places in a list of tensors, joined. Scalars go with every place.

    >>> tf.strings.join([["a", "b"], "x"], separator="-").numpy().tolist()
    [b'a-x', b'b-x']

    Args:
        inputs: a list of tensors of strings, all scalars or of one shape.
        separator: the text between two strings.
    """
    inputs = list(inputs)
    return join_op(inputs, separator) if inputs else convert("")


def joined_along(texts: Any, axis: int, separator: bytes) -> Any:
    moved = np.moveaxis(texts, axis, -1)
    result = np.empty(math.prod(moved.shape[:-1]), object)
    result[:] = [
        separator.join(row) for row in moved.reshape(result.size, moved.shape[-1]).tolist()
    ]
    return np.expand_dims(result.reshape(moved.shape[:-1]), axis)


def axes_in_order(axis: Any) -> tuple[int, ...] | None:
    axes = static_axis(axis)
    return (axes,) if isinstance(axes, int) else axes


@op(
    "ReduceJoin",
    dtypes=STRING,
    convert={"axis": axes_in_order, "keepdims": static_bool, "separator": static_text},
    raw=("inputs", "reduction_indices", "keep_dims", "separator"),
)
def reduce_join(xp, inputs, *, axis=None, keepdims=False, separator=""):
    """The strings along ``axis`` joined. Several axes are joined one after the other.

    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], axis=0).numpy().tolist()
    [b'ac', b'bd']
    >>> tf.strings.reduce_join([["a", "b"], ["c", "d"]], separator=" ").numpy()
    b'a b c d'

    Args:
        inputs: strings, of any shape.
        axis: an axis, or a list of axes, which are joined one after the other; None for all, the last one
            first.
        keepdims: whether to keep these axes, with size 1.
        separator: what stands between two strings that are joined.
    """
    rank = inputs.ndim
    axes = tuple(reversed(range(rank))) if axis is None else axis
    for number in axes:
        if not -rank <= number < rank:
            refuse(
                f"Invalid reduction dimension {number} for input with {rank} dimension(s).",
                error=OutOfRangeError,
            )
    axes = tuple(normalize_axis(number, rank) for number in axes)
    if length_of(set(axes)) < length_of(axes):
        refuse(f"Duplicate reduction dimension in {list(axes)}.")
    result = inputs
    for number in axes:
        result = joined_along(result, number, separator)
    return result if keepdims else np.squeeze(result, axes)


reduce_join.no_gradient()


@op(
    "UnsortedSegmentJoin",
    dtypes={"inputs": STRING, "segment_ids": INDEX},
    convert={"num_segments": static_int, "separator": static_text},
)
def unsorted_segment_join(xp, inputs, segment_ids, *, num_segments, separator=""):
    """For each number below ``num_segments`` the strings with this number, joined.

    Nothing comes before the first string that is not empty.

    >>> tf.strings.unsorted_segment_join(["a", "b", "c"], [0, 1, 0], 2, separator=":").numpy().tolist()
    [b'a:c', b'b']
    """
    depth = segment_ids.ndim
    if inputs.shape[:depth] != segment_ids.shape:
        refuse(
            f"segment_ids must have the first sizes of inputs: {list(segment_ids.shape)} and "
            f"{list(inputs.shape)}."
        )
    if segment_ids.size and (segment_ids.min() < 0 or segment_ids.max() >= num_segments):
        refuse("segment_ids are not allowed to exceed num_segments or to have negative values.")
    inner = inputs.shape[depth:]
    size = math.prod(inner)
    groups: list[list[bytes]] = [[] for _ in range(num_segments * size)]
    texts = inputs.reshape(segment_ids.size, size).tolist()
    for number, row in zip(segment_ids.ravel().tolist(), texts, strict=True):
        for place, text in enumerate(row):
            group = groups[number * size + place]
            if text or group:
                group.append(text)
    result = np.empty(length_of(groups), object)
    result[:] = [separator.join(group) for group in groups]
    return result.reshape(num_segments, *inner)


unsorted_segment_join.shape(
    lambda inputs, segment_ids, num_segments: (num_segments, *inputs.shape[segment_ids.ndim :])
)
unsorted_segment_join.no_gradient()

NUMBERS = (
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint32,
    dtypes.uint64,
)


def number_type(dtype: Any) -> dtypes.DType:
    wanted = dtypes.as_dtype(static_dtype(dtype))
    if wanted not in NUMBERS:
        refuse(
            f"Value for attr 'out_type' of {wanted.name} is not in the list of allowed values: "
            f"{', '.join(dtype.name for dtype in NUMBERS)}."
        )
    return wanted


@op(
    "StringToNumber",
    dtypes=STRING,
    convert={"out_type": number_type},
    raw=("string_tensor", "out_type"),
    dispatched="unary",
)
def to_number(xp, input, *, out_type=dtypes.float32):
    """The number that each string writes.

    >>> tf.strings.to_number(["1.5", "-2e3"]).numpy()
    array([ 1.5e+00, -2.0e+03], dtype=float32)

    Args:
        input: strings, of any shape; white space around a number does not count.
        out_type: the dtype of the numbers: tf.float32, tf.float64, tf.int32, tf.int64, tf.uint32 or
            tf.uint64.
    """
    read = read_float if out_type.is_floating else read_integer(out_type)
    numbers = []
    for text in input.ravel().tolist():
        number = read(text)
        if number is None:
            refuse(
                f"StringToNumberOp could not correctly convert string: {text.decode(errors='replace')}. "
                f"It writes no {out_type.name}."
            )
        numbers.append(number)
    # Not through float64 for float32: a value that is too large must become infinite when it is read.
    return (
        np.array(numbers, np.float64 if out_type.is_floating else None)
        .astype(out_type.as_numpy_dtype)
        .reshape(input.shape)
    )


to_number.shape(like("input", "out_type"))
to_number.no_gradient()

FLOAT = re.compile(rb"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?|nan)", re.I)
HEXADECIMAL = re.compile(rb"[+-]?0[xX][0-9a-fA-F]*\.?[0-9a-fA-F]*([pP][+-]?\d+)?")
INTEGER = re.compile(rb"[+-]?\d+")


def read_float(text: bytes) -> float | None:
    text = text.strip()
    if FLOAT.fullmatch(text):
        return float(text)
    if HEXADECIMAL.fullmatch(text) and any(byte in b"0123456789abcdefABCDEF" for byte in text[2:]):
        return float.fromhex(text.decode())
    return None


def read_integer(dtype: dtypes.DType) -> Any:
    def read(text: bytes) -> int | None:
        text = text.strip()
        if not INTEGER.fullmatch(text):
            return None
        number = int(text)
        return number if dtype.min <= number <= dtype.max else None

    return read

"""Strings of bytes as numbers and as other strings: `decode_raw`, base64, and compressed strings."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor
from tapegrad.dtypes import DType, as_dtype
from tapegrad.errors import refuse
from tapegrad.io.records import WINDOWS, Inflated
from tapegrad.ops.args import static_bool, static_int
from tapegrad.ops.op import HALVES, op
from tapegrad.ops.shape_rules import Abstract, same_shape

PUBLIC = {
    "io": "decode_raw",
    "compat.v1 compat.v1.io": "decode_raw=decode_raw_v1",
    "io compat.v1.io": "decode_base64 decode_compressed encode_base64",
    "compat.v1": "decode_base64 decode_compressed encode_base64",
}

Array = np.ndarray[Any, Any]

PADDED = {
    *(dtypes.bfloat16, dtypes.float16, dtypes.float32, dtypes.float64, dtypes.int8, dtypes.int16),
    *(dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16),
}
RAW = PADDED | {dtypes.bool, dtypes.complex64, dtypes.complex128}


def strings(values: list[bytes], shape: tuple[int, ...]) -> Array:
    """An array of strings."""
    result = np.empty(len(values), object)
    result[:] = values
    return result.reshape(shape)


def numbers(data: bytes, dtype: DType, little_endian: bool) -> Array:
    """The numbers whose bytes follow one another in ``data``."""
    if dtype is dtypes.bool:
        truths: Array = np.frombuffer(data, np.uint8) != 0
        return truths
    stored = np.frombuffer(data, np.uint16 if dtype in HALVES else dtype.numpy_dtype)
    stored = stored if little_endian else stored.byteswap()
    viewed: Array = stored.view(dtype.numpy_dtype)
    return viewed


def decode_raw(
    input_bytes: Any,
    out_type: Any,
    little_endian: Any = True,
    fixed_length: Any = None,
    name: str | None = None,
) -> Tensor:
    """The numbers whose bytes the strings hold, in an axis at the end.

    >>> tf.io.decode_raw([b"\\x01\\x00\\x02\\x00"], tf.int16)
    <tf.Tensor: shape=(1, 2), dtype=int16, numpy=array([[1, 2]], dtype=int16)>

    Args:
        input_bytes: strings of one length, unless ``fixed_length`` is given.
        out_type: the dtype of the numbers.
        little_endian: whether the lowest byte of a number comes first.
        fixed_length: how many bytes to take of each string; shorter ones are filled up with zeros.
        name: accepted and ignored.
    """
    if fixed_length is None:
        return _decode_raw(input_bytes, out_type, little_endian)  # type: ignore[no-any-return]
    return _decode_padded_raw(input_bytes, fixed_length, out_type, little_endian)  # type: ignore[no-any-return]


def decode_raw_v1(
    input_bytes: Any = None,
    out_type: Any = None,
    little_endian: Any = True,
    name: str | None = None,
    bytes: Any = None,
) -> Tensor:
    """`tf.io.decode_raw` as TensorFlow 1 had it. ``bytes`` is another name of ``input_bytes``.

    Args:
        input_bytes: strings of one length.
        out_type: the dtype of the numbers.
        little_endian: whether the lowest byte of a number comes first.
        bytes: another name of ``input_bytes``.
    """
    data = bytes if input_bytes is None else input_bytes
    if data is None:
        raise ValueError("decode_raw() takes the strings as input_bytes.")
    return _decode_raw(data, out_type, little_endian)  # type: ignore[no-any-return]


RAW_ARGUMENTS = {"out_type": as_dtype, "little_endian": static_bool}


@op("DecodeRaw", dtypes={"bytes": {dtypes.string}}, convert=RAW_ARGUMENTS)
def _decode_raw(xp, bytes, *, out_type, little_endian=True):  # type: ignore[no-untyped-def]
    """The numbers in strings of one length."""
    check_raw_type(out_type, RAW)
    values = bytes.ravel().tolist()
    size = len(values[0]) if values else 0
    for number, value in enumerate(values):
        if len(value) != size:
            refuse(
                "DecodeRaw requires input strings to all be the same size, but element "
                f"{number} has size {size} != {len(value)}: give fixed_length to fill them up."
            )
    if size % out_type.size:
        refuse(
            f"Input to DecodeRaw has length {size} that is not a multiple of {out_type.size}, "
            f"the size of {out_type.name}"
        )
    array = numbers(b"".join(values), out_type, little_endian)
    return array.reshape((*bytes.shape, size // out_type.size)).copy()


_decode_raw.shape(lambda bytes, out_type: Abstract((*bytes.shape, None), out_type))


def check_raw_type(out_type: DType, allowed: set[DType]) -> None:
    if out_type not in allowed:
        names = ", ".join(sorted(dtype.name for dtype in allowed))
        refuse(f"decode_raw() gives numbers of {names}, and not of out_type={out_type.name}.")


@op(
    "DecodePaddedRaw",
    dtypes={"input_bytes": {dtypes.string}},
    convert={**RAW_ARGUMENTS, "fixed_length": static_int},
)
def _decode_padded_raw(xp, input_bytes, *, fixed_length, out_type, little_endian=True):  # type: ignore[no-untyped-def]
    """The numbers in strings that are cut, or filled up with zeros, to one length."""
    check_raw_type(out_type, PADDED)
    if fixed_length <= 0:
        refuse(f"fixed_length ({fixed_length}) must be greater than zero.")
    if fixed_length % out_type.size:
        refuse(
            f"fixed_length ({fixed_length}) must be a multiple of the size of out_type ({out_type.size})"
        )
    values = [
        value[:fixed_length].ljust(fixed_length, b"\0") for value in input_bytes.ravel().tolist()
    ]
    array = numbers(b"".join(values), out_type, little_endian)
    return array.reshape((*input_bytes.shape, fixed_length // out_type.size)).copy()


_decode_padded_raw.shape(
    lambda input_bytes, fixed_length, out_type: Abstract(
        (*input_bytes.shape, fixed_length // out_type.size), out_type
    )
)


@op(
    "EncodeBase64",
    dtypes={"input": {dtypes.string}},
    convert={"pad": static_bool},
    dispatched="unary",
)
def encode_base64(xp, input, *, pad=False):  # type: ignore[no-untyped-def]
    """The strings in base64, with ``-`` and ``_`` for 62 and 63, which names of files may hold.

    >>> tf.io.encode_base64("ab"), tf.io.encode_base64("ab", pad=True)
    (<tf.Tensor: shape=(), dtype=string, numpy=b'YWI'>, <tf.Tensor: shape=(), dtype=string, numpy=b'YWI='>)
    """
    values = [base64.urlsafe_b64encode(value) for value in input.ravel().tolist()]
    return strings(values if pad else [value.rstrip(b"=") for value in values], input.shape)


encode_base64.shape(same_shape)


ALPHABET = re.compile(rb"[A-Za-z0-9_-]*")


def from_base64(value: bytes) -> bytes:
    bare = value
    if len(value) % 4 == 1:
        refuse("Base64 string length cannot be 1 modulo 4.")
    if len(value) % 4 == 0 and value:
        bare = value[:-2] if value.endswith(b"==") else value.removesuffix(b"=")
    if ALPHABET.fullmatch(bare) is None:
        refuse("Invalid character found in base64.")
    try:
        return base64.urlsafe_b64decode(bare + b"=" * (-len(bare) % 4))
    except binascii.Error as error:
        refuse(f"Invalid base64: {error}")


@op("DecodeBase64", dtypes={"input": {dtypes.string}}, dispatched="unary")
def decode_base64(xp, input):  # type: ignore[no-untyped-def]
    """What `encode_base64` encoded, with padding or without.

    >>> tf.io.decode_base64("YWI")
    <tf.Tensor: shape=(), dtype=string, numpy=b'ab'>
    """
    return strings([from_base64(value) for value in input.ravel().tolist()], input.shape)


decode_base64.shape(same_shape)


@op("DecodeCompressed", dtypes={"bytes": {dtypes.string}}, dispatched="unary")
def decode_compressed(xp, bytes, *, compression_type=""):  # type: ignore[no-untyped-def]
    """What was compressed into the strings, by zlib or gzip.

    >>> import zlib
    >>> tf.io.decode_compressed(zlib.compress(b"text"), "ZLIB")
    <tf.Tensor: shape=(), dtype=string, numpy=b'text'>
    """
    import io

    window = WINDOWS.get(compression_type)
    if window is None:
        refuse(f"Only ZLIB, GZIP or NONE are supported compressions, not {compression_type!r}.")
    if not window:
        return bytes
    values = [Inflated(io.BytesIO(value), window).read() for value in bytes.ravel().tolist()]
    return strings(values, bytes.shape)


decode_compressed.shape(same_shape)


for operation in (_decode_raw, _decode_padded_raw, encode_base64, decode_base64, decode_compressed):
    operation.no_gradient()

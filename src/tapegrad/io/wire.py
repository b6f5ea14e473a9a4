"""The encoding of protocol buffers: numbered fields, each a varint, fixed bytes, or a length and bytes."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
MASK = 2**64 - 1


class DecodeError(Exception):
    """The bytes are no encoding of the message."""


def refuse_bytes(why: str) -> NoReturn:
    raise DecodeError(f"Wire format was corrupt: {why}")


def varint(value: int) -> bytes:
    """The encoding of an integer, negative ones in two's complement of 64 bits."""
    value &= MASK
    if value < 0x80:
        return bytes((value,))
    parts = bytearray()
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def signed(value: int) -> int:
    """The integer of a varint of 64 bits."""
    return value - 2**64 if value >= 2**63 else value


def tagged(number: int, data: bytes) -> bytes:
    """A field of bytes."""
    return varint(number << 3 | BYTES) + varint(len(data)) + data


def read_varint(data: Any, at: int) -> tuple[int, int]:
    """The varint that begins at ``at``, and where it ends."""
    value = shift = 0
    try:
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value & MASK, at
            shift += 7
            if shift > 63:
                refuse_bytes("a number has more than ten bytes")
    except IndexError:
        refuse_bytes("a number is cut short")


def fields(data: Any) -> Iterator[tuple[int, int, Any]]:
    """Number, kind and content of each field of a message: an int for a varint, else bytes of ``data``."""
    at, end = 0, len(data)
    while at < end:
        key, at = read_varint(data, at)
        number, kind = key >> 3, key & 7
        value: Any
        if kind == VARINT:
            value, at = read_varint(data, at)
        else:
            if kind == BYTES:
                size, at = read_varint(data, at)
            elif kind == FIXED32:
                size = 4
            elif kind == FIXED64:
                size = 8
            else:
                refuse_bytes(f"no field is of kind {kind}")
            if size > end - at:
                refuse_bytes("a field is cut short")
            value = data[at : at + size]
            at += size
        if number == 0:
            refuse_bytes("a field has the number 0")
        yield number, kind, value


def packed_varints(values: Iterable[int]) -> bytes:
    return b"".join([varint(value) for value in values])


def unpacked_varints(data: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The integers whose varints follow one another in ``data``."""
    raw = np.frombuffer(data, np.uint8)
    last = raw < 0x80
    if last.all():
        return raw.astype(np.int64)
    ends = np.flatnonzero(last)
    if not last[-1]:
        refuse_bytes("a number is cut short")
    starts = np.concatenate(([0], ends[:-1] + 1))
    lengths = ends - starts + 1
    if lengths.max() > 10:
        refuse_bytes("a number has more than ten bytes")
    place = np.arange(raw.size) - np.repeat(starts, lengths)
    parts = (raw & 0x7F).astype(np.uint64) << (7 * place).astype(np.uint64)
    return np.bitwise_or.reduceat(parts, starts).view(np.int64)


def fixed(form: str, data: Any) -> Any:
    """The number in some fixed bytes; ``form`` is a format of the module struct."""
    return struct.unpack(form, data)[0]

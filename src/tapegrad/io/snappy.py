"""Snappy, the compression of the tables in TensorFlow's older files: `decompress`."""

from __future__ import annotations

from tapegrad.io.wire import read_varint, refuse_bytes

LARGEST_RATIO = 22  # a copy of 64 bytes takes three


def decompress(data: bytes) -> bytes:
    """What ``data`` was before Snappy compressed it.

    The first number is the count of bytes; then follow elements: literal bytes, and copies of earlier bytes.
    The two lowest bits of an element's first byte say which of them it is.

    Raises:
        DecodeError: ``data`` is nothing that Snappy writes.
    """
    size, at = read_varint(data, 0)
    if size > LARGEST_RATIO * len(data):
        refuse_bytes("compressed data says that it has more bytes than it can have")
    output = bytearray()
    while at < len(data):
        first = data[at]
        at += 1
        kind, upper = first & 3, first >> 2
        if kind == 0:
            long = max(upper - 59, 0)  # how many bytes the length has, if it is not in this one
            length = 1 + (_number(data, at, long) if long else upper)
            at += long
            if at + length > len(data):
                refuse_bytes("compressed data is cut short")
            output += data[at : at + length]
            at += length
        else:
            width = (1, 2, 4)[kind - 1]
            back = _number(data, at, width)
            at += width
            length = 1 + upper
            if kind == 1:
                back |= upper >> 3 << 8
                length = 4 + (upper & 7)
            if not 0 < back <= len(output):
                refuse_bytes("compressed data copies bytes from before its beginning")
            start = len(output) - back
            # A copy of more bytes than there are since its beginning repeats them.
            copied = output[start : start + length]
            output += (copied * (length // back + 1))[:length]
        if len(output) > size:
            break
    if len(output) != size:
        refuse_bytes(f"compressed data says that it has {size} bytes, and has other ones")
    return bytes(output)


def _number(data: bytes, at: int, width: int) -> int:
    if at + width > len(data):
        refuse_bytes("compressed data is cut short")
    return int.from_bytes(data[at : at + width], "little")

"""TensorFlow's files of checkpoints: a sorted table of names, and the bytes of the tensors.

``path.index`` is a table as LevelDB's: blocks of sorted keys, an index of the blocks, a footer. Each value is
a message that says dtype, shape, place and checksum of one tensor. ``path.data-00000-of-00001`` holds the
bytes, or the first of more files of data. One tensor, `OBJECT_GRAPH`, is a string: a message with the
objects, their parts, and the names of their tensors.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tapegrad import dtypes
from tapegrad.engines.numpy.checksums import masked_crc32c
from tapegrad.io.snappy import decompress
from tapegrad.io.wire import (
    FIXED32,
    VARINT,
    DecodeError,
    fields,
    read_varint,
    signed,
    tagged,
    varint,
)
from tapegrad.saving.files import Damaged, shaped

OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
MAGIC = struct.pack("<Q", 0xDB4775248B80FB57)
FOOTER = 48
SLICE = b"\x00"  # begins the key of a slice
TABLE = ("-keys", "-values")  # what the names of a table's two tensors end with
BLOCK = 1 << 15  # a block of the table ends when it has as many bytes
LARGEST_SHARDS = 1 << 16
PLAIN, SNAPPY = 0, 1  # how a block is compressed, in the byte after it

Array = np.ndarray[Any, Any]


def is_bundle(index: Path) -> bool:
    """Whether a file is the index of a checkpoint in TensorFlow's format."""
    with index.open("rb") as file:
        size = file.seek(0, 2)
        if size < FOOTER:
            return False
        file.seek(size - len(MAGIC))
        return file.read() == MAGIC


def data_path(prefix: str, shard: int, shards: int) -> Path:
    """The file with the bytes of a part of the tensors."""
    return Path(f"{prefix}.data-{shard:05d}-of-{shards:05d}")


# Writing


def _number(field: int, value: int) -> bytes:
    """A field of an integer, which is left out where it is 0."""
    return varint(field << 3 | VARINT) + varint(value) if value else b""


def write_data(file: BinaryIO, objects: list[Any], arrays: dict[str, Array]) -> dict[bytes, bytes]:
    """Write the bytes of the tensors of a checkpoint, all into one file.

    Args:
        file: the file.
        objects: for each object its ``children``, numbers by name, and its ``tensors``, names by attribute;
            of an optimizer also its ``slots``: a variable's number, a name, and the slot's number. Without
            objects, the checkpoint has names alone.
        arrays: the tensors by name.

    Returns:
        The entry of a tensor in the index.
    """
    entries = {}
    offset = 0
    every = {name.encode(): array for name, array in arrays.items()}
    if objects:
        graph = every[OBJECT_GRAPH.encode()] = np.empty((), object)
        graph[()] = _graph(objects)
    for name, array in sorted(every.items()):
        raw, checksum = _raw(array)
        file.write(raw)
        shape = b"".join([tagged(2, _number(1, size)) for size in array.shape])
        entries[name] = (
            _number(1, dtypes.from_numpy(array.dtype).as_datatype_enum)
            + tagged(2, shape)
            + _number(4, offset)
            + _number(5, len(raw))
            + varint(6 << 3 | FIXED32)
            + struct.pack("<I", checksum)
        )
        offset += len(raw)
    return entries


def index_of(entries: dict[bytes, bytes], shards: int) -> bytes:
    """The index of a checkpoint whose tensors are in the first of so many files of data."""
    header = _number(1, shards) + tagged(3, _number(1, 1))  # version 1
    return _table({b"": header, **entries})


def _graph(objects: list[Any]) -> bytes:
    nodes = []
    for encoded in objects:
        parts = [
            tagged(1, _number(1, number) + tagged(2, name.encode()))
            for name, number in encoded["children"].items()
        ]
        full_names = encoded.get("full_names", {})
        parts += [
            tagged(
                2,
                tagged(1, name.encode())
                + (tagged(2, full_names[name].encode()) if name in full_names else b"")
                + tagged(3, key.encode()),
            )
            for name, key in encoded["tensors"].items()
        ]
        parts += [
            tagged(3, _number(1, variable) + tagged(2, name.encode()) + _number(3, slot))
            for variable, name, slot in encoded.get("slots", ())
        ]
        parts.append(tagged(5, _number(1, bool(encoded["tensors"]))))
        nodes.append(tagged(1, b"".join(parts)))
    return b"".join(nodes)


def _raw(array: Array) -> tuple[bytes, int]:
    """The bytes of a tensor in the file, and their checksum."""
    if not array.dtype.hasobject:
        raw = np.ascontiguousarray(array).tobytes()
        return raw, masked_crc32c(raw)
    texts = [bytes(text) for text in array.ravel().tolist()]
    # The checksum is of the lengths as fixed numbers, though the file has them as varints.
    lengths = b"".join([_fixed_length(len(text)) for text in texts])
    own = struct.pack("<I", masked_crc32c(lengths))
    whole = masked_crc32c(lengths + own + b"".join(texts))
    return b"".join([varint(len(text)) for text in texts]) + own + b"".join(texts), whole


def _fixed_length(length: int) -> bytes:
    return struct.pack("<I" if length < 1 << 32 else "<Q", length)


def _table(entries: dict[bytes, bytes]) -> bytes:
    table = bytearray()
    index: list[tuple[bytes, bytes]] = []
    waiting: list[tuple[bytes, bytes]] = []
    size = 0
    for key in sorted(entries):
        waiting.append((key, entries[key]))
        size += len(key) + len(entries[key])
        if size >= BLOCK:
            index.append((key, _add_block(table, waiting)))
            waiting, size = [], 0
    if waiting:
        index.append((waiting[-1][0], _add_block(table, waiting)))
    footer = _add_block(table, []) + _add_block(table, index)
    return bytes(table) + footer.ljust(FOOTER - len(MAGIC), b"\0") + MAGIC


def _add_block(table: bytearray, pairs: list[tuple[bytes, bytes]]) -> bytes:
    """Append a block of keys and values to ``table``, and return its position."""
    block = bytearray()
    starts = []
    for key, value in pairs:
        starts.append(len(block))
        block += varint(0) + varint(len(key)) + varint(len(value)) + key + value
    starts = starts or [0]
    block += struct.pack(f"<{len(starts) + 1}I", *starts, len(starts))
    handle = varint(len(table)) + varint(len(block))
    block.append(PLAIN)
    table += block + struct.pack("<I", masked_crc32c(bytes(block)))
    return handle


# Reading


def data_files(prefix: str, index: Path) -> list[str]:
    """The names of the files with the tensors of a checkpoint, by its index; none if that cannot be read."""
    try:
        table = dict(_read_table(index.read_bytes()))
        shards = _read_header(table.pop(b"", b""))
        used = {_whole(dict(_parts(entry)), 3) for entry in table.values()}
    except (Damaged, DecodeError, UnicodeDecodeError, struct.error, OSError):
        return []
    return [data_path(prefix, shard, shards).name for shard in used if shard < shards]


def read_bundle(prefix: str, index: Path) -> tuple[list[Any], dict[str, Array]]:
    """The objects and the tensors of a checkpoint. There are no objects where it has names alone.

    Raises:
        Damaged: the files are not what TensorFlow writes.
    """
    try:
        table = dict(_read_table(index.read_bytes()))
        shards = _read_header(table.pop(b"", b""))
        files: dict[int, Array] = {}

        def tensor(name: str, value: bytes) -> Array:
            entry = {number: content for number, content in _parts(value) if number not in (2, 7)}
            shard = _whole(entry, 3)
            if not 0 <= shard < shards:
                raise Damaged(f"there is no file of data {shard}")
            if shard not in files:
                files[shard] = _mapped(data_path(prefix, shard, shards))
            return _read_tensor(name, entry, _shape_of(value), files[shard])

        arrays = {}
        for key, value in table.items():
            if key.startswith(SLICE):
                continue
            name = key.decode()
            slices = [content for number, content in _parts(value) if number == 7]
            if not slices:
                arrays[name] = tensor(name, value)
                continue
            parts = []
            for extents in map(_extents, slices):
                own = _slice_key(key, extents)
                parts.append((extents, tensor(name, table.get(own, b""))))
            arrays[name] = _joined(name, _shape_of(value), parts)
        graph = arrays.get(OBJECT_GRAPH)
        objects = [] if graph is None else _read_graph(bytes(graph.item()))
    except (DecodeError, UnicodeDecodeError, struct.error, OSError) as error:
        raise Damaged(str(error)) from None
    for encoded in objects:
        encoded["tensors"] = _single(encoded["tensors"], arrays)
    return objects, arrays


def _single(tensors: dict[str, str], arrays: dict[str, Array]) -> dict[str, str]:
    """The names of an object's tensors, one by one: TensorFlow has one name for those of a table."""
    keys = {}
    for name, key in tensors.items():
        parts = [""] if key in arrays else [part for part in TABLE if key + part in arrays]
        keys.update({name + part: key + part for part in parts or [""]})
    return keys


def _parts(message: Any) -> Iterator[tuple[int, Any]]:
    """The fields of a message, by number. Those of a damaged file may be numbers where messages should be."""
    if not isinstance(message, bytes):
        raise Damaged("a message in its index is a number")
    for number, _, content in fields(message):
        yield number, content


def _whole(message: dict[int, Any], number: int) -> int:
    """A field that is a number, and 0 if it is left out."""
    value = message.get(number, 0)
    if type(value) is not int:
        raise Damaged("a number in its index is a message")
    return value


def _mapped(path: Path) -> Array:
    if not path.stat().st_size:
        return np.empty(0, np.uint8)
    return np.memmap(path, np.uint8, "r")


def _read_header(header: bytes) -> int:
    """How many files of data there are."""
    header_fields = dict(_parts(header))
    shards = _whole(header_fields, 1)
    if _whole(header_fields, 2):
        raise Damaged("its numbers have the bytes of another machine (big endian)")
    if not 1 <= shards <= LARGEST_SHARDS:
        raise Damaged("its index says not how many files of data there are")
    return shards


def _read_table(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    footer = data[-FOOTER:]
    _, at = read_varint(footer, 0)
    _, at = read_varint(footer, at)
    for _ in _read_block(data, footer):
        pass  # a block about the blocks, empty: checked alone
    for _, handle in _read_block(data, footer[at:]):
        yield from _read_block(data, handle)


def _read_block(data: bytes, handle: bytes) -> Iterator[tuple[bytes, bytes]]:
    start, at = read_varint(handle, 0)
    size, _ = read_varint(handle, at)
    end = start + size
    if end + 5 > len(data):
        raise Damaged("a block of its index is cut short")
    if masked_crc32c(data[start : end + 1]) != struct.unpack_from("<I", data, end + 1)[0]:
        raise Damaged("a block of its index has another checksum than it says")
    if data[end] not in (PLAIN, SNAPPY):
        raise Damaged(f"a block of its index is compressed in way {data[end]}, which is none")
    block = data[start:end]
    if data[end] == SNAPPY:
        block = decompress(block)
    if len(block) < 4:
        raise Damaged("a block of its index is cut short")
    (restarts,) = struct.unpack("<I", block[-4:])
    if 4 * restarts + 4 > len(block):
        raise Damaged("a block of its index is cut short")
    block = block[: -4 * restarts - 4]
    at, key = 0, b""
    while at < len(block):
        shared, at = read_varint(block, at)
        rest, at = read_varint(block, at)
        length, at = read_varint(block, at)
        if shared > len(key) or rest + length > len(block) - at:
            raise Damaged("a key of its index is cut short")
        key = key[:shared] + block[at : at + rest]
        at += rest
        yield key, block[at : at + length]
        at += length


def _shape_of(entry: bytes) -> tuple[int, ...]:
    sizes: list[int] = []
    for number, content in _parts(entry):
        if number == 2:
            for axis, size in _parts(content):
                if axis == 2:
                    sizes.append(signed(_whole(dict(_parts(size)), 1)))
    return tuple(sizes)


# Slices of a variable. The entry of the whole one lists them; each has an entry under a key that sorts.


def _extents(content: Any) -> list[tuple[int, int]]:
    """For each axis of a slice where it starts, and its length: -1 for all of the axis."""
    extents = []
    for number, axis in _parts(content):
        if number == 1:
            entry = dict(_parts(axis))
            extents.append((_whole(entry, 1), _whole(entry, 2) if 2 in entry else -1))
    return extents


def _slice_key(name: bytes, extents: list[tuple[int, int]]) -> bytes:
    """The key of a slice: numbers and texts coded so that their bytes sort as they do."""
    text = name.replace(b"\xff", b"\xff\x00").replace(b"\x00", b"\x00\xff")
    rank = len(extents)
    count = rank.to_bytes((rank.bit_length() + 7) // 8, "big")
    numbers = [_sortable(number) for extent in extents for number in extent]
    return b"".join([SLICE, text, b"\x00\x01", bytes([len(count)]), count, *numbers])


def _sortable(number: int) -> bytes:
    """A number in as many bytes as it needs: as many ones as bytes, then its bits; all turned if below 0."""
    bits = (number if number >= 0 else ~number).bit_length()
    size = next(size for size in range(1, 11) if bits < 7 * size)
    lead = ((1 << size) - 1) << (7 * size)
    code = lead | (number if number >= 0 else ~number)
    if number < 0:
        code ^= (1 << (8 * size)) - 1
    return code.to_bytes(size, "big")


def _joined(
    name: str, shape: tuple[int, ...], parts: list[tuple[list[tuple[int, int]], Array]]
) -> Array:
    """The whole tensor, from its slices."""
    if sum(part.size for _, part in parts) != math.prod(shape):
        raise Damaged(f"slices of {name} are missing")
    whole, known = np.zeros(shape, parts[0][1].dtype), np.zeros(shape, bool)
    for extents, part in parts:
        places = tuple([
            slice(start, size if length == -1 else start + length)
            for (start, length), size in zip(extents, shape, strict=False)
        ])  # fmt: skip
        if (
            len(extents) != len(shape)
            or part.shape != whole[places].shape
            or part.dtype != whole.dtype
        ):
            raise Damaged(f"a slice of {name} is of another shape or dtype")
        whole[places], known[places] = part, True
    if not known.all():
        raise Damaged(f"slices of {name} overlap")
    return whole


def _read_tensor(name: str, entry: dict[int, Any], shape: tuple[int, ...], file: Array) -> Array:
    number = _whole(entry, 1)
    try:
        dtype = dtypes.as_dtype(number)
    except TypeError:
        raise Damaged(f"{name} has the dtype {number}, which is not known") from None
    start, size = _whole(entry, 4), _whole(entry, 5)
    if start + size > len(file) or any(axis < 0 for axis in shape):
        raise Damaged(f"the bytes of {name} are missing")
    raw = file[start : start + size]
    count = math.prod(shape)
    own_checksum = entry.get(6, bytes(4))
    if not isinstance(own_checksum, bytes) or len(own_checksum) != 4:
        raise Damaged(f"the checksum of {name} is no number of four bytes")
    checksum = int.from_bytes(own_checksum, "little")
    if dtype == dtypes.string:
        return shaped(name, _read_strings(name, raw.tobytes(), count, checksum), shape)
    kind = np.dtype(dtype.as_numpy_dtype)
    if size != count * kind.itemsize:
        raise Damaged(f"{name} has {size} bytes, which its shape {list(shape)} does not say")
    array: Array = np.empty(count, kind)
    own: Any = array.view(np.uint8)
    own[...] = raw
    if masked_crc32c(own) != checksum:
        raise Damaged(f"the bytes of {name} have another checksum than the index says")
    if dtype.is_bool and own.max(initial=0) > 1:
        raise Damaged(f"{name} has elements that are neither true nor false")
    return shaped(name, array, shape)


def _read_strings(name: str, raw: bytes, count: int, checksum: int) -> Array:
    if count > len(raw):
        raise Damaged(f"strings of {name} are missing")
    lengths, at = [], 0
    for _ in range(count):
        length, at = read_varint(raw, at)
        lengths.append(length)
    own, start = raw[at : at + 4], at + 4
    if sum(lengths) != len(raw) - start:
        raise Damaged(f"strings of {name} have other lengths than they say")
    fixed = b"".join([_fixed_length(length) for length in lengths])
    if masked_crc32c(fixed + own + raw[start:]) != checksum:
        raise Damaged(f"the strings of {name} have another checksum than the index says")
    strings = np.empty(count, object)
    for index, length in enumerate(lengths):
        strings[index] = raw[start : start + length]
        start += length
    return strings


def _read_graph(data: bytes) -> list[Any]:
    return [_read_object(node) for number, node in _parts(data) if number == 1]


def _read_object(node: bytes) -> dict[str, Any]:
    children: dict[str, int] = {}
    tensors: dict[str, str] = {}
    full_names: dict[str, str] = {}
    slots: list[tuple[int, str, int]] = []
    for number, content in _parts(node):
        if number == 3:
            part = dict(_parts(content))
            slots.append((_whole(part, 1), _text(part.get(2, b"")), _whole(part, 3)))
        elif number in (1, 2):
            part = dict(_parts(content))
            if number == 1:
                children[_text(part.get(2, b""))] = _whole(part, 1)
            else:
                name = _text(part.get(1, b""))
                tensors[name] = _text(part.get(3, b""))
                full_names[name] = _text(part.get(2, b""))
    return {"children": children, "tensors": tensors, "full_names": full_names, "slots": slots}


def _text(data: Any) -> str:
    if not isinstance(data, bytes):
        raise Damaged("a name in its index is a number")
    return data.decode()

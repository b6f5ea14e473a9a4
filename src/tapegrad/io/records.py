"""TFRecord files: records one after another, each with its length and two checksums.

A record is 8 bytes of length, 4 of the length's checksum, the data, 4 of the data's checksum; numbers are
little-endian, checksums masked CRC-32C. A file may be compressed as a whole.
"""

from __future__ import annotations

import io
import os
import struct
import zlib
from collections.abc import Iterator
from typing import Any, BinaryIO, ClassVar

from tapegrad import errors
from tapegrad.engines.numpy.checksums import masked_crc32c
from tapegrad.errors import refuse
from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.framework.printed import Printed
from tapegrad.io.atomic import NewFile
from tapegrad.io.paths import local

PUBLIC = {
    "io compat.v1.io compat.v1.python_io": "TFRecordOptions TFRecordWriter",
    "compat.v1.io compat.v1.python_io": "tf_record_iterator TFRecordCompressionType",
}

# How many bytes are decompressed at once, and how many are read at once of a size stored in a file.
INFLATED, READ_AT_ONCE = 1 << 18, 1 << 24
WINDOWS = {"": 0, "GZIP": 16 + zlib.MAX_WBITS, "ZLIB": zlib.MAX_WBITS}
MOST_BUFFER = 1 << 28
BUFFER = 256 * 1024
HEADER = struct.Struct("<QI")
FOOTER = struct.Struct("<I")


class TFRecordCompressionType:
    """TensorFlow 1's numbers for the kinds of compression."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


def damaged(message: str) -> None:
    refuse(message, error=errors.DataLossError)


class TFRecordOptions(Printed):
    """How a TFRecord file is compressed.

    Args:
        compression_type: "GZIP", "ZLIB", or "" or None for not at all.
        flush_mode, input_buffer_size, output_buffer_size: accepted, and of no effect.
        window_bits, compression_level, compression_method, mem_level, compression_strategy: as in zlib.
    """

    compression_type_map: ClassVar = {
        TFRecordCompressionType.ZLIB: "ZLIB",
        TFRecordCompressionType.GZIP: "GZIP",
        TFRecordCompressionType.NONE: "",
    }

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The name of a kind of compression, from its name, its number or options; "" for none."""
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if isinstance(options, int) and options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in WINDOWS:
            return str(options)
        raise ValueError(f'Not a valid compression_type: "{options}"; use "GZIP", "ZLIB" or "".')


def set_or(value: int | None, otherwise: int) -> int:
    return otherwise if value is None else value


class TFRecordWriter(Printed):
    """Writes a TFRecord file. Use it in a ``with`` block, which closes the file.

    >>> with tf.io.TFRecordWriter("/tmp/two.tfrecord") as writer:
    ...     writer.write(b"one")
    ...     writer.write(b"two")
    >>> [record.numpy() for record in tf.data.TFRecordDataset("/tmp/two.tfrecord")]
    [b'one', b'two']

    Args:
        path: the file's name; a file that is there already is replaced.
        options: `TFRecordOptions`, or the name of a kind of compression.
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        self._file: BinaryIO | None = None
        self._process = os.getpid()
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression_type=options)
        kind = TFRecordOptions.get_compression_type_string(options)
        self._compressor: Any = None
        if kind:
            bits = abs(set_or(options.window_bits, zlib.MAX_WBITS))
            self._compressor = zlib.compressobj(
                set_or(options.compression_level, zlib.Z_DEFAULT_COMPRESSION),
                set_or(options.compression_method, zlib.DEFLATED),
                bits + 16 if kind == "GZIP" else bits,
                set_or(options.mem_level, 9),
                set_or(options.compression_strategy, zlib.Z_DEFAULT_STRATEGY),
            )
        self._path = path
        with as_tf_errors(path):
            self._file = self._new_file()

    def _new_file(self) -> BinaryIO:
        return open(local(self._path), "wb")

    def _open(self) -> BinaryIO:
        if self._file is None:
            refuse("Writer is closed.", error=errors.FailedPreconditionError)
        return self._file

    def write(self, record: Any) -> None:
        """Add a record: bytes, or text, which is written as UTF-8."""
        file = self._open()
        if isinstance(record, str):
            record = record.encode()
        if not isinstance(record, bytes):
            raise TypeError(f"write() takes a record as bytes or str, not {type(record).__name__}")
        data = framed(record)
        with as_tf_errors(self._path):
            file.write(data if self._compressor is None else self._compressor.compress(data))

    def flush(self) -> None:
        """Give the system all that has been written."""
        file = self._open()
        with as_tf_errors(self._path):
            if self._compressor is not None:
                file.write(self._compressor.flush(zlib.Z_SYNC_FLUSH))
            file.flush()

    def close(self) -> None:
        """Flush and close the file."""
        file, self._file = self._file, None
        if (
            file is not None and not file.closed
        ):  # a transaction that is rolled back closes its files
            with as_tf_errors(self._path), file:
                if self._compressor is not None:
                    file.write(self._compressor.flush())

    def _leave_to_parent(self) -> None:
        """In the child of a fork, drop what waits to be written: the parent writes it."""
        file, self._file = self._file, None
        if file is not None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, file.fileno())
            os.close(nowhere)
            file.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if self.__dict__.get("_file") is not None:
            if self._process == os.getpid():
                self.close()
            else:
                self._leave_to_parent()


class NewFileWriter(TFRecordWriter):
    """Writes records into a file of an `Transaction`, which is on the disk when this is closed.

    Args:
        new_file: the file.
        compression: the name of a kind of compression.
    """

    def __init__(self, new_file: NewFile, compression: str) -> None:
        self.new_file = new_file
        super().__init__(new_file.path, compression)

    def _new_file(self) -> BinaryIO:
        return self.new_file.stream


def framed(record: bytes) -> bytes:
    """A record with its length and checksums."""
    length = struct.pack("<Q", len(record))
    return b"".join(
        (
            length,
            FOOTER.pack(masked_crc32c(length)),
            record,
            FOOTER.pack(masked_crc32c(record)),
        )
    )


class Inflated:
    """The contents of a compressed file, as a stream to read from."""

    def __init__(self, file: BinaryIO, window: int) -> None:
        self._file = file
        self._window = window
        self._inflate = zlib.decompressobj(window)
        self._ready = bytearray()
        self._ended = False

    def _fill(self) -> bool:
        """Inflate some more, `INFLATED` bytes at most; False at the end of the file."""
        if self._inflate.eof:
            # zlib has one stream, gzip several one after another.
            if self._window == zlib.MAX_WBITS:
                return False
            data = self._inflate.unused_data or self._file.read(BUFFER)
            if not data:
                return False
            self._inflate = zlib.decompressobj(self._window)
        else:
            data = self._inflate.unconsumed_tail or self._file.read(BUFFER)
        try:
            inflated = self._inflate.decompress(data, INFLATED)
        except zlib.error as error:
            damaged(f"inflate() failed: {error}; the file is damaged, or not compressed this way.")
        self._ready += inflated
        return bool(data or inflated)

    def read(self, size: int = -1) -> bytes:
        """The next ``size`` bytes, or as many as are left; all for -1."""
        while (size < 0 or len(self._ready) < size) and self._fill():
            pass
        size = len(self._ready) if size < 0 else size
        taken = bytes(self._ready[:size])
        del self._ready[:size]
        return taken

    def readline(self) -> bytes:
        """The next line, with the ``\\n`` at its end."""
        searched, at = 0, self._ready.find(b"\n")
        while at < 0 and self._fill():
            at = self._ready.find(b"\n", searched)
            searched = len(self._ready)
        return self.read(at + 1 if at >= 0 else len(self._ready))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class Positioned(io.RawIOBase):
    """A file that is read from a position of its own, which the child of a fork does not share."""

    def __init__(self, path: str) -> None:
        self._file = io.FileIO(path)
        self._at = 0

    def readable(self) -> bool:
        """True."""
        return True

    def seekable(self) -> bool:
        """True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read the next bytes into ``buffer``, as many as there are."""
        count = os.preadv(self._file.fileno(), [buffer], self._at)
        self._at += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a position."""
        from_where = {os.SEEK_SET: 0, os.SEEK_CUR: self._at}
        before = (
            from_where[whence] if whence in from_where else os.fstat(self._file.fileno()).st_size
        )
        self._at = before + offset
        return self._at

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def opened(name: Any, compression: str, buffer_size: int | None = None) -> Any:
    """A stream of the content of a file, which may be compressed."""
    window = WINDOWS.get(compression)
    if window is None:
        refuse(f"Unsupported compression type: {compression!r}; use 'GZIP', 'ZLIB' or ''.")
    path = local(name)
    with as_tf_errors(name):
        if os.path.isdir(path):
            raise IsADirectoryError(21, "Is a directory")
        size = min(buffer_size, MOST_BUFFER) if buffer_size and buffer_size > 1 else BUFFER
        if hasattr(os, "preadv") and os.path.isfile(path):
            file: Any = io.BufferedReader(Positioned(path), size)
        else:
            file = open(path, "rb", size)  # noqa: SIM115
    return Inflated(file, window) if window else file


def read_exactly(stream: Any, size: int) -> bytes:
    """The next ``size`` bytes, or fewer at the end: memory is allocated only for bytes that exist."""
    if size <= READ_AT_ONCE:
        data: bytes = stream.read(size)
        return data
    content = bytearray()
    while len(content) < size and (part := stream.read(min(size - len(content), READ_AT_ONCE))):
        content += part
    return bytes(content)


def read_records(stream: Any) -> Iterator[bytes]:
    """The records in a stream.

    Raises:
        DataLossError: a checksum does not fit, or a record is cut short. As in TensorFlow, a header that is
            cut short is the end.
    """
    at = 0
    while len(header := stream.read(HEADER.size)) == HEADER.size:
        size, checksum = HEADER.unpack(header)
        if masked_crc32c(header[:8]) != checksum:
            damaged(f"corrupted record at {at} (Is this even a TFRecord file?)")
        data = read_exactly(stream, size + FOOTER.size)
        if len(data) < size + FOOTER.size:
            damaged(f"truncated record at {at}' failed with Read less bytes than requested")
        record = data[:size]
        if masked_crc32c(record) != FOOTER.unpack_from(data, size)[0]:
            damaged(f"corrupted record at {at + HEADER.size}")
        at += size + HEADER.size + FOOTER.size
        yield record


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a TFRecord file, one after another.

    Args:
        path: the file's name.
        options: `TFRecordOptions`, or the name of a kind of compression.
    """
    stream = opened(path, TFRecordOptions.get_compression_type_string(options))

    def records() -> Iterator[bytes]:
        try:
            yield from read_records(stream)
        finally:
            stream.close()

    return records()

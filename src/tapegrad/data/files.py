"""Data sets of what files hold: lines, TFRecords, records of one length; and the names of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, static_value
from tapegrad.data.arguments import optional_number, parallel_calls
from tapegrad.data.dataset import DatasetSource, DatasetV2
from tapegrad.data.iterators import Elements, IterationContext, close
from tapegrad.data.makers import Makers
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.printed import Printed
from tapegrad.framework.spec import TensorSpec
from tapegrad.io.files import matching_files
from tapegrad.io.paths import local
from tapegrad.io.records import WINDOWS, Inflated, TFRecordWriter, opened, read_records
from tapegrad.ops.shape.array import reshape

PUBLIC = {
    "data": (
        "FixedLengthRecordDataset=FixedLengthRecordDatasetV2 TextLineDataset=TextLineDatasetV2 "
        "TFRecordDataset=TFRecordDatasetV2"
    ),
    "compat.v1.data": (
        "FixedLengthRecordDataset=FixedLengthRecordDatasetV2 TextLineDataset=TextLineDatasetV2 "
        "TFRecordDataset=TFRecordDatasetV2"
    ),
    "data.experimental compat.v1.data.experimental": "TFRecordWriter=DatasetWriter",
}

STRING = TensorSpec([], dtypes.string)

# More files than the system opens at once are never read in turns.
_MOST_TURNS = 4096


def string(value: bytes) -> EagerTensor:
    """A string as an element."""
    return EagerTensor(np.array(value, object))


def list_files(
    file_pattern: Any, shuffle: Any = None, seed: Any = None, name: str | None = None
) -> DatasetV2:
    """A data set of the names of files that match patterns.

    Raises:
        InvalidArgumentError: none matches.
    """
    patterns = convert_to_tensor(file_pattern, dtypes.string)
    names = matching_files(patterns)
    count = names.shape[0]
    if not count:
        texts = b", ".join(static_value(reshape(patterns, [-1]), "patterns").tolist())
        refuse(f"No files matched pattern: {texts.decode(errors='replace')}")
    dataset = Makers.from_tensor_slices(names, name=name)
    if shuffle is None or shuffle:
        dataset = dataset.shuffle(count, seed=seed, name=name)
    return dataset


def names_dataset(filenames: Any) -> DatasetV2:
    """The names of files, given as a string, as a tensor or list of them, or as a data set."""
    if isinstance(filenames, DatasetV2):
        spec = filenames.element_spec
        if not isinstance(spec, TensorSpec) or spec.dtype is not dtypes.string:
            content = spec.dtype if isinstance(spec, TensorSpec) else spec
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements. "
                f"Got a dataset of `{content!r}` elements."
            )
        if spec.shape.rank not in (0, None):
            raise TypeError(
                "The `filenames` argument must contain `tf.string` elements of shape [] (i.e. scalars). "
                f"Got a dataset of element shape {spec.shape!r}."
            )
        return filenames
    paths = os.fspath(filenames) if isinstance(filenames, os.PathLike) else filenames
    if isinstance(paths, (list, tuple)):
        paths = [os.fspath(path) if isinstance(path, os.PathLike) else path for path in paths]
        paths = convert_to_tensor(paths, None if paths else dtypes.string)
    names = convert_to_tensor(paths)
    if names.dtype is not dtypes.string:
        raise TypeError(
            "The `filenames` argument must contain `tf.string` elements. "
            f"Got `{names.dtype!r}` elements."
        )
    return Makers.from_tensor_slices(reshape(names, [-1]))


def text_of(value: Any) -> str:
    """A name such as a kind of compression, from text or a tensor of text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, (bytes, EagerTensor, np.ndarray)):
        tensor = convert_to_tensor(value)
        if tensor.dtype is dtypes.string and not tensor.ndim:
            text: bytes = static_value(tensor, "text").item()
            return text.decode(errors="surrogateescape")
    raise TypeError(f"A text was expected, but got {value!r}.")


class FileDataset(DatasetSource):
    """What the files of a list hold, one after another, or several side by side.

    Args:
        filenames: their names, as `names_dataset` takes them.
        compression_type: "GZIP", "ZLIB", or "" or None for not at all.
        buffer_size: how many bytes to read at a time.
        num_parallel_reads: how many files to read in turns, an element of each; None for one after another.
        name: accepted and ignored.
    """

    _is_public = True
    _smallest_buffer = 0

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self._names = names_dataset(filenames)
        self._compression = text_of(compression_type)
        op = type(self).__name__.removesuffix("V2")
        # 0 and None: a default size.
        self._buffer_size = optional_number(buffer_size, "buffer_size")
        if self._buffer_size < self._smallest_buffer:
            refuse(f"`buffer_size` must be >= 0, but it is {buffer_size!r}.", op=op)
        self._turns = 1
        if num_parallel_reads is not None:
            turns = parallel_calls(num_parallel_reads, "num_parallel_reads", op)
            self._turns = min(max(turns, 1), _MOST_TURNS)

    @property
    def element_spec(self) -> Any:
        """A scalar string."""
        return STRING

    def _inputs(self) -> list[DatasetV2]:
        return [self._names]

    def _records(self, name: bytes) -> Iterator[Any]:
        """The elements of one file."""
        raise NotImplementedError(f"{type(self).__name__}._records()")

    def _check_compression(self) -> None:
        if self._compression not in WINDOWS:
            refuse(
                f"Unsupported compression type: {self._compression!r}; use 'GZIP', 'ZLIB' or ''.",
                op=type(self).__name__.removesuffix("V2"),
            )

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        self._check_compression()
        return FileElements(self._names._elements(context), self._records, self._turns)

    def _opened(self, name: bytes) -> Any:
        return opened(name, self._compression, self._buffer_size)


class FileElements(Elements):
    """The elements of several files, of which some are read in turns. A file that fails is left."""

    __slots__ = ("_at", "_names", "_read", "_slots")

    def __init__(
        self, names: Iterator[Any], read: Callable[[bytes], Iterator[Any]], turns: int
    ) -> None:
        super().__init__(names)
        self._names: Iterator[Any] | None = names
        self._read = read
        self._slots: list[Iterator[Any] | None] = [None] * turns
        self._at = 0

    def __next__(self) -> Any:
        while True:
            reader = self._slots[self._at] or self._begin()
            if reader is None:
                if not any(self._slots):
                    raise StopIteration
            else:
                try:
                    element = next(reader)
                except BaseException as error:
                    self._slots[self._at] = None
                    close(reader)
                    if not isinstance(error, StopIteration):
                        raise
                else:
                    self._advance()
                    return element
            self._advance()

    def _advance(self) -> None:
        self._at = (self._at + 1) % len(self._slots)

    def _begin(self) -> Iterator[Any] | None:
        """Begin with the next file; None if there is no other."""
        if self._names is None:
            return None
        try:
            name = next(self._names)
        except StopIteration:
            self._names = None
            return None
        reader = self._slots[self._at] = self._read(static_value(name, "a file's name").item())
        return reader

    def close(self) -> None:
        """Close the files."""
        self._names = None
        for number, reader in enumerate(self._slots):
            self._slots[number] = None
            if reader is not None:
                close(reader)
        super().close()


class TextLineDatasetV2(FileDataset):
    r"""The lines of text files, without their ends ``\n`` or ``\r\n``.

    >>> tf.io.write_file("/tmp/lines.txt", "one\ntwo\n")
    >>> [line.numpy() for line in tf.data.TextLineDataset("/tmp/lines.txt")]
    [b'one', b'two']
    """

    def _records(self, name: bytes) -> Iterator[Any]:
        stream = self._opened(name)
        try:
            while line := stream.readline():
                line = line[:-1] if line.endswith(b"\n") else line
                yield string(line[:-1] if line.endswith(b"\r") else line)
        finally:
            stream.close()


class TFRecordDatasetV2(FileDataset):
    """The records of TFRecord files, which `tf.io.TFRecordWriter` writes."""

    _smallest_buffer = -1  # TensorFlow takes -1 for its own choice here

    def _records(self, name: bytes) -> Iterator[Any]:
        stream = self._opened(name)
        try:
            for record in read_records(stream):
                yield string(record)
        finally:
            stream.close()


class FixedLengthRecordDatasetV2(FileDataset):
    """The parts of files that consist of records of one length, between a header and a footer.

    Args:
        filenames: the names of the files.
        record_bytes: the length of a record.
        header_bytes, footer_bytes: how many bytes to leave out at the beginning and at the end of a file.
        buffer_size: how many bytes to read at a time.
        compression_type: "GZIP", "ZLIB", or "" or None for not at all.
        num_parallel_reads: how many files to read in turns, a record of each.
        name: accepted and ignored.
    """

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(filenames, compression_type, buffer_size, num_parallel_reads, name)
        self._size = optional_number(record_bytes, "record_bytes")
        self._header = optional_number(header_bytes, "header_bytes")
        self._footer = optional_number(footer_bytes, "footer_bytes")
        if self._size <= 0:
            refuse("`record_bytes` must be > 0", op="FixedLengthRecordDataset")
        for what, size in (("header_bytes", self._header), ("footer_bytes", self._footer)):
            if size < 0:
                refuse(f"`{what}` must be >= 0", op="FixedLengthRecordDataset")

    def _records(self, name: bytes) -> Iterator[Any]:
        stream = self._opened(name)
        try:
            if isinstance(stream, Inflated):
                yield from self._of(stream, name)
                return
            size = os.path.getsize(local(name))
            self._check(size, name, errors.InvalidArgumentError)
            stream.seek(self._header)
            for _ in range((size - self._header - self._footer) // self._size):
                record = stream.read(self._size)
                if len(record) < self._size:
                    refuse(
                        f"{name.decode(errors='replace')} has become shorter",
                        error=errors.DataLossError,
                    )
                yield string(record)
        finally:
            stream.close()

    def _check(self, size: int, name: bytes, error: type[errors.OpError]) -> None:
        body = size - self._header - self._footer
        if body < 0 or body % self._size:
            refuse(
                f"Excluding the header ({self._header} bytes) and footer ({self._footer} bytes), input file "
                f'"{name.decode(errors="replace")}" has body length {body} bytes, which is not an exact '
                f"multiple of the record length ({self._size} bytes).",
                error=error,
            )

    def _of(self, stream: Inflated, name: bytes) -> Iterator[Any]:
        """The records of a compressed file, whose size is known at its end."""
        size = len(stream.read(self._header))
        ahead = stream.read(self._footer)
        size += len(ahead)
        while part := stream.read(self._size):
            size += len(part)
            ahead += part
            if len(part) < self._size:
                break
            yield string(ahead[: self._size])
            ahead = ahead[self._size :]
        self._check(size, name, errors.DataLossError)


class DatasetWriter(Printed):
    """Writes a data set of strings to a TFRecord file.

    Args:
        filename: the file's name.
        compression_type: "GZIP", "ZLIB", or "" or None for not at all.
    """

    def __init__(self, filename: Any, compression_type: Any = None) -> None:
        self._filename = text_of(filename)
        self._compression = text_of(compression_type)

    def write(self, dataset: Any) -> None:
        """Write all elements of ``dataset``."""
        if not isinstance(dataset, DatasetV2):
            raise TypeError(
                f"Invalid `dataset.` Expected a `tf.data.Dataset` object but got {type(dataset)}."
            )
        spec = dataset.element_spec
        scalar = isinstance(spec, TensorSpec) and spec.shape.rank == 0
        if not scalar or spec.dtype is not dtypes.string:
            raise TypeError(
                "Invalid `dataset`. Expected a`dataset` that produces scalar `tf.string` elements, but got "
                f"a dataset which produces {spec!r}."
            )
        with TFRecordWriter(self._filename, self._compression) as writer:
            for record in dataset:
                writer.write(static_value(record, "a record").item())

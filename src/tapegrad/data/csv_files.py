"""Data sets of CSV files: `CsvDataset`, and `make_csv_dataset`, which makes batches by column names."""

from __future__ import annotations

import collections
import csv
import os
import zlib
from collections.abc import Iterator, Sequence
from itertools import chain, islice, pairwise
from typing import IO, Any

from tapegrad import dtypes
from tapegrad.core import EagerTensor, static_value
from tapegrad.data.arguments import listed, truth_tensor
from tapegrad.data.dataset import AUTOTUNE, DatasetV2
from tapegrad.data.files import FileDataset, FileElements, string, text_of
from tapegrad.data.iterators import Elements, IterationContext
from tapegrad.data.makers import Makers
from tapegrad.dtypes import DType, as_dtype
from tapegrad.errors import DataLossError, refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.framework.spec import TensorSpec
from tapegrad.io.csv import Form, array_of
from tapegrad.io.folders import glob
from tapegrad.ops.constants import constant

PUBLIC = {
    "data.experimental compat.v1.data.experimental": "CsvDataset=CsvDatasetV2 make_csv_dataset",
}

LARGEST_FLOAT = float(dtypes.float32.max)
INT32 = range(-(2**31), 2**31)
INT64 = range(-(2**63), 2**63)


def default_of(default: Any) -> Any:
    """A column's default as `Form` takes it: a dtype means that the column has none."""
    if isinstance(default, (DType, type)):
        return constant([], as_dtype(default))
    return default


class CsvDatasetV2(FileDataset):
    """The rows of CSV files, as tuples of scalars.

    Args:
        filenames: the names of the files.
        record_defaults: for each column that is wanted a default value, or a dtype if each row must have
            a value.
        compression_type: "GZIP", "ZLIB", or "" or None for not at all.
        buffer_size: how many bytes to read at a time.
        header: whether each file begins with a row that is left out.
        field_delim: the character between two fields.
        use_quote_delim: whether fields may be quoted with ``"``, and then hold delimiters and ends of lines.
        na_value: a text that counts as a missing value.
        select_cols: the numbers of the columns that are wanted, in order.
        exclude_cols: the numbers of those that are not.
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        header: Any = False,
        field_delim: str = ",",
        use_quote_delim: Any = True,
        na_value: str = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        super().__init__(filenames, compression_type, buffer_size)
        self._check_compression()
        if buffer_size is not None and not self._buffer_size:
            refuse("buffer_size should be positive, but it is 0.", op="CSVDataset")
        if na_value is None:
            raise ValueError("CSVDataset: `na_value` must be a string, but got None.")
        use_quote_delim = truth_tensor(use_quote_delim, "use_quote_delim", "CSVDataset")
        na_value = _text(na_value, "na_value")
        field_delim = _text(field_delim, "field_delim")
        if select_cols and exclude_cols:
            refuse("Either select_cols or exclude_cols should be empty", op="CSVDataset")
        self._columns = None if select_cols is None else _column_numbers(select_cols, "select_cols")
        self._left_out = frozenset(
            () if exclude_cols is None else _column_numbers(exclude_cols, "exclude_cols")
        )
        defaults = [
            default_of(default)
            for default in listed(record_defaults, "record_defaults", "CSVDataset")
        ]
        if not defaults:
            refuse(
                "`record_defaults` must have at least one column, but is empty.", op="CSVDataset"
            )
        self._form = Form(defaults, field_delim, use_quote_delim, na_value, None)
        self._header = truth_tensor(header, "header", "CSVDataset")

    @property
    def element_spec(self) -> Any:
        """A tuple of scalars."""
        return tuple(TensorSpec([], column.dtype) for column in self._form.columns)

    def _records(self, name: bytes) -> Iterator[Any]:
        stream = self._opened(name)
        try:
            lines = iter(stream.readline, b"")
            rows = self._rows(lines)
            if self._header:
                next(rows, None)
            yield from rows
        finally:
            stream.close()

    def _rows(self, lines: Iterator[bytes]) -> Iterator[bytes]:
        """The rows, each of which has several lines if a quoted field has."""
        for line in lines:
            while self._form.quotes and line.count(b'"') % 2:
                following = next(lines, None)
                if following is None:
                    refuse("Reached end of file without closing quoted field in record")
                line += following
            line = line[:-1] if line.endswith(b"\n") else line
            yield line[:-1] if line.endswith(b"\r") else line

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        rows = super()._elements(context)
        return CsvElements(rows, self)

    def _element(self, row: bytes) -> tuple[EagerTensor, ...]:
        form = self._form
        texts = form.split(row) or [b""]
        if self._columns is not None:
            texts = [texts[number] for number in self._columns if number < len(texts)]
        elif self._left_out:
            texts = [text for number, text in enumerate(texts) if number not in self._left_out]
        if len(texts) != len(form.columns):
            count = "more" if len(texts) > len(form.columns) else len(texts)
            refuse(f"Expect {len(form.columns)} fields but have {count} in record")
        return tuple(
            string(value)
            if column.dtype is dtypes.string
            else EagerTensor(array_of([value], column).reshape(()))
            for column, value in zip(form.columns, form.converted(texts, "record"), strict=True)
        )


def _text(value: Any, name: str) -> str:
    """``value`` as text, for the argument ``name``."""
    try:
        return text_of(value).encode(errors="surrogateescape").decode(errors="replace")
    except TypeError as error:
        raise TypeError(f"CSVDataset: `{name}` must be a string, but got {value!r}.") from error


def _column_numbers(value: Any, name: str) -> list[int]:
    """The numbers of columns that a user gave.

    Raises:
        TypeError: they are no whole numbers.
        ValueError: they become no tensor of int64.
        InvalidArgumentError: they are no vector, or one is negative.
    """
    try:
        tensor = convert_to_tensor(value, dtypes.int64)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"CSVDataset: `{name}` must be a list of numbers of columns, but got {value!r}."
        ) from error
    if tensor.ndim != 1:
        refuse(f"`{name}` must be a vector, but it has the shape {tensor.shape}.", op="CSVDataset")
    numbers: list[int] = static_value(tensor, name).tolist()
    if numbers and min(numbers) < 0:
        refuse(f"`{name}` must not be negative, but got {numbers}.", op="CSVDataset")
    if any(first >= second for first, second in pairwise(numbers)):
        refuse(f"`{name}` should be strictly increasing, but got {numbers}.", op="CSVDataset")
    return numbers


class CsvElements(Elements):
    """The rows of files as elements. After an error the next row can be read."""

    __slots__ = ("_dataset", "_rows")

    def __init__(self, rows: Iterator[Any], dataset: CsvDatasetV2) -> None:
        super().__init__(rows)
        self._rows = rows
        self._dataset = dataset

    def __next__(self) -> Any:
        return self._dataset._element(next(self._rows))


# --- Batches by the names of columns --------------------------------------------------------------------


def files_of(file_pattern: Any) -> list[str]:
    """The names of the files that match, sorted.

    Raises:
        ValueError: there is none.
    """
    names = glob(file_pattern)
    if not names:
        raise ValueError(f"No files match `file_pattern` {file_pattern}.")
    # TensorFlow's names have no ./ here.
    return sorted(name.removeprefix("./") for name in names)


def rows_of(
    name: str, encoding: str, delimiter: str, quotes: bool, compression: str | None
) -> Iterator[list[str]]:
    """The rows of a file as Python reads them: for its header, and to find out what its columns hold."""
    with opened(name, encoding, compression) as file:
        rows = csv.reader(
            file, delimiter=delimiter, quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
        )
        while True:
            try:
                row = next(rows, None)
            except (EOFError, OSError, zlib.error) as error:  # by the module gzip
                refuse(f"{name} is damaged: {error}", error=DataLossError)
            if row is None:
                return
            yield row


def opened(name: str, encoding: str, compression: str | None) -> IO[str]:
    """A file, opened as text."""
    with as_tf_errors(name):
        if compression == "GZIP":
            import gzip

            return gzip.open(name, "rt", encoding=encoding, newline="")
        return open(name, newline="", encoding=encoding)


def column_names_in(
    names: Sequence[str], encoding: str, delimiter: str, quotes: bool, compression: str | None
) -> list[str]:
    """The header that all files have."""
    columns: list[str] | None = None
    for name in names:
        rows = rows_of(name, encoding, delimiter, quotes, compression)
        header = None if os.path.isdir(name) else next(rows, None)
        if header is None:
            raise ValueError(f"Failed when reading the header line of {name}. Is it an empty file?")
        if columns is not None and header != columns:
            raise ValueError(
                "All input CSV files should have the same column names in the header row. "
                f"File {name} has different column names."
            )
        columns = header
    return columns or []


def type_of(text: str, missing: str, before: DType | None) -> DType | None:
    """The narrowest dtype of a column that holds ``text`` and what it held ``before``."""
    if text in ("", missing):
        return before
    order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64, dtypes.string]
    start = order.index(before) if before is not None else 0
    for dtype in order[start:]:
        try:
            if dtype.is_integer and int(text) in (INT32 if dtype is dtypes.int32 else INT64):
                return dtype
            if dtype is dtypes.float64:
                float(text)
                return dtype
            if dtype is dtypes.float32 and abs(float(text)) <= LARGEST_FLOAT:
                return dtype
        except ValueError:
            continue
    return dtypes.string


def selected_columns(names: list[str], chosen: Any) -> list[int]:
    """The numbers of the columns that are chosen by their numbers or names, in order."""
    if chosen is None:
        return list(range(len(names)))
    numbers = []
    for column in chosen:
        if isinstance(column, int):
            if not 0 <= column < len(names):
                raise ValueError(
                    f"Column index {column} specified in `select_columns` should be between 0 and "
                    f"{len(names) - 1}."
                )
            numbers.append(column)
        elif column in names:
            numbers.append(names.index(column))
        else:
            raise ValueError(
                f"Column {column} specified in `select_columns` must be of one of the columns: {names}."
            )
    if len(set(numbers)) != len(numbers):
        raise ValueError("`select_columns` contains duplicate columns.")
    return sorted(numbers)


def make_csv_dataset(
    file_pattern: Any,
    batch_size: int,
    column_names: Any = None,
    column_defaults: Any = None,
    label_name: str | None = None,
    select_columns: Any = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> DatasetV2:
    """Batches of rows of CSV files, as dicts of columns; with ``label_name``, as pairs of such a dict and the
    column of labels.

    Args:
        file_pattern: a pattern of names of files, or a list of patterns.
        batch_size: how many rows a batch has.
        column_names: the names of all columns, unless the files have a header with them.
        column_defaults: for each column that is wanted a default value, or a dtype. If it is left out, the
            first rows show what the columns hold.
        label_name: the column that comes apart from the others.
        select_columns: numbers or names of the columns that are wanted.
        field_delim, use_quote_delim, na_value: as for `CsvDataset`.
        header: whether each file begins with the names of the columns.
        num_epochs: how often to go through the files; without end if it is None.
        shuffle, shuffle_buffer_size, shuffle_seed: whether and how to put the rows in random order.
        prefetch_buffer_size: how many batches to make ahead.
        num_parallel_reads: how many files to read in turns, a row of each.
        sloppy: accepted, and of no effect: the order is always the same.
        num_rows_for_inference: how many rows of each file to look at; None for all.
        compression_type: "GZIP", "ZLIB", or "" or None for not at all.
        ignore_errors: whether rows that cannot be read are left out.
        encoding: that of the header, and of the rows that are looked at.
    """
    names = files_of(file_pattern)
    known = column_names is not None and column_defaults is not None
    if not known and compression_type not in (None, "", "GZIP"):
        raise ValueError(
            f"With `compression_type={compression_type!r}`, `column_names` and `column_defaults` must be "
            "given: only files that are not compressed, and those of GZIP, are looked at to find them out."
        )
    if column_names is None:
        if not header:
            raise ValueError("Expected `column_names` or `header` arguments. Neither is provided.")
        column_names = column_names_in(
            names, encoding, field_delim, use_quote_delim, compression_type
        )
    column_names = distinct_names(column_names)
    numbers = selected_columns(column_names, select_columns)
    if column_defaults is None:
        rows = chain.from_iterable(
            first_rows(
                rows_of(os.fspath(name), encoding, field_delim, use_quote_delim, compression_type),
                header,
                num_rows_for_inference,
            )
            for name in names
        )
        column_defaults = inferred_defaults(rows, numbers, len(column_names), na_value)
    if len(column_defaults) != len(numbers):
        raise ValueError(
            "If specified, `column_defaults` and `select_columns` must have the same length: "
            f"`column_defaults` has length {len(column_defaults)}, `select_columns` has length "
            f"{len(numbers)}."
        )
    wanted = [column_names[number] for number in numbers]
    if label_name is not None and label_name not in wanted:
        raise ValueError(
            f"`label_name` provided must be one of the columns: {wanted}. Received: {label_name}."
        )

    def rows_in(name: Any) -> DatasetV2:
        dataset: DatasetV2 = CsvDatasetV2(
            name,
            column_defaults,
            compression_type,
            header=header,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            select_cols=numbers,
        )
        return dataset.ignore_errors() if ignore_errors else dataset

    def by_name(*columns: Any) -> Any:
        features = collections.OrderedDict(zip(wanted, columns, strict=True))
        return features if label_name is None else (features, features.pop(label_name))

    files: DatasetV2 = Makers.from_tensor_slices(names)
    if shuffle:
        files = files.shuffle(len(names), shuffle_seed)
    dataset: DatasetV2 = RowsInTurns(files, rows_in, max(num_parallel_reads or 1, 1))
    dataset = repeated_and_shuffled(dataset, shuffle, shuffle_buffer_size, shuffle_seed, num_epochs)
    # Only an endless data set has batches of one size alone.
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None).map(by_name)
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


def distinct_names(column_names: Any) -> list[str]:
    """The names as a list.

    Raises:
        ValueError: a name occurs twice.
    """
    names = [*column_names]
    repeated = {name for name, count in collections.Counter(names).items() if count > 1}
    if repeated:
        raise ValueError(
            "Either `column_names` argument or CSV header row contains duplicate column names: "
            f"{repeated}."
        )
    return names


def first_rows(rows: Iterator[list[str]], header: bool, count: int | None) -> Iterator[list[str]]:
    """The first ``count`` rows after the header; all rows if it is None."""
    return islice(rows, int(header), None if count is None else max(count, 0) + int(header))


def inferred_defaults(
    rows: Iterator[list[str]], numbers: list[int], width: int, na_value: str
) -> list[Any]:
    """Defaults of the columns with these numbers, of the smallest dtypes that hold all their texts.

    Rows with another number of columns than ``width`` are not looked at.
    """
    types: list[DType | None] = [None] * len(numbers)
    for row in rows:
        if len(row) == width:
            texts = [row[number] for number in numbers]
            types = [
                type_of(text, na_value, before) for text, before in zip(texts, types, strict=True)
            ]
    kinds = [dtype or dtypes.string for dtype in types]
    return [constant([b"" if dtype is dtypes.string else 0], dtype) for dtype in kinds]


def repeated_and_shuffled(
    dataset: DatasetV2, shuffle: bool, buffer_size: int, seed: int | None, epochs: int | None
) -> DatasetV2:
    """The data set, several times over, in random order if ``shuffle``."""
    if shuffle:
        dataset = dataset.shuffle(buffer_size, seed)
    return dataset if epochs == 1 else dataset.repeat(epochs)


class RowsInTurns(FileDataset):
    """The elements of the data sets that a function makes of names of files, some of them in turns."""

    def __init__(self, names: DatasetV2, make: Any, turns: int) -> None:
        super().__init__(names, num_parallel_reads=turns)
        self._make = make
        self._spec = make("").element_spec

    @property
    def element_spec(self) -> Any:
        """The specs of a row."""
        return self._spec

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        def rows(name: bytes) -> Iterator[Any]:
            elements: Iterator[Any] = self._make(name)._elements(context)
            return elements

        return FileElements(self._names._elements(context), rows, self._turns)

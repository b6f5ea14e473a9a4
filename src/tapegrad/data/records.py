"""Data sets of records with features, and of what a data base answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any
from urllib.parse import quote

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor
from tapegrad.data.csv_files import RowsInTurns, repeated_and_shuffled
from tapegrad.data.dataset import AUTOTUNE, DatasetSource, DatasetV2
from tapegrad.data.files import TFRecordDatasetV2, list_files, string, text_of
from tapegrad.data.iterators import IterationContext
from tapegrad.dtypes import as_dtype
from tapegrad.errors import refuse
from tapegrad.framework.spec import TensorSpec
from tapegrad.io.parsing import check_features, parse_example

PUBLIC = {
    "data.experimental compat.v1.data.experimental": (
        "SqlDataset=SqlDatasetV2 make_batched_features_dataset parse_example_dataset"
    ),
}


def parse_example_dataset(
    features: Any, num_parallel_calls: int = 1, deterministic: bool | None = None
) -> Callable[[DatasetV2], DatasetV2]:
    """`tf.io.parse_example` of each batch of records, for `tf.data.Dataset.apply`.

    Args:
        features: the dict of names and features, as `tf.io.parse_example` takes it.
        num_parallel_calls: how many batches are parsed at once, in threads.
        deterministic: whether the order is always the same; None leaves that to the data set's options.
    """
    features = check_features(features)
    return lambda dataset: dataset.map(
        lambda serialized: parse_example(serialized, features), num_parallel_calls, deterministic
    )


def make_batched_features_dataset(
    file_pattern: Any,
    batch_size: int,
    features: Any,
    reader: Any = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> DatasetV2:
    """Batches of the features of records, each a serialized `tf.train.Example`.

    Args:
        file_pattern: a pattern of names of files, or a list of patterns.
        batch_size: how many records a batch has.
        features: what is wanted of the records, as for `tf.io.parse_example`.
        reader: makes a data set of records of the name of a file; `tf.data.TFRecordDataset` by default.
        label_key: the feature that comes apart from the others.
        reader_args: further arguments of ``reader``.
        num_epochs: how often to go through the files; without end if it is None.
        shuffle, shuffle_buffer_size, shuffle_seed: whether and how to put the records in random order.
        prefetch_buffer_size: how many batches to make ahead.
        reader_num_threads: how many files to read in turns, a record of each.
        parser_num_threads: how many batches to parse at the same time.
        sloppy_ordering: accepted, and of no effect: the order is always the same.
        drop_final_batch: whether to leave out a last batch that is smaller.
    """
    features = check_features(features)
    if label_key is not None and label_key not in features:
        raise ValueError(
            f"The `label_key` provided ({label_key}) must be one of the `features` keys: {features.keys()}."
        )
    make = TFRecordDatasetV2 if reader is None else reader
    files = list_files(file_pattern, shuffle, shuffle_seed)
    arguments = reader_args or []
    dataset: DatasetV2 = RowsInTurns(
        files, lambda name: make(name, *arguments), max(reader_num_threads or 1, 1)
    )
    dataset = repeated_and_shuffled(dataset, shuffle, shuffle_buffer_size, shuffle_seed, num_epochs)
    dataset = dataset.batch(batch_size, drop_remainder=drop_final_batch or num_epochs is None)
    dataset = dataset.apply(parse_example_dataset(features, parser_num_threads or 2))
    if label_key is not None:
        dataset = dataset.map(lambda features: (features, features.pop(label_key)))
    return dataset.prefetch(AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)


SQL_TYPES = (
    *(dtypes.string, dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8),
    *(dtypes.uint16, dtypes.bool, dtypes.float64),
)


class SqlDatasetV2(DatasetSource):
    """The rows that a query gives, as tuples of scalars.

    Args:
        driver_name: "sqlite".
        data_source_name: the name of the file of the data base.
        query: the query.
        output_types: the dtypes of the columns: strings, integers, bool or float64.
    """

    _is_public = True

    def __init__(
        self, driver_name: Any, data_source_name: Any, query: Any, output_types: Any
    ) -> None:
        super().__init__()
        self._driver = text_of(driver_name)
        self._source = text_of(data_source_name)
        self._query = text_of(query)
        kinds = output_types if isinstance(output_types, (tuple, list)) else (output_types,)
        self._types = tuple(as_dtype(kind) for kind in kinds)
        if any(kind not in SQL_TYPES for kind in self._types):
            names = ", ".join(kind.name for kind in SQL_TYPES)
            refuse(f"Each element of `output_types` must be one of: {names}", op="SqlDataset")

    @property
    def element_spec(self) -> Any:
        """A tuple of scalars."""
        return tuple(TensorSpec([], dtype) for dtype in self._types)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        if self._driver != "sqlite":
            refuse(
                f"The database type, {self._driver}, is not supported by SqlDataset. "
                "The set of supported databases is: {'sqlite'}.",
                op="SqlDataset",
            )
        # Some builds of Python lack it.
        sqlite = import_module("sqlite3")
        address = f"file:{quote(self._source)}?mode=ro"
        try:
            connection = sqlite.connect(address, uri=True, check_same_thread=False)
        except sqlite.Error as error:
            refuse(f"Sqlite::Open({self._source}) failed: {error}", op="SqlDataset")
        try:
            try:
                cursor = connection.execute(self._query)
            except sqlite.Error as error:
                refuse(
                    f"Prepare() failed: {error}: {self._query}",
                    op="SqlDataset",
                    error=errors.UnknownError,
                )
            columns = len(cursor.description or ())
            if columns != len(self._types):
                refuse(
                    f"The number of columns in query ({columns}) must match the number of elements in "
                    f"output_types ({len(self._types)}).",
                    op="SqlDataset",
                )
            while True:
                try:
                    row = next(cursor, None)
                except (sqlite.Error, OverflowError, UnicodeDecodeError) as error:
                    refuse(f"{self._source}: {error}", op="SqlDataset", error=errors.UnknownError)
                if row is None:
                    return
                yield tuple(
                    scalar(value, dtype) for value, dtype in zip(row, self._types, strict=True)
                )
        finally:
            connection.close()


def scalar(value: Any, dtype: dtypes.DType) -> EagerTensor:
    """What a data base holds as a scalar of a dtype: other things become what SQLite makes of them."""
    if dtype is dtypes.string:
        if value is None:
            return string(b"")
        return string(value if isinstance(value, bytes) else str(value).encode())
    if isinstance(value, (str, bytes)):
        try:
            value = float(value)
        except ValueError:
            value = 0
    number = 0 if value is None else value
    if dtype is dtypes.float64:
        return EagerTensor(np.array(number, np.float64))
    if dtype is dtypes.bool:
        return EagerTensor(np.array(int(number) != 0))
    # Of integers that are too large the lowest bits are left.
    whole = np.array(int(number) & (2**64 - 1), np.uint64)
    return EagerTensor(whole.astype(dtype.numpy_dtype))

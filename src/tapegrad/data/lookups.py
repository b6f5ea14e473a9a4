"""Lookup tables that are filled from data sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor
from tapegrad.data.dataset import DatasetV2
from tapegrad.dtypes import DType
from tapegrad.framework.printed import Printed
from tapegrad.ops.constants import constant
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.joining import stack
from tapegrad.tables import KeyValueTensorInitializer, StaticHashTable, StaticVocabularyTable

PUBLIC = {
    "data.experimental compat.v1.data.experimental": (
        "DatasetInitializer index_table_from_dataset table_from_dataset"
    ),
}


class DatasetInitializer(Printed):
    """Fills a table with the elements of a data set, which are pairs of a key and a value.

    >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], [1, 2]))
    >>> table = tf.lookup.StaticHashTable(tf.data.experimental.DatasetInitializer(pairs), -1)
    >>> table.lookup(tf.constant(["b", "z"])).numpy()
    array([ 2, -1], dtype=int32)
    """

    def __init__(self, dataset: DatasetV2) -> None:
        spec = dataset.element_spec
        if not (isinstance(spec, tuple) and len(spec) == 2):
            raise TypeError(
                "DatasetInitializer takes a data set of pairs of a key and a value, but the elements "
                f"are {spec}."
            )
        self._dataset = dataset
        self._specs = spec

    @property
    def key_dtype(self) -> DType:
        """The dtype of the keys."""
        dtype: DType = self._specs[0].dtype
        return dtype

    @property
    def value_dtype(self) -> DType:
        """The dtype of the values."""
        dtype: DType = self._specs[1].dtype
        return dtype

    def initialize(self, table: Any) -> None:
        """Fill ``table``, which a table does that is made with this initializer."""
        pairs = list(self._dataset)
        if not pairs:
            return
        keys, values = zip(*pairs, strict=True)
        KeyValueTensorInitializer(stack(keys), stack(values)).initialize(table)


def table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: Any = 0,
    vocab_size: Any = None,
    default_value: Any = None,
    hasher_spec: Any = None,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> StaticHashTable | StaticVocabularyTable:
    """A table of the pairs of a data set.

    >>> pairs = tf.data.Dataset.from_tensor_slices((["a", "b"], tf.constant([0, 1], tf.int64)))
    >>> table = tf.data.experimental.table_from_dataset(pairs, num_oov_buckets=1)
    >>> table.lookup(tf.constant(["b", "z"])).numpy()
    array([1, 2])

    Args:
        dataset: pairs of a key and a value.
        num_oov_buckets: how many further numbers there are for keys that are not in the data set.
        vocab_size: how many pairs to take; all by default.
        default_value: the value of such keys, if ``num_oov_buckets`` is 0.
        hasher_spec: of no effect: keys that are not in the data set get their numbers by TensorFlow's fast
            hash.
        key_dtype: the dtype of the keys.
    """
    for name, number in (("num_oov_buckets", num_oov_buckets), ("vocab_size", vocab_size)):
        if number is None and name == "vocab_size":
            continue
        if not isinstance(number, (int, float, np.number, Tensor)) or np.ndim(number):
            raise TypeError(f"`{name}` must be a whole number, but got {number!r}.")
    if num_oov_buckets < 0:
        raise ValueError(
            f"`num_oov_buckets` must be greater than or equal to 0, got {num_oov_buckets}."
        )
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    dtype = dtypes.as_dtype(key_dtype)
    if not (dtype.is_integer or dtype is dtypes.string):
        raise TypeError(f"`key_dtype` must be either an integer or string type, but got {dtype!r}")
    if not isinstance(dataset, DatasetV2):
        raise TypeError(f"A table is made from a data set of pairs, but got {dataset!r}.")
    if isinstance(vocab_size, Tensor):
        vocab_size = cast(vocab_size, dtypes.int64)
    initializer = DatasetInitializer(dataset if vocab_size is None else dataset.take(vocab_size))
    if num_oov_buckets:
        return StaticVocabularyTable(initializer, num_oov_buckets, lookup_key_dtype=dtype)
    if default_value is None:
        default_value = _nothing(initializer.value_dtype)
    return StaticHashTable(initializer, default_value)


def _nothing(dtype: DType) -> Tensor:
    """The value of keys that are not there: -1."""
    if dtype is dtypes.string:
        raise ValueError(
            "`default_value` must be specified when creating a table from a dataset that produces "
            f"values of type {dtype!r}."
        )
    return constant(-1, dtype)


def index_table_from_dataset(
    dataset: Any = None,
    num_oov_buckets: Any = 0,
    vocab_size: Any = None,
    default_value: Any = -1,
    hasher_spec: Any = None,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
) -> StaticHashTable | StaticVocabularyTable:
    """A table of the numbers of the elements of a data set.

    >>> words = tf.data.Dataset.from_tensor_slices(["a", "b"])
    >>> tf.data.experimental.index_table_from_dataset(words).lookup(tf.constant(["b", "z"])).numpy()
    array([ 1, -1])

    Args:
        dataset: a data set of keys.
        num_oov_buckets: how many further numbers there are for keys that are not in the data set.
        vocab_size: how many keys to take; None for all.
        default_value: the number of such keys, if ``num_oov_buckets`` is 0.
        hasher_spec: of no effect: such keys get one of the further numbers by TensorFlow's fast hash.
        key_dtype: the dtype of the keys: of integers, or tf.string.
    """
    if not isinstance(dataset, DatasetV2):
        raise TypeError(f"A table is made from a data set of keys, but got {dataset!r}.")
    pairs = dataset.enumerate().map(lambda number, key: (key, number))
    return table_from_dataset(
        pairs, num_oov_buckets, vocab_size, default_value, hasher_spec, key_dtype, name
    )

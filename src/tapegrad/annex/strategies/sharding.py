"""Data sets that are divided among processes: by data or by file."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.strategies.datasets import (
    DistributedDataset,
    DistributedIterator,
    DividingIterator,
    divided,
    empty_like,
    spec_of_parts,
)
from tapegrad.data.combine import InnerDatasets
from tapegrad.data.dataset import UNKNOWN, DatasetV2, UnaryDataset
from tapegrad.data.files import FileDataset
from tapegrad.data.functions import DataFunction
from tapegrad.data.options import AutoShardPolicy
from tapegrad.data.shuffle import ShuffleDataset
from tapegrad.framework import nest
from tapegrad.framework.random_state import non_deterministic_integers
from tapegrad.framework.spec import TensorSpec


class WorkersDataset(DistributedDataset):
    """A data set that is divided among the replicas of processes.

    By data: all processes read the whole of it, and each takes its part of every batch. By file: each
    process reads files of its own, in batches of its own size; a process whose files come to an end before
    those of the others gets batches without examples.

    Args:
        dataset: what gives the elements.
        strategy: the strategy whose replicas take them.
        group: the ranks that share the data set.
        shared: whether one data set is divided. Otherwise each process has made its own.
    """

    def __init__(self, dataset: Any, strategy: Any, group: Any, shared: bool = True) -> None:
        self._strategy = strategy
        self._group = group
        self._divided = False
        self._uneven = True
        if shared:
            policy = dataset.options().experimental_distribute.auto_shard_policy
            count = strategy.num_replicas_in_sync
            files = files_of(dataset) if policy is not AutoShardPolicy.OFF else None
            by_file = policy is AutoShardPolicy.FILE or (
                policy is AutoShardPolicy.AUTO and files is not None and files >= count
            )
            if by_file:
                if files is None or files < count:
                    raise ValueError(
                        f"AutoShardPolicy.FILE gives each of {count} processes files of its own; the data "
                        f"set reads {files or 'no'} files. Use AutoShardPolicy.DATA."
                    )
                dataset = smaller_batches(sharded_files(dataset, count, group.rank), count)
            elif policy is AutoShardPolicy.OFF:
                dataset = smaller_batches(dataset, count)
            else:
                self._alike = Alike(dataset, group)
                dataset = self._alike.dataset
                self._divided = True
                self._uneven = False
        self._dataset = dataset
        self._element_spec = dataset.element_spec
        if self._divided:
            count = strategy.num_replicas_in_sync
            self._element_spec = nest.map_structure(
                lambda spec: spec_of_parts(spec, count, True)._value_specs[0], dataset.element_spec
            )

    def __iter__(self) -> DistributedIterator:
        if self._divided:
            self._alike.begin()
        return WorkersIterator(self)


class WorkersIterator(DividingIterator):
    """An iterator that gives this process its part of each element."""

    _last: Any = None

    def __next__(self) -> Any:
        group = self._owner._group
        if not self._owner._uneven:
            count = group.size
            element = next(self._iterator)
            return nest.map_structure(lambda leaf: divided(leaf, count)[group.rank], element)
        try:
            element = self._last = next(self._iterator)
            here = 1
        except StopIteration:
            here = 0
        if not group.all_reduce(np.array([here], np.int32), "max")[0]:
            raise StopIteration
        if here:
            return element
        if self._last is None:
            return nest.map_structure(empty_of, self._owner._dataset.element_spec)
        return nest.map_structure(empty_like, self._last)


def empty_of(spec: Any) -> Any:
    """A batch without examples, of what ``spec`` describes."""
    shape = [0, *[size or 0 for size in spec.shape.as_list()[1:]]]
    return empty_like(np.zeros([1, *shape[1:]], spec.dtype.numpy_dtype))


def files_of(dataset: DatasetV2) -> int | None:
    """How many files the data set reads; None if it reads none, or the number is unknown."""
    names = names_below(dataset)
    if names is None:
        return None
    count = int(names.cardinality())
    return None if count == UNKNOWN else count


def names_below(dataset: DatasetV2) -> DatasetV2 | None:
    """The data set of the names of the files that ``dataset`` reads."""
    if isinstance(dataset, FileDataset):
        return dataset._names
    if isinstance(dataset, InnerDatasets) and is_of_text(dataset._input):
        return dataset._input
    return names_below(dataset._input) if isinstance(dataset, UnaryDataset) else None


def is_of_text(dataset: DatasetV2) -> bool:
    """Whether the elements are single texts: where each is made a data set, they are names of files."""
    spec = dataset.element_spec
    return isinstance(spec, TensorSpec) and spec.dtype is dtypes.string and spec.shape.rank == 0


def sharded_files(dataset: Any, count: int, index: int) -> Any:
    """The data set, with every ``count``-th file from the one with the number ``index``."""
    sharded = copy.copy(dataset)
    if isinstance(dataset, FileDataset):
        sharded._names = dataset._names.shard(count, index)
        return sharded
    if isinstance(dataset, InnerDatasets) and is_of_text(dataset._input):
        sharded._input = dataset._input.shard(count, index)
    else:
        sharded._input = sharded_files(dataset._input, count, index)
    sharded._input_datasets = (sharded._input,)
    return sharded


class Alike:
    """A data set that gives the same elements in all processes, in the same order.

    What it draws without a seed, to shuffle or in functions, all processes draw as the first one would.
    """

    def __init__(self, dataset: Any, group: Any) -> None:
        self._shuffles: list[ShuffleDataset] = []
        self._functions: list[DataFunction] = []
        self._passes = 0
        self.dataset = self._copied(dataset)
        generators = [shuffle._generator for shuffle in self._shuffles]
        if generators or self._functions:
            seed = non_deterministic_integers(1)[0] >> 2
            generators, self._seed = group.all_objects((generators, seed))[0]
        for shuffle, generator in zip(self._shuffles, generators, strict=True):
            shuffle._generator = generator

    def _copied(self, dataset: Any) -> Any:
        copied = copy.copy(dataset)
        if isinstance(dataset, UnaryDataset):
            copied._input = self._copied(dataset._input)
            copied._input_datasets = (copied._input,)
        if isinstance(copied, ShuffleDataset):
            self._shuffles.append(copied)
        for name, value in vars(dataset).items():
            if isinstance(value, DataFunction) and value.seed is None:
                function = copy.copy(value)
                setattr(copied, name, function)
                self._functions.append(function)
        return copied

    def begin(self) -> None:
        """Take new seeds for another pass."""
        self._passes += 1
        for number, function in enumerate(self._functions):
            function.seed = self._seed + self._passes * len(self._functions) + number


def smaller_batches(dataset: Any, count: int) -> Any:
    """The data set in batches of a size for one of ``count`` replicas."""
    sizes = {
        spec.shape[0]
        for spec in nest.flatten(dataset.element_spec)
        if isinstance(spec, TensorSpec) and spec.shape.rank
    }
    size = batch_size(dataset)
    if size is None and len(sizes) == 1:
        (size,) = sizes
    if size is None:
        raise ValueError(
            "A strategy of several processes divides batches among its replicas: call batch() on the data "
            "set before experimental_distribute_dataset()."
        )
    return dataset.rebatch(-(-size // count))


def batch_size(dataset: Any) -> int | None:
    """How many examples a batch has, where a `batch` says so."""
    while isinstance(dataset, UnaryDataset):
        size = getattr(dataset, "_batch_size", None)
        if size is not None:
            return int(size)
        dataset = dataset._input
    return None

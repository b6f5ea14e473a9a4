"""Elements kept in files: ``Dataset.cache(filename)``, ``save`` and ``load``, ``snapshot``.

The formats are ours, and TensorFlow reads none of them: TFRecord files whose records are elements, each a
list of `TensorProto`, and a JSON file with the spec of the elements. Incomplete data is not read.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable, Iterator
from typing import Any

from tapegrad import dtypes, errors
from tapegrad.core import static_value
from tapegrad.data import structure
from tapegrad.data.arguments import check_callable
from tapegrad.data.dataset import DatasetSource, DatasetV2, UnaryUnchangedStructureDataset
from tapegrad.data.encoding import decoded, described, encoded, spec_from
from tapegrad.data.files import FileElements, text_of
from tapegrad.data.iterators import Elements, IterationContext, close, refuse_after_fork
from tapegrad.data.makers import Makers
from tapegrad.data.specs import DatasetSpec
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.io.atomic import (
    Transaction,
    checked_json,
    create_file,
    free_names,
    json_with_checksum,
    remove_plain,
    remove_same,
    retry_if_replaced,
)
from tapegrad.io.paths import local
from tapegrad.io.records import NewFileWriter, opened, read_records

PUBLIC = {
    "data.experimental compat.v1.data.experimental": (
        "load=load_saved save=save_dataset snapshot=snapshot_of"
    ),
}

Function = Callable[..., Any]

# TensorFlow compresses with snappy by default; here that is zlib, whose fastest level is near it.
COMPRESSIONS = {
    None: "",
    "": "",
    "NONE": "",
    "GZIP": "GZIP",
    "ZLIB": "ZLIB",
    "AUTO": "",
    "SNAPPY": "ZLIB",
}
SPEC_FILE = "dataset_spec.json"
VERSION = 2
VERSIONS = (1, 2)  # version 1 has no checksums, and names no data file of a cache
RUN = re.compile(r"run-[0-9]+-[0-9a-f]{16}")
SHARD = re.compile(r"[0-9]{8,20}\.snapshot")


def compression_of(name: str | None) -> str:
    if name is not None and not isinstance(name, (str, bytes)):
        raise TypeError(f"compression must be a string or None, not {name!r}.")
    if name not in COMPRESSIONS:
        raise ValueError(
            f"compression must be 'GZIP', 'ZLIB', 'SNAPPY', 'AUTO', '' or None, not {name!r}."
        )
    return COMPRESSIONS[name]


def read_json(path: str) -> dict[str, Any]:
    """The content of a JSON file of this module."""
    try:
        with as_tf_errors(path), open(path, "rb") as file:
            content = checked_json(file.read())
    except (ValueError, RecursionError) as error:
        refuse(f"{path} is damaged: {error}", error=errors.DataLossError)
    if not isinstance(content, dict) or content.get("version") not in VERSIONS:
        refuse(f"{path} is not of a version that can be read here.", error=errors.DataLossError)
    return content


def spec_in(content: dict[str, Any], path: str) -> Any:
    """The spec of the elements, as `described` wrote it."""
    try:
        return spec_from(content["spec"])
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        refuse(f"{path} is damaged: the spec is none ({error})", error=errors.DataLossError)


def is_name(value: Any) -> bool:
    """Whether a value is a plain file name, without a path to another folder."""
    return isinstance(value, str) and os.path.basename(value) == value not in ("", ".", "..")


def read_elements(path: str, compression: str, spec: Any, count: int | None) -> Iterator[Any]:
    """The elements in a file. ``count`` is their number, or None if it is not stored.

    Each record has a checksum of its own. The count tells a file that ends too early, between two records.
    """
    stream = opened(path, compression)
    count_read = 0
    try:
        for record in read_records(stream):
            count_read += 1
            yield decoded(record, spec)
    except errors.DataLossError as error:
        refuse(f"{path} is damaged: {error.message}", error=errors.DataLossError)
    finally:
        stream.close()
    if count is not None and count_read != count:
        refuse(
            f"{path} is damaged: it has {count_read} elements, and {count} were written.",
            error=errors.DataLossError,
        )


# --- Caches ---------------------------------------------------------------------------------------------


class FileCacheDataset(UnaryUnchangedStructureDataset):
    """The elements of a data set, which its first whole pass writes to a file that later ones read."""

    _is_public = True
    _printed = "CacheDataset"

    def __init__(self, input_dataset: DatasetV2, filename: Any, name: str | None = None) -> None:
        super().__init__(input_dataset, name=name)
        self._path = local(text_of(filename))

    def _cardinality(self) -> int:
        return self._input._cardinality()

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        if os.path.exists(f"{self._path}.index"):
            return self._read()
        return Caching(self._path, self.element_spec, self._input._elements(context))

    def _read(self) -> Iterator[Any]:
        index = f"{self._path}.index"
        kept = read_json(index)
        spec = spec_in(kept, self._path)
        if not structure.compatible(spec, self.element_spec):
            refuse(
                f"The cache {self._path} holds elements of {spec!r}, and not of {self.element_spec!r}: "
                "delete its files, or use another name.",
                op="CacheDataset",
            )
        name = kept.get("data", os.path.basename(f"{self._path}.data-00000-of-00001"))
        count = kept.get("count")
        if not is_name(name) or (count is None if kept["version"] > 1 else count is not None):
            refuse(f"{index} is damaged: it names no file of data.", error=errors.DataLossError)
        path = os.path.join(os.path.dirname(self._path), name)
        yield from read_elements(path, "", self.element_spec, count)


LONGEST_OWNER = 512
WRITING = "This iterator was writing to a file"


class Caching(Elements):
    """A pass that writes its elements to a file. The file is kept if the pass reaches its end.

    An element that fails is left out, and the pass goes on with the next one.
    """

    __slots__ = (
        "_count",
        "_ended",
        "_input",
        "_lock",
        "_own_lock",
        "_path",
        "_process",
        "_spec",
        "_transaction",
        "_writer",
    )  # fmt: skip

    def __init__(self, path: str, spec: Any, elements: Iterator[Any]) -> None:
        super().__init__(elements)
        self._path, self._lock = path, f"{path}_0.lockfile"
        self._ended = False
        self._process = os.getpid()
        self._spec = spec
        self._input = elements
        self._count = 0
        self._transaction = Transaction(os.path.dirname(path))
        self._writer: NewFileWriter | None = None

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        if self._writer is None:
            self._writer, self._process = self._opened(), os.getpid()
        elif self._process != os.getpid():
            refuse_after_fork(WRITING)
        try:
            element = next(self._input)
        except StopIteration:
            self._keep(self._writer)
            raise
        self._writer.write(encoded(element, self._spec))
        self._count += 1
        return element

    def _opened(self) -> NewFileWriter:
        self._own_lock = take_lock(self._lock)
        try:
            with as_tf_errors(self._path):
                return NewFileWriter(self._transaction.new_file(), "")
        except BaseException:
            try:
                self._transaction.roll_back()
            finally:
                remove_same(self._lock, self._own_lock)
            raise

    def _keep(self, writer: NewFileWriter) -> None:
        name = os.path.basename(self._path)
        try:
            writer.close()
            with as_tf_errors(self._path), self._transaction.locked():
                kept = {
                    "version": VERSION,
                    "spec": described(self._spec),
                    "data": self._transaction.place(
                        writer.new_file, free_names(name, ".data-00000-of-00001")
                    ),
                    "count": self._count,
                }
                self._transaction.commit(f"{name}.index", json_with_checksum(kept))
        finally:
            self.close()

    def close(self) -> None:
        super().close()
        self._ended = True
        writer, self._writer = self._writer, None
        # A fork's child leaves the files to its parent.
        if writer is not None and self._process == os.getpid():
            try:
                self._transaction.roll_back()
            finally:
                remove_same(self._lock, self._own_lock)

    def __del__(self) -> None:
        self.close()


def take_lock(path: str) -> tuple[int, int]:
    """Make a file that says which process writes the cache. Returns the argument of `remove_same`.

    Raises:
        AlreadyExistsError: another one does.
    """
    owner = f"{socket.gethostname()} {os.getpid()}"
    with as_tf_errors(path):
        try:
            return create_file(path, owner.encode())
        except FileExistsError:
            with open(path, "rb") as file:
                writing = file.read(LONGEST_OWNER).decode(errors="replace")
    if not is_alive(writing):
        remove_plain(os.path.dirname(path), os.path.basename(path))
        if not os.path.lexists(path):
            return take_lock(path)
    refuse(
        "There appears to be a concurrent caching iterator running: the lock file "
        f"{path} exists. If it was left by a program that has ended ({writing}), delete it.",
        op="CacheDataset",
        error=errors.AlreadyExistsError,
    )


def is_alive(owner: str) -> bool:
    """Whether the process that wrote its name into a lock file may be running."""
    host, _, number = owner.rpartition(" ")
    if host != socket.gethostname() or not number.isdigit():
        return True
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


# --- Shards ---------------------------------------------------------------------------------------------


def shard_of(shard_func: Function, element: Any) -> int:
    """The number of the shard that an element goes to."""
    shard = shard_func(*element) if type(element) is tuple else shard_func(element)
    tensor = convert_to_tensor(shard, dtypes.int64 if isinstance(shard, int) else None)
    if tensor.shape.rank != 0 or tensor.dtype is not dtypes.int64:
        refuse("`shard_func` must return a scalar int64.", op="SaveDataset")
    return int(static_value(tensor, "the number of a shard").item())


class Shards:
    """Writes elements to the shards of one pass, in a folder of their own below ``path``."""

    def __init__(self, path: str, spec: Any, compression: str, shard_func: Function | None) -> None:
        self.path = path
        self._spec = spec
        self._compression = compression
        self._shard_func = shard_func
        self._writers: dict[int, NewFileWriter] = {}
        self._counts: dict[int, int] = {}
        self._process = os.getpid()
        self._transaction = Transaction(path)
        name = f"run-{os.getpid()}-{os.urandom(8).hex()}"
        try:
            with as_tf_errors(path):
                self._transaction.make_folder()
                self._folder = self._transaction.new_folder([name])
        except BaseException:
            self._transaction.roll_back()
            raise

    def write(self, element: Any) -> None:
        """Add an element."""
        if self._process != os.getpid():
            refuse_after_fork(WRITING)
        shard = 0 if self._shard_func is None else shard_of(self._shard_func, element)
        if shard not in self._writers:
            with as_tf_errors(self.path):
                new_file = self._transaction.new_file(f"{self._folder}/{shard:08d}.snapshot")
            self._writers[shard] = NewFileWriter(new_file, self._compression)
            self._counts[shard] = 0
        self._writers[shard].write(encoded(element, self._spec))
        self._counts[shard] += 1

    def finish(self) -> None:
        """Close the files, and make them those that `path` holds; earlier ones are deleted."""
        self._close()
        shards = [f"{shard:08d}.snapshot" for shard in sorted(self._counts)]
        content = {
            "version": VERSION,
            "spec": described(self._spec),
            "compression": self._compression,
            "folder": self._folder,
            "shards": shards,
            "counts": [self._counts[shard] for shard in sorted(self._counts)],
        }
        with as_tf_errors(self.path), self._transaction.locked():
            earlier = earlier_shards(self.path)
            self._transaction.commit(SPEC_FILE, json_with_checksum(content))
            self._transaction.remove_earlier(*earlier)

    def abandon(self) -> None:
        """Delete what has been written."""
        if self._process == os.getpid():  # it is the parent's otherwise
            self._transaction.roll_back()

    def _close(self) -> None:
        for writer in self._writers.values():
            writer.close()


def earlier_shards(path: str) -> tuple[list[str], list[str]]:
    """The files that the list in a folder names, if it is one that `Shards` has written, and their folder."""
    try:
        content = read_json(os.path.join(path, SPEC_FILE))
    except errors.OpError:
        return [], []
    folder, shards = content.get("folder"), content.get("shards")
    if not isinstance(folder, str) or not RUN.fullmatch(folder) or not isinstance(shards, list):
        return [], []
    names = [name for name in shards if isinstance(name, str) and SHARD.fullmatch(name)]
    return [f"{folder}/{name}" for name in names], [folder]


class ShardDataset(DatasetSource):
    """The elements of one shard."""

    def __init__(self, path: str, compression: str, spec: Any, count: int) -> None:
        super().__init__()
        self._path, self._compression, self._spec, self._count = path, compression, spec, count

    @property
    def element_spec(self) -> Any:
        """The nest of specs of the saved elements."""
        return self._spec

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return read_elements(self._path, self._compression, self._spec, self._count)

    def _cardinality(self) -> int:
        return self._count


class ShardsDataset(DatasetSource):
    """A data set whose elements are the shards, each a data set: the argument of a reader function."""

    def __init__(self, shards: list[ShardDataset], spec: Any) -> None:
        super().__init__()
        self._shards, self._spec = shards, spec

    @property
    def element_spec(self) -> Any:
        """The spec of a data set: each element is a shard."""
        return DatasetSpec(self._spec)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return iter(self._shards)

    def _cardinality(self) -> int:
        return len(self._shards)


class Kept:
    """What `Shards` has written below ``path``."""

    def __init__(self, path: str, spec: Any = None) -> None:
        content = read_json(os.path.join(path, SPEC_FILE))
        stored_spec = spec_in(content, path)
        if spec is not None and not structure.compatible(stored_spec, spec):
            refuse(
                f"{path} holds elements of {stored_spec!r}, and not of {spec!r}.", op="LoadDataset"
            )
        self.spec = stored_spec if spec is None else spec
        folder: Any = content.get("folder")
        compression: Any = content.get("compression")
        names, counts = content.get("shards"), content.get("counts")
        if not (
            is_name(folder)
            and compression in COMPRESSIONS.values()
            and isinstance(names, list)
            and isinstance(counts, list)
            and len(names) == len(counts)
            and all(map(is_name, names))
            and all(type(count) is int and count >= 0 for count in counts)
            and sum(counts) < 2**63
        ):
            refuse(f"{path} is damaged: {SPEC_FILE} lists no shards.", error=errors.DataLossError)
        self.count: int = sum(counts)
        self.shards = [
            ShardDataset(os.path.join(path, folder, name), compression, self.spec, count)
            for name, count in zip(names, counts, strict=True)
        ]

    def elements(self, context: IterationContext, reader_func: Function | None) -> Iterator[Any]:
        """The elements of all shards: in turns, or in the order that a reader function gives."""
        if reader_func is not None:
            return self.read_by(reader_func)._elements(context)
        shards = {str(number).encode(): shard for number, shard in enumerate(self.shards)}
        names = Makers.from_tensor_slices([*shards]) if shards else None
        if names is None:
            return iter(())
        turns = os.cpu_count() or 1
        return FileElements(
            names._elements(context), lambda name: shards[name]._elements(context), turns
        )

    def read_by(self, reader_func: Function) -> DatasetV2:
        """The data set that a reader function makes of the shards."""
        dataset = reader_func(ShardsDataset(self.shards, self.spec))
        if not isinstance(dataset, DatasetV2):
            raise TypeError(
                f"`reader_func` must return a `tf.data.Dataset`, not {type(dataset).__name__}."
            )
        return dataset


def save(
    dataset: DatasetV2,
    path: Any,
    compression: str | None = None,
    shard_func: Function | None = None,
    checkpoint_args: Any = None,
) -> None:
    """Write all elements to the folder ``path``. What it holds already is replaced when all is written.

    Args:
        dataset: what to save.
        path: the name of the folder.
        compression: "GZIP", "ZLIB", or None for not at all.
        shard_func: gives for an element the number of the shard, a file, that it goes to.
        checkpoint_args: must be None.
    """
    if checkpoint_args is not None:
        raise ValueError("Saving a data set step by step, with checkpoint_args, is not supported.")
    if shard_func is not None:
        check_callable(shard_func, "shard_func", "Dataset.save()", ValueError)
    shards = Shards(
        local(path) or ".", dataset.element_spec, compression_of(compression), shard_func
    )
    try:
        for element in dataset:
            shards.write(element)
        shards.finish()
    except BaseException:
        shards.abandon()
        raise


class _LoadDataset(DatasetSource):
    """What `save` has written."""

    _is_public = True

    def __init__(self, path: Any, spec: Any, reader_func: Function | None) -> None:
        super().__init__()
        if reader_func is not None:
            check_callable(reader_func, "reader_func", "Dataset.load()", ValueError)
        self._path, self._reader_func = local(path) or ".", reader_func
        if not os.path.exists(os.path.join(self._path, SPEC_FILE)):
            refuse(
                f"tf.data snapshot element_spec file not found: {os.path.join(self._path, SPEC_FILE)}.",
                error=errors.NotFoundError,
            )
        self._kept = Kept(self._path, spec)

    @property
    def element_spec(self) -> Any:
        """The nest of specs of the saved elements."""
        return self._kept.spec

    def _cardinality(self) -> int:
        return self._kept.count

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        listing = os.path.join(self._path, SPEC_FILE)
        spec = self._kept.spec
        first, elements = retry_if_replaced(
            listing,
            lambda: begun(Kept(self._path, spec).elements(context, self._reader_func)),
            errors.NotFoundError,
        )
        try:
            yield from first
            yield from elements
        finally:
            close(elements)


def begun(elements: Iterator[Any]) -> tuple[list[Any], Iterator[Any]]:
    """The first element, if there is one, and those after it: the files of the first shards are open then."""
    try:
        return [next(elements)], elements
    except StopIteration:
        return [], elements
    except BaseException:
        close(elements)
        raise


def load(
    path: Any,
    element_spec: Any = None,
    compression: str | None = None,
    reader_func: Function | None = None,
    wait: bool = False,
) -> DatasetV2:
    """The data set that `save` has written to the folder ``path``.

    Args:
        path: the name of the folder.
        element_spec: the spec of the elements; the saved data has it too.
        compression: accepted and not used: the saved data says it.
        reader_func: takes a data set of the shards, each a data set, and gives one of elements.
        wait: True is refused where there is none yet: another process may not be saving at the same time.
    """
    compression_of(compression)
    if wait and not os.path.exists(os.path.join(local(path), SPEC_FILE)):
        raise ValueError("Waiting for a data set to be saved, with wait=True, is not supported.")
    return _LoadDataset(path, element_spec, reader_func)


# --- Snapshots ------------------------------------------------------------------------------------------


class SnapshotDataset(UnaryUnchangedStructureDataset):
    """The elements of a data set, which its first whole pass writes to a folder that later ones read.

    Data sets that are made otherwise have folders of their own, by their fingerprints.
    """

    _printed = "MapDataset"

    def __init__(
        self,
        input_dataset: DatasetV2,
        path: Any,
        compression: str | None,
        reader_func: Function | None,
        shard_func: Function | None,
        name: str | None = None,
    ) -> None:
        super().__init__(input_dataset, name=name)
        for what, function in (("reader_func", reader_func), ("shard_func", shard_func)):
            if function is not None:
                check_callable(function, what, "Dataset.snapshot()", ValueError)
        self._path = local(path)
        self._compression = compression_of(compression)
        self._reader_func, self._shard_func = reader_func, shard_func

    def _cardinality(self) -> int:
        return self._input._cardinality()

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        number = int(static_value(self._input.fingerprint(), "a fingerprint"))
        path = os.path.join(self._path, f"{number & (2**64 - 1):020d}")
        if os.path.exists(os.path.join(path, SPEC_FILE)):
            return Kept(path, self.element_spec).elements(context, self._reader_func)
        return self._write(context, path)

    def _write(self, context: IterationContext, path: str) -> Iterator[Any]:
        shards = Shards(path, self.element_spec, self._compression, self._shard_func)
        elements = self._input._elements(context)
        finished = False
        try:
            for element in elements:
                shards.write(element)
                yield element
            shards.finish()
            finished = True
        finally:
            close(elements)
            if not finished:
                shards.abandon()


def snapshot(
    dataset: DatasetV2,
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Function | None = None,
    shard_func: Function | None = None,
    name: str | None = None,
) -> DatasetV2:
    """The elements of a data set, which its first whole pass writes to a folder that later ones read."""
    return SnapshotDataset(dataset, path, compression, reader_func, shard_func, name)


# --- Under the names of tf.data.experimental ------------------------------------------------------------


def save_dataset(
    dataset: DatasetV2,
    path: Any,
    compression: str | None = None,
    shard_func: Function | None = None,
    checkpoint_args: Any = None,
) -> None:
    """`tf.data.Dataset.save` as a function.

    Args:
        dataset: a data set.
        path: the name of the folder.
        compression: "GZIP" or "ZLIB"; "SNAPPY" is zlib too. "AUTO" and None for not at all.
        shard_func: takes an element and returns the number of the shard, a file, that it goes to; None for
            one file.
        checkpoint_args: None: no other value is taken.
    """
    save(dataset, path, compression, shard_func, checkpoint_args)


def load_saved(
    path: Any,
    element_spec: Any = None,
    compression: str | None = None,
    reader_func: Function | None = None,
) -> DatasetV2:
    """`tf.data.Dataset.load` as a function.

    Args:
        path: the name of the folder.
        element_spec: the spec of the elements; None takes it from the folder.
        compression: accepted and not used: the saved data says it.
        reader_func: takes a data set of the shards, each a data set, and returns one of elements; None reads
            one after the other.
    """
    return load(path, element_spec, compression, reader_func)


def snapshot_of(
    path: Any,
    compression: str | None = "AUTO",
    reader_func: Function | None = None,
    shard_func: Function | None = None,
) -> Callable[[DatasetV2], DatasetV2]:
    """`tf.data.Dataset.snapshot` for `tf.data.Dataset.apply`.

    Args:
        path: the name of the folder.
        compression: "GZIP" or "ZLIB"; "SNAPPY" is zlib too. "AUTO" and None for not at all.
        reader_func: takes a data set of the shards, each a data set, and returns one of elements.
        shard_func: takes an element and returns the number of the shard, a file, that it goes to.
    """
    return lambda dataset: snapshot(dataset, path, compression, reader_func, shard_func)

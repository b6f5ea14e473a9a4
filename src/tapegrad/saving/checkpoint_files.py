"""The files of checkpoints: which there are, what they hold, and the file that lists them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.errors import refuse
from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.framework.printed import Printed
from tapegrad.io.atomic import Transaction, remove_plain, replace_file, retry_if_replaced
from tapegrad.saving.bundles import (
    LARGEST_SHARDS,
    data_files,
    data_path,
    index_of,
    is_bundle,
    read_bundle,
    write_data,
)
from tapegrad.saving.files import Damaged, Tensors, damaged

PUBLIC = {
    "train": (
        "checkpoints_iterator get_checkpoint_state latest_checkpoint list_variables "
        "load_checkpoint load_variable"
    ),
    "compat.v1.train": (
        "checkpoint_exists checkpoints_iterator generate_checkpoint_state_proto get_checkpoint_mtimes "
        "get_checkpoint_state latest_checkpoint list_variables load_checkpoint load_variable "
        "NewCheckpointReader=CheckpointReader remove_checkpoint update_checkpoint_state"
    ),
    "__internal__.train": "update_checkpoint_state=update_checkpoint_state_internal",
}

STATE_FILE = "checkpoint"


def index_file(prefix: str) -> Path:
    """The file that says what a checkpoint holds."""
    return Path(f"{prefix}.index")


def write_checkpoint(prefix: str, objects: list[Any], tensors: Tensors) -> None:
    """Write a checkpoint. A reader of the prefix sees the old one or the new one, complete.

    The file with the new tensors has a name that is free, and the old one keeps its own until the new index
    is there. The index says how many files of data there are, which is a part of their names: when a prefix
    is written again and again, ``-00000-of-00001`` and ``-00000-of-00002`` take turns.
    """
    folder, name = os.path.split(prefix)
    with as_tf_errors(prefix), Transaction(folder) as transaction:
        data = transaction.new_file()
        entries = write_data(data.stream, objects, tensors.arrays)
        data.close()
        with transaction.locked():
            earlier = data_files(prefix, index_file(prefix))
            counts = range(1, LARGEST_SHARDS)
            placed = transaction.place(data, (data_path(name, 0, count).name for count in counts))
            transaction.commit(f"{name}.index", index_of(entries, int(placed[-5:])))
            if len(earlier) == 1:  # several are TensorFlow's
                transaction.remove_earlier(earlier)


def read_checkpoint(prefix: str) -> tuple[list[Any], dict[str, np.ndarray[Any, Any]]]:
    """The objects and the tensors of a checkpoint.

    Raises:
        NotFoundError: there is none.
        DataLossError: it is damaged.
    """
    index = str(index_file(prefix))
    return retry_if_replaced(index, lambda: _read_once(prefix), errors.DataLossError)


def _read_once(prefix: str) -> tuple[list[Any], dict[str, np.ndarray[Any, Any]]]:
    if not index_file(prefix).is_file():
        if os.path.isfile(prefix):
            refuse(
                f"{prefix} is a file, and not the prefix of a checkpoint's files: "
                "it may be of another format.",
                error=errors.DataLossError,
            )
        refuse(
            "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
            f"{prefix}",
            error=errors.NotFoundError,
        )
    try:
        if not is_bundle(index_file(prefix)):
            raise Damaged("its index does not end as one of TensorFlow's")
        objects, arrays = read_bundle(prefix, index_file(prefix))
        return (checked_objects(objects, arrays) if objects else []), arrays
    except Damaged as error:
        damaged(prefix, error)


def checked_objects(objects: Any, tensors: Any) -> list[Any]:
    """The list of objects, if it is one."""
    if not isinstance(objects, list) or not objects or not isinstance(tensors, dict):
        raise Damaged("it has no objects")
    for number, encoded in enumerate(objects):
        if not isinstance(encoded, dict):
            raise Damaged(f"the object {number} is none")
        children, own = encoded.get("children"), encoded.get("tensors")
        if not isinstance(children, dict) or not isinstance(own, dict):
            raise Damaged(f"the object {number} has no parts, or no tensors")
        for child in children.values():
            if type(child) is not int or not 0 <= child < len(objects):
                raise Damaged(f"there is no object {child!r}")
        for name in own.values():
            if not isinstance(name, str) or name not in tensors:
                raise Damaged(f"there is no tensor {name!r}")
        for variable, _, slot in encoded.get("slots", ()):
            if max(variable, slot) >= len(objects):
                raise Damaged(f"there is no slot {slot} of the object {variable}")
    return objects


class CheckpointReader(Printed):
    """What a checkpoint holds, by name. `tf.train.load_checkpoint` gives one."""

    def __init__(self, prefix: str) -> None:
        self._objects, self._arrays = read_checkpoint(prefix)

    def _printed_state(self) -> str:
        return f"{len(self._arrays)} tensors"

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of each tensor."""
        return {name: list(array.shape) for name, array in self._arrays.items()}

    def get_variable_to_dtype_map(self) -> dict[str, dtypes.DType]:
        """The dtype of each tensor."""
        return {name: dtypes.from_numpy(array.dtype) for name, array in self._arrays.items()}

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a tensor of that name."""
        return tensor_str in self._arrays

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of that name, as an array; NotFoundError if there is none."""
        if tensor_str not in self._arrays:
            refuse(f"Key {tensor_str} not found in checkpoint", error=errors.NotFoundError)
        array = self._arrays[tensor_str]
        return array.copy() if array.shape else array[()]


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A `CheckpointReader` for a checkpoint, or for the latest one of a folder.

    Args:
        ckpt_dir_or_file: the path of a checkpoint, without the endings of its files; or a folder.

    Raises:
        ValueError: the folder has no checkpoints.
        NotFoundError: there is no such checkpoint.
    """
    path = os.fsdecode(ckpt_dir_or_file)
    checkpoint = latest_checkpoint(path) if os.path.isdir(path) else path
    if checkpoint is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {path}"
        )
    return CheckpointReader(checkpoint)


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """The value of that name in a checkpoint, or in the latest one of a folder.

    >>> path = tf.train.Checkpoint(weight=tf.Variable([1.0, 2.0])).write("model")
    >>> tf.train.load_variable(path, "weight/.ATTRIBUTES/VARIABLE_VALUE")
    array([1., 2.], dtype=float32)

    Args:
        ckpt_dir_or_file: the path of a checkpoint, without the endings of its files; or a folder.
        name: the name in the checkpoint, as `list_variables` lists it; ":0" at its end is left out.
    """
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Name and shape of each tensor in a checkpoint, by name.

    >>> path = tf.train.Checkpoint(weight=tf.Variable([1.0, 2.0])).write("model")
    >>> tf.train.list_variables(path)
    [('_CHECKPOINTABLE_OBJECT_GRAPH', []), ('weight/.ATTRIBUTES/VARIABLE_VALUE', [2])]

    Args:
        ckpt_dir_or_file: the path of a checkpoint, without the endings of its files; or a folder, for its
            latest.
    """
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


# The file that lists the checkpoints of a folder


class CheckpointState:
    """Which checkpoints a folder has, and which is the latest one."""

    def __init__(
        self,
        model_checkpoint_path: str,
        all_model_checkpoint_paths: list[str],
        all_model_checkpoint_timestamps: list[float] | None = None,
        last_preserved_timestamp: float | None = None,
    ) -> None:
        self.model_checkpoint_path = model_checkpoint_path
        self.all_model_checkpoint_paths = all_model_checkpoint_paths
        self.all_model_checkpoint_timestamps = all_model_checkpoint_timestamps or []
        self.last_preserved_timestamp = last_preserved_timestamp

    def __repr__(self) -> str:
        lines = [f"model_checkpoint_path: {_quoted(self.model_checkpoint_path)}"]
        lines += [
            f"all_model_checkpoint_paths: {_quoted(path)}"
            for path in self.all_model_checkpoint_paths
        ]
        lines += [
            f"all_model_checkpoint_timestamps: {stamp!r}"
            for stamp in self.all_model_checkpoint_timestamps
        ]
        if self.last_preserved_timestamp is not None:
            lines.append(f"last_preserved_timestamp: {self.last_preserved_timestamp!r}")
        return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def generate_checkpoint_state_proto(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: Any = None,
) -> CheckpointState:
    """The content of the file that lists the checkpoints of a folder.

    Args:
        save_dir: the folder.
        model_checkpoint_path: the path of the latest checkpoint, without the endings of its files.
        all_model_checkpoint_paths: the paths of all checkpoints, the oldest first; the latest comes last if
            it is not among them. None for the latest alone.
        all_model_checkpoint_timestamps: when they were written, in seconds since 1970, a number for each;
            none if left out.
        last_preserved_timestamp: when the last checkpoint was written that is kept for good; None for never.
    """
    folder, latest = os.fsdecode(save_dir), os.fsdecode(model_checkpoint_path)
    every = [os.fsdecode(path) for path in all_model_checkpoint_paths or []]
    if latest not in every:
        every.append(latest)
    latest, *every = (_seen_from(folder, path) for path in (latest, *every))
    return CheckpointState(
        latest, every, list(all_model_checkpoint_timestamps or []), last_preserved_timestamp
    )


def _seen_from(folder: str, path: str) -> str:
    """A path as the file in ``folder`` says it: readers join the two. An absolute path is unchanged."""
    if os.path.isabs(folder) or os.path.isabs(path):
        return path
    return os.path.relpath(path, folder)


def _inside(folder: str, path: str) -> str:
    """An absolute path in ``folder`` without the folder; any other path as it is."""
    if not os.path.isabs(path):
        return path
    inner = os.path.relpath(path, folder)
    return path if inner.startswith("..") else inner


def update_checkpoint_state(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    latest_filename: Any = None,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: Any = None,
) -> None:
    """Write the file that says which checkpoints a folder has.

    Args:
        save_dir, model_checkpoint_path, all_model_checkpoint_paths: as of `generate_checkpoint_state_proto`.
        latest_filename: the name of the file; "checkpoint" if None.
        all_model_checkpoint_timestamps, last_preserved_timestamp: as of `generate_checkpoint_state_proto`.
    """
    update_checkpoint_state_internal(
        save_dir,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        latest_filename,
        all_model_checkpoint_timestamps=all_model_checkpoint_timestamps,
        last_preserved_timestamp=last_preserved_timestamp,
    )


def update_checkpoint_state_internal(
    save_dir: Any,
    model_checkpoint_path: Any,
    all_model_checkpoint_paths: Any = None,
    latest_filename: Any = None,
    save_relative_paths: bool = False,
    all_model_checkpoint_timestamps: Any = None,
    last_preserved_timestamp: Any = None,
) -> None:
    """Write the file that says which checkpoints a folder has.

    Args:
        save_dir, model_checkpoint_path, all_model_checkpoint_paths: as of `generate_checkpoint_state_proto`.
        latest_filename: the name of the file; "checkpoint" if None.
        save_relative_paths: whether the file names checkpoints in the folder without the folder, so that
            the folder can be moved.
        all_model_checkpoint_timestamps, last_preserved_timestamp: as of `generate_checkpoint_state_proto`.
    """
    folder = os.fsdecode(save_dir)
    state = generate_checkpoint_state_proto(
        folder,
        model_checkpoint_path,
        all_model_checkpoint_paths,
        all_model_checkpoint_timestamps,
        last_preserved_timestamp,
    )
    if save_relative_paths:
        state.model_checkpoint_path = _inside(folder, state.model_checkpoint_path)
        state.all_model_checkpoint_paths = [
            _inside(folder, path) for path in state.all_model_checkpoint_paths
        ]
    path = os.path.join(folder, latest_filename or STATE_FILE)
    with as_tf_errors(path):
        replace_file(path, repr(state).encode())


def get_checkpoint_state(
    checkpoint_dir: Any, latest_filename: str | None = None
) -> CheckpointState | None:
    """Which checkpoints a folder says that it has; None if it does not say.

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of the file in which the folder says so; "checkpoint" if None.
    """
    folder = os.fsdecode(checkpoint_dir)
    path = Path(folder, latest_filename or STATE_FILE)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    fields: dict[str, list[str]] = {}
    for line in text.splitlines():
        match = re.fullmatch(r'\s*(\w+):\s*("((?:[^"\\]|\\.)*)"|[-+.\w]+)\s*', line)
        if match is not None:
            value = match[2] if match[3] is None else re.sub(r"\\(.)", r"\1", match[3])
            fields.setdefault(match[1], []).append(value)
    latest = fields.get("model_checkpoint_path")
    if not latest:
        return None
    try:
        stamps = [float(stamp) for stamp in fields.get("all_model_checkpoint_timestamps", [])]
        preserved = [float(stamp) for stamp in fields.get("last_preserved_timestamp", [])]
    except ValueError:
        return None
    return CheckpointState(
        os.path.join(folder, latest[0]),
        [os.path.join(folder, name) for name in fields.get("all_model_checkpoint_paths", [])],
        stamps,
        preserved[0] if preserved else None,
    )


def latest_checkpoint(checkpoint_dir: Any, latest_filename: str | None = None) -> str | None:
    """The path of the latest checkpoint of a folder; None if there is none.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = tf.train.Checkpoint(weight=tf.Variable(1.0)).save(os.path.join(folder, "model"))
    >>> tf.train.latest_checkpoint(folder) == path
    True

    Args:
        checkpoint_dir: the folder.
        latest_filename: the name of the file that says which is the latest; "checkpoint" if None.
    """
    state = get_checkpoint_state(checkpoint_dir, latest_filename)
    if state is None or not index_file(state.model_checkpoint_path).is_file():
        return None
    return state.model_checkpoint_path


def checkpoint_exists(checkpoint_prefix: Any) -> bool:
    """Whether there is a checkpoint of that path.

    Args:
        checkpoint_prefix: the path of the checkpoint, without the endings of its files.
    """
    return index_file(os.fsdecode(checkpoint_prefix)).is_file()


def get_checkpoint_mtimes(checkpoint_prefixes: Any) -> list[float]:
    """When each of the checkpoints was written, in seconds since 1970. Those that are gone are left out.

    Args:
        checkpoint_prefixes: the paths of the checkpoints, without the endings of their files.
    """
    indexes = [index_file(os.fsdecode(prefix)) for prefix in checkpoint_prefixes]
    return [index.stat().st_mtime for index in indexes if index.is_file()]


def remove_checkpoint(
    checkpoint_prefix: Any, checkpoint_format_version: Any = 2, meta_graph_suffix: str = "meta"
) -> None:
    """Remove the files of a checkpoint: its index, and those with its tensors, by what the index says.

    Args:
        checkpoint_prefix: the path of the checkpoint, without the endings of its files.
        checkpoint_format_version, meta_graph_suffix: accepted, and of no effect.
    """
    prefix = os.fsdecode(checkpoint_prefix)
    index = index_file(prefix)
    folder = str(index.parent)
    names = data_files(prefix, index) or [data_path(prefix, 0, 1).name]
    for name in (index.name, *names):
        remove_plain(folder, name)


def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """The path of each new checkpoint of a folder, as they appear.

    Args:
        checkpoint_dir: the folder.
        min_interval_secs: how long to wait at least from one to the next.
        timeout: how long to wait for the next one; None to wait for ever.
        timeout_fn: called after ``timeout``. If it returns True, there are no more.
    """
    before: str | None = None
    while True:
        end = None if timeout is None else time.monotonic() + timeout
        while (latest := latest_checkpoint(checkpoint_dir)) is None or latest == before:
            if end is not None and time.monotonic() + min(1.0, timeout or 0.0) > end:
                latest = None
                break
            time.sleep(min(1.0, timeout or 1.0) / 4)
        if latest is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        began = time.monotonic()
        before = latest
        yield latest
        time.sleep(max(0.0, began + min_interval_secs - time.monotonic()))

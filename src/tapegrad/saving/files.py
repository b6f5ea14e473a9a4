"""The files of a saved model or a checkpoint: JSON, and tensors beside it. Nothing is ever half-written."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.dtypes import DType

__all__ = [
    "Damaged",
    "Tensors",
    "damaged",
    "read_json",
    "read_tensors",
    "replace_folder",
    "write_json",
    "write_tensors",
]

LARGEST_JSON = 1 << 30
# The dtypes that a file of safetensors has under a name of its own; others are written as bytes.
PLAIN = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "uint16": "U16",
    "int16": "I16",
    "float16": "F16",
    "bfloat16": "BF16",
    "uint32": "U32",
    "int32": "I32",
    "float32": "F32",
    "float64": "F64",
    "int64": "I64",
    "uint64": "U64",
}


class Damaged(Exception):
    """A file does not hold what it should."""


def damaged(path: Any, error: Any) -> NoReturn:
    """Raise DataLossError for a file that does not hold what it should."""
    errors.refuse(
        f"{path} is damaged, or was not written by tf.saved_model.save or tf.train.Checkpoint of this "
        f"library: {error}.",
        error=errors.DataLossError,
    )


def safetensors(module: str = "safetensors") -> Any:
    """A module of the package safetensors, which is imported when it is first needed."""
    try:
        return import_module(module)
    except ImportError:
        raise ImportError(
            "Saved models need the package safetensors: pip install tapegrad[saving]"
        ) from None


class Tensors:
    """Arrays by name, on their way into a file. An array that comes twice is kept once."""

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self._names: dict[int, str] = {}

    def keep(self, array: np.ndarray[Any, Any], name: str | None = None) -> str:
        """Keep an array, and return its name."""
        known = self._names.get(id(array))
        if known is not None and name is None:
            return known
        name = name or f"constant/{len(self.arrays)}"
        self.arrays[name] = array
        self._names[id(array)] = name
        return name

    def table(self) -> dict[str, Any]:
        """Dtype and shape of each, for JSON."""
        return {
            name: [dtypes.from_numpy(array.dtype).name, list(array.shape)]
            for name, array in self.arrays.items()
        }


def write_tensors(path: Path, arrays: dict[str, np.ndarray[Any, Any]]) -> None:
    """Write arrays into a file of safetensors. Strings, and dtypes that it lacks, become bytes."""
    save = safetensors("safetensors.numpy").save

    flat = {}
    for name, array in arrays.items():
        if array.dtype.hasobject:
            flat[name] = np.frombuffer(_pack_strings(array), np.uint8)
        elif dtypes.from_numpy(array.dtype).name in PLAIN:
            flat[name] = np.ascontiguousarray(array).reshape(array.shape)
        else:
            flat[name] = np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
    path.write_bytes(save(flat))


def _pack_strings(array: np.ndarray[Any, Any]) -> bytes:
    """Strings as bytes: the length of each, and then all of them."""
    texts = [bytes(text) for text in array.ravel().tolist()]
    lengths = np.array([len(text) for text in texts], "<i8")
    return lengths.tobytes() + b"".join(texts)


def _unpack_strings(data: bytes, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    count = int(np.prod(shape, dtype=np.int64))
    if count < 0 or 8 * count > len(data):
        raise Damaged("strings are missing")
    lengths = np.frombuffer(data[: 8 * count], "<i8")
    ends = 8 * count + np.cumsum(lengths)
    end = int(ends[-1]) if count else 0
    if ((lengths < 0) | (lengths > len(data))).any() or end != (len(data) if count else 0):
        raise Damaged("strings have other lengths than they say")
    found = np.empty(count, object)
    for place in range(count):
        end = int(ends[place])
        found[place] = data[end - int(lengths[place]) : end]
    return found.reshape(shape)


def read_tensors(path: Path, table: Any) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a file of safetensors, which must be those that ``table`` lists.

    Raises:
        Damaged: they are not.
    """
    if not isinstance(table, dict):
        raise Damaged("the list of tensors is none")
    try:
        found = dict(safetensors().deserialize(path.read_bytes()))
    except ImportError:
        raise
    except OSError as error:
        raise Damaged(f"{path.name} cannot be read ({error})") from None
    except Exception as error:
        raise Damaged(f"{path.name} is no file of safetensors ({error})") from None
    arrays = {}
    for name, entry in table.items():
        if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], list)):
            raise Damaged(f"what is said of the tensor {name} is not understood")
        if name not in found:
            raise Damaged(f"the tensor {name} is missing")
        arrays[name] = _array(name, found[name], entry[0], entry[1])
    return arrays


def _array(name: str, found: Any, dtype_name: Any, shape: list[Any]) -> np.ndarray[Any, Any]:
    if any(type(size) is not int or not 0 <= size < 1 << 48 for size in shape) or len(shape) > 32:
        raise Damaged(f"the tensor {name} has no such shape: {shape}")
    try:
        dtype: DType = dtypes.as_dtype(dtype_name if isinstance(dtype_name, str) else None)
        kind = dtype.numpy_dtype
    except (TypeError, ValueError):
        raise Damaged(f"the tensor {name} has no such dtype: {dtype_name!r}") from None
    data = bytes(found["data"])
    if kind.hasobject:
        return _unpack_strings(data, tuple(shape))
    plain = PLAIN.get(dtype.name)
    if plain is not None and (found["dtype"] != plain or list(found["shape"]) != shape):
        raise Damaged(
            f"the tensor {name} is said to be {dtype.name}{shape} and is {found['dtype']}{found['shape']}"
        )
    count = 1
    for size in shape:
        count *= size
    if count * kind.itemsize != len(data):
        raise Damaged(f"the tensor {name} has {len(data)} bytes, which is not what its shape takes")
    if dtype.is_bool and np.frombuffer(data, np.uint8).max(initial=0) > 1:
        raise Damaged(f"the tensor {name} has elements that are neither true nor false")
    return np.frombuffer(data, kind).reshape(shape).copy()


def read_json(path: Path) -> Any:
    """What a file of JSON holds.

    Raises:
        Damaged: it is none.
    """
    try:
        if path.stat().st_size > LARGEST_JSON:
            raise Damaged(f"{path.name} is too large")
        found = json.loads(path.read_text("utf-8"), parse_constant=_no_constant)
    except OSError as error:
        raise Damaged(f"{path.name} cannot be read ({error})") from None
    except (ValueError, RecursionError) as error:
        raise Damaged(f"{path.name} is no JSON ({error})") from None
    if not isinstance(found, dict):
        raise Damaged(f"{path.name} holds no object")
    return found


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def write_json(path: Path, value: Any) -> None:
    """Write JSON."""
    path.write_text(json.dumps(value, allow_nan=False, ensure_ascii=True), "utf-8")


def replace_folder(target: str, fill: Callable[[Path], None]) -> None:
    """Let ``fill`` write into a new folder, and put that in the place of ``target`` when it is whole.

    Files of ``target`` that are not written anew stay.
    """
    goal = Path(target).absolute()
    try:
        goal.parent.mkdir(parents=True, exist_ok=True)
        if goal.exists() and not goal.is_dir():
            raise FileExistsError(f"{goal} is a file")
        temporary = Path(tempfile.mkdtemp(prefix=f".{goal.name}.", dir=goal.parent))
    except FileExistsError as error:
        errors.refuse(
            f"{error}: a folder cannot be made there.", error=errors.FailedPreconditionError
        )
    try:
        os.chmod(temporary, 0o755)
        fill(temporary)
        if not goal.exists():
            temporary.rename(goal)
            return
        for entry in goal.iterdir():
            if not (temporary / entry.name).exists() and entry.name not in OURS:
                entry.rename(temporary / entry.name)
        old = Path(tempfile.mkdtemp(prefix=f".{goal.name}.", dir=goal.parent))
        goal.rename(old / "old")
        temporary.rename(goal)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


# What a saved model consists of: of an older one nothing is left.
OURS = frozenset(["assets", "saved_model.json", "variables.safetensors"])

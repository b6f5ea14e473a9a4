"""The content of the files of our earlier format of saved models: JSON, and tensors."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from tapegrad import dtypes, errors, extras
from tapegrad.dtypes import DType
from tapegrad.io.atomic import checked_json, digest_of, leads_elsewhere

FORMAT = "tapegrad saved model"
VERSION = 2
MODEL_FILE = "saved_model.json"
TENSORS_FILE = "variables.safetensors"
LARGEST_JSON = 1 << 30
# Files that a saved model may have besides its JSON.
OWN_TENSORS = re.compile(r"variables(-[0-9a-f]{16})?\.safetensors")
OWN_ASSETS = re.compile(r"assets(-[0-9a-f]{16})?")
OWN_ASSET = re.compile(r"assets(-[0-9a-f]{16})?/(?!\.{0,2}$)[^/\\\0]+", re.DOTALL)
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


class Tensors:
    """Arrays by name, to be written. An array that is added twice is stored once."""

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


def _unpack_strings(data: bytes, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    count = math.prod(shape)
    if 8 * count > len(data):
        raise Damaged("strings are missing")
    lengths = np.frombuffer(data[: 8 * count], "<i8")
    ends = 8 * count + np.cumsum(lengths)
    end = int(ends[-1]) if count else 0
    if ((lengths < 0) | (lengths > len(data))).any() or end != (len(data) if count else 0):
        raise Damaged("strings have other lengths than they say")
    strings = np.empty(count, object)
    for index in range(count):
        end = int(ends[index])
        strings[index] = data[end - int(lengths[index]) : end]
    return strings


def check_file(folder: Path, model: dict[str, Any], name: str) -> None:
    """Check that a file of a saved model is there, that no link leads to it, and that it is what was written.

    Args:
        folder: the folder.
        model: the JSON, which has size and checksum of each file; a model of version 1 has none.
        name: the path in the folder.

    Raises:
        Damaged: it is not.
    """
    if leads_elsewhere(str(folder), name):
        raise Damaged(f"{name} is a link")
    try:
        with open(folder / name, "rb") as file:
            digest = None if model.get("version") == 1 else digest_of(file)
    except OSError as error:
        raise Damaged(f"{name} cannot be read ({error})") from None
    digests = model.get("files", {})
    if digest is not None and not (isinstance(digests, dict) and digests.get(name) == digest):
        raise Damaged(f"{name} has another size or checksum than was written")


def model_tensors(folder: Path, model: dict[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """The tensors of a saved model, whose JSON was read.

    Raises:
        Damaged: they are not what was written.
    """
    name = model.get("variables", TENSORS_FILE)
    if not isinstance(name, str) or OWN_TENSORS.fullmatch(name) is None:
        raise Damaged(f"its tensors are said to be in {name!r}")
    check_file(folder, model, name)
    try:
        data = (folder / name).read_bytes()
    except OSError as error:
        raise Damaged(f"{name} cannot be read ({error})") from None
    return read_tensors(name, data, model.get("tensors"))


def files_of(model: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The files of a saved model besides its JSON, and the folders that were made for them."""
    if model.get("version") == 1:
        assets = [
            f"assets/{encoded['file']}"
            for encoded in model["objects"]
            if encoded["kind"] == "asset"
        ]
        names, folders = [TENSORS_FILE, *assets], ["assets"]
    else:
        names, folders = [*model["files"]], model["folders"]
    return (
        [name for name in names if OWN_TENSORS.fullmatch(name) or OWN_ASSET.fullmatch(name)],
        [name for name in folders if OWN_ASSETS.fullmatch(name)],
    )


def earlier_files(folder: Path) -> tuple[list[str], list[str]]:
    """The result of `files_of` for the saved model in a folder, unless it has been changed since."""
    try:
        model = read_json(folder / MODEL_FILE)
        names, folders = files_of(model) if model.get("format") == FORMAT else ([], [])
    except (Damaged, AttributeError, KeyError, TypeError):
        return [], []
    unchanged = []
    for name in names:
        with suppress(Damaged):
            check_file(folder, model, name)
            unchanged.append(name)
    return unchanged, folders


def read_tensors(name: str, data: bytes, table: Any) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of a file of safetensors, which must be those that ``table`` lists.

    Args:
        name: the name of the file.
        data: what it holds.
        table: dtype and shape of each tensor, as `Tensors.table` gives them.

    Raises:
        Damaged: they are not.
    """
    if not isinstance(table, dict):
        raise Damaged("the list of tensors is none")
    try:
        safetensors = extras.imported("saving", "safetensors", "A saved model")
        stored = dict(safetensors.deserialize(data))
    except ImportError:
        raise
    except Exception as error:
        raise Damaged(f"{name} is no file of safetensors ({error})") from None
    arrays = {}
    for name, entry in table.items():
        if not (isinstance(entry, list) and len(entry) == 2 and isinstance(entry[1], list)):
            raise Damaged(f"what is said of the tensor {name} is not understood")
        if name not in stored:
            raise Damaged(f"the tensor {name} is missing")
        arrays[name] = _array(name, stored[name], entry[0], entry[1])
    return arrays


def _array(name: str, stored: Any, dtype_name: Any, shape: list[Any]) -> np.ndarray[Any, Any]:
    if any(type(size) is not int or not 0 <= size < 1 << 48 for size in shape) or len(shape) > 32:
        raise Damaged(f"the tensor {name} has no such shape: {shape}")
    try:
        dtype: DType = dtypes.as_dtype(dtype_name if isinstance(dtype_name, str) else None)
        kind = dtype.numpy_dtype
    except (TypeError, ValueError):
        raise Damaged(f"the tensor {name} has no such dtype: {dtype_name!r}") from None
    data = bytes(stored["data"])
    if kind.hasobject:
        return shaped(name, _unpack_strings(data, tuple(shape)), shape)
    plain = PLAIN.get(dtype.name)
    if plain is not None and (stored["dtype"] != plain or list(stored["shape"]) != shape):
        raise Damaged(
            f"the tensor {name} is said to be {dtype.name}{shape} and is {stored['dtype']}{stored['shape']}"
        )
    if math.prod(shape) * kind.itemsize != len(data):
        raise Damaged(f"the tensor {name} has {len(data)} bytes, which is not what its shape takes")
    if dtype.is_bool and np.frombuffer(data, np.uint8).max(initial=0) > 1:
        raise Damaged(f"the tensor {name} has elements that are neither true nor false")
    return shaped(name, np.frombuffer(data, kind), shape).copy()


def shaped(name: str, array: np.ndarray[Any, Any], shape: Any) -> np.ndarray[Any, Any]:
    """The elements of a tensor in its shape, which may be none that an array can have.

    Raises:
        Damaged: it is none. NumPy counts sizes next to a 0 as well.
    """
    try:
        return array.reshape(shape)
    except ValueError:
        raise Damaged(f"the tensor {name} has no such shape: {list(shape)}") from None


def read_json(path: Path) -> Any:
    """What a file of JSON holds.

    Raises:
        Damaged: it is none.
    """
    try:
        if path.stat().st_size > LARGEST_JSON:
            raise Damaged(f"{path.name} is too large")
        content = checked_json(path.read_bytes())
    except OSError as error:
        raise Damaged(f"{path.name} cannot be read ({error})") from None
    except ValueError as error:
        raise Damaged(f"{path.name} is damaged ({error})") from None
    if not isinstance(content, dict):
        raise Damaged(f"{path.name} holds no object")
    return content

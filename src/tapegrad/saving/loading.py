"""`tf.saved_model.load`: what `tf.saved_model.save` has written, checked, as objects again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.errors import DataLossError, UnimplementedError, refuse
from tapegrad.framework.variable import Variable
from tapegrad.io.atomic import retry_if_replaced
from tapegrad.releases import VERSION as RELEASE
from tapegrad.saving.encoding import Decoder, dtype_from, shape_from
from tapegrad.saving.files import (
    FORMAT,
    MODEL_FILE,
    OWN_ASSET,
    VERSION,
    Damaged,
    check_file,
    damaged,
    model_tensors,
    read_json,
)
from tapegrad.saving.graphs.models import load_graphs
from tapegrad.saving.options import (
    SAVED_MODEL_FILENAME_PB,
    SAVED_MODEL_FILENAME_PBTXT,
    Asset,
    LoadOptions,
)
from tapegrad.saving.programs import Program
from tapegrad.saving.restored import (
    Programs,
    RestoredConcrete,
    RestoredFunction,
    SignatureMap,
    arguments_from,
    parameters_from,
    signature_function,
    without_text,
)
from tapegrad.saving.user_objects import OWN, CallableObject, UserObject

PUBLIC = {"saved_model": "load", "__internal__.saved_model": "load_partial"}


def load(export_dir: Any, tags: Any = None, options: Any = None) -> Any:
    """The object that `tf.saved_model.save` has written into a folder, here or in TensorFlow.

    It has the parts that the saved one had (variables, lists, dicts, tables, assets, other objects), its
    functions, for the signatures that were saved, and ``signatures``. What is read is data: nothing in the
    folder is code, and a damaged model is an error. Of TensorFlow's models, functions with ops that are not
    here say so when they are called.

    Args:
        export_dir: the folder.
        tags: None, or the tags of the model: ``"serve"``.
        options: a `LoadOptions`.

    Raises:
        OSError: there is no saved model.
        ValueError: ``tags`` are others.
        UnimplementedError: the folder has the model as text alone.
        DataLossError: the model is damaged.
        InvalidArgumentError: it fills a table from a file that is no asset.
    """
    options = LoadOptions() if options is None else options
    folder = os.fsdecode(export_dir)
    if not os.path.isfile(os.path.join(folder, MODEL_FILE)) and os.path.isfile(
        os.path.join(folder, SAVED_MODEL_FILENAME_PB)
    ):
        return load_graphs(folder, tags, options)
    return retry_if_replaced(
        os.path.join(folder, MODEL_FILE),
        lambda: _Loader(folder, tags, options).objects[0],
        DataLossError,
    )


def load_partial(export_dir: Any, filters: Any, tags: Any = None, options: Any = None) -> Any:
    """A dict of the parts that ``filters`` names (``"root.layer"``), and ``"root"``. All is read.

    Args:
        export_dir: the folder, a str or a path object.
        filters: the paths of the parts, which begin with ``"root"``; None for the root alone.
        tags, options: as of `tf.saved_model.load`.
    """
    root = load(export_dir, tags, options)
    values = {"root": root}
    for path in filters or ():
        value = root
        for name in str(path).split(".")[1:]:
            value = value[int(name)] if isinstance(value, list) else getattr(value, name)
        values[path] = value
    return values


class _Loader:
    """Reads one model."""

    def __init__(self, folder: str, tags: Any, options: LoadOptions) -> None:
        self.folder = Path(folder)
        path = self.folder / MODEL_FILE
        if not path.is_file():
            text = self.folder / SAVED_MODEL_FILENAME_PBTXT
            if text.is_file():
                refuse(
                    f"{text} is a SavedModel as text, which is not read. Where TensorFlow is, make a "
                    f"{SAVED_MODEL_FILENAME_PB} of it: google.protobuf.text_format.Parse() fills a message "
                    "SavedModel with the text, whose SerializeToString() is what that file holds.",
                    error=UnimplementedError,
                )
            raise OSError(
                f"SavedModel file does not exist at: {folder}/"
                f"{{{MODEL_FILE}|{SAVED_MODEL_FILENAME_PB}}}"
            )
        self.options = options
        self.objects: list[Any] = []
        self.functions: list[Any] = []
        try:
            self.model = read_json(path)
            self._check_head(tags)
            self.arrays = model_tensors(self.folder, self.model)
            self.decoder = Decoder(self._tensor, self._thing)
            self._read()
        except Damaged as error:
            damaged(folder, error)

    def _list(self, name: str) -> list[Any]:
        entries = self.model.get(name)
        if not isinstance(entries, list):
            raise Damaged(f"it has no list of {name}")
        return entries

    def _check_head(self, tags: Any) -> None:
        if self.model.get("format") != FORMAT:
            raise Damaged(f"its format is {self.model.get('format')!r}")
        version = self.model.get("version")
        if type(version) is not int or not 1 <= version <= VERSION:
            raise Damaged(f"its version is {version!r}, and this library reads up to {VERSION}")
        own = self._list("tags")
        if tags is not None:
            asked = [tags] if isinstance(tags, str) else list(tags)
            if set(asked) != set(own):
                raise ValueError(
                    f"Got an incompatible argument to `tags`: {asked}. The SavedModel at {self.folder} has "
                    f"one MetaGraph with tags {own}. You may omit the argument, pass 'None', or pass "
                    "matching tags."
                )

    def _tensor(self, name: Any) -> np.ndarray[Any, Any]:
        if not isinstance(name, str) or name not in self.arrays:
            raise Damaged(f"there is no tensor {name!r}")
        return self.arrays[name]

    def _number(self, number: Any, values: list[Any], what: str) -> Any:
        if type(number) is not int or not 0 <= number < len(values):
            raise Damaged(f"there is no {what} {number!r}")
        return values[number]

    def _thing(self, number: Any) -> Any:
        """A variable or an asset, or the table, with that number."""
        saved_object = self._number(number, self.objects, "object")
        if not isinstance(saved_object, (VariableBase, Asset)) and not hasattr(
            saved_object, "_entries"
        ):
            saved_object = getattr(saved_object, "_words", None)
        if saved_object is None:
            raise Damaged(f"the object {number} is neither a variable nor a table nor an asset")
        return saved_object

    def _read(self) -> None:
        encoded_objects = self._list("objects")
        if not encoded_objects:
            raise Damaged("it has no objects")
        later = []
        for number, encoded in enumerate(encoded_objects):
            if not isinstance(encoded, dict):
                raise Damaged(f"the object {number} is none")
            self.objects.append(self._make(encoded, number))
        for encoded in self._list("functions"):
            self.functions.append(self._concrete(encoded))
        for number, encoded in enumerate(encoded_objects):
            if encoded["kind"] in ("function", "concrete"):
                self.objects[number] = self._function(encoded)
            elif encoded["kind"] in _CONTAINERS:
                later.append((self.objects[number], encoded))
        for value, encoded in later:
            self._fill(value, encoded)
        root = self.objects[0]
        if not isinstance(root, UserObject):
            raise Damaged("its root is no object")
        if "signatures" not in vars(root):
            root.signatures = SignatureMap(self._signatures())
        root.tensorflow_version = RELEASE
        root.tensorflow_git_version = "unknown"
        root.graph_debug_info = None
        if self.options.experimental_load_function_aliases:
            root.function_aliases = self._aliases()

    def _make(self, encoded: dict[str, Any], number: int) -> Any:
        kind = encoded.get("kind")
        if kind == "object":
            children = encoded.get("children")
            if not isinstance(children, dict):
                raise Damaged(f"the object {number} has no list of parts")
            return CallableObject() if "__call__" in children else UserObject()
        if kind == "list":
            return []
        if kind == "dict":
            return {}
        if kind == "variable":
            return self._variable(encoded)
        if kind == "table":
            return self._table(encoded)
        if kind == "asset":
            return self._asset(encoded)
        if kind in ("function", "concrete"):
            return None
        raise Damaged(f"the object {number} is a {kind!r}")

    def _variable(self, encoded: dict[str, Any]) -> Any:
        array = self._tensor(encoded.get("value"))
        dtype, shape = dtype_from(encoded.get("dtype")), shape_from(encoded.get("shape"))
        name = encoded.get("name")
        if dtypes.from_numpy(array.dtype) is not dtype or not shape.is_compatible_with(array.shape):
            raise Damaged(
                f"the variable {name!r} is of {dtype.name} and shape {shape}, its value is not"
            )
        if not isinstance(name, str) or type(encoded.get("trainable")) is not bool:
            raise Damaged(f"what is said of the variable {name!r} is not understood")
        if self.options.experimental_skip_checkpoint:
            array = np.zeros_like(array)
        variable: Any = Variable(
            EagerTensor(array), trainable=encoded["trainable"], name="loaded", shape=shape
        )
        variable._handle_name = f"{name}:0"
        return variable

    def _table(self, encoded: dict[str, Any]) -> Any:
        from tapegrad import tables
        from tapegrad.errors import OpError

        name, keys, values = encoded.get("class"), encoded.get("keys"), encoded.get("values")
        key_dtype, value_dtype = dtype_from(keys), dtype_from(values)
        try:
            if name == "StaticVocabularyTable" and "entries" not in encoded:
                return tables.StaticVocabularyTable(None, encoded["buckets"], key_dtype)
            entries = encoded.get("entries")
            if not isinstance(entries, list) or len(entries) != 2:
                raise Damaged(f"a {name} has no entries")
            pair: list[Any] = [EagerTensor(self._tensor(entry)) for entry in entries]
            if name in ("StaticHashTable", "StaticVocabularyTable"):
                initializer = tables.KeyValueTensorInitializer(pair[0], pair[1])
                if name == "StaticVocabularyTable":
                    return tables.StaticVocabularyTable(initializer, encoded["buckets"], key_dtype)
                default = EagerTensor(self._tensor(encoded.get("default")))
                if not pair[0].shape[0]:
                    return tables.MutableHashTable(key_dtype, value_dtype, default)
                return tables.StaticHashTable(initializer, default)
            default = EagerTensor(self._tensor(encoded.get("default")))
            if name == "MutableHashTable":
                table: Any = tables.MutableHashTable(key_dtype, value_dtype, default)
            elif name == "DenseHashTable":
                empty, deleted = [EagerTensor(self._tensor(entry)) for entry in encoded["reserved"]]
                table = tables.DenseHashTable(key_dtype, value_dtype, default, empty, deleted)
            else:
                raise Damaged(f"there is no table {name!r}")
            if pair[0].shape[0]:
                table.insert(*pair)
            return table
        except (OpError, TypeError, ValueError, KeyError, IndexError) as error:
            raise Damaged(f"a {name} cannot be made ({error})") from None

    def _asset(self, encoded: dict[str, Any]) -> Asset:
        name = encoded.get("file")
        if self.model["version"] == 1:
            name = f"assets/{name}"
        if not isinstance(name, str) or OWN_ASSET.fullmatch(name) is None:
            raise Damaged(f"an asset has no such name: {name!r}")
        check_file(self.folder, self.model, name)
        return Asset(str(self.folder / name))

    def _fill(self, value: Any, encoded: dict[str, Any]) -> None:
        if encoded["kind"] == "object":
            for name, number in encoded["children"].items():
                part = self._number(number, self.objects, "object")
                if name == "signatures":
                    continue
                if name != "__call__" and (name.startswith("__") or name in OWN):
                    raise Damaged(f"a part is called {name!r}")
                if name == "__call__":
                    if not callable(part):
                        raise Damaged("the part __call__ cannot be called")
                    vars(value)["__call__"] = part
                    value._parts["__call__"] = part
                    continue
                setattr(value, name, part)
            return
        items = encoded.get("items")
        if not isinstance(items, list):
            raise Damaged("a list has no items")
        if encoded["kind"] == "list":
            value.extend([self._number(number, self.objects, "object") for number in items])
            return
        for item in items:
            if not isinstance(item, list) or len(item) != 2:
                raise Damaged("a dict has an item that is none")
            key = self.decoder.value(item[0])
            try:
                value[key] = self._number(item[1], self.objects, "object")
            except TypeError:
                raise Damaged(f"{key!r} is no key") from None

    def _concrete(self, encoded: Any) -> RestoredConcrete:
        if not isinstance(encoded, dict) or not isinstance(encoded.get("name"), str):
            raise Damaged("a function has no name")
        name = encoded["name"]
        recordings = encoded.get("recordings")
        if not isinstance(recordings, list) or not recordings:
            raise Damaged(f"{name} has no recordings")
        programs = [Program(recording, self.decoder, name) for recording in recordings]
        reason = encoded.get("only_sizes")
        if reason is not None and not isinstance(reason, str):
            raise Damaged(f"what is said of {name} is not understood")
        variables = encoded.get("variables")
        if not isinstance(variables, list):
            raise Damaged(f"{name} has no list of variables")
        values = [self._number(number, self.objects, "variable") for number in variables]
        if not all(isinstance(variable, VariableBase) for variable in values):
            raise Damaged(f"{name} has something else among its variables")
        signature, arguments, names = arguments_from(encoded, self.decoder)
        body = Programs(name, programs, reason)
        return RestoredConcrete(name, signature, arguments, names, body, tuple(values))

    def _function(self, encoded: dict[str, Any]) -> Any:
        if encoded["kind"] == "concrete":
            return self._number(encoded.get("function"), self.functions, "function")
        numbers, name = encoded.get("functions"), encoded.get("name")
        if not isinstance(numbers, list) or not isinstance(name, str):
            raise Damaged("a function has no name, or no list of signatures")
        concretes = [self._number(number, self.functions, "function") for number in numbers]
        listed = encoded.get("parameters")
        if any(concrete._body.uses_files for concrete in concretes):
            # A default would be the name of a file that the model brings along.
            listed = without_text(listed)
        parameters = parameters_from(listed, self.decoder)
        return RestoredFunction(name, parameters, concretes, encoded.get("input_signature") is True)

    def _signatures(self) -> dict[str, Any]:
        signatures = self.model.get("signatures")
        if not isinstance(signatures, dict):
            raise Damaged("it has no signatures")
        functions = {}
        for name, encoded in signatures.items():
            if not isinstance(encoded, dict):
                raise Damaged(f"the signature {name} is none")
            concrete = self._number(encoded.get("function"), self.functions, "function")
            functions[name] = signature_function(
                name, concrete, encoded.get("inputs"), encoded.get("outputs")
            )
        return functions

    def _aliases(self) -> dict[str, Any]:
        aliases = self.model.get("aliases")
        if not isinstance(aliases, dict):
            raise Damaged("it has no aliases")
        functions = {}
        for name, numbers in aliases.items():
            if not isinstance(numbers, list) or not numbers:
                raise Damaged(f"the alias {name} has no functions")
            concretes = [self._number(number, self.functions, "function") for number in numbers]
            functions[name] = concretes[0] if len(concretes) == 1 else RestoredFunction(
                name, concretes[0]._signature, concretes, False
            )  # fmt: skip
        return functions


_CONTAINERS = ("object", "list", "dict")

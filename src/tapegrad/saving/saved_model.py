"""`tf.saved_model.save`: an object, its variables and its functions, in a folder of two files and assets."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from tapegrad import errors
from tapegrad.core import VariableBase
from tapegrad.framework.bases import Trackable
from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.functions.components import flat_specs
from tapegrad.functions.concrete import ConcreteFunction
from tapegrad.functions.kinds import GenericFunction
from tapegrad.io.atomic import Transaction, free_names, json_with_checksum
from tapegrad.saving.encoding import CannotEncode, Encoder
from tapegrad.saving.files import (
    FORMAT,
    MODEL_FILE,
    TENSORS_FILE,
    Tensors,
    earlier_files,
    safetensors,
    tensors_to_bytes,
)
from tapegrad.saving.objects import (
    Graph,
    is_container,
    owner_of,
    write_asset,
    write_table,
    write_variable,
)
from tapegrad.saving.options import SAVED_MODEL_FILENAME_PB, TENSORFLOW, Asset, SaveOptions
from tapegrad.saving.programs import write
from tapegrad.saving.recordings import (
    concrete_functions,
    recordings_of,
    refuse_untracked,
    signature_of,
)
from tapegrad.saving.signatures import Signature, collect_signatures
from tapegrad.saving.steps import Recording
from tapegrad.saving.writing.folders import write_model
from tapegrad.saving.writing.models import Model
from tapegrad.tables import LookupInterface

PUBLIC = {"saved_model compat.v1.saved_model": "contains_saved_model", "saved_model": "save"}

VERSION = 2


def contains_saved_model(export_dir: Any) -> bool:
    """Whether a folder holds a saved model, of our format or of TensorFlow's.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.contains_saved_model(folder)
    False
    >>> tf.saved_model.save(tf.Module(), folder)
    >>> tf.saved_model.contains_saved_model(folder)
    True

    Args:
        export_dir: the folder, a str or a path object.
    """
    folder = Path(os.fsdecode(export_dir))
    return (folder / MODEL_FILE).is_file() or (folder / SAVED_MODEL_FILENAME_PB).is_file()


def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Write ``obj``, its parts and its functions into a folder.

    >>> import tempfile
    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = tf.Variable(3.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([None])])
    ...     def __call__(self, x):
    ...         return x * self.factor
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(Scale(), folder)
    >>> tf.saved_model.load(folder)(tf.constant([1.0, 2.0])).numpy()
    array([3., 6.], dtype=float32)

    Variables, tables, assets, lists, dicts and modules are saved, and each `tf.function` with every signature
    that it was called with, or that `get_concrete_function` was called with. For this it runs a few times on
    stand-ins, without effects.

    Differs from TensorFlow: the format is another one (docs/saving.md), which TensorFlow cannot read, unless
    ``options`` is ``SaveOptions(format="tensorflow")``.

    Args:
        obj: a trackable object, such as a `tf.Module`.
        export_dir: the folder. A model that is there is replaced once the new one is whole. All other files
            of the folder stay.
        signatures: a function with an ``input_signature``, a concrete function, or a dict of these, by name.
            They are in ``signatures`` of the loaded object, take tensors by keyword, and give dicts.
        options: a `SaveOptions`.

    Raises:
        ValueError: ``obj`` is no such object, or ``signatures`` hold something else.
        AssertionError, KeyError: a function uses a variable that ``obj`` does not have.
        UnimplementedError: a function does something that cannot be saved, such as calling Python.
    """
    if not isinstance(obj, Trackable):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the "
            f"`Trackable` class, for export. Got {obj} with type {type(obj)}."
        )
    options = SaveOptions() if options is None else options
    if not isinstance(options, SaveOptions):
        raise AttributeError(f"options must be a tf.saved_model.SaveOptions; {options!r} came.")
    target = os.fsdecode(export_dir)
    graph = Graph(obj)
    if options.format == TENSORFLOW:
        write_model(target, Model(graph, collect_signatures(graph, signatures), options))
        return
    safetensors()
    collected = collect_signatures(graph, signatures)
    writer = _Writer(graph, collected, options)
    _write(target, writer.encoded(), writer)


def _write(target: str, model: dict[str, Any], writer: _Writer) -> None:
    """Write a model into a folder. The JSON file lists the others, is written last, and makes them valid."""
    with as_tf_errors(target), _transaction(target) as transaction:
        digests = {}
        if writer.assets:
            folder = transaction.new_folder(free_names("assets"))
            for encoded, source in writer.assets:
                name = encoded["file"] = f"{folder}/{encoded['file']}"
                asset = transaction.new_file(name, with_checksum=True)
                with as_tf_errors(source):
                    file = open(source, "rb")  # noqa: SIM115 -- a full disk is no fault of this file
                with file:
                    shutil.copyfileobj(file, asset.stream)
                asset.close()
                digests[name] = asset.digest()
            model["folders"] = [folder]
        tensors = transaction.new_file(with_checksum=True)
        tensors.stream.write(tensors_to_bytes(writer.tensors.arrays))
        tensors.close()
        with transaction.locked():
            earlier = earlier_files(Path(target))
            model["variables"] = transaction.place(
                tensors, free_names(*os.path.splitext(TENSORS_FILE))
            )
            digests[model["variables"]] = tensors.digest()
            transaction.commit(MODEL_FILE, json_with_checksum({**model, "files": digests}))
            transaction.remove_earlier(*earlier)


def _transaction(target: str) -> Transaction:
    if os.path.lexists(target) and not os.path.isdir(target):
        errors.refuse(
            f"{target} is a file: a folder cannot be made there.",
            error=errors.FailedPreconditionError,
        )
    return Transaction(target)


class _Writer:
    """Finds out what is to be written of a model."""

    def __init__(
        self, graph: Graph, signatures: dict[str, Signature], options: SaveOptions
    ) -> None:
        self.graph = graph
        self.signatures = signatures
        self.options = options
        self.assets: list[tuple[dict[str, Any], str]] = []  # each encoded, and its file
        self.tensors = Tensors()
        self.functions: list[dict[str, Any]] = []
        self.numbers: dict[int, int] = {}
        self.kept: list[Any] = []  # kept alive, so that ids are not used again
        self.used: list[int] = []

    def encoded(self) -> dict[str, Any]:
        """The model in JSON, but for the names of its files."""
        graph, taken = self.graph, set[str]()
        # Signatures first, because their errors differ.
        signatures = {
            name: self._signature(signature) for name, signature in self.signatures.items()
        }
        encoded_objects = []
        for number, value in enumerate(graph.objects):
            encoded_objects.append(self._object(number, value, taken))
        aliases = {
            name: [self._concrete(concrete) for concrete in concrete_functions(function)]
            for name, function in self.options.function_aliases.items()
        }
        return {
            "format": FORMAT,
            "version": VERSION,
            "tags": sorted({"serve", *(self.options.extra_tags or [])}),
            "objects": encoded_objects,
            "functions": self.functions,
            "signatures": signatures,
            "aliases": aliases,
            "tensors": self.tensors.table(),
            "folders": [],
        }

    def _object(self, number: int, value: Any, taken: set[str]) -> dict[str, Any]:
        children = self.graph.children[number]
        if isinstance(value, VariableBase):
            return write_variable(value, number, self.tensors)
        if isinstance(value, LookupInterface):
            return write_table(value, number, self.tensors)
        if isinstance(value, Asset):
            encoded, source = write_asset(value, taken)
            self.assets.append((encoded, source))
            return encoded
        if isinstance(value, ConcreteFunction):
            return {"kind": "concrete", "function": self._concrete(value)}
        if isinstance(value, GenericFunction):
            return self._function(value)
        assert is_container(value)
        if isinstance(value, (list, tuple)):
            return {"kind": "list", "items": list(children.values())}
        if isinstance(value, dict):
            encoder = self._encoder(None)
            return {
                "kind": "dict",
                "items": [[encoder.value(key), child] for key, child in children.items()],
            }
        return {
            "kind": "object",
            "class": type(value).__name__,
            "children": {str(name): child for name, child in children.items()},
        }

    def _encoder(self, called: str | None, for_signature: bool = False) -> Encoder:
        def object_id(value: Any) -> int:
            number = self.graph.find(owner_of(value) if isinstance(value, VariableBase) else value)
            if number is None:
                refuse_untracked(value, called, for_signature)
            self.used.append(number)
            return number

        rules = self.options.experimental_custom_gradients
        return Encoder(self.tensors.keep, object_id, self.graph.assets, rules)

    def _function(self, function: Any) -> dict[str, Any]:
        encoder = self._encoder(function.name)
        signature = signature_of(function)
        parameters = []
        for parameter in signature.parameters.values():
            entry: list[Any] = [parameter.name, parameter.kind.name]
            if parameter.default is not parameter.empty:
                try:
                    entry.append(encoder.value(parameter.default))
                except CannotEncode:
                    entry.append(None)
            parameters.append(entry)
        concretes = concrete_functions(function, for_saving=True)
        return {
            "kind": "function",
            "name": function.name,
            "parameters": parameters,
            "input_signature": function.input_signature is not None,
            "functions": [self._concrete(concrete) for concrete in concretes],
        }

    def _signature(self, signature: Signature) -> dict[str, Any]:
        return {
            "function": self._concrete(signature.function, True),
            "inputs": signature.inputs,
            "outputs": signature.outputs,
        }

    def _concrete(self, concrete: Any, for_signature: bool = False) -> int:
        """The number of a concrete function among those that are saved."""
        if id(concrete) in self.numbers:
            return self.numbers[id(concrete)]
        called = concrete.name.decode()
        encoder = self._encoder(called, for_signature)
        arguments = concrete._arguments
        specs = flat_specs(list(arguments.values()))
        self.used = []
        recordings, reason = recordings_of(
            concrete, called, specs, lambda recording: self._write(recording, encoder)
        )
        for variable in concrete.variables:
            number = self.graph.find(owner_of(variable))
            if number is not None:
                self.used.append(number)
        encoded = {
            "name": called,
            "parameters": [
                [name, parameter.kind.name]
                for name, parameter in concrete._signature.parameters.items()
            ],
            "arguments": self._arguments(concrete, encoder),
            "names": [tensor.op.name for tensor in concrete.inputs],
            "variables": sorted({
                number for number in self.used if isinstance(self.graph.objects[number], VariableBase)
            }),
            "recordings": recordings,
            "only_sizes": reason,
        }  # fmt: skip
        self.numbers[id(concrete)] = len(self.functions)
        self.kept.append(concrete)
        self.functions.append(encoded)
        return len(self.functions) - 1

    def _write(self, recording: Recording, encoder: Encoder) -> dict[str, Any]:
        for variable in recording.variables:
            number = self.graph.find(owner_of(variable))
            if number is not None:
                self.used.append(number)
        return write(recording, encoder)

    def _arguments(self, concrete: Any, encoder: Encoder) -> list[Any]:
        defaults = []
        for name, value in concrete._arguments.items():
            try:
                defaults.append([name, encoder.value(value)])
            except CannotEncode as error:
                defaults.append([name, {"captured": str(error)}])
        return defaults

"""The objects of a SavedModel that TensorFlow has written: `load_graphs`.

The file lists objects, their parts by name, and concrete functions. Values of variables are in a checkpoint,
whose objects have the same parts. Functions of the model make tables and fill them.
"""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.errors import DataLossError, UnimplementedError
from tapegrad.framework.bases import AutoTrackable, TrackableResource
from tapegrad.framework.variable import Variable
from tapegrad.functions.components import flat_specs
from tapegrad.io.wire import DecodeError
from tapegrad.saving.bundles import read_bundle
from tapegrad.saving.files import Damaged
from tapegrad.saving.graphs import messages
from tapegrad.saving.graphs.bodies import GraphBody, asset_in
from tapegrad.saving.graphs.functions import Library, by_name
from tapegrad.saving.graphs.older import load_older
from tapegrad.saving.graphs.plans import value_of_attribute
from tapegrad.saving.graphs.resources import fill_mutable, table_of
from tapegrad.saving.graphs.structures import (
    NotRead,
    dtype_of,
    has_text_as_default,
    parameters_of,
    shape_of,
    value_of,
    without_defaults,
)
from tapegrad.saving.options import SAVED_MODEL_FILENAME_PB, Asset, LoadOptions
from tapegrad.saving.restored import (
    RestoredConcrete,
    RestoredFunction,
    SignatureMap,
    signature_function,
)
from tapegrad.saving.user_objects import OWN, CallableObject, UserObject
from tapegrad.tables import LookupInterface

LARGEST_FILE = 1 << 31
VARIABLES = "variables/variables"

LISTS = {
    "trackable_list_wrapper": list,
    "trackable_dict_wrapper": dict,
    "trackable_tuple_wrapper": tuple,
}


class RestoredResource(TrackableResource):
    """In place of a resource that is not made yet, or that needs ops that are not here."""


def load_graphs(folder: str, tags: Any, options: LoadOptions) -> Any:
    """The root object of the model in a folder.

    Raises:
        OSError: the file cannot be read.
        ValueError: the tags are others.
        DataLossError: the model is damaged.
    """
    graph = chosen_graph(folder, read_model(folder), tags)
    try:
        if graph.object_graph_def.nodes:
            return _Objects(folder, graph, options).root
        return load_older(folder, graph)
    except (Damaged, DecodeError, NotRead, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise DataLossError(
            None, None, f"The SavedModel in {folder} is damaged: {reason}."
        ) from None


def read_model(folder: str) -> messages.SavedModel:
    """The message in the file of a model."""
    path = os.path.join(folder, SAVED_MODEL_FILENAME_PB)
    if os.path.getsize(path) >= LARGEST_FILE:
        raise OSError(f"Cannot parse file {path}: it has more than 2 GB.")
    try:
        return messages.SavedModel.FromString(Path(path).read_bytes())
    except (DecodeError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise OSError(f"Cannot parse file {path}: {reason}.") from None


def chosen_graph(folder: str, model: messages.SavedModel, tags: Any) -> messages.MetaGraphDef:
    """The graph of these tags, or the only one."""
    graphs: list[messages.MetaGraphDef] = list(model.meta_graphs)
    sets = [sorted(graph.meta_info_def.tags) for graph in graphs]
    if not graphs:
        raise OSError(f"{folder} holds a SavedModel without a graph.")
    if tags is None:
        if len(graphs) > 1:
            raise ValueError(
                f"The SavedModel at {folder} has {len(graphs)} graphs, with the tags {sets}: say by `tags` "
                "which of them to load."
            )
        return graphs[0]
    asked = sorted({tags} if isinstance(tags, str) else set(tags))
    for graph, own in zip(graphs, sets, strict=True):
        if own == asked:
            return graph
    if len(graphs) == 1:
        raise ValueError(
            f"Got an incompatible argument to `tags`: {asked}. The SavedModel at {folder} has one MetaGraph "
            f"with tags {sets[0]}. You may omit the argument, pass 'None', or pass matching tags."
        )
    raise RuntimeError(
        f"The SavedModel at {folder} has no graph with the tags {asked}; it has graphs with {sets}."
    )


class _Objects:
    """Builds the objects of one model."""

    def __init__(self, folder: str, graph: messages.MetaGraphDef, options: LoadOptions) -> None:
        self.folder = folder
        self.graph = graph
        self.options = options
        self.nodes = list(graph.object_graph_def.nodes)
        self.constants = by_name(graph.graph_def.node, "the graph")
        self.library = Library(graph.graph_def.library)
        self.children = [self._children_of(node) for node in self.nodes]
        self.values = self._values()
        self.concretes: dict[str, RestoredConcrete] = {}
        self.unread: dict[str, str] = {}
        self.objects = [self._new(number, node) for number, node in enumerate(self.nodes)]
        self._register_gradients()
        for number, node in enumerate(self.nodes):
            self._add_function(number, node)
        for number, node in enumerate(self.nodes):
            if node.WhichOneof("kind") == "resource":
                self._start(number)
        for number in range(len(self.nodes)):
            self._as_tuple(number, ())
        for number in range(len(self.nodes)):
            self._fill(number)
        self.root = self._root()

    def _children_of(self, node: messages.SavedObject) -> dict[str, int]:
        children: dict[str, int] = {}
        for child in node.children:
            if not 0 <= child.node_id < len(self.nodes):
                raise Damaged(f"there is no object {child.node_id}")
            children[child.local_name] = child.node_id
        return children

    # Values

    def _values(self) -> dict[int, dict[str, Any]]:
        """For the number of an object its tensors in the checkpoint, by attribute."""
        prefix = os.path.join(self.folder, VARIABLES)
        index = Path(f"{prefix}.index")
        if self.options.experimental_skip_checkpoint or not index.is_file():
            return {}
        objects, arrays = read_bundle(prefix, index)
        values: dict[int, dict[str, Any]] = {}
        done = set()
        pairs = [(0, 0)] if objects else []
        while pairs:
            number, other = pairs.pop()
            if (number, other) in done or not 0 <= other < len(objects):
                continue
            done.add((number, other))
            entry = objects[other]
            own = values.setdefault(number, {})
            for attribute, key in entry["tensors"].items():
                if key in arrays:
                    own[attribute] = arrays[key]
            for name, child in entry["children"].items():
                if name in self.children[number]:
                    pairs.append((self.children[number][name], child))
        return values

    def _variable(self, number: int, proto: messages.SavedVariable) -> Variable:
        dtype, shape = dtype_of(proto.dtype), shape_of(proto.shape)
        array = self.values.get(number, {}).get("VARIABLE_VALUE")
        if array is None:
            if not self.options.experimental_skip_checkpoint:
                raise Damaged(f"the variable {proto.name} has no value in its checkpoint")
            sizes = [1 if size is None else size for size in shape.as_list()] if shape.rank else []
            array = np.zeros(sizes, dtype.numpy_dtype)
        if dtypes.from_numpy(array.dtype) is not dtype or not shape.is_compatible_with(array.shape):
            raise Damaged(
                f"the variable {proto.name} is of {dtype.name} and shape {shape}, its value is not"
            )
        variable: Variable = Variable(
            EagerTensor(np.array(array)), trainable=proto.trainable, name="loaded", shape=shape
        )
        variable._handle_name = f"{proto.name}:0"
        return variable

    # Objects

    def _new(self, number: int, node: messages.SavedObject) -> Any:
        kind = node.WhichOneof("kind")
        match kind:
            case "user_object":
                identifier = node.user_object.identifier
                if identifier in LISTS:
                    return {} if LISTS[identifier] is dict else []
                if identifier == "signature_map":
                    return None
                return CallableObject() if "__call__" in self.children[number] else UserObject()
            case "variable":
                return self._variable(number, node.variable)
            case "asset":
                return self._asset(node.asset.asset_file_def_index)
            case "constant":
                return self._constant(node.constant.operation)
            case "resource":
                return RestoredResource()
            case "captured_tensor":
                captured = node.captured_tensor
                self.library.kept.setdefault(captured.concrete_function, set()).add(captured.name)
                return (captured.concrete_function, captured.name)
            case "function" | "bare_concrete_function":
                return None
            case _:
                raise Damaged(f"the object {number} is of no kind")

    def _asset(self, number: int) -> Asset:
        files = self.graph.asset_file_def
        if not 0 <= number < len(files):
            raise Damaged(f"there is no asset {number}")
        return asset_in(self.folder, files[number].filename)

    def _constant(self, name: str) -> Any:
        node = self.constants.get(name)
        values = {} if node is None else messages.attributes_of(node)
        if node is None or node.op != "Const" or "value" not in values:
            raise Damaged(f"there is no constant {name}")
        return value_of_attribute(values["value"])

    def _as_tuple(self, number: int, outer: tuple[int, ...]) -> None:
        """Make the tuple that a list of the file stands for, after those inside of it."""
        node = self.nodes[number]
        if (
            node.WhichOneof("kind") != "user_object"
            or LISTS.get(node.user_object.identifier) is not tuple
            or isinstance(self.objects[number], tuple)
        ):
            return
        if number in outer:
            raise Damaged("a tuple holds itself")
        for child in self.children[number].values():
            self._as_tuple(child, (*outer, number))
        self.objects[number] = tuple(self._items(number))

    def _items(self, number: int) -> list[Any]:
        children = self.children[number]
        places = sorted(
            [(int(name), child) for name, child in children.items() if name.isdecimal()]
        )
        return [self.objects[child] for _, child in places]

    def _fill(self, number: int) -> None:
        value = self.objects[number]
        if type(value) is list:
            value.extend(self._items(number))
        elif type(value) is dict:
            value.update({
                name: self.objects[child] for name, child in self.children[number].items()
            })  # fmt: skip
        elif isinstance(value, (UserObject, RestoredResource)):
            for name, child in self.children[number].items():
                part = self.objects[child]
                if name == "__call__" and callable(part):
                    vars(value)["__call__"] = part
                    value._parts["__call__"] = part
                elif name.startswith("__") or name in OWN or isinstance(value, RestoredResource):
                    value._parts[name] = part
                elif name != "signatures":
                    setattr(value, name, part)

    # Functions

    def _captures(self, name: str) -> list[int]:
        numbers = list(self.graph.object_graph_def.concrete_functions[name].bound_inputs)
        if not all(0 <= number < len(self.nodes) for number in numbers):
            raise Damaged(f"{name} captures an object that is not there")
        return numbers

    def _captured(self, number: int) -> Any:
        """What a function gets for an object that it captures."""
        value = self.objects[number]
        if isinstance(value, VariableBase):
            return value.handle  # type: ignore[attr-defined]  # all are of `tf.Variable`
        if isinstance(value, Asset):
            return value.asset_path
        if isinstance(value, RestoredResource):
            value = self._create(number)
        if isinstance(value, LookupInterface):
            return value.resource_handle
        if isinstance(value, (EagerTensor, tuple)):
            return value
        raise Damaged(f"a function captures the object {number}, which is no tensor")

    def _register_gradients(self) -> None:
        """Find what the gradients of custom gradients capture, and what they give."""
        saved = self.graph.object_graph_def.concrete_functions
        for kind, name in [*self.library.gradients.items()]:
            try:
                if name in saved:
                    self.library.results[name] = value_of(saved[name].output_signature)
                    self.library.captured[name] = [
                        self._captured(number) for number in self._captures(name)
                    ]
            except NotRead:
                del self.library.gradients[kind]

    def _concrete(self, name: str, spec: messages.FunctionSpec | None) -> RestoredConcrete:
        """The concrete function of a name."""
        if name in self.concretes:
            return self.concretes[name]
        saved = self.graph.object_graph_def.concrete_functions
        if name not in saved:
            raise Damaged(f"there is no concrete function {name}")
        proto = saved[name]
        function = self.library.function(name)
        inputs = value_of(proto.canonicalized_input_signature)
        results = value_of(proto.output_signature)
        try:
            args, kwargs = inputs
            signature = self._signature(spec, args, kwargs)
            bound = signature.bind(*args, **kwargs)
        except (TypeError, ValueError) as error:
            raise Damaged(f"{name} has arguments that it does not take ({error})") from None
        # Those by keyword come in the order of their names, as they do in the list of tensors.
        keywords = [key for key in sorted(bound.arguments) if key in kwargs]
        positional = [key for key in bound.arguments if key not in kwargs]
        arguments = {key: bound.arguments[key] for key in [*positional, *keywords]}
        specs = flat_specs(list(arguments.values()))
        numbers = self._captures(name)
        if len(specs) + len(numbers) != len(function.arguments):
            raise Damaged(
                f"{name} takes {len(function.arguments)} tensors, and its signature has {len(specs)} "
                f"beside {len(numbers)} that it captures"
            )
        body = GraphBody(
            function,
            specs,
            results,
            lambda: [self._captured(number) for number in numbers],
            {
                place
                for place, number in enumerate(numbers)
                if isinstance(self.objects[number], Asset)
            },
        )
        variables = [self.objects[number] for number in numbers]
        self.concretes[name] = RestoredConcrete(
            name, signature, arguments, function.arguments[: len(specs)], body,
            tuple([value for value in variables if isinstance(value, VariableBase)]),
        )  # fmt: skip
        return self.concretes[name]

    def _signature(
        self, spec: messages.FunctionSpec | None, args: Any, kwargs: Any
    ) -> inspect.Signature:
        if spec is not None:
            return parameters_of(spec)[0]
        kind = inspect.Parameter
        places = [kind(f"args_{n}", kind.POSITIONAL_ONLY) for n in range(len(args))]
        return inspect.Signature([*places, *[kind(key, kind.KEYWORD_ONLY) for key in kwargs]])

    def _add_function(self, number: int, node: messages.SavedObject) -> None:
        kind = node.WhichOneof("kind")
        if kind == "function":
            proto = node.function
            try:
                signature, inputs = parameters_of(proto.function_spec)
                concretes = [
                    self._concrete(name, proto.function_spec) for name in proto.concrete_functions
                ]
            except NotRead as error:
                self.objects[number] = _Unread(error)
                return
            if has_text_as_default(signature) and any(
                concrete._body.uses_files for concrete in concretes
            ):
                # A default would be the name of a file that the model brings along.
                signature = without_defaults(signature)
            self.objects[number] = RestoredFunction(
                "restored_function_body", signature, concretes, inputs is not None
            )
        elif kind == "bare_concrete_function":
            bare = node.bare_concrete_function
            spec = bare.function_spec if bare.HasField("function_spec") else None
            try:
                self.objects[number] = self._concrete(bare.concrete_function_name, spec)
            except NotRead as error:
                self.objects[number] = _Unread(error)

    def _signatures(self) -> SignatureMap:
        number = self.children[0].get("signatures")
        functions: dict[str, Any] = {}
        if number is None:
            return SignatureMap(functions)
        for name, child in self.children[number].items():
            concrete = self.objects[child]
            if not isinstance(concrete, RestoredConcrete):
                continue
            node = self.nodes[child].bare_concrete_function
            names = list(node.argument_keywords)
            if concrete._body.result_specs() is None:
                outputs: list[str] = []
            else:
                results = concrete._body.result_specs()
                if not isinstance(results, dict):
                    raise Damaged(f"the signature {name} gives no dict")
                outputs = sorted(results)
            own = [*concrete._arguments]
            functions[name] = signature_function(
                name, concrete, own if set(own) == set(names) else names, outputs
            )
        return SignatureMap(functions)

    # Resources

    def _part(self, number: int, name: str) -> Any:
        child = self.children[number].get(name)
        return None if child is None else self.objects[child]

    def _create(self, number: int) -> Any:
        """The resource that a function of the model makes, which is the object from now on."""
        create = self._part(number, "_create_resource")
        if create is None:
            raise Damaged(f"no function makes the resource {number}")
        function = _body_of(create).function
        function.check()
        results = function.run([])
        table = table_of(results[0]) if len(results) == 1 else None
        if table is None:
            raise Damaged(f"{function.name} makes no table")
        self.objects[number] = table
        return table

    def _start(self, number: int) -> None:
        """Make a table, and fill it: by a function of the model, or with what is in the checkpoint."""
        initialize = self._part(number, "_initialize")
        try:
            if isinstance(self.objects[number], RestoredResource):
                self._create(number)
            if initialize is not None:
                _body_of(initialize).run([])
        except UnimplementedError:  # an op is missing: functions that need this resource say so
            return
        own = self.values.get(number, {})
        keys, values = (
            next((array for name, array in own.items() if name.endswith(end)), None)
            for end in ("-keys", "-values")
        )
        if keys is not None and values is not None:
            fill_mutable(self.objects[number], keys, values)

    def _root(self) -> Any:
        root = self.objects[0]
        if not isinstance(root, UserObject):
            raise Damaged("its root is no object")
        info = self.graph.meta_info_def
        root.signatures = self._signatures()
        root.tensorflow_version = info.tensorflow_version
        root.tensorflow_git_version = info.tensorflow_git_version
        root.graph_debug_info = None
        if self.options.experimental_load_function_aliases:
            root.function_aliases = self._aliases()
        return root

    def _aliases(self) -> dict[str, Any]:
        names: dict[str, list[Any]] = {}
        for entry in self.graph.meta_info_def.function_aliases:
            if entry.key in self.concretes:
                names.setdefault(entry.value, []).append(self.concretes[entry.key])
        return {
            name: concretes[0]
            if len(concretes) == 1
            else RestoredFunction(name, concretes[0]._signature, concretes, False)
            for name, concretes in names.items()
        }


class _Unread(AutoTrackable):
    """In place of a function whose arguments are not read here."""

    def __init__(self, reason: NotRead) -> None:
        self._reason = str(reason)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"This function of a SavedModel takes or gives {self._reason}, which is not read here."
        )


def _body_of(value: Any) -> GraphBody:
    """The body of a function without arguments."""
    concretes = value.concrete_functions if isinstance(value, RestoredFunction) else [value]
    if not concretes or not isinstance(concretes[0], RestoredConcrete):
        raise Damaged("a resource has a part that is no function")
    body = concretes[0]._body
    if body.specs:
        raise Damaged("a function that makes or fills a resource takes arguments")
    return body  # type: ignore[return-value]  # all bodies of such a model are of this class

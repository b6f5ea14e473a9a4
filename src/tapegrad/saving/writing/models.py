"""A model as the messages and the files of TensorFlow's SavedModel: `Model`.

The message has the objects with their parts, a library of functions, and a graph. Python reads the objects;
servers run the graph, which has the variables, a node that restores them, and a call for each signature.
"""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import VariableBase, static_value
from tapegrad.framework import nest
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.functions.components import flat_specs
from tapegrad.functions.concrete import ConcreteFunction
from tapegrad.functions.kinds import GenericFunction
from tapegrad.ops.program.tables import Entries
from tapegrad.releases import GIT_VERSION, GRAPH_DEF_VERSION
from tapegrad.releases import VERSION as TENSORFLOW_VERSION
from tapegrad.saving.checkpoints import escaped
from tapegrad.saving.graphs import messages
from tapegrad.saving.nests import Leaf, parameter_name
from tapegrad.saving.objects import (
    Graph,
    asset_file,
    owner_of,
    reserved_keys,
    table_arrays,
)
from tapegrad.saving.options import Asset, SaveOptions
from tapegrad.saving.recordings import (
    concrete_functions,
    recordings_of,
    refuse_recording,
    refuse_untracked,
    signature_of,
)
from tapegrad.saving.signatures import Signature, input_names
from tapegrad.saving.writing.functions import OF_GRADIENT, Functions, Written
from tapegrad.saving.writing.nodes import FunctionName, Nodes, Tensor, attribute_value, shape_proto
from tapegrad.saving.writing.structures import function_spec, structured
from tapegrad.tables import (
    DenseHashTable,
    LookupInterface,
    StaticHashTable,
    StaticVocabularyTable,
)

MIN_CONSUMER = 12
SAVER_VERSION = 2
"""Says that the checkpoint is one of names in one table, as `tf.train.Checkpoint` writes it."""
VALUE = "VARIABLE_VALUE"
INIT = "__saved_model_init_op"
PREDICT = "tensorflow/serving/predict"
NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_./-]")
SUFFIX = ".ATTRIBUTES/" + VALUE
TABLE = ".ATTRIBUTES/table"
IDENTIFIERS = {
    list: "trackable_list_wrapper",
    tuple: "trackable_tuple_wrapper",
    dict: "trackable_dict_wrapper",
}


class Model:
    """What is written of a model.

    Args:
        graph: its objects.
        signatures: by name.
        options: the options of `tf.saved_model.save`.

    Attributes:
        message: the content of ``saved_model.pb``.
        tensors: the values of variables, by their names in the checkpoint.
        checkpoint: for each object its parts and its tensors.
        assets: for each file its name in ``assets/``, and its path.
    """

    def __init__(
        self, graph: Graph, signatures: dict[str, Signature], options: SaveOptions
    ) -> None:
        self.graph = graph
        self.options = options
        self.called = ""  # the function that is written now
        self.for_signature = False
        self.functions = Functions(
            self._number, graph.assets, options.experimental_custom_gradients
        )
        self.message = messages.SavedModel(saved_model_schema_version=1)
        self.meta = self.message.meta_graphs.add()
        self.objects = self.meta.object_graph_def
        self.tensors: dict[str, np.ndarray[Any, Any]] = {}
        self.checkpoint: list[dict[str, Any]] = []
        self.assets: list[tuple[str, str]] = []
        self._concretes: dict[int, list[Written]] = {}
        self._kept: list[Any] = []  # kept alive, so that ids are not used again
        self._main = Nodes("the graph", in_graph=True)
        self._handles: dict[int, Tensor] = {}  # the objects that functions get, in the graph
        # The number of a variable or of a table that changes -> its name in the checkpoint.
        self._restored: dict[int, str] = {}
        self._write(signatures)

    def _write(self, signatures: dict[str, Signature]) -> None:
        wrappers = {name: self._wrapper(name, own) for name, own in signatures.items()}
        paths = self._paths()
        for number, value in enumerate(self.graph.objects):
            node = self.objects.nodes.add()
            for name, child in self.graph.children[number].items():
                node.children.add(node_id=child, local_name=str(name))
            self.checkpoint.append({"children": dict(self.graph.children[number]), "tensors": {}})
            self._object(number, value, node, paths[number])
        starts = self._tables()
        self._gradients()
        self._signature_map(wrappers)
        self._graph(signatures, wrappers, starts)
        info = self.meta.meta_info_def
        info.tags.extend(sorted({"serve", *(self.options.extra_tags or [])}))
        info.tensorflow_version, info.tensorflow_git_version = TENSORFLOW_VERSION, GIT_VERSION
        info.stripped_default_attrs = True
        for alias, function in self.options.function_aliases.items():
            for concrete in concrete_functions(function):
                for written in self._concrete(concrete):
                    info.function_aliases.add(key=written.name, value=alias)
        self.meta.graph_def.library.function.extend(self.functions.messages)

    def _paths(self) -> list[str]:
        """For each object the names of the parts that lead to it, the shortest way."""
        paths: dict[int, str] = {0: ""}
        numbers = [0]
        for number in numbers:
            for name, child in self.graph.children[number].items():
                if child not in paths:
                    paths[child] = f"{paths[number]}{escaped(str(name))}/"
                    numbers.append(child)
        return [paths[number] for number in range(len(self.graph.objects))]

    # Objects

    def _number(self, value: Any) -> int:
        """The number of what a function uses."""
        if isinstance(value, np.ndarray):
            return self.graph.assets[id(value)]
        number = self.graph.find(owner_of(value) if isinstance(value, VariableBase) else value)
        if number is None:
            refuse_untracked(value, self.called, self.for_signature)
        return number

    def _object(self, number: int, value: Any, node: Any, path: str) -> None:
        if isinstance(value, VariableBase):
            self._variable(number, value, node, path)
        elif isinstance(value, LookupInterface) and _held(value) is not None:
            node.resource.SetInParent()
            if not isinstance(_held(value), StaticHashTable):
                self._entries(number, value, path)
        elif isinstance(value, Asset):
            self._asset(number, value, node)
        elif isinstance(value, ConcreteFunction):
            [written] = self._one_of(value)
            node.bare_concrete_function.CopyFrom(self._bare(value, written))
        elif isinstance(value, GenericFunction):
            node.function.function_spec.CopyFrom(
                function_spec(signature_of(value), _input_signature(value))
            )
            for concrete in concrete_functions(value, for_saving=True):
                for written in self._concrete(concrete):
                    node.function.concrete_functions.append(written.name)
        else:
            kinds = [kind for kind in IDENTIFIERS if isinstance(value, kind)]
            node.user_object.identifier = IDENTIFIERS[kinds[0]] if kinds else "_generic_user_object"
            node.user_object.version.producer = node.user_object.version.min_consumer = 1

    def _variable(self, number: int, variable: Any, node: Any, path: str) -> None:
        name = str(variable.name).removesuffix(":0")
        node.variable.dtype = int(variable.dtype.as_datatype_enum)
        node.variable.shape.CopyFrom(shape_proto(variable.shape))
        node.variable.trainable = bool(variable.trainable)
        node.variable.name = name
        key = f"{path}{SUFFIX}"
        self.tensors[key] = np.array(static_value(variable._snapshot, "saving"))
        self.checkpoint[number]["tensors"][VALUE] = key
        self.checkpoint[number].setdefault("full_names", {})[VALUE] = name
        self._restored[number] = key
        # Converters look for a node by the name that the variable is shared under.
        shared = f"{NOT_IN_NAMES.sub('_', name).lstrip('_') or 'variable'}_{number}"
        self._handles[number] = self._main.named(
            "VarHandleOp", shared, dtype=variable.dtype, shape=variable.shape, shared_name=shared
        )

    def _entries(self, number: int, table: Any, path: str) -> None:
        """Put the entries of a table that changes into the checkpoint."""
        key = f"{path}{TABLE}"
        for name, array in zip(("keys", "values"), table_arrays(table), strict=True):
            # TensorFlow's dense tables have keys and values with one axis at least.
            is_flat = isinstance(table, DenseHashTable) and array.ndim == 1
            self.tensors[f"{key}-{name}"] = array[:, None] if is_flat else array
        self.checkpoint[number]["tensors"]["table"] = key
        self._restored[number] = key

    def _asset(self, number: int, asset: Asset, node: Any) -> None:
        name, source = asset_file(asset, {name for name, _ in self.assets})
        node.asset.asset_file_def_index = len(self.assets)
        self.assets.append((name, source))
        path = self._main.constant(np.array(b"", object), once=False)
        self._handles[number] = path
        file = self.meta.asset_file_def.add(filename=name)
        file.tensor_info.name = path.name

    def _bare(self, concrete: Any, written: Written) -> messages.SavedBareConcreteFunction:
        names = [tensor.op.name for tensor in concrete.inputs]
        return messages.SavedBareConcreteFunction(
            concrete_function_name=written.name,
            argument_keywords=names,
            allowed_positional_arguments=len(names),
            function_spec=function_spec(concrete._signature),
        )

    # Functions

    def _concrete(self, concrete: Any, for_signature: bool = False) -> list[Written]:
        """What a concrete function is written as: one function, or one for each size it was called with."""
        if id(concrete) not in self._concretes:
            before = self.called, self.for_signature
            self.called, self.for_signature = concrete.name.decode(), for_signature
            specs = flat_specs(list(concrete._arguments.values()))
            written, _ = recordings_of(
                concrete, self.called, specs, lambda recording: self._recording(concrete, recording)
            )
            self._concretes[id(concrete)] = written
            self._kept.append(concrete)
            self.called, self.for_signature = before
        return self._concretes[id(concrete)]

    def _one_of(self, concrete: Any, for_signature: bool = False) -> list[Written]:
        written = self._concrete(concrete, for_signature)
        if len(written) > 1:
            refuse_recording(
                concrete.name.decode(),
                "as one concrete function, since it does something else for each size",
            )
        return written

    def _recording(self, concrete: Any, recording: Any) -> Written:
        """Write a function, and the specs of its arguments and results."""
        arguments, order = _numbered(concrete, recording.specs)
        names = input_names(concrete)
        stem = f"__inference_{concrete._function.name}"
        written = self.functions.write(recording, stem, names, order)
        written.arguments = arguments
        saved = self.objects.concrete_functions[written.name]
        saved.bound_inputs.extend(written.captures)
        saved.canonicalized_input_signature.CopyFrom(structured(arguments))
        saved.output_signature.CopyFrom(structured(written.structure))
        return written

    # Signatures

    def _wrapper(self, name: str, signature: Signature) -> Written:
        """The function of a signature: it takes tensors by keyword, and gives a dict."""
        [written] = self._one_of(signature.function, True)
        if len(signature.outputs) != len(_flat(written.structure)):
            refuse_recording(
                signature.function.name.decode(),
                f"as the signature {name!r}: how many results it has is known only when it runs",
            )
        to = Nodes(self.functions.new_name("__inference_signature_wrapper"))
        inputs = dict(zip(signature.inputs, written.specs, strict=True))
        tensors = {
            key: to.argument(key, inputs[key].dtype, inputs[key].shape.rank)
            for key in sorted(inputs)
        }
        handles = [
            to.argument(f"object_{number}", self._handle_dtype(number))
            for number in written.captures
        ]
        own = [tensors[signature.inputs[slot]] for slot in written.order]
        node, tensors_of_call = _call(to, written.name, [*own, *handles], written.kinds)
        to.effect(node)
        results = dict(zip(signature.outputs, tensors_of_call, strict=True))
        kinds = dict(zip(signature.outputs, _flat(written.structure), strict=True))
        for key in sorted(results):
            to.result(_identifier(key), to.one("Identity", results[key]))
        shapes = [inputs[key].shape for key in sorted(inputs)] + [[]] * len(handles)
        to.message.attr["_input_shapes"].CopyFrom(attribute_value("list(shape)", shapes))
        self.functions.messages.append(to.message)
        outputs = {key: kinds[key] for key in sorted(kinds)}
        arguments = ((), {parameter_name(key): _named(inputs[key], key) for key in sorted(inputs)})
        saved = self.objects.concrete_functions[to.name]
        saved.bound_inputs.extend(written.captures)
        saved.canonicalized_input_signature.CopyFrom(structured(arguments))
        saved.output_signature.CopyFrom(structured(outputs))
        dtypes_of_results = [outputs[key].dtype for key in outputs]
        wrapper = Written(to.name, written.captures, dtypes_of_results, outputs, [], [])
        wrapper.arguments = arguments
        return wrapper

    def _handle_dtype(self, number: int) -> Any:
        is_asset = isinstance(self.graph.objects[number], Asset)
        return dtypes.string if is_asset else dtypes.resource

    def _signature_map(self, wrappers: dict[str, Written]) -> None:
        """The object with the functions of the signatures."""
        own = len(self.objects.nodes)
        self.objects.nodes[0].children.add(node_id=own, local_name="signatures")
        node = self.objects.nodes.add()
        node.user_object.identifier = "signature_map"
        node.user_object.version.producer = node.user_object.version.min_consumer = 1
        for name, wrapper in wrappers.items():
            node.children.add(node_id=len(self.objects.nodes), local_name=name)
            keys = sorted([spec.name for spec in wrapper.arguments[1].values()])
            parameters = [
                inspect.Parameter(parameter_name(key), inspect.Parameter.KEYWORD_ONLY)
                for key in keys
            ]
            bare = self.objects.nodes.add().bare_concrete_function
            bare.concrete_function_name = wrapper.name
            bare.argument_keywords.extend(keys)
            bare.allowed_positional_arguments = min(len(keys), 1)
            bare.function_spec.CopyFrom(function_spec(inspect.Signature(parameters)))

    # Tables

    def _tables(self) -> list[tuple[int, str]]:
        """The functions that make and fill tables; for each table its number and the one that fills it."""
        starts = []
        for number, value in enumerate(self.graph.objects):
            table = _held(value) if isinstance(value, LookupInterface) else None
            if table is None:
                continue
            op, keys, attributes = _table_op(table)
            attributes["shared_name"] = f"table_{number}"
            constants = [self._main.constant(key) for key in keys]
            self._handles[number] = self._main.one(op, *constants, **attributes)
            to = self._part(number, "_create_resource", "__inference__creator", [])
            to.result("result", to.one(op, *[to.constant(key) for key in keys], **attributes))
            is_static = op == "HashTableV2"
            to = self._part(number, "_initialize", "__inference__initializer", [number])
            handle = to.argument("table", dtypes.resource)
            if is_static:  # else the checkpoint has the entries
                arrays = [to.constant(array) for array in table_arrays(table)]
                to.effect(to.node("LookupTableImportV2", [handle, *arrays], {})[0])
            else:
                self._saving_of_table(number, table)
            to.result("result", to.one("Identity", to.operand(1, dtypes.int32)))
            starts.append((number, to.name))
            to = self._part(number, "_destroy_resource", "__inference__destroyer", [])
            to.result("result", to.one("Identity", to.operand(1, dtypes.int32)))
        return starts

    def _saving_of_table(self, number: int, table: Any) -> None:
        """The functions that give the entries of a table for a checkpoint, and that take them back."""
        entries: Entries = table._entries
        kinds = {"keys": entries.key_dtype, "values": entries.value_dtype}
        text = TensorSpec([], dtypes.string)
        parts = [
            {"tensor": TensorSpec(None, kind), "slice_spec": text, "name": text}
            for kind in kinds.values()
        ]
        to = self._bare_part(
            "__inference_save_fn",
            [number],
            {"checkpoint_key": TensorSpec([], dtypes.string)},
            parts,
        )
        saveable = self.objects.nodes[number].saveable_objects["table"]
        saveable.save_function = len(self.objects.nodes) - 1
        key = to.argument("checkpoint_key", dtypes.string)
        handle = to.argument("table", dtypes.resource)
        tensors = _exported(to, handle, entries)
        for name, tensor in zip(kinds, tensors, strict=True):
            own = to.one("StringJoin", [key, to.constant(np.array(f"-{name}".encode(), object))])
            for part in (own, to.constant(np.array(b"", object)), tensor):
                to.result(f"result_{len(to.message.ret)}", to.one("Identity", part))
        specs = {
            f"restored_tensors_{place}": TensorSpec(None, kind)
            for place, kind in enumerate(kinds.values())
        }
        to = self._bare_part(
            "__inference_restore_fn", [number], specs, TensorSpec([], dtypes.int32)
        )
        saveable.restore_function = len(self.objects.nodes) - 1
        tensors = [to.argument(name, spec.dtype) for name, spec in specs.items()]
        handle = to.argument("table", dtypes.resource)
        to.effect(_imported(to, handle, tensors, table))
        to.result("result", to.one("Identity", to.operand(1, dtypes.int32)))

    def _part(self, number: int, name: str, stem: str, captures: list[int]) -> Nodes:
        """A function without arguments that is a part of an object."""
        is_handle = name == "_create_resource"
        result = TensorSpec([], dtypes.resource if is_handle else dtypes.int32)
        self.objects.nodes[number].children.add(node_id=len(self.objects.nodes), local_name=name)
        return self._bare_part(stem, captures, {}, result)

    def _bare_part(
        self, stem: str, captures: list[int], specs: dict[str, Any], result: Any
    ) -> Nodes:
        """A function of these arguments, as a new object."""
        to = Nodes(self.functions.new_name(stem))
        self.functions.messages.append(to.message)
        bare = self.objects.nodes.add().bare_concrete_function
        bare.concrete_function_name = to.name
        bare.argument_keywords.extend(specs)
        bare.allowed_positional_arguments = len(specs)
        parameters = [
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in specs
        ]
        bare.function_spec.CopyFrom(
            function_spec(inspect.Signature(parameters), None if specs else ())
        )
        saved = self.objects.concrete_functions[to.name]
        saved.bound_inputs.extend(captures)
        named = tuple(_named(spec, name) for name, spec in specs.items())
        saved.canonicalized_input_signature.CopyFrom(structured((named, {})))
        saved.output_signature.CopyFrom(structured(result))
        return to

    def _gradients(self) -> None:
        """Say which functions are gradients of custom gradients, and what they capture."""
        for gradient in self.functions.gradients:
            self.meta.graph_def.library.registered_gradients.add(
                gradient_func=gradient.name, registered_op_type=f"{OF_GRADIENT}{gradient.name}"
            )
            saved = self.objects.concrete_functions[gradient.name]
            for capture in gradient.captures:
                if isinstance(capture, str):
                    saved.bound_inputs.append(len(self.objects.nodes))
                    captured = self.objects.nodes.add().captured_tensor
                    captured.name, captured.concrete_function = capture, gradient.of
                else:
                    saved.bound_inputs.append(capture)
            saved.canonicalized_input_signature.CopyFrom(structured((tuple(gradient.specs), {})))
            saved.output_signature.CopyFrom(structured(tuple(gradient.results)))

    # The graph

    def _graph(
        self,
        signatures: dict[str, Signature],
        wrappers: dict[str, Written],
        starts: list[tuple[int, str]],
    ) -> None:
        """The graph that servers run."""
        to = self._main
        for name, wrapper in wrappers.items():
            own = self.meta.signature_def[name]
            own.method_name = PREDICT
            inputs = []
            for key, spec in wrapper.arguments[1].items():
                tensor = to.named(
                    "Placeholder", f"{name}_{key}", dtype=spec.dtype, shape=spec.shape
                )
                inputs.append(tensor)
                _tell(own.inputs[key], tensor, spec)
            handles = [self._handles[number] for number in wrapper.captures]
            _, results = _call(to, wrapper.name, [*inputs, *handles], wrapper.kinds)
            for key, tensor in zip(wrapper.structure, results, strict=True):
                _tell(own.outputs[key], tensor, wrapper.structure[key])
        filled = [
            _call(to, function, [self._handles[number]], [dtypes.int32])[0]
            for number, function in starts
        ]
        start, _ = to.node("NoOp", [], {}, filled)
        self.meta.signature_def[INIT].outputs[INIT].name = start
        self.meta.signature_def[INIT].outputs[INIT].tensor_shape.unknown_rank = True
        self.meta.collection_def["saved_model_main_op"].node_list.value.append(start)
        self._saver(to)
        self.meta.graph_def.node.extend(to.message.node_def)
        self.meta.graph_def.versions.producer = GRAPH_DEF_VERSION
        self.meta.graph_def.versions.min_consumer = MIN_CONSUMER

    def _saver(self, to: Nodes) -> None:
        """The nodes that restore and save variables, and tables that change."""
        file = to.named("Placeholder", "saver_filename", dtype=dtypes.string, shape=[])
        keys: list[bytes] = []
        current: list[Tensor] = []
        for number, key in self._restored.items():
            value = self.graph.objects[number]
            if isinstance(value, LookupInterface):
                keys += [f"{key}-keys".encode(), f"{key}-values".encode()]
                current += _exported(to, self._handles[number], _held(value)._entries)
            else:
                keys.append(key.encode())
                handle = self._handles[number]
                current.append(to.one("ReadVariableOp", handle, dtype=value.dtype))
        names = to.constant(np.array(keys, object))
        whole = to.constant(np.array([b""] * len(keys), object))
        taken, saved = [], []
        if keys:
            kinds = [tensor.dtype for tensor in current]
            values = iter(to.all("RestoreV2", file, names, whole, dtypes=kinds))
            for number in self._restored:
                value, handle = self.graph.objects[number], self._handles[number]
                if isinstance(value, LookupInterface):
                    taken.append(_imported(to, handle, [next(values), next(values)], value))
                else:
                    inputs = [handle, next(values)]
                    taken.append(to.node("AssignVariableOp", inputs, {"dtype": value.dtype})[0])
            saved.append(to.node("SaveV2", [file, names, whole, current], {})[0])
        restore, _ = to.node("NoOp", [], {}, taken)
        done, _ = to.node("Identity", [file], {}, saved)
        self.meta.saver_def.filename_tensor_name = file.name
        self.meta.saver_def.save_tensor_name = f"{done}:0"
        self.meta.saver_def.restore_op_name = restore
        self.meta.saver_def.version = SAVER_VERSION


def _call(
    to: Nodes, function: str, inputs: list[Tensor], kinds: list[Any]
) -> tuple[str, list[Tensor]]:
    """The name and the results of a node that calls a function of the library."""
    attributes = {"f": FunctionName(function), "Tout": kinds}
    return to.node("StatefulPartitionedCall", [inputs], attributes)


def _exported(to: Nodes, handle: Tensor, entries: Entries) -> list[Tensor]:
    """The keys and the values of a table."""
    kinds = {"Tkeys": entries.key_dtype, "Tvalues": entries.value_dtype}
    return to.all("LookupTableExportV2", handle, **kinds)


def _imported(to: Nodes, handle: Tensor, tensors: list[Tensor], table: Any) -> str:
    """The node that gives a table these keys and values.

    TensorFlow imports the buckets of a dense table, each at the place that its hash says. So the entries
    among them are inserted one by one, after those that are there have been removed.
    """
    if not isinstance(table, DenseHashTable):
        return to.node("LookupTableImportV2", [handle, *tensors], {})[0]

    def entries(parts: list[Tensor]) -> list[Tensor]:
        shapes = [table._entries.key_shape, table._entries.value_shape]
        keys, *others = [
            to.one("Reshape", part, [-1, *shape]) for part, shape in zip(parts, shapes, strict=True)
        ]
        is_entry: Any = None
        for reserved in reserved_keys(table):
            differs = to.one("NotEqual", keys, to.constant(reserved))
            if reserved.ndim:
                axes = to.operand(list(range(1, reserved.ndim + 1)), dtypes.int32)
                differs = to.one("Any", differs, axes)
            is_entry = differs if is_entry is None else to.one("LogicalAnd", is_entry, differs)
        places = to.one("Reshape", to.one("Where", is_entry), [-1])
        return [to.one("GatherV2", part, places, 0) for part in (keys, *others)]

    before = entries(_exported(to, handle, table._entries))[0]
    removed, _ = to.node("LookupTableRemoveV2", [handle, before], {})
    return to.node("LookupTableInsertV2", [handle, *entries(tensors)], {}, [removed])[0]


def _held(table: Any) -> Any:
    """The table with the entries; None for a vocabulary that has hash buckets alone."""
    return table._words if isinstance(table, StaticVocabularyTable) else table


def _table_op(table: Any) -> tuple[str, list[np.ndarray[Any, Any]], dict[str, Any]]:
    """The op that makes a table, the reserved keys that it takes, and its attributes."""
    entries: Entries = table._entries
    attributes: dict[str, Any] = {
        "key_dtype": entries.key_dtype,
        "value_dtype": entries.value_dtype,
    }
    if isinstance(table, StaticHashTable):
        return "HashTableV2", [], attributes
    if isinstance(table, DenseHashTable):
        attributes["value_shape"] = entries.value_shape
        return "MutableDenseHashTableV2", reserved_keys(table), attributes
    if not entries.value_shape:
        return "MutableHashTableV2", [], attributes
    attributes["value_shape"] = entries.value_shape
    return "MutableHashTableOfTensorsV2", [], attributes


def _tell(info: messages.TensorInfo, tensor: Tensor, spec: Any) -> None:
    """Fill the message about a tensor of the graph."""
    info.name = tensor.name
    info.dtype = int(spec.dtype.as_datatype_enum)
    info.tensor_shape.CopyFrom(shape_proto(spec.shape))


def _named(spec: Any, name: str) -> Any:
    return TensorSpec(spec.shape, spec.dtype, name)


def _identifier(key: str) -> str:
    """A key as the name of a result, which has letters, digits and underscores alone."""
    text = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in key.lower())
    return text if text[:1].isalpha() else f"result_{text}"


def _input_signature(function: Any) -> Any:
    """The input signature of a function, as specs."""
    own = getattr(function, "input_signature", None)
    return None if own is None else tuple(own)


def _flat(structure: Any) -> list[Any]:
    """The specs of the tensors in a nest of specs or leaves."""
    return flat_specs(_unleaved(structure))


def _unleaved(value: Any) -> Any:
    if isinstance(value, Leaf):
        return value.spec
    if isinstance(value, dict):
        return {key: _unleaved(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_unleaved(part) for part in value]
    return value


def _numbered(concrete: Any, specs: list[Any]) -> tuple[Any, list[int]]:
    """The arguments by position and keyword, and the order in which TensorFlow takes their tensors."""
    at = 0

    def leaf_of(value: Any) -> Any:
        nonlocal at
        if not isinstance(value, TypeSpec):
            return value
        own = value
        if isinstance(value, TensorSpec):
            own = TensorSpec(specs[at].shape, value.dtype, value.name)
        leaf = Leaf(at, own)
        at += leaf.count
        return leaf

    # As a list: a dict would sort the arguments by name.
    values = nest.map_structure(leaf_of, list(concrete._arguments.values()))
    args, kwargs = concrete._bound(dict(zip(concrete._arguments, values, strict=True)))
    leaves = [leaf for leaf in nest.flatten((args, kwargs)) if isinstance(leaf, Leaf)]
    order = [slot for leaf in leaves for slot in range(leaf.number, leaf.number + leaf.count)]
    return (tuple(args), dict(kwargs)), order

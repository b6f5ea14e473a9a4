"""Models of TensorFlow 1: one graph with its variables, and signatures that name tensors in it."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any

from tapegrad import dtypes
from tapegrad.core import EagerTensor
from tapegrad.framework.spec import TensorSpec
from tapegrad.framework.variable import Variable
from tapegrad.saving.bundles import read_bundle
from tapegrad.saving.files import Damaged
from tapegrad.saving.graphs.bodies import GraphBody, asset_in
from tapegrad.saving.graphs.functions import GraphFunction, Library
from tapegrad.saving.graphs.loops import with_loops
from tapegrad.saving.graphs.messages import (
    AssetFileDef,
    MetaGraphDef,
    Node,
    SaveSliceInfoDef,
    VariableDef,
    attributes_of,
    text_of,
)
from tapegrad.saving.graphs.structures import dtype_of, shape_of
from tapegrad.saving.restored import RestoredConcrete, SignatureMap, signature_function
from tapegrad.saving.user_objects import UserObject

VARIABLES = frozenset(["VarHandleOp", "Variable", "VariableV2"])
INITIALIZERS = ("saved_model_main_op", "legacy_init_op", "saved_model_init_op")
INIT_SIGNATURE = "__saved_model_init_op"


def load_older(folder: str, graph: MetaGraphDef) -> Any:
    """The object of a graph: ``signatures``, ``variables``, and ``asset_paths``."""
    library = Library(graph.graph_def.library)

    def make(name: str, nodes: list[Node], arguments: list[str], results: list[str]) -> Any:
        return GraphFunction(library, name, nodes, arguments, results, [])

    library.nodes = with_loops(library, list(graph.graph_def.node), make)
    root: Any = UserObject()
    root.variables = _variables(folder, graph, library)
    root.asset_paths = []
    feeds: dict[str, Any] = {}
    listed = graph.collection_def["saved_model_assets"].any_list.value
    entries = list(graph.asset_file_def) or [AssetFileDef.FromString(part.value) for part in listed]
    for entry in entries:
        asset = asset_in(folder, entry.filename)
        root.asset_paths.append(asset)
        feeds[_plain(entry.tensor_info.name)] = asset.asset_path
    _initialize(graph, library, feeds)
    root.signatures = SignatureMap({
        name: _signature(name, graph, library, feeds)
        for name in graph.signature_def
        if name != INIT_SIGNATURE
    })  # fmt: skip
    root.tensorflow_version = graph.meta_info_def.tensorflow_version
    root.tensorflow_git_version = graph.meta_info_def.tensorflow_git_version
    root.graph_debug_info = None
    return root


def _plain(tensor: str) -> str:
    """The name of a tensor as nodes write it: the first one of a node without its number."""
    return tensor.removesuffix(":0")


def _variables(folder: str, graph: MetaGraphDef, library: Library) -> list[Any]:
    """The variables of a graph, with the values of the checkpoint."""
    prefix = os.path.join(folder, "variables", "variables")
    index = Path(f"{prefix}.index")
    arrays = read_bundle(prefix, index)[1] if index.is_file() else {}
    trained = set()
    for data in graph.collection_def["variables"].bytes_list.value:
        definition = VariableDef.FromString(data)
        part = definition.save_slice_info_def
        if part.full_name in arrays:
            arrays[definition.variable_name.removesuffix(":0")] = _part_of(arrays, part)
    for data in graph.collection_def["trainable_variables"].bytes_list.value:
        trained.add(VariableDef.FromString(data).variable_name.removesuffix(":0"))
    variables: dict[str, Any] = {}
    for node in graph.graph_def.node:
        if node.op not in VARIABLES:
            continue
        values = attributes_of(node)
        name = text_of(node, "shared_name") or node.name
        if name not in arrays:
            continue  # such as the state of an optimizer, which no signature reads
        if not {"dtype", "shape"} <= values.keys():
            raise Damaged(f"the variable {name} has no dtype, or no shape")
        if name not in variables:
            dtype, shape = dtype_of(values["dtype"].type), shape_of(values["shape"].shape)
            array = arrays[name]
            if dtypes.from_numpy(array.dtype) is not dtype or not shape.is_compatible_with(
                array.shape
            ):
                raise Damaged(
                    f"the variable {name} is of {dtype.name} and {shape}, its value is not"
                )
            variable: Any = Variable(
                EagerTensor(array.copy()), trainable=name in trained, name="loaded", shape=shape
            )
            variable._handle_name = f"{name}:0"
            variables[name] = variable
        library.shared[node.name] = variables[name].handle
    return list(variables.values())


def _part_of(arrays: dict[str, Any], part: SaveSliceInfoDef) -> Any:
    """The part of a tensor that is the value of one of the variables which it is spread over."""
    whole, offsets, sizes = arrays[part.full_name], list(part.var_offset), list(part.var_shape)
    if not len(offsets) == len(sizes) == whole.ndim or any(
        start < 0 or size < 0 or start + size > length
        for start, size, length in zip(offsets, sizes, whole.shape, strict=False)
    ):
        raise Damaged(f"the tensor {part.full_name} has not the part that a variable is")
    return whole[
        tuple([slice(start, start + size) for start, size in zip(offsets, sizes, strict=True)])
    ]


def _initialize(graph: MetaGraphDef, library: Library, feeds: dict[str, Any]) -> None:
    """Fill the tables of a graph."""
    effects = [
        _plain(name)
        for key in INITIALIZERS
        if key in graph.collection_def
        for name in graph.collection_def[key].node_list.value
    ]
    if INIT_SIGNATURE in graph.signature_def:
        outputs = graph.signature_def[INIT_SIGNATURE].outputs
        effects += [_plain(info.name) for info in outputs.values()]
    if effects:
        function = _function(graph, library, "the initializer", list(feeds), [], effects)
        function.check(range(len(feeds)))
        function.run(list(feeds.values()))


def _function(
    graph: MetaGraphDef,
    library: Library,
    name: str,
    arguments: list[str],
    results: list[str],
    effects: list[str],
) -> GraphFunction:
    function = GraphFunction(library, name, library.nodes, arguments, results, effects)
    function.lasts = True  # what its nodes make
    return function


def _signature(name: str, graph: MetaGraphDef, library: Library, feeds: dict[str, Any]) -> Any:
    definition = graph.signature_def[name]
    inputs, outputs = sorted(definition.inputs), sorted(definition.outputs)
    for key, info in [*definition.inputs.items(), *definition.outputs.items()]:
        if not info.name:
            raise Damaged(f"the signature {name} has no tensor {key}")

    def specs(infos: Any, keys: list[str]) -> dict[str, TensorSpec]:
        return {
            key: TensorSpec(shape_of(infos[key].tensor_shape), dtype_of(infos[key].dtype), key)
            for key in keys
        }

    taken = specs(definition.inputs, inputs)
    arguments = [_plain(definition.inputs[key].name) for key in inputs]
    function = _function(
        graph,
        library,
        f"signature_wrapper_{name}",
        [*arguments, *[feed for feed in feeds if feed not in arguments]],
        [_plain(definition.outputs[key].name) for key in outputs],
        [],
    )
    captured = [value for feed, value in feeds.items() if feed not in arguments]
    body = GraphBody(
        function,
        list(taken.values()),
        specs(definition.outputs, outputs),
        lambda: captured,
        set(range(len(captured))),
    )
    kind = inspect.Parameter
    concrete = RestoredConcrete(
        f"__inference_{name}",
        inspect.Signature([kind(key, kind.KEYWORD_ONLY) for key in inputs if key.isidentifier()]),
        taken,
        inputs,
        body,
        (),
    )
    return signature_function(name, concrete, inputs, outputs)

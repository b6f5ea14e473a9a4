"""The modules below ``tensorflow.python``, ``.compiler`` and ``.core``, as one table and a class of modules.

These modules are no part of TensorFlow's public API, but libraries import them: Keras, Sonnet, GPflow,
TensorFlow Probability. Here each is a view: most names are public ones, which ``internals.txt`` maps; the
rest is in modules of ours.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from tapegrad.annex.tensorflow_shim import type_numbers
from tapegrad.annex.tensorflow_shim.absent import inventory, reason, stand_in_for
from tapegrad.annex.tensorflow_shim.class_homes import HOMES
from tapegrad.annex.tensorflow_shim.generated import in_order, names_in
from tapegrad.core import hide
from tapegrad.framework.missing import said_by_us
from tapegrad.lazy import TABLES, describe, listing_of, read_table

METRICS = " ".join(TABLES["compat.v1.metrics"])

# Names that are public nowhere: module -> where they come from -> names. A source that begins with
# "tapegrad." is a module of ours, one that begins with "python." is Python's, and "=." stands for the module
# itself; others are namespaces of tf.
OURS: Mapping[str, Mapping[str, str]] = {
    "compiler.tf2xla.python.xla": {
        "tapegrad.annex.tensorflow_shim.slices": "dynamic_slice dynamic_update_slice"
    },
    "core.example.example_pb2": {"train": "Example SequenceExample"},
    "core.example.feature_pb2": {
        "train": "BytesList Feature FeatureList FeatureLists Features FloatList Int64List"
    },
    "core.framework.attr_value_pb2": {"compat.v1": "AttrValue"},
    "core.framework.function_pb2": {"tapegrad.io.graph_messages": "FunctionDef FunctionDefLibrary"},
    "core.framework.graph_pb2": {"compat.v1": "GraphDef"},
    "core.framework.node_def_pb2": {"compat.v1": "NodeDef"},
    "core.framework.tensor_shape_pb2": {"tapegrad.io.tensors": "TensorShapeProto"},
    "core.framework.types_pb2": {
        "tapegrad.annex.tensorflow_shim.type_numbers": " ".join(type_numbers.NAMES)
    },
    "core.framework.versions_pb2": {"tapegrad.io.graph_messages": "VersionDef"},
    "core.framework.summary_pb2": {"compat.v1": "HistogramProto Summary SummaryMetadata"},
    "core.framework.tensor_pb2": {"compat.v1": "TensorProto"},
    "core.util.event_pb2": {"compat.v1": "Event"},
    "python.autograph.pyct.transformer": {
        "tapegrad.annex.tensorflow_shim.conversion": "Base Context EntityInfo"
    },
    "python.client.device_lib": {"tapegrad.annex.tensorflow_shim.tools": "list_local_devices"},
    "python.data.experimental.ops.distribute": {
        "tapegrad.annex.tensorflow_shim.batches": "compute_batch_size"
    },
    "python.data.ops.iterator_ops": {"tapegrad.data.iterators": "OwnedIterator"},
    "python.data.ops.from_generator_op": {
        "tapegrad.data.sources": "_GeneratorDataset=GeneratorDataset"
    },
    "python.data.ops.from_sparse_tensor_slices_op": {
        "tapegrad.data.legacy": "_SparseTensorSliceDataset=SparseTensorSliceDataset"
    },
    "python.data.ops.from_tensor_slices_op": {
        "tapegrad.data.sources": "_TensorSliceDataset=TensorSliceDataset"
    },
    "python.data.ops.from_tensors_op": {"tapegrad.data.sources": "_TensorDataset=TensorDataset"},
    "python.data.ops.range_op": {"tapegrad.data.sources": "_RangeDataset=RangeDataset"},
    "python.data.util.nest": {
        "tapegrad.annex.tensorflow_shim.data_nest": (
            "assert_same_structure assert_shallow_structure flatten flatten_up_to is_nested map_structure "
            "map_structure_up_to pack_sequence_as"
        )
    },
    "python.data.util.structure": {
        "data.experimental": "type_spec_from_value=get_structure",
        "tapegrad.data.structure": "NoneTensorSpec",
    },
    "python.distribute.input_lib": {"tapegrad.annex.strategies.datasets": "DistributedDataset"},
    "python.eager.backprop": {
        "contrib.eager": (
            "gradients_function implicit_grad=implicit_gradients "
            "implicit_val_and_grad=implicit_value_and_gradients make_vjp "
            "val_and_grad_function=value_and_gradients_function"
        )
    },
    "python.eager.context": {
        "tapegrad.annex.tensorflow_shim.context": (
            "_reset_context async_wait context eager_mode get_config get_device_name"
        ),
    },
    "python.eager.monitoring": {
        "tapegrad.annex.tensorflow_shim.monitoring": (
            "BoolGauge Counter ExponentialBuckets IntGauge Sampler StringGauge"
        )
    },
    "python.tpu.tpu_function": {"tapegrad.annex.tensorflow_shim.tools": "get_tpu_context"},
    "python.training.training": {
        "compat.v1.train": (
            "AdadeltaOptimizer AdagradOptimizer AdamOptimizer BytesList ClusterSpec Coordinator Example "
            "ExponentialMovingAverage Feature FeatureList FeatureLists Features FloatList FtrlOptimizer "
            "GradientDescentOptimizer Int64List MomentumOptimizer NewCheckpointReader Optimizer "
            "RMSPropOptimizer Saver SaverDef SequenceExample SessionRunArgs SessionRunContext "
            "SessionRunHook SessionRunValues assert_global_step checkpoint_exists create_global_step "
            "generate_checkpoint_state_proto get_checkpoint_mtimes get_checkpoint_state get_global_step "
            "get_or_create_global_step global_step latest_checkpoint list_variables load_checkpoint "
            "load_variable match_filenames_once update_checkpoint_state"
        )
    },
    "python.training.session_run_hook": {
        "compat.v1.train": "SessionRunArgs SessionRunContext SessionRunHook SessionRunValues"
    },
    "python.types.core": {"types.experimental": "TensorLike"},
    "python.util.all_util": {
        "tapegrad.annex.tensorflow_shim.tools": "make_all remove_undocumented reveal_undocumented"
    },
    "python.eager.imperative_grad": {"tapegrad.annex.tensorflow_shim.tapes": "imperative_grad"},
    "python.eager.record": {
        "tapegrad.annex.tensorflow_shim.tapes": (
            "VariableWatcher could_possibly_record record_operation should_record_backprop "
            "stop_recording"
        )
    },
    "python.eager.tape": {
        "tapegrad.core": "Tape",
        "tapegrad.annex.tensorflow_shim.tapes": (
            "default_get_variables pop_tape push_new_tape push_tape variable_accessed "
            "variables_accessed watch watch_variable"
        ),
    },
    "python.framework.config": {
        "tapegrad.annex.tensorflow_shim.context": "disable_op_determinism is_op_determinism_enabled"
    },
    "python.framework.ops": {
        ".": "convert_to_tensor device",
        "compat.v1": "name_scope",
        "tapegrad.annex.tensorflow_shim.tools": (
            "RegisterStatistics convert_to_tensor_or_composite register_proto_function"
        ),
        "tapegrad.core": "EagerTensor",
    },
    "python.framework.test_util": {
        "test": "TensorFlowTestCase=TestCase",
        "tapegrad.annex.tensorflow_shim.tools": (
            "run_all_in_graph_and_eager_modes=unchanged run_all_in_native_and_block_format=unchanged "
            "disable_cudnn_autotune=unchanged InstallStackTraceHandler=no_handler "
            "run_in_graph_and_eager_modes run_v2_only is_xla_enabled"
        ),
    },
    "python.framework.smart_cond": {
        "__internal__.smart_cond": "smart_cond",
        "tapegrad.annex.tensorflow_shim.tools": "smart_case smart_constant_value",
    },
    "python.framework.tensor_shape": {
        "tapegrad.annex.tensorflow_shim.tools": "as_shape unknown_shape"
    },
    "python.framework.tensor_spec": {
        ".": "TensorSpec",
        "tapegrad.framework.spec": "DenseSpec=TensorSpec",
        "tapegrad.annex.tensorflow_shim.bounded": "BoundedTensorSpec",
    },
    "python.framework.tensor": {"tapegrad.annex.tensorflow_shim.bounded": "BoundedTensorSpec"},
    "python.framework.tensor_util": {
        "tapegrad.annex.tensorflow_shim.tools": "constant_value_as_shape"
    },
    "python.framework.type_spec": {"tapegrad.framework.spec": "BatchableTypeSpec"},
    "python.framework.type_spec_registry": {
        "tapegrad.annex.tensorflow_shim.specs": (
            "get_name lookup register _NAME_TO_TYPE_SPEC _TYPE_SPEC_TO_NAME"
        )
    },
    "python.trackable.base": {"tapegrad.framework.bases": "no_automatic_dependency_tracking_scope"},
    "python.layers.utils": {"__internal__.smart_cond": "smart_cond"},
    "python.ops.metrics": {"compat.v1.metrics": METRICS},
    "python.ops.metrics_impl": {"compat.v1.metrics": METRICS},
    "python.ops.array_ops": {".": "constant", "tapegrad.ops.shape.array": "prevent_gradient"},
    "python.ops.control_flow_util": {
        "tapegrad.annex.tensorflow_shim.tools": "ENABLE_CONTROL_FLOW_V2 GraphOrParentsInXlaContext"
    },
    "python.summary.summary": {"compat.v1.summary": "FileWriter FileWriterCache"},
    "python.layers.base": {"compat.v1.layers": "InputSpec Layer"},
    "python.layers.core": {
        "compat.v1.layers": (
            "Dense Dropout Flatten FullyConnected=Dense dense dropout flatten fully_connected=dense"
        )
    },
    "python.layers.convolutional": {
        "compat.v1.layers": (
            "Conv1D Conv2D Conv2DTranspose Conv3D Conv3DTranspose Convolution1D=Conv1D Convolution2D=Conv2D "
            "Convolution2DTranspose=Conv2DTranspose Convolution3D=Conv3D "
            "Convolution3DTranspose=Conv3DTranspose Deconv2D=Conv2DTranspose Deconv3D=Conv3DTranspose "
            "Deconvolution2D=Conv2DTranspose Deconvolution3D=Conv3DTranspose SeparableConv1D SeparableConv2D "
            "SeparableConvolution2D=SeparableConv2D conv1d conv2d conv2d_transpose conv3d conv3d_transpose "
            "convolution1d=conv1d convolution2d=conv2d convolution2d_transpose=conv2d_transpose "
            "convolution3d=conv3d convolution3d_transpose=conv3d_transpose deconv2d=conv2d_transpose "
            "deconv3d=conv3d_transpose deconvolution2d=conv2d_transpose deconvolution3d=conv3d_transpose "
            "separable_conv1d separable_conv2d separable_convolution2d=separable_conv2d"
        )
    },
    "python.layers.pooling": {
        "compat.v1.layers": (
            "AveragePooling1D AveragePooling2D AveragePooling3D AvgPool2D=AveragePooling2D "
            "MaxPool2D=MaxPooling2D MaxPooling1D MaxPooling2D MaxPooling3D average_pooling1d "
            "average_pooling2d average_pooling3d avg_pool2d=average_pooling2d max_pool2d=max_pooling2d "
            "max_pooling1d max_pooling2d max_pooling3d"
        )
    },
    "python.lib.io.file_io": {"io.gfile": "FileIO=GFile"},
    "python.lib.io.tf_record": {
        "compat.v1.io": "tf_record_iterator TFRecordCompressionType",
        "io": "TFRecordOptions TFRecordWriter",
    },
    "python.ops.control_flow_case": {"tapegrad.annex.tensorflow_shim.tools": "_case_helper"},
    "python.ops.control_flow_ops": {
        "tapegrad.annex.tensorflow_shim.tools": "get_enclosing_xla_context",
    },
    "python.ops.init_ops": {"compat.v1.initializers": "Identity=identity"},
    "python.ops.linalg.linear_operator": {
        "tapegrad.annex.linear_operators.spec": "make_composite_tensor"
    },
    "python.ops.linalg.linear_operator_addition": {
        "tapegrad.annex.linear_operators.algebra": "add_operators"
    },
    "python.saved_model.model_utils.mode_keys": {
        "tapegrad.annex.tensorflow_shim.tools": "EstimatorModeKeys KerasModeKeys"
    },
    "python.ops.linalg.sparse.sparse": {
        "tapegrad.annex.tensorflow_shim.sparse_csr": "SparseMatrix=CSRSparseMatrix",
        "tapegrad.annex.tensorflow_shim.sparse_matrices": "CSRSparseMatrix matmul",
    },
    "python.ops.linalg.sparse.sparse_csr_matrix_ops": {
        "tapegrad.annex.tensorflow_shim.sparse_csr": (
            "csr_sparse_matrix_to_sparse_tensor sparse_matrix_sparse_mat_mul "
            "sparse_tensor_to_csr_sparse_matrix"
        )
    },
    "python.ops.parallel_for.control_flow_ops": {
        "tapegrad.annex.tensorflow_shim.tools": "for_loop pfor"
    },
    "python.ops.random_ops": {
        "tapegrad.annex.tensorflow_shim.tools": "parameterized_truncated_normal"
    },
    "python.ops.resource_variable_ops": {
        "tapegrad.framework.variable": "BaseResourceVariable=ResourceVariable ResourceVariable",
        "tapegrad.framework.variable_spec": "VariableSpec",
    },
    "python.trackable.data_structures": {
        "tapegrad.annex.tensorflow_shim.data_structures": (
            "ListWrapper NoDependency _DictWrapper wrap_or_unwrap"
        ),
        "tapegrad.annex.tensorflow_shim.tools": "sticky_attribute_assignment",
    },
    "python.util.deprecation": {
        "tapegrad.annex.tensorflow_shim.deprecation": (
            "deprecated deprecated_alias deprecated_arg_values deprecated_args "
            "deprecated_argument_lookup deprecated_endpoints silence"
        )
    },
    "python.util.nest": {
        "tapegrad.annex.tensorflow_shim.nested": (
            "_is_namedtuple=is_namedtuple _sequence_like=sequence_like "
            "_yield_sorted_items=yield_sorted_items _yield_value=yield_value "
            "assert_shallow_structure flatten_up_to flatten_with_joined_string_paths "
            "flatten_with_tuple_paths flatten_with_tuple_paths_up_to get_traverse_shallow_structure "
            "is_attrs is_mapping is_namedtuple is_nested_or_composite list_to_tuple "
            "map_structure_up_to map_structure_with_paths map_structure_with_tuple_paths "
            "map_structure_with_tuple_paths_up_to sequence_like yield_flat_paths"
        )
    },
    "python.util.object_identity": {
        "tapegrad.annex.tensorflow_shim.identity": (
            "ObjectIdentityDictionary ObjectIdentitySet ObjectIdentityWeakKeyDictionary "
            "ObjectIdentityWeakSet Reference WeakReference"
        )
    },
    "python.util.dispatch": {
        "tapegrad.annex.internal.fallbacks": "dispatch_for_types DISPATCH_ATTR=_DISPATCHERS"
    },
    "python.pywrap_tfe": {
        "tapegrad.annex.tensorflow_shim.context": "TF_ListPluggablePhysicalDevices=no_devices"
    },
    "python.tf2": {"__internal__.tf2": "enabled"},
    "tools.docs.doc_controls": {
        "tapegrad.annex.tensorflow_shim.tools": (
            "decorate_all_class_attributes do_not_doc_inheritable=unchanged "
            "do_not_doc_in_subclasses=unchanged do_not_generate_docs=unchanged "
            "doc_in_current_and_subclasses=unchanged doc_private=unchanged "
            "for_subclass_implementers=unchanged inheritable_header=documented "
            "set_deprecated=unchanged"
        )
    },
    "python.util.tf_contextlib": {"python.contextlib": "contextmanager"},
    "python.util.tf_export": {
        "tapegrad.annex.tensorflow_shim.tools": (
            "get_canonical_name_for_symbol get_symbol_from_name keras_export=tf_export tf_export"
        )
    },
    "python.util.tf_inspect": {
        "python.inspect": (
            "FullArgSpec Parameter _inspect=. currentframe getcallargs getdoc getfile getframeinfo "
            "getmembers getmodule getmro getsource getsourcefile getsourcelines "
            "isabstract isbuiltin isclass isframe isfunction isgenerator isgeneratorfunction "
            "ismethod ismodule isroutine signature stack unwrap"
        ),
        "tapegrad.annex.tensorflow_shim.tools": "ArgSpec getargspec getfullargspec",
    },
    "python.util.variable_utils": {
        "tapegrad.annex.tensorflow_shim.tools": "convert_variables_to_tensors"
    },
}

# Modules that give what several others hold.
UNIONS = {
    "python.eager.def_function": "eager.polymorphic_function.polymorphic_function",
    "python.framework.errors": "framework.errors_impl",
    "python.ops.gradients": "ops.gradients_impl ops.custom_gradient",
    "python.ops.image_ops": "ops.image_ops_impl",
    "python.ops.linalg.linalg": "ops.linalg.linalg_impl ops.linalg_ops ops.special_math_ops",
    "python.ops.nn": (
        "ops.nn_impl ops.nn_ops ops.ctc_ops ops.embedding_ops ops.candidate_sampling_ops"
    ),
    "python.ops.standard_ops": (
        "ops.array_ops ops.math_ops ops.control_flow_ops ops.gradients_impl ops.random_ops "
        "ops.check_ops ops.clip_ops ops.sort_ops ops.while_loop ops.cond"
    ),
}

# How a source begins that is a module.
MODULE = ("tapegrad.", "python.")

# The source of functions that take the arguments of an op in order, as `generated` makes them.
IN_ORDER = "raw_ops()"

# Modules that begin with all public names of another one, and then define some of them anew.
BEGINNINGS = {
    f"python.ops.{module}": f"python.ops.gen_{generated}"
    for module, _, generated in (
        entry.partition("=") if "=" in entry else (entry, "", entry)
        for entry in (
            "array_ops bitwise_ops control_flow_ops data_flow_ops image_ops io_ops linalg_ops list_ops "
            "logging_ops lookup_ops math_ops nn=nn_ops nn_ops parsing_ops random_ops "
            "resource_variable_ops sparse_ops standard_ops=math_ops state_ops string_ops"
        ).split()
    )
}

# Module -> where the classes come from that say they live there -> their names.
CLASSES: dict[str, dict[str, str]] = {}
for source, classes_by_home in HOMES.items():
    for home, classes in classes_by_home.items():
        if home.startswith(("core.", "dtensor.", "python.")):
            CLASSES.setdefault(home, {})[f"tapegrad.{source}"] = classes


@functools.cache
def recorded() -> dict[str, dict[str, str]]:
    """Which public names TensorFlow's modules hold: module -> namespace, or `IN_ORDER` -> names there."""
    found: dict[str, dict[str, str]] = {}
    for line in Path(__file__).with_name("internals.txt").read_text().splitlines():
        if not line.startswith("#"):
            module, namespace, names = line.split(" ", 2)
            found.setdefault(module, {})[namespace] = names
    return found


@functools.cache
def modules() -> frozenset[str]:
    """The modules of which some names are here."""
    return frozenset({*recorded(), *OURS, *UNIONS, *BEGINNINGS, *CLASSES})


@functools.cache
def packages() -> frozenset[str]:
    """These modules and all folders that they are in."""
    parts = [path.split(".") for path in modules()]
    return frozenset(".".join(each[: length + 1]) for each in parts for length in range(len(each)))


@functools.cache
def names_of(path: str) -> dict[str, tuple[str, str]]:
    """What the module ``tensorflow.path`` holds: name -> source and the name there."""
    names: dict[str, tuple[str, str]] = {}
    if path in BEGINNINGS:
        own = inventory().get(path, ())
        beginning = names_of(BEGINNINGS[path]).items()
        names |= {
            name: found for name, found in beginning if name not in own and not name.startswith("_")
        }
    for part in UNIONS.get(path, "").split():
        names |= names_of(f"python.{part}")
    public = {**recorded().get(path, {})}
    for name, type in names_in(public.pop(IN_ORDER, "")).items():
        names[name] = ("raw_ops" if name == type else IN_ORDER, type)
    for table in (public, CLASSES.get(path, {}), OURS.get(path, {})):
        names |= read_table(table.items())
    return names


class Internals(ModuleType):
    """A module below ``tensorflow.python``, whose names are loaded when they are asked for."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "A view of tapegrad, under the name of a module inside TensorFlow.")

    def __getattr__(self, name: str) -> Any:
        path = self.__name__.removeprefix("tensorflow.")
        try:
            if is_module(f"{path}.{name}"):
                return import_module(f"{self.__name__}.{name}")
            value = value_of(path, name)
            setattr(self, name, value)
            return value
        except AttributeError as error:
            hide(error)
            raise

    def __dir__(self) -> list[str]:
        path = self.__name__.removeprefix("tensorflow.")
        return listing_of(self, {*names_of(path), *inventory().get(path, ())})()


def is_module(path: str) -> bool:
    """Whether TensorFlow has a module ``tensorflow.path`` that is not public."""
    return path in packages() or path in inventory()


def value_of(path: str, name: str) -> Any:
    """What the module ``tensorflow.path`` has under ``name``.

    Raises:
        AttributeError: it is not here, and is no function or class of that module in TensorFlow.
    """
    found = names_of(path).get(name)
    if found is not None and is_here(*found):
        return load(*found)
    if path.startswith("python.keras"):
        theirs = of_keras(path.split(".")[2:], name)
        if theirs is not None:
            return theirs
    stand_in = stand_in_for(path, name)
    if stand_in is not None:
        return stand_in
    said = absence(path, name)
    raise said_by_us(f"module 'tensorflow.{path}' has no attribute {name!r}{said}", name)


def of_keras(folders: list[str], name: str) -> Any:
    """What tf.keras has for a name of TensorFlow's old copy of Keras; None if it has nothing.

    A module ``keras.utils.generic_utils`` there leads to ``tf.keras.utils``, and a class of a module that has
    no public name to ``tf.keras`` itself.
    """
    try:
        keras = import_module("tapegrad.keras")
    except ImportError:
        return None
    for length in range(len(folders), -1, -1):
        found: Any = keras
        for folder in folders[:length]:
            found = getattr(found, folder, None)
        if hasattr(found, name):
            return getattr(found, name)
    return None


def is_here(source: str, name: str) -> bool:
    """Whether tapegrad has what a table of modules leads to."""
    if source.startswith(MODULE):
        return True
    return hasattr(namespace_of(source.strip(".()")), name)


def load(source: str, name: str) -> Any:
    """The name ``name`` of a module, or of the public namespace ``source``."""
    if source == IN_ORDER:
        return in_order(name)
    if not source.startswith(MODULE):
        return getattr(namespace_of(source.strip(".")), name)
    module = import_module(source.removeprefix("python."))
    return module if name == "." else getattr(module, name)


def absence(path: str, name: str) -> str:
    """Why the module ``tensorflow.path`` has no ``name`` here: the end of a message."""
    if name.startswith("__"):
        return "."
    if (found := names_of(path).get(name)) is not None:
        space = found[0].strip(".()")
        public = f"{space}.{found[1]}".lstrip(".")
        return f": it is tf.{public}{describe(public)}"
    where = [
        f"tf.{space}.{name}".replace("..", ".")
        for space in TABLES
        if name in TABLES[space] and not space.startswith("__")
    ]
    if where:
        return f": use {min(where, key=len)}; docs/moving.md says more."
    said = reason(f"{path}.{name}" if path.startswith("python.keras") else "")
    return f": {said}; docs/moving.md says more."


def namespace_of(space: str) -> Any:
    """The public namespace ``tf.space``; None if tapegrad has none."""
    if space == "raw_ops":  # loaded when it is first used
        return sys.modules["tapegrad"].raw_ops
    return sys.modules.get(f"tapegrad.{space}".rstrip("."))

"""Writes down which of the names in modules inside TensorFlow are public, and which public names they are.

    python tests/golden/record_internals.py        where TensorFlow is installed

It writes ``src/tapegrad/annex/tensorflow_shim/internals.txt``, which says how its lines are to be
read. Names that are the same objects as no public ones are left out: those that programs use are in the table
of `tapegrad.annex.tensorflow_shim.internals`.
"""

import functools
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import tensorflow as tf

FILE = (
    Path(__file__).parents[2] / "src" / "tapegrad" / "annex" / "tensorflow_shim" / "internals.txt"
)
HEAD = """\
# Written by tests/golden/record_internals.py, which asks TensorFlow. A line has a module below tensorflow,
# a namespace ("." is tf itself) and the names of it that the module holds, with name=public name where they
# differ; or "raw_ops()" and the types of ops for which the module has functions, with function=type where the
# function has not the usual name."""

MODULES = """
autograph.converters.break_statements autograph.converters.continue_statements
autograph.converters.return_statements autograph.core autograph.core.converter autograph.pyct
autograph.pyct.anno autograph.pyct.common_transformers.anf autograph.pyct.inspect_utils
autograph.pyct.loader autograph.pyct.naming autograph.pyct.parser autograph.pyct.qual_names
autograph.pyct.static_analysis.activity autograph.pyct.templates autograph.pyct.transformer
checkpoint.checkpoint checkpoint.checkpoint_management checkpoint.graph_view
checkpoint.saveable_compat client.device_lib client.timeline compat.compat
data.experimental.ops.distribute data.ops.dataset_ops data.ops.from_generator_op
data.ops.from_sparse_tensor_slices_op data.ops.from_tensor_slices_op data.ops.from_tensors_op
data.ops.iterator_ops data.ops.load_op data.ops.optional_ops data.ops.options data.ops.range_op
data.ops.structured_function data.util.nest data.util.structure debug.lib.debug_events_monitors
debug.lib.debug_events_reader distribute distribute.cluster_resolver
distribute.cluster_resolver.tpu_cluster_resolver distribute.coordinator.cluster_coordinator
distribute.coordinator.coordinator_context distribute.distribute_lib distribute.distribute_utils
distribute.input_lib distribute.input_ops distribute.parameter_server_strategy_v2
distribute.ps_values distribute.reduce_util distribute.strategy_combinations distribute.values
eager.backprop eager.context eager.def_function eager.execute eager.forwardprop eager.function
eager.monitoring eager.polymorphic_function.polymorphic_function eager.record eager.tape
eager.wrap_function feature_column.feature_column feature_column.feature_column_lib
feature_column.feature_column_v2 feature_column.serialization feature_column.utils framework
framework.c_api_util framework.composite_tensor framework.config framework.constant_op
framework.convert_to_constants framework.device framework.device_spec framework.dtypes
framework.errors framework.errors_impl framework.func_graph framework.function
framework.function_def_to_graph framework.graph_util framework.indexed_slices
framework.load_library framework.ops framework.random_seed framework.smart_cond
framework.sparse_tensor framework.tensor framework.tensor_conversion framework.tensor_shape
framework.tensor_spec framework.tensor_util framework.type_spec framework.type_spec_registry
grappler.tf_optimizer layers.base layers.convolutional layers.core layers.normalization
layers.pooling layers.utils lib.io.file_io lib.io.tf_record module.module ops.array_ops
ops.array_ops_stack ops.bincount_ops ops.bitwise_ops ops.candidate_sampling_ops ops.check_ops
ops.clip_ops ops.clustering_ops ops.cond ops.confusion_matrix ops.control_flow_assert
ops.control_flow_case ops.control_flow_ops ops.control_flow_switch_case ops.control_flow_util
ops.critical_section_ops ops.ctc_ops ops.custom_gradient ops.data_flow_ops ops.distributions
ops.distributions.normal ops.distributions.util ops.embedding_ops ops.functional_ops
ops.gradient_checker ops.gradients ops.gradients_impl ops.gradients_util ops.histogram_ops
ops.image_ops ops.image_ops_impl ops.init_ops ops.init_ops_v2 ops.inplace_ops ops.io_ops
ops.linalg.linalg_impl ops.linalg.linear_operator ops.linalg.linear_operator_addition
ops.linalg.sparse.sparse ops.linalg.sparse.sparse_csr_matrix_ops ops.linalg_ops
ops.linalg_ops_impl ops.list_ops ops.logging_ops ops.lookup_ops ops.manip_ops ops.map_fn
ops.math_ops ops.metrics ops.metrics_impl ops.nn ops.nn_impl ops.nn_ops ops.numerics
ops.numpy_ops ops.numpy_ops.np_array_ops ops.numpy_ops.np_arrays ops.numpy_ops.np_config
ops.numpy_ops.np_dtypes ops.numpy_ops.np_math_ops ops.numpy_ops.np_random ops.numpy_ops.np_utils
ops.parallel_for.control_flow_ops ops.parallel_for.gradients ops.parsing_ops
ops.ragged.ragged_array_ops ops.ragged.ragged_conversion_ops ops.ragged.ragged_functional_ops
ops.ragged.ragged_gather_ops ops.ragged.ragged_map_ops ops.ragged.ragged_math_ops
ops.ragged.ragged_ops ops.ragged.ragged_string_ops ops.ragged.ragged_tensor ops.ragged.ragged_util
ops.ragged.ragged_where_op ops.ragged.segment_id_ops ops.random_crop_ops ops.random_ops
ops.ref_variable ops.resource_variable_ops ops.resources ops.rnn ops.rnn_cell ops.rnn_cell_impl
ops.script_ops ops.shape_util ops.signal.dct_ops ops.signal.fft_ops ops.signal.spectral_ops
ops.signal.window_ops ops.sort_ops ops.sparse_ops ops.special_math_ops ops.standard_ops
ops.state_ops ops.stateful_random_ops ops.stateless_random_ops ops.string_ops ops.summary_ops_v2
ops.template ops.tensor_array_ops ops.tensor_getitem_override ops.unconnected_gradients
ops.variable_scope ops.variables ops.weights_broadcast_ops ops.while_loop platform.build_info
platform.flags platform.gfile platform.googletest platform.resource_loader platform.test
platform.tf_logging profiler.model_analyzer
profiler.option_builder profiler.profiler_client profiler.trace saved_model saved_model.constants
saved_model.load saved_model.loader_impl saved_model.model_utils
saved_model.model_utils.export_output saved_model.model_utils.export_utils
saved_model.model_utils.mode_keys saved_model.nested_structure_coder saved_model.path_helpers
saved_model.save saved_model.signature_constants summary.summary summary.writer.writer
summary.writer.writer_cache tf2 tools.freeze_graph trackable.autotrackable trackable.base
trackable.data_structures trackable.resource training training.basic_session_run_hooks
training.checkpoint_management training.coordinator training.device_setter training.evaluation
training.input training.monitored_session training.moving_averages training.optimizer
training.queue_runner training.saver training.server_lib training.session_run_hook
training.supervisor training.sync_replicas_optimizer training.training training.training_util
types.core types.trace util.all_util util.compat util.decorator_utils util.deprecation
util.dispatch util.function_utils util.keras_deps util.module_wrapper util.nest
util.object_identity util.protobuf.compare util.serialization util.tf_contextlib util.tf_decorator
util.tf_export util.tf_inspect util.variable_utils
""".split()


LEFT_OUT = {"compat.v1", "compat.v1.compat", "compat.v2", "raw_ops", "compat.v1.raw_ops"}


def public_names() -> dict[int, str]:
    """The shortest public path to every object that TensorFlow exports, by its id.

    A path below ``tf`` is preferred to one below ``tf.compat.v1``.
    """
    found: dict[int, str] = {}
    for path, module in (("", tf), ("compat.v1", tf.compat.v1), ("__internal__", tf.__internal__)):
        of_one: dict[int, str] = {}
        for name, value in walk(module, path, set()):
            if id(value) not in of_one or rank(name) < rank(of_one[id(value)]):
                of_one[id(value)] = name
        found = of_one | found
    return found


def rank(path: str) -> tuple[bool, int, int, str]:
    return path.startswith("raw_ops"), path.count("."), len(path), path


def today(path: str) -> str:
    """The path without ``compat.v1`` where the old function has today's parameters, and maybe more."""
    new = path.removeprefix("compat.v1.")
    try:
        old_and_new = [functools.reduce(getattr, each.split("."), tf) for each in (path, new)]
        old, now = (list(inspect.signature(each).parameters.values()) for each in old_and_new)
    except (AttributeError, TypeError, ValueError):
        return path
    same = [(a.name, a.default) for a in old[: len(now)]] == [(b.name, b.default) for b in now]
    return new if same else path


def walk(module: Any, path: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    seen.add(id(module))
    for name in sorted(vars(module)):
        whole = f"{path}.{name}".lstrip(".")
        if name.startswith("_") or whole in LEFT_OUT:
            continue
        value = getattr(module, name)
        if "KerasLazyLoader" in repr(type(value)) or "KerasLazyLoader" in repr(value):
            continue
        if isinstance(value, ModuleType):
            # tf.experimental alone has a name without "_api" in it.
            inside = "_api" in value.__name__ or value is tf.experimental
            if inside and id(value) not in seen:
                yield from walk(value, whole, seen)
        elif callable(value) or type(value).__module__.startswith("tensorflow"):
            yield whole, value


FOLDERS = ("ops", "ops.linalg.sparse", "tpu.ops")
WORDS = re.compile(
    "(?<=[a-z])(?=[A-Z])|(?<=[0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[0-9]D)(?=[A-Z])"
)


def generated(module: ModuleType) -> Iterator[str]:
    """The types of the ops that a module has functions for, with the function's name where it is another."""
    function = ""
    for name, value in vars(module).items():
        if inspect.isfunction(value) and value.__module__ == module.__name__:
            if name[0].isupper():
                usual = WORDS.sub("_", name).lower()
                # The module has `Any` of typing before the op of that name.
                yield name if function == usual else f"{function or f'_{usual}'}={name}"
            elif not name.startswith("_dispatcher") and not name.endswith("_eager_fallback"):
                function = name


def ops_of_generated() -> Iterator[str]:
    for folder in FOLDERS:
        package = importlib.import_module(f"tensorflow.python.{folder}")
        for module in pkgutil.iter_modules(package.__path__):
            if module.name.startswith("gen_"):
                path = f"python.{folder}.{module.name}"
                types = generated(importlib.import_module(f"tensorflow.{path}"))
                yield f"{path} raw_ops() {' '.join(types)}"


def public_names_of_modules() -> Iterator[str]:
    public = public_names()
    for short in MODULES:
        try:
            module = importlib.import_module(f"tensorflow.python.{short}")
        except ImportError as error:
            print(f"{short}: {error}", file=sys.stderr)
            continue
        by_namespace: dict[str, list[str]] = {}
        for name, value in sorted(vars(module).items()):
            home = getattr(value, "__module__", module.__name__)
            if (
                id(value) in public
                and not name.startswith("__")
                and (home == module.__name__ or ".gen_" in home)
            ):
                namespace, _, inner = today(public[id(value)]).rpartition(".")
                entry = name if inner == name else f"{name}={inner}"
                by_namespace.setdefault(namespace, []).append(entry)
        for namespace, entries in by_namespace.items():
            yield f"python.{short} {namespace or '.'} {' '.join(entries)}"


def main() -> None:
    lines = sorted([*public_names_of_modules(), *ops_of_generated()])
    FILE.write_text("\n".join([HEAD, *lines, ""]))


if __name__ == "__main__":
    main()

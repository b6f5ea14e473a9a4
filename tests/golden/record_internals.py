"""Prints the tables of `tapegrad.standing.internal_ops` and `internals`. Run it where TensorFlow is.

    python tests/golden/record_internals.py ops     the modules below tensorflow.python.ops
    python tests/golden/record_internals.py rest    all other modules

For each module below ``tensorflow.python`` it prints which of its names are the same objects as public
names, and which public names. Names that are public nowhere are left out: `internals` lists
those that programs use.
"""

import functools
import importlib
import inspect
import sys
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import tensorflow as tf

MODULES = """
data.experimental.ops.distribute data.ops.dataset_ops data.ops.iterator_ops data.ops.optional_ops
data.ops.options distribute.distribute_lib distribute.reduce_util eager.backprop eager.context
eager.forwardprop eager.polymorphic_function.polymorphic_function framework.composite_tensor
framework.config framework.constant_op framework.device framework.dtypes framework.errors_impl
framework.func_graph framework.indexed_slices framework.load_library framework.ops
framework.random_seed framework.sparse_tensor framework.tensor framework.tensor_conversion
framework.tensor_shape framework.tensor_util framework.type_spec framework.type_spec_registry
module.module ops.array_ops ops.array_ops_stack ops.bincount_ops ops.bitwise_ops
ops.candidate_sampling_ops ops.check_ops ops.clip_ops ops.cond ops.confusion_matrix
ops.control_flow_assert ops.control_flow_case ops.control_flow_ops ops.control_flow_switch_case
ops.control_flow_util ops.critical_section_ops ops.ctc_ops ops.custom_gradient ops.data_flow_ops
ops.embedding_ops ops.functional_ops ops.gradients_impl ops.gradients_util ops.histogram_ops
ops.image_ops_impl ops.init_ops ops.init_ops_v2 ops.inplace_ops ops.linalg.linalg_impl
ops.linalg.linear_operator ops.linalg_ops ops.linalg_ops_impl ops.lookup_ops ops.manip_ops
ops.map_fn ops.math_ops ops.nn_impl ops.nn_ops ops.numerics ops.parallel_for.control_flow_ops
ops.parallel_for.gradients ops.ragged.ragged_tensor ops.random_crop_ops ops.random_ops
ops.resource_variable_ops ops.script_ops ops.shape_util ops.signal.dct_ops ops.signal.fft_ops
ops.signal.spectral_ops ops.signal.window_ops ops.sort_ops ops.sparse_ops ops.special_math_ops
ops.stateful_random_ops ops.stateless_random_ops ops.string_ops ops.template ops.tensor_array_ops
ops.unconnected_gradients ops.variable_scope ops.variables ops.weights_broadcast_ops
ops.while_loop platform.gfile platform.tf_logging saved_model.load saved_model.save
trackable.autotrackable trackable.base trackable.data_structures training.moving_averages
training.training_util types.core util.compat util.decorator_utils util.deprecation util.dispatch
util.keras_deps util.nest util.object_identity util.tf_contextlib util.tf_decorator util.tf_export
util.tf_inspect util.variable_utils
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
            if "_api" in value.__name__ and id(value) not in seen:
                yield from walk(value, whole, seen)
        elif callable(value) or type(value).__module__.startswith("tensorflow"):
            yield whole, value


def main(part: str) -> None:
    public = public_names()
    for short in sorted(MODULES):
        if short.startswith("ops.") != (part == "ops"):
            continue
        try:
            module = importlib.import_module(f"tensorflow.python.{short}")
        except ImportError as error:
            print(f"# {short}: {error}")
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
        if not by_namespace:
            continue
        print(f'    "python.{short}": {{')
        for namespace, entries in sorted(by_namespace.items()):
            names = " ".join(entries)
            line = f'        "{namespace or "."}": "{names}",'
            if len(line) > 100:
                parts = textwrap.wrap(names, 84, break_long_words=False)
                joined = "\n".join(f'            "{part} "' for part in parts)
                line = f'        "{namespace or "."}": (\n{joined[:-2]}"\n        ),'
            print(line)
        print("    },")


if __name__ == "__main__":
    main(sys.argv[1])

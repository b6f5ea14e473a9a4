"""Messages for names that TensorFlow has and tapegrad lacks: what to use instead, or why the name is missing.

This module is loaded when a name is missing, and never before. A test compares the tables with TensorFlow's
own list of names: each of its names is there or has an answer here, and no name that is there has an answer.
"""

from __future__ import annotations

import functools
import gzip
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tapegrad.framework import habits

GRAPHS = (
    "graphs are not written to files or read from them: tf.compat.v1.Session runs a graph in the program "
    "that builds it"
)
SESSIONS = (
    "tf.compat.v1.Session is here, but not all that TensorFlow 1.x has around it: supervisors, queues, "
    "handles and logs"
)
ONE_BEHAVIOUR = (
    "TensorFlow 2's behaviour is the only one: leave the call out, and build graphs in "
    "`with tf.Graph().as_default():`"
)
NOT_YET = "it is not here yet"
FILES = "use tf.io and tf.data, or read with Python and NumPy (open, np.load)"
PICTURES = "read such pictures with Pillow and a plugin of it: numpy.asarray(PIL.Image.open(file))"
PROTOS = "use the package protobuf, with tf.py_function inside of a data set"
OPTIMIZERS = (
    "use tf.keras.optimizers (pip install tapegrad[keras]), or write the step, as in "
    "variable.assign_sub(rate * gradient)"
)
DEVICES = "there is one device, the CPU of this machine, and so nothing to distribute over"
SERVERS = (
    "there are no servers here: tf.distribute.MultiWorkerMirroredStrategy and DistributedGradientTape train "
    "on several processes, each with all variables (docs/distributed.md)"
)
MESHES = (
    "tensors are not divided over devices here: tf.distribute has the collectives to write it with, and "
    "DistributedGradientTape divides batches over processes (docs/distributed.md)"
)
COMPILED = "nothing is compiled here, so there is nothing to set"
UNITTEST = "use pytest or Python's unittest"
ONE_X = "it belongs to TensorFlow 1.x, of which tf.compat.v1 has but a part; dir(tf.compat.v1) lists that"

# Patterns of names below tf, and the answer for the names that match. The first entry that matches is used.
FAMILIES = [
    ("__internal__.*", "it is for parts of TensorFlow and of Keras 2 that are not here"),
    ("compat.v1.raw_ops compat.v1.raw_ops.* compat.v1.user_ops.*", "use tf.raw_ops"),
    ("compat.v1.train.*Optimizer", OPTIMIZERS),
    ("compat.v1.train.*warm_start*", OPTIMIZERS),
    (
        "compat.v1.nn.*rnn* nn.RNNCell*",
        "use tf.keras.layers.RNN (pip install tapegrad[keras]), a Python loop, or tf.scan",
    ),
    (
        "data.experimental.service data.experimental.service.* data.experimental.distributed_save",
        "there is no data service: each program makes its own data sets",
    ),
    ("data.experimental.*_variant", "there are no variant tensors: hand the data set itself over"),
    (
        "data.experimental.get_model_proto",
        "there is no performance model: profile the program with cProfile",
    ),
    (
        "data.experimental.make_saveable_from_iterator",
        "a NumPy iterator has save() and restore(): dataset.as_numpy_iterator()",
    ),
    ("compat.v1.ragged.*", "it is not here: tf.ragged and tf.RaggedTensor are"),
    ("experimental.StructuredTensor", "it is not here: tf.RaggedTensor is"),
    ("compat.forward_compat*", "it belongs to releases of TensorFlow"),
    ("compat.v1.*Reader*", FILES),
    ("image.decode_jxl io.decode_jxl", PICTURES),
    ("io.decode_proto io.encode_proto compat.v1.*.decode_proto", PROTOS),
    ("io.write_graph", GRAPHS),
    ("io.* compat.v1.*Feature", FILES),
    ("compat.v1.resource_loader compat.v1.resource_loader.*", FILES),
    ("image.generate_bounding_box_proposals", NOT_YET),
    ("compat.v1.saved_model.*", "use tf.saved_model, which needs no graph and no session"),
    ("train.experimental.*", "a checkpoint is written as one file of data: there are no shards"),
    (
        "distribute.coordinator distribute.coordinator.* distribute.experimental.coordinator*",
        SERVERS,
    ),
    (
        "distribute.experimental.rpc* distribute.Server",
        SERVERS,
    ),
    ("dtensor experimental.dtensor.*", MESHES),
    ("train.*Def distribute.*", DEVICES),
    ("nondifferentiable_batch_function", DEVICES),
    ("config.experimental_connect_to_* config.experimental.ClusterDeviceFilters", DEVICES),
    ("compat.v1.tpu.*", "there are no TPUs here"),
    ("mlir mlir.*", COMPILED),
    (
        "lite.* compat.v1.lite.*",
        "tf.saved_model.save writes a model that TensorFlow's converter takes; tf.lite.Interpreter is here",
    ),
    ("experimental.tensorrt experimental.tensorrt.*", "there is no TensorRT here"),
    (
        "feature_column feature_column.*",
        "use Keras's preprocessing layers (pip install tapegrad[keras]), or tf.one_hot and tf.gather",
    ),
    (
        "compat.v1.profiler compat.v1.profiler.*",
        "use cProfile, with tapegrad.profiling.named_ops",
    ),
    (
        "sysconfig.* load_library load_op_library",
        "there is no TensorFlow library to compile against",
    ),
    ("test.Benchmark test.benchmark_config", UNITTEST),
    ("test.*", f"{UNITTEST}; tapegrad.testing has checks of gradients"),
    ("import_graph_def graph_util graph_util.*", GRAPHS),
    ("types.*", "it is a class for annotations: write tf.Tensor, or typing.Any"),
    ("conv", "use tf.nn.convolution"),
    ("conv2d_backprop_*", "use tf.raw_ops.Conv2DBackpropInput or Conv2DBackpropFilter"),
    (
        "check_pinned",
        "it belongs to GPUs, and there is one device, the CPU of this machine",
    ),
    ("*Spec", "it is not here: tf.TensorSpec, tf.RaggedTensorSpec and tf.SparseTensorSpec are"),
    (
        "experimental.enable_strict_mode",
        "warnings are Python's: warnings.simplefilter('error') makes errors of them",
    ),
    ("experimental.register_filesystem_plugin", FILES),
    (
        "debugging.experimental debugging.experimental.*",
        "there are no dumps; tf.debugging.enable_check_numerics is here",
    ),
    (
        "quantization.*",
        "quantized tensors are not here: tf.quantization has the fake_quant functions",
    ),
    ("compat.v1.errors.*", "use tf.errors"),
    ("compat.v1.flags compat.v1.app compat.v1.app.*", "use argparse, or absl-py"),
    (
        "compat.v1.sparse.placeholder",
        "use three of tf.compat.v1.placeholder, for the indices, the values and the shape",
    ),
    ("compat.v1.op_scope", "use tf.name_scope"),
    ("compat.v1.disable_*", ONE_BEHAVIOUR),
    ("compat.v1.*graph*", GRAPHS),
    (
        "compat.v1.*Session* compat.v1.*session*",
        SESSIONS,
    ),
    ("compat.v1.all_variables", "use tf.compat.v1.global_variables"),
    (
        "compat.v1.*variable* compat.v1.*Variable*",
        "use tf.Variable and tf.Module",
    ),
    ("compat.v1.count_up_to", "use the methods of tf.Variable"),
    (
        "compat.v1.distributions compat.v1.distributions.*",
        "use the functions of tf.random and tf.math",
    ),
    ("compat.v1.*", ONE_X),
    (
        "raw_ops.*",
        "tf.raw_ops has the ops that TensorFlow differentiates, and what belongs to them",
    ),
]

# Names of TensorFlow 1.x that have another name today, beside those that ``annex/spellings.txt`` lists.
RENAMED = {
    "batch_to_space_nd": "batch_to_space",
    "diag": "linalg.tensor_diag",
    "diag_part": "linalg.tensor_diag_part",
    "extract_image_patches": "image.extract_patches",
    "resize_image_with_pad": "image.resize_with_pad",
    "sparse_matmul": "matmul",
    "verify_tensor_all_finite": "debugging.assert_all_finite",
    **dict.fromkeys(
        "resize_images resize_area resize_bicubic resize_bilinear resize_nearest_neighbor".split(),
        "image.resize",
    ),
    **dict.fromkeys(
        "to_bfloat16 to_complex128 to_complex64 to_double to_float to_int32 to_int64".split(),
        "cast",
    ),
}

# Attributes of TensorFlow's objects, by class; "*" is every class.
ATTRIBUTES = {
    "*": {
        "op name graph value_index": "is undefined when eager execution is enabled",
        (
            "cast experimental_as_proto experimental_from_proto experimental_type_proto flatten "
            "from_tensors placeholder_value to_tensors to_proto from_proto"
        ): "belongs to the tracing of functions and to files of graphs, which are not here",
    },
    "Tensor": {
        "is_packed": "belongs to tensors over several devices, and there is one",
    },
    "Variable": {
        "SaveSliceInfo": "belongs to variables in parts, which are not here",
        "create initialized_value": "belongs to graphs: a variable has its value from the start",
    },
    "SparseTensor": {
        "eval": "belongs to graphs and sessions: the values are there, as .values.numpy()",
    },
    "function": {
        (
            "experimental_get_compiler_ir function_spec function_type get_initialization_function"
        ): "belongs to traced functions: here the Python function runs at every call",
    },
}


class _NoNames:
    """In place of the owner of a missing name. Python would add a guess to the message: a name of the owner
    that looks like the missing one. Our message says more, so Python gets an owner without names."""

    def __dir__(self) -> list[str]:
        return []


def said_by_us(message: str, name: str) -> AttributeError:
    """An AttributeError with this message, to which Python adds no guess of its own."""
    return AttributeError(message, name=name, obj=_NoNames())


@functools.cache
def public_names() -> dict[str, frozenset[str]]:
    """TensorFlow's own public names, by namespace, as ``tests/golden/record_names.py`` wrote them down."""
    text = gzip.decompress(Path(__file__).with_name("public_names.gz").read_bytes()).decode()
    lines = [line.split(" ") for line in text.splitlines()]
    return {path: frozenset(names) for path, *names in lines}


def may_exist(path: str) -> bool:
    """Whether TensorFlow has ``tf.path``, or may have it: Keras's names are not listed."""
    namespace, _, name = path.rpartition(".")
    known = public_names()
    while namespace not in known:
        namespace, _, name = namespace.rpartition(".")
    return name in known[namespace]


def of_family(path: str) -> str | None:
    """The answer of the table FAMILIES for ``tf.path``; None also for a name that TensorFlow lacks."""
    if not may_exist(path):
        return None
    for patterns, answer in FAMILIES:
        if any(fnmatchcase(path, pattern) for pattern in patterns.split()):
            return answer
    return None


def elsewhere(name: str, names: Mapping[str, Iterable[str]]) -> str | None:
    """The shortest path to ``name`` in today's namespaces, all of which are in ``names``; or None."""
    paths = [
        f"{namespace}.{name}".lstrip(".")
        for namespace, inside in names.items()
        if name in inside
        and not namespace.startswith(("array_api", "compat", "contrib", "raw_ops"))
        and f"{namespace}.{name}".lstrip(".") not in names  # a namespace is no function
    ]
    # Of two names the one outside of the NumPy-like namespace, whose functions have other rules for dtypes.
    return min(
        paths,
        key=lambda path: (path.startswith("experimental.numpy"), path.count("."), path),
        default=None,
    )


def renamed(name: str, names: Mapping[str, Iterable[str]], today: Mapping[str, str]) -> str | None:
    """Today's path for a name of TensorFlow 1.x; None if it is not here."""
    return RENAMED.get(name) or elsewhere(name, names) or today.get(name)


def today_for(
    path: str, names: Mapping[str, Iterable[str]], today: Mapping[str, str]
) -> str | None:
    """Today's name of TensorFlow 1.x's ``tf.path``; None if it is not here."""
    namespace, _, name = path.rpartition(".")
    if name in names.get(namespace, ()):
        return path
    if namespace.startswith(("raw_ops", "errors")) or of_family(path) is not None or path in names:
        return None
    return renamed(name, names, today)


def answer(path: str, names: Mapping[str, Iterable[str]], today: Mapping[str, str]) -> str | None:
    """The answer for ``tf.path``, a name that is missing; None if TensorFlow has no such name either.

    ``names`` lists what each namespace here holds, ``today`` the paths here of names of TensorFlow 1.x.
    """
    namespace, _, name = path.rpartition(".")
    said = of_family(path)
    if path.startswith("compat.v1."):
        replacement = today_for(path.removeprefix("compat.v1."), names, today)
        if replacement is not None:
            return f"use tf.{replacement}"
        if said == ONE_X:
            return of_family(path.removeprefix("compat.v1.")) or said
    if said is not None:
        return said
    said = habits.name_answer(path)
    if said is not None:
        return said
    replacement = renamed(name, names, today)
    if replacement is not None:
        return f"use tf.{replacement}"
    if name in names.get(f"compat.v1.{namespace}".rstrip("."), ()):
        return f"use tf.compat.v1.{path}"
    import difflib

    close = difflib.get_close_matches(name, names.get(namespace, ()), n=1, cutoff=0.75)
    if close:
        return f"did you mean tf.{f'{namespace}.{close[0]}'.lstrip('.')}?"
    said = None if path.startswith("compat.v1.") else of_family(f"compat.v1.{path}")
    # TensorFlow 1.x's namespace may have the name of the one that was looked in.
    return None if said == ONE_X or said == f"use tf.{namespace}" else said


def attribute_answer(kind: str, name: str) -> str | None:
    """The answer of the table for the attribute ``name`` of TensorFlow's class ``kind``, or None."""
    for table in (ATTRIBUTES.get(kind, {}), ATTRIBUTES["*"]):
        for names, said in table.items():
            if name in names.split():
                return said
    return None


def missing_attribute(thing: Any, kind: str, name: str) -> Any:
    """Raise AttributeError with the answer of the table; ``kind`` is TensorFlow's name of the class."""
    message = f"{type(thing).__name__!r} object has no attribute {name!r}"
    if kind in ("Tensor", "Variable"):
        instead = habits.attribute_answer(name)
        if instead is not None:
            raise said_by_us(f"{message}: {instead}.", name)
    said = attribute_answer(kind, name)
    if said is not None:
        raise said_by_us(f"{kind}.{name} {said}.", name)
    raise AttributeError(message)

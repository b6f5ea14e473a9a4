"""`tf.experimental.to_onnx`: a function, a module or a model of Keras as an ONNX model."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from tapegrad import errors
from tapegrad.core import Observer
from tapegrad.core.tracebacks import line_of_program, place_of, user_line
from tapegrad.framework import nest
from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.framework.logging import get_logger
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.functions.components import flat_specs, flatten
from tapegrad.functions.concrete import ConcreteFunction
from tapegrad.functions.function import function as recorded
from tapegrad.functions.kinds import GenericFunction
from tapegrad.io.atomic import replace_file
from tapegrad.releases import GIT_VERSION
from tapegrad.saving.graphs.functions import Library
from tapegrad.saving.graphs.messages import Library as Definitions
from tapegrad.saving.nests import Leaf
from tapegrad.saving.onnx import messages
from tapegrad.saving.onnx.functions import Translation
from tapegrad.saving.onnx.graph import Graph, Value
from tapegrad.saving.recordings import concrete_functions, recordings_of
from tapegrad.saving.signatures import DEFAULT
from tapegrad.saving.steps import CannotEncode
from tapegrad.saving.tracing import CannotTrace, trace
from tapegrad.saving.writing.functions import Functions

PUBLIC = {"experimental": "to_onnx"}

OPSETS = range(18, 24)
DEFAULT_OPSET = 20
LARGEST = 2**31 - 1  # bytes of a message
MOST_SHOWN = 5  # places of one op
CALL = "tf.experimental.to_onnx"


def to_onnx(
    function_or_model: Any, path: Any = None, input_signature: Any = None, opset: int | None = None
) -> bytes | None:
    """The content of an ``.onnx`` file with what a function computes.

    >>> @tf.function(input_signature=[tf.TensorSpec([None, 2], name="x")])
    ... def normed(x):
    ...     return {"norm": tf.norm(x, axis=1)}
    >>> content = tf.experimental.to_onnx(normed)
    >>> type(content)
    <class 'bytes'>

    The inputs have the names of the function's arguments, and the outputs those that its signature would
    have: the keys of a dict, or ``output_0`` and so on. Variables become constants. Sizes that the signature
    leaves open stay open. Images have channels last as in TensorFlow; the model transposes them where ONNX
    needs it, once.

    Args:
        function_or_model: a `tf.function`, a concrete function, a function of Python with an
            ``input_signature``, a module or loaded model with one function or signature, or a model of Keras,
            which is written as it predicts.
        path: the file. It is written whole or not at all, in place of an old one.
        input_signature: a list with a `tf.TensorSpec` or a tensor for each argument. A function that has a
            signature of its own, and a model of Keras with known inputs, need none.
        opset: the version of ONNX's ops, from 18 to 23. The default is 20, which ONNX Runtime knows from
            1.17 on.

    Returns:
        The content if there is no ``path``, else None.

    Raises:
        UnimplementedError: something cannot be written. The message lists all such ops with their places.
        ValueError: the signature is missing or unclear, or there is no such opset.
        TypeError: the first argument is no function or model.
    """
    if opset is None:
        opset = DEFAULT_OPSET
    if isinstance(opset, bool) or not isinstance(opset, int) or opset not in OPSETS:
        raise ValueError(
            f"{CALL}: opset must be a number from {OPSETS[0]} to {OPSETS[-1]}, or None; {opset!r} came."
        )
    target = None if path is None else os.path.abspath(os.fsdecode(path))
    content = _model(_export_of(function_or_model, input_signature), opset).SerializeToString()
    if len(content) > LARGEST:
        errors.refuse(
            f"{CALL}: the model takes {len(content)} bytes, and a file of ONNX holds at most {LARGEST}.",
            error=errors.UnimplementedError,
        )
    if target is None:
        return content
    with as_tf_errors(target):
        replace_file(target, content)
    return None


class _Export:
    """A concrete function that is exported, and the names that users see.

    Args:
        concrete: the function.
        called: its name, for messages.
        inputs: the names of its tensors; None for those of its arguments.
        outputs: the names of its results; None for those of its signature.
        batch: whether the open first axes are of one size.
    """

    def __init__(
        self,
        concrete: Any,
        called: str,
        inputs: list[str] | None = None,
        outputs: list[str] | None = None,
        batch: bool = False,
    ) -> None:
        self.concrete = concrete
        self.called = called
        self.inputs = inputs
        self.outputs = outputs
        self.batch = batch


def _export_of(model: Any, signature: Any) -> _Export:
    """What is exported of a function or model."""
    specs = _signature_list(signature)
    if isinstance(model, ConcreteFunction):
        if specs is not None:
            raise ValueError(
                f"{CALL}: a concrete function has a signature, and takes no other one."
            )
        return _Export(model, model.name.decode())
    if isinstance(model, GenericFunction):
        return _Export(_concrete(model, specs), getattr(model, "name", "the function"))
    if all(hasattr(type(model), name) for name in ("call", "get_config", "weights")):
        return _of_keras(model, specs)
    signatures = getattr(model, "signatures", None)
    if specs is None and isinstance(signatures, Mapping) and signatures:
        if DEFAULT not in signatures and len(signatures) > 1:
            listed = ", ".join(map(repr, sorted(signatures)))
            raise ValueError(
                f"{CALL}: the model has the signatures {listed}: pass one of them, as model.signatures[...]."
            )
        name = DEFAULT if DEFAULT in signatures else next(iter(signatures))
        return _Export(signatures[name], f"signature {name!r}")
    functions = _functions_of(model)
    if "__call__" in functions or len(functions) == 1:
        name = "__call__" if "__call__" in functions else next(iter(functions))
        return _Export(_concrete(functions[name], specs), name)
    if functions:
        raise ValueError(
            f"{CALL}: the model has the functions {', '.join(sorted(functions))}: pass one of them."
        )
    if not callable(model):
        raise TypeError(
            f"{CALL} takes a tf.function, a concrete function, a tf.Module with such functions or a model of "
            f"Keras; {model!r} came."
        )
    if specs is None:
        raise ValueError(f"{CALL}: pass input_signature, a tf.TensorSpec for each argument.")
    name = getattr(model, "__name__", type(model).__name__)
    return _Export(recorded(model).get_concrete_function(*specs), name)


def _signature_list(signature: Any) -> list[Any] | None:
    if signature is None:
        return None
    if isinstance(signature, (TypeSpec, Mapping)) or not isinstance(signature, Sequence):
        return [signature]
    return list(signature)


def _functions_of(model: Any) -> dict[str, Any]:
    """The functions among the attributes of an object and of its class, by name."""
    names = dict.fromkeys([*dir(type(model)), *getattr(model, "__dict__", ())])
    values = {name: getattr(type(model), name, None) for name in names}
    values.update(getattr(model, "__dict__", {}))
    return {
        name: getattr(model, name)
        for name, value in values.items()
        if isinstance(value, (GenericFunction, ConcreteFunction))
    }


def _concrete(function: Any, specs: list[Any] | None) -> Any:
    """The concrete function of a signature, or the only one that there is."""
    if isinstance(function, ConcreteFunction):
        return function
    if specs is not None:
        return function.get_concrete_function(*specs)
    if getattr(function, "input_signature", None) is not None:
        return function.get_concrete_function()
    concretes = concrete_functions(function)
    if len(concretes) == 1:
        return concretes[0]
    raise ValueError(
        f"{CALL}: the function {getattr(function, 'name', function)} "
        f"{'has several signatures' if concretes else 'has no signature yet'}: pass input_signature, a "
        "tf.TensorSpec for each argument."
    )


def _of_keras(model: Any, specs: list[Any] | None) -> _Export:
    """A model of Keras, as it predicts."""
    inputs: Any = None
    names: Any = None
    outputs: Any = None
    if specs is None:
        try:
            inputs = model.inputs
        except (AttributeError, ValueError):
            inputs = None
        if not inputs:
            raise ValueError(
                f"{CALL}: the model {model.name} does not know the shapes of its inputs: pass "
                "input_signature, a tf.TensorSpec for each of them."
            )
        # A functional model takes its inputs in the structure that it was made with.
        structure = getattr(model, "_inputs_struct", inputs[0] if len(inputs) == 1 else inputs)
        specs = [TensorSpec(tensor.shape, tensor.dtype) for tensor in inputs]
        names = list(getattr(model, "input_names", None) or [tensor.name for tensor in inputs])
        outputs = list(getattr(model, "output_names", None) or [])

        def predict(*tensors: Any) -> Any:
            return model(nest.pack_sequence_as(structure, tensors), training=False)
    else:

        def predict(*tensors: Any) -> Any:
            return model(*tensors, training=False)

    concrete = recorded(predict, autograph=False).get_concrete_function(*specs)
    return _Export(concrete, model.name, names, outputs, batch=True)


# The message


def _model(export: _Export, opset: int) -> messages.Model:
    concrete, called = export.concrete, export.called
    specs = list(concrete._arguments.values())
    for spec in nest.flatten(specs):
        if isinstance(spec, TypeSpec) and not isinstance(spec, TensorSpec):
            _refuse(called, f"it takes a {type(spec).__name__.removesuffix('Spec')}, and ONNX has "
                    "dense tensors alone: take the tensors that it is made of")  # fmt: skip
    tensors = flat_specs(specs)
    for spec in tensors:
        _check_dtype(called, spec.dtype, "takes")
    objects: list[Any] = []

    def number(value: Any) -> int:
        for place, known in enumerate(objects):
            if known is value:
                return place
        objects.append(value)
        return len(objects) - 1

    functions = Functions(number, (), rules=False)
    names = export.inputs or [tensor.op.name for tensor in concrete.inputs]
    order = list(range(len(tensors)))

    def write(recording: Any) -> Any:
        return functions.write(recording, called, [f"argument_{slot}" for slot in order], order)

    try:
        recordings, _ = recordings_of(concrete, called, tensors, write, CALL)
    except CannotEncode as error:
        _refuse(called, str(error))
    if len(recordings) > 1:
        _refuse(called, "it does something else for each size of its arguments: pass an input_signature with "
                "known sizes")  # fmt: skip
    [written] = recordings
    library = Library(Definitions(function=functions.messages))
    graph = Graph()
    outputs = export.outputs or []
    results = _flat_results(called, written.structure)
    if isinstance(written.structure, Mapping) or len(set(outputs)) != len(results):
        outputs = _names_of(called, written.structure)
    inputs: list[Any] = []
    for name, spec in zip(names, written.specs, strict=True):
        inputs.append(graph.input(name, spec.dtype, _sizes(name, spec, export.batch)))
    outputs = [graph.new_name(name) for name in outputs]
    inputs += [objects[capture] for capture in written.captures]
    translation = Translation(library)
    values = translation.run(graph, library.function(written.name), inputs)
    if translation.missing:
        _refuse_ops(export, written.specs, translation.missing)
    expected = "; ".join([_in_names(text, inputs) for text in translation.expected])
    if expected:
        get_logger().warning(
            "%s: the model of %s is right where these hold, which ONNX cannot check: %s.",
            CALL, called, expected,
        )  # fmt: skip
    described = []
    for name, value, leaf in zip(outputs, values, results, strict=True):
        _check_dtype(called, value.dtype, "gives")
        described.append((name, value, _output_shape(value, leaf.spec.shape)))
    producer, version = GIT_VERSION.split()
    model = messages.Model(
        ir_version=messages.IR_VERSION, producer_name=producer, producer_version=version
    )
    model.opset_import.add(domain="", version=opset)
    model.graph.CopyFrom(graph.message(called, described))
    if expected:
        model.metadata_props.add(key="right where", value=expected)
    return model


def _sizes(name: str, spec: Any, batch: bool) -> Any:
    """The shape of an input, with names for open sizes."""
    if spec.shape.rank is None:
        return None
    return tuple([
        size if size is not None else "batch" if batch and not axis else f"{name}_{axis}"
        for axis, size in enumerate(spec.shape.as_list())
    ])  # fmt: skip


def _in_names(condition: str, inputs: list[Any]) -> str:
    """A condition on sizes, with the names that the inputs have for them."""

    def name(match: re.Match[str]) -> str:
        value, axis = inputs[int(match[1])], int(match[2])
        return match[0] if value.shape is None else str(value.shape[axis])

    return re.sub(r"argument_(\d+)_axis_(\d+)", name, condition)


def _output_shape(value: Value, shape: Any) -> Any:
    """The shape of an output: what the recording knows, and the names that followed from inputs."""
    if shape.rank is None:
        return value.shape
    own = (
        value.shape
        if value.shape is not None and len(value.shape) == shape.rank
        else [None] * shape.rank
    )
    return tuple([
        size if size is not None else known
        for size, known in zip(shape.as_list(), own, strict=True)
    ])  # fmt: skip


def _flat_results(called: str, structure: Any) -> list[Leaf]:
    values = (
        [structure[key] for key in sorted(structure)]
        if isinstance(structure, Mapping)
        else structure
    )
    values = values if isinstance(values, (list, tuple)) else [values]
    leaves: list[Leaf] = []
    for value in values:
        if not isinstance(value, Leaf) or not isinstance(value.spec, TensorSpec):
            what = value.spec if isinstance(value, Leaf) else value
            _refuse(called, f"its results are a tensor, a list of tensors or a dict of tensors in ONNX; "
                    f"{what!r} is among them")  # fmt: skip
        leaves.append(value)
    return sorted(leaves, key=lambda leaf: leaf.number)


def _names_of(called: str, structure: Any) -> list[str]:
    """The names of the results, as a signature has them."""
    if isinstance(structure, Mapping):
        return [str(key) for key in sorted(structure)]
    count = len(structure) if isinstance(structure, (list, tuple)) else 1
    return [f"output_{place}" for place in range(count)]


def _check_dtype(called: str, dtype: Any, verb: str) -> None:
    if dtype.name == "string":
        _refuse(
            called,
            f"it {verb} strings: look them up in a vocabulary before, and {verb.rstrip('s')} numbers",
        )
    if dtype.name not in messages.DTYPES:
        _refuse(called, f"it {verb} tensors of {dtype.name}, which ONNX's ops do not know")


def _refuse(called: str, reason: str) -> NoReturn:
    errors.refuse(
        f"{CALL}: the function {called} cannot be exported: {reason}.",
        error=errors.UnimplementedError,
    )


class _Lines(Observer):
    """Notes from which lines of the program, or else of a library such as Keras, ops are called.

    Args:
        types: the ops.
    """

    def __init__(self, types: set[str]) -> None:
        self.types = types
        self.lines: dict[str, list[str]] = {}
        self._caller = line_of_program()  # of to_onnx

    def observe(
        self,
        op: Any,
        inputs: list[Any],
        outputs: list[Any],
        attributes: tuple[object, ...],
    ) -> None:
        if op.type in self.types:
            line = line_of_program()
            place = place_of(user_line() if line == self._caller else line).removeprefix(", ")
            places = self.lines.setdefault(op.type, [])
            if place not in places:
                places.append(place)


def _lines_of(export: _Export, specs: list[Any], types: set[str]) -> dict[str, list[str]]:
    """The lines that call ops, by the ops: the function is traced once more."""
    observer = _Lines(types)

    def call(tensors: Any) -> Any:
        observer.start()
        try:
            return export.concrete.call_flat(tensors)
        finally:
            observer.stop()

    with suppress(CannotTrace):
        trace(call, flatten, specs)
    return observer.lines


def _refuse_ops(
    export: _Export, specs: list[Any], missing: dict[tuple[str, str], list[str]]
) -> NoReturn:
    lines = []
    by_line = _lines_of(export, specs, {op for op, _ in missing})
    for (op, reason), nodes in sorted(missing.items()):
        lines.append(f"  {op} ({reason})" if reason else f"  {op}")
        places = by_line.get(op) or nodes
        lines += [f"    {place}" for place in places[:MOST_SHOWN]]
        lines += [f"    and {len(places) - MOST_SHOWN} more"] if len(places) > MOST_SHOWN else []
    listed = "\n".join(lines)
    errors.refuse(
        f"{CALL}: the function {export.called} needs ops that have no counterpart in ONNX:\n{listed}",
        error=errors.UnimplementedError,
    )

"""``python -m tapegrad.saved_model show|run|strip FOLDER``: a SavedModel looked at, run, and made smaller."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import convert, static_value
from tapegrad.errors import OpError, refuse
from tapegrad.framework.bases import AutoTrackable
from tapegrad.framework.counts import columns
from tapegrad.framework.file_errors import as_tf_errors
from tapegrad.io.atomic import replace_file
from tapegrad.ops.shape.casts import cast
from tapegrad.saving.bundles import OBJECT_GRAPH, read_bundle
from tapegrad.saving.files import MODEL_FILE, Damaged
from tapegrad.saving.graphs.functions import GraphFunction, Library
from tapegrad.saving.graphs.models import VARIABLES, chosen_graph, read_model
from tapegrad.saving.graphs.structures import dtype_of, shape_of
from tapegrad.saving.loading import load
from tapegrad.saving.objects import Graph
from tapegrad.saving.options import Asset, SaveOptions
from tapegrad.saving.saved_model import save
from tapegrad.saving.signatures import DEFAULT
from tapegrad.tables import LookupInterface

PROGRAM = "python -m tapegrad.saved_model"
INNER = "__saved_model"
"""Begins the names of signatures that are there for loaders alone."""
LOOPS = frozenset(["While", "StatelessWhile"])
BRANCHES = frozenset(["If", "StatelessIf", "Case", "StatelessCase"])
MOST_BRANCHES = 8  # the saver follows both ways of so many
PLACES_SHOWN = 3


def main(arguments: list[str] | None = None) -> int:
    """Run a command line. Returns the exit status: 1 after an error, which is printed."""
    options = _parser().parse_args(arguments)
    try:
        options.run(options)
    except Damaged as error:
        print(f"{PROGRAM}: the model in {options.folder} is damaged: {error}.", file=sys.stderr)
        return 1
    except (OpError, OSError, ValueError, TypeError, KeyError, NotImplementedError) as error:
        text = str(error.args[0]) if isinstance(error, KeyError) else str(error)
        print(f"{PROGRAM}: {text}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM, description="Looks at SavedModels, runs them, and makes them smaller."
    )
    commands = parser.add_subparsers(required=True, metavar="show|run|strip")
    show = commands.add_parser(
        "show", help="print signatures, variables, and ops that tapegrad does not have"
    )
    show.set_defaults(run=_show)
    run = commands.add_parser("run", help="run a signature on arrays of an .npz file")
    run.set_defaults(run=_run)
    run.add_argument("--signature", default=DEFAULT, help=f"which one; {DEFAULT} by default")
    run.add_argument("--inputs", metavar="FILE", help="an .npz file with an array for each input")
    run.add_argument(
        "--outputs", metavar="FILE", help="the .npz file to write; else all is printed"
    )
    strip = commands.add_parser(
        "strip", help="write a model that has the signatures, and what these need, alone"
    )
    strip.set_defaults(run=_strip)
    for command in (show, run, strip):
        command.add_argument("folder", help="the folder of the model")
        command.add_argument(
            "--tags", help="its tags, with commas between them, if it has several graphs"
        )
    strip.add_argument("target", help="the folder that is written")
    return parser


def _graph_of(options: Any) -> Any:
    """The graph of a folder that the user chooses by tags."""
    if os.path.isfile(os.path.join(options.folder, MODEL_FILE)):
        refuse(
            f"{options.folder} holds a model of this library's earlier format: load it and save it again."
        )
    if not os.path.isdir(options.folder):
        raise OSError(f"There is no folder {options.folder}.")
    return chosen_graph(options.folder, read_model(options.folder), _tags(options))


def _tags(options: Any) -> Any:
    return None if options.tags is None else [tag for tag in options.tags.split(",") if tag]


# show


def _show(options: Any) -> None:
    graph = _graph_of(options)
    info = graph.meta_info_def
    tags = ", ".join(info.tags) or "none"
    print(f"{options.folder}: of TensorFlow {info.tensorflow_version or '?'}, tags: {tags}")
    for name, signature in sorted(graph.signature_def.items()):
        if not name.startswith(INNER):
            print(f"\nsignature {name} ({signature.method_name or 'no method'})")
            rows = [
                (word, key, *_kind(own))
                for word, tensors in (("  takes", signature.inputs), ("  gives", signature.outputs))
                for key, own in sorted(tensors.items())
            ]
            for line in columns(rows):
                print(line)
    _show_variables(options.folder)
    _show_missing(graph)


def _kind(tensor: Any) -> tuple[str, str]:
    """The dtype and the shape of an input or output of a signature."""
    if not tensor.dtype:  # ragged and sparse ones have several tensors
        return "composite", ""
    shape = shape_of(tensor.tensor_shape)
    return dtype_of(tensor.dtype).name, _shown(shape)


def _shown(shape: Any) -> str:
    if shape.rank is None:
        return "any shape"
    return f"[{', '.join(['?' if size is None else str(size) for size in shape.as_list()])}]"


def _show_variables(folder: str) -> None:
    index = Path(folder) / f"{VARIABLES}.index"
    arrays = read_bundle(str(Path(folder) / VARIABLES), index)[1] if index.is_file() else {}
    arrays.pop(OBJECT_GRAPH, None)
    total = sum(array.nbytes for array in arrays.values())
    print(f"\nvariables: {len(arrays)}, {total:,} bytes")
    if not arrays:
        return
    rows = [
        (
            f"  {name.removesuffix('/.ATTRIBUTES/VARIABLE_VALUE')}",
            dtypes.from_numpy(array.dtype).name, str(list(array.shape)), f"{array.nbytes:,} bytes",
        )
        for name, array in sorted(arrays.items())
    ]  # fmt: skip
    for line in columns(rows):
        print(line)


def _show_missing(graph: Any) -> None:
    """Print the ops in functions of the model that are not here, with their places."""
    library = Library(graph.graph_def.library)
    # Those of the objects: functions that write checkpoints are in the library alone.
    own = graph.object_graph_def.concrete_functions or library.functions
    places: dict[str, list[str]] = {}
    for function in _called_by([library.function(name) for name in own]):
        for node in function.plan.missing.values():
            places.setdefault(node.op, []).append(node.where)
    print(f"\nops that tapegrad does not have: {len(places) or 'none'}")
    for op, where in sorted(places.items()):
        more = f" and {len(where) - PLACES_SHOWN} more" if len(where) > PLACES_SHOWN else ""
        print(f"  {op}: {', '.join(where[:PLACES_SHOWN])}{more}")


# run


def _run(options: Any) -> None:
    signatures = load(options.folder, _tags(options)).signatures
    if options.signature not in signatures:
        raise ValueError(
            f"The model in {options.folder} has no signature {options.signature}; it has: "
            f"{', '.join(sorted(signatures)) or 'none'}."
        )
    signature = signatures[options.signature]
    specs = signature.structured_input_signature[1]
    arrays = _arrays_of(options.inputs)
    if set(arrays) != set(specs):
        raise ValueError(
            f"The signature {options.signature} takes the arrays {', '.join(sorted(specs)) or 'of no name'}; "
            f"{', '.join(sorted(arrays)) or 'none'} came."
        )
    tensors = {name: _tensor(name, array, specs[name]) for name, array in arrays.items()}
    results = {name: _plain(tensor) for name, tensor in signature(**tensors).items()}
    if options.outputs is None:
        for name, array in results.items():
            print(f"{name}: {array.dtype.name} {list(array.shape)}\n{array}")
        return
    content = io.BytesIO()
    np.savez(content, **results)
    with as_tf_errors(options.outputs):
        replace_file(os.path.abspath(options.outputs), content.getvalue())


def _arrays_of(path: str | None) -> dict[str, Any]:
    if path is None:
        return {}
    with as_tf_errors(path):
        content = np.load(path)  # refuses Python objects
    if not hasattr(content, "files"):
        raise ValueError(f"{path} is no .npz file: it holds one array without a name.")
    with content:
        return {name: content[name] for name in content.files}


def _tensor(name: str, array: Any, spec: Any) -> Any:
    """An array as a tensor of the dtype and shape that a signature takes."""
    is_text = array.dtype.kind in "SU"
    if is_text != (spec.dtype is dtypes.string):
        raise ValueError(f"The input {name} is of {spec.dtype.name}; {array.dtype} came.")
    if not spec.shape.is_compatible_with(array.shape):
        raise ValueError(f"The input {name} has the shape {spec.shape}; {list(array.shape)} came.")
    if is_text:
        return convert(array.astype("S").astype(object))
    tensor = convert(array)
    if not (
        spec.dtype.is_compatible_with(tensor.dtype) or np.can_cast(array.dtype, _wide(spec.dtype))
    ):
        raise ValueError(f"The input {name} is of {spec.dtype.name}; {array.dtype} came.")
    return cast(tensor, spec.dtype)


def _wide(dtype: Any) -> Any:
    """A dtype of NumPy's from which the cast may lose digits, but no kind of number."""
    if dtype.is_floating:
        return np.dtype(np.float64)
    if dtype.is_complex:
        return np.dtype(np.complex128)
    return np.dtype(np.int64) if dtype.is_integer and not dtype.is_unsigned else dtype.numpy_dtype


def _plain(tensor: Any) -> Any:
    """The elements in a dtype that an .npz file has: text as bytes, small floats as float32."""
    array = static_value(tensor, "a result")
    if tensor.dtype is dtypes.string:
        texts = [bytes(text) for text in array.ravel().tolist()]
        return np.array(texts, "S").reshape(array.shape)
    return (
        array.astype(np.float32) if tensor.dtype.is_floating and array.dtype.kind == "V" else array
    )


# strip


def _strip(options: Any) -> None:
    graph = _graph_of(options)
    if not graph.object_graph_def.nodes:
        refuse(f"{options.folder} holds a model of TensorFlow 1, which is not stripped.")
    loaded = load(options.folder, _tags(options))
    if not loaded.signatures:
        raise ValueError(f"The model in {options.folder} has no signatures: nothing would be left.")
    for name, signature in loaded.signatures.items():
        _check_function(name, signature._body.function)
    kept: Any = AutoTrackable()
    used = {id(own): own for own in (
        variable for signature in loaded.signatures.values() for variable in signature.variables
    )}  # fmt: skip
    kept.variables = [*used.values()]
    kept.resources = [
        part for part in Graph(loaded).objects if isinstance(part, (LookupInterface, Asset))
    ]
    tags = [tag for tag in graph.meta_info_def.tags if tag != "serve"]
    rest = SaveOptions(experimental_custom_gradients=False, extra_tags=tags)
    save(kept, options.target, dict(loaded.signatures), rest)
    sizes = [_size(folder) for folder in (options.folder, options.target)]
    print(f"{options.target}: {sizes[1]:,} bytes; {options.folder} has {sizes[0]:,}.")


def _check_function(name: str, function: GraphFunction) -> None:
    """Refuse a signature that the saver, which follows the ways through a function, would cut short."""
    nodes = [step.node for own in _called_by([function]) for step in own.plan.steps]
    if any(node.op in LOOPS for node in nodes):
        refuse(f"The signature {name} has a loop that values end, which is not written yet.")
    if len([node for node in nodes if node.op in BRANCHES]) > MOST_BRANCHES:
        refuse(f"The signature {name} has more than {MOST_BRANCHES} branches: some would be lost.")


def _called_by(functions: list[GraphFunction]) -> Iterator[GraphFunction]:
    """Functions of a model, and all that these call."""
    todo, done = functions[::-1], set[str]()
    while todo:
        own = todo.pop()
        if own.name in done:
            continue
        done.add(own.name)
        yield own
        for step in own.plan.steps:
            todo += [own.library.function(name) for name in own.callees(step.node)]


def _size(folder: str) -> int:
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


if __name__ == "__main__":
    sys.exit(main())

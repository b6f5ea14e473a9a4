"""The stubs in `tapegrad.signatures`, from which type checkers and editors know the ops, for `write_stubs`.

Each module of `tapegrad.ops` with public names gets a stub. It has a ``def`` for every op and function,
with the parameters, defaults and docstring that these have at run time, and types. The type of a result
comes from the op table or the source. The type of a parameter comes from the source or from its name
(`PARAMETERS`); else it is a tensor.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import textwrap
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, get_overloads

from write_names import Table, place_in_signatures

from tapegrad.annex.raw import raw_ops
from tapegrad.annex.raw.rows import ROWS
from tapegrad.core import Function, Op, registry
from tapegrad.dtypes import DType

RAW_OPS = "annex.raw.raw_ops"
TYPES = "tapegrad.framework.types"

# The types of parameters that are no tensors, by name. None is added where it is the default.
PARAMETERS = {
    "Axis": "axis axes dim dims_to_reduce reduction_dimension batch_axis seq_axis",
    "DTypeLike": "dtype dtype_hint out_type output_dtype output_type out_idx index_type "
    "output_idx_type Targmax type tensor_dtype tf_type",
    "ShapeLike": "shape batch_shape output_shape noise_shape new_shape input_shape filter_shape "
    "input_sizes filter_sizes window_shape",
    "SparseTensor": "sp_input sp_a sp_b sp_ids sparse_ids",
    "SparseTensor | TensorLike": "sp_weights sparse_weights",
    "Sequence[SparseTensor]": "sp_inputs",
    "Any": "args kwargs elems loop_vars shape_invariants fn_output_signature Tout structure data "
    "inputs layout var t_list tensors control_inputs inp shapes initializer operator preconditioner",
    "str | Sequence[Sequence[int]] | TensorLike": "padding",
    "str": "bad_indices_policy data_format rng_alg message",
    "str | SupportsIndex": "alg",
}
BY_NAME = {name: annotation for annotation, names in PARAMETERS.items() for name in names.split()}
# Parameters that are booleans even where their default is not.
SWITCHES = "keepdims unique validate_indices use_norm".split()

# The modules from which the names in annotations are imported.
WORDS = {
    **dict.fromkeys(
        ["TensorLike", "ShapeLike", "Axis", "DTypeLike", "Composite", "Gradient"], TYPES
    ),
    **dict.fromkeys(["Any", "NamedTuple", "SupportsIndex", "NoReturn", "Literal"], "typing"),
    **dict.fromkeys(["Callable", "Iterable", "Iterator", "Mapping", "Sequence"], "collections.abc"),
    "overload": "typing",
    "Tensor": "tapegrad.core",
    "SparseTensor": "tapegrad.ops.sparse.sparse_tensor",
    "IndexedSlices": "tapegrad.framework.indexed_slices",
    "DType": "tapegrad.dtypes",
    "dtypes": "tapegrad",
}

KEYWORD = inspect.Parameter.KEYWORD_ONLY

Imports = set[tuple[str, str, str]]


def result_of(op: Any) -> str:
    """What an op gives back, by the op table."""
    if op.outputs == ():
        return "None"
    if op.list_output:
        return "list[Tensor]"
    if op.outputs is None:
        return "Tensor"
    if isinstance(op.result, type):
        return op.result.__name__
    return f"tuple[{', '.join(['Tensor'] * len(op.outputs))}]"


class Writer:
    """The stub of one module."""

    def __init__(self, name: str, public: list[str]) -> None:
        self.name = f"tapegrad.{name}"
        self.module: ModuleType = import_module(self.name)
        self.public = public
        self.imports: Imports = set()
        self.imported = self.names_in_source()

    def names_in_source(self) -> dict[str, tuple[str, str]]:
        """What the module imports: the name in it -> (module, name there or "")."""
        found = {}
        for node in ast.walk(ast.parse(Path(str(self.module.__file__)).read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                for each in node.names:
                    found[each.asname or each.name] = (node.module, each.name)
            elif isinstance(node, ast.Import):
                for each in node.names:
                    found[each.asname or each.name] = (each.name, "")
        return found

    def need(self, annotation: Any) -> str:
        """Import the words of an annotation; the annotation as the stub is to have it."""
        if annotation is inspect.Parameter.empty:
            annotation = "Any"  # which a test refuses, if it is a result
        elif not isinstance(annotation, str):  # in a module that evaluates its annotations
            annotation = inspect.formatannotation(annotation)
        tree = ast.parse(annotation, mode="eval")
        if isinstance(tree.body, ast.Constant) and isinstance(tree.body.value, str):
            return self.need(tree.body.value)
        for node in ast.walk(tree):
            if not isinstance(node, ast.Name):
                continue
            word = node.id
            if word in self.imported:
                module, inner = self.imported[word]
            elif word in WORDS:
                module, inner = WORDS[word], word
            elif word in vars(self.module):
                module, inner = self.name, word
            elif word in vars(builtins):
                continue
            else:
                raise SystemExit(f"{self.name}: where does {word!r} in {annotation!r} come from?")
            if word in self.public:  # tf.raw_ops.Any is an op
                annotation = re.sub(rf"\b{word}\b", f"_{word}", annotation)
                word = f"_{word}"
            self.imports.add((module, inner, word))
        return annotation

    def parameter(self, parameter: inspect.Parameter, is_tensor: bool) -> str:
        name, default = parameter.name, parameter.default
        annotation = parameter.annotation
        if annotation is parameter.empty or annotation == "Any":
            if is_tensor:
                annotation = "TensorLike"
            elif name == "name":
                annotation = "str"
            elif isinstance(default, int) and BY_NAME.get(name) == "DTypeLike":
                annotation = "int"  # the type of a cosine transform
            elif name in BY_NAME:
                annotation = BY_NAME[name]
            elif name in SWITCHES or isinstance(default, bool):
                annotation = "bool"
            elif isinstance(default, str):
                annotation = "str"
            elif parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                annotation = "Any"
            else:
                annotation = "TensorLike"
            if default is None and annotation != "Any":
                annotation += " | None"
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}
        text = f"{stars.get(parameter.kind, '')}{name}: {self.need(annotation)}"
        if default is parameter.empty:
            return text
        if isinstance(default, DType):
            return f"{text} = {self.need('dtypes')}.{default.name}"
        plain = default is None or isinstance(default, (bool, int, str))
        plain = plain or (isinstance(default, float) and abs(default) < float("inf"))
        return f"{text} = {default!r}" if plain else f"{text} = ..."

    def definition(
        self, name: str, signature: inspect.Signature, result: str, tensors: set[str], doc: str
    ) -> str:
        parameters = []
        keywords = False
        for each in signature.parameters.values():
            if each.kind == each.KEYWORD_ONLY and not keywords:
                parameters.append("*")
            keywords = keywords or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
            parameters.append(self.parameter(each, each.name in tensors))
        ending = ") -> " + self.need(result) + ":"
        line = f"def {name}({', '.join(parameters)}{ending}"
        if len(line) > 100:
            line = f"def {name}(\n" + "".join(f"    {each},\n" for each in parameters) + ending
        return f"{line} ...\n" if not doc else f"{line}\n{quoted(doc)}\n"

    def entry(self, name: str) -> str:
        """The lines for one public name."""
        value = getattr(self.module, name)
        if isinstance(value, Function) and not isinstance(value, Op):
            value = value.body
        if type(value) is not FunctionType and not hasattr(value, "list_output"):
            self.imports.add((self.name, name, name))
            return ""
        signature = inspect.signature(value)
        doc = inspect.getdoc(value) or ""
        if type(value) is not FunctionType:
            result = result_of(value)
            return self.definition(name, signature, result, set(value.inputs), doc)
        overloads = get_overloads(value)
        lines = []
        for each in overloads:
            self.need("overload")
            form = inspect.signature(each)
            lines.append(
                "@overload\n" + self.definition(name, form, form.return_annotation, set(), doc)
            )
        if not overloads:
            lines = [self.definition(name, signature, signature.return_annotation, set(), doc)]
        return "\n".join(lines)

    def text(self) -> str:
        entries = [self.entry(name) for name in self.public]
        written = "\n".join(entry for entry in entries if entry)
        lines = [
            "# Written by tools/write_stubs.py from the functions themselves.",
            "# ruff: noqa",
            "# fmt: off",
            '# mypy: disable-error-code="overload-overlap"',
            "",
        ]
        for module, inner, name in sorted(self.imports):
            if not inner:
                lines.append(f"import {module} as {name}")
            else:
                lines.append(f"from {module} import {inner} as {name}")
        return "\n".join([*lines, "", written]).rstrip("\n") + "\n"


class RawWriter(Writer):
    """The stub of `tf.raw_ops`, whose functions are made when they are asked for."""

    def __init__(self) -> None:
        super().__init__(RAW_OPS, [name for name in dir(raw_ops) if not name.startswith("_")])

    def entry(self, name: str) -> str:
        row = ROWS.get(name)
        op = registry.get(name) if row is None or name in registry else row.function
        doc = inspect.getdoc(getattr(raw_ops, name)) or ""
        given = inspect.signature(getattr(raw_ops, name)).parameters.values()
        if row is None:
            tensors = {*op.raw[: len(op.inputs)]}
        else:
            inputs = getattr(row.function, "inputs", ())
            tensors = {raw for raw, to in row.arguments.targets.items() if to in inputs}
        keywords = [each.replace(kind=KEYWORD) for each in given]
        # Of a function nobody says what it gives, nor of one that takes the lists of an op apart.
        known = isinstance(op, Op) and not (row is not None and op.list_output)
        result = result_of(op) if known else "Any"
        if known and result == getattr(op.result, "__name__", ""):
            self.imported[result] = (op.result.__module__, result)
        return self.definition(name, inspect.Signature(keywords), result, tensors, doc)


def quoted(doc: str) -> str:
    """A docstring, indented."""
    body = textwrap.indent(doc, "    ").strip()
    raw = "r" if "\\" in body else ""
    if "\n" not in body:
        return f'    {raw}"""{body}"""'
    return f'    {raw}"""{body}\n    """'


def stubs_of_ops(table: Table) -> dict[str, str]:
    """Path within the package -> text, for the public names in this ``table``."""
    public: dict[str, set[str]] = {}
    for modules in table.values():
        for module, entries in modules.items():
            if place_in_signatures(module) is not None:
                names = {entry.partition("=")[2] or entry for entry in entries}
                public.setdefault(module, set()).update(names - {"."})
    written = {
        path_of(module): Writer(module, sorted(names)).text()
        for module, names in sorted(public.items())
        if names
    }
    written[path_of(RAW_OPS)] = RawWriter().text()
    first = "What the ops of each module take and give, for type checkers and editors alone."
    for folder in {"signatures", *(path.rpartition("/")[0] for path in written)}:
        written[f"{folder}/__init__.pyi"] = f'"""{first}"""\n'
    return written


def path_of(module: str) -> str:
    return f"signatures/{str(place_in_signatures(module)).replace('.', '/')}.pyi"

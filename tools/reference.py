"""The reference: a page for every public module, with an entry for every name, from docstrings and rules.

An object with several names has its entry under the shortest one; under the others stands a line that leads
there. `Reference.link` is where the mention of a name on any page leads.
"""

import ast
import functools
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from docstrings import first_line, in_markdown, inline
from write_names import public_names

from tapegrad.core import Function, Op, load_ops
from tapegrad.lazy import find

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "tapegrad"

# An object that has a name elsewhere has its entry there, and not in these namespaces.
SECOND = ("compat.", "experimental.numpy", "array_api", "__", "contrib")
# Names whose objects say little: a line has their value.
PLAIN = (str, int, float, tuple, frozenset, type(None))

GRADIENTS = {
    "yes": "has a rule",
    "no": "none, on purpose: a tape gives None",
    "missing": "missing: a tape that must pass raises LookupError",
}

# Keras's own pages, by the first part of a name below tf.keras.
KERAS = "https://keras.io/api/"
KERAS_PAGES = {
    "activations": "layers/activations/",
    "applications": "applications/",
    "callbacks": "callbacks/",
    "constraints": "layers/constraints/",
    "datasets": "datasets/",
    "initializers": "layers/initializers/",
    "layers": "layers/",
    "losses": "losses/",
    "metrics": "metrics/",
    "mixed_precision": "mixed_precision/",
    "models": "models/",
    "ops": "ops/",
    "optimizers": "optimizers/",
    "random": "random/",
    "regularizers": "layers/regularizers/",
    "saving": "models/model_saving_apis/",
    "utils": "utils/",
    "Model": "models/model/",
    "Sequential": "models/sequential/",
}


class Reference:
    """Every public name: where its entry is, and the pages of all entries."""

    def __init__(self) -> None:
        load_ops()
        # An address below docs/, such as reference/tf.math.md#tf.math.top_k, by the name without `tf.`
        self.places: dict[str, str] = {}
        self.names: dict[str, list[str]] = {}
        self.main_names: dict[int, str] = {}
        self.objects: dict[str, Any] = {}
        for namespace, modules in public_names().items():
            for module, entries in modules.items():
                if (
                    module == "annex.tensorflow_shim.keras"
                ):  # names of Keras, which has its own pages
                    continue
                for entry in entries:
                    self.add(f"{namespace}.{entry.partition('=')[0]}".lstrip("."))
        for name, value in self.objects.items():
            main = self.main_name(name)
            self.places[name] = address(main)
            if main == name and inspect.isclass(value):
                for member, _ in members(value):
                    self.places[f"{name}.{member}"] = address(name, member)

    def add(self, name: str) -> None:
        value = find(name)
        self.objects[name] = value
        self.names.setdefault(name.rpartition(".")[0], []).append(name)
        if not isinstance(value, (*PLAIN, ModuleType)):
            other = self.main_names.get(id(value))
            if other is None or rank(name) < rank(other):
                self.main_names[id(value)] = name

    def main_name(self, name: str) -> str:
        return self.main_names.get(id(self.objects[name]), name)

    def link(self, mention: str) -> str | None:
        """Where a mention such as `tf.gather(x, 0)` or `tape.gradient` leads; None if nowhere."""
        match = re.fullmatch(r"(tf|tape)\.([\w.]+)(\(.*\))?", mention, re.DOTALL)
        if match is None:
            return None
        name = match[2] if match[1] == "tf" else f"GradientTape.{match[2]}"
        if name == "keras" or name.startswith("keras."):
            part = (name.split(".") + [""])[1]
            return KERAS + KERAS_PAGES.get(part, "")
        if name.startswith("raw_ops"):
            return "ops.md"
        return self.places.get(name) or (page_of(name) if name in self.names else None)

    def namespaces(self) -> list[str]:
        """The public namespaces in the order of menus, those of TensorFlow 1 and of Keras last."""
        return sorted(
            self.names, key=lambda name: (name.startswith("__"), name.startswith("compat.v1"), name)
        )

    def pages(self) -> dict[str, str]:
        """Path below docs/ -> text, of the page of every namespace and the list of all."""
        pages = {page_of(namespace): self.page(namespace) for namespace in self.names}
        pages["reference/index.md"] = self.index()
        return pages

    def index(self) -> str:
        """The page that lists every name."""
        count = len(self.objects)
        lines = ["# Public names", ""]
        lines += [
            f"All {count} names, by module. Everything is under TensorFlow's name for it.",
            "",
        ]
        for namespace in self.namespaces():
            title = f"tf.{namespace}".rstrip(".")
            lines += [f"## [`{title}`]({Path(page_of(namespace)).name})", ""]
            chips = (
                f"[`{name.rpartition('.')[2]}`]({Path(self.places[name]).name})"
                for name in sorted(self.names[namespace], key=str.lower)
            )
            lines += [" ".join(chips), ""]
        return "\n".join(lines)

    def page(self, namespace: str) -> str:
        title = f"tf.{namespace}".rstrip(".")
        names = sorted(self.names[namespace], key=str.lower)
        own = [name for name in names if self.main_name(name) == name]
        rows = [f"| {self.chip(name)} | {self.summary(name)} |" for name in names]
        lines = [f"# `{title}`", "", "| name | what it is |", "|---|---|", *rows, ""]
        lines += [entry for name in own for entry in self.entry(name)]
        return "\n".join(lines)

    def chip(self, name: str) -> str:
        """The last part of a name, with a link to its entry."""
        return f"[`{name.rpartition('.')[2]}`]({Path(self.places[name]).name})"

    def summary(self, name: str) -> str:
        """One line about a name. One that has its entry elsewhere says so by that name."""
        main = self.main_name(name)
        if main != name:
            return f"`tf.{main}`: {self.summary(main)}"
        value = self.objects[name]
        if isinstance(value, PLAIN):
            return f"the constant `{value!r}`"
        text = "" if not callable(value) else first_line(inspect.getdoc(value) or "")
        return inline(text).replace("|", "\\|") or f"`{type(value).__name__}`"

    def entry(self, name: str) -> Iterator[str]:
        """The lines of the entry of a name."""
        value = self.objects[name]
        yield f"## `tf.{name}` {{ #{anchor(name)} }}\n"
        others = [other for other in self.aliases.get(name, []) if not other.startswith("compat.")]
        if others:
            yield f"Also {', '.join(f'`tf.{other}`' for other in sorted(others, key=rank))}.\n"
        if isinstance(value, PLAIN):
            yield f"A constant: `{value!r}`.\n"
        elif inspect.isclass(value):
            yield from describe_class(name, value)
        elif isinstance(value, Function):
            yield from describe_function(name, value)
        else:
            yield f"`{value!r}`, an object of the class `{type(value).__name__}`.\n"

    @functools.cached_property
    def aliases(self) -> dict[str, list[str]]:
        """The other names of an object, by the name under which its entry stands."""
        aliases: dict[str, list[str]] = {}
        for name in self.objects:
            if self.main_name(name) != name:
                aliases.setdefault(self.main_name(name), []).append(name)
        return aliases


def rank(name: str) -> tuple[bool, int, str]:
    """The order of an object's names: the one with the lowest rank has the entry."""
    return name.startswith(SECOND), name.count("."), name


def page_of(namespace: str) -> str:
    return f"reference/tf.{namespace}".rstrip(".") + ".md"


def address(name: str, member: str = "") -> str:
    return f"{page_of(name.rpartition('.')[0])}#{anchor(name, member)}"


def anchor(name: str, member: str = "") -> str:
    """The anchor of an entry. Two underscores would be bold type, also there."""
    return f"tf.{name}.{member}".rstrip(".").replace("__", "--")


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that a class of ours defines itself, and says something about."""
    for name, member in vars(cls).items():
        documented = inspect.getdoc(getattr(member, "__func__", member))
        if not name.startswith("_") and documented and not isinstance(member, (type, *PLAIN)):
            yield name, member


def describe_class(name: str, cls: type) -> Iterator[str]:
    yield signature_block(f"tf.{name}", cls)
    yield in_markdown(inspect.getdoc(cls) or "")
    for member, value in members(cls):
        yield f"### `{member}` {{ #{anchor(name, member)} }}\n"
        value = getattr(value, "__func__", value)
        if callable(value):
            yield signature_block(f"{name.rpartition('.')[2]}.{member}", value)
        yield in_markdown(inspect.getdoc(value) or "")
    bases = [base.__name__ for base in cls.__mro__[1:] if base.__module__.startswith("tapegrad")]
    if bases:
        yield f"Inherits from {', '.join(f'`{base}`' for base in bases)}.\n"
    yield source_line(cls)


def describe_function(name: str, function: Any) -> Iterator[str]:
    yield signature_block(f"tf.{name}", function)
    yield in_markdown(inspect.getdoc(function) or "")
    if isinstance(function, Op):
        yield f"**Gradient of the op `{function.type}`:** {GRADIENTS[function.differentiable]}.\n"
        yield from rules_of(function)
    else:
        ops = sorted(ops_of(function), key=lambda op: op.type)
        ops = [
            op for op in ops if not op.type.startswith("_")
        ]  # helpers, which TensorFlow does not have
        if ops:
            listed = ", ".join(
                f"`{op.type}`"
                + {"yes": "", "no": " (none)", "missing": " (missing)"}[op.differentiable]
                for op in ops
            )
            yield f"**Gradient:** that of the ops that it runs, among {listed}.\n"
    yield source_line(function)


def signature_block(title: str, function: Any) -> str:
    """How the function is called, on one line where it fits."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a class that is called in no way of its own
        return f"```python\n{title}\n```\n"
    words = [readable_default(str(parameter)) for parameter in parameters]
    line = f"{title}({', '.join(words)})"
    if len(line) > 90:
        line = f"{title}(\n    " + ",\n    ".join(words) + ",\n)"
    return f"```python\n{line}\n```\n"


def readable_default(parameter: str) -> str:
    """A parameter whose default is an object that prints as none is written in a program."""
    # Members of enumerations, and functions.
    parameter = re.sub(r"<(?:function )?([\w.]+)(?:: | at )[^>]*>", r"\1", parameter)
    # Other objects, of which a bare one stands for "left out".
    parameter = re.sub(r"<(?:\w+\.)*(\w+) object at \w+>", r"\1()", parameter)
    return parameter.replace("=object()", "=...")


def rules_of(op: Op) -> Iterator[str]:
    """The rules of an op as they are written: the gradient of each input."""
    texts = []
    for index, (rule, _) in sorted(op.rules.items()):
        code = getattr(rule, "__code__", None)
        node = None if code is None else node_of(code)
        if isinstance(node, ast.Lambda):
            of = op.inputs[index] if 0 <= index < len(op.inputs) else ", ".join(op.inputs)
            texts.append(f"{of}: {ast.unparse(node)}")
        elif node is not None:
            texts.append(ast.unparse(node))
    if texts:
        yield "```python\n" + "\n".join(dict.fromkeys(texts)) + "\n```\n"


def node_of(code: CodeType) -> ast.AST | None:
    """The lambda or function in our sources that has this code."""
    candidates = [
        node
        for node in nodes_in(code.co_filename).get(code.co_firstlineno, [])
        if [argument.arg for argument in node.args.args] == [*code.co_varnames[: code.co_argcount]]
    ]
    return candidates[0] if len(candidates) == 1 else None


@functools.cache
def nodes_in(file: str) -> dict[int, list[ast.Lambda | ast.FunctionDef]]:
    """The functions of a file, by the line where their code begins."""
    nodes: dict[int, list[ast.Lambda | ast.FunctionDef]] = {}
    if Path(file).exists():
        for node in ast.walk(ast.parse(Path(file).read_text())):
            if isinstance(node, (ast.Lambda, ast.FunctionDef)):
                decorators = getattr(node, "decorator_list", [])
                line = min([node.lineno, *(decorator.lineno for decorator in decorators)])
                nodes.setdefault(line, []).append(node)
    return nodes


def ops_of(function: Any, depth: int = 3) -> set[Op]:
    """The ops that the text of a function calls, directly or through functions of ours."""
    code, names = getattr(function, "__code__", None), getattr(function, "__globals__", None)
    node = None if code is None else node_of(code)
    if node is None or names is None:
        return set()
    ops: set[Op] = set()
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            value = value_of(call.func, names)
            if isinstance(value, Op):
                ops.add(value)
            elif depth and getattr(value, "__module__", "").startswith("tapegrad.ops"):
                ops |= ops_of(value, depth - 1)
    return ops


def value_of(node: ast.expr, names: dict[str, Any]) -> Any:
    """What a name, or a name in a module, stands for; None for anything else."""
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.Attribute):
        owner = value_of(node.value, names)
        return getattr(owner, node.attr, None) if isinstance(owner, ModuleType) else None
    return None


def source_line(value: Any) -> str:
    """A link to the source, relative to the site in its clone."""
    module = getattr(value, "__module__", "") or ""
    file = PACKAGE.parent / (module.replace(".", "/") + ".py")
    if not module.startswith("tapegrad") or not file.exists():
        file = PACKAGE.parent / module.replace(".", "/") / "__init__.py"
    if not module.startswith("tapegrad") or not file.exists():
        return ""
    path = file.relative_to(PACKAGE.parent.parent)
    return f'<a class="source" href="../../{path}">{path}</a>\n'

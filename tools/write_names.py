"""Writes the table of public names, from the PUBLIC tables of the modules.

    python tools/write_names.py --table FILE  write names.py, as FILE: the build does

A module says which of its names are public, and where, in one table:

    PUBLIC = {". math": "abs add", "math": "mod=floormod"}    # tf.math.mod is floormod here

A key lists namespaces; "." stands for `tf` itself. `annex/spellings.txt` has names of `tf.compat.v1` for what
has other names today. The tables are read as text, so nothing has to be built, and the package does not need
them when it is imported.
"""

import ast
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "tapegrad"
# Names that no table holds: those of the core, and modules.
OTHERS = [
    ("", "core", "Tensor"),
    ("compat.v1", "core", "Tensor"),
    ("", "errors", "errors=."),
    ("", "annex.raw.raw_ops", "raw_ops=."),
]

# The functions that make ops, by their modules. A module that imports one of them defines ops.
MAKERS = {
    "tapegrad.ops.op": {"op", "elementwise", "says"},
    "tapegrad.ops.nn.conv": {"convolution_ops"},
}

Table = dict[str, dict[str, list[str]]]


def public_names() -> Table:
    """Namespace -> module -> entries, each ``name`` or ``name=name in the module``."""
    table: Table = {}
    for path, tree in modules_with("PUBLIC"):
        for node in tree.body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PUBLIC":
                module = module_of(path)
                for places, names in ast.literal_eval(node.value).items():
                    for place in places.split():
                        namespace = "" if place == "." else place
                        table.setdefault(namespace, {}).setdefault(module, []).extend(names.split())
    for namespace, module, name in [*OTHERS, *older_names()]:
        table.setdefault(namespace, {}).setdefault(module, []).append(name)
    refuse_clashes(table)
    return table


def older_names() -> Iterator[tuple[str, str, str]]:
    """The names of TensorFlow 1.x, as in OTHERS, from the sections of ``annex/spellings.txt`` about them."""
    title = ""
    for line in (PACKAGE / "annex" / "spellings.txt").read_text().splitlines():
        words = line.split()
        if line.startswith("["):
            title = line.strip("[]")
        elif not words or line.startswith("#"):
            continue
        elif title in ("functions", "metrics"):
            paths = words[0].split(",")
            inner = paths[0].rpartition(".")[2]
            for path in paths:
                namespace, _, name = f"compat.v1.{path}".rpartition(".")
                entry = name if name == inner else f"{name}={inner}"
                yield namespace, f"annex.v1.{title}", entry
        elif title == "today":
            below = words[0].removeprefix("compat.v1").strip(".")
            for word in words[1:]:
                name, _, path = word.partition("=")
                path = path or f"{below}.{name}".strip(".")
                yield words[0], "annex.v1.today", name if path == name else f"{name}={path}"


def modules_with(text: str) -> Iterator[tuple[Path, ast.Module]]:
    """The modules whose source contains ``text``, in order: to parse all would take ten times as long."""
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text()
        if text in source:
            yield path, ast.parse(source)


def module_of(path: Path) -> str:
    """The name of a module within the package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def place_in_signatures(module: str) -> str | None:
    """Where below `tapegrad.signatures` the stub of a module that defines ops is; None for other modules."""
    for package in ("ops.", "annex.raw."):
        if module.startswith(package):
            return module.removeprefix("ops.").removeprefix("annex.")
    return None


def modules_of_ops() -> dict[str, list[str]]:
    """Module that defines ops, or says of functions what ops say of themselves -> the types of its ops."""
    types: dict[str, list[str]] = {}
    for path, tree in modules_with("tapegrad.ops."):
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and MAKERS.get(node.module, set()) & {
                imported.name for imported in node.names
            }:
                types[module_of(path)] = sorted(set(types_in(tree)))
    return types


def types_in(node: ast.AST) -> Iterator[str]:
    """The types of the ops that a module defines: names that its statements pass to functions as text."""
    if isinstance(node, ast.Call):
        for argument in node.args:
            for part in argument.elts if isinstance(argument, ast.Tuple) else [argument]:
                text = part.value if isinstance(part, ast.Constant) else None
                if isinstance(text, str) and re.fullmatch(r"_?[A-Z]\w*", text):
                    yield text
    is_function = isinstance(node, (ast.FunctionDef, ast.Lambda))
    inside = getattr(node, "decorator_list", []) if is_function else ast.iter_child_nodes(node)
    for part in inside:
        yield from types_in(part)


def compiled_modules() -> list[str]:
    """The modules written in Cython, and the one of functions that Cython adds to them."""
    return sorted([*map(module_of, PACKAGE.rglob("*.pyx")), "engines.cython_utilities"])


def refuse_clashes(table: Table) -> None:
    for namespace, modules in table.items():
        seen: dict[str, str] = {}
        for module, entries in modules.items():
            for entry in entries:
                name = entry.partition("=")[0]
                if name in seen:
                    raise SystemExit(f"tf.{namespace}.{name} is in {seen[name]} and in {module}")
                seen[name] = module


def names_module(table: Table) -> str:
    """The text of names.py."""
    lines = [
        '"""What the public namespaces hold, and which module each name is loaded from.',
        "",
        "Written by tools/write_names.py from the PUBLIC tables of the modules. One entry per module:",
        '``("ops.reduce.scan", "cumsum")`` lists public names, with the name inside the module',
        "where it differs; ``=.`` is the module itself. `OPS` lists the modules that define ops, with the",
        "types of these; `COMPILED` those that are in the shared library.",
        '"""',
        "",
        "NAMES: dict[str, list[tuple[str, str]]] = {",
    ]
    for namespace in sorted(table):
        lines.append(f'    "{namespace}": [')
        for module in sorted(table[namespace]):
            names = " ".join(sorted(table[namespace][module], key=str.lower))
            one = f'        ("{module}", "{names}"),'
            if len(one) <= 100:
                lines.append(one)
                continue
            # ruff puts on one line what fits there.
            width = 85 if len(names) == 85 else 84
            *parts, last = textwrap.wrap(
                names, width, break_long_words=False, break_on_hyphens=False
            )
            lines += ["        (", f'            "{module}",']
            lines += [f'            "{part} "' for part in parts]
            lines += [f'            "{last}",', "        ),"]
        lines.append("    ],")
    lines += ["}", "", "OPS: dict[str, str] = {"]
    for module, types in modules_of_ops().items():
        names = " ".join(types)
        one = f'    "{module}": "{names}",'
        if len(one) <= 100:
            lines.append(one)
            continue
        *parts, last = textwrap.wrap(names, 90 if len(names) == 90 else 89)
        lines += [f'    "{module}": (', *[f'        "{part} "' for part in parts]]
        lines += [f'        "{last}"', "    ),"]
    lines.append("}")
    lines += ["", "COMPILED = {", *(f'    "{module}",' for module in compiled_modules()), "}"]
    return "\n".join([*lines, ""])


def main(arguments: list[str]) -> None:
    if len(arguments) != 2 or arguments[0] != "--table":
        raise SystemExit(__doc__)
    write(Path(arguments[1]), names_module(public_names()))


def write(file: Path, text: str) -> None:
    """Write the file unless it has this text: what depends on it would be built again."""
    if not file.exists() or file.read_text() != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])

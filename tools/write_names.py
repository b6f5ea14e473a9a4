"""Writes all files that list the public names, from the PUBLIC tables of the modules.

    python tools/write_names.py               write the stubs, and names.py beside the sources
    python tools/write_names.py --check       exit 1 and name the stubs that are not up to date
    python tools/write_names.py --table FILE  write names.py alone, as FILE: the build does
    python tools/write_names.py --page FILE   write the page of public names, as FILE: `make docs` does

A module says which of its names are public, and where, in one table:

    PUBLIC = {". math": "abs add", "math": "mod=floormod"}    # tf.math.mod is floormod here

A key lists namespaces; "." stands for `tf` itself. The tables are read as text, so nothing has to be built,
and the package does not need them when it is imported.
"""

import ast
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "tapegrad"
# Namespaces that are also modules of ours: type checkers learn more from the source than from a stub.
OWN_SOURCE = {"autodiff", "contrib", "dtypes"}
# Names that no table holds: those of the core, and modules.
OTHERS = [
    ("", "core", "Tensor"),
    ("compat.v1", "core", "Tensor"),
    ("", "errors", "errors=."),
    ("", "ops.raw.raw_ops", "raw_ops=."),
    ("contrib", "contrib.eager", "eager=."),
]

Table = dict[str, dict[str, list[str]]]


def public_names() -> Table:
    """Namespace -> module -> entries, each ``name`` or ``name=name in the module``."""
    table: Table = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "PUBLIC":
                module = module_of(path)
                for places, names in ast.literal_eval(node.value).items():
                    for place in places.split():
                        namespace = "" if place == "." else place
                        table.setdefault(namespace, {}).setdefault(module, []).extend(names.split())
    for namespace, module, name in OTHERS:
        table.setdefault(namespace, {}).setdefault(module, []).append(name)
    refuse_clashes(table)
    return table


def module_of(path: Path) -> str:
    """The name of a module within the package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def modules_of_ops() -> list[str]:
    """The modules that define ops, or say of functions what ops say of themselves."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if (
                isinstance(node, ast.ImportFrom)
                and node.module == "tapegrad.ops.op"
                and {"op", "elementwise", "says"} & {each.name for each in node.names}
            ):
                found.append(module_of(path))
    return found


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
        "where it differs; ``=.`` is the module itself. `OPS` lists the modules that define ops.",
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
            wrapped = textwrap.wrap(names, width, break_long_words=False, break_on_hyphens=False)
            lines += ["        (", f'            "{module}",']
            lines += [f'            "{part} "' for part in wrapped[:-1]]
            lines += [f'            "{wrapped[-1]}",', "        ),"]
        lines.append("    ],")
    lines += ["}", "", "OPS = (", *(f'    "{module}",' for module in modules_of_ops()), ")"]
    return "\n".join([*lines, ""])


def stub(namespace: str, modules: dict[str, list[str]], below: list[str]) -> str:
    """The text of one stub, for type checkers and editors: what reads the source sees no names.

    What `tapegrad.ops` defines has its types in stubs of its own, by tools/write_types.py.
    """
    lines = [
        "# Written by tools/write_names.py from the PUBLIC tables of the modules.",
        "# ruff: noqa",
        "# fmt: off",
        "",
    ]
    renamed = []
    for module in sorted(modules):
        package, _, last = f"tapegrad.{module}".rpartition(".")
        if package.startswith("tapegrad.ops."):
            package = package.replace("ops", "signatures", 1)
        for entry in sorted(modules[module], key=str.lower):
            public, _, inner = entry.partition("=")
            source = f"{package}.{last}"
            if inner == ".":
                lines.append(f"from {package} import {last} as {public}")
            elif "." in inner:  # a path below tf
                below_tf, _, name = inner.rpartition(".")
                lines.append(f"from tapegrad.{below_tf} import {name} as _{public}")
                renamed.append(f"{public} = _{public}")
            elif inner in ("", public):
                lines.append(f"from {source} import {public} as {public}")
            else:  # a stub re-exports only what keeps its name
                lines.append(f"from {source} import {inner} as _{inner}")
                renamed.append(f"{public} = _{inner}")
    full = f"tapegrad.{namespace}" if namespace else "tapegrad"
    lines += [f"from {full} import {name} as {name}" for name in below]
    if renamed:
        lines += ["", *renamed]
    if not namespace:
        lines += ["", "__version__: str", "newaxis: None"]
    return "\n".join(lines) + "\n"


def stubs(table: Table) -> dict[Path, str]:
    namespaces = {
        ".".join(namespace.split(".")[:depth])
        for namespace in table
        for depth in range(namespace.count(".") + 2)
    }
    written = {}
    for namespace in sorted(namespaces - OWN_SOURCE):
        below = sorted(
            other.rpartition(".")[2]
            for other in namespaces
            if other and other.rpartition(".")[0] == namespace
        )
        place = PACKAGE.joinpath(*namespace.split(".")) if namespace else PACKAGE
        is_package = bool(below) or not namespace or place.is_dir()
        file = place / "__init__.pyi" if is_package else place.with_suffix(".pyi")
        written[file] = stub(namespace, table.get(namespace, {}), below)
    return written


def names_page(table: Table) -> str:
    """The text of the page of public names."""
    lines = [
        "# Public names",
        "",
        "Everything is under TensorFlow's name for it.",
        "",
    ]
    for namespace in sorted(table):
        names = sorted(
            (entry.partition("=")[0] for entries in table[namespace].values() for entry in entries),
            key=str.lower,
        )
        lines += [f"## tf{'.' if namespace else ''}{namespace}", ""]
        lines += [" ".join(f"`{name}`" for name in names), ""]
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    table = public_names()
    made = {"--table": names_module, "--page": names_page}
    if arguments and arguments[0] in made:
        write(Path(arguments[1]), made[arguments[0]](table))
        return
    written = stubs(table)
    if "--check" not in arguments:
        written[PACKAGE / "names.py"] = names_module(table)
    if "--check" in arguments:
        stale = [file for file, text in written.items() if differs(file, text)]
        names = ", ".join(str(file.relative_to(ROOT)) for file in stale)
        raise SystemExit(f"run tools/write_names.py: not up to date are {names}" if stale else 0)
    for file, text in written.items():
        write(file, text)


def differs(file: Path, text: str) -> bool:
    return not file.exists() or file.read_text() != text


def write(file: Path, text: str) -> None:
    """Write the file unless it has this text: what depends on it would be built again."""
    if differs(file, text):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)


if __name__ == "__main__":
    main(sys.argv[1:])

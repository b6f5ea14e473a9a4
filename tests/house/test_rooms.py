"""The rooms of ``ops``: packages whose imports point one way, stand at the top, and make no cycle."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import tapegrad as tf

OPS = Path(tf.__file__).parent / "ops"

# Who may import whom: a package imports those before it. What is in no package (op, args, constants,
# gradients) is what all of them are written with, and imports none of them.
ORDER = [
    "shape",
    "elementwise",
    "reduce",
    "indexing",
    "strings",
    "linalg",
    "random",
    "sparse",
    "nn",
    "signal",
    "image",
    "quantize",
    "program",
]
MODULES = {
    ".".join(path.relative_to(OPS).with_suffix("").parts): path
    for path in sorted(OPS.rglob("*.py"))
    if path.name != "__init__.py"
}
# A function imports what is heavy where it is called, and no other module of ours but these.
LATE = {"framework.missing", "framework.logging", "engines.numpy.convolution"}


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """The modules of ops that a module imports, and whether a function does."""

    def visit(node: ast.AST, in_function: bool) -> Iterator[tuple[str, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.ImportFrom) and (child.module or "").startswith("tapegrad."):
                for alias in child.names:
                    whole = f"{child.module}.{alias.name}".removeprefix("tapegrad.")
                    module = str(child.module).removeprefix("tapegrad.")
                    is_module = (OPS.parent / whole.replace(".", "/")).with_suffix(".py").exists()
                    yield (whole if is_module else module), in_function
            yield from visit(child, in_function or isinstance(child, ast.FunctionDef))

    return visit(ast.parse(path.read_text()), False)


def imported_ops(name: str) -> set[str]:
    found = {module.removeprefix("ops.") for module, _ in imports(MODULES[name])}
    return found & MODULES.keys()


def room(name: str) -> int:
    return ORDER.index(name.partition(".")[0]) if "." in name else -1


def test_every_package_has_a_place_in_the_order() -> None:
    packages = {path.name for path in OPS.iterdir() if (path / "__init__.py").exists()}
    assert packages == set(ORDER)


@pytest.mark.parametrize("name", MODULES)
def test_arrows_between_rooms_point_one_way(name: str) -> None:
    backwards = [other for other in sorted(imported_ops(name)) if room(other) > room(name)]
    assert not backwards


def test_no_module_imports_itself_round_a_corner() -> None:
    done: set[str] = set()

    def follow(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name not in done:
            for other in sorted(imported_ops(name)):
                follow(other, (*path, name))
            done.add(name)

    for name in MODULES:
        follow(name, ())


def test_functions_import_for_weight_and_not_for_cycles() -> None:
    late = {
        (name, module)
        for name, path in MODULES.items()
        for module, in_function in imports(path)
        if in_function and module not in LATE
    }
    assert not late


# Sources: what is installed has no .pyx.
SOURCES = Path(__file__).resolve().parents[2] / "src" / "tapegrad"
PACKAGES = sorted(path.parent for path in SOURCES.rglob("__init__.py"))


# The docstring of `tapegrad` itself is for its users; docs/architecture.md has the modules beside packages.
@pytest.mark.parametrize(
    "package",
    [path for path in PACKAGES if path != SOURCES],
    ids=lambda path: str(path.relative_to(SOURCES)),
)
def test_a_package_names_all_its_modules(package: Path) -> None:
    described = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
    # In backticks, or at the beginning of a line in a table.
    named = set(re.findall(r"`(\w+)`", described))
    named |= set(re.findall(r"^ +(\w+)  ", described, re.MULTILINE))
    modules = {path.stem for suffix in ("py", "pyx") for path in package.glob(f"*.{suffix}")}
    packages = {path.name for path in package.iterdir() if (path / "__init__.py").exists()}
    assert (modules - {"__init__", "__main__"}) | packages <= named
    assert set(re.findall(r"^``([a-z_]\w*)`` ", described, re.MULTILINE)) <= modules | packages

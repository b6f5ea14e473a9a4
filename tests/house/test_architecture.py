"""The shape of the package: imports point one way, importing is cheap, the namespace is as documented."""

import ast
import functools
import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tapegrad.lazy import read_table
from tapegrad.names import NAMES

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "tapegrad"

# The layers, the highest first, as docs/architecture.md draws them. Each package, and each module beside the
# packages, stands in one line; `tapegrad` is `__init__` alone. A module imports from its own package, and
# from those in lower lines, also inside functions.
LAYERS = [
    "tapegrad __main__",
    "annex",
    "data saving callbacks",
    "functions testing",
    "symbolic checking",
    "transforms io distribute training",
    "autodiff ragged tables batching",
    "ops lazy drawing",
    "framework profiling",
    "core",
    "engines",
    "compiled",
    "dtypes errors names builds releases extras",
]
# The same for the rooms of the annex.
LAYERS_OF_THE_ANNEX = [
    "strategies",
    "v1",
    "tensorflow_shim extension linear_operators array_api summaries",
    "internal numpy_like raw timelines queues cases lite",
    "spellings assertions",
]
# The table of names leads everywhere, by strings: what loads it is `lazy`, which imports little itself.
LOADER = "tapegrad.lazy"

FORBIDDEN_AT_IMPORT = {
    "concurrent.futures",
    "dataclasses",
    "inspect",
    "jax",
    "logging",
    "ml_dtypes",
    "optree",
    "scipy",
    "typing_extensions",
}


def place(module: str, layers: list[str]) -> tuple[str, int]:
    """The package of a module, or of the annex, and the number of its line, counted from the lowest."""
    parts = module.split(".")
    if layers is LAYERS_OF_THE_ANNEX:
        parts = parts[1:]
    package = parts[1] if len(parts) > 1 else parts[0]
    for number, line in enumerate(reversed(layers)):
        if package in line.split():
            return package, number
    raise AssertionError(
        f"{package} has no place: write it into a line above those of all that it imports, and below those "
        "of all that import it; outside the annex, also into the drawing in docs/architecture.md"
    )


def module_name(path: Path) -> str:
    parts = list(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


SOURCES = {
    module_name(path): path
    for suffix in ("pxd", "pyx", "py")
    for path in sorted(PACKAGE.rglob(f"*.{suffix}"))
}


def is_for_type_checkers(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in (
        "TYPE_CHECKING",
        "typing.TYPE_CHECKING",
    )


def statements(block: ast.AST) -> Iterator[ast.stmt]:
    """The statements in ``block``, those in functions too. Expressions, most of a tree, are passed over."""
    waiting = [block]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.stmt):
                if is_for_type_checkers(node):
                    continue
                yield node
            if isinstance(node, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                waiting.append(node)


def imports_of_python(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and module of every import, at the top or inside functions; not those for type checkers."""
    for node in statements(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are written in full"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole != "tapegrad.__version__":
                    yield node.lineno, whole if whole in SOURCES else str(node.module)


def imports_of_cython(source: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(source.splitlines(), 1):
        found = re.match(r"\s*from\s+([\w.]+)\s+c?import\s+\(?\s*([\w, ]*)", line)
        if found:
            for name in re.sub(r" as \w+", "", found[2]).replace(",", " ").split() or [""]:
                whole = f"{found[1]}.{name}"
                yield number, whole if whole in SOURCES else found[1]
        elif found := re.match(r"\s*c?import\s+([\w.]+)", line):
            yield number, found[1]


class Reading(NamedTuple):
    """What the tests ask of a file. Each file is parsed once for all of them, and its tree let go of."""

    imports: list[tuple[int, str]]
    """Line and module of every import of ours."""
    strings: list[tuple[int, str]]
    """Line and name of every string that is the name of a module of ours, which may be imported by it."""
    lines_at_the_top: set[int]
    """Where imports stand outside functions and conditions."""
    late: set[str]
    """The modules that functions import when they are called."""
    has_docstring: bool


@functools.cache
def reading(path: Path) -> Reading:
    source = path.read_text()
    if path.suffix != ".py":
        return Reading(of_ours(imports_of_cython(source)), [], set(), set(), True)
    tree = ast.parse(source)
    strings = [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and node.value != "tapegrad"
        and node.value in SOURCES
    ]
    return Reading(
        imports=of_ours(imports_of_python(tree)),
        strings=[] if path == SOURCES[LOADER] else strings,
        lines_at_the_top={
            node.lineno for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))
        },
        late=late_imports(tree),
        has_docstring=ast.get_docstring(tree) is not None,
    )


def of_ours(imports: Iterator[tuple[int, str]]) -> list[tuple[int, str]]:
    return [(line, module) for line, module in imports if module.split(".")[0] == "tapegrad"]


def late_imports(tree: ast.Module) -> set[str]:
    late = set()
    functions = (node for node in statements(tree) if isinstance(node, ast.FunctionDef))
    for node in itertools.chain.from_iterable(map(statements, functions)):
        if isinstance(node, ast.Import):
            late |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            late.add(str(node.module))
    return late


def paths() -> Iterator[tuple[str, Path]]:
    """The modules of the package and their files: a compiled one has two."""
    for module, path in SOURCES.items():
        yield module, path
        declarations = path.with_suffix(".pxd")
        if path.suffix == ".pyx" and declarations.exists():
            yield module, declarations


def pointing_up(layers: list[str]) -> dict[str, str]:
    """The modules that import from a line as high or higher, and what to say of each."""
    found = {}
    for module, path in paths():
        for line, other in [*reading(path).imports, *reading(path).strings]:
            in_annex = [name.startswith("tapegrad.annex.") for name in (module, other)]
            if other == "tapegrad" or (layers is LAYERS_OF_THE_ANNEX and not all(in_annex)):
                continue  # `tapegrad` as a whole: see below
            (here, height), (there, other_height) = place(module, layers), place(other, layers)
            if here != there and other_height >= height:
                found[module.removeprefix("tapegrad.")] = (
                    f"{path.relative_to(ROOT)}, line {line}: {module} leads to {other}, but {there} is not "
                    f"below {here}. Move down what both need, or let {here} offer a hook that {there} fills."
                )
    return found


def test_imports_point_one_way() -> None:
    found = pointing_up(LAYERS)
    assert not found, "\n".join(found.values())


def test_imports_in_the_annex_point_one_way() -> None:
    assert not (found := pointing_up(LAYERS_OF_THE_ANNEX)), "\n".join(found.values())


def test_each_package_has_one_place() -> None:
    for layers, folder in ((LAYERS, PACKAGE), (LAYERS_OF_THE_ANNEX, PACKAGE / "annex")):
        names = {path.parent.name for path in folder.glob("*/__init__.py")}
        names |= {path.stem for path in folder.glob("*.py")} - {"__init__"}
        # The build writes names.py, beside the sources only where it was asked to.
        names |= {"tapegrad", "names"} if folder == PACKAGE else set()
        placed = [name for line in layers for name in line.split()]
        assert not {name for name in placed if placed.count(name) > 1}, "one line each"
        assert not names - {*placed}, "a package without a line: see the comment on LAYERS"
        assert not {*placed} - names, "a line names what is not there"


def test_the_architecture_page_draws_these_layers() -> None:
    """Its drawing has the lines of LAYERS in the same order; the words of a line are before two spaces."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    drawing = page.partition("## Layers\n\n")[2].split("\n\n")[0]
    lines = [re.split(r"\s{2,}", line.strip())[0] for line in drawing.splitlines()]
    assert [line for line in lines if line] == LAYERS


# Classes whose methods make objects of subclasses, or call modules that know the class. Imports inside their
# methods are how a program loads only what it uses: they count for layers, and not for cycles.
FACES = {"data.dataset", "data.makers", "annex.linear_operators.operator", "ragged.ragged_tensor"}

# Modules that import each other, over however many others. Each line is work to be done: no line is added.
CYCLES = {
    "core.binding core.dispatch core.recording core.rules",
    "core.forward_backward core.replay",
}


def test_no_modules_import_each_other() -> None:
    """Imports inside functions count, and so do those of Cython."""
    imported: dict[str, set[str]] = {module: set() for module in SOURCES}
    for module, path in paths():
        found = reading(path).imports
        if module.removeprefix("tapegrad.") in FACES:
            at_the_top = reading(path).lines_at_the_top
            found = [(line, name) for line, name in found if line in at_the_top]
        # The package `core` shows the names of all its modules, which import one another one by one. For
        # the package as a whole, see below.
        imported[module].update(
            name
            for _, name in found
            if name in imported and name not in ("tapegrad", "tapegrad.core")
        )
    reached = {module: reachable(imported, module) for module in imported}
    cycles = {
        " ".join(
            sorted(other.removeprefix("tapegrad.") for other in others if module in reached[other])
        )
        for module, others in reached.items()
        if module in others
    }
    assert cycles == CYCLES


def test_modules_import_what_they_use_and_not_the_whole_package() -> None:
    """What is called as ``tapegrad.name`` no test of the layers can see."""
    importers = {
        f"{path.relative_to(ROOT)}, line {line}: import what is used of tapegrad, from the module that has it"
        for _, path in paths()
        for line, other in reading(path).imports
        if other == "tapegrad"
    }
    assert not importers, "\n".join(sorted(importers))


def reachable(imported: dict[str, set[str]], module: str) -> set[str]:
    """The modules that are loaded with ``module``, sooner or later; itself only if one of them imports it."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        fresh = imported[waiting.pop()] - found
        found |= fresh
        waiting.extend(fresh)
    return found


def modules_after(statement: str) -> set[str]:
    """What a fresh interpreter has imported after the statement."""
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    finished = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return set(finished.stdout.split())


def test_importing_brings_nothing_heavy() -> None:
    brought = modules_after("import tapegrad") - modules_after("import numpy")
    heavy = {
        module
        for module in brought
        if any(module == name or module.startswith(f"{name}.") for name in FORBIDDEN_AT_IMPORT)
    }
    assert not heavy


def test_a_function_runs_without_the_graphs_of_others() -> None:
    """A first call took 40 ms where it imported the world of `tf.Graph` for the specs of two arguments."""
    program = """
import tapegrad as tf

scale = tf.Variable(2.0)

class Model(tf.Module):
    @tf.function
    def step(self, x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(scale * x)
        scale.assign_sub(tape.gradient(loss, scale))
        return loss

model = Model()
for size in (3, 3, 4, 5):
    model.step(tf.ones(size))
with tf.GradientTape() as tape:
    loss = tf.function(lambda x: scale * x)(1.0)
tape.gradient(loss, scale)
"""
    assert not [name for name in modules_after(program) if name.startswith("tapegrad.symbolic")]


def test_importing_warns_of_nothing_and_prints_nothing() -> None:
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", "import tapegrad"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert finished.stdout + finished.stderr == ""


@pytest.mark.parametrize("namespace", sorted(NAMES))
def test_public_names_are_there(namespace: str) -> None:
    import tapegrad

    module = tapegrad
    for part in namespace.split(".") if namespace else []:
        module = getattr(module, part)
    table = read_table(NAMES[namespace])
    # Keras is not installed everywhere.
    ours = [
        name
        for name, (source, _) in sorted(table.items())
        if source != "annex.tensorflow_shim.keras"
    ]
    missing = [name for name in ours if not hasattr(module, name)]
    assert not missing


@pytest.mark.parametrize("namespace", sorted(NAMES))
def test_a_star_imports_public_names(namespace: str) -> None:
    bound: dict[str, Any] = {}
    exec(f"from {f'tapegrad.{namespace}'.rstrip('.')} import *", bound)
    of_keras = {
        name
        for name, (source, _) in read_table(NAMES[namespace]).items()
        if source == "annex.tensorflow_shim.keras"
    }
    module = sys.modules[f"tapegrad.{namespace}".rstrip(".")]
    public = {name for name in dir(module) if not name.startswith("_")}
    assert bound.keys() - {"__builtins__"} == public - of_keras


def test_the_dict_of_a_namespace_has_all_names() -> None:
    """Libraries look for functions there, as in NumPy's. Finding one name by the namespace loads no other."""
    program = (
        "import tapegrad as tf\n"
        "from tapegrad.lazy import NAMES, PACKAGES, find, loaded_names, names_of_star\n"
        "tf.nn.relu, dir(tf.nn)\n"
        "print('softmax' in loaded_names(tf.nn), vars(tf.nn)['softmax'] is tf.nn.softmax)\n"
        "for path in NAMES.keys() - PACKAGES:\n"
        "    missing = set(names_of_star(find(path))) - vars(find(path)).keys()\n"
        "    if missing: print(path, missing)\n"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert finished.stdout.splitlines() == ["False True"]


def test_every_module_says_what_it_is_for() -> None:
    silent = [module for module, path in SOURCES.items() if not reading(path).has_docstring]
    assert not silent


@pytest.mark.long
def test_load_leaves_nothing_to_load():
    named = (re.findall(r'"(scipy\.[\w.]+)"', path.read_text()) for path in PACKAGE.rglob("*.py"))
    of_scipy = {module for modules in named for module in modules}
    assert {"scipy.special", "scipy.fft"} <= of_scipy
    late = {name for path in PACKAGE.rglob("*.py") for name in reading(path).late} | of_scipy
    names = {f"tapegrad.{module}" for entries in NAMES.values() for module, _ in entries}
    code = (
        "import sys, tapegrad as tf; tf.load(); "
        f"print([name for name in {sorted(late | names)!r} if name not in sys.modules])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "[]"


def test_the_architecture_page_is_complete_and_true() -> None:
    """It names every package and the modules beside them, and no file that is not there."""
    page = (ROOT / "docs" / "architecture.md").read_text()
    named = set(re.findall(r"`([\w./]+)`", page))
    packages = {str(path.parent.relative_to(PACKAGE)) for path in PACKAGE.rglob("__init__.py")}
    beside = {path.name for path in PACKAGE.glob("*.py")} - {
        "__init__.py",
        "__main__.py",
        "names.py",
    }
    assert (packages - {"."}) | beside <= named
    files = {name for name in named if re.search(r"/|\.(py|pyx|h|build|yml)$", name)}
    assert not {file for file in files if not any((top / file).exists() for top in (PACKAGE, ROOT))}

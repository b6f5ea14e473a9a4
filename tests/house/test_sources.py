"""Arrays stay inside kernels: what stands between the ops is made of ops, or goes through one door.

And what other parts must know of an op stands in its definition, not in lists of names elsewhere.

A kernel is what the engine runs: a function under ``@op``, a function given to ``elementwise``, the fast form
of a rule, a batching rule, and every function, class or table of a module that only kernels refer to.
Everywhere else in ``ops``, ``annex/raw``, ``autodiff`` and ``framework``, work on arrays
(``tensor._array``, ``np.sort``, ``EagerTensor(array)``) is work that nothing can observe: no tape, no tracer,
no other kind of array. Python code that must decide by a tensor's values asks `core.static_value`, in most
cases through a function of ``ops.args``.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tapegrad import core

PACKAGE = Path(__file__).resolve().parents[2] / "src" / "tapegrad"
SPELLINGS = PACKAGE / "annex" / "spellings.txt"  # its lines name functions that users call
FOLDERS = ("ops", "autodiff", "framework", "annex/raw")

# Functions of NumPy that see no array's elements: they speak of dtypes and shapes.
ABOUT_TYPES_AND_SHAPES = {"broadcast_shapes", "errstate", "finfo", "iinfo", "issubdtype", "shape"}

WAY_IN = "makes arrays of what users hand in: numbers, lists, objects that offer arrays"
WAY_OUT = "hands arrays to users: printing, NumPy's protocols, pickles"

# How often a module uses arrays outside kernels, and why it may. A number may only fall: the test fails as
# well when a module uses fewer than it says here, so that the number is lowered.
EXCEPTIONS: dict[str, tuple[int, str]] = {
    "framework/bounded_spec": (3, "the limits of a spec are arrays, as TensorFlow's are"),
    "framework/casting": (1, WAY_IN),
    "framework/convert": (10, WAY_IN),
    "framework/dlpack": (1, WAY_IN),
    "framework/nested": (10, WAY_IN),
    "framework/nonfinite": (13, "says of a result where it is not finite"),
    "framework/tensor_html": (6, "a picture of values, and their statistics"),
    "framework/tensor": (7, WAY_OUT),
    "ops/args": (14, "makes sizes and axes of what users hand in: this is the door itself"),
    "ops/gradients": (7, "the seeds of every walk, made of a shape alone: an op for each is dear"),
    "ops/program/debugging": (
        7,
        "compares values that came through the door, and shows where they differ",
    ),
    "ops/program/host": (1, "what a user's function of arrays returns, which NumPy gives a dtype"),
    "ops/program/variables": (
        14,
        "checks and functions of the kernels of scatters, which a loop makes",
    ),
    "ops/random/draws": (2, WAY_IN),
    "ops/random/generator": (6, WAY_IN),
    "ops/random/samplers": (11, "classes of distributions, which the samplers' kernels draw from"),
    "annex/raw/random": (2, "the number of an algorithm as a tensor"),
    "ops/shape/casts": (
        2,
        "the nearest number to a limit that a dtype can hold: no tensor is involved",
    ),
}

Place = tuple[str, str]  # a module, and a name at its top


class Module:
    """The names at the top of a module: what each refers to, and where it uses arrays."""

    def __init__(self, name: str, source: str) -> None:
        self.name = name
        tree = ast.parse(source)
        # What imports bind, at the top or in functions: a module or a name of one.
        self.imported: dict[str, Place] = {}
        self.tops: dict[str, list[ast.stmt]] = {}
        self.parts: dict[ast.stmt, list[tuple[ast.AST, bool]]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.imported[alias.asname or alias.name] = (node.module or "", alias.name)
        for statement in tree.body:
            self.parts[statement] = parts(statement)
            for name in names_bound(statement):
                self.tops.setdefault(name, []).append(statement)

    def resolve(self, node: ast.AST) -> Place | None:
        """The name of ours that an expression refers to."""
        if isinstance(node, ast.Name):
            return self.imported.get(node.id, (self.name, node.id))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = self.imported.get(node.value.id)
            return (".".join(module), node.attr) if module else None
        return None

    def public_names(self) -> set[str]:
        """The names that the table PUBLIC gives to users."""
        return {
            word.rpartition("=")[2]
            for statement in self.tops.get("PUBLIC", [])
            for text in ast.walk(statement)
            if isinstance(text, ast.Constant) and isinstance(text.value, str)
            for word in text.value.split()
        }


Modules = dict[str, Module]


def names_bound(statement: ast.stmt) -> list[str]:
    """What a statement at the top of a module defines; "" where it defines nothing and just runs."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return [statement.name]
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        names = [target.id for target in targets if isinstance(target, ast.Name)]
        return names or [""]
    return [""]


def local_names(statement: ast.stmt) -> set[str]:
    """What a function's parameters and assignments hide of the names at the top of its module."""
    if not isinstance(statement, ast.FunctionDef):
        return set()
    found = {node.arg for node in ast.walk(statement) if isinstance(node, ast.arg)}
    return found | {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def called(node: ast.AST) -> str:
    """The last word of the name of the function that ``node`` calls, if it is a call."""
    function = node.func if isinstance(node, ast.Call) else None
    return getattr(function, "attr", getattr(function, "id", ""))


def takes_kernel(node: ast.AST) -> bool:
    """Whether ``node`` is a call of which an argument is a kernel: ``op(...)(kernel)``, ``elementwise``.

    A batching rule, ``made.batching(rule)``, runs on arrays too.
    """
    return called(node) in ("elementwise", "batching") or (
        isinstance(node, ast.Call) and called(node.func) == "op"
    )


def names_given_to_ops(statement: ast.stmt) -> set[str]:
    """The functions that a statement gives to ``op(...)`` by their names."""
    return {
        argument.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and takes_kernel(node)
        for argument in node.args
        if isinstance(argument, ast.Name)
    }


def is_fast_form(node: ast.AST) -> bool:
    """Whether ``node`` is ``fast=`` in a call of `Op.gradient`: what stands there runs on arrays."""
    return isinstance(node, ast.keyword) and node.arg == "fast"


def parts(statement: ast.stmt) -> list[tuple[ast.AST, bool]]:
    """Every expression in a statement that runs, and whether it stands in a kernel's own text.

    Annotations do not run.
    """
    given = names_given_to_ops(statement)
    found: list[tuple[ast.AST, bool]] = []

    def visit(node: ast.AST, in_kernel: bool) -> None:
        found.append((node, in_kernel))
        if isinstance(node, ast.FunctionDef):
            for child in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
                if child is not None:
                    visit(child, in_kernel)
            is_kernel = node.name in given or any(
                called(each) == "op" or getattr(each, "attr", "") == "batching"
                for each in node.decorator_list
            )
            for child in node.body:
                visit(child, in_kernel or is_kernel)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                visit(node.value, in_kernel)
        else:
            for child in ast.iter_child_nodes(node):
                visit(child, in_kernel or takes_kernel(node) or is_fast_form(node))

    visit(statement, False)
    return found


def uses_array(node: ast.AST) -> bool:
    """Whether the expression is ``x._array``, a function of NumPy's, or a tensor made of an array."""
    if isinstance(node, ast.Call):
        return called(node) == "EagerTensor"
    if not isinstance(node, ast.Attribute):
        return False
    if node.attr == "_array":
        return True
    if not (isinstance(node.value, ast.Name) and node.value.id == "np"):
        return False
    meant = getattr(np, node.attr)
    return (
        not isinstance(meant, (type, int, float, type(None)))
        and node.attr not in ABOUT_TYPES_AND_SHAPES
    )


def only_kernels_refer_to(modules: Modules) -> set[Place]:
    """The names that are part of kernels because kernels refer to them and nobody else does."""
    users: dict[Place, set[Place | None]] = {}  # None stands for a kernel
    for path in re.findall(r"^[A-Z]\w+ (\S+)", SPELLINGS.read_text(), re.MULTILINE):
        place, _, name = f"tapegrad.{path}".rpartition(".")
        users.setdefault((place, name), set()).add(("", "users"))
    for module in modules.values():
        for name in module.public_names():
            users.setdefault((module.name, name), set()).add(("", "users"))
        for top, statements in module.tops.items():
            for statement in statements:
                hidden = local_names(statement)
                for node, in_kernel in module.parts[statement]:
                    if isinstance(node, ast.Name) and node.id in hidden:
                        continue
                    place = module.resolve(node)
                    if place and place[0] in modules and place != (module.name, top):
                        user = None if in_kernel else (module.name, top)
                        users.setdefault(place, set()).add(user)
    # Begin with all that kernels reach; then take away, until nothing changes, what others refer to as well.
    found: set[Place | None] = {None}
    while more := {place for place, by in users.items() if place not in found and by & found}:
        found |= more
    while less := {place for place in found if place and not users[place] <= found}:
        found -= less
    return {place for place in found if place}


def uses_outside_kernels(modules: Modules) -> dict[str, list[int]]:
    """For each module that uses arrays outside kernels the lines, one for each use."""
    of_kernels = only_kernels_refer_to(modules)
    found: dict[str, list[int]] = {}
    for module in modules.values():
        for top, statements in module.tops.items():
            if (module.name, top) in of_kernels:
                continue
            for statement in statements:
                for node, in_kernel in module.parts[statement]:
                    if not in_kernel and uses_array(node):
                        found.setdefault(module.name, []).append(node.lineno)
    return {name: sorted(lines) for name, lines in found.items()}


@functools.cache
def package() -> Modules:
    found = {}
    for folder in FOLDERS:
        for path in sorted((PACKAGE / folder).rglob("*.py")):
            name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
            name = name.removesuffix(".__init__")
            found[name] = Module(name, path.read_text())
    return found


def short_name(module: str) -> str:
    """``tapegrad.ops.random.draws`` as ``ops/random/draws``."""
    return "/".join(module.split(".")[1:])


def test_arrays_stay_inside_kernels() -> None:
    found = {short_name(module): lines for module, lines in uses_outside_kernels(package()).items()}
    complaints = []
    for name in sorted(found.keys() | EXCEPTIONS.keys()):
        lines, (allowed, _) = found.get(name, []), EXCEPTIONS.get(name, (0, ""))
        if len(lines) > allowed:
            complaints.append(
                f"{name} uses arrays outside kernels {len(lines)} times, in lines {lines}; {allowed} are "
                "allowed. Make an op of it, or a composition of ops; or ask core.static_value."
            )
        elif len(lines) < allowed:
            complaints.append(
                f"{name} uses arrays outside kernels {len(lines)} times, in lines {lines}: write that number "
                f"into EXCEPTIONS, in place of {allowed}."
            )
    assert not complaints, "\n".join(complaints)


# --- Lists of ops ---------------------------------------------------------------------------------------

# How many lists of types of ops a module has that does not define these ops. A number may only fall.
LISTS_OF_OPS: dict[str, tuple[int, str]] = {
    "ops/nn/depthwise": (1, "the ops that it makes, by the maker of all convolutions"),
    "ops/program/variables": (
        3,
        "the kinds of updates of a variable, which are words in op types too",
    ),
    "saving/programs": (
        2,
        "the methods of a variable behind the ops that write it; what a file may call of the system",
    ),
    "saving/onnx/arrays": (1, "ONNX's ops for TensorFlow's"),
    "saving/onnx/elements": (3, "ONNX's ops for TensorFlow's"),
    "saving/onnx/functions": (1, "why ONNX has nothing for some of TensorFlow's ops"),
    "saving/onnx/graph": (2, "which of ONNX's ops let transposes through"),
    "saving/onnx/layers": (1, "ONNX's ops for TensorFlow's"),
    "saving/onnx/pictures": (1, "ONNX's ops for TensorFlow's"),
    "saving/onnx/shapes": (7, "the shapes of results of ONNX's ops"),
    "saving/writing/arrangements": (1, "what writes an op as others, for files of TensorFlow's"),
    "saving/writing/compositions": (1, "what writes an op as others, for files of TensorFlow's"),
    "saving/writing/texts": (1, "what writes an op as others, for files of TensorFlow's"),
}

TEXT_IN_CYTHON = re.compile(r'"""(.*?)"""|"([^"\n]*)"|\'([^\'\n]*)\'', re.DOTALL)


def lists_of_words(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lists of strings in a file, as literals or as the words of a text: (line, words)."""
    source = path.read_text()
    if path.suffix == ".pyx":
        for found in TEXT_IN_CYTHON.finditer(source):
            text = next(part for part in found.groups() if part is not None)
            yield source.count("\n", 0, found.start()) + 1, text.split()
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value.split()
        elif isinstance(node, (ast.Set, ast.List, ast.Tuple, ast.Dict)):
            parts = node.keys if isinstance(node, ast.Dict) else node.elts
            words = [part.value for part in parts if isinstance(part, ast.Constant)]
            yield node.lineno, [word for word in words if isinstance(word, str)]


def lists_of_ops(path: Path, home: str) -> list[int]:
    """The lines in which lists begin that are, for the most part, types of ops that other modules define."""
    found = []
    for line, words in lists_of_words(path):
        types = {word for word in words if word[:1].isupper() or word[:1] == "_"}
        ops = [core.registry[word] for word in types if dict.__contains__(core.registry, word)]
        far = [op for op in ops if op.namespace["__name__"] != home]
        if len(far) >= 2 and 2 * len(ops) >= len(words):
            found.append(line)
    return found


def test_what_is_known_of_ops_stands_in_their_definitions() -> None:
    core.load_ops()
    complaints = []
    for path in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyx")]):
        name = path.relative_to(PACKAGE).with_suffix("").as_posix()
        if name == "names":  # the build writes it from the definitions
            continue
        lines = lists_of_ops(path, "tapegrad." + name.replace("/", "."))
        allowed, _ = LISTS_OF_OPS.get(name, (0, ""))
        if len(lines) > allowed:
            complaints.append(
                f"{name} lists ops by name in lines {lines}; {allowed} such lists are allowed. Let the ops "
                "say it themselves: see the traits in docs/adding-an-op.md."
            )
        elif len(lines) < allowed:
            complaints.append(
                f"{name} has {len(lines)} lists of ops: write that number into LISTS_OF_OPS."
            )
    assert not complaints, "\n".join(complaints)


def test_what_counts_as_a_list_of_ops(tmp_path: Path) -> None:
    core.load_ops()
    python, compiled = tmp_path / "example.py", tmp_path / "example.pyx"
    python.write_text(
        'SAFE = """\n    Tanh Sigmoid Mul\n"""\nFEW = {"Tanh", "Mul"}\nONE = ("Tanh", "a", "b")\n'
    )
    compiled.write_text('cdef set SAFE = set("Tanh Mul".split())\n')
    assert lists_of_ops(python, "tapegrad.example") == [1, 4]
    assert lists_of_ops(python, core.registry["Mul"].namespace["__name__"]) == [1]
    assert lists_of_ops(compiled, "tapegrad.example") == [1]


# --- What the reader of sources sees --------------------------------------------------------------------

EXAMPLE = """
import numpy as np
from tapegrad.ops.op import elementwise, op

PUBLIC = {".": "sort shown=order"}
TABLE = {"up": np.sort}

def helper(array):
    return np.flip(array)

def shared(array):
    return np.flip(array)

def loop(array):
    return loop(np.flip(array))

def order(tensor):
    return tensor._array

@op("Sort")
def sort(xp, x, *, kind=np.argsort):
    return helper(TABLE["up"](loop(x)))

half = elementwise("Half", lambda xp, x: shared(np.divide(x, 2)))

def by_name():
    def kernel(xp, x):
        return np.exp(x)
    return op("Exp")(kernel)

def rule(dy, x):
    size: np.ndarray = np.iinfo(np.int32).max
    return EagerTensor(shared(x))
"""


def test_what_counts_as_a_kernel() -> None:
    found = uses_outside_kernels({"tapegrad.ops.example": Module("tapegrad.ops.example", EXAMPLE)})
    lines = [EXAMPLE.splitlines()[number - 1].strip() for number in found["tapegrad.ops.example"]]
    assert lines == [
        "return np.flip(array)",  # of `shared`, which a rule calls too
        "return tensor._array",
        "def sort(xp, x, *, kind=np.argsort):",  # a default is evaluated outside
        "return EagerTensor(shared(x))",
    ]


# --- What Python hands to compiled functions ------------------------------------------------------------

COMPILED_FUNCTION = re.compile(
    r"^( *)(?:def|cpdef [\w. ]+?) (\w+)\((.*?)\):\n(.*?)(?=^\1\S|\Z)", re.MULTILINE | re.DOTALL
)


def unguarded_parameters(source: str) -> list[str]:
    """Parameters that a compiled function reads as arrays, and that may be None: Cython lets None pass."""
    complaints = []
    for _, name, parameters, body in COMPILED_FUNCTION.findall(source):
        for parameter in parameters.split(","):
            declared, _, default = parameter.strip().partition("=")
            declares, _, own = declared.rpartition(" ")
            if (
                declares in ("", "object", "cnp.ndarray")
                and default != "None"
                and own not in ("", "self")
                and re.search(rf"PyArray_\w+\({re.escape(own)}\b", body)
            ):
                complaints.append(f"{name}({own})")
    return complaints


def test_compiled_functions_do_not_read_arrays_of_none() -> None:
    assert unguarded_parameters("def f(x, cnp.ndarray y not None):\n    PyArray_TYPE(x)\n") == [
        "f(x)"
    ]
    complaints = [
        f"{path.relative_to(PACKAGE)}: {parameter}"
        for path in sorted(PACKAGE.rglob("*.pyx"))
        for parameter in unguarded_parameters(path.read_text())
    ]
    assert not complaints, f"declare as `cnp.ndarray name not None`: {complaints}"

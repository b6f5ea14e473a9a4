"""The public namespaces: what is called what, and loaded from where when it is first used.

`import tapegrad` loads the compiled core alone. `NAMES` in `tapegrad.names` says for every namespace which
module holds which names; a name is looked up there once and is an ordinary attribute from then on.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

from tapegrad import core
from tapegrad.names import NAMES

PUBLIC = {".": "load"}

# What functions of ours import from elsewhere when they are called, because it is slow to load.
_ELSEWHERE = (
    "glob inspect logging ml_dtypes numpy._core._multiarray_umath random re time weakref "
    "scipy.fft scipy.linalg scipy.linalg.blas scipy.sparse scipy.special scipy.stats"
)

# Namespaces that are also modules of ours, which the names are added to.
PACKAGES = frozenset({"", "autodiff", "contrib", "dtypes"})

Table = dict[str, tuple[str, str]]


def import_whole(name: str) -> ModuleType:
    """The module ``name`` of ours; where its import fails, nothing of it stays behind."""
    try:
        return import_module(name)
    except BaseException:
        core.forget_unloaded()
        raise


def read_table(entries: Iterable[tuple[str, str]]) -> Table:
    """Public name -> (module, name there), from lines such as ``("ops.math", "abs add mod=floormod")``.

    ``name=.`` stands for the module itself.
    """
    table: Table = {}
    for module, names in entries:
        for entry in names.split():
            public, _, inner = entry.partition("=")
            table[public] = (module, inner or public)
    return table


def forget_annotations(value: Any) -> None:
    """Take the annotations off a public function, or off the methods of a public class.

    TensorFlow's have none, and libraries compare whole `inspect.getfullargspec`s. Type checkers read the
    sources and the stubs.
    """
    functions = [value]
    if isinstance(value, type):
        ours = [each for each in value.__mro__ if each.__module__.startswith("tapegrad.")]
        functions = [member for each in ours for member in vars(each).values()]
    for function in functions:
        function = getattr(function, "__func__", function)  # of a classmethod or staticmethod
        if isinstance(function, FunctionType):
            function.__annotations__ = {}


def load() -> None:
    """Load now what is otherwise loaded when it is first used: all of tapegrad, and what it needs of SciPy.

    Call it before `os.fork`, or before starting processes that fork, where other threads are at work. A child
    whose parent's other thread was in the middle of an import waits for that import for ever.

    >>> tf.load()
    """
    for entries in NAMES.values():
        for module, _ in entries:
            import_whole(f"tapegrad.{module}")
    for name in _ELSEWHERE.split():
        import_module(name)


def attach(module: ModuleType, table: Table) -> None:
    """Let ``module`` load the names in ``table`` when they are asked for."""

    def load(name: str) -> Any:
        if name not in table:
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        source, inner = table[name]
        value: Any = import_whole(f"tapegrad.{source}")
        if inner != ".":
            value = getattr(value, inner)
        forget_annotations(value)
        setattr(module, name, value)
        return value

    def listing() -> list[str]:
        return sorted({*vars(module), *table})

    namespace: dict[str, Callable[..., Any]] = vars(module)
    namespace["__getattr__"] = load
    namespace["__dir__"] = listing


def install(names: dict[str, list[tuple[str, str]]]) -> None:
    """Make every namespace of ``names`` a module below `tapegrad`, and an attribute of the one it is in."""
    paths = {path.rpartition(".")[0] for path in names} | set(names)
    for path in sorted(paths):
        module: ModuleType
        full_name = f"tapegrad.{path}" if path else "tapegrad"
        if path in PACKAGES:
            module = import_module(full_name)
        else:
            module = ModuleType(full_name, f"TensorFlow's namespace `tf.{path}`.")
            module.__path__ = []  # so that namespaces below it can be imported
            sys.modules[full_name] = module
        attach(module, read_table(names.get(path, [])))
        parent, _, last = full_name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, module)

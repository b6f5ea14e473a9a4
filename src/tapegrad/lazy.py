"""The public namespaces: what is called what, and loaded from where when it is first used.

`import tapegrad` loads the compiled core alone. `NAMES` in `tapegrad.names` says for every namespace which
module holds which names; a name is looked up there once and is an ordinary attribute from then on. For a name
that is nowhere, `tapegrad.framework.missing` says what to use instead.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import FrameType, FunctionType, ModuleType
from typing import Any

from tapegrad import core
from tapegrad.core import hide
from tapegrad.names import NAMES, OPS

PUBLIC = {".": "load stand_in"}

# What functions of ours import from elsewhere when they are called, because it is slow to load.
_ELSEWHERE = (
    "glob inspect logging ml_dtypes numpy._core._multiarray_umath random re time weakref "
    "scipy.fft scipy.linalg scipy.linalg.blas scipy.sparse scipy.special scipy.stats"
)

# Namespaces that are also modules of ours, which the names are added to.
PACKAGES = frozenset({"", "autodiff", "contrib", "dtypes"})

# Names that the namespaces hold without a table.
WITHOUT_TABLE = frozenset({"newaxis", "profiling", "testing"})

Table = dict[str, tuple[str, str]]


def import_whole(name: str) -> ModuleType:
    """The module ``name`` of ours; where its import fails, nothing of it stays behind."""
    try:
        return import_module(name)
    except BaseException:
        core.forget_unloaded()
        raise


def import_above() -> None:
    """Load what the core asks of the modules above it: conversion, printing, the ops behind operators."""
    import_whole("tapegrad.above")


def read_table(entries: Iterable[tuple[str, str]]) -> Table:
    """Public name -> (module, name there), from lines such as ``("ops.shape.casts", "bitcast cast")``.

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
    public = {module for entries in NAMES.values() for module, _ in entries}
    for module in sorted(public | {*OPS}):
        import_whole(f"tapegrad.{module}")
    for name in _ELSEWHERE.split():
        import_module(name)


def stand_in() -> None:
    """Let ``import tensorflow`` give this package from now on in this process: a program's first line.

    The class of tensors then says that it lives in a module of ``tensorflow``, which is all that some
    libraries look at.

    Raises:
        RuntimeError: TensorFlow is imported already, or is installed.
    """
    from importlib.util import find_spec

    ours = {name: module for name, module in sys.modules.items() if name.startswith("tapegrad")}
    imported = sys.modules.get("tensorflow")
    if imported is not None and imported is not ours["tapegrad"]:
        raise RuntimeError(
            "tensorflow is imported already, so tapegrad cannot stand in for it: "
            "call tapegrad.stand_in() as the first line of the program."
        )
    if imported is None and find_spec("tensorflow") is not None:
        raise RuntimeError(
            "TensorFlow is installed here, so tapegrad does not stand in for it: "
            "use an environment without it, or write `import tapegrad as tf`."
        )
    for name, module in ours.items():
        if name == "tapegrad" or name.removeprefix("tapegrad.") in NAMES:
            sys.modules[name.replace("tapegrad", "tensorflow", 1)] = module
    core.set_home("tensorflow.python.framework.ops")


def listing_of(module: ModuleType, public: Iterable[str]) -> Callable[[], list[str]]:
    """A ``__dir__`` that lists ``public``, and of the module's other names those that Python gave it."""

    def listing() -> list[str]:
        return sorted({*public, *(name for name in vars(module) if name.startswith("__"))})

    return listing


def describe(path: str, tables: Mapping[str, Table]) -> str:
    """The end of a message about ``tf.path``, which is missing: what to use, or why it is not here."""
    from tapegrad.framework.missing import answer

    names: dict[str, set[str]] = {namespace: set(table) for namespace, table in tables.items()}
    for namespace in tables:
        parent, _, last = namespace.rpartition(".")
        names.setdefault(parent, set()).add(last)
    said = answer(path, names)
    if said is None:
        return ". TensorFlow 2.21 has no such name either."
    return f": {said}" if said.endswith("?") else f": {said}."


def attach(
    module: ModuleType, path: str, below: Iterable[str], tables: Mapping[str, Table]
) -> None:
    """Let ``module``, the namespace at ``path``, load the names in its table when they are asked for.

    ``below`` are the namespaces inside it.
    """
    table = tables.get(path, {})

    def load(name: str) -> Any:
        try:
            if name not in table:
                message = f"module {module.__name__!r} has no attribute {name!r}"
                if name.startswith("_"):
                    raise AttributeError(message)
                from tapegrad.framework.missing import said_by_us

                raise said_by_us(message + describe(f"{path}.{name}".lstrip("."), tables), name)
            source, inner = table[name]
            value: Any = import_whole(f"tapegrad.{source}")
            if inner != ".":
                value = getattr(value, inner)
            forget_annotations(value)
            setattr(module, name, value)
            return value
        except AttributeError as error:
            hide(error)
            raise

    namespace: dict[str, Callable[..., Any]] = vars(module)
    namespace["__getattr__"] = load
    namespace["__dir__"] = listing_of(module, {*table, *below, *(WITHOUT_TABLE & namespace.keys())})


class MissingModules:
    """Asked last for a module that nobody has found: says of a name of TensorFlow's what to use instead."""

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self.tables = tables

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        package, _, rest = name.partition(".")
        namespace = rest.rpartition(".")[0]
        if package != "tapegrad" or (namespace and namespace not in self.tables):
            return
        # Whoever only asks whether the module exists, as importlib.util.find_spec does, is answered None.
        importing = names_of_callers(2, 12)
        if "_find_and_load_unlocked" not in importing[:1]:
            return
        said = describe(rest, self.tables)
        try:
            if "_handle_fromlist" in importing:
                parent, _, last = name.rpartition(".")
                raise ImportError(f"cannot import name {last!r} from {parent!r}{said}", name=parent)
            raise ModuleNotFoundError(f"No module named {name!r}{said}", name=name)
        except ImportError as error:
            hide(error)
            raise


def names_of_callers(first: int, last: int) -> list[str]:
    """What the functions are called that called the caller: from the one ``first`` calls up to ``last``."""
    names: list[str] = []
    frame: FrameType | None = sys._getframe(first + 1)
    while frame is not None and len(names) < last - first:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return names


def install(names: dict[str, list[tuple[str, str]]]) -> None:
    """Make every namespace of ``names`` a module below `tapegrad`, and an attribute of the one it is in."""
    paths = {path.rpartition(".")[0] for path in names} | set(names)
    tables = {path: read_table(names.get(path, [])) for path in sorted(paths)}
    for path in tables:
        module: ModuleType
        full_name = f"tapegrad.{path}" if path else "tapegrad"
        if path in PACKAGES:
            module = import_module(full_name)
        else:
            module = ModuleType(full_name, f"TensorFlow's namespace `tf.{path}`.")
            module.__path__ = []  # so that namespaces below it can be imported
            sys.modules[full_name] = module
        below = [
            other.rpartition(".")[2]
            for other in paths
            if other and other.rpartition(".")[0] == path
        ]
        attach(module, path, below, tables)
        parent, _, last = full_name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], last, module)
    sys.meta_path.append(MissingModules(tables))

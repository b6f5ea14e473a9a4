"""The public namespaces: they are made, and their names are loaded, when they are first used.

`import tapegrad` loads the compiled core alone. `NAMES` in `tapegrad.names` says for every namespace which
module holds which names. A name is looked up there once, and is an ordinary attribute from then on. For a
missing name, `tapegrad.framework.missing` says what to use instead.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import FrameType, FunctionType, ModuleType
from typing import Any, NoReturn

from tapegrad import core
from tapegrad.names import NAMES, OPS

PUBLIC = {".": "load"}

# Modules that our functions import when they are called: of other packages, because they load slowly, and
# those of ours that no table of public names has.
_ELSEWHERE = (
    "glob gzip inspect logging ml_dtypes numpy._core._multiarray_umath random re time unicodedata weakref "
    "zipfile "
    "tapegrad.data.cache tapegrad.data.fingerprints tapegrad.data.sampling tapegrad.data.unknown "
    "tapegrad.functions.concrete tapegrad.functions.explanations tapegrad.functions.input_signatures "
    "tapegrad.functions.graph_of_recording tapegrad.functions.profiles tapegrad.autodiff.graph_of_tape "
    "tapegrad.autodiff.profiles tapegrad.drawing.dot tapegrad.drawing.page tapegrad.drawing.svg "
    "tapegrad.annex.linear_operators.algebra tapegrad.core.opening "
    "tapegrad.framework.module_text tapegrad.framework.tensor_html "
    "tapegrad.saving.checkpoint_files tapegrad.symbolic.calls tapegrad.symbolic.programs"
)

# Those of SciPy, where it is installed.
_OF_SCIPY = (
    "scipy.fft scipy.linalg scipy.linalg.lapack scipy.optimize scipy.sparse scipy.sparse.linalg "
    "scipy.special scipy.stats.qmc"
)

# Namespaces that are also modules of ours. The names are added to these modules.
PACKAGES = frozenset({"", "autodiff", "dtypes"})

# The module of the names that are Keras's.
KERAS = "annex.tensorflow_shim.keras"

# Names in the namespaces that no table holds.
WITHOUT_TABLE = frozenset({"newaxis", "profiling", "testing"})

# Namespaces that ``python -m`` runs, and the modules whose code that is.
PROGRAMS = {"saved_model": "saving.commands"}

Table = dict[str, tuple[str, str]]


class Tables(Mapping[str, Table]):
    """The table of every namespace, by its path below tf. It is read when it is first asked for: few are."""

    def __init__(self) -> None:
        self.entries: dict[str, list[tuple[str, str]]] = {}
        self._read: dict[str, Table] = {}

    def __getitem__(self, path: str) -> Table:
        if path not in self._read:
            self._read[path] = read_table(self.entries[path])
        return self._read[path]

    def __contains__(self, path: object) -> bool:
        return path in self.entries

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


TABLES = Tables()

# The path of a namespace -> the last parts of the paths of those inside it.
_inside: dict[str, list[str]] = {}

# Public functions written as ordinary functions -> what users get.
PUBLIC_OBJECTS: dict[FunctionType, core.Function] = {}


def import_whole(name: str) -> ModuleType:
    """Our module ``name``. If its import fails, the ops that it had defined are forgotten."""
    try:
        return import_module(name)
    except BaseException:
        core.forget_unloaded()
        raise


def import_callbacks() -> None:
    """Load what the core asks of higher layers: conversion, printing, the ops behind operators."""
    import_whole("tapegrad.callbacks")


def find(path: str) -> Any:
    """What is at ``tf.path``."""
    return functools.reduce(getattr, path.split("."), sys.modules["tapegrad"])


def read_table(entries: Iterable[tuple[str, str]]) -> Table:
    """Public name -> (module, name there), from entries such as ``("ops.shape.casts", "bitcast cast")``.

    ``name=.`` stands for the module itself.
    """
    table: Table = {}
    for module, names in entries:
        for entry in names.split():
            public, _, inner = entry.partition("=")
            table[public] = (module, inner or public)
    return table


def public_object(function: FunctionType) -> core.Function:
    """What users get for a public ``function`` that no decorator has made one of: it takes no tensors.

    The module that defines it has this object from now on, by which it is pickled.
    """
    if function not in PUBLIC_OBJECTS:
        # Two threads that load a name at once get one object.
        public = PUBLIC_OBJECTS.setdefault(function, core.Function(function, computes=False))
        home = vars(sys.modules[function.__module__])
        if home.get(function.__name__) is function:
            home[function.__name__] = public
    return PUBLIC_OBJECTS[function]


def forget_annotations(cls: type) -> None:
    """Remove the annotations of the methods of a public class, as a `core.Function` does of its own.

    TensorFlow's methods have none, and some libraries compare `inspect.getfullargspec` as a whole. Type
    checkers read the sources and the stubs instead.
    """
    # Where this package stands in for TensorFlow, some classes say that they live there.
    ours = [
        base for base in cls.__mro__ if base.__module__.startswith(("tapegrad.", "tensorflow."))
    ]
    for method in (member for base in ours for member in vars(base).values()):
        method = getattr(method, "__func__", method)  # of a classmethod or staticmethod
        if type(method) is FunctionType:
            method.__annotations__ = {}
        # A class inside of the class.
        elif type(method) is type and method.__module__ == cls.__module__:
            forget_annotations(method)


def load() -> None:
    """Load now all of tapegrad, and what it needs of SciPy, instead of each part when it is first used.

    In a program with several threads, call it before `os.fork`, or before starting processes that fork. If
    one thread forks while another is importing a module, the child waits for that import for ever.

    >>> tf.load()
    """
    public = {module for entries in NAMES.values() for module, _ in entries}
    for module in sorted(public | {*OPS}):
        import_whole(f"tapegrad.{module}")
    from importlib.util import find_spec

    elsewhere = _ELSEWHERE.split()
    if find_spec("scipy") is not None:
        elsewhere += _OF_SCIPY.split()
    for name in elsewhere:
        import_whole(name)


def listing_of(module: ModuleType, public: Iterable[str]) -> list[str]:
    """What ``dir(module)`` lists: ``public``, and the names that Python gives every module."""
    return sorted({*public, *(name for name in loaded_names(module) if name.startswith("__"))})


def describe(path: str) -> str:
    """The end of the message for the missing name ``tf.path``: what to use, or why it is not here."""
    from tapegrad.framework.missing import answer

    names: dict[str, set[str]] = {namespace: set(table) for namespace, table in TABLES.items()}
    for namespace in TABLES:
        parent, _, last = namespace.rpartition(".")
        names.setdefault(parent, set()).add(last)
    namespace = path.rpartition(".")[0]
    module = sys.modules.get(f"tapegrad.{namespace}")
    listed = [] if module is None else loaded_names(module).get("__all__", [])
    names.setdefault(namespace, set()).update(listed)
    # This module alone leads into the annex, where the names of TensorFlow 1.x are.
    spellings = import_whole("tapegrad.annex.spellings")
    said = answer(path, names, spellings.paths_today())
    if said is None:
        return ". TensorFlow 2.21 has no such name either."
    return f": {said}" if said.endswith("?") else f": {said}."


def namespace(path: str) -> ModuleType:
    """The module of the namespace ``tf.path``."""
    return import_module(f"tapegrad.{path}".rstrip("."))


def attach(module: ModuleType, path: str) -> None:
    """Make ``module``, the namespace at ``path``, load the names in its table when they are asked for."""

    @core.public(computes=False)
    def load(name: str) -> Any:
        if name in _inside[path]:
            return namespace(f"{path}.{name}".lstrip("."))
        if name == "__all__":
            return names_of_star(module)
        table = TABLES[path]
        if name not in table:
            raise error_of_missing(module, path, name)
        source, inner = table[name]
        value: Any = import_whole(f"tapegrad.{source}")
        if inner != ".":
            value = getattr(value, inner)
        if type(value) is FunctionType:
            value = public_object(value)
        elif isinstance(value, type):
            forget_annotations(value)
        setattr(module, name, value)
        return value

    names: dict[str, Callable[..., Any]] = loaded_names(module)
    more = {*_inside[path], *(WITHOUT_TABLE & names.keys())}
    names["__getattr__"] = load
    names["__dir__"] = lambda: listing_of(module, {*TABLES[path], *more})


def names_of_star(module: ModuleType) -> list[str]:
    """What ``from module import *`` binds: all names, but for Keras's where there is no `tf.keras`.

    Keras's names make tapegrad stand in for TensorFlow, so they are there only where it does already.
    """
    names = [name for name in dir(module) if not name.startswith("_")]
    table = TABLES[module.__name__.partition(".")[2]]
    of_keras = [name for name in names if name in table and table[name][0] == KERAS]
    if sys.modules.get("tensorflow") is sys.modules["tapegrad"]:
        of_keras = [name for name in of_keras if not hasattr(module, name)]
    return [name for name in names if name not in of_keras]


def error_of_missing(module: ModuleType, path: str, name: str) -> AttributeError:
    """The error of a name that the namespace ``tf.path``, which is ``module``, does not have."""
    message = f"module {module.__name__!r} has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(message)
    from tapegrad.framework.missing import said_by_us

    return said_by_us(message + describe(f"{path}.{name}".lstrip(".")), name)


def explain_missing(module: ModuleType, path: str) -> None:
    """Make a module of ours, which is the namespace at ``path``, explain names that it does not have."""

    @core.public(computes=False)
    def refuse(name: str) -> Any:
        raise error_of_missing(module, path, name)

    vars(module).setdefault("__getattr__", refuse)


class Namespace(ModuleType):
    """A namespace that is no module of ours. Its `__dict__` has all names, which are loaded when it is read.

    Libraries look up names there: SymPy and TensorWaves those of functions that they print or find. Python
    itself finds attributes without it.
    """

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        names = loaded_names(self)
        if "__getattr__" in names:  # not while it is made
            for name in names_of_star(self):
                getattr(self, name)
        return names

    def __dir__(self) -> list[str]:
        names: list[str] = loaded_names(self)["__dir__"]()
        return names


_DICT: Any = vars(ModuleType)["__dict__"]


def loaded_names(module: ModuleType) -> dict[str, Any]:
    """The attributes that a module has so far."""
    names: dict[str, Any] = _DICT.__get__(module)
    return names


class Namespaces:
    """A finder on `sys.meta_path`, and the loader of what it finds: namespaces that are no modules of ours.

    It comes before Python's own finders, which would find the folders of stubs. So each import of any package
    passes it, which takes a thousandth of the time of an import.
    """

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        package, _, rest = name.partition(".")
        if package != "tapegrad" or rest not in _inside or rest in PACKAGES:
            return None
        loader: Any = self
        spec = ModuleSpec(name, loader, is_package=True)
        # So that the modules of a package of ours that has the name of the namespace can be imported, such as
        # `tapegrad.ragged`.
        spec.submodule_search_locations = [
            f"{folder}/{rest.replace('.', '/')}"
            for folder in sys.modules["tapegrad"].__path__
            if any(source.startswith(f"{rest}.") for source, _ in TABLES.entries[rest])
        ]
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        path = spec.name.partition(".")[2]
        return Namespace(spec.name, f"The namespace `tf.{path}`.")

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its names: `importlib` calls this."""
        spec: Any = module.__spec__
        spec.loader = module.__loader__ = None  # so it is shown by its name alone
        path = module.__name__.partition(".")[2]
        attach(module, path)


class MissingModules:
    """The last finder on `sys.meta_path`: says what to use instead of a module that only TensorFlow has.

    It finds Keras's modules too, which have no files of ours (decision 0115), and what ``python -m`` runs
    for a namespace.
    """

    @core.public(computes=False)
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        package, _, rest = name.partition(".")
        if package == "tapegrad" and rest.partition(".")[0] == "keras":
            return find_keras(name, rest)
        namespace, _, last = rest.rpartition(".")
        if package == "tapegrad" and last == "__main__" and namespace in PROGRAMS:
            return find_program(name, PROGRAMS[namespace])
        if package == "tapegrad" and (not namespace or namespace in TABLES) and is_import():
            refuse_import(name, describe(rest))
        return None


def find_program(name: str, module: str) -> ModuleSpec | None:
    """The spec of ``name`` with the code of a module of ours."""
    from importlib.util import find_spec, spec_from_file_location

    spec = find_spec(f"tapegrad.{module}")
    return None if spec is None else spec_from_file_location(name, spec.origin)


def find_keras(name: str, rest: str) -> ModuleSpec | None:
    """The spec of ``name``, a module of Keras. What knows Keras is loaded with the first one."""
    spec: ModuleSpec | None = import_whole("tapegrad.annex.tensorflow_shim.keras").find_spec_of(
        name, rest
    )
    return spec


def is_import() -> bool:
    """Whether the finder that calls this is asked for a module that is being imported.

    `importlib.util.find_spec` asks as well: whether the module exists. It gets None.
    """
    callers = names_of_callers(11)
    return callers[callers.index("_find_spec") + 1] == "_find_and_load_unlocked"


def refuse_import(name: str, said: str) -> NoReturn:
    """Raise what Python raises where there is no module ``name``, with ``said`` at the end of the message."""
    if "_handle_fromlist" in names_of_callers(9):
        parent, _, last = name.rpartition(".")
        raise ImportError(f"cannot import name {last!r} from {parent!r}{said}", name=parent)
    raise ModuleNotFoundError(f"No module named {name!r}{said}", name=name)


def names_of_callers(count: int) -> list[str]:
    """The names of the functions above the caller, the nearest first: ``count`` at the most."""
    names: list[str] = []
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and len(names) < count:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return names


def add_path(path: str) -> None:
    """Write a namespace, and those that contain it, into `_inside`."""
    if path not in _inside:
        _inside[path] = []
        if path:
            parent, _, last = path.rpartition(".")
            add_path(parent)
            _inside[parent].append(last)


def install(names: dict[str, list[tuple[str, str]]]) -> None:
    """Let every namespace in ``names`` be found, and be an attribute of the namespace that contains it."""
    for path in ("", *names):
        add_path(path)
    for path in sorted(_inside):
        TABLES.entries[path] = names.get(path, [])
    for path in PACKAGES:
        attach(namespace(path), path)
    explain_missing(sys.modules["tapegrad.errors"], "errors")
    sys.meta_path.insert(0, Namespaces())
    sys.meta_path.append(MissingModules())

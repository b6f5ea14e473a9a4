"""``dataset.fingerprint()``: a number for how a data set is made, the same in every process.

Data sets are described by their kinds and arguments, arrays by their elements, and functions of the user's
own program by their code, their defaults, and the values of the variables that they read. Modules of
libraries, and their functions and classes, are described by their names and the version of the library: what
they hold changes while a program runs. Variables, and generators of random numbers, are described by their
types: their values are state, as in TensorFlow.

What a description consists of is hashed, part by part. An object that is part of itself is described once,
and then by how far up it lies.
"""

from __future__ import annotations

import dis
import enum
import hashlib
import sys
import sysconfig
from collections.abc import Iterable
from functools import lru_cache
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Tensor, static_value
from tapegrad.data.dataset import DatasetV2
from tapegrad.data.functions import DataFunction
from tapegrad.data.shuffle import SeedGenerator
from tapegrad.framework.spec import TypeSpec
from tapegrad.framework.variable import Variable
from tapegrad.functions.function import Function
from tapegrad.ops.constants import constant
from tapegrad.ops.random.generator import Generator

ATOMS = (str, bytes, bytearray, int, float, complex, bool, type(None), type(...), range, slice)
BY_REPR = (np.generic, np.dtype, dtypes.DType, TypeSpec)
GLOBAL_READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
# What Python adds to every class, and what says where a class stands.
OF_EVERY_CLASS = (
    *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__", "__slots__", "_abc_impl"),
    *("__firstlineno__", "__static_attributes__", "__annotations__", "__annotate_func__"),
    *("__abstractmethods__", "__classdictcell__", "__annotations_cache__"),
)
# Attributes that do not belong to the definition of a data set: caches of passes, and this module's own.
KEPT_BY_PASSES = ("_kept", "_fingerprint")
DEEPEST = 150


def fingerprint(dataset: DatasetV2) -> Tensor:
    """``dataset.fingerprint()``."""
    number: Tensor = constant(int.from_bytes(_digest_of(dataset), "little"), dtypes.uint64)
    return number


def _digest_of(dataset: DatasetV2) -> bytes:
    """The digest of a data set, as it was at the first request.

    Functions of the user may change what they read, a list of calls for example.
    """
    known: bytes | None = vars(dataset).get("_fingerprint")
    if known is None:
        known = _Digests().of_parts(_parts_of_dataset(dataset))
        vars(dataset)["_fingerprint"] = known
    return known


def _parts_of_dataset(dataset: DatasetV2) -> list[Any]:
    parts: list[Any] = [type(dataset).__name__]
    for name, value in sorted(vars(dataset).items()):
        if name not in KEPT_BY_PASSES and not name.endswith("spec"):
            parts += [name, value]
    return parts


class _Digests:
    """The digests of all that a data set is made of."""

    def __init__(self) -> None:
        self._known: dict[int, bytes] = {}
        # Objects whose digests are computed, or begun: they stay alive, so that no id is used twice.
        self._held: list[Any] = []
        self._open: dict[int, int] = {}

    def of(self, value: Any) -> bytes:
        """The digest of an object."""
        if isinstance(value, ATOMS) and type(value) in ATOMS:
            return _hashed([type(value).__name__.encode(), repr(value).encode()])
        if isinstance(value, DatasetV2):
            return _digest_of(value)
        if isinstance(value, (set, frozenset)):
            return _hashed([b"set", *sorted(map(self.of, value))])
        key = id(value)
        if key in self._known:
            return self._known[key]
        if key in self._open:
            return _hashed([b"above", str(len(self._open) - self._open[key]).encode()])
        if len(self._open) > DEEPEST:
            return _hashed([b"deep", _name_of(type(value)).encode()])
        self._open[key] = len(self._open)
        self._held.append(value)
        try:
            digest = self.of_parts(_parts(value))
        finally:
            del self._open[key]
        self._known[key] = digest
        return digest

    def of_parts(self, parts: Iterable[Any]) -> bytes:
        """The digest of what an object is made of."""
        return _hashed([self.of(part) for part in parts])


def _hashed(parts: Iterable[bytes]) -> bytes:
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()


def _parts(value: Any) -> list[Any]:
    """A word for the kind of an object, and its parts."""
    if isinstance(value, ModuleType):
        return ["module", value.__name__, _version(value.__name__)]
    if isinstance(value, type):
        return _parts_of_class(value)
    if isinstance(value, FunctionType):
        return _parts_of_function(value)
    if isinstance(value, CodeType):
        return ["code", value.co_code, value.co_consts, value.co_names, value.co_varnames]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *value]
    if isinstance(value, dict):
        return ["dict", *(part for item in value.items() for part in item)]
    if isinstance(value, BY_REPR):
        return [type(value).__name__, repr(value)]
    if isinstance(value, np.ndarray):
        elements = value.tolist() if value.dtype == object else value.tobytes()
        return ["array", value.dtype.str, value.shape, elements]
    if isinstance(value, EagerTensor):
        return ["tensor", value.dtype.name, static_value(value, "fingerprint")]
    if isinstance(value, Variable):
        return ["variable", value.dtype.name, str(value.shape)]
    if isinstance(value, Generator):
        return ["generator", value.algorithm]
    if isinstance(value, DataFunction):
        return ["function", value.function, value.before, value.seed]
    if isinstance(value, SeedGenerator):
        return ["seeds", *value.described()]
    if isinstance(value, Function):
        return ["tf.function", value.python_function]
    if isinstance(value, MethodType):
        return ["method", value.__func__, value.__self__]
    if isinstance(value, BuiltinFunctionType):
        return ["builtin", value.__qualname__, value.__self__]
    if isinstance(value, enum.Enum):
        return ["member", type(value), value.name]
    return _parts_of_object(value)


def _parts_of_object(value: Any) -> list[Any]:
    """The parts of an object of another kind: by its configuration, or as it would be pickled."""
    kind = type(value)
    name, module = getattr(value, "__name__", None), getattr(value, "__module__", None)
    if isinstance(value, np.ufunc):
        module = module or "numpy"  # NumPy 2.0 gives its own none
    if callable(value) and isinstance(name, str) and isinstance(module, str):
        # An op, a function of NumPy, or a function in a wrapper.
        wrapped = getattr(value, "__wrapped__", None)
        if wrapped is not None or _is_library(module):
            return ["callable", module, name, _version(module), wrapped]
    if callable(getattr(kind, "get_config", None)):
        try:
            return ["configured", kind, value.get_config()]
        except (NotImplementedError, TypeError):
            pass  # Keras refuses to describe layers that have arguments of their own
    if _is_plain(kind):
        return ["object", kind, *(part for item in sorted(vars(value).items()) for part in item)]
    try:
        reduced = value.__reduce_ex__(2)
    except Exception:
        # What cannot be pickled, an open file or a lock, is described by its kind.
        return ["kind", kind]
    if isinstance(reduced, str):
        return ["named", kind, reduced]
    constructor, arguments, *state = reduced
    return [
        "object",
        constructor,
        arguments,
        *(part if i == 0 else list(part or ()) for i, part in enumerate(state)),
    ]


def _is_plain(kind: type) -> bool:
    """Whether the objects of a class are what their ``__dict__`` holds, and no more."""
    customized = any(
        name in vars(base)
        for base in kind.__mro__[:-1]
        for name in ("__reduce__", "__reduce_ex__", "__getstate__", "__slots__")
    )
    return kind.__dictoffset__ != 0 and not customized


def _parts_of_class(kind: type) -> list[Any]:
    parts: list[Any] = ["class", _name_of(kind)]
    if _is_library(kind.__module__):
        return [*parts, _version(kind.__module__)]
    for name, value in sorted(vars(kind).items()):
        if name not in OF_EVERY_CLASS:
            if isinstance(value, property):
                value = (value.fget, value.fset)
            elif isinstance(value, (staticmethod, classmethod)):
                value = value.__func__
            parts += [name, value]
    return [*parts, *kind.__bases__]


def _parts_of_function(function: FunctionType) -> list[Any]:
    name = f"{function.__module__}.{function.__qualname__}"
    if _is_library(function.__module__) and "<l" not in name:  # neither lambdas nor inner functions
        return ["function", name, _version(function.__module__)]
    code = function.__code__
    cells = [_contents(cell) for cell in function.__closure__ or ()]
    parts = ["function", code, function.__defaults__, function.__kwdefaults__, *cells]
    read = [
        (name, function.__globals__[name])
        for name in _globals_read(code)
        if name in function.__globals__
    ]
    for name, value in read:
        parts += [name, value]
    # From modules of the user's program: the values that the function may read.
    for module in [*cells, *(value for _, value in read)]:
        if isinstance(module, ModuleType) and not _is_library(module.__name__):
            attributes = vars(module)
            for name in _names_of(code):
                if name in attributes:
                    parts += [name, attributes[name]]
    return parts


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return "nothing yet"


@lru_cache(maxsize=1000)
def _globals_read(code: CodeType) -> tuple[str, ...]:
    """The global variables that code reads and does not set, that of inner functions included."""
    read: set[str] = set()
    written: set[str] = set()
    for part in _with_inner(code):
        for instruction in dis.get_instructions(part):
            if instruction.opname in GLOBAL_READS:
                read.add(instruction.argval)
            elif instruction.opname == "STORE_GLOBAL":
                written.add(instruction.argval)
    return tuple(sorted(read - written))


def _names_of(code: CodeType) -> list[str]:
    return sorted({name for part in _with_inner(code) for name in part.co_names})


def _with_inner(code: CodeType) -> list[CodeType]:
    """The code of a function and of those inside it."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return [code, *(code_object for part in inner for code_object in _with_inner(part))]


def _name_of(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


@lru_cache(maxsize=1000)
def _is_library(module: str) -> bool:
    """Whether a module is Python's, ours or an installed package, and not of the user's own program."""
    top = module.partition(".")[0]
    if top == "__main__" or top == "__mp_main__":
        return False
    if top in sys.stdlib_module_names or top in ("tapegrad", "tensorflow", "keras"):
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    paths = sysconfig.get_paths()
    return file is not None and file.startswith((paths["purelib"], paths["platlib"]))


def _version(module: str) -> str:
    """The version of the library that a module belongs to, if it says one."""
    version = getattr(sys.modules.get(module.partition(".")[0]), "__version__", "")
    return version if isinstance(version, str) else ""

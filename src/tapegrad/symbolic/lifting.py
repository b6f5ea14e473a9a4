"""While a graph is open, the namespaces give functions that take tensors without values."""

from __future__ import annotations

import functools
import inspect
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import FunctionType, MethodType, ModuleType
from typing import Any

from tapegrad import errors
from tapegrad.annex.tensorflow_shim.internals import Internals
from tapegrad.autodiff.tape import GradientTape
from tapegrad.core import Composition, Renamed
from tapegrad.names import NAMES
from tapegrad.ops.program.tensor_array import TensorArray
from tapegrad.ragged.ragged_tensor import RaggedTensor
from tapegrad.symbolic.tapes import SymbolicTape
from tapegrad.symbolic.tensors import SymbolicTensor
from tapegrad.symbolic.tracing import current, holds_symbolic, lift

# Rooms whose functions compute: they are called in each world. What other functions do is done once.
ROOMS = (
    "tapegrad.ops.",
    "tapegrad.batching.",
    "tapegrad.ragged.",
    "tapegrad.annex.internal.branches",
    "tapegrad.annex.tensorflow_shim.slices",
    "tapegrad.annex.tensorflow_shim.sparse_csr",
    "tapegrad.annex.v1.",
)
# Modules that are used as namespaces: by programs, and by the methods of linear operators.
MODULES = ("annex.raw.raw_ops", "annex.linear_operators.ops")
# What runs as Python: ops are lifted where they are called.
PYTHON = (FunctionType, Composition, Renamed)
# Functions that ask what an object is, and not what it holds.
ABOUT_OBJECTS = frozenset(["is_symbolic_tensor", "is_tensor"])
# A loop that ends by its values might never end on dummies. Its variables keep their shapes, so some
# turns tell as much as all.
MOST_TURNS = 64


def lifted(function: Any) -> Any:
    """``function`` as it is seen while a graph is open."""
    if function is GradientTape:
        return SymbolicTape
    if function is TensorArray or function is RaggedTensor:
        return LIFTED_CLASSES[function]
    if type(function) not in PYTHON or not function.__module__.startswith(ROOMS):
        return function
    if function.__name__ in ABOUT_OBJECTS:
        return function
    if function in _plain:
        return function
    if function not in _lifted:
        _lifted[function] = _lift(function)
        _plain[_lifted[function]] = function
    return _lifted[function]


_lifted: dict[Any, Any] = {}
_plain: dict[Any, Any] = {}  # the other way round


# The names of the arguments of a TensorArray after `dynamic_size`.
_AFTER_THREE = tuple(inspect.signature(TensorArray).parameters)[3:]


class LiftedClass:
    """A class whose instances may hold tensors without values. `isinstance` takes it for the class."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._kind is TensorArray and current() is not None:
            # A loop that is tried with several sizes reads each element once more.
            args, kwargs = args[:3], {**kwargs, **dict(zip(_AFTER_THREE, args[3:], strict=False))}
            kwargs["clear_after_read"] = False
        result = lift(self._kind, args, kwargs)
        return self._kind(*args, **kwargs) if result is NotImplemented else result

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, self._kind)

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._kind, name)
        return _lift(member) if isinstance(member, MethodType) else member


LIFTED_CLASSES = {kind: LiftedClass(kind) for kind in (TensorArray, RaggedTensor)}


def _lift(function: Callable[..., Any]) -> Callable[..., Any]:
    name = function.__name__

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        trace = current()
        if trace is None:
            return function(*args, **kwargs)
        special = _assertion if name.startswith(("assert", "Assert")) else _special.get(name)
        if special is not None:
            return special(trace, function, args, kwargs)
        # What it calls may use tensors from outside, so it runs in both worlds even if no argument is without
        # values. A branch that a Python bool chooses runs as it stands.
        calls = getattr(function, "calls_functions", False)
        if trace.world is None and calls and not isinstance((*args, None)[0], bool):
            return trace.call(function, args, kwargs)
        result = lift(function, args, kwargs)
        if result is not NotImplemented:
            return result
        before = trace.unsettled
        result = function(*args, **kwargs)
        if trace.unsettled == before or trace.world is not None:
            return result
        trace.unsettled = before
        return trace.call(function, args, kwargs)

    call.lifted_from = function  # type: ignore[attr-defined]
    return call


def _while_loop(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    bound = inspect.signature(function).bind(*args, **kwargs).arguments
    most = bound.get("maximum_iterations")

    def loop(most: Any, **others: Any) -> Any:
        turns = MOST_TURNS if most is None else min(int(most), MOST_TURNS)
        result = function(**others, maximum_iterations=turns)
        before = others["loop_vars"]
        if type(before) in (list, tuple) and isinstance(result, (list, tuple)):
            return type(before)(result)  # whether or not the loop has run
        return result

    others = {key: value for key, value in bound.items() if key != "maximum_iterations"}
    loop.__name__ = "while_loop"
    return trace.call(loop, (most,), others) if trace.world is None else loop(most, **others)


def _assertion(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Shapes are checked. Values are not, as there are none."""
    if holds_symbolic((args, kwargs)):
        _later(trace, function, args, kwargs)
    try:
        result = lift(function, args, kwargs)
        return function(*args, **kwargs) if result is NotImplemented else result
    except errors.InvalidArgumentError:
        if trace.world is not None or not holds_symbolic((args, kwargs)):
            raise
    except ValueError as error:
        if not isinstance(error.__cause__, errors.InvalidArgumentError):
            raise
    return None


def _later(trace: Any, function: Any, args: Any, kwargs: Any, results: Any = ()) -> None:
    """Leave to the run what is no use on dummies."""
    if trace.world is None:
        trace.defer(function, args, kwargs, list(results))
    elif trace.inside is not None:
        trace.inside.acts = True


def _print(trace: Any, function: Any, args: Any, kwargs: Any) -> None:
    _later(trace, function, args, kwargs)


def _python_function(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """Python code is not run on dummies: of its results, the dtypes are known."""
    import inspect

    from tapegrad import dtypes
    from tapegrad.framework.spec import TensorSpec

    bound = inspect.signature(function).bind(*args, **kwargs).arguments

    def unknown(kind: Any) -> Any:
        if isinstance(kind, TensorSpec):
            return trace.unknown(kind.shape, kind.dtype, "PyFunc", "PyFunc")
        return trace.unknown(None, dtypes.as_dtype(kind), "PyFunc", "PyFunc")

    kinds = bound["Tout"]
    several = isinstance(kinds, (list, tuple))
    results = [unknown(kind) for kind in (kinds if several else [kinds])]
    _later(trace, function, args, kwargs, results)
    return results if several else results[0]


def _convert(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """A tensor without values is a tensor already."""
    value = args[0] if args else kwargs.get("value")
    if type(value) is SymbolicTensor and len(args) + len(kwargs) == 1:
        return value
    result = lift(function, args, kwargs)
    return function(*args, **kwargs) if result is NotImplemented else result


def _static_value(trace: Any, function: Any, args: Any, kwargs: Any) -> Any:
    """The value of a tensor that is the same in both worlds. Only of integers, as dummies are few numbers."""
    if not holds_symbolic((args, kwargs)):
        return function(*args, **kwargs)
    tensor = args[0] if args else kwargs["tensor"]
    if not (tensor.dtype.is_integer or tensor.dtype.is_bool) or trace.world is not None:
        return None if trace.world is None else function(tensor.in_world(trace.world))
    try:
        return trace.call(lambda inside: function(inside), (tensor,), {})
    except TypeError:
        return None


_special: dict[str, Callable[..., Any]] = {
    "convert_to_tensor": _convert,
    "while_loop": _while_loop,
    "print": _print,
    "py_function": _python_function,
    "numpy_function": _python_function,
    "py_func": _python_function,
    "get_static_value": _static_value,
}


class LiftedNamespace(ModuleType):
    """The class of the namespaces while a graph is open."""

    def __getattribute__(self, name: str) -> Any:
        value = ModuleType.__getattribute__(self, name)
        return value if name.startswith("__") else lifted(value)


class LiftedInternals(LiftedNamespace, Internals):
    """The class of TensorFlow's internal modules while a graph is open."""

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        if type(value) is FunctionType and value in _plain:
            # It was loaded by way of a namespace, which is lifted too. What is kept is the function itself.
            vars(self)[name] = _plain[value]
        return lifted(value)


KINDS: dict[type, type] = {ModuleType: LiftedNamespace, Internals: LiftedInternals}


def _namespaces() -> list[ModuleType]:
    """The public namespaces, and what stands for TensorFlow's internal modules."""
    for path in MODULES:  # a program may ask for one first while the graph is open
        import_module(f"tapegrad.{path}")
    names = [f"tapegrad.{path}" if path else "tapegrad" for path in ("", *MODULES, *NAMES)]
    inner = [name for name in tuple(sys.modules) if name.startswith("tensorflow.")]
    modules = {id(module): module for name in (*names, *inner) if (module := sys.modules.get(name))}
    return list(modules.values())


_lock = threading.Lock()
_open = 0


@contextmanager
def lifted_namespaces() -> Iterator[None]:
    """Let the public namespaces give lifted functions, in every thread. On real tensors these do the same."""
    _change(1)
    try:
        yield
    finally:
        _change(-1)


def _change(by: int) -> None:
    global _open
    with _lock:
        before, _open = _open, _open + by
        if before and _open:
            return
        kinds = KINDS if _open else {lifted: kind for kind, lifted in KINDS.items()}
        for module in _namespaces():
            module.__class__ = kinds.get(type(module), type(module))

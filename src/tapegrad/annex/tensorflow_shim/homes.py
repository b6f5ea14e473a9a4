"""Classes that say, while tapegrad stands in, that they live in the module of TensorFlow that has them.

Some libraries do not import TensorFlow to find out what an object is: they look at the name of its class and
of the class's module. Keras takes for a data set what has a base named ``DatasetV2`` in a module of
``tensorflow.python``. A class is settled when its module is loaded, so that no module is loaded for this.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from operator import attrgetter
from types import MethodType, ModuleType
from typing import Any

from tapegrad.annex.tensorflow_shim.columns import HOMES


class Settling(Loader):
    """A loader that loads a module as ``loader`` does, and then settles its classes."""

    def __init__(self, loader: Any, module: str) -> None:
        self.loader = loader
        self.module = module

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        module: ModuleType | None = self.loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.loader
        self.loader.exec_module(module)
        settle_module(self.module, module)


def find_spec(
    name: str, rest: str, path: Sequence[str] | None, asking: MetaPathFinder | Any
) -> ModuleSpec | None:
    """The spec of our module ``name`` from the other finders, if it has classes to settle."""
    if rest not in HOMES:
        return None
    for finder in sys.meta_path:
        spec = None if finder is asking else finder.find_spec(name, path)
        if spec is not None:
            spec.loader = Settling(spec.loader, rest)
            return spec
    return None


def settle_module(rest: str, module: ModuleType) -> None:
    for home, names in HOMES[rest].items():
        for name in names.split():
            settle_class(getattr(module, name), f"tensorflow.{home}", rest)


def settle_class(cls: Any, home: str, rest: str) -> None:
    """Let ``cls``, of our module ``rest``, say that it lives in the module ``home``.

    `pickle` writes a class by the module that it names. Its instances are written by our module, which is
    there also without `stand_in`.
    """
    _ours[cls] = (rest, cls.__qualname__)
    cls.__module__ = home
    reduce = cls.__reduce_ex__
    if getattr(reduce, "names_our_classes", False):
        return  # it is the one of a base class

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        return by_our_names(reduce(self, protocol))

    __reduce_ex__.names_our_classes = True  # type: ignore[attr-defined]
    cls.__reduce_ex__ = __reduce_ex__


# Class that is settled -> our module, and its name there.
_ours: dict[Any, tuple[str, str]] = {}


def by_our_names(reduced: Any) -> Any:
    """What `__reduce_ex__` returned, with settled classes and their methods named by our modules."""
    if not isinstance(reduced, tuple):
        return reduced
    function, args, *rest = reduced
    call = [function, *args]
    names = {i: name for i, part in enumerate(call) if (name := our_name(part)) is not None}
    if not names:
        return reduced
    named = [names.get(i, part) for i, part in enumerate(call)]
    return (rebuild, (tuple(names), *named), *rest)


def our_name(value: Any) -> tuple[str, str] | None:
    """The module of ours and the name there of a settled class, or of a method bound to one."""
    if isinstance(value, MethodType) and isinstance(value.__self__, type):
        owner = _ours.get(value.__self__)
        return None if owner is None else (owner[0], f"{owner[1]}.{value.__name__}")
    return _ours.get(value) if isinstance(value, type) else None


def rebuild(places: tuple[int, ...], *call: Any) -> Any:
    """Call the first of ``call`` with the others. At ``places`` there are names, see `our_name`."""
    function, *args = [
        attrgetter(part[1])(import_module(f"tapegrad.{part[0]}")) if i in places else part
        for i, part in enumerate(call)
    ]
    return function(*args)


def settle() -> None:
    """Settle the classes of the modules that are loaded already."""
    for rest in HOMES:
        module = sys.modules.get(f"tapegrad.{rest}")
        if module is not None:
            settle_module(rest, module)

"""The raw names that are not an op under its own arguments: one row for each, from ``annex/spellings.txt``.

    MatrixDiagPartV2 ops.linalg.diagonals.matrix_diag_part input k padding_value | align='LEFT_LEFT'
    Concat ops.shape.joining.concat_op concat_dim->axis values
    IdentityN ops.shape.array.identity_n

They are TensorFlow's older versions of an op, arguments that are only hints, ops whose public function takes
other arguments, and ops that are a function of ours. Where more is to be done than passing arguments on, a
small function in a module beside this one does it.
"""

from __future__ import annotations

import functools
import sys
from collections import namedtuple
from collections.abc import Callable
from importlib import import_module
from typing import Any

from tapegrad.annex.spellings import Arguments, read, section, signature, value_of
from tapegrad.core import REQUIRED, Renamed

Plan = tuple[tuple[str, ...], tuple[int, ...], tuple[Any, ...]]


def located(path: str) -> Any:
    """What a module of ours has at ``path``."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"tapegrad.{module}"), name)


class Row:
    """What is to be known of one raw name. The function is loaded when it is first asked for."""

    def __init__(self, type: str, text: str) -> None:
        self.type = type
        text, _, self._fixed = text.partition(" | ")
        self._path, _, takes = text.partition(" ")
        self.takes = takes or None

    @functools.cached_property
    def function(self) -> Callable[..., Any]:
        """The op or function of ours that does the work."""
        function: Callable[..., Any] = located(self._path)
        return function

    @functools.cached_property
    def fixed(self) -> dict[str, Any]:
        """What the function gets in every call, by argument."""
        return {
            name: located(value.removeprefix("@")) if value.startswith("@") else value_of(value)
            for name, _, value in (word.partition("=") for word in self._fixed.split())
        }

    @functools.cached_property
    def arguments(self) -> Arguments:
        return read(self.takes) if self.takes is not None else self.own_arguments()

    def own_arguments(self) -> Arguments:
        """What the function takes, without what is passed in every call."""
        from inspect import signature as signature_of

        defaults = {
            name: REQUIRED if parameter.default is parameter.empty else parameter.default
            for name, parameter in signature_of(self.function).parameters.items()
            if name != "name" and name not in self.fixed
        }
        return Arguments(defaults, {name: name for name in defaults})

    def plan(self, names: tuple[str, ...]) -> Plan:
        """What `function` gets for arguments of these ``names``, as `Renamed` wants it."""
        defaults, targets = self.arguments
        unknown = sorted(set(names) - set(defaults) - {"name"})
        if unknown:
            raise TypeError(
                f"raw_ops.{self.type} got unexpected arguments {unknown}; "
                f"it takes {', '.join(defaults)}."
            )
        missing = [
            name for name, default in defaults.items() if default is REQUIRED and name not in names
        ]
        if missing:
            raise TypeError(f"raw_ops.{self.type} needs {', '.join(missing)} too.")
        constants = [*self.fixed.values()]
        passed = {name: -1 - place for place, name in enumerate(self.fixed)}
        for name, target in targets.items():
            if name in names:
                passed[target] = names.index(name)
            else:
                constants.append(defaults[name])
                passed[target] = -len(constants)
        return tuple(map(sys.intern, passed)), tuple(passed.values()), tuple(constants)

    def raw_function(self) -> Callable[..., Any]:
        """What `tf.raw_ops` has under this name."""
        doc = self.function.__doc__
        if not self.function.__module__.startswith(__package__):
            doc = document(self.function)
        return renamed(self.type, self.function, self.plan, self.arguments.defaults, doc)


def renamed(
    type: str,
    function: Callable[..., Any],
    plan: Callable[[tuple[str, ...]], Plan],
    defaults: dict[str, Any],
    doc: str | None,
) -> Callable[..., Any]:
    """``function`` under a raw name and its arguments."""
    raw: Any = Renamed(function, plan, results_of(type))
    raw.__name__ = raw.__qualname__ = type
    raw.__module__ = __name__
    raw.__signature__ = signature({**defaults, "name": None})
    raw.__doc__ = doc
    raw.values = getattr(function, "values", None)
    return raw


def document(function: Callable[..., Any]) -> str:
    """The docstring of a raw name whose work ``function`` does, a public one or an op."""
    return f"``{function.__name__}``, by the name and the arguments of TensorFlow's op."


def results_of(type: str) -> Any:
    """The named tuple that the raw op ``type`` gives; None where it gives one tensor or one list."""
    return namedtuple(type, RESULTS[type]) if type in RESULTS else None


ROWS = {type: Row(type, text) for type, text in section("raw names")}
"""Raw name -> its row."""

RESULTS = {
    type: names for types, names in section("results of raw names") for type in types.split(",")
}
"""Raw name with several results -> how these are called."""

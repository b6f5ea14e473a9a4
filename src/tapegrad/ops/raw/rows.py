"""How `table` writes down a raw name: TensorFlow's arguments, and whose arguments they become.

    row("MatrixDiagPartV2", diagonals.matrix_diag_part, "input k padding_value", align="LEFT_LEFT")
    row("Concat", array.concat_op, "concat_dim->axis values")
    row("Gather", gather.gather_op, "params indices validate_indices->_=True", axis=0)

First stands the raw name, then the op or the function that does its work, then what the raw name takes, in
TensorFlow's order and with TensorFlow's defaults. An argument goes to the parameter of its own name, or to
the one after the arrow; after "->_" it goes nowhere. What follows the text is passed in every call.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tapegrad import dtypes
from tapegrad.core import REQUIRED, Renamed
from tapegrad.ops.raw.outputs import results_of

Plan = tuple[tuple[str, ...], tuple[int, ...], tuple[Any, ...]]

UNUSED = "_"


class Row(NamedTuple):
    """What is to be known of one raw name."""

    type: str
    function: Callable[..., Any]
    defaults: Mapping[str, Any]
    """Raw argument -> its default, REQUIRED where there is none, in TensorFlow's order."""
    targets: Mapping[str, str]
    """Raw argument -> the parameter of `function` that it becomes, for those that are used."""
    fixed: Mapping[str, Any]

    def plan(self, names: tuple[str, ...]) -> Plan:
        """What `function` gets for arguments of these ``names``, as `Renamed` wants it."""
        unknown = sorted(set(names) - set(self.defaults) - {"name"})
        if unknown:
            raise TypeError(
                f"raw_ops.{self.type} got unexpected arguments {unknown}; "
                f"it takes {', '.join(self.defaults)}."
            )
        missing = [
            name
            for name, default in self.defaults.items()
            if default is REQUIRED and name not in names
        ]
        if missing:
            raise TypeError(f"raw_ops.{self.type} needs {', '.join(missing)} too.")
        constants = [*self.fixed.values()]
        passed = {name: -1 - place for place, name in enumerate(self.fixed)}
        for name, target in self.targets.items():
            if name in names:
                passed[target] = names.index(name)
            else:
                constants.append(self.defaults[name])
                passed[target] = -len(constants)
        return tuple(map(sys.intern, passed)), tuple(passed.values()), tuple(constants)

    def raw_function(self) -> Callable[..., Any]:
        """What `tf.raw_ops` has under this name."""
        doc = self.function.__doc__
        if not self.function.__module__.startswith(__package__):
            doc = document(self.function)
        return renamed(self.type, self.function, self.plan, self.defaults, doc)


def renamed(
    type: str,
    function: Callable[..., Any],
    plan: Callable[[tuple[str, ...]], Plan],
    defaults: Mapping[str, Any],
    doc: str | None,
) -> Callable[..., Any]:
    """``function`` under a raw name and its arguments."""
    made: Any = Renamed(function, plan, results_of(type))
    made.__name__ = made.__qualname__ = type
    made.__module__ = __name__
    made.__signature__ = signature(defaults)
    made.__doc__ = doc
    made.values = getattr(function, "values", None)
    return made


def signature(defaults: Mapping[str, Any]) -> Any:
    """What `inspect.signature` shows of a raw name with these arguments and defaults."""
    from inspect import Parameter, Signature

    kind = Parameter.POSITIONAL_OR_KEYWORD
    return Signature(
        [
            Parameter(name, kind, default=Parameter.empty if default is REQUIRED else default)
            for name, default in {**defaults, "name": None}.items()
        ]
    )


def document(function: Callable[..., Any]) -> str:
    """The docstring of a raw name whose work ``function`` does, a public one or an op."""
    return f"``{function.__name__}``, by the name and the arguments of TensorFlow's op."


def row(type: str, function: Callable[..., Any], takes: str, /, **fixed: Any) -> Row:
    """The row that these words make, as the text above says."""
    defaults, targets = {}, {}
    for word in takes.split():
        argument, has_default, default = word.partition("=")
        name, has_arrow, target = argument.partition("->")
        defaults[name] = value_of(default) if has_default else REQUIRED
        if target != UNUSED:
            targets[name] = target if has_arrow else name
    return Row(type, function, defaults, targets, fixed)


def value_of(text: str) -> Any:
    """The default that ``text`` stands for: a literal without blanks, or a dtype such as ``tf.int32``."""
    if text.startswith("tf."):
        return getattr(dtypes, text.removeprefix("tf."))
    return ast.literal_eval(text)

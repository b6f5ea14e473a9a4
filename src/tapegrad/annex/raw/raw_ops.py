"""`tf.raw_ops`: every op by TensorFlow's name for it, called with keywords."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from tapegrad import core
from tapegrad.annex.raw.rows import ROWS, Plan, document, renamed
from tapegrad.annex.spellings import section
from tapegrad.core import Op

if TYPE_CHECKING:
    from typing import Any  # not when it runs: tf.raw_ops.Any is an op

# Ops whose own order of arguments, inputs before attributes, is not TensorFlow's, and that order.
ORDERS = dict(section("orders of raw arguments"))


def raw_op(op: Op) -> Callable[..., Any]:
    """``op``, which has no row, under the argument names it has in `tf.raw_ops`."""
    public = op.inputs + op.attributes
    targets = {**dict(zip(public, public, strict=True)), **dict(zip(op.raw, public, strict=True))}

    def plan(names: tuple[str, ...]) -> Plan:
        unknown = sorted(set(names) - set(targets) - {"name"})
        if unknown:
            raise TypeError(
                f"raw_ops.{op.type} got unexpected arguments {unknown}; "
                f"it takes {', '.join(op.raw)}."
            )
        passed = {targets[name]: place for place, name in enumerate(names) if name in targets}
        return tuple(map(sys.intern, passed)), tuple(passed.values()), ()

    values = (*[core.REQUIRED] * len(op.inputs), *op.parameter_defaults)
    defaults = dict(zip(op.raw, values, strict=True))
    if op.type in ORDERS:
        defaults = reordered(defaults, ORDERS[op.type].split())
    return renamed(op.type, op, plan, defaults, document(op))


def reordered(defaults: dict[str, Any], order: list[str]) -> dict[str, Any]:
    """The ``defaults`` of arguments in this ``order``: there are none before the last that is required."""
    required = max(place for place, name in enumerate(order) if defaults[name] is core.REQUIRED)
    return {
        name: core.REQUIRED if place < required else defaults[name]
        for place, name in enumerate(order)
    }


def __getattr__(name: str) -> Any:
    if name == "__all__":  # what `from ... import *` binds
        return __dir__()
    try:
        function = ROWS[name].raw_function() if name in ROWS else raw_op(registered(name))
    except AttributeError as error:
        core.hide(error)
        raise
    globals()[name] = function
    return function


def registered(name: str) -> Op:
    """The op of that type."""
    try:
        return core.registry[name]
    except KeyError:
        raise no_op(name) from None


def no_op(name: str) -> AttributeError:
    """What to say of an op that is not here."""
    from difflib import get_close_matches

    from tapegrad.framework.missing import of_family, said_by_us

    if name.startswith("__"):
        return AttributeError(f"module {__name__!r} has no attribute {name!r}")
    close = get_close_matches(name, __dir__(), n=1, cutoff=0.8)
    said = f"did you mean tf.raw_ops.{close[0]}?" if close else of_family(f"raw_ops.{name}")
    if said is None:
        said = "TensorFlow 2.21 has none either."
    return said_by_us(f"tf.raw_ops has no op {name!r}: {said}", name)


def __dir__() -> list[str]:
    core.load_ops()
    return sorted({*core.registry, *ROWS})

"""`tf.raw_ops`: every op by TensorFlow's name for it, called with keywords."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tapegrad import core
from tapegrad.core import Op
from tapegrad.ops.raw.rows import document, signature
from tapegrad.ops.raw.table import ROWS

if TYPE_CHECKING:
    from typing import Any  # not when it runs: tf.raw_ops.Any is an op


def raw_op(op: Op) -> Callable[..., Any]:
    """``op``, of which `table` has no row, under the argument names it has in `tf.raw_ops`."""
    public = op.inputs + op.attributes

    def call(**arguments: Any) -> Any:
        arguments.pop("name", None)
        unknown = sorted(set(arguments) - set(op.raw) - set(public))
        if unknown:
            raise TypeError(
                f"raw_ops.{op.type} got unexpected arguments {unknown}; "
                f"it takes {', '.join(op.raw)}."
            )
        return op(
            **{
                public[op.raw.index(name)] if name in op.raw else name: arguments[name]
                for name in arguments
            }
        )

    call.__name__ = call.__qualname__ = op.type
    defaults = (*[core.REQUIRED] * len(op.inputs), *op.parameter_defaults)
    vars(call)["__signature__"] = signature(dict(zip(op.raw, defaults, strict=True)))
    call.__doc__ = document(op)
    return call


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("__") or name not in __dir__():
        try:
            raise no_op(name)
        except AttributeError as error:
            core.hide(error)
            raise
    made = ROWS[name].raw_function() if name in ROWS else raw_op(core.registry[name])
    function = globals()[name] = made
    return function


def no_op(name: str) -> AttributeError:
    """What to say of an op that is not here."""
    from difflib import get_close_matches

    from tapegrad.framework.missing import of_family, said_by_us

    if name.startswith("__"):
        return AttributeError(f"module {__name__!r} has no attribute {name!r}")
    close = get_close_matches(name, __dir__(), n=1, cutoff=0.8)
    said = f"did you mean tf.raw_ops.{close[0]}?" if close else of_family(f"raw_ops.{name}")
    return said_by_us(f"tf.raw_ops has no op {name!r}: {said}", name)


def __dir__() -> list[str]:
    core.load_ops()
    return sorted({*core.registry, *ROWS})

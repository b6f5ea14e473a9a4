"""``tf.compat.v1.metrics``, which gather in variables of a graph: they can be named, and are refused.

TensorFlow refuses them in eager code. In a graph it makes an op that assigns variables, and graphs here have
none. Today's metrics are in ``tf.keras.metrics``.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import Signature
from typing import Any, NoReturn

from tapegrad.annex.spellings import read, section, signature
from tapegrad.core import public
from tapegrad.framework.names import executing_eagerly

# The arguments of each.
ARGUMENTS = {path.removeprefix("metrics."): takes for path, takes in section("metrics")}


def __getattr__(name: str) -> Any:
    """The function of that name."""
    if name not in ARGUMENTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return metric(name, signature(read(ARGUMENTS[name]).defaults))


def metric(name: str, shown: Signature) -> Callable[..., NoReturn]:
    """A function that takes the arguments of a metric, and raises."""

    def refused(*args: Any, **kwargs: Any) -> NoReturn:
        shown.bind(*args, **kwargs)
        if executing_eagerly():
            raise RuntimeError(
                f"tf.metrics.{name} is not supported when eager execution is enabled. Use tf.keras.metrics."
            )
        raise NotImplementedError(
            f"tf.compat.v1.metrics.{name} gathers in variables of a graph, and graphs assign no variables "
            "here. Use tf.keras.metrics outside of the graph."
        )

    refused.__name__ = refused.__qualname__ = name
    vars(refused)["__signature__"] = shown
    refused.__doc__ = f"Not supported in eager code, and not here in graphs: {name}."
    return public(refused)

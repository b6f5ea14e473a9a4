"""Names that TensorFlow has for graphs alone. Their errors say what to use instead."""

from __future__ import annotations

from typing import Any, NoReturn

from tapegrad.autodiff.tape import UnconnectedGradients

PUBLIC = {
    ".": "gradients hessians",
    ". compat.v1": "AggregationMethod Operation",
}


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: Any = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = UnconnectedGradients.NONE,
) -> NoReturn:
    """Raises RuntimeError: it is for graphs, and there are none. Use `tf.GradientTape`."""
    raise RuntimeError(
        "tf.gradients is not supported when eager execution is enabled. "
        "Use tf.GradientTape instead: compute the target inside `with tf.GradientTape() as "
        "tape:`, then call tape.gradient(target, sources)."
    )


def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: Any = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> NoReturn:
    """Raises RuntimeError: it is for graphs, and there are none. One `tf.GradientTape` inside another gives
    second derivatives.
    """
    raise RuntimeError(
        "tf.hessians is not supported when eager execution is enabled. "
        "Use tf.GradientTape instead: take tape.gradient inside the block of a second tape, "
        "and that tape's jacobian of the result."
    )


class Operation:
    """A node of a graph. There are no graphs: ``isinstance(x, tf.Operation)`` is always False."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "tf.Operation is a node of a graph, and there are no graphs: call the op itself."
        )


class AggregationMethod:
    """How `gradients` would add up several gradients of one tensor; a tape always adds them one by one."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2

"""Names that TensorFlow has for graphs alone: `tf.gradients`, and those whose errors say what to use."""

from __future__ import annotations

from typing import Any

from tapegrad.autodiff.tape import GradientTape, UnconnectedGradients
from tapegrad.core import Tensor
from tapegrad.framework import nest
from tapegrad.framework.names import current_graph, lack_of_tape, tape_of_function

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
) -> list[Any]:
    """In a `tf.function` or a graph: the gradients of the sum of ``ys`` by each of ``xs``, in a list.

    >>> @tf.function
    ... def slope(x):
    ...     return tf.gradients(x * x, x)
    >>> slope(tf.constant(3.0))
    [<tf.Tensor: shape=(), dtype=float32, numpy=6.0>]

    A function that calls it has a tape, which watches its arguments and the variables it reads. The first
    call of such a function begins anew when it comes here, with the values that variables had before.

    Differs from TensorFlow: constants that the function makes are not watched.

    Args:
        ys: a tensor, or a list of them.
        xs: the same.
        grad_ys: for each of ``ys`` the gradient that arrives there; ones if None.
        name: accepted.
        gate_gradients: accepted.
        aggregation_method: accepted.
        stop_gradients: a tensor, or a list of them. No gradient flows back through what made them, so that
            they count as constants; they may be among ``xs``.
        unconnected_gradients: the gradient by a source that ``ys`` do not depend on: None or zeros.

    Raises:
        RuntimeError: outside of both. Use `tf.GradientTape` there.
    """
    stops = [] if stop_gradients is None else nest.flatten(stop_gradients)
    for stop in stops:
        if not isinstance(stop, Tensor):
            raise AttributeError(
                f"`stop_gradients` of tf.gradients() are tensors; {type(stop).__name__} came."
            )
    targets, sources = nest.flatten(ys), nest.flatten(xs)
    seeds = None if grad_ys is None else nest.flatten(grad_ys)
    graph = current_graph()
    if graph is not None:
        found: list[Any] = graph.gradients(targets, sources, seeds, unconnected_gradients, stops)
        return found
    tape = tape_of_function()
    if tape is None:
        raise lack_of_tape(
            "tf.gradients is not supported when eager execution is enabled. "
            "Use tf.GradientTape instead: compute the target inside `with tf.GradientTape() as "
            "tape:`, then call tape.gradient(target, sources)."
        )
    return gradients_before(tape, stops, targets, sources, seeds, unconnected_gradients)


def gradients_before(
    tape: GradientTape,
    stops: list[Any],
    targets: list[Any],
    sources: list[Any],
    seeds: list[Any] | None,
    unconnected_gradients: Any,
) -> list[Any]:
    """The gradients by ``sources`` of what a persistent tape has recorded, as if ``stops`` were constants."""
    if stops:
        part = GradientTape(persistent=True)
        part._tape = tape._records().without(stops)
        tape = part
    return list(tape.gradient(targets, sources, seeds, unconnected_gradients))


def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: Any = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Any]:
    """In a `tf.function`: the second derivatives of the sum of ``ys`` by each of ``xs``, in a list.

    >>> @tf.function
    ... def curvature(x):
    ...     return tf.hessians(tf.reduce_sum(x * x * x), x)
    >>> curvature(tf.constant([1.0, 2.0]))[0].numpy().tolist()
    [[6.0, 0.0], [0.0, 12.0]]

    Each is by one of ``xs`` alone, twice, and has its shape twice. `tf.autodiff.hessian` has the mixed
    ones too, and works outside of functions.

    Args:
        ys: a tensor, or a list of them.
        xs: the same.
        gate_gradients, aggregation_method, name: accepted.

    Raises:
        RuntimeError: outside of a function.
        ValueError: ``ys`` do not depend on one of ``xs``, or not on its square.
    """
    tape = None if current_graph() is not None else tape_of_function()
    if tape is None:
        raise lack_of_tape(
            "tf.hessians is not supported when eager execution is enabled. Use "
            "tf.autodiff.hessian(function)(x) instead, or tf.GradientTape: take tape.gradient "
            "inside the block of a second tape, and that tape's jacobian of the result."
        )
    targets, sources = nest.flatten(ys), nest.flatten(xs)
    found = []
    for source in sources:
        (slope,) = tape.gradient(targets, [source])
        matrix = None if slope is None else tape.jacobian(slope, source)
        if matrix is None:
            raise ValueError(
                "None values not supported: tf.hessians() of something that does not depend on one of `xs`, "
                "or depends on it linearly. Those second derivatives are zeros."
            )
        found.append(matrix)
    return found


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

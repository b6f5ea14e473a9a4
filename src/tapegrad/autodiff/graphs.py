"""Names that TensorFlow has for graphs alone: `tf.gradients`, and those whose errors say what to use."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import core, dtypes
from tapegrad.autodiff.tape import GradientTape, UnconnectedGradients
from tapegrad.core import EagerTensor, Tensor
from tapegrad.core.sizes import broadcast_shape
from tapegrad.framework import nest
from tapegrad.framework.names import current_graph, lack_of_tape, tape_of_function

PUBLIC = {
    ".": "gradients hessians",
    ". compat.v1": "AggregationMethod",
}


class FunctionTape(GradientTape):
    """The tape that `tf.gradients` reads: of all that a function does, its gradients too."""

    def __init__(self) -> None:
        super().__init__(persistent=True)
        self.was_asked = False
        self._start().watch_all()

    def _pause_unless_persistent(self, tape: core.Tape) -> None:
        pass


def _function_tape(message: str) -> FunctionTape:
    """The tape of the running function, for gradients; without one an error with ``message``."""
    tape: FunctionTape | None = tape_of_function()
    if tape is None:
        raise lack_of_tape(message)
    tape.was_asked = True
    return tape


@core.public(computes=False)
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

    A function that calls it has a tape, which watches every tensor. Where the function's code does not show
    that it calls this, its first call is undone and repeated, with the former values of variables.

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
        TypeError: ``ys`` or ``xs`` is a dict, or ``grad_ys`` has another dtype than ``ys``.
        ValueError: ``grad_ys`` has another length or shape than ``ys``.
    """
    graph = current_graph()
    tape = (
        None
        if graph is not None
        else _function_tape(
            "tf.gradients is not supported when eager execution is enabled. "
            "Use tf.GradientTape instead: compute the target inside `with tf.GradientTape() as "
            "tape:`, then call tape.gradient(target, sources)."
        )
    )
    stops = [] if stop_gradients is None else nest.flatten(stop_gradients)
    for stop in stops:
        if not isinstance(stop, Tensor):
            raise AttributeError(
                f"`stop_gradients` of tf.gradients() are tensors; {type(stop).__name__} came."
            )
    targets, sources = _tensors("ys", ys), _tensors("xs", xs)
    seeds = None if grad_ys is None else nest.flatten(grad_ys)
    if graph is not None:
        tape = graph.tape_of([*targets, *(seeds or []), *stops])
    if tape is None:
        dxs: list[Any] = graph.gradients(targets, sources, seeds, unconnected_gradients, stops)
        return dxs
    if seeds is not None:
        _check_seeds(seeds, targets)
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


def _tensors(name: str, values: Any) -> list[Any]:
    """The argument ``name`` of `gradients` as a list. Numbers become tensors, on which nothing depends."""
    listed = list(values) if isinstance(values, (list, tuple)) else [values]
    tensors = []
    for value in listed:
        if value is None:
            raise AttributeError(f"`{name}` of tf.gradients() are tensors; None came.")
        if isinstance(value, (dict, list, tuple)):
            raise TypeError(
                f"`{name}` of tf.gradients() is a tensor or a list of tensors; "
                f"a {type(value).__name__} came as one of them."
            )
        plain = isinstance(value, (bool, int, float, complex, str, bytes, np.ndarray, np.generic))
        tensors.append(core.convert(value) if plain else value)
        if name == "ys" and getattr(tensors[-1], "dtype", None) is dtypes.string:
            raise TypeError("`ys` of tf.gradients() are numbers; a tensor of strings came.")
    return tensors


def _check_seeds(seeds: list[Any], targets: list[Any]) -> None:
    """Raise unless the gradients that are given for targets have their dtypes and shapes that suit theirs."""
    for seed, target in zip(seeds, targets, strict=False):
        if seed is None or not isinstance(target, EagerTensor):
            continue
        number = isinstance(seed, (int, float, complex))
        tensor = core.convert(seed, target.dtype if number else None)
        if tensor.dtype is not target.dtype:
            raise TypeError(
                f"One of `grad_ys` of tf.gradients() is a {tensor.dtype.name}, "
                f"and the tensor that it is for a {target.dtype.name}: use tf.cast."
            )
        shape = target._shape_tuple()
        try:
            fits = broadcast_shape(tensor._shape_tuple(), shape) == shape
        except ValueError:
            fits = False
        if not fits:
            raise ValueError(
                f"One of `grad_ys` of tf.gradients() has the shape {tensor.shape}, "
                f"and the tensor that it is for {target.shape}."
            )


@core.public(computes=False)
def hessians(
    ys: Any,
    xs: Any,
    gate_gradients: Any = False,
    aggregation_method: Any = None,
    name: str = "hessians",
) -> list[Any]:
    """In a `tf.function` or a graph: the second derivatives of the sum of ``ys`` by each of ``xs``.

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
        RuntimeError: outside of both.
        ValueError: ``ys`` do not depend on one of ``xs``, or not on its square.
    """
    message = (
        "tf.hessians is not supported when eager execution is enabled. Use "
        "tf.autodiff.hessian(function)(x) instead, or tf.GradientTape: take tape.gradient "
        "inside the block of a second tape, and that tape's jacobian of the result."
    )
    graph = current_graph()
    tape = None if graph is not None else _function_tape(message)
    targets, sources = _tensors("ys", ys), _tensors("xs", xs)
    if graph is not None:
        tape = graph.tape_of(targets)
    matrices = []
    for source in sources:
        if tape is not None:
            (slope,) = tape.gradient(targets, [source])
            matrix = None if slope is None else tape.jacobian(slope, source)
        else:
            (slope,) = graph.gradients(targets, [source], None, UnconnectedGradients.NONE, [])
            matrix = None if slope is None else graph.derivatives(_jacobian, slope, source, (), {})
        if matrix is None:
            raise ValueError(
                "None values not supported: tf.hessians() of something that does not depend on one of `xs`, "
                "or depends on it linearly. Those second derivatives are zeros."
            )
        matrices.append(matrix)
    return matrices


def _jacobian(size_assignment: Any, tape: GradientTape, target: Any, source: Any) -> Any:
    """The derivatives of ``target`` by ``source``, as a graph asks for them."""
    return tape.jacobian(target, source)


class AggregationMethod:
    """How `gradients` would add up several gradients of one tensor; a tape always adds them one by one."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2

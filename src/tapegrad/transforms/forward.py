"""Jacobian-vector products: `jvp` for one vector, and `linearize` for many at one point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad import core
from tapegrad.autodiff.forward import ForwardAccumulator
from tapegrad.autodiff.tape import GradientTape
from tapegrad.framework import nest
from tapegrad.ops.gradients import zeros
from tapegrad.transforms.reverse import arguments_of, public, record, split, tensors_of
from tapegrad.transforms.wrt import Wrt, check_callable, dense, floats, shape_of

PUBLIC = {"autodiff": "jvp linearize"}


@core.public(computes=False)
def jvp(
    function: Callable[..., Any],
    primals: Any,
    tangents: Any,
    *,
    wrt: Any = None,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """The result of ``function``, and how fast it changes along a direction: its Jacobian times a vector.

    >>> value, change = tf.autodiff.jvp(tf.sin, (0.0,), (2.0,))
    >>> change
    <tf.Tensor: shape=(), dtype=float32, numpy=2.0>

    Both come from one run of the function, with a `tf.autodiff.ForwardAccumulator`. Not in TensorFlow.

    Args:
        function: takes tensors, other values and nests, and returns a tensor or a nest of them.
        primals: a tuple or list of its arguments.
        tangents: the direction: a nest as ``wrt`` describes it, with None for zeros.
        wrt: what to differentiate by, as for `grad`; by default all arguments.
        has_aux: whether ``function`` returns a pair: its result, and anything else. The latter is then
            returned as well, last.

    Returns:
        The result and its change, which have one structure. The change of numbers that are not floating is
        zero.

    Raises:
        TypeError, ValueError: as `grad` does, and if ``tangents`` do not fit.
    """
    check_callable("jvp", function)
    chosen = Wrt("jvp", wrt)
    point = chosen.at(arguments_of(chosen, primals))
    seeds = point.flat(tangents, "`tangents`")
    sources, ways = _distinct(point.sources, seeds)
    with ForwardAccumulator(sources, ways) as accumulator:
        returned = function(*point.args)
    value, aux = split(chosen, function, returned) if has_aux else (returned, None)
    outputs = tensors_of(chosen, function, value)
    changes = accumulator.jvp(outputs, "zero")
    packed = nest.pack_sequence_as(value, outputs), nest.pack_sequence_as(value, changes)
    return (*packed, aux) if has_aux else packed


def _distinct(sources: list[Any], seeds: list[Any]) -> tuple[list[Any], list[Any]]:
    """The sources, each once, with the sum of its seeds."""
    sums: dict[int, tuple[Any, Any]] = {}
    for source, seed in zip(sources, seeds, strict=True):
        before = sums.get(id(source))
        sums[id(source)] = source, seed if before is None else before[1] + seed
    return [source for source, _ in sums.values()], [seed for _, seed in sums.values()]


@core.public(computes=False)
def linearize(
    function: Callable[..., Any], *args: Any, wrt: Any = None, has_aux: bool = False
) -> tuple[Any, ...]:
    """The result of ``function`` at ``args``, and a function that multiplies vectors with its Jacobian
    there.

    >>> def energy(x):
    ...     return tf.reduce_sum(x * x * x)
    >>> slope, product = tf.autodiff.linearize(tf.autodiff.grad(energy), tf.constant([1.0, 2.0]))
    >>> product(tf.constant([1.0, 0.0])).numpy().tolist()      # a column of the Hessian
    [6.0, 0.0]

    ``function`` is run once, and each product walks over what was recorded: cheaper than `jvp` where many
    products are wanted at one place, at the price of the memory of the record. Not in TensorFlow.

    Args:
        function: takes ``args``, and returns a tensor or a nest of them.
        args: its arguments: tensors, other values and nests.
        wrt: what to differentiate by, as for `grad`; by default all of ``args``, in a tuple.
        has_aux: whether ``function`` returns a pair: its result, and anything else. The latter is then
            returned as well, last.

    Returns:
        The result, and a function. It takes a nest as ``wrt`` describes it, with None for zeros; where
        ``wrt`` is left out, one argument for each of ``args``. It returns a nest like the result.

    Raises:
        TypeError, ValueError: as `grad` does, but for results of any shape.
    """
    check_callable("linearize", function)
    chosen = Wrt("linearize", wrt)
    point = chosen.at(args)
    tape, value, aux = record(point, function, {}, has_aux)
    outputs = tensors_of(chosen, function, value)
    places = [i for i, output in enumerate(outputs) if floats(output)]
    # The walk back is linear in what arrives at the outputs. So the gradient by that, of what leaves at
    # the sources, is the walk's transpose: the Jacobian itself. No value of the seeds enters it.
    seeds = [zeros(shape_of(outputs[i]), outputs[i].dtype) for i in places]
    with GradientTape(persistent=True, watch_accessed_variables=False) as transpose:
        transpose.watch(seeds)
        arrived = tape.gradient([outputs[i] for i in places], point.sources, output_gradients=seeds)
        arrived = [None if dx is None else core.convert(dx) for dx in arrived]
    reached = [i for i, dx in enumerate(arrived) if dx is not None]

    def push(*tangents: Any) -> Any:
        if wrt is not None and len(tangents) != 1:
            chosen.refuse(f"one nest like `wrt` is pushed forward; {len(tangents)} came")
        vectors = point.flat(tangents if wrt is None else tangents[0], "what is pushed forward")
        changes = transpose.gradient(
            [arrived[i] for i in reached], seeds, output_gradients=[vectors[i] for i in reached]
        )
        by_place = dict(zip(places, changes, strict=True))
        return nest.pack_sequence_as(
            value, [dense(by_place.get(i), output) for i, output in enumerate(outputs)]
        )

    packed = nest.pack_sequence_as(value, outputs)
    push = public("linearize", push, function)
    return (packed, push, aux) if has_aux else (packed, push)

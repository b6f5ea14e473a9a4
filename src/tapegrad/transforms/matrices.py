"""Whole Jacobians and Hessians: `jacrev` by rows, `jacfwd` by columns, and `hessian`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tapegrad.autodiff.forward import ForwardAccumulator
from tapegrad.core import Batch, NeedsItems
from tapegrad.framework import nest
from tapegrad.ops.elementwise.complex import conj
from tapegrad.ops.reduce.batches import enter_batch, leave_batch
from tapegrad.ops.shape.array import expand_dims, reshape
from tapegrad.ops.shape.creation import one_hot
from tapegrad.ops.shape.joining import concat, split
from tapegrad.ops.shape.sequences import range as numbers
from tapegrad.transforms.reverse import grad, public, record, tensors_of
from tapegrad.transforms.reverse import split as split_aux
from tapegrad.transforms.wrt import Point, Wrt, check_callable, floats, name_of, shape_of

PUBLIC = {"autodiff": "hessian jacfwd jacrev"}


def jacrev(
    function: Callable[..., Any],
    wrt: Any = 0,
    *,
    argnums: Any = None,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that gives the Jacobian of ``function``, from one run of it: all rows in one walk back.

    >>> jacobian = tf.autodiff.jacrev(lambda x: tf.stack([x[0] * x[1], x[1] ** 2, x[0]]))
    >>> jacobian(tf.constant([2.0, 3.0])).numpy().tolist()
    [[3.0, 2.0], [0.0, 6.0], [1.0, 0.0]]

    The right choice where there are fewer results than numbers to differentiate by; `jacfwd` is for the
    opposite, though `jacrev` goes by columns too where those are much fewer. Not in TensorFlow.

    Args:
        function: takes tensors, other values and nests, and returns a tensor or a nest of them.
        wrt: what to differentiate by, as for `grad`.
        argnums: another word for ``wrt``, for positions alone.
        has_aux: whether ``function`` returns a pair: its result, and anything else. The pair
            ``(jacobian, anything else)`` is then returned.
        chunk_size: how many rows are computed at once. Fewer need less memory.

    Returns:
        A function. What it returns has the structure of the result, with a nest as ``wrt`` describes it in
        the place of each tensor. The shapes there are that of the result, followed by that of what is
        differentiated by.

    Raises:
        TypeError, ValueError: as `grad` does, but for results of any shape. TypeError also where only one
            of result and source is complex. Functions of complex numbers have to be holomorphic.
    """
    chosen = _chosen("jacrev", function, wrt, argnums, chunk_size)

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        point = chosen.at(args)
        tape, value, aux = record(point, function, kwargs, has_aux, persistent=True)
        outputs = tensors_of(chosen, function, value)
        _check_complex(chosen, function, outputs, point)
        rows = [
            point.pack(
                conj(block) if block.dtype.is_complex else block
                for block in tape.jacobian(
                    output,
                    point.sources,
                    unconnected_gradients="zero",
                    parallel_iterations=chunk_size,
                    # TensorFlow has no batches of one row.
                    experimental_use_pfor=chunk_size != 1,
                )
            )
            for output in outputs
        ]
        packed = nest.pack_sequence_as(value, rows)
        return (packed, aux) if has_aux else packed

    return public("jacrev", jacobian, function)


def jacfwd(
    function: Callable[..., Any],
    wrt: Any = 0,
    *,
    argnums: Any = None,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that gives the Jacobian of ``function``, by forward mode: all columns in one run.

    >>> jacobian = tf.autodiff.jacfwd(lambda x: tf.stack([x[0] * x[1], x[1] ** 2, x[0]]))
    >>> jacobian(tf.constant([2.0, 3.0])).numpy().tolist()
    [[3.0, 2.0], [0.0, 6.0], [1.0, 0.0]]

    The right choice where there are more results than numbers to differentiate by; `jacrev` is for the
    opposite. Not in TensorFlow.

    Args:
        function, wrt, argnums, has_aux: as for `jacrev`.
        chunk_size: how many columns are computed at once. Fewer need less memory. The function runs once
            for each chunk.

    Returns, raises:
        As `jacrev`.
    """
    chosen = _chosen("jacfwd", function, wrt, argnums, chunk_size)

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        point = chosen.at(args)
        # A variable or argument that `wrt` names twice moves once.
        sources = list({id(source): source for source in point.sources}.values())
        sizes = [math.prod(shape_of(source)) for source in sources]
        count = sum(sizes)
        size = min(chunk_size or count, count) or 1
        parts: list[list[Any]] = []
        value = aux = None
        begin, end = 0, None
        while end is None or end < count:  # once, where there are no columns
            end = begin + size if count - begin > size else count
            tangents = _columns(sources, sizes, begin, end)
            value, aux, outputs, changes = _push_all(
                point, sources, function, kwargs, has_aux, tangents, end - begin
            )
            parts.append(changes)
            begin = end
        _check_complex(chosen, function, outputs, point)
        blocks = []
        for output, pieces in zip(outputs, zip(*parts, strict=True), strict=True):
            whole = pieces[0] if len(pieces) == 1 else concat(list(pieces), -1)
            shape = shape_of(output)
            by_source = [whole] if len(sizes) == 1 else split(whole, sizes, -1)
            parts_of = {
                id(source): reshape(part, shape + shape_of(source))
                for part, source in zip(by_source, sources, strict=True)
            }
            blocks.append(point.pack(parts_of[id(source)] for source in point.sources))
        packed = nest.pack_sequence_as(value, blocks)
        return (packed, aux) if has_aux else packed

    return public("jacfwd", jacobian, function)


def hessian(
    function: Callable[..., Any],
    wrt: Any = 0,
    *,
    argnums: Any = None,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that gives the second derivatives of ``function``, which gives one real number.

    >>> def energy(x):
    ...     return x[0] ** 2 * x[1]
    >>> tf.autodiff.hessian(energy)(tf.constant([2.0, 3.0])).numpy().tolist()
    [[6.0, 4.0], [4.0, 0.0]]

    It is the Jacobian of the gradient, with all rows in one walk back over it. Where only its
    products with vectors are needed, `hvp` and ``linearize(grad(function), x)`` are cheaper. Not in
    TensorFlow.

    Args:
        function, wrt, argnums, has_aux: as for `grad`.
        chunk_size: how many rows are computed at once. Fewer need less memory.

    Returns:
        A function. What it returns is a nest as ``wrt`` describes it, with such nests in the places of
        tensors.

    Raises:
        TypeError, ValueError: as `grad` does.
    """
    chosen = _chosen("hessian", function, wrt, argnums, chunk_size)
    slope = grad(function, wrt, argnums=argnums, has_aux=has_aux)
    second = jacrev(slope, wrt, argnums=argnums, has_aux=has_aux, chunk_size=chunk_size)

    def matrix(*args: Any, **kwargs: Any) -> Any:
        for source in chosen.at(args).sources:
            if source.dtype.is_complex:
                chosen.refuse(
                    "a function of complex numbers has no Hessian here: split it into real ones"
                )
        return second(*args, **kwargs)

    return public("hessian", matrix, function)


def _chosen(
    transform: str, function: Callable[..., Any], wrt: Any, argnums: Any, chunk_size: int | None
) -> Wrt:
    check_callable(transform, function)
    chosen = Wrt(transform, wrt, argnums)
    if chunk_size is not None and (not isinstance(chunk_size, int) or chunk_size < 1):
        chosen.refuse(
            f"`chunk_size` is a whole number of at least 1; {chunk_size!r} came", ValueError
        )
    return chosen


def _check_complex(
    wrt: Wrt, function: Callable[..., Any], outputs: list[Any], point: Point
) -> None:
    kinds = {
        bool(tensor.dtype.is_complex) for tensor in (*outputs, *point.sources) if floats(tensor)
    }
    if len(kinds) > 1:
        wrt.refuse(
            f"{name_of(function)}() takes complex numbers to real ones or the opposite, which has no "
            "Jacobian of one number for each pair. Split the complex numbers into two real ones"
        )


def _columns(sources: list[Any], sizes: list[int], begin: int, end: int) -> list[Any]:
    """The unit vectors from number ``begin`` to ``end``, in their parts by source, stacked."""
    tangents, before = [], 0
    for source, size in zip(sources, sizes, strict=True):
        unit = one_hot(numbers(begin - before, end - before), size, dtype=source.dtype)
        tangents.append(reshape(unit, (end - begin, *shape_of(source))))
        before += size
    return tangents


def _push_all(
    point: Point,
    sources: list[Any],
    function: Callable[..., Any],
    kwargs: dict[str, Any],
    has_aux: bool,
    tangents: list[Any],
    count: int,
) -> tuple[Any, Any, list[Any], list[Any]]:
    """The result, and its changes along all tangents, which stand along a last axis."""

    def push(ways: list[Any]) -> tuple[Any, Any, list[Any], list[Any]]:
        with ForwardAccumulator(sources, ways) as accumulator:
            returned = function(*point.args, **kwargs)
        value, aux = split_aux(point.wrt, function, returned) if has_aux else (returned, None)
        outputs = tensors_of(point.wrt, function, value)
        return value, aux, outputs, accumulator.jvp(outputs, "zero")

    try:
        with Batch(count) as batch:
            value, aux, outputs, changes = push([enter_batch(t, batch) for t in tangents])
            together = [
                leave_batch(change, batch, len(shape_of(output)))
                for change, output in zip(changes, outputs, strict=True)
            ]
            return value, aux, outputs, together
    except NeedsItems:
        columns: list[list[Any]] = []
        for i in range(count):
            value, aux, outputs, changes = push([t[i] for t in tangents])
            columns.append([expand_dims(change, -1) for change in changes])
        return value, aux, outputs, [concat(list(c), -1) for c in zip(*columns, strict=True)]

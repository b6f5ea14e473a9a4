"""Taylor series of a function along a line, to any order: `taylor` and `jet`.

A `Recorder` notes the calls that depend on the argument. Afterwards each result gets a `Series`, whose
coefficients are computed on demand, from coefficients of lower order:

- of an op that is linear in its inputs by the op itself, applied to the coefficients;
- of a product by the sum over all pairs of orders, of a quotient by the same sum solved for its last term;
- of any other op by the equation y' = J(x) x': its tangent is computed once, by the ops that
`ForwardAccumulator`
  would use, and these ops are recorded in turn. As the tangent of order k - 1 gives y of order k, it may well
  depend on y itself: exp' = exp x'.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

from tapegrad import core
from tapegrad.framework import nest
from tapegrad.ops.elementwise.math import add, multiply, subtract
from tapegrad.ops.gradients import zeros
from tapegrad.ops.shape.array import identity
from tapegrad.ops.shape.creation import ones
from tapegrad.transforms.reverse import arguments_of, tensors_of
from tapegrad.transforms.wrt import Wrt, check_callable, flat_like, floats, shape_of

PUBLIC = {"autodiff": "jet taylor"}


@core.public(computes=False)
def taylor(function: Callable[..., Any], x: Any, order: int, *, direction: Any = None) -> list[Any]:
    """The Taylor series of ``function(x + t * direction)`` in the number t: its coefficients up to
    ``order``.

    >>> [round(float(c), 4) for c in tf.autodiff.taylor(tf.exp, 0.0, 4)]
    [1.0, 1.0, 0.5, 0.1667, 0.0417]
    >>> sixth = 720.0 * tf.autodiff.taylor(tf.tanh, tf.constant([0.5, 1.0]), 6)[6]
    >>> [round(float(number), 1) for number in sixth]
    [-36.3, 13.6]

    The coefficient number k times k! is the k-th derivative along the direction. The function runs once;
    the cost grows with the square of the order where nested tapes or accumulators double it with each
    order. Tapes and accumulators outside see the coefficients like any results. Not in TensorFlow.

    Args:
        function: takes ``x``, and returns a tensor or a nest of them.
        x: a tensor or a nest of them.
        order: the order of the last coefficient; at least 0.
        direction: how ``x`` changes with t: a nest like ``x``. By default ones: if each element of the
            result depends on one element of ``x``, this gives the series of all elements at once.

    Returns:
        A list of ``order + 1`` coefficients, each of the structure of the result. The first is the value.

    Raises:
        TypeError, ValueError: as `tf.autodiff.jvp`, and because ``order`` is no whole number or negative.
    """
    check_callable("taylor", function)
    chosen = Wrt("taylor", 0)
    _check_order(chosen, order)
    point = chosen.at([x])
    if direction is None:
        ways = [ones(shape_of(source), source.dtype) for source in point.sources]
    else:
        ways = point.flat(direction, "`direction`")
    starts = [Series([source, way]) for source, way in zip(point.sources, ways, strict=True)]
    value, columns = _expand(chosen, function, point.args, starts, order)
    return [
        nest.pack_sequence_as(value, [column[k] for column in columns]) for k in range(order + 1)
    ]


@core.public(computes=False)
def jet(function: Callable[..., Any], primals: Any, series: Any) -> tuple[Any, list[Any]]:
    """The derivatives of ``function(x(t))`` by t, from the derivatives of x: ``primals`` are x(0), ``series``
    its derivatives.

    >>> value, derivatives = tf.autodiff.jet(tf.sin, (0.0,), ((1.0, 0.0, 0.0),))
    >>> value.numpy(), [d.numpy().tolist() for d in derivatives]
    (np.float32(0.0), [1.0, 0.0, -1.0])

    The arguments and results are those of ``jax.experimental.jet.jet``; `taylor` is simpler where the
    argument moves along a line. Not in TensorFlow.

    Args:
        function: takes tensors, and returns a tensor or a nest of them.
        primals: a tuple or list of its arguments, each a tensor.
        series: for each argument a tuple or list of its first, second, ... derivative, all of one length.

    Returns:
        The value, and a list of its first, second, ... derivative, each of the structure of the value.

    Raises:
        TypeError, ValueError: as `tf.autodiff.jvp`, and because ``series`` does not fit ``primals``.
    """
    check_callable("jet", function)
    chosen = Wrt("jet", None)
    point = chosen.at(arguments_of(chosen, primals))
    if not isinstance(series, (tuple, list)) or len(series) != len(point.args):
        chosen.refuse("`series` holds a tuple or list of derivatives for each argument", ValueError)
    if len(point.sources) != len(point.args):
        chosen.refuse("each argument is one tensor; a nest came")
    if not all(isinstance(coefficients, (tuple, list)) for coefficients in series):
        chosen.refuse("`series` holds a tuple or list of derivatives for each argument")
    lengths = {len(coefficients) for coefficients in series}
    if len(lengths) != 1:
        chosen.refuse(
            f"all arguments have the same number of derivatives; {sorted(lengths)} came",
            ValueError,
        )
    (order,) = lengths
    starts = []
    for source, coefficients in zip(point.sources, series, strict=True):
        derivatives = flat_like(
            chosen, list(coefficients), list(coefficients), [source] * order, "`series`"
        )
        starts.append(
            Series(
                [source]
                + [_times(d, 1.0 / math.factorial(k)) for k, d in enumerate(derivatives, 1)]
            )
        )
    value, columns = _expand(chosen, function, point.args, starts, order)
    scaled = [
        nest.pack_sequence_as(
            value, [_times(column[k], float(math.factorial(k))) for column in columns]
        )
        for k in range(1, order + 1)
    ]
    return nest.pack_sequence_as(value, [column[0] for column in columns]), scaled


def _check_order(wrt: Wrt, order: Any) -> None:
    if isinstance(order, bool) or not isinstance(order, int):
        wrt.refuse(f"`order` is a whole number; {order!r} came")
    if order < 0:
        wrt.refuse(f"`order` is at least 0; {order} came", ValueError)


def _expand(
    wrt: Wrt, function: Callable[..., Any], args: list[Any], starts: list[Series], order: int
) -> tuple[Any, list[list[Any]]]:
    """The result of a function, and for each tensor in it the coefficients."""
    recorder = Recorder()
    with recorder:
        for start in starts:
            recorder.keep(start.known[0], start)
        value = function(*args)
    outputs = tensors_of(wrt, function, value)
    results = [recorder.series_of(output) for output in outputs]
    program = recorder.program(results)
    for k in range(1, order + 1):
        # In the order of the program, so that the operands of a series are computed already: calls of
        # calls do not get as deep as the program is long.
        for series in program:
            series.at(k)
    columns = []
    for output, last in zip(outputs, results, strict=True):
        known = [output]
        if last is not None:
            known += [last.at(k) for k in range(1, order + 1)]
        known += [None] * (order + 1 - len(known))
        columns.append([zeros(shape_of(output), output.dtype) if c is None else c for c in known])
    return value, columns


class Series:
    """The coefficients of one tensor. None means zeros.

    ``known`` are the coefficients so far. ``compute``, if there is one, returns the next, by its number;
    without it all others are zero. ``inputs`` are the series that it is computed from.
    """

    __slots__ = ("compute", "inputs", "known")

    def __init__(
        self,
        known: list[Any],
        compute: Callable[[int], Any] | None = None,
        inputs: Sequence[Series] = (),
    ) -> None:
        self.known = known
        self.compute = compute
        self.inputs = inputs

    def at(self, k: int) -> Any:
        """The coefficient number ``k``."""
        known = self.known
        if k < len(known):
            return known[k]
        if self.compute is None:
            return None
        while len(known) <= k:
            known.append(self.compute(len(known)))
        return known[k]


class Recorder(core.Follower):
    """Notes the calls that depend on tensors with a series, and gives their results series."""

    def __init__(self) -> None:
        # Each tensor is kept with its series, so that no other gets its address.
        self.series_by_tensor: dict[int, tuple[Any, Series]] = {}

    def keep(self, tensor: Any, series: Series) -> None:
        """Follow ``tensor``, which has this series."""
        self.series_by_tensor[id(tensor)] = tensor, series
        self.mark(tensor)

    def series_of(self, tensor: Any) -> Series | None:
        """The series of ``tensor``; None if it depends on nothing that is followed."""
        entry = self.series_by_tensor.get(id(tensor))
        return None if entry is None else entry[1]

    def program(self, wanted: list[Series | None]) -> list[Series]:
        """The series ``wanted`` and all their operands, in the order in which they were recorded."""
        needed = {id(series) for series in wanted if series is not None}
        program = []
        for _, series in reversed(list(self.series_by_tensor.values())):
            if id(series) in needed and series.compute is not None:
                program.append(series)
                needed.update(id(before) for before in series.inputs)
        return program[::-1]

    def called(
        self,
        op: Any,
        backward: Any,
        inputs: list[Any],
        outputs: list[Any],
        attributes: tuple[Any, ...],
    ) -> None:
        series = [self.series_of(tensor) if floats(tensor) else None for tensor in inputs]
        if not any(series) or not any(map(floats, outputs)):
            return
        compute = None
        if backward is None and len(outputs) == 1:
            compute = _by_products(op, inputs, series, attributes)
            if compute is None and op.divides:
                compute = _by_quotient(op, inputs, outputs[0], series, self)
            formula = op.formula
            if compute is None and formula and not any(t.dtype.is_complex for t in inputs):
                compute = _by_formula(self, formula, inputs)
        known = [operand for operand in series if operand is not None]
        if compute is not None:
            self.keep(outputs[0], Series([outputs[0]], compute, known))
            return
        tangents = Tangents(self, op, backward, inputs, outputs, attributes, series)
        for i, output in enumerate(outputs):
            if floats(output):
                self.keep(output, Series([output], tangents.of_output(i), known))


class Tangents:
    """The tangents of a call, as tensors that have series too: computed once, when they are first needed."""

    def __init__(self, recorder: Recorder, *call: Any) -> None:
        self.recorder = recorder
        self.call = call
        self.tensors: list[Any] | None = None
        # The results of a custom record that cannot be transposed, as other ops computed them.
        self.plain: Sequence[Any] | None = None

    def of_output(self, i: int) -> Callable[[int], Any]:
        """How to compute the coefficients of output ``i``: y_k = (y')_(k - 1) / k."""

        def compute(k: int) -> Any:
            if self.tensors is None:
                self.tensors = self._compute()
            if self.plain is not None:
                plain = self.recorder.series_of(self.plain[i])
                return None if plain is None else plain.at(k)
            tangent = self.tensors[i]
            if tangent is None:
                return None
            series = self.recorder.series_of(tangent)
            if series is None:
                return tangent if k == 1 else None
            return _times(series.at(k - 1), 1.0 / k)

        return compute

    def _compute(self) -> list[Any]:
        op, backward, inputs, outputs, attributes, series = self.call
        tangents: list[Any] = []
        for tensor, operand in zip(inputs, series, strict=True):
            if operand is None:
                tangents.append(None)
                continue
            first = operand.at(1)
            # A new tensor: the first coefficient itself may have no series, or another one.
            tangent = zeros(shape_of(tensor), tensor.dtype) if first is None else identity(first)
            self.recorder.keep(tangent, _derivative(tangent, operand))
            tangents.append(tangent)
        with self.recorder:
            results = core.tangents_of(op, backward, inputs, outputs, attributes, tangents)
        if results is None:
            self.plain = attributes
        return results or []


def _derivative(first: Any, series: Series) -> Series:
    """The series of the derivative: (x')_k = (k + 1) x_(k + 1)."""
    return Series([first], lambda k: _times(series.at(k + 1), float(k + 1)), [series])


def _by_products(
    op: Any, inputs: list[Any], series: list[Any], attributes: tuple[Any, ...]
) -> Callable[[int], Any] | None:
    """How to compute the coefficients of an op that is linear in each of some groups of inputs.

    None if an input that moves is in no group.
    """
    last = len(op.inputs) - 1
    moving = [i for i, operand in enumerate(series) if operand is not None]
    groups: list[list[int]] = []
    for group in core.linear_groups(op):
        members = [i for i in range(len(inputs)) if min(i, last) in group]
        if op.multilinear:
            groups += [[i] for i in members if i in moving]
        elif any(i in moving for i in members):
            groups.append(members)
    if not {*moving} <= {i for group in groups for i in group}:
        return None

    if groups == [[0], [1]] and len(inputs) == 2 and op.elementwise and not attributes:
        factors = [factor or Series([x]) for factor, x in zip(series, inputs, strict=True)]
        return _binary_product(op, *factors)

    def term(orders: tuple[int, ...]) -> Any:
        """The op with the coefficient of one order in each of the groups."""
        arguments = list(inputs)
        for group, k in zip(groups, orders, strict=True):
            coefficients = [
                inputs[i] if series[i] is None and k == 0 else series[i] and series[i].at(k)
                for i in group
            ]
            if all(coefficient is None for coefficient in coefficients):
                return None
            for i, coefficient in zip(group, coefficients, strict=True):
                arguments[i] = (
                    zeros(shape_of(inputs[i]), inputs[i].dtype)
                    if coefficient is None
                    else coefficient
                )
        result = op.apply(arguments, attributes)
        # An op that gives a list, as `tf.unstack` does, gives a list of one here.
        return result[0] if isinstance(result, (list, tuple)) else result

    def compute(k: int) -> Any:
        if len(groups) == 1:
            return term((k,))
        return _sum(map(term, _orders(len(groups), k)))

    return compute


def _binary_product(op: Any, left: Series, right: Series) -> Callable[[int], Any]:
    """How to compute the coefficients of a product of two tensors, element by element."""

    def term(i: int, j: int) -> Any:
        a, b = left.at(i), right.at(j)
        return None if a is None or b is None else op(a, b)

    def compute(k: int) -> Any:
        if left is not right:
            return _sum([term(i, k - i) for i in range(k + 1)])
        # a_i a_(k - i) occurs twice, except for the middle one.
        half = _sum([term(i, k - i) for i in range((k + 1) // 2)])
        twice = None if half is None else add(half, half)
        return _sum([twice, term(k // 2, k // 2)]) if k % 2 == 0 else twice

    return compute


def _orders(count: int, total: int) -> list[tuple[int, ...]]:
    """All ways to write ``total`` as a sum of ``count`` orders."""
    if count == 2:
        return [(i, total - i) for i in range(total + 1)]
    every = itertools.product(range(total + 1), repeat=count - 1)
    return [(*first, total - sum(first)) for first in every if sum(first) <= total]


def _by_formula(
    recorder: Recorder, formula: Callable[..., Any], inputs: list[Any]
) -> Callable[[int], Any]:
    """How to compute the coefficients of what other ops give too: they run when this is first needed."""
    results: list[Series | None] = []

    def compute(k: int) -> Any:
        if not results:
            with recorder:
                results.append(recorder.series_of(formula(*inputs)))
        return None if results[0] is None else results[0].at(k)

    return compute


def _by_quotient(
    op: Any, inputs: list[Any], output: Any, series: list[Any], recorder: Recorder
) -> Callable[[int], Any]:
    """How to compute the coefficients of c = a / b: c_k = (a_k - sum of c_i b_(k - i) for i < k) / b_0."""
    over, under = series

    def compute(k: int) -> Any:
        quotient = recorder.series_of(output)
        assert quotient is not None
        numerator = None if over is None else over.at(k)
        pairs = ((quotient.at(i), under.at(k - i)) for i in range(k))
        products = _sum(None if c is None or b is None else multiply(c, b) for c, b in pairs)
        if products is not None:
            numerator = -products if numerator is None else subtract(numerator, products)
        return None if numerator is None else op.apply([numerator, inputs[1]], ())

    return compute


def _sum(terms: Any) -> Any:
    total = None
    for term in terms:
        if term is not None:
            total = term if total is None else add(total, term)
    return total


def _times(tensor: Any, factor: float) -> Any:
    if tensor is None or factor == 1.0:
        return tensor
    return multiply(tensor, factor)

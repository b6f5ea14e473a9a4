"""`ForwardAccumulator`, which computes derivatives along a direction while the program runs.

The core computes the tangents (`tapegrad.core.forward`). This module turns what users pass, any nest of
tensors and variables, into calls of the core, and says what is wrong with bad arguments.
"""

from __future__ import annotations

from typing import Any, NoReturn

from tapegrad import core
from tapegrad.autodiff.jacobian import shape_of
from tapegrad.autodiff.leaves import as_source
from tapegrad.autodiff.tape import UnconnectedGradients, choice_for_unconnected
from tapegrad.core import EagerTensor, VariableBase
from tapegrad.framework import logging, nest
from tapegrad.framework.printed import Printed
from tapegrad.ops.gradients import zeros
from tapegrad.ops.reduce.batches import enter_batch, leave_batch

PUBLIC = {
    "autodiff": "ForwardAccumulator",
}


class ForwardAccumulator(Printed, core.Following):
    """Computes, with each result, how it changes when the primals move along the tangents.

    >>> x = tf.constant([1.0, 2.0])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
    ...     y = x * x
    >>> acc.jvp(y)
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([2., 0.], dtype=float32)>

    This is the product of the Jacobian and a vector; `tf.GradientTape` gives the product of a vector and the
    Jacobian. It costs about one more computation of the results, whatever their number, and keeps nothing
    that the program itself lets go.

    Accumulators and tapes nest in any order. An accumulator or tape differentiates what happens inside its
    own block, so the outer one gives the derivative of the inner one's result:

    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as acc:
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = tf.reduce_sum(x**3)
    ...     gradient = tape.gradient(y, x)
    >>> acc.jvp(gradient)                                    # the Hessian times [1, 0]
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([6., 0.], dtype=float32)>

    Differs from TensorFlow: a tangent of another shape than its primal is refused here at once.
    A function that `tf.custom_gradient` decorates has the tangent that belongs to its gradient function, as
    with tapes. Functions decorated by `tf.recompute_grad` have tangents too.

    Args:
        primals: a tensor or variable, or a nest of them.
        tangents: for each of them the direction in which it moves: a tensor of its shape and dtype.

    Raises:
        ValueError: a tensor is among the primals twice, or a tangent has another shape or dtype than its
            primal, or the two nests differ.
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        if type(primals) is not EagerTensor:
            _check_distinct(primals)
        self._watch(primals, tangents)

    def _printed_state(self) -> str:
        return "recording" if self._recording else "not recording"

    @classmethod
    def _batch_accumulator(cls, primals: Any, tangents: Any) -> ForwardAccumulator:
        """An accumulator of several tangents, side by side along a first axis, which are computed together.

        >>> x = tf.constant([1.0, 2.0])
        >>> units = tf.constant([[1.0, 0.0], [0.0, 1.0]])
        >>> with tf.autodiff.ForwardAccumulator._batch_accumulator(x, units) as acc:
        ...     y = x[0] * x
        >>> print(acc.jvp(y).numpy())                          # a row for each tangent
        [[2. 2.]
         [0. 1.]]
        """
        return BatchAccumulator(primals, tangents)

    def _refuse_to_enter(self) -> NoReturn:
        raise ValueError(
            "Accumulator is already recording: it was entered inside its own `with` block. "
            "Leave the block first, or open a second ForwardAccumulator."
        )

    def _refuse_to_leave(self) -> NoReturn:
        raise ValueError("Accumulator is not recording: enter it first.")

    def _watch(self, primals: Any, tangents: Any) -> None:
        """Follow ``primals`` too. If one is watched several times, its tangents are added up."""
        if type(primals) is EagerTensor and type(tangents) is EagerTensor:
            flat_primals, flat_tangents = [primals], [tangents]
        elif _is_plain(primals) and _is_plain(tangents) and len(primals) == len(tangents):
            flat_primals, flat_tangents = primals, tangents
        else:
            nest.assert_same_structure(primals, tangents)
            flat_primals, flat_tangents = nest.flatten(primals), nest.flatten(tangents)
        pairs = [
            (operand, _tangent(tangent, operand))
            for operand, tangent in zip(map(_primal, flat_primals), flat_tangents, strict=True)
        ]
        for primal, tangent in pairs:
            if isinstance(primal, VariableBase):
                self._accumulator.watch_variable(primal, tangent)
            else:
                self._accumulator.watch(primal, tangent)

    def jvp(
        self,
        primals: Any,
        unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
    ) -> Any:
        """The tangents of ``primals``, which were computed with them; nothing is computed here.

        >>> x = tf.constant(2.0)
        >>> with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        ...     y = {"cube": x**3, "one": tf.ones(())}
        >>> acc.jvp(y)
        {'cube': <tf.Tensor: shape=(), dtype=float32, numpy=12.0>, 'one': None}

        Args:
            primals: a tensor or variable, or a nest of them. The result has the same structure.
            unconnected_gradients: the tangent of a tensor that does not depend on the
                primals of this accumulator: None or zeros.
        """
        zero = (
            unconnected_gradients is not UnconnectedGradients.NONE
            and choice_for_unconnected(unconnected_gradients, ("none", "zero")) == "zero"
        )
        if type(primals) is EagerTensor and not zero and type(self) is ForwardAccumulator:
            return self._accumulator.tangent(primals)
        return nest.map_structure(lambda value: self._find(value, zero), primals)

    def _find(self, value: Any, zero: bool) -> Any:
        if hasattr(type(value), "_nest_components"):
            return self._find_in_composite(value, zero)
        operand = _operand(value)
        if operand is None:
            raise AttributeError(
                "jvp() takes tensors and variables, or a nest of them, "
                f"not {type(value).__name__} ({value!r})."
            )
        tangent: EagerTensor | None
        if isinstance(operand, VariableBase):
            tangent = self._accumulator.variable_tangent(operand)
        else:
            tangent = self._accumulator.tangent(operand)
        if tangent is None and zero:
            return zeros(shape_of(operand), operand.dtype)
        return tangent

    def _find_in_composite(self, value: Any, zero: bool) -> Any:
        """A composite with the tangents of its values, and its own indices, partitions and shape."""
        components = nest.flatten(value, expand_composites=True)
        tangents = [
            self._find(part, zero) if part.dtype.is_floating or part.dtype.is_complex else None
            for part in components
        ]
        if all(tangent is None for tangent in tangents):
            return None
        parts = [
            part if tangent is None else tangent
            for part, tangent in zip(components, tangents, strict=True)
        ]
        return nest.pack_sequence_as(value, parts, expand_composites=True)


class BatchAccumulator(ForwardAccumulator):
    """What `ForwardAccumulator._batch_accumulator` returns."""

    def __init__(self, primals: Any, tangents: Any) -> None:
        _check_distinct(primals)
        nest.assert_same_structure(primals, tangents)
        flat = [core.convert(tangent) for tangent in nest.flatten(tangents)]
        operands = [_primal(primal) for primal in nest.flatten(primals)]
        for operand, tangent in zip(operands, flat, strict=True):
            shape = tangent._shape_tuple()
            if not shape or shape[1:] != shape_of(operand):
                raise ValueError(
                    f"Shapes {shape} and {(None, *shape_of(operand))} are incompatible: "
                    "the tangents of a primal lie side by side along a first axis."
                )
        sizes = [tangent._shape_tuple()[0] for tangent in flat]
        if not sizes or any(size != sizes[0] for size in sizes):
            raise ValueError(
                f"There must be as many tangents of one primal as of each other, not {sorted(set(sizes))}."
            )
        self._batch = core.Batch(sizes[0])
        with self._batch:
            items = [enter_batch(tangent, self._batch) for tangent in flat]
            self._watch(operands, items)

    def _push_accumulator(self) -> None:
        super()._push_accumulator()
        self._batch.__enter__()

    def _pop_accumulator(self) -> None:
        super()._pop_accumulator()
        self._batch.__exit__()

    def _find(self, value: Any, zero: bool) -> Any:
        tangent = super()._find(value, zero)
        return leave_batch(tangent, self._batch) if isinstance(tangent, EagerTensor) else tangent


def _check_distinct(primals: Any) -> None:
    leaves = primals if _is_plain(primals) else nest.flatten(primals)
    if len({id(leaf) for leaf in leaves}) < len(leaves):
        raise ValueError(
            "A tensor or variable was specified as a primal multiple times. "
            "If that was intended, pass it once, with the sum of its tangents."
        )


def _is_plain(values: Any) -> bool:
    """Whether ``values`` is a list of tensors and variables alone."""
    return type(values) is list and all(isinstance(x, (EagerTensor, VariableBase)) for x in values)


def _operand(value: Any) -> Any:
    """The tensor or variable that ``value`` is or wraps, or None."""
    return value if isinstance(value, (EagerTensor, VariableBase)) else as_source(value)


def _primal(value: Any) -> Any:
    operand = _operand(value)
    if operand is None and hasattr(type(value), "_nest_components"):
        raise ValueError(
            f"A {type(value).__name__} cannot be a primal: pass its values, and make it from them."
        )
    if operand is None:
        raise AttributeError(
            "`primals` must be tensors or variables, or a nest of them, "
            f"not {type(value).__name__} ({value!r}). "
            "Make it a tensor with tf.convert_to_tensor first, and compute with that tensor."
        )
    if not (operand.dtype.is_floating or operand.dtype.is_complex):
        logging.warn_first_n(
            "The dtype of the watched primal must be floating (e.g. tf.float32), got %r",
            5,
            operand.dtype,
        )
    return operand


def _tangent(value: Any, primal: Any) -> EagerTensor:
    """``value`` as a tensor of the shape and dtype of ``primal``."""
    if type(value) is EagerTensor and value.dtype is primal.dtype:
        tangent = value
    else:
        tangent = core.convert(value, primal.dtype)
    shape = shape_of(primal)
    if tangent._shape_tuple() != shape:
        raise ValueError(
            f"A tangent has the shape {tangent._shape_tuple()}, and its primal has the shape {shape}. "
            "A tangent is a direction in which the primal moves, so it has the primal's shape."
        )
    return tangent

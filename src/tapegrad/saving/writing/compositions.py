"""`OPS`: ops of ours on elements, and sums of them, as the nodes that do the same in TensorFlow.

An entry is a function of the nodes that are written, the step, and the arguments of the op by name: tensors,
and attributes in which numbers may follow from sizes. It returns the results.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tapegrad import dtypes
from tapegrad.saving.steps import CannotEncode
from tapegrad.saving.writing.nodes import SIZES, Nodes, Tensor, holds_sizes

# Constants and tensors of a size


def constant(to: Nodes, step: Any, value: Any, dtype: Any) -> Tensor:
    """A constant whose numbers may be sizes."""
    return to.cast(to.operand(value, SIZES if holds_sizes(value) else dtype), dtype)


def filled(to: Nodes, step: Any, shape: Any, value: Any, dtype: Any) -> Tensor:
    """A tensor with one value for all elements."""
    return to.one("Fill", to.operand(list(shape), SIZES), to.cast(to.operand(value, None), dtype))


def eye(to: Nodes, step: Any, shape: Any, dtype: Any) -> Tensor:
    """Matrices with ones on the diagonal."""
    zeros = to.one("Fill", to.operand(list(shape), SIZES), to.operand(0, dtype))
    least = to.one("Minimum", to.operand(shape[-1], SIZES), to.operand(shape[-2], SIZES))
    diagonal = [to.operand(part, SIZES) for part in shape[:-2]]
    ones = to.one("Fill", to.one("Pack", [*diagonal, least], axis=0), to.operand(1, dtype))
    return to.one("MatrixSetDiagV3", zeros, ones, to.operand(0, dtypes.int32))


def numbers_between(to: Nodes, step: Any, start: Any, stop: Any, dtype: Any) -> Tensor:
    """The whole numbers from one to another."""
    numbers = to.one(
        "Range", to.operand(start, SIZES), to.operand(stop, SIZES), to.operand(1, SIZES)
    )
    return to.cast(numbers, dtype)


def even_numbers(to: Nodes, step: Any, first: Any, last: Any, num: Any) -> Tensor:
    """Numbers at the same distance from each other."""
    if first.rank == 0:
        return to.one("LinSpace", first, last, to.operand(num, dtypes.int32))
    dtype = first.dtype
    count = to.operand(num, SIZES)
    steps = to.cast(to.one("Range", to.operand(0, SIZES), count, to.operand(1, SIZES)), dtype)
    delta = to.one("RealDiv", to.one("Sub", last, first), to.cast(to.one("Sub", count, 1), dtype))
    return to.one("AddV2", to.one("Mul", steps, delta), first)


# Elements


def unary(*ops: str) -> Callable[..., Tensor]:
    """Ops of one input, one after the other."""

    def write(to: Nodes, step: Any, x: Any) -> Tensor:
        result: Tensor = x
        for op in ops:
            result = to.one(op, result)
        return result

    return write


def real_to_complex(to: Nodes, step: Any, x: Any) -> Tensor:
    """Real numbers in a complex dtype."""
    return to.cast(x, step.kinds[0])


def log_sigmoid(to: Nodes, step: Any, x: Any) -> Tensor:
    """The logarithm of the sigmoid."""
    return to.one("Neg", to.one("Softplus", to.one("Neg", x)))


def gelu(to: Nodes, step: Any, features: Any) -> Tensor:
    """Features times the probability that a normal variable is below them."""
    scaled = to.one("Mul", features, math.sqrt(0.5))
    share = to.one("Mul", to.one("AddV2", to.one("Erf", scaled), 1.0), 0.5)
    return to.one("Mul", features, share)


def gelu_by_tanh(to: Nodes, step: Any, features: Any) -> Tensor:
    """`gelu`, with tanh in place of the distribution function."""
    cube = to.one("Mul", to.one("Mul", to.one("Square", features), features), 0.044715)
    inner = to.one("Mul", to.one("AddV2", features, cube), math.sqrt(2 / math.pi))
    share = to.one("AddV2", to.one("Tanh", inner), 1.0)
    return to.one("Mul", to.one("Mul", features, 0.5), share)


def silu(to: Nodes, step: Any, features: Any) -> Tensor:
    """Features times their sigmoid."""
    return to.one("Mul", features, to.one("Sigmoid", features))


def sigmoid_cross_entropy(to: Nodes, step: Any, labels: Any, logits: Any) -> Tensor:
    """max(x, 0) - x z + log(1 + exp(-|x|)), which does not overflow."""
    negative = to.one("Neg", to.one("Abs", logits))
    tail = to.one("Log1p", to.one("Exp", negative))
    product = to.one("Mul", logits, labels)
    return to.one("AddV2", to.one("Sub", to.one("Relu", logits), product), tail)


def zero_safe_divide(to: Nodes, step: Any, x: Any, y: Any) -> Tensor:
    """x / y, and 0 where x is 0."""
    return to.one("Xdivy", x, y)


def quotient_slope(to: Nodes, step: Any, quotient: Any, y: Any, grad: Any) -> Tensor:
    """-quotient * grad / y, and 0 where grad is 0."""
    return to.one("Neg", to.one("MulNoNan", to.one("RealDiv", quotient, y), grad))


def keep_where(to: Nodes, step: Any, x: Any, condition: Any) -> Tensor:
    """x where the condition holds, else 0."""
    return to.one("SelectV2", condition, x, 0)


def power_logarithm(to: Nodes, step: Any, x: Any, y: Any) -> Tensor:
    """log(x), or 0 where x is not positive."""
    zero = to.operand(0, x.dtype)
    if x.dtype.is_complex:
        usable = to.one("NotEqual", x, zero)
    else:
        usable = to.one("Greater", x, zero)
    return to.one("SelectV2", usable, to.one("Log", to.one("SelectV2", usable, x, 1)), zero)


def one_unless_zero(to: Nodes, step: Any, x: Any) -> Tensor:
    """1, and 0 where x is 0."""
    return to.cast(to.one("NotEqual", x, 0), x.dtype)


def exp_difference(to: Nodes, step: Any, x: Any, y: Any) -> Tensor:
    """exp(x - y): 1 if both are inf, and 0 if both are -inf."""
    same = to.cast(to.one("Greater", x, 0), x.dtype)
    equal = to.one("LogicalAnd", to.one("Equal", x, y), to.one("IsInf", x))
    return to.one("SelectV2", equal, same, to.one("Exp", to.one("Sub", x, y)))


def hypotenuse(to: Nodes, step: Any, x: Any, y: Any) -> Tensor:
    """The root of the sum of two squares, without overflow."""
    x, y = to.one("Abs", x), to.one("Abs", y)
    largest = to.one("Maximum", x, y)
    ratio = to.one("DivNoNan", to.one("Minimum", x, y), largest)
    root = to.one("Sqrt", to.one("AddV2", to.one("Square", ratio), 1))
    return to.one("Mul", largest, root)


def log_beta(to: Nodes, step: Any, a: Any, b: Any) -> Tensor:
    """lgamma(a) + lgamma(b) - lgamma(a + b)."""
    both = to.one("AddV2", to.one("Lgamma", a), to.one("Lgamma", b))
    return to.one("Sub", both, to.one("Lgamma", to.one("AddV2", a, b)))


def digamma_rise(to: Nodes, step: Any, x: Any, more: Any) -> Tensor:
    """digamma(x + more) - digamma(x)."""
    return to.one("Sub", to.one("Digamma", to.one("AddV2", x, more)), to.one("Digamma", x))


def log_of_beta_of_last(to: Nodes, step: Any, x: Any) -> Tensor:
    """The logarithm of the beta function over the last axis."""
    total = to.one("Sum", to.one("Lgamma", x), -1)
    return to.one("Sub", total, to.one("Lgamma", to.one("Sum", x, -1)))


# Reductions


def _axes(to: Nodes, x: Tensor, axis: Any) -> Tensor:
    if axis is None:
        return to.axes(x)
    return to.operand(list(axis) if isinstance(axis, (list, tuple)) else axis, dtypes.int32)


def count_nonzero(to: Nodes, step: Any, input: Any, axis: Any, keepdims: bool) -> Tensor:
    """How many elements are not zero."""
    if input.dtype is dtypes.bool:
        differs = input
    else:
        zero = to.operand("" if input.dtype is dtypes.string else 0, input.dtype)
        differs = to.one("NotEqual", input, zero)
    axes = _axes(to, input, axis)
    return to.one("Sum", to.cast(differs, dtypes.int64), axes, keep_dims=keepdims)


def sum_of_squares(to: Nodes, step: Any, input_tensor: Any, axis: Any, keepdims: bool) -> Tensor:
    """The sum of the squares."""
    squares = to.one("Square", input_tensor)
    return to.one("Sum", squares, _axes(to, input_tensor, axis), keep_dims=keepdims)


def log_sum_exp(to: Nodes, step: Any, input_tensor: Any, axis: Any, keepdims: bool) -> Tensor:
    """log(sum(exp(x))), by the largest element, which has no gradient of its own."""
    axes = _axes(to, input_tensor, axis)
    largest = to.one("Max", input_tensor, axes, keep_dims=True)
    usable = to.one("SelectV2", to.one("IsFinite", largest), largest, 0)
    usable = to.one("StopGradient", usable)
    powers = to.one("Exp", to.one("Sub", input_tensor, usable))
    logarithm = to.one("Log", to.one("Sum", powers, axes, keep_dims=True))
    result = to.one("AddV2", logarithm, usable)
    return result if keepdims else _without(to, input_tensor, result, axes)


def _without(to: Nodes, x: Tensor, kept: Tensor, axes: Tensor) -> Tensor:
    """A tensor of which these axes of ``x``, kept with one element, go."""
    return to.one("Sum", kept, axes)


def moments(to: Nodes, step: Any, x: Any, axes: Any, keepdims: bool) -> list[Tensor]:
    """The mean and the variance."""
    over = _axes(to, x, axes)
    mean = to.one("Mean", x, over, keep_dims=True)
    squares = to.one("SquaredDifference", x, to.one("StopGradient", mean))
    variance = to.one("Mean", squares, over, keep_dims=keepdims)
    return [mean if keepdims else _without(to, x, mean, over), variance]


def deviation(to: Nodes, step: Any, x: Any, axes: Any, keepdims: bool) -> list[Tensor]:
    """The root of the variance, and the mean."""
    mean, variance = moments(to, step, x, axes, keepdims)
    return [to.one("Sqrt", variance), mean]


def norm_of_norms(to: Nodes, step: Any, norms: Any, axis: Any, keepdims: bool) -> Tensor:
    """The root of the sum of the squares."""
    return to.one("Sqrt", sum_of_squares(to, step, norms, axis, keepdims))


def trace(to: Nodes, step: Any, x: Any) -> Tensor:
    """The sum of the main diagonal."""
    diagonal = to.one("MatrixDiagPartV3", x, to.operand(0, dtypes.int32), to.operand(0, x.dtype))
    return to.one("Sum", diagonal, -1)


def cofactors(to: Nodes, step: Any, input: Any) -> Tensor:
    """The cofactors of matrices, which have an inverse: the determinant times the inverse, transposed."""
    inverse = to.one("MatrixInverse", input, adjoint=False)
    rank = input.rank
    turned = to.one("Transpose", inverse, [*range(rank - 2), rank - 1, rank - 2])
    size = to.one("MatrixDeterminant", input)
    return to.one("Mul", turned, to.one("ExpandDims", to.one("ExpandDims", size, -1), -1))


def batch_normalization(
    to: Nodes, step: Any, x: Any, mean: Any, variance: Any, offset: Any, scale: Any, epsilon: float
) -> Tensor:
    """``(x - mean) / sqrt(variance + epsilon) * scale + offset``, as TensorFlow's function writes it.

    A product and a sum for each channel are joined to the convolution before them where the model is loaded.
    """
    factor = to.one("Mul", to.one("Rsqrt", to.one("AddV2", variance, epsilon)), scale)
    shift = to.one("Sub", offset, to.one("Mul", mean, factor))
    return to.one("AddV2", to.one("Mul", x, factor), shift)


def activation(op: str) -> Callable[..., Tensor]:
    """An op of TensorFlow's that works along the last axis, for any axis."""

    def write(to: Nodes, step: Any, logits: Any, axis: Any = -1) -> Tensor:
        rank = logits.rank
        if rank is None:
            raise CannotEncode("an unknown rank")
        if axis in (-1, rank - 1):
            return to.one(op, logits)
        order = [*range(rank)]
        order[axis], order[-1] = order[-1], order[axis]
        moved = to.one("Transpose", logits, order)
        return to.one("Transpose", to.one(op, moved), order)

    return write


def cast(to: Nodes, step: Any, x: Any, dtype: Any) -> Tensor:
    """Another dtype."""
    return to.cast(x, step.kinds[0])


OPS: dict[str, Callable[..., Any]] = {
    "Cast": cast,
    "LogSoftmax": activation("LogSoftmax"),
    "Softmax": activation("Softmax"),
    "_BatchNormalization": batch_normalization,
    "_Constant": constant,
    "_CountNonzero": count_nonzero,
    "_Deviation": deviation,
    "_DigammaRise": digamma_rise,
    "_EvenNumbers": even_numbers,
    "_ExpDifference": exp_difference,
    "_Eye": eye,
    "_Filled": filled,
    "_Gelu": gelu,
    "_GeluByTanh": gelu_by_tanh,
    "_Hypotenuse": hypotenuse,
    "_KeepWhere": keep_where,
    "_Lbeta": log_of_beta_of_last,
    "_LogBeta": log_beta,
    "_LogSigmoid": log_sigmoid,
    "_LogSumExp": log_sum_exp,
    "_MatrixCofactors": cofactors,
    "_Moments": moments,
    "_NormOfNorms": norm_of_norms,
    "_NumbersBetween": numbers_between,
    "_OnceOnly": unary("Identity"),
    "_OneUnlessZero": one_unless_zero,
    "_PowerLogarithm": power_logarithm,
    "_QuotientSlope": quotient_slope,
    "_RealToComplex": real_to_complex,
    "_SigmoidCrossEntropy": sigmoid_cross_entropy,
    "_Silu": silu,
    "_SumOfSquares": sum_of_squares,
    "_Trace": trace,
    "_ZeroSafeDivide": zero_safe_divide,
}
"""The type of an op -> what writes a step of it."""

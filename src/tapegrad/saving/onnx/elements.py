"""`OPS`: TensorFlow's ops on elements, products and reductions, as nodes of ONNX's.

An entry of a table `OPS` of this package is a function of the graph, the attributes, and the inputs: values,
and lists of them. It returns the results. It raises `NoWay` if ONNX cannot do the same.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from string import ascii_letters
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.saving.onnx.graph import Graph, NoWay, Value

Attributes = dict[str, Any]
Row = Callable[..., Any]

# Elementwise


def plain(op: str) -> Row:
    """An op of ONNX's that does the same."""

    def write(to: Graph, attributes: Attributes, *inputs: Any) -> Value:
        return to.op(op, *inputs)

    return write


def same(to: Graph, attributes: Attributes, value: Any, *rest: Any) -> Any:
    """The input as it is."""
    return value


def cast(to: Graph, attributes: Attributes, x: Any) -> Value:
    """Another dtype."""
    return to.cast(x, attributes["DstT"])


def square(to: Graph, attributes: Attributes, x: Any) -> Value:
    """x * x."""
    return to.op("Mul", x, x)


def rsqrt(to: Graph, attributes: Attributes, x: Any) -> Value:
    """1 / sqrt(x)."""
    return to.op("Reciprocal", to.op("Sqrt", x))


def expm1(to: Graph, attributes: Attributes, x: Any) -> Value:
    """exp(x) - 1 as tanh(x / 2) * (exp(x) + 1), which is no difference of almost equal numbers."""
    return to.op("Mul", to.op("Tanh", to.op("Mul", x, 0.5)), to.op("Add", to.op("Exp", x), 1.0))


def log1p(to: Graph, attributes: Attributes, x: Any) -> Value:
    """log(u) with u = 1 + x; near 0 times x / (u - 1), which makes up for the rounding of u."""
    u = to.op("Add", x, 1.0)
    logarithm = to.op("Log", u)
    difference = to.op("Sub", u, 1.0)
    mended = to.op("Div", to.op("Mul", logarithm, x), difference)
    mended = to.where(to.op("Equal", difference, 0.0), x, mended)
    return to.where(to.op("Less", to.op("Abs", x), 0.5), mended, logarithm)


def erfc(to: Graph, attributes: Attributes, x: Any) -> Value:
    """1 - erf(x)."""
    return to.op("Sub", to.like(1.0, x), to.op("Erf", x))


def is_finite(to: Graph, attributes: Attributes, x: Any) -> Value:
    """Neither infinite nor NaN."""
    return to.op("Not", to.op("Or", to.op("IsInf", x), to.op("IsNaN", x)))


def relu6(to: Graph, attributes: Attributes, features: Any) -> Value:
    """Between 0 and 6."""
    return to.op("Clip", features, 0, 6)


def leaky_relu(to: Graph, attributes: Attributes, features: Any) -> Value:
    """A share of what is negative."""
    return to.op("LeakyRelu", features, alpha=float(attributes.get("alpha", 0.2)))


def clip(to: Graph, attributes: Attributes, x: Any, least: Any, most: Any) -> Value:
    """Between two values."""
    return to.op("Min", to.op("Max", x, least), most)


def not_equal(to: Graph, attributes: Attributes, x: Any, y: Any) -> Value:
    """x != y."""
    return to.op("Not", equal(to, attributes, x, y))


def equal(to: Graph, attributes: Attributes, x: Any, y: Any) -> Value:
    """x == y."""
    return to.op("Equal", x, y)


def floor_divide(to: Graph, attributes: Attributes, x: Any, y: Any) -> Value:
    """The quotient, rounded down."""
    if x.dtype.is_floating:
        return to.op("Floor", to.op("Div", x, y))
    return to.op("Div", to.op("Sub", x, to.op("Mod", x, y)), y)


def floor_mod(to: Graph, attributes: Attributes, x: Any, y: Any) -> Value:
    """The rest, with the sign of y."""
    if not x.dtype.is_floating:
        return to.op("Mod", x, y)
    rest = to.op("Mod", x, y, fmod=1)
    turned = to.op("Xor", to.op("Less", rest, 0.0), to.op("Less", y, 0.0))
    changed = to.op("And", turned, to.op("Not", to.op("Equal", rest, 0.0)))
    return to.where(changed, to.op("Add", rest, y), rest)


def truncate_mod(to: Graph, attributes: Attributes, x: Any, y: Any) -> Value:
    """The rest, with the sign of x."""
    return to.op("Mod", x, y, fmod=1)


def truncate_divide(to: Graph, attributes: Attributes, x: Any, y: Any) -> Value:
    """The quotient, rounded towards 0."""
    quotient = to.op("Div", x, y)
    if not x.dtype.is_floating:
        return quotient
    return to.op("Mul", to.op("Sign", quotient), to.op("Floor", to.op("Abs", quotient)))


def squared_difference(to: Graph, attributes: Attributes, x: Any, y: Any) -> Value:
    """(x - y) ** 2."""
    difference = to.op("Sub", x, y)
    return to.op("Mul", difference, difference)


def _unless_zero(by: str, function: Callable[[Graph, Any, Any], Value]) -> Row:
    """A function of x and y, and 0 where one of them is 0."""

    def write(to: Graph, attributes: Attributes, x: Any, y: Any) -> Value:
        deciding = x if by == "x" else y
        return to.where(to.op("Equal", deciding, 0.0), 0.0, function(to, x, y))

    return write


def atan2(to: Graph, attributes: Attributes, y: Any, x: Any) -> Value:
    """The angle of the point (x, y)."""
    on_axis = to.op("Mul", to.op("Sign", y), math.pi / 2)
    angle = to.where(to.op("Equal", x, 0.0), on_axis, to.op("Atan", to.op("Div", y, x)))
    half = to.where(to.op("Less", y, 0.0), to.like(-math.pi, y), math.pi)
    return to.op("Add", angle, to.where(to.op("Less", x, 0.0), half, 0.0))


def approximate_equal(to: Graph, attributes: Attributes, x: Any, y: Any) -> Value:
    """Whether two numbers differ by less than a tolerance."""
    difference = to.op("Abs", to.op("Sub", x, y))
    return to.op("Less", difference, attributes.get("tolerance", 1e-5))


def shifted(direction: str) -> Row:
    """Bits moved to one side."""

    def write(to: Graph, attributes: Attributes, x: Any, y: Any) -> Value:
        if x.dtype.is_unsigned:
            return to.op("BitShift", x, y, direction=direction)
        power = to.op("Pow", to.constant(np.array(2, np.int64)), to.whole(y))
        if direction == "LEFT":
            return to.cast(to.op("Mul", to.whole(x), power), x.dtype)
        return to.cast(floor_divide(to, attributes, to.whole(x), power), x.dtype)

    return write


def select(to: Graph, attributes: Attributes, condition: Any, x: Any, y: Any) -> Value:
    """Elements, or with a vector of conditions rows, of one of two values."""
    if condition.rank < x.rank and condition.rank == 1:
        condition = to.unsqueeze(condition, [*range(1, x.rank)])
    return to.where(condition, x, y)


def select_v2(to: Graph, attributes: Attributes, condition: Any, x: Any, y: Any) -> Value:
    """Elements of one of two values."""
    return to.where(condition, x, y)


def total(to: Graph, attributes: Attributes, values: list[Any]) -> Value:
    """The sum of several values."""
    result: Value = values[0]
    for value in values[1:]:
        result = to.op("Add", result, value)
    return result


def bias_add(to: Graph, attributes: Attributes, value: Any, bias: Any) -> Value:
    """A number for each channel is added."""
    if attributes.get("data_format") == "NCHW" and value.rank > 2:
        bias = to.unsqueeze(bias, [*range(1, value.rank - 1)])
    return to.op("Add", value, bias)


def softmax(op: str) -> Row:
    """A softmax along the last axis."""

    def write(to: Graph, attributes: Attributes, logits: Any) -> Value:
        return to.op(op, logits, axis=-1)

    return write


def cross_entropy(to: Graph, attributes: Attributes, features: Any, labels: Any) -> list[Value]:
    """The cross entropies, and the gradients of them."""
    product = to.op("Mul", to.op("LogSoftmax", features, axis=-1), labels)
    loss = to.op("Neg", to.op("ReduceSum", product, [-1], keepdims=0))
    return [loss, to.op("Sub", to.op("Softmax", features, axis=-1), labels)]


def sparse_cross_entropy(
    to: Graph, attributes: Attributes, features: Any, labels: Any
) -> list[Value]:
    """The cross entropies for the numbers of classes, and the gradients of them."""
    depth = to.size(features, -1)
    values = to.constant(np.array([0, 1], features.dtype.numpy_dtype))
    hot = to.op("OneHot", to.whole(labels), depth, values, axis=-1)
    product = to.op("Mul", to.op("LogSoftmax", features, axis=-1), hot)
    loss = to.op("Neg", to.op("ReduceSum", product, [-1], keepdims=0))
    return [loss, to.op("Sub", to.op("Softmax", features, axis=-1), hot)]


def half_square(to: Graph, attributes: Attributes, t: Any) -> Value:
    """Half the sum of the squares."""
    return to.op("Mul", to.op("ReduceSum", to.op("Mul", t, t), keepdims=0), 0.5)


# Products


def _turned_matrix(to: Graph, value: Value, turned: bool) -> Value:
    if not turned:
        return value
    rank = value.rank
    return to.turn(value, [*range(rank - 2), rank - 1, rank - 2])


def product(first: str, second: str) -> Row:
    """The product of matrices; two attributes say which ones are transposed."""

    def write(to: Graph, attributes: Attributes, x: Any, y: Any) -> Value:
        x = _turned_matrix(to, x, attributes.get(first, False))
        y = _turned_matrix(to, y, attributes.get(second, False))
        return to.op("MatMul", x, y)

    return write


def einsum(to: Graph, attributes: Attributes, inputs: list[Any]) -> Value:
    """A sum of products. Axes of an ellipsis get letters, since ONNX wants as many of them in each input."""
    equation: str = attributes["equation"].replace(" ", "")
    terms, _, result = equation.partition("->")
    parts = terms.split(",")
    if "..." in equation:
        counts = [
            value.rank - len(part) + 3 if "..." in part else 0
            for part, value in zip(parts, inputs, strict=True)
        ]
        free = [letter for letter in ascii_letters if letter not in equation][: max(counts)]
        named = ["".join(free[len(free) - count :]) for count in counts]
        parts = [part.replace("...", own) for part, own in zip(parts, named, strict=True)]
        result = result.replace("...", "".join(free))
    return to.op("Einsum", *inputs, equation=f"{','.join(parts)}->{result}")


def cross(to: Graph, attributes: Attributes, a: Any, b: Any) -> Value:
    """The cross products of vectors of three."""

    def turned(value: Any, by: int) -> Value:
        return to.op("Gather", value, [by % 3, (by + 1) % 3, (by + 2) % 3], axis=-1)

    first = to.op("Mul", turned(a, 1), turned(b, 2))
    return to.op("Sub", first, to.op("Mul", turned(a, 2), turned(b, 1)))


def logarithm_of_determinant(to: Graph, attributes: Attributes, x: Any) -> list[Value]:
    """The sign of the determinants, and the logarithm of their size."""
    determinant = to.op("Det", x)
    return [to.op("Sign", determinant), to.op("Log", to.op("Abs", determinant))]


# Reductions


def axes_of(axis: Value, rank: int | None) -> list[int] | None:
    """The axes that a constant says, from 0 on; None if they are computed."""
    if axis.array is None:
        return None
    axes = np.ravel(axis.array).tolist()
    return axes if rank is None else [axis % rank for axis in axes]


def reduced(op: str) -> Row:
    """A reduction over axes, along the axes of images with channels first if there are such."""

    def write(to: Graph, attributes: Attributes, x: Any, axis: Any) -> Value:
        return reduce_over(to, op, x, axis, bool(attributes.get("keep_dims", False)))

    return write


def reduce_over(to: Graph, op: str, x: Value, axis: Value, keep: bool) -> Value:
    """A reduction of ONNX's over the axes that TensorFlow takes: none of them means none."""
    axes = axes_of(axis, None if x.shape is None else x.rank)
    if axes is None:
        return to.op(op, x, to.vector(axis), keepdims=int(keep), noop_with_empty_axes=1)
    if not axes:
        return x
    source = to.before_transpose(x)
    if source is None:
        return to.op(op, x, axes, keepdims=int(keep))
    inner, perm = source
    own = [perm[axis] for axis in axes]
    if keep:
        return to.turn(to.op(op, inner, sorted(own), keepdims=1), perm)
    result = to.op(op, inner, sorted(own), keepdims=0)
    wanted = [axis for axis in perm if axis not in own]
    return to.turn(result, [sorted(wanted).index(axis) for axis in wanted])


def every(to: Graph, attributes: Attributes, x: Any, axis: Any) -> Value:
    """Whether all are true: none is not."""
    count = to.cast(to.op("Not", x), dtypes.int32)
    keep = bool(attributes.get("keep_dims", False))
    return to.op("Equal", reduce_over(to, "ReduceSum", count, axis, keep), 0)


def some(to: Graph, attributes: Attributes, x: Any, axis: Any) -> Value:
    """Whether one is true."""
    keep = bool(attributes.get("keep_dims", False))
    count = reduce_over(to, "ReduceSum", to.cast(x, dtypes.int32), axis, keep)
    return to.op("Greater", count, 0)


def norm(to: Graph, attributes: Attributes, x: Any, axis: Any) -> Value:
    """The root of the sum of the squares."""
    keep = bool(attributes.get("keep_dims", False))
    return to.op("Sqrt", reduce_over(to, "ReduceSum", to.op("Mul", x, x), axis, keep))


def place_of(op: str) -> Row:
    """The place of the largest or least element along an axis."""

    def write(to: Graph, attributes: Attributes, x: Any, axis: Any) -> Value:
        places = to.op(op, x, axis=int(axis.constant("an axis")), keepdims=0)
        return to.cast(places, attributes.get("output_type", dtypes.int64))

    return write


def cumsum(to: Graph, attributes: Attributes, x: Any, axis: Any) -> Value:
    """Sums up to each element."""
    return to.op(
        "CumSum", x, axis,
        exclusive=int(attributes.get("exclusive", False)), reverse=int(attributes.get("reverse", False)),
    )  # fmt: skip


def top_k(to: Graph, attributes: Attributes, x: Any, k: Any) -> list[Value]:
    """The largest elements in order, and their places."""
    shape = (*x.shape[:-1], None) if x.shape is not None else None
    inputs = [x, to.vector(k)]
    results: list[Any] = [(x.dtype, shape), (dtypes.int64, shape)]
    values, places = to.node("TopK", inputs, results, axis=-1, largest=1, sorted=1)
    return [values, to.cast(places, attributes.get("index_type", dtypes.int32))]


def approximate_top_k(to: Graph, attributes: Attributes, x: Any) -> list[Value]:
    """The largest elements along an axis, or the least ones, and their places."""
    axis = attributes.get("reduction_dimension", -1) % x.rank
    if not attributes.get("aggregate_to_topk", True):
        raise NoWay("parts that are not joined")
    shape = (*x.shape[:axis], attributes["k"], *x.shape[axis + 1 :])
    results: list[Any] = [(x.dtype, shape), (dtypes.int64, shape)]
    largest = int(attributes.get("is_max_k", True))
    inputs: list[Any] = [x, [attributes["k"]]]
    values, places = to.node("TopK", inputs, results, axis=axis, largest=largest, sorted=1)
    return [values, to.cast(places, dtypes.int32)]


def among_top(to: Graph, attributes: Attributes, predictions: Any, targets: Any, k: Any) -> Value:
    """Whether fewer than k predictions are larger than that of the target."""
    column = to.unsqueeze(to.whole(targets), [-1])
    own = to.op("GatherElements", predictions, column, axis=1)
    larger = to.cast(to.op("Greater", predictions, own), dtypes.int64)
    count = to.op("ReduceSum", larger, [-1], keepdims=0)
    return to.op("And", to.op("Less", count, to.whole(k)), to.op("Not", _odd(to, own)))


def _odd(to: Graph, column: Value) -> Value:
    """Whether the numbers of a column are not finite."""
    flat = to.squeeze(column, [-1])
    return to.op("Or", to.op("IsInf", flat), to.op("IsNaN", flat))


def cumulative_log_sum(to: Graph, attributes: Attributes, x: Any, axis: Any) -> Value:
    """The logarithm of the sums of exp(x) up to each element, by the largest element."""
    largest = to.op("ReduceMax", x, to.vector(axis), keepdims=1)
    powers = to.op("Exp", to.op("Sub", x, largest))
    return to.op("Add", to.op("Log", cumsum(to, attributes, powers, axis)), largest)


OPS: dict[str, Row] = {
    **{
        op: plain(op)
        for op in (
            "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Floor Log Neg Relu Reciprocal Round "
            "Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Tan Tanh Elu Selu Add Sub Mul Div Pow Less Greater "
            "BitwiseAnd BitwiseOr BitwiseXor"
        ).split()
    },
    **dict.fromkeys(
        (
            "Identity Snapshot StopGradient Print PreventGradient IdentityN CheckNumerics EnsureShape "
            "CheckNumericsV2 PlaceholderWithDefault"
        ).split(),
        same,
    ),
    "AccumulateNV2": total,
    "AddN": total,
    "AddV2": plain("Add"),
    "All": every,
    "Any": some,
    "ApproxTopK": approximate_top_k,
    "ApproximateEqual": approximate_equal,
    "ArgMax": place_of("ArgMax"),
    "ArgMin": place_of("ArgMin"),
    "Atan2": atan2,
    "BatchMatMul": product("adj_x", "adj_y"),
    "BatchMatMulV2": product("adj_x", "adj_y"),
    "BatchMatMulV3": product("adj_x", "adj_y"),
    "BiasAdd": bias_add,
    "BiasAddV1": bias_add,
    "Cast": cast,
    "ClipByValue": clip,
    "Cross": cross,
    "CumulativeLogsumexp": cumulative_log_sum,
    "Cumsum": cumsum,
    "DivNoNan": _unless_zero("y", lambda to, x, y: to.op("Div", x, y)),
    "Einsum": einsum,
    "Equal": equal,
    "Erfc": erfc,
    "EuclideanNorm": norm,
    "Expm1": expm1,
    "FloorDiv": floor_divide,
    "FloorMod": floor_mod,
    "GreaterEqual": plain("GreaterOrEqual"),
    "InTopK": among_top,
    "InTopKV2": among_top,
    "Inv": plain("Reciprocal"),
    "Invert": plain("BitwiseNot"),
    "IsFinite": is_finite,
    "IsInf": plain("IsInf"),
    "IsNan": plain("IsNaN"),
    "L2Loss": half_square,
    "LeakyRelu": leaky_relu,
    "LeftShift": shifted("LEFT"),
    "LessEqual": plain("LessOrEqual"),
    "Log1p": log1p,
    "LogMatrixDeterminant": logarithm_of_determinant,
    "LogSoftmax": softmax("LogSoftmax"),
    "LogicalAnd": plain("And"),
    "LogicalNot": plain("Not"),
    "LogicalOr": plain("Or"),
    "MatMul": product("transpose_a", "transpose_b"),
    "MatrixDeterminant": plain("Det"),
    "Max": reduced("ReduceMax"),
    "Maximum": plain("Max"),
    "Mean": reduced("ReduceMean"),
    "Min": reduced("ReduceMin"),
    "Minimum": plain("Min"),
    "Mod": truncate_mod,
    "MulNoNan": _unless_zero("y", lambda to, x, y: to.op("Mul", x, y)),
    "NotEqual": not_equal,
    "Prod": reduced("ReduceProd"),
    "RealDiv": plain("Div"),
    "Relu6": relu6,
    "RightShift": shifted("RIGHT"),
    "Rint": plain("Round"),
    "Rsqrt": rsqrt,
    "Select": select,
    "SelectV2": select_v2,
    "Softmax": softmax("Softmax"),
    "SoftmaxCrossEntropyWithLogits": cross_entropy,
    "SparseSoftmaxCrossEntropyWithLogits": sparse_cross_entropy,
    "Square": square,
    "SquaredDifference": squared_difference,
    "Sum": reduced("ReduceSum"),
    "TopKV2": top_k,
    "TruncateDiv": truncate_divide,
    "TruncateMod": truncate_mod,
    "Xdivy": _unless_zero("x", lambda to, x, y: to.op("Div", x, y)),
    "Xlog1py": _unless_zero("x", lambda to, x, y: to.op("Mul", x, log1p(to, {}, y))),
    "Xlogy": _unless_zero("x", lambda to, x, y: to.op("Mul", x, to.op("Log", y))),
}
"""Op of TensorFlow's -> what writes a node of it."""

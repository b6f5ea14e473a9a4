"""Elementwise arithmetic, comparison, rounding, powers, exponentials and trigonometry."""

from __future__ import annotations

from typing import Any

from . import FLOATS, Sample, at, call
from .draws import (
    COMPLEX,
    SIGNED,
    UNSIGNED,
    between,
    booleans,
    given,
    nonzero,
    positive,
    reals,
    unit,
)

INTEGERS = SIGNED + UNSIGNED
inf, nan = float("inf"), float("nan")

_CONJUGATE = "TensorFlow forgets to conjugate here"


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    return _binary(tf) + _unary(tf) + _logic(tf) + _complex(tf) + _operators()


def _pairs(left: Any, right: Any) -> list[Any]:
    """Two inputs of one shape, broadcasting both ways, scalars, empty, sharing no axis of size."""
    return [
        (left(2, 3), right(2, 3)),
        (left(2, 3), right(3)),
        (left(3), right(2, 1)),
        (left(), right(4)),
        (left(), right()),
        (left(0, 3), right(3)),
        (left(2, 1, 3), right(1, 4, 1)),
    ]


def _binary(tf: Any) -> list[Sample]:
    both = _pairs(reals, reals)
    divisible = _pairs(reals, nonzero)
    above = _pairs(positive, positive)
    row = lambda op, cases, **more: Sample(op, cases, elementwise=True, **more)
    return [
        row(tf.add, both),
        row(tf.subtract, both),
        row(tf.multiply, both),
        row(
            tf.divide,
            divisible,
            at=[
                at((0.0, 2.0), gradients=(0.5, 0.0)),
                at(([1.0, -1.0, 0.0], [0.0, 0.0, 0.0]), value=[inf, -inf, nan]),
            ],
        ),
        row(tf.truediv, divisible),
        row(tf.realdiv, divisible, dtypes=FLOATS),
        row(tf.math.floordiv, divisible, differentiable=False),
        row(tf.math.floormod, divisible, at=[at(([5.0, -5.0], [3.0, 3.0]), value=[2.0, 1.0])]),
        row(tf.truncatediv, divisible, differentiable=False),
        row(tf.truncatemod, divisible, differentiable=False),
        row(
            tf.math.divide_no_nan,
            divisible,
            at=[
                at((3.0, 0.0), value=0.0, gradients=(0.0, 0.0)),
                at((0.0, 0.0), value=0.0, gradients=(0.0, 0.0)),
            ],
        ),
        row(
            tf.math.multiply_no_nan,
            both,
            complex_differs=_CONJUGATE,
            at=[
                at((3.0, 0.0), value=0.0, gradients=(0.0, 3.0)),
                at((inf, 0.0), value=0.0),
                at((nan, 0.0), value=0.0),
            ],
        ),
        row(
            tf.maximum,
            both,
            at=[
                at((1.0, 1.0), gradients=(1.0, 0.0)),
                at((1.0, nan), value=nan, gradients=(0.0, 1.0)),
                at((nan, 1.0), value=nan, gradients=(0.0, 1.0)),
            ],
        ),
        row(
            tf.minimum,
            both,
            at=[
                at((1.0, 1.0), gradients=(1.0, 0.0)),
                at((1.0, nan), value=nan, gradients=(0.0, 1.0)),
            ],
        ),
        row(
            tf.math.squared_difference,
            both,
            complex_differs=_CONJUGATE,
            at=[at((2.0, 2.0), gradients=(0.0, 0.0))],
        ),
        row(
            tf.pow,
            above,
            at=[
                at((0.0, 2.0), value=0.0, gradients=(0.0, 0.0)),
                at((0.0, 1.0), gradients=(1.0, 0.0)),
                at(
                    (0.0, 0.0),
                    value=1.0,
                    gradients=(0.0, 0.0),
                    differs="TensorFlow's 0 * 0**-1 is NaN; x**0 is the constant 1",
                ),
                at((-2.0, 2.0), value=4.0, gradients=(-4.0, 0.0)),
                at((-2.0, 3.0), value=-8.0, gradients=(12.0, 0.0)),
                at((0.0, 0.5), value=0.0, gradients=(inf, 0.0)),
                at(
                    (0.0, -1.0),
                    value=inf,
                    gradients=(-inf, -inf),
                    differs="TensorFlow's log 0 * inf is cut to NaN; the limit is -inf",
                ),
                at((2.0, 0.0), gradients=(0.0, 0.6931472)),
            ],
        ),
        row(
            tf.atan2,
            both,
            at=[
                at((0.0, 1.0), gradients=(1.0, 0.0)),
                at((1.0, 0.0), gradients=(0.0, -1.0)),
                at(
                    (0.0, 0.0),
                    value=0.0,
                    gradients=(0.0, 0.0),
                    differs="TensorFlow's 0 / 0 is NaN; the least of the subgradients is 0",
                ),
            ],
        ),
        row(
            tf.math.xlogy,
            above,
            complex_differs=_CONJUGATE,
            at=[at((0.0, 0.0), value=0.0, gradients=(0.0, 0.0)), at((0.0, 2.0), value=0.0)],
        ),
        row(
            tf.math.xlog1py,
            above,
            complex_differs=_CONJUGATE,
            at=[at((0.0, -1.0), value=0.0, gradients=(0.0, 0.0)), at((0.0, 2.0), value=0.0)],
        ),
        row(
            tf.math.xdivy,
            divisible,
            complex_differs=_CONJUGATE,
            at=[at((0.0, 0.0), value=0.0, gradients=(0.0, 0.0)), at((0.0, 2.0), value=0.0)],
        ),
        row(tf.math.nextafter, both, dtypes=("float64", "float32", "float16", "int32")),
        Sample(
            tf.add_n,
            [call([reals(2, 3), reals(2, 3), reals(2, 3)]), call([reals()]), call([reals(0)] * 2)],
        ),
        Sample(
            tf.math.accumulate_n,
            [call([reals(2, 3), reals(2, 3)])],
        ),
        Sample(tf.math.scalar_mul, [(given(2.0), reals(2, 3)), call(3.0, reals(4))], dtypes=FLOATS),
    ]


def _unary(tf: Any) -> list[Sample]:
    def row(op: Any, draw: Any, **more: Any) -> Sample:
        cases = [draw(2, 3), draw(), draw(0), draw(5)]
        return Sample(op, cases, elementwise=True, **more)

    smooth = [
        (tf.sin, reals), (tf.cos, reals), (tf.tan, unit), (tf.asin, unit), (tf.acos, unit),
        (tf.atan, reals), (tf.sinh, reals), (tf.cosh, reals), (tf.tanh, reals),
        (tf.asinh, reals), (tf.acosh, lambda *shape: between(1.2, 3.0, *shape)),
        (tf.atanh, unit), (tf.exp, reals), (tf.math.expm1, reals), (tf.math.log1p, positive),
        (tf.negative, reals), (tf.identity, reals), (tf.math.sigmoid, reals),
        (tf.math.log_sigmoid, reals), (tf.math.softplus, reals),
    ]  # fmt: skip
    rows = [row(op, draw) for op, draw in smooth[:-2]]
    return rows + [
        row(
            tf.math.log_sigmoid,
            reals,
            at=[at([1000.0, -1000.0], value=[0.0, -1000.0], gradients=([0.0, 1.0],))],
        ),
        row(
            tf.math.softplus,
            reals,
            at=[
                at([1000.0, -1000.0], value=[1000.0, 0.0], gradients=([1.0, 0.0],)),
                at(0.0, gradients=0.5),
            ],
        ),
        row(tf.abs, reals, at=[at(0.0, gradients=0.0), at(-0.0, value=0.0)]),
        row(tf.square, reals, at=[at(0.0, gradients=0.0)]),
        row(
            tf.sqrt,
            positive,
            at=[at(0.0, gradients=inf), at(-1.0, value=nan, gradients=nan)],
        ),
        row(tf.math.rsqrt, positive, at=[at(0.0, value=inf, gradients=-inf)]),
        row(tf.math.log, positive, at=[at(0.0, value=-inf, gradients=inf)]),
        row(tf.math.reciprocal, nonzero, at=[at(0.0, value=inf, gradients=-inf)]),
        row(tf.math.reciprocal_no_nan, nonzero, at=[at(0.0, value=0.0, gradients=0.0)]),
        row(tf.sign, reals, at=[at([0.0, -0.0, nan], value=[0.0, 0.0, nan])]),
        row(tf.floor, reals, differentiable=False, at=[at([-0.5, 2.0], value=[-1.0, 2.0])]),
        row(tf.math.ceil, reals, differentiable=False),
        row(
            tf.round,
            reals,
            differentiable=False,
            at=[at([0.5, 1.5, 2.5, -0.5, -1.5], value=[0.0, 2.0, 2.0, -0.0, -2.0])],
        ),
        row(tf.math.rint, reals, differentiable=False),
        Sample(
            tf.cast,
            [call(reals(2, 3), tf.float32), call(reals(3), "float64"), call(reals(3), tf.int32)]
            + [call(reals(2), name) for name in ("float16", "bfloat16", "uint8", "int64", "bool")]
            + [
                call(reals(2), "complex64"),
                call(reals(2), dtype=tf.float32),
                call(reals(0), "int8"),
            ],
            differences="the steps of finite differences are lost to rounding in a narrower dtype",
        ),
        Sample(
            lambda tf, x: tf.cast(tf.cast(x, "complex128"), "float64") * tf.cast(x, "float64"),
            [reals(2, 3)],
            name="cast(cast(x))",
            dtypes=("float32", "float64"),
        ),
        Sample(tf.saturate_cast, [call(between(-300, 300, 6), tf.uint8)]),
        Sample(
            tf.bitcast,
            [call(given([1.0, 2.0], "float32"), tf.int32), call(given([1, 2], "int64"), tf.int32)],
            differentiable=False,
        ),
        Sample(
            tf.clip_by_value,
            [
                call(reals(2, 3), given(-1.0), given(1.0)),
                call(reals(2, 3), given([-1.0, 0.0, -2.0]), given(2.0)),
                call(given([-5.0, 0.25, 5.0]), -1.0, 1.0),
                call(reals(3), clip_value_min=given(0.0), clip_value_max=given(1.0)),
            ],
            at=[
                at(([-1.0, 0.0, 1.0], -1.0, 1.0), gradients=([1.0, 1.0, 1.0], 0.0, 0.0)),
                at(([-2.0, 0.0, 3.0], -1.0, 1.0), gradients=([0.0, 1.0, 0.0], 1.0, 1.0)),
            ],
        ),
        Sample(
            tf.clip_by_norm,
            [
                call(reals(2, 3), given(1.5)),
                call(reals(2, 3), 100.0),
                call(reals(2, 3), given(1.0), axes=1),
                call(reals(2, 3), given(1.0), axes=[0]),
            ],
            dtypes=FLOATS,
            at=[at(([0.0, 0.0], 1.0), value=[0.0, 0.0], gradients=([1.0, 1.0], 0.0))],
        ),
        Sample(
            lambda tf, tensors, norm: tf.clip_by_global_norm(tensors, norm),
            [
                call([reals(2, 3), reals(4)], given(1.5)),
                call([reals(3), reals(2)], given(100.0)),
            ],
            name="tf.clip_by_global_norm",
            dtypes=("float32", "float64", "float16", "bfloat16"),
        ),
        Sample(
            lambda tf, tensors: tf.linalg.global_norm(tensors),
            [call([reals(2, 3), reals(4)]), call([reals()])],
            name="tf.linalg.global_norm",
            dtypes=("float32", "float64", "float16", "bfloat16"),
            at=[
                at(([given([inf, 1.0]), given(2.0)],), value=inf, gradients=([nan, 0.0], 0.0)),
                at(([given([-inf, 1.0]), given([inf])],), value=inf, gradients=([nan, 0.0], [nan])),
                at(
                    ([given([0.0, 0.0]), given(0.0)],),
                    value=0.0,
                    gradients=([0.0, 0.0], 0.0),
                    differs="TensorFlow's 0 / 0 is NaN; the least of the subgradients is 0",
                ),
            ],
        ),
    ]


def _logic(tf: Any) -> list[Sample]:
    pairs = [(reals(2, 3), reals(2, 3)), (reals(3), given([1, 2, 3])), (reals(0), reals()),
             (reals(2, 1), reals(3))]  # fmt: skip
    compare = [tf.equal, tf.not_equal, tf.less, tf.less_equal, tf.greater, tf.greater_equal]
    rows = [
        Sample(
            op,
            pairs,
            elementwise=True,
            differentiable=False,
            at=[at(([1.0, nan, inf, -0.0], [1.0, nan, inf, 0.0]))],
        )
        for op in compare
    ]
    bools = [(booleans(2, 3), booleans(3)), (booleans(), booleans()), (booleans(0), booleans())]
    rows += [
        Sample(op, bools, differentiable=False)
        for op in (tf.logical_and, tf.logical_or, tf.math.logical_xor)
    ]
    whole = lambda *shape: between(0, 9, *shape)
    rows += [
        Sample(op, [(whole(2, 3), whole(2, 3)), (whole(3), whole(2, 1))], dtypes=INTEGERS,
               differentiable=False)
        for op in (tf.bitwise.bitwise_and, tf.bitwise.bitwise_or, tf.bitwise.bitwise_xor)
    ]  # fmt: skip
    rows += [
        Sample(op, [(whole(2, 3), between(0, 4, 2, 3))], dtypes=INTEGERS, differentiable=False)
        for op in (tf.bitwise.left_shift, tf.bitwise.right_shift)
    ]
    rows += [
        Sample(tf.bitwise.invert, [whole(2, 3)], dtypes=INTEGERS, differentiable=False),
        Sample(tf.logical_not, [booleans(2, 3), booleans()], differentiable=False),
        Sample(
            tf.where,
            [
                (booleans(2, 3), reals(2, 3), reals(2, 3)),
                (booleans(3), reals(2, 3), reals()),
                (booleans(2, 1), reals(3), reals(2, 3)),
                (booleans(), reals(2), reals(2)),
                (booleans(0), reals(0), reals(0)),
            ],
        ),
        Sample(tf.where, [booleans(2, 3), booleans(5), booleans(0)], name="where(condition)",
               differentiable=False),
    ]  # fmt: skip
    special = at([nan, inf, -inf, 0.0])
    rows += [
        Sample(op, [reals(2, 3), reals()], differentiable=False, at=[special])
        for op in (tf.math.is_nan, tf.math.is_inf, tf.math.is_finite)
    ]
    return rows


def _complex(tf: Any) -> list[Sample]:
    numbers = [reals(2, 3), reals(), reals(0)]
    return [
        Sample(tf.complex, [(reals(2, 3), reals(2, 3)), (reals(3), reals(2, 1)), (reals(), reals())],
               dtypes=("float32", "float64", "float16", "int32")),
        Sample(tf.math.real, numbers, dtypes=(*COMPLEX, "float32", "float64")),
        Sample(tf.math.imag, numbers, dtypes=(*COMPLEX, "float32", "float64")),
        Sample(tf.math.conj, numbers),
        Sample(tf.math.angle, numbers, dtypes=(*COMPLEX, "float32", "float64")),
        Sample(lambda tf, z: z * z, [reals(2)], dtypes=COMPLEX, name="z*z",
               at=[at(given(1 + 2j), gradients=2 - 4j, dtypes=("complex128",))]),
    ]  # fmt: skip


def _operators() -> list[Sample]:
    """The operators of tensors, both ways, with tensors and with Python numbers."""
    import operator as o

    def row(name: str, function: Any, left: Any = reals, right: Any = nonzero, **more: Any) -> Any:
        cases = [(left(2, 3), right(3)), call(left(2, 3), 2), call(2, right(2, 3))]
        return Sample(lambda tf, x, y: function(x, y), cases, name=f"x {name} y", **more)

    rows = [
        row("+", o.add), row("-", o.sub), row("*", o.mul), row("/", o.truediv),
        row("//", o.floordiv, differentiable=False), row("%", o.mod),
        row("**", o.pow, positive, positive),
        row("<", o.lt, differentiable=False), row(">=", o.ge, differentiable=False),
        row("<=", o.le, differentiable=False), row(">", o.gt, differentiable=False),
        row("==", o.eq, differentiable=False), row("!=", o.ne, differentiable=False),
    ]  # fmt: skip
    bits = (*SIGNED, *UNSIGNED, "bool", "float32")
    rows += [
        Sample(lambda tf, x, y, f=f: f(x, y), [(between(0, 7, 2, 3), between(0, 7, 3))],
               name=f"x {name} y", dtypes=bits, differentiable=False)
        for name, f in (("&", o.and_), ("|", o.or_), ("^", o.xor))
    ]  # fmt: skip
    rows += [
        Sample(lambda tf, x: -x, [reals(2, 3)], name="-x"),
        Sample(lambda tf, x: abs(x), [reals(2, 3)], name="abs(x)"),
        Sample(lambda tf, x: ~x, [between(0, 7, 2, 3)], name="~x", dtypes=bits,
               differentiable=False),
        Sample(lambda tf, x, y: x @ y, [(reals(2, 3), reals(3, 2)), call(reals(2, 2), [[1.0], [2.0]]),
               call([[1.0, 2.0]], reals(2, 2))], name="x @ y"),
    ]  # fmt: skip
    return rows

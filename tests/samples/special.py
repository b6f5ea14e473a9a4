"""Special functions: the error, gamma, beta and Bessel families."""

from __future__ import annotations

from typing import Any

from . import Sample, at, call
from .draws import between, positive, reals, unit, whole

inf, nan = float("inf"), float("nan")
REALS = ("float16", "bfloat16", "float32", "float64", "int32")
FULL = ("float32", "float64", "int32")


def slope_of_betainc(tf: Any, a: Any, b: Any, x: Any) -> Any:
    """The density of the beta distribution."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        share = tf.math.betainc(a, b, x)
    return tape.gradient(share, x)


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""

    def row(op: Any, draw: Any = reals, dtypes: Any = REALS, **more: Any) -> Sample:
        return Sample(op, [draw(2, 3), draw(), draw(0)], elementwise=True, dtypes=dtypes, **more)

    def two(op: Any, left: Any, right: Any, **more: Any) -> Sample:
        cases = [(left(2, 3), right(2, 3)), (left(3), right(2, 1)), (left(), right())]
        return Sample(op, cases, elementwise=True, dtypes=FULL, **more)

    rows = [
        row(tf.math.erf),
        row(tf.math.erfc),
        row(tf.math.erfinv, unit),
        row(tf.math.erfcinv, lambda *shape: between(0.2, 1.8, *shape)),
        row(tf.math.ndtri, lambda *shape: between(0.1, 0.9, *shape)),
        row(
            tf.math.lgamma,
            positive,
            at=[
                at(
                    0.0,
                    value=inf,
                    gradients=-inf,
                    differs="TensorFlow's digamma(0) is NaN; from the right the limit is -inf",
                )
            ],
        ),
        row(
            tf.math.digamma,
            positive,
            at=[at(0.0, value=-inf, differs="TensorFlow gives NaN; from the right it is -inf")],
        ),
        Sample(tf.math.lbeta, [positive(2, 3), positive(4)], dtypes=("float32", "float64")),
        two(tf.math.polygamma, lambda *s: whole(0, 4, *s), positive,
            fixed={0: "the order of a derivative is a whole number"}),
        two(tf.math.zeta, lambda *s: between(2, 4, *s), positive,
            fixed={0: "TensorFlow has no gradient by the first argument, and neither have we"}),
        two(tf.math.igamma, positive, positive),
        two(tf.math.igammac, positive, positive),
        Sample(
            tf.math.betainc,
            [(positive(2, 3), positive(2, 3), between(0.1, 0.9, 2, 3)),
             (positive(), positive(), between(0.1, 0.9, 2))],
            dtypes=("float32", "float64"),
            fixed=dict.fromkeys((0, 1), "TensorFlow's gradient by the parameters is zero, and so is ours"),
        ),
    ]  # fmt: skip
    rows.append(
        Sample(
            slope_of_betainc,
            [(positive(2, 3), positive(2, 3), between(0.1, 0.9, 2, 3))],
            name="slope of betainc",
            dtypes=("float32", "float64"),
        )
    )
    bessel = ["i0", "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1"]
    for name in bessel:
        op = getattr(tf.math.special, f"bessel_{name}")
        rows.append(row(op, positive, FULL))
    rows += [
        row(tf.math.special.dawsn, dtypes=FULL),
        row(tf.math.special.expint, positive, dtypes=FULL),
        row(tf.math.special.fresnel_cos, dtypes=FULL),
        row(tf.math.special.fresnel_sin, dtypes=FULL),
        row(tf.math.special.spence, positive, dtypes=FULL),
        Sample(tf.math.polyval, [call([reals(2), reals(2), reals()], reals(2))], dtypes=FULL),
    ]
    return rows

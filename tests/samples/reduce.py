"""Reductions, scans, and what finds or orders the largest."""

from __future__ import annotations

from typing import Any

from . import FLOATS, REAL_FLOATS, Sample, at, call
from .draws import booleans, distinct, given, integers, nonzero, reals

inf, nan = float("inf"), float("nan")


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    return _reductions(tf) + _norms(tf) + _scans(tf) + _order(tf) + _segments(tf)


def _axes(draw: Any) -> list[Any]:
    return [
        call(draw(2, 3)),
        call(draw(2, 3), axis=0),
        call(draw(2, 3), axis=-1, keepdims=True),
        call(draw(2, 3), 1),
        call(draw(2, 3, 2), axis=[0, 2]),
        call(draw(2, 3, 2), axis=(0, 1, 2), keepdims=True),
        call(draw(2, 3), axis=[]),
        call(draw()),
        call(draw(2, 0), axis=1),
        call(draw(0, 3), axis=1),
        call(draw(2, 1, 2, 1, 2), axis=[1, 2]),
        call(draw(2, 3), axis=given([0], "int32")),
        call(draw(2, 3), axis=given(1, "int64")),
    ]


def _reductions(tf: Any) -> list[Sample]:
    return [
        Sample(tf.reduce_sum, _axes(reals), at=[at(given([inf, -inf]), value=nan)]),
        Sample(tf.reduce_mean, _axes(reals), at=[at(given([], "float32"), value=nan)]),
        Sample(
            tf.reduce_prod,
            _axes(nonzero),
            at=[
                at([0.0, 2.0, 3.0], value=0.0, gradients=([6.0, 0.0, 0.0],)),
                at([0.0, 0.0, 3.0], value=0.0, gradients=([0.0, 0.0, 0.0],)),
                at([[0.0, 2.0], [3.0, 4.0]], gradients=([[3.0, 4.0], [0.0, 2.0]],), axis=0),
            ],
        ),
        Sample(
            tf.reduce_max,
            _axes(distinct),
            at=[
                at([3.0, 1.0, 3.0], value=3.0, gradients=([0.5, 0.0, 0.5],)),
                at([1.0, nan], value=nan, gradients=([nan, nan],)),
                at(given([], "float32"), value=-inf),
            ],
        ),
        Sample(
            tf.reduce_min,
            _axes(distinct),
            at=[
                at([3.0, 1.0, 1.0], value=1.0, gradients=([0.0, 0.5, 0.5],)),
                at(given([], "float32"), value=inf),
            ],
        ),
        Sample(
            tf.reduce_logsumexp,
            _axes(reals),
            at=[
                at([1000.0, 1000.0], value=1000.6931, gradients=([0.5, 0.5],)),
                at([-1000.0, -1001.0], gradients=([0.7310586, 0.26894143],)),
                at(
                    [-inf, -inf],
                    value=-inf,
                    gradients=([0.0, 0.0],),
                    differs="TensorFlow's softmax of all -inf is NaN",
                ),
                at(
                    [inf, 0.0],
                    value=inf,
                    gradients=([1.0, 0.0],),
                    differs="TensorFlow's exp(inf - inf) is NaN; the infinity alone decides",
                ),
            ],
        ),
        Sample(tf.reduce_all, [call(booleans(2, 3)), call(booleans(2, 3), axis=1), call(booleans(0))],
               differentiable=False),
        Sample(tf.reduce_any, [call(booleans(2, 3)), call(booleans(2, 3), axis=0, keepdims=True),
               call(booleans(0))], differentiable=False),
        Sample(
            tf.math.reduce_variance,
            [call(reals(2, 3)), call(reals(2, 3), axis=1, keepdims=True), call(reals())],
            at=[at([1.0, 1.0, 1.0], gradients=([0.0, 0.0, 0.0],))],
            dtypes=(*FLOATS, "int32"),
        ),
        Sample(
            tf.math.reduce_std,
            [call(reals(2, 3)), call(reals(2, 3), axis=0)],
            at=[
                at(
                    [1.0, 1.0, 1.0],
                    value=0.0,
                    gradients=([0.0, 0.0, 0.0],),
                    differs="TensorFlow's 0 * inf is NaN",
                )
            ],
            dtypes=(*FLOATS, "int32"),
        ),
        Sample(
            tf.math.reduce_euclidean_norm,
            [call(reals(2, 3)), call(reals(2, 3), axis=1, keepdims=True)],
            dtypes=(*FLOATS, "int32"),
            complex_differs="TensorFlow forgets to conjugate here",
        ),
        Sample(tf.math.zero_fraction, [call(given([0.0, 1.0, 0.0]))], differentiable=False),
        Sample(tf.math.is_non_decreasing, [reals(3), given([1, 1, 2])], differentiable=False),
        Sample(tf.math.is_strictly_increasing, [reals(3), given([1, 1, 2])], differentiable=False),
        Sample(tf.math.count_nonzero, [call(reals(2, 3)), call(reals(2, 3), axis=1),
               call(given([0.0, 1.0, 0.0]), keepdims=True)], differentiable=False),
        Sample(
            lambda tf, x, axes, **more: tf.nn.moments(x, axes, **more),
            [call(reals(2, 3), [0]), call(reals(2, 3), [0, 1]),
             call(reals(2, 3, 2), [0, 1], keepdims=True)],
            name="tf.nn.moments",
            dtypes=REAL_FLOATS,
        ),
    ]  # fmt: skip


def _norms(tf: Any) -> list[Sample]:
    return [
        Sample(
            tf.norm,
            [
                call(reals(2, 3)),
                call(reals(2, 3), axis=1),
                call(reals(2, 3), ord=1, axis=0),
                call(distinct(2, 3), ord=float("inf"), axis=1),
                call(reals(2, 3), ord=3, axis=-1, keepdims=True),
                call(reals(2, 3), ord="euclidean"),
                call(reals(2, 3), ord="fro", axis=[0, 1]),
                call(distinct(2, 3), ord=1, axis=(0, 1)),
                call(distinct(2, 3), ord=float("inf"), axis=(-2, -1), keepdims=True),
                call(reals(2, 2, 3), ord=2, axis=[1, 2]),
            ],
            dtypes=FLOATS,
            at=[
                at([3.0, 4.0], value=5.0, gradients=([0.6, 0.8],)),
                at(
                    [0.0, 0.0],
                    value=0.0,
                    gradients=([0.0, 0.0],),
                    differs="TensorFlow's 0 / 0 is NaN; the least of the subgradients is 0",
                ),
                at(
                    [3e-30, 4e-30],
                    value=5e-30,
                    gradients=([0.6, 0.8],),
                    differs="TensorFlow's squares underflow",
                ),
                at(
                    [3e30, 4e30],
                    value=5e30,
                    gradients=([0.6, 0.8],),
                    differs="TensorFlow's squares overflow",
                ),
                at([inf, 1.0], value=inf, gradients=([nan, 0.0],)),
                at([inf, 1.0], value=inf, gradients=([nan, 0.0],), ord=3),
                at([nan, 1.0], value=nan, gradients=([nan, nan],), ord=3),
                at([nan, 1.0], value=nan, gradients=([nan, nan],), ord=0.5),
                at([[0.0, 0.0]] * 2, value=0.0, gradients=([[0.0, 0.0]] * 2,), ord=2, axis=[0, 1]),
            ],
        ),
    ]


def _scans(tf: Any) -> list[Sample]:
    def scans(draw: Any) -> list[Any]:
        return [
            call(draw(2, 3)),
            call(draw(2, 3), axis=1),
            call(draw(2, 3), axis=-1, exclusive=True),
            call(draw(2, 3), axis=0, reverse=True),
            call(draw(4), exclusive=True, reverse=True),
            call(draw(0)),
            call(draw(2, 1, 3), 2),
        ]

    return [
        Sample(tf.cumsum, scans(reals)),
        Sample(
            tf.math.cumprod,
            scans(nonzero),
            complex_differs="TensorFlow forgets to conjugate here",
            at=[
                at(
                    [2.0, 0.0, 3.0],
                    gradients=([1.0, 8.0, 0.0],),
                    differs="TensorFlow divides by the zero and loses what follows it",
                ),
                at([2.0, 3.0, 4.0], gradients=([16.0, 10.0, 6.0],)),
                at(
                    [0.0, 0.0, 3.0],
                    gradients=([1.0, 0.0, 0.0],),
                    differs="TensorFlow divides by the zero and loses what follows it",
                ),
            ],
        ),
        Sample(
            tf.math.cumulative_logsumexp,
            [case for case in scans(reals) if "exclusive" not in case.kwargs],
            dtypes=FLOATS,
        ),
        Sample(
            tf.math.cumulative_logsumexp,
            [
                call(reals(2, 3), axis=-1, exclusive=True),
                call(reals(4), exclusive=True, reverse=True),
            ],
            dtypes=FLOATS,
            name="cumulative_logsumexp(exclusive)",
            differences="it begins with the logarithm of nothing: minus infinity",
        ),
    ]


def _order(tf: Any) -> list[Sample]:
    find = [
        call(distinct(2, 3)),
        call(distinct(2, 3), axis=1),
        call(distinct(2, 3), -1),
        call(distinct(2, 3), axis=0, output_type=tf.int32),
        call(distinct(5)),
        call(distinct(2, 1, 2), axis=2),
    ]
    return [
        Sample(tf.argmax, find, differentiable=False,
               at=[at([1.0, 3.0, 3.0], value=1), at(given([], "float32"))]),
        Sample(tf.argmin, find, differentiable=False, at=[at([3.0, 1.0, 1.0], value=1)]),
        Sample(
            tf.sort,
            [call(distinct(2, 3)), call(distinct(2, 3), axis=0),
             call(distinct(2, 3), direction="DESCENDING"), call(distinct(0))],
            at=[at([2.0, 1.0, 2.0], value=[1.0, 2.0, 2.0])],
        ),
        Sample(
            tf.argsort,
            [call(distinct(2, 3)), call(distinct(2, 3), axis=0),
             call(distinct(4), direction="DESCENDING")],
            differentiable=False,
            at=[at([2.0, 1.0, 2.0, 1.0], stable=True, value=[1, 3, 0, 2])],
        ),
        Sample(
            lambda tf, x, **more: tuple(tf.math.top_k(x, **more)),
            [call(distinct(2, 3), k=2), call(distinct(4), k=1), call(distinct(2, 3), k=3),
             call(distinct(3), k=0)],
            name="tf.math.top_k",
            at=[at([1.0, 3.0, 3.0], k=2)],
        ),
    ]  # fmt: skip


def _segments(tf: Any) -> list[Sample]:
    ids = given([0, 0, 1, 3], "int32")
    rows = [
        Sample(op, [(distinct(4, 2), ids), (distinct(4), given([0, 1, 1, 1], "int64"))],
               at=[at(([2.0, 2.0, 1.0], given([0, 0, 0], "int32")))])
        for op in (tf.math.segment_sum, tf.math.segment_mean, tf.math.segment_max,
                   tf.math.segment_min, tf.math.segment_prod)
    ]  # fmt: skip
    # A negative id goes nowhere; at the kink segment 1 of three is empty.
    rows += [
        Sample(
            op,
            [call(distinct(5, 2), given([2, 0, -1, 2, 1], "int32"), 3),
             call(distinct(4), given([1, 0, 1, 1], "int64"), 2)],
            at=[at(([2.0, 2.0, 1.0], given([0, 0, 2], "int32")), num_segments=3)],
        )
        for op in (tf.math.unsorted_segment_sum, tf.math.unsorted_segment_max,
                   tf.math.unsorted_segment_min, tf.math.unsorted_segment_prod,
                   tf.math.unsorted_segment_mean, tf.math.unsorted_segment_sqrt_n)
    ]  # fmt: skip
    zeros = given([[2.0, 0.0], [3.0, 0.0], [0.0, 5.0], [0.5, 3.0]])
    rows += [
        Sample(lambda tf, x: tf.math.unsorted_segment_prod(x, [1, 0, 1, 1], 2), [zeros],
               name="unsorted_segment_prod with zeros", dtypes=("float32", "float64")),
        Sample(lambda tf, x: tf.math.segment_prod(x, [0, 0, 1, 1]), [zeros],
               name="segment_prod with zeros", dtypes=("float32", "float64")),
    ]  # fmt: skip
    rows.append(
        Sample(tf.math.bincount, [call(integers(0, 5, 7)), call(integers(0, 5, 7), minlength=8)],
               differentiable=False)
    )  # fmt: skip
    return rows

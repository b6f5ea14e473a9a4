"""Shapes and places: reshaping, joining, splitting, padding, gathering and scattering."""

from __future__ import annotations

from typing import Any

from . import Sample, at, call
from .draws import distinct, given, integers, reals

inf, nan = float("inf"), float("nan")


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    return _shapes(tf) + _joins(tf) + _gathers(tf) + _scatters(tf) + _about(tf)


def _shapes(tf: Any) -> list[Sample]:
    return [
        Sample(
            tf.reshape,
            [call(reals(2, 3), [3, 2]), call(reals(2, 3), -1), call(reals(2, 3), [-1, 1, 2]),
             call(reals(1, 1), []), call(reals(0, 3), [3, 0]), call(reals(), [1, 1]),
             call(reals(2, 3), given([6], "int64")), call(reals(4), (2, 2)),
             call(reals(0), [0, 5])],
        ),
        Sample(
            tf.transpose,
            [call(reals(2, 3)), call(reals(2, 3, 2), [1, 0, 2]), call(reals(2, 3, 2), perm=[2, 0, 1]),
             call(reals()), call(reals(4)), call(reals(0, 3)), call(reals(2, 1, 2, 1, 2)),
             call(reals(2, 3), conjugate=True)],
        ),
        Sample(
            tf.squeeze,
            [call(reals(1, 3, 1)), call(reals(1, 3, 1), axis=0), call(reals(1, 3, 1), axis=[-1]),
             call(reals(1, 3, 1), [0, 2]), call(reals(3)), call(reals())],
        ),
        Sample(
            tf.expand_dims,
            [call(reals(2, 3), 0), call(reals(2, 3), axis=-1), call(reals(), 0), call(reals(2, 3), 1)],
        ),
        Sample(
            tf.broadcast_to,
            [call(reals(3), [2, 3]), call(reals(2, 1), [2, 4]), call(reals(), [2, 2]),
             call(reals(3), [3]), call(reals(1), [0]), call(reals(1, 3, 1), [2, 2, 3, 2])],
        ),
        Sample(
            tf.tile,
            [call(reals(2, 3), [2, 1]), call(reals(3), [3]), call(reals(2), [0]),
             call(reals(2, 2), given([1, 2], "int64"))],
        ),
        Sample(
            tf.repeat,
            [call(reals(3), 2), call(reals(2, 3), repeats=[1, 2], axis=0), call(reals(2, 2), 2),
             call(reals(2, 3), 2, axis=-1)],
        ),
        Sample(
            tf.roll,
            [call(reals(2, 3), 1, 0), call(reals(2, 3), shift=[1, -1], axis=[0, 1]),
             call(reals(4), -6, 0)],
        ),
        Sample(tf.reverse, [call(reals(2, 3), [0]), call(reals(2, 3), axis=[0, -1]),
                            call(reals(2, 3), [])]),
        Sample(
            tf.pad,
            [call(reals(2, 3), [[1, 0], [0, 2]]), call(reals(3), [[2, 1]], constant_values=7),
             call(reals(2, 3), [[1, 1], [2, 2]], mode="REFLECT"),
             call(reals(2, 3), [[1, 1], [2, 2]], mode="SYMMETRIC"),
             call(reals(2, 3), [[1, 0], [0, 0]], "constant", 1.5),
             call(reals(0, 2), [[1, 1], [0, 0]])],
        ),
        Sample(
            tf.slice,
            [call(reals(3, 4), [1, 0], [2, 3]), call(reals(4), [1], [-1]), call(reals(3, 2), [1, 1], [0, 1]),
             call(reals(), given([], "int32"), given([], "int32")),
             call(reals(3, 4), given([1, 0], "int64"), [2, 3])],
        ),
        Sample(
            tf.strided_slice,
            [call(reals(3, 4), [0, 1], [3, 4], [2, 2]), call(reals(5), [-1], [-6], strides=[-1]),
             call(reals(3, 4), [1], [2], shrink_axis_mask=1)],
        ),
        Sample(tf.ensure_shape, [call(reals(2, 3), [2, None]), call(reals(2), [None])]),
        Sample(tf.linalg.matrix_transpose, [call(reals(2, 3)), call(reals(2, 2, 3)),
               call(reals(2, 2), conjugate=True)]),
        Sample(tf.identity, [call(reals(2, 3)), call(reals())], name="tf.identity()"),
        Sample(tf.stop_gradient, [reals(2, 3), reals()], differentiable=False),
        Sample(
            lambda tf, xs: tf.identity_n(xs),
            [call([reals(2), reals(1, 3)])],
            name="tf.identity_n",
        ),
        Sample(tf.sequence_mask, [call(integers(0, 4, 3), 4), call(integers(0, 4, 2, 2), maxlen=3,
               dtype=tf.float32)], differentiable=False),
    ]  # fmt: skip


def _joins(tf: Any) -> list[Sample]:
    return [
        Sample(
            tf.concat,
            [call([reals(2, 3), reals(1, 3)], 0), call([reals(2, 1), reals(2, 3)], axis=-1),
             call([reals(2)], 0), call([reals(0, 2), reals(2, 2)], 0),
             call([reals(2, 1, 2), reals(2, 3, 2), reals(2, 1, 2)], axis=1)],
        ),
        Sample(
            tf.stack,
            [call([reals(2, 3), reals(2, 3)]), call([reals(3), reals(3)], axis=1),
             call([reals(), reals(), reals()]), call([reals(2), reals(2)], axis=-1)],
        ),
        Sample(
            tf.unstack,
            [call(reals(2, 3)), call(reals(2, 3), axis=1), call(reals(3), num=3),
             call(reals(2, 3, 2), axis=-2)],
        ),
        Sample(
            tf.split,
            [call(reals(4, 2), 2), call(reals(3, 4), [1, 3], axis=1), call(reals(6), 3, axis=0),
             call(reals(5), [2, -1])],
        ),
        Sample(
            lambda tf, *xs, **more: tf.meshgrid(*xs, **more),
            [call(reals(2), reals(3)), call(reals(2), reals(3), indexing="ij"),
             call(reals(2), reals(1), reals(3))],
            name="tf.meshgrid",
        ),
    ]  # fmt: skip


def _gathers(tf: Any) -> list[Sample]:
    return [
        Sample(
            tf.gather,
            [call(reals(4, 2), integers(0, 4, 3)), call(reals(4, 3), integers(0, 3, 2, 2), axis=1),
             call(reals(3), given(1, "int64")), call(reals(2, 3, 2), integers(0, 3, 2, 2), batch_dims=1),
             call(reals(2, 3, 2), integers(0, 2, 2, 3, 1), axis=2, batch_dims=2),
             call(reals(3, 2), given([], "int32")), call(reals(3, 4), [2, 0], axis=-1),
             call(reals(2, 3), integers(0, 3, 2), axis=1)],
        ),
        Sample(
            tf.gather_nd,
            [call(reals(3, 2), integers(0, 2, 4, 2)), call(reals(3, 2), given([[2], [0]], "int32")),
             call(reals(3, 2), given([[[1]]], "int64")), call(reals(2, 3), integers(0, 3, 2, 1),
             batch_dims=1), call(reals(3, 2), given([2, 1], "int32"))],
        ),
        Sample(
            tf.boolean_mask,
            [call(reals(3, 2), given([True, False, True], "bool")),
             call(reals(2, 2), given([[True, False], [False, True]], "bool")),
             call(reals(2, 3), given([True, False, True], "bool"), axis=1)],
        ),
        Sample(
            tf.one_hot,
            [call(integers(0, 3, 4), 3), call(integers(0, 3, 2, 2), depth=3, axis=0),
             call(given([-1, 0, 5], "int32"), 3, on_value=5.0, off_value=-1.0),
             call(given(1, "int64"), 2, dtype=tf.int32), call(integers(0, 2, 2), 2, True, False),
             call(given([1, 0], "uint8"), 2), call(integers(0, 3, 2), 0)],
            differentiable=False,
        ),
        Sample(
            tf.searchsorted,
            [call(given([1.0, 2.0, 3.0]), given([0.5, 2.0, 9.0])),
             call(given([1.0, 2.0, 3.0]), given([0.5, 2.0, 9.0]), side="right"),
             call(given([[1.0, 2.0, 3.0], [-1.0, 0.0, 0.0]]),
                  given([[0.5, 2.0, 9.0, 3.0], [0.0, -2.0, -0.5, 1.0]])),
             call(given([[1.0, 2.0, 3.0], [-1.0, 0.0, 0.0]]), given([[2.0], [0.0]]), side="right",
                  out_type=tf.int64)],
            differentiable=False,
        ),
        Sample(
            lambda tf, x: tuple(tf.unique(x)),
            [given([3, 1, 3, 2], "int64")], name="tf.unique", differentiable=False,
        ),
        Sample(
            lambda tf, x, parts: tf.dynamic_partition(x, parts, 2),
            [call(reals(3, 2), given([0, 1, 0], "int32"))], name="tf.dynamic_partition",
        ),
        Sample(
            lambda tf, x, y: tf.dynamic_stitch(
                [tf.constant([0, 2]), tf.constant([1])], [x, y]
            ),
            [call(reals(2, 2), reals(1, 2))], name="tf.dynamic_stitch",
        ),
        Sample(tf.nn.embedding_lookup, [call(reals(4, 2), integers(0, 4, 3))]),
    ]  # fmt: skip


def _scatters(tf: Any) -> list[Sample]:
    indices = given([[0], [2], [2]], "int32")
    rows = [
        Sample(
            tf.scatter_nd,
            [call(indices, reals(3, 2), [4, 2]), call(integers(0, 2, 3, 2), reals(3), [2, 2]),
             call(given([[1]], "int64"), reals(1), given([3], "int64")),
             call(indices, reals(3), shape=(4,))],
        ),
        Sample(
            tf.tensor_scatter_nd_add,
            [call(reals(4, 2), indices, reals(3, 2)), call(reals(3), given([[1]], "int64"), reals(1))],
        ),
        Sample(tf.tensor_scatter_nd_sub, [call(reals(4, 2), indices, reals(3, 2))]),
        Sample(
            tf.tensor_scatter_nd_update,
            [call(reals(4, 2), given([[0], [2]], "int32"), reals(2, 2)),
             call(reals(2, 2), given([[1, 0]], "int32"), reals(1))],
        ),
    ]  # fmt: skip
    # Updates and old values a quarter apart never tie, whichever dtype they are rounded to.
    once = given([[0], [2]], "int32")
    rows += [
        Sample(
            op,
            [call(distinct(4), once, given([0.25, -0.25])),
             call(distinct(4, 2), once, given([[9.0, -9.0]] * 2))],
            at=[at(([1.0, 2.0], given([[0]], "int32"), [1.0]))],
        )
        for op in (tf.tensor_scatter_nd_max, tf.tensor_scatter_nd_min)
    ]  # fmt: skip
    return rows


def _about(tf: Any) -> list[Sample]:
    return [
        Sample(tf.shape, [call(reals(2, 3)), call(reals()), call(reals(0, 2), out_type=tf.int64)],
               differentiable=False),
        Sample(tf.size, [call(reals(2, 3)), call(reals()), call(reals(0), out_type=tf.int64)],
               differentiable=False),
        Sample(tf.rank, [reals(2, 3), reals()], differentiable=False),
        Sample(tf.broadcast_dynamic_shape, [call(given([2, 1], "int32"), given([3], "int32"))],
               differentiable=False),
        Sample(tf.unravel_index, [call(given([5, 2], "int32"), given([2, 3], "int32"))],
               differentiable=False),
        Sample(tf.reverse_sequence, [call(reals(2, 4), given([3, 2], "int32"), seq_axis=1,
               batch_axis=0)]),
        Sample(tf.math.invert_permutation, [given([2, 0, 1], "int32")], differentiable=False),
    ]  # fmt: skip

"""Convolution, pooling, and moving space into depth or batch and back."""

from __future__ import annotations

from typing import Any

from . import Sample, at, call
from .draws import distinct, given, reals

_DTYPES = ("float32", "float64", "float16", "bfloat16")


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    return _convolutions(tf) + _pools(tf) + _spaces(tf)


def _convolutions(tf: Any) -> list[Sample]:
    def row(op: Any, cases: list[Any], **more: Any) -> Sample:
        return Sample(op, cases, dtypes=_DTYPES, **more)

    return [
        row(
            tf.nn.conv2d,
            [call(reals(1, 4, 4, 2), reals(2, 2, 2, 3), strides=1, padding="VALID"),
             call(reals(1, 4, 4, 1), reals(3, 3, 1, 2), strides=[1, 2, 2, 1], padding="SAME"),
             call(reals(1, 5, 5, 1), reals(2, 2, 1, 1), 1, "SAME", dilations=2),
             call(reals(2, 3, 4, 1), reals(2, 3, 1, 1), strides=[1, 2], padding="VALID"),
             call(reals(1, 4, 4, 4), reals(2, 2, 2, 2), 1, "SAME"),
             call(reals(1, 3, 3, 1), reals(2, 2, 1, 1), 1, [[0, 0], [1, 0], [0, 1], [0, 0]]),
             call(reals(0, 4, 4, 1), reals(2, 2, 1, 1), 1, "SAME")],
        ),
        row(
            tf.nn.conv1d,
            [call(reals(1, 5, 2), reals(2, 2, 3), stride=1, padding="VALID"),
             call(reals(1, 5, 1), reals(3, 1, 1), stride=2, padding="SAME")],
        ),
        row(
            tf.nn.conv3d,
            [call(reals(1, 3, 3, 3, 1), reals(2, 2, 2, 1, 2), strides=[1] * 5, padding="VALID"),
             call(reals(1, 3, 3, 3, 1), reals(2, 2, 2, 1, 1), strides=[1, 2, 2, 2, 1], padding="SAME")],
        ),
        row(
            tf.nn.depthwise_conv2d,
            [call(reals(1, 4, 4, 2), reals(2, 2, 2, 2), strides=[1, 1, 1, 1], padding="SAME"),
             call(reals(1, 4, 4, 1), reals(3, 3, 1, 1), strides=[1, 2, 2, 1], padding="VALID")],
        ),
        row(
            tf.nn.separable_conv2d,
            [call(reals(1, 3, 3, 2), reals(2, 2, 2, 1), reals(1, 1, 2, 2), [1, 1, 1, 1], "SAME")],
        ),
        row(
            tf.nn.conv2d_transpose,
            [call(reals(1, 2, 2, 2), reals(2, 2, 1, 2), [1, 4, 4, 1], strides=2, padding="SAME"),
             call(reals(1, 2, 2, 1), reals(3, 3, 2, 1), [1, 4, 4, 2], strides=1, padding="VALID")],
        ),
        row(
            tf.nn.conv1d_transpose,
            [call(reals(1, 2, 2), reals(2, 1, 2), [1, 4, 1], strides=2, padding="SAME")],
        ),
        row(
            tf.nn.conv3d_transpose,
            [call(reals(1, 2, 2, 2, 1), reals(2, 2, 2, 1, 1), [1, 3, 3, 3, 1], strides=1,
                  padding="VALID")],
        ),
        row(
            tf.nn.convolution,
            [call(reals(1, 4, 4, 1), reals(2, 2, 1, 2), strides=1, padding="SAME"),
             call(reals(1, 5, 1), reals(2, 1, 1), padding="VALID", dilations=2)],
        ),
        row(tf.nn.atrous_conv2d, [call(reals(1, 4, 4, 1), reals(2, 2, 1, 1), rate=2, padding="VALID")]),
    ]  # fmt: skip


def _pools(tf: Any) -> list[Sample]:
    def row(op: Any, cases: list[Any], **more: Any) -> Sample:
        return Sample(op, cases, dtypes=_DTYPES, **more)

    return [
        row(tf.nn.max_pool2d, [call(distinct(1, 4, 4, 2), 2, 2, "VALID"),
            call(distinct(1, 5, 5, 1), ksize=3, strides=2, padding="SAME"),
            call(distinct(1, 3, 3, 1), ksize=[2, 1], strides=1, padding="VALID")],
            at=[at(given([[[[1.0], [1.0]], [[1.0], [0.0]]]]), ksize=2, strides=2, padding="VALID",
                   gradients=([[[[1.0], [0.0]], [[0.0], [0.0]]]],))]),
        row(tf.nn.avg_pool2d, [call(reals(1, 4, 4, 2), 2, 2, "VALID"),
            call(reals(1, 5, 5, 1), ksize=3, strides=2, padding="SAME")]),
        row(tf.nn.max_pool1d, [call(distinct(1, 5, 2), 2, 2, "VALID")]),
        row(tf.nn.avg_pool1d, [call(reals(1, 5, 2), 3, 1, "SAME")]),
        Sample(tf.nn.max_pool3d, [call(distinct(1, 2, 3, 2, 1), 2, 1, "VALID"),
               call(distinct(1, 3, 3, 3, 1), 2, 2, "SAME")], dtypes=("float32", "float16", "bfloat16")),
        row(tf.nn.avg_pool3d, [call(reals(1, 2, 3, 2, 1), 2, 1, "VALID"),
            call(reals(1, 3, 3, 3, 1), 2, 2, "SAME")]),
        # What comes back into the pooling depends on its input here, as it does in a network.
        row(lambda tf, x: tf.square(tf.nn.max_pool2d(x, 2, 1, "VALID")), [distinct(1, 3, 3, 1)],
            name="square(max_pool2d)"),
        Sample(lambda tf, x: tf.square(tf.nn.max_pool3d(x, 2, 1, "VALID")), [distinct(1, 3, 2, 2, 1)],
               name="square(max_pool3d)", dtypes=("float32",)),
        row(tf.nn.dilation2d, [call(distinct(1, 4, 4, 1), reals(2, 2, 1), strides=[1, 1, 1, 1],
            padding="VALID", data_format="NHWC", dilations=[1, 1, 1, 1]),
            call(distinct(1, 4, 4, 2), reals(2, 2, 2), strides=[1, 2, 2, 1], padding="SAME",
            data_format="NHWC", dilations=[1, 1, 1, 1])]),
        row(lambda tf, x, k: tf.square(tf.nn.dilation2d(x, k, [1] * 4, "VALID", "NHWC", [1] * 4)),
            [(distinct(1, 3, 3, 1), reals(2, 2, 1))], name="square(dilation2d)"),
        row(tf.nn.erosion2d, [call(distinct(1, 4, 4, 1), reals(2, 2, 1), strides=[1, 1, 1, 1],
            padding="VALID", data_format="NHWC", dilations=[1, 1, 1, 1])]),
        row(tf.nn.pool, [call(reals(1, 4, 4, 1), [2, 2], "AVG", strides=[2, 2], padding="VALID"),
            call(distinct(1, 4, 1), [2], "MAX")]),
        row(tf.nn.pool, [call(distinct(1, 6, 7, 2), [2, 3], "MAX", dilations=[2, 1]),
                         call(reals(2, 7, 1), [2], "AVG", dilations=[3]),
                         call(reals(1, 5, 5, 5, 1), [2, 2, 2], "AVG", dilations=[2, 1, 2]),
                         call(reals(1, 4, 1), [3], "MAX", dilations=[2])],
            name="tf.nn.pool with dilations"),
        row(lambda tf, x: tuple(tf.nn.max_pool_with_argmax(x, 2, 2, "VALID")),
            [call(distinct(1, 4, 4, 2))], name="tf.nn.max_pool_with_argmax"),
    ]  # fmt: skip


def _spaces(tf: Any) -> list[Sample]:
    return [
        Sample(tf.nn.space_to_depth, [call(reals(1, 4, 2, 3), 2)]),
        Sample(tf.nn.depth_to_space, [call(reals(1, 2, 1, 8), 2)]),
        Sample(tf.space_to_batch_nd, [call(reals(1, 4, 2, 1), [2, 2], [[0, 0], [0, 0]]),
               call(reals(1, 3, 2, 1), [2, 1], [[0, 1], [0, 0]])]),
        Sample(tf.batch_to_space, [call(reals(4, 1, 2, 1), [2, 2], [[0, 0], [0, 0]]),
               call(reals(4, 1, 2, 1), [2, 2], [[0, 1], [1, 0]])]),
    ]  # fmt: skip

"""Tensors made from nothing or from the form of another."""

from __future__ import annotations

from typing import Any

from . import Sample, call
from .draws import given, reals, strings


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""

    def row(op: Any, cases: list[Any], **more: Any) -> Sample:
        return Sample(op, cases, **{"differentiable": False, **more})

    return [
        row(tf.zeros, [call([2, 3]), call(()), call(3), call([2], tf.int32), call([0, 2], dtype="bool"),
                       call(given([2, 1], "int32")), call([1], tf.string), call([2], tf.complex64)]),
        row(tf.ones, [call([2, 3]), call(()), call((2,), tf.int64), call([2], dtype=tf.bfloat16)]),
        row(tf.fill, [call([2, 3], given(5.0)), call([], 1), call([2], True), call((2, 1), 2.5),
                      call([2], "a")], differentiable=True),
        row(tf.zeros_like, [call(reals(2, 3)), call(reals(2), dtype=tf.int32), call([[1, 2]]),
                            call(strings(b"a"))]),
        row(tf.ones_like, [call(reals(2, 3)), call(reals(2), dtype="float64"), call([1.0, 2.0])]),
        row(tf.eye, [call(2), call(2, 3), call(2, batch_shape=[2]), call(3, dtype=tf.int32)]),
        row(tf.range, [call(5), call(2, 7), call(0, 10, 3), call(5, 0, -2), call(0.0, 1.0, 0.25),
                       call(3, dtype=tf.int64), call(0), call(given(3, "int64")),
                       call(start=1, limit=3), call(1, 2, 0.25), call(2.5)]),
        row(tf.linspace, [call(0.0, 1.0, 5), call(-10.0, 10.0, 201), call(0.0, 1.0, 1),
                          call(given([0.0, 1.0], "float64"), given([1.0, 5.0], "float64"), 3),
                          call(2.0, 2.0, num=3), call(given([0.0, 1.0]), given([1.0, 2.0]), 3, axis=-1),
                          call(reals(), reals(), 5)],
            differentiable=True),
        row(tf.constant, [call(1), call(1.5), call(True), call(1j), call("a"), call([1, 2.5]),
                          call([[1, 2], [3, 4]], shape=(4,)), call(7, shape=[2, 2]),
                          call([1, 2], dtype=tf.float32), call([]), call([[]]),
                          call(["a", b"b"]), call([True, False]), call(2**40), call((1, 2)),
                          call(range(3)), call(3, tf.uint8), call(1.5, dtype="bfloat16")]),
        row(tf.convert_to_tensor, [call(1), call([1.0, 2.0]), call(reals(2)), call(1, dtype=tf.float32),
                                   call([1, 2], dtype_hint=tf.float32), call(reals(2, 2), name="x")],
            differentiable=True),
    ]  # fmt: skip

"""Neural nets: activations, softmax, cross entropies, convolutions, pooling, normalisation."""

from __future__ import annotations

from typing import Any

from . import REAL_FLOATS, Sample, at, call
from .draws import between, given, integers, positive, reals

inf, nan = float("inf"), float("nan")

_LOG_2 = 0.6931471805599453
_CONSTANT = "TensorFlow rounds a constant to float32"


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    return _activations(tf) + _softmax(tf) + _losses(tf) + _layers(tf)


def _activations(tf: Any) -> list[Sample]:
    def row(op: Any, **more: Any) -> Sample:
        return Sample(op, [reals(2, 3), reals(), reals(0)], elementwise=True, **more)

    zero = at(0.0, gradients=0.0)
    return [
        row(tf.nn.relu, at=[zero, at(nan, value=nan, gradients=0.0), at([-inf, inf])]),
        row(tf.nn.relu6, at=[zero, at(6.0, value=6.0, gradients=0.0), at(7.0, gradients=0.0)]),
        row(tf.nn.elu, at=[at(0.0, gradients=1.0), at(-1000.0, value=-1.0)]),
        row(tf.nn.selu, at=[at(0.0)]),
        row(tf.nn.leaky_relu, rounds=_CONSTANT, at=[at(0.0, gradients=0.2)]),
        Sample(tf.nn.leaky_relu, [call(reals(2, 3), alpha=0.3), call(reals(3), 0.0)],
               name="leaky_relu(alpha)", rounds=_CONSTANT, dtypes=REAL_FLOATS),
        row(tf.nn.softsign),
        row(tf.nn.sigmoid, at=[at([1000.0, -1000.0], value=[1.0, 0.0], gradients=([0.0, 0.0],))]),
        row(tf.nn.tanh, at=[at([1000.0, -1000.0], value=[1.0, -1.0], gradients=([0.0, 0.0],))]),
        row(tf.nn.softplus, at=[at([1000.0, -1000.0], value=[1000.0, 0.0], gradients=([1.0, 0.0],))]),
        row(tf.nn.silu, complex_differs="TensorFlow forgets to conjugate here"),
        Sample(tf.nn.gelu, [call(reals(2, 3)), call(reals(2, 3), approximate=True)], rounds=_CONSTANT,
               dtypes=REAL_FLOATS),
        Sample(tf.nn.crelu, [call(reals(2, 3))], dtypes=REAL_FLOATS),
        Sample(tf.nn.l2_loss, [reals(2, 3), reals(0), reals()], dtypes=REAL_FLOATS),
        Sample(tf.nn.l2_normalize, [call(reals(2, 3), axis=1), call(reals(2, 3), [0, 1])],
               dtypes=REAL_FLOATS),
        Sample(tf.nn.bias_add, [(reals(2, 3), reals(3)), (reals(1, 2, 2, 3), reals(3)),
               call(reals(1, 3, 2, 2), reals(3), data_format="NCHW")]),
    ]  # fmt: skip


def _softmax(tf: Any) -> list[Sample]:
    cases = [call(reals(2, 3)), call(reals(2, 3), axis=0), call(reals(4)), call(reals(2, 3, 2), axis=1),
             call(reals(0, 3)), call(reals(2, 1))]  # fmt: skip
    far = [at([1000.0, 0.0, -1000.0], value=[1.0, 0.0, 0.0])]
    return [
        Sample(tf.nn.softmax, cases, dtypes=(*REAL_FLOATS, "int32", "complex64"), at=far),
        Sample(tf.nn.log_softmax, cases, dtypes=(*REAL_FLOATS, "int32", "complex64"),
               at=[at([1000.0, 0.0, -1000.0], value=[0.0, -1000.0, -2000.0])]),
    ]  # fmt: skip


def _losses(tf: Any) -> list[Sample]:
    shares = given([[0.25, 0.25, 0.5], [1.0, 0.0, 0.0]])
    return [
        Sample(
            tf.nn.softmax_cross_entropy_with_logits,
            [call(labels=shares, logits=reals(2, 3)), call(shares, reals(2, 3)),
             call(labels=given([[0.25, 0.75]]), logits=reals(1, 2), axis=-1)],
            dtypes=(*REAL_FLOATS, "int32"),
            at=[
                at((), labels=given([0.0, 1.0]), logits=given([-inf, 0.0]), value=0.0,
                   differs="TensorFlow's 0 * inf is NaN; a label of 0 counts for nothing"),
                at((), labels=given([[1.0, 0.0]]), logits=given([[1000.0, -1000.0]]), value=[0.0]),
            ],
        ),
        Sample(
            tf.nn.sparse_softmax_cross_entropy_with_logits,
            [call(labels=integers(0, 3, 2), logits=reals(2, 3)),
             call(labels=integers(0, 3, 2, 2), logits=reals(2, 2, 3)),
             call(labels=given(1, "int64"), logits=reals(3))],
            dtypes=(*REAL_FLOATS, "int32"),
            at=[at((), labels=given([3], "int32"), logits=given([[1.0, 2.0, 3.0]])),
                at((), labels=given([0], "int32"), logits=given([[-1000.0, 1000.0]]), value=[2000.0])],
        ),
        Sample(
            tf.nn.sigmoid_cross_entropy_with_logits,
            [call(labels=between(0.0, 1.0, 2, 3), logits=reals(2, 3)),
             call(labels=between(0.0, 1.0, 3), logits=reals(3))],
            dtypes=(*REAL_FLOATS, "int32"),
            at=[at((), labels=given([0.0, 1.0]), logits=given([1000.0, 1000.0]),
                   value=[1000.0, 0.0], gradients=([-1000.0, -1000.0], [1.0, 0.0])),
                at((), labels=given([0.0, 1.0]), logits=given([-1000.0, -1000.0]),
                   value=[0.0, 1000.0], gradients=([1000.0, 1000.0], [0.0, -1.0])),
                at((), labels=given(0.5), logits=given(0.0), gradients=(-0.0, 0.0))],
        ),
        Sample(
            tf.nn.weighted_cross_entropy_with_logits,
            [call(labels=between(0.0, 1.0, 2, 3), logits=reals(2, 3), pos_weight=given(2.0))],
            dtypes=REAL_FLOATS,
            at=[at((), labels=given([0.0, 1.0, 0.25]), logits=given([0.0, 0.0, 0.0]), pos_weight=given(2.0),
                   gradients=([_LOG_2] * 3, [0.5, -1.0, 0.125], 1.25 * _LOG_2),
                   differs="TensorFlow's by the logits is 1 - labels: both of its parts have a kink there")],
        ),
        Sample(tf.nn.log_poisson_loss, [call(positive(2, 3), reals(2, 3)),
               call(positive(2, 3), reals(2, 3), compute_full_loss=True)], dtypes=REAL_FLOATS),
    ]  # fmt: skip


def _layers(tf: Any) -> list[Sample]:
    return [
        Sample(
            tf.nn.batch_normalization,
            [call(reals(2, 3), reals(3), positive(3), reals(3), positive(3), 0.01),
             call(reals(2, 3), reals(3), positive(3), None, None, 0.01)],
            dtypes=REAL_FLOATS,
        ),
    ]  # fmt: skip

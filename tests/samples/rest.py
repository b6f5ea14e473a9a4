"""Batch normalisation in one op, sparse softmax and its like, monotone regression, older raw ops."""

from __future__ import annotations

from typing import Any

from . import REAL_FLOATS, Draw, Sample, at, call
from .draws import SIGNED, UNSIGNED, between, distinct, given, integers, positive, reals

_MOMENTS = "moments that come in or out count as constants, as in TensorFlow"
_PLACES = [[0, 0], [0, 1], [2, 2]]
_OTHERS = [[0, 1], [1, 0], [2, 2]]


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    return [*_batch_norm(tf), *_sparse(tf), *_fits(tf), *_plain(tf), *_older(tf)]


def _single(draw: Draw) -> Draw:
    """The same numbers in float32, beside halves."""
    return Draw(draw.label, draw._make, "float32")


def _batch_norm(tf: Any) -> list[Sample]:
    norm = tf.compat.v1.nn.fused_batch_norm
    vectors, moments = (positive(3), reals(3)), (reals(3), positive(3))
    wide = (_single(positive(3)), _single(reals(3)))

    def raw(name: str) -> Any:
        return lambda tf, **arguments: tuple(getattr(tf.raw_ops, name)(**arguments))[:3]

    def row(name: str, cases: list[Any]) -> Sample:
        return Sample(raw(name), cases, name=name, dtypes=("float32",), differences=_MOMENTS)

    def result(tf: Any, *inputs: Any, moments: Any = None) -> Any:
        """What is differentiated: the batch, by itself or by moments that are constants."""
        if moments is None:
            return tf.compat.v1.nn.fused_batch_norm(*inputs, epsilon=0.5, data_format="NHWC")[0]
        constants = [tf.constant(moment, inputs[0].dtype) for moment in moments]
        return tf.compat.v1.nn.fused_batch_norm(*inputs, *constants, is_training=False)[0]

    inputs = {"x": reals(2, 2, 2, 3), "scale": positive(3)}
    forward = {**inputs, "offset": reals(3), "mean": reals(3), "variance": positive(3)}
    backward = {**inputs, "y_backprop": reals(2, 2, 2, 3), "reserve_space_1": reals(3),
                "reserve_space_2": positive(3)}  # fmt: skip
    return [
        Sample(norm, [call(reals(2, 3, 2, 3), *vectors),
               call(reals(2, 3, 2, 3), *vectors, *moments, is_training=False),
               call(reals(2, 3, 2, 3), *vectors, *moments, exponential_avg_factor=0.25),
               call(reals(2, 3, 2, 2), *vectors, epsilon=0.5, data_format="NCHW"),
               call(reals(2, 3, 2, 2), *vectors, *moments, is_training=False, data_format="NCHW"),
               call(reals(1, 2, 2, 2, 3), *vectors, data_format="NDHWC"),
               call(reals(1, 1, 1, 3), *vectors), call(reals(2, 3), *vectors),
               call(reals(2, 2, 2, 2), *vectors), call(reals(0, 2, 2, 3), *vectors)],
               dtypes=("float32",), differences=_MOMENTS),
        Sample(result, [call(reals(2, 3, 2, 3), *vectors),
               call(reals(2, 3, 2, 3), *vectors, moments=([0.5, 0.25, -1.0], [1.0, 0.5, 2.0]))],
               name="fused_batch_norm()[0]", dtypes=("float32",)),
        Sample(norm, [call(reals(2, 3, 2, 3), *wide)], name="fused_batch_norm of halves",
               dtypes=("float16", "bfloat16")),
        row("FusedBatchNorm", [call(**forward)]), row("FusedBatchNormV2", [call(**forward)]),
        *(row(f"FusedBatchNormGrad{version}", [call(**backward), call(**backward, is_training=False)])
          for version in ("", "V2")),
        row("FusedBatchNormGradV3", [call(**backward, reserve_space_3=reals(0))]),
    ]  # fmt: skip


def _sparse(tf: Any) -> list[Sample]:
    def softmax(tf: Any, values: Any) -> Any:
        return tf.sparse.softmax(tf.SparseTensor(_PLACES, values, [3, 4])).values

    def pair(name: str) -> Any:
        def choose(tf: Any, a: Any, b: Any) -> Any:
            first, second = tf.SparseTensor(_PLACES, a, [3, 4]), tf.SparseTensor(_OTHERS, b, [3, 4])
            return getattr(tf.sparse, name)(first, second).values

        return choose

    def count(tf: Any, values: Any, **more: Any) -> Any:
        counted = tf.sparse.bincount(values, **more)
        return counted.indices, counted.values, counted.dense_shape

    def count_rows(tf: Any, values: Any, weights: Any = None, **more: Any) -> Any:
        rows = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], values, [3, 2])
        if weights is not None:
            weights = tf.SparseTensor(rows.indices, weights, [3, 2])
        return tf.math.bincount(rows, weights, axis=-1, **more)

    def jacobians(tf: Any, x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x * x
        return [
            tape.jacobian(y, x, experimental_use_pfor=False),
            tape.batch_jacobian(y, x, experimental_use_pfor=False),
        ]

    halves = ("float16", "float32", "float64")
    integer = {"dtypes": ("int32", "int64"), "differentiable": False}
    return [
        Sample(softmax, [reals(3)], name="tf.sparse.softmax", dtypes=halves),
        *(Sample(pair(name), [(reals(3), between(-1.0, 1.0, 3))], name=f"tf.sparse.{name}",
          dtypes=REAL_FLOATS + SIGNED + UNSIGNED)
          for name in ("maximum", "minimum")),
        Sample(count, [call(given([1, 1, 3, 0])), call(given([[1, 1, 3], [2, 0, 2]]), axis=-1),
               call(given([[1, 1, 3], [2, 0, 2]]), axis=-1, binary_output=True),
               call(given([[1, 1, 3], [2, 0, 2]]), axis=-1, maxlength=2),
               call(given([1, 1, 3]), minlength=6), call(given([], "int32"))],
               name="tf.sparse.bincount", **integer),
        Sample(count_rows, [given([1, 3, 1]), call(given([1, 3, 1]), binary_output=True),
               call(given([1, 3, 1]), given([2, 3, 4])),
               call(given([1, 3, 1]), given([2, 3, 4]), maxlength=3)],
               name="tf.math.bincount of a SparseTensor", **integer),
        Sample(jacobians, [reals(2, 3)], name="tape.jacobian", dtypes=("float32", "float64")),
        Sample(lambda tf, values, weights: tf.sparse.bincount(values, weights, axis=-1).values,
               [(given([[1, 1, 3], [2, 0, 2]], "int32"), reals(2, 3))],
               name="tf.sparse.bincount with weights", dtypes=("float32", "float64")),
    ]  # fmt: skip


def _fits(tf: Any) -> list[Sample]:
    return [
        Sample(tf.approx_top_k, [call(distinct(2, 5), 2), call(distinct(7), 7), call(distinct(2, 5), 6),
               call(distinct(2, 3), 0)],
               at=[at([1.0, 3.0, 3.0, 2.0], [0.0, 1.0, 0.0, 0.0], k=1)],
               dtypes=("float16", "bfloat16", "float32")),
        Sample(tf.math.approx_max_k, [call(distinct(2, 5), 2)], dtypes=("float32",)),
        Sample(lambda tf, x, **more: tuple(tf.nn.isotonic_regression(x, **more)),
               [distinct(2, 6), call(distinct(2, 6), decreasing=False), call(distinct(4, 3), axis=0),
                call(distinct(2, 3, 4), axis=1), reals(), reals(0, 3), reals(2, 0)],
               name="tf.nn.isotonic_regression",
               # TensorFlow keeps equal neighbours apart.
               at=[at([[2.0, 2.0]], [[1.0, 1.0]]), at([[1.0, 2.0, 1.5]], [[1.0, 1.0, 1.0]])],
               dtypes=(*REAL_FLOATS, "int8", "int16", "int32", "int64")),
        Sample(tf.raw_ops.IsotonicRegression, [call(input=distinct(2, 4))], dtypes=("float32",),
               single="its result is float32 whatever comes in"),
        Sample(lambda tf, dim, count, **more: tf.math.sobol_sample(dim, count, **more),
               [call(given(3), given(5)), call(given(12), given(4), skip=7), call(given(1), given(1))],
               name="tf.math.sobol_sample", dtypes=("int32",), differentiable=False),
        Sample(tf.matrix_square_root, [given([[4.0, 1.0], [1.0, 3.0]])], dtypes=("float32", "float64")),
    ]  # fmt: skip


def _plain(tf: Any) -> list[Sample]:
    text = given(["ab", "c"], "string")
    sets = {"dtypes": ("int32",), "differentiable": False}

    def combined(name: str) -> Any:
        def combine(tf: Any, a: Any, b: Any, **more: Any) -> Any:
            found = getattr(tf.sets, name)(a, b, **more)
            return found.indices, found.values, found.dense_shape

        return combine

    numbers = integers(0, 6, 2, 2, 4)
    names = given([["b", "a", "b"], ["d", "c", "e"]], "string")
    return [
        Sample(tf.as_string, [reals(2, 3), call(reals(3), precision=2), call(reals(3), scientific=True),
               call(reals(3), shortest=True, width=12), call(reals(3), width=12, fill="0"),
               call(reals(3), width=12, fill="-"), call(reals(3), precision=0, fill="+"),
               call(reals(3), scientific=True, shortest=True), call(reals(3), fill="x"),
               call(text, width=5), call(reals(0))], differentiable=False),
        *(Sample(combined(name), [(numbers, numbers), (names, names),
          (integers(0, 9, 1, 3), integers(0, 9, 1, 5)), (integers(0, 9, 3), integers(0, 9, 3)),
          (integers(0, 9, 1, 3), integers(0, 9, 2, 3))], name=f"tf.sets.{name}", **sets)
          for name in ("intersection", "union", "difference")),
        Sample(lambda tf, values: tf.sets.size(tf.SparseTensor(_PLACES, values, [3, 4])),
               [given([7, 7, 1])], name="tf.sets.size", dtypes=("int8", "int32", "int64"),
               differentiable=False),
    ]  # fmt: skip


def _older(tf: Any) -> list[Sample]:
    raw = tf.raw_ops
    both = ("float32", "float64")

    return [
        Sample(raw.Gather, [call(params=reals(3, 2), indices=given([2, 0], "int32"))]),
        Sample(raw.Concat, [call(concat_dim=1, values=[reals(2, 1), reals(2, 2)])]),
        Sample(raw.Reverse, [call(tensor=reals(2, 3), dims=[True, False])]),
        Sample(raw.IdentityN, [call(input=[reals(2), reals(3)])]),
        Sample(raw.MatrixDiag, [call(diagonal=reals(2, 3))], dtypes=both),
        Sample(raw.MatrixDiagV2, [call(diagonal=reals(2, 2), k=[-1, 0], num_rows=3, num_cols=-1,
               padding_value=0.0)], dtypes=both),
        Sample(raw.MatrixDiagPart, [call(input=reals(3, 4))], dtypes=both),
        Sample(raw.MatrixDiagPartV2, [call(input=reals(3, 4), k=[-2, 1], padding_value=0.0)],
               dtypes=both),
        Sample(raw.MatrixSetDiag, [call(input=reals(3, 4), diagonal=reals(3))], dtypes=both),
        Sample(raw.MatrixSetDiagV2, [call(input=reals(3, 4), diagonal=reals(2, 3), k=[-1, 0])],
               dtypes=both),
        Sample(raw.BatchMatMul, [call(x=reals(2, 2, 3), y=reals(2, 3, 2)),
               call(x=reals(2, 2, 2), y=reals(2, 2))], dtypes=both),
        Sample(raw.BiasAddV1, [call(value=reals(2, 3), bias=reals(3))], dtypes=both),
        Sample(raw.SpaceToBatch, [call(input=reals(1, 4, 4, 1), paddings=[[0, 0], [1, 1]], block_size=2)],
               dtypes=both),
        Sample(raw.BatchToSpace, [call(input=reals(4, 2, 2, 1), crops=[[0, 1], [0, 0]], block_size=2)],
               dtypes=both),
        Sample(raw.MaxPoolV2, [call(input=distinct(1, 4, 4, 1), ksize=[1, 2, 2, 1],
               strides=[1, 2, 2, 1], padding="VALID")], dtypes=both),
        Sample(raw.SparseSegmentSum, [call(data=reals(3, 2), indices=given([0, 2], "int32"),
               segment_ids=given([0, 0], "int32"))], dtypes=both),
        Sample(raw.SparseSegmentMeanWithNumSegments, [call(data=reals(3, 2), indices=given([0, 2], "int32"),
               segment_ids=given([0, 2], "int32"), num_segments=4)], dtypes=both),
    ]  # fmt: skip

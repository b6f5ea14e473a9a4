"""The rarer parts of neural nets: LRN, morphology, fractional pooling, CTC, sampled losses, counts;
and matrices of a few diagonals.
"""

from __future__ import annotations

from typing import Any

from . import REAL_FLOATS, Sample, at, call
from .draws import between, definite, distinct, given, integers, positive, reals

inf, nan = float("inf"), float("nan")
ONES = [1, 1, 1, 1]


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    return (
        _normalization(tf)
        + _morphology(tf)
        + _fractional_pooling(tf)
        + _ctc(tf)
        + _lookups(tf)
        + _counts(tf)
        + _quantization(tf)
        + _matrices(tf)
    )


def _normalization(tf: Any) -> list[Sample]:
    return [
        Sample(tf.nn.local_response_normalization,
               [call(reals(1, 2, 1, 5), depth_radius=2), call(reals(2, 1, 1, 3)),
                call(reals(1, 1, 2, 4), depth_radius=1, bias=2.0, alpha=0.5, beta=0.75),
                call(reals(1, 1, 1, 3), depth_radius=0), call(reals(0, 1, 1, 3)), call(reals(2, 3))],
               dtypes=("float16", "bfloat16", "float32")),
        Sample(tf.raw_ops.LRNGrad,
               [call(input_grads=reals(1, 1, 2, 4), input_image=reals(1, 1, 2, 4),
                     output_image=reals(1, 1, 2, 4), depth_radius=1)],
               dtypes=("float16", "bfloat16", "float32")),
        Sample(tf.nn.batch_norm_with_global_normalization,
               [call(reals(1, 2, 2, 3), reals(3), positive(3), reals(3), reals(3), 0.001, True),
                call(reals(2, 3), reals(3), positive(3), reals(3), reals(3), 0.001, False)],
               dtypes=("float32", "float64")),
    ]  # fmt: skip


def _morphology(tf: Any) -> list[Sample]:
    cases = [call(distinct(1, 4, 5, 2), between(-0.1, 0.1, 2, 3, 2), ONES, "SAME", "NHWC", ONES),
             call(distinct(2, 5, 4, 1), between(-0.1, 0.1, 2, 2, 1), ONES, "VALID", "NHWC", ONES),
             call(distinct(1, 6, 5, 1), between(-0.1, 0.1, 3, 2, 1), [1, 2, 1, 1], "SAME", "NHWC",
                  [1, 1, 2, 1]),
             call(reals(0, 3, 3, 1), reals(2, 2, 1), ONES, "SAME", "NHWC", ONES),
             call(reals(1, 3, 3, 2), reals(2, 2, 1), ONES, "SAME", "NHWC", ONES)]  # fmt: skip
    return [
        Sample(tf.nn.dilation2d, cases, dtypes=REAL_FLOATS),
        Sample(tf.nn.erosion2d, cases, dtypes=REAL_FLOATS),
        Sample(tf.raw_ops.Dilation2D,
               [call(input=integers(-20, 20, 1, 3, 4, 2), filter=integers(-3, 3, 2, 2, 2),
                     strides=ONES, rates=ONES, padding="SAME")]),
    ]  # fmt: skip


def _pooled(name: str, pooling: Any) -> Any:
    def pool(tf: Any, x: Any, **how: Any) -> Any:
        tf.random.set_seed(7)
        return pooling(tf)(x, [1.0, 1.5, 1.4, 1.0], seed=3, **how)

    pool.__name__ = pool.__qualname__ = name
    return pool


def _fractional_pooling(tf: Any) -> list[Sample]:
    cases = [call(distinct(1, 5, 6, 2)), call(distinct(1, 5, 6, 1), overlapping=True),
             call(distinct(1, 5, 6, 1), pseudo_random=True),
             call(distinct(2, 7, 7, 1), pseudo_random=True, overlapping=True),
             call(distinct(5, 6, 2))]  # fmt: skip
    types = ("float32", "float64", "int32", "int64")
    return [
        Sample(_pooled("fractional_max_pool", lambda tf: tf.nn.fractional_max_pool), cases, dtypes=types),
        Sample(_pooled("fractional_avg_pool", lambda tf: tf.nn.fractional_avg_pool), cases, dtypes=types),
    ]  # fmt: skip


def _ctc(tf: Any) -> list[Sample]:
    labels = given([[1, 2, 2, 0], [3, 1, 0, 0], [4, 4, 4, 1]], "int32")
    lengths, steps = given([3, 2, 4], "int32"), given([6, 5, 7], "int32")
    no_second = "the gradient is made together with the loss, as in TensorFlow"

    def loss(tf: Any, places: Any, values: Any, logits: Any, lengths: Any) -> Any:
        sparse = tf.SparseTensor(places, values, [3, 4])
        return tf.nn.ctc_loss(sparse, logits, None, lengths, blank_index=2)

    loss.__name__ = "ctc_loss(sparse)"
    places = given([[0, 0], [0, 1], [1, 0], [2, 0], [2, 1]], "int64")
    return [
        Sample(tf.nn.ctc_loss,
               [call(labels, reals(7, 3, 5), lengths, steps),
                call(labels, reals(3, 7, 5), lengths, steps, logits_time_major=False),
                call(given([[1, 2]], "int32"), reals(4, 1, 3), given([0], "int32"), given([4], "int32")),
                call(given([[0, 1]], "int64"), reals(4, 1, 3), given([2], "int32"), given([4], "int32"),
                     blank_index=2)],
               dtypes=("float32",), second_order=no_second),
        Sample(loss, [(places, given([1, 3, 0, 1, 1], "int32"), reals(6, 3, 4), given([6, 4, 5], "int32"))],
               dtypes=("float32",), second_order=no_second),
        Sample(tf.nn.collapse_repeated,
               [call(given([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], "int32"), given([5, 3], "int32")),
                call(given([[0, 0, 2, 0, 0]], "int64"), given([5], "int64"))]),
        Sample(tf.nn.ctc_unique_labels, [given([[3, 4, 4, 3], [1, 0, 0, 0]], "int32")]),
    ]  # fmt: skip


def _lookups(tf: Any) -> list[Sample]:
    ids = given([[0, 2], [1, 3]], "int64")

    def sampled(name: str, function: Any) -> Any:
        def loss(tf: Any, weights: Any, biases: Any, inputs: Any, labels: Any, **how: Any) -> Any:
            expected = [[0.5, 0.25], [0.125, 0.3]], [0.5, 0.2, 0.1, 0.4]
            values = (tf.constant([0, 2, 5, 3], tf.int64), *map(tf.constant, expected))
            return function(tf)(
                weights, biases, labels, inputs, 4, 8, 2, sampled_values=values, **how
            )

        loss.__name__ = loss.__qualname__ = name
        return loss

    def lookup(tf: Any, table: Any, weights: Any, **how: Any) -> Any:
        places = [[0, 0], [0, 1], [1, 0], [3, 2]]
        ids = tf.SparseTensor(places, tf.constant([1, 3, 0, 5], tf.int64), [4, 3])
        return tf.nn.embedding_lookup_sparse(
            table, ids, tf.SparseTensor(places, weights, [4, 3]), **how
        )

    def in_two_tables(tf: Any, first: Any, second: Any) -> Any:
        return tf.nn.embedding_lookup([first, second], [4, 0, 2, 3])

    def safe(tf: Any, table: Any, weights: Any, **how: Any) -> Any:
        places = [[0, 0], [0, 1], [1, 0], [3, 2]]
        ids = tf.SparseTensor(places, tf.constant([1, 3, -1, 5], tf.int64), [4, 3])
        return tf.nn.safe_embedding_lookup_sparse(
            table, ids, tf.SparseTensor(places, weights, [4, 3]), **how
        )

    arguments = (reals(8, 3), reals(8), reals(2, 3), ids)
    combiners = [call(reals(6, 2), positive(4), combiner=each) for each in ("mean", "sum", "sqrtn")]
    limited = call(reals(6, 2), positive(4), combiner="sum", max_norm=1.0)
    return [
        Sample(sampled("nce_loss", lambda tf: tf.nn.nce_loss),
               [call(*arguments), call(*arguments, remove_accidental_hits=True)], dtypes=("float32",)),
        Sample(sampled("sampled_softmax_loss", lambda tf: tf.nn.sampled_softmax_loss),
               [call(*arguments), call(*arguments, remove_accidental_hits=False)], dtypes=("float32",)),
        Sample(lookup, [*combiners, limited], name="embedding_lookup_sparse", dtypes=("float32", "float64")),
        Sample(in_two_tables, [(reals(3, 2), reals(2, 2))], name="embedding_lookup in two tables",
               dtypes=("float32", "float64")),
        Sample(safe, [*combiners, limited, call(reals(6, 2), positive(4), default_id=2)],
               name="safe_embedding_lookup_sparse", dtypes=("float32", "float64")),
    ]  # fmt: skip


def _counts(tf: Any) -> list[Sample]:
    bounds = given([-1.0, 3.0])
    return [
        Sample(tf.histogram_fixed_width,
               [call(reals(7), given([-1, 3]), 5), call(reals(2, 3), given([-1, 3]), nbins=3, dtype=tf.int64),
                call(reals(0), bounds, 4)]),
        Sample(tf.math.bincount,
               [call(integers(0, 5, 7)), call(integers(0, 5, 7), minlength=8),
                call(integers(0, 5, 7), maxlength=3),
                call(integers(0, 5, 7), dtype=tf.float64), call(integers(0, 5, 2, 4), axis=-1),
                call(integers(0, 5, 7), binary_output=True), call(integers(0, 5, 0)),
                call(integers(0, 5, 4), weights=integers(1, 9, 4, dtype="int64"))], name="bincount"),
        Sample(tf.math.confusion_matrix,
               [call(integers(0, 4, 6), integers(0, 4, 6)),
                call(integers(0, 4, 6), integers(0, 4, 6), num_classes=5, dtype=tf.float32),
                call(integers(0, 4, 3), integers(0, 4, 3), 4, reals(3), tf.float32)],
               single="its result is of float32 whatever the weights are"),
    ]  # fmt: skip


def _quantization(tf: Any) -> list[Sample]:
    names = tf.quantization
    single = {
        "dtypes": ("float32",),
        "differences": "its gradient takes no notice of the rounding",
        "single": "it takes float32 alone",
    }
    x = between(-8.0, 8.0, 4, 3)
    return [
        Sample(names.fake_quant_with_min_max_args,
               [call(x), call(x, -1.0, 3.0, 4, True), call(x, min=0.5, max=3.0), call(x, num_bits=1)],
               **single),
        Sample(names.fake_quant_with_min_max_vars,
               [call(x, given(-2.0), given(3.0), num_bits=4), call(x, given(0.0), given(0.0))], **single),
        Sample(names.fake_quant_with_min_max_vars_per_channel,
               [call(x, given([-2.0, -0.5, -6.0]), given([3.0, 1.0, 6.0]), num_bits=4),
                call(x, given([-2.0]), given([3.0]))], **single),
        Sample(names.fake_quant_with_min_max_args, [], name="fake_quant(nan)", at=[at([nan, 1.0])],
               dtypes=("float32",)),
        *_steps(tf),
    ]  # fmt: skip


def _steps(tf: Any) -> list[Sample]:
    """Steps that are counted from 0."""
    types = {
        "dtypes": ("float32", "float64"),
        "differences": "the gradient takes no notice of the rounding",
    }
    x, low, high = between(-8.0, 8.0, 4, 3), given(-4.0), given(6.0)

    def raw(name: str, **attributes: Any) -> Any:
        def run(tf: Any, input: Any, *bounds: Any, **more: Any) -> Any:
            function = getattr(tf.raw_ops, name)
            names = dict(zip(("input_min", "input_max"), bounds, strict=True))
            return function(input=input, **names, **attributes, **more)

        return run

    def gradient(tf: Any, *inputs: Any, **attributes: Any) -> Any:
        names = ("gradients", "input", "input_min", "input_max")
        function = tf.raw_ops.QuantizeAndDequantizeV4Grad
        return tuple(function(**dict(zip(names, inputs, strict=True)), **attributes))

    def rounded(tf: Any, x: Any, low: Any, high: Any, **attributes: Any) -> Any:
        return tf.quantization.quantize_and_dequantize_v2(x, low, high, **attributes)

    ways = [
        call(x, low, high, signed_input=signed, num_bits=bits, range_given=ranged, round_mode=mode,
             narrow_range=narrow)
        for signed in (True, False) for bits, mode in ((3, "HALF_UP"), (8, "HALF_TO_EVEN"))
        for ranged in (True, False) for narrow in (True, False)
    ]  # fmt: skip
    odd = [
        call(given([-1.5, -0.5, 0.5, 1.5, 2.5]), given(low), given(high), range_given=True, num_bits=3)
        for low, high in ((0.0, 0.0), (1.0, 2.0), (-2.0, -1.0), (2.0, 1.0), (nan, 1.0), (0.0, inf),
                          (-1e-40, 1e-40))
    ]  # fmt: skip
    three = given([-1.0, -2.0, 0.0]), given([1.0, 2.0, 3.0])
    axes = [call(x, *three, axis=1), call(x, *three, axis=-1), call(x, low, high, axis=2)]
    bits = [call(x, low, high, num_bits=bits) for bits in (0, 1, 2, 16, 61, 62, -1)]
    shapes = [call(reals(), low, high), call(reals(0), low, high), call(reals(2, 3), low, given([6.0])),
              call(reals(2, 3), low, given([6.0, 6.0]), range_given=True),
              call(given([0.0, 0.0]), given(0.0), given(0.0)), call(given([nan, 0.25]), low, high),
              call(given([-1.0, -2.0]), low, high, signed_input=False),
              call(x, low, high, round_mode="UP")]  # fmt: skip
    return [
        Sample(rounded, [*ways, *odd, *axes, *bits, *shapes], name="quantize_and_dequantize_v2", **types),
        *_quantized(tf),
        Sample(tf.quantization.quantize_and_dequantize,
               [call(x, -4.0, 6.0), call(x, -4.0, 6.0, num_bits=4, range_given=True, round_mode="HALF_UP")],
               **types),
        Sample(raw("QuantizeAndDequantizeV2"), [*ways[:4], *axes, *bits, *shapes],
               name="QuantizeAndDequantizeV2", **types),
        Sample(raw("QuantizeAndDequantizeV3", num_bits=4),
               [call(x, low, high), call(x, low, high, range_given=False, narrow_range=True),
                call(x, *three, axis=1), call(x, *three, axis=1, range_given=False)],
               name="QuantizeAndDequantizeV3", **types),
        Sample(gradient, [call(reals(4, 3), x, low, high), call(reals(4, 3), x, *three, axis=1),
               call(reals(4, 2), x, low, high), call(reals(4, 3), x, *three),
               call(reals(4, 3), x, *three, axis=0), call(reals(4, 3), x, low, high, axis=7)],
               name="QuantizeAndDequantizeV4Grad", dtypes=types["dtypes"]),
    ]  # fmt: skip


def _matrices(tf: Any) -> list[Sample]:
    types = ("float32", "float64", "complex64", "complex128")
    # Rows whose middle element outweighs the others make any solver lose few digits.
    bands = given([[1.0, -0.5, 0.75, 0.0], [4.0, 3.0, -4.0, 5.0], [0.0, 1.5, 0.5, -1.0]])
    triangle = given([[3.0, -2.0, 4.0, 2.5], [0.0, 1.0, -0.5, 0.75]])
    factors = given([[4.0, 1.0, -2.0], [0.5, 3.0, 1.0], [-0.25, 0.5, 2.0]])
    order = given([2, 0, 1], "int32")
    return [
        Sample(tf.linalg.tridiagonal_solve, [call(bands, reals(4, 2)), call(bands, reals(4)),
               call(definite(3, 3), reals(3, 1), "matrix")], dtypes=types,
               complex_differs="TensorFlow forgets to conjugate here"),
        Sample(tf.linalg.tridiagonal_matmul, [call(bands, reals(4, 2)),
               call(definite(3, 3), reals(3, 2), diagonals_format="matrix")], dtypes=types),
        Sample(tf.linalg.banded_triangular_solve,
               [call(triangle, reals(4, 2)), call(triangle, reals(4, 2), adjoint=True)], dtypes=types),
        Sample(tf.linalg.lu_solve, [call(factors, order, reals(3, 2))], dtypes=types),
        Sample(tf.linalg.lu_reconstruct, [call(factors, order)], dtypes=types),
        Sample(tf.linalg.lu_matrix_inverse, [call(factors, order)], dtypes=types),
    ]  # fmt: skip


def _quantized(tf: Any) -> list[Sample]:
    """Floats as the quantised types, and back."""

    def quantize(tf: Any, x: Any, low: Any, high: Any, dtype: str, **attributes: Any) -> Any:
        return list(tf.quantization.quantize(x, low, high, getattr(tf, dtype), **attributes))

    def dequantize(tf: Any, x: Any, low: Any, high: Any, dtype: str, **attributes: Any) -> Any:
        return tf.quantization.dequantize(tf.cast(x, getattr(tf, dtype)), low, high, **attributes)

    modes: list[dict[str, Any]] = [
        {}, {"mode": "MIN_FIRST"}, {"mode": "SCALED"}, {"mode": "SCALED", "narrow_range": True},
    ]  # fmt: skip
    small = ("qint8", "quint8", "qint16", "quint16")
    pair = (given([-1.0, -2.0]), given([1.0, 3.0]))
    forward = [call(reals(2, 5), -1.5, 2.5, dtype, **mode) for dtype in small for mode in modes] + [
        call(reals(7), -3.0, 1.0, "qint8", mode="SCALED", round_mode="HALF_TO_EVEN"),
        call(reals(7), 0.5, 2.0, "quint8"),
        call(reals(7), -2.0, -1.0, "qint8"),
        call(reals(7), 0.0, 0.0, "quint8"),
        call(reals(7), 0.0, 2.0, "quint8", ensure_minimum_range=5.0),
        call(reals(0), -1.0, 1.0, "qint16"),
        call(reals(2, 3), *pair, "qint8", axis=0),
        call(reals(3, 2), *pair, "quint8", axis=1, mode="SCALED"),
        call(given([float("nan"), float("inf"), -float("inf")]), -1.0, 2.0, "qint8"),
        # Errors.
        call(reals(7), 1.0, 0.0, "quint8"),
        call(reals(2, 3), *pair, "qint8", axis=1),
        call(reals(2, 3), *pair, "qint8"),
        call(reals(2), -1.0, 1.0, "int8"),
        call(reals(2), -1.0, 1.0, "qint8", round_mode="HALF_TO_EVEN"),
        call(reals(2), -1.0, 1.0, "qint8", mode="FIRST"),
    ]
    steps = given([[0, 1, 100], [127, -128, 5]], "int8")
    back = [call(steps, -3.0, 2.0, dtype, **mode) for dtype in small for mode in modes] + [
        call(steps, 0.0, 1.0, "qint32"),
        call(steps, 1.0, 1.0, "quint8", mode="MIN_FIRST"),
        call(steps, 2.0, 0.0, "quint8"),
        call(steps, *pair, "quint8", axis=0),
        call(steps, *pair, "qint8", axis=-2, mode="SCALED"),
        call(steps, 0.0, 1.0, "quint8", dtype="bfloat16"),
        # Errors.
        call(steps, 0.0, 1.0, "int8"),
        call(steps, 0.0, 1.0, "quint8", dtype="float64"),
        call(steps, *pair, "quint8", axis=1),
        call(steps, *pair, "quint8", axis=0, mode="MIN_FIRST"),
    ]
    return [
        Sample(quantize, forward, name="tf.quantization.quantize", dtypes=("float32",),
               differentiable=False),
        Sample(dequantize, back, name="tf.quantization.dequantize", dtypes=("float32",),
               differentiable=False),
    ]  # fmt: skip

"""Ops reached under TensorFlow's own op names only: older spellings, and the backward ops."""

from __future__ import annotations

from typing import Any

from . import FLOATS, REAL_FLOATS, Sample, at, call
from .draws import (
    SIGNED,
    UNSIGNED,
    between,
    booleans,
    distinct,
    given,
    integers,
    nonzero,
    positive,
    reals,
    unit,
)

_SAMPLER = "the gradient is that of a quantile, not of the steps by which the number was drawn"
_NO_CURVATURE = "the derivative by both arguments has no formula here, nor in TensorFlow"


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    raw = tf.raw_ops
    pair = call(x=reals(2, 3), y=nonzero(2, 3))
    rows = [
        Sample(raw.Abs, [call(x=reals(2, 3))]),
        Sample(raw.ComplexAbs, [call(x=reals(2, 3))], dtypes=("complex64",)),
        Sample(raw.Conj, [call(input=reals(2, 3))], dtypes=("complex64", "complex128")),
        Sample(raw.Add, [pair]), Sample(raw.AddV2, [pair]), Sample(raw.Mul, [pair]),
        Sample(raw.Div, [pair]), Sample(raw.RealDiv, [pair]), Sample(raw.DivNoNan, [pair]),
        Sample(raw.Mod, [pair], differentiable=False),
        Sample(raw.Inv, [call(x=nonzero(2, 3))]),
        Sample(raw.ApproximateEqual, [call(x=reals(3), y=reals(3), tolerance=0.5)],
               differentiable=False),
        Sample(raw.PopulationCount, [call(x=between(0, 100, 4))], dtypes=SIGNED + UNSIGNED,
               differentiable=False),
        Sample(raw.PreventGradient, [call(input=reals(2, 3))], differentiable=False),
        Sample(raw.Select, [call(condition=booleans(2, 3), x=reals(2, 3), y=reals(2, 3)),
               call(condition=booleans(2), x=reals(2, 3), y=reals(2, 3)),
               call(condition=given(True, "bool"), x=reals(2), y=reals(2))]),
        Sample(raw.Bucketize, [call(input=reals(2, 3), boundaries=[-1.0, 0.5, 0.5, 2.0]),
                               call(input=given([0.0, float("nan"), 3.0]), boundaries=[1.0, 3.0]),
                               call(input=reals(0), boundaries=[1.0]), call(input=reals(3), boundaries=[])]),
        Sample(raw.BatchMatMulV3, [call(x=reals(2, 2, 3), y=reals(2, 3, 2), Tout=tf.float32)],
               dtypes=("float32",), single="its result is float32 whatever comes in"),
        Sample(raw.LinSpace, [call(start=reals(), stop=reals(), num=4)], dtypes=("float32", "float64"),
               differentiable=False),
        Sample(raw.InTopKV2, [call(predictions=reals(3, 4), targets=integers(0, 4, 3), k=2)],
               dtypes=("float32",), differentiable=False),
        Sample(raw.Print, [call(input=reals(2, 3), data=[reals(2)], first_n=0)]),
        Sample(raw.CheckNumerics, [call(tensor=reals(2, 3), message="")], dtypes=REAL_FLOATS),
        Sample(raw.ReluGrad, [call(gradients=reals(2, 3), features=reals(2, 3))], dtypes=REAL_FLOATS),
        Sample(raw.InvGrad, [call(y=nonzero(2, 3), dy=reals(2, 3))], dtypes=FLOATS),
        Sample(raw.SqrtGrad, [call(y=positive(2, 3), dy=reals(2, 3))], dtypes=FLOATS),
        Sample(raw.RsqrtGrad, [call(y=positive(2, 3), dy=reals(2, 3))], dtypes=FLOATS),
        Sample(raw.SigmoidGrad, [call(y=unit(2, 3), dy=reals(2, 3))], dtypes=FLOATS),
        Sample(raw.TanhGrad, [call(y=unit(2, 3), dy=reals(2, 3))], dtypes=FLOATS),
        Sample(raw.SoftplusGrad, [call(gradients=reals(2, 3), features=reals(2, 3))],
               dtypes=REAL_FLOATS),
        Sample(raw.SoftsignGrad, [call(gradients=reals(2, 3), features=reals(2, 3))],
               dtypes=REAL_FLOATS),
        Sample(raw.TensorStridedSliceUpdate, [call(input=reals(4), begin=[1], end=[3], strides=[1],
               value=reals(2))]),
        Sample(raw.IgammaGradA, [call(a=positive(2, 3), x=positive(2, 3))],
               dtypes=("float32", "float64"), second_order=_NO_CURVATURE),
        Sample(raw.RandomGammaGrad, [call(alpha=positive(2, 3), sample=positive(2, 3))],
               dtypes=("float32", "float64"), differentiable=False),
        Sample(lambda tf, x: tuple(tf.raw_ops.UniqueV2(x=x, axis=[0])),
               [given([[1, 2], [1, 2], [0, 1]], "int64")], name="UniqueV2", differentiable=False),
        Sample(lambda tf, x: tuple(tf.raw_ops.UniqueWithCountsV2(x=x, axis=[0])),
               [given([3, 1, 3, 2], "int64")], name="UniqueWithCountsV2", differentiable=False),
        Sample(lambda tf, x: tuple(tf.unique_with_counts(x)), [given([3, 1, 3, 2], "int64")],
               name="tf.unique_with_counts", differentiable=False),
        Sample(lambda tf, x, y: tuple(tf.raw_ops.ListDiff(x=x, y=y)),
               [call(given([3, 1, 3, 2, 5, 1], "int64"), given([2, 3], "int64"))],
               name="ListDiff", differentiable=False),
        Sample(lambda tf, x, **more: tuple(tf.raw_ops.MaxPoolWithArgmax(input=x, **more)),
               [call(reals(1, 4, 4, 1), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")],
               name="MaxPoolWithArgmax", dtypes=("float32",)),
        *_fillings(raw), *_backwards(raw), *_older(tf), *_checks(raw), *_draws(raw, tf.int64),
        *_seeds(tf), *_variables(),
    ]  # fmt: skip
    return rows


def _fillings(raw: Any) -> list[Sample]:
    """Ops that fill places with a number of their own, which has a gradient too."""
    place = given([[0, 1], [2, 0]], "int64")
    turned = given([[1.0, 0.0, 1.0, 0.0, 1.0, -1.0, 0.0, 0.0]], "float32")
    band = given([-1, 1], "int32")
    constant = "it counts as a constant, as in TensorFlow"
    return [
        Sample(raw.ClipByValue, [call(t=reals(2, 3), clip_value_min=given(-1.03), clip_value_max=given(1.03)),
               call(t=reals(2, 3), clip_value_min=between(-2.0, -0.5, 3), clip_value_max=positive(2, 1))],
               dtypes=("float32", "float64", "int32")),
        Sample(raw.PadV2, [call(input=reals(2, 3), paddings=[[1, 0], [0, 2]], constant_values=reals())],
               fixed={1: constant}),
        Sample(raw.SparseToDense, [call(sparse_indices=place, output_shape=[3, 2],
               sparse_values=reals(2), default_value=reals())]),
        Sample(raw.MatrixDiagV3, [call(diagonal=reals(3, 3), k=band, num_rows=3, num_cols=3,
               padding_value=reals(), align="LEFT_RIGHT")], dtypes=("float32", "float64", "complex64"),
               fixed={2: constant}),
        Sample(raw.MatrixDiagPartV3, [call(input=reals(3, 4), k=band, padding_value=reals(),
               align="RIGHT_LEFT")], dtypes=("float32", "float64", "complex64"), fixed={2: constant}),
        Sample(raw.ImageProjectiveTransformV3, [call(images=reals(1, 4, 6, 1), transforms=turned,
               fill_value=given(-5.0, "float32"), output_shape=[4, 6], interpolation="NEAREST")],
               name="ImageProjectiveTransformV3 of reals", dtypes=REAL_FLOATS,
               fixed=dict.fromkeys((1, 2), constant)),
    ]  # fmt: skip


def _backwards(raw: Any) -> list[Sample]:
    """Ops that TensorFlow's gradients are made of, as functions of what arrives."""
    straight = "the gradient takes no notice of the rounding, nor of the range"
    pooled = {"ksize": [1, 1, 2, 2, 1], "strides": [1, 1, 2, 2, 1], "padding": "VALID"}
    spread = {"strides": [1, 1, 1, 1], "rates": [1, 1, 1, 1], "padding": "VALID"}
    single: dict[str, Any] = {"dtypes": ("float32",), "single": "it takes float32 alone",
                              "gradient_differs": "TensorFlow declares that these have none"}  # fmt: skip
    low, high = given(-2.0), given(3.0)
    borders = {"row_pooling_sequence": given([0, 2, 4], "int64"),
               "col_pooling_sequence": given([0, 2, 4], "int64")}  # fmt: skip
    picture = [[[[0.0], [1.0], [4.0], [5.0]], [[2.0], [3.0], [6.0], [7.0]],
                [[8.0], [9.0], [12.0], [13.0]], [[10.0], [11.0], [14.0], [15.0]]]]  # fmt: skip
    return [
        Sample(raw.FakeQuantWithMinMaxArgsGradient, [call(gradients=reals(4), inputs=distinct(4), min=-0.3,
               max=0.3)], **single, fixed={1: straight}),
        Sample(lambda tf, *given, **more: tuple(tf.raw_ops.FakeQuantWithMinMaxVarsGradient(
                   **dict(zip(("gradients", "inputs", "min", "max"), given)), **more)),
               [(reals(2, 3), between(-4.0, 5.0, 2, 3), low, high)], name="FakeQuantWithMinMaxVarsGradient",
               **single, fixed=dict.fromkeys((1, 2, 3), straight)),
        Sample(lambda tf, *given, **more: tuple(tf.raw_ops.FakeQuantWithMinMaxVarsPerChannelGradient(
                   **dict(zip(("gradients", "inputs", "min", "max"), given)), **more)),
               [(reals(2, 3), between(-4.0, 5.0, 2, 3), given([-2.0, -1.0, -3.0]), given([1.0, 2.0, 3.0]))],
               name="FakeQuantWithMinMaxVarsPerChannelGradient",
               **single, fixed=dict.fromkeys((1, 2, 3), straight)),
        Sample(raw.MaxPool3DGradGrad, [call(orig_input=distinct(1, 1, 4, 4, 1),
               orig_output=given([[[[[0.0], [0.0]], [[0.0], [0.0]]]]]), grad=reals(1, 1, 4, 4, 1), **pooled)],
               dtypes=("float32",)),
        Sample(raw.Dilation2DBackpropInput, [call(input=distinct(1, 3, 4, 1), filter=reals(2, 2, 1),
               out_backprop=reals(1, 2, 3, 1), **spread)], dtypes=("float32", "float64")),
        Sample(raw.Dilation2DBackpropFilter, [call(input=distinct(1, 3, 4, 1), filter=reals(2, 2, 1),
               out_backprop=reals(1, 2, 3, 1), **spread)], dtypes=("float32", "float64")),
        Sample(raw.FractionalAvgPoolGrad, [call(orig_input_tensor_shape=given([1, 4, 4, 1], "int64"),
               out_backprop=reals(1, 2, 2, 1), **borders)], dtypes=("float32", "float64")),
        Sample(raw.FractionalMaxPoolGrad, [call(orig_input=given(picture),
               orig_output=given([[[[3.0], [7.0]], [[11.0], [15.0]]]]), out_backprop=reals(1, 2, 2, 1),
               **borders)], dtypes=("float32", "float64")),
    ]  # fmt: skip


def _older(tf: Any) -> list[Sample]:
    """Ops that stand for others, and two that do a whole sequence at once."""
    raw = tf.raw_ops
    both = ("float32", "float64")
    cells = {
        "cs_prev": reals(2, 2), "h_prev": reals(2, 2), "w": reals(5, 8), "wci": reals(2),
        "wcf": reals(2), "wco": reals(2), "b": reals(8),
    }  # fmt: skip

    back: dict[str, Any] = {
        "differences": "part of the result counts as a constant",
        "single": "it takes no float64",
    }

    def lstm(name: str, cases: list[dict[str, Any]], sent_back: bool = False) -> Sample:
        # TensorFlow's gradient takes no notice of what arrives at the other outputs; that of the
        # second version is wrong: test_names_of_ops.py asks for ours.
        def run(tf: Any, **arguments: Any) -> Any:
            found = getattr(tf.raw_ops, name)(**arguments)
            others = (found.i, found.o, found.co)
            ends = (found.cs, found.h)
            return (
                *(ends if sent_back else map(tf.stop_gradient, ends)),
                *map(tf.stop_gradient, others),
            )

        length = given(3, "int64")
        return Sample(
            run,
            [call(seq_len_max=length, x=reals(3, 2, 3), **cells, **more) for more in cases],
            name=name + " and back" * sent_back,
            dtypes=("float16", "float32"),
            **(back if sent_back else {"differentiable": False}),
        )

    def cudnn(version: str, **more: Any) -> Sample:
        # TensorFlow runs these on GPUs alone: test_cudnn.py compares the values with loops in NumPy.
        # The last results are what a GPU would keep for the way back: nothing.
        def run(tf: Any, **arguments: Any) -> Any:
            return tuple(getattr(tf.raw_ops, f"CudnnRNN{version}")(**arguments))[:3]

        gru = {"rnn_mode": "gru", "input_c": given([]), "params": reals(42)}
        both_ways = {"direction": "bidirectional", "input_h": reals(2, 2, 2)}
        lengths = {"sequence_lengths": given([3, 1], "int32")} if version == "V3" else {}
        lstm = {"input": reals(3, 2, 3), "input_h": reals(1, 2, 2), "input_c": reals(1, 2, 2)}
        cases = (
            {"params": reals(56)},
            gru,
            {**both_ways, "input_c": reals(2, 2, 2), "params": reals(112)},
            {**both_ways, **gru, "params": reals(84)},
            {**gru, "rnn_mode": "rnn_tanh", "params": reals(14)},
        )
        return Sample(
            run,
            [call(**{**lstm, **case, **lengths, **more}) for case in cases],
            name=f"CudnnRNN{version}",
            dtypes=("float16", "float32", "float64"),
        )

    boxes = {
        "boxes": given([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]]),
        "scores": given([0.1, 0.2, -0.3]),
        "max_output_size": 3,
    }
    pooled = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    bands = {name: positive(1, 3) for name in ("superdiag", "maindiag", "subdiag")}
    return [
        *(Sample(getattr(raw, f"SparseSegment{kind}"), [call(data=reals(3, 2),
          indices=given([0, 2, 1], "int32"), segment_ids=given([0, 0, 2], "int32"), **more)], dtypes=both)
          for kind, more in (("Mean", {}), ("SqrtN", {}), ("SqrtNWithNumSegments", {"num_segments": 4}),
                             ("SumWithNumSegments", {"num_segments": 4}))),
        *(Sample(raw.MatrixSolveLs, [call(matrix=reals(4, 2), rhs=reals(4, 1),
          l2_regularizer=0.5, fast=fast)], dtypes=both, differentiable=fast) for fast in (True, False)),
        Sample(raw.AvgPool3D, [call(input=reals(1, 2, 2, 2, 1), ksize=[1, 2, 2, 1, 1],
               strides=[1, 1, 1, 1, 1], padding="VALID")], dtypes=both),
        Sample(raw.Cast, [call(x=reals(3), DstT=tf.float32, Truncate=False)], single="the result is float32"),
        *(Sample(getattr(raw, name), [call(x=reals(2), y=reals(3), incompatible_shape_error=False),
          call(x=reals(2), y=reals(3)), call(x=distinct(3), y=distinct(3), incompatible_shape_error=False)],
          dtypes=("float32", "bool"), differentiable=False) for name in ("Equal", "NotEqual")),
        Sample(raw.NthElement, [call(input=distinct(3, 5), n=2), call(input=distinct(5), n=0, reverse=True),
               call(input=distinct(2, 9), n=1, reverse=True), call(input=distinct(3), n=3),
               call(input=distinct(0, 3), n=1)],
               at=[at((), [[0.0, 0.5, 0.5, 0.0]], input=given([[3.0, 1.0, 1.0, 2.0]]), n=1)],
               dtypes=(*REAL_FLOATS, *SIGNED, *UNSIGNED)),
        Sample(raw.ParallelDynamicStitch, [call(indices=[given([0, 2], "int32"), given([1], "int32")],
               data=[reals(2, 2), reals(1, 2)])], dtypes=(*both, "int32")),
        Sample(raw.ScatterNdNonAliasingAdd, [call(input=reals(3), indices=given([[0], [2]], "int32"),
               updates=reals(2)),
               call(input=reals(3, 2), indices=given([[1]], "int32"), updates=reals(1, 2))],
               dtypes=(*both, "complex64", "int32")),
        Sample(raw.SparseMatMul, [call(a=reals(2, 3), b=reals(3, 2)),
               call(a=reals(3, 2), b=reals(2, 3), transpose_a=True, transpose_b=True, a_is_sparse=True)],
               dtypes=("float32", "bfloat16", "float64"), single="it takes no float64"),
        Sample(raw.BandedTriangularSolve, [call(matrix=positive(2, 3), rhs=reals(3, 2)),
               call(matrix=positive(2, 3), rhs=reals(3, 2), lower=False),
               call(matrix=positive(2, 3), rhs=reals(3, 2), adjoint=True)], dtypes=both),
        Sample(raw.TridiagonalMatMul, [call(**bands, rhs=reals(3, 2))], dtypes=(*both, "complex64")),
        Sample(raw.MaxPoolGradV2, [call(orig_input=given([[[[1.0], [2.0]], [[3.0], [0.0]]]]),
               orig_output=given([[[[3.0]]]]), grad=reals(1, 1, 1, 1), **pooled)], dtypes=both),
        Sample(raw.BatchNormWithGlobalNormalization, [call(t=reals(1, 2, 2, 2), m=reals(2), v=positive(2),
               beta=reals(2), gamma=reals(2), variance_epsilon=0.5, scale_after_normalization=scaled)
               for scaled in (True, False)], dtypes=("float32",)),
        Sample(raw.NonMaxSuppression, [call(**boxes), call(**boxes, iou_threshold=0.95)],
               dtypes=("float32",), differentiable=False),
        Sample(raw.NonMaxSuppressionV2, [call(**boxes, iou_threshold=given(0.95, "float32"))],
               dtypes=("float32",), differentiable=False),
        Sample(raw.ExtractGlimpse, [call(input=reals(1, 4, 4, 1), size=[2, 2],
               offsets=given([[0.2, -0.3]]))],
               dtypes=("float32",), differentiable=False),
        lstm("BlockLSTM", [{"use_peephole": True}, {"use_peephole": True, "cell_clip": 0.0}], True),
        lstm("BlockLSTM", [{}, {"cell_clip": 0.5, "forget_bias": 0.25}]),
        lstm("BlockLSTMV2", [{}, {"use_peephole": True}, {"cell_clip": 0.5}]),
        cudnn(""), cudnn("V2"), cudnn("V3"),
    ]  # fmt: skip


def _checks(raw: Any) -> list[Sample]:
    """What checks, shows or only passes on, and what is about shapes."""
    shapes = {"dtypes": ("int32", "int64"), "differentiable": False}
    pairs = (([2, 1, 3], [4, 1]), ([2, 3], [2, 3]), ([1, 1], [1]), ([], [3]), ([2, 3], [4]))
    parts = [given([2, 1], "int32"), given([2, 3], "int32"), given([2, 2], "int32")]
    return [
        Sample(raw.CheckNumericsV2, [call(tensor=reals(2, 3), message="m")], dtypes=REAL_FLOATS),
        Sample(raw.DebugIdentityV2, [call(input=reals(2, 3))], dtypes=("float32", "complex64")),
        Sample(raw.DebugGradientIdentity, [call(input=reals(2, 3))], dtypes=("float32", "int32")),
        Sample(raw.PlaceholderWithDefault, [call(input=reals(2, 3), shape=[2, None])],
               dtypes=("float32", "bool")),
        Sample(lambda tf, **given: (tf.raw_ops.Assert(**given), tf.constant(1))[1],
               [call(condition=given(value, "bool"), data=[reals(2)]) for value in (True, False)],
               name="Assert", dtypes=("float32",), differentiable=False),
        Sample(raw.ShapeN, [call(input=[reals(2), reals(1, 3), reals()])], dtypes=("float32", "int32"),
               differentiable=False),
        Sample(raw.BroadcastGradientArgs, [call(s0=given(a), s1=given(b)) for a, b in pairs], **shapes),
        Sample(raw.ConcatOffset, [call(concat_dim=given(1, "int32"), shape=parts),
               call(concat_dim=given(-1, "int32"), shape=parts),
               call(concat_dim=given(0, "int32"), shape=parts)], dtypes=("int32",), differentiable=False),
    ]  # fmt: skip


def _draws(raw: Any, integer: Any) -> list[Sample]:
    """Random numbers that a seed decides, by themselves."""
    seed = given([3, 4], "int64")
    return [
        Sample(raw.StatelessRandomGammaV2, [call(shape=[3, 2], seed=seed, alpha=positive(2))],
               dtypes=("float16", "float32"), differences=_SAMPLER),
        Sample(raw.StatelessMultinomial, [call(logits=reals(2, 3), num_samples=5, seed=seed)],
               dtypes=("float32", "float64"), differentiable=False),
        Sample(raw.StatelessRandomPoisson,
               [call(shape=[3, 2], seed=seed, lam=positive(2), dtype=integer)],
               dtypes=("float32", "float64"), differentiable=False),
        Sample(raw.StatelessRandomBinomial, [call(shape=[2], seed=seed, counts=given([60.0, 90.0]),
               probs=given([0.5, 0.375]))], dtypes=("float32", "float64"), differentiable=False),
        Sample(lambda tf, mean: tf.shape(tf.raw_ops.StatelessParameterizedTruncatedNormal(
               shape=[3, 2], seed=[3, 4], means=mean, stddevs=1.0, minvals=-2.0, maxvals=2.0)),
               [reals()], name="StatelessParameterizedTruncatedNormal", dtypes=("float32",),
               differentiable=False),
        Sample(lambda tf, mean: tf.shape(tf.raw_ops.ParameterizedTruncatedNormal(
               shape=[3, 2], means=mean, stdevs=[1.0], minvals=[-2.0], maxvals=[2.0])),
               [reals(1), reals(3)], name="ParameterizedTruncatedNormal", dtypes=("float32",),
               differentiable=False),
        Sample(lambda tf, index: tf.sort(tf.raw_ops.RandomIndexShuffle(
               index=index, seed=[1, 2, 3], max_index=7)), [given([0, 1, 2, 3, 4, 5, 6, 7])],
               name="RandomIndexShuffle", dtypes=("int32", "int64"), differentiable=False),
        Sample(_seeded("RandomGamma"), [call(shape=[3, 2], alpha=positive(2))], dtypes=("float32",),
               differences=_SAMPLER),
        Sample(_seeded("Multinomial"), [call(logits=reals(2, 3), num_samples=5)], dtypes=("float32",),
               differentiable=False),
    ]  # fmt: skip


def _seeds(tf: Any) -> list[Sample]:
    """Random numbers by seeds, keys and counters."""
    fixed = {"dtypes": ("float32",), "differentiable": False}
    floats = {"shape": [2, 3], "dtype": tf.float64}
    start = {
        "key": given([7], "uint64"), "counter": given([0, 5], "uint64"), "alg": given(1, "int32"),
    }  # fmt: skip
    seed = {"seed": given([3, 4], "int64")}
    limits = {"minval": given(-5, "int32"), "maxval": given(90, "int32")}
    raw = tf.raw_ops
    return [
        *(Sample(_seeded(name), [call(**floats)], **fixed)
          for name in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal")),
        Sample(_seeded("RandomUniformInt"), [call(shape=[5], **limits)], **fixed),
        Sample(_seeded("RandomShuffle"), [call(value=given([1, 2, 3, 4, 5], "int32"))], **fixed),
        *(Sample(getattr(raw, name), [call(**floats, **seed)], **fixed) for name in (
          "StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal")),
        *(Sample(getattr(raw, name), [call(**floats, **start)], **fixed) for name in (
          "StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2")),
        Sample(raw.StatelessRandomUniformInt, [call(shape=[5], **seed, **limits)], **fixed),
        Sample(raw.StatelessRandomUniformIntV2, [call(shape=[5], **start, **limits)], **fixed),
        Sample(raw.StatelessRandomUniformFullInt, [call(shape=[5], **seed, dtype=tf.int32)], **fixed),
        Sample(raw.StatelessRandomUniformFullIntV2, [call(shape=[5], **start, dtype=tf.uint64)], **fixed),
        Sample(raw.StatelessRandomGetKeyCounter, [call(**seed)], **fixed),
        Sample(raw.StatelessRandomGetKeyCounterAlg, [call(**seed)], **fixed),
        Sample(raw.StatelessRandomGetAlg, [call()], **fixed),
    ]  # fmt: skip


def _variables() -> list[Sample]:
    """Ops on the handle of a variable: what they return, and what the variable then holds."""

    def row(name: str, *inputs: Any, handle: str = "resource", **attributes: Any) -> Sample:
        def run(tf: Any, value: Any, *more: Any) -> Any:
            variable = tf.Variable(value)
            arguments = dict(zip(names, more, strict=True)) | attributes
            if "dtype" in arguments:
                arguments["dtype"] = value.dtype
            found = getattr(tf.raw_ops, name)(**{handle: variable.handle}, **arguments)
            held = tf.identity(variable.read_value())
            return held if found is None else (found, held)

        names = [name for name, _ in inputs]
        return Sample(run, [call(distinct(4, 2), *(draw for _, draw in inputs))], name=name,
                      dtypes=("float32", "int32"), differentiable=False)  # fmt: skip

    picked = ("indices", given([3, 0], "int32"))
    places = ("indices", given([[3, 1], [0, 0]], "int32"))
    updates, elements = ("updates", nonzero(2, 2)), ("updates", nonzero(2))
    ends = [
        (name, given(value, "int32"))
        for name, value in (("begin", [1]), ("end", [3]), ("strides", [1]))
    ]
    return [
        row("ReadVariableOp", dtype=None), row("ResourceGather", picked, dtype=None),
        row("ResourceGatherNd", places, dtype=None), row("VarIsInitializedOp"),
        row("VariableShape", handle="input"),
        *(row(name, ("value", reals(4, 2)))
          for name in ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")),
        *(row(f"ResourceScatter{kind}", picked, updates)
          for kind in ("Add", "Sub", "Max", "Min", "Mul", "Div", "Update")),
        *(row(f"ResourceScatterNd{kind}", places, elements, handle="ref")
          for kind in ("Add", "Sub", "Max", "Min", "Update")),
        row("ResourceStridedSliceAssign", *ends, ("value", reals(2, 2)), handle="ref"),
    ]  # fmt: skip


def _seeded(name: str) -> Any:
    """Two draws in a row from the beginning of a stream."""

    def draw(tf: Any, **how: Any) -> Any:
        tf.random.set_seed(7)
        return [getattr(tf.raw_ops, name)(**how, seed=3, seed2=4) for _ in range(2)]

    draw.__name__ = draw.__qualname__ = name
    return draw

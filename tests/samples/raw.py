"""Ops reached under TensorFlow's own op names only: older spellings, and the backward ops."""

from __future__ import annotations

from typing import Any

from . import FLOATS, REAL_FLOATS, Sample, call
from .draws import (
    SIGNED,
    UNSIGNED,
    between,
    booleans,
    given,
    integers,
    nonzero,
    positive,
    reals,
    unit,
)


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
        Sample(raw.BatchMatMulV3, [call(x=reals(2, 2, 3), y=reals(2, 3, 2), Tout=tf.float32)],
               dtypes=("float32",), differences="its result is float32 whatever comes in"),
        Sample(raw.LinSpace, [call(start=reals(), stop=reals(), num=4)], dtypes=("float32", "float64"),
               differentiable=False),
        Sample(raw.InTopKV2, [call(predictions=reals(3, 4), targets=integers(0, 4, 3), k=2)],
               dtypes=("float32",), differentiable=False),
        Sample(raw.CheckNumerics, [call(tensor=reals(2, 3), message="")], dtypes=REAL_FLOATS),
        Sample(raw.ReluGrad, [call(gradients=reals(2, 3), features=reals(2, 3))], dtypes=REAL_FLOATS,
               differences="the step at zero is no function of its second input's value"),
        Sample(raw.InvGrad, [call(y=nonzero(2, 3), dy=reals(2, 3))], dtypes=FLOATS),
        Sample(raw.SqrtGrad, [call(y=positive(2, 3), dy=reals(2, 3))], dtypes=FLOATS),
        Sample(raw.RsqrtGrad, [call(y=positive(2, 3), dy=reals(2, 3))], dtypes=FLOATS),
        Sample(raw.SigmoidGrad, [call(y=unit(2, 3), dy=reals(2, 3))], dtypes=FLOATS),
        Sample(raw.TanhGrad, [call(y=unit(2, 3), dy=reals(2, 3))], dtypes=FLOATS),
        Sample(raw.SoftplusGrad, [call(gradients=reals(2, 3), features=reals(2, 3))],
               dtypes=REAL_FLOATS),
        Sample(raw.SoftsignGrad, [call(gradients=reals(2, 3), features=reals(2, 3))],
               dtypes=REAL_FLOATS, differences="TensorFlow has no second rule"),
        Sample(raw.TensorStridedSliceUpdate, [call(input=reals(4), begin=[1], end=[3], strides=[1],
               value=reals(2))]),
        Sample(raw.IgammaGradA, [call(a=positive(2, 3), x=positive(2, 3))],
               dtypes=("float32", "float64"), loose=100, differentiable=False),
        Sample(raw.RandomGammaGrad, [call(alpha=positive(2, 3), sample=positive(2, 3))],
               dtypes=("float32", "float64"), loose=100, differentiable=False),
        Sample(lambda tf, x: tuple(tf.raw_ops.UniqueV2(x=x, axis=[0])),
               [given([[1, 2], [1, 2], [0, 1]], "int64")], name="UniqueV2", differentiable=False),
        Sample(lambda tf, x: tuple(tf.raw_ops.UniqueWithCountsV2(x=x, axis=[0])),
               [given([3, 1, 3, 2], "int64")], name="UniqueWithCountsV2", differentiable=False),
        Sample(lambda tf, x: tuple(tf.unique_with_counts(x)), [given([3, 1, 3, 2], "int64")],
               name="tf.unique_with_counts", differentiable=False),
        Sample(lambda tf, x, **more: tuple(tf.raw_ops.MaxPoolWithArgmax(input=x, **more)),
               [call(reals(1, 4, 4, 1), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")],
               name="MaxPoolWithArgmax", dtypes=("float32",)),
    ]  # fmt: skip
    return rows

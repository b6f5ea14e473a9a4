"""float16 and bfloat16: the core widens them for ops that ask for it; other kernels get them for a reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run, all_samples
from samples.ask import gradients, values
from tapegrad.core import EagerTensor, Op, load_ops, no_recording, registry
from tapegrad.ops.op import HALVES, elementwise, op

DTYPES = tuple(dtype.name for dtype in HALVES)

# Why a kernel takes halves as they are. An op that says accumulate= never gets one, so none of these does.

# It moves, chooses, counts, compares or prints elements: nothing is rounded.
MOVES = """
    ApproxTopK AsString BatchToSpaceND CheckNumerics ConcatV2 ConjugateTranspose
    DepthToSpace Diag DiagPart DrawBoundingBoxes DrawBoundingBoxesV2 DynamicPartition DynamicStitch
    EnsureShape ExtractImagePatches GatherV2 LowerBound
    MatrixDiagPartV3 MatrixDiagV3 MatrixSetDiagV3 NthElement OnesLike
    PreventGradient Print Rank Reshape ResizeNearestNeighbor ReverseSequence ReverseV2
    Round SegmentMax SegmentMin Select SelectV2 Shape Size SpaceToBatchND SpaceToDepth
    SparseToDense SplitV TensorScatterMax TensorScatterMin
    TensorStridedSliceUpdate Tile UnsortedSegmentMax UnsortedSegmentMin
    UpperBound ZerosLike _ArgsortAlong _CountNonzero _Frame _KeepWhere _OneUnlessZero _Places _PutAt _Shift
    _SliceAt _Sort _TakeSegments
"""

# It rounds after each step, of which there are few, or one for each element added.
STEPS = """
    AddN ApproximateEqual BiasAdd Cross Div FloorDiv FloorMod MirrorPadGrad Mod ScatterNd
    SegmentMean SegmentProd SegmentSum SparseReduceSum SparseTensorDenseAdd SquaredDifference
    TensorScatterAdd TensorScatterSub TileGrad TruncateDiv TruncateMod UnsortedSegmentProd
    UnsortedSegmentSum _AddAlong _EvenNumbers _OverlapAndAdd _SumPatches
"""

# It casts to what it computes in: float32 where the result is float32 for every dtype, double precision where
# the numbers need it. The winners of a dilation are those among sums of halves.
CASTS = """
    AdjustContrastv2 Cast CropAndResize Dilation2D Dilation2DBackpropFilter Dilation2DBackpropInput
    HSVToRGB ImageProjectiveTransformV2 ImageProjectiveTransformV3 RGBToHSV
    ResizeArea ResizeBicubic ResizeBicubicGrad ResizeBilinear ResizeBilinearGrad ScaleAndTranslate
    ScaleAndTranslateGrad StatelessMultinomial StatelessRandomGammaV3
    _ImageProjectiveTransformTransposed
"""

REASONS = {
    type: reason
    for reason, types in (("moves", MOVES), ("steps", STEPS), ("casts", CASTS))
    for type in types.split()
}


def is_half(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.dtype.name in DTYPES


@contextmanager
def told_of_halves() -> Iterator[set[str]]:
    """The types of the ops whose kernels get an array of halves."""
    load_ops()
    kernels = {op: op.kernel for op in registry.values() if op.kernel is not None}
    met: set[str] = set()

    def telling(op: Op, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def run_kernel(*args: Any, **kwargs: Any) -> Any:
            if any(map(is_half, args)):
                met.add(op.type)
            return kernel(*args, **kwargs)

        return run_kernel

    for each, kernel in kernels.items():
        each.kernel = telling(each, kernel)
    try:
        yield met
    finally:
        for each, kernel in kernels.items():
            each.kernel = kernel


def half_runs() -> list[Run]:
    return [
        Run(sample, case, dtype)
        for sample in all_samples()
        for case in (*sample.cases, *sample.kinks)
        for dtype in DTYPES
        if dtype in sample.dtypes
    ]


def try_all(runs: list[Run]) -> None:
    for run in runs:
        for ask in (values, gradients):
            try:
                with np.errstate(all="ignore"):
                    ask(run)
            except (
                *(tf.errors.OpError, LookupError, TypeError, ValueError),
                *(NotImplementedError, AttributeError),
            ):
                continue  # refused: test_dtypes and test_values ask whether rightly


def test_kernels_see_halves_for_a_reason_only() -> None:
    with told_of_halves() as met:
        try_all(half_runs())
    assert met, "no row was run in halves"
    assert not met - set(REASONS), (
        "these kernels compute in halves; let them accumulate, or say why not"
    )
    known = {type for type in REASONS if type in registry}
    assert not known - met, "these kernels get no halves any more: their reasons can go"
    assert not [type for type in known if registry[type].accumulate is not None]


def wide(value: Any) -> Any:
    return tf.cast(value, tf.float32) if value.dtype in HALVES else value


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("type", ["MatMul", "Sum", "Mean", "Softmax", "Cumsum", "Xlogy", "Tan"])
def test_as_in_float32_and_rounded_once(type: str, dtype: str) -> None:
    """Lane, program, ufunc or kernel: the answer is that of float32, rounded."""
    random = np.random.default_rng(7)
    made = registry[type]
    tensors = [tf.cast(random.uniform(0.1, 3.0, (40, 40)), tf.as_dtype(dtype)) for _ in made.inputs]
    found = made(*tensors)
    expected = tf.cast(made(*map(wide, tensors)), found.dtype)
    assert found.dtype.name == dtype
    assert found.numpy().tobytes() == expected.numpy().tobytes()


@pytest.fixture
def probes() -> Iterator[dict[str, Any]]:
    """Ops that tell what their kernels get."""
    seen: dict[str, Any] = {}

    @op("_HalvesProbe", outputs=("y", "total", "place"), accumulate={"y": "float32"})
    def probe(xp, x, scale):
        seen["kernel"] = x.dtype.name, scale.dtype.name
        return x * scale, xp.sum(x), xp.argmax(x)

    def pointwise(xp, x):
        return x * (x + 1)

    whole = elementwise("_HalvesProbeEach", pointwise, name="each", accumulate="float32")
    try:
        yield {"several": probe, "each": whole, "seen": seen}
    finally:
        del registry["_HalvesProbe"], registry["_HalvesProbeEach"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_results_that_are_named_are_rounded(probes: dict[str, Any], dtype: str) -> None:
    x = tf.constant([1.0, 3.0], tf.as_dtype(dtype))
    y, total, place = probes["several"](x, x)
    assert probes["seen"]["kernel"] == ("float32", "float32")
    assert (y.dtype.name, total.dtype.name, place.dtype.is_integer) == (dtype, "float32", True)


@pytest.mark.parametrize("dtype", DTYPES)
def test_run_widens_as_a_call_does(probes: dict[str, Any], dtype: str) -> None:
    """Kinds of arrays that hold NumPy's run their ops by `Op.run`."""
    x = np.linspace(0, 3, 50).astype(tf.as_dtype(dtype).as_numpy_dtype)
    expected = (x.astype(np.float32) * (x.astype(np.float32) + 1)).astype(x.dtype)
    assert probes["each"].run([x], ()).tobytes() == expected.tobytes()
    assert probes["each"](EagerTensor(x)).numpy().tobytes() == expected.tobytes()


def test_messages_speak_of_what_was_given(probes: dict[str, Any]) -> None:
    x, longer = tf.ones(2, tf.float16), tf.ones(3, tf.float16)
    with pytest.raises(tf.errors.InvalidArgumentError, match="float16"):
        probes["several"](x, longer)


def test_tapes_keep_the_halves() -> None:
    x = tf.constant([0.5, 1.5], tf.float16)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.softmax(x)
    with no_recording():
        assert tape.gradient(y, x).dtype == tf.float16


@pytest.mark.parametrize("accumulate", ["float64", {"out": "float32"}])
def test_what_accumulate_may_say(accumulate: Any) -> None:
    with pytest.raises(ValueError, match="_HalvesWrong"):
        op("_HalvesWrong", accumulate=accumulate)(lambda xp, x: x)

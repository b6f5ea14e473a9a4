"""Results and gradients have TensorFlow's dtypes; a dtype that an op does not take is an error."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import golden
import tapegrad as tf
from by_row import by_row
from samples import Run, all_samples, other_runs
from samples.ask import (
    NO_KERNEL,
    check_recorded,
    compare,
    dense,
    floats,
    gradients,
    recorded_runs,
    values,
)
from tapegrad import testing

_RUNS = [
    (run, answer)
    for run, answer in recorded_runs()
    if "error" in answer and answer["error"] not in NO_KERNEL
]
_WITHOUT_KERNEL = [run for run, answer in recorded_runs() if answer.get("error") in NO_KERNEL]
# What TensorFlow has no kernel for, and is computed here. All the rest is refused.
_HALVES = {"float16", "bfloat16"}
_COMPLEX = {"complex64", "complex128"}
_COMPUTED: dict[str, set[str]] = {
    "truncatemod": _HALVES, "math.rint": _HALVES, "math.erfinv": _HALVES, "math.erfcinv": _HALVES,
    "math.ndtri": _HALVES, "raw_ops.Mod": _HALVES, "raw_ops.ApproximateEqual": _HALVES,
    "math.lgamma": {"bfloat16"}, "math.digamma": {"bfloat16"}, "linalg.tensor_diag": {"bfloat16"},
    "linalg.tensor_diag_part": {"bfloat16"}, "nn.local_response_normalization": {"bfloat16"},
    "raw_ops.LRNGrad": {"bfloat16"}, "nn.max_pool3d": {"float16"},
    "nn.avg_pool3d": {"float16", "float64"}, "image.adjust_contrast": {"float16"},
    "raw_ops.AvgPool3D": {"float64"}, "raw_ops.BatchNormWithGlobalNormalization": {"float32"},
    "saturate_cast": {"uint32", "uint64"}, "tile": {"uint16"}, "repeat": {"uint16"},
    "space_to_batch_nd": _COMPLEX | {"bool"}, "batch_to_space": _COMPLEX | {"bool"},
    "image.extract_patches": {"bool"}, "tf.divide of a SparseTensor": {"complex64"},
    "signal.fftnd": _COMPLEX, "signal.ifftnd": _COMPLEX, "signal.irfftnd": _COMPLEX,
    "signal.rfftnd": {"float32", "float64"},
    # TensorFlow has these on GPUs alone.
    "CudnnRNN": {"float16", "float32", "float64"}, "CudnnRNNV2": {"float16", "float32", "float64"},
    "CudnnRNNV3": {"float16", "float32", "float64"},
}  # fmt: skip
_NEIGHBOURS = {
    "float16": "float32", "bfloat16": "float32", "float32": "float64", "float64": "float32",
    "complex64": "complex128", "complex128": "complex64", "bool": "int32",
    "uint16": "int64", "uint32": "int64", "uint64": "int64",
}  # fmt: skip
_FLOATING = [
    run for run, answer in recorded_runs() if any(answer.get("gradients", ())) and run.arrays
]
_CLASSES = {name: getattr(tf.errors, name) for name in ("InvalidArgumentError",)} | {
    "ValueError": ValueError,
    "TypeError": TypeError,
    "IndexError": IndexError,
}


@by_row(_RUNS)
def test_error_is_tensorflows(run: Run, answer: dict[str, Any]) -> None:
    check_recorded(run, answer)
    with pytest.raises(_CLASSES[answer["error"]]) as caught:
        values(run)
    assert str(caught.value).strip()


@by_row(_WITHOUT_KERNEL)
def test_where_tensorflow_has_no_kernel(run: Run) -> None:
    """The op means something in this dtype: it is refused, or its result is that of a neighbouring dtype."""
    if run.dtype not in _COMPUTED.get(run.sample.name, ()):
        with pytest.raises((tf.errors.InvalidArgumentError, tf.errors.UnimplementedError)):
            values(run)
        return
    other = _NEIGHBOURS[run.dtype]
    tensors = [
        tf.cast(tensor, other) if tensor.dtype.name == run.dtype else tensor
        for tensor in run.tensors(tf)
    ]
    with np.errstate(all="ignore"):
        for result, expected in zip(values(run), values(run, tensors), strict=True):
            rtol = max(map(testing.tolerance, (run.dtype, other)))
            testing.assert_close(result, expected.astype(result.dtype), rtol=rtol, what=repr(run))


def test_computed_where_tensorflow_has_no_kernel() -> None:
    """No name or dtype stands in the table that TensorFlow has a kernel for."""
    asked = {(run.sample.name, run.dtype) for run in _WITHOUT_KERNEL}
    listed = {(name, dtype) for name, dtypes in _COMPUTED.items() for dtype in dtypes}
    assert not listed - asked


# Rows leave out dtypes to be quick, or because TensorFlow has little precision there. What it says in
# those is asked here: what is the same but for rounding to float32, and what is not the same, and why.
_SINGLE = {
    "ResizeBilinear", "StatelessRandomGammaV2",
    "CTCBeamSearchDecoder", "RandomGamma", "crop_and_resize", "ctc_loss(sparse)",
    "kaiser_bessel_derived_window", "kaiser_window", "per_image_standardization", "resize",
    "resize(bicubic)", "resize(bilinear)", "resize_with_pad", "rgb_to_grayscale",
    "square(crop_and_resize)", "ssim_multiscale", "stateless_random_saturation",
}  # fmt: skip
_OTHERWISE = {
    "imag": [("bool", "there are no complex truth values: TypeError")],
    "moments": [("complex.*", "TensorFlow's gradient is not that of its result")],
    "MatrixSolveLs": [("complex.*", "TensorFlow's gradient is not that of its result")],
    "eig(|v|)": [("complex.*", "the values come in another order")],
    "eigvals": [("complex.*", "the values come in another order")],
    "resize(bicubic)": [(".*float16", "TensorFlow has no gradient of halves")],
    "ResizeBicubic": [(".*float16", "TensorFlow has no gradient of halves")],
    "SparseAddGrad": [(".*float.*|complex.*", "TensorFlow has no gradient of a gradient")],
    "SparseConcat": [(".*float.*|complex.*", "TensorFlow has no gradient")],
    "psnr": [("u?int64", "TensorFlow overflows on the way to floats")],
    "ssim": [("u?int64", "TensorFlow overflows on the way to floats")],
    "ReluGrad": [("u?int.*", "integers have no gradients here: InvalidArgumentError")],
    "ScatterNdNonAliasingAdd": [("bool", "truth values are not added: InvalidArgumentError")],
    "ResourceScatterNdAdd": [("bool", "truth values are not added: InvalidArgumentError")],
    "ResourceScatterNdSub": [("bool", "truth values are not added: InvalidArgumentError")],
}
_OTHER_RUNS = [
    (run, answer)
    for run in other_runs(all_samples())
    if (answer := golden.read("other_dtypes").get(repr(run)))
]


@by_row(_OTHER_RUNS)
def test_dtypes_that_rows_leave_out(run: Run, answer: dict[str, Any]) -> None:
    check_recorded(run, answer)
    name = run.sample.name.rpartition(".")[2]
    if any(re.fullmatch(dtypes, run.dtype) for dtypes, _ in _OTHERWISE.get(name, ())):
        with pytest.raises((AssertionError, TypeError, tf.errors.OpError)):
            _compare_other(run, answer, False)
    else:
        _compare_other(run, answer, name in _SINGLE and run.dtype in ("float64", "complex128"))


def _compare_other(run: Run, answer: dict[str, Any], single: bool) -> None:
    with np.errstate(all="ignore"):
        results = values(run)
        found = gradients(run) if "gradients" in answer else []
    for what, arrays, coded, scale in (
        ("result", results, answer["outputs"], 0.0),
        ("gradient", map(dense, found), answer.get("gradients", []), 1.0),
    ):
        for place, (actual, wanted) in enumerate(zip(arrays, coded, strict=True)):
            if wanted is None:
                assert actual is None
                continue
            expected = golden.decode(wanted)
            assert actual is not None
            if expected.dtype != object:
                assert actual.dtype == expected.dtype
            if single:
                np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-5)
            else:
                compare(actual, expected, run, f"{what} {place}", scale)


def test_other_dtypes_that_differ_are_there() -> None:
    names = {run.sample.name.rpartition(".")[2] for run, _ in _OTHER_RUNS}
    assert not {*_SINGLE, *_OTHERWISE} - names


@by_row(_FLOATING)
def test_gradient_has_its_sources_dtype_and_shape(run: Run) -> None:
    sources = [tensor for tensor in run.tensors(tf) if floats(tensor)]
    with np.errstate(all="ignore"):
        found = gradients(run)
    for source, gradient in zip(sources, found, strict=True):
        if gradient is not None:
            assert gradient.dtype == source.dtype
            assert gradient.shape == source.shape

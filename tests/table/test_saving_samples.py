"""Rows of the sample table as functions of variables, and of arguments of any size, saved and loaded."""

from __future__ import annotations

import functools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run, Sample, all_samples, flatten, runs
from samples.ask import dense_gradients
from tapegrad.saving.onnx.messages import DTYPES, Model

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

# Ops of ours that no ops of TensorFlow's are written for. It may only become shorter.
WITHOUT_COUNTERPART = (
    "MatrixExponential _CollapseRepeated _CommonPlaces _DenseCTCLoss _Dilation2DTakeFilter "
    "_Dilation2DTakeInput _FakeQuantParts _FractionalMaxPoolTake _FractionalMeans "
    "_IgammaCurvature _ImageProjectiveTransformTransposed _LastOfPlace _NumbersAlong _PixelsAround "
    "_PlaceGlimpse _PlacesAfterSorting _PlacesInBlock _Recurrence _RowsOfElements "
    "_SeedOfStream _SegmentsAlong _SumOfNeighbours _UniqueLabels _ZeroWhereAbsent"
).split()
# Rows that cannot be saved, and what the error says of them.
REFUSED = {
    "items of a batch": "a vectorized map works on batches",
    "calls Python": "it calls a function of Python",
    "makes variables at every call": "as in TensorFlow, they must be parts of the model",
    "tf.random.set_seed": "the row sets the seed itself",
    "catches the error": "the row expects an error",
    **{f"what {op} does": "TensorFlow has no op for it" for op in WITHOUT_COUNTERPART},
}
# Rows that a value decides of which an op complains before the guard does: nodes have no order.
FAIL_BEFORE_GUARDS = (
    "raw_ops.SparseConcat",
    "raw_ops.SparseToDense",
    "tf.sparse.bincount with weights",
)
# Rows that are refused for arguments of any size, by one of the ops above.
REFUSED_FOR_ANY_SIZE = (
    "linalg.expm",
    "nn.collapse_repeated",
    "nn.ctc_loss",
    "nn.ctc_unique_labels",
)


@functools.cache
def case(sample: Sample) -> Run:
    """The first case of a row, in float32 if it is tried in that."""
    found = list(runs([sample]))
    return next((run for run in found if run.dtype == "float32" and works(run)), found[0])


@functools.cache
def works(run: Run) -> bool:
    return not answer(lambda: flatten(run(tf, run.tensors(tf))))[0]


def others(tensor: Any) -> Any:
    """A tensor of the same shape with other values."""
    array = np.roll(tensor.numpy(), 1)
    if array.dtype.kind == "f":
        array = (array * 0.75).astype(array.dtype)
    return tf.constant(array)


def answer(call: Any) -> tuple[str, Any]:
    """What a call gives, or the class of its error."""
    tf.random.set_seed(1)
    try:
        return "", [np.asarray(each) for each in call()]
    except Exception as error:
        if "a way that was not saved" in str(error):
            return "not saved", None
        return type(error).__name__, None


def saved(function: Any, values: list[Any], folder: Path) -> Any:
    """A function of variables, and the one that was saved and loaded."""
    tf.random.set_seed(1)  # functions keep the seed with which they are traced
    module = tf.Module()
    module.values = [tf.Variable(value) for value in values]

    def call() -> Any:
        return function([tf.convert_to_tensor(variable) for variable in module.values])

    module.call = tf.function(call, input_signature=[])
    tf.saved_model.save(module, folder)
    return module.call, module, tf.saved_model.load(folder)


def check(function: Any, values: list[Any], folder: Path, name: str) -> None:
    try:
        call, module, loaded = saved(function, values, folder)
    except (tf.errors.UnimplementedError, ImportError) as error:
        if not any(words in str(error) for words in REFUSED):
            raise
        return
    for change in (lambda value: value, others):
        for ours, theirs, value in zip(module.values, loaded.values, values, strict=True):
            ours.assign(change(value))
            theirs.assign(change(value))
        wrong, wanted = answer(call)
        failed, found = answer(loaded.call)
        if change is others and (failed == "not saved" or wrong):
            continue  # a value decides which way the row goes, or the row does not take these values
        if change is others and failed and any(row in name for row in FAIL_BEFORE_GUARDS):
            continue
        assert failed == wrong, f"{name}: {wrong or 'no error'} before, {failed or 'none'} after"
        if wanted is not None:
            for one, other in zip(found, wanted, strict=True):
                assert one.dtype == other.dtype, name
                if one.dtype.kind in "fc":
                    # Rules run op by op, and not as programs, which round differently.
                    small = 1e-3 if one.dtype.itemsize == 2 else 1e-5
                    np.testing.assert_allclose(one, other, rtol=small, atol=small, err_msg=name)
                else:
                    np.testing.assert_array_equal(one, other, err_msg=name)


@pytest.mark.parametrize("sample", all_samples(), ids=lambda row: row.name)
def test_row_is_saved(sample: Sample, tmp_path: Path) -> None:
    run = case(sample)
    with np.errstate(all="ignore"):
        values = run.tensors(tf)
        check(lambda tensors: flatten(run(tf, tensors)), values, tmp_path / "a", repr(run))
        if sample.differentiable:

            def differentiate(tensors: Any) -> Any:
                return dense_gradients(run, tensors)

            check(differentiate, values, tmp_path / "b", f"the gradient of {run!r}")


# Rows that are not saved for all sizes: most take no such stand-ins, as their operands have to suit each
# other, some decide by sizes or values in Python, and some make variables. It may only become shorter.
# `python tests/golden/record_saved_rows.py` writes it.
FOR_SOME_SIZES = (
    (Path(__file__).parents[1] / "golden" / "saved_for_some_sizes.txt").read_text().splitlines()
)


def for_all_sizes(sample: Sample, folder: Path) -> bool | None:
    """Whether a row is saved for arguments of any size, and gives its answers. None without tensors."""
    run = case(sample)
    values = run.tensors(tf)
    if not works(run) or not values or not all(isinstance(value, tf.Tensor) for value in values):
        return None
    tf.random.set_seed(1)
    module = tf.Module()
    specs = [tf.TensorSpec([None] * value.shape.rank, value.dtype) for value in values]
    module.call = tf.function(lambda *tensors: flatten(run(tf, tensors)), input_signature=specs)
    try:
        tf.saved_model.save(module, folder)
    except Exception:  # the function raises on arguments of these shapes, or is refused
        return False
    loaded = tf.saved_model.load(folder)
    met = True
    for change in (lambda value: value, others):
        arguments = [change(value) for value in values]
        wrong, wanted = answer(lambda: flatten(run(tf, arguments)))  # noqa: B023
        failed, found = answer(lambda: loaded.call(*arguments))  # noqa: B023
        if failed == "not saved" or wrong:
            met = met and bool(wrong)
            continue
        assert not failed, f"{run!r}: {failed}"
        for one, other in zip(found, wanted, strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape), repr(run)
            if sample.name not in DRAWS and one.dtype.kind in "fc":
                small = 1e-3 if one.dtype.itemsize == 2 else 1e-4
                np.testing.assert_allclose(one, other, rtol=small, atol=small, err_msg=repr(run))
            elif sample.name not in DRAWS:
                np.testing.assert_array_equal(one, other, err_msg=repr(run))
    return met


# They draw other numbers in each call.
DRAWS = {
    "gamma",
    "RandomGamma",
    "poisson",
    "Multinomial",
    "RandomUniformInt",
    "RandomShuffle",
    "categorical",
}


def numbered_samples() -> dict[str, Sample]:
    """The rows by their names, with a number where a row before has the name."""
    rows: dict[str, Sample] = {}
    times: Counter[str] = Counter()
    for sample in all_samples():
        times[sample.name] += 1
        number = times[sample.name]
        rows[f"{sample.name} ({number})" if number > 1 else sample.name] = sample
    return rows


ROWS = numbered_samples()
# Rows that are written as SavedModels of TensorFlow's, which TensorFlow has loaded with equal values.
# `python tests/golden/record_written_models.py` writes the list, which has their gradients, too.
OF_TENSORFLOW = [
    line
    for line in (Path(__file__).parents[1] / "golden" / "written_models.txt")
    .read_text()
    .splitlines()
    if line in ROWS
]


# Rows whose ONNX models ONNX Runtime has run with equal values, which `record_onnx_models.py` there writes.
OF_ONNX = [
    line
    for line in (Path(__file__).parents[1] / "golden" / "onnx_models.txt").read_text().splitlines()
    if line in ROWS
]


@pytest.mark.filterwarnings("ignore")  # of SciPy, on stand-ins
@pytest.mark.parametrize("name", ROWS)
def test_row_is_saved_for_any_size(name: str, tmp_path: Path) -> None:
    with np.errstate(all="ignore"):
        saved = for_all_sizes(ROWS[name], tmp_path / "model")
    if saved is not None:
        refused = name in FOR_SOME_SIZES or name in REFUSED_FOR_ANY_SIZE
        assert saved != refused, f"{name}: saved, or in the list"


def test_rows_that_tensorflow_has_loaded_are_saved_for_any_size() -> None:
    assert not set(OF_TENSORFLOW) & set(FOR_SOME_SIZES)


def exported(sample: Sample) -> Any:
    """The ONNX model of a row, for arguments of any size if that can be; None without tensors."""
    run = case(sample)
    values = run.tensors(tf)
    if not works(run) or not values or not all(isinstance(value, tf.Tensor) for value in values):
        return None

    def content(shapes: list[Any]) -> Any:
        specs = [
            tf.TensorSpec(shape, value.dtype) for shape, value in zip(shapes, values, strict=True)
        ]
        function = tf.function(lambda *tensors: flatten(run(tf, tensors)), input_signature=specs)
        return tf.experimental.to_onnx(function)

    tf.random.set_seed(1)
    try:
        return content([[None] * value.shape.rank for value in values])
    except tf.errors.UnimplementedError:
        return content([value.shape for value in values])  # as a convolution by an argument needs


@pytest.mark.filterwarnings("ignore")  # of SciPy, on stand-ins
@pytest.mark.parametrize("name", OF_ONNX)
def test_row_is_written_for_onnx(name: str) -> None:
    run = case(ROWS[name])
    with np.errstate(all="ignore"):
        results = flatten(run(tf, run.tensors(tf)))
        outputs = Model.FromString(exported(ROWS[name])).graph.output
    assert [own.type.tensor_type.elem_type for own in outputs] == [
        DTYPES[result.dtype.name] for result in results
    ]
